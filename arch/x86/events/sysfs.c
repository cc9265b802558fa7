// SPDX-License-Identifier: GPL-2.0
/*
 * sysfs directory of the PMU: "format", "events", "caps", and "rdpmc".
 */
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "attributes.h"
#include "engine.h"

static struct x86_core *x86_device_core(struct device *dev)
{
	return to_x86_core(dev_get_drvdata(dev));
}

/* Generic events: those that the CPU supports, with their configs */

static ssize_t x86_generic_show(struct device *dev, struct device_attribute *attr, char *page)
{
	struct perf_pmu_events_attr *event =
		container_of(attr, struct perf_pmu_events_attr, attr);
	u64 config = x86_device_core(dev)->generic[event->id], number;
	ssize_t n;

	number = (config & ARCH_PERFMON_EVENTSEL_EVENT) |
		 (config & (AMD64_EVENTSEL_EVENT & ~ARCH_PERFMON_EVENTSEL_EVENT)) >> 24;
	n = sysfs_emit(page, "event=0x%02llx", number);
	if (config & ARCH_PERFMON_EVENTSEL_UMASK)
		n += sysfs_emit_at(page, n, ",umask=0x%02llx",
				   (config & ARCH_PERFMON_EVENTSEL_UMASK) >> 8);
	if (config & ARCH_PERFMON_EVENTSEL_EDGE)
		n += sysfs_emit_at(page, n, ",edge");
	if (config & ARCH_PERFMON_EVENTSEL_PIN_CONTROL)
		n += sysfs_emit_at(page, n, ",pc");
	if (config & ARCH_PERFMON_EVENTSEL_ANY)
		n += sysfs_emit_at(page, n, ",any");
	if (config & ARCH_PERFMON_EVENTSEL_INV)
		n += sysfs_emit_at(page, n, ",inv");
	if (config & ARCH_PERFMON_EVENTSEL_CMASK)
		n += sysfs_emit_at(page, n, ",cmask=0x%02llx",
				   (config & ARCH_PERFMON_EVENTSEL_CMASK) >> 24);
	return n + sysfs_emit_at(page, n, "\n");
}

#define X86_GENERIC_ATTR(_name, _id)						\
	(&((struct perf_pmu_events_attr[]) { {					\
		.attr = {							\
			.attr = { .name = _name, .mode = 0444 },		\
			.show = x86_generic_show,				\
		},								\
		.id = PERF_COUNT_HW_##_id,					\
	} })[0].attr.attr)

