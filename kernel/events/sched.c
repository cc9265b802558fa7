// SPDX-License-Identifier: GPL-2.0
/*
 * Scheduling: which groups have the counters, and what a task switch does.
 *
 * Pinned groups go first, those of the CPU before those of its task; then
 * flexible groups in the same order. Flexible groups that do not fit wait for
 * the rotation timer (rotate.c). A context without groups to schedule costs a
 * switch one lock and one reading of perf_clock().
 */

#include "cgroup.h"
#include "cold.h"
#include "context.h"
#include "delay.h"
#include "group_tree.h"
#include "internal.h"
#include "overflow.h"
#include "record/aux.h"
#include "record/sideband_task.h"
#include "record/userpage.h"
#include "residence.h"
#include "rotate.h"
#include "sched.h"
#include "sched_cb.h"
#include "settle.h"
#include "state.h"
#include "throttle.h"
#include "time.h"
#include "time_seq.h"

/*
 * A stretch has BACKFILL_TRIES tries at groups that turn out not to fit; the rest
 * is left to rotation. When not even a group of one event fits, there is hardly
 * any room left on the PMU: that costs BACKFILL_SINGLE tries at once.
 */
#define BACKFILL_TRIES	8
#define BACKFILL_SINGLE	4

DEFINE_STATIC_KEY_FALSE(perf_sched_events);
static atomic_t perf_sched_users;
static DEFINE_MUTEX(sched_events_mutex);

/* Drop the use that the last perf_sched_events_put() has left, after a delay. */
static void perf_sched_events_off(struct work_struct *work)
{
	guard(mutex)(&sched_events_mutex);
	if (atomic_dec_and_test(&perf_sched_users))
		static_branch_disable(&perf_sched_events);
}

static DECLARE_DELAYED_WORK(sched_events_work, perf_sched_events_off);

/**
 * perf_sched_events_get - let task switches call perf from here on
 *
 * May sleep. The first caller waits until every CPU has seen the change.
 */
void perf_sched_events_get(void)
{
	if (atomic_inc_not_zero(&perf_sched_users))
		return;

	guard(mutex)(&sched_events_mutex);
	if (!atomic_read(&perf_sched_users)) {
		static_branch_enable(&perf_sched_events);
		/*
		 * A switch that began before may end without its second half. The caller waits for
		 * that, and need not wait behind the grace periods of others: all CPUs have been
		 * interrupted for the key as it is.
		 */
		synchronize_rcu_expedited();
	}
	atomic_inc(&perf_sched_users);
}

/**
 * perf_sched_events_put - undo perf_sched_events_get()
 *
 * When the last use ends, the key stays on for a minute: the next event may be
 * opened soon, and should not have to wait for a grace period. Any context.
 */
void perf_sched_events_put(void)
{
	if (!atomic_add_unless(&perf_sched_users, -1, 1))
		schedule_delayed_work(&sched_events_work, 60 * HZ);
}

static void perf_sched_assert_on_cpu(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	WARN_ON_ONCE(event->oncpu != smp_processor_id());
}

/* Give one event a counter; interrupts are off. */
static int perf_sched_pmu_add(struct perf_event *event, int flags)
{
	perf_sched_assert_on_cpu(event);
	return event->pmu->add(event, flags);
}

/* Take the event's counter away; interrupts are off. */
static void perf_sched_pmu_del(struct perf_event *event, int flags)
{
	perf_sched_assert_on_cpu(event);
	event->pmu->del(event, flags);
}

/**
 * perf_event_pmu_start - let an event's counter run
 * @event: the event, active on this CPU
 * @flags: PERF_EF_RELOAD, or 0
 *
 * Interrupts are off; also called from overflow handling, which may be in NMI.
 */
void perf_event_pmu_start(struct perf_event *event, int flags)
{
	if (WARN_ON_ONCE(event->state != PERF_EVENT_STATE_ACTIVE))
		return;
	event->pmu->start(event, flags);
}

/**
 * perf_event_pmu_stop - halt an event's counter, which the event keeps
 * @event: the event, active on this CPU
 * @flags: PERF_EF_UPDATE, or 0
 *
 * Interrupts are off; also called from overflow handling, which may be in NMI.
 */
