// SPDX-License-Identifier: GPL-2.0
/*
 * Models of Zhaoxin and Centaur CPUs. Their PMUs have Intel's architectural layout, version 2, with
 * events of their own.
 */
#include <asm/cpu_device_id.h>
#include <asm/msr.h>

#include "../engine.h"

/* Cycles without an occurrence */
#define ZX_EVENT_NONE(_event, _umask)						\
	(X86_EVENT(_event, _umask) | ARCH_PERFMON_EVENTSEL_INV | 1ULL << 24)

/* The oldest CPUs support only cycles. */
static const u64 x86_zxc_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= X86_EVENT(0x82, 0x00),
};

static const u64 x86_zxd_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= X86_EVENT(0x82, 0x00),
	[PERF_COUNT_HW_INSTRUCTIONS]		= X86_EVENT(0xc0, 0x00),
	[PERF_COUNT_HW_CACHE_REFERENCES]	= X86_EVENT(0x15, 0x05),
	[PERF_COUNT_HW_CACHE_MISSES]		= X86_EVENT(0x1a, 0x05),
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= X86_EVENT(0x00, 0x07),
	[PERF_COUNT_HW_BRANCH_MISSES]		= X86_EVENT(0x09, 0x07),
	[PERF_COUNT_HW_BUS_CYCLES]		= X86_EVENT(0x83, 0x00),
	/* Stalled cycles of the front end and of the back end */
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= ZX_EVENT_NONE(0x01, 0x01),
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND]	= X86_EVENT(0x0f, 0x04),
};

static const u64 x86_zxe_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= X86_EVENT(0x82, 0x00),
	[PERF_COUNT_HW_INSTRUCTIONS]		= X86_EVENT(0xc0, 0x00),
	[PERF_COUNT_HW_CACHE_REFERENCES]	= X86_EVENT(0x15, 0x05),
	[PERF_COUNT_HW_CACHE_MISSES]		= X86_EVENT(0x1a, 0x05),
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= X86_EVENT(0x28, 0x00),
	[PERF_COUNT_HW_BRANCH_MISSES]		= X86_EVENT(0x29, 0x00),
	[PERF_COUNT_HW_BUS_CYCLES]		= X86_EVENT(0x83, 0x00),
	/* Stalled cycles of the front end and of the back end */
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= ZX_EVENT_NONE(0x01, 0x01),
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND]	= X86_EVENT(0x0f, 0x04),
};

#define ACCESS	PERF_COUNT_HW_CACHE_RESULT_ACCESS
#define MISS	PERF_COUNT_HW_CACHE_RESULT_MISS
#define NEVER	{ [ACCESS] = X86_IMPOSSIBLE, [MISS] = X86_IMPOSSIBLE }

static const x86_cache_events x86_zxd_cache = {
	[PERF_COUNT_HW_CACHE_L1D] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0x42, 0x00),
			[MISS]		= X86_EVENT(0x38, 0x05),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = {
			[ACCESS]	= X86_EVENT(0x43, 0x00),
			[MISS]		= X86_EVENT(0x62, 0x05),
		},
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = NEVER,
	},
	[PERF_COUNT_HW_CACHE_L1I] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0x00, 0x03),
			[MISS]		= X86_EVENT(0x01, 0x03),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {
			[ACCESS]	= X86_EVENT(0x0a, 0x03),
			[MISS]		= X86_EVENT(0x0b, 0x03),
		},
	},
	[PERF_COUNT_HW_CACHE_LL] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_WRITE] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = NEVER,
	},
	[PERF_COUNT_HW_CACHE_DTLB] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0x42, 0x00),
			[MISS]		= X86_EVENT(0x2c, 0x05),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = {
			[ACCESS]	= X86_EVENT(0x43, 0x00),
			[MISS]		= X86_EVENT(0x30, 0x05),
		},
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {
			[ACCESS]	= X86_EVENT(0x64, 0x05),
			[MISS]		= X86_EVENT(0x65, 0x05),
		},
	},
	[PERF_COUNT_HW_CACHE_ITLB] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0xc0, 0x00),
			[MISS]		= X86_EVENT(0x34, 0x05),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = NEVER,
	},
	[PERF_COUNT_HW_CACHE_BPU] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0x00, 0x07),
			[MISS]		= X86_EVENT(0x09, 0x07),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = NEVER,
	},
	[PERF_COUNT_HW_CACHE_NODE] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_WRITE] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = NEVER,
	},
};

