// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's records of precise events (PEBS): the area and the buffer in memory, the registers,
 * and which events can be precise.
 *
 * The CPU writes by addresses that are mapped whatever the address space: those of the CPU
 * entry area. The buffer's threshold is its first record, so that each sends an interrupt.
 */
#include <linux/gfp.h>
#include <linux/mutex.h>
#include <linux/sched/clock.h>
#include <asm/cpu_entry_area.h>
#include <asm/cpufeature.h>
#include <asm/intel_ds.h>
#include <asm/io.h>
#include <asm/msr.h>

#include "../engine.h"

/* The format of the records, in MSR_IA32_PERF_CAPABILITIES */
#define PEBS_FORMAT_SHIFT	8

/* Bytes of the formats that are always the same */
static const u16 pebs_sizes[] = { 18 * 8, 22 * 8, 24 * 8, 25 * 8 };

/* The first formats whose records name their counters, and whose have the event's own address */
#define PEBS_NAMED		1
#define PEBS_EXACT		2

/* The first format of records that are made of groups; those after it are no different. */
#define PEBS_ADAPTIVE		4

/* The counters that can write records, without those that are for version 4's alone */
#define PEBS_GENERAL		4
#define PEBS_ADAPTIVE_GENERAL	8

/* Of MSR_IA32_PEBS_ENABLE: a counter's latencies, before format 4 */
#define PEBS_LATENCY_SHIFT	32

/* and that what is known of stores goes into the records */
#define PEBS_TRACKS		BIT_ULL(63)

/**
 * x86_precise_probe - find out which records a kind of core writes
 * @core: this CPU's; once, at boot, after its counters and branches have been found
 */
void x86_precise_probe(struct x86_core *core)
{
	struct x86_precise *precise = &core->precise;
	unsigned int format = (core->capabilities & PERF_CAP_PEBS_FORMAT) >> PEBS_FORMAT_SHIFT;
	u64 value;

	if (!core->model->precise || boot_cpu_data.x86_vendor != X86_VENDOR_INTEL ||
	    !boot_cpu_has(X86_FEATURE_PEBS) || !boot_cpu_has(X86_FEATURE_DS) ||
	    !boot_cpu_has(X86_FEATURE_DTES64))
		return;
	if (rdmsrl_safe(MSR_IA32_PEBS_ENABLE, &value) || rdmsrl_safe(MSR_IA32_DS_AREA, &value))
		return;
	if (format >= PEBS_ADAPTIVE) {
		format = PEBS_ADAPTIVE;
		/* Records of fixed counters come with those that are made of groups. */
		precise->adaptive = core->capabilities & PERF_CAP_PEBS_BASELINE;
		if (!precise->adaptive || rdmsrl_safe(MSR_PEBS_DATA_CFG, &value))
			return;
		precise->counters = core->counters &
			(X86_GENERAL(PEBS_ADAPTIVE_GENERAL) | X86_FIXED_ALL);
		core->pmu.capabilities |= PERF_PMU_CAP_EXTENDED_REGS;
	} else {
		precise->size = pebs_sizes[format];
		precise->counters = core->counters &
			(X86_GENERAL(format >= PEBS_NAMED ? PEBS_GENERAL : 1) |
			 (core->model->precise_fixed ? X86_FIXED_ALL : 0));
	}
	precise->format = format;
	/* Events that write older records count too little, so these CPUs offer none. */
	precise->levels = format >= PEBS_EXACT ? core->model->precise_levels : 0;
}

/* Buffers: once there has been a precise event, each possible CPU has one, for good. */
static DEFINE_MUTEX(pebs_mutex);
static bool pebs_has_buffers;		/* pebs_mutex */

