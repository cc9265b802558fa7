// SPDX-License-Identifier: GPL-2.0
/*
 * Data source and latency of a sampled load or store.
 *
 * SIER has the type of a marked instruction, and the source of its data. MMCRA has the cycles
 * between the threshold's start and stop events, as a mantissa and a base-4 exponent. SIER2 of ISA
 * 3.1 has the cycles of two pipeline stages.
 */
#include <asm/cputable.h>
#include <asm/reg.h>
#include "isa207.h"

/* SIER: instruction type, and the source of the data in two fields */
#define SIER_KIND(sier)		(((sier) >> 15) & 7)
#define SIER_SOURCE(sier)	(((sier) >> 1) & 7)
#define SIER_DETAIL(sier)	(((sier) >> 53) & 7)

#define KIND_OTHER	0
#define KIND_LOAD	1
#define KIND_STORE	2
/* larx or stcx, from ISA 3.1 on */
#define KIND_RESERVE	7

/* MMCRA: instructions eligible for marking */
#define MMCRA_ELIGIBLE(mmcra)	(((mmcra) >> 4) & 7)
#define ELIGIBLE_LOADS		5
#define ELIGIBLE_STORES		7

/* MMCRA: threshold counter. Before ISA 3.1 the top bit of the mantissa is not used. */
#define MMCRA_CYCLES(mmcra)	(((mmcra) >> 19) & 0xff)
#define MMCRA_CYCLES_207(mmcra)	(((mmcra) >> 19) & 0x7f)
#define MMCRA_EXPONENT(mmcra)	(((mmcra) >> 27) & 7)

/* SIER2: cycles before dispatch, and from dispatch to finish */
#define SIER2_DISPATCH(sier2)	(((sier2) >> 50) & 0x7ff)
#define SIER2_FINISH(sier2)	(((sier2) >> 26) & 0x7ff)

#define MEM(field, value)	PERF_MEM_S(field, value)
#define HIT(level)		(MEM(LVL, HIT) | MEM(LVL, level))
#define CACHE(level)		(HIT(level) | MEM(LVLNUM, level))
#define CLEAN			MEM(SNOOP, HIT)
#define MODIFIED		MEM(SNOOP, HITM)
#define AWAY(hops)		(MEM(REMOTE, REMOTE) | MEM(HOPS, hops))
#define FAR(level, hops)	(HIT(level) | MEM(LVLNUM, ANY_CACHE) | AWAY(hops))
#define RAM(level)		(HIT(level) | MEM(LVLNUM, RAM) | CLEAN)
#define PERSISTENT		(MEM(LVL, HIT) | MEM(LVLNUM, PMEM) | CLEAN)

/* Indexed by SIER_SOURCE; 0: the source is unknown, or depends on SIER_DETAIL */
static const u64 memory_near[8] = {
	[1] = CACHE(L1) | CLEAN,
	[2] = CACHE(L2) | CLEAN,
	[3] = CACHE(L3) | CLEAN,
	[7] = MEM(LVL, MISS) | MEM(LVL, L1),
};

/*
 * For SIER_SOURCE from MEMORY_FIRST on: memory, caches of other cores on the chip, remote caches.
 * Each is indexed by SIER_DETAIL.
 */
#define MEMORY_FIRST	4

static const u64 memory_207[3][8] = {
	{
		HIT(LOC_RAM) | CLEAN, HIT(LOC_RAM) | CLEAN, HIT(REM_RAM1) | CLEAN,
		HIT(REM_RAM2) | CLEAN, HIT(REM_RAM2) | CLEAN, HIT(REM_RAM2) | CLEAN,
		HIT(REM_RAM2) | CLEAN, HIT(REM_RAM2) | CLEAN,
	}, {
		CACHE(L2) | AWAY(0) | CLEAN, CACHE(L2) | AWAY(0) | MODIFIED,
		CACHE(L3) | AWAY(0) | CLEAN, CACHE(L3) | AWAY(0) | MODIFIED,
		CACHE(L3) | AWAY(0) | CLEAN, CACHE(L3) | AWAY(0) | MODIFIED,
	}, {
		HIT(REM_CCE2) | CLEAN, HIT(REM_CCE2) | MODIFIED,
		HIT(REM_CCE2) | CLEAN, HIT(REM_CCE2) | MODIFIED,
		HIT(REM_CCE2), HIT(REM_CCE2), HIT(REM_CCE2), HIT(REM_CCE2),
	},
};

