/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Virtual performance counters of threads: what the rest of the kernel tells them. Threads
 * that do not use any pay for a branch that is patched out while nobody does.
 */
#ifndef _LINUX_PERFCTR_H
#define _LINUX_PERFCTR_H

#ifdef CONFIG_PERFCTR
#include <uapi/linux/perfctr.h>
#endif

#include <linux/jump_label.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#ifdef CONFIG_PERFCTR_VIRTUAL
DECLARE_STATIC_KEY_FALSE(vperfctr_used);

void __perfctr_sched_out(struct task_struct *prev, struct task_struct *next);
void __perfctr_sched_in(struct task_struct *task);
void __perfctr_tick(struct task_struct *task);
void __perfctr_copy_task(struct task_struct *child);
void __perfctr_free_task(struct task_struct *child);
void __perfctr_exit_task(struct task_struct *task);
void __perfctr_release_task(struct task_struct *task);
void __perfctr_exec(void);

/* @prev stops running on this CPU, for @next. The run queue is locked. */
static __always_inline void perfctr_sched_out(struct task_struct *prev, struct task_struct *next)
{
	if (static_branch_unlikely(&vperfctr_used) && rcu_access_pointer(prev->perfctr))
		__perfctr_sched_out(prev, next);
}

/* @task, which is current, begins to run on this CPU. The run queue is locked. */
static __always_inline void perfctr_sched_in(struct task_struct *task)
{
	if (static_branch_unlikely(&vperfctr_used) && rcu_access_pointer(task->perfctr))
		__perfctr_sched_in(task);
}

/* A tick has found @task running. Interrupts are off. */
static __always_inline void perfctr_tick(struct task_struct *task)
{
	if (static_branch_unlikely(&vperfctr_used) && rcu_access_pointer(task->perfctr))
		__perfctr_tick(task);
}

/* @child, a copy of current, does not run yet, and nobody can find it. May sleep. */
static inline void perfctr_copy_task(struct task_struct *child)
{
	if (rcu_access_pointer(child->perfctr))
		__perfctr_copy_task(child);
}

/* @child does not come to life. */
static inline void perfctr_free_task(struct task_struct *child)
{
	if (rcu_access_pointer(child->perfctr))
		__perfctr_free_task(child);
}

/* @task, which is current, exits. */
static inline void perfctr_exit_task(struct task_struct *task)
{
	if (rcu_access_pointer(task->perfctr))
		__perfctr_exit_task(task);
}

/* @task is dead, and is being reaped. */
static inline void perfctr_release_task(struct task_struct *task)
{
	if (rcu_access_pointer(task->perfctr))
		__perfctr_release_task(task);
}

/* current executes a program that nobody may look into. */
static inline void perfctr_exec(void)
{
	if (rcu_access_pointer(current->perfctr))
		__perfctr_exec();
}
#else
static inline void perfctr_sched_out(struct task_struct *prev, struct task_struct *next) { }
static inline void perfctr_sched_in(struct task_struct *task) { }
static inline void perfctr_tick(struct task_struct *task) { }
static inline void perfctr_copy_task(struct task_struct *child) { }
static inline void perfctr_free_task(struct task_struct *child) { }
static inline void perfctr_exit_task(struct task_struct *task) { }
static inline void perfctr_release_task(struct task_struct *task) { }
static inline void perfctr_exec(void) { }
#endif

#endif /* _LINUX_PERFCTR_H */
