// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that come and go.
 *
 * Events of a CPU that is offline stay attached and stand still; they go on
 * when it is back. In between, drivers put the CPU's counters in order: so
 * events go on after the last of them has, and stop before the first one does.
 *
 * Events of what several CPUs share move to another of these CPUs. The core
 * moves those of PMUs with a scope, drivers those of other system-wide PMUs.
 * When no such CPU is left, the former wait until there is one that speaks for
 * the instance. The latter have come to their end: only their driver knows which
 * CPU they would belong to, and it does not look for them any more.
 */
#include <linux/cpuhotplug.h>

#include "cgroup.h"
#include "context.h"
#include "delay.h"
#include "event.h"
#include "group.h"
#include "group_tree.h"
#include "hotplug.h"
#include "internal.h"
#include "pmu.h"
#include "pmu_scope.h"
#include "record/buffer.h"
#include "rotate.h"
#include "sched.h"
#include "time.h"
#include "time_seq.h"

/* Called on the CPU that comes, with interrupts off. */
static void perf_hotplug_start_cpu(void *unused)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct perf_event_pmu_context *epc;

	perf_context_lock_cpu(cpuctx, cpuctx->task_ctx);
	if (!perf_clock_runs(&cpuctx->ctx.clock))
		perf_clock_start(&cpuctx->ctx.clock, cpuctx->ctx.now);
	cpuctx->ready = true;
	for_each_pmu_context(epc, &cpuctx->ctx)
		perf_pmu_resched_cpu(cpuctx, &cpuctx->ctx, epc->pmu);
	perf_context_unlock_cpu(cpuctx, cpuctx->task_ctx);
	perf_cgroup_start_cpu(cpuctx);
}

/**
 * perf_event_stop_cpu - take everything of this CPU's context off
 * @unused: of smp_call_func_t
 *
 * Interrupts off. What a task has on this CPU stays.
 */
void perf_event_stop_cpu(void *unused)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();

	perf_context_lock_cpu(cpuctx, cpuctx->task_ctx);
	perf_context_sched_out_all(&cpuctx->ctx);
	perf_cgroup_stop_cpu(cpuctx);
	if (perf_clock_runs(&cpuctx->ctx.clock))
		perf_clock_stop(&cpuctx->ctx.clock, cpuctx->ctx.now);
	cpuctx->ready = false;
	perf_context_unlock_cpu(cpuctx, cpuctx->task_ctx);
}

/* Call @func on @cpu, with ctx.mutex held so that no event is opened there meanwhile. */
static void perf_hotplug_on_this_cpu(unsigned int cpu, smp_call_func_t func)
{
	guard(mutex)(&per_cpu(perf_cpu_context, cpu).ctx.mutex);
	guard(irqsave)();
	WARN_ON_ONCE(cpu != smp_processor_id());
	func(NULL);
}

/* Events can be opened on the CPU, or can not any more. */
static void perf_hotplug_set_online(unsigned int cpu, bool online)
{
	struct perf_cpu_context *cpuctx = &per_cpu(perf_cpu_context, cpu);

	guard(mutex)(&cpuctx->ctx.mutex);
	WRITE_ONCE(cpuctx->online, online);
}

/**
 * perf_event_init_cpu - let a CPU that comes have events
 * @cpu: the CPU
 *
 * Called twice: when the CPU is prepared, and on itself. Return: 0.
 */
int perf_event_init_cpu(unsigned int cpu)
{
	/* Not before it runs. */
	if (!cpu_online(cpu) || cpu != raw_smp_processor_id())
		return 0;
	perf_hotplug_set_online(cpu, true);
	perf_scope_online(cpu);
	return 0;
}

/* Drivers have prepared the CPU: what waited there since it went goes on. */
static int perf_hotplug_cpu_is_ready(unsigned int cpu)
{
	perf_hotplug_on_this_cpu(cpu, perf_hotplug_start_cpu);
	return 0;
}

/* Drivers are about to leave the CPU. */
static int perf_hotplug_cpu_is_not_ready(unsigned int cpu)
{
	perf_hotplug_on_this_cpu(cpu, perf_event_stop_cpu);
	return 0;
}

/*
 * Drivers have states of their own, fixed ones and dynamic ones, which are given
 * out in order as drivers are loaded. The last dynamic one is behind all of them,
 * and before tasks come to the CPU.
 */
