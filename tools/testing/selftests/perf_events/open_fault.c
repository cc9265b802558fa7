// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2) under memory fault injection: for each kind of event each allocation fails in
 * turn. The call must return an error, leave no file and no change, and succeed when it is
 * repeated.
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_inject.h"
#include "pe_sample.h"
#include "pe_sim.h"
#include "pe_trace.h"

#define MAX_SLOTS	16
#define MAX_STACK	PE_SYSCTL "perf_event_max_stack"
#define KPROBES		"/sys/kernel/debug/kprobes/list"

static __u64 data[8];

static __attribute__((noipa)) int probed(int x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

/**
 * struct opening - arguments of perf_event_open(2)
 * @attr: the attribute; the other fields are the other arguments
 * @child: the child whose pid is @pid, if any
 */
struct opening {
	struct perf_event_attr attr;
	pid_t pid;
	int cpu, group;
	unsigned long flags;
	struct pe_child child;
};

static int open_it(void *arg)
{
	struct opening *o = arg;

	return pe_open(&o->attr, o->pid, o->cpu, o->group, o->flags);
}

static void close_it(void *arg, int fd)
{
	close(fd);
}

FIXTURE(open) {
	struct opening o;
	struct pe_trial t;
	const char *wrong;
};

FIXTURE_SETUP(open)
{
	if (geteuid() || pe_inject_start())
		SKIP(return, "needs root, CONFIG_FAILSLAB and CONFIG_FAIL_PAGE_ALLOC");
	self->o = (struct opening) { pe_attr(PERF_COUNT_SW_PAGE_FAULTS), 0, -1, -1, 0 };
	self->t = (struct pe_trial) { open_it, close_it, NULL, &self->o };
}

FIXTURE_TEARDOWN(open)
{
	pe_inject_end();
}

static void expect_borne(struct __test_metadata *_metadata, struct _test_data_open *self, int line)
{
	self->wrong = pe_inject(&self->t);
	EXPECT_EQ(NULL, self->wrong)
		TH_LOG("the open in line %d %s: %s", line, self->wrong,
		       strerror(-self->t.err));
	EXPECT_NE(0, self->t.failed);
}

#define EXPECT_BORNE(self) expect_borne(_metadata, self, __LINE__)

TEST_F(open, of_a_task)
{
	EXPECT_BORNE(self);
	self->o.cpu = 0;
	EXPECT_BORNE(self);
}

/*
 * The first event of a task allocates the task's context, which stays: continue with another task.
 */
static void close_and_renew(void *arg, int fd)
{
	struct opening *o = arg;

	close(fd);
	pe_child_end(&o->child);
	o->pid = pe_child_start(&o->child) ? -1 : o->child.pid;
}

TEST_F(open, of_another_task)
{
	struct opening *o = &self->o;

	ASSERT_EQ(0, pe_child_start(&o->child));
	o->pid = o->child.pid;
	EXPECT_BORNE(self);
	self->t.undo = close_and_renew;
	EXPECT_BORNE(self);
	pe_child_end(&o->child);
}

TEST_F(open, of_a_cpu)
{
	self->o.pid = -1;
	self->o.cpu = 0;
	EXPECT_BORNE(self);
}

TEST_F(open, clocks)
{
	self->o.attr = pe_attr(PERF_COUNT_SW_TASK_CLOCK);
	EXPECT_BORNE(self);
	self->o.attr.sample_period = 1000000000;
	EXPECT_BORNE(self);
	self->o.attr.config = PERF_COUNT_SW_CPU_CLOCK;
	EXPECT_BORNE(self);
}

TEST_F(open, samples_of_everything)
{
	long depth = pe_get(MAX_STACK);
	int tries;

	self->o.attr.sample_period = 1000000;
	self->o.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
				   PERF_SAMPLE_TIME | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_READ;
	self->o.attr.sample_stack_user = 1024;
	EXPECT_BORNE(self);
	/*
	 * The maximum depth of call chains is fixed while an event uses them. The last use ends
	 * after a grace period.
	 */
	for (tries = 0; tries < 18000 && pe_set(MAX_STACK, depth + 1) == -EBUSY; tries++)
		pe_sleep_ms(10);
	EXPECT_EQ(0, pe_set(MAX_STACK, depth + 1));
	EXPECT_EQ(0, pe_set(MAX_STACK, depth));
}

TEST_F(open, records_of_everything)
{
	struct perf_event_attr *a = &self->o.attr;

	a->config = PERF_COUNT_SW_DUMMY;
	a->mmap = 1;
	a->mmap2 = 1;
	a->mmap_data = 1;
	a->comm = 1;
	a->task = 1;
	a->context_switch = 1;
	a->namespaces = 1;
	a->ksymbol = 1;
	a->bpf_event = 1;
	a->text_poke = 1;
	a->cgroup = 1;
	a->sample_id_all = 1;
	EXPECT_BORNE(self);
	self->o.pid = -1;
	self->o.cpu = 0;
	EXPECT_BORNE(self);
}

TEST_F(open, inherited)
{
	self->o.attr.inherit = 1;
	EXPECT_BORNE(self);
	self->o.attr.sample_period = 1000000;
	EXPECT_BORNE(self);
}

TEST_F(open, signals)
{
	self->o.attr.sigtrap = 1;
	self->o.attr.remove_on_exec = 1;
	self->o.attr.sample_period = 1000000;
	EXPECT_BORNE(self);
}

/* A group without the member that failed to open is unchanged. */
static bool is_alone(void *arg)
{
	struct opening *o = arg;
	__u64 values[8];

	return read(o->group, values, sizeof(values)) == 16 && values[0] == 1;
}

TEST_F(open, member_of_a_group)
{
	struct perf_event_attr leader = pe_attr(PERF_COUNT_SW_DUMMY);
	struct pe_ring ring;

	leader.read_format = PERF_FORMAT_GROUP;
	self->o.group = pe_self(&leader);
	ASSERT_LE(0, self->o.group);
	self->t.unchanged = is_alone;
	EXPECT_BORNE(self);
	ASSERT_EQ(0, pe_ring_map(&ring, self->o.group, 1));
	/* For a counting event the cold part is allocated after the leader is known. */
	self->o.flags = PERF_FLAG_FD_OUTPUT;
	EXPECT_BORNE(self);
	self->o.attr.sample_period = 1000000;
	EXPECT_BORNE(self);
	pe_ring_unmap(&ring);
	self->o.flags = 0;
	EXPECT_BORNE(self);
	/* A member that moves the group to a hardware PMU. */
	if (pe_sim_type() >= 0) {
		self->o.attr = pe_sim_attr();
		self->o.flags = 0;
		EXPECT_BORNE(self);
	}
	close(self->o.group);
}

TEST_F(open, simulated_hardware)
{
	int fds[PE_SIM_COUNTERS], i;

	if (pe_sim_type() < 0)
		SKIP(return, "no simulated PMU");
	self->o.attr = pe_sim_attr();
	EXPECT_BORNE(self);
	self->o.attr.sample_period = 1000000;
	EXPECT_BORNE(self);
	/* All counters are free, so a pinned event must find one. */
	self->o.attr.pinned = 1;
	for (i = 0; i < PE_SIM_COUNTERS; i++) {
		fds[i] = open_it(&self->o);
		ASSERT_LE(0, fds[i]);
	}
	ASSERT_EQ(0, pe_sim_advance(3));
	for (i = 0; i < PE_SIM_COUNTERS; i++) {
		EXPECT_EQ(3, pe_count(fds[i]));
		close(fds[i]);
	}
}

TEST_F(open, trace_unit)
{
	int type = pe_sim_trace_type();

	if (type < 0)
		SKIP(return, "no simulated trace unit");
	self->o.attr = pe_attr_off(0);
	self->o.attr.type = type;
	/*
	 * Either events of tasks or events of CPUs use the unit. A reservation of a failed open
	 * would exclude the other kind.
	 */
	EXPECT_BORNE(self);
	self->o.pid = -1;
	self->o.cpu = 0;
	EXPECT_BORNE(self);
	self->o.pid = 0;
	EXPECT_EQ(0, pe_try(&self->o.attr, 0, 0, -1, 0));
}

TEST_F(open, tracepoint)
{
	if (pe_tracepoint(&self->o.attr, "syscalls/sys_enter_getppid"))
		SKIP(return, "no tracepoints");
	EXPECT_BORNE(self);
	self->o.attr.sample_period = 1;
	self->o.attr.sample_type = PERF_SAMPLE_RAW;
	EXPECT_BORNE(self);
	/* With another event of the kind open, most objects are already allocated. */
	self->o.group = open_it(&self->o);
	ASSERT_LE(0, self->o.group);
	EXPECT_BORNE(self);
	close(self->o.group);
	self->o.group = -1;
	ASSERT_EQ(0, pe_tracepoint(&self->o.attr, "sched/sched_switch"));
	EXPECT_BORNE(self);
}

static int lines(const char *path)
{
	FILE *f = fopen(path, "r");
	int n = 0, c;

	if (!f)
		return -1;
	while ((c = fgetc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

TEST_F(open, kprobe)
{
	int before = lines(KPROBES);

	if (pe_probe(&self->o.attr, "kprobe"))
		SKIP(return, "no kprobe PMU");
	self->o.attr.kprobe_func = (unsigned long)PE_SYSCALL_FUNC("getppid");
	EXPECT_BORNE(self);
	self->o.attr.config = 1;
	EXPECT_BORNE(self);
	EXPECT_EQ(before, lines(KPROBES));
}

TEST_F(open, uprobe)
{
	int fd;

	if (pe_probe(&self->o.attr, "uprobe"))
		SKIP(return, "no uprobe PMU");
	self->o.attr.uprobe_path = (unsigned long)"/proc/self/exe";
	self->o.attr.probe_offset = pe_file_offset(probed);
	probed(1);
	EXPECT_BORNE(self);
	self->o.attr.config = 1;
	EXPECT_BORNE(self);
	fd = open_it(&self->o);
	probed(1);
	EXPECT_EQ(1, pe_count(fd));
	close(fd);
}

TEST_F(open, breakpoint)
{
	int fds[MAX_SLOTS], before, after, err, fd;
	struct opening *o = &self->o;

	o->attr = pe_attr(0);
	o->attr.type = PERF_TYPE_BREAKPOINT;
	o->attr.bp_type = HW_BREAKPOINT_W;
	o->attr.bp_len = sizeof(long);
	o->attr.bp_addr = (unsigned long)data;
	o->attr.exclude_kernel = 1;
	for (before = 0; before < MAX_SLOTS; before++) {
		fds[before] = open_it(o);
		if (fds[before] < 0)
			break;
	}
	err = before < MAX_SLOTS ? fds[before] : 0;
	for (fd = 0; fd < before; fd++)
		close(fds[fd]);
	if (!before && pe_no_breakpoint(err))
		SKIP(return, "no breakpoints");
	ASSERT_LT(0, before);
	EXPECT_EQ(before < MAX_SLOTS ? -ENOSPC : 0, err);
	EXPECT_BORNE(self);
	o->pid = -1;
	o->cpu = 0;
	EXPECT_BORNE(self);
	o->pid = 0;
	o->cpu = -1;
	for (after = 0; after < MAX_SLOTS; after++) {
		fds[after] = open_it(o);
		if (fds[after] < 0)
			break;
	}
	EXPECT_EQ(before, after);
	for (fd = 0; fd < after; fd++)
		close(fds[fd]);
}

TEST_F(open, cgroup)
{
	int dir = pe_cgroup_make("pe_inject");

	if (dir < 0)
		SKIP(return, "no cgroups");
	self->o.pid = dir;
	self->o.cpu = 0;
	self->o.flags = PERF_FLAG_PID_CGROUP;
	EXPECT_BORNE(self);
	if (pe_sim_type() >= 0) {
		self->o.attr = pe_sim_attr();
		EXPECT_BORNE(self);
	}
	close(dir);
	/* No event holds the cgroup any more. */
	EXPECT_EQ(0, pe_cgroup_remove("pe_inject"));
}

/* This test is the last: it finds leaks of all tests before it. */
TEST_F(open, loses_nothing)
{
	int leaks = pe_leaks();

	if (leaks == -ENOENT)
		SKIP(return, "needs CONFIG_DEBUG_KMEMLEAK");
	EXPECT_EQ(0, leaks);
}

TEST_HARNESS_MAIN
