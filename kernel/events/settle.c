// SPDX-License-Identifier: GPL-2.0
/*
 * Copies whose values stand, and are in one sum: see settle.h.
 */
#include <linux/llist.h>

#include "cold.h"
#include "delay.h"
#include "family.h"
#include "internal.h"
#include "record/values.h"
#include "settle.h"

static struct perf_family *perf_settled_family(const struct perf_event *copy)
{
	return READ_ONCE(copy->parent->ctx->family);
}

/**
 * perf_settled_stir - note that the clock of a context starts that has settled copies
 * @ctx: the context, whose lock is held; interrupts are off
 *
 * The first of the settled copies keeps the family: before it leaves, or any other, no copy
 * of the context is settled.
 */
void perf_settled_stir(struct perf_event_context *ctx)
{
	lockdep_assert_held(&ctx->lock);
	ctx->settled = false;
	llist_add(&ctx->stirred_entry, &perf_settled_family(ctx->settled_copies)->stirred);
}

/* Take a context's copies, which the caller has unlinked from it, out of their roots' sums. */
static void perf_settled_take_out(struct perf_event *copy)
{
	struct perf_event *next;

	for (; copy; copy = next) {
		struct perf_event_cold *cold = copy->parent->cold;

		next = copy->settled_next;
		lockdep_assert_held(perf_family_lock(copy->parent));
		WARN_ON_ONCE(!perf_copy_is_settled(copy));
		copy->event_flags &= ~PERF_EVENT_SETTLED;
		/* Tasks look without a lock whether the list is empty: it is not, meanwhile. */
		if (!list_is_first(&copy->child_list, &cold->copies))
			list_move(&copy->child_list, &cold->copies);
		/* The values of any other copy were 0. */
		if (copy->event_flags & PERF_EVENT_PLAIN_COPY) {
			cold->settled.count -= copy->hw.settled.count;
			cold->settled.enabled -= copy->hw.settled.enabled;
			cold->settled.running -= copy->hw.settled.running;
		}
	}
}

/* Let no copy be settled of the contexts that have been stirred; the family's lock is held. */
static void perf_settled_undo_stirred(struct perf_family *family)
{
	struct llist_node *stirred = llist_del_all(&family->stirred);
	struct perf_event_context *ctx, *next;

	lockdep_assert_held(&family->lock);
	llist_for_each_entry_safe(ctx, next, stirred, stirred_entry) {
		struct perf_event *copy = ctx->settled_copies;

		scoped_guard(raw_spinlock_irq, &ctx->lock) {
			WARN_ON_ONCE(ctx->settled);
			WRITE_ONCE(ctx->settled_copies, NULL);
		}
		perf_settled_take_out(copy);
	}
}

/**
 * perf_settled_catch_up - let no copy be settled of contexts whose clock has started since
 * @root: an event with copies; the family's lock is held
 */
void perf_settled_catch_up(struct perf_event *root)
{
	struct perf_family *family = root->ctx->family;

	lockdep_assert_held(&family->lock);
	if (!llist_empty(&family->stirred))
		perf_settled_undo_stirred(family);
}

/**
 * perf_settled_undo - let no copy of a context be settled that is of a copy's family
 * @copy: the copy, in its context and family; the family's lock is held
 */
void perf_settled_undo(struct perf_event *copy)
{
	struct perf_family *family = perf_settled_family(copy);
	struct perf_event_context *ctx = copy->ctx;
	struct perf_event *first;
	bool stands;

	lockdep_assert_held(&family->lock);
	scoped_guard(raw_spinlock_irq, &ctx->lock) {
		/* In ctx, none of these leaves its family as long as they are linked here. */
		first = ctx->settled_copies;
		if (!first || perf_settled_family(first) != family)
			return;
		stands = ctx->settled;
		if (stands) {
			ctx->settled = false;
			WRITE_ONCE(ctx->settled_copies, NULL);
		}
	}
	if (stands)
		perf_settled_take_out(first);
	else
		perf_settled_undo_stirred(family);
}

