// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated trace unit: a driver with an AUX area, without hardware. The trace is a stream
 * of the bytes 0, 1, 2 ... 255, 0 ..., which continues for the lifetime of the event. A write
 * of "BYTES" or "ADDRESS BYTES" to the file "trace" of the PMU's directory in sysfs traces
 * that many bytes on the writer's CPU, if the event's address filters match the address.
 *
 * A second PMU, sim_packet, has events with samples in that trace (attr.aux_output). The
 * hardware's number of such an event is attr.config.
 *
 * Both use only interfaces for PMU drivers.
 */
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/wait.h>

#define SIM_TRACE_FILTERS	4
#define SIM_TRACE_MAX		BIT(24)

/**
 * struct sim_trace_area - an AUX area
 * @pages: virtual addresses, from the core
 * @size: in bytes, a power of two
 * @overwrite: new bytes overwrite old ones
 */
struct sim_trace_area {
	void		**pages;
	unsigned long	size;
	bool		overwrite;
};

/**
 * struct sim_trace_filter - a range of addresses
 * @first: first address
 * @last: last address
 * @action: action of the filter
 */
struct sim_trace_filter {
	unsigned long			first;
	unsigned long			last;
	enum perf_addr_filter_action_t	action;
};

/* attr.config: the driver reports the start of a trace itself, like Intel PT. */
#define SIM_TRACE_TELLS		0x1

/**
 * struct sim_trace_cpu - the trace unit of one CPU
 * @handle: handle of the AUX output, in use while @event is set
 * @event: event that traces
 * @area: its AUX area
 * @written: bytes since the AUX output began
 * @started: the last start or stop filter that matched was a start filter
 * @nr_filters: number of @filters
 * @filters: filters with the ranges of the running task
 *
 * Accessed only on its own CPU with interrupts off.
 */
struct sim_trace_cpu {
	struct perf_output_handle	handle;
	struct perf_event		*event;
	struct sim_trace_area		*area;
	unsigned long			written;
	bool				started;
	unsigned int			nr_filters;
	struct sim_trace_filter		filters[SIM_TRACE_FILTERS];
};

static DEFINE_PER_CPU(struct sim_trace_cpu, sim_trace_cpus);

/* The event's count is the position in the stream. */
static void sim_trace_put_bytes(struct sim_trace_cpu *cpu, unsigned long n)
{
	unsigned long at = cpu->handle.head + cpu->written;
	u64 stream = local64_read(&cpu->event->count);
	unsigned long i;

	for (i = 0; i < n; i++, at++) {
		unsigned long offset = at & (cpu->area->size - 1);
		u8 *page = cpu->area->pages[offset >> PAGE_SHIFT];

		page[offset_in_page(offset)] = stream + i;
	}
	local64_add(n, &cpu->event->count);
	cpu->written += n;
}

static void sim_trace_close_area(struct sim_trace_cpu *cpu)
{
	if (cpu->area->overwrite)
		cpu->handle.head += cpu->written;
	cpu->event->hw.state |= PERF_HES_STOPPED;
	cpu->event = NULL;
	perf_aux_output_end(&cpu->handle, cpu->written);
}

static bool sim_trace_open_area(struct sim_trace_cpu *cpu, struct perf_event *event)
{
	cpu->area = perf_aux_output_begin(&cpu->handle, event);
	cpu->written = 0;
	if (!cpu->area)
		return false;
	cpu->event = event;
	event->hw.state = 0;
	if (event->attr.config & SIM_TRACE_TELLS)
		perf_event_itrace_started(event);
	return true;
}

/* Number of bytes until the AUX output must end */
static unsigned long sim_trace_room(const struct sim_trace_cpu *cpu)
{
	const struct perf_output_handle *handle = &cpu->handle;
	unsigned long until = handle->wakeup - handle->head;

	if (cpu->area->overwrite)
		return cpu->area->size;
	if (until && until < handle->size)
		return until - cpu->written;
	return handle->size - cpu->written;
}

static void trace(struct sim_trace_cpu *cpu, unsigned long n)
{
	while (n && cpu->event) {
		struct perf_event *event = cpu->event;
		unsigned long step = min(n, sim_trace_room(cpu));

		sim_trace_put_bytes(cpu, step);
		n -= step;
		if (sim_trace_room(cpu))
			continue;
		if (n && cpu->handle.size == cpu->written)
			perf_aux_output_flag(&cpu->handle, PERF_AUX_FLAG_PARTIAL);
		sim_trace_close_area(cpu);
		sim_trace_open_area(cpu, event);
	}
}

static bool sim_trace_passes(struct sim_trace_cpu *cpu, unsigned long addr)
{
	bool ranges = false, inside = false, switched = false;
	int i;

	for (i = 0; i < cpu->nr_filters; i++) {
		const struct sim_trace_filter *filter = &cpu->filters[i];
		bool hit = addr >= filter->first && addr <= filter->last;

		if (filter->action == PERF_ADDR_FILTER_ACTION_FILTER) {
			ranges = true;
			inside |= hit;
			continue;
		}
		switched = true;
		if (hit)
			cpu->started = filter->action == PERF_ADDR_FILTER_ACTION_START;
	}
	return (!ranges || inside) && (!switched || cpu->started);
}

