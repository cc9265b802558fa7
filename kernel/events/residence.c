// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts that are clones of one another, and their residences. See residence.h.
 *
 * A set of clones begins with a fork that copies all events of a context, if a residence can
 * replace the context for each of these events. It grows with forks that copy all events of one
 * of its contexts. A context leaves the set before another event is attached to it. An event is
 * removed from all contexts of the set together: when its root is closed or its PMU is
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
#include "family.h"
#include "group.h"
#include "internal.h"
#include "read.h"
#include "record/aux.h"
#include "record/buffer.h"
#include "record/sideband.h"
#include "residence.h"
#include "sched.h"
#include "source/software.h"
#include "time.h"
#include "time_seq.h"

/* Does the PMU count in the same way for all tasks of the set? */
static bool perf_residence_pmu_allows(const struct perf_event *event)
{
	const struct pmu *pmu = event->pmu;

	if (pmu->capabilities & (PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE))
		return false;
	return (event->event_caps & PERF_EV_CAP_UNSCHED) || pmu->type == PERF_TYPE_SOFTWARE ||
	       pmu->task_ctx_nr == perf_hw_context;
}

/*
 * Can another copy of the event count in place of this one? This requires that only the sum of
 * all copies is read, and that the state changes only together with the whole family.
 */
static bool perf_context_can_be_stood_in_for(const struct perf_event *event)
{
	const struct perf_event *root = perf_event_root(event);
	const struct perf_event_attr *attr = &event->attr;

	if (attr->inherit_stat || attr->remove_on_exec || attr->enable_on_exec ||
	    attr->pinned || attr->exclusive || attr->sigtrap || is_sampling_event(event))
		return false;
	if (!attr->inherit || event->cgrp || event->state <= PERF_EVENT_STATE_ERROR)
		return false;
	/* An inherited event of one CPU may be mapped later, and its page shows its own count. */
	if (event->cpu >= 0)
		return false;
	if (event->attach_state & (PERF_ATTACH_TASK_DATA | PERF_ATTACH_ITRACE |
				   PERF_ATTACH_SCHED_CB))
		return false;
	/* Writers of records use the single event. */
	if (rcu_access_pointer(root->rb) || READ_ONCE(root->prog))
		return false;
	return is_default_overflow_handler((struct perf_event *)event) &&
	       !perf_sideband_wanted(attr) && !perf_event_needs_aux(event) && !has_aux(event) &&
	       !has_addr_filter(event) && perf_residence_pmu_allows(event);
}

static bool perf_clones_can_be_stood_in_for(struct perf_event_context *ctx)
{
	const struct perf_event *event;

	for_each_event(event, ctx) {
		if (!perf_context_can_be_stood_in_for(event))
			return false;
	}
	return true;
}

/*
 * End the work that perf_clones_ask() has queued. After success, -EAGAIN or -EINTR the work may be
 * queued again. -EAGAIN means that an event was being removed, and the next request does not meet
 * this event. -EINTR means that current is being killed, and the next request is one of another
 * task. After all other errors the work is never queued again for these clones.
 */
static void perf_clones_answer(struct perf_clones *clones, int err)
{
	if (!err || err == -EAGAIN || err == -EINTR)
		/* Pairs with perf_clones_ask(): the work is not queued any more. */
		smp_store_release(&clones->asked, 0);
	perf_clones_put(clones);
}

/* Task work: make a residence, before current returns to user space or when it exits */
static void perf_residence_make_one(struct callback_head *work)
{
	struct perf_clones *clones = container_of(work, struct perf_clones, work);
	struct perf_event_context *ctx = perf_task_context(current);
	int err = 0;

	if (ctx && !(current->flags & PF_EXITING)) {
		guard(mutex)(&ctx->mutex);
		if (ctx->clones == clones)
			err = perf_residence_make(ctx, raw_smp_processor_id());
		/* An event can no longer be copied, such as one of a group without its leader. */
		if (err == -EAGAIN && !perf_clones_can_be_stood_in_for(ctx))
			perf_residence_leave(ctx);
	}
	perf_clones_answer(clones, err);
}

static struct perf_clones *perf_clones_alloc(void)
{
	struct perf_clones *made = kzalloc(sizeof(*made), GFP_KERNEL_ACCOUNT);

	if (!made)
		return NULL;
	refcount_set(&made->refcount, 1);
	init_task_work(&made->work, perf_residence_make_one);
	return made;
}

/**
 * perf_clones_join - make two contexts clones after a fork, if possible
 * @parent: context of current; its mutex is held
 * @child: context of the new task, not yet visible to others; its mutex is held
 *
 * A context with only unscheduled events is never a clone, because a residence would save nothing.
 *
 * Context: may sleep.
 */
