// SPDX-License-Identifier: GPL-2.0
/*
 * An event that samples has come to the end of a period.
 *
 * What can be done at once is: write the record, halt the event. Waking a
 * reader, sending a signal and disabling the event are left to an interrupt of
 * this CPU's own, or to the task's way back to user space. Each of them holds a
 * reference to the event from when it is queued until it is done, and nobody
 * waits for them: an event that is closed meanwhile is kept until then, and
 * what is still to be done finds it dead.
 */
#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/task_work.h>

#include "cold.h"
#include "delay.h"
#include "event.h"
#include "group.h"
#include "internal.h"
#include "overflow.h"
#include "record/buffer.h"
#include "sched.h"
#include "source/bpf.h"
#include "throttle.h"

/* The AUX event of this CPU is just being paused or resumed. */
static DEFINE_PER_CPU(bool, aux_pausing);

/*
 * Queue an event's irq work, which owns a reference. When it is queued already
 * it has its own; should its callback drop that before we drop ours, ours may
 * be the last, which must not be dropped here: then queue it once more. That
 * ends: it has run, so that the second time it is queued, or another overflow
 * has queued it and holds a reference.
 */
static void queue_event_work(struct perf_event *event, struct irq_work *work)
{
	if (!perf_event_tryget(event))
		return;
	while (!irq_work_queue(work)) {
		if (refcount_dec_not_one(&event->refcount))
			return;
	}
}

static void wakeup_work(struct irq_work *work)
{
	struct perf_event_cold *cold = container_of(work, struct perf_event_cold, notify_work);
	struct perf_event *event = cold->event;

	if (xchg(&cold->wakeup_due, 0))
		perf_event_wakeup(event);
	perf_event_put(event);
}

/**
 * perf_event_queue_wakeup - wake who reads an event, and send its signal, soon
 * @event: that has its cold part
 *
 * Any context.
 */
void perf_event_queue_wakeup(struct perf_event *event)
{
	WRITE_ONCE(event->cold->wakeup_due, 1);
	queue_event_work(event, &event->cold->notify_work);
}

/**
 * perf_event_hangup - tell who waits for an event that it has stopped
 * @event: any
 *
 * Any context.
 */
void perf_event_hangup(struct perf_event *event)
{
	if (!event->cold)
		return;
	WRITE_ONCE(event->pending_kill, POLL_HUP);
	perf_event_queue_wakeup(event);
}

/*
 * A driver halts an event that is throttled. Some have not done so when their
 * interrupt is over (riscv's lets all counters go on that have overflowed), and
 * would have the CPU busy with interrupts.
 */
static void halt_throttled(struct perf_event *event)
{
	lockdep_assert_irqs_disabled();
	if (event->state != PERF_EVENT_STATE_ACTIVE || event->oncpu != smp_processor_id() ||
	    !perf_event_throttled(event) || (event->hw.state & PERF_HES_STOPPED) ||
	    event->cold->halted)
		return;
	perf_pmu_disable(event->pmu);
	perf_event_pmu_stop(event, PERF_EF_UPDATE);
	/* Once is enough: a driver may link its event as it starts, and unlink it as it stops. */
	event->cold->halted = true;
	perf_pmu_enable(event->pmu);
}

static void disable_irq_work(struct irq_work *work)
{
	struct perf_event_cold *cold = container_of(work, struct perf_event_cold,
						    disable_work);
	struct perf_event *event = cold->event;
	int cpu = smp_processor_id();

	/* Taken off the CPU meanwhile, it was disabled then. */
	if (perf_event_disable_is_due(cold)) {
		perf_delay(DISABLE_DUE);
		if (!is_resident(event))
			cpu = READ_ONCE(event->oncpu);
		/*
		 * What others did to its task may be an event's, when that is
		 * not on. It may go on elsewhere before it is locked, and is
		 * left alone then: to go on it went off, or was off, since it
		 * was asked for, and perf_event_sched_out() does what is due,
		 * once. What an overflow there asks for is queued there, as
		 * this work is not pending any more.
		 */
		if (cpu == smp_processor_id() || cpu < 0) {
			perf_event_disable_due(event);
		} else if (irq_work_queue_on(work, cpu)) {
			/* It has overflowed again elsewhere: our reference goes there. */
			return;
		}
	}
	halt_throttled(event);
	perf_event_put(event);
}

/**
 * perf_event_disable_inatomic - disable an event as soon as interrupts are on
 * @event: active on this CPU
 *
 * Any context.
 */
void perf_event_disable_inatomic(struct perf_event *event)
{
	struct perf_event_cold *cold = event->cold;

	/* An event that only counts has nothing to disable it with. */
	if (WARN_ON_ONCE(!cold)) {
		perf_event_pmu_stop(event, 0);
		return;
	}
	WRITE_ONCE(cold->disable_due, 1);
	queue_event_work(event, &cold->disable_work);
}

