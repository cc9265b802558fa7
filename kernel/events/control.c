// SPDX-License-Identifier: GPL-2.0
/* Control of events: ioctl(2), prctl(2) and functions for kernel events */
#include <linux/bpf.h>
#include <linux/compat.h>
#include <linux/file.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>

#include "attr.h"
#include "context.h"
#include "control.h"
#include "enable.h"
#include "event.h"
#include "file.h"
#include "group.h"
#include "inherit_list.h"
#include "internal.h"
#include "pmu.h"
#include "read.h"
#include "record/buffer.h"
#include "record/userpage.h"
#include "refuse.h"
#include "reset.h"
#include "sched.h"
#include "shared_ctx.h"
#include "source/addr_filter.h"
#include "source/bpf.h"
#include "source/breakpoint.h"
#include "source/clock.h"
#include "source/tracepoint.h"
#include "state.h"
#include "syscall.h"
#include "throttle.h"

/*
 * Reset one always-on event of current that is not inherited and has no buffer. Only event sites
 * in current and in interrupts of this CPU write event->count, so no lock is needed.
 */
static bool perf_event_reset_alone(struct perf_event *event, unsigned long flags)
{
	guard(rcu)();
	if ((flags & PERF_IOC_FLAG_GROUP) || event->attr.inherit || !is_always_on(event) ||
	    is_counting_clock(event) || rcu_access_pointer(event->rb) ||
	    READ_ONCE(READ_ONCE(event->ctx)->task) != current)
		return false;
	local64_set(&event->count, 0);
	return true;
}

static long perf_ioctl_enable(struct perf_event *event, unsigned long arg)
{
	perf_event_enable_all_children(event, true, arg & PERF_IOC_FLAG_GROUP);
	return 0;
}

static long perf_ioctl_disable(struct perf_event *event, unsigned long arg)
{
	perf_event_enable_all_children(event, false, arg & PERF_IOC_FLAG_GROUP);
	return 0;
}

static long perf_ioctl_reset(struct perf_event *event, unsigned long arg)
{
	if (perf_event_reset_alone(event, arg))
		return 0;

	CLASS(event_context, ctx)(event);
	perf_event_reset_all_children(event, arg & PERF_IOC_FLAG_GROUP);
	return 0;
}

/* PERF_EVENT_IOC_REFRESH; ctx->mutex is held. May sleep. */
static int perf_event_set_limit(struct perf_event *event, int refresh)
{
	if (event->attr.inherit || !is_sampling_event(event))
		return perf_refuse(PERF_REFUSED_REFRESH_UNFIT);
	perf_event_enable_for(event, refresh);
	return 0;
}

/**
 * perf_event_refresh - enable an event for a number of overflows
 * @event: the event, to which the caller has a reference
 * @refresh: number of overflows to be added to the event's limit
 *
 * Context: may sleep.
 * Return: 0, or -EINVAL for an event that has attr.inherit or does not sample
 */
int perf_event_refresh(struct perf_event *event, int refresh)
{
	CLASS(event_context, ctx)(event);
	return perf_event_set_limit(event, refresh);
}
EXPORT_SYMBOL_GPL(perf_event_refresh);

static long perf_ioctl_refresh(struct perf_event *event, unsigned long arg)
{
	return perf_event_set_limit(event, arg);
}

static void perf_event_set_period_locked(struct perf_event *event, struct perf_cpu_context *cpuctx,
					 void *data)
{
	struct hw_perf_event *hw = &event->hw;
	bool always_on = is_always_on(event);
	bool on = event->state == PERF_EVENT_STATE_ACTIVE && !always_on;
	u64 value = *(u64 *)data;

	if (event->attr.freq) {
		event->attr.sample_freq = value;
		event->cold->rate_known = false;
	} else {
		event->attr.sample_period = value;
		hw->sample_period = value;
	}

	if (on) {
		perf_pmu_disable(event->pmu);
		/* The driver may have stopped a throttled event without an update of the count. */
		if (!perf_event_unthrottle_in(event))
			perf_event_pmu_stop(event, PERF_EF_UPDATE);
	} else if (always_on) {
		perf_swevent_end_throttle(event, !!cpuctx);
	}
	perf_event_restart_period(event);
	if (on) {
		perf_event_pmu_start(event, PERF_EF_RELOAD);
		perf_pmu_enable(event->pmu);
	}
}

