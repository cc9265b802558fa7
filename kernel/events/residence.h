/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts that are clones of one another, and their replacement on each CPU
 *
 * If the contexts of several tasks hold copies of the same counting events, user space sees only
 * the sum over all copies. So these tasks do not need counters of their own. Instead, each CPU
 * has one context with one more copy of each event: a residence. While one of the tasks runs on
 * the CPU, the residence is scheduled in and counts in place of the task's own context, whose
 * clock is stopped. Documentation/core-api/perf-events.rst describes the conditions, and why the
 * sum is exact.
 */
#ifndef _KERNEL_EVENTS_RESIDENCE_H
#define _KERNEL_EVENTS_RESIDENCE_H

#include <linux/cache.h>
#include <linux/perf_event.h>
#include <linux/refcount.h>
#include <linux/task_work.h>
#include <linux/workqueue.h>

#include "internal.h"

/**
 * struct perf_clones - data shared by contexts that are clones of one another
 * @at: residences by CPU, NULL until the first request; entries remain until the last context has
 *	left
 * @asked: a residence was requested, or could not be made; see perf_clones_ask()
 * @work: makes a residence, in a task that would have used it
 * @free_work: frees the residences after the last reference was dropped
 * @refcount: references of these contexts, and of @work while it is queued. Not in the cache line
 *	of @at: each fork and exit of a clone writes it, and switches on all CPUs read @at
 */
struct perf_clones {
	struct perf_event_context	**at;
	unsigned int			asked;
	union {
		struct callback_head	work;
		struct work_struct	free_work;
	};
	refcount_t			refcount ____cacheline_aligned_in_smp;
};

/* kmalloc() aligns a size of whole cache lines to cache lines. */
static_assert(!IS_ENABLED(CONFIG_SMP) || offsetof(struct perf_clones, refcount) >= SMP_CACHE_BYTES);

/* residence.c */
void perf_clones_join(struct perf_event_context *parent, struct perf_event_context *child);
void perf_clones_put(struct perf_clones *clones);
void perf_residence_evict(struct perf_event_context *ctx);
struct perf_event_context *perf_residence_find(struct perf_event_context *ctx,
					       const struct task_struct *prev);
bool perf_residence_stays(const struct perf_cpu_context *cpuctx, struct task_struct *next);
int perf_residence_make(struct perf_event_context *ctx, unsigned int cpu);

/* inherit.c, exit.c */
struct perf_event_context *perf_context_clone(struct perf_event_context *ctx);
void perf_context_end_clone(struct perf_event_context *clone);

/**
 * perf_residence_leave - remove a context from its clones, so that it counts by itself
 * @ctx: context of a task, with its mutex held; does nothing for a CPU's context or a residence
 *
 * Called before the context's events become different from those of its clones. If its task runs,
 * its own context is scheduled in on return. The context never becomes a clone again.
 *
 * Context: may sleep.
 */
static inline void perf_residence_leave(struct perf_event_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	if (unlikely(ctx->clones) && !ctx->residence)
		perf_residence_evict(ctx);
}

/**
 * perf_residence_for - find the residence that replaces a context on this CPU
 * @ctx: the running task's context; interrupts are off
 * @prev: the previous task on this CPU
 *
 * Return: the residence, or NULL
 */
static inline struct perf_event_context *perf_residence_for(struct perf_event_context *ctx,
							    const struct task_struct *prev)
{
	return likely(!READ_ONCE(ctx->clones)) ? NULL : perf_residence_find(ctx, prev);
}

/**
 * perf_residence_serves - can the active residence replace a task's context?
 * @cpuctx: this CPU's context, which may have no active residence; interrupts are off
 * @ctx: the task's context, or NULL
 *
 * Return: true if it can
 */
static inline bool perf_residence_serves(const struct perf_cpu_context *cpuctx,
					 const struct perf_event_context *ctx)
{
	if (!ctx || !cpuctx->residence)
		return false;
	/* Pairs with perf_residence_evict(). */
	smp_mb();
	return READ_ONCE(ctx->clones) == cpuctx->residence->clones;
}

#endif /* _KERNEL_EVENTS_RESIDENCE_H */
