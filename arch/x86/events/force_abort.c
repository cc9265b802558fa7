// SPDX-License-Identifier: GPL-2.0
/*
 * TSX Force Abort. The microcode of some Intel CPUs uses general counter 3 for transactional
 * memory, except while MSR_TSX_FORCE_ABORT makes all transactions abort at once. So the driver sets
 * this register before it programs the counter, and clears the register after the counter is
 * released.
 *
 * The administrator controls whether events may abort transactions: "allow_tsx_force_abort" in the
 * PMU's sysfs directory. A change does not affect events that are scheduled.
 */
#include <linux/device.h>
#include <linux/kstrtox.h>
#include <linux/sysfs.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>

#include "engine.h"

static bool x86_allow_force_abort = true;

/**
 * x86_force_abort_probe - find the counter used by the microcode
 * @core: the PMU, with its counters detected
 */
void x86_force_abort_probe(struct x86_core *core)
{
	/* Later microcode aborts all transactions in any case, and needs no counter. */
	if (boot_cpu_has(X86_FEATURE_TSX_FORCE_ABORT) &&
	    !boot_cpu_has(X86_FEATURE_RTM_ALWAYS_ABORT))
		core->tfa_counters = core->counters & BIT(3);
}

/**
 * x86_force_abort_limit - the counters that the administrator allows for events
 * @core: the PMU
 *
 * Context: any.
 * Return: mask of the counters.
 */
u64 x86_force_abort_limit(const struct x86_core *core)
{
	return READ_ONCE(x86_allow_force_abort) ? core->counters :
						  core->counters & ~core->tfa_counters;
}

/**
 * x86_force_abort - set or clear Force Abort
 * @cpu: this CPU
 * @counters: mask of the counters in use; all others are stopped
 *
 * Context: interrupts off.
 */
void x86_force_abort(struct x86_pmu_cpu *cpu, u64 counters)
{
	bool abort = counters & cpu->core->tfa_counters;

	if (cpu->force_abort == abort)
		return;
	cpu->force_abort = abort;
	/* A hypervisor may report the register in CPUID and lack it. */
	wrmsrl_safe(MSR_TSX_FORCE_ABORT, abort ? MSR_TFA_RTM_FORCE_ABORT : 0);
}

static ssize_t allow_tsx_force_abort_show(struct device *dev, struct device_attribute *attr,
					  char *page)
{
	return sysfs_emit(page, "%d\n", READ_ONCE(x86_allow_force_abort));
}

static ssize_t allow_tsx_force_abort_store(struct device *dev, struct device_attribute *attr,
					   const char *page, size_t len)
{
	bool value;
	int err = kstrtobool(page, &value);

	if (err)
		return err;
	WRITE_ONCE(x86_allow_force_abort, value);
	return len;
}

DEVICE_ATTR_RW(allow_tsx_force_abort);
