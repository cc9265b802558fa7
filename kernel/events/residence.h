/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts that are clones of one another, and what stands in for them on a CPU.
 *
 * Tasks whose contexts hold copies of the same events, which do nothing but count,
 * need not have counters of their own: nobody is told what one of them counted,
 * only the sum. So each CPU has a context of its own for them, with one more copy
 * of each event: a residence. Whichever of the tasks runs there, the residence is
 * on, and counts for it, while the task's own context stands still.
 * Documentation/core-api/perf-events.rst says when, and why the sum is exact.
 */
#ifndef _KERNEL_EVENTS_RESIDENCE_H
#define _KERNEL_EVENTS_RESIDENCE_H

#include <linux/perf_event.h>
#include <linux/refcount.h>
#include <linux/task_work.h>

#include "internal.h"

/**
 * struct perf_clones - what contexts that are clones of one another share
 * @refcount: each of these contexts, and @work while it is queued
 * @asked: a residence has been asked for, or could not be made; see ask()
 * @at: the residences by CPU, NULL as long as there is none; once set, entries stay
 *	until the last of the contexts has left
 * @work: makes one more, in a task that would have used it
 */
struct perf_clones {
	refcount_t			refcount;
	unsigned int			asked;
	struct perf_event_context	**at;
	struct callback_head		work;
};

/* residence.c: a fork, an event that is to be attached, the end of a task */
void perf_clones_join(struct perf_event_context *parent, struct perf_event_context *child);
void perf_clones_put(struct perf_clones *clones);
void perf_residence_evict(struct perf_event_context *ctx);
struct perf_event_context *perf_residence_find(struct perf_event_context *ctx,
					       const struct task_struct *prev);
bool perf_residence_stays(const struct perf_cpu_context *cpuctx, struct task_struct *next);
int perf_residence_make(struct perf_event_context *ctx, unsigned int cpu);

/* inherit.c */
struct perf_event_context *perf_context_clone(struct perf_event_context *ctx);
void perf_context_end_clone(struct perf_event_context *clone);

/**
 * perf_residence_leave - let a context be on its CPU by itself, for ever
 * @ctx: of a task or of a CPU, or a residence, which is left alone; its mutex is held
 *
 * Its events are about to differ from those of the contexts that it is a clone
 * of. When its task runs, it is on when this returns. May sleep.
 */
static inline void perf_residence_leave(struct perf_event_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	if (unlikely(ctx->clones) && !ctx->residence)
		perf_residence_evict(ctx);
}

/**
 * perf_residence_for - what stands in for a context on this CPU?
 * @ctx: of the running task; interrupts are off
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
 * perf_residence_serves - does what is on stand in for the task that has come?
 * @cpuctx: this CPU's; interrupts are off
 * @ctx: the task's context, or NULL
 */
static inline bool perf_residence_serves(const struct perf_cpu_context *cpuctx,
					 const struct perf_event_context *ctx)
{
	return ctx && cpuctx->residence && READ_ONCE(ctx->clones) == cpuctx->residence->clones;
}

#endif /* _KERNEL_EVENTS_RESIDENCE_H */
