// SPDX-License-Identifier: GPL-2.0
/*
 * fork: for each event of current with attr.inherit, the new task gets an inherited event. The
 * parent event (event->parent) is the event that was opened, even if current's event is inherited,
 * too. See inherit_list.c for the lists of inherited events, exit.c for their removal, and event.h
 * for PERF_EVENT_PLAIN and PERF_EVENT_PLAIN_CHILD.
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
 * struct fork_args - a fork in progress, or the creation of a shared context (shared_ctx.h)
 * @task: the new task, which does not run yet; for a shared context, the task of the parent events
 * @clone_flags: CLONE_* of the fork
 * @ctx: the new context; in a fork, NULL until the first event is inherited
 * @expected: upper bound of the number of events that are still to be inherited
 * @nr_plain: number of PERF_EVENT_PLAIN_CHILD events in @ctx. At the end, perf_inherit_link_plain()
 *	adds this number to the refcount of @ctx, and adds the events to their parent events' lists
 * @next_id: next unused id; 0 before ids are allocated
 * @nr_ids: number of unused ids, from @next_id on
 * @nr_spare: number of entries in @spare
 * @spare: memory for perf_event_init_child()
 */
struct fork_args {
	struct task_struct		*task;
	u64				clone_flags;
	struct perf_event_context	*ctx;
	unsigned int			expected;
	unsigned int			nr_plain;
	u64				next_id;
	unsigned int			nr_ids;
	unsigned int			nr_spare;
	struct perf_event		*spare[PERF_CHILDREN_AT_ONCE];
};

static bool perf_inherit_applies(const struct perf_event *leader, u64 clone_flags)
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
	/* Each event that was discarded and made again has used two ids, so no id may be left. */
	if (unlikely(!args->nr_ids))
		return perf_event_id_new();
	args->nr_ids--;
	return args->next_id++;
}

static struct perf_event *perf_inherit_take_spare(struct fork_args *args)
{
	unsigned int want = clamp(args->expected, 1U, (unsigned int)PERF_CHILDREN_AT_ONCE);

	if (!args->nr_spare)
		args->nr_spare = perf_event_alloc_children(args->spare, want);
	return args->nr_spare ? args->spare[--args->nr_spare] : NULL;
}

/*
 * Attach a PERF_EVENT_PLAIN_CHILD event. In an unpublished context these are all steps of
 * perf_event_attach(), except for the state, which perf_inherit_begin_child() sets.
 */
static void perf_inherit_attach_child(struct perf_event *child)
{
	struct perf_event_context *ctx = child->ctx;
	struct perf_event *leader = child->group_leader;

	if (leader != child) {
		list_add_tail(&child->sibling_list, &leader->sibling_list);
		leader->nr_siblings++;
	}
	perf_swevent_child_add(child);
	list_add_tail(&child->event_entry, &ctx->event_list);
	ctx->nr_events++;
}

/* perf_inherit_event() for a group that perf_event_init_child() may inherit */
static struct perf_event *perf_inherit_plain(struct fork_args *args, struct perf_event *event,
					     struct perf_event *leader)
{
	struct perf_event *child = perf_inherit_take_spare(args);

	if (!child)
		return ERR_PTR(-ENOMEM);
	perf_event_init_child(child, event, args->ctx, leader, perf_inherit_next_id(args));
	perf_event_get_ref(child->parent);
	perf_inherit_attach_child(child);
	child->inherited_from = event;
	args->nr_plain++;
	return child;
}

/*
 * Set the state of @child, a PERF_EVENT_PLAIN_CHILD event that is off, to that of
 * child->inherited_from. The state of the leader of @child is set already. The caller holds the
 * inherit lock, so an enable or disable of the parent event either happens before, or finds @child.
 * The times of @child are 0, because the context clock has never run.
 */
static __always_inline void perf_inherit_begin_child(struct perf_event *child)
{
	const struct perf_event *event = child->inherited_from, *leader = child->group_leader;

	child->inherited_from = NULL;
	if (event->state < PERF_EVENT_STATE_INACTIVE)
		return;
	if (leader != child && leader->state < PERF_EVENT_STATE_INACTIVE) {
		child->state = PERF_EVENT_STATE_INACTIVE;
	} else {
		child->state = PERF_EVENT_STATE_ACTIVE;
		perf_times_begin(child);
	}
}

static bool perf_inherit_parent_is_closed(const struct perf_event *child)
{
	return READ_ONCE(child->parent->state) <= PERF_EVENT_STATE_DEAD;
}

/*
 * Drop an inherited event that is not added to its parent event's list, because the parent event
 * was closed or @child must be made again. If @child is a leader, its siblings become groups of
 * their own.
 */
