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

/**
 * x86_expect_late - an interrupt will come that finds nothing
 * @cpu: this CPU, on which an overflow has been dealt with before its interrupt
 */
void x86_expect_late(struct x86_pmu_cpu *cpu)
{
	WRITE_ONCE(cpu->late, local_clock() + X86_LATE_NS);
}

/* Is this the interrupt that has been expected? There is one for each expectation. */
static bool x86_is_late(struct x86_pmu_cpu *cpu)
{
	u64 late = cpu->late;

	cpu->late = 0;
	return late && (s64)(late - local_clock()) > 0;
}

static void x86_sample(struct perf_event *event, struct pt_regs *regs)
{
	struct perf_sample_data data;

	perf_sample_data_init(&data, 0, event->hw.last_period);
	if (perf_event_overflow(event, &data, regs))
		x86_event_stop(event, 0);
}

static void x86_serve_counter(struct x86_pmu_cpu *cpu, int counter, struct pt_regs *regs)
{
	struct x86_count *count = READ_ONCE(cpu->owner[counter]);
	struct perf_event *event;
	u64 total;

	/* A count that is being moved, or set, goes on with that after this. */
	if (!count || READ_ONCE(count->counter) != counter || (READ_ONCE(count->seq) & 1))
		return;
	total = x86_count_read(cpu, count);
	if ((s64)(total - READ_ONCE(count->next)) >= 0 && READ_ONCE(count->next) != U64_MAX) {
		list_for_each_entry_rcu(event, &count->clients, active_entry, true) {
			if (!is_sampling_event(event) || !x86_event_runs(event))
				continue;
			x86_event_account(event, total);
			if (local64_read(&event->hw.period_left) > 0)
				continue;
			x86_event_begin_period(event);
			x86_sample(event, regs);
		}
	}
	x86_count_next(count);
	x86_count_arm(cpu, count);
	list_for_each_entry_rcu(event, &count->clients, active_entry, true)
		perf_event_update_userpage(event);
}

/* Those whose counters the kernel's own instructions move are halted meanwhile. */
static bool x86_counts_kernel(const struct x86_pmu_cpu *cpu)
{
	int i;

	for_each_x86_counter(i, cpu->control) {
		const struct x86_count *count = READ_ONCE(cpu->owner[i]);

		if (!count || count->key.config & ARCH_PERFMON_EVENTSEL_OS)
			return true;
	}
	return false;
}

/* The status register tells of other things than counters, too. */
static int x86_serve_others(u64 others)
{
	if (!(others & GLOBAL_STATUS_TRACE_TOPAPMI))
		return 0;
	if (!perf_guest_handle_intel_pt_intr())
		intel_pt_interrupt();
	return 1;
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
	u64 overflowed, others, control;
	int counter, served = 0;
	bool halt, applying;

	if (!cpu->core)
		return 0;
	bank = cpu->core->bank;
	applying = cpu->applying;
	WRITE_ONCE(cpu->applying, true);
	control = cpu->control;
	/* Between the two steps of a write that halts counters, these run still. */
	halt = READ_ONCE(cpu->control_unsure) || (control && x86_counts_kernel(cpu));
	if (halt)
		x86_write_control(cpu, 0);

	overflowed = x86_read_overflowed(cpu, &others);
	for_each_x86_counter(counter, overflowed) {
		x86_serve_counter(cpu, counter, regs);
		served++;
	}
	if (x86_claim_overflow(cpu, overflowed))
		perfctr_cpu_interrupt(regs);
	served += x86_serve_others(others);
	/* Status bits of no counter are ours, too: they belong to nobody else. */
	if (!served && others)
		served = 1;

	/* It has masked itself. While counters stand still none can overflow unnoticed. */
	if (bank->masks_lvt)
		apic_write(APIC_LVTPC, APIC_DM_NMI);
	WRITE_ONCE(cpu->applying, applying);
	if (READ_ONCE(cpu->dirty) && !cpu->halted && !applying)
		x86_apply(cpu);
	else if (halt)
		x86_write_control(cpu, control);

	/* A counter that is changing hands has overflowed, and nobody could tell. */
	if (!served && applying && !bank->status)
		return 1;
	if (!served)
		return x86_is_late(cpu);
	/*
	 * Each has sent an interrupt, and one of them has come. A counter that was being set
	 * may have overflowed before and after it.
	 */
	if ((served > 1 || applying) && !bank->masks_lvt)
		x86_expect_late(cpu);
	return served;
}
