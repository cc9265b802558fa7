// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated PMU with the properties of hardware: a few counters of limited width, some of
 * them fixed, constraints, and an interrupt when a counter overflows. Events count time at
 * fixed rates (so that cycles and instructions look like those of a simple 1 GHz processor),
 * or explicit steps: from a unit test by sim_pmu_advance(), from a program by a write to the
 * file "advance" of the PMU's directory in sysfs.
 *
 * With sim_pmu.hardware=1 the PMU supports PERF_TYPE_HARDWARE in a virtual machine without a PMU,
 * for "perf stat -e cycles,instructions" and "perf record -e cycles". The PMU refuses events that
 * exclude a mode, because it cannot distinguish user and kernel mode. The driver uses only
 * interfaces for PMU drivers.
 */
#include <linux/bitops.h>
#include <linux/module.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <asm/irq_regs.h>

#include "sim_pmu.h"

/* More frequent interrupts would leave no time for anything else. */
#define SIM_MIN_TIMER_NS	10000

/* Maximum number of steps of one write to "advance" */
#define SIM_MAX_STEPS		BIT(24)

static struct sim_pmu_shape sim_default_shape = {
	.nr_general	= 4,
	.nr_fixed	= 1,
	.width		= 48,
};

static bool sim_hardware;
module_param_named(hardware, sim_hardware, bool, 0444);
MODULE_PARM_DESC(hardware, "serve PERF_TYPE_HARDWARE");
module_param_named(counters, sim_default_shape.nr_general, uint, 0444);
MODULE_PARM_DESC(counters, "general counters, 1 to 8");
module_param_named(fixed, sim_default_shape.nr_fixed, uint, 0444);
MODULE_PARM_DESC(fixed, "fixed counters, 0 to 8: the first for event 0, and so on");
module_param_named(width, sim_default_shape.width, uint, 0444);
MODULE_PARM_DESC(width, "bits of a counter, 16 to 64");
module_param_named(latency, sim_default_shape.latency_ns, uint, 0444);
MODULE_PARM_DESC(latency, "nanoseconds from an overflow to its interrupt");
module_param_array_named(constraints, sim_default_shape.constraints, uint, NULL, 0444);
MODULE_PARM_DESC(constraints, "masks of the general counters for event 0, 1, ...; 0 for all");

/**
 * struct sim_rate - rate of an event that follows the clock
 * @num: counts per period
 * @shift: log2 of the period in nanoseconds
 */
struct sim_rate {
	unsigned int	num;
	unsigned int	shift;
};

/* Rates of the events below SIM_EVENT_STEP */
static const struct sim_rate sim_rates[SIM_EVENT_STEP] = {
	{ 1, 0 },	/* cycles */
	{ 3, 1 },	/* instructions */
	{ 1, 0 },	/* reference cycles */
	{ 1, 2 },	/* branches */
	{ 1, 7 },	/* branch misses */
	{ 1, 4 },	/* cache references */
	{ 1, 8 },	/* cache misses */
	{ 1, 3 },	/* bus cycles */
};

static const u8 sim_hardware_events[] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= 0,
	[PERF_COUNT_HW_INSTRUCTIONS]		= 1,
	[PERF_COUNT_HW_REF_CPU_CYCLES]		= 2,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= 3,
	[PERF_COUNT_HW_BRANCH_MISSES]		= 4,
	[PERF_COUNT_HW_CACHE_REFERENCES]	= 5,
	[PERF_COUNT_HW_CACHE_MISSES]		= 6,
	[PERF_COUNT_HW_BUS_CYCLES]		= 7,
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= SIM_MAX_EVENTS,
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND]	= SIM_MAX_EVENTS,
};

static struct sim_cpu *sim_this_cpu(const struct pmu *pmu)
{
	lockdep_assert_irqs_disabled();
	return this_cpu_ptr(to_sim(pmu)->cpus);
}

static unsigned int sim_nr_counters(const struct sim_pmu *sim)
{
	return sim->shape.nr_general + sim->shape.nr_fixed;
}

