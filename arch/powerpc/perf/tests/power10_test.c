// SPDX-License-Identifier: GPL-2.0
/*
 * Event codes of POWER10 and their register values, on any processor.
 *
 * Included at the end of power10.c.
 */
#include "tests/isa207_rows.h"

/* The fixed counters count regardless of the run latch. */
#define FIXED	(MMCR0_PMCjCE | MMCR0_C56RUN)
#define FIRST	(ONE | MMCR0_C56RUN)
#define NEXT	(OTHER | MMCR0_C56RUN)

#define IDLE	(MMCRA_BHRB_DISABLE | 2UL << 42)
#define MARKED	(MMCRA_BHRB_DISABLE | MMCRA_SAMPLE_ENABLE)

static const struct isa207_row power10_rows[] = {
	{ PM_INST_CMPL, 0, 5, { .mmcr0 = FIXED, .mmcr2 = FROZEN_6, .mmcra = IDLE } },
	{ PM_CYC, 0, 6, { .mmcr0 = FIXED, .mmcr2 = FROZEN_5, .mmcra = IDLE } },
	{ PM_LD_REF_L1, 0, 1, { .mmcr0 = FIRST, .mmcr1 = 0xfc000000, .mmcra = IDLE } },
	{ PM_DTLB_MISS, 0, 3, { .mmcr0 = NEXT, .mmcr1 = 0xfc00, .mmcra = IDLE } },
	/* the unit field of PMC4 */
	{ PM_BR_CMPL, 0, 4, { .mmcr0 = NEXT, .mmcr1 = 0x000d00000000005e,
			      .mmcra = IDLE } },
	/* a reload source, without a named counter */
	{ 0x003f00000000c040, 0, 1, { .mmcr0 = FIRST, .mmcr1 = 0xc000000040000000,
				      .mmcr3 = 0x03f0000000000000, .mmcra = IDLE } },
	{ PM_DATA_FROM_L3, 0, 1, { .mmcr0 = FIRST, .mmcr1 = 0xc000000040000000,
				   .mmcr3 = 0x0134000000000000, .mmcra = IDLE } },
	/* an event on an L2/L3 bus, and one of a unit without the bus field */
	{ PM_L2_ST, 0, 4, { .mmcr0 = NEXT, .mmcr1 = 0x0006000000000080, .mmcr2 = 1 << 3,
			    .mmcra = IDLE } },
	{ 0x1f0000017080, 0, 1, { .mmcr0 = FIRST, .mmcr1 = 0x7000000080000000,
				  .mmcra = IDLE } },
	/* a marked event with the compare value 0x101, programmed as 0x40 times 4 */
	{ 0x401e0, 0x101, 4, { .mmcr0 = NEXT, .mmcr1 = 0xe0,
			       .mmcra = MARKED | 0x140UL << 45 } },
	/* the largest compare value, and one that is too large */
	{ 0x401e0, 261120, 4, { .mmcr0 = NEXT, .mmcr1 = 0xe0,
				.mmcra = MARKED | 0x5ffUL << 45 } },
	{ 0x401e0, 0x40000, 4, { .mmcr0 = NEXT, .mmcr1 = 0xe0,
				 .mmcra = MARKED | 0x5ffUL << 45 } },
};

static const struct isa207_pair power10_pairs[] = {
	/* the same bus, different buses, and different values of the unused bus field */
	{ { 0x10000046080, 0x10000016080 }, {}, true },
	{ { 0x10000046080, 0x100000016080 }, {}, false },
	{ { 0x10000047080, 0x100000017080 }, {}, true },
	/* compare values that are equal when programmed, and different ones */
	{ { 0x35340401e0, 0x35340301e0 }, { 0x100, 0x101 }, true },
	{ { 0x35340401e0, 0x35340301e0 }, { 0x100, 0x104 }, false },
	{ { 0x35340401e0, 0x35340301e0 }, { 261120, 0x40000 }, true },
};

static void power10_compatible_pairs(struct kunit *test)
{
	isa207_check_pairs(test, &power10_layout, power10_pairs, ARRAY_SIZE(power10_pairs));
}

static void power10_compute_one(struct kunit *test)
{
	isa207_check_rows(test, &power10_layout, power10_rows, ARRAY_SIZE(power10_rows));
}

static void power10_excludes_idle(struct kunit *test)
{
	isa207_check_idle(test, &power10_layout);
}

static void power10_refuses(struct kunit *test)
{
	static const u64 codes[] = { 0x50002, 0x600fa, 0x70002, BIT_ULL(62) | 0x10002 };

	isa207_check_refused(test, &power10_layout, codes, ARRAY_SIZE(codes));
}

