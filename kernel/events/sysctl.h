/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits that are set by sysctls and applied at overflows. Each limit is a single word, read with
 * READ_ONCE() in any context. A mixture of old and new values does no harm.
 */
#ifndef _KERNEL_EVENTS_SYSCTL_H
#define _KERNEL_EVENTS_SYSCTL_H

#include <linux/perf_event.h>

/* An event with this number of overflows in one tick is throttled. */
extern int perf_max_samples_per_tick;

/* Sample interval in ns at perf_event_max_sample_rate */
extern int perf_sample_period_ns;

/**
 * struct perf_interrupt_stats - a CPU's sampling interrupts while they are counted, see
 * perf_interrupt_stats_enable()
 * @interrupts: number of interrupts
 * @total: ns of all interrupts
 * @longest: ns of the longest interrupt
 */
struct perf_interrupt_stats {
	u64	interrupts;
	u64	total;
	u64	longest;
};

void perf_interrupt_stats_enable(bool on);
struct perf_interrupt_stats perf_interrupt_stats_of(int cpu);

#endif /* _KERNEL_EVENTS_SYSCTL_H */
