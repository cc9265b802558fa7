// SPDX-License-Identifier: GPL-2.0
/*
 * Intel models: their CPUs, and the constraints, extra registers and microcode of their events.
 */
#include <linux/sysfs.h>
#include <asm/cpu_device_id.h>
#include <asm/msr-index.h>

#include "models_intel.h"

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

/* Valid bits of the offcore response register of an event; 0: the event has none */
static u64 models_responses(const struct x86_model *row, u64 event)
{
	const struct x86_extra *extra = NULL;

	if (event && event != X86_IMPOSSIBLE)
		extra = models_extra_of(row, event);
	return extra && extra->msr == MSR_OFFCORE_RSP_0 ? extra->valid : 0;
}

/*
 * Cache events of the last level: the offcore responses are those of OCR.DEMAND_DATA_RD and
 * OCR.DEMAND_RFO, ANY_RESPONSE and L3_MISS, in Intel's event list of the CPU. Older lists have the
 * misses LLC_MISS.DRAM (Sandy Bridge and Ivy Bridge) and L2_MISS.ANY (Silvermont), also of
 * prefetches.
 */
static void models_last_level(struct kunit *test)
{
	static const struct { u32 vfm; bool e_core; u64 values[6]; } cases[] = {
		{ INTEL_SANDYBRIDGE, false,
		  { 0x10081, 0x300400081, 0x10102, 0x300400102, 0x10030, 0x300400030 } },
		{ INTEL_IVYBRIDGE, false,
		  { 0x10081, 0x300400081, 0x10102, 0x300400102, 0x10030, 0x300400030 } },
		{ INTEL_ICELAKE, false, { 0x10001, 0x3fffc00001, 0x10002, 0x3fffc00002 } },
		{ INTEL_TIGERLAKE, false, { 0x10001, 0x3fffc00001, 0x10002, 0x3fffc00002 } },
		{ INTEL_ROCKETLAKE, false, { 0x10001, 0x3fffc00001, 0x10002, 0x3fffc00002 } },
		{ INTEL_ICELAKE_X, false,
		  { 0x10001, 0x3fbfc00001, 0x3f3ffc0002, 0x3f3fc00002 } },
		{ INTEL_ICELAKE_D, false,
		  { 0x10001, 0x3fbfc00001, 0x3f3ffc0002, 0x3f3fc00002 } },
		{ INTEL_ATOM_SILVERMONT, false,
		  { 0x10001, 0x1680000001, 0x10002, 0x1680000002, 0x10030, 0x1680000030 } },
		{ INTEL_ATOM_AIRMONT, false,
		  { 0x10001, 0x1680000001, 0x10002, 0x1680000002, 0x10030, 0x1680000030 } },
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
	const u64 (*events)[PERF_COUNT_HW_CACHE_RESULT_MAX];
	int i, j, n;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct x86_model *row = models_of_vfm(cases[i].vfm, 0, &n);

		KUNIT_ASSERT_NOT_NULL(test, row);
		if (cases[i].e_core)
			row = row->e_core_model;
		KUNIT_ASSERT_NOT_NULL(test, row);
		/* Reads, writes and prefetches, each with accesses and misses */
		KUNIT_EXPECT_MEMEQ_MSG(test, (*row->cache_extra)[PERF_COUNT_HW_CACHE_LL],
				       cases[i].values, sizeof(cases[i].values), "%s", row->name);
		events = (*row->cache)[PERF_COUNT_HW_CACHE_LL];
		for (j = 0; j < ARRAY_SIZE(cases[i].values); j++)
			KUNIT_EXPECT_EQ_MSG(test, models_responses(row, events[j / 2][j % 2]) &
					    cases[i].values[j], cases[i].values[j],
					    "%s: cache event %d", row->name, j);
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

/*
 * From Goldmont on, Atoms record branches while PT traces. The SDM names Broadwell and the first
 * Skylakes as CPUs on which these exclude each other.
 */
static void models_traces_beside_branches(struct kunit *test)
{
	static const struct { u32 vfm; bool beside; } cases[] = {
		{ INTEL_BROADWELL, false }, { INTEL_BROADWELL_G, false },
		{ INTEL_BROADWELL_X, false }, { INTEL_BROADWELL_D, false },
		{ INTEL_SKYLAKE_L, false }, { INTEL_SKYLAKE, false },
		{ INTEL_ATOM_GOLDMONT, true }, { INTEL_ATOM_GOLDMONT_D, true },
		{ INTEL_ATOM_GOLDMONT_PLUS, true }, { INTEL_ATOM_TREMONT, true },
		{ INTEL_ATOM_TREMONT_D, true }, { INTEL_ATOM_TREMONT_L, true },
		{ INTEL_ATOM_GRACEMONT, true }, { INTEL_ATOM_CRESTMONT, true },
		{ INTEL_ATOM_CRESTMONT_X, true },
	};
	int i, n;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct x86_model *row = models_of_vfm(cases[i].vfm, 0, &n);

		KUNIT_ASSERT_NOT_NULL(test, row);
		KUNIT_EXPECT_EQ_MSG(test, row->pt_with_lbr, cases[i].beside, "model %#x",
				    (u32)VFM_MODEL(cases[i].vfm));
	}
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

static struct kunit_case models_intel_cases[] = {
	KUNIT_CASE(models_intel_generic),
	KUNIT_CASE(models_intel_lines),
	KUNIT_CASE(models_intel_limits),
	KUNIT_CASE(models_intel_microcode),
	KUNIT_CASE(models_old_microcode),
	KUNIT_CASE(models_last_level),
	KUNIT_CASE(models_node),
	KUNIT_CASE(models_traces_beside_branches),
	KUNIT_CASE(models_metrics),
	{ }
};

static struct kunit_suite models_intel_suite = {
	.name		= "x86_models_intel",
	.test_cases	= models_intel_cases,
};

kunit_test_suite(models_intel_suite);
