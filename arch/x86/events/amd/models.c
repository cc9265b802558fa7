// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of AMD's and Hygon's CPUs, by family.
 */
#include <asm/cpu_device_id.h>

#include "../model.h"

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

static const u64 x86_amd_zen_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= X86_EVENT(0x76, 0x00),
	[PERF_COUNT_HW_INSTRUCTIONS]		= X86_EVENT(0xc0, 0x00),
	[PERF_COUNT_HW_CACHE_REFERENCES]	= X86_EVENT(0x60, 0xff),
	[PERF_COUNT_HW_CACHE_MISSES]		= X86_EVENT(0x64, 0x09),
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= X86_EVENT(0xc2, 0x00),
	[PERF_COUNT_HW_BRANCH_MISSES]		= X86_EVENT(0xc3, 0x00),
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= X86_EVENT(0x87, 0x02),
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND]	= X86_EVENT(0x87, 0x01),
};

#define X86_AMD_ROW						\
	.probe		= x86_amd_probe,			\
	.config_mask	= AMD64_RAW_EVENT_MASK,			\
	.format		= x86_amd_format,			\
	.init_event	= x86_amd_init_event

static const struct x86_model x86_amd_k7 = {
	X86_AMD_ROW,
	.name		= "k7",
	.generic	= x86_amd_k7_generic,
};

static const struct x86_model x86_amd_zen = {
	X86_AMD_ROW,
	.name		= "zen",
	.generic	= x86_amd_zen_generic,
};

const struct x86_cpu_id x86_amd_models[] = {
	X86_MODEL_FAMILY(AMD, 0x06, x86_amd_k7),
	X86_MODEL_FAMILY(AMD, 0x0f, x86_amd_k7),
	X86_MODEL_FAMILY(AMD, 0x10, x86_amd_k7),
	X86_MODEL_FAMILY(AMD, 0x11, x86_amd_k7),
	X86_MODEL_FAMILY(AMD, 0x12, x86_amd_k7),
	X86_MODEL_FAMILY(AMD, 0x14, x86_amd_k7),
	X86_MODEL_FAMILY(AMD, 0x15, x86_amd_k7),
	X86_MODEL_FAMILY(AMD, 0x16, x86_amd_k7),
	X86_MODEL_FAMILY(AMD, 0x17, x86_amd_zen),
	X86_MODEL_FAMILY(HYGON, 0x18, x86_amd_zen),
	X86_MODEL_FAMILY(AMD, 0x19, x86_amd_zen),
	X86_MODEL_FAMILY(AMD, 0x1a, x86_amd_zen),
	{ }
};
