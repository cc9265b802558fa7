// SPDX-License-Identifier: GPL-2.0
/*
 * Reset of counts to zero: of an event, of all events of a group, and of inherited events on many
 * CPUs
 *
 * local64_add() is atomic only on its own CPU: it may overwrite a zero that another CPU stores.
 * So the reset runs on the CPU where the event's context is active, or under ctx->lock while the
 * context is inactive. Two kinds of events are counted by local64_add() while their context is
 * inactive:
 *
 * - Event sites count always-on events of a task even while a shared context (shared_ctx.h)
 *   replaces the task's context. Their reset runs on the CPU where the task runs, or while
 *   task_call_func() keeps the task from running.
 * - Event sites count always-on events of a CPU from before CPU hotplug starts its context until
 *   after it stops the context. Their reset runs on that CPU if it is online.
 *
 * An event with both a task and a CPU also counts tracepoints about its task on its CPU while the
 * context is inactive. Additions to its count are atomic, so any CPU can reset it. A reset on the
 * event's CPU would need an interrupt, and the user who opened the event must not be able to
 * interrupt any CPU.
 */
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/wait.h>

#include "child_cache.h"
#include "cold.h"
#include "context.h"
#include "enable.h"
#include "event.h"
#include "inherit_list.h"
#include "internal.h"
#include "read.h"
#include "record/userpage.h"
#include "reset.h"
#include "source/clock.h"

static void perf_reset_value(struct perf_event *event)
{
	if (is_counting_clock(event))
		perf_clock_event_reset(event);
	else
		local64_set(&event->count, 0);
}

/* Called on the CPU where the event counts, or with its context inactive. */
static void perf_reset_on_cpu(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	/* Update the count first, so that the counter's value is not added after the reset. */
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		event->pmu->read(event);
	perf_reset_value(event);
}

/*
 * Reset an event while nothing adds to its count. With @group, reset up to @limit events of its
 * group, from @event on. Return: the next event of the group, NULL after the last one.
 */
static struct perf_event *perf_reset_values(struct perf_event *event, bool group,
					    unsigned int limit)
{
	struct perf_event *leader = event->group_leader;

	if (!group) {
		perf_reset_value(event);
		return NULL;
	}
	while (limit--) {
		if (event == leader || perf_member_follows_leader(event, leader))
			perf_reset_value(event);
		/* The walk ends at the leader, whose sibling_list is the head of the list. */
		event = list_next_entry(event, sibling_list);
		if (event == leader)
			return NULL;
	}
	return event;
}

/*
 * Can event sites add to the event's count although its context is inactive? They can while a
 * shared context replaces the context. Then *@task is set to the context's task, with a reference,
 * for perf_reset_in_task(). If @task is NULL, the caller resets the event later.
 */
static bool perf_reset_needs_task(struct perf_event *event, struct perf_cpu_context *cpuctx,
				  struct task_struct **task)
{
	struct perf_event_context *ctx = event->ctx;

	lockdep_assert_held(&ctx->lock);
	/* A running context (@cpuctx) may be in a set, too: it counts until the next switch. */
	if (cpuctx || !is_always_on(event) || !READ_ONCE(ctx->in_ctx_set))
		return false;
	if (task)
		*task = get_task_struct(ctx->task);
	return true;
}

/*
 * @data is @task of perf_reset_needs_task(), or NULL in a call by perf_children_call_running().
 * After such a call, perf_reset_in_context() must be called for each inherited event without
 * PERF_EVENT_CALL_DONE.
 */
static void perf_reset_one_locked(struct perf_event *event, struct perf_cpu_context *cpuctx,
				  void *data)
{
	if (perf_reset_needs_task(event, cpuctx, data))
		return;
	perf_reset_on_cpu(event);
	if (!data)
		event->event_flags |= PERF_EVENT_CALL_DONE;
}

static void perf_reset_group_locked(struct perf_event *leader, struct perf_cpu_context *cpuctx,
				    void *data)
{
	struct perf_event *member;

	if (perf_reset_needs_task(leader, cpuctx, data))
		return;
	for_each_sibling_event(member, leader) {
		if (perf_member_follows_leader(member, leader))
			perf_reset_on_cpu(member);
	}
	perf_reset_on_cpu(leader);
	if (!data)
		leader->event_flags |= PERF_EVENT_CALL_DONE;
}