static void perf_inherit_discard_child(struct perf_event *child)
{
	perf_event_get_ref(child);
	scoped_guard(mutex, perf_inherit_lock(child->parent))
		perf_child_detach(child);
	perf_event_put(child);
}

/*
 * Add all PERF_EVENT_PLAIN_CHILD events to their parent events' lists. The members of a group have
 * the same inherit lock, so the whole group is added atomically. After an error an inherited group
 * may be incomplete, and read(2) of the parent events would fail: discard all these events.
 */
static void perf_inherit_link_plain(struct fork_args *args, int err)
{
	struct perf_event *child, *next;
	struct mutex *held = NULL;
	unsigned int n = 0;

	if (!args->nr_plain)
		return;
	/*
	 * Take the references to the context first. A task that finds an event in its parent
	 * event's list may drop such a reference, once it gets ctx->mutex, which is held here.
	 */
	refcount_add(args->nr_plain, &args->ctx->refcount);
	for_each_event_safe(child, next, args->ctx) {
		if (!(child->event_flags & PERF_EVENT_PLAIN_CHILD))
			continue;
		if (++n % PERF_CHILDREN_AT_ONCE == 0)
			cond_resched();
		held = perf_inherit_lock_switch(held, child->parent);
		perf_inherit_begin_child(child);
		if (unlikely(err || perf_inherit_parent_is_closed(child))) {
			held = perf_inherit_lock_switch(held, NULL);
			perf_inherit_discard_child(child);
			continue;
		}
		list_add(&child->child_list, perf_event_children(child->parent));
	}
	perf_inherit_lock_switch(held, NULL);
}

static void perf_inherit_drop_child(struct perf_event *child)
{
	perf_event_clear_aux_output(child);
	child->group_leader = child;
	perf_event_put(child);
}

/* Return an unpublished inherited event, NULL if its PMU is being unregistered, or an ERR_PTR(). */
static struct perf_event *perf_inherit_make_child(struct fork_args *args, struct perf_event *event,
						  struct perf_event *leader,
						  struct perf_event_attr *attr)
{
	struct perf_event *child;

	child = perf_event_alloc(attr, event->cpu, args->task, leader, perf_event_parent(event),
				 NULL, NULL, -1);
	/* An event whose PMU is being unregistered is not inherited. */
	if (child == ERR_PTR(-ENODEV))
		return NULL;
	if (IS_ERR(child))
		return child;
	child->id = perf_inherit_next_id(args);

	refcount_inc(&args->ctx->refcount);
	/* perf_event_revoke() is never called for an inherited event, so this cannot fail. */
	WARN_ON_ONCE(perf_event_set_context(child, args->ctx));
	if (attr->freq) {
		u64 period = event->hw.sample_period;

		child->hw.sample_period = period;
		child->hw.last_period = period;
		local64_set(&child->hw.period_left,
			    perf_event_counts_up(child) ? -(s64)period : period);
	}
	/* If the AUX event was closed, @event and @child continue without it. */
	if (event->aux_event && !perf_event_set_aux_output(child, leader ?: child)) {
		perf_inherit_drop_child(child);
		return ERR_PTR(-EINVAL);
	}
	return child;
}

/*
 * Copy an event's attr. A breakpoint's attr may be modified concurrently; that of an inherited
 * event is modified with the inherit lock held.
 */
static void perf_inherit_copy_attr(struct perf_event_attr *attr, const struct perf_event *event)
{
	/* If event->parent is NULL, the caller's ctx->mutex protects attr. */
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
	struct perf_event *child;
	int err;

	perf_inherit_copy_attr(&attr, event);
	child = perf_inherit_make_child(args, event, leader, &attr);
	if (IS_ERR_OR_NULL(child))
		return child;
	child->state = event->state >= PERF_EVENT_STATE_INACTIVE ?
		       PERF_EVENT_STATE_INACTIVE : PERF_EVENT_STATE_OFF;
	err = perf_event_attach_child(child);
	if (err) {
		perf_inherit_drop_child(child);
		return ERR_PTR(err);
	}
	/* The context has its own reference to @child now. */
	perf_event_put(child);
	return child;
}

/*
 * The event after @child in an inherited group, or NULL. This event need not be inherited from the
 * next member of the original group, because some members may have no inherited event.
 */
static struct perf_event *perf_inherit_next_child(struct perf_event *leader,
						  struct perf_event *child)
{
	if (child == leader)
		return list_first_entry_or_null(&leader->sibling_list, struct perf_event,
						sibling_list);
	return list_is_last(&child->sibling_list, &leader->sibling_list) ? NULL :
	       list_next_entry(child, sibling_list);
}