static int __init perf_hotplug_ready_init(void)
{
	return WARN_ON(cpuhp_setup_state(CPUHP_AP_ONLINE_DYN_END, "perf:ready",
					 perf_hotplug_cpu_is_ready, perf_hotplug_cpu_is_not_ready));
}
early_initcall(perf_hotplug_ready_init);

/* Does only a driver know whether the group belongs to its CPU? */
static bool perf_hotplug_driver_moves(const struct perf_event *leader)
{
	const struct pmu *pmu = leader->pmu_ctx ? leader->pmu_ctx->pmu : NULL;

	return pmu && pmu->task_ctx_nr == perf_invalid_context &&
	       pmu->scope == PERF_PMU_SCOPE_NONE;
}

/* End the events that drivers have not moved: they keep their counts and never run again. */
static void perf_hotplug_end_events_left(unsigned int cpu)
{
	struct perf_event_context *ctx = &per_cpu(perf_cpu_context, cpu).ctx;
	struct perf_event *event;

	guard(mutex)(&ctx->mutex);
	/* The mutex keeps the list. The lock is taken by event, since they may be many. */
	for_each_event(event, ctx) {
		WARN_ON_ONCE(event->state == PERF_EVENT_STATE_ACTIVE && !is_resident(event));
		if (!perf_hotplug_driver_moves(event->group_leader) ||
		    event->state <= PERF_EVENT_STATE_EXIT)
			continue;
		raw_spin_lock_irq(&ctx->lock);
		perf_context_begin(ctx);
		perf_event_set_state(event, PERF_EVENT_STATE_EXIT);
		/* Groups in the tree are those that want the counters. */
		if (event->group_leader == event)
			perf_group_erase(event);
		perf_context_end(ctx);
		raw_spin_unlock_irq(&ctx->lock);
	}
	for_each_event(event, ctx) {
		if (event->state == PERF_EVENT_STATE_EXIT && event->cold)
			perf_event_wakeup(event);
	}
}

/**
 * perf_event_exit_cpu - stop the events of a CPU that goes
 * @cpu: the CPU
 *
 * Called on itself, and once more when it is gone. Return: 0.
 */
int perf_event_exit_cpu(unsigned int cpu)
{
	struct pmu *pmu;

	if (cpu != raw_smp_processor_id())
		return 0;
	/* Set first, so that no event is opened on the CPU after others have been moved. */
	perf_hotplug_set_online(cpu, false);
	perf_scope_offline(cpu);
	perf_hotplug_end_events_left(cpu);
	guard(mutex)(&perf_pmus_lock);
	list_for_each_entry(pmu, &perf_pmus, entry)
		perf_rotation_stop(pmu, cpu);
	return 0;
}

/**
 * struct migration - which groups move to another CPU
 * @pmu: those that this PMU schedules, or NULL
 * @scope: without @pmu those of all PMUs of this scope
 */
struct migration {
	const struct pmu	*pmu;
	unsigned int		scope;
};

static bool perf_hotplug_group_moves(const struct perf_event *leader,
				     const struct migration *which)
{
	const struct pmu *pmu = leader->pmu_ctx ? leader->pmu_ctx->pmu : NULL;

	if (!pmu)
		return false;
	return which->pmu ? pmu == which->pmu : pmu->scope == which->scope;
}

static void perf_hotplug_move_out(struct perf_event *event, struct list_head *moving)
{
	/* The event must be off while it moves: the clock of the other context is another one. */
	if (perf_event_detach(event, PERF_EVENT_STATE_OFF))
		event->event_flags |= PERF_EVENT_GOES_ON;
	perf_buffer_share(event);
	list_add_tail(&event->moving_entry, moving);
}

static void perf_hotplug_move_in(struct perf_event *event, struct perf_event_context *ctx, int cpu)
{
	struct perf_event_context *old = event->ctx;

	list_del_init(&event->moving_entry);
	WRITE_ONCE(event->cpu, cpu);
	/* It may have been mapped since it left; pairs with perf_buffer_share_if_elsewhere(). */
	smp_mb();
	perf_buffer_share(event);
	refcount_inc(&ctx->refcount);
	/* mmap(2) lists the event in the context whose lock it holds; see perf_mmap_count(). */
	scoped_guard(raw_spinlock_irq, &old->lock)
		WRITE_ONCE(event->ctx, ctx);
	perf_delay(MIGRATE_IN);
	WARN_ON_ONCE(perf_event_attach(event));
	perf_event_put(event);
	perf_context_put(old);
}

