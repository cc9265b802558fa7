// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that come and go, and the boot.
 *
 * Events of a CPU that is offline stay attached and stand still; they go on
 * when it is back.
 */
#include <linux/cpuhotplug.h>
#include <linux/reboot.h>

#include "context.h"
#include "event.h"
#include "inherit.h"
#include "internal.h"
#include "pmu.h"
#include "software.h"
#include "sources.h"

/* On the CPU, interrupts off. */
static void start_cpu(void *unused)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);
	struct perf_event_pmu_context *epc;

	perf_context_lock_cpu(cpuctx, NULL);
	if (cpuctx->ctx.clock.cpu < 0)
		perf_clock_start(&cpuctx->ctx.clock, perf_clock());
	WRITE_ONCE(cpuctx->online, true);
	list_for_each_entry(epc, &cpuctx->ctx.pmu_ctx_list, pmu_ctx_entry)
		perf_pmu_resched_cpu(cpuctx, &cpuctx->ctx, epc->pmu);
	perf_context_unlock_cpu(cpuctx, NULL);
}

static void stop_cpu(void *unused)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);

	perf_context_lock_cpu(cpuctx, cpuctx->task_ctx);
	perf_context_sched_out_all(&cpuctx->ctx);
	if (cpuctx->ctx.clock.cpu >= 0)
		perf_clock_stop(&cpuctx->ctx.clock, perf_clock());
	WRITE_ONCE(cpuctx->online, false);
	perf_context_unlock_cpu(cpuctx, cpuctx->task_ctx);
}

/**
 * perf_event_init_cpu - a CPU comes
 * @cpu: which
 *
 * Called twice: when the CPU is prepared, and on itself. Return: 0.
 */
int perf_event_init_cpu(unsigned int cpu)
{
	struct perf_event_context *ctx = &per_cpu(perf_cpu_context, cpu).ctx;
	unsigned long flags;

	/* Not before it runs. */
	if (!cpu_online(cpu) || cpu != raw_smp_processor_id())
		return 0;
	mutex_lock(&ctx->mutex);
	local_irq_save(flags);
	start_cpu(NULL);
	local_irq_restore(flags);
	mutex_unlock(&ctx->mutex);
	perf_scope_online(cpu);
	return 0;
}

/**
 * perf_event_exit_cpu - a CPU goes
 * @cpu: which
 *
 * Called on itself, and once more when it is gone. Return: 0.
 */
int perf_event_exit_cpu(unsigned int cpu)
{
	struct perf_event_context *ctx = &per_cpu(perf_cpu_context, cpu).ctx;
	unsigned long flags;

	if (cpu != raw_smp_processor_id())
		return 0;
	perf_scope_offline(cpu);
	mutex_lock(&ctx->mutex);
	local_irq_save(flags);
	stop_cpu(NULL);
	local_irq_restore(flags);
	mutex_unlock(&ctx->mutex);
	return 0;
}

/* The next kernel, or the firmware, must not find counters that interrupt. */
static int stop_all_cpus(struct notifier_block *nb, unsigned long action, void *unused)
{
	on_each_cpu(stop_cpu, NULL, 1);
	return NOTIFY_OK;
}

static struct notifier_block reboot_notifier = {
	.notifier_call	= stop_all_cpus,
	.priority	= INT_MIN,
};

/**
 * perf_event_init - at boot, on the only CPU, interrupts off
 */
void __init perf_event_init(void)
{
	struct perf_cpu_context *cpuctx;
	int cpu, i;

	perf_event_caches_init();
	perf_family_init();
	for_each_possible_cpu(cpu) {
		cpuctx = &per_cpu(perf_cpu_context, cpu);
		perf_context_init(&cpuctx->ctx, NULL);
		INIT_LIST_HEAD(&cpuctx->sched_cb_list);
		for (i = 0; i < PERF_SW_LISTS; i++)
			INIT_LIST_HEAD(&cpuctx->sw_active[i]);
	}
	perf_event_init_cpu(smp_processor_id());

	perf_swevent_pmu_init();
	perf_clock_pmu_init();
	perf_tracepoint_pmu_init();
	perf_probe_pmu_init();
	perf_breakpoint_pmu_init();
	register_reboot_notifier(&reboot_notifier);
}
