// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints: counts, raw samples, filters, the task for which they count, and permissions.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_sample.h"
#include "pe_sim.h"
#include "pe_trace.h"

FIXTURE(tracepoint)
{
	struct perf_event_attr attr;
};

FIXTURE_SETUP(tracepoint)
{
	if (pe_tracepoint(&self->attr, pe_call_name()))
		SKIP(return, "no tracepoints of system calls");
}

FIXTURE_TEARDOWN(tracepoint)
{
}

TEST_F(tracepoint, exact)
{
	int fd = pe_self(&self->attr);

	ASSERT_LE(0, fd);
	pe_call(100);
	EXPECT_EQ(100, pe_count(fd));
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	pe_call(10);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	pe_call(1);
	EXPECT_EQ(101, pe_count(fd));
	close(fd);
}

TEST_F(tracepoint, no_such)
{
	struct perf_event_attr a = self->attr;

	a.config = 0xffff;
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, -1, 0));
	a.config = self->attr.config | 1ULL << 32;
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, -1, 0));
	a = self->attr;
	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_BRANCH_STACK;
	a.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	EXPECT_EQ(-EOPNOTSUPP, pe_try(&a, 0, -1, -1, 0));
}

TEST_F(tracepoint, of_a_cpu)
{
	int fds[64], n = pe_cpu_count(), i;
	uint64_t sum = 0;
	pid_t pid;

	if (n > 64)
		n = 64;
	for (i = 0; i < n; i++) {
		fds[i] = pe_open(&self->attr, -1, i, -1, 0);
		ASSERT_LE(0, fds[i]);
	}
	for (i = 0; i < 10; i++) {
		pid = fork();
		if (!pid) {
			pe_call(10);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	for (i = 0; i < n; i++) {
		sum += pe_count(fds[i]);
		close(fds[i]);
	}
	EXPECT_LE(100, sum);
}

TEST_F(tracepoint, inherit)
{
	struct perf_event_attr a = self->attr;
	int fd, i;

	a.inherit = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	for (i = 0; i < 10; i++) {
		pid_t pid = fork();

		if (!pid) {
			pe_call(10);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	EXPECT_EQ(100, pe_count(fd));
	close(fd);
}

/* The mode is that of the record's registers: user mode, for a system call. */
TEST_F(tracepoint, exclude)
{
	struct perf_event_attr a = self->attr;
	int fd;

	a.exclude_kernel = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	pe_call(10);
	/* The other tracepoint is an ordinary one. */
	EXPECT_EQ(pe_compat() ? 0 : 10, pe_count(fd));
	close(fd);

	ASSERT_EQ(0, pe_tracepoint(&a, "sched/sched_process_exit"));
	a.exclude_kernel = 1;
	a.inherit = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	if (!fork())
		_exit(0);
	wait(NULL);
	EXPECT_EQ(0, pe_count(fd));
	close(fd);
}

TEST_F(tracepoint, raw)
{
	struct perf_event_attr a = self->attr;
	struct pe_record rec;
	struct pe_sample s;
	struct pe_ring ring;
	unsigned short type;
	int fd, i, pid;
	char *raw;

	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_RAW;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 4));
	pe_call(20);
	for (i = 0; pe_ring_find(&ring, &rec, PERF_RECORD_SAMPLE) > 0; i++) {
		ASSERT_EQ(0, pe_sample_parse(&a, &rec, &s));
		/* u16 type, u8 flags, u8 preempt count, int pid; int nr, or pid */
		raw = rec.body + 8 + 4;
		memcpy(&type, raw, sizeof(type));
		memcpy(&pid, raw + 4, sizeof(pid));
		EXPECT_EQ(a.config, type);
		EXPECT_EQ(gettid(), pid);
		memcpy(&pid, raw + 8, sizeof(pid));
		EXPECT_EQ(pe_compat() ? gettid() : __NR_getppid, pid);
		EXPECT_EQ(0, (s.raw_size + 4) % 8);
	}
	EXPECT_EQ(20, i);
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_F(tracepoint, period)
{
	struct perf_event_attr a = self->attr;
	struct pe_ring ring;
	int fd;

	a.sample_period = 7;
	a.sample_type = PERF_SAMPLE_TID;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 4));
	pe_call(70);
	EXPECT_EQ(70, pe_count(fd));
	EXPECT_EQ(10, pe_ring_drop(&ring, PERF_RECORD_SAMPLE));
	pe_ring_unmap(&ring);
	close(fd);
}

/*
 * A tracepoint with a number that the program chooses: close(2) with the file descriptor 1000 + n.
 * If 32-bit programs are ignored there: the change of oom_score_adj to 100 + n.
 */
#define CLOSE		(pe_compat() ? "oom/oom_score_adj_update" : "syscalls/sys_enter_close")
#define FILTER_SIZE	64

static void pass(int n)
{
	if (pe_compat())
		pe_set("/proc/self/oom_score_adj", 100 + n);
	else
		close(1000 + n);
}

/* A filter on that number: @op is "==" or the like, @more is the rest of the filter. */
static unsigned long filter(char *text, const char *op, int n, const char *more)
{
	if (pe_compat())
		snprintf(text, FILTER_SIZE, "oom_score_adj %s %d%s", op, 100 + n, more);
	else
		snprintf(text, FILTER_SIZE, "fd %s %d%s", op, 1000 + n, more);
	return (unsigned long)text;
}

TEST_F(tracepoint, filter)
{
	char text[FILTER_SIZE], more[32];
	struct perf_event_attr a;
	int fd;

	ASSERT_EQ(0, pe_tracepoint(&a, CLOSE));
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EFAULT, pe_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, 8));
	EXPECT_EQ(-EINVAL, pe_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)"common_pid =="));
	EXPECT_EQ(-EINVAL, pe_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)"nothing == 1"));
	pass(0);
	EXPECT_EQ(1, pe_count(fd));
	snprintf(more, sizeof(more), " && common_pid == %d", gettid());
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter(text, ">", 0, more)));
	pass(0);
	pass(1);
	pass(2);
	EXPECT_EQ(3, pe_count(fd));
	EXPECT_EQ(-EEXIST, pe_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)text));
	close(fd);
}

