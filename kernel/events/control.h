/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_CONTROL_H
#define _KERNEL_EVENTS_CONTROL_H

#include <linux/perf_event.h>

long perf_event_ioctl(struct perf_event *event, unsigned int cmd, unsigned long arg);

#endif /* _KERNEL_EVENTS_CONTROL_H */
