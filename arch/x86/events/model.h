/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The driver's knowledge of CPUs, as tables: a kind of CPU is one struct x86_model, and
 * a line of a match table says which CPUs it is. Nothing outside of these tables and of
 * the functions that they name depends on a family, model or stepping.
 */
#ifndef _ARCH_X86_EVENTS_MODEL_H
#define _ARCH_X86_EVENTS_MODEL_H

#include <linux/bits.h>
#include <linux/perf_event.h>
#include <asm/cpu_device_id.h>

struct x86_branch_unit;
struct x86_core;
struct x86_key;
struct x86_pmu_cpu;

/* Masks of counters: general ones by number, fixed ones from 32. */
#define X86_GENERAL(n)		GENMASK_ULL((n) - 1, 0)
#define X86_FIXED(n)		BIT_ULL(INTEL_PMC_IDX_FIXED + (n))
#define X86_FIXED_ALL		GENMASK_ULL(63, INTEL_PMC_IDX_FIXED)

/* In tables of generic and cache events: there is no such event, and never will be (-EINVAL). */
#define X86_IMPOSSIBLE		(~0ULL)

/*
 * The bits that tell one event from another; those of which leaf 0x23 tells that selects have
 * them, too. Of the other bits of a select, fixed counters have only the modes and AnyThread.
 */
#define X86_EVENT(_event, _umask)	((u64)(_event) | (u64)(_umask) << 8)
#define X86_MATCH_EVENT			ARCH_PERFMON_EVENTSEL_EVENT
#define X86_MATCH_UMASK			INTEL_ARCH_EVENT_MASK
#define X86_MATCH_MORE			(ARCH_PERFMON_EVENTSEL_UMASK2 | ARCH_PERFMON_EVENTSEL_EQ)
#define X86_MATCH_PLAIN			(INTEL_ARCH_EVENT_MASK | X86_MATCH_MORE |	\
					 (X86_ALL_EVENT_FLAGS & ~ARCH_PERFMON_EVENTSEL_ANY))

/**
 * struct x86_limit - events that not every counter can count
 * @first: it is about configs from this one
 * @last: to this one, after
 * @mask: has been applied to them
 * @counters: mask of counters; of those that the CPU lacks nothing remains
 * @flags: X86_LIMIT_*
 *
 * The first one in its array that matches holds; an array ends with @mask 0.
 */
struct x86_limit {
	u64	first;
	u64	last;
	u64	mask;
	u64	counters;
	u32	flags;
};

#define X86_LIMIT_OR_GENERAL	BIT(0)	/* and all general counters */
#define X86_LIMIT_HT_LEAKS	BIT(1)	/* it spoils the other thread's counter of its number */
#define X86_LIMIT_PRECISE	BIT(2)	/* only for precise events */
#define X86_LIMIT_PAIR		BIT(3)	/* it takes the next counter, too, see x86_model::merge */
#define X86_LIMIT_LATENCY	BIT(5)	/* its records tell a load's source and latency */
#define X86_LIMIT_LOADS		BIT(6)	/* they are of loads, and */
#define X86_LIMIT_STORES	BIT(7)	/* of stores, about which they tell less */
#define X86_LIMIT_TRACKS	BIT(8)	/* of stores that a facility of its own follows */
#define X86_LIMIT_NODE		BIT(4)	/* on a counter of a number by one CPU of a node only */

/*
 * An event of any unit mask; of one; events of a range; an event of those unit masks that
 * are @_umask in @_bits; one with a fixed counter, and all general ones; and one that is only
 * the name of a fixed counter: of event 0.
 */
#define X86_LIMIT_EVENT(_event, _counters)					\
	{ .first = (_event), .last = (_event), .mask = X86_MATCH_EVENT, .counters = (_counters) }
#define X86_LIMIT_UMASK(_event, _umask, _counters)				\
	{ .first = X86_EVENT(_event, _umask), .last = X86_EVENT(_event, _umask),	\
	  .mask = X86_MATCH_UMASK, .counters = (_counters) }
#define X86_LIMIT_EVENTS(_first, _last, _counters)				\
	{ .first = (_first), .last = (_last), .mask = X86_MATCH_EVENT, .counters = (_counters) }
