// SPDX-License-Identifier: GPL-2.0
/*
 * Trees of groups, and ages of groups
 *
 * An enabled group that needs scheduling is in a tree. The age of a group is its runtime
 * (perf_event::group_runtime) minus the base of its PMU's part of the context
 * (perf_event_pmu_context::age_base). Rotation schedules out the oldest groups and schedules in the
 * youngest waiting group, whether they are groups of the CPU or of its task.
 *
 * Each rotation increases the bases of the CPU's part and of the task's part by the same amount,
 * so that the youngest group of both has age 0. A new group, or one that was just enabled, starts
 * with the age of the youngest group of its subtree.
 *
 * Without a limit, a group that has run for long without competition would wait for as long. So
 * there are two limits:
 *
 * - Rotation limits the age of the youngest group of each subtree. A task may have run alone on
 *   another CPU, or before other groups were opened.
 * - The age of a group that is scheduled out is at most twice that limit. The group may have run
 *   on counters that no waiting group could use.
 *
 * So a group that fits waits for at most a few intervals per other group.
 */
#include <linux/rbtree.h>

#include "cgroup.h"
#include "group_tree.h"
#include "time.h"

/*
 * Compare runtimes in steps of 2^20 ns, about 1 ms, so that frequent context switches do not
 * reorder groups.
 */
#define AGE_SHIFT	20
#define AGE_STEP	BIT_ULL(AGE_SHIFT)

/*
 * Limit of ages, in intervals of the rotation timer. The limit bounds the time that a group waits.
 * The ages of groups with fair shares differ by less.
 */
#define AGE_INTERVALS	4

/*
 * Maximum number of groups that perf_group_limit_runtime() compares. A context switch may call it
 * for each of n active groups: without a limit, that would take O(n^2) time.
 */
#define LIMIT_RUNTIME_GROUPS	64

/* Maximum age in ns of the youngest group of a subtree at a rotation */
static u64 perf_age_limit(const struct perf_event_pmu_context *epc)
{
	return (u64)READ_ONCE(epc->pmu->hrtimer_interval_ms) * AGE_INTERVALS * NSEC_PER_MSEC;
}

static u64 perf_group_age_steps(const struct perf_event *leader)
{
	return leader->group_runtime >> AGE_SHIFT;
}

/*
 * Order of a tree: CPU, cgroup, age, id. The groups of one CPU and cgroup are a subtree: they are
 * contiguous in the tree, though not always below one node. A switch to another task or cgroup
 * schedules out a whole subtree.
 */
static bool perf_group_before(const struct perf_event *a, const struct perf_event *b)
{
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu;
	if (a->cgrp != b->cgrp)
		return a->cgrp < b->cgrp;
	if (perf_group_age_steps(a) != perf_group_age_steps(b))
		return perf_group_age_steps(a) < perf_group_age_steps(b);
	return a->id < b->id;
}

static bool perf_group_node_before(struct rb_node *a, const struct rb_node *b)
{
	return perf_group_before(rb_entry(a, struct perf_event, group_node),
				 rb_entry(b, struct perf_event, group_node));
}

static struct rb_root *perf_group_root(const struct perf_event *leader)
{
	struct perf_event_pmu_context *epc = leader->pmu_ctx;

	return leader->attr.pinned ? &epc->pinned_groups : &epc->flexible_groups;
}

/**
 * struct group_key - search key of a subtree
 * @cpu: CPU of the groups, -1 for any CPU
 * @cgrp: cgroup of the groups, or NULL
 */
struct group_key {
	int				cpu;
	const struct perf_cgroup	*cgrp;
};

static int perf_group_key_cmp(const void *key, const struct rb_node *node)
{
	const struct perf_event *leader = rb_entry(node, struct perf_event, group_node);
	const struct group_key *k = key;

	if (k->cpu != leader->cpu)
		return k->cpu < leader->cpu ? -1 : 1;
	if (k->cgrp != leader->cgrp)
		return k->cgrp < leader->cgrp ? -1 : 1;
	return 0;
}

/**
 * perf_group_first - find the first group of a subtree
 * @root: a tree of groups; the lock of its context is held
 * @cpu: the subtree's CPU, or -1
 * @cgrp: the subtree's cgroup, or NULL
 *
 * Return: the leader of the group, NULL if the subtree is empty
 */
