// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of all rows in the tables of models, for consistency
 */
#include <kunit/test.h>
#include <linux/cred.h>
#include <asm/cpu_device_id.h>
#include <asm/mmu_context.h>
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

/* Limits have only existing counters, and none is hidden by an earlier one. */
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

static const struct x86_extra *models_extra_of(const struct x86_model *row, u64 config)
{
	const struct x86_extra *extra = row->extra;

	for (; extra && extra->msr; extra++) {
		if ((config & extra->mask) >= extra->first && (config & extra->mask) <= extra->last)
			return extra;
	}
	return NULL;
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

#ifdef CONFIG_CPU_SUP_INTEL
static const struct x86_cpu_id *const models_intel_tables[] = {
	x86_intel_core_models, x86_intel_nehalem_models, x86_intel_atom_models,
	x86_intel_old_models,
};

static bool models_line_is(const struct x86_cpu_id *line, u32 vfm, int stepping)
{
	return line->vendor == VFM_VENDOR(vfm) && line->family == VFM_FAMILY(vfm) &&
	       (line->model == X86_MODEL_ANY || line->model == VFM_MODEL(vfm)) &&
	       (line->steppings == X86_STEPPING_ANY || line->steppings & BIT(stepping));
}

/* Find the row of a CPU, and the number of tables with such a row. NULL: the architectural PMU */
static const struct x86_model *models_of_vfm(u32 vfm, int stepping, int *n)
{
	const struct x86_model *row = NULL;
	const struct x86_cpu_id *line;
	int i;

	*n = 0;
	for (i = 0; i < ARRAY_SIZE(models_intel_tables); i++) {
		for (line = models_intel_tables[i]; models_is_line(line); line++) {
			if (!models_line_is(line, vfm, stepping))
				continue;
			row = row ?: models_row(line);
			++*n;
			break;
		}
	}
	return row;
}

/* Minimum of the counters of an Intel CPU with four general counters */
#define MODELS_FOUR	(X86_GENERAL(4) | X86_GENERAL(3) << INTEL_PMC_IDX_FIXED)

/* Each generic and cache event has a counter. */
static void models_check_events(struct kunit *test, const struct x86_model *row)
{
	u64 counters = row->counters ?: MODELS_FOUR;
	const u64 *cache = row->cache ? &(*row->cache)[0][0][0] : NULL;
	const struct x86_pmu_msrs *msrs = row->msrs ?: &x86_intel_msrs;
	struct x86_event_sel sel;
	int i;

	for (i = 0; row->generic && i < PERF_COUNT_HW_MAX; i++) {
		if (!row->generic[i] || row->generic[i] == X86_IMPOSSIBLE)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, models_sel_on(test, row, msrs, counters,
							row->generic[i], &sel), 0,
				    "%s: generic event %d", row->name, i);
	}
	for (i = 0; cache && i < sizeof(*row->cache) / sizeof(u64); i++) {
		if (!cache[i] || cache[i] == X86_IMPOSSIBLE)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, models_sel_on(test, row, msrs, counters, cache[i],
							&sel), 0,
				    "%s: cache event %d", row->name, i);
	}
}

static bool models_has_name(struct attribute **attrs, const char *name)
{
	for (; attrs && *attrs; attrs++) {
		if (!strcmp((*attrs)->name, name))
			return true;
	}
	return false;
}

/*
 * Models have events of transactions if selects have the bits for these events. Names of events are
 * unique, because sysfs must not have duplicates.
 */
static void models_check_names(struct kunit *test, const struct x86_model *row)
{
	struct attribute **attr;

	KUNIT_EXPECT_EQ_MSG(test, !!row->transactions, !!(row->config_mask & HSW_IN_TX), "%s",
			    row->name);
	for (attr = row->transactions; attr && *attr; attr++) {
		KUNIT_EXPECT_FALSE_MSG(test, models_has_name(row->events, (*attr)->name),
				       "%s: %s", row->name, (*attr)->name);
		KUNIT_EXPECT_FALSE_MSG(test, models_has_name(attr + 1, (*attr)->name),
				       "%s: %s", row->name, (*attr)->name);
	}
}

/* Models with mem-loads-aux need it for the data sources of mem-loads. Other models do not. */
static void models_check_loads(struct kunit *test, const struct x86_model *row)
{
	bool aux = models_has_name(row->memory, "mem-loads-aux");

	KUNIT_EXPECT_EQ_MSG(test, row->loads, aux ? X86_EVENT(0xcd, 0x01) : 0, "%s", row->name);
	KUNIT_EXPECT_EQ_MSG(test, row->loads_aux, aux ? X86_EVENT(0x03, 0x82) : 0, "%s",
			    row->name);
}

