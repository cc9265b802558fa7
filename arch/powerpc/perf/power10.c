// SPDX-License-Identifier: GPL-2.0
/*
 * Event codes and register layout of POWER10 and POWER11.
 */
#include <linux/device.h>
#include <asm/cputable.h>
#include <asm/reg.h>
#include "internal.h"
#include "isa207.h"
#include "tables.h"

/* Event codes, named as in the processor manual */
enum {
	PM_CYC				= ISA207_RUN_CYC,
	PM_INST_CMPL			= ISA207_RUN_INST,
	PM_BR_FIN			= 0x2f04a,
	PM_BR_CMPL			= 0x4d05e,
	PM_MPRED_BR_FIN			= 0x3e098,
	PM_BR_MPRED_CMPL		= 0x400f6,
	PM_LD_REF_L1			= 0x100fc,
	PM_LD_MISS_L1			= 0x3e054,
	PM_LD_DEMAND_MISS_L1_FIN	= 0x400f0,
	PM_ST_MISS_L1			= 0x300f0,
	PM_LD_PREFETCH_CACHE_LINE_MISS	= 0x1002c,
	PM_L1_ICACHE_MISS		= 0x200fc,
	PM_INST_FROM_L1			= 0x04080,
	PM_IC_PREF_REQ			= 0x040a0,
	PM_L2_ST_MISS			= 0x26880,
	PM_DATA_FROM_L3MISS		= 0x300fe,
	PM_DTLB_MISS			= 0x300fc,
	PM_ITLB_MISS			= 0x400fc,
};

/* Codes above 32 bits: with a reload source, L2/L3 bus, or threshold. */
#define PM_INST_FROM_L1MISS		0x003f00000001c040ULL
#define PM_DATA_FROM_L3			0x001340000001c040ULL
#define PM_L3_PF_MISS_L3		0x0000100000016080ULL
#define PM_L2_ST			0x0000010000046080ULL
#define PM_MEM_LOADS			0x00000035340401e0ULL
#define PM_MEM_STORES			0x000000353c0401e0ULL

static const struct isa207_route power10_routes[] = {
	/* one field for each counter: unit, combine, and reload source */
	{ .from = 12, .width = 4, .when = ISA207_WHEN_COUNTER, .to = ISA207_MMCR1, .shift = 60,
	  .stride = 4 },
	{ .from = 10, .width = 2, .when = ISA207_WHEN_COUNTER, .to = ISA207_MMCR1, .shift = 38,
	  .stride = 2 },
	{ .from = 45, .width = 15, .when = ISA207_WHEN_COUNTER, .to = ISA207_MMCR3, .shift = 49,
	  .stride = 15 },
	/* one field for all counters: radix scope, L1 qualifier, L2/L3 bus */
	{ .from = 9, .width = 1, .to = ISA207_MMCR1, .when = ISA207_WHEN_COUNTER, .shift = 45,
	  .rule = 60 },
	{ .from = 20, .width = 2, .to = ISA207_MMCR1, .when = ISA207_WHEN_COUNTER, .shift = 46,
	  .rule = 17, .l1 = true },
	{ .from = 40, .width = 5, .to = ISA207_MMCR2,
	  .when = ISA207_WHEN_COUNTER | ISA207_WHEN_BUS, .shift = 3, .rule = 55 },
	/* marked events: sampling mode, and eligibility */
	{ .from = 24, .width = 2, .when = ISA207_WHEN_MARKED, .to = ISA207_MMCRA, .shift = 1,
	  .rule = 21 },
	{ .from = 26, .width = 3, .when = ISA207_WHEN_MARKED, .to = ISA207_MMCRA, .shift = 4,
	  .rule = 23 },
	/* threshold: event, start and stop, compare value */
	{ .from = 29, .width = 3, .when = ISA207_WHEN_COUNTER, .to = ISA207_MMCRA, .shift = 16,
	  .rule = 26, .threshold = true },
	{ .from = 32, .width = 8, .when = ISA207_WHEN_COUNTER, .to = ISA207_MMCRA, .shift = 8,
	  .rule = 29, .threshold = true },
	{ .from = 0, .width = 18, .config1 = true, .when = ISA207_WHEN_COUNTER,
	  .to = ISA207_MMCRA, .shift = 45, .mantissa = 8, .rule = 37, .threshold = true },
};

