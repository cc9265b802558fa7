// SPDX-License-Identifier: GPL-2.0
/*
 * cpu-clock and task-clock
 *
 * The count of a clock event that only counts is its running time, and the context maintains this
 * time anyway. So the event is always on, and costs nothing. In a scheduled group such an event
 * needs no start or stop either. A clock event that samples has a timer.
 */
#include <linux/hrtimer.h>
#include <asm/irq_regs.h>

#include "../overflow.h"
#include "../time.h"
#include "clock.h"
#include "software.h"

/* Minimum period: with a shorter period, most of the CPU time would be that of the timer. */
#define CLOCK_MIN_PERIOD_NS	10000

/**
 * perf_clock_event_count - get the count of a counting clock event
 * @event: event for which is_counting_clock() is true
 *
 * Context: any.
 * Return: nanoseconds, without the event's inherited events
 */
u64 perf_clock_event_count(const struct perf_event *event)
{
	u64 enabled, running;

	perf_event_times(event, &enabled, &running);
	/* A concurrent reset may have stored a later time in prev_count. */
	return max_t(s64, 0, running - local64_read(&event->hw.prev_count));
}

/**
 * perf_clock_event_reset - zero a counting clock event
 * @event: event for which is_counting_clock() is true; ctx->mutex or the inherit lock is held
 */
void perf_clock_event_reset(struct perf_event *event)
{
	u64 enabled, running;

	perf_event_times(event, &enabled, &running);
	local64_set(&event->hw.prev_count, running);
}

static bool perf_clock_event_is_stopped(const struct perf_event *event)
{
	return READ_ONCE(event->hw.state) & PERF_HES_STOPPED;
}

/* An NMI may read a stopped event. Its prev_count is old: do not add the time since then. */
static void perf_clock_event_read(struct perf_event *event)
{
	u64 now = perf_clock();

	if (!is_counting_clock(event) && !perf_clock_event_is_stopped(event))
		local64_add(now - local64_xchg(&event->hw.prev_count, now), &event->count);
}

static bool perf_clock_event_wants_sample(const struct perf_event *event, struct pt_regs *regs)
{
	if (!regs || (event->attr.exclude_idle && is_idle_task(current)))
		return false;
	return !perf_event_excludes(event, regs);
}

static ktime_t perf_clock_event_next_period(struct perf_event *event)
{
	event->hw.last_period = max_t(u64, CLOCK_MIN_PERIOD_NS, event->hw.sample_period);
	return ns_to_ktime(event->hw.last_period);
}

static enum hrtimer_restart perf_clock_event_timer(struct hrtimer *timer)
{
	struct perf_event *event = container_of(timer, struct perf_event, hw.hrtimer);
	struct pt_regs *regs = get_irq_regs();
	const struct hw_perf_event *hw = &event->hw;
	struct perf_sample_data sample __uninitialized;

	if (event->state != PERF_EVENT_STATE_ACTIVE || perf_clock_event_is_stopped(event))
		return HRTIMER_NORESTART;

	perf_clock_event_read(event);
	if (perf_clock_event_wants_sample(event, regs)) {
		perf_sample_data_init(&sample, 0, hw->last_period);
		/*
		 * The event is throttled until the next tick, or has reached its overflow
		 * limit.
		 */
		if (__perf_event_overflow(event, PERF_OVERFLOW_MAY_THROTTLE, &sample, regs))
			return HRTIMER_NORESTART;
	}
	if (perf_clock_event_is_stopped(event))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, perf_clock_event_next_period(event));
	return HRTIMER_RESTART;
}