static const x86_cache_events x86_zxe_cache = {
	[PERF_COUNT_HW_CACHE_L1D] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0x68, 0x05),
			[MISS]		= X86_EVENT(0x4b, 0x05),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = {
			[ACCESS]	= X86_EVENT(0x69, 0x06),
			[MISS]		= X86_EVENT(0x62, 0x05),
		},
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = NEVER,
	},
	[PERF_COUNT_HW_CACHE_L1I] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0x00, 0x03),
			[MISS]		= X86_EVENT(0x01, 0x03),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {
			[ACCESS]	= X86_EVENT(0x0a, 0x03),
			[MISS]		= X86_EVENT(0x0b, 0x03),
		},
	},
	[PERF_COUNT_HW_CACHE_DTLB] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0x68, 0x05),
			[MISS]		= X86_EVENT(0x2c, 0x05),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = {
			[ACCESS]	= X86_EVENT(0x69, 0x06),
			[MISS]		= X86_EVENT(0x30, 0x05),
		},
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {
			[ACCESS]	= X86_EVENT(0x64, 0x05),
			[MISS]		= X86_EVENT(0x65, 0x05),
		},
	},
	[PERF_COUNT_HW_CACHE_ITLB] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0xc0, 0x00),
			[MISS]		= X86_EVENT(0x34, 0x05),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = NEVER,
	},
	[PERF_COUNT_HW_CACHE_BPU] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = {
			[ACCESS]	= X86_EVENT(0x28, 0x00),
			[MISS]		= X86_EVENT(0x29, 0x00),
		},
		[PERF_COUNT_HW_CACHE_OP_WRITE] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = NEVER,
	},
	[PERF_COUNT_HW_CACHE_NODE] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_WRITE] = NEVER,
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = NEVER,
	},
};

static const struct x86_limit x86_zxc_limits[] = {
	X86_LIMIT_FIXED(0x82, 0x00, 1),
	X86_LIMIT_END
};

static const struct x86_limit x86_zxd_limits[] = {
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	X86_LIMIT_FIXED(0x82, 0x00, 1),
	X86_LIMIT_FIXED(0x83, 0x00, 2),
	X86_LIMIT_END
};

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(umask, "config:8-15");
PMU_FORMAT_ATTR(edge, "config:18");
PMU_FORMAT_ATTR(inv, "config:23");
PMU_FORMAT_ATTR(cmask, "config:24-31");

static struct attribute *x86_zhaoxin_format[] = {
	&format_attr_event.attr,
	&format_attr_umask.attr,
	&format_attr_edge.attr,
	&format_attr_inv.attr,
	&format_attr_cmask.attr,
	NULL
};

static const struct x86_pmu_msrs x86_zxc_msrs = {
	.select		= MSR_ARCH_PERFMON_EVENTSEL0,
	.counter	= MSR_ARCH_PERFMON_PERFCTR0,
	.stride		= 1,
	.fixed		= MSR_ARCH_PERFMON_FIXED_CTR0,
	.fixed_control	= MSR_ARCH_PERFMON_FIXED_CTR_CTRL,
	.control	= MSR_CORE_PERF_GLOBAL_CTRL,
	.status		= MSR_CORE_PERF_GLOBAL_STATUS,
	.ack		= MSR_CORE_PERF_GLOBAL_OVF_CTRL,
	.others		= ~0ULL,
	.run		= ARCH_PERFMON_EVENTSEL_ENABLE,
	.halt		= ARCH_PERFMON_EVENTSEL_ENABLE,
	.ack_runs	= true,
	.masks_lvt	= true,
};

