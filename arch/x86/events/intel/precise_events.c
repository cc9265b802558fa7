// SPDX-License-Identifier: GPL-2.0
/*
 * Constraints of precise events of Intel's CPUs.
 *
 * On the first CPUs with PEBS, only a few events can be precise. On later CPUs any event can, and
 * the records of memory events have additional data. With adaptive PEBS, most events have the same
 * constraints as when they are not precise. The codes are from the Software Developer's Manual and
 * from Intel's event lists (tools/perf/pmu-events/arch/x86/).
 */
#include "tables.h"

#define ONE		BIT(0)
#define ALL_FOUR	X86_GENERAL(4)
#define ALL_EIGHT	X86_GENERAL(8)

/* An event with one unit mask, an event with any, and all events not listed before */
#define PRECISE(_event, _umask, _counters)	INTEL_PRECISE(_event, _umask, _counters, 0)
#define PRECISE_ANY(_event, _counters)						\
	INTEL_PRECISE_EVENTS(_event, _event, _counters, 0)
#define ALL_OTHERS(_counters)	INTEL_PRECISE_EVENTS(0x00, 0xff, _counters, 0)
#define NO_OTHERS		ALL_OTHERS(0)
/* Any event without flags such as edge, one event without flags, and a replacement of cycles */
#define ALL_PLAIN(_counters)							\
	{ .last = ARCH_PERFMON_EVENTSEL_EVENT,					\
	  .mask = ARCH_PERFMON_EVENTSEL_EVENT | X86_ALL_EVENT_FLAGS, .counters = (_counters) }
#define PLAIN(_event, _umask, _counters)					\
	{ .first = X86_EVENT(_event, _umask), .last = X86_EVENT(_event, _umask),	\
	  .mask = X86_MATCH_PLAIN, .counters = (_counters) }
#define CYCLES(_event, _umask, _counters)					\
	{ .first = INTEL_CYCLES(_event, _umask), .last = INTEL_CYCLES(_event, _umask),	\
	  .mask = INTEL_ARCH_EVENT_MASK | X86_ALL_EVENT_FLAGS, .counters = (_counters) }

/*
 * Retired loads and stores: bits 0 and 1 of the unit mask. With both bits, a record does not show
 * whether the access was a load or a store.
 */
#define ACCESSES(_bits, _flags)							\
	{ .first = X86_EVENT(0xd0, _bits), .last = X86_EVENT(0xd0, _bits),	\
	  .mask = X86_MATCH_EVENT | X86_EVENT(0, 0x03), .counters = ALL_FOUR, .flags = (_flags) }

/*
 * Core 2: instructions, x87 and vector operations, mispredicted branches, and loads that missed a
 * cache
 */
const struct x86_limit x86_core2_precise[] = {
	PRECISE(0xc0, 0x00, ONE),
	PRECISE(0xc1, 0xfe, ONE),
	PRECISE(0xc5, 0x00, ONE),
	PRECISE(0xc7, 0x1f, ONE),
	PRECISE_ANY(0xcb, ONE),
	NO_OTHERS,
	X86_LIMIT_END
};

/*
 * Nehalem and Westmere: load latency, stores that missed the TLB, and loads served from outside of
 * the core. On Nehalem, mispredicted calls are the only mispredicted branches that can be precise.
 */
const struct x86_limit x86_nehalem_precise[] = {
	INTEL_PRECISE(0x0b, 0x10, ALL_FOUR, X86_LIMIT_LATENCY),
	PRECISE(0x0c, 0x01, ALL_FOUR),
	PRECISE_ANY(0x0f, ALL_FOUR),
	PRECISE_ANY(0xc0, ALL_FOUR),
	PRECISE_ANY(0xc2, ALL_FOUR),
	PRECISE_ANY(0xc4, ALL_FOUR),
	PRECISE(0xc5, 0x02, ALL_FOUR),
	PRECISE_ANY(0xc7, ALL_FOUR),
	PRECISE(0xc8, 0x20, ALL_FOUR),
	PRECISE_ANY(0xcb, ALL_FOUR),
	PRECISE_ANY(0xf7, ALL_FOUR),
	NO_OTHERS,
	X86_LIMIT_END
};

