// SPDX-License-Identifier: GPL-2.0
/*
 * Register access of the counters. Only this file and x86_pmu_msrs::write_select write these
 * registers. A shadow avoids writes of a value that a register has already.
 *
 * Context of all functions, unless noted: interrupts off, on the CPU of the registers, or NMI. The
 * shadow is updated before the register is written, so that an NMI in between can restore the
 * register.
 */
#define pr_fmt(fmt) "perf/x86: " fmt

#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/nmi.h>

#include "engine.h"

static u32 x86_counter_msr(const struct x86_core *core, int counter)
{
	if (x86_counter_is_fixed(counter))
		return core->msrs->fixed + counter - INTEL_PMC_IDX_FIXED;
	return core->counter_msr + counter * core->msrs->stride;
}

/**
 * x86_read_counter - read a counter
 * @core: the PMU of this CPU
 * @counter: the counter
 *
 * Return: the value, sign-extended.
 */
u64 x86_read_counter(const struct x86_core *core, int counter)
{
	unsigned int unused = 64 - x86_counter_width(core, counter);
	u64 value;

	rdpmcl(x86_rdpmc_index(counter), value);
	return (s64)(value << unused) >> unused;
}

/**
 * x86_write_counter - write a counter
 * @cpu: this CPU
 * @counter: the counter
 * @value: the value, sign-extended; at least -max_period
 */
void x86_write_counter(struct x86_pmu_cpu *cpu, int counter, u64 value)
{
	const struct x86_core *core = cpu->core;

	value &= GENMASK_ULL(x86_counter_width(core, counter) - 1, 0);
	wrmsrl(x86_counter_msr(core, counter), value);
	if (core->msrs->write_twice)
		wrmsrl(x86_counter_msr(core, counter), value);
}

/**
 * x86_write_metrics - clear the Topdown metrics
 *
 * Called just after the slots counter was set to 0.
 */
void x86_write_metrics(void)
{
	wrmsrl(MSR_PERF_METRICS, 0);
}

/**
 * x86_write_upper - program the upper counter of a pair to overflow with the lower one
 * @cpu: this CPU
 * @counter: the upper counter
 *
 * Called just after the lower counter was written. The lower counter may have carried since. The
 * upper counter is then 0, and would not overflow at the next carry, so it is always written. This
 * write discards the carry, but the value of the lower counter still shows the overflow.
 */
void x86_write_upper(struct x86_pmu_cpu *cpu, int counter)
{
	x86_write_counter(cpu, counter, ~0ULL);
}

/* A select refused by the hypervisor or the CPU: count nothing, rather than the former event. */
static void x86_refuse_select(const struct x86_pmu_msrs *msrs, int counter, u64 select)
{
	pr_warn_once("the CPU refuses event select %#llx\n", select);
	wrmsrl_safe(x86_select_msr(msrs, counter), 0);
}

/**
 * x86_kernel_counters - find the counters that count the kernel
 * @cpu: this CPU
 * @counters: mask of running counters
 *
 * The mode bits of a P4 are in the ESCR. Each select of a P4 has P4_CCCR_THREAD_ANY, which includes
 * ARCH_PERFMON_EVENTSEL_OS, so all counters of a P4 count as kernel counters.
 *
 * Return: mask of those in @counters that count kernel mode.
 */
u64 x86_kernel_counters(const struct x86_pmu_cpu *cpu, u64 counters)
{
	u64 control = cpu->fixed_control, found = 0;
	int i;

	if (cpu->core->msrs->write_select)
		return counters;
	for_each_x86_counter(i, counters) {
		u64 kernel;

		if (x86_counter_is_fixed(i))
			kernel = control & intel_fixed_bits_by_idx(i - INTEL_PMC_IDX_FIXED,
								   INTEL_FIXED_0_KERNEL);
		else
			kernel = cpu->select[i] & ARCH_PERFMON_EVENTSEL_OS;
		if (kernel)
			found |= BIT_ULL(i);
	}
	return found;
}

