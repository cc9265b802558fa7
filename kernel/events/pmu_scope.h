/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_PMU_SCOPE_H
#define _KERNEL_EVENTS_PMU_SCOPE_H

#include <linux/perf_event.h>

/*
 * Each instance of a system-wide PMU has a designated CPU. The first two functions are for CPU
 * hotplug, with the CPU hotplug lock held for writing and the CPU online; they may sleep.
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
