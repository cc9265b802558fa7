// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual performance counters: schedule in and out, fork, exec, exit and reaping of threads
 * with objects, and overflows.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/perf_event.h>
#include <linux/sched/coredump.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>

#include "virtual.h"

/*
 * Interval of samples, in ticks. User space and the kernel see only the lower 32 bits of a counter,
 * so fewer than 2^32 events may occur between two samples. The second sample may be a tick late.
 * Most events occur at most 8 times per cycle. An event that counts the outstanding requests of a
 * cache can occur up to 48 times per cycle.
 */
#define VPERFCTR_SAMPLE	(HZ / 100)

static_assert(VPERFCTR_SAMPLE >= 1);
static_assert(VPERFCTR_EVENTS_PER_SEC / HZ * (VPERFCTR_SAMPLE + 1) < 1ULL << 32);

/* Sends signals of vperfctr_resume(), which may run with the run queue locked. */
static DEFINE_PER_CPU(struct irq_work, vperfctr_signal_work);

static void vperfctr_send(struct vperfctr *vp)
{
	struct kernel_siginfo info;
	u32 mask = vp->pending;

	if (vp->pending_ill) {
		vp->pending_ill = false;
		send_sig(SIGILL, current, 1);
	}
	if (!mask)
		return;
	vp->pending = 0;
	if (vp->si_signo <= 0 || !valid_signal(vp->si_signo))
		return;
	clear_siginfo(&info);
	info.si_signo = vp->si_signo;
	info.si_code = SI_PMC_OVF;
	info.si_pmc_ovf_mask = mask;
	send_sig_info(vp->si_signo, &info, current);
}

static void vperfctr_send_work(struct irq_work *work)
{
	struct vperfctr *vp = vperfctr_of(current);

	/*
	 * If the thread was switched out after the overflow, its next vperfctr_resume() queues the
	 * work again.
	 */
	if (vp)
		vperfctr_send(vp);
}

/**
 * vperfctr_init_thread - initialise the irq works
 *
 * Context: at boot.
 */
void vperfctr_init_thread(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		init_irq_work(per_cpu_ptr(&vperfctr_signal_work, cpu), vperfctr_send_work);
}

/**
 * vperfctr_suspend - stop an object's counters
 * @vp: current's object, or an object whose owner runs on no CPU
 *
 * Context: interrupts are off.
 */
void vperfctr_suspend(struct vperfctr *vp)
{
	lockdep_assert_irqs_disabled();
	if (!vp->running)
		return;
	perfctr_cpu_suspend(vp->state);
	vp->running = false;
}

static void vperfctr_run(struct vperfctr *vp)
{
	struct perfctr_cpu_state *state = vp->state;

	/*
	 * If the counters cannot be reserved, cstatus in the page shows that they are stopped.
	 * The TSC can always be started.
	 */
	if (perfctr_cpu_resume(state)) {
		state->cstatus = perfctr_mk_cstatus(perfctr_cstatus_has_tsc(state->cstatus), 0, 0);
		if (!state->cstatus || WARN_ON_ONCE(perfctr_cpu_resume(state)))
			return;
	}
	vp->running = true;
	vp->next_sample = jiffies + VPERFCTR_SAMPLE;
}

static void vperfctr_note_overflow(struct vperfctr *vp)
{
	unsigned long now = jiffies;

	if (vp->overflow_tick != now) {
		vp->overflow_tick = now;
		vp->overflows = 0;
	}
	vp->overflows++;
}

/**
 * vperfctr_await_tick - wait until an object's counters may interrupt again
 * @vp: current's object, or an object whose owner is held
 *
 * Limits an object's overflows per tick to the samples per tick of a perf event, which
 * perf_cpu_time_max_percent may lower. After an overflow, the counters are stopped until
 * vperfctr_iresume() or a new control. vperfctr_iresume() and a control with i-mode counters wait
 * here. So no overflow is lost, in contrast to a throttled event.
 *
 * Context: process context, may sleep.
 */
void vperfctr_await_tick(const struct vperfctr *vp)
{
	unsigned int most = DIV_ROUND_UP(READ_ONCE(sysctl_perf_event_sample_rate), HZ);
	unsigned long now = jiffies;

	if (READ_ONCE(vp->overflow_tick) == now && READ_ONCE(vp->overflows) >= most)
		schedule_timeout_uninterruptible(1);
}

