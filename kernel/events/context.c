// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts: the events of one task or one CPU, and how to get at them.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "context.h"
#include "delay.h"
#include "family.h"
#include "internal.h"
#include "refuse.h"
#include "residence.h"
#include "settle.h"
#include "source/software.h"
#include "time.h"
#include "time_seq.h"

DEFINE_PER_CPU(struct perf_cpu_context, perf_cpu_context);

/*
 * Each task that has events has a context, which the allocator fits into 256 bytes,
 * unless locks are larger because they are debugged.
 */
static_assert(!IS_ENABLED(CONFIG_64BIT) || sizeof(struct mutex) > 32 ||
	      sizeof(struct perf_event_context) <= 256);

/* Lock classes of CPUs' contexts: CPU hotplug takes their mutex, but never a task's. */
static struct lock_class_key perf_cpu_mutex_key, perf_cpu_lock_key;

/**
 * perf_context_init - make an empty context
 * @ctx: zeroed memory
 * @task: the context's task, to which it takes a reference, or NULL for a CPU's context
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
		perf_lock_allocates_nothing(&ctx->mutex);
	}
}

/**
 * perf_context_alloc - allocate a task's context, which is not installed yet
 * @task: the task
 * @gfp: GFP_KERNEL, or GFP_KERNEL_ACCOUNT to charge the current task's memory cgroup
 *
 * May sleep. Return: the context with one reference, or NULL.
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
 * perf_context_put - drop a reference
 * @ctx: a context, of a task or a CPU
 *
 * Any context but NMI. The context is freed after a grace period: sites and readers
 * of context clocks look at contexts under RCU.
 */
void perf_context_put(struct perf_event_context *ctx)
{
	if (!refcount_dec_and_test(&ctx->refcount))
		return;
	/* A CPU's context is never freed: perf_event_ctx_lock() relies on that. */
	if (WARN_ON_ONCE(!ctx->task))
		return;
	WARN_ON_ONCE(!list_empty(&ctx->event_list) || ctx->settled_copies);
	if (ctx->task != PERF_TASK_GONE)
		put_task_struct(ctx->task);
	perf_family_free(ctx);
	kfree_rcu(ctx, rcu_head);
}

/* A live task's context with a reference, or NULL. */
static struct perf_event_context *perf_task_context_get(struct task_struct *task)
{
	struct perf_event_context *its;

	guard(rcu)();
	its = perf_task_context(task);
	return its && refcount_inc_not_zero(&its->refcount) ? its : NULL;
}

/* Give the task the context @made, unless it has got one meanwhile or exits. */
static struct perf_event_context *perf_task_context_install(struct task_struct *task,
							    struct perf_event_context *made)
{
	struct perf_event_context *its;

	guard(mutex)(&task->perf_event_mutex);
	its = perf_task_context_get(task);
	if (its)
		return its;
	/* perf_event_exit_task() has taken this mutex already, or will wait for it. */
	if (task->flags & PF_EXITING)
		return ERR_PTR(perf_refuse(PERF_REFUSED_TASK_EXITED));
	refcount_inc(&made->refcount);
	/* Switches and other CPUs follow this pointer: they see a complete context. */
	smp_store_release(&task->perf_event_ctxp, made);
	return made;
}

/**
 * perf_context_find - find the context for events on a task or a CPU
 * @task: the task, or NULL
 * @cpu: the CPU when @task is NULL
 *
 * Makes a task's context when it has none. May sleep.
 * Return: the context with a reference, or an error: -ESRCH when the task is
 * exiting, -ENOMEM.
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
 * perf_event_ctx_unlock - the end of CLASS(event_context)
 * @ctx: what perf_event_ctx_lock() returned
 */
void perf_event_ctx_unlock(struct perf_event_context *ctx)
{
	mutex_unlock(&ctx->mutex);
}

/**
 * perf_event_ctx_lock - take the mutex of an event's context: CLASS(event_context)
 * @event: the event, which the caller keeps alive until perf_event_ctx_unlock()
 *
 * The event keeps its context. Only an event that moves from one CPU to another
 * changes its context, and CPUs' contexts are never freed. So this tries again, once
 * for each time that a CPU goes. May sleep.
 * Return: the context, locked.
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
 * struct remote_call - a perf_event_func_t on its way to another CPU
 * @event: first argument of @func
 * @func: the function to call
 * @data: last argument of @func
 * @ctx: the context that is expected to run there
 * @rounds: how many times the call may still be put off because it interrupts a site
 * @done: there is nothing left to do
 * @gone: the context's task has exited, so @func was not called
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
 * perf_cpu_task_ctx - the task context whose groups are on this CPU, or come now
 *
 * For a driver's pmu_enable; interrupts are off.
 * Return: the running task's context or its residence, NULL when there is none with
 * groups to schedule.
 */
