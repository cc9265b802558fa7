// SPDX-License-Identifier: GPL-2.0
/*
 * Events of cgroups, and the perf_event controller.
 *
 * An event of a cgroup belongs to a CPU and counts there while a task of the
 * cgroup, or of one below it, runs. Its time is that of the cgroup on the CPU.
 * A switch between tasks of two cgroups touches the groups of those two and
 * of the ancestors that they do not share.
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

/* Is @cgrp the same as @of, or above it? */
static bool perf_cgroup_is_above(struct perf_cgroup *cgrp, struct perf_cgroup *of)
{
	return of && cgroup_is_descendant(of->css.cgroup, cgrp->css.cgroup);
}

/* The lowest cgroup that is the same as both or above both, or NULL; each may be NULL. */
static struct perf_cgroup *perf_cgroup_shared(struct perf_cgroup *a, struct perf_cgroup *b)
{
	while (a && !perf_cgroup_is_above(a, b))
		a = perf_cgroup_parent(a);
	return a;
}

/* A cgroup and those above it, up to but not including @end, which is NULL or above it. */
#define for_each_up_to(cgrp, from, end) \
	for ((cgrp) = (from); (cgrp) != (end); (cgrp) = perf_cgroup_parent(cgrp))

/* A cgroup's clock and events on this CPU, whose context is locked, or NULL if it has none. */
static struct perf_cgroup_info *perf_cgroup_info_here(const struct perf_cgroup *cgrp)
{
	struct perf_cgroup_info __percpu *info = READ_ONCE(cgrp->info);

	return info ? this_cpu_ptr(info) : NULL;
}

/**
 * perf_cgroup_make_clocks - make a cgroup's clocks, unless there are any
 * @cgrp: the cgroup, of which an event is opened
 *
 * Cgroups come and go, and few of them are ever counted. A CPU that looks for a clock has locked
 * its context since an event of the cgroup was attached there, or needs none. May sleep.
 *
 * Return: 0, or -ENOMEM
 */
int perf_cgroup_make_clocks(struct perf_cgroup *cgrp)
{
	struct perf_cgroup_info __percpu *made;
	int cpu;

	if (READ_ONCE(cgrp->info))
		return 0;
	made = alloc_percpu_gfp(struct perf_cgroup_info, GFP_KERNEL_ACCOUNT);
	if (!made)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		perf_clock_init(&per_cpu_ptr(made, cpu)->clock);
	/* Another task may have made them meanwhile. */
	if (cmpxchg(&cgrp->info, NULL, made))
		free_percpu(made);
	return 0;
}

/**
 * perf_cgroup_connect - let a new event count for a cgroup alone
 * @event: the event, bound to a CPU
 * @fd: file descriptor of a directory in a cgroup hierarchy with the perf_event
 *	controller
 * @leader: leader of the group that the event will join, or NULL
 *
 * Keeps the cgroup. May sleep. Return: 0, -EBADF, -ENOMEM, or -EINVAL when the leader
 * counts for another one.
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
	if (perf_cgroup_make_clocks(event->cgrp))
		return -ENOMEM;
	return leader && leader->cgrp != event->cgrp ? -EINVAL : 0;
}

/**
 * perf_cgroup_follow - make a new event count for the cgroup of its leader
 * @event: the event, bound to a CPU, which names no cgroup itself
 * @leader: leader of the group that the event will join; the caller keeps it
 *
 * A group is on as a whole, so its members count for the leader's cgroup alone. cAdvisor opens
 * its groups like this.
 */
void perf_cgroup_follow(struct perf_event *event, const struct perf_event *leader)
{
	css_get(&leader->cgrp->css);
	event->cgrp = leader->cgrp;
}

/**
 * perf_cgroup_disconnect - undo perf_cgroup_connect() or perf_cgroup_follow()
 * @event: that is freed
 */
void perf_cgroup_disconnect(struct perf_event *event)
{
	if (event->cgrp)
		css_put(&event->cgrp->css);
}

/**
 * perf_cgroup_count - count a cgroup event that is attached or leaves
 * @event: the event, in a CPU's context, whose lock is held
 * @cpuctx: this CPU's context, if that is the event's and runs, or NULL
 * @n: 1 when the event is attached, -1 when it leaves
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
		 * Pairs with perf_cgroup_attach(): either that finds nr_cgroups and has this CPU
		 * switch again, or current's new cgroup is found here.
		 */
		smp_mb();
		cpuctx->cgrp = perf_cgroup_from_task(current, &cpuctx->ctx);
	}
	if (perf_cgroup_is_above(event->cgrp, cpuctx->cgrp) && !perf_clock_runs(&info->clock))
		perf_clock_start(&info->clock, event->ctx->now);
}

