// SPDX-License-Identifier: GPL-2.0
/*
 * Per-CPU contexts that count for a set of cloned tasks: shared contexts. See shared_ctx.h.
 *
 * A fork that inherits all events of a context makes a set of the two contexts, if a shared context
 * can count each of these events. Later forks that inherit all events of a context in the set add
 * their contexts. A context leaves the set before another event is attached to it. An event is
 * removed from all contexts of the set together: when its parent event is closed or its PMU is
 * unregistered.
 */
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "cgroup.h"
#include "cold.h"
#include "context.h"
#include "delay.h"
#include "event.h"
#include "group.h"
#include "inherit_list.h"
#include "internal.h"
#include "read.h"
#include "record/aux.h"
#include "record/buffer.h"
#include "record/sideband.h"
#include "sched.h"
#include "shared_ctx.h"
#include "source/software.h"
#include "time.h"
#include "time_seq.h"

/* Does the PMU count in the same way for all tasks of the set? */
static bool perf_pmu_can_share_ctx(const struct perf_event *event)
{
	const struct pmu *pmu = event->pmu;

	if (pmu->capabilities & (PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE))
		return false;
	return (event->event_caps & PERF_EV_CAP_ALWAYS_ON) || pmu->type == PERF_TYPE_SOFTWARE ||
	       pmu->task_ctx_nr == perf_hw_context;
}

/*
 * Can an event of a shared context count in place of @event? This requires that user space only
 * reads the sum over the parent event and all inherited events, and changes their state together.
 */
static bool perf_event_can_share_ctx(const struct perf_event *event)
{
	const struct perf_event *parent = perf_event_parent(event);
	const struct perf_event_attr *attr = &event->attr;

	if (attr->inherit_stat || attr->remove_on_exec || attr->enable_on_exec ||
	    attr->pinned || attr->exclusive || attr->sigtrap || is_sampling_event(event))
		return false;
	if (!attr->inherit || event->cgrp || event->state <= PERF_EVENT_STATE_ERROR)
		return false;
	/* An event of one CPU may be mapped despite attr.inherit: its page shows its own count. */
	if (event->cpu >= 0)
		return false;
	if (event->attach_state & (PERF_ATTACH_TASK_DATA | PERF_ATTACH_ITRACE |
				   PERF_ATTACH_SCHED_CB))
		return false;
	/* Records and BPF programs show the values of a single event. */
	if (rcu_access_pointer(parent->rb) || READ_ONCE(parent->prog))
		return false;
	return is_default_overflow_handler((struct perf_event *)event) &&
	       !perf_attr_has_sideband(attr) && !perf_event_needs_aux(event) && !has_aux(event) &&
	       !has_addr_filter(event) && perf_pmu_can_share_ctx(event);
}

static bool perf_ctx_can_share(struct perf_event_context *ctx)
{
	const struct perf_event *event;

	for_each_event(event, ctx) {
		if (!perf_event_can_share_ctx(event))
			return false;
	}
	return true;
}

/*
 * End the work that perf_shared_ctx_queue_work() has queued. After success, -EAGAIN or -EINTR the
 * work may be queued again: -EAGAIN means that an event was being removed, and the event is gone at
 * the next request; -EINTR means that current is being killed, and the next request is from another
 * task. After all other errors the work is never queued again for this set.
 */
static void perf_shared_ctx_end_work(struct perf_ctx_set *ctx_set, int err)
{
	if (!err || err == -EAGAIN || err == -EINTR)
		/* Pairs with perf_shared_ctx_queue_work(): the work is not queued any more. */
		smp_store_release(&ctx_set->work_queued, 0);
	perf_ctx_set_put(ctx_set);
}

/* Task work of perf_shared_ctx_queue_work(): make a shared context unless current exits. */
static void perf_shared_ctx_task_work(struct callback_head *work)
{
	struct perf_ctx_set *ctx_set = container_of(work, struct perf_ctx_set, work);
	struct perf_event_context *ctx = perf_task_context(current);
	int err = 0;

	if (ctx && !(current->flags & PF_EXITING)) {
		guard(mutex)(&ctx->mutex);
		if (ctx->ctx_set == ctx_set)
			err = perf_shared_ctx_create(ctx, raw_smp_processor_id());
		/* Leave the set if an event cannot be shared, for example if it lost its leader. */
		if (err == -EAGAIN && !perf_ctx_can_share(ctx))
			perf_ctx_set_unlink(ctx);
	}
	perf_shared_ctx_end_work(ctx_set, err);
}