/* No translation is remembered for pages that were not there: none need be forgotten. */
static void pebs_map(unsigned int number, void *buffer)
{
	struct x86_pmu_cpu *cpu = per_cpu_ptr(&x86_pmu_cpu, number);
	struct debug_store *ds = per_cpu_ptr(&cpu_debug_store, number);
	struct debug_store_buffers *area = &get_cpu_entry_area(number)->cpu_debug_buffers;
	unsigned long va = (unsigned long)area->pebs_buffer, at;

	for (at = 0; at < PEBS_BUFFER_SIZE; at += PAGE_SIZE)
		cea_set_pte((void *)(va + at), virt_to_phys(buffer + at), PAGE_KERNEL);
	ds->pebs_buffer_base = va;
	ds->pebs_index = va;
	cpu->precise.base = va;
	/* The CPU looks at it only when an event needs it. */
	smp_store_release(&cpu->precise.buffer, buffer);
}

static int pebs_get_buffers(void)
{
	unsigned int cpu;

	guard(mutex)(&pebs_mutex);
	if (pebs_has_buffers)
		return 0;
	for_each_possible_cpu(cpu) {
		struct page *pages;

		if (per_cpu(x86_pmu_cpu, cpu).precise.buffer)
			continue;
		pages = alloc_pages_node(cpu_to_node(cpu), GFP_KERNEL | __GFP_ZERO,
					 get_order(PEBS_BUFFER_SIZE));
		if (!pages)
			return -ENOMEM;
		pebs_map(cpu, page_address(pages));
	}
	pebs_has_buffers = true;
	return 0;
}

/* Cycles have no records. Another event that is counted where it does not happen has. */
static u64 pebs_config(const struct x86_core *core, const struct perf_event *event)
{
	const u64 mask = INTEL_ARCH_EVENT_MASK | X86_ALL_EVENT_FLAGS;
	u64 config = event->hw.config, cycles = core->model->precise_cycles[event->attr.precise_ip];

	if (!cycles || (config & mask) != core->generic[PERF_COUNT_HW_CPU_CYCLES])
		return config;
	return (config & ~mask) | cycles;
}

/* All that these fields of a sample need is in its record, or is the same until it is drained. */
#define PEBS_COMPLETE								\
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |	\
	 PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_STREAM_ID |	\
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT_TYPE |	\
	 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR |	\
	 PERF_SAMPLE_REGS_INTR)

/* With this format records tell the time, and never of counters that have not overflowed. */
#define PEBS_RELIABLE		3

/* How the CPU may be left alone with an event. */
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
	    attr->sigtrap || attr->aux_output ||
	    ((attr->sample_type & PERF_SAMPLE_TIME) &&
	     (attr->use_clockid || !sched_clock_stable())))
		return X86_PRECISE_RELOADS;
	return X86_PRECISE_RELOADS | X86_PRECISE_MANY;
}

/*
 * Let branches be recorded for an event whose records have the address after it alone. An event
 * that wants a part of them cannot be as precise.
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
				 "must have all branches, by which this processor is precise",
				 -EOPNOTSUPP);
}

/**
 * x86_precise_init_event - take a precise event, or refuse it
 * @event: new, with a hw.config
 *
 * Process context, may sleep.
 *
 * Return: 0; -EOPNOTSUPP: its branches are not enough; -EINVAL: it does not sample; -ENOMEM.
 */
int x86_precise_init_event(struct perf_event *event)
{
	const struct x86_core *core = to_x86_core(event->pmu);
	struct hw_perf_event *hw = &event->hw;
	const struct x86_limit *limit;

	if (!is_sampling_event(event))
		return perf_event_refuse(event, "attr.precise_ip",
					 "must be 0 for an event that does not sample", -EINVAL);
	if (core->precise.format < PEBS_EXACT && event->attr.precise_ip > 1) {
		int err = pebs_need_branches(event);

		if (err)
			return err;
	}
	hw->config = pebs_config(core, event);
	limit = x86_find_limit(core->model->precise, hw->config);
	if (limit && (limit->flags & X86_LIMIT_LATENCY))
		hw->flags |= X86_PRECISE_LATENCY;
	else if (limit && (limit->flags & X86_LIMIT_TRACKS))
		hw->flags |= X86_PRECISE_TRACKS;
	else if (limit && (limit->flags & X86_LIMIT_STORES))
		hw->flags |= X86_PRECISE_STORE;
	else if (limit && (limit->flags & X86_LIMIT_LOADS))
		hw->flags |= X86_PRECISE_LOAD;
	/* The buffer interrupts, not the counter. */
	hw->config &= ~ARCH_PERFMON_EVENTSEL_INT;
	if (core->precise.adaptive)
		hw->config |= X86_ADAPTIVE;
	hw->flags |= pebs_reload_flags(core, event);
	if (hw->flags & X86_PRECISE_MANY)
		event->attach_state |= PERF_ATTACH_SCHED_CB;
	return pebs_get_buffers();
}

