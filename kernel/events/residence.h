/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts that are clones of one another, and what stands in for them on a CPU.
 *
 * When the contexts of several tasks hold copies of the same events, and these events
 * only count, user space sees only the sum over all copies. So these tasks need not
 * have counters of their own. Instead each CPU has one context for all of them, with
 * one more copy of each event: a residence. While any of the tasks runs there, the
 * residence is on and counts for it, and the task's own context stands still.
 * Documentation/core-api/perf-events.rst says when, and why the sum is exact.
 */
#ifndef _KERNEL_EVENTS_RESIDENCE_H
#define _KERNEL_EVENTS_RESIDENCE_H

#include <linux/perf_event.h>
#include <linux/refcount.h>
#include <linux/task_work.h>
#include <linux/workqueue.h>

#include "internal.h"

/**
 * struct perf_clones - what contexts that are clones of one another share
 * @refcount: references of these contexts, and of @work while it is queued
 * @asked: a residence has been asked for, or could not be made; see perf_clones_ask()
 * @at: the residences by CPU, NULL as long as there is none; once set, entries stay
 *	until the last of the contexts has left
 * @work: makes one more residence, in a task that would have used it
 * @free_work: without any reference left, frees the residences
 */
struct perf_clones {
	refcount_t			refcount;
	unsigned int			asked;
	struct perf_event_context	**at;
	union {
		struct callback_head	work;
		struct work_struct	free_work;
	};
};

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
 * perf_residence_leave - let a context count by itself from here on, for ever
 * @ctx: context of a task, whose mutex is held. For a CPU's context or a residence
 *	nothing is done
 *
 * Called before the context's events come to differ from those of its clones. If its
 * task runs, its own context is on when this returns. May sleep.
 */
static inline void perf_residence_leave(struct perf_event_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	if (unlikely(ctx->clones) && !ctx->residence)
		perf_residence_evict(ctx);
}

/**
 * perf_residence_for - find the residence that stands in for a context on this CPU
 * @ctx: the running task's context; interrupts are off
 * @prev: the task that was here before
 *
 * Return: the residence, or NULL.
 */
static inline struct perf_event_context *perf_residence_for(struct perf_event_context *ctx,
							    const struct task_struct *prev)
{
	return likely(!READ_ONCE(ctx->clones)) ? NULL : perf_residence_find(ctx, prev);
}

/**
 * perf_residence_serves - can the residence that is on stand in for a task's context?
 * @cpuctx: this CPU's context, which may have no residence on; interrupts are off
 * @ctx: the task's context, or NULL
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