/* Remember counters that are reprogrammed in a kernel thread after they have counted the kernel. */
static void x86_note_kernel(struct x86_pmu_cpu *cpu, u64 counters)
{
	if (unlikely(x86_in_kernel_thread()))
		cpu->counted_kernel |= x86_kernel_counters(cpu, cpu->running & counters);
}

/**
 * x86_write_select - program the event select of a general counter
 * @cpu: this CPU
 * @counter: the counter
 * @select: value of the whole register
 */
void x86_write_select(struct x86_pmu_cpu *cpu, int counter, u64 select)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;

	if (!counter)
		select |= msrs->always;
	if (cpu->select[counter] == select)
		return;
	x86_note_kernel(cpu, BIT_ULL(counter));
	WRITE_ONCE(cpu->select[counter], select);
	if (select & ~msrs->always)
		WRITE_ONCE(cpu->has_counted, true);
	barrier();
	if (msrs->write_select)
		msrs->write_select(counter, select);
	else if (wrmsrl_safe(x86_select_msr(msrs, counter), select))
		x86_refuse_select(msrs, counter, select);
}

/**
 * x86_restore_selects - write the event selects of all general counters again
 * @cpu: this CPU, without x86_pmu_msrs::write_select
 *
 * A VM exit may have loaded other values than those in x86_pmu_cpu::select.
 */
void x86_restore_selects(struct x86_pmu_cpu *cpu)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;
	u64 select;
	int i;

	for_each_x86_counter(i, cpu->core->counters & X86_GENERAL(INTEL_PMC_IDX_FIXED)) {
		do {
			select = READ_ONCE(cpu->select[i]);
			if (wrmsrl_safe(x86_select_msr(msrs, i), select))
				x86_refuse_select(msrs, i, select);
			/* Repeat if an NMI has written another value. */
		} while (select != READ_ONCE(cpu->select[i]));
	}
}

static void x86_run_erratum_selects(struct x86_pmu_cpu *cpu, u64 general)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;
	int i;

	for_each_x86_counter(i, general) {
		wrmsrl(x86_select_msr(msrs, i), cpu->core->model->erratum_selects[i]);
		/* A counter that starts at 0 does not overflow in this short run. */
		x86_write_counter(cpu, i, 0);
	}
	wrmsrl(msrs->control, general);
	wrmsrl(msrs->control, 0);
}

/**
 * x86_write_erratum_selects - erratum workaround for new events on general counters
 * @cpu: this CPU, with x86_model::erratum_selects
 *
 * Stops all counters. x86_count::seq is odd meanwhile, so an NMI does not read the counters, and
 * leaves their overflows to the interrupted code.
 *
 * Does nothing without global control. The CPUs with the erratum have it, but a hypervisor may
 * report version 1 of the PMU, or more counters than these CPUs have.
 */
void x86_write_erratum_selects(struct x86_pmu_cpu *cpu)
{
	u64 general = cpu->core->counters & X86_GENERAL(X86_ERRATUM_SELECTS);
	u64 values[X86_ERRATUM_SELECTS], precise = READ_ONCE(cpu->precise.enabled);
	int i;

	if (!cpu->core->msrs->control)
		return;
	x86_write_global_ctrl(cpu, 0);
	/* Some of the selects count: they must not cause a PEBS record. */
	if (precise)
		wrmsrl(MSR_IA32_PEBS_ENABLE, 0);
	for_each_x86_counter(i, general) {
		struct x86_count *count = cpu->owner[i];

		if (count) {
			WRITE_ONCE(count->seq, count->seq + 1);
			barrier();
		}
		values[i] = x86_read_counter(cpu->core, i);
		if (count)
			WRITE_ONCE(count->total, count->offset + values[i]);
	}
	x86_run_erratum_selects(cpu, general);
	for_each_x86_counter(i, general) {
		struct x86_count *count = cpu->owner[i];

		wrmsrl(x86_select_msr(cpu->core->msrs, i), cpu->select[i]);
		x86_write_counter(cpu, i, values[i]);
		if (count) {
			barrier();
			WRITE_ONCE(count->seq, count->seq + 1);
		}
	}
	if (precise)
		wrmsrl(MSR_IA32_PEBS_ENABLE, precise);
}