/* Each Intel CPU with a name in the kernel has one row, or is in the list of CPUs without rows. */
static void models_intel_lines(struct kunit *test)
{
	static const u32 rows[] = {
		INTEL_PENTIUM_PRO, INTEL_PENTIUM_III_DESCHUTES, INTEL_CORE_YONAH,
		INTEL_CORE2_MEROM, INTEL_CORE2_MEROM_L, INTEL_CORE2_PENRYN, INTEL_CORE2_DUNNINGTON,
		INTEL_NEHALEM, INTEL_NEHALEM_EP, INTEL_NEHALEM_EX,
		INTEL_WESTMERE, INTEL_WESTMERE_EP, INTEL_WESTMERE_EX,
		INTEL_SANDYBRIDGE, INTEL_SANDYBRIDGE_X, INTEL_IVYBRIDGE, INTEL_IVYBRIDGE_X,
		INTEL_HASWELL, INTEL_HASWELL_X, INTEL_HASWELL_L, INTEL_HASWELL_G,
		INTEL_BROADWELL, INTEL_BROADWELL_G, INTEL_BROADWELL_X, INTEL_BROADWELL_D,
		INTEL_SKYLAKE_L, INTEL_SKYLAKE, INTEL_SKYLAKE_X, INTEL_KABYLAKE_L,
		INTEL_KABYLAKE, INTEL_COMETLAKE, INTEL_COMETLAKE_L,
		INTEL_ICELAKE_X, INTEL_ICELAKE_D, INTEL_ICELAKE, INTEL_ICELAKE_L,
		INTEL_ROCKETLAKE, INTEL_TIGERLAKE_L, INTEL_TIGERLAKE,
		INTEL_SAPPHIRERAPIDS_X, INTEL_EMERALDRAPIDS_X,
		INTEL_GRANITERAPIDS_X, INTEL_GRANITERAPIDS_D,
		INTEL_ALDERLAKE, INTEL_ALDERLAKE_L,
		INTEL_RAPTORLAKE, INTEL_RAPTORLAKE_P, INTEL_RAPTORLAKE_S,
		INTEL_METEORLAKE, INTEL_METEORLAKE_L, INTEL_ARROWLAKE, INTEL_ARROWLAKE_U,
		INTEL_LUNARLAKE_M,
		INTEL_ATOM_BONNELL, INTEL_ATOM_BONNELL_MID, INTEL_ATOM_SALTWELL,
		INTEL_ATOM_SALTWELL_MID, INTEL_ATOM_SALTWELL_TABLET,
		INTEL_XEON_PHI_KNL, INTEL_XEON_PHI_KNM,
		INTEL_ATOM_SILVERMONT, INTEL_ATOM_SILVERMONT_D, INTEL_ATOM_SILVERMONT_MID,
		INTEL_ATOM_AIRMONT, INTEL_ATOM_AIRMONT_MID,
		INTEL_ATOM_GOLDMONT, INTEL_ATOM_GOLDMONT_D, INTEL_ATOM_GOLDMONT_PLUS,
		INTEL_ATOM_TREMONT_D, INTEL_ATOM_TREMONT, INTEL_ATOM_TREMONT_L,
		INTEL_ATOM_GRACEMONT, INTEL_ATOM_CRESTMONT_X, INTEL_ATOM_CRESTMONT,
	};
	/* Supported by the architectural PMU */
	static const u32 none[] = {
		INTEL_NEHALEM_G, INTEL_CANNONLAKE_L, INTEL_ICELAKE_NNPI, INTEL_LAKEFIELD,
		INTEL_ARROWLAKE_H, INTEL_BARTLETTLAKE, INTEL_PANTHERLAKE_L, INTEL_ATOM_AIRMONT_NP,
		INTEL_ATOM_DARKMONT_X,
		INTEL_QUARK_X1000, INTEL_PANTHERCOVE_X,
	};
	int i, n;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		models_of_vfm(rows[i], 0, &n);
		KUNIT_EXPECT_EQ_MSG(test, n, 1, "model %#x", (u32)VFM_MODEL(rows[i]));
	}
	for (i = 0; i < ARRAY_SIZE(none); i++) {
		models_of_vfm(none[i], 0, &n);
		KUNIT_EXPECT_EQ_MSG(test, n, 0, "model %#x", (u32)VFM_MODEL(none[i]));
	}
}

