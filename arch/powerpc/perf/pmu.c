// SPDX-License-Identifier: GPL-2.0
/*
 * The callbacks of struct pmu. Events are added and removed while the PMU is disabled;
 * power_enable() reprograms the registers.
 *
 * The lists of struct power_cpu change only while the PMU is disabled, which freezes the counters.
 * A late overflow interrupt can still interrupt a change: the interrupt finds frozen counters and
 * consistent lists.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/syscore_ops.h>
#include <asm/cputable.h>
#include <asm/hw_irq.h>
#include <asm/pmc.h>
#include "bhrb.h"
#include "claim.h"
#include "ebb.h"
#include "engine.h"

static void power_disable(struct pmu *pmu)
{
	struct power_cpu *cpu;

	guard(irqsave)();
	cpu = this_cpu_ptr(&power_cpus);
	if (cpu->disabled)
		return;
	cpu->disabled = true;
	/*
	 * Only with pmcregs_in_use does a hypervisor save the registers, and PowerVM may refuse
	 * access to them before H_PERFMON: do both before FC is set.
	 */
	if (!cpu->shadow_valid)
		ppc_enable_pmcs();
	if (cpu->ebb)
		power_ebb_save(cpu);
	/* An EBB program can run the counters, although the shadow of MMCR0 has FC. */
	if (cpu->ebb || !cpu->shadow_valid || !(cpu->shadow.mmcr0 & MMCR0_FC))
		power_mmcr_freeze(cpu);
	if (power_has(PPMU_LIMITED_PMC5_6))
		power_limited_read(cpu);
}

/* Program @event on its power_count::assigned, unless @event has a counter. */
static void power_event_program(struct power_cpu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	int pmc = cpu->counts[hw->event_base].assigned;

	if (hw->idx)
		return;
	if (!(hw->state & PERF_HES_STOPPED))
		power_event_set_period(cpu, event, pmc);
	else if (hw->sample_period)
		power_pmc_write(pmc, 0);
	/* A late overflow interrupt reads an event as soon as idx is set: set prev_count before. */
	barrier();
	WRITE_ONCE(hw->idx, pmc);
	/* The user page has the index of the event's counter. */
	perf_event_update_userpage(event);
}

/* Mask of the counters that stay in use for the same power_count */
static u32 power_counters_kept(const struct power_cpu *cpu)
{
	unsigned long mask = cpu->used;
	u32 kept = 0;
	int i;

	for_each_set_bit(i, &mask, POWER_COUNTS_MAX) {
		if (cpu->counts[i].pmc && cpu->counts[i].pmc == cpu->counts[i].assigned)
			kept |= BIT(cpu->counts[i].pmc);
	}
	return kept;
}

/*
 * Clear the counters with a value of a former event: a program must not see counts of another task.
 * Samples can have the values of all counters. Before ISA 3.1, all programs can read the counters;
 * from ISA 3.1 on, programs with event-based branches can. The caller has frozen the counters.
 */
static void power_counters_clear(struct power_cpu *cpu)
{
	unsigned long mask = cpu->needs_clear & ~power_counters_kept(cpu);
	int pmc;

	cpu->needs_clear = 0;
	/* The usual case, after a time without events */
	if (mask == GENMASK(power_driver->n_counter, 1)) {
		power_pmc_clear_all();
		return;
	}
	for_each_set_bit(pmc, &mask, BITS_PER_TYPE(cpu->needs_clear))
		power_pmc_write(pmc, 0);
}

/**
 * power_reprogram - program all events, and reserved counters, as assigned
 * @cpu: this CPU
 *
 * Calls power_counts_assign().
 *
 * Context: interrupts off, counters frozen.
 */
void power_reprogram(struct power_cpu *cpu)
{
	unsigned long mask = cpu->used;
	struct perf_event *event;
	int i;

	if (WARN_ON_ONCE(!power_counts_assign(cpu))) {
		cpu->mmcr.mmcr0 = MMCR0_FC;
		return;
	}
	/* Read all events that move before a counter is written. */
	for (i = 0; i < cpu->n; i++) {
		event = cpu->events[i];
		if (event->hw.idx && event->hw.idx != cpu->counts[event->hw.event_base].assigned) {
			power_event_update_last(event);
			power_pmc_set_needs_clear(cpu, event->hw.idx);
			event->hw.idx = 0;
		}
	}
	power_counters_clear(cpu);
	power_mmcr_write(cpu);
	for (i = 0; i < cpu->n; i++)
		power_event_program(cpu, cpu->events[i]);
	for_each_set_bit(i, &mask, POWER_COUNTS_MAX)
		cpu->counts[i].pmc = cpu->counts[i].assigned;
	cpu->needs_reprogram = false;
}

