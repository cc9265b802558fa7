// SPDX-License-Identifier: GPL-2.0
/*
 * Values that begin at zero again: of one event, of all events of a group, and of copies on
 * many CPUs.
 *
 * local64_add() is atomic on its own CPU only: it may overwrite a zero that another CPU stores. So
 * the reset runs on the CPU where the event's context is active, or under ctx->lock while the
 * context is inactive. Exception: a tracepoint about a task, counted by an event of this task and
 * one CPU. This CPU adds to the count while the context is inactive.
 */
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

static void perf_reset_one_locked(struct perf_event *event, struct perf_cpu_context *cpuctx,
				  void *data)
{
	perf_reset_on_cpu(event);
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
	/* Where the task has exited, nothing counts. */
	if (perf_reset_needs_no_call(event) ||
	    !perf_context_call(event->ctx, event, perf_reset_one_locked, NULL))
		perf_reset_value(event);
	if (perf_event_page_mapped(event))
		perf_event_refresh_userpage(event);
}

static void perf_reset_locked(struct perf_event *event, struct perf_cpu_context *cpuctx,
			      void *data)
{
	perf_reset_on_cpu(event);
	event->event_flags |= PERF_EVENT_CALLED;
}

static void perf_reset_group_locked(struct perf_event *leader, struct perf_cpu_context *cpuctx,
				    void *data)
{
	struct perf_event *member;

	for_each_sibling_event(member, leader) {
		if (perf_turn_is_meant(member, leader))
			perf_reset_on_cpu(member);
	}
	perf_reset_locked(leader, cpuctx, NULL);
}

/* Drop the counts of copies that have exited. */
static void perf_reset_gone(struct perf_event *root)
{
	/* Copies that still exist are reset under the same lock: none is added to the old sum. */
	lockdep_assert_held(perf_family_lock(root));
	atomic64_set(&root->cold->gone_count, 0);
}

/*
 * Set the value of a copy, or the values of its group, to zero while its task exits: nothing counts
 * any more, and the exit waits for the family's lock to add the values to the sums.
 */
static void perf_reset_exiting(struct perf_event *copy, bool group)
{
	struct perf_event *member;

	lockdep_assert_held(perf_family_lock(copy->parent));
	perf_reset_value(copy);
	if (!group)
		return;
	for_each_sibling_event(member, copy) {
		if (perf_turn_is_meant(member, copy))
			perf_reset_value(member);
	}
}

/* Reset all copies of @root, or their groups: those that run at once. The family's lock is held. */
static void perf_reset_call_copies(struct perf_event *root, bool group)
{
	perf_event_func_t func = group ? perf_reset_group_locked : perf_reset_locked;
	struct perf_event *copy;

	perf_copies_call_running(root, func);
	for_each_copy(copy, root) {
		if (!(copy->event_flags & PERF_EVENT_CALLED) &&
		    !perf_context_call(copy->ctx, copy, func, NULL))
			perf_reset_exiting(copy, group);
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
	/* Where the task has exited, nothing counts. */
	if (!perf_context_call(leader->ctx, leader, perf_reset_group_locked, NULL)) {
		perf_reset_value(leader);
		for_each_sibling_event(member, leader)
			perf_reset_value(member);
	}
	leader->event_flags &= ~PERF_EVENT_CALLED;
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
	if (leader->nr_siblings &&
	    !(is_resident(leader) && READ_ONCE(leader->ctx->task) == current)) {
		perf_reset_group(leader);
		return;
	}
	perf_reset_family(leader);
	for_each_sibling_event(member, leader)
		perf_reset_family(member);
}
