// SPDX-License-Identifier: GPL-2.0
/*
 * Print the state of a CPU's counters, for SysRq.
 */
#include <linux/irqflags.h>
#include <linux/perf_event.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <asm/cputable.h>
#include <asm/reg.h>
#include "engine.h"

#ifdef CONFIG_PPC64
/* Print registers of 64-bit processors, including those that ISA 2.07 and 3.1 have added. */
static void power_print_server(void)
{
	pr_info("MMCRA: %016lx SDAR: %016lx SIAR: %016lx\n", mfspr(SPRN_MMCRA),
		mfspr(SPRN_SDAR), mfspr(SPRN_SIAR));
	if (power_has(PPMU_HAS_SIER))
		pr_info("SIER: %016lx\n", mfspr(SPRN_SIER));
	if (power_has(PPMU_ARCH_207S))
		pr_info("MMCR2: %016lx BESCR: %016lx EBBHR: %016lx EBBRR: %016lx\n",
			mfspr(SPRN_MMCR2), mfspr(SPRN_BESCR), mfspr(SPRN_EBBHR),
			mfspr(SPRN_EBBRR));
	if (power_has(PPMU_ARCH_31))
		pr_info("MMCR3: %016lx SIER2: %016lx SIER3: %016lx\n", mfspr(SPRN_MMCR3),
			mfspr(SPRN_SIER2), mfspr(SPRN_SIER3));
}
#else
static void power_print_server(void)
{
	pr_info("MMCR2: %08lx\n", mfspr(SPRN_MMCR2));
}
#endif

static void power_print_events(const struct power_cpu *cpu)
{
	int i;

	pr_info("%d events, counts %02x%s%s%s\n", cpu->n, cpu->used,
		cpu->disabled ? ", disabled" : "", cpu->ebb ? ", EBB" : "",
		cpu->claim ? ", claimed" : "");
	for (i = 0; i < cpu->n; i++) {
		const struct hw_perf_event *hw = &cpu->events[i]->hw;

		pr_info("event %d: code %llx, counter %d, state %x, period %llu, left %lld\n", i,
			hw->config, hw->idx, hw->state, hw->sample_period,
			(s64)local64_read(&hw->period_left));
	}
}

/**
 * perf_event_print_debug - print the counters and events of this CPU
 *
 * Context: any but NMI. The counters are not frozen.
 */
void perf_event_print_debug(void)
{
	int pmc;

	if (!power_driver) {
		pr_info("Performance monitor hardware not registered.\n");
		return;
	}
	guard(irqsave)();
	pr_info("CPU %d: %s, %d counters\n", smp_processor_id(), power_driver->name,
		power_driver->n_counter);
	for (pmc = 1; pmc <= power_driver->n_counter; pmc++)
		pr_info("PMC%d: %08lx\n", pmc, power_pmc_read(pmc));
	pr_info("MMCR0: %08lx MMCR1: %016lx\n", mfspr(SPRN_MMCR0), mfspr(SPRN_MMCR1));
	power_print_server();
	power_print_events(this_cpu_ptr(&power_cpus));
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#ifdef CONFIG_PPC64
#include "tests/debug_test.c"
#endif
#endif
