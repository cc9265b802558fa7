/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of Intel models, for the tests of single Intel CPUs.
 */
#ifndef _ARCH_X86_EVENTS_TESTS_MODELS_INTEL_H
#define _ARCH_X86_EVENTS_TESTS_MODELS_INTEL_H

#include <linux/array_size.h>
#include <asm/cpu_device_id.h>

#include "models.h"

/* All tables of Intel models */
static const struct x86_cpu_id *const models_intel_tables[] = {
	x86_intel_core_models, x86_intel_nehalem_models, x86_intel_atom_models,
	x86_intel_old_models,
};

static inline bool models_line_is(const struct x86_cpu_id *line, u32 vfm, int stepping)
{
	return line->vendor == VFM_VENDOR(vfm) && line->family == VFM_FAMILY(vfm) &&
	       (line->model == X86_MODEL_ANY || line->model == VFM_MODEL(vfm)) &&
	       (line->steppings == X86_STEPPING_ANY || line->steppings & BIT(stepping));
}

/* Find the row of a CPU, and the number of tables with such a row. NULL: the architectural PMU */
static inline const struct x86_model *models_of_vfm(u32 vfm, int stepping, int *n)
{
	const struct x86_model *row = NULL;
	const struct x86_cpu_id *line;
	int i;

	*n = 0;
	for (i = 0; i < ARRAY_SIZE(models_intel_tables); i++) {
		for (line = models_intel_tables[i]; models_is_line(line); line++) {
			if (!models_line_is(line, vfm, stepping))
				continue;
			row = row ?: models_row(line);
			++*n;
			break;
		}
	}
	return row;
}

#endif
