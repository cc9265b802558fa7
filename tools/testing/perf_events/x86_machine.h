/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A CPU with counters, as x86_kernel.h declares it. It retires instructions of user space, and a
 * few of the kernel's at each access to a register. Counters count these by their selects, and
 * overflow. A pending interrupt is delivered where it is not blocked: before or after any access.
 */
#ifndef _TOOLS_TESTING_PERF_EVENTS_X86_MACHINE_H
#define _TOOLS_TESTING_PERF_EVENTS_X86_MACHINE_H

#include <setjmp.h>

#define MACHINE_GENERAL		4
#define MACHINE_FIXED		3
#define MACHINE_EXTRA		0x1a6
#define MACHINE_WIDTH		32
#define MACHINE_MERGE		0xf000000ffULL	/* event for carries of the counter before */
#define MACHINE_STATUS_BUFFER	BIT_ULL(62)
#define MACHINE_PAIR_CODE	0x03		/* an event that only such a pair counts */
#define MACHINE_SLOTS		(MACHINE_GENERAL + 2)	/* the counter of slots */
#define MACHINE_SHARES		4
#define MACHINE_RELOADS		0x1900	/* registers of reloads: 4 for each counter */
#define MACHINE_RELOADS_NR	0x100
#define MACHINE_RDPMC_SHARES	0x20000000

/* Bits of the status that report frozen counters and the like, not overflows */
#define MACHINE_STATUS_FOREIGN	(BIT_ULL(58) | BIT_ULL(59) | BIT_ULL(60) | BIT_ULL(63))

/* Other sources of NMIs */
#define MACHINE_FOREIGN		BIT(0)	/* a device that raises NMIs */
#define MACHINE_MASKS		BIT(1)	/* a hypervisor that masks LVTPC on delivery */
#define MACHINE_TRACES		BIT(2)	/* a trace whose buffer is sometimes full */

/*
 * With a foreign device the clock is fast, because the driver expects late interrupts for a fixed
 * time.
 */
#define MACHINE_STEP_NS		100
#define MACHINE_FAST_STEP_NS	20000

/* Maximum latency of a counter's interrupt, in instructions */
#define MACHINE_LATENCY		100

/* Wrong values of a hypervisor's registers, at some accesses */
#define MACHINE_LIES_READ	BIT(0)	/* reads return a random value */
#define MACHINE_LIES_WRITE	BIT(1)	/* writes are lost, except those of addresses */
#define MACHINE_LIES_STATUS	BIT(2)	/* the status has overflows that no write clears */