/**
 * perf_cgroup_count_group - count a cgroup's group that has to be scheduled from here on
 * @leader: leader of the group, in a CPU's context, whose lock is held
 * @n: 1 when the group comes into its tree, -1 when it leaves the tree
 *
 * Switches go through the PMUs that have such groups on the CPU, and no others.
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
 * The PMUs with groups of cgroups on this CPU. The last such group of a PMU may go while
 * it is taken off, and the PMU with it.
 */
#define for_each_cgroup_pmu(cpc, next, cpuctx) \
	list_for_each_entry_safe(cpc, next, &(cpuctx)->cgroup_pmus, cgroup_entry)

/* Take off all groups of one cgroup on this CPU, in every PMU. */
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

static bool perf_cgroup_pinned_waits(struct perf_event_pmu_context *epc,
				     const struct perf_cgroup *cgrp)
{
	struct perf_event *leader;

	leader = perf_group_first(&epc->pinned_groups, smp_processor_id(), cgrp);
	while (leader && !perf_group_waits(leader))
		leader = perf_group_next(leader);
	return leader;
}

/*
 * Put on one PMU's groups of @to and of all above it, up to but not including @end; the
 * PMU is disabled.
 */
static void perf_cgroup_in(struct perf_cpu_context *cpuctx, struct perf_event_pmu_context *epc,
			   struct perf_cgroup *to, struct perf_cgroup *end)
{
	struct perf_cgroup *cgrp;

	if (!RB_EMPTY_ROOT(&epc->pinned_groups)) {
		for_each_up_to(cgrp, to, end) {
			if (!perf_cgroup_has_events_here(cgrp) ||
			    !perf_cgroup_pinned_waits(epc, cgrp))
				continue;
			/* No flexible group may keep a pinned group of a cgroup out. */
			perf_pmu_resched_cpu(cpuctx, &cpuctx->ctx, epc->pmu);
			return;
		}
	}
	for_each_up_to(cgrp, to, end) {
		if (perf_cgroup_has_events_here(cgrp))
			perf_stretch_sched_in(epc, false, smp_processor_id(), cgrp);
	}
}

/*
 * Let the clocks of @to and of those above it run that have events here, up to but not
 * including @end. Return: the lowest of these cgroups, or @end; then there is none.
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

/* The CPU goes on with a task of another cgroup than before; its context is locked. */
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
		 * In the first half of a switch a PMU still keeps data of the task that
		 * leaves. If the PMU asked for switches, it has to be told of the next task
		 * before the cgroups' events run.
		 */
		if (tasks && perf_wants_switches(pmu))
			perf_pmu_hold(cpuctx, pmu);
		else
			perf_pmu_enable(pmu);
	}
}

/**
 * __perf_cgroup_stays - does this CPU go on with a task of the same cgroup?
 * @cpuctx: this CPU's
 * @next: the task
 *
 * Interrupts off. The answer may be old by the time of perf_cgroup_switch() where
 * the task is moved meanwhile: then perf_cgroup_attach() has its CPU switch again.
 */
bool __perf_cgroup_stays(const struct perf_cpu_context *cpuctx, struct task_struct *next)
{
	guard(rcu)();
	/* Pairs with perf_cgroup_attach(). */
	smp_mb();
	return perf_cgroup_from_task(next, NULL) == cpuctx->cgrp;
}

/* As perf_cgroup_switch(), also without a switch of @tasks: for current, then. */
static void perf_cgroup_switch_to(struct perf_cpu_context *cpuctx, struct task_struct *next,
				  bool tasks)
{
	struct perf_event_context *task_ctx = cpuctx->task_ctx;
	struct perf_cgroup *to;

	if (likely(!READ_ONCE(cpuctx->nr_cgroups)))
		return;
	/* Switches go on while the CPU goes offline, and at reboot. */
	if (!cpuctx->ready)
		return;
	/* Most switches are between tasks of one cgroup: they take no lock. */
	if (__perf_cgroup_stays(cpuctx, next))
		return;

	perf_delay(CGROUP_SWITCH);
	perf_context_lock_cpu(cpuctx, task_ctx);
	to = perf_cgroup_from_task(next, &cpuctx->ctx);
	if (cpuctx->nr_cgroups && cpuctx->cgrp != to)
		perf_cgroup_switch_locked(cpuctx, to, tasks);
	perf_context_unlock_cpu(cpuctx, task_ctx);
}

/**
 * perf_cgroup_switch - exchange cgroups' groups in the first half of a task switch
 * @cpuctx: this CPU's context, not locked
 * @next: the task that comes
 *
 * Interrupts off. PMUs that asked for switches stay disabled until the second half of
 * the switch has told them.
 */
void perf_cgroup_switch(struct perf_cpu_context *cpuctx, struct task_struct *next)
{
	perf_cgroup_switch_to(cpuctx, next, true);
}

/**
 * perf_cgroup_start_cpu - let clocks and groups of cgroups go on where a CPU comes online
 * @cpuctx: this CPU's context, not locked, ready
 *
 * Otherwise an event that is opened before the first switch would make the running
 * cgroup known, and that switch would not put on what the cgroup had here before.
 * Interrupts off.
 */
