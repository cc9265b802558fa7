// SPDX-License-Identifier: GPL-2.0
/*
 * Models of AMD and Hygon CPUs, by family.
 *
 * The codes are from AMD's BIOS and Kernel Developer's Guides (up to family 16h) and Processor
 * Programming References (from family 17h on).
 */
#include <asm/cpu_device_id.h>

#include "../attributes.h"
#include "../engine.h"

/* From family 10h on, event codes have 12 bits, with the upper four in bits 32 to 35. */
#define AMD_EVENT(_event)	(((_event) & 0xffULL) | ((_event) & 0xf00ULL) << 24)
#define AMD_LIMIT(_event, _counters)						\
	{ .first = AMD_EVENT(_event), .last = AMD_EVENT(_event),		\
	  .mask = AMD64_EVENTSEL_EVENT, .counters = (_counters) }

/* Events with the same counters, regardless of the upper four bits of the code */
#define AMD_LIMIT_CLASS(_first, _last, _counters)				\
	X86_LIMIT_EVENTS(_first, _last, _counters)

static const u64 x86_amd_k7_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= X86_EVENT(0x76, 0x00),
	[PERF_COUNT_HW_INSTRUCTIONS]		= X86_EVENT(0xc0, 0x00),
	[PERF_COUNT_HW_CACHE_REFERENCES]	= X86_EVENT(0x7d, 0x07),
	[PERF_COUNT_HW_CACHE_MISSES]		= X86_EVENT(0x7e, 0x07),
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= X86_EVENT(0xc2, 0x00),
	[PERF_COUNT_HW_BRANCH_MISSES]		= X86_EVENT(0xc3, 0x00),
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= X86_EVENT(0xd0, 0x00),
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND]	= X86_EVENT(0xd1, 0x00),
};

static const u64 x86_amd_zen1_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= X86_EVENT(0x76, 0x00),
	[PERF_COUNT_HW_INSTRUCTIONS]		= X86_EVENT(0xc0, 0x00),
	[PERF_COUNT_HW_CACHE_REFERENCES]	= X86_EVENT(0x60, 0xff),
	[PERF_COUNT_HW_CACHE_MISSES]		= X86_EVENT(0x64, 0x09),
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= X86_EVENT(0xc2, 0x00),
	[PERF_COUNT_HW_BRANCH_MISSES]		= X86_EVENT(0xc3, 0x00),
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= X86_EVENT(0x87, 0x02),
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND]	= X86_EVENT(0x87, 0x01),
};

/* Front-end stalls: the micro-operation queue is empty. There is no event for back-end stalls. */
static const u64 x86_amd_zen2_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= X86_EVENT(0x76, 0x00),
	[PERF_COUNT_HW_INSTRUCTIONS]		= X86_EVENT(0xc0, 0x00),
	[PERF_COUNT_HW_CACHE_REFERENCES]	= X86_EVENT(0x60, 0xff),
	[PERF_COUNT_HW_CACHE_MISSES]		= X86_EVENT(0x64, 0x09),
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= X86_EVENT(0xc2, 0x00),
	[PERF_COUNT_HW_BRANCH_MISSES]		= X86_EVENT(0xc3, 0x00),
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= X86_EVENT(0xa9, 0x00),
};

/* From Zen 4 on, reference cycles are cycles at the frequency of P-state 0. */
static const u64 x86_amd_zen4_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= X86_EVENT(0x76, 0x00),
	[PERF_COUNT_HW_INSTRUCTIONS]		= X86_EVENT(0xc0, 0x00),
	[PERF_COUNT_HW_CACHE_REFERENCES]	= X86_EVENT(0x60, 0xff),
	[PERF_COUNT_HW_CACHE_MISSES]		= X86_EVENT(0x64, 0x09),
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= X86_EVENT(0xc2, 0x00),
	[PERF_COUNT_HW_BRANCH_MISSES]		= X86_EVENT(0xc3, 0x00),
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= X86_EVENT(0xa9, 0x00),
	[PERF_COUNT_HW_REF_CPU_CYCLES]		= AMD_EVENT(0x120) | X86_EVENT(0x00, 0x01),
};

