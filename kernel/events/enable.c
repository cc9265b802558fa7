// SPDX-License-Identifier: GPL-2.0
/*
 * Enabling and disabling of events: one event, all events of a group, and inherited events on many
 * CPUs.
 */
#include "cold.h"
#include "context.h"
#include "delay.h"
#include "enable.h"
#include "group.h"
#include "group_tree.h"
#include "inherit_list.h"
#include "internal.h"
#include "overflow.h"
#include "record/userpage.h"
#include "sched.h"
#include "time.h"

static void perf_disable_locked(struct perf_event *event, struct perf_cpu_context *cpuctx,
				void *data)
{
	if (event->state < PERF_EVENT_STATE_INACTIVE)
		return;
	if (is_always_on(event)) {
		if (event->group_leader == event)
			perf_always_on_stop_group(event, PERF_EVENT_STATE_OFF);
		else
			perf_always_on_stop(event, PERF_EVENT_STATE_OFF);
		return;
	}
	if (event->group_leader == event)
		perf_group_sched_out(event);
	else
		perf_event_sched_out(event);
	perf_event_set_state(event, PERF_EVENT_STATE_OFF);
	perf_group_tree_del(event);
	perf_event_update_userpage(event);
}

static void perf_disable_due_locked(struct perf_event *event, struct perf_cpu_context *cpuctx,
				    void *data)
{
	lockdep_assert_held(&event->ctx->lock);
	if (perf_event_test_and_clear_disable(event))
		perf_disable_locked(event, cpuctx, data);
}

/*
 * Add @more to the number of overflows after which the event is disabled. If the event is enabled
 * already, overflows may change the limit at the same time. The cmpxchg also pairs with
 * perf_swevent_sample_periods(): an event site that sees the event enabled must see the limit.
 */
static void perf_enable_add_overflows(struct perf_event *event, struct perf_cpu_context *cpuctx,
				      int more)
{
	atomic_t *limit = &event->cold->event_limit;
	int old = atomic_read(limit);

	do {
		/* First execute the request of the last overflow to disable the event. */
		if (old == PERF_LIMIT_REACHED)
			perf_disable_locked(event, cpuctx, NULL);
	} while (!atomic_try_cmpxchg(limit, &old, clamp((s64)max(old, 0) + more, 0, INT_MAX)));
}

/*
 * An event that is off, and is enabled without a number of overflows, has no limit if its last
 * limit was reached. No overflow changes a limit that is reached. If an overflow reaches the limit
 * after the check here, it counts as one after the enable: its irq work waits for ctx->lock, and
 * disables the event.
 */
static void perf_enable_end_limit(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	if (unlikely(perf_event_limit_is_reached(event)))
		atomic_set(&event->cold->event_limit, 0);
}

/* The group waits for counters: update its user pages, because no driver does. */
static void perf_enable_update_pages(struct perf_event *leader)
{
	struct perf_event *member;

	perf_event_update_userpage(leader);
	for_each_sibling_event(member, leader)
		perf_event_update_userpage(member);
}

/*
 * Make an event that is off or in the error state wait for a counter; an always-on event (see
 * group.c) counts if its leader does. @data points to the number of overflows for which the event
 * is enabled, or is NULL.
 *
 * Return: true if the group has to be rescheduled
 */
static bool perf_enable_state(struct perf_event *event, struct perf_cpu_context *cpuctx,
			      void *data)
{
	struct perf_event *leader = event->group_leader;

	perf_disable_due_locked(event, cpuctx, NULL);
	if (data)
		perf_enable_add_overflows(event, cpuctx, *(int *)data);
	if (event->state >= PERF_EVENT_STATE_INACTIVE || event->state <= PERF_EVENT_STATE_EXIT)
		return false;
	if (event->state == PERF_EVENT_STATE_ERROR &&
	    (event->event_caps & PERF_EV_CAP_SIBLING) && leader == event)
		return false;

	if (!data)
		perf_enable_end_limit(event);
	perf_event_set_state(event, PERF_EVENT_STATE_INACTIVE);
	if (is_always_on(leader)) {
		if (leader == event)
			perf_always_on_start_group(event);
		else if (leader->state == PERF_EVENT_STATE_ACTIVE)
			perf_always_on_start(event);
		return false;
	}
	if (leader == event && (event->attach_state & PERF_ATTACH_CONTEXT)) {
		if (!event->attr.pinned)
			perf_group_raise_age(event);
		perf_group_tree_insert(event);
	}
	return true;
}

