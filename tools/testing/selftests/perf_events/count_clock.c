// SPDX-License-Identifier: GPL-2.0
/*
 * The two clock events: their relation to each other, to an event's times and to other clocks of
 * the system. No assertion depends on the speed of the machine.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define TIMES	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/**
 * struct reading - result of read(2) with both times
 * @value: the count
 * @enabled: ns enabled
 * @running: ns running
 */
struct reading {
	__u64 value;
	__u64 enabled;
	__u64 running;
};

static __u64 now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static struct reading get(int fd)
{
	struct reading r = { 0 };

	if (read(fd, &r, sizeof(r)) != sizeof(r))
		memset(&r, 0xff, sizeof(r));
	return r;
}

/*
 * Longest time that a clock event may have counted since @start. The clocks are not the same, so a
 * difference in rate is allowed.
 */
static __u64 most_since(__u64 start)
{
	__u64 ns = now(CLOCK_MONOTONIC_RAW) - start;

	return ns + ns / 10;
}

TEST(monotonic)
{
	static const unsigned int configs[] = {
		PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK,
	};
	struct perf_event_attr a;
	__u64 last, next;
	unsigned int i, n;
	int fd;

	for (i = 0; i < PE_ARRAY_SIZE(configs); i++) {
		a = pe_attr(configs[i]);
		fd = pe_self(&a);
		ASSERT_LE(0, fd);
		last = pe_count(fd);
		for (n = 0; n < 1000; n++) {
			next = pe_count(fd);
			ASSERT_LE(last, next);
			last = next;
		}
		pe_spin(100000);
		EXPECT_LT(last, pe_count(fd));
		close(fd);
	}
}

TEST(inside_wall_time)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_TASK_CLOCK);
	__u64 start, most, count;
	int fd = pe_self(&a);

	ASSERT_LE(0, fd);
	start = now(CLOCK_MONOTONIC_RAW);
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_spin(1000000);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	most = most_since(start);
	count = pe_count(fd);
	EXPECT_LT(0, count);
	EXPECT_LE(count, most + 1000000);
	close(fd);
}

TEST(stands_still_when_disabled)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_TASK_CLOCK);
	struct reading r, s;
	int fd;

	a.read_format = TIMES;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	pe_spin(100000);
	r = get(fd);
	EXPECT_EQ(0, r.value);
	EXPECT_EQ(0, r.enabled);
	EXPECT_EQ(0, r.running);
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_spin(100000);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	r = get(fd);
	EXPECT_LT(0, r.value);
	EXPECT_LT(0, r.enabled);
	EXPECT_EQ(r.enabled, r.running);
	pe_spin(100000);
	s = get(fd);
	EXPECT_EQ(r.value, s.value);
	EXPECT_EQ(r.enabled, s.enabled);
	EXPECT_EQ(r.running, s.running);
	close(fd);
}

TEST(task_clock_is_about_the_time_enabled)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_TASK_CLOCK);
	struct reading r = { 0 };
	bool about = false;
	int fd, i, tries;

	a.read_format = TIMES;
	/* If the machine is stalled between the clock and the times, they differ: try again. */
	for (tries = 0; tries < 10 && !about; tries++) {
		fd = pe_self(&a);
		ASSERT_LE(0, fd);
		for (i = 0; i < 20; i++) {
			pe_spin(100000);
			pe_sleep_ms(1);
		}
		r = get(fd);
		close(fd);
		/* A task's event is running whenever the task is. */
		EXPECT_EQ(r.enabled, r.running);
		EXPECT_LT(0, r.value);
		about = r.value <= r.enabled + r.enabled / 4 + 1000000 &&
			r.enabled <= r.value + r.value / 4 + 1000000;
	}
	EXPECT_TRUE(about) {
		TH_LOG("%llu counted, %llu enabled", r.value, r.enabled);
	}
}

