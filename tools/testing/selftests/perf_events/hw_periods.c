// SPDX-License-Identifier: GPL-2.0
/*
 * A sampling event writes exactly one sample a period, at periods from a thousand to ten million
 * instructions: in user mode, in the kernel, and while other events move it from counter to
 * counter. This holds if an overflow interrupts at once, as on an emulated CPU, and for drivers
 * whose new period starts at the end of the last one, even if the interrupt is late.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_hw.h"
#include "pe_sample.h"

#define RATE		PE_SYSCTL "perf_event_max_sample_rate"
#define SHARE		PE_SYSCTL "perf_cpu_time_max_percent"
/* A system call executes more than this number of instructions in the kernel. */
#define CALL		60
#define SAMPLES		12

static const unsigned long periods[] = {
	1000, 1009, 2000, 3163, 5000, 10000, 10007, 31623, 100000, 100003, 316228, 1000000,
	3162278, 10000000,
};

FIXTURE(periods) {
	struct perf_event_attr a;
	struct pe_ring ring;
	__u64 rate, share;
	bool excludes;
	int fd;
};

FIXTURE_SETUP(periods)
{
	if (pe_hw_missing())
		SKIP(return, "no hardware counters");
	if (!pe_hw_share(false))
		SKIP(return, "another driver");
	pe_move_to(0);
	/*
	 * Disable throttling. The rate can only be set while perf_cpu_time_max_percent is a limit.
	 */
	self->rate = pe_get(RATE);
	self->share = pe_get(SHARE);
	pe_set(SHARE, 99);
	pe_set(RATE, 1000000000);
	pe_set(SHARE, 100);
	self->a = pe_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	self->a.sample_type = PERF_SAMPLE_IP;
	self->excludes = pe_hw_excludes();
}

FIXTURE_TEARDOWN(periods)
{
	if (!self->rate)
		return;
	pe_hw_share(true);
	pe_set(SHARE, 99);
	pe_set(RATE, self->rate);
	pe_set(SHARE, self->share);
}

static void work(unsigned long instructions, bool kernel)
{
	unsigned long i;

	if (!kernel)
		pe_hw_loop(instructions);
	for (i = 0; kernel && i < instructions / CALL; i++)
		syscall(SYS_getppid);
}

/*
 * @others: events that are enabled and disabled during the check; -1 ends the list.
 */
static void check(struct __test_metadata *_metadata, struct _test_data_periods *self,
		  unsigned long period, bool kernel, const int *others)
{
	unsigned long at_least = SAMPLES * period < 200000 ? 200000 : SAMPLES * period;
	unsigned int n, i, late;
	__u64 count;

	self->a.sample_period = period;
	self->a.exclude_user = kernel;
	/* A period that ends in an excluded mode has no sample. */
	self->a.exclude_kernel = !kernel && self->excludes;
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 256));
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < 4; i++) {
		const int *fd;

		for (fd = others; *fd >= 0; fd++)
			pe_ioctl(*fd, i & 1 ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE, 0);
		work(at_least / 4, kernel);
	}
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	count = pe_count(self->fd);
	n = pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE);
	/* While other events have all counters, the event does not count. */
	if (*others < 0)
		EXPECT_LE(at_least, count);
	/* The last period in the kernel may end while the event is being stopped. */
	late = !self->a.exclude_kernel;
	EXPECT_LE(count / period, n + late)
		TH_LOG("period %lu: %u samples, count %llu", period, n, count);
	EXPECT_GE(count / period, n)
		TH_LOG("period %lu: %u samples, count %llu", period, n, count);
	pe_ring_unmap(&self->ring);
	close(self->fd);
}

static void check_all(struct __test_metadata *_metadata, struct _test_data_periods *self,
		      bool kernel, const int *others)
{
	unsigned int i;

	for (i = 0; i < PE_ARRAY_SIZE(periods); i++)
		check(_metadata, self, periods[i], kernel, others);
}

static const int nobody = -1;

TEST_F(periods, in_user_mode)
{
	check_all(_metadata, self, false, &nobody);
}

TEST_F(periods, in_the_kernel)
{
	check_all(_metadata, self, true, &nobody);
}

/* New pinned events take counters, and other events move. */
TEST_F(periods, beside_events_that_come_and_go)
{
	static const __u64 configs[] = {
		PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
		PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	};
	struct perf_event_attr a;
	int others[4];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		a = pe_hw_attr(configs[i]);
		a.pinned = 1;
		others[i] = pe_self(&a);
	}
	/* Fewer events suffice on a PMU with fewer counters. */
	others[i] = -1;
	check_all(_metadata, self, false, others);
	for (i = 0; i < 3; i++)
		close(others[i]);
}

TEST_HARNESS_MAIN
