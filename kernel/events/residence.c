// SPDX-License-Identifier: GPL-2.0
/*
 * Which contexts are clones of one another, and how residences are made, used and
 * left. See residence.h.
 *
 * A set of clones begins with a fork that copies all events of a context, each of
 * which can be stood in for, and grows with forks that copy all events of one of
 * its contexts. What is in the set never gets another event without leaving it, and
 * an event leaves all of the set: when its root is closed, or its PMU goes.
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

/* Does the PMU not care for which task it counts? */
static bool pmu_allows(const struct perf_event *event)
{
	const struct pmu *pmu = event->pmu;

	if (pmu->capabilities & (PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE))
		return false;
	return (event->event_caps & PERF_EV_CAP_RESIDENT) || pmu->type == PERF_TYPE_SOFTWARE ||
	       pmu->task_ctx_nr == perf_hw_context;
}

/*
 * Can another copy of the event count in place of this one? It is one that nobody
 * looks at alone, and whose state nothing changes but what changes all of them.
 */
static bool can_be_stood_in_for(const struct perf_event *event)
{
	const struct perf_event *root = perf_event_root(event);
	const struct perf_event_attr *attr = &event->attr;

	if (attr->inherit_stat || attr->remove_on_exec || attr->enable_on_exec ||
	    attr->pinned || attr->exclusive || attr->sigtrap || is_sampling_event(event))
		return false;
	if (!attr->inherit || event->cpu >= 0 || event->cgrp ||
	    event->state <= PERF_EVENT_STATE_ERROR)
		return false;
	if (event->attach_state & (PERF_ATTACH_TASK_DATA | PERF_ATTACH_ITRACE |
				   PERF_ATTACH_SCHED_CB))
		return false;
	/* Whoever writes to its buffer asks where it is. Without one there is no page to map. */
	if (rcu_access_pointer(root->rb) || READ_ONCE(root->prog))
		return false;
	return is_default_overflow_handler((struct perf_event *)event) &&
	       !perf_sideband_wanted(attr) && !perf_event_needs_aux(event) && !has_aux(event) &&
	       !has_addr_filter(event) && pmu_allows(event);
}

static bool all_can_be_stood_in_for(struct perf_event_context *ctx)
{
	const struct perf_event *event;

	for_each_event(event, ctx) {
		if (!can_be_stood_in_for(event))
			return false;
	}
	return true;
}

/*
 * The next one may be asked for, unless there was no memory for this one. An event
 * that was going (-EAGAIN) has gone by the time two clones meet again.
 */
static void answer(struct perf_clones *clones, int err)
{
	if (!err || err == -EAGAIN)
		/* Pairs with ask(): the work is queued no more. */
		smp_store_release(&clones->asked, 0);
	perf_clones_put(clones);
}

/* In a task on its way to user space, or as it exits. */
static void make_one(struct callback_head *work)
{
	struct perf_clones *clones = container_of(work, struct perf_clones, work);
	struct perf_event_context *ctx = perf_task_context(current);
	int err = 0;

	if (ctx && !(current->flags & PF_EXITING)) {
		guard(mutex)(&ctx->mutex);
		if (ctx->clones == clones)
			err = perf_residence_make(ctx, raw_smp_processor_id());
	}
	answer(clones, err);
}

static struct perf_clones *clones_alloc(void)
{
	struct perf_clones *made = kzalloc(sizeof(*made), GFP_KERNEL_ACCOUNT);

	if (!made)
		return NULL;
	refcount_set(&made->refcount, 1);
	init_task_work(&made->work, make_one);
	return made;
}

/**
 * perf_clones_join - a fork has copied events: are the two contexts clones?
 * @parent: of current; its mutex is held
 * @child: of the new task, which nobody else knows; its mutex is held
 *
 * Where all events of a context can count without being scheduled, there is nothing
 * for a residence to do. May sleep.
 */
void perf_clones_join(struct perf_event_context *parent, struct perf_event_context *child)
{
	struct perf_clones *clones = parent->clones;

	lockdep_assert_held(&parent->mutex);
	lockdep_assert_held(&child->mutex);
	if (list_empty(&child->pmu_ctx_list) || child->nr_events != parent->nr_events)
		return;
	if (!clones) {
		if (!all_can_be_stood_in_for(parent))
			return;
		clones = clones_alloc();
		if (!clones)
			return;
		/* Pairs with perf_residence_find(): complete before a switch can see it. */
		smp_store_release(&parent->clones, clones);
	}
	refcount_inc(&clones->refcount);
	child->clones = clones;
}

/**
 * perf_clones_put - a context is one of the clones no more
 * @clones: which; NULL for none
 *
 * With the last one residences go: none of them is on, since each is on for a task
 * whose context is one of the clones. May sleep; holds no mutex but a task context's.
 */
void perf_clones_put(struct perf_clones *clones)
{
	unsigned int cpu;

	if (!clones || !refcount_dec_and_test(&clones->refcount))
		return;
	for_each_possible_cpu(cpu) {
		if (!clones->at)
			break;
		if (clones->at[cpu])
			perf_context_end_clone(clones->at[cpu]);
	}
	/* No switch looks at them, as perf_residence_find() says. */
	kvfree(clones->at);
	kfree(clones);
}

