// SPDX-License-Identifier: GPL-2.0
/*
 * Models of Intel's E-cores (Atom), and of Xeon Phi from Knights Landing on.
 *
 * The codes are from the Software Developer's Manual and from Intel's event lists
 * (tools/perf/pmu-events/arch/x86/). Nearly all events can be counted on all counters.
 */
#include "tables.h"

static const struct x86_limit atom_limits[] = {
	X86_LIMIT_NAME(INTEL_EVENT_REFERENCE_CYCLES, 2),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	X86_LIMIT_END
};

/* From Gracemont on, reference cycles can be counted on general counters, too. */
static const struct x86_limit grt_limits[] = {
	X86_LIMIT_NAME(INTEL_EVENT_REFERENCE_CYCLES, 2),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_FIXED(0x3c, 0x01, 2),
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	X86_LIMIT_END
};

/* Skymont has fixed counters for slots: bad speculation, front-end bound, and retiring. */
static const struct x86_limit skt_limits[] = {
	X86_LIMIT_NAME(INTEL_EVENT_REFERENCE_CYCLES, 2),
	X86_LIMIT_NAME(INTEL_EVENT_BAD_SPECULATION, 4),
	X86_LIMIT_NAME(INTEL_EVENT_FRONT_END, 5),
	X86_LIMIT_NAME(INTEL_EVENT_RETIRING, 6),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_FIXED(0x3c, 0x01, 2),
	X86_LIMIT_FIXED(0x73, 0x00, 4),
	X86_LIMIT_FIXED(0x9c, 0x01, 5),
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	X86_LIMIT_FIXED(0xc2, 0x02, 6),
	X86_LIMIT_END
};

static const u64 grt_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= EVENT(0x3c, 0x00),
	[PERF_COUNT_HW_INSTRUCTIONS]		= EVENT(0xc0, 0x00),
	[PERF_COUNT_HW_CACHE_REFERENCES]	= EVENT(0x2e, 0x4f),
	[PERF_COUNT_HW_CACHE_MISSES]		= EVENT(0x2e, 0x41),
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= EVENT(0xc4, 0x00),
	[PERF_COUNT_HW_BRANCH_MISSES]		= EVENT(0xc5, 0x00),
	[PERF_COUNT_HW_BUS_CYCLES]		= EVENT(0x3c, 0x01),
	[PERF_COUNT_HW_REF_CPU_CYCLES]		= EVENT(0x3c, 0x01),
};

/* L1D loads and stores are counted whether they hit or miss. */
static const x86_cache_events bnl_cache = {
	CACHE(L1D, READ)	= { EVENT(0x40, 0x21) },
	CACHE(L1D, WRITE)	= { EVENT(0x40, 0x22) },
	CACHE(L1I, READ)	= { EVENT(0x80, 0x03), EVENT(0x80, 0x02) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, READ)		= { EVENT(0x29, 0x4f), EVENT(0x29, 0x41) },
	CACHE(LL, WRITE)	= { EVENT(0x2a, 0x4f), EVENT(0x2a, 0x41) },
	CACHE(DTLB, READ)	= { EVENT(0x40, 0x21), EVENT(0x08, 0x05) },
	CACHE(DTLB, WRITE)	= { EVENT(0x40, 0x22), EVENT(0x08, 0x06) },
	CACHE(ITLB, READ)	= { EVENT(0xc0, 0x00), EVENT(0x82, 0x02) },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x00), EVENT(0xc5, 0x00) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
};

/* Silvermont: of L1D and DTLB, only load misses; page walks are counted at their start. */
static const x86_cache_events slm_cache = {
	CACHE(L1D, READ)	= { 0, EVENT(0x04, 0x01) },
	CACHE(L1I, READ)	= { EVENT(0x80, 0x03), EVENT(0x80, 0x02) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, READ)		= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, PREFETCH)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(DTLB, READ)	= { 0, EVENT(0x04, 0x08) },
	CACHE(ITLB, READ)	= { EVENT(0xc0, 0x00),
				    EVENT(0x05, 0x02) | ARCH_PERFMON_EVENTSEL_EDGE },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x00), EVENT(0xc5, 0x00) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
};

