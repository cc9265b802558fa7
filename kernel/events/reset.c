// SPDX-License-Identifier: GPL-2.0
/*
 * Values that begin at zero again: of one event, of all events of a group, and of copies on
 * many CPUs.
 *
 * local64_add() is atomic on its own CPU only: it may overwrite a zero that another CPU stores. So
 * the reset runs on the CPU where the event's context is active, or under ctx->lock while the
 * context is inactive. Two kinds of events are counted while their context is inactive:
 *
 * - Sites add to the resident events of a task also while a residence stands in for the context.
 *   The reset runs on the CPU where the task runs, or while task_call_func() keeps the task from
 *   running.
 * - An event of one task and one CPU counts a tracepoint about its task. This CPU alone adds to the
 *   count, also while the context is inactive. The reset runs there, too.
 */
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/wait.h>

#include "cold.h"
#include "context.h"
#include "event.h"
#include "family.h"
#include "internal.h"
#include "read.h"
#include "record/userpage.h"
#include "reset.h"
#include "settle.h"
#include "source/clock.h"
#include "turn.h"

static void perf_reset_value(struct perf_event *event)
{
	if (is_counting_clock(event))
		perf_clock_event_reset(event);
	else
		local64_set(&event->count, 0);
}

/* Where its context can be changed: on the CPU on which the event counts, or where it is off. */
static void perf_reset_on_cpu(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	/* A software event of the group is never behind. */
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		event->pmu->read(event);
	perf_reset_value(event);
}

/* Set the value of an event, or the values of its group, to zero: nothing adds to them now. */
static void perf_reset_values(struct perf_event *event, bool group)
{
	struct perf_event *member;

	perf_reset_value(event);
	if (!group)
		return;
	for_each_sibling_event(member, event) {
		if (perf_turn_is_meant(member, event))
			perf_reset_value(member);
	}
}

/*
 * May sites add to the event's count although its context is inactive? They do where a residence
 * stands in for the context. @task gets the context's task, with a reference. If @task is NULL, the
 * event will be reset by another call.
 */
static bool perf_reset_needs_task(struct perf_event *event, struct perf_cpu_context *cpuctx,
				  struct task_struct **task)
{
	struct perf_event_context *ctx = event->ctx;

	lockdep_assert_held(&ctx->lock);
	/* A fork makes its task's context a clone; the clock runs until the task's next switch. */
	if (cpuctx || !is_resident(event) || !READ_ONCE(ctx->cloned))
		return false;
	if (task)
		*task = get_task_struct(ctx->task);
	return true;
}

/* May tracepoints about a task add to the event's count, or to counts of its group? */
static bool perf_reset_is_walked(const struct perf_event *event, bool group)
{
	return READ_ONCE(event->ctx->walked) && READ_ONCE(event->ctx->task) && event->cpu >= 0 &&
	       (group || event->attr.type == PERF_TYPE_TRACEPOINT);
}

/*
 * @data as for perf_reset_needs_task(); NULL in a call of perf_copies_call_running(), after which
 * perf_reset_call() is to follow for an event that is not PERF_EVENT_CALLED.
 */
static void perf_reset_one_locked(struct perf_event *event, struct perf_cpu_context *cpuctx,
				  void *data)
{
	if (perf_reset_needs_task(event, cpuctx, data))
		return;
	perf_reset_on_cpu(event);
	if (!data && !perf_reset_is_walked(event, false))
		event->event_flags |= PERF_EVENT_CALLED;
}

static void perf_reset_group_locked(struct perf_event *leader, struct perf_cpu_context *cpuctx,
				    void *data)
{
	struct perf_event *member;

	if (perf_reset_needs_task(leader, cpuctx, data))
		return;
	for_each_sibling_event(member, leader) {
		if (perf_turn_is_meant(member, leader))
			perf_reset_on_cpu(member);
	}
	perf_reset_on_cpu(leader);
	if (!data && !perf_reset_is_walked(leader, true))
		leader->event_flags |= PERF_EVENT_CALLED;
}