struct perf_event *perf_group_first(struct rb_root *root, int cpu,
				    const struct perf_cgroup *cgrp)
{
	struct group_key key = { .cpu = cpu, .cgrp = cgrp };
	struct rb_node *node = rb_find_first(&key, root, perf_group_key_cmp);

	return node ? rb_entry(node, struct perf_event, group_node) : NULL;
}

/**
 * perf_group_next - find the next group of the same subtree
 * @leader: leader of a group in a tree; the context's lock is held
 *
 * Return: the leader of the next group, NULL after the last one
 */
struct perf_event *perf_group_next(struct perf_event *leader)
{
	struct group_key key = { .cpu = leader->cpu, .cgrp = leader->cgrp };
	struct rb_node *node = rb_next(&leader->group_node);

	if (!node || perf_group_key_cmp(&key, node))
		return NULL;
	return rb_entry(node, struct perf_event, group_node);
}

/* Runtime of a group in ns, including the current time if it is scheduled in */
static u64 perf_group_runtime_now(const struct perf_event *leader)
{
	u64 runtime = leader->group_runtime;

	lockdep_assert_held(&leader->ctx->lock);
	if (leader->state == PERF_EVENT_STATE_ACTIVE)
		runtime += perf_event_time_on_pmu(leader);
	return runtime;
}

/**
 * perf_group_age - get the age of a group
 * @leader: leader of a group in a tree; ctx->lock is held
 *
 * Return: its age in ns, at least 0
 */
u64 perf_group_age(const struct perf_event *leader)
{
	u64 runtime = perf_group_runtime_now(leader), base = leader->pmu_ctx->age_base;

	return runtime > base ? runtime - base : 0;
}

/**
 * perf_subtree_scan - find the youngest groups of a subtree
 * @epc: the PMU's part with the flexible groups; its context is locked
 * @cpu: the subtree's CPU, or -1
 * @cgrp: the subtree's cgroup, or NULL
 * @scan: updated with the groups of this subtree
 *
 * The tree is sorted by perf_event::group_runtime, which lacks the time since an active group was
 * scheduled in. So an active group may be older than groups after it. A waiting group is not older
 * than the groups after it: the walk ends at the first waiting group.
 */
void perf_subtree_scan(struct perf_event_pmu_context *epc, int cpu,
		       const struct perf_cgroup *cgrp, struct perf_subtree_scan *scan)
{
	struct perf_event *leader = perf_group_first(&epc->flexible_groups, cpu, cgrp);
	u64 youngest = U64_MAX;

	for (; leader; leader = perf_group_next(leader)) {
		youngest = min(youngest, perf_group_runtime_now(leader));
		if (leader->state != PERF_EVENT_STATE_ACTIVE)
			break;
	}
	if (youngest == U64_MAX)
		return;
	scan->youngest = min(scan->youngest, youngest);
	scan->level = max(scan->level, youngest);
	if (leader && (!scan->waiting || leader->group_runtime < scan->waiting->group_runtime))
		scan->waiting = leader;
}

/*
 * Increase the base, so that the age of a group with runtime @level is at most the limit.
 */
static void perf_age_base_raise(struct perf_event_pmu_context *epc, u64 level)
{
	u64 limit = perf_age_limit(epc);

	if (level > epc->age_base + limit)
		epc->age_base = level - limit;
}

/*
 * Get the age of the youngest of the groups in @scan, or U64_MAX if there was none. First
 * increase the base, so that the youngest group of each subtree is within the limit.
 */
static u64 perf_subtree_age_of_youngest(struct perf_event_pmu_context *epc,
					const struct perf_subtree_scan *scan)
{
	perf_age_base_raise(epc, scan->level);
	if (scan->youngest == U64_MAX)
		return U64_MAX;
	return max(scan->youngest, epc->age_base) - epc->age_base;
}

/**
 * perf_ages_normalize - make the ages of a CPU's and of its task's groups comparable
 * @cpu: the PMU's part of this CPU's context
 * @of_cpu: result of perf_subtree_scan() for the subtrees of @cpu that may run here
 * @task: the PMU's part of the running task's context, or NULL
 * @of_task: result of perf_subtree_scan() for @task; its initial value if @task is NULL
 *
 * Called by each rotation, with both contexts locked. Afterwards the youngest group of both has
 * age 0.
 */
void perf_ages_normalize(struct perf_event_pmu_context *cpu, const struct perf_subtree_scan *of_cpu,
			 struct perf_event_pmu_context *task,
			 const struct perf_subtree_scan *of_task)
{
	u64 youngest = perf_subtree_age_of_youngest(cpu, of_cpu);

	if (task)
		youngest = min(youngest, perf_subtree_age_of_youngest(task, of_task));
	if (youngest == U64_MAX)
		return;
	cpu->age_base += youngest;
	if (task)
		task->age_base += youngest;
}

