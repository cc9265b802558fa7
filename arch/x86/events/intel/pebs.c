// SPDX-License-Identifier: GPL-2.0
/*
 * PEBS: buffer, registers, and checks of events.
 *
 * The threshold of the buffer is one record, so that each record interrupts, or nearly the whole
 * buffer if records may wait (X86_PRECISE_MULTI).
 */
#include <linux/mutex.h>
#include <asm/cpu_entry_area.h>
#include <asm/cpufeature.h>
#include <asm/intel_ds.h>
#include <asm/msr.h>

#include "../engine.h"

/* MSR_IA32_PERF_CAPABILITIES: record format, and retire latencies in records */
#define PEBS_FORMAT_SHIFT	8
#define PEBS_TIMED		BIT_ULL(17)

/* Record sizes of formats 0 to 3 */
static const u16 pebs_sizes[] = { 18 * 8, 22 * 8, 24 * 8, 25 * 8 };

/*
 * The first format whose records name their counters, and the first format with the address of the
 * event's instruction. Without PERF_CAP_PEBS_TRAP, the only address in older records is that of the
 * event's instruction.
 */
#define PEBS_NAMED		1
#define PEBS_EXACT		2

/* The first format with adaptive records, and the first with reload words of 32 general counters */
#define PEBS_ADAPTIVE		4
#define PEBS_WIDE		5

/* Number of general counters with PEBS, without adaptive PEBS */
#define PEBS_GENERAL		4

/* MSR_IA32_PEBS_ENABLE: load latency of a counter, before format 4 */
#define PEBS_LATENCY_SHIFT	32

/* MSR_IA32_PEBS_ENABLE: precise store */
#define PEBS_TRACKS		BIT_ULL(63)

/*
 * Highest attr.precise_ip. If records have only the address of the next instruction, branch records
 * are needed to find the address of the event's instruction.
 */
static u8 pebs_levels(const struct x86_core *core)
{
	u8 levels = core->model->precise_levels;

	return core->precise.no_event_ip && !core->branches.nr ? min(levels, 1) : levels;
}

/*
 * A hypervisor may report PEBS, but drop writes of its registers. Write the enable bit of the first
 * counter to find out: this counter is halted, so the CPU writes no record. On bare metal nothing
 * is written, see x86_check_extra().
 */
static bool pebs_keeps_enable(const struct x86_core *core)
{
	u64 bit = core->counters & -core->counters, value;

	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR))
		return true;
	return !wrmsrl_safe(MSR_IA32_PEBS_ENABLE, bit) &&
	       !rdmsrl_safe(MSR_IA32_PEBS_ENABLE, &value) &&
	       !wrmsrl_safe(MSR_IA32_PEBS_ENABLE, 0) && value == bit;
}

/**
 * x86_precise_probe - detect PEBS of a core type
 * @core: the core type of this CPU, with its counters and branch unit detected
 *
 * Context: boot, once.
 */