struct perf_event_context *perf_cpu_task_ctx(void)
{
	lockdep_assert_irqs_disabled();
	return this_cpu_context()->task_ctx;
}

/**
 * perf_context_lock_cpu - lock this CPU's context and a task's, to change them
 * @cpuctx: this CPU's context
 * @ctx: a task's context, this CPU's own, or NULL
 *
 * Interrupts are off. Both contexts are between perf_context_begin() and
 * perf_context_end() until perf_context_unlock_cpu().
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
 * Make the call on this CPU if the context runs nowhere; make none if the context's
 * task has exited. Return: -1 when the call is done with, or the CPU on which the
 * context runs.
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

/* Is the context this CPU's own, or the running task's, or the residence that is on? */
static bool perf_context_is_here(const struct perf_cpu_context *cpuctx,
				 const struct perf_event_context *ctx)
{
	return ctx == &cpuctx->ctx || ctx == perf_task_context(current) ||
	       ctx == cpuctx->residence;
}

/* Make the call on the CPU where the context was seen to run; interrupts are off. */
static void perf_context_call_here(void *info)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct remote_call *call = info;
	struct perf_event_context *ctx = call->ctx;
	/* Counters of the CPU's events may have to be taken from the task's. */
	struct perf_event_context *task_ctx = ctx == &cpuctx->ctx ? cpuctx->task_ctx : ctx;
	int clock_cpu;

	/* The context has left since: mostly its task sleeps, or waits for this CPU. */
	if (!perf_context_is_here(cpuctx, ctx)) {
		perf_context_call_unless_running(call);
		return;
	}
	if (unlikely(perf_site_interrupted()) && call->rounds) {
		call->rounds--;
		return;
	}

	perf_context_lock_cpu(cpuctx, task_ctx);
	/* If current's clock ran elsewhere, perf_context_call() would never end. */
	clock_cpu = perf_clock_cpu(&ctx->clock);
	WARN_ON_ONCE(ctx->task == current && clock_cpu >= 0 && clock_cpu != smp_processor_id());
	if (clock_cpu == smp_processor_id()) {
		call->func(call->event, cpuctx, call->data);
		call->done = true;
	}
	/*
	 * When no event is left, switches may not call perf any more, and the context
	 * would stay here after its task has gone.
	 */
	if (cpuctx->task_ctx == ctx && !ctx->nr_events) {
		cpuctx->task_ctx = NULL;
		cpuctx->residence = NULL;
	}
	perf_context_unlock_cpu(cpuctx, task_ctx);
}

/**
 * perf_context_call - run a function where a context can be changed
 * @ctx: the context, which the caller keeps
 * @event: first argument of @func, an event that the caller keeps
 * @func: the function to run, with the locks of the context held and interrupts off
 * @data: last argument of @func
 *
 * See context.h. May sleep.
 * Return: true when @func has been called, false when the context's task has exited.
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
	 * The loop ends. A context clock runs on a CPU only while its task is current
	 * there; a CPU's own clock runs only while the CPU is online. For as long as
	 * there is an event, switches call perf, and the switch out stops the clock; a
	 * CPU stops its own clock before it goes, with ctx->mutex held. So the interrupt
	 * finds the task there, or asleep, or waiting for a CPU, and in each of these
	 * cases the call is made. There is another round only if the task has come to
	 * another CPU since (or its CPU has gone): that takes a whole migration while
	 * one interrupt is on its way. There are also up to SITE_ROUNDS more rounds if
	 * the interrupt has come into a site; if a CPU is in sites all the time, the
	 * call is made then, and one occurrence may be miscounted. The other CPU takes
	 * the interrupt: no CPU waits for a mutex, as held here, with interrupts off.
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
 * perf_event_call - run a function where the event's context can be changed
 * @event: the event, attached or about to be; first argument of @func
 * @func: the function to run, with the locks of the context held and interrupts off
 * @data: last argument of @func
 *
 * See context.h. May sleep; the caller keeps the event from being moved: it holds
 * ctx->mutex or, for a copy, its family's lock.
 */
void perf_event_call(struct perf_event *event, perf_event_func_t func, void *data)
{
	if (!event->parent)
		lockdep_assert_held(&event->ctx->mutex);
	perf_context_call(event->ctx, event, func, data);
}

/* One task at a time calls many CPUs, each of which finds an event here. */
static DEFINE_MUTEX(together_lock);
static DEFINE_PER_CPU(struct perf_event *, together_event);
/* CPUs to be called; together_lock. */
static struct cpumask together_cpus;

/* Make a call of perf_copies_call_running(); interrupts are off. */
static void perf_context_call_together(void *info)
{
	struct perf_event *event = __this_cpu_read(together_event);
	struct remote_call call = {
		.event	= event,
		.func	= *(perf_event_func_t *)info,
		.ctx	= event->ctx,
		/* The caller finds out that it has been put off. */
		.rounds	= 1,
	};

	perf_context_call_here(&call);
}

