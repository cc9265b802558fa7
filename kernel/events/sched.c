// SPDX-License-Identifier: GPL-2.0
/*
 * Scheduling of groups on the counters, and context switches.
 *
 * Pinned groups are scheduled in first, the CPU's before its task's; then the flexible groups
 * in the same order. Flexible groups that do not fit wait for the rotation timer (rotate.c).
 * For a context without groups to schedule, a switch takes one lock and reads perf_clock()
 * once.
 */

#include "cgroup.h"
#include "child_cache.h"
#include "cold.h"
#include "context.h"
#include "delay.h"
#include "group_tree.h"
#include "internal.h"
#include "overflow.h"
#include "record/aux.h"
#include "record/sideband_task.h"
#include "record/userpage.h"
#include "rotate.h"
#include "sched.h"
#include "sched_cb.h"
#include "shared_ctx.h"
#include "state.h"
#include "throttle.h"
#include "time.h"
#include "time_seq.h"

/*
 * Limit on attempts to schedule in groups of a subtree that do not fit; rotation schedules in the
 * groups not tried. If not even a group of one event fits, the PMU is nearly full: such a failure
 * counts as BACKFILL_SINGLE attempts. An attempt takes time for each member, so every
 * BACKFILL_MEMBERS siblings count as another attempt.
 */
#define BACKFILL_TRIES		8
#define BACKFILL_SINGLE		4
#define BACKFILL_MEMBERS	32

static void perf_sched_assert_on_cpu(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	WARN_ON_ONCE(event->oncpu != smp_processor_id());
}

/* Interrupts are off. */
static int perf_sched_pmu_add(struct perf_event *event, int flags)
{
	perf_sched_assert_on_cpu(event);
	return event->pmu->add(event, flags);
}

/* Interrupts are off. */
static void perf_sched_pmu_del(struct perf_event *event, int flags)
{
	perf_sched_assert_on_cpu(event);
	event->pmu->del(event, flags);
}

/*
 * perf_event_set_state() for an event that is scheduled in (@on) or out at @now, a time of its
 * clock. A fast path: a context switch calls this for each event that it schedules in or out.
 */
static __always_inline void perf_sched_set_active(struct perf_event *event, bool on, u64 now)
{
	enum perf_event_state state = on ? PERF_EVENT_STATE_ACTIVE : PERF_EVENT_STATE_INACTIVE;

	lockdep_assert_held(&event->ctx->lock);
	WARN_ON_ONCE(event->state < PERF_EVENT_STATE_INACTIVE);
	perf_time_set_running(&event->time_running, now, on);
	perf_delay(STATE_SET);
	/* Pairs with perf_read_sync_count(): a reader that does not see ACTIVE sees the count. */
	smp_store_release(&event->state, state);
}

/*
 * Set event->total_time_running, in a union with event->state_since, only once the whole group is
 * scheduled in: an attempt that fails does not end the wait that began at event->state_since.
 */
static __always_inline void perf_sched_began(struct perf_event *event, u64 now)
{
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		event->total_time_running = perf_time_at(atomic64_read(&event->time_running), now);
}

/*
 * For an event that is scheduled in (@n is 1) or out (-1), update the number of events with a
 * frequency in its context, and in @cpc, the group's PMU on this CPU, the numbers of counters in
 * use and of exclusive blockers, and the exclusive flag.
 */
static __always_inline void perf_sched_count_counters(const struct perf_event *event,
						      struct perf_cpu_pmu_context *cpc, int n)
{
	if (perf_event_has_frequency(event))
		event->ctx->nr_freq += n;
	if (!is_software_event(event)) {
		cpc->active_oncpu += n;
		/*
		 * Kernel events, such as the NMI watchdog's, do not keep an exclusive group out:
		 * the group would wait for them for ever.
		 */
		if (!is_kernel_event(event))
			cpc->nr_exclusive_blockers += n;
	} else if (likely(!event->attr.exclusive)) {
		return;
	}
	if (n > 0)
		cpc->exclusive |= event->attr.exclusive;
	else if (unlikely(cpc->exclusive))
		cpc->exclusive = !event->attr.exclusive && cpc->active_oncpu;
}

