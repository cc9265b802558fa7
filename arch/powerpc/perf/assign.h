/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which events can count together, and on which counters: a function of its arguments and of
 * nothing else.
 */
#ifndef _POWERPC_PERF_ASSIGN_H
#define _POWERPC_PERF_ASSIGN_H

#ifdef __KERNEL__
#include <linux/types.h>
#endif

#define POWER_COUNTS_MAX	8
#define POWER_CODES_MAX		8

/* Counters are numbered from 1. Those that count any event that does not name its counter: */
#define POWER_ANY_FIRST		1
#define POWER_ANY_LAST		4

/**
 * struct power_code - one encoding of an event
 * @code: as the processor's driver knows it
 * @mask: fields of the constraints that it takes part in
 * @value: what it asks of them
 * @pmc: the counter that it names; 0: one of POWER_ANY_FIRST to POWER_ANY_LAST
 * @needs: it counts only beside one that @gives
 * @gives: others may need it
 *
 * There are three kinds of fields. One that selects has a value that all who take part in it must
 * agree on. One that adds counts those who take part in it, up to a limit: its mask is the bit
 * that stands when the limit is passed. One that forbids is a field that adds, too.
 */
struct power_code {
	u64		code;
	unsigned long	mask;
	unsigned long	value;
	u8		pmc;
	bool		needs;
	bool		gives;
};

/**
 * struct power_wish - the encodings of something that is to be counted
 * @codes: the one to prefer first
 * @n: so many; 0: it cannot be counted
 */
struct power_wish {
	const struct power_code	*codes;
	int			n;
};

/**
 * struct power_pick - what is chosen for a wish
 * @wish: the wish
 * @now: the counter that it has already, 0 for none
 * @choice: the index of its encoding
 * @place: the counter that it is given
 */
struct power_pick {
	struct power_wish	wish;
	u8			now;
	u8			choice;
	u8			place;
};

/**
 * struct power_rules - the constraints of a processor
 * @add_fields: lowest bit of each field that adds
 * @test_adder: what makes a field overflow that has passed its limit
 * @rest: a part of what has counted together; what some of it needs may have gone
 */
struct power_rules {
	unsigned long	add_fields;
	unsigned long	test_adder;
	bool		rest;
};

bool power_choose(const struct power_rules *rules, struct power_pick *picks, int n);

#endif
