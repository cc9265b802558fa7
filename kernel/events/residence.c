// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts that are clones of one another, and the residences that stand in for them: how
 * both are made, used and left. See residence.h.
 *
 * A set of clones begins with a fork that copies all events of a context, if a
 * residence can stand in for each of these events. It grows with forks that copy all
 * events of one of its contexts. A context leaves the set before it gets another
 * event. An event goes from all contexts of the set at once: when its root is closed
 * or its PMU goes.
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

/* Does the PMU count in the same way whichever of the tasks runs? */
static bool perf_residence_pmu_allows(const struct perf_event *event)
{
	const struct pmu *pmu = event->pmu;

	if (pmu->capabilities & (PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE))
		return false;
	return (event->event_caps & PERF_EV_CAP_RESIDENT) || pmu->type == PERF_TYPE_SOFTWARE ||
	       pmu->task_ctx_nr == perf_hw_context;
}

/*
 * Can another copy of the event count in place of this one? It can if only the sum of
 * all copies is ever read, and if only changes of the whole family change its state.
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
	/* An inherited event of one CPU can be mapped later, and its page shows its own count. */
	if (event->cpu >= 0)
		return false;
	if (event->attach_state & (PERF_ATTACH_TASK_DATA | PERF_ATTACH_ITRACE |
				   PERF_ATTACH_SCHED_CB))
		return false;
	/* Writers of records look at the single event. */
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
 * The work that perf_clones_ask() has queued is done: it may be queued for
 * another residence, unless there was no memory for this one. After -EAGAIN it
 * may, too: an event was going, and has gone by the time two clones meet again.
 */
static void perf_clones_answer(struct perf_clones *clones, int err)
{
	if (!err || err == -EAGAIN)
		/* Pairs with perf_clones_ask(): the work is queued no more. */
		smp_store_release(&clones->asked, 0);
	perf_clones_put(clones);
}

