/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_STATE_H
#define _KERNEL_EVENTS_STATE_H

#include <linux/perf_event.h>

struct perf_cpu_context;
struct perf_cpu_pmu_context;

/* The locks of both contexts of this CPU are held. */
bool perf_event_applies_here(const struct perf_event *event, struct perf_cpu_context *cpuctx);
void perf_state_note_obstacle(struct perf_event *leader, const struct perf_cpu_pmu_context *cpc);

/* May sleep. */
long perf_event_copy_state_to_user(struct perf_event *event, void __user *to);

#endif /* _KERNEL_EVENTS_STATE_H */