/**
 * x86_write_fixed_control - program the control register of the fixed counters
 * @cpu: this CPU
 * @value: value of the whole register
 */
void x86_write_fixed_control(struct x86_pmu_cpu *cpu, u64 value)
{
	if (cpu->fixed_control == value)
		return;
	x86_note_kernel(cpu, cpu->core->counters & X86_FIXED_ALL);
	WRITE_ONCE(cpu->fixed_control, value);
	if (value)
		WRITE_ONCE(cpu->has_counted, true);
	barrier();
	wrmsrl(cpu->core->msrs->fixed_control, value);
}

/**
 * x86_write_global_ctrl - program the global control register
 * @cpu: this CPU, with such a register
 * @value: mask of the counters to run
 */
void x86_write_global_ctrl(struct x86_pmu_cpu *cpu, u64 value)
{
	if (cpu->control == value && !cpu->control_unknown)
		return;
	WRITE_ONCE(cpu->control_unknown, true);
	WRITE_ONCE(cpu->control, value);
	barrier();
	wrmsrl(cpu->core->msrs->control, value);
	barrier();
	WRITE_ONCE(cpu->control_unknown, false);
}

/* Does a register still have the value written? An NMI may write another value meanwhile. */
static bool x86_is_kept(u32 msr, const u64 *written)
{
	u64 before = READ_ONCE(*written), value;

	rdmsrl(msr, value);
	return value == before || before != READ_ONCE(*written);
}

/**
 * x86_check_global_ctrl - warn if a control register was changed by other code
 * @cpu: this CPU
 *
 * Firmware, a hypervisor, a guest or another driver may have changed the register. The global
 * control register is not checked after a guest may have run, since it is written again anyway.
 */
void x86_check_global_ctrl(const struct x86_pmu_cpu *cpu)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;

	if (msrs->control && !cpu->guest_ran && !cpu->runs_guests &&
	    !READ_ONCE(cpu->control_unknown))
		WARN_ON_ONCE(!x86_is_kept(msrs->control, &cpu->control));
	if (cpu->core->counters & X86_FIXED_ALL)
		WARN_ON_ONCE(!x86_is_kept(msrs->fixed_control, &cpu->fixed_control));
}

/**
 * x86_check_clean - warn if a counter that was cleared has counted since
 * @cpu: this CPU, which is about to run a program that may read counters
 *
 * The program could read counts of other tasks. Counters that the core's other thread or the
 * microcode may use are not checked.
 */
void x86_check_clean(const struct x86_pmu_cpu *cpu)
{
	const struct x86_core *core = cpu->core;
	int i;

	if (core->msrs->shared)
		return;
	for_each_x86_counter(i, cpu->cleared & core->counters & ~core->tfa_counters) {
		u64 counted = x86_read_counter(core, i) + core->max_period;

		WARN_ON_ONCE(counted & GENMASK_ULL(x86_counter_width(core, i) - 1, 0));
	}
}

/**
 * x86_fixed_select - convert an event select to the control bits of fixed counter 0
 * @config: the event select
 *
 * Return: the control bits.
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

/* Maximum number of acknowledgements; a status that is still not 0 is stuck. */
#define X86_ACKNOWLEDGED_MAX	8

/* Mask of the counters that have overflowed: a counter is negative until its overflow. */
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
 * Acknowledge @status. With x86_pmu_msrs::ack_runs, counters run during the write, and may overflow
 * while the interrupt is masked. Returns true if the status must be read again.
 */
static bool x86_acknowledge(struct x86_pmu_cpu *cpu, u64 status)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;
	bool halted = msrs->ack_runs && !cpu->control;

	if (halted)
		x86_write_global_ctrl(cpu, cpu->running & ~cpu->guest_only);
	wrmsrl(msrs->ack, status);
	/* If no counter may run, the write had no effect: the next interrupt acknowledges again. */
	if (!halted || !cpu->control)
		return false;
	x86_write_global_ctrl(cpu, 0);
	return true;
}

/**
 * x86_acknowledge_bits - clear status bits that need no handling
 * @cpu: this CPU, with a status register
 * @status: the bits
 */
