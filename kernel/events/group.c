// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: which events belong together, and which groups need scheduling.
 *
 * A group is resident when every member is a resident event: a software event that
 * is never scheduled. As long as it is attached, sites find its members, and
 * enabling it is a mere change of state. Every other group that is enabled stands
 * in a tree of a PMU's part of its context (group_tree.c) and is put on and taken
 * off by sched.c.
 */
#include "cgroup.h"
#include "cold.h"
#include "context.h"
#include "delay.h"
#include "event.h"
#include "group.h"
#include "group_tree.h"
#include "internal.h"
#include "record/aux.h"
#include "record/sample.h"
#include "record/sideband.h"
#include "record/userpage.h"
#include "refuse.h"
#include "residence.h"
#include "sched.h"
#include "source/software.h"
#include "throttle.h"
#include "time.h"
#include "time_seq.h"

struct list_head perf_event_no_siblings = LIST_HEAD_INIT(perf_event_no_siblings);
EXPORT_SYMBOL_GPL(perf_event_no_siblings);

/**
 * perf_group_may_join - can an event become a member of a group?
 * @leader: leader of an existing group; ctx->mutex is held
 * @event: the event, initialised and with its context, not attached yet
 *
 * All events of a group have the same context, CPU, cgroup and record clock, and
 * the same PMU (software events aside), and only the leader may be pinned or
 * exclusive.
 * Return: whether the event may be attached to the group.
 */
bool perf_group_may_join(const struct perf_event *leader, const struct perf_event *event)
{
	const struct perf_event *member;

	if (leader->group_leader != leader || leader->ctx != event->ctx ||
	    leader->cpu != event->cpu || leader->cgrp != event->cgrp ||
	    leader->clock != event->clock)
		return false;
	if (event->attr.pinned || event->attr.exclusive)
		return false;
	if (event->event_caps & PERF_EV_CAP_SOFTWARE)
		return true;
	if (!(leader->event_caps & PERF_EV_CAP_SOFTWARE) && leader->pmu != event->pmu)
		return false;
	for_each_sibling_event(member, leader) {
		if (!(member->event_caps & PERF_EV_CAP_SOFTWARE) && member->pmu != event->pmu)
			return false;
	}
	return true;
}

/**
 * perf_resident_start - let a member of a resident group count, whose leader does
 * @event: the event, which counts if it is enabled; its context is between
 *	perf_context_begin() and perf_context_end()
 */
void perf_resident_start(struct perf_event *event)
{
	if (event->state != PERF_EVENT_STATE_INACTIVE)
		return;
	perf_event_set_state(event, PERF_EVENT_STATE_ACTIVE);
	if (perf_event_has_frequency(event))
		event->ctx->nr_freq++;
	event->oncpu = event->ctx->task ? -1 : event->cpu;
	perf_event_update_userpage(event);
}

/**
 * perf_resident_stop - let an event of a resident group count no more
 * @event: the event; its context is between perf_context_begin() and perf_context_end()
 * @state: the highest state that it may be left in: PERF_EVENT_STATE_INACTIVE when only its
 *	leader is disabled
 */
void perf_resident_stop(struct perf_event *event, enum perf_event_state state)
{
	if (event->state > state) {
		if (event->state == PERF_EVENT_STATE_ACTIVE && perf_event_has_frequency(event))
			event->ctx->nr_freq--;
		perf_event_set_state(event, state);
		perf_event_update_userpage(event);
	}
	event->oncpu = -1;
}

/**
 * perf_resident_start_group - let those of a resident group count that are enabled
 * @leader: of the group; its context is between perf_context_begin() and
 *	perf_context_end()
 */
void perf_resident_start_group(struct perf_event *leader)
{
	struct perf_event *member;

	if (leader->state < PERF_EVENT_STATE_INACTIVE)
		return;
	perf_resident_start(leader);
	for_each_sibling_event(member, leader)
		perf_resident_start(member);
}

/**
 * perf_resident_stop_group - let a resident group count no more
 * @leader: of the group; its context is between perf_context_begin() and
 *	perf_context_end()
 * @state: as for perf_resident_stop(), of the leader
 */
