// SPDX-License-Identifier: GPL-2.0
/*
 * The registers of the performance monitor: the one file that writes them.
 *
 * MMCR1, 2, 3 and A only change while MMCR0 freezes the counters. What they hold is kept
 * beside them, and a register that holds its value already is not written: a partition's
 * access may go to its hypervisor. MMCR0 is changed by the hardware, too, at an overflow,
 * and is therefore always written.
 */
#include <linux/percpu.h>
#include <linux/sched.h>
#include <asm/cputable.h>
#include <asm/pmc.h>
#include <asm/reg.h>
#include "bhrb.h"
#include "ebb.h"
#include "engine.h"

DEFINE_PER_CPU(struct power_cpu, power_cpus);

/**
 * power_pmc_read - the value of a counter
 * @pmc: its number, from 1
 *
 * Any context, pinned to the CPU. Return: 32 bits.
 */
unsigned long power_pmc_read(int pmc)
{
	switch (pmc) {
	case 1:
		return mfspr(SPRN_PMC1);
	case 2:
		return mfspr(SPRN_PMC2);
	case 3:
		return mfspr(SPRN_PMC3);
	case 4:
		return mfspr(SPRN_PMC4);
	case 5:
		return mfspr(SPRN_PMC5);
	case 6:
		return mfspr(SPRN_PMC6);
#ifdef CONFIG_PPC64
	case 7:
		return mfspr(SPRN_PMC7);
	case 8:
		return mfspr(SPRN_PMC8);
#endif
	}
	WARN_ONCE(1, "no counter %d\n", pmc);
	return 0;
}

/**
 * power_pmc_read_all - keep the values of all counters in @cpu->pmcs
 * @cpu: this CPU's
 *
 * Any context, pinned to the CPU.
 */
void power_pmc_read_all(struct power_cpu *cpu)
{
	u32 *pmcs = cpu->pmcs;

	pmcs[0] = mfspr(SPRN_PMC1);
	pmcs[1] = mfspr(SPRN_PMC2);
	pmcs[2] = mfspr(SPRN_PMC3);
	pmcs[3] = mfspr(SPRN_PMC4);
	if (power_driver->n_counter > 4) {
		pmcs[4] = mfspr(SPRN_PMC5);
		pmcs[5] = mfspr(SPRN_PMC6);
	}
#ifdef CONFIG_PPC64
	if (power_driver->n_counter > 6) {
		pmcs[6] = mfspr(SPRN_PMC7);
		pmcs[7] = mfspr(SPRN_PMC8);
	}
#endif
}

/**
 * power_pmc_write - set a counter
 * @pmc: its number, from 1
 * @value: 32 bits
 *
 * Interrupts are off.
 */
void power_pmc_write(int pmc, unsigned long value)
{
	switch (pmc) {
	case 1:
		mtspr(SPRN_PMC1, value);
		break;
	case 2:
		mtspr(SPRN_PMC2, value);
		break;
	case 3:
		mtspr(SPRN_PMC3, value);
		break;
	case 4:
		mtspr(SPRN_PMC4, value);
		break;
	case 5:
		mtspr(SPRN_PMC5, value);
		break;
	case 6:
		mtspr(SPRN_PMC6, value);
		break;
#ifdef CONFIG_PPC64
	case 7:
		mtspr(SPRN_PMC7, value);
		break;
	case 8:
		mtspr(SPRN_PMC8, value);
		break;
#endif
	default:
		WARN_ONCE(1, "no counter %d\n", pmc);
	}
}

/**
 * power_control_freeze - stop all counters, and let no overflow interrupt any more
 * @cpu: this CPU's
 *
 * Interrupts are off. The architecture orders the write before later reads of a counter
 * by a context synchronisation.
 */
void power_control_freeze(struct power_cpu *cpu)
{
	power_control_run(cpu, MMCR0_FC);
#ifdef CONFIG_PPC64
	/* User space could read in them where the kernel was. */
	if (power_has(PPMU_ARCH_207S) && !cpu_has_feature(CPU_FTR_ARCH_31)) {
		mtspr(SPRN_SDAR, 0);
		mtspr(SPRN_SIAR, 0);
	}
#endif
}

/**
 * power_control_write - make MMCR1, 2, 3 and A what @cpu->mmcr says
 * @cpu: this CPU's, with its counters frozen
 *
 * Interrupts are off. Instructions are not marked before power_control_run().
 */
void power_control_write(struct power_cpu *cpu)
{
	struct mmcr_regs want = cpu->mmcr;
	struct mmcr_regs *held = &cpu->held;
	bool all = !cpu->held_known;

	if (all || want.mmcr1 != held->mmcr1)
		mtspr(SPRN_MMCR1, want.mmcr1);
#ifdef CONFIG_PPC64
	want.mmcra = power_bhrb_control(want.mmcra) & ~MMCRA_SAMPLE_ENABLE;
	if (cpu_has_feature(CPU_FTR_MMCRA) && (all || want.mmcra != held->mmcra))
		mtspr(SPRN_MMCRA, want.mmcra);
	if (power_has(PPMU_ARCH_207S) && (all || want.mmcr2 != held->mmcr2))
		mtspr(SPRN_MMCR2, want.mmcr2);
	if (power_has(PPMU_ARCH_31) && (all || want.mmcr3 != held->mmcr3))
		mtspr(SPRN_MMCR3, want.mmcr3);
#else
	if (all || want.mmcr2 != held->mmcr2)
		mtspr(SPRN_MMCR2, want.mmcr2);
#endif
	*held = want;
	cpu->held_known = true;
}