/* Handle overflows: only the TSC stays enabled until vperfctr_iresume(). */
static bool vperfctr_overflow(struct vperfctr *vp)
{
	struct perfctr_cpu_state *state = vp->state;
	u32 mask = perfctr_cpu_identify_overflow(state);

	if (!mask)
		return false;
	perfctr_cpu_ireload(state);
	vperfctr_note_overflow(vp);
	vp->stopped_cstatus = state->cstatus;
	vp->pending |= mask;
	state->cstatus = perfctr_mk_cstatus(perfctr_cstatus_has_tsc(state->cstatus), 0, 0);
	return true;
}

/**
 * vperfctr_resume - start an object's counters
 * @vp: object of the thread that runs on this CPU or is being switched to
 *
 * Context: interrupts are off; the run queue may be locked.
 */
void vperfctr_resume(struct vperfctr *vp)
{
	struct perfctr_cpu_state *state = vp->state;

	lockdep_assert_irqs_disabled();
	if (vp->running || vp->dead)
		return;
	WARN_ON_ONCE(!rcu_access_pointer(vp->owner));
	/*
	 * An overflow is not handled yet if its interrupt is late, or if perf took the counters
	 * before the interrupt.
	 */
	if (perfctr_cpu_overflowed(state))
		vperfctr_overflow(vp);
	if (perfctr_cstatus_nrctrs(state->cstatus) &&
	    cpumask_test_cpu(smp_processor_id(), perfctr_cpu_forbidden())) {
		state->cstatus = 0;
		vp->pending_ill = true;
	}
	if (vp->pending || vp->pending_ill)
		irq_work_queue(this_cpu_ptr(&vperfctr_signal_work));
	if (perfctr_cstatus_enabled(state->cstatus))
		vperfctr_run(vp);
}

/**
 * vperfctr_overflow_handler - handle an overflow that the low-level driver reports
 * @pc: program counter at the overflow
 *
 * Context: hard interrupt on the CPU of the overflow.
 */
void vperfctr_overflow_handler(unsigned long pc)
{
	struct vperfctr *vp = vperfctr_of(current);
	unsigned long flags;

	local_irq_save(flags);
	/*
	 * If the thread was switched out already, its next vperfctr_resume() finds the
	 * overflow.
	 */
	if (vp && vp->running && (perfctr_cstatus_has_ictrs(vp->state->cstatus) ||
				  perfctr_cpu_overflowed(vp->state))) {
		vperfctr_suspend(vp);
		vperfctr_overflow(vp);
		if (perfctr_cstatus_enabled(vp->state->cstatus))
			vperfctr_run(vp);
		vperfctr_send(vp);
	}
	local_irq_restore(flags);
}

/*
 * Context switch and tick. The parent may reap a dead thread before the thread's last context
 * switch, so task->perfctr may become NULL at any time. While interrupts are off, RCU keeps the
 * object in memory; vperfctr::dead is set.
 */

/**
 * __perfctr_switch - switch the counters from one thread to another
 * @prev: the thread that stops running here
 * @next: the thread that runs next; at least one of the two has an object
 *
 * Context: context switch, see perfctr_switch(); interrupts off.
 */
void __perfctr_switch(struct task_struct *prev, struct task_struct *next)
{
	struct vperfctr *from = vperfctr_of(prev), *to = vperfctr_of(next);

	if (from && from->running) {
		vperfctr_suspend(from);
		perfctr_cpu_hide(prev, next);
		/*
		 * If both states have counters, the counters may run on: the next state then starts
		 * from their last values.
		 */
		if (to && !to->dead && perfctr_cstatus_nrctrs(from->state->cstatus) &&
		    perfctr_cstatus_nrctrs(to->state->cstatus) &&
		    !perfctr_cstatus_has_ictrs(to->state->cstatus) &&
		    !cpumask_test_cpu(smp_processor_id(), perfctr_cpu_forbidden()))
			perfctr_cpu_hand_over();
	}
	if (to)
		vperfctr_resume(to);
}

/**
 * __perfctr_tick - sample the counters of the thread before they wrap
 * @task: current, which has an object
 *
 * Context: tick; interrupts off.
 */
void __perfctr_tick(struct task_struct *task)
{
	struct vperfctr *vp = vperfctr_of(task);

	if (!vp || !vp->running || time_before(jiffies, vp->next_sample))
		return;
	perfctr_cpu_sample(vp->state);
	vp->next_sample = jiffies + VPERFCTR_SAMPLE;
}

/* Set the flag that makes __switch_to() call __perfctr_switch(). */
static void vperfctr_flag_thread(struct task_struct *task, bool on)
{
#ifdef TIF_PERFCTR
	update_tsk_thread_flag(task, TIF_PERFCTR, on);
#endif
}