static void perf_event_restart_period_here(void *info)
{
	struct perf_event *event = info;

	raw_spin_lock(&event->ctx->lock);
	perf_event_restart_period(event);
	raw_spin_unlock(&event->ctx->lock);
}

/*
 * Set the period, or the frequency if attr.freq is set, and begin a new period. The mutex of the
 * event's context is held. May sleep. Return: 0, or -EINVAL.
 */
static int perf_event_set_period(struct perf_event *event, u64 value)
{
	if (!is_sampling_event(event))
		return perf_refuse(PERF_REFUSED_PERIOD_COUNTING);
	if (!value)
		return perf_refuse(PERF_REFUSED_PERIOD_ZERO);
	if (event->attr.freq) {
		if (value > READ_ONCE(sysctl_perf_event_sample_rate))
			return perf_refuse_value(PERF_REFUSED_PERIOD_FREQ, value);
	} else if (value > S64_MAX) {
		return perf_refuse_value(PERF_REFUSED_PERIOD_LONG, value);
	}
	/* The PMU of a dead event may be unregistered. */
	if (event->state == PERF_EVENT_STATE_DEAD)
		return 0;
	if (!event->attr.freq && event->pmu->check_period &&
	    event->pmu->check_period(event, value))
		return perf_refuse_value(PERF_REFUSED_PERIOD_PMU, value);

	perf_event_call(event, perf_event_set_period_locked, &value);
	/* An event site may have undone the restart. If the CPU is offline, it counts nothing. */
	if (perf_event_is_on_stopped_cpu(event))
		smp_call_function_single(event->cpu, perf_event_restart_period_here, event, 1);
	return 0;
}

/**
 * perf_event_period - change an event's period, or its frequency
 * @event: the event, to which the caller has a reference
 * @value: the period, or samples per second if attr.freq is set
 *
 * A new period begins, as after PERF_EVENT_IOC_PERIOD.
 *
 * Context: may sleep.
 * Return: 0, or -EINVAL
 */
int perf_event_period(struct perf_event *event, u64 value)
{
	CLASS(event_context, ctx)(event);
	int err = perf_event_set_period(event, value);

	if (err && is_kernel_event(event))
		perf_refusal_clear();
	return err;
}
EXPORT_SYMBOL_GPL(perf_event_period);

static long perf_ioctl_period(struct perf_event *event, unsigned long arg)
{
	u64 period;

	if (copy_from_user(&period, (void __user *)arg, sizeof(period)))
		return -EFAULT;

	CLASS(event_context, ctx)(event);
	return perf_event_set_period(event, period);
}

static long perf_ioctl_id(struct perf_event *event, unsigned long arg)
{
	u64 id = perf_event_parent(event)->id;

	return copy_to_user((void __user *)arg, &id, sizeof(id)) ? -EFAULT : 0;
}

static long perf_ioctl_redirect(struct perf_event *event, struct perf_event *target)
{
	int err;

	/*
	 * The allocation may take long, so ctx->mutex is not held: the mutex of a CPU's context has
	 * other users.
	 */
	err = perf_event_make_cold(event);
	if (err)
		return err;

	CLASS(event_context, ctx)(event);
	/*
	 * Writers of records use this event, so no shared context (shared_ctx.h) may replace its
	 * context.
	 */
	if (target)
		perf_ctx_set_unlink(ctx);
	return perf_event_set_output(event, target);
}