void perf_resident_stop_group(struct perf_event *leader, enum perf_event_state state)
{
	struct perf_event *member;

	perf_resident_stop(leader, state);
	for_each_sibling_event(member, leader)
		perf_resident_stop(member, PERF_EVENT_STATE_INACTIVE);
}

/*
 * Find the PMU that schedules the group: that of its hardware members, else that of a
 * software member that has to be scheduled, else none.
 */
static struct pmu *perf_group_find_pmu(const struct perf_event *leader)
{
	const struct perf_event *member;
	struct pmu *pmu = NULL;

	if (!(leader->event_caps & PERF_EV_CAP_SOFTWARE))
		return leader->pmu;
	if (!(leader->event_caps & PERF_EV_CAP_RESIDENT))
		pmu = leader->pmu;
	for_each_sibling_event(member, leader) {
		if (!(member->event_caps & PERF_EV_CAP_SOFTWARE))
			return member->pmu;
		if (!pmu && !(member->event_caps & PERF_EV_CAP_RESIDENT))
			pmu = member->pmu;
	}
	return pmu;
}

static void perf_group_rehome(struct perf_event *leader)
{
	struct pmu *pmu = perf_group_find_pmu(leader);
	struct perf_event_pmu_context *epc = NULL;
	struct perf_event *member;

	if (pmu) {
		/* Each member that has to be scheduled keeps its PMU's part. */
		epc = perf_pmu_context_of(leader->ctx, pmu);
		WARN_ON_ONCE(!epc);
	}
	/* The time that the group has run on another PMU does not count here. */
	if (leader->pmu_ctx != epc)
		leader->group_runtime = 0;
	leader->pmu_ctx = epc;
	for_each_sibling_event(member, leader)
		member->pmu_ctx = epc;
}

static void perf_group_update_caps(struct perf_event *leader)
{
	struct perf_event *member;

	leader->group_caps = leader->event_caps;
	for_each_sibling_event(member, leader)
		leader->group_caps &= member->event_caps;
}

/*
 * Let the group count, or be scheduled, by the PMU that its members now ask for. @gap is for
 * groups that come one after another, or NULL.
 */
static void perf_group_enter(struct perf_event *leader, struct perf_group_gap *gap)
{
	const struct perf_event_pmu_context *before = leader->pmu_ctx;
	struct perf_event *member;

	perf_group_update_caps(leader);
	perf_group_rehome(leader);
	if (!is_resident(leader)) {
		if (leader->state < PERF_EVENT_STATE_INACTIVE)
			return;
		if (leader->pmu_ctx != before && !leader->attr.pinned)
			perf_group_level(leader);
		perf_group_insert_next(leader, gap);
		return;
	}
	perf_swevent_resident_add(leader);
	for_each_sibling_event(member, leader)
		perf_swevent_resident_add(member);
	perf_resident_start_group(leader);
}

/* Undo perf_group_enter(): the group counts no more, but its members stay enabled or not. */
static void perf_group_leave(struct perf_event *leader)
{
	struct perf_event *member;

	if (!is_resident(leader)) {
		perf_group_sched_out(leader);
		perf_group_erase(leader);
		return;
	}
	if (leader->state == PERF_EVENT_STATE_ACTIVE)
		perf_resident_stop_group(leader, PERF_EVENT_STATE_INACTIVE);
	perf_swevent_resident_del(leader);
	for_each_sibling_event(member, leader)
		perf_swevent_resident_del(member);
}

/*
 * A resident leader leaves, and its members do not. The members keep their places
 * in the lists that sites walk: a site that has been interrupted at a member that
 * moves would go on from its new place, and see others twice or not at all.
 */
static void perf_resident_leader_leave(struct perf_event *leader)
{
	if (leader->state == PERF_EVENT_STATE_ACTIVE)
		perf_resident_stop_group(leader, PERF_EVENT_STATE_INACTIVE);
	perf_swevent_resident_del(leader);
}

