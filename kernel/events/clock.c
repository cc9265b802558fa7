// SPDX-License-Identifier: GPL-2.0
/*
 * cpu-clock and task-clock.
 *
 * A clock that only counts is the event's running time, which the context
 * keeps anyway: it is resident and costs nothing. One that samples has a timer.
 */
#include <linux/hrtimer.h>
#include <asm/irq_regs.h>

#include "internal.h"
#include "record.h"
#include "software.h"

/* Anything faster would only measure the timer. */
#define CLOCK_MIN_PERIOD_NS	10000

static bool is_clock(const struct perf_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
		event->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

/**
 * is_resident_clock - is this clock's value its running time?
 * @event: any event
 */
bool is_resident_clock(const struct perf_event *event)
{
	return (event->event_caps & PERF_EV_CAP_RESIDENT) && is_clock(event);
}

/**
 * perf_clock_event_count - what a resident clock shows
 * @event: a resident clock
 *
 * Any context. Return: nanoseconds, without children.
 */
u64 perf_clock_event_count(const struct perf_event *event)
{
	u64 enabled, running;

	perf_event_times(event, &enabled, &running);
	return running - local64_read(&event->hw.prev_count);
}

/**
 * perf_clock_event_reset - let a resident clock show zero
 * @event: a resident clock; ctx->mutex, or the family's lock, is held
 */
void perf_clock_event_reset(struct perf_event *event)
{
	u64 enabled, running;

	perf_event_times(event, &enabled, &running);
	local64_set(&event->hw.prev_count, running);
}

static void clock_read(struct perf_event *event)
{
	u64 now = perf_clock();
	s64 passed = now - local64_xchg(&event->hw.prev_count, now);

	local64_add(passed, &event->count);
}

static enum hrtimer_restart clock_tick(struct hrtimer *timer)
{
	struct perf_event *event = container_of(timer, struct perf_event, hw.hrtimer);
	struct pt_regs *regs = get_irq_regs();
	struct hw_perf_event *hwc = &event->hw;
	struct perf_sample_data data;

	if (event->state != PERF_EVENT_STATE_ACTIVE || hwc->state & PERF_HES_STOPPED)
		return HRTIMER_NORESTART;

	clock_read(event);
	perf_sample_data_init(&data, 0, hwc->last_period);
	if (regs && !perf_event_excludes(event, regs) &&
	    !(event->attr.exclude_idle && is_idle_task(current)))
		__perf_event_overflow(event, true, &data, regs);

	/* Throttled, or its limit reached. */
	if (hwc->state & PERF_HES_STOPPED)
		return HRTIMER_NORESTART;

	hwc->last_period = max_t(u64, CLOCK_MIN_PERIOD_NS, hwc->sample_period);
	hrtimer_forward_now(timer, ns_to_ktime(hwc->last_period));
	return HRTIMER_RESTART;
}

static void clock_start(struct perf_event *event, int flags)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = local64_xchg(&hwc->period_left, 0);

	hwc->state = 0;
	local64_set(&hwc->prev_count, perf_clock());
	if (!is_sampling_event(event))
		return;
	if (left <= 0)
		left = hwc->sample_period;
	hwc->last_period = max_t(u64, CLOCK_MIN_PERIOD_NS, hwc->sample_period);
	hrtimer_start(&hwc->hrtimer, ns_to_ktime(max_t(s64, CLOCK_MIN_PERIOD_NS, left)),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * The timer is this CPU's and interrupts are off: when it cannot be cancelled
 * it is because it is the caller, and clock_tick() looks at the state.
 */
static void clock_stop(struct perf_event *event, int flags)
{
	struct hw_perf_event *hwc = &event->hw;

	if (hwc->state & PERF_HES_STOPPED)
		return;
	hwc->state = PERF_HES_STOPPED;
	clock_read(event);
	if (!is_sampling_event(event))
		return;
	/* What is left of the period is for the next time on the CPU. */
	local64_set(&hwc->period_left, ktime_to_ns(hrtimer_get_remaining(&hwc->hrtimer)));
	hrtimer_try_to_cancel(&hwc->hrtimer);
}

static int clock_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED;
	if (flags & PERF_EF_START)
		clock_start(event, flags);
	perf_event_update_userpage(event);
	return 0;
}

static void clock_del(struct perf_event *event, int flags)
{
	clock_stop(event, flags);
}

static void clock_destroy(struct perf_event *event)
{
	hrtimer_cancel(&event->hw.hrtimer);
}

static int clock_init(struct perf_event *event, u64 which)
{
	struct hw_perf_event *hwc = &event->hw;

	if (event->attr.type != PERF_TYPE_SOFTWARE || event->attr.config != which)
		return -ENOENT;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;

	if (!is_sampling_event(event)) {
		if (!event->cgrp && !(hwc->target && event->cpu >= 0))
			event->event_caps |= PERF_EV_CAP_RESIDENT;
		return 0;
	}

	hrtimer_init(&hwc->hrtimer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	hwc->hrtimer.function = clock_tick;
	event->destroy = clock_destroy;

	/* A timer has its frequency at once: nothing to adapt. */
	if (event->attr.freq) {
		u64 freq = event->attr.sample_freq;

		event->attr.sample_period = NSEC_PER_SEC / freq;
		hwc->sample_period = event->attr.sample_period;
		hwc->last_period = hwc->sample_period;
		event->attr.freq = 0;
	}
	local64_set(&hwc->period_left, hwc->sample_period);
	return 0;
}

static int cpu_clock_init(struct perf_event *event)
{
	return clock_init(event, PERF_COUNT_SW_CPU_CLOCK);
}

static int task_clock_init(struct perf_event *event)
{
	return clock_init(event, PERF_COUNT_SW_TASK_CLOCK);
}

/* They differ in name alone: both are the time that the event runs. */
static struct pmu perf_cpu_clock = {
	.task_ctx_nr	= perf_sw_context,
	.capabilities	= PERF_PMU_CAP_NO_NMI,
	.event_init	= cpu_clock_init,
	.add		= clock_add,
	.del		= clock_del,
	.start		= clock_start,
	.stop		= clock_stop,
	.read		= clock_read,
};

static struct pmu perf_task_clock = {
	.task_ctx_nr	= perf_sw_context,
	.capabilities	= PERF_PMU_CAP_NO_NMI,
	.event_init	= task_clock_init,
	.add		= clock_add,
	.del		= clock_del,
	.start		= clock_start,
	.stop		= clock_stop,
	.read		= clock_read,
};

/**
 * perf_clock_pmu_init - register the PMUs of the clocks
 */
void __init perf_clock_pmu_init(void)
{
	WARN_ON(perf_pmu_register(&perf_cpu_clock, NULL, -1));
	WARN_ON(perf_pmu_register(&perf_task_clock, NULL, -1));
}
