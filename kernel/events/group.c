// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: membership, and which groups need scheduling
 *
 * A group is always on if each member has PERF_EV_CAP_ALWAYS_ON: a software event, or a clock event
 * that only counts. No context switch schedules the group in or out: while the group is attached,
 * event sites find its members, and enabling the group only changes its state. Every other enabled
 * group is in a tree of a PMU's part of its context (group_tree.c), and sched.c schedules it in and
 * out.
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
#include "sched.h"
#include "shared_ctx.h"
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
 * All events of a group must have the same context, CPU, cgroup and record clock, and except for
 * software events the same PMU. Only the leader may be pinned or exclusive.
 *
 * Return: 0 if it can, else -EINVAL
 */
int perf_group_may_join(const struct perf_event *leader, const struct perf_event *event)
{
	const struct perf_event *member;

	if (leader->group_leader != leader)
		return perf_refuse(PERF_REFUSED_GROUP_MEMBER);
	if (leader->ctx != event->ctx || leader->cpu != event->cpu || leader->cgrp != event->cgrp)
		return perf_refuse(PERF_REFUSED_GROUP_TARGET);
	if (leader->clock != event->clock)
		return perf_refuse(PERF_REFUSED_GROUP_CLOCK);
	if (event->attr.pinned)
		return perf_refuse(PERF_REFUSED_GROUP_PINNED);
	if (event->attr.exclusive)
		return perf_refuse(PERF_REFUSED_GROUP_EXCLUSIVE);
	if (event->event_caps & PERF_EV_CAP_SOFTWARE)
		return 0;
	if (!(leader->event_caps & PERF_EV_CAP_SOFTWARE) && leader->pmu != event->pmu)
		return perf_refuse_with_pmu(PERF_REFUSED_GROUP_PMU, event);
	for_each_sibling_event(member, leader) {
		if (!(member->event_caps & PERF_EV_CAP_SOFTWARE) && member->pmu != event->pmu)
			return perf_refuse_with_pmu(PERF_REFUSED_GROUP_PMU, event);
	}
	return 0;
}

/**
 * perf_always_on_start - start an enabled member of an always-on group with an enabled leader
 * @event: the event; its context is between perf_context_begin() and perf_context_end()
 */
void perf_always_on_start(struct perf_event *event)
{
	if (event->state != PERF_EVENT_STATE_INACTIVE)
		return;
	/* The context may run on another CPU, so this CPU writes no record. */
	perf_swevent_end_throttle(event, false);
	perf_event_set_state(event, PERF_EVENT_STATE_ACTIVE);
	if (perf_event_has_frequency(event))
		event->ctx->nr_freq++;
	event->oncpu = event->ctx->task ? -1 : event->cpu;
	perf_event_update_userpage(event);
}

/**
 * perf_always_on_stop - stop an event of an always-on group
 * @event: the event; its context is between perf_context_begin() and perf_context_end()
 * @state: new state, unless the event's state is lower already; PERF_EVENT_STATE_INACTIVE if only
 *	its leader is disabled
 */
void perf_always_on_stop(struct perf_event *event, enum perf_event_state state)
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
 * perf_always_on_start_group - start the enabled events of an always-on group
 * @leader: group leader; its context is between perf_context_begin() and perf_context_end()
 */
void perf_always_on_start_group(struct perf_event *leader)
{
	struct perf_event *member;

	if (leader->state < PERF_EVENT_STATE_INACTIVE)
		return;
	perf_always_on_start(leader);
	for_each_sibling_event(member, leader)
		perf_always_on_start(member);
}

/**
 * perf_always_on_stop_group - stop an always-on group
 * @leader: group leader; its context is between perf_context_begin() and perf_context_end()
 * @state: as for perf_always_on_stop(), for the leader
 */
void perf_always_on_stop_group(struct perf_event *leader, enum perf_event_state state)
{
	struct perf_event *member;

	perf_always_on_stop(leader, state);
	for_each_sibling_event(member, leader)
		perf_always_on_stop(member, PERF_EVENT_STATE_INACTIVE);
}

/*
 * Find the PMU that schedules the group: that of its hardware events, else that of a software
 * event that needs scheduling, else none.
 */
