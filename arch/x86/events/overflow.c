// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow interrupt. It is an NMI: it can interrupt any code of this driver, with any lock
 * held. So it takes no lock, and uses irq_work for wakeups. It may
 *
 * - read x86_pmu_cpu::owner, and x86_count::events of each owner. x86_count::offset of an owner
 *   matches its counter, except while x86_count::seq is odd;
 * - update events, start new periods, write samples, and stop events;
 * - reprogram counters;
 * - write other registers, unless the interrupted code is about to do that (x86_pmu_cpu::disabled
 *   or x86_pmu_cpu::reprogramming): then set x86_pmu_cpu::needs_reprogram for that code.
 *
 * It must not attach or detach events, or assign counters.
 */
#include <linux/rculist.h>
#include <linux/sched/clock.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include "engine.h"

/* Maximum delay of an interrupt whose overflow was handled before */
#define X86_LATE_NS	(100 * NSEC_PER_MSEC)

/* Shorter periods may end within the overflow interrupt itself. */
#define X86_SHORT_PERIOD	BIT_ULL(14)

/**
 * x86_expect_late_nmi - expect an interrupt without overflow
 * @cpu: this CPU, where an overflow was handled before its interrupt
 */
void x86_expect_late_nmi(struct x86_pmu_cpu *cpu)
{
	WRITE_ONCE(cpu->late_nmi_until, local_clock() + X86_LATE_NS);
}

/*
 * May this be an expected late interrupt? One late interrupt can be for several overflows that were
 * handled before it, so late interrupts are not counted, but expected for a limited time.
 */
static bool x86_is_late_nmi(const struct x86_pmu_cpu *cpu)
{
	u64 late = READ_ONCE(cpu->late_nmi_until);

	return late && (s64)(late - local_clock()) > 0;
}

/* Write a sample, see x86_sample(). Returns nonzero if the event must stop. */
static int x86_write_sample(struct x86_pmu_cpu *cpu, struct perf_event *event, struct pt_regs *regs,
			    const struct x86_record *record, bool may_throttle)
{
	struct perf_sample_data data;
	struct x86_perf_regs at;

	perf_sample_data_init(&data, 0, event->hw.last_period);
	if (record) {
		if (!x86_record_sample(cpu, event, record, regs, &data, &at))
			return 0;
		regs = &at.regs;
	} else {
		if (has_branch_stack(event))
			x86_branch_sample(cpu, event, &data);
		if (event->attr.exclude_kernel)
			regs = x86_entry_registers(regs, &at.regs);
	}
	/* Throttling limits interrupts, and one interrupt may drain many records. */
	if (may_throttle)
		return perf_event_overflow(event, &data, regs);
	return perf_event_overflow_more(event, &data, regs);
}

/**
 * x86_sample - write a sample at the end of an event's period
 * @cpu: this CPU
 * @event: a sampling event
 * @regs: registers of the interrupt, or of the caller
 * @record: PEBS record; NULL: the event is not precise
 * @may_throttle: the sample counts for throttling; false for records of a reloaded counter, whose
 *	interrupt counts after all of its records
 */
void x86_sample(struct x86_pmu_cpu *cpu, struct perf_event *event, struct pt_regs *regs,
		const struct x86_record *record, bool may_throttle)
{
	bool *from_record = &cpu->from_record[!!in_nmi()], outer = *from_record;
	int stop;

	*from_record = record;
	stop = x86_write_sample(cpu, event, regs, record, may_throttle);
	*from_record = outer;
	if (stop)
		x86_event_stop(event, 0);
}

static void x86_restart_count(struct x86_pmu_cpu *cpu, struct x86_count *count)
{
	struct perf_event *event;

	x86_count_set_period(cpu, count);
	list_for_each_entry_rcu(event, &count->events, active_entry, true)
		perf_event_update_userpage(event);
}

/**
 * x86_handle_counter_overflow - handle an overflow of a counter
 * @cpu: this CPU
 * @counter: the counter
 * @regs: registers of the interrupt
 * @record: PEBS record for the counter; NULL: its event is not precise
 *
 * Context: overflow interrupt.
 * Return: false if the counter is being moved or programmed, and was not handled; true otherwise.
 */
