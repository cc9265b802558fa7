/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Virtual performance counters: the object that a thread's counters are, and what the files
 * here share.
 *
 *   object.c	objects, and who has the hardware
 *   thread.c	what happens to threads, and to their objects with them
 *   file.c	the pseudo file system of the objects' files
 *   syscalls.c	the system calls
 */
#ifndef _DRIVERS_PERFCTR_VIRTUAL_H
#define _DRIVERS_PERFCTR_VIRTUAL_H

#include <linux/perfctr.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

/**
 * struct vperfctr - the counters of a thread
 * @state: they and their control: a page of its own, which user space maps
 * @refs: one of the thread, and one of each file
 * @owner: the thread; NULL once it is unlinked or reaped. RCU
 * @dead: @owner has exited; @state does not change any more
 * @running: the low-level driver runs @state on @owner's CPU
 * @kernel: its sums may tell of the kernel: it has had a control that counts there
 * @si_signo: signal for overflows, 0 for none
 * @iresume: cstatus before the last overflow, for vperfctr_iresume(); 0: there is none
 * @pending: overflows whose signal has not been sent yet
 * @pending_ill: the same for SIGILL, when a CPU is forbidden
 * @next_sample: jiffies when the counters are to be sampled
 * @overflow_tick: jiffies of the last overflow
 * @overflows: how many there were in that tick
 * @lock: protects what follows
 * @identity: of the control; objects that have it in common have inherited it. 0: no control
 * @children: sums of threads that have inherited the control, and are reaped
 * @rcu: to free it
 *
 * The rules, and what they rest on:
 *
 * 1. @owner itself, in a switch or a tick: interrupts are off, on the CPU that @owner runs on.
 *    No lock.
 * 2. @owner itself, in a system call, exit or exec: changes are made with interrupts off.
 *    The overflow's interrupt comes to @owner's CPU, so it is kept out as well. No lock.
 * 3. Another thread, in a system call: it traces @owner, which is stopped and frozen so, and
 *    runs on no CPU, until the call is done. See vperfctr_hold().
 * 4. A change of affinity does not touch the object: as @owner begins to run on a forbidden
 *    CPU its counters stop.
 * 5. Who reaps a child finds the parent's object under RCU, and adds to @children under @lock.
 */
struct vperfctr {
	struct perfctr_cpu_state	*state;
	refcount_t			refs;
	struct task_struct __rcu	*owner;
	bool				dead;
	bool				running;
	bool				kernel;
	int				si_signo;
	u32				iresume;
	u32				pending;
	bool				pending_ill;
	unsigned long			next_sample;
	unsigned long			overflow_tick;
	unsigned int			overflows;
	spinlock_t			lock;		/* identity, children */
	u64				identity;
	struct perfctr_sum_ctrs		children;
	struct rcu_head			rcu;
};

/* object.c */
int vperfctr_use_hardware(void);
void vperfctr_unuse_hardware(void);
struct vperfctr *vperfctr_alloc(void);
void vperfctr_get(struct vperfctr *vp);
void vperfctr_put(struct vperfctr *vp);

/* thread.c */
void vperfctr_init_thread(void);
void vperfctr_overflow_handler(unsigned long pc);
void vperfctr_attach(struct vperfctr *vp, struct task_struct *task);
void vperfctr_detach(struct vperfctr *vp, struct task_struct *task);
void vperfctr_suspend(struct vperfctr *vp);
void vperfctr_resume(struct vperfctr *vp);
void vperfctr_await_tick(const struct vperfctr *vp);
u64 vperfctr_new_identity(void);
bool vperfctr_may_read_tsc(struct task_struct *task);

/* file.c */
int vperfctr_init_fs(void);
struct file *vperfctr_new_file(struct vperfctr *vp);
bool vperfctr_is_file(const struct file *file);

/* What of a thread nobody else may touch: it is current, or held by vperfctr_hold(). */
static inline struct vperfctr *vperfctr_of(struct task_struct *task)
{
	/* It is read once: when @task has died, the pointer may go meanwhile; see thread.c. */
	return rcu_dereference_check(task->perfctr, true);
}

#endif
