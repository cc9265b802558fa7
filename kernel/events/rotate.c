// SPDX-License-Identifier: GPL-2.0
/*
 * Rotation multiplexes groups that do not fit on the PMU at the same time. Each PMU has a timer
 * on each CPU, which runs while a group waits for counters. At each expiry the youngest group
 * that waits replaces the oldest group that is scheduled in; for the age of a group see
 * group_tree.c.
 */
#include <linux/hrtimer.h>

#include "cgroup.h"
#include "context.h"
#include "group_tree.h"
#include "internal.h"
#include "pmu.h"
#include "rotate.h"
#include "sched.h"
#include "source/software.h"
#include "time.h"
#include "time_seq.h"

/*
 * Maximum number of groups that a rotation schedules out one by one. Before each of these groups is
 * scheduled out, all active groups are searched; afterwards the waiting group is tried. A group of
 * which only a software leader is enabled is active without a counter, so there may be very many
 * such groups.
 */
#define ROTATE_SINGLY	16

/* Examine all flexible groups that may be scheduled in on this CPU. */
static void perf_rotate_scan_groups(struct perf_cpu_context *cpuctx,
				    struct perf_event_pmu_context *epc,
				    struct perf_subtree_scan *scan)
{
	int cpu = smp_processor_id();
	struct perf_cgroup *cgrp;

	if (!epc)
		return;
	perf_subtree_scan(epc, cpu, NULL, scan);
	if (epc->ctx->task) {
		perf_subtree_scan(epc, -1, NULL, scan);
		return;
	}
	for (cgrp = perf_cgroup_here(cpuctx); cgrp; cgrp = perf_cgroup_parent_of(cgrp))
		perf_subtree_scan(epc, cpu, cgrp, scan);
}

static struct perf_event *perf_rotate_oldest_running(struct perf_event_pmu_context *epc,
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

/*
 * Schedule out groups, the oldest first, until the waiting group fits. After ROTATE_SINGLY groups,
 * schedule out all others. The caller then schedules in the groups that still fit.
 */
static void perf_rotate_make_room(struct perf_event *waiting,
				  struct perf_event_pmu_context *cpu_epc,
				  struct perf_event_pmu_context *task_epc)
{
	struct perf_cpu_pmu_context *cpc = perf_this_cpc(waiting->pmu_ctx->pmu);
	struct perf_event *victim;
	int n = 0;

	/* An overflow may disable the group while it is being scheduled in: then the loop ends. */
	while (perf_group_is_inactive(waiting) && !perf_group_try_sched_in(waiting, cpc)) {
		victim = perf_rotate_oldest_running(task_epc,
						    perf_rotate_oldest_running(cpu_epc, NULL));
		if (!victim) {
			perf_group_tree_move_last(waiting, ktime_to_ns(cpc->hrtimer_interval));
			return;
		}
		if (n++ < ROTATE_SINGLY) {
			perf_group_sched_out(victim);
			continue;
		}
		if (task_epc)
			perf_sched_groups_out(&task_epc->flexible_active);
		if (cpu_epc)
			perf_sched_groups_out(&cpu_epc->flexible_active);
	}
}

/* ns for which the context has been scheduled in, by its clock */
static u64 perf_rotate_context_time(const struct perf_event_pmu_context *epc)
{
	return perf_clock_at(&epc->ctx->clock, epc->ctx->now);
}

/**
 * perf_rotate - schedule in a waiting group in place of scheduled ones
 * @cpuctx: this CPU's context, locked, as is the running task's context
 * @cpc: the PMU on this CPU
 * @task_first: if groups of both contexts wait, schedule in a group of the task
 *
 * Only the groups concerned are scheduled out and in. If groups of the CPU and of the task
 * wait, successive rotations without @task_first schedule them in alternately, so that neither
 * starves the other.
 *
 * Return: true if the rotation timer must continue
 */
bool perf_rotate(struct perf_cpu_context *cpuctx, struct perf_cpu_pmu_context *cpc,
		 bool task_first)
{
	struct pmu *pmu = cpc->epc.pmu;
	struct perf_event_pmu_context *cpu_epc = perf_cpu_ready_part(cpuctx, pmu);
	struct perf_event_pmu_context *task_epc = perf_pmu_context_of(cpuctx->task_ctx, pmu);
	struct perf_subtree_scan of_cpu = { .youngest = U64_MAX };
	struct perf_subtree_scan of_task = { .youngest = U64_MAX };
	struct perf_event *waiting;

	if (perf_pmu_filtered_here(pmu))
		return false;
	perf_rotate_scan_groups(cpuctx, cpu_epc, &of_cpu);
	perf_rotate_scan_groups(cpuctx, task_epc, &of_task);
	perf_ages_normalize(&cpc->epc, &of_cpu, task_epc, &of_task);
	if (of_cpu.waiting && of_task.waiting) {
		cpc->last_was_task = task_first || !cpc->last_was_task;
		waiting = cpc->last_was_task ? of_task.waiting : of_cpu.waiting;
	} else {
		waiting = of_cpu.waiting ?: of_task.waiting;
	}
	if (!waiting)
		return false;
	/*
	 * Restart the interval of perf_task_rotation_is_due() when a group of the task is scheduled
	 * in, or when none of them waits.
	 */
	if (task_epc && (!of_task.waiting || waiting == of_task.waiting))
		task_epc->last_task_rotation = perf_rotate_context_time(task_epc);

	cpc->rotations++;
	perf_pmu_disable(pmu);
	perf_rotate_make_room(waiting, cpu_epc, task_epc);
	if (cpu_epc)
		perf_groups_sched_in(cpuctx, cpu_epc, false);
	if (task_epc)
		perf_groups_sched_in(cpuctx, task_epc, false);
	perf_pmu_enable(pmu);
	return true;
}

/**
 * perf_task_rotation_is_due - must the switch to a task rotate groups?
 * @cpuctx: this CPU's context, locked, as is the task's context
 * @epc: the PMU's part of the task's context, in which a flexible group waits
 *
 * When the rotation timer expires, a group of the running task may replace a group of the CPU. A
 * task that never runs at an expiry would never get the counters of the CPU's groups. So if a task
 * has run for a rotation interval since perf_event_pmu_context::last_task_rotation, and flexible
 * groups of the CPU are scheduled in, the switch to the task rotates once.
 *
 * Return: true if perf_rotate() must be called for the task
 */
bool perf_task_rotation_is_due(struct perf_cpu_context *cpuctx, struct perf_event_pmu_context *epc)
{
	struct perf_event_pmu_context *cpu_epc = perf_cpu_ready_part(cpuctx, epc->pmu);

	return cpu_epc && !list_empty(&cpu_epc->flexible_active) &&
	       perf_rotate_context_time(epc) - epc->last_task_rotation >=
	       ktime_to_ns(perf_this_cpc(epc->pmu)->hrtimer_interval);
}

/**
 * perf_rotate_here - rotate a PMU's groups on this CPU once
 * @cpc: the PMU on this CPU
 *
 * Context: interrupts are off, no locks are held.
 * Return: true if the rotation timer must continue
 */
bool perf_rotate_here(struct perf_cpu_pmu_context *cpc)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct perf_event_context *task_ctx = cpuctx->task_ctx;
	bool again;

	perf_context_lock_cpu(cpuctx, task_ctx);
	again = perf_rotate(cpuctx, cpc, false);
	scoped_guard(raw_spinlock, &cpc->hrtimer_lock)
		cpc->hrtimer_active = again;
	perf_context_unlock_cpu(cpuctx, task_ctx);
	return again;
}

