// SPDX-License-Identifier: GPL-2.0
/*
 * Overflow: a sampling event reaches the end of a period
 *
 * The record is written and the event is stopped immediately. A wakeup, a signal and a disable of
 * the event are deferred to an irq_work on this CPU, or to task work on the return to user space.
 * Pending work holds a reference to the event. A close does not wait for the work, which then finds
 * a dead event.
 */
#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/task_work.h>

#include "cold.h"
#include "delay.h"
#include "enable.h"
#include "event.h"
#include "group.h"
#include "internal.h"
#include "overflow.h"
#include "record/buffer.h"
#include "sched.h"
#include "source/bpf.h"
#include "throttle.h"

/* The AUX event of this CPU is being paused or resumed */
static DEFINE_PER_CPU(bool, aux_pausing);

/*
 * A CPU that goes offline runs its irq work for the last time before it switches to its idle task.
 * The record of this switch may wake up a reader. Work that is queued then would stay queued, also
 * after the CPU is online again, and no later work would run: irq_work_queue() sends an interrupt
 * only if the queue is empty. So another CPU runs the work.
 */
static bool perf_overflow_queue_irq_work(struct irq_work *work)
{
	if (unlikely(!cpu_online(raw_smp_processor_id())) && !in_nmi())
		return irq_work_queue_on(work, cpumask_first(cpu_online_mask));
	return irq_work_queue(work);
}

/*
 * Queue an event's irq work, with a reference to the event. If the work is pending already, it
 * holds a reference, so the new reference is dropped. But if the work drops its own reference
 * first, the new one may be the last, which must not be dropped in this context: then queue the
 * work again. That terminates, because the work has run: either it can be queued now, or another
 * overflow has queued it, with a reference.
 */
