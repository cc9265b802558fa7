// SPDX-License-Identifier: GPL-2.0
/*
 * Cgroup events, and the perf_event controller
 *
 * A cgroup event is bound to a CPU, and counts while a task of the cgroup, or of a descendant, runs
 * on the CPU. The event's times are those of the cgroup on the CPU. A switch between tasks of two
 * cgroups schedules only the groups of these cgroups and of the ancestors that they do not share.
 */
#include <linux/cgroup.h>
#include <linux/file.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "cgroup.h"
#include "context.h"
#include "delay.h"
#include "group_tree.h"
#include "internal.h"
#include "record/sideband.h"
#include "sched.h"
#include "sched_cb.h"
#include "source/software.h"
#include "time.h"
#include "time_seq.h"

static struct perf_cgroup *perf_cgroup_of(struct cgroup_subsys_state *css)
{
	return css ? container_of(css, struct perf_cgroup, css) : NULL;
}

static struct perf_cgroup *perf_cgroup_parent(struct perf_cgroup *cgrp)
{
	return perf_cgroup_of(cgrp->css.parent);
}

/* Is @cgrp equal to @of, or an ancestor of @of? */
static bool perf_cgroup_is_ancestor(struct perf_cgroup *cgrp, struct perf_cgroup *of)
{
	return of && cgroup_is_descendant(of->css.cgroup, cgrp->css.cgroup);
}

/* Get the lowest common ancestor of two cgroups, or NULL; each may be NULL. */
static struct perf_cgroup *perf_cgroup_shared(struct perf_cgroup *a, struct perf_cgroup *b)
{
	while (a && !perf_cgroup_is_ancestor(a, b))
		a = perf_cgroup_parent(a);
	return a;
}

/* Iterate over a cgroup and its ancestors, up to but not including @end: NULL or an ancestor. */
#define for_each_up_to(cgrp, from, end) \
	for ((cgrp) = (from); (cgrp) != (end); (cgrp) = perf_cgroup_parent(cgrp))

/* Get a cgroup's clock and event count of this CPU, or NULL. The CPU's context is locked. */
static struct perf_cgroup_info *perf_cgroup_info_here(const struct perf_cgroup *cgrp)
{
	struct perf_cgroup_info __percpu *info = READ_ONCE(cgrp->info);

	return info ? this_cpu_ptr(info) : NULL;
}

/**
 * perf_cgroup_alloc_info - allocate the clocks of an event's cgroup, if it has none
 * @event: a new event; the permission to monitor its CPU was checked, because the clocks use memory
 *	until the cgroup is removed
 *
 * The clocks are not allocated with the cgroup, because few cgroups have events. No barrier is
 * needed: a CPU looks for a clock under its context's lock, after an event of the cgroup was
 * attached under the same lock, and the attach follows this allocation.
 *
 * Context: may sleep.
 * Return: 0 on success, -ENOMEM
 */
int perf_cgroup_alloc_info(struct perf_event *event)
{
	struct perf_cgroup_info __percpu *made;
	struct perf_cgroup *cgrp = event->cgrp;
	int cpu;

	if (!cgrp || READ_ONCE(cgrp->info))
		return 0;
	made = alloc_percpu_gfp(struct perf_cgroup_info, GFP_KERNEL_ACCOUNT);
	if (!made)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		perf_clock_init(&per_cpu_ptr(made, cpu)->clock);
	/* Another task may have set cgrp->info meanwhile. */
	if (cmpxchg(&cgrp->info, NULL, made))
		free_percpu(made);
	return 0;
}

/**
 * perf_cgroup_connect - set the cgroup of a new event
 * @event: the event, bound to a CPU
 * @fd: file descriptor of a directory in a cgroup hierarchy with the perf_event controller
 * @leader: leader of the group that the event will join, or NULL
 *
 * Takes a reference to the cgroup.
 *
 * Context: may sleep.
 * Return: 0 on success, -EBADF, -EINVAL if the leader counts for another cgroup
 */
int perf_cgroup_connect(struct perf_event *event, int fd, const struct perf_event *leader)
{
	struct cgroup_subsys_state *css;

	CLASS(fd, f)(fd);
	if (fd_empty(f))
		return -EBADF;
	css = css_tryget_online_from_dir(fd_file(f)->f_path.dentry, &perf_event_cgrp_subsys);
	if (IS_ERR(css))
		return PTR_ERR(css);
	event->cgrp = perf_cgroup_of(css);
	return leader && leader->cgrp != event->cgrp ? -EINVAL : 0;
}