#define X86_LIMIT_UMASKS(_event, _umask, _bits, _counters)			\
	{ .first = X86_EVENT(_event, _umask), .last = X86_EVENT(_event, _umask),	\
	  .mask = X86_EVENT(0xff, _bits), .counters = (_counters) }
#define X86_LIMIT_FIXED(_event, _umask, _n)					\
	{ .first = X86_EVENT(_event, _umask), .last = X86_EVENT(_event, _umask),	\
	  .mask = X86_MATCH_PLAIN, .counters = X86_FIXED(_n), .flags = X86_LIMIT_OR_GENERAL }
#define X86_LIMIT_NAME(_umask, _n)						\
	{ .first = X86_EVENT(0x00, _umask), .last = X86_EVENT(0x00, _umask),	\
	  .mask = X86_MATCH_UMASK | X86_MATCH_MORE, .counters = X86_FIXED(_n) }
#define X86_LIMIT_END	{ }

/**
 * struct x86_extra - events that need one more register
 * @first: they are those with configs from this one
 * @last: to this one, after
 * @mask: has been applied to them
 * @msr: the register, whose value is attr.config1
 * @valid: the bits that may be set in it
 * @per_core: the threads of a core share it
 * @twin: the same events are also counted by config + @twin, by the next register in the
 *	table (if positive) or the one before; 0: they are not
 *
 * An array ends with @msr 0.
 */
struct x86_extra {
	u64	first;
	u64	last;
	u64	mask;
	u32	msr;
	u64	valid;
	bool	per_core;
	s16	twin;
};

#define X86_EXTRA(_event, _umask, _msr, _valid, _twin)				\
	{ .first = X86_EVENT(_event, _umask), .last = X86_EVENT(_event, _umask),	\
	  .mask = X86_MATCH_UMASK, .msr = (_msr), .valid = (_valid), .twin = (_twin) }
#define X86_EXTRA_CORE(_event, _umask, _msr, _valid, _twin)			\
	{ .first = X86_EVENT(_event, _umask), .last = X86_EVENT(_event, _umask),	\
	  .mask = X86_MATCH_UMASK, .msr = (_msr), .valid = (_valid), .twin = (_twin),	\
	  .per_core = true }
#define X86_EXTRA_END	{ }

/**
 * struct x86_bank - where the registers of a PMU are, and how a counter is run and halted
 * @select: address of the first event select
 * @counter: address of the first general counter
 * @stride: from one to the next, of both
 * @fixed: address of the first fixed counter, and
 * @fixed_control: of the register that selects what they count; 0: there is none
 * @control: of the register with a bit for each counter that may run; 0: there is none
 * @status: of the one with a bit for each counter that has overflowed; 0: there is none,
 *	and one that has is found by its sign
 * @ack: of the one that clears bits of @status
 * @others: bits of @status that tell of other things than counters. Those that are neither may be
 *	set by microcode in error: they mean nothing, and are not written to @ack
 * @run: bits that are set in the select of a counter that may run
 * @halt: bits that are cleared in the select of one that must not
 * @always: bits that are set in the first select of all, even while its counter is halted
 * @host_only: bits of a select that are about guests, and stop a counter for good on a CPU
 *	that is not ready to run any; 0: guests are kept out by @control
 * @ack_runs: writes of @ack have an effect only while @control lets a counter run
 * @masks_lvt: its interrupt masks itself in the local APIC
 * @sticky: a select keeps a mark of an overflow until it is written anew
 * @write_twice: an erratum, a counter takes a value only when it is written again
 * @write_select: instead of a plain write, of a select that is more than one register
 */
struct x86_bank {
	u32	select;
	u32	counter;
	u32	stride;
	u32	fixed;
	u32	fixed_control;
	u32	control;
	u32	status;
	u32	ack;
	u64	others;
	u64	run;
	u64	halt;
	u64	always;
	u64	host_only;
	bool	ack_runs;
	bool	masks_lvt;
	bool	sticky;
	bool	write_twice;
	void	(*write_select)(int counter, u64 select);
};

