// SPDX-License-Identifier: GPL-2.0
/*
 * read(2): time enabled and time running, and counts of inherited events.
 */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define TIMES	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)
#define PAGES	50

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

static struct reading get(int fd)
{
	struct reading r = { 0 };

	if (read(fd, &r, sizeof(r)) != sizeof(r))
		memset(&r, 0xff, sizeof(r));
	return r;
}

static struct perf_event_attr timed(__u64 config)
{
	struct perf_event_attr a = pe_attr(config);

	a.read_format = TIMES;
	return a;
}

TEST(grows)
{
	struct perf_event_attr a = timed(PERF_COUNT_SW_PAGE_FAULTS);
	struct reading r = { 0 }, s;
	int fd = pe_self(&a), i;

	ASSERT_LE(0, fd);
	for (i = 0; i < 1000; i++) {
		s = get(fd);
		ASSERT_LE(r.enabled, s.enabled);
		ASSERT_EQ(s.enabled, s.running);
		r = s;
	}
	pe_spin(100000);
	EXPECT_LT(r.enabled, get(fd).enabled);
	close(fd);
}

TEST(starts_at_open)
{
	struct perf_event_attr a = timed(PERF_COUNT_SW_DUMMY);
	struct timespec t0, t1;
	struct reading r, s;
	int first = pe_self(&a), fd;
	__u64 wall;

	/* An event that was opened later has not been enabled for longer. */
	ASSERT_LE(0, first);
	pe_spin(3000000);
	clock_gettime(CLOCK_MONOTONIC_RAW, &t0);
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	s = get(fd);
	r = get(first);
	clock_gettime(CLOCK_MONOTONIC_RAW, &t1);
	wall = (t1.tv_sec - t0.tv_sec) * 1000000000ULL + t1.tv_nsec - t0.tv_nsec;
	EXPECT_LT(s.enabled, r.enabled);
	EXPECT_GE(wall + wall / 10 + 1000000, s.enabled);
	close(fd);
	close(first);
}

TEST(disabled_time_is_left_out)
{
	struct perf_event_attr a = timed(PERF_COUNT_SW_PAGE_FAULTS);
	struct reading all, part, was;
	int whole = pe_self(&a), fd = pe_self(&a), i;

	ASSERT_LE(0, whole);
	ASSERT_LE(0, fd);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		was = get(fd);
		pe_spin(300000);
		part = get(fd);
		EXPECT_EQ(was.enabled, part.enabled);
		EXPECT_EQ(was.running, part.running);
		ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		pe_spin(1000);
	}
	part = get(fd);
	all = get(whole);
	EXPECT_LT(was.enabled, part.enabled);
	EXPECT_EQ(part.enabled, part.running);
	EXPECT_LT(part.enabled, all.enabled);
	close(fd);
	close(whole);
}

TEST(enable_twice)
{
	struct perf_event_attr a = timed(PERF_COUNT_SW_PAGE_FAULTS);
	struct reading r, s;
	int fd = pe_self(&a);

	ASSERT_LE(0, fd);
	pe_spin(300000);
	r = get(fd);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	s = get(fd);
	EXPECT_LT(r.enabled, s.enabled);
	EXPECT_EQ(s.enabled, s.running);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	r = get(fd);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	s = get(fd);
	EXPECT_EQ(r.enabled, s.enabled);
	close(fd);
}

TEST(member_of_a_disabled_group)
{
	struct perf_event_attr a = timed(PERF_COUNT_SW_PAGE_FAULTS);
	struct reading r, s;
	int leader, fd;

	a.disabled = 1;
	leader = pe_self(&a);
	a.disabled = 0;
	fd = pe_open(&a, 0, -1, leader, 0);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, fd);
	pe_fault(PAGES);
	pe_spin(300000);
	r = get(fd);
	EXPECT_EQ(0, r.value);
	EXPECT_EQ(0, r.enabled);
	EXPECT_EQ(0, r.running);
	ASSERT_EQ(0, pe_ioctl(leader, PERF_EVENT_IOC_ENABLE, 0));
	pe_fault(PAGES);
	ASSERT_EQ(0, pe_ioctl(leader, PERF_EVENT_IOC_DISABLE, 0));
	r = get(fd);
	s = get(leader);
	EXPECT_LE(PAGES, r.value);
	EXPECT_EQ(s.value, r.value);
	EXPECT_LT(0, r.enabled);
	EXPECT_EQ(s.enabled, r.enabled);
	EXPECT_EQ(s.running, r.running);
	close(fd);
	close(leader);
}

TEST(stopped_with_the_task)
{
	struct perf_event_attr a = timed(PERF_COUNT_SW_PAGE_FAULTS);
	struct pe_child child;
	struct reading r, s;
	int fd;

	ASSERT_EQ(0, pe_child_start(&child));
	fd = pe_open(&a, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&child, PE_SPIN, 100000));
	ASSERT_EQ(0, pe_child_rest(&child));
	r = get(fd);
	EXPECT_LT(0, r.enabled);
	EXPECT_EQ(r.enabled, r.running);
	pe_sleep_ms(30);
	s = get(fd);
	EXPECT_EQ(r.enabled, s.enabled);
	EXPECT_EQ(r.running, s.running);

	/* Disabling and enabling the event does not make it run, either. */
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	pe_sleep_ms(20);
	s = get(fd);
	EXPECT_EQ(r.enabled, s.enabled);
	close(fd);
	pe_child_end(&child);
}

TEST(opened_on_a_sleeper)
{
	struct perf_event_attr a = timed(PERF_COUNT_SW_DUMMY);
	struct pe_child child;
	struct reading r;
	int fd;

	ASSERT_EQ(0, pe_child_start(&child));
	ASSERT_EQ(0, pe_child_rest(&child));
	fd = pe_open(&a, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	pe_sleep_ms(20);
	r = get(fd);
	EXPECT_EQ(0, r.enabled);
	EXPECT_EQ(0, r.running);
	close(fd);
	pe_child_end(&child);
}

TEST(after_exit)
{
	struct perf_event_attr a = timed(PERF_COUNT_SW_PAGE_FAULTS);
	struct pe_child child;
	struct reading r, s;
	int fd;

	ASSERT_EQ(0, pe_child_start(&child));
	fd = pe_open(&a, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&child, PE_FAULT, PAGES));
	r = get(fd);
	EXPECT_EQ(0, pe_child_end(&child));
	s = get(fd);
	EXPECT_LE(PAGES, r.value);
	EXPECT_LE(r.value, s.value);
	EXPECT_LE(r.enabled, s.enabled);
	EXPECT_EQ(s.enabled, s.running);
	r = get(fd);
	EXPECT_EQ(r.value, s.value);
	EXPECT_EQ(r.enabled, s.enabled);
	EXPECT_EQ(r.running, s.running);
	close(fd);
}

TEST(inherited_times_add_up)
{
	struct perf_event_attr a = timed(PERF_COUNT_SW_TASK_CLOCK);
	struct reading r, s;
	struct pe_child child;
	int fd;

	a.inherit = 1;
	ASSERT_EQ(0, pe_child_start(&child));
	fd = pe_open(&a, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&child, PE_SPIN, 1000));
	r = get(fd);
	ASSERT_EQ(0, pe_child_do(&child, PE_FORK_FAULT, PAGES));
	s = get(fd);
	EXPECT_LT(r.value, s.value);
	EXPECT_LT(r.enabled, s.enabled);
	EXPECT_EQ(s.enabled, s.running);
	close(fd);
	pe_child_end(&child);
}

TEST_HARNESS_MAIN
