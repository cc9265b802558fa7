// SPDX-License-Identifier: GPL-2.0
/*
 * Events throttled by NMIs in the middle of a tick; ticks with many events. Included at the end of
 * throttle.c.
 */
#include "sim_fixture.h"

/* Event to be throttled next, and whether the CPU must have ticks */
static struct perf_event *throttle_test_next;
static bool throttle_test_required;

/* Like a driver in an NMI, at an overflow over the limit */
static void throttle_test_overflow(struct perf_event *event)
{
	event->hw.interrupts_seq = __this_cpu_read(perf_throttle_ticks);
	event->hw.interrupts = READ_ONCE(perf_max_samples_per_tick);
	if (perf_overflow_account(event, PERF_OVERFLOW_HALT))
		perf_event_pmu_stop(event, 0);
}

static void throttle_test_step(bool required)
{
	struct perf_event *event = throttle_test_next;

	if (!required && event) {
		throttle_test_next = NULL;
		throttle_test_overflow(event);
	}
	throttle_test_required = required;
}

static unsigned int throttle_test_number(void)
{
	return __this_cpu_read(throttled_events);
}

/*
 * While the number of throttled events is not zero, the CPU must have ticks. An NMI throttles an
 * event after the tick has reset the number, but not the tick dependency.
 */
static void nmi_keeps_the_tick(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .sample_period = 1000,
	};
	struct perf_event *first = open_attr(test, &attr, -1, current, NULL);
	struct perf_event *second = open_attr(test, &attr, -1, current, NULL);

	KUNIT_EXPECT_TRUE(test, is_on(first));
	KUNIT_EXPECT_TRUE(test, is_on(second));
	guard(irqsave)();
	/* Clear events throttled before this test. */
	perf_adjust_freq_unthr(this_cpu_context());
	throttle_test_required = false;
	throttle_test_next = second;
	perf_throttle_test_step = throttle_test_step;

	throttle_test_overflow(first);
	KUNIT_EXPECT_TRUE(test, perf_event_throttled(first));
	KUNIT_EXPECT_TRUE(test, throttle_test_required);
	KUNIT_EXPECT_EQ(test, throttle_test_number(), 1U);

	perf_adjust_freq_unthr(this_cpu_context());
	KUNIT_EXPECT_NULL(test, throttle_test_next);
	KUNIT_EXPECT_FALSE(test, perf_event_throttled(first));
	KUNIT_EXPECT_EQ(test, throttle_test_number(), 1U);
	KUNIT_EXPECT_TRUE(test, throttle_test_required);

	/* The next tick finds no throttled event. */
	perf_adjust_freq_unthr(this_cpu_context());
	KUNIT_EXPECT_FALSE(test, perf_event_throttled(second));
	KUNIT_EXPECT_EQ(test, throttle_test_number(), 0U);
	KUNIT_EXPECT_FALSE(test, throttle_test_required);
	perf_throttle_test_step = NULL;
}

static struct perf_event *open_faults(struct kunit *test, u64 freq)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = PERF_COUNT_SW_EMULATION_FAULTS, .freq = !!freq, .sample_freq = freq,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	return event;
}

/*
 * A tick examines only some of the software events, and the next one examines others. The event
 * that is next may be removed in between.
 */
static void ticks_examine_events_in_turn(struct kunit *test)
{
	/* The newest event is examined first. */
	struct perf_event *last = open_faults(test, 100), *removed = open_faults(test, 100);
	struct perf_event_context *ctx = last->ctx;
	struct perf_event **others;
	unsigned int i, round;

	others = kunit_kcalloc(test, PERF_TICK_EVENTS, sizeof(*others), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, others);
	for (i = 0; i < PERF_TICK_EVENTS; i++)
		others[i] = open_faults(test, 0);
	for (round = 1; round <= 2; round++) {
		/* Ticks of this CPU must not come in between. */
		guard(irqsave)();
		*perf_tick_cursor(ctx) = NULL;
		last->cold->freq_count_stamp = 0;
		local64_set(&last->count, round);
		perf_adjust_freq_unthr(this_cpu_context());
		KUNIT_EXPECT_EQ(test, last->cold->freq_count_stamp, 0ULL);
		if (round == 2) {
			raw_spin_lock(&ctx->lock);
			perf_swevent_unsched_del(removed);
			raw_spin_unlock(&ctx->lock);
		}
		perf_adjust_freq_unthr(this_cpu_context());
		KUNIT_EXPECT_EQ(test, last->cold->freq_count_stamp, (u64)round);
		/* All events were examined: the next tick begins with the first one. */
		KUNIT_EXPECT_NULL(test, *perf_tick_cursor(ctx));
	}
	for (i = 0; i < PERF_TICK_EVENTS; i++)
		perf_event_release_kernel(others[i]);
	perf_event_release_kernel(removed);
	perf_event_release_kernel(last);
}

static struct kunit_case throttle_cases[] = {
	KUNIT_CASE(nmi_keeps_the_tick),
	KUNIT_CASE(ticks_examine_events_in_turn),
	{}
};

static struct kunit_suite throttle_suite = {
	.name		= "perf_throttle",
	.init		= sim_fixture_init,
	.exit		= sim_fixture_exit,
	.test_cases	= throttle_cases,
};

kunit_test_suite(throttle_suite);
