// SPDX-License-Identifier: GPL-2.0
/*
 * What happens to a task's events at fork, exec and exit.
 *
 * A family is an event that somebody opened (its root) and the copies that
 * forks have made of it. Copies of copies belong to the root. Its lock
 * protects the list of copies, and the moment in which the count of one that
 * exits becomes part of the root's.
 */
#include <linux/hash.h>
#include <linux/sched/task.h>

#include "buffer.h"
#include "context.h"
#include "event.h"
#include "inherit.h"
#include "internal.h"
#include "record.h"
#include "sources.h"

#define FAMILY_LOCK_BITS	6

/* see perf_family_lock() */
static struct mutex family_locks[1 << FAMILY_LOCK_BITS];

/**
 * perf_family_lock - the lock of a family of inherited events
 * @root: the event that was opened
 *
 * Several families may share it. Inside of ctx->mutex.
 */
struct mutex *perf_family_lock(const struct perf_event *root)
{
	/* One for the whole context: a copy of a group is looked at as a whole. */
	return &family_locks[hash_ptr(root->ctx, FAMILY_LOCK_BITS)];
}

/**
 * perf_family_init - at boot
 */
void __init perf_family_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(family_locks); i++)
		mutex_init(&family_locks[i]);
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
	guard(mutex)(perf_family_lock(event));
	for_each_copy(child, event)
		func(child);
}

/* The first copy, with a reference. */
static struct perf_event *first_child(struct perf_event *root)
{
	struct mutex *lock = perf_family_lock(root);
	struct perf_event *child;

	mutex_lock(lock);
	child = list_first_entry_or_null(&root->child_list, struct perf_event, child_list);
	if (child)
		perf_event_hold(child);
	mutex_unlock(lock);
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
	struct perf_event_context *ctx;
	struct perf_event *child;

	if (!event->attr.inherit || event->parent)
		return;
	while ((child = first_child(event))) {
		ctx = perf_event_ctx_lock(child);
		mutex_lock(perf_family_lock(event));
		/* Unless its task has exited meanwhile. */
		if (!list_empty(&child->child_list)) {
			list_del_init(&child->child_list);
			perf_event_clear_aux_output(child);
			perf_event_detach(child, PERF_EVENT_STATE_DEAD);
		}
		mutex_unlock(perf_family_lock(event));
		perf_event_ctx_unlock(child, ctx);
		perf_overflow_cancel(child);
		perf_event_put(child);
	}
}

/* fork */

/**
 * struct fork_args - a fork in progress
 * @child: the new task, not running yet
 * @clone_flags: of the fork
 * @ctx: its context, NULL until the first event is inherited
 */
struct fork_args {
	struct task_struct		*child;
	u64				clone_flags;
	struct perf_event_context	*ctx;
};

static bool is_inherited(const struct perf_event *leader, u64 clone_flags)
{
	const struct perf_event_attr *attr = &leader->attr;

	if (!attr->inherit || leader->state <= PERF_EVENT_STATE_EXIT)
		return false;
	if (attr->inherit_thread && !(clone_flags & CLONE_THREAD))
		return false;
	/* A handler that the child does not have cannot take the signal. */
	return !(attr->sigtrap && (clone_flags & CLONE_CLEAR_SIGHAND));
}

/*
 * One event. @leader is the copy of the group's leader, NULL for the leader
 * itself. Return: the copy, NULL when the root has been closed, or an error.
 */
static struct perf_event *inherit_event(struct fork_args *args, struct perf_event *event,
					struct perf_event *leader)
{
	struct perf_event *root = event->parent ?: event;
	struct perf_event *child;
	int err;

	child = perf_event_alloc(&event->attr, event->cpu, args->child, leader, root,
				 NULL, NULL, -1);
	/* An event whose PMU is going has no future in the child. */
	if (child == ERR_PTR(-ENODEV))
		return NULL;
	if (IS_ERR(child))
		return child;

	refcount_inc(&args->ctx->refcount);
	child->ctx = args->ctx;
	child->state = event->state >= PERF_EVENT_STATE_INACTIVE ?
		       PERF_EVENT_STATE_INACTIVE : PERF_EVENT_STATE_OFF;
	if (event->attr.freq) {
		u64 period = event->hw.sample_period;

		child->hw.sample_period = period;
		child->hw.last_period = period;
		local64_set(&child->hw.period_left, event->event_caps & PERF_EV_CAP_RESIDENT ?
						    -(s64)period : period);
	}
	if (perf_event_needs_aux(event) && !perf_event_set_aux_output(child, leader ?: child)) {
		err = -EINVAL;
		goto put_child;
	}