bool x86_handle_counter_overflow(struct x86_pmu_cpu *cpu, int counter, struct pt_regs *regs,
				 const struct x86_record *record)
{
	struct x86_count *count = READ_ONCE(cpu->owner[counter]);
	struct perf_event *event;
	u64 total;

	if (count && (count->sel.flags & X86_METRICS))
		x86_metrics_overflow(count);
	/* The interrupted code moves or programs the counter, and checks it for an overflow. */
	if (!count || READ_ONCE(count->counter) != counter || (READ_ONCE(count->seq) & 1))
		return false;
	total = x86_count_read(cpu, count);
	if ((s64)(total - READ_ONCE(count->next_overflow)) >= 0 &&
	    READ_ONCE(count->next_overflow) != U64_MAX) {
		list_for_each_entry_rcu(event, &count->events, active_entry, true) {
			if (!is_sampling_event(event) || !x86_event_runs(event) ||
			    !event->attr.precise_ip != !record)
				continue;
			x86_event_update(event, total);
			if (!x86_event_is_due(event))
				continue;
			x86_event_begin_period(event);
			x86_sample(cpu, event, regs, record, true);
		}
	}
	x86_count_set_next_overflow(count);
	/* x86_reprogram() disables PEBS before it programs a counter. */
	if (record && record->several)
		WRITE_ONCE(cpu->needs_reprogram, true);
	else
		x86_restart_count(cpu, count);
	return true;
}

/* Select bits to count while this CPU is in the kernel; AnyThread counts the other thread. */
#define X86_MOVES_IN_KERNEL	(ARCH_PERFMON_EVENTSEL_OS | ARCH_PERFMON_EVENTSEL_ANY)

/* Does a counter count while this CPU is in the kernel? Then the interrupt stops all counters. */
static bool x86_counts_kernel(const struct x86_pmu_cpu *cpu)
{
	int i;

	for_each_x86_counter(i, cpu->control & cpu->core->counters) {
		const struct x86_count *count = READ_ONCE(cpu->owner[i]);

		if (!count || (count->sel.config & X86_MOVES_IN_KERNEL))
			return true;
	}
	return false;
}

/*
 * Without global control, the interrupt stops counters by their selects. It stops only counters
 * whose period is so short that they would overflow within the interrupt, again and again.
 */
static bool x86_due_again(struct x86_count *count)
{
	struct perf_event *event;

	if (!(count->sel.config & X86_MOVES_IN_KERNEL))
		return false;
	list_for_each_entry_rcu(event, &count->events, active_entry, true) {
		if (is_sampling_event(event) && event->hw.sample_period < X86_SHORT_PERIOD)
			return true;
	}
	return false;
}

static u64 x86_halt_selects(struct x86_pmu_cpu *cpu, u64 *selects)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;
	u64 halted = 0;
	int i;

	if (msrs->control)
		return 0;
	for_each_x86_counter(i, cpu->core->counters & ~READ_ONCE(cpu->upper)) {
		struct x86_count *count = READ_ONCE(cpu->owner[i]);

		if (!count || !x86_due_again(count))
			continue;
		selects[i] = READ_ONCE(cpu->select[i]);
		x86_write_select(cpu, i, selects[i] & ~msrs->halt);
		halted |= BIT_ULL(i);
	}
	return halted;
}

/*
 * Status bits without an overflow: branches frozen, counters frozen, counts changed by an enclave,
 * and CondChgd. They may be set during the NMI of another device.
 */
#define X86_STATUS_NO_OVERFLOW	(BIT_ULL(58) | BIT_ULL(59) | BIT_ULL(60) | BIT_ULL(63))

/* The PEBS buffer has reached its threshold. */
#define X86_STATUS_BUFFER	BIT_ULL(62)

/* A metric has overflowed within PERF_METRICS: restart all metrics and the slots counter. */
static void x86_restart_metrics(struct x86_pmu_cpu *cpu)
{
	int i;

	for_each_x86_counter(i, cpu->core->counters & X86_FIXED_ALL) {
		struct x86_count *count = READ_ONCE(cpu->owner[i]);

		if (count && (count->sel.flags & X86_METRICS) && READ_ONCE(count->counter) == i &&
		    !(READ_ONCE(count->seq) & 1))
			x86_restart_count(cpu, count);
	}
}

static void x86_handle_trace(void)
{
	if (!perf_guest_handle_intel_pt_intr())
		intel_pt_interrupt();
}

/* A PT buffer that fills while the interrupt is masked causes no interrupt: check repeatedly. */
#define X86_TRACE_CHECKS_MAX	8

/*
 * Handle PT buffers that are full. No other overflow is possible while the interrupt is masked:
 * counters that count the kernel and the BTS are stopped or not used. Returns the number of
 * buffers.
 */
static int x86_handle_traces(const struct x86_pmu_msrs *msrs)
{
	int handled;

	for (handled = 0; handled < X86_TRACE_CHECKS_MAX && x86_acknowledge_trace(msrs); handled++)
		x86_handle_trace();
	return handled;
}