/**
 * struct machine - the CPU
 * @msrs: addresses of its registers
 * @counter: values of the counters: general ones, then fixed ones
 * @select: selects of the general counters
 * @extra: two extra registers
 * @no_extra: writes of the second extra register are lost
 * @reloads: registers of reloads by the CPU
 * @microcode: mask of the counters that transactions use, unless @force_abort is set
 * @force_abort: MSR_TSX_FORCE_ABORT
 * @misused: number of instructions with such a counter enabled
 * @pebs_enable: mask of the counters that write PEBS records
 * @pebs_data_cfg: groups of adaptive PEBS records
 * @no_pebs: writes of @pebs_enable are lost
 * @pebs_size: size of a PEBS record
 * @pebs_unclear: a record may name all counters with records, or none
 * @pebs_unnamed: the counters of a record are those that never have records
 * @pebs_delays: the interrupt of a record is sent with the next record
 * @pebs_arms: the first event after an overflow writes the record, not the overflow itself
 * @pebs_armed: mask of the counters that write a record at their next event
 * @ds_area: address of the debug store area, which the driver has written
 * @astray: the address was cleared while @pebs_enable was not 0: a record would be written to 0
 * @fixed_control: enable and mode bits of the fixed counters
 * @control: mask of the counters that may run
 * @status: mask of the counters that have overflowed
 * @marks: mask of the counters whose select has an overflow bit, if selects have one: another
 *	overflow then sends no interrupt
 * @share: topdown category of the current instructions
 * @shares: number of slots of each category, since the metrics were cleared
 * @debugctl: value of DEBUGCTL
 * @was_kernel: the last instruction was one of the kernel
 * @jumps: number of branches within user space
 * @reports_full: a full buffer of branches sets a status bit
 * @lost: number of branches without a record, because the buffer was full
 * @silent: mask of the counters whose @status bit was set by overflows without an interrupt
 * @unrecorded: number of overflows without an interrupt and without a PEBS record
 * @pending: an interrupt has been sent and is not delivered yet
 * @overtaken: value of @all at which a pending interrupt is delivered, because an NMI of the
 *	foreign device was first; 0 for none
 * @masked: the local APIC blocks further interrupts
 * @held: pending interrupts are not delivered
 * @in_nmi: the interrupt is being handled
 * @in_driver: the driver runs, in an interrupt or not
 * @kernel: the CPU is in kernel mode
 * @in_guest: a guest runs
 * @svm: the CPU is set up to run guests; otherwise a host-only bit stops its counter everywhere
 * @quiet: the kernel's own instructions are not counted
 * @unknown: number of interrupts that the driver did not handle
 * @sent: number of interrupts sent, also those that were blocked
 * @swallowed: number of NMIs of the foreign device alone that the driver handled as its own
 * @left: number of interrupts that ended with an overflow in the status, but no pending interrupt
 * @reads: number of reads of counters
 * @reads_msr: number of reads of other registers
 * @writes: number of writes of registers
 * @writes_control: number of writes of @control
 * @erratum_runs: number of times that all general counters were enabled with
 *	machine_erratum_selects
 * @erratum_runs_precise: the same, while PEBS was enabled
 * @beside: MACHINE_FOREIGN, _MASKS, _TRACES
 * @lies: MACHINE_LIES_*
 * @random: state of the random number generator
 * @crash: value of @all at which the kernel crashes, at an access to a register; 0 for never
 * @user: number of instructions in user space
 * @driver: number of instructions in the driver, which may stop counters
 * @all: number of all instructions
 */
struct machine {
	const struct x86_pmu_msrs	*msrs;
	u64				counter[MACHINE_GENERAL + MACHINE_FIXED];
	u64				select[MACHINE_GENERAL];
	u64				extra[2];
	bool				no_extra;
	u64				reloads[MACHINE_RELOADS_NR];
	u64				microcode;
	u64				force_abort;
	unsigned long			misused;
	u64				pebs_enable;
	u64				pebs_data_cfg;
	bool				no_pebs;
	unsigned int			pebs_size;
	bool				pebs_unclear;
	bool				pebs_unnamed;
	bool				pebs_delays;
	bool				pebs_arms;
	u64				pebs_armed;
	u64				ds_area;
	bool				astray;
	u64				fixed_control;
	u64				control;
	u64				status;
	u64				marks;
	unsigned int			share;
	u64				shares[MACHINE_SHARES];
	u64				debugctl;
	bool				was_kernel;
	u64				jumps;
	bool				reports_full;
	u64				lost;
	u64				silent;
	unsigned long			unrecorded;
	bool				pending;
	u64				overtaken;
	bool				masked;
	bool				held;
	bool				in_nmi;
	bool				in_driver;
	bool				kernel;
	bool				in_guest;
	bool				svm;
	bool				quiet;
	unsigned long			unknown;
	u64				sent;
	unsigned long			swallowed;
	unsigned long			left;
	unsigned long			reads;
	unsigned long			reads_msr;
	unsigned long			writes;
	unsigned long			writes_control;
	unsigned long			erratum_runs;
	unsigned long			erratum_runs_precise;
	unsigned int			beside;
	unsigned int			lies;
	u64				random;
	u64				crash;
	u64				user;
	u64				driver;
	u64				all;
};

static struct machine machine;

/* Test code that continues after the crash */
static jmp_buf machine_crashed;

/* Selects that an erratum requires before a new event counts correctly */
static const u32 machine_erratum_selects[MACHINE_GENERAL] = {
	0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1
};

static u64 machine_random(u64 n)
{
	return harness_random(&machine.random) % n;
}

