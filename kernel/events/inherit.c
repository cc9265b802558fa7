// SPDX-License-Identifier: GPL-2.0
/*
 * fork: for each event of current with attr.inherit, the new task gets an inherited event. The
 * parent event (event->parent) is the event that was opened, even if current's event is inherited,
 * too. See inherit_list.c for the lists of inherited events, exit.c for their end.
 */
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "context.h"
#include "delay.h"
#include "enable.h"
#include "event.h"
#include "event_id.h"
#include "group.h"
#include "inherit_list.h"
#include "internal.h"
#include "read.h"
#include "record/aux.h"
#include "sched.h"
#include "shared_ctx.h"
#include "source/addr_filter.h"
#include "source/breakpoint.h"
#include "source/software.h"
#include "throttle.h"
#include "time.h"
#include "time_seq.h"

/**
 * struct fork_args - a fork in progress
 * @child: the new task, which does not run yet
 * @clone_flags: CLONE_* of the fork
 * @ctx: context of @child, NULL until the first event is inherited
 * @expected: number of current's events that were not handled yet
 * @nr_copies: number of plain inherited events (see perf_event_init_copy()), which are added to
 *	their parent events' lists at the end; until then their references to @ctx are not taken
 * @next_id: first of the ids that were allocated for inherited events; 0: none yet
 * @nr_ids: number of ids left
 * @nr_spare: number of entries in @spare
 * @spare: memory for plain inherited events
 */
struct fork_args {
	struct task_struct		*child;
	u64				clone_flags;
	struct perf_event_context	*ctx;
	unsigned int			expected;
	unsigned int			nr_copies;
	u64				next_id;
	unsigned int			nr_ids;
	unsigned int			nr_spare;
	struct perf_event		*spare[PERF_COPIES_AT_ONCE];
};

static bool perf_inherit_is_done(const struct perf_event *leader, u64 clone_flags)
{
	const struct perf_event_attr *attr = &leader->attr;

	if (!attr->inherit || leader->state <= PERF_EVENT_STATE_EXIT)
		return false;
	/* The event's leader was closed, and drivers refuse such an event as a leader. */
	if (leader->event_caps & PERF_EV_CAP_SIBLING)
		return false;
	if (attr->inherit_thread && !(clone_flags & CLONE_THREAD))
		return false;
	/* Without current's signal handler the new task cannot handle SIGTRAP. */
	return !(attr->sigtrap && (clone_flags & CLONE_CLEAR_SIGHAND));
}

/* Id of the next inherited event, higher than that of the previous one */
static u64 perf_inherit_next_id(struct fork_args *args)
{
	if (!args->next_id) {
		args->nr_ids = args->expected;
		args->next_id = perf_event_id_alloc_many(args->nr_ids);
	}
	/* An event that was discarded and made again has used two ids, so too few may be left. */
	if (unlikely(!args->nr_ids))
		return perf_event_id_new();
	args->nr_ids--;
	return args->next_id++;
}

static struct perf_event *perf_inherit_take_spare(struct fork_args *args)
{
	unsigned int want = clamp(args->expected, 1U, (unsigned int)PERF_COPIES_AT_ONCE);

	if (!args->nr_spare)
		args->nr_spare = perf_event_alloc_copies(args->spare, want);
	return args->nr_spare ? args->spare[--args->nr_spare] : NULL;
}

/*
 * Attach a plain inherited event. In an unpublished context these are all steps of
 * perf_event_attach(), except for the state, which perf_inherit_begin_copy() sets.
 */
static void perf_inherit_attach_copy(struct perf_event *copy)
{
	struct perf_event_context *ctx = copy->ctx;
	struct perf_event *leader = copy->group_leader;

	if (leader != copy) {
		list_add_tail(&copy->sibling_list, &leader->sibling_list);
		leader->nr_siblings++;
	}
	perf_swevent_copy_add(copy);
	list_add_tail(&copy->event_entry, &ctx->event_list);
	ctx->nr_events++;
}

/* perf_inherit_event() for an event of a group with plain inherited events */
static struct perf_event *perf_inherit_plain(struct fork_args *args, struct perf_event *event,
					     struct perf_event *leader)
{
	struct perf_event *copy = perf_inherit_take_spare(args);

