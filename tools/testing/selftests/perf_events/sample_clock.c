// SPDX-License-Identifier: GPL-2.0
/*
 * Record clocks, and the fields of the control page that convert time stamps to cycles.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"

#define NSEC_PER_SEC	1000000000ULL

static struct pe_record rec;

static __u64 now(int clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		return 0;
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

FIXTURE(stamp) {
	struct perf_event_attr a;
	struct pe_ring ring;
	struct pe_sample s;
	int fd;
};

FIXTURE_SETUP(stamp)
{
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.sample_period = 1;
	self->a.sample_type = PERF_SAMPLE_TIME;
}

FIXTURE_TEARDOWN(stamp)
{
}

static __u64 stamp_of_a_fault(struct __test_metadata *_metadata, struct _test_data_stamp *self)
{
	pe_ring_drop(&self->ring, 0);
	pe_fault(1);
	ASSERT_EQ(1, pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
	ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
	return self->s.time;
}

/* Each record clock must match clock_gettime(2). */
TEST_F(stamp, of_each_clock)
{
	static const int clocks[] = {
		CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_TAI,
	};
	struct timex tai = { .modes = ADJ_TAI, .constant = 37 };
	__u64 before, time, after;
	unsigned int i;

	/*
	 * Make CLOCK_TAI differ from CLOCK_REALTIME. On a machine that was never suspended
	 * CLOCK_MONOTONIC and CLOCK_BOOTTIME are equal: KUnit tests distinguish these.
	 */
	if (!geteuid())
		ASSERT_LE(0, adjtimex(&tai));
	self->a.use_clockid = 1;
	for (i = 0; i < PE_ARRAY_SIZE(clocks); i++) {
		if (clocks[i] == CLOCK_TAI &&
		    now(CLOCK_TAI) < now(CLOCK_REALTIME) + 30 * NSEC_PER_SEC) {
			ASSERT_NE(0, geteuid());
			TH_LOG("CLOCK_TAI is equal to CLOCK_REALTIME");
			continue;
		}
		self->a.clockid = clocks[i];
		self->fd = pe_self(&self->a);
		ASSERT_LE(0, self->fd);
		ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 1));
		before = now(clocks[i]);
		time = stamp_of_a_fault(_metadata, self);
		after = now(clocks[i]);
		ASSERT_NE(0, before);
		EXPECT_LE(before, time) {
			TH_LOG("clock %d", clocks[i]);
		}
		EXPECT_GE(after, time) {
			TH_LOG("clock %d", clocks[i]);
		}
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
}

#ifdef __x86_64__
static __u64 cycles(void)
{
	unsigned int low, high;

	__asm__ __volatile__("lfence; rdtsc; lfence" : "=a" (low), "=d" (high) : : "memory");
	return (__u64)high << 32 | low;
}

/* Convert a time stamp back to cycles, as the ABI documents for time_zero. */
static __u64 cycles_of(const struct perf_event_mmap_page *p, __u64 time)
{
	__u64 quot, rem;

	time -= p->time_zero;
	quot = time / p->time_mult;
	rem = time % p->time_mult;
	return (quot << p->time_shift) + (rem << p->time_shift) / p->time_mult;
}

TEST_F(stamp, back_into_cycles)
{
	__u64 before, time, after, slack;
	int i;

	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 1));
	if (!self->ring.page->cap_user_time_zero)
		SKIP(return, "no clock in user space");
	/* A time stamp has whole nanoseconds: allow for this error. */
	slack = (2ULL << self->ring.page->time_shift) / self->ring.page->time_mult + 2;
	for (i = 0; i < 100; i++) {
		before = cycles();
		time = stamp_of_a_fault(_metadata, self);
		after = cycles();
		ASSERT_LE(before, cycles_of(self->ring.page, time) + slack);
		ASSERT_GE(after + slack, cycles_of(self->ring.page, time));
	}
	pe_ring_unmap(&self->ring);
	close(self->fd);
}

/* With use_clockid the page must not state that time stamps can be converted. */
TEST_F(stamp, no_way_to_a_chosen_clock)
{
	self->a.use_clockid = 1;
	self->a.clockid = CLOCK_MONOTONIC;
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 1));
	EXPECT_FALSE((bool)self->ring.page->cap_user_time_zero);
	pe_ring_unmap(&self->ring);
	close(self->fd);
}
#endif

/* Time for which CPU 1 has been idle, in ticks of /proc/stat, or -1 */
static long long idle_time(void)
{
	FILE *f = fopen("/proc/stat", "r");
	long long idle = -1;
	char line[512];

	while (f && idle < 0 && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "cpu1 %*d %*d %*d %lld", &idle) != 1)
			idle = -1;
	}
	if (f)
		fclose(f);
	return idle;
}

/*
 * Take samples of the clock event of CPU 1: some while the CPU is idle, and some while it is busy.
 * Return: whether it was idle
 */
static bool sample_clock(struct __test_metadata *_metadata, struct _test_data_stamp *self,
			 struct perf_event_attr *a, struct pe_child *child, unsigned int *idle,
			 unsigned int *busy)
{
	unsigned int tries = 0;
	long long before;
	bool was_idle;

	*idle = 0;
	*busy = 0;
	self->fd = pe_open(a, -1, 1, -1, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 8));
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	/* Keep the CPU busy until it has been sampled while busy, and then leave it idle. */
	while (!*busy) {
		ASSERT_EQ(0, pe_child_do(child, PE_SPIN, 1000000));
		while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE) == 1) {
			ASSERT_EQ(0, pe_sample_parse(a, &rec, &self->s));
			*idle += !self->s.tid;
			*busy += !!self->s.tid;
		}
	}
	before = idle_time();
	/* Other tasks may keep it busy for a while, and the host may stop it. */
	do {
		pe_sleep_ms(200);
		while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE) == 1) {
			ASSERT_EQ(0, pe_sample_parse(a, &rec, &self->s));
			*idle += !self->s.tid;
			*busy += !!self->s.tid;
		}
		was_idle = idle_time() > before;
	} while (!(a->exclude_idle ? was_idle : *idle) && ++tries < 25);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	pe_ring_unmap(&self->ring);
	close(self->fd);
	return was_idle || *idle;
}

/* With exclude_idle there are no samples while the CPU is idle. */
TEST_F(stamp, not_while_idle)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_CPU_CLOCK);
	unsigned int idle, busy, round;
	struct pe_child child;
	bool was_idle = true;

	if (pe_cpu_count() < 2 || geteuid())
		SKIP(return, "needs two CPUs, and root");
	a.sample_period = 100000;
	a.sample_type = PERF_SAMPLE_TID;
	ASSERT_EQ(0, pe_move_to(0));
	ASSERT_EQ(0, pe_child_start(&child));
	ASSERT_EQ(0, pe_child_do(&child, PE_MOVE, 1));
	for (round = 0; round < 2 && was_idle; round++) {
		a.exclude_idle = round;
		was_idle = sample_clock(_metadata, self, &a, &child, &idle, &busy);
		TH_LOG("exclude_idle %u: %u samples while idle, %u others", round, idle, busy);
		if (was_idle)
			EXPECT_EQ(!round, !!idle);
	}
	pe_child_end(&child);
	if (!was_idle)
		SKIP(return, "the CPU was never idle");
}

TEST_HARNESS_MAIN