/**
 * x86_precise_limits - the limits of a precise event that are not those of others
 * @core: of its PMU
 * @event: whose hw.config has been set
 *
 * Where any counter writes records, an event that the table lacks is limited as it always is.
 *
 * Return: a table, or NULL.
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
 * x86_precise_counters - which of the counters that could count an event write records of it
 * @core: of its PMU
 * @counters: mask
 */
u64 x86_precise_counters(const struct x86_core *core, u64 counters)
{
	return counters & core->precise.counters;
}

static struct perf_event *pebs_event(struct x86_count *count)
{
	return list_first_or_null_rcu(&count->clients, struct perf_event, active_entry);
}

/* The bits of MSR_IA32_PEBS_ENABLE of a count. */
static u64 pebs_bits(const struct x86_core *core, const struct x86_count *count,
		     const struct perf_event *event)
{
	u64 bits = BIT_ULL(count->counter);

	if ((event->hw.flags & X86_PRECISE_LATENCY) && !core->precise.adaptive)
		bits |= bits << PEBS_LATENCY_SHIFT;
	if (event->hw.flags & X86_PRECISE_TRACKS)
		bits |= PEBS_TRACKS;
	return bits;
}

/* What the registers are to hold for those counts that have their counters; or will keep them. */
static u64 pebs_wanted(struct x86_pmu_cpu *cpu, bool staying, u64 *groups, bool *many)
{
	u64 enabled = 0;
	int i;

	*groups = 0;
	*many = true;
	for_each_x86_counter(i, cpu->used) {
		struct x86_count *count = &cpu->counts[i];
		const struct perf_event *event;

		if (!count->nr_clients || count->counter < 0 ||
		    (staying && count->counter != count->wanted))
			continue;
		event = pebs_event(count);
		if (!event || !event->attr.precise_ip)
			continue;
		enabled |= pebs_bits(cpu->core, count, event);
		*groups |= x86_precise_groups(cpu->core, event);
		*many &= count->reload && (event->hw.flags & X86_PRECISE_MANY);
	}
	return enabled;
}

static void pebs_write_enable(struct x86_pmu_cpu *cpu, u64 enabled)
{
	if (cpu->precise.enabled == enabled)
		return;
	/*
	 * What older records say of a counter means nothing. One that only counts user space
	 * cannot have written any.
	 */
	WRITE_ONCE(cpu->precise.fresh, enabled & ~cpu->precise.enabled);
	WRITE_ONCE(cpu->precise.enabled, enabled);
	barrier();
	wrmsrl(MSR_IA32_PEBS_ENABLE, enabled);
	if (cpu->precise.has_area)
		x86_precise_drain(cpu, NULL);
	WRITE_ONCE(cpu->precise.fresh, 0);
}

/**
 * x86_precise_keep - let counters that are about to change hands write no records
 * @cpu: this CPU, for which it has been decided which count gets which counter
 *
 * Nor is any record left of which their totals do not know yet.
 */
void x86_precise_keep(struct x86_pmu_cpu *cpu)
{
	u64 groups;
	bool many;

	if (!cpu->precise.enabled)
		return;
	x86_precise_drain(cpu, NULL);
	pebs_write_enable(cpu, cpu->precise.enabled & pebs_wanted(cpu, true, &groups, &many));
}

/* The longest record that @groups make. */
static unsigned int pebs_size(const struct x86_core *core, u64 groups)
{
	unsigned int size = 4 * 8;

	if (!core->precise.adaptive)
		return core->precise.size;
	if (groups & X86_GROUP_MEMORY)
		size += 4 * 8;
	if (groups & X86_GROUP_REGISTERS)
		size += 18 * 8;
	if (groups & X86_GROUP_XMM)
		size += 32 * 8;
	if (groups & X86_GROUP_BRANCHES)
		size += core->branches.nr * 3 * 8;
	return size;
}

