// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2): attributes of sampling, and flags that exclude or require one another.
 */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define MAX_RATE	PE_SYSCTL "perf_event_max_sample_rate"
#define MAX_STACK	PE_SYSCTL "perf_event_max_stack"

static int try_self(struct perf_event_attr *attr)
{
	return pe_try(attr, 0, -1, -1, 0);
}

FIXTURE(sampling) {
	struct perf_event_attr a;
};

FIXTURE_SETUP(sampling)
{
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
}

FIXTURE_TEARDOWN(sampling)
{
}

TEST_F(sampling, period)
{
	self->a.sample_period = 1;
	EXPECT_EQ(0, try_self(&self->a));
	self->a.sample_period = (1ULL << 63) - 1;
	EXPECT_EQ(0, try_self(&self->a));
	/* A period must be less than 2^63. */
	self->a.sample_period = 1ULL << 63;
	EXPECT_EQ(-EINVAL, try_self(&self->a));
	self->a.sample_period = ~0ULL;
	EXPECT_EQ(-EINVAL, try_self(&self->a));
}

TEST_F(sampling, frequency)
{
	__u64 max = pe_get(MAX_RATE);

	self->a.freq = 1;
	self->a.sample_freq = 1;
	EXPECT_EQ(0, try_self(&self->a));
	self->a.sample_freq = max;
	EXPECT_EQ(0, try_self(&self->a));
	self->a.sample_freq = max + 1;
	EXPECT_EQ(-EINVAL, try_self(&self->a));
	self->a.sample_freq = ~0ULL;
	EXPECT_EQ(-EINVAL, try_self(&self->a));

	/* With a frequency of 0 the event only counts. */
	self->a.sample_freq = 0;
	EXPECT_EQ(0, try_self(&self->a));

	/* The same number is allowed as a period. */
	self->a.freq = 0;
	self->a.sample_period = max + 1;
	EXPECT_EQ(0, try_self(&self->a));
}

TEST_F(sampling, precise_ip)
{
	unsigned int precise;

	for (precise = 0; precise < 4; precise++) {
		self->a.precise_ip = precise;
		self->a.sample_period = 0;
		EXPECT_EQ(0, try_self(&self->a));
		self->a.sample_period = 1000;
		EXPECT_EQ(0, try_self(&self->a));
	}
}

TEST_F(sampling, max_stack)
{
	long max = pe_get(MAX_STACK);

	ASSERT_LT(0, max);
	self->a.sample_period = 1000;
	self->a.sample_type = PERF_SAMPLE_CALLCHAIN;
	self->a.sample_max_stack = 0;
	EXPECT_EQ(0, try_self(&self->a));
	self->a.sample_max_stack = 1;
	EXPECT_EQ(0, try_self(&self->a));
	self->a.sample_max_stack = max;
	EXPECT_EQ(0, try_self(&self->a));
	self->a.sample_max_stack = max + 1;
	EXPECT_EQ(-EOVERFLOW, try_self(&self->a));
	self->a.sample_max_stack = UINT16_MAX;
	EXPECT_EQ(-EOVERFLOW, try_self(&self->a));

	/* sample_max_stack is not checked without a call chain. */
	self->a.sample_type = 0;
	EXPECT_EQ(0, try_self(&self->a));
}

TEST_F(sampling, callchain_of_nothing)
{
	self->a.sample_period = 1000;
	self->a.sample_type = PERF_SAMPLE_CALLCHAIN;
	self->a.exclude_callchain_kernel = 1;
	EXPECT_EQ(0, try_self(&self->a));
	self->a.exclude_callchain_user = 1;
	EXPECT_EQ(0, try_self(&self->a));
}

TEST_F(sampling, clock)
{
	static const int good[] = {
		CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW,
		CLOCK_BOOTTIME, CLOCK_TAI,
	};
	static const int bad[] = {
		CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
		CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE,
		CLOCK_REALTIME_ALARM, CLOCK_BOOTTIME_ALARM, 10, 12, 1000, -1, -2,
	};
	unsigned int i;

	self->a.use_clockid = 1;
	for (i = 0; i < PE_ARRAY_SIZE(good); i++) {
		self->a.clockid = good[i];
		EXPECT_EQ(0, try_self(&self->a)) {
			TH_LOG("clock %d", good[i]);
		}
	}
	for (i = 0; i < PE_ARRAY_SIZE(bad); i++) {
		self->a.clockid = bad[i];
		EXPECT_EQ(-EINVAL, try_self(&self->a)) {
			TH_LOG("clock %d", bad[i]);
		}
	}

	/* The clock's number is checked only with the flag. */
	self->a.use_clockid = 0;
	self->a.clockid = 1000;
	EXPECT_EQ(0, try_self(&self->a));
}

