/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine that drives the counters of server processors: what its files share.
 *
 * Everything of a CPU is changed on that CPU with interrupts off. The overflow interrupt may
 * come in the middle: see overflow.c.
 */
#ifndef _POWERPC_PERF_ENGINE_H
#define _POWERPC_PERF_ENGINE_H

#include <linux/device.h>
#include <linux/perf_event.h>
#include "assign.h"

/* A counter is negative, in 32 bits, from its overflow on. */
#define PMC_OVERFLOW	0x80000000UL

/* A counter whose value is below this is far from an overflow and need not be written again. */
#define PMC_FAR		0x40000000UL

/* The fixed counters of a processor that has six. */
#define PMC_5		5
#define PMC_6		6

/* Events that are on a CPU: more than counters, since equal ones share a counter. */
#define POWER_EVENTS_MAX	16

/* Modes in which a counter does not count, of struct power_key, and the wait state beside them */
#define POWER_NOT_USER		0x1
#define POWER_NOT_KERNEL	0x2
#define POWER_NOT_HV		0x4
#define POWER_NOT_MODES		0x7
#define POWER_NOT_IDLE		0x8
#define POWER_NOT_BITS		4

/* The engine's own flag in hw.flags, beside PPMU_* */
#define POWER_EBB		0x1000000

/**
 * struct power_key - what makes two events count the same
 * @code: the event's code
 * @config1: attr.config1
 * @flags: POWER_NOT_*, and hw.flags from bit POWER_NOT_BITS on
 */
struct power_key {
	u64	code;
	u64	config1;
	u32	flags;
};

/**
 * struct power_encoded - an event as its CPU's engine sees it, in event->pmu_private
 * @key: what it counts
 * @wish: its encodings
 * @codes: the storage behind @wish
 */
struct power_encoded {
	struct power_key	key;
	struct power_wish	wish;
	struct power_code	codes[];
};

/**
 * struct power_count - something that a CPU counts, for one event or several equal ones
 * @key: what
 * @wish: its encodings; they live as long as the event or claim that brought them
 * @users: so many events; a claim is one user
 * @shared: equal events may join
 * @pmc: the counter that counts it, 0: none yet
 * @place: the counter that it is to have
 * @choice: index of the encoding to use there
 */
struct power_count {
	struct power_key	key;
	struct power_wish	wish;
	u8			users;
	bool			shared;
	u8			pmc;
	u8			place;
	u8			choice;
};

struct power_claim;

/**
 * struct power_memo - what the values of the registers were computed for
 * @used: mask of counts
 * @keys: what each counts
 * @places: its counter
 */
struct power_memo {
	u32			used;
	struct power_key	keys[POWER_COUNTS_MAX];
	u8			places[POWER_COUNTS_MAX];
};

/**
 * struct power_cpu - what counts on a CPU
 * @events: what was added; hw.event_base is the index of an event's count
 * @n: so many
 * @counts: what they count
 * @used: mask of counts that have users
 * @chosen: those whose @place and @choice go together
 * @known: those that are as in @memo
 * @changed: an event or a count has no counter yet
 * @disabled: the whole PMU is; nested calls are the core's
 * @ebb: the counters belong to user space, as event-based branches
 * @txn: PERF_PMU_TXN_*, 0: no transaction
 * @mmcr: the registers' values for @memo, with MMCR0 as it is while they count
 * @memo: see there
 * @held: what the registers hold; see registers.c
 * @held_known: @held is true
 * @claim: counters that are claimed, NULL: none
 * @claim_left: the id of the last claim, if its counters still run on
 * @claim_counts: mask of counts that are those of the claim, or of the last one
 * @claim_index: of each of these, its index in the claim
 * @claim_comes: only pinned events may be added
 * @claim_waits: the PMU is disabled until power_claim_run()
 * @pmcs: the counters as the last overflow interrupt found them, for samples
 */