	if (!copy)
		return ERR_PTR(-ENOMEM);
	perf_event_init_copy(copy, event, args->ctx, leader, perf_inherit_next_id(args));
	perf_event_get_ref(copy->parent);
	perf_inherit_attach_copy(copy);
	copy->copied_from = event;
	args->nr_copies++;
	return copy;
}

/*
 * Set the state of a plain inherited event, which is off, to that of copied_from; its leader's
 * state is set already. The caller holds the inherit lock, so an enable or disable of the parent
 * event either happens before, or finds @copy. The context clock has never run, and the times of
 * @copy are 0.
 */
static __always_inline void perf_inherit_begin_copy(struct perf_event *copy)
{
	const struct perf_event *event = copy->copied_from, *leader = copy->group_leader;

	copy->copied_from = NULL;
	if (event->state < PERF_EVENT_STATE_INACTIVE)
		return;
	if (leader != copy && leader->state < PERF_EVENT_STATE_INACTIVE) {
		copy->state = PERF_EVENT_STATE_INACTIVE;
	} else {
		copy->state = PERF_EVENT_STATE_ACTIVE;
		perf_times_begin(copy);
	}
}

static bool perf_inherit_root_is_closed(const struct perf_event *copy)
{
	return READ_ONCE(copy->parent->state) <= PERF_EVENT_STATE_DEAD;
}

/*
 * Drop an inherited event that is not added to its parent event's list, because the parent event
 * was closed or @copy must be made again. If @copy is a leader, its siblings become groups of their
 * own.
 */
static void perf_inherit_discard_copy(struct perf_event *copy)
{
	perf_event_get_ref(copy);
	scoped_guard(mutex, perf_inherit_lock(copy->parent))
		perf_copy_detach(copy);
	perf_event_put(copy);
}

/*
 * Add all plain inherited events to their parent events' lists. The members of a group have the
 * same lock, so the whole group is added atomically. After an error an inherited group may be
 * incomplete, and read(2) of the parent events would fail: discard all plain events.
 */
static void perf_inherit_link_plain(struct fork_args *args, int err)
{
	struct perf_event *copy, *next;
	struct mutex *held = NULL;
	unsigned int n = 0;

	if (!args->nr_copies)
		return;
	/*
	 * Take the references to the context first. A task that finds an event in its parent
	 * event's list may drop such a reference, once it gets ctx->mutex, which is held here.
	 */
	refcount_add(args->nr_copies, &args->ctx->refcount);
	for_each_event_safe(copy, next, args->ctx) {
		if (!(copy->event_flags & PERF_EVENT_PLAIN_COPY))
			continue;
		if (++n % PERF_COPIES_AT_ONCE == 0)
			cond_resched();
		held = perf_inherit_lock_switch(held, copy->parent);
		perf_inherit_begin_copy(copy);
		if (unlikely(err || perf_inherit_root_is_closed(copy))) {
			held = perf_inherit_lock_switch(held, NULL);
			perf_inherit_discard_copy(copy);
			continue;
		}
		list_add(&copy->child_list, perf_event_copies(copy->parent));
	}
	perf_inherit_lock_switch(held, NULL);
}

static void perf_inherit_drop_copy(struct perf_event *copy)
{
	perf_event_clear_aux_output(copy);
	copy->group_leader = copy;
	perf_event_put(copy);
}

/* Return an unpublished inherited event, NULL if its PMU is being unregistered, or an ERR_PTR(). */
static struct perf_event *perf_inherit_make_copy(struct fork_args *args, struct perf_event *event,
						 struct perf_event *leader,
						 struct perf_event_attr *attr)
{
	struct perf_event *copy;

	copy = perf_event_alloc(attr, event->cpu, args->child, leader, perf_event_root(event),
				NULL, NULL, -1);
	/* An event whose PMU is being unregistered is not inherited. */
	if (copy == ERR_PTR(-ENODEV))
		return NULL;
	if (IS_ERR(copy))
		return copy;
	copy->id = perf_inherit_next_id(args);

	refcount_inc(&args->ctx->refcount);
	/* This cannot fail: perf_pmu_unregister() finds @copy only through copy->parent. */
	WARN_ON_ONCE(perf_event_set_context(copy, args->ctx));
	if (attr->freq) {
		u64 period = event->hw.sample_period;

		copy->hw.sample_period = period;
		copy->hw.last_period = period;
		local64_set(&copy->hw.period_left,
			    perf_event_counts_up(copy) ? -(s64)period : period);
	}
	/* If the AUX event was closed, @event and @copy continue without it. */
	if (event->aux_event && !perf_event_set_aux_output(copy, leader ?: copy)) {
		perf_inherit_drop_copy(copy);
		return ERR_PTR(-EINVAL);
	}
	return copy;
}

