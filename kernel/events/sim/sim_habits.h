/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SIM_HABITS_H
#define _KERNEL_EVENTS_SIM_HABITS_H

#include "sim_pmu.h"

/*
 * Properties that some real drivers have. The table in
 * Documentation/core-api/perf_events/testing.rst lists these drivers and the tests.
 */
#define SIM_SCOPE	0x0001	/* system-wide, one instance for each package */
#define SIM_SOFTWARE	0x0002	/* perf_sw_context: never runs out of counters */
#define SIM_SWITCH	0x0004	/* has per-task hardware state: sched_task */
#define SIM_TASK_DATA	0x0008	/* saves the per-task state while the task is switched out */
#define SIM_LEAVES	0x0010	/* sched_task itself calls perf_sched_cb_dec() */
#define SIM_EXCLUSIVE	0x0020	/* PERF_PMU_CAP_EXCLUSIVE */
#define SIM_MOVES	0x0040	/* pmu_enable moves events to other counters */
#define SIM_SLEEPS	0x0080	/* event_init takes a mutex and sleeps */
#define SIM_UNMARKED	0x0100	/* stops at an overflow without PERF_HES_STOPPED */
#define SIM_IGNORES	0x0200	/* continues after perf_event_overflow() returned true */
#define SIM_PAIRS	0x0400	/* start adds the event to a list, stop removes it */
#define SIM_OTHER_CPU	0x0800	/* event_init sets event->cpu to the CPU that counts for others */
#define SIM_LIMITED	0x1000	/* periods below SIM_LEAST_PERIOD are not valid */
#define SIM_NO_INTERRUPT 0x2000	/* PERF_PMU_CAP_NO_INTERRUPT */
#define SIM_NO_TXN	0x4000	/* no transactions */
#define SIM_REFUSES	0x8000	/* add fails, although counters are free */

#define SIM_LEAST_PERIOD	32

/**
 * struct sim_habits_cpu - per-CPU data of a PMU with habits
 * @users: events with a counter
 * @asked: perf_sched_cb_inc() was called, and no perf_sched_cb_dec() since
 * @due: a task was switched out, and the next task's record is not loaded yet
 * @cgroup_due: @due is set, and events of a cgroup were added since
 * @record: simulated branch record: pid of its task, 0 for none
 * @enables: number of calls of pmu::pmu_enable
 * @early: number of calls of pmu::pmu_enable with events of a task while @due or @cgroup_due was
 *	set
 * @outs: number of calls of pmu::sched_task for a task that is switched out
 * @ins: number of calls of pmu::sched_task for a task that is switched in
 * @restored: number of tasks switched in with a saved record
 * @reads: number of reads of counters
 *
 * Accessed only on its own CPU, with interrupts off.
 */
struct sim_habits_cpu {
	unsigned int	users;
	bool		asked;
	bool		due;
	bool		cgroup_due;
	pid_t		record;
	unsigned int	enables;
	unsigned int	early;
	unsigned int	outs;
	unsigned int	ins;
	unsigned int	restored;
	unsigned int	reads;
};

/**
 * struct sim_habits - a simulated PMU with habits of real drivers
 * @sim: the PMU; its callbacks are replaced, and call those in @plain
 * @plain: the callbacks of a PMU without habits
 * @mask: SIM_* from above
 * @lock: taken by pmu::event_init, with SIM_SLEEPS
 * @cpu: the CPU of all events, with SIM_OTHER_CPU; -1 while they move
 * @cpus: per-CPU data
 * @complaints: number of times that the core broke the contract of a driver's callbacks
 * @complaint: the first of them, or NULL
 */
struct sim_habits {
	struct sim_pmu			*sim;
	struct pmu			plain;
	unsigned int			mask;
	struct mutex			lock; /* taken in event_init */
	int				cpu;
	struct sim_habits_cpu __percpu	*cpus;
	atomic_t			complaints;
	const char			*complaint;
};

struct sim_habits *sim_habits_alloc(const struct sim_pmu_shape *shape, unsigned int mask);
void sim_habits_free(struct sim_habits *habits);

#endif /* _KERNEL_EVENTS_SIM_HABITS_H */
