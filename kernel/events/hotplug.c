// SPDX-License-Identifier: GPL-2.0
/*
 * CPU hotplug
 *
 * Events of an offline CPU stay attached and do not count; they continue when the CPU is
 * online again. Drivers initialise the CPU's counters in between, so events start after the
 * last driver has done so, and stop before the first driver shuts down.
 *
 * If several CPUs share an instance of a PMU, its events move to another of these CPUs. The core
 * moves the events of PMUs with a scope, and drivers move those of other system-wide PMUs. If none
 * of these CPUs is online, the events of a PMU with a scope wait until one is. Events of a
 * system-wide PMU without a scope end if the driver has not moved them: only the driver could
 * select another CPU.
 */
#include <linux/cpuhotplug.h>
#include <kunit/static_stub.h>

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

/* Called on the CPU that is brought online, with interrupts off. */
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
 * perf_event_stop_cpu - schedule out all events of this CPU's context
 * @unused: for smp_call_func_t
 *
 * Events of the running task stay scheduled in.
 *
 * Context: interrupts are off.
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

/* Call @func on @cpu, with ctx.mutex held, which prevents concurrent opens. */
static void perf_hotplug_on_this_cpu(unsigned int cpu, smp_call_func_t func)
{
	guard(mutex)(&per_cpu(perf_cpu_context, cpu).ctx.mutex);
	guard(irqsave)();
	WARN_ON_ONCE(cpu != smp_processor_id());
	func(NULL);
}

/* Allow or prevent opens of events on the CPU. */
static void perf_hotplug_set_online(unsigned int cpu, bool online)
{
	struct perf_cpu_context *cpuctx = &per_cpu(perf_cpu_context, cpu);

	guard(mutex)(&cpuctx->ctx.mutex);
	WRITE_ONCE(cpuctx->online, online);
}

/**
 * perf_event_init_cpu - prepare a CPU that is brought online for events
 * @cpu: the CPU
 *
 * Called twice: when the CPU is prepared, and on the CPU itself.
 *
 * Return: 0
 */
int perf_event_init_cpu(unsigned int cpu)
{
	/* The first call, while the CPU is not online yet, is made on another CPU: do nothing. */
	if (!cpu_online(cpu) || cpu != raw_smp_processor_id())
		return 0;
	perf_hotplug_set_online(cpu, true);
	perf_scope_online(cpu);
	return 0;
}

/* Drivers have initialised the CPU: continue its events. */
static int perf_hotplug_cpu_is_ready(unsigned int cpu)
{
	perf_hotplug_on_this_cpu(cpu, perf_hotplug_start_cpu);
	return 0;
}

/* Drivers are about to shut down the CPU. */
static int perf_hotplug_cpu_is_not_ready(unsigned int cpu)
{
	perf_hotplug_on_this_cpu(cpu, perf_event_stop_cpu);
	return 0;
}

/*
 * PMU drivers have fixed hotplug states, followed by dynamic ones, which are allocated in the order
 * in which drivers are loaded. So the last dynamic state is after the states of all drivers. This
 * state is before tasks run on the CPU.
 */
static int __init perf_hotplug_ready_init(void)
{
	return WARN_ON(cpuhp_setup_state(CPUHP_AP_ONLINE_DYN_END, "perf:ready",
					 perf_hotplug_cpu_is_ready, perf_hotplug_cpu_is_not_ready));
}
early_initcall(perf_hotplug_ready_init);

/* Is the driver, not the core, responsible for moving the group to another CPU? */
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
	/*
	 * ctx->mutex protects the list. Take ctx->lock for each event separately, because there may
	 * be many events.
	 */
	for_each_event(event, ctx) {
		cond_resched();
		WARN_ON_ONCE(event->state == PERF_EVENT_STATE_ACTIVE && !is_always_on(event));
		if (!perf_hotplug_driver_moves(event->group_leader) ||
		    event->state <= PERF_EVENT_STATE_EXIT)
			continue;
		raw_spin_lock_irq(&ctx->lock);
		perf_context_begin(ctx);
		perf_event_set_state(event, PERF_EVENT_STATE_EXIT);
		/* The tree must contain only groups that can be scheduled in. */
		if (event->group_leader == event)
			perf_group_tree_del(event);
		perf_context_end(ctx);
		raw_spin_unlock_irq(&ctx->lock);
	}
	for_each_event(event, ctx) {
		if (event->state == PERF_EVENT_STATE_EXIT && event->cold)
			perf_event_wakeup(event);
		cond_resched();
	}
}