const struct x86_limit x86_westmere_precise[] = {
	INTEL_PRECISE(0x0b, 0x10, ALL_FOUR, X86_LIMIT_LATENCY),
	PRECISE(0x0c, 0x01, ALL_FOUR),
	PRECISE_ANY(0x0f, ALL_FOUR),
	PRECISE_ANY(0xc0, ALL_FOUR),
	PRECISE_ANY(0xc2, ALL_FOUR),
	INTEL_PRECISE_EVENTS(0xc4, 0xc5, ALL_FOUR, 0),
	PRECISE_ANY(0xc7, ALL_FOUR),
	PRECISE(0xc8, 0x20, ALL_FOUR),
	PRECISE_ANY(0xcb, ALL_FOUR),
	PRECISE_ANY(0xf7, ALL_FOUR),
	NO_OTHERS,
	X86_LIMIT_END
};

/* Sandy Bridge and Ivy Bridge: load latency and precise store use counter 3. */
const struct x86_limit x86_sandybridge_precise[] = {
	PRECISE(0xc0, 0x01, BIT(1)),
	INTEL_PRECISE(0xcd, 0x01, BIT(3), X86_LIMIT_LATENCY),
	INTEL_PRECISE(0xcd, 0x02, BIT(3), X86_LIMIT_TRACKED_STORE),
	INTEL_PRECISE_EVENTS(0xd0, 0xd3, ALL_FOUR, X86_LIMIT_HT_ERRATUM),
	CYCLES(0xc2, 0x01, ALL_FOUR),
	ALL_PLAIN(ALL_FOUR),
	NO_OTHERS,
	X86_LIMIT_END
};

const struct x86_limit x86_haswell_precise[] = {
	PRECISE(0xc0, 0x01, BIT(1)),
	INTEL_PRECISE(0xcd, 0x01, ALL_FOUR, X86_LIMIT_LATENCY),
	ACCESSES(0x01, X86_LIMIT_LOADS | X86_LIMIT_HT_ERRATUM),
	ACCESSES(0x02, X86_LIMIT_STORES | X86_LIMIT_HT_ERRATUM),
	INTEL_PRECISE_EVENTS(0xd0, 0xd0, ALL_FOUR, X86_LIMIT_HT_ERRATUM),
	INTEL_PRECISE_EVENTS(0xd1, 0xd3, ALL_FOUR, X86_LIMIT_LOADS | X86_LIMIT_HT_ERRATUM),
	CYCLES(0xc2, 0x01, ALL_FOUR),
	ALL_PLAIN(ALL_FOUR),
	NO_OTHERS,
	X86_LIMIT_END
};

/* Broadwell to Comet Lake */
const struct x86_limit x86_skylake_precise[] = {
	PRECISE(0xc0, 0x01, BIT(1)),
	INTEL_PRECISE(0xcd, 0x01, ALL_FOUR, X86_LIMIT_LATENCY),
	ACCESSES(0x01, X86_LIMIT_LOADS),
	ACCESSES(0x02, X86_LIMIT_STORES),
	PRECISE_ANY(0xd0, ALL_FOUR),
	INTEL_PRECISE_EVENTS(0xd1, 0xd3, ALL_FOUR, X86_LIMIT_LOADS),
	CYCLES(0xc0, 0x00, ALL_FOUR),
	CYCLES(0xc2, 0x01, ALL_FOUR),
	ALL_PLAIN(ALL_FOUR),
	NO_OTHERS,
	X86_LIMIT_END
};

/* Atoms up to Goldmont, and Knights Landing: counter 0 only */
const struct x86_limit x86_atom_precise[] = {
	CYCLES(0xc0, 0x00, ONE),
	ALL_PLAIN(ONE),
	NO_OTHERS,
	X86_LIMIT_END
};