/**
 * perf_cgroup_set_from_leader - set the cgroup of a new event to that of its leader
 * @event: the event, bound to a CPU, opened without a cgroup
 * @leader: leader of the group that the event will join; the caller holds a reference
 *
 * A group is scheduled as a whole, so its members count only for the leader's cgroup. cAdvisor
 * opens such groups.
 */
void perf_cgroup_set_from_leader(struct perf_event *event, const struct perf_event *leader)
{
	css_get(&leader->cgrp->css);
	event->cgrp = leader->cgrp;
}

/**
 * perf_cgroup_disconnect - undo perf_cgroup_connect() or perf_cgroup_set_from_leader()
 * @event: event that is being freed
 */
void perf_cgroup_disconnect(struct perf_event *event)
{
	if (event->cgrp)
		css_put(&event->cgrp->css);
}

/**
 * perf_cgroup_count - count a cgroup event that is attached or detached
 * @event: the event, in a CPU's context, whose lock is held
 * @cpuctx: this CPU's context if @event is in it and the context's clock runs, else NULL
 * @n: 1 for attached, -1 for detached
 */
void perf_cgroup_count(struct perf_event *event, struct perf_cpu_context *cpuctx, int n)
{
	struct perf_cgroup_info *info = per_cpu_ptr(event->cgrp->info, event->cpu);
	struct perf_cpu_context *owner = container_of(event->ctx, struct perf_cpu_context, ctx);

	lockdep_assert_held(&event->ctx->lock);
	WRITE_ONCE(owner->nr_cgroups, owner->nr_cgroups + n);
	info->active += n;
	if (n < 0) {
		if (!info->active && perf_clock_runs(&info->clock))
			perf_clock_stop(&info->clock, event->ctx->now);
		if (!owner->nr_cgroups)
			owner->cgrp = NULL;
		return;
	}
	if (!cpuctx)
		return;
	if (!cpuctx->cgrp) {
		/*
		 * Pairs with perf_cgroup_attach(): either that function sees owner->nr_cgroups and
		 * makes this CPU switch again, or this CPU sees current's new cgroup.
		 */
		smp_mb();
		cpuctx->cgrp = perf_cgroup_from_task(current, &cpuctx->ctx);
	}
	if (perf_cgroup_is_ancestor(event->cgrp, cpuctx->cgrp) && !perf_clock_runs(&info->clock))
		perf_clock_start(&info->clock, event->ctx->now);
}

/**
 * perf_cgroup_count_group - count a cgroup's group that needs scheduling
 * @leader: group leader, in a CPU's context, whose lock is held
 * @n: 1 if the group is added to its tree, -1 if it is removed
 *
 * A context switch walks only the PMUs with such groups on the CPU.
 */
void perf_cgroup_count_group(struct perf_event *leader, int n)
{
	struct perf_cpu_context *owner = container_of(leader->ctx, struct perf_cpu_context, ctx);
	struct perf_cpu_pmu_context *cpc = container_of(leader->pmu_ctx, typeof(*cpc), epc);

	lockdep_assert_held(&leader->ctx->lock);
	WARN_ON_ONCE(!leader->pmu_ctx->embedded);
	if (n > 0 && !cpc->nr_cgroup_groups)
		list_add_tail(&cpc->cgroup_entry, &owner->cgroup_pmus);
	cpc->nr_cgroup_groups += n;
	if (!cpc->nr_cgroup_groups)
		list_del_init(&cpc->cgroup_entry);
}

/*
 * Iterate over the PMUs with enabled groups of cgroups on this CPU. The walk is safe against the
 * removal of @cpc: when its last such group is disabled in a schedule out, the PMU is removed.
 */
#define for_each_cgroup_pmu(cpc, next, cpuctx) \
	list_for_each_entry_safe(cpc, next, &(cpuctx)->cgroup_pmus, cgroup_entry)

/* Schedule out all groups of one cgroup on this CPU, for all PMUs. */
static void perf_cgroup_out(struct perf_cpu_context *cpuctx, struct perf_cgroup *cgrp)
{
	struct perf_cgroup_info *info = perf_cgroup_info_here(cgrp);
	struct perf_cpu_pmu_context *cpc, *following;
	struct perf_event *leader, *next;
	int cpu = smp_processor_id();

	if (!info || !info->active)
		return;
	for_each_cgroup_pmu(cpc, following, cpuctx) {
		struct rb_root *roots[] = { &cpc->epc.flexible_groups, &cpc->epc.pinned_groups };
		int i;

		for (i = 0; i < ARRAY_SIZE(roots); i++) {
			leader = perf_group_first(roots[i], cpu, cgrp);
			for (; leader; leader = next) {
				next = perf_group_next(leader);
				perf_group_sched_out(leader);
			}
		}
	}
	if (perf_clock_runs(&info->clock))
		perf_clock_stop(&info->clock, cpuctx->ctx.now);
}

