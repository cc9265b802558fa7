// SPDX-License-Identifier: GPL-2.0
/*
 * The "tracepoint" PMU, and the functions that kernel/trace calls for each hit of a tracepoint.
 * kernel/trace has a list of the events that are scheduled in, for each tracepoint and CPU. It owns
 * the filters and BPF programs of these events.
 */
#include <linux/trace_events.h>

#include "../context.h"
#include "../delay.h"
#include "../event.h"
#include "../internal.h"
#include "software.h"
#include "tracepoint.h"

/**
 * struct tp_hit - a hit of a tracepoint
 * @count: number of occurrences
 * @raw: the trace record
 * @regs: registers
 * @data: the sample, initialised for each event
 */
struct tp_hit {
	u64			count;
	struct perf_raw_record	raw;
	struct pt_regs		*regs;
	struct perf_sample_data	*data;
};

static bool perf_tp_match(const struct perf_event *event, struct tp_hit *hit)
{
	if (event->hw.state)
		return false;
	/* A hit is in the kernel, except for the hit of a uprobe. */
	if (event->attr.exclude_kernel && !user_mode(hit->regs))
		return false;
	/* An inherited event uses the filter of its parent event. */
	event = perf_event_parent(event);
	return !event->filter || filter_match_preds(event->filter, hit->raw.frag.data);
}

static void perf_tp_deliver(struct perf_event *event, struct tp_hit *hit)
{
	perf_sample_data_init(hit->data, 0, 0);
	perf_sample_save_raw_data(hit->data, event, &hit->raw);
	perf_swevent_event(event, hit->count, hit->data, hit->regs);
}

/* Is the event enabled, and its group leader? The event need not be scheduled in. */
static bool perf_tp_enabled(const struct perf_event *event)
{
	return READ_ONCE(event->state) >= PERF_EVENT_STATE_INACTIVE &&
	       READ_ONCE(event->group_leader->state) >= PERF_EVENT_STATE_INACTIVE;
}

/* Does an event of perf_tp_task_events() count a tracepoint about its task on @cpu? */
static bool perf_tp_about(const struct perf_event *event, u16 type, int cpu)
{
	return event->attr.config == type && event->cpu == cpu && perf_tp_enabled(event);
}

static void perf_tp_deliver_task(struct task_struct *task, u16 type, struct tp_hit *hit)
{
	struct perf_event_context *ctx = perf_task_context(task);
	struct perf_event *event;

	/* Preemption is off: the context and its events are not freed. */
	if (!ctx)
		return;
	hlist_for_each_entry_rcu(event, perf_tp_task_events(ctx), hw.tp_task_entry,
				 !preemptible()) {
		if (perf_tp_about(event, type, smp_processor_id()) && perf_tp_match(event, hit)) {
			perf_delay(TRACEPOINT_SEEN);
			perf_tp_deliver(event, hit);
		}
	}
}

/**
 * perf_tp_event - handle a hit of a tracepoint
 * @event_type: number of the tracepoint
 * @count: number of occurrences
 * @record: the trace record; its header is filled in here
 * @entry_size: size of @record, in bytes
 * @regs: registers at the tracepoint
 * @head: events of this tracepoint that are scheduled in on this CPU
 * @rctx: recursion context; released here
 * @task: task that the tracepoint is about, or NULL for the current task
 *
 * Context: any, preemption is off.
 */
void perf_tp_event(u16 event_type, u64 count, void *record, int entry_size, struct pt_regs *regs,
		   struct hlist_head *head, int rctx, struct task_struct *task)
{
	struct perf_sample_data said;
	struct perf_event *listener;
	struct tp_hit hit = {
		.count	= count,
		.raw	= { .frag = { .size = entry_size, .data = record } },
		.regs	= regs,
		.data	= &said,
	};

	perf_trace_buf_update(record, event_type);
	hlist_for_each_entry_rcu(listener, head, hlist_entry) {
		if (perf_tp_match(listener, &hit))
			perf_tp_deliver(listener, &hit);
	}
	if (task && task != current)
		perf_tp_deliver_task(task, event_type, &hit);
	perf_swevent_put_recursion_context(rctx);
}
EXPORT_SYMBOL_GPL(perf_tp_event);

/**
 * perf_trace_run_bpf_submit - run a tracepoint's BPF programs, then perf_tp_event()
 * @raw_data: the trace record; its first bytes are overwritten for the programs
 * @size: size of @raw_data, in bytes
 * @rctx: recursion context; released here
 * @call: the tracepoint
 * @count: number of occurrences
 * @regs: registers
 * @head: events that are scheduled in on this CPU
 * @task: as for perf_tp_event()
 *
 * If a program returns 0, the hit is not delivered to events.
 *
 * Context: any, preemption is off.
 */
void perf_trace_run_bpf_submit(void *raw_data, int size, int rctx, struct trace_event_call *call,
			       u64 count, struct pt_regs *regs, struct hlist_head *head,
			       struct task_struct *task)
{
	bool wanted = true;

	if (bpf_prog_array_valid(call)) {
		/* The ABI of BPF programs: the record begins with a pointer to the registers. */
		*(void **)raw_data = regs;
		wanted = trace_call_bpf(call, raw_data) && !hlist_empty(head);
	}
	if (wanted)
		perf_tp_event(call->event.type, count, raw_data, size, regs, head, rctx, task);
	else
		perf_swevent_put_recursion_context(rctx);
}
EXPORT_SYMBOL_GPL(perf_trace_run_bpf_submit);