/*
 * Copy an event's attr. A breakpoint's attr may be modified concurrently; that of an inherited
 * event is modified with the inherit lock held.
 */
static void perf_inherit_copy_attr(struct perf_event_attr *attr, const struct perf_event *event)
{
	/* Without event->parent, attr is modified with ctx->mutex held, which the caller holds. */
	struct mutex *held = perf_inherit_lock_switch(NULL, event->parent);

	*attr = event->attr;
	perf_inherit_lock_switch(held, NULL);
}

/*
 * Inherit one event. @leader is the inherited group leader, NULL for the leader itself. Return the
 * inherited event, which is not in its parent event's list yet, NULL if the PMU is being
 * unregistered, or an ERR_PTR().
 */
static struct perf_event *perf_inherit_event(struct fork_args *args, struct perf_event *event,
					     struct perf_event *leader)
{
	struct perf_event_attr attr;
	struct perf_event *copy;
	int err;

	perf_inherit_copy_attr(&attr, event);
	copy = perf_inherit_make_copy(args, event, leader, &attr);
	if (IS_ERR_OR_NULL(copy))
		return copy;
	copy->state = event->state >= PERF_EVENT_STATE_INACTIVE ?
		      PERF_EVENT_STATE_INACTIVE : PERF_EVENT_STATE_OFF;
	err = perf_event_attach_copy(copy);
	if (err) {
		perf_inherit_drop_copy(copy);
		return ERR_PTR(err);
	}
	/* The context has its own reference to @copy now. */
	perf_event_put(copy);
	return copy;
}

/*
 * The event after @copy in an inherited group, or NULL. The next member of the parent task's group
 * may not be inherited, so the result need not be inherited from it.
 */
static struct perf_event *perf_inherit_next_copy(struct perf_event *leader, struct perf_event *copy)
{
	if (copy == leader)
		return list_first_entry_or_null(&leader->sibling_list, struct perf_event,
						sibling_list);
	return list_is_last(&copy->sibling_list, &leader->sibling_list) ? NULL :
	       list_next_entry(copy, sibling_list);
}

static bool perf_inherit_is_copy_of(const struct perf_event *copy, const struct perf_event *event)
{
	return copy && copy->parent == perf_event_root(event);
}

/* Was the breakpoint modified since it was copied? The inherit lock is held. */
static bool perf_inherit_is_modified(const struct perf_event *event, const struct perf_event *copy)
{
	return event->attr.type == PERF_TYPE_BREAKPOINT &&
	       !perf_breakpoint_same_settings(&event->attr, &copy->attr);
}

/* Add one event of an inherited group to its parent event's list; the inherit lock is held. */
static void perf_inherit_link_event(struct perf_event *copy, struct perf_event *event)
{
	bool is_on = copy->state >= PERF_EVENT_STATE_INACTIVE;
	bool on = event->state >= PERF_EVENT_STATE_INACTIVE;

	if (perf_inherit_root_is_closed(copy))
		return;
	if (on && !is_on)
		_perf_event_enable(copy);
	else if (!on && is_on)
		_perf_event_disable(copy);
	perf_addr_filters_inherit(copy, event);
	list_add(&copy->child_list, perf_event_copies(copy->parent));
}

/*
 * Add a group of copies to their roots' lists atomically. Return false, with nothing added, if an
 * event of the group was modified since it was copied.
 */
static bool perf_inherit_link_group(struct perf_event *copy_leader, struct perf_event *leader)
{
	struct perf_event *member, *copy;

	guard(mutex)(perf_inherit_lock(copy_leader->parent));
	if (perf_inherit_is_modified(leader, copy_leader))
		return false;
	copy = perf_inherit_next_copy(copy_leader, copy_leader);
	for_each_sibling_event(member, leader) {
		if (!perf_inherit_is_copy_of(copy, member))
			continue;
		if (perf_inherit_is_modified(member, copy))
			return false;
		copy = perf_inherit_next_copy(copy_leader, copy);
	}

	perf_inherit_link_event(copy_leader, leader);
	copy = perf_inherit_next_copy(copy_leader, copy_leader);
	for_each_sibling_event(member, leader) {
		if (!perf_inherit_is_copy_of(copy, member))
			continue;
		perf_inherit_link_event(copy, member);
		copy = perf_inherit_next_copy(copy_leader, copy);
	}
	return true;
}

