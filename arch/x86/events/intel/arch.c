// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's architectural PMU, as reported by CPUID.
 */
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include "../attributes.h"
#include "../engine.h"

/* Bits of MSR_IA32_PERF_CAPABILITIES */
#define X86_CAP_FULL_WIDTH	BIT_ULL(13)	/* full-width writes of counters */
#define X86_CAP_METRICS		BIT_ULL(15)	/* Topdown metrics */

/* Bits of a select: count only in transactions; checkpointed */
#define X86_TRANSACTIONS	(HSW_IN_TX | HSW_IN_TX_CHECKPOINTED)

const struct x86_pmu_msrs x86_intel_msrs = {
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

/* Version 1 has only selects and counters. */
const struct x86_pmu_msrs x86_intel_msrs_v1 = {
	.select		= MSR_ARCH_PERFMON_EVENTSEL0,
	.counter	= MSR_ARCH_PERFMON_PERFCTR0,
	.stride		= 1,
	.run		= ARCH_PERFMON_EVENTSEL_ENABLE,
	.halt		= ARCH_PERFMON_EVENTSEL_ENABLE,
	.masks_lvt	= true,
};

/* Architectural events, in the order of the bits in EBX of leaf 0xA */
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
	/* Not an event, but the pseudo code of fixed counter 2 */
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

/* Number of fixed counters of Intel CPUs before version 5 */
#define X86_FIXED_BEFORE_V5	3

/**
 * x86_intel_fixed_mask - compute the mask of the fixed counters
 * @version: version of the PMU
 * @n: number of fixed counters reported by leaf 0xA
 * @mask: mask of fixed counters reported by leaf 0xA, from version 5 on
 * @bare: an Intel CPU without a hypervisor
 *
 * The first CPUs with version 2, of 65 nm, have fixed counters, but report none.
 *
 * Return: the mask.
 */
u64 x86_intel_fixed_mask(int version, unsigned int n, u32 mask, bool bare)
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

/* Remove the generic events that CPUID reports as missing. */
static void x86_intel_drop_missing(struct x86_core *core, u32 missing, int len)
{
	int i;

	core->events_mask = missing;
	core->events_mask_len = len;
	for (i = 0; i < ARRAY_SIZE(x86_intel_arch_events); i++) {
		if (i >= len || (missing & BIT(i)))
			core->generic[x86_intel_arch_events[i]] = 0;
	}
	/* General counters cannot count a pseudo code. */
	if (!(core->counters & X86_FIXED(2)) &&
	    core->generic[PERF_COUNT_HW_REF_CPU_CYCLES] == X86_EVENT(0x00, 0x03))
		core->generic[PERF_COUNT_HW_REF_CPU_CYCLES] = 0;
}

/* Leaf 0x23 reports the counters of each core type, leaf 0xA those common to all. */
#define X86_LEAF_COUNTERS	0x23
#define X86_HAS_LEAF_COUNTERS	BIT(8)
/* Subleafs, with their bits in EAX of subleaf 0: counters, and counters with a reload */
#define X86_LEAF_COUNTERS_MASKS		1
#define X86_LEAF_COUNTERS_RELOADS	2
/* EBX of subleaf 0: valid bits of selects */
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

/* Mask of the counters in EAX and EBX of a subleaf; 0: it does not exist. */
static u64 x86_leaf_counters(unsigned int subleaf)
{
	unsigned int general, fixed, unused;

	if (!x86_has_leaf_counters() ||
	    !(x86_subleaf_eax(X86_LEAF_COUNTERS, 0) & BIT(subleaf)))
		return 0;
	cpuid_count(X86_LEAF_COUNTERS, subleaf, &general, &fixed, &unused, &unused);
	return general | (u64)fixed << INTEL_PMC_IDX_FIXED;
}

/**
 * x86_intel_leaf_counters - the counters that leaf 0x23 reports for this CPU
 *
 * Context: any.
 * Return: mask of the counters, 0 if the CPU does not report them.
 */
u64 x86_intel_leaf_counters(void)
{
	return x86_leaf_counters(X86_LEAF_COUNTERS_MASKS);
}

static u64 x86_intel_hybrid_counters(const struct x86_core *core)
{
	u64 counters = x86_intel_leaf_counters();

	if (!counters && core->kind == X86_KIND_CORE)
		counters = core->model->p_core_counters;
	return counters;
}

/**
 * x86_intel_select_bits - bits of selects reported by leaf 0x23
 * @ebx: EBX of subleaf 0
 *
 * Return: the mask of the bits.
 */
u64 x86_intel_select_bits(u32 ebx)
{
	return (ebx & X86_LEAF_COUNTERS_UMASK2 ? ARCH_PERFMON_EVENTSEL_UMASK2 : 0) |
	       (ebx & X86_LEAF_COUNTERS_EQ ? ARCH_PERFMON_EVENTSEL_EQ : 0);
}

/*
 * Adjust the valid bits of selects: AnyThread is deprecated on new CPUs, the bits for transactions
 * need TSX, and others are reported by CPUID.
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
 * x86_intel_metrics - number of Topdown metrics of a PMU
 * @core: the PMU, with its counters and capabilities
 * @hybrid: a hybrid CPU without a hypervisor
 *
 * The metrics need fixed counter 3. E-cores have no metrics, and MSR_IA32_PERF_CAPABILITIES of a
 * hybrid CPU reports only capabilities that P-cores and E-cores have in common. So a P-core has the
 * metrics of its model even without the capability.
 *
 * Return: the number, 0 if there are none.
 */
u8 x86_intel_metrics(const struct x86_core *core, bool hybrid)
{
	if (!(core->counters & X86_FIXED(3)))
		return 0;
	if ((core->capabilities & X86_CAP_METRICS) || (hybrid && core->kind == X86_KIND_CORE))
		return core->model->metrics;
	return 0;
}

static void x86_intel_probe_metrics(struct x86_core *core)
{
	bool hybrid = boot_cpu_has(X86_FEATURE_HYBRID_CPU) && x86_intel_is_bare();
	u64 value;

	core->metrics = x86_intel_metrics(core, hybrid);
	if (core->metrics && !(core->capabilities & X86_CAP_METRICS) &&
	    rdmsrl_safe(MSR_PERF_METRICS, &value))
		core->metrics = 0;
}

/**
 * x86_intel_probe - detect counters, width and control registers by CPUID
 * @core: the PMU of this CPU
 *
 * Return: 0 on success, -ENODEV if CPUID reports no PMU.
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
	core->msrs = core->version < 2 ? &x86_intel_msrs_v1 : &x86_intel_msrs;
	core->counter_msr = core->msrs->counter;
	n = min_t(unsigned int, eax.split.num_counters, INTEL_PMC_MAX_GENERIC);
	core->counters = X86_GENERAL(n) |
			 x86_intel_fixed_mask(core->version, edx.split.num_counters_fixed, ecx,
					      x86_intel_is_bare());
	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		core->counters = x86_intel_hybrid_counters(core) ?: core->counters;
	core->auto_reloads = x86_leaf_counters(X86_LEAF_COUNTERS_RELOADS);
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
	x86_intel_probe_metrics(core);
	x86_force_abort_probe(core);
	x86_intel_drop_missing(core, missing, eax.split.mask_length);
	return 0;
}

/* CPUs without a row in the model tables: the name depends on the version of the PMU. */
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
 * AnyThread exists since version 3. On CPUs where it is deprecated, the bit is removed from the
 * select, but the event still needs CAP_PERFMON, unless it is inherited.
 */
static int x86_intel_check_any(struct perf_event *event)
{
	int err;

	if (event->attr.type == PERF_TYPE_HARDWARE || event->attr.type == PERF_TYPE_HW_CACHE ||
	    !(event->attr.config & ARCH_PERFMON_EVENTSEL_ANY))
		return 0;
	if (to_x86_core(event->pmu)->version < 3)
		return perf_event_refuse(event, "attr.config",
					 "has AnyThread, which this processor lacks",
					 -EINVAL);
	err = event->parent ? 0 : perf_allow_cpu();
	if (err)
		return perf_event_refuse(event, "attr.config",
					 "has AnyThread, which needs CAP_PERFMON", err);
	return 0;
}

/**
 * x86_intel_init_event - check AnyThread and the transaction bits of a new event
 * @event: the event
 *
 * The overflow interrupt of a checkpointed counter aborts the transaction, which rolls back the
 * counter. A short period would overflow in each retry of the transaction: periods below
 * 2^31 - 1 are refused.
 *
 * Return: 0 on success, -EINVAL if the CPU lacks AnyThread, -EACCES without permission for
 * AnyThread, -EOPNOTSUPP for invalid options of an event in transactions.
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
					 "has in_tx or in_tx_cp: not with precise_ip or AnyThread",
					 -EOPNOTSUPP);
	if ((config & HSW_IN_TX_CHECKPOINTED) && is_sampling_event(event) &&
	    (attr->freq || attr->sample_period < X86_NARROW_PERIOD))
		return perf_event_refuse(event, "attr.sample_period",
					 "must be at least 2^31 - 1 with in_tx_cp, and attr.freq must be 0",
					 -EOPNOTSUPP);
	return 0;
}

/**
 * x86_intel_checkpoint_counters - constraint of checkpointed events
 * @core: unused
 * @event: the event
 * @counters: the counters allowed by other constraints
 *
 * Return: the allowed counters. Only counter 2 can be checkpointed.
 */
u64 x86_intel_checkpoint_counters(struct x86_core *core, const struct perf_event *event,
				  u64 counters)
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
