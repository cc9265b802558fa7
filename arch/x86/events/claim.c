// SPDX-License-Identifier: GPL-2.0
/*
 * Claims: a claim (struct x86_claim) is the set of counters that perfctr has reserved on a CPU for
 * the running thread.
 *
 * Events cannot use these counters, and move to other counters if possible; otherwise flexible
 * events are not scheduled until the claim ends. Pinned events are never displaced: a claim is
 * refused if pinned events need its counters, and ends if such events are added.
 *
 * When a claim ends, its counters stay programmed, and those that do not interrupt run on until an
 * event needs them, or until x86_reprogram(). So an equal claim continues without a register write.
 *
 * Context of all functions: interrupts off, on the CPU of the claim. A CPU has at most one claim. A
 * claim may begin and end while perf has disabled the PMU, as in a context switch: claimed counters
 * run nevertheless. Pending changes for events are applied before a claim begins, and stay pending
 * when a claim ends.
 */
#include "engine.h"

/*
 * Move events to counters other than @counters. Pinned events stay scheduled throughout, since
 * otherwise the core's other thread could take their counters. So if not all events fit, pinned
 * events get counters first, and flexible events are scheduled again on the remaining counters.
 */
static int x86_claim_make_room(struct x86_pmu_cpu *cpu, u64 counters)
{
	int err;

	if (!(cpu->assigned_mask & counters))
		return 0;
	x86_defer_reprogram(cpu);
	err = x86_counts_assign_unclaimed(cpu, counters, false);
	if (!err) {
		cpu->claimed = counters;
	} else if (!x86_counts_assign_unclaimed(cpu, counters, true)) {
		cpu->claimed = counters;
		cpu->claim_displaced = true;
		/*
		 * The perf core does not know of claims: make it schedule out the events that lose
		 * their counters.
		 */
		perf_pmu_resched_flexible(&cpu->core->pmu);
		/* A waiting pinned group may have been scheduled, which ends the claim. */
		err = cpu->claimed != counters || WARN_ON_ONCE(cpu->assigned_mask & counters);
		if (err)
			cpu->claimed = 0;
	}
	x86_resume_reprogram(cpu);
	return err ? -EBUSY : 0;
}

/* Event select to write for general counter @claim->counter[i]. */
static u64 x86_claim_select(const struct x86_pmu_cpu *cpu, const struct x86_claim *claim,
			    unsigned int i)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;
	u64 config = claim->config[i];

	/* The counter may run on after the claim, and must then not count a guest. */
	config |= msrs->host_only & ~cpu->select_clear;
	/* Without global control, an interrupting counter is stopped until x86_claim_start(). */
	if (msrs->control || !(claim->ints & BIT_ULL(claim->counter[i])))
		return config | msrs->run;
	return config & ~msrs->halt;
}

/* Program the selects. Returns true if they were unchanged, and all counters enabled already. */
static bool x86_claim_write_selects(struct x86_pmu_cpu *cpu, const struct x86_claim *claim)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;
	u64 fixed = cpu->fixed_control, select;
	bool same = true;
	unsigned int i;

	for (i = 0; i < claim->n; i++) {
		int counter = claim->counter[i];

		cpu->value_gen[counter] = 0;
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
	if (msrs->fixed_control) {
		same &= fixed == cpu->fixed_control;
		x86_write_fixed_control(cpu, fixed);
	}
	cpu->cleared &= ~claim->counters;
	return same && (!msrs->control || !(claim->counters & ~cpu->control));
}

/* Does @claim change the event select of a general counter? */
static bool x86_claim_changes_selects(const struct x86_pmu_cpu *cpu, const struct x86_claim *claim)
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

/* x86_claim_write_selects(), with the erratum workaround for new events on general counters. */
static bool x86_claim_program(struct x86_pmu_cpu *cpu, const struct x86_claim *claim)
{
	u64 control = cpu->control;
	bool same;

	if (likely(!cpu->core->model->erratum_selects) || !x86_claim_changes_selects(cpu, claim))
		return x86_claim_write_selects(cpu, claim);
	x86_write_erratum_selects(cpu);
	same = x86_claim_write_selects(cpu, claim);
	x86_write_global_ctrl(cpu, control);
	/*
	 * The workaround has disabled PEBS meanwhile. This disarms a precise counter that has
	 * overflowed, but has no record yet: its period must be programmed again.
	 */
	if (x86_precise_enabled(cpu))
		WRITE_ONCE(cpu->needs_reprogram, true);
	return same;
}

