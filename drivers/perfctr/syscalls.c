// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual performance counters: the system calls. The structures are the same for 32-bit and
 * 64-bit programs.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/security.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

#include "allowed_cpus.h"
#include "virtual.h"

static_assert(offsetof(struct vperfctr_control, cpu_control) == 4);
static_assert(offsetof(struct vperfctr_control, preserve) ==
	      4 + sizeof(struct perfctr_cpu_control));
static_assert(sizeof(struct vperfctr_control) == 24 + sizeof(struct perfctr_cpu_control));
static_assert(sizeof(struct perfctr_info) == 64);
static_assert(offsetof(struct perfctr_info, driver_version) == 4);
static_assert(offsetof(struct perfctr_info, cpu_features) == 40);
static_assert(offsetof(struct perfctr_info, reserved) == 52);
static_assert(offsetof(struct perfctr_cpu_mask, mask) == 4);

/* Copy a set of CPUs to user space. Replace nrwords, the size of the mask, by the needed size. */
static int perfctr_put_mask(struct perfctr_cpu_mask __user *to, const struct cpumask *cpus)
{
	const u32 words = DIV_ROUND_UP(nr_cpu_ids, 32);
	u32 room, i, bit, word;

	if (get_user(room, &to->nrwords) || put_user(words, &to->nrwords))
		return -EFAULT;
	if (room < words)
		return -EOVERFLOW;
	for (i = 0; i < words; i++) {
		word = 0;
		for (bit = 0; bit < 32 && i * 32 + bit < nr_cpu_ids; bit++) {
			if (cpumask_test_cpu(i * 32 + bit, cpus))
				word |= BIT(bit);
		}
		if (put_user(word, &to->mask[i]))
			return -EFAULT;
	}
	return 0;
}

/**
 * sys_perfctr_info - report the features of the kernel and the CPUs
 * @infop: gets the features, or NULL
 * @cpus: gets the possible CPUs, or NULL
 * @forbidden: gets the CPUs that run no thread with counters, or NULL
 *
 * Return: 0 on success, -ENODEV if there is no counter or clock, -EFAULT, -EOVERFLOW if a mask
 * needs more words; nrwords is then the number of words needed
 */
SYSCALL_DEFINE3(perfctr_info, struct perfctr_info __user *, infop,
		struct perfctr_cpu_mask __user *, cpus,
		struct perfctr_cpu_mask __user *, forbidden)
{
	struct perfctr_info info = {
		.abi_version = PERFCTR_ABI_VERSION,
		.driver_version = "2.7.6",
	};
	int err;

	if (!perfctr_cpu_name)
		return -ENODEV;
	perfctr_cpu_get_info(&info);
	if (infop && copy_to_user(infop, &info, sizeof(info)))
		return -EFAULT;
	if (cpus) {
		err = perfctr_put_mask(cpus, cpu_possible_mask);
		if (err)
			return err;
	}
	return forbidden ? perfctr_put_mask(forbidden, perfctr_cpu_forbidden()) : 0;
}

/* May the caller count at all? The same checks as in perf_event_open(2), in the same order. */
static int vperfctr_allow(void)
{
	return security_perf_event_open(PERF_SECURITY_OPEN) ?: perf_allow_open();
}

static void vperfctr_unhold_task(struct task_struct *task)
{
	if (task != current)
		ptrace_unfreeze_traced(task);
}

/*
 * Get exclusive access to a thread's object: the thread is current, or stopped and traced by the
 * caller, and stays stopped until vperfctr_unhold_task(). If the thread executes a program that the
 * tracer may not inspect, such as an unreadable one, the tracer may not access the thread's
 * counters either.
 *
 * A held thread cannot be killed, so the caller must not access user space meanwhile.
 */
static int vperfctr_hold_task(struct task_struct *task)
{
	int err;

	if (task == current)
		return 0;
	err = ptrace_check_attach(task, false);
	if (err || ptrace_may_access(task, PTRACE_MODE_READ_REALCREDS))
		return err;
	vperfctr_unhold_task(task);
	return -EPERM;
}