TEST_F(sampling, inherited_read)
{
	/*
	 * With inherit, a sample of counts requires the thread id, because each thread has its own
	 * counts.
	 */
	self->a.inherit = 1;
	self->a.sample_period = 1000;
	self->a.sample_type = PERF_SAMPLE_READ;
	EXPECT_EQ(-EINVAL, try_self(&self->a));
	self->a.read_format = PERF_FORMAT_GROUP;
	EXPECT_EQ(-EINVAL, try_self(&self->a));
	self->a.sample_type |= PERF_SAMPLE_TID;
	EXPECT_EQ(0, try_self(&self->a));
	self->a.read_format = 0;
	EXPECT_EQ(0, try_self(&self->a));
	self->a.inherit = 0;
	self->a.sample_type = PERF_SAMPLE_READ;
	EXPECT_EQ(0, try_self(&self->a));
}

TEST_F(sampling, inherit_thread)
{
	self->a.inherit_thread = 1;
	EXPECT_EQ(-EINVAL, try_self(&self->a));
	self->a.inherit = 1;
	EXPECT_EQ(0, try_self(&self->a));
}

TEST_F(sampling, remove_or_enable_on_exec)
{
	self->a.remove_on_exec = 1;
	EXPECT_EQ(0, try_self(&self->a));
	self->a.enable_on_exec = 1;
	EXPECT_EQ(-EINVAL, try_self(&self->a));
	self->a.remove_on_exec = 0;
	EXPECT_EQ(0, try_self(&self->a));
}

TEST_F(sampling, sigtrap)
{
	/* After an exec the new program must not get a signal of the event. */
	self->a.sigtrap = 1;
	self->a.sample_period = 1000;
	EXPECT_EQ(-EINVAL, try_self(&self->a));
	self->a.remove_on_exec = 1;
	EXPECT_EQ(0, try_self(&self->a));

	/* Only events of tasks can send the signal, not events of a CPU. */
	self->a.inherit = 1;
	EXPECT_EQ(0, try_self(&self->a));
	self->a.inherit = 0;
	EXPECT_EQ(-EINVAL, pe_try(&self->a, -1, 0, -1, 0));
}

TEST_F(sampling, aux_fields)
{
	/* Only a PMU with an AUX area supports these fields. */
	self->a.aux_output = 1;
	EXPECT_EQ(-EOPNOTSUPP, try_self(&self->a));
	self->a.aux_output = 0;

	self->a.aux_sample_size = 4096;
	EXPECT_EQ(-EINVAL, try_self(&self->a));
	self->a.aux_sample_size = 0;

	self->a.aux_watermark = 4096;
	EXPECT_EQ(0, try_self(&self->a));
	self->a.aux_watermark = 0;

	self->a.aux_start_paused = 1;
	EXPECT_EQ(-EOPNOTSUPP, try_self(&self->a));
	self->a.aux_start_paused = 0;
	self->a.aux_pause = 1;
	EXPECT_EQ(-EINVAL, try_self(&self->a));
	self->a.aux_pause = 0;
	self->a.aux_resume = 1;
	EXPECT_EQ(-EINVAL, try_self(&self->a));
	self->a.aux_pause = 1;
	EXPECT_EQ(-EINVAL, try_self(&self->a));
}

TEST_F(sampling, exclusion)
{
	unsigned int mask;

	/* Every combination is allowed, even one that excludes all modes. */
	for (mask = 0; mask < 64; mask++) {
		self->a.exclude_user = mask & 1;
		self->a.exclude_kernel = mask >> 1 & 1;
		self->a.exclude_hv = mask >> 2 & 1;
		self->a.exclude_idle = mask >> 3 & 1;
		self->a.exclude_host = mask >> 4 & 1;
		self->a.exclude_guest = mask >> 5 & 1;
		EXPECT_EQ(0, try_self(&self->a));
	}
}

TEST_F(sampling, record_flags)
{
	/*
	 * Each flag asks for records other than samples; an event that only
	 * counts may have them.
	 */
	self->a.mmap = 1;
	self->a.mmap_data = 1;
	self->a.mmap2 = 1;
	self->a.comm = 1;
	self->a.comm_exec = 1;
	self->a.task = 1;
	self->a.context_switch = 1;
	self->a.namespaces = 1;
	self->a.ksymbol = 1;
	self->a.bpf_event = 1;
	self->a.text_poke = 1;
	self->a.build_id = 1;
	self->a.sample_id_all = 1;
	self->a.watermark = 1;
	self->a.wakeup_watermark = UINT32_MAX;
	self->a.write_backward = 1;
	self->a.inherit_stat = 1;
	EXPECT_EQ(0, try_self(&self->a));
}

TEST_F(sampling, pinned_and_exclusive)
{
	/* A leader may be pinned and exclusive. */
	self->a.pinned = 1;
	EXPECT_EQ(0, try_self(&self->a));
	self->a.exclusive = 1;
	EXPECT_EQ(0, try_self(&self->a));
}

TEST_HARNESS_MAIN