/**
 * perf_event_exit_cpu - stop the events of a CPU that is taken offline
 * @cpu: the CPU
 *
 * Called on the CPU itself, and again after it is offline.
 *
 * Return: 0
 */
int perf_event_exit_cpu(unsigned int cpu)
{
	struct pmu *pmu;

	if (cpu != raw_smp_processor_id())
		return 0;
	/* First prevent opens on the CPU, then move the events. */
	perf_hotplug_set_online(cpu, false);
	perf_scope_offline(cpu);
	perf_hotplug_end_events_left(cpu);
	guard(mutex)(&perf_pmus_lock);
	list_for_each_entry(pmu, &perf_pmus, entry)
		perf_rotation_stop(pmu, cpu);
	return 0;
}

/**
 * struct migration - selection of groups that move to another CPU
 * @pmu: groups that this PMU schedules; or NULL
 * @scope: without @pmu: groups of all PMUs of this scope
 */
struct migration {
	const struct pmu	*pmu;
	unsigned int		scope;
};

static bool perf_hotplug_group_moves(const struct perf_event *leader,
				     const struct migration *which)
{
	const struct pmu *pmu = leader->pmu_ctx ? leader->pmu_ctx->pmu : NULL;

	KUNIT_STATIC_STUB_REDIRECT(perf_hotplug_group_moves, leader, which);
	if (!pmu)
		return false;
	return which->pmu ? pmu == which->pmu : pmu->scope == which->scope;
}

static void perf_hotplug_move_out(struct perf_event *event, struct list_head *moving)
{
	/* The event must be off during the move, because the other context has another clock. */
	if (perf_event_detach(event, PERF_EVENT_STATE_OFF))
		event->event_flags |= PERF_EVENT_REENABLE;
	perf_buffer_share(event);
	list_add_tail(&event->moving_entry, moving);
}

static void perf_hotplug_move_in(struct perf_event *event, struct perf_event_context *ctx, int cpu)
{
	struct perf_event_context *old = event->ctx;

	/* With both mutexes held, no other move takes the two locks below in the other order. */
	lockdep_assert_held(&old->mutex);
	lockdep_assert_held(&ctx->mutex);
	list_del_init(&event->moving_entry);
	WRITE_ONCE(event->cpu, cpu);
	/* Pairs with perf_buffer_share_if_elsewhere(): the event may have a buffer by now. */
	smp_mb();
	perf_buffer_share(event);
	refcount_inc(&ctx->refcount);
	/* perf_mmap_count() holds the lock of event->ctx, which changes under both locks. */
	raw_spin_lock_irq(&old->lock);
	raw_spin_lock_nested(&ctx->lock, SINGLE_DEPTH_NESTING);
	/*
	 * Pairs with perf_times_try(): the event may have been in @ctx before. A reader that has
	 * begun to read the times at that time must see that @ctx has changed since.
	 */
	perf_change_announce(ctx);
	WRITE_ONCE(event->ctx, ctx);
	perf_change_end(ctx, PERF_CHANGE_ANNOUNCED);
	raw_spin_unlock(&ctx->lock);
	raw_spin_unlock_irq(&old->lock);
	perf_delay(MIGRATE_IN);
	/*
	 * Event sites may have used the event after its detach, until the grace period. If one of
	 * them was the last overflow of its limit, the irq work has found the event off.
	 */
	if (perf_event_limit_is_reached(event))
		event->event_flags &= ~PERF_EVENT_REENABLE;
	WARN_ON_ONCE(perf_event_attach(event));
	perf_event_put(event);
	perf_context_put(old);
}

