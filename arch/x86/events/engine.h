/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared declarations of the driver for the CPUs' core PMU.
 *
 * A struct x86_count is an event select that is counted on one CPU, in functions x86_count_*(). The
 * events with this select are attached to it, and share its counter. x86_count::total has 64 bits:
 * neither the width of the counter, nor another counter, nor reprogramming changes the total. Each
 * event adds up differences of the total. A struct x86_count without events may be kept for reuse.
 *
 * A struct x86_claim is the set of counters that perfctr has reserved on a CPU.
 *
 *   pmu.c		callbacks of struct pmu
 *   config.c		the select of an event, from its attributes
 *   count.c		struct x86_count: events that share a counter, and their total
 *   assign.c		assignment of counters to events
 *   extra.c		extra registers, such as MSR_OFFCORE_RSP_0
 *   metrics.c		Topdown metrics
 *   force_abort.c		TSX Force Abort: a counter used by the microcode
 *   amd_nb.c		northbridge events; their counters are shared by CPUs
 *   excl_cntrs.c	counters that the threads of a core must not use at the same time
 *   reprogram.c	reprogramming of the registers
 *   intel/pebs.c		PEBS, see precise.h
 *   intel/bts.c		branch traces, see bts.h
 *   branch.c		branch records, see branch.h
 *   claim.c		counters reserved by perfctr
 *   registers.c		register access, and a shadow of the registers
 *   overflow.c		overflow interrupt
 *
 * User space must not read counts of other tasks from a counter, whether by RDPMC, through an
 * event's page, in a guest or by a system call. So x86_clear_unused() clears idle counters, and
 * reprograms the counters of active events, before CR4.PCE is set. A kernel thread in the address
 * space of a process (lazy TLB) leaves CR4.PCE set: after the thread, x86_clear_kernel() clears or
 * reprograms the counters that counted the kernel. x86_claim_get() clears counters for perfctr.
 * While CR4.PCE is clear, an event's page has no index: with an index, the page's offset would
 * reveal the former value of the counter. Counters of sampling events are an exception: they
 * contain the distance to the next overflow. The difference of two reads is the number of
 * occurrences in between, which a CPU-wide event counts for all tasks. x86_check_clean() asserts
 * that a cleared counter has not counted.
 *
 * All state belongs to one CPU. It is changed with interrupts off on that CPU, and by the overflow
 * interrupt, which is an NMI. There is no lock: an NMI can interrupt a change between two
 * instructions, and runs to completion. So members change in an order that is consistent for an NMI
 * at any point; see their descriptions.
 */
#ifndef _ARCH_X86_EVENTS_ENGINE_H
#define _ARCH_X86_EVENTS_ENGINE_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <asm/cpufeature.h>
#include <asm/msr-index.h>
#include <asm/perfctr.h>

#include "assign.h"
#include "branch.h"
#include "bts.h"
#include "model.h"
#include "perf_event.h"
#include "precise.h"

/* Size of x86_pmu_cpu::counts: maximum number of selects that have events or a counter */
#define X86_COUNTS_MAX		64
/* Maximum number of events that share a counter; the overflow interrupt walks all of them */
#define X86_COUNT_EVENTS_MAX		64

/* Maximum number of sampling events that share a counter: one interrupt may sample all of them */
#define X86_COUNT_SAMPLING_MAX	4
/* Maximum number of extra registers of a CPU, core or module */
#define X86_EXTRA_MAX		32

/**
 * struct x86_core - the PMU of one type of core; a hybrid CPU has several
 * @pmu: the PMU as registered with perf
 * @model: the row of the model tables
 * @name: name in the log and in sysfs
 * @msrs: the registers
 * @version: version of the architectural PMU of Intel or AMD; 0: none
 * @counters: mask of the counters
 * @width: bits of a general counter
 * @fixed_width: bits of a fixed counter
 * @max_period: see struct x86_model
 * @config_mask: see struct x86_model
 * @counter_msr: first general counter for writes: x86_pmu_msrs::counter, or on Intel its full-width
 *	alias if there is one, since writes to x86_pmu_msrs::counter sign-extend 32 bits
 * @events_mask: mask of unavailable architectural events, as in CPUID leaf 0xa
 * @events_mask_len: number of valid bits in @events_mask
 * @capabilities: MSR_IA32_PERF_CAPABILITIES; 0: none
 * @auto_reloads: mask of the counters with registers for a reload at an overflow (auto counter
 *	reload), which perf does not use
 * @kind: X86_KIND_* of the cores; 0: the CPU is not hybrid
 * @cpus: the CPUs with this PMU
 * @metrics: number of Topdown metrics; 0: none
 * @tfa_counters: counters used by the microcode unless RTM is made to abort, see force_abort.c
 * @limits: overrides x86_model::limits; NULL: no override
 * @no_extra: mask of the rows of x86_model::extra whose registers do not work on this machine
 * @generic: see struct x86_model; without the events that the CPU lacks
 * @branches: how branches are recorded
 * @precise: how PEBS records are written
 */
