/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A CPU with counters, as x86_kernel.h declares it. It retires instructions of user
 * space, and a few of the kernel's own at each access to a register. Counters count these by what
 * their selects say, and overflow. The interrupt comes where it is pending and not blocked:
 * before or after any access.
 */
#ifndef _TOOLS_TESTING_PERF_EVENTS_X86_MACHINE_H
#define _TOOLS_TESTING_PERF_EVENTS_X86_MACHINE_H

#define MACHINE_GENERAL		4
#define MACHINE_FIXED		3
#define MACHINE_EXTRA		0x1a6
#define MACHINE_WIDTH		32
#define MACHINE_MERGE		0xf000000ffULL	/* selects what the counter before carries */
#define MACHINE_STATUS_BUFFER	BIT_ULL(62)
#define MACHINE_PAIR_CODE	0x03		/* counted by such a pair alone */
#define MACHINE_SLOTS		(MACHINE_GENERAL + 2)	/* the counter of which shares are told */
#define MACHINE_SHARES		4
#define MACHINE_RDPMC_SHARES	0x20000000

/* Bits of the status that are about no overflow: they say that something stands still or changed */
#define MACHINE_STATUS_FOREIGN	(BIT_ULL(58) | BIT_ULL(59) | BIT_ULL(60) | BIT_ULL(63))

/* What else there is beside the counters and the driver */
#define MACHINE_FOREIGN		BIT(0)	/* a device that raises NMIs of its own */
#define MACHINE_MASKS		BIT(1)	/* a hypervisor that masks LVTPC as it delivers */
#define MACHINE_TRACES		BIT(2)	/* a trace whose buffer is full now and then */

/* With a foreign device the clock is fast, as the driver expects late interrupts for so long. */
#define MACHINE_STEP_NS		100
#define MACHINE_FAST_STEP_NS	20000

/* How long a counter's interrupt may be under way, in instructions */
#define MACHINE_LATENCY		100

/* What a hypervisor's registers may do, now and then */
#define MACHINE_LIES_READ	BIT(0)	/* hold something else */
#define MACHINE_LIES_WRITE	BIT(1)	/* keep nothing of what is written, but for addresses */
#define MACHINE_LIES_STATUS	BIT(2)	/* tell of overflows that nothing acknowledges */

/**
 * struct machine - the CPU
 * @bank: addresses of its registers
 * @counter: what the counters hold, general ones and then fixed ones
 * @select: of the general ones
 * @extra: registers beside the selects
 * @no_extra: the second of them does not keep anything
 * @pebs_enable: counters that write records when they overflow
 * @ds_area: where it is said whereto: the driver has given it
 * @fixed_control: which fixed ones count, and in which modes
 * @control: which counters may run
 * @status: which have overflowed
 * @marks: which have a mark of it in their selects, where these keep one: then another overflow
 *	sends no interrupt
 * @share: which share of the slots an instruction belongs to
 * @shares: how many have been counted of each, since they began anew
 * @debugctl: what else the CPU does as something happens
 * @pending: an interrupt has been sent and has not come
 * @overtaken: the same, and an NMI of the foreign device has come first. It comes when @all is
 *	this; 0: there is none
 * @masked: the local APIC sends no more of them
 * @in_nmi: the interrupt is being handled
 * @in_driver: the driver runs, in an interrupt or not
 * @kernel: user space does not run
 * @unknown: interrupts that the driver did not take for its own
 * @sent: interrupts that have been sent, even those that were held back
 * @swallowed: NMIs of the foreign device alone that the driver took for its own
 * @left: interrupts that have ended with a status whose interrupt will not come
 * @reads: of counters
 * @reads_msr: of other registers
 * @writes: of any register
 * @writes_control: of @control
 * @idled: how often all general counters began to run with machine_idle_selects
 * @beside: MACHINE_FOREIGN, _MASKS, _TRACES
 * @lies: MACHINE_LIES_*
 * @random: state of the generator of random numbers
 * @user: instructions of user space so far, and
 * @driver: of the driver, which may halt counters, and
 * @all: of all
 */