/* Goldmont Plus: all counters have PEBS, but for precise_ip 3 only general counter 0 has */
const struct x86_limit x86_goldmont_plus_precise[] = {
	X86_LIMIT_NAME(INTEL_EVENT_REFERENCE_CYCLES, 2),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	X86_LIMIT_END
};

const struct x86_limit x86_goldmont_plus_distributed[] = {
	PRECISE(0x00, INTEL_EVENT_REFERENCE_CYCLES, 0),
	ALL_OTHERS(ONE),
	X86_LIMIT_END
};

/* Adaptive PEBS from here on */

const struct x86_limit x86_icelake_precise[] = {
	X86_LIMIT_NAME(INTEL_EVENT_ANY_INSTRUCTION, 0),
	X86_LIMIT_NAME(INTEL_EVENT_SLOTS, 3),
	INTEL_PRECISE(0xcd, 0x01, ALL_EIGHT, X86_LIMIT_LATENCY),
	ACCESSES(0x01, X86_LIMIT_LOADS),
	ACCESSES(0x02, X86_LIMIT_STORES),
	PRECISE_ANY(0xd0, ALL_FOUR),
	INTEL_PRECISE_EVENTS(0xd1, 0xd3, ALL_FOUR, X86_LIMIT_LOADS),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	/* Instructions, precisely distributed at any level */
	PRECISE(0xc0, 0x01, X86_FIXED(0)),
	X86_LIMIT_END
};

const struct x86_limit x86_icelake_distributed[] = {
	PLAIN(0xc0, 0x00, X86_FIXED(0)),
	X86_LIMIT_END
};

/* Golden Cove: counter 0 is for the highest level, and for store samples. */
#define BUT_THE_FIRST	(ALL_EIGHT & ~ONE)

const struct x86_limit x86_goldencove_precise[] = {
	X86_LIMIT_NAME(INTEL_EVENT_ANY_INSTRUCTION, 0),
	X86_LIMIT_NAME(INTEL_EVENT_SLOTS, 3),
	PRECISE_ANY(0xc0, BUT_THE_FIRST),
	INTEL_PRECISE(0xcd, 0x01, BUT_THE_FIRST, X86_LIMIT_LATENCY),
	INTEL_PRECISE(0xcd, 0x02, ONE, X86_LIMIT_STORE_LATENCY),
	ACCESSES(0x01, X86_LIMIT_LOADS),
	ACCESSES(0x02, X86_LIMIT_STORES),
	PRECISE_ANY(0xd0, ALL_FOUR),
	INTEL_PRECISE_EVENTS(0xd1, 0xd4, ALL_FOUR, X86_LIMIT_LOADS),
	X86_LIMIT_END
};

/* Lion Cove: counters 0 and 1 are for store samples. */
const struct x86_limit x86_lioncove_precise[] = {
	X86_LIMIT_NAME(INTEL_EVENT_ANY_INSTRUCTION, 0),
	X86_LIMIT_NAME(INTEL_EVENT_SLOTS, 3),
	PRECISE_ANY(0xc0, BUT_THE_FIRST),
	INTEL_PRECISE(0xcd, 0x01, GENMASK_ULL(9, 2), X86_LIMIT_LATENCY),
	INTEL_PRECISE(0xcd, 0x02, X86_GENERAL(2), X86_LIMIT_STORE_LATENCY),
	ACCESSES(0x01, X86_LIMIT_LOADS),
	ACCESSES(0x02, X86_LIMIT_STORES),
	PRECISE_ANY(0xd0, ALL_FOUR),
	INTEL_PRECISE_EVENTS(0xd1, 0xd4, ALL_FOUR, X86_LIMIT_LOADS),
	X86_LIMIT_END
};

