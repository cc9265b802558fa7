// SPDX-License-Identifier: GPL-2.0
/*
 * Functions for KVM, resctrl and switches of address spaces.
 */
#include <linux/export.h>
#include <linux/percpu.h>
#include <asm/msr-index.h>

#include "engine.h"

/* The features that KVM offers to its guests are those that all cores have. */
static const struct x86_core *x86_first_core(void)
{
	return x86_nr_cores ? x86_cores[0] : NULL;
}

/**
 * perf_get_x86_pmu_capability - what kind of PMU there is
 * @cap: filled in; zeros if there is none, or cores differ
 */
void perf_get_x86_pmu_capability(struct x86_pmu_capability *cap)
{
	const struct x86_core *core = x86_first_core();

	memset(cap, 0, sizeof(*cap));
	if (!core || x86_nr_cores > 1)
		return;
	cap->version = core->version;
	cap->num_counters_gp = hweight64(core->counters & X86_GENERAL(INTEL_PMC_IDX_FIXED));
	cap->num_counters_fixed = hweight64(core->counters >> INTEL_PMC_IDX_FIXED);
	cap->bit_width_gp = core->width;
	cap->bit_width_fixed = core->fixed_width;
	cap->events_mask = core->events_mask;
	cap->events_mask_len = core->events_mask_len;
}
EXPORT_SYMBOL_GPL(perf_get_x86_pmu_capability);

/**
 * perf_get_hw_event_config - the event select of a generic event
 * @hw_event: PERF_COUNT_HW_*
 *
 * Return: event and unit mask; 0: there is none.
 */
u64 perf_get_hw_event_config(int hw_event)
{
	const struct x86_core *core = x86_first_core();

	if (!core || hw_event < 0 || hw_event >= PERF_COUNT_HW_MAX ||
	    core->generic[hw_event] == X86_IMPOSSIBLE)
		return 0;
	return core->generic[hw_event];
}
EXPORT_SYMBOL_GPL(perf_get_hw_event_config);

static DEFINE_PER_CPU(struct perf_guest_switch_msr, x86_guest_msrs[2]);

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
	const struct x86_pmu_cpu *cpu = this_cpu_ptr(&x86_pmu_cpu);
	u64 used = cpu->wanted | cpu->claimed | X86_METRICS_RUN;

	*nr = 0;
	if (!cpu->core || !cpu->core->bank->control)
		return NULL;
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

/**
 * x86_perf_rdpmc_index - what RDPMC calls the counter of an event
 * @event: that counts on this CPU, and stays there: interrupts are off
 */
int x86_perf_rdpmc_index(struct perf_event *event)
{
	struct x86_count *count = x86_event_count(event);

	lockdep_assert_irqs_disabled();
	return count && count->counter >= 0 ? x86_rdpmc_index(count->counter) : -1;
}

/**
 * perf_clear_dirty_counters - let programs that read counters not see what others have counted
 *
 * On a switch to an address space that may read counters, or as one may do so from now on;
 * interrupts are off.
 */
void perf_clear_dirty_counters(void)
{
	struct x86_pmu_cpu *cpu = this_cpu_ptr(&x86_pmu_cpu);

	if (!cpu->core)
		return;
	/* CR4.PCE is on only after this, and the pages are written in the course of it. */
	WRITE_ONCE(cpu->opening, true);
	x86_clear_unused(cpu);
	WRITE_ONCE(cpu->opening, false);
}
