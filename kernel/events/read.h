/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_READ_H
#define _KERNEL_EVENTS_READ_H

#include <linux/perf_event.h>

/* The last known count, with the counts of removed inherited events. Any context. */
u64 perf_event_count(const struct perf_event *event);
ssize_t perf_event_read_file(struct perf_event *event, char __user *buf, size_t count);
void perf_event_sync(struct perf_event *event);

#endif /* _KERNEL_EVENTS_READ_H */
