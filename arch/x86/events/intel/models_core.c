// SPDX-License-Identifier: GPL-2.0
/*
 * Models of Intel Core CPUs, from Skylake on, and of the P-cores of hybrid CPUs.
 *
 * The codes are from Intel's Software Developer's Manual and its event lists
 * (tools/perf/pmu-events/arch/x86/), which also have the constraints. Codes without an entry in the
 * lists have the constraint of their neighbours.
 */
#include "tables.h"

/*
 * Offcore responses from Skylake to Tiger Lake: bits of the supplier, and of the snoop result. A
 * response is counted if it matches a bit of each. Bit 37 is for responses not from memory.
 */
#define SKL_NO_SUPPLIER		BIT_ULL(17)
#define SKL_LOCAL		BIT_ULL(26)
#define SKL_REMOTE		GENMASK_ULL(29, 27)
#define SKL_SNOOPS		GENMASK_ULL(37, 30)
#define SKL_SNOOPS_MEMORY	GENMASK_ULL(36, 30)
#define SKL_L3			(OFFCORE_ANY | SKL_SNOOPS)
#define SKL_L3_MISS		(SKL_NO_SUPPLIER | SKL_LOCAL | SKL_REMOTE | SKL_SNOOPS)
#define SKL_NODE		(SKL_LOCAL | SKL_SNOOPS_MEMORY)
#define SKL_NODE_MISS		(SKL_REMOTE | SKL_SNOOPS_MEMORY)

static const x86_cache_events skl_cache = {
	CACHE(L1D, READ)	= { EVENT(0xd0, 0x81), EVENT(0x51, 0x01) },
	CACHE(L1D, WRITE)	= { EVENT(0xd0, 0x82) },
	CACHE(L1I, READ)	= { 0, EVENT(0x83, 0x02) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, READ)		= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(DTLB, READ)	= { EVENT(0xd0, 0x81), EVENT(0x08, 0x0e) },
	CACHE(DTLB, WRITE)	= { EVENT(0xd0, 0x82), EVENT(0x49, 0x0e) },
	CACHE(ITLB, READ)	= { EVENT(0x85, 0x20), EVENT(0x85, 0x0e) },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x00), EVENT(0xc5, 0x00) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
	CACHE(NODE, READ)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(NODE, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
};

/* As skl_cache, without an event for instruction hits in the second-level TLB */
static const x86_cache_events icl_cache = {
	CACHE(L1D, READ)	= { EVENT(0xd0, 0x81), EVENT(0x51, 0x01) },
	CACHE(L1D, WRITE)	= { EVENT(0xd0, 0x82) },
	CACHE(L1I, READ)	= { 0, EVENT(0x83, 0x02) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, READ)		= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(DTLB, READ)	= { EVENT(0xd0, 0x81), EVENT(0x08, 0x0e) },
	CACHE(DTLB, WRITE)	= { EVENT(0xd0, 0x82), EVENT(0x49, 0x0e) },
	CACHE(ITLB, READ)	= { X86_IMPOSSIBLE, EVENT(0x85, 0x0e) },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x00), EVENT(0xc5, 0x00) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
	CACHE(NODE, READ)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(NODE, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
};

static const x86_cache_events skl_cache_extra = {
	CACHE(LL, READ)		= { OFFCORE_READ | SKL_L3, OFFCORE_READ | SKL_L3_MISS },
	CACHE(LL, WRITE)	= { OFFCORE_WRITE | SKL_L3, OFFCORE_WRITE | SKL_L3_MISS },
	CACHE(NODE, READ)	= { OFFCORE_READ | SKL_NODE, OFFCORE_READ | SKL_NODE_MISS },
	CACHE(NODE, WRITE)	= { OFFCORE_WRITE | SKL_NODE, OFFCORE_WRITE | SKL_NODE_MISS },
};

