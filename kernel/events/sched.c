// SPDX-License-Identifier: GPL-2.0
/*
 * Scheduling: which groups have the counters, and what a task switch does.
 *
 * Pinned groups go first, those of the CPU before those of its task; then
 * flexible groups in the same order. What did not fit waits for the rotation
 * timer, which exchanges the youngest group that waits for the oldest one that
 * is on (group_tree.c says how old a group is). Contexts without groups to
 * schedule cost a switch one lock and one look at the clock.
 */
#include <linux/hrtimer.h>

#include "cgroup.h"
#include "context.h"
#include "internal.h"
#include "pmu.h"
#include "record.h"
#include "record/buffer.h"
#include "time.h"

/*
 * So many groups may fail to fit before the rest is left to rotation. When not
 * even a group of one does, there is hardly any room left: that counts more.
 */
#define BACKFILL_TRIES	8
#define BACKFILL_SINGLE	4

DEFINE_STATIC_KEY_FALSE(perf_sched_events);
static atomic_t sched_events;
static DEFINE_MUTEX(sched_events_mutex);

/* The one that the last perf_sched_events_put() left. */
static void sched_events_off(struct work_struct *work)
{
	guard(mutex)(&sched_events_mutex);
	if (atomic_dec_and_test(&sched_events))
		static_branch_disable(&perf_sched_events);
}

static DECLARE_DELAYED_WORK(sched_events_work, sched_events_off);

/**
 * perf_sched_events_get - from here on task switches are looked at
 *
 * May sleep. The first caller waits until every CPU has seen it.
 */
void perf_sched_events_get(void)
{
	if (atomic_inc_not_zero(&sched_events))
		return;

	guard(mutex)(&sched_events_mutex);
	if (!atomic_read(&sched_events)) {
		static_branch_enable(&perf_sched_events);
		/* A switch that began before may end without its second half. */
		synchronize_rcu();
	}
	atomic_inc(&sched_events);
}

/**
 * perf_sched_events_put - undo perf_sched_events_get()
 *
 * The last one leaves it on for a while: the next event may be near, and is to
 * find no grace period in its way. Any context.
 */
void perf_sched_events_put(void)
{
	if (!atomic_add_unless(&sched_events, -1, 1))
		schedule_delayed_work(&sched_events_work, HZ);
}

static struct perf_cpu_pmu_context *this_cpc(struct pmu *pmu)
{
	return this_cpu_ptr(pmu->cpu_pmu_context);
}

static void assert_on_cpu(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	WARN_ON_ONCE(event->oncpu != smp_processor_id());
}

/* One event gets a counter; interrupts are off. */
static int pmu_add(struct perf_event *event, int flags)
{
	assert_on_cpu(event);
	return event->pmu->add(event, flags);
}

/* It gives it back. */
static void pmu_del(struct perf_event *event, int flags)
{
	assert_on_cpu(event);
	event->pmu->del(event, flags);
}

/**
 * perf_event_pmu_start - let an event's counter run
 * @event: active here; interrupts are off. Also called from overflow handling
 * @flags: PERF_EF_RELOAD
 */
void perf_event_pmu_start(struct perf_event *event, int flags)
{
	if (WARN_ON_ONCE(event->state != PERF_EVENT_STATE_ACTIVE))
		return;
	event->pmu->start(event, flags);
}

/**
 * perf_event_pmu_stop - halt an event's counter, it stays its own
 * @event: active here; interrupts are off. Also called from overflow handling
 * @flags: PERF_EF_UPDATE
 */
void perf_event_pmu_stop(struct perf_event *event, int flags)
{
	if (WARN_ON_ONCE(event->state != PERF_EVENT_STATE_ACTIVE))
		return;
	event->pmu->stop(event, flags);
}

/* Groups on and off */

/* An event has got a counter, or given it back. */
static void count_counters(const struct perf_event *event, int n)
{
	struct perf_cpu_pmu_context *cpc = this_cpc(event->pmu_ctx->pmu);
	bool alone = event->attr.exclusive;

	cpc->active_oncpu += is_software_event(event) ? 0 : n;
	/* The kernel's own, the NMI watchdog's say, are on always: they keep nobody out. */
	cpc->users_oncpu += is_software_event(event) || is_kernel_event(event) ? 0 : n;
	if (n > 0)
		cpc->exclusive |= alone;
	else
		cpc->exclusive &= !alone && cpc->active_oncpu;
}

