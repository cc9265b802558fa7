// SPDX-License-Identifier: GPL-2.0
/*
 * Counts from the control page alone, by the algorithm in include/uapi/linux/perf_event.h. More
 * events than counters are multiplexed: the page must be right while an event has a counter, and
 * while it waits for one. Without a counter the index is 0, and the offset is the count.
 */
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_hw.h"
#include "pe_sample.h"
#include "pe_sim.h"

#define MAX_EVENTS	(2 * PE_HW_MAX)
#define SHARED_EVENTS	12	/* fewer than any driver's limit of events on a CPU */
#define ROUNDS		200000
#define SHARED_ROUNDS	50
#define ENOUGH		50

#define READ_ONCE(x)	__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define barrier()	({ __asm__ __volatile__("" : : : "memory"); })

/**
 * struct seen - values of an event at one moment
 * @count: its count
 * @enabled: ns enabled
 * @running: ns on a counter
 * @index: index of its counter, plus one; not from read(2)
 */
struct seen {
	__u64 count;
	__u64 enabled;
	__u64 running;
	__u32 index;
};

/**
 * struct event - an event with a mapped page
 * @fd: the event
 * @ring: mapping of its page
 */
struct event {
	int fd;
	struct pe_ring ring;
};

static struct event events[MAX_EVENTS];

#if defined(__x86_64__) || defined(__i386)
static __u64 cycles(void)
{
	__u32 low, high;

	__asm__ __volatile__("rdtsc" : "=a" (low), "=d" (high));
	return (__u64)high << 32 | low;
}

static __u64 read_counter(__u32 counter)
{
	__u32 low, high;

	__asm__ __volatile__("rdpmc" : "=a" (low), "=d" (high) : "c" (counter));
	return (__u64)high << 32 | low;
}
#else
static __u64 cycles(void)
{
	__u64 value = 0;

#ifdef __aarch64__
	__asm__ __volatile__("isb; mrs %0, cntvct_el0" : "=r" (value) : : "memory");
#endif
	return value;
}

/* If user space cannot read counters without a request of the event, cap_user_rdpmc must be 0. */
static __u64 read_counter(__u32 counter)
{
	return 0;
}
#endif

static __u64 clock_delta(const struct perf_event_mmap_page *p)
{
	__u64 cyc = cycles(), quot, rem;

	if (p->cap_user_time_short)
		cyc = p->time_cycles + ((cyc - p->time_cycles) & p->time_mask);
	quot = cyc >> p->time_shift;
	rem = cyc & (((__u64)1 << p->time_shift) - 1);
	return p->time_offset + quot * p->time_mult + ((rem * p->time_mult) >> p->time_shift);
}

static struct seen by_page(const struct perf_event_mmap_page *p)
{
	struct seen s;
	__u64 counter;
	__u32 seq;

	do {
		seq = READ_ONCE(p->lock);
		barrier();
		s.enabled = p->time_enabled;
		s.running = p->time_running;
		s.index = p->index;
		s.count = p->offset;
		if (p->cap_user_rdpmc && s.index) {
			counter = read_counter(s.index - 1) << (64 - p->pmc_width);
			s.count += (__s64)counter >> (64 - p->pmc_width);
		}
		if (p->cap_user_time && s.enabled != s.running) {
			__u64 delta = clock_delta(p);

			s.enabled += delta;
			if (s.index)
				s.running += delta;
		}
		barrier();
	} while (READ_ONCE(p->lock) != seq || seq & 1);
	return s;
}

static struct seen by_call(int fd)
{
	struct seen s = { 0 };
	__u64 value[3];

	if (read(fd, value, sizeof(value)) == sizeof(value)) {
		s.count = value[0];
		s.enabled = value[1];
		s.running = value[2];
	}
	return s;
}

/* Scale the count by the two times. */
static __u64 scaled(const struct seen *s)
{
	__u64 quot, rem;

	if (!s->running)
		return 0;
	quot = s->count / s->running;
	rem = s->count % s->running;
	return quot * s->enabled + (rem * s->enabled) / s->running;
}

FIXTURE(page) {
	unsigned int nr;
};

FIXTURE_SETUP(page)
{
	self->nr = 0;
	/* Equal events must not share a counter here: they have to wait for each other. */
	pe_hw_share(false);
	ASSERT_EQ(0, pe_move_to(0));
}

FIXTURE_TEARDOWN(page)
{
	pe_hw_share(true);
	while (self->nr--) {
		pe_ring_unmap(&events[self->nr].ring);
		close(events[self->nr].fd);
	}
}

static void open_all(struct __test_metadata *_metadata, struct _test_data_page *self,
		     struct perf_event_attr *attr, unsigned int nr)
{
	struct event *e;

	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr->disabled = 0;
	for (; nr; nr--) {
		e = &events[self->nr];
		e->fd = pe_self(attr);
		ASSERT_LE(0, e->fd);
		ASSERT_EQ(0, pe_ring_map(&e->ring, e->fd, 0));
		self->nr++;
	}
}

/*
 * Read the page between two calls of read(2). If the event had no counter in between, the page must
 * have the same values. Return: whether the event had no counter.
 */
static bool look(struct __test_metadata *_metadata, struct event *e, bool *on)
{
	struct seen before, page, after;
	__u64 first, mine, last;

	before = by_call(e->fd);
	page = by_page(e->ring.page);
	after = by_call(e->fd);
	ASSERT_NE(0, before.enabled);
	*on = page.index;
	/* The event was scheduled in between, or the page cannot be used to read the counter. */
	if (before.running != after.running)
		return false;
	ASSERT_EQ(0, page.index);
	ASSERT_EQ(before.count, page.count);
	ASSERT_EQ(before.running, page.running);
	/* Without a clock in user space the page has the times of the last change. */
	if (e->ring.page->cap_user_time && page.enabled != page.running) {
		ASSERT_LE(before.enabled, page.enabled + 1000);
		first = scaled(&before);
		mine = scaled(&page);
		last = scaled(&after);
		/* The conversion of cycles loses less than one part in a thousand. */
		ASSERT_LE(first, mine + mine / 1000 + 1);
		ASSERT_LE(mine, last + last / 1000 + 1);
	}
	ASSERT_GE(after.enabled + 1000, page.enabled);
	return true;
}