struct x86_core {
	struct pmu			pmu;
	const struct x86_model		*model;
	const char			*name;
	const struct x86_pmu_msrs	*msrs;
	int				version;
	u64				counters;
	u8				width;
	u8				fixed_width;
	u64				max_period;
	u64				config_mask;
	u32				counter_msr;
	u32				events_mask;
	int				events_mask_len;
	u64				capabilities;
	u64				auto_reloads;
	u8				kind;
	u8				metrics;
	u64				tfa_counters;
	const struct x86_limit		*limits;
	u64				no_extra;
	cpumask_t			cpus;
	u64				generic[PERF_COUNT_HW_MAX];
	struct x86_branches		branches;
	struct x86_precise		precise;
};

static inline const struct x86_limit *x86_core_limits(const struct x86_core *core)
{
	return core->limits ?: core->model->limits;
}

/* Maximum attr.precise_ip of a new event */
static inline u8 x86_max_precise(const struct x86_core *core)
{
	return READ_ONCE(core->precise.broken) ? 0 : core->precise.levels;
}

/*
 * Mask of the bits of fixed counter 0 in MSR_CORE_PERF_FIXED_CTR_CTRL. With adaptive PEBS the mask
 * includes a bit of the upper half, and there are at most eight fixed counters.
 */
static inline u64 x86_fixed_bits(const struct x86_core *core)
{
	return core->precise.adaptive ? X86_FIXED_BITS : INTEL_FIXED_BITS_MASK;
}

/* x86_core::kind, as in CPUID leaf 0x1a */
#define X86_KIND_ATOM	0x20
#define X86_KIND_CORE	0x40

/*
 * With the E-cores disabled by firmware, or in a guest with one core type only, CPUID does not
 * report a hybrid CPU. The kind then depends on the model, so that the PMU still has the name
 * "cpu_core".
 */
static inline u8 x86_model_kind(const struct x86_model *model)
{
	return model->e_core_model ? X86_KIND_CORE : 0;
}

/* Maximum increment of a counter between its read and its reprogramming */
#define X86_REPROGRAM_INCREMENT_MAX	((s64)BIT_ULL(14))

/* x86_event_sel::flags and hw_perf_event::flags */
#define X86_HOST_ONLY		BIT(0)	/* stop while a guest runs */
#define X86_GUEST_ONLY		BIT(1)	/* run only while a guest runs */
#define X86_UNSHARED		BIT(2)	/* do not share the counter */
#define X86_PAIR		BIT(3)	/* use the next counter, too */
#define X86_AMD_NB		BIT(4)	/* northbridge event, see amd_nb.c */
#define X86_HT_ERRATUM		BIT(5)	/* hyper-threading erratum, see excl_cntrs.c */
#define X86_METRICS		BIT(6)	/* counter starts at 0, see metrics.c */
#define X86_DISTRIBUTED		BIT(7)	/* highest precision: precisely distributed PEBS */

/* Maximum number of Topdown metrics, and their bit in the control and status registers */
#define X86_METRICS_MAX		8
#define X86_METRICS_RUN		BIT_ULL(48)

/**
 * struct x86_event_sel - event select and extra register: events with equal selects share a counter
 * @config: event select without the enable bit
 * @extra: value of the extra register
 * @extra_idx: index of the extra register in x86_model::extra; -1: none
 * @allowed: mask of the counters that can count the event
 * @msr: the extra register; 0: none
 * @flags: X86_HOST_ONLY, ...
 * @common: bit of the value that @extra selects for the common registers, which have one value for
 *	all events of a core; 0: @extra selects none
 */
struct x86_event_sel {
	u64	config;
	u64	extra;
	u64	allowed;
	u32	msr;
	s16	extra_idx;
	u16	flags;
	u16	common;
};

static inline bool x86_event_sels_equal(const struct x86_event_sel *a,
					const struct x86_event_sel *b)
{
	return a->config == b->config && a->extra == b->extra && a->msr == b->msr &&
	       a->allowed == b->allowed && a->flags == b->flags;
}

/**
 * struct x86_extra_reg - an extra register in use
 * @msr: the register; 0: this entry is unused
 * @users: number of struct x86_count, and of events with a branch stack, that need @value
 * @value: value needed by the users, or by the last one
 * @gen: generation of @value, starting at 1
 */
struct x86_extra_reg {
	u32	msr;
	u32	users;
	u64	value;
	u32	gen;
};

/**
 * struct x86_extra_set - the extra registers of a CPU, core or module
 * @lock: protects @regs against the other CPUs of the core or module; innermost, taken with
 *	interrupts off. A register with users cannot change, and is read without the lock
 * @regs: the registers used so far, in no order
 */
struct x86_extra_set {
	raw_spinlock_t		lock;		/* regs */
	struct x86_extra_reg	regs[X86_EXTRA_MAX];
};

/**
 * struct x86_amd_nb - a northbridge, which several CPUs share
 * @taken: mask of the counters that have a northbridge event on one of the CPUs
 */
