// SPDX-License-Identifier: GPL-2.0
/*
 * Overflow rates: throttling, frequencies and periods.
 *
 * An event that overflows perf_max_samples_per_tick times in one tick is throttled
 * until the next tick. Each tick computes a new period for an event with a frequency, from the
 * event's count and running time since the last tick. Between ticks, an event that overflows
 * more often than the frequency needs doubles its period. So an initial period that is too
 * short is corrected without reading perf_clock() for each sample.
 */
#include <linux/math64.h>
#include <linux/perf_event.h>
#include <linux/tick.h>

#include "internal.h"
#include "overflow.h"
#include "period.h"
#include "record/sideband.h"
#include "sched.h"
#include "source/software.h"
#include "source/tracepoint.h"
#include "stats.h"
#include "sysctl.h"
#include "throttle.h"
#include "time.h"

/* Number of this CPU's ticks; hw->interrupts counts the overflows of one tick. */
DEFINE_PER_CPU(u32, perf_throttle_ticks);
/* Events that were throttled on this CPU since its last tick */
static DEFINE_PER_CPU(unsigned int, throttled_events);
/*
 * Idle time of the CPU: in us up to the last tick with per-CPU events; in ns between the last two
 * such ticks
 */
static DEFINE_PER_CPU(u64, idle_us);
static DEFINE_PER_CPU(u64, tick_idle_ns);

/**
 * perf_event_pmu_start - start an event's counter
 * @event: the event, active on this CPU
 * @flags: PERF_EF_RELOAD, PERF_EF_RESUME, or 0
 *
 * Context: interrupts are off; also overflow handling, which may be in NMI.
 */
void perf_event_pmu_start(struct perf_event *event, int flags)
{
	if (WARN_ON_ONCE(event->state != PERF_EVENT_STATE_ACTIVE))
		return;
	event->pmu->start(event, flags);
}

/**
 * perf_event_pmu_stop - stop an event's counter, which stays allocated to the event
 * @event: the event, active on this CPU
 * @flags: PERF_EF_UPDATE, PERF_EF_PAUSE, or 0
 *
 * Context: interrupts are off; also overflow handling, which may be in NMI.
 */
void perf_event_pmu_stop(struct perf_event *event, int flags)
{
	if (WARN_ON_ONCE(event->state != PERF_EVENT_STATE_ACTIVE))
		return;
	event->pmu->stop(event, flags);
}

/**
 * struct throttle_body - PERF_RECORD_THROTTLE and UNTHROTTLE after the header
 * @time: by the event's record clock
 * @id: id of the event, or of its parent event if it is inherited
 * @stream_id: id of the event itself
 */
struct throttle_body {
	u64	time;
	u64	id;
	u64	stream_id;
};

/**
 * perf_throttle_record - write a record that an event is throttled or unthrottled
 * @event: the event
 * @throttled: true for PERF_RECORD_THROTTLE, false for PERF_RECORD_UNTHROTTLE
 *
 * Context: any, preemption is off.
 */
void perf_throttle_record(struct perf_event *event, bool throttled)
{
	struct throttle_body body = { event->clock(), perf_event_parent(event)->id, event->id };
	struct perf_record record = {
		.type		= throttled ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE,
		.body		= &body,
		.body_size	= sizeof(body),
	};

	rcu_read_lock();
	perf_record_send_to(event, &record);
	rcu_read_unlock();
}

/* More overflows than this in one tick mean that the period is too short for the frequency. */
static u64 perf_throttle_overflows_per_tick(u64 freq)
{
	return 2 + 2 * div_u64(freq * TICK_NSEC, NSEC_PER_SEC);
}

/**
 * perf_first_period - the initial period of an event with a frequency
 * @attr: attribute of the event
 *
 * The event's rate is unknown before the first tick. For hardware events, assume a rate that is
 * common for them: an initial period of 1 would cause a burst of samples.
 *
 * Context: any.
 * Return: the period, not 0
 */
u64 perf_first_period(const struct perf_event_attr *attr)
{
	u64 rate; /* per second */

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		switch (attr->config & PERF_HW_EVENT_MASK) {
		case PERF_COUNT_HW_CACHE_REFERENCES:
		case PERF_COUNT_HW_CACHE_MISSES:
		case PERF_COUNT_HW_BRANCH_MISSES:
			rate = 25000000;
			break;
		case PERF_COUNT_HW_BRANCH_INSTRUCTIONS:
			rate = 125000000;
			break;
		default:
			rate = 500000000;
			break;
		}
		break;
	case PERF_TYPE_HW_CACHE:
		rate = 25000000;
		break;
	case PERF_TYPE_RAW:
		rate = 256000;
		break;
	default:
		return 1;
	}
	return max_t(u64, div64_u64(rate, attr->sample_freq), 1);
}