#define ACCESS	PERF_COUNT_HW_CACHE_RESULT_ACCESS
#define MISS	PERF_COUNT_HW_CACHE_RESULT_MISS
#define NEVER	{ [ACCESS] = X86_IMPOSSIBLE, [MISS] = X86_IMPOSSIBLE }

static const x86_cache_events x86_amd_k7_cache = {
	[PERF_COUNT_HW_CACHE_L1D] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0x40, 0x00),
			[MISS]		= X86_EVENT(0x41, 0x01),
		},
		/* Prefetches attempted, and prefetches cancelled */
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {
			[ACCESS]	= X86_EVENT(0x67, 0x02),
			[MISS]		= X86_EVENT(0x67, 0x01),
		},
	},
	[PERF_COUNT_HW_CACHE_L1I] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0x80, 0x00),
			[MISS]		= X86_EVENT(0x81, 0x00),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {
			[ACCESS]	= X86_EVENT(0x4b, 0x01),
		},
	},
	[PERF_COUNT_HW_CACHE_LL] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0x7d, 0x03),
			[MISS]		= X86_EVENT(0x7e, 0x03),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = {
			[ACCESS]	= X86_EVENT(0x7f, 0x01),
		},
	},
	[PERF_COUNT_HW_CACHE_DTLB] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0x40, 0x00),
			[MISS]		= X86_EVENT(0x46, 0x07),
		},
	},
	[PERF_COUNT_HW_CACHE_ITLB] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0x80, 0x00),
			[MISS]		= X86_EVENT(0x85, 0x03),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = NEVER,
	},
	[PERF_COUNT_HW_CACHE_BPU] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0xc2, 0x00),
			[MISS]		= X86_EVENT(0xc3, 0x00),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = NEVER,
	},
	/* Memory requests of this node's CPUs: all, and those to other nodes */
	[PERF_COUNT_HW_CACHE_NODE] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0xe9, 0xb8),
			[MISS]		= X86_EVENT(0xe9, 0x98),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = NEVER,
	},
};

static const x86_cache_events x86_amd_zen_cache = {
	[PERF_COUNT_HW_CACHE_L1D] = {
		/* Misses are requests of the data cache to L2. */
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0x40, 0x00),
			[MISS]		= X86_EVENT(0x60, 0xc8),
		},
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {
			[ACCESS]	= X86_EVENT(0x5a, 0xff),
		},
	},
	[PERF_COUNT_HW_CACHE_L1I] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0x80, 0x00),
			[MISS]		= X86_EVENT(0x81, 0x00),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = NEVER,
	},
	/* Accesses are those of the second-level TLB. */
	[PERF_COUNT_HW_CACHE_DTLB] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0x45, 0xff),
			[MISS]		= X86_EVENT(0x45, 0xf0),
		},
	},
	[PERF_COUNT_HW_CACHE_ITLB] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0x84, 0x00),
			[MISS]		= X86_EVENT(0x85, 0xff),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = NEVER,
	},
	[PERF_COUNT_HW_CACHE_BPU] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0xc2, 0x00),
			[MISS]		= X86_EVENT(0xc3, 0x00),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = NEVER,
	},
	[PERF_COUNT_HW_CACHE_NODE] = {
		[PERF_COUNT_HW_CACHE_OP_WRITE] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = NEVER,
	},
};

/*
 * Family 15h: the unit of an event determines the counters. Floating point events use the upper
 * three counters, events of units shared by the two cores of a module the lower three.
 */
#define F15H_LOW	0x07
#define F15H_HIGH	0x38
#define F15H_ALL	0x3f

/*
 * An event with one unit mask, which has at most one bit. Fewer counters can count the event with
 * several bits, since only these counters can add up several units.
 */
#define F15H_ONE_OF(_event, _umask, _counters)					\
	{ .first = X86_EVENT(_event, _umask), .last = X86_EVENT(_event, _umask),	\
	  .mask = AMD64_EVENTSEL_EVENT | ARCH_PERFMON_EVENTSEL_UMASK, .counters = (_counters) }