/* Callbacks of struct pmu */

static void sim_trace_start(struct perf_event *event, int flags)
{
	struct sim_trace_cpu *cpu = this_cpu_ptr(&sim_trace_cpus);

	/* The core sets event->hw.aux_paused, which trace_store() tests. */
	if (flags & PERF_EF_RESUME)
		return;
	perf_event_addr_filters_sync(event);
	if (!cpu->event && !sim_trace_open_area(cpu, event))
		event->hw.state |= PERF_HES_STOPPED;
}

static void sim_trace_stop(struct perf_event *event, int flags)
{
	struct sim_trace_cpu *cpu = this_cpu_ptr(&sim_trace_cpus);

	if (!(flags & PERF_EF_PAUSE) && cpu->event == event)
		sim_trace_close_area(cpu);
}

static int sim_trace_add(struct perf_event *event, int flags)
{
	struct sim_trace_cpu *cpu = this_cpu_ptr(&sim_trace_cpus);

	if (cpu->event)
		return -EBUSY;
	event->hw.state = PERF_HES_STOPPED;
	/* The trace unit of this CPU still has the filters of the last event: force a sync. */
	event->hw.addr_filters_gen = 0;
	cpu->nr_filters = 0;
	cpu->started = false;
	if (!(flags & PERF_EF_START))
		return 0;
	sim_trace_start(event, 0);
	return event->hw.state & PERF_HES_STOPPED ? -EINVAL : 0;
}

static void sim_trace_del(struct perf_event *event, int flags)
{
	sim_trace_stop(event, PERF_EF_UPDATE);
}

static void sim_trace_read(struct perf_event *event)
{
}

static int sim_trace_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->attr.config & ~SIM_TRACE_TELLS)
		return perf_event_refuse(event, "attr.config",
					 "has bits that no simulated trace has", -EINVAL);
	if (event->attr.config1)
		return perf_event_refuse(event, "attr.config1",
					 "must be zero for a simulated trace", -EINVAL);
	if (is_sampling_event(event))
		return perf_event_refuse(event, "attr.sample_period",
					 "must be zero: a trace has no samples", -EINVAL);
	return 0;
}

static void *sim_trace_setup_aux(struct perf_event *event, void **pages, int nr, bool overwrite)
{
	struct sim_trace_area *area = kzalloc(sizeof(*area), GFP_KERNEL);

	if (!area)
		return NULL;
	area->pages = pages;
	area->size = (unsigned long)nr << PAGE_SHIFT;
	area->overwrite = overwrite;
	return area;
}

static void sim_trace_free_aux(void *area)
{
	kfree(area);
}

static long sim_trace_snapshot_aux(struct perf_event *event, struct perf_output_handle *handle,
				   unsigned long size)
{
	struct sim_trace_cpu *cpu = this_cpu_ptr(&sim_trace_cpus);
	unsigned long to = cpu->handle.head + cpu->written;

	if (cpu->event != event)
		return 0;
	size = min_t(u64, size, local64_read(&event->count));
	return size ? perf_output_copy_aux(&cpu->handle, handle, to - size, to) : 0;
}

/* Longest delay of filter validation, in milliseconds; 0 ends the delays */
static unsigned int sim_trace_slow;
static DECLARE_WAIT_QUEUE_HEAD(sim_trace_slow_waitq);

static int sim_trace_filters_validate(struct list_head *filters)
{
	struct perf_addr_filter *filter;
	int n = 0;

	wait_event_timeout(sim_trace_slow_waitq, !READ_ONCE(sim_trace_slow),
			   msecs_to_jiffies(READ_ONCE(sim_trace_slow)));
	list_for_each_entry(filter, filters, entry) {
		if (++n > SIM_TRACE_FILTERS)
			return -EOPNOTSUPP;
	}
	return 0;
}

static void sim_trace_filters_sync(struct perf_event *event)
{
	struct sim_trace_cpu *cpu = this_cpu_ptr(&sim_trace_cpus);
	struct perf_addr_filter_range *range = event->addr_filter_ranges;
	struct perf_addr_filter *filter;

	cpu->nr_filters = 0;
	list_for_each_entry(filter, &perf_event_addr_filters(event)->list, entry) {
		struct sim_trace_filter *mine = &cpu->filters[cpu->nr_filters++];

		/* If the filter's file is not mapped, the range is empty. */
		mine->first = range->start ?: 1;
		mine->last = range->start ? range->start + max(range->size, 1UL) - 1 : 0;
		mine->action = filter->action;
		range++;
	}
}

/* sysfs */

