// SPDX-License-Identifier: GPL-2.0
/*
 * Counts of what happens on a CPU, and of what each PMU has of it; see tally.h.
 *
 * A PMU's counts are memory that most machines never need: it is made when somebody looks
 * for the first time, and goes with the PMU.
 */
#include <linux/percpu.h>

#include "pmu.h"
#include "tally.h"

DEFINE_PER_CPU(struct perf_tally, perf_tally);
DEFINE_STATIC_KEY_FALSE(perf_tally_watched);

/* The counts of the event's PMU on this CPU, or NULL. Preemption is off, which keeps the PMU. */
static struct perf_pmu_tally *perf_tally_of_pmu(const struct perf_event *event)
{
	/* Events of unit tests have no PMU. */
	const struct pmu *pmu = READ_ONCE(event->pmu);
	struct perf_pmu_tally __percpu *tally = pmu ? perf_pmu_tally(pmu) : NULL;

	lockdep_assert_preemption_disabled();
	return tally ? this_cpu_ptr(tally) : NULL;
}

/**
 * perf_tally_pmu_record - count a record for its PMU
 * @event: whose record it is
 *
 * Any context, preemption off.
 */
noinline void perf_tally_pmu_record(const struct perf_event *event)
{
	struct perf_pmu_tally *tally = perf_tally_of_pmu(event);

	if (tally)
		tally->records++;
}

/**
 * perf_tally_lost - count a record that is lost
 * @event: whose record it was
 * @cause: why
 *
 * Any context, preemption off.
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
 * Any context, preemption off.
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
 * perf_tally_watch - count what happens for each PMU, or stop it
 * @on: begin; the count goes on until as many have stopped as have begun
 *
 * May sleep; no lock is held.
 */
void perf_tally_watch(bool on)
{
	if (on)
		static_branch_inc(&perf_tally_watched);
	else
		static_branch_dec(&perf_tally_watched);
}

/**
 * perf_tally_make_all - make the memory for the counts of all PMUs
 *
 * Nothing is allocated with the lock of the PMUs held, for which CPU hotplug waits.
 * May sleep; no lock is held. Return: 0, or -ENOMEM.
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
