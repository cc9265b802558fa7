// SPDX-License-Identifier: GPL-2.0
/*
 * Initialization of the x86 driver at boot, and on the first CPU of a second core type: if a step
 * fails, the steps before it are undone. The description of the PMU for KVM. Detection of AMD PMUs,
 * and of Intel's Topdown metrics and reloads of counters.
 */
#include "x86_events.h"

/* Definitions of the kernel that init.c uses */

#define __init			__maybe_unused
#define X86_VENDOR_AMD		2
#define X86_VENDOR_HYGON	9
#define X86_VENDOR_CENTAUR	5
#define X86_VENDOR_ZHAOXIN	10
#define X86_FEATURE_HYBRID_CPU	15
#define X86_FEATURE_ARCH_PERFMON	16
#define NMI_LOCAL		0
#define perf_sample_event_took(ns)	((void)(ns))
#define sched_clock()		machine_clock()
#define get_this_hybrid_cpu_type()	this_kind
#define cpumask_set_cpu(cpu, mask)	((mask)->bits |= BIT_ULL(cpu))
#define cpumask_clear_cpu(cpu, mask)	((mask)->bits &= ~BIT_ULL(cpu))
#define cpumask_intersects(a, b)	((a)->bits & (b)->bits)
#define kfree(p)		free(p)
#undef pr_info
#define pr_info(...)		no_log(__VA_ARGS__)
#undef pr_warn
#define pr_warn(...)		no_log(__VA_ARGS__)
#undef pr_warn_once
#define pr_warn_once(...)	no_log(__VA_ARGS__)

/* Core type of the CPU, if it is hybrid */
static u8 this_kind = X86_KIND_CORE;

/* Counters that leaf 0x23 reports for this CPU; 0: it does not report any */
static u64 leaf_counters;

u64 x86_intel_leaf_counters(void)
{
	return leaf_counters;
}

struct x86_pmu_capability {
	int		version;
	int		num_counters_gp;
	int		num_counters_fixed;
	int		bit_width_gp;
	int		bit_width_fixed;
	unsigned int	events_mask;
	int		events_mask_len;
};

struct syscore_ops {
	int	(*suspend)(void *data);
	void	(*resume)(void *data);
	void	(*shutdown)(void *data);
};

struct syscore {
	const struct syscore_ops	*ops;
};

struct x86_pmu {
	int	(*handle_irq)(struct pt_regs *regs);
};

static void no_log(const char *format, ...) { }
static void register_syscore(struct syscore *syscore) { }
void x86_rdpmc_init(void) { }
void x86_smm_write_msr(const struct x86_core *core) { }

int x86_branch_probe(struct x86_core *core)
{
	return 0;
}

/* The model of the CPU */

static const struct x86_model init_e_core = {
	.name = "e_core", .msrs = &with_control, .counters = X86_GENERAL(MACHINE_GENERAL),
	.width = MACHINE_WIDTH, .config_mask = X86_RAW_EVENT_MASK,
};

static struct x86_model init_model = {
	.name = "test", .msrs = &with_control, .counters = X86_GENERAL(MACHINE_GENERAL),
	.width = MACHINE_WIDTH, .config_mask = X86_RAW_EVENT_MASK,
};

const struct x86_cpu_id x86_intel_core_models[] = { { (unsigned long)&init_model } };
const struct x86_cpu_id x86_intel_nehalem_models[] = { { } };
const struct x86_cpu_id x86_intel_atom_models[] = { { } };
const struct x86_cpu_id x86_intel_old_models[] = { { } };
const struct x86_model x86_intel_arch_model = { .name = "other" };

static const struct x86_cpu_id *x86_match_cpu(const struct x86_cpu_id *table)
{
	return table->driver_data ? table : NULL;
}

/* Steps of the initialization: which of them fails, and which are done */

enum { HANDLER, STARTING, ONLINE, PMU, STEPS };

#define CPUHP_AP_PERF_X86_STARTING	STARTING
#define CPUHP_AP_PERF_X86_ONLINE	ONLINE

static int failing;
static bool done[STEPS];
static int (*at_removal[STEPS])(unsigned int cpu);

/* Attribute groups that are allocated */
static int nr_groups;

static int do_step(int step)
{
	if (step == failing)
		return -ENOMEM;
	done[step] = true;
	return 0;
}

static void undo_step(int step)
{
	int later;

	harness_warn(!done[step], "a step is undone that was not done", __FILE__, __LINE__);
	for (later = step + 1; later < STEPS; later++)
		harness_warn(done[later], "a later step is done", __FILE__, __LINE__);
	done[step] = false;
}

