// SPDX-License-Identifier: GPL-2.0
/*
 * Functions for KVM and resctrl.
 */
#include <linux/export.h>

#include "engine.h"

/* The core type for KVM. On hybrid CPUs KVM gets its generic events, but no PMU capabilities. */
static const struct x86_core *x86_first_core(void)
{
	return x86_nr_cores ? x86_cores[0] : NULL;
}

/**
 * perf_get_x86_pmu_capability - describe the PMU
 * @cap: receives the description; zero if there is no PMU, or on hybrid CPUs
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
	cap->bit_width_gp = cap->num_counters_gp ? core->width : 0;
	cap->bit_width_fixed = cap->num_counters_fixed ? core->fixed_width : 0;
	cap->events_mask = core->events_mask;
	cap->events_mask_len = core->events_mask_len;
}
EXPORT_SYMBOL_GPL(perf_get_x86_pmu_capability);

/**
 * perf_get_hw_event_config - event select of a generic event
 * @hw_event: PERF_COUNT_HW_*
 *
 * Return: the config, 0 if the event is not supported.
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

/**
 * x86_perf_rdpmc_index - index of an event's counter for RDPMC
 * @event: an event of this CPU
 *
 * Context: interrupts off, so that the event does not move.
 * Return: the index, -1 if the event has no counter.
 */
int x86_perf_rdpmc_index(struct perf_event *event)
{
	struct x86_count *count = x86_event_count(event);

	lockdep_assert_irqs_disabled();
	return count && count->counter >= 0 ? x86_rdpmc_index(count->counter) : -1;
}
