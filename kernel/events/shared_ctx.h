/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared context: a per-CPU context that counts for cloned tasks in place of their own contexts
 *
 * If the contexts of several tasks have counting events with the same parent events, user space
 * sees only the sum over all these events. So the tasks do not need counters of their own. Instead,
 * the set of their contexts (struct perf_ctx_set) has one shared context for each CPU, with one
 * more event inherited from each parent event. While one of the tasks runs on the CPU, the shared
 * context is scheduled in and counts in place of the task's own context, whose clock is stopped.
 * Documentation/core-api/perf_events/scheduling.rst describes the conditions, and why the sum is
 * exact.
 */
#ifndef _KERNEL_EVENTS_SHARED_CTX_H
#define _KERNEL_EVENTS_SHARED_CTX_H

#include <linux/cache.h>
#include <linux/perf_event.h>
#include <linux/refcount.h>
#include <linux/task_work.h>
#include <linux/workqueue.h>

#include "internal.h"

/**
 * struct perf_ctx_set - contexts of tasks whose events have the same parent events
 * @ctxs: shared contexts by CPU, NULL until the first request; entries remain until the last
 *	context has left
 * @work_queued: 1 while @work is queued or runs, and for ever after an error of @work other than
 *	-EAGAIN and -EINTR; see perf_shared_ctx_end_work()
 * @work: makes a shared context, in a task that would have used it
 * @free_work: frees the shared contexts after the last reference was dropped
 * @refcount: one for each context in the set, one for @work while it is queued. Not in the cache
 *	line of @ctxs: each fork and exit of a task with such a context writes @refcount, and
 *	switches on all CPUs read @ctxs
 */
struct perf_ctx_set {
	struct perf_event_context	**ctxs;
	unsigned int			work_queued;
	union {
		struct callback_head	work;
		struct work_struct	free_work;
	};
	refcount_t			refcount ____cacheline_aligned_in_smp;
};

/* kmalloc() aligns a size of whole cache lines to cache lines. */
static_assert(!IS_ENABLED(CONFIG_SMP) ||
	      offsetof(struct perf_ctx_set, refcount) >= SMP_CACHE_BYTES);

/* shared_ctx.c */
void perf_ctx_set_add(struct perf_event_context *parent, struct perf_event_context *child);
void perf_ctx_set_put(struct perf_ctx_set *ctx_set);
void __perf_ctx_set_unlink(struct perf_event_context *ctx);
struct perf_event_context *perf_shared_ctx_find(struct perf_event_context *ctx,
						const struct task_struct *prev);
bool perf_shared_ctx_try_keep(const struct perf_cpu_context *cpuctx, struct task_struct *next);
int perf_shared_ctx_create(struct perf_event_context *ctx, unsigned int cpu);

/* inherit.c, exit.c */
struct perf_event_context *perf_shared_ctx_alloc(struct perf_event_context *ctx);
void perf_shared_ctx_free(struct perf_event_context *ctx);

/**
 * perf_ctx_set_unlink - remove a context from its set, so that it counts by itself
 * @ctx: context of a task, with its mutex held; does nothing for a CPU's context or a shared
 *	context
 *
 * Called before the events of @ctx become different from those of the other contexts in the set. If
 * the task runs, @ctx is scheduled in on return. A later fork may add @ctx to a new set.
 *
 * Context: may sleep.
 */
static inline void perf_ctx_set_unlink(struct perf_event_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	if (unlikely(ctx->ctx_set) && !ctx->is_shared)
		__perf_ctx_set_unlink(ctx);
}

/**
 * perf_shared_ctx_get_active - find the shared context that replaces a context on this CPU
 * @ctx: the running task's context; interrupts are off
 * @prev: the previous task on this CPU
 *
 * Return: the shared context, or NULL
 */
static inline struct perf_event_context *perf_shared_ctx_get_active(struct perf_event_context *ctx,
								    const struct task_struct *prev)
{
	return likely(!READ_ONCE(ctx->ctx_set)) ? NULL : perf_shared_ctx_find(ctx, prev);
}

/**
 * perf_shared_ctx_matches - can the active shared context replace a task's context?
 * @cpuctx: this CPU's context, which may have no active shared context; interrupts are off
 * @ctx: the task's context, or NULL
 *
 * Return: true if it can
 */
static inline bool perf_shared_ctx_matches(const struct perf_cpu_context *cpuctx,
					   const struct perf_event_context *ctx)
{
	if (!ctx || !cpuctx->shared_ctx)
		return false;
	/* Pairs with __perf_ctx_set_unlink(). */
	smp_mb();
	return READ_ONCE(ctx->ctx_set) == cpuctx->shared_ctx->ctx_set;
}

#endif /* _KERNEL_EVENTS_SHARED_CTX_H */
