/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Assignment of counters to events, as pure functions. Events that share a counter are one event.
 */
#ifndef _ARCH_X86_EVENTS_ASSIGN_H
#define _ARCH_X86_EVENTS_ASSIGN_H

#ifdef __KERNEL__
#include <linux/types.h>
#endif

/* Counters are numbered as in the global control register: fixed counters start at 32. */
#define X86_COUNTERS_MAX	64

/**
 * struct x86_constraint - the constraint of an event, and the counter assigned
 * @allowed: mask of the counters that can count it; for a pair, of its possible lower counters
 * @now: the counter programmed now; -1: none
 * @assigned: the counter assigned
 * @pair: the next counter is used, too
 */
struct x86_constraint {
	u64	allowed;
	s8	now;
	s8	assigned;
	bool	pair;
};

/* Mask of the counters in use by @c on @counter. */
static inline u64 x86_constraint_counters(const struct x86_constraint *c, int counter)
{
	return (c->pair ? 3ULL : 1ULL) << counter;
}

bool x86_assign_counters(struct x86_constraint *constraints, int n, u64 prefer);

#endif