static bool perf_inherit_is_child_of(const struct perf_event *child, const struct perf_event *event)
{
	return child && child->parent == perf_event_parent(event);
}

/* Was the breakpoint modified since it was inherited? The inherit lock is held. */
static bool perf_inherit_is_modified(const struct perf_event *event, const struct perf_event *child)
{
	return event->attr.type == PERF_TYPE_BREAKPOINT &&
	       !perf_breakpoint_same_settings(&event->attr, &child->attr);
}

/* Add one event of an inherited group to its parent event's list; the inherit lock is held. */
static void perf_inherit_link_event(struct perf_event *child, struct perf_event *event)
{
	bool is_on = child->state >= PERF_EVENT_STATE_INACTIVE;
	bool on = event->state >= PERF_EVENT_STATE_INACTIVE;

	if (perf_inherit_parent_is_closed(child))
		return;
	if (on && !is_on)
		_perf_event_enable(child);
	else if (!on && is_on)
		_perf_event_disable(child);
	perf_addr_filters_inherit(child, event);
	list_add(&child->child_list, perf_event_children(child->parent));
}

/*
 * Add an inherited group to its parent events' lists atomically. Return false, with nothing added,
 * if an event of the group was modified since it was inherited.
 */
static bool perf_inherit_link_group(struct perf_event *child_leader, struct perf_event *leader)
{
	struct perf_event *member, *child;

	guard(mutex)(perf_inherit_lock(child_leader->parent));
	if (perf_inherit_is_modified(leader, child_leader))
		return false;
	child = perf_inherit_next_child(child_leader, child_leader);
	for_each_sibling_event(member, leader) {
		if (!perf_inherit_is_child_of(child, member))
			continue;
		if (perf_inherit_is_modified(member, child))
			return false;
		child = perf_inherit_next_child(child_leader, child);
	}

	perf_inherit_link_event(child_leader, leader);
	child = perf_inherit_next_child(child_leader, child_leader);
	for_each_sibling_event(member, leader) {
		if (!perf_inherit_is_child_of(child, member))
			continue;
		perf_inherit_link_event(child, member);
		child = perf_inherit_next_child(child_leader, child);
	}
	return true;
}

/*
 * Drop the events of an inherited group that perf_inherit_link_group() has not added: all of them,
 * or those with a closed parent event.
 */
static void perf_inherit_discard_unlinked(struct perf_event *child_leader)
{
	struct perf_event *child, *next;

	list_for_each_entry_safe(child, next, &child_leader->sibling_list, sibling_list) {
		if (list_empty(&child->child_list))
			perf_inherit_discard_child(child);
	}
	if (list_empty(&child_leader->child_list))
		perf_inherit_discard_child(child_leader);
}