struct x86_amd_nb {
	atomic64_t	taken;
};

/**
 * struct x86_excl_thread - registers in use by one thread of a core
 * @used: mask of the counters that may be in use
 * @exclusive: mask of those counters in @used that may corrupt the other thread's counters
 * @extra: if the threads share all registers: mask of the extra registers that may be in use, by
 *	their index in x86_model::extra
 * @common: mask of the values of the common registers that may be in use, see x86_event_sel::common
 * @online: the thread is online
 */
struct x86_excl_thread {
	u64	used;
	u64	exclusive;
	u64	extra;
	u16	common;
	bool	online;
};

/**
 * struct x86_excl_cntrs - registers in use by the two threads of a core
 * @lock: protects @thread; innermost, taken with interrupts off
 * @thread: the registers of each thread
 */
struct x86_excl_cntrs {
	raw_spinlock_t		lock;		/* thread */
	struct x86_excl_thread	thread[2];
};

/**
 * struct x86_count - an event select that is counted on this CPU
 * @id: unique on this CPU; the lowest bits are the index in x86_pmu_cpu::counts. 0: not allocated.
 *	hw.last_tag of an event is the @id of its last struct x86_count, or 0, so x86_last_count()
 *	needs no select. An NMI may free a struct x86_count, but not during x86_count_attach(),
 *	since the PMU is disabled there
 * @duplicate: another struct x86_count with the same @sel was full when this one was allocated
 * @sel: the event select
 * @events: the events, by their active_entry; an RCU list, so that an NMI can walk it
 * @nr_events: number of @events; 0: kept for reuse until @counter is needed
 * @nr_sampling: number of @events that sample
 * @counter: the counter programmed; -1: none. Set after @offset and before x86_pmu_cpu::owner;
 *	cleared after x86_pmu_cpu::owner, while @seq is odd
 * @assigned: the counter assigned, programmed by x86_reprogram(); -1: none
 * @seq: sequence count, odd while @offset does not match the counter: an NMI then uses @total
 * @offset: @total minus the counter value, which is also the total at the next overflow
 * @total: the total if there is no counter or @seq is odd; else the total as read in generation
 *	@gen
 * @gen: generation in which @total was read, see x86_pmu_cpu::gen
 * @next_overflow: total at which the first event needs an interrupt; U64_MAX: none does
 * @extra: the extra register in use while there are events; NULL: none
 * @reload: period that the CPU loads into the counter with each PEBS record; 0: none
 * @restarted: with X86_METRICS: jiffies when the slots counter was set to 0
 * @apart: the last PEBS record named several counters with different selects: minimum distance to
 *	a missed overflow, different for each of these counters; 0: there was no such record
 * @wrapped: with X86_METRICS: the slots counter has overflowed, and was not reset since
 */
struct x86_count {
	u64			id;
	bool			duplicate;
	struct x86_event_sel	sel;
	struct list_head	events;
	unsigned int		nr_events;
	unsigned int		nr_sampling;
	s8			counter;
	s8			assigned;
	unsigned int		seq;
	u64			offset;
	u64			total;
	u64			gen;
	u64			next_overflow;
	struct x86_extra_reg	*extra;
	u64			reload;
	unsigned long		restarted;
	u32			apart;
	bool			wrapped;
};

