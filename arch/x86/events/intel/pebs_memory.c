// SPDX-License-Identifier: GPL-2.0
/*
 * Data source of loads and stores, from PEBS records.
 */
#include "../engine.h"
#include "tables.h"

#define SOURCE(_field, _value)	((u64)PERF_MEM_##_field##_##_value << PERF_MEM_##_field##_SHIFT)
#define LEVEL(_level)		(SOURCE(LVL, _level))
#define SNOOP(_what)		(SOURCE(SNOOP, _what))

/* A hit in a level that has only a PERF_MEM_LVLNUM_* */
#define NUMBERED(_number)	(LEVEL(HIT) | SOURCE(LVLNUM, _number))
#define REMOTE(_number)		(NUMBERED(_number) | SOURCE(REMOTE, REMOTE))

/* A hit in a level that has both a PERF_MEM_LVL_* and a PERF_MEM_LVLNUM_* */
#define IN(_level, _number)	(LEVEL(HIT) | LEVEL(_level) | SOURCE(LVLNUM, _number))
#define REMOTE_CACHE		(LEVEL(HIT) | LEVEL(REM_CCE1) | SOURCE(LVLNUM, L3) |	\
				 SOURCE(REMOTE, REMOTE))
#define REMOTE_MEMORY		(LEVEL(HIT) | LEVEL(REM_RAM1) | SOURCE(LVLNUM, RAM) |	\
				 SOURCE(REMOTE, REMOTE))

/* Codes 0 to 4, and 14 and 15, of all CPUs before Lion Cove */
#define COMMON_SOURCES								\
	[0x0] = SOURCE(LVL, MISS) | LEVEL(L3) | SOURCE(LVLNUM, L3) | SNOOP(NA),	\
	[0x1] = IN(L1, L1) | SNOOP(NONE),					\
	[0x2] = IN(LFB, LFB) | SNOOP(NONE),					\
	[0x3] = IN(L2, L2) | SNOOP(NONE),					\
	[0x4] = IN(L3, L3) | SNOOP(NONE),					\
	[0xe] = LEVEL(HIT) | LEVEL(IO) | SOURCE(LVLNUM, NA) | SNOOP(NONE),	\
	[0xf] = LEVEL(HIT) | LEVEL(UNC) | SOURCE(LVLNUM, NA) | SNOOP(NONE)

/* Codes 7 to 13, up to Broadwell */
#define NODE_SOURCES								\
	[0x7] = IN(L3, L3) | SNOOP(HITM),					\
	[0x8] = REMOTE_CACHE | SNOOP(HIT),					\
	[0x9] = REMOTE_CACHE | SNOOP(HITM),					\
	[0xa] = IN(LOC_RAM, RAM) | SNOOP(HIT),					\
	[0xb] = REMOTE_MEMORY | SNOOP(HIT),					\
	[0xc] = IN(LOC_RAM, RAM) | SNOOP(NONE),					\
	[0xd] = REMOTE_MEMORY | SNOOP(NONE)

/* Nehalem and Westmere */
static const u64 nehalem_sources[] = {
	COMMON_SOURCES, NODE_SOURCES,
	[0x5] = IN(L3, L3) | SNOOP(HIT),
	[0x6] = IN(L3, L3) | SNOOP(HITM),
};

/* Sandy Bridge to Broadwell */
static const u64 sandybridge_sources[] = {
	COMMON_SOURCES, NODE_SOURCES,
	[0x5] = IN(L3, L3) | SNOOP(MISS),
	[0x6] = IN(L3, L3) | SNOOP(HIT),
};

/* Skylake to Redwood Cove, with a fourth level cache, or persistent memory in its place */
#define SKYLAKE_SOURCES(_number)						\
	[0x5] = IN(L3, L3) | SNOOP(MISS),					\
	[0x6] = IN(L3, L3) | SNOOP(HIT),					\
	[0x7] = IN(L3, L3) | SNOOP(HITM),					\
	[0x8] = NUMBERED(_number) | SNOOP(HIT),					\
	[0x9] = REMOTE(_number) | SNOOP(HIT),					\
	[0xa] = IN(LOC_RAM, RAM) | SNOOP(HIT),					\
	[0xb] = REMOTE(RAM) | SNOOP(NONE),					\
	[0xc] = REMOTE(ANY_CACHE) | SOURCE(SNOOPX, FWD),			\
	[0xd] = REMOTE(ANY_CACHE) | SNOOP(HITM)

static const u64 skylake_sources[] = { COMMON_SOURCES, SKYLAKE_SOURCES(L4) };
static const u64 skylake_x_sources[] = { COMMON_SOURCES, SKYLAKE_SOURCES(PMEM) };

