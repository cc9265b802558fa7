// SPDX-License-Identifier: GPL-2.0
/*
 * Claims: counters that perfctr has reserved.
 *
 * A claim (struct power_claim) names its counters and an event code for each. The selection of
 * counters treats a claim like events that name their counters. Flexible events of perf move to
 * other counters if they can, or else are not scheduled until power_claim_put(). Pinned events are
 * never displaced: power_claim_get() fails if pinned events need the counters, and
 * power_claim_revoke() takes the counters back for pinned events that are added later.
 *
 * If a claim has an id, and no overflows for perfctr to handle, its counters run on after
 * power_claim_put(), until perf changes the events of the CPU. An equal claim continues these
 * counters without reprogramming.
 *
 * Context: the CPU of the claim, interrupts off. A CPU has at most one claim. Only processors from
 * ISA 2.07 on support claims.
 */
#include <linux/bitops.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <asm/cputable.h>
#include <asm/pmc.h>
#include "claim.h"
#include "engine.h"
#include "isa207.h"

/* NULL before power_claim_open() */
static const struct power_claim_user *power_claim_user;

/**
 * power_claim_open - allow perfctr to reserve counters
 * @user: its callbacks; not changed until power_claim_close()
 *
 * Context: process.
 * Return: 0 on success, -EOPNOTSUPP without a PMU driver or before ISA 2.07, -EBUSY if another
 * driver has reserved the hardware, or power_claim_open() was called before.
 */
int power_claim_open(const struct power_claim_user *user)
{
	int err;

	if (!power_driver || !isa207_running())
		return -EOPNOTSUPP;
	err = power_reserve();
	if (err)
		return err;
	if (cmpxchg(&power_claim_user, NULL, user)) {
		power_release();
		return -EBUSY;
	}
	return 0;
}

/**
 * power_claim_close - undo power_claim_open()
 *
 * Context: process; power_claim_stop() was called on each CPU after its last claim.
 */
void power_claim_close(void)
{
	WRITE_ONCE(power_claim_user, NULL);
	power_release();
}

