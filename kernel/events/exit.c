// SPDX-License-Identifier: GPL-2.0
/* A task's events at exit and exec, and the removal of inherited events */
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "child_cache.h"
#include "cold.h"
#include "context.h"
#include "delay.h"
#include "enable.h"
#include "event.h"
#include "exit.h"
#include "group.h"
#include "inherit_list.h"
#include "internal.h"
#include "overflow.h"
#include "read.h"
#include "record/aux.h"
#include "record/buffer.h"
#include "record/sideband_task.h"
#include "record/values.h"
#include "sched.h"
#include "shared_ctx.h"
#include "source/addr_filter.h"
#include "time.h"
#include "time_seq.h"

/*
 * Add @more to a sum over removed inherited events. Only holders of the inherit lock write the sum,
 * so no locked instruction is needed. Readers take no lock.
 */
static __always_inline void perf_exit_add(atomic64_t *sum, u64 more)
{
	atomic64_set(sum, atomic64_read(sum) + more);
}

/*
 * Remove an inherited event that does not count any more from its parent event's list, and add its
 * count and times in ns to the parent event's sums. The inherit lock is held.
 */
static __always_inline void perf_exit_fold_child(struct perf_event *child, u64 enabled, u64 running)
{
	struct perf_event_cold *sum = child->parent->cold;

	perf_child_uncache(child);
	/* An inherited event has no gone_count, so its own count is its whole count. */
	perf_exit_add(&sum->gone_count, perf_event_own_count(child));
	perf_exit_add(&sum->gone_enabled, enabled);
	perf_exit_add(&sum->gone_running, running);
	if (child->cold)
		atomic64_add(perf_event_lost(child), &sum->lost_samples);
	/* Pairs with perf_read_inherited(): an event that is not in the list is in the sums. */
	smp_wmb();
	perf_delay(CHILD_FOLDED);
	list_del_init(&child->child_list);
}

/* Remove an inherited event, and add its count to the parent event's. The inherit lock is held. */
static void perf_exit_unlink_child(struct perf_event *child)
{
	u64 enabled, running;

	lockdep_assert_held(&child->ctx->mutex);
	lockdep_assert_held(perf_inherit_lock(child->parent));
	/* @child leaves its parent event's list and its context with both locks held. */
	WARN_ON_ONCE(!(child->attach_state & PERF_ATTACH_CONTEXT));
	perf_child_uncache(child);
	perf_event_clear_aux_output(child);
	/* At exec the context remains in use, so @child may have to be scheduled out. */
	perf_event_detach(child, PERF_EVENT_STATE_DEAD);
	perf_event_times(child, &enabled, &running);
	perf_exit_fold_child(child, enabled, running);
}

/* Wake the tasks that poll @parent's buffer if the last inherited event was removed. */
static void perf_exit_wake_parent(struct perf_event *parent)
{
	if (!list_empty_careful(perf_event_children(parent)))
		return;
	/* Pairs with perf_event_is_over(): it sees the empty list, or this CPU sees the buffer. */
	smp_mb();
	if (rcu_access_pointer(parent->rb))
		perf_event_wakeup(parent);
}

/*
 * perf_exit_unlink_child() for an event of an inherited group, completed by perf_exit_put_left().
 * The inherit lock is held for the whole group, so a reader sees all of its events or none.
 */
static void perf_exit_leave_later(struct perf_event *child, struct list_head *left)
{
	perf_event_get_ref(child);
	if (perf_child_unlink(child, perf_exit_unlink_child))
		list_add_tail(&child->left_entry, left);
	else
		perf_event_put(child);
}

/* Complete perf_exit_unlink_child() for many events, without the inherit lock. */
static void perf_exit_put_left(struct list_head *left)
{
	struct perf_event *child, *next;
	unsigned int n = 0;
	LIST_HEAD(released);

	list_for_each_entry_safe(child, next, left, left_entry) {
		list_del_init(&child->left_entry);
		perf_child_unlink_finish(child);
		perf_exit_wake_parent(child->parent);
		perf_event_put_child(child, &released);
		if (++n % PERF_CHILDREN_AT_ONCE)
			continue;
		perf_event_free_released(&released);
		cond_resched();
	}
	perf_event_free_released(&released);
}