/* Inherited events have the filter of their parent, even if that is set later. */
TEST_F(tracepoint, filter_inherited)
{
	char text[FILTER_SIZE], c;
	struct perf_event_attr a;
	int fd, go[2], done[2];
	pid_t pid;

	ASSERT_EQ(0, pe_tracepoint(&a, CLOSE));
	a.inherit = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(done));
	pid = fork();
	if (!pid) {
		pass(0);
		if (write(done[1], "", 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(1);
		pass(0);
		pass(1);
		_exit(0);
	}
	ASSERT_EQ(1, read(done[0], &c, 1));
	EXPECT_EQ(1, pe_count(fd));
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter(text, "==", 1, "")));
	ASSERT_EQ(1, write(go[1], "", 1));
	waitpid(pid, NULL, 0);
	EXPECT_EQ(2, pe_count(fd));
	close(fd);
}

TEST_F(tracepoint, filter_of_others)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);
	int fd = pe_self(&a);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, pe_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)"fd == 1"));
	EXPECT_EQ(-EFAULT, pe_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, 8));
	close(fd);
}

/* A wakeup counts for the woken task, in events of that task. */
TEST_F(tracepoint, about_another_task)
{
	struct perf_event_attr a;
	struct pe_child c;
	int off, any, his, i;
	char text[32];

	if (pe_tracepoint(&a, "sched/sched_wakeup"))
		SKIP(return, "no tracepoints of the scheduler");
	ASSERT_EQ(0, pe_child_start(&c));
	/* Only this task wakes the other one, on the CPU of the event, while it sleeps. */
	pe_move_to(0);
	ASSERT_EQ(0, pe_child_do(&c, PE_MOVE, 0));
	his = pe_open(&a, c.pid, 0, -1, 0);
	ASSERT_LE(0, his);
	snprintf(text, sizeof(text), "pid == %d", c.pid);
	EXPECT_EQ(0, pe_ioctl(his, PERF_EVENT_IOC_SET_FILTER, (unsigned long)text));
	any = pe_open(&a, c.pid, -1, -1, 0);
	ASSERT_LE(0, any);
	EXPECT_EQ(0, pe_ioctl(any, PERF_EVENT_IOC_SET_FILTER, (unsigned long)text));
	a.disabled = 1;
	off = pe_open(&a, c.pid, 0, -1, 0);
	ASSERT_LE(0, off);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, pe_child_rest(&c));
		EXPECT_EQ(0, pe_child_do(&c, PE_SPIN, 1));
	}
	EXPECT_LE(20, pe_count(his));
	/* An event on any CPU counts only occurrences in its task. */
	EXPECT_EQ(0, pe_count(any));
	/* 6.12 counts for disabled events, too. */
	if (getenv("PE_HARD"))
		EXPECT_EQ(0, pe_count(off));
	close(his);
	close(any);
	close(off);
	pe_child_end(&c);
}