/**
 * perf_group_raise_age - make a group at least as old as the youngest of its subtree
 * @leader: leader of a group in no tree, which is flexible, or will be dissolved into
 *	flexible ones; ctx->lock is held
 *
 * Otherwise a new group would displace the others until it has their runtime, and a group would
 * become younger by a detach and attach. Groups with only software events never wait and need no
 * age.
 */
void perf_group_raise_age(struct perf_event *leader)
{
	struct perf_event_pmu_context *epc = leader->pmu_ctx;
	struct perf_subtree_scan scan = { .youngest = U64_MAX };

	lockdep_assert_held(&leader->ctx->lock);
	WARN_ON_ONCE(!RB_EMPTY_NODE(&leader->group_node));
	if (leader->group_caps & PERF_EV_CAP_SOFTWARE)
		return;
	perf_subtree_scan(epc, leader->cpu, leader->cgrp, &scan);
	leader->group_runtime = max3(leader->group_runtime, scan.level, epc->age_base);
}

static void perf_group_count_in_tree(struct perf_event *leader, int n)
{
	leader->ctx->nr_sched += n;
	if (unlikely(leader->cgrp))
		perf_cgroup_count_group(leader, n);
}

/**
 * perf_group_tree_insert - add a group to its tree
 * @leader: leader of an enabled group that needs scheduling; ctx->lock is held
 */
void perf_group_tree_insert(struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->lock);
	WARN_ON_ONCE(leader->state < PERF_EVENT_STATE_INACTIVE);
	rb_add(&leader->group_node, perf_group_root(leader), perf_group_node_before);
	perf_group_count_in_tree(leader, 1);
}

/**
 * perf_group_insert_next - add a group to its tree, probably after the last added one
 * @leader: leader of an enabled group that needs scheduling; ctx->lock is held
 * @gap: position of the last added group; updated. The tree must not have changed since. Before the
 *	first group, all members are NULL. A NULL pointer if only one group is added
 *
 * The members of a dissolved group have the same age, so each belongs right after the previous
 * one, without a search. Otherwise perf_group_tree_insert() finds the position.
 */
void perf_group_insert_next(struct perf_event *leader, struct perf_group_gap *gap)
{
	struct rb_node *before, *after, *node = &leader->group_node;
	struct rb_root *root = perf_group_root(leader);

	if (!gap) {
		perf_group_tree_insert(leader);
		return;
	}
	before = gap->before;
	after = gap->after;
	gap->before = node;
	if (!before || gap->root != root || !perf_group_node_before(before, node) ||
	    (after && !perf_group_node_before(node, after))) {
		perf_group_tree_insert(leader);
		gap->root = root;
		gap->after = rb_next(node);
		return;
	}
	lockdep_assert_held(&leader->ctx->lock);
	WARN_ON_ONCE(leader->state < PERF_EVENT_STATE_INACTIVE);
	/* Of two neighbours in a tree, one has a free link towards the other. */
	if (before->rb_right)
		rb_link_node(node, after, &after->rb_left);
	else
		rb_link_node(node, before, &before->rb_right);
	rb_insert_color(node, root);
	perf_group_count_in_tree(leader, 1);
}

/**
 * perf_group_tree_del - remove a group from its tree
 * @leader: leader of a group that is not active; ctx->lock is held
 *
 * Does nothing if the group is in no tree.
 */
void perf_group_tree_del(struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->lock);
	if (RB_EMPTY_NODE(&leader->group_node))
		return;
	WARN_ON_ONCE(leader->state == PERF_EVENT_STATE_ACTIVE);
	rb_erase(&leader->group_node, perf_group_root(leader));
	RB_CLEAR_NODE(&leader->group_node);
	perf_group_count_in_tree(leader, -1);
}

/* Maximum runtime in ns of a group that is scheduled out */
static u64 perf_group_max_runtime(const struct perf_event_pmu_context *epc)
{
	return epc->age_base + 2 * perf_age_limit(epc);
}

/*
 * Runtime of the youngest of the first LIMIT_RUNTIME_GROUPS groups of @leader's subtree. The
 * subtree is sorted by perf_event::group_runtime, which lacks the time since an active group was
 * scheduled in: if all of these groups are active, a later group may be younger. The new base may
 * exceed the runtime of that group, which counts as age 0.
 */