static u64 sim_value_mask(const struct sim_pmu *sim)
{
	return GENMASK_ULL(sim->shape.width - 1, 0);
}

static unsigned int sim_event_number(const struct perf_event *event)
{
	return event->hw.config_base;
}

static bool sim_follows_clock(const struct perf_event *event)
{
	return sim_event_number(event) < SIM_EVENT_STEP;
}

static u64 sim_ticks_at(const struct perf_event *event, u64 now)
{
	const struct sim_rate *rate = &sim_rates[sim_event_number(event)];

	return (now * rate->num) >> rate->shift;
}

/* Counters */

static void sim_count(struct sim_cpu *cpu, int i, u64 n)
{
	struct sim_counter *counter = &cpu->counters[i];
	u64 mask = sim_value_mask(cpu->sim);

	if (n > mask - counter->value)
		__set_bit(i, &cpu->overflowed);
	counter->value = (counter->value + n) & mask;
}

/* Update a counter that follows the clock to @now. */
static void sim_update_counter(struct sim_cpu *cpu, int i, u64 now)
{
	struct sim_counter *counter = &cpu->counters[i];

	if (!counter->event || !counter->runs || !cpu->enabled ||
	    !sim_follows_clock(counter->event))
		return;
	sim_count(cpu, i,
		  sim_ticks_at(counter->event, now) - sim_ticks_at(counter->event, counter->since));
	counter->since = now;
}

static void sim_settle_all(struct sim_cpu *cpu)
{
	u64 now = local_clock();
	int i;

	for (i = 0; i < sim_nr_counters(cpu->sim); i++)
		sim_update_counter(cpu, i, now);
}

/* Time until the next overflow of a counter */
static u64 sim_next_overflow_ns(struct sim_cpu *cpu)
{
	u64 mask = sim_value_mask(cpu->sim), next = U64_MAX;
	int i;

	for (i = 0; i < sim_nr_counters(cpu->sim); i++) {
		struct sim_counter *counter = &cpu->counters[i];
		const struct sim_rate *rate;
		u64 room = mask - counter->value;

		if (!counter->event || !counter->runs || !sim_follows_clock(counter->event))
			continue;
		rate = &sim_rates[sim_event_number(counter->event)];
		if (room > U64_MAX >> (rate->shift + 1))
			continue;
		next = min(next, div_u64((room + 1) << rate->shift, rate->num));
	}
	return next;
}

/* Set the timer. If it expires too early, the interrupt finds no overflow and sets it again. */
static void sim_arm(struct sim_cpu *cpu)
{
	u64 next = cpu->overflowed ? 0 : sim_next_overflow_ns(cpu);
	u64 now = local_clock();

	if (next > KTIME_MAX / 2)
		return;
	next = max_t(u64, next + cpu->sim->shape.latency_ns, SIM_MIN_TIMER_NS);
	if (hrtimer_is_queued(&cpu->timer) && cpu->due <= now + next)
		return;
	cpu->due = now + next;
	hrtimer_start(&cpu->timer, ns_to_ktime(next), HRTIMER_MODE_REL_PINNED_HARD);
}

/* A counter has overflowed: raise the interrupt. */
static void sim_raise_interrupt(struct sim_cpu *cpu)
{
	if (cpu->sim->shape.latency_ns)
		sim_arm(cpu);
	else
		irq_work_queue(&cpu->irq_work);
}

/* Add the counter's change since the last read to the event's count. */
static void sim_account(struct sim_cpu *cpu, struct perf_event *event,
			const struct sim_counter *from)
{
	struct hw_perf_event *hw = &event->hw;
	u64 now, n;
	s64 before;

	/* A nested read adds a part of the change. The outer read then adds the rest. */
	do {
		before = local64_read(&hw->prev_count);
		now = READ_ONCE(from->value);
	} while (!local64_try_cmpxchg(&hw->prev_count, &before, now));
	n = (now - before) & sim_value_mask(cpu->sim);
	local64_add(n, &event->count);
	local64_sub(n, &hw->period_left);
}