static int register_nmi_handler(int type, int (*handler)(unsigned int cmd, struct pt_regs *regs),
				unsigned long flags, const char *name)
{
	return do_step(HANDLER);
}

static void unregister_nmi_handler(int type, const char *name)
{
	undo_step(HANDLER);
}

static int cpuhp_setup_state(int state, const char *name, int (*startup)(unsigned int cpu),
			     int (*teardown)(unsigned int cpu))
{
	int err = do_step(state);

	at_removal[state] = teardown;
	return err ?: startup(0);
}

static void cpuhp_remove_state(int state)
{
	undo_step(state);
	if (at_removal[state])
		at_removal[state](0);
}

static int perf_pmu_register(struct pmu *pmu, const char *name, int type)
{
	/* Only the removal of the CPU clears this. */
	machine.select[0] = ARCH_PERFMON_EVENTSEL_ENABLE;
	return do_step(PMU);
}

int x86_sysfs_init_groups(struct x86_core *core)
{
	nr_groups++;
	return 0;
}

void x86_sysfs_free_groups(struct x86_core *core)
{
	nr_groups--;
}

/* Definitions of the kernel that amd/arch.c uses */

#define _ARCH_X86_EVENTS_ATTRIBUTES_H
#define X86_FORMAT_ATTR(...)		NULL
#define X86_FEATURE_PERFCTR_CORE	17
#define X86_FEATURE_PERFMON_V2		18
#define X86_FEATURE_SVM			19
#define X86_FEATURE_IBS			20
#define AMD64_NUM_COUNTERS		4
#define AMD64_NUM_COUNTERS_CORE		6
#define AMD64_EVENTSEL_GUESTONLY	BIT_ULL(40)
#define AMD64_EVENTSEL_HOSTONLY		BIT_ULL(41)
#define MSR_K7_EVNTSEL0			0xc0010000
#define MSR_K7_PERFCTR0			0xc0010004
#define MSR_F15H_PERF_CTL		0xc0010200
#define MSR_F15H_PERF_CTR		0xc0010201
#define MSR_AMD64_PERF_CNTR_GLOBAL_STATUS	0xc0000300
#define MSR_AMD64_PERF_CNTR_GLOBAL_CTL		0xc0000301
#define MSR_AMD64_PERF_CNTR_GLOBAL_STATUS_CLR	0xc0000302
#define forward_event_to_ibs(...)	0

/* Definitions of the kernel that intel/arch.c uses */

#define X86_FORMAT_IF(...)		NULL
#define X86_FEATURE_PDCM		22
#define INTEL_PMC_MAX_GENERIC		32
#define INTEL_PMC_MAX_FIXED		16
#define HSW_IN_TX			BIT_ULL(32)
#define MSR_ARCH_PERFMON_EVENTSEL0	0x186
#define MSR_ARCH_PERFMON_PERFCTR0	0xc1
#define MSR_ARCH_PERFMON_FIXED_CTR0	0x309
#define MSR_ARCH_PERFMON_FIXED_CTR_CTRL	0x38d
#define MSR_CORE_PERF_GLOBAL_STATUS	0x38e
#define MSR_CORE_PERF_GLOBAL_CTRL	0x38f
#define MSR_CORE_PERF_GLOBAL_OVF_CTRL	0x390
#define MSR_IA32_PERF_CAPABILITIES	0x345
#define MSR_IA32_PMC0			0x4c1
#define PERF_COUNT_HW_INSTRUCTIONS	1
#define PERF_COUNT_HW_CACHE_REFERENCES	2
#define PERF_COUNT_HW_CACHE_MISSES	3
#define PERF_COUNT_HW_BRANCH_MISSES	5
#define PERF_COUNT_HW_BUS_CYCLES	6
#define PERF_COUNT_HW_REF_CPU_CYCLES	9
#define cpuid(leaf, a, b, c, d)		cpuid_count(leaf, 0, a, b, c, d)

union cpuid10_eax {
	struct {
		unsigned int	version_id:8, num_counters:8, bit_width:8, mask_length:8;
	} split;
	unsigned int	full;
};

union cpuid10_edx {
	struct {
		unsigned int	num_counters_fixed:5, bit_width_fixed:8, reserved1:2;
		unsigned int	anythread_deprecated:1, reserved2:16;
	} split;
	unsigned int	full;
};

#undef cpuid_ebx
#define cpuid_ebx(...)			8U