/*
 * The PMU of the group is disabled while its events are scheduled in and out. A member may have
 * another PMU, which has to be disabled, too.
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

/*
 * Schedule in an event at @now, a time of its clock. @cpc: its group's PMU on this CPU.
 * @disabled: the PMU that the caller has disabled.
 */
static int perf_event_sched_in(struct perf_event *event, struct perf_cpu_pmu_context *cpc,
			       const struct pmu *disabled, u64 now)
{
	if (event->state <= PERF_EVENT_STATE_OFF)
		return 0;

	WRITE_ONCE(event->oncpu, smp_processor_id());
	/* Pairs with perf_read_sync_count(): a reader that sees ACTIVE also sees this oncpu. */
	smp_wmb();
	perf_delay(ONCPU_SET);
	/* Drivers read the state, so it must be ACTIVE before the counter runs. */
	perf_sched_set_active(event, true, now);
	perf_delay(ACTIVE_SET);
	/* An event that was throttled when it was scheduled out is unthrottled now. */
	if (unlikely(perf_event_throttled(event)))
		perf_event_unthrottle_in(event);

	perf_sched_pmu_disable(event->pmu, disabled);
	/* ITRACE_START must precede all records that the driver writes after the start. */
	perf_log_itrace_start(event);
	if (perf_sched_pmu_add(event, PERF_EF_START)) {
		perf_sched_set_active(event, false, now);
		event->oncpu = -1;
		perf_sched_pmu_enable(event->pmu, disabled);
		return -EAGAIN;
	}
	perf_sched_count_counters(event, cpc, 1);
	perf_sched_pmu_enable(event->pmu, disabled);
	return 0;
}

/*
 * Schedule out an event, if it is active; parameters as for perf_event_sched_in(). @failed: the
 * group does not fit, so no wait of the event has ended.
 */
static void __perf_event_sched_out(struct perf_event *event, struct perf_cpu_pmu_context *cpc,
				   const struct pmu *disabled, u64 now, bool failed)
{
	lockdep_assert_held(&event->ctx->lock);
	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return;

	perf_sched_pmu_disable(event->pmu, disabled);
	perf_sched_pmu_del(event, 0);
	perf_delay(DELETED);
	/*
	 * Pairs with perf_read_sync_count(): a reader that sees -1 sees the count that del()
	 * has updated.
	 */
	smp_store_release(&event->oncpu, -1);
	perf_delay(ONCPU_CLEARED);
	/* The irq_work of an overflow that requests to disable the event may still be pending. */
	if (unlikely(perf_event_test_and_clear_disable(event))) {
		perf_event_set_state(event, PERF_EVENT_STATE_OFF);
	} else {
		perf_sched_set_active(event, false, now);
		if (!failed)
			event->state_since = now;
	}
	perf_sched_count_counters(event, cpc, -1);
	perf_sched_pmu_enable(event->pmu, disabled);
}

/**
 * perf_event_sched_out - schedule out one event, if it is active
 * @event: the event; its ctx->lock is held
 */
void perf_event_sched_out(struct perf_event *event)
{
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		__perf_event_sched_out(event, perf_this_cpc(event->pmu_ctx->pmu), NULL,
				       perf_group_change_time(event), false);
}

