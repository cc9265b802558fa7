/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SIM_PMU_H
#define _KERNEL_EVENTS_SIM_PMU_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/perf_event.h>

#define SIM_MAX_COUNTERS	16
#define SIM_MAX_EVENTS		16

/*
 * perf_event_attr::config: which event, on which general counters it may be, and
 * whether it needs a group that another event leads
 */
#define SIM_CONFIG_EVENT	0x00ffULL
#define SIM_CONFIG_COUNTERS	0xff00ULL
#define SIM_CONFIG_COUNTERS_SHIFT 8
#define SIM_CONFIG_MEMBER	0x10000ULL

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

struct sim_pmu;
struct sim_habits;

/**
 * struct sim_counter - one counter of a CPU
 * @event: who has it, or NULL
 * @value: as of @since
 * @since: local_clock(), valid while it runs
 * @runs: it has been started
 */
struct sim_counter {
	struct perf_event	*event;
	u64			value;
	u64			since;
	bool			runs;
};

/**
 * struct sim_cpu - the counters of one CPU
 * @sim: whose they are
 * @counters: general ones first
 * @waiting: events of a transaction that have no counter yet
 * @nr_waiting: how many
 * @in_txn: PERF_PMU_TXN_* that is going on
 * @enabled: counters that have been started run
 * @overflowed: counters that have overflowed, and whose interrupt is still to come
 * @timer: the interrupt, when it is known in advance
 * @due: local_clock() when it comes
 * @irq_work: the interrupt, when it comes at once
 *
 * Looked at by its own CPU with interrupts off.
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
 * struct sim_pmu - a PMU that is made of memory
 * @pmu: what the core knows of it
 * @shape: what it is like
 * @hardware: it serves PERF_TYPE_HARDWARE, too
 * @ignores_stop: an event whose overflow is answered with "stop it" counts on
 * @halts_unmarked: an event that is stopped so is not marked PERF_HES_STOPPED
 * @habits: the rest of what it has of some real driver, or NULL
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
