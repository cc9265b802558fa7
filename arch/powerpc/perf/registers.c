// SPDX-License-Identifier: GPL-2.0
/*
 * PMU register access. Only this file writes the registers.
 *
 * MMCR1, MMCR2, MMCR3 and MMCRA are written only while MMCR0 freezes the counters, except for
 * SAMPLE_ENABLE of MMCRA, and for power_mmcr_override(). A shadow avoids writes of a value that
 * a register has already, since a write in a guest may trap. The hardware changes MMCR0 at an
 * overflow, so MMCR0 is always written.
 */
#include <linux/bitops.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <asm/cputable.h>
#include <asm/pmc.h>
#include <asm/reg.h>
#include "bhrb.h"
#include "ebb.h"
#include "engine.h"

/* BESCR: a performance monitor exception has occurred, and causes an event-based branch */
#define BESCR_PMEO	0x1UL

DEFINE_PER_CPU(struct power_cpu, power_cpus);

/**
 * power_pmc_read - read a counter
 * @pmc: number of the counter, from 1
 *
 * Context: any, on the CPU of the counter.
 * Return: the 32-bit value.
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
 * power_pmc_read_all - read all counters into @cpu->pmcs
 * @cpu: this CPU
 *
 * Context: any, on this CPU.
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
 * power_pmc_clear_all - set all counters to 0
 *
 * Context: interrupts off, counters frozen.
 */
void power_pmc_clear_all(void)
{
	mtspr(SPRN_PMC1, 0);
	mtspr(SPRN_PMC2, 0);
	mtspr(SPRN_PMC3, 0);
	mtspr(SPRN_PMC4, 0);
	if (power_driver->n_counter > 4) {
		mtspr(SPRN_PMC5, 0);
		mtspr(SPRN_PMC6, 0);
	}
#ifdef CONFIG_PPC64
	if (power_driver->n_counter > 6) {
		mtspr(SPRN_PMC7, 0);
		mtspr(SPRN_PMC8, 0);
	}
#endif
}

/**
 * power_pmc_write - write a counter
 * @pmc: number of the counter, from 1
 * @value: the 32-bit value
 *
 * Context: interrupts off.
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
 * power_any_overflowed - check for counters in overflow
 * @cpu: this CPU
 *
 * Context: interrupts off, counters frozen.
 * Return: true if a counter of @cpu->counts that can interrupt has overflowed.
 */
bool power_any_overflowed(const struct power_cpu *cpu)
{
	unsigned long mask = cpu->used;
	int i, pmc;

	for_each_set_bit(i, &mask, POWER_COUNTS_MAX) {
		pmc = cpu->counts[i].pmc;
		if (pmc && !power_limited(pmc) && (power_pmc_read(pmc) & PMC_OVERFLOW))
			return true;
	}
	return false;
}

#ifdef CONFIG_PPC64
/* Can user space read SIAR and SDAR? */
static bool power_siar_sdar_readable(void)
{
	return power_has(PPMU_ARCH_207S) && !cpu_has_feature(CPU_FTR_ARCH_31);
}
#endif

/**
 * power_siar_sdar_clear - clear the addresses of the last sample, so that they do not leak to users
 *
 * Context: interrupts off, counters frozen.
 */
void power_siar_sdar_clear(void)
{
#ifdef CONFIG_PPC64
	if (power_siar_sdar_readable()) {
		mtspr(SPRN_SDAR, 0);
		mtspr(SPRN_SIAR, 0);
	}
#endif
}

/**
 * power_mmcr_freeze - freeze all counters, and disable the overflow interrupt
 * @cpu: this CPU
 *
 * power_mmcr_run() is context synchronizing, so later reads find frozen counters.
 *
 * Context: interrupts off.
 */
void power_mmcr_freeze(struct power_cpu *cpu)
{
	power_mmcr_run(cpu, MMCR0_FC);
	power_siar_sdar_clear();
}

#ifdef CONFIG_PPC64
/*
 * Does this processor have MMCR3? Test the CPU feature, too: the driver in compat.c lacks
 * PPMU_ARCH_31, and also runs on ISA 3.1 processors.
 */
