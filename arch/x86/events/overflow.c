// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow interrupt: an NMI, which may come between any two instructions, in the
 * middle of changes of everything that it looks at, and with any lock held.
 *
 * So it takes no lock and wakes nobody but by irq_work. It may
 *
 * - look at cpu->owner, and at the clients of the counts that it finds there. A count is
 *   an owner only while its bias is that of the counter, but for when its seq is odd;
 * - bring clients up to date, let new periods begin, write samples, and stop clients;
 * - set counters anew;
 * - write other registers only if nobody is about to (cpu->halted, cpu->applying). It
 *   sets cpu->dirty for whoever is.
 *
 * It must not attach or detach clients, or place counts.
 */
#include <linux/rculist.h>
#include <linux/sched/clock.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include "engine.h"

/* How long an interrupt may be under way whose overflow has been dealt with already. */
#define X86_LATE_NS	(100 * NSEC_PER_MSEC)

/* A period that the interrupt's own instructions may fill. */
#define X86_SHORT_PERIOD	BIT_ULL(14)

/**
 * x86_expect_late - an interrupt will come that finds nothing
 * @cpu: this CPU, on which an overflow has been dealt with before its interrupt
 */
void x86_expect_late(struct x86_pmu_cpu *cpu)
{
	WRITE_ONCE(cpu->late, local_clock() + X86_LATE_NS);
}

/*
 * May this be an interrupt that has been expected? Each counter that is no longer looked at may
 * send one, and one stands for all that have overflowed before it: they cannot be counted.
 */
static bool x86_is_late(const struct x86_pmu_cpu *cpu)
{
	u64 late = READ_ONCE(cpu->late);

	return late && (s64)(late - local_clock()) > 0;
}

/**
 * x86_sample - an event's period is over
 * @cpu: this CPU
 * @event: that samples
 * @regs: of the interrupt, or of the driver
 * @record: that the CPU has written; NULL: none, as the event is not precise
 * @alone: the event has no other samples in this interrupt, which may stop it
 */
void x86_sample(struct x86_pmu_cpu *cpu, struct perf_event *event, struct pt_regs *regs,
		const struct x86_record *record, bool alone)
{
	struct perf_sample_data data;
	struct x86_perf_regs at;

	perf_sample_data_init(&data, 0, event->hw.last_period);
	if (record) {
		if (!x86_record_sample(cpu, event, record, regs, &data, &at))
			return;
		regs = &at.regs;
	} else if (has_branch_stack(event)) {
		x86_branch_sample(cpu, event, &data);
	}
	/* A buffer full of samples is one interrupt, unless a program looks at each of them. */
	if (!alone && is_default_overflow_handler(event))
		perf_event_output(event, &data, regs);
	else if (perf_event_overflow(event, &data, regs))
		x86_event_stop(event, 0);
}

/**
 * x86_serve_counter - a counter has overflowed, perhaps
 * @cpu: this CPU
 * @counter: on it
 * @regs: of the interrupt
 * @record: that the CPU has written for it; NULL: none, as its event is not precise
 *
 * In the interrupt.
 *
 * Return: false: it is being moved or set, and has not been looked at.
 */
bool x86_serve_counter(struct x86_pmu_cpu *cpu, int counter, struct pt_regs *regs,
		       const struct x86_record *record)
{
	struct x86_count *count = READ_ONCE(cpu->owner[counter]);
	struct perf_event *event;
	u64 total;

	/* A count that is being moved, or set, goes on with that after this. */
	if (!count || READ_ONCE(count->counter) != counter || (READ_ONCE(count->seq) & 1))
		return false;
	total = x86_count_read(cpu, count);
	if ((s64)(total - READ_ONCE(count->next)) >= 0 && READ_ONCE(count->next) != U64_MAX) {
		list_for_each_entry_rcu(event, &count->clients, active_entry, true) {
			if (!is_sampling_event(event) || !x86_event_runs(event) ||
			    !event->attr.precise_ip != !record)
				continue;
			x86_event_account(event, total);
			if (local64_read(&event->hw.period_left) > 0)
				continue;
			x86_event_begin_period(event);
			x86_sample(cpu, event, regs, record, true);
		}
	}
	x86_count_next(count);
	x86_count_arm(cpu, count);
	list_for_each_entry_rcu(event, &count->clients, active_entry, true)
		perf_event_update_userpage(event);
	return true;
}

