/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_GROUP_H
#define _KERNEL_EVENTS_GROUP_H

#include <linux/perf_event.h>

#include "context.h"

/* Membership in contexts and groups: ctx->mutex is held. */
int perf_group_may_join(const struct perf_event *leader, const struct perf_event *event);
int perf_event_attach(struct perf_event *event);
int perf_event_attach_child(struct perf_event *child);
void perf_group_complete(struct perf_event *leader);
bool perf_event_detach(struct perf_event *event, enum perf_event_state end);
void perf_event_detach_at_exit(struct perf_event *event, enum perf_event_state end);

/* For enable.c and exit.c. A group is always on if none of its events needs scheduling. */
void perf_always_on_start(struct perf_event *event);
void perf_always_on_stop(struct perf_event *event, enum perf_event_state state);
void perf_always_on_start_group(struct perf_event *leader);
void perf_always_on_stop_group(struct perf_event *leader, enum perf_event_state state);
void perf_group_resched(struct perf_cpu_context *cpuctx, struct perf_event_pmu_context *epc,
			struct perf_event *enabled);
bool perf_group_change_under_lock(struct perf_event *event, perf_event_func_t func, void *data);

#endif /* _KERNEL_EVENTS_GROUP_H */