static long perf_ioctl_set_output(struct perf_event *event, unsigned long arg)
{
	struct perf_event *target;

	/* A descriptor is an int: a 32-bit task passes -1 with the upper half zero. */
	if ((int)arg == -1)
		return perf_ioctl_redirect(event, NULL);

	CLASS(fd, f)((int)arg);
	target = perf_event_of_fd(f);
	return target ? perf_ioctl_redirect(event, target) :
			perf_refuse_value(PERF_REFUSED_OUTPUT_FD, arg);
}

static int perf_filter_set(struct perf_event *event, char *text)
{
	/* DEAD is final, so ctx->mutex is not needed. */
	if (READ_ONCE(event->state) == PERF_EVENT_STATE_DEAD)
		return perf_refuse(PERF_REFUSED_EVENT_DEAD);
	if (is_tracing_event(event))
		return perf_refuse_error(PERF_REFUSED_FILTER_TEXT,
					 perf_tracepoint_set_filter(event, text));

	CLASS(event_context, ctx)(event);
	if (event->state == PERF_EVENT_STATE_DEAD)
		return perf_refuse(PERF_REFUSED_EVENT_DEAD);
	if (has_addr_filter(event))
		return perf_addr_filters_set(event, text);
	return perf_refuse(PERF_REFUSED_FILTER_NONE);
}

/*
 * Set the filter from a text shorter than a page. Functions that set filters release ctx->mutex for
 * a while, so concurrent calls may overlap, and the last one takes effect. Return: 0, -EINVAL for a
 * PMU without filters or a text that is too long, or the error of the function that sets the
 * filter.
 */
static long perf_ioctl_set_filter(struct perf_event *event, unsigned long arg)
{
	char *text = strndup_user((void __user *)arg, PAGE_SIZE);
	int err;

	if (text == ERR_PTR(-EINVAL))
		return perf_refuse(PERF_REFUSED_FILTER_TEXT);
	if (IS_ERR(text))
		return PTR_ERR(text);

	err = perf_filter_set(event, text);
	kfree(text);
	return err;
}

static long perf_ioctl_set_bpf(struct perf_event *event, unsigned long arg)
{
	struct bpf_prog *prog = bpf_prog_get((u32)arg);
	int ret;

	if (IS_ERR(prog))
		return perf_refuse_error(PERF_REFUSED_BPF_FD, PTR_ERR(prog));
	ret = perf_event_set_bpf(event, prog, 0);
	if (ret)
		bpf_prog_put(prog);
	return ret;
}

/* ctx->mutex is not held: the locks of kernel/trace are taken before ctx->mutex. */
static long perf_ioctl_query_bpf(struct perf_event *event, unsigned long arg)
{
	return perf_refuse_error(PERF_REFUSED_BPF_OTHER,
				 perf_event_query_prog_array(event, (void __user *)arg));
}

static long perf_ioctl_pause_output(struct perf_event *event, unsigned long arg)
{
	return perf_event_pause_output(event, !!arg);
}

static long perf_ioctl_modify_attributes(struct perf_event *event, unsigned long arg)
{
	struct perf_event_attr attr;
	int ret;

	ret = perf_attr_copy((struct perf_event_attr __user *)arg, &attr);
	if (!ret)
		ret = perf_attr_check(&attr);
	if (ret)
		return ret;

	CLASS(event_context, ctx)(event);
	/* Permissions were checked at open; a kernel address is checked again. */
	if (event->attr.type != attr.type)
		return perf_refuse_value(PERF_REFUSED_MODIFY_TYPE, attr.type);

	CLASS(inherit_lock, lock)(event);
	return perf_breakpoint_modify(event, &attr);
}

/**
 * struct ioctl_command - an ioctl
 * @cmd: PERF_EVENT_IOC_*
 * @func: implementation
 * @unlocked: called without ctx->mutex, because access to user memory or allocation may take long
 */
struct ioctl_command {
	unsigned int	cmd;
	long		(*func)(struct perf_event *event, unsigned long arg);
	bool		unlocked;
};

