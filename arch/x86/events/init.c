// SPDX-License-Identifier: GPL-2.0
/*
 * Detection of the CPU model and its PMU; CPU hotplug, suspend, shutdown.
 */
#include <linux/cpu.h>
#include <linux/hardirq.h>
#include <linux/init.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/syscore_ops.h>
#include <linux/topology.h>
#include <asm/cpu.h>
#include <asm/cpu_device_id.h>
#include <asm/crash.h>
#include <asm/hypervisor.h>
#include <asm/nmi.h>

#include "engine.h"

/* The PMU of each core type. On hybrid CPUs, the first CPU of the second type adds a second PMU. */
struct x86_core *x86_cores[X86_CORES_MAX];
int x86_nr_cores;

static const struct x86_model *x86_find_in(const struct x86_cpu_id *table)
{
	const struct x86_cpu_id *id = x86_match_cpu(table);

	return id ? (const struct x86_model *)id->driver_data : NULL;
}

/* Return the model of cores of a type, see x86_core::kind. */
static const struct x86_model *x86_find_model(u8 kind)
{
	const struct x86_model *model = NULL;

	switch (boot_cpu_data.x86_vendor) {
#ifdef CONFIG_CPU_SUP_INTEL
	case X86_VENDOR_INTEL:
		model = x86_find_in(x86_intel_core_models) ?:
			x86_find_in(x86_intel_nehalem_models) ?:
			x86_find_in(x86_intel_atom_models) ?:
			x86_find_in(x86_intel_old_models);
		if (!model && boot_cpu_has(X86_FEATURE_ARCH_PERFMON))
			model = &x86_intel_arch_model;
		break;
#endif
#ifdef CONFIG_CPU_SUP_AMD
	case X86_VENDOR_AMD:
	case X86_VENDOR_HYGON:
		model = x86_find_in(x86_amd_models);
		break;
#endif
#if defined(CONFIG_CPU_SUP_ZHAOXIN) || defined(CONFIG_CPU_SUP_CENTAUR)
	case X86_VENDOR_ZHAOXIN:
	case X86_VENDOR_CENTAUR:
		model = x86_find_in(x86_zhaoxin_models);
		break;
#endif
	}
	if (IS_ENABLED(CONFIG_CPU_SUP_INTEL) && model && kind == X86_KIND_ATOM)
		model = model->e_core_model ?: &x86_intel_arch_model;
	return model;
}

/* Return the core type of this CPU. */
static u8 x86_this_kind(void)
{
	const struct x86_model *model;

	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		return get_this_hybrid_cpu_type();
	model = x86_find_model(0);
	return model ? x86_model_kind(model) : 0;
}

static int x86_probe(struct x86_core *core, const struct x86_model *model)
{
	int err = 0;

	core->model = model;
	core->name = model->name;
	core->msrs = model->msrs;
	core->counters = model->counters;
	core->width = model->width;
	core->fixed_width = model->width;
	core->max_period = model->max_period;
	core->config_mask = model->config_mask;
	if (model->msrs)
		core->counter_msr = model->msrs->counter;
	if (model->generic)
		memcpy(core->generic, model->generic, sizeof(core->generic));
	if (model->probe)
		err = model->probe(core);
	if (err)
		return err;
	if (!core->counters || core->width < 32 || core->width > 64)
		return -ENODEV;
	if (!core->max_period)
		core->max_period = GENMASK_ULL(core->width - 2, 0);
	err = x86_check_registers(core);
	if (!err)
		x86_check_extra(core);
	return err;
}

/* Return the PMU of this CPU's core type, if it is known. */
static struct x86_core *x86_core_of_kind(void)
{
	u8 kind = x86_this_kind();
	int i;

	for (i = 0; i < x86_nr_cores; i++) {
		if (x86_cores[i]->kind == kind)
			return x86_cores[i];
	}
	return NULL;
}

/*
 * Return the PMU of this CPU. Arrow Lake-H has E-cores of two generations with one core type in
 * CPUID, and the older cores lack some fixed counters. Accesses to missing counters would fault: a
 * CPU that reports fewer counters than the PMU of its core type has no PMU (NULL).
 */