/* End register writes, and apply the changes that an NMI has deferred meanwhile. */
static void x86_claim_apply_deferred(struct x86_pmu_cpu *cpu)
{
	barrier();
	cpu->reprogramming = false;
	if (unlikely(READ_ONCE(cpu->needs_reprogram)))
		x86_reprogram(cpu);
}

/*
 * Clear @counters, so that user space cannot read counts of events or of another claim. The caller
 * omits interrupting counters, because perfctr writes their start values.
 */
static void x86_claim_clear_counters(struct x86_pmu_cpu *cpu, u64 counters)
{
	int i;

	for_each_x86_counter(i, counters)
		x86_write_counter(cpu, i, -cpu->core->max_period);
}

static int x86_claim_reserve(struct x86_pmu_cpu *cpu, const struct x86_claim *claim)
{
	bool owned = false, same;
	u64 cleared;
	int i;

	if (cpu->excl && !x86_excl_get(cpu, claim->counters))
		return -EBUSY;
	for_each_x86_counter(i, claim->counters)
		owned |= !!cpu->owner[i];
	if (owned && x86_claim_make_room(cpu, claim->counters)) {
		/* The other thread may use the counters again: x86_reprogram() releases them. */
		if (cpu->excl) {
			WRITE_ONCE(cpu->needs_reprogram, true);
			x86_reprogram(cpu);
		}
		return -EBUSY;
	}
	WRITE_ONCE(cpu->reprogramming, true);
	barrier();
	cpu->released_claim = 0;
	cpu->claimed = claim->counters;
	cleared = cpu->cleared & claim->counters;
	for_each_x86_counter(i, claim->counters) {
		/* No event is assigned to this counter: its owner is only kept for reuse. */
		if (cpu->owner[i])
			x86_count_free(cpu, cpu->owner[i]);
	}
	if (claim->ints && cpu->core->msrs->control)
		x86_write_global_ctrl(cpu, cpu->control & ~claim->ints);
	if (claim->counters & cpu->core->tfa_counters)
		x86_force_abort(cpu, claim->counters);
	x86_unignore_overflows(cpu, claim->ints);
	x86_ignore_overflows(cpu, claim->counters & ~claim->ints);
	same = x86_claim_program(cpu, claim) && !owned;
	if (!same && x86_user_reads())
		x86_claim_clear_counters(cpu, claim->counters & ~claim->ints & ~cleared);
	same &= !cleared && !claim->ints;
	x86_claim_apply_deferred(cpu);
	if (same)
		x86_claim_start(cpu, claim);
	return same;
}

/**
 * x86_claim_get - reserve and program counters for perfctr
 * @cpu: this CPU
 * @claim: the claim; counters that interrupt do not run before x86_claim_start()
 *
 * Return: 0 on success; 1 if all counters have run on since an equal claim, and run now; -EBUSY if
 * a counter is in use by pinned events, by another claim, or by memory events of the core's other
 * thread (see excl_cntrs.c), or if the system is being shut down.
 */
int x86_claim_get(struct x86_pmu_cpu *cpu, const struct x86_claim *claim)
{
	bool disabled = cpu->disabled;
	int ret;

	lockdep_assert_irqs_disabled();
	if (cpu->shutdown || WARN_ON_ONCE(cpu->claimed || cpu->txn))
		return -EBUSY;
	if (disabled)
		x86_resume_reprogram(cpu);
	ret = x86_claim_reserve(cpu, claim);
	if (disabled)
		x86_defer_reprogram(cpu);
	return ret;
}

/**
 * x86_claim_start - start all counters that perfctr has reserved on this CPU
 * @cpu: this CPU
 * @claim: the claim
 */
void x86_claim_start(struct x86_pmu_cpu *cpu, const struct x86_claim *claim)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;
	unsigned int i;

	WRITE_ONCE(cpu->reprogramming, true);
	barrier();
	cpu->claim_ints = claim->ints;
	WRITE_ONCE(cpu->claim_running, claim->counters);
	cpu->running |= claim->counters;
	if (msrs->control) {
		x86_write_global_ctrl(cpu, cpu->control | claim->counters);
	} else {
		/* Write all selects: an NMI may have stopped counters that ran already. */
		for (i = 0; i < claim->n; i++)
			x86_write_select(cpu, claim->counter[i], claim->config[i] | msrs->run |
					 (msrs->host_only & ~cpu->select_clear));
	}
	x86_claim_apply_deferred(cpu);
}

