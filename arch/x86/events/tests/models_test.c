// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of all rows in the tables of models, for consistency
 */
#include <asm/cpu_device_id.h>
#include <asm/msr-index.h>

#include "models.h"

/* A table of models, and the mask of the counters that its models may have */
struct models_table {
	const char			*name;
	const struct x86_cpu_id		*lines;
	u64				counters;
};

#define MODELS_INTEL	(X86_GENERAL(INTEL_PMC_MAX_GENERIC) |			\
			 X86_GENERAL(INTEL_PMC_MAX_FIXED) << INTEL_PMC_IDX_FIXED)

static const struct models_table models_tables[] = {
#ifdef CONFIG_CPU_SUP_INTEL
	{ "intel core", x86_intel_core_models, MODELS_INTEL },
	{ "intel nehalem", x86_intel_nehalem_models, MODELS_INTEL },
	{ "intel atom", x86_intel_atom_models, MODELS_INTEL },
	{ "intel old", x86_intel_old_models, MODELS_INTEL },
#endif
#ifdef CONFIG_CPU_SUP_AMD
	{ "amd", x86_amd_models, X86_GENERAL(AMD64_NUM_COUNTERS_CORE) },
#endif
#if defined(CONFIG_CPU_SUP_ZHAOXIN) || defined(CONFIG_CPU_SUP_CENTAUR)
	{ "zhaoxin", x86_zhaoxin_models, MODELS_INTEL },
#endif
};

