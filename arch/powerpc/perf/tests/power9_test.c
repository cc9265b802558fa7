// SPDX-License-Identifier: GPL-2.0
/*
 * Event codes of POWER9 and their register values, on any processor.
 *
 * Included at the end of power9.c.
 */
#include "tests/isa207_rows.h"

/* SDAR is updated at each miss of the L1 data cache. */
#define IDLE	(2UL << 42)

static const struct isa207_row power9_rows[] = {
	{ PM_CYC, 0, 1, { .mmcr0 = ONE, .mmcr1 = 0x1e000000, .mmcra = IDLE } },
	{ ISA207_RUN_INST, 0, 5, { .mmcr0 = MMCR0_PMCjCE, .mmcr2 = FROZEN_6, .mmcra = IDLE } },
	{ PM_BR_CMPL, 0, 4, { .mmcr0 = OTHER, .mmcr1 = 0xd00000000005e, .mmcra = IDLE } },
	/* L1 qualifier, combine, condition of SDAR updates */
	{ 0x31001e, 0, 1, { .mmcr0 = ONE, .mmcr1 = 0xc0001e000000, .mmcra = IDLE } },
	{ 0x10c1e, 0, 1, { .mmcr0 = ONE, .mmcr1 = 0xc01e000000, .mmcra = IDLE } },
	{ 0x400000001001e, 0, 1, { .mmcr0 = ONE, .mmcr1 = 0x1e000000, .mmcra = 1UL << 42 } },
	/* marked loads with a threshold */
	{ 0x34340401e0, 0, 4, { .mmcr0 = OTHER, .mmcr1 = 0xe0, .mmcra = 0x13451 } },
	{ 0xa034340401e0, 0, 4, { .mmcr0 = OTHER, .mmcr1 = 0xe0, .mmcra = 0x14000000013451 } },
	/* without a threshold the compare value is not checked */
	{ 0x8000000401e0, 0, 4, { .mmcr0 = OTHER, .mmcr1 = 0xe0, .mmcra = 0x10000000000001 } },
	{ 0x3ff000001001e, 0, 1, { .mmcr0 = ONE, .mmcr1 = 0x1e000000,
				   .mmcra = 0x7fe80000000000 } },
};

static void power9_compute_one(struct kunit *test)
{
	isa207_check_rows(test, &power9_layout, power9_rows, ARRAY_SIZE(power9_rows));
}

static void power9_excludes_idle(struct kunit *test)
{
	isa207_check_idle(test, &power9_layout);
}

static void power9_refuses(struct kunit *test)
{
	static const u64 codes[] = {
		0x50002, 0x70002, 0x10202, BIT_ULL(52) | 2, BIT_ULL(62) | 0x10002,
		/* invalid start and stop events, and sampling modes */
		0xf00000002, 0xf000000002, 0x3000002, 0x5000002, 0x1e000002,
		/* a compare value that is not normalized */
		0x8034340401e0, 0x9f34340401e0,
	};

	isa207_check_refused(test, &power9_layout, codes, ARRAY_SIZE(codes));
}

static const struct isa207_alternatives power9_alternatives[] = {
	{ 0x20036, 0, { 0x40036 } },
	{ 0x300f2, 0, { 0x200f2 } },
	{ 0x200f4, 0, { 0x600f4 } },
	{ 0x400f0, 0, { 0x3e054 } },
	{ 0x500fa, 0, { 0x400fa } },
	{ 0x1e, 0, {} },
	{ 0x2, 0, {} },
	/* with PPMU_ONLY_COUNT_RUN */
	{ 0x1e, PPMU_ONLY_COUNT_RUN, { 0x600f4 } },
	{ 0x500fa, PPMU_ONLY_COUNT_RUN, { 0x2, 0x400fa } },
};

static void power9_equal_codes(struct kunit *test)
{
	isa207_check_same(test, &power9_layout, power9_alternatives,
			  ARRAY_SIZE(power9_alternatives));
}