static bool perf_cgroup_has_events_here(const struct perf_cgroup *cgrp)
{
	const struct perf_cgroup_info *info = perf_cgroup_info_here(cgrp);

	return info && info->active;
}

static bool perf_cgroup_pinned_inactive(struct perf_event_pmu_context *epc,
					const struct perf_cgroup *cgrp)
{
	struct perf_event *leader;

	leader = perf_group_first(&epc->pinned_groups, smp_processor_id(), cgrp);
	while (leader && !perf_group_is_inactive(leader))
		leader = perf_group_next(leader);
	return leader;
}

/*
 * Schedule in the groups of one PMU for @to and its ancestors, up to but not including @end.
 * The PMU is disabled.
 */
static void perf_cgroup_in(struct perf_cpu_context *cpuctx, struct perf_event_pmu_context *epc,
			   struct perf_cgroup *to, struct perf_cgroup *end)
{
	struct perf_cgroup *cgrp;

	if (!RB_EMPTY_ROOT(&epc->pinned_groups)) {
		for_each_up_to(cgrp, to, end) {
			if (!perf_cgroup_has_events_here(cgrp) ||
			    !perf_cgroup_pinned_inactive(epc, cgrp))
				continue;
			/*
			 * A pinned group of a cgroup waits: schedule out the flexible
			 * groups that may use its counters.
			 */
			perf_pmu_resched_cpu(cpuctx, &cpuctx->ctx, epc->pmu);
			return;
		}
	}
	for_each_up_to(cgrp, to, end) {
		if (perf_cgroup_has_events_here(cgrp))
			perf_subtree_sched_in(epc, false, smp_processor_id(), cgrp);
	}
}

/*
 * Start the clocks of @to and its ancestors with events on this CPU, up to but not including
 * @end. Return the lowest of these cgroups, or @end if there is none.
 */
static struct perf_cgroup *
perf_cgroups_begin(struct perf_cpu_context *cpuctx, struct perf_cgroup *to,
		   struct perf_cgroup *end)
{
	struct perf_cgroup *cgrp, *lowest = end;

	for_each_up_to(cgrp, to, end) {
		struct perf_cgroup_info *info = perf_cgroup_info_here(cgrp);

		if (!info || !info->active)
			continue;
		if (!perf_clock_runs(&info->clock))
			perf_clock_start(&info->clock, cpuctx->ctx.now);
		if (lowest == end)
			lowest = cgrp;
	}
	return lowest;
}

/* Switch the CPU to another cgroup. The CPU's context is locked. */
static void perf_cgroup_switch_locked(struct perf_cpu_context *cpuctx, struct perf_cgroup *to,
				      bool tasks)
{
	struct perf_cgroup *cgrp, *shared = perf_cgroup_shared(cpuctx->cgrp, to);
	struct perf_cpu_pmu_context *cpc, *following;

	for_each_up_to(cgrp, cpuctx->cgrp, shared)
		perf_cgroup_out(cpuctx, cgrp);
	cpuctx->cgrp = to;
	to = perf_cgroups_begin(cpuctx, to, shared);
	if (to == shared)
		return;
	for_each_cgroup_pmu(cpc, following, cpuctx) {
		struct pmu *pmu = cpc->epc.pmu;

		perf_pmu_disable(pmu);
		perf_cgroup_in(cpuctx, &cpc->epc, to, shared);
		/*
		 * In the first half of a context switch a PMU may still have state of the
		 * previous task: pmu::sched_task must be called for the next task before
		 * events of cgroups run.
		 */
		if (tasks && perf_pmu_has_sched_task(pmu))
			perf_pmu_disable_for_switch(cpuctx, pmu);
		else
			perf_pmu_enable(pmu);
	}
}

/**
 * __perf_cgroup_is_same - does this CPU stay in the same cgroup?
 * @cpuctx: this CPU's context
 * @next: the next task
 *
 * If the task is moved to another cgroup, the result may be outdated before perf_cgroup_switch().
 * Then perf_cgroup_attach() makes the CPU switch again.
 *
 * Context: interrupts are off.
 * Return: true if the CPU stays in the same cgroup
 */
bool __perf_cgroup_is_same(const struct perf_cpu_context *cpuctx, struct task_struct *next)
{
	guard(rcu)();
	/* Pairs with perf_cgroup_attach(). */
	smp_mb();
	return perf_cgroup_from_task(next, NULL) == cpuctx->cgrp;
}

