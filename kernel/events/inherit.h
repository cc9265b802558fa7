/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_INHERIT_H
#define _KERNEL_EVENTS_INHERIT_H

#include <linux/mutex.h>
#include <linux/perf_event.h>

/* The lock of an event's family: its children, and what they were. */
struct mutex *perf_family_lock(const struct perf_event *root);

void perf_family_init(void);
void perf_family_release(struct perf_event *event);
void perf_child_exit(struct perf_event *child);
void perf_family_for_each(struct perf_event *event, void (*func)(struct perf_event *));

#endif /* _KERNEL_EVENTS_INHERIT_H */