void perf_clones_join(struct perf_event_context *parent, struct perf_event_context *child)
{
	struct perf_clones *clones = parent->clones;

	lockdep_assert_held(&parent->mutex);
	lockdep_assert_held(&child->mutex);
	if (list_empty(&child->pmu_ctx_list) || child->nr_events != parent->nr_events)
		return;
	if (!clones) {
		if (!perf_clones_can_be_stood_in_for(parent))
			return;
		clones = perf_clones_alloc();
		if (!clones)
			return;
		/*
		 * The parent's clock runs, so its settled copies have been stirred. From now on
		 * none of its plain copies is settled.
		 */
		WRITE_ONCE(parent->cloned, true);
		/* Pairs with perf_residence_find(): switches see initialised memory. */
		smp_store_release(&parent->clones, clones);
	}
	refcount_inc(&clones->refcount);
	WRITE_ONCE(child->cloned, true);
	child->clones = clones;
}

static void perf_clones_free(struct perf_clones *clones)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (!clones->at)
			break;
		if (clones->at[cpu])
			perf_context_end_clone(clones->at[cpu]);
	}
	/* No switch reads these any more, see perf_residence_find(). */
	kvfree(clones->at);
	kfree(clones);
}

static void perf_clones_free_work(struct work_struct *work)
{
	perf_clones_free(container_of(work, struct perf_clones, free_work));
}

/**
 * perf_clones_put - drop a context's reference to its clones
 * @clones: the clones, or NULL
 *
 * The last reference frees the residences. None of them is active then, because a residence is
 * active only for a task whose context is one of the clones.
 *
 * Context: may sleep. The caller holds no mutex of perf.
 */
void perf_clones_put(struct perf_clones *clones)
{
	if (clones && refcount_dec_and_test(&clones->refcount))
		perf_clones_free(clones);
}

/*
 * perf_clones_put() for a caller that holds a context's mutex. Freeing the events of all CPUs may
 * take long, so a worker frees them, without the mutex.
 */
static void perf_clones_put_later(struct perf_clones *clones)
{
	if (!refcount_dec_and_test(&clones->refcount))
		return;
	/* Without references the task work is not queued, so its memory can be reused. */
	INIT_WORK(&clones->free_work, perf_clones_free_work);
	queue_work(system_unbound_wq, &clones->free_work);
}

/**
 * struct eviction - a call to the CPU of a task whose context leaves its clones
 * @ctx: the context
 * @rounds: how many times the call may still be postponed because it interrupts an event site
 * @later: the call was postponed, and must be repeated
 */
struct eviction {
	struct perf_event_context	*ctx;
	unsigned int			rounds;
	bool				later;
};

/* If the task runs on this CPU, schedule in its own context; interrupts are off */
static void perf_residence_evict_here(void *info)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct eviction *eviction = info;
	struct perf_event_context *ctx = eviction->ctx;

	if (perf_task_context(current) != ctx)
		return;
	if (unlikely(perf_site_interrupted()) && eviction->rounds) {
		eviction->rounds--;
		eviction->later = true;
		return;
	}
	if (cpuctx->residence)
		perf_context_sched_out(cpuctx, cpuctx->residence);
	if (perf_clock_cpu(&ctx->clock) < 0)
		perf_context_sched_in(cpuctx, ctx, current);
}

/**
 * perf_residence_evict - perf_residence_leave() for a context that is one of the clones
 * @ctx: context of a task; its mutex is held
 *
 * Context: may sleep.
 */
void perf_residence_evict(struct perf_event_context *ctx)
{
	struct eviction eviction = { .ctx = ctx, .rounds = PERF_SITE_ROUNDS };
	struct perf_clones *clones = ctx->clones;
	struct task_struct *task = ctx->task;
	int cpu;

	lockdep_assert_held(&ctx->mutex);
	WRITE_ONCE(ctx->clones, NULL);
	/*
	 * Pairs with smp_mb() in perf_residence_find() and perf_residence_serves(), between the
	 * store of the task's CPU and the load of ctx->clones in a switch to the task. So either
	 * that load returns NULL, or this function finds the task's CPU and calls it. Without the
	 * barrier a residence could continue to count for a task whose own context gets another
	 * event. The scheduler's barriers are not sufficient: a CPU that pulls a real-time task
	 * stores the task's CPU after them, and takes no lock afterwards.
	 */
	smp_mb();
	if (WARN_ON_ONCE(task == PERF_TASK_GONE))
		task = NULL;
	/*
	 * The loop ends: each round after the first requires that the task has migrated, or is
	 * one of the limited number of postponed calls.
	 */
	do {
		if (!task)
			break;
		cpu = task_cpu(task);
		perf_delay(RESIDENCE_LEFT);
		eviction.later = false;
		smp_call_function_single(cpu, perf_residence_evict_here, &eviction, 1);
	} while (eviction.later || task_cpu(task) != cpu);
	perf_clones_put_later(clones);
}

