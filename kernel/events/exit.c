// SPDX-License-Identifier: GPL-2.0
/*
 * A task's events at exit and exec, and the end of copies.
 */
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "cold.h"
#include "context.h"
#include "delay.h"
#include "event.h"
#include "exit.h"
#include "family.h"
#include "group.h"
#include "internal.h"
#include "overflow.h"
#include "read.h"
#include "record/aux.h"
#include "record/buffer.h"
#include "record/sideband_task.h"
#include "record/values.h"
#include "residence.h"
#include "sched.h"
#include "settle.h"
#include "source/addr_filter.h"
#include "time.h"
#include "time_seq.h"
#include "turn.h"

/*
 * Add to a sum of copies that are gone. Only holders of the family's lock change the sum,
 * so that no locked instruction is needed; readers have no lock.
 */
static __always_inline void perf_exit_add(atomic64_t *sum, u64 more)
{
	atomic64_set(sum, atomic64_read(sum) + more);
}

/*
 * Take a copy, which counts no more, out of its family, and add its count and its times
 * in ns to the sums of its root; the family's lock is held.
 */
static __always_inline void perf_exit_fold_copy(struct perf_event *copy, u64 enabled, u64 running)
{
	struct perf_event_cold *sum = copy->parent->cold;

	perf_copy_unsettle(copy);
	/* A copy's own count is all of it: only roots have sums of copies. */
	perf_exit_add(&sum->gone_count, perf_event_own_count(copy));
	perf_exit_add(&sum->gone_enabled, enabled);
	perf_exit_add(&sum->gone_running, running);
	if (copy->cold)
		atomic64_add(perf_event_lost(copy), &sum->lost_samples);
	/* Pairs with perf_read_family_value(): a copy that is not in the list is in the sums. */
	smp_wmb();
	perf_delay(COPY_FOLDED);
	list_del_init(&copy->child_list);
}

/* Take a copy out of its family, whose lock is held, and add its count to the root's. */
static void perf_exit_leave_family(struct perf_event *copy)
{
	u64 enabled, running;

	lockdep_assert_held(&copy->ctx->mutex);
	lockdep_assert_held(perf_family_lock(copy->parent));
	/* A copy leaves its family and its context with both locks held. */
	WARN_ON_ONCE(!(copy->attach_state & PERF_ATTACH_CONTEXT));
	perf_copy_unsettle(copy);
	perf_event_clear_aux_output(copy);
	/* At exec the context stays in use, and the event may be on. */
	perf_event_detach(copy, PERF_EVENT_STATE_DEAD);
	perf_event_times(copy, &enabled, &running);
	perf_exit_fold_copy(copy, enabled, running);
}

/* A task that polls a root may wait for the last of its copies to go, if there is a buffer. */
static void perf_exit_wake_root(struct perf_event *root)
{
	if (!list_empty_careful(perf_event_copies(root)))
		return;
	/* Pairs with perf_event_is_over(): it finds no copy, or the buffer is found here. */
	smp_mb();
	if (rcu_access_pointer(root->rb))
		perf_event_wakeup(root);
}

/*
 * perf_exit_leave_family() for a copy of a group, for
 * perf_exit_part_with_roots() to finish. The lock is held over the whole group,
 * so that a reader finds all of a group's copy or nothing of it.
 */
static void perf_exit_leave_later(struct perf_event *copy, struct list_head *left)
{
	perf_event_hold(copy);
	if (perf_family_take(copy, perf_exit_leave_family))
		list_add_tail(&copy->left_entry, left);
	else
		perf_event_put(copy);
}

/* Finish perf_exit_leave_family() for many copies, without the family's lock. */
static void perf_exit_part_with_roots(struct list_head *left)
{
	struct perf_event *copy, *next;
	unsigned int n = 0;
	LIST_HEAD(released);

	list_for_each_entry_safe(copy, next, left, left_entry) {
		list_del_init(&copy->left_entry);
		perf_family_finish(copy);
		perf_exit_wake_root(copy->parent);
		perf_event_put_copy(copy, &released);
		if (++n % PERF_COPIES_AT_ONCE)
			continue;
		perf_event_free_released(&released);
		cond_resched();
	}
	perf_event_free_released(&released);
}

/**
 * perf_context_end_clone - undo perf_context_clone()
 * @clone: the context, which is on no CPU and will not be
 *
 * The counts of its events become part of their roots' counts. May sleep.
 */