/**
 * struct x86_pmu_cpu - PMU state of one CPU
 * @core: the PMU; NULL: none
 * @trace_msrs: on a CPU without PMU: the registers for interrupts of PT; NULL: none
 * @counts: the event selects that are counted, or kept for reuse
 * @used: mask of @counts that are allocated
 * @last_id: x86_count::id allocated last
 * @owner: for each counter, the element of @counts that it is programmed for; NULL: none, and the
 *	overflow interrupt ignores the counter. Both counters of a pair have the same owner, whose
 *	x86_count::counter is the lower one
 * @upper: mask of the upper counters of pairs, which are not read
 * @checkpointed: mask of counters that a transaction abort rolls back, see x86_handle_overflowed()
 * @assigned_mask: mask of the counters assigned to events
 * @shutdown: the system is being shut down, and the registers are not changed any more
 * @disabled: perf has disabled the PMU. The counters run on: which counters must change is known
 *	only when perf enables the PMU
 * @txn: PERF_PMU_TXN_* of the open transaction; 0: none
 * @needs_assign: an attached event has no counter assigned
 * @needs_reprogram: registers need reprogramming; also set by an NMI
 * @reprogramming: x86_reprogram() or other code writes registers, or an NMI handles overflows. A
 *	nested NMI sets @needs_reprogram, and leaves its changes to the interrupted code
 * @nb_changed: a northbridge event was attached, detached or moved
 * @gen: generation; x86_count::total is current while x86_count::gen equals @gen. Incremented when
 *	the PMU is disabled, when a group read begins, and when x86_reprogram() repeats
 * @running: mask of the counters that may run, on the host or in guests
 * @select: shadow of the event selects
 * @fixed_control: shadow of the control register of the fixed counters
 * @control: shadow of the global control register
 * @control_unknown: @control is being written, or other code may have changed the register
 * @guest_ran: KVM was given guest and host values of the global control register, or of the
 *	selects, since x86_set_global_ctrl_unknown()
 * @runs_guests: AMD: KVM may run guests on this CPU, and does not announce each VM entry
 * @select_clear: bits to clear in all selects
 * @guest_only: mask of the counters to run only in guests
 * @host_only: mask of the counters to stop in guests
 * @value: values of counters without an owner
 * @value_gen: generation in which each @value was read; 0: unknown
 * @own_extra: the extra registers of this CPU
 * @shared_extra: the extra registers of the core or module
 * @first_extra: storage of @shared_extra, in the first CPU of the core or module
 * @own_written: for each of @own_extra, the x86_extra_reg::gen written by this CPU; 0: unknown
 * @shared_written: as @own_written, for @shared_extra; each CPU may have its own copy of the
 *	register
 * @nb: the northbridge of this CPU
 * @first_nb: storage of @nb, in the first CPU of the northbridge
 * @nb_taken: mask of the counters that this CPU has taken in @nb
 * @excl: registers in use by the threads of the core; NULL: the threads need not exclude each other
 * @first_excl: storage of @excl, in the first CPU of the core
 * @thread: index of this CPU in @excl
 * @excl_changed: @excl may have registers that this CPU does not use any more
 * @metric_total: total of each Topdown metric
 * @metrics_gen: generation in which the metrics were read last
 * @force_abort: MSR_TSX_FORCE_ABORT is set to abort transactions
 * @has_counted: since boot, a counter of this CPU was programmed or the BTS was started
 * @late_nmi_until: local_clock() up to which an interrupt without overflow is expected
 * @cleared: mask of the counters that were cleared and have not run since; X86_METRICS_RUN: the
 *	metrics
 * @counted_kernel: mask of the counters that counted the kernel in a kernel thread, and then
 *	stopped or were reprogrammed
 * @enabling_rdpmc: CR4.PCE will be set as soon as the counters are cleared
 * @released_claim: x86_claim::id of counters released by perfctr that are still programmed; 0: none
 * @claimed: mask of the counters reserved by perfctr, see claim.c
 * @claim_running: mask of the @claimed counters that run; the overflow interrupt may clear it
 * @claim_ints: mask of the @claimed counters that interrupt when they overflow
 * @ignored: mask of the counters that were last programmed for perfctr, without interrupt. Their
 *	overflows cause no NMI, so their bits in the status are ignored
 * @claim_displaced: flexible events were scheduled out, since perfctr has reserved their counters
 * @branch: branch records
 * @precise: PEBS records
 * @bts: branch trace store
 * @has_ds_area: MSR_IA32_DS_AREA is set
 * @from_record: a sample is being written from a PEBS or BTS record; index 1: in an NMI, 0: outside
 *	of NMIs
 */
struct x86_pmu_cpu {
	struct x86_core		*core;
	const struct x86_pmu_msrs	*trace_msrs;
	struct x86_count	counts[X86_COUNTS_MAX];
	u64			used;
	u64			last_id;
	struct x86_count	*owner[X86_COUNTERS_MAX];
	u64			upper;
	u64			checkpointed;
	u64			assigned_mask;
	bool			shutdown;
	bool			disabled;
	unsigned int		txn;
	bool			needs_assign;
	bool			needs_reprogram;
	bool			reprogramming;
	bool			nb_changed;
	u64			gen;
	u64			running;
	u64			select[X86_COUNTERS_MAX];
	u64			fixed_control;
	u64			control;
	bool			control_unknown;
	bool			guest_ran;
	bool			runs_guests;
	u64			select_clear;
	u64			guest_only;
	u64			host_only;
	u64			value[X86_COUNTERS_MAX];
	u64			value_gen[X86_COUNTERS_MAX];
	struct x86_extra_set	own_extra;
	struct x86_extra_set	*shared_extra;
	struct x86_extra_set	first_extra;
	u32			own_written[X86_EXTRA_MAX];
	u32			shared_written[X86_EXTRA_MAX];
	struct x86_amd_nb	*nb;
	struct x86_amd_nb	first_nb;
	u64			nb_taken;
	struct x86_excl_cntrs	*excl;
	struct x86_excl_cntrs	first_excl;
	u8			thread;
	bool			excl_changed;
	u64			metric_total[X86_METRICS_MAX];
	u64			metrics_gen;
	bool			force_abort;
	bool			has_counted;
	u64			late_nmi_until;
	u64			cleared;
	u64			counted_kernel;
	bool			enabling_rdpmc;
	u64			released_claim;
	u64			claimed;
	u64			claim_running;
	u64			claim_ints;
	u64			ignored;
	bool			claim_displaced;
	struct x86_branch_cpu	branch;
	struct x86_precise_cpu	precise;
	struct x86_bts_cpu	bts;
	bool			has_ds_area;
	bool			from_record[2];
};

