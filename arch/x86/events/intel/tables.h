/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of which the tables of Intel's CPUs are made.
 */
#ifndef _ARCH_X86_EVENTS_INTEL_TABLES_H
#define _ARCH_X86_EVENTS_INTEL_TABLES_H

#include <asm/cpu_device_id.h>
#include <asm/msr-index.h>

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

/* The fields that all rows with architectural PMUs have in common. */
#define INTEL_ROW(_name)							\
	.name		= (_name),						\
	.probe		= x86_intel_probe,					\
	.config_mask	= INTEL_CONFIG,						\
	.format		= x86_intel_format,					\
	.init_event	= x86_intel_init_event

/* The same with transactional memory. */
#define INTEL_ROW_TSX(_name)							\
	.name		= (_name),						\
	.probe		= x86_intel_probe,					\
	.config_mask	= INTEL_CONFIG_TSX,					\
	.format		= x86_intel_format,					\
	.init_event	= x86_intel_init_event,					\
	.counters_of	= x86_intel_counters_of

#endif /* _ARCH_X86_EVENTS_INTEL_TABLES_H */