/* Reschedule a group, after events of the group have been enabled. */
static void perf_enable_resched(struct perf_event *leader, struct perf_cpu_context *cpuctx)
{
	if (!cpuctx || leader->state < PERF_EVENT_STATE_INACTIVE)
		return;
	perf_group_sched_out(leader);
	perf_group_resched(cpuctx, leader->pmu_ctx, leader);
	if (unlikely(leader->state < PERF_EVENT_STATE_ACTIVE))
		perf_enable_update_pages(leader);
}

/* Enable one event; @data as for perf_enable_state() */
static void perf_enable_locked(struct perf_event *event, struct perf_cpu_context *cpuctx,
			       void *data)
{
	if (perf_enable_state(event, cpuctx, data))
		perf_enable_resched(event->group_leader, cpuctx);
}

/* Enable all events of a group, and schedule the group only once. */
static void perf_enable_group_locked(struct perf_event *leader, struct perf_cpu_context *cpuctx,
				     void *data)
{
	struct perf_event *member;
	bool some = false;

	for_each_sibling_event(member, leader) {
		if (perf_member_follows_leader(member, leader))
			some |= perf_enable_state(member, cpuctx, NULL);
	}
	some |= perf_enable_state(leader, cpuctx, NULL);
	if (some)
		perf_enable_resched(leader, cpuctx);
}

/*
 * Enable the events of a group that have attr.enable_on_exec. If they were enabled one by one, the
 * group would be scheduled out for each member. So change all states first, then schedule the group
 * once.
 */
static void perf_enable_on_exec_locked(struct perf_event *leader, struct perf_cpu_context *cpuctx,
				       void *data)
{
	struct perf_event *member;
	bool some = false;

	for_each_sibling_event(member, leader) {
		if (member->attr.enable_on_exec)
			some |= perf_enable_state(member, cpuctx, NULL);
	}
	if (leader->attr.enable_on_exec)
		some |= perf_enable_state(leader, cpuctx, NULL);
	if (some)
		perf_enable_resched(leader, cpuctx);
}

static void perf_disable_group_locked(struct perf_event *leader, struct perf_cpu_context *cpuctx,
				      void *data)
{
	struct perf_event *member;

	perf_disable_locked(leader, cpuctx, NULL);
	for_each_sibling_event(member, leader) {
		if (perf_member_follows_leader(member, leader))
			perf_disable_locked(member, cpuctx, NULL);
	}
}

/* Functions that disable (0) or enable (1) an event alone, or its whole group */
static const perf_event_func_t perf_enable_funcs[] = { perf_disable_locked, perf_enable_locked };
static const perf_event_func_t perf_enable_group_funcs[] = {
	perf_disable_group_locked, perf_enable_group_locked,
};

/*
 * Change an always-on event's state from this CPU, even if the event counts on another CPU. Return
 * false if the event is not always-on, or if perf_group_change_under_lock() returns false.
 */
static bool perf_enable_always_on(struct perf_event *event, perf_event_func_t func, void *data)
{
	return is_always_on(event) && perf_group_change_under_lock(event, func, data);
}

static void perf_enable_call(struct perf_event *event, perf_event_func_t func, void *data)
{
	if (!perf_enable_always_on(event, func, data))
		perf_event_call(event, func, data);
}

/**
 * _perf_event_enable - enable one event
 * @event: the event; ctx->mutex is held, or the inherit lock for an inherited event
 *
 * An event in the error state is enabled, too, unless it has PERF_EV_CAP_SIBLING and has lost its
 * leader. An event is not changed if its task has exited or its PMU was unregistered.
 *
 * Context: may sleep.
 */
