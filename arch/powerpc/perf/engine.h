/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared declarations of the engine for the counters of server processors.
 *
 * A struct power_count is an event code on one counter. Its users are an event, several equal
 * events that share the counter, or perfctr. A claim (struct power_claim) is the set of counters
 * that perfctr has reserved on a CPU, see claim.c.
 *
 * A struct power_cpu is changed only on its CPU with interrupts off. The overflow interrupt can
 * interrupt such a change: see overflow.c.
 */
#ifndef _POWERPC_PERF_ENGINE_H
#define _POWERPC_PERF_ENGINE_H

#include <linux/device.h>
#include <linux/irqflags.h>
#include <linux/perf_event.h>
#include <asm/reg.h>
#include "assign.h"

/* A counter has overflowed when bit 31 is set. */
#define PMC_OVERFLOW	0x80000000UL

/*
 * A counting event starts from the current value of its counter. Before an event or a claim starts,
 * a counter with this value or more is set to 0, so that the counter does not overflow soon.
 */
#define PMC_RESET_FROM	0x40000000UL

/* When speculative counts are rolled back, a counter steps back by less than this. */
#define PMC_SETBACK	256

/* The fixed counters of processors with six counters */
#define PMC_5		5
#define PMC_6		6

/* Maximum number of events on a CPU: more than the number of counters, since equal events share */
#define POWER_EVENTS_MAX	16

/*
 * Bits of power_event_sel::flags: modes in which the counter is frozen, and the wait state.
 * POWER_CLAIMED: perfctr has reserved the counter. The bit makes the select differ from that of an
 * event with the same code: power_memo::choices of the event may be an alternative encoding, and a
 * claim has only one encoding.
 */
#define POWER_NOT_USER		0x1
#define POWER_NOT_KERNEL	0x2
#define POWER_NOT_HV		0x4
#define POWER_NOT_MODES		0x7
#define POWER_NOT_IDLE		0x8
#define POWER_NOT_BITS		4
#define POWER_CLAIMED		0x80000000

/* The engine's own flag in hw.flags, beside PPMU_*: an event for event-based branches */
#define POWER_EBB		0x1000000

/**
 * struct power_event_sel - event and modes of a counter: equal selects can share a counter
 * @code: the event code
 * @config1: attr.config1
 * @flags: POWER_NOT_*, hw.flags shifted left by POWER_NOT_BITS, POWER_CLAIMED
 */
struct power_event_sel {
	u64	code;
	u64	config1;
	u32	flags;
};

/**
 * struct power_encoded - the encodings of an event, in event->pmu_private
 * @sel: the event code and modes
 * @alts: the alternatives
 * @codes: the storage of @alts
 */
struct power_encoded {
	struct power_event_sel		sel;
	struct power_alternatives	alts;
	struct power_code		codes[];
};

/**
 * struct power_count - an event code that one counter of a CPU counts
 * @sel: the event code, and the modes in which it is counted
 * @alts: the alternative encodings, stored by one of the events or by power_cpu::claim
 * @nr_events: number of events; 1 for perfctr
 * @shared: other events with an equal @sel may share the counter
 * @pmc: the counter programmed now; 0: none
 * @assigned: the counter to program next
 * @choice: index of the encoding to program on @assigned
 */
struct power_count {
	struct power_event_sel		sel;
	struct power_alternatives	alts;
	u8				nr_events;
	bool				shared;
	u8				pmc;
	u8				assigned;
	u8				choice;
};

struct power_claim;

/**
 * struct power_memo - the members of power_cpu::counts that power_cpu::mmcr was computed for
 * @used: mask of these members
 * @sels: power_count::sel of each
 * @assigned: power_count::assigned of each
 * @choices: power_count::choice of each
 */
struct power_memo {
	u32			used;
	struct power_event_sel	sels[POWER_COUNTS_MAX];
	u8			assigned[POWER_COUNTS_MAX];
	u8			choices[POWER_COUNTS_MAX];
};

