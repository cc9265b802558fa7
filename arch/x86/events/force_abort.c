// SPDX-License-Identifier: GPL-2.0
/*
 * A counter that the microcode takes for transactional memory. Some of Intel's CPUs got this with
 * a repair: the last counter cannot be used while transactions can commit. A register makes all of
 * them abort at once instead. It is written when the counter comes into use and goes out of use.
 *
 * The administrator says whether events may do that to transactions: "allow_tsx_force_abort" in the
 * PMU's directory in sysfs. Events that run already are not disturbed by a change.
 */
#include <linux/device.h>
#include <linux/kstrtox.h>
#include <linux/sysfs.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>

#include "engine.h"

static bool x86_allow_force_abort = true;

/**
 * x86_force_abort_probe - find the counter that the microcode takes
 * @core: gets it; all its counters have been found
 */
void x86_force_abort_probe(struct x86_core *core)
{
	/* Later microcode makes all transactions abort, and needs no counter. */
	if (boot_cpu_has(X86_FEATURE_TSX_FORCE_ABORT) &&
	    !boot_cpu_has(X86_FEATURE_RTM_ALWAYS_ABORT))
		core->taken = core->counters & BIT(3);
}

/**
 * x86_force_abort_limit - the counters that the administrator leaves to events
 * @core: their PMU
 *
 * Any context.
 */
u64 x86_force_abort_limit(const struct x86_core *core)
{
	return READ_ONCE(x86_allow_force_abort) ? core->counters : core->counters & ~core->taken;
}

/**
 * x86_force_abort - let transactions abort, or not
 * @cpu: this CPU, interrupts off
 * @counters: those in use: others than these have been halted
 */
void x86_force_abort(struct x86_pmu_cpu *cpu, u64 counters)
{
	bool abort = counters & cpu->core->taken;

	if (cpu->force_abort == abort)
		return;
	cpu->force_abort = abort;
	wrmsrl(MSR_TSX_FORCE_ABORT, abort ? MSR_TFA_RTM_FORCE_ABORT : 0);
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
