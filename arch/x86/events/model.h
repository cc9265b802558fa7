/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of CPU models: a model is a struct x86_model, and the rows of a match table assign CPUs to
 * models. Only these tables and the functions they name depend on family, model or stepping.
 */
#ifndef _ARCH_X86_EVENTS_MODEL_H
#define _ARCH_X86_EVENTS_MODEL_H

#include <linux/bits.h>
#include <linux/perf_event.h>
#include <asm/cpu_device_id.h>

struct x86_access_format;
struct x86_branch_unit;
struct x86_core;
struct x86_event_sel;
struct x86_pmu_cpu;

/* Masks of counters; fixed counters start at bit 32 */
#define X86_GENERAL(n)		GENMASK_ULL((n) - 1, 0)
#define X86_FIXED(n)		BIT_ULL(INTEL_PMC_IDX_FIXED + (n))
#define X86_FIXED_ALL		GENMASK_ULL(63, INTEL_PMC_IDX_FIXED)

/* Longest period without full-width writes, where a written value is sign-extended from bit 31 */
#define X86_NARROW_PERIOD	GENMASK_ULL(30, 0)

/* Minimum distance to an overflow: some CPUs miss the overflow of a counter that is set to -1. */
#define X86_MIN_PERIOD		2

/*
 * In tables of generic and cache events, and of their extra registers: the event has no meaning on
 * any CPU, or on this model (-EINVAL). An event with config 0 is not supported (-ENOENT).
 */
#define X86_IMPOSSIBLE		(~0ULL)

/*
 * Masks of select bits, for the comparison with a constraint. X86_MATCH_MORE: bits that CPUID leaf
 * 0x23 reports. X86_MATCH_PLAIN: event, unit mask, and all filters that fixed counters lack. Fixed
 * counters have the modes and AnyThread.
 */
#define X86_EVENT(_event, _umask)	((u64)(_event) | (u64)(_umask) << 8)
#define X86_MATCH_EVENT			ARCH_PERFMON_EVENTSEL_EVENT
#define X86_MATCH_UMASK			INTEL_ARCH_EVENT_MASK
#define X86_MATCH_MORE			(ARCH_PERFMON_EVENTSEL_UMASK2 | ARCH_PERFMON_EVENTSEL_EQ)
#define X86_MATCH_PLAIN			(INTEL_ARCH_EVENT_MASK | X86_MATCH_MORE |	\
					 (X86_ALL_EVENT_FLAGS & ~ARCH_PERFMON_EVENTSEL_ANY))

/**
 * struct x86_limit - event constraint
 * @first: lowest config, after @mask
 * @last: highest config, after @mask
 * @mask: mask applied to the config
 * @counters: mask of the counters that can count these events; counters that the CPU lacks are
 *	ignored
 * @flags: X86_LIMIT_*
 *
 * The first match in an array is used. An array ends with @mask 0.
 */
struct x86_limit {
	u64	first;
	u64	last;
	u64	mask;
	u64	counters;
	u32	flags;
};

#define X86_LIMIT_OR_GENERAL	BIT(0)	/* or any general counter */
#define X86_LIMIT_HT_ERRATUM	BIT(1)	/* hyper-threading erratum, see excl_cntrs.c */
#define X86_LIMIT_PAIR		BIT(3)	/* uses the next counter, too, see x86_model::merge */
#define X86_LIMIT_LATENCY	BIT(5)	/* PEBS records have data source and latency of a load */
#define X86_LIMIT_LOADS		BIT(6)	/* PEBS records of a load, without its data source */
#define X86_LIMIT_STORES	BIT(7)	/* PEBS data source of a store: only L1 hit or miss */
#define X86_LIMIT_TRACKED_STORE	BIT(8)	/* PEBS records have the data source of a tracked store */
#define X86_LIMIT_STORE_LATENCY	BIT(9)	/* as X86_LIMIT_LATENCY, of a store */
#define X86_LIMIT_AMD_NB	BIT(4)	/* northbridge event, see amd_nb.c */

/* Constraint of an event with any unit mask */
#define X86_LIMIT_EVENT(_event, _counters)					\
	{ .first = (_event), .last = (_event), .mask = X86_MATCH_EVENT, .counters = (_counters) }
/* Constraint of an event with one unit mask */
#define X86_LIMIT_UMASK(_event, _umask, _counters)				\
	{ .first = X86_EVENT(_event, _umask), .last = X86_EVENT(_event, _umask),	\
	  .mask = X86_MATCH_UMASK, .counters = (_counters) }
/* Constraint of a range of events, with any unit mask */
#define X86_LIMIT_EVENTS(_first, _last, _counters)				\
	{ .first = (_first), .last = (_last), .mask = X86_MATCH_EVENT, .counters = (_counters) }