/* As in OFFCORE_RESPONSE.DEMAND_DATA_RD.L2_MISS.ANY, without bit 37, for other than memory */
#define SLM_MISS	0x1680000000
#define SLM_PREFETCH	0x30

static const x86_cache_events slm_cache_extra = {
	CACHE(LL, READ)		= { OFFCORE_READ | OFFCORE_ANY, OFFCORE_READ | SLM_MISS },
	CACHE(LL, WRITE)	= { OFFCORE_WRITE | OFFCORE_ANY, OFFCORE_WRITE | SLM_MISS },
	CACHE(LL, PREFETCH)	= { SLM_PREFETCH | OFFCORE_ANY, SLM_PREFETCH | SLM_MISS },
};

/* Knights Landing: as Silvermont, without responses of misses and prefetches */
static const x86_cache_events knl_cache = {
	CACHE(L1D, READ)	= { 0, EVENT(0x04, 0x01) },
	CACHE(L1I, READ)	= { EVENT(0x80, 0x03), EVENT(0x80, 0x02) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, READ)		= { EVENT(0xb7, 0x01) },
	CACHE(LL, WRITE)	= { EVENT(0xb7, 0x01), X86_IMPOSSIBLE },
	CACHE(LL, PREFETCH)	= NEVER,
	CACHE(DTLB, READ)	= { 0, EVENT(0x04, 0x08) },
	CACHE(ITLB, READ)	= { EVENT(0xc0, 0x00),
				    EVENT(0x05, 0x02) | ARCH_PERFMON_EVENTSEL_EDGE },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x00), EVENT(0xc5, 0x00) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
};

static const x86_cache_events knl_cache_extra = {
	CACHE(LL, READ)		= { OFFCORE_READ | OFFCORE_ANY },
	CACHE(LL, WRITE)	= { OFFCORE_WRITE | OFFCORE_ANY },
};

/* Goldmont: DTLB accesses without misses; offcore responses of prefetches into the last level */
static const x86_cache_events glm_cache = {
	CACHE(L1D, READ)	= { EVENT(0xd0, 0x81) },
	CACHE(L1D, WRITE)	= { EVENT(0xd0, 0x82) },
	CACHE(L1I, READ)	= { EVENT(0x80, 0x03), EVENT(0x80, 0x02) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, READ)		= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, PREFETCH)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(DTLB, READ)	= { EVENT(0xd0, 0x81) },
	CACHE(DTLB, WRITE)	= { EVENT(0xd0, 0x82) },
	CACHE(ITLB, READ)	= { EVENT(0xc0, 0x00), EVENT(0x81, 0x04) },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x00), EVENT(0xc5, 0x00) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
};

/* Misses: supplier unknown, another core, or memory */
#define GLM_MISS	0x3600000000
#define GLM_PREFETCH	0x30

static const x86_cache_events glm_cache_extra = {
	CACHE(LL, READ)		= { OFFCORE_READ | OFFCORE_ANY, OFFCORE_READ | GLM_MISS },
	CACHE(LL, WRITE)	= { OFFCORE_WRITE | OFFCORE_ANY, OFFCORE_WRITE | GLM_MISS },
	CACHE(LL, PREFETCH)	= { GLM_PREFETCH | OFFCORE_ANY, GLM_PREFETCH | GLM_MISS },
};