static int event_sched_in(struct perf_event *event)
{
	if (event->state <= PERF_EVENT_STATE_OFF)
		return 0;

	WRITE_ONCE(event->oncpu, smp_processor_id());
	/* Pairs with sync_count(): what is active is on this CPU. */
	smp_wmb();
	perf_delay(ONCPU_SET);
	/* Drivers look at the state: it is active before the counter runs. */
	perf_event_set_state(event, PERF_EVENT_STATE_ACTIVE);
	perf_delay(ACTIVE_SET);
	/* What was throttled when it left starts afresh. */
	if (unlikely(perf_event_throttled(event)))
		perf_event_unthrottle_in(event);

	perf_pmu_disable(event->pmu);
	/* Before the driver may say that it has begun, and before it has. */
	perf_log_itrace_start(event);
	if (pmu_add(event, PERF_EF_START)) {
		perf_event_set_state(event, PERF_EVENT_STATE_INACTIVE);
		event->oncpu = -1;
		perf_pmu_enable(event->pmu);
		return -EAGAIN;
	}
	count_counters(event, 1);
	perf_pmu_enable(event->pmu);
	return 0;
}

/**
 * perf_event_sched_out - take one event off the PMU
 * @event: ctx->lock is held; does nothing unless it is on
 */
void perf_event_sched_out(struct perf_event *event)
{
	enum perf_event_state state = PERF_EVENT_STATE_INACTIVE;

	lockdep_assert_held(&event->ctx->lock);
	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return;

	perf_pmu_disable(event->pmu);
	pmu_del(event, 0);
	perf_delay(DELETED);
	/* Pairs with sync_count(): nobody has to read it any more. */
	smp_store_release(&event->oncpu, -1);
	perf_delay(ONCPU_CLEARED);
	/* Its overflow asked for this, and the interrupt that does it may come later. */
	if (perf_event_take_disable(event))
		state = PERF_EVENT_STATE_OFF;
	perf_event_set_state(event, state);
	count_counters(event, -1);
	perf_pmu_enable(event->pmu);
}

/**
 * perf_group_sched_out - take a group off the PMU
 * @leader: ctx->lock is held; does nothing unless it is on
 */
void perf_group_sched_out(struct perf_event *leader)
{
	struct perf_event *member;
	u64 ran;

	if (leader->state != PERF_EVENT_STATE_ACTIVE)
		return;

	ran = perf_event_ran(leader);
	perf_pmu_disable(leader->pmu_ctx->pmu);
	perf_event_sched_out(leader);
	for_each_sibling_event(member, leader)
		perf_event_sched_out(member);
	perf_pmu_enable(leader->pmu_ctx->pmu);

	list_del_init(&leader->active_list);
	if (!leader->attr.pinned)
		perf_group_ran(leader, ran);
	if (unlikely(leader->state < PERF_EVENT_STATE_INACTIVE))
		perf_group_erase(leader);
}