static struct pmu *perf_group_find_pmu(const struct perf_event *leader)
{
	const struct perf_event *member;
	struct pmu *pmu = NULL;

	if (!(leader->event_caps & PERF_EV_CAP_SOFTWARE))
		return leader->pmu;
	if (!(leader->event_caps & PERF_EV_CAP_ALWAYS_ON))
		pmu = leader->pmu;
	for_each_sibling_event(member, leader) {
		if (!(member->event_caps & PERF_EV_CAP_SOFTWARE))
			return member->pmu;
		if (!pmu && !(member->event_caps & PERF_EV_CAP_ALWAYS_ON))
			pmu = member->pmu;
	}
	return pmu;
}

static void perf_group_set_pmu_ctx(struct perf_event *leader)
{
	struct pmu *pmu = perf_group_find_pmu(leader);
	struct perf_event_pmu_context *epc = NULL;
	struct perf_event *member;

	if (pmu) {
		/* Each member that needs scheduling has a reference to its PMU's part. */
		epc = perf_pmu_context_of(leader->ctx, pmu);
		WARN_ON_ONCE(!epc);
	}
	/* The group moves to another PMU: discard leader->group_runtime. */
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
 * Start an always-on group, or add any other enabled group to the tree of its PMU. @gap: as for
 * perf_group_insert_next().
 */
static void perf_group_enqueue(struct perf_event *leader, struct perf_group_gap *gap)
{
	const struct perf_event_pmu_context *before = leader->pmu_ctx;
	struct perf_event *member;

	perf_group_update_caps(leader);
	perf_group_set_pmu_ctx(leader);
	if (!is_always_on(leader)) {
		if (leader->state < PERF_EVENT_STATE_INACTIVE)
			return;
		if (leader->pmu_ctx != before && !leader->attr.pinned)
			perf_group_raise_age(leader);
		perf_group_insert_next(leader, gap);
		return;
	}
	perf_swevent_always_on_add(leader);
	for_each_sibling_event(member, leader)
		perf_swevent_always_on_add(member);
	perf_always_on_start_group(leader);
}

/* Undo perf_group_enqueue(): the group stops, but its members stay enabled or disabled. */
static void perf_group_dequeue(struct perf_event *leader)
{
	struct perf_event *member;

	if (!is_always_on(leader)) {
		perf_group_sched_out(leader);
		perf_group_tree_del(leader);
		return;
	}
	if (leader->state == PERF_EVENT_STATE_ACTIVE)
		perf_always_on_stop_group(leader, PERF_EVENT_STATE_INACTIVE);
	perf_swevent_always_on_del(leader);
	for_each_sibling_event(member, leader)
		perf_swevent_always_on_del(member);
}

/*
 * An always-on leader is removed, but its members are not. The members must keep their entries
 * in the lists of event sites: a site that was interrupted at a moved member would continue
 * from the member's new position, and see other events twice or not at all.
 */
static void perf_always_on_leader_del(struct perf_event *leader)
{
	if (leader->state == PERF_EVENT_STATE_ACTIVE)
		perf_always_on_stop_group(leader, PERF_EVENT_STATE_INACTIVE);
	perf_swevent_always_on_del(leader);
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
	/* The driver may change hw.flags while the event is attached: remember the flag. */
	if (n > 0 && event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT)
		event->event_flags |= PERF_EVENT_USER_READ;
	if (event->event_flags & PERF_EVENT_USER_READ)
		ctx->nr_user += n;
	if (n < 0)
		event->event_flags &= ~PERF_EVENT_USER_READ;
}

/* Make the event a member of the group. It does not count yet. */
static void perf_group_join_leader(struct perf_event *event, struct perf_event *leader)
{
	event->attach_state |= PERF_ATTACH_GROUP;
	/* A sample about a sleeping task may be walking the group on another CPU. */
	list_add_tail_rcu(&event->sibling_list, &leader->sibling_list);
	leader->nr_siblings++;
}

/* Add the event to its context's lists. */
static void perf_group_enlist(struct perf_event *event)
{
	struct perf_event_context *ctx = event->ctx;

	lockdep_assert_held(&ctx->lock);
	/* Tracepoints about the task walk only this list: the context may have many more events. */
	if (is_counted_about_task(event)) {
		WRITE_ONCE(ctx->walked, true);
		event->event_flags |= PERF_EVENT_TP_TASK;
		hlist_add_head_rcu(&event->hw.tp_task_entry, perf_tp_task_events(ctx));
	}
	list_add_tail_rcu(&event->event_entry, &ctx->event_list);
	perf_delay(ATTACHED);
	perf_group_count_event(event, 1);
}

/*
 * Event sites take no lock. Once the event is in a list, tracepoints about its task write samples
 * for it on other CPUs; once the event is active, event sites on this CPU write samples, also in an
 * NMI. So first the event becomes a member of its group, and the sizes of its records and its times
 * are set.
 */
static void perf_group_attach_locked(struct perf_event *event, struct perf_cpu_context *cpuctx,
				     void *data)
{
	struct perf_event *leader = event->group_leader;
	bool joins_always_on = leader != event && is_always_on(leader) &&
			       (event->event_caps & PERF_EV_CAP_ALWAYS_ON);
	bool *attached = data;

	event->attach_state |= PERF_ATTACH_CONTEXT;
	if (event->cgrp)
		perf_cgroup_count(event, cpuctx, 1);
	perf_event_sync_times_attach(event);
	if (unlikely(event->event_flags & PERF_EVENT_REENABLE)) {
		event->event_flags &= ~PERF_EVENT_REENABLE;
		perf_event_set_state(event, PERF_EVENT_STATE_INACTIVE);
	}
	if (leader != event) {
		if (!joins_always_on)
			perf_group_dequeue(leader);
		perf_group_join_leader(event, leader);
	}
	perf_sample_layout(event);
	if (leader != event)
		perf_sample_layout_group(leader);
	perf_group_enlist(event);

	if (joins_always_on) {
		event->pmu_ctx = leader->pmu_ctx;
		perf_swevent_always_on_add(event);
		if (leader->state == PERF_EVENT_STATE_ACTIVE)
			perf_always_on_start(event);
	} else {
		perf_group_enqueue(leader, NULL);
	}
	if (cpuctx && !is_always_on(leader) && leader->state >= PERF_EVENT_STATE_INACTIVE)
		perf_pmu_resched_cpu(cpuctx, event->ctx, leader->pmu_ctx->pmu);
	*attached = true;
}

/*
 * perf_group_attach_locked() for an inherited event, without the steps that perf_group_complete()
 * does for the whole group
 */
static void perf_group_attach_child_locked(struct perf_event *child,
					   struct perf_cpu_context *cpuctx, void *data)
{
	struct perf_event *leader = child->group_leader;
	bool *attached = data;

	WARN_ON_ONCE(cpuctx);
	child->attach_state |= PERF_ATTACH_CONTEXT | PERF_ATTACH_CHILD;
	perf_event_sync_times(child);
	if (leader != child)
		perf_group_join_leader(child, leader);
	perf_sample_layout(child);
	perf_group_enlist(child);
	*attached = true;
}

/* Schedule in a waiting group of current beside the groups that are scheduled in, if it fits. */
static bool perf_group_sched_in_beside(struct perf_cpu_context *cpuctx, struct perf_event *leader)
{
	struct pmu *pmu = leader->pmu_ctx->pmu;
	bool fits;

	if (!perf_group_is_inactive(leader) || perf_pmu_filtered_here(pmu) ||
	    (leader->cpu >= 0 && leader->cpu != smp_processor_id()))
		return false;
	cpuctx->task_ctx = leader->ctx;
	perf_pmu_disable(pmu);
	fits = perf_group_try_sched_in(leader, perf_this_cpc(pmu));
	perf_pmu_enable(pmu);
	return fits;
}

/**
 * perf_group_resched - schedule the groups of one PMU by priority, after a group was changed
 * @cpuctx: this CPU's context, locked
 * @epc: the PMU's part of the changed context, which is locked, too
 * @enabled: leader of the changed group if events of the group were enabled, or NULL
 *
 * During an exec of the context's task, the groups are scheduled once for all changes, by
 * perf_groups_exec_end(), because the exec may change very many groups. A group that the exec
 * enables, or whose leader it removes, does not wait until then if it fits: otherwise its count
 * would be scaled.
 *
 * Context: interrupts are off.
 */
void perf_group_resched(struct perf_cpu_context *cpuctx, struct perf_event_pmu_context *epc,
			struct perf_event *enabled)
{
	lockdep_assert_held(&epc->ctx->lock);
	if (!epc->in_exec)
		perf_pmu_resched_cpu(cpuctx, epc->ctx, epc->pmu);
	else if (!enabled || !perf_group_sched_in_beside(cpuctx, enabled))
		epc->resched_due = true;
}

/**
 * perf_group_change_under_lock - call a function for an event on no PMU, with ctx->lock held
 * @event: the event; ctx->mutex is held, or the inherit lock for an inherited event
 * @func: called for the event, without a CPU's context
 * @data: last argument of @func
 *
 * @func is called on this CPU, even if the context runs on another one. It is not called:
 *
 * - if the context runs and has events with a mapped page, because the page must be written on the
 *   context's CPU;
 * - if the context's task has exited, because its events do not change any more.
 *
 * Context: takes ctx->lock; interrupts are on.
 * Return: true if @func was called
 */
bool perf_group_change_under_lock(struct perf_event *event, perf_event_func_t func, void *data)
{
	struct perf_event_context *ctx = event->ctx;
	bool here;

	raw_spin_lock_irq(&ctx->lock);
	here = ctx->task != PERF_TASK_GONE &&
	       (likely(hlist_empty(&ctx->mapped)) || !perf_clock_runs(&ctx->clock));
	if (here) {
		perf_context_begin(ctx);
		func(event, NULL, data);
		perf_context_end(ctx);
	}
	raw_spin_unlock_irq(&ctx->lock);
	return here;
}

/* Is the event always on and without siblings? Then only event sites use it, under RCU. */
static bool perf_is_lone_always_on(const struct perf_event *event)
{
	return event->event_caps & PERF_EV_CAP_ALWAYS_ON && event->group_leader == event &&
	       !event->nr_siblings;
}

static int perf_group_attach(struct perf_event *event, perf_event_func_t func)
{
	struct perf_event_context *ctx = event->ctx;
	bool needs_epc = !(event->event_caps & PERF_EV_CAP_ALWAYS_ON);
	struct perf_event_pmu_context *epc;
	bool attached = false;

	lockdep_assert_held(&ctx->mutex);
	if (ctx->task == PERF_TASK_GONE)
		return perf_refuse(PERF_REFUSED_TASK_EXITED);
	if (event->state <= PERF_EVENT_STATE_EXIT)
		return perf_refuse(PERF_REFUSED_PMU_GONE);
	if (needs_epc) {
		epc = perf_pmu_context_get(ctx, event);
		if (IS_ERR(epc))
			return PTR_ERR(epc);
	}

	perf_event_get_ref(event);
	perf_context_reserve(ctx);
	if (!perf_is_lone_always_on(event) ||
	    !perf_group_change_under_lock(event, func, &attached))
		perf_event_call(event, func, &attached);
	/* The exit of the context's task takes ctx->mutex before it sets PERF_TASK_GONE. */
	WARN_ON_ONCE(!attached);
	perf_sideband_attach(event);
	return 0;
}

/**
 * perf_event_attach - add an event to its context and group
 * @event: the event, initialised; its context is set, and ctx->mutex is held; @event->group_leader
 *	is the event itself, or a leader that it may join
 *
 * The context has a reference to the event until perf_event_detach().
 *
 * Context: may sleep.
 * Return: 0 on success, -ESRCH if the context's task has exited, -ENODEV if the event's PMU was
 * unregistered, -ENOMEM
 */
int perf_event_attach(struct perf_event *event)
{
	return perf_group_attach(event, perf_group_attach_locked);
}

/**
 * perf_event_attach_child - add an inherited event to an unpublished context
 * @child: the inherited event, prepared as for perf_event_attach(); its leader was attached by this
 *	function, too
 *
 * The group does not count before perf_group_complete(), which does the work for the whole group
 * once, instead of for each member.
 *
 * Context: may sleep.
 * Return: 0 on success, -ENODEV if the event's PMU was unregistered, -ENOMEM
 */
int perf_event_attach_child(struct perf_event *child)
{
	return perf_group_attach(child, perf_group_attach_child_locked);
}

/**
 * struct detach_args - arguments and results of perf_group_detach_locked()
 * @end: new state of the event
 * @epc: result: the context's part for the event's own PMU, with the reference that the
 *	caller must drop, or NULL
 * @enabled: result: the event was enabled
 */
struct detach_args {
	enum perf_event_state		end;
	struct perf_event_pmu_context	*epc;
	bool				enabled;
};

/*
 * Make each member its own leader, with the leader's group_runtime. The caller has scheduled out
 * the group as a whole: one by one, the members of a large group would take long. If @cpuctx is not
 * NULL, schedule in the members that fit.
 */
static void perf_group_dissolve(struct perf_event *leader, struct perf_cpu_context *cpuctx,
				bool attached)
{
	struct perf_event *member, *next;
	struct perf_group_gap gap = { };

	/* The members get the leader's runtime, outdated if the leader is disabled or pinned. */
	if (attached && leader->pmu_ctx &&
	    (leader->state < PERF_EVENT_STATE_INACTIVE || leader->attr.pinned))
		perf_group_raise_age(leader);
	list_for_each_entry_safe(member, next, &leader->sibling_list, sibling_list) {
		/*
		 * A member that wrote to the leader's AUX area has no area any more, and
		 * PERF_EV_CAP_SIBLING events cannot be group leaders.
		 */
		if ((perf_event_needs_aux(member) || member->event_caps & PERF_EV_CAP_SIBLING) &&
		    member->state > PERF_EVENT_STATE_ERROR)
			perf_event_set_state(member, PERF_EVENT_STATE_ERROR);
		INIT_LIST_HEAD(&member->sibling_list);
		member->group_leader = member;
		/* Under a leader that is off, the member did not wait for a counter. */
		if (leader->state < PERF_EVENT_STATE_INACTIVE)
			perf_event_sync_times_attach(member);
		else
			perf_event_sync_times(member);
		member->attach_state &= ~PERF_ATTACH_GROUP;
		member->group_runtime = leader->group_runtime;
		if (attached && (member->attach_state & PERF_ATTACH_CONTEXT))
			perf_group_enqueue(member, &gap);
		else
			perf_group_update_caps(member);
		perf_sample_layout_group(member);
		if (cpuctx && perf_group_is_inactive(member) && member->pmu_ctx) {
			perf_group_resched(cpuctx, member->pmu_ctx, member);
			/* The tree may have changed. */
			gap.root = NULL;
		}
	}
	INIT_LIST_HEAD(&leader->sibling_list);
	leader->nr_siblings = 0;
	perf_group_update_caps(leader);
}

static void perf_group_unlink(struct perf_event *event, struct perf_event *leader)
{
	list_del_init(&event->sibling_list);
	event->group_leader = event;
	perf_event_sync_times(event);
	event->attach_state &= ~PERF_ATTACH_GROUP;
	leader->nr_siblings--;
	perf_group_update_caps(event);
}

/*
 * Schedule out a member and remove it from its group. The rest of the group stays scheduled in if
 * the group's PMU does not change.
 *
 * Return true if the group must be rescheduled.
 */
static bool perf_group_leave_leader(struct perf_event *event, bool attached)
{
	struct perf_event_pmu_context *epc = event->pmu_ctx;
	struct perf_event *leader = event->group_leader;

	/*
	 * The task has exited, so no event of the group is scheduled again: only unlink the
	 * event.
	 */
	if (event->ctx->task == PERF_TASK_GONE) {
		perf_group_unlink(event, leader);
		return false;
	}
	if (!attached || is_always_on(leader)) {
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
		/* The group may have waited for the counter of this member. */
		return leader->state != PERF_EVENT_STATE_ACTIVE;
	}
	/* Another PMU, or none, schedules the group now: remove it from the old PMU's tree. */
	perf_group_dequeue(leader);
	perf_group_enqueue(leader, NULL);
	return true;
}

/* Undo perf_group_enlist() and the other steps that do not concern the event's group. */
static void perf_group_delist(struct perf_event *event, struct perf_cpu_context *cpuctx,
			      struct detach_args *args)
{
	struct perf_event_context *ctx = event->ctx;

	if (!(event->event_caps & PERF_EV_CAP_ALWAYS_ON))
		args->epc = perf_pmu_context_of(ctx, event->pmu);
	lockdep_assert_held(&ctx->lock);
	list_del_rcu(&event->event_entry);
	if (event->event_flags & PERF_EVENT_TP_TASK) {
		event->event_flags &= ~PERF_EVENT_TP_TASK;
		hlist_del_rcu(&event->hw.tp_task_entry);
	}
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
	struct perf_event_pmu_context *scheduler = event->pmu_ctx, *epc;
	struct detach_args *args = data;
	bool resched, moved, stay;

	/*
	 * The siblings of a removed leader become groups of their own, and the PMU is
	 * rescheduled for them. But in an exec the siblings would wait: if they are scheduled in,
	 * they stay so. If no event of the group is left, waiting groups get its counters at the
	 * next rotation, as after the disable of an event.
	 */
	if (leader == event) {
		moved = event->nr_siblings;
		stay = cpuctx && scheduler && scheduler->in_exec &&
		       event->state == PERF_EVENT_STATE_ACTIVE;
		resched = attached && moved && !is_always_on(event) && !stay;
		if (attached && is_always_on(event))
			perf_always_on_leader_del(event);
		else if (attached)
			perf_group_dequeue(event);
		/*
		 * After the task's exit the siblings are not scheduled again, so they are
		 * added to no tree.
		 */
		perf_group_dissolve(event, stay ? cpuctx : NULL,
				    attached && ctx->task != PERF_TASK_GONE);
	} else {
		resched = false;
		if (attached && is_always_on(leader)) {
			perf_always_on_stop(event, PERF_EVENT_STATE_INACTIVE);
			perf_swevent_always_on_del(event);
		}
		if (event->attach_state & PERF_ATTACH_GROUP)
			resched = perf_group_leave_leader(event, attached);
		moved = leader->pmu_ctx != scheduler;
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
		perf_group_resched(cpuctx, scheduler, NULL);
		return;
	}
	/* Another PMU may schedule the remaining events now. */
	for_each_pmu_context(epc, ctx)
		perf_group_resched(cpuctx, epc, NULL);
}

/*
 * Call @func with ctx->lock held, without a call to another CPU: the event is not attached, or its
 * context is scheduled out.
 */
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
	perf_group_enqueue(leader, NULL);
}

