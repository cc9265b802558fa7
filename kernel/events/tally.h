/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What happens on a CPU, counted where it happens. What happens seldom is counted for the
 * CPU always. All else, and what each PMU had of it, is counted while somebody watches.
 */
#ifndef _KERNEL_EVENTS_TALLY_H
#define _KERNEL_EVENTS_TALLY_H

#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/perf_event_ext.h>

/**
 * struct perf_tally - of one CPU, since boot
 * @throttled: how many times an event was throttled
 * @recursions: occurrences of software events within the handling of another one at the
 *	same level, which no event counts
 * @lost: records that were lost, by cause
 */
struct perf_tally {
	unsigned long	throttled;
	unsigned long	recursions;
	unsigned long	lost[PERF_LOSSES];
};

DECLARE_PER_CPU(struct perf_tally, perf_tally);

/**
 * struct perf_pmu_tally - of one CPU and the events of one PMU, while somebody watched
 * @records: written to buffers
 * @throttled: how many times an event was throttled
 * @lost: records that were lost, by cause
 */
struct perf_pmu_tally {
	unsigned long	records;
	unsigned long	throttled;
	unsigned long	lost[PERF_LOSSES];
};

DECLARE_STATIC_KEY_FALSE(perf_tally_watched);

/* Any context, preemption off. Of an NMI within another count, one may be missing. */
void perf_tally_pmu_record(const struct perf_event *event);
void perf_tally_lost(const struct perf_event *event, enum perf_event_loss cause);
void perf_tally_throttled(const struct perf_event *event);

/* A record is written for the event, a root. While nobody watches, this is a no-op. */
static __always_inline void perf_tally_record(const struct perf_event *event)
{
	if (static_branch_unlikely(&perf_tally_watched))
		perf_tally_pmu_record(event);
}

/* May sleep; no lock is held. */
void perf_tally_watch(bool on);
int perf_tally_make_all(void);

#endif /* _KERNEL_EVENTS_TALLY_H */