/**
 * vperfctr_may_read_tsc - may a thread read the TSC?
 * @task: current, or a held thread
 *
 * prctl(PR_SET_TSC) and seccomp can forbid a thread to read the TSC.
 *
 * Return: true if @task may read the TSC
 */
bool vperfctr_may_read_tsc(struct task_struct *task)
{
#if defined(TIF_NOTSC)
	return !test_tsk_thread_flag(task, TIF_NOTSC);
#elif defined(TIF_TSC_SIGSEGV)
	return !test_tsk_thread_flag(task, TIF_TSC_SIGSEGV);
#else
	return true;
#endif
}

static u32 vperfctr_cstatus_without_tsc(u32 cstatus)
{
	u32 nractrs = perfctr_cstatus_nractrs(cstatus);

	return perfctr_mk_cstatus(0, nractrs, perfctr_cstatus_nrctrs(cstatus) - nractrs);
}

/**
 * __perfctr_forbid_tsc - remove the TSC from the counters of current
 *
 * Called when current loses the right to read the TSC.
 *
 * Context: task, which has an object. Interrupts may be off: seccomp calls this with a lock held.
 */
void __perfctr_forbid_tsc(void)
{
	struct vperfctr *vp = vperfctr_of(current);
	struct perfctr_cpu_state *state = vp->state;
	unsigned long flags;

	local_irq_save(flags);
	vperfctr_suspend(vp);
	state->cstatus = vperfctr_cstatus_without_tsc(state->cstatus);
	vp->stopped_cstatus = vperfctr_cstatus_without_tsc(vp->stopped_cstatus);
	WRITE_ONCE(vp->counted, vperfctr_cstatus_without_tsc(vp->counted));
	state->tsc_start = 0;
	vperfctr_resume(vp);
	local_irq_restore(flags);
}

/**
 * vperfctr_attach - make a thread the owner of an object
 * @vp: new, without an owner
 * @task: current, a held thread, or a new one
 *
 * The thread takes over the caller's reference.
 */
void vperfctr_attach(struct vperfctr *vp, struct task_struct *task)
{
	WARN_ON_ONCE(vp->running || rcu_access_pointer(vp->owner));
	rcu_assign_pointer(vp->owner, task);
	rcu_assign_pointer(task->perfctr, vp);
	vperfctr_flag_thread(task, true);
}

/**
 * vperfctr_detach - remove an object from its owner
 * @vp: the object
 * @task: its owner: current, a held thread, or a dead one
 */
void vperfctr_detach(struct vperfctr *vp, struct task_struct *task)
{
	unsigned long flags;

	local_irq_save(flags);
	vperfctr_suspend(vp);
	rcu_assign_pointer(task->perfctr, NULL);
	vperfctr_flag_thread(task, false);
	local_irq_restore(flags);
	/*
	 * Any process with a file may read the sums of an object without an owner: complete
	 * the sums first. Pairs with vperfctr_get_owner(). rcu_assign_pointer() of a constant
	 * NULL has no barrier.
	 */
	smp_wmb();
	RCU_INIT_POINTER(vp->owner, NULL);
	vperfctr_put(vp);
}

/* Fork, exit and exec */

/**
 * vperfctr_new_identity - allocate an identity for a control
 *
 * Return: a number that no control had before
 */
u64 vperfctr_new_identity(void)
{
	static atomic64_t last;

	return atomic64_inc_return(&last);
}

/**
 * __perfctr_copy_task - give a new thread an object with the control of current
 * @child: the new thread; child->perfctr is still a copy of current's pointer
 * @clone_flags: flags of the fork
 *
 * @child has no object if memory is lacking, if a security module refuses the object, or if @child
 * is a kernel thread.
 *
 * Context: fork. @child does not run yet, and no other task can find it. May sleep.
 */
void __perfctr_copy_task(struct task_struct *child, u64 clone_flags)
{
	struct vperfctr *from = vperfctr_of(current), *vp;
	struct perfctr_cpu_state *state;
	u32 cstatus;

	RCU_INIT_POINTER(child->perfctr, NULL);
	vperfctr_flag_thread(child, false);
	if (!from || (child->flags & (PF_KTHREAD | PF_USER_WORKER)))
		return;
	/* Does not fail: current's object has reserved the hardware. */
	if (vperfctr_use_hardware())
		return;
	vp = vperfctr_alloc();
	if (IS_ERR(vp)) {
		vperfctr_unuse_hardware();
		return;
	}
	state = vp->state;
	local_irq_disable();
	perfctr_cpu_copy_control(state, from->state);
	cstatus = from->stopped_cstatus ?: from->state->cstatus;
	vp->si_signo = from->si_signo;
	vp->identity = from->identity;
	vp->counted = from->counted;
	/* Even if the counters are stopped: sums of current's other children may be added. */
	vp->kernel = vp->counted && perfctr_cpu_counts_kernel(&state->control);
	/* If current exits first, the sums of its children are added to those of its threads. */
	vp->undumpable = from->undumpable && (clone_flags & CLONE_THREAD);
	local_irq_enable();
	state->cstatus = cstatus;
	vperfctr_attach(vp, child);
}