static int group_sched_in(struct perf_event *leader)
{
	struct pmu *pmu = leader->pmu_ctx->pmu;
	struct perf_cpu_pmu_context *cpc = this_cpc(pmu);
	struct perf_event *member, *failed = NULL;

	if (WARN_ON_ONCE(leader->state != PERF_EVENT_STATE_INACTIVE))
		return -EAGAIN;
	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	if (event_sched_in(leader)) {
		pmu->cancel_txn(pmu);
		return -EAGAIN;
	}
	for_each_sibling_event(member, leader) {
		if (event_sched_in(member)) {
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

	/* All or nothing. */
	for_each_sibling_event(member, leader) {
		if (member == failed)
			break;
		perf_event_sched_out(member);
	}
	perf_event_sched_out(leader);
	pmu->cancel_txn(pmu);
	if (unlikely(leader->state < PERF_EVENT_STATE_INACTIVE))
		perf_group_erase(leader);
	return -EAGAIN;
}

/* May the group go on beside what is on already? */
static bool group_can_go_on(struct perf_event *leader, struct perf_cpu_pmu_context *cpc)
{
	if (leader->group_caps & PERF_EV_CAP_SOFTWARE)
		return true;
	if (cpc->exclusive)
		return false;
	return !leader->attr.exclusive || !cpc->users_oncpu;
}

static bool group_waits(const struct perf_event *leader)
{
	return leader->state == PERF_EVENT_STATE_INACTIVE;
}

/* Does the PMU keep its events off this CPU? */
static bool kept_off(struct pmu *pmu)
{
	return unlikely(pmu->filter) && pmu->filter(pmu, smp_processor_id());
}

static void rotation_needed(struct perf_cpu_pmu_context *cpc)
{
	/* What waits here goes with its task; the timer would come to another CPU. */
	if (unlikely(!this_cpu_context()->online))
		return;
	scoped_guard(raw_spinlock, &cpc->hrtimer_lock) {
		if (!cpc->hrtimer_active)
			hrtimer_start(&cpc->hrtimer, cpc->hrtimer_interval,
				      HRTIMER_MODE_REL_PINNED_HARD);
		cpc->hrtimer_active = true;
	}
}

/* No flexible group of the PMU is on, of this CPU or of its task. */
static bool nothing_to_take_off(struct pmu *pmu)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct perf_event_pmu_context *cpu_epc = perf_pmu_context_of(&cpuctx->ctx, pmu);
	struct perf_event_pmu_context *task_epc = perf_pmu_context_of(cpuctx->task_ctx, pmu);

	return (!cpu_epc || list_empty(&cpu_epc->flexible_active)) &&
	       (!task_epc || list_empty(&task_epc->flexible_active));
}

/**
 * perf_stretch_sched_in - put on what fits of one stretch of a tree
 * @epc: whose tree, its context is locked
 * @pinned: of the pinned or of the flexible groups
 * @cpu: groups of this CPU, or with -1 those of any
 * @cgrp: groups of this cgroup, or NULL
 */
void perf_stretch_sched_in(struct perf_event_pmu_context *epc, bool pinned, int cpu,
			   struct perf_cgroup *cgrp)
{
	struct perf_cpu_pmu_context *cpc = this_cpc(epc->pmu);
	struct perf_event *leader, *next;
	int tries = BACKFILL_TRIES;
	bool some = false;

	if (kept_off(epc->pmu))
		return;
	for (leader = perf_group_first(pinned ? &epc->pinned_groups : &epc->flexible_groups,
				       cpu, cgrp); leader; leader = next) {
		next = perf_group_next(leader);
		if (!group_waits(leader))
			continue;
		if (group_can_go_on(leader, cpc) && !group_sched_in(leader)) {
			some = true;
			continue;
		}
		if (pinned) {
			perf_event_set_state(leader, PERF_EVENT_STATE_ERROR);
			perf_group_erase(leader);
			perf_event_update_userpage(leader);
			/* By an interrupt: the runqueue's lock may be held. */
			perf_event_hangup(leader);
			continue;
		}
		rotation_needed(cpc);
		/* A single one tells much of a PMU that is used, and nothing of one that is not. */
		if (leader->nr_siblings || (!some && nothing_to_take_off(epc->pmu)))
			tries--;
		else
			tries -= BACKFILL_SINGLE;
		/* As full as it has ever been, it is full. */
		if (tries <= 0 || (some && cpc->active_oncpu >= cpc->most_oncpu))
			break;
	}
}

static void groups_sched_in(struct perf_cpu_context *cpuctx,
			    struct perf_event_pmu_context *epc, bool pinned)
{
	int cpu = smp_processor_id();

	if (epc->ctx->task)
		perf_stretch_sched_in(epc, pinned, -1, NULL);
	perf_stretch_sched_in(epc, pinned, cpu, NULL);
	if (!epc->ctx->task)
		perf_cgroup_stretches(cpuctx, epc, pinned, perf_stretch_sched_in);
}

/* Last to first, so that perf_group_ran() has little to do. */
static void groups_sched_out(struct list_head *active)
{
	struct perf_event *leader, *prev;

	list_for_each_entry_safe_reverse(leader, prev, active, active_list)
		perf_group_sched_out(leader);
}

/* The CPU's own part, while its drivers are ready for that. */
static struct perf_event_pmu_context *cpu_part(struct perf_cpu_context *cpuctx,
					       const struct pmu *pmu)
{
	return likely(cpuctx->ready) ? perf_pmu_context_of(&cpuctx->ctx, pmu) : NULL;
}

/**
 * perf_pmu_resched_cpu - put groups of a PMU on this CPU in order of priority
 * @cpuctx: this CPU's, locked, as is the running task's context
 * @ctx: which of the two has changed
 * @pmu: the PMU
 *
 * Pinned groups that are on stay; flexible groups are taken off first, so that
 * they never keep a pinned one out, nor pinned ones of the task one of the CPU.
 */
void perf_pmu_resched_cpu(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx,
			  struct pmu *pmu)
{
	struct perf_event_pmu_context *cpu_epc = cpu_part(cpuctx, pmu);
	struct perf_event_pmu_context *task_epc;

	lockdep_assert_held(&cpuctx->ctx.lock);
	if (ctx->task)
		cpuctx->task_ctx = ctx;
	task_epc = perf_pmu_context_of(cpuctx->task_ctx, pmu);

	perf_pmu_disable(pmu);
	if (task_epc)
		groups_sched_out(&task_epc->flexible_active);
	if (cpu_epc) {
		groups_sched_out(&cpu_epc->flexible_active);
		if (task_epc && !ctx->task && !RB_EMPTY_ROOT(&cpu_epc->pinned_groups))
			groups_sched_out(&task_epc->pinned_active);
		groups_sched_in(cpuctx, cpu_epc, true);
	}
	if (task_epc)
		groups_sched_in(cpuctx, task_epc, true);
	if (cpu_epc)
		groups_sched_in(cpuctx, cpu_epc, false);
	if (task_epc)
		groups_sched_in(cpuctx, task_epc, false);
	perf_pmu_enable(pmu);
}

/**
 * perf_context_sched_out_all - take all groups of a context off
 * @ctx: of this CPU or its running task, locked
 */
void perf_context_sched_out_all(struct perf_event_context *ctx)
{
	struct perf_event_pmu_context *epc;

	lockdep_assert_held(&ctx->lock);
	for_each_pmu_context(epc, ctx) {
		perf_pmu_disable(epc->pmu);
		groups_sched_out(&epc->flexible_active);
		groups_sched_out(&epc->pinned_active);
		perf_pmu_enable(epc->pmu);
	}
}

/* Task switches */

/* Do the CPU's flexible groups have counters that pinned groups of the task may need? */
static bool cpu_makes_way(struct perf_cpu_context *cpuctx,
			  const struct perf_event_pmu_context *epc)
{
	const struct perf_event_pmu_context *cpu_epc;

	if (likely(RB_EMPTY_ROOT(&epc->pinned_groups)))
		return false;
	cpu_epc = perf_pmu_context_of(&cpuctx->ctx, epc->pmu);
	return cpu_epc && !list_empty(&cpu_epc->flexible_active);
}

/*
 * A PMU that asked with perf_sched_cb_inc() is told of the switch once in either
 * half of it, while its counters stand: what it keeps of one task, like the last
 * branches taken, never gets into a sample of another one.
 */
static bool wants_switches(struct pmu *pmu)
{
	return !list_empty(&this_cpc(pmu)->sched_cb_entry);
}

/* Some PMU did. */
static bool switches_are_watched(const struct perf_cpu_context *cpuctx)
{
	return unlikely(!list_empty(&cpuctx->sched_cb_list));
}

/* The task's groups of one PMU come in beside those of the CPU. It may ask as they come. */
static void task_epc_sched_in(struct perf_cpu_context *cpuctx,
			      struct perf_event_pmu_context *epc)
{
	struct pmu *pmu = epc->pmu;

	if (RB_EMPTY_ROOT(&epc->pinned_groups) && RB_EMPTY_ROOT(&epc->flexible_groups) &&
	    !wants_switches(pmu))
		return;
	perf_pmu_disable(pmu);
	if (unlikely(cpu_makes_way(cpuctx, epc))) {
		perf_pmu_resched_cpu(cpuctx, epc->ctx, pmu);
	} else {
		groups_sched_in(cpuctx, epc, true);
		groups_sched_in(cpuctx, epc, false);
	}
	if (switches_are_watched(cpuctx) && wants_switches(pmu))
		pmu->sched_task(epc, current, true);
	perf_pmu_enable(pmu);
}

/*
 * The other PMUs that asked: the task has nothing that they schedule. @ctx is its
 * context, or NULL. Safe, because a callback may take its own PMU off the list.
 */
static void tell_other_pmus(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx,
			    bool sched_in)
{
	struct perf_cpu_pmu_context *cpc, *next;

	lockdep_assert_held(&cpuctx->ctx.lock);
	list_for_each_entry_safe(cpc, next, &cpuctx->sched_cb_list, sched_cb_entry) {
		struct pmu *pmu = cpc->epc.pmu;

		if (perf_pmu_context_of(ctx, pmu))
			continue;
		perf_pmu_disable(pmu);
		pmu->sched_task(NULL, current, sched_in);
		perf_pmu_enable(pmu);
	}
}

/* The task's groups leave, after the PMUs that asked have been told; ctx->lock is held. */
static noinline void tell_and_sched_out(struct perf_cpu_context *cpuctx,
					struct perf_event_context *ctx)
{
	struct perf_event_pmu_context *epc;

	for_each_pmu_context(epc, ctx) {
		perf_pmu_disable(epc->pmu);
		if (wants_switches(epc->pmu))
			epc->pmu->sched_task(epc, current, false);
	}
	perf_context_sched_out_all(ctx);
	for_each_pmu_context(epc, ctx)
		perf_pmu_enable(epc->pmu);
	tell_other_pmus(cpuctx, ctx, false);
}

/* All of them: the task has no scheduled groups. */
static noinline void tell_all_pmus(struct perf_cpu_context *cpuctx, bool sched_in)
{
	/* No event changes: the context's clock is not looked at. */
	raw_spin_lock(&cpuctx->ctx.lock);
	tell_other_pmus(cpuctx, NULL, sched_in);
	raw_spin_unlock(&cpuctx->ctx.lock);
}

static void task_context_out(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx)
{
	if (likely(cpuctx->task_ctx != ctx)) {
		raw_spin_lock(&ctx->lock);
		perf_context_stop(ctx);
		raw_spin_unlock(&ctx->lock);
		return;
	}
	perf_context_lock_cpu(cpuctx, ctx);
	/* First: drivers close user space's way to the counters by it. */
	cpuctx->task_ctx = NULL;
	if (switches_are_watched(cpuctx))
		tell_and_sched_out(cpuctx, ctx);
	else
		perf_context_sched_out_all(ctx);
	if (ctx->clock.cpu >= 0)
		perf_clock_stop(&ctx->clock, ctx->now);
	perf_context_unlock_cpu(cpuctx, ctx);
}

/* A resident event whose page is mapped shows its times there; drivers see to others. */
static void update_userpages(struct perf_event_context *ctx)
{
	struct perf_event_cold *cold;

	hlist_for_each_entry(cold, &ctx->mapped, mapped_entry) {
		if (is_resident(cold->event))
			perf_event_update_userpage(cold->event);
	}
}

/* Without groups to schedule; they may come until the lock is held. */
static bool resident_context_in(struct perf_event_context *ctx)
{
	bool resident;

	scoped_guard(raw_spinlock, &ctx->lock) {
		resident = !ctx->nr_sched;
		if (resident && ctx->nr_events && ctx->clock.cpu < 0)
			perf_clock_start(&ctx->clock, perf_clock());
		/* Else when its groups are on. */
		if (resident && unlikely(!hlist_empty(&ctx->mapped)))
			update_userpages(ctx);
	}
	return resident;
}

static void task_context_in(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx)
{
	struct perf_event_pmu_context *epc;

	if (likely(!READ_ONCE(ctx->nr_sched)) && resident_context_in(ctx))
		return;
	perf_context_lock_cpu(cpuctx, ctx);
	/* The last event may have gone before the lock was held. */
	if (likely(ctx->nr_events)) {
		if (ctx->clock.cpu < 0)
			perf_clock_start(&ctx->clock, ctx->now);
		cpuctx->task_ctx = ctx;
		for_each_pmu_context(epc, ctx)
			task_epc_sched_in(cpuctx, epc);
		if (switches_are_watched(cpuctx))
			tell_other_pmus(cpuctx, ctx, true);
		if (unlikely(!hlist_empty(&ctx->mapped)))
			update_userpages(ctx);
	}
	perf_context_unlock_cpu(cpuctx, ctx);
}

/**
 * __perf_event_task_sched_out - a task leaves the CPU
 * @prev: the task, still current
 * @next: who comes
 *
 * Runqueue lock held, interrupts off.
 */
void __perf_event_task_sched_out(struct task_struct *prev, struct task_struct *next)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct perf_event_context *ctx = perf_task_context(prev);

	perf_delay(SWITCH_OUT);
	perf_switch_record(prev, next, false);
	if (switches_are_watched(cpuctx) && !cpuctx->task_ctx)
		tell_all_pmus(cpuctx, false);
	if (ctx)
		task_context_out(cpuctx, ctx);
	perf_cgroup_switch(cpuctx, next);
}

