// SPDX-License-Identifier: GPL-2.0
/* Contexts: the events of a task or a CPU, and access to them */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/wait.h>

#include "child_cache.h"
#include "context.h"
#include "delay.h"
#include "inherit_list.h"
#include "internal.h"
#include "refuse.h"
#include "shared_ctx.h"
#include "source/software.h"
#include "time.h"
#include "time_seq.h"

DEFINE_PER_CPU(struct perf_cpu_context, perf_cpu_context);

/*
 * Each task with events has a context. The slab allocator must not use more than 256 bytes for a
 * context, except with lock debugging.
 */
static_assert(!IS_ENABLED(CONFIG_64BIT) || sizeof(struct mutex) > 32 ||
	      sizeof(struct perf_event_context) <= 256);

/* Separate lock classes for contexts of CPUs: CPU hotplug never locks a task's context. */
static struct lock_class_key perf_cpu_mutex_key, perf_cpu_lock_key;

/**
 * perf_context_init - initialise a context
 * @ctx: zeroed memory
 * @task: the context's task, to which the context takes a reference; NULL for a CPU's context
 */
void perf_context_init(struct perf_event_context *ctx, struct task_struct *task)
{
	struct list_head *heads[] = { &ctx->event_list, &ctx->pmu_ctx_list };
	int i;

	ctx->refcount = (refcount_t)REFCOUNT_INIT(1);
	mutex_init(&ctx->mutex);
	raw_spin_lock_init(&ctx->lock);
	for (i = 0; i < ARRAY_SIZE(heads); i++)
		INIT_LIST_HEAD(heads[i]);
	perf_clock_init(&ctx->clock);
	if (task) {
		ctx->task = get_task_struct(task);
	} else {
		lockdep_set_class(&ctx->mutex, &perf_cpu_mutex_key);
		lockdep_set_class(&ctx->lock, &perf_cpu_lock_key);
		perf_lock_forbid_alloc(&ctx->mutex);
	}
}

/**
 * perf_context_alloc - allocate a task's context
 * @task: the task
 * @gfp: GFP_KERNEL, or GFP_KERNEL_ACCOUNT to charge the current task's memory cgroup
 *
 * Context: may sleep.
 * Return: the context with one reference, not installed yet; or NULL
 */
struct perf_event_context *perf_context_alloc(struct task_struct *task, gfp_t gfp)
{
	struct perf_event_context *ctx = kmalloc(sizeof(*ctx), gfp);

	if (!ctx)
		return NULL;
	*ctx = (struct perf_event_context) {};
	perf_context_init(ctx, task);
	return ctx;
}

/**
 * perf_context_put - drop a reference to a context
 * @ctx: a context of a task or CPU
 *
 * The context is freed after a grace period, because event sites and readers of context clocks
 * use it under RCU.
 *
 * Context: any but NMI.
 */
void perf_context_put(struct perf_event_context *ctx)
{
	if (!refcount_dec_and_test(&ctx->refcount))
		return;
	/* A CPU's context is never freed: perf_event_ctx_lock() relies on that. */
	if (WARN_ON_ONCE(!ctx->task))
		return;
	WARN_ON_ONCE(!list_empty(&ctx->event_list) || ctx->cached_children);
	if (ctx->task != PERF_TASK_GONE)
		put_task_struct(ctx->task);
	perf_inherit_data_free(ctx);
	kfree_rcu(ctx, rcu_head);
}

/* Get a live task's context with a reference, or NULL. */
static struct perf_event_context *perf_task_context_get(struct task_struct *task)
{
	struct perf_event_context *its;

	guard(rcu)();
	its = perf_task_context(task);
	return its && refcount_inc_not_zero(&its->refcount) ? its : NULL;
}

/* Install the context @made, unless the task has another one by now, or is exiting. */
static struct perf_event_context *perf_task_context_install(struct task_struct *task,
							    struct perf_event_context *made)
{
	struct perf_event_context *its;

	guard(mutex)(&task->perf_event_mutex);
	its = perf_task_context_get(task);
	if (its)
		return its;
	/* Without PF_EXITING, the exit takes this mutex later, and then finds the context. */
	if (task->flags & PF_EXITING)
		return ERR_PTR(perf_refuse(PERF_REFUSED_TASK_EXITED));
	refcount_inc(&made->refcount);
	/* Context switches and other CPUs must see a complete context. */
	smp_store_release(&task->perf_event_ctxp, made);
	return made;
}

