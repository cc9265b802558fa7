// SPDX-License-Identifier: GPL-2.0
/*
 * The counters' registers. This file alone writes them, and knows what they hold, so that
 * no value is written that is there already.
 *
 * Everything here is for the CPU that it runs on, with interrupts off. The NMI uses it,
 * too: what a register is going to hold is noted before it is written, so that an NMI
 * between the two may restore it.
 */
#define pr_fmt(fmt) "perf/x86: " fmt

#include <asm/msr.h>
#include <asm/nmi.h>

#include "engine.h"

static u32 x86_select_msr(const struct x86_bank *bank, int counter)
{
	return bank->select + counter * bank->stride;
}

static u32 x86_counter_msr(const struct x86_core *core, int counter)
{
	if (x86_counter_is_fixed(counter))
		return core->bank->fixed + counter - INTEL_PMC_IDX_FIXED;
	return core->counter_msr + counter * core->bank->stride;
}

/**
 * x86_read_counter - what a counter holds, extended by its sign
 * @core: this CPU's PMU
 * @counter: one of its counters
 */
u64 x86_read_counter(const struct x86_core *core, int counter)
{
	unsigned int unused = 64 - x86_counter_width(core, counter);
	u64 value;

	rdpmcl(x86_rdpmc_index(counter), value);
	return (s64)(value << unused) >> unused;
}

/**
 * x86_write_counter - let a counter go on from a value
 * @cpu: this CPU
 * @counter: one of its counters
 * @value: as x86_read_counter() will return it; not below -max_period
 */
void x86_write_counter(struct x86_pmu_cpu *cpu, int counter, u64 value)
{
	const struct x86_core *core = cpu->core;

	value &= GENMASK_ULL(x86_counter_width(core, counter) - 1, 0);
	wrmsrl(x86_counter_msr(core, counter), value);
	if (core->bank->write_twice)
		wrmsrl(x86_counter_msr(core, counter), value);
}

/**
 * x86_write_metrics - let the shares of the slots be 0
 *
 * The counter of slots has been set to 0 just before.
 */
void x86_write_metrics(void)
{
	wrmsrl(MSR_PERF_METRICS, 0);
}

/**
 * x86_write_upper - let the upper counter of a pair overflow when the lower one does
 * @cpu: this CPU
 * @counter: the upper one
 *
 * The lower one has been written just before. So one that has overflowed by then leaves no
 * carry behind, and only its value tells; else the next overflow, too, would be missed.
 */
void x86_write_upper(struct x86_pmu_cpu *cpu, int counter)
{
	x86_write_counter(cpu, counter, ~0ULL);
}

/* A hypervisor or the CPU does not take a select: nothing is counted, and not what was before. */
static void x86_refuse_select(const struct x86_bank *bank, int counter, u64 select)
{
	pr_warn_once("the CPU refuses event select %#llx\n", select);
	wrmsrl_safe(x86_select_msr(bank, counter), 0);
}

/**
 * x86_write_select - select what a general counter counts
 * @cpu: this CPU
 * @counter: not a fixed one
 * @select: the whole register
 */
void x86_write_select(struct x86_pmu_cpu *cpu, int counter, u64 select)
{
	const struct x86_bank *bank = cpu->core->bank;

	if (!counter)
		select |= bank->always;
	if (cpu->select[counter] == select)
		return;
	WRITE_ONCE(cpu->select[counter], select);
	if (select & ~bank->always)
		WRITE_ONCE(cpu->has_counted, true);
	barrier();
	if (bank->write_select)
		bank->write_select(counter, select);
	else if (wrmsrl_safe(x86_select_msr(bank, counter), select))
		x86_refuse_select(bank, counter, select);
}

/**
 * x86_pause_select - halt a counter that is about to be set, where its select keeps marks
 * @cpu: this CPU
 * @counter: x86_renew_select() follows
 *
 * No overflow between the write of the counter and that of the select loses its interrupt.
 */
void x86_pause_select(struct x86_pmu_cpu *cpu, int counter)
{
	const struct x86_bank *bank = cpu->core->bank;

	if (bank->sticky)
		wrmsrl(x86_select_msr(bank, counter),
		       READ_ONCE(cpu->select[counter]) & ~bank->halt);
}

/**
 * x86_renew_select - take a sticky mark of an overflow out of a counter's select
 * @cpu: this CPU
 * @counter: that has been set
 */