/**
 * power_run - run the counters
 * @cpu: this CPU, programmed by power_reprogram()
 *
 * Context: interrupts off.
 */
void power_run(struct power_cpu *cpu)
{
	if (cpu->ebb)
		power_ebb_run(cpu);
	else
		power_mmcr_run(cpu, cpu->mmcr.mmcr0);
}

/* Maximum time for which the registers are kept after the last counter was used */
#define POWER_UNUSED_NS		(100 * NSEC_PER_MSEC)

static DEFINE_PER_CPU(struct hrtimer, power_unused_timers);

/*
 * While the registers are not in use, a hypervisor need not save the registers. At the next use, a
 * counter may have an older value, or a value of another guest: clear all counters then.
 */
static void power_set_unused(struct power_cpu *cpu)
{
	power_mmcr_set_unknown(cpu);
	cpu->needs_clear = GENMASK(power_driver->n_counter, 1);
	ppc_set_pmu_inuse(0);
}

static enum hrtimer_restart power_unused_timeout(struct hrtimer *timer)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);

	if (!cpu->used && !cpu->disabled)
		power_set_unused(cpu);
	return HRTIMER_NORESTART;
}

/**
 * power_unused_init_timer - initialize a CPU's timer, which clears pmcregs_in_use of an idle PMU
 * @nr: the CPU, not online, or without events
 *
 * Context: process.
 */
void power_unused_init_timer(unsigned int nr)
{
	struct hrtimer *timer = per_cpu_ptr(&power_unused_timers, nr);

	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = power_unused_timeout;
}

/**
 * power_unused_stop_timer - cancel the timer of a CPU
 * @nr: the CPU, no longer online; the timer may have been moved to another CPU
 *
 * Context: process.
 */
void power_unused_stop_timer(unsigned int nr)
{
	hrtimer_cancel(per_cpu_ptr(&power_unused_timers, nr));
}

/*
 * Enable the PMU of a CPU on which no counter is used. The next switch may be to a task with the
 * same events, so the registers are kept for a while. Before ISA 3.1 user space can read the
 * counters: clear the counters that were used.
 */
static void power_enable_unused(struct power_cpu *cpu)
{
	struct hrtimer *timer = this_cpu_ptr(&power_unused_timers);

	cpu->disabled = false;
	if (!cpu->shadow_valid) {
		ppc_set_pmu_inuse(0);
		return;
	}
	power_counters_clear(cpu);
	power_mmcr_set_unused(cpu);
	/* A CPU that is taken offline does not use the registers, and should have no timer. */
	if (!cpu_active(smp_processor_id()))
		power_set_unused(cpu);
	else if (!hrtimer_is_queued(timer))
		hrtimer_start(timer, ns_to_ktime(POWER_UNUSED_NS), HRTIMER_MODE_REL_PINNED_HARD);
}

static void power_enable(struct pmu *pmu)
{
	struct power_cpu *cpu;
	bool pending;

	guard(irqsave)();
	cpu = this_cpu_ptr(&power_cpus);
	if (!cpu->disabled)
		return;
	if (!cpu->used) {
		power_enable_unused(cpu);
		return;
	}
	if (cpu->needs_reprogram)
		power_reprogram(cpu);
	else if (!cpu->shadow_valid)
		power_mmcr_write(cpu);
	if (power_has(PPMU_LIMITED_PMC5_6)) {
		power_limited_start_timer(cpu);
		power_limited_start(cpu);
	}
	cpu->disabled = false;
	/* For a pending overflow of an EBB program, power_ebb_save() has saved PMAO. */
	pending = !cpu->ebb && power_any_overflowed(cpu);
	/* Without soft masking, software cannot make the interrupt pending. */
	if (pending && !IS_ENABLED(CONFIG_PPC64))
		power_overflow_defer(cpu);
	power_run(cpu);
	if (pending && IS_ENABLED(CONFIG_PPC64)) {
		/*
		 * The writes of MMCR0 have cleared PMAO. By the ISA, a counter in overflow sets
		 * PMAO again at once, but not on POWER8. A write of PMAO would cause no interrupt
		 * on processors with CPU_FTR_PMAO_BUG. So make the interrupt pending in software.
		 */
		hard_irq_disable();
		set_pmi_irq_pending();
	}
}

/* Add @event to cpu->counts. Returns the index, or -EAGAIN if the event does not fit. */
static int power_add_count(struct power_cpu *cpu, const struct perf_event *event)
{
	const struct power_encoded *encoded = event->pmu_private;
	bool share = READ_ONCE(power_share) && !event->hw.sample_period && !power_is_ebb(event);
	int slot = power_count_get(cpu, &encoded->sel, &encoded->alts, share);

	/* A group is checked as a whole by power_commit_txn(). */
	if (slot < 0 || (cpu->txn & PERF_PMU_TXN_ADD) || power_counts_fit(cpu))
		return slot;
	power_count_put(cpu, slot);
	return -EAGAIN;
}

