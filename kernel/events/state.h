/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_STATE_H
#define _KERNEL_EVENTS_STATE_H

#include <linux/perf_event.h>

long perf_event_tell_state(struct perf_event *event, void __user *to);

#endif /* _KERNEL_EVENTS_STATE_H */
