/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_GROUP_TREE_H
#define _KERNEL_EVENTS_GROUP_TREE_H

#include <linux/perf_event.h>

/**
 * struct perf_subtree_scan - result of a walk over subtrees of a tree
 * @waiting: leader of the youngest waiting group, or NULL
 * @youngest: runtime of the youngest group in ns, U64_MAX before the walk
 * @level: maximum over all subtrees of the runtime of their youngest group, ns
 */
struct perf_subtree_scan {
	struct perf_event	*waiting;
	u64			youngest;
	u64			level;
};

/**
 * struct perf_group_gap - a position in a tree between two neighbours
 * @root: the tree, or NULL
 * @before: the last inserted group
 * @after: the group after it, or NULL at the end
 */
struct perf_group_gap {
	struct rb_root	*root;
	struct rb_node	*before;
	struct rb_node	*after;
};

/* The lock of the context, or of both contexts, is held. */
void perf_group_raise_age(struct perf_event *leader);
void perf_group_tree_insert(struct perf_event *leader);
void perf_group_insert_next(struct perf_event *leader, struct perf_group_gap *gap);
void perf_group_tree_del(struct perf_event *leader);
void perf_group_add_runtime(struct perf_event *leader, u64 ns);
void perf_group_tree_move_last(struct perf_event *leader, u64 ns);
u64 perf_group_age(const struct perf_event *leader);
void perf_subtree_scan(struct perf_event_pmu_context *epc, int cpu,
		       const struct perf_cgroup *cgrp, struct perf_subtree_scan *scan);
void perf_ages_normalize(struct perf_event_pmu_context *cpu, const struct perf_subtree_scan *of_cpu,
			 struct perf_event_pmu_context *task,
			 const struct perf_subtree_scan *of_task);
struct perf_event *perf_group_first(struct rb_root *root, int cpu, const struct perf_cgroup *cgrp);
struct perf_event *perf_group_next(struct perf_event *leader);

#endif /* _KERNEL_EVENTS_GROUP_TREE_H */
