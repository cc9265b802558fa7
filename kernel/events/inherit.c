// SPDX-License-Identifier: GPL-2.0
/*
 * A fork copies the task's events. Families of copies are family.c's, their end
 * exit.c's.
 */
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "context.h"
#include "delay.h"
#include "event.h"
#include "event_id.h"
#include "family.h"
#include "group.h"
#include "internal.h"
#include "read.h"
#include "record/aux.h"
#include "residence.h"
#include "sched.h"
#include "source/addr_filter.h"
#include "source/breakpoint.h"
#include "source/software.h"
#include "throttle.h"
#include "time.h"
#include "time_seq.h"
#include "turn.h"

/**
 * struct fork_args - a fork in progress
 * @child: the new task, not running yet
 * @clone_flags: CLONE_* of the fork
 * @ctx: context of @child, NULL until the first event is inherited
 * @expected: number of the parent's events that have not been looked at
 * @nr_copies: number of plain copies, which become known to their families at the
 *	end; until then their references to @ctx have not been taken
 * @next_id: the first of the ids that have been taken for copies; 0: none yet
 * @nr_ids: how many of these are left
 * @nr_spare: number of entries in @spare
 * @spare: memory for plain copies
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
	/* The event's leader is gone, and drivers refuse such an event as a leader. */
	if (leader->event_caps & PERF_EV_CAP_SIBLING)
		return false;
	if (attr->inherit_thread && !(clone_flags & CLONE_THREAD))
		return false;
	/* A handler that the child does not have cannot take the signal. */
	return !(attr->sigtrap && (clone_flags & CLONE_CLEAR_SIGHAND));
}

/* The id of the next copy, higher than that of the one before. */
static u64 perf_inherit_next_id(struct fork_args *args)
{
	if (!args->next_id) {
		args->nr_ids = args->expected;
		args->next_id = perf_event_id_take(args->nr_ids);
	}
	/* More copies than events are made only if one has to be made again. */
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
 * Attach a plain copy. In a context that the caller alone knows, this is all that
 * perf_event_attach() would do, but for the state, which
 * perf_inherit_begin_copy() sets.
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

/* perf_inherit_event() for an event of a group whose copies are plain. */
static struct perf_event *perf_inherit_plain(struct fork_args *args, struct perf_event *event,
					     struct perf_event *leader)
{
	struct perf_event *copy = perf_inherit_take_spare(args);

	if (!copy)
		return ERR_PTR(-ENOMEM);
	perf_event_init_copy(copy, event, args->ctx, leader, perf_inherit_next_id(args));
	perf_event_hold(copy->parent);
	perf_inherit_attach_copy(copy);
	copy->copied_from = event;
	args->nr_copies++;
	return copy;
}

/*
 * Give a plain copy, which is off, the state that its event has now; its leader has got
 * its state before. The caller holds the family's lock, so that enabling or disabling the
 * family either comes before this or finds the copy. The context clock has never run
 * and the times of the copy are 0.
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
 * Drop a copy that does not become part of its family, because its root has been
 * closed or because it has to be made anew. If it led a group, the members go on
 * alone.
 */
static void perf_inherit_discard_copy(struct perf_event *copy)
{
	perf_event_hold(copy);
	scoped_guard(mutex, perf_family_lock(copy->parent))
		perf_family_remove(copy);
	perf_event_put(copy);
}

/*
 * Add all plain copies to their families. The members of a group have one lock, so that
 * the whole group is added at once.
 */
static void perf_inherit_link_plain(struct fork_args *args)
{
	struct perf_event *copy, *next;
	struct mutex *family = NULL;
	unsigned int n = 0;

	if (!args->nr_copies)
		return;
	/*
	 * A task that finds a copy through its family waits for ctx->mutex, held here,
	 * before it drops a reference to the context: these are in time.
	 */
	refcount_add(args->nr_copies, &args->ctx->refcount);
	for_each_event_safe(copy, next, args->ctx) {
		if (!(copy->event_flags & PERF_EVENT_PLAIN_COPY))
			continue;
		if (++n % PERF_COPIES_AT_ONCE == 0)
			cond_resched();
		family = perf_family_change(family, copy->parent);
		perf_inherit_begin_copy(copy);
		if (unlikely(perf_inherit_root_is_closed(copy))) {
			family = perf_family_change(family, NULL);
			perf_inherit_discard_copy(copy);
			continue;
		}
		list_add(&copy->child_list, perf_event_copies(copy->parent));
	}
	perf_family_change(family, NULL);
}

static void perf_inherit_drop_copy(struct perf_event *copy)
{
	perf_event_clear_aux_output(copy);
	copy->group_leader = copy;
	perf_event_put(copy);
}

/* Return: a copy that the caller alone knows, NULL when its PMU is going, or an error. */
static struct perf_event *perf_inherit_make_copy(struct fork_args *args, struct perf_event *event,
						 struct perf_event *leader,
						 struct perf_event_attr *attr)
{
	struct perf_event *copy;

	copy = perf_event_alloc(attr, event->cpu, args->child, leader, perf_event_root(event),
				NULL, NULL, -1);
	/* There is no copy of an event whose PMU is going. */
	if (copy == ERR_PTR(-ENODEV))
		return NULL;
	if (IS_ERR(copy))
		return copy;
	copy->id = perf_inherit_next_id(args);

	refcount_inc(&args->ctx->refcount);
	/* A PMU that goes does not revoke a copy by itself. */
	WARN_ON_ONCE(perf_event_set_context(copy, args->ctx));
	if (attr->freq) {
		u64 period = event->hw.sample_period;

		copy->hw.sample_period = period;
		copy->hw.last_period = period;
		local64_set(&copy->hw.period_left,
			    perf_event_counts_up(copy) ? -(s64)period : period);
	}
	/* If the AUX area's event has been closed, event and copy go on without it. */
	if (event->aux_event && !perf_event_set_aux_output(copy, leader ?: copy)) {
		perf_inherit_drop_copy(copy);
		return ERR_PTR(-EINVAL);
	}
	return copy;
}

/*
 * Copy an event's attr. A breakpoint's may be modified meanwhile: a copy's attr with the
 * family's lock held.
 */
static void perf_inherit_copy_attr(struct perf_event_attr *attr, const struct perf_event *event)
{
	/* A root's attr is modified with the mutex of its context, which is held here. */
	struct mutex *family = perf_family_change(NULL, event->parent);

	*attr = event->attr;
	perf_family_change(family, NULL);
}

/*
 * Copy one event. @leader is the copy of the group's leader, NULL for the leader
 * itself. Return: the copy, which its family does not know yet, NULL when its
 * PMU is going, or an error.
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
	/* The context keeps it from here on. */
	perf_event_put(copy);
	return copy;
}