/* An AnyThread counter also counts the sibling thread, which may be in user space. */
#define X86_MOVES_IN_KERNEL	(ARCH_PERFMON_EVENTSEL_OS | ARCH_PERFMON_EVENTSEL_ANY)

/* Those whose counters may move while this CPU is in the kernel are halted meanwhile. */
static bool x86_counts_kernel(const struct x86_pmu_cpu *cpu)
{
	int i;

	for_each_x86_counter(i, cpu->control & cpu->core->counters) {
		const struct x86_count *count = READ_ONCE(cpu->owner[i]);

		if (!count || (count->key.config & X86_MOVES_IN_KERNEL))
			return true;
	}
	return false;
}

/*
 * Without a common register the same is done by the selects, but only for events that would be due
 * again before the interrupt has come to its end, without end.
 */
static bool x86_due_again(struct x86_count *count)
{
	struct perf_event *event;

	if (!(count->key.config & X86_MOVES_IN_KERNEL))
		return false;
	list_for_each_entry_rcu(event, &count->clients, active_entry, true) {
		if (is_sampling_event(event) && event->hw.sample_period < X86_SHORT_PERIOD)
			return true;
	}
	return false;
}

static u64 x86_halt_selects(struct x86_pmu_cpu *cpu, u64 *selects)
{
	const struct x86_bank *bank = cpu->core->bank;
	u64 halted = 0;
	int i;

	if (bank->control)
		return 0;
	for_each_x86_counter(i, cpu->core->counters & ~READ_ONCE(cpu->upper)) {
		struct x86_count *count = READ_ONCE(cpu->owner[i]);

		if (!count || !x86_due_again(count))
			continue;
		selects[i] = READ_ONCE(cpu->select[i]);
		x86_write_select(cpu, i, selects[i] & ~bank->halt);
		halted |= BIT_ULL(i);
	}
	return halted;
}

/*
 * Bits of the status that are about no overflow: branches or counters are frozen, an enclave has
 * changed what is counted, or something that is counted has changed. All that may be so as another
 * device's NMI comes.
 */
#define X86_STATUS_NO_OVERFLOW	(BIT_ULL(58) | BIT_ULL(59) | BIT_ULL(60) | BIT_ULL(63))

/* The buffer of records has become full. */
#define X86_STATUS_BUFFER	BIT_ULL(62)

/* The status register tells of other things than counters, too. */
static int x86_serve_others(u64 others)
{
	if (!(others & GLOBAL_STATUS_TRACE_TOPAPMI))
		return 0;
	if (!perf_guest_handle_intel_pt_intr())
		intel_pt_interrupt();
	return 1;
}

/*
 * Look for overflows, and serve them. @applying: what is interrupted is about to look at its
 * counters. @others: see x86_read_overflowed(). Return: how many there were.
 */
static int x86_serve_overflowed(struct x86_pmu_cpu *cpu, struct pt_regs *regs, bool applying,
				u64 later, u64 *others)
{
	/*
	 * The interrupt of a checkpointed counter aborts the transaction, which takes back the
	 * overflow, and its bit of the status. So they are looked at in each interrupt.
	 */
	u64 overflowed = x86_read_overflowed(cpu, later, others) |
			 (READ_ONCE(cpu->checkpointed) & cpu->running);
	u64 recorded = x86_precise_drain(cpu, regs);
	int counter, served = 0;

	/* Records that wait until there are more of them have sent no interrupt. */
	if (*others & X86_STATUS_BUFFER)
		served += hweight64(recorded);
	/* A PEBS counter overflows at each record: its samples are made from the records. */
	overflowed &= ~x86_precise_enabled(cpu);
	for_each_x86_counter(counter, overflowed) {
		/*
		 * The status bit has been acknowledged. x86_apply(), which this NMI has
		 * interrupted, must look at the counter again.
		 */
		if (!x86_serve_counter(cpu, counter, regs, NULL) && applying &&
		    !(READ_ONCE(cpu->claimed) & BIT_ULL(counter)))
			WRITE_ONCE(cpu->dirty, true);
		served++;
	}
	if (x86_claim_overflow(cpu, overflowed))
		perfctr_cpu_interrupt(regs);
	served += x86_serve_others(*others);
	/* All other bits of the status are set by the PMU alone: the NMI is ours. */
	if (!served && (*others & ~X86_STATUS_NO_OVERFLOW))
		served = 1;
	return served;
}

