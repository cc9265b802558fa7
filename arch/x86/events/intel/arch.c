// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's architectural PMUs, as far as CPUID describes them.
 */
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include "../attributes.h"
#include "../engine.h"

/* Of MSR_IA32_PERF_CAPABILITIES: counters can be written in full width. */
#define X86_CAP_FULL_WIDTH	BIT_ULL(13)
/* Shares of the issue slots are told. */
#define X86_CAP_METRICS		BIT_ULL(15)

/* Of a select: count only in transactions, and forget those that abort. */
#define X86_TRANSACTIONS	(HSW_IN_TX | HSW_IN_TX_CHECKPOINTED)

/* Without full width the value that is written is extended by bit 31. */
#define X86_NARROW_PERIOD	GENMASK_ULL(30, 0)

const struct x86_bank x86_intel_bank = {
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
	.masks_lvt	= true,
};

/* Version 1 has nothing but selects and counters. */
const struct x86_bank x86_intel_bank_v1 = {
	.select		= MSR_ARCH_PERFMON_EVENTSEL0,
	.counter	= MSR_ARCH_PERFMON_PERFCTR0,
	.stride		= 1,
	.run		= ARCH_PERFMON_EVENTSEL_ENABLE,
	.halt		= ARCH_PERFMON_EVENTSEL_ENABLE,
	.masks_lvt	= true,
};

/* Architectural events, in the order of CPUID's bits of those that are missing. */
static const u8 x86_intel_arch_events[] = {
	PERF_COUNT_HW_CPU_CYCLES,
	PERF_COUNT_HW_INSTRUCTIONS,
	PERF_COUNT_HW_BUS_CYCLES,
	PERF_COUNT_HW_CACHE_REFERENCES,
	PERF_COUNT_HW_CACHE_MISSES,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	PERF_COUNT_HW_BRANCH_MISSES,
};

const u64 x86_intel_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= X86_EVENT(0x3c, 0x00),
	[PERF_COUNT_HW_INSTRUCTIONS]		= X86_EVENT(0xc0, 0x00),
	[PERF_COUNT_HW_CACHE_REFERENCES]	= X86_EVENT(0x2e, 0x4f),
	[PERF_COUNT_HW_CACHE_MISSES]		= X86_EVENT(0x2e, 0x41),
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= X86_EVENT(0xc4, 0x00),
	[PERF_COUNT_HW_BRANCH_MISSES]		= X86_EVENT(0xc5, 0x00),
	[PERF_COUNT_HW_BUS_CYCLES]		= X86_EVENT(0x3c, 0x01),
	/* This is not the code of any event, but the name of a fixed counter. */
	[PERF_COUNT_HW_REF_CPU_CYCLES]		= X86_EVENT(0x00, 0x03),
};

const struct x86_limit x86_intel_limits[] = {
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_NAME(0x03, 2),
	X86_LIMIT_NAME(0x04, 3),
	X86_LIMIT_NAME(0x05, 4),
	X86_LIMIT_NAME(0x06, 5),
	X86_LIMIT_NAME(0x07, 6),
	X86_LIMIT_NAME(0x08, 7),
	X86_LIMIT_NAME(0x09, 8),
	X86_LIMIT_NAME(0x0a, 9),
	X86_LIMIT_NAME(0x0b, 10),
	X86_LIMIT_NAME(0x0c, 11),
	X86_LIMIT_NAME(0x0d, 12),
	X86_LIMIT_NAME(0x0e, 13),
	X86_LIMIT_NAME(0x0f, 14),
	X86_LIMIT_NAME(0x10, 15),
	X86_LIMIT_END
};