/**
 * perf_context_find - find the context of a task or a CPU
 * @task: the task, or NULL
 * @cpu: the CPU if @task is NULL
 *
 * Allocates a context if @task has none.
 *
 * Context: may sleep.
 * Return: the context with a reference, or an ERR_PTR(): -ESRCH if the task is exiting, -ENOMEM
 */
struct perf_event_context *perf_context_find(struct task_struct *task, int cpu)
{
	struct perf_event_context *ctx, *made;

	if (!task) {
		ctx = &per_cpu_ptr(&perf_cpu_context, cpu)->ctx;
		refcount_inc(&ctx->refcount);
		return ctx;
	}

	ctx = perf_task_context_get(task);
	if (ctx)
		return ctx;

	made = perf_context_alloc(task, GFP_KERNEL);
	if (!made)
		return ERR_PTR(-ENOMEM);

	ctx = perf_task_context_install(task, made);
	if (ctx != made)
		perf_context_put(made);
	return ctx;
}

/**
 * perf_event_ctx_unlock - end of CLASS(event_context)
 * @ctx: from perf_event_ctx_lock()
 */
void perf_event_ctx_unlock(struct perf_event_context *ctx)
{
	mutex_unlock(&ctx->mutex);
}

/**
 * perf_event_ctx_lock - lock the mutex of an event's context: CLASS(event_context)
 * @event: the event; the caller keeps its reference until perf_event_ctx_unlock()
 *
 * An event's context only changes if the event moves from one CPU to another, and CPUs' contexts
 * are never freed. So this retries at most once for each CPU that is taken offline.
 *
 * Context: may sleep.
 * Return: the locked context
 */
struct perf_event_context *perf_event_ctx_lock(struct perf_event *event)
{
	struct perf_event_context *ctx;

	for (;;) {
		ctx = READ_ONCE(event->ctx);
		perf_delay(CONTEXT_SEEN);
		mutex_lock(&ctx->mutex);
		if (likely(event->ctx == ctx))
			return ctx;
		mutex_unlock(&ctx->mutex);
	}
}

/**
 * struct remote_call - a call of a perf_event_func_t on another CPU
 * @event: first argument of @func
 * @func: the function
 * @data: last argument of @func
 * @ctx: the context that is expected to run on that CPU
 * @rounds: number of times that the call may still be deferred because it interrupts an event site
 * @done: the call is complete
 * @gone: the context's task has exited, and @func was not called
 */
struct remote_call {
	struct perf_event		*event;
	perf_event_func_t		func;
	void				*data;
	struct perf_event_context	*ctx;
	unsigned int			rounds;
	bool				done;
	bool				gone;
};

/**
 * perf_cpu_task_ctx - get the task context that is scheduled in, or being scheduled in
 *
 * For pmu::pmu_enable of drivers.
 *
 * Context: interrupts are off.
 * Return: the running task's context, or the shared context (shared_ctx.h) that replaces it; NULL
 * without groups to schedule
 */
struct perf_event_context *perf_cpu_task_ctx(void)
{
	lockdep_assert_irqs_disabled();
	return this_cpu_context()->task_ctx;
}

/**
 * perf_context_lock_cpu - lock this CPU's context and a task's, to change them
 * @cpuctx: this CPU's context
 * @ctx: a task's context, @cpuctx->ctx, or NULL
 *
 * Includes perf_context_begin(); perf_context_unlock_cpu() includes perf_context_end().
 *
 * Context: interrupts are off.
 */
void perf_context_lock_cpu(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx)
	__acquires(&cpuctx->ctx.lock) __acquires(&ctx->lock)
{
	lockdep_assert_irqs_disabled();
	raw_spin_lock(&cpuctx->ctx.lock);
	if (ctx && ctx != &cpuctx->ctx) {
		raw_spin_lock(&ctx->lock);
		perf_context_begin_both(&cpuctx->ctx, ctx);
	} else {
		__acquire(&ctx->lock);
		perf_context_begin(&cpuctx->ctx);
	}
}

