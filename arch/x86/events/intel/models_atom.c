// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of Intel's small cores, and of Xeon Phi from Knights Landing on.
 */
#include <asm/cpu_device_id.h>

#include "../model.h"

const struct x86_cpu_id x86_intel_atom_models[] = {
	{ }
};