/**
 * perf_group_complete - start an inherited group, or add it to its tree
 * @leader: leader of a group whose events were all attached by perf_event_attach_child();
 *	ctx->mutex is held, and the context is unpublished
 *
 * Context: takes ctx->lock; interrupts are on.
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
	if (args->epc)
		perf_pmu_context_put(args->epc);
	if (was_attached) {
		perf_sideband_detach(event);
		perf_event_put(event);
	}
}

/*
 * Is the event disabled and without siblings? Such an event is on no PMU. The last overflow is
 * complete, because only the event's own CPU schedules it out. The event is not scheduled in again
 * while the caller holds ctx->mutex, or the inherit lock for an inherited event.
 */
static bool perf_group_is_off(const struct perf_event *event)
{
	if (event->group_leader != event || event->nr_siblings)
		return false;
	/* Pairs with perf_event_set_state(): if OFF is read, the event has left its PMU. */
	return smp_load_acquire(&event->state) <= PERF_EVENT_STATE_OFF;
}

/*
 * May any CPU detach the event, without a call of the CPU that runs its context? Not if
 * - the event is a sampling software event: an event site may be writing its sample, and
 *   the call waits for the site;
 * - the event moves to another context: an event site at this event would continue in the
 *   lists of that context;
 * - the event is the last one of a task: context switches ignore a context without events,
 *   so the call must stop the context's clock.
 */
