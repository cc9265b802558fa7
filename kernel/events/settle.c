// SPDX-License-Identifier: GPL-2.0
/* Inherited events whose values do not change and are part of one sum: see settle.h. */
#include <linux/llist.h>

#include "cold.h"
#include "delay.h"
#include "inherit_list.h"
#include "internal.h"
#include "record/values.h"
#include "settle.h"

static struct perf_inherit_data *perf_settled_inherit_data(const struct perf_event *child)
{
	return READ_ONCE(child->parent->ctx->inherit_data);
}

/**
 * perf_settled_mark_stale - note that the clock of a context with settled events is started
 * @ctx: the context, whose lock is held; interrupts are off
 *
 * The parent events, and so perf_inherit_data::stale, are not freed meanwhile: an inherited event
 * has a reference to its parent event, and before it leaves @ctx, all events of @ctx are unsettled.
 */
void perf_settled_mark_stale(struct perf_event_context *ctx)
{
	lockdep_assert_held(&ctx->lock);
	ctx->settled = false;
	llist_add(&ctx->stale_entry, &perf_settled_inherit_data(ctx->settled_children)->stale);
}

/* Subtract settled events, already unlinked from their context, from their parent events' sums. */
static void perf_settled_subtract(struct perf_event *child)
{
	struct perf_event *next;

	for (; child; child = next) {
		struct perf_event_cold *cold = child->parent->cold;

		next = child->settled_next;
		lockdep_assert_held(perf_inherit_lock(child->parent));
		WARN_ON_ONCE(!perf_child_is_settled(child));
		child->event_flags &= ~PERF_EVENT_SETTLED;
		/*
		 * Tasks test without a lock whether the list is empty: list_move() of the only
		 * entry would make the list empty for a moment.
		 */
		if (!list_is_first(&child->child_list, &cold->children))
			list_move(&child->child_list, &cold->children);
		/* Any other event was settled only because all its values were 0. */
		if (child->event_flags & PERF_EVENT_PLAIN_CHILD) {
			cold->settled.count -= child->hw.settled.count;
			cold->settled.enabled -= child->hw.settled.enabled;
			cold->settled.running -= child->hw.settled.running;
		}
	}
}

/* Unsettle all inherited events of the stale contexts; the inherit lock is held. */
static void __perf_settled_undo_stale(struct perf_inherit_data *data)
{
	struct llist_node *stale = llist_del_all(&data->stale);
	struct perf_event_context *ctx, *next;

	lockdep_assert_held(&data->lock);
	llist_for_each_entry_safe(ctx, next, stale, stale_entry) {
		struct perf_event *child = ctx->settled_children;

		scoped_guard(raw_spinlock_irq, &ctx->lock) {
			WARN_ON_ONCE(ctx->settled);
			WRITE_ONCE(ctx->settled_children, NULL);
		}
		perf_settled_subtract(child);
	}
}

/**
 * perf_settled_undo_stale - unsettle the inherited events of stale contexts
 * @parent: an event with inherited events; the inherit lock is held
 */
void perf_settled_undo_stale(struct perf_event *parent)
{
	struct perf_inherit_data *data = parent->ctx->inherit_data;

	lockdep_assert_held(&data->lock);
	if (!llist_empty(&data->stale))
		__perf_settled_undo_stale(data);
}

/**
 * perf_settled_undo - unsettle all events in @child's context that have the same inherit lock
 * @child: inherited event, in its context and its parent event's list; the inherit lock is held
 */
void perf_settled_undo(struct perf_event *child)
{
	struct perf_inherit_data *data = perf_settled_inherit_data(child);
	struct perf_event_context *ctx = child->ctx;
	struct perf_event *first;
	bool was_settled;

	lockdep_assert_held(&data->lock);
	scoped_guard(raw_spinlock_irq, &ctx->lock) {
		/* Under ctx->lock first->parent is valid: events in this list are not removed. */
		first = ctx->settled_children;
		if (!first || perf_settled_inherit_data(first) != data)
			return;
		was_settled = ctx->settled;
		if (was_settled) {
			ctx->settled = false;
			WRITE_ONCE(ctx->settled_children, NULL);
		}
	}
	if (was_settled)
		perf_settled_subtract(first);
	else
		__perf_settled_undo_stale(data);
}

