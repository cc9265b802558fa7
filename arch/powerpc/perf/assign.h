/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Selection of encodings and counters for a set of events. Pure functions.
 */
#ifndef _POWERPC_PERF_ASSIGN_H
#define _POWERPC_PERF_ASSIGN_H

#ifdef __KERNEL__
#include <linux/types.h>
#endif

#define POWER_COUNTS_MAX	8
#define POWER_CODES_MAX		8

/* Counters are numbered from 1. An event whose code names no counter can use these: */
#define POWER_ANY_FIRST		1
#define POWER_ANY_LAST		4

/**
 * struct power_code - one encoding of an event
 * @code: the event code
 * @mask: the constraint fields that are used
 * @value: the value required in each select field, or to be added in each add field
 * @pmc: the counter named by the code; 0: POWER_ANY_FIRST to POWER_ANY_LAST
 * @needs_pmc4: can be counted only together with an encoding that has @on_pmc4
 * @on_pmc4: has @needs_pmc4, and names PMC4: satisfies @needs_pmc4 of all encodings
 *
 * There are two kinds of constraint fields. In a select field, all encodings that use the field
 * must have the same value. In an add field, the values of all encodings are added up, and @mask
 * has only the top bit of the field: a sum above the limit sets this bit.
 */
struct power_code {
	u64		code;
	unsigned long	mask;
	unsigned long	value;
	u8		pmc;
	bool		needs_pmc4;
	bool		on_pmc4;
};

/**
 * struct power_alternatives - the alternative encodings of an event
 * @codes: the alternatives, the preferred one first
 * @n: number of alternatives; 0: the event cannot be counted
 */
struct power_alternatives {
	const struct power_code	*codes;
	int			n;
};

/**
 * struct power_pick - the encoding and counter selected for an event
 * @alts: the alternatives
 * @now: the counter programmed now; 0: none
 * @choice: index of the selected encoding
 * @assigned: the selected counter
 */
struct power_pick {
	struct power_alternatives	alts;
	u8				now;
	u8				choice;
	u8				assigned;
};

/**
 * struct power_rules - the constraints of a processor
 * @add_fields: the lowest bit of each add field
 * @test_adder: added to the sums, sets the top bit of each add field that exceeds its limit
 * @is_subset: the events are a subset of a set that was compatible; do not check
 *	power_code::needs_pmc4
 */
struct power_rules {
	unsigned long	add_fields;
	unsigned long	test_adder;
	bool		is_subset;
};

bool power_assign(const struct power_rules *rules, struct power_pick *picks, int n);

#endif
