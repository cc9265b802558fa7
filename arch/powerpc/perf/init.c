// SPDX-License-Identifier: GPL-2.0
/*
 * Registration of the processor's driver, CPU hotplug, and pmu_override=.
 */
#include <linux/cpuhotplug.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/syscore_ops.h>
#include <asm/cputable.h>
#include <asm/hw_irq.h>
#include "engine.h"
#include "internal.h"

struct power_pmu *power_driver;

/* power_cpu::pmcs and power_cpu::events have an element for each counter. */
static_assert(POWER_COUNTS_MAX <= MAX_HWEVENTS);
static_assert(POWER_COUNTS_MAX <= POWER_EVENTS_MAX);

/**
 * is_sier_available - check for SIER
 *
 * Context: any.
 * Return: true if this processor has SIER.
 */
bool is_sier_available(void)
{
	return power_driver && power_has(PPMU_HAS_SIER);
}

/**
 * get_pmcs_ext_regs - value of a counter for a sample
 * @idx: index of the counter; 0 is PMC1
 *
 * Context: any.
 * Return: the value as read by the overflow interrupt; 0 outside of the interrupt, when
 * power_cpu::pmcs may have the counts of another task.
 */
unsigned long get_pmcs_ext_regs(int idx)
{
	return this_cpu_read(power_cpus.in_overflow) ? this_cpu_read(power_cpus.pmcs[idx]) : 0;
}

#ifdef CONFIG_PPC64
/**
 * power_pmu_wants_prompt_pmi - is the overflow interrupt in use on this CPU?
 *
 * Context: interrupt entry.
 * Return: true if interrupt handlers should unmask the overflow interrupt early, so that samples
 * are precise.
 */
bool power_pmu_wants_prompt_pmi(void)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);

	/* Called by interrupts on any CPU, also before a driver is registered. */
	return power_driver && cpu->used && !cpu->disabled;
}
#endif

static int power_cpu_prepare(unsigned int nr)
{
	power_cpu_reset(per_cpu_ptr(&power_cpus, nr));
	power_limited_init_timer(nr);
	power_unused_init_timer(nr);
	return 0;
}

static int power_cpu_dead(unsigned int nr)
{
	power_limited_stop_timer(nr);
	power_unused_stop_timer(nr);
	return 0;
}

/* Programs look up EBB support in AT_HWCAP2. */
static void __init power_set_hwcap2_ebb(const struct power_pmu *driver)
{
#ifdef CONFIG_PPC64
	if ((driver->flags & PPMU_ARCH_207S) && driver->bhrb_nr)
		cur_cpu_spec->cpu_user_features2 |= PPC_FEATURE2_EBB;
#endif
}

/**
 * register_power_pmu - register the driver of the processor
 * @driver: the driver; never unregistered
 *
 * Context: boot.
 * Return: 0 on success, -EBUSY if a driver is registered, -EINVAL if @driver has too many counters.
 */
int __init register_power_pmu(struct power_pmu *driver)
{
	if (power_driver)
		return -EBUSY;
	if (WARN_ON(driver->n_counter > POWER_COUNTS_MAX))
		return -EINVAL;
	power_driver = driver;
	power_set_hwcap2_ebb(driver);
	pr_info("%s performance monitor hardware support registered\n", driver->name);
	power_pmu_ops.attr_groups = driver->attr_groups;
	power_pmu_ops.attr_update = power_caps_groups;
	power_pmu_ops.capabilities |= driver->capabilities & PERF_PMU_CAP_EXTENDED_REGS;
	perf_pmu_register(&power_pmu_ops, "cpu", PERF_TYPE_RAW);
	cpuhp_setup_state(CPUHP_PERF_POWER, "perf/powerpc:prepare", power_cpu_prepare,
			  power_cpu_dead);
	register_syscore(&power_syscore);
	return 0;
}

#ifdef CONFIG_PPC64
/* pmu_override= was given, with this value for MMCR1 */
static bool power_overridden __initdata;
static unsigned long power_override_mmcr1;

static int __init power_override_setup(char *value)
{
	/* Ignored in a guest, whose hypervisor manages the counters. */
	power_overridden = early_cpu_has_feature(CPU_FTR_HVMODE);
	if (kstrtoul(value, 0, &power_override_mmcr1))
		power_override_mmcr1 = 0;
	return 1;
}
__setup("pmu_override=", power_override_setup);

static int power_override_cpu(unsigned int nr)
{
	guard(irqsave)();
	power_mmcr_override(power_override_mmcr1);
	return 0;
}

static int __init power_init(void)
{
	static int (*const drivers[])(void) __initconst = {
		init_ppc970_pmu, init_power5_pmu, init_power5p_pmu, init_power6_pmu,
		init_power7_pmu, init_power8_pmu, init_power9_pmu, init_power10_pmu,
		/* Newer processors without a driver of their own */
		init_compat_pmu,
	};
	int i;

	if (power_overridden) {
		pr_warn("perf does not use the PMU because of pmu_override=\n");
		i = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/powerpc:override",
				      power_override_cpu, NULL);
		return i < 0 ? i : 0;
	}
	for (i = 0; i < ARRAY_SIZE(drivers); i++) {
		if (!drivers[i]())
			return 0;
	}
	return 0;
}
early_initcall(power_init);
#endif