/* Constraint of an event with all unit masks whose bits _bits have the value _umask */
#define X86_LIMIT_UMASKS(_event, _umask, _bits, _counters)			\
	{ .first = X86_EVENT(_event, _umask), .last = X86_EVENT(_event, _umask),	\
	  .mask = X86_EVENT(0xff, _bits), .counters = (_counters) }
/* Constraint of an event that fixed counter _n and all general counters can count */
#define X86_LIMIT_FIXED(_event, _umask, _n)					\
	{ .first = X86_EVENT(_event, _umask), .last = X86_EVENT(_event, _umask),	\
	  .mask = X86_MATCH_PLAIN, .counters = X86_FIXED(_n), .flags = X86_LIMIT_OR_GENERAL }
/* Constraint of an event that only fixed counter _n can count: event 0 */
#define X86_LIMIT_NAME(_umask, _n)						\
	{ .first = X86_EVENT(0x00, _umask), .last = X86_EVENT(0x00, _umask),	\
	  .mask = X86_MATCH_PLAIN, .counters = X86_FIXED(_n) }
#define X86_LIMIT_END	{ }

/**
 * struct x86_extra - extra register of an event
 * @first: lowest config, after @mask
 * @last: highest config, after @mask
 * @mask: mask applied to the config
 * @msr: the register, programmed with attr.config1
 * @valid: mask of the valid bits of the register
 * @per_core: the threads of a core share the register
 * @per_module: the cores of a module share the register; a module is the cores with one L2 cache. A
 *	model with such a row has no row with @per_core
 * @twin: number to add to the config for an event that uses another register with the same effect
 *	(the twin); 0: there is no twin. If the number is positive, the twin is in the next row of
 *	the table, else in the row before
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
	bool	per_module;
	s16	twin;
};

#define X86_EXTRA(_event, _umask, _msr, _valid, _twin)				\
	{ .first = X86_EVENT(_event, _umask), .last = X86_EVENT(_event, _umask),	\
	  .mask = X86_MATCH_UMASK, .msr = (_msr), .valid = (_valid), .twin = (_twin) }
#define X86_EXTRA_CORE(_event, _umask, _msr, _valid, _twin)			\
	{ .first = X86_EVENT(_event, _umask), .last = X86_EVENT(_event, _umask),	\
	  .mask = X86_MATCH_UMASK, .msr = (_msr), .valid = (_valid), .twin = (_twin),	\
	  .per_core = true }
#define X86_EXTRA_MODULE(_event, _umask, _msr, _valid, _twin)			\
	{ .first = X86_EVENT(_event, _umask), .last = X86_EVENT(_event, _umask),	\
	  .mask = X86_MATCH_UMASK, .msr = (_msr), .valid = (_valid), .twin = (_twin),	\
	  .per_module = true }
#define X86_EXTRA_END	{ }

/**
 * struct x86_pmu_msrs - registers of a PMU, and how a counter is enabled and stopped
 * @select: first event select
 * @counter: first general counter
 * @stride: distance of the selects, and of the counters
 * @fixed: first fixed counter
 * @fixed_control: control register of the fixed counters; 0: none
 * @control: global control register, with an enable bit for each counter; 0: none
 * @status: global status register, with an overflow bit for each counter; 0: none, and the sign of
 *	a counter shows its overflow
 * @ack: register that clears bits of @status
 * @others: mask of the valid bits of @status that are not overflow bits. Microcode may set invalid
 *	bits in error: these are ignored, and not written to @ack
 * @run: bits set in the select of an enabled counter
 * @halt: bits cleared in the select of a stopped counter
 * @always: bits always set in the first select, even while its counter is stopped
 * @host_only: select bits that exclude guests. On a CPU that is not set up to run guests, they
 *	would stop the counter, so x86_pmu_cpu::select_clear clears them; 0: none, and @control is
 *	switched for guests
 * @ack_runs: a write of @ack has an effect only while @control enables a counter
 * @masks_lvt: the overflow interrupt masks itself in the local APIC
 * @sticky: overflow flag that a select keeps until the select is written; 0: none. While a flag is
 *	set, the interrupt is asserted
 * @write_twice: erratum: a counter must be written twice
 * @shared: the threads of a core share all registers
 * @write_select: replaces the MSR write of a select, in unit tests; NULL: a plain write
 */
struct x86_pmu_msrs {
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
	u64	sticky;
	bool	ack_runs;
	bool	masks_lvt;
	bool	write_twice;
	bool	shared;
	void	(*write_select)(int counter, u64 select);
};

typedef u64 x86_cache_events[PERF_COUNT_HW_CACHE_MAX][PERF_COUNT_HW_CACHE_OP_MAX]
			    [PERF_COUNT_HW_CACHE_RESULT_MAX];

/* Number of general counters of the CPUs with x86_model::erratum_selects */
#define X86_ERRATUM_SELECTS	4

