// SPDX-License-Identifier: GPL-2.0
/*
 * Overflow: an event that samples has come to the end of a period.
 *
 * The record is written and the event halted at once. Waking a reader, sending a
 * signal and disabling the event are left to an irq_work on this CPU, or to task work
 * on the way back to user space. Each work holds a reference to the event from when it
 * is queued until it is done, and a close does not wait for it: the event is kept until
 * then, and the work finds it dead.
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
#include "turn.h"

/* The AUX event of this CPU is just being paused or resumed. */
static DEFINE_PER_CPU(bool, aux_pausing);

/*
 * Queue an event's irq work, which owns a reference. If it is queued already, it has a
 * reference, and the one taken here is dropped. But if the callback drops its reference
 * before that, the one taken here may be the last, which must not be dropped in this
 * context: then queue the work once more. That ends, since the work has run: either it
 * is queued now, or another overflow has queued it and holds a reference.
 */
static void perf_overflow_queue_work(struct perf_event *event, struct irq_work *work)
{
	if (!perf_event_tryget(event))
		return;
	while (!irq_work_queue(work)) {
		if (refcount_dec_not_one(&event->refcount))
			return;
	}
}

static void perf_overflow_wakeup_work(struct irq_work *work)
{
	struct perf_event_cold *cold = container_of(work, struct perf_event_cold, notify_work);
	struct perf_event *event = cold->event;

	if (xchg(&cold->wakeup_due, 0))
		perf_event_wakeup(event);
	perf_event_put(event);
}

/**
 * perf_event_queue_wakeup - queue the wake-up of an event's readers, and its signal
 * @event: the event, which has its cold part
 *
 * Any context, NMI included.
 */
void perf_event_queue_wakeup(struct perf_event *event)
{
	WRITE_ONCE(event->cold->wakeup_due, 1);
	perf_overflow_queue_work(event, &event->cold->notify_work);
}

/**
 * perf_event_hangup - tell readers that wait for an event that it has stopped
 * @event: the event, with or without its cold part
 *
 * Any context, NMI included.
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
static void perf_overflow_halt_throttled(struct perf_event *event)
{
	lockdep_assert_irqs_disabled();
	if (event->state != PERF_EVENT_STATE_ACTIVE || event->oncpu != smp_processor_id() ||
	    !perf_event_throttled(event) || (event->hw.state & PERF_HES_STOPPED) ||
	    event->cold->halted)
		return;
	perf_pmu_disable(event->pmu);
	perf_event_pmu_stop(event, PERF_EF_UPDATE);
	/* Remembered, so that stop is called once: drivers may unlink the event as it stops. */
	event->cold->halted = true;
	perf_pmu_enable(event->pmu);
}

static void perf_overflow_disable_irq_work(struct irq_work *work)
{
	struct perf_event_cold *cold = container_of(work, struct perf_event_cold,
						    disable_work);
	struct perf_event *event = cold->event;
	int cpu = smp_processor_id();

	/* If the event has been taken off its CPU meanwhile, that has disabled it. */
	if (perf_event_disable_is_due(cold)) {
		perf_delay(DISABLE_DUE);
		if (!is_resident(event))
			cpu = READ_ONCE(event->oncpu);
		/*
		 * The event may be off, when another task's occurrence made it
		 * overflow. It may be put on another CPU before it is locked, and
		 * is left alone then: it was off after the request was made, or
		 * was taken off since, and perf_event_sched_out() has met the
		 * request. If it overflows there, that queues this work anew, as
		 * it is not pending any more.
		 */
		if (cpu == smp_processor_id() || cpu < 0) {
			perf_event_disable_due(event);
		} else if (irq_work_queue_on(work, cpu)) {
			/* The event has overflowed on another CPU: this reference goes there. */
			return;
		}
	}
	perf_overflow_halt_throttled(event);
	perf_event_put(event);
}

/**
 * perf_event_disable_inatomic - disable an event as soon as interrupts are on
 * @event: the event, active on this CPU, with its cold part
 *
 * Any context, NMI included.
 */
void perf_event_disable_inatomic(struct perf_event *event)
{
	struct perf_event_cold *cold = event->cold;

	/* An event that only counts has nothing to disable it with. */
	if (WARN_ON_ONCE(!cold)) {
		perf_event_pmu_stop(event, 0);
		return;
	}
	WRITE_ONCE(cold->disable_due, true);
	perf_overflow_queue_work(event, &cold->disable_work);
}

