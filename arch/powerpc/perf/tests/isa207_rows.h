/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks of a processor's tables: the register values of single events. Used by the KUnit suites of
 * all tables, on any processor.
 */
#ifndef _POWERPC_PERF_TESTS_ISA207_ROWS_H
#define _POWERPC_PERF_TESTS_ISA207_ROWS_H

#include <kunit/test.h>
#include "../isa207.h"
#include "../tables.h"

/* MMCR0 of an event on PMC1, and on PMC2 to PMC4 */
#define ONE	(MMCR0_PMC1CE | MMCR0_FC56)
#define OTHER	(MMCR0_PMCjCE | MMCR0_FC56)

/* MMCR2: with an event on only one of PMC5 and PMC6, both values of PMM freeze the other one. */
#define FROZEN_5	(BIT(24) | BIT(23))
#define FROZEN_6	(BIT(15) | BIT(14))

/**
 * struct isa207_row - an event and its register values
 * @code: the event code
 * @config1: attr.config1
 * @pmc: the counter
 * @mmcr: the register values expected
 */
struct isa207_row {
	u64			code;
	u64			config1;
	int			pmc;
	struct mmcr_regs	mmcr;
};

static inline void isa207_check_rows(struct kunit *test, const struct isa207_layout *layout,
				     const struct isa207_row *rows, int n)
{
	unsigned long mask, value;
	int i, found;

	for (i = 0; i < n; i++) {
		const struct isa207_row *row = &rows[i];
		struct isa207_count count = {
			.code = row->code, .config1 = row->config1, .pmc = row->pmc,
		};
		struct mmcr_regs mmcr = {};

		found = isa207_constrain_by(layout, row->code, &mask, &value, 0);
		KUNIT_EXPECT_EQ_MSG(test, found, 0, "%llx", row->code);
		isa207_compute_mmcr(layout, &count, 1, &mmcr);
		KUNIT_EXPECT_EQ_MSG(test, mmcr.mmcr0, row->mmcr.mmcr0, "%llx", row->code);
		KUNIT_EXPECT_EQ_MSG(test, mmcr.mmcr1, row->mmcr.mmcr1, "%llx", row->code);
		KUNIT_EXPECT_EQ_MSG(test, mmcr.mmcr2, row->mmcr.mmcr2, "%llx", row->code);
		KUNIT_EXPECT_EQ_MSG(test, mmcr.mmcr3, row->mmcr.mmcr3, "%llx", row->code);
		KUNIT_EXPECT_EQ_MSG(test, mmcr.mmcra, row->mmcr.mmcra, "%llx", row->code);
	}
}

static inline void isa207_check_refused(struct kunit *test, const struct isa207_layout *layout,
					const u64 *codes, int n)
{
	unsigned long mask, value;
	int i, found;

	for (i = 0; i < n; i++) {
		found = isa207_constrain_by(layout, codes[i], &mask, &value, 0);
		KUNIT_EXPECT_EQ_MSG(test, found, -1, "%llx", codes[i]);
	}
}

/**
 * struct isa207_pair - two events
 * @code: the event codes
 * @config1: attr.config1 of each
 * @together: both can be counted at once
 */
struct isa207_pair {
	u64	code[2];
	u64	config1[2];
	bool	together;
};

static inline void isa207_check_pairs(struct kunit *test, const struct isa207_layout *layout,
				      const struct isa207_pair *pairs, int n)
{
	const struct power_rules rules = {
		.add_fields = ISA207_COUNTED_BY, .test_adder = ISA207_FULL_BY,
	};
	struct power_pick picks[2] = {};
	struct power_code codes[2] = {};
	int i, j, found;

	for (i = 0; i < n; i++) {
		for (j = 0; j < 2; j++) {
			codes[j].pmc = ISA207_PMC(pairs[i].code[j]);
			codes[j].needs_pmc4 = isa207_is_limited_l2l3(layout, pairs[i].code[j]);
			codes[j].on_pmc4 = codes[j].needs_pmc4 && codes[j].pmc == POWER_ANY_LAST;
			picks[j].alts = (struct power_alternatives){ &codes[j], 1 };
			found = isa207_constrain_by(layout, pairs[i].code[j], &codes[j].mask,
						    &codes[j].value, pairs[i].config1[j]);
			KUNIT_EXPECT_EQ(test, found, 0);
		}
		KUNIT_EXPECT_EQ_MSG(test, power_assign(&rules, picks, 2), pairs[i].together,
				    "%llx %llx", pairs[i].code[0], pairs[i].code[1]);
	}
}

