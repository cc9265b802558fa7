// SPDX-License-Identifier: GPL-2.0
/*
 * The list of the events inherited from a parent event. The parent event (event->parent) is the
 * event that was opened, even for an event that is inherited more than once. The inherit lock
 * protects the list. The lock is also held while an inherited event is removed and its count is
 * added to the parent event's sums, so that a read includes the count once.
 */
#include <linux/slab.h>

#include "child_cache.h"
#include "cold.h"
#include "context.h"
#include "enable.h"
#include "event.h"
#include "group.h"
#include "inherit_list.h"
#include "internal.h"
#include "overflow.h"
#include "record/aux.h"

/**
 * perf_inherit_data_alloc - allocate the inherit lock of a context
 * @ctx: the context, whose events are inherited for the first time; its mutex is held
 *
 * Context: may sleep.
 * Return: 0 on success, -ENOMEM
 */
int perf_inherit_data_alloc(struct perf_event_context *ctx)
{
	struct perf_inherit_data *made;

	lockdep_assert_held(&ctx->mutex);
	if (WARN_ON_ONCE(ctx->inherit_data))
		return 0;
	made = kmalloc(sizeof(*made), GFP_KERNEL_ACCOUNT);
	if (!made)
		return -ENOMEM;
	mutex_init(&made->lock);
	init_llist_head(&made->stale);
	perf_lock_forbid_alloc(&made->lock);
	WRITE_ONCE(ctx->inherit_data, made);
	/*
	 * Pairs with perf_inherit_lock_event() and perf_read_inherited(): the lock is visible
	 * before the first inherited event.
	 */
	smp_wmb();
	return 0;
}

/**
 * perf_inherit_data_free - free the inherit lock of a context
 * @ctx: the context, which is being freed: there is no reference to it
 */
void perf_inherit_data_free(struct perf_event_context *ctx)
{
	kfree(ctx->inherit_data);
}

/**
 * perf_inherit_lock_event - lock the events inherited from @parent, if there are any
 * @parent: the event that was opened; its ctx->mutex is held
 *
 * The first inherited event is added to the list with parent->ctx->mutex held. So a caller that
 * sees an empty list needs no lock until it releases that mutex.
 *
 * Context: may sleep.
 * Return: the lock, for perf_inherit_unlock(), or NULL if none was taken
 */
struct mutex *perf_inherit_lock_event(const struct perf_event *parent)
{
	struct mutex *lock; /* of the events inherited from all events of the context */

	lockdep_assert_held(&parent->ctx->mutex);
	/* Pairs with perf_inherit_data_alloc(): if the list is not empty, there is a lock. */
	if (list_empty_careful(perf_event_children(parent)))
		return NULL;
	lock = perf_inherit_lock(parent);
	mutex_lock(lock);
	return lock;
}

/**
 * perf_inherit_lock_group - lock the events inherited from a group, if there may be any
 * @leader: group leader that was opened; its ctx->mutex is held
 *
 * With the lock held, an inherited leader is removed before its siblings. So the leader's list may
 * be empty although siblings have inherited events.
 *
 * Context: may sleep.
 * Return: the lock, for perf_inherit_unlock(), or NULL if none was taken
 */
struct mutex *perf_inherit_lock_group(const struct perf_event *leader)
{
	struct mutex *lock; /* of the events inherited from all events of the context */

	lockdep_assert_held(&leader->ctx->mutex);
	if (!leader->ctx->inherit_data)
		return NULL;
	lock = perf_inherit_lock(leader);
	mutex_lock(lock);
	return lock;
}

/**
 * perf_child_detach - stop an inherited event, remove it from its context and its parent's list
 * @child: attached inherited event with a reference of the caller; its ctx->mutex and the inherit
 *	lock are held
 *
 * Context: may sleep.
 */
void perf_child_detach(struct perf_event *child)
{
	lockdep_assert_held(perf_inherit_lock(child->parent));
	perf_child_uncache(child);
	list_del_init(&child->child_list);
	perf_event_clear_aux_output(child);
	perf_event_detach(child, PERF_EVENT_STATE_DEAD);
}

