// SPDX-License-Identifier: GPL-2.0
/*
 * The trees of groups that are enabled and have to be scheduled, and their ages.
 *
 * A group's age is how long it has run beyond the youngest that is there.
 * Rotation exchanges the youngest group that waits for the oldest one that is
 * on, of the CPU or of its task.
 *
 * The youngest has run as long as the base says that each PMU's part of a context
 * keeps. While a task is on a CPU its base and the CPU's rise together. What
 * comes in is as young - a new group, one that is enabled, a task - or as much
 * older as when it left, within limits: nobody pays for hours that it had the
 * PMU for itself, elsewhere or before others came.
 */
#include <linux/rbtree.h>

#include "group_tree.h"
#include "time.h"

/*
 * A tree compares ages in steps of 2^20 ns, a millisecond: a task that comes and
 * goes more often finds its counters as it left them.
 */
#define AGE_SHIFT	20

/* The youngest group of what comes in is no older than this, in ns. */
#define AGE_LIMIT	(32ULL * NSEC_PER_MSEC)

static u64 age_steps(const struct perf_event *leader)
{
	return leader->group_runtime >> AGE_SHIFT;
}

/*
 * Order of a tree: CPU, cgroup, age, then arrival. The groups of one CPU and
 * cgroup are a stretch of it: they come and go together.
 */
static bool group_before(const struct perf_event *a, const struct perf_event *b)
{
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu;
	if (a->cgrp != b->cgrp)
		return a->cgrp < b->cgrp;
	if (age_steps(a) != age_steps(b))
		return age_steps(a) < age_steps(b);
	return a->id < b->id;
}

static bool node_before(struct rb_node *a, const struct rb_node *b)
{
	return group_before(rb_entry(a, struct perf_event, group_node),
			    rb_entry(b, struct perf_event, group_node));
}

static struct rb_root *group_root(const struct perf_event *leader)
{
	struct perf_event_pmu_context *epc = leader->pmu_ctx;

	return leader->attr.pinned ? &epc->pinned_groups : &epc->flexible_groups;
}

/**
 * struct group_key - a stretch of a tree
 * @cpu: of the groups, -1 for those of any CPU
 * @cgrp: of the groups, or NULL
 */
struct group_key {
	int				cpu;
	const struct perf_cgroup	*cgrp;
};

static int key_cmp(const void *key, const struct rb_node *node)
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
 * perf_group_first - the first group of a CPU and cgroup
 * @root: a PMU context's tree; the context's lock is held
 * @cpu: the CPU, or -1
 * @cgrp: the cgroup, or NULL
 *
 * Return: its leader, or NULL.
 */
struct perf_event *perf_group_first(struct rb_root *root, int cpu,
				    const struct perf_cgroup *cgrp)
{
	struct group_key key = { .cpu = cpu, .cgrp = cgrp };
	struct rb_node *node = rb_find_first(&key, root, key_cmp);

	return node ? rb_entry(node, struct perf_event, group_node) : NULL;
}

/**
 * perf_group_next - the next group of the same CPU and cgroup
 * @leader: in a tree; the context's lock is held
 *
 * Return: its leader, or NULL.
 */
struct perf_event *perf_group_next(struct perf_event *leader)
{
	struct group_key key = { .cpu = leader->cpu, .cgrp = leader->cgrp };
	struct rb_node *node = rb_next(&leader->group_node);

	if (!node || key_cmp(&key, node))
		return NULL;
	return rb_entry(node, struct perf_event, group_node);
}

/* ns that a group has run by now; what is on has not been charged yet. */
static u64 runtime_now(const struct perf_event *leader)
{
	u64 runtime = leader->group_runtime;

	lockdep_assert_held(&leader->ctx->lock);
	if (leader->state == PERF_EVENT_STATE_ACTIVE)
		runtime += perf_event_ran(leader);
	return runtime;
}

/**
 * perf_group_age - how old is a group?
 * @leader: in a tree; ctx->lock is held
 *
 * Return: ns.
 */
u64 perf_group_age(const struct perf_event *leader)
{
	u64 runtime = runtime_now(leader), base = leader->pmu_ctx->age_base;

	return runtime > base ? runtime - base : 0;
}

/**
 * perf_stretch_look - find the youngest groups of a stretch
 * @epc: whose tree of flexible groups; its context is locked
 * @cpu: the stretch's CPU, or -1
 * @cgrp: its cgroup, or NULL
 * @look: what has been seen so far, to which this stretch is added
 *
 * Groups that are on come before the first one that waits, but for the last
 * time that they have been on. The walk ends there.
 */
