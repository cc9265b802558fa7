/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies that are settled: their root has their values in one sum, so that a read of the
 * root need not look at them.
 *
 * Most copies belong to tasks that sleep. A read that finds a copy whose context's clock
 * stands adds the copy's values to the root's sum, and lets the context tell when its
 * clock starts: the context is stirred then. The next read takes the copies of contexts
 * that have been stirred out of the sums, and looks at them one by one again. So a read
 * costs as much as tasks have run since the last one.
 *
 * In the root's list of copies those that are settled come last. All copies of a context
 * that are settled at a time are of one family. The sums, the flag PERF_EVENT_SETTLED and
 * the order of the list change under the family's lock; ctx->settled, and the list of a
 * context's settled copies, under the family's lock and ctx->lock.
 *
 *	ctx->settled	ctx->settled_copies
 *	false		NULL			no copy is settled
 *	true		the first		some are, and the clock has stood since
 *	false		the first		the context has been stirred: it is in the
 *						family's list of such contexts
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
 * Let the clock of a task's context, or of a residence, run from @now on; the context's
 * lock is held. From here on the values of its copies change.
 */
static __always_inline void perf_context_start(struct perf_event_context *ctx, u64 now)
{
	if (unlikely(ctx->settled))
		perf_settled_stir(ctx);
	perf_clock_start(&ctx->clock, now);
}

/*
 * A copy is about to leave its context and its family, whose lock is held. With it, others of
 * its group may begin to count in another way: none of them may be settled, nor the copy.
 */
static inline void perf_copy_unsettle(struct perf_event *copy)
{
	/* Only a holder of the family's lock settles copies of this family. */
	if (unlikely(READ_ONCE(copy->ctx->settled_copies)))
		perf_settled_undo(copy);
}

/* May copies of this root be settled? If not, its cold part has no sums. */
static inline bool perf_root_settles(const struct perf_event *root)
{
	return !is_sampling_event(root) && !root->attr.sigtrap;
}

/* May perf_copy_settle() succeed? It takes a lock to know. */
static __always_inline bool perf_copy_may_settle(const struct perf_event *copy)
{
	const struct perf_event_context *ctx = copy->ctx;

	/* What a call has read is to be added up first. */
	if (perf_clock_cpu(&ctx->clock) >= 0 || (copy->event_flags & PERF_EVENT_CALLED))
		return false;
	return copy->event_flags & PERF_EVENT_PLAIN_COPY ? !READ_ONCE(ctx->cloned) :
							   !local64_read(&copy->count);
}

#endif /* _KERNEL_EVENTS_SETTLE_H */