/* Task work: make a residence, when the task goes back to user space or exits. */
static void perf_residence_make_one(struct callback_head *work)
{
	struct perf_clones *clones = container_of(work, struct perf_clones, work);
	struct perf_event_context *ctx = perf_task_context(current);
	int err = 0;

	if (ctx && !(current->flags & PF_EXITING)) {
		guard(mutex)(&ctx->mutex);
		if (ctx->clones == clones)
			err = perf_residence_make(ctx, raw_smp_processor_id());
		/* An event that cannot be copied any more, as in a group without its leader. */
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
 * perf_clones_join - make two contexts clones if they can be, after a fork
 * @parent: context of current; its mutex is held
 * @child: context of the new task, which the caller alone knows; its mutex is held
 *
 * A context with resident events only is never a clone: there is nothing that a
 * residence would save. May sleep.
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
		/* Until now its own clock has run, so that no copy of it is settled for long. */
		WRITE_ONCE(parent->cloned, true);
		/* Pairs with perf_residence_find(): switches see complete memory. */
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
	/* No switch looks at these any more: see perf_residence_find(). */
	kvfree(clones->at);
	kfree(clones);
}

static void perf_clones_free_work(struct work_struct *work)
{
	perf_clones_free(container_of(work, struct perf_clones, free_work));
}

/**
 * perf_clones_put - drop a context's reference to its clones
 * @clones: what the clones share, or NULL
 *
 * With the last reference the residences are freed. None of them is on then: a
 * residence is on only for a task whose context is one of the clones. May sleep. The
 * caller holds no mutex of perf.
 */
void perf_clones_put(struct perf_clones *clones)
{
	if (clones && refcount_dec_and_test(&clones->refcount))
		perf_clones_free(clones);
}

/*
 * perf_clones_put() for a caller that holds a context's mutex: it must not make others
 * wait until the events of all CPUs have been freed.
 */
static void perf_clones_put_later(struct perf_clones *clones)
{
	if (!refcount_dec_and_test(&clones->refcount))
		return;
	/* Without references the task work is not queued, whose place this takes. */
	INIT_WORK(&clones->free_work, perf_clones_free_work);
	queue_work(system_unbound_wq, &clones->free_work);
}

/**
 * struct eviction - a call to the CPU of a task whose context leaves its clones
 * @ctx: the context
 * @rounds: how many times the call may still be put off because it interrupts a site
 * @later: the call has been put off, and is to be made again
 */
struct eviction {
	struct perf_event_context	*ctx;
	unsigned int			rounds;
	bool				later;
};

/* If the task runs on this CPU, put its own context on; interrupts are off. */
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
 * perf_residence_evict - perf_residence_leave() of a context that is one of the clones
 * @ctx: context of a task; its mutex is held
 *
 * May sleep.
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
	 * Pairs with smp_mb() in perf_residence_find() and perf_residence_serves(), between
	 * the store of the task's CPU and the load of ctx->clones in a switch to the task. So
	 * either that load finds NULL, or this function finds the task's CPU and calls it.
	 * Without the barrier a residence could go on counting for a task whose own context
	 * gets another event. The scheduler's own barriers are not enough: a CPU that pulls a
	 * real-time task stores the task's CPU after them, and takes no lock afterwards.
	 */
	smp_mb();
	if (WARN_ON_ONCE(task == PERF_TASK_GONE))
		task = NULL;
	/*
	 * The loop ends: each round but the first takes a migration of the task meanwhile,
	 * or is one of the limited number that are put off because of a site.
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
 * Ask current to make a residence. One task has followed another on this CPU, their
 * contexts are clones, and there is no residence here. Interrupts are off, and the
 * runqueue may be locked: so it is made when current goes back to user space.
 */
static void perf_clones_ask(struct perf_clones *clones)
{
	/* Pairs with perf_clones_answer(): one request at a time, as there is one work. */
	if (READ_ONCE(clones->asked) ||
	    (current->flags & (PF_KTHREAD | PF_EXITING | PF_USER_WORKER | PF_IO_WORKER)) ||
	    xchg(&clones->asked, 1))
		return;
	/* Until here the reference of the task's context keeps the clones. */
	refcount_inc(&clones->refcount);
	if (task_work_add(current, &clones->work, TWA_RESUME | TWAF_NO_ALLOC)) {
		WARN_ON_ONCE(!refcount_dec_not_one(&clones->refcount));
		/* Pairs with the xchg() above: the work is free for the next request. */
		smp_store_release(&clones->asked, 0);
	}
}

/**
 * perf_residence_find - perf_residence_for() of a context that may be one of the clones
 * @ctx: the running task's context
 * @prev: the task that was here before
 *
 * Interrupts are off, and the residence stays until they are on again: a context can
 * leave its clones only after an interrupt of this CPU, see perf_residence_evict().
 * Return: the residence, or NULL when there is none, or nothing to schedule in it.
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
	/* Pairs with perf_residence_make(): the entries of a new table are seen as NULL. */
	at = smp_load_acquire(&clones->at);
	/* Pairs with perf_residence_make(): a residence is seen complete. */
	residence = at ? smp_load_acquire(&at[smp_processor_id()]) : NULL;
	if (residence)
		return READ_ONCE(residence->nr_sched) ? residence : NULL;
	its = perf_task_context(prev);
	if (its && its != ctx && READ_ONCE(its->clones) == clones && READ_ONCE(ctx->nr_sched))
		perf_clones_ask(clones);
	return NULL;
}

/**
 * perf_residence_stays - may the residence that is on stand in for the next task, too?
 * @cpuctx: this CPU's context, which may have no residence on
 * @next: the task that comes
 *
 * The residence has to go when a driver asked to be told of the switch, or when groups
 * of another cgroup have to come in before those of the task. Interrupts are off.
 */
bool perf_residence_stays(const struct perf_cpu_context *cpuctx, struct task_struct *next)
{
	return perf_residence_serves(cpuctx, perf_task_context(next)) &&
	       list_empty(&cpuctx->sched_cb_list) && perf_cgroup_stays(cpuctx, next);
}

/**
 * perf_residence_make - make the residence of a context and its clones on a CPU
 * @ctx: context of current, or of a task that does not run; it is one of the clones
 *	and its mutex is held
 * @cpu: the CPU, which need not be this one
 *
 * May sleep. Return: 0, also when there was one before; -ENOMEM, -EAGAIN when an event
 * has gone meanwhile, -EINTR for a fatal signal, or an error of a PMU.
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
