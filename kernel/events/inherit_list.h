/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_INHERIT_LIST_H
#define _KERNEL_EVENTS_INHERIT_LIST_H

#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>

/**
 * struct perf_inherit_data - data for the events inherited from all events of one context
 * @lock: the inherit lock, see perf_inherit_lock(). Inherited groups are read as a whole, so all
 *	events of the context share one lock
 * @stale: contexts with cached inherited events whose clock has started since; see child_cache.h
 *
 * Allocated at the first fork that inherits events of the context, and freed with the context: an
 * inherited event has a reference to its parent event, which has one to the context. The tasks that
 * have inherited events of one context may belong to several users, but no other task waits for
 * this lock.
 */
struct perf_inherit_data {
	struct mutex		lock;	/* lists of inherited events, and sums of removed ones */
	struct llist_head	stale;
} ____cacheline_aligned_in_smp;

/* kmalloc() aligns a size of whole cache lines, so no two locks share a line. */
static_assert(!IS_ENABLED(CONFIG_SMP) || sizeof(struct perf_inherit_data) % SMP_CACHE_BYTES == 0);

/**
 * perf_inherit_lock - find the inherit lock of an event
 * @parent: the event that was opened, which has been inherited
 *
 * The inherit lock protects the list of inherited events, and the sums of removed ones. The lock is
 * taken inside ctx->mutex. No memory is allocated under the lock.
 *
 * Return: the lock
 */
static inline struct mutex *perf_inherit_lock(const struct perf_event *parent)
{
	return &READ_ONCE(parent->ctx->inherit_data)->lock;
}

struct mutex *perf_inherit_lock_event(const struct perf_event *parent);
struct mutex *perf_inherit_lock_group(const struct perf_event *leader);

/* Undo perf_inherit_lock_event() or perf_inherit_lock_group(). */
static inline void perf_inherit_unlock(struct mutex *lock)
{
	if (lock)
		mutex_unlock(lock);
}

/*
 * CLASS(inherit_lock, lock)(parent): the list of @parent does not change until the end of the
 * block.
 */
DEFINE_CLASS(inherit_lock, struct mutex *, perf_inherit_unlock(_T), perf_inherit_lock_event(parent),
	     const struct perf_event *parent)

/* CLASS(inherit_group_lock, lock)(leader): the same for the lists of a whole group */
DEFINE_CLASS(inherit_group_lock, struct mutex *, perf_inherit_unlock(_T),
	     perf_inherit_lock_group(leader), const struct perf_event *leader)

/*
 * Release the inherit lock @held, and take that of @parent; either may be NULL. Used by walks over
 * events: most events have the same lock as the previous one. Return the lock that is held now.
 */
static inline struct mutex *perf_inherit_lock_switch(struct mutex *held,
						     const struct perf_event *parent)
{
	struct mutex *wanted = parent ? perf_inherit_lock(parent) : NULL;

	if (held == wanted)
		return held;
	if (held)
		mutex_unlock(held);
	if (wanted)
		mutex_lock(wanted);
	return wanted;
}

int perf_inherit_data_alloc(struct perf_event_context *ctx);
void perf_inherit_data_free(struct perf_event_context *ctx);
void perf_child_detach(struct perf_event *child);

/**
 * perf_child_unlink - remove an inherited event from its parent event's list
 * @child: the inherited event; its ctx->mutex and the inherit lock are held
 * @remove: stops @child, adds its values to its parent event's sums if they are kept, and removes
 *	it from the list
 *
 * Close, exit, exec and the unregistration of a PMU may all find the same inherited event, and wait
 * for the mutex of its context. All of them call this function, and nothing else removes an
 * inherited event.
 *
 * Return: true for the one caller that has removed @child, and completes the removal; false if
 * @child was removed before
 */
static __always_inline bool perf_child_unlink(struct perf_event *child,
					      void (*remove)(struct perf_event *child))
{
	lockdep_assert_held(&child->ctx->mutex);
	lockdep_assert_held(perf_inherit_lock(child->parent));
	if (list_empty(&child->child_list))
		return false;
	remove(child);
	WARN_ON_ONCE(!list_empty(&child->child_list));
	return true;
}

void perf_child_unlink_finish(struct perf_event *child);
void perf_children_unlink_all(struct perf_event *parent, void (*remove)(struct perf_event *child));
void perf_children_detach(struct perf_event *event);

#endif /* _KERNEL_EVENTS_INHERIT_LIST_H */