struct attribute *x86_intel_format[] = {
	X86_FORMAT_ATTR("event", "config:0-7"),
	X86_FORMAT_IF("umask", "config:8-15", 0, ARCH_PERFMON_EVENTSEL_UMASK2, 0),
	X86_FORMAT_IF("umask", "config:8-15,40-47", ARCH_PERFMON_EVENTSEL_UMASK2, 0, 0),
	X86_FORMAT_ATTR("edge", "config:18"),
	X86_FORMAT_ATTR("pc", "config:19"),
	X86_FORMAT_IF("any", "config:21", ARCH_PERFMON_EVENTSEL_ANY, 0, 0),
	X86_FORMAT_ATTR("inv", "config:23"),
	X86_FORMAT_ATTR("cmask", "config:24-31"),
	X86_FORMAT_IF("in_tx", "config:32", HSW_IN_TX, 0, 0),
	X86_FORMAT_IF("in_tx_cp", "config:33", HSW_IN_TX_CHECKPOINTED, 0, 0),
	X86_FORMAT_IF("eq", "config:36", ARCH_PERFMON_EVENTSEL_EQ, 0, 0),
	X86_FORMAT_IF("offcore_rsp", "config1:0-63", 0, 0, MSR_OFFCORE_RSP_0),
	X86_FORMAT_IF("ldlat", "config1:0-15", 0, 0, MSR_PEBS_LD_LAT_THRESHOLD),
	X86_FORMAT_IF("frontend", "config1:0-23", 0, 0, MSR_PEBS_FRONTEND),
	X86_FORMAT_IF("snoop_rsp", "config1:0-63", 0, 0, MSR_SNOOP_RSP_0),
	NULL
};

/* Before version 5, as many as any of Intel's CPUs with some has. */
#define X86_FIXED_BEFORE_V5	3

/**
 * x86_intel_fixed - which fixed counters are there?
 * @version: of the PMU
 * @n: how many leaf 0xA reports
 * @mask: those that it reports, from version 5 on
 * @bare: the CPU is one of Intel's, without a hypervisor above it
 *
 * Version 2 has them, but the first CPUs with it, of 65 nm, report none.
 *
 * Return: mask of counters.
 */
u64 x86_intel_fixed(int version, unsigned int n, u32 mask, bool bare)
{
	u64 fixed;

	if (version < 2)
		return 0;
	if (version < 5 && bare)
		n = max(n, X86_FIXED_BEFORE_V5);
	fixed = n ? X86_GENERAL(min_t(unsigned int, n, INTEL_PMC_MAX_FIXED)) : 0;
	if (version >= 5)
		fixed |= mask;
	return (fixed & X86_GENERAL(INTEL_PMC_MAX_FIXED)) << INTEL_PMC_IDX_FIXED;
}

static bool x86_intel_is_bare(void)
{
	return boot_cpu_data.x86_vendor == X86_VENDOR_INTEL &&
	       !boot_cpu_has(X86_FEATURE_HYPERVISOR);
}

/* Events that CPUID says are missing are not offered. */
static void x86_intel_drop_missing(struct x86_core *core, u32 missing, int len)
{
	int i;

	core->events_mask = missing;
	core->events_mask_len = len;
	for (i = 0; i < ARRAY_SIZE(x86_intel_arch_events); i++) {
		if (i >= len || (missing & BIT(i)))
			core->generic[x86_intel_arch_events[i]] = 0;
	}
	/* As a fixed counter's name it has no code that other counters count. */
	if (!(core->counters & X86_FIXED(2)) &&
	    core->generic[PERF_COUNT_HW_REF_CPU_CYCLES] == X86_EVENT(0x00, 0x03))
		core->generic[PERF_COUNT_HW_REF_CPU_CYCLES] = 0;
}

/* Leaf 0x23 has the counters of each kind of core, leaf 0xA those that all have. */
#define X86_LEAF_COUNTERS	0x23
#define X86_HAS_LEAF_COUNTERS	BIT(8)
#define X86_LEAF_COUNTERS_MASKS	BIT(1)
/* In EBX of its first subleaf: bits that selects have */
#define X86_LEAF_COUNTERS_UMASK2	BIT(0)
#define X86_LEAF_COUNTERS_EQ		BIT(1)

