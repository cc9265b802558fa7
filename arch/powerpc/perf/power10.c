// SPDX-License-Identifier: GPL-2.0
/*
 * POWER10 and POWER11.
 */
#include <linux/device.h>
#include <asm/cputable.h>
#include <asm/reg.h>
#include "internal.h"
#include "isa207.h"

/* Codes of events, by the names of the processor's manual */
enum {
	PM_CYC				= 0x600f4,
	PM_INST_CMPL			= 0x500fa,
	PM_DISP_STALL_CYC		= 0x100f8,
	PM_EXEC_STALL			= 0x30008,
	PM_BR_CMPL			= 0x4d05e,
	PM_BR_MPRED_CMPL		= 0x400f6,
	PM_LD_REF_L1			= 0x100fc,
	PM_LD_MISS_L1			= 0x3e054,
	PM_ST_MISS_L1			= 0x300f0,
	PM_LD_PREFETCH_CACHE_LINE_MISS	= 0x1002c,
	PM_L1_ICACHE_MISS		= 0x200fd,
	PM_INST_FROM_L1			= 0x04080,
	PM_DATA_FROM_L3MISS		= 0x300fe,
	PM_DTLB_MISS			= 0x300fc,
	PM_ITLB_MISS			= 0x400fc,
};

static const u64 power10_same[][ISA207_SAME_MAX] = {
	{ 0x200f4, ISA207_RUN_CYC },
	{ 0x400fa, ISA207_RUN_INST },
};

static const struct isa207_route power10_routes[] = {
	/* unit, combine and cache reload source: of each counter */
	{ .from = 12, .width = 4, .when = ISA207_WHEN_COUNTER, .to = ISA207_MMCR1, .shift = 60,
	  .stride = 4 },
	{ .from = 10, .width = 2, .when = ISA207_WHEN_COUNTER, .to = ISA207_MMCR1, .shift = 38,
	  .stride = 2 },
	{ .from = 45, .width = 15, .when = ISA207_WHEN_COUNTER, .to = ISA207_MMCR3, .shift = 45,
	  .stride = 15 },
	/* radix scope, L1 qualifier, L2 and L3 bus select: of all */
	{ .from = 9, .width = 1, .to = ISA207_MMCR1, .when = ISA207_WHEN_COUNTER, .shift = 45,
	  .rule = 60 },
	{ .from = 20, .width = 2, .to = ISA207_MMCR1, .when = ISA207_WHEN_COUNTER, .shift = 46,
	  .rule = 17 },
	{ .from = 40, .width = 5, .to = ISA207_MMCR2,
	  .when = ISA207_WHEN_COUNTER | ISA207_WHEN_L2L3, .shift = 3, .rule = 55 },
	/* sampling mode: mode, and which instructions may be marked */
	{ .from = 24, .width = 2, .when = ISA207_WHEN_MARKED, .to = ISA207_MMCRA, .shift = 1,
	  .rule = 21 },
	{ .from = 26, .width = 3, .when = ISA207_WHEN_MARKED, .to = ISA207_MMCRA, .shift = 4,
	  .rule = 23 },
	/* threshold: what it counts, from where to where, and the value it is compared with */
	{ .from = 29, .width = 3, .when = ISA207_WHEN_MARKED, .to = ISA207_MMCRA, .shift = 16,
	  .rule = 26 },
	{ .from = 32, .width = 8, .when = ISA207_WHEN_MARKED, .to = ISA207_MMCRA, .shift = 8,
	  .rule = 29 },
	{ .from = 0, .width = 18, .config1 = true, .when = ISA207_WHEN_MARKED,
	  .to = ISA207_MMCRA, .shift = 45, .mantissa = 8, .rule = 37 },
};

static const struct isa207_layout power10_layout = {
	.valid		= BIT_ULL(60) - 1,
	.routes		= power10_routes,
	.n_routes	= ARRAY_SIZE(power10_routes),
	.same		= power10_same,
	.n_same		= ARRAY_SIZE(power10_same),
	.sdar_mode	= 22,
};

/* The value to compare with is all that config1 has. */
static int power10_check(struct perf_event *event)
{
	return event->attr.config1 >> 18 ? -EINVAL : 0;
}

#define HW(name)	PERF_COUNT_HW_##name