/* Schedule out the group of an active leader at @now, a time of its clock. The PMU is disabled. */
static void perf_group_sched_out_at(struct perf_event *leader, u64 now)
{
	struct pmu *pmu = leader->pmu_ctx->pmu;
	struct perf_cpu_pmu_context *cpc = perf_this_cpc(pmu);
	struct perf_event *member;
	u64 ran;

	WARN_ON_ONCE(!__this_cpu_read(*pmu->pmu_disable_count));
	ran = perf_time_at(atomic64_read(&leader->time_running), now) - leader->total_time_running;
	__perf_event_sched_out(leader, cpc, pmu, now, false);
	for_each_sibling_event(member, leader)
		__perf_event_sched_out(member, cpc, pmu, now, false);

	list_del_init(&leader->active_list);
	if (!leader->attr.pinned)
		perf_group_add_runtime(leader, ran);
	if (unlikely(leader->state < PERF_EVENT_STATE_INACTIVE))
		perf_group_tree_del(leader);
}

/**
 * perf_group_sched_out - schedule out a group, if its leader is active
 * @leader: the group leader; its ctx->lock is held
 */
void perf_group_sched_out(struct perf_event *leader)
{
	struct pmu *pmu = leader->pmu_ctx->pmu;

	if (leader->state != PERF_EVENT_STATE_ACTIVE)
		return;
	perf_pmu_disable(pmu);
	perf_group_sched_out_at(leader, perf_group_change_time(leader));
	perf_pmu_enable(pmu);
}

/* Add the members of a group to the PMU at @now, a time of their clock: all of them, or none. */
static int perf_group_add(struct perf_event *leader, struct perf_cpu_pmu_context *cpc, u64 now)
{
	struct pmu *pmu = leader->pmu_ctx->pmu;
	struct perf_event *member, *failed = NULL;

	/* A single event is added or refused by add alone. */
	if (!leader->nr_siblings) {
		if (perf_event_sched_in(leader, cpc, pmu, now))
			return -EAGAIN;
		perf_sched_began(leader, now);
		return 0;
	}
	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	if (perf_event_sched_in(leader, cpc, pmu, now)) {
		pmu->cancel_txn(pmu);
		return -EAGAIN;
	}
	for_each_sibling_event(member, leader) {
		if (perf_event_sched_in(member, cpc, pmu, now)) {
			failed = member;
			break;
		}
	}
	if (!failed && !pmu->commit_txn(pmu)) {
		perf_sched_began(leader, now);
		for_each_sibling_event(member, leader)
			perf_sched_began(member, now);
		return 0;
	}

	for_each_sibling_event(member, leader) {
		if (member == failed)
			break;
		__perf_event_sched_out(member, cpc, pmu, now, true);
	}
	__perf_event_sched_out(leader, cpc, pmu, now, true);
	pmu->cancel_txn(pmu);
	if (unlikely(leader->state < PERF_EVENT_STATE_INACTIVE))
		perf_group_tree_del(leader);
	return -EAGAIN;
}

/* Schedule in a group at @now, a time of its clock. @cpc: its PMU on this CPU, disabled. */
static int perf_group_sched_in(struct perf_event *leader, struct perf_cpu_pmu_context *cpc, u64 now)
{
	if (WARN_ON_ONCE(leader->state != PERF_EVENT_STATE_INACTIVE))
		return -EAGAIN;
	WARN_ON_ONCE(!__this_cpu_read(*leader->pmu_ctx->pmu->pmu_disable_count));
	if (perf_group_add(leader, cpc, now))
		return -EAGAIN;
	list_add_tail(&leader->active_list,
		      leader->attr.pinned ? &leader->pmu_ctx->pinned_active :
					    &leader->pmu_ctx->flexible_active);
	cpc->most_oncpu = max(cpc->most_oncpu, cpc->active_oncpu);
	return 0;
}

/*
 * Does attr.exclusive of this group, or of a group that is scheduled in, permit this group to be
 * scheduled in?
 */
static bool perf_sched_exclusive_permits(struct perf_event *leader,
					 struct perf_cpu_pmu_context *cpc)
{
	if (leader->group_caps & PERF_EV_CAP_SOFTWARE)
		return true;
	if (cpc->exclusive)
		return false;
	return !leader->attr.exclusive || !cpc->nr_exclusive_blockers;
}