/**
 * perf_shared_ctx_free - undo perf_shared_ctx_alloc()
 * @ctx: the shared context (see shared_ctx.h), which is scheduled out and not used again
 *
 * The counts of its events are added to the counts of their parent events.
 *
 * Context: may sleep.
 */
void perf_shared_ctx_free(struct perf_event_context *ctx)
{
	struct perf_event *event, *next;
	struct mutex *held = NULL;
	LIST_HEAD(left);

	WARN_ON_ONCE(perf_clock_cpu(&ctx->clock) >= 0);
	scoped_guard(mutex, &ctx->mutex) {
		for_each_event_safe(event, next, ctx) {
			held = perf_inherit_lock_switch(held, event->parent);
			perf_exit_leave_later(event, &left);
			cond_resched();
		}
		perf_inherit_lock_switch(held, NULL);
		WARN_ON_ONCE(!list_empty(&ctx->event_list));
	}
	perf_exit_put_left(&left);
	perf_context_put(ctx);
}

/**
 * perf_children_revoke - remove all events inherited from an event of an unregistered PMU
 * @parent: the event, which is dead
 *
 * The counts of the inherited events are added to that of @parent.
 *
 * Context: may sleep; no mutex of a context and no inherit lock is held.
 */
void perf_children_revoke(struct perf_event *parent)
{
	perf_children_unlink_all(parent, perf_exit_unlink_child);
}

/*
 * Remove a PERF_EVENT_PLAIN_CHILD event from its parent event's list and its context, at the exit
 * of its task. The context clock is stopped. @child can only be found in the parent event's list,
 * and the inherit lock is held, so ctx->lock is not needed. The links of its group need no change,
 * because the whole group is removed.
 */
static void perf_exit_child(struct perf_event *child)
{
	struct perf_event_context *ctx = child->ctx;
	struct perf_times times;

	perf_times_at(child, atomic64_read(&ctx->clock.time), &times);
	perf_exit_fold_child(child, times.enabled, times.running);
	perf_delay(CHILD_LEFT);
	perf_exit_wake_parent(child->parent);
	list_del_rcu(&child->event_entry);
	ctx->nr_events--;
	WRITE_ONCE(child->state, PERF_EVENT_STATE_DEAD);
}

/*
 * perf_exit_unlink_child() at the exit of the task: the context's clock is stopped, and the whole
 * group is removed.
 */
static void perf_exit_other_child(struct perf_event *child)
{
	struct perf_event_context *ctx = child->ctx;
	struct perf_times times;

	perf_event_clear_aux_output(child);
	perf_event_detach_at_exit(child, PERF_EVENT_STATE_DEAD);
	perf_times_at(child, atomic64_read(&ctx->clock.time), &times);
	perf_exit_fold_child(child, times.enabled, times.running);
}

/*
 * Drop the references to the inherited events that perf_exit_child() has removed. An event without
 * other references is freed without a grace period: only event sites of the exiting task use the
 * event without a reference, and the task is in no event site. If tracepoints of other tasks may
 * have walked the context (ctx->walked), the events are freed after a grace period.
 */
static void perf_exit_put_children(struct perf_event_context *ctx, struct list_head *gone)
{
	struct perf_event *batch[PERF_CHILDREN_AT_ONCE], *child, *next;
	unsigned int freed = 0;

	list_for_each_entry_safe(child, next, gone, gone_entry) {
		if (ctx->walked || !refcount_dec_and_test(&child->refcount)) {
			if (ctx->walked)
				perf_event_put(child);
			continue;
		}
		perf_event_put(child->parent);
		batch[freed++ % PERF_CHILDREN_AT_ONCE] = child;
		if (freed % PERF_CHILDREN_AT_ONCE == 0) {
			perf_event_free_children(batch, PERF_CHILDREN_AT_ONCE);
			cond_resched();
		}
	}
	perf_event_free_children(batch, freed % PERF_CHILDREN_AT_ONCE);
	/* The caller has a reference of its own, so this does not drop the last one. */
	if (freed)
		WARN_ON_ONCE(refcount_sub_and_test(freed, &ctx->refcount));
}

static void perf_exit_opened(struct perf_event *event)
{
	/* The event stays in its group, which can still be read. */
	perf_event_detach_at_exit(event, PERF_EVENT_STATE_EXIT);
	perf_overflow_cancel(event);
	if (event->cold)
		perf_event_wakeup(event);
	perf_event_put(event);
}

