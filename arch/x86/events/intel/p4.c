// SPDX-License-Identifier: GPL-2.0
/*
 * Pentium 4 and its Xeons (Netburst).
 *
 * Two registers select what a counter counts: its CCCR, handled as the event select, and an ESCR,
 * which is selected by the CCCR and belongs to the unit of the event. Each unit has two ESCRs, one
 * for each thread of a core, and each ESCR reaches two or three counters. The ESCR is handled as an
 * extra register: two events with the same value share it, and two with different values cannot be
 * scheduled together.
 *
 * The config of an event has the format of asm/perf_event_p4.h: a CCCR, and above it an ESCR with
 * an event number in place of its code.
 */
#include <linux/nospec.h>
#include <linux/topology.h>
#include <asm/cpu_device_id.h>
#include <asm/msr.h>
#include <asm/perf_event_p4.h>
#include <asm/processor.h>

#include "../engine.h"
#include "tables.h"

/* Counters reached by the ESCRs of a unit, for each thread; counter 1 does not work. */
#define P4_BPU_0	BIT(0)
#define P4_BPU_1	(BIT(2) | BIT(3))
#define P4_MS_0		(BIT(4) | BIT(5))
#define P4_MS_1		(BIT(6) | BIT(7))
#define P4_FLAME_0	(BIT(8) | BIT(9))
#define P4_FLAME_1	(BIT(10) | BIT(11))
#define P4_IQ_0		(BIT(12) | BIT(13) | BIT(16))
#define P4_IQ_1		(BIT(14) | BIT(15) | BIT(17))

#define P4_COUNTERS	(X86_GENERAL(ARCH_P4_MAX_CCCR) & ~BIT(1))

/* ESCRs in the order of p4_extra */
enum p4_escr {
	P4_ALF_ESCR0, P4_ALF_ESCR1, P4_BPU_ESCR0, P4_BPU_ESCR1, P4_BSU_ESCR0, P4_BSU_ESCR1,
	P4_CRU_ESCR0, P4_CRU_ESCR1, P4_CRU_ESCR2, P4_CRU_ESCR3, P4_DAC_ESCR0, P4_DAC_ESCR1,
	P4_FIRM_ESCR0, P4_FIRM_ESCR1, P4_FSB_ESCR0, P4_FSB_ESCR1, P4_ITLB_ESCR0, P4_ITLB_ESCR1,
	P4_MOB_ESCR0, P4_MOB_ESCR1, P4_MS_ESCR0, P4_MS_ESCR1, P4_PMH_ESCR0, P4_PMH_ESCR1,
	P4_RAT_ESCR0, P4_RAT_ESCR1, P4_SAAT_ESCR0, P4_SAAT_ESCR1, P4_TBPU_ESCR0, P4_TBPU_ESCR1,
	P4_TC_ESCR0, P4_TC_ESCR1,
};

