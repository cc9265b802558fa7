/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Detection of MSRs, for PMUs with a free-running MSR for each event.
 */
#ifndef _ARCH_X86_EVENTS_PROBE_H
#define _ARCH_X86_EVENTS_PROBE_H

#include <linux/sysfs.h>
#include <linux/types.h>

/**
 * struct perf_msr - a counting MSR
 * @msr: the MSR
 * @grp: sysfs attributes of the event, hidden if the MSR does not count
 * @test: returns whether the CPU has the MSR, by its index and the data of perf_msr_probe(); NULL:
 *	every CPU has it
 * @no_check: do not read the MSR to check that it counts
 * @mask: valid bits of the MSR; 0: all
 */
struct perf_msr {
	u64			msr;
	struct attribute_group	*grp;
	bool			(*test)(int idx, void *data);
	bool			no_check;
	u64			mask;
};

unsigned long perf_msr_probe(struct perf_msr *msr, int cnt, bool zero_too, void *data);

/* Defines group_NAME, a group DIR with attr_NAME, a struct perf_pmu_events_attr. */
#define PMU_EVENT_GROUP(_dir, _name)				\
static struct attribute *attrs_##_name[] = {			\
	&attr_##_name.attr.attr,				\
	NULL,							\
};								\
static struct attribute_group group_##_name = {			\
	.name  = #_dir,						\
	.attrs = attrs_##_name,					\
}

#endif
