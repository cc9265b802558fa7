/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perfctr lets be counted on which family of CPUs: tables, and a function of its
 * arguments and of nothing else that looks through them.
 */
#ifndef _ARCH_X86_EVENTS_PERFCTR_RULES_H
#define _ARCH_X86_EVENTS_PERFCTR_RULES_H

#include <asm/perfctr.h>

/* The bit that lets a counter run, from the P6 on; the registers' driver sets it itself. */
#define PERFCTR_ENABLE		BIT(22)
/* In pmc_map: a fixed counter, as RDPMC takes it. */
#define PERFCTR_MAP_FIXED	BIT(30)
/* In pmc_map, on Pentium 4s: RDPMC reads 32 bits only, which is faster. */
#define PERFCTR_MAP_FAST	BIT(31)

/* What a rule asks of the bits in its mask */
enum perfctr_rule_kind {
	PERFCTR_NONE_OF,	/* all are 0 */
	PERFCTR_ONE_OF,		/* at least one is 1 */
	PERFCTR_ALL_OF,		/* all are 1 */
	PERFCTR_I_MODE,		/* all are 1 for counters that interrupt, else 0 */
	PERFCTR_NOT_VALUE,	/* they do not have the rule's value */
};

/* perfctr_rule::on: counters that a rule is about */
#define PERFCTR_ON_FIRST	BIT(0)	/* counter 0 */
#define PERFCTR_ON_OTHERS	BIT(1)	/* other general counters */
#define PERFCTR_ON_FIXED	BIT(2)
#define PERFCTR_ON_GENERAL	(PERFCTR_ON_FIRST | PERFCTR_ON_OTHERS)
#define PERFCTR_ON_ALL		(PERFCTR_ON_GENERAL | PERFCTR_ON_FIXED)
#define PERFCTR_ON_CASCADING	BIT(3)	/* counters 12 and 15 to 17 of a Pentium 4, and */
#define PERFCTR_ON_PLAIN	BIT(4)	/* its other ones */
#define PERFCTR_ON_P4		(PERFCTR_ON_CASCADING | PERFCTR_ON_PLAIN)
#define PERFCTR_OF_THREADS	BIT(7)	/* not of counters that are global */

/* perfctr_rule::field: which of a counter's words */
enum perfctr_field {
	PERFCTR_EVNTSEL,
	PERFCTR_ESCR,
};

/**
 * struct perfctr_rule - something that a counter's control has to be
 * @mask: bits it is about; 0 ends a table
 * @value: for PERFCTR_NOT_VALUE
 * @kind: PERFCTR_NONE_OF, ...
 * @field: PERFCTR_EVNTSEL, ...
 * @on: PERFCTR_ON_*
 * @err: what a control that is not so gets
 *
 * The first rule that is broken decides, for the first counter that breaks one.
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
 * @name: what it is called, if it has no name of its own
 * @rules: for each counter
 * @more_rules: after these; may be NULL
 * @kernel: bits of an event select of which one is set if it counts in the kernel; P5s have
 *	a second field in the same register
 * @has_tsc: there is a time stamp counter
 * @no_interrupts: counters never interrupt
 * @cccr: counters are those of a Pentium 4
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
 * struct perfctr_cpu_kind - what the CPUs of this system have
 * @family: their rules
 * @counters: mask of the counters: general ones from bit 0, fixed ones from bit 32
 * @interrupts: counters that overflow can interrupt
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
bool perfctr_kernel(const struct perfctr_family *family,
		    const struct perfctr_cpu_control *control);

/* perfctr_events.c */
struct x86_core;
int perfctr_check_events(const struct x86_core *core, const struct perfctr_cpu_control *control,
			 const struct x86_claim *claim);

#endif
