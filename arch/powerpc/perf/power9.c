// SPDX-License-Identifier: GPL-2.0
/*
 * Event codes and register layout of POWER9.
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
	PM_ICT_NOSLOT_CYC	= 0x100f8,
	PM_CMPLU_STALL		= 0x1e054,
	PM_BR_CMPL		= 0x4d05e,
	PM_BR_MPRED_CMPL	= 0x400f6,
	PM_LD_REF_L1		= 0x100fc,
	PM_LD_MISS_L1_FIN	= 0x2c04e,
	PM_ST_MISS_L1		= 0x300f0,
	PM_L1_PREF		= 0x20054,
	PM_INST_FROM_L1		= 0x04080,
	PM_L1_ICACHE_MISS	= 0x200fd,
	PM_L1_DEMAND_WRITE	= 0x0408c,
	PM_IC_PREF_WRITE	= 0x0488c,
	PM_DATA_FROM_L3		= 0x4c042,
	PM_DATA_FROM_L3MISS	= 0x300fe,
	PM_L3_PREF_ALL		= 0x4e052,
	PM_DTLB_MISS		= 0x300fc,
	PM_ITLB_MISS		= 0x400fc,
};

/* Codes above 32 bits: with a sampling mode and a threshold */
#define PM_MEM_LOADS		0x34340401e0ULL
#define PM_MEM_STORES		0x343c0401e0ULL

static const struct isa207_route power9_routes[] = {
	/* one field for each counter: unit and combine */
	{ .from = 12, .width = 4, .when = ISA207_WHEN_COUNTER, .to = ISA207_MMCR1, .shift = 60,
	  .stride = 4 },
	{ .from = 10, .width = 2, .when = ISA207_WHEN_COUNTER, .to = ISA207_MMCR1, .shift = 38,
	  .stride = 2 },
	/* one field for all counters: L1 qualifier */
	{ .from = 20, .width = 2, .to = ISA207_MMCR1, .when = ISA207_WHEN_COUNTER, .shift = 46,
	  .rule = 17, .l1 = true },
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
	{ .from = 40, .width = 10, .when = ISA207_WHEN_COUNTER, .to = ISA207_MMCRA, .shift = 45,
	  .rule = 37, .threshold = true },
};

static const u64 power9_same[][ISA207_SAME_MAX] = {
	{ 0x200f2, 0x300f2 },	/* instructions dispatched */
	{ 0x20036, 0x40036 },	/* branches with two paths */
	{ 0x3e054, 0x400f0 },	/* loads that miss L1 */
};

static const struct isa207_layout power9_layout = {
	.valid		= GENMASK_ULL(51, 10) | GENMASK_ULL(8, 0),
	.routes		= power9_routes,
	.n_routes	= ARRAY_SIZE(power9_routes),
	.fixed_alts	= true,
	.same		= power9_same,
	.n_same		= ARRAY_SIZE(power9_same),
	.sdar_mode	= 50,
	.sdar_idle	= 2,
	.elig		= { 0xf7, 0x31, 0x3f, 0 },
	.l2l3_same	= true,
	.code_compare	= true,
	.memory		= true,
};

static int power9_generic[] = {
	[HW(CPU_CYCLES)] = PM_CYC, [HW(INSTRUCTIONS)] = PM_INST_CMPL,
	[HW(BRANCH_INSTRUCTIONS)] = PM_BR_CMPL, [HW(BRANCH_MISSES)] = PM_BR_MPRED_CMPL,
	[HW(CACHE_REFERENCES)] = PM_LD_REF_L1, [HW(CACHE_MISSES)] = PM_LD_MISS_L1_FIN,
	[HW(STALLED_CYCLES_FRONTEND)] = PM_ICT_NOSLOT_CYC,
	[HW(STALLED_CYCLES_BACKEND)] = PM_CMPLU_STALL,
};

static power_cache_table power9_cache = {
	[C(L1D)] = {
		[C(OP_READ)]		= { PM_LD_REF_L1, PM_LD_MISS_L1_FIN },
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
		[C(OP_PREFETCH)]	= { PM_L3_PREF_ALL, 0 },
	},
	[C(DTLB)] = TLB_READ_MISS(PM_DTLB_MISS),
	[C(ITLB)] = TLB_READ_MISS(PM_ITLB_MISS),
	[C(BPU)]  = BRANCHES(PM_BR_CMPL, PM_BR_MPRED_CMPL),
	[C(NODE)] = NO_CACHE,
};

