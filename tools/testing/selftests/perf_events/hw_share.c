// SPDX-License-Identifier: GPL-2.0
/*
 * More events than counters, and events that follow tasks or stay on CPUs.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_hw.h"

#define LOOP	2000000UL
#define ONLINE	"/sys/devices/system/cpu/cpu1/online"

struct timed {
	__u64 value, enabled, running;
};

FIXTURE(hw) {
	struct perf_event_attr a;
	unsigned int counters;
	unsigned int nr;
	int fd[PE_HW_MAX];
	int clock;
};

FIXTURE_SETUP(hw)
{
	if (pe_hw_missing())
		SKIP(return, "no hardware counters");
	/* Tests fill the PMU with equal events, which must not share a counter. */
	pe_hw_share(false);
	pe_move_to(0);
	self->counters = pe_hw_counters();
	self->a = pe_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	self->a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	self->a.disabled = 0;
	self->nr = 0;
	self->clock = -1;
}

FIXTURE_TEARDOWN(hw)
{
	pe_hw_share(true);
	if (self->clock >= 0)
		close(self->clock);
	while (self->nr)
		close(self->fd[--self->nr]);
}

/* Open one more event, which the teardown closes. */
#define OPEN(pid, cpu, group) ({						\
	int _fd = pe_open(&self->a, pid, cpu, group, 0);			\
									\
	ASSERT_LE(0, _fd);						\
	self->fd[self->nr++] = _fd;					\
	_fd;								\
})

/*
 * The upper limit of a count, where the kernel is excluded. Elsewhere ticks are counted, too, and
 * their number depends on the speed of the machine.
 */
static __u64 at_most(__u64 count)
{
	return pe_hw_excludes() ? count : UINT64_MAX;
}

static struct timed get(int fd)
{
	struct timed t = { 0 };

	if (read(fd, &t, sizeof(t)) != sizeof(t))
		t.running = UINT64_MAX;
	return t;
}

/* Work; then stop all events at nearly the same time. */
static void work(unsigned int rounds)
{
	while (rounds--)
		pe_hw_loop(10 * LOOP);
	prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0);
}

TEST_F(hw, as_many_as_counters)
{
	struct timed t;
	unsigned int i;

	ASSERT_LT(0, self->counters);
	for (i = 0; i < self->counters; i++)
		OPEN(0, -1, -1);
	work(2);
	for (i = 0; i < self->counters; i++) {
		t = get(self->fd[i]);
		EXPECT_EQ(t.enabled, t.running);
		EXPECT_LE(20 * LOOP, t.value);
	}
}

TEST_F(hw, same_events_share_a_counter)
{
	unsigned int n = 3 * self->counters, i;
	struct timed first, t;

	if (!pe_hw_share(true))
		SKIP(return, "the driver gives each event a counter of its own");
	for (i = 0; i < n; i++)
		OPEN(0, -1, -1);
	self->a.sample_period = LOOP / 10;
	OPEN(0, -1, -1);
	work(2);
	first = get(self->fd[0]);
	EXPECT_LE(20 * LOOP, first.value);
	for (i = 0; i <= n; i++) {
		t = get(self->fd[i]);
		EXPECT_EQ(t.enabled, t.running);
		EXPECT_LE(20 * LOOP, t.value);
		/* Each event was opened a little later than the previous event. */
		EXPECT_GE(first.value, t.value);
	}
}

/*
 * The host may stop the machine at any place, for seconds. That time is added to the events that
 * then have the counters, and a single event may have nothing but that time. So shares of time are
 * compared with the time between two reads of a software event, of the same clock, and events that
 * have had less than their part get more time to run.
 */
static void open_clock(struct __test_metadata *_metadata, struct _test_data_hw *self, int cpu)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);

	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	self->clock = pe_open(&a, cpu < 0 ? 0 : -1, cpu, -1, 0);
	ASSERT_LE(0, self->clock);
}

/*
 * Has each event counted a part of the work? With @fairly, also: has each event had a counter for
 * at least a quarter of the longest time of an event?
 */
static bool is_shared(const struct _test_data_hw *self, bool fairly)
{
	struct timed t[PE_HW_MAX];
	__u64 most = 0;
	unsigned int i;

	for (i = 0; i < self->nr; i++) {
		t[i] = get(self->fd[i]);
		most = t[i].running > most ? t[i].running : most;
	}
	for (i = 0; i < self->nr; i++) {
		if (t[i].value < LOOP / 10 || (fairly && t[i].running < most / 4))
			return false;
	}
	return true;
}