/* Context: interrupts off, PMU disabled. */
static int power_add_frozen(struct power_cpu *cpu, struct perf_event *event, bool start)
{
	struct hw_perf_event *hw = &event->hw;
	bool ebb = power_is_ebb(event);
	int slot;

	if (cpu->n == POWER_EVENTS_MAX)
		return -EAGAIN;
	power_claim_free_last(cpu);
	/* power_claim_get() needs the counters of flexible events: add only pinned events. */
	if (cpu->claim_pending && !event->group_leader->attr.pinned)
		return -EAGAIN;
	/* Events for event-based branches do not share the PMU with others. */
	if (ebb && cpu->used == cpu->claim_counts)
		power_claim_revoke(cpu, event);
	if (cpu->used && cpu->ebb != ebb)
		return -EAGAIN;
	if (has_branch_stack(event) && !power_bhrb_fits(event))
		return -EAGAIN;
	slot = power_add_count(cpu, event);
	if (slot < 0 && power_claim_revoke(cpu, event))
		slot = power_add_count(cpu, event);
	if (slot < 0)
		return slot;
	if (!cpu->n)
		ppc_enable_pmcs();
	cpu->events[cpu->n++] = event;
	hw->event_base = slot;
	hw->idx = 0;
	hw->state = start ? 0 : PERF_HES_STOPPED | PERF_HES_UPTODATE;
	cpu->needs_reprogram = true;
	if (ebb)
		power_ebb_add(cpu, event);
	if (has_branch_stack(event))
		power_bhrb_add(event);
	return 0;
}

static int power_add(struct perf_event *event, int how)
{
	struct pmu *pmu = event->pmu;
	int err;

	guard(irqsave)();
	perf_pmu_disable(pmu);
	err = power_add_frozen(this_cpu_ptr(&power_cpus), event, how & PERF_EF_START);
	perf_pmu_enable(pmu);
	return err;
}

/* Context: interrupts off, PMU disabled. */
static void power_del_frozen(struct power_cpu *cpu, struct perf_event *event)
{
	int i, after;

	for (i = 0; i < cpu->n && cpu->events[i] != event; i++)
		;
	if (WARN_ON_ONCE(i == cpu->n))
		return;
	after = --cpu->n - i;
	memmove(&cpu->events[i], &cpu->events[i + 1], after * sizeof(cpu->events[0]));
	power_claim_free_last(cpu);
	power_count_put(cpu, event->hw.event_base);
	cpu->needs_reprogram = true;
	if (!cpu->n) {
		/* An EBB program can write all counters. */
		if (cpu->ebb)
			cpu->needs_clear = GENMASK(power_driver->n_counter, 1);
		cpu->ebb = false;
		cpu->ebb_branches = false;
	}
	if (has_branch_stack(event))
		power_bhrb_del(event);
}

static void power_del(struct perf_event *event, int how)
{
	struct pmu *pmu = event->pmu;

	guard(irqsave)();
	perf_pmu_disable(pmu);
	power_event_update_last(event);
	power_del_frozen(this_cpu_ptr(&power_cpus), event);
	event->hw.idx = 0;
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
	perf_event_update_userpage(event);
	perf_pmu_enable(pmu);
}

static void power_start(struct perf_event *event, int how)
{
	struct pmu *pmu = event->pmu;

	if (!(event->hw.state & PERF_HES_STOPPED))
		return;
	guard(irqsave)();
	perf_pmu_disable(pmu);
	event->hw.state = 0;
	if (event->hw.idx)
		power_event_set_period(this_cpu_ptr(&power_cpus), event, event->hw.idx);
	perf_pmu_enable(pmu);
}

/**
 * power_event_stop - stop an event
 * @event: an added event, with or without a counter
 *
 * The counter runs on, without effect on the event.
 *
 * Context: interrupts off and PMU disabled, or overflow interrupt.
 */
void power_event_stop(struct perf_event *event)
{
	power_event_update_last(event);
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
	/* The counter runs on: set it to 0, so that it does not overflow soon. */
	if (event->hw.idx && event->hw.sample_period)
		power_pmc_write(event->hw.idx, 0);
	perf_event_update_userpage(event);
}

static void power_stop(struct perf_event *event, int how)
{
	struct pmu *pmu = event->pmu;

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	guard(irqsave)();
	perf_pmu_disable(pmu);
	power_event_stop(event);
	perf_pmu_enable(pmu);
}