struct machine {
	const struct x86_bank	*bank;
	u64			counter[MACHINE_GENERAL + MACHINE_FIXED];
	u64			select[MACHINE_GENERAL];
	u64			extra[2];
	bool			no_extra;
	u64			pebs_enable;
	u64			ds_area;
	u64			fixed_control;
	u64			control;
	u64			status;
	u64			marks;
	unsigned int		share;
	u64			shares[MACHINE_SHARES];
	u64			debugctl;
	bool			pending;
	u64			overtaken;
	bool			masked;
	bool			in_nmi;
	bool			in_driver;
	bool			kernel;
	unsigned long		unknown;
	u64			sent;
	unsigned long		swallowed;
	unsigned long		left;
	unsigned long		reads;
	unsigned long		reads_msr;
	unsigned long		writes;
	unsigned long		writes_control;
	unsigned long		idled;
	unsigned int		beside;
	unsigned int		lies;
	u64			random;
	u64			user;
	u64			driver;
	u64			all;
};

static struct machine machine;

/* Selects that an erratum asks for before a new event counts right */
static const u32 machine_idle_selects[MACHINE_GENERAL] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };

static u64 machine_random(u64 n)
{
	return harness_random(&machine.random) % n;
}

/* The mask's bit of counter @i. */
static u64 machine_bit(int i)
{
	return i < MACHINE_GENERAL ? BIT_ULL(i) : X86_FIXED(i - MACHINE_GENERAL);
}

/* Does a counter count in this mode, and does its overflow interrupt? */
static bool machine_counts(int i, bool kernel, bool *interrupts)
{
	u64 select;

	if (machine.bank->control && !(machine.control & machine_bit(i)))
		return false;
	if (i >= MACHINE_GENERAL) {
		select = machine.fixed_control >> (i - MACHINE_GENERAL) * 4;
		*interrupts = select & INTEL_FIXED_0_ENABLE_PMI;
		return select & (kernel ? INTEL_FIXED_0_KERNEL : INTEL_FIXED_0_USER);
	}
	select = machine.select[i];
	*interrupts = select & ARCH_PERFMON_EVENTSEL_INT;
	/* The core's other thread stays in user space. */
	if (select & ARCH_PERFMON_EVENTSEL_ANY && machine_random(2))
		kernel = false;
	/* On a P6 one select lets all counters run. */
	return (machine.select[machine.bank->always ? 0 : i] & ARCH_PERFMON_EVENTSEL_ENABLE) &&
	       (select & (kernel ? ARCH_PERFMON_EVENTSEL_OS : ARCH_PERFMON_EVENTSEL_USR));
}

/* Is a counter the lower one of a pair? */
static bool machine_is_merged(int i)
{
	if (i % 2 || i >= MACHINE_GENERAL ||
	    machine.select[i + 1] != (MACHINE_MERGE | ARCH_PERFMON_EVENTSEL_ENABLE))
		return false;
	return !machine.bank->control || (machine.control & machine_bit(i + 1));
}

/* Is it an event that the counter cannot count alone? */
static bool machine_needs_pair(int i)
{
	return i < MACHINE_GENERAL &&
	       (machine.select[i] & ARCH_PERFMON_EVENTSEL_EVENT) == MACHINE_PAIR_CODE;
}

/* A counter counts one more. Has it overflowed? */
static bool machine_count(int i)
{
	machine.counter[i] = (machine.counter[i] + 1) & GENMASK_ULL(MACHINE_WIDTH - 1, 0);
	return !machine.counter[i];
}