/* A trace that becomes full while the interrupt is masked sends none. So look a few times. */
#define X86_LOOKS_MAX	8

static int x86_serve_traces(struct x86_pmu_cpu *cpu, struct pt_regs *regs, bool applying, u64 later)
{
	int looks, found, served = 0;
	u64 others;

	for (looks = 0; looks < X86_LOOKS_MAX; looks++) {
		found = x86_serve_overflowed(cpu, regs, applying, later, &others);
		if (!found)
			break;
		served += found;
	}
	return served;
}

/* An interrupt, or a hypervisor that has delivered it, may have masked the next one. */
static void x86_unmask(void)
{
	apic_write(APIC_LVTPC, APIC_DM_NMI);
}

/*
 * Does an interrupt mask all others until the status has been read, and so stand for them? Else
 * each overflow sends one, and one that is found early leaves an interrupt that finds nothing.
 */
static bool x86_sends_once(const struct x86_bank *bank)
{
	return bank->status && bank->masks_lvt;
}

/**
 * x86_pmu_interrupt - counters have overflowed, perhaps
 * @regs: where
 *
 * An NMI, or with interrupts off under Xen.
 *
 * Return: how many counters were served; 0: the interrupt is somebody else's.
 */
int x86_pmu_interrupt(struct pt_regs *regs)
{
	struct x86_pmu_cpu *cpu = this_cpu_ptr(&x86_pmu_cpu);
	const struct x86_bank *bank;
	u64 others, control, later, by_selects;
	u64 selects[INTEL_PMC_IDX_FIXED];
	bool halt, applying, unmask_first;
	int counter, served, more = 0;

	if (!cpu->core)
		return 0;
	/* Nothing has counted here, and no trace has been made: another device has sent it. */
	if (!READ_ONCE(cpu->has_counted) && !x86_has_exclusive(x86_lbr_exclusive_pt) &&
	    !x86_has_exclusive(x86_lbr_exclusive_bts))
		return 0;
	bank = cpu->core->bank;
	applying = cpu->applying;
	WRITE_ONCE(cpu->applying, true);
	control = cpu->control;
	/* Between the two steps of a write that halts counters, these run still. */
	halt = READ_ONCE(cpu->control_unsure) || (control && x86_counts_kernel(cpu));
	if (halt)
		x86_write_control(cpu, 0);
	by_selects = x86_halt_selects(cpu, selects);

	/*
	 * Counters that run on may overflow after they have been looked at, so that must send an
	 * interrupt. A mark in the select holds the interrupt until the mark is taken out.
	 */
	unmask_first = !bank->control && !bank->sticky;
	if (unmask_first)
		x86_unmask();
	later = x86_branch_begin_interrupt(cpu);
	served = x86_serve_overflowed(cpu, regs, applying, later, &others);
	x86_branch_end_interrupt(cpu, others & later);

	/* The counters are halted: none overflows between the look and the unmasking. */
	if (!unmask_first)
		x86_unmask();
	if (x86_sends_once(bank) && x86_has_exclusive(x86_lbr_exclusive_pt))
		more = x86_serve_traces(cpu, regs, applying, later);
	served += more;
	for_each_x86_counter(counter, by_selects)
		x86_write_select(cpu, counter, selects[counter]);
	WRITE_ONCE(cpu->applying, applying);
	if (READ_ONCE(cpu->dirty) && !cpu->halted && !applying)
		x86_apply(cpu);
	else if (halt)
		x86_write_control(cpu, control);

	/*
	 * A counter that is changing hands may have overflowed, and not been found. Its own
	 * interrupt may have been masked.
	 */
	if (applying && !bank->status) {
		WRITE_ONCE(cpu->dirty, true);
		if (!served)
			return 1;
	}
	if (!served)
		return x86_is_late(cpu);
	/*
	 * Each has sent an interrupt, and this may be another one, even another device's. What was
	 * found after the unmasking may have sent one more; x86_move_counts() unmasks, too.
	 */
	if (!x86_sends_once(bank) || more || applying)
		x86_expect_late(cpu);
	return served;
}