#define SOME_WORK	10
#define MOST_WORK	500

/* Work, until all events have had their part. */
static void share(struct __test_metadata *_metadata, const struct _test_data_hw *self, bool fairly)
{
	unsigned int rounds = 0;
	struct timed t;
	unsigned int i;

	do
		pe_hw_loop(10 * LOOP);
	while (++rounds < SOME_WORK || (rounds < MOST_WORK && !is_shared(self, fairly)));
	for (i = 0; i < self->nr; i++) {
		t = get(self->fd[i]);
		TH_LOG("%u: %llu in %llu of %llu", i, t.value, t.running, t.enabled);
	}
	EXPECT_GT(MOST_WORK, rounds);
}

/**
 * struct period - time for which events were enabled, by the clock of the events
 * @outer: none was enabled for longer than this
 * @inner: each was enabled for longer than this
 */
struct period {
	__u64 outer, inner;
};

/*
 * Count a loop with more events than there are counters. The loop repeats until rotation has given
 * each event a counter. Return the time for which the events were enabled.
 */
static struct period run(struct __test_metadata *_metadata, const struct _test_data_hw *self,
			 bool fairly)
{
	__u64 start, all, end;
	unsigned int i;

	start = get(self->clock).enabled;
	for (i = 0; i < self->nr; i++)
		pe_ioctl(self->fd[i], PERF_EVENT_IOC_ENABLE, 0);
	all = get(self->clock).enabled;
	share(_metadata, self, fairly);
	end = get(self->clock).enabled;
	for (i = 0; i < self->nr; i++)
		pe_ioctl(self->fd[i], PERF_EVENT_IOC_DISABLE, 0);
	return (struct period){ get(self->clock).enabled - start, end - all };
}

static __u64 sum_of_running(const struct _test_data_hw *self)
{
	__u64 sum = 0;
	unsigned int i;

	for (i = 0; i < self->nr; i++)
		sum += get(self->fd[i]).running;
	return sum;
}

#define TRIES	5

static void check_shares(struct __test_metadata *_metadata, const struct _test_data_hw *self)
{
	__u64 sum, outer = 0;
	unsigned int tries, i;
	struct period period;
	bool used = false;
	struct timed t;

	/* If the host stops the machine while events are scheduled, no counter is used: repeat. */
	for (tries = 0; tries < TRIES && !used; tries++) {
		sum = sum_of_running(self);
		period = run(_metadata, self, true);
		sum = sum_of_running(self) - sum;
		outer += period.outer;
		TH_LOG("ran %llu on %u counters in %llu to %llu", sum, self->counters,
		       period.inner, period.outer);
		/* No counter counts for two events at a time, and no counter is unused for long. */
		EXPECT_GE(self->counters * (period.outer + period.outer / 100), sum);
		used = self->counters * period.inner / 2 <= sum;
	}
	EXPECT_TRUE(used);
	for (i = 0; i < self->nr; i++) {
		t = get(self->fd[i]);
		EXPECT_GT(t.enabled, t.running);
		EXPECT_GE(outer + outer / 100, t.enabled);
	}
}

TEST_F(hw, task_events_share)
{
	unsigned int n = 3 * self->counters, i;

	open_clock(_metadata, self, -1);
	self->a.disabled = 1;
	for (i = 0; i < n; i++)
		OPEN(0, -1, -1);
	check_shares(_metadata, self);
}

TEST_F(hw, cpu_events_share)
{
	unsigned int n = 3 * self->counters, i;

	open_clock(_metadata, self, 0);
	self->a.disabled = 1;
	for (i = 0; i < n; i++)
		OPEN(-1, 0, -1);
	check_shares(_metadata, self);
}

TEST_F(hw, task_and_cpu_events_share)
{
	unsigned int n = 3 * self->counters, i;

	/* In some kernels an event of the CPU may never run. */
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	open_clock(_metadata, self, 0);
	self->a.disabled = 1;
	for (i = 0; i < n; i++)
		OPEN(i & 1 ? -1 : 0, i & 1 ? 0 : -1, -1);
	check_shares(_metadata, self);
}

