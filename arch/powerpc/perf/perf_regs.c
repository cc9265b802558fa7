// SPDX-License-Identifier: GPL-2.0
/*
 * User and interrupt registers in samples.
 */
#include <linux/build_bug.h>
#include <linux/perf_event.h>
#include <linux/perf_regs.h>
#include <linux/sched/task_stack.h>
#include <asm/ptrace.h>
#include <asm/reg.h>

#ifdef CONFIG_PPC_PERF_CTRS
#include "engine.h"
#endif

/*
 * Mask of the PMU registers that samples can have on this processor; 0 unless a driver sets it.
 * asm/perf_event.h declares the mask for all processors.
 */
u64 PERF_REG_EXTENDED_MASK;

/* PERF_REG_POWERPC_* up to DSISR are indices of struct user_pt_regs. */
static_assert(offsetof(struct user_pt_regs, nip) == PERF_REG_POWERPC_NIP * sizeof(long));
static_assert(offsetof(struct user_pt_regs, ccr) == PERF_REG_POWERPC_CCR * sizeof(long));
static_assert(offsetof(struct user_pt_regs, trap) == PERF_REG_POWERPC_TRAP * sizeof(long));
static_assert(offsetof(struct user_pt_regs, dsisr) == PERF_REG_POWERPC_DSISR * sizeof(long));

/* Registers that only server processors have */
static bool reg_is_server(int idx)
{
	return idx == PERF_REG_POWERPC_SIER || idx == PERF_REG_POWERPC_MMCRA;
}

#ifdef CONFIG_PPC_PERF_CTRS
/*
 * SIAR and SDAR have addresses of the last sampled instruction, which may be in the kernel or in
 * another task. power_sample_allowed() checks whether an event may see the addresses. Outside of
 * the overflow interrupt, SIAR and SDAR are 0 in samples.
 */
static bool reg_is_of_interrupt(int idx)
{
	return idx == PERF_REG_POWERPC_SIAR || idx == PERF_REG_POWERPC_SDAR;
}

#define SPR_CASE(name)	case PERF_REG_POWERPC_##name: return mfspr(SPRN_##name)

/* Read PMU register @idx. */
static u64 reg_extended(int idx)
{
	int pmc = idx - PERF_REG_POWERPC_PMC1;

	if (pmc >= 0 && pmc < 6)
		return get_pmcs_ext_regs(pmc);
	if (reg_is_of_interrupt(idx) && !this_cpu_read(power_cpus.in_overflow))
		return 0;
	switch (idx) {
#ifdef CONFIG_PPC64
	SPR_CASE(SIAR);
	SPR_CASE(SDAR);
	SPR_CASE(MMCR0);
	SPR_CASE(MMCR1);
	SPR_CASE(MMCR2);
	SPR_CASE(MMCR3);
	SPR_CASE(SIER2);
	SPR_CASE(SIER3);
#endif
	}
	return 0;
}
#else
static u64 reg_extended(int idx)
{
	return 0;
}
#endif

/**
 * perf_reg_value - value of a register in a sample
 * @regs: the sampled registers
 * @idx: PERF_REG_POWERPC_*
 *
 * Counters, SIAR and SDAR are those of the overflow interrupt, and 0 in samples outside of the
 * interrupt. Control registers are read now.
 *
 * Context: any.
 * Return: the value, 0 if the processor lacks the register.
 */
u64 perf_reg_value(struct pt_regs *regs, int idx)
{
	if (WARN_ON_ONCE(idx < 0 || idx >= PERF_REG_EXTENDED_MAX))
		return 0;
	if (idx >= PERF_REG_POWERPC_MAX)
		return PERF_REG_EXTENDED_MASK & BIT_ULL(idx) ? reg_extended(idx) : 0;
	if (reg_is_server(idx) &&
	    (IS_ENABLED(CONFIG_PPC32) || IS_ENABLED(CONFIG_FSL_EMB_PERF_EVENT)))
		return 0;
	if (idx == PERF_REG_POWERPC_SIER && !is_sier_available())
		return 0;
	/* The overflow interrupt saves SIER and MMCRA in these members. */
	if (idx == PERF_REG_POWERPC_SIER)
		return regs->dar;
	if (idx == PERF_REG_POWERPC_MMCRA)
		return regs->dsisr;
	return ((const unsigned long *)&regs->user_regs)[idx];
}

/**
 * perf_reg_validate - check a register mask
 * @mask: mask of PERF_REG_POWERPC_*
 *
 * Context: any.
 * Return: 0 if samples can have these registers, else -EINVAL.
 */
int perf_reg_validate(u64 mask)
{
	BUILD_BUG_ON(PERF_REG_EXTENDED_MAX > 64);
	return mask && !(mask & ~(PERF_REG_PMU_MASK | PERF_REG_EXTENDED_MASK)) ? 0 : -EINVAL;
}

/**
 * perf_reg_abi - register width of a task
 * @task: the task
 *
 * Context: any.
 * Return: PERF_SAMPLE_REGS_ABI_32 or PERF_SAMPLE_REGS_ABI_64.
 */
u64 perf_reg_abi(struct task_struct *task)
{
	return is_tsk_32bit_task(task) ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64;
}

/**
 * perf_get_regs_user - find the user registers of current
 * @regs_user: receives the registers and their ABI
 * @regs: the sampled registers, not used: entry code saves all user registers
 *
 * Context: any.
 */
void perf_get_regs_user(struct perf_regs *regs_user, struct pt_regs *regs)
{
	regs_user->regs = task_pt_regs(current);
	regs_user->abi = regs_user->regs ? perf_reg_abi(current) : PERF_SAMPLE_REGS_ABI_NONE;
}