static const u64 memory_31[3][8] = {
	{
		0, RAM(LOC_RAM), PERSISTENT, PERSISTENT,
		RAM(REM_RAM1) | AWAY(2), PERSISTENT | MEM(REMOTE, REMOTE),
		RAM(REM_RAM2) | AWAY(3), PERSISTENT | MEM(REMOTE, REMOTE),
	}, {
		CACHE(L2) | AWAY(0) | CLEAN, CACHE(L2) | AWAY(0) | MODIFIED,
		CACHE(L3) | AWAY(0) | CLEAN, CACHE(L3) | AWAY(0) | MODIFIED,
		CACHE(L2) | AWAY(0) | CLEAN, CACHE(L2) | AWAY(0) | MODIFIED,
		CACHE(L3) | AWAY(0) | CLEAN, CACHE(L3) | AWAY(0) | MODIFIED,
	}, {
		FAR(REM_CCE1, 2) | CLEAN, FAR(REM_CCE1, 2) | MODIFIED,
		FAR(REM_CCE2, 3) | CLEAN, FAR(REM_CCE2, 3) | MODIFIED,
	},
};

/* Returns PERF_MEM_OP_* of the marked instruction, or 0 for other instruction types. */
static u64 memory_operation(unsigned long mmcra, unsigned long sier, bool v31)
{
	switch (SIER_KIND(sier)) {
	case KIND_LOAD:
		return MEM(OP, LOAD);
	case KIND_STORE:
		return MEM(OP, STORE);
	case KIND_RESERVE:
		if (!v31)
			return 0;
		if (MMCRA_ELIGIBLE(mmcra) == ELIGIBLE_LOADS)
			return MEM(OP, LOAD);
		return MMCRA_ELIGIBLE(mmcra) == ELIGIBLE_STORES ? MEM(OP, STORE) : MEM(OP, NA);
	}
	return 0;
}

/**
 * isa207_mem_data_src - decode the data source of a sample
 * @mmcra: MMCRA at the overflow interrupt
 * @sier: SIER at the overflow interrupt
 * @v31: the processor has ISA 3.1
 *
 * Context: any.
 * Return: value for union perf_mem_data_src, PERF_MEM_NA if no load or store is marked.
 */
u64 isa207_mem_data_src(unsigned long mmcra, unsigned long sier, bool v31)
{
	unsigned int source = SIER_SOURCE(sier), detail = SIER_DETAIL(sier);
	u64 operation = memory_operation(mmcra, sier, v31), where;

	if (!(mmcra & MMCRA_SAMPLE_ENABLE) || !operation)
		return PERF_MEM_NA;
	where = memory_near[source];
	if (source >= MEMORY_FIRST && source < MEMORY_FIRST + ARRAY_SIZE(memory_31))
		where = (v31 ? memory_31 : memory_207)[source - MEMORY_FIRST][detail];
	return operation | (where ?: PERF_MEM_NA & ~MEM(OP, NA));
}

/**
 * isa207_memory_weight - decode the latency of a sample
 * @type: attr.sample_type
 * @mmcra: MMCRA at the overflow interrupt
 * @sier: SIER at the overflow interrupt
 * @sier2: SIER2, 0 before ISA 3.1
 * @v31: the processor has ISA 3.1
 *
 * Context: any.
 * Return: cycles of the threshold (0 if the type of the instruction has no latency), and of the
 * pipeline stages for PERF_SAMPLE_WEIGHT_STRUCT; all 0 if no instruction is marked.
 */
union perf_sample_weight isa207_memory_weight(u64 type, unsigned long mmcra, unsigned long sier,
					      unsigned long sier2, bool v31)
{
	u64 cycles = v31 ? MMCRA_CYCLES(mmcra) : MMCRA_CYCLES_207(mmcra);
	union perf_sample_weight weight = {};

	if (!(mmcra & MMCRA_SAMPLE_ENABLE))
		return weight;
	if (SIER_KIND(sier) != KIND_OTHER && (v31 || SIER_KIND(sier) != KIND_RESERVE))
		weight.full = cycles << 2 * MMCRA_EXPONENT(mmcra);
	if (type & PERF_SAMPLE_WEIGHT_STRUCT) {
		weight.var2_w = SIER2_FINISH(sier2);
		weight.var3_w = SIER2_DISPATCH(sier2);
	}
	return weight;
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/memory_test.c"
#endif