/*
 * The copy after @copy in the group of copies, or NULL. It need not be the copy of
 * the next member: that may not have been made.
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

/* Has the breakpoint been modified since its copy was made? The family's lock is held. */
static bool perf_inherit_is_modified(const struct perf_event *event, const struct perf_event *copy)
{
	return event->attr.type == PERF_TYPE_BREAKPOINT &&
	       !perf_breakpoint_same_settings(&event->attr, &copy->attr);
}

/* Add one copy of a group to its family, whose lock is held. */
static void perf_inherit_link_event(struct perf_event *copy, struct perf_event *event)
{
	bool is_on = copy->state >= PERF_EVENT_STATE_INACTIVE;
	bool on = event->state >= PERF_EVENT_STATE_INACTIVE;

	if (perf_inherit_root_is_closed(copy))
		return;
	if (on && !is_on)
		perf_event_turn_on(copy);
	else if (!on && is_on)
		perf_event_turn_off(copy);
	perf_addr_filters_inherit(copy, event);
	list_add(&copy->child_list, perf_event_copies(copy->parent));
}

/*
 * Add a group of copies to its families at once. Return: false, with nothing added, when
 * an event of the group has been modified since it was copied.
 */
static bool perf_inherit_link_group(struct perf_event *copy_leader, struct perf_event *leader)
{
	struct perf_event *member, *copy;

	guard(mutex)(perf_family_lock(copy_leader->parent));
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
 * Drop the copies of a group that perf_inherit_link_group() has not added: all
 * of them, or those whose root has been closed.
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

/* Can all events of the group have plain copies? perf_event_can_be_plain() in event.c says when. */
static bool perf_inherit_group_is_plain(struct perf_event *leader)
{
	struct perf_event *member;

	if (!is_resident(leader) || !perf_event_is_plain(leader))
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
 * Make the child's context, unless there is one, and the lock of the families to which
 * the first copies of a context's events belong.
 */
static int perf_inherit_prepare_families(struct fork_args *args, struct perf_event *leader)
{
	if (!args->ctx) {
		args->ctx = perf_context_alloc(args->child, GFP_KERNEL);
		if (!args->ctx)
			return -ENOMEM;
		/* The caller alone knows the context: nothing holds its mutex. */
		if (WARN_ON_ONCE(!mutex_trylock(&args->ctx->mutex)))
			return -EAGAIN;
	}
	return leader->parent || likely(leader->ctx->family) ? 0 :
	       perf_family_prepare(leader->ctx);
}

/*
 * Copy a group. Return: the copy of its leader, NULL for none, or an error, with nothing left that
 * its family will not know.
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
	/* Plain copies have the layout of what they are copied from. */
	if (!plain)
		perf_group_complete(copy_leader);
	if (!IS_ERR(copy))
		return copy_leader;
	/* A context is emptied through the families, of which plain copies become part yet. */
	if (!plain)
		perf_inherit_discard_unlinked(copy_leader);
	return copy;
}

static int perf_inherit_group(struct fork_args *args, struct perf_event *leader)
{
	bool plain = perf_inherit_group_is_plain(leader);
	struct perf_event *copy_leader;
	int err;

	err = perf_inherit_prepare_families(args, leader);
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
		/* A task that modifies the event all the time could keep the fork for ever. */
		if (fatal_signal_pending(current))
			return -EINTR;
	}
}

