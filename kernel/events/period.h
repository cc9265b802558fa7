/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arithmetic of periods and frequencies. No kernel context is needed: a fuzzer in user space
 * includes this file.
 */
#ifndef _KERNEL_EVENTS_PERIOD_H
#define _KERNEL_EVENTS_PERIOD_H

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/overflow.h>
#include <linux/time64.h>

/**
 * perf_period_for - compute the period for a frequency
 * @freq: samples per second
 * @count: the event's count in @nsec
 * @nsec: time, ns
 *
 * Return: period between 1 and S64_MAX
 */
static inline u64 perf_period_for(u64 freq, u64 count, u64 nsec)
{
	u64 divisor;

	if (check_mul_overflow(freq, nsec, &divisor))
		divisor = U64_MAX;
	if (!divisor)
		return S64_MAX;
	/* The quotient must fit, because some processors trap otherwise. */
	if (mul_u64_u64_shr(count, NSEC_PER_SEC, 64) >= divisor)
		return S64_MAX;
	return clamp_t(u64, mul_u64_u64_div_u64(count, NSEC_PER_SEC, divisor), 1, S64_MAX);
}

/**
 * perf_tick_interval - compute the time in which a per-CPU event counted since the last tick
 * @ns: running time since the last tick that checked the event, ns
 * @idle_ns: idle time of the CPU since then, ns
 * @tick_ns: time between two ticks, ns
 *
 * An idle CPU has no ticks, and most per-CPU events do not count while it is idle. An event
 * that was not scheduled in all the time may have missed any part of the idle time.
 *
 * Return: the time, ns
 */
static inline u64 perf_tick_interval(u64 ns, u64 idle_ns, u64 tick_ns)
{
	if (ns < 2 * tick_ns)
		return ns;
	return idle_ns < ns ? max_t(u64, ns - idle_ns, tick_ns / 8) : tick_ns;
}

/**
 * perf_next_period - move an event's period towards the period that a tick suggests
 * @now: the period, between 1 and S64_MAX
 * @target: result of perf_period_for() for the time since the last tick
 * @idle: the tick interrupted the idle task, and the event is a per-CPU one
 * @rate_known: state of the event, initially false: cleared by a tick with @target below half the
 *	period, unless @idle; set by all other ticks
 *
 * A period that is too long results in too few samples for a while. A period that is too short
 * results in bursts of samples, so a tick must show more to reduce the period than to increase it:
 *
 * - If @target is more than twice the period, the next period is @target.
 * - With @idle the period is not reduced, because the tick does not show how long the CPU was busy.
 * - If @target is less than half the period, the next period is @target only without @rate_known: a
 *   single such tick may just be the first after a change between busy and idle.
 *
 * Otherwise the period changes by an eighth of its distance from @target.
 *
 * Return: the next period
 */
static inline u64 perf_next_period(u64 now, u64 target, bool idle, bool *rate_known)
{
	s64 delta = target - now, step;

	if (target / 2 > now) {
		*rate_known = true;
		return target;
	}
	if (target < now && idle) {
		*rate_known = true;
		return now;
	}
	if (target < now / 2 && !*rate_known)
		return target;
	*rate_known = target >= now / 2;
	step = delta / 8;
	/* Round away from zero, or a small period would never change. */
	if (delta % 8)
		step += delta < 0 ? -1 : 1;
	return now + step;
}

#endif /* _KERNEL_EVENTS_PERIOD_H */
