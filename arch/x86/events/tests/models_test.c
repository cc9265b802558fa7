// SPDX-License-Identifier: GPL-2.0
/*
 * All rows of all models: do their parts agree with one another?
 */
#include <kunit/test.h>

#include "../engine.h"

/* A table of CPUs, and the counters that any of its rows may have. */
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

/* As x86_match_cpu() knows the end of a table. */
static bool models_is_line(const struct x86_cpu_id *line)
{
	return line->vendor | line->family | line->model | line->steppings | line->feature;
}

#define for_each_line(line, table)						\
	for ((line) = (table)->lines; models_is_line(line); (line)++)

static const struct x86_model *models_row(const struct x86_cpu_id *line)
{
	return (const struct x86_model *)line->driver_data;
}

static void models_check_config(struct kunit *test, const struct x86_model *row, u64 config)
{
	if (config == X86_IMPOSSIBLE)
		return;
	KUNIT_EXPECT_EQ_MSG(test, config & ~row->config_mask, 0, "%s: config %#llx",
			    row->name, config);
}

/* No generic or cache event sets a bit that a raw event could not. */
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
		KUNIT_EXPECT_TRUE_MSG(test, row->probe || (row->bank && row->counters),
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

/* Does an earlier limit take all configs that a later one is about? */
static bool models_hides(const struct x86_limit *early, const struct x86_limit *late)
{
	u64 first = late->first & early->mask, last = late->last & early->mask;

	if (early->mask & ~late->mask)
		return false;
	if (first != last && early->mask != late->mask)
		return false;
	return first >= early->first && last <= early->last;
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
				      "%s: limit %d is about pairs", row->name, n);
		KUNIT_EXPECT_LE_MSG(test, limit->first, limit->last, "%s: limit %d",
				    row->name, n);
		for (early = limits; early < limit; early++)
			KUNIT_EXPECT_FALSE_MSG(test, models_hides(early, limit),
					       "%s: limit %d hides %d", row->name,
					       (int)(early - limits), n);
	}
}

/* Limits are about counters that there are, and each of them can be reached. */
static void models_limits(struct kunit *test)
{
	const struct models_table *table = test->param_value;
	const struct x86_cpu_id *line;

	for_each_line(line, table) {
		const struct x86_model *row = models_row(line);

		models_check_limits(test, table, row, row->limits);
		models_check_limits(test, table, row, row->precise);
	}
}

/* Is every CPU that @late is about taken by @early, which comes before it? */
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

/* No line is in vain. */
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

#ifdef CONFIG_CPU_SUP_AMD
/* The row of a family, for CPUs without a feature that has a row of its own. */
static const struct x86_model *models_of_family(struct kunit *test, int family)
{
	const struct x86_model *row = NULL;
	const struct x86_cpu_id *line;
	int n = 0;

	for (line = x86_amd_models; models_is_line(line); line++) {
		if (line->family == family && line->feature == X86_FEATURE_ANY) {
			row = models_row(line);
			n++;
		}
	}
	KUNIT_EXPECT_EQ_MSG(test, n, 1, "family %#x", family);
	return row;
}

/* There is one row for each family that AMD has made, and Hygon. */
static void models_amd_families(struct kunit *test)
{
	static const u8 families[] = {
		0x06, 0x0f, 0x10, 0x11, 0x12, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(families); i++)
		KUNIT_EXPECT_NOT_NULL(test, models_of_family(test, families[i]));
}

/* Let the driver make a key of an event of a row. Return: 0 or an errno. */
static int models_key(struct kunit *test, const struct x86_model *row, u64 config,
		      struct x86_key *key)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct x86_core *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, core);
	core->model = row;
	core->bank = &x86_amd_core_bank;
	core->counters = X86_GENERAL(AMD64_NUM_COUNTERS_CORE);
	event->pmu = &core->pmu;
	event->hw.config = config | ARCH_PERFMON_EVENTSEL_INT | ARCH_PERFMON_EVENTSEL_USR;
	return x86_event_key(event, key);
}

/* Counters that it lets the event have, or a negative errno. */
static s64 models_counters(struct kunit *test, const struct x86_model *row, u64 config)
{
	struct x86_key key;
	int err = models_key(test, row, config, &key);

	return err ?: (s64)key.allowed;
}

