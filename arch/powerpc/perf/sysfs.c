// SPDX-License-Identifier: GPL-2.0
/*
 * Files of the PMU in sysfs: what it is, and how its events are named.
 */
#include <linux/device.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include "engine.h"

/**
 * power_text_show - device_attribute::show of a struct power_text
 * @dev: the PMU's device
 * @attr: its member @file
 * @page: where the text goes
 *
 * May sleep. Return: the length.
 */
ssize_t power_text_show(struct device *dev, struct device_attribute *attr, char *page)
{
	const struct power_text *text = container_of(attr, struct power_text, file);

	return sysfs_emit(page, "%s\n", text->text);
}

/**
 * power_events_sysfs_show - device_attribute::show of an event
 * @dev: the PMU's device
 * @attr: of a struct perf_pmu_events_attr
 * @page: where the event's code goes
 *
 * May sleep. Return: the length.
 */
ssize_t power_events_sysfs_show(struct device *dev, struct device_attribute *attr, char *page)
{
	u64 code = container_of(attr, struct perf_pmu_events_attr, attr)->id;

	return sysfs_emit(page, "event=0x%02llx\n", code);
}

/* Programs that read this file know it without the end of a line. */
static ssize_t pmu_name_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return strscpy(page, power_driver->name, PAGE_SIZE);
}
static DEVICE_ATTR_RO(pmu_name);

static struct attribute *power_caps[] = { &dev_attr_pmu_name.attr, NULL };
static const struct attribute_group power_caps_group = { .name = "caps", .attrs = power_caps };

/* What the engine adds to the files of a processor's driver */
const struct attribute_group *power_caps_groups[] = { &power_caps_group, NULL };

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/sysfs_test.c"
#endif
