// SPDX-License-Identifier: GPL-2.0
/*
 * Functions for others in the kernel: KVM, resctrl, the APIC, microcode, Xen, idle.
 */
#include <linux/export.h>
#include <linux/static_call.h>
#include <asm/apic.h>
#include <asm/hypervisor.h>
#include <asm/intel_ds.h>

#include "engine.h"

struct x86_pmu x86_pmu __read_mostly = {
	.handle_irq	= x86_pmu_interrupt,
};

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
 * perf_events_lapic_init - let this CPU's overflows be NMIs
 *
 * At boot, and whenever the local APIC has been set up anew.
 */
void perf_events_lapic_init(void)
{
	if (!x86_nr_cores || !boot_cpu_has(X86_FEATURE_APIC))
		return;
	apic_write(APIC_LVTPC, APIC_DM_NMI);
}

/**
 * perf_check_microcode - the microcode may have mended or broken something
 *
 * Process context.
 */
void perf_check_microcode(void)
{
	int i;

	for (i = 0; i < x86_nr_cores; i++) {
		if (x86_cores[i]->model->microcode)
			x86_cores[i]->model->microcode(x86_cores[i]);
	}
}

#ifdef CONFIG_CPU_SUP_AMD
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
		for_each_x86_counter(i, cpu->core->counters) {
			const struct x86_count *count = cpu->owner[i];
			u64 set;

			if (!count || x86_counter_is_fixed(i))
				continue;
			set = count->key.config & bits & ~cpu->select_clear;
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
#endif

#ifdef CONFIG_CPU_SUP_INTEL
/* The area to which Intel's CPUs write records; mm/cpu_entry_area.c maps it. */
DEFINE_PER_CPU_PAGE_ALIGNED(struct debug_store, cpu_debug_store);

/**
 * perf_restore_debug_store - this CPU is back from suspend
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

static DEFINE_PER_CPU(struct perf_guest_switch_msr, x86_guest_msrs[1]);

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
		.guest	= cpu->running & ~cpu->host_only,
	};
	*nr = 1;
	return msrs;
}
EXPORT_SYMBOL_GPL(perf_guest_get_msrs);
#endif

/* Users of the branch records that shut one another out: any number of one kind. */
static atomic_t x86_exclusive[x86_lbr_exclusive_max];
static DEFINE_MUTEX(x86_exclusive_mutex);

/**
 * x86_add_exclusive - one more user of a kind
 * @what: x86_lbr_exclusive_*
 *
 * Process context.
 *
 * Return: 0, or -EBUSY: there are users of another kind.
 */
int x86_add_exclusive(unsigned int what)
{
	int i;

	/* Nothing is shut out while branches are not recorded by anybody else. */
	guard(mutex)(&x86_exclusive_mutex);
	for (i = 0; i < x86_lbr_exclusive_max; i++) {
		if (i != what && atomic_read(&x86_exclusive[i]))
			return -EBUSY;
	}
	atomic_inc(&x86_exclusive[what]);
	return 0;
}

/**
 * x86_del_exclusive - one user less
 * @what: x86_lbr_exclusive_*
 */
void x86_del_exclusive(unsigned int what)
{
	atomic_dec(&x86_exclusive[what]);
}

/**
 * perf_assign_events - give events of an uncore PMU counters
 * @constraints: of each event
 * @n: number of events
 * @wmin: least weight of a constraint
 * @wmax: greatest weight
 * @gpmax: number of general counters that events may have
 * @assign: set to the counter of each event; may be NULL
 *
 * Any context.
 *
 * Return: 0, or how many events have no counter, if not all can have one.
 */
int perf_assign_events(struct event_constraint **constraints, int n,
		       int wmin, int wmax, int gpmax, int *assign)
{
	struct x86_wish wishes[X86_COUNTERS_MAX];
	int i;

	if (n > X86_COUNTERS_MAX)
		return n;
	for (i = 0; i < n; i++)
		wishes[i] = (struct x86_wish){ .allowed = constraints[i]->idxmsk64, .now = -1 };
	if (!x86_assign(wishes, n, 0))
		return n;
	for (i = 0; assign && i < n; i++)
		assign[i] = wishes[i].place;
	return 0;
}
EXPORT_SYMBOL_GPL(perf_assign_events);
