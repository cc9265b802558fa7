/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shapes of the tables that processors' drivers consist of.
 */
#ifndef _POWERPC_PERF_TABLES_H
#define _POWERPC_PERF_TABLES_H

#include <linux/perf_event.h>
#include "engine.h"

/* Index of a generic hardware event */
#define HW(name)	PERF_COUNT_HW_##name

/* Indices of a generic cache event, and the pair of an operation that makes no sense */
#define C(x)		PERF_COUNT_HW_CACHE_##x
#define NEVER		{ [C(RESULT_ACCESS)] = -1, [C(RESULT_MISS)] = -1 }

/* Caches whose events make sense on all of these processors in the same way */
#define TLB_READ_MISS(code)					\
	{							\
		[C(OP_READ)]		= { 0, code },		\
		[C(OP_WRITE)]		= NEVER,		\
		[C(OP_PREFETCH)]	= NEVER,		\
	}
#define BRANCHES(all, missed)					\
	{							\
		[C(OP_READ)]		= { all, missed },	\
		[C(OP_WRITE)]		= NEVER,		\
		[C(OP_PREFETCH)]	= NEVER,		\
	}
#define NO_CACHE	{ NEVER, NEVER, NEVER }

typedef u64 power_cache_table[C(MAX)][C(OP_MAX)][C(RESULT_MAX)];

#endif