/* Goldmont Plus: misses of the DTLB are page walks. */
static const x86_cache_events glp_cache = {
	CACHE(L1D, READ)	= { EVENT(0xd0, 0x81) },
	CACHE(L1D, WRITE)	= { EVENT(0xd0, 0x82) },
	CACHE(L1I, READ)	= { EVENT(0x80, 0x03), EVENT(0x80, 0x02) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, READ)		= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(DTLB, READ)	= { EVENT(0xd0, 0x81), EVENT(0x08, 0x0e) },
	CACHE(DTLB, WRITE)	= { EVENT(0xd0, 0x82), EVENT(0x49, 0x0e) },
	CACHE(ITLB, READ)	= { EVENT(0xc0, 0x00), EVENT(0x81, 0x04) },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x00), EVENT(0xc5, 0x00) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
};

static const x86_cache_events glp_cache_extra = {
	CACHE(LL, READ)		= { OFFCORE_READ | OFFCORE_ANY, OFFCORE_READ | GLM_MISS },
	CACHE(LL, WRITE)	= { OFFCORE_WRITE | OFFCORE_ANY, OFFCORE_WRITE | GLM_MISS },
};

/* Tremont and later */
static const x86_cache_events tnt_cache = {
	CACHE(L1D, READ)	= { EVENT(0xd0, 0x81) },
	CACHE(L1D, WRITE)	= { EVENT(0xd0, 0x82) },
	CACHE(L1I, READ)	= { EVENT(0x80, 0x03), EVENT(0x80, 0x02) },
	CACHE(L1I, WRITE)	= NEVER,
	CACHE(LL, READ)		= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(LL, WRITE)	= { EVENT(0xb7, 0x01), EVENT(0xb7, 0x01) },
	CACHE(DTLB, READ)	= { EVENT(0xd0, 0x81), EVENT(0x08, 0x0e) },
	CACHE(DTLB, WRITE)	= { EVENT(0xd0, 0x82), EVENT(0x49, 0x0e) },
	CACHE(ITLB, READ)	= { X86_IMPOSSIBLE, EVENT(0x81, 0x04) },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(BPU, READ)	= { EVENT(0xc4, 0x00), EVENT(0xc5, 0x00) },
	CACHE(BPU, WRITE)	= NEVER,
	CACHE(BPU, PREFETCH)	= NEVER,
};

/* The response bits of misses differ: OCR.DEMAND_DATA_RD.L3_MISS and OCR.DEMAND_RFO.L3_MISS. */
#define CACHE_EXTRA(_miss)							\
	{									\
		CACHE(LL, READ)	 = { OFFCORE_READ | OFFCORE_ANY, OFFCORE_READ | (_miss) }, \
		CACHE(LL, WRITE) = { OFFCORE_WRITE | OFFCORE_ANY, OFFCORE_WRITE | (_miss) }, \
	}

static const x86_cache_events tnt_cache_extra = CACHE_EXTRA(0x2184000000);
static const x86_cache_events grt_cache_extra = CACHE_EXTRA(0x3f84400000);
static const x86_cache_events cmt_cache_extra = CACHE_EXTRA(0x3fbfc00000);

/*
 * Only the first register can measure the latency of requests. The two cores of a module share both
 * registers on Silvermont and Airmont.
 */
static const struct x86_extra slm_extra[] = {
	X86_EXTRA_MODULE(0xb7, 0x01, MSR_OFFCORE_RSP_0, 0x768005ffff, 0x100),
	X86_EXTRA_MODULE(0xb7, 0x02, MSR_OFFCORE_RSP_1, 0x368005ffff, -0x100),
	X86_EXTRA_END
};

static const struct x86_extra glm_extra[] = {
	OFFCORE_UMASK_0(0xb7, 0x760005ffbf),
	OFFCORE_UMASK_1(0xb7, 0x360005ffbf),
	X86_EXTRA_END
};

static const struct x86_extra tnt_extra[] = {
	OFFCORE_UMASK_0(0xb7, 0x800ff0ffffff9fff),
	OFFCORE_UMASK_1(0xb7, 0x000ff0ffffff9fff),
	X86_EXTRA_END
};