/*
 * Registers and stack in a sample are those of the event's task, or are left
 * out.
 */
TEST_F(tracepoint, memory_of_another_task)
{
	struct perf_event_attr a;
	struct pe_ring ring;
	struct pe_sample s;
	struct pe_record *rec = malloc(sizeof(*rec));
	struct pe_child c;
	int fd, i, nr = 0;

	/* 6.12 writes the registers and the stack of the waker. */
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	if (pe_tracepoint(&a, "sched/sched_wakeup"))
		SKIP(return, "no tracepoints of the scheduler");
	ASSERT_EQ(0, pe_child_start(&c));
	pe_move_to(0);
	ASSERT_EQ(0, pe_child_do(&c, PE_MOVE, 0));
	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	a.sample_regs_user = 1;
	a.sample_stack_user = 1024;
	fd = pe_open(&a, c.pid, 0, -1, 0);
	if (fd == -EINVAL || fd == -EOPNOTSUPP)
		SKIP(return, "no registers in samples");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 16));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, pe_child_rest(&c));
		EXPECT_EQ(0, pe_child_do(&c, PE_SPIN, 1));
		while (pe_ring_find(&ring, rec, PERF_RECORD_SAMPLE) == 1) {
			ASSERT_EQ(0, pe_sample_parse(&a, rec, &s));
			if ((pid_t)s.pid == c.pid)
				continue;
			EXPECT_EQ(PERF_SAMPLE_REGS_ABI_NONE, s.user_abi);
			EXPECT_EQ(0, s.stack_size);
			nr++;
		}
	}
	EXPECT_LT(0, nr);
	pe_ring_unmap(&ring);
	close(fd);
	pe_child_end(&c);
	free(rec);
}

/*
 * An occurrence for a sleeping task uses up an overflow, too. Another group keeps this event's
 * group off, so no switch schedules the event out, which would disable it.
 */
