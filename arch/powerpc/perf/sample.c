// SPDX-License-Identifier: GPL-2.0
/*
 * Address and mode of a sample, from SIAR, SDAR, SIER and MMCRA.
 *
 * power_sample_regs() saves MMCRA in regs->dsisr, SIER in regs->dar, and in regs->result whether
 * the sampled address is SIAR or the interrupted instruction. The overflow interrupt clears
 * regs->result at its end.
 */
#include <linux/percpu.h>
#include <asm/cputable.h>
#include <asm/interrupt.h>
#include <asm/page.h>
#include "bhrb.h"
#include "engine.h"
#include "isa207.h"

/* Sample fields with instruction addresses */
#define POWER_SAMPLE_IP_FIELDS	(PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN)

#ifdef CONFIG_PPC64

/* Is the sampled address SIAR? */
static bool power_by_siar(struct pt_regs *regs)
{
	return TRAP(regs) == INTERRUPT_PERFMON && regs->result;
}

static bool power_marked(struct pt_regs *regs)
{
	return regs->dsisr & MMCRA_SAMPLE_ENABLE;
}

/*
 * Without a marked event, SIAR is always valid. With a marked event, the hardware sets a valid bit.
 * But if the PMU was disabled before a late interrupt, SIAR is 0, and SIER still has the bit.
 */
static bool power_siar_valid(struct pt_regs *regs)
{
	if (!power_marked(regs))
		return true;
	if (power_has(PPMU_HAS_SIER))
		return (regs->dar & SIER_SIAR_VALID) && mfspr(SPRN_SIAR);
	if (power_has(PPMU_SIAR_VALID))
		return regs->dsisr & POWER7P_MMCRA_SIAR_VALID;
	return true;
}

/* Without a marked event, the hardware updates SDAR, too, but sets no valid bit. */
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

static void power_sample_save(struct pt_regs *regs, unsigned long mmcra, unsigned long sier)
{
	regs->dsisr = mmcra;
	if (power_has(PPMU_HAS_SIER))
		regs->dar = sier;
	if (power_has(PPMU_NO_SIAR))
		regs->result = 0;
	else if (power_marked(regs))
		regs->result = 1;
	else
		/* A late interrupt may be in another mode than the overflow: use SIAR. */
		regs->result = !power_has(PPMU_NO_CONT_SAMPLING) && mfspr(SPRN_SIAR);
}

/**
 * power_sample_regs - save the registers of a sample
 * @regs: registers of the overflow interrupt
 *
 * Context: overflow interrupt, before MMCR0 is written. After the write the registers can change.
 */
void power_sample_regs(struct pt_regs *regs)
{
	power_sample_save(regs, cpu_has_feature(CPU_FTR_MMCRA) ? mfspr(SPRN_MMCRA) : 0,
			  power_has(PPMU_HAS_SIER) ? mfspr(SPRN_SIER) : 0);
}

/**
 * perf_misc_flags - mode of a sample
 * @regs: registers of the overflow interrupt, or of another sample
 *
 * Context: any.
 * Return: PERF_RECORD_MISC_USER, PERF_RECORD_MISC_KERNEL or PERF_RECORD_MISC_HYPERVISOR.
 */
unsigned long perf_misc_flags(struct pt_regs *regs)
{
	if (!power_by_siar(regs) || !power_siar_valid(regs))
		return user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
	/*
	 * SIPR may be that of another instruction, near a change of the mode, and on POWER10
	 * anywhere: use the address.
	 */
	if (power_has(PPMU_NO_SIPR | PPMU_P10) ||
	    power_sample_in(regs, SIER_SIPR, POWER6_MMCRA_SIPR, MMCRA_SIPR))
		return is_kernel_addr(mfspr(SPRN_SIAR)) ? PERF_RECORD_MISC_KERNEL :
							  PERF_RECORD_MISC_USER;
	if (power_sample_in(regs, SIER_SIHV, POWER6_MMCRA_SIHV, MMCRA_SIHV) && !power_is_hv())
		return PERF_RECORD_MISC_HYPERVISOR;
	return PERF_RECORD_MISC_KERNEL;
}