void perf_event_pmu_stop(struct perf_event *event, int flags)
{
	if (WARN_ON_ONCE(event->state != PERF_EVENT_STATE_ACTIVE))
		return;
	event->pmu->stop(event, flags);
}

/* Groups on and off */

/*
 * perf_event_set_state() for an event that gets its counter (@on) or loses it, at @now by
 * its clock. A switch does this for each event that it puts on or takes off.
 */
static __always_inline void perf_sched_set_on(struct perf_event *event, bool on, u64 now)
{
	enum perf_event_state state = on ? PERF_EVENT_STATE_ACTIVE : PERF_EVENT_STATE_INACTIVE;

	lockdep_assert_held(&event->ctx->lock);
	WARN_ON_ONCE(event->state < PERF_EVENT_STATE_INACTIVE);
	if (on)
		event->total_time_running = perf_time_at(atomic64_read(&event->time_running), now);
	else
		event->state_since = now;
	perf_time_let_run(&event->time_running, now, on);
	perf_delay(STATE_SET);
	/* Pairs with perf_read_sync_count(): a reader that does not see ACTIVE sees the count. */
	smp_store_release(&event->state, state);
}

/* perf_sched_count_counters() for an event that takes a counter, or is counted apart. */
static void perf_sched_count_counter(const struct perf_event *event, int n)
{
	struct perf_cpu_pmu_context *cpc = perf_this_cpc(event->pmu_ctx->pmu);
	bool alone = event->attr.exclusive;

	if (perf_event_has_frequency(event))
		event->ctx->nr_freq += n;
	if (!is_software_event(event)) {
		cpc->active_oncpu += n;
		/* Events of the kernel, as the NMI watchdog's, are always on: they do not count. */
		if (!is_kernel_event(event))
			cpc->users_oncpu += n;
	}
	if (likely(!alone && !cpc->exclusive))
		return;
	if (n > 0)
		cpc->exclusive |= alone;
	else
		cpc->exclusive &= !alone && cpc->active_oncpu;
}

/* Account for an event that has got a counter (@n is 1) or given it back (-1). */
static __always_inline void perf_sched_count_counters(const struct perf_event *event, int n)
{
	if (!is_software_event(event) || event->attr.exclusive || event->attr.freq)
		perf_sched_count_counter(event, n);
}

/*
 * An event of a group may be of another PMU than the group, whose PMU is disabled
 * while events come and go.
 */
static void perf_sched_pmu_disable(struct pmu *pmu, const struct pmu *disabled)
{
	if (unlikely(pmu != disabled))
		perf_pmu_disable(pmu);
}

static void perf_sched_pmu_enable(struct pmu *pmu, const struct pmu *disabled)
{
	if (unlikely(pmu != disabled))
		perf_pmu_enable(pmu);
}

/* Put one event on its PMU at @now by its clock; the PMU @disabled is disabled. */
static int perf_event_sched_in(struct perf_event *event, const struct pmu *disabled, u64 now)
{
	if (event->state <= PERF_EVENT_STATE_OFF)
		return 0;

	WRITE_ONCE(event->oncpu, smp_processor_id());
	/* Pairs with perf_read_sync_count(): a reader that sees ACTIVE also sees this oncpu. */
	smp_wmb();
	perf_delay(ONCPU_SET);
	/* Drivers look at the state: it is active before the counter runs. */
	perf_sched_set_on(event, true, now);
	perf_delay(ACTIVE_SET);
	/* An event that was throttled when it was taken off starts afresh. */
	if (unlikely(perf_event_throttled(event)))
		perf_event_unthrottle_in(event);

	perf_sched_pmu_disable(event->pmu, disabled);
	/* This record has to precede all that the driver writes once it has started. */
	perf_log_itrace_start(event);
	if (perf_sched_pmu_add(event, PERF_EF_START)) {
		perf_sched_set_on(event, false, now);
		event->oncpu = -1;
		perf_sched_pmu_enable(event->pmu, disabled);
		return -EAGAIN;
	}
	perf_sched_count_counters(event, 1);
	perf_sched_pmu_enable(event->pmu, disabled);
	return 0;
}