/* Send the sigtrap, on the task's way to user space. */
static void perf_overflow_sigtrap_work(struct callback_head *head)
{
	struct perf_event_cold *cold = container_of(head, struct perf_event_cold, sigtrap_work);
	struct perf_event *event = cold->event;
	void __user *addr = (void __user *)cold->sigtrap_addr;
	int rctx;

	/* Software events that happen as the signal is sent must not raise another one. */
	rctx = perf_swevent_get_recursion_context();

	/* From here on the next overflow may store its address. */
	barrier();
	WRITE_ONCE(cold->sigtrap_queued, 0);
	/* The event may have been closed meanwhile, and an exiting task takes no signal. */
	if (READ_ONCE(event->state) > PERF_EVENT_STATE_EXIT && !(current->flags & PF_EXITING))
		send_sig_perf(addr, event->orig_type, event->attr.sig_data);

	if (rctx >= 0)
		perf_swevent_put_recursion_context(rctx);
	perf_event_put(event);
}

/*
 * Would another SIGTRAP be dropped? It would if one is pending, if the task ignores
 * SIGTRAP, or if it exits. Then an event that counts the kernel's work must not ask for
 * the signal: sending it would make the event happen again, and current would never get
 * back to user mode, nor die. A task that is not exiting keeps its signal handlers, so
 * they can be looked at from an NMI.
 */
static bool perf_overflow_sigtrap_is_lost(void)
{
	const struct sighand_struct *sighand;
	__sighandler_t handler;

	if ((current->flags & PF_EXITING) || sigismember(&current->pending.signal, SIGTRAP))
		return true;
	/* When the whole thread group exits, no other signal is queued. */
	if (READ_ONCE(current->signal->flags) & SIGNAL_GROUP_EXIT)
		return true;
	if (current->ptrace || sigismember(&current->blocked, SIGTRAP))
		return false;
	sighand = rcu_dereference_raw(current->sighand);
	handler = READ_ONCE(sighand->action[SIGTRAP - 1].sa.sa_handler);
	return handler == SIG_IGN ||
	       (handler == SIG_DFL && (current->signal->flags & SIGNAL_UNKILLABLE));
}

static void perf_overflow_queue_sigtrap(struct perf_event *event, struct perf_sample_data *data,
					struct pt_regs *regs)
{
	struct perf_event_cold *cold = event->cold;
	/* Skid must not lose the signal, nor say where it happened. */
	bool visible = !event->attr.exclude_kernel || user_mode(regs);

	if (READ_ONCE(event->ctx)->task != current || perf_overflow_sigtrap_is_lost())
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
		/* An exiting task does not return to user space. Its context keeps the event. */
		WRITE_ONCE(cold->sigtrap_queued, 0);
		WARN_ON_ONCE(!refcount_dec_not_one(&event->refcount));
	}
}

