// SPDX-License-Identifier: GPL-2.0
/*
 * PMUs in sysfs: /sys/bus/event_source/devices/NAME, with the attributes that
 * all have and those that the driver gives.
 */
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "pmu.h"

static ssize_t type_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct pmu *pmu = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%d\n", pmu->type);
}
static DEVICE_ATTR_RO(type);

static ssize_t nr_addr_filters_show(struct device *dev, struct device_attribute *attr,
				    char *buf)
{
	struct pmu *pmu = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%u\n", pmu->nr_addr_filters);
}
static DEVICE_ATTR_RO(nr_addr_filters);

static ssize_t perf_event_mux_interval_ms_show(struct device *dev,
					       struct device_attribute *attr, char *buf)
{
	struct pmu *pmu = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%d\n", pmu->hrtimer_interval_ms);
}

static ssize_t perf_event_mux_interval_ms_store(struct device *dev,
						struct device_attribute *attr,
						const char *buf, size_t count)
{
	static DEFINE_MUTEX(interval_lock);
	struct pmu *pmu = dev_get_drvdata(dev);
	int err, ms;

	err = kstrtoint(buf, 0, &ms);
	if (err)
		return err;
	if (ms < 1)
		return -EINVAL;

	mutex_lock(&interval_lock);
	if (ms != pmu->hrtimer_interval_ms) {
		pmu->hrtimer_interval_ms = ms;
		perf_pmu_mux_interval_changed(pmu);
	}
	mutex_unlock(&interval_lock);
	return count;
}
static DEVICE_ATTR_RW(perf_event_mux_interval_ms);

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct pmu *pmu = dev_get_drvdata(dev);

	return cpumap_print_to_pagebuf(true, buf, perf_scope_speakers(pmu->scope));
}
static DEVICE_ATTR_RO(cpumask);

static struct attribute *pmu_dev_attrs[] = {
	&dev_attr_type.attr,
	&dev_attr_perf_event_mux_interval_ms.attr,
	&dev_attr_nr_addr_filters.attr,
	&dev_attr_cpumask.attr,
	NULL,
};

static umode_t pmu_dev_attr_mode(struct kobject *kobj, struct attribute *a, int n)
{
	struct pmu *pmu = dev_get_drvdata(kobj_to_dev(kobj));

	if (a == &dev_attr_nr_addr_filters.attr && !pmu->nr_addr_filters)
		return 0;
	if (a == &dev_attr_cpumask.attr && pmu->scope == PERF_PMU_SCOPE_NONE)
		return 0;
	return a->mode;
}

static const struct attribute_group pmu_dev_group = {
	.is_visible	= pmu_dev_attr_mode,
	.attrs		= pmu_dev_attrs,
};

static const struct attribute_group *pmu_dev_groups[] = {
	&pmu_dev_group,
	NULL,
};

static const struct bus_type pmu_bus = {
	.name		= "event_source",
	.dev_groups	= pmu_dev_groups,
};

/* The bus exists; perf_pmus_lock. */
static bool pmu_bus_ready;

static void pmu_dev_release(struct device *dev)
{
	kfree(dev);
}

/**
 * perf_pmu_dev_remove - take a PMU out of sysfs
 * @pmu: that nobody else adds or removes
 *
 * Waits for readers and writers of its attributes, so that no lock may be
 * held which they take, perf_pmus_lock among them.
 */
void perf_pmu_dev_remove(struct pmu *pmu)
{
	if (!pmu->dev)
		return;
	device_unregister(pmu->dev);
	pmu->dev = NULL;
}

static int pmu_dev_add(struct pmu *pmu)
{
	struct device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	int err;

	if (!dev)
		return -ENOMEM;
	device_initialize(dev);
	dev->bus = &pmu_bus;
	dev->parent = pmu->parent;
	dev->groups = pmu->attr_groups;
	dev->release = pmu_dev_release;
	dev_set_drvdata(dev, pmu);
	pmu->dev = dev;

	err = dev_set_name(dev, "%s", pmu->name);
	if (!err)
		err = device_add(dev);
	if (err) {
		pmu->dev = NULL;
		put_device(dev);
		return err;
	}
	if (pmu->attr_update)
		err = sysfs_update_groups(&dev->kobj, pmu->attr_update);
	if (err)
		perf_pmu_dev_remove(pmu);
	return err;
}

/**
 * perf_pmu_dev_add - show a PMU in sysfs
 * @pmu: with name and type
 *
 * Before the bus exists, and for a PMU without name, nothing is to be done.
 * perf_pmus_lock.
 *
 * Return: 0 or a negative errno
 */
int perf_pmu_dev_add(struct pmu *pmu)
{
	lockdep_assert_held(&perf_pmus_lock);

	return pmu_bus_ready && pmu->name ? pmu_dev_add(pmu) : 0;
}

/* PMUs that were there before the bus get their devices. */
static int __init pmu_bus_init(void)
{
	struct pmu *pmu;
	int err;

	err = bus_register(&pmu_bus);
	if (err)
		return err;

	mutex_lock(&perf_pmus_lock);
	pmu_bus_ready = true;
	list_for_each_entry(pmu, &perf_pmus, entry) {
		err = perf_pmu_dev_add(pmu);
		WARN(err, "PMU %s: no device: %d\n", pmu->name, err);
	}
	mutex_unlock(&perf_pmus_lock);
	return 0;
}
device_initcall(pmu_bus_init);

/**
 * perf_event_sysfs_show - print an event of PMU_EVENT_ATTR_STRING()
 * @dev: the PMU
 * @attr: of a struct perf_pmu_events_attr
 * @page: gets the text
 *
 * Return: bytes written
 */
ssize_t perf_event_sysfs_show(struct device *dev, struct device_attribute *attr, char *page)
{
	const struct perf_pmu_events_attr *named =
		container_of(attr, struct perf_pmu_events_attr, attr);

	return named->event_str ? sysfs_emit(page, "%s\n", named->event_str) : 0;
}
EXPORT_SYMBOL_GPL(perf_event_sysfs_show);
