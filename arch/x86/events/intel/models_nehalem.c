// SPDX-License-Identifier: GPL-2.0
/*
 * Models of Intel's P-cores, from the first Core to Broadwell.
 *
 * The codes are from the Software Developer's Manual and from Intel's event lists
 * (tools/perf/pmu-events/arch/x86/), and so are the constraints.
 */
#include "../engine.h"
#include "tables.h"

/*
 * A thread has four counters, or eight with hyper-threading disabled. The upper four cannot count
 * events outside of the pipeline: cycles by outstanding requests, and loads and stores by data
 * source.
 */
#define LOW_HALF	X86_GENERAL(4)

/*
 * Errata BJ122, BV98 and HSD29: counts of these events may be added to the counter of the same
 * number of the core's other thread.
 */
#define LEAKS(_first, _last)							\
	{ .first = (_first), .last = (_last), .mask = X86_MATCH_EVENT,		\
	  .counters = LOW_HALF, .flags = X86_LIMIT_HT_ERRATUM }

/* Floating point events have one counter each; retired loads and port events use counter 0. */
static const struct x86_limit core_limits[] = {
	X86_LIMIT_EVENTS(0x11, 0x13, BIT(1)),
	X86_LIMIT_EVENT(0x14, BIT(0)),
	X86_LIMIT_EVENT(0x19, BIT(1)),
	X86_LIMIT_EVENT(0xc1, BIT(0)),
	X86_LIMIT_END
};

static const struct x86_limit core2_limits[] = {
	X86_LIMIT_NAME(INTEL_EVENT_REFERENCE_CYCLES, 2),
	X86_LIMIT_EVENT(0x10, BIT(0)),
	X86_LIMIT_EVENTS(0x11, 0x13, BIT(1)),
	X86_LIMIT_EVENT(0x14, BIT(0)),
	X86_LIMIT_EVENT(0x18, BIT(0)),
	X86_LIMIT_EVENT(0x19, BIT(1)),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_EVENT(0xa1, BIT(0)),
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	X86_LIMIT_EVENT(0xc9, BIT(0)),
	X86_LIMIT_EVENT(0xcb, BIT(0)),
	X86_LIMIT_END
};

static const x86_cache_events core2_cache = {
	CACHE(L1D, READ)	= { EVENT(0x40, 0x0f), EVENT(0x40, 0x01) },
	CACHE(L1D, WRITE)	= { EVENT(0x41, 0x0f), EVENT(0x41, 0x01) },
	CACHE(L1D, PREFETCH)	= { EVENT(0x4e, 0x10) },
	CACHE(L1I, READ)	= { EVENT(0x80, 0x00), EVENT(0x81, 0x00) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, READ)		= { EVENT(0x29, 0x4f), EVENT(0x29, 0x41) },
	CACHE(LL, WRITE)	= { EVENT(0x2a, 0x4f), EVENT(0x2a, 0x41) },
	CACHE(DTLB, READ)	= { EVENT(0x40, 0x0f), EVENT(0x08, 0x02) },
	CACHE(DTLB, WRITE)	= { EVENT(0x41, 0x0f), EVENT(0x08, 0x08) },
	CACHE(ITLB, READ)	= { EVENT(0xc0, 0x00), EVENT(0x82, 0x12) },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x00), EVENT(0xc5, 0x00) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
};

/* L1D events of loads, stores and locked accesses use counters 0 and 1. */
#define NHM_L1D		X86_GENERAL(2)

static const struct x86_limit nhm_limits[] = {
	X86_LIMIT_NAME(INTEL_EVENT_REFERENCE_CYCLES, 2),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_EVENTS(0x40, 0x43, NHM_L1D),
	X86_LIMIT_EVENT(0x48, NHM_L1D),
	X86_LIMIT_EVENT(0x4c, NHM_L1D),
	X86_LIMIT_EVENT(0x4e, NHM_L1D),
	X86_LIMIT_EVENTS(0x51, 0x53, NHM_L1D),
	X86_LIMIT_EVENT(0x63, NHM_L1D),
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	X86_LIMIT_END
};

static const struct x86_limit wsm_limits[] = {
	X86_LIMIT_NAME(INTEL_EVENT_REFERENCE_CYCLES, 2),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_EVENT(0x4c, NHM_L1D),
	X86_LIMIT_EVENT(0x4e, NHM_L1D),
	X86_LIMIT_EVENTS(0x51, 0x52, NHM_L1D),
	/* Outstanding offcore requests, and snoops */
	X86_LIMIT_EVENT(0x60, BIT(0)),
	X86_LIMIT_EVENT(0x63, NHM_L1D),
	X86_LIMIT_EVENT(0xb3, BIT(0)),
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	X86_LIMIT_END
};

