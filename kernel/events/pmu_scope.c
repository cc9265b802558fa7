// SPDX-License-Identifier: GPL-2.0
/*
 * Scopes: a system-wide PMU may exist once a core, die, cluster, package or
 * machine. One of the CPUs that share an instance speaks for it: tools open
 * their events there, and when it goes offline another takes them over.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/topology.h>

#include "hotplug.h"
#include "pmu_scope.h"

/* One CPU of each core, die, cluster...; changed by hotplug alone. */
static struct cpumask perf_scope_all_speakers[PERF_PMU_MAX_SCOPE];

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
const struct cpumask *(*perf_test_die)(unsigned int cpu);	/* a test tells the topology */
#endif

/* The CPUs that share an instance with @cpu. */
static const struct cpumask *perf_scope_cpus(unsigned int scope, unsigned int cpu)
{
#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
	if (scope == PERF_PMU_SCOPE_DIE && unlikely(READ_ONCE(perf_test_die)))
		return perf_test_die(cpu);
#endif
	return scope == PERF_PMU_SCOPE_CORE ? topology_sibling_cpumask(cpu) :
	       scope == PERF_PMU_SCOPE_CLUSTER ? topology_cluster_cpumask(cpu) :
	       scope == PERF_PMU_SCOPE_DIE ? topology_die_cpumask(cpu) :
	       scope == PERF_PMU_SCOPE_PKG ? topology_core_cpumask(cpu) :
	       scope == PERF_PMU_SCOPE_SYS_WIDE ? cpu_online_mask : cpumask_of(cpu);
}

/**
 * perf_scope_same - do two CPUs share an instance of a PMU?
 * @scope: of the PMU
 * @a: a CPU
 * @b: another, or the same
 *
 * Return: true if a counter of @a can be read on @b; any context
 */
bool perf_scope_same(unsigned int scope, unsigned int a, unsigned int b)
{
	return a == b || cpumask_test_cpu(b, perf_scope_cpus(scope, a));
}

/**
 * perf_scope_exists - does some CPU speak for the instance that @cpu belongs to?
 * @scope: of the PMU
 * @cpu: a CPU
 *
 * Return: false while @cpu and all that share with it are offline
 */
bool perf_scope_exists(unsigned int scope, unsigned int cpu)
{
	return cpumask_intersects(perf_scope_cpus(scope, cpu), &perf_scope_all_speakers[scope]);
}

/**
 * perf_scope_speakers - the CPUs on which to open a system-wide PMU's events
 * @scope: of the PMU, not %PERF_PMU_SCOPE_NONE
 *
 * Return: one CPU an instance; it changes with CPU hotplug
 */
const struct cpumask *perf_scope_speakers(unsigned int scope)
{
	return &perf_scope_all_speakers[scope];
}

/**
 * perf_scope_online - let a CPU that has come speak for instances without a speaker
 * @cpu: the CPU, online
 *
 * In each scope, @cpu speaks for its instance if no other CPU does. If another one does,
 * that CPU takes over events that were left on @cpu when it was the last CPU of the
 * instance to go. The CPU hotplug lock is held; may sleep.
 */
void perf_scope_online(unsigned int cpu)
{
	unsigned int scope, speaker;

	lockdep_assert_cpus_held();

	/* The kernel knows only of a CPU that runs with which others it shares an instance. */
	if (!cpu_online(cpu))
		return;
	for (scope = PERF_PMU_SCOPE_NONE + 1; scope < PERF_PMU_MAX_SCOPE; scope++) {
		speaker = cpumask_first_and(perf_scope_cpus(scope, cpu),
					    &perf_scope_all_speakers[scope]);
		if (speaker < nr_cpu_ids)
			perf_scope_migrate(scope, cpu, speaker);
		else
			cpumask_set_cpu(cpu, &perf_scope_all_speakers[scope]);
	}
}

/**
 * perf_scope_offline - let other CPUs speak for the instances of a CPU that goes
 * @cpu: the CPU, still online
 *
 * For each instance that @cpu spoke for, another CPU of it takes over, and the events
 * move there. The CPU hotplug lock is held; may sleep.
 */
void perf_scope_offline(unsigned int cpu)
{
	unsigned int scope, heir;

	lockdep_assert_cpus_held();

	for (scope = PERF_PMU_SCOPE_NONE + 1; scope < PERF_PMU_MAX_SCOPE; scope++) {
		if (!cpumask_test_cpu(cpu, &perf_scope_all_speakers[scope]))
			continue;
		heir = cpumask_any_and_but(perf_scope_cpus(scope, cpu), cpu_online_mask, cpu);
		/* There is always one to open events on, while there is a CPU. */
		if (heir < nr_cpu_ids)
			cpumask_set_cpu(heir, &perf_scope_all_speakers[scope]);
		cpumask_clear_cpu(cpu, &perf_scope_all_speakers[scope]);
		if (heir < nr_cpu_ids)
			perf_scope_migrate(scope, cpu, heir);
	}
}