static void perf_overflow_queue_work(struct perf_event *event, struct irq_work *work)
{
	if (!perf_event_tryget(event))
		return;
	while (!perf_overflow_queue_irq_work(work)) {
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
 * perf_event_queue_wakeup - queue a wakeup of an event's readers, and its signal
 * @event: the event, with event->cold allocated
 *
 * Context: any, including NMI.
 */
void perf_event_queue_wakeup(struct perf_event *event)
{
	WRITE_ONCE(event->cold->wakeup_due, 1);
	perf_overflow_queue_work(event, &event->cold->notify_work);
}

/*
 * Drivers stop a throttled event. But the interrupt of some drivers (riscv) ends with a restart
 * of all counters that have overflowed. So stop the event here, or its interrupts would keep
 * the CPU busy.
 */
static void perf_overflow_stop_throttled(struct perf_event *event)
{
	lockdep_assert_irqs_disabled();
	if (event->state != PERF_EVENT_STATE_ACTIVE || event->oncpu != smp_processor_id() ||
	    !perf_event_throttled(event) || (event->hw.state & PERF_HES_STOPPED) ||
	    event->cold->core_stopped)
		return;
	perf_pmu_disable(event->pmu);
	perf_event_pmu_stop(event, PERF_EF_UPDATE);
	/* Call pmu->stop only once, because it may remove the event from a driver's list. */
	event->cold->core_stopped = true;
	perf_pmu_enable(event->pmu);
}

static void perf_overflow_stop_irq_work(struct irq_work *work)
{
	struct perf_event_cold *cold = container_of(work, struct perf_event_cold,
						    stop_work);
	struct perf_event *event = cold->event;
	int cpu = smp_processor_id();

	if (perf_event_disable_is_due(cold)) {
		perf_delay(DISABLE_DUE);
		if (!is_always_on(event))
			cpu = READ_ONCE(event->oncpu);
		/*
		 * event->oncpu is -1 for an event that is scheduled out. Usually
		 * perf_event_sched_out() has handled the request. Exception: a tracepoint about the
		 * task made the event overflow while the task did not run.
		 *
		 * If another CPU schedules the event in before perf_event_disable_due() locks the
		 * event, that function does nothing: the sched out on that CPU disables the event.
		 */
		if (cpu == smp_processor_id() || cpu < 0) {
			perf_event_disable_due(event);
		} else if (cpu_online(cpu) && irq_work_queue_on(work, cpu)) {
			/*
			 * The event is active on another CPU: the work that is queued there
			 * takes over this reference. An offline CPU runs no more work, but is about
			 * to schedule the event out, which disables the event.
			 */
			return;
		}
	}
	perf_overflow_stop_throttled(event);
	perf_event_put(event);
}

/**
 * perf_event_disable_inatomic - disable an event when interrupts are enabled
 * @event: active event of this CPU, with event->cold allocated
 *
 * Context: any, including NMI.
 */
void perf_event_disable_inatomic(struct perf_event *event)
{
	struct perf_event_cold *cold = event->cold;

	/* A counting event may have no struct perf_event_cold, which contains the irq work. */
	if (WARN_ON_ONCE(!cold)) {
		perf_event_pmu_stop(event, 0);
		return;
	}
	WRITE_ONCE(cold->disable_due, true);
	perf_overflow_queue_work(event, &cold->stop_work);
}

/* Send the sigtrap on the task's return to user space. */
static void perf_overflow_sigtrap_work(struct callback_head *head)
{
	struct perf_event_cold *cold = container_of(head, struct perf_event_cold, sigtrap_work);
	struct perf_event *event = cold->event;
	void __user *addr = (void __user *)cold->sigtrap_addr;
	int rctx;

	/* Software events caused by sending the signal must not cause another signal. */
	rctx = perf_swevent_get_recursion_context();

	/* From this store on, an overflow may change sigtrap_addr, which was read above. */
	barrier();
	WRITE_ONCE(cold->sigtrap_queued, 0);
	/* The event may be closed by now, and an exiting task takes no signal. */
	if (READ_ONCE(event->state) > PERF_EVENT_STATE_EXIT && !(current->flags & PF_EXITING))
		send_sig_perf(addr, event->orig_type, event->attr.sig_data);

	if (rctx >= 0)
		perf_swevent_put_recursion_context(rctx);
	perf_event_put(event);
}

/*
 * Would another SIGTRAP be dropped? Yes, if one is pending, if the task ignores SIGTRAP, or if the
 * task exits. Then an event that counts the kernel must not request the signal: sending it would
 * raise the event again, and current would never return to user mode, nor exit. A task that is not
 * exiting keeps its signal handlers, so an NMI can read them.
 */
static bool perf_overflow_sigtrap_is_lost(void)
{
	const struct sighand_struct *sighand;
	__sighandler_t handler;

	if ((current->flags & PF_EXITING) || sigismember(&current->pending.signal, SIGTRAP))
		return true;
	/* A signal to a thread group that exits as a whole is dropped. */
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
	/* Skid into the kernel must not lose the signal, nor reveal the address. */
	bool visible = !event->attr.exclude_kernel || user_mode(regs);

	if (READ_ONCE(event->ctx)->task != current || perf_overflow_sigtrap_is_lost())
		return;
	/* One signal for all overflows before the return to user space */
	if (cmpxchg(&cold->sigtrap_queued, 0, 1))
		return;

	cold->sigtrap_addr = visible && (data->sample_flags & PERF_SAMPLE_ADDR) ? data->addr : 0;
	if (!perf_event_tryget(event)) {
		WRITE_ONCE(cold->sigtrap_queued, 0);
		return;
	}
	/* The run queue may be locked: KASAN must not allocate memory for a stack trace. */
	if (task_work_add(current, &cold->sigtrap_work,
			  in_nmi() ? TWA_NMI_CURRENT : TWA_RESUME | TWAF_NO_ALLOC)) {
		/* An exiting task does not return to user space. event->ctx has a reference. */
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
	/* An NMI that has interrupted this function does not change the AUX event. */
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

	/* Avoid an indirect call for the most frequent handler. */
	if (likely(handler == perf_event_output_forward))
		perf_event_output_forward(event, data, regs);
	else
		handler(event, data, regs);
}

/* Is there more to do at an overflow than calling the handler? */
static __always_inline bool perf_overflow_has_more_to_do(const struct perf_event *event)
{
	const struct perf_event *parent = perf_event_parent(event);

	return event->attr.aux_action || event->attr.sigtrap || event->prog ||
	       atomic_read(&event->cold->event_limit) || READ_ONCE(parent->cold->fasync);
}

/*
 * Count an overflow for the limit. Return: overflows that were left, including this one; 0 if there
 * is no limit; PERF_LIMIT_REACHED if none was left
 */
static int perf_overflow_count_limited(atomic_t *limit)
{
	int old = atomic_read(limit);

	do {
		if (old <= 0)
			break;
	} while (!atomic_try_cmpxchg(limit, &old, old == 1 ? PERF_LIMIT_REACHED : old - 1));
	return old;
}

static noinline int perf_overflow_do_all(struct perf_event *event, struct perf_sample_data *data,
					 struct pt_regs *regs, int stop)
{
	struct perf_event_cold *cold = event->cold;
	const struct perf_event *parent = perf_event_parent(event);
	bool signals = READ_ONCE(parent->cold->fasync);
	int kill = POLL_IN, left;

	/*
	 * The limit was reached. The interrupt that disables the event is pending, or the event has
	 * been disabled since the event site or the driver has seen it enabled.
	 */
	if (perf_event_limit_is_reached(event))
		return 1;
	if (event->attr.aux_pause)
		perf_overflow_aux_pause(event->aux_event, true);
	if (event->prog) {
		/* BPF programs read data->addr even if the driver has not set it. */
		if (!(data->sample_flags & PERF_SAMPLE_ADDR))
			data->addr = 0;
		if (!perf_event_bpf_overflow(event, data, regs))
			goto out;
	}

	left = perf_overflow_count_limited(&cold->event_limit);
	/* A nested overflow, or one on another CPU, was the last since the check above. */
	if (unlikely(left == PERF_LIMIT_REACHED))
		return 1;
	if (left == 1) {
		stop = 1;
		kill = POLL_HUP;
		perf_overflow_queue_work(event, &cold->stop_work);
	}
	/*
	 * Each overflow sends a signal: POLL_HUP for the last one that the limit allows,
	 * else POLL_IN.
	 */
	if (signals)
		WRITE_ONCE(event->pending_kill, kill);
	if (event->attr.sigtrap)
		perf_overflow_queue_sigtrap(event, data, regs);

	perf_overflow_call_handler(event, data, regs);

	/* The wakeup for the record may have sent the signal already. */
	if (signals && READ_ONCE(event->pending_kill))
		perf_event_queue_wakeup(event);
out:
	if (event->attr.aux_resume)
		perf_overflow_aux_pause(event->aux_event, false);
	return stop;
}

/**
 * __perf_event_overflow - handle the end of a period of a sampling event
 * @event: the active event
 * @flags: PERF_OVERFLOW_*
 * @data: the sample, possibly incomplete
 * @regs: registers at the overflow
 *
 * Context: any, including NMI; preemption is off.
 * Return: 1 if the caller must stop the event until the next tick, or because the event's limit was
 * reached; 0 otherwise
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
 * perf_event_overflow - handle an overflow that a PMU driver reports
 * @event: event whose counter has overflowed
 * @data: the sample, possibly incomplete
 * @regs: registers at the overflow
 *
 * Does nothing for a counting event, which has no period.
 *
 * Context: interrupts are off, or NMI.
 * Return: 1 if the driver must stop the event. If the driver does not, irq work stops the event,
 * except after a throttle outside of an interrupt
 */
int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	int stop;

	/* A counting event has no period. */
	if (unlikely(!is_sampling_event(event)))
		return 0;
	stop = __perf_event_overflow(event, PERF_OVERFLOW_MAY_THROTTLE, data, regs);
	/*
	 * If the driver does not stop the throttled event, stop_work does: otherwise interrupts of
	 * the event could keep the CPU busy. Outside of interrupts, stop_work is not queued: the
	 * next interrupt of the event would queue it.
	 */
	if (unlikely(stop) && perf_event_throttled(event) && (in_hardirq() || in_nmi()))
		perf_overflow_queue_work(event, &event->cold->stop_work);
	return stop;
}
EXPORT_SYMBOL_GPL(perf_event_overflow);

/**
 * perf_event_overflow_more - handle an overflow that does not count for throttling
 * @event: an event that samples; its counter has overflowed
 * @data: the sample, possibly incomplete
 * @regs: registers at the overflow
 *
 * For drivers whose hardware records several overflows before it interrupts. Throttling limits
 * interrupts, so the driver calls perf_event_overflow() for one record of an interrupt, and this
 * function for the other records, and for all records outside of an interrupt. Programs, limits and
 * signals are the same in both functions.
 *
 * Context: interrupts are off, or NMI.
 * Return: 1 if the driver must stop the event because its limit was reached, 0 otherwise
 */
int perf_event_overflow_more(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	if (unlikely(perf_overflow_has_more_to_do(event)))
		return perf_overflow_do_all(event, data, regs, 0);
	perf_overflow_call_handler(event, data, regs);
	return 0;
}
EXPORT_SYMBOL_GPL(perf_event_overflow_more);

/**
 * perf_overflow_init - set the overflow handler of a new event
 * @event: the event; event->overflow_handler is set, or NULL to write records
 */
void perf_overflow_init(struct perf_event *event)
{
	if (event->overflow_handler)
		return;
	event->overflow_handler = is_write_backward(event) ? perf_event_output_backward :
							     perf_event_output_forward;
}

/**
 * perf_overflow_init_cold - initialise an event's work items
 * @cold: new, with @cold->event set
 */
void perf_overflow_init_cold(struct perf_event_cold *cold)
{
	init_irq_work(&cold->notify_work, perf_overflow_wakeup_work);
	cold->stop_work = IRQ_WORK_INIT_HARD(perf_overflow_stop_irq_work);
	init_task_work(&cold->sigtrap_work, perf_overflow_sigtrap_work);
}

/**
 * perf_overflow_cancel - cancel an event's sigtrap after a close or the exit of its task
 * @event: the event, detached
 *
 * Pending irq work is not cancelled: it drops its reference when it runs. Only task work of
 * current is cancelled here.
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
