// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2) in steps: check the request, find the task, allocate the event, attach
 * it. The references taken are in struct open_request; perf_open_undo() drops them.
 */
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/security.h>
#include <linux/syscalls.h>

#include "attr.h"
#include "cgroup.h"
#include "context.h"
#include "delay.h"
#include "event.h"
#include "file.h"
#include "group.h"
#include "internal.h"
#include "pmu.h"
#include "record/aux.h"
#include "record/buffer.h"
#include "record/sample_read.h"
#include "refuse.h"
#include "syscall.h"

#define PERF_FLAG_ALL	(PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | \
			 PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC)

/**
 * struct open_request - state of a perf_event_open(2) call
 * @attr: checked copy of the attribute
 * @pid: the pid argument: a task, or a cgroup's file descriptor
 * @cpu: the CPU, or -1
 * @flags: PERF_FLAG_*
 * @group: file of the group leader or of the output event, with a reference
 * @leader: leader of the group to join, or NULL
 * @output: event whose buffer is shared, or NULL
 * @task: the task of the event, with a reference, or NULL
 * @exec_locked: @task's exec_update_lock is held, so that its credentials do not change
 * @event: the new event
 * @fd: reserved file descriptor, or -1
 */
struct open_request {
	struct perf_event_attr	attr;
	pid_t			pid;
	int			cpu;
	unsigned long		flags;
	struct fd		group;
	struct perf_event	*leader;
	struct perf_event	*output;
	struct task_struct	*task;
	bool			exec_locked;
	struct perf_event	*event;
	int			fd;
};

static int perf_open_check_request(struct open_request *req, struct perf_event_attr __user *uattr)
{
	int err;

	if (req->flags & ~PERF_FLAG_ALL)
		return perf_refuse_value(PERF_REFUSED_OPEN_FLAGS, req->flags);
	err = perf_attr_copy(uattr, &req->attr);
	if (!err)
		err = perf_attr_check(&req->attr);
	if (!err)
		err = perf_refuse_error(PERF_REFUSED_SECURITY_MODULE,
					security_perf_event_open(PERF_SECURITY_OPEN));
	if (!err)
		err = perf_attr_permit(&req->attr);
	if (err)
		return err;
	/* A cgroup event needs a CPU. */
	if (!(req->flags & PERF_FLAG_PID_CGROUP))
		return 0;
	if (req->pid == -1)
		return perf_refuse(PERF_REFUSED_CGROUP_NO_FD);
	return req->cpu == -1 ? perf_refuse(PERF_REFUSED_CGROUP_NO_CPU) : 0;
}

static int perf_open_find_group(struct open_request *req, int group_fd)
{
	struct perf_event *event;

	if (group_fd == -1)
		return 0;
	req->group = fdget(group_fd);
	event = perf_event_of_fd(req->group);
	if (!event)
		return perf_refuse_value(PERF_REFUSED_GROUP_FD, group_fd);
	if (READ_ONCE(event->state) <= PERF_EVENT_STATE_EXIT)
		return perf_refuse_value(PERF_REFUSED_GROUP_DEAD, group_fd);
	if (req->flags & PERF_FLAG_FD_OUTPUT)
		req->output = event;
	if (!(req->flags & PERF_FLAG_FD_NO_GROUP))
		req->leader = event;
	return 0;
}

static int perf_open_find_task(struct open_request *req)
{
	if (req->pid == -1 || (req->flags & PERF_FLAG_PID_CGROUP))
		return 0;

	rcu_read_lock();
	req->task = req->pid ? find_task_by_vpid(req->pid) : current;
	if (req->task)
		get_task_struct(req->task);
	rcu_read_unlock();
	if (!req->task)
		return perf_refuse_value(PERF_REFUSED_NO_TASK, req->pid);
	/* The group is inherited as a whole. */
	if (req->leader && req->leader->attr.inherit != req->attr.inherit)
		return perf_refuse(PERF_REFUSED_GROUP_INHERIT);
	return 0;
}

static int perf_open_make_event(struct open_request *req)
{
	int cgroup_fd = req->flags & PERF_FLAG_PID_CGROUP ? req->pid : -1;
	struct perf_event *event;
	int err;

	if (req->cpu == -1 && !req->task)
		return perf_refuse(PERF_REFUSED_NO_TARGET);
	event = perf_event_alloc(&req->attr, req->cpu, req->task, req->leader, NULL,
				 NULL, NULL, cgroup_fd);
	if (IS_ERR(event))
		return PTR_ERR(event);
	req->event = event;

	/*
	 * The PMU may be unregistered concurrently: RCU keeps its memory, and event->pmu may
	 * become the dead PMU, which cannot sample.
	 */
	guard(rcu)();
	err = perf_pmu_check_clock(event);
	if (err)
		return err;
	if (is_sampling_event(event) && !perf_pmu_can_sample(event->pmu))
		return perf_refuse_with_pmu(PERF_REFUSED_PMU_SAMPLING, event);
	return 0;
}

