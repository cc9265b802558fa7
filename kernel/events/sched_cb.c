// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks of context switches: the static key that enables them, the PMUs that stay disabled during
 * a switch, and the calls of pmu->sched_task() for PMUs that store data of the running task.
 *
 * In each half of a switch pmu->sched_task() is called once for each PMU whose driver has
 * called perf_sched_cb_inc(), with the PMU disabled. The driver clears data such as the last
 * branches taken, which must not leak into a sample of another task.
 */
#include "context.h"
#include "internal.h"
#include "sched_cb.h"

DEFINE_STATIC_KEY_FALSE(perf_sched_events);
static atomic_t perf_sched_users;
static DEFINE_MUTEX(sched_events_mutex);

/*
 * Drop the reference left by the last perf_sched_events_put(), after a delay. The last events may
 * have been removed between the two halves of a switch on another CPU. The second half enables the
 * PMUs that the first half has disabled: the hooks stay enabled until all such switches have ended.
 */
static void perf_sched_events_off(struct work_struct *work)
{
	guard(mutex)(&sched_events_mutex);
	if (!atomic_dec_and_test(&perf_sched_users))
		return;
	synchronize_rcu_expedited();
	static_branch_disable(&perf_sched_events);
}

static DECLARE_DELAYED_WORK(sched_events_work, perf_sched_events_off);

/**
 * perf_sched_events_get - enable the hooks of context switches
 *
 * The first caller waits until all CPUs use the hooks.
 *
 * Context: may sleep.
 */
void perf_sched_events_get(void)
{
	if (atomic_inc_not_zero(&perf_sched_users))
		return;

	guard(mutex)(&sched_events_mutex);
	if (!atomic_read(&perf_sched_users)) {
		static_branch_enable(&perf_sched_events);
		/*
		 * A switch that began before the key was enabled may lack its second half.
		 * Wait for the end of such switches. The expedited grace period is cheap in
		 * comparison: the key has interrupted all CPUs already.
		 */
		synchronize_rcu_expedited();
	}
	atomic_inc(&perf_sched_users);
}

/**
 * perf_sched_events_put - undo perf_sched_events_get()
 *
 * After the last use the key stays enabled for a minute, so that an event opened soon does not
 * wait for a grace period.
 *
 * Context: any.
 */
void perf_sched_events_put(void)
{
	if (!atomic_add_unless(&perf_sched_users, -1, 1))
		schedule_delayed_work(&sched_events_work, 60 * HZ);
}

/**
 * perf_sched_task_other_pmus - call sched_task() of the PMUs that have no part in a task's context
 * @cpuctx: this CPU's context, locked
 * @ctx: the task's context, locked, or NULL
 * @sched_in: true if the task is switched in, false if it is switched out
 *
 * The list walk is safe against a callback that removes its own PMU.
 */
void perf_sched_task_other_pmus(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx,
				bool sched_in)
{
	struct perf_cpu_pmu_context *cpc, *next;

	lockdep_assert_held(&cpuctx->ctx.lock);
	list_for_each_entry_safe(cpc, next, &cpuctx->sched_cb_list, sched_cb_entry) {
		struct pmu *other = cpc->epc.pmu;

		if (perf_pmu_context_of(ctx, other))
			continue;
		perf_pmu_disable(other);
		/* Drivers need not check for NULL: a CPU's part never has task_ctx_data. */
		other->sched_task(&cpc->epc, current, sched_in);
		perf_pmu_enable(other);
	}
}

/**
 * perf_sched_task_all_pmus - call sched_task() of all PMUs that use it on this CPU
 * @cpuctx: this CPU's context, not locked; interrupts are off
 * @sched_in: true if the task is switched in, false if it is switched out
 *
 * For a task without scheduled groups. No event changes, so the context's clock is not read.
 */
void perf_sched_task_all_pmus(struct perf_cpu_context *cpuctx, bool sched_in)
{
	raw_spinlock_t *lock = &cpuctx->ctx.lock;

	raw_spin_lock(lock);
	perf_sched_task_other_pmus(cpuctx, NULL, sched_in);
	raw_spin_unlock(lock);
}

/**
 * perf_pmu_disable_for_switch - keep a PMU disabled until the end of a context switch
 * @cpuctx: this CPU's context, locked
 * @pmu: disabled by the caller; perf_pmus_enable_after_switch() enables it
 *
 * Needed if events of the next task's cgroup are scheduled in before the task runs, or if both
 * tasks have events of the PMU. Interrupts are off until the end of the switch. The second half of
 * the switch always enables the PMU, even if such events do not exist any more: see
 * perf_sched_events_off().
 */
void perf_pmu_disable_for_switch(struct perf_cpu_context *cpuctx, struct pmu *pmu)
{
	struct perf_cpu_pmu_context *cpc = perf_this_cpc(pmu);

	lockdep_assert_held(&cpuctx->ctx.lock);
	/*
	 * Events of the last task and of the next cgroup may have the same PMU, which is kept
	 * disabled already: undo only the caller's disable.
	 */
	if (cpc->switch_disabled) {
		perf_pmu_enable(pmu);
		return;
	}
	cpc->switch_disabled = true;
	cpc->epc.pmu = pmu;
	cpc->next_switch_disabled = cpuctx->switch_disabled_list;
	cpuctx->switch_disabled_list = cpc;
}

/**
 * perf_pmus_enable_after_switch - undo perf_pmu_disable_for_switch() at the end of a switch
 * @cpuctx: this CPU's context; interrupts are off
 */
void perf_pmus_enable_after_switch(struct perf_cpu_context *cpuctx)
{
	struct perf_cpu_pmu_context *cpc;

	lockdep_assert_irqs_disabled();
	for (cpc = cpuctx->switch_disabled_list; cpc; cpc = cpc->next_switch_disabled) {
		cpc->switch_disabled = false;
		perf_pmu_enable(cpc->epc.pmu);
	}
	cpuctx->switch_disabled_list = NULL;
}

/**
 * perf_sched_cb_inc - call pmu->sched_task() at context switches on this CPU
 * @pmu: a PMU with this callback
 *
 * Context: pmu::add or pmu::start, on the event's CPU.
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
 * @pmu: the PMU
 *
 * Context: pmu::del, pmu::stop or pmu::sched_task, on the event's CPU.
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

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/sched_cb_test.c"
#endif
