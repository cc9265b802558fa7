/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctr: checks of a control. Pure functions; see perfctr_rules.c.
 */
#ifndef _POWERPC_PERF_PERFCTR_RULES_H
#define _POWERPC_PERF_PERFCTR_RULES_H

#include <asm/perfctr.h>
#include "claim.h"

/* Condition of a rule on the bits in its mask */
enum perfctr_rule_kind {
	PERFCTR_NONE_OF,	/* all must be 0 */
	PERFCTR_VALUE,		/* they must have the rule's value */
	PERFCTR_NOT_VALUE,	/* they must not have the rule's value */
};

/* perfctr_rule::on: the counters that a rule applies to */
#define PERFCTR_ON_GENERAL	BIT(0)	/* PMC1 to PMC4 */
#define PERFCTR_ON_PMC5		BIT(1)
#define PERFCTR_ON_PMC6		BIT(2)
#define PERFCTR_ON_ALL		(PERFCTR_ON_GENERAL | PERFCTR_ON_PMC5 | PERFCTR_ON_PMC6)

/* perfctr_rule::field: part of a counter's control */
enum perfctr_field {
	PERFCTR_CODE,		/* the event code, with the number of the counter */
	PERFCTR_MODES,
};

/**
 * struct perfctr_rule - a condition on a counter's control
 * @mask: the bits checked; 0 ends a table
 * @value: for PERFCTR_VALUE and PERFCTR_NOT_VALUE
 * @kind: PERFCTR_NONE_OF, ...
 * @field: PERFCTR_CODE, ...
 * @on: PERFCTR_ON_*
 * @err: the error if the condition is not met
 *
 * Counters are checked in order, and each counter against the rules in order. The first rule that
 * is not met determines the error.
 */
struct perfctr_rule {
	u64	mask;
	u64	value;
	u8	kind;
	u8	field;
	u8	on;
	s8	err;
};

/**
 * struct perfctr_cpu_kind - the counters of this system's processors
 * @counters: number of counters; 0: only the time base
 * @valid: valid bits of an event code
 */
struct perfctr_cpu_kind {
	unsigned int	counters;
	u64		valid;
};

int perfctr_check(const struct perfctr_cpu_kind *kind, const struct perfctr_cpu_control *control,
		  struct power_claim *claim);
bool perfctr_counts_kernel(const struct perfctr_cpu_control *control);

#endif