/* Copy the events of a context and add the copies to their families. */
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
		perf_inherit_link_plain(args);
	return err;
}

static int perf_inherit_groups(struct fork_args *args, struct perf_event_context *ctx)
{
	int err = perf_inherit_copy_groups(args, ctx);

	if (args->ctx) {
		if (!err)
			perf_clones_join(ctx, args->ctx);
		mutex_unlock(&args->ctx->mutex);
		/* The context is complete before a tracepoint about the task can see it. */
		smp_store_release(&args->child->perf_event_ctxp, args->ctx);
	}
	return err;
}

/**
 * perf_event_init_task - give a new task its copies of inherited events
 * @child: the new task, which current makes and which does not run yet
 * @clone_flags: CLONE_*
 *
 * May sleep. Return: 0 or an error, with nothing left to undo.
 */
int perf_event_init_task(struct task_struct *child, u64 clone_flags)
{
	struct fork_args args = { .child = child, .clone_flags = clone_flags };
	struct perf_event_context *ctx;
	int err;

	/* The task has been copied from its parent: these fields are the parent's. */
	child->perf_event_ctxp = NULL;
	child->perf_refused = NULL;
	memset(child->perf_recursion, 0, PERF_NR_CONTEXTS);
	INIT_LIST_HEAD(&child->perf_event_list);
	mutex_init(&child->perf_event_mutex);

	/* Only current itself clears this; an event that is just opened may be missed. */
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

/* Lock class of residences: their mutex is taken inside of a task context's. */
static struct lock_class_key perf_inherit_clone_mutex_key;

/**
 * perf_context_clone - make a context with copies of all events of another one
 * @ctx: context of a task, all events of which are inherited; its mutex is held
 *
 * The new context is a residence that runs on no CPU yet. Its copies have the task
 * of their root for a target. May sleep.
 * Return: the context, to be dropped with perf_context_end_clone(), or an error:
 * -EAGAIN when an event has gone meanwhile, -ENOMEM, -EINTR for a fatal signal, or
 * what a PMU says.
 */
struct perf_event_context *perf_context_clone(struct perf_event_context *ctx)
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
	lockdep_set_class(&args.ctx->mutex, &perf_inherit_clone_mutex_key);
	args.ctx->residence = true;
	mutex_lock(&args.ctx->mutex);
	err = perf_inherit_copy_groups(&args, ctx);
	/* A context that lacks an event is no clone. */
	if (!err && args.ctx->nr_events != ctx->nr_events)
		err = -EAGAIN;
	mutex_unlock(&args.ctx->mutex);
	if (!err)
		return args.ctx;
	perf_context_end_clone(args.ctx);
	return ERR_PTR(err);
}