void x86_acknowledge_bits(struct x86_pmu_cpu *cpu, u64 status)
{
	wrmsrl(cpu->core->msrs->ack, status);
}

/**
 * x86_halt_without_pmu - halt the counters that firmware may have left running
 * @msrs: the registers of this CPU, whose x86_pmu_cpu::core is NULL
 *
 * A kernel that is booted later does not need the old value: all kernels for these CPUs write the
 * global control register.
 */
void x86_halt_without_pmu(const struct x86_pmu_msrs *msrs)
{
	wrmsrl(msrs->control, 0);
}

/**
 * x86_acknowledge_trace - check for an interrupt of PT, and acknowledge it
 * @msrs: the registers of this CPU
 *
 * Return: true if PT has interrupted.
 */
bool x86_acknowledge_trace(const struct x86_pmu_msrs *msrs)
{
	u64 status;

	rdmsrl(msrs->status, status);
	if (!(status & GLOBAL_STATUS_TRACE_TOPAPMI))
		return false;
	/* An interrupt of PT freezes the branch unit, even while the LVT entry is masked. */
	wrmsrl(msrs->ack, status & (GLOBAL_STATUS_TRACE_TOPAPMI | X86_STATUS_BRANCHES_FROZEN));
	return true;
}

/**
 * x86_read_overflowed - find and acknowledge overflows
 * @cpu: this CPU
 * @later: status bits to be acknowledged later by the caller
 * @others: receives the status bits other than overflows
 *
 * Return: mask of the counters that have overflowed, except counters programmed without interrupt.
 */
u64 x86_read_overflowed(struct x86_pmu_cpu *cpu, u64 later, u64 *others)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;
	u64 known = cpu->core->counters | msrs->others;
	u64 status = 0, more, upper;
	int rounds = 0;

	*others = 0;
	if (!msrs->status)
		return x86_find_overflowed(cpu);
	do {
		rdmsrl(msrs->status, more);
		more &= known;
		status |= more;
		more &= ~later;
	} while (more && x86_acknowledge(cpu, more) && ++rounds < X86_ACKNOWLEDGED_MAX);
	*others = status & ~cpu->core->counters;
	status &= cpu->core->counters & ~READ_ONCE(cpu->ignored);
	/* For a pair, report the lower counter. */
	upper = status & READ_ONCE(cpu->upper);
	return (status ^ upper) | upper >> 1;
}

static void x86_clear_counter(struct x86_pmu_cpu *cpu, int counter)
{
	x86_write_counter(cpu, counter, -cpu->core->max_period);
	cpu->value_gen[counter] = 0;
}

/**
 * x86_clear_counters - clear counters whose x86_pmu_cpu::owner is NULL
 * @cpu: this CPU
 * @counters: mask of the counters; X86_METRICS_RUN: the Topdown metrics
 */
void x86_clear_counters(struct x86_pmu_cpu *cpu, u64 counters)
{
	int i;

	counters &= ~cpu->cleared;
	for_each_x86_counter(i, counters & cpu->core->counters) {
		/* Without a status register, only the value shows a pending NMI. */
		if (!cpu->core->msrs->status)
			x86_check_late_nmi(cpu, x86_read_counter(cpu->core, i));
		x86_clear_counter(cpu, i);
	}
	if (counters & X86_METRICS_RUN)
		x86_write_metrics();
	cpu->cleared |= counters;
}

/**
 * x86_ignore_overflows - ignore the overflows of counters about to be programmed without interrupt
 * @cpu: this CPU
 * @counters: mask of the counters, whose x86_pmu_cpu::owner is NULL
 *
 * A late interrupt is expected if a counter has overflowed, or may overflow until it is programmed.
 *
 * Context: interrupts off, x86_pmu_cpu::reprogramming is set.
 */
void x86_ignore_overflows(struct x86_pmu_cpu *cpu, u64 counters)
{
	bool late = false;
	u64 status;
	int i;

	counters &= ~cpu->ignored;
	/* Without a status register, only counters that interrupt are checked. */
	if (!counters || !cpu->core->msrs->status)
		return;
	for_each_x86_counter(i, counters)
		late |= (s64)x86_read_counter(cpu->core, i) >= -X86_REPROGRAM_INCREMENT_MAX;
	rdmsrl(cpu->core->msrs->status, status);
	if (late || (status & counters))
		x86_expect_late_nmi(cpu);
	barrier();
	WRITE_ONCE(cpu->ignored, cpu->ignored | counters);
}