static u32 x86_subleaf_eax(u32 leaf, u32 subleaf)
{
	u32 eax, ebx, ecx, edx;

	cpuid_count(leaf, subleaf, &eax, &ebx, &ecx, &edx);
	return eax;
}

static bool x86_has_leaf_counters(void)
{
	return cpuid_eax(0) >= X86_LEAF_COUNTERS && (x86_subleaf_eax(7, 1) & X86_HAS_LEAF_COUNTERS);
}

static u64 x86_intel_hybrid_counters(const struct x86_core *core)
{
	unsigned int general, fixed, unused;

	if (x86_has_leaf_counters() &&
	    (x86_subleaf_eax(X86_LEAF_COUNTERS, 0) & X86_LEAF_COUNTERS_MASKS)) {
		cpuid_count(X86_LEAF_COUNTERS, 1, &general, &fixed, &unused, &unused);
		return general | (u64)fixed << INTEL_PMC_IDX_FIXED;
	}
	return core->kind == X86_KIND_CORE ? core->model->whole : 0;
}

/**
 * x86_intel_select_bits - which bits of selects does leaf 0x23 report?
 * @ebx: of its subleaf 0
 */
u64 x86_intel_select_bits(u32 ebx)
{
	return (ebx & X86_LEAF_COUNTERS_UMASK2 ? ARCH_PERFMON_EVENTSEL_UMASK2 : 0) |
	       (ebx & X86_LEAF_COUNTERS_EQ ? ARCH_PERFMON_EVENTSEL_EQ : 0);
}

/*
 * Bits of selects that CPUs may lack: AnyThread, which has gone again, and transactions; and
 * those that are there only if CPUID says so.
 */
static void x86_intel_probe_config(struct x86_core *core, union cpuid10_edx edx)
{
	if (core->version < 2 || edx.split.anythread_deprecated)
		core->config_mask &= ~ARCH_PERFMON_EVENTSEL_ANY;
	if (!boot_cpu_has(X86_FEATURE_RTM) && !boot_cpu_has(X86_FEATURE_HLE))
		core->config_mask &= ~X86_TRANSACTIONS;
	if (x86_has_leaf_counters()) {
		unsigned int eax, ebx, ecx, unused;

		cpuid_count(X86_LEAF_COUNTERS, 0, &eax, &ebx, &ecx, &unused);
		core->config_mask |= x86_intel_select_bits(ebx);
	}
}

/**
 * x86_intel_probe - see struct x86_model
 * @core: its counters, width and control registers are found by CPUID
 */
int x86_intel_probe(struct x86_core *core)
{
	unsigned int n, missing, ecx;
	union cpuid10_eax eax;
	union cpuid10_edx edx;

	if (cpuid_eax(0) < 0xa)
		return -ENODEV;
	cpuid(0xa, &eax.full, &missing, &ecx, &edx.full);
	if (!eax.split.version_id || !eax.split.num_counters || eax.split.bit_width < 32)
		return -ENODEV;
	core->version = eax.split.version_id;
	core->bank = core->version < 2 ? &x86_intel_bank_v1 : &x86_intel_bank;
	core->counter_msr = core->bank->counter;
	n = min_t(unsigned int, eax.split.num_counters, INTEL_PMC_MAX_GENERIC);
	core->counters = X86_GENERAL(n) |
			 x86_intel_fixed(core->version, edx.split.num_counters_fixed, ecx,
					 x86_intel_is_bare());
	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		core->counters = x86_intel_hybrid_counters(core) ?: core->counters;
	core->width = eax.split.bit_width;
	core->fixed_width = clamp_t(int, edx.split.bit_width_fixed, core->width, 63);
	core->max_period = min(X86_NARROW_PERIOD, GENMASK_ULL(core->width - 2, 0));
	x86_intel_probe_config(core, edx);

	if (boot_cpu_has(X86_FEATURE_PDCM))
		rdmsrl_safe(MSR_IA32_PERF_CAPABILITIES, &core->capabilities);
	if (core->capabilities & X86_CAP_FULL_WIDTH) {
		core->counter_msr = MSR_IA32_PMC0;
		core->max_period = GENMASK_ULL(core->width - 2, 0);
	}
	if ((core->capabilities & X86_CAP_METRICS) && (core->counters & X86_FIXED(3)))
		core->metrics = core->model->metrics;
	x86_force_abort_probe(core);
	x86_intel_drop_missing(core, missing, eax.split.mask_length);
	return 0;
}