static void perf_clock_event_start(struct perf_event *event, int flags)
{
	s64 left = local64_xchg(&event->hw.period_left, 0);
	ktime_t first = perf_clock_event_next_period(event);

	/* prev_count of a clock event that only counts is its running time at the last reset. */
	if (is_counting_clock(event))
		return;
	local64_set(&event->hw.prev_count, perf_clock());
	/* Store prev_count first: an NMI may read the event as soon as it is started. */
	barrier();
	WRITE_ONCE(event->hw.state, 0);
	if (!event->attr.sample_period)
		return;
	/* Continue the period that perf_clock_event_stop() has interrupted. */
	if (left > 0)
		first = ns_to_ktime(max_t(s64, CLOCK_MIN_PERIOD_NS, left));
	hrtimer_start(&event->hw.hrtimer, first, HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * The timer is on this CPU, and interrupts are off. So hrtimer_try_to_cancel() fails only in a call
 * from perf_clock_event_timer(), which checks the state after that.
 */
static void perf_clock_event_stop(struct perf_event *event, int flags)
{
	struct hrtimer *timer = &event->hw.hrtimer;

	if (perf_clock_event_is_stopped(event))
		return;
	perf_clock_event_read(event);
	WRITE_ONCE(event->hw.state, PERF_HES_STOPPED);
	if (!event->attr.sample_period)
		return;
	local64_set(&event->hw.period_left, ktime_to_ns(hrtimer_get_remaining(timer)));
	hrtimer_try_to_cancel(timer);
}

static int perf_clock_event_add(struct perf_event *event, int flags)
{
	event->hw.state |= PERF_HES_STOPPED;
	if (flags & PERF_EF_START)
		perf_clock_event_start(event, flags);
	perf_event_update_userpage(event);
	return 0;
}

static void perf_clock_event_del(struct perf_event *event, int flags)
{
	perf_clock_event_stop(event, flags);
}

static void perf_clock_event_destroy(struct perf_event *event)
{
	hrtimer_cancel(&event->hw.hrtimer);
}

static int perf_clock_event_init(struct perf_event *event, u64 which)
{
	struct hw_perf_event *hw = &event->hw;

	if (event->attr.type != event->pmu->type || event->attr.config != which)
		return -ENOENT;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;
	hw->state = PERF_HES_STOPPED;

	if (!event->attr.sample_period) {
		if (!event->cgrp && !(hw->target && event->cpu >= 0))
			event->event_caps |= PERF_EV_CAP_ALWAYS_ON;
		return 0;
	}

	hrtimer_init(&hw->hrtimer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	hw->hrtimer.function = perf_clock_event_timer;
	event->destroy = perf_clock_event_destroy;

	/* A frequency is a constant period of the timer. So there is nothing to adapt. */
	if (event->attr.freq) {
		event->attr.sample_period =
			max(div64_u64(NSEC_PER_SEC, event->attr.sample_freq), 1);
		event->attr.freq = 0;
		hw->sample_period = event->attr.sample_period;
	}
	local64_set(&hw->period_left, 0);
	perf_clock_event_next_period(event);
	return 0;
}

static int perf_cpu_clock_event_init(struct perf_event *event)
{
	return perf_clock_event_init(event, PERF_COUNT_SW_CPU_CLOCK);
}

static int perf_task_clock_event_init(struct perf_event *event)
{
	return perf_clock_event_init(event, PERF_COUNT_SW_TASK_CLOCK);
}

#define CLOCK_PMU(init) {						\
	.task_ctx_nr = perf_sw_context, .capabilities = PERF_PMU_CAP_NO_NMI, \
	.event_init = (init), .read = perf_clock_event_read,			\
	.add = perf_clock_event_add, .del = perf_clock_event_del,				\
	.start = perf_clock_event_start, .stop = perf_clock_event_stop,			\
}

/* Both clocks count the running time of the event. Only their configs differ. */
static struct pmu perf_clock_pmus[] = {
	[PERF_COUNT_SW_CPU_CLOCK]	= CLOCK_PMU(perf_cpu_clock_event_init),
	[PERF_COUNT_SW_TASK_CLOCK]	= CLOCK_PMU(perf_task_clock_event_init),
};

/**
 * perf_clock_pmu_type - get the PMU type of a clock event
 * @config: PERF_COUNT_SW_CPU_CLOCK or PERF_COUNT_SW_TASK_CLOCK
 *
 * Return: the type
 */
int perf_clock_pmu_type(u64 config)
{
	return perf_clock_pmus[config].type;
}

/**
 * perf_clock_pmu_init - register the PMUs of the clocks
 */
void __init perf_clock_pmu_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(perf_clock_pmus); i++)
		WARN_ON(perf_pmu_register(&perf_clock_pmus[i], NULL, -1));
}