#define F15H_MOVES(_umask)	F15H_ONE_OF(0x04, _umask, F15H_HIGH)
#define F15H_31H(_umask)	F15H_ONE_OF(0x31, _umask, F15H_LOW)

static const struct x86_limit x86_amd_15h_limits[] = {
	/* Unit mask without pipes (low half), or without dual-pipe operations (high half) */
	{ .first = X86_EVENT(0x00, 0x00), .last = X86_EVENT(0x00, 0x00),
	  .mask = AMD64_EVENTSEL_EVENT | X86_EVENT(0x00, 0x0f), .counters = F15H_HIGH },
	{ .first = X86_EVENT(0x00, 0x00), .last = X86_EVENT(0x00, 0x00),
	  .mask = AMD64_EVENTSEL_EVENT | X86_EVENT(0x00, 0xf0), .counters = F15H_HIGH },
	AMD_LIMIT(0x000, BIT(3)),
	/* Floating point operations: more than one per cycle */
	AMD_LIMIT(0x003, BIT(3)),
	F15H_MOVES(0x00), F15H_MOVES(0x01), F15H_MOVES(0x02), F15H_MOVES(0x04),
	F15H_MOVES(0x08), F15H_MOVES(0x10), F15H_MOVES(0x20), F15H_MOVES(0x40),
	F15H_MOVES(0x80),
	AMD_LIMIT(0x004, BIT(3)),
	AMD_LIMIT(0x00b, BIT(3)),
	AMD_LIMIT(0x00d, BIT(3)),
	AMD_LIMIT_CLASS(0x00, 0x1f, F15H_HIGH),

	/* Load and store, data cache, and shared units */
	AMD_LIMIT(0x023, F15H_LOW),
	AMD_LIMIT(0x02d, BIT(3)),
	AMD_LIMIT(0x02e, BIT(0) | BIT(3)),
	F15H_31H(0x00), F15H_31H(0x01), F15H_31H(0x02), F15H_31H(0x04),
	F15H_31H(0x08), F15H_31H(0x10), F15H_31H(0x20), F15H_31H(0x40),
	F15H_31H(0x80),
	AMD_LIMIT(0x031, 0),
	AMD_LIMIT(0x043, F15H_LOW),
	AMD_LIMIT(0x045, F15H_LOW),
	AMD_LIMIT(0x046, F15H_LOW),
	AMD_LIMIT(0x054, F15H_LOW),
	AMD_LIMIT(0x055, F15H_LOW),
	AMD_LIMIT_CLASS(0x20, 0x5f, F15H_ALL),
	AMD_LIMIT(0x08f, BIT(0)),
	AMD_LIMIT(0x187, BIT(0)),
	AMD_LIMIT(0x188, BIT(0)),
	AMD_LIMIT_CLASS(0x60, 0x9f, F15H_LOW),
	/* No such events */
	AMD_LIMIT_CLASS(0xa0, 0xbf, 0),

	/* Retirement; decoder and dispatch, except exceptions and breakpoints */
	AMD_LIMIT(0x1c0, F15H_HIGH),
	AMD_LIMIT_CLASS(0xc0, 0xcf, F15H_ALL),
	AMD_LIMIT(0x0db, F15H_ALL),
	AMD_LIMIT(0x0dc, F15H_ALL),
	AMD_LIMIT(0x0dd, F15H_ALL),
	AMD_LIMIT(0x0de, F15H_ALL),
	AMD_LIMIT(0x0df, F15H_ALL),
	AMD_LIMIT(0x1d6, F15H_ALL),
	AMD_LIMIT(0x1d8, F15H_ALL),
	AMD_LIMIT_CLASS(0xd0, 0xdf, F15H_LOW),

	/* The northbridge has counters of its own. */
	AMD_LIMIT_CLASS(0xe0, 0xff, 0),
	X86_LIMIT_END
};