typedef u64 x86_cache_events[PERF_COUNT_HW_CACHE_MAX][PERF_COUNT_HW_CACHE_OP_MAX]
			    [PERF_COUNT_HW_CACHE_RESULT_MAX];

/**
 * struct x86_model - a kind of CPU core
 * @name: in the log and in the PMU's sysfs directory "caps"
 * @probe: find out what this CPU's PMU can do, into the fields of struct x86_core that it
 *	has got from here; NULL: nothing is left to find out. Returns 0, or an error: no PMU
 * @bank: its registers
 * @counters: mask of counters; 0: @probe finds out
 * @whole: those of a big core in a hybrid CPU, where CPUID tells of those that both kinds have;
 *	0: it tells of each
 * @width: bits of a counter; 0: @probe finds out
 * @max_period: the longest distance from a counter's start value to its overflow; 0: half
 *	of what @width holds
 * @config_mask: bits of attr.config that select a raw event; others are cleared
 * @metrics: how many shares of the issue slots there are, if CPUID tells of any
 * @generic: config of each PERF_COUNT_HW_*; 0: none, X86_IMPOSSIBLE
 * @cache: config of each cache event; the same
 * @cache_extra: attr.config1 of those cache events that need a register of @extra
 * @limits: events that not every counter can count
 * @precise: which counters count which precise events; NULL: none are precise
 * @distributed: the same for the highest of @precise_levels; NULL: they are the same
 * @precise_fixed: fixed counters write records, too, though these are not made of groups
 * @precise_levels: the highest attr.precise_ip
 * @precise_cycles: by attr.precise_ip: what is counted for cycles, which are no precise event;
 *	0: they are
 * @merge: select of a counter that is the upper part of the one before it, for events with
 *	X86_LIMIT_PAIR; it counts what the lower one carries. 0: there are no such pairs
 * @extra: events that need one more register
 * @format: attributes of the sysfs directory "format", see attributes.h
 * @events: attributes of the sysfs directory "events", besides the generic ones
 * @memory: the same, for CPUs that write records: events that only make sense with these
 * @topdown: the same, for CPUs that tell @metrics
 * @transactions: the same, for CPUs that have transactional memory; the others lack them
 * @init_event: a new event, whose hw.config has been set from the tables: the model's
 *	own checks and changes; NULL: none. May sleep. Returns 0 or what event_init does
 * @forward: a new precise event that this PMU cannot have: let another one have it. Returns what
 *	event_init does, or 0: there is none. NULL: the same. May sleep
 * @key: what an event is about, where @limits do not tell: its config, its register of @extra with
 *	the value, and the counters for it. An event's hw.config is then what the row has for it,
 *	or attr.config, without bits for modes. Interrupts are off, or the event is new and runs
 *	nowhere; NULL: as events of Intel and AMD are
 * @write_extra: write a register of @extra, instead of a plain write; any context
 * @counters_of: narrow down the counters for an event, beyond @limits; NULL: no need.
 *	Interrupts are off, or the event is new and runs nowhere
 * @min_period: shortest distance to an overflow for the event of a config, an erratum; NULL: 1
 * @distributed_period: shortest distance to an overflow for the most precise events; 0: 1
 * @period_step: the distance to an overflow must be a multiple of this for the event of a
 *	config, an erratum; a power of two; NULL: 1
 * @idle_selects: selects that the general counters must have had, all running, before a new event
 *	counts right in one of them, an erratum; one for each counter; NULL: no need
 * @little: the row of the machine's other cores, of the kind X86_KIND_ATOM, if @name is
 *	that of a hybrid CPU's big ones; NULL: only CPUID describes them, if there are any
 * @branches: where branches are recorded; NULL: not at all, or where CPUID says so
 * @microcode: look at the microcode, at boot and whenever it has been updated; NULL: no need
 *
 * All that is not said to be otherwise is constant. Fields that are NULL or 0 and are not
 * described above are not there.
 */
