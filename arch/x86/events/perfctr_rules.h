/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctr: checks of a control against the counters and event selects of a CPU family. Tables, and
 * pure functions that evaluate them.
 */
#ifndef _ARCH_X86_EVENTS_PERFCTR_RULES_H
#define _ARCH_X86_EVENTS_PERFCTR_RULES_H

#include <asm/perfctr.h>

/* Enable bit of an event select, from the P6 on; claim.c sets it in the register */
#define PERFCTR_ENABLE		BIT(22)
/* In pmc_map: a fixed counter, as in the index for RDPMC */
#define PERFCTR_MAP_FIXED	BIT(30)
/* In pmc_map, Pentium 4: RDPMC reads only 32 bits, which is faster */
#define PERFCTR_MAP_FAST	BIT(31)

/* Condition of a rule on the bits in its mask */
enum perfctr_rule_kind {
	PERFCTR_NONE_OF,	/* all must be 0 */
	PERFCTR_ONE_OF,		/* at least one must be 1 */
	PERFCTR_ALL_OF,		/* all must be 1 */
	PERFCTR_I_MODE,		/* all must be 1 for counters that interrupt, else 0 */
	PERFCTR_NOT_VALUE,	/* the bits must differ from the rule's value */
};

/* perfctr_rule::on: the counters that a rule applies to */
#define PERFCTR_ON_FIRST	BIT(0)	/* counter 0 */
#define PERFCTR_ON_OTHERS	BIT(1)	/* other general counters */
#define PERFCTR_ON_FIXED	BIT(2)
#define PERFCTR_ON_GENERAL	(PERFCTR_ON_FIRST | PERFCTR_ON_OTHERS)
#define PERFCTR_ON_ALL		(PERFCTR_ON_GENERAL | PERFCTR_ON_FIXED)
#define PERFCTR_ON_CASCADING	BIT(3)	/* counters 12 and 15 to 17 of a Pentium 4 */
#define PERFCTR_ON_PLAIN	BIT(4)	/* the other counters of a Pentium 4 */
#define PERFCTR_ON_P4		(PERFCTR_ON_CASCADING | PERFCTR_ON_PLAIN)
#define PERFCTR_OF_THREADS	BIT(7)	/* only for per-thread controls */

/* perfctr_rule::field: word of a counter's control */
enum perfctr_field {
	PERFCTR_EVNTSEL,
	PERFCTR_ESCR,
};

/**
 * struct perfctr_rule - a condition on the control of a counter
 * @mask: the bits checked; 0 ends a table
 * @value: for PERFCTR_NOT_VALUE
 * @kind: PERFCTR_NONE_OF, ...
 * @field: PERFCTR_EVNTSEL, ...
 * @on: PERFCTR_ON_*
 * @err: the error if the condition is not met
 *
 * Counters are checked in order, and each counter against the rules in order. The first rule that
 * is not met determines the error.
 */
struct perfctr_rule {
	u32	mask;
	u32	value;
	u8	kind;
	u8	field;
	u8	on;
	s8	err;
};

/**
 * struct perfctr_family - CPUs with the same rules
 * @name: name of the CPU type, unless the model has one
 * @rules: checked for each counter
 * @more_rules: checked after @rules; may be NULL
 * @kernel: event select bits, each of which makes a counter count the kernel; ~0U: all selects do
 * @has_tsc: the CPU has a TSC
 * @no_interrupts: counters do not interrupt
 * @cccr: the counters are those of a Pentium 4
 */
struct perfctr_family {
	const char			*name;
	const struct perfctr_rule	*rules;
	const struct perfctr_rule	*more_rules;
	u32				kernel;
	bool				has_tsc;
	bool				no_interrupts;
	bool				cccr;
};

/**
 * struct perfctr_cpu_kind - the counters of this system's CPUs
 * @family: the rules
 * @counters: mask of the counters: general counters from bit 0, fixed counters from bit 32
 * @interrupts: overflows can interrupt
 */
struct perfctr_cpu_kind {
	const struct perfctr_family	*family;
	u64				counters;
	bool				interrupts;
};

extern const struct perfctr_family perfctr_generic, perfctr_p5, perfctr_mmx, perfctr_cyrix;
extern const struct perfctr_family perfctr_winchip, perfctr_p6, perfctr_k7, perfctr_k8;
extern const struct perfctr_family perfctr_k8_multicore, perfctr_amd_15h, perfctr_c3;
extern const struct perfctr_family perfctr_p4, perfctr_p4_model2, perfctr_p4_ht;
extern const struct perfctr_family perfctr_intel_arch, perfctr_zhaoxin;

int perfctr_check(const struct perfctr_cpu_kind *kind, const struct perfctr_cpu_control *control,
		  bool global, struct x86_claim *claim);
bool perfctr_counts_kernel(const struct perfctr_family *family,
			   const struct perfctr_cpu_control *control);

/* perfctr_events.c */
struct x86_core;
int perfctr_check_events(const struct x86_core *core, const struct perfctr_cpu_control *control,
			 struct x86_claim *claim);

#endif
