// SPDX-License-Identifier: GPL-2.0
/*
 * Event codes and register layout of POWER8.
 */
#include <linux/device.h>
#include <asm/cputable.h>
#include <asm/reg.h>
#include "internal.h"
#include "isa207.h"
#include "tables.h"

/* Event codes, named as in the processor manual */
enum {
	PM_CYC			= ISA207_ANY_CYC,
	PM_INST_CMPL		= ISA207_ANY_INST,
	PM_GCT_NOSLOT_CYC	= 0x100f8,
	PM_CMPLU_STALL		= 0x4000a,
	PM_BRU_FIN		= 0x10068,
	PM_BR_MPRED_CMPL	= 0x400f6,
	PM_LD_REF_L1		= 0x100ee,
	PM_LD_MISS_L1		= 0x3e054,
	PM_ST_MISS_L1		= 0x300f0,
	PM_L1_PREF		= 0x0d8b8,
	PM_INST_FROM_L1		= 0x04080,
	PM_L1_ICACHE_MISS	= 0x200fd,
	PM_L1_DEMAND_WRITE	= 0x0408c,
	PM_IC_PREF_WRITE	= 0x0408e,
	PM_DATA_FROM_L3		= 0x4c042,
	PM_DATA_FROM_L3MISS	= 0x300fe,
	PM_L2_ST		= 0x17080,
	PM_L2_ST_MISS		= 0x17082,
	PM_L3_PREF_ALL		= 0x4e052,
	PM_DTLB_MISS		= 0x300fc,
	PM_ITLB_MISS		= 0x400fc,
	PM_MEM_ACCESS		= 0x10401e0,
};

static const struct isa207_route power8_routes[] = {
	/* one field for each counter: unit and combine */
	{ .from = 12, .width = 4, .when = ISA207_WHEN_COUNTER, .to = ISA207_MMCR1, .shift = 60,
	  .stride = 4 },
	{ .from = 11, .width = 1, .when = ISA207_WHEN_COUNTER, .to = ISA207_MMCR1, .shift = 35,
	  .stride = 1 },
	/* one field for all counters: L1 qualifier */
	{ .from = 20, .width = 2, .when = ISA207_WHEN_L1 | ISA207_WHEN_COUNTER,
	  .to = ISA207_MMCR1, .shift = 46, .rule = 17 },
	/* marked events: sampling mode, and eligibility */
	{ .from = 24, .width = 2, .when = ISA207_WHEN_MARKED, .to = ISA207_MMCRA, .shift = 1,
	  .rule = 21 },
	{ .from = 26, .width = 3, .when = ISA207_WHEN_MARKED, .to = ISA207_MMCRA, .shift = 4,
	  .rule = 23 },
	/* fabric responses to match, in place of the threshold's start and stop */
	{ .from = 32, .width = 8, .when = ISA207_WHEN_FABRIC | ISA207_WHEN_COUNTER,
	  .to = ISA207_MMCR1, .shift = 36, .rule = 47 },
	/* threshold: event, start and stop, compare value */
	{ .from = 29, .width = 3, .when = ISA207_WHEN_NO_FABRIC | ISA207_WHEN_COUNTER,
	  .to = ISA207_MMCRA, .shift = 16, .rule = 26 },
	{ .from = 32, .width = 8, .when = ISA207_WHEN_NO_FABRIC | ISA207_WHEN_COUNTER,
	  .to = ISA207_MMCRA, .shift = 8, .rule = 29 },
	{ .from = 40, .width = 10, .when = ISA207_WHEN_NO_FABRIC | ISA207_WHEN_COUNTER,
	  .to = ISA207_MMCRA, .shift = 32, .rule = 37 },
};

static const u64 power8_same[][ISA207_SAME_MAX] = {
	{ 0x10134, 0x301e2 },	/* marked stores completed */
	{ 0x10138, 0x40138 },	/* marked branches with two paths */
	{ 0x18082, 0x3e05e },	/* castouts of L3 */
	{ 0x1d14e, 0x401e8 },	/* marked data from beyond L2 */
	{ 0x1e054, PM_CMPLU_STALL },	/* stalls of completion */
	{ 0x20036, 0x40036 },	/* branches with two paths */
	{ 0x200f2, 0x300f2 },	/* instructions dispatched */
	{ 0x2013c, 0x3012e },	/* marked filter matches */
	{ PM_LD_MISS_L1, 0x400f0 },	/* loads that miss L1 */
};

static const struct isa207_layout power8_layout = {
	.valid		= GENMASK_ULL(49, 11) | GENMASK_ULL(8, 0),
	.routes		= power8_routes,
	.n_routes	= ARRAY_SIZE(power8_routes),
	.fixed_alts	= true,
	.same		= power8_same,
	.n_same		= ARRAY_SIZE(power8_same),
	/* Update SDAR at each translation miss. */
	.mmcra		= BIT_ULL(42),
	.fabric		= { 0x30056, 0x4f052 },
	.elig		= { 0xff, 0xff, 0xff, 0xff },
	.float_compare	= true,
	.memory		= true,
};

static int power8_generic[] = {
	[HW(CPU_CYCLES)] = PM_CYC, [HW(INSTRUCTIONS)] = PM_INST_CMPL,
	[HW(BRANCH_INSTRUCTIONS)] = PM_BRU_FIN, [HW(BRANCH_MISSES)] = PM_BR_MPRED_CMPL,
	[HW(CACHE_REFERENCES)] = PM_LD_REF_L1, [HW(CACHE_MISSES)] = PM_LD_MISS_L1,
	[HW(STALLED_CYCLES_FRONTEND)] = PM_GCT_NOSLOT_CYC,
	[HW(STALLED_CYCLES_BACKEND)] = PM_CMPLU_STALL,
};