/* Minimum number of architectural events reported by CPUID */
#define ZX_EVENTS_LEAST		6

/**
 * x86_zhaoxin_check_cpuid - adjust features that differ from Intel's PMUs, or from CPUID
 * @core: the core type, with the generic events reported by CPUID
 *
 * All bits of a counter can be written, and branch misses may exist without a bit in CPUID.
 *
 * Return: 0 on success, -ENODEV if the PMU is not of version 2 or reports too few events.
 */
int x86_zhaoxin_check_cpuid(struct x86_core *core)
{
	if (core->version != 2 || core->events_mask_len < ZX_EVENTS_LEAST)
		return -ENODEV;
	core->max_period = GENMASK_ULL(core->width - 2, 0);
	if (core->events_mask_len == ZX_EVENTS_LEAST)
		core->generic[PERF_COUNT_HW_BRANCH_MISSES] =
			core->model->generic[PERF_COUNT_HW_BRANCH_MISSES];
	return 0;
}

static int x86_zx_probe(struct x86_core *core)
{
	return x86_intel_probe(core) ?: x86_zhaoxin_check_cpuid(core);
}

static int x86_zxc_probe(struct x86_core *core)
{
	int err = x86_zx_probe(core);

	if (!err)
		core->msrs = &x86_zxc_msrs;
	return err;
}

#define X86_ZHAOXIN_ROW(_probe)					\
	.probe		= (_probe),				\
	.config_mask	= X86_RAW_EVENT_MASK,			\
	.format		= x86_zhaoxin_format

static const struct x86_model x86_zxc = {
	X86_ZHAOXIN_ROW(x86_zxc_probe),
	.name		= "zx-c",
	.generic	= x86_zxc_generic,
	.limits		= x86_zxc_limits,
};

/* KX-5000 */
static const struct x86_model x86_zxd = {
	X86_ZHAOXIN_ROW(x86_zx_probe),
	.name		= "zx-d",
	.generic	= x86_zxd_generic,
	.cache		= &x86_zxd_cache,
	.limits		= x86_zxd_limits,
};

/* KX-6000 */
static const struct x86_model x86_zxe = {
	X86_ZHAOXIN_ROW(x86_zx_probe),
	.name		= "zx-e",
	.generic	= x86_zxe_generic,
	.cache		= &x86_zxe_cache,
	.limits		= x86_zxd_limits,
};

/* CPUID may report either vendor. Nano model 0fh has this PMU only from stepping 14 on. */
#define X86_ZHAOXIN_LINE(_vendor, _family, _model, _steppings, _row)			\
	X86_MATCH_VENDOR_FAM_MODEL_STEPPINGS_FEATURE(_vendor, _family, _model, _steppings,	\
						     X86_FEATURE_ARCH_PERFMON, &(_row))

const struct x86_cpu_id x86_zhaoxin_models[] = {
	X86_ZHAOXIN_LINE(CENTAUR, 0x06, 0x0f, X86_STEPPINGS(0xe, 0xf), x86_zxc),
	X86_ZHAOXIN_LINE(CENTAUR, 0x06, 0x19, X86_STEPPING_ANY, x86_zxc),
	X86_ZHAOXIN_LINE(CENTAUR, 0x07, 0x1b, X86_STEPPING_ANY, x86_zxd),
	X86_ZHAOXIN_LINE(CENTAUR, 0x07, 0x3b, X86_STEPPING_ANY, x86_zxe),
	X86_ZHAOXIN_LINE(ZHAOXIN, 0x06, 0x0f, X86_STEPPINGS(0xe, 0xf), x86_zxc),
	X86_ZHAOXIN_LINE(ZHAOXIN, 0x06, 0x19, X86_STEPPING_ANY, x86_zxc),
	X86_ZHAOXIN_LINE(ZHAOXIN, 0x07, 0x1b, X86_STEPPING_ANY, x86_zxd),
	X86_ZHAOXIN_LINE(ZHAOXIN, 0x07, 0x3b, X86_STEPPING_ANY, x86_zxe),
	{ }
};