/**
 * power_claim_check - check and encode a claim
 * @claim: n, counter, modes and code of struct power_claim are set; receives counters and codes
 *
 * Context: any.
 * Return: 0 on success. -EINVAL if the processor has no such counter, mode or event, if a code does
 * not name its counter, if the processor counts an event incorrectly (power_code_is_listed()), or
 * if the counters cannot count all these events at once.
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
		    (claim->modes[i] & ~POWER_NOT_MODES) || power_code_is_listed(claim->code[i]) ||
		    !power_encode(claim->code[i], 0, &claim->codes[i]))
			return -EINVAL;
		claim->counters |= BIT(claim->counter[i]);
		picks[i].alts.codes = &claim->codes[i];
		picks[i].alts.n = 1;
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

/* Can the claim's counters run beside all pinned events? Flexible events can be displaced. */
static bool power_claim_fits_pinned(struct power_cpu *cpu, const struct power_claim *claim)
{
	struct power_pick picks[POWER_COUNTS_MAX] = {};
	unsigned long mask = cpu->used;
	int i, n = claim->n;

	for (i = 0; i < n; i++)
		picks[i].alts = (struct power_alternatives){ &claim->codes[i], 1 };
	for_each_set_bit(i, &mask, POWER_COUNTS_MAX) {
		if (!power_count_is_pinned(cpu, i))
			continue;
		if (n == POWER_COUNTS_MAX)
			return false;
		picks[n].alts = cpu->counts[i].alts;
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
	cpu->needs_reprogram = true;
}

/* Add the claim's counters to @cpu->counts, if they are compatible with the events. */
static bool power_claim_get_counts(struct power_cpu *cpu, const struct power_claim *claim)
{
	unsigned int i;

	for (i = 0; i < claim->n; i++) {
		struct power_event_sel sel = {
			.code = claim->code[i], .flags = claim->modes[i] | POWER_CLAIMED,
		};
		struct power_alternatives alts = { &claim->codes[i], 1 };
		int slot = power_count_get(cpu, &sel, &alts, false);

		if (slot < 0) {
			power_claim_put_counts(cpu);
			return false;
		}
		cpu->claim_counts |= BIT(slot);
		cpu->claim_index[slot] = i;
	}
	cpu->needs_reprogram = true;
	if (power_counts_fit(cpu))
		return true;
	power_claim_put_counts(cpu);
	return false;
}

/**
 * power_claim_free_last - release counters that still run after power_claim_put()
 * @cpu: this CPU
 *
 * Called before perf changes the events of the CPU. Does nothing before power_claim_put().
 *
 * Context: interrupts off, PMU disabled.
 */
void power_claim_free_last(struct power_cpu *cpu)
{
	if (cpu->claim || !cpu->claim_counts)
		return;
	power_claim_put_counts(cpu);
	cpu->released_claim = 0;
}

/* Context: PMU disabled. */
static int power_claim_reserve(struct power_cpu *cpu, const struct power_claim *claim)
{
	bool got;

	power_claim_free_last(cpu);
	if (cpu->ebb || !power_claim_fits_pinned(cpu, claim))
		return -EBUSY;
	if (!power_claim_get_counts(cpu, claim)) {
		cpu->claim_pending = true;
		perf_pmu_resched(&power_pmu_ops);
		cpu->claim_pending = false;
		got = power_claim_get_counts(cpu, claim);
		/*
		 * Schedule the displaced events on the other counters. While cpu->claim is set,
		 * power_claim_free_last() does not release the claim's counters.
		 */
		cpu->claim = claim;
		cpu->claim_displaced = true;
		perf_pmu_resched(&power_pmu_ops);
		/* The reschedule may have added a pinned group, and revoked the claim. */
		if (!cpu->claim)
			return -EBUSY;
		cpu->claim = NULL;
		if (!got)
			return -EBUSY;
	}
	ppc_enable_pmcs();
	cpu->claim = claim;
	return 0;
}

/* If counters still run after power_claim_put() of an equal claim, continue these counters. */
static bool power_claim_get_fast(struct power_cpu *cpu, const struct power_claim *claim)
{
	unsigned long mask = cpu->claim_counts;
	int slot;

	if (!claim->id || cpu->released_claim != claim->id)
		return false;
	/* The encodings are stored in the former claim, which may have been freed. */
	for_each_set_bit(slot, &mask, POWER_COUNTS_MAX)
		cpu->counts[slot].alts.codes = &claim->codes[cpu->claim_index[slot]];
	cpu->released_claim = 0;
	cpu->claim = claim;
	return true;
}

/* Reset counters with large values, so that they do not overflow soon. */
static void power_claim_clear_counters(const struct power_claim *claim)
{
	unsigned int i;

	for (i = 0; i < claim->n; i++) {
		if (power_pmc_read(claim->counter[i]) >= PMC_RESET_FROM)
			power_pmc_write(claim->counter[i], 0);
	}
}

/**
 * power_claim_get - reserve counters on this CPU
 * @claim: the claim, checked by power_claim_check(); valid until power_claim_put()
 *
 * Context: interrupts off; not in a callback of the PMU, nor in
 * power_claim_user::overflow.
 * Return: 0 on success, with all counters, including those of perf, frozen until
 * power_claim_start(); 1 if the counters of an equal claim have run on since its power_claim_put();
 * -EBUSY if pinned events, event-based branches or another claim prevent the claim.
 */
int power_claim_get(const struct power_claim *claim)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);
	int err;

	lockdep_assert_irqs_disabled();
	if (WARN_ON_ONCE(cpu->claim))
		return -EBUSY;
	if (power_claim_get_fast(cpu, claim))
		return 1;
	perf_pmu_disable(&power_pmu_ops);
	err = power_claim_reserve(cpu, claim);
	if (err) {
		perf_pmu_enable(&power_pmu_ops);
		return err;
	}
	power_reprogram(cpu);
	power_claim_clear_counters(claim);
	cpu->claim_needs_start = true;
	return 0;
}

/**
 * power_claim_start - run all counters after power_claim_get()
 * @claim: the claim
 *
 * Does nothing if power_claim_get() has returned 1. Before the call, power_pmc_write() may set the
 * counters of the claim to values below 2^31.
 *
 * Context: interrupts off since power_claim_get().
 */
