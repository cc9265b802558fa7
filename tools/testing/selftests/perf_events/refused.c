// SPDX-License-Identifier: GPL-2.0
/*
 * prctl(PR_PERF_EXPLAIN): for each refused call it returns the name of the reason, the errno, and
 * the field or argument.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_refused.h"

#define BREAKPOINT(...)								\
	EVENT(.type = PERF_TYPE_BREAKPOINT, .config = 0, .bp_type = HW_BREAKPOINT_W,	\
	      .bp_len = HW_BREAKPOINT_LEN_1, .bp_addr = (__u64)(unsigned long)&watched,	\
	      __VA_ARGS__)

static char watched;

/* Did an open fail because no debug register of this type is free? */
static bool has_no_register(int fd)
{
	return fd < 0 && pe_no_breakpoint(-errno);
}

FIXTURE(refused) {
	int fd;		/* counts page faults */
	int samples;	/* samples them */
	int other;	/* is no event's file */
};

FIXTURE_SETUP(refused)
{
	NEED_EXPLANATIONS(return);
	self->fd = open_self(EVENT());
	ASSERT_LE(0, self->fd);
	self->samples = open_self(EVENT(.sample_period = 1000));
	ASSERT_LE(0, self->samples);
	self->other = open("/dev/null", O_RDWR);
	ASSERT_LE(0, self->other);
}

FIXTURE_TEARDOWN(refused)
{
	close(self->fd);
	close(self->samples);
	close(self->other);
}

/* A new process has no refusal, and a successful call leaves none. */
TEST_F(refused, nothing_yet)
{
	struct perf_refusal refusal;

	EXPECT_EQ(0, explain(&refusal));
	EXPECT_EQ(0, refusal.size);
	close(open_self(EVENT()));
	EXPECT_EQ(0, explain(&refusal));
}

static void *explains_nothing(void *result)
{
	struct perf_refusal refusal;

	*(int *)result = explain(&refusal);
	open_event(EVENT(), 0, -1, -1, 1 << 20);
	return NULL;
}

/*
 * The last refusal is kept when later calls succeed. A child has none, and each thread has its own.
 */
TEST_F(refused, last_one_of_the_thread)
{
	struct perf_refusal refusal;
	pthread_t thread;
	int status;
	pid_t child;

	REFUSED(OPEN_FLAGS, EINVAL, open_event(EVENT(), 0, -1, -1, 1 << 20));
	close(open_self(EVENT()));
	REFUSED(PERIOD_COUNTING, EINVAL, ioctl(self->fd, PERF_EVENT_IOC_PERIOD, &(__u64){ 1 }));
	ASSERT_EQ(sizeof(refusal), explain(&refusal));
	EXPECT_EQ(PERF_REFUSED_CALL_IOCTL, refusal.call);
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(explain(&refusal));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, pthread_create(&thread, NULL, explains_nothing, &status));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, status);
	ASSERT_EQ(sizeof(refusal), explain(&refusal));
	EXPECT_STREQ("PERIOD_COUNTING", refusal.name);
}