/**
 * struct reset_call - argument of a reset on the CPU where event sites may add to counts
 * @event: the next event, or NULL after the last one; the caller has a reference
 * @group: reset the whole group, from @event on
 * @task: for an always-on event, its task, to which the caller has a reference
 * @cpu: CPU where the task was running, -1 after a reset
 */
struct reset_call {
	struct perf_event	*event;
	bool			group;
	struct task_struct	*task;
	int			cpu;
};

/*
 * Called by task_call_func(): the task is not being switched in or out. Interrupts are off, and the
 * run queue may be locked, so reset only some events of a large group.
 */
static int perf_reset_unless_elsewhere(struct task_struct *task, void *info)
{
	struct reset_call *call = info;

	if (task != current && task_curr(task))
		return task_cpu(task);
	call->event = perf_reset_values(call->event, call->group, PERF_CHILDREN_AT_ONCE);
	return -1;
}

static void perf_reset_at_task(void *info)
{
	struct reset_call *call = info;

	call->cpu = task_call_func(call->task, perf_reset_unless_elsewhere, call);
}

/* Reset an always-on event, or its group, on the CPU of its task. May sleep. */
static void perf_reset_in_task(struct perf_event *event, bool group, struct task_struct *task)
{
	struct reset_call call = { .event = event, .group = group, .task = task };

	/*
	 * The loop ends: the interrupt finds the task on this CPU, or asleep, or waiting for a
	 * CPU. In all of these cases events are reset. Another iteration requires that the task
	 * has migrated since, that its CPU was taken offline, or that events of the group remain to
	 * be reset. The mutex of the context, or the inherit lock, keeps the group unchanged.
	 */
	do {
		perf_reset_at_task(&call);
		if (call.cpu >= 0)
			smp_call_function_single(call.cpu, perf_reset_at_task, &call, 1);
	} while (call.cpu >= 0 || call.event);
}

/*
 * Reset an event, or its group, on the CPU where event sites and drivers add to the counts.
 * ctx->mutex is held, or the inherit lock for an inherited event. May sleep.
 */
static void perf_reset_in_context(struct perf_event *event, bool group)
{
	struct task_struct *task = NULL;

	/*
	 * An event does not count after the exit of its task, so any CPU can reset it. For an
	 * inherited event, the exit waits for the inherit lock, which is held here, before it adds
	 * the event's values to the sums of the parent event.
	 */
	if (!perf_context_call(event->ctx, event,
			       group ? perf_reset_group_locked : perf_reset_one_locked, &task))
		perf_reset_values(event, group, UINT_MAX);
	if (!task)
		return;
	perf_reset_in_task(event, group, task);
	put_task_struct(task);
}

static void perf_reset_values_here(void *info)
{
	struct reset_call *call = info;

	call->event = perf_reset_values(call->event, call->group, PERF_CHILDREN_AT_ONCE);
}

/*
 * Reset an always-on event of a CPU, or its group, on this CPU, if its context is stopped for CPU
 * hotplug. The context is not started meanwhile, because ctx->mutex is held. An offline CPU counts
 * nothing. May sleep.
 */
static void perf_reset_on_stopped_cpu(struct perf_event *event, bool group)
{
	struct reset_call call = { .event = event, .group = group };
	int err;

	if (!perf_event_is_on_stopped_cpu(event))
		return;
	/* The loop ends: each call resets events of the group, or fails. */
	do {
		err = smp_call_function_single(event->cpu, perf_reset_values_here, &call, 1);
	} while (!err && call.event);
}

static void perf_reset_call(struct perf_event *event, bool group)
{
	perf_reset_in_context(event, group);
	perf_reset_on_stopped_cpu(event, group);
}

/*
 * Can this CPU reset the event without a call? A clock event's count is its running time minus
 * hw.prev_count, which only a reset stores. Sites add to an always-on event of current only in this
 * task, or in interrupts of its CPU. A scheduled event that is OFF has left its PMU, and remains
 * OFF.
 */