static void sim_update(struct sim_cpu *cpu, struct perf_event *event)
{
	sim_account(cpu, event, &cpu->counters[event->hw.idx]);
}

/*
 * Set the counter so that it overflows at the end of the period. If the period exceeds the
 * counter's width, several overflows are needed.
 */
static void sim_reload(struct sim_cpu *cpu, struct perf_event *event)
{
	struct sim_counter *counter = &cpu->counters[event->hw.idx];
	u64 mask = sim_value_mask(cpu->sim);
	s64 period = event->hw.sample_period;
	s64 left = local64_read(&event->hw.period_left);

	if (left <= 0) {
		/* Skip periods that were missed. */
		left = left + period > 0 ? left + period : period;
		local64_set(&event->hw.period_left, left);
		event->hw.last_period = period;
	}
	counter->value = -min_t(u64, left, mask >> 1) & mask;
	local64_set(&event->hw.prev_count, counter->value);
	perf_event_update_userpage(event);
}

static void sim_halt_counter(struct sim_cpu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;

	if (hw->idx < 0 || hw->state & PERF_HES_STOPPED)
		return;
	sim_update_counter(cpu, hw->idx, local_clock());
	cpu->counters[hw->idx].runs = false;
	hw->state |= PERF_HES_STOPPED;
}

/* The interrupt */

static void sim_handle_overflow(struct sim_cpu *cpu, int i, struct pt_regs *regs)
{
	struct perf_event *event = cpu->counters[i].event;
	struct perf_sample_data data;

	if (!event || !cpu->counters[i].runs)
		return;
	sim_update(cpu, event);
	if (local64_read(&event->hw.period_left) > 0) {
		sim_reload(cpu, event);
		return;
	}
	sim_reload(cpu, event);
	if (!is_sampling_event(event))
		return;
	perf_sample_data_init(&data, 0, event->hw.last_period);
	if (!perf_event_overflow(event, &data, regs) || cpu->sim->ignores_stop)
		return;
	sim_halt_counter(cpu, event);
	if (cpu->sim->halts_unmarked)
		event->hw.state &= ~PERF_HES_STOPPED;
}

static void sim_interrupt(struct sim_cpu *cpu)
{
	struct pt_regs *regs = get_irq_regs(), here;
	bool enabled = cpu->enabled;
	unsigned long overflowed;
	int i;

	if (!regs) {
		perf_fetch_caller_regs(&here);
		regs = &here;
	}
	/* The PMU is disabled in the handler. */
	sim_settle_all(cpu);
	cpu->enabled = false;
	overflowed = cpu->overflowed;
	for_each_set_bit(i, &overflowed, SIM_MAX_COUNTERS)
		sim_handle_overflow(cpu, i, regs);
	cpu->overflowed = 0;
	cpu->enabled = enabled;
	for (i = 0; i < sim_nr_counters(cpu->sim); i++)
		cpu->counters[i].since = local_clock();
	if (enabled)
		sim_arm(cpu);
}

static enum hrtimer_restart sim_timer_interrupt(struct hrtimer *timer)
{
	struct sim_cpu *cpu = container_of(timer, struct sim_cpu, timer);

	/* Only CPU hotplug moves the timer to another CPU; the offline CPU's counters are lost. */
	if (!WARN_ON_ONCE(cpu != this_cpu_ptr(cpu->sim->cpus)))
		sim_interrupt(cpu);
	return HRTIMER_NORESTART;
}

static void sim_work_interrupt(struct irq_work *work)
{
	sim_interrupt(container_of(work, struct sim_cpu, irq_work));
}

/* Assignment of events to counters */

static unsigned long sim_allowed(const struct sim_pmu *sim, const struct perf_event *event)
{
	unsigned int number = sim_event_number(event);
	unsigned long mask = event->hw.config ?: ~0UL;

	if (sim->shape.constraints[number])
		mask &= sim->shape.constraints[number];
	mask &= GENMASK(sim->shape.nr_general - 1, 0);
	if (number < sim->shape.nr_fixed)
		mask |= BIT(sim->shape.nr_general + number);
	return mask;
}