DECLARE_PER_CPU(struct x86_pmu_cpu, x86_pmu_cpu);

static inline struct x86_core *to_x86_core(struct pmu *pmu)
{
	return container_of(pmu, struct x86_core, pmu);
}

static inline struct x86_pmu_cpu *x86_this_cpu(void)
{
	lockdep_assert_irqs_disabled();
	return this_cpu_ptr(&x86_pmu_cpu);
}

static inline bool x86_counter_is_fixed(int counter)
{
	return counter >= INTEL_PMC_IDX_FIXED;
}

/*
 * Number of branches that the branch unit records after an overflow, before the interrupt. The
 * overflow must be this number of branches before the end of the period. 0: there is no delay
 */
static inline u64 x86_event_brs_delay(const struct perf_event *event)
{
	const struct x86_branches *unit = &to_x86_core(event->pmu)->branches;

	return needs_branch_stack(event) && (unit->flags & X86_UNIT_DELAYS) ? unit->nr : 0;
}

/* Mask of the counters to clear before user space may read them; X86_METRICS_RUN: the metrics */
static inline u64 x86_clearable(const struct x86_core *core)
{
	return core->counters | (core->metrics ? X86_METRICS_RUN : 0);
}

static inline u8 x86_counter_width(const struct x86_core *core, int counter)
{
	return x86_counter_is_fixed(counter) ? core->fixed_width : core->width;
}

/* The struct x86_count that an event is attached to; NULL: none. Context: any. */
static inline struct x86_count *x86_event_count(const struct perf_event *event)
{
	return (struct x86_count *)READ_ONCE(event->hw.event_base);
}

/* Is an attached event started? Context: any. */
static inline bool x86_event_runs(const struct perf_event *event)
{
	return !(READ_ONCE(event->hw.state) & PERF_HES_STOPPED);
}

/* Does a transaction abort roll the counter back? Without TSX, the bit has other uses. */
static inline bool x86_is_checkpointed(const struct x86_core *core, const struct x86_count *count)
{
	return core->model->transactions && (count->sel.config & HSW_IN_TX_CHECKPOINTED);
}

/* Mask of the counters that @count uses if it is on @counter. */
static inline u64 x86_count_counters(const struct x86_count *count, int counter)
{
	return (count->sel.flags & X86_PAIR ? 3ULL : 1ULL) << counter;
}

/* Mask of the counters that @count can have; for a pair, of its possible lower counters. */
static inline u64 x86_count_allowed(const struct x86_count *count, u64 claimed)
{
	if (count->sel.flags & X86_PAIR)
		claimed |= claimed >> 1;
	return count->sel.allowed & ~claimed;
}

#define for_each_x86_counter(counter, mask)						\
	for (u64 __left = (mask); __left && ((counter) = __ffs64(__left), true);	\
	     __left &= __left - 1)

/* Mask of the counters that write PEBS records; the enable register has other bits, too. */
static inline u64 x86_precise_enabled(const struct x86_pmu_cpu *cpu)
{
	return READ_ONCE(cpu->precise.enabled) & cpu->core->precise.counters;
}

/* registers.c */
u64 x86_read_counter(const struct x86_core *core, int counter);
void x86_write_counter(struct x86_pmu_cpu *cpu, int counter, u64 value);
void x86_write_metrics(void);
void x86_write_upper(struct x86_pmu_cpu *cpu, int counter);
u64 x86_kernel_counters(const struct x86_pmu_cpu *cpu, u64 counters);
void x86_write_select(struct x86_pmu_cpu *cpu, int counter, u64 select);
void x86_restore_selects(struct x86_pmu_cpu *cpu);
int x86_clear_sticky_overflows(struct x86_pmu_cpu *cpu);
void x86_write_erratum_selects(struct x86_pmu_cpu *cpu);
void x86_write_fixed_control(struct x86_pmu_cpu *cpu, u64 value);
void x86_write_global_ctrl(struct x86_pmu_cpu *cpu, u64 value);
u64 x86_fixed_select(u64 config);

/* Index of a counter for RDPMC */
static inline unsigned int x86_rdpmc_index(int counter)
{
	if (x86_counter_is_fixed(counter))
		return INTEL_PMC_FIXED_RDPMC_BASE | (counter - INTEL_PMC_IDX_FIXED);
	return counter;
}

static inline u32 x86_select_msr(const struct x86_pmu_msrs *msrs, int counter)
{
	return msrs->select + counter * msrs->stride;
}

/* Reload registers of a counter: mask of the counters whose overflow reloads it, and the value */
#define X86_RELOAD_CAUSES	2
#define X86_RELOAD_VALUE	3

/* MSR of a reload register; @counter is in x86_core::auto_reloads. */
static inline u32 x86_reload_msr(int counter, u32 what)
{
	if (x86_counter_is_fixed(counter))
		return MSR_IA32_PMC_V6_FX0_CTR + what +
		       (counter - INTEL_PMC_IDX_FIXED) * MSR_IA32_PMC_V6_STEP;
	return MSR_IA32_PMC_V6_GP0_CTR + what + counter * MSR_IA32_PMC_V6_STEP;
}

