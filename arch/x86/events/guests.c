// SPDX-License-Identifier: GPL-2.0
/*
 * Counters, PEBS and branch records while a guest of KVM_INTEL runs, on CPUs of Intel, Centaur and
 * Zhaoxin.
 */
#include <linux/export.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <asm/cpufeature.h>
#include <asm/msr-index.h>

#include "engine.h"

/*
 * Size of the array that perf_guest_get_msrs() returns: an element for the select of each general
 * counter. KVM's list of MSRs to switch has only 8 slots, and KVM warns when the list is full. But
 * an MSR with equal values for host and guest needs no slot.
 */
#define X86_GUEST_MSRS	INTEL_PMC_IDX_FIXED

static DEFINE_PER_CPU(struct perf_guest_switch_msr, x86_guest_msrs[X86_GUEST_MSRS]);

/*
 * Without global control, each select enables its counter in the guest. KVM keeps host and guest
 * values of a register in a list of the virtual CPU, and loads the values at VM exit and VM entry
 * until perf returns equal values. Without values for an unused select, a VM exit would enable the
 * counter of a removed event. So return values for each select.
 */
static int x86_guest_selects(const struct x86_pmu_cpu *cpu, struct perf_guest_switch_msr *msrs)
{
	const struct x86_pmu_msrs *pmu_msrs = cpu->core->msrs;
	u64 running = cpu->running & (cpu->assigned_mask | cpu->claimed);
	int i, n = 0;

	for_each_x86_counter(i, cpu->core->counters & X86_GENERAL(INTEL_PMC_IDX_FIXED)) {
		u64 select = READ_ONCE(cpu->select[i]), guest = select & ~pmu_msrs->run;

		if (running & BIT_ULL(i) & ~cpu->host_only)
			guest |= pmu_msrs->run;
		msrs[n++] = (struct perf_guest_switch_msr){
			.msr	= pmu_msrs->select + i * pmu_msrs->stride,
			.host	= select,
			.guest	= guest,
		};
	}
	return n;
}

/*
 * An overflow arms PEBS, and the next occurrence writes the record. While the guest runs, PEBS is
 * disabled, so the counter is not armed any more after the VM exit: no record would be written, and
 * without a record the counter has no interrupt. So program such a counter to overflow again soon.
 * A counter that overflows between this check and the VM entry is found before the next VM entry,
 * or when the PMU is enabled.
 */
static void x86_reprogram_armed(struct x86_pmu_cpu *cpu)
{
	bool armed = false;
	int i;

	for_each_x86_counter(i, x86_precise_enabled(cpu) & cpu->running) {
		const struct x86_count *count = cpu->owner[i];

		armed |= count && count->counter == i &&
			 (s64)x86_count_value(cpu->core, count) >= 0;
	}
	if (likely(!armed))
		return;
	x86_defer_reprogram(cpu);
	WRITE_ONCE(cpu->needs_reprogram, true);
	x86_resume_reprogram(cpu);
}

/* Does an event that excludes guests use the branch unit? */
static bool x86_guest_excludes_branches(const struct x86_pmu_cpu *cpu)
{
	const struct perf_event *event;
	int i;

	for_each_x86_counter(i, cpu->assigned_mask) {
		const struct x86_count *count = cpu->owner[i];

		if (!count || !(count->sel.flags & X86_HOST_ONLY))
			continue;
		list_for_each_entry_rcu(event, &count->events, active_entry, true) {
			if (needs_branch_stack(event))
				return true;
		}
	}
	return false;
}

/*
 * VM entry and VM exit do not change MSR_ARCH_LBR_CTL unless it is in KVM's list, so the
 * architectural LBR also records guests. Other LBRs of Intel CPUs are enabled by DEBUGCTL, which
 * each VM entry loads with the guest's value. While an event that excludes guests uses the unit,
 * the unit does not record guests, even if another event counts them. An NMI before the VM entry
 * leaves the unit running, so the host value read here stays valid until the VM exit.
 */