/**
 * perf_context_unlock_cpu - undo perf_context_lock_cpu()
 * @cpuctx: the argument of perf_context_lock_cpu()
 * @ctx: the argument of perf_context_lock_cpu()
 */
void perf_context_unlock_cpu(struct perf_cpu_context *cpuctx, struct perf_event_context *ctx)
	__releases(&cpuctx->ctx.lock) __releases(&ctx->lock)
{
	if (ctx && ctx != &cpuctx->ctx) {
		perf_context_end(ctx);
		raw_spin_unlock(&ctx->lock);
	} else {
		__release(&ctx->lock);
	}
	perf_context_end(&cpuctx->ctx);
	raw_spin_unlock(&cpuctx->ctx.lock);
}

/*
 * Make the call on this CPU if the context runs on no CPU; make no call if the context's task
 * has exited. Return -1 if the call is complete, else the CPU on which the context runs.
 */
static int perf_context_call_unless_running(struct remote_call *call)
{
	struct perf_event_context *ctx = call->ctx;
	unsigned long flags;
	int cpu = -1;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (ctx->task == PERF_TASK_GONE) {
		call->gone = true;
	} else {
		cpu = perf_clock_cpu(&ctx->clock);
		if (cpu < 0) {
			perf_context_begin(ctx);
			call->func(call->event, NULL, call->data);
			perf_context_end(ctx);
		}
	}
	call->done = cpu < 0;
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return cpu;
}

/* Is the context this CPU's own, the running task's, or the shared context that is scheduled in? */
static bool perf_context_is_here(const struct perf_cpu_context *cpuctx,
				 const struct perf_event_context *ctx)
{
	return ctx == &cpuctx->ctx || ctx == perf_task_context(current) ||
	       ctx == cpuctx->shared_ctx;
}

/* Make the call on the CPU where the context ran. Interrupts are off. */
static void perf_context_call_here(void *info)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct remote_call *call = info;
	struct perf_event_context *ctx = call->ctx;
	/* Events of the CPU may have to take counters from events of the task. */
	struct perf_event_context *task_ctx = ctx == &cpuctx->ctx ? cpuctx->task_ctx : ctx;
	int clock_cpu;

	/* The context was scheduled out before this call: usually its task sleeps, or waits. */
	if (!perf_context_is_here(cpuctx, ctx)) {
		perf_context_call_unless_running(call);
		return;
	}
	if (unlikely(perf_site_interrupted()) && call->rounds) {
		call->rounds--;
		return;
	}

	perf_context_lock_cpu(cpuctx, task_ctx);
	/*
	 * perf_context_call() terminates because the clock of current's context runs on this
	 * CPU, or is stopped.
	 */
	clock_cpu = perf_clock_cpu(&ctx->clock);
	WARN_ON_ONCE(ctx->task == current && clock_cpu >= 0 && clock_cpu != smp_processor_id());
	if (clock_cpu == smp_processor_id()) {
		call->func(call->event, cpuctx, call->data);
		call->done = true;
	}
	/*
	 * If no event is left, the hooks of context switches may be off, and cpuctx->task_ctx would
	 * point to @ctx even after the exit of its task.
	 */
	if (cpuctx->task_ctx == ctx && !ctx->nr_events) {
		cpuctx->task_ctx = NULL;
		cpuctx->shared_ctx = NULL;
	}
	perf_context_unlock_cpu(cpuctx, task_ctx);
}

/**
 * perf_context_call - call a function with a context locked
 * @ctx: the context; the caller has a reference
 * @event: first argument of @func, to which the caller has a reference; or NULL
 * @func: called with the locks of the context held and interrupts off
 * @data: last argument of @func
 *
 * See context.h.
 *
 * Context: may sleep.
 * Return: true if @func was called, false if the context's task has exited
 */