	mutex_lock(perf_family_lock(root));
	if (READ_ONCE(root->state) <= PERF_EVENT_STATE_DEAD) {
		mutex_unlock(perf_family_lock(root));
		err = 0;
		goto put_child;
	}
	err = perf_event_attach(child);
	if (!err) {
		child->attach_state |= PERF_ATTACH_CHILD;
		list_add_tail(&child->child_list, &root->child_list);
	}
	mutex_unlock(perf_family_lock(root));
	if (err)
		goto put_child;
	/* The context keeps it from here on. */
	perf_event_put(child);
	return child;

put_child:
	perf_event_clear_aux_output(child);
	child->group_leader = child;
	perf_event_put(child);
	return ERR_PTR(err);	/* NULL for 0 */
}

static int inherit_group(struct fork_args *args, struct perf_event *leader)
{
	struct perf_event *child_leader, *child, *member;

	if (!args->ctx) {
		args->ctx = perf_context_alloc(args->child);
		if (!args->ctx)
			return -ENOMEM;
		/* Nobody else knows it: order does not matter. */
		mutex_lock_nested(&args->ctx->mutex, SINGLE_DEPTH_NESTING);
	}
	child_leader = inherit_event(args, leader, NULL);
	if (IS_ERR_OR_NULL(child_leader))
		return PTR_ERR_OR_ZERO(child_leader);
	for_each_sibling_event(member, leader) {
		child = inherit_event(args, member, child_leader);
		if (IS_ERR(child))
			return PTR_ERR(child);
	}
	return 0;
}

static int inherit_groups(struct fork_args *args, struct perf_event_context *ctx)
{
	struct perf_event *leader;
	int err = 0;

	for_each_event(leader, ctx) {
		if (leader->group_leader != leader || !is_inherited(leader, args->clone_flags))
			continue;
		err = inherit_group(args, leader);
		if (err)
			break;
	}
	if (args->ctx) {
		mutex_unlock(&args->ctx->mutex);
		args->child->perf_event_ctxp = args->ctx;
	}
	return err;
}

/**
 * perf_event_init_task - give a new task its copies of inherited events
 * @child: being made by current, not running yet
 * @clone_flags: CLONE_*
 *
 * May sleep. Return: 0 or an error, with nothing left to undo.
 */
int perf_event_init_task(struct task_struct *child, u64 clone_flags)
{
	struct fork_args args = { .child = child, .clone_flags = clone_flags };
	struct perf_event_context *ctx;
	int err;

	/* What it has now are copies of its parent's. */
	child->perf_event_ctxp = NULL;
	memset(child->perf_recursion, 0, PERF_NR_CONTEXTS);
	INIT_LIST_HEAD(&child->perf_event_list);
	mutex_init(&child->perf_event_mutex);

	/* Set and cleared by current alone, or by an opener, who adds to it. */
	rcu_read_lock();
	ctx = perf_task_context(current);
	if (ctx && (!READ_ONCE(ctx->nr_events) || !refcount_inc_not_zero(&ctx->refcount)))
		ctx = NULL;
	rcu_read_unlock();
	if (!ctx)
		return 0;

	scoped_guard(mutex, &ctx->mutex)
		err = inherit_groups(&args, ctx);
	perf_context_put(ctx);

	if (err)
		perf_event_free_task(child);
	return err;
}

/* exit */

/* Make a copy's count part of the root's; the family's lock is held. */
static void fold_child(struct perf_event *child)
{
	struct perf_event *root = child->parent;
	u64 enabled, running;

	perf_event_times(child, &enabled, &running);
	atomic64_add(perf_event_count(child), &root->child_count);
	atomic64_add(enabled, &root->child_total_time_enabled);
	atomic64_add(running, &root->child_total_time_running);
	atomic64_add(atomic64_read(&child->lost_samples), &root->lost_samples);
}