/**
 * struct power_cpu - the state of a CPU
 * @events: the events added; hw.event_base is an event's index in @counts
 * @n: number of @events
 * @counts: the event codes counted, each on one counter
 * @used: mask of the members of @counts that events or perfctr use
 * @compatible: mask of the members of @counts whose power_count::assigned and choice are compatible
 * @in_memo: mask of the members of @counts with the same select as in @memo
 * @needs_reprogram: @events or @counts have changed since the last reprogramming
 * @disabled: the PMU is disabled; the core counts nested calls
 * @ebb: the counters are used for event-based branches of the current task
 * @ebb_branches: the current task can read the BHRB
 * @txn: PERF_PMU_TXN_* of the open transaction; 0: none
 * @mmcr: register values for @memo; mmcr0 is the value while the counters run
 * @memo: the members of @counts that @mmcr was computed for
 * @shadow: shadow of the control registers; see registers.c
 * @shadow_valid: @shadow is valid
 * @claim: the counters that perfctr has reserved; NULL: none
 * @released_claim: power_claim::id of the claim whose counters run on after power_claim_put();
 *	0: none
 * @claim_counts: mask of the members of @counts for @claim, or for @released_claim
 * @claim_index: index in struct power_claim of each member in @claim_counts
 * @claim_pending: power_claim_get() needs counters of flexible events: add only pinned events
 * @claim_needs_start: the PMU stays disabled until power_claim_start()
 * @claim_displaced: power_claim_get() has displaced flexible events, which may fit after
 *	power_claim_put()
 * @needs_clear: mask of counters to clear: the value is of a former event, or unknown; bit 1 is
 *	PMC1
 * @pmcs: counter values saved by the overflow interrupt for samples, or before suspend or deep idle
 * @in_overflow: the overflow interrupt runs, and has set @pmcs
 */
struct power_cpu {
	struct perf_event		*events[POWER_EVENTS_MAX];
	int				n;
	struct power_count		counts[POWER_COUNTS_MAX];
	u32				used;
	u32				compatible;
	u32				in_memo;
	bool				needs_reprogram;
	bool				disabled;
	bool				ebb;
	bool				ebb_branches;
	unsigned int			txn;
	struct mmcr_regs		mmcr;
	struct power_memo		memo;
	struct mmcr_regs		shadow;
	bool				shadow_valid;
	const struct power_claim	*claim;
	u64				released_claim;
	u32				claim_counts;
	u8				claim_index[POWER_COUNTS_MAX];
	bool				claim_pending;
	bool				claim_needs_start;
	bool				claim_displaced;
	u32				needs_clear;
	u32				pmcs[MAX_HWEVENTS];
	bool				in_overflow;
};

DECLARE_PER_CPU(struct power_cpu, power_cpus);
extern struct power_pmu *power_driver;

static inline bool power_has(u32 flag)
{
	return power_driver->flags & flag;
}

/* PMC5 and PMC6 of some old processors cannot be frozen and do not interrupt. */
static inline bool power_limited(int pmc)
{
	return power_has(PPMU_LIMITED_PMC5_6) && (pmc == PMC_5 || pmc == PMC_6);
}

/*
 * Does the kernel run in hypervisor mode? Test HV of MSR, not CPU_FTR_HVMODE: on an Apple G5, which
 * cannot leave HV for guests, HV is always 1 and CPU_FTR_HVMODE is clear.
 */
static inline bool power_is_hv(void)
{
	return mfmsr() & MSR_HV;
}

static inline bool power_is_ebb(const struct perf_event *event)
{
	return event->hw.flags & POWER_EBB;
}

/**
 * power_progress - compute what a counter has counted between two reads
 * @before: the earlier value
 * @now: the later value
 *
 * The processor may roll back speculative counts: @now is then less than @before by less than
 * PMC_SETBACK, modulo 2^32. After a result of 0, the caller must use @before again in the next
 * call. Otherwise the counts that were rolled back would be added twice.
 *
 * Context: any.
 * Return: number of counts, modulo 2^32; 0 after a rollback.
 */
static inline u32 power_progress(u32 before, u32 now)
{
	return before - now < PMC_SETBACK ? 0 : now - before;
}