/**
 * struct x86_model - a model of CPU cores
 * @name: name in the log and in the sysfs directory "caps"
 * @probe: detects features of this CPU's PMU, and adjusts struct x86_core, to which members below
 *	were copied. Returns 0, or an error if there is no PMU. NULL: no detection
 * @msrs: the registers
 * @counters: mask of the counters; 0: detected by @probe
 * @p_core_counters: mask of the counters of a P-core, if CPUID of a hybrid CPU reports only the
 *	counters that both core types have; 0: CPUID reports the counters of each type
 * @width: bits of a counter; 0: detected by @probe
 * @max_period: longest distance of a counter to its overflow; 0: half the range of @width
 * @config_mask: valid bits of attr.config of a raw event; other bits are cleared
 * @metrics: number of Topdown metrics, if CPUID reports any
 * @generic: config of each PERF_COUNT_HW_*; 0: not supported; or X86_IMPOSSIBLE
 * @cache: config of each generic cache event, with the special values of @generic
 * @cache_extra: attr.config1 of the cache events that need an extra register
 * @limits: event constraints
 * @branch_limits: the only events that can have branch stacks, and their constraints, if the branch
 *	unit delays the overflow interrupt (X86_UNIT_DELAYS); NULL: no such unit
 * @precise: constraints of precise events; NULL: none is precise
 * @distributed: constraints of precise events at the highest of @precise_levels; NULL: @precise
 * @accesses: format of the data source in PEBS records; NULL: no event has X86_LIMIT_LATENCY
 * @precise_fixed: fixed counters write PEBS records although PEBS is not adaptive
 * @precise_levels: highest attr.precise_ip
 * @precise_cycles: for each attr.precise_ip, config of the precise event that replaces cycles; 0:
 *	cycles are a precise event
 * @loads: event whose samples have a data source only with @loads_aux in the group; 0: none
 * @loads_aux: the event that must be in the group before an event @loads
 * @merge: select of the upper counter of a pair, for events with X86_LIMIT_PAIR: the upper counter
 *	counts the carries of the lower one; 0: no pairs
 * @extra: extra registers
 * @format: attributes of the sysfs directory "format", see attributes.h
 * @events: attributes of the sysfs directory "events", in addition to the generic events
 * @memory: attributes added to @events on CPUs with PEBS
 * @topdown: attributes added to @events on CPUs with Topdown metrics
 * @transactions: attributes added to @events on CPUs with transactional memory
 * @branch_events: attributes added to @events on CPUs whose branch unit has X86_UNIT_DELAYS
 * @init_event: checks and adjusts a new event, with hw.config set from the tables. Returns 0 or an
 *	error for event_init. May sleep. NULL: none
 * @forward: passes a precise event that this PMU does not support to another PMU. Returns an error
 *	for event_init, or 0 if no other PMU supports the event. May sleep. NULL: no other PMU
 * @get_sel: sets config, extra register and allowed counters of an event's select, instead of
 *	@limits. hw.config of an event is then the value of the table, or attr.config, without bits
 *	for the modes. Called with interrupts off, or for a new event. NULL: events of Intel and AMD
 * @write_extra: writes a register of @extra, in any context; NULL: a plain write
 * @counters_of: reduces the counters of an event further than @limits. Called with interrupts off,
 *	or for a new event. NULL: none
 * @min_period: erratum: for a config, the shortest distance from a new value of the counter to its
 *	overflow, and the shortest period of an event that does not exclude the host; NULL: none
 * @distributed_period: shortest period of precisely distributed events; 0: none
 * @period_step: erratum: for a config, the power of two whose multiples are the valid periods;
 *	NULL: 1
 * @erratum_selects: erratum: X86_ERRATUM_SELECTS selects that must be programmed before each new
 *	event, with these counters enabled; NULL: none
 * @e_core_model: the model of the E-cores, if @name is that of the P-cores of a hybrid CPU; NULL:
 *	described by CPUID only, or none
 * @branches: how branches are recorded; NULL: not at all, or as CPUID reports
 * @pt_with_lbr: PT can trace while LBR or BTS is used
 * @microcode: checks the microcode revision, at boot and after each update; NULL: none
 *
 * If the description of a member does not mention NULL or 0, that value means that the CPU lacks
 * the feature. Rows are constant.
 */