/* The leader, then its members in their order; each keeps its reference and its leader. */
static void perf_hotplug_move_group_out(struct perf_event *leader, struct list_head *moving)
{
	struct perf_event *member, *next;
	LIST_HEAD(members);

	perf_event_hold(leader);
	for_each_sibling_event(member, leader)
		perf_event_hold(member);
	list_for_each_entry_safe(member, next, &leader->sibling_list, sibling_list)
		perf_hotplug_move_out(member, &members);
	perf_hotplug_move_out(leader, moving);
	list_for_each_entry(member, &members, moving_entry)
		member->group_leader = leader;
	list_splice_tail(&members, moving);
}

/* The first group that goes on elsewhere: those that have ended stay. */
static struct perf_event *perf_hotplug_first_leader(struct perf_event_context *ctx,
						    const struct migration *which)
{
	struct perf_event *event;

	for_each_event(event, ctx) {
		if (event->group_leader == event && event->state > PERF_EVENT_STATE_EXIT &&
		    perf_hotplug_group_moves(event, which))
			return event;
	}
	return NULL;
}

static void perf_hotplug_move_events(const struct migration *which, struct perf_event_context *src,
				     struct perf_event_context *dst, int dst_cpu)
{
	struct perf_event *leader, *event, *next;
	LIST_HEAD(moving);

	while ((leader = perf_hotplug_first_leader(src, which)))
		perf_hotplug_move_group_out(leader, &moving);
	/* A CPU that goes is asked for the events of every box: most have none. */
	if (list_empty(&moving))
		return;

	perf_delay(MIGRATE_OUT);
	/* After this no site and no walk over listeners is in the old lists. */
	synchronize_rcu();
	list_for_each_entry_safe(event, next, &moving, moving_entry)
		perf_hotplug_move_in(event, dst, dst_cpu);
}

static void perf_hotplug_migrate(const struct migration *which, int src_cpu, int dst_cpu)
{
	struct perf_event_context *src = &per_cpu(perf_cpu_context, src_cpu).ctx;
	struct perf_event_context *dst = &per_cpu(perf_cpu_context, dst_cpu).ctx;
	struct perf_event_context *first = min(src, dst), *second = max(src, dst);

	if (src == dst)
		return;
	mutex_lock(&first->mutex);
	mutex_lock_nested(&second->mutex, SINGLE_DEPTH_NESTING);
	perf_hotplug_move_events(which, src, dst, dst_cpu);
	mutex_unlock(&second->mutex);
	mutex_unlock(&first->mutex);
}

/**
 * perf_scope_migrate - move the CPU events of all PMUs of a scope to another CPU
 * @scope: of the PMUs, not %PERF_PMU_SCOPE_NONE
 * @src_cpu: the CPU that no longer speaks for the PMUs' instances
 * @dst_cpu: the CPU that speaks for them from now on
 *
 * May sleep, for one grace period if there are any events, however many PMUs there are;
 * called from CPU hotplug.
 */
void perf_scope_migrate(unsigned int scope, int src_cpu, int dst_cpu)
{
	struct migration which = { .scope = scope };

	lockdep_assert_cpus_held();
	/* No PMU goes meanwhile: its events could not come back. */
	guard(mutex)(&perf_pmus_lock);
	perf_hotplug_migrate(&which, src_cpu, dst_cpu);
}

/**
 * perf_pmu_migrate_context - move a PMU's CPU events to another CPU
 * @pmu: a system-wide PMU
 * @src_cpu: the CPU that no longer speaks for the PMU's instance
 * @dst_cpu: the CPU that speaks for it from now on
 *
 * May sleep, for a grace period when there are any; called from CPU hotplug.
 */
void perf_pmu_migrate_context(struct pmu *pmu, int src_cpu, int dst_cpu)
{
	struct migration which = { .pmu = pmu };

	perf_hotplug_migrate(&which, src_cpu, dst_cpu);
}
EXPORT_SYMBOL_GPL(perf_pmu_migrate_context);