/**
 * perf_copies_call_running - call a function for an event's copies on all CPUs at once
 * @root: the event; its family's lock is held, which keeps the copies
 * @func: the function to run, as for perf_event_call(); its data is NULL
 *
 * A CPU on which a copy's context is seen to run gets one interrupt, and none waits for another.
 * Where the context has left the CPU meanwhile, the task may run elsewhere, where @func is not
 * called; so it is where the interrupt has come into a site, and while another task calls many
 * CPUs. May sleep.
 */
void perf_copies_call_running(struct perf_event *root, perf_event_func_t func)
{
	struct perf_event *copy;
	unsigned int n = 0;
	int cpu;

	lockdep_assert_held(perf_family_lock(root));
	if (!mutex_trylock(&together_lock))
		return;
	perf_settled_catch_up(root);
	cpumask_clear(&together_cpus);
	for_each_copy(copy, root) {
		/* This one and all that follow did not run just now. */
		if (perf_copy_is_settled(copy))
			break;
		cpu = perf_clock_cpu(&copy->ctx->clock);
		if (cpu < 0 || cpumask_test_and_set_cpu(cpu, &together_cpus))
			continue;
		per_cpu(together_event, cpu) = copy;
		n++;
	}
	perf_delay(CALL_TOGETHER);
	/* A single call is as well made by the caller. */
	if (n > 1)
		on_each_cpu_mask(&together_cpus, perf_context_call_together, &func, true);
	mutex_unlock(&together_lock);
}

/* If the task runs on this CPU, start its context clock; interrupts are off. */
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

/**
 * perf_context_reserve - announce an event that is to be attached
 * @ctx: the context, whose mutex is held
 *
 * Switches pass over a task's empty context. From here on they do not, and if the
 * task runs now, its context clock is started. May sleep.
 */
void perf_context_reserve(struct perf_event_context *ctx)
{
	struct task_struct *task;
	bool first;
	int cpu;

	lockdep_assert_held(&ctx->mutex);
	/* A context that gets another event is no clone any more. */
	perf_residence_leave(ctx);
	scoped_guard(raw_spinlock_irq, &ctx->lock) {
		first = !ctx->nr_events++;
		task = ctx->task;
	}

	/* A residence's clock starts with the first task that it serves. */
	if (!first || !task || task == PERF_TASK_GONE || ctx->residence)
		return;
	if (task == current) {
		local_irq_disable();
		perf_context_start_clock_here(ctx);
		local_irq_enable();
		return;
	}
	/*
	 * If the task does not run when the interrupt arrives, the switch that puts it
	 * on a CPU will see nr_events, unless the task has moved meanwhile. The loop
	 * ends: each round but the first takes a migration of the task while the
	 * interrupt is on its way, and a switch in that sees nr_events starts the clock.
	 */
	do {
		cpu = task_cpu(task);
		perf_delay(CALL_RESERVED);
		smp_call_function_single(cpu, perf_context_start_clock_here, ctx, 1);
	} while (perf_clock_cpu(&ctx->clock) < 0 && task_cpu(task) != cpu);
}

/**
 * perf_context_unreserve - undo perf_context_reserve() when an event has left
 * @ctx: the context, between perf_context_begin() and perf_context_end()
 */
void perf_context_unreserve(struct perf_event_context *ctx)
{
	lockdep_assert_held(&ctx->lock);
	if (!--ctx->nr_events && ctx->task && perf_clock_runs(&ctx->clock))
		perf_clock_stop(&ctx->clock, ctx->now);
}

/* A PMU's part of a context, with a reference and driver's data if asked for, or NULL. */
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
 * perf_pmu_context_get - the part of a context that belongs to an event's PMU
 * @ctx: the context; its mutex is held
 * @event: the event, which is about to be attached to @ctx
 *
 * The part is made if there is none. In a task's context it has the driver's data if
 * the event asks for that. May sleep.
 * Return: the part, with a reference for the event, or -ENOMEM.
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
		/* A task may have a residence on each CPU: these are charged to it. */
		made = perf_pmu_context_alloc(pmu, task_data,
					      ctx->residence ? GFP_KERNEL_ACCOUNT : GFP_KERNEL);
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
		/* There is one that was made for events without driver's data. */
		if (task_data && !epc->task_ctx_data)
			swap(epc->task_ctx_data, made->task_ctx_data);
	}
	if (ctx->task)
		perf_pmu_context_free(made);
	return epc;
}

/**
 * perf_pmu_context_put - drop an event's reference to a PMU's part of a context
 * @epc: the part, which perf_pmu_context_get() returned
 *
 * Takes the context's lock; any context but NMI.
 */
void perf_pmu_context_put(struct perf_event_pmu_context *epc)
{
	/* Only where it may be the last one has the list to stand still. */
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