/**
 * __perf_event_task_sched_in - a task has come to the CPU
 * @prev: who was there before
 * @task: the task, current
 *
 * Interrupts off.
 */
void __perf_event_task_sched_in(struct task_struct *prev, struct task_struct *task)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct perf_event_context *ctx = perf_task_context(task);

	if (ctx)
		task_context_in(cpuctx, ctx);
	perf_switch_record(task, prev, true);
	if (switches_are_watched(cpuctx) && !cpuctx->task_ctx)
		tell_all_pmus(cpuctx, true);
}

/**
 * perf_cpu_task_ctx - whose scheduled events are on this CPU, or come now?
 *
 * For a driver's pmu_enable, interrupts off.
 * Return: the running task's context, NULL when it has none with groups to
 * schedule.
 */
struct perf_event_context *perf_cpu_task_ctx(void)
{
	lockdep_assert_irqs_disabled();
	return this_cpu_context()->task_ctx;
}

/**
 * perf_sched_cb_inc - let pmu->sched_task() be called at task switches here
 * @pmu: a PMU that has it; called from its add or start, on the CPU
 */
void perf_sched_cb_inc(struct pmu *pmu)
{
	struct perf_cpu_pmu_context *cpc = this_cpc(pmu);

	lockdep_assert_irqs_disabled();
	if (!cpc->sched_cb_usage++ && !WARN_ON_ONCE(!pmu->sched_task)) {
		cpc->epc.pmu = pmu;
		list_add(&cpc->sched_cb_entry, &this_cpu_context()->sched_cb_list);
	}
}

