/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The driver of the CPUs' own counters: what its files share.
 *
 * Something that is counted on a CPU is a struct x86_count: an event select, with all
 * that belongs to it. It has a running total of 64 bits, whatever the width of the
 * counter that counts it, which counter that is, and how often that is set anew. Events
 * are clients of a count. They take differences of its total, so any number of them can
 * share it, and with it the counter.
 *
 *   pmu.c		callbacks of struct pmu: events become clients of counts, and cease to be
 *   config.c		which count an event wants
 *   count.c		counts, their clients, and their totals
 *   assign.c		which counter each count gets
 *   extra.c		registers beside the selects
 *   metrics.c		shares of the issue slots
 *   force_abort.c	a counter that the microcode takes for transactions
 *   node.c		events that are common to the CPUs of a node
 *   thread.c		events that spoil counts of the core's other thread
 *   apply.c		brings the registers to what has been decided
 *   intel/pebs.c	records of precise events, see precise.h
 *   branch.c		branches that are recorded for events, see branch.h
 *   claim.c		counters that perf does without, as perfctr has them
 *   registers.c	the registers, and what they hold
 *   overflow.c		the interrupt
 *
 * User space must not see counts of other users in a counter, whether by RDPMC, in a page, in a
 * guest or by a call. So x86_clear_unused() clears idle counters, and writes those of active events
 * again, before CR4.PCE is set. A kernel thread that keeps the address space leaves CR4.PCE set, so
 * x86_clear_kernel() does the same after it, for counters that count the kernel. A claim clears its
 * counters when it begins. While CR4.PCE is clear, a page has no index, since its offset would show
 * what the counter held. The exception is a counter that samples: it holds the distance to its next
 * overflow.
 *
 * All state belongs to one CPU. It is changed with interrupts off on that CPU, and by the
 * interrupt, an NMI. No lock protects it: an NMI runs to its end between two
 * instructions of the rest. How each field copes with that is said at the field.
 */
#ifndef _ARCH_X86_EVENTS_ENGINE_H
#define _ARCH_X86_EVENTS_ENGINE_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <asm/perfctr.h>

#include "assign.h"
#include "branch.h"
#include "model.h"
#include "perf_event.h"
#include "precise.h"

/* Counts of a CPU that have clients or a counter. */
#define X86_COUNTS_MAX		64
/* Clients of a count, which its interrupt looks through. */
#define X86_CLIENTS_MAX		64
/* Registers beside the selects, of a CPU or core. */
#define X86_EXTRA_MAX		32

/**
 * struct x86_core - the PMU of one kind of core: one for all CPUs, or several in hybrid ones
 * @pmu: as the core of perf events knows it
 * @model: its row
 * @name: in the log and in sysfs
 * @bank: its registers
 * @version: of Intel's or AMD's architecture of PMUs; 0: none
 * @counters: mask of those that there are
 * @width: bits of a general counter
 * @fixed_width: bits of a fixed one
 * @max_period: see struct x86_model
 * @config_mask: see struct x86_model
 * @counter_msr: address of the first general counter for writes; they may be of full
 *	width there, and of 32 bits with sign elsewhere
 * @events_mask: bits of missing architectural events, as CPUID has them
 * @events_mask_len: how many of these bits are valid
 * @capabilities: of Intel's MSR_IA32_PERF_CAPABILITIES; 0: none
 * @kind: of the cores, X86_KIND_*; 0: all are the same
 * @cpus: the CPUs that are of this kind
 * @metrics: how many shares of the issue slots it tells; 0: none
 * @taken: counters that the microcode has unless told otherwise, see force_abort.c
 * @limits: instead of x86_model::limits; NULL: these
 * @no_extra: rows of x86_model::extra whose registers are not there, or do not keep anything
 * @generic: see struct x86_model; without those that the CPU lacks
 * @branches: how they record branches
 * @precise: how they write records of precise events
 */
