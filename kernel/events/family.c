// SPDX-License-Identifier: GPL-2.0
/*
 * A family is an event that somebody opened (its root) and the copies that
 * forks have made of it. Copies of copies belong to the root. Its lock
 * protects the list of copies, and the moment in which the count of one that
 * exits becomes part of the root's.
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

/**
 * perf_family_prepare - a fork is to inherit events of a context
 * @ctx: in which they were opened, that has no lock for them; its mutex is held
 *
 * May sleep. Return: 0, or -ENOMEM.
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
	perf_lock_allocates_nothing(&made->lock);
	WRITE_ONCE(ctx->family, made);
	/* Pairs with perf_family_enter(): before any copy is in a list. */
	smp_wmb();
	return 0;
}

/**
 * perf_family_free - with the context
 * @ctx: that nobody refers to any more
 */
void perf_family_free(struct perf_event_context *ctx)
{
	kfree(ctx->family);
}

/**
 * perf_family_enter - lock an event's copies, if it has any
 * @root: the event that was opened
 *
 * An event gets its first copy with the mutex of its context held. Who holds
 * that, and finds no copy, needs no lock: there will be none. May sleep.
 * Return: what perf_family_leave() is to unlock, or NULL.
 */
struct mutex *perf_family_enter(const struct perf_event *root)
{
	struct mutex *lock; /* the context's, for all families of its events */

	lockdep_assert_held(&root->ctx->mutex);
	/* Pairs with perf_family_prepare(): who finds a copy finds the lock. */
	if (list_empty_careful(perf_event_copies(root)))
		return NULL;
	lock = perf_family_lock(root);
	mutex_lock(lock);
	return lock;
}

/**
 * perf_family_for_each - do something to an event and its inherited copies
 * @event: ctx->mutex is held
 * @func: called with ctx->mutex or the family's lock held
 *
 * May sleep.
 */
void perf_family_for_each(struct perf_event *event, void (*func)(struct perf_event *))
{
	struct perf_event *child;

	lockdep_assert_held(&event->ctx->mutex);
	func(event);
	if (!event->attr.inherit || event->parent)
		return;
	CLASS(family, lock)(event);
	for_each_copy(child, event)
		func(child);
}

/**
 * perf_family_remove - a copy counts no more, nor does its root find it
 * @copy: attached; with a reference. ctx->mutex and the family's lock are held
 *
 * May sleep.
 */
void perf_family_remove(struct perf_event *copy)
{
	lockdep_assert_held(perf_family_lock(copy->parent));
	list_del_init(&copy->child_list);
	perf_event_clear_aux_output(copy);
	perf_event_detach(copy, PERF_EVENT_STATE_DEAD);
}

/* The first copy, with a reference. */
static struct perf_event *first_child(struct perf_event *root)
{
	struct perf_event *child;

	/*
	 * A fork that makes the first copy holds the root's mutex, and one of a
	 * copy's task finds under the family's lock that the root is dead.
	 */
	if (list_empty_careful(perf_event_copies(root)))
		return NULL;
	guard(mutex)(perf_family_lock(root));
	child = list_first_entry_or_null(perf_event_copies(root), struct perf_event, child_list);
	if (child)
		perf_event_hold(child);
	return child;
}

/**
 * perf_family_release - remove all inherited copies of an event
 * @event: dead, so that no more are made
 *
 * May sleep; holds no lock.
 */
void perf_family_release(struct perf_event *event)
{
	struct perf_event *child;

	if (!event->attr.inherit || event->parent)
		return;
	while ((child = first_child(event))) {
		scoped_class(event_context, ctx, child) {
			guard(mutex)(perf_family_lock(event));
			/* Unless its task has exited meanwhile. */
			if (!list_empty(&child->child_list))
				perf_family_remove(child);
		}
		perf_overflow_cancel(child);
		perf_event_put(child);
	}
}