/* Return the bit of counter @i in masks. */
static u64 machine_bit(int i)
{
	return i < MACHINE_GENERAL ? BIT_ULL(i) : X86_FIXED(i - MACHINE_GENERAL);
}

/* Send an interrupt, unless the local APIC blocks it. */
static void machine_send(void)
{
	machine.sent++;
	if (machine.masked)
		return;
	/* Intel's local APIC blocks further interrupts until LVTPC is written. */
	machine.masked = machine.msrs->masks_lvt || (machine.beside & MACHINE_MASKS);
	/* At most one NMI is pending. */
	machine.pending = true;
}

/* Does a counter count in this mode, and does its overflow interrupt? */
static bool machine_counts(int i, bool kernel, bool *interrupts)
{
	u64 select;

	if (machine.msrs->control && !(machine.control & machine_bit(i)))
		return false;
	if (i >= MACHINE_GENERAL) {
		select = machine.fixed_control >> (i - MACHINE_GENERAL) * 4;
		*interrupts = select & INTEL_FIXED_0_ENABLE_PMI;
		return select & (kernel ? INTEL_FIXED_0_KERNEL : INTEL_FIXED_0_USER);
	}
	select = machine.select[i];
	*interrupts = select & ARCH_PERFMON_EVENTSEL_INT;
	if ((select & machine.msrs->host_only) && (machine.in_guest || !machine.svm))
		return false;
	/* The other thread of the core is always in user space. */
	if (select & ARCH_PERFMON_EVENTSEL_ANY && machine_random(2))
		kernel = false;
	/* On a P6 one enable bit enables all counters. */
	return (machine.select[machine.msrs->always ? 0 : i] & ARCH_PERFMON_EVENTSEL_ENABLE) &&
	       (select & (kernel ? ARCH_PERFMON_EVENTSEL_OS : ARCH_PERFMON_EVENTSEL_USR));
}

/* Is the counter the lower one of a pair? */
static bool machine_is_merged(int i)
{
	if (i % 2 || i >= MACHINE_GENERAL ||
	    machine.select[i + 1] != (MACHINE_MERGE | ARCH_PERFMON_EVENTSEL_ENABLE))
		return false;
	return !machine.msrs->control || (machine.control & machine_bit(i + 1));
}

/* Does the event need a pair of counters? */
static bool machine_needs_pair(int i)
{
	return i < MACHINE_GENERAL &&
	       (machine.select[i] & ARCH_PERFMON_EVENTSEL_EVENT) == MACHINE_PAIR_CODE;
}

/* The branch unit: a test that defines MACHINE_BRANCHES models it. */

/* Does the unit hold back the interrupt of this counter's overflow? */
static bool machine_holds(int i);

/* The CPU takes a branch, which the unit may record. */
static void machine_branch(void);

/* Read or write a register of the unit. Return: whether @msr is one. */
static bool machine_branch_register(u32 msr, u64 *value, bool writes);

#ifndef MACHINE_BRANCHES
static bool machine_holds(int i)
{
	return false;
}

static void machine_branch(void) { }

static bool machine_branch_register(u32 msr, u64 *value, bool writes)
{
	return false;
}
#endif

/* Increment a counter. Return: whether it has overflowed. */
static bool machine_count(int i)
{
	machine.counter[i] = (machine.counter[i] + 1) & GENMASK_ULL(MACHINE_WIDTH - 1, 0);
	return !machine.counter[i];
}

/* Reload a counter when its PEBS record is written. */
static void machine_reload(int i)
{
	machine.counter[i] = cpu_debug_store.pebs_event_reset[i] &
			     GENMASK_ULL(MACHINE_WIDTH - 1, 0);
}

/*
 * An event of a counter whose overflow has armed PEBS reloads the counter before the event is
 * counted, even if the counter was written since. Return: whether a record is due.
 */
static bool machine_is_armed(int i)
{
	u64 bit = machine_bit(i) & machine.pebs_armed;

	machine.pebs_armed &= ~bit;
	if (bit)
		machine_reload(i);
	return bit;
}