/* perf_cgroup_switch(), or, with @tasks false, a change of current's cgroup */
static void perf_cgroup_switch_to(struct perf_cpu_context *cpuctx, struct task_struct *next,
				  bool tasks)
{
	struct perf_event_context *task_ctx = cpuctx->task_ctx;
	struct perf_cgroup *to;

	if (likely(!READ_ONCE(cpuctx->nr_cgroups)))
		return;
	/* Context switches continue while the CPU is taken offline, and at reboot. */
	if (!cpuctx->ready)
		return;
	/* Avoid the lock in the most frequent case: both tasks are in the same cgroup. */
	if (__perf_cgroup_is_same(cpuctx, next))
		return;

	perf_delay(CGROUP_SWITCH);
	perf_context_lock_cpu(cpuctx, task_ctx);
	to = perf_cgroup_from_task(next, &cpuctx->ctx);
	if (cpuctx->nr_cgroups && cpuctx->cgrp != to)
		perf_cgroup_switch_locked(cpuctx, to, tasks);
	perf_context_unlock_cpu(cpuctx, task_ctx);
}

/**
 * perf_cgroup_switch - schedule the groups of cgroups in the first half of a context switch
 * @cpuctx: this CPU's context, not locked
 * @next: the next task
 *
 * PMUs with pmu::sched_task stay disabled until the second half of the switch has called it.
 *
 * Context: interrupts are off.
 */
void perf_cgroup_switch(struct perf_cpu_context *cpuctx, struct task_struct *next)
{
	perf_cgroup_switch_to(cpuctx, next, true);
}

/**
 * perf_cgroup_start_cpu - start clocks and groups of cgroups on a CPU that is brought online
 * @cpuctx: this CPU's context, not locked, ready
 *
 * Without this call, the open of an event before the first context switch would set cpuctx->cgrp,
 * and the switch would not schedule in the older events of the cgroup.
 *
 * Context: interrupts are off.
 */
void perf_cgroup_start_cpu(struct perf_cpu_context *cpuctx)
{
	perf_cgroup_switch_to(cpuctx, current, false);
}

/**
 * perf_cgroup_stop_cpu - stop the clocks of cgroups on a CPU that is taken offline
 * @cpuctx: this CPU's context, locked; all groups are scheduled out
 *
 * The CPU has no running cgroup until perf_cgroup_start_cpu().
 */
void perf_cgroup_stop_cpu(struct perf_cpu_context *cpuctx)
{
	struct perf_cgroup *cgrp;

	for (cgrp = cpuctx->cgrp; cgrp; cgrp = perf_cgroup_parent(cgrp))
		perf_cgroup_out(cpuctx, cgrp);
	cpuctx->cgrp = NULL;
}

/**
 * perf_cgroup_here - get the running cgroup, if this CPU has cgroup events
 * @cpuctx: this CPU's context, locked
 *
 * Return: the cgroup, or NULL
 */
struct perf_cgroup *perf_cgroup_here(struct perf_cpu_context *cpuctx)
{
	return cpuctx->nr_cgroups ? cpuctx->cgrp : NULL;
}

/**
 * perf_cgroup_parent_of - get the parent of a cgroup
 * @cgrp: the cgroup
 *
 * Return: its parent, or NULL
 */
struct perf_cgroup *perf_cgroup_parent_of(struct perf_cgroup *cgrp)
{
	return perf_cgroup_parent(cgrp);
}

/**
 * perf_cgroup_subtrees - call a function for the subtrees of the cgroups that run on this CPU
 * @cpuctx: this CPU's context, locked
 * @epc: a PMU's part of @cpuctx->ctx
 * @pinned: the subtrees of the pinned groups, not of the flexible ones
 * @func: called for the running cgroup and each ancestor
 *
 * For subtrees see group_tree.c.
 */
void perf_cgroup_subtrees(struct perf_cpu_context *cpuctx, struct perf_event_pmu_context *epc,
			  bool pinned, perf_subtree_func_t func)
{
	struct perf_cgroup *cgrp;

	for (cgrp = perf_cgroup_here(cpuctx); cgrp; cgrp = perf_cgroup_parent(cgrp))
		func(epc, pinned, smp_processor_id(), cgrp);
}

/* The cgroup controller */

static struct cgroup_subsys_state *perf_cgroup_css_alloc(struct cgroup_subsys_state *parent)
{
	struct perf_cgroup *cgrp = kzalloc(sizeof(*cgrp), GFP_KERNEL);

	return cgrp ? &cgrp->css : ERR_PTR(-ENOMEM);
}