/* Ice Lake: a miss is any supplier beyond the last level, with any snoop result. */
static const x86_cache_events icl_cache_extra = {
	CACHE(LL, READ)		= { OFFCORE_READ | OFFCORE_ANY, OFFCORE_READ | 0x3fffc00000 },
	CACHE(LL, WRITE)	= { OFFCORE_WRITE | OFFCORE_ANY, OFFCORE_WRITE | 0x3fffc00000 },
	CACHE(NODE, READ)	= { OFFCORE_READ | SKL_NODE, OFFCORE_READ | SKL_NODE_MISS },
	CACHE(NODE, WRITE)	= { OFFCORE_WRITE | SKL_NODE, OFFCORE_WRITE | SKL_NODE_MISS },
};

/* Servers: without bit 30, and writes without bit 31, for no snoop */
static const x86_cache_events icl_x_cache_extra = {
	CACHE(LL, READ)		= { OFFCORE_READ | OFFCORE_ANY, OFFCORE_READ | 0x3fbfc00000 },
	CACHE(LL, WRITE)	= { OFFCORE_WRITE | 0x3f3ffc0000, OFFCORE_WRITE | 0x3f3fc00000 },
	CACHE(NODE, READ)	= { OFFCORE_READ | SKL_NODE, OFFCORE_READ | SKL_NODE_MISS },
	CACHE(NODE, WRITE)	= { OFFCORE_WRITE | SKL_NODE, OFFCORE_WRITE | SKL_NODE_MISS },
};

/* On Golden Cove, some L2 events have code 0x24, and offcore responses 0x2a. */
static const x86_cache_events glc_cache = {
	CACHE(L1D, READ)	= { EVENT(0xd0, 0x81), EVENT(0x24, 0xe1) },
	CACHE(L1D, WRITE)	= { EVENT(0xd0, 0x82) },
	CACHE(L1I, READ)	= { 0, EVENT(0x24, 0xe4) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, READ)		= { EVENT(0x2a, 0x01), EVENT(0x2a, 0x01) },
	CACHE(LL, WRITE)	= { EVENT(0x2a, 0x01), EVENT(0x2a, 0x01) },
	CACHE(DTLB, READ)	= { EVENT(0xd0, 0x81), EVENT(0x12, 0x0e) },
	CACHE(DTLB, WRITE)	= { EVENT(0xd0, 0x82), EVENT(0x13, 0x0e) },
	CACHE(ITLB, READ)	= { X86_IMPOSSIBLE, EVENT(0x11, 0x0e) },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x04), EVENT(0xc5, 0x04) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
	CACHE(NODE, READ)	= { EVENT(0x2a, 0x01), EVENT(0x2a, 0x01) },
};

/* Servers: memory of the local socket, and of remote sockets */
#define GLC_NODE	0x010c000000
#define GLC_NODE_MISS	0x3fb3000000

/*
 * Clients: all memory is local, as in OCR.DEMAND_DATA_RD.DRAM. NODE misses have the response bits
 * of servers for remote memory, which a client does not have, so they count 0.
 */
static const x86_cache_events glc_cache_extra = {
	CACHE(LL, READ)		= { OFFCORE_READ | OFFCORE_ANY, OFFCORE_READ | 0x3fbfc00000 },
	CACHE(LL, WRITE)	= { OFFCORE_WRITE | OFFCORE_ANY, OFFCORE_WRITE | 0x3fbfc00000 },
	CACHE(NODE, READ)	= { OFFCORE_READ | 0x0184000000, OFFCORE_READ | GLC_NODE_MISS },
};

/* Servers: the responses of writes lack bit 31 (no snoop). */
static const x86_cache_events glc_x_cache_extra = {
	CACHE(LL, READ)		= { OFFCORE_READ | OFFCORE_ANY, OFFCORE_READ | 0x3fbfc00000 },
	CACHE(LL, WRITE)	= { OFFCORE_WRITE | 0x3f3ffc0000, OFFCORE_WRITE | 0x3f3fc00000 },
	CACHE(NODE, READ)	= { OFFCORE_READ | GLC_NODE, OFFCORE_READ | GLC_NODE_MISS },
};