static const struct x86_extra grt_extra[] = {
	OFFCORE_UMASK_0(0xb7, 0x3fffffffff),
	OFFCORE_UMASK_1(0xb7, 0x3fffffffff),
	LATENCY(0xd0, 0x05),
	X86_EXTRA_END
};

/* All bits of this register are valid. */
#define SNOOPS(_umask, _msr, _twin)	X86_EXTRA(0x27, _umask, _msr, ~0ULL, _twin)

static const struct x86_extra cmt_extra[] = {
	OFFCORE_UMASK_0(0xb7, 0x800ff3ffffffffff),
	OFFCORE_UMASK_1(0xb7, 0x000ff3ffffffffff),
	SNOOPS(0x01, MSR_SNOOP_RSP_0, 0x100),
	SNOOPS(0x02, MSR_SNOOP_RSP_1, -0x100),
	LATENCY(0xd0, 0x05),
	X86_EXTRA_END
};

static const struct x86_extra knl_extra[] = {
	OFFCORE_UMASK_0(0xb7, 0x799ffbb6e7),
	OFFCORE_UMASK_1(0xb7, 0x399ffbffe7),
	X86_EXTRA_END
};

/* Silvermont: two slots per cycle */
static struct attribute *slm_events[] = {
	X86_EVENT_ATTR("topdown-total-slots", "event=0x3c"),
	X86_EVENT_ATTR("topdown-total-slots.scale", "2"),
	X86_EVENT_ATTR("topdown-fetch-bubbles", "event=0xca,umask=0x50"),
	X86_EVENT_ATTR("topdown-fetch-bubbles.scale", "2"),
	X86_EVENT_ATTR("topdown-slots-issued", "event=0xc2,umask=0x10"),
	X86_EVENT_ATTR("topdown-slots-retired", "event=0xc2,umask=0x10"),
	NULL
};

/* Goldmont: three slots per cycle; Goldmont Plus: four */
#define GLM_EVENTS(_width)							\
	{									\
		X86_EVENT_ATTR("topdown-total-slots", "event=0x3c"),		\
		X86_EVENT_ATTR("topdown-total-slots.scale", _width),		\
		X86_EVENT_ATTR("topdown-slots-issued", "event=0x0e"),		\
		X86_EVENT_ATTR("topdown-slots-retired", "event=0xc2"),		\
		X86_EVENT_ATTR("topdown-fetch-bubbles", "event=0x9c"),		\
		X86_EVENT_ATTR("topdown-recovery-bubbles", "event=0xca,umask=0x02"), \
		NULL								\
	}

static struct attribute *glm_events[] = GLM_EVENTS("3");
static struct attribute *glp_events[] = GLM_EVENTS("4");

/* Later CPUs count slots of each category. */
#define TOPDOWN_EVENTS(_frontend, _backend, _wrong, _retired)			\
	{									\
		X86_EVENT_ATTR("topdown-fe-bound", _frontend),			\
		X86_EVENT_ATTR("topdown-be-bound", _backend),			\
		X86_EVENT_ATTR("topdown-bad-spec", _wrong),			\
		X86_EVENT_ATTR("topdown-retiring", _retired),			\
		NULL								\
	}

static struct attribute *tnt_events[] =
	TOPDOWN_EVENTS("event=0x71,umask=0x0", "event=0x74,umask=0x0", "event=0x73,umask=0x6",
		       "event=0xc2,umask=0x0");
static struct attribute *grt_events[] =
	TOPDOWN_EVENTS("event=0x71,umask=0x0", "event=0x74,umask=0x0", "event=0x73,umask=0x0",
		       "event=0xc2,umask=0x0");
static struct attribute *cmt_events[] =
	TOPDOWN_EVENTS("event=0x71,umask=0x0", "event=0x74,umask=0x0", "event=0x73,umask=0x0",
		       "event=0x72,umask=0x0");