struct x86_model {
	const char			*name;
	int				(*probe)(struct x86_core *core);
	const struct x86_pmu_msrs	*msrs;
	u64				counters;
	u64				p_core_counters;
	u8				width;
	u64				max_period;
	u64				config_mask;
	u8				metrics;
	const u64			*generic;
	const x86_cache_events		*cache;
	const x86_cache_events		*cache_extra;
	const struct x86_limit		*limits;
	const struct x86_limit		*branch_limits;
	const struct x86_limit		*precise;
	const struct x86_limit		*distributed;
	const struct x86_access_format	*accesses;
	bool				precise_fixed;
	u8				precise_levels;
	u64				precise_cycles[4];
	u64				loads;
	u64				loads_aux;
	u64				merge;
	const struct x86_extra		*extra;
	struct attribute		**format;
	struct attribute		**events;
	struct attribute		**memory;
	struct attribute		**topdown;
	struct attribute		**transactions;
	struct attribute		**branch_events;
	int				(*init_event)(struct perf_event *event);
	int				(*forward)(struct perf_event *event);
	void				(*get_sel)(struct x86_core *core,
						   const struct perf_event *event,
						   struct x86_event_sel *get_sel);
	void				(*write_extra)(u32 msr, u64 value);
	u64				(*counters_of)(struct x86_core *core,
						       const struct perf_event *event,
						       u64 counters);
	u64				(*min_period)(u64 config);
	u64				distributed_period;
	u64				(*period_step)(u64 config);
	const u32			*erratum_selects;
	const struct x86_model		*e_core_model;
	const struct x86_branch_unit	*branches;
	bool				pt_with_lbr;
	void				(*microcode)(struct x86_core *core);
};

/*
 * Row of a match table: a CPU by vendor, family and model (INTEL_SKYLAKE, ...), or a whole family.
 * The first match is used. A table ends with an empty row.
 */
#define X86_MODEL_VFM(_vfm, _model)		X86_MATCH_VFM(_vfm, &(_model))
#define X86_MODEL_FAMILY(_vendor, _family, _model)				\
	X86_MATCH_VENDOR_FAM(_vendor, _family, &(_model))

/* The match tables */
extern const struct x86_cpu_id x86_intel_core_models[];
extern const struct x86_cpu_id x86_intel_nehalem_models[];
extern const struct x86_cpu_id x86_intel_atom_models[];
extern const struct x86_cpu_id x86_intel_old_models[];
extern const struct x86_cpu_id x86_amd_models[];
extern const struct x86_cpu_id x86_zhaoxin_models[];

/* Shared by the tables of a vendor */
extern const struct x86_pmu_msrs x86_intel_msrs;
extern const struct x86_pmu_msrs x86_intel_msrs_v1;
extern const u64 x86_intel_generic[PERF_COUNT_HW_MAX];
extern const struct x86_limit x86_intel_limits[];
extern const struct x86_model x86_intel_arch_model;
extern const struct x86_model x86_intel_p4;
extern const struct x86_model x86_intel_alderlake_e_core;
extern const struct x86_model x86_intel_meteorlake_e_core;
extern const struct x86_model x86_intel_lunarlake_e_core;
extern const struct x86_branch_unit x86_lbr_core2;
extern const struct x86_branch_unit x86_lbr_bonnell;
extern const struct x86_branch_unit x86_lbr_silvermont;
extern const struct x86_branch_unit x86_lbr_knights_landing;
extern const struct x86_branch_unit x86_lbr_nehalem;
extern const struct x86_branch_unit x86_lbr_sandybridge;
extern const struct x86_branch_unit x86_lbr_haswell;
extern const struct x86_branch_unit x86_lbr_broadwell;
extern const struct x86_branch_unit x86_lbr_skylake;
extern const struct x86_branch_unit x86_lbr_arch;
extern struct attribute *x86_intel_format[];
u64 x86_intel_fixed_mask(int version, unsigned int n, u32 mask, bool bare);
u64 x86_intel_select_bits(u32 ebx);
u64 x86_intel_leaf_counters(void);
u8 x86_intel_metrics(const struct x86_core *core, bool hybrid);
int x86_intel_probe(struct x86_core *core);
int x86_intel_init_event(struct perf_event *event);
u64 x86_intel_checkpoint_counters(struct x86_core *core, const struct perf_event *event,
				  u64 counters);
void x86_snb_check_microcode(struct x86_core *core, u32 vfm, u8 stepping, u32 revision);

int x86_zhaoxin_check_cpuid(struct x86_core *core);

extern const struct x86_pmu_msrs x86_amd_k7_msrs;
extern const struct x86_pmu_msrs x86_amd_k8_msrs;
extern const struct x86_pmu_msrs x86_amd_core_msrs;
extern const struct x86_pmu_msrs x86_amd_v2_msrs;
extern const struct x86_branch_unit x86_lbr_amd;
extern struct attribute *x86_amd_format[];
int x86_amd_probe(struct x86_core *core);
int x86_amd_init_event(struct perf_event *event);
int x86_amd_forward(struct perf_event *event);
#ifdef CONFIG_PERF_EVENTS_AMD_BRS
bool x86_brs_probe(struct x86_core *core);
#else
static inline bool x86_brs_probe(struct x86_core *core)
{
	return false;
}
#endif

#endif /* _ARCH_X86_EVENTS_MODEL_H */
