/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers for the event tables of the processors' drivers.
 */
#ifndef _POWERPC_PERF_TABLES_H
#define _POWERPC_PERF_TABLES_H

#include <linux/perf_event.h>
#include "engine.h"

/* Index in a table of generic hardware events */
#define HW(name)	PERF_COUNT_HW_##name

/* Index in a table of generic cache events */
#define C(x)		PERF_COUNT_HW_CACHE_##x
/* Initializer for a cache operation that the hardware does not have: -1 */
#define NEVER		{ [C(RESULT_ACCESS)] = -1, [C(RESULT_MISS)] = -1 }

/* Table rows of caches whose valid operations are the same on all processors */
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