static struct x86_core *x86_this_core(void)
{
	struct x86_core *core = x86_core_of_kind();
	u64 own = 0;

	if (IS_ENABLED(CONFIG_CPU_SUP_INTEL) && boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		own = x86_intel_leaf_counters();
	if (core && own && (core->counters & ~own)) {
		pr_warn_once("perf/x86: CPU %d lacks counters %#llx of its core type: no events\n",
			     raw_smp_processor_id(),
			     (unsigned long long)(core->counters & ~own));
		return NULL;
	}
	return core;
}

/*
 * PT works on a CPU without PMU, and its interrupt uses LVTPC and the global status. CPUID reports
 * these registers for all core types. x86_cpu_online() may add the PMU of this core type later, so
 * take the registers of x86_cores[0].
 */
static void x86_start_traces(struct x86_pmu_cpu *cpu)
{
	const struct x86_pmu_msrs *msrs = x86_cores[0]->msrs;
	unsigned long flags;

	if (!x86_has_trace_interrupts(msrs))
		return;
	local_irq_save(flags);
	x86_halt_without_pmu(msrs);
	cpu->trace_msrs = msrs;
	x86_unmask_lvtpc();
	local_irq_restore(flags);
}

static void x86_stop_traces(struct x86_pmu_cpu *cpu)
{
	unsigned long flags;

	if (!cpu->trace_msrs)
		return;
	local_irq_save(flags);
	x86_mask_lvtpc();
	cpu->trace_msrs = NULL;
	local_irq_restore(flags);
}

static int x86_cpu_starting(unsigned int number)
{
	struct x86_pmu_cpu *cpu = per_cpu_ptr(&x86_pmu_cpu, number);
	struct x86_core *core = x86_this_core();
	unsigned long flags;
	bool beside;

	if (!core) {
		x86_start_traces(cpu);
		return 0;
	}
	local_irq_save(flags);
	beside = cpumask_intersects(topology_sibling_cpumask(number), &core->cpus);
	cpu->gen = 1;
	cpu->select_clear = core->msrs->host_only;
	x86_extra_init(number, core);
	x86_extra_set_all_unknown(cpu);
	x86_amd_nb_init(number);
	x86_excl_init(number, core);
	x86_cpu_start(cpu, core, beside);
	x86_smm_write_msr(core);
	cpumask_set_cpu(number, &core->cpus);
	local_irq_restore(flags);
	return 0;
}

static int x86_cpu_dying(unsigned int number)
{
	struct x86_pmu_cpu *cpu = per_cpu_ptr(&x86_pmu_cpu, number);
	unsigned long flags;

	if (!cpu->core) {
		x86_stop_traces(cpu);
		return 0;
	}
	local_irq_save(flags);
	x86_counts_detach_counters(cpu);
	x86_reset_registers(cpu);
	x86_branch_reset(cpu);
	x86_ds_reset(cpu);
	/* The CPU may stay offline until kexec. */
	x86_leave_registers(cpu);
	x86_amd_nb_put_others(cpu, 0);
	if (cpu->excl)
		x86_excl_put_all(cpu);
	cpumask_clear_cpu(number, &cpu->core->cpus);
	local_irq_restore(flags);
	return 0;
}

/* The last online CPU keeps its events, but loses the contents of its registers. */
static int x86_suspend(void *data)
{
	struct x86_pmu_cpu *cpu = this_cpu_ptr(&x86_pmu_cpu);

	if (cpu->core)
		x86_cpu_stop(cpu);
	return 0;
}

static void x86_resume(void *data)
{
	struct x86_pmu_cpu *cpu = this_cpu_ptr(&x86_pmu_cpu);

	if (!cpu->core)
		return;
	/* The other CPUs are offline. */
	x86_cpu_start(cpu, cpu->core, false);
	x86_smm_write_msr(cpu->core);
	x86_extra_set_all_unknown(cpu);
	x86_branch_reprogram(cpu);
	x86_bts_resume(cpu);
	cpu->needs_reprogram = true;
	x86_resume_reprogram(cpu);
}

static void x86_shutdown_here(void *data)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();