/*
 * Find the first inherited event that is not in a shared context (shared_ctx.h), or else the first
 * one. Events in shared contexts are removed last: their removal may make members of their groups
 * always on, and before that the removal of each task's event must unlink the task's context from
 * its set.
 *
 * Events in shared contexts are moved to the end of the list. Nothing depends on the list's order,
 * because @parent is dead, and no event is added. So a call that finds only events in shared
 * contexts, perhaps one for each CPU, sets @only_shared, and later calls do not search.
 */
static struct perf_event *perf_children_next(struct perf_event *parent, bool *only_shared)
{
	struct list_head *children = perf_event_children(parent);
	struct perf_event *first, *child;

	lockdep_assert_held(perf_inherit_lock(parent));
	first = list_first_entry_or_null(children, struct perf_event, child_list);
	child = first;
	/* The list is tested for emptiness without a lock, so a single entry must stay linked. */
	while (!*only_shared && child && child->ctx->is_shared && !list_is_singular(children)) {
		list_move_tail(&child->child_list, children);
		child = list_first_entry(children, struct perf_event, child_list);
		*only_shared = child == first;
	}
	return child;
}

/* Get a reference to an inherited event that must be removed, or NULL. */
static struct perf_event *perf_children_get_next(struct perf_event *parent, bool *only_shared)
{
	struct perf_event *child;

	/*
	 * @parent is dead, and no fork adds an event to an empty list: the first fork holds
	 * parent->ctx->mutex, and a fork of a task with an inherited event checks
	 * parent->state under the inherit lock.
	 */
	if (list_empty_careful(perf_event_children(parent)))
		return NULL;
	guard(mutex)(perf_inherit_lock(parent));
	child = perf_children_next(parent, only_shared);
	if (child)
		perf_event_get_ref(child);
	return child;
}

/**
 * perf_child_unlink_finish - complete the removal of an inherited event
 * @child: detached inherited event with a reference of the caller
 *
 * Called by the one caller for which perf_child_unlink() returned true. Not needed for an event
 * with PERF_EVENT_PLAIN_CHILD.
 *
 * Context: may sleep. The mutex of child->ctx may be held, but not the inherit lock.
 */
void perf_child_unlink_finish(struct perf_event *child)
{
	WARN_ON_ONCE(!list_empty(&child->child_list));
	perf_overflow_cancel(child);
	perf_event_put_pmu(child);
}

/* perf_child_unlink() with the locks that it needs */
static bool perf_child_lock_and_unlink(struct perf_event *child,
				       void (*remove)(struct perf_event *child))
{
	CLASS(event_context, ctx)(child);

	guard(mutex)(perf_inherit_lock(child->parent));
	return perf_child_unlink(child, remove);
}

/**
 * perf_children_unlink_all - remove all events inherited from an event
 * @parent: the parent event, which is dead, so no more events are inherited
 * @remove: stops an inherited event and removes it from the list; its ctx->mutex and the inherit
 *	lock are held
 *
 * Context: may sleep; no mutex of a context and no inherit lock is held.
 */
void perf_children_unlink_all(struct perf_event *parent, void (*remove)(struct perf_event *child))
{
	bool only_shared = false;
	struct perf_event *child;

	if (!parent->attr.inherit || parent->parent)
		return;
	WARN_ON_ONCE(READ_ONCE(parent->state) != PERF_EVENT_STATE_DEAD);
	perf_children_disable(parent);
	/* This loop terminates: no event is added to the list, and each round removes one. */
	while ((child = perf_children_get_next(parent, &only_shared))) {
		if (perf_child_lock_and_unlink(child, remove))
			perf_child_unlink_finish(child);
		perf_event_put(child);
		cond_resched();
	}
}

/**
 * perf_children_detach - remove all events inherited from an event that is closed
 * @event: the event, which is dead
 *
 * The counts of the inherited events are lost.
 *
 * Context: may sleep; no lock of perf is held.
 */
void perf_children_detach(struct perf_event *event)
{
	perf_children_unlink_all(event, perf_child_detach);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/inherit_list_test.c"
#endif