/**
 * struct reset_call - a reset on its way to where sites may add to counts
 * @event: the event, which the caller keeps
 * @group: reset all of the group that @event leads
 * @task: for a resident event, the task, which the caller keeps
 * @cpu: where the task was seen to run, -1 when the reset is done
 */
struct reset_call {
	struct perf_event	*event;
	bool			group;
	struct task_struct	*task;
	int			cpu;
};

/* Called by task_call_func(): the task is neither switched in nor out. Interrupts are off. */
static int perf_reset_unless_elsewhere(struct task_struct *task, void *info)
{
	struct reset_call *call = info;

	if (task != current && task_curr(task))
		return task_cpu(task);
	perf_reset_values(call->event, call->group);
	return -1;
}

static void perf_reset_at_task(void *info)
{
	struct reset_call *call = info;

	call->cpu = task_call_func(call->task, perf_reset_unless_elsewhere, call);
}

/* Reset a resident event, or its group, where its task is. May sleep. */
static void perf_reset_in_task(struct perf_event *event, bool group, struct task_struct *task)
{
	struct reset_call call = { .event = event, .group = group, .task = task };

	/*
	 * The loop ends: the interrupt finds the task there, or asleep, or waiting for a CPU, and
	 * in each of these cases the reset is made. There is another round only if the task has
	 * come to another CPU since, or its CPU has gone.
	 */
	do {
		perf_reset_at_task(&call);
		if (call.cpu >= 0)
			smp_call_function_single(call.cpu, perf_reset_at_task, &call, 1);
	} while (call.cpu >= 0);
}

static void perf_reset_tracepoint(struct perf_event *event)
{
	if (event->attr.type == PERF_TYPE_TRACEPOINT)
		local64_set(&event->count, 0);
}

static void perf_reset_tracepoints_here(void *info)
{
	struct reset_call *call = info;
	struct perf_event *member;

	perf_reset_tracepoint(call->event);
	if (!call->group)
		return;
	for_each_sibling_event(member, call->event) {
		if (perf_turn_is_meant(member, call->event))
			perf_reset_tracepoint(member);
	}
}

/*
 * Reset tracepoints of one task and one CPU, which has counted for an inactive context meanwhile.
 * A CPU that is offline counts nothing. May sleep.
 */
static void perf_reset_walked(struct perf_event *event, bool group)
{
	struct reset_call call = { .event = event, .group = group };

	if (perf_reset_is_walked(event, group))
		smp_call_function_single(event->cpu, perf_reset_tracepoints_here, &call, 1);
}

/*
 * Reset an event, or its group, where sites and drivers add to the counts. ctx->mutex is held, or
 * the family's lock for a copy. May sleep.
 */
static void perf_reset_call(struct perf_event *event, bool group)
{
	struct task_struct *task = NULL;

	/*
	 * Where the task has exited, nothing counts, and the exit waits for the family's lock to
	 * add the values to the sums.
	 */
	if (!perf_context_call(event->ctx, event,
			       group ? perf_reset_group_locked : perf_reset_one_locked, &task))
		perf_reset_values(event, group);
	perf_reset_walked(event, group);
	if (!task)
		return;
	perf_reset_in_task(event, group, task);
	put_task_struct(task);
}

/*
 * May this CPU set the value to zero without more ado? A clock is its running time since the last
 * reset, which only a reset writes. Sites add to a resident event of current in this task, or in
 * interrupts of its CPU. A scheduled event that is seen off has left its PMU, and stays off.
 */
static bool perf_reset_needs_no_call(const struct perf_event *event)
{
	if (is_counting_clock(event))
		return true;
	if (is_resident(event))
		return READ_ONCE(event->ctx->task) == current;
	/* A tracepoint may have seen it on before, and may not have added to its count yet. */
	if (perf_reset_is_walked(event, false))
		return false;
	/* Pairs with perf_event_set_state(): an event that is seen off has its count. */
	return smp_load_acquire(&event->state) <= PERF_EVENT_STATE_OFF;
}