/**
 * perf_sched_cb_dec - undo perf_sched_cb_inc()
 * @pmu: the PMU; called from its del, stop or sched_task, on the CPU
 */
void perf_sched_cb_dec(struct pmu *pmu)
{
	struct perf_cpu_pmu_context *cpc = this_cpc(pmu);

	lockdep_assert_irqs_disabled();
	if (WARN_ON_ONCE(!cpc->sched_cb_usage))
		return;
	if (!--cpc->sched_cb_usage)
		list_del_init(&cpc->sched_cb_entry);
}

/* Rotation */

/* Look at all flexible groups that may run here. */
static void look_at_groups(struct perf_cpu_context *cpuctx, struct perf_event_pmu_context *epc,
			   struct perf_stretch_look *look)
{
	int cpu = smp_processor_id();
	struct perf_cgroup *cgrp;

	if (!epc)
		return;
	perf_stretch_look(epc, cpu, NULL, look);
	if (epc->ctx->task) {
		perf_stretch_look(epc, -1, NULL, look);
		return;
	}
	for (cgrp = perf_cgroup_here(cpuctx); cgrp; cgrp = perf_cgroup_above(cgrp))
		perf_stretch_look(epc, cpu, cgrp, look);
}

static struct perf_event *oldest_running(struct perf_event_pmu_context *epc,
					 struct perf_event *best)
{
	struct perf_event *leader;