void _perf_event_enable(struct perf_event *event)
{
	perf_enable_call(event, perf_enable_locked, NULL);
}

/**
 * perf_event_enable_for - enable one event for a number of overflows
 * @event: the event, with event->cold allocated; ctx->mutex is held
 * @overflows: the number of overflows, after which the event is disabled again
 *
 * Context: may sleep.
 */
void perf_event_enable_for(struct perf_event *event, int overflows)
{
	perf_enable_call(event, perf_enable_locked, &overflows);
}

/**
 * _perf_event_disable - disable one event
 * @event: the event; ctx->mutex is held, or the inherit lock for an inherited event
 *
 * Context: may sleep.
 */
void _perf_event_disable(struct perf_event *event)
{
	perf_enable_call(event, perf_disable_locked, NULL);
}

/**
 * perf_group_enable_on_exec - enable all events of a group that have attr.enable_on_exec
 * @leader: the group leader; ctx->mutex is held, and the inherit lock for an inherited group
 *
 * Clears attr.enable_on_exec of the events.
 *
 * Context: may sleep.
 */
void perf_group_enable_on_exec(struct perf_event *leader)
{
	struct perf_event *member;

	lockdep_assert_held(&leader->ctx->mutex);
	if (leader->parent)
		lockdep_assert_held(perf_inherit_lock(leader->parent));
	perf_enable_call(leader, perf_enable_on_exec_locked, NULL);
	leader->attr.enable_on_exec = 0;
	for_each_sibling_event(member, leader)
		member->attr.enable_on_exec = 0;
}

/* Has perf_children_call_running() enabled or disabled this event? The inherit lock is held. */
static bool perf_child_has_state(const struct perf_event *child, bool on)
{
	/* Pairs with perf_event_set_state(): if OFF is read, the count is up to date. */
	enum perf_event_state state = smp_load_acquire(&child->state);

	if (!on)
		return state <= PERF_EVENT_STATE_OFF;
	return state >= PERF_EVENT_STATE_INACTIVE &&
	       !(child->cold && perf_event_disable_is_due(child->cold));
}

/* perf_child_has_state() for an inherited group, whose links the inherit lock protects */
static bool perf_children_have_state(const struct perf_event *leader, bool on)
{
	const struct perf_event *member;

	if (!perf_child_has_state(leader, on))
		return false;
	for_each_sibling_event(member, leader) {
		if (perf_member_follows_leader(member, leader) && !perf_child_has_state(member, on))
			return false;
	}
	return true;
}

/* Enable or disable the events inherited from @parent; the inherit lock is held. */
static void perf_enable_children(struct perf_event *parent, bool on)
{
	struct perf_event *child;

	if (!(parent->event_caps & PERF_EV_CAP_ALWAYS_ON))
		perf_children_call_running(parent, perf_enable_funcs[on]);
	for_each_child(child, parent) {
		if (!perf_child_has_state(child, on))
			perf_enable_call(child, perf_enable_funcs[on], NULL);
	}
}

/*
 * Enable or disable the events inherited from all events of a group. If an inherited leader has
 * left its group in an exec, the remaining members are changed one by one.
 */
static void perf_enable_group_children(struct perf_event *leader, bool on)
{
	struct perf_event *child, *member;

	if (!is_always_on(leader))
		perf_children_call_running(leader, perf_enable_group_funcs[on]);
	for_each_child(child, leader) {
		if (!perf_children_have_state(child, on))
			perf_enable_call(child, perf_enable_group_funcs[on], NULL);
	}
	for_each_sibling_event(member, leader) {
		for_each_child(child, member) {
			if (child->group_leader->parent != leader &&
			    !perf_child_has_state(child, on))
				perf_enable_call(child, perf_enable_funcs[on], NULL);
		}
	}
}

/**
 * perf_event_enable_all_children - enable or disable an event and its inherited events
 * @event: the event; its ctx->mutex is held. @event may be inherited itself
 * @on: enable, not disable
 * @group: include all of the event's group
 *
 * Each running context costs one call to another CPU, for any number of events; the calls to the
 * CPUs of inherited events are made in parallel.
 *
 * Context: may sleep.
 */