/* Handle status bits other than overflows. */
static int x86_handle_others(struct x86_pmu_cpu *cpu, u64 others)
{
	if (cpu->core->metrics && (others & X86_METRICS_RUN))
		x86_restart_metrics(cpu);
	if (!(others & GLOBAL_STATUS_TRACE_TOPAPMI))
		return 0;
	x86_handle_trace();
	return 1;
}

/*
 * Find and handle overflows. @reprogramming: the NMI has interrupted code that writes registers,
 * and that checks the counters at its end. @later, @others: see x86_read_overflowed(). Return:
 * number of counters, PEBS records and traces handled, including each running checkpointed counter;
 * 1 if only another status bit was set
 */
static int x86_handle_overflowed(struct x86_pmu_cpu *cpu, struct pt_regs *regs, bool reprogramming,
				 u64 later, u64 *others)
{
	/*
	 * The interrupt of a checkpointed counter aborts the transaction, which rolls back the
	 * overflow and its status bit. So these counters are checked at each interrupt.
	 */
	u64 overflowed = x86_read_overflowed(cpu, later, others) |
			 (READ_ONCE(cpu->checkpointed) & cpu->running);
	int counter, handled = 0;
	u64 recorded;

	/* Only these interrupts have samples with branches. */
	if (overflowed || (*others & X86_STATUS_BUFFER))
		x86_branch_check_frozen(cpu, *others & later);
	recorded = x86_precise_drain(cpu, regs);
	/* Records below the threshold of the buffer have caused no interrupt. */
	if (*others & X86_STATUS_BUFFER)
		handled += hweight64(recorded);
	/* A PEBS counter overflows at each record: the records are handled instead. */
	overflowed &= ~x86_precise_enabled(cpu);
	for_each_x86_counter(counter, overflowed) {
		/*
		 * The status bit is acknowledged, so the interrupted x86_reprogram() must check
		 * the counter again.
		 */
		if (!x86_handle_counter_overflow(cpu, counter, regs, NULL) && reprogramming &&
		    !(READ_ONCE(cpu->claimed) & BIT_ULL(counter)))
			WRITE_ONCE(cpu->needs_reprogram, true);
		handled++;
	}
	if (x86_claim_handle_overflow(cpu, overflowed))
		perfctr_cpu_interrupt(regs);
	handled += x86_handle_others(cpu, *others);
	/* All other status bits are set only by the PMU, so the NMI is from the PMU. */
	if (!handled && (*others & ~X86_STATUS_NO_OVERFLOW))
		handled = 1;
	return handled;
}

/* The interrupt, or a hypervisor that has injected it, may have masked the LVT entry. */
static void x86_unmask(void)
{
	apic_write(APIC_LVTPC, APIC_DM_NMI);
}

/**
 * x86_unmask_lvtpc - deliver this CPU's overflow interrupts as NMIs
 *
 * Context: interrupts off, on a CPU whose counters were reset or halted.
 */
void x86_unmask_lvtpc(void)
{
	if (boot_cpu_has(X86_FEATURE_APIC))
		x86_unmask();
}

/**
 * x86_mask_lvtpc - mask this CPU's overflow interrupts
 *
 * Context: interrupts off, on a CPU whose counters were halted.
 */
void x86_mask_lvtpc(void)
{
	if (boot_cpu_has(X86_FEATURE_APIC))
		apic_write(APIC_LVTPC, APIC_DM_NMI | APIC_LVT_MASKED);
}

/**
 * perf_events_lapic_init - called when this CPU's local APIC has been set up
 *
 * Does nothing: firmware may have left counters running, so the overflow interrupt stays masked
 * until x86_cpu_start() has reset them, or x86_start_traces() has halted them.
 *
 * Context: boot, or a CPU that is brought up.
 */
void perf_events_lapic_init(void)
{
}

/*
 * Does the PMU send only one interrupt for all overflows until the handler has read the status and
 * unmasked the interrupt? Otherwise each overflow sends an interrupt. If an earlier interrupt has
 * handled the overflow, the later one finds nothing to do: a late NMI.
 */
static bool x86_sends_once(const struct x86_pmu_msrs *msrs)
{
	return msrs->status && msrs->masks_lvt;
}

/* On a CPU without PMU, or with a PMU that the host has not used, only PT sends the interrupt. */
static int x86_trace_interrupt(struct x86_pmu_cpu *cpu, const struct x86_pmu_msrs *msrs)
{
	int handled, more;

	if (!x86_has_trace_interrupts(msrs))
		return 0;
	handled = x86_handle_traces(msrs);
	x86_unmask();
	more = x86_handle_traces(msrs);
	/* A buffer found full only after the unmasking may have sent one more interrupt. */
	if (more)
		x86_expect_late_nmi(cpu);
	return handled + more ?: x86_is_late_nmi(cpu);
}

