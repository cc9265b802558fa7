/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_CONTEXT_H
#define _KERNEL_EVENTS_CONTEXT_H

#include "internal.h"

/* context.c */
void perf_context_init(struct perf_event_context *ctx, struct task_struct *task);
struct perf_event_context *perf_context_alloc(struct task_struct *task);
void perf_context_lock_cpu(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx);
void perf_context_unlock_cpu(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx);
void perf_context_reserve(struct perf_event_context *ctx);
void perf_context_unreserve(struct perf_event_context *ctx);
struct perf_event_pmu_context *
perf_pmu_context_get(struct perf_event_context *ctx, const struct perf_event *event);
void perf_pmu_context_put(struct perf_event_pmu_context *epc);

/* The part of a context, or of none, that belongs to a PMU; ctx->lock is held. */
static inline struct perf_event_pmu_context *
perf_pmu_context_of(struct perf_event_context *ctx, const struct pmu *pmu)
{
	struct perf_event_pmu_context *epc;

	if (!ctx)
		return NULL;
	lockdep_assert_held(&ctx->lock);
	for_each_pmu_context(epc, ctx) {
		if (epc->pmu == pmu)
			return epc;
	}
	return NULL;
}

/* group.c: membership; ctx->mutex */
bool perf_group_may_join(const struct perf_event *leader, const struct perf_event *event);
int perf_event_attach(struct perf_event *event);
int perf_event_attach_copy(struct perf_event *copy);
void perf_group_complete(struct perf_event *leader);
void perf_group_layout(struct perf_event *leader);
bool perf_event_detach(struct perf_event *event, enum perf_event_state end);
void perf_event_detach_at_exit(struct perf_event *event);

/* group.c: on and off; ctx->mutex, or the family's lock for an inherited event */
void perf_event_turn_on(struct perf_event *event);
void perf_event_turn_on_for(struct perf_event *event, int overflows);
void perf_event_turn_off(struct perf_event *event);
void perf_event_disable_due(struct perf_event *event);

/**
 * struct perf_stretch_look - what some stretches of a tree have in common
 * @waiting: the leader of the youngest group that waits, or NULL
 * @youngest: ns that the youngest group has run, U64_MAX at the beginning
 * @level: ns that the youngest group of the oldest stretch has run
 */
struct perf_stretch_look {
	struct perf_event	*waiting;
	u64			youngest;
	u64			level;
};

/* group_tree.c: ctx->lock */
void perf_group_level(struct perf_event *leader);
void perf_group_insert(struct perf_event *leader);
void perf_group_erase(struct perf_event *leader);
void perf_group_ran(struct perf_event *leader, u64 ns);
void perf_group_pass(struct perf_event *leader, u64 ns);
u64 perf_group_age(const struct perf_event *leader);
void perf_stretch_look(struct perf_event_pmu_context *epc, int cpu,
		       const struct perf_cgroup *cgrp, struct perf_stretch_look *look);
void perf_ages_settle(struct perf_event_pmu_context *cpu, const struct perf_stretch_look *of_cpu,
		      struct perf_event_pmu_context *task, const struct perf_stretch_look *of_task);
struct perf_event *perf_group_first(struct rb_root *root, int cpu, const struct perf_cgroup *cgrp);
struct perf_event *perf_group_next(struct perf_event *leader);

/* sched.c: ctx->lock and, with a cpuctx, that too */
void perf_stretch_sched_in(struct perf_event_pmu_context *epc, bool pinned, int cpu,
			   struct perf_cgroup *cgrp);
void perf_group_sched_out(struct perf_event *leader);
void perf_event_sched_out(struct perf_event *event);
void perf_pmu_resched_cpu(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx,
			  struct pmu *pmu);
void perf_context_sched_out_all(struct perf_event_context *ctx);
void perf_sched_events_get(void);
void perf_sched_events_put(void);

#endif /* _KERNEL_EVENTS_CONTEXT_H */