void perf_context_end_clone(struct perf_event_context *clone)
{
	struct perf_event *event, *next;
	struct mutex *family = NULL;
	LIST_HEAD(left);

	WARN_ON_ONCE(perf_clock_cpu(&clone->clock) >= 0);
	scoped_guard(mutex, &clone->mutex) {
		for_each_event_safe(event, next, clone) {
			family = perf_family_change(family, event->parent);
			perf_exit_leave_later(event, &left);
			cond_resched();
		}
		perf_family_change(family, NULL);
		WARN_ON_ONCE(!list_empty(&clone->event_list));
	}
	perf_exit_part_with_roots(&left);
	perf_context_put(clone);
}

/**
 * perf_copies_exit - remove all copies of an event whose PMU goes
 * @root: the event, which is dead
 *
 * The counts of the copies become part of the event's. May sleep; the caller holds no
 * mutex of a context or family.
 */
void perf_copies_exit(struct perf_event *root)
{
	perf_family_empty(root, perf_exit_leave_family);
}

/*
 * Take a plain copy out of its family and its context, at the exit of its task. The
 * context clock stands. Only the family leads to the copy, and its lock is held: so
 * the context's lock is not needed. The links of the copy's group stay: all of the
 * group goes.
 */
static void perf_exit_copy(struct perf_event *copy)
{
	struct perf_event_context *ctx = copy->ctx;
	struct perf_times times;

	perf_times_at(copy, atomic64_read(&ctx->clock.time), &times);
	perf_exit_fold_copy(copy, times.enabled, times.running);
	perf_delay(COPY_LEFT);
	perf_exit_wake_root(copy->parent);
	list_del_rcu(&copy->event_entry);
	ctx->nr_events--;
	WRITE_ONCE(copy->state, PERF_EVENT_STATE_DEAD);
}

/*
 * perf_exit_leave_family() at the exit of the copy's task: the context's clock stands, and
 * all of the copy's group goes.
 */
static void perf_exit_other_copy(struct perf_event *copy)
{
	struct perf_event_context *ctx = copy->ctx;
	struct perf_times times;

	perf_event_clear_aux_output(copy);
	perf_event_detach_at_exit(copy, PERF_EVENT_STATE_DEAD);
	perf_times_at(copy, atomic64_read(&ctx->clock.time), &times);
	perf_exit_fold_copy(copy, times.enabled, times.running);
}

/*
 * Drop the references to the copies that perf_exit_copy() has taken out. A copy
 * with no other reference is freed at once, without a grace period: only sites
 * in its task look at it without a reference, and the task is past them. If
 * tracepoints of other tasks may have walked the context (ctx->walked), copies
 * are freed after a grace period.
 */
static void perf_exit_put_copies(struct perf_event_context *ctx, struct list_head *gone)
{
	struct perf_event *batch[PERF_COPIES_AT_ONCE], *copy, *next;
	unsigned int freed = 0;

	list_for_each_entry_safe(copy, next, gone, gone_entry) {
		if (ctx->walked || !refcount_dec_and_test(&copy->refcount)) {
			if (ctx->walked)
				perf_event_put(copy);
			continue;
		}
		perf_event_put(copy->parent);
		batch[freed++ % PERF_COPIES_AT_ONCE] = copy;
		if (freed % PERF_COPIES_AT_ONCE == 0) {
			perf_event_free_copies(batch, PERF_COPIES_AT_ONCE);
			cond_resched();
		}
	}
	perf_event_free_copies(batch, freed % PERF_COPIES_AT_ONCE);
	/* The caller has a reference of its own, so that this is not the last one. */
	if (freed)
		WARN_ON_ONCE(refcount_sub_and_test(freed, &ctx->refcount));
}

static void perf_exit_root(struct perf_event *event)
{
	/* The event stays in its group, which can still be read. */
	perf_event_detach_at_exit(event, PERF_EVENT_STATE_EXIT);
	perf_overflow_cancel(event);
	if (event->cold)
		perf_event_wakeup(event);
	perf_event_put(event);
}

/* Write PERF_RECORD_READ of all copies that ask for it, while their groups are complete. */
static void perf_exit_read_records(struct perf_event_context *ctx, struct task_struct *task)
{
	struct perf_event *event;

	for_each_event(event, ctx) {
		if (event->parent && event->attr.inherit_stat)
			perf_read_record(event, task);
	}
}

/* A copy that the context still has is in its family, too: it leaves both with both locks held. */
static void perf_exit_events(struct perf_event_context *ctx, struct list_head *gone)
{
	struct perf_event *event, *next;
	struct mutex *family = NULL;
	unsigned int n = 0;
	LIST_HEAD(left);

	for_each_event_safe(event, next, ctx) {
		if (++n % PERF_COPIES_AT_ONCE == 0)
			cond_resched();
		if (event->event_flags & PERF_EVENT_PLAIN_COPY) {
			family = perf_family_change(family, event->parent);
			if (perf_family_take(event, perf_exit_copy))
				list_add_tail(&event->gone_entry, gone);
		} else if (event->parent) {
			family = perf_family_change(family, event->parent);
			if (perf_family_take(event, perf_exit_other_copy))
				list_add_tail(&event->left_entry, &left);
		} else {
			family = perf_family_change(family, NULL);
			perf_exit_root(event);
		}
	}
	perf_family_change(family, NULL);
	WARN_ON_ONCE(!list_empty(&ctx->event_list));
	perf_exit_part_with_roots(&left);
}

