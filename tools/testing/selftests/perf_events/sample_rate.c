// SPDX-License-Identifier: GPL-2.0
/* Rate of samples: frequencies, new periods, throttling. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"
#include "pe_sim.h"

#define RATE	PE_SYSCTL "perf_event_max_sample_rate"
#define PERCENT	PE_SYSCTL "perf_cpu_time_max_percent"

static struct pe_record rec;

FIXTURE(rate) {
	struct perf_event_attr a;
	struct pe_ring ring;
	struct pe_sample s;
	long was, percent;
	int fd;
};

FIXTURE_SETUP(rate)
{
	self->was = pe_get(RATE);
	self->percent = pe_get(PERCENT);
	self->a = pe_attr_off(PERF_COUNT_SW_CPU_CLOCK);
	self->a.sample_type = PERF_SAMPLE_PERIOD | PERF_SAMPLE_ID;
	self->a.sample_id_all = 1;
	self->fd = -1;
}

FIXTURE_TEARDOWN(rate)
{
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
	if (pe_get(RATE) != self->was)
		pe_set(RATE, self->was);
	if (pe_get(PERCENT) != self->percent)
		pe_set(PERCENT, self->percent);
}

static int start(struct _test_data_rate *self, unsigned int pages)
{
	self->fd = pe_self(&self->a);
	return self->fd < 0 ? self->fd : pe_ring_map(&self->ring, self->fd, pages);
}

/* Use some ms of CPU time. */
static void spin_ms(unsigned int ms)
{
	struct timespec from, now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	do {
		pe_spin(10000);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while ((now.tv_sec - from.tv_sec) * 1000 +
		 (now.tv_nsec - from.tv_nsec) / 1000000 < (long)ms);
}

TEST_F(rate, throttled)
{
	unsigned int halted = 0, gone_on = 0, samples = 0, round;
	__u64 body[3], id;
	bool off = false;

	/* Repeatedly cause more overflows at once than a tick allows. */
	if (geteuid() || pe_sim_type() < 0)
		SKIP(return, "needs the simulated PMU, and root");
	self->a.type = pe_sim_type();
	self->a.config = PE_SIM_STEP;
	ASSERT_EQ(0, pe_set(PERCENT, 90));
	ASSERT_EQ(0, pe_set(RATE, 1000));
	self->a.sample_period = 1;
	ASSERT_EQ(0, start(self, 64));
	id = pe_id(self->fd);
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	for (round = 0; round < 10; round++) {
		ASSERT_EQ(0, pe_sim_advance(100));
		spin_ms(30);
	}
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	while (pe_ring_next(&self->ring, &rec) == 1) {
		samples += rec.head.type == PERF_RECORD_SAMPLE;
		if (rec.head.type != PERF_RECORD_THROTTLE &&
		    rec.head.type != PERF_RECORD_UNTHROTTLE)
			continue;
		/* The THROTTLE record precedes UNTHROTTLE; both have time, id and stream_id. */
		ASSERT_EQ(8 + 24 + 8, rec.head.size);
		memcpy(body, rec.body, sizeof(body));
		EXPECT_LT(0, body[0]);
		EXPECT_EQ(id, body[1]);
		EXPECT_EQ(id, body[2]);
		EXPECT_EQ(off ? PERF_RECORD_UNTHROTTLE : PERF_RECORD_THROTTLE, rec.head.type);
		off = rec.head.type == PERF_RECORD_THROTTLE;
		halted += off;
		gone_on += !off;
	}
	EXPECT_LT(1, halted);
	EXPECT_LE(halted - 1, gone_on);
	EXPECT_LT(0, samples);
	EXPECT_GT(1000, samples);
}

TEST_F(rate, not_throttled)
{
	unsigned int others = 0;

	self->a.sample_period = 10000000;
	ASSERT_EQ(0, start(self, 8));
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	spin_ms(100);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	while (pe_ring_next(&self->ring, &rec) == 1)
		others += rec.head.type != PERF_RECORD_SAMPLE;
	EXPECT_EQ(0, others);
}

TEST_F(rate, frequency)
{
	__u64 last = 0, first = 0, count;
	unsigned int samples = 0, i;

	/*
	 * The event starts with a period of 1, and must find a period for about the requested rate.
	 * Each sample has its period.
	 */
	self->a.config = PERF_COUNT_SW_PAGE_FAULTS;
	self->a.freq = 1;
	self->a.sample_freq = 50;
	ASSERT_EQ(0, start(self, 64));
	pe_fault(1);
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < 200; i++)
		pe_fault(500);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	count = pe_count(self->fd);
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE) == 1) {
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
		if (!samples++)
			first = self->s.period;
		/* A tick during a stall of the machine may lead to a short period. */
		if (self->s.period > last)
			last = self->s.period;
	}
	EXPECT_LE(100000, count);
	EXPECT_LT(0, samples);
	EXPECT_GT(count / 20, samples);
	EXPECT_GT(5, first);
	EXPECT_LT(10, last);
}