	if (!epc)
		return best;
	list_for_each_entry(leader, &epc->flexible_active, active_list) {
		if (leader->group_caps & PERF_EV_CAP_SOFTWARE)
			continue;
		if (!best || perf_group_age(leader) > perf_group_age(best))
			best = leader;
	}
	return best;
}

/* Take groups off, the oldest first, until this one fits. */
static void make_room(struct perf_event *waiting, struct perf_event_pmu_context *cpu_epc,
		      struct perf_event_pmu_context *task_epc)
{
	struct perf_cpu_pmu_context *cpc = this_cpc(waiting->pmu_ctx->pmu);
	struct perf_event *victim;

	/* An overflow while it was being put on may have turned it off. */
	while (group_waits(waiting) &&
	       (!group_can_go_on(waiting, cpc) || group_sched_in(waiting))) {
		victim = oldest_running(task_epc, oldest_running(cpu_epc, NULL));
		if (!victim) {
			perf_group_pass(waiting, ktime_to_ns(cpc->hrtimer_interval));
			return;
		}
		perf_group_sched_out(victim);
	}
}

/*
 * Only groups that change places are touched. The CPU's groups and the task's
 * are served alternately, so that neither starves the other.
 */
static bool rotate(struct perf_cpu_context *cpuctx, struct perf_cpu_pmu_context *cpc)
{
	struct pmu *pmu = cpc->epc.pmu;
	struct perf_event_pmu_context *cpu_epc = cpu_part(cpuctx, pmu);
	struct perf_event_pmu_context *task_epc = perf_pmu_context_of(cpuctx->task_ctx, pmu);
	struct perf_stretch_look of_cpu = { .youngest = U64_MAX };
	struct perf_stretch_look of_task = { .youngest = U64_MAX };
	struct perf_event *waiting;

	if (kept_off(pmu))
		return false;
	look_at_groups(cpuctx, cpu_epc, &of_cpu);
	look_at_groups(cpuctx, task_epc, &of_task);
	perf_ages_settle(&cpc->epc, &of_cpu, task_epc, &of_task);
	if (of_cpu.waiting && of_task.waiting)
		waiting = (cpc->task_served ^= 1) ? of_task.waiting : of_cpu.waiting;
	else
		waiting = of_cpu.waiting ?: of_task.waiting;
	if (!waiting)
		return false;

	perf_pmu_disable(pmu);
	make_room(waiting, cpu_epc, task_epc);
	if (cpu_epc)
		groups_sched_in(cpuctx, cpu_epc, false);
	if (task_epc)
		groups_sched_in(cpuctx, task_epc, false);
	perf_pmu_enable(pmu);
	return true;
}