static const struct x86_limit snb_limits[] = {
	X86_LIMIT_NAME(INTEL_EVENT_REFERENCE_CYCLES, 2),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	/* Outstanding L1D misses */
	X86_LIMIT_EVENT(0x48, BIT(2)),
	X86_LIMIT_UMASK(0xa3, 0x02, BIT(2)),
	X86_LIMIT_UMASK(0xa3, 0x04, LOW_HALF),
	X86_LIMIT_UMASK(0xa3, 0x05, LOW_HALF),
	X86_LIMIT_UMASK(0xa3, 0x06, BIT(2)),
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	/* Instructions, precisely distributed */
	X86_LIMIT_UMASK(0xc0, 0x01, BIT(1)),
	/* Load latency, and precise store */
	X86_LIMIT_EVENT(0xcd, BIT(3)),
	LEAKS(0xd0, 0xd3),
	X86_LIMIT_END
};

static const struct x86_limit ivb_limits[] = {
	X86_LIMIT_NAME(INTEL_EVENT_REFERENCE_CYCLES, 2),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_UMASK(0x48, 0x01, BIT(2)),
	/* Micro-operation queue empty, or not delivering enough */
	X86_LIMIT_UMASK(0x79, 0x02, LOW_HALF),
	X86_LIMIT_UMASK(0x9c, 0x01, LOW_HALF),
	X86_LIMIT_UMASK(0xa3, 0x02, LOW_HALF),
	X86_LIMIT_UMASK(0xa3, 0x04, LOW_HALF),
	X86_LIMIT_UMASK(0xa3, 0x05, LOW_HALF),
	X86_LIMIT_UMASK(0xa3, 0x06, LOW_HALF),
	X86_LIMIT_UMASK(0xa3, 0x08, BIT(2)),
	X86_LIMIT_UMASK(0xa3, 0x0c, BIT(2)),
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	X86_LIMIT_UMASK(0xc0, 0x01, BIT(1)),
	LEAKS(0xd0, 0xd3),
	X86_LIMIT_END
};

static const struct x86_limit hsw_limits[] = {
	X86_LIMIT_NAME(INTEL_EVENT_REFERENCE_CYCLES, 2),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_UMASK(0x48, 0x01, BIT(2)),
	X86_LIMIT_UMASK(0xa3, 0x04, LOW_HALF),
	X86_LIMIT_UMASK(0xa3, 0x08, BIT(2)),
	X86_LIMIT_UMASK(0xa3, 0x0c, BIT(2)),
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	X86_LIMIT_UMASK(0xc0, 0x01, BIT(1)),
	X86_LIMIT_EVENT(0xcd, BIT(3)),
	LEAKS(0xd0, 0xd3),
	X86_LIMIT_END
};

static const struct x86_limit bdw_limits[] = {
	X86_LIMIT_NAME(INTEL_EVENT_REFERENCE_CYCLES, 2),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_UMASK(0x48, 0x01, BIT(2)),
	X86_LIMIT_UMASKS(0xa3, 0x08, 0x08, BIT(2)),
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	X86_LIMIT_EVENTS(0xd0, 0xd2, LOW_HALF),
	X86_LIMIT_END
};

/* Offcore response of Nehalem and Westmere, by memory type */
#define NHM_READ		BIT_ULL(0)
#define NHM_WRITE		(BIT_ULL(1) | BIT_ULL(3))
#define NHM_PREFETCH		(BIT_ULL(4) | BIT_ULL(5))
#define NHM_HITS		GENMASK_ULL(10, 8)
#define NHM_MISS		GENMASK_ULL(15, 12)
#define NHM_L3			(NHM_HITS | NHM_MISS)
#define NHM_NODE		GENMASK_ULL(14, 12)
#define NHM_NODE_MISS		BIT_ULL(13)

static const x86_cache_events nhm_cache = {
	CACHE(L1D, READ)	= { EVENT(0x0b, 0x01), EVENT(0x51, 0x01) },
	CACHE(L1D, WRITE)	= { EVENT(0x0b, 0x02), EVENT(0x51, 0x02) },
	CACHE(L1D, PREFETCH)	= { EVENT(0x4e, 0x01), EVENT(0x4e, 0x02) },
	CACHE(L1I, READ)	= { EVENT(0x80, 0x03), EVENT(0x80, 0x02) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, READ)		= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, PREFETCH)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(DTLB, READ)	= { EVENT(0x40, 0x0f), EVENT(0x08, 0x01) },
	CACHE(DTLB, WRITE)	= { EVENT(0x41, 0x0f), EVENT(0x0c, 0x01) },
	CACHE(ITLB, READ)	= { EVENT(0xc0, 0x01), EVENT(0xc8, 0x20) },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x00), EVENT(0xe8, 0x03) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
	CACHE(NODE, READ)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(NODE, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(NODE, PREFETCH)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
};