struct x86_core {
	struct pmu		pmu;
	const struct x86_model	*model;
	const char		*name;
	const struct x86_bank	*bank;
	int			version;
	u64			counters;
	u8			width;
	u8			fixed_width;
	u64			max_period;
	u64			config_mask;
	u32			counter_msr;
	u32			events_mask;
	int			events_mask_len;
	u64			capabilities;
	u8			kind;
	u8			metrics;
	u64			taken;
	const struct x86_limit	*limits;
	u64			no_extra;
	cpumask_t		cpus;
	u64			generic[PERF_COUNT_HW_MAX];
	struct x86_branches	branches;
	struct x86_precise	precise;
};

static inline const struct x86_limit *x86_core_limits(const struct x86_core *core)
{
	return core->limits ?: core->model->limits;
}

/*
 * A fixed counter's bits in the register of all, at its lowest. Where records are made of groups,
 * the upper half of the register is about them, and there are at most eight counters.
 */
static inline u64 x86_fixed_bits(const struct x86_core *core)
{
	return core->precise.adaptive ? X86_FIXED_BITS : INTEL_FIXED_BITS_MASK;
}

/* x86_core::kind, as CPUID has them */
#define X86_KIND_ATOM	0x20
#define X86_KIND_CORE	0x40

/*
 * Firmware may switch off the small cores of a hybrid CPU, and guests may see one kind of core
 * alone. CPUID does not call these CPUs hybrid, but their PMU keeps its name, "cpu_core".
 */
static inline u8 x86_model_kind(const struct x86_model *model)
{
	return model->little ? X86_KIND_CORE : 0;
}

/* x86_key::flags, and hw_perf_event::flags */
#define X86_HOST_ONLY		BIT(0)	/* not while a guest runs */
#define X86_GUEST_ONLY		BIT(1)	/* only while a guest runs */
#define X86_ALONE		BIT(2)	/* shares its counter with nobody */
#define X86_PAIR		BIT(3)	/* takes the counter after its own, too */
#define X86_NODE		BIT(4)	/* is common to the CPUs of the node, see node.c */
#define X86_LEAKS		BIT(5)	/* spoils counts of the other thread, see thread.c */
#define X86_METRICS		BIT(6)	/* begins at 0, as shares of it are told, see metrics.c */
#define X86_DISTRIBUTED		BIT(7)	/* its samples are the most precise ones of its row */

/* Shares of the slots that there may be, and their bit in control and status */
#define X86_METRICS_MAX		8
#define X86_METRICS_RUN		BIT_ULL(48)

/**
 * struct x86_key - what is counted: equal keys share a count
 * @config: event select, without the bits that let it run
 * @extra: value of the register beside it
 * @row: which one that is, for the row's x86_model::extra; -1: there is none
 * @allowed: counters that can count it
 * @msr: that register, 0 for none
 * @flags: X86_HOST_ONLY, ...
 */
struct x86_key {
	u64	config;
	u64	extra;
	u64	allowed;
	u32	msr;
	s16	row;
	u16	flags;
};

static inline bool x86_keys_equal(const struct x86_key *a, const struct x86_key *b)
{
	return a->config == b->config && a->extra == b->extra && a->msr == b->msr &&
	       a->allowed == b->allowed && a->flags == b->flags;
}

/**
 * struct x86_extra_reg - a register beside the selects
 * @msr: its address, 0: it is none
 * @users: how many counts with clients rely on @value
 * @value: of the last one that was a user
 * @change: number of the last change of @value, from 1 on
 */
struct x86_extra_reg {
	u32	msr;
	u32	users;
	u64	value;
	u32	change;
};

/**
 * struct x86_extra_set - those of a CPU, or of a core
 * @lock: protects @regs, as the core's other thread may want the same; interrupts are off,
 *	and it is innermost. A register that a count relies on is looked at without it
 * @regs: registers in use so far, in no order
 */