static bool power_has_mmcr3(void)
{
	return power_has(PPMU_ARCH_31) || cpu_has_feature(CPU_FTR_ARCH_31);
}
#endif

/**
 * power_mmcr_write - program MMCR1, MMCR2, MMCR3 and MMCRA from @cpu->mmcr
 * @cpu: this CPU
 *
 * SAMPLE_ENABLE of MMCRA is set later, by power_mmcr_run().
 *
 * Context: interrupts off, counters frozen.
 */
void power_mmcr_write(struct power_cpu *cpu)
{
	struct mmcr_regs want = cpu->mmcr;
	struct mmcr_regs *shadow = &cpu->shadow;
	bool all = !cpu->shadow_valid;

	if (all || want.mmcr1 != shadow->mmcr1)
		mtspr(SPRN_MMCR1, want.mmcr1);
#ifdef CONFIG_PPC64
	want.mmcra = power_bhrb_control(want.mmcra) & ~MMCRA_SAMPLE_ENABLE;
	if (cpu_has_feature(CPU_FTR_MMCRA) && (all || want.mmcra != shadow->mmcra))
		mtspr(SPRN_MMCRA, want.mmcra);
	if (power_has(PPMU_ARCH_207S) && (all || want.mmcr2 != shadow->mmcr2))
		mtspr(SPRN_MMCR2, want.mmcr2);
	if (power_has_mmcr3() && (all || want.mmcr3 != shadow->mmcr3))
		mtspr(SPRN_MMCR3, want.mmcr3);
#else
	if (all || want.mmcr2 != shadow->mmcr2)
		mtspr(SPRN_MMCR2, want.mmcr2);
#endif
	*shadow = want;
	cpu->shadow_valid = true;
}

#ifdef CONFIG_PPC64
/* SAMPLE_ENABLE is set only while the counters run, or while an EBB program owns them. */
static void power_set_sample_enable(struct power_cpu *cpu, bool run)
{
	unsigned long mmcra = cpu->shadow.mmcra & ~MMCRA_SAMPLE_ENABLE;

	if (run)
		mmcra |= cpu->mmcr.mmcra & MMCRA_SAMPLE_ENABLE;
	if (!cpu->shadow_valid || mmcra == cpu->shadow.mmcra)
		return;
	mtspr(SPRN_MMCRA, mmcra);
	isync();
	cpu->shadow.mmcra = mmcra;
}
#else
static void power_set_sample_enable(struct power_cpu *cpu, bool run)
{
}
#endif

/**
 * power_mmcr_run - write MMCR0, and synchronize
 * @cpu: this CPU
 * @mmcr0: the value. Unless PMCC grants user space access to the registers, PMCCEXT is added from
 *	ISA 3.1 on, which denies the access
 *
 * Context: interrupts off.
 */
void power_mmcr_run(struct power_cpu *cpu, unsigned long mmcr0)
{
#ifdef CONFIG_PPC64
	/*
	 * Without PMCCEXT, user space can read the registers. Test the CPU feature, not
	 * PPMU_ARCH_31: the driver in compat.c lacks this flag, and also runs on ISA 3.1
	 * processors.
	 */
	if (cpu_has_feature(CPU_FTR_ARCH_31) && !(mmcr0 & MMCR0_PMCC))
		mmcr0 |= MMCR0_PMCCEXT;
#endif
	/* Complete the writes of the counters before the counters run. */
	mb();
	mtspr(SPRN_MMCR0, mmcr0);
	isync();
	cpu->shadow.mmcr0 = mmcr0;
	power_set_sample_enable(cpu, !(mmcr0 & MMCR0_FC));
}

/**
 * power_mmcr_set_unknown - invalidate the shadow of the registers
 * @cpu: this CPU
 *
 * Called when a hypervisor or a deep idle state may not have preserved the registers.
 *
 * Context: interrupts off.
 */
void power_mmcr_set_unknown(struct power_cpu *cpu)
{
	cpu->shadow_valid = false;
}

/**
 * power_mmcr_set_unused - set the registers while no counter is used
 * @cpu: this CPU; the shadow is valid
 *
 * From ISA 3.1 on, MMCRA enables the BHRB, which slows the processor down: disable the BHRB. Before
 * that, user space can read SDAR, which frozen counters continue to update unless MMCRA is 0.
 *
 * Context: interrupts off, counters frozen.
 */