void x86_precise_probe(struct x86_core *core)
{
	struct x86_precise *precise = &core->precise;
	unsigned int format = (core->capabilities & PERF_CAP_PEBS_FORMAT) >> PEBS_FORMAT_SHIFT;
	u64 value;

	/* On Netburst, which has version 0, MSR_IA32_PEBS_ENABLE is common to two threads. */
	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL || !core->version ||
	    !boot_cpu_has(X86_FEATURE_PEBS) || !boot_cpu_has(X86_FEATURE_DS))
		return;
	if (rdmsrl_safe(MSR_IA32_PEBS_ENABLE, &value) || rdmsrl_safe(MSR_IA32_DS_AREA, &value))
		return;
	precise->exists = true;
	/*
	 * Version 1 of the PMU, which a hypervisor may report, has no global status register, which
	 * reports interrupts of the PEBS buffer (X86_STATUS_BUFFER).
	 */
	if (!core->model->precise || !core->msrs->status || !boot_cpu_has(X86_FEATURE_DTES64) ||
	    !pebs_keeps_enable(core))
		return;
	if (format >= PEBS_ADAPTIVE) {
		/* Adaptive PEBS (the baseline feature) includes the fixed counters. */
		precise->adaptive = core->capabilities & PERF_CAP_PEBS_BASELINE;
		if (!precise->adaptive || rdmsrl_safe(MSR_PEBS_DATA_CFG, &value))
			return;
		precise->timed = core->capabilities & PEBS_TIMED;
		precise->counters = core->counters;
		/* The next reload words are those of fixed counters. */
		if (format < PEBS_WIDE)
			precise->counters &= X86_GENERAL(MAX_PEBS_EVENTS_FMT4) | X86_FIXED_ALL;
		core->pmu.capabilities |= PERF_PMU_CAP_EXTENDED_REGS;
	} else {
		precise->size = pebs_sizes[format];
		precise->counters = core->counters &
			(X86_GENERAL(format >= PEBS_NAMED ? PEBS_GENERAL : 1) |
			 (core->model->precise_fixed ? X86_FIXED_ALL : 0));
	}
	precise->format = format;
	precise->no_event_ip = format < PEBS_EXACT && (core->capabilities & PERF_CAP_PEBS_TRAP);
	precise->levels = pebs_levels(core);
}

/* Buffers: allocated for all possible CPUs at the first precise event, and never freed */
static DEFINE_MUTEX(pebs_mutex);
static bool pebs_has_buffers __read_mostly;	/* written under pebs_mutex */

static int pebs_get_buffer(unsigned int number)
{
	struct x86_pmu_cpu *cpu = per_cpu_ptr(&x86_pmu_cpu, number);
	struct debug_store *ds = per_cpu_ptr(&cpu_debug_store, number);
	void *area = get_cpu_entry_area(number)->cpu_debug_buffers.pebs_buffer, *buffer;

	if (cpu->precise.buffer)
		return 0;
	buffer = x86_ds_map_buffer(number, area, PEBS_BUFFER_SIZE);
	if (!buffer)
		return -ENOMEM;
	ds->pebs_buffer_base = (unsigned long)area;
	ds->pebs_index = (unsigned long)area;
	cpu->precise.base = (unsigned long)area;
	/* x86_precise_reprogram() on that CPU uses the area once it sees the buffer. */
	smp_store_release(&cpu->precise.buffer, buffer);
	return 0;
}

static int pebs_get_buffers(void)
{
	unsigned int cpu;

	/* Each fork calls this per inherited event: take no lock. Pairs with the release below. */
	if (smp_load_acquire(&pebs_has_buffers))
		return 0;
	guard(mutex)(&pebs_mutex);
	if (pebs_has_buffers)
		return 0;
	for_each_possible_cpu(cpu) {
		if (pebs_get_buffer(cpu))
			return -ENOMEM;
	}
	/* Pairs with the acquire above: all buffers are mapped. */
	smp_store_release(&pebs_has_buffers, true);
	return 0;
}

/* Cycles have no PEBS; another event that counts every cycle replaces them. */
static u64 pebs_config(const struct x86_core *core, const struct perf_event *event)
{
	const u64 mask = INTEL_ARCH_EVENT_MASK | X86_ALL_EVENT_FLAGS;
	u64 config = event->hw.config, cycles = core->model->precise_cycles[event->attr.precise_ip];

	if (!cycles || (config & mask) != core->generic[PERF_COUNT_HW_CPU_CYCLES])
		return config;
	return (config & ~mask) | cycles;
}

/* Sample fields that are in the record, or cannot change until the buffer is drained */
#define PEBS_COMPLETE								\
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |	\
	 PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_STREAM_ID |	\
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT_TYPE |	\
	 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR |	\
	 PERF_SAMPLE_REGS_INTR)

/* The first format with a time stamp, and without records of counters that have not overflowed */
#define PEBS_RELIABLE		3

/* Within this number of events after an overflow, the CPU writes the record and interrupts. */
#define PEBS_APART		1024

/*
 * Can the CPU reload the event's counter, and can its records wait? A signal and the pause of an
 * AUX event must not wait.
 */
