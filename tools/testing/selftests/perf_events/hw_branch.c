// SPDX-License-Identifier: GPL-2.0
/*
 * Branch stacks of hardware counters: a loop takes branches of each kind. Each sample must have the
 * last branches that match the event's mask, all of them and in order.
 */
#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event_ext.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_hw.h"
#include "pe_loops.h"
#include "pe_sample.h"

#ifdef __x86_64__
#include "pe_turns.h"

/* deep(n): n recursive calls, and in the innermost a loop of @deep_turns iterations with a jump */
__asm__("	.text\n"
"	.globl	deep, b_deep, deep_turns\n"
"deep:\n"
"	decq	%rdi\n"
"	jz	1f\n"
"b_deep:	call	deep\n"
"	nop\n"
"	ret\n"
"1:	movq	deep_turns(%rip), %rcx\n"
"2:	nop\n"
"	decq	%rcx\n"
"	jnz	2b\n"
"	ret\n"
"	.data\n"
"deep_turns: .quad 100000\n"
"	.text\n"
);

#define TURNS	20000UL
#define PERIOD	997UL
#define MOST	32
#define BRS	0xc4	/* taken branches, the event of AMD's branch sampling */
#define BRS_NR	16

/* Kinds of branches, as bits */
#define CALL	1
#define RET	2
#define IND	4
#define JUMP	8
#define COND	16
#define ALL	31

struct branch {
	const char	*from;
	const char	*to;
	unsigned int	kind;
	unsigned int	type;
};

/* The branches of an iteration, the last one first */
static const struct branch turn[] = {
	{ b_loop, t_turn, COND, PERF_BR_COND },
	{ b_ret2, t_back2, RET, PERF_BR_RET },
	{ b_jump, t_jumped, JUMP, PERF_BR_UNCOND },
	{ b_indirect, t_called2, IND, PERF_BR_IND_CALL },
	{ b_ret, t_back, RET, PERF_BR_RET },
	{ b_call, t_called, CALL, PERF_BR_CALL },
};

static struct pe_record rec;

FIXTURE(branch) {
	struct perf_event_attr a;
	struct pe_ring ring;
	bool brs;
	int fd;
};

/*
 * Attributes of an event with all branches of user space; skips if the hardware has none. With
 * AMD's branch sampling (BRS) it is the only event. Returns whether it is.
 */
static bool setup(struct __test_metadata *_metadata, struct perf_event_attr *a)
{
	bool brs = !access("/sys/bus/event_source/devices/cpu/events/branch-brs", F_OK);
	int fd;

	if (pe_hw_missing())
		SKIP(return brs, "no hardware counters");
	pe_move_to(0);
	*a = pe_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	if (brs) {
		a->type = PERF_TYPE_RAW;
		a->config = BRS;
	}
	a->sample_period = PERIOD;
	a->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	a->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	if (!pe_hw_branches())
		SKIP(return brs, "no branch records");
	fd = pe_self(a);
	ASSERT_LE(0, fd);
	close(fd);
	return brs;
}

FIXTURE_SETUP(branch)
{
	self->brs = setup(_metadata, &self->a);
	self->fd = -1;
}

FIXTURE_TEARDOWN(branch)
{
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
}

#define OPEN() do {							\
	self->fd = pe_self(&self->a);					\
	ASSERT_LE(0, self->fd);						\
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 512));		\
} while (0)

static const __u64 *stack_of(const struct pe_record *r, __u64 *nr)
{
	const __u64 *word = (const __u64 *)r->body;

	*nr = word[1];
	return word + 2;
}

/* Which branch of the iteration is this? */
static int number_of(const struct perf_branch_entry *e)
{
	unsigned int i;

	for (i = 0; i < PE_ARRAY_SIZE(turn); i++) {
		if (e->from == (unsigned long)turn[i].from && e->to == (unsigned long)turn[i].to)
			return i;
	}
	return -1;
}

