// SPDX-License-Identifier: GPL-2.0
/*
 * Data source of loads and stores, from PEBS records.
 */
#include "../engine.h"

#define SOURCE(_field, _value)	((u64)PERF_MEM_##_field##_##_value << PERF_MEM_##_field##_SHIFT)
#define LEVEL(_level)		(SOURCE(LVL, _level))
#define SNOOP(_what)		(SOURCE(SNOOP, _what))

/* A level by PERF_MEM_LVL_* and PERF_MEM_LVLNUM_* */
#define IN(_level, _number)	(LEVEL(HIT) | LEVEL(_level) | SOURCE(LVLNUM, _number))
#define REMOTE_CACHE		(LEVEL(HIT) | LEVEL(REM_CCE1) | SOURCE(LVLNUM, L3) |	\
				 SOURCE(REMOTE, REMOTE))
#define REMOTE_MEMORY		(LEVEL(HIT) | LEVEL(REM_RAM1) | SOURCE(LVLNUM, RAM) |	\
				 SOURCE(REMOTE, REMOTE))

/* Status word of a load latency record */
#define STATUS_SUPPLIER		GENMASK_ULL(3, 0)	/* supplier of the data */
#define STATUS_TLB_MISS		BIT_ULL(4)	/* miss in the second-level TLB */
#define STATUS_LOCKED		BIT_ULL(5)
/* Status word of other loads, and of stores */
#define STATUS_HIT		BIT_ULL(0)	/* hit in L1 */

static const u64 pebs_suppliers[] = {
	[0x0] = SOURCE(LVL, MISS) | LEVEL(L3) | SOURCE(LVLNUM, L3) | SNOOP(NA),
	[0x1] = IN(L1, L1) | SNOOP(NONE),
	[0x2] = IN(LFB, LFB) | SNOOP(NONE),
	[0x3] = IN(L2, L2) | SNOOP(NONE),
	[0x4] = IN(L3, L3) | SNOOP(NONE),
	[0x5] = IN(L3, L3) | SNOOP(MISS),
	[0x6] = IN(L3, L3) | SNOOP(HIT),
	[0x7] = IN(L3, L3) | SNOOP(HITM),
	[0x8] = REMOTE_CACHE | SNOOP(HIT),
	[0x9] = REMOTE_CACHE | SNOOP(HITM),
	[0xa] = IN(LOC_RAM, RAM) | SNOOP(HIT),
	[0xb] = REMOTE_MEMORY | SNOOP(HIT),
	[0xc] = IN(LOC_RAM, RAM) | SNOOP(NONE),
	[0xd] = REMOTE_MEMORY | SNOOP(NONE),
	[0xe] = LEVEL(HIT) | LEVEL(IO) | SOURCE(LVLNUM, NA) | SNOOP(NONE),
	[0xf] = LEVEL(HIT) | LEVEL(UNC) | SOURCE(LVLNUM, NA) | SNOOP(NONE),
};

static u64 pebs_tlb_source(u64 status)
{
	u64 source = status & STATUS_LOCKED ? SOURCE(LOCK, LOCKED) : 0;

	if (status & STATUS_TLB_MISS)
		return source | SOURCE(TLB, MISS) | SOURCE(TLB, L2);
	return source | SOURCE(TLB, HIT) | SOURCE(TLB, L1) | SOURCE(TLB, L2);
}

static u64 pebs_load_source(u64 status)
{
	return SOURCE(OP, LOAD) | SOURCE(BLK, NA) | pebs_suppliers[status & STATUS_SUPPLIER] |
	       pebs_tlb_source(status);
}

/* Precise store or store latency; the level has no LVLNUM. */
static u64 pebs_store_source(u64 status)
{
	return SOURCE(OP, STORE) | LEVEL(L1) | SNOOP(NA) |
	       (status & STATUS_HIT ? LEVEL(HIT) : LEVEL(MISS)) | pebs_tlb_source(status);
}

/* Other stores, and loads without latency */
static u64 pebs_access_source(u64 status, u64 op)
{
	return op | LEVEL(L1) | (status & STATUS_HIT ? LEVEL(HIT) : LEVEL(MISS)) |
	       SOURCE(LVLNUM, NA) | SNOOP(NA) | SOURCE(LOCK, NA) | SOURCE(TLB, NA);
}

/**
 * x86_precise_source - data source of a sample
 * @event: a precise event
 * @status: status word of the record
 *
 * Return: value for perf_sample_data::data_src.
 */
u64 x86_precise_source(const struct perf_event *event, u64 status)
{
	if (event->hw.flags & X86_PRECISE_LATENCY)
		return pebs_load_source(status);
	if (event->hw.flags & X86_PRECISE_TRACKS)
		return pebs_store_source(status);
	if (event->hw.flags & X86_PRECISE_STORE)
		return pebs_access_source(status, SOURCE(OP, STORE));
	if (event->hw.flags & X86_PRECISE_LOAD)
		return pebs_access_source(status, SOURCE(OP, LOAD));
	return PERF_MEM_NA;
}