/* On the task's way to user space. */
static void sigtrap_work(struct callback_head *head)
{
	struct perf_event_cold *cold = container_of(head, struct perf_event_cold, sigtrap_work);
	struct perf_event *event = cold->event;
	void __user *addr = (void __user *)cold->sigtrap_addr;
	int rctx;

	/* Events of the way that the signal takes are not to raise another one. */
	rctx = perf_swevent_get_recursion_context();

	/* The address may be the next one's from here on. */
	barrier();
	WRITE_ONCE(cold->sigtrap_queued, 0);
	/* Closed meanwhile, or nobody there to take the signal. */
	if (READ_ONCE(event->state) > PERF_EVENT_STATE_EXIT && !(current->flags & PF_EXITING))
		send_sig_perf(addr, event->orig_type, event->attr.sig_data);

	if (rctx >= 0)
		perf_swevent_put_recursion_context(rctx);
	perf_event_put(event);
}

/*
 * Would another SIGTRAP be dropped? That is so where one is pending, where the
 * task ignores them, and where it exits. An event of the kernel's own work must
 * not ask for it then: what sends the signal raises the next event, and current
 * would never get back to user mode, nor die. Who is not exiting keeps its
 * signal handlers, so they can be looked at from an NMI.
 */
static bool sigtrap_is_lost(void)
{
	const struct sighand_struct *sighand;
	__sighandler_t handler;

	if ((current->flags & PF_EXITING) || sigismember(&current->pending.signal, SIGTRAP))
		return true;
	/* Killed, or one of its threads exits for all: no other signal is queued. */
	if (READ_ONCE(current->signal->flags) & SIGNAL_GROUP_EXIT)
		return true;
	if (current->ptrace || sigismember(&current->blocked, SIGTRAP))
		return false;
	sighand = rcu_dereference_raw(current->sighand);
	handler = READ_ONCE(sighand->action[SIGTRAP - 1].sa.sa_handler);
	return handler == SIG_IGN ||
	       (handler == SIG_DFL && (current->signal->flags & SIGNAL_UNKILLABLE));
}

static void queue_sigtrap(struct perf_event *event, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	struct perf_event_cold *cold = event->cold;
	/* Skid must not lose the signal, nor say where it happened. */
	bool visible = !event->attr.exclude_kernel || user_mode(regs);

	if (READ_ONCE(event->ctx)->task != current || sigtrap_is_lost())
		return;
	/* One signal for all overflows on the way to user space. */
	if (cmpxchg(&cold->sigtrap_queued, 0, 1))
		return;

	cold->sigtrap_addr = visible && (data->sample_flags & PERF_SAMPLE_ADDR) ? data->addr : 0;
	if (!perf_event_tryget(event)) {
		WRITE_ONCE(cold->sigtrap_queued, 0);
		return;
	}
	if (task_work_add(current, &cold->sigtrap_work,
			  in_nmi() ? TWA_NMI_CURRENT : TWA_RESUME)) {
		/* An exiting task goes to user space no more. It keeps the event still. */
		WRITE_ONCE(cold->sigtrap_queued, 0);
		WARN_ON_ONCE(!refcount_dec_not_one(&event->refcount));
	}
}

/* attr.aux_pause, aux_resume */
static void aux_pause(struct perf_event *aux, bool pause)
{
	unsigned long flags;

	if (!aux || READ_ONCE(aux->state) != PERF_EVENT_STATE_ACTIVE)
		return;
	local_irq_save(flags);
	/* An NMI that finds its driver at work leaves it alone. */
	if (!__this_cpu_read(aux_pausing)) {
		__this_cpu_write(aux_pausing, true);
		barrier();
		if (pause && !aux->hw.aux_paused) {
			aux->hw.aux_paused = 1;
			perf_event_pmu_stop(aux, PERF_EF_PAUSE);
		} else if (!pause && aux->hw.aux_paused) {
			aux->hw.aux_paused = 0;
			perf_event_pmu_start(aux, PERF_EF_RESUME);
		}
		barrier();
		__this_cpu_write(aux_pausing, false);
	}
	local_irq_restore(flags);
}

static __always_inline void call_handler(struct perf_event *event,
					 struct perf_sample_data *data, struct pt_regs *regs)
{
	perf_overflow_handler_t handler = READ_ONCE(event->overflow_handler);

	/* Nearly always this one, which then is no indirect call. */
	if (likely(handler == perf_event_output_forward))
		perf_event_output_forward(event, data, regs);
	else
		handler(event, data, regs);
}

/* Is there more to do at an overflow than to call the handler? */
static __always_inline bool has_more_to_do(const struct perf_event *event)
{
	const struct perf_event *root = perf_event_root(event);

	return event->attr.aux_action || event->attr.sigtrap || event->prog ||
	       atomic_read(&event->cold->event_limit) || READ_ONCE(root->cold->fasync);
}

