// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs of events. kernel/trace owns the programs of tracepoints and probes and runs
 * them for each hit; event->prog only records which program is the event's. Programs of all
 * other events run here, for each overflow.
 */
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/syscalls.h>
#include <linux/trace_events.h>

#include "../context.h"
#include "../delay.h"
#include "../internal.h"
#include "../refuse.h"
#include "bpf.h"
#include "tracepoint.h"

#ifdef CONFIG_BPF_SYSCALL

#ifdef CONFIG_EVENT_TRACING
static int perf_bpf_attach_tracing(struct perf_event *event, struct bpf_prog *prog, u64 cookie)
{
	struct trace_event_call *call = event->tp_event;
	bool kprobe = call->flags & TRACE_EVENT_FL_KPROBE;
	bool uprobe = call->flags & TRACE_EVENT_FL_UPROBE;
	bool fixed = (call->flags & TRACE_EVENT_FL_TRACEPOINT) || is_syscall_trace_event(call);
	int err;

	if (kprobe || uprobe) {
		if (prog->type != BPF_PROG_TYPE_KPROBE)
			return perf_refuse(PERF_REFUSED_BPF_KIND);
		/* A sleepable program needs a probe that traps in user space. */
		if (prog->sleepable && !uprobe)
			return perf_refuse(PERF_REFUSED_BPF_KIND);
		/* Multi-probe programs need a larger bpf_run_ctx than a single probe provides. */
		if (prog->expected_attach_type == BPF_TRACE_KPROBE_MULTI ||
		    prog->expected_attach_type == BPF_TRACE_KPROBE_SESSION ||
		    prog->expected_attach_type == BPF_TRACE_UPROBE_MULTI)
			return perf_refuse(PERF_REFUSED_BPF_KIND);
	} else if (!fixed || prog->type != BPF_PROG_TYPE_TRACEPOINT) {
		return perf_refuse(PERF_REFUSED_BPF_KIND);
	}

	/* bpf_override_return() makes a kernel function return at once. */
	if (prog->kprobe_override && !kprobe)
		return perf_refuse(PERF_REFUSED_BPF_KIND);
	/* The program must not read beyond the trace record. */
	if (fixed && prog->aux->max_ctx_offset > trace_event_get_offsets(call))
		return perf_refuse(PERF_REFUSED_BPF_CONTEXT);

	err = perf_event_attach_bpf_prog(event, prog, cookie);
	/*
	 * -EEXIST has two causes: the event has a program, or another event has this program on the
	 * same tracepoint.
	 */
	return perf_refuse_error(err == -EEXIST && READ_ONCE(event->prog) ?
				 PERF_REFUSED_BPF_PRESENT : PERF_REFUSED_BPF_OTHER, err);
}

static void perf_bpf_detach_tracing(struct perf_event *event)
{
	perf_event_detach_bpf_prog(event);
}
#else
static int perf_bpf_attach_tracing(struct perf_event *event, struct bpf_prog *prog, u64 cookie)
{
	return perf_refuse(PERF_REFUSED_BPF_KIND);
}

static void perf_bpf_detach_tracing(struct perf_event *event)
{
}
#endif

/*
 * A precise event may have registers from the hardware, which are not the start of a
 * callchain. So its samples must contain the callchain.
 */
static bool perf_bpf_stack_is_lost(const struct perf_event *event, const struct bpf_prog *prog)
{
	const struct perf_event_attr *attr = &event->attr;

	if (!attr->precise_ip || !prog->call_get_stack)
		return false;
	return !(attr->sample_type & PERF_SAMPLE_CALLCHAIN) ||
	       attr->exclude_callchain_kernel || attr->exclude_callchain_user;
}

static int perf_bpf_attach_overflow(struct perf_event *event, struct bpf_prog *prog, u64 cookie)
{
	/* A program must not suppress the overflow handler of a kernel event. */
	if (is_kernel_event(event) && event->overflow_handler_context)
		return perf_refuse(PERF_REFUSED_BPF_KIND);
	if (event->prog)
		return perf_refuse(PERF_REFUSED_BPF_PRESENT);
	if (prog->type != BPF_PROG_TYPE_PERF_EVENT)
		return perf_refuse(PERF_REFUSED_BPF_KIND);
	if (perf_bpf_stack_is_lost(event, prog))
		return perf_refuse(PERF_REFUSED_BPF_STACK);

	event->bpf_cookie = cookie;
	perf_delay(PROG_SET);
	/* Pairs with perf_event_bpf_overflow(), which then finds the cookie of the program. */
	smp_store_release(&event->prog, prog);
	return 0;
}

/**
 * perf_event_set_bpf - attach a program to an event
 * @event: the event; its ctx->mutex is held
 * @prog: the program; the event takes over the caller's reference
 * @cookie: for bpf_get_attach_cookie()
 *
 * For a tracepoint or probe ctx->mutex is dropped and taken again: kernel/trace may wait for CPU
 * hotplug, which may wait for a context's mutex.
 *
 * Context: may sleep.
 * Return: 0 on success, -EEXIST if the event has a program, -EINVAL if the event does not support
 * the program, -ENODEV if the event's PMU was unregistered, -EACCES, -EPROTO, -E2BIG
 */