void x86_renew_select(struct x86_pmu_cpu *cpu, int counter)
{
	if (cpu->core->bank->sticky)
		wrmsrl(x86_select_msr(cpu->core->bank, counter), READ_ONCE(cpu->select[counter]));
}

static void x86_run_idle_selects(struct x86_pmu_cpu *cpu, u64 general)
{
	const struct x86_bank *bank = cpu->core->bank;
	int i;

	for_each_x86_counter(i, general) {
		wrmsrl(x86_select_msr(bank, i), cpu->core->model->idle_selects[i]);
		/* Whatever these count does not overflow. */
		x86_write_counter(cpu, i, 0);
	}
	wrmsrl(bank->control, general);
	wrmsrl(bank->control, 0);
}

/**
 * x86_write_idle_selects - let general counters count right that get new events, an erratum
 * @cpu: this CPU, where x86_model::idle_selects is there
 *
 * All counters are halted afterwards. An NMI does not look at the counters of counts meanwhile,
 * since x86_count::seq is odd, and what is interrupted looks at them again.
 */
void x86_write_idle_selects(struct x86_pmu_cpu *cpu)
{
	u64 general = cpu->core->counters & X86_GENERAL(INTEL_PMC_IDX_FIXED);
	u64 values[INTEL_PMC_IDX_FIXED];
	int i;

	x86_write_control(cpu, 0);
	for_each_x86_counter(i, general) {
		struct x86_count *count = cpu->owner[i];

		if (count) {
			WRITE_ONCE(count->seq, count->seq + 1);
			barrier();
		}
		values[i] = x86_read_counter(cpu->core, i);
		if (count)
			WRITE_ONCE(count->total, count->bias + values[i]);
	}
	x86_run_idle_selects(cpu, general);
	for_each_x86_counter(i, general) {
		struct x86_count *count = cpu->owner[i];

		wrmsrl(x86_select_msr(cpu->core->bank, i), cpu->select[i]);
		x86_write_counter(cpu, i, values[i]);
		if (count) {
			barrier();
			WRITE_ONCE(count->seq, count->seq + 1);
		}
	}
}

/**
 * x86_write_fixed_control - select in which modes fixed counters count
 * @cpu: this CPU
 * @value: the whole register
 */
void x86_write_fixed_control(struct x86_pmu_cpu *cpu, u64 value)
{
	if (cpu->fixed_control == value)
		return;
	WRITE_ONCE(cpu->fixed_control, value);
	if (value)
		WRITE_ONCE(cpu->has_counted, true);
	barrier();
	wrmsrl(cpu->core->bank->fixed_control, value);
}

/**
 * x86_write_control - say which counters run
 * @cpu: this CPU, whose PMU has such a register
 * @value: mask of counters
 */
void x86_write_control(struct x86_pmu_cpu *cpu, u64 value)
{
	if (cpu->control == value && !cpu->control_unsure)
		return;
	WRITE_ONCE(cpu->control_unsure, true);
	WRITE_ONCE(cpu->control, value);
	barrier();
	wrmsrl(cpu->core->bank->control, value);
	barrier();
	WRITE_ONCE(cpu->control_unsure, false);
}

/* Does a register hold what was written into it? An NMI may write it anew. */
static bool x86_is_kept(u32 msr, const u64 *written)
{
	u64 before = READ_ONCE(*written), value;

	rdmsrl(msr, value);
	return value == before || before != READ_ONCE(*written);
}

/**
 * x86_check_control - warn once if another has written the registers of all counters
 * @cpu: this CPU
 *
 * Firmware, a hypervisor, a guest or a driver may do that. What a guest has left is known to need
 * another write.
 */
void x86_check_control(const struct x86_pmu_cpu *cpu)
{
	const struct x86_bank *bank = cpu->core->bank;

	if (bank->control && !cpu->guest_ran && !cpu->runs_guests &&
	    !READ_ONCE(cpu->control_unsure))
		WARN_ON_ONCE(!x86_is_kept(bank->control, &cpu->control));
	if (cpu->core->counters & X86_FIXED_ALL)
		WARN_ON_ONCE(!x86_is_kept(bank->fixed_control, &cpu->fixed_control));
}

/**
 * x86_fixed_select - a fixed counter's part of the control register, at its lowest bits
 * @config: of an event that it counts
 */