/*
 * Find a counter for an event. If the counter has another event, move the other event, and so on.
 * @seen is the mask of counters that were tried. Fixed counters are tried first.
 */
static int sim_place(const struct sim_pmu *sim, struct perf_event **owners,
		     struct perf_event *event, unsigned long *seen)
{
	unsigned long mask = sim_allowed(sim, event);
	int i;

	for (i = sim_nr_counters(sim) - 1; i >= 0; i--) {
		if (!(mask & BIT(i)) || (*seen & BIT(i)))
			continue;
		*seen |= BIT(i);
		if (!owners[i] || sim_place(sim, owners, owners[i], seen) >= 0) {
			owners[i] = event;
			return i;
		}
	}
	return -1;
}

/* Move the values with the events to their new counters. */
static void sim_distribute(struct sim_cpu *cpu, struct perf_event **owners)
{
	struct sim_counter old[SIM_MAX_COUNTERS];
	unsigned long overflowed = cpu->overflowed;
	int i;

	memcpy(old, cpu->counters, sizeof(old));
	cpu->overflowed = 0;
	for (i = 0; i < sim_nr_counters(cpu->sim); i++) {
		struct perf_event *event = owners[i];
		struct sim_counter *counter = &cpu->counters[i];

		*counter = (struct sim_counter){ .event = event };
		if (!event)
			continue;
		if (event->hw.idx >= 0) {
			*counter = old[event->hw.idx];
			if (overflowed & BIT(event->hw.idx))
				__set_bit(i, &cpu->overflowed);
		}
	}
	for (i = 0; i < sim_nr_counters(cpu->sim); i++) {
		if (owners[i])
			owners[i]->hw.idx = i;
	}
}

/**
 * sim_pmu_shuffle - move each event on a general counter to the next general counter
 * @sim: the PMU, disabled on this CPU
 *
 * Some drivers do this in pmu::pmu_enable, when they find a better assignment. Running events are
 * read and reprogrammed. Stopped events stay stopped, on a counter with another value. No event
 * moves while an interrupt is pending, or if a constraint forbids the move of any event. Interrupts
 * are off.
 */
void sim_pmu_shuffle(struct sim_pmu *sim)
{
	struct sim_cpu *cpu = sim_this_cpu(&sim->pmu);
	struct sim_counter old[SIM_MAX_COUNTERS];
	int i, n = sim->shape.nr_general;

	for (i = 0; i < n; i++) {
		old[i] = cpu->counters[i];
		if (cpu->overflowed ||
		    (old[i].event && !(sim_allowed(sim, old[i].event) & BIT((i + 1) % n))))
			return;
	}
	for (i = 0; i < n; i++) {
		struct perf_event *event = old[i].event;
		struct sim_counter *next = &cpu->counters[(i + 1) % n];

		next->event = event;
		next->runs = old[i].runs;
		/* No event owns this value: a test fails if an event counts it. */
		if (!event) {
			cpu->counters[i].value = 0x5a5a5a5a & sim_value_mask(sim);
			continue;
		}
		if (!(event->hw.state & PERF_HES_UPTODATE))
			sim_account(cpu, event, &old[i]);
		event->hw.idx = (i + 1) % n;
		if (!old[i].runs)
			event->hw.state |= PERF_HES_UPTODATE;
	}
	for (i = 0; i < n; i++) {
		if (cpu->counters[i].event && cpu->counters[i].runs)
			sim_reload(cpu, cpu->counters[i].event);
	}
}

/**
 * sim_pmu_busy - get the number of counters in use on this CPU
 * @sim: the PMU
 *
 * Context: preemption is off.
 * Return: number of counters
 */
unsigned int sim_pmu_busy(const struct sim_pmu *sim)
{
	const struct sim_cpu *cpu = this_cpu_ptr(sim->cpus);
	unsigned int busy = 0;
	int i;

	for (i = 0; i < sim_nr_counters(sim); i++)
		busy += !!READ_ONCE(cpu->counters[i].event);
	return busy;
}