static bool perf_group_detaches_anywhere(const struct perf_event *event,
					 enum perf_event_state end)
{
	const struct perf_event_context *ctx = event->ctx;

	lockdep_assert_held(&ctx->mutex);
	return (perf_is_lone_always_on(event) || (perf_group_is_off(event) && !event->cgrp)) &&
	       !(is_sampling_event(event) && is_software_event(event)) &&
	       end <= PERF_EVENT_STATE_EXIT &&
	       (ctx->nr_events > 1 || !ctx->task);
}

/*
 * Does @event keep other events of its group from being always on? These events may become always
 * on when @event is removed.
 */
static bool perf_group_has_always_on_members(const struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader, *member;

	if (is_always_on(leader) || (event->event_caps & PERF_EV_CAP_ALWAYS_ON))
		return false;
	if (leader->event_caps & PERF_EV_CAP_ALWAYS_ON)
		return true;
	for_each_sibling_event(member, leader) {
		if (member->event_caps & PERF_EV_CAP_ALWAYS_ON)
			return true;
	}
	return false;
}

/**
 * perf_event_detach - remove an event from its context and group
 * @event: the event, attached, or remaining after the exit of its task
 * @end: new state: PERF_EVENT_STATE_DEAD, or PERF_EVENT_STATE_EXIT at exec, or
 *	PERF_EVENT_STATE_OFF for an event that moves to another context
 *
 * Siblings of a removed leader become groups of their own. Afterwards no event site and no
 * context switch finds the event; a site may still use it under RCU.
 *
 * Context: may sleep; ctx->mutex is held, and the inherit lock for an inherited event.
 * Return: true if the event was enabled
 */