static void models_name(const struct models_table *table, char *name)
{
	strscpy(name, table->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(models, models_tables, models_name);

#define for_each_line(line, table)						\
	for ((line) = (table)->lines; models_is_line(line); (line)++)

static void models_check_config(struct kunit *test, const struct x86_model *row, u64 config)
{
	if (config == X86_IMPOSSIBLE)
		return;
	KUNIT_EXPECT_EQ_MSG(test, config & ~row->config_mask, 0, "%s: config %#llx",
			    row->name, config);
}

/* Generic and cache events set only bits that are valid for raw events. */
static void models_configs(struct kunit *test)
{
	const struct models_table *table = test->param_value;
	const struct x86_cpu_id *line;

	for_each_line(line, table) {
		const struct x86_model *row = models_row(line);
		const u64 *cache;
		int i;

		KUNIT_ASSERT_NOT_NULL(test, row);
		KUNIT_EXPECT_NOT_NULL(test, row->name);
		KUNIT_EXPECT_NOT_NULL_MSG(test, row->format, "%s", row->name);
		KUNIT_EXPECT_TRUE_MSG(test, row->probe || (row->msrs && row->counters),
				      "%s: no registers", row->name);
		for (i = 0; row->generic && i < PERF_COUNT_HW_MAX; i++)
			models_check_config(test, row, row->generic[i]);
		if (!row->cache)
			continue;
		cache = &(*row->cache)[0][0][0];
		for (i = 0; i < sizeof(*row->cache) / sizeof(u64); i++)
			models_check_config(test, row, cache[i]);
	}
}

/* Does an earlier limit match all configs of a later one? */
static bool models_hides(const struct x86_limit *early, const struct x86_limit *late)
{
	u64 first = late->first & early->mask, last = late->last & early->mask;

	if (early->mask & ~late->mask)
		return false;
	if (first != last && early->mask != late->mask)
		return false;
	return first >= early->first && last <= early->last;
}

/* Do the ranges of two limits overlap, without one range containing the other? */
static bool models_cuts(const struct x86_limit *early, const struct x86_limit *late)
{
	return early->mask == late->mask && early->first < late->first &&
	       late->first <= early->last && early->last < late->last;
}

static void models_check_limits(struct kunit *test, const struct models_table *table,
				const struct x86_model *row, const struct x86_limit *limits)
{
	u64 counters = row->counters ?: table->counters;
	const struct x86_limit *limit, *early;

	for (limit = limits; limit && limit->mask; limit++) {
		int n = limit - limits;

		KUNIT_EXPECT_EQ_MSG(test, limit->counters & ~counters, 0, "%s: limit %d",
				    row->name, n);
		KUNIT_EXPECT_EQ_MSG(test, (limit->first | limit->last) & ~limit->mask, 0,
				    "%s: limit %d matches nothing", row->name, n);
		KUNIT_EXPECT_TRUE_MSG(test, row->merge || !(limit->flags & X86_LIMIT_PAIR),
				      "%s: limit %d is a pair", row->name, n);
		KUNIT_EXPECT_TRUE_MSG(test, row->accesses ||
				      !(limit->flags & (X86_LIMIT_LATENCY |
							X86_LIMIT_STORE_LATENCY)),
				      "%s: limit %d has no data source", row->name, n);
		KUNIT_EXPECT_LE_MSG(test, limit->first, limit->last, "%s: limit %d",
				    row->name, n);
		/* The unit mask is above the code: a range would include other codes. */
		KUNIT_EXPECT_TRUE_MSG(test, limit->first == limit->last ||
				      !(limit->mask & ARCH_PERFMON_EVENTSEL_UMASK),
				      "%s: limit %d is a range of unit masks", row->name, n);
		for (early = limits; early < limit; early++) {
			KUNIT_EXPECT_FALSE_MSG(test, models_hides(early, limit),
					       "%s: limit %d hides %d", row->name,
					       (int)(early - limits), n);
			KUNIT_EXPECT_FALSE_MSG(test, models_cuts(early, limit) ||
					       models_cuts(limit, early),
					       "%s: limits %d and %d overlap", row->name,
					       (int)(early - limits), n);
		}
	}
}

/* Limits have only existing counters, and no limit is hidden by an earlier one. */
static void models_limits(struct kunit *test)
{
	const struct models_table *table = test->param_value;
	const struct x86_cpu_id *line;

	for_each_line(line, table) {
		const struct x86_model *row = models_row(line);

		models_check_limits(test, table, row, row->limits);
		models_check_limits(test, table, row, row->precise);
		models_check_limits(test, table, row, row->distributed);
		models_check_limits(test, table, row, row->branch_limits);
	}
}

/* The threads of a core share the offcore response registers on Nehalem and Westmere only. */
static bool models_shares(const struct x86_model *row, u32 msr)
{
	return (!strcmp(row->name, "nehalem") || !strcmp(row->name, "westmere")) &&
	       (msr == MSR_OFFCORE_RSP_0 || msr == MSR_OFFCORE_RSP_1);
}

/* The cores of a module share the offcore response registers on Silvermont. */
static bool models_shares_module(const struct x86_model *row, u32 msr)
{
	return !strcmp(row->name, "silvermont") &&
	       (msr == MSR_OFFCORE_RSP_0 || msr == MSR_OFFCORE_RSP_1);
}

/* Extra registers: values of cache events are valid, and twins are consistent. */
static void models_extras(struct kunit *test)
{
	const struct models_table *table = test->param_value;
	const struct x86_cpu_id *line;

	for_each_line(line, table) {
		const struct x86_model *row = models_row(line);
		const struct x86_extra *extra;
		const u64 *cache, *values;
		int i;

		for (extra = row->extra; extra && extra->msr; extra++) {
			const struct x86_extra *twin = extra + (extra->twin > 0 ? 1 : -1);

			KUNIT_EXPECT_NE_MSG(test, extra->valid, 0, "%s", row->name);
			KUNIT_EXPECT_EQ_MSG(test, extra->per_core, models_shares(row, extra->msr),
					    "%s: msr %#x", row->name, extra->msr);
			KUNIT_EXPECT_EQ_MSG(test, extra->per_module,
					    models_shares_module(row, extra->msr),
					    "%s: msr %#x", row->name, extra->msr);
			/* x86_model::get_sel selects the extra register without the config. */
			if (row->get_sel)
				continue;
			KUNIT_EXPECT_PTR_EQ_MSG(test, models_extra_of(row, extra->first), extra,
						"%s: msr %#x is hidden", row->name, extra->msr);
			if (!extra->twin)
				continue;
			KUNIT_EXPECT_GE(test, twin - row->extra, 0);
			KUNIT_EXPECT_EQ_MSG(test, twin->first, extra->first + extra->twin, "%s",
					    row->name);
			KUNIT_EXPECT_EQ_MSG(test, twin->twin, -extra->twin, "%s", row->name);
			KUNIT_EXPECT_NE_MSG(test, twin->msr, extra->msr, "%s", row->name);
		}
		if (!row->cache)
			continue;
		cache = &(*row->cache)[0][0][0];
		values = row->cache_extra ? &(*row->cache_extra)[0][0][0] : NULL;
		for (i = 0; i < sizeof(*row->cache) / sizeof(u64); i++) {
			u64 value = values ? values[i] : 0;

			extra = row->get_sel ? NULL : models_extra_of(row, cache[i]);
			if (cache[i] == X86_IMPOSSIBLE)
				extra = NULL;
			KUNIT_EXPECT_EQ_MSG(test, !extra, !value, "%s: cache event %d", row->name,
					    i);
			if (extra && value != X86_IMPOSSIBLE)
				KUNIT_EXPECT_EQ_MSG(test, value & ~extra->valid, 0,
						    "%s: cache event %d", row->name, i);
		}
	}
}

/* Does an earlier line match all CPUs of a later one? */
static bool models_shadows(const struct x86_cpu_id *early, const struct x86_cpu_id *late)
{
	if (early->vendor != late->vendor)
		return false;
	if (early->family != X86_FAMILY_ANY && early->family != late->family)
		return false;
	if (early->model != X86_MODEL_ANY && early->model != late->model)
		return false;
	if (early->steppings != X86_STEPPING_ANY &&
	    (late->steppings == X86_STEPPING_ANY || late->steppings & ~early->steppings))
		return false;
	return early->feature == X86_FEATURE_ANY || early->feature == late->feature;
}

/* No line is hidden by an earlier one. */
static void models_lines(struct kunit *test)
{
	const struct models_table *table = test->param_value;
	const struct x86_cpu_id *line, *early;

	for_each_line(line, table) {
		for (early = table->lines; early < line; early++)
			KUNIT_EXPECT_FALSE_MSG(test, models_shadows(early, line),
					       "line %d hides %d: vendor %d family %#x model %#x",
					       (int)(early - table->lines),
					       (int)(line - table->lines), line->vendor,
					       line->family, line->model);
	}
}

/* P-cores of hybrid CPUs have the PMU "cpu_core", even if CPUID does not report a hybrid CPU. */
static void models_kind(struct kunit *test)
{
	const struct models_table *table = test->param_value;
	const struct x86_cpu_id *line;

	for_each_line(line, table) {
		const struct x86_model *row = models_row(line);
		u8 kind = strstr(row->name, "_hybrid") ? X86_KIND_CORE : 0;

		KUNIT_EXPECT_EQ_MSG(test, x86_model_kind(row), kind, "%s", row->name);
	}
}

static struct kunit_case models_cases[] = {
	KUNIT_CASE_PARAM(models_configs, models_gen_params),
	KUNIT_CASE_PARAM(models_limits, models_gen_params),
	KUNIT_CASE_PARAM(models_extras, models_gen_params),
	KUNIT_CASE_PARAM(models_lines, models_gen_params),
	KUNIT_CASE_PARAM(models_kind, models_gen_params),
	{ }
};

static struct kunit_suite models_suite = {
	.name		= "x86_models",
	.test_cases	= models_cases,
};

kunit_test_suite(models_suite);