static bool perf_reset_needs_no_call(const struct perf_event *event)
{
	if (is_counting_clock(event))
		return true;
	if (is_always_on(event))
		return READ_ONCE(event->ctx->task) == current;
	/* Pairs with perf_event_set_state(): if OFF is read, the count is up to date. */
	return smp_load_acquire(&event->state) <= PERF_EVENT_STATE_OFF;
}

/**
 * perf_event_reset_count - reset the count of one event
 * @event: the event; ctx->mutex is held, or the inherit lock for an inherited event
 *
 * Context: may sleep.
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

/* Reset the sum of the counts of exited inherited events. */
static void perf_reset_removed_children(struct perf_event *parent)
{
	/* Inherited events are reset under the same lock, so none adds an old count to the sum. */
	lockdep_assert_held(perf_inherit_lock(parent));
	atomic64_set(&parent->cold->gone_count, 0);
}

/* Reset all events inherited from @parent, or their groups. The inherit lock is held. */
static void perf_reset_call_children(struct perf_event *parent, bool group)
{
	struct perf_event *child;

	perf_children_call_running(parent, group ? perf_reset_group_locked : perf_reset_one_locked);
	for_each_child(child, parent) {
		if (!(child->event_flags & PERF_EVENT_CALL_DONE))
			perf_reset_in_context(child, group);
		child->event_flags &= ~PERF_EVENT_CALL_DONE;
	}
}

static void perf_reset_children(struct perf_event *parent)
{
	struct perf_event *child;

	perf_reset_removed_children(parent);
	perf_child_cache_del_all(parent);
	if (!is_counting_clock(parent)) {
		perf_reset_call_children(parent, false);
		return;
	}
	for_each_child(child, parent)
		perf_reset_value(child);
}

/*
 * Reset the events inherited from all events of a group. If an inherited leader has left its group
 * in an exec, the remaining members are reset one by one.
 */
static void perf_reset_group_children(struct perf_event *leader)
{
	struct perf_event *child, *member;

	perf_reset_removed_children(leader);
	perf_child_cache_del_all(leader);
	for_each_sibling_event(member, leader) {
		perf_reset_removed_children(member);
		perf_child_cache_del_all(member);
	}
	perf_reset_call_children(leader, true);
	for_each_sibling_event(member, leader) {
		for_each_child(child, member) {
			if (child->group_leader->parent != leader)
				perf_event_reset_count(child);
		}
	}
}

static void perf_reset_with_children(struct perf_event *event)
{
	if (event->attr.inherit && !event->parent) {
		/*
		 * Even if there is no inherited event now, perf_reset_children() must reset the
		 * sums of the removed ones.
		 */
		CLASS(inherit_group_lock, lock)(event);
		if (lock)
			perf_reset_children(event);
	}
	/* Reset the event last, because its page shows the sum over all inherited events. */
	perf_event_reset_count(event);
}

static void perf_reset_group(struct perf_event *leader)
{
	struct perf_event *member;

	if (leader->attr.inherit && !leader->parent) {
		CLASS(inherit_group_lock, lock)(leader);
		if (lock)
			perf_reset_group_children(leader);
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
 * perf_event_reset_all_children - reset the counts of an event and its inherited events
 * @event: the event; its ctx->mutex is held. @event may be inherited itself
 * @group: reset its whole group
 *
 * The counts of exited inherited events are reset as well; times are kept. For
 * PERF_EVENT_IOC_RESET, see perf_event_open(2).
 *
 * Each running context costs one call to another CPU, for any number of events; clocks need no
 * call. If a CPU is in hotplug and its context is stopped, each call to it resets
 * %PERF_CHILDREN_AT_ONCE events of a group.
 *
 * Context: may sleep.
 */
void perf_event_reset_all_children(struct perf_event *event, bool group)
{
	struct perf_event *leader = event->group_leader, *member;

	lockdep_assert_held(&event->ctx->mutex);
	if (!group) {
		perf_reset_with_children(event);
		return;
	}
	if (leader->nr_siblings && (leader->attr.inherit || !is_always_on(leader) ||
				    READ_ONCE(leader->ctx->task) != current)) {
		perf_reset_group(leader);
		return;
	}
	perf_reset_with_children(leader);
	for_each_sibling_event(member, leader)
		perf_reset_with_children(member);
}