TEST_F(hw, groups_share)
{
	unsigned int groups = 4, size = self->counters / 2 + 1, i, j;
	struct timed leader, member;
	struct period period;
	__u64 sum = 0;

	if (self->counters < 2)
		SKIP(return, "no group has room for two");
	open_clock(_metadata, self, -1);
	for (i = 0; i < groups; i++) {
		self->a.disabled = 1;
		OPEN(0, -1, -1);
		self->a.disabled = 0;
		for (j = 1; j < size; j++)
			OPEN(0, -1, self->fd[i * size]);
	}
	period = run(_metadata, self, true);
	for (i = 0; i < groups; i++) {
		/* Either all events of a group are on, or none of them. */
		leader = get(self->fd[i * size]);
		TH_LOG("group %u: %llu in %llu of %llu", i, leader.value, leader.running,
		       leader.enabled);
		EXPECT_LT(0, leader.running);
		sum += leader.running;
		for (j = 1; j < size; j++) {
			member = get(self->fd[i * size + j]);
			EXPECT_GE(leader.running, member.running);
			EXPECT_LE(leader.value / 10 * 9, member.value);
			EXPECT_GE(leader.value, member.value);
		}
	}
	/* No two groups are on at the same time. */
	EXPECT_GE(period.outer + period.outer / 100, sum);
}

TEST_F(hw, a_small_group_beside_a_large_one)
{
	unsigned int i;
	int large;

	if (self->counters < 3)
		SKIP(return, "no two groups have room");
	/*
	 * Two groups that do not fit together, and a single event for the counters that are left.
	 */
	large = OPEN(0, -1, -1);
	for (i = 1; i < self->counters - 1; i++)
		OPEN(0, -1, large);
	large = OPEN(0, -1, -1);
	for (i = 1; i < self->counters; i++)
		OPEN(0, -1, large);
	OPEN(0, -1, -1);
	share(_metadata, self, false);
}

TEST_F(hw, pinned_events_do_not_share)
{
	unsigned int i;
	struct timed t;

	self->a.pinned = 1;
	OPEN(0, -1, -1);
	self->a.pinned = 0;
	for (i = 0; i < 2 * self->counters; i++)
		OPEN(0, -1, -1);
	share(_metadata, self, false);
	t = get(self->fd[0]);
	EXPECT_EQ(t.enabled, t.running);
	EXPECT_LE(10 * SOME_WORK * LOOP, t.value);
}

TEST_F(hw, pinned_event_too_many)
{
	struct timed t;
	unsigned int i;
	int fd;

	self->a.pinned = 1;
	for (i = 0; i < self->counters; i++)
		OPEN(0, -1, -1);
	fd = OPEN(0, -1, -1);
	work(1);
	EXPECT_EQ(0, read(fd, &t, sizeof(t)));
	for (i = 0; i < self->counters; i++) {
		t = get(self->fd[i]);
		EXPECT_EQ(t.enabled, t.running);
	}
	/* Enabling the event again makes the kernel try again. */
	close(self->fd[0]);
	self->fd[0] = fd;
	self->nr--;
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	EXPECT_EQ(sizeof(t), read(fd, &t, sizeof(t)));
}

TEST_F(hw, exclusive_group)
{
	struct period period;

	open_clock(_metadata, self, -1);
	self->a.disabled = 1;
	self->a.exclusive = 1;
	OPEN(0, -1, -1);
	self->a.exclusive = 0;
	OPEN(0, -1, -1);
	period = run(_metadata, self, false);
	/* No other group is on at the same time as an exclusive group. */
	EXPECT_GE(period.outer + period.outer / 100,
		  get(self->fd[0]).running + get(self->fd[1]).running);
}

/* The event of the NMI watchdog is always on, and must not keep an exclusive group off. */
TEST_F(hw, exclusive_beside_the_watchdog)
{
	const char *path = PE_SYSCTL "nmi_watchdog";
	long old = pe_get(path);
	struct timed t;

	if (old < 0 || pe_set(path, 1))
		SKIP(return, "no NMI watchdog");
	self->a.exclusive = 1;
	OPEN(0, -1, -1);
	work(1);
	t = get(self->fd[0]);
	EXPECT_LT(0, t.running);
	EXPECT_LT(0, t.value);
	pe_set(path, old);
}