/* exclude_idle sets one freeze bit of the event's counter in MMCR2: that of the wait state. */
static inline void isa207_check_idle(struct kunit *test, const struct isa207_layout *layout)
{
	int pmc;

	for (pmc = 1; pmc <= 6; pmc++) {
		struct isa207_count count = {
			.code = pmc == 5 ? ISA207_RUN_INST : pmc == 6 ? ISA207_RUN_CYC :
				pmc << 16 | ISA207_ANY_CYC,
			.modes = POWER_NOT_IDLE, .pmc = pmc,
		};
		unsigned long others = pmc == 5 ? FROZEN_6 : pmc == 6 ? FROZEN_5 : 0;
		struct mmcr_regs mmcr = {};

		isa207_compute_mmcr(layout, &count, 1, &mmcr);
		KUNIT_EXPECT_EQ_MSG(test, mmcr.mmcr2, others | BIT(58 - 9 * (pmc - 1)), "%d", pmc);
	}
}

/**
 * struct isa207_alternatives - alternatives of an event
 * @code: the event code
 * @flags: argument of isa207_get_alternatives_by()
 * @same: the other codes in any order, ended by 0
 */
struct isa207_alternatives {
	u64		code;
	unsigned int	flags;
	u64		same[3];
};

static inline bool isa207_has_code(const u64 *codes, int n, u64 code)
{
	while (n--) {
		if (codes[n] == code)
			return true;
	}
	return false;
}

static inline void isa207_check_same(struct kunit *test, const struct isa207_layout *layout,
				     const struct isa207_alternatives *rows, int n)
{
	u64 codes[MAX_EVENT_ALTERNATIVES];
	int i, j, found;

	for (i = 0; i < n; i++) {
		const struct isa207_alternatives *row = &rows[i];

		found = isa207_get_alternatives_by(layout, row->code, row->flags, codes);
		KUNIT_EXPECT_EQ_MSG(test, codes[0], row->code, "%llx", row->code);
		for (j = 0; j < ARRAY_SIZE(row->same) && row->same[j]; j++)
			KUNIT_EXPECT_TRUE_MSG(test, isa207_has_code(codes, found, row->same[j]),
					      "%llx is not %llx", row->same[j], row->code);
		KUNIT_EXPECT_EQ_MSG(test, found, j + 1, "%llx", row->code);
	}
}

/**
 * struct isa207_file - a file in events/
 * @name: the name
 * @text: the text expected
 */
struct isa207_file {
	const char	*name;
	const char	*text;
};

static inline void isa207_check_files(struct kunit *test, struct attribute **attrs,
				      const struct isa207_file *files, int n)
{
	char *page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	struct device_attribute *attr;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, page);
	for (i = 0; i < n && attrs[i]; i++) {
		attr = container_of(attrs[i], struct device_attribute, attr);
		attr->show(NULL, attr, page);
		KUNIT_EXPECT_STREQ(test, attrs[i]->name, files[i].name);
		KUNIT_EXPECT_STREQ_MSG(test, page, files[i].text, "%s", files[i].name);
	}
	KUNIT_EXPECT_EQ(test, i, n);
	KUNIT_EXPECT_NULL(test, attrs[i]);
}

/* The table has exactly the generic events of @codes; 0: no such event. */
static inline void isa207_check_generic(struct kunit *test, const int *table, int n,
					const u64 codes[PERF_COUNT_HW_MAX])
{
	int i;

	for (i = 0; i < PERF_COUNT_HW_MAX; i++)
		KUNIT_EXPECT_EQ_MSG(test, i < n ? (u64)table[i] : 0, codes[i], "event %d", i);
}

/**
 * struct isa207_cell - a cache and an operation
 * @cache: PERF_COUNT_HW_CACHE_*
 * @op: PERF_COUNT_HW_CACHE_OP_*
 * @access: the code for accesses; 0: not supported
 * @miss: the code for misses; 0: not supported
 */
struct isa207_cell {
	int	cache;
	int	op;
	u64	access;
	u64	miss;
};

/* The table must have -1 for all pairs that are not in @cells. */
static inline void isa207_check_caches(struct kunit *test, power_cache_table table,
				       const struct isa207_cell *cells, int n)
{
	int cache, op, i;

	for (cache = 0; cache < C(MAX); cache++) {
		for (op = 0; op < C(OP_MAX); op++) {
			u64 access = -1, miss = -1;

			for (i = 0; i < n; i++) {
				if (cells[i].cache != cache || cells[i].op != op)
					continue;
				access = cells[i].access;
				miss = cells[i].miss;
			}
			KUNIT_EXPECT_EQ_MSG(test, table[cache][op][C(RESULT_ACCESS)], access,
					    "cache %d, operation %d", cache, op);
			KUNIT_EXPECT_EQ_MSG(test, table[cache][op][C(RESULT_MISS)], miss,
					    "cache %d, operation %d", cache, op);
		}
	}
}

#endif