/**
 * perf_tracepoint_start - pmu::start of an event of kernel/trace
 * @event: scheduled in
 * @flags: PERF_EF_*
 */
void perf_tracepoint_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
}

/**
 * perf_tracepoint_stop - pmu::stop of an event of kernel/trace
 * @event: scheduled in
 * @flags: PERF_EF_*
 */
void perf_tracepoint_stop(struct perf_event *event, int flags)
{
	event->hw.state |= PERF_HES_STOPPED;
}

/**
 * perf_tracepoint_add - pmu::add of an event of kernel/trace
 * @event: to be scheduled in
 * @flags: PERF_EF_*
 *
 * Return: 0 on success, or an error of kernel/trace
 */
int perf_tracepoint_add(struct perf_event *event, int flags)
{
	int err;

	event->hw.state = 0;
	err = perf_trace_add(event, flags);
	if (!err)
		perf_event_update_userpage(event);
	return err;
}

/**
 * is_tracing_event - does the event belong to kernel/trace?
 * @event: initialised
 *
 * Context: any but NMI.
 * Return: true if event->tp_event is set, and kernel/trace owns the filter and BPF programs
 */
bool is_tracing_event(const struct perf_event *event)
{
	/*
	 * RCU keeps the memory of a PMU that is being unregistered. PMUs of kernel/trace are
	 * never unregistered.
	 */
	guard(rcu)();
	return READ_ONCE(event->pmu)->add == perf_tracepoint_add;
}

/**
 * perf_tracepoint_read - pmu::read of an event of kernel/trace
 * @event: its count is always up to date
 */
void perf_tracepoint_read(struct perf_event *event)
{
}

/**
 * perf_tracepoint_set_filter - set the filter of an event of kernel/trace
 * @event: event for which is_tracing_event() is true
 * @text: text of the filter
 *
 * The locks of kernel/trace nest outside of ctx->mutex, so ctx->mutex is taken after them. CPU
 * hotplug may have moved the event with its group meanwhile: ctx->mutex is that of the current
 * context.
 *
 * Context: may sleep; takes ctx->mutex.
 * Return: 0 on success, -EEXIST if the event has a filter, -ENOMEM, or an error of kernel/trace
 */
int perf_tracepoint_set_filter(struct perf_event *event, char *text)
{
	char *kept = kstrdup(text, GFP_KERNEL_ACCOUNT);
	int err;

	err = kept ? ftrace_profile_set_filter(event, event->attr.config, text) : -ENOMEM;
	if (err) {
		kfree(kept);
		return err;
	}

	CLASS(event_context, ctx)(event);
	/* Only an event of ftrace:function can have a filter here: the new one replaces it. */
	perf_tracepoint_free_text(event);
	event->hw.tp_filter = kept;
	event->event_flags |= PERF_EVENT_FILTER_TEXT;
	return 0;
}

/**
 * perf_tracepoint_filter - get the text of an event's filter
 * @event: event of any PMU; its context's mutex is held
 *
 * Return: the text, valid while the mutex is held; NULL without a filter of kernel/trace
 */
const char *perf_tracepoint_filter(const struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->mutex);
	return event->event_flags & PERF_EVENT_FILTER_TEXT ? event->hw.tp_filter : NULL;
}

/**
 * perf_tracepoint_free_text - free the text of an event's filter, if it has one
 * @event: event of any PMU; its context's mutex is held, or the event is being freed
 */
void perf_tracepoint_free_text(struct perf_event *event)
{
	if (!(event->event_flags & PERF_EVENT_FILTER_TEXT))
		return;
	event->event_flags &= ~PERF_EVENT_FILTER_TEXT;
	kfree(event->hw.tp_filter);
	event->hw.tp_filter = NULL;
}

/**
 * perf_tracepoint_free_filter - free the filter of an event that is being freed
 * @event: event of any kind, detached a grace period ago, so that no event site uses it
 *
 * Context: any.
 */
void perf_tracepoint_free_filter(struct perf_event *event)
{
	if (event->filter)
		ftrace_profile_free_filter(event);
}

static int perf_tracepoint_event_init(struct perf_event *event)
{
	int err;

	if (event->pmu->type != event->attr.type)
		return -ENOENT;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;

	err = perf_trace_init(event);
	if (!err)
		event->destroy = perf_trace_destroy;
	return err;
}

static struct pmu perf_tracepoint_pmu = {
	.task_ctx_nr	= perf_sw_context,
	.event_init	= perf_tracepoint_event_init,
	.add		= perf_tracepoint_add,
	.del		= perf_trace_del,
	.start		= perf_tracepoint_start,
	.stop		= perf_tracepoint_stop,
	.read		= perf_tracepoint_read,
};

/**
 * perf_tracepoint_pmu_init - register the PMU
 *
 * Context: at boot.
 */
void __init perf_tracepoint_pmu_init(void)
{
	perf_pmu_register(&perf_tracepoint_pmu, "tracepoint", PERF_TYPE_TRACEPOINT);
}

#if defined(CONFIG_PERF_EVENTS_KUNIT_TEST) && IS_BUILTIN(CONFIG_PERF_EVENTS_SIM_PMU)
#include "../tests/tracepoint_test.c"
#endif
