/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations for all files of the perf events core. Functions of x.c for other files are
 * declared in x.h.
 *
 * Lock order, outermost first: a lock may be taken while locks above it are held, and must
 * not be taken while locks below it are held.
 *
 *	sched_events_mutex		sched_cb.c: enables the hooks in context switches
 *	  cpu_hotplug_lock		written by CPU hotplug. Read by static keys: code
 *					is patched with no lock below this one held
 *	    signal->exec_update_lock	read: no change of credentials while an event is attached
 *	      perf_pmus_lock		registration of PMUs; held by perf_scope_migrate()
 *	        task->perf_event_mutex	list of the events that a task owns
 *	          ctx->mutex		two contexts: by address. No memory is allocated under that
 *					of a CPU's context
 *	          ctx->mutex		of a shared context: inside of a task context's
 *	            perf_inherit_data::lock	the inherit lock: lists of inherited events, and
 *					sums of cached ones (child_cache.h); no memory is
 *					allocated under it
 *	              mmap_lock		mmap(2) holds it. With ctx->mutex held, only trylock:
 *					perf_addr_filters_set() releases all locks above
 *					before it waits for this one
 *	                perf_buffer::lock	attach, detach, map; two: by address. No memory
 *					is allocated under it
 *	                  ---- interrupts off from here ----
 *	                  cpuctx->ctx.lock	two if an event moves: the old CPU's first, with
 *					ctx->mutex of both
 *	                    task ctx->lock	innermost except for the leaf locks
 *
 * pmus_srcu, read, keeps PMUs registered during pmu::event_init and pmu::setup_aux. It is
 * entered with ctx->mutex (fork) or mmap_lock (mmap(2)) held, and a leader's ctx->mutex is taken
 * inside it. perf_pmu_unregister() waits for its readers with no lock held.
 *
 * Leaf locks, under which no lock of this list is taken unless noted:
 *
 *	callchain_lock		mutex, callchain.c: callchain buffers; memory is
 *				allocated under it
 *	tick_lock		mutex, throttle.c: users of the tick
 *	together_lock		mutex, context.c: calls of many CPUs; below the inherit lock,
 *				only trylock
 *	interval_lock		mutex, pmu_sysfs.c: writers of a PMU's interval; the
 *				hrtimer_lock of each CPU is taken inside
 *	bp_mutex		mutex, breakpoint.c: reservations of debug registers; below
 *				ctx->mutex and the inherit lock; no memory is allocated
 *	pmu_entry::lock		pmu.c: events of a PMU; below pmus_srcu
 *	areas_lock		aux.c: AUX areas with driver data
 *	perf_buffer::pages_lock	references to pages of a buffer; below its lock
 *	perf_buffer::events_lock	events of a buffer; below its lock, and in
 *				interrupts
 *	listeners::lock		sideband.c: events that get the records of a CPU
 *	hrtimer_lock		rotate.c: rotation timer; below both contexts' locks
 *	perf_addr_filters_head::lock	filters and ranges; below both contexts' locks
 *
 * Two functions release ctx->mutex, which their callers hold, and take it again:
 * perf_addr_filters_set() and perf_event_set_bpf(). See their kernel-doc.
 *
 * Event sites (see software.c) take no lock: they walk RCU lists with preemption off. Writers of
 * records take no lock either, even if several CPUs share a buffer (ring_shared.h).
 */
#ifndef _KERNEL_EVENTS_INTERNAL_H
#define _KERNEL_EVENTS_INTERNAL_H

#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/sched/mm.h>

#include "cold.h"
#include "delay.h"

/* ctx->task after the task's exit; event->owner of kernel events */
#define PERF_TASK_GONE	((void *)-1L)

