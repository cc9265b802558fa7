// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that have inherited the same hardware events switch to one another. The sum must be exact,
 * even if the kernel keeps events on the PMU at a switch.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_hw.h"
#include "pe_rounds.h"
#include "pe_sim.h"

#define CHILDREN	3
#define ROUNDS		pe_rounds(150)
#define ONLINE		"/sys/devices/system/cpu/cpu1/online"

#define TIMES	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

struct timed {
	__u64 value, enabled, running;
};

static struct timed get(int fd)
{
	struct timed t = { 0 };

	if (read(fd, &t, sizeof(t)) != sizeof(t))
		t.value = UINT64_MAX;
	return t;
}

/* One event is alone, and two are a group. The children inherit them. */
FIXTURE(shared_ctx) {
	struct perf_event_attr a;
	struct pe_child child[CHILDREN];
	int fd[3];
	__u64 steps;
};

FIXTURE_SETUP(shared_ctx)
{
	int i;

	if (pe_sim_type() < 0)
		SKIP(return, "no simulated PMU");
	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, pe_move_to(0));
	self->a = pe_sim_attr();
	self->a.inherit = 1;
	self->a.read_format = TIMES;
	for (i = 0; i < 3; i++) {
		self->fd[i] = pe_open(&self->a, 0, -1, i == 2 ? self->fd[1] : -1, 0);
		ASSERT_LE(0, self->fd[i]);
	}
	for (i = 0; i < CHILDREN; i++)
		ASSERT_EQ(0, pe_child_start(&self->child[i]));
	self->steps = 0;
}

FIXTURE_TEARDOWN(shared_ctx)
{
	int i;

	/* After a failure CPU 1 may be offline, and later programs would skip tests. */
	pe_set(ONLINE, 1);
	for (i = 0; i < CHILDREN; i++)
		pe_child_end(&self->child[i]);
	for (i = 0; i < 3; i++)
		close(self->fd[i]);
}

/* Each child and this task make some steps, which takes two switches for each child. */
#define STEP_ALL(n) do {						\
	for (int _i = 0; _i < CHILDREN; _i++) {				\
		ASSERT_EQ(0, pe_child_do(&self->child[_i], PE_STEP, (n) + _i)); \
		self->steps += (n) + _i;				\
	}								\
	ASSERT_EQ(0, pe_sim_advance(n));				\
	self->steps += (n);						\
} while (0)

/* Every step has been counted, and the times of every event are right. */
#define EXPECT_ALL() do {						\
	for (int _i = 0; _i < 3; _i++) {				\
		struct timed _t = get(self->fd[_i]);			\
									\
		EXPECT_EQ(self->steps, _t.value);			\
		EXPECT_EQ(_t.enabled, _t.running);			\
	}								\
} while (0)

TEST_F(shared_ctx, take_turns)
{
	int r;

	for (r = 0; r < ROUNDS; r++) {
		STEP_ALL(r + 1);
		if (r % 16 == 0)
			EXPECT_ALL();
	}
	EXPECT_ALL();
}

TEST_F(shared_ctx, move_between_cpus)
{
	int r, i;

	if (pe_cpu_count() < 2)
		SKIP(return, "needs two CPUs");
	for (r = 0; r < ROUNDS / 3; r++) {
		for (i = 0; i < CHILDREN; i++)
			ASSERT_EQ(0, pe_child_do(&self->child[i], PE_MOVE, (r + i) & 1));
		STEP_ALL(3);
		if (r % 8 == 1) {
			ASSERT_EQ(0, pe_move_to(!(r / 8 & 1)));
			EXPECT_ALL();
		}
	}
	EXPECT_ALL();
}

TEST_F(shared_ctx, read_in_the_middle)
{
	struct timed before = { 0 }, t;
	int i, r;

	if (pe_cpu_count() < 2)
		SKIP(return, "needs two CPUs");
	STEP_ALL(1);
	ASSERT_EQ(0, pe_move_to(1));
	/* The tasks share CPU 0, and are preempted at the end of their time slices. */
	for (i = 0; i < CHILDREN; i++)
		ASSERT_EQ(0, pe_child_send(&self->child[i], PE_STEP, 1 << 22));
	for (r = 0; r < 500; r++) {
		t = get(self->fd[r % 3]);
		if (r % 3) {
			/* The counts are equal, but the second read is later. */
			EXPECT_LE(before.value, t.value);
		}
		EXPECT_EQ(t.enabled, t.running);
		before = t;
	}
	for (i = 0; i < CHILDREN; i++) {
		ASSERT_EQ(0, pe_child_answer(&self->child[i]));
		self->steps += 1 << 22;
	}
	EXPECT_ALL();
}