/**
 * x86_claim_put - end a claim
 * @cpu: this CPU
 * @claim: the claim
 *
 * Counters that interrupt are stopped. perfctr can read the counters until interrupts are on again.
 */
void x86_claim_put(struct x86_pmu_cpu *cpu, const struct x86_claim *claim)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;
	bool stops = cpu->excl || (claim->counters & cpu->core->tfa_counters);
	int i;

	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(cpu->claimed != claim->counters);
	WRITE_ONCE(cpu->reprogramming, true);
	barrier();
	WRITE_ONCE(cpu->claim_running, 0);
	cpu->claim_ints = 0;
	cpu->claimed = 0;
	if (claim->ints) {
		cpu->running &= ~claim->ints;
		if (msrs->control)
			x86_write_global_ctrl(cpu, cpu->control & ~claim->ints);
		for_each_x86_counter(i, claim->ints) {
			if (!msrs->control)
				x86_write_select(cpu, i, cpu->select[i] & ~msrs->halt);
			x86_check_late_nmi(cpu, x86_read_counter(cpu->core, i));
		}
	}
	/* Stop the counters: the other thread or the microcode may need them. */
	if (stops) {
		cpu->excl_changed = true;
		cpu->needs_reprogram = true;
	} else if (!claim->ints) {
		cpu->released_claim = claim->id;
	}
	barrier();
	cpu->reprogramming = false;
	/*
	 * While perf has disabled the PMU, changes are applied later: perfctr must read the
	 * counters before events use them.
	 */
	if ((stops || unlikely(READ_ONCE(cpu->needs_reprogram))) && !cpu->disabled)
		x86_reprogram(cpu);
}

/**
 * x86_claim_revoke - end a claim whose counters were assigned to pinned events
 * @cpu: this CPU, with a claim. The PMU is disabled, so that the counters are not reprogrammed yet
 */
void x86_claim_revoke(struct x86_pmu_cpu *cpu)
{
	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(!cpu->disabled);
	perfctr_cpu_revoke();
	/* Before x86_claim_get() returns, perfctr has no claim to end: end the claim here, too. */
	cpu->claimed = 0;
}

/**
 * x86_claim_resched - reschedule flexible events displaced by claims
 * @cpu: this CPU, without a claim; x86_pmu_cpu::claim_displaced is set
 *
 * Without this call the events would wait until the next rotation, or until the CPU switches to a
 * task with events.
 *
 * The number of calls per tick is not limited. With a limit on claims, perfctr would lose counts:
 * a sum has no time running by which it could be scaled. With a limit on calls, displaced events of
 * the CPU would not count other tasks. Pinned events of a task displace flexible events in each
 * switch, too, and for longer. Such events need at least half as many register accesses as a claim:
 * 22 instead of 36 with four counters and a global control, see takes_counters() in
 * x86_registers_test.c.
 *
 * Called after perfctr has read its counters. The caller holds no ctx->lock.
 */
void x86_claim_resched(struct x86_pmu_cpu *cpu)
{
	lockdep_assert_irqs_disabled();
	cpu->claim_displaced = false;
	perf_pmu_resched_flexible(&cpu->core->pmu);
}

/**
 * x86_claim_handle_overflow - stop the counters of a claim if one of them has overflowed
 * @cpu: this CPU, in the overflow interrupt
 * @overflowed: mask of the counters of events and of the claim that have overflowed
 *
 * After an overflow, the counters stay stopped until x86_claim_start().
 *
 * Return: true if an interrupting counter of the claim has overflowed.
 */
bool x86_claim_handle_overflow(struct x86_pmu_cpu *cpu, u64 overflowed)
{
	if (!(overflowed & READ_ONCE(cpu->claim_running) & cpu->claim_ints))
		return false;
	WRITE_ONCE(cpu->claim_running, 0);
	WRITE_ONCE(cpu->needs_reprogram, true);
	return true;
}

/**
 * x86_claim_stop - stop counters that still run after a claim
 * @cpu: this CPU, without a claim
 */
void x86_claim_stop(struct x86_pmu_cpu *cpu)
{
	lockdep_assert_irqs_disabled();
	if (WARN_ON_ONCE(cpu->claimed) || cpu->disabled)
		return;
	cpu->needs_reprogram = true;
	x86_reprogram(cpu);
}
