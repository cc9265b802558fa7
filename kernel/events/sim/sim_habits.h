/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SIM_HABITS_H
#define _KERNEL_EVENTS_SIM_HABITS_H

#include "sim_pmu.h"

/*
 * Habits that some real drivers have and others do not. The table in
 * Documentation/core-api/perf-events.rst says which drivers, and names the tests.
 */
#define SIM_SCOPE	0x0001	/* system-wide, one instance a package */
#define SIM_SOFTWARE	0x0002	/* perf_sw_context: never lacks a counter */
#define SIM_SWITCH	0x0004	/* keeps something of the running task: sched_task */
#define SIM_TASK_DATA	0x0008	/* and puts it away while the task is not on */
#define SIM_LEAVES	0x0010	/* sched_task takes its PMU off the list itself */
#define SIM_EXCLUSIVE	0x0020	/* PERF_PMU_CAP_EXCLUSIVE */
#define SIM_MOVES	0x0040	/* pmu_enable gives events other counters */
#define SIM_SLEEPS	0x0080	/* event_init takes a mutex and sleeps */
#define SIM_UNMARKED	0x0100	/* halts at overflow without PERF_HES_STOPPED */
#define SIM_IGNORES	0x0200	/* does not halt when perf_event_overflow() says so */
#define SIM_PAIRS	0x0400	/* each start links the event, each stop unlinks it */
#define SIM_OTHER_CPU	0x0800	/* event_init names the CPU that speaks for others */
#define SIM_LIMITED	0x1000	/* periods below SIM_LEAST_PERIOD are impossible */
#define SIM_NO_INTERRUPT 0x2000	/* PERF_PMU_CAP_NO_INTERRUPT */
#define SIM_NO_TXN	0x4000	/* no transactions of its own */
#define SIM_REFUSES	0x8000	/* add fails, though it has counters */

#define SIM_LEAST_PERIOD	32

/**
 * struct sim_habits_cpu - one CPU's side of a PMU with habits
 * @users: events that have a counter
 * @asked: perf_sched_cb_inc() has been called
 * @due: a task has left, and the next one's record is still to come
 * @cgroup_due: and events of a cgroup have come since
 * @record: whose branches the hardware has, so to say: a pid, 0 for none
 * @enables: how often the whole PMU has been enabled
 * @early: how often the PMU was enabled with events of a task while @due or
 *	@cgroup_due was set
 * @outs: how often sched_task was told of a task that leaves
 * @ins: how often sched_task was told of a task that comes
 * @restored: how often a task that comes had a record that was put away
 * @reads: number of reads of counters
 *
 * Only its own CPU looks at it, with interrupts off.
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
 * @sim: the PMU; its callbacks are ours, which call those in @plain
 * @plain: the callbacks of a PMU without habits
 * @mask: SIM_* of above
 * @lock: that event_init takes, with SIM_SLEEPS
 * @speaker: the CPU of all events, with SIM_OTHER_CPU; -1 while they move
 * @cpus: of each CPU
 * @complaints: how often the core broke the contract of a driver's callbacks
 * @complaint: the first of them, or NULL
 */
struct sim_habits {
	struct sim_pmu			*sim;
	struct pmu			plain;
	unsigned int			mask;
	struct mutex			lock; /* event_init */
	int				speaker;
	struct sim_habits_cpu __percpu	*cpus;
	atomic_t			complaints;
	const char			*complaint;
};

struct sim_habits *sim_habits_alloc(const struct sim_pmu_shape *shape, unsigned int mask);
void sim_habits_free(struct sim_habits *habits);

#endif /* _KERNEL_EVENTS_SIM_HABITS_H */
