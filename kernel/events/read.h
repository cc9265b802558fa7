/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_READ_H
#define _KERNEL_EVENTS_READ_H

#include <linux/perf_event.h>

ssize_t perf_event_read_file(struct perf_event *event, char __user *buf, size_t count);
void perf_event_sync(struct perf_event *event);

/* control.c */
long perf_event_ioctl(struct perf_event *event, unsigned int cmd, unsigned long arg);

#endif /* _KERNEL_EVENTS_READ_H */
