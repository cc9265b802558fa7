// SPDX-License-Identifier: GPL-2.0
/*
 * Event codes of POWER8 and their register values, on any processor.
 *
 * Included at the end of power8.c.
 */
#include "tests/isa207_rows.h"

/* SDAR is updated at each translation miss. */
#define ALWAYS	BIT(42)

static const struct isa207_row power8_rows[] = {
	{ PM_CYC, 0, 1, { .mmcr0 = ONE, .mmcr1 = 0x1e000000, .mmcra = ALWAYS } },
	{ ISA207_RUN_INST, 0, 5, { .mmcr0 = MMCR0_PMCjCE, .mmcr2 = FROZEN_6, .mmcra = ALWAYS } },
	{ PM_L1_PREF, 0, 1, { .mmcr0 = ONE, .mmcr1 = 0xd0000008b8000000, .mmcra = ALWAYS } },
	/* an L1 qualifier, without and with the bit that makes it valid */
	{ 0x31001e, 0, 1, { .mmcr0 = ONE, .mmcr1 = 0x1e000000, .mmcra = ALWAYS } },
	{ 0x51001e, 0, 1, { .mmcr0 = ONE, .mmcr1 = 0x40001e000000, .mmcra = ALWAYS } },
	/* marked, with a sampling mode, a threshold and a compare value */
	{ 0x10401e0, 0, 4, { .mmcr0 = OTHER, .mmcr1 = 0xe0, .mmcra = ALWAYS | 3 } },
	{ 0x0034340401e0, 0, 4, { .mmcr0 = OTHER, .mmcr1 = 0xe0, .mmcra = ALWAYS | 0x13451 } },
	{ 0xa000000401e0, 0, 4, { .mmcr0 = OTHER, .mmcr1 = 0xe0,
				  .mmcra = ALWAYS | 0xa000000001 } },
	/* fabric responses, also with the mark, edge and combine bits */
	{ 0x9c00030156, 0, 3, { .mmcr0 = OTHER, .mmcr1 = 0x9c000005600, .mmcra = ALWAYS | 1 } },
	{ 0x9c00030057, 0, 3, { .mmcr0 = OTHER, .mmcr1 = 0x9c000005700, .mmcra = ALWAYS } },
	{ 0x9c0004f952, 0, 4, { .mmcr0 = OTHER, .mmcr1 = 0xf09c100000052,
				.mmcra = ALWAYS | 1 } },
	/* the compare value is not used with fabric responses */
	{ 0x809c00030156, 0, 3, { .mmcr0 = OTHER, .mmcr1 = 0x9c000005600,
				  .mmcra = ALWAYS | 1 } },
};

static void power8_compute_one(struct kunit *test)
{
	isa207_check_rows(test, &power8_layout, power8_rows, ARRAY_SIZE(power8_rows));
}

static void power8_excludes_idle(struct kunit *test)
{
	isa207_check_idle(test, &power8_layout);
}

static void power8_refuses(struct kunit *test)
{
	static const u64 codes[] = {
		0x50002, 0x70002, 0x10202, 0x10402, BIT_ULL(50) | 2, BIT_ULL(62) | 0x10002,
		/* a compare value that is not normalized */
		BIT_ULL(47) | 2,
		/* an L1 qualifier with an event of L2 */
		0x116080, 0x416080,
	};

	isa207_check_refused(test, &power8_layout, codes, ARRAY_SIZE(codes));
}

static const struct isa207_alternatives power8_alternatives[] = {
	{ 0x10134, 0, { 0x301e2 } },
	{ 0x40138, 0, { 0x10138 } },
	{ 0x18082, 0, { 0x3e05e } },
	{ 0x401e8, 0, { 0x1d14e } },
	{ 0x1e054, 0, { 0x4000a } },
	{ 0x40036, 0, { 0x20036 } },
	{ 0x200f2, 0, { 0x300f2 } },
	{ 0x600f4, 0, { 0x200f4 } },
	{ 0x3012e, 0, { 0x2013c } },
	{ 0x3e054, 0, { 0x400f0 } },
	{ 0x400fa, 0, { 0x500fa } },
	{ 0x1e, 0, {} },
	{ 0x2, 0, {} },
	/* with PPMU_ONLY_COUNT_RUN */
	{ 0x2, PPMU_ONLY_COUNT_RUN, { 0x500fa } },
	{ 0x600f4, PPMU_ONLY_COUNT_RUN, { 0x1e, 0x200f4 } },
};

static void power8_equal_codes(struct kunit *test)
{
	isa207_check_same(test, &power8_layout, power8_alternatives,
			  ARRAY_SIZE(power8_alternatives));
}

