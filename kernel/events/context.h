/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_CONTEXT_H
#define _KERNEL_EVENTS_CONTEXT_H

#include "internal.h"

struct perf_event_context *perf_context_find(struct task_struct *task, int cpu);
void perf_context_put(struct perf_event_context *ctx);
struct perf_event_context *perf_event_ctx_lock(struct perf_event *event);
void perf_event_ctx_unlock(struct perf_event_context *ctx);

/*
 * CLASS(event_context, ctx)(event): the event's context, with its mutex held until the end of
 * the block.
 */
DEFINE_CLASS(event_context, struct perf_event_context *, perf_event_ctx_unlock(_T),
	     perf_event_ctx_lock(event), struct perf_event *event)

/*
 * A function that is called with the event's context locked. @cpuctx is this CPU's context, or NULL
 * if the event's context runs on no CPU.
 */
typedef void (*perf_event_func_t)(struct perf_event *event,
				  struct perf_cpu_context *cpuctx, void *data);

/*
 * Call @func with the locks of the event's context held and interrupts off. If the context runs on
 * a CPU, @func is called on that CPU, with its cpuctx. Otherwise @func is called on this CPU, with
 * cpuctx NULL. If the context's task has exited, @func is not called, and the call returns false.
 * The caller holds ctx->mutex or, for an inherited event, the inherit lock.
 */
bool perf_event_call(struct perf_event *event, perf_event_func_t func, void *data);

/*
 * perf_event_call() without ctx->mutex, for functions that change only the event itself: the event
 * may have left @ctx when @func is called. Return true if @func was called.
 */
bool perf_context_call(struct perf_event_context *ctx, struct perf_event *event,
		       perf_event_func_t func, void *data);

bool perf_event_is_on_stopped_cpu(const struct perf_event *event);

/*
 * Call @func as perf_event_call() does, without data, for the events inherited from @parent whose
 * contexts run, on all CPUs in parallel. The inherit lock is held. Some events may be left out, so
 * the caller checks each event afterwards. May sleep.
 */
void perf_children_call_running(struct perf_event *parent, perf_event_func_t func);

void perf_context_init(struct perf_event_context *ctx, struct task_struct *task);
struct perf_event_context *perf_context_alloc(struct task_struct *task, gfp_t gfp);
void perf_context_lock_cpu(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx);
void perf_context_unlock_cpu(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx);
void perf_context_reserve(struct perf_event_context *ctx);
void perf_context_unreserve(struct perf_event_context *ctx);
struct perf_event_pmu_context *
perf_pmu_context_get(struct perf_event_context *ctx, const struct perf_event *event);
void perf_pmu_context_put(struct perf_event_pmu_context *epc);

/* Get a PMU's part of a context, or NULL. If @ctx is not NULL, its lock is held. */
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

#endif /* _KERNEL_EVENTS_CONTEXT_H */