TEST(sleep_is_not_counted)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_TASK_CLOCK);
	struct pe_child child;
	struct reading r, s;
	int fd;

	a.read_format = TIMES;
	ASSERT_EQ(0, pe_child_start(&child));
	fd = pe_open(&a, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&child, PE_SPIN, 100000));
	ASSERT_EQ(0, pe_child_rest(&child));
	r = get(fd);
	EXPECT_LT(0, r.value);
	pe_sleep_ms(50);
	s = get(fd);
	EXPECT_EQ(r.value, s.value);
	EXPECT_EQ(r.enabled, s.enabled);
	EXPECT_EQ(r.running, s.running);
	ASSERT_EQ(0, pe_child_do(&child, PE_SPIN, 100000));
	s = get(fd);
	EXPECT_LT(r.value, s.value);
	EXPECT_LT(r.enabled, s.enabled);
	close(fd);
	pe_child_end(&child);
}

TEST(cpu_clock_of_a_sleeping_task)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_CPU_CLOCK);
	struct pe_child child;
	__u64 r;
	int fd;

	/* A cpu-clock event of a task stops with the task. */
	ASSERT_EQ(0, pe_child_start(&child));
	fd = pe_open(&a, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&child, PE_SPIN, 100000));
	ASSERT_EQ(0, pe_child_rest(&child));
	r = pe_count(fd);
	EXPECT_LT(0, r);
	pe_sleep_ms(50);
	EXPECT_EQ(r, pe_count(fd));
	close(fd);
	pe_child_end(&child);
}

TEST(cpu_clock_of_a_cpu)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_CPU_CLOCK);
	struct reading r, s;
	int fd;

	/* A cpu-clock event of a CPU runs whether the CPU is idle or not. */
	a.read_format = TIMES;
	fd = pe_open(&a, -1, 0, -1, 0);
	ASSERT_LE(0, fd);
	r = get(fd);
	pe_sleep_ms(20);
	s = get(fd);
	EXPECT_LE(r.value + 10000000, s.value);
	EXPECT_LE(r.enabled + 10000000, s.enabled);
	EXPECT_EQ(s.enabled, s.running);
	close(fd);
}

TEST(reset)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_TASK_CLOCK);
	struct reading r, s;
	int fd, tries;

	a.read_format = TIMES;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_spin(100000);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	r = get(fd);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	s = get(fd);
	/* A reset sets the count to zero, but never the times. */
	EXPECT_LT(0, r.value);
	EXPECT_EQ(0, s.value);
	EXPECT_EQ(r.enabled, s.enabled);
	EXPECT_EQ(r.running, s.running);

	/* A reset does the same while the event runs. */
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	/*
	 * Spin for longer than the machine may be stalled between the next two lines, so that the
	 * count after the reset is less.
	 */
	for (tries = 0; tries < 10; tries++) {
		pe_spin(3000000);
		r = get(fd);
		ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
		s = get(fd);
		if (r.value > s.value)
			break;
	}
	EXPECT_GT(r.value, s.value);
	EXPECT_LT(r.enabled, s.enabled);
	close(fd);
}

TEST(clocks_of_one_group_agree)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_TASK_CLOCK);
	struct reading r, s;
	int leader, fd;

	a.read_format = TIMES;
	leader = pe_self(&a);
	a.config = PERF_COUNT_SW_CPU_CLOCK;
	a.disabled = 0;
	fd = pe_open(&a, 0, -1, leader, 0);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, fd);
	pe_ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	pe_spin(1000000);
	pe_ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	r = get(leader);
	s = get(fd);
	EXPECT_LT(0, r.value);
	EXPECT_LT(0, s.value);
	EXPECT_EQ(r.enabled, s.enabled);
	EXPECT_EQ(r.running, s.running);
	close(fd);
	close(leader);
}

TEST(exclusion_is_not_for_clocks)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_TASK_CLOCK);
	int fd;

	/*
	 * For a clock event that counts, the privilege levels make no
	 * difference.
	 */
	a.exclude_user = 1;
	a.exclude_kernel = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	pe_spin(100000);
	EXPECT_LT(0, pe_count(fd));
	close(fd);
}