void perf_event_enable_all_children(struct perf_event *event, bool on, bool group)
{
	struct perf_event *leader = event->group_leader;

	lockdep_assert_held(&event->ctx->mutex);
	if (!group || !leader->nr_siblings) {
		if (group)
			event = leader;
		perf_enable_call(event, perf_enable_funcs[on], NULL);
		if (!event->attr.inherit || event->parent)
			return;
		CLASS(inherit_lock, lock)(event);
		/* NULL: the event has no inherited events. */
		if (lock)
			perf_enable_children(event, on);
		return;
	}
	perf_enable_call(leader, perf_enable_group_funcs[on], NULL);
	if (!leader->parent) {
		CLASS(inherit_group_lock, lock)(leader);
		if (lock)
			perf_enable_group_children(leader, on);
	}
}

/*
 * Disable an event, unless it leads a group. The siblings of a leader count until the leader is
 * removed, and continue as groups of their own: to disable the leader first would stop the siblings
 * in between.
 */
static void perf_disable_single_locked(struct perf_event *event, struct perf_cpu_context *cpuctx,
				       void *data)
{
	if (!event->nr_siblings)
		perf_disable_locked(event, cpuctx, data);
}

/**
 * perf_children_disable - disable the events inherited from a removed event, on all CPUs at once
 * @parent: the event; the caller holds no mutex of a context and no inherit lock
 *
 * Inherited group leaders stay enabled, and so may other inherited events: the later removal of
 * each event from its context disables it.
 *
 * Context: may sleep.
 */
void perf_children_disable(struct perf_event *parent)
{
	if ((parent->event_caps & PERF_EV_CAP_ALWAYS_ON) ||
	    list_empty_careful(perf_event_children(parent)))
		return;
	guard(mutex)(perf_inherit_lock(parent));
	perf_children_call_running(parent, perf_disable_single_locked);
}

static void perf_disable_on_this_cpu(struct perf_event *event, perf_event_func_t func)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct perf_event_context *ctx = event->ctx;

	lockdep_assert_irqs_disabled();
	/*
	 * A shared context, which may be active, would be taken for the context of another task.
	 * But its events have no overflows and no AUX area: see perf_event_can_share_ctx().
	 */
	if (WARN_ON_ONCE(ctx->is_shared))
		return;
	if (ctx == &cpuctx->ctx || perf_task_context(current) == ctx) {
		perf_context_lock_cpu(cpuctx, ctx);
		func(event, cpuctx, NULL);
		perf_context_unlock_cpu(cpuctx, ctx);
	} else {
		/* The context's groups were scheduled out when the task was switched out. */
		raw_spin_lock(&ctx->lock);
		/* After the exit of the task, ctx->now is the time of the exit. */
		if (ctx->task != PERF_TASK_GONE) {
			perf_context_begin(ctx);
			if (is_always_on(event) || event->state != PERF_EVENT_STATE_ACTIVE)
				func(event, NULL, NULL);
			perf_context_end(ctx);
		}
		raw_spin_unlock(&ctx->lock);
	}
}

/**
 * perf_event_disable_local - disable one event on the CPU on which it counts
 * @event: the event, which the caller keeps alive
 *
 * An event that needs scheduling, and is active on another CPU, is not changed.
 *
 * Context: interrupts are off, not in NMI.
 */
void perf_event_disable_local(struct perf_event *event)
{
	perf_disable_on_this_cpu(event, perf_disable_locked);
}

/**
 * perf_event_disable_due - disable one event on the request of its overflow limit or its driver
 * @event: the event, which the caller keeps alive
 *
 * Does nothing if the event has been disabled or enabled meanwhile.
 *
 * Context: interrupts are off, not in NMI.
 */
void perf_event_disable_due(struct perf_event *event)
{
	perf_disable_on_this_cpu(event, perf_disable_due_locked);
}

#if defined(CONFIG_PERF_EVENTS_KUNIT_TEST) && IS_BUILTIN(CONFIG_PERF_EVENTS_SIM_PMU)
#include "tests/enable_test.c"
#endif