/* Northbridge events, on the CPU's counters; with upper bits, codes of the northbridge's L3 */
static const struct x86_limit x86_amd_k8_limits[] = {
	{ .first = 0xe0, .last = 0xff, .mask = X86_MATCH_EVENT,
	  .counters = X86_GENERAL(AMD64_NUM_COUNTERS), .flags = X86_LIMIT_AMD_NB },
	X86_LIMIT_END
};

/* Floating point operations: up to 64 per cycle; a single counter adds at most 15. */
#define AMD_EVENT_FLOPS		AMD_EVENT(0x003)
#define AMD_EVENT_MERGE		AMD_EVENT(0xfff)
#define AMD_EVEN_COUNTERS	(BIT(0) | BIT(2) | BIT(4))

static const struct x86_limit x86_amd_zen_limits[] = {
	{ .first = AMD_EVENT_FLOPS, .last = AMD_EVENT_FLOPS, .mask = AMD64_EVENTSEL_EVENT,
	  .counters = AMD_EVEN_COUNTERS, .flags = X86_LIMIT_PAIR },
	/* Used by the driver for the upper counter of a pair */
	AMD_LIMIT(0xfff, 0),
	X86_LIMIT_END
};

/* Branch sampling (BRS): an overflow of counter 0 starts it; only taken branches are sampled. */
static const struct x86_limit x86_amd_zen3_branch_limits[] = {
	{ .first = 0xc4, .last = 0xc4, .mask = AMD64_RAW_EVENT_MASK, .counters = BIT(0) },
	X86_LIMIT_END
};

static struct attribute *x86_amd_branch_events[] = {
	X86_EVENT_ATTR("branch-brs", "event=0xc4"),
	NULL
};

/*
 * A guest may have one of these CPUs with the four legacy counters. Then the constraints of the
 * legacy counters apply, not those of the CPU's six counters.
 */
static int x86_amd_core_probe(struct x86_core *core)
{
	if (!boot_cpu_has(X86_FEATURE_PERFCTR_CORE))
		core->limits = x86_amd_k8_limits;
	return x86_amd_probe(core);
}

static int x86_amd_k8_probe(struct x86_core *core)
{
	int err = x86_amd_probe(core);

	if (core->msrs == &x86_amd_k7_msrs)
		core->msrs = &x86_amd_k8_msrs;
	return err;
}

#define X86_AMD_ROW(_probe, _mask)				\
	.probe		= (_probe),				\
	.config_mask	= (_mask),				\
	.format		= x86_amd_format,			\
	.branches	= &x86_lbr_amd,				\
	.init_event	= x86_amd_init_event,			\
	.forward	= x86_amd_forward

/* Families 6 and 0Fh: 8-bit event codes; the upper half of the select is reserved. */
static const struct x86_model x86_amd_k7 = {
	X86_AMD_ROW(x86_amd_k8_probe, X86_RAW_EVENT_MASK),
	.name		= "k7",
	.generic	= x86_amd_k7_generic,
	.cache		= &x86_amd_k7_cache,
};

static const struct x86_model x86_amd_k8 = {
	X86_AMD_ROW(x86_amd_k8_probe, X86_RAW_EVENT_MASK),
	.name		= "k8",
	.generic	= x86_amd_k7_generic,
	.cache		= &x86_amd_k7_cache,
	.limits		= x86_amd_k8_limits,
};

/* Families 10h to 14h */
static const struct x86_model x86_amd_10h = {
	X86_AMD_ROW(x86_amd_probe, AMD64_RAW_EVENT_MASK),
	.name		= "family10h",
	.generic	= x86_amd_k7_generic,
	.cache		= &x86_amd_k7_cache,
	.limits		= x86_amd_k8_limits,
};

static const struct x86_model x86_amd_15h = {
	X86_AMD_ROW(x86_amd_core_probe, AMD64_RAW_EVENT_MASK),
	.name		= "family15h",
	.generic	= x86_amd_k7_generic,
	.cache		= &x86_amd_k7_cache,
	.limits		= x86_amd_15h_limits,
};