/* Constraints of some events, with eight general and four fixed counters */
static void models_intel_limits(struct kunit *test)
{
	static const struct {
		u32 vfm;
		u64 config;
		u64 counters;
	} cases[] = {
		{ INTEL_SKYLAKE, X86_EVENT(0x3c, 0x00), 0x2000000ffULL },
		{ INTEL_SKYLAKE, X86_EVENT(0x00, 0x03), 0x400000000ULL },
		{ INTEL_SKYLAKE, X86_EVENT(0x00, 0x03) | ARCH_PERFMON_EVENTSEL_INV, 0xff },
		{ INTEL_SKYLAKE, X86_EVENT(0xc0, 0x00), 0x1000000ffULL },
		{ INTEL_SKYLAKE, X86_EVENT(0xc0, 0x00) | ARCH_PERFMON_EVENTSEL_ANY,
		  0x1000000ffULL },
		{ INTEL_SKYLAKE, X86_EVENT(0xc0, 0x00) | ARCH_PERFMON_EVENTSEL_EDGE, 0xff },
		{ INTEL_SKYLAKE, X86_EVENT(0xc0, 0x01), 0x02 },
		{ INTEL_SKYLAKE, X86_EVENT(0xc6, 0x01), 0x0f },
		{ INTEL_KABYLAKE, X86_EVENT(0xcd, 0x01), 0x0f },
		{ INTEL_COMETLAKE, X86_EVENT(0xd0, 0x81), 0x0f },
		{ INTEL_SKYLAKE_X, X86_EVENT(0xd2, 0x01), 0x0f },
		{ INTEL_SKYLAKE, X86_EVENT(0xd3, 0x01), 0xff },
		{ INTEL_ICELAKE, X86_EVENT(0x00, 0x01), 0x100000000ULL },
		{ INTEL_ICELAKE, X86_EVENT(0x00, 0x01) | ARCH_PERFMON_EVENTSEL_EDGE, 0xff },
		{ INTEL_ICELAKE, X86_EVENT(0x00, 0x04), 0x800000000ULL },
		{ INTEL_ICELAKE, X86_EVENT(0x08, 0x0e), 0x0f },
		{ INTEL_ICELAKE, X86_EVENT(0x2e, 0x41), 0xff },
		{ INTEL_ICELAKE, X86_EVENT(0xa3, 0x04), 0xff },
		{ INTEL_ICELAKE, X86_EVENT(0xa3, 0x05), 0x0f },
		{ INTEL_ICELAKE, X86_EVENT(0xb1, 0x01), 0xff },
		{ INTEL_ICELAKE, X86_EVENT(0xb7, 0x01), 0x0f },
		{ INTEL_ICELAKE, X86_EVENT(0xd0, 0x81), 0x0f },
		{ INTEL_SAPPHIRERAPIDS_X, X86_EVENT(0x24, 0xe1), 0x0f },
		{ INTEL_SAPPHIRERAPIDS_X, X86_EVENT(0x2a, 0x01), 0x0f },
		{ INTEL_SAPPHIRERAPIDS_X, X86_EVENT(0x2e, 0x4f), 0xff },
		{ INTEL_SAPPHIRERAPIDS_X, X86_EVENT(0x3c, 0x01), 0x4000000ffULL },
		{ INTEL_SAPPHIRERAPIDS_X, X86_EVENT(0xa4, 0x04), 0x01 },
		{ INTEL_SAPPHIRERAPIDS_X, X86_EVENT(0xa4, 0x02), 0xff },
		{ INTEL_SAPPHIRERAPIDS_X, X86_EVENT(0xcd, 0x02), 0x01 },
		{ INTEL_HASWELL, X86_EVENT(0x48, 0x01), 0x04 },
		{ INTEL_HASWELL, X86_EVENT(0xa3, 0x0c), 0x04 },
		{ INTEL_HASWELL, X86_EVENT(0xcd, 0x01), 0x08 },
		{ INTEL_HASWELL, X86_EVENT(0xd1, 0x01), 0x0f },
		{ INTEL_HASWELL, X86_EVENT(0xa3, 0x04), 0x0f },
		{ INTEL_HASWELL, X86_EVENT(0xa3, 0x05), 0xff },
		{ INTEL_SANDYBRIDGE, X86_EVENT(0xa3, 0x02), 0x04 },
		{ INTEL_SANDYBRIDGE, X86_EVENT(0xa3, 0x04), 0x0f },
		{ INTEL_SANDYBRIDGE, X86_EVENT(0xa3, 0x05), 0x0f },
		{ INTEL_SANDYBRIDGE_X, X86_EVENT(0xd0, 0x81), 0x0f },
		{ INTEL_SANDYBRIDGE, X86_EVENT(0xd4, 0x02), 0xff },
		{ INTEL_IVYBRIDGE, X86_EVENT(0x79, 0x02), 0x0f },
		{ INTEL_IVYBRIDGE, X86_EVENT(0x79, 0x04), 0xff },
		{ INTEL_IVYBRIDGE, X86_EVENT(0x9c, 0x01), 0x0f },
		{ INTEL_IVYBRIDGE, X86_EVENT(0xa3, 0x02), 0x0f },
		{ INTEL_IVYBRIDGE, X86_EVENT(0xa3, 0x04), 0x0f },
		{ INTEL_IVYBRIDGE, X86_EVENT(0xa3, 0x05), 0x0f },
		{ INTEL_IVYBRIDGE_X, X86_EVENT(0xa3, 0x06), 0x0f },
		{ INTEL_IVYBRIDGE_X, X86_EVENT(0xd3, 0x01), 0x0f },
		{ INTEL_BROADWELL, X86_EVENT(0xd0, 0x81), 0x0f },
		{ INTEL_BROADWELL_X, X86_EVENT(0xd2, 0x01), 0x0f },
		{ INTEL_BROADWELL, X86_EVENT(0xd3, 0x01), 0xff },
		{ INTEL_ATOM_TREMONT, X86_EVENT(0x3c, 0x01), 0xff },
		{ INTEL_ATOM_CRESTMONT, X86_EVENT(0x3c, 0x01), 0x4000000ffULL },
	};
	u64 counters = X86_GENERAL(8) | X86_GENERAL(4) << INTEL_PMC_IDX_FIXED;
	int i, n;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct x86_model *row = models_of_vfm(cases[i].vfm, 0, &n);
		struct x86_event_sel sel = { };

		KUNIT_ASSERT_NOT_NULL(test, row);
		KUNIT_EXPECT_EQ(test, models_sel_on(test, row, &x86_intel_msrs, counters,
						    cases[i].config, &sel), 0);
		KUNIT_EXPECT_EQ_MSG(test, sel.allowed, cases[i].counters, "%s: config %#llx",
				    row->name, cases[i].config);
	}
}