static struct attribute *power9_events[] = {
	POWER_EVENT("L1-dcache-load-misses", PM_LD_MISS_L1_FIN),
	POWER_EVENT("L1-dcache-loads", PM_LD_REF_L1),
	POWER_EVENT("L1-dcache-prefetches", PM_L1_PREF),
	POWER_EVENT("L1-dcache-store-misses", PM_ST_MISS_L1),
	POWER_EVENT("L1-icache-load-misses", PM_L1_ICACHE_MISS),
	POWER_EVENT("L1-icache-loads", PM_INST_FROM_L1),
	POWER_EVENT("L1-icache-prefetches", PM_IC_PREF_WRITE),
	POWER_EVENT("LLC-load-misses", PM_DATA_FROM_L3MISS),
	POWER_EVENT("LLC-loads", PM_DATA_FROM_L3),
	POWER_EVENT("LLC-prefetches", PM_L3_PREF_ALL),
	POWER_EVENT("branch-instructions", PM_BR_CMPL),
	POWER_EVENT("branch-load-misses", PM_BR_MPRED_CMPL),
	POWER_EVENT("branch-loads", PM_BR_CMPL),
	POWER_EVENT("branch-misses", PM_BR_MPRED_CMPL),
	POWER_EVENT("cache-misses", PM_LD_MISS_L1_FIN),
	POWER_EVENT("cache-references", PM_LD_REF_L1),
	POWER_EVENT("cpu-cycles", PM_CYC),
	POWER_EVENT("dTLB-load-misses", PM_DTLB_MISS),
	POWER_EVENT("iTLB-load-misses", PM_ITLB_MISS),
	POWER_EVENT("instructions", PM_INST_CMPL),
	POWER_EVENT("mem-loads", PM_MEM_LOADS),
	POWER_EVENT("mem-stores", PM_MEM_STORES),
	POWER_EVENT("stalled-cycles-backend", PM_CMPLU_STALL),
	POWER_EVENT("stalled-cycles-frontend", PM_ICT_NOSLOT_CYC),
	NULL
};

static struct attribute *power9_fields[] = {
	POWER_TEXT("event", "config:0-51"),
	POWER_TEXT("pmcxsel", "config:0-7"),
	POWER_TEXT("mark", "config:8"),
	POWER_TEXT("combine", "config:10-11"),
	POWER_TEXT("unit", "config:12-15"),
	POWER_TEXT("pmc", "config:16-19"),
	POWER_TEXT("cache_sel", "config:20-23"),
	POWER_TEXT("sample_mode", "config:24-28"),
	POWER_TEXT("thresh_sel", "config:29-31"),
	POWER_TEXT("thresh_stop", "config:32-35"),
	POWER_TEXT("thresh_start", "config:36-39"),
	POWER_TEXT("thresh_cmp", "config:40-49"),
	POWER_TEXT("sdar_mode", "config:50-51"),
	NULL
};

static const struct attribute_group power9_files[] = {
	{ .name = "events", .attrs = power9_events },
	{ .name = "format", .attrs = power9_fields },
};

static const struct attribute_group *power9_groups[] = {
	&power9_files[0], &power9_files[1], NULL
};

/* Events that revision 2.1 counts incorrectly */
static int power9_wrong_21[] = {
	0x10134, 0x1f056, 0x20112, 0x2d024, 0x3006c, 0x3405e, 0x3e15c, 0x3f056, 0x4003c,
	0x4505e, 0x4e014,
};

/* Events that revision 2.2 counts incorrectly: translation misses by page size, and others */
static int power9_wrong_22[] = {
	0x1c058, 0x1c05a, 0x1c05c, 0x1d15c, 0x2c056, 0x2c05a, 0x2d152, 0x2d156, 0x2d15e,
	0x3c056, 0x3d152, 0x3d156, 0x4003c, 0x4c056, 0x4c05a, 0x4c15e,
};

static struct isa207_driver power9_driver = {
	.layout			= &power9_layout,
	.pmu.name		= "POWER9",
	.pmu.n_generic		= ARRAY_SIZE(power9_generic),
	.pmu.generic_events	= power9_generic,
	.pmu.cache_events	= &power9_cache,
	.pmu.attr_groups	= power9_groups,
	.pmu.bhrb_nr		= 32,
	.pmu.bhrb_filter_map	= isa207_branch_filter,
	.pmu.capabilities	= PERF_PMU_CAP_EXTENDED_REGS,
};

/* Refuse the events that the revision in @pvr counts incorrectly. */
static void power9_set_blacklist(struct power_pmu *driver, unsigned int pvr)
{
	switch (pvr & 0xfff) {
	case 0x201:
		driver->blacklist_ev = power9_wrong_21;
		driver->n_blacklist_ev = ARRAY_SIZE(power9_wrong_21);
		break;
	case 0x202:
		driver->blacklist_ev = power9_wrong_22;
		driver->n_blacklist_ev = ARRAY_SIZE(power9_wrong_22);
		break;
	}
}

int __init init_power9_pmu(void)
{
	unsigned int pvr = mfspr(SPRN_PVR);
	int err;

	if (PVR_VER(pvr) != PVR_POWER9)
		return -ENODEV;
	power9_set_blacklist(&power9_driver.pmu, pvr);
	err = isa207_register(&power9_driver);
	if (err)
		return err;
	PERF_REG_EXTENDED_MASK = PERF_REG_PMU_MASK_300;
	return 0;
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/power9_test.c"
#endif
