// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's counters beside guests, and the area of its CPUs' own records.
 */
#include <linux/export.h>
#include <linux/percpu.h>
#include <asm/page.h>
#include <asm/intel_ds.h>

#include "../engine.h"

/* The area to which Intel's CPUs write records; mm/cpu_entry_area.c maps it. */
DEFINE_PER_CPU_PAGE_ALIGNED(struct debug_store, cpu_debug_store);

/**
 * perf_restore_debug_store - this CPU is back from suspend
 *
 * The registers have what they need when the PMU's own callback has run.
 */
void perf_restore_debug_store(void)
{
}

/**
 * x86_perf_get_lbr - which branch records may KVM give to guests?
 * @lbr: filled in; zeros: none
 */
void x86_perf_get_lbr(struct x86_pmu_lbr *lbr)
{
	memset(lbr, 0, sizeof(*lbr));
}
EXPORT_SYMBOL_GPL(x86_perf_get_lbr);

static DEFINE_PER_CPU(struct perf_guest_switch_msr, x86_guest_msrs[2]);

/**
 * perf_guest_get_msrs - registers that have other values while a guest runs
 * @nr: set to their number
 * @data: the guest's PMU, for precise events
 *
 * Interrupts are off, on the CPU that is about to enter the guest.
 *
 * Return: an array of this CPU, or NULL: there are none.
 */
struct perf_guest_switch_msr *perf_guest_get_msrs(int *nr, void *data)
{
	struct perf_guest_switch_msr *msrs = this_cpu_ptr(x86_guest_msrs);
	const struct x86_pmu_cpu *cpu = this_cpu_ptr(&x86_pmu_cpu);

	*nr = 0;
	if (!cpu->core || !cpu->core->bank->control)
		return NULL;
	msrs[0] = (struct perf_guest_switch_msr){
		.msr	= cpu->core->bank->control,
		.host	= cpu->running & ~cpu->guest_only,
		.guest	= cpu->running & ~cpu->host_only & ~x86_precise_enabled(cpu),
	};
	*nr = 1;
	if (!cpu->core->precise.levels)
		return msrs;
	/* The buffer is at addresses of the host: in the guest, something else is there. */
	msrs[1] = (struct perf_guest_switch_msr){
		.msr	= MSR_IA32_PEBS_ENABLE,
		.host	= cpu->precise.enabled,
	};
	*nr = 2;
	return msrs;
}
EXPORT_SYMBOL_GPL(perf_guest_get_msrs);
