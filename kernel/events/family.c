// SPDX-License-Identifier: GPL-2.0
/*
 * A family is a root event, which was opened, and its inherited copies. Copies of copies
 * belong to the same root. The family's lock protects the list of copies, and makes it atomic
 * that the count of a removed copy is added to the root's count.
 */
#include <linux/slab.h>

#include "cold.h"
#include "context.h"
#include "event.h"
#include "family.h"
#include "group.h"
#include "internal.h"
#include "overflow.h"
#include "record/aux.h"
#include "settle.h"
#include "turn.h"

/**
 * perf_family_prepare - allocate the lock of a context's families
 * @ctx: the context, whose events are inherited for the first time; its mutex is held
 *
 * Context: may sleep.
 * Return: 0 on success, -ENOMEM
 */
int perf_family_prepare(struct perf_event_context *ctx)
{
	struct perf_family *made;

	lockdep_assert_held(&ctx->mutex);
	if (WARN_ON_ONCE(ctx->family))
		return 0;
	made = kmalloc(sizeof(*made), GFP_KERNEL_ACCOUNT);
	if (!made)
		return -ENOMEM;
	mutex_init(&made->lock);
	init_llist_head(&made->stirred);
	perf_lock_allocates_nothing(&made->lock);
	WRITE_ONCE(ctx->family, made);
	/*
	 * Pairs with perf_family_enter() and perf_read_family_value(): the lock is visible
	 * before the first copy.
	 */
	smp_wmb();
	return 0;
}

/**
 * perf_family_free - free the lock of a context's families
 * @ctx: the context, which is being freed: there is no reference to it
 */
void perf_family_free(struct perf_event_context *ctx)
{
	kfree(ctx->family);
}

/**
 * perf_family_enter - lock an event's copies, if it has any
 * @root: the root; its ctx->mutex is held
 *
 * A root gets its first copy with ctx->mutex held. So a caller that sees no copy needs no lock,
 * until it releases that mutex.
 *
 * Context: may sleep.
 * Return: the lock, for perf_family_leave(), or NULL if none was taken
 */
struct mutex *perf_family_enter(const struct perf_event *root)
{
	struct mutex *lock; /* the context's lock, for all families of its events */

	lockdep_assert_held(&root->ctx->mutex);
	/* Pairs with perf_family_prepare(): if there is a copy, there is a lock. */
	if (list_empty_careful(perf_event_copies(root)))
		return NULL;
	lock = perf_family_lock(root);
	mutex_lock(lock);
	return lock;
}

/**
 * perf_family_enter_group - lock the copies of a group, if there may be any
 * @leader: a root; its ctx->mutex is held
 *
 * The copy of a leader is removed before those of its siblings, with the lock held. So siblings may
 * have copies although the leader has none.
 *
 * Context: may sleep.
 * Return: the lock, for perf_family_leave(), or NULL if none was taken
 */
struct mutex *perf_family_enter_group(const struct perf_event *leader)
{
	struct mutex *lock; /* as above */

	lockdep_assert_held(&leader->ctx->mutex);
	if (!leader->ctx->family)
		return NULL;
	lock = perf_family_lock(leader);
	mutex_lock(lock);
	return lock;
}

/**
 * perf_family_remove - stop a copy, and remove it from its family
 * @copy: attached copy with a reference of the caller; its ctx->mutex and the family's
 *	lock are held
 *
 * Context: may sleep.
 */
void perf_family_remove(struct perf_event *copy)
{
	lockdep_assert_held(perf_family_lock(copy->parent));
	perf_copy_unsettle(copy);
	list_del_init(&copy->child_list);
	perf_event_clear_aux_output(copy);
	perf_event_detach(copy, PERF_EVENT_STATE_DEAD);
}

/*
 * Find the first copy that is not in a shared context, or else the first copy. Members of a group
 * may become unscheduled when the copy is removed. Their task must have left the shared context by
 * then, which it does when its own copy is removed. Copies in shared contexts are moved to the end
 * of the list; nothing depends on the list's order, because the root is dead. As no copy is added
 * either, a call that finds only copies in shared contexts sets @only_residences, and later calls
 * do not search: there may be one for each CPU.
 */
static struct perf_event *perf_family_next(struct perf_event *root, bool *only_residences)
{
	struct list_head *copies = perf_event_copies(root);
	struct perf_event *first, *copy;

	lockdep_assert_held(perf_family_lock(root));
	first = list_first_entry_or_null(copies, struct perf_event, child_list);
	copy = first;
	/* The list is tested for emptiness without a lock, so a single copy must stay linked. */
	while (!*only_residences && copy && copy->ctx->is_shared && !list_is_singular(copies)) {
		list_move_tail(&copy->child_list, copies);
		copy = list_first_entry(copies, struct perf_event, child_list);
		*only_residences = copy == first;
	}
	return copy;
}

/* Get a copy that must leave the family, with a reference, or NULL. */
static struct perf_event *perf_family_hold_next(struct perf_event *root, bool *only_residences)
{
	struct perf_event *copy;

	/*
	 * The root is dead, and no fork adds a copy to an empty list: a fork with the first
	 * copy holds the mutex of the root's context, and a fork in the task of a copy checks
	 * the root's state under the family's lock.
	 */
	if (list_empty_careful(perf_event_copies(root)))
		return NULL;
	guard(mutex)(perf_family_lock(root));
	copy = perf_family_next(root, only_residences);
	if (copy)
		perf_event_hold(copy);
	return copy;
}

/**
 * perf_family_finish - complete the removal of a copy from its family
 * @copy: detached copy with a reference of the caller
 *
 * Called by the one caller for which perf_family_take() returned true. Not needed for plain copies.
 *
 * Context: may sleep. The mutex of the copy's own context may be held, but not the family's lock.
 */
void perf_family_finish(struct perf_event *copy)
{
	WARN_ON_ONCE(!list_empty(&copy->child_list));
	perf_overflow_cancel(copy);
	perf_event_part_with_pmu(copy);
}

/* perf_family_take() with the locks that it needs */
static bool perf_family_lock_and_take(struct perf_event *copy,
				      void (*remove)(struct perf_event *copy))
{
	CLASS(event_context, ctx)(copy);

	guard(mutex)(perf_family_lock(copy->parent));
	return perf_family_take(copy, remove);
}

/**
 * perf_family_empty - remove all copies from a family
 * @root: the root, which is dead, so no more copies are created
 * @remove: stops a copy and removes it from the family; its ctx->mutex and the family's
 *	lock are held
 *
 * Context: may sleep; no mutex of a context or family is held.
 */
void perf_family_empty(struct perf_event *root, void (*remove)(struct perf_event *copy))
{
	bool only_residences = false;
	struct perf_event *copy;

	if (!root->attr.inherit || root->parent)
		return;
	WARN_ON_ONCE(READ_ONCE(root->state) != PERF_EVENT_STATE_DEAD);
	perf_copies_turn_off(root);
	/* This loop terminates: no copy is added to the list, and each round removes one. */
	while ((copy = perf_family_hold_next(root, &only_residences))) {
		if (perf_family_lock_and_take(copy, remove))
			perf_family_finish(copy);
		perf_event_put(copy);
		cond_resched();
	}
}

/**
 * perf_family_release - remove all inherited copies of an event that is closed
 * @event: the event, which is dead
 *
 * The counts of the copies are lost.
 *
 * Context: may sleep; no lock of perf is held.
 */
void perf_family_release(struct perf_event *event)
{
	perf_family_empty(event, perf_family_remove);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/family_test.c"
#endif