u64 x86_read_overflowed(struct x86_pmu_cpu *cpu, u64 later, u64 *others);
void x86_acknowledge_bits(struct x86_pmu_cpu *cpu, u64 status);
void x86_halt_without_pmu(const struct x86_pmu_msrs *msrs);
bool x86_acknowledge_trace(const struct x86_pmu_msrs *msrs);

/* Can PT interrupt a CPU with these registers? */
static inline bool x86_has_trace_interrupts(const struct x86_pmu_msrs *msrs)
{
	return msrs && msrs->control && msrs->status && boot_cpu_has(X86_FEATURE_INTEL_PT);
}

void x86_ignore_overflows(struct x86_pmu_cpu *cpu, u64 counters);
void x86_unignore_overflows(struct x86_pmu_cpu *cpu, u64 counters);
void x86_set_selects_unknown(struct x86_pmu_cpu *cpu);
void x86_reset_registers(struct x86_pmu_cpu *cpu);
void x86_leave_registers(struct x86_pmu_cpu *cpu);
void x86_clear_counters(struct x86_pmu_cpu *cpu, u64 counters);
void x86_print_registers(const struct x86_pmu_cpu *cpu);
void x86_check_global_ctrl(const struct x86_pmu_cpu *cpu);
void x86_check_clean(const struct x86_pmu_cpu *cpu);
int x86_check_registers(struct x86_core *core);
void x86_check_extra(struct x86_core *core);

/* extra.c */
struct x86_extra_reg *x86_extra_get(struct x86_extra_set *set, const struct x86_extra *row,
				    struct x86_event_sel *sel);
struct x86_extra_reg *x86_count_get_extra(struct x86_pmu_cpu *cpu, const struct x86_extra *row,
					  struct x86_event_sel *sel);
void x86_count_put_extra(struct x86_pmu_cpu *cpu, const struct x86_extra *row,
			 struct x86_extra_reg *reg);
bool x86_extra_is_written(struct x86_pmu_cpu *cpu, const struct x86_extra_reg *reg);
void x86_extra_write(struct x86_pmu_cpu *cpu, const struct x86_extra_reg *reg);
void x86_extra_set_unknown(struct x86_pmu_cpu *cpu, const struct x86_extra_reg *reg);
void x86_extra_set_all_unknown(struct x86_pmu_cpu *cpu);
void x86_extra_init(unsigned int number, const struct x86_core *core);

/* metrics.c */
int x86_metrics_check(struct perf_event *event);
void x86_metrics_get_sel(const struct perf_event *event, struct x86_event_sel *sel);
u64 x86_metrics_counter(const struct x86_core *core);
u64 x86_metrics_value(const struct x86_core *core, const struct x86_count *count, u64 value);
void x86_metrics_overflow(struct x86_count *count);
void x86_metrics_restart(struct x86_count *count);
u64 x86_metrics_read(void);
void x86_metrics_update(struct x86_pmu_cpu *cpu, u64 slots, u64 metrics);
int x86_event_metric(const struct perf_event *event);
u64 x86_metrics_event_total(struct x86_pmu_cpu *cpu, const struct perf_event *event,
			    struct x86_count *count);

/* Number of values of the slots counter */
static inline u64 x86_metrics_span(const struct x86_core *core)
{
	return BIT_ULL(core->fixed_width);
}

/* amd_nb.c */
u64 x86_amd_nb_used_elsewhere(struct x86_pmu_cpu *cpu, s64 *seen);
bool x86_amd_nb_get(struct x86_pmu_cpu *cpu, s64 seen, u64 counters);
void x86_amd_nb_put_others(struct x86_pmu_cpu *cpu, u64 counters);
void x86_amd_nb_init(unsigned int number);

/* excl_cntrs.c */
bool x86_counts_assign_excl(struct x86_pmu_cpu *cpu, u64 claimed, struct x86_count **counts,
			    struct x86_constraint *constraints, int n);
bool x86_excl_get(struct x86_pmu_cpu *cpu, u64 counters);
void x86_excl_put_others(struct x86_pmu_cpu *cpu, const struct x86_excl_thread *used);
void x86_excl_put_all(struct x86_pmu_cpu *cpu);
void x86_excl_init(unsigned int number, const struct x86_core *core);

/* count.c */
void x86_count_release(struct x86_pmu_cpu *cpu, struct x86_count *count);
int x86_count_attach(struct x86_pmu_cpu *cpu, struct perf_event *event);
void x86_count_detach(struct x86_pmu_cpu *cpu, struct perf_event *event);
int x86_counts_assign_unclaimed(struct x86_pmu_cpu *cpu, u64 claimed, bool pinned_only);
int x86_counts_assign(struct x86_pmu_cpu *cpu);
u64 x86_count_value(const struct x86_core *core, const struct x86_count *count);
u64 x86_count_read_new(struct x86_pmu_cpu *cpu, struct x86_count *count);

