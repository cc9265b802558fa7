// SPDX-License-Identifier: GPL-2.0
/*
 * Where a sample was taken: SIAR, SDAR and what the processor says about them.
 *
 * The overflow interrupt keeps MMCRA in regs->dsisr and SIER in regs->dar, and in regs->result
 * whether SIAR, and not the interrupted instruction, is the place.
 */
#include <linux/percpu.h>
#include <asm/cputable.h>
#include <asm/interrupt.h>
#include <asm/page.h>
#include "bhrb.h"
#include "engine.h"
#include "isa207.h"

#ifdef CONFIG_PPC64

/* From here on SIAR may be asked for, in functions that see only registers. */
static bool power_by_siar(struct pt_regs *regs)
{
	return TRAP(regs) == INTERRUPT_PERFMON && regs->result;
}

static bool power_marked(struct pt_regs *regs)
{
	return regs->dsisr & MMCRA_SAMPLE_ENABLE;
}

/* SIAR is valid unless the event is marked: the hardware then sets a valid bit. */
static bool power_siar_valid(struct pt_regs *regs)
{
	if (!power_marked(regs))
		return true;
	if (power_has(PPMU_HAS_SIER))
		return regs->dar & SIER_SIAR_VALID;
	if (power_has(PPMU_SIAR_VALID))
		return regs->dsisr & POWER7P_MMCRA_SIAR_VALID;
	return true;
}

/* SDAR changes, too, while nothing is marked. */
static bool power_sdar_valid(struct pt_regs *regs)
{
	if (!power_marked(regs))
		return true;
	if (power_has(PPMU_HAS_SIER))
		return regs->dar & SIER_SDAR_VALID;
	if (power_has(PPMU_SIAR_VALID))
		return regs->dsisr & POWER7P_MMCRA_SDAR_VALID;
	if (power_has(PPMU_ALT_SIPR))
		return regs->dsisr & POWER6_MMCRA_SDSYNC;
	return power_has(PPMU_NO_SIAR) || (regs->dsisr & MMCRA_SDSYNC);
}

static bool power_sample_in(struct pt_regs *regs, unsigned long sier, unsigned long power6,
			    unsigned long mmcra)
{
	if (power_has(PPMU_HAS_SIER))
		return regs->dar & sier;
	return regs->dsisr & (power_has(PPMU_ALT_SIPR) ? power6 : mmcra);
}

static void power_sample_place(struct pt_regs *regs, unsigned long mmcra, unsigned long sier)
{
	regs->dsisr = mmcra;
	if (power_has(PPMU_HAS_SIER))
		regs->dar = sier;
	if (power_has(PPMU_NO_SIAR))
		regs->result = 0;
	else if (power_marked(regs))
		regs->result = 1;
	else
		/* The interrupt may come later than the overflow, out of another mode. */
		regs->result = !power_has(PPMU_NO_CONT_SAMPLING) && mfspr(SPRN_SIAR);
}

/**
 * power_sample_regs - keep what the processor knows of the sample
 * @regs: of the interrupt
 *
 * Overflow interrupt, before MMCR0 lets the registers change.
 */
void power_sample_regs(struct pt_regs *regs)
{
	power_sample_place(regs, cpu_has_feature(CPU_FTR_MMCRA) ? mfspr(SPRN_MMCRA) : 0,
			   power_has(PPMU_HAS_SIER) ? mfspr(SPRN_SIER) : 0);
}

unsigned long perf_misc_flags(struct pt_regs *regs)
{
	if (!power_by_siar(regs) || !power_siar_valid(regs))
		return user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
	/* SIPR may be of another instruction on POWER10: use the address in SIAR. */
	if (power_has(PPMU_NO_SIPR | PPMU_P10))
		return is_kernel_addr(mfspr(SPRN_SIAR)) ? PERF_RECORD_MISC_KERNEL :
							  PERF_RECORD_MISC_USER;
	if (power_sample_in(regs, SIER_SIPR, POWER6_MMCRA_SIPR, MMCRA_SIPR))
		return PERF_RECORD_MISC_USER;
	if (power_sample_in(regs, SIER_SIHV, POWER6_MMCRA_SIHV, MMCRA_SIHV) &&
	    !cpu_has_feature(CPU_FTR_HVMODE))
		return PERF_RECORD_MISC_HYPERVISOR;
	return PERF_RECORD_MISC_KERNEL;
}