/*
 * Drop the events of an inherited group that perf_inherit_link_group() has not added: all of them,
 * or those with a closed parent event.
 */
static void perf_inherit_discard_unlinked(struct perf_event *copy_leader)
{
	struct perf_event *copy, *next;

	list_for_each_entry_safe(copy, next, &copy_leader->sibling_list, sibling_list) {
		if (list_empty(&copy->child_list))
			perf_inherit_discard_copy(copy);
	}
	if (list_empty(&copy_leader->child_list))
		perf_inherit_discard_copy(copy_leader);
}

/* Can all events of the group be inherited as plain events? See perf_event_can_be_plain(). */
static bool perf_inherit_group_is_plain(struct perf_event *leader)
{
	struct perf_event *member;

	if (!is_unsched(leader) || !perf_event_is_plain(leader))
		return false;
	if (likely(!leader->nr_siblings))
		return true;
	for_each_sibling_event(member, leader) {
		if (!perf_event_is_plain(member))
			return false;
	}
	return true;
}

/*
 * Allocate the child's context, unless there is one, and the inherit lock at the first fork that
 * inherits events of leader->ctx.
 */
static int perf_inherit_prepare_locks(struct fork_args *args, struct perf_event *leader)
{
	if (!args->ctx) {
		args->ctx = perf_context_alloc(args->child, GFP_KERNEL);
		if (!args->ctx)
			return -ENOMEM;
		/* The context is unpublished, so its mutex is free. */
		if (WARN_ON_ONCE(!mutex_trylock(&args->ctx->mutex)))
			return -EAGAIN;
	}
	return leader->parent || likely(leader->ctx->inherit_data) ? 0 :
	       perf_inherit_data_alloc(leader->ctx);
}

/*
 * Inherit a group. Return the inherited leader, NULL for none, or an ERR_PTR(); after an error all
 * inherited events that are not in their parent events' lists have been dropped.
 */
static struct perf_event *perf_inherit_copy_group(struct fork_args *args, struct perf_event *leader,
						  bool plain)
{
	struct perf_event *(*inherit)(struct fork_args *args, struct perf_event *event,
				      struct perf_event *leader);
	struct perf_event *copy_leader, *copy, *member;

	inherit = plain ? perf_inherit_plain : perf_inherit_event;
	copy_leader = inherit(args, leader, NULL);
	if (IS_ERR_OR_NULL(copy_leader) || (plain && likely(!leader->nr_siblings)))
		return copy_leader;
	copy = copy_leader;
	for_each_sibling_event(member, leader) {
		copy = inherit(args, member, copy_leader);
		if (IS_ERR(copy))
			break;
		cond_resched();
	}
	/* Plain events have record sizes already, and are started later. */
	if (!plain)
		perf_group_complete(copy_leader);
	if (!IS_ERR(copy))
		return copy_leader;
	/*
	 * The caller finds the inherited events of a context in their parent events' lists, so drop
	 * full ones that are in no list. Plain ones are added to the lists later.
	 */
	if (!plain)
		perf_inherit_discard_unlinked(copy_leader);
	return copy;
}

/* Number of times that a fork copies a group whose breakpoint is modified meanwhile */
#define COPY_TRIES	100

static int perf_inherit_group(struct fork_args *args, struct perf_event *leader)
{
	bool plain = perf_inherit_group_is_plain(leader);
	struct perf_event *copy_leader;
	int err, tries = COPY_TRIES;

	err = perf_inherit_prepare_locks(args, leader);
	if (err)
		return err;
	for (;;) {
		copy_leader = perf_inherit_copy_group(args, leader, plain);
		if (plain || IS_ERR_OR_NULL(copy_leader))
			return PTR_ERR_OR_ZERO(copy_leader);
		if (perf_inherit_link_group(copy_leader, leader)) {
			perf_inherit_discard_unlinked(copy_leader);
			return 0;
		}
		perf_inherit_discard_unlinked(copy_leader);
		/*
		 * A task that modifies the event continuously could block the fork for ever, and
		 * with it all calls that need ctx->mutex.
		 */
		if (!--tries)
			return -EAGAIN;
		if (fatal_signal_pending(current))
			return -EINTR;
	}
}