/*
 * Take one event off its PMU at @now by its clock, unless it is off; the PMU @disabled is
 * disabled.
 */
static void __perf_event_sched_out(struct perf_event *event, const struct pmu *disabled, u64 now)
{
	lockdep_assert_held(&event->ctx->lock);
	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return;

	perf_sched_pmu_disable(event->pmu, disabled);
	perf_sched_pmu_del(event, 0);
	perf_delay(DELETED);
	/* Pairs with perf_read_sync_count(): no CPU is seen with the count that del() left. */
	smp_store_release(&event->oncpu, -1);
	perf_delay(ONCPU_CLEARED);
	/* An overflow may have asked to disable the event; its irq_work may not have run. */
	if (unlikely(perf_event_take_disable(event)))
		perf_event_set_state(event, PERF_EVENT_STATE_OFF);
	else
		perf_sched_set_on(event, false, now);
	perf_sched_count_counters(event, -1);
	perf_sched_pmu_enable(event->pmu, disabled);
}

/**
 * perf_event_sched_out - take one event off the PMU
 * @event: the event; its ctx->lock is held
 *
 * Does nothing unless the event is active.
 */
void perf_event_sched_out(struct perf_event *event)
{
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		__perf_event_sched_out(event, NULL, perf_group_change_time(event));
}

/**
 * perf_group_sched_out - take a group off the PMU
 * @leader: of the group; its ctx->lock is held
 *
 * Does nothing unless the leader is active.
 */
void perf_group_sched_out(struct perf_event *leader)
{
	struct pmu *pmu = leader->pmu_ctx->pmu;
	struct perf_event *member;
	u64 ran, now;

	if (leader->state != PERF_EVENT_STATE_ACTIVE)
		return;

	now = perf_group_change_time(leader);
	ran = perf_time_at(atomic64_read(&leader->time_running), now) - leader->total_time_running;
	perf_pmu_disable(pmu);
	__perf_event_sched_out(leader, pmu, now);
	for_each_sibling_event(member, leader)
		__perf_event_sched_out(member, pmu, now);
	perf_pmu_enable(pmu);

	list_del_init(&leader->active_list);
	if (!leader->attr.pinned)
		perf_group_ran(leader, ran);
	if (unlikely(leader->state < PERF_EVENT_STATE_INACTIVE))
		perf_group_erase(leader);
}

static int perf_group_sched_in(struct perf_event *leader)
{
	struct pmu *pmu = leader->pmu_ctx->pmu;
	struct perf_cpu_pmu_context *cpc = perf_this_cpc(pmu);
	struct perf_event *member, *failed = NULL;
	u64 now = perf_group_change_time(leader);

	if (WARN_ON_ONCE(leader->state != PERF_EVENT_STATE_INACTIVE))
		return -EAGAIN;
	WARN_ON_ONCE(!__this_cpu_read(*pmu->pmu_disable_count));
	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	if (perf_event_sched_in(leader, pmu, now)) {
		pmu->cancel_txn(pmu);
		return -EAGAIN;
	}
	for_each_sibling_event(member, leader) {
		if (perf_event_sched_in(member, pmu, now)) {
			failed = member;
			break;
		}
	}
	if (!failed && !pmu->commit_txn(pmu)) {
		list_add_tail(&leader->active_list,
			      leader->attr.pinned ? &leader->pmu_ctx->pinned_active :
						    &leader->pmu_ctx->flexible_active);
		cpc->most_oncpu = max(cpc->most_oncpu, cpc->active_oncpu);
		return 0;
	}

	/* A group goes on as a whole or not at all. */
	for_each_sibling_event(member, leader) {
		if (member == failed)
			break;
		__perf_event_sched_out(member, pmu, now);
	}
	__perf_event_sched_out(leader, pmu, now);
	pmu->cancel_txn(pmu);
	if (unlikely(leader->state < PERF_EVENT_STATE_INACTIVE))
		perf_group_erase(leader);
	return -EAGAIN;
}

/* Does attr.exclusive, of this group or of one that is on, allow the group to go on? */
static bool perf_sched_group_can_go_on(struct perf_event *leader, struct perf_cpu_pmu_context *cpc)
{
	if (leader->group_caps & PERF_EV_CAP_SOFTWARE)
		return true;
	if (cpc->exclusive)
		return false;
	return !leader->attr.exclusive || !cpc->users_oncpu;
}