static void perf_group_count_event(struct perf_event *event, int n)
{
	struct perf_event_context *ctx = event->ctx;

	if (perf_event_page_mapped(event)) {
		if (n > 0)
			hlist_add_head(&event->cold->mapped_entry, &ctx->mapped);
		else
			hlist_del_init(&event->cold->mapped_entry);
	}
	/* The driver may change its flag while the event is attached. */
	if (n > 0 && event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT)
		event->event_flags |= PERF_EVENT_USER_READ;
	if (event->event_flags & PERF_EVENT_USER_READ)
		ctx->nr_user += n;
	if (n < 0)
		event->event_flags &= ~PERF_EVENT_USER_READ;
}

/* Make the event a member of the group; nothing of it counts yet. */
static void perf_group_join_leader(struct perf_event *event, struct perf_event *leader)
{
	event->attach_state |= PERF_ATTACH_GROUP;
	/* A sample about a sleeping task may be walking the group on another CPU. */
	list_add_tail_rcu(&event->sibling_list, &leader->sibling_list);
	leader->nr_siblings++;
}

/* Put the event into its context's list. */
static void perf_group_enlist(struct perf_event *event)
{
	struct perf_event_context *ctx = event->ctx;

	/* Tracepoints about a task look for such events here; see perf_tp_event(). */
	if (event->cpu >= 0 && event->attr.type == PERF_TYPE_TRACEPOINT)
		WRITE_ONCE(ctx->walked, true);
	list_add_tail_rcu(&event->event_entry, &ctx->event_list);
	perf_delay(ATTACHED);
	perf_group_count_event(event, 1);
}

/*
 * Sites take no lock. As soon as the event is in a list, tracepoints about its task
 * write samples of it on other CPUs; as soon as it is active, sites of this CPU do,
 * in NMI, too. So the event has to be complete before that: it is a member of its
 * group, and the sizes of its records and its times are set.
 */
static void perf_group_attach_locked(struct perf_event *event, struct perf_cpu_context *cpuctx,
				     void *data)
{
	struct perf_event *leader = event->group_leader;
	bool joins_residents = leader != event && is_resident(leader) &&
			       (event->event_caps & PERF_EV_CAP_RESIDENT);
	bool *attached = data;

	event->attach_state |= PERF_ATTACH_CONTEXT;
	if (event->cgrp)
		perf_cgroup_count(event, cpuctx, 1);
	perf_event_come(event);
	if (unlikely(event->event_flags & PERF_EVENT_GOES_ON)) {
		event->event_flags &= ~PERF_EVENT_GOES_ON;
		perf_event_set_state(event, PERF_EVENT_STATE_INACTIVE);
	}
	if (leader != event) {
		if (!joins_residents)
			perf_group_leave(leader);
		perf_group_join_leader(event, leader);
	}
	perf_sample_layout(event);
	if (leader != event)
		perf_sample_layout_group(leader);
	perf_group_enlist(event);

	if (joins_residents) {
		event->pmu_ctx = leader->pmu_ctx;
		perf_swevent_resident_add(event);
		if (leader->state == PERF_EVENT_STATE_ACTIVE)
			perf_resident_start(event);
	} else {
		perf_group_enter(leader, NULL);
	}
	if (cpuctx && !is_resident(leader) && leader->state >= PERF_EVENT_STATE_INACTIVE)
		perf_pmu_resched_cpu(cpuctx, event->ctx, leader->pmu_ctx->pmu);
	*attached = true;
}

/*
 * perf_group_attach_locked() for a copy, without the steps that
 * perf_group_complete() does at once.
 */
static void perf_group_attach_copy_locked(struct perf_event *copy, struct perf_cpu_context *cpuctx,
					  void *data)
{
	struct perf_event *leader = copy->group_leader;
	bool *attached = data;

	WARN_ON_ONCE(cpuctx);
	copy->attach_state |= PERF_ATTACH_CONTEXT | PERF_ATTACH_CHILD;
	perf_event_follow(copy);
	if (leader != copy)
		perf_group_join_leader(copy, leader);
	perf_sample_layout(copy);
	perf_group_enlist(copy);
	*attached = true;
}

/**
 * perf_group_change_under_lock - change an event of which no PMU knows, on this CPU
 * @event: the event; ctx->mutex is held, or the family's lock for a copy
 * @func: called for the event, without a CPU's context
 * @data: last argument of @func
 *
 * Only when a mapped page shows the event's state, and the context runs, has @func to be called on
 * the context's CPU. Takes ctx->lock; interrupts are on.
 *
 * Return: whether it has been called
 */