static int sim_give_counters(struct sim_cpu *cpu, struct perf_event **events, int n)
{
	struct perf_event *owners[SIM_MAX_COUNTERS] = { };
	int i;

	for (i = 0; i < sim_nr_counters(cpu->sim); i++)
		owners[i] = cpu->counters[i].event;
	for (i = 0; i < n; i++) {
		unsigned long seen = 0;

		if (sim_place(cpu->sim, owners, events[i], &seen) < 0)
			return -EAGAIN;
	}
	sim_distribute(cpu, owners);
	return 0;
}

/* Check that the whole group fits on an empty PMU. */
static int sim_check_group(const struct sim_pmu *sim, struct perf_event *event)
{
	struct perf_event *owners[SIM_MAX_COUNTERS] = { };
	struct perf_event *leader = event->group_leader, *member;
	unsigned long seen = 0;

	if (sim_place(sim, owners, event, &seen) < 0)
		return -EINVAL;
	if (leader == event)
		return 0;
	seen = 0;
	if (leader->pmu == &sim->pmu && sim_place(sim, owners, leader, &seen) < 0)
		return -EINVAL;
	for_each_sibling_event(member, leader) {
		seen = 0;
		if (member->pmu == &sim->pmu && sim_place(sim, owners, member, &seen) < 0)
			return -EINVAL;
	}
	return 0;
}

/* Callbacks of struct pmu */

static void sim_pmu_disable(struct pmu *pmu)
{
	struct sim_cpu *cpu = sim_this_cpu(pmu);

	sim_settle_all(cpu);
	cpu->enabled = false;
}

static void sim_pmu_enable(struct pmu *pmu)
{
	struct sim_cpu *cpu = sim_this_cpu(pmu);
	u64 now = local_clock();
	int i;

	for (i = 0; i < sim_nr_counters(cpu->sim); i++)
		cpu->counters[i].since = now;
	cpu->enabled = true;
	sim_arm(cpu);
}

static void sim_start(struct perf_event *event, int flags)
{
	struct sim_cpu *cpu = sim_this_cpu(event->pmu);
	struct sim_counter *counter = &cpu->counters[event->hw.idx];

	if (WARN_ON_ONCE(event->hw.idx < 0 || counter->event != event))
		return;
	if (flags & PERF_EF_RELOAD)
		sim_reload(cpu, event);
	event->hw.state = 0;
	counter->since = local_clock();
	counter->runs = true;
	if (cpu->enabled)
		sim_arm(cpu);
}

static void sim_stop(struct perf_event *event, int flags)
{
	struct sim_cpu *cpu = sim_this_cpu(event->pmu);

	sim_halt_counter(cpu, event);
	if ((flags & PERF_EF_UPDATE) && !(event->hw.state & PERF_HES_UPTODATE)) {
		sim_update(cpu, event);
		event->hw.state |= PERF_HES_UPTODATE;
	}
}

static int sim_add(struct perf_event *event, int flags)
{
	struct sim_cpu *cpu = sim_this_cpu(event->pmu);

	event->hw.idx = -1;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (cpu->in_txn & PERF_PMU_TXN_ADD) {
		if (cpu->nr_waiting == sim_nr_counters(cpu->sim))
			return -EAGAIN;
		event->hw.last_tag = flags;
		cpu->waiting[cpu->nr_waiting++] = event;
		return 0;
	}
	if (sim_give_counters(cpu, &event, 1))
		return -EAGAIN;
	sim_reload(cpu, event);
	if (flags & PERF_EF_START)
		sim_start(event, 0);
	return 0;
}