/**
 * perf_group_try_sched_in - put a group on, if it fits
 * @leader: of a group that waits, in a context of this CPU or of its running task;
 *	the context is locked, and the group's PMU is disabled
 * @cpc: the group's PMU on this CPU
 *
 * Return: true when the group is on.
 */
bool perf_group_try_sched_in(struct perf_event *leader, struct perf_cpu_pmu_context *cpc)
{
	return perf_sched_group_can_go_on(leader, cpc) && !perf_group_sched_in(leader);
}

/* Is no flexible group of the PMU on, neither of this CPU nor of its task? */
static bool perf_sched_nothing_to_take_off(struct pmu *pmu)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct perf_event_pmu_context *cpu_epc = perf_cpu_part(cpuctx, pmu);
	struct perf_event_pmu_context *task_epc = perf_pmu_context_of(cpuctx->task_ctx, pmu);

	return (!cpu_epc || list_empty(&cpu_epc->flexible_active)) &&
	       (!task_epc || list_empty(&task_epc->flexible_active));
}

/**
 * perf_stretch_sched_in - put on the groups of one stretch of a tree that fit
 * @epc: the PMU's part that the tree belongs to; its context is locked
 * @pinned: take the tree of pinned groups, not that of flexible ones
 * @cpu: CPU of the stretch, -1 for groups that may run on any CPU
 * @cgrp: cgroup of the stretch, or NULL
 *
 * A pinned group that does not fit goes to the error state.
 * Return: whether a flexible group of the stretch waits.
 */
bool perf_stretch_sched_in(struct perf_event_pmu_context *epc, bool pinned, int cpu,
			   struct perf_cgroup *cgrp)
{
	struct perf_cpu_pmu_context *cpc = perf_this_cpc(epc->pmu);
	struct perf_event *leader, *next;
	int tries = BACKFILL_TRIES;
	bool some = false, wait = false;

	if (perf_pmu_kept_off(epc->pmu))
		return false;
	for (leader = perf_group_first(pinned ? &epc->pinned_groups : &epc->flexible_groups,
				       cpu, cgrp); leader; leader = next) {
		next = perf_group_next(leader);
		if (!perf_group_waits(leader))
			continue;
		if (perf_group_try_sched_in(leader, cpc)) {
			some = true;
			continue;
		}
		if (pinned) {
			perf_event_set_state(leader, PERF_EVENT_STATE_ERROR);
			perf_group_erase(leader);
			perf_state_note_obstacle(leader, cpc);
			perf_event_update_userpage(leader);
			/* This wakes readers by an irq_work: the runqueue's lock may be held. */
			perf_event_hangup(leader);
			continue;
		}
		perf_rotation_needed(cpc);
		wait = true;
		/*
		 * If nothing else is on, the failure is the group's own. It goes behind
		 * the others, which it may keep from being tried: a task that is always
		 * away when the timer expires has no rotation that would do it.
		 * If a single event does not fit while others are on, the PMU is nearly
		 * full: charge more.
		 */
		if (!some && perf_sched_nothing_to_take_off(epc->pmu)) {
			perf_group_pass(leader, ktime_to_ns(cpc->hrtimer_interval));
			tries--;
		} else {
			tries -= leader->nr_siblings ? 1 : BACKFILL_SINGLE;
		}
		/* Stop when the number of counters in use is the highest that there ever was. */
		if (tries <= 0 || (some && cpc->active_oncpu >= cpc->most_oncpu))
			break;
	}
	return wait;
}

/**
 * perf_groups_sched_in - put on those of a PMU's groups in one context that fit
 * @cpuctx: this CPU's context, locked
 * @epc: the PMU's part of a context that is locked, too
 * @pinned: take the pinned groups, not the flexible ones
 *
 * Return: whether a flexible group waits; groups of a cgroup are not looked at.
 */