/* Highest leaf of CPUID, and EAX of leaf 0x23, which reports the valid subleafs */
static u32 last_leaf = 0x1c, subleafs;

static void init_cpuid(u32 leaf, u32 subleaf, u32 *a, u32 *b, u32 *c, u32 *d)
{
	*a = BIT(3);
	*b = leaf_ebx;
	*c = leaf_ecx;
	*d = 0;
	/* Version 6, with four counters of 48 bits, and all architectural events */
	if (leaf == 0xa)
		*a = 6 | 4 << 8 | 48 << 16 | 7 << 24;
	if (leaf == 7)
		*a = BIT(8);
	if (leaf != 0x23)
		return;
	*a = subleaf ? 0x10 << subleaf : subleafs;
	*b = subleaf;
}

#undef cpuid_eax
#define cpuid_eax(...)			last_leaf
#undef cpuid_count
#define cpuid_count(leaf, sub, a, b, c, d)	init_cpuid(leaf, sub, a, b, c, d)

/* A register whose reads fault; 0: none */
static u32 faulting;

#undef rdmsrl_safe
#define rdmsrl_safe(msr, p)						\
	((msr) == faulting ? -EINVAL : (*(p) = machine_rdmsr(msr), 0))

/* Definitions of the kernel that shared.c uses; other tests have its functions in x86_engine.h. */

#define x86_add_exclusive	shared_add_exclusive
#define x86_del_exclusive	shared_del_exclusive
#define x86_has_exclusive	shared_has_exclusive
#define x86_lbr_exclusive_max	(x86_lbr_exclusive_pt + 1)
#define atomic_inc_not_zero(a)	(atomic_read(a) && atomic_add_return(1, a))
#define atomic_dec(a)		((void)atomic_add_return(-1, a))

struct event_constraint {
	u64	idxmsk64;
};

#include "../../../arch/x86/events/shared.c"
#include "../../../arch/x86/events/amd/arch.c"
/* This file has its own definitions of these names, for other tests. */
#define x86_intel_leaf_counters	intel_leaf_counters
#define x86_intel_arch_model	intel_arch_model
#include "../../../arch/x86/events/intel/arch.c"
#undef x86_intel_leaf_counters
#undef x86_intel_arch_model
#include "../../../arch/x86/events/init.c"
#include "../../../arch/x86/events/exports.c"

/* Boot with a step that fails; STEPS: none. @hybrid: the CPU may have several core types */
static int boot(int step, bool hybrid)
{
	machine_start(&with_control, 1);
	memset(&x86_pmu_cpu, 0, sizeof(x86_pmu_cpu));
	memset(done, 0, sizeof(done));
	features = hybrid ? ~0U : ~(1U << X86_FEATURE_HYBRID_CPU);
	nr_groups = 0;
	failing = step;
	return x86_pmu_init();
}

static bool fails(bool hybrid)
{
	int step, i;

	for (step = 0; step < STEPS; step++) {
		if (step == ONLINE && !hybrid)
			continue;
		if (boot(step, hybrid) != -ENOMEM || x86_nr_cores || x86_cores[0] ||
		    x86_pmu_cpu.core || nr_groups || machine.select[0])
			return false;
		for (i = 0; i < STEPS; i++) {
			if (done[i])
				return false;
		}
		/* An NMI of another device is not for this driver. */
		if (x86_pmu_interrupt(NULL))
			return false;
	}
	return !harness_warned;
}

static void end(void)
{
	while (x86_nr_cores) {
		kfree(x86_cores[--x86_nr_cores]);
		x86_cores[x86_nr_cores] = NULL;
	}
}

static bool succeeds(bool hybrid)
{
	bool ok = !boot(STEPS, hybrid) && x86_nr_cores == 1 && nr_groups == 1;

	ok &= x86_pmu_cpu.core == x86_cores[0] && done[HANDLER] && done[STARTING] &&
	      done[ONLINE] == hybrid && done[PMU];
	end();
	return ok && !harness_warned;
}