/* Lion Cove is in clients only: more response bits, none of them for remote memory. */
static const x86_cache_events lnc_cache_extra = {
	CACHE(LL, READ)		= { OFFCORE_READ | OFFCORE_ANY, OFFCORE_READ | 0xfe7f8000000 },
	CACHE(LL, WRITE)	= { OFFCORE_WRITE | OFFCORE_ANY, OFFCORE_WRITE | 0xfe7f8000000 },
	CACHE(NODE, READ)	= { OFFCORE_READ | 0x1e780000000, X86_IMPOSSIBLE },
};

/* On Golden Cove, reference cycles also have an event for general counters. */
static const u64 glc_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= EVENT(0x3c, 0x00),
	[PERF_COUNT_HW_INSTRUCTIONS]		= EVENT(0xc0, 0x00),
	[PERF_COUNT_HW_CACHE_REFERENCES]	= EVENT(0x2e, 0x4f),
	[PERF_COUNT_HW_CACHE_MISSES]		= EVENT(0x2e, 0x41),
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= EVENT(0xc4, 0x00),
	[PERF_COUNT_HW_BRANCH_MISSES]		= EVENT(0xc5, 0x00),
	[PERF_COUNT_HW_BUS_CYCLES]		= EVENT(0x3c, 0x01),
	[PERF_COUNT_HW_REF_CPU_CYCLES]		= EVENT(0x3c, 0x01),
};

#define LOW_HALF	X86_GENERAL(4)

/*
 * A thread has four counters, or eight without hyper-threading. Precise events of memory and of the
 * front end are limited to the lower four counters.
 */
static const struct x86_limit skl_limits[] = {
	X86_LIMIT_NAME(INTEL_EVENT_REFERENCE_CYCLES, 2),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	/* Precisely distributed instructions */
	X86_LIMIT_UMASK(0xc0, 0x01, BIT(1)),
	X86_LIMIT_EVENT(0xc6, LOW_HALF),
	X86_LIMIT_EVENT(0xcd, LOW_HALF),
	X86_LIMIT_EVENTS(0xd0, 0xd2, LOW_HALF),
	X86_LIMIT_END
};

/*
 * From Ice Lake on there are eight counters. Events of the memory hierarchy beyond the core, and a
 * few others, are limited to the lower four counters.
 */
#define ALL_EIGHT	X86_GENERAL(8)

/* Topdown metrics have a register of their own. */
#define NO_METRICS	X86_LIMIT_UMASKS(0x00, 0x80, 0xf8, 0)

static const struct x86_limit icl_limits[] = {
	X86_LIMIT_NAME(INTEL_EVENT_ANY_INSTRUCTION, 0),
	X86_LIMIT_NAME(INTEL_EVENT_REFERENCE_CYCLES, 2),
	X86_LIMIT_NAME(INTEL_EVENT_SLOTS, 3),
	NO_METRICS,
	X86_LIMIT_EVENTS(0x03, 0x0a, LOW_HALF),
	X86_LIMIT_EVENTS(0x1f, 0x28, LOW_HALF),
	X86_LIMIT_EVENT(0x32, LOW_HALF),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_EVENTS(0x48, 0x56, LOW_HALF),
	X86_LIMIT_EVENTS(0x60, 0x8b, LOW_HALF),
	/* CYCLE_ACTIVITY: STALLS_TOTAL, CYCLES_MEM_ANY, STALLS_MEM_ANY */
	X86_LIMIT_UMASK(0xa3, 0x04, ALL_EIGHT),
	X86_LIMIT_UMASK(0xa3, 0x10, ALL_EIGHT),
	X86_LIMIT_UMASK(0xa3, 0x14, ALL_EIGHT),
	X86_LIMIT_EVENT(0xa3, LOW_HALF),
	X86_LIMIT_EVENTS(0xa8, 0xb0, LOW_HALF),
	X86_LIMIT_EVENTS(0xb7, 0xbd, LOW_HALF),
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	X86_LIMIT_FIXED(0xc0, 0x01, 0),
	X86_LIMIT_EVENTS(0xd0, 0xe6, LOW_HALF),
	X86_LIMIT_EVENTS(0xef, 0xf4, LOW_HALF),
	X86_LIMIT_END
};

/*
 * Golden Cove and its successors: events with codes below 0x90 are limited to the lower four
 * counters, with a few exceptions.
 */
