// SPDX-License-Identifier: GPL-2.0
/*
 * The trees of groups that are enabled and have to be scheduled, and their ages.
 *
 * A group's age is how much longer it has run than the youngest group that may
 * run on the same CPU. Rotation exchanges the youngest group that waits for the
 * oldest group that is on, whether of the CPU or of its task.
 *
 * Each PMU's part of a context keeps a base (age_base): the run time that counts
 * as age 0. While a task is on a CPU, the bases of the task's part and of the
 * CPU's part rise together. A group that is new or has just been enabled begins
 * with the age of the youngest. The groups of a task that comes in are as old as
 * when it left, up to a limit: no group pays for hours in which it had the PMU
 * for itself, on another CPU or before other groups came.
 *
 * Nor does a group pay for hours in which it ran in a gap that no group that
 * waited could fill: no group that is taken off is older than twice the limit. So
 * a group that fits waits for at most some intervals of each other group.
 */
#include <linux/rbtree.h>

#include "cgroup.h"
#include "group_tree.h"
#include "time.h"

/*
 * Run times are compared in steps of 2^20 ns, about 1 ms, so that frequent
 * switches do not reshuffle groups.
 */
#define AGE_SHIFT	20
#define AGE_STEP	BIT_ULL(AGE_SHIFT)

/*
 * The limit of ages, in intervals of the rotation timer. Groups that share fairly
 * differ by less; what they may differ by at most bounds how long a group waits.
 */
#define AGE_INTERVALS	4

/* ns: when a stretch comes in, its youngest group is at most this old. */
static u64 perf_age_limit(const struct perf_event_pmu_context *epc)
{
	return (u64)READ_ONCE(epc->pmu->hrtimer_interval_ms) * AGE_INTERVALS * NSEC_PER_MSEC;
}

static u64 perf_group_age_steps(const struct perf_event *leader)
{
	return leader->group_runtime >> AGE_SHIFT;
}

/*
 * Order of a tree: CPU, cgroup, age, then id. The groups of a tree with the same
 * CPU and cgroup are a stretch: they come and go together.
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
 * struct group_key - how a stretch of a tree is found
 * @cpu: CPU of the groups, -1 when they may run on any CPU
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
 * perf_group_first - find the first group of a stretch
 * @root: a tree of groups; the lock of its context is held
 * @cpu: the stretch's CPU, or -1
 * @cgrp: the stretch's cgroup, or NULL
 *
 * Return: the leader of the group, NULL when the stretch is empty.
 */
struct perf_event *perf_group_first(struct rb_root *root, int cpu,
				    const struct perf_cgroup *cgrp)
{
	struct group_key key = { .cpu = cpu, .cgrp = cgrp };
	struct rb_node *node = rb_find_first(&key, root, perf_group_key_cmp);

	return node ? rb_entry(node, struct perf_event, group_node) : NULL;
}

/**
 * perf_group_next - find the next group of the same stretch
 * @leader: leader of a group that is in a tree; the context's lock is held
 *
 * Return: the leader of the next group, NULL after the last one.
 */
struct perf_event *perf_group_next(struct perf_event *leader)
{
	struct group_key key = { .cpu = leader->cpu, .cgrp = leader->cgrp };
	struct rb_node *node = rb_next(&leader->group_node);

	if (!node || perf_group_key_cmp(&key, node))
		return NULL;
	return rb_entry(node, struct perf_event, group_node);
}

/* ns that a group has run by now, with the time since it was put on if it is on. */
static u64 perf_group_runtime_now(const struct perf_event *leader)
{
	u64 runtime = leader->group_runtime;

	lockdep_assert_held(&leader->ctx->lock);
	if (leader->state == PERF_EVENT_STATE_ACTIVE)
		runtime += perf_event_ran(leader);
	return runtime;
}

/**
 * perf_group_age - how old is a group?
 * @leader: leader of a group that is in a tree; ctx->lock is held
 *
 * Return: its age in ns, 0 or more.
 */
u64 perf_group_age(const struct perf_event *leader)
{
	u64 runtime = perf_group_runtime_now(leader), base = leader->pmu_ctx->age_base;

	return runtime > base ? runtime - base : 0;
}

/**
 * perf_stretch_look - find the youngest groups of a stretch
 * @epc: the PMU's part whose flexible groups are looked at; its context is locked
 * @cpu: the stretch's CPU, or -1
 * @cgrp: the stretch's cgroup, or NULL
 * @look: updated with what this stretch has
 *
 * The tree is sorted without the time that active groups have run since they were
 * put on. So groups before the first one that waits may be older than it, but no
 * group behind it is younger: the walk ends there.
 */