void power_mmcr_set_unused(struct power_cpu *cpu)
{
#ifdef CONFIG_PPC64
	if (power_siar_sdar_readable() && cpu->shadow.mmcra) {
		cpu->shadow.mmcra = 0;
		mtspr(SPRN_MMCRA, 0);
		isync();
		power_siar_sdar_clear();
	}
	if (!power_has(PPMU_ARCH_31) || (cpu->shadow.mmcra & MMCRA_BHRB_DISABLE))
		return;
	cpu->shadow.mmcra |= MMCRA_BHRB_DISABLE;
	mtspr(SPRN_MMCRA, cpu->shadow.mmcra);
#endif
}

#ifdef CONFIG_PPC64
/**
 * power_mmcr_override - run the counters of this CPU with the value of pmu_override=
 * @mmcr1: the events to count
 *
 * Sets MMCR0 to 0, as documented in kernel-parameters.txt. Without PMCCEXT, user space can read the
 * registers from ISA 3.1 on, too.
 *
 * Context: interrupts off, no driver in use.
 */
void power_mmcr_override(unsigned long mmcr1)
{
	ppc_set_pmu_inuse(1);
	mtspr(SPRN_MMCR1, mmcr1);
	mtspr(SPRN_MMCR0, 0);
	isync();
}

/* Returns @addr, 0 instead of an address of the kernel. */
static unsigned long power_user_addr(unsigned long addr)
{
	return is_kernel_addr(addr) ? 0 : addr;
}

/**
 * power_ebb_save - save the program's PMU control registers, and freeze the counters
 * @cpu: this CPU, with events for event-based branches
 *
 * Does not save the counters: power_event_update() saves the counter of each event. SIAR and SDAR
 * are also updated in the kernel, which the events may exclude: do not give addresses of the kernel
 * to the program, or to its debugger.
 *
 * Context: interrupts off.
 */
void power_ebb_save(struct power_cpu *cpu)
{
	struct thread_struct *thread = &current->thread;

	/* The program can write MMCRA, and some freeze bits of MMCR2. */
	cpu->shadow.mmcra = mfspr(SPRN_MMCRA);
	cpu->shadow.mmcr2 = mfspr(SPRN_MMCR2);
	/* cpu->mmcr has freeze bits of the events' modes, which are not the program's. */
	thread->mmcr2 = cpu->shadow.mmcr2 & MMCR2_USER_MASK & ~cpu->mmcr.mmcr2;
	thread->mmcr0 = mfspr(SPRN_MMCR0) & MMCR0_USER_MASK;
	power_mmcr_run(cpu, MMCR0_FC);
	/*
	 * A counter may have overflowed between the read and the write of MMCR0. The write has then
	 * cleared PMAO, and on POWER8 a counter in overflow does not set PMAO again: save the value
	 * of MMCR0 after an overflow.
	 */
	if (thread->mmcr0 == MMCR0_PMXE && power_any_overflowed(cpu))
		thread->mmcr0 = MMCR0_FC | MMCR0_PMAO;
	thread->siar = power_user_addr(mfspr(SPRN_SIAR));
	thread->sdar = power_user_addr(mfspr(SPRN_SDAR));
	thread->sier = mfspr(SPRN_SIER) & SIER_USER_MASK;
	if (power_has(PPMU_ARCH_31)) {
		thread->mmcr3 = mfspr(SPRN_MMCR3);
		thread->sier2 = mfspr(SPRN_SIER2);
		thread->sier3 = mfspr(SPRN_SIER3);
	}
}

/* Maximum number of reads of MMCR0 until PMAO is set; a few cycles are enough */
#define OVERFLOW_ATTEMPTS	1000

/*
 * Make an overflow pending on processors with CPU_FTR_PMAO_BUG. On these processors, a write of
 * PMAO does not do so: PMC6, which counts cycles, has to overflow. With EBE, the overflow does not
 * interrupt the kernel. With C56RUN, PMC6 counts regardless of the run latch.
 *
 * The counters must be frozen, and keep their values. SIAR, SDAR, SIER and MMCR2 are changed, and
 * MMCR0 has PMAO and FC afterwards.
 */
