/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Event codes of processors from ISA 2.07 on: POWER8 and later.
 */
#ifndef _POWERPC_PERF_ISA207_H
#define _POWERPC_PERF_ISA207_H

#include <linux/container_of.h>
#include <linux/init.h>
#include "engine.h"

/* Each row of isa207_layout::same is a pair. */
#define ISA207_SAME_MAX		2

/* Fields of the event code at the same position on all of these processors */
#define ISA207_PSEL(code)	((code) & 0xff)
#define ISA207_MARKED(code)	(((code) >> 8) & 1)
#define ISA207_UNIT(code)	(((code) >> 12) & 0xf)
#define ISA207_PMC(code)	(((code) >> 16) & 0xf)
#define ISA207_SAMPLE(code)	(((code) >> 24) & 0x1f)
#define ISA207_CACHE(code)	(((code) >> 20) & 0xf)
#define ISA207_COMPARE(code)	(((code) >> 40) & 0x3ff)
#define ISA207_THRESHOLD_SELECT(code)	(((code) >> 29) & 7)

/*
 * Software bits of the event code: EBB event, BHRB entries for the EBB handler, and the BHRB
 * filter of these entries. ISA207_BRANCHES requires ISA207_EBB.
 */
#define ISA207_EBB		BIT_ULL(63)
#define ISA207_BRANCHES		BIT_ULL(62)
#define ISA207_FILTER		GENMASK_ULL(61, 60)
#define ISA207_FILTER_SHIFT	60
#define ISA207_EVENT(code)	((code) & GENMASK_ULL(59, 0))

/*
 * Instructions and cycles on the fixed counters. They count only while the run latch is set, unless
 * MMCR0 has C56RUN.
 */
#define ISA207_RUN_INST		0x500faULL
#define ISA207_RUN_CYC		0x600f4ULL

/* Instructions and cycles on PMC1 to PMC4, regardless of the run latch */
#define ISA207_ANY_INST		0x00002ULL
#define ISA207_ANY_CYC		0x0001eULL

/* Instructions and cycles while the run latch is set, on PMC4 and PMC2 */
#define ISA207_RUN_INST_4	0x400faULL
#define ISA207_RUN_CYC_2	0x200f4ULL

/**
 * enum isa207_register - destination of a field of the event code
 * @ISA207_MMCR1: MMCR1
 * @ISA207_MMCR2: MMCR2
 * @ISA207_MMCR3: MMCR3
 * @ISA207_MMCRA: MMCRA
 */
enum isa207_register {
	ISA207_MMCR1,
	ISA207_MMCR2,
	ISA207_MMCR3,
	ISA207_MMCRA,
};

/**
 * struct isa207_count - an event code on a counter
 * @code: the event code
 * @config1: attr.config1
 * @modes: POWER_NOT_*
 * @pmc: the counter
 */
struct isa207_count {
	u64	code;
	u64	config1;
	u8	modes;
	u8	pmc;
};

/* Bits of isa207_route::when: the route applies only to an event that meets all of them. */
#define ISA207_WHEN_MARKED	1	/* the event is marked */
#define ISA207_WHEN_BUS		2	/* the event is on a bus of L2 and L3 */
#define ISA207_WHEN_COUNTER	4	/* the event is on PMC1 to PMC4 */
#define ISA207_WHEN_FABRIC	8	/* the event matches fabric responses */
#define ISA207_WHEN_NO_FABRIC	16	/* the event does not match fabric responses */
#define ISA207_WHEN_L1		32	/* the event has an L1 qualifier */

/**
 * struct isa207_route - copies a field of the event code to a register
 * @from: lowest bit in the code
 * @width: number of bits
 * @config1: the field is in attr.config1
 * @when: mask of ISA207_WHEN_*
 * @to: the register
 * @shift: lowest bit in the register, for PMC1
 * @stride: distance in bits from the next counter's field, which is lower; 0: one field for all
 *	counters
 * @mantissa: number of mantissa bits, if the register has the value as a mantissa and a base-4
 *	exponent; 0: the register has the value itself
 * @rule: lowest bit of the field of the constraint words in which all events must have the same
 *	value; 0: no constraint
 * @threshold: the constraint applies only to events with a threshold
 * @l1: the constraint does not apply to events of L2 and L3
 */
