/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SCHED_H
#define _KERNEL_EVENTS_SCHED_H

#include "context.h"
#include "internal.h"

/* A PMU's state on this CPU; preemption is off. */
static inline struct perf_cpu_pmu_context *perf_this_cpc(const struct pmu *pmu)
{
	return this_cpu_ptr(pmu->cpu_pmu_context);
}

static inline bool perf_group_is_inactive(const struct perf_event *leader)
{
	return leader->state == PERF_EVENT_STATE_INACTIVE;
}

/* Does the PMU exclude this CPU from scheduling? */
static inline bool perf_pmu_filtered_here(struct pmu *pmu)
{
	return unlikely(pmu->filter) && pmu->filter(pmu, smp_processor_id());
}

/*
 * A PMU's part of this CPU's own context, or NULL if the context has no events of the PMU. Unlike
 * perf_pmu_context_of(), this needs no list walk. cpuctx->ctx.lock is held.
 */
static inline struct perf_event_pmu_context *perf_cpu_part(struct perf_cpu_context *cpuctx,
							   const struct pmu *pmu)
{
	struct perf_event_pmu_context *epc = &perf_this_cpc(pmu)->epc;

	lockdep_assert_held(&cpuctx->ctx.lock);
	return refcount_read(&epc->refcount) ? epc : NULL;
}

/* As perf_cpu_part(), but NULL until the drivers have prepared the CPU for perf events */
static inline struct perf_event_pmu_context *perf_cpu_ready_part(struct perf_cpu_context *cpuctx,
								 const struct pmu *pmu)
{
	return likely(cpuctx->ready) ? perf_cpu_part(cpuctx, pmu) : NULL;
}

/*
 * The lock of the context of each argument is held, except for perf_context_sched_out(),
 * perf_context_sched_out_now() and perf_context_sched_in(), which take the locks themselves.
 * Interrupts are off.
 */
bool perf_subtree_sched_in(struct perf_event_pmu_context *epc, bool pinned, int cpu,
			   struct perf_cgroup *cgrp);
void perf_group_sched_out(struct perf_event *leader);
void perf_sched_groups_out(struct list_head *active);
void perf_event_sched_out(struct perf_event *event);
bool perf_pmu_resched_cpu(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx,
			  struct pmu *pmu);
void perf_context_sched_out_all(struct perf_event_context *ctx);
void perf_context_sched_out(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx);
void perf_context_sched_out_now(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx);
void perf_context_sched_in(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx,
			   const struct task_struct *prev);
bool perf_groups_sched_in(struct perf_cpu_context *cpuctx, struct perf_event_pmu_context *epc,
			  bool pinned);
bool perf_group_try_sched_in(struct perf_event *leader, struct perf_cpu_pmu_context *cpc);

/*
 * Functions in throttle.c, the only callers of pmu->start and pmu->stop in the core. They are
 * called on the event's CPU, with interrupts off.
 */
void perf_event_pmu_start(struct perf_event *event, int flags);
void perf_event_pmu_stop(struct perf_event *event, int flags);

#endif /* _KERNEL_EVENTS_SCHED_H */