/* Only Sandy Bridge checks the microcode for precise events. */
static void models_intel_microcode(struct kunit *test)
{
	static const u32 others[] = {
		INTEL_WESTMERE, INTEL_IVYBRIDGE, INTEL_HASWELL, INTEL_SKYLAKE, INTEL_ATOM_GOLDMONT,
	};
	int i, n;

	KUNIT_EXPECT_NOT_NULL(test, models_of_vfm(INTEL_SANDYBRIDGE, 0, &n)->microcode);
	KUNIT_EXPECT_NOT_NULL(test, models_of_vfm(INTEL_SANDYBRIDGE_X, 0, &n)->microcode);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		KUNIT_EXPECT_NULL(test, models_of_vfm(others[i], 0, &n)->microcode);
}

/* Precise events are refused before the first good microcode of each stepping. */
static void models_old_microcode(struct kunit *test)
{
	static const struct { u32 vfm; u8 stepping; u32 first; } cases[] = {
		{ INTEL_SANDYBRIDGE, 7, 0x28 },
		{ INTEL_SANDYBRIDGE_X, 6, 0x618 },
		{ INTEL_SANDYBRIDGE_X, 7, 0x70c },
		/* No microcode of other steppings is known to be good. */
		{ INTEL_SANDYBRIDGE, 6, 0 },
		{ INTEL_SANDYBRIDGE_X, 5, 0 },
	};
	struct x86_core *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	int i, j;

	KUNIT_ASSERT_NOT_NULL(test, core);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u32 vfm = cases[i].vfm, first = cases[i].first;
		u8 stepping = cases[i].stepping;
		const struct { u32 revision; bool broken; } updates[] = {
			{ 0, true }, { first - 1, true }, { first, !first }, { first + 1, !first },
			{ first - 1, true },
		};

		core->precise.levels = 2;
		core->precise.broken = false;
		for (j = 0; j < ARRAY_SIZE(updates); j++) {
			x86_snb_check_microcode(core, vfm, stepping, updates[j].revision);
			KUNIT_EXPECT_EQ_MSG(test, core->precise.broken, updates[j].broken,
					    "model %#x, stepping %u, microcode %#x",
					    (u32)VFM_MODEL(vfm), stepping, updates[j].revision);
			KUNIT_EXPECT_EQ(test, x86_max_precise(core), updates[j].broken ? 0 : 2);
		}
		/* Without PEBS, as in a guest, there is nothing to update. */
		core->precise.levels = 0;
		core->precise.broken = false;
		x86_snb_check_microcode(core, vfm, stepping, 0);
		KUNIT_EXPECT_FALSE(test, core->precise.broken);
	}
}

/* Lion Cove, with its ten counters, and with eight in a guest */
static void models_lion_cove(struct kunit *test)
{
	static const struct {
		u64 config;
		u64 counters;
	} cases[] = {
		{ X86_EVENT(0x20, 0x08), 0x00f }, { X86_EVENT(0x21, 0x08), 0x3ff },
		{ X86_EVENT(0x2a, 0x01), 0x00f }, { X86_EVENT(0x2b, 0x01), 0x00f },
		{ X86_EVENT(0x2a, 0x02), 0x3ff }, { X86_EVENT(0x2b, 0x04), 0x3ff },
		{ X86_EVENT(0x48, 0x01), 0x004 }, { X86_EVENT(0x48, 0x02), 0x3ff },
		{ X86_EVENT(0x75, 0x01), 0x004 }, { X86_EVENT(0xa3, 0x08), 0x004 },
		{ X86_EVENT(0xa3, 0x0c), 0x004 }, { X86_EVENT(0xa3, 0x04), 0x3ff },
		{ X86_EVENT(0xa4, 0x08), 0x001 }, { X86_EVENT(0xa4, 0x10), 0x008 },
		{ X86_EVENT(0xb1, 0x01), 0x008 }, { X86_EVENT(0xb1, 0x02), 0x3ff },
		{ X86_EVENT(0xcd, 0x01), 0x3fc }, { X86_EVENT(0xcd, 0x02), 0x003 },
		{ X86_EVENT(0xd0, 0x81), 0x00f }, { X86_EVENT(0xd0, 0x87), 0x3ff },
		{ X86_EVENT(0xd5, 0x01), 0x00f }, { X86_EVENT(0xdf, 0x01), 0x00f },
		{ X86_EVENT(0xe0, 0x00), 0x00f }, { X86_EVENT(0xe0, 0x01), 0x3ff },
	};
	const u64 fixed = X86_GENERAL(4) << INTEL_PMC_IDX_FIXED;
	const struct x86_model *row;
	const struct x86_extra *extra;
	struct x86_event_sel sel = { };
	int i, n;

	row = models_of_vfm(INTEL_LUNARLAKE_M, 0, &n);
	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_EXPECT_PTR_EQ(test, models_of_vfm(INTEL_ARROWLAKE, 0, &n), row);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ(test, models_sel_on(test, row, &x86_intel_msrs,
						    X86_GENERAL(10) | fixed, cases[i].config,
						    &sel), 0);
		KUNIT_EXPECT_EQ_MSG(test, sel.allowed, cases[i].counters, "config %#llx",
				    cases[i].config);
		KUNIT_EXPECT_EQ(test, models_sel_on(test, row, &x86_intel_msrs,
						    X86_GENERAL(8) | fixed, cases[i].config,
						    &sel), 0);
		KUNIT_EXPECT_EQ_MSG(test, sel.allowed, cases[i].counters & 0xff, "config %#llx",
				    cases[i].config);
	}
	extra = models_extra_of(row, X86_EVENT(0xad, 0x40));
	KUNIT_ASSERT_NOT_NULL(test, extra);
	KUNIT_EXPECT_EQ(test, extra->msr, MSR_PEBS_FRONTEND);
	KUNIT_EXPECT_EQ(test, extra->valid, 0xf);
}

