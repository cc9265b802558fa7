// SPDX-License-Identifier: GPL-2.0
/*
 * Models of Intel CPUs with other PMUs: P6 and Knights Corner.
 */
#include "../engine.h"
#include "tables.h"

/*
 * P6: the enable bit of the first select is for both counters, so it is always set. A counter is
 * stopped by clearing the modes of its select. Writes sign-extend 32 bits.
 */
static const struct x86_pmu_msrs p6_msrs = {
	.select		= MSR_P6_EVNTSEL0,
	.counter	= MSR_P6_PERFCTR0,
	.stride		= 1,
	.halt		= ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS,
	.always		= ARCH_PERFMON_EVENTSEL_ENABLE,
	.masks_lvt	= true,
};

static const u64 p6_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= EVENT(0x79, 0x00),
	[PERF_COUNT_HW_INSTRUCTIONS]		= EVENT(0xc0, 0x00),
	[PERF_COUNT_HW_CACHE_REFERENCES]	= EVENT(0x2e, 0x0f),
	[PERF_COUNT_HW_CACHE_MISSES]		= EVENT(0x2e, 0x01),
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= EVENT(0xc4, 0x00),
	[PERF_COUNT_HW_BRANCH_MISSES]		= EVENT(0xc5, 0x00),
	/* Cycles with data on the bus */
	[PERF_COUNT_HW_BUS_CYCLES]		= EVENT(0x62, 0x00),
	/* Resource stalls */
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= EVENT(0xa2, 0x00),
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND]	= X86_IMPOSSIBLE,
	[PERF_COUNT_HW_REF_CPU_CYCLES]		= X86_IMPOSSIBLE,
};

/*
 * Misses of caches are counted as lines allocated (DCU_LINES_IN, L2_M_LINES_INM), or as requests to
 * L2 (L2_IFETCH, L2_LD).
 */
static const x86_cache_events p6_cache = {
	CACHE(L1D, READ)	= { EVENT(0x43, 0x00), EVENT(0x45, 0x00) },
	CACHE(L1D, WRITE)	= { 0, EVENT(0x29, 0x0f) },
	CACHE(L1I, READ)	= { EVENT(0x80, 0x00), EVENT(0x28, 0x0f) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, WRITE)	= { 0, EVENT(0x25, 0x00) },
	CACHE(DTLB, READ)	= { EVENT(0x43, 0x00) },
	CACHE(ITLB, READ)	= { EVENT(0x80, 0x00), EVENT(0x85, 0x00) },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x00), EVENT(0xc5, 0x00) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
};

/*
 * FP_COMP_OPS_EXE, CYCLES_DIV_BUSY and FLOPS only on counter 0; FP_ASSIST, MUL and DIV only on
 * counter 1
 */
static const struct x86_limit p6_limits[] = {
	X86_LIMIT_EVENT(0x10, BIT(0)),
	X86_LIMIT_EVENTS(0x11, 0x13, BIT(1)),
	X86_LIMIT_EVENT(0x14, BIT(0)),
	X86_LIMIT_EVENT(0xc1, BIT(0)),
	X86_LIMIT_END
};

#define P6_ROW(_probe)								\
	.name		= "p6",							\
	.probe		= (_probe),						\
	.msrs		= &p6_msrs,						\
	.counters	= X86_GENERAL(2),					\
	.width		= 32,							\
	.config_mask	= X86_RAW_EVENT_MASK,					\
	.generic	= p6_generic,						\
	.cache		= &p6_cache,						\
	.limits		= p6_limits,						\
	.format		= x86_intel_format

static const struct x86_model p6 = {
	P6_ROW(NULL),
};

/* Erratum 26 of the first Pentium Pro: RDPMC in user space can return wrong values. */
static int p6_no_rdpmc(struct x86_core *core)
{
	x86_rdpmc = 0;
	return 0;
}

static const struct x86_model p6_first = {
	P6_ROW(p6_no_rdpmc),
};

/* Knights Corner has architectural control and status registers at other addresses. */
#define MSR_KNC_GLOBAL_STATUS	0x0000002d
#define MSR_KNC_GLOBAL_ACK	0x0000002e
#define MSR_KNC_GLOBAL_CONTROL	0x0000002f

static const struct x86_pmu_msrs knc_msrs = {
	.select		= MSR_KNC_EVNTSEL0,
	.counter	= MSR_KNC_PERFCTR0,
	.stride		= 1,
	.control	= MSR_KNC_GLOBAL_CONTROL,
	.status		= MSR_KNC_GLOBAL_STATUS,
	.ack		= MSR_KNC_GLOBAL_ACK,
	.others		= ~0ULL,
	.run		= ARCH_PERFMON_EVENTSEL_ENABLE,
	.halt		= ARCH_PERFMON_EVENTSEL_ENABLE,
	.masks_lvt	= true,
};

static const u64 knc_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= EVENT(0x2a, 0x00),
	[PERF_COUNT_HW_INSTRUCTIONS]		= EVENT(0x16, 0x00),
	[PERF_COUNT_HW_CACHE_REFERENCES]	= EVENT(0x28, 0x00),
	[PERF_COUNT_HW_CACHE_MISSES]		= EVENT(0x29, 0x00),
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= EVENT(0x12, 0x00),
	[PERF_COUNT_HW_BRANCH_MISSES]		= EVENT(0x2b, 0x00),
};

static struct attribute *knc_format[] = {
	X86_FORMAT_ATTR("event", "config:0-7"),
	X86_FORMAT_ATTR("umask", "config:8-15"),
	X86_FORMAT_ATTR("edge", "config:18"),
	X86_FORMAT_ATTR("inv", "config:23"),
	X86_FORMAT_ATTR("cmask", "config:24-31"),
	NULL
};

static const struct x86_model knc = {
	.name		= "knc",
	.msrs		= &knc_msrs,
	.counters	= X86_GENERAL(2),
	.width		= 40,
	.config_mask	= X86_RAW_EVENT_MASK,
	.generic	= knc_generic,
	.format		= knc_format,
};

/* Pentium Pro, II, III and M; later CPUs have the architectural PMU. */
#define P6_LINE(_model)								\
	X86_MATCH_VENDOR_FAM_MODEL_STEPPINGS_FEATURE(INTEL, 6, _model,		\
						     X86_STEPPING_ANY, X86_FEATURE_ANY, &p6)

const struct x86_cpu_id x86_intel_old_models[] = {
	X86_MATCH_VENDOR_FAM_MODEL_STEPPINGS_FEATURE(INTEL, 6, 1, X86_STEPPINGS(0, 8),
						     X86_FEATURE_ANY, &p6_first),
	P6_LINE(1), P6_LINE(3), P6_LINE(5), P6_LINE(6), P6_LINE(7), P6_LINE(8),
	P6_LINE(9), P6_LINE(10), P6_LINE(11), P6_LINE(13),
	X86_MATCH_VENDOR_FAM_MODEL_STEPPINGS_FEATURE(INTEL, 11, 1, X86_STEPPING_ANY,
						     X86_FEATURE_ANY, &knc),
	X86_MODEL_FAMILY(INTEL, 15, x86_intel_p4),
	{ }
};