/**
 * perf_event_reset_count - let the value of one event begin at zero
 * @event: the event; ctx->mutex is held, or the family's lock for a copy
 *
 * May sleep.
 */
void perf_event_reset_count(struct perf_event *event)
{
	if (perf_reset_needs_no_call(event))
		perf_reset_value(event);
	else
		perf_reset_call(event, false);
	if (perf_event_page_mapped(event))
		perf_event_refresh_userpage(event);
}

/* Drop the counts of copies that have exited. */
static void perf_reset_gone(struct perf_event *root)
{
	/* Copies that still exist are reset under the same lock: none is added to the old sum. */
	lockdep_assert_held(perf_family_lock(root));
	atomic64_set(&root->cold->gone_count, 0);
}

/* Reset all copies of @root, or their groups: those that run at once. The family's lock is held. */
static void perf_reset_call_copies(struct perf_event *root, bool group)
{
	struct perf_event *copy;

	perf_copies_call_running(root, group ? perf_reset_group_locked : perf_reset_one_locked);
	for_each_copy(copy, root) {
		if (!(copy->event_flags & PERF_EVENT_CALLED))
			perf_reset_call(copy, group);
		copy->event_flags &= ~PERF_EVENT_CALLED;
	}
}

static void perf_reset_copies(struct perf_event *root)
{
	struct perf_event *copy;

	perf_reset_gone(root);
	perf_settled_undo_all(root);
	if (!is_counting_clock(root)) {
		perf_reset_call_copies(root, false);
		return;
	}
	for_each_copy(copy, root)
		perf_reset_value(copy);
}

/* As perf_turn_group_copies() does. */
static void perf_reset_group_copies(struct perf_event *leader)
{
	struct perf_event *copy, *member;

	perf_reset_gone(leader);
	perf_settled_undo_all(leader);
	for_each_sibling_event(member, leader) {
		perf_reset_gone(member);
		perf_settled_undo_all(member);
	}
	perf_reset_call_copies(leader, true);
	for_each_sibling_event(member, leader) {
		for_each_copy(copy, member) {
			if (copy->group_leader->parent != leader)
				perf_event_reset_count(copy);
		}
	}
}

static void perf_reset_family(struct perf_event *event)
{
	if (event->attr.inherit && !event->parent) {
		/* Also without copies: those that have exited have left a sum. */
		CLASS(family_group, lock)(event);
		if (lock)
			perf_reset_copies(event);
	}
	/* Last, for the page shows the sum. */
	perf_event_reset_count(event);
}

static void perf_reset_group(struct perf_event *leader)
{
	struct perf_event *member;

	if (leader->attr.inherit && !leader->parent) {
		CLASS(family_group, lock)(leader);
		if (lock)
			perf_reset_group_copies(leader);
	}
	perf_reset_call(leader, true);
	if (perf_event_page_mapped(leader))
		perf_event_refresh_userpage(leader);
	for_each_sibling_event(member, leader) {
		if (perf_event_page_mapped(member))
			perf_event_refresh_userpage(member);
	}
}

/**
 * perf_family_reset - let the values of an event and its copies begin at zero
 * @event: the event; its ctx->mutex is held. A copy has no copies of its own
 * @group: with all of its group
 *
 * The counts of copies that have exited are dropped, too; the times of all are kept. There is
 * one call to another CPU for each context that runs, whatever the number of events, and none
 * for clocks. perf_event_open(2), PERF_EVENT_IOC_RESET. May sleep.
 */
void perf_family_reset(struct perf_event *event, bool group)
{
	struct perf_event *leader = event->group_leader, *member;

	lockdep_assert_held(&event->ctx->mutex);
	if (!group) {
		perf_reset_family(event);
		return;
	}
	if (leader->nr_siblings && (leader->attr.inherit || !is_resident(leader) ||
				    READ_ONCE(leader->ctx->task) != current)) {
		perf_reset_group(leader);
		return;
	}
	perf_reset_family(leader);
	for_each_sibling_event(member, leader)
		perf_reset_family(member);
}