/* Write a PEBS record for these counters. Return: whether the threshold is reached. */
static bool machine_record(u64 counters)
{
	struct debug_store *ds = &cpu_debug_store;
	u64 *record = machine_memory(ds->pebs_index);
	bool reached;

	assert(machine.ds_area && ds->pebs_index >= ds->pebs_buffer_base);
	if (ds->pebs_index + machine.pebs_size > ds->pebs_absolute_maximum)
		return true;
	memset(record, 0xff, machine.pebs_size);
	/* Bits of counters without records are random: the driver must ignore them. */
	if (machine.pebs_size > MACHINE_RECORD_COUNTERS * sizeof(u64))
		record[MACHINE_RECORD_COUNTERS] = counters |
			(machine_random(2) ? ~machine.pebs_enable : 0);
	if (machine.pebs_unclear && !machine_random(4))
		record[MACHINE_RECORD_COUNTERS] = machine_random(2) ? machine.pebs_enable : 0;
	if (machine.pebs_unnamed)
		record[MACHINE_RECORD_COUNTERS] = X86_FIXED_ALL;
	if (!machine.pebs_delays)
		ds->pebs_index += machine.pebs_size;
	reached = ds->pebs_index >= ds->pebs_interrupt_threshold;
	if (machine.pebs_delays)
		ds->pebs_index += machine.pebs_size;
	return reached;
}

#define MACHINE_CODE		0x400000ULL		/* addresses of user space, */
#define MACHINE_KERNEL		0xffffffff81000000ULL	/* and of the kernel */

/* Write a byte of a BTS record, which may be on two pages. */
static void machine_store(u64 address, u8 byte)
{
	*(u8 *)machine_memory(address) = byte;
}

/*
 * Each instruction is a branch. Write its record, if the BTS is enabled, and interrupt when the
 * threshold is reached.
 */
static void machine_trace(void)
{
	const u64 on = DEBUGCTLMSR_TR | DEBUGCTLMSR_BTS;
	struct debug_store *ds = &cpu_debug_store;
	u64 record[3] = { MACHINE_CODE, MACHINE_CODE, 0 }, i;
	u64 off = machine.kernel ? DEBUGCTLMSR_BTS_OFF_OS : DEBUGCTLMSR_BTS_OFF_USR;

	machine.jumps += !machine.kernel && !machine.was_kernel;
	record[0] += machine.jumps * 16;
	record[1] += machine.jumps * 16 + 8;
	if (machine.was_kernel)
		record[0] += MACHINE_KERNEL;
	if (machine.kernel)
		record[1] += MACHINE_KERNEL;
	machine.was_kernel = machine.kernel;
	if ((machine.debugctl & on) != on || (machine.debugctl & off))
		return;
	assert(machine.ds_area && ds->bts_index >= ds->bts_buffer_base);
	if (ds->bts_index >= ds->bts_absolute_maximum) {
		machine.lost++;
		return;
	}
	for (i = 0; i < sizeof(record); i++)
		machine_store(ds->bts_index + i, ((u8 *)record)[i]);
	ds->bts_index += sizeof(record);
	if (ds->bts_index < ds->bts_interrupt_threshold ||
	    ds->bts_index - sizeof(record) >= ds->bts_interrupt_threshold ||
	    !(machine.debugctl & DEBUGCTLMSR_BTINT))
		return;
	if (machine.reports_full)
		machine.status |= MACHINE_STATUS_BUFFER;
	machine_send();
}

/* A transaction may begin, and change the registers of the counters that the microcode uses. */
static void machine_transact(void)
{
	if (machine.force_abort)
		return;
	machine.misused += !!(machine.control & machine.microcode);
	for (u64 left = machine.kernel ? 0 : machine.microcode; left; left &= left - 1) {
		machine.counter[__ffs64(left)] = machine_random(BIT_ULL(MACHINE_WIDTH));
		machine.select[__ffs64(left)] = machine_random(0x100) << 8;
	}
}