static void sim_del(struct perf_event *event, int flags)
{
	struct sim_cpu *cpu = sim_this_cpu(event->pmu);
	int i;

	if (event->hw.idx >= 0) {
		sim_stop(event, PERF_EF_UPDATE);
		__clear_bit(event->hw.idx, &cpu->overflowed);
		cpu->counters[event->hw.idx].event = NULL;
		event->hw.idx = -1;
		perf_event_update_userpage(event);
		if (!sim_pmu_busy(cpu->sim))
			hrtimer_try_to_cancel(&cpu->timer);
		return;
	}
	for (i = 0; i < cpu->nr_waiting; i++) {
		if (cpu->waiting[i] == event)
			cpu->waiting[i] = cpu->waiting[--cpu->nr_waiting];
	}
}

static void sim_read(struct perf_event *event)
{
	struct sim_cpu *cpu = sim_this_cpu(event->pmu);

	if (event->hw.idx < 0 || event->hw.state & PERF_HES_UPTODATE)
		return;
	sim_update_counter(cpu, event->hw.idx, local_clock());
	sim_update(cpu, event);
}

static void sim_start_txn(struct pmu *pmu, unsigned int flags)
{
	struct sim_cpu *cpu = sim_this_cpu(pmu);

	WARN_ON_ONCE(cpu->in_txn);
	cpu->in_txn = flags;
	if (flags & PERF_PMU_TXN_ADD) {
		perf_pmu_disable(pmu);
		cpu->nr_waiting = 0;
	}
}

static void sim_end_txn(struct pmu *pmu, struct sim_cpu *cpu)
{
	unsigned int flags = cpu->in_txn;

	WARN_ON_ONCE(!flags);
	cpu->in_txn = 0;
	cpu->nr_waiting = 0;
	if (flags & PERF_PMU_TXN_ADD)
		perf_pmu_enable(pmu);
}

static int sim_commit_txn(struct pmu *pmu)
{
	struct sim_cpu *cpu = sim_this_cpu(pmu);
	int i;

	/* The caller cancels a transaction that fails. */
	if (cpu->nr_waiting && sim_give_counters(cpu, cpu->waiting, cpu->nr_waiting))
		return -EAGAIN;
	for (i = 0; i < cpu->nr_waiting; i++) {
		struct perf_event *event = cpu->waiting[i];

		sim_reload(cpu, event);
		if (event->hw.last_tag & PERF_EF_START)
			sim_start(event, 0);
	}
	sim_end_txn(pmu, cpu);
	return 0;
}

static void sim_cancel_txn(struct pmu *pmu)
{
	sim_end_txn(pmu, sim_this_cpu(pmu));
}

/* Get the event's number, or an error. */
static int sim_parse_config(const struct sim_pmu *sim, const struct perf_event_attr *attr)
{
	u64 config = attr->config;

	if (attr->type == PERF_TYPE_HARDWARE && sim->hardware) {
		if (config >= ARRAY_SIZE(sim_hardware_events) ||
		    sim_hardware_events[config] >= SIM_MAX_EVENTS)
			return -ENOENT;
		return sim_hardware_events[config];
	}
	if (attr->type != sim->pmu.type)
		return -ENOENT;
	if (config & ~(SIM_CONFIG_EVENT | SIM_CONFIG_COUNTERS | SIM_CONFIG_MEMBER) ||
	    attr->config1 || (config & SIM_CONFIG_EVENT) >= SIM_MAX_EVENTS)
		return -EINVAL;
	return config & SIM_CONFIG_EVENT;
}

static int sim_event_init(struct perf_event *event)
{
	struct sim_pmu *sim = to_sim(event->pmu);
	const struct perf_event_attr *attr = &event->attr;
	struct hw_perf_event *hw = &event->hw;
	int number = sim_parse_config(sim, attr);

	if (number < 0)
		return number == -ENOENT ? number : perf_event_refuse(event, "attr.config",
				"or config1 has bits that no simulated event has", number);
	if (has_branch_stack(event) || attr->precise_ip)
		return -EOPNOTSUPP;
	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_idle)
		return perf_event_refuse(event, "attr.exclude_*",
					 "is not supported: this PMU counts in all modes", -EINVAL);

	hw->config_base = number;
	hw->config = (attr->config & SIM_CONFIG_COUNTERS) >> SIM_CONFIG_COUNTERS_SHIFT;
	hw->idx = -1;
	event->event_caps |= attr->config & SIM_CONFIG_MEMBER ? PERF_EV_CAP_SIBLING : 0;
	if (!is_sampling_event(event)) {
		hw->sample_period = sim_value_mask(sim) >> 1;
		hw->last_period = hw->sample_period;
		local64_set(&hw->period_left, hw->sample_period);
	}
	return sim_check_group(sim, event);
}

