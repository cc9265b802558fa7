/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples: their layout, the counter values in them, and what they take from
 * user space. sample.c, sample_read.c, sample_user.c.
 */
#ifndef _KERNEL_EVENTS_SAMPLE_H
#define _KERNEL_EVENTS_SAMPLE_H

#include <linux/perf_event.h>

/* The longest record: its size is a u16 and a multiple of 8. */
#define PERF_RECORD_SIZE_MAX	((u32)(U16_MAX & ~7))

/* The most that one read of an event may return. */
#define PERF_READ_SIZE_MAX	(16 * 1024)

/* One word each, at the end of records other than samples. */
#define PERF_SAMPLE_ID_ALL						\
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |		\
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* sample.c */
void perf_sample_layout(struct perf_event *event);
u32 perf_event_pid(const struct perf_event *event, struct task_struct *task);
u32 perf_event_tid(const struct perf_event *event, struct task_struct *task);

/* sample_read.c */
unsigned int perf_event_read_size(u64 read_format, unsigned int nr_siblings);
int perf_read_size_check(const struct perf_event *event, struct perf_event *leader);
void perf_output_read(struct perf_output_handle *handle, struct perf_event *event,
		      unsigned int size);

/* sample_user.c */
bool perf_user_memory_usable(void);
void perf_sample_user_regs(struct perf_regs *user, const struct perf_event *event,
			   struct pt_regs *regs);
u64 perf_sample_user_stack(struct pt_regs *regs, u64 want, u64 room);
void perf_output_user_stack(struct perf_output_handle *handle, struct pt_regs *regs,
			    u64 size);
u64 perf_get_page_size(unsigned long addr);
u64 perf_virt_to_phys(u64 virt);

#endif /* _KERNEL_EVENTS_SAMPLE_H */
