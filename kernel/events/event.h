/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_EVENT_H
#define _KERNEL_EVENTS_EVENT_H

#include <linux/perf_event.h>

/* perf_event::hw_flags: what the event has got and must give back */
#define PERF_EVENT_CLAIMED		0x1	/* its PMU's exclusive_cnt */
#define PERF_EVENT_CALLCHAIN		0x2	/* call chain buffers */
#define PERF_EVENT_WATCHES_SWITCHES	0x4	/* perf_sched_events */

void perf_event_caches_init(void);
void perf_event_own(struct perf_event *event);
void perf_event_disown_all(struct task_struct *task);

/* syscall.c: the last checks, under ctx->mutex */
int perf_event_may_attach(const struct perf_event *event);

#endif /* _KERNEL_EVENTS_EVENT_H */
