// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2): which users may open which events, at which level, for which target: every
 * combination, compared with the rules below. Level 3 is an extension of some distributions.
 */
#include <errno.h>
#include <limits.h>
#include <linux/hw_breakpoint.h>
#include <string.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_sim.h"
#include "pe_trace.h"

#define HIGHEST		4

/* An address of the kernel without code or data */
#define KERNEL_ADDRESS	pe_kernel_address(65536)

static __u64 data;

static __attribute__((noipa)) int probed(int x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

/* Targets: the tasks or the CPU that events are opened on */

enum target { ITSELF, SAME_USER, OTHER_USER, ROOT, WHOLE_CPU, NR_TARGETS };

static const char * const target_names[] = {
	"itself", "a task of the same user", "a task of another user", "a task of root", "a CPU",
};

/* Sources: the kinds of events */

enum source {
	SOFTWARE, TRACEPOINT, TRACEPOINT_RAW, SYSCALL_RAW, KPROBE, UPROBE, USER_BREAKPOINT,
	KERNEL_BREAKPOINT, SIM, NR_SOURCES,
};

static const char * const source_names[] = {
	"software", "tracepoint", "raw tracepoint", "raw system call", "kprobe", "uprobe",
	"breakpoint in user memory", "breakpoint in kernel memory", "simulated PMU",
};

static int fill_breakpoint(struct perf_event_attr *a, __u64 addr)
{
	*a = pe_attr(0);
	a->type = PERF_TYPE_BREAKPOINT;
	a->bp_type = HW_BREAKPOINT_W;
	a->bp_addr = addr;
	a->bp_len = 1;
	return 0;
}

static int fill_raw(struct perf_event_attr *a, const char *name)
{
	int err = pe_tracepoint(a, name);

	a->sample_type = PERF_SAMPLE_RAW;
	a->sample_period = 1;
	return err;
}

static int fill_probe(struct perf_event_attr *a, const char *pmu)
{
	int err = pe_probe(a, pmu);

	if (*pmu == 'k') {
		a->kprobe_func = (unsigned long)PE_SYSCALL_FUNC("getppid");
	} else {
		a->uprobe_path = (unsigned long)"/proc/self/exe";
		a->probe_offset = pe_file_offset(probed);
	}
	return err;
}

static int fill(struct perf_event_attr *a, enum source source)
{
	switch (source) {
	case TRACEPOINT:
		return pe_tracepoint(a, "sched/sched_switch");
	case TRACEPOINT_RAW:
		return fill_raw(a, "sched/sched_switch");
	case SYSCALL_RAW:
		return fill_raw(a, "syscalls/sys_enter_getppid");
	case KPROBE:
		return fill_probe(a, "kprobe");
	case UPROBE:
		return fill_probe(a, "uprobe");
	case USER_BREAKPOINT:
		return fill_breakpoint(a, (unsigned long)&data);
	case KERNEL_BREAKPOINT:
		return fill_breakpoint(a, KERNEL_ADDRESS);
	case SIM:
		*a = pe_sim_attr();
		return pe_sim_type() < 0 ? -ENOENT : 0;
	default:
		*a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
		return 0;
	}
}

/* Users that open the events */

static const struct {
	const char *name;
	__u64 caps;
} users[] = {
	{ "nobody", 0 },
	{ "CAP_PERFMON", PE_CAP(CAP_PERFMON) },
	{ "CAP_SYS_PTRACE", PE_CAP(CAP_SYS_PTRACE) },
	{ "CAP_SYS_ADMIN", PE_CAP(CAP_SYS_ADMIN) },
};

/**
 * struct question - may it be opened?
 * @level: perf_event_paranoid
 * @caps: capabilities of the user
 * @target: task or CPU of the event
 * @source: source of the event
 * @user_only: the event excludes the kernel
 */
struct question {
	int level;
	__u64 caps;
	enum target target;
	enum source source;
	bool user_only;
};

/*
 * The rules in the order of the kernel's checks: the level and the kernel, the kind of event, the
 * target.
 */
static int rule(const struct question *q)
{
	bool admin = q->caps & PE_CAP(CAP_SYS_ADMIN);
	bool perfmon = admin || q->caps & PE_CAP(CAP_PERFMON);
	bool ptrace = q->caps & PE_CAP(CAP_SYS_PTRACE);

	if (q->level > 2 && !admin)
		return -EACCES;
	if (!q->user_only && q->level > 1 && !perfmon)
		return -EACCES;

	switch (q->source) {
	case SYSCALL_RAW:
	case TRACEPOINT_RAW:
		/*
		 * A user with permission for the task may read the arguments of its system calls.
		 */
		if (q->source == SYSCALL_RAW && q->target != WHOLE_CPU)
			break;
		if (q->level > -1 && !perfmon)
			return -EPERM;
		break;
	case KPROBE:
		if (!perfmon)
			return -EACCES;
		break;
	case UPROBE:
		if (!admin)
			return -EACCES;
		break;
	case KERNEL_BREAKPOINT:
		if (q->user_only)
			return -EINVAL;
		if (!admin)
			return -EPERM;
		break;
	case SIM:
		/* The source cannot exclude the kernel. */
		if (q->user_only)
			return -EINVAL;
		break;
	default:
		break;
	}

	switch (q->target) {
	case OTHER_USER:
	case ROOT:
		return perfmon || ptrace ? 0 : -EACCES;
	case WHOLE_CPU:
		return q->level > 0 && !perfmon ? -EACCES : 0;
	default:
		return 0;
	}
}

/**
 * struct table - a level and a user's part of the table
 * @q: the question; level and caps are those of the table
 * @pids: process ids of the targets
 * @attrs: attributes of the sources
 * @absent: sources that the machine does not have
 * @metadata: of the test
 */
struct table {
	struct question q;
	pid_t pids[NR_TARGETS];
	struct perf_event_attr attrs[NR_SOURCES];
	bool absent[NR_SOURCES];
	struct __test_metadata *metadata;
};

/* Does the close of an event of this source wait for grace periods? */
static bool is_slow(enum source source)
{
	return source == KPROBE || source == UPROBE;
}

/* Try one open. Return: whether the result matches the rules. */
static bool ask_one(struct table *t)
{
	struct __test_metadata *_metadata = t->metadata;
	struct question *q = &t->q;
	struct perf_event_attr a = t->attrs[q->source];
	int want = rule(q), got;

	a.exclude_kernel = q->user_only;
	a.disabled = 1;
	got = pe_try(&a, t->pids[q->target], q->target == WHOLE_CPU ? 0 : -1, -1, 0);
	if (got != want)
		TH_LOG("%s%s of %s: %s, not %s", source_names[q->source],
		       q->user_only ? " without the kernel" : "", target_names[q->target],
		       strerror(-got), strerror(-want));
	return got == want;
}

/* Runs as the user. Return: minus the number of wrong results. */
static int ask(void *arg)
{
	struct table *t = arg;
	struct question *q = &t->q;
	int wrong = 0, i;

	for (q->target = 0; q->target < NR_TARGETS; q->target++) {
		for (q->source = 0; q->source < NR_SOURCES; q->source++) {
			/*
			 * Probes are slow to close, and the task makes no difference for them: skip
			 * other tasks.
			 */
			if (t->absent[q->source] ||
			    (is_slow(q->source) && (q->target == SAME_USER || q->target == ROOT)))
				continue;
			for (i = 0; i < 2; i++) {
				q->user_only = i;
				wrong += !ask_one(t);
			}
		}
	}
	return -(wrong < 100 ? wrong : 100);
}

FIXTURE(table) {
	struct table t;
	int keep[NR_SOURCES];
	struct pe_child same, other, root;
	long was;
};

static int start_as(struct pe_child *c, uid_t uid)
{
	int err = pe_child_start(c);

	if (!err)
		err = pe_child_do(c, PE_SETUID, uid);
	return err ?: pe_child_do(c, PE_DUMPABLE, 1);
}

FIXTURE_SETUP(table)
{
	struct table *t = &self->t;
	enum source source;

	if (geteuid())
		SKIP(return, "needs root");
	t->metadata = _metadata;
	self->was = pe_get(PE_PARANOID);
	ASSERT_NE(LONG_MIN, self->was);
	for (source = 0; source < NR_SOURCES; source++) {
		t->absent[source] = fill(&t->attrs[source], source) ||
				    pe_try(&t->attrs[source], 0, -1, -1, 0);
		if (t->absent[source])
			TH_LOG("not here: %s", source_names[source]);
		/* An open event of a tracepoint makes the close of others fast. */
		self->keep[source] = -1;
		if (source >= TRACEPOINT && source <= SYSCALL_RAW)
			self->keep[source] = pe_open(&t->attrs[source], 0, -1, -1, 0);
	}
	ASSERT_FALSE(t->absent[SOFTWARE]);
	ASSERT_EQ(0, start_as(&self->same, PE_UID));
	ASSERT_EQ(0, start_as(&self->other, PE_OTHER_UID));
	ASSERT_EQ(0, pe_child_start(&self->root));
	t->pids[SAME_USER] = self->same.pid;
	t->pids[OTHER_USER] = self->other.pid;
	t->pids[ROOT] = self->root.pid;
	t->pids[WHOLE_CPU] = -1;
}

FIXTURE_TEARDOWN(table)
{
	enum source source;

	pe_set(PE_PARANOID, self->was);
	for (source = 0; source < NR_SOURCES; source++)
		close(self->keep[source]);
	pe_child_end(&self->same);
	pe_child_end(&self->other);
	pe_child_end(&self->root);
}

static int try_dummy(void *arg)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);

	a.exclude_kernel = 1;
	return pe_try(&a, 0, -1, -1, 0);
}

TEST_F(table, of_everything)
{
	unsigned int user;
	int level;

	for (level = -1; level <= HIGHEST; level++) {
		ASSERT_EQ(0, pe_set(PE_PARANOID, level));
		self->t.q.level = level;
		/* A kernel without level 3 treats it like level 2. */
		if (level > 2 && !pe_run_as(PE_UID, 0, try_dummy, NULL))
			self->t.q.level = 2;
		for (user = 0; user < PE_ARRAY_SIZE(users); user++) {
			self->t.q.caps = users[user].caps;
			EXPECT_EQ(0, pe_run_as(PE_UID, users[user].caps, ask, &self->t))
				TH_LOG("level %d, %s", level, users[user].name);
		}
	}
}

/* With all capabilities every valid event can be opened, and no invalid one. */
TEST_F(table, of_root)
{
	int level;

	self->t.q.caps = ~0ULL;
	for (level = -1; level <= HIGHEST; level++) {
		ASSERT_EQ(0, pe_set(PE_PARANOID, level));
		self->t.q.level = level;
		EXPECT_EQ(0, ask(&self->t));
	}
}

TEST_HARNESS_MAIN
