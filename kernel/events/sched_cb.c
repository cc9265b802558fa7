// SPDX-License-Identifier: GPL-2.0
/*
 * PMUs whose hardware keeps something of the running task.
 *
 * A PMU that asked with perf_sched_cb_inc() is told of a switch once in either
 * half of it, while its counters stand: what it keeps of one task, like the last
 * branches taken, never gets into a sample of another one.
 */
#include "context.h"
#include "internal.h"
#include "sched_cb.h"

/**
 * perf_tell_other_pmus - tell the PMUs that asked, and of which the task has nothing
 * @cpuctx: this CPU's context, locked
 * @ctx: the task's context, locked, or NULL
 * @sched_in: true when the task has come, false when it leaves
 *
 * The walk is safe because a callback may take its own PMU off the list.
 */
void perf_tell_other_pmus(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx,
			  bool sched_in)
{
	struct perf_cpu_pmu_context *cpc, *next;

	lockdep_assert_held(&cpuctx->ctx.lock);
	list_for_each_entry_safe(cpc, next, &cpuctx->sched_cb_list, sched_cb_entry) {
		struct pmu *other = cpc->epc.pmu;

		if (perf_pmu_context_of(ctx, other))
			continue;
		perf_pmu_disable(other);
		other->sched_task(NULL, current, sched_in);
		perf_pmu_enable(other);
	}
}

/**
 * perf_tell_all_pmus - tell all that asked: the task has no scheduled groups
 * @cpuctx: this CPU's context, not locked; interrupts are off
 * @sched_in: true when the task has come, false when it leaves
 *
 * No event changes: the context's clock is not looked at.
 */
void perf_tell_all_pmus(struct perf_cpu_context *cpuctx, bool sched_in)
{
	raw_spinlock_t *lock = &cpuctx->ctx.lock;

	raw_spin_lock(lock);
	perf_tell_other_pmus(cpuctx, NULL, sched_in);
	raw_spin_unlock(lock);
}

/**
 * perf_pmu_hold - keep a PMU disabled until a switch is over
 * @cpuctx: this CPU's, locked
 * @pmu: disabled by the caller, who leaves perf_pmu_enable() to perf_pmus_release()
 *
 * Events of the next task's cgroup are on before the task is, or it has events of the same
 * PMU as the last one. Nothing runs in between but the switch itself, with interrupts off,
 * and its second half comes: switches are looked at as long as there are such events.
 */
void perf_pmu_hold(struct perf_cpu_context *cpuctx, struct pmu *pmu)
{
	struct perf_cpu_pmu_context *cpc = perf_this_cpc(pmu);

	lockdep_assert_held(&cpuctx->ctx.lock);
	/* The last task's events have it held, and those of the next cgroup want the same. */
	if (cpc->held) {
		perf_pmu_enable(pmu);
		return;
	}
	cpc->held = true;
	cpc->epc.pmu = pmu;
	cpc->next_held = cpuctx->held;
	cpuctx->held = cpc;
}

/**
 * perf_pmus_release - a switch is over: let the PMUs run that stood for it
 * @cpuctx: this CPU's; interrupts are off
 */
void perf_pmus_release(struct perf_cpu_context *cpuctx)
{
	struct perf_cpu_pmu_context *held;

	lockdep_assert_irqs_disabled();
	for (held = cpuctx->held; held; held = held->next_held) {
		held->held = false;
		perf_pmu_enable(held->epc.pmu);
	}
	cpuctx->held = NULL;
}

/**
 * perf_sched_cb_inc - let pmu->sched_task() be called at task switches here
 * @pmu: a PMU that has it; called from its add or start, on the CPU
 */
void perf_sched_cb_inc(struct pmu *pmu)
{
	struct perf_cpu_pmu_context *cpc = perf_this_cpc(pmu);

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
	struct perf_cpu_pmu_context *cpc = perf_this_cpc(pmu);

	lockdep_assert_irqs_disabled();
	if (WARN_ON_ONCE(!cpc->sched_cb_usage))
		return;
	if (!--cpc->sched_cb_usage)
		list_del_init(&cpc->sched_cb_entry);
}