static const u64 lioncove_sources[] = {
	[0x00] = SOURCE(LVL, MISS) | LEVEL(L3) | SOURCE(LVLNUM, L3) | SNOOP(NA),
	[0x01] = IN(L1, L1) | SNOOP(NONE),
	[0x02] = IN(L1, L1) | SNOOP(NONE),
	[0x03] = IN(LFB, LFB) | SNOOP(NONE),
	[0x05] = IN(L2, L2) | SNOOP(NONE),
	[0x06] = NUMBERED(L2_MHB) | SNOOP(NONE),
	[0x08] = IN(L3, L3) | SNOOP(NONE),
	[0x0c] = IN(L3, L3) | SOURCE(SNOOPX, FWD),
	[0x0d] = IN(L3, L3) | SNOOP(HITM),
	[0x0f] = SOURCE(LVL, MISS) | LEVEL(L3) | SOURCE(LVLNUM, L3) | SNOOP(HITM),
	[0x10] = NUMBERED(MSC) | SNOOP(NONE),
	[0x11] = IN(LOC_RAM, RAM) | SNOOP(NONE),
};

static const u64 gracemont_sources[] = {
	COMMON_SOURCES,
	[0x5] = IN(L3, L3) | SNOOP(HIT),
	[0x6] = IN(L3, L3) | SNOOP(HIT),
	[0x7] = IN(L3, L3) | SNOOP(HITM),
	[0x8] = IN(L3, L3) | SOURCE(SNOOPX, FWD),
	[0x9] = REMOTE_CACHE | SNOOP(HITM),
	[0xa] = IN(LOC_RAM, RAM) | SNOOP(HIT),
	[0xb] = REMOTE_MEMORY | SNOOP(HIT),
	[0xc] = IN(LOC_RAM, RAM) | SNOOP(NONE),
	[0xd] = REMOTE_MEMORY | SNOOP(NONE),
};

/* Crestmont and Skymont */
static const u64 crestmont_sources[] = {
	COMMON_SOURCES,
	[0x5] = IN(L3, L3) | SNOOP(MISS),
	[0x6] = IN(L3, L3) | SNOOP(HIT),
	[0x7] = IN(L3, L3) | SOURCE(SNOOPX, FWD),
	[0x8] = IN(L3, L3) | SNOOP(HITM),
	[0x9] = REMOTE_CACHE | SNOOP(HITM),
	[0xa] = IN(LOC_RAM, RAM) | SNOOP(NONE),
	[0xb] = REMOTE(RAM) | SNOOP(NONE),
	[0xc] = REMOTE(RAM) | SOURCE(SNOOPX, FWD),
	[0xd] = REMOTE(RAM) | SNOOP(HITM),
};

/* Source of a reserved code */
#define UNKNOWN			(LEVEL(NA) | SOURCE(LVLNUM, NA) | SNOOP(NA))

#define SOURCES(_sources)	.sources = (_sources), .nr_sources = ARRAY_SIZE(_sources)

/* Status word of a load: four bits of code, then TLB miss and lock */
#define CORE_FORMAT(_sources)							\
	SOURCES(_sources), .code = GENMASK_ULL(3, 0), .tlb_miss = BIT_ULL(4),	\
	.locked = BIT_ULL(5)
/* Status word of a load on Golden Cove and Redwood Cove */
#define GOLDENCOVE_FORMAT(_sources)						\
	CORE_FORMAT(_sources), .data_block = BIT_ULL(6), .address_block = BIT_ULL(7),	\
	.two_latencies = true

const struct x86_access_format x86_nehalem_accesses = {
	SOURCES(nehalem_sources),
	.code		= GENMASK_ULL(3, 0),
};

const struct x86_access_format x86_westmere_accesses = {
	CORE_FORMAT(nehalem_sources),
};

const struct x86_access_format x86_sandybridge_accesses = {
	CORE_FORMAT(sandybridge_sources),
};

const struct x86_access_format x86_skylake_accesses = {
	CORE_FORMAT(skylake_sources),
};

const struct x86_access_format x86_skylake_x_accesses = {
	CORE_FORMAT(skylake_x_sources),
};

const struct x86_access_format x86_goldencove_accesses = {
	GOLDENCOVE_FORMAT(skylake_sources),
};

const struct x86_access_format x86_goldencove_x_accesses = {
	GOLDENCOVE_FORMAT(skylake_x_sources),
};