u64 x86_fixed_select(u64 config)
{
	u64 bits = 0;

	if (config & ARCH_PERFMON_EVENTSEL_OS)
		bits |= INTEL_FIXED_0_KERNEL;
	if (config & ARCH_PERFMON_EVENTSEL_USR)
		bits |= INTEL_FIXED_0_USER;
	if (config & ARCH_PERFMON_EVENTSEL_ANY)
		bits |= INTEL_FIXED_0_ANYTHREAD;
	if (config & ARCH_PERFMON_EVENTSEL_INT)
		bits |= INTEL_FIXED_0_ENABLE_PMI;
	if (config & X86_ADAPTIVE)
		bits |= X86_FIXED_ADAPTIVE;
	return bits;
}

/* A status that does not become 0 by so many acknowledgements never does. */
#define X86_ACKNOWLEDGED_MAX	8

/* Counters that have passed zero; they are negative until then. */
static u64 x86_find_overflowed(struct x86_pmu_cpu *cpu)
{
	u64 overflowed = 0, claimed = READ_ONCE(cpu->claim_running) & cpu->claim_ints;
	int i;

	for_each_x86_counter(i, cpu->core->counters & ~READ_ONCE(cpu->upper)) {
		if (!cpu->owner[i] && !(claimed & BIT_ULL(i)))
			continue;
		if ((s64)x86_read_counter(cpu->core, i) >= 0)
			overflowed |= BIT_ULL(i);
	}
	return overflowed;
}

/*
 * Acknowledge @status, also where that takes counters that run, and they have been halted.
 * They may overflow then, while the interrupt is masked. True: look at the status again.
 */
static bool x86_acknowledge(struct x86_pmu_cpu *cpu, u64 status)
{
	const struct x86_bank *bank = cpu->core->bank;
	bool halted = bank->ack_runs && !cpu->control;

	if (halted)
		x86_write_control(cpu, cpu->running & ~cpu->guest_only);
	wrmsrl(bank->ack, status);
	/* If none is to run, this has had no effect, and the next interrupt does it. */
	if (!halted || !cpu->control)
		return false;
	x86_write_control(cpu, 0);
	return true;
}

/**
 * x86_acknowledge_bits - acknowledge what else has happened
 * @cpu: this CPU, whose PMU has a status register
 * @status: bits of it, of no counter
 */
void x86_acknowledge_bits(struct x86_pmu_cpu *cpu, u64 status)
{
	wrmsrl(cpu->core->bank->ack, status);
}

/**
 * x86_read_overflowed - which counters have overflowed, and acknowledge it
 * @cpu: this CPU
 * @later: status bits of no counter that the caller acknowledges later
 * @others: set to what else has happened, as bits of the status register
 */
u64 x86_read_overflowed(struct x86_pmu_cpu *cpu, u64 later, u64 *others)
{
	const struct x86_bank *bank = cpu->core->bank;
	u64 known = cpu->core->counters | bank->others;
	u64 status = 0, more, upper;
	int rounds = 0;

	*others = 0;
	if (!bank->status)
		return x86_find_overflowed(cpu);
	do {
		rdmsrl(bank->status, more);
		more &= known;
		status |= more;
		more &= ~later;
	} while (more && x86_acknowledge(cpu, more) && ++rounds < X86_ACKNOWLEDGED_MAX);
	*others = status & ~cpu->core->counters;
	status &= cpu->core->counters;
	/* Whichever of a pair says it: the lower one's value tells. */
	upper = status & READ_ONCE(cpu->upper);
	return (status ^ upper) | upper >> 1;
}

static void x86_clear_counter(struct x86_pmu_cpu *cpu, int counter)
{
	x86_write_counter(cpu, counter, -cpu->core->max_period);
	cpu->value_turn[counter] = 0;
}

/**
 * x86_clear_counters - let counters tell nothing of what they have counted
 * @cpu: this CPU
 * @counters: mask of counters that belong to no count; X86_METRICS_RUN: the shares, too
 */
void x86_clear_counters(struct x86_pmu_cpu *cpu, u64 counters)
{
	int i;

	counters &= ~cpu->has_clean;
	for_each_x86_counter(i, counters & cpu->core->counters) {
		/* Without a status register, only the value shows that an NMI is pending. */
		if (!cpu->core->bank->status)
			x86_note_unseen(cpu, x86_read_counter(cpu->core, i));
		x86_clear_counter(cpu, i);
	}
	if (counters & X86_METRICS_RUN)
		x86_write_metrics();
	cpu->has_clean |= counters;
}