static enum hrtimer_restart perf_rotate_timer(struct hrtimer *timer)
{
	struct perf_cpu_pmu_context *cpc = container_of(timer, typeof(*cpc), hrtimer);
	bool later = perf_site_interrupted();

	/*
	 * The CPU is offline and the timer has moved to another one. The PMU was unregistered
	 * before perf_rotation_stop() could cancel the timer.
	 */
	if (unlikely(cpc != perf_this_cpc(cpc->epc.pmu))) {
		scoped_guard(raw_spinlock, &cpc->hrtimer_lock)
			cpc->hrtimer_active = false;
		return HRTIMER_NORESTART;
	}
	if (!later && !perf_rotate_here(cpc))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, later ? ns_to_ktime(10000) : cpc->hrtimer_interval);
	return HRTIMER_RESTART;
}

/**
 * perf_rotation_stop - stop the rotation on a CPU that is being taken offline
 * @pmu: the PMU; perf_pmus_lock is held, which keeps it registered
 * @cpu: the CPU, which is no longer online for perf events
 *
 * Context: may sleep.
 */
void perf_rotation_stop(struct pmu *pmu, int cpu)
{
	struct perf_cpu_pmu_context __percpu *cpcs = READ_ONCE(pmu->cpu_pmu_context);
	struct perf_cpu_pmu_context *cpc;

	lockdep_assert_held(&perf_pmus_lock);
	/* On an online CPU perf_rotation_needed() could start the timer again. */
	WARN_ON_ONCE(per_cpu(perf_cpu_context, cpu).online);
	if (!cpcs)
		return;
	cpc = per_cpu_ptr(cpcs, cpu);
	hrtimer_cancel(&cpc->hrtimer);
	raw_spin_lock_irq(&cpc->hrtimer_lock);
	cpc->hrtimer_active = false;
	raw_spin_unlock_irq(&cpc->hrtimer_lock);
}

