// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics of each CPU, and of each PMU on a CPU; see stats.h.
 *
 * Most machines never need the statistics of a PMU, so the first open of the debugfs file
 * perf_events/pmus allocates them (perf_stats_alloc_all()). They are freed with the PMU.
 */
#include <linux/percpu.h>

#include "pmu.h"
#include "stats.h"

DEFINE_PER_CPU(struct perf_cpu_stats, perf_cpu_stats);
DEFINE_STATIC_KEY_FALSE(perf_stats_enabled);

/* Get the statistics of the event's PMU on this CPU, or NULL. Preemption off keeps the PMU. */
static struct perf_pmu_stats *perf_stats_of_pmu(const struct perf_event *event)
{
	/* Events of KUnit tests have no PMU. */
	const struct pmu *pmu = READ_ONCE(event->pmu);
	struct perf_pmu_stats __percpu *stats = pmu ? perf_pmu_stats(pmu) : NULL;

	lockdep_assert_preemption_disabled();
	return stats ? this_cpu_ptr(stats) : NULL;
}

/**
 * perf_stats_pmu_record - count a record for its PMU
 * @event: event of the record
 *
 * Context: any, preemption is off.
 */
noinline void perf_stats_pmu_record(const struct perf_event *event)
{
	struct perf_pmu_stats *stats = perf_stats_of_pmu(event);

	if (stats)
		stats->records++;
}

/**
 * perf_stats_lost - count a lost record
 * @event: event of the record
 * @cause: cause of the loss
 *
 * Context: any, preemption is off.
 */
void perf_stats_lost(const struct perf_event *event, enum perf_event_loss cause)
{
	struct perf_pmu_stats *stats;

	__this_cpu_inc(perf_cpu_stats.lost[cause]);
	if (!static_branch_unlikely(&perf_stats_enabled))
		return;
	stats = perf_stats_of_pmu(event);
	if (stats)
		stats->lost[cause]++;
}

/**
 * perf_stats_throttled - count that an event is throttled
 * @event: the event
 *
 * Context: any, preemption is off.
 */
void perf_stats_throttled(const struct perf_event *event)
{
	struct perf_pmu_stats *stats;

	__this_cpu_inc(perf_cpu_stats.throttled);
	if (!static_branch_unlikely(&perf_stats_enabled))
		return;
	stats = perf_stats_of_pmu(event);
	if (stats)
		stats->throttled++;
}

/**
 * perf_stats_enable - start or stop the statistics of PMUs
 * @on: true to start, false to stop; the statistics stop when there were as many stops as starts
 *
 * Context: may sleep; no locks are held.
 */
void perf_stats_enable(bool on)
{
	if (on)
		static_branch_inc(&perf_stats_enabled);
	else
		static_branch_dec(&perf_stats_enabled);
}

/**
 * perf_stats_alloc_all - allocate the statistics of all PMUs
 *
 * Memory is not allocated under perf_pmus_lock, because CPU hotplug takes it.
 *
 * Context: may sleep; no locks are held.
 * Return: 0 on success, -ENOMEM
 */
int perf_stats_alloc_all(void)
{
	struct perf_pmu_stats __percpu *made;

	do {
		made = alloc_percpu(struct perf_pmu_stats);
		if (!made)
			return -ENOMEM;
	} while (perf_pmu_install_stats(made));
	free_percpu(made);
	return 0;
}