/*
 * Detach the events of a group. Add them to @moving with a reference each, the leader first, then
 * its siblings in order, and restore perf_event::group_leader for the attach on the other CPU.
 */
static void perf_hotplug_move_group_out(struct perf_event *leader, struct list_head *moving)
{
	struct perf_event *member, *next;
	LIST_HEAD(members);

	perf_event_get_ref(leader);
	for_each_sibling_event(member, leader)
		perf_event_get_ref(member);
	list_for_each_entry_safe(member, next, &leader->sibling_list, sibling_list)
		perf_hotplug_move_out(member, &members);
	perf_hotplug_move_out(leader, moving);
	list_for_each_entry(member, &members, moving_entry)
		member->group_leader = leader;
	list_splice_tail(&members, moving);
}

/* Get the next event of the context that is not in @event's group, which may move. */
static struct perf_event *perf_hotplug_next_event(struct perf_event *event)
{
	struct perf_event *next = event;

	list_for_each_entry_continue(next, &event->ctx->event_list, event_entry) {
		if (next->group_leader != event)
			return next;
	}
	return NULL;
}

/* Detach all groups of the selection. Events that have ended do not move. */
static void perf_hotplug_move_all_out(const struct migration *which, struct perf_event_context *src,
				      struct list_head *moving)
{
	struct perf_event *event, *next;

	event = list_first_entry_or_null(&src->event_list, struct perf_event, event_entry);
	for (; event; event = next) {
		next = perf_hotplug_next_event(event);
		if (event->group_leader == event && event->state > PERF_EVENT_STATE_EXIT &&
		    perf_hotplug_group_moves(event, which))
			perf_hotplug_move_group_out(event, moving);
		cond_resched();
	}
}

static void perf_hotplug_move_events(const struct migration *which, struct perf_event_context *src,
				     struct perf_event_context *dst, int dst_cpu)
{
	struct perf_event *event, *next;
	LIST_HEAD(moving);

	perf_hotplug_move_all_out(which, src, &moving);
	/* Most scopes have no events when a CPU is taken offline: avoid the grace period. */
	if (list_empty(&moving))
		return;

	perf_delay(MIGRATE_OUT);
	/* Wait until no event site and no walk over side-band events uses the old lists. */
	synchronize_rcu();
	list_for_each_entry_safe(event, next, &moving, moving_entry) {
		perf_hotplug_move_in(event, dst, dst_cpu);
		cond_resched();
	}
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
 * perf_scope_migrate - move the per-CPU events of all PMUs of a scope to another CPU
 * @scope: scope of the PMUs, not %PERF_PMU_SCOPE_NONE
 * @src_cpu: former CPU of the PMUs' instances
 * @dst_cpu: new CPU of the PMUs' instances
 *
 * Takes one grace period if there are any events, for any number of PMUs.
 *
 * Context: CPU hotplug, may sleep.
 */
void perf_scope_migrate(unsigned int scope, int src_cpu, int dst_cpu)
{
	struct migration which = { .scope = scope };

	lockdep_assert_cpus_held();
	/* A PMU must not be unregistered while its events are in no context. */
	guard(mutex)(&perf_pmus_lock);
	perf_hotplug_migrate(&which, src_cpu, dst_cpu);
}

/**
 * perf_pmu_migrate_context - move a PMU's per-CPU events to another CPU
 * @pmu: a system-wide PMU
 * @src_cpu: former CPU of the PMU's instance
 * @dst_cpu: new CPU of the PMU's instance
 *
 * Takes a grace period if there are any events.
 *
 * Context: CPU hotplug, may sleep.
 */
void perf_pmu_migrate_context(struct pmu *pmu, int src_cpu, int dst_cpu)
{
	struct migration which = { .pmu = pmu };

	perf_hotplug_migrate(&which, src_cpu, dst_cpu);
}
EXPORT_SYMBOL_GPL(perf_pmu_migrate_context);

#if defined(CONFIG_PERF_EVENTS_KUNIT_TEST) && IS_BUILTIN(CONFIG_PERF_EVENTS_SIM_PMU)
#include "tests/hotplug_test.c"
#endif
