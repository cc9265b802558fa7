// SPDX-License-Identifier: GPL-2.0
/* Inherited events whose values do not change and are part of one sum: see child_cache.h. */
#include <linux/llist.h>

#include "child_cache.h"
#include "cold.h"
#include "delay.h"
#include "inherit_list.h"
#include "internal.h"
#include "record/values.h"

static struct perf_inherit_data *perf_cached_inherit_data(const struct perf_event *child)
{
	return READ_ONCE(child->parent->ctx->inherit_data);
}

/**
 * perf_child_cache_mark_stale - note that the clock of a context with cached events is started
 * @ctx: the context, whose lock is held; interrupts are off
 *
 * The parent events, and so perf_inherit_data::stale, are not freed meanwhile: an inherited event
 * has a reference to its parent event, and before it leaves @ctx, all events of @ctx are uncached.
 */
void perf_child_cache_mark_stale(struct perf_event_context *ctx)
{
	lockdep_assert_held(&ctx->lock);
	ctx->cached = false;
	llist_add(&ctx->stale_entry, &perf_cached_inherit_data(ctx->cached_children)->stale);
}

/* Subtract cached events, already unlinked from their context, from their parent events' sums. */
static void perf_child_cache_subtract(struct perf_event *child)
{
	struct perf_event *next;

	for (; child; child = next) {
		struct perf_event_cold *cold = child->parent->cold;

		next = child->cached_next;
		lockdep_assert_held(perf_inherit_lock(child->parent));
		WARN_ON_ONCE(!perf_child_is_cached(child));
		child->event_flags &= ~PERF_EVENT_CACHED;
		/*
		 * Tasks test without a lock whether the list is empty: list_move() of the only
		 * entry would make the list empty for a moment.
		 */
		if (!list_is_first(&child->child_list, &cold->children))
			list_move(&child->child_list, &cold->children);
		/* An event without PERF_EVENT_PLAIN_CHILD is cached only if its values are 0. */
		if (child->event_flags & PERF_EVENT_PLAIN_CHILD) {
			cold->cached.count -= child->hw.cached.count;
			cold->cached.enabled -= child->hw.cached.enabled;
			cold->cached.running -= child->hw.cached.running;
		}
	}
}

/* Uncache all inherited events of the stale contexts; the inherit lock is held. */
static void __perf_child_cache_del_stale(struct perf_inherit_data *data)
{
	struct llist_node *stale = llist_del_all(&data->stale);
	struct perf_event_context *ctx, *next;

	lockdep_assert_held(&data->lock);
	llist_for_each_entry_safe(ctx, next, stale, stale_entry) {
		struct perf_event *child = ctx->cached_children;

		scoped_guard(raw_spinlock_irq, &ctx->lock) {
			WARN_ON_ONCE(ctx->cached);
			WRITE_ONCE(ctx->cached_children, NULL);
		}
		perf_child_cache_subtract(child);
	}
}

/**
 * perf_child_cache_del_stale - uncache the inherited events of stale contexts
 * @parent: an event with inherited events; the inherit lock is held
 */
void perf_child_cache_del_stale(struct perf_event *parent)
{
	struct perf_inherit_data *data = parent->ctx->inherit_data;

	lockdep_assert_held(&data->lock);
	if (!llist_empty(&data->stale))
		__perf_child_cache_del_stale(data);
}

/**
 * perf_child_cache_del - uncache all events in @child's context that have the same inherit lock
 * @child: inherited event, in its context and its parent event's list; the inherit lock is held
 */
void perf_child_cache_del(struct perf_event *child)
{
	struct perf_inherit_data *data = perf_cached_inherit_data(child);
	struct perf_event_context *ctx = child->ctx;
	struct perf_event *first;
	bool was_cached;

	lockdep_assert_held(&data->lock);
	scoped_guard(raw_spinlock_irq, &ctx->lock) {
		/* Under ctx->lock first->parent is valid: events in this list are not removed. */
		first = ctx->cached_children;
		if (!first || perf_cached_inherit_data(first) != data)
			return;
		was_cached = ctx->cached;
		if (was_cached) {
			ctx->cached = false;
			WRITE_ONCE(ctx->cached_children, NULL);
		}
	}
	if (was_cached)
		perf_child_cache_subtract(first);
	else
		__perf_child_cache_del_stale(data);
}