/*
 * Does a sample's stack have only branches of these kinds, in the order of the loop? The first
 * iterations follow other branches, and interrupts return at any time. Returns the number of right
 * entries, or -1.
 */
static int check_stack(const struct pe_record *r, unsigned int kinds)
{
	const struct perf_branch_entry *e;
	int next = -1, good = 0;
	__u64 nr, i;

	e = (const struct perf_branch_entry *)stack_of(r, &nr);
	for (i = 0; i < nr; i++) {
		int at = number_of(&e[i]);

		if ((long)e[i].from < 0 && (long)e[i].to > 0)
			continue;
		if (at < 0)
			return i && e[i].to == (unsigned long)turns_begin ? good : good ?: -1;
		if (!(turn[at].kind & kinds) || (next >= 0 && at != next))
			return -1;
		do {
			next = ((next < 0 ? at : next) + 1) % PE_ARRAY_SIZE(turn);
			at = next;
		} while (!(turn[next].kind & kinds));
		good++;
	}
	return good;
}

/* Returns the largest number of branches of a sample. */
static int check_kinds(struct __test_metadata *_metadata, struct pe_ring *ring,
		       unsigned int kinds)
{
	unsigned int n = 0, wrong = 0, most = 0;
	int good;

	while (pe_ring_find(ring, &rec, PERF_RECORD_SAMPLE)) {
		__u64 ip = *(__u64 *)rec.body;

		if (ip < (unsigned long)t_turn || ip > (unsigned long)b_ret2)
			continue;
		n++;
		good = check_stack(&rec, kinds);
		wrong += good < 0;
		if (good > (int)most)
			most = good;
	}
	TH_LOG("%u samples, up to %u branches, %u wrong", n, most, wrong);
	EXPECT_LE(100, n);
	EXPECT_LE(4, most);
	EXPECT_EQ(0, wrong);
	return most;
}

static void run(int fd)
{
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	turns_begin(TURNS);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

TEST_F(branch, all_in_order)
{
	int most;

	OPEN();
	run(self->fd);
	most = check_kinds(_metadata, &self->ring, ALL);
	if (self->brs)
		EXPECT_EQ(BRS_NR, most);
}

FIXTURE(branch_kind) {
	struct perf_event_attr a;
	struct pe_ring ring;
	bool brs;
	int fd;
};

FIXTURE_VARIANT(branch_kind) {
	__u64 type;
	unsigned int kinds;
};

FIXTURE_VARIANT_ADD(branch_kind, any) { PERF_SAMPLE_BRANCH_ANY, ALL };
FIXTURE_VARIANT_ADD(branch_kind, any_call) { PERF_SAMPLE_BRANCH_ANY_CALL, CALL | IND };
FIXTURE_VARIANT_ADD(branch_kind, any_return) { PERF_SAMPLE_BRANCH_ANY_RETURN, RET };
FIXTURE_VARIANT_ADD(branch_kind, call) { PERF_SAMPLE_BRANCH_CALL, CALL };
FIXTURE_VARIANT_ADD(branch_kind, indirect_call) { PERF_SAMPLE_BRANCH_IND_CALL, IND };
FIXTURE_VARIANT_ADD(branch_kind, conditional) { PERF_SAMPLE_BRANCH_COND, COND };
FIXTURE_VARIANT_ADD(branch_kind, two_kinds)
{
	PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_CALL, COND | CALL
};

FIXTURE_SETUP(branch_kind)
{
	self->brs = setup(_metadata, &self->a);
	self->fd = -1;
}

FIXTURE_TEARDOWN(branch_kind)
{
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
}

TEST_F(branch_kind, those_of_a_kind)
{
	self->a.branch_sample_type = PERF_SAMPLE_BRANCH_USER | variant->type;
	if (self->brs && variant->type != PERF_SAMPLE_BRANCH_ANY) {
		EXPECT_EQ(-EINVAL, pe_self(&self->a));
		return;
	}
	OPEN();
	run(self->fd);
	check_kinds(_metadata, &self->ring, variant->kinds);
}

TEST_F(branch_kind, types)
{
	unsigned int n = 0, wrong = 0;

	self->a.branch_sample_type = PERF_SAMPLE_BRANCH_USER | variant->type |
				     PERF_SAMPLE_BRANCH_TYPE_SAVE;
	if (self->brs) {
		EXPECT_EQ(-EINVAL, pe_self(&self->a));
		return;
	}
	OPEN();
	run(self->fd);
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		const struct perf_branch_entry *e;
		__u64 nr, i;

		e = (const struct perf_branch_entry *)stack_of(&rec, &nr);
		for (i = 0; i < nr; i++) {
			int at = number_of(&e[i]);

			if (at < 0)
				continue;
			n++;
			wrong += e[i].type != turn[at].type;
		}
	}
	EXPECT_LE(100, n);
	EXPECT_EQ(0, wrong);
}

