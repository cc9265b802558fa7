// SPDX-License-Identifier: GPL-2.0
/*
 * How many samples one occurrence of a software event gives.
 */
#include <kunit/test.h>
#include <linux/jiffies.h>

#define OCCURRENCES	BIT_ULL(20)

static unsigned int nr_samples;

/* Samples so dear that a tick passes elsewhere with each; and one here, or not. */
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

static void samples_of_one_occurrence_are_bounded(struct kunit *test)
{
	sample_many(test, false, NULL);
	sample_many(test, true, NULL);
}

static void ticks_do_not_lift_the_bound(struct kunit *test)
{
	sample_many(test, false, &nr_samples);
	sample_many(test, true, &nr_samples);
}

#define MANY	64

/* Nor is it lifted by opening more events: they share what a tick gives. */
static void many_events_share_a_bound(struct kunit *test)
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

static struct kunit_case perf_software_cases[] = {
	KUNIT_CASE(many_events_share_a_bound),
	KUNIT_CASE(samples_of_one_occurrence_are_bounded),
	KUNIT_CASE(ticks_do_not_lift_the_bound),
	{}
};

static struct kunit_suite perf_software_suite = {
	.name		= "perf_software",
	.test_cases	= perf_software_cases,
};

kunit_test_suite(perf_software_suite);
