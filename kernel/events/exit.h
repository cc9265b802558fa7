/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_EXIT_H
#define _KERNEL_EVENTS_EXIT_H

#include <linux/perf_event.h>

void perf_children_revoke(struct perf_event *parent);
void perf_groups_exec_begin(struct perf_event_context *ctx);
void perf_groups_exec_end(struct perf_event_context *ctx);

#endif /* _KERNEL_EVENTS_EXIT_H */
