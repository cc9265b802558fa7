/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that all files of the perf events core share. The functions that x.c has
 * for other files are declared in x.h.
 *
 * Lock order, outermost first. A lock may be taken with those above it held, and
 * with none below.
 *
 *	sched_events_mutex		sched.c: task switches are watched
 *	  cpu_hotplug_lock		written: CPUs come and go. Read by static keys: code
 *					is patched with no lock below this one held
 *	    signal->exec_update_lock	read: credentials stay while an event is attached
 *	      perf_pmus_lock		the registry of PMUs. Scopes move events under it
 *	        task->perf_event_mutex	the list of events that a task owns
 *	          ctx->mutex		two contexts: by address. A CPU's: no memory is allocated
 *	          ctx->mutex		of a residence: inside of a task context's
 *	            perf_family::lock	copies of a context's events, and what is settled
 *					of them (settle.h); no memory is allocated
 *	              mmap_lock		taken by mmap(2), above the next. Below ctx->mutex it
 *					is tried only: perf_addr_filters_set() lets go of
 *					all of these to wait for it
 *	                perf_buffer::lock	attach, detach, map; two: by address. No memory
 *					is allocated under it
 *	                  ---- interrupts off from here ----
 *	                  cpuctx->ctx.lock
 *	                    task ctx->lock	innermost but for the leaves
 *
 * pmus_srcu, read, keeps PMUs while pmu::event_init and pmu::setup_aux run. It is
 * entered with ctx->mutex (fork) or a buffer's lock held, and a leader's ctx->mutex is
 * taken within. perf_pmu_unregister() waits for its readers with no lock held.
 *
 * Leaves, below which nothing of this list is taken:
 *
 *	callchain_lock		mutex, callchain.c: the buffers of call chains; memory is
 *				allocated under it
 *	tick_lock		mutex, throttle.c: who needs the tick
 *	together_lock		mutex, context.c: calls to many CPUs; below the family's lock, where
 *				it is tried only
 *	interval_lock		mutex, pmu_sysfs.c: writers of a PMU's interval; the
 *				hrtimer_lock of each CPU is taken within
 *	bp_mutex		mutex, breakpoint.c: claims of debug registers; below ctx->mutex
 *				and the family's lock; no memory is allocated under it
 *	pmu_entry::lock		pmu.c: the events of a PMU; below pmus_srcu
 *	areas_lock		aux.c: AUX areas that a driver has set up; below a buffer's lock
 *	perf_buffer::pages_lock	references to the pages of a buffer; below its lock
 *	perf_buffer::events_lock	the events of a buffer; below its lock, and in
 *				interrupts
 *	listeners::lock		sideband.c: who gets the records of a CPU
 *	hrtimer_lock		rotate.c: the rotation timer; below both contexts' locks
 *	perf_addr_filters_head::lock	filters and ranges; below both contexts' locks
 *
 * Three functions drop ctx->mutex, which their callers hold, and take it again:
 * perf_addr_filters_set(), perf_tracepoint_set_filter() and perf_event_set_bpf().
 * Their kernel-doc says so.
 *
 * Event sites take no lock: they walk RCU lists with preemption off. Neither do
 * writers of records, also where several CPUs share a buffer (ring_shared.h).
 */
#ifndef _KERNEL_EVENTS_INTERNAL_H
#define _KERNEL_EVENTS_INTERNAL_H

#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/sched/mm.h>

#include "cold.h"
#include "delay.h"

/* ctx->task once the task has exited; also event->owner of the kernel's own events. */
#define PERF_TASK_GONE	((void *)-1L)