bool perf_event_detach(struct perf_event *event, enum perf_event_state end)
{
	struct detach_args args = { .end = end };
	struct perf_event_context *ctx = event->ctx;
	bool was_attached = event->attach_state & PERF_ATTACH_CONTEXT;

	lockdep_assert_held(&ctx->mutex);
	/*
	 * Members may become always on, and event sites count always-on events in the task's
	 * context. A shared context would count the same occurrences in its own events.
	 */
	if (was_attached && ctx->task != PERF_TASK_GONE && perf_group_has_always_on_members(event))
		perf_ctx_set_unlink(ctx);
	if (!was_attached || ctx->task == PERF_TASK_GONE)
		perf_group_change_here(event, perf_group_detach_locked, &args);
	else if (!perf_group_detaches_anywhere(event, end) ||
		 !perf_group_change_under_lock(event, perf_group_detach_locked, &args))
		perf_event_call(event, perf_group_detach_locked, &args);
	WARN_ON_ONCE(was_attached && event->group_leader != event);
	perf_group_detach_done(event, &args, was_attached);
	return args.enabled;
}

/* Remove an event from an inherited group that is being removed. */
static void perf_group_unlink_child(struct perf_event *child)
{
	struct perf_event *leader = child->group_leader;

	if (leader == child)
		return;
	list_del_init(&child->sibling_list);
	leader->nr_siblings--;
	child->group_leader = child;
	child->attach_state &= ~PERF_ATTACH_GROUP;
}