/**
 * perf_instruction_pointer - instruction address of a sample
 * @regs: registers of the overflow interrupt, or of another sample
 *
 * Context: any.
 * Return: the address; 0 if SIAR of a marked event is not valid.
 */
unsigned long perf_instruction_pointer(struct pt_regs *regs)
{
	unsigned long slot = 0;

	if (!power_by_siar(regs))
		return regs->nip;
	if (!power_siar_valid(regs))
		return 0;
	/* SIAR is the first instruction of a dispatch group; the slot is the index in the group. */
	if (power_has(PPMU_HAS_SSLOT) && power_marked(regs))
		slot = (regs->dsisr & MMCRA_SLOT) >> MMCRA_SLOT_SHIFT;
	return mfspr(SPRN_SIAR) + (slot > 1 ? 4 * (slot - 1) : 0);
}

/* Registers with addresses of the last sampled instruction and its data */
#define POWER_ADDR_REGS	(BIT_ULL(PERF_REG_POWERPC_SIAR) | BIT_ULL(PERF_REG_POWERPC_SDAR))

/* Would the registers in a sample have an address of the kernel? */
static bool power_regs_of_kernel(const struct perf_event_attr *attr)
{
	u64 mask = 0;

	if (attr->sample_type & PERF_SAMPLE_REGS_USER)
		mask |= attr->sample_regs_user;
	if (attr->sample_type & PERF_SAMPLE_REGS_INTR)
		mask |= attr->sample_regs_intr;
	return mask & POWER_ADDR_REGS &&
	       (is_kernel_addr(mfspr(SPRN_SIAR)) || is_kernel_addr(mfspr(SPRN_SDAR)));
}

/**
 * power_sample_allowed - check whether an overflow may be sampled
 * @event: the event that has overflowed
 * @regs: registers of the overflow interrupt, saved by power_sample_regs()
 *
 * A sample without addresses of instructions or of their data is always allowed.
 *
 * Context: overflow interrupt.
 * Return: false if SIAR of a marked event is not valid, or if @event excludes the kernel and a
 * sampled address is in the kernel; true otherwise.
 */
bool power_sample_allowed(struct perf_event *event, struct pt_regs *regs)
{
	if (event->attr.exclude_kernel && power_regs_of_kernel(&event->attr))
		return false;
	if (!(event->attr.sample_type & POWER_SAMPLE_IP_FIELDS))
		return true;
	if (power_by_siar(regs) && !power_siar_valid(regs))
		return false;
	return !event->attr.exclude_kernel || !is_kernel_addr(perf_instruction_pointer(regs));
}

/* Add data source and latency, if the processor reports them. */
static void power_sample_memory(struct perf_sample_data *data, u64 type, struct pt_regs *regs)
{
	unsigned long mmcra = regs->dsisr, sier = regs->dar, sier2 = 0;
	const struct isa207_layout *layout = isa207_running();
	bool v31 = power_has(PPMU_ARCH_31);

	if (!layout || !layout->memory)
		return;
	if (type & PERF_SAMPLE_DATA_SRC) {
		data->data_src.val = isa207_mem_data_src(mmcra, sier, v31);
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
 * power_sample_fill - add the fields of a sample that the hardware reports
 * @event: the event that has overflowed
 * @data: initialized sample data
 * @regs: registers of the overflow interrupt, saved by power_sample_regs()
 *
 * Context: overflow interrupt.
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

#else /* CONFIG_PPC32: no SIAR, SDAR and SIER */

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

/* The interrupt may be late, and then interrupts the kernel after an overflow in user space. */
bool power_sample_allowed(struct perf_event *event, struct pt_regs *regs)
{
	return !event->attr.exclude_kernel || user_mode(regs) ||
	       !(event->attr.sample_type & POWER_SAMPLE_IP_FIELDS);
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