static const x86_cache_events wsm_cache = {
	CACHE(L1D, READ)	= { EVENT(0x0b, 0x01), EVENT(0x51, 0x01) },
	CACHE(L1D, WRITE)	= { EVENT(0x0b, 0x02), EVENT(0x51, 0x02) },
	CACHE(L1D, PREFETCH)	= { EVENT(0x4e, 0x01), EVENT(0x4e, 0x02) },
	CACHE(L1I, READ)	= { EVENT(0x80, 0x03), EVENT(0x80, 0x02) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, READ)		= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, PREFETCH)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(DTLB, READ)	= { EVENT(0x0b, 0x01), EVENT(0x08, 0x01) },
	CACHE(DTLB, WRITE)	= { EVENT(0x0b, 0x02), EVENT(0x0c, 0x01) },
	CACHE(ITLB, READ)	= { EVENT(0xc0, 0x01), EVENT(0x85, 0x01) },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x00), EVENT(0xe8, 0x03) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
	CACHE(NODE, READ)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(NODE, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(NODE, PREFETCH)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
};

static const x86_cache_events nhm_cache_extra = {
	CACHE(LL, READ)		= { NHM_READ | NHM_L3, NHM_READ | NHM_MISS },
	CACHE(LL, WRITE)	= { NHM_WRITE | NHM_L3, NHM_WRITE | NHM_MISS },
	CACHE(LL, PREFETCH)	= { NHM_PREFETCH | NHM_L3, NHM_PREFETCH | NHM_MISS },
	CACHE(NODE, READ)	= { NHM_READ | NHM_NODE, NHM_READ | NHM_NODE_MISS },
	CACHE(NODE, WRITE)	= { NHM_WRITE | NHM_NODE, NHM_WRITE | NHM_NODE_MISS },
	CACHE(NODE, PREFETCH)	= { NHM_PREFETCH | NHM_NODE, NHM_PREFETCH | NHM_NODE_MISS },
};

/*
 * The threads of a core share the offcore response registers. Each thread has a threshold register
 * of its own, and on later CPUs also offcore response registers.
 */
static const struct x86_extra nhm_extra[] = {
	X86_EXTRA_CORE(0xb7, 0x01, MSR_OFFCORE_RSP_0, GENMASK_ULL(15, 0), 0),
	LATENCY(0x0b, 0x10),
	X86_EXTRA_END
};

static const struct x86_extra wsm_extra[] = {
	X86_EXTRA_CORE(0xb7, 0x01, MSR_OFFCORE_RSP_0, 0xffff, 0xbb - 0xb7),
	X86_EXTRA_CORE(0xbb, 0x01, MSR_OFFCORE_RSP_1, 0xffff, 0xb7 - 0xbb),
	LATENCY(0x0b, 0x10),
	X86_EXTRA_END
};

/* Stalled cycles of the back end: no micro-operation is executed on any of six ports. */
static const u64 nhm_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= EVENT(0x3c, 0x00),
	[PERF_COUNT_HW_INSTRUCTIONS]		= EVENT(0xc0, 0x00),
	[PERF_COUNT_HW_CACHE_REFERENCES]	= EVENT(0x2e, 0x4f),
	[PERF_COUNT_HW_CACHE_MISSES]		= EVENT(0x2e, 0x41),
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= EVENT(0xc4, 0x00),
	[PERF_COUNT_HW_BRANCH_MISSES]		= EVENT(0xc5, 0x00),
	[PERF_COUNT_HW_BUS_CYCLES]		= EVENT(0x3c, 0x01),
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= EVENT_BELOW(0x0e, 0x01, 1),
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND]	= EVENT_BELOW(0xb1, 0x3f, 1),
	[PERF_COUNT_HW_REF_CPU_CYCLES]		= EVENT(0x00, 0x03),
};

/*
 * Offcore response of Sandy Bridge to Broadwell. Prefetches into the last level have requests of
 * their own.
 */
#define SNB_READ		(BIT_ULL(0) | BIT_ULL(7))
#define SNB_WRITE		(BIT_ULL(1) | BIT_ULL(8))
#define SNB_PREFETCH		(BIT_ULL(4) | BIT_ULL(5))

static const x86_cache_events snb_cache = {
	CACHE(L1D, READ)	= { EVENT(0xd0, 0xf1), EVENT(0x51, 0x01) },
	CACHE(L1D, WRITE)	= { EVENT(0xd0, 0xf2), EVENT(0x51, 0x08) },
	CACHE(L1D, PREFETCH)	= { 0, EVENT(0x4e, 0x02) },
	CACHE(L1I, READ)	= { 0, EVENT(0x80, 0x02) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, READ)		= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, PREFETCH)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(DTLB, READ)	= { EVENT(0xd0, 0x81), EVENT(0x08, 0x01) },
	CACHE(DTLB, WRITE)	= { EVENT(0xd0, 0x82), EVENT(0x49, 0x01) },
	CACHE(ITLB, READ)	= { EVENT(0x85, 0x10), EVENT(0x85, 0x01) },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x00), EVENT(0xc5, 0x00) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
	CACHE(NODE, READ)	= NEVER,
	CACHE(NODE, WRITE)	= NEVER,
	CACHE(NODE, PREFETCH)	= NEVER,
};

