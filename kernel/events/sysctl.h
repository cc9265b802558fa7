/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits that sysctls set and the overflow code lives by. Plain words, read
 * with READ_ONCE() in any context; a mixture of old and new values is harmless.
 */
#ifndef _KERNEL_EVENTS_SYSCTL_H
#define _KERNEL_EVENTS_SYSCTL_H

#include <linux/perf_event.h>

/* Overflows of one event in one tick; more, and it is throttled. */
extern int perf_max_samples_per_tick;

/* ns between two samples at perf_event_max_sample_rate. */
extern int perf_sample_period_ns;

/*
 * The stack limits cannot change while buffers of that size exist.
 * callchain.c: store @value in *@limit unless there are such buffers (-EBUSY),
 * under the lock that get_callchain_buffers() takes. May sleep.
 */
int perf_callchain_set_limit(int *limit, int value);

#endif /* _KERNEL_EVENTS_SYSCTL_H */
