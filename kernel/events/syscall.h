/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SYSCALL_H
#define _KERNEL_EVENTS_SYSCALL_H

#include <linux/perf_event.h>

/* May current watch the task, and send it signals where the event does? */
bool perf_may_watch(struct task_struct *task, bool signals);

/* The last checks, under ctx->mutex */
/* May the event, which is being made, take what others then cannot have? */
int perf_event_may_claim(const struct perf_event *event);
int perf_event_may_attach(const struct perf_event *event);

#endif /* _KERNEL_EVENTS_SYSCALL_H */
