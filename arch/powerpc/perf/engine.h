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

/* The fixed counters of a processor that has six. */
#define PMC_5		5
#define PMC_6		6

/**
 * struct power_cpu - what counts on a CPU
 * @events: what was added, in that order
 * @wishes: the encodings that would count each
 * @n: so many events
 * @changed: there is an event that the registers do not know yet, or one less
 * @disabled: the whole PMU is; nested calls are the core's
 * @txn: PERF_PMU_TXN_*, 0: no transaction
 * @mmcr: the registers' values for these events, with MMCR0 as it is while they count
 * @held: what the registers hold; see registers.c
 * @known: @held is true
 * @pmcs: the counters as the last overflow interrupt found them, for samples
 */
struct power_cpu {
	struct perf_event	*events[POWER_EVENTS_MAX];
	struct power_wish	wishes[POWER_EVENTS_MAX];
	int			n;
	bool			changed;
	bool			disabled;
	unsigned int		txn;
	struct mmcr_regs	mmcr;
	struct mmcr_regs	held;
	bool			known;
	u32			pmcs[MAX_HWEVENTS];
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

/* registers.c */
unsigned long power_pmc_read(int pmc);
void power_pmc_write(int pmc, unsigned long value);
void power_control_freeze(struct power_cpu *cpu);
void power_control_write(struct power_cpu *cpu);
void power_control_run(struct power_cpu *cpu, unsigned long mmcr0);
void power_control_forget(struct power_cpu *cpu);

/* config.c */
int power_event_init(struct perf_event *event);
void power_wish_fill(struct power_wish *wish, struct perf_event *event);
bool power_wishes_fit(struct power_wish *wishes, int n);
bool power_modes_agree(struct perf_event **events, int n);

/* count.c */
void power_event_read(struct perf_event *event);
void power_event_arm(struct perf_event *event);

/* pmu.c */
void power_event_halt(struct perf_event *event);
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

#endif
