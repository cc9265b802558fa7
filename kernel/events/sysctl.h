/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits that sysctls set and the overflow code keeps. They are plain words, read
 * with READ_ONCE() in any context; a mixture of old and new values is harmless.
 */
#ifndef _KERNEL_EVENTS_SYSCTL_H
#define _KERNEL_EVENTS_SYSCTL_H

#include <linux/perf_event.h>

/* An event that overflows more often than this in one tick is throttled. */
extern int perf_max_samples_per_tick;

/* ns between two samples at perf_event_max_sample_rate. */
extern int perf_sample_period_ns;

#endif /* _KERNEL_EVENTS_SYSCTL_H */
