/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the perf events core share. What x.c has for others is in x.h.
 *
 * Lock order, outermost first:
 *
 *	task->signal->exec_update_lock	credentials against attachment
 *	  pmu registry lock		perf_pmus_lock
 *	    task->perf_event_mutex	the list of events a task owns
 *	      ctx->mutex		two contexts: by address. A CPU's: no memory is allocated
 *	        perf_family_lock()	a family of inherited events; no memory is allocated
 *	          mmap_lock		tried only, of a task whose files are filtered
 *	            buffer locks	(buffer.h) no memory is allocated
 *	            ---- interrupts off from here ----
 *	            cpuctx->ctx.lock
 *	              task ctx->lock	innermost
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

/* A task that may not be watched any more has this in its context. */
#define PERF_TASK_GONE	((void *)-1L)

/**
 * struct perf_cpu_pmu_context - one PMU on one CPU
 * @epc: the CPU context's part
 * @sched_cb_entry: in this CPU's list of PMUs to call at a task switch
 * @sched_cb_usage: how many asked for that
 * @active_oncpu: events that have a counter
 * @users_oncpu: how many of them keep an exclusive group out: not the kernel's own
 * @most_oncpu: the most that ever had one at a time
 * @exclusive: an exclusive group is on
 * @task_served: the waiting group that rotation served last was the task's
 * @hrtimer_active: the rotation timer runs
 * @hrtimer_lock: protects it
 * @hrtimer: the rotation timer
 * @hrtimer_interval: its period
 */
struct perf_cpu_pmu_context {
	struct perf_event_pmu_context	epc;
	struct list_head		sched_cb_entry;
	int				sched_cb_usage;
	int				active_oncpu;
	int				users_oncpu;
	int				most_oncpu;
	bool				exclusive;
	bool				task_served;
	bool				hrtimer_active;
	raw_spinlock_t			hrtimer_lock;
	struct hrtimer			hrtimer;
	ktime_t				hrtimer_interval;
};

/**
 * struct perf_cpu_context - one CPU's side of event scheduling
 * @ctx: events bound to this CPU and to no task
 * @task_ctx: the running task's context, when it has groups to schedule
 * @online: events can be opened on the CPU; changed under ctx.mutex
 * @ready: and its drivers have prepared it, so that they go on; changed under
 *	ctx.mutex and with interrupts off there
 * @sched_cb_list: PMUs that want to be told of every task switch
 * @cgrp: cgroup of the running task, while cgroup events exist here
 * @nr_cgroups: how many of those are attached
 * @sw_active: software events that are in a scheduled group, and on
 *
 * Looked at and changed by its own CPU with interrupts off; @ctx as any other.
 */
struct perf_cpu_context {
	struct perf_event_context	ctx;
	struct perf_event_context	*task_ctx;
	bool				online;
	bool				ready;
	struct list_head		sched_cb_list;
#ifdef CONFIG_CGROUP_PERF
	struct perf_cgroup		*cgrp;
	unsigned int			nr_cgroups;
#endif
	struct list_head		sw_active[PERF_SW_LISTS];
};

DECLARE_PER_CPU(struct perf_cpu_context, perf_cpu_context);

/* Of the CPU that this is, and stays: preemption is off. */
static inline struct perf_cpu_context *this_cpu_context(void)
{
	return this_cpu_ptr(&perf_cpu_context);
}

/*
 * Is a sample that is taken now about a task that is not here? A tracepoint may
 * be. The sample has the ids, the cgroup and the registers of the one that is
 * here, as the ABI has it; tools go by them. These are no secrets: whoever may
 * not see the kernel's registers gets no sample, as tp_wanted() has no others.
 * Stacks and user registers, which can be secrets, are left out.
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
#define for_each_copy(child, root) \
	list_for_each_entry(child, perf_event_copies(root), child_list)

/*
 * A task in a memory cgroup that is full waits long for memory, and must not keep
 * strangers who need @lock waiting meanwhile. Lockdep is told that reclaim takes the
 * lock: so it complains of each allocation under it that may wait.
 */
static inline void perf_lock_allocates_nothing(struct mutex *lock)
{
	if (!IS_ENABLED(CONFIG_LOCKDEP))
		return;
	fs_reclaim_acquire(GFP_KERNEL);
	might_lock(lock);
	fs_reclaim_release(GFP_KERNEL);
}

static inline bool is_kernel_event(const struct perf_event *event)
{
	return event->owner == PERF_TASK_GONE;
}

/* An event that was asked for on one task, not on a CPU. */
static inline bool is_task_event(const struct perf_event *event)
{
	return event->attach_state & PERF_ATTACH_TASK;
}

/* A context's lock or mutex is held, or RCU: the leader may go. */
static inline bool is_resident(const struct perf_event *event)
{
	return READ_ONCE(event->group_leader)->group_caps & PERF_EV_CAP_RESIDENT;
}

/*
 * A task's context: set once by an opener or a fork, cleared by the task itself
 * as it exits. Without a reference it is good for as long as RCU protects it.
 */
static inline struct perf_event_context *perf_task_context(const struct task_struct *task)
{
	return READ_ONCE(task->perf_event_ctxp);
}

#endif /* _KERNEL_EVENTS_INTERNAL_H */