unsigned long perf_instruction_pointer(struct pt_regs *regs)
{
	unsigned long slot = 0;

	if (!power_by_siar(regs))
		return regs->nip;
	if (!power_siar_valid(regs))
		return 0;
	/* SIAR is the first instruction of the group, and the slot the one in it. */
	if (power_has(PPMU_HAS_SSLOT) && power_marked(regs))
		slot = (regs->dsisr & MMCRA_SLOT) >> MMCRA_SLOT_SHIFT;
	return mfspr(SPRN_SIAR) + (slot > 1 ? 4 * (slot - 1) : 0);
}

/* These have addresses of instructions. */
#define POWER_SAMPLE_PLACE	(PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN)

/**
 * power_sample_allowed - may an overflow become a sample?
 * @event: that has overflowed
 * @regs: of the interrupt, after power_sample_regs()
 *
 * Overflow interrupt. A place in the kernel is nothing for an event that excludes it, wherever the
 * address is from, and of a marked event that does not say where it was there is no sample. An
 * event that does not ask for the place has all of its samples.
 */
bool power_sample_allowed(struct perf_event *event, struct pt_regs *regs)
{
	if (!(event->attr.sample_type & POWER_SAMPLE_PLACE))
		return true;
	if (power_by_siar(regs) && !power_siar_valid(regs))
		return false;
	return !event->attr.exclude_kernel || !is_kernel_addr(perf_instruction_pointer(regs));
}

/* The source of the data, and what it cost, where the processor says that. */
static void power_sample_memory(struct perf_sample_data *data, u64 type, struct pt_regs *regs)
{
	unsigned long mmcra = regs->dsisr, sier = regs->dar, sier2 = 0;
	const struct isa207_layout *layout = isa207_running();
	bool v31 = power_has(PPMU_ARCH_31);

	if (!layout || !layout->memory)
		return;
	if (type & PERF_SAMPLE_DATA_SRC) {
		data->data_src.val = isa207_memory_source(mmcra, sier, v31);
		data->sample_flags |= PERF_SAMPLE_DATA_SRC;
	}
	if (type & PERF_SAMPLE_WEIGHT_TYPE) {
		if (v31 && (type & PERF_SAMPLE_WEIGHT_STRUCT))
			sier2 = mfspr(SPRN_SIER2);
		data->weight = isa207_memory_weight(type, mmcra, sier, sier2, v31);
		data->sample_flags |= type & PERF_SAMPLE_WEIGHT_TYPE;
	}
}

/**
 * power_sample_fill - the fields of a sample that the processor knows
 * @event: that has overflowed
 * @data: initialised
 * @regs: of the interrupt
 *
 * Overflow interrupt.
 */
void power_sample_fill(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
	const u64 wants_addr = PERF_SAMPLE_ADDR | PERF_SAMPLE_PHYS_ADDR |
			       PERF_SAMPLE_DATA_PAGE_SIZE;
	u64 type = event->attr.sample_type;
	unsigned long addr;

	if ((type & wants_addr) && power_sdar_valid(regs)) {
		addr = mfspr(SPRN_SDAR);
		if (!is_kernel_addr(addr) || !event->attr.exclude_kernel) {
			data->addr = addr;
			data->sample_flags |= PERF_SAMPLE_ADDR;
		}
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		perf_sample_save_brstack(data, event, power_bhrb_read(event), NULL);
	power_sample_memory(data, type, regs);
}

#else /* CONFIG_PPC32: no such registers */

void power_sample_regs(struct pt_regs *regs)
{
}

unsigned long perf_misc_flags(struct pt_regs *regs)
{
	return user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
}

unsigned long perf_instruction_pointer(struct pt_regs *regs)
{
	return regs->nip;
}

bool power_sample_allowed(struct perf_event *event, struct pt_regs *regs)
{
	return true;
}

void power_sample_fill(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
}

#endif

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#ifdef CONFIG_PPC64
#include "tests/sample_test.c"
#endif
#endif
