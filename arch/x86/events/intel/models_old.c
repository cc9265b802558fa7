// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of Intel CPUs whose PMUs are of their own kinds: P6, Pentium 4, Knights Corner.
 */
#include <asm/cpu_device_id.h>

#include "../model.h"

const struct x86_cpu_id x86_intel_old_models[] = {
	{ }
};