/* Retire one instruction, which is one occurrence of each event. */
static void machine_step(void)
{
	u64 recording = 0;
	int i;

	machine.all++;
	machine.user += !machine.kernel;
	machine.driver += machine.in_driver;
	machine_branch();
	machine_trace();
	machine_transact();
	for (i = 0; i < MACHINE_GENERAL + MACHINE_FIXED; i++) {
		bool interrupts, merged = machine_is_merged(i);

		if (!machine_counts(i, machine.kernel, &interrupts) ||
		    (machine_needs_pair(i) && !merged))
			continue;
		if (i == MACHINE_SLOTS && (machine.control & X86_METRICS_RUN))
			machine.shares[machine.share]++;
		if (machine_is_armed(i))
			recording |= machine_bit(i);
		if (!machine_count(i) || (merged && !machine_count(i + 1)))
			continue;
		if (i < MACHINE_GENERAL && (machine.pebs_enable & machine_bit(i))) {
			if (machine.pebs_arms) {
				machine.pebs_armed |= machine_bit(i);
			} else {
				recording |= machine_bit(i);
				machine_reload(i);
			}
			/* Some CPUs also set the status bit. */
			if (!(machine.status & machine_bit(i)) && machine_random(2)) {
				machine.silent |= machine_bit(i);
				machine.status |= machine_bit(i);
			}
			continue;
		}
		/*
		 * The overflow of a pair sets the status bit of either counter: the driver must
		 * accept both.
		 */
		if (machine.msrs->status) {
			u64 bit = machine_bit(merged ? i + machine.all % 2 : i);

			if (interrupts)
				machine.silent &= ~bit;
			else if (!(machine.status & bit))
				machine.silent |= bit;
			machine.status |= bit;
			machine.unrecorded += !interrupts;
		}
		if (interrupts && !(machine.marks & machine_bit(i)) && !machine_holds(i))
			machine_send();
		if (machine.msrs->sticky)
			machine.marks |= machine_bit(i);
	}
	if (recording && machine_record(recording)) {
		machine.status |= MACHINE_STATUS_BUFFER;
		machine_send();
	}
	if ((machine.beside & MACHINE_TRACES) && !machine_random(500)) {
		/* As any interrupt of the PMU, this one freezes branch records. */
		machine.status |= GLOBAL_STATUS_TRACE_TOPAPMI | X86_STATUS_BRANCHES_FROZEN;
		machine_send();
	}
}

/* Return the overflows whose interrupt is still needed. */
static u64 machine_awaited(void)
{
	u64 status = machine.status;
	int i;

	/* The driver finds overflows of PEBS events when it reloads the counters. */
	for (i = 0; i < MACHINE_GENERAL; i++) {
		if (!(machine.select[i] & ARCH_PERFMON_EVENTSEL_INT))
			status &= ~machine_bit(i);
	}
	return status;
}

/* Deliver an NMI. Return: number of counters that the driver handled. */
static int machine_nmi(void)
{
	bool kernel = machine.kernel, in_driver = machine.in_driver;
	int handled;

	machine.in_nmi = true;
	machine.in_driver = true;
	machine.kernel = true;
	handled = x86_pmu_interrupt(NULL);
	machine.kernel = kernel;
	machine.in_driver = in_driver;
	machine.in_nmi = false;
	return handled;
}

/* Is only one interrupt sent for all overflows until the status is read? */
static bool machine_sends_once(void)
{
	return machine.msrs->masks_lvt && machine.msrs->status;
}

/*
 * The foreign device's NMI: all handlers are called. A counter's interrupt may be pending, and is
 * delivered later; or both are merged into one. Return: whether the kernel accepts an unhandled NMI
 * right after this one, because two handlers had work.
 */
static bool machine_foreign(void)
{
	bool alone = machine_sends_once() && !machine.masked &&
		     !(machine.status & ~machine.silent);
	bool late = (s64)(x86_pmu_cpu.late_nmi_until - machine_clock()) > 0;
	u64 sent = machine.sent;
	bool handled;

	if (machine.pending && !machine.overtaken && !machine_sends_once()) {
		machine.pending = false;
		machine.overtaken = machine.all + 1 + machine_random(MACHINE_LATENCY);
	}
	if (alone && machine_random(2))
		machine.status |= MACHINE_STATUS_FOREIGN & machine_random(~0ULL);
	handled = machine_nmi();
	/* If a counter has overflowed during the NMI, the driver may claim it. */
	if (handled && alone && machine.sent == sent && !late)
		machine.swallowed++;
	return handled && machine_sends_once();
}

