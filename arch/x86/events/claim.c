// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that somebody beside perf has for himself: perfctr, for the thread that runs.
 *
 * Claimed counters are taken out of what counts may be placed on. They are named by their
 * numbers, and so perf's counts make way for them where they can: to other counters, or, if
 * there are not enough, by waiting until the claim ends. Pinned events do not wait: a claim is
 * refused for those that are on, and ends for those that are added.
 *
 * When a claim ends, its counters stay as they are, and those that do not interrupt even run
 * on until perf wants them or decides anew what runs. So nothing is written when the next
 * claim is the same.
 *
 * Interrupts are off in all of this, on the CPU that it is about. There is one claim at a
 * time on a CPU. It may be made and ended while the core has disabled the PMU, as it does over a
 * switch: claimed counters run all the same. Before a claim begins, perf's changes that wait are
 * made; when one ends, they go on waiting.
 */
#include <linux/jiffies.h>

#include "engine.h"

/*
 * So often in a jiffy flexible events that claims have evicted are scheduled again at once; after
 * that, with the rotation. This bounds evictions, too, which cost time in the switches of others.
 */
#define X86_RETURNS	16

/*
 * Perf's counts make way. Pinned events stay on all the time, since the core's other thread could
 * take what they need while they were off. So their counts are placed first, and flexible events
 * share what is left.
 */
static int x86_claim_make_room(struct x86_pmu_cpu *cpu, u64 counters)
{
	int err;

	if (!(cpu->wanted & counters))
		return 0;
	x86_halt(cpu);
	err = x86_place_beside_claim(cpu, counters, false);
	if (!err) {
		cpu->claimed = counters;
	} else if (!x86_place_beside_claim(cpu, counters, true)) {
		cpu->claimed = counters;
		cpu->evicted = true;
		/* Within a switch the core does not say so by itself. */
		perf_pmu_resched_flexible(&cpu->core->pmu);
		/* A pinned group that waited may be on now. */
		err = cpu->claimed != counters || WARN_ON_ONCE(cpu->wanted & counters);
		if (err)
			cpu->claimed = 0;
	}
	x86_go_on(cpu);
	return err ? -EBUSY : 0;
}

/* The select of one of a claim's counters that is no fixed one */
static u64 x86_claim_select(const struct x86_pmu_cpu *cpu, const struct x86_claim *claim,
			    unsigned int i)
{
	const struct x86_bank *bank = cpu->core->bank;
	u64 config = claim->config[i];

	/* Nothing stops it as a guest is entered, where it may run on after the claim. */
	config |= bank->host_only & ~cpu->select_clear;
	/* Without a common register the select says that the counter stands still. */
	if (bank->control || !(claim->ints & BIT_ULL(claim->counter[i])))
		return config | bank->run;
	return config & ~bank->halt;
}

/* Returns whether it has found them as they are to be. */
static bool x86_claim_selects(struct x86_pmu_cpu *cpu, const struct x86_claim *claim)
{
	const struct x86_bank *bank = cpu->core->bank;
	u64 fixed = cpu->fixed_control, select;
	bool same = true;
	unsigned int i;

	for (i = 0; i < claim->n; i++) {
		int counter = claim->counter[i];

		cpu->value_turn[counter] = 0;
		if (x86_counter_is_fixed(counter)) {
			int n = counter - INTEL_PMC_IDX_FIXED;

			fixed &= ~intel_fixed_bits_by_idx(n, x86_fixed_bits(cpu->core));
			fixed |= intel_fixed_bits_by_idx(n, x86_fixed_select(claim->config[i]));
			continue;
		}
		select = cpu->select[counter];
		x86_write_select(cpu, counter, x86_claim_select(cpu, claim, i));
		same &= select == cpu->select[counter];
	}
	if (bank->fixed_control) {
		same &= fixed == cpu->fixed_control;
		x86_write_fixed_control(cpu, fixed);
	}
	cpu->has_clean &= ~claim->counters;
	return same && (!bank->control || !(claim->counters & ~cpu->control));
}

static bool x86_claim_has_news(const struct x86_pmu_cpu *cpu, const struct x86_claim *claim)
{
	unsigned int i;

	for (i = 0; i < claim->n; i++) {
		int counter = claim->counter[i];

		if (!x86_counter_is_fixed(counter) &&
		    cpu->select[counter] != x86_claim_select(cpu, claim, i))
			return true;
	}
	return false;
}