/* Counters write a record, and start anew. Is the buffer as full as it may become? */
static bool machine_record(u64 counters)
{
	struct debug_store *ds = &cpu_debug_store;
	u64 *record = (void *)(uintptr_t)ds->pebs_index;

	for (u64 left = counters; left; left &= left - 1)
		machine.counter[__ffs64(left)] = ds->pebs_event_reset[__ffs64(left)] &
						 GENMASK_ULL(MACHINE_WIDTH - 1, 0);
	assert(machine.ds_area && ds->pebs_index >= ds->pebs_buffer_base);
	if (ds->pebs_index + MACHINE_RECORD > ds->pebs_absolute_maximum)
		return true;
	memset(record, 0xff, MACHINE_RECORD);
	/* The driver is not to rely on bits of counters that write no records. */
	record[MACHINE_RECORD_COUNTERS] = counters | (machine_random(2) ? ~machine.pebs_enable : 0);
	ds->pebs_index += MACHINE_RECORD;
	return ds->pebs_index >= ds->pebs_interrupt_threshold;
}

/* An interrupt is sent, unless the local APIC holds it back. */
static void machine_send(void)
{
	machine.sent++;
	if (machine.masked)
		return;
	/* Intel's local APIC holds back further ones until it is told. */
	machine.masked = machine.bank->masks_lvt || (machine.beside & MACHINE_MASKS);
	/* The CPU keeps one that waits; others are the same to it. */
	machine.pending = true;
}

/* One instruction is retired. It is one occurrence of each event. */
static void machine_step(void)
{
	u64 recording = 0;
	int i;

	machine.all++;
	machine.user += !machine.kernel;
	machine.driver += machine.in_driver;
	for (i = 0; i < MACHINE_GENERAL + MACHINE_FIXED; i++) {
		bool interrupts, merged = machine_is_merged(i);

		if (!machine_counts(i, machine.kernel, &interrupts) ||
		    (machine_needs_pair(i) && !merged))
			continue;
		if (i == MACHINE_SLOTS)
			machine.shares[machine.share]++;
		if (!machine_count(i) || (merged && !machine_count(i + 1)))
			continue;
		if (i < MACHINE_GENERAL && (machine.pebs_enable & machine_bit(i))) {
			recording |= machine_bit(i);
			continue;
		}
		/* The driver is not to rely on which of a pair the status is about. */
		if (machine.bank->status)
			machine.status |= machine_bit(merged ? i + machine.all % 2 : i);
		if (interrupts && !(machine.marks & machine_bit(i)))
			machine_send();
		if (machine.bank->sticky)
			machine.marks |= machine_bit(i);
	}
	if (recording && machine_record(recording)) {
		machine.status |= MACHINE_STATUS_BUFFER;
		machine_send();
	}
	if ((machine.beside & MACHINE_TRACES) && !machine_random(500)) {
		machine.status |= GLOBAL_STATUS_TRACE_TOPAPMI;
		machine_send();
	}
}

/* Overflows whose interrupt somebody waits for */
static u64 machine_awaited(void)
{
	u64 status = machine.status;
	int i;

	/* Those of precise events that had no record yet are found as they are armed again. */
	for (i = 0; i < MACHINE_GENERAL; i++) {
		if (!(machine.select[i] & ARCH_PERFMON_EVENTSEL_INT))
			status &= ~machine_bit(i);
	}
	return status;
}

/* The CPU's NMI. What do the driver's handlers say? */
static int machine_nmi(void)
{
	bool kernel = machine.kernel, in_driver = machine.in_driver;
	int served;

	machine.in_nmi = true;
	machine.in_driver = true;
	machine.kernel = true;
	served = x86_pmu_interrupt(NULL);
	machine.kernel = kernel;
	machine.in_driver = in_driver;
	machine.in_nmi = false;
	return served;
}

/* Does one interrupt stand for all overflows, until the status has been read? */
static bool machine_sends_once(void)
{
	return machine.bank->masks_lvt && machine.bank->status;
}

/*
 * The foreign device's NMI: all handlers are called. A counter's own interrupt may be under way,
 * and then comes later; or both are one. Return: the kernel itself takes NMIs at once after it for
 * counters', as two handlers have had something to do.
 */