#ifdef __x86_64__
/* Calls by a debugger record no reasons: the last one is kept, and none is added. */
TEST_F(refused, not_by_a_debugger)
{
	struct perf_refusal refusal;
	pid_t me = getpid(), child = fork();
	int more[64], n = 0, status;

	ASSERT_LE(0, child);
	if (!child) {
		pe_die_with(me);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	while (n < 64 && (more[n] = open_event(BREAKPOINT(.exclude_kernel = 1), child, -1, -1,
					       0)) >= 0)
		n++;
	REFUSED(OPEN_FLAGS, EINVAL, open_event(EVENT(), 0, -1, -1, 1 << 20));
	EXPECT_EQ(-1, ptrace(PTRACE_POKEUSER, child, offsetof(struct user, u_debugreg[0]),
			     &watched));
	EXPECT_EQ(ENOSPC, errno);
	ASSERT_EQ(sizeof(refusal), explain(&refusal));
	EXPECT_STREQ("OPEN_FLAGS", refusal.name);
	while (n)
		close(more[--n]);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
}
#endif

/* The kernel writes as much as fits, and nothing else. */
TEST_F(refused, size)
{
	struct perf_refusal refusal;
	char *bytes = (char *)&refusal;

	REFUSED(OPEN_FLAGS, EINVAL, open_event(EVENT(), 0, -1, -1, 1 << 20));
	memset(&refusal, 0x55, sizeof(refusal));
	EXPECT_EQ(sizeof(refusal), prctl(PR_PERF_EXPLAIN, &refusal, 12, 0, 0));
	EXPECT_EQ(EINVAL, refusal.error);
	EXPECT_EQ(0x55, bytes[12]);
	EXPECT_EQ(sizeof(refusal), prctl(PR_PERF_EXPLAIN, NULL, 0, 0, 0));
	REFUSED(BAD_ADDRESS, EFAULT, prctl(PR_PERF_EXPLAIN, (void *)8, sizeof(refusal), 0, 0));
	REFUSED(EXPLAIN_SIZE, EINVAL, prctl(PR_PERF_EXPLAIN, &refusal, -1L, 0, 0));
	close(open_self(EVENT(.type = 0x7fffffff)));
	REFUSED(EXPLAIN_SIZE, EINVAL, prctl(PR_PERF_EXPLAIN, &refusal, sizeof(refusal), 1, 0));
	ASSERT_EQ(sizeof(refusal), explain(&refusal));
	EXPECT_EQ(PERF_REFUSED_CALL_PRCTL, refusal.call);
}

/* The word of flags, which follows read_format */
static __u64 flags_of(const struct perf_event_attr *attr)
{
	__u64 flags;

	memcpy(&flags, (const char *)attr + offsetof(struct perf_event_attr, read_format) +
	       sizeof(attr->read_format), sizeof(flags));
	return flags;
}

/* The value of the field is returned, if it is known; for a flag the whole word of flags. */
TEST_F(refused, value)
{
	struct perf_refusal refusal;

	REFUSED(READ_FORMAT, EINVAL, open_self(EVENT(.read_format = 1 << 20)));
	ASSERT_EQ(sizeof(refusal), explain(&refusal));
	EXPECT_STREQ("attr.read_format", refusal.field);
	EXPECT_EQ(1 << 20, refusal.value);
	EXPECT_EQ(PERF_REFUSED_CALL_OPEN, refusal.call);
	REFUSED(INHERIT_THREAD, EINVAL, open_self(EVENT(.inherit_thread = 1, .exclude_hv = 1)));
	ASSERT_EQ(sizeof(refusal), explain(&refusal));
	EXPECT_EQ(flags_of(EVENT(.inherit_thread = 1, .exclude_hv = 1)), refusal.value);
	REFUSED(GROUP_INHERIT, EINVAL, open_event(EVENT(.inherit = 1), 0, -1, self->fd, 0));
	ASSERT_EQ(sizeof(refusal), explain(&refusal));
	EXPECT_EQ(0, refusal.value);
}

TEST_F(refused, attribute)
{
	REFUSED(ATTR_SIZE, E2BIG, open_self(EVENT(.size = 8)));
	REFUSED(ATTR_FLAGS, EINVAL, open_self(EVENT(.__reserved_1 = 1)));
	REFUSED(ATTR_RESERVED_2, EINVAL, open_self(EVENT(.__reserved_2 = 1)));
	REFUSED(AUX_ACTION, EINVAL, open_self(EVENT(.__reserved_3 = 1)));
	REFUSED(SAMPLE_TYPE, EINVAL, open_self(EVENT(.sample_type = PERF_SAMPLE_MAX)));
	REFUSED(READ_FORMAT, EINVAL, open_self(EVENT(.read_format = PERF_FORMAT_MAX)));
	REFUSED(BRANCH_TYPE, EINVAL,
		open_self(EVENT(.sample_type = PERF_SAMPLE_BRANCH_STACK,
				.branch_sample_type = PERF_SAMPLE_BRANCH_MAX)));
	REFUSED(BRANCH_TYPE_NONE, EINVAL,
		open_self(EVENT(.sample_type = PERF_SAMPLE_BRANCH_STACK,
				.branch_sample_type = PERF_SAMPLE_BRANCH_USER)));
	REFUSED(SAMPLE_WEIGHTS, EINVAL,
		open_self(EVENT(.sample_type = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)));
	REFUSED(INHERIT_THREAD, EINVAL, open_self(EVENT(.inherit_thread = 1)));
	REFUSED(REMOVE_ON_EXEC, EINVAL,
		open_self(EVENT(.remove_on_exec = 1, .enable_on_exec = 1)));
	REFUSED(SIGTRAP_EXEC, EINVAL, open_self(EVENT(.sigtrap = 1)));
	REFUSED(INHERIT_READ, EINVAL,
		open_self(EVENT(.inherit = 1, .sample_type = PERF_SAMPLE_READ)));
	REFUSED(CLOCKID, EINVAL, open_self(EVENT(.use_clockid = 1, .clockid = 77)));
	REFUSED(FREQ_LIMIT, EINVAL, open_self(EVENT(.freq = 1, .sample_freq = 1 << 30)));
	REFUSED(PERIOD_RANGE, EINVAL, open_self(EVENT(.sample_period = 1ULL << 63)));
	REFUSED(CALLCHAIN_DEPTH, EOVERFLOW,
		open_self(EVENT(.sample_type = PERF_SAMPLE_CALLCHAIN, .sample_max_stack = 60000)));
	REFUSED(BAD_ADDRESS, EFAULT, open_self((void *)8));
}

TEST_F(refused, user_registers_and_stacks)
{
	int fd = open_self(EVENT(.sample_type = PERF_SAMPLE_STACK_USER));

	if (fd < 0)
		SKIP(return, "no user stacks here");
	close(fd);
	REFUSED(STACK_USER_SIZE, EINVAL,
		open_self(EVENT(.sample_type = PERF_SAMPLE_STACK_USER,
				.sample_stack_user = 65536)));
	REFUSED(STACK_USER_ALIGN, EINVAL,
		open_self(EVENT(.sample_type = PERF_SAMPLE_STACK_USER, .sample_stack_user = 4)));
	REFUSED(REGS_USER, EINVAL, open_self(EVENT(.sample_type = PERF_SAMPLE_REGS_USER)));
	REFUSED(REGS_INTR, EINVAL, open_self(EVENT(.sample_type = PERF_SAMPLE_REGS_INTR)));
}

TEST_F(refused, arguments)
{
	REFUSED(OPEN_FLAGS, EINVAL, open_event(EVENT(), 0, -1, -1, 1 << 20));
	REFUSED(GROUP_FD, EBADF, open_event(EVENT(), 0, -1, self->other, 0));
	REFUSED(GROUP_INHERIT, EINVAL, open_event(EVENT(.inherit = 1), 0, -1, self->fd, 0));
	REFUSED(NO_TASK, ESRCH, open_event(EVENT(), 0x3ffffff, -1, -1, 0));
	REFUSED(NO_TARGET, EINVAL, open_event(EVENT(), -1, -1, -1, 0));
	REFUSED(CPU_RANGE, EINVAL, open_event(EVENT(), 0, 1 << 20, -1, 0));
	REFUSED(CPU_RANGE, EINVAL, open_event(EVENT(), -1, -2, -1, 0));
	REFUSED(SIGTRAP_TASK, EINVAL,
		open_event(EVENT(.sigtrap = 1, .remove_on_exec = 1), -1, 0, -1, 0));
	REFUSED(OUTPUT_NO_BUFFER, EINVAL,
		open_event(EVENT(), 0, -1, self->samples,
			   PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP));
}

/* Each rule of groups, except for the rule about PMUs, which group_test.c tests. */
TEST_F(refused, members)
{
	int member = open_event(EVENT(), 0, -1, self->fd, 0);

	ASSERT_LE(0, member);
	REFUSED(GROUP_MEMBER, EINVAL, open_event(EVENT(), 0, -1, member, 0));
	REFUSED(GROUP_TARGET, EINVAL, open_event(EVENT(), 0, 0, self->fd, 0));
	REFUSED(GROUP_CLOCK, EINVAL,
		open_event(EVENT(.use_clockid = 1, .clockid = CLOCK_MONOTONIC), 0, -1, self->fd,
			   0));
	REFUSED(GROUP_PINNED, EINVAL, open_event(EVENT(.pinned = 1), 0, -1, self->fd, 0));
	REFUSED(GROUP_EXCLUSIVE, EINVAL, open_event(EVENT(.exclusive = 1), 0, -1, self->fd, 0));
	close(member);
}

TEST_F(refused, cgroups)
{
	int dir;

	REFUSED(CGROUP_NO_FD, EINVAL, open_event(EVENT(), -1, 0, -1, PERF_FLAG_PID_CGROUP));
	REFUSED(CGROUP_NO_CPU, EINVAL,
		open_event(EVENT(), self->other, -1, -1, PERF_FLAG_PID_CGROUP));
	REFUSED(CGROUP_FD, EBADF, open_event(EVENT(), self->other, 0, -1, PERF_FLAG_PID_CGROUP));
	if (geteuid() || !pe_has_cgroups())
		SKIP(return, "needs root and cgroups");
	dir = pe_cgroup_make("refused");
	ASSERT_LE(0, dir);
	close(self->fd);
	self->fd = open_event(EVENT(), -1, 0, -1, 0);
	ASSERT_LE(0, self->fd);
	REFUSED(CGROUP_GROUP, EINVAL,
		open_event(EVENT(), dir, 0, self->fd, PERF_FLAG_PID_CGROUP));
	close(dir);
	pe_cgroup_remove("refused");
}

static int rights(void *level)
{
	bool ok = true;

#define MUST(name, call)	(ok &= was_refused((call), #name, EACCES))
	if (level) {
		MUST(PARANOID_OPEN, open_self(EVENT(.exclude_kernel = 1)));
		return ok ? 0 : -EPERM;
	}
	MUST(KERNEL_EVENTS, open_self(EVENT()));
	MUST(NAMESPACES, open_self(EVENT(.exclude_kernel = 1, .namespaces = 1)));
	MUST(PHYS_ADDR, open_self(EVENT(.exclude_kernel = 1,
					.sample_type = PERF_SAMPLE_PHYS_ADDR)));
	MUST(KERNEL_TEXT, open_self(EVENT(.exclude_kernel = 1, .text_poke = 1)));
	MUST(BRANCHES_KERNEL,
	     open_self(EVENT(.exclude_kernel = 1, .sample_type = PERF_SAMPLE_BRANCH_STACK,
			     .branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
						   PERF_SAMPLE_BRANCH_KERNEL)));
	MUST(CPU_FORBIDDEN, open_event(EVENT(.exclude_kernel = 1), -1, 0, -1, 0));
	MUST(TASK_FORBIDDEN, open_event(EVENT(.exclude_kernel = 1), 1, -1, -1, 0));
#undef MUST
	return ok ? 0 : -EPERM;
}

TEST_F(refused, rights)
{
	long was = pe_get(PE_PARANOID);

	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, rights, NULL));
	ASSERT_EQ(0, pe_set(PE_PARANOID, 3));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, rights, self));
	ASSERT_EQ(0, pe_set(PE_PARANOID, was));
}

