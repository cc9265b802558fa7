/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SAMPLE_READ_H
#define _KERNEL_EVENTS_SAMPLE_READ_H

#include <linux/perf_event.h>

/* Maximum size of a read(2) of an event */
#define PERF_READ_SIZE_MAX	(16 * 1024)

/* Maximum number of values in the samples that the members of a group write for one occurrence */
#define PERF_GROUP_VALUES_MAX	(16 * 1024)

unsigned int perf_event_read_size(u64 read_format, unsigned int nr_siblings);
int perf_read_size_check(const struct perf_event *event, struct perf_event *leader);
int perf_group_samples_check(const struct perf_event *event, struct perf_event *leader);
void perf_output_read(struct perf_output_handle *handle, struct perf_event *event,
		      unsigned int size);

#endif /* _KERNEL_EVENTS_SAMPLE_READ_H */
