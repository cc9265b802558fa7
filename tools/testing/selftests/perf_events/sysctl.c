// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/sys/kernel/perf_*: presence, ranges and effects.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define RATE		PE_SYSCTL "perf_event_max_sample_rate"
#define PERCENT		PE_SYSCTL "perf_cpu_time_max_percent"
#define STACK		PE_SYSCTL "perf_event_max_stack"
#define CONTEXTS	PE_SYSCTL "perf_event_max_contexts_per_stack"
#define MLOCK		PE_SYSCTL "perf_event_mlock_kb"

/**
 * struct range - a file and its valid numbers
 * @path: the file
 * @low: lowest valid number
 * @high: a high number that is valid on every machine
 * @refused: a higher number that is invalid on every machine
 */
struct range {
	const char *path;
	long long low;
	long long high;
	long long refused;
};

static const struct range ranges[] = {
	{ PE_PARANOID, INT_MIN, INT_MAX, INT_MAX + 1LL },
	{ MLOCK, INT_MIN, INT_MAX, INT_MAX + 1LL },
	{ RATE, 1, INT_MAX, INT_MAX + 1LL },
	{ PERCENT, 0, 100, 101 },
	{ STACK, 0, 640, INT_MAX },
	{ CONTEXTS, 0, 1000, 1001 },
};

#define NR_FILES PE_ARRAY_SIZE(ranges)

FIXTURE(sysctl) {
	long was[NR_FILES];
};

FIXTURE_SETUP(sysctl)
{
	unsigned int i;

	if (geteuid())
		SKIP(return, "needs root");
	for (i = 0; i < NR_FILES; i++) {
		self->was[i] = pe_get(ranges[i].path);
		ASSERT_NE(LONG_MIN, self->was[i]);
	}
}

FIXTURE_TEARDOWN(sysctl)
{
	unsigned int i;

	pe_set(PERCENT, 25);
	for (i = 0; i < NR_FILES; i++)
		pe_set(ranges[i].path, self->was[i]);
}

TEST_F(sysctl, modes)
{
	struct stat st;
	unsigned int i;

	for (i = 0; i < NR_FILES; i++) {
		ASSERT_EQ(0, stat(ranges[i].path, &st));
		EXPECT_EQ(S_IFREG | 0644, st.st_mode);
		EXPECT_EQ(0, st.st_uid);
	}
}

TEST_F(sysctl, ranges)
{
	const struct range *r;
	unsigned int i;
	long was;

	ASSERT_EQ(0, pe_set(PERCENT, 25));
	for (i = 0; i < NR_FILES; i++) {
		r = &ranges[i];
		was = pe_get(r->path);
		EXPECT_EQ(-EINVAL, pe_set(r->path, r->low - 1));
		EXPECT_EQ(-EINVAL, pe_set(r->path, r->refused));
		EXPECT_EQ(-EINVAL, pe_set(r->path, 1LL << 32));
		EXPECT_EQ(was, pe_get(r->path));
		EXPECT_EQ(0, pe_set(r->path, r->low)) {
			TH_LOG("%s", r->path);
		}
		EXPECT_EQ(r->low, pe_get(r->path));
		EXPECT_EQ(0, pe_set(r->path, r->high));
		EXPECT_EQ(r->high, pe_get(r->path));
		EXPECT_EQ(0, pe_set(r->path, was));
	}
}

TEST_F(sysctl, rate_limits_frequency)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_CPU_CLOCK);

	ASSERT_EQ(0, pe_set(PERCENT, 25));
	ASSERT_EQ(0, pe_set(RATE, 5000));
	a.freq = 1;
	a.sample_freq = 5000;
	EXPECT_EQ(0, pe_try(&a, 0, -1, -1, 0));
	a.sample_freq = 5001;
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, -1, 0));
	ASSERT_EQ(0, pe_set(RATE, 5001));
	EXPECT_EQ(0, pe_try(&a, 0, -1, -1, 0));
}

TEST_F(sysctl, rate_is_fixed_without_a_limit_of_time)
{
	/* With 0 or 100 percent the time of samples is not limited. */
	ASSERT_EQ(0, pe_set(PERCENT, 0));
	EXPECT_EQ(-EINVAL, pe_set(RATE, 50000));
	ASSERT_EQ(0, pe_set(PERCENT, 100));
	EXPECT_EQ(-EINVAL, pe_set(RATE, 50000));
	ASSERT_EQ(0, pe_set(PERCENT, 99));
	EXPECT_EQ(0, pe_set(RATE, 50000));
	EXPECT_EQ(50000, pe_get(RATE));
}

TEST_F(sysctl, stack_in_use)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	long stack = pe_get(STACK), contexts = pe_get(CONTEXTS);
	int fd;

	/* The sizes of call chains are fixed while an event uses them. */
	a.sample_period = 1000;
	a.sample_type = PERF_SAMPLE_CALLCHAIN;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EBUSY, pe_set(STACK, stack - 1));
	EXPECT_EQ(-EBUSY, pe_set(CONTEXTS, contexts - 1));
	EXPECT_EQ(stack, pe_get(STACK));
	EXPECT_EQ(contexts, pe_get(CONTEXTS));
	close(fd);
	EXPECT_EQ(0, pe_set(STACK, stack - 1));
	EXPECT_EQ(0, pe_set(CONTEXTS, contexts - 1));
	EXPECT_EQ(stack - 1, pe_get(STACK));
	EXPECT_EQ(contexts - 1, pe_get(CONTEXTS));
}

TEST_F(sysctl, stack_limits_max_stack)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);

	ASSERT_EQ(0, pe_set(STACK, 20));
	a.sample_period = 1000;
	a.sample_type = PERF_SAMPLE_CALLCHAIN;
	a.sample_max_stack = 20;
	EXPECT_EQ(0, pe_try(&a, 0, -1, -1, 0));
	a.sample_max_stack = 21;
	EXPECT_EQ(-EOVERFLOW, pe_try(&a, 0, -1, -1, 0));
}

static int write_one(void *arg)
{
	return pe_set(arg, 1);
}

TEST_F(sysctl, not_for_users)
{
	unsigned int i;

	for (i = 0; i < NR_FILES; i++) {
		EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, write_one,
					     (void *)ranges[i].path));
		EXPECT_EQ(-EACCES, pe_run_as(PE_UID, PE_CAP(CAP_PERFMON), write_one,
					     (void *)ranges[i].path));
	}
}

TEST_HARNESS_MAIN