/*
 * The timer of a sampling clock event must be cancelled before the event is freed. Otherwise it
 * fires in memory that is reused.
 */
TEST(timers_end_with_their_clocks)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_TASK_CLOCK);
	struct pe_child child;
	int fd[16], i, round;

	ASSERT_EQ(0, pe_child_start(&child));
	for (round = 0; round < 30; round++) {
		for (i = 0; i < 16; i++) {
			a.config = i & 1 ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_CPU_CLOCK;
			/*
			 * Periods from a millisecond to a minute: timers that
			 * expire before and after the memory is freed.
			 */
			a.sample_period = 1000000ULL << i % 5 * 4;
			if (i & 2)
				fd[i] = pe_open(&a, i & 4 ? child.pid : 0, -1, -1, 0);
			else
				fd[i] = geteuid() ? pe_self(&a) : pe_open(&a, -1, 0, -1, 0);
			ASSERT_LE(0, fd[i]);
		}
		if (round & 1)
			ASSERT_EQ(0, pe_child_do(&child, PE_SPIN, 1000));
		for (i = 0; i < 16; i++)
			close(fd[i]);
		if (round % 10 == 9)
			pe_sleep_ms(20);
	}
	pe_child_end(&child);

	/* The clock did not stop. */
	a.config = PERF_COUNT_SW_TASK_CLOCK;
	fd[0] = pe_self(&a);
	ASSERT_LE(0, fd[0]);
	pe_spin(100000);
	EXPECT_LT(0, pe_count(fd[0]));
	close(fd[0]);
}

/* Open a clock event with a timer: it is scheduled, and so is its group. */
static int open_timer(int group)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_CPU_CLOCK);

	a.sample_period = 10000000;
	return pe_open(&a, 0, -1, group, 0);
}

TEST(groups_that_come_and_go)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_TASK_CLOCK);
	__u64 start = now(CLOCK_MONOTONIC_RAW), last = 0, next;
	int fd, other, i;

	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	for (i = 0; i < 4; i++) {
		other = i & 1 ? open_timer(fd) : -1;
		pe_spin(100000);
		next = pe_count(fd);
		EXPECT_LT(last, next);
		EXPECT_LE(next, most_since(start));
		last = next;
		if (other >= 0)
			close(other);
	}
	close(fd);
}

TEST(goes_on_without_its_leader)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_TASK_CLOCK);
	__u64 start = now(CLOCK_MONOTONIC_RAW), last, next;
	int fd, other;

	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	other = open_timer(-1);
	ASSERT_LE(0, other);
	fd = pe_open(&a, 0, -1, other, 0);
	ASSERT_LE(0, fd);
	pe_spin(100000);
	last = pe_count(fd);
	EXPECT_LT(0, last);
	close(other);
	pe_spin(100000);
	next = pe_count(fd);
	EXPECT_LT(last, next);
	EXPECT_LE(next, most_since(start));
	close(fd);
}

TEST(children_of_a_scheduled_group)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_TASK_CLOCK);
	__u64 start = now(CLOCK_MONOTONIC_RAW), alone, both;
	struct perf_event_attr timer = pe_attr(PERF_COUNT_SW_CPU_CLOCK);
	int leader, fd;
	pid_t pid;

	a.inherit = 1;
	timer.inherit = 1;
	timer.sample_period = 10000000;
	leader = pe_self(&timer);
	ASSERT_LE(0, leader);
	fd = pe_open(&a, 0, -1, leader, 0);
	ASSERT_LE(0, fd);
	alone = pe_count(fd);
	pid = fork();
	if (!pid) {
		pe_spin(1000000);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	both = pe_count(fd);
	EXPECT_LT(alone, both);
	/*
	 * Two tasks have run, neither of them longer than the whole test took.
	 */
	EXPECT_LE(both, 2 * most_since(start));
	close(fd);
	close(leader);
}

TEST_HARNESS_MAIN