/**
 * x86_unignore_overflows - discard the overflows of counters that are about to interrupt
 * @cpu: this CPU
 * @counters: mask of the counters, which are programmed after this. Those in
 *	x86_pmu_cpu::ignored are cleared, so that they do not overflow meanwhile
 */
void x86_unignore_overflows(struct x86_pmu_cpu *cpu, u64 counters)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;
	bool halted = msrs->ack_runs && !cpu->control;
	int i;

	counters &= cpu->ignored;
	if (likely(!counters))
		return;
	for_each_x86_counter(i, counters)
		x86_clear_counter(cpu, i);
	if (halted)
		x86_write_global_ctrl(cpu, counters);
	wrmsrl(msrs->ack, counters);
	if (halted)
		x86_write_global_ctrl(cpu, 0);
	WRITE_ONCE(cpu->ignored, cpu->ignored & ~counters);
}

/* Clear all bits that firmware or another kernel has left in the status, such as CondChgd. */
static void x86_reset_status(struct x86_pmu_cpu *cpu)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;
	u64 status;

	rdmsrl(msrs->status, status);
	/* All selects are 0, so no counter runs. */
	if (msrs->ack_runs)
		x86_write_global_ctrl(cpu, cpu->core->counters);
	wrmsrl(msrs->ack, (status & msrs->others) | cpu->core->counters);
	if (msrs->ack_runs)
		x86_write_global_ctrl(cpu, 0);
}

/*
 * Firmware may have enabled FREEZE_PERFMON_ON_PMI. On versions 2 and 3 the CPU then clears the
 * global control register at an interrupt, and the shadow would be wrong.
 */
#define X86_DEBUGCTL_FREEZE_BIT		12

static void x86_reset_freeze(const struct x86_core *core)
{
	if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL && core->version >= 2)
		msr_clear_bit(MSR_IA32_DEBUGCTLMSR, X86_DEBUGCTL_FREEZE_BIT);
}

/*
 * Another kernel may have set up reloads of these counters, and counts of perf would be wrong after
 * a reload. A hypervisor may report the reloads, but refuse the writes.
 */
static void x86_reset_reloads(const struct x86_core *core)
{
	int i;

	for_each_x86_counter(i, core->auto_reloads) {
		wrmsrl_safe(x86_reload_msr(i, X86_RELOAD_CAUSES), 0);
		wrmsrl_safe(x86_reload_msr(i, X86_RELOAD_VALUE), 0);
	}
}

/*
 * Mask of the counters that only this CPU uses. If the threads of a core share the counters, the
 * other thread may use those with a select of 0 in the shadow of this CPU.
 */
static u64 x86_own_counters(const struct x86_pmu_cpu *cpu)
{
	u64 own = 0;
	int i;

	if (!cpu->core->msrs->shared)
		return cpu->core->counters;
	for_each_x86_counter(i, cpu->core->counters) {
		if (cpu->select[i])
			own |= BIT_ULL(i);
	}
	return own;
}

/**
 * x86_clear_sticky_overflows - clear the sticky overflow flags that are still set
 * @cpu: this CPU, whose selects have such flags
 *
 * A flag keeps the interrupt asserted: after the unmasking, NMIs would follow one another without
 * end. x86_handle_overflowed() has cleared the flags of the counters that it has programmed. The
 * remaining flags are mainly those of counters without an owner.
 *
 * The interrupted code may be changing x86_pmu_cpu::select. So read each select from the register,
 * not from the shadow, and write it back without the flag.
 *
 * Context: overflow interrupt.
 * Return: the number of flags cleared.
 */
int x86_clear_sticky_overflows(struct x86_pmu_cpu *cpu)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;
	int i, n = 0;
	u64 select;

	for_each_x86_counter(i, x86_own_counters(cpu)) {
		rdmsrl(x86_select_msr(msrs, i), select);
		if (!(select & msrs->sticky))
			continue;
		wrmsrl(x86_select_msr(msrs, i), select & ~msrs->sticky);
		n++;
	}
	return n;
}

