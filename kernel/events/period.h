/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arithmetic of periods and frequencies. It needs no kernel context: a fuzzer in
 * user space includes it, too.
 */
#ifndef _KERNEL_EVENTS_PERIOD_H
#define _KERNEL_EVENTS_PERIOD_H

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/overflow.h>
#include <linux/time64.h>

/**
 * perf_period_for - the period that makes a frequency
 * @freq: samples a second
 * @count: what an event has counted in @nsec
 * @nsec: the time, ns
 *
 * Pure.
 * Return: between 1 and S64_MAX.
 */
static inline u64 perf_period_for(u64 freq, u64 count, u64 nsec)
{
	u64 divisor;

	if (check_mul_overflow(freq, nsec, &divisor))
		divisor = U64_MAX;
	if (!divisor)
		return S64_MAX;
	/* The quotient has to fit: some processors trap when it does not. */
	if (mul_u64_u64_shr(count, NSEC_PER_SEC, 64) >= divisor)
		return S64_MAX;
	return clamp_t(u64, mul_u64_u64_div_u64(count, NSEC_PER_SEC, divisor), 1, S64_MAX);
}

/**
 * perf_tick_interval - the time in which an event of a CPU counted what a tick finds
 * @ns: running time since the last tick that looked at the event, ns
 * @idle_ns: time since then in which the CPU was idle, ns
 * @tick_ns: time between two ticks, ns
 *
 * An idle CPU has no ticks, and most events of the CPU count nothing while it is idle. An event
 * that was not on all of the time may have missed any part of the idle time. Pure.
 * Return: the time, ns.
 */
static inline u64 perf_tick_interval(u64 ns, u64 idle_ns, u64 tick_ns)
{
	if (ns < 2 * tick_ns)
		return ns;
	return idle_ns < ns ? max_t(u64, ns - idle_ns, tick_ns / 8) : tick_ns;
}

/**
 * perf_next_period - a step from an event's period to the one that a tick suggests
 * @now: the period, between 1 and S64_MAX
 * @target: what perf_period_for() says of the time since the last tick
 * @idle: the tick interrupted the idle task in an event of the CPU
 * @rate_known: false at first. Kept for the event: an earlier tick agreed with the period
 *
 * A period that is too long gives too few samples for a while. One that is too short gives
 * bursts of samples, so it needs more evidence:
 *
 * - A tick while the CPU is idle may have seen any part of the time being busy. It proves that
 *   the period is too short, never that it is too long.
 * - So may one tick in which the CPU got busy or idle. A second in a row is believed.
 *
 * Near by, an eighth of the way is enough. Pure.
 * Return: the next period.
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
	/* Away from zero, or a small period would never move. */
	if (delta % 8)
		step += delta < 0 ? -1 : 1;
	return now + step;
}

#endif /* _KERNEL_EVENTS_PERIOD_H */