/* Has the host used a counter or the BTS on this CPU, or does it use PT or intel_bts on any CPU? */
static bool x86_was_used(const struct x86_pmu_cpu *cpu)
{
	return READ_ONCE(cpu->has_counted) || x86_has_exclusive(x86_lbr_exclusive_pt) ||
	       x86_has_exclusive(x86_lbr_exclusive_bts);
}

/**
 * x86_pmu_interrupt - overflow interrupt handler
 * @regs: the interrupted registers
 *
 * Context: NMI, or interrupts off under Xen.
 * Return: number of overflows handled; 1 if there was none, but the NMI may be late, or from a
 * counter that the interrupted code was programming; 0 if the NMI is not from the PMU.
 */
int x86_pmu_interrupt(struct pt_regs *regs)
{
	struct x86_pmu_cpu *cpu = this_cpu_ptr(&x86_pmu_cpu);
	const struct x86_pmu_msrs *msrs;
	u64 others, control, later, by_selects;
	u64 selects[INTEL_PMC_IDX_FIXED];
	bool halt, reprogramming, unmask_first, traces;
	int counter, handled, more = 0;

	if (!cpu->core)
		return x86_trace_interrupt(cpu, cpu->trace_msrs);
	/* A guest may use PT without an event of the host. Other NMIs are from other devices. */
	if (!x86_was_used(cpu))
		return x86_trace_interrupt(cpu, cpu->core->msrs);
	msrs = cpu->core->msrs;
	reprogramming = cpu->reprogramming;
	WRITE_ONCE(cpu->reprogramming, true);
	control = cpu->control;
	/* The interrupted code may be about to stop the counters. */
	halt = READ_ONCE(cpu->control_unknown) || (control && x86_counts_kernel(cpu));
	if (halt)
		x86_write_global_ctrl(cpu, 0);
	by_selects = x86_halt_selects(cpu, selects);
	traces = x86_bts_begin_interrupt(cpu);

	/*
	 * Running counters may overflow after they are read, so unmask before to get their
	 * interrupts. Not with sticky overflow flags, which have to be cleared before. These
	 * counters are read again after the unmasking.
	 */
	unmask_first = !msrs->control && !msrs->sticky;
	if (unmask_first)
		x86_unmask();
	later = x86_branch_begin_interrupt(cpu);
	handled = x86_handle_overflowed(cpu, regs, reprogramming, later, &others);
	if (x86_bts_handle_interrupt(cpu) && !handled)
		handled = 1;
	x86_branch_end_interrupt(cpu, others & later);

	/*
	 * With global control, counters that count the kernel are stopped: none overflows between
	 * the read and the unmasking.
	 */
	if (msrs->sticky)
		more = x86_clear_sticky_overflows(cpu);
	if (!unmask_first)
		x86_unmask();
	if (msrs->sticky)
		more += x86_handle_overflowed(cpu, regs, reprogramming, later, &others);
	if (x86_sends_once(msrs) && x86_has_exclusive(x86_lbr_exclusive_pt))
		more += x86_handle_traces(msrs);
	handled += more;
	for_each_x86_counter(counter, by_selects)
		x86_write_select(cpu, counter, selects[counter]);
	if (traces)
		x86_bts_end_interrupt(cpu);
	WRITE_ONCE(cpu->reprogramming, reprogramming);
	if (READ_ONCE(cpu->needs_reprogram) && !cpu->disabled && !reprogramming && !cpu->shutdown)
		x86_reprogram(cpu);
	else if (halt)
		x86_write_global_ctrl(cpu, control);

	/*
	 * A counter that is being moved may have overflowed without being found, and its interrupt
	 * may have been masked: check again.
	 */
	if (reprogramming && !msrs->status) {
		WRITE_ONCE(cpu->needs_reprogram, true);
		if (!handled)
			return 1;
	}
	if (!handled)
		return x86_is_late_nmi(cpu);
	/*
	 * Unless x86_sends_once(), each overflow has caused an interrupt of its own, and some of
	 * these may still be pending: this NMI may even be from another device. An overflow found
	 * after the LVT entry was unmasked, here or in an interrupted x86_move_counts(), may have
	 * caused one more interrupt.
	 */
	if (!x86_sends_once(msrs) || more || reprogramming)
		x86_expect_late_nmi(cpu);
	return handled;
}