/*
 * Mask the overflow interrupt: the interrupt can set prev_count to the value that
 * power_event_update() has read before. The cmpxchg would then succeed with an outdated value of
 * the counter.
 */
static void power_read(struct perf_event *event)
{
	unsigned long flags;

	power_interrupt_off(flags);
	power_event_update(event);
	power_interrupt_on(flags);
}

/* Index of the counter for reading in user space; 0: none. */
static int power_event_index(struct perf_event *event)
{
	return READ_ONCE(event->hw.idx);
}

static void power_start_txn(struct pmu *pmu, unsigned int txn_flags)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);

	WARN_ON_ONCE(cpu->txn);
	cpu->txn = txn_flags;
	if (txn_flags & PERF_PMU_TXN_ADD)
		perf_pmu_disable(pmu);
}

static void power_cancel_txn(struct pmu *pmu)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);
	unsigned int txn = cpu->txn;

	cpu->txn = 0;
	if (txn & PERF_PMU_TXN_ADD)
		perf_pmu_enable(pmu);
}

static int power_commit_txn(struct pmu *pmu)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);

	if ((cpu->txn & PERF_PMU_TXN_ADD) && !power_counts_fit(cpu) &&
	    !(power_claim_revoke(cpu, cpu->events[cpu->n - 1]) && power_counts_fit(cpu)))
		return -EAGAIN;
	power_cancel_txn(pmu);
	return 0;
}

struct pmu power_pmu_ops = {
	.pmu_enable	= power_enable,
	.pmu_disable	= power_disable,
	.event_init	= power_event_init,
	.add		= power_add,
	.del		= power_del,
	.start		= power_start,
	.stop		= power_stop,
	.read		= power_read,
	.start_txn	= power_start_txn,
	.cancel_txn	= power_cancel_txn,
	.commit_txn	= power_commit_txn,
	.sched_task	= power_bhrb_sched_task,
	.event_idx	= power_event_index,
};

/*
 * Save the counters before the CPU may lose all PMU registers. Interrupts are hard disabled until
 * power_registers_restore(): so no overflow interrupt changes the counters, or power_cpu::pmcs.
 */
static void power_registers_save(struct power_cpu *cpu)
{
	if (!cpu->shadow_valid)
		return;
	if (!cpu->used) {
		power_set_unused(cpu);
		return;
	}
	perf_pmu_disable(&power_pmu_ops);
	power_pmc_read_all(cpu);
}

/* Restore the counters and control registers. Interrupts are hard disabled, counters frozen. */
static void power_registers_restore(struct power_cpu *cpu)
{
	int pmc;

	if (!cpu->shadow_valid)
		return;
	/* Counters that have run since power_registers_save() would be set back. */
	WARN_ON_ONCE(!cpu->disabled);
	for (pmc = 1; pmc <= power_driver->n_counter; pmc++)
		power_pmc_write(pmc, cpu->pmcs[pmc - 1]);
	power_mmcr_set_unknown(cpu);
	perf_pmu_enable(&power_pmu_ops);
}

/* System suspend and hibernation: the other CPUs are offline, and interrupts soft disabled. */

static int power_syscore_suspend(void *data)
{
	hard_irq_disable();
	power_registers_save(this_cpu_ptr(&power_cpus));
	return 0;
}

static void power_syscore_resume(void *data)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);

	hard_irq_disable();
	/* MMCR0 can have any value. */
	power_mmcr_freeze(cpu);
	power_registers_restore(cpu);
}

static const struct syscore_ops power_syscore_ops = {
	.suspend	= power_syscore_suspend,
	.resume		= power_syscore_resume,
};

struct syscore power_syscore = {
	.ops	= &power_syscore_ops,
};

#ifdef CONFIG_PPC_POWERNV
/*
 * Before an idle state, lockdep assumes that interrupts are on, so check MSR. this_cpu_ptr() checks
 * that preemption is off.
 */
static void power_idle_assert(void)
{
	if (IS_ENABLED(CONFIG_PPC_IRQ_SOFT_MASK_DEBUG))
		WARN_ON_ONCE(mfmsr() & MSR_EE);
}

/**
 * power_pmu_idle_enter - save the counters before a deep idle state, which loses them
 *
 * Context: idle loop, interrupts hard disabled until power_pmu_idle_exit().
 */
void power_pmu_idle_enter(void)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);

	power_idle_assert();
	power_registers_save(cpu);
}

/**
 * power_pmu_idle_exit - restore the counters and control registers after a deep idle state
 *
 * The idle code restores some of the control registers, and of MMCR1 only 32 bits.
 *
 * Context: see power_pmu_idle_enter().
 */
void power_pmu_idle_exit(void)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpus);

	power_idle_assert();
	power_registers_restore(cpu);
}
#endif