static const struct isa207_alternatives power10_alternatives[] = {
	{ 0x1e, 0, { 0x600f4 } },
	{ 0x600f4, 0, { 0x1e } },
	{ 0x2, 0, { 0x500fa } },
	{ 0x500fa, 0, { 0x2 } },
	{ 0x200f4, 0, {} },
	{ 0x400fa, 0, {} },
	{ 0x100fc, 0, {} },
	/* with PPMU_ONLY_COUNT_RUN */
	{ 0x200f4, PPMU_ONLY_COUNT_RUN, { 0x600f4 } },
	{ 0x600f4, PPMU_ONLY_COUNT_RUN, { 0x1e, 0x200f4 } },
	{ 0x400fa, PPMU_ONLY_COUNT_RUN, { 0x500fa } },
	{ 0x500fa, PPMU_ONLY_COUNT_RUN, { 0x2, 0x400fa } },
};

static void power10_equal_codes(struct kunit *test)
{
	isa207_check_same(test, &power10_layout, power10_alternatives,
			  ARRAY_SIZE(power10_alternatives));
}

static const struct isa207_file power10_names[] = {
	{ "L1-dcache-load-misses", "event=0x3e054\n" },
	{ "L1-dcache-loads", "event=0x100fc\n" },
	{ "L1-dcache-prefetches", "event=0x1002c\n" },
	{ "L1-dcache-store-misses", "event=0x300f0\n" },
	{ "L1-icache-load-misses", "event=0x200fc\n" },
	{ "L1-icache-loads", "event=0x4080\n" },
	{ "L1-icache-prefetches", "event=0x40a0\n" },
	{ "LLC-load-misses", "event=0x300fe\n" },
	{ "LLC-loads", "event=0x1340000001c040\n" },
	{ "LLC-prefetches", "event=0x100000016080\n" },
	{ "LLC-store-misses", "event=0x26880\n" },
	{ "LLC-stores", "event=0x10000046080\n" },
	{ "branch-instructions", "event=0x2f04a\n" },
	{ "branch-load-misses", "event=0x400f6\n" },
	{ "branch-loads", "event=0x4d05e\n" },
	{ "branch-misses", "event=0x3e098\n" },
	{ "cache-misses", "event=0x400f0\n" },
	{ "cache-references", "event=0x100fc\n" },
	{ "cpu-cycles", "event=0x600f4\n" },
	{ "dTLB-load-misses", "event=0x300fc\n" },
	{ "iTLB-load-misses", "event=0x400fc\n" },
	{ "instructions", "event=0x500fa\n" },
	{ "mem-loads", "event=0x35340401e0\n" },
	{ "mem-stores", "event=0x353c0401e0\n" },
};

static void power10_event_files(struct kunit *test)
{
	isa207_check_files(test, power10_events, power10_names,
			   ARRAY_SIZE(power10_names));
}

static const u64 power10_hardware[PERF_COUNT_HW_MAX] = {
	[HW(CPU_CYCLES)] = 0x600f4, [HW(INSTRUCTIONS)] = 0x500fa,
	[HW(CACHE_REFERENCES)] = 0x100fc, [HW(CACHE_MISSES)] = 0x400f0,
	[HW(BRANCH_INSTRUCTIONS)] = 0x2f04a, [HW(BRANCH_MISSES)] = 0x3e098,
};

static const struct isa207_cell power10_cells[] = {
	{ C(L1D), C(OP_READ), 0x100fc, 0x3e054 },
	{ C(L1D), C(OP_WRITE), 0, 0x300f0 },
	{ C(L1D), C(OP_PREFETCH), 0x1002c, 0 },
	{ C(L1I), C(OP_READ), 0x4080, 0x200fc },
	{ C(L1I), C(OP_WRITE), 0x3f00000001c040, -1 },
	{ C(L1I), C(OP_PREFETCH), 0x40a0, 0 },
	{ C(LL), C(OP_READ), 0x1340000001c040, 0x300fe },
	{ C(LL), C(OP_WRITE), 0x10000046080, 0x26880 },
	{ C(LL), C(OP_PREFETCH), 0x100000016080, 0 },
	{ C(DTLB), C(OP_READ), 0, 0x300fc },
	{ C(ITLB), C(OP_READ), 0, 0x400fc },
	{ C(BPU), C(OP_READ), 0x4d05e, 0x400f6 },
};

static void power10_generic_events(struct kunit *test)
{
	isa207_check_generic(test, power10_generic, ARRAY_SIZE(power10_generic), power10_hardware);
	isa207_check_caches(test, power10_cache, power10_cells, ARRAY_SIZE(power10_cells));
}

static struct kunit_case power10_cases[] = {
	KUNIT_CASE(power10_compatible_pairs),
	KUNIT_CASE(power10_compute_one),
	KUNIT_CASE(power10_excludes_idle),
	KUNIT_CASE(power10_refuses),
	KUNIT_CASE(power10_equal_codes),
	KUNIT_CASE(power10_event_files),
	KUNIT_CASE(power10_generic_events),
	{}
};

static struct kunit_suite power10_suite = {
	.name		= "powerpc_perf_power10",
	.test_cases	= power10_cases,
};

kunit_test_suite(power10_suite);
