// SPDX-License-Identifier: GPL-2.0
/*
 * Data source and latency decoded from register values, on any processor.
 *
 * Included at the end of memory.c.
 */
#include <kunit/test.h>

#define TEST_LOADS	(5UL << 4 | MMCRA_SAMPLE_ENABLE)
#define TEST_STORES	(7UL << 4 | MMCRA_SAMPLE_ENABLE)

/* SIER of an instruction type and a data source */
#define TEST_SIER(kind, source, detail)						\
	((unsigned long)(kind) << 15 | (unsigned long)(source) << 1 |		\
	 (unsigned long)(detail) << 53 | SIER_SIAR_VALID | SIER_SDAR_VALID)

/* Values of perf_mem_data_src as numbers, since they are ABI */
#define TEST_NOTHING		0x1e05080021ULL
#define TEST_LOAD_UNKNOWN	0x1e05080022ULL

/**
 * struct memory_row - registers of a sample, and the data source expected
 * @mmcra: MMCRA
 * @sier: SIER
 * @v207: the data source before ISA 3.1
 * @v31: the data source from ISA 3.1 on
 */
struct memory_row {
	unsigned long	mmcra;
	unsigned long	sier;
	u64		v207;
	u64		v31;
};

static const struct memory_row memory_rows[] = {
	/* L1, L2 and L3 of the core, and a store that misses L1 */
	{ TEST_LOADS, TEST_SIER(1, 1, 0), 0x200200142, 0x200200142 },
	{ TEST_LOADS, TEST_SIER(1, 2, 0), 0x400200442, 0x400200442 },
	{ TEST_LOADS, TEST_SIER(1, 3, 0), 0x600200842, 0x600200842 },
	{ TEST_STORES, TEST_SIER(2, 7, 0), 0x184, 0x184 },
	/* local, remote and persistent memory */
	{ TEST_LOADS, TEST_SIER(1, 4, 1), 0x201042, 0x1a00201042 },
	{ TEST_LOADS, TEST_SIER(1, 4, 2), 0x202042, 0x1c00200042 },
	{ TEST_LOADS, TEST_SIER(1, 4, 4), 0x204042, 0x183a00202042 },
	{ TEST_LOADS, TEST_SIER(1, 4, 5), 0x204042, 0x3c00200042 },
	{ TEST_LOADS, TEST_SIER(1, 4, 6), 0x204042, 0x203a00204042 },
	/* caches of other cores */
	{ TEST_LOADS, TEST_SIER(1, 5, 1), 0x82400800442, 0x82400800442 },
	{ TEST_LOADS, TEST_SIER(1, 5, 3), 0x82600800842, 0x82600800842 },
	{ TEST_LOADS, TEST_SIER(1, 5, 4), 0x82600200842, 0x82400200442 },
	{ TEST_LOADS, TEST_SIER(1, 6, 0), 0x210042, 0x183600208042 },
	{ TEST_LOADS, TEST_SIER(1, 6, 3), 0x810042, 0x203600810042 },
	/* no data source */
	{ TEST_LOADS, TEST_SIER(1, 0, 0), TEST_LOAD_UNKNOWN, TEST_LOAD_UNKNOWN },
	/* larx and stcx */
	{ TEST_LOADS, TEST_SIER(7, 1, 0), TEST_NOTHING, 0x200200142 },
	{ TEST_STORES, TEST_SIER(7, 7, 0), TEST_NOTHING, 0x184 },
	/* a branch, and an unmarked load */
	{ TEST_LOADS, TEST_SIER(3, 1, 0), TEST_NOTHING, TEST_NOTHING },
	{ 5UL << 4, TEST_SIER(1, 1, 0), TEST_NOTHING, TEST_NOTHING },
};

static void memory_sources(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(memory_rows); i++) {
		const struct memory_row *row = &memory_rows[i];

		KUNIT_EXPECT_EQ_MSG(test, isa207_mem_data_src(row->mmcra, row->sier, false),
				    row->v207, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, isa207_mem_data_src(row->mmcra, row->sier, true),
				    row->v31, "row %d", i);
	}
}

/* The threshold counter is a mantissa and a base-4 exponent. */
static void memory_cycles(struct kunit *test)
{
	const unsigned long mmcra = TEST_LOADS | 0xffUL << 19 | 3UL << 27;
	const unsigned long load = TEST_SIER(1, 1, 0), larx = TEST_SIER(7, 1, 0);
	const u64 type = PERF_SAMPLE_WEIGHT;

	KUNIT_EXPECT_EQ(test, isa207_memory_weight(type, mmcra, load, 0, false).full, 0x7f * 64);
	KUNIT_EXPECT_EQ(test, isa207_memory_weight(type, mmcra, load, 0, true).full, 0xff * 64);
	KUNIT_EXPECT_EQ(test, isa207_memory_weight(type, mmcra, larx, 0, false).full, 0);
	KUNIT_EXPECT_EQ(test, isa207_memory_weight(type, mmcra, larx, 0, true).full, 0xff * 64);
	KUNIT_EXPECT_EQ(test, isa207_memory_weight(type, mmcra, 0, 0, true).full, 0);
	KUNIT_EXPECT_EQ(test, isa207_memory_weight(type, mmcra & ~MMCRA_SAMPLE_ENABLE, load, 0,
						   true).full, 0);
}

static void memory_stages(struct kunit *test)
{
	const unsigned long mmcra = TEST_LOADS | 0x12UL << 19, sier = TEST_SIER(1, 1, 0);
	const unsigned long sier2 = 0x723UL << 50 | 0x456UL << 26 | 1UL << 61 | 1UL << 37;
	union perf_sample_weight weight;

	weight = isa207_memory_weight(PERF_SAMPLE_WEIGHT_STRUCT, mmcra, sier, sier2, true);
	KUNIT_EXPECT_EQ(test, weight.var1_dw, 0x12);
	KUNIT_EXPECT_EQ(test, weight.var2_w, 0x456);
	KUNIT_EXPECT_EQ(test, weight.var3_w, 0x723);
	weight = isa207_memory_weight(PERF_SAMPLE_WEIGHT, mmcra, sier, sier2, true);
	KUNIT_EXPECT_EQ(test, weight.full, 0x12);
}

static struct kunit_case memory_cases[] = {
	KUNIT_CASE(memory_sources),
	KUNIT_CASE(memory_cycles),
	KUNIT_CASE(memory_stages),
	{}
};

static struct kunit_suite memory_suite = {
	.name		= "powerpc_perf_memory",
	.test_cases	= memory_cases,
};

kunit_test_suite(memory_suite);