/*
 * Cache events of the last level: the offcore responses are those of OCR.DEMAND_DATA_RD and
 * OCR.DEMAND_RFO, ANY_RESPONSE and L3_MISS, in Intel's event list of the CPU.
 */
static void models_last_level(struct kunit *test)
{
	static const struct { u32 vfm; bool e_core; u64 values[4]; } cases[] = {
		{ INTEL_ATOM_TREMONT, false, { 0x10001, 0x2184000001, 0x10002, 0x2184000002 } },
		{ INTEL_ATOM_TREMONT_D, false, { 0x10001, 0x2184000001, 0x10002, 0x2184000002 } },
		{ INTEL_ATOM_GRACEMONT, false, { 0x10001, 0x3f84400001, 0x10002, 0x3f84400002 } },
		{ INTEL_ATOM_CRESTMONT, false, { 0x10001, 0x3fbfc00001, 0x10002, 0x3fbfc00002 } },
		{ INTEL_ATOM_CRESTMONT_X, false, { 0x10001, 0x3fbfc00001, 0x10002, 0x3fbfc00002 } },
		{ INTEL_ALDERLAKE, true, { 0x10001, 0x3f84400001, 0x10002, 0x3f84400002 } },
		{ INTEL_METEORLAKE_L, true, { 0x10001, 0x3fbfc00001, 0x10002, 0x3fbfc00002 } },
		{ INTEL_LUNARLAKE_M, true, { 0x10001, 0x3fbfc00001, 0x10002, 0x3fbfc00002 } },
		{ INTEL_ALDERLAKE, false, { 0x10001, 0x3fbfc00001, 0x10002, 0x3fbfc00002 } },
		{ INTEL_METEORLAKE_L, false, { 0x10001, 0x3fbfc00001, 0x10002, 0x3fbfc00002 } },
		{ INTEL_LUNARLAKE_M, false, { 0x10001, 0xfe7f8000001, 0x10002, 0xfe7f8000002 } },
		{ INTEL_SAPPHIRERAPIDS_X, false,
		  { 0x10001, 0x3fbfc00001, 0x3f3ffc0002, 0x3f3fc00002 } },
	};
	int i, n;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct x86_model *row = models_of_vfm(cases[i].vfm, 0, &n);

		KUNIT_ASSERT_NOT_NULL(test, row);
		if (cases[i].e_core)
			row = row->e_core_model;
		KUNIT_ASSERT_NOT_NULL(test, row);
		/* Reads and writes, each with accesses and misses */
		KUNIT_EXPECT_MEMEQ_MSG(test, (*row->cache_extra)[PERF_COUNT_HW_CACHE_LL],
				       cases[i].values, sizeof(cases[i].values), "%s", row->name);
	}
}

/*
 * Cache events of the node: reads from memory are OCR.DEMAND_DATA_RD.DRAM on clients. Lion Cove has
 * no response of remote memory.
 */
static void models_node(struct kunit *test)
{
	static const struct { u32 vfm; u64 values[2]; } cases[] = {
		{ INTEL_ALDERLAKE, { 0x184000001, 0x3fb3000001 } },
		{ INTEL_METEORLAKE_L, { 0x184000001, 0x3fb3000001 } },
		{ INTEL_LUNARLAKE_M, { 0x1e780000001, X86_IMPOSSIBLE } },
		{ INTEL_SAPPHIRERAPIDS_X, { 0x10c000001, 0x3fb3000001 } },
	};
	const unsigned int op = PERF_COUNT_HW_CACHE_OP_READ;
	int i, n;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct x86_model *row = models_of_vfm(cases[i].vfm, 0, &n);

		KUNIT_ASSERT_NOT_NULL(test, row);
		KUNIT_EXPECT_MEMEQ_MSG(test, (*row->cache_extra)[PERF_COUNT_HW_CACHE_NODE][op],
				       cases[i].values, sizeof(cases[i].values), "%s", row->name);
	}
}