static const struct x86_limit glc_limits[] = {
	X86_LIMIT_NAME(INTEL_EVENT_ANY_INSTRUCTION, 0),
	X86_LIMIT_NAME(INTEL_EVENT_REFERENCE_CYCLES, 2),
	X86_LIMIT_NAME(INTEL_EVENT_SLOTS, 3),
	NO_METRICS,
	X86_LIMIT_EVENT(0x00, ALL_EIGHT),
	X86_LIMIT_EVENT(0x2e, ALL_EIGHT),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_FIXED(0x3c, 0x01, 2),
	X86_LIMIT_EVENT(0x3c, ALL_EIGHT),
	X86_LIMIT_EVENTS(0x01, 0x8f, LOW_HALF),
	/* CYCLE_ACTIVITY: cache misses */
	X86_LIMIT_UMASK(0xa3, 0x01, LOW_HALF),
	X86_LIMIT_UMASK(0xa3, 0x02, LOW_HALF),
	X86_LIMIT_UMASK(0xa3, 0x05, LOW_HALF),
	X86_LIMIT_UMASK(0xa3, 0x06, LOW_HALF),
	X86_LIMIT_UMASK(0xa3, 0x08, LOW_HALF),
	X86_LIMIT_UMASK(0xa3, 0x0c, LOW_HALF),
	/* Topdown slots lost by bad speculation */
	X86_LIMIT_UMASK(0xa4, 0x04, BIT(0)),
	X86_LIMIT_UMASK(0xa4, 0x08, BIT(0)),
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	/* Store sampling */
	X86_LIMIT_UMASK(0xcd, 0x02, BIT(0)),
	X86_LIMIT_EVENT(0xce, BIT(0)),
	X86_LIMIT_EVENTS(0xd0, 0xdf, LOW_HALF),
	X86_LIMIT_END
};

static const struct x86_extra skl_extra[] = {
	OFFCORE_0(0xb7, 0xbb, 0x3fffff8fff),
	OFFCORE_1(0xbb, 0xb7, 0x3fffff8fff),
	LATENCY(0xcd, 0x01),
	FRONTEND(0xc6, 0x01, 0x7fff17),
	X86_EXTRA_END
};

static const struct x86_extra icl_extra[] = {
	OFFCORE_0(0xb7, 0xbb, 0x3fffffbfff),
	OFFCORE_1(0xbb, 0xb7, 0x3fffffbfff),
	LATENCY(0xcd, 0x01),
	FRONTEND(0xc6, 0x01, 0x7fff17),
	X86_EXTRA_END
};

static const struct x86_extra glc_extra[] = {
	OFFCORE_0(0x2a, 0x2b, 0x3fffffffff),
	OFFCORE_1(0x2b, 0x2a, 0x3fffffffff),
	LATENCY(0xcd, 0x01),
	FRONTEND(0xad, 0x40, 0x7),
	FRONTEND(0xc2, 0x04, 0x8),
	FRONTEND(0xc6, 0x01, 0x7fff1f),
	X86_EXTRA_END
};

/*
 * Lion Cove has ten counters. Offcore requests and responses, and retired loads by data source, are
 * limited to the lower four counters. If leaf 0x23 reports eight counters or is missing, the upper
 * two counters are masked.
 */
#define ALL_TEN		X86_GENERAL(10)