/* Interrupts off. Return: is there anything to rotate next time? */
static bool rotate_here(struct perf_cpu_pmu_context *cpc)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct perf_event_context *task_ctx = cpuctx->task_ctx;
	bool again;

	perf_context_lock_cpu(cpuctx, task_ctx);
	again = rotate(cpuctx, cpc);
	scoped_guard(raw_spinlock, &cpc->hrtimer_lock)
		cpc->hrtimer_active = again;
	perf_context_unlock_cpu(cpuctx, task_ctx);
	return again;
}

static enum hrtimer_restart rotation_timer(struct hrtimer *timer)
{
	struct perf_cpu_pmu_context *cpc = container_of(timer, typeof(*cpc), hrtimer);
	bool later = perf_site_interrupted();

	if (!later && !rotate_here(cpc))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, later ? ns_to_ktime(10000) : cpc->hrtimer_interval);
	return HRTIMER_RESTART;
}

/**
 * perf_rotation_stop - a CPU has stopped, and nobody takes turns there
 * @pmu: a PMU; perf_pmus_lock keeps it
 * @cpu: that is not online for perf events
 *
 * May sleep.
 */
void perf_rotation_stop(struct pmu *pmu, int cpu)
{
	struct perf_cpu_pmu_context *cpc = per_cpu_ptr(pmu->cpu_pmu_context, cpu);

	lockdep_assert_held(&perf_pmus_lock);
	/* Or rotation_needed() would start it again. */
	WARN_ON_ONCE(per_cpu(perf_cpu_context, cpu).online);
	hrtimer_cancel(&cpc->hrtimer);
	raw_spin_lock_irq(&cpc->hrtimer_lock);
	cpc->hrtimer_active = false;
	raw_spin_unlock_irq(&cpc->hrtimer_lock);
}

