/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attributes in sysfs that a model's row has: names of events, and of parts of selects.
 */
#ifndef _ARCH_X86_EVENTS_ATTRIBUTES_H
#define _ARCH_X86_EVENTS_ATTRIBUTES_H

#include <linux/device.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

/* An attribute for x86_model::events: a name and its text */
#define X86_EVENT_ATTR(_name, _text)						\
	(&((struct perf_pmu_events_attr[]) { {					\
		.attr = {							\
			.attr = { .name = _name, .mode = 0444 },		\
			.show = perf_event_sysfs_show,				\
		},								\
		.event_str = _text,						\
	} })[0].attr.attr)

/* The same, with another text on CPUs whose cores have several threads */
#define X86_EVENT_SMT_ATTR(_name, _text, _smt_text)				\
	(&((struct perf_pmu_events_ht_attr[]) { {				\
		.attr = {							\
			.attr = { .name = _name, .mode = 0444 },		\
			.show = x86_event_smt_show,				\
		},								\
		.event_str_noht = _text,					\
		.event_str_ht = _smt_text,					\
	} })[0].attr.attr)

ssize_t x86_event_smt_show(struct device *dev, struct device_attribute *attr, char *page);

/**
 * struct x86_format_attr - an attribute for x86_model::format
 * @attr: the file; its show function is x86_format_show()
 * @text: which bits of struct perf_event_attr the name stands for
 * @with: the file is there only if all of these bits are in the core's config_mask,
 * @without: none of these is,
 * @msr: and this register is among x86_model::extra; 0: whatever is in there
 */
struct x86_format_attr {
	struct device_attribute	attr;
	const char		*text;
	u64			with;
	u64			without;
	u32			msr;
};

ssize_t x86_format_show(struct device *dev, struct device_attribute *attr, char *page);

#define X86_FORMAT_IF(_name, _text, _with, _without, _msr)			\
	(&((struct x86_format_attr[]) { {					\
		.attr = {							\
			.attr = { .name = _name, .mode = 0444 },		\
			.show = x86_format_show,				\
		},								\
		.text = _text,							\
		.with = (_with),						\
		.without = (_without),						\
		.msr = (_msr),							\
	} })[0].attr.attr)
#define X86_FORMAT_ATTR(_name, _text)		X86_FORMAT_IF(_name, _text, 0, 0, 0)

#endif /* _ARCH_X86_EVENTS_ATTRIBUTES_H */
