// SPDX-License-Identifier: GPL-2.0
/*
 * The callbacks of struct pmu: events come and go, and the registers follow as the PMU is
 * enabled again.
 *
 * The lists of struct power_cpu change while the PMU is disabled, so that no overflow comes
 * in between; a late one finds all counters frozen, and a list that is whole.
 */
#include <linux/bitops.h>
#include <linux/percpu.h>
#include <linux/string.h>
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
	int i;

	guard(irqsave)();
	cpu = this_cpu_ptr(&power_cpus);
	if (cpu->disabled)
		return;
	cpu->disabled = true;
	if (cpu->ebb)
		power_user_save(cpu);
	/* The program may have changed MMCR0 since it was written. */
	if (cpu->ebb || !cpu->held_known || !(cpu->held.mmcr0 & MMCR0_FC))
		power_control_freeze(cpu);
	if (!power_has(PPMU_LIMITED_PMC5_6))
		return;
	for (i = 0; i < cpu->n; i++) {
		if (power_limited(cpu->events[i]->hw.idx))
			power_event_read(cpu->events[i]);
	}
}

/* Give an event the counter of its count, unless it has it. */
static void power_event_place(struct power_cpu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	int pmc = cpu->counts[hw->event_base].place;

	if (hw->idx)
		return;
	if (!(hw->state & PERF_HES_STOPPED))
		power_event_arm(cpu, event, pmc);
	else if (hw->sample_period)
		power_pmc_write(pmc, 0);
	/* An interrupt that comes late reads an event that has a counter against prev_count. */
	barrier();
	WRITE_ONCE(hw->idx, pmc);
	/* The page has the number of the counter. */
	perf_event_update_userpage(event);
}

/**
 * power_place - bring counters and events together
 * @cpu: this CPU
 *
 * Interrupts are off, and the counters are frozen.
 */
void power_place(struct power_cpu *cpu)
{
	unsigned long mask = cpu->used;
	struct perf_event *event;
	int i;

	if (WARN_ON_ONCE(!power_counts_settle(cpu))) {
		cpu->mmcr.mmcr0 = MMCR0_FC;
		return;
	}
	/* All that move are read before the first counter is written. */
	for (i = 0; i < cpu->n; i++) {
		event = cpu->events[i];
		if (event->hw.idx && event->hw.idx != cpu->counts[event->hw.event_base].place) {
			power_event_leave(event);
			event->hw.idx = 0;
		}
	}
	power_control_write(cpu);
	for (i = 0; i < cpu->n; i++)
		power_event_place(cpu, cpu->events[i]);
	for_each_set_bit(i, &mask, POWER_COUNTS_MAX)
		cpu->counts[i].pmc = cpu->counts[i].place;
	cpu->changed = false;
}

/**
 * power_run - let the counters count
 * @cpu: this CPU, with every count on its counter
 *
 * Interrupts are off.
 */
void power_run(struct power_cpu *cpu)
{
	if (cpu->ebb)
		power_user_run(cpu);
	else
		power_control_run(cpu, cpu->mmcr.mmcr0);
}

/* Has a counter overflowed whose interrupt has not come? The counters are frozen. */
static bool power_overflow_waits(struct power_cpu *cpu)
{
	unsigned long mask = cpu->used;
	int i, pmc;

	/* Those of a program branch as it has said in MMCR0. */
	if (cpu->ebb)
		return false;
	for_each_set_bit(i, &mask, POWER_COUNTS_MAX) {
		pmc = cpu->counts[i].pmc;
		if (pmc && !power_limited(pmc) && (power_pmc_read(pmc) & PMC_OVERFLOW))
			return true;
	}
	return false;
}

static void power_enable(struct pmu *pmu)
{
	struct power_cpu *cpu;
	bool waits;
	int i;

	guard(irqsave)();
	cpu = this_cpu_ptr(&power_cpus);
	if (!cpu->disabled)
		return;
	if (!cpu->used) {
		/* A hypervisor no longer keeps the registers for this CPU. */
		ppc_set_pmu_inuse(0);
		power_control_forget(cpu);
		cpu->disabled = false;
		return;
	}
	if (cpu->changed) {
		ppc_set_pmu_inuse(1);
		power_place(cpu);
	}
	if (power_has(PPMU_LIMITED_PMC5_6)) {
		for (i = 0; i < cpu->n; i++) {
			if (power_limited(cpu->events[i]->hw.idx))
				power_event_arm(cpu, cpu->events[i], cpu->events[i]->hw.idx);
		}
	}
	cpu->disabled = false;
	waits = power_overflow_waits(cpu);
	power_run(cpu);
	if (waits) {
		/* MMCR0 was written since, and a counter in overflow does not overflow again. */
		hard_irq_disable();
		set_pmi_irq_pending();
	}
}