/**
 * struct perf_cpu_pmu_context - a PMU on a CPU
 * @epc: the PMU's part of the CPU's context
 * @sched_cb_entry: entry in perf_cpu_context::sched_cb_list
 * @cgroup_entry: entry in perf_cpu_context::cgroup_pmus
 * @nr_cgroup_groups: enabled groups of cgroups that must be scheduled here
 * @sched_cb_usage: number of perf_sched_cb_inc() calls of the driver
 * @switch_disabled: the PMU is disabled until the end of a context switch; see
 *	perf_pmu_disable_for_switch()
 * @next_switch_disabled: the next PMU in perf_cpu_context::switch_disabled_list, or NULL
 * @active_oncpu: number of events with a counter
 * @nr_exclusive_blockers: number of events with a counter that keep an exclusive group out: all but
 *	kernel events
 * @most_oncpu: maximum of @active_oncpu
 * @rotations: number of times that a waiting group was scheduled in by rotation
 * @exclusive: an exclusive group is scheduled in
 * @last_was_task: the last group that rotation scheduled in was the task's
 * @hrtimer_active: the rotation timer runs
 * @hrtimer_lock: protects @hrtimer_active and writes of @hrtimer_interval
 * @hrtimer: the rotation timer
 * @hrtimer_interval: period of the rotation timer
 */
struct perf_cpu_pmu_context {
	struct perf_event_pmu_context	epc;
	struct list_head		sched_cb_entry;
	struct list_head		cgroup_entry;
	unsigned int			nr_cgroup_groups;
	int				sched_cb_usage;
	bool				switch_disabled;
	struct perf_cpu_pmu_context	*next_switch_disabled;
	int				active_oncpu;
	int				nr_exclusive_blockers;
	int				most_oncpu;
	bool				exclusive;
	bool				last_was_task;
	bool				hrtimer_active;
	raw_spinlock_t			hrtimer_lock;
	u32				rotations;
	struct hrtimer			hrtimer;
	ktime_t				hrtimer_interval;
};

/**
 * struct perf_cpu_context - scheduling data of a CPU
 * @ctx: events of this CPU without a task
 * @task_ctx: the running task's context, if it has groups to schedule; or @shared_ctx
 * @shared_ctx: shared context (shared_ctx.h) that replaces the running task's context, or NULL
 * @online: events can be opened on the CPU; changed under ctx.mutex
 * @ready: drivers have prepared the CPU, so groups of @ctx may be scheduled in; changed under
 *	ctx.mutex, on the CPU and with interrupts off
 * @sched_cb_list: PMUs whose pmu::sched_task is called in each context switch
 * @switch_disabled_list: PMUs that are disabled until the end of the current context switch, or
 *	NULL
 * @cgrp: cgroup of the running task, while there are cgroup events
 * @nr_cgroups: number of attached cgroup events; perf_cgroup_attach() reads it from other CPUs
 * @cgroup_pmus: PMUs with enabled groups of cgroups; ctx.lock
 * @sw_active: software events of groups that are scheduled in
 *
 * Accessed only on its own CPU, with interrupts off. Exceptions: @ctx is accessed like any other
 * context, opens on other CPUs read @online with ctx.mutex held, and perf_cgroup_attach() reads
 * @nr_cgroups.
 */
struct perf_cpu_context {
	struct perf_event_context	ctx;
	struct perf_event_context	*task_ctx;
	struct perf_event_context	*shared_ctx;
	bool				online;
	bool				ready;
	struct list_head		sched_cb_list;
	struct perf_cpu_pmu_context	*switch_disabled_list;
#ifdef CONFIG_CGROUP_PERF
	struct perf_cgroup		*cgrp;
	unsigned int			nr_cgroups;
	struct list_head		cgroup_pmus;
#endif
	struct list_head		sw_active[PERF_SW_LISTS];
};

DECLARE_PER_CPU(struct perf_cpu_context, perf_cpu_context);

/* Preemption is off. */
static inline struct perf_cpu_context *this_cpu_context(void)
{
	return this_cpu_ptr(&perf_cpu_context);
}

/*
 * Is a sample of @event about a task that does not run on this CPU? This happens for tracepoints.
 * By the ABI such a sample has the ids, the cgroup and the kernel registers of current, and tools
 * rely on these values. They are not secret: perf_tp_match() allows such samples only for events
 * that may see kernel registers. Stacks and user registers may be secret, so they are omitted.
 */
static inline bool perf_event_of_another_task(const struct perf_event *event)
{
	struct task_struct *task = READ_ONCE(READ_ONCE(event->ctx)->task);

	return task && task != current;
}