/**
 * perf_settled_undo_all - unsettle all events inherited from @parent
 * @parent: the event; the inherit lock is held
 */
void perf_settled_undo_all(struct perf_event *parent)
{
	struct list_head *children = perf_event_children(parent);
	struct perf_event *last;

	perf_settled_undo_stale(parent);
	/* The loop ends: each iteration moves at least one event away from the end of the list. */
	while (!list_empty(children)) {
		last = list_last_entry(children, struct perf_event, child_list);
		if (!perf_child_is_settled(last))
			break;
		perf_settled_undo(last);
	}
}

/*
 * Do the values of a PERF_EVENT_PLAIN_CHILD event change only while the clock of its context runs?
 * Not if a shared context (shared_ctx.h) replaces the context: event sites then count into the
 * event while the context's own clock is stopped.
 */
static bool perf_child_changes_only_with_clock(const struct perf_event_context *ctx)
{
	/*
	 * A fork adds a context to a set only if the context has events that must be scheduled.
	 * These are attached before other CPUs can see the context.
	 */
	return !READ_ONCE(ctx->in_ctx_set) && list_empty(&ctx->pmu_ctx_list);
}

/* perf_child_settle() with the context's lock held; interrupts are off */
static bool perf_child_settle_locked(struct perf_event *child)
{
	struct perf_event_cold *cold = child->parent->cold;
	struct perf_event_context *ctx = child->ctx;
	const struct perf_event *first = ctx->settled_children;
	struct perf_settled values;
	struct perf_times times;

	if (perf_clock_runs(&ctx->clock))
		return false;
	/* The context is stale, or has settled events with another inherit lock. */
	if (first &&
	    (!ctx->settled || perf_settled_inherit_data(first) != perf_settled_inherit_data(child)))
		return false;
	perf_times_at(child, atomic64_read(&ctx->clock.time), &times);
	values = (struct perf_settled) {
		.count = perf_event_own_count(child),
		.enabled = times.enabled,
		.running = times.running,
	};
	if (child->event_flags & PERF_EVENT_PLAIN_CHILD) {
		if (!perf_child_changes_only_with_clock(ctx))
			return false;
		child->hw.settled = values;
		cold->settled.count += values.count;
		cold->settled.enabled += values.enabled;
		cold->settled.running += values.running;
	} else if (is_always_on(child) || ctx->walked ||
		   values.count || values.enabled || values.running) {
		/* Tracepoints about a task count even while the task sleeps. */
		return false;
	}
	child->settled_next = ctx->settled_children;
	/* Pairs with perf_child_unsettle(), which reads this without the context's lock. */
	WRITE_ONCE(ctx->settled_children, child);
	ctx->settled = true;
	return true;
}

/**
 * perf_child_settle - settle an inherited event, if its values do not change
 * @child: inherited event, not settled; perf_parent_settles() is true for its parent event. The
 *	inherit lock is held, and perf_settled_undo_stale() has been called under it
 *
 * Only an event with PERF_EVENT_PLAIN_CHILD has memory for the settled values (hw.settled). Any
 * other event is settled only if its values are 0, for example because a shared context has always
 * replaced its context.
 *
 * Return: true if @child is settled, and its values are part of its parent event's sum
 */
bool perf_child_settle(struct perf_event *child)
{
	bool settled;

	lockdep_assert_held(perf_inherit_lock(child->parent));
	WARN_ON_ONCE(perf_child_is_settled(child));
	scoped_guard(raw_spinlock_irq, &child->ctx->lock)
		settled = perf_child_settle_locked(child);
	if (!settled)
		return false;
	perf_delay(CHILD_SETTLED);
	child->event_flags |= PERF_EVENT_SETTLED;
	/* Do not move the only entry: see perf_settled_subtract(). */
	if (!list_is_last(&child->child_list, perf_event_children(child->parent)))
		list_move_tail(&child->child_list, perf_event_children(child->parent));
	return true;
}

#if defined(CONFIG_PERF_EVENTS_KUNIT_TEST) && IS_BUILTIN(CONFIG_PERF_EVENTS_SIM_PMU)
#include "tests/settle_test.c"
#endif
