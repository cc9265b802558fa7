// SPDX-License-Identifier: GPL-2.0
/*
 * Events throttled by NMIs in the middle of a tick; ticks with many events. Included at the end of
 * throttle.c.
 */
#include "sim_fixture.h"

/* Event to be throttled next, and whether the CPU must have ticks */
static struct perf_event *throttle_test_next;
static bool throttle_test_required;

/* Count an overflow over the limit. Return: 1 if the event is throttled */
static int throttle_test_account(struct perf_event *event)
{
	event->hw.interrupts_seq = __this_cpu_read(perf_throttle_ticks);
	event->hw.interrupts = READ_ONCE(perf_max_samples_per_tick);
	return perf_overflow_account(event, PERF_OVERFLOW_MAY_THROTTLE);
}

/* Count an overflow over the limit, and stop a throttled event, as drivers do in an NMI. */
static void throttle_test_overflow(struct perf_event *event)
{
	if (throttle_test_account(event))
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

/* At the limit of a tick, which may be a single overflow, an event is throttled. */
static void throttled_at_the_limit(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .sample_period = 1000,
	};
	struct perf_event *event = open_attr(test, &attr, -1, current, NULL);
	int before = READ_ONCE(perf_max_samples_per_tick), limit, n;

	guard(irqsave)();
	for (limit = 1; limit <= 3; limit++) {
		WRITE_ONCE(perf_max_samples_per_tick, limit);
		event->hw.interrupts_seq = __this_cpu_read(perf_throttle_ticks) - 1;
		for (n = 1; n <= limit; n++) {
			int stop = 0;

			if (!perf_overflow_account_fast(event))
				stop = perf_overflow_account(event, PERF_OVERFLOW_MAY_THROTTLE);
			KUNIT_EXPECT_EQ_MSG(test, stop, n == limit, "%d of %d", n, limit);
		}
		KUNIT_EXPECT_TRUE(test, perf_event_throttled(event));
		event->hw.interrupts = 0;
	}
	WRITE_ONCE(perf_max_samples_per_tick, before);
	/* The tick clears the number of throttled events. */
	perf_adjust_freq_unthr(this_cpu_context());
}

/* An overflow like that of the NMI watchdog, which clears hw->interrupts. Return: 1 if throttled */
static int throttle_test_watchdog(struct perf_event *event)
{
	int stop = 0;

	if (!perf_overflow_account_fast(event))
		stop = perf_overflow_account(event, PERF_OVERFLOW_MAY_THROTTLE);
	event->hw.interrupts = 0;
	return stop;
}

/* The NMI watchdog is never throttled, not even at a limit of 1; other kernel events are. */
static void kernel_event_overflows_twice(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .sample_period = 1000,
	};
	struct perf_event *event = open_attr(test, &attr, -1, current, NULL);
	int before = READ_ONCE(perf_max_samples_per_tick), n;

	guard(irqsave)();
	WRITE_ONCE(perf_max_samples_per_tick, 1);
	event->owner = PERF_TASK_GONE;
	event->hw.interrupts_seq = __this_cpu_read(perf_throttle_ticks) - 1;
	for (n = 0; n < 20; n++)
		KUNIT_EXPECT_EQ(test, throttle_test_watchdog(event), 0);
	event->hw.interrupts = 1;
	KUNIT_EXPECT_EQ(test, perf_overflow_account(event, PERF_OVERFLOW_MAY_THROTTLE), 1);
	event->owner = NULL;
	event->hw.interrupts = 0;
	WRITE_ONCE(perf_max_samples_per_tick, before);
	/* The tick clears the number of throttled events. */
	perf_adjust_freq_unthr(this_cpu_context());
}

static unsigned int throttle_test_samples;

static void throttle_test_sample(struct perf_event *event, struct perf_sample_data *data,
				 struct pt_regs *regs)
{
	throttle_test_samples++;
}

/* @period is the frequency if @freq is true. */
static struct perf_event *open_faults(struct kunit *test, struct task_struct *task, bool freq,
				      u64 period)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = PERF_COUNT_SW_EMULATION_FAULTS, .freq = freq, .sample_period = period,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, -1, task, throttle_test_sample, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	return event;
}

/* Open as many events as a tick examines; the tick examines the newest events first. */
static struct perf_event **open_others(struct kunit *test)
{
	struct perf_event **others;
	unsigned int i;

	others = kunit_kcalloc(test, PERF_TICK_EVENTS, sizeof(*others), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, others);
	for (i = 0; i < PERF_TICK_EVENTS; i++)
		others[i] = open_faults(test, current, false, 0);
	return others;
}

static void close_others(struct perf_event **others)
{
	unsigned int i;

	for (i = 0; i < PERF_TICK_EVENTS; i++)
		perf_event_release_kernel(others[i]);
}

/*
 * A tick examines only some of the software events, and the next tick examines others. The event
 * with which the next tick begins may be removed before that tick.
 */
