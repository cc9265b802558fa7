// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow interrupt.
 *
 * It comes also where interrupts are masked by software, in the middle of anything but
 * powerpc_local_irq_pmu_save() sections, like a non-maskable interrupt: so it takes no lock
 * but through perf_event_overflow(), which knows. FCECE has frozen all counters, unless the
 * interrupt had to wait until they were running again.
 */
#include <linux/percpu.h>
#include <asm/hw_irq.h>
#include <asm/reg.h>
#include "bhrb.h"
#include "claim.h"
#include "engine.h"

static void power_sample(struct perf_event *event, struct pt_regs *regs)
{
	struct perf_sample_data data;

	if (!power_sample_allowed(event, regs)) {
		/* The interrupt has cost as much as one with a sample, and must not be free. */
		if (perf_event_account_interrupt(event))
			power_event_halt(event);
		return;
	}
	perf_sample_data_init(&data, 0, event->hw.last_period);
	power_sample_fill(event, &data, regs);
	if (perf_event_overflow(event, &data, regs))
		power_event_halt(event);
}

/* The event's counter has overflowed: count, begin a new period, and write the sample. */
static void power_serve(struct power_cpu *cpu, struct perf_event *event, struct pt_regs *regs)
{
	struct hw_perf_event *hw = &event->hw;
	bool ended;

	power_event_read(event);
	/* A period that is longer than the counter takes several rounds. */
	ended = hw->sample_period && local64_read(&hw->period_left) <= 0;
	power_event_arm(cpu, event, hw->idx);
	if (ended)
		power_sample(event, regs);
}

/* All events that count by @pmc, which has overflowed. */
static void power_serve_counter(struct power_cpu *cpu, int pmc, struct pt_regs *regs)
{
	struct perf_event *event;
	bool served = false;
	int i;

	for (i = 0; i < cpu->n; i++) {
		event = cpu->events[i];
		if (event->hw.idx != pmc || (event->hw.state & PERF_HES_STOPPED))
			continue;
		power_serve(cpu, event, regs);
		served = true;
	}
	if (!served)
		power_pmc_write(pmc, 0);
}

/**
 * power_interrupt - the performance monitor's interrupt
 * @regs: what it has interrupted
 *
 * Counters that nobody has any more, and overflows that others have served meanwhile, are
 * no faults: an interrupt that was on its way arrives when the counter is another's.
 */
void power_interrupt(struct pt_regs *regs)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);
	u32 over = 0;
	int pmc;

	/* It comes late: overflows of a program's own counters are branches. */
	if (cpu->ebb)
		return;
	power_sample_regs(regs);
	/* A counter that came to its overflow from here on would not be seen. */
	if (!(mfspr(SPRN_MMCR0) & MMCR0_FC))
		power_control_run(cpu, MMCR0_FC);
	power_pmc_read_all(cpu);
	for (pmc = 1; pmc <= power_driver->n_counter; pmc++) {
		if ((cpu->pmcs[pmc - 1] & PMC_OVERFLOW) && !power_limited(pmc))
			over |= 1U << pmc;
	}
	if (unlikely(cpu->claim_counts))
		over &= ~power_claim_serve(cpu, regs, over);
	for (pmc = 1; over >> pmc; pmc++) {
		if (over & (1U << pmc))
			power_serve_counter(cpu, pmc, regs);
	}
	if (cpu->disabled || !cpu->used)
		power_control_freeze(cpu);
	else
		power_control_run(cpu, cpu->mmcr.mmcr0);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#ifdef CONFIG_PPC64
#include "tests/overflow_test.c"
#endif
#endif
