/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which events can count together: a function of its arguments and of nothing else.
 */
#ifndef _POWERPC_PERF_ASSIGN_H
#define _POWERPC_PERF_ASSIGN_H

#ifdef __KERNEL__
#include <linux/types.h>
#endif

#define POWER_EVENTS_MAX	8
#define POWER_CODES_MAX		8

/**
 * struct power_code - one encoding of an event
 * @code: as the processor's driver knows it
 * @mask: fields of the constraints that it takes part in
 * @value: what it asks of them
 *
 * asm/perf_event_server.h describes the three kinds of fields.
 */
struct power_code {
	u64		code;
	unsigned long	mask;
	unsigned long	value;
};

/**
 * struct power_wish - an event that is to be counted
 * @codes: the encodings that count it, the one to prefer first
 * @n: so many; 0: it cannot be counted
 * @choice: index of the encoding that was chosen
 */
struct power_wish {
	struct power_code	codes[POWER_CODES_MAX];
	int			n;
	int			choice;
};

/**
 * struct power_rules - the constraints of a processor
 * @add_fields: lowest bit of each field that counts events
 * @test_adder: what makes a field overflow that counts too many
 */
struct power_rules {
	unsigned long	add_fields;
	unsigned long	test_adder;
};

bool power_choose(const struct power_rules *rules, struct power_wish *wishes, int n);

#endif
