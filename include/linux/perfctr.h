/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooks of perfctr's virtual counters in the scheduler, fork, exec and exit. For threads
 * without counters each hook is a static branch, which is patched out while no object exists.
 * With TIF_PERFCTR the context switch has no hook of its own: it tests the flag with others.
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
void __perfctr_copy_task(struct task_struct *child, u64 clone_flags);
void __perfctr_free_task(struct task_struct *child);
void __perfctr_exit_task(struct task_struct *task);
void __perfctr_release_task(struct task_struct *task);
void __perfctr_leave_mm(void);
void __perfctr_exec(bool detach);
void __perfctr_forbid_tsc(void);

/*
 * The CPU switches from @prev to @next; @next is or is about to be current. Perf events of
 * @prev are scheduled out, and those of @next are not scheduled in yet. The run queue is
 * locked.
 *
 * With TIF_PERFCTR the architecture's __switch_to() calls __perfctr_switch(), because it
 * tests the flags of both threads anyway. Without TIF_PERFCTR, a switch between two threads
 * without counters finds two equal pointers.
 */
static __always_inline void perfctr_switch(struct task_struct *prev, struct task_struct *next)
{
#ifndef TIF_PERFCTR
	if (static_branch_unlikely(&vperfctr_used) &&
	    rcu_access_pointer(prev->perfctr) != rcu_access_pointer(next->perfctr))
		__perfctr_switch(prev, next);
#endif
}

/* Called from the tick of @task. Interrupts are off. */
static __always_inline void perfctr_tick(struct task_struct *task)
{
	if (static_branch_unlikely(&vperfctr_used) && rcu_access_pointer(task->perfctr))
		__perfctr_tick(task);
}

/* @child is a copy of current. It does not run yet, and no other task can find it. May sleep. */
static inline void perfctr_copy_task(struct task_struct *child, u64 clone_flags)
{
	if (rcu_access_pointer(child->perfctr))
		__perfctr_copy_task(child, clone_flags);
}

/* The fork of @child failed. */
static inline void perfctr_free_task(struct task_struct *child)
{
	if (rcu_access_pointer(child->perfctr))
		__perfctr_free_task(child);
}

/* @task is current and exits. */
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

/* current executes another program: its address space is still that of the old program. */
static inline void perfctr_leave_mm(void)
{
	if (rcu_access_pointer(current->perfctr))
		__perfctr_leave_mm();
}

/*
 * current executes another program, and has its address space. @detach: the program is not
 * dumpable, or has more privileges.
 */
static inline void perfctr_exec(bool detach)
{
	if (rcu_access_pointer(current->perfctr))
		__perfctr_exec(detach);
}

/* current loses the right to read the TSC. */
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
static inline void perfctr_copy_task(struct task_struct *child, u64 clone_flags) { }
static inline void perfctr_free_task(struct task_struct *child) { }
static inline void perfctr_exit_task(struct task_struct *task) { }
static inline void perfctr_release_task(struct task_struct *task) { }
static inline void perfctr_leave_mm(void) { }
static inline void perfctr_exec(bool detach) { }
static inline void perfctr_forbid_tsc(void) { }
#endif

#ifdef TIF_PERFCTR
#define _TIF_PERFCTR	BIT(TIF_PERFCTR)
#else
#define _TIF_PERFCTR	0
#endif

#endif /* _LINUX_PERFCTR_H */