bool perf_groups_sched_in(struct perf_cpu_context *cpuctx, struct perf_event_pmu_context *epc,
			  bool pinned)
{
	const struct rb_root *groups = pinned ? &epc->pinned_groups : &epc->flexible_groups;
	int cpu = smp_processor_id();
	const struct rb_node *last;
	bool wait = false;

	/* Few contexts have pinned groups, and few CPUs any. */
	if (RB_EMPTY_ROOT(groups))
		return false;
	if (epc->ctx->task) {
		wait = perf_stretch_sched_in(epc, pinned, -1, NULL);
		/* Groups of one CPU are the last of the tree, and few tasks have any. */
		last = rb_last(groups);
		if (!last || rb_entry(last, struct perf_event, group_node)->cpu < 0)
			return wait;
	}
	wait |= perf_stretch_sched_in(epc, pinned, cpu, NULL);
	if (!epc->ctx->task)
		perf_cgroup_stretches(cpuctx, epc, pinned, perf_stretch_sched_in);
	return wait;
}

/* Take groups off from the last to the first, so that perf_group_ran() has little to do. */
static void perf_sched_groups_out(struct list_head *active)
{
	struct perf_event *leader, *prev;

	list_for_each_entry_safe_reverse(leader, prev, active, active_list)
		perf_group_sched_out(leader);
}

/**
 * perf_pmu_resched_cpu - put groups of a PMU on this CPU in order of priority
 * @cpuctx: this CPU's context, locked, as is the running task's context
 * @ctx: which of the two contexts has changed
 * @pmu: the PMU
 *
 * Flexible groups are taken off first, so that they never keep a pinned group
 * out. Pinned groups that are on stay, but for those of the task when the CPU's
 * context has changed: they must not keep a pinned group of the CPU out.
 * Return: whether a flexible group of the task waits.
 */
bool perf_pmu_resched_cpu(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx,
			  struct pmu *pmu)
{
	struct perf_event_pmu_context *cpu_epc = perf_cpu_ready_part(cpuctx, pmu);
	struct perf_event_pmu_context *task_epc;
	bool wait = false;

	lockdep_assert_held(&cpuctx->ctx.lock);
	if (ctx->task)
		cpuctx->task_ctx = ctx;
	task_epc = perf_pmu_context_of(cpuctx->task_ctx, pmu);

	perf_pmu_disable(pmu);
	if (task_epc)
		perf_sched_groups_out(&task_epc->flexible_active);
	if (cpu_epc) {
		perf_sched_groups_out(&cpu_epc->flexible_active);
		if (task_epc && !ctx->task && !RB_EMPTY_ROOT(&cpu_epc->pinned_groups))
			perf_sched_groups_out(&task_epc->pinned_active);
		perf_groups_sched_in(cpuctx, cpu_epc, true);
	}
	if (task_epc)
		perf_groups_sched_in(cpuctx, task_epc, true);
	if (cpu_epc)
		perf_groups_sched_in(cpuctx, cpu_epc, false);
	if (task_epc)
		wait = perf_groups_sched_in(cpuctx, task_epc, false);
	perf_pmu_enable(pmu);
	return wait;
}

/**
 * perf_context_sched_out_all - take all groups of a context off
 * @ctx: context of this CPU or of its running task, locked
 */
void perf_context_sched_out_all(struct perf_event_context *ctx)
{
	struct perf_event_pmu_context *epc;

	lockdep_assert_held(&ctx->lock);
	for_each_pmu_context(epc, ctx) {
		perf_pmu_disable(epc->pmu);
		perf_sched_groups_out(&epc->flexible_active);
		perf_sched_groups_out(&epc->pinned_active);
		perf_pmu_enable(epc->pmu);
	}
}

/* Task switches */

/*
 * Take all groups off the CPU, and leave their PMUs disabled until the task that comes has put
 * on its own. Where both count with the same counters, a driver need not halt them.
 */
static void perf_context_sched_out_held(struct perf_cpu_context *cpuctx,
					struct perf_event_context *ctx)
{
	struct perf_event_pmu_context *epc;

	for_each_pmu_context(epc, ctx) {
		perf_pmu_disable(epc->pmu);
		perf_sched_groups_out(&epc->flexible_active);
		perf_sched_groups_out(&epc->pinned_active);
		perf_pmu_hold(cpuctx, epc->pmu);
	}
}

