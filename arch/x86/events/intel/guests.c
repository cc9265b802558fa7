// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's LBR for guests of KVM, and the debug store area.
 */
#include <linux/export.h>
#include <linux/percpu.h>
#include <asm/page.h>
#include <asm/intel_ds.h>

#include "../engine.h"

/* The area to which Intel's CPUs write records; mm/cpu_entry_area.c maps it. */
DEFINE_PER_CPU_PAGE_ALIGNED(struct debug_store, cpu_debug_store);

/**
 * perf_restore_debug_store - this CPU is back from suspend
 *
 * The registers have what they need when the PMU's own callback has run.
 */
void perf_restore_debug_store(void)
{
}

/**
 * x86_perf_get_lbr - which branch records may KVM give to guests?
 * @lbr: filled in; zeros: none
 */
void x86_perf_get_lbr(struct x86_pmu_lbr *lbr)
{
	memset(lbr, 0, sizeof(*lbr));
}
EXPORT_SYMBOL_GPL(x86_perf_get_lbr);
