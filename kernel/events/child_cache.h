/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cached inherited events: the parent event has the sum of their values, so a read of the parent
 * event need not walk them.
 *
 * Most inherited events belong to tasks that sleep. A read that finds an inherited event whose
 * context's clock is stopped adds the event's values to the parent event's sum: the event is
 * cached. The start of the clock makes the context stale: the context is added to
 * perf_inherit_data::stale. The next read subtracts the values of the inherited events in stale
 * contexts from the sums, and reads these events one by one again. So the cost of a read depends on
 * the number of tasks that have run since the last read.
 *
 * The cached events are at the end of the parent event's list. The parent events of all cached
 * events in a context have the same inherit lock. The sums, the flag PERF_EVENT_CACHED and the
 * order of the list change under the inherit lock; ctx->cached and the list of a context's cached
 * events change under the inherit lock and ctx->lock.
 *
 *	ctx->cached	ctx->cached_children
 *	false		NULL			no inherited event is cached
 *	true		first cached event	events are cached; the clock is stopped
 *	false		first cached event	stale: the context is on the list of
 *						stale contexts
 */
#ifndef _KERNEL_EVENTS_CHILD_CACHE_H
#define _KERNEL_EVENTS_CHILD_CACHE_H

#include <linux/perf_event.h>

#include "event.h"
#include "time.h"
#include "time_seq.h"

void perf_child_cache_mark_stale(struct perf_event_context *ctx);
void perf_child_cache_del_stale(struct perf_event *parent);
bool perf_child_cache_add(struct perf_event *child);
void perf_child_cache_del(struct perf_event *child);
void perf_child_cache_del_all(struct perf_event *parent);

static inline bool perf_child_is_cached(const struct perf_event *child)
{
	return child->event_flags & PERF_EVENT_CACHED;
}

/*
 * Start the clock of a task's context, or of a shared context, at @now; the context's lock is held.
 * From then on the values of its inherited events change.
 */
static __always_inline void perf_context_start(struct perf_event_context *ctx, u64 now)
{
	if (unlikely(ctx->cached))
		perf_child_cache_mark_stale(ctx);
	perf_clock_start(&ctx->clock, now);
}

/*
 * Uncache the events in @child's context, before @child leaves its parent event's list. When @child
 * is removed from the context, its siblings may become always on (see group.c), and an always-on
 * event may count while the clock of the context is stopped. The inherit lock is held.
 */
static inline void perf_child_uncache(struct perf_event *child)
{
	/* Only a holder of the inherit lock caches events of this list. */
	if (unlikely(READ_ONCE(child->ctx->cached_children)))
		perf_child_cache_del(child);
}

/* May events inherited from @parent be cached? Otherwise parent->cold has no sums. */
static inline bool perf_parent_caches(const struct perf_event *parent)
{
	return !is_sampling_event(parent) && !parent->attr.sigtrap;
}

/* Can perf_child_cache_add() succeed? This test avoids the lock of perf_child_cache_add(). */
static __always_inline bool perf_child_may_be_cached(const struct perf_event *child)
{
	const struct perf_event_context *ctx = child->ctx;

	/* With PERF_EVENT_CALL_DONE the event was just read, and the caller adds its count. */
	if (perf_clock_cpu(&ctx->clock) >= 0 || (child->event_flags & PERF_EVENT_CALL_DONE))
		return false;
	return child->event_flags & PERF_EVENT_PLAIN_CHILD ? !READ_ONCE(ctx->in_ctx_set) :
							   !local64_read(&child->count);
}

#endif /* _KERNEL_EVENTS_CHILD_CACHE_H */