TEST_F(refused, pmu)
{
	struct perf_refusal refusal;
	long msr = pe_get(PE_DEVICES "msr/type");

	REFUSED(NO_PMU, ENOENT, open_self(EVENT(.type = 0x7fffffff)));
	ASSERT_EQ(sizeof(refusal), explain(&refusal));
	EXPECT_EQ(0x7fffffff, refusal.value);
	REFUSED(NO_PMU, ENOENT, open_self(EVENT(.config = 1000)));
	REFUSED(PMU_AUX_OUTPUT, EOPNOTSUPP, open_event(EVENT(.aux_output = 1), 0, -1, self->fd, 0));
	REFUSED(AUX_BOTH, EINVAL, open_self(EVENT(.aux_pause = 1, .aux_resume = 1)));
	if (msr < 0)
		SKIP(return, "needs the PMU msr");
	REFUSED(PMU_EXCLUDES, EINVAL,
		open_self(EVENT(.type = msr, .config = 0, .exclude_user = 1)));
	ASSERT_EQ(sizeof(refusal), explain(&refusal));
	EXPECT_STREQ("msr", refusal.pmu);
	REFUSED(PMU_SAMPLING, EINVAL,
		open_self(EVENT(.type = msr, .config = 0, .sample_period = 9)));
}