static int x86_guest_branches(const struct x86_pmu_cpu *cpu, struct perf_guest_switch_msr *msr)
{
	const struct x86_branch_cpu *branch = &cpu->branch;

	if (!boot_cpu_has(X86_FEATURE_ARCH_LBR))
		return 0;
	*msr = (struct perf_guest_switch_msr){ .msr = MSR_ARCH_LBR_CTL };
	if (branch->running && branch->select && x86_guest_excludes_branches(cpu))
		msr->host = branch->select->value;
	return 1;
}

/*
 * For a CPU without PMU. The virtual CPU may have run on a CPU with a PMU, and KVM's list then has
 * the values of that CPU. Equal values remove the registers from the list, so KVM does not access
 * them. The list has no PEBS register, since all core types of hybrid CPUs have adaptive PEBS.
 */
static int x86_guest_no_pmu(struct perf_guest_switch_msr *msrs)
{
	const struct x86_core *core = x86_cores[0];

	if (!core || !core->msrs->control)
		return 0;
	msrs[0] = (struct perf_guest_switch_msr){ .msr = core->msrs->control };
	if (!boot_cpu_has(X86_FEATURE_ARCH_LBR))
		return 1;
	msrs[1] = (struct perf_guest_switch_msr){ .msr = MSR_ARCH_LBR_CTL };
	return 2;
}

/**
 * perf_guest_get_msrs - MSRs to switch for a guest, for KVM_INTEL
 * @nr: receives the number of MSRs. KVM no longer switches an MSR whose host and guest values are
 *	equal
 * @data: struct kvm_pmu of the guest; not used
 *
 * Context: interrupts off, before a VM entry on this CPU.
 * Return: an array of this CPU, NULL if there are no MSRs to switch.
 */
struct perf_guest_switch_msr *perf_guest_get_msrs(int *nr, void *data)
{
	struct perf_guest_switch_msr *msrs = this_cpu_ptr(x86_guest_msrs);
	struct x86_pmu_cpu *cpu = this_cpu_ptr(&x86_pmu_cpu);
	u64 used = cpu->assigned_mask | cpu->claimed | X86_METRICS_RUN;
	bool switches_pebs;

	*nr = 0;
	if (!cpu->core) {
		*nr = x86_guest_no_pmu(msrs);
		return *nr ? msrs : NULL;
	}
	if (!cpu->core->msrs->control) {
		/*
		 * Not on a P4: a write of a select clears its overflow flag. Not on a P6: one
		 * enable bit is for both counters.
		 */
		if (cpu->core->version != 1)
			return NULL;
		cpu->guest_ran = true;
		*nr = x86_guest_selects(cpu, msrs);
		return *nr ? msrs : NULL;
	}
	cpu->guest_ran = true;
	switches_pebs = cpu->core->precise.levels && !cpu->core->precise.adaptive;
	if (switches_pebs && cpu->precise.enabled)
		x86_reprogram_armed(cpu);
	/* Counters that still run after perfctr has released them must not count the guest. */
	msrs[0] = (struct perf_guest_switch_msr){
		.msr	= cpu->core->msrs->control,
		.host	= cpu->running & ~cpu->guest_only,
		.guest	= cpu->running & used & ~cpu->host_only & ~x86_precise_enabled(cpu),
	};
	*nr = 1 + x86_guest_branches(cpu, &msrs[1]);
	/*
	 * The PEBS buffer is mapped only in the host. CPUs with adaptive PEBS write no record in
	 * the guest for a counter that the VM entry stops. Other CPUs may write a record late, so
	 * the guest runs with PEBS disabled. An NMI before the VM entry may stop events, but leaves
	 * MSR_IA32_PEBS_ENABLE unchanged, so the host value read here stays valid until the VM
	 * exit.
	 */
	if (!switches_pebs)
		return msrs;
	msrs[(*nr)++] = (struct perf_guest_switch_msr){
		.msr	= MSR_IA32_PEBS_ENABLE,
		.host	= cpu->precise.enabled,
	};
	return msrs;
}
EXPORT_SYMBOL_GPL(perf_guest_get_msrs);