static void exit_child(struct perf_event *child, struct task_struct *task)
{
	struct mutex *lock = perf_family_lock(child->parent);

	perf_event_hold(child);
	mutex_lock(lock);
	if (!list_empty(&child->child_list)) {
		if (task && child->attr.inherit_stat)
			perf_read_record(child, task);
		perf_event_clear_aux_output(child);
		perf_event_detach_at_exit(child, PERF_EVENT_STATE_DEAD, false);
		fold_child(child);
		/* Pairs with perf_event_read_value(): gone from the list, it has been added. */
		smp_wmb();
		list_del_init(&child->child_list);
	}
	mutex_unlock(lock);
	perf_overflow_cancel(child);
	perf_event_put(child);
}

static void exit_event(struct perf_event *event, struct task_struct *task)
{
	if (event->parent) {
		exit_child(event, task);
		return;
	}
	/* Its group can still be read. */
	perf_event_detach_at_exit(event, PERF_EVENT_STATE_EXIT, true);
	perf_overflow_cancel(event);
	if (event->cold)
		perf_event_wakeup(event);
}

/* Take the context from its task; from here on it does not run. */
static void part_with_task(struct perf_event_context *ctx, struct task_struct *task)
{
	struct perf_cpu_context *cpuctx;

	local_irq_disable();
	cpuctx = this_cpu_context();
	perf_context_lock_cpu(cpuctx, ctx);
	if (task == current) {
		perf_context_sched_out_all(ctx);
		if (cpuctx->task_ctx == ctx)
			cpuctx->task_ctx = NULL;
		if (ctx->clock.cpu >= 0)
			perf_clock_stop(&ctx->clock, ctx->now);
	}
	WARN_ON_ONCE(ctx->clock.cpu >= 0);
	WRITE_ONCE(task->perf_event_ctxp, NULL);
	WRITE_ONCE(ctx->task, PERF_TASK_GONE);
	perf_context_unlock_cpu(cpuctx, ctx);
	local_irq_enable();
	put_task_struct(task);
}

static void exit_context(struct task_struct *task, bool ran)
{
	struct perf_event_context *ctx = perf_task_context(task);
	struct perf_event *event, *next;

	if (!ctx) {
		if (ran)
			perf_task_exit_record(task, NULL);
		return;
	}

	/* The reference of task->perf_event_ctxp is ours now. */
	scoped_guard(mutex, &ctx->mutex) {
		part_with_task(ctx, task);
		if (ran)
			perf_task_exit_record(task, ctx);
		for_each_event_safe(event, next, ctx)
			exit_event(event, ran ? task : NULL);
	}
	perf_context_put(ctx);
}

/**
 * perf_event_exit_task - a task exits, or execs what it may not watch
 * @task: current
 *
 * Its events stop for ever; inherited ones give their counts to the root.
 * May sleep.
 */
void perf_event_exit_task(struct task_struct *task)
{
	perf_event_disown_all(task);
	exit_context(task, true);
}

/**
 * perf_event_free_task - a fork failed after perf_event_init_task()
 * @task: that never ran
 */
void perf_event_free_task(struct task_struct *task)
{
	exit_context(task, false);
}

/**
 * perf_event_delayed_put - a task that has exited is freed
 * @task: the task
 */
void perf_event_delayed_put(struct task_struct *task)
{
	WARN_ON_ONCE(task->perf_event_ctxp);
}

/* exec */

static void exec_event(struct perf_event *event)
{
	if (event->attr.remove_on_exec) {
		if (event->parent) {
			exit_child(event, NULL);
			return;
		}
		perf_event_hold(event);
		perf_event_detach(event, PERF_EVENT_STATE_EXIT);
		perf_overflow_cancel(event);
		if (event->cold)
			perf_event_wakeup(event);
		perf_event_put(event);
		return;
	}
	if (event->attr.enable_on_exec) {
		event->attr.enable_on_exec = 0;
		perf_event_turn_on(event);
	}
}

/**
 * perf_event_exec - current runs a new program from here on
 *
 * May sleep.
 */
void perf_event_exec(void)
{
	struct perf_event_context *ctx = perf_task_context(current);
	struct perf_event *event, *next;

	perf_addr_filters_exec();
	if (!ctx)
		return;
	guard(mutex)(&ctx->mutex);
	for_each_event_safe(event, next, ctx)
		exec_event(event);
}