static struct attribute *skt_events[] =
	TOPDOWN_EVENTS("event=0x9c,umask=0x01", "event=0xa4,umask=0x02", "event=0x73,umask=0x0",
		       "event=0xc2,umask=0x02");

/* Bonnell and Saltwell */
static const struct x86_model bonnell = {
	INTEL_ROW("bonnell"),
	.branches	= &x86_lbr_bonnell,
	.generic	= x86_intel_generic,
	.cache		= &bnl_cache,
	.limits		= atom_limits,
	.precise	= x86_atom_precise,
	.precise_levels	= 2,
	.precise_cycles	= { 0, INTEL_CYCLES(0xc0, 0x00), INTEL_CYCLES(0xc0, 0x00) },
};

static const struct x86_model knights_landing = {
	INTEL_ROW("knights-landing"),
	.branches	= &x86_lbr_knights_landing,
	.generic	= x86_intel_generic,
	.cache		= &knl_cache,
	.cache_extra	= &knl_cache_extra,
	.limits		= atom_limits,
	.extra		= knl_extra,
	.precise	= x86_atom_precise,
	.precise_levels	= 2,
	.precise_cycles	= { 0, INTEL_CYCLES(0xc0, 0x00), INTEL_CYCLES(0xc0, 0x00) },
};

static const struct x86_model silvermont = {
	INTEL_ROW("silvermont"),
	.branches	= &x86_lbr_silvermont,
	.generic	= x86_intel_generic,
	.cache		= &slm_cache,
	.cache_extra	= &slm_cache_extra,
	.limits		= atom_limits,
	.extra		= slm_extra,
	.events		= slm_events,
	.precise	= x86_atom_precise,
	.precise_levels	= 2,
	.precise_cycles	= { 0, INTEL_CYCLES(0xc0, 0x00), INTEL_CYCLES(0xc0, 0x00) },
};

static const struct x86_model goldmont = {
	INTEL_ROW("goldmont"),
	.branches	= &x86_lbr_skylake,
	.pt_with_lbr	= true,
	.generic	= x86_intel_generic,
	.cache		= &glm_cache,
	.cache_extra	= &glm_cache_extra,
	.limits		= atom_limits,
	.extra		= glm_extra,
	.events		= glm_events,
	.precise	= x86_atom_precise,
	.precise_levels	= 3,
};

static const struct x86_model goldmont_plus = {
	INTEL_ROW("goldmont_plus"),
	.branches	= &x86_lbr_skylake,
	.pt_with_lbr	= true,
	.generic	= x86_intel_generic,
	.cache		= &glp_cache,
	.cache_extra	= &glp_cache_extra,
	.limits		= atom_limits,
	.extra		= glm_extra,
	.events		= glp_events,
	.precise	= x86_goldmont_plus_precise,
	.distributed	= x86_goldmont_plus_distributed,
	.precise_fixed	= true,
	.precise_levels	= 3,
};

#define TNT_ROW(_name, _generic, _limits, _extra, _events, _distributed)	\
	INTEL_ROW(_name),							\
	.generic	= (_generic),						\
	.cache		= &tnt_cache,						\
	.limits		= (_limits),						\
	.extra		= (_extra),						\
	.distributed	= (_distributed),					\
	.precise_levels	= 3,							\
	.events		= (_events)

static const struct x86_model tremont = {
	TNT_ROW("Tremont", x86_intel_generic, atom_limits, tnt_extra, tnt_events,
		x86_tremont_distributed),
	.cache_extra	= &tnt_cache_extra,
	.branches	= &x86_lbr_skylake,
	.pt_with_lbr	= true,
	.precise	= x86_tremont_precise,
};

static const struct x86_model gracemont = {
	TNT_ROW("gracemont", grt_generic, grt_limits, grt_extra, tnt_events,
		x86_tremont_distributed),
	.cache_extra	= &grt_cache_extra,
	.pt_with_lbr	= true,
	.precise	= x86_gracemont_precise,
	.accesses	= &x86_gracemont_accesses,
	.memory		= x86_gracemont_memory,
};