/* In the order of PERF_COUNT_HW_* */
static struct attribute *x86_generic_attrs[] = {
	X86_GENERIC_ATTR("cpu-cycles", CPU_CYCLES),
	X86_GENERIC_ATTR("instructions", INSTRUCTIONS),
	X86_GENERIC_ATTR("cache-references", CACHE_REFERENCES),
	X86_GENERIC_ATTR("cache-misses", CACHE_MISSES),
	X86_GENERIC_ATTR("branch-instructions", BRANCH_INSTRUCTIONS),
	X86_GENERIC_ATTR("branch-misses", BRANCH_MISSES),
	X86_GENERIC_ATTR("bus-cycles", BUS_CYCLES),
	X86_GENERIC_ATTR("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	X86_GENERIC_ATTR("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	X86_GENERIC_ATTR("ref-cycles", REF_CPU_CYCLES),
	NULL
};

static umode_t x86_generic_visible(struct kobject *kobj, struct attribute *attr, int i)
{
	const struct x86_core *core = x86_device_core(kobj_to_dev(kobj));
	u64 config = core->generic[i];

	/* With x86_model::get_sel, a config has no event and unit mask. */
	if (core->model->get_sel)
		return 0;
	return config && config != X86_IMPOSSIBLE ? attr->mode : 0;
}

/**
 * x86_event_smt_show - print an event alias of X86_EVENT_SMT_ATTR()
 * @dev: the PMU device
 * @attr: attribute of a struct perf_pmu_events_ht_attr
 * @page: receives the text
 *
 * Return: length of the text.
 */
ssize_t x86_event_smt_show(struct device *dev, struct device_attribute *attr, char *page)
{
	struct perf_pmu_events_ht_attr *named =
		container_of(attr, struct perf_pmu_events_ht_attr, attr);

	return sysfs_emit(page, "%s\n", topology_max_smt_threads() > 1 ?
			  named->event_str_ht : named->event_str_noht);
}

/**
 * x86_format_show - print a field of X86_FORMAT_ATTR() or X86_FORMAT_IF()
 * @dev: the PMU device
 * @attr: attribute of a struct x86_format_attr
 * @page: receives the text
 *
 * Return: length of the text.
 */
ssize_t x86_format_show(struct device *dev, struct device_attribute *attr, char *page)
{
	struct x86_format_attr *format = container_of(attr, struct x86_format_attr, attr);

	return sysfs_emit(page, "%s\n", format->text);
}

/* Hide fields for bits that the CPU lacks, and for registers that the model lacks. */
static umode_t x86_format_visible(struct kobject *kobj, struct attribute *attr, int i)
{
	struct device_attribute *file = container_of(attr, struct device_attribute, attr);
	const struct x86_core *core = x86_device_core(kobj_to_dev(kobj));
	const struct x86_extra *extra = core->model->extra;
	struct x86_format_attr *format;

	if (file->show != x86_format_show)
		return attr->mode;
	format = container_of(file, struct x86_format_attr, attr);
	if (format->with & ~core->config_mask || format->without & core->config_mask)
		return 0;
	if (!format->msr)
		return attr->mode;
	for (; extra && extra->msr; extra++) {
		if (extra->msr == format->msr)
			return attr->mode;
	}
	return 0;
}

/* Groups of a core type; attributes that its model lacks are hidden */

static ssize_t pmu_name_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%s\n", x86_device_core(dev)->name);
}

static DEVICE_ATTR_RO(pmu_name);

static ssize_t max_precise_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%d\n", x86_max_precise(x86_device_core(dev)));
}

static DEVICE_ATTR_RO(max_precise);

static ssize_t branches_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%d\n", x86_device_core(dev)->branches.nr);
}

static DEVICE_ATTR_RO(branches);

static struct attribute *x86_caps_attrs[] = {
	&dev_attr_pmu_name.attr,
	&dev_attr_max_precise.attr,
	&dev_attr_branches.attr,
	NULL
};

static umode_t x86_caps_visible(struct kobject *kobj, struct attribute *attr, int i)
{
	const struct x86_core *core = x86_device_core(kobj_to_dev(kobj));

	return attr == &dev_attr_branches.attr && !core->branches.nr ? 0 : attr->mode;
}

/* CPUs of this type in a hybrid machine */
static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return cpumap_print_to_pagebuf(true, page, &x86_device_core(dev)->cpus);
}

static DEVICE_ATTR_RO(cpus);

static struct attribute *x86_control_attrs[] = {
	&dev_attr_rdpmc.attr,
	&dev_attr_cpus.attr,
	&dev_attr_freeze_on_smi.attr,
	&dev_attr_allow_tsx_force_abort.attr,
	NULL
};

static umode_t x86_control_visible(struct kobject *kobj, struct attribute *attr, int i)
{
	const struct x86_core *core = x86_device_core(kobj_to_dev(kobj));

	if (attr == &dev_attr_cpus.attr && !core->kind)
		return 0;
	if (attr == &dev_attr_freeze_on_smi.attr && !x86_can_freeze_on_smi(core))
		return 0;
	if (attr == &dev_attr_allow_tsx_force_abort.attr && !core->tfa_counters)
		return 0;
	return attr->mode;
}

/* Transactional memory may be disabled by microcode or on the command line. */
static umode_t x86_transactions_visible(struct kobject *kobj, struct attribute *attr, int i)
{
	return x86_device_core(kobj_to_dev(kobj))->config_mask & HSW_IN_TX ? attr->mode : 0;
}

/* Event aliases for branch units with X86_UNIT_DELAYS (AMD BRS) */
static umode_t x86_branch_events_visible(struct kobject *kobj, struct attribute *attr, int i)
{
	return x86_device_core(kobj_to_dev(kobj))->branches.flags & X86_UNIT_DELAYS ?
	       attr->mode : 0;
}

