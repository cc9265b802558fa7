// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU of processors without a driver of their own: the events that ISA 3.0 defines for all
 * processors, encoded as a counter and its PMCxSEL.
 */
#include <linux/device.h>
#include <asm/cputable.h>
#include <asm/reg.h>
#include "internal.h"
#include "isa207.h"
#include "tables.h"

/* Event codes, named as in the ISA */
enum {
	PM_CYC			= ISA207_RUN_CYC,
	PM_INST_CMPL		= ISA207_RUN_INST,
	PM_ICT_NOSLOT_CYC	= 0x100f8,
	PM_BR_MPRED_CMPL	= 0x400f6,
	PM_LD_MISS_L1		= 0x400f0,
	PM_ST_MISS_L1		= 0x300f0,
	PM_INST_FROM_L1MISS	= 0x200fc,
	PM_DATA_FROM_L3MISS	= 0x300fe,
	PM_DTLB_MISS		= 0x300fc,
	PM_ITLB_MISS		= 0x400fc,
};

static const u64 compat_same[][ISA207_SAME_MAX] = {
	{ 0x100f0, PM_CYC },
	{ 0x100fe, PM_INST_CMPL },
	{ 0x200f2, 0x300f2 },	/* instructions dispatched */
};

static struct isa207_layout compat_layout __ro_after_init = {
	/* PMCxSEL and the counter */
	.valid		= GENMASK_ULL(19, 16) | GENMASK_ULL(7, 0),
	.same		= compat_same,
	.n_same		= ARRAY_SIZE(compat_same),
	.fixed_idle	= true,
	/* A valid code has 0 at this bit, so that all events use @sdar_idle. */
	.sdar_mode	= 50,
	.sdar_idle	= 2,
	/* No code can mark instructions. */
	.elig		= { 1, 0, 0, 0 },
};

static int compat_generic[] = {
	[HW(CPU_CYCLES)] = PM_CYC, [HW(INSTRUCTIONS)] = PM_INST_CMPL,
	[HW(BRANCH_MISSES)] = PM_BR_MPRED_CMPL, [HW(CACHE_MISSES)] = PM_LD_MISS_L1,
	[HW(STALLED_CYCLES_FRONTEND)] = PM_ICT_NOSLOT_CYC,
};

static power_cache_table compat_cache = {
	[C(L1D)] = {
		[C(OP_READ)]		= { 0, PM_LD_MISS_L1 },
		[C(OP_WRITE)]		= { 0, PM_ST_MISS_L1 },
		[C(OP_PREFETCH)]	= { 0, 0 },
	},
	[C(L1I)] = {
		[C(OP_READ)]		= { 0, PM_INST_FROM_L1MISS },
		[C(OP_WRITE)]		= { 0, -1 },
		[C(OP_PREFETCH)]	= { 0, 0 },
	},
	[C(LL)] = {
		[C(OP_READ)]		= { 0, PM_DATA_FROM_L3MISS },
		[C(OP_WRITE)]		= { 0, 0 },
		[C(OP_PREFETCH)]	= { 0, 0 },
	},
	[C(DTLB)] = TLB_READ_MISS(PM_DTLB_MISS),
	[C(ITLB)] = TLB_READ_MISS(PM_ITLB_MISS),
	[C(BPU)]  = BRANCHES(0, PM_BR_MPRED_CMPL),
	[C(NODE)] = NO_CACHE,
};

static struct attribute *compat_events[] = {
	POWER_EVENT("L1-dcache-load-misses", PM_LD_MISS_L1),
	POWER_EVENT("L1-dcache-store-misses", PM_ST_MISS_L1),
	POWER_EVENT("L1-icache-load-misses", PM_INST_FROM_L1MISS),
	POWER_EVENT("LLC-load-misses", PM_DATA_FROM_L3MISS),
	POWER_EVENT("branch-load-misses", PM_BR_MPRED_CMPL),
	POWER_EVENT("branch-misses", PM_BR_MPRED_CMPL),
	POWER_EVENT("cache-misses", PM_LD_MISS_L1),
	POWER_EVENT("cpu-cycles", PM_CYC),
	POWER_EVENT("dTLB-load-misses", PM_DTLB_MISS),
	POWER_EVENT("iTLB-load-misses", PM_ITLB_MISS),
	POWER_EVENT("instructions", PM_INST_CMPL),
	POWER_EVENT("stalled-cycles-frontend", PM_ICT_NOSLOT_CYC),
	NULL
};

static struct attribute *compat_fields[] = {
	POWER_TEXT("event", "config:0-19"),
	POWER_TEXT("pmcxsel", "config:0-7"),
	POWER_TEXT("pmc", "config:16-19"),
	NULL
};

static const struct attribute_group compat_files[] = {
	{ .name = "events", .attrs = compat_events },
	{ .name = "format", .attrs = compat_fields },
};

static const struct attribute_group *compat_groups[] = {
	&compat_files[0], &compat_files[1], NULL
};

/* Bits beyond the event code are reserved, including those for event-based branches. */
static int compat_check(struct perf_event *event)
{
	return event->attr.config & ~compat_layout.valid ? -EINVAL : 0;
}

static struct isa207_driver compat_driver = {
	.layout			= &compat_layout,
	.pmu.name		= "ISAv3",
	.pmu.check_attr_config	= compat_check,
	.pmu.n_generic		= ARRAY_SIZE(compat_generic),
	.pmu.generic_events	= compat_generic,
	.pmu.cache_events	= &compat_cache,
	.pmu.attr_groups	= compat_groups,
};

/*
 * Bits always set in MMCRA. From ISA 3.1 on, MMCRA enables the BHRB, which slows the processor
 * down: disable it, since no event of this driver has a branch stack.
 */
static unsigned long compat_mmcra(bool v31)
{
	return v31 ? MMCRA_BHRB_DISABLE : 0;
}

int __init init_compat_pmu(void)
{
	if (!cpu_has_feature(CPU_FTR_ARCH_300))
		return -ENODEV;
	compat_layout.mmcra = compat_mmcra(cpu_has_feature(CPU_FTR_ARCH_31));
	return isa207_register(&compat_driver);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/compat_test.c"
#endif
