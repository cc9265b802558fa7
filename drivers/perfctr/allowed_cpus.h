/* SPDX-License-Identifier: GPL-2.0 */
/* Virtual performance counters: the allowed CPUs of a thread with counters. */
#ifndef _DRIVERS_PERFCTR_ALLOWED_CPUS_H
#define _DRIVERS_PERFCTR_ALLOWED_CPUS_H

#include <linux/cpumask.h>
#include <linux/cpuset.h>
#include <linux/gfp.h>
#include <linux/perfctr.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

/*
 * Set a thread's allowed CPUs to @cpus, then @cpus to the CPUs of its cpuset. Return: 0 if all
 * allowed CPUs are in the cpuset, -EAGAIN if the cpuset has changed meanwhile, or an error.
 */
static inline int vperfctr_allow_cpus(struct task_struct *task, struct cpumask *cpus)
{
	int err = set_cpus_allowed_ptr(task, cpus);

	if (err)
		return err;
	cpuset_cpus_allowed(task, cpus);
	return cpumask_subset(task->cpus_ptr, cpus) ? 0 : -EAGAIN;
}

/*
 * Has the caller or @task been killed? A killed @task that the caller traces cannot exit before
 * vperfctr_unhold_task().
 */
static inline bool vperfctr_killed(struct task_struct *task)
{
	return fatal_signal_pending(current) || fatal_signal_pending(task);
}

/*
 * Remove the CPUs that cannot run the counters from a thread's allowed CPUs. A change of its cpuset
 * may set the allowed CPUs meanwhile: repeat until all allowed CPUs are in the cpuset. If all CPUs
 * of the changed cpuset are forbidden, allow all CPUs of the cpuset, and return -EINVAL.
 *
 * A killed thread must exit, even if the cpuset changes again and again: after a fatal signal,
 * return -ESRCH. A traced thread outlives its killed tracer, so allow all CPUs of the cpuset first.
 */
static inline int vperfctr_leave_forbidden(struct task_struct *task)
{
	const struct cpumask *forbidden = perfctr_cpu_forbidden();
	cpumask_var_t cpus;
	bool none = false;
	int err = -EINVAL;

	if (!cpumask_intersects(task->cpus_ptr, forbidden))
		return 0;
	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	if (cpumask_andnot(cpus, task->cpus_ptr, forbidden))
		err = vperfctr_allow_cpus(task, cpus);
	while (err == -EAGAIN && !vperfctr_killed(task)) {
		none = cpumask_subset(cpus, forbidden);
		if (!none)
			cpumask_andnot(cpus, cpus, forbidden);
		err = vperfctr_allow_cpus(task, cpus);
	}
	if (err == -EAGAIN)
		err = set_cpus_allowed_ptr(task, cpus) ?: -ESRCH;
	free_cpumask_var(cpus);
	if (!err && none)
		return -EINVAL;
	return err;
}

#endif
