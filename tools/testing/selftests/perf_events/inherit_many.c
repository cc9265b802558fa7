// SPDX-License-Identifier: GPL-2.0
/*
 * Inherited events of many tasks. Between two reads some tasks run, some sleep, and some exit: each
 * read must include each count once.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_rounds.h"
#include "pe_sim.h"

#define TASKS	24
#define ROUNDS	pe_rounds(60)

/**
 * struct reading - result of read(2) with both times
 * @value: the count
 * @enabled: ns enabled
 * @running: ns running
 */
struct reading {
	__u64 value, enabled, running;
};

FIXTURE(many) {
	struct perf_event_attr a;
	struct pe_child tasks[TASKS];
	__u64 expected, clock;
	int fds[3];
};

FIXTURE_VARIANT(many) {
	/*
	 * true: also open events that are scheduled, so that another context may count for the
	 * tasks
	 */
	bool scheduled;
};

FIXTURE_VARIANT_ADD(many, software) {
	.scheduled = false,
};

FIXTURE_VARIANT_ADD(many, scheduled) {
	.scheduled = true,
};

static void start(struct __test_metadata *_metadata, struct _test_data_many *self, int i)
{
	ASSERT_EQ(0, pe_child_start(&self->tasks[i]));
	/* Map the pages that the task touches later. */
	pe_child_do(&self->tasks[i], PE_FAULT, 1);
	pe_child_do(&self->tasks[i], PE_STEP, 1);
	pe_child_do(&self->tasks[i], PE_FAULT, 1);
}

static struct reading take(int fd)
{
	struct reading r = {};

	if (read(fd, &r, sizeof(r)) != sizeof(r))
		exit(1);
	return r;
}

/* Make page faults in a task, and wait for it. */
static void work(struct __test_metadata *_metadata, struct _test_data_many *self, int i)
{
	unsigned int pages = 1 + random() % 20;

	EXPECT_EQ(0, pe_child_do(&self->tasks[i], PE_FAULT, pages));
	self->expected += pages;
}

/*
 * This task's own faults are counted, too. After a fork it has some copy-on-write faults: make all
 * of them now.
 */
static void settle(struct __test_metadata *_metadata, struct _test_data_many *self)
{
	int i;

	for (i = 0; i < 3; i++) {
		work(_metadata, self, i);
		self->clock = take(self->fds[1]).value;
		self->expected = take(self->fds[0]).value;
	}
}

FIXTURE_SETUP(many)
{
	struct perf_event_attr sim = pe_sim_attr();
	int i;

#if !defined(__x86_64__) && !defined(__i386)
	SKIP(return, "counts are not exact: tasks have additional faults on this machine");
#endif
	if (variant->scheduled && (int)sim.type < 0)
		SKIP(return, "no simulated PMU");
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.inherit = 1;
	self->a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	self->fds[0] = pe_self(&self->a);
	ASSERT_LE(0, self->fds[0]);
	self->a.config = PERF_COUNT_SW_TASK_CLOCK;
	self->fds[1] = pe_self(&self->a);
	ASSERT_LE(0, self->fds[1]);
	self->fds[2] = -1;
	self->clock = 0;
	if (variant->scheduled) {
		sim.inherit = 1;
		sim.read_format = self->a.read_format;
		self->fds[2] = pe_self(&sim);
		ASSERT_LE(0, self->fds[2]);
	}
	for (i = 0; i < TASKS; i++)
		start(_metadata, self, i);
	settle(_metadata, self);
}

FIXTURE_TEARDOWN(many)
{
	int i;

	for (i = 0; i < TASKS; i++)
		pe_child_end(&self->tasks[i]);
	for (i = 0; i < 3; i++)
		close(self->fds[i]);
}

/* End a task, and start another one in its place. */
static void replace(struct __test_metadata *_metadata, struct _test_data_many *self, int i)
{
	pe_child_end(&self->tasks[i]);
	start(_metadata, self, i);
	settle(_metadata, self);
}

static void check(struct __test_metadata *_metadata, struct _test_data_many *self,
		  struct reading *last)
{
	struct reading now = take(self->fds[0]), clock = take(self->fds[1]);

	EXPECT_EQ(self->expected, now.value);
	EXPECT_LE(last->enabled, now.enabled);
	EXPECT_EQ(now.enabled, now.running);
	EXPECT_LE(self->clock, clock.value);
	self->clock = clock.value;
	*last = now;
}

/* Some of the tasks run before each read, and sometimes all of them. */
TEST_F(many, each_counts_once)
{
	struct reading last = {};
	int round, i;

	srandom(1);
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < TASKS; i++) {
			if (!(round % 16) || !(random() % 8))
				work(_metadata, self, i);
		}
		check(_metadata, self, &last);
		if (!(round % 3))
			check(_metadata, self, &last);
		if (round % 10 == 1)
			replace(_metadata, self, random() % TASKS);
	}
}

/* RESET clears the counts of live tasks, which then count from 0. */
TEST_F(many, reset)
{
	struct reading last = {};
	int round, i;

	srandom(2);
	for (round = 0; round < 8; round++) {
		check(_metadata, self, &last);
		ASSERT_EQ(0, pe_ioctl(self->fds[0], PERF_EVENT_IOC_RESET, 0));
		self->expected = 0;
		if (round % 2)
			check(_metadata, self, &last);
		for (i = 0; i < TASKS; i += 1 + round)
			work(_metadata, self, i);
	}
}

/* Disabled events do not count, in tasks that sleep and in those that run. */
TEST_F(many, disabled_and_enabled)
{
	struct reading last = {};
	__u64 expected;
	int round, i;

	srandom(3);
	for (round = 0; round < 8; round++) {
		check(_metadata, self, &last);
		ASSERT_EQ(0, pe_ioctl(self->fds[0], PERF_EVENT_IOC_DISABLE, 0));
		expected = self->expected;
		for (i = 0; i < TASKS; i += 2)
			work(_metadata, self, i);
		self->expected = expected;
		check(_metadata, self, &last);
		ASSERT_EQ(0, pe_ioctl(self->fds[0], PERF_EVENT_IOC_ENABLE, 0));
		for (i = 1; i < TASKS; i += 2)
			work(_metadata, self, i);
	}
}

/* Closing another event of the same tasks does not change the counts. */
TEST_F(many, another_is_closed)
{
	struct reading last = {};
	int i;

	srandom(4);
	for (i = 0; i < TASKS; i += 3)
		work(_metadata, self, i);
	check(_metadata, self, &last);
	for (i = 1; i < TASKS; i += 3)
		work(_metadata, self, i);
	if (self->fds[2] >= 0)
		close(self->fds[2]);
	self->fds[2] = -1;
	for (i = 2; i < TASKS; i += 3)
		work(_metadata, self, i);
	check(_metadata, self, &last);
	for (i = 0; i < TASKS; i++)
		work(_metadata, self, i);
	check(_metadata, self, &last);
}

TEST_HARNESS_MAIN
