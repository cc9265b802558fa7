/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of which the tables of Intel's CPUs are made.
 */
#ifndef _ARCH_X86_EVENTS_INTEL_TABLES_H
#define _ARCH_X86_EVENTS_INTEL_TABLES_H

#include <asm/cpu_device_id.h>
#include <asm/msr-index.h>

#include "../attributes.h"
#include "../model.h"

/* A cell of a table of cache events: { accesses, misses } */
#define CACHE(_cache, _op)							\
	[PERF_COUNT_HW_CACHE_##_cache][PERF_COUNT_HW_CACHE_OP_##_op]
#define NEVER		{ X86_IMPOSSIBLE, X86_IMPOSSIBLE }
#define EVENT(_event, _umask)	X86_EVENT(_event, _umask)

/* An event select with a threshold, that counts cycles in which less happens. */
#define EVENT_BELOW(_event, _umask, _threshold)					\
	(X86_EVENT(_event, _umask) | ARCH_PERFMON_EVENTSEL_INV | (u64)(_threshold) << 24)

/* Events of fixed counters that have no other code, where there are four of these. */
#define INTEL_EVENT_ANY_INSTRUCTION	0x01
#define INTEL_EVENT_REFERENCE_CYCLES	0x03
#define INTEL_EVENT_SLOTS		0x04

/* A raw event's bits, up to version 4 and with transactional memory where there is some. */
#define INTEL_CONFIG		(X86_RAW_EVENT_MASK | ARCH_PERFMON_EVENTSEL_ANY)
#define INTEL_CONFIG_TSX	(INTEL_CONFIG | HSW_IN_TX | HSW_IN_TX_CHECKPOINTED)

/* The fields that all rows with architectural PMUs have in common, but for the probe. */
#define INTEL_ROW_PROBE(_name, _probe)						\
	.name		= (_name),						\
	.probe		= (_probe),						\
	.config_mask	= INTEL_CONFIG,						\
	.format		= x86_intel_format,					\
	.init_event	= x86_intel_init_event
#define INTEL_ROW(_name)	INTEL_ROW_PROBE(_name, x86_intel_probe)

/* The same with transactional memory. */
#define INTEL_ROW_TSX(_name, _transactions)					\
	.name		= (_name),						\
	.probe		= x86_intel_probe,					\
	.config_mask	= INTEL_CONFIG_TSX,					\
	.format		= x86_intel_format,					\
	.init_event	= x86_intel_init_event,					\
	.counters_of	= x86_intel_counters_of,				\
	.transactions	= (_transactions)

extern struct attribute *x86_intel_hsw_transactions[];
extern struct attribute *x86_intel_icl_transactions[];
extern struct attribute *x86_intel_glc_transactions[];

/* Offcore responses: bits of the request, and a response that has any bits above. */
#define OFFCORE_READ		BIT_ULL(0)
#define OFFCORE_WRITE		BIT_ULL(1)
#define OFFCORE_ANY		BIT_ULL(16)

/* Two offcore registers, each with a code of its own, or with a unit mask of its own */
#define OFFCORE_0(_event, _other, _valid)					\
	X86_EXTRA(_event, 0x01, MSR_OFFCORE_RSP_0, _valid, (_other) - (_event))
#define OFFCORE_1(_event, _other, _valid)					\
	X86_EXTRA(_event, 0x01, MSR_OFFCORE_RSP_1, _valid, (_other) - (_event))
#define OFFCORE_UMASK_0(_event, _valid)						\
	X86_EXTRA(_event, 0x01, MSR_OFFCORE_RSP_0, _valid, 0x100)
#define OFFCORE_UMASK_1(_event, _valid)						\
	X86_EXTRA(_event, 0x02, MSR_OFFCORE_RSP_1, _valid, -0x100)

/* Latency of loads from this many cycles on, and which trouble of the front end counts */
#define LATENCY(_event, _umask)							\
	X86_EXTRA(_event, _umask, MSR_PEBS_LD_LAT_THRESHOLD, GENMASK_ULL(15, 0), 0)
#define FRONTEND(_event, _umask, _valid)					\
	X86_EXTRA(_event, _umask, MSR_PEBS_FRONTEND, _valid, 0)

#endif /* _ARCH_X86_EVENTS_INTEL_TABLES_H */