/* attr.aux_pause, aux_resume */
static void perf_overflow_aux_pause(struct perf_event *aux, bool pause)
{
	unsigned long flags;

	if (!aux || READ_ONCE(aux->state) != PERF_EVENT_STATE_ACTIVE)
		return;
	local_irq_save(flags);
	/* An NMI that has interrupted the driver in this very work leaves the AUX event alone. */
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

static __always_inline void perf_overflow_call_handler(struct perf_event *event,
						       struct perf_sample_data *data,
						       struct pt_regs *regs)
{
	perf_overflow_handler_t handler = READ_ONCE(event->overflow_handler);

	/* Nearly all events have this handler: avoid an indirect call. */
	if (likely(handler == perf_event_output_forward))
		perf_event_output_forward(event, data, regs);
	else
		handler(event, data, regs);
}

/* Is there more to do at an overflow than to call the handler? */
static __always_inline bool perf_overflow_has_more_to_do(const struct perf_event *event)
{
	const struct perf_event *root = perf_event_root(event);

	return event->attr.aux_action || event->attr.sigtrap || event->prog ||
	       atomic_read(&event->cold->event_limit) || READ_ONCE(root->cold->fasync);
}

/* Is this the last overflow that the limit allows? */
static bool perf_overflow_limit_reached(atomic_t *limit)
{
	int old = atomic_read(limit), new;

	do {
		if (old <= 0)
			return false;
		new = old == 1 ? PERF_LIMIT_REACHED : old - 1;
	} while (!atomic_try_cmpxchg(limit, &old, new));
	return new == PERF_LIMIT_REACHED;
}

static noinline int perf_overflow_do_all(struct perf_event *event, struct perf_sample_data *data,
					 struct pt_regs *regs, int stop)
{
	struct perf_event_cold *cold = event->cold;
	const struct perf_event *root = perf_event_root(event);
	bool signals = READ_ONCE(root->cold->fasync);
	int kill = POLL_IN;

	/* The limit has been reached, but the interrupt that disables the event is due. */
	if (atomic_read(&cold->event_limit) == PERF_LIMIT_REACHED)
		return 1;
	if (event->attr.aux_pause)
		perf_overflow_aux_pause(event->aux_event, true);
	if (event->prog) {
		/* Programs read it whether it has been filled in or not. */
		if (!(data->sample_flags & PERF_SAMPLE_ADDR))
			data->addr = 0;
		if (!perf_event_bpf_overflow(event, data, regs))
			goto out;
	}

	if (perf_overflow_limit_reached(&cold->event_limit)) {
		stop = 1;
		kill = POLL_HUP;
		perf_overflow_queue_work(event, &cold->disable_work);
	}
	/* Each overflow is a signal; the last one of a limited number is another. */
	if (signals)
		WRITE_ONCE(event->pending_kill, kill);
	if (event->attr.sigtrap)
		perf_overflow_queue_sigtrap(event, data, regs);

	perf_overflow_call_handler(event, data, regs);

	/* The wake-up of the record may have sent it already. */
	if (signals && READ_ONCE(event->pending_kill))
		perf_event_queue_wakeup(event);
out:
	if (event->attr.aux_resume)
		perf_overflow_aux_pause(event->aux_event, false);
	return stop;
}

/**
 * __perf_event_overflow - handle the end of a period of an event that samples
 * @event: the event, active
 * @flags: PERF_OVERFLOW_*
 * @data: the fields of the sample that are known
 * @regs: registers where the overflow happened
 *
 * Any context, NMI included, preemption off.
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
	if (unlikely(perf_overflow_has_more_to_do(event)))
		return perf_overflow_do_all(event, data, regs, stop);
	perf_overflow_call_handler(event, data, regs);
	return stop;
}

/**
 * perf_event_overflow - __perf_event_overflow() for PMU drivers, of any event
 * @event: the event whose counter has overflowed
 * @data: the fields of the sample that the driver knows
 * @regs: registers where the overflow happened
 *
 * Interrupts off or NMI.
 * Return: 1 when the driver is to stop the event. If the driver does not, the core
 * stops the event as soon as interrupts are on.
 */
int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	int stop;

	/* A counter that wraps around has no period. */
	if (unlikely(!is_sampling_event(event)))
		return 0;
	stop = __perf_event_overflow(event, PERF_OVERFLOW_HALT, data, regs);
	/* Only in an interrupt can overflows keep the CPU busy; not at a switch, say. */
	if (unlikely(stop) && perf_event_throttled(event) && (in_hardirq() || in_nmi()))
		perf_overflow_queue_work(event, &event->cold->disable_work);
	return stop;
}
EXPORT_SYMBOL_GPL(perf_event_overflow);

/**
 * perf_overflow_init - give a new event its overflow handler
 * @event: the event; its overflow_handler is set, or NULL to write records
 */
void perf_overflow_init(struct perf_event *event)
{
	if (event->overflow_handler)
		return;
	event->overflow_handler = is_write_backward(event) ? perf_event_output_backward :
							     perf_event_output_forward;
}

/**
 * perf_overflow_init_cold - initialise the works that an event may have to queue
 * @cold: a new cold part, with its event set
 */
void perf_overflow_init_cold(struct perf_event_cold *cold)
{
	init_irq_work(&cold->notify_work, perf_overflow_wakeup_work);
	cold->disable_work = IRQ_WORK_INIT_HARD(perf_overflow_disable_irq_work);
	init_task_work(&cold->sigtrap_work, perf_overflow_sigtrap_work);
}

/**
 * perf_overflow_cancel - cancel an event's sigtrap when it is closed or its task is gone
 * @event: the event, detached
 *
 * Queued irq work is not cancelled: it drops its reference when it runs. Only task work
 * by which current would send itself a signal is cancelled here.
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