static struct perf_ctx_set *perf_ctx_set_alloc(void)
{
	struct perf_ctx_set *made = kzalloc(sizeof(*made), GFP_KERNEL_ACCOUNT);

	if (!made)
		return NULL;
	refcount_set(&made->refcount, 1);
	init_task_work(&made->work, perf_shared_ctx_task_work);
	return made;
}

/**
 * perf_ctx_set_add - after a fork, add the new task's context to the set of current's context, if
 * possible
 * @parent: context of current; its mutex is held
 * @child: context of the new task, not yet visible to other tasks; its mutex is held
 *
 * A context with only always-on events is in no set, because a shared context would save nothing.
 *
 * Context: may sleep.
 */
void perf_ctx_set_add(struct perf_event_context *parent, struct perf_event_context *child)
{
	struct perf_ctx_set *ctx_set = parent->ctx_set;

	lockdep_assert_held(&parent->mutex);
	lockdep_assert_held(&child->mutex);
	if (list_empty(&child->pmu_ctx_list) || child->nr_events != parent->nr_events)
		return;
	if (!ctx_set) {
		if (!perf_ctx_can_share(parent))
			return;
		ctx_set = perf_ctx_set_alloc();
		if (!ctx_set)
			return;
		/*
		 * The clock of @parent runs: if @parent had cached events, @parent has been marked
		 * as stale. From now on no PERF_EVENT_PLAIN_CHILD event of @parent is cached.
		 */
		WRITE_ONCE(parent->in_ctx_set, true);
		/* Pairs with perf_shared_ctx_find(): switches see initialised memory. */
		smp_store_release(&parent->ctx_set, ctx_set);
	}
	refcount_inc(&ctx_set->refcount);
	WRITE_ONCE(child->in_ctx_set, true);
	child->ctx_set = ctx_set;
}

static void perf_ctx_set_free(struct perf_ctx_set *ctx_set)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (!ctx_set->ctxs)
			break;
		if (ctx_set->ctxs[cpu])
			perf_shared_ctx_free(ctx_set->ctxs[cpu]);
	}
	/* No context switch reads ctx_set->ctxs any more, see perf_shared_ctx_find(). */
	kvfree(ctx_set->ctxs);
	kfree(ctx_set);
}

static void perf_ctx_set_free_work(struct work_struct *work)
{
	perf_ctx_set_free(container_of(work, struct perf_ctx_set, free_work));
}

/**
 * perf_ctx_set_put - drop a context's reference to its set
 * @ctx_set: the set, or NULL
 *
 * The last reference frees the shared contexts. None of them is active then, because a shared
 * context is active only for a task whose context is in the set.
 *
 * Context: may sleep. The caller holds no mutex of perf.
 */
void perf_ctx_set_put(struct perf_ctx_set *ctx_set)
{
	if (ctx_set && refcount_dec_and_test(&ctx_set->refcount))
		perf_ctx_set_free(ctx_set);
}

/*
 * perf_ctx_set_put() for a caller that holds a context's mutex. Freeing the events of all CPUs may
 * take long, so a worker frees them, without the mutex.
 */
static void perf_ctx_set_put_deferred(struct perf_ctx_set *ctx_set)
{
	if (!refcount_dec_and_test(&ctx_set->refcount))
		return;
	/* Queued task work has a reference: without any, free_work can reuse its memory. */
	INIT_WORK(&ctx_set->free_work, perf_ctx_set_free_work);
	queue_work(system_unbound_wq, &ctx_set->free_work);
}

/**
 * struct unlink_args - a call to the CPU of a task whose context leaves its set
 * @ctx: the context
 * @rounds: number of times that the call may still be deferred because it interrupts an event site
 * @later: the call was deferred, and must be repeated
 */