	if (cpu->core)
		x86_cpu_shutdown(cpu);
}

/*
 * kexec starts another kernel without a reset of the CPUs, so the counters are stopped before. At
 * shutdown the other CPUs are still online and run tasks.
 */
static void x86_shutdown(void *data)
{
	on_each_cpu(x86_shutdown_here, NULL, true);
}

/**
 * cpu_emergency_stop_pmu - halt this CPU's counters before the crash kernel starts
 *
 * Called on the CPU that has crashed, and on the others by the NMI that stops them.
 *
 * Context: interrupts off, or NMI.
 */
void cpu_emergency_stop_pmu(void)
{
	struct x86_pmu_cpu *cpu = this_cpu_ptr(&x86_pmu_cpu);

	if (cpu->core)
		x86_cpu_crash_shutdown(cpu);
}

static const struct syscore_ops x86_pmu_syscore_ops = {
	.suspend	= x86_suspend,
	.resume		= x86_resume,
	.shutdown	= x86_shutdown,
};

static struct syscore x86_pmu_syscore = {
	.ops	= &x86_pmu_syscore_ops,
};

struct x86_pmu x86_pmu __read_mostly = {
	.handle_irq	= x86_pmu_interrupt,
};

static int x86_nmi_handler(unsigned int cmd, struct pt_regs *regs)
{
	u64 start = sched_clock();
	int handled = x86_pmu.handle_irq(regs);

	if (handled) {
		inc_irq_stat(apic_perf_irqs);
		perf_sample_event_took(sched_clock() - start);
	}
	return handled;
}

/**
 * perf_check_microcode - check for errata after a microcode update
 *
 * Context: process.
 */
void perf_check_microcode(void)
{
	int i;

	for (i = 0; i < x86_nr_cores; i++) {
		if (x86_cores[i]->model->microcode)
			x86_cores[i]->model->microcode(x86_cores[i]);
	}
}

static const char *x86_vendor(void)
{
	switch (boot_cpu_data.x86_vendor) {
	case X86_VENDOR_INTEL:
		return "Intel";
	case X86_VENDOR_AMD:
		return "AMD";
	case X86_VENDOR_HYGON:
		return "HYGON";
	case X86_VENDOR_CENTAUR:
		return "Centaur";
	case X86_VENDOR_ZHAOXIN:
		return "Zhaoxin";
	default:
		return "unknown";
	}
}

/* Tools parse these lines: keep the format. */
static void x86_print_pmu(const struct x86_core *core)
{
	const u64 general = core->counters & X86_GENERAL(INTEL_PMC_IDX_FIXED);
	char branches[32] = "";

	if (core->branches.nr)
		snprintf(branches, sizeof(branches), "%u-deep %s, ", core->branches.nr,
			 core->branches.flags & X86_UNIT_DELAYS ? "BRS" : "LBR");
	if (core == x86_cores[0])
		pr_info("Performance Events: %s events, %s%s PMU driver.\n", core->name, branches,
			x86_vendor());
	else
		pr_info("perf/x86: %s events, %s%s PMU driver\n", core->name, branches,
			x86_vendor());
	pr_info("... version:                %d\n", core->version);
	pr_info("... bit width:              %d\n", core->width);
	pr_info("... generic registers:      %u\n", (unsigned int)hweight64(general));
	pr_info("... value mask:             %016llx\n", GENMASK_ULL(core->width - 1, 0));
	pr_info("... max period:             %016llx\n", core->max_period);
	pr_info("... fixed-purpose events:   %u\n",
		(unsigned int)hweight64(core->counters >> INTEL_PMC_IDX_FIXED));
	pr_info("... event mask:             %016llx\n", core->counters);
}