/* sysfs */

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(counters, "config:8-15");
PMU_FORMAT_ATTR(member, "config:16");

static struct attribute *sim_format_attrs[] = {
	&format_attr_event.attr, &format_attr_counters.attr, &format_attr_member.attr, NULL
};

static const struct attribute_group sim_format_group = {
	.name	= "format",
	.attrs	= sim_format_attrs,
};

#define SIM_EVENT(_name, _str)						\
	(&((struct perf_pmu_events_attr[]) { {				\
		.attr = {						\
			.attr = { .name = _name, .mode = 0444 },	\
			.show = perf_event_sysfs_show,			\
		},							\
		.event_str = _str,					\
	} })[0].attr.attr)

static struct attribute *sim_event_attrs[] = {
	SIM_EVENT("cycles", "event=0"),
	SIM_EVENT("instructions", "event=1"),
	SIM_EVENT("ref-cycles", "event=2"),
	SIM_EVENT("branches", "event=3"),
	SIM_EVENT("branch-misses", "event=4"),
	SIM_EVENT("cache-references", "event=5"),
	SIM_EVENT("cache-misses", "event=6"),
	SIM_EVENT("bus-cycles", "event=7"),
	SIM_EVENT("step", "event=8"),
	NULL
};

static const struct attribute_group sim_event_group = {
	.name	= "events",
	.attrs	= sim_event_attrs,
};

/* "N" or "EVENT N": count N steps of an event on the writer's CPU. */
static ssize_t advance_store(struct device *dev, struct device_attribute *attr,
			     const char *buf, size_t len)
{
	struct sim_pmu *sim = to_sim(dev_get_drvdata(dev));
	unsigned int event = SIM_EVENT_STEP, n;

	if (sscanf(buf, "%u %u", &event, &n) != 2) {
		event = SIM_EVENT_STEP;
		if (kstrtouint(buf, 0, &n))
			return -EINVAL;
	}
	if (event < SIM_EVENT_STEP || event >= SIM_MAX_EVENTS || n > SIM_MAX_STEPS)
		return -EINVAL;
	sim_pmu_advance(sim, event, n);
	return len;
}

static DEVICE_ATTR_WO(advance);

static struct attribute *sim_control_attrs[] = { &dev_attr_advance.attr, NULL };

static const struct attribute_group sim_control_group = { .attrs = sim_control_attrs };

static const struct attribute_group *sim_attr_groups[] = {
	&sim_format_group, &sim_event_group, &sim_control_group, NULL
};

/* Steps */

static bool sim_takes_steps(const struct sim_counter *counter, unsigned int number)
{
	return counter->event && counter->runs && sim_event_number(counter->event) == number;
}

/* Add up to @n occurrences of event @number; stop at an overflow. Return: occurrences added */
static u64 sim_make_steps(struct sim_cpu *cpu, unsigned int number, u64 n)
{
	u64 mask = sim_value_mask(cpu->sim), step = n;
	int i;

	if (!cpu->enabled)
		return n;
	for (i = 0; i < sim_nr_counters(cpu->sim); i++) {
		struct sim_counter *counter = &cpu->counters[i];

		if (!sim_takes_steps(counter, number))
			continue;
		if (mask - counter->value < step)
			step = mask - counter->value + 1;
	}
	for (i = 0; i < sim_nr_counters(cpu->sim); i++) {
		if (sim_takes_steps(&cpu->counters[i], number))
			sim_count(cpu, i, step);
	}
	if (cpu->overflowed)
		sim_raise_interrupt(cpu);
	return step;
}