static void perf_cpu_pmu_context_init(struct perf_cpu_pmu_context *cpc, struct pmu *pmu, int cpu)
{
	cpc->epc.ctx = &per_cpu(perf_cpu_context, cpu).ctx;
	cpc->epc.pmu = pmu;
	cpc->epc.embedded = true;
	INIT_LIST_HEAD(&cpc->epc.pmu_ctx_entry);
	INIT_LIST_HEAD(&cpc->epc.pinned_active);
	INIT_LIST_HEAD(&cpc->epc.flexible_active);
	INIT_LIST_HEAD(&cpc->sched_cb_entry);
	INIT_LIST_HEAD(&cpc->cgroup_entry);
	raw_spin_lock_init(&cpc->hrtimer_lock);
	cpc->hrtimer_interval = ms_to_ktime(READ_ONCE(pmu->hrtimer_interval_ms));
	hrtimer_init(&cpc->hrtimer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	cpc->hrtimer.function = perf_rotate_timer;
}

/**
 * perf_pmu_mux_interval_changed - apply a PMU's new rotation interval
 * @pmu: the PMU; @pmu->hrtimer_interval_ms has been written
 *
 * A running timer uses the new interval from its next expiry on.
 *
 * Context: interrupts are on.
 */
void perf_pmu_mux_interval_changed(struct pmu *pmu)
{
	struct perf_cpu_pmu_context __percpu *cpcs;
	int cpu;

	/*
	 * Pairs with the cmpxchg() in perf_cpu_pmu_contexts_make(): either its caller sees
	 * the new interval, or the per-CPU state is seen here. If both are true, hrtimer_lock
	 * makes the newer interval win.
	 */
	smp_mb();
	cpcs = READ_ONCE(pmu->cpu_pmu_context);
	if (!cpcs)
		return;
	for_each_possible_cpu(cpu) {
		struct perf_cpu_pmu_context *cpc = per_cpu_ptr(cpcs, cpu);

		raw_spin_lock_irq(&cpc->hrtimer_lock);
		cpc->hrtimer_interval = ms_to_ktime(READ_ONCE(pmu->hrtimer_interval_ms));
		raw_spin_unlock_irq(&cpc->hrtimer_lock);
	}
}

/**
 * perf_cpu_pmu_contexts_make - allocate a PMU's per-CPU state, unless it exists
 * @pmu: the PMU of an event that has to be scheduled; pmus_srcu keeps it registered
 *
 * The state is allocated for the first such event: machines with many CPUs have many PMUs, most
 * of them unused.
 *
 * Context: may sleep.
 * Return: 0 on success, -ENOMEM
 */
int perf_cpu_pmu_contexts_make(struct pmu *pmu)
{
	struct perf_cpu_pmu_context __percpu *made;
	int cpu;

	if (likely(READ_ONCE(pmu->cpu_pmu_context)))
		return 0;
	made = alloc_percpu(struct perf_cpu_pmu_context);
	if (!made)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		perf_cpu_pmu_context_init(per_cpu_ptr(made, cpu), pmu, cpu);
	/*
	 * Another task may have installed the state meanwhile. Context switches see the state,
	 * because they take the lock of the event's context.
	 */
	if (cmpxchg(&pmu->cpu_pmu_context, NULL, made))
		free_percpu(made);
	else
		perf_pmu_mux_interval_changed(pmu);
	return 0;
}

/**
 * perf_cpu_pmu_contexts_free - free a PMU's per-CPU state, if it exists
 * @pmu: the PMU, which has no events and gets no new ones
 *
 * Context: may sleep.
 */
void perf_cpu_pmu_contexts_free(struct pmu *pmu)
{
	int cpu;

	if (!pmu->cpu_pmu_context)
		return;
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(pmu->cpu_pmu_context, cpu)->hrtimer);
	free_percpu(pmu->cpu_pmu_context);
	pmu->cpu_pmu_context = NULL;
}

/**
 * perf_rotation_needed - start the rotation timer, unless it runs
 * @cpc: the PMU on this CPU, for which a group waits
 *
 * Context: the contexts of the CPU and of its task are locked, interrupts are off.
 */
void perf_rotation_needed(struct perf_cpu_pmu_context *cpc)
{
	/*
	 * The CPU is being taken offline. The groups that wait are those of tasks, which
	 * leave the CPU, and CPU hotplug would move the timer to another CPU.
	 */
	if (unlikely(!this_cpu_context()->online))
		return;
	scoped_guard(raw_spinlock, &cpc->hrtimer_lock) {
		if (!cpc->hrtimer_active)
			hrtimer_start(&cpc->hrtimer, cpc->hrtimer_interval,
				      HRTIMER_MODE_REL_PINNED_HARD);
		cpc->hrtimer_active = true;
	}
}
