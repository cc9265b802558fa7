/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SIM_PMU_H
#define _KERNEL_EVENTS_SIM_PMU_H

#include <linux/perf_event.h>

#define SIM_MAX_COUNTERS	16
#define SIM_MAX_EVENTS		16

/* perf_event_attr::config: which event, and on which general counters it may be */
#define SIM_CONFIG_EVENT	0x00ffULL
#define SIM_CONFIG_COUNTERS	0xff00ULL
#define SIM_CONFIG_COUNTERS_SHIFT 8

/* The first of the events that only sim_pmu_advance() moves. */
#define SIM_EVENT_STEP		8

/**
 * struct sim_pmu_shape - what a simulated PMU is like
 * @nr_general: counters for any event
 * @nr_fixed: counters of one event each: the first for event 0, and so on
 * @width: of a counter, 16 to 64 bits
 * @latency_ns: from an overflow to its interrupt
 * @constraints: for each event the general counters that it may be on, 0 for all
 */
struct sim_pmu_shape {
	unsigned int	nr_general;
	unsigned int	nr_fixed;
	unsigned int	width;
	unsigned int	latency_ns;
	unsigned int	constraints[SIM_MAX_EVENTS];
};

struct sim_cpu;

/**
 * struct sim_pmu - a PMU that is made of memory
 * @pmu: what the core knows of it
 * @shape: what it is like
 * @hardware: it serves PERF_TYPE_HARDWARE, too
 * @cpus: the counters of each CPU
 */
struct sim_pmu {
	struct pmu			pmu;
	struct sim_pmu_shape		shape;
	bool				hardware;
	struct sim_cpu __percpu		*cpus;
};

struct sim_pmu *sim_pmu_alloc(const struct sim_pmu_shape *shape);
void sim_pmu_free(struct sim_pmu *sim);
void sim_pmu_advance(struct sim_pmu *sim, unsigned int event, u64 n);
unsigned int sim_pmu_busy(const struct sim_pmu *sim);

#endif /* _KERNEL_EVENTS_SIM_PMU_H */