#ifdef CONFIG_PPC64
/* Instructions are marked, where events want that, only while the counters run. */
static void power_control_mark(struct power_cpu *cpu, bool run)
{
	unsigned long mmcra = cpu->held.mmcra & ~MMCRA_SAMPLE_ENABLE;

	if (run)
		mmcra |= cpu->mmcr.mmcra & MMCRA_SAMPLE_ENABLE;
	if (!cpu->held_known || mmcra == cpu->held.mmcra)
		return;
	mtspr(SPRN_MMCRA, mmcra);
	isync();
	cpu->held.mmcra = mmcra;
}
#else
static void power_control_mark(struct power_cpu *cpu, bool run)
{
}
#endif

/**
 * power_control_run - write MMCR0, and wait until it is in effect
 * @cpu: this CPU's
 * @mmcr0: the value. PMCCEXT, which keeps the registers from user space, is added to it
 *
 * Interrupts are off.
 */
void power_control_run(struct power_cpu *cpu, unsigned long mmcr0)
{
#ifdef CONFIG_PPC64
	/* Whichever driver it has, the processor shows its registers to user space without this. */
	if (cpu_has_feature(CPU_FTR_ARCH_31) && !(mmcr0 & MMCR0_PMCC))
		mmcr0 |= MMCR0_PMCCEXT;
#endif
	/* The counters have their values before they run. */
	mb();
	mtspr(SPRN_MMCR0, mmcr0);
	isync();
	cpu->held.mmcr0 = mmcr0;
	power_control_mark(cpu, !(mmcr0 & MMCR0_FC));
}

/**
 * power_control_forget - the registers may hold anything
 * @cpu: this CPU's
 *
 * Interrupts are off. A CPU whose counters a hypervisor did not keep.
 */
void power_control_forget(struct power_cpu *cpu)
{
	cpu->held_known = false;
}

#ifdef CONFIG_PPC64
/**
 * power_control_give - let the counters of this CPU count for somebody who uses no driver
 * @mmcr1: what they count
 *
 * Interrupts are off, and there is no driver.
 */
void power_control_give(unsigned long mmcr1)
{
	ppc_set_pmu_inuse(1);
	mtspr(SPRN_MMCR1, mmcr1);
	mtspr(SPRN_MMCR0, 0);
	isync();
}

/**
 * power_user_save - keep what the running program has made of its counters' control
 * @cpu: this CPU's, on which event-based branches are
 *
 * Interrupts are off. The counters themselves are kept by their events.
 */
void power_user_save(struct power_cpu *cpu)
{
	struct thread_struct *thread = &current->thread;

	thread->mmcr0 = mfspr(SPRN_MMCR0) & MMCR0_USER_MASK;
	thread->mmcr2 = mfspr(SPRN_MMCR2) & MMCR2_USER_MASK;
	thread->siar = mfspr(SPRN_SIAR);
	thread->sdar = mfspr(SPRN_SDAR);
	thread->sier = mfspr(SPRN_SIER) & SIER_USER_MASK;
	if (power_has(PPMU_ARCH_31)) {
		thread->mmcr3 = mfspr(SPRN_MMCR3);
		thread->sier2 = mfspr(SPRN_SIER2);
		thread->sier3 = mfspr(SPRN_SIER3);
	}
	/* The program may have frozen counters one by one. */
	cpu->held.mmcr2 = mfspr(SPRN_MMCR2);
}

/**
 * power_user_run - let the running program go on with its counters
 * @cpu: this CPU's, on which event-based branches are; @cpu->mmcr has been written
 *
 * Interrupts are off. Overflows do not interrupt the kernel: the program says in MMCR0 whether they
 * branch, and may read and write the six counters and the branch records.
 */
void power_user_run(struct power_cpu *cpu)
{
	const struct thread_struct *thread = &current->thread;
	unsigned long mmcr0 = cpu->mmcr.mmcr0 & ~MMCR0_USER_MASK;
	unsigned long mmcr2 = cpu->mmcr.mmcr2 | thread->mmcr2;

	mtspr(SPRN_SIAR, thread->siar);
	mtspr(SPRN_SDAR, thread->sdar);
	mtspr(SPRN_SIER, thread->sier);
	mtspr(SPRN_MMCR2, mmcr2);
	cpu->held.mmcr2 = mmcr2;
	if (power_has(PPMU_ARCH_31)) {
		mtspr(SPRN_SIER2, thread->sier2);
		mtspr(SPRN_SIER3, thread->sier3);
	}
	power_control_run(cpu, mmcr0 | thread->mmcr0 | MMCR0_EBE | MMCR0_BHRBA | MMCR0_PMCC_U6);
	/* Counters that the program has frozen run again when it writes MMCR0, and nothing else. */
	power_control_mark(cpu, true);
}
#endif

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#ifdef CONFIG_PPC64
#include "tests/registers_test.c"
#endif
#endif