/**
 * perf_group_try_sched_in - schedule in a group, if it fits
 * @leader: leader of a waiting group, in a context of this CPU or of its running task; the
 *	context is locked, and the group's PMU is disabled
 * @cpc: the group's PMU on this CPU
 *
 * Return: true if the group is scheduled in
 */
bool perf_group_try_sched_in(struct perf_event *leader, struct perf_cpu_pmu_context *cpc)
{
	return perf_sched_exclusive_permits(leader, cpc) &&
	       !perf_group_sched_in(leader, cpc, perf_group_change_time(leader));
}

/* Are no flexible groups of the PMU scheduled in, neither of this CPU nor of its task? */
static bool perf_sched_nothing_to_sched_out(struct pmu *pmu)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct perf_event_pmu_context *cpu_epc = perf_cpu_part(cpuctx, pmu);
	struct perf_event_pmu_context *task_epc = perf_pmu_context_of(cpuctx->task_ctx, pmu);

	return (!cpu_epc || list_empty(&cpu_epc->flexible_active)) &&
	       (!task_epc || list_empty(&task_epc->flexible_active));
}

/**
 * perf_subtree_sched_in - schedule in the groups of one subtree of a tree that fit
 * @epc: the PMU's part that the tree belongs to; its context is locked
 * @pinned: use the tree of pinned groups, not of flexible ones
 * @cpu: CPU of the subtree, -1 for groups of any CPU
 * @cgrp: cgroup of the subtree, or NULL
 *
 * A pinned group that does not fit is put into the error state.
 *
 * Return: true if a flexible group of the subtree waits
 */
bool perf_subtree_sched_in(struct perf_event_pmu_context *epc, bool pinned, int cpu,
			   struct perf_cgroup *cgrp)
{
	struct perf_cpu_pmu_context *cpc = perf_this_cpc(epc->pmu);
	struct perf_event *leader, *next;
	struct perf_change_time time = { };
	int tries = BACKFILL_TRIES;
	bool some = false, wait = false;

	if (perf_pmu_filtered_here(epc->pmu))
		return false;
	for (leader = perf_group_first(pinned ? &epc->pinned_groups : &epc->flexible_groups,
				       cpu, cgrp); leader; leader = next) {
		next = perf_group_next(leader);
		if (!perf_group_is_inactive(leader))
			continue;
		if (perf_sched_exclusive_permits(leader, cpc) &&
		    !perf_group_sched_in(leader, cpc, perf_change_time_of(&time, leader))) {
			some = true;
			continue;
		}
		/* An overflow during the attempt has disabled the leader. */
		if (unlikely(!perf_group_is_inactive(leader)))
			continue;
		if (pinned) {
			perf_event_set_state(leader, PERF_EVENT_STATE_ERROR);
			perf_group_tree_del(leader);
			perf_state_note_obstacle(leader, cpc);
			perf_event_update_userpage(leader);
			continue;
		}
		perf_rotation_needed(cpc);
		wait = true;
		/*
		 * If no flexible group is scheduled in, rotation has no group to schedule out, and
		 * moves this group behind the others (see perf_rotate_make_room()). The same is
		 * done here, because the rotation timer may never expire while the task runs.
		 *
		 * If a single event does not fit beside other groups, the PMU is nearly full:
		 * end the loop earlier.
		 */
		tries -= 1 + leader->nr_siblings / BACKFILL_MEMBERS;
		if (!some && perf_sched_nothing_to_sched_out(epc->pmu))
			perf_group_tree_move_last(leader, ktime_to_ns(cpc->hrtimer_interval));
		else if (!leader->nr_siblings)
			tries -= BACKFILL_SINGLE - 1;
		/* The PMU is probably full: it never had more events with a counter. */
		if (tries <= 0 || (some && cpc->active_oncpu >= cpc->most_oncpu))
			break;
	}
	return wait;
}

