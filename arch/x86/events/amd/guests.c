// SPDX-License-Identifier: GPL-2.0
/* AMD counters and guests: KVM announces when a CPU may run guests. */
#include <linux/export.h>

#include "../engine.h"

/* Set or clear the host-only bit in all selects that need it. */
static void x86_set_guests(bool ready)
{
	struct x86_pmu_cpu *cpu;
	unsigned long flags;
	int i;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&x86_pmu_cpu);
	if (cpu->core) {
		u64 bits = cpu->core->msrs->host_only;

		perf_pmu_disable(&cpu->core->pmu);
		cpu->select_clear = ready ? 0 : bits;
		cpu->runs_guests = ready;
		cpu->guest_ran = true;
		for_each_x86_counter(i, cpu->core->counters & ~cpu->upper) {
			const struct x86_count *count = cpu->owner[i];
			u64 set = bits;

			if (x86_counter_is_fixed(i))
				continue;
			/* Counters reserved by perfctr have no owner: count only the host. */
			if (count)
				set &= count->sel.config;
			set &= ~cpu->select_clear;
			x86_write_select(cpu, i, (cpu->select[i] & ~bits) | set);
		}
		perf_pmu_enable(&cpu->core->pmu);
	}
	local_irq_restore(flags);
}

/**
 * amd_pmu_enable_virt - this CPU may run guests from now on
 *
 * A counter with the host-only bit does not run while SVM is disabled, so the bit is set only from
 * now on.
 */
void amd_pmu_enable_virt(void)
{
	x86_set_guests(true);
}
EXPORT_SYMBOL_GPL(amd_pmu_enable_virt);

/**
 * amd_pmu_disable_virt - this CPU does not run guests any more
 */
void amd_pmu_disable_virt(void)
{
	x86_set_guests(false);
}
EXPORT_SYMBOL_GPL(amd_pmu_disable_virt);