static void ticks_examine_events_in_turn(struct kunit *test)
{
	/* The newest event is examined first. */
	struct perf_event *last = open_faults(test, current, true, 100);
	struct perf_event *removed = open_faults(test, current, true, 100);
	struct perf_event **others = open_others(test);
	struct perf_event_context *ctx = last->ctx;
	unsigned int round;

	for (round = 1; round <= 2; round++) {
		/* No tick of this CPU may run between the two ticks of the test. */
		guard(irqsave)();
		*perf_tick_cursor(ctx) = NULL;
		last->cold->freq_count_stamp = 0;
		local64_set(&last->count, round);
		perf_adjust_freq_unthr(this_cpu_context());
		KUNIT_EXPECT_EQ(test, last->cold->freq_count_stamp, 0ULL);
		if (round == 2) {
			raw_spin_lock(&ctx->lock);
			perf_swevent_always_on_del(removed);
			raw_spin_unlock(&ctx->lock);
		}
		perf_adjust_freq_unthr(this_cpu_context());
		KUNIT_EXPECT_EQ(test, last->cold->freq_count_stamp, (u64)round);
		/* All events were examined: the next tick begins with the first one. */
		KUNIT_EXPECT_NULL(test, *perf_tick_cursor(ctx));
	}
	close_others(others);
	perf_event_release_kernel(removed);
	perf_event_release_kernel(last);
}

static void fault(void)
{
	struct pt_regs regs = {};

	/* Without registers, a sampling event counts the fault, but does not sample it. */
	perf_fetch_caller_regs(&regs);
	perf_sw_event(PERF_COUNT_SW_EMULATION_FAULTS, 1, &regs, 0);
}

/* A throttled event samples again after the next tick, even if the tick does not examine it. */
static void event_samples_after_a_tick_for_others(struct kunit *test)
{
	struct perf_event *event = open_faults(test, current, false, 1);
	struct perf_event **others = open_others(test);

	throttle_test_samples = 0;
	scoped_guard(irqsave) {
		*perf_tick_cursor(event->ctx) = NULL;
		KUNIT_EXPECT_EQ(test, throttle_test_account(event), 1);
		fault();
		KUNIT_EXPECT_EQ(test, throttle_test_samples, 0U);

		perf_adjust_freq_unthr(this_cpu_context());
		KUNIT_EXPECT_PTR_EQ(test, *perf_tick_cursor(event->ctx), &event->hlist_entry);
		KUNIT_EXPECT_TRUE(test, perf_event_throttled(event));
		fault();
		KUNIT_EXPECT_EQ(test, throttle_test_samples, 1U);
		KUNIT_EXPECT_FALSE(test, perf_event_throttled(event));
	}
	close_others(others);
	perf_event_release_kernel(event);
}

static int throttle_test_sleep(void *data)
{
	return 0;
}

static int throttle_test_new_period(struct perf_event *event)
{
	return perf_event_period(event, 1);
}

static int throttle_test_enable(struct perf_event *event)
{
	perf_event_disable(event);
	perf_event_enable(event);
	return 0;
}

static int throttle_test_refresh(struct perf_event *event)
{
	perf_event_disable(event);
	return perf_event_refresh(event, 10);
}

/*
 * Throttle @event, call @change, and let the event overflow in the same tick of this CPU. Return:
 * false if a tick has ended the throttle
 */
static bool throttle_test_try(struct kunit *test, struct perf_event *event,
			      int (*change)(struct perf_event *event), bool unthrottled)
{
	struct perf_sample_data data;
	struct pt_regs regs = {};
	u32 tick;

	throttle_test_samples = 0;
	scoped_guard(irqsave) {
		tick = __this_cpu_read(perf_throttle_ticks);
		KUNIT_EXPECT_EQ(test, throttle_test_account(event), 1);
		KUNIT_EXPECT_TRUE(test, perf_swevent_throttled(event));
	}
	KUNIT_EXPECT_EQ(test, change(event), 0);
	guard(irqsave)();
	if (tick != __this_cpu_read(perf_throttle_ticks))
		return false;
	KUNIT_EXPECT_FALSE(test, perf_swevent_throttled(event));
	KUNIT_EXPECT_EQ(test, perf_event_throttled(event), !unthrottled);
	perf_sample_data_init(&data, 0, 0);
	perf_swevent_event(event, 1, &data, &regs);
	KUNIT_EXPECT_EQ(test, throttle_test_samples, 1U);
	KUNIT_EXPECT_FALSE(test, perf_event_throttled(event));
	return true;
}

/* A tick ends the throttle, too: repeat the test until no tick falls into it. */
static void throttle_test_ends(struct kunit *test, struct perf_event *event,
			       int (*change)(struct perf_event *event), bool unthrottled)
{
	int i;

	for (i = 0; i < 100; i++) {
		if (throttle_test_try(test, event, change, unthrottled))
			return;
	}
	kunit_mark_skipped(test, "a tick in each of %d attempts", i);
}