/**
 * perf_groups_sched_in - schedule in the groups of one PMU and context that fit
 * @cpuctx: this CPU's context, locked
 * @epc: the PMU's part of a context that is locked, too
 * @pinned: schedule in the pinned groups, not the flexible ones
 *
 * Return: true if a flexible group waits, without regard to groups of cgroups
 */
bool perf_groups_sched_in(struct perf_cpu_context *cpuctx, struct perf_event_pmu_context *epc,
			  bool pinned)
{
	const struct rb_root *groups = pinned ? &epc->pinned_groups : &epc->flexible_groups;
	int cpu = smp_processor_id();
	const struct rb_node *last;
	bool wait = false;

	/* The common case: most contexts have no pinned groups, and most CPUs no groups at all. */
	if (RB_EMPTY_ROOT(groups))
		return false;
	if (epc->ctx->task) {
		wait = perf_subtree_sched_in(epc, pinned, -1, NULL);
		/* Groups bound to a CPU are last in the tree. Few tasks have any. */
		last = rb_last(groups);
		if (!last || rb_entry(last, struct perf_event, group_node)->cpu < 0)
			return wait;
	}
	wait |= perf_subtree_sched_in(epc, pinned, cpu, NULL);
	if (!epc->ctx->task)
		perf_cgroup_subtrees(cpuctx, epc, pinned, perf_subtree_sched_in);
	return wait;
}

/**
 * perf_sched_groups_out - schedule out the active groups of a PMU and context
 * @active: list of these groups; their context is locked, and the PMU is disabled
 *
 * From the last to the first, so that perf_group_add_runtime() rarely moves a group in the tree.
 */
void perf_sched_groups_out(struct list_head *active)
{
	struct perf_event *leader, *prev;
	struct perf_change_time time = { };

	list_for_each_entry_safe_reverse(leader, prev, active, active_list) {
		if (leader->state == PERF_EVENT_STATE_ACTIVE)
			perf_group_sched_out_at(leader, perf_change_time_of(&time, leader));
	}
}

/**
 * perf_pmu_resched_cpu - schedule a PMU's groups on this CPU by priority
 * @cpuctx: this CPU's context, locked, as is the running task's context
 * @ctx: the context that has changed, one of these two
 * @pmu: the PMU
 *
 * Flexible groups are scheduled out first, so that none of them keeps out a pinned group. Pinned
 * groups stay scheduled in, except those of the task if the CPU's context has changed: these must
 * not keep out a pinned group of the CPU.
 *
 * Return: true if a flexible group of the task waits
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
 * perf_context_sched_out_all - schedule out all groups of a context
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

/*
 * Schedule out all groups, but leave their PMUs disabled until the groups of the next task
 * are scheduled in. The driver then need not stop and restart counters that both tasks use.
 */
static void perf_context_sched_out_disabled(struct perf_cpu_context *cpuctx,
					    struct perf_event_context *ctx)
{
	struct perf_event_pmu_context *epc;

	for_each_pmu_context(epc, ctx) {
		perf_pmu_disable(epc->pmu);
		perf_sched_groups_out(&epc->flexible_active);
		perf_sched_groups_out(&epc->pinned_active);
		perf_pmu_disable_for_switch(cpuctx, epc->pmu);
	}
}

/* Do flexible groups of the CPU occupy counters that pinned groups of the task may need? */
static bool perf_sched_cpu_blocks_pinned(struct perf_cpu_context *cpuctx,
					 const struct perf_event_pmu_context *epc)
{
	const struct perf_event_pmu_context *cpu_epc;

	if (likely(RB_EMPTY_ROOT(&epc->pinned_groups)))
		return false;
	cpu_epc = perf_cpu_part(cpuctx, epc->pmu);
	return cpu_epc && !list_empty(&cpu_epc->flexible_active);
}