/* What no table knows goes by what sets one version apart from those before it. */
static int x86_intel_arch_probe(struct x86_core *core)
{
	int err = x86_intel_probe(core);

	if (core->version >= 5)
		core->name = "generic_arch_v5+";
	else if (core->version >= 2)
		core->name = "generic_arch_v2+";
	return err;
}

/*
 * AnyThread came with version 3. Where it is reserved again, programs that ask for it still need
 * the right to it, and have it left out of their selects.
 */
static int x86_intel_check_any(struct perf_event *event)
{
	int err;

	if (event->attr.type == PERF_TYPE_HARDWARE || event->attr.type == PERF_TYPE_HW_CACHE ||
	    !(event->attr.config & ARCH_PERFMON_EVENTSEL_ANY))
		return 0;
	if (to_x86_core(event->pmu)->version < 3)
		return perf_event_refuse(event, "attr.config",
					 "has AnyThread, which this processor does not have",
					 -EINVAL);
	err = perf_allow_cpu();
	if (err)
		return perf_event_refuse(event, "attr.config",
					 "has AnyThread: it needs the right to all of a CPU", err);
	return 0;
}

/**
 * x86_intel_init_event - see struct x86_model
 * @event: a raw one may ask to count for all threads of the core, or in transactions
 *
 * A counter whose checkpoint a transaction restores when it aborts can abort it by its
 * interrupt, again and again. So it does not sample, unless far between.
 *
 * Return: 0; -EINVAL: the CPU cannot count for all threads; -EOPNOTSUPP: it cannot count
 * or sample like this in transactions.
 */
int x86_intel_init_event(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	u64 config = event->hw.config;
	int err;

	err = x86_intel_check_any(event);
	if (err)
		return err;
	if (!(config & X86_TRANSACTIONS))
		return 0;
	if (attr->precise_ip || (config & ARCH_PERFMON_EVENTSEL_ANY))
		return perf_event_refuse(event, "attr.config",
					 "is for transactions: not precise, and of one thread",
					 -EOPNOTSUPP);
	if ((config & HSW_IN_TX_CHECKPOINTED) && is_sampling_event(event) &&
	    (attr->freq || attr->sample_period < X86_NARROW_PERIOD))
		return perf_event_refuse(event, "attr.sample_period",
					 "is too short for a counter that aborts take back",
					 -EOPNOTSUPP);
	return 0;
}

/**
 * x86_intel_counters_of - see struct x86_model
 * @core: unused
 * @event: one that a transaction's abort takes back needs the only counter that can
 * @counters: those that could count it else
 */
u64 x86_intel_counters_of(struct x86_core *core, const struct perf_event *event, u64 counters)
{
	return event->hw.config & HSW_IN_TX_CHECKPOINTED ? counters & BIT(2) : counters;
}

const struct x86_model x86_intel_arch_model = {
	.name		= "generic_arch_v1",
	.probe		= x86_intel_arch_probe,
	.config_mask	= X86_RAW_EVENT_MASK | ARCH_PERFMON_EVENTSEL_ANY,
	.generic	= x86_intel_generic,
	.limits		= x86_intel_limits,
	.format		= x86_intel_format,
	.init_event	= x86_intel_init_event,
};