static u64 perf_subtree_youngest(const struct perf_event *leader)
{
	struct perf_event *group = perf_group_first(perf_group_root(leader), leader->cpu,
						    leader->cgrp);
	u64 youngest = U64_MAX;
	int n;

	for (n = 0; group && n < LIMIT_RUNTIME_GROUPS; n++, group = perf_group_next(group)) {
		youngest = min(youngest, perf_group_runtime_now(group));
		if (group->state != PERF_EVENT_STATE_ACTIVE)
			break;
	}
	return youngest;
}

/*
 * Limit the runtime of a group that has run for very long. Rotation may not have increased the base
 * for a long time: rotation does not run while no group waits, nor for a task that never runs when
 * the timer expires. So the base is increased first, which preserves the order of groups that all
 * have run for long.
 */
static void perf_group_limit_runtime(struct perf_event *leader)
{
	struct perf_event_pmu_context *epc = leader->pmu_ctx;

	rb_erase(&leader->group_node, perf_group_root(leader));
	perf_age_base_raise(epc, min(perf_subtree_youngest(leader), leader->group_runtime));
	leader->group_runtime = min(leader->group_runtime, perf_group_max_runtime(epc));
	rb_add(&leader->group_node, perf_group_root(leader), perf_group_node_before);
}

/**
 * perf_group_add_runtime - add the time on the PMU to a group's runtime
 * @leader: leader of a flexible group that was just scheduled out
 * @ns: time on the PMU
 *
 * Called for the groups of a context from the last to the first, so that groups with the same
 * runtime keep their positions in the tree. If other groups ran while the subtree was scheduled
 * out, the base may exceed the group's runtime, which is then raised to the base. A runtime beyond
 * the limit is reduced to the limit, except for groups with only software events, which never wait.
 */
void perf_group_add_runtime(struct perf_event *leader, u64 ns)
{
	u64 before = perf_group_age_steps(leader);
	struct perf_event *next;

	leader->group_runtime = max(leader->group_runtime + ns, leader->pmu_ctx->age_base);
	if (unlikely(leader->group_runtime > perf_group_max_runtime(leader->pmu_ctx)) &&
	    !(leader->group_caps & PERF_EV_CAP_SOFTWARE)) {
		perf_group_limit_runtime(leader);
		return;
	}
	/* Most times on the PMU are shorter than a step of ages, and do not change the order. */
	if (perf_group_age_steps(leader) == before)
		return;
	next = perf_group_next(leader);
	if (!next || perf_group_before(leader, next))
		return;
	rb_erase(&leader->group_node, perf_group_root(leader));
	rb_add(&leader->group_node, perf_group_root(leader), perf_group_node_before);
}

/* Last group of @leader's subtree, possibly its own */
static struct perf_event *perf_subtree_last(struct perf_event *leader)
{
	struct group_key key = { .cpu = leader->cpu, .cgrp = leader->cgrp };
	struct rb_node *node = perf_group_root(leader)->rb_node, *last = NULL;

	while (node) {
		int cmp = perf_group_key_cmp(&key, node);

		if (!cmp)
			last = node;
		node = cmp < 0 ? node->rb_left : node->rb_right;
	}
	return rb_entry(last, struct perf_event, group_node);
}

/**
 * perf_group_tree_move_last - move a group after all others of its subtree
 * @leader: leader of a flexible group that cannot be scheduled in although no other
 *	flexible group is; ctx->lock is held
 * @ns: time for which the group would have been scheduled in; at least one step of ages is added,
 *	because groups of the same step are in the order of their ids
 *
 * A group that cannot be scheduled must not stay the youngest, because rotation would try only this
 * group. Several such groups do not increase each other's runtime beyond the limit of
 * perf_group_add_runtime().
 */
void perf_group_tree_move_last(struct perf_event *leader, u64 ns)
{
	u64 most, last;

	lockdep_assert_held(&leader->ctx->lock);
	/* An overflow during the schedule in may have disabled the group. */
	if (RB_EMPTY_NODE(&leader->group_node))
		return;
	last = perf_subtree_last(leader)->group_runtime;
	most = min(max(last, leader->pmu_ctx->age_base), perf_group_max_runtime(leader->pmu_ctx));
	rb_erase(&leader->group_node, perf_group_root(leader));
	leader->group_runtime = max(leader->group_runtime, most + max(ns, AGE_STEP));
	rb_add(&leader->group_node, perf_group_root(leader), perf_group_node_before);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/group_tree_test.c"
#endif