/* Do the CPU's flexible groups have counters that pinned groups of the task may need? */
static bool perf_sched_cpu_makes_way(struct perf_cpu_context *cpuctx,
				     const struct perf_event_pmu_context *epc)
{
	const struct perf_event_pmu_context *cpu_epc;

	if (likely(RB_EMPTY_ROOT(&epc->pinned_groups)))
		return false;
	cpu_epc = perf_cpu_part(cpuctx, epc->pmu);
	return cpu_epc && !list_empty(&cpu_epc->flexible_active);
}

/*
 * Put on the task's groups of one PMU beside those of the CPU, and tell the PMU of
 * the switch if it asked for that.
 */
static void perf_task_epc_sched_in(struct perf_cpu_context *cpuctx,
				   struct perf_event_pmu_context *epc)
{
	struct pmu *pmu = epc->pmu;
	bool wait;

	if (RB_EMPTY_ROOT(&epc->pinned_groups) && RB_EMPTY_ROOT(&epc->flexible_groups) &&
	    !perf_wants_switches(pmu))
		return;
	perf_pmu_disable(pmu);
	if (unlikely(perf_sched_cpu_makes_way(cpuctx, epc))) {
		wait = perf_pmu_resched_cpu(cpuctx, epc->ctx, pmu);
	} else {
		perf_groups_sched_in(cpuctx, epc, true);
		wait = perf_groups_sched_in(cpuctx, epc, false);
	}
	if (unlikely(wait) && perf_turn_is_due(cpuctx, epc))
		perf_rotate(cpuctx, perf_this_cpc(pmu), true);
	if (perf_switches_are_watched(cpuctx) && perf_wants_switches(pmu))
		pmu->sched_task(epc, current, true);
	perf_pmu_enable(pmu);
}

/* Tell the PMUs that asked for it of the switch, then take the task's groups off. */
static noinline void perf_sched_tell_and_go_out(struct perf_cpu_context *cpuctx,
						struct perf_event_context *ctx)
{
	struct perf_event_pmu_context *epc;

	for_each_pmu_context(epc, ctx) {
		perf_pmu_disable(epc->pmu);
		if (perf_wants_switches(epc->pmu))
			epc->pmu->sched_task(epc, current, false);
	}
	perf_context_sched_out_all(ctx);
	for_each_pmu_context(epc, ctx)
		perf_pmu_enable(epc->pmu);
	perf_tell_other_pmus(cpuctx, ctx, false);
}

/* @hold: this is the first half of a switch to a task that has groups to schedule, too. */
static __always_inline void
perf_context_leave_cpu(struct perf_cpu_context *cpuctx,
		       struct perf_event_context *ctx, bool is_switch, bool hold)
{
	/* Groups that are on share the PMU with those of the CPU: lock both contexts. */
	perf_context_lock_cpu(cpuctx, ctx);
	/* Cleared first: drivers look at it to close user space's way to the counters. */
	cpuctx->task_ctx = NULL;
	cpuctx->residence = NULL;
	if (is_switch && perf_switches_are_watched(cpuctx))
		perf_sched_tell_and_go_out(cpuctx, ctx);
	else if (hold)
		perf_context_sched_out_held(cpuctx, ctx);
	else
		perf_context_sched_out_all(ctx);
	if (perf_clock_runs(&ctx->clock))
		perf_clock_stop(&ctx->clock, ctx->now);
	perf_context_unlock_cpu(cpuctx, ctx);
}

/**
 * perf_context_sched_out - take a task's context, or its residence, off this CPU
 * @cpuctx: this CPU's context, not locked
 * @ctx: cpuctx->task_ctx, not locked
 *
 * Interrupts off.
 */
void perf_context_sched_out(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx)
{
	perf_context_leave_cpu(cpuctx, ctx, true, false);
}

/**
 * perf_context_take_off - perf_context_sched_out() that is no switch
 * @cpuctx: this CPU's context, not locked
 * @ctx: cpuctx->task_ctx, not locked
 *
 * PMUs that watch switches are not told: the context ends, or the last switch of its task was not
 * watched. Interrupts off.
 */
void perf_context_take_off(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx)
{
	perf_context_leave_cpu(cpuctx, ctx, false, false);
}

