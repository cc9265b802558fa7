// SPDX-License-Identifier: GPL-2.0
/*
 * Finding out which CPU this is, and what its PMU can do; CPUs that come and go.
 */
#define pr_fmt(fmt) "perf/x86: " fmt

#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/syscore_ops.h>
#include <asm/apic.h>
#include <asm/cpu.h>
#include <asm/cpu_device_id.h>
#include <asm/hypervisor.h>
#include <asm/nmi.h>

#include "engine.h"

/* The kinds of cores; more than one on hybrid CPUs only. Constant once the system runs. */
struct x86_core *x86_cores[X86_CORES_MAX];
int x86_nr_cores;

static const struct x86_model *x86_find_in(const struct x86_cpu_id *table)
{
	const struct x86_cpu_id *id = x86_match_cpu(table);

	return id ? (const struct x86_model *)id->driver_data : NULL;
}

static const struct x86_model *x86_find_model(void)
{
	const struct x86_model *model = NULL;

	switch (boot_cpu_data.x86_vendor) {
#ifdef CONFIG_CPU_SUP_INTEL
	case X86_VENDOR_INTEL:
		model = x86_find_in(x86_intel_core_models) ?:
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
	return model;
}

static int __init x86_probe(struct x86_core *core, const struct x86_model *model)
{
	int err = 0;

	core->model = model;
	core->bank = model->bank;
	core->counters = model->counters;
	core->width = model->width;
	core->fixed_width = model->width;
	core->max_period = model->max_period;
	core->config_mask = model->config_mask;
	if (model->bank)
		core->counter_msr = model->bank->counter;
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
	return x86_check_registers(core);
}

static struct x86_core *x86_core_of(unsigned int cpu)
{
	int i;

	for (i = 0; i < x86_nr_cores; i++) {
		if (!x86_cores[i]->kind || x86_cores[i]->kind == get_this_hybrid_cpu_type())
			return x86_cores[i];
	}
	return NULL;
}

static int x86_cpu_starting(unsigned int number)
{
	struct x86_pmu_cpu *cpu = per_cpu_ptr(&x86_pmu_cpu, number);
	struct x86_core *core = x86_core_of(number);
	unsigned long flags;

	if (!core)
		return 0;
	local_irq_save(flags);
	cpu->turn = 1;
	/* Interrupts are nobody's before there is a core. */
	cpu->select_clear = core->bank->host_only;
	cpu->core = core;
	x86_reset_registers(cpu);
	cpumask_set_cpu(number, &core->cpus);
	local_irq_restore(flags);
	return 0;
}

static int x86_cpu_dying(unsigned int number)
{
	struct x86_pmu_cpu *cpu = per_cpu_ptr(&x86_pmu_cpu, number);
	unsigned long flags;

	if (!cpu->core)
		return 0;
	local_irq_save(flags);
	x86_leave_all(cpu);
	x86_reset_registers(cpu);
	cpumask_clear_cpu(number, &cpu->core->cpus);
	local_irq_restore(flags);
	return 0;
}

/* The last CPU keeps its events, but its registers lose what they hold. */
static int x86_suspend(void *data)
{
	struct x86_pmu_cpu *cpu = this_cpu_ptr(&x86_pmu_cpu);

	if (cpu->core)
		x86_leave_all(cpu);
	return 0;
}

static void x86_resume(void *data)
{
	struct x86_pmu_cpu *cpu = this_cpu_ptr(&x86_pmu_cpu);

	if (!cpu->core)
		return;
	x86_reset_registers(cpu);
	cpu->dirty = true;
	x86_apply(cpu);
}

static const struct syscore_ops x86_pmu_syscore_ops = {
	.suspend	= x86_suspend,
	.resume		= x86_resume,
};

static struct syscore x86_pmu_syscore = {
	.ops	= &x86_pmu_syscore_ops,
};

static int x86_nmi_handler(unsigned int cmd, struct pt_regs *regs)
{
	u64 start = sched_clock();
	int served = x86_pmu.handle_irq(regs);

	if (served)
		perf_sample_event_took(sched_clock() - start);
	return served;
}

static void __init x86_say(const struct x86_core *core)
{
	pr_info("%s: %u counters of %u bits, %u fixed ones, version %d\n", core->model->name,
		(unsigned int)hweight64(core->counters & X86_GENERAL(INTEL_PMC_IDX_FIXED)),
		core->width, (unsigned int)hweight64(core->counters >> INTEL_PMC_IDX_FIXED),
		core->version);
}

static int __init x86_pmu_init(void)
{
	const struct x86_model *model = x86_find_model();
	struct x86_core *core;
	int err;

	if (!model) {
		pr_info("no PMU that is known\n");
		return 0;
	}
	core = kzalloc(sizeof(*core), GFP_KERNEL);
	if (!core)
		return -ENOMEM;
	err = x86_probe(core, model);
	if (!err) {
		x86_pmu_fill(core);
		err = x86_sysfs_fill(core);
	}
	if (err) {
		kfree(core);
		return err == -ENODEV ? 0 : err;
	}
	x86_cores[x86_nr_cores++] = core;
	x86_say(core);
	if (!boot_cpu_has(X86_FEATURE_APIC)) {
		core->pmu.capabilities |= PERF_PMU_CAP_NO_INTERRUPT;
		pr_info("no local APIC: events can be counted, not sampled\n");
	}

	err = register_nmi_handler(NMI_LOCAL, x86_nmi_handler, 0, "PMI");
	if (!err)
		err = cpuhp_setup_state(CPUHP_AP_PERF_X86_STARTING, "perf/x86:starting",
					x86_cpu_starting, x86_cpu_dying);
	if (err)
		return err;
	perf_events_lapic_init();
	register_syscore(&x86_pmu_syscore);
	return perf_pmu_register(&core->pmu, "cpu", PERF_TYPE_RAW);
}
early_initcall(x86_pmu_init);
