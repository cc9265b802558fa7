// SPDX-License-Identifier: GPL-2.0
/*
 * Times from the control page alone, by the loop that
 * include/uapi/linux/perf_event.h documents.
 */
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"

#define HAVE_CYCLES	1

#if defined(__x86_64__) || defined(__i386)
static __u64 cycles(void)
{
	unsigned int low, high;

	__asm__ __volatile__("rdtsc" : "=a" (low), "=d" (high));
	return (__u64)high << 32 | low;
}
#elif defined(__aarch64__)
static __u64 cycles(void)
{
	__u64 value;

	__asm__ __volatile__("isb; mrs %0, cntvct_el0" : "=r" (value) : : "memory");
	return value;
}
#else
#undef HAVE_CYCLES
#define HAVE_CYCLES	0

static __u64 cycles(void)
{
	return 0;
}
#endif

#define barrier()	({ __asm__ __volatile__("" : : : "memory"); })

struct moment {
	__u64 enabled;
	__u64 running;
	__u64 time;
	bool usable;
};

/* Scale cycles by the formula in the ABI's header. */
static __u64 scale(const struct perf_event_mmap_page *p, __u64 cyc)
{
	__u64 quot, rem;

	if (p->cap_user_time_short)
		cyc = p->time_cycles + ((cyc - p->time_cycles) & p->time_mask);
	quot = cyc >> p->time_shift;
	rem = cyc & (((__u64)1 << p->time_shift) - 1);
	return quot * p->time_mult + ((rem * p->time_mult) >> p->time_shift);
}

static struct moment look(struct perf_event_mmap_page *page)
{
	struct moment m;
	__u64 delta;
	__u32 seq;

	do {
		seq = __atomic_load_n(&page->lock, __ATOMIC_RELAXED);
		barrier();
		m.enabled = page->time_enabled;
		m.running = page->time_running;
		m.usable = page->cap_user_time && page->cap_user_time_zero;
		if (page->cap_user_time) {
			delta = page->time_offset + scale(page, cycles());
			m.enabled += delta;
			m.running += delta;
		}
		m.time = page->time_zero + scale(page, cycles());
		barrier();
	} while (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != seq || seq & 1);
	return m;
}

FIXTURE(page) {
	struct perf_event_attr a;
	struct pe_ring ring;
	struct pe_sample s;
	int fd;
};

FIXTURE_SETUP(page)
{
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	self->a.sample_period = 1;
	self->a.sample_type = PERF_SAMPLE_TIME;
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 8));
	if (!HAVE_CYCLES || !look(self->ring.page).usable)
		SKIP(return, "no clock in user space");
}

FIXTURE_TEARDOWN(page)
{
	pe_ring_unmap(&self->ring);
	close(self->fd);
}

static void look_between_reads(struct __test_metadata *_metadata, int fd,
			       struct perf_event_mmap_page *page)
{
	__u64 before[3], after[3];
	struct moment m;

	ASSERT_EQ(24, read(fd, before, sizeof(before)));
	m = look(page);
	ASSERT_EQ(24, read(fd, after, sizeof(after)));
	/* Either conversion may lose a fraction of a nanosecond. */
	ASSERT_LE(before[1], m.enabled + 1000);
	ASSERT_GE(after[1] + 1000, m.enabled);
	ASSERT_LE(before[2], m.running + 1000);
	ASSERT_GE(after[2] + 1000, m.running);
}

TEST_F(page, times_lie_between_reads)
{
	int i;

	for (i = 0; i < 1000; i++)
		look_between_reads(_metadata, self->fd, self->ring.page);
}

/* Time while the task is switched out counts for no event, also if the task has other events. */
TEST_F(page, beside_a_scheduled_event)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_CPU_CLOCK);
	int fd;

	a.sample_period = 1000000000;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	pe_sleep_ms(50);
	look_between_reads(_metadata, self->fd, self->ring.page);
	close(fd);
}

/* For a scheduled event, time while the task is switched out does not count, either, as in 6.12. */
TEST_F(page, of_a_breakpoint)
{
	struct perf_event_attr a = pe_attr(0);
	struct pe_ring ring;
	static long watched;
	int fd;

	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	a.type = PERF_TYPE_BREAKPOINT;
	a.bp_type = HW_BREAKPOINT_W;
	a.bp_addr = (unsigned long)&watched;
	a.bp_len = sizeof(watched);
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 1));
	pe_sleep_ms(50);
	look_between_reads(_metadata, fd, ring.page);
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_F(page, clock_is_that_of_the_samples)
{
	static struct pe_record rec;
	struct moment before, after;
	int i;

	pe_ring_drop(&self->ring, 0);
	for (i = 0; i < 100; i++) {
		before = look(self->ring.page);
		pe_fault(1);
		after = look(self->ring.page);
		ASSERT_EQ(1, pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
		ASSERT_LE(before.time, self->s.time + 1000);
		ASSERT_GE(after.time + 1000, self->s.time);
		pe_ring_drop(&self->ring, 0);
	}
}

TEST_F(page, never_goes_back)
{
	struct moment m, last = look(self->ring.page);
	int i;

	for (i = 0; i < 20000; i++) {
		m = look(self->ring.page);
		ASSERT_LE(last.time, m.time);
		ASSERT_LE(last.enabled, m.enabled + 1000);
		last = m;
	}
}

TEST_HARNESS_MAIN