/**
 * x86_count_read - read x86_count::total, up to date
 * @cpu: this CPU
 * @count: one of x86_pmu_cpu::counts
 *
 * While the PMU is disabled, or a group is read, each counter is read only once. So an event that
 * stops and an event that starts on the same counter use the same value. With the PMU disabled, the
 * first read of a generation calls x86_count_read_new(), and further reads need no call.
 *
 * Context: any, including NMI.
 * Return: the total.
 */
static inline u64 x86_count_read(struct x86_pmu_cpu *cpu, struct x86_count *count)
{
	if (count->gen == cpu->gen && cpu->disabled && !in_nmi())
		return READ_ONCE(count->total);
	return x86_count_read_new(cpu, count);
}

/* The total for an event: of its Topdown metric, or of @count. Context: any. */
static inline u64 x86_event_total(struct x86_pmu_cpu *cpu, const struct perf_event *event,
				  struct x86_count *count)
{
	if (unlikely(count->sel.flags & X86_METRICS))
		return x86_metrics_event_total(cpu, event, count);
	return x86_count_read(cpu, count);
}

void x86_count_set_next_overflow(struct x86_count *count);
bool x86_count_runs(const struct x86_count *count);
void x86_count_clear_owner(struct x86_pmu_cpu *cpu, struct x86_count *count);
void x86_clear_unused(struct x86_pmu_cpu *cpu);
void x86_clear_kernel(struct x86_pmu_cpu *cpu);
void x86_event_update(struct perf_event *event, u64 total);
u64 x86_event_due(const struct perf_event *event);
bool x86_event_is_due(const struct perf_event *event);
void x86_event_begin_period(struct perf_event *event);

/* reprogram.c */
void x86_cpu_start(struct x86_pmu_cpu *cpu, struct x86_core *core, bool beside);
void x86_cpu_stop(struct x86_pmu_cpu *cpu);
void x86_reprogram(struct x86_pmu_cpu *cpu);
void x86_count_update_pages(const struct x86_count *count);
void x86_counts_detach_counters(struct x86_pmu_cpu *cpu);
void x86_cpu_shutdown(struct x86_pmu_cpu *cpu);
void x86_cpu_crash_shutdown(struct x86_pmu_cpu *cpu);
void x86_count_free(struct x86_pmu_cpu *cpu, struct x86_count *count);
void x86_check_late_nmi(struct x86_pmu_cpu *cpu, u64 value);
u64 x86_count_set_period(struct x86_pmu_cpu *cpu, struct x86_count *count);

/* claim.c */
int x86_claim_get(struct x86_pmu_cpu *cpu, const struct x86_claim *claim);
void x86_claim_start(struct x86_pmu_cpu *cpu, const struct x86_claim *claim);
void x86_claim_put(struct x86_pmu_cpu *cpu, const struct x86_claim *claim);
void x86_claim_revoke(struct x86_pmu_cpu *cpu);
void x86_claim_resched(struct x86_pmu_cpu *cpu);
bool x86_claim_handle_overflow(struct x86_pmu_cpu *cpu, u64 overflowed);
void x86_claim_stop(struct x86_pmu_cpu *cpu);

/**
 * x86_claim_get_fast - reserve counters again that perfctr has released, and that still run
 * @cpu: this CPU
 * @claim: the counters
 *
 * Context: interrupts off.
 * Return: true if the counters run for @claim, false if x86_claim_get() must be called.
 */
static __always_inline bool x86_claim_get_fast(struct x86_pmu_cpu *cpu,
					       const struct x86_claim *claim)
{
	/*
	 * The counters cannot continue if they may be reprogrammed for perf. They were not cleared:
	 * x86_clear() first stops them and sets released_claim to 0, or sets needs_reprogram.
	 */
	if (!claim->id || READ_ONCE(cpu->released_claim) != claim->id || cpu->disabled ||
	    READ_ONCE(cpu->needs_reprogram) || (cpu->assigned_mask & claim->counters))
		return false;
	if (IS_ENABLED(CONFIG_PERF_EVENTS_CHECK_REGISTERS))
		WARN_ON_ONCE(cpu->cleared & claim->counters);
	/* The counters run already, so an NMI must see the reservation from here on. */
	WRITE_ONCE(cpu->claimed, claim->counters);
	WRITE_ONCE(cpu->claim_running, claim->counters);
	/* The last NMI before these writes may have reprogrammed the counters: check again. */
	if (likely(READ_ONCE(cpu->released_claim) == claim->id))
		return true;
	WRITE_ONCE(cpu->claim_running, 0);
	WRITE_ONCE(cpu->claimed, 0);
	return false;
}

/**
 * x86_claim_runs_on - check whether a claim can end without a register write
 * @cpu: this CPU
 * @claim: the counters
 *
 * Context: interrupts off.
 * Return: true if x86_claim_put_running() may end the claim, false if x86_claim_put() must.
 */
