/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_CGROUP_H
#define _KERNEL_EVENTS_CGROUP_H

#include "internal.h"

typedef bool (*perf_subtree_func_t)(struct perf_event_pmu_context *epc, bool pinned, int cpu,
				    struct perf_cgroup *cgrp);

#ifdef CONFIG_CGROUP_PERF
int perf_cgroup_alloc_info(struct perf_event *event);
int perf_cgroup_connect(struct perf_event *event, int fd, const struct perf_event *leader);
void perf_cgroup_set_from_leader(struct perf_event *event, const struct perf_event *leader);
void perf_cgroup_disconnect(struct perf_event *event);
void perf_cgroup_count(struct perf_event *event, struct perf_cpu_context *cpuctx, int n);
void perf_cgroup_count_group(struct perf_event *leader, int n);
void perf_cgroup_switch(struct perf_cpu_context *cpuctx, struct task_struct *next);
bool __perf_cgroup_is_same(const struct perf_cpu_context *cpuctx, struct task_struct *next);
void perf_cgroup_start_cpu(struct perf_cpu_context *cpuctx);
void perf_cgroup_stop_cpu(struct perf_cpu_context *cpuctx);
void perf_cgroup_subtrees(struct perf_cpu_context *cpuctx, struct perf_event_pmu_context *epc,
			  bool pinned, perf_subtree_func_t func);
struct perf_cgroup *perf_cgroup_here(struct perf_cpu_context *cpuctx);
struct perf_cgroup *perf_cgroup_parent_of(struct perf_cgroup *cgrp);

/* Will perf_cgroup_switch() to @next change nothing? Interrupts are off. */
static inline bool perf_cgroup_is_same(const struct perf_cpu_context *cpuctx,
				       struct task_struct *next)
{
	return likely(!READ_ONCE(cpuctx->nr_cgroups)) || __perf_cgroup_is_same(cpuctx, next);
}
#else
static inline int perf_cgroup_alloc_info(struct perf_event *event)	{ return 0; }
static inline int perf_cgroup_connect(struct perf_event *event, int fd,
				      const struct perf_event *leader)	{ return -EINVAL; }
static inline void perf_cgroup_set_from_leader(struct perf_event *event,
					       const struct perf_event *leader)	{ }
static inline void perf_cgroup_disconnect(struct perf_event *event)	{ }
static inline void perf_cgroup_count(struct perf_event *event,
				     struct perf_cpu_context *cpuctx, int n) { }
static inline void perf_cgroup_count_group(struct perf_event *leader, int n) { }
static inline void perf_cgroup_switch(struct perf_cpu_context *cpuctx,
				      struct task_struct *next)		{ }
static inline bool perf_cgroup_is_same(const struct perf_cpu_context *cpuctx,
				       struct task_struct *next)	{ return true; }
static inline void perf_cgroup_start_cpu(struct perf_cpu_context *cpuctx) { }
static inline void perf_cgroup_stop_cpu(struct perf_cpu_context *cpuctx) { }
static inline void perf_cgroup_subtrees(struct perf_cpu_context *cpuctx,
					struct perf_event_pmu_context *epc, bool pinned,
					perf_subtree_func_t func)	{ }
static inline struct perf_cgroup *
perf_cgroup_here(struct perf_cpu_context *cpuctx)			{ return NULL; }
static inline struct perf_cgroup *perf_cgroup_parent_of(struct perf_cgroup *cgrp) { return NULL; }
#endif

#endif /* _KERNEL_EVENTS_CGROUP_H */
