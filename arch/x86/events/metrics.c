// SPDX-License-Identifier: GPL-2.0
/*
 * Topdown metrics: the share of issue slots that were retired, lost to bad speculation, and so on.
 *
 * The CPU reports all of them in one register, PERF_METRICS, with a byte for each, in 1/255 of the
 * slots counted since PERF_METRICS and the slots counter were 0. So a metric has no counter of its
 * own: its events are attached to the struct x86_count of slots (X86_METRICS), and
 * x86_pmu_cpu::metric_total has the total of each metric. To limit the rounding error of a byte,
 * counter and register are reset whenever the total of a metric is read.
 *
 * The totals belong to this CPU, and change only while x86_count::seq of slots is odd.
 */
#include <linux/jiffies.h>
#include <asm/msr.h>

#include "engine.h"

/* Metrics and slots are event 0; metrics have unit masks from this one on. */
#define X86_METRIC_FIRST	0x80
#define X86_SLOTS		X86_EVENT(0x00, 0x04)

/* Index of PERF_METRICS for RDPMC, and the value of a byte for a share of 100 % */
#define X86_METRICS_RDPMC	0x20000000
#define X86_METRICS_WHOLE	255

/* The index of the metric that a config selects; -1: none. */
static int x86_config_metric(const struct x86_core *core, u64 config)
{
	unsigned int umask = (config & ARCH_PERFMON_EVENTSEL_UMASK) >> 8;

	if (config & ARCH_PERFMON_EVENTSEL_EVENT || umask < X86_METRIC_FIRST ||
	    umask >= X86_METRIC_FIRST + core->metrics)
		return -1;
	return umask - X86_METRIC_FIRST;
}

/**
 * x86_event_metric - the metric that an event counts
 * @event: an event of this driver
 *
 * Context: any.
 * Return: index of the metric, -1 if the event uses a counter.
 */
int x86_event_metric(const struct perf_event *event)
{
	return x86_config_metric(to_x86_core(event->pmu), event->hw.config);
}

static bool x86_config_is_slots(u64 config)
{
	return (config & (INTEL_ARCH_EVENT_MASK | X86_MATCH_MORE)) == X86_SLOTS;
}

/**
 * x86_metrics_check - check a new event for Topdown metrics
 * @event: the event, with hw.config set
 *
 * Return: 0 on success, or if it is another event; -EINVAL otherwise.
 */
int x86_metrics_check(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;
	bool metric = x86_event_metric(event) >= 0;

	if (!to_x86_core(event->pmu)->metrics ||
	    (!metric && !x86_config_is_slots(event->hw.config)))
		return 0;
	if (event->attr.config1 || event->attr.config2)
		return perf_event_refuse(event, "attr.config1",
					 "and attr.config2 must be 0 for slots", -EINVAL);
	/* Bits that config_mask has removed from hw.config are refused, too. */
	if ((event->attr.config & X86_ALL_EVENT_FLAGS) || (event->hw.config & X86_MATCH_MORE))
		return perf_event_refuse(event, "attr.config",
					 "has a filter, which slots and Topdown metrics cannot have",
					 -EINVAL);
	if (!metric)
		return 0;
	if (is_sampling_event(event))
		return perf_event_refuse(event, "attr.sample_period",
					 "must be 0: Topdown metrics cannot sample",
					 -EINVAL);
	if (leader == event || leader->pmu != event->pmu ||
	    !x86_config_is_slots(leader->hw.config))
		return perf_event_refuse(event, "group_fd",
					 "must refer to a group whose leader is slots", -EINVAL);
	return 0;
}

/**
 * x86_metrics_get_sel - make an event of a metric use the event select of slots
 * @event: an event of a PMU with metrics
 * @sel: the select, with the event's config
 */
void x86_metrics_get_sel(const struct perf_event *event, struct x86_event_sel *sel)
{
	const struct x86_core *core = to_x86_core(event->pmu);

	if (x86_config_metric(core, sel->config) >= 0)
		sel->config = (sel->config & ~INTEL_ARCH_EVENT_MASK) | X86_SLOTS;
	if (x86_config_is_slots(sel->config) && !is_sampling_event(event))
		sel->flags |= X86_METRICS;
}

/**
 * x86_metrics_counter - find the counter of slots
 * @core: the PMU, with metrics
 *
 * Return: mask of the counter.
 */
u64 x86_metrics_counter(const struct x86_core *core)
{
	const struct x86_limit *limit = x86_find_limit(x86_core_limits(core), X86_SLOTS);

	return limit ? limit->counters : 0;
}

/*
 * The slots counter counts for more than 20 minutes from 0 to its maximum. An overflow within a
 * second of a reset happened before the reset: its interrupt was late.
 */
