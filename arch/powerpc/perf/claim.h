/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters that somebody beside perf has for himself; see claim.c.
 */
#ifndef _POWERPC_PERF_CLAIM_H
#define _POWERPC_PERF_CLAIM_H

#include "engine.h"

/**
 * struct power_claim - counters that somebody beside perf has for himself
 * @n: so many
 * @counters: their mask; bit 1 is counter 1
 * @ints: those whose owner wants to know of an overflow; none of the claim's count on after it
 * @counter: the number of each
 * @modes: POWER_NOT_* of each
 * @code: what each counts, an event's code that names its counter
 * @codes: the encodings, filled by power_claim_check()
 * @id: the same for claims that are equal in all of this; 0: unlike any other
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

#ifdef CONFIG_PPC64
typedef void (*power_claim_handler_t)(struct pt_regs *regs, u32 counters, const u32 *values);
int power_claim_open(power_claim_handler_t handler);
void power_claim_close(void);
int power_claim_check(struct power_claim *claim);
int power_claim(const struct power_claim *claim);
void power_claim_run(const struct power_claim *claim);
void power_claim_end(const struct power_claim *claim);
void power_claim_halt(void);
void power_claim_forget(struct power_cpu *cpu);
u32 power_claim_serve(struct power_cpu *cpu, struct pt_regs *regs, u32 over);
#else
static inline void power_claim_forget(struct power_cpu *cpu) { }
static inline u32 power_claim_serve(struct power_cpu *cpu, struct pt_regs *regs, u32 over)
{
	return 0;
}
#endif

#endif