/* Disable and restore interrupts, including the overflow interrupt. */
#ifdef CONFIG_PPC64
#define power_interrupt_off(flags)	powerpc_local_irq_pmu_save(flags)
#define power_interrupt_on(flags)	powerpc_local_irq_pmu_restore(flags)
#else
#define power_interrupt_off(flags)	local_irq_save(flags)
#define power_interrupt_on(flags)	local_irq_restore(flags)
#endif

/* registers.c */
unsigned long power_pmc_read(int pmc);
void power_pmc_read_all(struct power_cpu *cpu);
void power_pmc_clear_all(void);
void power_pmc_write(int pmc, unsigned long value);
bool power_any_overflowed(const struct power_cpu *cpu);
void power_siar_sdar_clear(void);
void power_mmcr_freeze(struct power_cpu *cpu);
void power_mmcr_write(struct power_cpu *cpu);
void power_mmcr_run(struct power_cpu *cpu, unsigned long mmcr0);
void power_mmcr_set_unknown(struct power_cpu *cpu);
void power_mmcr_set_unused(struct power_cpu *cpu);
void power_mmcr_override(unsigned long mmcr1);

/* config.c */
extern bool power_share;
int power_reserve(void);
void power_release(void);
int power_event_init(struct perf_event *event);
bool power_code_is_listed(u64 code);
bool power_encode(u64 code, u64 config1, struct power_code *to);

/* choose.c */
int power_count_get(struct power_cpu *cpu, const struct power_event_sel *sel,
		    const struct power_alternatives *alts, bool share);
void power_cpu_reset(struct power_cpu *cpu);
void power_pmc_set_needs_clear(struct power_cpu *cpu, int pmc);
void power_count_put(struct power_cpu *cpu, int slot);
bool power_picks_fit(struct power_pick *picks, int n, bool is_subset);
bool power_counts_fit(struct power_cpu *cpu);
bool power_counts_assign(struct power_cpu *cpu);

/* count.c */
void power_event_update(struct perf_event *event);
void power_event_update_last(struct perf_event *event);
void power_event_set_period(struct power_cpu *cpu, struct perf_event *event, int pmc);
void power_overflow_defer(struct power_cpu *cpu);

/* limited.c */
void power_limited_read(struct power_cpu *cpu);
void power_limited_start(struct power_cpu *cpu);
void power_limited_start_timer(struct power_cpu *cpu);
void power_limited_init_timer(unsigned int nr);
void power_limited_stop_timer(unsigned int nr);

/* pmu.c */
void power_unused_init_timer(unsigned int nr);
void power_unused_stop_timer(unsigned int nr);
void power_event_stop(struct perf_event *event);
void power_reprogram(struct power_cpu *cpu);
void power_run(struct power_cpu *cpu);
extern struct pmu power_pmu_ops;
extern struct syscore power_syscore;

/* sample.c */
void power_sample_regs(struct pt_regs *regs);
void power_sample_fill(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs);
bool power_sample_allowed(struct perf_event *event, struct pt_regs *regs);

/* overflow.c */
void power_interrupt(struct pt_regs *regs);

/* sysfs.c */

/**
 * struct power_text - a sysfs file with a constant text
 * @file: the file
 * @text: the text without the newline
 */
struct power_text {
	struct device_attribute	file;
	const char		*text;
};

extern const struct attribute_group *power_caps_groups[];
ssize_t power_text_show(struct device *dev, struct device_attribute *attr, char *page);

/* Element of an attribute list: a file with a constant text */
#define POWER_TEXT(file_name, file_text)						\
	(&((struct power_text[]) { {							\
		.file = { .attr = { .name = file_name, .mode = 0444 },			\
			  .show = power_text_show },					\
		.text = file_text,							\
	} })[0].file.attr)

/* Element of an attribute list: a file with an event code */
#define POWER_EVENT(file_name, code)							\
	(&((struct perf_pmu_events_attr[]) { {						\
		.attr = { .attr = { .name = file_name, .mode = 0444 },			\
			  .show = power_events_sysfs_show },				\
		.id = code,								\
	} })[0].attr.attr)

#endif
