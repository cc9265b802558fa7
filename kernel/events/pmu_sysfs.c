// SPDX-License-Identifier: GPL-2.0
/*
 * PMUs in sysfs: /sys/bus/event_source/devices/NAME, with common attributes and those of the
 * driver
 */
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/init.h>
#include <linux/kstrtox.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "pmu.h"
#include "pmu_scope.h"
#include "pmu_sysfs.h"
#include "rotate.h"

static struct pmu *perf_pmu_of_dev(struct device *dev)
{
	return dev_get_drvdata(dev);
}

static ssize_t perf_pmu_show_type(struct device *dev, struct device_attribute *a, char *page)
{
	return sysfs_emit(page, "%d\n", perf_pmu_of_dev(dev)->type);
}

static ssize_t perf_pmu_show_filters(struct device *dev, struct device_attribute *a, char *page)
{
	return sysfs_emit(page, "%u\n", perf_pmu_of_dev(dev)->nr_addr_filters);
}

/* CPUs on which tools open a system-wide PMU's events */
static ssize_t perf_pmu_show_cpus(struct device *dev, struct device_attribute *a, char *page)
{
	return cpumap_print_to_pagebuf(true, page,
				       perf_scope_cpumask(perf_pmu_of_dev(dev)->scope));
}

static ssize_t perf_pmu_show_interval(struct device *dev, struct device_attribute *a, char *page)
{
	return sysfs_emit(page, "%d\n", READ_ONCE(perf_pmu_of_dev(dev)->hrtimer_interval_ms));
}

static ssize_t perf_pmu_store_interval(struct device *dev, struct device_attribute *a,
				       const char *text, size_t len)
{
	static DEFINE_MUTEX(interval_lock);
	struct pmu *pmu = perf_pmu_of_dev(dev);
	int ms, err = kstrtoint(text, 0, &ms);

	if (!err && ms < 1)
		err = -EINVAL;
	if (err)
		return err;

	mutex_lock(&interval_lock);
	if (ms != pmu->hrtimer_interval_ms) {
		WRITE_ONCE(pmu->hrtimer_interval_ms, ms);
		perf_pmu_mux_interval_changed(pmu);
	}
	mutex_unlock(&interval_lock);
	return len;
}

static struct device_attribute perf_pmu_attr_type = __ATTR(type, 0444, perf_pmu_show_type, NULL);
static struct device_attribute perf_pmu_attr_filters = __ATTR(nr_addr_filters, 0444,
							      perf_pmu_show_filters, NULL);
static struct device_attribute perf_pmu_attr_cpus = __ATTR(cpumask, 0444, perf_pmu_show_cpus, NULL);
static struct device_attribute perf_pmu_attr_interval =
	__ATTR(perf_event_mux_interval_ms, 0644, perf_pmu_show_interval, perf_pmu_store_interval);

static struct attribute *perf_pmu_common_attrs[] = {
	&perf_pmu_attr_type.attr,
	&perf_pmu_attr_interval.attr,
	&perf_pmu_attr_filters.attr,
	&perf_pmu_attr_cpus.attr,
	NULL,
};

/* Hide attributes of PMUs without filters or scope. */
static umode_t perf_pmu_common_attr_mode(struct kobject *kobj, struct attribute *a, int index)
{
	struct pmu *pmu = perf_pmu_of_dev(kobj_to_dev(kobj));
	bool hidden = (a == &perf_pmu_attr_filters.attr && !pmu->nr_addr_filters) ||
		      (a == &perf_pmu_attr_cpus.attr && pmu->scope == PERF_PMU_SCOPE_NONE);

	return hidden ? 0 : a->mode;
}

static const struct attribute_group perf_pmu_common_group = {
	.attrs		= perf_pmu_common_attrs,
	.is_visible	= perf_pmu_common_attr_mode,
};

static const struct attribute_group *perf_pmu_common_groups[] = { &perf_pmu_common_group, NULL };

static const struct bus_type perf_event_source_bus = {
	.name		= "event_source",
	.dev_groups	= perf_pmu_common_groups,
};

/* The bus is registered; protected by perf_pmus_lock */
static bool perf_pmu_bus_ready;

static void perf_pmu_release_dev(struct device *dev)
{
	kfree(dev);
}

/**
 * perf_pmu_dev_remove - remove a PMU from sysfs
 * @pmu: the PMU; no other task adds or removes it concurrently
 *
 * Waits for readers and writers of the PMU's attributes, so the caller must not hold a lock that
 * these take, such as perf_pmus_lock.
 *
 * Context: may sleep.
 */
void perf_pmu_dev_remove(struct pmu *pmu)
{
	if (!pmu->dev)
		return;
	device_unregister(pmu->dev);
	pmu->dev = NULL;
}

static int perf_pmu_add_dev(struct pmu *pmu)
{
	struct device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	int err;

	if (!dev)
		return -ENOMEM;
	device_initialize(dev);
	dev->bus = &perf_event_source_bus;
	dev->parent = pmu->parent;
	dev->groups = pmu->attr_groups;
	dev->release = perf_pmu_release_dev;
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
 * perf_pmu_dev_add - add a PMU to sysfs
 * @pmu: the PMU, with its name and type
 *
 * Does nothing before the bus is registered, or for a PMU without name.
 *
 * Context: perf_pmus_lock is held, may sleep.
 * Return: 0 on success, or a negative errno
 */
int perf_pmu_dev_add(struct pmu *pmu)
{
	lockdep_assert_held(&perf_pmus_lock);

	return perf_pmu_bus_ready && pmu->name ? perf_pmu_add_dev(pmu) : 0;
}

/* Register the bus, and add the PMUs that were registered before. */
static int __init perf_event_source_init(void)
{
	struct pmu *pmu;
	int err;

	err = bus_register(&perf_event_source_bus);
	if (err)
		return err;

	mutex_lock(&perf_pmus_lock);
	perf_pmu_bus_ready = true;
	list_for_each_entry(pmu, &perf_pmus, entry) {
		err = perf_pmu_dev_add(pmu);
		WARN(err, "PMU %s: no device: %d\n", pmu->name, err);
	}
	mutex_unlock(&perf_pmus_lock);
	return 0;
}
device_initcall(perf_event_source_init);

/**
 * perf_event_sysfs_show - print an event of PMU_EVENT_ATTR_STRING()
 * @dev: the PMU
 * @attr: attribute in a struct perf_pmu_events_attr
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