bool perf_context_call(struct perf_event_context *ctx, struct perf_event *event,
		       perf_event_func_t func, void *data)
{
	struct remote_call call = {
		.event	= event,
		.func	= func,
		.data	= data,
		.ctx	= ctx,
		.rounds	= PERF_SITE_ROUNDS,
	};
	int cpu;

	/*
	 * This loop terminates. A task's context clock runs only on the CPU on which the task is
	 * current: while the context has an event, context switches call perf, and the switch out
	 * stops the clock. A CPU's own clock is stopped before the CPU is taken offline, with
	 * ctx->mutex held. So the interrupt finds the task running, sleeping, or waiting for a CPU,
	 * and makes the call in each case.
	 *
	 * There are further rounds only if:
	 *
	 * - the task has been scheduled in on another CPU since, or its CPU was taken offline: each
	 *   such round takes a whole migration while one interrupt is in flight;
	 * - the interrupt hits an event site, up to PERF_SITE_ROUNDS times: after that the call is
	 *   made anyway, and one occurrence may be miscounted.
	 *
	 * The CPU always takes the interrupt: no CPU waits with interrupts off for a mutex, such as
	 * the one held here.
	 */
	while (!call.done) {
		if (perf_task_context(current) == ctx) {
			local_irq_disable();
			perf_context_call_here(&call);
			local_irq_enable();
			if (call.done)
				break;
		}
		cpu = perf_context_call_unless_running(&call);
		perf_delay(CALL_CPU);
		if (cpu >= 0)
			smp_call_function_single(cpu, perf_context_call_here, &call, 1);
	}
	return !call.gone;
}

/**
 * perf_event_call - call a function with the event's context locked
 * @event: the event, attached or about to be attached; first argument of @func
 * @func: called with the locks of the context held and interrupts off
 * @data: last argument of @func
 *
 * See context.h. The caller prevents moves of the event by ctx->mutex or, for an inherited event,
 * by the inherit lock.
 *
 * Context: may sleep.
 * Return: true if @func was called, false if the context's task has exited
 */
bool perf_event_call(struct perf_event *event, perf_event_func_t func, void *data)
{
	if (!event->parent)
		lockdep_assert_held(&event->ctx->mutex);
	return perf_context_call(event->ctx, event, func, data);
}

/**
 * perf_event_is_on_stopped_cpu - is the event always on (see group.c) and in the stopped context of
 * a CPU?
 * @event: the event; ctx->mutex is held, or the inherit lock for an inherited event
 *
 * For such an event perf_event_call() calls the function on the CPU of the caller. But in CPU
 * hotplug, event sites of the event's CPU still count the event, and local64_add() there may
 * overwrite the value that the function stores. So the caller stores the value again on the event's
 * CPU, if that CPU is online. ctx->mutex keeps the context stopped meanwhile.
 *
 * Context: may sleep.
 * Return: true if the event is always on and its context is a CPU's, and stopped
 */
bool perf_event_is_on_stopped_cpu(const struct perf_event *event)
{
	const struct perf_event_context *ctx = event->ctx;

	if (ctx->task)
		return false;
	lockdep_assert_held(&ctx->mutex);
	return is_always_on(event) && !perf_clock_runs(&ctx->clock);
}

/* Protects together_event and together_cpus: only one task at a time calls many CPUs. */
static DEFINE_MUTEX(together_lock);
static DEFINE_PER_CPU(struct perf_event *, together_event);
/* CPUs to be called */
static struct cpumask together_cpus;

/* Make a call for perf_children_call_running(). Interrupts are off. */
static void perf_context_call_together(void *info)
{
	struct perf_event *event = __this_cpu_read(together_event);
	struct remote_call call = {
		.event	= event,
		.func	= *(perf_event_func_t *)info,
		.ctx	= event->ctx,
		/* Defer the call if the interrupt hits an event site. The caller repeats it. */
		.rounds	= 1,
	};

	perf_context_call_here(&call);
}

/**
 * perf_children_call_running - call a function for an event's running inherited events, on all CPUs
 * in parallel
 * @parent: the event; its inherit lock is held, which protects the list of inherited events
 * @func: the function, as for perf_event_call(), with NULL as data
 *
 * Each CPU that appears to run the context of an inherited event gets one interrupt. @func is not
 * called for an event whose context has moved to another CPU since, nor if the interrupt hits an
 * event site. If another task is in this function, @func is called for no event.
 *
 * Context: may sleep.
 */