/* Get a reference to the owner of an object; NULL if it has no owner, or a dead one. */
static struct task_struct *vperfctr_get_owner(struct vperfctr *vp)
{
	struct task_struct *task;

	/* Pairs with __perfctr_exit_task(): sums that are read after this are final. */
	if (smp_load_acquire(&vp->dead))
		return NULL;
	guard(rcu)();
	task = rcu_dereference(vp->owner);
	if (task)
		get_task_struct(task);
	else
		/* Pairs with vperfctr_detach(): sums without an owner are final, too. */
		smp_rmb();
	return task;
}

/**
 * struct vperfctr_call - a system call on an object
 * @file: fd of the caller
 * @vp: the object
 * @task: its owner, after vperfctr_hold_task(); NULL: no owner, or a dead one
 */
struct vperfctr_call {
	struct fd		file;
	struct vperfctr		*vp;
	struct task_struct	*task;
};

static void vperfctr_end(struct vperfctr_call *call)
{
	if (call->task) {
		vperfctr_unhold_task(call->task);
		put_task_struct(call->task);
	}
	fdput(call->file);
}

/* Find the object of an fd, and hold its owner, if it has one. */
static int vperfctr_begin(struct vperfctr_call *call, int fd)
{
	int err = -EINVAL;

	call->file = fdget(fd);
	call->task = NULL;
	if (!fd_file(call->file))
		return -EBADF;
	if (!vperfctr_is_file(fd_file(call->file)))
		goto put;
	call->vp = fd_file(call->file)->private_data;
	if (!call->vp)
		goto put;
	call->task = vperfctr_get_owner(call->vp);
	if (!call->task)
		return 0;
	err = vperfctr_hold_task(call->task);
	if (!err && rcu_access_pointer(call->task->perfctr) == call->vp)
		return 0;
	if (!err) {
		vperfctr_unhold_task(call->task);
		err = -ESRCH;
	}
	put_task_struct(call->task);
	/* If the owner has exited or unlinked the object meanwhile, there is no owner to hold. */
	call->task = vperfctr_get_owner(call->vp);
	if (!call->task)
		return 0;
	put_task_struct(call->task);
	call->task = NULL;
put:
	fdput(call->file);
	return err;
}

static struct task_struct *vperfctr_find_task(int tid)
{
	if (!tid || tid == task_pid_vnr(current))
		return get_task_struct(current);
	return find_get_task_by_vpid(tid) ?: ERR_PTR(-ESRCH);
}

/* Create an object, which reserves the hardware. */
static struct vperfctr *vperfctr_new(void)
{
	struct vperfctr *vp;
	int err = vperfctr_use_hardware();

	if (err)
		return ERR_PTR(err);
	vp = vperfctr_alloc();
	if (IS_ERR(vp))
		vperfctr_unuse_hardware();
	return vp;
}