/**
 * x86_set_selects_unknown - note that all selects may have any value
 * @cpu: this CPU, which is brought up or resumes, without the other thread of its core
 */
void x86_set_selects_unknown(struct x86_pmu_cpu *cpu)
{
	memset(cpu->select, 0xff, sizeof(cpu->select));
}

/**
 * x86_reset_registers - halt and clear all counters, which may be in any state
 * @cpu: this CPU, which is brought up, taken offline, suspended, resumed or shut down
 *
 * If the threads of a core share the counters, this function resets only the counters whose shadow
 * select is not 0. The other thread may use the rest.
 *
 * Context: interrupts off, or NMI after a crash.
 */
void x86_reset_registers(struct x86_pmu_cpu *cpu)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;
	u64 own = x86_own_counters(cpu);
	int i;

	if (msrs->control) {
		cpu->control = ~0ULL;
		x86_write_global_ctrl(cpu, 0);
	}
	if (cpu->core->counters & X86_FIXED_ALL) {
		cpu->fixed_control = ~0ULL;
		x86_write_fixed_control(cpu, 0);
	}
	for_each_x86_counter(i, own) {
		cpu->select[i] = x86_counter_is_fixed(i) ? 0 : ~0ULL;
		if (!x86_counter_is_fixed(i))
			x86_write_select(cpu, i, 0);
	}
	x86_reset_reloads(cpu->core);
	for_each_x86_counter(i, own)
		x86_clear_counter(cpu, i);
	if (x86_clearable(cpu->core) & X86_METRICS_RUN)
		x86_write_metrics();
	cpu->cleared = x86_clearable(cpu->core);
	cpu->counted_kernel = 0;
	if (msrs->status)
		x86_reset_status(cpu);
	x86_reset_freeze(cpu->core);
	/* Another kernel may have set Force Abort. */
	if (cpu->core->tfa_counters)
		cpu->force_abort = true;
	x86_force_abort(cpu, 0);
	cpu->running = 0;
	cpu->claimed = 0;
	cpu->claim_running = 0;
	cpu->claim_ints = 0;
	cpu->ignored = 0;
}

/**
 * x86_leave_registers - leave the reset registers to another kernel
 * @cpu: this CPU, with all counters halted and cleared
 *
 * A CPU starts with the general counters enabled in the global control register. A kernel that does
 * not know this register relies on that, and starts and stops counters by their selects. So enable
 * the general counters.
 */
void x86_leave_registers(struct x86_pmu_cpu *cpu)
{
	const struct x86_core *core = cpu->core;

	if (core->msrs->control)
		x86_write_global_ctrl(cpu, core->counters & X86_GENERAL(INTEL_PMC_IDX_FIXED));
}

static void x86_print_register(const char *name, u32 msr)
{
	u64 value;

	if (msr && !rdmsrl_safe(msr, &value))
		pr_info("%-16s %016llx\n", name, (unsigned long long)value);
}

/**
 * x86_print_registers - print the registers of this CPU's counters
 * @cpu: this CPU
 */
void x86_print_registers(const struct x86_pmu_cpu *cpu)
{
	const struct x86_core *core = cpu->core;
	const struct x86_pmu_msrs *msrs = core->msrs;
	int i;

	x86_print_register("control", msrs->control);
	x86_print_register("status", msrs->status);
	if (core->counters & X86_FIXED_ALL)
		x86_print_register("fixed control", msrs->fixed_control);
	if (core->precise.levels)
		x86_print_register("PEBS enable", MSR_IA32_PEBS_ENABLE);
	for_each_x86_counter(i, core->counters) {
		bool fixed = x86_counter_is_fixed(i);
		u64 select = 0;

		if (!fixed && rdmsrl_safe(x86_select_msr(msrs, i), &select))
			continue;
		pr_info("%s counter %d: select %016llx, count %016llx, programmed by perf: %s\n",
			fixed ? "fixed" : "general", fixed ? i - INTEL_PMC_IDX_FIXED : i,
			(unsigned long long)select,
			(unsigned long long)x86_read_counter(core, i),
			cpu->owner[i] ? "yes" : "no");
	}
}