#define COMMAND(name, ...) \
	[_IOC_NR(PERF_EVENT_IOC_##name)] = { PERF_EVENT_IOC_##name, __VA_ARGS__ }

static const struct ioctl_command perf_ioctl_commands[] = {
	COMMAND(ENABLE, perf_ioctl_enable),
	COMMAND(DISABLE, perf_ioctl_disable),
	COMMAND(RESET, perf_ioctl_reset, true),
	COMMAND(REFRESH, perf_ioctl_refresh),
	COMMAND(PERIOD, perf_ioctl_period, true),
	COMMAND(ID, perf_ioctl_id, true),
	COMMAND(SET_OUTPUT, perf_ioctl_set_output, true),
	COMMAND(SET_FILTER, perf_ioctl_set_filter, true),
	COMMAND(SET_BPF, perf_ioctl_set_bpf),
	COMMAND(QUERY_BPF, perf_ioctl_query_bpf, true),
	COMMAND(PAUSE_OUTPUT, perf_ioctl_pause_output),
	COMMAND(MODIFY_ATTRIBUTES, perf_ioctl_modify_attributes, true),
};

#undef COMMAND

/* Commands of <linux/perf_event_ext.h>. None of them changes the event. */
static long perf_ioctl_extension(struct perf_event *event, unsigned int cmd, unsigned long arg)
{
	long ret;

	if (cmd != PERF_EVENT_IOC_STATE)
		return perf_refuse_value(PERF_REFUSED_IOCTL_UNKNOWN, cmd);
	ret = perf_refuse_error(PERF_REFUSED_SECURITY_MODULE, security_perf_event_read(event));
	return ret ?: perf_event_copy_state_to_user(event, (void __user *)arg);
}

static long perf_ioctl_run(struct perf_event *event, unsigned int cmd, unsigned long arg)
{
	unsigned int nr = _IOC_NR(cmd);
	long ret;

	if (nr >= ARRAY_SIZE(perf_ioctl_commands) || perf_ioctl_commands[nr].cmd != cmd)
		return perf_ioctl_extension(event, cmd, arg);

	ret = perf_refuse_error(PERF_REFUSED_SECURITY_MODULE, security_perf_event_write(event));
	if (ret)
		return ret;

	if (perf_ioctl_commands[nr].unlocked)
		return perf_ioctl_commands[nr].func(event, arg);

	CLASS(event_context, ctx)(event);
	return perf_ioctl_commands[nr].func(event, arg);
}

/**
 * perf_event_ioctl - ioctl(2)
 * @event: the file's event
 * @cmd: PERF_EVENT_IOC_*
 * @arg: argument of the command
 *
 * Context: may sleep.
 * Return: 0, -ENOTTY for an unknown command, or the command's error
 */
long perf_event_ioctl(struct perf_event *event, unsigned int cmd, unsigned long arg)
{
	return perf_refusal_end(PERF_REFUSED_CALL_IOCTL, perf_ioctl_run(event, cmd, arg));
}

static int perf_event_attach_alone(struct perf_event *event, struct task_struct *task)
{
	struct perf_event_context *found = perf_context_find(task, event->cpu);
	int err;

	if (IS_ERR(found))
		return PTR_ERR(found);
	err = perf_event_set_context(event, found);
	if (err)
		return err;

	guard(mutex)(&found->mutex);
	err = perf_event_may_attach(event);
	return err ?: perf_event_attach(event);
}

static struct perf_event *
perf_event_make_kernel_counter(struct perf_event_attr *attr, int cpu, struct task_struct *task,
			       perf_overflow_handler_t callback, void *context)
{
	struct perf_event *event;
	int err;

	/*
	 * attr.aux_output, attr.aux_pause and attr.aux_resume act on the group leader's AUX area,
	 * but a kernel event has no group. Without a group nothing resumes an event with
	 * attr.aux_start_paused.
	 */
	if (attr->aux_output || attr->aux_action)
		return ERR_PTR(-EINVAL);

	event = perf_event_alloc(attr, cpu, task, NULL, NULL, callback, context, -1);
	if (IS_ERR(event))
		return event;
	event->owner = PERF_TASK_GONE;

	scoped_guard(rcu)
		err = perf_pmu_check_clock(event);
	if (!err)
		err = perf_event_attach_alone(event, task);
	if (err) {
		perf_event_put(event);
		return ERR_PTR(err);
	}
	return event;
}

/**
 * perf_event_create_kernel_counter - open a kernel event
 * @attr: attributes of the event
 * @cpu: the CPU to count on, or -1
 * @task: the task to count for, or NULL for all tasks of @cpu
 * @callback: called at each overflow, in any context, NMI included, with preemption off; NULL for
 *	none
 * @context: stored in event->overflow_handler_context
 *
 * Context: may sleep.
 * Return: the event, to be closed with perf_event_release_kernel(), or an error
 */
struct perf_event *
perf_event_create_kernel_counter(struct perf_event_attr *attr, int cpu,
				 struct task_struct *task,
				 perf_overflow_handler_t callback, void *context)
{
	struct perf_event *event = perf_event_make_kernel_counter(attr, cpu, task, callback,
								  context);

	/* The system call that current is in, if any, does not report this reason. */
	if (IS_ERR(event))
		perf_refusal_clear();
	return event;
}
EXPORT_SYMBOL_GPL(perf_event_create_kernel_counter);

/**
 * perf_event_enable - enable a kernel event
 * @event: the event, to which the caller has a reference
 *
 * Context: may sleep.
 */
void perf_event_enable(struct perf_event *event)
{
	CLASS(event_context, ctx)(event);

	_perf_event_enable(event);
}
EXPORT_SYMBOL_GPL(perf_event_enable);

/**
 * perf_event_disable - disable a kernel event
 * @event: the event, to which the caller has a reference
 *
 * On return a hardware event does not count, and its overflow handler does not run. But an event
 * site on another CPU may have seen a software event enabled: until a grace period has passed, that
 * site may count its occurrence and call the handler.
 *
 * Context: may sleep.
 */
void perf_event_disable(struct perf_event *event)
{
	CLASS(event_context, ctx)(event);

	_perf_event_disable(event);
}
EXPORT_SYMBOL_GPL(perf_event_disable);

/**
 * perf_event_pause - disable an event and return its count
 * @event: the event, without attr.inherit
 * @reset: reset the count to zero afterwards
 *
 * Context: may sleep.
 * Return: the count
 */
u64 perf_event_pause(struct perf_event *event, bool reset)
{
	CLASS(event_context, ctx)(event);
	u64 count;

	/* perf_event_count() omits the counts of existing inherited events. */
	WARN_ON_ONCE(event->attr.inherit);
	_perf_event_disable(event);
	count = perf_event_count(event);
	if (reset)
		perf_event_reset_count(event);
	return count;
}
EXPORT_SYMBOL_GPL(perf_event_pause);

static int perf_event_enable_owned(bool on)
{
	struct task_struct *me = current;
	struct perf_event *owned;

	guard(mutex)(&me->perf_event_mutex);
	list_for_each_entry(owned, &me->perf_event_list, owner_entry) {
		CLASS(event_context, ctx)(owned);

		perf_event_enable_all_children(owned, on, false);
	}
	return 0;
}

/**
 * perf_event_task_enable - prctl(PR_TASK_PERF_EVENTS_ENABLE)
 *
 * Enable all events that current has opened.
 *
 * Context: may sleep.
 * Return: 0
 */
int perf_event_task_enable(void)
{
	return perf_event_enable_owned(true);
}

/**
 * perf_event_task_disable - prctl(PR_TASK_PERF_EVENTS_DISABLE)
 *
 * Disable all events that current has opened.
 *
 * Context: may sleep.
 * Return: 0
 */
int perf_event_task_disable(void)
{
	return perf_event_enable_owned(false);
}