struct x86_extra_set {
	raw_spinlock_t		lock;		/* regs */
	struct x86_extra_reg	regs[X86_EXTRA_MAX];
};

/**
 * struct x86_node - a node of CPUs
 * @taken: counters that one of these CPUs has an event of the node on
 */
struct x86_node {
	atomic64_t	taken;
};

/**
 * struct x86_thread - what one thread of a core counts with
 * @used: the counters that it may be using
 * @leaks: of these, those with events that spoil the other thread's counts
 * @online: it is there
 */
struct x86_thread {
	u64	used;
	u64	leaks;
	bool	online;
};

/**
 * struct x86_threads - the two threads of a core
 * @lock: protects @thread; interrupts are off, and it is innermost
 * @thread: both of them
 */
struct x86_threads {
	raw_spinlock_t		lock;		/* thread */
	struct x86_thread	thread[2];
};

/**
 * struct x86_count - something that is counted on this CPU
 * @key: what
 * @clients: events, by their active_entry; changed so that an NMI can always walk it
 * @nr_clients: how many; 0: it is kept as it might be wanted again, and gives way
 * @counter: that counts it, -1 for none. The last thing to be set of a new one, and the
 *	first to be cleared, for the interrupt
 * @wanted: the counter that it will have when apply.c is done; -1 for none
 * @seq: odd while @bias does not belong to what the counter holds: an NMI takes @total then
 * @bias: total less the counter's value; the counter overflows when the total is this
 * @total: when there is no counter, or @seq is odd, or (while @turn is this CPU's) when it
 *	was read last
 * @turn: of the last read
 * @next: the total at which the first of the clients wants an interrupt; U64_MAX: none
 * @extra: the register beside its select, which it relies on while it has clients; or NULL
 * @reload: how far the CPU itself sets the counter back as it writes a record; 0: to zero
 */
struct x86_count {
	struct x86_key		key;
	struct list_head	clients;
	unsigned int		nr_clients;
	s8			counter;
	s8			wanted;
	unsigned int		seq;
	u64			bias;
	u64			total;
	u64			turn;
	u64			next;
	struct x86_extra_reg	*extra;
	u64			reload;
};

/**
 * struct x86_pmu_cpu - what is counted on one CPU, and what its registers hold
 * @core: its PMU; NULL: there is none
 * @counts: array of what is counted
 * @used: those of @counts that are in use
 * @owner: of each counter, the count that it counts; NULL: none, which an interrupt ignores.
 *	A pair of counters has one owner, whose counter is the lower one
 * @upper: counters that are the upper ones of pairs, and not read
 * @checkpointed: counters that the abort of a transaction sets back, see x86_serve_overflowed()
 * @wanted: mask of counters that counts with clients have, or will have
 * @down: the system is being shut down, and the registers are not changed any more
 * @halted: the core has disabled the PMU. The registers do not know of it: counters run on
 *	until it is known which of them need a change
 * @txn: PERF_PMU_TXN_* that is open
 * @unplaced: a count with clients has no counter yet
 * @dirty: the registers may not be what they should be. Set by an NMI, too
 * @applying: apply.c writes registers, so that an NMI leaves that to it
 * @node_changed: counts of events of the node have come, gone or moved
 * @turn: number of the stretch of time in which a total that has been read stays good; a
 *	new one begins as the PMU is disabled or enabled
 * @running: counters that may run, by @control or by their selects
 * @select: what the selects hold; of fixed counters, their part of @fixed_control
 * @fixed_control: what that register holds
 * @control: what that register holds, or will hold if
 * @control_unsure: it is being written, or may have been changed otherwise
 * @guest_ran: KVM has been told which values that register has for a guest and for the host
 * @runs_guests: AMD's KVM may run guests at any time, and does not say so
 * @select_clear: bits that are not set in any select now
 * @guest_only: counters that must run only in guests, and
 * @host_only: those that must not
 * @value: what counters hold that belong to no count, if
 * @value_turn: is this @turn; 0: not known
 * @own_extra: registers beside the selects, of the CPU alone
 * @core_extra: those of its core, and
 * @first_extra: these, if the CPU was the first of its core
 * @own_written: of each of @own_extra, the x86_extra_reg::change that this CPU has written, or 0
 * @core_written: the same for @core_extra, as each thread of the core has a copy of the register
 * @node: the node that this CPU is of, and
 * @first_node: this, if the CPU was its first
 * @node_taken: the counters for whose numbers this CPU stands in @node
 * @threads: of the core that this CPU is a thread of; NULL: no events need them, and
 * @first_threads: these, if the CPU was the first of its core
 * @thread: which of the two it is
 * @threads_changed: it may use less than it has entered there
 * @metric_total: of each share of the slots, what it has been
 * @metrics_turn: the turn in which they began anew
 * @force_abort: the register that lets transactions abort says so
 * @has_counted: some counter has been told to count anything since this CPU was there
 * @late: local_clock() until when an interrupt may come whose overflow has been dealt with
 * @has_clean: counters whose value tells nothing about anybody; X86_METRICS_RUN: nor do the shares
 * @opening: user space will be able to read counters as soon as they are clean
 * @last_claim: id of the claim whose selects are as it has left them; 0: of none
 * @claimed: counters that perf does without for now, see claim.c
 * @claim_running: those of them that run, for the interrupt, which may stop them
 * @claim_ints: those of them that interrupt
 * @evicted: flexible events may wait for counters that claims have taken
 * @returned: how often they have been scheduled again at the end of a claim since
 * @returned_since: this jiffy began
 * @branch: its branches
 * @precise: its records of precise events
 */