/**
 * perf_child_cache_del_all - uncache all events inherited from @parent
 * @parent: the event; the inherit lock is held
 */
void perf_child_cache_del_all(struct perf_event *parent)
{
	struct list_head *children = perf_event_children(parent);
	struct perf_event *last;

	perf_child_cache_del_stale(parent);
	/* The loop ends: each iteration moves at least one event away from the end of the list. */
	while (!list_empty(children)) {
		last = list_last_entry(children, struct perf_event, child_list);
		if (!perf_child_is_cached(last))
			break;
		perf_child_cache_del(last);
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
	 * A fork adds the context to a set only if the context has events that must be scheduled.
	 * The fork attaches these events, and fills pmu_ctx_list, before another CPU can see the
	 * context. So with an empty list, no fork is about to set in_ctx_set.
	 */
	return !READ_ONCE(ctx->in_ctx_set) && list_empty(&ctx->pmu_ctx_list);
}

/* perf_child_cache_add() with the context's lock held; interrupts are off */
static bool perf_child_cache_locked(struct perf_event *child)
{
	struct perf_event_cold *cold = child->parent->cold;
	struct perf_event_context *ctx = child->ctx;
	const struct perf_event *first = ctx->cached_children;
	struct perf_cached_values values;
	struct perf_times times;

	if (perf_clock_runs(&ctx->clock))
		return false;
	/* The context is stale, or has cached events with another inherit lock. */
	if (first &&
	    (!ctx->cached || perf_cached_inherit_data(first) != perf_cached_inherit_data(child)))
		return false;
	perf_times_at(child, atomic64_read(&ctx->clock.time), &times);
	values = (struct perf_cached_values) {
		.count = perf_event_own_count(child),
		.enabled = times.enabled,
		.running = times.running,
	};
	if (child->event_flags & PERF_EVENT_PLAIN_CHILD) {
		if (!perf_child_changes_only_with_clock(ctx))
			return false;
		child->hw.cached = values;
		cold->cached.count += values.count;
		cold->cached.enabled += values.enabled;
		cold->cached.running += values.running;
	} else if (is_always_on(child) || ctx->walked ||
		   values.count || values.enabled || values.running) {
		/* Tracepoints about a task count even while the task sleeps. */
		return false;
	}
	child->cached_next = ctx->cached_children;
	/* Pairs with perf_child_uncache(), which reads this without the context's lock. */
	WRITE_ONCE(ctx->cached_children, child);
	ctx->cached = true;
	return true;
}

/**
 * perf_child_cache_add - cache an inherited event, if its values do not change
 * @child: inherited event, not cached; perf_parent_caches() is true for its parent event. The
 *	inherit lock is held, and perf_child_cache_del_stale() has been called under it
 *
 * Only an event with PERF_EVENT_PLAIN_CHILD has memory for the cached values (hw.cached). Any
 * other event is cached only if its values are 0, for example because a shared context has always
 * replaced its context.
 *
 * Return: true if @child is cached, and its values are part of its parent event's sum
 */
bool perf_child_cache_add(struct perf_event *child)
{
	bool cached;

	lockdep_assert_held(perf_inherit_lock(child->parent));
	WARN_ON_ONCE(perf_child_is_cached(child));
	scoped_guard(raw_spinlock_irq, &child->ctx->lock)
		cached = perf_child_cache_locked(child);
	if (!cached)
		return false;
	perf_delay(CHILD_CACHED);
	child->event_flags |= PERF_EVENT_CACHED;
	/* Do not move the only entry: see perf_child_cache_subtract(). */
	if (!list_is_last(&child->child_list, perf_event_children(child->parent)))
		list_move_tail(&child->child_list, perf_event_children(child->parent));
	return true;
}

#if defined(CONFIG_PERF_EVENTS_KUNIT_TEST) && IS_BUILTIN(CONFIG_PERF_EVENTS_SIM_PMU)
#include "tests/child_cache_test.c"
#endif