void perf_children_call_running(struct perf_event *parent, perf_event_func_t func)
{
	struct perf_event *child;
	unsigned int n = 0;
	int cpu;

	lockdep_assert_held(perf_inherit_lock(parent));
	if (!mutex_trylock(&together_lock))
		return;
	perf_child_cache_del_stale(parent);
	cpumask_clear(&together_cpus);
	for_each_child(child, parent) {
		/*
		 * @child and all events after it are cached: the clocks of their contexts were
		 * stopped.
		 */
		if (perf_child_is_cached(child))
			break;
		cpu = perf_clock_cpu(&child->ctx->clock);
		if (cpu < 0 || cpumask_test_and_set_cpu(cpu, &together_cpus))
			continue;
		per_cpu(together_event, cpu) = child;
		n++;
	}
	perf_delay(CALL_TOGETHER);
	/* A single call is left to the caller, which checks each event afterwards. */
	if (n > 1)
		on_each_cpu_mask(&together_cpus, perf_context_call_together, &func, true);
	mutex_unlock(&together_lock);
}

/* Start the task's context clock if the task runs on this CPU. Interrupts are off. */
static void perf_context_start_clock_here(void *info)
{
	struct perf_event_context *ctx = info;

	if (ctx->task != current)
		return;
	raw_spin_lock(&ctx->lock);
	if (!perf_clock_runs(&ctx->clock) && ctx->nr_events)
		perf_context_start(ctx, perf_clock());
	raw_spin_unlock(&ctx->lock);
}

/* The CPU that runs the task, or -1. Called by task_call_func(): the task is not being switched. */
static int perf_context_task_runs_on(struct task_struct *task, void *unused)
{
	return task_curr(task) ? task_cpu(task) : -1;
}

/**
 * perf_context_reserve - announce an event that will be attached
 * @ctx: the context, whose mutex is held
 *
 * Context switches ignore an empty context of a task. After this call, context switches start the
 * context's clock; if the task runs, the call starts the clock.
 *
 * Context: may sleep.
 */
void perf_context_reserve(struct perf_event_context *ctx)
{
	struct task_struct *task;
	bool first;
	int cpu;

	lockdep_assert_held(&ctx->mutex);
	/* The new event makes the context differ from the others in its set (shared_ctx.h). */
	perf_ctx_set_unlink(ctx);
	scoped_guard(raw_spinlock_irq, &ctx->lock) {
		first = !ctx->nr_events++;
		task = ctx->task;
	}

	/* The clock of a shared context starts when its first task is scheduled in. */
	if (!first || !task || task == PERF_TASK_GONE || ctx->is_shared)
		return;
	if (task == current) {
		local_irq_disable();
		perf_context_start_clock_here(ctx);
		local_irq_enable();
		return;
	}
	/*
	 * task_call_func() holds the lock of the task's run queue, or a lock that a wakeup of the
	 * task takes. So each later switch to the task sees its context and ctx->nr_events, and
	 * starts the clock; an earlier one has stored the task's CPU. Without these locks both
	 * loads could return old values: a switch has no full barrier between its store of the
	 * task's CPU and its load of the task's context, which may be new. If the task is switched
	 * out before the interrupt, the interrupt need not do anything.
	 */
	cpu = task_call_func(task, perf_context_task_runs_on, NULL);
	perf_delay(CALL_RESERVED);
	if (cpu >= 0)
		smp_call_function_single(cpu, perf_context_start_clock_here, ctx, 1);
}

/**
 * perf_context_unreserve - undo perf_context_reserve() after an event was detached
 * @ctx: the context, between perf_context_begin() and perf_context_end()
 */
void perf_context_unreserve(struct perf_event_context *ctx)
{
	lockdep_assert_held(&ctx->lock);
	if (!--ctx->nr_events && ctx->task && perf_clock_runs(&ctx->clock))
		perf_clock_stop(&ctx->clock, ctx->now);
}

/* Get a PMU's part of a context with a reference, with driver data if requested; or NULL. */
static struct perf_event_pmu_context *
perf_pmu_context_lookup(struct perf_event_context *ctx, struct pmu *pmu, bool task_data)
{
	struct perf_event_pmu_context *epc = perf_pmu_context_of(ctx, pmu);

	if (!epc || (task_data && !epc->task_ctx_data))
		return NULL;
	refcount_inc(&epc->refcount);
	return epc;
}