static void power_overflow_make(void)
{
	unsigned long pmcs[PMC_6];
	int i;

	for (i = 0; i < PMC_6; i++)
		pmcs[i] = power_pmc_read(i + 1);
	/* Count in all modes. */
	mtspr(SPRN_MMCR2, 0);
	power_pmc_write(PMC_6, PMC_OVERFLOW - 1);
	/* Complete the write of the counter before the counter runs. */
	mb();
	mtspr(SPRN_MMCR0, MMCR0_EBE | MMCR0_PMXE | MMCR0_FCECE | MMCR0_PMCjCE | MMCR0_C56RUN);
	isync();
	for (i = 0; i < OVERFLOW_ATTEMPTS && !(mfspr(SPRN_MMCR0) & MMCR0_PMAO); i++)
		;
	WARN_ONCE(i == OVERFLOW_ATTEMPTS, "no overflow of PMC6\n");
	for (i = 0; i < PMC_6; i++)
		power_pmc_write(i + 1, pmcs[i]);
}

/**
 * power_ebb_run - restore the program's PMU control registers, and run the counters
 * @cpu: this CPU, with events for event-based branches, programmed by power_reprogram()
 *
 * Overflows do not interrupt the kernel: EBE turns them into event-based branches while the
 * program's MMCR0 has PMXE (PMAE in the ISA). PMCC gives the program access to the six counters.
 * BHRBA, set if an event has ISA207_BRANCHES, gives the program access to the BHRB.
 *
 * Context: interrupts off.
 */
void power_ebb_run(struct power_cpu *cpu)
{
	const struct thread_struct *thread = &current->thread;
	/* A debugger can set all bits of thread->mmcr0 and mmcr2: ignore the privileged bits. */
	unsigned long own = thread->mmcr0 & MMCR0_USER_MASK;
	unsigned long mmcr0 = cpu->mmcr.mmcr0 & ~MMCR0_USER_MASK;
	unsigned long mmcr2 = cpu->mmcr.mmcr2 | (thread->mmcr2 & MMCR2_USER_MASK);

	if ((own & MMCR0_PMAO) && cpu_has_feature(CPU_FTR_PMAO_BUG))
		power_overflow_make();
	mtspr(SPRN_SIAR, thread->siar);
	mtspr(SPRN_SDAR, thread->sdar);
	mtspr(SPRN_SIER, thread->sier);
	mtspr(SPRN_MMCR2, mmcr2);
	cpu->shadow.mmcr2 = mmcr2;
	if (power_has(PPMU_ARCH_31)) {
		mtspr(SPRN_SIER2, thread->sier2);
		mtspr(SPRN_SIER3, thread->sier3);
	}
	if (cpu->ebb_branches)
		mmcr0 |= MMCR0_BHRBA;
	power_mmcr_run(cpu, mmcr0 | own | MMCR0_EBE | MMCR0_PMCC_U6);
	/* The program may run frozen counters without the kernel: set SAMPLE_ENABLE in any case. */
	power_set_sample_enable(cpu, true);
}

/**
 * power_ebb_interrupt - end an interrupt for an overflow that belongs to the program
 *
 * With EBE, an overflow should not interrupt the kernel, but QEMU interrupts while MMCR0 has PMAO.
 * The program cannot run while PMAO is set, so clear PMAO here. PMEO in BESCR keeps the exception
 * pending until the program enables branches.
 *
 * Context: overflow interrupt, with events for event-based branches.
 */
void power_ebb_interrupt(void)
{
	unsigned long mmcr0 = mfspr(SPRN_MMCR0);

	/* A late interrupt of events that were removed */
	if (!(mmcr0 & MMCR0_PMAO))
		return;
	mtspr(SPRN_BESCR, mfspr(SPRN_BESCR) | BESCR_PMEO);
	mtspr(SPRN_MMCR0, mmcr0 & ~MMCR0_PMAO);
	isync();
}
#endif

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#ifdef CONFIG_PPC64
#include "tests/registers_test.c"
#endif
#endif