TEST_F(refused, breakpoints)
{
	__u64 kernel = pe_kernel_address(65536);
	int fd = open_self(BREAKPOINT(.exclude_kernel = 1)), more[64], i = 0;
	struct perf_refusal refusal;

	if (has_no_register(fd))
		SKIP(return, "no breakpoints here");
	ASSERT_LE(0, fd);
	REFUSED(BREAKPOINT, EINVAL, open_self(BREAKPOINT(.bp_len = 4097, .exclude_kernel = 1)));
#ifdef __aarch64__
	/* This architecture refuses all kernel breakpoints of tasks. */
	REFUSED(BREAKPOINT, EINVAL, open_self(BREAKPOINT(.bp_addr = kernel, .exclude_kernel = 1)));
#else
	REFUSED(BREAKPOINT_KERNEL, EINVAL,
		open_self(BREAKPOINT(.bp_addr = kernel, .exclude_kernel = 1)));
	ASSERT_EQ(sizeof(refusal), explain(&refusal));
	EXPECT_STREQ("attr.bp_addr", refusal.field);
	EXPECT_EQ(kernel, refusal.value);
#endif
	REFUSED(MODIFY_TYPE, EINVAL, ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, EVENT()));
	ASSERT_EQ(sizeof(refusal), explain(&refusal));
	EXPECT_EQ(PERF_TYPE_SOFTWARE, refusal.value);
	REFUSED(MODIFY_MORE, EINVAL,
		ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, BREAKPOINT(.read_format = 1)));
	REFUSED(MODIFY_PMU, EOPNOTSUPP,
		ioctl(self->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, EVENT()));
	while (i < 64 && (more[i] = open_self(BREAKPOINT(.exclude_kernel = 1))) >= 0)
		i++;
	EXPECT_TRUE(was_refused(-1, "BREAKPOINT_FULL", ENOSPC));
	while (i)
		close(more[--i]);
	close(fd);
}