/**
 * struct perf_cpu_pmu_context - one PMU on one CPU
 * @epc: the PMU's part of the CPU's context
 * @sched_cb_entry: in this CPU's list of PMUs to call at a task switch
 * @cgroup_entry: in this CPU's list of PMUs that cgroup switches go through
 * @nr_cgroup_groups: enabled groups of cgroups that have to be scheduled here
 * @sched_cb_usage: how many times the driver has asked for that
 * @held: the PMU is disabled until a switch is over; see perf_pmu_hold()
 * @next_held: the next PMU on this CPU that is held, or NULL
 * @active_oncpu: number of events that have a counter
 * @users_oncpu: how many of them keep an exclusive group out: not the kernel's own
 * @most_oncpu: the most events that ever had a counter at a time
 * @rotations: how many times a group that waited has been served
 * @exclusive: an exclusive group is on
 * @task_served: the waiting group that rotation served last was the task's
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
	bool				held;
	struct perf_cpu_pmu_context	*next_held;
	int				active_oncpu;
	int				users_oncpu;
	int				most_oncpu;
	bool				exclusive;
	bool				task_served;
	bool				hrtimer_active;
	raw_spinlock_t			hrtimer_lock;
	u32				rotations;
	struct hrtimer			hrtimer;
	ktime_t				hrtimer_interval;
};

/**
 * struct perf_cpu_context - one CPU's side of event scheduling
 * @ctx: events bound to this CPU and to no task
 * @task_ctx: the running task's context, when it has groups to schedule, or @residence
 * @residence: the context that stands in for the running task's, or NULL
 * @online: events can be opened on the CPU; changed under ctx.mutex
 * @ready: drivers have prepared the CPU, so that groups of @ctx may go on; changed
 *	under ctx.mutex, on the CPU and with interrupts off
 * @sched_cb_list: PMUs that want to be told of every task switch
 * @held: list of PMUs that are disabled until the present switch is over, or NULL
 * @cgrp: cgroup of the running task, while cgroup events exist here
 * @nr_cgroups: number of cgroup events that are attached; perf_cgroup_attach() looks
 *	at it from other CPUs
 * @cgroup_pmus: PMUs with enabled groups of cgroups here; ctx.lock
 * @sw_active: software events that are in a scheduled group, and on
 *
 * The CPU itself looks at this and changes it, with interrupts off. @ctx is accessed
 * like any other context.
 */
struct perf_cpu_context {
	struct perf_event_context	ctx;
	struct perf_event_context	*task_ctx;
	struct perf_event_context	*residence;
	bool				online;
	bool				ready;
	struct list_head		sched_cb_list;
	struct perf_cpu_pmu_context	*held;
#ifdef CONFIG_CGROUP_PERF
	struct perf_cgroup		*cgrp;
	unsigned int			nr_cgroups;
	struct list_head		cgroup_pmus;
#endif
	struct list_head		sw_active[PERF_SW_LISTS];
};

DECLARE_PER_CPU(struct perf_cpu_context, perf_cpu_context);

/* This CPU's; preemption is off. */
static inline struct perf_cpu_context *this_cpu_context(void)
{
	return this_cpu_ptr(&perf_cpu_context);
}

/*
 * Is a sample that is taken now about a task that does not run here? A tracepoint's
 * may be. As the ABI has it, such a sample has the ids, the cgroup and the kernel's
 * registers of current, and tools go by them. These are no secrets:
 * perf_tp_wanted() allows such samples only to events that may see the kernel's
 * registers. Stacks and user registers, which can be secrets, are left out.
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
#define for_each_copy(copy, root) \
	list_for_each_entry(copy, perf_event_copies(root), child_list)

/*
 * A task in a memory cgroup that is full waits long for memory, and must not let
 * unrelated tasks that need @lock wait meanwhile. So lockdep is told that reclaim takes
 * the lock: it complains of each allocation under the lock that may wait.
 */
static inline void perf_lock_allocates_nothing(struct mutex *lock)
{
	if (!IS_ENABLED(CONFIG_LOCKDEP))
		return;
	fs_reclaim_acquire(GFP_KERNEL);
	might_lock(lock);
	fs_reclaim_release(GFP_KERNEL);
}

/* It is or is not for all its life; the owner of another one comes and goes meanwhile. */
static inline bool is_kernel_event(const struct perf_event *event)
{
	return READ_ONCE(event->owner) == PERF_TASK_GONE;
}

/* An event that was asked for on one task, not on a CPU. */
static inline bool is_task_event(const struct perf_event *event)
{
	return event->attach_state & PERF_ATTACH_TASK;
}

/*
 * Is the event in a resident group? The leader may be closed: a lock or the mutex of the
 * context is held, or RCU.
 */
static inline bool is_resident(const struct perf_event *event)
{
	return READ_ONCE(event->group_leader)->group_caps & PERF_EV_CAP_RESIDENT;
}

/*
 * A task's context, which is set once, at an open or a fork, and cleared by the task
 * itself as it exits. A caller without a reference may use it under RCU.
 */
static inline struct perf_event_context *perf_task_context(const struct task_struct *task)
{
	return READ_ONCE(task->perf_event_ctxp);
}

#endif /* _KERNEL_EVENTS_INTERNAL_H */