/* Write PERF_RECORD_READ of inherited events (attr.inherit_stat) while groups are complete. */
static void perf_exit_read_records(struct perf_event_context *ctx, struct task_struct *task)
{
	struct perf_event *event;

	for_each_event(event, ctx) {
		if (event->parent && event->attr.inherit_stat)
			perf_read_record(event, task);
	}
}

/*
 * An inherited event in @ctx->event_list is in its parent event's list, too, and is removed from
 * both lists with ctx->mutex and the inherit lock held.
 */
static void perf_exit_events(struct perf_event_context *ctx, struct list_head *gone)
{
	struct perf_event *event, *next;
	struct mutex *held = NULL;
	unsigned int n = 0;
	LIST_HEAD(left);

	for_each_event_safe(event, next, ctx) {
		if (++n % PERF_CHILDREN_AT_ONCE == 0)
			cond_resched();
		if (event->event_flags & PERF_EVENT_PLAIN_CHILD) {
			held = perf_inherit_lock_switch(held, event->parent);
			if (perf_child_unlink(event, perf_exit_child))
				list_add_tail(&event->gone_entry, gone);
		} else if (event->parent) {
			held = perf_inherit_lock_switch(held, event->parent);
			if (perf_child_unlink(event, perf_exit_other_child))
				list_add_tail(&event->left_entry, &left);
		} else {
			held = perf_inherit_lock_switch(held, NULL);
			perf_exit_opened(event);
		}
	}
	perf_inherit_lock_switch(held, NULL);
	WARN_ON_ONCE(!list_empty(&ctx->event_list));
	perf_exit_put_left(&left);
}

/* Clear task->perf_event_ctxp, so that the context is never scheduled in again. */
static void perf_exit_put_task(struct perf_event_context *ctx, struct task_struct *task)
{
	struct perf_event_context *here = ctx;
	struct perf_cpu_context *cpuctx;

	local_irq_disable();
	cpuctx = this_cpu_context();
	/* The shared context that replaces @ctx must stop counting, too. */
	if (task == current && cpuctx->shared_ctx)
		here = cpuctx->shared_ctx;
	if (cpuctx->task_ctx == here)
		perf_context_sched_out_now(cpuctx, here);
	raw_spin_lock(&ctx->lock);
	perf_context_stop(ctx);
	/* If a shared context has counted instead, the context's own clock is outdated. */
	WRITE_ONCE(ctx->now, here == ctx ? perf_clock_stopped(&ctx->clock) : perf_clock());
	WRITE_ONCE(task->perf_event_ctxp, NULL);
	WRITE_ONCE(ctx->task, PERF_TASK_GONE);
	raw_spin_unlock(&ctx->lock);
	local_irq_enable();
	put_task_struct(task);
}

static void perf_exit_context(struct task_struct *task, bool ran)
{
	struct perf_event_context *ctx = perf_task_context(task);
	struct perf_ctx_set *ctx_set;
	LIST_HEAD(gone);

	if (!ctx) {
		if (ran)
			perf_task_exit_record(task, NULL);
		return;
	}

	/* perf_exit_put_task() clears task->perf_event_ctxp, whose reference is dropped below. */
	scoped_guard(mutex, &ctx->mutex) {
		perf_exit_put_task(ctx, task);
		if (ran) {
			perf_task_exit_record(task, ctx);
			perf_exit_read_records(ctx, task);
		}
		perf_exit_events(ctx, &gone);
		ctx_set = ctx->ctx_set;
		WRITE_ONCE(ctx->ctx_set, NULL);
	}
	perf_exit_put_children(ctx, &gone);
	perf_ctx_set_put(ctx_set);
	perf_context_put(ctx);
}

/**
 * perf_event_exit_task - remove a task's events
 * @task: current, which exits, or executes a program that is not dumpable
 *
 * The task's events stop permanently. The counts of inherited events are added to those of their
 * parent events.
 *
 * Context: may sleep.
 */
void perf_event_exit_task(struct task_struct *task)
{
	perf_delay(CALL_EXIT);
	perf_task_unlink_events(task);
	perf_exit_context(task, true);
}

/**
 * perf_event_free_task - undo perf_event_init_task() after a failed fork
 * @task: the task, which never ran; the caller frees it, regardless of its references
 *
 * Some events are freed only after a grace period.
 *
 * Context: may sleep.
 */