void perf_stretch_look(struct perf_event_pmu_context *epc, int cpu,
		       const struct perf_cgroup *cgrp, struct perf_stretch_look *look)
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
	look->youngest = min(look->youngest, youngest);
	look->level = max(look->level, youngest);
	if (leader && (!look->waiting || leader->group_runtime < look->waiting->group_runtime))
		look->waiting = leader;
}

/* Raise the base, so that a stretch whose youngest group has run for @level ns is in the limit. */
static void perf_age_base_follow(struct perf_event_pmu_context *epc, u64 level)
{
	u64 limit = perf_age_limit(epc);

	if (level > epc->age_base + limit)
		epc->age_base = level - limit;
}

/*
 * How old is the youngest of the groups that have been looked at? First raise the
 * base, so that the youngest group of each stretch is in the limit.
 * Return: ns, U64_MAX when there was no group.
 */
static u64 perf_stretch_age_of_youngest(struct perf_event_pmu_context *epc,
					const struct perf_stretch_look *look)
{
	perf_age_base_follow(epc, look->level);
	if (look->youngest == U64_MAX)
		return U64_MAX;
	return max(look->youngest, epc->age_base) - epc->age_base;
}

/**
 * perf_ages_settle - make the ages of a CPU's and of its task's groups comparable
 * @cpu: the PMU's part of this CPU's context
 * @of_cpu: what perf_stretch_look() found in the stretches of @cpu that may run here
 * @task: the PMU's part of the running task's context, or NULL
 * @of_task: what perf_stretch_look() found in @task; as initialised without a @task
 *
 * Called by each rotation; both contexts are locked. Afterwards the youngest
 * group of both has the age 0.
 */
void perf_ages_settle(struct perf_event_pmu_context *cpu, const struct perf_stretch_look *of_cpu,
		      struct perf_event_pmu_context *task, const struct perf_stretch_look *of_task)
{
	u64 youngest = perf_stretch_age_of_youngest(cpu, of_cpu);

	if (task)
		youngest = min(youngest, perf_stretch_age_of_youngest(task, of_task));
	if (youngest == U64_MAX)
		return;
	cpu->age_base += youngest;
	if (task)
		task->age_base += youngest;
}

/**
 * perf_group_level - make a group at least as old as the youngest of its stretch
 * @leader: leader of a group that is in no tree, and that is flexible or about to
 *	be dissolved into flexible ones; ctx->lock is held
 *
 * So a group that comes does not push the others aside until it has run as long
 * as they have, and does not become younger by leaving and coming back. Groups of
 * software events alone never wait and need no age.
 */
void perf_group_level(struct perf_event *leader)
{
	struct perf_event_pmu_context *epc = leader->pmu_ctx;
	struct perf_stretch_look look = { .youngest = U64_MAX };

	lockdep_assert_held(&leader->ctx->lock);
	WARN_ON_ONCE(!RB_EMPTY_NODE(&leader->group_node));
	if (leader->group_caps & PERF_EV_CAP_SOFTWARE)
		return;
	perf_stretch_look(epc, leader->cpu, leader->cgrp, &look);
	leader->group_runtime = max3(leader->group_runtime, look.level, epc->age_base);
}

static void perf_group_count_in_tree(struct perf_event *leader, int n)
{
	leader->ctx->nr_sched += n;
	if (unlikely(leader->cgrp))
		perf_cgroup_count_group(leader, n);
}

/**
 * perf_group_insert - put a group into its tree
 * @leader: leader of a group that is enabled and has to be scheduled; ctx->lock
 *	is held
 */
void perf_group_insert(struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->lock);
	WARN_ON_ONCE(leader->state < PERF_EVENT_STATE_INACTIVE);
	rb_add(&leader->group_node, perf_group_root(leader), perf_group_node_before);
	perf_group_count_in_tree(leader, 1);
}

/**
 * perf_group_insert_next - put groups into their tree that mostly come in its order
 * @leader: leader of a group that is enabled and has to be scheduled; ctx->lock
 *	is held
 * @gap: where the last one went, if the tree has not changed since; at first all NULL.
 *	Or NULL for a group that comes alone
 *
 * The members of a dissolved group are as old as one another: the next belongs right
 * behind the last, with no search. If it does not, perf_group_insert() finds its place.
 */