/*
 * Schedule in the task's groups of one PMU beside those of the CPU, and call the PMU's
 * sched_task() if the driver uses it on this CPU.
 */
static void perf_task_epc_sched_in(struct perf_cpu_context *cpuctx,
				   struct perf_event_pmu_context *epc)
{
	struct pmu *pmu = epc->pmu;
	bool wait;

	if (RB_EMPTY_ROOT(&epc->pinned_groups) && RB_EMPTY_ROOT(&epc->flexible_groups) &&
	    !perf_pmu_has_sched_task(pmu))
		return;
	perf_pmu_disable(pmu);
	if (unlikely(perf_sched_cpu_blocks_pinned(cpuctx, epc))) {
		wait = perf_pmu_resched_cpu(cpuctx, epc->ctx, pmu);
	} else {
		perf_groups_sched_in(cpuctx, epc, true);
		wait = perf_groups_sched_in(cpuctx, epc, false);
	}
	if (unlikely(wait) && perf_task_rotation_is_due(cpuctx, epc))
		perf_rotate(cpuctx, perf_this_cpc(pmu), true);
	if (perf_sched_cb_in_use(cpuctx) && perf_pmu_has_sched_task(pmu))
		pmu->sched_task(epc, current, true);
	perf_pmu_enable(pmu);
}

/* Call sched_task() of the PMUs that use it, then schedule out the task's groups. */
static noinline void perf_sched_task_and_sched_out(struct perf_cpu_context *cpuctx,
						   struct perf_event_context *ctx)
{
	struct perf_event_pmu_context *epc;

	for_each_pmu_context(epc, ctx) {
		perf_pmu_disable(epc->pmu);
		if (perf_pmu_has_sched_task(epc->pmu))
			epc->pmu->sched_task(epc, current, false);
	}
	perf_context_sched_out_all(ctx);
	for_each_pmu_context(epc, ctx)
		perf_pmu_enable(epc->pmu);
	perf_sched_task_other_pmus(cpuctx, ctx, false);
}

/* @keep_disabled: keep PMUs disabled, for a switch to a task that has groups to schedule */
static __always_inline void
perf_context_leave_cpu(struct perf_cpu_context *cpuctx,
		       struct perf_event_context *ctx, bool is_switch, bool keep_disabled)
{
	/* The groups share the PMU with those of the CPU, so both contexts are locked. */
	perf_context_lock_cpu(cpuctx, ctx);
	/* Clear task_ctx first: drivers read it, and revoke user space access to the counters. */
	cpuctx->task_ctx = NULL;
	cpuctx->shared_ctx = NULL;
	if (is_switch && perf_sched_cb_in_use(cpuctx))
		perf_sched_task_and_sched_out(cpuctx, ctx);
	else if (keep_disabled)
		perf_context_sched_out_disabled(cpuctx, ctx);
	else
		perf_context_sched_out_all(ctx);
	if (perf_clock_runs(&ctx->clock))
		perf_clock_stop(&ctx->clock, ctx->now);
	perf_context_unlock_cpu(cpuctx, ctx);
}

/**
 * perf_context_sched_out - schedule out a task's context, or the shared context (shared_ctx.h) that
 * replaces it
 * @cpuctx: this CPU's context, not locked
 * @ctx: cpuctx->task_ctx, not locked
 *
 * Context: interrupts are off.
 */
void perf_context_sched_out(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx)
{
	perf_context_leave_cpu(cpuctx, ctx, true, false);
}

/**
 * perf_context_sched_out_now - perf_context_sched_out() outside of a context switch
 * @cpuctx: this CPU's context, not locked
 * @ctx: cpuctx->task_ctx, not locked
 *
 * sched_task() is not called: the context ends, or no PMU used sched_task() at the last switch of
 * the context's task.
 *
 * Context: interrupts are off.
 */
void perf_context_sched_out_now(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx)
{
	perf_context_leave_cpu(cpuctx, ctx, false, false);
}