/* Part the context and its task; from here on the context does not run. */
static void perf_exit_part_with_task(struct perf_event_context *ctx, struct task_struct *task)
{
	struct perf_event_context *here = ctx;
	struct perf_cpu_context *cpuctx;

	local_irq_disable();
	cpuctx = this_cpu_context();
	/* A residence that stands in for the context has to stop counting, too. */
	if (task == current && cpuctx->residence)
		here = cpuctx->residence;
	if (cpuctx->task_ctx == here)
		perf_context_take_off(cpuctx, here);
	raw_spin_lock(&ctx->lock);
	perf_context_stop(ctx);
	/* Where a residence has counted in its place, its own clock has stood for long. */
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
	struct perf_clones *clones;
	LIST_HEAD(gone);

	if (!ctx) {
		if (ran)
			perf_task_exit_record(task, NULL);
		return;
	}

	/* This function takes over the reference of task->perf_event_ctxp. */
	scoped_guard(mutex, &ctx->mutex) {
		perf_exit_part_with_task(ctx, task);
		if (ran) {
			perf_task_exit_record(task, ctx);
			perf_exit_read_records(ctx, task);
		}
		perf_exit_events(ctx, &gone);
		clones = ctx->clones;
		WRITE_ONCE(ctx->clones, NULL);
	}
	perf_exit_put_copies(ctx, &gone);
	perf_clones_put(clones);
	perf_context_put(ctx);
}

/**
 * perf_event_exit_task - remove a task's events
 * @task: current, which exits, or execs a program that may not be watched
 *
 * The task's events stop for ever; the counts of copies become part of their roots'.
 * May sleep.
 */
void perf_event_exit_task(struct task_struct *task)
{
	perf_delay(CALL_EXIT);
	perf_event_disown_all(task);
	perf_exit_context(task, true);
}

/**
 * perf_event_free_task - undo perf_event_init_task() when a fork has failed
 * @task: the task, which never ran; the caller will free its memory whatever
 *	references there are
 *
 * May sleep: the last steps of some events come after a grace period.
 */
void perf_event_free_task(struct task_struct *task)
{
	perf_exit_context(task, false);
	/*
	 * The task could never be found by its PID, so that only its events refer to
	 * it, all of them copies without files. References to these are held by RCU
	 * callbacks, queued interrupts and workers, readers that walk the family, and
	 * the root's close. Each drops its reference in a bounded time, and none of
	 * them waits for this fork, or for any other: see late_events_wq.
	 */
	while (refcount_read(&task->usage) > 1)
		schedule_timeout_uninterruptible(1);
}

/**
 * perf_event_delayed_put - check that a task that is freed has no context
 * @task: the task; what it was refused last goes with it
 */
void perf_event_delayed_put(struct task_struct *task)
{
	WARN_ON_ONCE(task->perf_event_ctxp);
	kfree(task->perf_refused);
}

/* exec */

static void perf_exit_root_at_exec(struct perf_event *event)
{
	perf_event_hold(event);
	perf_event_clear_aux_output(event);
	perf_event_detach(event, PERF_EVENT_STATE_EXIT);
	perf_overflow_cancel(event);
	if (event->cold)
		perf_event_wakeup(event);
	perf_event_put(event);
}

static void perf_exit_events_at_exec(struct perf_event_context *ctx)
{
	struct perf_event *event, *next;
	struct mutex *family = NULL;
	LIST_HEAD(left);

	for_each_event_safe(event, next, ctx) {
		if (event->attr.remove_on_exec && event->parent) {
			family = perf_family_change(family, event->parent);
			perf_exit_leave_later(event, &left);
			continue;
		}
		/* A copy that is being modified is off meanwhile: the lock waits for the end. */
		family = perf_family_change(family, event->parent);
		if (event->attr.remove_on_exec) {
			perf_exit_root_at_exec(event);
		} else if (event->attr.enable_on_exec) {
			event->attr.enable_on_exec = 0;
			perf_event_turn_on(event);
		}
	}
	perf_family_change(family, NULL);
	perf_exit_part_with_roots(&left);
}

/**
 * perf_event_exec - follow an exec of current
 *
 * Enables events with attr.enable_on_exec, removes those with attr.remove_on_exec, and
 * resets address filters. May sleep.
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
