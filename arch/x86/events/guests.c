// SPDX-License-Identifier: GPL-2.0
/*
 * Counters and records while a guest of KVM_INTEL runs, on CPUs of Intel, Centaur and Zhaoxin.
 */
#include <linux/export.h>
#include <linux/percpu.h>
#include <asm/msr-index.h>

#include "engine.h"

/* KVM has room for so many. */
#define X86_GUEST_MSRS	8

static DEFINE_PER_CPU(struct perf_guest_switch_msr, x86_guest_msrs[X86_GUEST_MSRS]);

/*
 * Without a common register, each select says whether its counter runs in the guest. One that does
 * so in both, or in none, is not switched.
 */
static int x86_guest_selects(const struct x86_pmu_cpu *cpu, struct perf_guest_switch_msr *msrs)
{
	const struct x86_bank *bank = cpu->core->bank;
	u64 running = cpu->running & (cpu->wanted | cpu->claimed);
	int i, n = 0;

	for_each_x86_counter(i, cpu->core->counters) {
		u64 select = READ_ONCE(cpu->select[i]), guest = select & ~bank->run;

		if (running & BIT_ULL(i) & ~cpu->host_only)
			guest |= bank->run;
		if (guest == select || n == X86_GUEST_MSRS)
			continue;
		msrs[n++] = (struct perf_guest_switch_msr){
			.msr	= bank->select + i * bank->stride,
			.host	= select,
			.guest	= guest,
		};
	}
	return n;
}

/**
 * perf_guest_get_msrs - registers that have other values while a guest runs, for KVM_INTEL
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
	struct x86_pmu_cpu *cpu = this_cpu_ptr(&x86_pmu_cpu);
	u64 used = cpu->wanted | cpu->claimed | X86_METRICS_RUN;

	*nr = 0;
	if (!cpu->core)
		return NULL;
	if (!cpu->core->bank->control) {
		/* A P4's selects keep more than that, and those of the P6 are not counters' own. */
		if (cpu->core->version == 1)
			*nr = x86_guest_selects(cpu, msrs);
		return *nr ? msrs : NULL;
	}
	cpu->guest_ran = true;
	/* A counter that has run on since a claim ended is not to count the guest. */
	msrs[0] = (struct perf_guest_switch_msr){
		.msr	= cpu->core->bank->control,
		.host	= cpu->running & ~cpu->guest_only,
		.guest	= cpu->running & used & ~cpu->host_only & ~x86_precise_enabled(cpu),
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