/*
 * A context has been scheduled in, and its lock is held: update the user pages that no driver
 * updates. Such pages belong to always-on events (see group.c) and to events that wait for a
 * counter. The times in a page must not include the time for which the context was scheduled out.
 */
static void perf_context_update_userpages(struct perf_event_context *ctx)
{
	struct perf_event_cold *cold;

	hlist_for_each_entry(cold, &ctx->mapped, mapped_entry) {
		struct perf_event *event = cold->event;

		if (is_always_on(event) || event->state == PERF_EVENT_STATE_INACTIVE)
			perf_event_update_userpage(event);
	}
}

/*
 * Start the clock of a context without groups to schedule. Groups may be attached until the lock
 * is held. Return false, and change nothing, if the context has any.
 */
static __always_inline bool perf_always_on_context_start(struct perf_event_context *ctx)
{
	bool always_on;

	if (unlikely(READ_ONCE(ctx->nr_sched)))
		return false;
	scoped_guard(raw_spinlock, &ctx->lock) {
		always_on = !ctx->nr_sched;
		if (always_on && ctx->nr_events && !perf_clock_runs(&ctx->clock))
			perf_context_start(ctx, perf_clock());
		/* For a context with groups, perf_scheduled_context_in() updates the pages last. */
		if (always_on && unlikely(!hlist_empty(&ctx->mapped)))
			perf_context_update_userpages(ctx);
	}
	return always_on;
}

static noinline void perf_scheduled_context_in(struct perf_cpu_context *cpuctx,
					       struct perf_event_context *ctx,
					       const struct task_struct *prev)
{
	struct perf_event_context *shared_ctx = perf_shared_ctx_get_active(ctx, prev);
	struct perf_event_pmu_context *epc;

	if (shared_ctx)
		ctx = shared_ctx;
	perf_context_lock_cpu(cpuctx, ctx);
	/* The last event may have been removed before the lock was taken. */
	if (likely(ctx->nr_events)) {
		if (!perf_clock_runs(&ctx->clock))
			perf_context_start(ctx, ctx->now);
		cpuctx->task_ctx = ctx;
		cpuctx->shared_ctx = shared_ctx;
		for_each_pmu_context(epc, ctx)
			perf_task_epc_sched_in(cpuctx, epc);
		if (perf_sched_cb_in_use(cpuctx))
			perf_sched_task_other_pmus(cpuctx, ctx, true);
		if (unlikely(!hlist_empty(&ctx->mapped)))
			perf_context_update_userpages(ctx);
	}
	perf_context_unlock_cpu(cpuctx, ctx);
}

/**
 * perf_context_sched_in - schedule in the running task's context, or its shared context
 * @cpuctx: this CPU's context, not locked; @cpuctx->task_ctx is NULL
 * @ctx: the task's context, not locked
 * @prev: the task that ran on this CPU before
 *
 * Context: interrupts are off.
 */
void perf_context_sched_in(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx,
			   const struct task_struct *prev)
{
	if (!perf_always_on_context_start(ctx))
		perf_scheduled_context_in(cpuctx, ctx, prev);
}

/* First half of a switch to @next: schedule out @ctx, which may be a shared context. */
static void perf_context_switch_out(struct perf_cpu_context *cpuctx,
				    struct perf_event_context *ctx,
				    const struct task_struct *next)
{
	/* Interrupts are off, so @next's context is not freed, but it may change. */
	const struct perf_event_context *to = perf_task_context(next);

	perf_context_leave_cpu(cpuctx, ctx, true, to && READ_ONCE(to->nr_sched));
}

/**
 * __perf_event_task_sched_out - schedule out a task's events at a switch
 * @prev: the task that is switched out, still current
 * @next: the task that is switched in
 *
 * Context: the run queue's lock is held, interrupts are off.
 */