/*
 * Queue work for current to make a residence. Current has followed another task on this CPU,
 * their contexts are clones, and there is no residence. Interrupts are off, and the run queue may
 * be locked, so the work runs when current returns to user space.
 */
static void perf_clones_ask(struct perf_clones *clones)
{
	/* Pairs with perf_clones_answer(): one request at a time, because there is one work. */
	if (READ_ONCE(clones->asked) ||
	    (current->flags & (PF_KTHREAD | PF_EXITING | PF_USER_WORKER | PF_IO_WORKER)) ||
	    xchg(&clones->asked, 1))
		return;
	/* Until here the reference of the task's context keeps the clones allocated. */
	refcount_inc(&clones->refcount);
	if (task_work_add(current, &clones->work, TWA_RESUME | TWAF_NO_ALLOC)) {
		WARN_ON_ONCE(!refcount_dec_not_one(&clones->refcount));
		/* Pairs with the xchg() above: the next request can use the work. */
		smp_store_release(&clones->asked, 0);
	}
}

/**
 * perf_residence_find - perf_residence_for() for a context that may be one of the clones
 * @ctx: the running task's context
 * @prev: the previous task on this CPU
 *
 * The residence is valid until interrupts are on again, because a context leaves its clones only
 * after an interrupt on this CPU, see perf_residence_evict().
 *
 * Context: interrupts are off.
 * Return: the residence, or NULL if there is none, or if it has no groups to schedule
 */
struct perf_event_context *perf_residence_find(struct perf_event_context *ctx,
					       const struct task_struct *prev)
{
	struct perf_event_context **at, *residence, *its;
	struct perf_clones *clones;

	lockdep_assert_irqs_disabled();
	/* Pairs with perf_residence_evict(). */
	smp_mb();
	clones = READ_ONCE(ctx->clones);
	if (!clones)
		return NULL;
	/* Pairs with perf_residence_make(): the entries of a new table are NULL. */
	at = smp_load_acquire(&clones->at);
	/* Pairs with perf_residence_make(): the residence is initialised. */
	residence = at ? smp_load_acquire(&at[smp_processor_id()]) : NULL;
	if (residence)
		return READ_ONCE(residence->nr_sched) ? residence : NULL;
	its = perf_task_context(prev);
	if (its && its != ctx && READ_ONCE(its->clones) == clones && READ_ONCE(ctx->nr_sched))
		perf_clones_ask(clones);
	return NULL;
}

/**
 * perf_residence_stays - can the active residence also replace the context of the next task?
 * @cpuctx: this CPU's context, which may have no active residence
 * @next: the task that is being scheduled in
 *
 * The residence is scheduled out if a driver has called perf_sched_cb_inc(), or if groups of
 * another cgroup must be scheduled in before those of the task.
 *
 * Context: interrupts are off.
 * Return: true if the residence remains active
 */
bool perf_residence_stays(const struct perf_cpu_context *cpuctx, struct task_struct *next)
{
	return perf_residence_serves(cpuctx, perf_task_context(next)) &&
	       list_empty(&cpuctx->sched_cb_list) && perf_cgroup_stays(cpuctx, next);
}

/**
 * perf_residence_make - make the residence for a context and its clones on a CPU
 * @ctx: context of current, or of a task that does not run; it is one of the clones and its mutex
 *	is held
 * @cpu: the CPU, not always this one
 *
 * Context: may sleep.
 * Return: 0, also if the residence exists already; -ENOMEM; -EAGAIN if an event was removed in
 * the meantime; -EINTR for a fatal signal; or an error of a PMU
 */
int perf_residence_make(struct perf_event_context *ctx, unsigned int cpu)
{
	struct perf_clones *clones = ctx->clones;
	struct perf_event_context **at = READ_ONCE(clones->at), *made;

	lockdep_assert_held(&ctx->mutex);
	if (!at) {
		at = kvcalloc(nr_cpu_ids, sizeof(*at), GFP_KERNEL_ACCOUNT);
		if (!at)
			return -ENOMEM;
		/* Pairs with perf_residence_find(). Another task may have made a table. */
		if (cmpxchg(&clones->at, NULL, at)) {
			kvfree(at);
			at = READ_ONCE(clones->at);
		}
	}
	if (READ_ONCE(at[cpu]))
		return 0;
	made = perf_context_clone(ctx);
	if (IS_ERR(made))
		return PTR_ERR(made);
	made->clones = clones;
	/* Pairs with perf_residence_find(). Another task may have made the residence. */
	if (cmpxchg(&at[cpu], NULL, made))
		perf_context_end_clone(made);
	return 0;
}

#if defined(CONFIG_PERF_EVENTS_KUNIT_TEST) && IS_BUILTIN(CONFIG_PERF_EVENTS_SIM_PMU)
#include "tests/residence_test.c"
#endif
