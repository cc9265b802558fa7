/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SIM_PMU_H
#define _KERNEL_EVENTS_SIM_PMU_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/perf_event.h>

#define SIM_MAX_COUNTERS	16
#define SIM_MAX_EVENTS		16

/*
 * perf_event_attr::config: event, allowed general counters, and a flag for events that cannot
 * be a group leader
 */
#define SIM_CONFIG_EVENT	0x00ffULL
#define SIM_CONFIG_COUNTERS	0xff00ULL
#define SIM_CONFIG_COUNTERS_SHIFT 8
#define SIM_CONFIG_MEMBER	0x10000ULL

/* Events from this number on do not follow the clock: only sim_pmu_advance() counts them. */
#define SIM_EVENT_STEP		8

/**
 * struct sim_pmu_shape - parameters of a simulated PMU
 * @nr_general: number of general counters
 * @nr_fixed: number of fixed counters: the first counts event 0, and so on
 * @width: bits of a counter, 16 to 64
 * @latency_ns: time from an overflow to its interrupt
 * @constraints: for each event the mask of allowed general counters, 0 for all
 */
struct sim_pmu_shape {
	unsigned int	nr_general;
	unsigned int	nr_fixed;
	unsigned int	width;
	unsigned int	latency_ns;
	unsigned int	constraints[SIM_MAX_EVENTS];
};

struct sim_pmu;
struct sim_habits;

/**
 * struct sim_counter - a counter of a CPU
 * @event: event on the counter, or NULL
 * @value: value at @since
 * @since: local_clock(), valid while the counter runs
 * @runs: the counter is started
 */
struct sim_counter {
	struct perf_event	*event;
	u64			value;
	u64			since;
	bool			runs;
};

/**
 * struct sim_cpu - the counters of one CPU
 * @sim: the PMU
 * @counters: general counters first
 * @waiting: events of an open transaction, without a counter yet
 * @nr_waiting: number of events in @waiting
 * @in_txn: PERF_PMU_TXN_* of the open transaction
 * @enabled: the PMU is enabled: started counters run
 * @overflowed: overflowed counters with a pending interrupt
 * @timer: the interrupt, if its time is known in advance
 * @due: local_clock() at the expiry of @timer
 * @irq_work: the interrupt, if it is immediate
 *
 * Accessed only on its own CPU with interrupts off.
 */
struct sim_cpu {
	struct sim_pmu		*sim;
	struct sim_counter	counters[SIM_MAX_COUNTERS];
	struct perf_event	*waiting[SIM_MAX_COUNTERS];
	unsigned int		nr_waiting;
	unsigned int		in_txn;
	bool			enabled;
	unsigned long		overflowed;
	struct hrtimer		timer;
	u64			due;
	struct irq_work		irq_work;
};

/**
 * struct sim_pmu - a simulated PMU
 * @pmu: the registered PMU
 * @shape: its parameters
 * @hardware: the PMU also supports PERF_TYPE_HARDWARE
 * @ignores_stop: an event continues after perf_event_overflow() has returned true
 * @halts_unmarked: an event that is stopped at an overflow is not marked PERF_HES_STOPPED
 * @habits: further properties of real drivers, or NULL
 * @cpus: the counters of each CPU
 */
struct sim_pmu {
	struct pmu			pmu;
	struct sim_pmu_shape		shape;
	bool				hardware;
	bool				ignores_stop;
	bool				halts_unmarked;
	struct sim_habits		*habits;
	struct sim_cpu __percpu		*cpus;
};

static inline struct sim_pmu *to_sim(const struct pmu *pmu)
{
	return container_of(pmu, struct sim_pmu, pmu);
}

struct sim_pmu *sim_pmu_alloc(const struct sim_pmu_shape *shape);
void sim_pmu_free(struct sim_pmu *sim);
void sim_pmu_advance(struct sim_pmu *sim, unsigned int event, u64 n);
void sim_pmu_shuffle(struct sim_pmu *sim);
unsigned int sim_pmu_busy(const struct sim_pmu *sim);

#endif /* _KERNEL_EVENTS_SIM_PMU_H */
