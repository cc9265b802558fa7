/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Settled copies: the root event has their values in one sum, so that a read of the root need
 * not walk them.
 *
 * Most inherited copies belong to tasks that sleep. A read that finds a copy whose context's
 * clock is stopped adds the copy's values to the root's sum: the copy is settled. The start
 * of the clock stirs the context: the context is added to perf_inherit_data::stirred. The next
 * read subtracts the values of the copies in stirred contexts from the sums, and reads these
 * copies one by one again. So the cost of a read depends on the number of tasks that have run
 * since the last read.
 *
 * In the root's list of copies the settled ones are at the end. The roots of all settled
 * copies in a context have the same inherit lock. The sums, the flag PERF_EVENT_SETTLED and
 * the order of the list change under the inherit lock; ctx->settled and the list of a
 * context's settled copies change under the inherit lock and ctx->lock.
 *
 *	ctx->settled	ctx->settled_copies
 *	false		NULL			no copy is settled
 *	true		first copy		copies are settled; the clock is stopped
 *	false		first copy		stirred: the context is on the list of
 *						stirred contexts
 */
#ifndef _KERNEL_EVENTS_SETTLE_H
#define _KERNEL_EVENTS_SETTLE_H

#include <linux/perf_event.h>

#include "event.h"
#include "time.h"
#include "time_seq.h"

void perf_settled_stir(struct perf_event_context *ctx);
void perf_settled_catch_up(struct perf_event *root);
bool perf_copy_settle(struct perf_event *copy);
void perf_settled_undo(struct perf_event *copy);
void perf_settled_undo_all(struct perf_event *root);

static inline bool perf_copy_is_settled(const struct perf_event *copy)
{
	return copy->event_flags & PERF_EVENT_SETTLED;
}

/*
 * Start the clock of a task's context, or of a shared context, at @now; the context's lock is
 * held. From then on the values of its copies change.
 */
static __always_inline void perf_context_start(struct perf_event_context *ctx, u64 now)
{
	if (unlikely(ctx->settled))
		perf_settled_stir(ctx);
	perf_clock_start(&ctx->clock, now);
}

/*
 * Unsettle the copies in a copy's context, before the copy leaves the context and its root's list.
 * Its removal may make siblings unscheduled, so their values may change, too. The inherit lock is
 * held.
 */
static inline void perf_copy_unsettle(struct perf_event *copy)
{
	/* Only a holder of the inherit lock settles copies of this root. */
	if (unlikely(READ_ONCE(copy->ctx->settled_copies)))
		perf_settled_undo(copy);
}

/* May copies of this root be settled? Otherwise its cold part has no sums. */
static inline bool perf_root_settles(const struct perf_event *root)
{
	return !is_sampling_event(root) && !root->attr.sigtrap;
}

/* Can perf_copy_settle() succeed? A cheap test, because that function takes a lock. */
static __always_inline bool perf_copy_may_settle(const struct perf_event *copy)
{
	const struct perf_event_context *ctx = copy->ctx;

	/* With PERF_EVENT_CALLED, the caller has just updated the count and must add it itself. */
	if (perf_clock_cpu(&ctx->clock) >= 0 || (copy->event_flags & PERF_EVENT_CALLED))
		return false;
	return copy->event_flags & PERF_EVENT_PLAIN_COPY ? !READ_ONCE(ctx->in_ctx_set) :
							   !local64_read(&copy->count);
}

#endif /* _KERNEL_EVENTS_SETTLE_H */
