// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that somebody beside perf has for himself.
 *
 * A claim names its counters, and what each counts. For the choice of counters it is like as many
 * events of perf that cannot be anywhere else: perf's events make way to other counters where they
 * can, and otherwise wait until the claim ends. Only pinned events do not wait.
 *
 * When a claim ends whose owner need not know of overflows, its counters count on until perf
 * changes what it counts. So nothing is written when the same claim comes next.
 *
 * All of this is on the CPU that it is about, with interrupts off. There is one claim at a time
 * on a CPU. Only processors from version 2.07 of the architecture on have claims.
 */
#include <linux/bitops.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <asm/cputable.h>
#include <asm/pmc.h>
#include "claim.h"
#include "engine.h"
#include "isa207.h"

/* Called in the overflow interrupt. */
static power_claim_handler_t power_claim_handler;

/**
 * power_claim_open - begin to use claims
 * @handler: called in the overflow interrupt, which comes also where interrupts are masked, with
 *	all counters frozen. Its arguments are the interrupt's registers, the mask of the claim's
 *	counters that have overflowed, and the values of all counters, that of counter 1 first.
 *	Those that have overflowed go on from 0 when it returns
 *
 * Process context. Return: 0; -EOPNOTSUPP on processors without claims; -EBUSY if somebody else
 * has the counters.
 */
int power_claim_open(power_claim_handler_t handler)
{
	int err;

	if (!power_driver || !isa207_running())
		return -EOPNOTSUPP;
	err = power_reserve();
	if (err)
		return err;
	if (cmpxchg(&power_claim_handler, NULL, handler)) {
		power_release();
		return -EBUSY;
	}
	return 0;
}

/**
 * power_claim_close - end the use of claims
 *
 * Process context, with power_claim_halt() called on each CPU since its last claim.
 */
void power_claim_close(void)
{
	WRITE_ONCE(power_claim_handler, NULL);
	power_release();
}

/**
 * power_claim_check - can these counters count that?
 * @claim: @n, @counter, @modes and @code are set; the rest is set here, but for @ints and @id
 *
 * Any context. Return: 0, or -EINVAL: one that does not name its counter, one that does not exist,
 * or some that do not go together.
 */
int power_claim_check(struct power_claim *claim)
{
	struct power_pick picks[POWER_COUNTS_MAX] = {};
	unsigned int i;

	if (claim->n > power_driver->n_counter)
		return -EINVAL;
	claim->counters = 0;
	for (i = 0; i < claim->n; i++) {
		if (!claim->counter[i] || claim->counter[i] != ISA207_PMC(claim->code[i]) ||
		    (claim->modes[i] & ~POWER_NOT_MODES) ||
		    !power_encode(claim->code[i], 0, &claim->codes[i]))
			return -EINVAL;
		claim->counters |= BIT(claim->counter[i]);
		picks[i].wish.codes = &claim->codes[i];
		picks[i].wish.n = 1;
	}
	return power_picks_fit(picks, claim->n, false) ? 0 : -EINVAL;
}

static bool power_count_is_pinned(struct power_cpu *cpu, int slot)
{
	int i;

	for (i = 0; i < cpu->n; i++) {
		if (cpu->events[i]->hw.event_base == slot &&
		    cpu->events[i]->group_leader->attr.pinned)
			return true;
	}
	return false;
}

/* Could the claim count beside pinned events? Others can wait. */
static bool power_claim_fits_pinned(struct power_cpu *cpu, const struct power_claim *claim)
{
	struct power_pick picks[POWER_COUNTS_MAX] = {};
	unsigned long mask = cpu->used;
	int i, n = claim->n;

	for (i = 0; i < n; i++)
		picks[i].wish = (struct power_wish){ &claim->codes[i], 1 };
	for_each_set_bit(i, &mask, POWER_COUNTS_MAX) {
		if (!power_count_is_pinned(cpu, i))
			continue;
		if (n == POWER_COUNTS_MAX)
			return false;
		picks[n].wish = cpu->counts[i].wish;
		picks[n++].now = cpu->counts[i].pmc;
	}
	return power_picks_fit(picks, n, false);
}

static void power_claim_put_counts(struct power_cpu *cpu)
{
	unsigned long mask = cpu->claim_counts;
	int slot;

	for_each_set_bit(slot, &mask, POWER_COUNTS_MAX)
		power_count_put(cpu, slot);
	cpu->claim_counts = 0;
	cpu->changed = true;
}

/* Let the claim's counters be counts, if they fit beside what there is. */
static bool power_claim_get_counts(struct power_cpu *cpu, const struct power_claim *claim)
{
	unsigned int i;

	for (i = 0; i < claim->n; i++) {
		struct power_key key = { .code = claim->code[i], .flags = claim->modes[i] };
		struct power_wish wish = { &claim->codes[i], 1 };
		int slot = power_count_get(cpu, &key, &wish, false);

		if (slot < 0) {
			power_claim_put_counts(cpu);
			return false;
		}
		cpu->claim_counts |= BIT(slot);
		cpu->claim_index[slot] = i;
	}
	cpu->changed = true;
	if (power_counts_fit(cpu))
		return true;
	power_claim_put_counts(cpu);
	return false;
}

/**
 * power_claim_forget - let counters go that count on after a claim
 * @cpu: this CPU, without a claim and with the PMU disabled
 *
 * Interrupts are off. Called before perf changes what it counts.
 */
void power_claim_forget(struct power_cpu *cpu)
{
	if (cpu->claim || !cpu->claim_counts)
		return;
	power_claim_put_counts(cpu);
	cpu->claim_left = 0;
}