void perf_stretch_look(struct perf_event_pmu_context *epc, int cpu,
		       const struct perf_cgroup *cgrp, struct perf_stretch_look *look)
{
	struct perf_event *leader = perf_group_first(&epc->flexible_groups, cpu, cgrp);
	u64 youngest = U64_MAX;

	for (; leader; leader = perf_group_next(leader)) {
		youngest = min(youngest, runtime_now(leader));
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

/*
 * How old is the youngest of the groups that have been looked at? No stretch of
 * them is older than the limit from here on. U64_MAX: there is none.
 */
static u64 age_of_youngest(struct perf_event_pmu_context *epc,
			   const struct perf_stretch_look *look)
{
	if (look->level > epc->age_base + AGE_LIMIT)
		epc->age_base = look->level - AGE_LIMIT;
	if (look->youngest == U64_MAX)
		return U64_MAX;
	return max(look->youngest, epc->age_base) - epc->age_base;
}

/**
 * perf_ages_settle - let the ages of a CPU's and of its task's groups be comparable
 * @cpu: the PMU's part of this CPU
 * @of_cpu: what has been seen of its stretches that may run here
 * @task: that of the task's context, or NULL
 * @of_task: the same of it; nothing when there is none
 *
 * Called by each rotation; both contexts are locked. Afterwards the youngest of
 * all has no age.
 */
void perf_ages_settle(struct perf_event_pmu_context *cpu, const struct perf_stretch_look *of_cpu,
		      struct perf_event_pmu_context *task, const struct perf_stretch_look *of_task)
{
	u64 youngest = age_of_youngest(cpu, of_cpu);

	if (task)
		youngest = min(youngest, age_of_youngest(task, of_task));
	if (youngest == U64_MAX)
		return;
	cpu->age_base += youngest;
	if (task)
		task->age_base += youngest;
}

/**
 * perf_group_level - a group is to be as old as the youngest of its stretch
 * @leader: in no tree, its group or what becomes of its members is flexible;
 *	ctx->lock is held
 *
 * At least: it neither waits for all others nor pushes them aside until it has
 * caught up, and does not become younger by leaving and coming back. Groups that
 * never wait need no age.
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

/**
 * perf_group_insert - put a group into its tree
 * @leader: of a group that is enabled and has to be scheduled; ctx->lock is held
 */
void perf_group_insert(struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->lock);
	WARN_ON_ONCE(leader->state < PERF_EVENT_STATE_INACTIVE);
	rb_add(&leader->group_node, group_root(leader), node_before);
	leader->ctx->nr_sched++;
}

/**
 * perf_group_erase - take a group out of its tree
 * @leader: of any group; ctx->lock is held. One that is in no tree is left alone
 */
void perf_group_erase(struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->lock);
	if (RB_EMPTY_NODE(&leader->group_node))
		return;
	WARN_ON_ONCE(leader->state == PERF_EVENT_STATE_ACTIVE);
	rb_erase(&leader->group_node, group_root(leader));
	RB_CLEAR_NODE(&leader->group_node);
	leader->ctx->nr_sched--;
}

/**
 * perf_group_ran - charge a group for its time on the PMU
 * @leader: of a flexible group that has just been taken off
 * @ns: how long it was on
 *
 * Called for the groups of a context from the last to the first: where all
 * ran alike, none of them moves. One whose stretch was away while others ran is
 * level with them from here on.
 */
void perf_group_ran(struct perf_event *leader, u64 ns)
{
	struct perf_event *next;

	leader->group_runtime = max(leader->group_runtime + ns, leader->pmu_ctx->age_base);
	next = perf_group_next(leader);
	if (!next || group_before(leader, next))
		return;
	rb_erase(&leader->group_node, group_root(leader));
	rb_add(&leader->group_node, group_root(leader), node_before);
}

/* The last group of @leader's stretch, perhaps itself. */
static struct perf_event *last_of_stretch(struct perf_event *leader)
{
	struct group_key key = { .cpu = leader->cpu, .cgrp = leader->cgrp };
	struct rb_node *node = group_root(leader)->rb_node, *last = NULL;

	while (node) {
		int cmp = key_cmp(&key, node);

		if (!cmp)
			last = node;
		node = cmp < 0 ? node->rb_left : node->rb_right;
	}
	return rb_entry(last, struct perf_event, group_node);
}

/**
 * perf_group_pass - let a group wait behind all others of its CPU and cgroup
 * @leader: of a flexible group that does not fit, though no other flexible group
 *	is on; ctx->lock is held
 * @ns: that it would have been on
 *
 * A group that cannot run must not stay the youngest.
 */
void perf_group_pass(struct perf_event *leader, u64 ns)
{
	u64 most;

	lockdep_assert_held(&leader->ctx->lock);
	/* An overflow while it was being put on may have turned it off. */
	if (RB_EMPTY_NODE(&leader->group_node))
		return;
	most = last_of_stretch(leader)->group_runtime;
	rb_erase(&leader->group_node, group_root(leader));
	leader->group_runtime = max(most, leader->pmu_ctx->age_base) + ns;
	rb_add(&leader->group_node, group_root(leader), node_before);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/group_tree_test.c"
#endif