static bool x86_metrics_can_wrap(const struct x86_count *count)
{
	return jiffies - READ_ONCE(count->restarted) > HZ;
}

/* The counter is just above 0: has it wrapped, with an interrupt that is pending? */
static bool x86_metrics_wraps_now(const struct x86_core *core, const struct x86_count *count,
				  u64 value)
{
	u64 status;

	if (value >= X86_REPROGRAM_INCREMENT_MAX || !x86_metrics_can_wrap(count))
		return false;
	rdmsrl(core->msrs->status, status);
	return status & BIT_ULL(count->counter);
}

/**
 * x86_metrics_value - the value of the slots counter, relative to its overflow
 * @core: the PMU of this CPU
 * @count: has X86_METRICS and a counter
 * @value: the value of the counter
 *
 * The counter starts at 0, and overflows when it is 0 again.
 *
 * Context: any.
 * Return: the value, negative up to the overflow.
 */
u64 x86_metrics_value(const struct x86_core *core, const struct x86_count *count, u64 value)
{
	u64 span = x86_metrics_span(core);

	value &= span - 1;
	/* An interrupt that has acknowledged the status meanwhile has set x86_count::wrapped. */
	if (value < span / 2 &&
	    (x86_metrics_wraps_now(core, count, value) || READ_ONCE(count->wrapped)))
		return value;
	return value - span;
}

/**
 * x86_metrics_overflow - note that the slots counter has overflowed
 * @count: has X86_METRICS, and is the owner of the slots counter, which may be being programmed
 *
 * Context: overflow interrupt.
 */
void x86_metrics_overflow(struct x86_count *count)
{
	if (x86_metrics_can_wrap(count))
		WRITE_ONCE(count->wrapped, true);
}

/**
 * x86_metrics_restart - clear the metrics just after the slots counter was set to 0
 * @count: has X86_METRICS; its seq is odd, or it is not the owner of the counter
 */
void x86_metrics_restart(struct x86_count *count)
{
	x86_write_metrics();
	/* From here on the overflow interrupt does not set x86_count::wrapped. */
	WRITE_ONCE(count->restarted, jiffies);
	barrier();
	WRITE_ONCE(count->wrapped, false);
}

/**
 * x86_metrics_read - read the metrics
 *
 * Return: the value of PERF_METRICS.
 */
u64 x86_metrics_read(void)
{
	u64 value;

	rdpmcl(X86_METRICS_RDPMC, value);
	return value;
}

static u64 x86_metric_part(u64 slots, u64 metrics, int metric)
{
	return mul_u64_u32_div(slots, metrics >> (8 * metric) & 0xff, X86_METRICS_WHOLE);
}

/**
 * x86_metrics_update - update the totals of the metrics when the slots counter is reset
 * @cpu: this CPU
 * @slots: number of slots since the counter was 0
 * @metrics: value of PERF_METRICS before the reset
 */
void x86_metrics_update(struct x86_pmu_cpu *cpu, u64 slots, u64 metrics)
{
	int i;

	for (i = 0; i < cpu->core->metrics; i++)
		WRITE_ONCE(cpu->metric_total[i],
			   cpu->metric_total[i] + x86_metric_part(slots, metrics, i));
}

/* Context: any. An NMI reads without resetting. */
static u64 x86_metric_total(struct x86_pmu_cpu *cpu, const struct x86_count *count, int metric)
{
	unsigned int seq;
	u64 total;

	do {
		seq = READ_ONCE(count->seq);
		barrier();
		total = READ_ONCE(cpu->metric_total[metric]);
		if (READ_ONCE(count->counter) < 0 || (seq & 1))
			return total;
		total += x86_metric_part(x86_count_value(cpu->core, count) +
					 x86_metrics_span(cpu->core), x86_metrics_read(), metric);
		barrier();
	} while (seq != READ_ONCE(count->seq));
	return total;
}

/**
 * x86_metrics_event_total - read the total for an event that shares the slots counter
 * @cpu: this CPU
 * @event: an event of @count
 * @count: one of x86_pmu_cpu::counts, with X86_METRICS
 *
 * Context: any.
 * Return: the total of the metric, or of slots.
 */
u64 x86_metrics_event_total(struct x86_pmu_cpu *cpu, const struct perf_event *event,
			    struct x86_count *count)
{
	int metric = x86_event_metric(event);

	if (metric < 0)
		return x86_count_read(cpu, count);
	if (in_nmi() || count->counter < 0)
		return x86_metric_total(cpu, count, metric);
	if (!(cpu->disabled || cpu->txn) || cpu->metrics_gen != cpu->gen) {
		x86_count_set_period(cpu, count);
		cpu->metrics_gen = cpu->gen;
		x86_count_update_pages(count);
	}
	return READ_ONCE(cpu->metric_total[metric]);
}
