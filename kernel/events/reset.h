/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_RESET_H
#define _KERNEL_EVENTS_RESET_H

#include <linux/perf_event.h>

void perf_event_reset_count(struct perf_event *event);
void perf_event_reset_all_children(struct perf_event *event, bool group);

#endif /* _KERNEL_EVENTS_RESET_H */