static const struct isa207_layout power10_layout = {
	.valid		= BIT_ULL(60) - 1,
	.routes		= power10_routes,
	.n_routes	= ARRAY_SIZE(power10_routes),
	.fixed_alts	= true,
	.fixed_idle	= true,
	/* The BHRB slows the processor down: enable the BHRB only for events that need branches. */
	.mmcra		= MMCRA_BHRB_DISABLE,
	.sdar_mode	= 22,
	.sdar_idle	= 2,
	.elig		= { 0xef, 0x31, 0x3f, 0 },
	.memory		= true,
};

static int power10_generic[] = {
	[HW(CPU_CYCLES)] = PM_CYC, [HW(INSTRUCTIONS)] = PM_INST_CMPL,
	[HW(BRANCH_INSTRUCTIONS)] = PM_BR_FIN, [HW(BRANCH_MISSES)] = PM_MPRED_BR_FIN,
	[HW(CACHE_REFERENCES)] = PM_LD_REF_L1, [HW(CACHE_MISSES)] = PM_LD_DEMAND_MISS_L1_FIN,
};

static power_cache_table power10_cache = {
	[C(L1D)] = {
		[C(OP_READ)]		= { PM_LD_REF_L1, PM_LD_MISS_L1 },
		[C(OP_WRITE)]		= { 0, PM_ST_MISS_L1 },
		[C(OP_PREFETCH)]	= { PM_LD_PREFETCH_CACHE_LINE_MISS, 0 },
	},
	[C(L1I)] = {
		[C(OP_READ)]		= { PM_INST_FROM_L1, PM_L1_ICACHE_MISS },
		[C(OP_WRITE)]		= { PM_INST_FROM_L1MISS, -1 },
		[C(OP_PREFETCH)]	= { PM_IC_PREF_REQ, 0 },
	},
	[C(LL)] = {
		[C(OP_READ)]		= { PM_DATA_FROM_L3, PM_DATA_FROM_L3MISS },
		[C(OP_WRITE)]		= { PM_L2_ST, PM_L2_ST_MISS },
		[C(OP_PREFETCH)]	= { PM_L3_PF_MISS_L3, 0 },
	},
	[C(DTLB)] = TLB_READ_MISS(PM_DTLB_MISS),
	[C(ITLB)] = TLB_READ_MISS(PM_ITLB_MISS),
	[C(BPU)]  = BRANCHES(PM_BR_CMPL, PM_BR_MPRED_CMPL),
	[C(NODE)] = NO_CACHE,
};