struct x86_pmu_cpu {
	struct x86_core		*core;
	struct x86_count	counts[X86_COUNTS_MAX];
	u64			used;
	struct x86_count	*owner[X86_COUNTERS_MAX];
	u64			upper;
	u64			checkpointed;
	u64			wanted;
	bool			down;
	bool			halted;
	unsigned int		txn;
	bool			unplaced;
	bool			dirty;
	bool			applying;
	bool			node_changed;
	u64			turn;
	u64			running;
	u64			select[X86_COUNTERS_MAX];
	u64			fixed_control;
	u64			control;
	bool			control_unsure;
	bool			guest_ran;
	bool			runs_guests;
	u64			select_clear;
	u64			guest_only;
	u64			host_only;
	u64			value[X86_COUNTERS_MAX];
	u64			value_turn[X86_COUNTERS_MAX];
	struct x86_extra_set	own_extra;
	struct x86_extra_set	*core_extra;
	struct x86_extra_set	first_extra;
	u32			own_written[X86_EXTRA_MAX];
	u32			core_written[X86_EXTRA_MAX];
	struct x86_node		*node;
	struct x86_node		first_node;
	u64			node_taken;
	struct x86_threads	*threads;
	struct x86_threads	first_threads;
	u8			thread;
	bool			threads_changed;
	u64			metric_total[X86_METRICS_MAX];
	u64			metrics_turn;
	bool			force_abort;
	bool			has_counted;
	u64			late;
	u64			has_clean;
	bool			opening;
	u64			last_claim;
	u64			claimed;
	u64			claim_running;
	u64			claim_ints;
	bool			evicted;
	unsigned int		returned;
	unsigned long		returned_since;
	struct x86_branch_cpu	branch;
	struct x86_precise_cpu	precise;
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

/* All that has to be cleared where user space must not see what it holds. */
static inline u64 x86_clearable(const struct x86_core *core)
{
	return core->counters | (core->metrics ? X86_METRICS_RUN : 0);
}

static inline u8 x86_counter_width(const struct x86_core *core, int counter)
{
	return x86_counter_is_fixed(counter) ? core->fixed_width : core->width;
}

/* Does the abort of a transaction set its counter back? Other rows have other uses of the bit. */
static inline bool x86_is_checkpointed(const struct x86_core *core, const struct x86_count *count)
{
	return core->model->transactions && (count->key.config & HSW_IN_TX_CHECKPOINTED);
}

/* The counters that a count takes which has this one. */
static inline u64 x86_count_takes(const struct x86_count *count, int counter)
{
	return (count->key.flags & X86_PAIR ? 3ULL : 1ULL) << counter;
}

/* The counters that a count may have, of which a pair is named by its lower one. */
static inline u64 x86_count_allowed(const struct x86_count *count, u64 claimed)
{
	if (count->key.flags & X86_PAIR)
		claimed |= claimed >> 1;
	return count->key.allowed & ~claimed;
}

#define for_each_x86_counter(counter, mask)						\
	for (u64 __left = (mask); __left && ((counter) = __ffs64(__left), true);	\
	     __left &= __left - 1)

/* The counters that write records. The register has other bits, too. */
static inline u64 x86_precise_enabled(const struct x86_pmu_cpu *cpu)
{
	return READ_ONCE(cpu->precise.enabled) & cpu->core->precise.counters;
}

/* registers.c */
u64 x86_read_counter(const struct x86_core *core, int counter);
void x86_write_counter(struct x86_pmu_cpu *cpu, int counter, u64 value);
void x86_write_metrics(void);
void x86_write_upper(struct x86_pmu_cpu *cpu, int counter);
void x86_write_select(struct x86_pmu_cpu *cpu, int counter, u64 select);
void x86_pause_select(struct x86_pmu_cpu *cpu, int counter);
void x86_renew_select(struct x86_pmu_cpu *cpu, int counter);
void x86_write_idle_selects(struct x86_pmu_cpu *cpu);
void x86_write_fixed_control(struct x86_pmu_cpu *cpu, u64 value);
void x86_write_control(struct x86_pmu_cpu *cpu, u64 value);
u64 x86_fixed_select(u64 config);

/* What the RDPMC instruction calls a counter */
static inline unsigned int x86_rdpmc_index(int counter)
{
	if (x86_counter_is_fixed(counter))
		return INTEL_PMC_FIXED_RDPMC_BASE | (counter - INTEL_PMC_IDX_FIXED);
	return counter;
}

u64 x86_read_overflowed(struct x86_pmu_cpu *cpu, u64 later, u64 *others);
void x86_acknowledge_bits(struct x86_pmu_cpu *cpu, u64 status);
void x86_reset_registers(struct x86_pmu_cpu *cpu);
void x86_clear_counters(struct x86_pmu_cpu *cpu, u64 counters);
void x86_print_registers(const struct x86_pmu_cpu *cpu);
void x86_check_control(const struct x86_pmu_cpu *cpu);
int x86_check_registers(struct x86_core *core);
void x86_check_extra(struct x86_core *core);

/* extra.c */
struct x86_extra_reg *x86_extra_take(struct x86_extra_set *set, const struct x86_extra *row,
				     struct x86_key *key);
struct x86_extra_reg *x86_count_take_extra(struct x86_pmu_cpu *cpu, const struct x86_extra *row,
					   struct x86_key *key);
void x86_count_drop_extra(struct x86_pmu_cpu *cpu, const struct x86_extra *row,
			  struct x86_extra_reg *reg);
bool x86_extra_is_written(struct x86_pmu_cpu *cpu, const struct x86_extra_reg *reg);
void x86_extra_write(struct x86_pmu_cpu *cpu, const struct x86_extra_reg *reg);
void x86_extra_unwrite(struct x86_pmu_cpu *cpu, const struct x86_extra_reg *reg);
void x86_extra_lost(struct x86_pmu_cpu *cpu);
void x86_extra_init(unsigned int number);

/* metrics.c */
int x86_metrics_check(struct perf_event *event);
void x86_metrics_key(const struct perf_event *event, struct x86_key *key);
void x86_metrics_fold(struct x86_pmu_cpu *cpu, u64 slots);
int x86_event_metric(const struct perf_event *event);
u64 x86_event_total(struct x86_pmu_cpu *cpu, const struct perf_event *event,
		    struct x86_count *count);

/* One more than the counter of slots holds at most */
static inline u64 x86_metrics_span(const struct x86_core *core)
{
	return BIT_ULL(core->fixed_width);
}

/* node.c */
u64 x86_node_others(struct x86_pmu_cpu *cpu, s64 *seen);
bool x86_node_take(struct x86_pmu_cpu *cpu, s64 seen, u64 counters);
void x86_node_keep(struct x86_pmu_cpu *cpu, u64 counters);
void x86_node_init(unsigned int number);

/* thread.c */
bool x86_place_beside(struct x86_pmu_cpu *cpu, u64 claimed, struct x86_count **counts,
		      struct x86_wish *wishes, int n);
bool x86_threads_take(struct x86_pmu_cpu *cpu, u64 counters);
void x86_threads_keep(struct x86_pmu_cpu *cpu, u64 used, u64 leaks);
void x86_threads_leave(struct x86_pmu_cpu *cpu);
void x86_threads_init(unsigned int number, const struct x86_core *core);

/* count.c */
struct x86_count *x86_event_count(const struct perf_event *event);
int x86_count_attach(struct x86_pmu_cpu *cpu, struct perf_event *event);
void x86_count_detach(struct x86_pmu_cpu *cpu, struct perf_event *event);
int x86_place_beside_claim(struct x86_pmu_cpu *cpu, u64 claimed, bool pinned_only);
int x86_place_counts(struct x86_pmu_cpu *cpu);
u64 x86_count_value(const struct x86_core *core, const struct x86_count *count);
u64 x86_count_read(struct x86_pmu_cpu *cpu, struct x86_count *count);
void x86_count_next(struct x86_count *count);
bool x86_event_runs(const struct perf_event *event);
bool x86_count_runs(const struct x86_count *count);
void x86_count_disown(struct x86_pmu_cpu *cpu, struct x86_count *count);
void x86_clear_unused(struct x86_pmu_cpu *cpu);
void x86_clear_kernel(struct x86_pmu_cpu *cpu);
void x86_event_account(struct perf_event *event, u64 total);
u64 x86_event_due(const struct perf_event *event);
void x86_event_begin_period(struct perf_event *event);

/* apply.c */
void x86_apply(struct x86_pmu_cpu *cpu);
void x86_count_update_pages(const struct x86_count *count);
void x86_leave_all(struct x86_pmu_cpu *cpu);
void x86_halt_for_good(struct x86_pmu_cpu *cpu);
void x86_count_forget(struct x86_pmu_cpu *cpu, struct x86_count *count);
void x86_note_unseen(struct x86_pmu_cpu *cpu, u64 value);
u64 x86_count_arm(struct x86_pmu_cpu *cpu, struct x86_count *count);

/* claim.c */
int x86_claim(struct x86_pmu_cpu *cpu, const struct x86_claim *claim);
void x86_claim_run(struct x86_pmu_cpu *cpu, const struct x86_claim *claim);
void x86_claim_end(struct x86_pmu_cpu *cpu, const struct x86_claim *claim);
void x86_claim_give_way(struct x86_pmu_cpu *cpu);
void x86_claim_return(struct x86_pmu_cpu *cpu);
bool x86_claim_overflow(struct x86_pmu_cpu *cpu, u64 overflowed);
void x86_claim_halt(struct x86_pmu_cpu *cpu);

/**
 * x86_claim_again - have the counters of the last claim once more, if all is as it was
 * @cpu: this CPU, interrupts off
 * @claim: the same as the last one, or another
 *
 * Return: true: they run; false: x86_claim() has to see.
 */
static __always_inline bool x86_claim_again(struct x86_pmu_cpu *cpu, const struct x86_claim *claim)
{
	/* Counters may have been cleared meanwhile, or perf's counts may be about to come. */
	if (!claim->id || READ_ONCE(cpu->last_claim) != claim->id || cpu->halted ||
	    READ_ONCE(cpu->dirty) || ((cpu->has_clean | cpu->wanted) & claim->counters))
		return false;
	/* Claimed counters run, so this comes first: an NMI may come between any of these. */
	WRITE_ONCE(cpu->claimed, claim->counters);
	WRITE_ONCE(cpu->claim_running, claim->counters);
	/* An NMI before that may have given the registers to others, one after it does not. */
	if (likely(READ_ONCE(cpu->last_claim) == claim->id))
		return true;
	WRITE_ONCE(cpu->claim_running, 0);
	WRITE_ONCE(cpu->claimed, 0);
	return false;
}

/**
 * x86_claim_leave - give counters back, and do nothing else if nothing else has to be done
 * @cpu: this CPU, interrupts off
 * @claim: as it was given to x86_claim()
 */
static __always_inline void x86_claim_leave(struct x86_pmu_cpu *cpu, const struct x86_claim *claim)
{
	if (claim->ints || cpu->threads || (claim->counters & cpu->core->taken) ||
	    READ_ONCE(cpu->dirty)) {
		x86_claim_end(cpu, claim);
		return;
	}
	/* They run on. An NMI that halts them says here that they do not. */
	WRITE_ONCE(cpu->last_claim, claim->id);
	WRITE_ONCE(cpu->claim_running, 0);
	WRITE_ONCE(cpu->claimed, 0);
}

/* perfctr.c */
#ifdef CONFIG_PERFCTR_COUNTERS
void perfctr_cpu_interrupt(struct pt_regs *regs);
void perfctr_cpu_readable(void);
void perfctr_cpu_give_way(void);
#else
static inline void perfctr_cpu_interrupt(struct pt_regs *regs) { }
static inline void perfctr_cpu_readable(void) { }
static inline void perfctr_cpu_give_way(void) { }
#endif

/* config.c */
int x86_event_init(struct perf_event *event);
const struct x86_limit *x86_find_limit(const struct x86_limit *limit, u64 config);
u64 x86_event_least_period(const struct perf_event *event);
int x86_event_key(struct perf_event *event, struct x86_key *key);
u64 x86_limited(const struct x86_core *core, const struct x86_limit *limit, struct x86_key *key);

/* pmu.c */
void x86_halt(struct x86_pmu_cpu *cpu);
void x86_go_on(struct x86_pmu_cpu *cpu);
void x86_core_fill(struct x86_core *core);
void x86_event_stop(struct perf_event *event, int flags);

/* overflow.c */
void x86_expect_late(struct x86_pmu_cpu *cpu);
void x86_sample(struct x86_pmu_cpu *cpu, struct perf_event *event, struct pt_regs *regs,
		const struct x86_record *record, bool alone);
bool x86_serve_counter(struct x86_pmu_cpu *cpu, int counter, struct pt_regs *regs,
		       const struct x86_record *record);
int x86_pmu_interrupt(struct pt_regs *regs);

/* rdpmc.c */
extern int x86_rdpmc;
void x86_tell_users(struct mm_struct *mm);
bool x86_user_reads(void);

/* May user space read the event's counter? That is settled as the event is opened. */
static inline bool x86_event_is_readable(const struct perf_event *event)
{
	return event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT;
}

void x86_event_mapped(struct perf_event *event, struct mm_struct *mm);
void x86_event_unmapped(struct perf_event *event, struct mm_struct *mm);
extern struct device_attribute dev_attr_rdpmc;

/* sysfs.c */
int x86_sysfs_fill(struct x86_core *core);

/* smm.c */
bool x86_can_freeze_on_smi(const struct x86_core *core);
void x86_smm_apply(const struct x86_core *core);
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