/* Firmware, or another kernel, may have left any bit of the status set, such as CondChgd. */
static void x86_reset_status(struct x86_pmu_cpu *cpu)
{
	const struct x86_bank *bank = cpu->core->bank;
	u64 status;

	rdmsrl(bank->status, status);
	/* No select counts anything. */
	if (bank->ack_runs)
		x86_write_control(cpu, cpu->core->counters);
	wrmsrl(bank->ack, (status & bank->others) | cpu->core->counters);
	if (bank->ack_runs)
		x86_write_control(cpu, 0);
}

/*
 * Firmware may have asked the CPU to halt all counters as one of them interrupts, which clears the
 * control register (version 2 and 3). What that register holds would not be known here.
 */
#define X86_DEBUGCTL_FREEZE_BIT		12

static void x86_reset_freeze(const struct x86_core *core)
{
	if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL && core->version >= 2)
		msr_clear_bit(MSR_IA32_DEBUGCTLMSR, X86_DEBUGCTL_FREEZE_BIT);
}

/**
 * x86_reset_registers - halt and clear all counters, whatever was in them
 * @cpu: this CPU, which has just come up, or goes down
 */
void x86_reset_registers(struct x86_pmu_cpu *cpu)
{
	const struct x86_bank *bank = cpu->core->bank;
	int i;

	if (bank->control) {
		cpu->control = ~0ULL;
		x86_write_control(cpu, 0);
	}
	if (cpu->core->counters & X86_FIXED_ALL) {
		cpu->fixed_control = ~0ULL;
		x86_write_fixed_control(cpu, 0);
	}
	for_each_x86_counter(i, cpu->core->counters) {
		cpu->select[i] = x86_counter_is_fixed(i) ? 0 : ~0ULL;
		if (!x86_counter_is_fixed(i))
			x86_write_select(cpu, i, 0);
	}
	for_each_x86_counter(i, cpu->core->counters)
		x86_clear_counter(cpu, i);
	if (x86_clearable(cpu->core) & X86_METRICS_RUN)
		x86_write_metrics();
	cpu->has_clean = x86_clearable(cpu->core);
	if (bank->status)
		x86_reset_status(cpu);
	x86_reset_freeze(cpu->core);
	x86_force_abort(cpu, 0);
	cpu->running = 0;
	cpu->claimed = 0;
	cpu->claim_running = 0;
	cpu->claim_ints = 0;
}

static void x86_print_register(const char *name, u32 msr)
{
	u64 value;

	if (msr && !rdmsrl_safe(msr, &value))
		pr_info("%-16s %016llx\n", name, (unsigned long long)value);
}

/**
 * x86_print_registers - print what the counters' registers hold
 * @cpu: this CPU, interrupts off
 */
void x86_print_registers(const struct x86_pmu_cpu *cpu)
{
	const struct x86_core *core = cpu->core;
	const struct x86_bank *bank = core->bank;
	int i;

	x86_print_register("control", bank->control);
	x86_print_register("status", bank->status);
	if (core->counters & X86_FIXED_ALL)
		x86_print_register("fixed control", bank->fixed_control);
	if (core->precise.levels)
		x86_print_register("PEBS enable", MSR_IA32_PEBS_ENABLE);
	for_each_x86_counter(i, core->counters) {
		bool fixed = x86_counter_is_fixed(i);
		u64 select = 0;

		if (!fixed && rdmsrl_safe(x86_select_msr(bank, i), &select))
			continue;
		pr_info("%s counter %d: select %016llx, count %016llx, for event: %d\n",
			fixed ? "fixed" : "general", fixed ? i - INTEL_PMC_IDX_FIXED : i,
			(unsigned long long)select,
			(unsigned long long)x86_read_counter(core, i), !!cpu->owner[i]);
	}
}

/**
 * perf_event_print_debug - print what the counters of this CPU and their selects hold
 *
 * For SysRq p, interrupts off or on.
 */
void perf_event_print_debug(void)
{
	const struct x86_pmu_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&x86_pmu_cpu);
	if (cpu->core) {
		pr_info("counters of CPU %d:\n", raw_smp_processor_id());
		x86_print_registers(cpu);
	}
	local_irq_restore(flags);
}

