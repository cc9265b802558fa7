// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's counters beside guests: KVM tells when a CPU may run some. And idle, which tells
 * when a CPU saves power.
 */
#include <linux/export.h>
#include <linux/static_call.h>

#include "../engine.h"

/* Let selects that are about the host alone say so, or not; at once. */
static void x86_set_guests(bool ready)
{
	struct x86_pmu_cpu *cpu;
	unsigned long flags;
	int i;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&x86_pmu_cpu);
	if (cpu->core) {
		u64 bits = cpu->core->bank->host_only;

		perf_pmu_disable(&cpu->core->pmu);
		cpu->select_clear = ready ? 0 : bits;
		cpu->runs_guests = ready;
		cpu->guest_ran = true;
		for_each_x86_counter(i, cpu->core->counters & ~cpu->upper) {
			const struct x86_count *count = cpu->owner[i];
			u64 set = bits;

			if (x86_counter_is_fixed(i))
				continue;
			/* One of a claim, which may have ended, counts the host alone. */
			if (count)
				set &= count->key.config;
			set &= ~cpu->select_clear;
			x86_write_select(cpu, i, (cpu->select[i] & ~bits) | set);
		}
		perf_pmu_enable(&cpu->core->pmu);
	}
	local_irq_restore(flags);
}

/**
 * amd_pmu_enable_virt - this CPU begins to run guests
 *
 * A counter of the host alone does not run at all while SVM is off, so the bit that
 * says so is set only while it is on.
 */
void amd_pmu_enable_virt(void)
{
	x86_set_guests(true);
}
EXPORT_SYMBOL_GPL(amd_pmu_enable_virt);

/**
 * amd_pmu_disable_virt - this CPU runs no guests any more
 */
void amd_pmu_disable_virt(void)
{
	x86_set_guests(false);
}
EXPORT_SYMBOL_GPL(amd_pmu_disable_virt);

#ifdef CONFIG_PERF_EVENTS_AMD_BRS
DEFINE_STATIC_CALL_NULL(perf_lopwr_cb, perf_amd_brs_lopwr_cb);
EXPORT_STATIC_CALL_TRAMP_GPL(perf_lopwr_cb);
#endif