static power_cache_table power8_cache = {
	[C(L1D)] = {
		[C(OP_READ)]		= { PM_LD_REF_L1, PM_LD_MISS_L1 },
		[C(OP_WRITE)]		= { 0, PM_ST_MISS_L1 },
		[C(OP_PREFETCH)]	= { PM_L1_PREF, 0 },
	},
	[C(L1I)] = {
		[C(OP_READ)]		= { PM_INST_FROM_L1, PM_L1_ICACHE_MISS },
		[C(OP_WRITE)]		= { PM_L1_DEMAND_WRITE, -1 },
		[C(OP_PREFETCH)]	= { PM_IC_PREF_WRITE, 0 },
	},
	[C(LL)] = {
		[C(OP_READ)]		= { PM_DATA_FROM_L3, PM_DATA_FROM_L3MISS },
		[C(OP_WRITE)]		= { PM_L2_ST, PM_L2_ST_MISS },
		[C(OP_PREFETCH)]	= { PM_L3_PREF_ALL, 0 },
	},
	[C(DTLB)] = TLB_READ_MISS(PM_DTLB_MISS),
	[C(ITLB)] = TLB_READ_MISS(PM_ITLB_MISS),
	[C(BPU)]  = BRANCHES(PM_BRU_FIN, PM_BR_MPRED_CMPL),
	[C(NODE)] = NO_CACHE,
};

static struct attribute *power8_events[] = {
	POWER_EVENT("L1-dcache-load-misses", PM_LD_MISS_L1),
	POWER_EVENT("L1-dcache-loads", PM_LD_REF_L1),
	POWER_EVENT("L1-dcache-prefetches", PM_L1_PREF),
	POWER_EVENT("L1-dcache-store-misses", PM_ST_MISS_L1),
	POWER_EVENT("L1-icache-load-misses", PM_L1_ICACHE_MISS),
	POWER_EVENT("L1-icache-loads", PM_INST_FROM_L1),
	POWER_EVENT("L1-icache-prefetches", PM_IC_PREF_WRITE),
	POWER_EVENT("LLC-load-misses", PM_DATA_FROM_L3MISS),
	POWER_EVENT("LLC-loads", PM_DATA_FROM_L3),
	POWER_EVENT("LLC-prefetches", PM_L3_PREF_ALL),
	POWER_EVENT("LLC-store-misses", PM_L2_ST_MISS),
	POWER_EVENT("LLC-stores", PM_L2_ST),
	POWER_EVENT("branch-instructions", PM_BRU_FIN),
	POWER_EVENT("branch-load-misses", PM_BR_MPRED_CMPL),
	POWER_EVENT("branch-loads", PM_BRU_FIN),
	POWER_EVENT("branch-misses", PM_BR_MPRED_CMPL),
	POWER_EVENT("cache-misses", PM_LD_MISS_L1),
	POWER_EVENT("cache-references", PM_LD_REF_L1),
	POWER_EVENT("cpu-cycles", PM_CYC),
	POWER_EVENT("dTLB-load-misses", PM_DTLB_MISS),
	POWER_EVENT("iTLB-load-misses", PM_ITLB_MISS),
	POWER_EVENT("instructions", PM_INST_CMPL),
	POWER_EVENT("mem_access", PM_MEM_ACCESS),
	POWER_EVENT("stalled-cycles-backend", PM_CMPLU_STALL),
	POWER_EVENT("stalled-cycles-frontend", PM_GCT_NOSLOT_CYC),
	NULL
};

static struct attribute *power8_fields[] = {
	POWER_TEXT("event", "config:0-49"),
	POWER_TEXT("pmcxsel", "config:0-7"),
	POWER_TEXT("mark", "config:8"),
	POWER_TEXT("combine", "config:11"),
	POWER_TEXT("unit", "config:12-15"),
	POWER_TEXT("pmc", "config:16-19"),
	POWER_TEXT("cache_sel", "config:20-23"),
	POWER_TEXT("sample_mode", "config:24-28"),
	POWER_TEXT("thresh_sel", "config:29-31"),
	POWER_TEXT("thresh_stop", "config:32-35"),
	POWER_TEXT("thresh_start", "config:36-39"),
	POWER_TEXT("thresh_cmp", "config:40-49"),
	NULL
};

static const struct attribute_group power8_files[] = {
	{ .name = "events", .attrs = power8_events },
	{ .name = "format", .attrs = power8_fields },
};

static const struct attribute_group *power8_groups[] = {
	&power8_files[0], &power8_files[1], NULL
};

static struct isa207_driver power8_driver = {
	.layout			= &power8_layout,
	.pmu.name		= "POWER8",
	.pmu.n_generic		= ARRAY_SIZE(power8_generic),
	.pmu.generic_events	= power8_generic,
	.pmu.cache_events	= &power8_cache,
	.pmu.attr_groups	= power8_groups,
	.pmu.bhrb_nr		= 32,
	.pmu.bhrb_filter_map	= isa207_branch_filter,
};

/* HX-C2000 has the core of POWER8. */
static bool power8_is(unsigned int version)
{
	return version == PVR_POWER8E || version == PVR_POWER8NVL || version == PVR_POWER8 ||
	       version == PVR_HX_C2000;
}

int __init init_power8_pmu(void)
{
	if (!power8_is(PVR_VER(mfspr(SPRN_PVR))))
		return -ENODEV;
	return isa207_register(&power8_driver);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/power8_test.c"
#endif