bool perf_group_change_under_lock(struct perf_event *event, perf_event_func_t func, void *data)
{
	struct perf_event_context *ctx = event->ctx;
	bool here;

	raw_spin_lock_irq(&ctx->lock);
	here = likely(hlist_empty(&ctx->mapped)) || !perf_clock_runs(&ctx->clock);
	if (here) {
		perf_context_begin(ctx);
		func(event, NULL, data);
		perf_context_end(ctx);
	}
	raw_spin_unlock_irq(&ctx->lock);
	return here;
}

/* Is the event resident, and a group by itself? Sites find it under RCU, and nothing else. */
static bool perf_group_is_lone_resident(const struct perf_event *event)
{
	return event->event_caps & PERF_EV_CAP_RESIDENT && event->group_leader == event &&
	       !event->nr_siblings;
}

static int perf_group_attach(struct perf_event *event, perf_event_func_t func)
{
	struct perf_event_context *ctx = event->ctx;
	bool needs_home = !(event->event_caps & PERF_EV_CAP_RESIDENT);
	struct perf_event_pmu_context *home;
	bool attached = false;

	lockdep_assert_held(&ctx->mutex);
	if (ctx->task == PERF_TASK_GONE)
		return perf_refuse(PERF_REFUSED_TASK_EXITED);
	if (event->state <= PERF_EVENT_STATE_EXIT)
		return perf_refuse(PERF_REFUSED_PMU_GONE);
	if (needs_home) {
		home = perf_pmu_context_get(ctx, event);
		if (IS_ERR(home))
			return PTR_ERR(home);
	}

	perf_event_hold(event);
	perf_context_reserve(ctx);
	if (!perf_group_is_lone_resident(event) ||
	    !perf_group_change_under_lock(event, func, &attached))
		perf_event_call(event, func, &attached);
	/* The exit of the context's task takes ctx->mutex before it sets PERF_TASK_GONE. */
	WARN_ON_ONCE(!attached);
	perf_sideband_attach(event);
	return 0;
}

/**
 * perf_event_attach - make an event part of its context and group
 * @event: the event, initialised; its context is set and ctx->mutex held;
 *	group_leader is the event itself or a leader that it may join
 *
 * The context keeps a reference until perf_event_detach(). May sleep.
 * Return: 0, -ESRCH when the context's task has exited, -ENODEV when the
 * event's PMU has gone, -ENOMEM.
 */
int perf_event_attach(struct perf_event *event)
{
	return perf_group_attach(event, perf_group_attach_locked);
}

/**
 * perf_event_attach_copy - make a copy part of a context that only the caller knows
 * @copy: the copy, in the state that perf_event_attach() asks for; its leader has
 *	been attached by this function, too
 *
 * Nothing of its group counts before perf_group_complete(): work that concerns the
 * whole group is done there once, not for each member. May sleep.
 * Return: 0, -ENODEV when the event's PMU has gone, -ENOMEM.
 */
int perf_event_attach_copy(struct perf_event *copy)
{
	return perf_group_attach(copy, perf_group_attach_copy_locked);
}

/**
 * struct detach_args - what perf_group_detach_locked() is to do
 * @end: the state to leave the event in
 * @home: out: the context's part for the event's own PMU, whose reference the
 *	caller has to drop, or NULL
 * @enabled: out: the event was enabled until now
 */
struct detach_args {
	enum perf_event_state		end;
	struct perf_event_pmu_context	*home;
	bool				enabled;
};

/*
 * Make every member its own leader, as old as the group was. The group has been
 * taken off before, once for all members: a group may be large.
 */
