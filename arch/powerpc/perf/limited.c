// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of old processors that cannot be frozen and do not interrupt: see power_limited().
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include "engine.h"

/**
 * power_limited_read - read the events whose counters cannot be frozen
 * @cpu: this CPU
 *
 * Called when the other counters are frozen. Until power_limited_start(), a counter that cannot be
 * frozen counts the driver's own work. power_limited_start() starts the events from the counters'
 * new values, so no event's count includes this work.
 *
 * Context: interrupts off, or overflow interrupt.
 */
void power_limited_read(struct power_cpu *cpu)
{
	int i;

	for (i = 0; i < cpu->n; i++) {
		if (power_limited(cpu->events[i]->hw.idx))
			power_event_update(cpu->events[i]);
	}
}

/**
 * power_limited_start - begin to count again on counters that cannot be frozen
 * @cpu: this CPU, whose other counters are about to run
 *
 * Context: interrupts off, or overflow interrupt.
 */
void power_limited_start(struct power_cpu *cpu)
{
	struct perf_event *event;
	int i;

	for (i = 0; i < cpu->n; i++) {
		event = cpu->events[i];
		if (power_limited(event->hw.idx))
			power_event_set_period(cpu, event, event->hw.idx);
	}
}

/*
 * A counter without an interrupt must be read before it wraps after 2^32 occurrences. On processors
 * with such counters, 2^32 occurrences take longer than this.
 */
#define LIMITED_READ_NS		(100 * NSEC_PER_MSEC)

static DEFINE_PER_CPU(struct hrtimer, power_limited_timers);

static bool power_limited_used(const struct power_cpu *cpu)
{
	int i;

	for (i = 0; i < cpu->n; i++) {
		if (power_limited(cpu->events[i]->hw.idx))
			return true;
	}
	return false;
}

static enum hrtimer_restart power_limited_tick(struct hrtimer *timer)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);
	unsigned long flags;

	if (!power_limited_used(cpu))
		return HRTIMER_NORESTART;
	/* While the PMU is disabled, the counter counts the driver's own work. */
	if (!cpu->disabled) {
		power_interrupt_off(flags);
		power_limited_read(cpu);
		power_interrupt_on(flags);
	}
	hrtimer_forward_now(timer, ns_to_ktime(LIMITED_READ_NS));
	return HRTIMER_RESTART;
}

/**
 * power_limited_start_timer - start a timer that reads counters without an interrupt
 * @cpu: this CPU
 *
 * The timer reads the counters before they wrap, and stops when no event uses such a counter.
 *
 * Context: interrupts off.
 */
void power_limited_start_timer(struct power_cpu *cpu)
{
	struct hrtimer *timer = this_cpu_ptr(&power_limited_timers);

	if (!hrtimer_is_queued(timer) && power_limited_used(cpu))
		hrtimer_start(timer, ns_to_ktime(LIMITED_READ_NS), HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * power_limited_init_timer - prepare the timer of a CPU
 * @nr: the CPU, not online, or without events
 *
 * Context: process.
 */
void power_limited_init_timer(unsigned int nr)
{
	struct hrtimer *timer = per_cpu_ptr(&power_limited_timers, nr);

	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = power_limited_tick;
}

/**
 * power_limited_stop_timer - cancel the timer of a CPU
 * @nr: the CPU, no longer online; the timer may have been moved to another CPU
 *
 * Context: process.
 */
void power_limited_stop_timer(unsigned int nr)
{
	hrtimer_cancel(per_cpu_ptr(&power_limited_timers, nr));
}
