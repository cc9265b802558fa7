/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics of a CPU. The rare cases in struct perf_cpu_stats are always counted. The statistics
 * of each PMU, struct perf_pmu_stats, are updated only while the debugfs file perf_events/pmus is
 * open (perf_stats_enabled).
 */
#ifndef _KERNEL_EVENTS_STATS_H
#define _KERNEL_EVENTS_STATS_H

#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/perf_event_ext.h>

/**
 * struct perf_cpu_stats - statistics of one CPU since boot
 * @throttled: number of times that an event was throttled
 * @recursions: software events within the handling of another one at the same level, which
 *	are not counted by any event
 * @lost: lost records, by cause
 */
struct perf_cpu_stats {
	unsigned long	throttled;
	unsigned long	recursions;
	unsigned long	lost[PERF_LOSSES];
};

DECLARE_PER_CPU(struct perf_cpu_stats, perf_cpu_stats);

/**
 * struct perf_pmu_stats - statistics of one CPU and PMU, updated if perf_stats_enabled is enabled
 * @records: records written to buffers
 * @throttled: number of times that an event was throttled
 * @lost: lost records, by cause
 */
struct perf_pmu_stats {
	unsigned long	records;
	unsigned long	throttled;
	unsigned long	lost[PERF_LOSSES];
};

DECLARE_STATIC_KEY_FALSE(perf_stats_enabled);

/* Any context, preemption off. An NMI that interrupts an update may be left out of the count. */
void perf_stats_pmu_record(const struct perf_event *event);
void perf_stats_lost(const struct perf_event *event, enum perf_event_loss cause);
void perf_stats_throttled(const struct perf_event *event);

/* Count a record of @event, which is not inherited. A nop unless perf_stats_enabled is enabled. */
static __always_inline void perf_stats_record(const struct perf_event *event)
{
	if (static_branch_unlikely(&perf_stats_enabled))
		perf_stats_pmu_record(event);
}

/* May sleep; no locks are held. */
void perf_stats_enable(bool on);
int perf_stats_alloc_all(void);

#endif /* _KERNEL_EVENTS_STATS_H */
