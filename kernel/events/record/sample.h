/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples and their layout.
 */
#ifndef _KERNEL_EVENTS_SAMPLE_H
#define _KERNEL_EVENTS_SAMPLE_H

#include <linux/perf_event.h>

/* Maximum size of a record: a u16, and a multiple of 8 */
#define PERF_RECORD_SIZE_MAX	((u32)(U16_MAX & ~7))

/* Fields at the end of records that are not samples; each has one word. */
#define PERF_SAMPLE_ID_ALL						\
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |		\
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

void perf_sample_layout(struct perf_event *event);
void perf_sample_layout_group(struct perf_event *leader);
u32 perf_event_pid(const struct perf_event *event, struct task_struct *task);
u32 perf_event_tid(const struct perf_event *event, struct task_struct *task);

#endif /* _KERNEL_EVENTS_SAMPLE_H */