/* Is this the last overflow that the limit allows? */
static bool limit_reached(atomic_t *limit)
{
	int old = atomic_read(limit), new;

	do {
		if (old <= 0)
			return false;
		new = old == 1 ? PERF_LIMIT_REACHED : old - 1;
	} while (!atomic_try_cmpxchg(limit, &old, new));
	return new == PERF_LIMIT_REACHED;
}

static noinline int do_all(struct perf_event *event, struct perf_sample_data *data,
			   struct pt_regs *regs, int stop)
{
	struct perf_event_cold *cold = event->cold;
	const struct perf_event *root = perf_event_root(event);
	bool signals = READ_ONCE(root->cold->fasync);
	int kill = POLL_IN;

	/* It is not off yet, but for an interrupt. */
	if (atomic_read(&cold->event_limit) == PERF_LIMIT_REACHED)
		return 1;
	if (event->attr.aux_pause)
		aux_pause(event->aux_event, true);
	if (event->prog) {
		/* Programs read it whether it has been filled in or not. */
		if (!(data->sample_flags & PERF_SAMPLE_ADDR))
			data->addr = 0;
		if (!perf_event_bpf_overflow(event, data, regs))
			goto out;
	}

	if (limit_reached(&cold->event_limit)) {
		stop = 1;
		kill = POLL_HUP;
		queue_event_work(event, &cold->disable_work);
	}
	/* Each overflow is a signal; the last one of a limited number is another. */
	if (signals)
		WRITE_ONCE(event->pending_kill, kill);
	if (event->attr.sigtrap)
		queue_sigtrap(event, data, regs);

	call_handler(event, data, regs);

	/* The wake-up of the record may have sent it already. */
	if (signals && READ_ONCE(event->pending_kill))
		perf_event_queue_wakeup(event);
out:
	if (event->attr.aux_resume)
		aux_pause(event->aux_event, false);
	return stop;
}

/**
 * __perf_event_overflow - an event that samples has come to the end of a period
 * @event: active, and it samples
 * @flags: PERF_OVERFLOW_*: may it be halted when that happens too often?
 * @data: what is known of the sample
 * @regs: where it happened
 *
 * Any context, preemption off.
 * Return: 1 when the caller is to stop the event
 * (until the next tick, or because its limit has been reached), 0 otherwise.
 */
int __perf_event_overflow(struct perf_event *event, unsigned int flags,
			  struct perf_sample_data *data, struct pt_regs *regs)
{
	int stop = 0;

	perf_delay(OVERFLOW);
	if (unlikely(!perf_overflow_account_fast(event)))
		stop = perf_overflow_account(event, flags);
	if (unlikely(has_more_to_do(event)))
		return do_all(event, data, regs, stop);
	call_handler(event, data, regs);
	return stop;
}

/**
 * perf_event_overflow - __perf_event_overflow() for PMU drivers, of any event
 * @event: whose counter has overflowed
 * @data: what the driver knows of the sample
 * @regs: where it happened
 *
 * Interrupts off or NMI.
 * Return: 1 when the driver is to stop the event. One that does not is asked to,
 * as soon as interrupts are on.
 */
int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	int stop;

	/* A counter that wraps around has no period. */
	if (unlikely(!is_sampling_event(event)))
		return 0;
	stop = __perf_event_overflow(event, PERF_OVERFLOW_HALT, data, regs);
	/* What happens at a switch, say, does not keep the CPU in its interrupt. */
	if (unlikely(stop) && perf_event_throttled(event) && (in_hardirq() || in_nmi()))
		queue_event_work(event, &event->cold->disable_work);
	return stop;
}
EXPORT_SYMBOL_GPL(perf_event_overflow);

/**
 * perf_overflow_init - give a new event its overflow handler
 * @event: whose overflow_handler is set, or NULL for that which writes records
 */
void perf_overflow_init(struct perf_event *event)
{
	if (event->overflow_handler)
		return;
	event->overflow_handler = is_write_backward(event) ? perf_event_output_backward :
							     perf_event_output_forward;
}

/**
 * perf_overflow_init_cold - make what an event may have to queue ready
 * @cold: new; its event is set
 */
void perf_overflow_init_cold(struct perf_event_cold *cold)
{
	init_irq_work(&cold->notify_work, wakeup_work);
	cold->disable_work = IRQ_WORK_INIT_HARD(disable_irq_work);
	init_task_work(&cold->sigtrap_work, sigtrap_work);
}

/**
 * perf_overflow_cancel - an event has been closed, or its task is gone
 * @event: detached
 *
 * What is queued drops its reference in its own time. Only a signal that
 * current would send to itself is taken back here.
 */
void perf_overflow_cancel(struct perf_event *event)
{
	struct perf_event_cold *cold = event->cold;

	if (!event->attr.sigtrap || !cold || !READ_ONCE(cold->sigtrap_queued))
		return;
	if (task_work_cancel(current, &cold->sigtrap_work)) {
		WRITE_ONCE(cold->sigtrap_queued, 0);
		perf_event_put(event);
	}
}