/* Deliver pending NMIs. An NMI that is pending at the end of another is delivered at once. */
static void machine_take_interrupt(void)
{
	bool excused = false;

	if (machine.in_nmi || machine.held)
		return;
	do {
		if (machine.beside & MACHINE_FOREIGN && !machine_random(machine.pending ? 3 : 300))
			excused |= machine_foreign();
		if (machine.overtaken && machine.all >= machine.overtaken) {
			machine.overtaken = 0;
			machine.pending = true;
		}
		if (!machine.pending)
			return;
		machine.pending = false;
		if (!machine_nmi() && !excused)
			machine.unknown++;
		if (machine_sends_once() && machine.control && machine_awaited() &&
		    !machine.pending)
			machine.left++;
	} while (machine.pending);
}

/* Retire some instructions of the kernel between two accesses to registers. */
static void machine_pass(void)
{
	u64 n;

	if (machine.quiet)
		return;
	n = machine_random(4);
	while (n--)
		machine_step();
	if (machine.crash && machine.all >= machine.crash) {
		machine.crash = 0;
		longjmp(machine_crashed, 1);
	}
	if (machine_random(2))
		machine_take_interrupt();
}

/* Run a program that makes system calls. Interrupts are delivered at once. */
static inline void machine_run(u64 steps)
{
	machine_take_interrupt();
	machine.in_driver = false;
	while (steps--) {
		if (!machine_random(20))
			machine.kernel = !machine.kernel;
		machine_step();
		machine_take_interrupt();
	}
	machine.in_driver = true;
	machine.kernel = true;
}

/* Return the metrics: one byte for each category, as a part of 255. */
static u64 machine_shares(void)
{
	u64 all = 0, value = 0;
	int i;

	for (i = 0; i < MACHINE_SHARES; i++)
		all += machine.shares[i];
	for (i = 0; i < MACHINE_SHARES && all; i++)
		value |= (machine.shares[i] * 255 + all / 2) / all << 8 * i;
	return value;
}

u64 machine_rdpmc(unsigned int index)
{
	u64 value;

	machine_pass();
	machine.reads++;
	if (index == MACHINE_RDPMC_SHARES)
		return machine_shares();
	if (index & INTEL_PMC_FIXED_RDPMC_BASE)
		index = MACHINE_GENERAL + (index & ~INTEL_PMC_FIXED_RDPMC_BASE);
	assert(index < MACHINE_GENERAL + MACHINE_FIXED);
	value = machine.counter[index];
	if (machine.lies & MACHINE_LIES_READ && !machine_random(4))
		value = machine_random(~0ULL);
	machine_pass();
	return value;
}

/* Return the address of a register's value. */
static u64 *machine_register(u32 msr, bool writes)
{
	const struct x86_pmu_msrs *msrs = machine.msrs;
	int i;

	for (i = 0; i < MACHINE_GENERAL; i++) {
		if (msr == msrs->select + i * msrs->stride) {
			if (writes)
				machine.marks &= ~machine_bit(i);
			return &machine.select[i];
		}
		if (msr == msrs->counter + i * msrs->stride)
			return &machine.counter[i];
	}
	for (i = 0; msrs->fixed && i < MACHINE_FIXED; i++) {
		if (msr == msrs->fixed + i)
			return &machine.counter[MACHINE_GENERAL + i];
	}
	if (msrs->fixed_control && msr == msrs->fixed_control)
		return &machine.fixed_control;
	if (msrs->control && msr == msrs->control)
		return &machine.control;
	if (msrs->status && msr == msrs->status)
		return &machine.status;
	if (msr == MSR_TSX_FORCE_ABORT)
		return &machine.force_abort;
	if (msr == MSR_IA32_PEBS_ENABLE)
		return &machine.pebs_enable;
	if (msr == MSR_PEBS_DATA_CFG)
		return &machine.pebs_data_cfg;
	if (msr == MSR_IA32_DS_AREA)
		return &machine.ds_area;
	if (msr == MSR_IA32_DEBUGCTLMSR)
		return &machine.debugctl;
	if (msr == MACHINE_EXTRA || msr == MACHINE_EXTRA + 1)
		return &machine.extra[msr - MACHINE_EXTRA];
	if (msr >= MACHINE_RELOADS && msr < MACHINE_RELOADS + MACHINE_RELOADS_NR)
		return &machine.reloads[msr - MACHINE_RELOADS];
	printf("# register %#x does not exist\n", msr);
	abort();
}