/*
 * The period that was too short is gone, so a new period ends a throttle at once. Only the CPU of
 * the event's task writes to the event's buffer: if the task does not run, the next overflow
 * unthrottles the event.
 */
static void new_period_ends_a_throttle(struct kunit *test)
{
	struct task_struct *sleeper = make_sleeper(test, throttle_test_sleep);
	struct perf_event *event = open_faults(test, current, false, 1);

	throttle_test_ends(test, event, throttle_test_new_period, true);
	perf_event_release_kernel(event);

	event = open_faults(test, sleeper, false, 1);
	throttle_test_ends(test, event, throttle_test_new_period, false);
	perf_event_release_kernel(event);
	kthread_stop(sleeper);
	guard(irqsave)();
	/* The tick clears the number of throttled events. */
	perf_adjust_freq_unthr(this_cpu_context());
}

/*
 * An event that was disabled and enabled starts anew, like an event that is scheduled in: its
 * throttle ends at once, whether its task runs or not. Any CPU may enable the event, so the next
 * overflow unthrottles it.
 */
static void enable_ends_a_throttle(struct kunit *test)
{
	struct task_struct *sleeper = make_sleeper(test, throttle_test_sleep);
	struct perf_event *event = open_faults(test, current, false, 1);

	throttle_test_ends(test, event, throttle_test_enable, false);
	throttle_test_ends(test, event, throttle_test_refresh, false);
	perf_event_release_kernel(event);

	event = open_faults(test, sleeper, false, 1);
	throttle_test_ends(test, event, throttle_test_enable, false);
	throttle_test_ends(test, event, throttle_test_refresh, false);
	perf_event_release_kernel(event);
	kthread_stop(sleeper);
	guard(irqsave)();
	/* The tick clears the number of throttled events. */
	perf_adjust_freq_unthr(this_cpu_context());
}

/*
 * Interrupts may use the budget of a tick at the same time, and then more than the budget is used.
 * From then on each occurrence writes one sample.
 */
static void used_budget_is_no_budget(struct kunit *test)
{
	struct perf_event *event = open_faults(test, current, false, 1);
	int before = READ_ONCE(perf_max_samples_per_tick);

	scoped_guard(irqsave) {
		WRITE_ONCE(perf_max_samples_per_tick, 100);
		/* The next call begins a new tick. */
		__this_cpu_write(samples_tick, __this_cpu_read(perf_throttle_ticks) - 1);
		KUNIT_EXPECT_EQ(test, perf_overflow_samples(event, 50), 50ULL);
		/* An interrupt uses more than the budget. */
		__this_cpu_sub(samples_left, PERF_BUSY_EVENTS * 100);
		KUNIT_EXPECT_EQ(test, perf_overflow_samples(event, 50), 1ULL);
		WRITE_ONCE(perf_max_samples_per_tick, before);
	}
	perf_event_release_kernel(event);
}

/* At the maximum frequency the event is throttled before a tick has measured its rate. */
static void throttled_event_finds_its_period(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .size = sizeof(attr), .config = STEP, .freq = 1,
		.sample_freq = READ_ONCE(sysctl_perf_event_sample_rate),
	};
	struct perf_event *event = open_attr(test, &attr, -1, current, NULL);
	int before = READ_ONCE(perf_max_samples_per_tick), tick;

	/* Use a low limit, because a slow CPU must reach it between two real ticks. */
	WRITE_ONCE(perf_max_samples_per_tick, 4);
	/* The number of ticks is not exact, because there are also real ticks. */
	for (tick = 0; tick < 400 && event->hw.sample_period < 32; tick++) {
		sim_test_advance(test, BIT(20));
		sim_test_pass(TICK_NSEC);
		guard(irqsave)();
		perf_adjust_freq_unthr(this_cpu_context());
	}
	WRITE_ONCE(perf_max_samples_per_tick, before);
	KUNIT_EXPECT_GE(test, event->hw.sample_period, 32ULL);
}

static struct kunit_case throttle_cases[] = {
	KUNIT_CASE(used_budget_is_no_budget),
	KUNIT_CASE(nmi_keeps_the_tick),
	KUNIT_CASE(throttled_at_the_limit),
	KUNIT_CASE(throttled_event_finds_its_period),
	KUNIT_CASE(kernel_event_overflows_twice),
	KUNIT_CASE(ticks_examine_events_in_turn),
	KUNIT_CASE(event_samples_after_a_tick_for_others),
	KUNIT_CASE(new_period_ends_a_throttle),
	KUNIT_CASE(enable_ends_a_throttle),
	{}
};

static struct kunit_suite throttle_suite = {
	.name		= "perf_throttle",
	.init		= sim_fixture_init,
	.exit		= sim_fixture_exit,
	.test_cases	= throttle_cases,
};

kunit_test_suite(throttle_suite);
