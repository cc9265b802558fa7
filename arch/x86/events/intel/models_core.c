// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of Intel's big cores, from Core 2 on.
 */
#include <asm/cpu_device_id.h>

#include "../model.h"

const struct x86_cpu_id x86_intel_core_models[] = {
	{ }
};
