// SPDX-License-Identifier: GPL-2.0
/*
 * AMD PMUs: four counters from the K7 on, six with PERFCTR_CORE, global control with version 2.
 */
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include "../attributes.h"
#include "../engine.h"

const struct x86_pmu_msrs x86_amd_k7_msrs = {
	.select		= MSR_K7_EVNTSEL0,
	.counter	= MSR_K7_PERFCTR0,
	.stride		= 1,
	.run		= ARCH_PERFMON_EVENTSEL_ENABLE,
	.halt		= ARCH_PERFMON_EVENTSEL_ENABLE,
	.host_only	= AMD64_EVENTSEL_HOSTONLY,
};

/* Before family 10h the upper half of a select is reserved: no bits for hosts and guests. */
const struct x86_pmu_msrs x86_amd_k8_msrs = {
	.select		= MSR_K7_EVNTSEL0,
	.counter	= MSR_K7_PERFCTR0,
	.stride		= 1,
	.run		= ARCH_PERFMON_EVENTSEL_ENABLE,
	.halt		= ARCH_PERFMON_EVENTSEL_ENABLE,
};

const struct x86_pmu_msrs x86_amd_core_msrs = {
	.select		= MSR_F15H_PERF_CTL,
	.counter	= MSR_F15H_PERF_CTR,
	.stride		= 2,
	.run		= ARCH_PERFMON_EVENTSEL_ENABLE,
	.halt		= ARCH_PERFMON_EVENTSEL_ENABLE,
	.host_only	= AMD64_EVENTSEL_HOSTONLY,
};

const struct x86_pmu_msrs x86_amd_v2_msrs = {
	.select		= MSR_F15H_PERF_CTL,
	.counter	= MSR_F15H_PERF_CTR,
	.stride		= 2,
	.control	= MSR_AMD64_PERF_CNTR_GLOBAL_CTL,
	.status		= MSR_AMD64_PERF_CNTR_GLOBAL_STATUS,
	.ack		= MSR_AMD64_PERF_CNTR_GLOBAL_STATUS_CLR,
	/* branches frozen, counters frozen */
	.others		= BIT_ULL(58) | BIT_ULL(59),
	.run		= ARCH_PERFMON_EVENTSEL_ENABLE,
	.halt		= ARCH_PERFMON_EVENTSEL_ENABLE,
	.host_only	= AMD64_EVENTSEL_HOSTONLY,
};

struct attribute *x86_amd_format[] = {
	X86_FORMAT_ATTR("event", "config:0-7,32-35"),
	X86_FORMAT_ATTR("umask", "config:8-15"),
	X86_FORMAT_ATTR("edge", "config:18"),
	X86_FORMAT_ATTR("inv", "config:23"),
	X86_FORMAT_ATTR("cmask", "config:24-31"),
	NULL
};

/* A hypervisor may report version 2 in CPUID, and lack its registers. */
static bool x86_amd_has_control(void)
{
	u64 value;

	return !rdmsrl_safe(x86_amd_v2_msrs.control, &value) &&
	       !rdmsrl_safe(x86_amd_v2_msrs.status, &value);
}

/**
 * x86_amd_probe - x86_model::probe
 * @core: the core type of this CPU
 *
 * Return: 0.
 */
int x86_amd_probe(struct x86_core *core)
{
	union cpuid_0x80000022_ebx ebx;
	unsigned int n = AMD64_NUM_COUNTERS;

	core->version = 1;
	core->msrs = &x86_amd_k7_msrs;
	core->width = 48;
	if (boot_cpu_has(X86_FEATURE_PERFCTR_CORE)) {
		core->msrs = &x86_amd_core_msrs;
		n = AMD64_NUM_COUNTERS_CORE;
	}
	if (boot_cpu_has(X86_FEATURE_PERFCTR_CORE) && boot_cpu_has(X86_FEATURE_PERFMON_V2) &&
	    x86_amd_has_control()) {
		ebx.full = cpuid_ebx(EXT_PERFMON_DEBUG_FEATURES);
		core->version = 2;
		core->msrs = &x86_amd_v2_msrs;
		n = ebx.split.num_core_pmc;
	}
	core->counter_msr = core->msrs->counter;
	core->counters = n ? X86_GENERAL(n) : 0;
	return 0;
}

/**
 * x86_amd_forward - x86_model::forward
 * @event: a precise event; AMD's core PMU has no precise events, but IBS has
 *
 * Return: the error of forward_event_to_ibs(); 0 without IBS, or if that error is -EOPNOTSUPP.
 */
int x86_amd_forward(struct perf_event *event)
{
	int err = boot_cpu_has(X86_FEATURE_IBS) ? forward_event_to_ibs(event) : 0;

	return err == -EOPNOTSUPP ? 0 : err;
}

/**
 * x86_amd_init_event - x86_model::init_event
 * @event: the new event; sets its host and guest bits, if the selects have these
 *
 * Return: 0.
 */
int x86_amd_init_event(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	bool bits = to_x86_core(event->pmu)->msrs->host_only && boot_cpu_has(X86_FEATURE_SVM);
	struct hw_perf_event *hw = &event->hw;

	/* Without SVM there are no guests, and the two bits may be reserved. */
	if (attr->exclude_host && (attr->exclude_guest || !bits))
		/* Both bits would count host and guest: count no mode instead. */
		hw->config &= ~(ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS);
	else if (attr->exclude_host)
		hw->config |= AMD64_EVENTSEL_GUESTONLY;
	else if (attr->exclude_guest && bits)
		hw->config |= AMD64_EVENTSEL_HOSTONLY;
	return 0;
}