/* The PMU is disabled. */
static int power_claim_take(struct power_cpu *cpu, const struct power_claim *claim)
{
	bool got;

	power_claim_forget(cpu);
	if (cpu->ebb || !power_claim_fits_pinned(cpu, claim))
		return -EBUSY;
	if (!power_claim_get_counts(cpu, claim)) {
		cpu->claim_comes = true;
		perf_pmu_resched(&power_pmu_ops);
		cpu->claim_comes = false;
		got = power_claim_get_counts(cpu, claim);
		/* Counts that were put off find room, or wait. */
		cpu->claim = claim;
		perf_pmu_resched(&power_pmu_ops);
		cpu->claim = NULL;
		if (WARN_ON_ONCE(!got))
			return -EBUSY;
	}
	ppc_enable_pmcs();
	cpu->claim = claim;
	return 0;
}

/* Is everything as the same claim has left it? */
static bool power_claim_again(struct power_cpu *cpu, const struct power_claim *claim)
{
	unsigned long mask = cpu->claim_counts;
	int slot;

	if (!claim->id || cpu->claim_left != claim->id)
		return false;
	/* The claim that has left this may be no more. */
	for_each_set_bit(slot, &mask, POWER_COUNTS_MAX)
		cpu->counts[slot].wish.codes = &claim->codes[cpu->claim_index[slot]];
	cpu->claim_left = 0;
	cpu->claim = claim;
	return true;
}

/* A counter that has come far does not overflow soon if it begins at 0 again. */
static void power_claim_begin(const struct power_claim *claim)
{
	unsigned int i;

	for (i = 0; i < claim->n; i++) {
		if (power_pmc_read(claim->counter[i]) >= PMC_FAR)
			power_pmc_write(claim->counter[i], 0);
	}
}

/**
 * power_claim - have counters for oneself
 * @claim: which, and what they are to count; power_claim_check() has found it good. It must stay
 *	until power_claim_end()
 *
 * Interrupts are off, on the CPU that it is about, outside of the PMU's callbacks and of
 * power_claim_handler.
 *
 * Return: 0: all counters, perf's too, stand still until power_claim_run(); 1: the claim's have
 * counted on since power_claim_end() of the same claim; or -EBUSY: pinned events, event-based
 * branches or another claim are in the way.
 */
int power_claim(const struct power_claim *claim)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);
	int err;

	lockdep_assert_irqs_disabled();
	if (WARN_ON_ONCE(cpu->claim))
		return -EBUSY;
	if (power_claim_again(cpu, claim))
		return 1;
	perf_pmu_disable(&power_pmu_ops);
	err = power_claim_take(cpu, claim);
	if (err) {
		perf_pmu_enable(&power_pmu_ops);
		return err;
	}
	power_place(cpu);
	power_claim_begin(claim);
	cpu->claim_waits = true;
	return 0;
}

/**
 * power_claim_run - let all counters count again after power_claim()
 * @claim: as it was given there
 *
 * Interrupts have been off since. Counters of the claim may have been set meanwhile, by
 * power_pmc_write(), to less than 2^31. Nothing is done if power_claim() has returned 1.
 */
void power_claim_run(const struct power_claim *claim)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);

	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(cpu->claim != claim);
	if (!cpu->claim_waits)
		return;
	cpu->claim_waits = false;
	perf_pmu_enable(&power_pmu_ops);
}

/**
 * power_claim_end - give counters back
 * @claim: as it was given to power_claim()
 *
 * Interrupts are off. What counters hold that do not interrupt is still good until interrupts are
 * on again.
 */
void power_claim_end(const struct power_claim *claim)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);

	lockdep_assert_irqs_disabled();
	if (WARN_ON_ONCE(cpu->claim != claim))
		return;
	cpu->claim = NULL;
	if (!claim->ints && claim->id) {
		cpu->claim_left = claim->id;
		return;
	}
	perf_pmu_disable(&power_pmu_ops);
	power_claim_forget(cpu);
	perf_pmu_enable(&power_pmu_ops);
}

/**
 * power_claim_halt - let counters stand still that count on after a claim
 *
 * Interrupts are off, on the CPU that it is about, without a claim.
 */
void power_claim_halt(void)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);

	lockdep_assert_irqs_disabled();
	if (WARN_ON_ONCE(cpu->claim) || !cpu->claim_counts)
		return;
	perf_pmu_disable(&power_pmu_ops);
	power_claim_forget(cpu);
	perf_pmu_enable(&power_pmu_ops);
}

/**
 * power_claim_serve - serve overflows of claimed counters
 * @cpu: this CPU, in the overflow interrupt; @pmcs are the counters' values
 * @regs: of the interrupt
 * @over: mask of counters that have overflowed
 *
 * Return: those of them that are a claim's, or count on after one.
 */
u32 power_claim_serve(struct power_cpu *cpu, struct pt_regs *regs, u32 over)
{
	power_claim_handler_t handler = READ_ONCE(power_claim_handler);
	unsigned long mask = cpu->claim_counts, mine = 0;
	int i;

	for_each_set_bit(i, &mask, POWER_COUNTS_MAX)
		mine |= BIT(cpu->counts[i].pmc) & over;
	if (!mine)
		return 0;
	/* A counter that is set to 0 after a claim does not hold its owner's value. */
	if (!cpu->claim)
		cpu->claim_left = 0;
	else if (handler)
		handler(regs, mine, cpu->pmcs);
	for_each_set_bit(i, &mine, BITS_PER_LONG)
		power_pmc_write(i, 0);
	return mine;
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/claim_test.c"
#endif