/* While the interrupt is under way, each counter may write one more record. */
#define PEBS_SPARE		X86_COUNTERS_MAX

/* Give the CPU its buffer, with room for records of some groups. */
static void pebs_set_area(struct x86_pmu_cpu *cpu, u64 groups, bool many)
{
	struct debug_store *ds = this_cpu_ptr(&cpu_debug_store);
	struct x86_precise_cpu *precise = &cpu->precise;
	unsigned int size = pebs_size(cpu->core, groups), n = PEBS_BUFFER_SIZE / size;
	unsigned int until = many && n > 2 * PEBS_SPARE ? n - PEBS_SPARE : 1;

	ds->pebs_buffer_base = precise->base;
	ds->pebs_absolute_maximum = precise->base + n * size;
	WRITE_ONCE(ds->pebs_interrupt_threshold, precise->base + until * size);
	if (precise->has_area)
		return;
	ds->pebs_index = precise->base;
	memset(ds->pebs_event_reset, 0, sizeof(ds->pebs_event_reset));
	precise->has_area = true;
	wrmsrl(MSR_IA32_DS_AREA,
	       (unsigned long)&get_cpu_entry_area(raw_smp_processor_id())->cpu_debug_store);
}

/* The word of the area with what a counter is set to as it writes a record */
static u64 *pebs_reset_word(const struct x86_pmu_cpu *cpu, int counter)
{
	struct debug_store *ds = this_cpu_ptr(&cpu_debug_store);

	/* Format 4 has room for eight general counters before the fixed ones. */
	if (x86_counter_is_fixed(counter))
		counter += PEBS_ADAPTIVE_GENERAL - INTEL_PMC_IDX_FIXED;
	return &ds->pebs_event_reset[counter];
}

static void pebs_set_reload(struct x86_pmu_cpu *cpu)
{
	int i;

	for_each_x86_counter(i, cpu->used) {
		const struct x86_count *count = &cpu->counts[i];
		int counter = count->counter;

		if (!count->nr_clients || counter < 0 ||
		    !(cpu->core->precise.counters & BIT_ULL(counter)))
			continue;
		*pebs_reset_word(cpu, counter) = -count->reload &
			GENMASK_ULL(x86_counter_width(cpu->core, counter) - 1, 0);
	}
}

/**
 * x86_precise_apply - let counters write records, those whose events want it
 * @cpu: this CPU, whose counts have their counters; before these run
 */
void x86_precise_apply(struct x86_pmu_cpu *cpu)
{
	struct x86_precise_cpu *precise = &cpu->precise;
	u64 groups, enabled;
	bool many;

	if (!precise->buffer)
		return;
	enabled = pebs_wanted(cpu, false, &groups, &many);
	if (enabled && (!precise->has_area || groups != precise->groups ||
			many != precise->many)) {
		pebs_set_area(cpu, groups, many);
		if (cpu->core->precise.adaptive && groups != precise->groups)
			wrmsrl(MSR_PEBS_DATA_CFG, groups);
		precise->groups = groups;
		precise->many = many;
	}
	if (enabled)
		pebs_set_reload(cpu);
	pebs_write_enable(cpu, enabled);
}

/**
 * x86_precise_reset - no record is written, whatever was before
 * @cpu: this CPU, which comes up, goes down, or is back from suspend
 */
void x86_precise_reset(struct x86_pmu_cpu *cpu)
{
	struct x86_precise_cpu *precise = &cpu->precise;

	if (!cpu->core->precise.levels)
		return;
	precise->enabled = ~0ULL;
	pebs_write_enable(cpu, 0);
	if (cpu->core->precise.adaptive)
		wrmsrl(MSR_PEBS_DATA_CFG, 0);
	wrmsrl(MSR_IA32_DS_AREA, 0);
	precise->groups = 0;
	precise->has_area = false;
}

/* Some CPUs now and then write a record that names no counter. If there is but one, it is its. */
static u64 pebs_counters(u64 enabled, const struct x86_record *record)
{
	if (!record->counters && hweight64(enabled) == 1)
		return enabled;
	return record->counters & enabled;
}