/**
 * perf_event_print_debug - print the registers of this CPU's counters, for SysRq
 *
 * Context: any but NMI.
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

/* Mask of the fixed counters that can be read. */
static u64 x86_check_fixed(const struct x86_core *core)
{
	u64 fixed = core->counters & X86_FIXED_ALL, value;
	int i;

	if (!fixed || rdmsrl_safe(core->msrs->fixed_control, &value))
		return 0;
	for_each_x86_counter(i, fixed) {
		if (rdmsrl_safe(x86_counter_msr(core, i), &value))
			fixed &= ~BIT_ULL(i);
	}
	return fixed;
}

/* Mask of the counters reserved, for all core types */
static u64 x86_reserved;

/* Reserve the registers of a counter against other users in the kernel. */
static bool x86_reserve(const struct x86_core *core, int counter)
{
#ifdef CONFIG_X86_LOCAL_APIC
	u32 msr = core->msrs->counter + counter * core->msrs->stride;
	u32 select = x86_select_msr(core->msrs, counter);

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

/* Does a register keep a value that is written? */
static bool x86_keeps(u32 msr, u64 value, u64 mask)
{
	u64 back;

	return !wrmsrl_safe(msr, value) && !rdmsrl_safe(msr, &back) &&
	       (back & mask) == (value & mask);
}

/**
 * x86_check_registers - find counters that do not work
 * @core: the PMU of this CPU
 *
 * Some hypervisors report counters, but ignore writes to them: such counters are not used. A
 * counter that runs already was started by a kernel that has crashed, or by firmware. The counter
 * is halted, so firmware loses it.
 *
 * Context: boot.
 * Return: 0 on success, -ENODEV if there is no usable PMU, with the reason in the log.
 */
int x86_check_registers(struct x86_core *core)
{
	const struct x86_pmu_msrs *msrs = core->msrs;
	u64 good = 0, left = 0, value;
	int i;

	for_each_x86_counter(i, core->counters & ~X86_FIXED_ALL) {
		u64 start = 0xabcdULL;

		if (!msrs->write_select && rdmsrl_safe(x86_select_msr(msrs, i), &value)) {
			pr_warn("counter %d does not exist\n", i);
			continue;
		}
		if (!msrs->write_select && (value & msrs->halt)) {
			left |= BIT_ULL(i);
			if (wrmsrl_safe(x86_select_msr(msrs, i), 0))
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
		pr_info("no PMU: the counters are not writable\n");
		return -ENODEV;
	}
	if (msrs->control && (rdmsrl_safe(msrs->control, &value) ||
			      rdmsrl_safe(msrs->status, &value))) {
		pr_info("no PMU: the control registers do not exist\n");
		return -ENODEV;
	}
	core->counters = good | x86_check_fixed(core);
	return 0;
}

/**
 * x86_check_extra - find extra registers that do not work
 * @core: the PMU of this CPU
 *
 * A hypervisor may lack the extra registers of the model. Of two twins, both or neither are used.
 * On bare metal all registers exist, and a write could disturb firmware that uses a register. So
 * the registers are only read, in case there is a hypervisor that hides itself.
 *
 * Context: boot.
 */
void x86_check_extra(struct x86_core *core)
{
	const struct x86_extra *row = core->model->extra;
	bool bare = !boot_cpu_has(X86_FEATURE_HYPERVISOR);
	int i;

	/* With write_extra, a row represents several registers. */
	if (core->model->write_extra)
		return;
	for (i = 0; row && row[i].msr; i++) {
		u64 bit = row[i].valid & -row[i].valid, before;

		if (!rdmsrl_safe(row[i].msr, &before) &&
		    (bare || (x86_keeps(row[i].msr, bit, bit) &&
			      !wrmsrl_safe(row[i].msr, before))))
			continue;
		core->no_extra |= BIT_ULL(i);
		if (row[i].twin)
			core->no_extra |= BIT_ULL(row[i].twin > 0 ? i + 1 : i - 1);
	}
}
