// SPDX-License-Identifier: GPL-2.0
/*
 * sysfs files of the PMU: attributes and event aliases.
 */
#include <linux/device.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include "engine.h"

/**
 * power_text_show - device_attribute::show of a struct power_text
 * @dev: the PMU device
 * @attr: power_text::file
 * @page: receives the text
 *
 * Context: process.
 * Return: length of the text.
 */
ssize_t power_text_show(struct device *dev, struct device_attribute *attr, char *page)
{
	const struct power_text *text = container_of(attr, struct power_text, file);

	return sysfs_emit(page, "%s\n", text->text);
}

/**
 * power_events_sysfs_show - device_attribute::show of an event alias
 * @dev: the PMU device
 * @attr: perf_pmu_events_attr::attr
 * @page: receives the event code
 *
 * Context: process.
 * Return: length of the text.
 */
ssize_t power_events_sysfs_show(struct device *dev, struct device_attribute *attr, char *page)
{
	u64 code = container_of(attr, struct perf_pmu_events_attr, attr)->id;

	return sysfs_emit(page, "event=0x%02llx\n", code);
}

/* Existing programs expect no newline. */
static ssize_t pmu_name_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return strscpy(page, power_driver->name, PAGE_SIZE);
}
static DEVICE_ATTR_RO(pmu_name);

static struct attribute *power_caps[] = { &dev_attr_pmu_name.attr, NULL };
static const struct attribute_group power_caps_group = { .name = "caps", .attrs = power_caps };

/* Added to the attribute groups of the processor's driver */
const struct attribute_group *power_caps_groups[] = { &power_caps_group, NULL };

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/sysfs_test.c"
#endif
