/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_PMU_SCOPE_H
#define _KERNEL_EVENTS_PMU_SCOPE_H

#include <linux/perf_event.h>

/*
 * A PMU with a scope (PERF_PMU_SCOPE_*) has an instance for each core, die, cluster, package or
 * system. The designated CPU of each instance is in perf_scope_cpumask(). perf_scope_online() and
 * perf_scope_offline() are called on @cpu while it is online: at boot, and in CPU hotplug, where
 * both may sleep.
 */
#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
extern const struct cpumask *(*perf_test_die)(unsigned int cpu);
#endif
void perf_scope_online(unsigned int cpu);
void perf_scope_offline(unsigned int cpu);
bool perf_scope_same(unsigned int scope, unsigned int a, unsigned int b);
bool perf_scope_exists(unsigned int scope, unsigned int cpu);
const struct cpumask *perf_scope_cpumask(unsigned int scope);

#endif /* _KERNEL_EVENTS_PMU_SCOPE_H */