/* The calls that have not returned, the innermost first */
TEST_F(branch, call_stack)
{
	unsigned int n = 0, wrong = 0;
	enum { DEPTH = 7 };

	self->a.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK;
	self->fd = pe_self(&self->a);
	if (self->fd == -EOPNOTSUPP || self->brs)
		SKIP(return, "no call stacks");
	close(self->fd);
	OPEN();
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	turns_begin(100);
	/* After a switch to another task and back, the stack still has the calls. */
	pe_switch();
	deep(DEPTH);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		const struct perf_branch_entry *e;
		__u64 ip = *(__u64 *)rec.body, nr, i;

		if (ip < (unsigned long)b_deep + 7)
			continue;
		if (ip > (unsigned long)b_deep + 40)
			continue;
		e = (const struct perf_branch_entry *)stack_of(&rec, &nr);
		n++;
		for (i = 0; i < nr && e[i].from == (unsigned long)b_deep; i++)
			;
		wrong += i != DEPTH - 1;
	}
	TH_LOG("%u samples, %u wrong", n, wrong);
	EXPECT_LE(100, n);
	EXPECT_EQ(0, wrong);
}

/* Two tasks alternate: neither sees branches of the other. */
TEST_F(branch, each_task_its_own)
{
	unsigned int n = 0, others = 0;
	int to[2], from[2], i;
	char c = 0;
	pid_t pid;

	ASSERT_EQ(0, pipe(to));
	ASSERT_EQ(0, pipe(from));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(to[1]);
		while (read(to[0], &c, 1) == 1) {
			turns_begin(20);
			if (write(from[1], &c, 1) != 1)
				break;
		}
		_exit(0);
	}
	self->a.sample_period = 199;
	OPEN();
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < 200; i++) {
		EXPECT_EQ(1, write(to[1], &c, 1));
		EXPECT_EQ(1, read(from[0], &c, 1));
		pe_hw_loop(1000);
	}
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	close(to[1]);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		const struct perf_branch_entry *e;
		__u64 nr, k;

		e = (const struct perf_branch_entry *)stack_of(&rec, &nr);
		n++;
		for (k = 0; k < nr; k++)
			others += number_of(&e[k]) >= 0;
	}
	TH_LOG("%u samples, %u branches of the other task", n, others);
	EXPECT_LE(100, n);
	EXPECT_EQ(0, others);
}

/* Samples for a user without permission for addresses of the kernel */
static int unprivileged(void *arg)
{
	struct perf_event_attr *a = arg;
	unsigned int n = 0, kernel = 0;
	struct pe_ring ring;
	int fd = pe_self(a);

	if (fd < 0 || pe_ring_map(&ring, fd, 128))
		return 1;
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 300; i++) {
		turns_begin(10);
		getppid();
	}
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (pe_ring_find(&ring, &rec, PERF_RECORD_SAMPLE)) {
		const struct perf_branch_entry *e;
		__u64 nr, k;

		e = (const struct perf_branch_entry *)stack_of(&rec, &nr);
		for (k = 0; k < nr; k++, n++)
			kernel += (long)e[k].from < 0 || (long)e[k].to < 0;
	}
	close(fd);
	return !n ? 2 : kernel ? 3 : 0;
}