/*
 * May current monitor the task? With @signals, the event sends signals to it. The result is
 * valid as long as the task's exec_update_lock is held.
 */
static bool perf_open_may_monitor(struct task_struct *task, bool signals)
{
	unsigned int mode = PTRACE_MODE_READ_REALCREDS;
	bool capable;

	/* A process may always monitor itself, without a capability. */
	if (same_thread_group(task, current))
		return true;

	capable = perfmon_capable();
	if (signals) {
		/* attr.sigtrap sends signals to the task, which needs CAP_KILL. */
		rcu_read_lock();
		capable &= ns_capable(__task_cred(task)->user_ns, CAP_KILL);
		rcu_read_unlock();
		mode = PTRACE_MODE_ATTACH_REALCREDS;
	}
	return capable || ptrace_may_access(task, mode);
}

/**
 * perf_event_may_reserve - may an event reserve a debug register or an exclusive PMU, which other
 * users need?
 * @event: an event that is being opened, with its task or its CPU
 *
 * Debug registers and exclusive PMUs are reserved before the event is attached. The right to
 * monitor the target is checked again at the attachment. But without the first check, an event that
 * the second check refuses could make another user's perf_event_open(2) fail meanwhile.
 *
 * Context: may sleep.
 * Return: 0 on success, -EACCES or a security module's error
 */
int perf_event_may_reserve(const struct perf_event *event)
{
	/* Kernel events need no check. Of inherited events, the parent event was checked. */
	if (event->parent || !is_default_overflow_handler((struct perf_event *)event))
		return 0;
	if (!event->hw.target)
		return perf_refuse_error(PERF_REFUSED_CPU_FORBIDDEN, perf_allow_cpu());
	return perf_open_may_monitor(event->hw.target, event->attr.sigtrap) ?
		0 : perf_refuse(PERF_REFUSED_TASK_FORBIDDEN);
}

/*
 * Find and set the context of the event, after a check of the right to monitor its task or CPU.
 * exec_update_lock stays held until the event is attached, so that an exec cannot raise the task's
 * credentials in between.
 */
static int perf_open_set_context(struct open_request *req)
{
	struct perf_event_context *ctx;
	int err;

	if (req->task) {
		err = down_read_interruptible(&req->task->signal->exec_update_lock);
		if (err)
			return err;
		req->exec_locked = true;
		if (!perf_open_may_monitor(req->task, req->attr.sigtrap))
			return perf_refuse_value(PERF_REFUSED_TASK_FORBIDDEN, req->pid);
	} else {
		err = perf_refuse_error(PERF_REFUSED_CPU_FORBIDDEN, perf_allow_cpu()) ?:
		      perf_cgroup_alloc_info(req->event);
		if (err)
			return err;
	}

	/* The driver may have changed the event's CPU. */
	ctx = perf_context_find(req->task, req->event->cpu);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	return perf_event_set_context(req->event, ctx);
}

/* A context may have only one event of an exclusive PMU per CPU. */
static bool perf_open_exclusive_conflict(const struct perf_event *event)
{
	const struct perf_event *other;

	if (!is_exclusive_pmu(event->pmu))
		return false;
	for_each_event(other, event->ctx) {
		if (other->pmu == event->pmu &&
		    (other->cpu == -1 || event->cpu == -1 || other->cpu == event->cpu))
			return true;
	}
	return false;
}

/**
 * perf_event_may_attach - the checks that need a locked context
 * @event: event with its context, whose mutex is held
 *
 * Return: 0 on success, -ESRCH if the task has exited, -ENODEV if the CPU is offline or the PMU
 * has been unregistered, -EBUSY if another event has exclusive use of the PMU
 */
int perf_event_may_attach(const struct perf_event *event)
{
	struct perf_event_context *ctx = event->ctx;

	lockdep_assert_held(&ctx->mutex);
	if (ctx->task == PERF_TASK_GONE)
		return perf_refuse(PERF_REFUSED_TASK_EXITED);
	if (event->state <= PERF_EVENT_STATE_EXIT)
		return perf_refuse(PERF_REFUSED_PMU_GONE);
	if (!ctx->task && !per_cpu(perf_cpu_context, event->cpu).online)
		return perf_refuse_value(PERF_REFUSED_CPU_OFFLINE, event->cpu);
	return perf_open_exclusive_conflict(event) ?
		perf_refuse_with_pmu(PERF_REFUSED_PMU_TAKEN, event) : 0;
}

