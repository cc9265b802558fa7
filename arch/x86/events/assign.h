/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which counter counts what: a function of its arguments and of nothing else.
 */
#ifndef _ARCH_X86_EVENTS_ASSIGN_H
#define _ARCH_X86_EVENTS_ASSIGN_H

#ifdef __KERNEL__
#include <linux/types.h>
#endif

/* Counters are numbered as in the registers of the whole PMU: fixed ones from 32. */
#define X86_COUNTERS_MAX	64

/**
 * struct x86_wish - something that is to be counted
 * @allowed: bit mask of the counters that can count it; of a pair, of its lower ones
 * @now: the counter that counts it already, -1 for none
 * @place: the counter that it is given
 * @pair: it takes the next counter, too
 */
struct x86_wish {
	u64	allowed;
	s8	now;
	s8	place;
	bool	pair;
};

/* The counters that a wish takes which is given one. */
static inline u64 x86_wish_takes(const struct x86_wish *wish, int counter)
{
	return (wish->pair ? 3ULL : 1ULL) << counter;
}

bool x86_assign(struct x86_wish *wishes, int n, u64 prefer);

#endif