/* Clients: misses served by memory, as in OFFCORE_RESPONSE.DEMAND_DATA_RD.LLC_MISS.DRAM */
#define SNB_MISS		(BIT_ULL(22) | BIT_ULL(32) | BIT_ULL(33))

static const x86_cache_events snb_cache_extra = {
	CACHE(LL, READ)		= { SNB_READ | OFFCORE_ANY, SNB_READ | SNB_MISS },
	CACHE(LL, WRITE)	= { SNB_WRITE | OFFCORE_ANY, SNB_WRITE | SNB_MISS },
	CACHE(LL, PREFETCH)	= { SNB_PREFETCH | OFFCORE_ANY, SNB_PREFETCH | SNB_MISS },
};

static const x86_cache_events snbx_cache = {
	CACHE(L1D, READ)	= { EVENT(0xd0, 0xf1), EVENT(0x51, 0x01) },
	CACHE(L1D, WRITE)	= { EVENT(0xd0, 0xf2), EVENT(0x51, 0x08) },
	CACHE(L1D, PREFETCH)	= { 0, EVENT(0x4e, 0x02) },
	CACHE(L1I, READ)	= { 0, EVENT(0x80, 0x02) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, READ)		= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, PREFETCH)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(DTLB, READ)	= { EVENT(0xd0, 0x81), EVENT(0x08, 0x01) },
	CACHE(DTLB, WRITE)	= { EVENT(0xd0, 0x82), EVENT(0x49, 0x01) },
	CACHE(ITLB, READ)	= { EVENT(0x85, 0x10), EVENT(0x85, 0x01) },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x00), EVENT(0xc5, 0x00) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
	CACHE(NODE, READ)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(NODE, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(NODE, PREFETCH)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
};

/* Only servers have the bits for remote memory. */
#define SNBX_MISS		GENMASK_ULL(37, 22)
#define SNBX_NODE		GENMASK_ULL(36, 22)
#define SNBX_NODE_MISS		GENMASK_ULL(36, 23)

static const x86_cache_events snbx_cache_extra = {
	CACHE(LL, READ)		= { SNB_READ | OFFCORE_ANY, SNB_READ | SNBX_MISS },
	CACHE(LL, WRITE)	= { SNB_WRITE | OFFCORE_ANY, SNB_WRITE | SNBX_MISS },
	CACHE(LL, PREFETCH)	= { SNB_PREFETCH | OFFCORE_ANY, SNB_PREFETCH | SNBX_MISS },
	CACHE(NODE, READ)	= { SNB_READ | SNBX_NODE, SNB_READ | SNBX_NODE_MISS },
	CACHE(NODE, WRITE)	= { SNB_WRITE | SNBX_NODE, SNB_WRITE | SNBX_NODE_MISS },
	CACHE(NODE, PREFETCH)	= { SNB_PREFETCH | SNBX_NODE, SNB_PREFETCH | SNBX_NODE_MISS },
};

/* Ivy Bridge has a unit mask for page walks of demand loads. */
static const x86_cache_events ivb_cache = {
	CACHE(L1D, READ)	= { EVENT(0xd0, 0xf1), EVENT(0x51, 0x01) },
	CACHE(L1D, WRITE)	= { EVENT(0xd0, 0xf2), EVENT(0x51, 0x08) },
	CACHE(L1D, PREFETCH)	= { 0, EVENT(0x4e, 0x02) },
	CACHE(L1I, READ)	= { 0, EVENT(0x80, 0x02) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, READ)		= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, PREFETCH)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(DTLB, READ)	= { EVENT(0xd0, 0x81), EVENT(0x08, 0x81) },
	CACHE(DTLB, WRITE)	= { EVENT(0xd0, 0x82), EVENT(0x49, 0x01) },
	CACHE(ITLB, READ)	= { EVENT(0x85, 0x10), EVENT(0x85, 0x01) },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x00), EVENT(0xc5, 0x00) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
	CACHE(NODE, READ)	= NEVER,
	CACHE(NODE, WRITE)	= NEVER,
	CACHE(NODE, PREFETCH)	= NEVER,
};

static const x86_cache_events ivbx_cache = {
	CACHE(L1D, READ)	= { EVENT(0xd0, 0xf1), EVENT(0x51, 0x01) },
	CACHE(L1D, WRITE)	= { EVENT(0xd0, 0xf2), EVENT(0x51, 0x08) },
	CACHE(L1D, PREFETCH)	= { 0, EVENT(0x4e, 0x02) },
	CACHE(L1I, READ)	= { 0, EVENT(0x80, 0x02) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, READ)		= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, PREFETCH)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(DTLB, READ)	= { EVENT(0xd0, 0x81), EVENT(0x08, 0x81) },
	CACHE(DTLB, WRITE)	= { EVENT(0xd0, 0x82), EVENT(0x49, 0x01) },
	CACHE(ITLB, READ)	= { EVENT(0x85, 0x10), EVENT(0x85, 0x01) },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x00), EVENT(0xc5, 0x00) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
	CACHE(NODE, READ)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(NODE, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(NODE, PREFETCH)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
};