/*
 * A context has come to this CPU, and its lock is held: update pages that no driver does.
 * Resident events have no driver, nor have those that wait for a counter. Their times go
 * on, but without the time for which the context was away.
 */
static void perf_context_update_userpages(struct perf_event_context *ctx)
{
	struct perf_event_cold *cold;

	hlist_for_each_entry(cold, &ctx->mapped, mapped_entry) {
		struct perf_event *event = cold->event;

		if (is_resident(event) || event->state == PERF_EVENT_STATE_INACTIVE)
			perf_event_update_userpage(event);
	}
}

/*
 * Let a context without groups to schedule come in. Return: false when it has some,
 * which may be attached until the lock is held; then nothing has been done.
 */
static __always_inline bool perf_resident_context_in(struct perf_event_context *ctx)
{
	bool resident;

	if (unlikely(READ_ONCE(ctx->nr_sched)))
		return false;
	scoped_guard(raw_spinlock, &ctx->lock) {
		resident = !ctx->nr_sched;
		if (resident && ctx->nr_events && !perf_clock_runs(&ctx->clock))
			perf_context_start(ctx, perf_clock());
		/* For a context with groups, perf_scheduled_context_in() does this at its end. */
		if (resident && unlikely(!hlist_empty(&ctx->mapped)))
			perf_context_update_userpages(ctx);
	}
	return resident;
}

static noinline void perf_scheduled_context_in(struct perf_cpu_context *cpuctx,
					       struct perf_event_context *ctx,
					       const struct task_struct *prev)
{
	struct perf_event_context *residence = perf_residence_for(ctx, prev);
	struct perf_event_pmu_context *epc;

	if (residence)
		ctx = residence;
	perf_context_lock_cpu(cpuctx, ctx);
	/* The last event may have gone before the lock was held. */
	if (likely(ctx->nr_events)) {
		if (!perf_clock_runs(&ctx->clock))
			perf_context_start(ctx, ctx->now);
		cpuctx->task_ctx = ctx;
		cpuctx->residence = residence;
		for_each_pmu_context(epc, ctx)
			perf_task_epc_sched_in(cpuctx, epc);
		if (perf_switches_are_watched(cpuctx))
			perf_tell_other_pmus(cpuctx, ctx, true);
		if (unlikely(!hlist_empty(&ctx->mapped)))
			perf_context_update_userpages(ctx);
	}
	perf_context_unlock_cpu(cpuctx, ctx);
}

/**
 * perf_context_sched_in - put the running task's context, or its residence, on this CPU
 * @cpuctx: this CPU's context, not locked; its task_ctx is NULL
 * @ctx: the task's context, not locked
 * @prev: the task that was here before
 *
 * Interrupts off.
 */
void perf_context_sched_in(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx,
			   const struct task_struct *prev)
{
	if (!perf_resident_context_in(ctx))
		perf_scheduled_context_in(cpuctx, ctx, prev);
}

/* The first half of a switch to @next takes @ctx, or a residence, off the CPU. */
static void perf_context_switch_out(struct perf_cpu_context *cpuctx,
				    struct perf_event_context *ctx,
				    const struct task_struct *next)
{
	/* Interrupts are off, so that it is not freed meanwhile. What it has may change. */
	const struct perf_event_context *to = perf_task_context(next);

	perf_context_leave_cpu(cpuctx, ctx, true, to && READ_ONCE(to->nr_sched));
}

/**
 * __perf_event_task_sched_out - take a task's events off at a switch
 * @prev: the task that leaves the CPU, still current
 * @next: the task that comes
 *
 * Runqueue lock held, interrupts off.
 */
void __perf_event_task_sched_out(struct task_struct *prev, struct task_struct *next)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct perf_event_context *ctx = perf_task_context(prev);

	perf_delay(SWITCH_OUT);
	perf_switch_record(prev, next, false);
	if (perf_switches_are_watched(cpuctx) && !cpuctx->task_ctx)
		perf_tell_all_pmus(cpuctx, false);
	if (unlikely(cpuctx->task_ctx)) {
		/* A residence stays for a clone of the context that it stood in for. */
		if (!perf_residence_stays(cpuctx, next))
			perf_context_switch_out(cpuctx, cpuctx->task_ctx, next);
	} else if (ctx) {
		raw_spin_lock(&ctx->lock);
		perf_context_stop(ctx);
		raw_spin_unlock(&ctx->lock);
	}
	perf_cgroup_switch(cpuctx, next);
}