static void perf_group_dissolve(struct perf_event *leader, bool attached)
{
	struct perf_event *member, *next;
	struct perf_group_gap gap = { };

	/* A leader that has been off for long, or is pinned, has no age for its members. */
	if (attached && leader->pmu_ctx &&
	    (leader->state < PERF_EVENT_STATE_INACTIVE || leader->attr.pinned))
		perf_group_level(leader);
	list_for_each_entry_safe(member, next, &leader->sibling_list, sibling_list) {
		/*
		 * A member that wrote into the leader's AUX area has nowhere to write
		 * now, and PERF_EV_CAP_SIBLING events can never lead a group.
		 */
		if ((perf_event_needs_aux(member) || member->event_caps & PERF_EV_CAP_SIBLING) &&
		    member->state > PERF_EVENT_STATE_ERROR)
			perf_event_set_state(member, PERF_EVENT_STATE_ERROR);
		INIT_LIST_HEAD(&member->sibling_list);
		member->group_leader = member;
		perf_event_follow(member);
		member->attach_state &= ~PERF_ATTACH_GROUP;
		member->group_runtime = leader->group_runtime;
		if (attached && (member->attach_state & PERF_ATTACH_CONTEXT))
			perf_group_enter(member, &gap);
		else
			perf_group_update_caps(member);
		perf_sample_layout_group(member);
	}
	INIT_LIST_HEAD(&leader->sibling_list);
	leader->nr_siblings = 0;
	perf_group_update_caps(leader);
}

static void perf_group_unlink(struct perf_event *event, struct perf_event *leader)
{
	list_del_init(&event->sibling_list);
	event->group_leader = event;
	perf_event_follow(event);
	event->attach_state &= ~PERF_ATTACH_GROUP;
	leader->nr_siblings--;
	perf_group_update_caps(event);
}

/*
 * Take a member off and out of its group. If the same PMU schedules the group without it,
 * members that are on stay on.
 *
 * Return: whether the group is to be scheduled anew.
 */
static bool perf_group_leave_leader(struct perf_event *event, bool attached)
{
	struct perf_event_pmu_context *epc = event->pmu_ctx;
	struct perf_event *leader = event->group_leader;

	/* Files of a task that exits are closed one by one, and nothing is scheduled any more. */
	if (event->ctx->task == PERF_TASK_GONE) {
		perf_group_unlink(event, leader);
		return false;
	}
	if (!attached || is_resident(leader)) {
		perf_group_unlink(event, leader);
		perf_group_update_caps(leader);
		perf_sample_layout_group(leader);
		return false;
	}
	perf_event_sched_out(event);
	perf_group_unlink(event, leader);
	perf_sample_layout_group(leader);
	if (epc->pmu == perf_group_find_pmu(leader)) {
		perf_group_update_caps(leader);
		/* It may have waited for a counter for this member. */
		return leader->state != PERF_EVENT_STATE_ACTIVE;
	}
	/* The members still have the part of the context from which they go. */
	perf_group_leave(leader);
	perf_group_enter(leader, NULL);
	return true;
}

/* Undo perf_group_enlist() and the other steps that are not about the event's group. */
static void perf_group_delist(struct perf_event *event, struct perf_cpu_context *cpuctx,
			      struct detach_args *args)
{
	struct perf_event_context *ctx = event->ctx;

	if (!(event->event_caps & PERF_EV_CAP_RESIDENT))
		args->home = perf_pmu_context_of(ctx, event->pmu);
	list_del_rcu(&event->event_entry);
	if (event->cgrp)
		perf_cgroup_count(event, cpuctx, -1);
	perf_group_count_event(event, -1);
	event->attach_state &= ~PERF_ATTACH_CONTEXT;
	event->pmu_ctx = NULL;
	perf_context_unreserve(ctx);
}