/* No config matches a row of this table: p4_get_sel() selects the row. */
#define P4_EXTRA(_escr)								\
	[P4_##_escr] = { .first = 1, .msr = MSR_P4_##_escr, .valid = ~0ULL }

static const struct x86_extra p4_extra[] = {
	P4_EXTRA(ALF_ESCR0), P4_EXTRA(ALF_ESCR1), P4_EXTRA(BPU_ESCR0), P4_EXTRA(BPU_ESCR1),
	P4_EXTRA(BSU_ESCR0), P4_EXTRA(BSU_ESCR1), P4_EXTRA(CRU_ESCR0), P4_EXTRA(CRU_ESCR1),
	P4_EXTRA(CRU_ESCR2), P4_EXTRA(CRU_ESCR3), P4_EXTRA(DAC_ESCR0), P4_EXTRA(DAC_ESCR1),
	P4_EXTRA(FIRM_ESCR0), P4_EXTRA(FIRM_ESCR1), P4_EXTRA(FSB_ESCR0), P4_EXTRA(FSB_ESCR1),
	P4_EXTRA(ITLB_ESCR0), P4_EXTRA(ITLB_ESCR1), P4_EXTRA(MOB_ESCR0), P4_EXTRA(MOB_ESCR1),
	P4_EXTRA(MS_ESCR0), P4_EXTRA(MS_ESCR1), P4_EXTRA(PMH_ESCR0), P4_EXTRA(PMH_ESCR1),
	P4_EXTRA(RAT_ESCR0), P4_EXTRA(RAT_ESCR1), P4_EXTRA(SAAT_ESCR0), P4_EXTRA(SAAT_ESCR1),
	P4_EXTRA(TBPU_ESCR0), P4_EXTRA(TBPU_ESCR1), P4_EXTRA(TC_ESCR0), P4_EXTRA(TC_ESCR1),
	X86_EXTRA_END
};

/**
 * struct p4_event - an event of enum P4_EVENTS
 * @opcode: the event code, and the ESCR selector for the CCCR
 * @masks: the valid event mask bits
 * @escr: the ESCR for each thread
 * @counters: mask of the counters that each ESCR reaches
 */
struct p4_event {
	u16		opcode;
	u16		masks;
	enum p4_escr	escr[2];
	u32		counters[2];
};

#define P4_EVENT_OF(_event, _escr0, _escr1, _counters0, _counters1, _masks)	\
	[P4_EVENT_##_event] = {							\
		.opcode = P4_OPCODE(P4_EVENT_##_event),				\
		.masks = (_masks),						\
		.escr = { P4_##_escr0, P4_##_escr1 },				\
		.counters = { P4_##_counters0, P4_##_counters1 },		\
	}
#define P4_EVENT(_event, _unit, _counters, _masks)				\
	P4_EVENT_OF(_event, _unit##_ESCR0, _unit##_ESCR1, _counters##_0, _counters##_1, _masks)
/*
 * Retirement has a second pair of ESCRs. Some events are counted by one ESCR only: the threads of a
 * core exclude each other from such an ESCR and its counters, see excl_cntrs.c.
 */
#define P4_EVENT_CRU2(_event, _masks)						\
	P4_EVENT_OF(_event, CRU_ESCR2, CRU_ESCR3, IQ_0, IQ_1, _masks)
#define P4_EVENT_ONE(_event, _escr, _counters, _masks)				\
	P4_EVENT_OF(_event, _escr, _escr, _counters, _counters, _masks)

static const struct p4_event p4_events[] = {
	P4_EVENT(TC_DELIVER_MODE, TC, MS, 0x007f),
	P4_EVENT(BPU_FETCH_REQUEST, BPU, BPU, 0x0001),
	P4_EVENT(ITLB_REFERENCE, ITLB, BPU, 0x0007),
	P4_EVENT(MEMORY_CANCEL, DAC, FLAME, 0x000c),
	P4_EVENT(MEMORY_COMPLETE, SAAT, FLAME, 0x0003),
	P4_EVENT(LOAD_PORT_REPLAY, SAAT, FLAME, 0x0002),
	P4_EVENT(STORE_PORT_REPLAY, SAAT, FLAME, 0x0002),
	P4_EVENT(MOB_LOAD_REPLAY, MOB, BPU, 0x003a),
	P4_EVENT(PAGE_WALK_TYPE, PMH, BPU, 0x0003),
	P4_EVENT(BSQ_CACHE_REFERENCE, BSU, BPU, 0x073f),
	P4_EVENT(IOQ_ALLOCATION, FSB, BPU, 0xefe1),
	P4_EVENT_ONE(IOQ_ACTIVE_ENTRIES, FSB_ESCR1, BPU_1, 0xefe1),
	P4_EVENT(FSB_DATA_ACTIVITY, FSB, BPU, 0x003f),
	P4_EVENT_ONE(BSQ_ALLOCATION, BSU_ESCR0, BPU_0, 0x3fef),
	P4_EVENT_ONE(BSQ_ACTIVE_ENTRIES, BSU_ESCR1, BPU_1, 0x3fef),
	P4_EVENT(SSE_INPUT_ASSIST, FIRM, FLAME, 0x8000),
	P4_EVENT(PACKED_SP_UOP, FIRM, FLAME, 0x8000),
	P4_EVENT(PACKED_DP_UOP, FIRM, FLAME, 0x8000),
	P4_EVENT(SCALAR_SP_UOP, FIRM, FLAME, 0x8000),
	P4_EVENT(SCALAR_DP_UOP, FIRM, FLAME, 0x8000),
	P4_EVENT(64BIT_MMX_UOP, FIRM, FLAME, 0x8000),
	P4_EVENT(128BIT_MMX_UOP, FIRM, FLAME, 0x8000),
	P4_EVENT(X87_FP_UOP, FIRM, FLAME, 0x8000),
	P4_EVENT(TC_MISC, TC, MS, 0x0010),
	P4_EVENT(GLOBAL_POWER_EVENTS, FSB, BPU, 0x0001),
	P4_EVENT(TC_MS_XFER, MS, MS, 0x0001),
	P4_EVENT(UOP_QUEUE_WRITES, MS, MS, 0x0007),
	P4_EVENT(RETIRED_MISPRED_BRANCH_TYPE, TBPU, MS, 0x001e),
	P4_EVENT(RETIRED_BRANCH_TYPE, TBPU, MS, 0x001e),
	P4_EVENT(RESOURCE_STALL, ALF, IQ, 0x0020),
	P4_EVENT(WC_BUFFER, DAC, FLAME, 0x0003),
	P4_EVENT(B2B_CYCLES, FSB, BPU, 0),
	P4_EVENT(BNR, FSB, BPU, 0),
	P4_EVENT(SNOOP, FSB, BPU, 0),
	P4_EVENT(RESPONSE, FSB, BPU, 0),
	P4_EVENT_CRU2(FRONT_END_EVENT, 0x0003),
	P4_EVENT_CRU2(EXECUTION_EVENT, 0x00ff),
	P4_EVENT_CRU2(REPLAY_EVENT, 0x0003),
	P4_EVENT(INSTR_RETIRED, CRU, IQ, 0x000f),
	P4_EVENT(UOPS_RETIRED, CRU, IQ, 0x0003),
	P4_EVENT(UOP_TYPE, RAT, IQ, 0x0006),
	P4_EVENT_CRU2(BRANCH_RETIRED, 0x000f),
	P4_EVENT(MISPRED_BRANCH_RETIRED, CRU, IQ, 0x0001),
	P4_EVENT_CRU2(X87_ASSIST, 0x001f),
	P4_EVENT_CRU2(MACHINE_CLEAR, 0x0007),
	P4_EVENT(INSTR_COMPLETED, CRU, IQ, 0x0003),
};

/* The event of a config. The number is less than ARRAY_SIZE(p4_events), except in speculation. */
static const struct p4_event *p4_event_of(u64 config)
{
	unsigned int number = p4_config_unpack_event(config);

	return &p4_events[array_index_nospec(number, ARRAY_SIZE(p4_events))];
}

/*
 * Events of replayed or tagged micro-operations (P4_PEBS_METRIC__*) need two more registers,
 * MSR_IA32_PEBS_ENABLE and MSR_P4_PEBS_MATRIX_VERT, whose bits select the cause. The value of the
 * extra register has the number of the metric above the bits of the ESCR. Both threads of a core
 * use the two registers, so events of different metrics exclude each other: see
 * x86_event_sel::common.
 */
#define P4_METRIC_SHIFT		32

static const struct {
	u32	enable;
	u32	vertical;
} p4_metrics[P4_PEBS_METRIC__max] = {
	[P4_PEBS_METRIC__1stl_cache_load_miss_retired]	= { BIT(0), BIT(0) },
	[P4_PEBS_METRIC__2ndl_cache_load_miss_retired]	= { BIT(1), BIT(0) },
	[P4_PEBS_METRIC__dtlb_load_miss_retired]	= { BIT(2), BIT(0) },
	[P4_PEBS_METRIC__dtlb_store_miss_retired]	= { BIT(2), BIT(1) },
	[P4_PEBS_METRIC__dtlb_all_miss_retired]		= { BIT(2), BIT(0) | BIT(1) },
	[P4_PEBS_METRIC__tagged_mispred_branch]		= { BIT(15) | BIT(16), BIT(4) },
	[P4_PEBS_METRIC__mob_load_replay_retired]	= { BIT(9), BIT(0) },
	[P4_PEBS_METRIC__split_load_retired]		= { BIT(10), BIT(0) },
	[P4_PEBS_METRIC__split_store_retired]		= { BIT(10), BIT(1) },
};

static void p4_write_extra(u32 msr, u64 value)
{
	unsigned int metric = value >> P4_METRIC_SHIFT;

	if (metric) {
		wrmsrl(MSR_IA32_PEBS_ENABLE, p4_metrics[metric].enable | P4_PEBS_ENABLE_UOP_TAG);
		wrmsrl(MSR_P4_PEBS_MATRIX_VERT, p4_metrics[metric].vertical);
	}
	wrmsrl(msr, lower_32_bits(value));
}

/*
 * Number of a CPU's thread in its core, as in the hardware. p4_ht_thread() would return 0 while the
 * other thread is offline.
 */
static unsigned int p4_thread(unsigned int cpu)
{
	return !topology_is_primary_thread(cpu);
}

/* The mode bits of an ESCR, for one thread */
static u64 p4_modes(const struct perf_event_attr *attr, unsigned int thread)
{
	u64 modes = 0;

	if (!attr->exclude_kernel)
		modes |= thread ? P4_ESCR_T1_OS : P4_ESCR_T0_OS;
	if (!attr->exclude_user)
		modes |= thread ? P4_ESCR_T1_USR : P4_ESCR_T0_USR;
	return modes;
}

/* Sets CCCR and ESCR for the thread of this CPU. */
static void p4_get_sel(struct x86_core *core, const struct perf_event *event,
		       struct x86_event_sel *sel)
{
	u64 config = event->hw.config, metric = p4_config_unpack_metric(config);
	const struct p4_event *what = p4_event_of(config);
	unsigned int thread = p4_thread(raw_smp_processor_id());
	u64 escr = p4_config_unpack_escr(config) & (P4_CONFIG_MASK_ESCR) & ~P4_ESCR_EVENT_MASK;

	escr |= P4_ESCR_EVENT((u64)P4_OPCODE_EVNT(what->opcode));
	escr |= p4_modes(&event->attr, thread);
	sel->config = p4_config_unpack_cccr(config) & (P4_CONFIG_MASK_CCCR) & ~P4_CCCR_RESERVED;
	/* The ESCR selects the thread. Without hyper-threading, the CCCR must select any. */
	sel->config |= P4_CCCR_THREAD_ANY | P4_CCCR_ESEL(P4_OPCODE_ESEL(what->opcode));
	sel->config |= thread ? P4_CCCR_OVF_PMI_T1 : P4_CCCR_OVF_PMI_T0;
	sel->extra_idx = what->escr[thread];
	sel->msr = p4_extra[sel->extra_idx].msr;
	sel->extra = escr | metric << P4_METRIC_SHIFT;
	sel->common = metric ? BIT(metric) : 0;
	sel->allowed = what->counters[thread] & core->counters;
}

static int p4_init_event(struct perf_event *event)
{
	u64 config = event->hw.config;
	unsigned int number = p4_config_unpack_event(config);

	/* The last event exists only from the 90 nm process on. */
	if (number >= ARRAY_SIZE(p4_events) ||
	    (number == P4_EVENT_INSTR_COMPLETED && boot_cpu_data.x86_model < 3) ||
	    p4_config_unpack_emask(config) & ~p4_event_of(config)->masks)
		return perf_event_refuse(event, "attr.config",
					 "has no valid event in its upper half",
					 -EINVAL);
	/* Higher numbers of metrics are for PEBS. */
	if (p4_config_unpack_pebs(config) >= P4_PEBS_METRIC__max)
		return perf_event_refuse(event, "attr.config",
					 "has no valid metric in its lowest bits",
					 -EINVAL);
	return 0;
}

static int p4_probe(struct x86_core *core)
{
	u64 misc;

	/* Firmware may have disabled the counters. */
	if (rdmsrl_safe(MSR_IA32_MISC_ENABLE, &misc) || !(misc & MSR_IA32_MISC_ENABLE_EMON))
		return -ENODEV;
	/*
	 * The threads of a core share all counters. RDPMC also reads the counters of the other
	 * thread, which may run a task of another user.
	 */
	if (p4_ht_active())
		x86_rdpmc = 0;
	return 0;
}

static const struct x86_pmu_msrs p4_msrs = {
	.select		= MSR_P4_BPU_CCCR0,
	.counter	= MSR_P4_BPU_PERFCTR0,
	.stride		= 1,
	.run		= P4_CCCR_ENABLE,
	.halt		= P4_CCCR_ENABLE,
	.masks_lvt	= true,
	.sticky		= P4_CCCR_OVF,
	.write_twice	= true,
	.shared		= true,
};

#define P4_CONFIG(_event, _masks)						\
	(p4_config_pack_escr(P4_ESCR_EVENT((u64)P4_EVENT_##_event) | (_masks)))
#define P4_MASK(_event, _name)	P4_ESCR_EMASK_BIT(P4_EVENT_##_event, _name)

static const u64 p4_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] =
		P4_CONFIG(GLOBAL_POWER_EVENTS, P4_MASK(GLOBAL_POWER_EVENTS, RUNNING)),
	[PERF_COUNT_HW_INSTRUCTIONS] =
		P4_CONFIG(INSTR_RETIRED, P4_MASK(INSTR_RETIRED, NBOGUSNTAG) |
					 P4_MASK(INSTR_RETIRED, BOGUSNTAG)),
	/* Read hits in any state in L2 or L3; misses in either */
	[PERF_COUNT_HW_CACHE_REFERENCES] =
		P4_CONFIG(BSQ_CACHE_REFERENCE, P4_ESCR_EMASK(0x003fULL)),
	[PERF_COUNT_HW_CACHE_MISSES] =
		P4_CONFIG(BSQ_CACHE_REFERENCE, P4_ESCR_EMASK(0x0700ULL)),
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] =
		P4_CONFIG(RETIRED_BRANCH_TYPE, P4_MASK(RETIRED_BRANCH_TYPE, CONDITIONAL) |
					       P4_MASK(RETIRED_BRANCH_TYPE, CALL) |
					       P4_MASK(RETIRED_BRANCH_TYPE, RETURN) |
					       P4_MASK(RETIRED_BRANCH_TYPE, INDIRECT)),
	[PERF_COUNT_HW_BRANCH_MISSES] =
		P4_CONFIG(MISPRED_BRANCH_RETIRED, P4_MASK(MISPRED_BRANCH_RETIRED, NBOGUS)),
	/* Number of times the bus becomes busy with data driven or received by this CPU */
	[PERF_COUNT_HW_BUS_CYCLES] =
		P4_CONFIG(FSB_DATA_ACTIVITY, P4_MASK(FSB_DATA_ACTIVITY, DRDY_DRV) |
					     P4_MASK(FSB_DATA_ACTIVITY, DRDY_OWN)) |
		P4_CCCR_EDGE | P4_CCCR_COMPARE,
};

/* Micro-operations that retire after a replay with a given cause */
#define P4_REPLAYED(_metric)							\
	(P4_CONFIG(REPLAY_EVENT, P4_MASK(REPLAY_EVENT, NBOGUS)) | P4_PEBS_METRIC__##_metric)

static const x86_cache_events p4_cache = {
	CACHE(L1D, READ)	= { 0, P4_REPLAYED(1stl_cache_load_miss_retired) },
	CACHE(LL, READ)		= { 0, P4_REPLAYED(2ndl_cache_load_miss_retired) },
	CACHE(DTLB, READ)	= { 0, P4_REPLAYED(dtlb_load_miss_retired) },
	CACHE(DTLB, WRITE)	= { 0, P4_REPLAYED(dtlb_store_miss_retired) },
	CACHE(ITLB, READ)	= { P4_CONFIG(ITLB_REFERENCE, P4_MASK(ITLB_REFERENCE, HIT)),
				    P4_CONFIG(ITLB_REFERENCE, P4_MASK(ITLB_REFERENCE, MISS)) },
	CACHE(ITLB, WRITE)	= NEVER,
	CACHE(ITLB, PREFETCH)	= NEVER,
	CACHE(NODE, READ)	= NEVER,
	CACHE(NODE, WRITE)	= NEVER,
	CACHE(NODE, PREFETCH)	= NEVER,
};

static struct attribute *p4_format[] = {
	X86_FORMAT_ATTR("cccr", "config:0-31"),
	X86_FORMAT_ATTR("escr", "config:32-62"),
	X86_FORMAT_ATTR("ht", "config:63"),
	NULL
};

const struct x86_model x86_intel_p4 = {
	.name		= "netburst",
	.probe		= p4_probe,
	.msrs		= &p4_msrs,
	.counters	= P4_COUNTERS,
	.width		= ARCH_P4_CNTRVAL_BITS,
	.config_mask	= P4_CONFIG_MASK,
	.generic	= p4_generic,
	.cache		= &p4_cache,
	.extra		= p4_extra,
	.format		= p4_format,
	.init_event	= p4_init_event,
	.get_sel	= p4_get_sel,
	.write_extra	= p4_write_extra,
};