static int pebs_reload_flags(const struct x86_core *core, const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	u64 complete = PEBS_COMPLETE;

	if (attr->freq || !attr->exclude_kernel || core->precise.format < PEBS_RELIABLE ||
	    attr->sample_period > core->max_period ||
	    core->model->min_period || core->model->period_step)
		return 0;
	if (core->precise.adaptive)
		complete |= PERF_SAMPLE_BRANCH_STACK;
	if ((attr->sample_type & ~complete) || (attr->wakeup_events && !attr->watermark) ||
	    attr->sigtrap || attr->aux_action || attr->aux_output ||
	    ((attr->sample_type & PERF_SAMPLE_TIME) &&
	     (attr->use_clockid || !x86_perf_clock_is_tsc())))
		return X86_PRECISE_RELOADS;
	return X86_PRECISE_RELOADS | X86_PRECISE_MULTI;
}

/*
 * If the record does not have the address of the event's instruction, the last branch is needed to
 * find this address. So the filter must not exclude any branch.
 */
static int pebs_need_branches(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	u64 wanted = PERF_SAMPLE_BRANCH_ANY;

	if (!attr->exclude_user)
		wanted |= PERF_SAMPLE_BRANCH_USER;
	if (!attr->exclude_kernel)
		wanted |= PERF_SAMPLE_BRANCH_KERNEL;
	if (!needs_branch_stack(event))
		attr->branch_sample_type = wanted;
	if ((attr->branch_sample_type & wanted) == wanted)
		return 0;
	return perf_event_refuse(event, "attr.branch_sample_type",
				 "must have PERF_SAMPLE_BRANCH_ANY, and _USER and _KERNEL unless excluded, for this precise_ip",
				 -EOPNOTSUPP);
}

/**
 * x86_precise_access - memory data in the records of a precise event
 * @model: the model of the core type
 * @config: hw.config of the event
 *
 * Return: X86_PRECISE_LATENCY, X86_PRECISE_STORE_LATENCY, X86_PRECISE_TRACKED_STORE,
 * X86_PRECISE_STORE or X86_PRECISE_LOAD; 0 if the event is not of loads or stores.
 */
u32 x86_precise_access(const struct x86_model *model, u64 config)
{
	const struct x86_limit *limit = x86_find_limit(model->precise, config);
	u32 flags = limit ? limit->flags : 0;

	if (flags & X86_LIMIT_LATENCY)
		return X86_PRECISE_LATENCY;
	if (flags & X86_LIMIT_STORE_LATENCY)
		return X86_PRECISE_STORE_LATENCY;
	if (flags & X86_LIMIT_TRACKED_STORE)
		return X86_PRECISE_TRACKED_STORE;
	if (flags & X86_LIMIT_STORES)
		return X86_PRECISE_STORE;
	return flags & X86_LIMIT_LOADS ? X86_PRECISE_LOAD : 0;
}

/**
 * x86_precise_init_event - check a new precise event
 * @event: the new event, with hw.config set
 *
 * Context: process.
 * Return: 0 on success, -EOPNOTSUPP if the branch filter excludes needed branches, -EINVAL if the
 * event does not sample, -ENOMEM.
 */
int x86_precise_init_event(struct perf_event *event)
{
	const struct x86_core *core = to_x86_core(event->pmu);
	struct hw_perf_event *hw = &event->hw;

	if (!is_sampling_event(event))
		return perf_event_refuse(event, "attr.precise_ip",
					 "must be 0 for a counting event", -EINVAL);
	if (core->precise.no_event_ip && event->attr.precise_ip > 1) {
		int err = pebs_need_branches(event);

		if (err)
			return err;
	}
	hw->config = pebs_config(core, event);
	hw->flags |= x86_precise_access(core->model, hw->config);
	/* The PEBS buffer interrupts instead of the counter. */
	hw->config &= ~ARCH_PERFMON_EVENTSEL_INT;
	if (core->precise.adaptive)
		hw->config |= X86_ADAPTIVE;
	hw->flags |= pebs_reload_flags(core, event);
	if (hw->flags & X86_PRECISE_MULTI)
		event->attach_state |= PERF_ATTACH_SCHED_CB;
	return pebs_get_buffers();
}

