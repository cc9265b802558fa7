/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PMUs whose events are registers of their own: which of them does this CPU have?
 */
#ifndef _ARCH_X86_EVENTS_PROBE_H
#define _ARCH_X86_EVENTS_PROBE_H

#include <linux/sysfs.h>
#include <linux/types.h>

/**
 * struct perf_msr - a register that counts something
 * @msr: its address
 * @grp: attributes of its event in sysfs, which are hidden where it does not count
 * @test: does the CPU have it? NULL: it does. Gets the register's index and the data of
 *	perf_msr_probe()
 * @no_check: do not read it to see whether it counts
 * @mask: bits of it that count; 0: all
 */
struct perf_msr {
	u64			msr;
	struct attribute_group	*grp;
	bool			(*test)(int idx, void *data);
	bool			no_check;
	u64			mask;
};

unsigned long perf_msr_probe(struct perf_msr *msr, int cnt, bool zero_too, void *data);

/* group_NAME: a group DIR with one attribute, attr_NAME, a struct perf_pmu_events_attr */
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