/* Check that the event may be attached to its group, and set its AUX output. */
static int perf_open_prepare_group(struct open_request *req)
{
	struct perf_event *event = req->event, *leader = req->leader;
	int err;

	if (leader) {
		if (leader->state <= PERF_EVENT_STATE_EXIT)
			return perf_refuse(PERF_REFUSED_GROUP_DEAD);
		err = perf_group_may_join(leader, event);
		if (err)
			return err;
	} else if (event->event_caps & PERF_EV_CAP_SIBLING) {
		return perf_refuse_value(PERF_REFUSED_GROUP_NEEDED, -1);
	}
	err = perf_refuse_error(PERF_REFUSED_GROUP_READ_SIZE,
				perf_read_size_check(event, leader ?: event));
	if (!err)
		err = perf_refuse_error(PERF_REFUSED_GROUP_SAMPLES,
					perf_group_samples_check(event, leader ?: event));
	if (!err)
		err = perf_event_may_attach(event);
	if (!err && perf_event_needs_aux(event) &&
	    !perf_event_set_aux_output(event, event->group_leader))
		err = perf_refuse(PERF_REFUSED_GROUP_AUX);
	return err;
}

static int perf_open_attach(struct open_request *req)
{
	struct perf_event *event = req->event;
	int err;

	/*
	 * perf_event_set_output() needs event->cold. Allocate it before ctx->mutex is taken:
	 * reclaim in a memory cgroup could block other users of a CPU's context.
	 */
	err = req->output ? perf_event_make_cold(event) : 0;
	if (err) {
		event->group_leader = event;
		return err;
	}
	mutex_lock(&event->ctx->mutex);
	err = perf_open_prepare_group(req);
	if (!err && req->output)
		err = perf_event_set_output(event, req->output);
	if (!err)
		err = perf_event_attach(event);
	if (err) {
		perf_event_clear_aux_output(event);
		event->group_leader = event;
	}
	mutex_unlock(&event->ctx->mutex);
	return err;
}

static void perf_open_undo(struct open_request *req)
{
	if (req->exec_locked)
		up_read(&req->task->signal->exec_update_lock);
	if (req->task)
		put_task_struct(req->task);
	fdput(req->group);
}

static int perf_open_event(struct open_request *req, struct perf_event_attr __user *uattr,
			   int group_fd)
{
	unsigned int f_flags = O_RDWR;
	struct file *file;
	int err;

	err = perf_open_check_request(req, uattr);
	if (err)
		return err;
	if (req->flags & PERF_FLAG_FD_CLOEXEC)
		f_flags |= O_CLOEXEC;
	req->fd = get_unused_fd_flags(f_flags);
	if (req->fd < 0)
		return req->fd;

	err = perf_open_find_group(req, group_fd);
	if (!err)
		err = perf_open_find_task(req);
	if (!err)
		err = perf_open_make_event(req);
	if (!err)
		err = perf_open_set_context(req);
	if (err)
		goto fail;

	/* Create the file first: once the event is attached, no step may fail. */
	file = perf_event_new_file(req->event, f_flags);
	if (IS_ERR(file)) {
		err = PTR_ERR(file);
		goto fail;
	}
	err = perf_open_attach(req);
	if (err) {
		/* fput() frees the event, perhaps after its leader is freed. */
		WARN_ON_ONCE(req->event->group_leader != req->event);
		req->event = NULL;
		fput(file);
		goto fail;
	}
	perf_event_own(req->event);
	fd_install(req->fd, file);
	return req->fd;

fail:
	if (req->event) {
		/* The event is not in the leader's group, and may outlive the leader. */
		req->event->group_leader = req->event;
		perf_event_put(req->event);
	}
	put_unused_fd(req->fd);
	return err;
}

/**
 * sys_perf_event_open - open an event
 * @attr_uptr: attribute of the event
 * @pid: a task, 0 for current, -1 for all tasks, or a cgroup's file descriptor with
 *	PERF_FLAG_PID_CGROUP
 * @cpu: a CPU, or -1 for any
 * @group_fd: file descriptor of the group leader, or -1
 * @flags: PERF_FLAG_*
 *
 * See perf_event_open(2).
 *
 * Return: a file descriptor, or a negative errno
 */
SYSCALL_DEFINE5(perf_event_open, struct perf_event_attr __user *, attr_uptr,
		pid_t, pid, int, cpu, int, group_fd, unsigned long, flags)
{
	struct open_request req = { .pid = pid, .cpu = cpu, .flags = flags, .fd = -1 };
	int ret;

	perf_delay(CALL_OPEN);
	ret = perf_open_event(&req, attr_uptr, group_fd);
	perf_open_undo(&req);
	return perf_refusal_end(PERF_REFUSED_CALL_OPEN, ret);
}