TEST_F(shared_ctx, exec_and_exit)
{
	int r;

	for (r = 0; r < 10; r++) {
		STEP_ALL(5);
		ASSERT_EQ(0, pe_child_do(&self->child[r % CHILDREN], PE_EXEC, 0));
		EXPECT_ALL();
		/* One child exits, and another one is forked. */
		pe_child_end(&self->child[(r + 1) % CHILDREN]);
		EXPECT_ALL();
		ASSERT_EQ(0, pe_child_start(&self->child[(r + 1) % CHILDREN]));
	}
	STEP_ALL(7);
	EXPECT_ALL();
}

TEST_F(shared_ctx, off_and_on)
{
	int r;

	for (r = 0; r < 20; r++) {
		STEP_ALL(2);
		ASSERT_EQ(0, pe_ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, pe_ioctl(self->fd[1], PERF_EVENT_IOC_DISABLE,
				      PERF_IOC_FLAG_GROUP));
		STEP_ALL(1000);
		self->steps -= 4 * 1000 + CHILDREN * (CHILDREN - 1) / 2;
		EXPECT_ALL();
		ASSERT_EQ(0, pe_ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_EQ(0, pe_ioctl(self->fd[1], PERF_EVENT_IOC_ENABLE,
				      PERF_IOC_FLAG_GROUP));
	}
	STEP_ALL(3);
	EXPECT_ALL();
}

/* One task has an additional event, so no shared context can count for it. */
TEST_F(shared_ctx, one_has_another_event)
{
	__u64 alone = 0, own = 0;
	int fd = -1, mine = -1, r;

	self->a.inherit = 0;
	for (r = 0; r < 12; r++) {
		STEP_ALL(3);
		if (fd >= 0)
			alone += 3 + 1;
		if (mine >= 0)
			own += 3;
		if (r == 3) {
			fd = pe_open(&self->a, self->child[1].pid, -1, -1, 0);
			ASSERT_LE(0, fd);
		}
		/* With this event there are as many events as counters. */
		if (r == 6) {
			mine = pe_self(&self->a);
			ASSERT_LE(0, mine);
		}
		EXPECT_ALL();
		if (fd >= 0)
			EXPECT_EQ(alone, get(fd).value);
		if (mine >= 0)
			EXPECT_EQ(own, get(mine).value);
		if (r == 9) {
			close(fd);
			fd = -1;
			alone = 0;
		}
	}
	close(mine);
}

TEST_F(shared_ctx, one_event_is_closed)
{
	struct timed t;

	STEP_ALL(3);
	close(self->fd[1]);
	STEP_ALL(4);
	t = get(self->fd[0]);
	EXPECT_EQ(self->steps, t.value);
	t = get(self->fd[2]);
	EXPECT_EQ(self->steps, t.value);
	EXPECT_EQ(t.enabled, t.running);
	self->fd[1] = pe_open(&self->a, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[1]);
	STEP_ALL(5);
	/* The children were forked before this event was opened, and have not inherited it. */
	EXPECT_EQ(5, get(self->fd[1]).value);
	EXPECT_EQ(self->steps, get(self->fd[0]).value);
	EXPECT_EQ(self->steps, get(self->fd[2]).value);
}

TEST_F(shared_ctx, their_cpu_goes)
{
	int r, i;

	if (access(ONLINE, W_OK))
		SKIP(return, "needs a CPU 1 that can go offline");
	for (r = 0; r < 8; r++) {
		for (i = 0; i < CHILDREN; i++)
			ASSERT_EQ(0, pe_child_do(&self->child[i], PE_MOVE, 1));
		ASSERT_EQ(0, pe_move_to(1));
		STEP_ALL(9);
		STEP_ALL(9);
		/* The scheduler moves the tasks to other CPUs. */
		ASSERT_EQ(0, pe_set(ONLINE, 0));
		STEP_ALL(4);
		ASSERT_EQ(0, pe_set(ONLINE, 1));
		EXPECT_ALL();
	}
}

TEST_F(shared_ctx, more_than_counters)
{
	struct perf_event_attr dummy = pe_attr(PERF_COUNT_SW_DUMMY);
	int more[PE_SIM_COUNTERS], clock, r, i;
	struct pe_child last;
	__u64 sum = 0, start, passed;
	struct timed t;

	/* This event has the time of both tasks: the other children do not run. */
	for (i = 0; i < CHILDREN; i++)
		ASSERT_EQ(0, pe_child_rest(&self->child[i]));
	dummy.inherit = 1;
	dummy.read_format = TIMES;
	clock = pe_self(&dummy);
	ASSERT_LE(0, clock);
	start = get(clock).enabled;
	for (i = 0; i < 3; i++)
		sum -= get(self->fd[i]).running;
	for (i = 0; i < PE_SIM_COUNTERS; i++) {
		more[i] = pe_self(&self->a);
		ASSERT_LE(0, more[i]);
	}
	/* The new child inherits all events that this task has. */
	ASSERT_EQ(0, pe_child_start(&last));
	for (r = 0; r < 100; r++) {
		ASSERT_EQ(0, pe_child_do(&last, PE_STEP, 100));
		ASSERT_EQ(0, pe_child_do(&last, PE_SPIN, 10));
		pe_spin(10);
	}
	pe_child_end(&last);
	for (i = 0; i < PE_SIM_COUNTERS; i++) {
		t = get(more[i]);
		EXPECT_LE(t.value, 100 * 100);
		EXPECT_LE(t.running, t.enabled);
		sum += t.running;
	}
	for (i = 0; i < 3; i++)
		sum += get(self->fd[i]).running;
	passed = get(clock).enabled - start;
	/* No counter counts for two events at a time: otherwise the sum might be 7/4 of this. */
	EXPECT_LE(sum, PE_SIM_COUNTERS * (passed + passed / 10));
	for (i = 0; i < PE_SIM_COUNTERS; i++)
		close(more[i]);
	close(clock);
}

/* A BPF output event is a software event that is scheduled, and so is its group. */
TEST(software_events_that_are_scheduled)
{
	struct perf_event_attr out = pe_attr(PERF_COUNT_SW_BPF_OUTPUT);
	struct perf_event_attr faults = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct perf_event_attr clock = pe_attr(PERF_COUNT_SW_TASK_CLOCK);
	int fd, member, alone, run, r;
	struct timed t;
	struct pe_child c;
	__u64 start;

	ASSERT_EQ(0, pe_move_to(0));
	out.inherit = 1;
	faults.inherit = 1;
	faults.read_format = TIMES;
	clock.inherit = 1;
	clock.read_format = TIMES;
	fd = pe_self(&out);
	if (fd < 0)
		SKIP(return, "no BPF output");
	member = pe_open(&faults, 0, -1, fd, 0);
	ASSERT_LE(0, member);
	alone = pe_self(&faults);
	ASSERT_LE(0, alone);
	run = pe_self(&clock);
	ASSERT_LE(0, run);
	ASSERT_EQ(0, pe_child_start(&c));
	for (r = 0; r < 10; r++)
		ASSERT_EQ(0, pe_child_do(&c, PE_FAULT, 5));
	start = get(member).value;
	for (r = 0; r < 50; r++) {
		ASSERT_EQ(0, pe_child_do(&c, PE_FAULT, 100));
		pe_fault(1);
	}
	t = get(member);
	EXPECT_LE(50 * 101, t.value - start);
	EXPECT_GT(50 * 101 + 50, t.value - start);
	EXPECT_EQ(t.enabled, t.running);
	/*
	 * The counts of the two reads are equal, apart from occurrences between the
	 * reads.
	 */
	EXPECT_LE(t.value, get(alone).value);
	EXPECT_GT(t.value + 50, get(alone).value);
	/* The event of this task counts while it is read. */
	start = get(run).running;
	t = get(run);
	EXPECT_LE(start, t.value);
	/* The base reads the count and the times at different moments. */
	EXPECT_LE(t.value, get(run).running);
	EXPECT_EQ(t.enabled, t.running);
	pe_child_end(&c);
	close(run);
	close(alone);
	close(member);
	close(fd);
}

/* Hardware or emulated counters count both tasks in user mode, once. */
TEST(hardware_counters)
{
	const unsigned long loop = 100000;
	struct perf_event_attr a;
	int ping[2], pong[2], fd, r;
	const int rounds = 200;
	__u64 want = 2 * loop * rounds;
	struct timed t;
	pid_t pid;
	char c = 0;

	if (pe_hw_missing())
		SKIP(return, "no hardware counters");
	ASSERT_EQ(0, pe_move_to(0));
	a = pe_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	a.inherit = 1;
	a.disabled = 0;
	a.exclude_kernel = 1;
	a.read_format = TIMES;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pipe(ping) + pipe(pong));
	pid = fork();
	if (!pid) {
		close(ping[1]);
		while (read(ping[0], &c, 1) == 1) {
			pe_hw_loop(loop);
			if (write(pong[1], &c, 1) != 1)
				break;
		}
		_exit(0);
	}
	close(ping[0]);
	for (r = 0; r < rounds; r++) {
		ASSERT_EQ(1, write(ping[1], &c, 1));
		ASSERT_EQ(1, read(pong[0], &c, 1));
		pe_hw_loop(loop);
	}
	t = get(fd);
	TH_LOG("%llu of %llu, enabled %llu, running %llu", t.value, want, t.enabled, t.running);
	EXPECT_LE(want, t.value);
	/* QEMU's powerpc counts the kernel, too: some 8000 instructions a switch. */
	EXPECT_GT(want + want / 10, t.value);
	EXPECT_EQ(t.enabled, t.running);
	close(ping[1]);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_LE(t.value, get(fd).value);
	close(fd);
}

TEST_HARNESS_MAIN