/**
 * x86_precise_limits - constraints of a precise event
 * @core: the PMU
 * @event: the event, with hw.config set
 *
 * With adaptive PEBS, events without a constraint in the table have the constraint of an event that
 * is not precise.
 *
 * Return: the table, NULL if the constraints of x86_core_limits() apply.
 */
const struct x86_limit *x86_precise_limits(const struct x86_core *core,
					   const struct perf_event *event)
{
	const struct x86_model *model = core->model;

	if (event->attr.precise_ip == model->precise_levels &&
	    x86_find_limit(model->distributed, event->hw.config))
		return model->distributed;
	if (core->precise.adaptive && !x86_find_limit(model->precise, event->hw.config))
		return NULL;
	return model->precise;
}

/**
 * x86_precise_counters - the counters that can write PEBS records
 * @core: the PMU
 * @counters: mask of the counters that can count an event
 *
 * Return: the mask, reduced to counters with PEBS.
 */
u64 x86_precise_counters(const struct x86_core *core, u64 counters)
{
	return counters & core->precise.counters;
}

static struct perf_event *pebs_event(struct x86_count *count)
{
	return list_first_or_null_rcu(&count->events, struct perf_event, active_entry);
}

/* MSR_IA32_PEBS_ENABLE bits of a precise event */
static u64 pebs_bits(const struct x86_core *core, const struct x86_count *count,
		     const struct perf_event *event)
{
	u64 bits = BIT_ULL(count->counter);

	if ((event->hw.flags & X86_PRECISE_LATENCY) && !core->precise.adaptive)
		bits |= bits << PEBS_LATENCY_SHIFT;
	if (event->hw.flags & X86_PRECISE_TRACKED_STORE)
		bits |= PEBS_TRACKS;
	return bits;
}

/*
 * Compute MSR_IA32_PEBS_ENABLE, MSR_PEBS_DATA_CFG and x86_precise_cpu::multi_record for the precise
 * events that have a counter; with @unmoved, only for events that keep their counter.
 */
static u64 pebs_compute_enable(struct x86_pmu_cpu *cpu, bool unmoved, u64 *data_cfg,
			       bool *multi_record)
{
	u64 enabled = 0;
	int i;

	*data_cfg = 0;
	*multi_record = true;
	for_each_x86_counter(i, cpu->used) {
		struct x86_count *count = &cpu->counts[i];
		const struct perf_event *event;

		if (!count->nr_events || count->counter < 0 ||
		    (unmoved && count->counter != count->assigned))
			continue;
		event = pebs_event(count);
		if (!event || !event->attr.precise_ip)
			continue;
		enabled |= pebs_bits(cpu->core, count, event);
		*data_cfg |= x86_precise_data_cfg(cpu->core, event);
		*multi_record &= count->reload && (event->hw.flags & X86_PRECISE_MULTI);
	}
	return enabled;
}

static void pebs_write_enable(struct x86_pmu_cpu *cpu, u64 enabled)
{
	if (cpu->precise.enabled == enabled)
		return;
	/*
	 * Records in the buffer for a counter just enabled belong to its former event. A new event
	 * whose counter is reloaded counts only user mode, so it cannot have caused a record yet.
	 */
	WRITE_ONCE(cpu->precise.fresh, enabled & ~cpu->precise.enabled);
	WRITE_ONCE(cpu->precise.enabled, enabled);
	barrier();
	wrmsrl(MSR_IA32_PEBS_ENABLE, enabled);
	if (cpu->precise.has_area)
		x86_precise_drain(cpu, NULL);
	WRITE_ONCE(cpu->precise.fresh, 0);
}

