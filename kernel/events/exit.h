/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_EXIT_H
#define _KERNEL_EVENTS_EXIT_H

#include <linux/perf_event.h>

void perf_child_exit(struct perf_event *child);

#endif /* _KERNEL_EVENTS_EXIT_H */