/* The northbridge has counters of its own; no event has a constraint. */
static const struct x86_model x86_amd_16h = {
	X86_AMD_ROW(x86_amd_probe, AMD64_RAW_EVENT_MASK),
	.name		= "family16h",
	.generic	= x86_amd_k7_generic,
	.cache		= &x86_amd_k7_cache,
};

static const struct x86_model x86_amd_zen1 = {
	X86_AMD_ROW(x86_amd_core_probe, AMD64_RAW_EVENT_MASK),
	.name		= "zen1",
	.generic	= x86_amd_zen1_generic,
	.cache		= &x86_amd_zen_cache,
	.limits		= x86_amd_zen_limits,
	.merge		= AMD_EVENT_MERGE,
};

static const struct x86_model x86_amd_zen2 = {
	X86_AMD_ROW(x86_amd_core_probe, AMD64_RAW_EVENT_MASK),
	.name		= "zen2",
	.generic	= x86_amd_zen2_generic,
	.cache		= &x86_amd_zen_cache,
	.limits		= x86_amd_zen_limits,
	.merge		= AMD_EVENT_MERGE,
};

static const struct x86_model x86_amd_zen3 = {
	X86_AMD_ROW(x86_amd_core_probe, AMD64_RAW_EVENT_MASK),
	.name		= "zen3",
	.generic	= x86_amd_zen2_generic,
	.cache		= &x86_amd_zen_cache,
	.limits		= x86_amd_zen_limits,
	.branch_limits	= x86_amd_zen3_branch_limits,
	.branch_events	= x86_amd_branch_events,
	.merge		= AMD_EVENT_MERGE,
};

static const struct x86_model x86_amd_zen4 = {
	X86_AMD_ROW(x86_amd_core_probe, AMD64_RAW_EVENT_MASK),
	.name		= "zen4",
	.generic	= x86_amd_zen4_generic,
	.cache		= &x86_amd_zen_cache,
	.limits		= x86_amd_zen_limits,
	.merge		= AMD_EVENT_MERGE,
};

/* Newer families have six or more counters, and are treated as the latest known family. */
#define X86_AMD_LATER(_vendor, _row)						\
	X86_MATCH_VENDOR_FAM_FEATURE(_vendor, X86_FAMILY_ANY, X86_FEATURE_PERFCTR_CORE, &(_row))

const struct x86_cpu_id x86_amd_models[] = {
	X86_MODEL_FAMILY(AMD, 0x06, x86_amd_k7),
	X86_MODEL_FAMILY(AMD, 0x0f, x86_amd_k8),
	X86_MODEL_FAMILY(AMD, 0x10, x86_amd_10h),
	X86_MODEL_FAMILY(AMD, 0x11, x86_amd_10h),
	X86_MODEL_FAMILY(AMD, 0x12, x86_amd_10h),
	X86_MODEL_FAMILY(AMD, 0x14, x86_amd_10h),
	X86_MODEL_FAMILY(AMD, 0x15, x86_amd_15h),
	X86_MODEL_FAMILY(AMD, 0x16, x86_amd_16h),
	/* Two generations share family 17h; the kernel identifies them by feature flags. */
	X86_MATCH_VENDOR_FAM_FEATURE(AMD, 0x17, X86_FEATURE_ZEN2, &x86_amd_zen2),
	X86_MODEL_FAMILY(AMD, 0x17, x86_amd_zen1),
	X86_MODEL_FAMILY(HYGON, 0x18, x86_amd_zen1),
	X86_MATCH_VENDOR_FAM_FEATURE(AMD, 0x19, X86_FEATURE_ZEN4, &x86_amd_zen4),
	X86_MODEL_FAMILY(AMD, 0x19, x86_amd_zen3),
	X86_MODEL_FAMILY(AMD, 0x1a, x86_amd_zen4),
	X86_AMD_LATER(AMD, x86_amd_zen4),
	X86_AMD_LATER(HYGON, x86_amd_zen4),
	{ }
};
