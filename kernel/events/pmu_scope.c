// SPDX-License-Identifier: GPL-2.0
/*
 * Scopes: a system-wide PMU may have an instance for each core, die, cluster, package or
 * machine. One of the CPUs that share an instance is its designated CPU: tools open their events on
 * this CPU, and when it is taken offline the events move to another CPU of the instance.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/topology.h>

#include "hotplug.h"
#include "pmu_scope.h"

/* The designated CPU of each core, die, cluster...; changed only by CPU hotplug */
static struct cpumask perf_scope_cpumasks[PERF_PMU_MAX_SCOPE];

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
const struct cpumask *(*perf_test_die)(unsigned int cpu);	/* topology for a test */
#endif

/* CPUs that share an instance with @cpu */
static const struct cpumask *perf_scope_instance_cpus(unsigned int scope, unsigned int cpu)
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
 * @scope: scope of the PMU
 * @a: a CPU
 * @b: a CPU
 *
 * Context: any.
 * Return: true if a counter of @a can be read on @b
 */
bool perf_scope_same(unsigned int scope, unsigned int a, unsigned int b)
{
	return a == b || cpumask_test_cpu(b, perf_scope_instance_cpus(scope, a));
}

/**
 * perf_scope_exists - does the instance of @cpu have a designated CPU?
 * @scope: scope of the PMU
 * @cpu: a CPU
 *
 * Return: false while @cpu and all CPUs that share its instance are offline
 */
bool perf_scope_exists(unsigned int scope, unsigned int cpu)
{
	return cpumask_intersects(perf_scope_instance_cpus(scope, cpu),
				  &perf_scope_cpumasks[scope]);
}

/**
 * perf_scope_cpumask - get the designated CPUs of a system-wide PMU
 * @scope: scope of the PMU, not %PERF_PMU_SCOPE_NONE
 *
 * Return: one CPU for each instance; it changes with CPU hotplug
 */
const struct cpumask *perf_scope_cpumask(unsigned int scope)
{
	return &perf_scope_cpumasks[scope];
}

/**
 * perf_scope_online - update the designated CPUs when a CPU is brought online
 * @cpu: the CPU, online
 *
 * In each scope, @cpu becomes the designated CPU of its instance if the instance has none.
 * Otherwise events that remained on @cpu, when it was taken offline as the last CPU of the
 * instance, move to the designated CPU.
 *
 * Context: the CPU hotplug lock is held, may sleep.
 */
void perf_scope_online(unsigned int cpu)
{
	unsigned int scope, event_cpu;

	lockdep_assert_cpus_held();

	/* The topology of a CPU is only known while it is online. */
	if (!cpu_online(cpu))
		return;
	for (scope = PERF_PMU_SCOPE_NONE + 1; scope < PERF_PMU_MAX_SCOPE; scope++) {
		event_cpu = cpumask_first_and(perf_scope_instance_cpus(scope, cpu),
					      &perf_scope_cpumasks[scope]);
		if (event_cpu < nr_cpu_ids)
			perf_scope_migrate(scope, cpu, event_cpu);
		else
			cpumask_set_cpu(cpu, &perf_scope_cpumasks[scope]);
	}
}

/**
 * perf_scope_offline - update the designated CPUs when a CPU is taken offline
 * @cpu: the CPU, still online
 *
 * If @cpu is the designated CPU of an instance, another CPU of the instance replaces it, and the
 * events move to that CPU.
 *
 * Context: the CPU hotplug lock is held, may sleep.
 */
void perf_scope_offline(unsigned int cpu)
{
	unsigned int scope, new_cpu;

	lockdep_assert_cpus_held();

	for (scope = PERF_PMU_SCOPE_NONE + 1; scope < PERF_PMU_MAX_SCOPE; scope++) {
		if (!cpumask_test_cpu(cpu, &perf_scope_cpumasks[scope]))
			continue;
		new_cpu = cpumask_any_and_but(perf_scope_instance_cpus(scope, cpu),
					      cpu_online_mask, cpu);
		/* While the instance has an online CPU, it always has a CPU for new events. */
		if (new_cpu < nr_cpu_ids)
			cpumask_set_cpu(new_cpu, &perf_scope_cpumasks[scope]);
		cpumask_clear_cpu(cpu, &perf_scope_cpumasks[scope]);
		if (new_cpu < nr_cpu_ids)
			perf_scope_migrate(scope, cpu, new_cpu);
	}
}
