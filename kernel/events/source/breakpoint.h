/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_BREAKPOINT_H
#define _KERNEL_EVENTS_BREAKPOINT_H

#include <linux/init.h>
#include <linux/perf_event.h>

#include "../refuse.h"

#ifdef CONFIG_HAVE_HW_BREAKPOINT
void __init perf_breakpoint_pmu_init(void);
/* ctx->mutex is held, and perf_inherit_lock_event() has been called. */
int perf_breakpoint_modify(struct perf_event *event, const struct perf_event_attr *attr);
bool perf_breakpoint_same_settings(const struct perf_event_attr *a,
				   const struct perf_event_attr *b);
#else
static inline void perf_breakpoint_pmu_init(void) { }
static inline int perf_breakpoint_modify(struct perf_event *event,
					 const struct perf_event_attr *attr)
{
	return perf_refuse(PERF_REFUSED_MODIFY_PMU);
}

static inline bool perf_breakpoint_same_settings(const struct perf_event_attr *a,
						 const struct perf_event_attr *b)
{
	return true;
}
#endif

#endif /* _KERNEL_EVENTS_BREAKPOINT_H */
