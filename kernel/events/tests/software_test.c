// SPDX-License-Identifier: GPL-2.0
/* Number of samples per occurrence of a software event */
#include <kunit/test.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>

#include "../context.h"
#include "../event.h"
#include "../group.h"

#define OCCURRENCES	BIT_ULL(20)

static unsigned int nr_samples;

/*
 * Overflow handler that pretends that each sample takes two jiffies. With a context, it also
 * pretends that this CPU has a tick in the meantime.
 */
static void dear_sample(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	nr_samples++;
	event->cold->counted_since = jiffies - 2;
	if (event->overflow_handler_context)
		event->hw.interrupts_seq--;
}

static void sample_many(struct kunit *test, bool freq, void *ticks_here)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.config		= PERF_COUNT_SW_DUMMY,
		.freq		= freq,
		.sample_period	= 1,
	};
	unsigned int most = READ_ONCE(perf_max_samples_per_tick);
	struct perf_sample_data data;
	struct pt_regs regs = {};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, -1, current, dear_sample, ticks_here);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	nr_samples = 0;
	perf_sample_data_init(&data, 0, 0);
	scoped_guard(preempt)
		perf_swevent_event(event, OCCURRENCES, &data, &regs);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), OCCURRENCES);
	KUNIT_EXPECT_GE(test, nr_samples, 1U);
	KUNIT_EXPECT_LE(test, nr_samples, most);
	perf_event_release_kernel(event);
}

static void samples_of_one_occurrence_are_limited(struct kunit *test)
{
	sample_many(test, false, NULL);
	sample_many(test, true, NULL);
}

static void ticks_do_not_lift_the_sample_limit(struct kunit *test)
{
	sample_many(test, false, &nr_samples);
	sample_many(test, true, &nr_samples);
}

#define MANY	64

/* More events do not increase the limit, because they share it in each tick. */
static void many_events_share_the_sample_limit(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.config		= PERF_COUNT_SW_DUMMY,
		.sample_period	= 1,
	};
	unsigned int most = READ_ONCE(perf_max_samples_per_tick);
	struct perf_event *events[MANY];
	struct perf_sample_data data;
	struct pt_regs regs = {};
	int i;

	for (i = 0; i < MANY; i++) {
		events[i] = perf_event_create_kernel_counter(&attr, -1, current, dear_sample, NULL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(events[i]));
	}
	nr_samples = 0;
	perf_sample_data_init(&data, 0, 0);
	scoped_guard(irqsave) {
		for (i = 0; i < MANY; i++) {
			perf_swevent_event(events[i], OCCURRENCES, &data, &regs);
			KUNIT_EXPECT_TRUE(test, perf_event_throttled(events[i]));
		}
	}
	KUNIT_EXPECT_GE(test, nr_samples, (unsigned int)MANY);
	KUNIT_EXPECT_LE(test, nr_samples, MANY + PERF_BUSY_EVENTS * most);
	for (i = 0; i < MANY; i++) {
		KUNIT_EXPECT_EQ(test, local64_read(&events[i]->count), OCCURRENCES);
		perf_event_release_kernel(events[i]);
	}
}

static bool seen_in_site;

static void look_for_site(struct irq_work *work)
{
	seen_in_site = perf_site_interrupted();
}

/* An interrupt recognizes that it has interrupted an event site, until the site ends. */
static void interrupt_detects_event_site(struct kunit *test)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(look_for_site);
	int level;

	scoped_guard(preempt) {
		level = perf_swevent_get_recursion_context();
		irq_work_queue(&work);
		while (irq_work_is_busy(&work))
			cpu_relax();
		KUNIT_EXPECT_TRUE(test, seen_in_site);
		KUNIT_EXPECT_FALSE(test, perf_site_interrupted());
		perf_swevent_put_recursion_context(level);
	}
	irq_work_queue(&work);
	irq_work_sync(&work);
	KUNIT_EXPECT_FALSE(test, seen_in_site);
}

/*
 * An interrupted event site continues its walk with the next event of the list. The removal of a
 * leader must not move the siblings in the list.
 */
static void members_stay_where_sites_find_them(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.config		= PERF_COUNT_SW_EMULATION_FAULTS,
	};
	struct perf_event *events[6], *leader = NULL;
	struct hlist_node *next[6];
	int i;

	/* The list has siblings, with single events in between. */
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		bool joins = i % 2 && leader;
		struct perf_event *event;

		event = perf_event_alloc(&attr, -1, current, joins ? leader : NULL, NULL, NULL,
					 NULL, -1);
		KUNIT_ASSERT_FALSE(test, IS_ERR(event));
		event->ctx = perf_context_find(current, -1);
		KUNIT_ASSERT_FALSE(test, IS_ERR(event->ctx));
		scoped_guard(mutex, &event->ctx->mutex)
			KUNIT_EXPECT_EQ(test, perf_event_attach(event), 0);
		leader = leader ?: event;
		events[i] = event;
	}
	for (i = 1; i < ARRAY_SIZE(events); i++)
		next[i] = events[i]->hlist_entry.next;
	perf_event_release_kernel(leader);
	for (i = 2; i < ARRAY_SIZE(events); i++) {
		KUNIT_EXPECT_PTR_EQ(test, events[i]->hlist_entry.next, next[i]);
		KUNIT_EXPECT_PTR_EQ(test, events[i]->group_leader, events[i]);
		KUNIT_EXPECT_EQ(test, events[i]->state, PERF_EVENT_STATE_ACTIVE);
	}
	for (i = 1; i < ARRAY_SIZE(events); i++)
		perf_event_release_kernel(events[i]);
}

/*
 * A BPF program in an NMI reads an event that is active, but not started yet, or already stopped:
 * the time while a clock is off does not count.
 */
static void stopped_clock_counts_nothing(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.config		= PERF_COUNT_SW_CPU_CLOCK,
		.sample_period	= NSEC_PER_SEC,
		.disabled	= 1,
	};
	struct perf_event *event;
	u64 count;

	event = perf_event_create_kernel_counter(&attr, -1, current, dear_sample, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	event->pmu->read(event);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), 0);
	perf_event_enable(event);
	perf_event_disable(event);
	count = local64_read(&event->count);
	KUNIT_EXPECT_GT(test, count, 0);
	event->pmu->read(event);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), count);
	perf_event_release_kernel(event);
}

static struct kunit_case perf_software_cases[] = {
	KUNIT_CASE(stopped_clock_counts_nothing),
	KUNIT_CASE(interrupt_detects_event_site),
	KUNIT_CASE(members_stay_where_sites_find_them),
	KUNIT_CASE(many_events_share_the_sample_limit),
	KUNIT_CASE(samples_of_one_occurrence_are_limited),
	KUNIT_CASE(ticks_do_not_lift_the_sample_limit),
	{}
};

static struct kunit_suite perf_software_suite = {
	.name		= "perf_software",
	.test_cases	= perf_software_cases,
};

kunit_test_suite(perf_software_suite);
