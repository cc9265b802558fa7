// SPDX-License-Identifier: GPL-2.0
/* Boot and reboot */
#include <linux/reboot.h>

#include "context.h"
#include "event.h"
#include "hotplug.h"
#include "internal.h"
#include "record/sideband.h"
#include "source/breakpoint.h"
#include "source/clock.h"
#include "source/probe.h"
#include "source/software.h"
#include "source/tracepoint.h"

/* Stop all counters at reboot: the next kernel must not get interrupts from them. */
static int perf_stop_all_cpus(struct notifier_block *nb, unsigned long action, void *unused)
{
	on_each_cpu(perf_event_stop_cpu, NULL, 1);
	return NOTIFY_OK;
}

static struct notifier_block perf_reboot_notifier = {
	.notifier_call	= perf_stop_all_cpus,
	.priority	= INT_MIN,
};

/**
 * perf_event_init - initialise perf events at boot
 *
 * Context: only one CPU, interrupts are off.
 */
void __init perf_event_init(void)
{
	struct perf_cpu_context *cpuctx;
	int cpu, i;

	perf_event_caches_init();
	for_each_possible_cpu(cpu) {
		cpuctx = &per_cpu(perf_cpu_context, cpu);
		perf_context_init(&cpuctx->ctx, NULL);
		INIT_LIST_HEAD(&cpuctx->sched_cb_list);
#ifdef CONFIG_CGROUP_PERF
		INIT_LIST_HEAD(&cpuctx->cgroup_pmus);
#endif
		for (i = 0; i < PERF_SW_LISTS; i++)
			INIT_LIST_HEAD(&cpuctx->sw_active[i]);
	}
	perf_event_init_cpu(smp_processor_id());

	perf_swevent_pmu_init();
	perf_sideband_init();
	perf_clock_pmu_init();
	perf_tracepoint_pmu_init();
	perf_probe_pmu_init();
	perf_breakpoint_pmu_init();
	register_reboot_notifier(&perf_reboot_notifier);
}
