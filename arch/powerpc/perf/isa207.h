/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of processors from version 2.07 of the architecture on: POWER8 and later.
 */
#ifndef _POWERPC_PERF_ISA207_H
#define _POWERPC_PERF_ISA207_H

#include <linux/container_of.h>
#include "engine.h"

/* An event that no processor has ends a row of alternatives that is shorter than others. */
#define ISA207_SAME_MAX		2

/* The fields of an event's code that all of these processors have at the same place. */
#define ISA207_PSEL(code)	((code) & 0xff)
#define ISA207_MARKED(code)	(((code) >> 8) & 1)
#define ISA207_UNIT(code)	(((code) >> 12) & 0xf)
#define ISA207_PMC(code)	(((code) >> 16) & 0xf)
#define ISA207_SAMPLE(code)	(((code) >> 24) & 0x1f)
#define ISA207_CACHE(code)	(((code) >> 20) & 0xf)
#define ISA207_COMPARE(code)	(((code) >> 40) & 0x3ff)
#define ISA207_THRESHOLD_SELECT(code)	(((code) >> 29) & 7)

/*
 * The highest bits ask for event-based branches and, beside these, for branch records, whose filter
 * is the field below.
 */
#define ISA207_EBB		BIT_ULL(63)
#define ISA207_BRANCHES		BIT_ULL(62)
#define ISA207_FILTER		GENMASK_ULL(61, 60)
#define ISA207_FILTER_SHIFT	60
#define ISA207_EVENT(code)	((code) & GENMASK_ULL(59, 0))

/*
 * Reaches the fixed counters: instructions and cycles, of the run state unless MMCR0 has C56RUN.
 */
#define ISA207_RUN_INST		0x500faULL
#define ISA207_RUN_CYC		0x600f4ULL

/* The same as they count on any counter, whatever the state. */
#define ISA207_ANY_INST		0x00002ULL
#define ISA207_ANY_CYC		0x0001eULL

/* The same of the run state, on a counter that is not fixed. */
#define ISA207_RUN_INST_4	0x400faULL
#define ISA207_RUN_CYC_2	0x200f4ULL

/**
 * enum isa207_register - where a field of the code goes
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
 * struct isa207_count - something to count, and where
 * @code: the encoding
 * @config1: its attr.config1
 * @modes: POWER_NOT_*
 * @pmc: its counter
 */
struct isa207_count {
	u64	code;
	u64	config1;
	u8	modes;
	u8	pmc;
};

/* When a field of the code means anything; the whole of @ISA207_WHEN_* is a bit mask. */
#define ISA207_WHEN_MARKED	1	/* of a marked event */
#define ISA207_WHEN_BUS		2	/* of one from a bus of the second and third cache */
#define ISA207_WHEN_COUNTER	4	/* on counters 1 to 4 */
#define ISA207_WHEN_FABRIC	8	/* of an event that matches what comes over the fabric */
#define ISA207_WHEN_NO_FABRIC	16	/* of any other */
#define ISA207_WHEN_L1		32	/* of one with a qualifier of the first cache */

/**
 * struct isa207_route - from a field of an event's code to a register
 * @from: its lowest bit in the code
 * @width: its bits
 * @config1: the field is one of attr.config1
 * @when: ISA207_WHEN_*, all of them
 * @to: the register
 * @shift: the lowest bit there, for counter 1
 * @stride: so much lower for each further counter; 0: the field is shared by all counters
 * @mantissa: the register has a value of so many bits, times a power of 4 whose exponent
 *	stands above them; 0: it has the field as it is
 * @rule: the lowest bit of the constraint that such events agree, 0 for none
 * @threshold: the field takes part in that only if the event has a threshold
 * @l1: the field takes part in that only if the event is not one of the second or third cache
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
 * struct isa207_layout - how a processor's codes are read
 * @valid: the bits that a code may have
 * @routes: where its fields go
 * @n_routes: so many
 * @same: codes for the same, the first one is the lowest
 * @n_same: so many rows
 * @twins: other counters count what the fixed ones do by ISA207_ANY_* and ISA207_RUN_*_*
 * @fixed_idle: the fixed counters count outside of the run state, too
 * @mmcra: bits that are set there whatever counts
 * @sdar_mode: lowest bit of the field that says when SDAR changes, 0: there is none
 * @sdar_idle: that field's value in MMCRA where a code has none
 * @fabric: counter, unit and PMCxSEL of events that match, bit 0 aside
 * @elig: for each sampling mode, the mask of what may be marked in it
 * @l2l3_same: events of the second and third cache must have the same PMCxSEL, and one of them be
 *	on counter 4
 * @float_compare: the value that a threshold is compared with is a mantissa of 7 bits and an
 *	exponent as they stand, both ends of what is counted may be anything, and events of the
 *	second and third cache have no qualifier of the first
 * @code_compare: that value is such in events that have a threshold; in others it is nothing
 * @memory: SIER and MMCRA say of a marked instruction what memory.c reads there
 */
struct isa207_layout {
	u64				valid;
	const struct isa207_route	*routes;
	int				n_routes;
	const u64			(*same)[ISA207_SAME_MAX];
	int				n_same;
	bool				twins;
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

/* Of struct power_pmu; see there. */
#define ISA207_COUNTED_BY	0x1555UL
#define ISA207_FULL_BY	0x3000UL

/**
 * struct isa207_driver - the driver of such a processor
 * @pmu: as the engine knows it; PPMU_ARCH_207S is set
 * @layout: of the processor
 */
struct isa207_driver {
	struct power_pmu		pmu;
	const struct isa207_layout	*layout;
};

#ifdef CONFIG_PPC64
/* The running processor's layout; NULL for an older processor. */
static inline const struct isa207_layout *isa207_running(void)
{
	if (!power_driver || !power_has(PPMU_ARCH_207S))
		return NULL;
	return container_of(power_driver, struct isa207_driver, pmu)->layout;
}

bool isa207_needs(const struct isa207_layout *layout, u64 code);
int isa207_constrain_by(const struct isa207_layout *layout, u64 code, unsigned long *maskp,
			unsigned long *valuep, u64 config1);
int isa207_constrain(u64 code, unsigned long *maskp, unsigned long *valuep, u64 config1);
int isa207_same_by(const struct isa207_layout *layout, u64 code, unsigned int flags, u64 codes[]);
int isa207_same_events(u64 code, unsigned int flags, u64 codes[]);
u64 isa207_branch_filter(u64 branches);
void isa207_compute(const struct isa207_layout *layout, const struct isa207_count *counts, int n,
		    struct mmcr_regs *mmcr);

/* memory.c */
u64 isa207_memory_source(unsigned long mmcra, unsigned long sier, bool v31);
union perf_sample_weight isa207_memory_weight(u64 type, unsigned long mmcra, unsigned long sier,
					      unsigned long sier2, bool v31);
#else
static inline const struct isa207_layout *isa207_running(void) { return NULL; }
static inline bool isa207_needs(const struct isa207_layout *layout, u64 code) { return false; }
static inline void isa207_compute(const struct isa207_layout *layout,
				  const struct isa207_count *counts, int n,
				  struct mmcr_regs *mmcr)
{
}
#endif

#endif