/* Inherit the events of @ctx, and add the new events to their parent events' lists. */
static int perf_inherit_copy_groups(struct fork_args *args, struct perf_event_context *ctx)
{
	struct perf_event *leader;
	unsigned int n = 0;
	int err = 0;

	args->expected = ctx->nr_events;
	for_each_event(leader, ctx) {
		if (leader->group_leader != leader ||
		    !perf_inherit_is_done(leader, args->clone_flags))
			continue;
		err = perf_inherit_group(args, leader);
		if (err)
			break;
		if (++n % PERF_COPIES_AT_ONCE == 0)
			cond_resched();
		args->expected -= min(args->expected, 1 + leader->nr_siblings);
	}
	perf_event_free_copies(args->spare, args->nr_spare);
	if (args->ctx)
		perf_inherit_link_plain(args, err);
	return err;
}

static int perf_inherit_groups(struct fork_args *args, struct perf_event_context *ctx)
{
	int err = perf_inherit_copy_groups(args, ctx);

	if (args->ctx) {
		if (!err)
			perf_ctx_set_add(ctx, args->ctx);
		mutex_unlock(&args->ctx->mutex);
		/* A tracepoint about the task must see a complete context. */
		smp_store_release(&args->child->perf_event_ctxp, args->ctx);
	}
	return err;
}

/**
 * perf_event_init_task - create the inherited events of a new task
 * @child: the new task of current, which does not run yet
 * @clone_flags: CLONE_*
 *
 * Context: may sleep.
 * Return: 0 on success, or an error with nothing to undo
 */
int perf_event_init_task(struct task_struct *child, u64 clone_flags)
{
	struct fork_args args = { .child = child, .clone_flags = clone_flags };
	struct perf_event_context *ctx;
	int err;

	/* These fields were copied from current. */
	child->perf_event_ctxp = NULL;
	child->perf_refused = NULL;
	memset(child->perf_recursion, 0, PERF_NR_CONTEXTS);
	INIT_LIST_HEAD(&child->perf_event_list);
	mutex_init(&child->perf_event_mutex);

	/* Only current itself clears this; an event that is opened concurrently may be missed. */
	ctx = perf_task_context(current);
	if (!ctx || !READ_ONCE(ctx->nr_events))
		return 0;

	perf_delay(CALL_FORK);
	scoped_guard(mutex, &ctx->mutex)
		err = perf_inherit_groups(&args, ctx);

	if (err)
		perf_event_free_task(child);
	return err;
}

/*
 * A shared context (see shared_ctx.h) needs its own lock class: its mutex is taken with a task
 * context's mutex held.
 */
static struct lock_class_key perf_shared_ctx_mutex_key;

/**
 * perf_shared_ctx_copy - create a shared context (see shared_ctx.h)
 * @ctx: context of a task whose events all have attr.inherit; its mutex is held
 *
 * The new context has an event inherited from each event of @ctx, and is not scheduled in yet. The
 * target of its events is the task of their parent event.
 *
 * Context: may sleep.
 * Return: the context, for perf_shared_ctx_free(), or an ERR_PTR(): -EAGAIN if an event was
 * removed since, -ENOMEM, -EINTR after a fatal signal, or an error of a PMU
 */
struct perf_event_context *perf_shared_ctx_copy(struct perf_event_context *ctx)
{
	struct perf_event *first = list_first_entry_or_null(&ctx->event_list, struct perf_event,
							    event_entry);
	struct fork_args args = { .clone_flags = CLONE_THREAD };
	int err;

	lockdep_assert_held(&ctx->mutex);
	if (!first)
		return ERR_PTR(-EAGAIN);
	args.child = perf_event_root(first)->hw.target;
	args.ctx = perf_context_alloc(args.child, GFP_KERNEL_ACCOUNT);
	if (!args.ctx)
		return ERR_PTR(-ENOMEM);
	lockdep_set_class(&args.ctx->mutex, &perf_shared_ctx_mutex_key);
	args.ctx->is_shared = true;
	mutex_lock(&args.ctx->mutex);
	err = perf_inherit_copy_groups(&args, ctx);
	/* A context without some of the events cannot replace one with all of them. */
	if (!err && args.ctx->nr_events != ctx->nr_events)
		err = -EAGAIN;
	mutex_unlock(&args.ctx->mutex);
	if (!err)
		return args.ctx;
	perf_shared_ctx_free(args.ctx);
	return ERR_PTR(err);
}