/* Fixed counters that are there: those that can be read. */
static u64 x86_check_fixed(const struct x86_core *core)
{
	u64 fixed = core->counters & X86_FIXED_ALL, value;
	int i;

	if (!fixed || rdmsrl_safe(core->bank->fixed_control, &value))
		return 0;
	for_each_x86_counter(i, fixed) {
		if (rdmsrl_safe(x86_counter_msr(core, i), &value))
			fixed &= ~BIT_ULL(i);
	}
	return fixed;
}

/* Counters that are reserved, for cores of any kind. */
static u64 x86_reserved;

/* Reserve the registers of a counter: other parts of the kernel ask for theirs in this way. */
static bool x86_reserve(const struct x86_core *core, int counter)
{
#ifdef CONFIG_X86_LOCAL_APIC
	u32 msr = core->bank->counter + counter * core->bank->stride;
	u32 select = x86_select_msr(core->bank, counter);

	if (x86_reserved & BIT_ULL(counter))
		return true;
	if (!reserve_perfctr_nmi(msr))
		return false;
	if (!reserve_evntsel_nmi(select)) {
		release_perfctr_nmi(msr);
		return false;
	}
#endif
	x86_reserved |= BIT_ULL(counter);
	return true;
}

/* Does a register keep what is written into it? */
static bool x86_keeps(u32 msr, u64 value, u64 mask)
{
	u64 back;

	return !wrmsrl_safe(msr, value) && !rdmsrl_safe(msr, &back) &&
	       (back & mask) == (value & mask);
}

/**
 * x86_check_registers - are there counters, and do they count what they are told to?
 * @core: of the CPU that this runs on
 *
 * At boot. A counter that a hypervisor only seems to have is not used. One that runs already is
 * halted: a kernel before this one may have crashed. Firmware that uses it has lost it.
 *
 * Return: 0, or -ENODEV: there is no PMU; the log has one line that says why.
 */
int x86_check_registers(struct x86_core *core)
{
	const struct x86_bank *bank = core->bank;
	u64 good = 0, left = 0, value;
	int i;

	for_each_x86_counter(i, core->counters & ~X86_FIXED_ALL) {
		u64 start = 0xabcdULL;

		if (!bank->write_select && rdmsrl_safe(x86_select_msr(bank, i), &value)) {
			pr_warn("counter %d is not there\n", i);
			continue;
		}
		if (!bank->write_select && bank->run && (value & bank->run)) {
			left |= BIT_ULL(i);
			if (wrmsrl_safe(x86_select_msr(bank, i), 0))
				continue;
		}
		if (!x86_keeps(x86_counter_msr(core, i), start,
			       GENMASK_ULL(core->width - 1, 0)) ||
		    wrmsrl_safe(x86_counter_msr(core, i), 0))
			continue;
		if (x86_reserve(core, i))
			good |= BIT_ULL(i);
	}
	if (left)
		pr_warn("counters %#llx were left running by the firmware or another kernel\n",
			(unsigned long long)left);
	if (!good) {
		pr_info("no PMU: its counters do not keep what is written\n");
		return -ENODEV;
	}
	if (bank->control && (rdmsrl_safe(bank->control, &value) ||
			      rdmsrl_safe(bank->status, &value))) {
		pr_info("no PMU: its control registers are not there\n");
		return -ENODEV;
	}
	core->counters = good | x86_check_fixed(core);
	return 0;
}

/**
 * x86_check_extra - which registers beside the selects are there?
 * @core: of the CPU that this runs on
 *
 * At boot. Hypervisors have none of them, whatever the model. Of two that stand for each other
 * there are both or none.
 */
void x86_check_extra(struct x86_core *core)
{
	const struct x86_extra *row = core->model->extra;
	int i;

	/* A row that writes them in its own way has several registers behind each. */
	if (core->model->write_extra)
		return;
	for (i = 0; row && row[i].msr; i++) {
		u64 bit = row[i].valid & -row[i].valid, before;

		if (!rdmsrl_safe(row[i].msr, &before) && x86_keeps(row[i].msr, bit, bit) &&
		    !wrmsrl_safe(row[i].msr, before))
			continue;
		core->no_extra |= BIT_ULL(i);
		if (row[i].twin)
			core->no_extra |= BIT_ULL(row[i].twin > 0 ? i + 1 : i - 1);
	}
}