/**
 * __perf_event_task_sched_in - put a task's events on at a switch
 * @prev: the task that was on this CPU before
 * @task: the task that has come, current
 *
 * Interrupts off.
 */
void __perf_event_task_sched_in(struct task_struct *prev, struct task_struct *task)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct perf_event_context *ctx = perf_task_context(task);

	/*
	 * A residence has stayed for this task, which has left the clones since, or has
	 * been moved to a cgroup with events whose PMU is to be told of the switch. No PMU
	 * watched when the residence's last task left: none is told of that now.
	 */
	if (unlikely(cpuctx->task_ctx) &&
	    (!perf_residence_serves(cpuctx, ctx) || perf_switches_are_watched(cpuctx)))
		perf_context_take_off(cpuctx, cpuctx->task_ctx);
	if (ctx && likely(!cpuctx->task_ctx) && !perf_resident_context_in(ctx))
		perf_scheduled_context_in(cpuctx, ctx, prev);
	perf_switch_record(task, prev, true);
	if (perf_switches_are_watched(cpuctx) && !cpuctx->task_ctx)
		perf_tell_all_pmus(cpuctx, true);
	if (unlikely(cpuctx->held))
		perf_pmus_release(cpuctx);
}

/**
 * perf_pmu_resched - schedule a PMU's groups on this CPU anew
 * @pmu: the PMU, whose constraints have changed
 *
 * All groups, pinned ones too, are taken off and put on again. Preemption is off.
 */
void perf_pmu_resched(struct pmu *pmu)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct perf_event_pmu_context *epc;

	/* The PMU never had an event to schedule. */
	if (!READ_ONCE(pmu->cpu_pmu_context))
		return;
	guard(irqsave)();
	perf_context_lock_cpu(cpuctx, cpuctx->task_ctx);
	perf_pmu_disable(pmu);
	epc = perf_pmu_context_of(cpuctx->task_ctx, pmu);
	if (epc)
		perf_sched_groups_out(&epc->pinned_active);
	epc = perf_cpu_part(cpuctx, pmu);
	if (epc)
		perf_sched_groups_out(&epc->pinned_active);
	perf_pmu_resched_cpu(cpuctx, cpuctx->task_ctx ?: &cpuctx->ctx, pmu);
	perf_pmu_enable(pmu);
	perf_context_unlock_cpu(cpuctx, cpuctx->task_ctx);
}
EXPORT_SYMBOL_GPL(perf_pmu_resched);

/**
 * perf_pmu_resched_flexible - schedule a PMU's flexible groups on this CPU anew
 * @pmu: the PMU, which has more or fewer counters for them than before
 *
 * Pinned groups that are on stay on. Preemption is off.
 */
void perf_pmu_resched_flexible(struct pmu *pmu)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();

	/* The PMU never had an event to schedule. */
	if (!READ_ONCE(pmu->cpu_pmu_context))
		return;
	guard(irqsave)();
	perf_context_lock_cpu(cpuctx, cpuctx->task_ctx);
	/* The task's context, which has not changed, keeps its pinned groups on. */
	perf_pmu_resched_cpu(cpuctx, cpuctx->task_ctx ?: &cpuctx->ctx, pmu);
	perf_context_unlock_cpu(cpuctx, cpuctx->task_ctx);
}
EXPORT_SYMBOL_GPL(perf_pmu_resched_flexible);

/**
 * perf_event_task_tick - adjust frequencies and unthrottle events at the timer tick
 *
 * Called with interrupts off on each CPU that has a tick.
 */
void perf_event_task_tick(void)
{
	perf_adjust_freq_unthr(this_cpu_context());
}

#if defined(CONFIG_PERF_EVENTS_KUNIT_TEST) && IS_BUILTIN(CONFIG_PERF_EVENTS_SIM_PMU)
#include "tests/sched_test.c"
#include "tests/rotate_test.c"
#endif