void perf_cgroup_start_cpu(struct perf_cpu_context *cpuctx)
{
	perf_cgroup_switch_to(cpuctx, current, false);
}

/**
 * perf_cgroup_stop_cpu - stop the clocks of cgroups on a CPU that goes offline
 * @cpuctx: this CPU's context, locked; all groups are off
 *
 * No cgroup runs here any more, until perf_cgroup_start_cpu().
 */
void perf_cgroup_stop_cpu(struct perf_cpu_context *cpuctx)
{
	struct perf_cgroup *cgrp;

	for (cgrp = cpuctx->cgrp; cgrp; cgrp = perf_cgroup_parent(cgrp))
		perf_cgroup_out(cpuctx, cgrp);
	cpuctx->cgrp = NULL;
}

/**
 * perf_cgroup_here - the cgroup that runs on this CPU, if any is counted here
 * @cpuctx: this CPU's, locked
 *
 * Return: the cgroup, or NULL.
 */
struct perf_cgroup *perf_cgroup_here(struct perf_cpu_context *cpuctx)
{
	return cpuctx->nr_cgroups ? cpuctx->cgrp : NULL;
}

/**
 * perf_cgroup_above - the cgroup that a cgroup is in
 * @cgrp: the cgroup
 *
 * Return: its parent, or NULL.
 */
struct perf_cgroup *perf_cgroup_above(struct perf_cgroup *cgrp)
{
	return perf_cgroup_parent(cgrp);
}

/**
 * perf_cgroup_stretches - visit the groups of the cgroups that run on this CPU
 * @cpuctx: this CPU's, locked
 * @epc: a PMU's part of it
 * @pinned: pinned or flexible groups
 * @func: called for the running cgroup and each one above it
 */
void perf_cgroup_stretches(struct perf_cpu_context *cpuctx, struct perf_event_pmu_context *epc,
			   bool pinned, perf_stretch_func_t func)
{
	struct perf_cgroup *cgrp;

	for (cgrp = perf_cgroup_here(cpuctx); cgrp; cgrp = perf_cgroup_parent(cgrp))
		func(epc, pinned, smp_processor_id(), cgrp);
}

/* The controller */

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

/* PERF_RECORD_CGROUP: there is a new one. May sleep. */
static void perf_cgroup_record(struct cgroup *cgrp)
{
	u64 id;
	struct perf_record record = {
		PERF_RECORD_OF(perf_cgroup_kind),
		.body		= &id,
	};
	const char *path;
	char *buf;

	if (!perf_sideband_heard(PERF_SIDEBAND_CGROUP) || !perf_record_taken(&record))
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
 * struct cgroup_move - tasks that have been moved to another cgroup
 * @cpus: CPUs where such a task may run, or come, and which have to look at it
 * @later: out: those of them that were about to walk a list of events just then
 * @rounds: how often a CPU may still put it off
 */
struct cgroup_move {
	struct cpumask		cpus;
	struct cpumask		later;
	unsigned int		rounds;
};

/* A task has been moved that may run here, or come here; interrupts are off. */
static void perf_cgroup_task_moved(void *info)
{
	struct cgroup_move *move = info;

	if (unlikely(perf_site_interrupted()) && move->rounds)
		cpumask_set_cpu(smp_processor_id(), &move->later);
	else
		perf_cgroup_switch_to(this_cpu_context(), current, false);
}

/*
 * Tasks have changed cgroup; those that run where cgroups are counted have to be switched.
 *
 * A task that sleeps may be switched to on any CPU meanwhile. That CPU, or the
 * one that woke the task, has stored the task's CPU before the full barrier in
 * __perf_cgroup_stays(), and perf_cgroup_switch() looks at the task's cgroup after it.
 * (The scheduler's barriers are not enough: a CPU may pull a task from another after
 * them.) The barrier below is between our store of the cgroup and our look at the task's
 * CPU. So either that CPU finds the new cgroup, or we find that CPU: then the interrupt
 * is before the switch, which follows it and finds the new cgroup, or after it, when the
 * task is current. Asking another CPU is a full barrier in any case; without the one
 * here a task whose last CPU is our own would be missed.
 *
 * A CPU without events of cgroups does not look at the task's cgroup when it switches.
 * It does so when the first such event comes, behind the full barrier of
 * perf_cgroup_count(): so either it finds the new cgroup, or we find that event.
 */
static void perf_cgroup_attach(struct cgroup_taskset *tset)
{
	/* The caller holds cgroup_mutex. */
	static struct cgroup_move move;
	struct cgroup_subsys_state *css;
	struct task_struct *task;
	int cpu;

	cpumask_clear(&move.cpus);
	/* Pairs with __perf_cgroup_stays() and perf_cgroup_count(). */
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
	/* Always there on the default hierarchy; threads may be told apart. */
	.implicit_on_dfl	= true,
	.threaded		= true,
};