/**
 * x86_precise_reload - see struct x86_count
 * @cpu: this CPU
 * @event: that is, or will be, the only client of a count; its period may have changed
 */
u64 x86_precise_reload(const struct x86_pmu_cpu *cpu, const struct perf_event *event)
{
	const struct hw_perf_event *hw = &event->hw;

	if (!(hw->flags & X86_PRECISE_RELOADS) || hw->sample_period > cpu->core->max_period)
		return 0;
	return hw->sample_period;
}

/**
 * x86_precise_pending - how many records there are of a counter that have not been drained
 * @cpu: this CPU
 * @counter: on it
 *
 * Any context.
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
		n += !!(pebs_counters(enabled, &record) & BIT_ULL(counter));
	return n;
}

/* The counter has been set back by the CPU: its total is greater by a period than it tells. */
static void pebs_serve_reloaded(struct x86_pmu_cpu *cpu, struct x86_count *count,
				struct pt_regs *regs, const struct x86_record *record, bool alone)
{
	u64 due = count->bias;
	struct perf_event *event;

	WRITE_ONCE(count->seq, count->seq + 1);
	barrier();
	WRITE_ONCE(count->total, due);
	WRITE_ONCE(count->bias, due + count->reload);
	barrier();
	WRITE_ONCE(count->seq, count->seq + 1);
	event = pebs_event(count);
	if (!event || !x86_event_runs(event))
		return;
	x86_event_account(event, due);
	if (local64_read(&event->hw.period_left) > 0)
		return;
	x86_event_begin_period(event);
	x86_count_next(count);
	x86_sample(cpu, event, regs, record, alone);
}

static void pebs_serve(struct x86_pmu_cpu *cpu, int counter, struct pt_regs *regs,
		       const struct x86_record *record, bool alone)
{
	struct x86_count *count = READ_ONCE(cpu->owner[counter]);

	if (!count || !count->reload)
		x86_serve_counter(cpu, counter, regs, record);
	else if (READ_ONCE(count->counter) == counter && !(READ_ONCE(count->seq) & 1) &&
		 !(READ_ONCE(cpu->precise.fresh) & BIT_ULL(counter)))
		pebs_serve_reloaded(cpu, count, regs, record, alone);
}

/**
 * x86_precise_drain - let each record that has been written be its event's sample
 * @cpu: this CPU
 * @regs: of the interrupt; NULL: there is none
 *
 * What a record says is believed as far as there is an event for it whose period is over.
 * Interrupts are off, or this is the interrupt, which leaves records to the drain that it has
 * interrupted.
 *
 * Return: mask of counters that have been served.
 */
u64 x86_precise_drain(struct x86_pmu_cpu *cpu, struct pt_regs *regs)
{
	struct debug_store *ds = this_cpu_ptr(&cpu_debug_store);
	struct x86_precise_cpu *precise = &cpu->precise;
	u64 enabled = x86_precise_enabled(cpu), served = 0, index;
	const void *at = precise->buffer, *end;
	struct x86_record record;
	bool interrupt = regs;
	struct pt_regs here;
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
			u64 counters = pebs_counters(enabled, &record);

			for_each_x86_counter(counter, counters)
				pebs_serve(cpu, counter, regs, &record,
					   interrupt && !(served & BIT_ULL(counter)));
			served |= counters;
			at += record.size;
		}
		/* One instruction, so that no record comes in its middle. */
	} while (cmpxchg_local(&ds->pebs_index, index, precise->base) != index);
	precise->draining = false;
	return served;
}

/**
 * x86_precise_flush - let samples that wait in the buffer not wait any longer
 * @cpu: this CPU
 * @event: that runs on it; records of others may be drained, too
 *
 * Interrupts are off. In an NMI it does nothing.
 */
void x86_precise_flush(struct x86_pmu_cpu *cpu, const struct perf_event *event)
{
	if ((event->hw.flags & X86_PRECISE_RELOADS) && !in_nmi())
		x86_precise_drain(cpu, NULL);
}
