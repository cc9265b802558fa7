// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics of each CPU, and of each PMU on a CPU; see tally.h.
 *
 * Most machines never need the counters of a PMU, so the first watcher allocates them
 * (perf_tally_make_all()). The counters are freed with the PMU.
 */
#include <linux/percpu.h>

#include "pmu.h"
#include "tally.h"

DEFINE_PER_CPU(struct perf_tally, perf_tally);
DEFINE_STATIC_KEY_FALSE(perf_tally_watched);

/* The counters of the event's PMU on this CPU, or NULL. Preemption is off, which keeps the PMU. */
static struct perf_pmu_tally *perf_tally_of_pmu(const struct perf_event *event)
{
	/* Events of KUnit tests have no PMU. */
	const struct pmu *pmu = READ_ONCE(event->pmu);
	struct perf_pmu_tally __percpu *tally = pmu ? perf_pmu_tally(pmu) : NULL;

	lockdep_assert_preemption_disabled();
	return tally ? this_cpu_ptr(tally) : NULL;
}

/**
 * perf_tally_pmu_record - count a record for its PMU
 * @event: event of the record
 *
 * Context: any, preemption is off.
 */
noinline void perf_tally_pmu_record(const struct perf_event *event)
{
	struct perf_pmu_tally *tally = perf_tally_of_pmu(event);

	if (tally)
		tally->records++;
}

/**
 * perf_tally_lost - count a lost record
 * @event: event of the record
 * @cause: cause of the loss
 *
 * Context: any, preemption is off.
 */
void perf_tally_lost(const struct perf_event *event, enum perf_event_loss cause)
{
	struct perf_pmu_tally *tally;

	__this_cpu_inc(perf_tally.lost[cause]);
	if (!static_branch_unlikely(&perf_tally_watched))
		return;
	tally = perf_tally_of_pmu(event);
	if (tally)
		tally->lost[cause]++;
}

/**
 * perf_tally_throttled - count that an event is throttled
 * @event: the event
 *
 * Context: any, preemption is off.
 */
void perf_tally_throttled(const struct perf_event *event)
{
	struct perf_pmu_tally *tally;

	__this_cpu_inc(perf_tally.throttled);
	if (!static_branch_unlikely(&perf_tally_watched))
		return;
	tally = perf_tally_of_pmu(event);
	if (tally)
		tally->throttled++;
}

/**
 * perf_tally_watch - start or stop the counters of PMUs
 * @on: true to start, false to stop; the counters stop when the last watcher has stopped them
 *
 * Context: may sleep; no locks are held.
 */
void perf_tally_watch(bool on)
{
	if (on)
		static_branch_inc(&perf_tally_watched);
	else
		static_branch_dec(&perf_tally_watched);
}

/**
 * perf_tally_make_all - allocate the counters of all PMUs
 *
 * Memory is not allocated under perf_pmus_lock, because CPU hotplug takes it.
 *
 * Context: may sleep; no locks are held.
 * Return: 0 on success, -ENOMEM
 */
int perf_tally_make_all(void)
{
	struct perf_pmu_tally __percpu *made;

	do {
		made = alloc_percpu(struct perf_pmu_tally);
		if (!made)
			return -ENOMEM;
	} while (perf_pmu_give_tally(made));
	free_percpu(made);
	return 0;
}
