// SPDX-License-Identifier: GPL-2.0
/*
 * Event codes of ISA 3.0 and their register values, on any processor.
 *
 * Included at the end of compat.c.
 */
#include "tests/isa207_rows.h"

/* SDAR is updated at each miss of the L1 data cache. */
#define IDLE	(2UL << 42)

static const struct isa207_row compat_rows[] = {
	{ PM_INST_CMPL, 0, 5, { .mmcr0 = MMCR0_PMCjCE | MMCR0_C56RUN, .mmcr2 = FROZEN_6,
			       .mmcra = IDLE } },
	{ PM_CYC, 0, 6, { .mmcr0 = MMCR0_PMCjCE | MMCR0_C56RUN, .mmcr2 = FROZEN_5,
			 .mmcra = IDLE } },
	{ 0x100f8, 0, 1, { .mmcr0 = ONE | MMCR0_C56RUN, .mmcr1 = 0xf8000000, .mmcra = IDLE } },
	{ 0x400f6, 0, 4, { .mmcr0 = OTHER | MMCR0_C56RUN, .mmcr1 = 0xf6, .mmcra = IDLE } },
};

static void compat_compute_one(struct kunit *test)
{
	struct isa207_layout layout = compat_layout;

	layout.mmcra = compat_mmcra(false);
	isa207_check_rows(test, &layout, compat_rows, ARRAY_SIZE(compat_rows));
}

/* No event uses the BHRB. */
static void compat_disables_branches(struct kunit *test)
{
	struct isa207_layout layout = compat_layout;
	struct isa207_count count = { .code = PM_CYC, .pmc = 6 };
	struct mmcr_regs mmcr;

	layout.mmcra = compat_mmcra(false);
	isa207_compute_mmcr(&layout, &count, 1, &mmcr);
	KUNIT_EXPECT_EQ(test, mmcr.mmcra, IDLE);
	layout.mmcra = compat_mmcra(true);
	isa207_compute_mmcr(&layout, &count, 1, &mmcr);
	KUNIT_EXPECT_EQ(test, mmcr.mmcra, IDLE | MMCRA_BHRB_DISABLE);
}

static void compat_refuses(struct kunit *test)
{
	/* Invalid: mark, combine, unit, cache_sel, sampling mode and threshold */
	static const u64 codes[] = {
		0x50002, 0x70002, 0x401e0, 0x10402, 0x11002, 0x110002, 0x10401e0, 0x20010002,
	};

	static struct perf_event event;

	isa207_check_refused(test, &compat_layout, codes, ARRAY_SIZE(codes));
	event.attr.config = BIT_ULL(63) | 0x10002;
	KUNIT_EXPECT_EQ(test, compat_check(&event), -EINVAL);
	event.attr.config = 0x10002;
	KUNIT_EXPECT_EQ(test, compat_check(&event), 0);
}

static const struct isa207_alternatives compat_alternatives[] = {
	{ 0x100f0, 0, { 0x600f4 } },
	{ 0x600f4, 0, { 0x100f0 } },
	{ 0x100fe, 0, { 0x500fa } },
	{ 0x500fa, PPMU_ONLY_COUNT_RUN, { 0x100fe } },
	{ 0x300f2, 0, { 0x200f2 } },
	{ 0x400f0, 0, {} },
};

static void compat_equal_codes(struct kunit *test)
{
	isa207_check_same(test, &compat_layout, compat_alternatives,
			  ARRAY_SIZE(compat_alternatives));
}

static const u64 compat_hardware[] = {
	[HW(CPU_CYCLES)] = 0x600f4, [HW(INSTRUCTIONS)] = 0x500fa,
	[HW(CACHE_MISSES)] = 0x400f0, [HW(BRANCH_MISSES)] = 0x400f6,
	[HW(STALLED_CYCLES_FRONTEND)] = 0x100f8,
};

static void compat_generic_events(struct kunit *test)
{
	int i;

	KUNIT_ASSERT_EQ(test, ARRAY_SIZE(compat_generic), ARRAY_SIZE(compat_hardware));
	for (i = 0; i < ARRAY_SIZE(compat_hardware); i++)
		KUNIT_EXPECT_EQ_MSG(test, compat_generic[i], compat_hardware[i], "%d", i);
}

/* The ISA has events for misses only. */
static const struct isa207_cell compat_cells[] = {
	{ C(L1D), C(OP_READ), 0, 0x400f0 },
	{ C(L1D), C(OP_WRITE), 0, 0x300f0 },
	{ C(L1D), C(OP_PREFETCH), 0, 0 },
	{ C(L1I), C(OP_READ), 0, 0x200fc },
	{ C(L1I), C(OP_WRITE), 0, -1 },
	{ C(L1I), C(OP_PREFETCH), 0, 0 },
	{ C(LL), C(OP_READ), 0, 0x300fe },
	{ C(LL), C(OP_WRITE), 0, 0 },
	{ C(LL), C(OP_PREFETCH), 0, 0 },
	{ C(DTLB), C(OP_READ), 0, 0x300fc },
	{ C(ITLB), C(OP_READ), 0, 0x400fc },
	{ C(BPU), C(OP_READ), 0, 0x400f6 },
};

static void compat_cache_events(struct kunit *test)
{
	isa207_check_caches(test, compat_cache, compat_cells, ARRAY_SIZE(compat_cells));
}

static struct kunit_case compat_cases[] = {
	KUNIT_CASE(compat_compute_one),
	KUNIT_CASE(compat_disables_branches),
	KUNIT_CASE(compat_refuses),
	KUNIT_CASE(compat_equal_codes),
	KUNIT_CASE(compat_generic_events),
	KUNIT_CASE(compat_cache_events),
	{}
};

static struct kunit_suite compat_suite = {
	.name		= "powerpc_perf_compat",
	.test_cases	= compat_cases,
};

kunit_test_suite(compat_suite);