/**
 * perf_cpu_pmu_context_init - prepare a PMU's state of one CPU
 * @pmu: with cpu_pmu_context allocated and hrtimer_interval_ms set
 * @cpu: the CPU
 */
void perf_cpu_pmu_context_init(struct pmu *pmu, int cpu)
{
	struct perf_cpu_pmu_context *cpc = per_cpu_ptr(pmu->cpu_pmu_context, cpu);

	cpc->epc.pmu = pmu;
	cpc->epc.embedded = true;
	INIT_LIST_HEAD(&cpc->epc.pmu_ctx_entry);
	INIT_LIST_HEAD(&cpc->epc.pinned_active);
	INIT_LIST_HEAD(&cpc->epc.flexible_active);
	INIT_LIST_HEAD(&cpc->sched_cb_entry);
	raw_spin_lock_init(&cpc->hrtimer_lock);
	cpc->hrtimer_interval = ms_to_ktime(pmu->hrtimer_interval_ms);
	hrtimer_init(&cpc->hrtimer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	cpc->hrtimer.function = rotation_timer;
}

/**
 * perf_pmu_mux_interval_changed - take over a PMU's new rotation interval
 * @pmu: whose hrtimer_interval_ms has been written
 *
 * A timer that runs follows from its next expiry on.
 */
void perf_pmu_mux_interval_changed(struct pmu *pmu)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct perf_cpu_pmu_context *cpc = per_cpu_ptr(pmu->cpu_pmu_context, cpu);

		raw_spin_lock_irq(&cpc->hrtimer_lock);
		cpc->hrtimer_interval = ms_to_ktime(pmu->hrtimer_interval_ms);
		raw_spin_unlock_irq(&cpc->hrtimer_lock);
	}
}

/**
 * perf_pmu_resched - a PMU's constraints have changed: schedule anew on this CPU
 * @pmu: the PMU
 *
 * Interrupts off, or preemption at least.
 */
void perf_pmu_resched(struct pmu *pmu)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct perf_event_pmu_context *epc;

	guard(irqsave)();
	perf_context_lock_cpu(cpuctx, cpuctx->task_ctx);
	perf_pmu_disable(pmu);
	epc = perf_pmu_context_of(cpuctx->task_ctx, pmu);
	if (epc)
		groups_sched_out(&epc->pinned_active);
	epc = perf_pmu_context_of(&cpuctx->ctx, pmu);
	if (epc)
		groups_sched_out(&epc->pinned_active);
	perf_pmu_resched_cpu(cpuctx, cpuctx->task_ctx ?: &cpuctx->ctx, pmu);
	perf_pmu_enable(pmu);
	perf_context_unlock_cpu(cpuctx, cpuctx->task_ctx);
}
EXPORT_SYMBOL_GPL(perf_pmu_resched);

/**
 * perf_event_task_tick - the timer tick
 *
 * Interrupts off, on each CPU that has a tick.
 */
void perf_event_task_tick(void)
{
	perf_adjust_freq_unthr(this_cpu_context());
}

#if defined(CONFIG_PERF_EVENTS_KUNIT_TEST) && IS_BUILTIN(CONFIG_PERF_EVENTS_SIM_PMU)
#include "tests/sched_test.c"
#include "tests/rotate_test.c"
#endif
