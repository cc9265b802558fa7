// SPDX-License-Identifier: GPL-2.0
/*
 * The "kprobe" and "uprobe" PMUs: each event has a probe of its own. kernel/trace creates the
 * probe when the event is opened, and removes it when the event is freed.
 */
#include <linux/capability.h>
#include <linux/trace_events.h>

#include "probe.h"
#include "tracepoint.h"

/* attr.config: probe the return from the function */
#define PROBE_RETURN		BIT_ULL(0)
/* attr.config of a uprobe: file offset of a counter that is incremented while the probe exists */
#define PROBE_COUNTER_SHIFT	32

PMU_FORMAT_ATTR(retprobe, "config:0");

/* Checks that both PMUs make when an event is opened */
static int perf_probe_check(struct perf_event *event, bool allowed)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (!allowed)
		return -EACCES;
	return has_branch_stack(event) ? -EOPNOTSUPP : 0;
}

/*
 * If the probe of an inherited event cannot be created, return -ENODEV: fork(2) then continues
 * without the event. Only -ENOMEM makes fork(2) fail.
 */
static int perf_probe_init_error(const struct perf_event *event, int err)
{
	return event->parent && err && err != -ENOMEM ? -ENODEV : err;
}

static bool perf_probe_returns(const struct perf_event *event)
{
	return event->attr.config & PROBE_RETURN;
}

#define PROBE_PMU(kind) {						\
		.task_ctx_nr	= perf_sw_context,			\
		.attr_groups	= (const struct attribute_group *[]) {	\
			&perf_##kind##_format, NULL			\
		},							\
		.event_init	= perf_probe_##kind##_init,		\
		.add		= perf_tracepoint_add,			\
		.del		= perf_trace_del,			\
		.start		= perf_tracepoint_start,		\
		.stop		= perf_tracepoint_stop,			\
		.read		= perf_tracepoint_read,			\
	}

#ifdef CONFIG_KPROBE_EVENTS
static int perf_probe_kprobe_init(struct perf_event *event)
{
	int err = perf_probe_check(event, perfmon_capable());

	if (!err)
		err = perf_kprobe_init(event, perf_probe_returns(event));
	if (!err)
		event->destroy = perf_kprobe_destroy;
	return perf_probe_init_error(event, err);
}

static const struct attribute_group perf_kprobe_format = {
	.name	= "format",
	.attrs	= (struct attribute *[]) { &format_attr_retprobe.attr, NULL },
};

static struct pmu perf_kprobe_pmu = PROBE_PMU(kprobe);

static void __init perf_probe_register_kprobes(void)
{
	perf_pmu_register(&perf_kprobe_pmu, "kprobe", -1);
}
#else
static void __init perf_probe_register_kprobes(void) { }
#endif

#ifdef CONFIG_UPROBE_EVENTS
PMU_FORMAT_ATTR(ref_ctr_offset, "config:32-63");

static int perf_probe_uprobe_init(struct perf_event *event)
{
	unsigned long counter = event->attr.config >> PROBE_COUNTER_SHIFT;
	/* A uprobe modifies pages of a file that other users' tasks may execute. */
	int err = perf_probe_check(event, capable(CAP_SYS_ADMIN));

	if (!err)
		err = perf_uprobe_init(event, counter, perf_probe_returns(event));
	if (!err)
		event->destroy = perf_uprobe_destroy;
	return perf_probe_init_error(event, err);
}

static const struct attribute_group perf_uprobe_format = {
	.name	= "format",
	.attrs	= (struct attribute *[]) {
		&format_attr_retprobe.attr, &format_attr_ref_ctr_offset.attr, NULL
	},
};

static struct pmu perf_uprobe_pmu = PROBE_PMU(uprobe);

static void __init perf_probe_register_uprobes(void)
{
	perf_pmu_register(&perf_uprobe_pmu, "uprobe", -1);
}
#else
static void __init perf_probe_register_uprobes(void) { }
#endif

/**
 * perf_probe_pmu_init - register the PMUs
 *
 * Context: at boot.
 */
void __init perf_probe_pmu_init(void)
{
	perf_probe_register_kprobes();
	perf_probe_register_uprobes();
}
