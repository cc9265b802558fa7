// SPDX-License-Identifier: GPL-2.0
/*
 * LBR for KVM's guests, and the debug store area.
 */
#include <linux/export.h>
#include <linux/percpu.h>
#include <asm/page.h>
#include <asm/intel_ds.h>

#include "../engine.h"

/* The debug store area; mm/cpu_entry_area.c maps it. */
DEFINE_PER_CPU_PAGE_ALIGNED(struct debug_store, cpu_debug_store);

/**
 * perf_restore_debug_store - restore the debug store area after a suspend
 *
 * Nothing to do: the PMU's own callback restores the registers.
 */
void perf_restore_debug_store(void)
{
}

/**
 * x86_perf_get_lbr - describe the model-specific LBR that KVM can offer to guests
 * @lbr: receives zero: this driver offers no LBR
 */
void x86_perf_get_lbr(struct x86_pmu_lbr *lbr)
{
	memset(lbr, 0, sizeof(*lbr));
}
EXPORT_SYMBOL_GPL(x86_perf_get_lbr);
