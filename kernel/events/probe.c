// SPDX-License-Identifier: GPL-2.0
/*
 * Probes that belong to one event: the "kprobe" and "uprobe" PMUs. The probe is
 * made when the event is opened, by kernel/trace, and goes with it.
 */
#include <linux/capability.h>
#include <linux/trace_events.h>

#include "internal.h"
#include "sources.h"

/* attr.config: a probe where the function returns */
#define PROBE_RETURN		BIT_ULL(0)
/* ... and a uprobe's offset of a counter in the file, raised while the probe is there */
#define PROBE_COUNTER_SHIFT	32

PMU_FORMAT_ATTR(retprobe, "config:0");
PMU_FORMAT_ATTR(ref_ctr_offset, "config:32-63");

/* Called for a probe's PMU when nothing speaks against it any more. */
static int probe_init(struct perf_event *event, const struct pmu *pmu,
		      int (*make)(struct perf_event *event, bool returns),
		      void (*destroy)(struct perf_event *event))
{
	int err;

	if (event->attr.type != pmu->type)
		return -ENOENT;
	/* A probe writes into text that others run. */
	if (!perfmon_capable())
		return -EACCES;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;

	err = make(event, event->attr.config & PROBE_RETURN);
	if (!err)
		event->destroy = destroy;
	return err;
}

#ifdef CONFIG_KPROBE_EVENTS
static struct pmu kprobe_pmu;

static int kprobe_event_init(struct perf_event *event)
{
	return probe_init(event, &kprobe_pmu, perf_kprobe_init, perf_kprobe_destroy);
}

static struct attribute *kprobe_format[] = {
	&format_attr_retprobe.attr,
	NULL
};
#endif

#ifdef CONFIG_UPROBE_EVENTS
static struct pmu uprobe_pmu;

static int make_uprobe(struct perf_event *event, bool returns)
{
	return perf_uprobe_init(event, event->attr.config >> PROBE_COUNTER_SHIFT, returns);
}

static int uprobe_event_init(struct perf_event *event)
{
	return probe_init(event, &uprobe_pmu, make_uprobe, perf_uprobe_destroy);
}

static struct attribute *uprobe_format[] = {
	&format_attr_retprobe.attr,
	&format_attr_ref_ctr_offset.attr,
	NULL
};
#endif