/* A CPU of a second core type is brought up. If perf refuses its PMU, the CPU has none. */
static bool has_second(bool refused)
{
	struct x86_core *first;
	bool ok = !boot(STEPS, true);

	first = x86_cores[0];
	/* x86_pmu_cpu is now another CPU. */
	memset(&x86_pmu_cpu, 0, sizeof(x86_pmu_cpu));
	this_kind = X86_KIND_ATOM;
	init_model.e_core_model = &init_e_core;
	failing = refused ? PMU : STEPS;
	ok &= !x86_cpu_starting(0) && !x86_pmu_cpu.core && !x86_cpu_online(0);
	ok &= x86_nr_cores == 2 - refused && x86_cores[0] == first && nr_groups == x86_nr_cores;
	ok &= refused ? !x86_cores[1] : x86_cores[1]->model == &init_e_core;
	ok &= x86_pmu_cpu.core == x86_cores[1] && !machine.select[0] == refused;
	init_model.e_core_model = NULL;
	this_kind = X86_KIND_CORE;
	end();
	return ok && !harness_warned;
}

/*
 * Another CPU of the type reports only the counters in @leaf. If the CPU lacks a counter of the
 * PMU, it has no events, and the driver writes none of its registers except the global control.
 */
static bool has_weaker(u64 leaf, bool accepted)
{
	struct x86_core *core;
	bool ok;

	init_model.counters |= X86_FIXED(0) | X86_FIXED(1);
	ok = !boot(STEPS, true);
	core = x86_cores[0];
	ok &= core->counters == init_model.counters;
	/* x86_pmu_cpu is now another CPU. */
	memset(&x86_pmu_cpu, 0, sizeof(x86_pmu_cpu));
	core->cpus.bits = 0;
	leaf_counters = leaf;
	machine.reads = 0;
	machine.reads_msr = 0;
	machine.writes = 0;
	machine.writes_control = 0;
	ok &= !x86_cpu_starting(0) && !x86_cpu_online(0) && x86_nr_cores == 1;
	ok &= x86_pmu_cpu.core == (accepted ? core : NULL);
	ok &= core->cpus.bits == accepted;
	if (!accepted)
		ok &= !machine.reads && !machine.reads_msr &&
		      machine.writes == machine.writes_control;
	leaf_counters = 0;
	init_model.counters = X86_GENERAL(MACHINE_GENERAL);
	end();
	return ok && !harness_warned;
}

/* As KVM, switch registers whose values in @msrs differ. Return the number of all switched ones. */
static int switched(const struct perf_guest_switch_msr *msrs, int nr)
{
	static u32 list[8];
	static int n;
	int i, j;

	for (i = 0; msrs && i < nr; i++) {
		for (j = 0; j < n && list[j] != msrs[i].msr; j++)
			;
		if (msrs[i].host == msrs[i].guest && j < n)
			list[j] = list[--n];
		else if (msrs[i].host != msrs[i].guest && j == n)
			list[n++] = msrs[i].msr;
	}
	return n;
}

/*
 * A virtual CPU moves from a CPU with events to a CPU without PMU: KVM switches no register of the
 * PMU there.
 */
static bool guest_without_pmu(void)
{
	const struct perf_guest_switch_msr *msrs;
	bool ok;
	int nr;

	init_model.counters |= X86_FIXED(0);
	ok = !boot(STEPS, true);
	x86_pmu_cpu.running = BIT_ULL(0);
	x86_pmu_cpu.host_only = BIT_ULL(0);
	msrs = perf_guest_get_msrs(&nr, NULL);
	ok &= switched(msrs, nr) == 1;
	/* x86_pmu_cpu is now another CPU. */
	memset(&x86_pmu_cpu, 0, sizeof(x86_pmu_cpu));
	leaf_counters = X86_GENERAL(MACHINE_GENERAL);
	ok &= !x86_cpu_starting(0) && !x86_pmu_cpu.core;
	machine.reads_msr = 0;
	machine.writes = 0;
	msrs = perf_guest_get_msrs(&nr, NULL);
	ok &= !switched(msrs, nr) && !machine.reads_msr && !machine.writes;
	leaf_counters = 0;
	init_model.counters = X86_GENERAL(MACHINE_GENERAL);
	end();
	/* A machine without PMU */
	return ok && !perf_guest_get_msrs(&nr, NULL) && !harness_warned;
}

/*
 * A CPU without PMU, where firmware has left counters running that are about to overflow. The
 * interrupts of PT are handled, no overflow interrupts, and an NMI of another device is not taken
 * for an interrupt of PT. Without PT, the registers are left alone.
 */