/* Interrupts are off, and the PMU is disabled. */
static int power_add_frozen(struct power_cpu *cpu, struct perf_event *event, bool start)
{
	const struct power_encoded *encoded = event->pmu_private;
	struct hw_perf_event *hw = &event->hw;
	bool ebb = power_is_ebb(event);
	int slot;

	if (cpu->n == POWER_EVENTS_MAX)
		return -EAGAIN;
	power_claim_forget(cpu);
	/* Counters are to be claimed for which only pinned events are in the way. */
	if (cpu->claim_comes && !event->group_leader->attr.pinned)
		return -EAGAIN;
	/* Counters are a program's, or the kernel's. */
	if (cpu->used && cpu->ebb != ebb)
		return -EAGAIN;
	if (has_branch_stack(event) && !power_bhrb_fits(event))
		return -EAGAIN;
	slot = power_count_get(cpu, &encoded->key, &encoded->wish, !hw->sample_period && !ebb);
	if (slot < 0)
		return slot;
	/* A group is looked at as a whole when it is complete. */
	if (!(cpu->txn & PERF_PMU_TXN_ADD) && !power_counts_fit(cpu)) {
		power_count_put(cpu, slot);
		return -EAGAIN;
	}
	if (!cpu->n)
		ppc_enable_pmcs();
	cpu->events[cpu->n++] = event;
	hw->event_base = slot;
	hw->idx = 0;
	hw->state = start ? 0 : PERF_HES_STOPPED | PERF_HES_UPTODATE;
	cpu->changed = true;
	if (ebb)
		power_ebb_add(cpu);
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

/* Interrupts are off, and the PMU is disabled. */
static void power_forget_event(struct power_cpu *cpu, struct perf_event *event)
{
	int i, after;

	for (i = 0; i < cpu->n && cpu->events[i] != event; i++)
		;
	if (WARN_ON_ONCE(i == cpu->n))
		return;
	after = --cpu->n - i;
	memmove(&cpu->events[i], &cpu->events[i + 1], after * sizeof(cpu->events[0]));
	power_claim_forget(cpu);
	power_count_put(cpu, event->hw.event_base);
	cpu->changed = true;
	if (!cpu->n)
		cpu->ebb = false;
	if (has_branch_stack(event))
		power_bhrb_del(event);
}

static void power_del(struct perf_event *event, int how)
{
	struct pmu *pmu = event->pmu;

	guard(irqsave)();
	perf_pmu_disable(pmu);
	power_event_leave(event);
	power_forget_event(this_cpu_ptr(&power_cpus), event);
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
		power_event_arm(this_cpu_ptr(&power_cpus), event, event->hw.idx);
	perf_pmu_enable(pmu);
}

/**
 * power_event_halt - let an event's counter stand still, as far as its event can see
 * @event: it has a counter, or will have one
 *
 * Interrupts are off and the PMU is disabled, or it is the overflow interrupt.
 */
void power_event_halt(struct perf_event *event)
{
	power_event_leave(event);
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
	/* It counts on, and must not come to its overflow soon. */
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
	power_event_halt(event);
	perf_pmu_enable(pmu);
}

#ifdef CONFIG_PPC64
#define power_interrupt_off(flags)	powerpc_local_irq_pmu_save(flags)
#define power_interrupt_on(flags)	powerpc_local_irq_pmu_restore(flags)
#else
#define power_interrupt_off(flags)	local_irq_save(flags)
#define power_interrupt_on(flags)	local_irq_restore(flags)
#endif

/*
 * An overflow interrupt may set the counter back to where the period began, and prev_count
 * with it, so that the exchange of an old value would not fail: it waits.
 */
static void power_read(struct perf_event *event)
{
	unsigned long flags;

	power_interrupt_off(flags);
	power_event_read(event);
	power_interrupt_on(flags);
}

/* User space reads, where it may, the counter of this number; 0: there is none. */
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

	if ((cpu->txn & PERF_PMU_TXN_ADD) && !power_counts_fit(cpu))
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