static void perf_throttle_lengthen_period(struct hw_perf_event *hw)
{
	hw->sample_period = min_t(u64, 2 * hw->sample_period, S64_MAX / 2);
}

/*
 * Has the CPU had no tick for more than a jiffy, since the first overflow that hw->interrupts
 * counts? An idle CPU has no tick, and a task that runs on such a CPU for a short time rarely gets
 * one. Without this check, the overflows of several seconds would be counted as those of one tick.
 * perf_overflow_account() omits the check for PERF_OVERFLOW_AGAIN, because writing all samples of
 * one occurrence may take longer than a tick.
 */
static bool perf_tick_is_absent(const struct perf_event *event)
{
	return event->attr.freq && event->cold &&
	       (u16)(jiffies - event->cold->counted_since) > 1 && !perf_event_throttled(event);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
/* Called in the task of a KUnit test, before the dependency on the tick is set or cleared. */
static void (*perf_throttle_test_step)(bool required);
#endif

/*
 * The tick unthrottles events: keep the tick enabled on this CPU while an event is throttled, even
 * with nohz_full.
 */
static void perf_throttle_require_tick(bool required)
{
	int cpu = smp_processor_id();

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
	if (READ_ONCE(perf_test_clock_task) == current && perf_throttle_test_step)
		perf_throttle_test_step(required);
#endif
	if (required)
		tick_dep_set_cpu(cpu, TICK_DEP_BIT_PERF_EVENTS);
	else
		tick_dep_clear_cpu(cpu, TICK_DEP_BIT_PERF_EVENTS);
}

/* For an event that samples, event->cold is not NULL, except in KUnit tests. */
static void perf_throttle_count(struct perf_event *event)
{
	struct perf_event_cold *cold = event->cold;

	perf_stats_throttled(event);
	if (cold && cold->throttles != U16_MAX)
		WRITE_ONCE(cold->throttles, cold->throttles + 1);
}

/**
 * perf_overflow_account - count an overflow of an event that samples
 * @event: the event, active
 * @flags: PERF_OVERFLOW_*
 *
 * Context: any, including NMI; preemption is off.
 * Return: 1 if the event has to be stopped until the next tick, else 0
 */
int perf_overflow_account(struct perf_event *event, unsigned int flags)
{
	bool throttle = flags & PERF_OVERFLOW_MAY_THROTTLE;
	struct hw_perf_event *hw = &event->hw;
	u32 tick = __this_cpu_read(perf_throttle_ticks);

	/* The first overflow after a tick starts a new count. */
	if (hw->interrupts_seq != tick ||
	    (!(flags & PERF_OVERFLOW_AGAIN) && perf_tick_is_absent(event))) {
		hw->interrupts_seq = tick;
		if (event->attr.freq && event->cold)
			event->cold->counted_since = jiffies;
		/* A throttled software event was not stopped, so it is unthrottled here, too. */
		if (unlikely(perf_event_throttled(event))) {
			event->cold->core_stopped = false;
			perf_throttle_record(event, false);
		}
		hw->interrupts = 1;
	} else {
		/* Of several overflows at once, the first has written PERF_RECORD_THROTTLE. */
		if (unlikely(perf_event_throttled(event)))
			return throttle;
		hw->interrupts++;
	}
	/*
	 * The NMI watchdog clears hw->interrupts at each overflow, so that its event is never
	 * throttled: in a hard lockup no tick would restart the event. So not even a limit of 1
	 * may throttle a kernel event at the first overflow.
	 */
	if (unlikely(throttle && hw->interrupts >= READ_ONCE(perf_max_samples_per_tick) &&
		     (hw->interrupts > 1 || !is_kernel_event(event)))) {
		__this_cpu_inc(throttled_events);
		perf_throttle_count(event);
		perf_throttle_require_tick(true);
		hw->interrupts = MAX_INTERRUPTS;
		perf_throttle_record(event, true);
		return 1;
	}
	if (event->attr.freq &&
	    hw->interrupts > perf_throttle_overflows_per_tick(event->attr.sample_freq))
		perf_throttle_lengthen_period(hw);
	return 0;
}

static DEFINE_PER_CPU(u32, samples_tick);
/* Negative after an interrupt between the read and the subtraction in perf_overflow_samples() */
static DEFINE_PER_CPU(long, samples_left);

/**
 * perf_overflow_samples - the number of samples that one occurrence of an event may write
 * @event: a software event, active
 * @passed: number of completed periods
 *
 * If the result is less than @passed, the caller calls perf_overflow_throttle().
 *
 * Context: any, preemption is off.
 * Return: 1 to @passed
 */
u64 perf_overflow_samples(struct perf_event *event, u64 passed)
{
	u64 most = READ_ONCE(perf_max_samples_per_tick), left, more;
	u32 tick = __this_cpu_read(perf_throttle_ticks);

	if (likely(passed == 1))
		return 1;
	if (__this_cpu_read(samples_tick) != tick) {
		__this_cpu_write(samples_tick, tick);
		__this_cpu_write(samples_left, min_t(u64, PERF_BUSY_EVENTS * most, LONG_MAX));
	}
	left = max(__this_cpu_read(samples_left), 0L);
	more = min3(passed - 1, most - 1, left);
	__this_cpu_sub(samples_left, more);
	return 1 + more;
}

/**
 * perf_overflow_throttle - throttle an event: stop its samples until the next tick
 * @event: the event, active; may be throttled already
 *
 * Writes a PERF_RECORD_THROTTLE, unless the event is throttled.
 *
 * Context: any, preemption is off.
 */
void perf_overflow_throttle(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;

	if (!perf_event_throttled(event))
		hw->interrupts = max_t(u64, hw->interrupts, READ_ONCE(perf_max_samples_per_tick));
	hw->interrupts_seq = __this_cpu_read(perf_throttle_ticks);
	perf_overflow_account(event, PERF_OVERFLOW_MAY_THROTTLE | PERF_OVERFLOW_AGAIN);
}

/**
 * perf_event_account_interrupt - count a PMU interrupt for throttling
 * @event: the event that caused the interrupt
 *
 * For interrupts without a sample, and for those whose samples were all written by
 * perf_event_overflow_more().
 *
 * Return: 1 if the driver has to stop the event until the next tick, else 0
 */
int perf_event_account_interrupt(struct perf_event *event)
{
	/* A counting event is not throttled, because the tick would not unthrottle it. */
	if (!is_sampling_event(event))
		return 0;
	return perf_overflow_account(event, PERF_OVERFLOW_MAY_THROTTLE);
}

/**
 * perf_event_unthrottle_in - unthrottle an event
 * @event: the event, active, its counter not started yet; its context's lock is held
 *
 * Called at the tick, for a new period, or when the event is scheduled in.
 *
 * Return: true if the core, not the driver, has stopped the counter and updated the count
 */
bool perf_event_unthrottle_in(struct perf_event *event)
{
	bool core_stopped;

	if (likely(!perf_event_throttled(event)))
		return false;
	core_stopped = event->cold->core_stopped;
	event->cold->core_stopped = false;
	event->hw.interrupts = 0;
	perf_throttle_record(event, false);
	return core_stopped;
}

/**
 * perf_swevent_end_throttle - end the throttle of an always-on event before the next tick
 * @event: the event; its context's lock is held
 * @here: the event's context runs on this CPU
 *
 * Called for a new period, and when the event is started. If the context does not run here, this
 * CPU must not write to the event's buffer: the next overflow unthrottles the event.
 *
 * Context: interrupts are off.
 */
void perf_swevent_end_throttle(struct perf_event *event, bool here)
{
	struct hw_perf_event *hw = &event->hw;

	lockdep_assert_irqs_disabled();
	lockdep_assert_held(&event->ctx->lock);
	if (likely(!perf_event_throttled(event)))
		return;
	if (here && event->state == PERF_EVENT_STATE_ACTIVE)
		perf_event_unthrottle_in(event);
	else
		/*
		 * The event may occur on any CPU next. It must not be throttled there: use a number
		 * far from perf_throttle_ticks of all CPUs.
		 */
		WRITE_ONCE(hw->interrupts_seq, __this_cpu_read(perf_throttle_ticks) + BIT(31));
}

static DEFINE_MUTEX(tick_lock);
/* Events with a frequency; protected by tick_lock */
static unsigned int perf_tick_users;

/**
 * perf_tick_get - keep the tick on nohz_full CPUs for an event with a frequency
 *
 * The tick adjusts the event's period.
 *
 * Context: may sleep.
 */
void perf_tick_get(void)
{
	guard(mutex)(&tick_lock);
	if (!perf_tick_users++)
		tick_dep_set(TICK_DEP_BIT_PERF_EVENTS);
}

/**
 * perf_tick_put - undo perf_tick_get()
 *
 * Context: may sleep.
 */
void perf_tick_put(void)
{
	guard(mutex)(&tick_lock);
	if (!--perf_tick_users)
		tick_dep_clear(TICK_DEP_BIT_PERF_EVENTS);
}

/**
 * perf_event_counts_up - does hw.period_left count from minus the period up to 0?
 * @event: an event with a PMU
 *
 * Return: true for tracepoints, software events and breakpoints of the core; false for clock events
 * and drivers' events, whose hw.period_left counts down
 */
bool perf_event_counts_up(const struct perf_event *event)
{
	return is_tracing_event(event) || event->pmu->type == PERF_TYPE_SOFTWARE ||
	       event->pmu->type == PERF_TYPE_BREAKPOINT;
}

/**
 * perf_event_restart_period - restart the event's period
 * @event: an event that samples, stopped; its context's lock is held
 *
 * The driver of an active event applies the period in pmu::start.
 */
void perf_event_restart_period(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;

	if (perf_event_counts_up(event)) {
		WRITE_ONCE(hw->last_period, hw->sample_period);
		/* Another CPU that begins the next period must see last_period. */
		atomic64_set_release(perf_atomic64(&hw->period_left), -(s64)hw->sample_period);
	} else {
		local64_set(&hw->period_left, 0);
	}
}

/*
 * Compute the period from the count since the last tick. A throttled event has counted for an
 * unknown part of that time, and its period may have been much too short: double the period.
 */
static bool perf_tick_adjust_frequency(struct perf_event *event, bool throttled)
{
	struct hw_perf_event *hw = &event->hw;
	u64 count, delta, enabled, running, ns, target;
	bool idle = false;

	count = local64_read(&event->count);
	perf_event_times(event, &enabled, &running);
	delta = count - event->cold->freq_count_stamp;
	ns = running - event->cold->freq_time_stamp;
	event->cold->freq_count_stamp = count;
	event->cold->freq_time_stamp = running;
	if (unlikely(throttled)) {
		perf_throttle_lengthen_period(hw);
		return false;
	}
	/* The count was reset, or the event has not occurred: the rate is unknown. */
	if ((s64)delta <= 0 || (s64)ns <= 0)
		return false;

	if (!event->ctx->task) {
		ns = perf_tick_interval(ns, __this_cpu_read(tick_idle_ns), TICK_NSEC);
		idle = is_idle_task(current);
	}
	target = perf_period_for(event->attr.sample_freq, delta, ns);
	hw->sample_period = perf_next_period(hw->sample_period, target, idle,
					     &event->cold->rate_known);
	/* If the old period was much longer, its remainder would delay the next sample too long. */
	if (abs(local64_read(&hw->period_left)) / 8 <= hw->sample_period)
		return false;
	perf_event_restart_period(event);
	return true;
}

/* Enable the PMU *@disabled, and disable @pmu in its place; each may be NULL. */
static void perf_tick_switch_pmu(struct pmu *pmu, struct pmu **disabled)
{
	if (pmu == *disabled)
		return;
	if (*disabled)
		perf_pmu_enable(*disabled);
	if (pmu)
		perf_pmu_disable(pmu);
	*disabled = pmu;
}

static void perf_tick_event(struct perf_event *event, struct pmu **disabled)
{
	bool throttled = perf_event_throttled(event);
	bool freq = perf_event_has_frequency(event);
	bool scheduled = !is_always_on(event), core_stopped;
	int flags = 0;

	if (event->state != PERF_EVENT_STATE_ACTIVE || !is_sampling_event(event) ||
	    (!freq && !throttled))
		return;
	perf_tick_switch_pmu(event->pmu, disabled);
	core_stopped = perf_event_unthrottle_in(event);
	/*
	 * The driver may have stopped the throttled event without an update of the count: stop the
	 * event with PERF_EF_UPDATE, unless the core has stopped it and thus updated the count. The
	 * driver may also have moved the event to a counter with another event's value: start the
	 * event with PERF_EF_RELOAD.
	 */
	if (scheduled && !core_stopped)
		perf_event_pmu_stop(event, PERF_EF_UPDATE);
	if ((freq && perf_tick_adjust_frequency(event, throttled)) || throttled)
		flags = PERF_EF_RELOAD;
	if (scheduled)
		perf_event_pmu_start(event, flags);
}

/* Process the members of all groups that are scheduled in. */
static void perf_tick_groups(struct list_head *active, struct pmu **disabled)
{
	struct perf_event *leader, *member;

	list_for_each_entry(leader, active, active_list) {
		perf_tick_event(leader, disabled);
		for_each_sibling_event(member, leader)
			perf_tick_event(member, disabled);
	}
}

/* Limit on the always-on events of a context that one tick examines: interrupts are off */
#define PERF_TICK_EVENTS	256

/*
 * Process always-on events that sample. Such events are in no group of perf_tick_groups(), but in
 * the lists of event sites (ctx->sw_lists), among events that only count. Each tick continues where
 * the last one ended.
 */
static void perf_tick_always_on(struct perf_event_context *ctx, struct pmu **disabled)
{
	struct hlist_node **cursor = perf_tick_cursor(ctx), *node = *cursor;
	int here = smp_processor_id(), left = PERF_TICK_EVENTS;
	struct perf_event *event;

	if (!node)
		node = perf_swevent_always_on_after(ctx, NULL);
	while (node && left--) {
		event = hlist_entry(node, struct perf_event, hlist_entry);
		if (event->cpu < 0 || event->cpu == here)
			perf_tick_event(event, disabled);
		node = perf_swevent_always_on_after(ctx, node);
	}
	*cursor = node;
}

/*
 * Process active events of a context, whose lock is held. Events that wait for a counter or for
 * their cgroup are not examined: there may be thousands.
 */
static void perf_tick_context(struct perf_event_context *ctx, bool throttled)
{
	struct perf_event_pmu_context *epc;
	struct pmu *disabled = NULL;

	lockdep_assert_held(&ctx->lock);
	if (!throttled && !ctx->nr_freq)
		return;
	for_each_pmu_context(epc, ctx) {
		perf_tick_groups(&epc->pinned_active, &disabled);
		perf_tick_groups(&epc->flexible_active, &disabled);
	}
	perf_tick_always_on(ctx, &disabled);
	perf_tick_switch_pmu(NULL, &disabled);
}

/*
 * Have events been throttled on this CPU since its last tick? If so, drop the dependency on the
 * tick. An NMI may throttle an event at any point:
 *
 * - before throttled_events is cleared: the caller examines all events afterwards, including the
 *   throttled one;
 * - afterwards: throttled_events is not 0 at the end, and the dependency is set again.
 */
static bool perf_tick_end_throttles(void)
{
	if (likely(!__this_cpu_read(throttled_events)))
		return false;
	__this_cpu_write(throttled_events, 0);
	perf_throttle_require_tick(false);
	barrier();
	if (unlikely(__this_cpu_read(throttled_events)))
		perf_throttle_require_tick(true);
	return true;
}

static void perf_tick_note_idle(void)
{
	int cpu = smp_processor_id();
	u64 now;

	/* If idle CPUs have ticks, both functions return -1: the difference is 0. */
	now = get_cpu_idle_time_us(cpu, NULL) + get_cpu_iowait_time_us(cpu, NULL);
	__this_cpu_write(tick_idle_ns, (now - __this_cpu_read(idle_us)) * NSEC_PER_USEC);
	__this_cpu_write(idle_us, now);
}

/**
 * perf_adjust_freq_unthr - unthrottle events and adjust frequencies at a tick
 * @cpuctx: this CPU's context, not locked; interrupts are off
 */
void perf_adjust_freq_unthr(struct perf_cpu_context *cpuctx)
{
	struct perf_event_context *ctx;
	bool throttled;

	lockdep_assert_irqs_disabled();
	__this_cpu_inc(perf_throttle_ticks);
	throttled = perf_tick_end_throttles();

	rcu_read_lock();
	ctx = perf_task_context(current);
	if (throttled || READ_ONCE(cpuctx->ctx.nr_freq) || (ctx && READ_ONCE(ctx->nr_freq))) {
		raw_spin_lock(&cpuctx->ctx.lock);
		if (cpuctx->ctx.nr_freq)
			perf_tick_note_idle();
		perf_tick_context(&cpuctx->ctx, throttled);
		if (ctx) {
			raw_spin_lock(&ctx->lock);
			perf_tick_context(ctx, throttled);
			raw_spin_unlock(&ctx->lock);
		}
		raw_spin_unlock(&cpuctx->ctx.lock);
	}
	rcu_read_unlock();
}

/**
 * perf_event_task_tick - adjust frequencies and unthrottle events at the timer tick
 *
 * Context: interrupts are off, on each CPU with a tick.
 */
void perf_event_task_tick(void)
{
	perf_adjust_freq_unthr(this_cpu_context());
}

#if defined(CONFIG_PERF_EVENTS_KUNIT_TEST) && IS_BUILTIN(CONFIG_PERF_EVENTS_SIM_PMU)
#include "tests/throttle_test.c"
#endif