static const struct x86_limit lnc_limits[] = {
	X86_LIMIT_NAME(INTEL_EVENT_ANY_INSTRUCTION, 0),
	X86_LIMIT_NAME(INTEL_EVENT_REFERENCE_CYCLES, 2),
	X86_LIMIT_NAME(INTEL_EVENT_SLOTS, 3),
	NO_METRICS,
	X86_LIMIT_EVENT(0x20, LOW_HALF),
	X86_LIMIT_UMASK(0x2a, 0x01, LOW_HALF),
	X86_LIMIT_UMASK(0x2b, 0x01, LOW_HALF),
	X86_LIMIT_EVENTS(0x2a, 0x2b, ALL_TEN),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_FIXED(0x3c, 0x01, 2),
	/* Outstanding misses of the first level cache, and stalls on these */
	X86_LIMIT_UMASK(0x48, 0x01, BIT(2)),
	X86_LIMIT_UMASK(0x75, 0x01, BIT(2)),
	X86_LIMIT_UMASK(0xa3, 0x08, BIT(2)),
	X86_LIMIT_UMASK(0xa3, 0x0c, BIT(2)),
	X86_LIMIT_UMASK(0xa4, 0x04, BIT(0)),
	X86_LIMIT_UMASK(0xa4, 0x08, BIT(0)),
	X86_LIMIT_UMASK(0xa4, 0x10, BIT(3)),
	X86_LIMIT_UMASK(0xb1, 0x01, BIT(3)),
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	X86_LIMIT_UMASK(0xcd, 0x01, ALL_TEN & ~X86_GENERAL(2)),
	X86_LIMIT_UMASK(0xcd, 0x02, X86_GENERAL(2)),
	X86_LIMIT_UMASK(0xd0, 0x87, ALL_TEN),
	X86_LIMIT_EVENTS(0xd0, 0xdf, LOW_HALF),
	X86_LIMIT_UMASK(0xe0, 0x00, LOW_HALF),
	X86_LIMIT_END
};

/* On Redwood Cove, the front end event 0xc6 has two unit masks. */
static const struct x86_extra rwc_extra[] = {
	OFFCORE_0(0x2a, 0x2b, 0x3fffffffff),
	OFFCORE_1(0x2b, 0x2a, 0x3fffffffff),
	LATENCY(0xcd, 0x01),
	FRONTEND(0xad, 0x40, 0x7),
	FRONTEND(0xc2, 0x04, 0x8),
	FRONTEND(0xc6, 0x02, 0x9),
	FRONTEND(0xc6, 0x03, 0x7fff1f),
	X86_EXTRA_END
};

static const struct x86_extra lnc_extra[] = {
	OFFCORE_0(0x2a, 0x2b, 0xfffffffffff),
	OFFCORE_1(0x2b, 0x2a, 0xfffffffffff),
	LATENCY(0xcd, 0x01),
	FRONTEND(0xad, 0x40, 0xf),
	FRONTEND(0xc2, 0x04, 0x8),
	FRONTEND(0xc6, 0x02, 0x9),
	FRONTEND(0xc6, 0x03, 0x7fff1f),
	X86_EXTRA_END
};

/* Four slots in a cycle; with hyper-threading, a thread has the slots of every other cycle. */
static struct attribute *skl_events[] = {
	X86_EVENT_SMT_ATTR("topdown-total-slots", "event=0x3c,umask=0x0",
			   "event=0x3c,umask=0x0,any=1"),
	X86_EVENT_SMT_ATTR("topdown-total-slots.scale", "4", "2"),
	X86_EVENT_ATTR("topdown-slots-issued", "event=0xe,umask=0x1"),
	X86_EVENT_ATTR("topdown-slots-retired", "event=0xc2,umask=0x2"),
	X86_EVENT_ATTR("topdown-fetch-bubbles", "event=0x9c,umask=0x1"),
	X86_EVENT_SMT_ATTR("topdown-recovery-bubbles", "event=0xd,umask=0x1,cmask=1",
			   "event=0xd,umask=0x1,cmask=1,any=1"),
	X86_EVENT_SMT_ATTR("topdown-recovery-bubbles.scale", "4", "2"),
	NULL
};

/* Slots and Topdown metrics of one level, or of two */
static struct attribute *icl_topdown[] = {
	X86_EVENT_ATTR("slots", "event=0x00,umask=0x4"),
	X86_EVENT_ATTR("topdown-retiring", "event=0x00,umask=0x80"),
	X86_EVENT_ATTR("topdown-bad-spec", "event=0x00,umask=0x81"),
	X86_EVENT_ATTR("topdown-fe-bound", "event=0x00,umask=0x82"),
	X86_EVENT_ATTR("topdown-be-bound", "event=0x00,umask=0x83"),
	NULL
};