struct x86_model {
	const char			*name;
	int				(*probe)(struct x86_core *core);
	const struct x86_bank		*bank;
	u64				counters;
	u64				whole;
	u8				width;
	u64				max_period;
	u64				config_mask;
	u8				metrics;
	const u64			*generic;
	const x86_cache_events		*cache;
	const x86_cache_events		*cache_extra;
	const struct x86_limit		*limits;
	const struct x86_limit		*precise;
	const struct x86_limit		*distributed;
	bool				precise_fixed;
	u8				precise_levels;
	u64				precise_cycles[4];
	u64				merge;
	const struct x86_extra		*extra;
	struct attribute		**format;
	struct attribute		**events;
	struct attribute		**memory;
	struct attribute		**topdown;
	struct attribute		**transactions;
	int				(*init_event)(struct perf_event *event);
	int				(*forward)(struct perf_event *event);
	void				(*key)(struct x86_core *core,
					       const struct perf_event *event,
					       struct x86_key *key);
	void				(*write_extra)(u32 msr, u64 value);
	u64				(*counters_of)(struct x86_core *core,
						       const struct perf_event *event,
						       u64 counters);
	u64				(*min_period)(u64 config);
	u64				distributed_period;
	u64				(*period_step)(u64 config);
	const u32			*idle_selects;
	const struct x86_model		*little;
	const struct x86_branch_unit	*branches;
	void				(*microcode)(struct x86_core *core);
};

/*
 * A line of a match table: a CPU by vendor, family and model (INTEL_SKYLAKE, ...), or a
 * whole family. The first that matches holds; a table ends with an empty line.
 */
#define X86_MODEL_VFM(_vfm, _model)		X86_MATCH_VFM(_vfm, &(_model))
#define X86_MODEL_FAMILY(_vendor, _family, _model)				\
	X86_MATCH_VENDOR_FAM(_vendor, _family, &(_model))

/* The tables, and what holds for CPUs of a vendor that no table knows. */
extern const struct x86_cpu_id x86_intel_core_models[];
extern const struct x86_cpu_id x86_intel_nehalem_models[];
extern const struct x86_cpu_id x86_intel_atom_models[];
extern const struct x86_cpu_id x86_intel_old_models[];
extern const struct x86_cpu_id x86_amd_models[];
extern const struct x86_cpu_id x86_zhaoxin_models[];

/* Shared by the tables of a vendor */
extern const struct x86_bank x86_intel_bank;
extern const struct x86_bank x86_intel_bank_v1;
extern const u64 x86_intel_generic[PERF_COUNT_HW_MAX];
extern const struct x86_limit x86_intel_limits[];
extern const struct x86_model x86_intel_arch_model;
extern const struct x86_model x86_intel_p4;
extern const struct x86_model x86_intel_alderlake_little;
extern const struct x86_model x86_intel_meteorlake_little;
extern const struct x86_model x86_intel_lunarlake_little;
extern const struct x86_branch_unit x86_lbr_core2;
extern const struct x86_branch_unit x86_lbr_bonnell;
extern const struct x86_branch_unit x86_lbr_silvermont;
extern const struct x86_branch_unit x86_lbr_knights_landing;
extern const struct x86_branch_unit x86_lbr_nehalem;
extern const struct x86_branch_unit x86_lbr_sandybridge;
extern const struct x86_branch_unit x86_lbr_haswell;
extern const struct x86_branch_unit x86_lbr_skylake;
extern const struct x86_branch_unit x86_lbr_arch;
extern struct attribute *x86_intel_format[];
u64 x86_intel_fixed(int version, unsigned int n, u32 mask, bool bare);
u64 x86_intel_select_bits(u32 ebx);
int x86_intel_probe(struct x86_core *core);
int x86_intel_init_event(struct perf_event *event);
u64 x86_intel_counters_of(struct x86_core *core, const struct perf_event *event, u64 counters);

int x86_zhaoxin_settle(struct x86_core *core);

extern const struct x86_bank x86_amd_k7_bank;
extern const struct x86_bank x86_amd_core_bank;
extern const struct x86_bank x86_amd_v2_bank;
extern const struct x86_branch_unit x86_lbr_amd;
extern struct attribute *x86_amd_format[];
int x86_amd_probe(struct x86_core *core);
int x86_amd_init_event(struct perf_event *event);
int x86_amd_forward(struct perf_event *event);

#endif /* _ARCH_X86_EVENTS_MODEL_H */