/* Constraints of a CPU without a row, with 8 general and 16 fixed counters */
static void models_arch_limits(struct kunit *test)
{
	const struct x86_model *row = &x86_intel_arch_model;
	const u64 four = X86_GENERAL(8) | X86_GENERAL(4) << INTEL_PMC_IDX_FIXED;
	const u64 all = X86_GENERAL(8) | X86_GENERAL(16) << INTEL_PMC_IDX_FIXED;
	/* Filters that fixed counters lack, including a second unit mask and an exact threshold */
	static const u64 more[] = {
		ARCH_PERFMON_EVENTSEL_EDGE, ARCH_PERFMON_EVENTSEL_INV, BIT_ULL(24), BIT_ULL(31),
		HSW_IN_TX, HSW_IN_TX_CHECKPOINTED, BIT_ULL(40), BIT_ULL(47), BIT_ULL(36),
	};
	struct x86_event_sel sel = { };
	unsigned int i;

	for (i = 2; i < 16; i++) {
		KUNIT_EXPECT_EQ(test, models_sel_on(test, row, &x86_intel_msrs, all,
						    (i + 1) << 8, &sel), 0);
		KUNIT_EXPECT_EQ_MSG(test, sel.allowed, BIT_ULL(32 + i), "fixed counter %u", i);
		if (i >= 4)
			KUNIT_EXPECT_EQ(test, models_sel_on(test, row, &x86_intel_msrs, four,
							    (i + 1) << 8, &sel), -EINVAL);
	}
	for (i = 0; i < ARRAY_SIZE(more); i++) {
		KUNIT_EXPECT_EQ(test, models_sel_on(test, row, &x86_intel_msrs, all,
						    0xc0 | more[i], &sel), 0);
		KUNIT_EXPECT_EQ(test, sel.allowed, 0xff);
		KUNIT_EXPECT_EQ(test, models_sel_on(test, row, &x86_intel_msrs, all,
						    0x0300 | more[i], &sel), 0);
		KUNIT_EXPECT_EQ(test, sel.allowed, 0xff);
	}
	KUNIT_EXPECT_EQ(test, models_sel_on(test, row, &x86_intel_msrs, all,
					    0x0300 | ARCH_PERFMON_EVENTSEL_ANY, &sel), 0);
	KUNIT_EXPECT_EQ(test, sel.allowed, 0x400000000ULL);
}

/*
 * Before version 5 a CPU without a row has at most three fixed counters, and with version 1 none:
 * codes of other fixed counters are refused, since no general counter counts them.
 */
static void models_arch_refused(struct kunit *test)
{
	static const u64 masks[] = { 0x0, 0x3, 0x7 };
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(masks); i++) {
		u64 counters = X86_GENERAL(4) | masks[i] << INTEL_PMC_IDX_FIXED;

		for (n = 2; n < INTEL_PMC_MAX_FIXED; n++) {
			struct x86_event_sel sel = { };
			int err = models_sel_on(test, &x86_intel_arch_model, &x86_intel_msrs,
						counters, X86_EVENT(0x00, n + 1), &sel);

			KUNIT_EXPECT_EQ_MSG(test, err, masks[i] & BIT(n) ? 0 : -EINVAL,
					    "fixed counter %u of %#llx", n, masks[i]);
		}
	}
}

/* CPUID leaf 0xA reports the fixed counters, leaf 0x23 the bits of selects. */
static void models_arch_cpuid(struct kunit *test)
{
	/* 65 nm Core 2 has three, but reports none. In a guest the report is used. */
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(2, 0, 0, true), 0x700000000ULL);
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(4, 0, 0, true), 0x700000000ULL);
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(2, 0, 0, false), 0);
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(3, 4, 0, true), 0xf00000000ULL);
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(2, 2, 0xff, false), 0x300000000ULL);
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(1, 3, 0, true), 0);
	/* Version 5 adds a mask: fixed counters need not be contiguous. */
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(5, 0, 0, true), 0);
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(5, 3, 0x11, true), 0x1700000000ULL);
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(5, 31, 0, false), 0xffff00000000ULL);

	KUNIT_EXPECT_EQ(test, x86_intel_select_bits(0), 0);
	KUNIT_EXPECT_EQ(test, x86_intel_select_bits(1), 0xff0000000000ULL);
	KUNIT_EXPECT_EQ(test, x86_intel_select_bits(2), 0x1000000000ULL);
	KUNIT_EXPECT_EQ(test, x86_intel_select_bits(0xff), 0xff1000000000ULL);
}

/*
 * The default of "rdpmc" also applies to processes with mappings of perfctr. Only the static key
 * controls RDPMC for these.
 */
static void models_rdpmc_key(struct kunit *test)
{
	bool boot = static_key_enabled(&rdpmc_never_available_key), never;
	int before = x86_rdpmc;

	if (!x86_nr_cores)
		kunit_skip(test, "no PMU");
	x86_rdpmc = 0;
	x86_rdpmc_init();
	never = static_key_enabled(&rdpmc_never_available_key);
	x86_rdpmc = before;
	x86_rdpmc_init();
	KUNIT_EXPECT_EQ(test, boot, !before);
	KUNIT_EXPECT_TRUE(test, never);
	KUNIT_EXPECT_EQ(test, static_key_enabled(&rdpmc_never_available_key), boot);
}

