/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Virtual performance counters of threads: what the rest of the kernel tells them. Threads
 * that do not use any pay for a branch that is patched out while nobody does; in a switch, where
 * there is TIF_PERFCTR, they never pay.
 */
#ifndef _LINUX_PERFCTR_H
#define _LINUX_PERFCTR_H

#ifdef CONFIG_PERFCTR
#include <uapi/linux/perfctr.h>
#endif

#include <linux/bits.h>
#include <linux/jump_label.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#ifdef CONFIG_PERFCTR_VIRTUAL
DECLARE_STATIC_KEY_FALSE(vperfctr_used);

void __perfctr_switch(struct task_struct *prev, struct task_struct *next);
void __perfctr_tick(struct task_struct *task);
void __perfctr_copy_task(struct task_struct *child);
void __perfctr_free_task(struct task_struct *child);
void __perfctr_exit_task(struct task_struct *task);
void __perfctr_release_task(struct task_struct *task);
void __perfctr_exec(void);
void __perfctr_forbid_tsc(void);

/*
 * This CPU goes on with @next, which is or is about to be current, after @prev. Perf's events of
 * @prev are off, and those of @next are not on yet. The run queue is locked.
 *
 * Where there is TIF_PERFCTR the architecture's own switch, which looks at other flags of both
 * threads anyway, calls __perfctr_switch(). Elsewhere threads that both have no counters are equal.
 */
static __always_inline void perfctr_switch(struct task_struct *prev, struct task_struct *next)
{
#ifndef TIF_PERFCTR
	if (static_branch_unlikely(&vperfctr_used) &&
	    rcu_access_pointer(prev->perfctr) != rcu_access_pointer(next->perfctr))
		__perfctr_switch(prev, next);
#endif
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

/* current may not read the TSC any more. */
static inline void perfctr_forbid_tsc(void)
{
	if (rcu_access_pointer(current->perfctr))
		__perfctr_forbid_tsc();
}
#else
#undef TIF_PERFCTR
static inline void __perfctr_switch(struct task_struct *prev, struct task_struct *next) { }
static inline void perfctr_switch(struct task_struct *prev, struct task_struct *next) { }
static inline void perfctr_tick(struct task_struct *task) { }
static inline void perfctr_copy_task(struct task_struct *child) { }
static inline void perfctr_free_task(struct task_struct *child) { }
static inline void perfctr_exit_task(struct task_struct *task) { }
static inline void perfctr_release_task(struct task_struct *task) { }
static inline void perfctr_exec(void) { }
static inline void perfctr_forbid_tsc(void) { }
#endif

#ifdef TIF_PERFCTR
#define _TIF_PERFCTR	BIT(TIF_PERFCTR)
#else
#define _TIF_PERFCTR	0
#endif

#endif /* _LINUX_PERFCTR_H */
