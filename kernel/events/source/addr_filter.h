/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_ADDR_FILTER_H
#define _KERNEL_EVENTS_ADDR_FILTER_H

#include <linux/perf_event.h>

struct vm_area_struct;

/*
 * perf_addr_filters_set(): ctx->mutex is held; it is dropped and taken again.
 * perf_addr_filters_inherit(): the inherit lock is held.
 */
int perf_addr_filters_set(struct perf_event *event, char *text);
int perf_addr_filters_init(struct perf_event *event);
void perf_addr_filters_inherit(struct perf_event *event, struct perf_event *from);
void perf_addr_filters_free(struct perf_event *event);
/* perf_addr_filters_text(): ctx->mutex is held; may sleep. */
size_t perf_addr_filters_room(const struct perf_event *event);
unsigned int perf_addr_filters_text(struct perf_event *event, char *text, size_t size);
void perf_addr_filters_exec(void);
void perf_addr_filters_mmap(struct vm_area_struct *vma);

#endif /* _KERNEL_EVENTS_ADDR_FILTER_H */
