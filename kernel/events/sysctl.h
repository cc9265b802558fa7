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

/**
 * struct perf_took - sampling interrupts of a CPU while somebody watched
 * @interrupts: how many
 * @total: ns that they took
 * @longest: ns that one of them took
 */
struct perf_took {
	u64	interrupts;
	u64	total;
	u64	longest;
};

void perf_took_watch(bool on);
struct perf_took perf_took_on(int cpu);

#endif /* _KERNEL_EVENTS_SYSCTL_H */