/* An inherited event starts with the period that its parent has found. */
TEST_F(rate, inherited_frequency)
{
	unsigned int of_child = 0, i;
	__u64 last = 0;
	pid_t child;
	int status;

	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.sample_type = PERF_SAMPLE_PERIOD | PERF_SAMPLE_TID;
	self->a.freq = 1;
	self->a.sample_freq = 1;
	self->a.inherit = 1;
	ASSERT_EQ(0, pe_move_to(0));
	/* An inherited event needs a buffer of one CPU. */
	self->fd = pe_open(&self->a, 0, 0, -1, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 64));
	/* The tick before a sample determines its period, and a first period may be too short. */
	for (i = 0; i < 200 || (last <= 100 && i < 20000); i++) {
		pe_fault(500);
		while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE) == 1) {
			ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
			last = self->s.period;
		}
	}
	EXPECT_LT(100, last);
	child = fork();
	if (!child) {
		pe_fault(10);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE) == 1) {
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
		of_child += (pid_t)self->s.tid == child;
	}
	/* The child causes fewer faults than one period, so it has no samples. */
	EXPECT_EQ(0, of_child);
}

TEST_F(rate, frequency_of_a_clock)
{
	unsigned int tries;

	/* The period of a clock event is known from its frequency at once. */
	self->a.freq = 1;
	self->a.sample_freq = 1000;
	ASSERT_EQ(0, start(self, 16));
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	for (tries = 0; tries < 200 && !self->ring.page->data_head; tries++)
		spin_ms(50);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	ASSERT_EQ(1, pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
	ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
	EXPECT_EQ(1000000, self->s.period);
}

TEST_F(rate, frequency_of_a_clock_above_1_ghz)
{
	unsigned int tries;

	/* The period is rounded up to one nanosecond. In 6.12 it is 0: the event only counts. */
	if (geteuid() || !getenv("PE_HARD"))
		SKIP(return, "needs root, to raise the rate, and PE_HARD");
	ASSERT_EQ(0, pe_set(PERCENT, 25));
	ASSERT_EQ(0, pe_set(RATE, 2000000000));
	self->a.freq = 1;
	self->a.sample_freq = 2000000000;
	ASSERT_EQ(0, start(self, 16));
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	for (tries = 0; tries < 200 && !self->ring.page->data_head; tries++)
		spin_ms(50);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(1, pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
}

TEST_F(rate, new_period_at_once)
{
	__u64 period = 10;
	unsigned int i;

	/*
	 * A new period starts at the ioctl: the rest of the old one is dropped. The base kernel
	 * keeps it.
	 */
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	self->a.config = PERF_COUNT_SW_PAGE_FAULTS;
	self->a.sample_type = PERF_SAMPLE_ADDR;
	self->a.sample_period = 1000000;
	ASSERT_EQ(0, start(self, 16));
	pe_fault(1);
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(100);
	EXPECT_EQ(0, pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE));
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period));
	for (i = 0; i < 5; i++)
		pe_fault(20);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	i = pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE);
	EXPECT_LE(9, i);
	EXPECT_GE(11, i);
}

TEST_HARNESS_MAIN