/**
 * perf_settled_undo_all - let no copy of an event be settled
 * @root: the event; the family's lock is held
 */
void perf_settled_undo_all(struct perf_event *root)
{
	struct list_head *copies = perf_event_copies(root);
	struct perf_event *last;

	perf_settled_catch_up(root);
	/* The loop ends: each round makes one copy at least leave the end of the list. */
	while (!list_empty(copies)) {
		last = list_last_entry(copies, struct perf_event, child_list);
		if (!perf_copy_is_settled(last))
			break;
		perf_settled_undo(last);
	}
}

/*
 * Do the values of a plain copy change only after the clock of its context has started? Where a
 * residence stands in for the context, its own clock stands while sites count into it.
 */
static bool perf_copy_waits_for_clock(const struct perf_event_context *ctx)
{
	/* A context that a fork makes a clone gets events of PMUs before it gets known. */
	return !READ_ONCE(ctx->cloned) && list_empty(&ctx->pmu_ctx_list);
}

/* perf_copy_settle() with the context's lock held; interrupts are off. */
static bool perf_copy_settle_locked(struct perf_event *copy)
{
	struct perf_event_cold *cold = copy->parent->cold;
	struct perf_event_context *ctx = copy->ctx;
	const struct perf_event *first = ctx->settled_copies;
	struct perf_settled values;
	struct perf_times times;

	if (perf_clock_runs(&ctx->clock))
		return false;
	/* It has been stirred, or has settled copies of another family. */
	if (first && (!ctx->settled || perf_settled_family(first) != perf_settled_family(copy)))
		return false;
	perf_times_at(copy, atomic64_read(&ctx->clock.time), &times);
	values = (struct perf_settled) {
		.count = perf_event_own_count(copy),
		.enabled = times.enabled,
		.running = times.running,
	};
	if (copy->event_flags & PERF_EVENT_PLAIN_COPY) {
		if (!perf_copy_waits_for_clock(ctx))
			return false;
		copy->hw.settled = values;
		cold->settled.count += values.count;
		cold->settled.enabled += values.enabled;
		cold->settled.running += values.running;
	} else if (is_resident(copy) || ctx->walked ||
		   values.count || values.enabled || values.running) {
		/* Tracepoints about a task that sleeps may count, too. */
		return false;
	}
	copy->settled_next = ctx->settled_copies;
	/* Pairs with perf_copy_unsettle(), which looks without the context's lock. */
	WRITE_ONCE(ctx->settled_copies, copy);
	ctx->settled = true;
	return true;
}

/**
 * perf_copy_settle - settle a copy, if its values stand
 * @copy: the copy, not settled; the family's lock is held, and perf_settled_catch_up() has
 *	been called since that was taken. Its root is one for which perf_root_settles() holds
 *
 * A copy that is not plain has no memory to note its values in: it is settled if they are 0,
 * as they are if a residence has always stood in for it.
 * Return: whether it is settled now, and its values are part of its root's sum.
 */
bool perf_copy_settle(struct perf_event *copy)
{
	bool settled;

	lockdep_assert_held(perf_family_lock(copy->parent));
	WARN_ON_ONCE(perf_copy_is_settled(copy));
	scoped_guard(raw_spinlock_irq, &copy->ctx->lock)
		settled = perf_copy_settle_locked(copy);
	if (!settled)
		return false;
	perf_delay(COPY_SETTLED);
	copy->event_flags |= PERF_EVENT_SETTLED;
	/* As in perf_settled_take_out(). */
	if (!list_is_last(&copy->child_list, perf_event_copies(copy->parent)))
		list_move_tail(&copy->child_list, perf_event_copies(copy->parent));
	return true;
}

#if defined(CONFIG_PERF_EVENTS_KUNIT_TEST) && IS_BUILTIN(CONFIG_PERF_EVENTS_SIM_PMU)
#include "tests/settle_test.c"
#endif
