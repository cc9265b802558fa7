// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow interrupt.
 *
 * Like an NMI, this interrupt can interrupt code that has soft-masked interrupts, except in
 * powerpc_local_irq_pmu_save() sections. So this file takes no lock, and perf_event_overflow()
 * must be NMI-safe. FCECE has frozen all counters at the overflow. If the interrupt is late, the
 * counters may run again.
 */
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <asm/hw_irq.h>
#include <asm/reg.h>
#include "bhrb.h"
#include "claim.h"
#include "ebb.h"
#include "engine.h"

static void power_sample(struct perf_event *event, struct pt_regs *regs)
{
	struct perf_sample_data data;

	if (!power_sample_allowed(event, regs)) {
		/* An interrupt costs CPU time even without a sample: account it for throttling. */
		if (perf_event_account_interrupt(event))
			power_event_stop(event);
		return;
	}
	perf_sample_data_init(&data, 0, event->hw.last_period);
	power_sample_fill(event, &data, regs);
	if (perf_event_overflow(event, &data, regs))
		power_event_stop(event);
}

/* Update an event whose counter has overflowed, program it, and sample at the period's end. */
static void power_event_handle_overflow(struct power_cpu *cpu, struct perf_event *event,
					struct pt_regs *regs)
{
	struct hw_perf_event *hw = &event->hw;
	bool ended;

	power_event_update(event);
	/* A period that exceeds 31 bits takes several overflows. */
	ended = hw->sample_period && local64_read(&hw->period_left) <= 0;
	power_event_set_period(cpu, event, hw->idx);
	if (ended)
		power_sample(event, regs);
}

/* Handle an overflow of @pmc for all events on it. */
static void power_handle_counter_overflow(struct power_cpu *cpu, int pmc, struct pt_regs *regs)
{
	struct perf_event *event;
	bool handled = false;
	int i;

	for (i = 0; i < cpu->n; i++) {
		event = cpu->events[i];
		if (event->hw.idx != pmc || (event->hw.state & PERF_HES_STOPPED))
			continue;
		power_event_handle_overflow(cpu, event, regs);
		handled = true;
	}
	if (!handled)
		power_pmc_write(pmc, 0);
}

static void power_handle_overflowed(struct power_cpu *cpu, struct pt_regs *regs)
{
	u32 over = 0;
	int pmc;

	power_sample_regs(regs);
	/* A late interrupt: freeze, since overflows after power_pmc_read_all() would be missed. */
	if (!(mfspr(SPRN_MMCR0) & MMCR0_FC))
		power_mmcr_run(cpu, MMCR0_FC);
	/* power_disable() has called power_limited_read() already. */
	if (!cpu->disabled && power_has(PPMU_LIMITED_PMC5_6))
		power_limited_read(cpu);
	power_pmc_read_all(cpu);
	cpu->in_overflow = true;
	for (pmc = 1; pmc <= power_driver->n_counter; pmc++) {
		if ((cpu->pmcs[pmc - 1] & PMC_OVERFLOW) && !power_limited(pmc))
			over |= 1U << pmc;
	}
	if (unlikely(cpu->claim_counts))
		over &= ~power_claim_handle_overflow(cpu, regs, over);
	for (pmc = 1; over >> pmc; pmc++) {
		if (over & (1U << pmc))
			power_handle_counter_overflow(cpu, pmc, regs);
	}
	cpu->in_overflow = false;
	if (cpu->disabled || !cpu->used) {
		power_mmcr_freeze(cpu);
	} else {
		if (power_has(PPMU_LIMITED_PMC5_6))
			power_limited_start(cpu);
		power_siar_sdar_clear();
		power_mmcr_run(cpu, cpu->mmcr.mmcr0);
	}
	/*
	 * @regs may be the user registers of a later sample in the kernel. SIAR then has a value
	 * that does not belong to @regs.
	 */
	regs->result = 0;
}

/**
 * power_interrupt - performance monitor interrupt handler
 * @regs: the interrupted registers
 *
 * A late interrupt may find no overflow, or only an overflow of a counter without an event.
 */
void power_interrupt(struct pt_regs *regs)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);
	u64 start;

	/* An EBB program owns the counters, and handles their overflows. */
	if (cpu->ebb) {
		power_ebb_interrupt();
		return;
	}
	start = sched_clock();
	power_handle_overflowed(cpu, regs);
	perf_sample_event_took(sched_clock() - start);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#ifdef CONFIG_PPC64
#include "tests/overflow_test.c"
#endif
#endif