/**
 * struct eviction - a context that leaves its clones, on its way to its task's CPU
 * @ctx: the context
 * @rounds: so often it may still wait for event sites
 * @later: it has come into one, and is to be sent again
 */
struct eviction {
	struct perf_event_context	*ctx;
	unsigned int			rounds;
	bool				later;
};

/* On the CPU of a task that may be running, interrupts off. */
static void evict_here(void *info)
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
	if (ctx->clock.cpu < 0)
		perf_context_sched_in(cpuctx, ctx, current);
}

/**
 * perf_residence_evict - perf_residence_leave() of a context that is one of the clones
 * @ctx: of a task; its mutex is held
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
	 * Pairs with smp_mb__after_spinlock() in __schedule(), which stands between the
	 * task's CPU and the look at the clones as it comes in, or with the locks of both
	 * runqueues where that CPU has pulled the task meanwhile: either the look finds
	 * no clones, or the task's CPU is found here and is asked. Without it a residence
	 * could go on counting for a task whose own events are attached to.
	 */
	smp_mb();
	if (WARN_ON_ONCE(task == PERF_TASK_GONE))
		task = NULL;
	/*
	 * This ends: each round but the first takes a migration of the task meanwhile, or
	 * is one of those that wait for an event site.
	 */
	do {
		if (!task)
			break;
		cpu = task_cpu(task);
		perf_delay(RESIDENCE_LEFT);
		eviction.later = false;
		smp_call_function_single(cpu, evict_here, &eviction, 1);
	} while (eviction.later || task_cpu(task) != cpu);
	perf_clones_put(clones);
}

/*
 * There is no residence yet, and two clones have met. Interrupts are off, and the
 * runqueue may be locked: the task that has come is to make one as it goes back to
 * user space. One that never does goes on without.
 */
static void ask(struct perf_clones *clones)
{
	/* Pairs with answer(): one at a time, as there is one work. */
	if (READ_ONCE(clones->asked) ||
	    (current->flags & (PF_KTHREAD | PF_EXITING | PF_USER_WORKER | PF_IO_WORKER)) ||
	    xchg(&clones->asked, 1))
		return;
	/* The context of the task keeps them until here. */
	refcount_inc(&clones->refcount);
	if (task_work_add(current, &clones->work, TWA_RESUME | TWAF_NO_ALLOC)) {
		WARN_ON_ONCE(!refcount_dec_not_one(&clones->refcount));
		/* Pairs with the xchg() above: it is free for the next one. */
		smp_store_release(&clones->asked, 0);
	}
}

/**
 * perf_residence_find - perf_residence_for() of a context that may be one of the clones
 * @ctx: of the running task
 * @prev: the task that was here before
 *
 * Interrupts are off: what is found stays until they are on, since who takes the
 * context from its clones waits for an interrupt of this CPU.
 * Return: the residence, or NULL when there is none, or nothing to schedule in it.
 */
struct perf_event_context *perf_residence_find(struct perf_event_context *ctx,
					       const struct task_struct *prev)
{
	struct perf_clones *clones = READ_ONCE(ctx->clones);
	struct perf_event_context **at, *residence, *its;

	lockdep_assert_irqs_disabled();
	if (!clones)
		return NULL;
	/* Pairs with perf_residence_make(): entries of a new table are clear. */
	at = smp_load_acquire(&clones->at);
	/* Pairs with perf_residence_make(): the context is filled in. */
	residence = at ? smp_load_acquire(&at[smp_processor_id()]) : NULL;
	if (residence)
		return READ_ONCE(residence->nr_sched) ? residence : NULL;
	its = perf_task_context(prev);
	if (its && its != ctx && READ_ONCE(its->clones) == clones && READ_ONCE(ctx->nr_sched))
		ask(clones);
	return NULL;
}

/**
 * perf_residence_stays - may the residence that is on stand in for the next task, too?
 * @cpuctx: this CPU's; it may have none
 * @next: the task that comes
 *
 * Not where a driver is to be told of the switch, or groups of another cgroup are to
 * come before those of the task. Interrupts are off.
 */
bool perf_residence_stays(const struct perf_cpu_context *cpuctx, struct task_struct *next)
{
	return perf_residence_serves(cpuctx, perf_task_context(next)) &&
	       list_empty(&cpuctx->sched_cb_list) && perf_cgroup_stays(cpuctx, next);
}

/**
 * perf_residence_make - make what stands in for a context and its clones on a CPU
 * @ctx: of current, or of a task that does not run; one of the clones, its mutex is held
 * @cpu: the CPU, which need not be this one
 *
 * May sleep. Return: 0, also when there is one; -ENOMEM, or an error of a PMU's.
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
		/* Pairs with perf_residence_find(). Another task may have been first. */
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
	/* Pairs with perf_residence_find(), as above. */
	if (cmpxchg(&at[cpu], NULL, made))
		perf_context_end_clone(made);
	return 0;
}

#if defined(CONFIG_PERF_EVENTS_KUNIT_TEST) && IS_BUILTIN(CONFIG_PERF_EVENTS_SIM_PMU)
#include "tests/residence_test.c"
#endif