static const struct isa207_file power8_names[] = {
	{ "L1-dcache-load-misses", "event=0x3e054\n" },
	{ "L1-dcache-loads", "event=0x100ee\n" },
	{ "L1-dcache-prefetches", "event=0xd8b8\n" },
	{ "L1-dcache-store-misses", "event=0x300f0\n" },
	{ "L1-icache-load-misses", "event=0x200fd\n" },
	{ "L1-icache-loads", "event=0x4080\n" },
	{ "L1-icache-prefetches", "event=0x408e\n" },
	{ "LLC-load-misses", "event=0x300fe\n" },
	{ "LLC-loads", "event=0x4c042\n" },
	{ "LLC-prefetches", "event=0x4e052\n" },
	{ "LLC-store-misses", "event=0x17082\n" },
	{ "LLC-stores", "event=0x17080\n" },
	{ "branch-instructions", "event=0x10068\n" },
	{ "branch-load-misses", "event=0x400f6\n" },
	{ "branch-loads", "event=0x10068\n" },
	{ "branch-misses", "event=0x400f6\n" },
	{ "cache-misses", "event=0x3e054\n" },
	{ "cache-references", "event=0x100ee\n" },
	{ "cpu-cycles", "event=0x1e\n" },
	{ "dTLB-load-misses", "event=0x300fc\n" },
	{ "iTLB-load-misses", "event=0x400fc\n" },
	{ "instructions", "event=0x02\n" },
	{ "mem_access", "event=0x10401e0\n" },
	{ "stalled-cycles-backend", "event=0x4000a\n" },
	{ "stalled-cycles-frontend", "event=0x100f8\n" },
};

static void power8_event_files(struct kunit *test)
{
	isa207_check_files(test, power8_events, power8_names,
			   ARRAY_SIZE(power8_names));
}

static const u64 power8_hardware[PERF_COUNT_HW_MAX] = {
	[HW(CPU_CYCLES)] = 0x1e, [HW(INSTRUCTIONS)] = 0x2,
	[HW(CACHE_REFERENCES)] = 0x100ee, [HW(CACHE_MISSES)] = 0x3e054,
	[HW(BRANCH_INSTRUCTIONS)] = 0x10068, [HW(BRANCH_MISSES)] = 0x400f6,
	[HW(STALLED_CYCLES_FRONTEND)] = 0x100f8, [HW(STALLED_CYCLES_BACKEND)] = 0x4000a,
};

static const struct isa207_cell power8_cells[] = {
	{ C(L1D), C(OP_READ), 0x100ee, 0x3e054 },
	{ C(L1D), C(OP_WRITE), 0, 0x300f0 },
	{ C(L1D), C(OP_PREFETCH), 0xd8b8, 0 },
	{ C(L1I), C(OP_READ), 0x4080, 0x200fd },
	{ C(L1I), C(OP_WRITE), 0x408c, -1 },
	{ C(L1I), C(OP_PREFETCH), 0x408e, 0 },
	{ C(LL), C(OP_READ), 0x4c042, 0x300fe },
	{ C(LL), C(OP_WRITE), 0x17080, 0x17082 },
	{ C(LL), C(OP_PREFETCH), 0x4e052, 0 },
	{ C(DTLB), C(OP_READ), 0, 0x300fc },
	{ C(ITLB), C(OP_READ), 0, 0x400fc },
	{ C(BPU), C(OP_READ), 0x10068, 0x400f6 },
};

static void power8_generic_events(struct kunit *test)
{
	isa207_check_generic(test, power8_generic, ARRAY_SIZE(power8_generic), power8_hardware);
	isa207_check_caches(test, power8_cache, power8_cells, ARRAY_SIZE(power8_cells));
}

/* The versions of POWER8E, POWER8NVL, POWER8 and HX-C2000, and of POWER7+, POWER9 and POWER10 */
static void power8_versions(struct kunit *test)
{
	static const u16 same[] = { 0x4b, 0x4c, 0x4d, 0x66 }, other[] = { 0x4a, 0x4e, 0x80 };
	int i;

	for (i = 0; i < ARRAY_SIZE(same); i++)
		KUNIT_EXPECT_TRUE_MSG(test, power8_is(same[i]), "%#x", same[i]);
	for (i = 0; i < ARRAY_SIZE(other); i++)
		KUNIT_EXPECT_FALSE_MSG(test, power8_is(other[i]), "%#x", other[i]);
}

static struct kunit_case power8_cases[] = {
	KUNIT_CASE(power8_compute_one),
	KUNIT_CASE(power8_excludes_idle),
	KUNIT_CASE(power8_refuses),
	KUNIT_CASE(power8_equal_codes),
	KUNIT_CASE(power8_event_files),
	KUNIT_CASE(power8_generic_events),
	KUNIT_CASE(power8_versions),
	{}
};

static struct kunit_suite power8_suite = {
	.name		= "powerpc_perf_power8",
	.test_cases	= power8_cases,
};

kunit_test_suite(power8_suite);
