/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sysfs attributes of a model: event aliases, and fields of event selects.
 */
#ifndef _ARCH_X86_EVENTS_ATTRIBUTES_H
#define _ARCH_X86_EVENTS_ATTRIBUTES_H

#include <linux/device.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

/* Attribute of x86_model::events: name and text of an event alias */
#define X86_EVENT_ATTR(_name, _text)						\
	(&((struct perf_pmu_events_attr[]) { {					\
		.attr = {							\
			.attr = { .name = _name, .mode = 0444 },		\
			.show = perf_event_sysfs_show,				\
		},								\
		.event_str = _text,						\
	} })[0].attr.attr)

/* The same, with another text on CPUs with hyper-threading */
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
 * struct x86_format_attr - attribute of x86_model::format
 * @attr: the file, with x86_format_show()
 * @text: the bits of struct perf_event_attr
 * @with: show the file only if x86_core::config_mask has all of these bits
 * @without: show the file only if x86_core::config_mask has none of these bits
 * @msr: show the file only if x86_model::extra has this register; 0: in any case
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