/**
 * __perfctr_free_task - remove the object of a thread whose fork failed
 * @child: the thread, which has never run
 *
 * Context: fork. May sleep.
 */
void __perfctr_free_task(struct task_struct *child)
{
	vperfctr_detach(vperfctr_of(child), child);
}

/**
 * __perfctr_exit_task - stop the counters of a thread that exits
 * @task: current, which has an object
 *
 * The sums are final. Files of the object can still be read.
 *
 * Context: exit.
 */
void __perfctr_exit_task(struct task_struct *task)
{
	struct vperfctr *vp = vperfctr_of(task);

	WARN_ON_ONCE(task != current);
	local_irq_disable();
	vperfctr_suspend(vp);
	/* Pairs with vperfctr_get_owner(): a reader of @dead sees the final sums. */
	smp_store_release(&vp->dead, true);
	local_irq_enable();
}

/* Add the counts of a reaped child and of its own children. The sums of @child are final. */
static void vperfctr_add_child(struct vperfctr *parent, struct vperfctr *child)
{
	struct perfctr_sum_ctrs sums;
	unsigned int i, n;
	u32 counted;

	spin_lock_irq(&child->lock);
	sums = child->children;
	spin_unlock_irq(&child->lock);
	spin_lock_irq(&parent->lock);
	counted = READ_ONCE(parent->counted);
	n = min(perfctr_cstatus_nrctrs(counted), PERFCTR_MAX_COUNTERS);
	if (parent->identity && parent->identity == child->identity) {
		if (perfctr_cstatus_has_tsc(counted))
			parent->children.tsc += child->state->tsc_sum + sums.tsc;
		for (i = 0; i < n; i++)
			parent->children.pmc[i] += child->state->pmc[i].sum + sums.pmc[i];
	}
	spin_unlock_irq(&parent->lock);
}

/**
 * __perfctr_release_task - add the sums of a reaped thread to its parent's
 * @task: the dead thread, which has an object; the object loses its owner
 *
 * Context: task that reaps @task. May sleep.
 */
void __perfctr_release_task(struct task_struct *task)
{
	struct vperfctr *vp = vperfctr_of(task), *parent;

	WARN_ON_ONCE(!vp->dead);
	rcu_read_lock();
	parent = rcu_dereference(rcu_dereference(task->real_parent)->perfctr);
	if (parent && !refcount_inc_not_zero(&parent->refs))
		parent = NULL;
	rcu_read_unlock();
	if (parent) {
		vperfctr_add_child(parent, vp);
		vperfctr_put(parent);
	}
	vperfctr_detach(vp, task);
}

/**
 * __perfctr_leave_mm - note that the next program must not read counts of an undumpable program
 *
 * The next program may have fewer privileges, and may be dumpable. Then it must not open the
 * object: the sums include counts of a program that it could not trace.
 *
 * Context: exec, of a thread that has an object, before the address space is replaced.
 */
void __perfctr_leave_mm(void)
{
	struct vperfctr *vp = vperfctr_of(current);

	if (get_dumpable(current->mm) == SUID_DUMP_USER)
		return;
	local_irq_disable();
	vp->undumpable = true;
	vp->hide = true;
	local_irq_enable();
}

/**
 * __perfctr_exec - hide counts of the previous program of current
 * @detach: the new program is privileged or not dumpable
 *
 * A privileged program may have more privileges than a process with the object's file: remove the
 * object, so that counting stops before the program starts. Other programs may be able to read the
 * counters: on POWER8 and POWER9 all programs are, and on x86 those with a mapped event, or all.
 * Hide the counts of an undumpable program only now: before, threads with the old address space
 * could add counts.
 *
 * Context: exec, of a thread that has an object, after the address space is replaced.
 */
void __perfctr_exec(bool detach)
{
	struct vperfctr *vp = vperfctr_of(current);

	if (detach) {
		vperfctr_detach(vp, current);
		return;
	}
	if (!vp->hide)
		return;
	local_irq_disable();
	vp->hide = false;
	vperfctr_suspend(vp);
	perfctr_cpu_restart(vp->state);
	vperfctr_resume(vp);
	local_irq_enable();
}