void perf_event_free_task(struct task_struct *task)
{
	perf_exit_context(task, false);
	/*
	 * The task was never visible by its PID, so only its events have references to the task.
	 * All of these events are inherited and have no files: references to them are held by RCU
	 * callbacks, pending interrupts and workers, readers of the parent event, and the close of
	 * the parent event. Each holder drops its reference in bounded time, and none waits for a
	 * fork: see late_events_wq.
	 */
	while (refcount_read(&task->usage) > 1)
		schedule_timeout_uninterruptible(1);
}

/**
 * perf_event_delayed_put - check that a task that is being freed has no context
 * @task: the task; @task->perf_refused is freed, too
 */
void perf_event_delayed_put(struct task_struct *task)
{
	WARN_ON_ONCE(task->perf_event_ctxp);
	kfree(task->perf_refused);
}

/* exec */

/**
 * perf_groups_exec_begin - begin to change many events of current
 * @ctx: the context of current; its mutex is held, so PMUs are not added
 *
 * Until perf_groups_exec_end(), changed groups may wait although they would fit by priority.
 *
 * Context: takes ctx->lock; interrupts are on.
 */
void perf_groups_exec_begin(struct perf_event_context *ctx)
{
	struct perf_event_pmu_context *epc;

	lockdep_assert_held(&ctx->mutex);
	raw_spin_lock_irq(&ctx->lock);
	for_each_pmu_context(epc, ctx)
		epc->in_exec = true;
	raw_spin_unlock_irq(&ctx->lock);
}

static void perf_groups_exec_end_locked(struct perf_event *unused,
					struct perf_cpu_context *cpuctx, void *data)
{
	struct perf_event_context *ctx = data;
	struct perf_event_pmu_context *epc;

	lockdep_assert_held(&ctx->lock);
	for_each_pmu_context(epc, ctx) {
		epc->in_exec = false;
		if (epc->resched_due && cpuctx)
			perf_group_resched(cpuctx, epc, NULL);
		epc->resched_due = false;
	}
}

/**
 * perf_groups_exec_end - schedule the changed groups of current
 * @ctx: the argument of perf_groups_exec_begin(); its mutex has been held since
 *
 * Context: may sleep.
 */
void perf_groups_exec_end(struct perf_event_context *ctx)
{
	lockdep_assert_held(&ctx->mutex);
	perf_context_call(ctx, NULL, perf_groups_exec_end_locked, ctx);
}

static void perf_exit_opened_at_exec(struct perf_event *event)
{
	perf_event_get_ref(event);
	perf_event_clear_aux_output(event);
	perf_event_detach(event, PERF_EVENT_STATE_EXIT);
	perf_overflow_cancel(event);
	if (event->cold)
		perf_event_wakeup(event);
	perf_event_put(event);
}

/* The groups are scheduled once, not once for each event: a task may have very many events. */
static void perf_exit_events_at_exec(struct perf_event_context *ctx)
{
	struct perf_event *event, *next;
	struct mutex *held = NULL;
	LIST_HEAD(left);

	perf_groups_exec_begin(ctx);
	for_each_event_safe(event, next, ctx) {
		cond_resched();
		if (event->attr.remove_on_exec && event->parent) {
			held = perf_inherit_lock_switch(held, event->parent);
			perf_exit_leave_later(event, &left);
			continue;
		}
		/*
		 * perf_breakpoint_modify() disables an inherited event temporarily, with the
		 * inherit lock held: take the lock to see the final state.
		 */
		held = perf_inherit_lock_switch(held, event->parent);
		if (event->attr.remove_on_exec)
			perf_exit_opened_at_exec(event);
		else if (event->attr.enable_on_exec)
			perf_group_enable_on_exec(event->group_leader);
	}
	perf_inherit_lock_switch(held, NULL);
	perf_groups_exec_end(ctx);
	perf_exit_put_left(&left);
}

/**
 * perf_event_exec - update events at an exec of current
 *
 * Enable events with attr.enable_on_exec, remove those with attr.remove_on_exec, and reset address
 * filters.
 *
 * Context: may sleep.
 */
void perf_event_exec(void)
{
	struct perf_event_context *ctx = perf_task_context(current);

	perf_delay(CALL_EXEC);
	perf_addr_filters_exec();
	if (!ctx)
		return;
	guard(mutex)(&ctx->mutex);
	perf_exit_events_at_exec(ctx);
}