static int power10_generic[] = {
	[HW(CPU_CYCLES)] = PM_CYC, [HW(INSTRUCTIONS)] = PM_INST_CMPL,
	[HW(BRANCH_INSTRUCTIONS)] = PM_BR_CMPL, [HW(BRANCH_MISSES)] = PM_BR_MPRED_CMPL,
	[HW(CACHE_REFERENCES)] = PM_LD_REF_L1, [HW(CACHE_MISSES)] = PM_LD_MISS_L1,
	[HW(STALLED_CYCLES_FRONTEND)] = PM_DISP_STALL_CYC,
	[HW(STALLED_CYCLES_BACKEND)] = PM_EXEC_STALL,
};

#define C(x)	PERF_COUNT_HW_CACHE_##x
#define NEVER	{ [C(RESULT_ACCESS)] = -1, [C(RESULT_MISS)] = -1 }

static u64 power10_cache[C(MAX)][C(OP_MAX)][C(RESULT_MAX)] = {
	[C(L1D)] = {
		[C(OP_READ)]		= { PM_LD_REF_L1, PM_LD_MISS_L1 },
		[C(OP_WRITE)]		= { 0, PM_ST_MISS_L1 },
		[C(OP_PREFETCH)]	= { PM_LD_PREFETCH_CACHE_LINE_MISS, 0 },
	},
	[C(L1I)] = {
		[C(OP_READ)]		= { PM_INST_FROM_L1, PM_L1_ICACHE_MISS },
		[C(OP_WRITE)]		= NEVER,
	},
	[C(LL)] = {
		[C(OP_READ)]		= { 0, PM_DATA_FROM_L3MISS },
		[C(OP_WRITE)]		= NEVER,
	},
	[C(DTLB)] = {
		[C(OP_READ)]		= { 0, PM_DTLB_MISS },
		[C(OP_WRITE)]		= NEVER,
		[C(OP_PREFETCH)]	= NEVER,
	},
	[C(ITLB)] = {
		[C(OP_READ)]		= { 0, PM_ITLB_MISS },
		[C(OP_WRITE)]		= NEVER,
		[C(OP_PREFETCH)]	= NEVER,
	},
	[C(BPU)] = {
		[C(OP_READ)]		= { PM_BR_CMPL, PM_BR_MPRED_CMPL },
		[C(OP_WRITE)]		= NEVER,
		[C(OP_PREFETCH)]	= NEVER,
	},
	[C(NODE)] = { NEVER, NEVER, NEVER },
};

static struct attribute *power10_events[] = {
	POWER_TEXT("cpu-cycles", "event=0x600f4"),
	POWER_TEXT("instructions", "event=0x500fa"),
	POWER_TEXT("branch-instructions", "event=0x4d05e"),
	POWER_TEXT("branch-misses", "event=0x400f6"),
	POWER_TEXT("cache-references", "event=0x100fc"),
	POWER_TEXT("cache-misses", "event=0x3e054"),
	NULL
};

/* The fields of a code: of all events, of marked ones, of those of certain units */
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

static struct power_pmu power10_driver = {
	.name			= "POWER10",
	.n_counter		= 6,
	.max_alternatives	= MAX_EVENT_ALTERNATIVES,
	.add_fields		= ISA207_COUNTED_BY,
	.test_adder		= ISA207_FULL_BY,
	.compute_mmcr		= isa207_fill_registers,
	.get_constraint		= isa207_constrain,
	.get_alternatives	= isa207_same_events,
	.disable_pmc		= isa207_unselect,
	.flags			= PPMU_HAS_SIER | PPMU_ARCH_207S | PPMU_ARCH_31 | PPMU_P10 |
				  PPMU_HAS_ATTR_CONFIG1,
	.n_generic		= ARRAY_SIZE(power10_generic),
	.generic_events		= power10_generic,
	.cache_events		= &power10_cache,
	.attr_groups		= power10_groups,
	.capabilities		= PERF_PMU_CAP_EXTENDED_REGS,
	.check_attr_config	= power10_check,
};

/* See internal.h. */
int __init init_power10_pmu(void)
{
	unsigned int version = PVR_VER(mfspr(SPRN_PVR));
	int err;

	if (version != PVR_POWER10 && version != PVR_POWER11)
		return -ENODEV;
	if (version == PVR_POWER11)
		power10_driver.name = "POWER11";
	isa207_layout = &power10_layout;
	err = register_power_pmu(&power10_driver);
	if (err)
		return err;
	PERF_REG_EXTENDED_MASK = PERF_REG_PMU_MASK_31;
	return 0;
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/power10_test.c"
#endif