static struct attribute *glc_topdown[] = {
	X86_EVENT_ATTR("slots", "event=0x00,umask=0x4"),
	X86_EVENT_ATTR("topdown-retiring", "event=0x00,umask=0x80"),
	X86_EVENT_ATTR("topdown-bad-spec", "event=0x00,umask=0x81"),
	X86_EVENT_ATTR("topdown-fe-bound", "event=0x00,umask=0x82"),
	X86_EVENT_ATTR("topdown-be-bound", "event=0x00,umask=0x83"),
	X86_EVENT_ATTR("topdown-heavy-ops", "event=0x00,umask=0x84"),
	X86_EVENT_ATTR("topdown-br-mispredict", "event=0x00,umask=0x85"),
	X86_EVENT_ATTR("topdown-fetch-lat", "event=0x00,umask=0x86"),
	X86_EVENT_ATTR("topdown-mem-bound", "event=0x00,umask=0x87"),
	NULL
};

#define SKL_ROW(_accesses)							\
	INTEL_ROW_TSX("skylake", x86_intel_hsw_transactions),			\
	.branches	= &x86_lbr_skylake,					\
	.generic	= x86_intel_generic,					\
	.cache		= &skl_cache,						\
	.cache_extra	= &skl_cache_extra,					\
	.limits		= skl_limits,						\
	.precise	= x86_skylake_precise,					\
	.accesses	= &(_accesses),						\
	.precise_levels	= 3,							\
	.precise_cycles	= { 0, INTEL_CYCLES(0xc0, 0x00), INTEL_CYCLES(0xc0, 0x00),	\
			    INTEL_CYCLES(0xc0, 0x01) },				\
	.extra		= skl_extra,						\
	.events		= skl_events,						\
	.memory		= x86_haswell_memory

#define ICL_ROW(_accesses, _extra)						\
	INTEL_ROW_TSX("icelake", x86_intel_icl_transactions),			\
	.metrics	= 4,							\
	.topdown	= icl_topdown,						\
	.branches	= &x86_lbr_skylake,					\
	.generic	= x86_intel_generic,					\
	.cache		= &icl_cache,						\
	.cache_extra	= &(_extra),						\
	.limits		= icl_limits,						\
	.precise	= x86_icelake_precise,					\
	.accesses	= &(_accesses),						\
	.distributed	= x86_icelake_distributed,				\
	.precise_levels	= 3,							\
	.extra		= icl_extra,						\
	.memory		= x86_haswell_memory

static const struct x86_model skylake = {
	SKL_ROW(x86_skylake_accesses),
};

static const struct x86_model icelake = {
	ICL_ROW(x86_skylake_accesses, icl_cache_extra),
};

/* Servers may have persistent memory. */
static const struct x86_model skylake_x = {
	SKL_ROW(x86_skylake_x_accesses),
};

static const struct x86_model icelake_x = {
	ICL_ROW(x86_skylake_x_accesses, icl_x_cache_extra),
};

#define GLC_ROW(_name, _limits, _precise, _extra, _memory)			\
	INTEL_ROW_TSX(_name, x86_intel_glc_transactions),			\
	.metrics	= 8,							\
	.topdown	= glc_topdown,						\
	.generic	= glc_generic,						\
	.cache		= &glc_cache,						\
	.limits		= (_limits),						\
	.precise	= (_precise),						\
	.distributed	= x86_goldencove_distributed,				\
	.memory		= (_memory),						\
	.precise_levels	= 3,							\
	.distributed_period = 128,						\
	.extra		= (_extra)

/* Rows with mem-loads-aux */
#define GLC_ROW_AUX(_name, _extra)						\
	GLC_ROW(_name, glc_limits, x86_goldencove_precise, _extra,		\
		x86_goldencove_memory),						\
	.loads		= GOLDENCOVE_LOADS,					\
	.loads_aux	= GOLDENCOVE_LOADS_AUX

static const struct x86_model sapphire_rapids = {
	GLC_ROW_AUX("sapphire_rapids", glc_extra),
	.cache_extra	= &glc_x_cache_extra,
	.accesses	= &x86_goldencove_x_accesses,
};