static bool traces_without_pmu(bool has_pt)
{
	bool ok;
	int i;

	init_model.counters |= X86_FIXED(0);
	ok = !boot(STEPS, true);
	/* x86_pmu_cpu is now another CPU. */
	memset(&x86_pmu_cpu, 0, sizeof(x86_pmu_cpu));
	leaf_counters = X86_GENERAL(MACHINE_GENERAL);
	if (!has_pt)
		features &= ~BIT(X86_FEATURE_INTEL_PT);
	machine.masked = true;
	machine.control = X86_GENERAL(MACHINE_GENERAL);
	for (i = 0; i < MACHINE_GENERAL; i++) {
		machine.select[i] = ANY_CODE | ARCH_PERFMON_EVENTSEL_USR |
				    ARCH_PERFMON_EVENTSEL_INT | ARCH_PERFMON_EVENTSEL_ENABLE;
		machine.counter[i] = (u32)(-100 - i);
	}
	ok &= !x86_cpu_starting(0) && !x86_pmu_cpu.core && machine.masked == !has_pt;
	traces_handled = 0;
	machine.beside = has_pt ? MACHINE_TRACES : 0;
	for (i = 0; i < 1000000 && ok; i++) {
		machine_run(1);
		ok = machine.masked == !has_pt && !machine.unknown;
		if (has_pt)
			ok &= !machine.status && !machine.pending;
	}
	ok &= has_pt ? traces_handled > 1000 : !traces_handled;
	machine.beside = 0;
	x86_pmu_cpu.late_nmi_until = 0;
	ok &= !machine_nmi();
	ok &= !x86_cpu_dying(0) && machine.masked;
	leaf_counters = 0;
	init_model.counters = X86_GENERAL(MACHINE_GENERAL);
	end();
	return ok && !harness_warned;
}

/*
 * A CPU is taken offline: another kernel may be started before this CPU is online again. An NMI of
 * another device does not change the registers.
 */
static bool goes_offline(void)
{
	bool ok = !boot(STEPS, false);

	ok &= !x86_cpu_dying(0) && is_left(&with_control);
	x86_pmu_cpu.has_counted = true;
	ok &= !machine_nmi() && is_left(&with_control);
	ok &= !x86_cpu_starting(0) && !machine.control;
	end();
	return ok && !harness_warned;
}

/* Counters that the CPU lacks have no width. A guest of KVM sees the width in CPUID. */
static bool describes(int nr_fixed)
{
	struct x86_pmu_capability cap;
	bool ok;

	if (nr_fixed)
		init_model.counters |= X86_GENERAL(nr_fixed) << INTEL_PMC_IDX_FIXED;
	ok = !boot(STEPS, false);
	perf_get_x86_pmu_capability(&cap);
	ok &= cap.num_counters_gp == MACHINE_GENERAL && cap.bit_width_gp == MACHINE_WIDTH;
	ok &= cap.num_counters_fixed == nr_fixed &&
	      cap.bit_width_fixed == (nr_fixed ? MACHINE_WIDTH : 0);
	end();
	init_model.counters = X86_GENERAL(MACHINE_GENERAL);
	/* Without a PMU */
	perf_get_x86_pmu_capability(&cap);
	return ok && !cap.num_counters_gp && !cap.bit_width_gp && !cap.bit_width_fixed;
}

/* An AMD CPU reports version 2, perhaps with a register that faults. */
static bool finds_amd(u32 faults, int version, int counters)
{
	struct x86_core amd = { };

	machine_start(&without_mask, 1);
	features = BIT(X86_FEATURE_PERFCTR_CORE) | BIT(X86_FEATURE_PERFMON_V2);
	faulting = faults;
	if (x86_amd_probe(&amd))
		return false;
	faulting = 0;
	return amd.version == version && amd.counters == X86_GENERAL(counters) &&
	       !amd.msrs->control == (version < 2) && amd.msrs->select == MSR_F15H_PERF_CTL;
}

/*
 * Does a P-core have the metrics of its model? Without capability, the CPU must be hybrid, without
 * a hypervisor, and its register must be readable.
 */
static bool has_metrics(u64 capabilities, u32 with, u32 faults)
{
	static const struct x86_model p_core = { .metrics = 8 };
	struct x86_core intel = {
		.model = &p_core, .kind = X86_KIND_CORE, .counters = X86_FIXED(3),
		.capabilities = capabilities,
	};

	machine_start(&with_control, 1);
	features = with;
	faulting = faults;
	x86_intel_probe_metrics(&intel);
	faulting = 0;
	return intel.metrics == p_core.metrics;
}