/* The same where an erratum has new events of general counters count wrong. */
static bool x86_claim_idle_selects(struct x86_pmu_cpu *cpu, const struct x86_claim *claim)
{
	u64 control = cpu->control;
	bool same;

	if (likely(!cpu->core->model->idle_selects) || !x86_claim_has_news(cpu, claim))
		return x86_claim_selects(cpu, claim);
	x86_write_idle_selects(cpu);
	same = x86_claim_selects(cpu, claim);
	x86_write_control(cpu, control);
	return same;
}

/* Let a change of what is claimed be, or leave it to whom an NMI has not disturbed. */
static void x86_claim_done(struct x86_pmu_cpu *cpu)
{
	barrier();
	cpu->applying = false;
	if (unlikely(READ_ONCE(cpu->dirty)))
		x86_apply(cpu);
}

/*
 * Counters that have been in use hold what perf's events have counted, or another claim. Those that
 * interrupt are set in any case.
 */
static void x86_claim_clear(struct x86_pmu_cpu *cpu, u64 counters)
{
	int i;

	for_each_x86_counter(i, counters)
		x86_write_counter(cpu, i, -cpu->core->max_period);
}

static int x86_claim_live(struct x86_pmu_cpu *cpu, const struct x86_claim *claim)
{
	bool owned = false, same;
	u64 cleared;
	int i;

	if (cpu->threads && !x86_threads_take(cpu, claim->counters))
		return -EBUSY;
	for_each_x86_counter(i, claim->counters)
		owned |= !!cpu->owner[i];
	if (owned && x86_claim_make_room(cpu, claim->counters)) {
		/* The other thread has them back. */
		if (cpu->threads) {
			WRITE_ONCE(cpu->dirty, true);
			x86_apply(cpu);
		}
		return -EBUSY;
	}
	WRITE_ONCE(cpu->applying, true);
	barrier();
	cpu->last_claim = 0;
	cpu->claimed = claim->counters;
	cleared = cpu->has_clean & claim->counters;
	for_each_x86_counter(i, claim->counters) {
		/* No event is a client of what is left there. */
		if (cpu->owner[i])
			x86_count_forget(cpu, cpu->owner[i]);
	}
	if (claim->ints && cpu->core->bank->control)
		x86_write_control(cpu, cpu->control & ~claim->ints);
	if (claim->counters & cpu->core->taken)
		x86_force_abort(cpu, claim->counters);
	same = x86_claim_idle_selects(cpu, claim) && !owned;
	if (!same && x86_user_reads())
		x86_claim_clear(cpu, claim->counters & ~claim->ints & ~cleared);
	same &= !cleared && !claim->ints;
	x86_claim_done(cpu);
	if (same)
		x86_claim_run(cpu, claim);
	return same;
}

/**
 * x86_claim - have counters for oneself
 * @cpu: this CPU
 * @claim: which, and what they are to count. Those that interrupt do not run yet
 *
 * Return: 0; 1: all of them have run on from the last claim, and run now; or -EBUSY: pinned
 * events, another claim, or events of the core's other thread that would spoil the counts are
 * in the way, or the system is being shut down.
 */
int x86_claim(struct x86_pmu_cpu *cpu, const struct x86_claim *claim)
{
	bool halted = cpu->halted;
	int ret;

	lockdep_assert_irqs_disabled();
	if (cpu->down || WARN_ON_ONCE(cpu->claimed || cpu->txn))
		return -EBUSY;
	if (halted)
		x86_go_on(cpu);
	ret = x86_claim_live(cpu, claim);
	if (halted)
		x86_halt(cpu);
	return ret;
}

/**
 * x86_claim_run - let all counters of a claim run
 * @cpu: this CPU
 * @claim: as it was given to x86_claim()
 */