/* Precise distribution needs counter 0, or fixed counter 0 for instructions. */
const struct x86_limit x86_goldencove_distributed[] = {
	X86_LIMIT_UMASK(0x00, INTEL_EVENT_ANY_INSTRUCTION, 0),
	X86_LIMIT_UMASK(0x00, INTEL_EVENT_REFERENCE_CYCLES, 0),
	X86_LIMIT_UMASK(0x00, INTEL_EVENT_SLOTS, 0),
	PLAIN(0xc0, 0x00, X86_FIXED(0)),
	PRECISE_ANY(0xc0, 0),
	PRECISE(0xcd, 0x01, 0),
	ALL_OTHERS(ONE),
	X86_LIMIT_END
};

/* Tremont and later: constraints as for events that are not precise */
const struct x86_limit x86_tremont_precise[] = {
	X86_LIMIT_END
};

const struct x86_limit x86_tremont_distributed[] = {
	PRECISE(0x00, INTEL_EVENT_REFERENCE_CYCLES, 0),
	PLAIN(0xc0, 0x00, X86_FIXED(0) | ONE),
	ALL_OTHERS(ONE),
	X86_LIMIT_END
};

/* Crestmont: counters 0 and 1 can distribute precisely. */
const struct x86_limit x86_crestmont_distributed[] = {
	PRECISE(0x00, INTEL_EVENT_REFERENCE_CYCLES, 0),
	PLAIN(0xc0, 0x00, X86_FIXED(0) | X86_GENERAL(2)),
	ALL_OTHERS(X86_GENERAL(2)),
	X86_LIMIT_END
};

/* Skymont: the fixed counters of slots cannot, and no other counter has their events. */
const struct x86_limit x86_skymont_distributed[] = {
	PRECISE(0x00, INTEL_EVENT_REFERENCE_CYCLES, 0),
	PRECISE(0x00, INTEL_EVENT_BAD_SPECULATION, 0),
	PRECISE(0x00, INTEL_EVENT_FRONT_END, 0),
	PRECISE(0x00, INTEL_EVENT_RETIRING, 0),
	PLAIN(0xc0, 0x00, X86_FIXED(0) | X86_GENERAL(2)),
	ALL_OTHERS(X86_GENERAL(2)),
	X86_LIMIT_END
};

/* Gracemont: latency of loads and of stores */
const struct x86_limit x86_gracemont_precise[] = {
	INTEL_PRECISE(0xd0, 0x05, X86_GENERAL(2), X86_LIMIT_LATENCY),
	INTEL_PRECISE(0xd0, 0x06, X86_GENERAL(6), X86_LIMIT_STORE_LATENCY),
	X86_LIMIT_END
};

/* Event aliases for memory sampling */
#define MEM_LOADS(_event, _umask)						\
	X86_EVENT_ATTR("mem-loads", "event=" _event ",umask=" _umask ",ldlat=3")
#define MEM_STORES(_event, _umask)						\
	X86_EVENT_ATTR("mem-stores", "event=" _event ",umask=" _umask)

struct attribute *x86_nehalem_memory[] = {
	MEM_LOADS("0x0b", "0x10"),
	NULL
};

struct attribute *x86_sandybridge_memory[] = {
	MEM_LOADS("0xcd", "0x1"),
	MEM_STORES("0xcd", "0x2"),
	NULL
};

struct attribute *x86_haswell_memory[] = {
	MEM_LOADS("0xcd", "0x1"),
	MEM_STORES("0xd0", "0x82"),
	NULL
};

/* A sampled load has its data source only with mem-loads-aux in the group. */
struct attribute *x86_goldencove_memory[] = {
	MEM_LOADS("0xcd", "0x1"),
	MEM_STORES("0xcd", "0x2"),
	X86_EVENT_ATTR("mem-loads-aux", "event=0x03,umask=0x82"),
	NULL
};

struct attribute *x86_gracemont_memory[] = {
	MEM_LOADS("0xd0", "0x5"),
	MEM_STORES("0xd0", "0x6"),
	NULL
};