TEST_F(page, of_events_that_wait)
{
	struct perf_event_attr a = pe_sim_attr();
	unsigned int waiting = 0, round, i;
	bool on;

	if (pe_sim_type() < 0 || geteuid())
		SKIP(return, "needs the simulated PMU, and root");
	open_all(_metadata, self, &a, 2 * PE_SIM_COUNTERS);
	for (round = 0; round < ROUNDS && waiting < ENOUGH; round++) {
		ASSERT_EQ(0, pe_sim_advance(1000));
		for (i = 0; i < self->nr; i++) {
			/* The page's times do not include the time while the task sleeps. */
			usleep(2000);
			/* Wait for an event that has counted and waits for a counter now. */
			if (look(_metadata, &events[i], &on) && pe_count(events[i].fd))
				waiting++;
		}
	}
	TH_LOG("%u times of an event that waited", waiting);
	EXPECT_LE(ENOUGH, waiting);
}

/* An event that is enabled while all counters are taken has a correct page at once. */
TEST_F(page, of_events_enabled_to_wait)
{
	struct perf_event_attr a = pe_sim_attr();
	unsigned int waiting = 0, round, i;
	bool on;

	if (pe_sim_type() < 0 || geteuid())
		SKIP(return, "needs the simulated PMU, and root");
	open_all(_metadata, self, &a, 2 * PE_SIM_COUNTERS);
	for (round = 0; round < ROUNDS && waiting < ENOUGH; round++) {
		for (i = 0; i < self->nr; i++) {
			/* Wait first, so that enabled and running differ. */
			ASSERT_EQ(0, ioctl(events[i].fd, PERF_EVENT_IOC_DISABLE, 0));
			usleep(2000);
			ASSERT_EQ(0, ioctl(events[i].fd, PERF_EVENT_IOC_ENABLE, 0));
			if (!look(_metadata, &events[i], &on))
				continue;
			if (by_page(events[i].ring.page).running)
				waiting++;
		}
	}
	TH_LOG("%u times of an event that waited", waiting);
	EXPECT_LE(ENOUGH, waiting);
}

/* The count of an event with a counter is read by the page, if user space can read counters. */
TEST_F(page, of_hardware_events)
{
	struct perf_event_attr a = pe_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	unsigned int counters, waiting = 0, counting = 0, round, i;
	struct seen before, page, after;
	bool on, readable;

	if (pe_hw_missing())
		SKIP(return, "no hardware counters");
	counters = pe_hw_counters();
	ASSERT_LT(0, counters);
	open_all(_metadata, self, &a, counters + 2);
	readable = events[0].ring.page->cap_user_rdpmc;
	for (round = 0; round < ROUNDS; round++) {
		pe_hw_loop(10000);
		for (i = 0; i < self->nr; i++) {
			if (look(_metadata, &events[i], &on)) {
				waiting++;
				continue;
			}
			before = by_call(events[i].fd);
			page = by_page(events[i].ring.page);
			after = by_call(events[i].fd);
			if (!page.index || !readable)
				continue;
			ASSERT_LE(before.count, page.count);
			ASSERT_LE(page.count, after.count);
			counting++;
		}
		if (waiting >= ENOUGH && (counting >= ENOUGH || !readable))
			break;
	}
	TH_LOG("%u times of an event that waited, %u of one that counted", waiting, counting);
	EXPECT_LE(ENOUGH, waiting);
	if (readable)
		EXPECT_LE(ENOUGH, counting);
}

/* Equal events share one counter: each has its own offset in its page. */
TEST_F(page, of_events_that_share_a_counter)
{
	struct perf_event_attr a = pe_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	unsigned int counting = 0, round, i;
	struct seen before, page, after;

	if (pe_hw_missing() || !pe_hw_share(true))
		SKIP(return, "no hardware counters that events share");
	open_all(_metadata, self, &a, SHARED_EVENTS);
	for (round = 0; round < SHARED_ROUNDS; round++) {
		pe_hw_loop(10000);
		/* Disable one event after another for a while, so that all offsets differ. */
		i = round % self->nr;
		ASSERT_EQ(0, ioctl(events[i].fd, PERF_EVENT_IOC_DISABLE, 0));
		pe_hw_loop(1000 * (i + 1));
		page = by_page(events[i].ring.page);
		ASSERT_EQ(0, page.index);
		ASSERT_EQ(by_call(events[i].fd).count, page.count);
		ASSERT_EQ(0, ioctl(events[i].fd, PERF_EVENT_IOC_ENABLE, 0));
		for (i = 0; i < self->nr; i++) {
			before = by_call(events[i].fd);
			page = by_page(events[i].ring.page);
			after = by_call(events[i].fd);
			/* There is a counter for each. */
			ASSERT_EQ(after.enabled - before.enabled, after.running - before.running);
			if (!page.index || !events[i].ring.page->cap_user_rdpmc)
				continue;
			ASSERT_LE(before.count, page.count);
			ASSERT_LE(page.count, after.count);
			counting++;
		}
	}
	TH_LOG("%u times of an event that counted", counting);
	if (events[0].ring.page->cap_user_rdpmc)
		EXPECT_LE(ENOUGH, counting);
}

TEST_HARNESS_MAIN