TEST_F(hw, follows_a_task)
{
	int status, fd, go[2], i;
	struct timed t;
	pid_t pid;
	char c;

	if (pe_cpu_count() < 2)
		SKIP(return, "one CPU");
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		close(go[1]);
		if (read(go[0], &c, 1) < 0)
			_exit(1);
		for (i = 0; i < 20; i++) {
			pe_move_to(i & 1);
			pe_hw_loop(LOOP);
		}
		_exit(0);
	}
	fd = OPEN(pid, -1, -1);
	close(go[0]);
	close(go[1]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	t = get(fd);
	EXPECT_LE(20 * LOOP, t.value);
	EXPECT_GT(at_most(30 * LOOP), t.value);
	EXPECT_EQ(t.enabled, t.running);
}

TEST_F(hw, children)
{
	struct timed before, after;
	int status, fd, i;

	self->a.inherit = 1;
	fd = OPEN(0, -1, -1);
	before = get(fd);
	for (i = 0; i < 10; i++) {
		pid_t pid = fork();

		if (!pid) {
			pe_hw_loop(LOOP);
			_exit(0);
		}
		waitpid(pid, &status, 0);
	}
	after = get(fd);
	EXPECT_LE(10 * LOOP, after.value - before.value);
	EXPECT_GT(at_most(30 * LOOP), after.value - before.value);
	EXPECT_EQ(after.enabled, after.running);
}

/* Two tasks with equal events switch to each other, so the scheduler may swap their contexts. */
TEST_F(hw, children_that_take_turns)
{
	int there[2], back[2], status, fd, i;
	struct timed t;
	char c = 0;
	pid_t pid;

	ASSERT_EQ(0, pipe(there) | pipe(back));
	self->a.inherit = 1;
	fd = OPEN(0, -1, -1);
	pid = fork();
	if (!pid) {
		close(there[1]);
		while (read(there[0], &c, 1) == 1) {
			pe_hw_loop(LOOP / 10);
			if (write(back[1], &c, 1) != 1)
				break;
		}
		_exit(0);
	}
	for (i = 0; i < 100; i++) {
		pe_hw_loop(LOOP / 10);
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			break;
	}
	close(there[1]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	t = get(fd);
	EXPECT_LE(20 * LOOP, t.value);
	EXPECT_GT(at_most(40 * LOOP), t.value);
	close(there[0]);
	close(back[0]);
	close(back[1]);
}

TEST_F(hw, stays_on_a_cpu)
{
	struct timed before, after;
	int zero, one;

	if (pe_cpu_count() < 2)
		SKIP(return, "one CPU");
	zero = OPEN(-1, 0, -1);
	one = OPEN(-1, 1, -1);
	before = get(zero);
	pe_hw_loop(LOOP);
	after = get(zero);
	EXPECT_LE(LOOP, after.value - before.value);
	pe_move_to(1);
	before = get(one);
	pe_hw_loop(LOOP);
	after = get(one);
	EXPECT_LE(LOOP, after.value - before.value);
}

TEST_F(hw, cpu_offline_and_online)
{
	struct timed before, after;
	int task, zero, one;

	if (self->counters < 3)
		SKIP(return, "a CPU needs a counter for each of three events");
	if (pe_set(ONLINE, 1))
		SKIP(return, "CPU 1 cannot go offline");
	task = OPEN(0, -1, -1);
	zero = OPEN(-1, 0, -1);
	one = OPEN(-1, 1, -1);
	ASSERT_EQ(0, pe_set(ONLINE, 0));
	before = get(zero);
	pe_hw_loop(LOOP);
	after = get(zero);
	EXPECT_LE(LOOP, after.value - before.value);
	before = get(one);
	EXPECT_EQ(before.value, get(one).value);
	ASSERT_EQ(0, pe_set(ONLINE, 1));

	/*
	 * A new event of that CPU counts, and so does the event of a task that
	 * is moved there.
	 */
	one = OPEN(-1, 1, -1);
	pe_move_to(1);
	before = get(one);
	pe_hw_loop(LOOP);
	after = get(one);
	EXPECT_LE(LOOP, after.value - before.value);
	after = get(task);
	EXPECT_LE(2 * LOOP, after.value);
	EXPECT_EQ(after.enabled, after.running);
}

TEST_HARNESS_MAIN
