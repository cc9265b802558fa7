// SPDX-License-Identifier: GPL-2.0
/*
 * Freezing of counters in system management mode: "freeze_on_smi" in the PMU's sysfs directory.
 */
#include <linux/cpu.h>
#include <linux/device.h>
#include <linux/kstrtox.h>
#include <linux/mutex.h>
#include <linux/sysfs.h>
#include <asm/msr.h>

#include "engine.h"

/* Serializes writers of the file; a writer blocks CPU hotplug. */
static DEFINE_MUTEX(x86_smm_mutex);
static bool x86_freeze_on_smi = true;	/* written with x86_smm_mutex held */

/**
 * x86_can_freeze_on_smi - check whether the PMU has the file "freeze_on_smi"
 * @core: the core type
 *
 * Tools expect the file on all Intel CPUs with version 2 or later, also in guests. Some of these
 * CPUs ignore the bit FREEZE_WHILE_SMM of DEBUGCTL.
 *
 * Return: true if the PMU has the file.
 */
bool x86_can_freeze_on_smi(const struct x86_core *core)
{
	return boot_cpu_data.x86_vendor == X86_VENDOR_INTEL && core->version >= 2;
}

/**
 * x86_smm_write_msr - program the freeze bit of this CPU
 * @core: the core type of this CPU
 *
 * Another kernel may have left another value.
 *
 * Context: interrupts off, as for all users of this register.
 */
void x86_smm_write_msr(const struct x86_core *core)
{
	lockdep_assert_irqs_disabled();
	if (!x86_can_freeze_on_smi(core))
		return;
	/* The CPU or a hypervisor may refuse the write; these functions handle the fault. */
	if (READ_ONCE(x86_freeze_on_smi))
		msr_set_bit(MSR_IA32_DEBUGCTLMSR, DEBUGCTLMSR_FREEZE_IN_SMM_BIT);
	else
		msr_clear_bit(MSR_IA32_DEBUGCTLMSR, DEBUGCTLMSR_FREEZE_IN_SMM_BIT);
}

static void x86_smm_write_msr_here(void *data)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();

	if (cpu->core)
		x86_smm_write_msr(cpu->core);
}

static ssize_t freeze_on_smi_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%d\n", READ_ONCE(x86_freeze_on_smi));
}

static ssize_t freeze_on_smi_store(struct device *dev, struct device_attribute *attr,
				   const char *page, size_t len)
{
	unsigned long value;
	int err = kstrtoul(page, 0, &value);

	if (err)
		return err;
	if (value > 1)
		return -EINVAL;
	guard(mutex)(&x86_smm_mutex);
	if (value == x86_freeze_on_smi)
		return len;
	guard(cpus_read_lock)();
	WRITE_ONCE(x86_freeze_on_smi, value);
	on_each_cpu(x86_smm_write_msr_here, NULL, true);
	return len;
}

DEVICE_ATTR_RW(freeze_on_smi);