/* Mask of the counters assigned to precise events that have another counter, or none */
static u64 pebs_new_counters(struct x86_pmu_cpu *cpu)
{
	u64 counters = 0;
	int i;

	for_each_x86_counter(i, cpu->used) {
		struct x86_count *count = &cpu->counts[i];
		const struct perf_event *event;

		if (!count->nr_events || count->assigned < 0 || count->counter == count->assigned)
			continue;
		event = pebs_event(count);
		if (event && event->attr.precise_ip)
			counters |= BIT_ULL(count->assigned);
	}
	return counters;
}

/**
 * x86_precise_disable_moved - disable PEBS on counters that are about to move
 * @cpu: this CPU, with counters assigned
 *
 * Drains the buffer, so that all totals include their records. The counters that precise events
 * leave or get are stopped before: the select of a precise event has no INT bit, so an overflow
 * without PEBS would set the counter's status bit without an interrupt. The driver would then
 * handle the next NMI of another device as the interrupt of this overflow. A CPU may set the status
 * bit also with PEBS, so the bits of the counters that precise events leave are cleared.
 *
 * Context: interrupts off, or NMI. x86_reprogram() runs the counters again.
 */
void x86_precise_disable_moved(struct x86_pmu_cpu *cpu)
{
	u64 data_cfg, kept, leaving, stopped;
	bool multi_record;

	if (!cpu->precise.buffer)
		return;
	x86_precise_drain(cpu, NULL);
	kept = cpu->precise.enabled & pebs_compute_enable(cpu, true, &data_cfg, &multi_record);
	leaving = x86_precise_enabled(cpu) & ~kept;
	stopped = leaving | pebs_new_counters(cpu);
	if (stopped & cpu->control)
		x86_write_global_ctrl(cpu, cpu->control & ~stopped);
	if (leaving)
		x86_acknowledge_bits(cpu, leaving);
	pebs_write_enable(cpu, kept);
}

/**
 * x86_precise_pause - stop a precise counter that is about to be programmed, and disable its PEBS
 * @cpu: this CPU
 * @count: has a counter and events
 *
 * An overflow arms PEBS: the next occurrence writes the record and reloads the counter. The reload
 * would replace a value that is written meanwhile, and the total would be wrong. Without PEBS the
 * counter is not armed any more.
 *
 * Context: interrupts off, or NMI. x86_reprogram() must follow, which enables PEBS and runs the
 * counter again.
 */
void x86_precise_pause(struct x86_pmu_cpu *cpu, struct x86_count *count)
{
	u64 bit = BIT_ULL(count->counter);
	const struct perf_event *event = pebs_event(count);

	if (!event || !(x86_precise_enabled(cpu) & bit))
		return;
	if (cpu->control & bit)
		x86_write_global_ctrl(cpu, cpu->control & ~bit);
	x86_precise_drain(cpu, NULL);
	/* See x86_precise_disable_moved(). */
	x86_acknowledge_bits(cpu, bit);
	pebs_write_enable(cpu, cpu->precise.enabled & ~pebs_bits(cpu->core, count, event));
}

/* Size of the longest record with @data_cfg */
static unsigned int pebs_size(const struct x86_core *core, u64 data_cfg)
{
	unsigned int size = 4 * 8;

	if (!core->precise.adaptive)
		return core->precise.size;
	if (data_cfg & X86_GROUP_MEMORY)
		size += 4 * 8;
	if (data_cfg & X86_GROUP_REGISTERS)
		size += 18 * 8;
	if (data_cfg & X86_GROUP_XMM)
		size += 32 * 8;
	if (data_cfg & X86_GROUP_BRANCHES)
		size += core->branches.nr * 3 * 8;
	return size;
}

/* Core 2, with format 0, may hang when counters are enabled while the buffer exceeds a page. */
static unsigned int pebs_bytes(const struct x86_core *core)
{
	return core->precise.format >= PEBS_NAMED ? PEBS_BUFFER_SIZE : PAGE_SIZE;
}

/* Each counter may write one more record before the interrupt. */
#define PEBS_SPARE		X86_COUNTERS_MAX