/**
 * perf_event_detach_at_exit - remove an event from the context of an exited task
 * @event: the event, attached; ctx->mutex is held, and the inherit lock for an inherited event
 * @end: PERF_EVENT_STATE_EXIT for an event that stays in its group, which can still be read;
 *	PERF_EVENT_STATE_DEAD for an inherited event, whose whole group is removed
 *
 * The context is scheduled out, and its clock is never started again. So the event's times do not
 * change with its state. ctx->now is the time of the exit. The caller gets the context's reference
 * to the event.
 *
 * Context: may sleep.
 */
void perf_event_detach_at_exit(struct perf_event *event, enum perf_event_state end)
{
	struct perf_event_context *ctx = event->ctx;
	struct detach_args args = { };

	lockdep_assert_held(&ctx->mutex);
	WARN_ON_ONCE(ctx->task != PERF_TASK_GONE);
	raw_spin_lock_irq(&ctx->lock);
	if (is_always_on(event->group_leader))
		perf_swevent_always_on_del(event);
	else
		perf_group_tree_del(event);
	perf_group_delist(event, NULL, &args);
	if (end == PERF_EVENT_STATE_DEAD)
		perf_group_unlink_child(event);
	event->oncpu = -1;
	if (event->state > end) {
		event->state_since = ctx->now;
		/* Pairs with perf_read_sync_count(): a reader of the new state sees the count. */
		smp_store_release(&event->state, end);
	}
	if (rcu_access_pointer(event->rb))
		perf_event_update_userpage(event);
	raw_spin_unlock_irq(&ctx->lock);
	if (args.epc)
		perf_pmu_context_put(args.epc);
	perf_sideband_detach(event);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/group_test.c"
#endif