static __always_inline bool x86_claim_runs_on(const struct x86_pmu_cpu *cpu,
					      const struct x86_claim *claim)
{
	return !claim->ints && !cpu->excl && !(claim->counters & cpu->core->tfa_counters) &&
	       !READ_ONCE(cpu->needs_reprogram);
}

/**
 * x86_claim_put_running - release counters of perfctr, which run on
 * @cpu: this CPU
 * @claim: the counters; x86_claim_runs_on() has returned true
 *
 * Context: interrupts off.
 */
static __always_inline void x86_claim_put_running(struct x86_pmu_cpu *cpu,
						  const struct x86_claim *claim)
{
	/* An NMI that stops the counters clears released_claim. */
	WRITE_ONCE(cpu->released_claim, claim->id);
	WRITE_ONCE(cpu->claim_running, 0);
	WRITE_ONCE(cpu->claimed, 0);
}

/**
 * x86_claim_put_fast - release counters of perfctr, without a register write if possible
 * @cpu: this CPU
 * @claim: the counters
 *
 * Context: interrupts off.
 */
static __always_inline void x86_claim_put_fast(struct x86_pmu_cpu *cpu,
					       const struct x86_claim *claim)
{
	if (x86_claim_runs_on(cpu, claim))
		x86_claim_put_running(cpu, claim);
	else
		x86_claim_put(cpu, claim);
}

/* perfctr.c */
#ifdef CONFIG_PERFCTR_COUNTERS
void perfctr_cpu_interrupt(struct pt_regs *regs);
void perfctr_cpu_update_readable(void);
void perfctr_cpu_revoke(void);
#else
static inline void perfctr_cpu_interrupt(struct pt_regs *regs) { }
static inline void perfctr_cpu_update_readable(void) { }
static inline void perfctr_cpu_revoke(void) { }
#endif

/* config.c */
extern bool x86_share;
int x86_event_init(struct perf_event *event);
const struct x86_limit *x86_find_limit(const struct x86_limit *limit, u64 config);
u64 x86_event_least_period(const struct perf_event *event);
bool x86_is_branch_trace(const struct perf_event *event, u64 period);
int x86_event_get_sel(struct perf_event *event, struct x86_event_sel *sel);
u64 x86_limit_counters(const struct x86_core *core, const struct x86_limit *limit,
		       struct x86_event_sel *sel);

/* pmu.c */
void x86_defer_reprogram(struct x86_pmu_cpu *cpu);
void x86_resume_reprogram(struct x86_pmu_cpu *cpu);
void x86_set_global_ctrl_unknown(struct x86_pmu_cpu *cpu);
void x86_core_init_pmu(struct x86_core *core);
void x86_event_update_page(const struct perf_event *event, struct perf_event_mmap_page *page);
void x86_event_stop(struct perf_event *event, int flags);

/* sample_ip.c */
struct pt_regs *x86_entry_registers(struct pt_regs *regs, struct pt_regs *empty);

/* overflow.c */
void x86_expect_late_nmi(struct x86_pmu_cpu *cpu);
void x86_sample(struct x86_pmu_cpu *cpu, struct perf_event *event, struct pt_regs *regs,
		const struct x86_record *record, bool may_throttle);
bool x86_handle_counter_overflow(struct x86_pmu_cpu *cpu, int counter, struct pt_regs *regs,
				 const struct x86_record *record);
int x86_pmu_interrupt(struct pt_regs *regs);
void x86_unmask_lvtpc(void);
void x86_mask_lvtpc(void);

/* rdpmc.c */
extern int x86_rdpmc;
void x86_rdpmc_init(void);
void x86_update_user_pages(struct mm_struct *mm);
bool x86_user_reads(void);
bool x86_in_kernel_thread(void);
bool x86_perf_clock_is_tsc(void);

/* May user space read the event's counter? Decided when the event was opened. */
static inline bool x86_event_is_readable(const struct perf_event *event)
{
	return event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT;
}

void x86_event_mapped(struct perf_event *event, struct mm_struct *mm);
void x86_event_unmapped(struct perf_event *event, struct mm_struct *mm);
extern struct device_attribute dev_attr_rdpmc;

/* sysfs.c */
int x86_sysfs_init_groups(struct x86_core *core);
void x86_sysfs_free_groups(struct x86_core *core);

/* smm.c */
bool x86_can_freeze_on_smi(const struct x86_core *core);
void x86_smm_write_msr(const struct x86_core *core);
extern struct device_attribute dev_attr_freeze_on_smi;

/* force_abort.c */
void x86_force_abort_probe(struct x86_core *core);
u64 x86_force_abort_limit(const struct x86_core *core);
void x86_force_abort(struct x86_pmu_cpu *cpu, u64 counters);
extern struct device_attribute dev_attr_allow_tsx_force_abort;

/* init.c */
#define X86_CORES_MAX		2
extern struct x86_core *x86_cores[X86_CORES_MAX];
extern int x86_nr_cores;

#endif /* _ARCH_X86_EVENTS_ENGINE_H */
