/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_CLOCK_H
#define _KERNEL_EVENTS_CLOCK_H

#include <linux/perf_event.h>

u64 perf_clock_event_count(const struct perf_event *event);
void perf_clock_event_reset(struct perf_event *event);
int perf_clock_pmu_type(u64 config);
void perf_clock_pmu_init(void);

/* Is the event a clock event that only counts? Its count is its running time. */
static inline bool is_counting_clock(const struct perf_event *event)
{
	return (event->event_caps & PERF_EV_CAP_ALWAYS_ON) &&
	       event->attr.config < PERF_SW_FIRST;
}

#endif /* _KERNEL_EVENTS_CLOCK_H */