static const x86_cache_events hsw_cache = {
	CACHE(L1D, READ)	= { EVENT(0xd0, 0x81), EVENT(0x51, 0x01) },
	CACHE(L1D, WRITE)	= { EVENT(0xd0, 0x82) },
	CACHE(L1I, READ)	= { 0, EVENT(0x80, 0x02) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, READ)		= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(DTLB, READ)	= { EVENT(0xd0, 0x81), EVENT(0x08, 0x01) },
	CACHE(DTLB, WRITE)	= { EVENT(0xd0, 0x82), EVENT(0x49, 0x01) },
	CACHE(ITLB, READ)	= { EVENT(0x85, 0x60), EVENT(0x85, 0x01) },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x00), EVENT(0xc5, 0x00) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
	CACHE(NODE, READ)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(NODE, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
};

/* Local memory is bit 22 on Haswell, and bit 26 on Broadwell. */
#define HSW_LOCAL		BIT_ULL(22)
#define BDW_LOCAL		BIT_ULL(26)
#define HSW_REMOTE		GENMASK_ULL(29, 27)
#define HSW_SNOOPS		GENMASK_ULL(37, 31)
#define HSW_SNOOPS_MEMORY	GENMASK_ULL(36, 31)
#define HSW_MISS		(HSW_LOCAL | HSW_REMOTE | HSW_SNOOPS)
#define HSW_NODE		(HSW_LOCAL | HSW_SNOOPS_MEMORY)
#define HSW_NODE_MISS		(HSW_REMOTE | HSW_SNOOPS_MEMORY)
#define BDW_MISS		(BDW_LOCAL | HSW_REMOTE | HSW_SNOOPS_MEMORY)
#define BDW_NODE		(BDW_LOCAL | HSW_SNOOPS_MEMORY)

static const x86_cache_events hsw_cache_extra = {
	CACHE(LL, READ)		= { OFFCORE_READ | OFFCORE_ANY, OFFCORE_READ | HSW_MISS },
	CACHE(LL, WRITE)	= { OFFCORE_WRITE | OFFCORE_ANY, OFFCORE_WRITE | HSW_MISS },
	CACHE(NODE, READ)	= { OFFCORE_READ | HSW_NODE, OFFCORE_READ | HSW_NODE_MISS },
	CACHE(NODE, WRITE)	= { OFFCORE_WRITE | HSW_NODE, OFFCORE_WRITE | HSW_NODE_MISS },
};

static const x86_cache_events bdw_cache_extra = {
	CACHE(LL, READ)		= { OFFCORE_READ | OFFCORE_ANY, OFFCORE_READ | BDW_MISS },
	CACHE(LL, WRITE)	= { OFFCORE_WRITE | OFFCORE_ANY, OFFCORE_WRITE | BDW_MISS },
	CACHE(NODE, READ)	= { OFFCORE_READ | BDW_NODE, OFFCORE_READ | HSW_NODE_MISS },
	CACHE(NODE, WRITE)	= { OFFCORE_WRITE | BDW_NODE, OFFCORE_WRITE | HSW_NODE_MISS },
};

static const struct x86_extra snb_extra[] = {
	OFFCORE_0(0xb7, 0xbb, 0x3f807f8fff),
	OFFCORE_1(0xbb, 0xb7, 0x3f807f8fff),
	LATENCY(0xcd, 0x01),
	X86_EXTRA_END
};

/* The bits of remote memory are valid, too; from Haswell on, also on clients. */
static const struct x86_extra snbx_extra[] = {
	OFFCORE_0(0xb7, 0xbb, 0x3fffff8fff),
	OFFCORE_1(0xbb, 0xb7, 0x3fffff8fff),
	LATENCY(0xcd, 0x01),
	X86_EXTRA_END
};

static const u64 snb_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= EVENT(0x3c, 0x00),
	[PERF_COUNT_HW_INSTRUCTIONS]		= EVENT(0xc0, 0x00),
	[PERF_COUNT_HW_CACHE_REFERENCES]	= EVENT(0x2e, 0x4f),
	[PERF_COUNT_HW_CACHE_MISSES]		= EVENT(0x2e, 0x41),
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= EVENT(0xc4, 0x00),
	[PERF_COUNT_HW_BRANCH_MISSES]		= EVENT(0xc5, 0x00),
	[PERF_COUNT_HW_BUS_CYCLES]		= EVENT(0x3c, 0x01),
	/* Cycles in which no micro-operation is issued (front end), or executed (back end) */
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= EVENT_BELOW(0x0e, 0x01, 1),
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND]	= EVENT_BELOW(0xb1, 0x01, 1),
	[PERF_COUNT_HW_REF_CPU_CYCLES]		= EVENT(0x00, 0x03),
};

