/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SCHED_H
#define _KERNEL_EVENTS_SCHED_H

#include "context.h"
#include "internal.h"

/* A PMU's state of the CPU that this is, and stays. */
static inline struct perf_cpu_pmu_context *perf_this_cpc(const struct pmu *pmu)
{
	return this_cpu_ptr(pmu->cpu_pmu_context);
}

static inline bool perf_group_waits(const struct perf_event *leader)
{
	return leader->state == PERF_EVENT_STATE_INACTIVE;
}

/* Does the PMU keep its events off this CPU? */
static inline bool perf_pmu_kept_off(struct pmu *pmu)
{
	return unlikely(pmu->filter) && pmu->filter(pmu, smp_processor_id());
}

/* The CPU's own part, while its drivers are ready for that. */
static inline struct perf_event_pmu_context *perf_cpu_part(struct perf_cpu_context *cpuctx,
							   const struct pmu *pmu)
{
	return likely(cpuctx->ready) ? perf_pmu_context_of(&cpuctx->ctx, pmu) : NULL;
}

/* ctx->lock is held and, with a cpuctx, that too. */
bool perf_stretch_sched_in(struct perf_event_pmu_context *epc, bool pinned, int cpu,
			   struct perf_cgroup *cgrp);
void perf_group_sched_out(struct perf_event *leader);
void perf_event_sched_out(struct perf_event *event);
bool perf_pmu_resched_cpu(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx,
			  struct pmu *pmu);
void perf_context_sched_out_all(struct perf_event_context *ctx);
void perf_context_sched_out(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx);
void perf_context_sched_in(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx,
			   const struct task_struct *prev);
bool perf_groups_sched_in(struct perf_cpu_context *cpuctx, struct perf_event_pmu_context *epc,
			  bool pinned);
bool perf_group_try_sched_in(struct perf_event *leader, struct perf_cpu_pmu_context *cpc);

/* May sleep. */
void perf_sched_events_get(void);
void perf_sched_events_put(void);

/* The only callers of pmu->start and stop; CPU of the event, IRQs off. */
void perf_event_pmu_start(struct perf_event *event, int flags);
void perf_event_pmu_stop(struct perf_event *event, int flags);

#endif /* _KERNEL_EVENTS_SCHED_H */