static void perf_cgroup_css_free(struct cgroup_subsys_state *css)
{
	struct perf_cgroup *cgrp = perf_cgroup_of(css);

	free_percpu(cgrp->info);
	kfree(cgrp);
}

/* Write a PERF_RECORD_CGROUP for a new cgroup. May sleep. */
static void perf_cgroup_record(struct cgroup *cgrp)
{
	u64 id;
	struct perf_record record = {
		PERF_RECORD_OF(perf_cgroup_kind),
		.body		= &id,
	};
	const char *path;
	char *buf;

	if (!perf_sideband_enabled(PERF_SIDEBAND_CGROUP) || !perf_record_has_listener(&record))
		return;
	id = cgroup_id(cgrp);
	buf = kmalloc(PATH_MAX, GFP_KERNEL);
	path = buf ?: "//enomem";
	if (buf && cgroup_path(cgrp, buf, PATH_MAX) < 0)
		path = "//toolong";
	record.tail[0] = path;
	record.tail_size[0] = strlen(path) + 1;
	perf_record_send_current(&record);
	kfree(buf);
}

static int perf_cgroup_css_online(struct cgroup_subsys_state *css)
{
	perf_cgroup_record(css->cgroup);
	return 0;
}

/**
 * struct cgroup_move - a move of tasks to another cgroup
 * @cpus: CPUs that may run a moved task, and must compare its cgroup with cpuctx->cgrp
 * @later: CPUs of @cpus that have deferred the comparison, because the call has interrupted an
 *	event site
 * @rounds: number of times that a CPU may still defer the comparison
 */
struct cgroup_move {
	struct cpumask		cpus;
	struct cpumask		later;
	unsigned int		rounds;
};

/* Called on a CPU where a moved task may run, with interrupts off. */
static void perf_cgroup_task_moved(void *info)
{
	struct cgroup_move *move = info;

	if (unlikely(perf_site_interrupted()) && move->rounds)
		cpumask_set_cpu(smp_processor_id(), &move->later);
	else
		perf_cgroup_switch_to(this_cpu_context(), current, false);
}

/*
 * Tasks have moved to another cgroup: make each CPU that runs one of these tasks switch cgroups.
 *
 * A sleeping task may be scheduled in on any CPU in the meantime. Either that CPU sees the new
 * cgroup, or this CPU sees the new task_cpu(), and interrupts that CPU:
 *
 * - That CPU, or the CPU that woke the task, stores task_cpu(). Then __perf_cgroup_is_same() has a
 *   full barrier, and loads the task's cgroup. (The scheduler's barriers are not enough, because a
 *   CPU may pull a task from another CPU after these barriers.)
 * - This function has a full barrier between the store of the cgroup and the load of task_cpu().
 *
 * If the interrupt precedes the switch, the switch sees the new cgroup; otherwise the task is
 * current. A call of another CPU is a full barrier anyway. The barrier of this function is needed
 * for a task whose last CPU is this one.
 *
 * A CPU without cgroup events loads the task's cgroup not in a switch, but when the first such
 * event is attached, after the full barrier in perf_cgroup_count(): so either that CPU sees the new
 * cgroup, or this CPU sees perf_cpu_context::nr_cgroups.
 */
static void perf_cgroup_attach(struct cgroup_taskset *tset)
{
	/* Protected by cgroup_mutex, which the caller holds */
	static struct cgroup_move move;
	struct cgroup_subsys_state *css;
	struct task_struct *task;
	int cpu;

	cpumask_clear(&move.cpus);
	/* Pairs with __perf_cgroup_is_same() and perf_cgroup_count(). */
	smp_mb();
	cgroup_taskset_for_each(task, css, tset) {
		cpu = task_cpu(task);
		perf_delay(CGROUP_ATTACH);
		if (READ_ONCE(per_cpu(perf_cpu_context, cpu).nr_cgroups))
			cpumask_set_cpu(cpu, &move.cpus);
	}
	for (move.rounds = PERF_SITE_ROUNDS; !cpumask_empty(&move.cpus); move.rounds--) {
		cpumask_clear(&move.later);
		on_each_cpu_mask(&move.cpus, perf_cgroup_task_moved, &move, true);
		cpumask_copy(&move.cpus, &move.later);
	}
}

struct cgroup_subsys perf_event_cgrp_subsys = {
	.css_alloc		= perf_cgroup_css_alloc,
	.css_free		= perf_cgroup_css_free,
	.css_online		= perf_cgroup_css_online,
	.attach			= perf_cgroup_attach,
	/* Always enabled on the default hierarchy, also for threaded cgroups. */
	.implicit_on_dfl	= true,
	.threaded		= true,
};