#define for_each_event(event, ctx) \
	list_for_each_entry(event, &(ctx)->event_list, event_entry)
#define for_each_event_safe(event, next, ctx) \
	list_for_each_entry_safe(event, next, &(ctx)->event_list, event_entry)
#define for_each_pmu_context(epc, ctx) \
	list_for_each_entry(epc, &(ctx)->pmu_ctx_list, pmu_ctx_entry)
#define for_each_child(child, parent) \
	list_for_each_entry(child, perf_event_children(parent), child_list)

/*
 * A task in a full memory cgroup may wait long for memory, and unrelated tasks that need @lock must
 * not wait for it. lockdep records that memory reclaim takes @lock, and reports each allocation
 * under @lock that may wait.
 */
static inline void perf_lock_forbid_alloc(struct mutex *lock)
{
	if (!IS_ENABLED(CONFIG_LOCKDEP))
		return;
	fs_reclaim_acquire(GFP_KERNEL);
	might_lock(lock);
	fs_reclaim_release(GFP_KERNEL);
}

/*
 * Was the event opened by the kernel? Then @owner is always PERF_TASK_GONE. The owner of any other
 * event is a task, or NULL after this task's exit, possibly at the same time.
 */
static inline bool is_kernel_event(const struct perf_event *event)
{
	return READ_ONCE(event->owner) == PERF_TASK_GONE;
}

/* Is @event a per-task event? */
static inline bool is_task_event(const struct perf_event *event)
{
	return event->attach_state & PERF_ATTACH_TASK;
}

/*
 * Is the event in an always-on group (see group.c)? The caller holds the context's lock or mutex,
 * or RCU, because the leader may be closed concurrently.
 */
static inline bool is_always_on(const struct perf_event *event)
{
	return READ_ONCE(event->group_leader)->group_caps & PERF_EV_CAP_ALWAYS_ON;
}

/*
 * Do tracepoints about the event's task add to its count, on the event's CPU, even while the
 * context is inactive? See perf_tp_event(). They do not for an event:
 *
 * - that excludes the kernel, where these tracepoints are;
 * - without a CPU, because another CPU may be using the event;
 * - with attr.sigtrap, because only the task itself can get a synchronous signal.
 */
static inline bool is_counted_about_task(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return attr->type == PERF_TYPE_TRACEPOINT && event->cpu >= 0 && !attr->exclude_kernel &&
	       !attr->sigtrap && READ_ONCE(event->ctx->task);
}

/*
 * View a local64_t as an atomic64_t. local64_add() is atomic only against code on the same CPU:
 * it may overwrite a store of another CPU. On all architectures both types have the same layout.
 */
static inline atomic64_t *perf_atomic64(local64_t *value)
{
	BUILD_BUG_ON(sizeof(*value) != sizeof(atomic64_t));
	return (atomic64_t *)value;
}

/*
 * The attached events of a context for which is_counted_about_task() is true, linked by
 * hw.tp_task_entry; RCU. The list head is that of PERF_COUNT_SW_DUMMY in ctx->sw_lists, which is
 * free: no event site raises a dummy event, so no list contains one.
 */
static inline struct hlist_head *perf_tp_task_events(struct perf_event_context *ctx)
{
	return &ctx->sw_lists[PERF_COUNT_SW_DUMMY - PERF_SW_FIRST];
}

/*
 * The always-on software event that the next tick examines first, by perf_event::hlist_entry, or
 * NULL for the first one of all; ctx->lock. The pointer is stored in the list head of
 * PERF_COUNT_SW_BPF_OUTPUT in ctx->sw_lists, which is free: no event site raises these events.
 */
static inline struct hlist_node **perf_tick_cursor(struct perf_event_context *ctx)
{
	return &ctx->sw_lists[PERF_COUNT_SW_BPF_OUTPUT - PERF_SW_FIRST].first;
}

/*
 * A task's context. The pointer is set once, at open or fork, and cleared by the task at exit. A
 * caller without a reference may use it under RCU.
 */
static inline struct perf_event_context *perf_task_context(const struct task_struct *task)
{
	return READ_ONCE(task->perf_event_ctxp);
}

#endif /* _KERNEL_EVENTS_INTERNAL_H */