/* Set up the debug store area for records with @data_cfg. */
static void pebs_set_area(struct x86_pmu_cpu *cpu, u64 data_cfg, bool multi_record)
{
	struct debug_store *ds = this_cpu_ptr(&cpu_debug_store);
	struct x86_precise_cpu *precise = &cpu->precise;
	unsigned int size = pebs_size(cpu->core, data_cfg), n = pebs_bytes(cpu->core) / size;
	unsigned int until = multi_record && n > 2 * PEBS_SPARE ? n - PEBS_SPARE : 1;

	ds->pebs_buffer_base = precise->base;
	ds->pebs_absolute_maximum = precise->base + n * size;
	WRITE_ONCE(ds->pebs_interrupt_threshold, precise->base + until * size);
	if (precise->has_area)
		return;
	ds->pebs_index = precise->base;
	memset(ds->pebs_event_reset, 0, sizeof(ds->pebs_event_reset));
	precise->has_area = true;
	x86_ds_use(cpu);
}

/* Reload value of a counter in the debug store area */
static u64 *pebs_reset_word(const struct x86_pmu_cpu *cpu, int counter)
{
	struct debug_store *ds = this_cpu_ptr(&cpu_debug_store);

	if (x86_counter_is_fixed(counter))
		counter += (cpu->core->precise.format < PEBS_WIDE ? MAX_PEBS_EVENTS_FMT4 :
			    MAX_PEBS_EVENTS) - INTEL_PMC_IDX_FIXED;
	return &ds->pebs_event_reset[counter];
}

static void pebs_set_reload(struct x86_pmu_cpu *cpu)
{
	int i;

	for_each_x86_counter(i, cpu->used) {
		const struct x86_count *count = &cpu->counts[i];
		int counter = count->counter;

		if (!count->nr_events || counter < 0 ||
		    !(cpu->core->precise.counters & BIT_ULL(counter)))
			continue;
		*pebs_reset_word(cpu, counter) = -count->reload &
			GENMASK_ULL(x86_counter_width(cpu->core, counter) - 1, 0);
	}
}

/**
 * x86_precise_reprogram - enable PEBS on the counters of precise events
 * @cpu: this CPU. The counters of the events are programmed, and do not run yet
 */
void x86_precise_reprogram(struct x86_pmu_cpu *cpu)
{
	struct x86_precise_cpu *precise = &cpu->precise;
	u64 data_cfg, enabled;
	bool multi_record;

	if (!precise->buffer)
		return;
	enabled = pebs_compute_enable(cpu, false, &data_cfg, &multi_record);
	if (enabled && (!precise->has_area || data_cfg != precise->data_cfg ||
			multi_record != precise->multi_record)) {
		pebs_set_area(cpu, data_cfg, multi_record);
		if (cpu->core->precise.adaptive && data_cfg != precise->data_cfg)
			wrmsrl(MSR_PEBS_DATA_CFG, data_cfg);
		precise->data_cfg = data_cfg;
		precise->multi_record = multi_record;
	}
	if (enabled)
		pebs_set_reload(cpu);
	pebs_write_enable(cpu, enabled);
}

/**
 * x86_precise_reset - disable PEBS, which may be in any state
 * @cpu: this CPU, which is brought up, taken offline, shut down, or resumes
 *
 * Context: interrupts off, or NMI after a crash.
 */
void x86_precise_reset(struct x86_pmu_cpu *cpu)
{
	struct x86_precise_cpu *precise = &cpu->precise;

	if (!cpu->core->precise.exists)
		return;
	if (!cpu->core->precise.levels) {
		/* Another kernel may have enabled PEBS before kexec. */
		wrmsrl_safe(MSR_IA32_PEBS_ENABLE, 0);
		return;
	}
	precise->enabled = ~0ULL;
	pebs_write_enable(cpu, 0);
	if (cpu->core->precise.adaptive)
		wrmsrl(MSR_PEBS_DATA_CFG, 0);
	precise->data_cfg = 0;
	precise->has_area = false;
}

/* Do all these counters have the same select? */
static bool pebs_are_equal(const struct x86_pmu_cpu *cpu, u64 counters)
{
	u64 first = READ_ONCE(cpu->select[__ffs64(counters)]);
	int counter;

	for_each_x86_counter(counter, counters) {
		if (READ_ONCE(cpu->select[counter]) != first)
			return false;
	}
	return true;
}