/**
 * sim_pmu_advance - count an event on this CPU
 * @sim: the PMU
 * @event: SIM_EVENT_STEP or above
 * @n: number of steps
 *
 * Without latency, each overflow's interrupt is handled before the next step. The caller must
 * be bound to a CPU if all steps must be on one CPU. May sleep.
 */
void sim_pmu_advance(struct sim_pmu *sim, unsigned int event, u64 n)
{
	struct sim_cpu *cpu;

	might_sleep();
	while (n) {
		preempt_disable();
		cpu = this_cpu_ptr(sim->cpus);
		local_irq_disable();
		n -= sim_make_steps(cpu, event, n);
		local_irq_enable();
		while (irq_work_is_busy(&cpu->irq_work))
			cpu_relax();
		preempt_enable();
		cond_resched();
	}
}

/**
 * sim_pmu_alloc - allocate a PMU, which the caller registers
 * @shape: its parameters
 *
 * Return: the PMU, or NULL if memory is lacking or the parameters are not valid
 */
struct sim_pmu *sim_pmu_alloc(const struct sim_pmu_shape *shape)
{
	struct sim_pmu *sim;
	int cpu;

	if (!shape->nr_general || shape->nr_general > 8 || shape->nr_fixed > SIM_EVENT_STEP ||
	    shape->width < 16 || shape->width > 64)
		return NULL;
	sim = kzalloc(sizeof(*sim), GFP_KERNEL);
	if (!sim)
		return NULL;
	sim->cpus = alloc_percpu(struct sim_cpu);
	if (!sim->cpus) {
		kfree(sim);
		return NULL;
	}
	for_each_possible_cpu(cpu) {
		struct sim_cpu *its = per_cpu_ptr(sim->cpus, cpu);

		its->sim = sim;
		its->enabled = true;
		hrtimer_init(&its->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
		its->timer.function = sim_timer_interrupt;
		its->irq_work = IRQ_WORK_INIT_HARD(sim_work_interrupt);
	}
	sim->shape = *shape;
	sim->pmu = (struct pmu) {
		.module		= THIS_MODULE,
		.task_ctx_nr	= perf_hw_context,
		.capabilities	= PERF_PMU_CAP_NO_NMI | PERF_PMU_CAP_EXTENDED_HW_TYPE,
		.attr_groups	= sim_attr_groups,
		.pmu_enable	= sim_pmu_enable,
		.pmu_disable	= sim_pmu_disable,
		.event_init	= sim_event_init,
		.add		= sim_add,
		.del		= sim_del,
		.start		= sim_start,
		.stop		= sim_stop,
		.read		= sim_read,
		.start_txn	= sim_start_txn,
		.commit_txn	= sim_commit_txn,
		.cancel_txn	= sim_cancel_txn,
	};
	return sim;
}

/**
 * sim_pmu_free - undo sim_pmu_alloc()
 * @sim: not registered
 */
void sim_pmu_free(struct sim_pmu *sim)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		hrtimer_cancel(&per_cpu_ptr(sim->cpus, cpu)->timer);
		irq_work_sync(&per_cpu_ptr(sim->cpus, cpu)->irq_work);
	}
	free_percpu(sim->cpus);
	kfree(sim);
}

static struct sim_pmu *the_sim_pmu;

static int __init sim_pmu_init(void)
{
	int err;

	the_sim_pmu = sim_pmu_alloc(&sim_default_shape);
	if (!the_sim_pmu)
		return -EINVAL;
	the_sim_pmu->hardware = sim_hardware;
	err = perf_pmu_register(&the_sim_pmu->pmu, "sim", -1);
	if (err)
		sim_pmu_free(the_sim_pmu);
	return err;
}
module_init(sim_pmu_init);

static void __exit sim_pmu_exit(void)
{
	perf_pmu_unregister(&the_sim_pmu->pmu);
	sim_pmu_free(the_sim_pmu);
}
module_exit(sim_pmu_exit);

MODULE_DESCRIPTION("Simulated performance monitoring unit");
MODULE_LICENSE("GPL");