TEST_F(tracepoint, refresh_about_another_task)
{
	struct perf_event_attr a, sim = pe_sim_attr();
	int only, leader, fd, i, round;
	struct pe_ring ring;
	struct pe_child c;
	char text[32];
	__u64 count, ran[2];

	if (pe_tracepoint(&a, "sched/sched_wakeup"))
		SKIP(return, "no tracepoints of the scheduler");
	if (geteuid() || pe_sim_type() < 0)
		SKIP(return, "needs root, and the simulated PMU");
	/* In 6.12 the event stays enabled. */
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	ASSERT_EQ(0, pe_child_start(&c));
	/* Only this task wakes the other one, on the CPU of the event, while it sleeps. */
	pe_move_to(0);
	ASSERT_EQ(0, pe_child_do(&c, PE_MOVE, 0));
	sim.pinned = 1;
	sim.exclusive = 1;
	only = pe_open(&sim, -1, 0, -1, 0);
	ASSERT_LE(0, only);
	sim.pinned = 0;
	sim.exclusive = 0;
	sim.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING;
	leader = pe_open(&sim, c.pid, 0, -1, 0);
	ASSERT_LE(0, leader);
	a.disabled = 1;
	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_TID;
	fd = pe_open(&a, c.pid, 0, leader, 0);
	ASSERT_LE(0, fd);
	snprintf(text, sizeof(text), "pid == %d", c.pid);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)text));
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 4));
	for (round = 0; round < 5; round++) {
		count = pe_count(fd);
		ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_REFRESH, 1));
		for (i = 0; i < 10; i++) {
			pe_sleep_ms(5);
			EXPECT_EQ(0, pe_child_do(&c, PE_SPIN, 1));
		}
		EXPECT_EQ(count + 1, pe_count(fd));
		EXPECT_EQ(1, pe_ring_drop(&ring, PERF_RECORD_SAMPLE));
	}
	ASSERT_EQ(sizeof(ran), read(leader, ran, sizeof(ran)));
	EXPECT_EQ(0, ran[1]);
	pe_ring_unmap(&ring);
	close(fd);
	close(leader);
	close(only);
	pe_child_end(&c);
}

/* A user may sample raw data of system calls of its own tasks. */
static int open_raw(void *arg)
{
	return pe_try(arg, 0, -1, -1, 0);
}

TEST_F(tracepoint, unprivileged)
{
	long level = pe_get(PE_PARANOID);
	struct perf_event_attr a, sched;

	ASSERT_EQ(0, pe_tracepoint(&a, "syscalls/sys_enter_getppid"));
	ASSERT_EQ(0, pe_tracepoint(&sched, "sched/sched_switch"));
	pe_set(PE_PARANOID, 1);
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, open_raw, &a));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, open_raw, &sched));
	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_RAW;
	sched.sample_period = 1;
	sched.sample_type = PERF_SAMPLE_RAW;
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, open_raw, &a));
	EXPECT_EQ(-EPERM, pe_run_as(PE_UID, 0, open_raw, &sched));
	EXPECT_EQ(0, pe_run_as(PE_UID, PE_CAP(CAP_PERFMON), open_raw, &sched));
	pe_set(PE_PARANOID, -1);
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, open_raw, &sched));
	pe_set(PE_PARANOID, level);
}

/* A group with software events, with either kind as the leader. */
TEST_F(tracepoint, group)
{
	struct perf_event_attr sw = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int tp, fault;

	pe_fault(1);
	pe_call(1);
	sw.exclude_kernel = 1;
	self->attr.disabled = 1;
	tp = pe_self(&self->attr);
	fault = pe_open(&sw, 0, -1, tp, 0);
	ASSERT_LE(0, tp);
	ASSERT_LE(0, fault);
	pe_fault(5);
	pe_ioctl(tp, PERF_EVENT_IOC_ENABLE, 0);
	pe_call(5);
	pe_fault(5);
	EXPECT_EQ(5, pe_count(tp));
	EXPECT_EQ(5, pe_count(fault));
	close(tp);
	pe_call(5);
	pe_fault(5);
	EXPECT_EQ(10, pe_count(fault));
	tp = pe_open(&self->attr, 0, -1, fault, 0);
	ASSERT_LE(0, tp);
	pe_ioctl(tp, PERF_EVENT_IOC_ENABLE, 0);
	/* In 6.12 the event counts after the group is scheduled again. */
	pe_switch();
	pe_call(5);
	pe_fault(5);
	EXPECT_EQ(5, pe_count(tp));
	/* Code that runs for the first time causes faults, too. */
	EXPECT_LE(15, pe_count(fault));
	close(fault);
	close(tp);
}

TEST_HARNESS_MAIN