static const struct x86_model granite_rapids = {
	GLC_ROW("granite_rapids", glc_limits, x86_goldencove_precise, rwc_extra,
		x86_sandybridge_memory),
	.cache_extra	= &glc_x_cache_extra,
	.accesses	= &x86_goldencove_x_accesses,
};

/* P-cores of hybrid CPUs, with the model of their E-cores */
#define GLC_COUNTERS	(X86_GENERAL(8) | X86_GENERAL(4) << INTEL_PMC_IDX_FIXED)

static const struct x86_model alderlake = {
	GLC_ROW_AUX("alderlake_hybrid", glc_extra),
	.cache_extra		= &glc_cache_extra,
	.accesses		= &x86_goldencove_accesses,
	.p_core_counters	= GLC_COUNTERS,
	.e_core_model		= &x86_intel_alderlake_e_core,
};

static const struct x86_model meteorlake = {
	GLC_ROW_AUX("meteorlake_hybrid", rwc_extra),
	.cache_extra		= &glc_cache_extra,
	.accesses		= &x86_goldencove_accesses,
	.p_core_counters	= GLC_COUNTERS,
	.e_core_model		= &x86_intel_meteorlake_e_core,
};

static const struct x86_model lunarlake = {
	GLC_ROW("lunarlake_hybrid", lnc_limits, x86_lioncove_precise, lnc_extra,
		x86_sandybridge_memory),
	.cache_extra		= &lnc_cache_extra,
	.accesses		= &x86_lioncove_accesses,
	.p_core_counters	= GLC_COUNTERS,
	.e_core_model		= &x86_intel_lunarlake_e_core,
};

const struct x86_cpu_id x86_intel_core_models[] = {
	X86_MODEL_VFM(INTEL_SKYLAKE_L, skylake),
	X86_MODEL_VFM(INTEL_SKYLAKE, skylake),
	X86_MODEL_VFM(INTEL_SKYLAKE_X, skylake_x),
	X86_MODEL_VFM(INTEL_KABYLAKE_L, skylake),
	X86_MODEL_VFM(INTEL_KABYLAKE, skylake),
	X86_MODEL_VFM(INTEL_COMETLAKE_L, skylake),
	X86_MODEL_VFM(INTEL_COMETLAKE, skylake),
	X86_MODEL_VFM(INTEL_ICELAKE_L, icelake),
	X86_MODEL_VFM(INTEL_ICELAKE, icelake),
	X86_MODEL_VFM(INTEL_ICELAKE_X, icelake_x),
	X86_MODEL_VFM(INTEL_ICELAKE_D, icelake_x),
	X86_MODEL_VFM(INTEL_TIGERLAKE_L, icelake),
	X86_MODEL_VFM(INTEL_TIGERLAKE, icelake),
	X86_MODEL_VFM(INTEL_ROCKETLAKE, icelake),
	X86_MODEL_VFM(INTEL_SAPPHIRERAPIDS_X, sapphire_rapids),
	X86_MODEL_VFM(INTEL_EMERALDRAPIDS_X, sapphire_rapids),
	X86_MODEL_VFM(INTEL_GRANITERAPIDS_X, granite_rapids),
	X86_MODEL_VFM(INTEL_GRANITERAPIDS_D, granite_rapids),
	X86_MODEL_VFM(INTEL_ALDERLAKE, alderlake),
	X86_MODEL_VFM(INTEL_ALDERLAKE_L, alderlake),
	X86_MODEL_VFM(INTEL_RAPTORLAKE, alderlake),
	X86_MODEL_VFM(INTEL_RAPTORLAKE_P, alderlake),
	X86_MODEL_VFM(INTEL_RAPTORLAKE_S, alderlake),
	X86_MODEL_VFM(INTEL_METEORLAKE, meteorlake),
	X86_MODEL_VFM(INTEL_METEORLAKE_L, meteorlake),
	X86_MODEL_VFM(INTEL_ARROWLAKE_U, meteorlake),
	X86_MODEL_VFM(INTEL_ARROWLAKE, lunarlake),
	X86_MODEL_VFM(INTEL_LUNARLAKE_M, lunarlake),
	{ }
};