/* Detect the PMU of this CPU's core type. x86_register() must follow. */
static int x86_add_core(u8 kind)
{
	const struct x86_model *model = x86_find_model(kind);
	struct x86_core *core;
	int err;

	if (!model)
		return -ENODEV;
	core = kzalloc(sizeof(*core), GFP_KERNEL);
	if (!core)
		return -ENOMEM;
	core->kind = kind;
	err = x86_probe(core, model);
	if (!err) {
		x86_core_init_pmu(core);
		err = x86_branch_probe(core);
	}
	if (!err) {
		x86_precise_probe(core);
		if (model->microcode)
			model->microcode(core);
		err = x86_sysfs_init_groups(core);
	}
	if (err) {
		kfree(core);
		return err;
	}
	if (!boot_cpu_has(X86_FEATURE_APIC)) {
		core->pmu.capabilities |= PERF_PMU_CAP_NO_INTERRUPT;
		pr_info("perf/x86: no local APIC: events can be counted, not sampled\n");
	}
	x86_cores[x86_nr_cores++] = core;
	x86_print_pmu(core);
	return 0;
}

/* Raw events, and generic events without a PMU type, are for the P-cores. */
static int x86_register(struct x86_core *core)
{
	if (core->kind == X86_KIND_ATOM)
		return perf_pmu_register(&core->pmu, "cpu_atom", -1);
	return perf_pmu_register(&core->pmu, core->kind ? "cpu_core" : "cpu", PERF_TYPE_RAW);
}

/*
 * Undo x86_add_core() of the newest core type, and remove the PMU from its CPUs, whose registers
 * x86_cpu_dying() has reset.
 */
static void x86_remove_core(struct x86_core *core)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (per_cpu_ptr(&x86_pmu_cpu, cpu)->core == core)
			per_cpu_ptr(&x86_pmu_cpu, cpu)->core = NULL;
	}
	x86_cores[--x86_nr_cores] = NULL;
	x86_sysfs_free_groups(core);
	kfree(core);
}

/*
 * A PMU can be detected only on a CPU of its core type: detect another core type on its first
 * online CPU. If perf refuses the PMU, the next CPU of this type tries again.
 */
static int x86_cpu_online(unsigned int number)
{
	u8 kind = x86_this_kind();
	struct x86_core *core;
	int err;

	/* Without a supported PMU, the CPU is nevertheless brought online. */
	if (x86_core_of_kind() || x86_nr_cores == X86_CORES_MAX || x86_add_core(kind))
		return 0;
	x86_cpu_starting(number);
	core = x86_this_core();
	err = x86_register(core);
	if (err) {
		pr_warn("perf/x86: the PMU of CPU %u is not registered: error %d\n", number, err);
		x86_cpu_dying(number);
		x86_remove_core(core);
	}
	return 0;
}

static int __init x86_pmu_init(void)
{
	int err;

	err = x86_add_core(x86_this_kind());
	if (err == -ENODEV) {
		pr_info("Performance Events: no PMU driver, software events only.\n");
		return 0;
	}
	if (err)
		return err;
	x86_rdpmc_init();
	x86_bts_probe(x86_cores[0]);
	err = register_nmi_handler(NMI_LOCAL, x86_nmi_handler, 0, "PMI");
	if (err)
		goto remove_core;
	err = cpuhp_setup_state(CPUHP_AP_PERF_X86_STARTING, "perf/x86:starting",
				x86_cpu_starting, x86_cpu_dying);
	if (err)
		goto unregister_handler;
	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		err = cpuhp_setup_state(CPUHP_AP_PERF_X86_ONLINE, "perf/x86:online",
					x86_cpu_online, NULL);
	if (err)
		goto remove_starting;
	err = x86_register(x86_cores[0]);
	if (!err)
		return 0;
	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		cpuhp_remove_state(CPUHP_AP_PERF_X86_ONLINE);
remove_starting:
	cpuhp_remove_state(CPUHP_AP_PERF_X86_STARTING);
unregister_handler:
	unregister_nmi_handler(NMI_LOCAL, "PMI");
remove_core:
	x86_remove_core(x86_cores[0]);
	return err;
}
early_initcall(x86_pmu_init);

/*
 * Counters must resume after the local APIC, or their overflows have no interrupt. Syscore
 * callbacks resume in the order of registration, and the local APIC registers in a core_initcall.
 */
static int __init x86_pmu_init_syscore(void)
{
	if (x86_nr_cores)
		register_syscore(&x86_pmu_syscore);
	return 0;
}
postcore_initcall(x86_pmu_init_syscore);