void perf_group_insert_next(struct perf_event *leader, struct perf_group_gap *gap)
{
	struct rb_node *before, *after, *node = &leader->group_node;
	struct rb_root *root = perf_group_root(leader);

	if (!gap) {
		perf_group_insert(leader);
		return;
	}
	before = gap->before;
	after = gap->after;
	gap->before = node;
	if (!before || gap->root != root || !perf_group_node_before(before, node) ||
	    (after && !perf_group_node_before(node, after))) {
		perf_group_insert(leader);
		gap->root = root;
		gap->after = rb_next(node);
		return;
	}
	lockdep_assert_held(&leader->ctx->lock);
	WARN_ON_ONCE(leader->state < PERF_EVENT_STATE_INACTIVE);
	/* Of two neighbours in a tree, one has no node on the side of the other. */
	if (before->rb_right)
		rb_link_node(node, after, &after->rb_left);
	else
		rb_link_node(node, before, &before->rb_right);
	rb_insert_color(node, root);
	perf_group_count_in_tree(leader, 1);
}

/**
 * perf_group_erase - take a group out of its tree
 * @leader: leader of a group that is not active; ctx->lock is held
 *
 * Does nothing when the group is in no tree.
 */
void perf_group_erase(struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->lock);
	if (RB_EMPTY_NODE(&leader->group_node))
		return;
	WARN_ON_ONCE(leader->state == PERF_EVENT_STATE_ACTIVE);
	rb_erase(&leader->group_node, perf_group_root(leader));
	RB_CLEAR_NODE(&leader->group_node);
	perf_group_count_in_tree(leader, -1);
}

/* The most ns that a group which is taken off may have run. */
static u64 perf_group_most(const struct perf_event_pmu_context *epc)
{
	return epc->age_base + 2 * perf_age_limit(epc);
}

/*
 * Put a group that has run for very long back into its tree, no older than allowed.
 * Rotation may not have raised the base for long: it does not run while no group
 * waits, nor for a task that is always away when the timer expires. So the base is
 * raised first, which keeps groups apart that have all run for long.
 */
static void perf_group_forgive(struct perf_event *leader)
{
	struct perf_event_pmu_context *epc = leader->pmu_ctx;
	struct perf_stretch_look look = { .youngest = U64_MAX };

	rb_erase(&leader->group_node, perf_group_root(leader));
	perf_stretch_look(epc, leader->cpu, leader->cgrp, &look);
	perf_age_base_follow(epc, min(look.youngest, leader->group_runtime));
	leader->group_runtime = min(leader->group_runtime, perf_group_most(epc));
	rb_add(&leader->group_node, perf_group_root(leader), perf_group_node_before);
}

/**
 * perf_group_ran - charge a group for its time on the PMU
 * @leader: leader of a flexible group that has just been taken off
 * @ns: how long it was on
 *
 * Called for the groups of a context from the last to the first: then groups that
 * have run equally long keep their places in the tree. A group whose stretch was
 * away while others ran is raised to the base, and the time by which a group is
 * older than allowed is forgiven. Groups of software events alone never wait.
 */
void perf_group_ran(struct perf_event *leader, u64 ns)
{
	struct perf_event *next;

	leader->group_runtime = max(leader->group_runtime + ns, leader->pmu_ctx->age_base);
	if (unlikely(leader->group_runtime > perf_group_most(leader->pmu_ctx)) &&
	    !(leader->group_caps & PERF_EV_CAP_SOFTWARE)) {
		perf_group_forgive(leader);
		return;
	}
	next = perf_group_next(leader);
	if (!next || perf_group_before(leader, next))
		return;
	rb_erase(&leader->group_node, perf_group_root(leader));
	rb_add(&leader->group_node, perf_group_root(leader), perf_group_node_before);
}

/* The last group of @leader's stretch, which may be its own. */
static struct perf_event *perf_stretch_last(struct perf_event *leader)
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
 * perf_group_pass - let a group wait behind all others of its stretch
 * @leader: leader of a flexible group that does not fit, though no other flexible
 *	group is on; ctx->lock is held
 * @ns: the time to charge, for which the group would have been on; a step of ages
 *	is charged at least, since groups of the same step stand in order of their ids
 *
 * A group that cannot run must not stay the youngest: rotation would try it alone.
 * Several of them do not push each other beyond the age at which others are forgiven.
 */
void perf_group_pass(struct perf_event *leader, u64 ns)
{
	u64 most, last;

	lockdep_assert_held(&leader->ctx->lock);
	/* An overflow while the group was being put on may have turned it off. */
	if (RB_EMPTY_NODE(&leader->group_node))
		return;
	last = perf_stretch_last(leader)->group_runtime;
	most = min(max(last, leader->pmu_ctx->age_base), perf_group_most(leader->pmu_ctx));
	rb_erase(&leader->group_node, perf_group_root(leader));
	leader->group_runtime = max(leader->group_runtime, most + max(ns, AGE_STEP));
	rb_add(&leader->group_node, perf_group_root(leader), perf_group_node_before);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/group_tree_test.c"
#endif