static const u64 ivb_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= EVENT(0x3c, 0x00),
	[PERF_COUNT_HW_INSTRUCTIONS]		= EVENT(0xc0, 0x00),
	[PERF_COUNT_HW_CACHE_REFERENCES]	= EVENT(0x2e, 0x4f),
	[PERF_COUNT_HW_CACHE_MISSES]		= EVENT(0x2e, 0x41),
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= EVENT(0xc4, 0x00),
	[PERF_COUNT_HW_BRANCH_MISSES]		= EVENT(0xc5, 0x00),
	[PERF_COUNT_HW_BUS_CYCLES]		= EVENT(0x3c, 0x01),
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= EVENT_BELOW(0x0e, 0x01, 1),
	[PERF_COUNT_HW_REF_CPU_CYCLES]		= EVENT(0x00, 0x03),
};

/* Four slots per cycle; with hyper-threading, a thread has half of the cycles. */
static struct attribute *snb_events[] = {
	X86_EVENT_SMT_ATTR("topdown-total-slots", "event=0x3c,umask=0x0",
			   "event=0x3c,umask=0x0,any=1"),
	X86_EVENT_SMT_ATTR("topdown-total-slots.scale", "4", "2"),
	X86_EVENT_ATTR("topdown-slots-issued", "event=0xe,umask=0x1"),
	X86_EVENT_ATTR("topdown-slots-retired", "event=0xc2,umask=0x2"),
	X86_EVENT_ATTR("topdown-fetch-bubbles", "event=0x9c,umask=0x1"),
	X86_EVENT_SMT_ATTR("topdown-recovery-bubbles", "event=0xd,umask=0x3,cmask=1",
			   "event=0xd,umask=0x3,cmask=1,any=1"),
	X86_EVENT_SMT_ATTR("topdown-recovery-bubbles.scale", "4", "2"),
	NULL
};

/* Precisely distributed instructions of Haswell and Broadwell */
static bool counts_precise_instructions(u64 config)
{
	return (config & INTEL_ARCH_EVENT_MASK) == EVENT(0xc0, 0x01);
}

/*
 * Erratum AAJ80: the architectural event of branch misses is wrong, and CPUID reports it as
 * missing. Mispredicted executed branches are counted instead.
 */
static int nhm_probe(struct x86_core *core)
{
	int err = x86_intel_probe(core);

	if (err || core->generic[PERF_COUNT_HW_BRANCH_MISSES])
		return err;
	core->generic[PERF_COUNT_HW_BRANCH_MISSES] = EVENT(0x89, 0x7f);
	/* KVM reports the event to guests, too. */
	core->events_mask &= ~BIT(6);
	return 0;
}

/* Interrupts are lost with short periods. */
static u64 nhm_min_period(u64 config)
{
	return 32;
}

static u64 hsw_min_period(u64 config)
{
	return counts_precise_instructions(config) ? 128 : 32;
}

/* Errata BDM11 and BDM55: minimum period 128, in multiples of 64 */
static u64 bdw_min_period(u64 config)
{
	return counts_precise_instructions(config) ? 128 : 1;
}

static u64 bdw_period_step(u64 config)
{
	return counts_precise_instructions(config) ? 64 : 1;
}

/*
 * Cycles have no PEBS, so a precise event of cycles counts cycles with fewer than 16 retired
 * micro-operations or instructions, which are all cycles. With instructions, samples are precisely
 * distributed.
 */
#define UOP_CYCLES		INTEL_CYCLES(0xc2, 0x01)
#define INSTRUCTION_CYCLES	INTEL_CYCLES(0xc0, 0x01)

/* Yonah: architectural PMU version 1 */
static const struct x86_model core = {
	INTEL_ROW("core"),
	.generic	= x86_intel_generic,
	.limits		= core_limits,
};

static const struct x86_model core2 = {
	INTEL_ROW("core2"),
	.branches	= &x86_lbr_core2,
	.generic	= x86_intel_generic,
	.cache		= &core2_cache,
	.limits		= core2_limits,
	.precise	= x86_core2_precise,
	.precise_levels	= 2,
	.precise_cycles	= { 0, INTEL_CYCLES(0xc0, 0x00), INTEL_CYCLES(0xc0, 0x00) },
};

/* PEBS of the first Core 2 is unusable with any microcode. */
static const struct x86_model core2_first = {
	INTEL_ROW("core2"),
	.branches	= &x86_lbr_core2,
	.generic	= x86_intel_generic,
	.cache		= &core2_cache,
	.limits		= core2_limits,
};