struct unlink_args {
	struct perf_event_context	*ctx;
	unsigned int			rounds;
	bool				later;
};

/* Schedule in the own context of the task if it runs on this CPU. Interrupts are off. */
static void __perf_ctx_set_unlink_cpu(void *info)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct unlink_args *unlink_args = info;
	struct perf_event_context *ctx = unlink_args->ctx;

	if (perf_task_context(current) != ctx)
		return;
	if (unlikely(perf_site_interrupted()) && unlink_args->rounds) {
		unlink_args->rounds--;
		unlink_args->later = true;
		return;
	}
	if (cpuctx->shared_ctx)
		perf_context_sched_out(cpuctx, cpuctx->shared_ctx);
	if (perf_clock_cpu(&ctx->clock) < 0)
		perf_context_sched_in(cpuctx, ctx, current);
}

/**
 * __perf_ctx_set_unlink - perf_ctx_set_unlink() for a context that is in a set
 * @ctx: context of a task; its mutex is held
 *
 * Context: may sleep.
 */
void __perf_ctx_set_unlink(struct perf_event_context *ctx)
{
	struct unlink_args unlink_args = { .ctx = ctx, .rounds = PERF_SITE_ROUNDS };
	struct perf_ctx_set *ctx_set = ctx->ctx_set;
	struct task_struct *task = ctx->task;
	int cpu;

	lockdep_assert_held(&ctx->mutex);
	WRITE_ONCE(ctx->ctx_set, NULL);
	/*
	 * Pairs with smp_mb() in perf_shared_ctx_find() and perf_shared_ctx_matches(), between the
	 * store of the task's CPU and the load of ctx->ctx_set in a switch to the task. So either
	 * that load returns NULL, or this function finds the task's CPU and calls it. Without the
	 * barrier a shared context could continue to count for a task whose own context gets
	 * another event. The scheduler's barriers are not sufficient: a CPU that pulls a real-time
	 * task stores the task's CPU after these barriers, and takes no lock afterwards.
	 */
	smp_mb();
	if (WARN_ON_ONCE(task == PERF_TASK_GONE))
		task = NULL;
	/*
	 * The loop ends: each round after the first requires that the task has migrated, or that
	 * the call was deferred, which happens a limited number of times.
	 */
	do {
		if (!task)
			break;
		cpu = task_cpu(task);
		perf_delay(CTX_SET_LEFT);
		unlink_args.later = false;
		smp_call_function_single(cpu, __perf_ctx_set_unlink_cpu, &unlink_args, 1);
	} while (unlink_args.later || task_cpu(task) != cpu);
	perf_ctx_set_put_deferred(ctx_set);
}

/*
 * Queue work for current to make a shared context: current was just switched in after a task whose
 * context is in the same set, and the set has no shared context for this CPU. Interrupts are off,
 * and the run queue may be locked, so the work runs when current returns to user space.
 */
static void perf_shared_ctx_queue_work(struct perf_ctx_set *ctx_set)
{
	/*
	 * Pairs with perf_shared_ctx_end_work(): one request at a time, because there is one work.
	 */
	if (READ_ONCE(ctx_set->work_queued) ||
	    (current->flags & (PF_KTHREAD | PF_EXITING | PF_USER_WORKER | PF_IO_WORKER)) ||
	    xchg(&ctx_set->work_queued, 1))
		return;
	/* So far the reference of the task's context keeps the set; the work gets its own. */
	refcount_inc(&ctx_set->refcount);
	if (task_work_add(current, &ctx_set->work, TWA_RESUME | TWAF_NO_ALLOC)) {
		WARN_ON_ONCE(!refcount_dec_not_one(&ctx_set->refcount));
		/* Pairs with the xchg() above: the next request can use the work. */
		smp_store_release(&ctx_set->work_queued, 0);
	}
}

/**
 * perf_shared_ctx_find - perf_shared_ctx_get_active() for a context that may be in a set
 * @ctx: the running task's context
 * @prev: the previous task on this CPU
 *
 * The shared context is valid until interrupts are on again, because a context leaves its set
 * only after an interrupt on this CPU, see __perf_ctx_set_unlink().
 *
 * Context: interrupts are off.
 * Return: the shared context, or NULL if there is none, or if it has no groups to schedule
 */