static void perf_pmu_context_free(struct perf_event_pmu_context *epc)
{
	kfree(epc->task_ctx_data);
	kfree(epc);
}

static struct perf_event_pmu_context *perf_pmu_context_alloc(struct pmu *pmu, bool task_data,
							     gfp_t gfp)
{
	struct perf_event_pmu_context *made = kzalloc(sizeof(*made), gfp);

	if (!made || !task_data)
		return made;
	made->task_ctx_data = kmem_cache_zalloc(pmu->task_ctx_cache, gfp);
	if (made->task_ctx_data)
		return made;
	kfree(made);
	return NULL;
}

static void perf_pmu_context_init(struct perf_event_pmu_context *made,
				  struct perf_event_context *ctx, struct pmu *pmu)
{
	struct list_head *heads[] = { &made->pinned_active, &made->flexible_active };
	int i;

	made->pmu = pmu;
	made->ctx = ctx;
	made->embedded = !ctx->task;
	made->pinned_groups = RB_ROOT;
	made->flexible_groups = RB_ROOT;
	for (i = 0; i < ARRAY_SIZE(heads); i++)
		INIT_LIST_HEAD(heads[i]);
	refcount_set(&made->refcount, 1);
	list_add_tail(&made->pmu_ctx_entry, &ctx->pmu_ctx_list);
}

static void perf_pmu_context_free_rcu(struct rcu_head *head)
{
	perf_pmu_context_free(container_of(head, struct perf_event_pmu_context, rcu_head));
}

/**
 * perf_pmu_context_get - get the part of a context for an event's PMU
 * @ctx: the context; its mutex is held
 * @event: the event, which will be attached to @ctx
 *
 * Allocates the part if there is none. In a task's context, the part has driver data if the event
 * needs it.
 *
 * Context: may sleep.
 * Return: the part, with a reference for the event, or an ERR_PTR() of -ENOMEM
 */
struct perf_event_pmu_context *
perf_pmu_context_get(struct perf_event_context *ctx, const struct perf_event *event)
{
	struct pmu *pmu = event->pmu;
	bool task_data = ctx->task && pmu->task_ctx_cache &&
			 (event->attach_state & PERF_ATTACH_TASK_DATA);
	struct perf_event_pmu_context *epc, *made;

	scoped_guard(raw_spinlock_irq, &ctx->lock) {
		epc = perf_pmu_context_lookup(ctx, pmu, task_data);
		if (epc)
			return epc;
	}

	if (ctx->task)
		/* A task may cause one shared context per CPU: charge these to its cgroup. */
		made = perf_pmu_context_alloc(pmu, task_data,
					      ctx->is_shared ? GFP_KERNEL_ACCOUNT : GFP_KERNEL);
	else
		made = &per_cpu_ptr(pmu->cpu_pmu_context, event->cpu)->epc;
	if (!made)
		return ERR_PTR(-ENOMEM);

	scoped_guard(raw_spinlock_irq, &ctx->lock) {
		epc = perf_pmu_context_lookup(ctx, pmu, false);
		if (!epc) {
			perf_pmu_context_init(made, ctx, pmu);
			return made;
		}
		/* The existing part was allocated for events without driver data. */
		if (task_data && !epc->task_ctx_data)
			swap(epc->task_ctx_data, made->task_ctx_data);
	}
	if (ctx->task)
		perf_pmu_context_free(made);
	return epc;
}

/**
 * perf_pmu_context_put - drop an event's reference to a PMU's part of a context
 * @epc: from perf_pmu_context_get()
 *
 * Takes the context's lock.
 *
 * Context: any but NMI.
 */
void perf_pmu_context_put(struct perf_event_pmu_context *epc)
{
	/* Lock the list only if this may be the last reference. */
	if (refcount_dec_not_one(&epc->refcount))
		return;
	scoped_guard(raw_spinlock_irqsave, &epc->ctx->lock) {
		if (!refcount_dec_and_test(&epc->refcount))
			return;
		WARN_ON_ONCE(!list_empty(&epc->pinned_active) ||
			     !list_empty(&epc->flexible_active));
		list_del_init(&epc->pmu_ctx_entry);
	}
	if (!epc->embedded)
		call_rcu(&epc->rcu_head, perf_pmu_context_free_rcu);
}