static void perf_group_detach_locked(struct perf_event *event, struct perf_cpu_context *cpuctx,
				     void *data)
{
	struct perf_event *leader = event->group_leader;
	bool attached = event->attach_state & PERF_ATTACH_CONTEXT;
	struct perf_event_context *ctx = event->ctx;
	struct perf_event_pmu_context *home = event->pmu_ctx, *epc;
	struct detach_args *args = data;
	bool resched, moved;

	/*
	 * Members without a leader have been taken off, and may be on alone. A counter
	 * that nobody of a group is left for is given away at the next rotation, as that
	 * of a disabled event is.
	 */
	if (leader == event) {
		moved = event->nr_siblings;
		resched = attached && moved && !is_resident(event);
		if (attached && is_resident(event))
			perf_resident_leader_leave(event);
		else if (attached)
			perf_group_leave(event);
		/* Where nothing is scheduled any more, members go the same way one by one. */
		perf_group_dissolve(event, attached && ctx->task != PERF_TASK_GONE);
	} else {
		resched = false;
		if (attached && is_resident(leader)) {
			perf_resident_stop(event, PERF_EVENT_STATE_INACTIVE);
			perf_swevent_resident_del(event);
		}
		if (event->attach_state & PERF_ATTACH_GROUP)
			resched = perf_group_leave_leader(event, attached);
		moved = leader->pmu_ctx != home;
	}
	args->enabled = event->state >= PERF_EVENT_STATE_INACTIVE;
	if (event->state > args->end)
		perf_event_set_state(event, args->end);
	if (!attached)
		return;
	perf_group_delist(event, cpuctx, args);
	if (!resched || !cpuctx)
		return;
	if (!moved) {
		perf_pmu_resched_cpu(cpuctx, ctx, home->pmu);
		return;
	}
	/* The events that stay may have to be scheduled by another PMU now. */
	for_each_pmu_context(epc, ctx)
		perf_pmu_resched_cpu(cpuctx, ctx, epc->pmu);
}

/* Call @func for an event whose context runs on no CPU. */
static void perf_group_change_here(struct perf_event *event, perf_event_func_t func, void *data)
{
	struct perf_event_context *ctx = event->ctx;

	raw_spin_lock_irq(&ctx->lock);
	perf_context_begin(ctx);
	func(event, NULL, data);
	perf_context_end(ctx);
	raw_spin_unlock_irq(&ctx->lock);
}

static void perf_group_complete_locked(struct perf_event *leader, struct perf_cpu_context *cpuctx,
				       void *data)
{
	perf_sample_layout_group(leader);
	perf_group_enter(leader, NULL);
}

/**
 * perf_group_complete - let a group of copies be scheduled and count
 * @leader: leader of the group, all of which has been attached by
 *	perf_event_attach_copy(); ctx->mutex is held, and the caller alone knows the
 *	context
 *
 * Takes ctx->lock; interrupts are on.
 */
void perf_group_complete(struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->mutex);
	WARN_ON_ONCE(leader->group_leader != leader);
	perf_group_change_here(leader, perf_group_complete_locked, NULL);
}

static void perf_group_detach_done(struct perf_event *event, struct detach_args *args,
				   bool was_attached)
{
	if (args->home)
		perf_pmu_context_put(args->home);
	if (was_attached) {
		perf_sideband_detach(event);
		perf_event_put(event);
	}
}

/*
 * Is the event a group by itself, and off? No PMU knows of it then. Its last overflow was over
 * when it was taken off, which only an event's own CPU does. Nothing puts it on again while the
 * caller holds ctx->mutex, or the family's lock for a copy.
 */
static bool perf_group_is_off(const struct perf_event *event)
{
	if (event->group_leader != event || event->nr_siblings)
		return false;
	/* Pairs with perf_event_set_state(): an event that is seen off has left its PMU. */
	return smp_load_acquire(&event->state) <= PERF_EVENT_STATE_OFF;
}

/*
 * May an event be detached by another CPU than that on which its context runs? Not a software
 * event that samples: a site there may be about to write its sample, which is over when that
 * CPU has made the call. Not an event that goes to another context: a site that stands
 * at it would follow it there. Not the last event of a task: without one, switches pass
 * over the context, so that its clock has to be stopped where it runs.
 */
static bool perf_group_detaches_anywhere(const struct perf_event *event,
					 enum perf_event_state end)
{
	const struct perf_event_context *ctx = event->ctx;

	lockdep_assert_held(&ctx->mutex);
	return (perf_group_is_lone_resident(event) || (perf_group_is_off(event) && !event->cgrp)) &&
	       !(is_sampling_event(event) && is_software_event(event)) &&
	       end <= PERF_EVENT_STATE_EXIT &&
	       (ctx->nr_events > 1 || !ctx->task);
}

/*
 * Does the group have resident events which the PMU schedules only for the sake of other events,
 * of which @event is one?
 */