void x86_claim_run(struct x86_pmu_cpu *cpu, const struct x86_claim *claim)
{
	const struct x86_bank *bank = cpu->core->bank;
	unsigned int i;

	WRITE_ONCE(cpu->applying, true);
	barrier();
	cpu->claim_ints = claim->ints;
	WRITE_ONCE(cpu->claim_running, claim->counters);
	cpu->running |= claim->counters;
	if (bank->control) {
		x86_write_control(cpu, cpu->control | claim->counters);
	} else {
		/* An NMI may have had those halted that ran already. */
		for (i = 0; i < claim->n; i++)
			x86_write_select(cpu, claim->counter[i], claim->config[i] | bank->run |
					 (bank->host_only & ~cpu->select_clear));
	}
	x86_claim_done(cpu);
}

/**
 * x86_claim_end - give counters back
 * @cpu: this CPU
 * @claim: as it was given to x86_claim()
 *
 * What counters hold that do not interrupt is still good until interrupts are on again. The
 * others stand still.
 */
void x86_claim_end(struct x86_pmu_cpu *cpu, const struct x86_claim *claim)
{
	const struct x86_bank *bank = cpu->core->bank;
	int i;

	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(cpu->claimed != claim->counters);
	WRITE_ONCE(cpu->applying, true);
	barrier();
	WRITE_ONCE(cpu->claim_running, 0);
	cpu->claim_ints = 0;
	cpu->claimed = 0;
	if (claim->ints) {
		cpu->running &= ~claim->ints;
		if (bank->control)
			x86_write_control(cpu, cpu->control & ~claim->ints);
		for_each_x86_counter(i, claim->ints) {
			if (!bank->control)
				x86_write_select(cpu, i, cpu->select[i] & ~bank->halt);
			x86_note_unseen(cpu, x86_read_counter(cpu->core, i));
		}
	}
	/* The other thread may want these counters, or the microcode: they stop. */
	if (cpu->threads || (claim->counters & cpu->core->taken)) {
		cpu->threads_changed = true;
		cpu->dirty = true;
	} else if (!claim->ints) {
		cpu->last_claim = claim->id;
	}
	barrier();
	cpu->applying = false;
	/* A count that waits for one of these counters must not have it before it has been read. */
	if (unlikely(READ_ONCE(cpu->dirty)) && !cpu->halted)
		x86_apply(cpu);
}

/**
 * x86_claim_give_way - end a claim whose counters pinned events get
 * @cpu: this CPU, with a claim. It has been decided what gets them, but the PMU is disabled, so
 *	that they still are as the claim has left them
 */
void x86_claim_give_way(struct x86_pmu_cpu *cpu)
{
	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(!cpu->halted);
	perfctr_cpu_give_way();
	/* One that is just being made ends, too. */
	cpu->claimed = 0;
}

/**
 * x86_claim_return - schedule flexible events again that claims have evicted
 * @cpu: this CPU, without a claim, and with @evicted
 *
 * Call it after the claim's counters are read. Interrupts are off, no ctx->lock is held.
 */
void x86_claim_return(struct x86_pmu_cpu *cpu)
{
	unsigned long now = jiffies;

	lockdep_assert_irqs_disabled();
	cpu->evicted = false;
	if (cpu->returned_since != now) {
		cpu->returned_since = now;
		cpu->returned = 0;
	}
	if (cpu->returned == X86_RETURNS)
		return;
	cpu->returned++;
	perf_pmu_resched_flexible(&cpu->core->pmu);
}

/**
 * x86_claim_overflow - the interrupt has found claimed counters that have overflowed
 * @cpu: this CPU, in the interrupt
 * @overflowed: mask of counters
 *
 * All counters of the claim stop, until it is made anew.
 *
 * Return: whether there were any.
 */
bool x86_claim_overflow(struct x86_pmu_cpu *cpu, u64 overflowed)
{
	if (!(overflowed & READ_ONCE(cpu->claim_running) & cpu->claim_ints))
		return false;
	WRITE_ONCE(cpu->claim_running, 0);
	WRITE_ONCE(cpu->dirty, true);
	return true;
}

/**
 * x86_claim_halt - let counters stand still that run on after a claim
 * @cpu: this CPU, without a claim
 */
void x86_claim_halt(struct x86_pmu_cpu *cpu)
{
	lockdep_assert_irqs_disabled();
	if (WARN_ON_ONCE(cpu->claimed) || cpu->halted)
		return;
	cpu->dirty = true;
	x86_apply(cpu);
}
