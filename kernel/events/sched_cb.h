/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SCHED_CB_H
#define _KERNEL_EVENTS_SCHED_CB_H

#include "internal.h"
#include "sched.h"

/* Has the PMU's driver called perf_sched_cb_inc() on this CPU? Interrupts are off. */
static inline bool perf_pmu_has_sched_task(const struct pmu *pmu)
{
	return !list_empty(&perf_this_cpc(pmu)->sched_cb_entry);
}

/* Has the driver of any PMU called perf_sched_cb_inc() on this CPU? Interrupts are off. */
static inline bool perf_sched_cb_in_use(const struct perf_cpu_context *cpuctx)
{
	return unlikely(!list_empty(&cpuctx->sched_cb_list));
}

/* perf_sched_events_get() may sleep. */
void perf_sched_events_get(void);
void perf_sched_events_put(void);

void perf_sched_task_other_pmus(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx,
				bool sched_in);
void perf_sched_task_all_pmus(struct perf_cpu_context *cpuctx, bool sched_in);
void perf_pmu_disable_for_switch(struct perf_cpu_context *cpuctx, struct pmu *pmu);
void perf_pmus_enable_after_switch(struct perf_cpu_context *cpuctx);

#endif /* _KERNEL_EVENTS_SCHED_CB_H */