/* "BYTES" or "ADDRESS BYTES": trace on the writer's CPU. */
static ssize_t trace_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t len)
{
	struct sim_trace_cpu *cpu;
	unsigned long addr = 0;
	unsigned int n;

	if (sscanf(buf, "%lx %u", &addr, &n) != 2) {
		addr = 0;
		if (kstrtouint(buf, 0, &n))
			return -EINVAL;
	}
	if (n > SIM_TRACE_MAX)
		return -EINVAL;

	guard(irqsave)();
	cpu = this_cpu_ptr(&sim_trace_cpus);
	if (cpu->event && !READ_ONCE(cpu->event->hw.aux_paused) && sim_trace_passes(cpu, addr))
		trace(cpu, n);
	return len;
}

static DEVICE_ATTR_WO(trace);

/* "N": report N lost samples for the event on the writer's CPU. */
static ssize_t lose_store(struct device *dev, struct device_attribute *attr,
			  const char *buf, size_t len)
{
	struct perf_event *event;
	unsigned int n;

	if (kstrtouint(buf, 0, &n))
		return -EINVAL;

	guard(irqsave)();
	event = this_cpu_ptr(&sim_trace_cpus)->event;
	if (event)
		perf_log_lost_samples(event, n);
	return len;
}

static DEVICE_ATTR_WO(lose);

/*
 * "N": the validation of filters takes N milliseconds, with ctx->mutex held, or until "0" is
 * written.
 */
static ssize_t slow_store(struct device *dev, struct device_attribute *attr,
			  const char *buf, size_t len)
{
	unsigned int n;

	if (kstrtouint(buf, 0, &n) || n > 60 * MSEC_PER_SEC)
		return -EINVAL;
	WRITE_ONCE(sim_trace_slow, n);
	if (!n)
		wake_up(&sim_trace_slow_waitq);
	return len;
}

static DEVICE_ATTR_WO(slow);

static struct attribute *sim_trace_control_attrs[] = {
	&dev_attr_trace.attr,
	&dev_attr_lose.attr,
	&dev_attr_slow.attr,
	NULL
};

static const struct attribute_group sim_trace_control_group = {
	.attrs	= sim_trace_control_attrs,
};

static const struct attribute_group *sim_trace_attr_groups[] = {
	&sim_trace_control_group,
	NULL
};

static struct pmu sim_trace_pmu = {
	.module			= THIS_MODULE,
	.task_ctx_nr		= perf_sw_context,
	.capabilities		= PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE |
				  PERF_PMU_CAP_AUX_PAUSE | PERF_PMU_CAP_NO_NMI,
	.attr_groups		= sim_trace_attr_groups,
	.nr_addr_filters	= SIM_TRACE_FILTERS,
	.event_init		= sim_trace_init,
	.add			= sim_trace_add,
	.del			= sim_trace_del,
	.start			= sim_trace_start,
	.stop			= sim_trace_stop,
	.read			= sim_trace_read,
	.setup_aux		= sim_trace_setup_aux,
	.free_aux		= sim_trace_free_aux,
	.snapshot_aux		= sim_trace_snapshot_aux,
	.addr_filters_validate	= sim_trace_filters_validate,
	.addr_filters_sync	= sim_trace_filters_sync,
};

/* Events with samples in the trace */

static int sim_packet_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->attr.config1)
		return perf_event_refuse(event, "attr.config1",
					 "must be zero for simulated packets", -EINVAL);
	return 0;
}

static void sim_packet_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
}

static void sim_packet_stop(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int sim_packet_add(struct perf_event *event, int flags)
{
	sim_packet_stop(event, 0);
	if (event->attr.aux_output)
		perf_report_aux_output_id(event, event->attr.config);
	if (flags & PERF_EF_START)
		sim_packet_start(event, 0);
	return 0;
}

static int sim_packet_match(struct perf_event *leader)
{
	return leader->pmu == &sim_trace_pmu;
}

static struct pmu sim_packet_pmu = {
	.module			= THIS_MODULE,
	.task_ctx_nr		= perf_sw_context,
	.capabilities		= PERF_PMU_CAP_AUX_OUTPUT | PERF_PMU_CAP_NO_NMI,
	.event_init		= sim_packet_init,
	.add			= sim_packet_add,
	.del			= sim_packet_stop,
	.start			= sim_packet_start,
	.stop			= sim_packet_stop,
	.read			= sim_trace_read,
	.aux_output_match	= sim_packet_match,
};

static int __init sim_trace_register(void)
{
	int err = perf_pmu_register(&sim_trace_pmu, "sim_trace", -1);

	if (err)
		return err;
	err = perf_pmu_register(&sim_packet_pmu, "sim_packet", -1);
	if (err)
		perf_pmu_unregister(&sim_trace_pmu);
	return err;
}
device_initcall(sim_trace_register);

MODULE_DESCRIPTION("Simulated trace unit");
MODULE_LICENSE("GPL");