static bool finds_metrics(void)
{
	const u32 hybrid = BIT(X86_FEATURE_HYBRID_CPU), hypervisor = BIT(X86_FEATURE_HYPERVISOR);
	bool ok = has_metrics(0, hybrid, 0);

	ok &= !has_metrics(0, hybrid, MSR_PERF_METRICS);
	ok &= !has_metrics(0, hybrid | hypervisor, 0);
	ok &= !has_metrics(0, 0, 0);
	ok &= has_metrics(BIT_ULL(15), hypervisor, 0);
	return ok && has_metrics(BIT_ULL(15), 0, 0);
}

/* The counters with registers for a reload are in EAX and EBX of subleaf 2, if it is valid. */
static bool finds_reloads(u32 leaf, u32 valid, u64 found)
{
	static const struct x86_model model_v6 = { .name = "v6" };
	struct x86_core intel = { .model = &model_v6 };
	bool ok;

	machine_start(&with_control, 1);
	features = 0;
	last_leaf = leaf;
	subleafs = valid;
	ok = !x86_intel_probe(&intel) && intel.auto_reloads == found;
	last_leaf = 0x1c;
	subleafs = 0;
	return ok;
}

/* PT and branch records exclude each other, except on models where PT traces beside them. */
static bool excludes(bool beside)
{
	const unsigned int lbr = x86_lbr_exclusive_lbr, bts = x86_lbr_exclusive_bts,
			   pt = x86_lbr_exclusive_pt;
	const int other = beside ? 0 : -EBUSY;
	bool ok;

	init_model.pt_with_lbr = beside;
	ok = !boot(STEPS, false);
	ok &= !shared_add_exclusive(lbr) && shared_add_exclusive(pt) == other;
	ok &= shared_has_exclusive(pt) == beside && shared_add_exclusive(bts) == -EBUSY;
	ok &= !shared_add_exclusive(lbr);
	shared_del_exclusive(lbr);
	shared_del_exclusive(lbr);
	if (!beside)
		ok &= !shared_add_exclusive(pt);
	ok &= shared_add_exclusive(lbr) == other && !shared_add_exclusive(pt);
	shared_del_exclusive(pt);
	shared_del_exclusive(pt);
	if (beside)
		shared_del_exclusive(lbr);
	ok &= !shared_add_exclusive(bts) && shared_add_exclusive(lbr) == -EBUSY;
	shared_del_exclusive(bts);
	ok &= !shared_has_exclusive(lbr) && !shared_has_exclusive(bts) && !shared_has_exclusive(pt);
	init_model.pt_with_lbr = false;
	end();
	return ok && !harness_warned;
}

int main(void)
{
	ktap_plan(22);
	ktap_result(succeeds(false), "succeeds");
	ktap_result(succeeds(true), "succeeds_hybrid");
	ktap_result(fails(false), "fails");
	ktap_result(fails(true), "fails_hybrid");
	ktap_result(has_second(false), "second_core_type");
	ktap_result(has_second(true), "second_core_type_fails");
	ktap_result(goes_offline(), "goes_offline");
	ktap_result(has_weaker(X86_GENERAL(MACHINE_GENERAL) | X86_FIXED(0), false),
		    "core_without_counters_of_its_type");
	ktap_result(has_weaker(X86_GENERAL(MACHINE_GENERAL) | X86_FIXED(0) | X86_FIXED(1) |
			       X86_FIXED(2), true), "core_with_counters_of_its_type");
	ktap_result(has_weaker(0, true), "core_without_masks_of_counters");
	ktap_result(guest_without_pmu(), "guest_without_pmu");
	ktap_result(traces_without_pmu(true), "traces_without_pmu");
	ktap_result(traces_without_pmu(false), "neither_traces_nor_pmu");
	ktap_result(finds_amd(0, 2, 8), "amd_version_2");
	ktap_result(finds_amd(MSR_AMD64_PERF_CNTR_GLOBAL_CTL, 1, 6), "amd_without_control");
	ktap_result(finds_amd(MSR_AMD64_PERF_CNTR_GLOBAL_STATUS, 1, 6), "amd_without_status");
	ktap_result(finds_metrics(), "topdown_metrics");
	ktap_result(finds_reloads(0x23, BIT(0) | BIT(2), 0x200000040ULL) &&
		    finds_reloads(0x23, BIT(0) | BIT(1), 0) && finds_reloads(0x22, BIT(2), 0),
		    "reloads");
	ktap_result(excludes(false), "pt_excludes_branches");
	ktap_result(excludes(true), "pt_beside_branches");
	ktap_result(describes(0), "describes_without_fixed_counters");
	ktap_result(describes(MACHINE_FIXED), "describes_fixed_counters");
	return ktap_end();
}