struct perf_event_context *perf_shared_ctx_find(struct perf_event_context *ctx,
						const struct task_struct *prev)
{
	struct perf_event_context **ctxs, *shared_ctx, *its;
	struct perf_ctx_set *ctx_set;

	lockdep_assert_irqs_disabled();
	/* Pairs with __perf_ctx_set_unlink(). */
	smp_mb();
	ctx_set = READ_ONCE(ctx->ctx_set);
	if (!ctx_set)
		return NULL;
	/* Pairs with perf_shared_ctx_create(): the entries of a new table are NULL. */
	ctxs = smp_load_acquire(&ctx_set->ctxs);
	/* Pairs with perf_shared_ctx_create(): the shared context is initialised. */
	shared_ctx = ctxs ? smp_load_acquire(&ctxs[smp_processor_id()]) : NULL;
	if (shared_ctx)
		return READ_ONCE(shared_ctx->nr_sched) ? shared_ctx : NULL;
	its = perf_task_context(prev);
	if (its && its != ctx && READ_ONCE(its->ctx_set) == ctx_set && READ_ONCE(ctx->nr_sched))
		perf_shared_ctx_queue_work(ctx_set);
	return NULL;
}

/**
 * perf_shared_ctx_try_keep - can the active shared context also replace the context of the next
 * task?
 * @cpuctx: this CPU's context, which may have no active shared context
 * @next: the task that is being scheduled in
 *
 * The shared context is scheduled out if a driver has called perf_sched_cb_inc(), or if groups of
 * another cgroup must be scheduled in before those of the task.
 *
 * Context: interrupts are off.
 * Return: true if the shared context remains active
 */
bool perf_shared_ctx_try_keep(const struct perf_cpu_context *cpuctx, struct task_struct *next)
{
	return perf_shared_ctx_matches(cpuctx, perf_task_context(next)) &&
	       list_empty(&cpuctx->sched_cb_list) && perf_cgroup_is_same(cpuctx, next);
}

/**
 * perf_shared_ctx_create - make the shared context of a set on a CPU
 * @ctx: context of current, or of a task that does not run; it is in the set and its mutex is held
 * @cpu: the CPU, not always this one
 *
 * Context: may sleep.
 * Return: 0, also if the shared context exists already; -ENOMEM; -EAGAIN if an event was removed in
 * the meantime; -EINTR for a fatal signal; or an error of a PMU
 */
int perf_shared_ctx_create(struct perf_event_context *ctx, unsigned int cpu)
{
	struct perf_ctx_set *ctx_set = ctx->ctx_set;
	struct perf_event_context **ctxs = READ_ONCE(ctx_set->ctxs), *made;

	lockdep_assert_held(&ctx->mutex);
	if (!ctxs) {
		ctxs = kvcalloc(nr_cpu_ids, sizeof(*ctxs), GFP_KERNEL_ACCOUNT);
		if (!ctxs)
			return -ENOMEM;
		/* Pairs with perf_shared_ctx_find(). Another task may have made a table. */
		if (cmpxchg(&ctx_set->ctxs, NULL, ctxs)) {
			kvfree(ctxs);
			ctxs = READ_ONCE(ctx_set->ctxs);
		}
	}
	if (READ_ONCE(ctxs[cpu]))
		return 0;
	made = perf_shared_ctx_alloc(ctx);
	if (IS_ERR(made))
		return PTR_ERR(made);
	made->ctx_set = ctx_set;
	/* Pairs with perf_shared_ctx_find(). Another task may have made the shared context. */
	if (cmpxchg(&ctxs[cpu], NULL, made))
		perf_shared_ctx_free(made);
	return 0;
}

#if defined(CONFIG_PERF_EVENTS_KUNIT_TEST) && IS_BUILTIN(CONFIG_PERF_EVENTS_SIM_PMU)
#include "tests/shared_ctx_test.c"
#endif