/*
 * Erratum: a record may name no counter. If a single counter is enabled, the record belongs to
 * this counter.
 *
 * Before PEBS_RELIABLE, the record has a copy of the global status. Bits of counters without PEBS
 * are ignored. Further bits may be of counters whose records are written later, or are not written
 * because the counters overflowed together. If the selects are equal, the record is of an event
 * that each of these counters has counted. Otherwise the counter is known only if one bit is left.
 * Returns 0 if the counter is not known.
 */
static u64 pebs_counters(const struct x86_pmu_cpu *cpu, u64 enabled, struct x86_record *record)
{
	const struct x86_precise *precise = &cpu->core->precise;
	u64 named = record->counters & precise->counters, counters = named & enabled;

	record->several = precise->format < PEBS_RELIABLE && hweight64(counters) > 1;
	if (!named && hweight64(enabled) == 1)
		return enabled;
	return record->several && !pebs_are_equal(cpu, counters) ? 0 : counters;
}

/**
 * x86_precise_period - the period with which the CPU reloads the counter of an event
 * @cpu: this CPU
 * @event: an event with X86_PRECISE_RELOADS; its period may have changed
 *
 * Return: the period, 0 if the CPU does not reload the counter.
 */
u64 x86_precise_period(const struct x86_pmu_cpu *cpu, const struct perf_event *event)
{
	u64 period = event->hw.sample_period;

	return period > cpu->core->max_period ? 0 : period;
}

/**
 * x86_precise_pending - number of records of a counter in the buffer
 * @cpu: this CPU
 * @counter: the counter
 *
 * Context: any.
 * Return: the number.
 */
u64 x86_precise_pending(const struct x86_pmu_cpu *cpu, int counter)
{
	const struct x86_precise_cpu *precise = &cpu->precise;
	const void *at = precise->buffer, *end;
	u64 index = READ_ONCE(this_cpu_ptr(&cpu_debug_store)->pebs_index), n = 0;
	u64 enabled = x86_precise_enabled(cpu) & ~READ_ONCE(precise->fresh);
	struct x86_record record;

	if (!enabled || index <= precise->base)
		return 0;
	end = at + min_t(u64, index - precise->base, PEBS_BUFFER_SIZE);
	for (; x86_record_next(&cpu->core->precise, at, end, &record); at += record.size)
		n += !!(pebs_counters(cpu, enabled, &record) & BIT_ULL(counter));
	return n;
}

/* The CPU has reloaded the counter: add one period to the total. */
static void pebs_handle_reloaded(struct x86_pmu_cpu *cpu, struct x86_count *count,
				 struct pt_regs *regs, const struct x86_record *record)
{
	u64 due = count->offset;
	struct perf_event *event;

	WRITE_ONCE(count->seq, count->seq + 1);
	barrier();
	WRITE_ONCE(count->total, due);
	WRITE_ONCE(count->offset, due + count->reload);
	barrier();
	WRITE_ONCE(count->seq, count->seq + 1);
	event = pebs_event(count);
	if (!event || !x86_event_runs(event))
		return;
	x86_event_update(event, due);
	if (local64_read(&event->hw.period_left) > 0)
		return;
	x86_event_begin_period(event);
	x86_count_set_next_overflow(count);
	x86_sample(cpu, event, regs, record, false);
}

/* Does a record of a reloaded counter belong to x86_count::events, not to a former event? */
static bool pebs_is_of_count(const struct x86_pmu_cpu *cpu, const struct x86_count *count,
			     int counter)
{
	return READ_ONCE(count->counter) == counter && !(READ_ONCE(count->seq) & 1) &&
	       !(READ_ONCE(cpu->precise.fresh) & BIT_ULL(counter));
}