void __perf_event_task_sched_out(struct task_struct *prev, struct task_struct *next)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct perf_event_context *ctx = perf_task_context(prev);

	perf_delay(SWITCH_OUT);
	perf_switch_record(prev, next, false);
	if (perf_sched_cb_in_use(cpuctx) && !cpuctx->task_ctx)
		perf_sched_task_all_pmus(cpuctx, false);
	if (unlikely(cpuctx->task_ctx)) {
		/*
		 * A shared context remains scheduled in for the next task, if that task's context
		 * is in the same set.
		 */
		if (!perf_shared_ctx_try_keep(cpuctx, next))
			perf_context_switch_out(cpuctx, cpuctx->task_ctx, next);
	} else if (ctx) {
		raw_spin_lock(&ctx->lock);
		perf_context_stop(ctx);
		raw_spin_unlock(&ctx->lock);
	}
	perf_cgroup_switch(cpuctx, next);
}

/**
 * __perf_event_task_sched_in - schedule in a task's events at a switch
 * @prev: the task that ran on this CPU before
 * @task: the task that has been switched in, current
 *
 * Context: interrupts are off.
 */
void __perf_event_task_sched_in(struct task_struct *prev, struct task_struct *task)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct perf_event_context *ctx = perf_task_context(task);

	/*
	 * A shared context has stayed scheduled in for this task. Since then the task's context
	 * has left the set, or the task has been moved to a cgroup with events whose PMU uses
	 * sched_task(). Schedule out the shared context without a call of sched_task(): no PMU
	 * used it when the last task of the shared context was switched out.
	 */
	if (unlikely(cpuctx->task_ctx) &&
	    (!perf_shared_ctx_matches(cpuctx, ctx) || perf_sched_cb_in_use(cpuctx)))
		perf_context_sched_out_now(cpuctx, cpuctx->task_ctx);
	if (ctx && likely(!cpuctx->task_ctx) && !perf_always_on_context_start(ctx))
		perf_scheduled_context_in(cpuctx, ctx, prev);
	perf_switch_record(task, prev, true);
	if (perf_sched_cb_in_use(cpuctx) && !cpuctx->task_ctx)
		perf_sched_task_all_pmus(cpuctx, true);
	if (unlikely(cpuctx->switch_disabled_list))
		perf_pmus_enable_after_switch(cpuctx);
}

/**
 * perf_pmu_resched - reschedule all groups of a PMU on this CPU
 * @pmu: the PMU, whose constraints have changed
 *
 * All groups, including pinned ones, are scheduled out and in again.
 *
 * Context: preemption is off.
 */
void perf_pmu_resched(struct pmu *pmu)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct perf_event_pmu_context *epc;

	/* The PMU has never had an event to schedule. */
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
 * perf_pmu_resched_flexible - reschedule a PMU's flexible groups on this CPU
 * @pmu: the PMU, whose number of counters for flexible groups has changed
 *
 * Pinned groups stay scheduled in.
 *
 * Context: preemption is off.
 */
void perf_pmu_resched_flexible(struct pmu *pmu)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();

	/* The PMU has never had an event to schedule. */
	if (!READ_ONCE(pmu->cpu_pmu_context))
		return;
	guard(irqsave)();
	perf_context_lock_cpu(cpuctx, cpuctx->task_ctx);
	/* Pass the task's context as the changed one: then its pinned groups stay scheduled in. */
	perf_pmu_resched_cpu(cpuctx, cpuctx->task_ctx ?: &cpuctx->ctx, pmu);
	perf_context_unlock_cpu(cpuctx, cpuctx->task_ctx);
}
EXPORT_SYMBOL_GPL(perf_pmu_resched_flexible);

#if defined(CONFIG_PERF_EVENTS_KUNIT_TEST) && IS_BUILTIN(CONFIG_PERF_EVENTS_SIM_PMU)
#include "tests/sched_test.c"
#include "tests/rotate_test.c"
#endif
