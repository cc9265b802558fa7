// SPDX-License-Identifier: GPL-2.0
/* Events throttled by NMIs in the middle of a tick. Included at the end of throttle.c. */
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

static struct kunit_case throttle_cases[] = {
	KUNIT_CASE(nmi_keeps_the_tick),
	{}
};

static struct kunit_suite throttle_suite = {
	.name		= "perf_throttle",
	.init		= sim_fixture_init,
	.exit		= sim_fixture_exit,
	.test_cases	= throttle_cases,
};

kunit_test_suite(throttle_suite);
