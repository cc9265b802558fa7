// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of Zhaoxin's and Centaur's CPUs.
 */
#include <asm/cpu_device_id.h>

#include "../model.h"

const struct x86_cpu_id x86_zhaoxin_models[] = {
	{ }
};
