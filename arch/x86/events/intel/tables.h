/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Building blocks of the tables of Intel's CPUs.
 */
#ifndef _ARCH_X86_EVENTS_INTEL_TABLES_H
#define _ARCH_X86_EVENTS_INTEL_TABLES_H

#include <asm/cpu_device_id.h>
#include <asm/msr-index.h>

#include "../attributes.h"
#include "../model.h"

/* Row of a table of cache events: { accesses, misses } */
#define CACHE(_cache, _op)							\
	[PERF_COUNT_HW_CACHE_##_cache][PERF_COUNT_HW_CACHE_OP_##_op]
#define NEVER		{ X86_IMPOSSIBLE, X86_IMPOSSIBLE }
#define EVENT(_event, _umask)	X86_EVENT(_event, _umask)

/* Event select that counts cycles with fewer occurrences than the threshold */
#define EVENT_BELOW(_event, _umask, _threshold)					\
	(X86_EVENT(_event, _umask) | ARCH_PERFMON_EVENTSEL_INV | (u64)(_threshold) << 24)

/* Unit masks of event 0, for events that only a fixed counter can count */
#define INTEL_EVENT_ANY_INSTRUCTION	0x01
#define INTEL_EVENT_REFERENCE_CYCLES	0x03
#define INTEL_EVENT_SLOTS		0x04
#define INTEL_EVENT_BAD_SPECULATION	0x05
#define INTEL_EVENT_FRONT_END		0x06
#define INTEL_EVENT_RETIRING		0x07

/* Valid bits of a raw event up to version 4, without and with transactional memory */
#define INTEL_CONFIG		(X86_RAW_EVENT_MASK | ARCH_PERFMON_EVENTSEL_ANY)
#define INTEL_CONFIG_TSX	(INTEL_CONFIG | HSW_IN_TX | HSW_IN_TX_CHECKPOINTED)

/* Members common to all models with the architectural PMU */
#define INTEL_ROW_PROBE(_name, _probe)						\
	.name		= (_name),						\
	.probe		= (_probe),						\
	.config_mask	= INTEL_CONFIG,						\
	.format		= x86_intel_format,					\
	.init_event	= x86_intel_init_event
#define INTEL_ROW(_name)	INTEL_ROW_PROBE(_name, x86_intel_probe)

/* The same with transactional memory */
#define INTEL_ROW_TSX(_name, _transactions)					\
	.name		= (_name),						\
	.probe		= x86_intel_probe,					\
	.config_mask	= INTEL_CONFIG_TSX,					\
	.format		= x86_intel_format,					\
	.init_event	= x86_intel_init_event,					\
	.counters_of	= x86_intel_checkpoint_counters,				\
	.transactions	= (_transactions)

/* precise_events.c */
extern const struct x86_limit x86_core2_precise[];
extern const struct x86_limit x86_nehalem_precise[];
extern const struct x86_limit x86_westmere_precise[];
extern const struct x86_limit x86_sandybridge_precise[];
extern const struct x86_limit x86_haswell_precise[];
extern const struct x86_limit x86_skylake_precise[];
extern const struct x86_limit x86_atom_precise[];
extern const struct x86_limit x86_goldmont_plus_precise[];
extern const struct x86_limit x86_goldmont_plus_distributed[];
extern const struct x86_limit x86_icelake_precise[];
extern const struct x86_limit x86_icelake_distributed[];
extern const struct x86_limit x86_goldencove_precise[];
extern const struct x86_limit x86_lioncove_precise[];
extern const struct x86_limit x86_goldencove_distributed[];
extern const struct x86_limit x86_tremont_precise[];
extern const struct x86_limit x86_tremont_distributed[];
extern const struct x86_limit x86_crestmont_distributed[];
extern const struct x86_limit x86_skymont_distributed[];
extern const struct x86_limit x86_gracemont_precise[];
extern struct attribute *x86_nehalem_memory[];
extern struct attribute *x86_sandybridge_memory[];
extern struct attribute *x86_haswell_memory[];
extern struct attribute *x86_goldencove_memory[];
extern struct attribute *x86_gracemont_memory[];

/* pebs_memory.c */
extern const struct x86_access_format x86_nehalem_accesses;
extern const struct x86_access_format x86_westmere_accesses;
extern const struct x86_access_format x86_sandybridge_accesses;
extern const struct x86_access_format x86_skylake_accesses;
extern const struct x86_access_format x86_skylake_x_accesses;
extern const struct x86_access_format x86_goldencove_accesses;
extern const struct x86_access_format x86_goldencove_x_accesses;
extern const struct x86_access_format x86_lioncove_accesses;
extern const struct x86_access_format x86_gracemont_accesses;
extern const struct x86_access_format x86_crestmont_accesses;

/* mem-loads, and mem-loads-aux, of x86_goldencove_memory */
#define GOLDENCOVE_LOADS	X86_EVENT(0xcd, 0x01)
#define GOLDENCOVE_LOADS_AUX	X86_EVENT(0x03, 0x82)

/* Cycles, counted as cycles with fewer than 16 retired micro-operations or instructions */
#define INTEL_CYCLES(_event, _umask)	EVENT_BELOW(_event, _umask, 16)

extern struct attribute *x86_intel_hsw_transactions[];
extern struct attribute *x86_intel_icl_transactions[];
extern struct attribute *x86_intel_glc_transactions[];

/* Offcore response: request bits, and any response */
#define OFFCORE_READ		BIT_ULL(0)
#define OFFCORE_WRITE		BIT_ULL(1)
#define OFFCORE_ANY		BIT_ULL(16)

/* Two offcore response registers, each with an event code or a unit mask of its own */
#define OFFCORE_0(_event, _other, _valid)					\
	X86_EXTRA(_event, 0x01, MSR_OFFCORE_RSP_0, _valid, (_other) - (_event))
#define OFFCORE_1(_event, _other, _valid)					\
	X86_EXTRA(_event, 0x01, MSR_OFFCORE_RSP_1, _valid, (_other) - (_event))
#define OFFCORE_UMASK_0(_event, _valid)						\
	X86_EXTRA(_event, 0x01, MSR_OFFCORE_RSP_0, _valid, 0x100)
#define OFFCORE_UMASK_1(_event, _valid)						\
	X86_EXTRA(_event, 0x02, MSR_OFFCORE_RSP_1, _valid, -0x100)

/* Threshold register of load latency, and condition register of front-end events */
#define LATENCY(_event, _umask)							\
	X86_EXTRA(_event, _umask, MSR_PEBS_LD_LAT_THRESHOLD, GENMASK_ULL(15, 0), 0)
#define FRONTEND(_event, _umask, _valid)					\
	X86_EXTRA(_event, _umask, MSR_PEBS_FRONTEND, _valid, 0)

/* Constraints of precise events: an event with one unit mask, and a range of events */
#define INTEL_PRECISE(_event, _umask, _counters, _flags)			\
	{ .first = X86_EVENT(_event, _umask), .last = X86_EVENT(_event, _umask),	\
	  .mask = X86_MATCH_UMASK, .counters = (_counters), .flags = (_flags) }
#define INTEL_PRECISE_EVENTS(_first, _last, _counters, _flags)			\
	{ .first = (_first), .last = (_last), .mask = X86_MATCH_EVENT,		\
	  .counters = (_counters), .flags = (_flags) }

#endif /* _ARCH_X86_EVENTS_INTEL_TABLES_H */
