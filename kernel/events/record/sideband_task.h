/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SIDEBAND_TASK_H
#define _KERNEL_EVENTS_SIDEBAND_TASK_H

#include <linux/perf_event.h>

void perf_task_exit_record(struct task_struct *task, struct perf_event_context *ctx);
void perf_read_record(struct perf_event *event, struct task_struct *task);
void __perf_switch_record(struct task_struct *task, struct task_struct *next_prev,
			  bool sched_in);

/* See __perf_switch_record(). */
static inline void perf_switch_record(struct task_struct *task,
				      struct task_struct *next_prev, bool sched_in)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_SWITCH))
		__perf_switch_record(task, next_prev, sched_in);
}

#endif /* _KERNEL_EVENTS_SIDEBAND_TASK_H */