static bool machine_foreign(void)
{
	bool alone = machine_sends_once() && !machine.masked && !machine.status, served;
	bool late = (s64)(x86_pmu_cpu.late - machine_clock()) > 0;
	u64 sent = machine.sent;

	if (machine.pending && !machine.overtaken && !machine_sends_once()) {
		machine.pending = false;
		machine.overtaken = machine.all + 1 + machine_random(MACHINE_LATENCY);
	}
	if (alone && machine_random(2))
		machine.status |= MACHINE_STATUS_FOREIGN & machine_random(~0ULL);
	served = machine_nmi();
	/* Some counter may have overflowed meanwhile. */
	if (served && alone && machine.sent == sent && !late)
		machine.swallowed++;
	return served && machine_sends_once();
}

/* Those that are pending again at the end of one come as soon as NMIs are allowed again. */
static void machine_take_interrupt(void)
{
	bool excused = false;

	if (machine.in_nmi)
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

/* Some of the kernel's instructions are between two accesses to registers. */
static void machine_pass(void)
{
	u64 n = machine_random(4);

	while (n--)
		machine_step();
	if (machine_random(2))
		machine_take_interrupt();
}

/* A program runs, and makes system calls. Interrupts come at once. */
static void machine_run(u64 steps)
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

/* Bytes that say how many of 255 slots were of each share. */
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

/* Where a register's contents are. */
static u64 *machine_register(u32 msr, bool writes)
{
	const struct x86_bank *bank = machine.bank;
	int i;

	for (i = 0; i < MACHINE_GENERAL; i++) {
		if (msr == bank->select + i * bank->stride) {
			if (writes)
				machine.marks &= ~machine_bit(i);
			return &machine.select[i];
		}
		if (msr == bank->counter + i * bank->stride)
			return &machine.counter[i];
	}
	for (i = 0; bank->fixed && i < MACHINE_FIXED; i++) {
		if (msr == bank->fixed + i)
			return &machine.counter[MACHINE_GENERAL + i];
	}
	if (bank->fixed_control && msr == bank->fixed_control)
		return &machine.fixed_control;
	if (bank->control && msr == bank->control)
		return &machine.control;
	if (bank->status && msr == bank->status)
		return &machine.status;
	if (msr == MSR_IA32_PEBS_ENABLE)
		return &machine.pebs_enable;
	if (msr == MSR_IA32_DS_AREA)
		return &machine.ds_area;
	if (msr == MSR_IA32_DEBUGCTLMSR)
		return &machine.debugctl;
	if (msr == MACHINE_EXTRA || msr == MACHINE_EXTRA + 1)
		return &machine.extra[msr - MACHINE_EXTRA];
	printf("# register %#x is not there\n", msr);
	abort();
}

u64 machine_rdmsr(u32 msr)
{
	machine_pass();
	machine.reads_msr++;
	if (machine.lies & MACHINE_LIES_STATUS && msr == machine.bank->status)
		return machine.status | machine_random(~0ULL);
	return *machine_register(msr, false);
}

static bool machine_is_idling(void)
{
	int i;

	for (i = 0; i < MACHINE_GENERAL; i++) {
		if (machine.select[i] != machine_idle_selects[i])
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
	if (machine.bank->ack && msr == machine.bank->ack) {
		if (machine.control || !machine.bank->ack_runs)
			machine.status &= ~value;
	} else if (msr == MSR_PERF_METRICS) {
		memset(machine.shares, 0, sizeof(machine.shares));
	} else if (!machine.no_extra || msr != MACHINE_EXTRA + 1) {
		machine.writes_control += msr == machine.bank->control;
		*machine_register(msr, true) = value;
		machine.idled += msr == machine.bank->control && machine_is_idling();
	}
	machine_pass();
}

void machine_apic_write(u32 reg, u32 value)
{
	machine_pass();
	machine.masked = false;
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

/* The machine as it is switched on. */
static void machine_start(const struct x86_bank *bank, u64 seed)
{
	machine = (struct machine){
		.bank = bank, .in_driver = true, .kernel = true, .random = seed,
	};
}

#endif /* _TOOLS_TESTING_PERF_EVENTS_X86_MACHINE_H */