int perf_event_set_bpf(struct perf_event *event, struct bpf_prog *prog, u64 cookie)
{
	struct perf_event_context *ctx = event->ctx;
	int err;

	lockdep_assert_held(&ctx->mutex);
	if (event->state == PERF_EVENT_STATE_DEAD)
		return perf_refuse(PERF_REFUSED_EVENT_DEAD);
	if (!is_tracing_event(event))
		return perf_bpf_attach_overflow(event, prog, cookie);

	mutex_unlock(&ctx->mutex);
	err = perf_bpf_attach_tracing(event, prog, cookie);
	mutex_lock(&ctx->mutex);
	return err;
}

/**
 * perf_event_set_bpf_prog - perf_event_set_bpf() for BPF links
 * @event: an event of user space
 * @prog: the program; the event takes over the caller's reference
 * @bpf_cookie: for bpf_get_attach_cookie()
 *
 * Context: may sleep, no lock is held.
 * Return: 0 on success, or an error of perf_event_set_bpf()
 */
int perf_event_set_bpf_prog(struct perf_event *event, struct bpf_prog *prog, u64 bpf_cookie)
{
	CLASS(event_context, ctx)(event);
	int err = perf_event_set_bpf(event, prog, bpf_cookie);

	/* bpf(2) does not report reasons. */
	if (err)
		perf_refusal_clear();
	return err;
}

/**
 * perf_event_free_bpf - detach the event's program, if it has one
 * @event: any event; an overflow may be running the program
 *
 * The program itself is freed by RCU.
 *
 * Context: may sleep.
 */
void perf_event_free_bpf(struct perf_event *event)
{
	struct bpf_prog *prog;

	if (!READ_ONCE(event->prog))
		return;
	if (is_tracing_event(event)) {
		perf_bpf_detach_tracing(event);
		return;
	}
	prog = xchg(&event->prog, NULL);
	if (prog)
		bpf_prog_put(prog);
}

/**
 * perf_event_free_bpf_prog - perf_event_free_bpf() for BPF links
 * @event: any event
 */
void perf_event_free_bpf_prog(struct perf_event *event)
{
	perf_event_free_bpf(event);
}

/**
 * perf_event_copy_bpf - attach the parent event's program to an inherited event
 * @child: inherited event, not attached yet
 * @parent: its parent event
 *
 * Tracepoints' programs are not inherited, because they run for all tasks.
 */
void perf_event_copy_bpf(struct perf_event *child, struct perf_event *parent)
{
	struct bpf_prog *prog;

	guard(rcu)();
	prog = READ_ONCE(parent->prog);
	if (!prog || prog->type != BPF_PROG_TYPE_PERF_EVENT)
		return;
	prog = bpf_prog_inc_not_zero(prog);
	/* If the program is being detached, @child gets no program. */
	if (IS_ERR(prog))
		return;
	child->bpf_cookie = parent->bpf_cookie;
	child->prog = prog;
}

/**
 * perf_event_bpf_overflow - run the event's program for an overflow
 * @event: event that overflowed
 * @data: the sample
 * @regs: registers at the overflow
 *
 * Context: any, preemption is off.
 * Return: the program's return value, 0 for neither record nor signal; 0 if the program must not
 * run here; 1 if there is no program for overflows
 */
int perf_event_bpf_overflow(struct perf_event *event, struct perf_sample_data *data,
			    struct pt_regs *regs)
{
	struct bpf_perf_event_data_kern ctx = {
		.data	= data,
		.event	= event,
		.regs	= perf_arch_bpf_user_pt_regs(regs),
	};
	struct bpf_prog *prog;
	int ret = 0;

	guard(rcu)();
	/* Pairs with perf_bpf_attach_overflow(). */
	prog = smp_load_acquire(&event->prog);
	perf_delay(PROG_SEEN);
	if (!prog || prog->type != BPF_PROG_TYPE_PERF_EVENT)
		return 1;

	/* A nested overflow runs no program. */
	if (likely(this_cpu_inc_return(bpf_prog_active) == 1)) {
		perf_prepare_sample(data, event, regs);
		ret = bpf_prog_run(prog, &ctx);
	}
	this_cpu_dec(bpf_prog_active);
	return ret;
}

#else /* !CONFIG_BPF_SYSCALL */

/**
 * perf_event_set_bpf - attach a program; not supported without BPF
 * @event: any event
 * @prog: not used
 * @cookie: not used
 *
 * Return: -EOPNOTSUPP
 */
int perf_event_set_bpf(struct perf_event *event, struct bpf_prog *prog, u64 cookie)
{
	return -EOPNOTSUPP;
}

/**
 * perf_event_free_bpf - nothing to do without BPF
 * @event: any event
 */
void perf_event_free_bpf(struct perf_event *event)
{
}

/**
 * perf_event_copy_bpf - nothing to do without BPF
 * @child: an inherited event
 * @parent: its parent event
 */
void perf_event_copy_bpf(struct perf_event *child, struct perf_event *parent)
{
}

#endif