/* A changed breakpoint needs a register of the other kind, if there are two kinds. */
TEST_F(refused, breakpoint_of_another_kind)
{
#define CODE()	BREAKPOINT(.bp_type = HW_BREAKPOINT_X, .bp_len = sizeof(long),	\
			   .bp_addr = (unsigned long)memset & ~3UL, .exclude_kernel = 1)
	int fd = open_self(BREAKPOINT(.exclude_kernel = 1)), more[64], i = 0;
	long result;

	if (has_no_register(fd))
		SKIP(return, "no breakpoints here");
	ASSERT_LE(0, fd);
	while (i < 64 && (more[i] = open_self(CODE())) >= 0)
		i++;
	EXPECT_TRUE(i || has_no_register(more[0]));
	result = i ? ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, CODE()) : 0;
	if (result)
		REFUSED(BREAKPOINT_FULL, ENOSPC, result);
	while (i)
		close(more[--i]);
	close(fd);
#undef CODE
	if (!result)
		SKIP(return, "any register watches data and code, or none watches code");
}

TEST_F(refused, output)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *a, *b;

	REFUSED(OUTPUT_FD, EBADF, ioctl(self->fd, PERF_EVENT_IOC_SET_OUTPUT, self->other));
	REFUSED(OUTPUT_SELF, EINVAL, ioctl(self->fd, PERF_EVENT_IOC_SET_OUTPUT, self->fd));
	REFUSED(OUTPUT_NO_BUFFER, EINVAL,
		ioctl(self->fd, PERF_EVENT_IOC_SET_OUTPUT, self->samples));
	a = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, 0);
	b = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, self->samples, 0);
	ASSERT_NE(MAP_FAILED, a);
	ASSERT_NE(MAP_FAILED, b);
	REFUSED(OUTPUT_MAPPED, EINVAL, ioctl(self->fd, PERF_EVENT_IOC_SET_OUTPUT, self->samples));
	munmap(a, 2 * page);
	munmap(b, 2 * page);
}

/* Pairs of events that cannot share a buffer, by ioctl(2) and by perf_event_open(2) */
TEST_F(refused, output_of_unequal_events)
{
	const int flags = PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP;
	int fd = open_event(EVENT(), 0, 0, -1, 0);

	ASSERT_LE(0, fd);
	REFUSED(OUTPUT_TARGET, EINVAL, ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, self->fd));
	close(fd);
	fd = open_self(EVENT(.use_clockid = 1, .clockid = CLOCK_MONOTONIC));
	ASSERT_LE(0, fd);
	REFUSED(OUTPUT_CLOCK, EINVAL, ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, self->fd));
	close(fd);
	REFUSED(OUTPUT_BACKWARD, EINVAL,
		open_event(EVENT(.write_backward = 1), 0, -1, self->fd, flags));
}

