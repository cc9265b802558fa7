/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Claims: counters that perfctr has reserved, see claim.c.
 */
#ifndef _POWERPC_PERF_CLAIM_H
#define _POWERPC_PERF_CLAIM_H

#include "engine.h"

/**
 * struct power_claim - counters to reserve for perfctr, and their events
 * @n: number of counters
 * @counters: mask of the counters; bit 1 is PMC1
 * @ints: mask of the counters whose overflows perfctr has to handle. If not 0, power_claim_put()
 *	stops the counters of the claim
 * @counter: each counter's number
 * @modes: POWER_NOT_* of each counter
 * @code: each counter's event code, which names the counter
 * @codes: each counter's encoding, set by power_claim_check()
 * @id: equal for claims that are equal in all other members. 0: equal to no other claim, and
 *	power_claim_put() stops the counters of the claim
 */
struct power_claim {
	unsigned int		n;
	u16			counters;
	u16			ints;
	u8			counter[POWER_COUNTS_MAX];
	u8			modes[POWER_COUNTS_MAX];
	u64			code[POWER_COUNTS_MAX];
	struct power_code	codes[POWER_COUNTS_MAX];
	u64			id;
};

/**
 * struct power_claim_user - callbacks of perfctr
 * @overflow: called by the overflow interrupt, which can interrupt code with interrupts off. All
 *	counters are frozen. The arguments are the interrupted registers, the mask of reserved
 *	counters that have overflowed, and the values of all counters, PMC1 first. The overflowed
 *	counters are set to 0 after the call
 * @revoke: called with interrupts off and the PMU disabled if pinned events need the reserved
 *	counters. @revoke has to call power_claim_put(), except during power_claim_get(), which
 *	then fails. NULL: pinned events do not get reserved counters
 */
struct power_claim_user {
	void	(*overflow)(struct pt_regs *regs, u32 counters, const u32 *values);
	void	(*revoke)(void);
};

#ifdef CONFIG_PPC64
int power_claim_open(const struct power_claim_user *user);
void power_claim_close(void);
int power_claim_check(struct power_claim *claim);
int power_claim_get(const struct power_claim *claim);
void power_claim_start(const struct power_claim *claim);
void power_claim_put(const struct power_claim *claim);
void power_claim_stop(void);
void power_claim_resched(void);
bool power_claim_revoke(struct power_cpu *cpu, const struct perf_event *event);
void power_claim_free_last(struct power_cpu *cpu);
u32 power_claim_handle_overflow(struct power_cpu *cpu, struct pt_regs *regs, u32 over);
#else
static inline void power_claim_free_last(struct power_cpu *cpu) { }
static inline bool power_claim_revoke(struct power_cpu *cpu, const struct perf_event *event)
{
	return false;
}

static inline u32 power_claim_handle_overflow(struct power_cpu *cpu, struct pt_regs *regs, u32 over)
{
	return 0;
}
#endif

#endif