static struct attribute *power10_events[] = {
	POWER_EVENT("L1-dcache-load-misses", PM_LD_MISS_L1),
	POWER_EVENT("L1-dcache-loads", PM_LD_REF_L1),
	POWER_EVENT("L1-dcache-prefetches", PM_LD_PREFETCH_CACHE_LINE_MISS),
	POWER_EVENT("L1-dcache-store-misses", PM_ST_MISS_L1),
	POWER_EVENT("L1-icache-load-misses", PM_L1_ICACHE_MISS),
	POWER_EVENT("L1-icache-loads", PM_INST_FROM_L1),
	POWER_EVENT("L1-icache-prefetches", PM_IC_PREF_REQ),
	POWER_EVENT("LLC-load-misses", PM_DATA_FROM_L3MISS),
	POWER_EVENT("LLC-loads", PM_DATA_FROM_L3),
	POWER_EVENT("LLC-prefetches", PM_L3_PF_MISS_L3),
	POWER_EVENT("LLC-store-misses", PM_L2_ST_MISS),
	POWER_EVENT("LLC-stores", PM_L2_ST),
	POWER_EVENT("branch-instructions", PM_BR_FIN),
	POWER_EVENT("branch-load-misses", PM_BR_MPRED_CMPL),
	POWER_EVENT("branch-loads", PM_BR_CMPL),
	POWER_EVENT("branch-misses", PM_MPRED_BR_FIN),
	POWER_EVENT("cache-misses", PM_LD_DEMAND_MISS_L1_FIN),
	POWER_EVENT("cache-references", PM_LD_REF_L1),
	POWER_EVENT("cpu-cycles", PM_CYC),
	POWER_EVENT("dTLB-load-misses", PM_DTLB_MISS),
	POWER_EVENT("iTLB-load-misses", PM_ITLB_MISS),
	POWER_EVENT("instructions", PM_INST_CMPL),
	POWER_EVENT("mem-loads", PM_MEM_LOADS),
	POWER_EVENT("mem-stores", PM_MEM_STORES),
	NULL
};

/* Fields of the event code: of all events, of marked events, of events of certain units */
static struct attribute *power10_fields[] = {
	POWER_TEXT("event", "config:0-59"),
	POWER_TEXT("pmcxsel", "config:0-7"),
	POWER_TEXT("combine", "config:10-11"),
	POWER_TEXT("unit", "config:12-15"),
	POWER_TEXT("pmc", "config:16-19"),
	POWER_TEXT("sdar_mode", "config:22-23"),

	POWER_TEXT("mark", "config:8"),
	POWER_TEXT("sample_mode", "config:24-28"),
	POWER_TEXT("thresh_sel", "config:29-31"),
	POWER_TEXT("thresh_start", "config:36-39"),
	POWER_TEXT("thresh_stop", "config:32-35"),
	POWER_TEXT("thresh_cmp", "config1:0-17"),

	POWER_TEXT("radix_scope", "config:9"),
	POWER_TEXT("cache_sel", "config:20-21"),
	POWER_TEXT("l2l3_sel", "config:40-44"),
	POWER_TEXT("src_sel", "config:45-46"),
	POWER_TEXT("invert_bit", "config:47"),
	POWER_TEXT("src_mask", "config:48-53"),
	POWER_TEXT("src_match", "config:54-59"),
	NULL
};

static const struct attribute_group power10_files[] = {
	{ .name = "events", .attrs = power10_events },
	{ .name = "format", .attrs = power10_fields },
};

static const struct attribute_group *power10_groups[] = {
	&power10_files[0], &power10_files[1], NULL
};

static struct isa207_driver power10_driver = {
	.layout			= &power10_layout,
	.pmu.name		= "POWER10",
	.pmu.flags		= PPMU_ARCH_31 | PPMU_P10 | PPMU_HAS_ATTR_CONFIG1,
	.pmu.n_generic		= ARRAY_SIZE(power10_generic),
	.pmu.generic_events	= power10_generic,
	.pmu.cache_events	= &power10_cache,
	.pmu.attr_groups	= power10_groups,
	.pmu.bhrb_nr		= 32,
	.pmu.bhrb_filter_map	= isa207_branch_filter,
	.pmu.capabilities	= PERF_PMU_CAP_EXTENDED_REGS,
};

int __init init_power10_pmu(void)
{
	unsigned int version = PVR_VER(mfspr(SPRN_PVR));
	int err;

	if (version != PVR_POWER10 && version != PVR_POWER11)
		return -ENODEV;
	if (version == PVR_POWER11)
		power10_driver.pmu.name = "Power11";
	err = isa207_register(&power10_driver);
	if (err)
		return err;
	PERF_REG_EXTENDED_MASK = PERF_REG_PMU_MASK_31;
	return 0;
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/power10_test.c"
#endif