static void pebs_handle_record(struct x86_pmu_cpu *cpu, int counter, struct pt_regs *regs,
			       const struct x86_record *record)
{
	struct x86_count *count = READ_ONCE(cpu->owner[counter]);

	if (count)
		count->apart = 0;
	if (!count || !count->reload)
		x86_handle_counter_overflow(cpu, counter, regs, record);
	else if (pebs_is_of_count(cpu, count, counter))
		pebs_handle_reloaded(cpu, count, regs, record);
}

/*
 * The record names no counter, or @counters, which have different selects: set needs_reprogram, so
 * that each counter is checked for the end of its period.
 *
 * Counters that overflow together might do so again after this interrupt, and get no sample. So
 * x86_distance() programs missed overflows of @counters PEBS_APART from each other. Returns those
 * of @counters that had the same problem with their previous record.
 */
static u64 pebs_handle_unclear(struct x86_pmu_cpu *cpu, u64 counters)
{
	u64 again = 0;
	u32 apart = 1;
	int counter;

	for_each_x86_counter(counter, counters) {
		struct x86_count *count = READ_ONCE(cpu->owner[counter]);

		if (!count)
			continue;
		if (count->apart)
			again |= BIT_ULL(counter);
		count->apart = apart;
		apart += PEBS_APART;
	}
	WRITE_ONCE(cpu->needs_reprogram, true);
	return again;
}

/*
 * Count the interrupt for throttling, once for each counter that the CPU reloads, and for each of
 * @unclear, which have no samples. Throttling stops the event, so this function is called after the
 * samples of all records.
 */
static void pebs_account_interrupt(struct x86_pmu_cpu *cpu, u64 counters, u64 unclear)
{
	int counter;

	for_each_x86_counter(counter, counters | unclear) {
		struct x86_count *count = READ_ONCE(cpu->owner[counter]);
		struct perf_event *event;

		if (!count || (!count->reload && !(unclear & BIT_ULL(counter))) ||
		    !pebs_is_of_count(cpu, count, counter))
			continue;
		event = pebs_event(count);
		if (event && x86_event_runs(event) && perf_event_account_interrupt(event))
			x86_event_stop(event, 0);
	}
}

/**
 * x86_precise_drain - handle all records in the buffer
 * @cpu: this CPU
 * @regs: registers of the interrupt; NULL: not in the interrupt
 *
 * A record becomes a sample only if its counter has an event whose period has ended.
 *
 * Context: interrupts off, or overflow interrupt, which leaves the records to a drain that it has
 * interrupted.
 * Return: mask of the counters whose records were handled.
 */
u64 x86_precise_drain(struct x86_pmu_cpu *cpu, struct pt_regs *regs)
{
	struct debug_store *ds = this_cpu_ptr(&cpu_debug_store);
	struct x86_precise_cpu *precise = &cpu->precise;
	u64 enabled = x86_precise_enabled(cpu), handled = 0, unclear = 0, index;
	const void *at = precise->buffer, *end;
	struct x86_record record;
	bool interrupt = regs;
	struct pt_regs here = { };
	int counter;

	if (!enabled || precise->draining || READ_ONCE(ds->pebs_index) <= precise->base)
		return 0;
	precise->draining = true;
	if (!regs) {
		perf_fetch_caller_regs(&here);
		regs = &here;
	}
	do {
		index = READ_ONCE(ds->pebs_index);
		end = precise->buffer + min_t(u64, index - precise->base, PEBS_BUFFER_SIZE);
		while (x86_record_next(&cpu->core->precise, at, end, &record)) {
			u64 counters = pebs_counters(cpu, enabled, &record);

			if (!counters && cpu->core->precise.format < PEBS_RELIABLE)
				unclear |= pebs_handle_unclear(cpu, record.counters & enabled);
			for_each_x86_counter(counter, counters)
				pebs_handle_record(cpu, counter, regs, &record);
			handled |= counters;
			at += record.size;
		}
		/* cmpxchg_local() is one instruction: no record can be written within it. */
	} while (cmpxchg_local(&ds->pebs_index, index, precise->base) != index);
	precise->draining = false;
	if (interrupt)
		pebs_account_interrupt(cpu, handled, unclear);
	return handled;
}