static const struct isa207_file power9_names[] = {
	{ "L1-dcache-load-misses", "event=0x2c04e\n" },
	{ "L1-dcache-loads", "event=0x100fc\n" },
	{ "L1-dcache-prefetches", "event=0x20054\n" },
	{ "L1-dcache-store-misses", "event=0x300f0\n" },
	{ "L1-icache-load-misses", "event=0x200fd\n" },
	{ "L1-icache-loads", "event=0x4080\n" },
	{ "L1-icache-prefetches", "event=0x488c\n" },
	{ "LLC-load-misses", "event=0x300fe\n" },
	{ "LLC-loads", "event=0x4c042\n" },
	{ "LLC-prefetches", "event=0x4e052\n" },
	{ "branch-instructions", "event=0x4d05e\n" },
	{ "branch-load-misses", "event=0x400f6\n" },
	{ "branch-loads", "event=0x4d05e\n" },
	{ "branch-misses", "event=0x400f6\n" },
	{ "cache-misses", "event=0x2c04e\n" },
	{ "cache-references", "event=0x100fc\n" },
	{ "cpu-cycles", "event=0x1e\n" },
	{ "dTLB-load-misses", "event=0x300fc\n" },
	{ "iTLB-load-misses", "event=0x400fc\n" },
	{ "instructions", "event=0x02\n" },
	{ "mem-loads", "event=0x34340401e0\n" },
	{ "mem-stores", "event=0x343c0401e0\n" },
	{ "stalled-cycles-backend", "event=0x1e054\n" },
	{ "stalled-cycles-frontend", "event=0x100f8\n" },
};

static void power9_event_files(struct kunit *test)
{
	isa207_check_files(test, power9_events, power9_names,
			   ARRAY_SIZE(power9_names));
}

static bool power9_has_wrong(unsigned int pvr, int code)
{
	struct power_pmu driver = {};
	int i;

	power9_set_blacklist(&driver, pvr);
	for (i = 0; i < driver.n_blacklist_ev; i++) {
		if (driver.blacklist_ev[i] == code)
			return true;
	}
	return false;
}

/* Each revision refuses the events that it counts incorrectly: an event of 2.1, and one of 2.2. */
static void power9_wrong_by_version(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, power9_has_wrong(0x004e1201, 0x4505e));
	KUNIT_EXPECT_FALSE(test, power9_has_wrong(0x004e1201, 0x1c058));
	KUNIT_EXPECT_TRUE(test, power9_has_wrong(0x004e1202, 0x1c058));
	KUNIT_EXPECT_FALSE(test, power9_has_wrong(0x004e1202, 0x4505e));
	KUNIT_EXPECT_FALSE(test, power9_has_wrong(0x004e1203, 0x4505e));
	KUNIT_EXPECT_FALSE(test, power9_has_wrong(0x004e1203, 0x4003c));
}

static const u64 power9_hardware[PERF_COUNT_HW_MAX] = {
	[HW(CPU_CYCLES)] = 0x1e, [HW(INSTRUCTIONS)] = 0x2,
	[HW(CACHE_REFERENCES)] = 0x100fc, [HW(CACHE_MISSES)] = 0x2c04e,
	[HW(BRANCH_INSTRUCTIONS)] = 0x4d05e, [HW(BRANCH_MISSES)] = 0x400f6,
	[HW(STALLED_CYCLES_FRONTEND)] = 0x100f8, [HW(STALLED_CYCLES_BACKEND)] = 0x1e054,
};

static const struct isa207_cell power9_cells[] = {
	{ C(L1D), C(OP_READ), 0x100fc, 0x2c04e },
	{ C(L1D), C(OP_WRITE), 0, 0x300f0 },
	{ C(L1D), C(OP_PREFETCH), 0x20054, 0 },
	{ C(L1I), C(OP_READ), 0x4080, 0x200fd },
	{ C(L1I), C(OP_WRITE), 0x408c, -1 },
	{ C(L1I), C(OP_PREFETCH), 0x488c, 0 },
	{ C(LL), C(OP_READ), 0x4c042, 0x300fe },
	{ C(LL), C(OP_WRITE), 0, 0 },
	{ C(LL), C(OP_PREFETCH), 0x4e052, 0 },
	{ C(DTLB), C(OP_READ), 0, 0x300fc },
	{ C(ITLB), C(OP_READ), 0, 0x400fc },
	{ C(BPU), C(OP_READ), 0x4d05e, 0x400f6 },
};

static void power9_generic_events(struct kunit *test)
{
	isa207_check_generic(test, power9_generic, ARRAY_SIZE(power9_generic), power9_hardware);
	isa207_check_caches(test, power9_cache, power9_cells, ARRAY_SIZE(power9_cells));
}

static struct kunit_case power9_cases[] = {
	KUNIT_CASE(power9_compute_one),
	KUNIT_CASE(power9_excludes_idle),
	KUNIT_CASE(power9_refuses),
	KUNIT_CASE(power9_equal_codes),
	KUNIT_CASE(power9_event_files),
	KUNIT_CASE(power9_generic_events),
	KUNIT_CASE(power9_wrong_by_version),
	{}
};

static struct kunit_suite power9_suite = {
	.name		= "powerpc_perf_power9",
	.test_cases	= power9_cases,
};

kunit_test_suite(power9_suite);