/* Memory events need PEBS. */
static umode_t x86_memory_visible(struct kobject *kobj, struct attribute *attr, int i)
{
	return x86_device_core(kobj_to_dev(kobj))->precise.levels ? attr->mode : 0;
}

/* Topdown events need the metrics, as reported by CPUID. */
static umode_t x86_topdown_visible(struct kobject *kobj, struct attribute *attr, int i)
{
	return x86_device_core(kobj_to_dev(kobj))->metrics ? attr->mode : 0;
}

static const struct attribute_group x86_generic_group = {
	.name		= "events",
	.attrs		= x86_generic_attrs,
	.is_visible	= x86_generic_visible,
};

static const struct attribute_group x86_caps_group = {
	.name		= "caps",
	.attrs		= x86_caps_attrs,
	.is_visible	= x86_caps_visible,
};

static const struct attribute_group x86_control_group = {
	.attrs		= x86_control_attrs,
	.is_visible	= x86_control_visible,
};

/**
 * struct x86_sysfs - attribute groups of a core type
 * @format: fields, from the model
 * @events: event aliases, from the model
 * @memory: event aliases for PEBS
 * @topdown: event aliases for Topdown metrics
 * @transactions: event aliases for transactional memory
 * @branches: event aliases for branch sampling
 * @groups: pmu::attr_groups
 * @update: pmu::attr_update: groups merged into others of the same name
 */
struct x86_sysfs {
	struct attribute_group		format;
	struct attribute_group		events;
	struct attribute_group		memory;
	struct attribute_group		topdown;
	struct attribute_group		transactions;
	struct attribute_group		branches;
	const struct attribute_group	*groups[5];
	const struct attribute_group	*update[6];
};

/**
 * x86_sysfs_init_groups - create the attribute groups of a core type
 * @core: the core type
 *
 * Context: boot, or the first CPU of a second core type.
 * Return: 0 on success, -ENOMEM.
 */
int x86_sysfs_init_groups(struct x86_core *core)
{
	struct x86_sysfs *sysfs = kzalloc(sizeof(*sysfs), GFP_KERNEL);
	int n = 0;

	if (!sysfs)
		return -ENOMEM;
	sysfs->format = (struct attribute_group){
		.name = "format", .attrs = core->model->format, .is_visible = x86_format_visible,
	};
	sysfs->events = (struct attribute_group){ .name = "events", .attrs = core->model->events };
	sysfs->topdown = (struct attribute_group){
		.name = "events", .attrs = core->model->topdown,
		.is_visible = x86_topdown_visible,
	};
	sysfs->memory = (struct attribute_group){
		.name = "events", .attrs = core->model->memory,
		.is_visible = x86_memory_visible,
	};
	sysfs->transactions = (struct attribute_group){
		.name = "events", .attrs = core->model->transactions,
		.is_visible = x86_transactions_visible,
	};
	sysfs->branches = (struct attribute_group){
		.name = "events", .attrs = core->model->branch_events,
		.is_visible = x86_branch_events_visible,
	};
	if (core->model->format)
		sysfs->groups[n++] = &sysfs->format;
	sysfs->groups[n++] = &x86_generic_group;
	sysfs->groups[n++] = &x86_caps_group;
	sysfs->groups[n++] = &x86_control_group;
	core->pmu.attr_groups = sysfs->groups;
	n = 0;
	if (core->model->events)
		sysfs->update[n++] = &sysfs->events;
	if (core->model->memory)
		sysfs->update[n++] = &sysfs->memory;
	if (core->model->topdown)
		sysfs->update[n++] = &sysfs->topdown;
	if (core->model->transactions)
		sysfs->update[n++] = &sysfs->transactions;
	if (core->model->branch_events)
		sysfs->update[n++] = &sysfs->branches;
	if (n)
		core->pmu.attr_update = sysfs->update;
	return 0;
}

/**
 * x86_sysfs_free_groups - free the attribute groups of a core type
 * @core: the core type, whose PMU is not registered
 *
 * Context: boot, or the first CPU of a second core type.
 */
void x86_sysfs_free_groups(struct x86_core *core)
{
	kfree(container_of(core->pmu.attr_groups, struct x86_sysfs, groups[0]));
}
