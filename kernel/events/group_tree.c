// SPDX-License-Identifier: GPL-2.0
/*
 * The trees of groups that have to be scheduled: in which order they are tried.
 */
#include <linux/rbtree.h>

#include "context.h"
#include "internal.h"

/*
 * Who has run less by so little (2^20 ns, a millisecond) has run as long: a task
 * that comes and goes more often finds its counters as it left them.
 */
#define TURN_SHIFT	20

static u64 turns(const struct perf_event *leader)
{
	return leader->group_runtime >> TURN_SHIFT;
}

/*
 * Order of a tree: CPU, cgroup, then who has run least, then who came first.
 * All that can run on a CPU at a time is one stretch of it.
 */
static bool group_before(const struct perf_event *a, const struct perf_event *b)
{
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu;
	if (a->cgrp != b->cgrp)
		return a->cgrp < b->cgrp;
	if (turns(a) != turns(b))
		return turns(a) < turns(b);
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

static bool takes_turns(const struct perf_event *leader)
{
	return leader->state >= PERF_EVENT_STATE_INACTIVE;
}

/**
 * perf_group_runtime - how long a group has been on the PMU, counted as for its turns
 * @leader: of a flexible group that is on; ctx->lock is held
 *
 * Return: ns; what it runs now has not been charged yet, and is in this.
 */
u64 perf_group_runtime(const struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->lock);
	return leader->group_runtime + perf_event_ran(leader);
}

/* The least age in a stretch of those that wait, or U64_MAX: nobody does. */
static u64 least_waiting(struct rb_root *root, int cpu, const struct perf_cgroup *cgrp)
{
	struct perf_event *leader = perf_group_first(root, cpu, cgrp);

	while (leader && leader->state != PERF_EVENT_STATE_INACTIVE)
		leader = perf_group_next(leader);
	return leader ? leader->group_runtime : U64_MAX;
}

/* That of those that are on: in @like's stretch, or with NULL in any. */
static u64 least_running(const struct perf_event_pmu_context *epc, const struct perf_event *like)
{
	const struct perf_event *leader;
	u64 least = U64_MAX;

	list_for_each_entry(leader, &epc->flexible_active, active_list) {
		if (!like || (leader->cpu == like->cpu && leader->cgrp == like->cgrp))
			least = min(least, perf_group_runtime(leader));
	}
	return least;
}

/*
 * A group that comes to those that take turns is as old as the one of them that
 * has run least: it neither waits for all others nor pushes them aside until it
 * has caught up. It is not in the tree.
 */
static void group_set_age(struct perf_event *leader)
{
	const struct perf_event_pmu_context *epc = leader->pmu_ctx;
	struct rb_root *root = group_root(leader);
	u64 least;

	if (leader->attr.pinned || !takes_turns(leader))
		return;
	least = min(least_waiting(root, leader->cpu, leader->cgrp), least_running(epc, leader));
	/* The first of its stretch shares counters with others. */
	if (least == U64_MAX)
		least = min3(least_running(epc, NULL), least_waiting(root, leader->cpu, NULL),
			     least_waiting(root, -1, NULL));
	if (least < U64_MAX)
		leader->group_runtime = least;
}

/**
 * perf_group_insert - put a group into its tree
 * @leader: of a group that has to be scheduled; ctx->lock is held
 */
void perf_group_insert(struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->lock);
	group_set_age(leader);
	rb_add(&leader->group_node, group_root(leader), node_before);
	leader->ctx->nr_sched++;
}

/**
 * perf_group_comes_back - a group has been enabled
 * @leader: attached; ctx->lock is held
 */
void perf_group_comes_back(struct perf_event *leader)
{
	if (RB_EMPTY_NODE(&leader->group_node))
		return;
	rb_erase(&leader->group_node, group_root(leader));
	group_set_age(leader);
	rb_add(&leader->group_node, group_root(leader), node_before);
}

/**
 * perf_group_erase - take a group out of its tree
 * @leader: that perf_group_insert() put there; ctx->lock is held
 */
void perf_group_erase(struct perf_event *leader)
{
	lockdep_assert_held(&leader->ctx->lock);
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
 * ran alike, none of them moves.
 */
void perf_group_ran(struct perf_event *leader, u64 ns)
{
	struct perf_event *next;

	leader->group_runtime += ns;
	next = perf_group_next(leader);
	if (!next || group_before(leader, next))
		return;
	rb_erase(&leader->group_node, group_root(leader));
	rb_add(&leader->group_node, group_root(leader), node_before);
}

/* The last group of a stretch that takes turns, or @leader, which is in it. */
static struct perf_event *last_to_take_turns(struct perf_event *leader)
{
	struct group_key key = { .cpu = leader->cpu, .cgrp = leader->cgrp };
	struct rb_node *node = group_root(leader)->rb_node, *last = NULL;

	while (node) {
		int cmp = key_cmp(&key, node);

		if (!cmp)
			last = node;
		node = cmp < 0 ? node->rb_left : node->rb_right;
	}
	while (last != &leader->group_node &&
	       !takes_turns(rb_entry(last, struct perf_event, group_node)))
		last = rb_prev(last);
	return rb_entry(last, struct perf_event, group_node);
}

/**
 * perf_group_pass - let a group wait behind all others of its CPU and cgroup
 * @leader: of a flexible group that does not fit, though no other flexible group
 *	is on; ctx->lock is held
 * @turn: ns that a turn takes
 *
 * It has had its turn: who cannot run must not stay the one that has run least.
 */
void perf_group_pass(struct perf_event *leader, u64 turn)
{
	u64 most;

	lockdep_assert_held(&leader->ctx->lock);
	most = last_to_take_turns(leader)->group_runtime;
	rb_erase(&leader->group_node, group_root(leader));
	leader->group_runtime = most + turn;
	rb_add(&leader->group_node, group_root(leader), node_before);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/group_tree_test.c"
#endif