TEST_F(branch, no_address_of_the_kernel)
{
	long paranoid = pe_get("/proc/sys/kernel/perf_event_paranoid");

	ASSERT_EQ(0, pe_set("/proc/sys/kernel/perf_event_paranoid", 2));
	self->a.sample_period = 101;
	EXPECT_EQ(0, pe_run_as(1000, 0, unprivileged, &self->a));
	pe_set("/proc/sys/kernel/perf_event_paranoid", paranoid);
}

TEST_F(branch, refused)
{
	self->a.branch_sample_type = PERF_SAMPLE_BRANCH_USER;
	EXPECT_EQ(-EINVAL, pe_self(&self->a));
	self->a.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY |
				     PERF_SAMPLE_BRANCH_CALL_STACK;
	EXPECT_GT(0, pe_self(&self->a));
	self->a.branch_sample_type = 1ULL << 40;
	EXPECT_EQ(-EINVAL, pe_self(&self->a));
}

/* Some processors have branch counters, but the driver refuses them on each. */
TEST_F(branch, counters_refused)
{
	struct perf_refusal refusal = { };

	if (prctl(PR_PERF_EXPLAIN, NULL, 0, 0, 0) < 0)
		SKIP(return, "needs PR_PERF_EXPLAIN");
	if (self->brs)
		SKIP(return, "branch sampling has another reason");
	self->a.branch_sample_type |= PERF_SAMPLE_BRANCH_COUNTERS;
	ASSERT_EQ(-EINVAL, pe_self(&self->a));
	EXPECT_LT(0, prctl(PR_PERF_EXPLAIN, &refusal, sizeof(refusal), 0, 0));
	EXPECT_NE(NULL, strstr(refusal.reason, "this driver"));
	EXPECT_EQ(NULL, strstr(refusal.reason, "processor"));
}

/* Branch sampling needs one event, alone in its group, with a fixed period above its depth. */
TEST_F(branch, refused_by_sampling)
{
	static const __u64 others[] = { 0xc0, 0xc2, 0x1c4, BRS | 1 << 18, BRS | 1 << 24 };
	struct perf_event_attr a = self->a;
	unsigned int i;
	int fd;

	if (!self->brs)
		SKIP(return, "no branch sampling");
	for (i = 0; i < PE_ARRAY_SIZE(others); i++) {
		a.config = others[i];
		EXPECT_EQ(-EINVAL, pe_self(&a));
	}
	a = self->a;
	a.sample_period = BRS_NR;
	EXPECT_EQ(-EINVAL, pe_self(&a));
	a.sample_period = 0;
	EXPECT_EQ(-EINVAL, pe_self(&a));
	a.sample_period = 1000;
	a.freq = 1;
	EXPECT_EQ(-EINVAL, pe_self(&a));
	a = self->a;
	a.sample_period = BRS_NR + 1;
	self->fd = pe_self(&a);
	ASSERT_LE(0, self->fd);
	EXPECT_EQ(-EINVAL, pe_open(&a, 0, -1, self->fd, 0));
	/* Without a branch stack, the event is like any other. */
	a.sample_type = PERF_SAMPLE_IP;
	a.branch_sample_type = 0;
	a.sample_period = BRS_NR;
	fd = pe_open(&a, 0, -1, self->fd, 0);
	EXPECT_LE(0, fd);
	close(fd);
	close(self->fd);
	self->fd = -1;
}
#else
TEST(branch)
{
	SKIP(return, "the loop is written for x86_64");
}
#endif

TEST_HARNESS_MAIN