TEST_F(refused, ioctls)
{
	static __u32 newer[1000] = { 4000, [999] = 1 };
	struct perf_event_state_info fields = { .size = 16, .flags = 1 };
	struct perf_event_state_info no_copy = { .size = 12, .tid = -7 };
	int freq = open_self(EVENT(.freq = 1, .sample_freq = 100));

	ASSERT_LE(0, freq);
	REFUSED(IOCTL_UNKNOWN, ENOTTY, ioctl(self->fd, _IO('$', 77), 0));
	REFUSED(STATE_SIZE, EINVAL, ioctl(self->fd, PERF_EVENT_IOC_STATE, &(__u32){ 4 }));
	REFUSED(STATE_FIELDS, EINVAL, ioctl(self->fd, PERF_EVENT_IOC_STATE, &fields));
	REFUSED(STATE_NEWER, E2BIG, ioctl(self->fd, PERF_EVENT_IOC_STATE, newer));
	REFUSED(STATE_NO_COPY, ESRCH, ioctl(self->fd, PERF_EVENT_IOC_STATE, &no_copy));
	REFUSED(REFRESH_UNFIT, EINVAL, ioctl(self->fd, PERF_EVENT_IOC_REFRESH, 1));
	REFUSED(PERIOD_COUNTING, EINVAL, ioctl(self->fd, PERF_EVENT_IOC_PERIOD, &(__u64){ 1 }));
	REFUSED(PERIOD_ZERO, EINVAL, ioctl(self->samples, PERF_EVENT_IOC_PERIOD, &(__u64){ 0 }));
	REFUSED(PERIOD_LONG, EINVAL,
		ioctl(self->samples, PERF_EVENT_IOC_PERIOD, &(__u64){ 1ULL << 63 }));
	REFUSED(PERIOD_FREQ, EINVAL,
		ioctl(freq, PERF_EVENT_IOC_PERIOD, &(__u64){ 1 << 30 }));
	REFUSED(BAD_ADDRESS, EFAULT, ioctl(self->samples, PERF_EVENT_IOC_PERIOD, 8));
	REFUSED(FILTER_NONE, EINVAL, ioctl(self->fd, PERF_EVENT_IOC_SET_FILTER, "cpu == 0"));
	REFUSED(BPF_FD, EBADF, ioctl(self->samples, PERF_EVENT_IOC_SET_BPF, -1));
	REFUSED(PAUSE_NO_BUFFER, EINVAL, ioctl(self->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	close(freq);
}

static long map(int fd, size_t length, int flags, off_t offset)
{
	void *p = mmap(NULL, length, PROT_READ | PROT_WRITE, flags, fd, offset);

	return p == MAP_FAILED ? -1 : 0;
}

TEST_F(refused, mappings)
{
	size_t page = sysconf(_SC_PAGESIZE);
	int inherited = open_self(EVENT(.inherit = 1));
	struct perf_event_mmap_page *first;

	ASSERT_LE(0, inherited);
	REFUSED(MMAP_INHERIT, EINVAL, map(inherited, 2 * page, MAP_SHARED, 0));
	REFUSED(MMAP_PRIVATE, EINVAL, map(self->fd, 2 * page, MAP_PRIVATE, 0));
	REFUSED(MMAP_SIZE, EINVAL, map(self->fd, 4 * page, MAP_SHARED, 0));
	REFUSED(MMAP_AUX_FIRST, EINVAL, map(self->fd, 2 * page, MAP_SHARED, 2 * page));
	first = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, first);
	REFUSED(MMAP_OTHER_SIZE, EINVAL, map(self->fd, 3 * page, MAP_SHARED, 0));
	REFUSED(MMAP_AUX_PLACE, EINVAL, map(self->fd, 2 * page, MAP_SHARED, 8 * page));
	first->aux_offset = 8 * page;
	first->aux_size = 2 * page;
	REFUSED(MMAP_AUX_PMU, EOPNOTSUPP, map(self->fd, 2 * page, MAP_SHARED, 8 * page));
	munmap(first, 2 * page);
	close(inherited);
}

static int map_too_much(void *unused)
{
	int fd = open_self(EVENT(.exclude_kernel = 1));

	return was_refused(map(fd, (1 + 4096) * sysconf(_SC_PAGESIZE), MAP_SHARED, 0),
			   "MMAP_LIMIT", EPERM) ? 0 : -EPERM;
}

TEST_F(refused, locked_memory)
{
	if (geteuid())
		SKIP(return, "needs root");
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, map_too_much, NULL));
}

TEST_F(refused, splices)
{
	size_t page = sysconf(_SC_PAGESIZE);
	int pipes[2];
	void *p;

	ASSERT_EQ(0, pipe(pipes));
	REFUSED(SPLICE_NO_BUFFER, EINVAL, splice(self->fd, NULL, pipes[1], NULL, page, 0));
	p = mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	REFUSED(SPLICE_OVERWRITE, EINVAL, splice(self->fd, NULL, pipes[1], NULL, page, 0));
	munmap(p, 2 * page);
	close(pipes[0]);
	close(pipes[1]);
}

TEST_HARNESS_MAIN