static bool perf_group_holds_residents(const struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader, *member;

	if (is_resident(leader) || (event->event_caps & PERF_EV_CAP_RESIDENT))
		return false;
	if (leader->event_caps & PERF_EV_CAP_RESIDENT)
		return true;
	for_each_sibling_event(member, leader) {
		if (member->event_caps & PERF_EV_CAP_RESIDENT)
			return true;
	}
	return false;
}

/**
 * perf_event_detach - take an event out of its context and group
 * @event: the event, attached, or left over from a task that has exited
 * @end: the state to leave it in: PERF_EVENT_STATE_DEAD, or PERF_EVENT_STATE_EXIT at
 *	exec, or PERF_EVENT_STATE_OFF for an event that goes to another context
 *
 * If the event led a group, its members go on alone. Afterwards no site and no
 * switch finds the event; a site that is just looking at it does so under RCU.
 * ctx->mutex is held, and the family's lock for a copy. May sleep.
 * Return: whether the event was enabled.
 */
bool perf_event_detach(struct perf_event *event, enum perf_event_state end)
{
	struct detach_args args = { .end = end };
	struct perf_event_context *ctx = event->ctx;
	bool was_attached = event->attach_state & PERF_ATTACH_CONTEXT;

	lockdep_assert_held(&ctx->mutex);
	/*
	 * Members may become resident, and sites count resident events in the task's context. A
	 * residence that stands in for it would count the same occurrences in its own copies.
	 */
	if (was_attached && ctx->task != PERF_TASK_GONE && perf_group_holds_residents(event))
		perf_residence_leave(ctx);
	if (!was_attached || ctx->task == PERF_TASK_GONE)
		perf_group_change_here(event, perf_group_detach_locked, &args);
	else if (!perf_group_detaches_anywhere(event, end) ||
		 !perf_group_change_under_lock(event, perf_group_detach_locked, &args))
		perf_event_call(event, perf_group_detach_locked, &args);
	WARN_ON_ONCE(was_attached && event->group_leader != event);
	perf_group_detach_done(event, &args, was_attached);
	return args.enabled;
}

/* A copy leaves the group of copies that goes with it. */
static void perf_group_part_copy(struct perf_event *copy)
{
	struct perf_event *leader = copy->group_leader;

	if (leader == copy)
		return;
	list_del_init(&copy->sibling_list);
	leader->nr_siblings--;
	copy->group_leader = copy;
	copy->attach_state &= ~PERF_ATTACH_GROUP;
}

/**
 * perf_event_detach_at_exit - take an event from the context of a task that has exited
 * @event: the event, attached; ctx->mutex is held, and the family's lock for a copy
 * @end: PERF_EVENT_STATE_EXIT for an event that stays in its group, with which it can
 *	still be read; PERF_EVENT_STATE_DEAD for a copy, with which all of its group goes
 *
 * Nothing of the context is on, and its clock stands for ever. So the event's times stand,
 * too, and none has to be accounted at the change of its state. The task left at ctx->now.
 * The context's reference goes to the caller. May sleep.
 */
void perf_event_detach_at_exit(struct perf_event *event, enum perf_event_state end)
{
	struct perf_event_context *ctx = event->ctx;
	struct detach_args args = { };

	lockdep_assert_held(&ctx->mutex);
	WARN_ON_ONCE(ctx->task != PERF_TASK_GONE);
	raw_spin_lock_irq(&ctx->lock);
	if (is_resident(event->group_leader))
		perf_swevent_resident_del(event);
	else
		perf_group_erase(event);
	perf_group_delist(event, NULL, &args);
	if (end == PERF_EVENT_STATE_DEAD)
		perf_group_part_copy(event);
	event->oncpu = -1;
	if (event->state > end) {
		event->state_since = ctx->now;
		/* Pairs with perf_read_sync_count(): an event that is seen off has its count. */
		smp_store_release(&event->state, end);
	}
	if (rcu_access_pointer(event->rb))
		perf_event_update_userpage(event);
	raw_spin_unlock_irq(&ctx->lock);
	if (args.home)
		perf_pmu_context_put(args.home);
	perf_sideband_detach(event);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/group_test.c"
#endif
