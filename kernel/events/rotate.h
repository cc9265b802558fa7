/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_ROTATE_H
#define _KERNEL_EVENTS_ROTATE_H

#include <linux/perf_event.h>

struct perf_cpu_context;
struct perf_cpu_pmu_context;

void perf_rotation_needed(struct perf_cpu_pmu_context *cpc);
bool perf_task_rotation_is_due(struct perf_cpu_context *cpuctx, struct perf_event_pmu_context *epc);
bool perf_rotate(struct perf_cpu_context *cpuctx, struct perf_cpu_pmu_context *cpc,
		 bool task_first);
bool perf_rotate_here(struct perf_cpu_pmu_context *cpc);

/* The caller keeps the PMU registered. */
int perf_cpu_pmu_contexts_make(struct pmu *pmu);
void perf_cpu_pmu_contexts_free(struct pmu *pmu);
void perf_rotation_stop(struct pmu *pmu, int cpu);
void perf_pmu_mux_interval_changed(struct pmu *pmu);

#endif /* _KERNEL_EVENTS_ROTATE_H */