static const struct x86_model crestmont = {
	TNT_ROW("crestmont", grt_generic, grt_limits, cmt_extra, cmt_events,
		x86_crestmont_distributed),
	.cache_extra	= &cmt_cache_extra,
	.pt_with_lbr	= true,
	.precise	= x86_gracemont_precise,
	.accesses	= &x86_crestmont_accesses,
	.memory		= x86_gracemont_memory,
};

/* E-cores of hybrid CPUs, with the name of the hybrid CPU */

const struct x86_model x86_intel_alderlake_e_core = {
	TNT_ROW("alderlake_hybrid", grt_generic, grt_limits, grt_extra, grt_events,
		x86_tremont_distributed),
	.cache_extra	= &grt_cache_extra,
	.precise	= x86_gracemont_precise,
	.accesses	= &x86_gracemont_accesses,
	.memory		= x86_gracemont_memory,
};

const struct x86_model x86_intel_meteorlake_e_core = {
	TNT_ROW("meteorlake_hybrid", grt_generic, grt_limits, cmt_extra, grt_events,
		x86_crestmont_distributed),
	.cache_extra	= &cmt_cache_extra,
	.precise	= x86_gracemont_precise,
	.accesses	= &x86_crestmont_accesses,
	.memory		= x86_gracemont_memory,
};

const struct x86_model x86_intel_lunarlake_e_core = {
	TNT_ROW("lunarlake_hybrid", grt_generic, skt_limits, cmt_extra, skt_events,
		x86_skymont_distributed),
	.cache_extra	= &cmt_cache_extra,
	.precise	= x86_gracemont_precise,
	.accesses	= &x86_crestmont_accesses,
	.memory		= x86_gracemont_memory,
};

const struct x86_cpu_id x86_intel_atom_models[] = {
	X86_MODEL_VFM(INTEL_ATOM_BONNELL, bonnell),
	X86_MODEL_VFM(INTEL_ATOM_BONNELL_MID, bonnell),
	X86_MODEL_VFM(INTEL_ATOM_SALTWELL, bonnell),
	X86_MODEL_VFM(INTEL_ATOM_SALTWELL_MID, bonnell),
	X86_MODEL_VFM(INTEL_ATOM_SALTWELL_TABLET, bonnell),
	X86_MODEL_VFM(INTEL_ATOM_SILVERMONT, silvermont),
	X86_MODEL_VFM(INTEL_ATOM_SILVERMONT_D, silvermont),
	X86_MODEL_VFM(INTEL_ATOM_SILVERMONT_MID, silvermont),
	X86_MODEL_VFM(INTEL_ATOM_AIRMONT, silvermont),
	X86_MODEL_VFM(INTEL_ATOM_AIRMONT_MID, silvermont),
	X86_MODEL_VFM(INTEL_ATOM_GOLDMONT, goldmont),
	X86_MODEL_VFM(INTEL_ATOM_GOLDMONT_D, goldmont),
	X86_MODEL_VFM(INTEL_ATOM_GOLDMONT_PLUS, goldmont_plus),
	X86_MODEL_VFM(INTEL_ATOM_TREMONT_D, tremont),
	X86_MODEL_VFM(INTEL_ATOM_TREMONT, tremont),
	X86_MODEL_VFM(INTEL_ATOM_TREMONT_L, tremont),
	X86_MODEL_VFM(INTEL_ATOM_GRACEMONT, gracemont),
	X86_MODEL_VFM(INTEL_ATOM_CRESTMONT_X, crestmont),
	X86_MODEL_VFM(INTEL_ATOM_CRESTMONT, crestmont),
	X86_MODEL_VFM(INTEL_XEON_PHI_KNL, knights_landing),
	X86_MODEL_VFM(INTEL_XEON_PHI_KNM, knights_landing),
	{ }
};
