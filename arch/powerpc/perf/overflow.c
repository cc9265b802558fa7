// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow interrupt.
 *
 * It comes also where interrupts are masked by software, in the middle of anything but
 * powerpc_local_irq_pmu_save() sections, like a non-maskable interrupt: so it takes no lock
 * but through perf_event_overflow(), which knows. FCECE has frozen all counters.
 */
#include <linux/percpu.h>
#include <asm/hw_irq.h>
#include "engine.h"

/* The event's counter has overflowed: count, begin a new period, and write the sample. */
static void power_serve(struct perf_event *event, struct pt_regs *regs)
{
	struct hw_perf_event *hw = &event->hw;
	struct perf_sample_data data;
	bool ended;

	if (hw->state & PERF_HES_STOPPED) {
		power_pmc_write(hw->idx, 0);
		return;
	}
	power_event_read(event);
	/* A period that is longer than the counter takes several rounds. */
	ended = hw->sample_period && local64_read(&hw->period_left) <= 0;
	power_event_arm(event);
	if (!ended || !power_sample_allowed(event, regs))
		return;
	perf_sample_data_init(&data, 0, hw->last_period);
	power_sample_fill(event, &data, regs);
	if (perf_event_overflow(event, &data, regs))
		power_event_halt(event);
}

/* The event whose counter is @pmc. */
static struct perf_event *power_owner(struct power_cpu *cpu, int pmc)
{
	int i;

	for (i = 0; i < cpu->n; i++) {
		if (cpu->events[i]->hw.idx == pmc)
			return cpu->events[i];
	}
	return NULL;
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
	struct perf_event *event;
	u32 over = 0;
	int pmc;

	power_sample_regs(regs);
	for (pmc = 1; pmc <= power_driver->n_counter; pmc++) {
		cpu->pmcs[pmc - 1] = power_pmc_read(pmc);
		if ((cpu->pmcs[pmc - 1] & PMC_OVERFLOW) && !power_limited(pmc))
			over |= 1U << pmc;
	}
	for (pmc = 1; over >> pmc; pmc++) {
		if (!(over & (1U << pmc)))
			continue;
		event = power_owner(cpu, pmc);
		if (event)
			power_serve(event, regs);
		else
			power_pmc_write(pmc, 0);
	}
	if (cpu->disabled || !cpu->n)
		power_control_freeze(cpu);
	else
		power_control_run(cpu, cpu->mmcr.mmcr0);
}
