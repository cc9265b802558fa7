/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Delays between two steps of lockless code, for tests: they extend race windows of a few
 * instructions to microseconds. Needs CONFIG_PERF_EVENTS_DELAYS; otherwise perf_delay() does
 * nothing. See delay.c.
 */
#ifndef _KERNEL_EVENTS_DELAY_H
#define _KERNEL_EVENTS_DELAY_H

enum perf_delay_point {
#define PERF_DELAY_POINT(name)	PERF_DELAY_##name
#include "delay_points.h"
#undef PERF_DELAY_POINT
	PERF_NR_DELAYS
};

#ifdef CONFIG_PERF_EVENTS_DELAYS
void perf_delay_at(enum perf_delay_point point);

/* perf_delay() may be called in any context, including NMI, and never sleeps. */
#define perf_delay(name)	perf_delay_at(PERF_DELAY_##name)
/* Steps of time_seq.h, which is included after this file */
#define PERF_TIME_STEP()	perf_delay(TIME_STEP)
#else
#define perf_delay(name)	((void)PERF_DELAY_##name)
#endif

#endif /* _KERNEL_EVENTS_DELAY_H */