/* Errata AAK100, AAP53 and BD53 */
static const u32 nhm_erratum_selects[X86_ERRATUM_SELECTS] = {
	0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1
};

static const struct x86_model nehalem = {
	INTEL_ROW("nehalem"),
	.branches	= &x86_lbr_nehalem,
	.probe		= nhm_probe,
	.generic	= nhm_generic,
	.cache		= &nhm_cache,
	.cache_extra	= &nhm_cache_extra,
	.limits		= nhm_limits,
	.extra		= nhm_extra,
	.erratum_selects = nhm_erratum_selects,
	.min_period	= nhm_min_period,
	.precise	= x86_nehalem_precise,
	.accesses	= &x86_nehalem_accesses,
	.memory		= x86_nehalem_memory,
	.precise_levels	= 2,
	.precise_cycles	= { 0, INTEL_CYCLES(0xc0, 0x00), INTEL_CYCLES(0xc0, 0x00) },
};

static const struct x86_model westmere = {
	INTEL_ROW("westmere"),
	.branches	= &x86_lbr_nehalem,
	.generic	= nhm_generic,
	.cache		= &wsm_cache,
	.cache_extra	= &nhm_cache_extra,
	.limits		= wsm_limits,
	.extra		= wsm_extra,
	.erratum_selects = nhm_erratum_selects,
	.precise	= x86_westmere_precise,
	.accesses	= &x86_westmere_accesses,
	.memory		= x86_nehalem_memory,
	.precise_levels	= 2,
	.precise_cycles	= { 0, INTEL_CYCLES(0xc0, 0x00), INTEL_CYCLES(0xc0, 0x00) },
};

/* First microcode without the PEBS errata */
static const struct x86_cpu_desc snb_microcodes[] = {
	INTEL_CPU_DESC(INTEL_SANDYBRIDGE,	7, 0x00000028),
	INTEL_CPU_DESC(INTEL_SANDYBRIDGE_X,	6, 0x00000618),
	INTEL_CPU_DESC(INTEL_SANDYBRIDGE_X,	7, 0x0000070c),
	{ }
};

static bool snb_is_broken(u32 vfm, u8 stepping, u32 revision)
{
	const struct x86_cpu_desc *desc;

	for (desc = snb_microcodes; desc->x86_family; desc++) {
		if (VFM_FAMILY(vfm) == desc->x86_family && VFM_MODEL(vfm) == desc->x86_model &&
		    stepping == desc->x86_stepping)
			return revision < desc->x86_microcode_rev;
	}
	return true;
}

/**
 * x86_snb_check_microcode - refuse precise events while the microcode has PEBS errata
 * @core: the PMU
 * @vfm: vendor, family and model of the CPU, a Sandy Bridge
 * @stepping: its stepping; one without a known microcode has the errata
 * @revision: its microcode
 *
 * Context: boot, or after a microcode update.
 */
void x86_snb_check_microcode(struct x86_core *core, u32 vfm, u8 stepping, u32 revision)
{
	bool broken = snb_is_broken(vfm, stepping, revision);

	if (!core->precise.levels || broken == core->precise.broken)
		return;
	WRITE_ONCE(core->precise.broken, broken);
	if (broken)
		pr_warn("perf/x86: no precise events: microcode update needed\n");
	else
		pr_info("perf/x86: precise events enabled by microcode update\n");
}

static void snb_microcode(struct x86_core *core)
{
	x86_snb_check_microcode(core, boot_cpu_data.x86_vfm, boot_cpu_data.x86_stepping,
				boot_cpu_data.microcode);
}

static const struct x86_model sandybridge = {
	INTEL_ROW("sandybridge"),
	.branches	= &x86_lbr_sandybridge,
	.generic	= snb_generic,
	.cache		= &snb_cache,
	.cache_extra	= &snb_cache_extra,
	.limits		= snb_limits,
	.extra		= snb_extra,
	.events		= snb_events,
	.microcode	= snb_microcode,
	.precise	= x86_sandybridge_precise,
	.accesses	= &x86_sandybridge_accesses,
	.memory		= x86_sandybridge_memory,
	.precise_levels	= 2,
	.precise_cycles	= { 0, UOP_CYCLES, UOP_CYCLES },
};

/* Servers also have the generic cache events of NODE. */
static const struct x86_model sandybridge_x = {
	INTEL_ROW("sandybridge"),
	.branches	= &x86_lbr_sandybridge,
	.generic	= snb_generic,
	.cache		= &snbx_cache,
	.cache_extra	= &snbx_cache_extra,
	.limits		= snb_limits,
	.extra		= snbx_extra,
	.events		= snb_events,
	.microcode	= snb_microcode,
	.precise	= x86_sandybridge_precise,
	.accesses	= &x86_sandybridge_accesses,
	.memory		= x86_sandybridge_memory,
	.precise_levels	= 2,
	.precise_cycles	= { 0, UOP_CYCLES, UOP_CYCLES },
};