/* Topdown metrics have no counter without x86_core::metrics. */
static void models_metrics(struct kunit *test)
{
	const u64 counters = X86_GENERAL(8) | X86_GENERAL(4) << INTEL_PMC_IDX_FIXED;
	const struct x86_model *row;
	int n;

	row = models_of_vfm(INTEL_ICELAKE, 0, &n);
	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_EXPECT_EQ(test, row->metrics, 4);
	KUNIT_EXPECT_NE(test, models_sel_on(test, row, &x86_intel_msrs, counters,
					    X86_EVENT(0x00, 0x80), &(struct x86_event_sel){ }), 0);
	KUNIT_EXPECT_EQ(test, models_of_vfm(INTEL_SAPPHIRERAPIDS_X, 0, &n)->metrics, 8);
}

/* A hybrid CPU does not report the metrics of its P-cores. */
static void models_hybrid_metrics(struct kunit *test)
{
	static const struct {
		u64 capabilities;
		u64 fixed;
		u8 kind;
		bool hybrid;
		u8 metrics;
	} cases[] = {
		{ BIT_ULL(15), 0xf, 0, false, 8 },
		{ 0, 0xf, 0, false, 0 },
		{ BIT_ULL(15), 0x7, 0, false, 0 },
		{ 0, 0xf, X86_KIND_CORE, true, 8 },
		{ 0, 0x7, X86_KIND_CORE, true, 0 },
		/* With a hypervisor, only the capabilities count. */
		{ 0, 0xf, X86_KIND_CORE, false, 0 },
		{ BIT_ULL(15), 0xf, X86_KIND_CORE, false, 8 },
		{ 0, 0xf, X86_KIND_ATOM, true, 0 },
	};
	struct x86_core *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	int i, n;

	KUNIT_ASSERT_NOT_NULL(test, core);
	core->model = models_of_vfm(INTEL_ALDERLAKE, 0, &n);
	KUNIT_ASSERT_NOT_NULL(test, core->model);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		core->capabilities = cases[i].capabilities;
		core->counters = X86_GENERAL(8) | cases[i].fixed << INTEL_PMC_IDX_FIXED;
		core->kind = cases[i].kind;
		KUNIT_EXPECT_EQ_MSG(test, x86_intel_metrics(core, cases[i].hybrid),
				    cases[i].metrics, "case %d", i);
	}
	core->model = core->model->e_core_model;
	KUNIT_EXPECT_EQ(test, core->model->metrics, 0);
}

static void models_intel_generic(struct kunit *test)
{
	const struct x86_cpu_id *line;
	int i;

	for (i = 0; i < ARRAY_SIZE(models_intel_tables); i++) {
		for (line = models_intel_tables[i]; models_is_line(line); line++) {
			models_check_events(test, models_row(line));
			models_check_names(test, models_row(line));
			models_check_loads(test, models_row(line));
			if (!models_row(line)->e_core_model)
				continue;
			models_check_events(test, models_row(line)->e_core_model);
			models_check_names(test, models_row(line)->e_core_model);
			models_check_loads(test, models_row(line)->e_core_model);
		}
	}
}
#endif

#if defined(CONFIG_CPU_SUP_ZHAOXIN) || defined(CONFIG_CPU_SUP_CENTAUR)
/* Find the row of a model, and adjust it to a version and a number of architectural events. */
static int models_zhaoxin_probe(struct kunit *test, struct x86_core *core, int family, int model,
				int version, int events)
{
	const struct x86_cpu_id *line;

	memset(core, 0, sizeof(*core));
	core->version = version;
	core->width = 48;
	core->max_period = 0x7fffffff;
	core->events_mask_len = events;
	for (line = x86_zhaoxin_models; models_is_line(line); line++) {
		if (line->family == family && line->model == model)
			core->model = models_row(line);
	}
	KUNIT_ASSERT_NOT_NULL(test, core->model);
	return x86_zhaoxin_check_cpuid(core);
}

static void models_zhaoxin(struct kunit *test)
{
	struct x86_core *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, core);
	KUNIT_EXPECT_EQ(test, models_zhaoxin_probe(test, core, 7, 0x1b, 2, 7), 0);
	KUNIT_EXPECT_EQ(test, core->max_period, 0x7fffffffffffULL);
	KUNIT_EXPECT_EQ(test, core->generic[PERF_COUNT_HW_BRANCH_MISSES], 0);
	KUNIT_EXPECT_EQ(test, models_zhaoxin_probe(test, core, 7, 0x1b, 2, 6), 0);
	KUNIT_EXPECT_EQ(test, core->generic[PERF_COUNT_HW_BRANCH_MISSES], 0x0709);
	KUNIT_EXPECT_EQ(test, models_zhaoxin_probe(test, core, 7, 0x3b, 2, 6), 0);
	KUNIT_EXPECT_EQ(test, core->generic[PERF_COUNT_HW_BRANCH_MISSES], 0x0029);
	KUNIT_EXPECT_EQ(test, models_zhaoxin_probe(test, core, 7, 0x1b, 2, 5), -ENODEV);
	KUNIT_EXPECT_EQ(test, models_zhaoxin_probe(test, core, 7, 0x1b, 1, 7), -ENODEV);
	KUNIT_EXPECT_EQ(test, models_zhaoxin_probe(test, core, 7, 0x1b, 3, 7), -ENODEV);

	/* The only generic event of ZX-C is cycles. */
	KUNIT_EXPECT_EQ(test, models_zhaoxin_probe(test, core, 6, 0x19, 2, 7), 0);
	for (i = 0; i < PERF_COUNT_HW_MAX; i++)
		KUNIT_EXPECT_EQ_MSG(test, core->model->generic[i],
				    i == PERF_COUNT_HW_CPU_CYCLES ? 0x82 : 0, "event %d", i);
}
#endif

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