void power_claim_start(const struct power_claim *claim)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);

	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(cpu->claim != claim);
	if (!cpu->claim_needs_start)
		return;
	cpu->claim_needs_start = false;
	perf_pmu_enable(&power_pmu_ops);
}

/**
 * power_claim_put - release the counters of a claim
 * @claim: the claim
 *
 * If @claim->id is set and @claim->ints is 0, the counters run on, and perfctr can read them until
 * interrupts are on again.
 *
 * Context: interrupts off.
 */
void power_claim_put(const struct power_claim *claim)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);

	lockdep_assert_irqs_disabled();
	if (WARN_ON_ONCE(cpu->claim != claim))
		return;
	cpu->claim = NULL;
	if (!claim->ints && claim->id) {
		cpu->released_claim = claim->id;
		return;
	}
	perf_pmu_disable(&power_pmu_ops);
	power_claim_free_last(cpu);
	perf_pmu_enable(&power_pmu_ops);
}

/**
 * power_claim_stop - stop counters that still run after power_claim_put()
 *
 * Context: interrupts off, no counters of this CPU reserved.
 */
void power_claim_stop(void)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);

	lockdep_assert_irqs_disabled();
	if (WARN_ON_ONCE(cpu->claim) || !cpu->claim_counts)
		return;
	perf_pmu_disable(&power_pmu_ops);
	power_claim_free_last(cpu);
	perf_pmu_enable(&power_pmu_ops);
}

/**
 * power_claim_resched - reschedule flexible events that claims have displaced
 *
 * Without this call, displaced events would wait for the next rotation, or for the switch to a task
 * with events. The calls per tick are not limited: with a limit, displaced events of the CPU would
 * not count other tasks until the next rotation. The cost is that of pinned events of tasks, which
 * displace events at each switch, too.
 *
 * Context: interrupts off, no counters of this CPU reserved, no ctx->lock held.
 */
void power_claim_resched(void)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);

	lockdep_assert_irqs_disabled();
	if (!cpu->claim_displaced)
		return;
	cpu->claim_displaced = false;
	perf_pmu_resched_flexible(&power_pmu_ops);
}

/**
 * power_claim_revoke - release the reserved counters if a pinned event needs them
 * @cpu: this CPU
 * @event: an event that does not fit beside the reserved counters. If its group is not pinned,
 *	perfctr keeps the counters
 *
 * Context: interrupts off, PMU disabled.
 * Return: true if the counters were released.
 */
bool power_claim_revoke(struct power_cpu *cpu, const struct perf_event *event)
{
	const struct power_claim_user *user = READ_ONCE(power_claim_user);

	lockdep_assert_irqs_disabled();
	if (!cpu->claim || !event->group_leader->attr.pinned || !user || !user->revoke)
		return false;
	user->revoke();
	/* Before power_claim_get() returns, perfctr has no claim to put: end the claim here. */
	if (cpu->claim) {
		cpu->claim = NULL;
		power_claim_free_last(cpu);
	}
	return true;
}

/**
 * power_claim_handle_overflow - handle overflows of counters reserved by perfctr
 * @cpu: this CPU; power_cpu::pmcs has the values of the counters
 * @regs: the interrupted registers
 * @over: mask of counters that have overflowed
 *
 * Context: overflow interrupt, counters frozen.
 * Return: mask of those counters in @over that are reserved, or that still run after
 * power_claim_put().
 */
u32 power_claim_handle_overflow(struct power_cpu *cpu, struct pt_regs *regs, u32 over)
{
	const struct power_claim_user *user = READ_ONCE(power_claim_user);
	unsigned long mask = cpu->claim_counts, mine = 0;
	int i;

	for_each_set_bit(i, &mask, POWER_COUNTS_MAX)
		mine |= BIT(cpu->counts[i].pmc) & over;
	if (!mine)
		return 0;
	/* Counters that run on without a claim are reset below: no claim may continue them. */
	if (!cpu->claim)
		cpu->released_claim = 0;
	else if (user)
		user->overflow(regs, mine, cpu->pmcs);
	for_each_set_bit(i, &mine, BITS_PER_LONG)
		power_pmc_write(i, 0);
	return mine;
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/claim_test.c"
#endif