/* Events, and what of family 15h's counters can count them. */
static void models_amd_15h(struct kunit *test)
{
	static const struct {
		u64 config;
		s64 counters;
	} cases[] = {
		{ X86_EVENT(0x00, 0x01), 0x38 }, { X86_EVENT(0x00, 0x10), 0x38 },
		{ X86_EVENT(0x00, 0x11), 0x08 }, { X86_EVENT(0x03, 0x01), 0x08 },
		{ X86_EVENT(0x04, 0x02), 0x38 }, { X86_EVENT(0x04, 0x03), 0x08 },
		{ X86_EVENT(0x05, 0x0f), 0x38 },
		{ X86_EVENT(0x23, 0x01), 0x07 }, { X86_EVENT(0x24, 0x01), 0x3f },
		{ X86_EVENT(0x41, 0x01), 0x3f }, { X86_EVENT(0x43, 0x00), 0x07 },
		{ X86_EVENT(0x76, 0x00), 0x3f }, { X86_EVENT(0x7d, 0x07), 0x07 },
		{ X86_EVENT(0x80, 0x00), 0x07 }, { X86_EVENT(0xc0, 0x00), 0x3f },
		{ X86_EVENT(0xd0, 0x00), 0x07 }, { X86_EVENT(0xdb, 0x01), 0x3f },
		{ X86_EVENT(0xd8, 0x00), 0x07 }, { X86_EVENT(0xd8, 0x00) | BIT_ULL(32), 0x3f },
		{ X86_EVENT(0xe9, 0xb8), -EINVAL },
	};
	const struct x86_model *row = models_of_family(test, 0x15);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, row);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, models_counters(test, row, cases[i].config),
				    cases[i].counters, "config %#llx", cases[i].config);
}

static u16 models_flags(struct kunit *test, const struct x86_model *row, u64 config)
{
	struct x86_key key;

	KUNIT_EXPECT_EQ(test, models_key(test, row, config, &key), 0);
	return key.flags & (X86_PAIR | X86_NODE);
}

/* Whatever the edge, the inversion and the threshold, a pair begins at an even counter. */
static void models_amd_pairs(struct kunit *test)
{
	static const u8 families[] = { 0x17, 0x18, 0x19, 0x1a };
	const u64 flops = X86_EVENT(0x03, 0xff);
	int i;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		const struct x86_model *row = models_of_family(test, families[i]);

		KUNIT_EXPECT_EQ(test, models_counters(test, row, flops), 0x15);
		KUNIT_EXPECT_EQ(test, models_counters(test, row, flops | 0x01840000), 0x15);
		KUNIT_EXPECT_EQ(test, models_flags(test, row, flops), X86_PAIR);
		KUNIT_EXPECT_EQ(test, models_counters(test, row, flops | BIT_ULL(32)), 0x3f);
		KUNIT_EXPECT_EQ(test, models_flags(test, row, flops | BIT_ULL(32)), 0);
	}
}

/* Events of the northbridge, also those with codes of twelve bits, and no others. */
static void models_amd_nodes(struct kunit *test)
{
	static const u8 families[] = { 0x0f, 0x10, 0x11, 0x12, 0x14 };
	int i;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		const struct x86_model *row = models_of_family(test, families[i]);

		KUNIT_EXPECT_EQ(test, models_counters(test, row, X86_EVENT(0xe9, 0xb8)), 0xf);
		KUNIT_EXPECT_EQ(test, models_flags(test, row, X86_EVENT(0xe0, 1)), X86_NODE);
		KUNIT_EXPECT_EQ(test, models_flags(test, row, X86_EVENT(0xe0, 1) | BIT_ULL(34)),
				X86_NODE);
		KUNIT_EXPECT_EQ(test, models_flags(test, row, X86_EVENT(0xc0, 0) | BIT_ULL(34)), 0);
		KUNIT_EXPECT_EQ(test, models_flags(test, row, X86_EVENT(0xdf, 0)), 0);
	}
	KUNIT_EXPECT_EQ(test, models_flags(test, models_of_family(test, 0x16), 0xe9), 0);
}
#endif

static struct kunit_case models_cases[] = {
	KUNIT_CASE_PARAM(models_configs, models_gen_params),
	KUNIT_CASE_PARAM(models_limits, models_gen_params),
	KUNIT_CASE_PARAM(models_lines, models_gen_params),
#ifdef CONFIG_CPU_SUP_AMD
	KUNIT_CASE(models_amd_families),
	KUNIT_CASE(models_amd_15h),
	KUNIT_CASE(models_amd_pairs),
	KUNIT_CASE(models_amd_nodes),
#endif
	{ }
};

static struct kunit_suite models_suite = {
	.name		= "x86_models",
	.test_cases	= models_cases,
};

kunit_test_suite(models_suite);
