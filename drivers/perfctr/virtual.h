/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Virtual performance counters: shared declarations.
 *
 *   object	struct vperfctr: the counters of a thread, and files for them
 *   control	struct perfctr_cpu_control: the counters and events selected by a program
 *   state	struct perfctr_cpu_state: a control, its start values and sums
 *   a-mode	counters that only count
 *   i-mode	counters that interrupt when they overflow
 *   claim	counters that the low-level driver has reserved in perf's PMU driver for a state
 *
 *   object.c	objects, and the reservation of the hardware
 *   thread.c	context switch, tick, fork, exec and exit of threads with objects
 *   file.c	the pseudo file system of the objects' files
 *   syscalls.c	the system calls
 */
#ifndef _DRIVERS_PERFCTR_VIRTUAL_H
#define _DRIVERS_PERFCTR_VIRTUAL_H

#include <linux/perf_event.h>
#include <linux/perfctr.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

/*
 * Up to this rate of a counter, the sums are exact. The rate exceeds 32 events per cycle at 6 GHz,
 * and 48 events per cycle at 4 GHz.
 */
#define VPERFCTR_EVENTS_PER_SEC	200000000000ULL

/**
 * struct vperfctr - the counters of a thread
 * @state: control and counts, in a page of its own that user space maps
 * @refs: one for the thread, and one for each file
 * @owner: the thread; NULL after unlink, and after the thread is reaped. RCU
 * @dead: @owner has exited; @state does not change any more
 * @running: the low-level driver runs @state on @owner's CPU
 * @kernel: a control has counted in the kernel, so the sums may include the kernel
 * @undumpable: the sums may include a program that was not dumpable, before an exec of @owner or of
 *	another thread of its process
 * @hide: __perfctr_exec() must hide the counts so far
 * @si_signo: signal for overflows, 0 for none
 * @stopped_cstatus: cstatus before the last overflow, for vperfctr_iresume(); 0: there is no
 *	overflow to resume from
 * @pending: mask of overflows whose signal has not been sent yet
 * @pending_ill: SIGILL for a forbidden CPU has not been sent yet
 * @next_sample: jiffies of the next sample
 * @overflow_tick: jiffies of the last overflow
 * @overflows: number of overflows in @overflow_tick
 * @lock: protects @identity and @children
 * @identity: identity of the control, equal in objects that have inherited it. 0: no control
 * @counted: cstatus of the control, without the TSC if @owner may no longer read it; 0 if the last
 *	control enables nothing. Unlike state->cstatus, @counted keeps counters that are stopped:
 *	after an overflow, on a forbidden CPU, or for pinned events of perf. See
 *	vperfctr_overflow(), vperfctr_resume() and vperfctr_run(). Written by @owner or its tracer
 * @children: sums of reaped threads that had inherited the control
 * @rcu: for kfree_rcu()
 * @label: an event for the label of security modules, whose hooks take an event; never attached.
 *	@label must be the last field, see vperfctr_new_object()
 *
 * Access rules:
 *
 * 1. @owner, in a context switch or tick: no lock. Interrupts are off on @owner's CPU.
 * 2. @owner, in a system call, exit or exec: no lock. @owner changes the object with interrupts
 *    off, which excludes vperfctr_overflow_handler(), too. On powerpc, an overflow may nevertheless
 *    update the sums, so the counters are suspended before a change of @state.
 * 3. Another thread, in a system call: the thread traces @owner. vperfctr_hold_task() keeps @owner
 *    stopped, on no CPU, until vperfctr_unhold_task().
 * 4. A change of affinity does not access the object: when @owner starts to run on a forbidden
 *    CPU, its counters stop.
 * 5. The parent that reaps a child finds its own object under RCU, and adds to @children under
 *    @lock.
 */
struct vperfctr {
	struct perfctr_cpu_state	*state;
	refcount_t			refs;
	struct task_struct __rcu	*owner;
	bool				dead;
	bool				running;
	bool				kernel;
	bool				undumpable;
	bool				hide;
	int				si_signo;
	u32				stopped_cstatus;
	u32				pending;
	bool				pending_ill;
	unsigned long			next_sample;
	unsigned long			overflow_tick;
	unsigned int			overflows;
	spinlock_t			lock;		/* identity, children */
	u64				identity;
	u32				counted;
	struct perfctr_sum_ctrs		children;
	struct rcu_head			rcu;
#ifdef CONFIG_SECURITY
	struct perf_event		label;
#endif
};

/* The event for security_perf_event_read() and the like; not used without CONFIG_SECURITY. */
static inline struct perf_event *vperfctr_label(struct vperfctr *vp)
{
#ifdef CONFIG_SECURITY
	return &vp->label;
#else
	return NULL;
#endif
}

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

/* The object of a task that is current, held by vperfctr_hold_task(), new, or dead. */
static inline struct vperfctr *vperfctr_of(struct task_struct *task)
{
	/* Read the pointer once: for a dead @task it may become NULL at any time, see thread.c. */
	return rcu_dereference_check(task->perfctr, true);
}

#endif