struct isa207_route {
	u8			from;
	u8			width;
	bool			config1;
	u8			when;
	enum isa207_register	to;
	u8			shift;
	u8			stride;
	u8			mantissa;
	u8			rule;
	bool			threshold;
	bool			l1;
};

/**
 * struct isa207_layout - layout of a processor's event codes
 * @valid: mask of valid bits
 * @routes: the fields copied to registers
 * @n_routes: number of @routes
 * @same: pairs of codes that count the same event
 * @n_same: number of @same
 * @fixed_alts: ISA207_ANY_* and ISA207_RUN_*_* are alternatives of the fixed counters
 * @fixed_idle: set C56RUN: the fixed counters count regardless of the run latch
 * @mmcra: bits always set in MMCRA
 * @sdar_mode: lowest bit of the field for the condition of SDAR updates; 0: no such field
 * @sdar_idle: condition programmed if the field is 0
 * @fabric: counter, unit and PMCxSEL, without bit 0, of the events that match fabric responses
 * @elig: for each sampling mode, mask of valid eligibility values
 * @l2l3_same: all events of L2 and L3 must have the same PMCxSEL, and one must be on PMC4
 * @float_compare: a code has the threshold compare value as an exponent and a normalized mantissa
 *	of 7 bits; any start and stop event is valid; events of L2 and L3 have no L1 qualifier
 * @code_compare: codes with a threshold have the compare value in the format of @float_compare;
 *	other codes ignore the value
 * @memory: SIER and MMCRA of a marked instruction have the fields that memory.c decodes
 */
struct isa207_layout {
	u64				valid;
	const struct isa207_route	*routes;
	int				n_routes;
	const u64			(*same)[ISA207_SAME_MAX];
	int				n_same;
	bool				fixed_alts;
	bool				fixed_idle;
	u64				mmcra;
	u8				sdar_mode;
	u8				sdar_idle;
	u64				fabric[2];
	u8				elig[4];
	bool				l2l3_same;
	bool				float_compare;
	bool				code_compare;
	bool				memory;
};

/* power_pmu::add_fields and power_pmu::test_adder */
#define ISA207_COUNTED_BY	0x1555UL
#define ISA207_FULL_BY	0x3000UL

/**
 * struct isa207_driver - driver of a processor from ISA 2.07 on
 * @pmu: as registered with the engine, except for the members that isa207_register() sets
 * @layout: layout of the event codes
 */
struct isa207_driver {
	struct power_pmu		pmu;
	const struct isa207_layout	*layout;
};

#ifdef CONFIG_PPC64
/* Layout of the running processor; NULL before ISA 2.07 */
static inline const struct isa207_layout *isa207_running(void)
{
	if (!power_driver || !power_has(PPMU_ARCH_207S))
		return NULL;
	return container_of(power_driver, struct isa207_driver, pmu)->layout;
}

int __init isa207_register(struct isa207_driver *driver);
bool isa207_is_limited_l2l3(const struct isa207_layout *layout, u64 code);
int isa207_constrain_by(const struct isa207_layout *layout, u64 code, unsigned long *maskp,
			unsigned long *valuep, u64 config1);
int isa207_get_alternatives_by(const struct isa207_layout *layout, u64 code, unsigned int flags,
			       u64 codes[]);
u64 isa207_branch_filter(u64 branches);
void isa207_compute_mmcr(const struct isa207_layout *layout, const struct isa207_count *counts,
			 int n, struct mmcr_regs *mmcr);

/* memory.c */
u64 isa207_mem_data_src(unsigned long mmcra, unsigned long sier, bool v31);
union perf_sample_weight isa207_memory_weight(u64 type, unsigned long mmcra, unsigned long sier,
					      unsigned long sier2, bool v31);
#else
static inline const struct isa207_layout *isa207_running(void) { return NULL; }
static inline bool isa207_is_limited_l2l3(const struct isa207_layout *layout, u64 code)
{
	return false;
}

static inline void isa207_compute_mmcr(const struct isa207_layout *layout,
				       const struct isa207_count *counts, int n,
				       struct mmcr_regs *mmcr)
{
}
#endif

#endif