#ifdef CONFIG_CPU_SUP_INTEL
/* AnyThread is refused before version 3, and accepted since, even if it is deprecated. */
static void models_any_thread(struct kunit *test)
{
	static const struct { int version; u64 mask; int err; } cases[] = {
		{ 1, 0, -EINVAL }, { 2, ARCH_PERFMON_EVENTSEL_ANY, -EINVAL },
		{ 3, ARCH_PERFMON_EVENTSEL_ANY, 0 }, { 4, 0, 0 }, { 5, 0, 0 },
	};
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct x86_core *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, core);
	event->pmu = &core->pmu;
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = X86_EVENT(0x3c, 0x00) | ARCH_PERFMON_EVENTSEL_ANY;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		core->version = cases[i].version;
		core->config_mask = X86_RAW_EVENT_MASK | cases[i].mask;
		event->hw.config = event->attr.config & core->config_mask;
		KUNIT_EXPECT_EQ_MSG(test, x86_intel_init_event(event), cases[i].err,
				    "version %d", cases[i].version);
	}
}

/* AnyThread needs permission for the CPU. An inherited event does not: its parent event had it. */
static void models_any_thread_permission(struct kunit *test)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct x86_core *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	struct cred *none = prepare_creds();
	const struct cred *own;
	int err, copy;

	KUNIT_ASSERT_NOT_NULL(test, none);
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, core);
	core->version = 3;
	event->pmu = &core->pmu;
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = X86_EVENT(0x3c, 0x00) | ARCH_PERFMON_EVENTSEL_ANY;
	cap_clear(none->cap_effective);
	own = override_creds(none);
	err = x86_intel_init_event(event);
	event->parent = event;
	copy = x86_intel_init_event(event);
	revert_creds(own);
	put_cred(none);
	if (IS_ENABLED(CONFIG_MULTIUSER) && sysctl_perf_event_paranoid > 0)
		KUNIT_EXPECT_EQ(test, err, -EACCES);
	KUNIT_EXPECT_EQ(test, copy, 0);
}
#endif

/* Tools read freeze_on_smi: it exists from version 2 on, even without FREEZE_WHILE_SMM. */
static void models_freeze_on_smi(struct kunit *test)
{
	bool intel = boot_cpu_data.x86_vendor == X86_VENDOR_INTEL;
	struct x86_core *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, core);
	core->version = 1;
	KUNIT_EXPECT_FALSE(test, x86_can_freeze_on_smi(core));
	core->version = 2;
	KUNIT_EXPECT_EQ(test, x86_can_freeze_on_smi(core), intel);
}

static struct kunit_case models_cases[] = {
	KUNIT_CASE_PARAM(models_configs, models_gen_params),
	KUNIT_CASE_PARAM(models_limits, models_gen_params),
	KUNIT_CASE_PARAM(models_extras, models_gen_params),
	KUNIT_CASE_PARAM(models_lines, models_gen_params),
	KUNIT_CASE_PARAM(models_kind, models_gen_params),
	KUNIT_CASE(models_freeze_on_smi),
#ifdef CONFIG_CPU_SUP_INTEL
	KUNIT_CASE(models_intel_generic),
	KUNIT_CASE(models_intel_lines),
	KUNIT_CASE(models_intel_limits),
	KUNIT_CASE(models_intel_microcode),
	KUNIT_CASE(models_old_microcode),
	KUNIT_CASE(models_lion_cove),
	KUNIT_CASE(models_last_level),
	KUNIT_CASE(models_node),
	KUNIT_CASE(models_arch_limits),
	KUNIT_CASE(models_arch_refused),
	KUNIT_CASE(models_arch_cpuid),
	KUNIT_CASE(models_any_thread),
	KUNIT_CASE(models_any_thread_permission),
	KUNIT_CASE(models_rdpmc_key),
	KUNIT_CASE(models_metrics),
	KUNIT_CASE(models_hybrid_metrics),
#endif
#if defined(CONFIG_CPU_SUP_ZHAOXIN) || defined(CONFIG_CPU_SUP_CENTAUR)
	KUNIT_CASE(models_zhaoxin),
#endif
	{ }
};

static struct kunit_suite models_suite = {
	.name		= "x86_models",
	.test_cases	= models_cases,
};

kunit_test_suite(models_suite);