static int vperfctr_open_held(struct task_struct *task, bool creat)
{
	struct vperfctr *vp = vperfctr_of(task);
	struct file *file;
	int fd;

	if (creat && vp)
		return -EEXIST;
	/*
	 * The thread may have inherited a control that counts in the kernel from a privileged
	 * parent.
	 */
	if (vp && vp->kernel && perf_allow_kernel())
		return -EPERM;
	/* The previous program of the thread may have had more privileges than the caller. */
	if (vp && vp->undumpable && !perfmon_capable())
		return -EPERM;
	fd = get_unused_fd_flags(0);
	if (fd < 0)
		return fd;
	if (creat)
		vp = vperfctr_new();
	if (IS_ERR(vp)) {
		put_unused_fd(fd);
		return PTR_ERR(vp);
	}
	file = vperfctr_new_file(vp);
	if (IS_ERR(file)) {
		if (creat)
			vperfctr_put(vp);
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	if (creat)
		vperfctr_attach(vp, task);
	fd_install(fd, file);
	return fd;
}

/**
 * sys_vperfctr_open - open a file for a thread's object
 * @tid: the thread; 0: the caller
 * @creat: not 0: create the object; the thread must not have one
 *
 * Return: an fd, -ENODEV, -EACCES if the caller may not count, -ESRCH if the thread does not
 * exist, or is neither the caller nor stopped and traced by it, -EPERM if the caller may not
 * inspect the thread, or may not count in the kernel and the object does, or if the object has
 * counted a program that was not dumpable, and the caller lacks CAP_PERFMON, -EEXIST if the thread
 * has an object, -EBUSY if another service has reserved the hardware, -ENOMEM, -EMFILE, -ENFILE, or
 * an error of a security module
 */
SYSCALL_DEFINE2(vperfctr_open, int, tid, int, creat)
{
	struct task_struct *task;
	int ret;

	if (!perfctr_cpu_name)
		return -ENODEV;
	ret = vperfctr_allow();
	if (ret)
		return ret;
	task = vperfctr_find_task(tid);
	if (IS_ERR(task))
		return PTR_ERR(task);
	ret = vperfctr_hold_task(task);
	if (!ret) {
		ret = vperfctr_open_held(task, creat);
		vperfctr_unhold_task(task);
	}
	put_task_struct(task);
	return ret;
}

/*
 * Zero the sums that are not preserved, and allocate a new identity. @control must enable the TSC
 * or counters.
 */
static void vperfctr_begin_sums(struct vperfctr *vp, const struct vperfctr_control *control)
{
	struct perfctr_cpu_state *state = vp->state;
	unsigned int i;

	vp->si_signo = control->si_signo;
	if (!perfctr_cstatus_has_tsc(state->cstatus))
		state->tsc_sum = 0;
	for (i = 0; i < perfctr_cstatus_nrctrs(state->cstatus); i++) {
		if (!(control->preserve & BIT(i)))
			state->pmc[i].sum = 0;
	}
	spin_lock(&vp->lock);
	memset(&vp->children, 0, sizeof(vp->children));
	vp->identity = vperfctr_new_identity();
	WRITE_ONCE(vp->counted, state->cstatus);
	spin_unlock(&vp->lock);
}

/*
 * @counts_kernel: @control counts the kernel, if it is valid
 * @may_count_kernel: the caller may do so
 */
static int vperfctr_set_control(struct vperfctr_call *call, const struct vperfctr_control *control,
				bool counts_kernel, bool may_count_kernel)
{
	struct vperfctr *vp = call->vp;
	struct perfctr_cpu_state *state = vp->state;
	bool own = call->task == current;
	u32 cstatus;
	int err;

	local_irq_disable();
	vperfctr_suspend(vp);
	vp->stopped_cstatus = 0;
	vp->pending = 0;
	state->cstatus = 0;
	state->control = control->cpu_control;
	err = perfctr_cpu_update_control(state, 0);
	counts_kernel &= !err;
	if ((counts_kernel && !may_count_kernel) ||
	    (perfctr_cstatus_has_tsc(state->cstatus) && !vperfctr_may_read_tsc(call->task))) {
		state->cstatus = 0;
		err = -EPERM;
	} else if (counts_kernel) {
		vp->kernel = true;
	}
	cstatus = state->cstatus;
	if (!err && own)
		vperfctr_resume(vp);
	if (state->cstatus != cstatus) {
		/* Perf's pinned events have the counters, or this CPU is forbidden. */
		vperfctr_suspend(vp);
		state->cstatus = 0;
		err = -EBUSY;
	}
	if (!err && perfctr_cstatus_enabled(cstatus))
		vperfctr_begin_sums(vp, control);
	else
		WRITE_ONCE(vp->counted, 0);
	local_irq_enable();
	return err;
}

/**
 * sys_vperfctr_control - set the control of a thread's counters
 * @fd: fd of the object
 * @argp: the control
 *
 * Running counters are stopped first, and stay stopped if the control is refused with -EINVAL,
 * -EPERM or -EBUSY. A refused control replaces the previous one, too. After all other errors, and
 * if all CPUs are forbidden, the previous control stays in effect. If the thread's cpuset changes
 * meanwhile, all CPUs of the cpuset may be allowed then.
 *
 * Return: 0 on success, -EBADF, -EINVAL if there is no object, the control is not valid, or all
 * CPUs are forbidden, -EACCES if perf_event_paranoid forbids the caller to count at all, -EPERM for
 * bits that no caller may set or that need a privilege, -ESRCH if the object is unlinked, or its
 * owner is dead or killed, or is neither the caller nor stopped and traced by it, -EBUSY if perf's
 * pinned events have the counters, or if another thread moves the caller to a forbidden CPU,
 * -ENOMEM, -EFAULT, or an error of a security module
 */
SYSCALL_DEFINE2(vperfctr_control, int, fd, const struct vperfctr_control __user *, argp)
{
	struct vperfctr_control control __uninitialized;
	struct vperfctr_call call;
	bool counts_kernel = false, may_count_kernel = true, faulted;
	int err;

	/* Copy before the thread is held: a page fault may wait without limit. */
	faulted = copy_from_user(&control, argp, sizeof(control));
	err = vperfctr_begin(&call, fd);
	if (err)
		return err;
	if (!call.task)
		err = -ESRCH;
	else if (faulted)
		err = -EFAULT;
	if (err)
		goto end;
	err = vperfctr_allow() ?: security_perf_event_write(vperfctr_label(call.vp));
	if (err)
		goto end;
	if (control.cpu_control.nractrs || control.cpu_control.nrictrs) {
		err = vperfctr_leave_forbidden(call.task);
		if (err)
			goto end;
		counts_kernel = perfctr_cpu_counts_kernel(&control.cpu_control);
		may_count_kernel = !counts_kernel || !perf_allow_kernel();
	}
	if (control.cpu_control.nrictrs)
		vperfctr_await_tick(call.vp);
	err = vperfctr_set_control(&call, &control, counts_kernel, may_count_kernel);
end:
	vperfctr_end(&call);
	return err;
}

/**
 * sys_vperfctr_unlink - remove a thread's object
 * @fd: fd of the object
 *
 * Return: 0 on success or if the object is unlinked already, -EBADF, -EINVAL if there is no
 * object, -ESRCH if the owner is neither the caller nor stopped and traced by it
 */
SYSCALL_DEFINE1(vperfctr_unlink, int, fd)
{
	struct vperfctr_call call;
	int err;

	err = vperfctr_begin(&call, fd);
	if (err)
		return err;
	if (call.task)
		vperfctr_detach(call.vp, call.task);
	vperfctr_end(&call);
	return 0;
}

/* Restart the counters that an overflow has stopped. After -EBUSY the call can be retried. */
static int vperfctr_restart_stopped(struct vperfctr *vp, bool own)
{
	const u32 cstatus = vp->stopped_cstatus;

	lockdep_assert_irqs_disabled();
	if (!perfctr_cstatus_has_ictrs(cstatus))
		return -EPERM;
	vperfctr_suspend(vp);
	vp->state->cstatus = cstatus;
	vp->stopped_cstatus = 0;
	perfctr_cpu_ireload(vp->state);
	if (!own)
		return 0;
	vperfctr_resume(vp);
	if (vp->state->cstatus == cstatus)
		return 0;
	vp->stopped_cstatus = cstatus;
	return -EBUSY;
}

/**
 * sys_vperfctr_iresume - restart counters after an overflow
 * @fd: fd of the object
 *
 * Return: 0 on success, -EBADF, -EINVAL if there is no object, -ENOSYS if counters do not
 * interrupt here, -ESRCH as for vperfctr_control(), -EPERM if there was no overflow since the
 * last restart, -EBUSY if perf's pinned events have the counters, or if the CPU is forbidden, or
 * an error of a security module
 */
SYSCALL_DEFINE1(vperfctr_iresume, int, fd)
{
	struct perfctr_info info;
	struct vperfctr_call call;
	struct vperfctr *vp;
	int err;

	err = vperfctr_begin(&call, fd);
	if (err)
		return err;
	perfctr_cpu_get_info(&info);
	vp = call.vp;
	if (!(info.cpu_features & PERFCTR_FEATURE_PCINT))
		err = -ENOSYS;
	else if (!call.task)
		err = -ESRCH;
	else
		err = security_perf_event_write(vperfctr_label(vp));
	if (!err) {
		vperfctr_await_tick(vp);
		local_irq_disable();
		err = vperfctr_restart_stopped(vp, call.task == current);
		local_irq_enable();
	}
	vperfctr_end(&call);
	return err;
}

/* Copy by words: for so few words any other copy takes longer. */
static int vperfctr_put_sums(struct perfctr_sum_ctrs __user *to,
			     const struct perfctr_sum_ctrs *sums)
{
	unsigned int i;

	if (!user_write_access_begin(to, sizeof(*to)))
		return -EFAULT;
	unsafe_put_user(sums->tsc, &to->tsc, fault);
#pragma GCC unroll 6
	for (i = 0; i < PERFCTR_MAX_COUNTERS; i++)
		unsafe_put_user(sums->pmc[i], &to->pmc[i], fault);
	user_write_access_end();
	return 0;
fault:
	user_write_access_end();
	return -EFAULT;
}

static __always_inline void vperfctr_get_sums(struct vperfctr *vp, struct perfctr_sum_ctrs *sums)
{
	const struct perfctr_cpu_state *state = vp->state;
	unsigned int i;

	/*
	 * With interrupts off, all sums are from the same time, except on powerpc: an overflow may
	 * interrupt the copy, and add to sums that are not copied yet.
	 */
	local_irq_disable();
	if (vp->running)
		perfctr_cpu_sample(vp->state);
	sums->tsc = state->tsc_sum;
#pragma GCC unroll 6
	for (i = 0; i < PERFCTR_MAX_COUNTERS; i++)
		sums->pmc[i] = state->pmc[i].sum;
	local_irq_enable();
}

static noinline void vperfctr_get_control(struct vperfctr *vp, struct vperfctr_control *control)
{
	memset(control, 0, sizeof(*control));
	control->si_signo = vp->si_signo;
	control->cpu_control = vp->state->control;
}

static noinline void vperfctr_get_children(struct vperfctr *vp, struct perfctr_sum_ctrs *sums)
{
	spin_lock_irq(&vp->lock);
	*sums = vp->children;
	spin_unlock_irq(&vp->lock);
}

/**
 * sys_vperfctr_read - read counts and control
 * @fd: fd of an object. If the object has no owner, any process with the fd may read it
 * @sump: gets the sums, or NULL
 * @controlp: gets the control, or NULL
 * @childrenp: gets the sums of reaped children, or NULL
 *
 * Return: 0 on success, -EBADF, -EINVAL if there is no object, -ESRCH if the owner is alive, and
 * is neither the caller nor stopped and traced by it, -EFAULT, or an error of a security module
 */
SYSCALL_DEFINE4(vperfctr_read, int, fd, struct perfctr_sum_ctrs __user *, sump,
		struct vperfctr_control __user *, controlp,
		struct perfctr_sum_ctrs __user *, childrenp)
{
	struct perfctr_sum_ctrs sums __uninitialized, children __uninitialized;
	struct vperfctr_control control __uninitialized;
	struct vperfctr_call call;
	int err;

	err = vperfctr_begin(&call, fd);
	if (err)
		return err;
	err = security_perf_event_read(vperfctr_label(call.vp));
	if (!err) {
		if (sump)
			vperfctr_get_sums(call.vp, &sums);
		if (controlp)
			vperfctr_get_control(call.vp, &control);
		if (childrenp)
			vperfctr_get_children(call.vp, &children);
	}
	/* Copy when the thread is not held any more: a page fault may wait without limit. */
	vperfctr_end(&call);
	if (!err && sump)
		err = vperfctr_put_sums(sump, &sums);
	if (!err && controlp && copy_to_user(controlp, &control, sizeof(control)))
		err = -EFAULT;
	if (!err && childrenp)
		err = vperfctr_put_sums(childrenp, &children);
	return err;
}
