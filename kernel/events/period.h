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
 * perf_next_period - a step towards a period
 * @now: the period, between 1 and S64_MAX
 * @target: the one that the last tick suggests
 *
 * Near by, one tick proves little and an eighth of the way is enough; from
 * afar, go there at once. Pure.
 * Return: the next period.
 */
static inline u64 perf_next_period(u64 now, u64 target)
{
	s64 delta = target - now;

	if (target / 2 > now || target < now / 2)
		return target;
	/* Away from zero, or a small period would never move. */
	return max_t(s64, 1, now + (delta + (delta < 0 ? -7 : 7)) / 8);
}

#endif /* _KERNEL_EVENTS_PERIOD_H */