static const struct x86_model ivybridge = {
	INTEL_ROW("ivybridge"),
	.branches	= &x86_lbr_sandybridge,
	.generic	= ivb_generic,
	.cache		= &ivb_cache,
	.cache_extra	= &snb_cache_extra,
	.limits		= ivb_limits,
	.extra		= snb_extra,
	.events		= snb_events,
	.precise	= x86_sandybridge_precise,
	.accesses	= &x86_sandybridge_accesses,
	.memory		= x86_sandybridge_memory,
	.precise_levels	= 3,
	.precise_cycles	= { 0, UOP_CYCLES, UOP_CYCLES, INSTRUCTION_CYCLES },
};

static const struct x86_model ivybridge_x = {
	INTEL_ROW("ivybridge"),
	.branches	= &x86_lbr_sandybridge,
	.generic	= ivb_generic,
	.cache		= &ivbx_cache,
	.cache_extra	= &snbx_cache_extra,
	.limits		= ivb_limits,
	.extra		= snbx_extra,
	.events		= snb_events,
	.precise	= x86_sandybridge_precise,
	.accesses	= &x86_sandybridge_accesses,
	.memory		= x86_sandybridge_memory,
	.precise_levels	= 3,
	.precise_cycles	= { 0, UOP_CYCLES, UOP_CYCLES, INSTRUCTION_CYCLES },
};

static const struct x86_model haswell = {
	INTEL_ROW_TSX("haswell", x86_intel_hsw_transactions),
	.branches	= &x86_lbr_haswell,
	.generic	= x86_intel_generic,
	.cache		= &hsw_cache,
	.cache_extra	= &hsw_cache_extra,
	.limits		= hsw_limits,
	.extra		= snbx_extra,
	.events		= snb_events,
	.min_period	= hsw_min_period,
	.precise	= x86_haswell_precise,
	.accesses	= &x86_sandybridge_accesses,
	.memory		= x86_haswell_memory,
	.precise_levels	= 3,
	.precise_cycles	= { 0, UOP_CYCLES, UOP_CYCLES, INSTRUCTION_CYCLES },
};

static const struct x86_model broadwell = {
	INTEL_ROW_TSX("broadwell", x86_intel_hsw_transactions),
	.branches	= &x86_lbr_broadwell,
	.generic	= x86_intel_generic,
	.cache		= &hsw_cache,
	.cache_extra	= &bdw_cache_extra,
	.limits		= bdw_limits,
	.extra		= snbx_extra,
	.events		= snb_events,
	.min_period	= bdw_min_period,
	.period_step	= bdw_period_step,
	.precise	= x86_skylake_precise,
	.accesses	= &x86_sandybridge_accesses,
	.memory		= x86_haswell_memory,
	.precise_levels	= 3,
	.precise_cycles	= { 0, UOP_CYCLES, UOP_CYCLES, INSTRUCTION_CYCLES },
};

const struct x86_cpu_id x86_intel_nehalem_models[] = {
	X86_MODEL_VFM(INTEL_CORE_YONAH, core),
	X86_MODEL_VFM(INTEL_CORE2_MEROM, core2_first),
	X86_MODEL_VFM(INTEL_CORE2_MEROM_L, core2),
	X86_MODEL_VFM(INTEL_CORE2_PENRYN, core2),
	X86_MODEL_VFM(INTEL_CORE2_DUNNINGTON, core2),
	X86_MODEL_VFM(INTEL_NEHALEM, nehalem),
	X86_MODEL_VFM(INTEL_NEHALEM_EP, nehalem),
	X86_MODEL_VFM(INTEL_NEHALEM_EX, nehalem),
	X86_MODEL_VFM(INTEL_WESTMERE, westmere),
	X86_MODEL_VFM(INTEL_WESTMERE_EP, westmere),
	X86_MODEL_VFM(INTEL_WESTMERE_EX, westmere),
	X86_MODEL_VFM(INTEL_SANDYBRIDGE, sandybridge),
	X86_MODEL_VFM(INTEL_SANDYBRIDGE_X, sandybridge_x),
	X86_MODEL_VFM(INTEL_IVYBRIDGE, ivybridge),
	X86_MODEL_VFM(INTEL_IVYBRIDGE_X, ivybridge_x),
	X86_MODEL_VFM(INTEL_HASWELL, haswell),
	X86_MODEL_VFM(INTEL_HASWELL_X, haswell),
	X86_MODEL_VFM(INTEL_HASWELL_L, haswell),
	X86_MODEL_VFM(INTEL_HASWELL_G, haswell),
	X86_MODEL_VFM(INTEL_BROADWELL, broadwell),
	X86_MODEL_VFM(INTEL_BROADWELL_G, broadwell),
	X86_MODEL_VFM(INTEL_BROADWELL_X, broadwell),
	X86_MODEL_VFM(INTEL_BROADWELL_D, broadwell),
	{ }
};