struct power_cpu {
	struct perf_event		*events[POWER_EVENTS_MAX];
	int				n;
	struct power_count		counts[POWER_COUNTS_MAX];
	u32				used;
	u32				chosen;
	u32				known;
	bool				changed;
	bool				disabled;
	bool				ebb;
	unsigned int			txn;
	struct mmcr_regs		mmcr;
	struct power_memo		memo;
	struct mmcr_regs		held;
	bool				held_known;
	const struct power_claim	*claim;
	u64				claim_left;
	u32				claim_counts;
	u8				claim_index[POWER_COUNTS_MAX];
	bool				claim_comes;
	bool				claim_waits;
	u32				pmcs[MAX_HWEVENTS];
};

DECLARE_PER_CPU(struct power_cpu, power_cpus);
extern struct power_pmu *power_driver;

static inline bool power_has(u32 flag)
{
	return power_driver->flags & flag;
}

/* Is @pmc one of those that neither stop nor interrupt, of old processors? */
static inline bool power_limited(int pmc)
{
	return power_has(PPMU_LIMITED_PMC5_6) && (pmc == PMC_5 || pmc == PMC_6);
}

static inline bool power_is_ebb(const struct perf_event *event)
{
	return event->hw.flags & POWER_EBB;
}

/* registers.c */
unsigned long power_pmc_read(int pmc);
void power_pmc_read_all(struct power_cpu *cpu);
void power_pmc_write(int pmc, unsigned long value);
void power_control_freeze(struct power_cpu *cpu);
void power_control_write(struct power_cpu *cpu);
void power_control_run(struct power_cpu *cpu, unsigned long mmcr0);
void power_control_forget(struct power_cpu *cpu);
void power_control_give(unsigned long mmcr1);

/* config.c */
int power_reserve(void);
void power_release(void);
int power_event_init(struct perf_event *event);
bool power_encode(u64 code, u64 config1, struct power_code *to);

/* choose.c */
int power_count_get(struct power_cpu *cpu, const struct power_key *key,
		    const struct power_wish *wish, bool share);
void power_count_put(struct power_cpu *cpu, int slot);
bool power_picks_fit(struct power_pick *picks, int n, bool rest);
bool power_counts_fit(struct power_cpu *cpu);
bool power_counts_settle(struct power_cpu *cpu);

/* count.c */
void power_event_read(struct perf_event *event);
void power_event_leave(struct perf_event *event);
void power_event_arm(struct power_cpu *cpu, struct perf_event *event, int pmc);

/* pmu.c */
void power_event_halt(struct perf_event *event);
void power_place(struct power_cpu *cpu);
void power_run(struct power_cpu *cpu);
extern struct pmu power_pmu_ops;

/* sample.c */
void power_sample_regs(struct pt_regs *regs);
void power_sample_fill(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs);
bool power_sample_allowed(struct perf_event *event, struct pt_regs *regs);

/* overflow.c */
void power_interrupt(struct pt_regs *regs);

/* sysfs.c */

/**
 * struct power_text - a file of sysfs that says always the same
 * @file: the file
 * @text: what it says, without the end of the line
 */
struct power_text {
	struct device_attribute	file;
	const char		*text;
};

extern const struct attribute_group *power_caps_groups[];
ssize_t power_text_show(struct device *dev, struct device_attribute *attr, char *page);

/* An entry of a list of attributes. */
#define POWER_TEXT(file_name, file_text)						\
	(&((struct power_text[]) { {							\
		.file = { .attr = { .name = file_name, .mode = 0444 },			\
			  .show = power_text_show },					\
		.text = file_text,							\
	} })[0].file.attr)

/* The same for an event, whose file has its code. */
#define POWER_EVENT(file_name, code)							\
	(&((struct perf_pmu_events_attr[]) { {						\
		.attr = { .attr = { .name = file_name, .mode = 0444 },			\
			  .show = power_events_sysfs_show },				\
		.id = code,								\
	} })[0].attr.attr)

#endif