const struct x86_access_format x86_lioncove_accesses = {
	SOURCES(lioncove_sources),
	.code		= GENMASK_ULL(7, 0),
	.tlb_miss	= BIT_ULL(10),
	.locked		= BIT_ULL(11),
	.data_block	= BIT_ULL(12),
	.address_block	= BIT_ULL(13),
	.two_latencies	= true,
};

const struct x86_access_format x86_gracemont_accesses = {
	SOURCES(gracemont_sources),
	.code		= GENMASK_ULL(3, 0),
	.locked		= BIT_ULL(4),
	.tlb_miss	= BIT_ULL(5),
	.data_block	= BIT_ULL(6),
	.two_latencies	= true,
};

const struct x86_access_format x86_crestmont_accesses = {
	SOURCES(crestmont_sources),
	.code		= GENMASK_ULL(4, 0),
	.locked		= BIT_ULL(5),
	.tlb_miss	= BIT_ULL(6),
	.data_block	= BIT_ULL(7),
	.two_latencies	= true,
};

/* Status word of a tracked store; of other stores without latency, bit 0 only */
#define STATUS_HIT		BIT_ULL(0)	/* hit in L1 */
#define STATUS_TLB_MISS		BIT_ULL(4)	/* miss in the second-level TLB */
#define STATUS_LOCKED		BIT_ULL(5)

static u64 pebs_tlb_source(bool miss, bool locked)
{
	u64 source = locked ? SOURCE(LOCK, LOCKED) : 0;

	if (miss)
		return source | SOURCE(TLB, MISS) | SOURCE(TLB, L2);
	return source | SOURCE(TLB, HIT) | SOURCE(TLB, L1) | SOURCE(TLB, L2);
}

static u64 pebs_latency_source(const struct x86_access_format *format, u64 status)
{
	u64 code = status & format->code;
	u64 source = code < format->nr_sources ? format->sources[code] : 0;

	if (!format->tlb_miss)
		return (source ?: UNKNOWN) | SOURCE(TLB, NA) | SOURCE(LOCK, NA);
	return (source ?: UNKNOWN) | pebs_tlb_source(status & format->tlb_miss,
						     status & format->locked);
}

static u64 pebs_block_source(const struct x86_access_format *format, u64 status)
{
	u64 source = 0;

	if (status & format->data_block)
		source |= SOURCE(BLK, DATA);
	if (status & format->address_block)
		source |= SOURCE(BLK, ADDR);
	return source ?: SOURCE(BLK, NA);
}

static u64 pebs_load_source(const struct x86_access_format *format, u64 status)
{
	return SOURCE(OP, LOAD) | pebs_latency_source(format, status) |
	       pebs_block_source(format, status);
}

/* Only loads have block bits. */
static u64 pebs_store_source(const struct x86_access_format *format, u64 status)
{
	return SOURCE(OP, STORE) | pebs_latency_source(format, status) | SOURCE(BLK, NA);
}

static u64 pebs_hit_level(u64 status)
{
	return LEVEL(L1) | (status & STATUS_HIT ? LEVEL(HIT) : LEVEL(MISS));
}

/* Precise store; the level has no LVLNUM. */
static u64 pebs_tracked_source(u64 status)
{
	return SOURCE(OP, STORE) | pebs_hit_level(status) | SNOOP(NA) |
	       pebs_tlb_source(status & STATUS_TLB_MISS, status & STATUS_LOCKED);
}

/* Other stores, and loads without latency. The level of such a load is not known. */
static u64 pebs_access_source(u64 op, u64 level)
{
	return op | level | SOURCE(LVLNUM, NA) | SNOOP(NA) | SOURCE(LOCK, NA) | SOURCE(TLB, NA);
}

/**
 * x86_pebs_data_src - data source of a sample
 * @model: the model of the core type
 * @event: a precise event
 * @status: status word of the record
 *
 * Return: value for perf_sample_data::data_src.
 */
u64 x86_pebs_data_src(const struct x86_model *model, const struct perf_event *event, u64 status)
{
	if (event->hw.flags & X86_PRECISE_LATENCY)
		return pebs_load_source(model->accesses, status);
	if (event->hw.flags & X86_PRECISE_STORE_LATENCY)
		return pebs_store_source(model->accesses, status);
	if (event->hw.flags & X86_PRECISE_TRACKED_STORE)
		return pebs_tracked_source(status);
	if (event->hw.flags & X86_PRECISE_STORE)
		return pebs_access_source(SOURCE(OP, STORE), pebs_hit_level(status));
	if (event->hw.flags & X86_PRECISE_LOAD)
		return pebs_access_source(SOURCE(OP, LOAD), LEVEL(NA));
	return PERF_MEM_NA;
}