/* Can perf_event_init_child() create the events inherited from the group? */
static bool perf_inherit_group_is_plain(struct perf_event *leader)
{
	struct perf_event *member;

	if (!is_always_on(leader) || !perf_event_is_plain(leader))
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
 * Allocate the new task's context, unless there is one, and the inherit lock at the first fork that
 * inherits events of leader->ctx.
 */
static int perf_inherit_prepare_locks(struct fork_args *args, struct perf_event *leader)
{
	if (!args->ctx) {
		args->ctx = perf_context_alloc(args->task, GFP_KERNEL);
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
static struct perf_event *perf_inherit_make_group(struct fork_args *args, struct perf_event *leader,
						  bool plain)
{
	struct perf_event *(*inherit)(struct fork_args *args, struct perf_event *event,
				      struct perf_event *leader);
	struct perf_event *child_leader, *child, *member;

	inherit = plain ? perf_inherit_plain : perf_inherit_event;
	child_leader = inherit(args, leader, NULL);
	if (IS_ERR_OR_NULL(child_leader) || (plain && likely(!leader->nr_siblings)))
		return child_leader;
	child = child_leader;
	for_each_sibling_event(member, leader) {
		child = inherit(args, member, child_leader);
		if (IS_ERR(child))
			break;
		cond_resched();
	}
	/*
	 * A plain group needs no perf_group_complete(): perf_event_init_child() sets the record
	 * sizes, and perf_inherit_link_plain() starts the events.
	 */
	if (!plain)
		perf_group_complete(child_leader);
	if (!IS_ERR(child))
		return child_leader;
	/*
	 * perf_exit_events() expects each inherited event in its parent event's list: drop the
	 * events that are in no list. perf_inherit_link_plain() handles PERF_EVENT_PLAIN_CHILD.
	 */
	if (!plain)
		perf_inherit_discard_unlinked(child_leader);
	return child;
}

/* Maximum number of times that a fork inherits a group whose breakpoint is modified meanwhile */
#define INHERIT_TRIES	100

static int perf_inherit_group(struct fork_args *args, struct perf_event *leader)
{
	bool plain = perf_inherit_group_is_plain(leader);
	struct perf_event *child_leader;
	int err, tries = INHERIT_TRIES;

	err = perf_inherit_prepare_locks(args, leader);
	if (err)
		return err;
	for (;;) {
		child_leader = perf_inherit_make_group(args, leader, plain);
		if (plain || IS_ERR_OR_NULL(child_leader))
			return PTR_ERR_OR_ZERO(child_leader);
		if (perf_inherit_link_group(child_leader, leader)) {
			perf_inherit_discard_unlinked(child_leader);
			return 0;
		}
		perf_inherit_discard_unlinked(child_leader);
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
static int perf_inherit_all_groups(struct fork_args *args, struct perf_event_context *ctx)
{
	struct perf_event *leader;
	unsigned int n = 0;
	int err = 0;

	args->expected = ctx->nr_events;
	for_each_event(leader, ctx) {
		if (leader->group_leader != leader ||
		    !perf_inherit_applies(leader, args->clone_flags))
			continue;
		err = perf_inherit_group(args, leader);
		if (err)
			break;
		if (++n % PERF_CHILDREN_AT_ONCE == 0)
			cond_resched();
		args->expected -= min(args->expected, 1 + leader->nr_siblings);
	}
	perf_event_free_children(args->spare, args->nr_spare);
	if (args->ctx)
		perf_inherit_link_plain(args, err);
	return err;
}

static int perf_inherit_groups(struct fork_args *args, struct perf_event_context *ctx)
{
	int err = perf_inherit_all_groups(args, ctx);

	if (args->ctx) {
		if (!err)
			perf_ctx_set_add(ctx, args->ctx);
		mutex_unlock(&args->ctx->mutex);
		/* A tracepoint about the task must see a complete context. */
		smp_store_release(&args->task->perf_event_ctxp, args->ctx);
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
	struct fork_args args = { .task = child, .clone_flags = clone_flags };
	struct perf_event_context *ctx;
	int err;

	/* These fields were copied from current. */
	child->perf_event_ctxp = NULL;
	child->perf_refused = NULL;
	memset(child->perf_recursion, 0, PERF_NR_CONTEXTS);
	INIT_LIST_HEAD(&child->perf_event_list);
	mutex_init(&child->perf_event_mutex);

	/*
	 * Only current clears its perf_event_ctxp, so @ctx needs no reference. An event that
	 * another task opens concurrently may not be inherited.
	 */
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
 * perf_shared_ctx_alloc - create a shared context (see shared_ctx.h)
 * @ctx: context of a task whose events all have attr.inherit; its mutex is held
 *
 * The new context has an event inherited from each event of @ctx, and is not scheduled in yet. The
 * target of its events is the task of their parent event.
 *
 * Context: may sleep.
 * Return: the context, for perf_shared_ctx_free(), or an ERR_PTR(): -EAGAIN if @ctx has no events,
 * or an event could not be inherited, for example because it is being removed; -ENOMEM; -EINTR
 * after a fatal signal; or an error of a PMU
 */
struct perf_event_context *perf_shared_ctx_alloc(struct perf_event_context *ctx)
{
	struct perf_event *first = list_first_entry_or_null(&ctx->event_list, struct perf_event,
							    event_entry);
	struct fork_args args = { .clone_flags = CLONE_THREAD };
	int err;

	lockdep_assert_held(&ctx->mutex);
	if (!first)
		return ERR_PTR(-EAGAIN);
	args.task = perf_event_parent(first)->hw.target;
	args.ctx = perf_context_alloc(args.task, GFP_KERNEL_ACCOUNT);
	if (!args.ctx)
		return ERR_PTR(-ENOMEM);
	lockdep_set_class(&args.ctx->mutex, &perf_shared_ctx_mutex_key);
	args.ctx->is_shared = true;
	mutex_lock(&args.ctx->mutex);
	err = perf_inherit_all_groups(&args, ctx);
	/* The shared context can replace @ctx only if each event of @ctx was inherited. */
	if (!err && args.ctx->nr_events != ctx->nr_events)
		err = -EAGAIN;
	mutex_unlock(&args.ctx->mutex);
	if (!err)
		return args.ctx;
	perf_shared_ctx_free(args.ctx);
	return ERR_PTR(err);
}