u64 machine_rdmsr(u32 msr)
{
	u64 value;
	int i;

	machine_pass();
	machine.reads_msr++;
	if (machine_branch_register(msr, &value, false))
		return value;
	if (msr == MSR_PERF_METRICS)
		return machine_shares();
	if (machine.lies & MACHINE_LIES_STATUS && msr == machine.msrs->status)
		return machine.status | machine_random(~0ULL);
	value = *machine_register(msr, false);
	for (i = 0; machine.marks && i < MACHINE_GENERAL; i++) {
		if (msr == machine.msrs->select + i * machine.msrs->stride &&
		    (machine.marks & machine_bit(i)))
			value |= machine.msrs->sticky;
	}
	return value;
}

static bool machine_runs_erratum_selects(void)
{
	int i;

	for (i = 0; i < MACHINE_GENERAL; i++) {
		if (machine.select[i] != machine_erratum_selects[i])
			return false;
	}
	return machine.control == X86_GENERAL(MACHINE_GENERAL);
}

void machine_wrmsr(u32 msr, u64 value)
{
	machine_pass();
	machine.writes++;
	if (machine.lies & MACHINE_LIES_WRITE && msr != MSR_IA32_DS_AREA && !machine_random(3))
		return;
	if (machine_branch_register(msr, &value, true)) {
		machine_pass();
		return;
	}
	if (machine.msrs->ack && msr == machine.msrs->ack) {
		if (machine.control || !machine.msrs->ack_runs)
			machine.status &= ~value;
		machine.silent &= machine.status;
	} else if (msr == MSR_PERF_METRICS) {
		memset(machine.shares, 0, sizeof(machine.shares));
	} else if ((!machine.no_extra || msr != MACHINE_EXTRA + 1) &&
		   (!machine.no_pebs || msr != MSR_IA32_PEBS_ENABLE)) {
		machine.writes_control += msr == machine.msrs->control;
		machine.astray |= msr == MSR_IA32_DS_AREA && !value && machine.pebs_enable;
		*machine_register(msr, true) = value;
		machine.pebs_armed &= machine.pebs_enable;
		if (msr == machine.msrs->control && machine_runs_erratum_selects()) {
			machine.erratum_runs++;
			machine.erratum_runs_precise += !!machine.pebs_enable;
		}
	}
	machine_pass();
}

void machine_apic_write(u32 reg, u32 value)
{
	int i;

	machine_pass();
	machine.masked = value & APIC_LVT_MASKED;
	/* A flag keeps the interrupt asserted. */
	for (i = 0; !machine.masked && machine.marks && i < MACHINE_GENERAL; i++) {
		if ((machine.marks & machine_bit(i)) &&
		    (machine.select[i] & ARCH_PERFMON_EVENTSEL_INT))
			machine_send();
	}
}

u64 machine_clock(void)
{
	if (machine.beside & MACHINE_FOREIGN)
		return machine.all * MACHINE_FAST_STEP_NS;
	return machine.all * MACHINE_STEP_NS;
}

bool machine_in_nmi(void)
{
	return machine.in_nmi;
}

/* Reset the machine. */
static void machine_start(const struct x86_pmu_msrs *msrs, u64 seed)
{
	machine = (struct machine){
		.msrs = msrs, .in_driver = true, .kernel = true, .random = seed,
	};
}

#endif /* _TOOLS_TESTING_PERF_EVENTS_X86_MACHINE_H */
