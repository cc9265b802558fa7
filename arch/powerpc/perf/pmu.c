// SPDX-License-Identifier: GPL-2.0
/*
 * The callbacks of struct pmu: events come and go, and the registers follow as the PMU is
 * enabled again.
 *
 * The lists of struct power_cpu change while the PMU is disabled, so that no overflow comes
 * in between; a late one finds all counters frozen, and a list that is whole.
 */
#include <linux/percpu.h>
#include <linux/string.h>
#include <asm/cputable.h>
#include <asm/firmware.h>
#include <asm/hw_irq.h>
#include <asm/pmc.h>
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
	if (!cpu->known || !(cpu->held.mmcr0 & MMCR0_FC))
		power_control_freeze(cpu);
	for (i = 0; i < cpu->n; i++) {
		if (power_limited(cpu->events[i]->hw.idx))
			power_event_read(cpu->events[i]);
	}
}

#ifdef CONFIG_PPC64
#define POWER_FREEZE_HV		MMCR0_FCHV
#else
#define POWER_FREEZE_HV		0
#endif

/* Modes in which no counter of a processor before version 2.07 counts. */
static unsigned long power_freeze_bits(const struct perf_event_attr *attr)
{
	unsigned long bits = 0;

	if (attr->exclude_user)
		bits |= MMCR0_FCP;
	if (attr->exclude_kernel)
		bits |= cpu_has_feature(CPU_FTR_HVMODE) ? POWER_FREEZE_HV : MMCR0_FCS;
	if (attr->exclude_hv)
		bits |= POWER_FREEZE_HV;
	return bits;
}

/* The registers' values for the events that there are, and each event's counter in @places. */
static bool power_compute(struct power_cpu *cpu, unsigned int *places)
{
	u64 codes[POWER_EVENTS_MAX];
	u32 flags = 0;
	int i;

	if (!power_wishes_fit(cpu->wishes, cpu->n))
		return false;
	for (i = 0; i < cpu->n; i++) {
		codes[i] = cpu->wishes[i].codes[cpu->wishes[i].choice].code;
		flags |= cpu->events[i]->hw.flags;
	}
	memset(&cpu->mmcr, 0, sizeof(cpu->mmcr));
	if (power_driver->compute_mmcr(codes, cpu->n, places, &cpu->mmcr, cpu->events,
				       power_driver->flags))
		return false;
	if (!power_has(PPMU_ARCH_207S))
		cpu->mmcr.mmcr0 |= power_freeze_bits(&cpu->events[0]->attr);
	cpu->mmcr.mmcr0 |= MMCR0_PMXE | MMCR0_FCECE;
	return true;
}

/* Counters and events come together. The counters are frozen. */
static void power_place(struct power_cpu *cpu)
{
	unsigned int places[POWER_EVENTS_MAX];
	struct perf_event *event;
	int i;

	if (WARN_ON_ONCE(!power_compute(cpu, places))) {
		cpu->mmcr.mmcr0 = MMCR0_FC;
		return;
	}
	/* All that move are read before the first counter is written. */
	for (i = 0; i < cpu->n; i++) {
		event = cpu->events[i];
		if (event->hw.idx && event->hw.idx != places[i] + 1) {
			power_event_read(event);
			event->hw.idx = 0;
		}
	}
	power_control_write(cpu);
	for (i = 0; i < cpu->n; i++) {
		event = cpu->events[i];
		if (event->hw.idx)
			continue;
		event->hw.idx = places[i] + 1;
		if (!(event->hw.state & PERF_HES_STOPPED))
			power_event_arm(event);
		else
			power_pmc_write(event->hw.idx, 0);
	}
	cpu->changed = false;
}

static void power_enable(struct pmu *pmu)
{
	struct power_cpu *cpu;
	int i;

	guard(irqsave)();
	cpu = this_cpu_ptr(&power_cpus);
	if (!cpu->disabled)
		return;
	if (!cpu->n) {
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
	for (i = 0; i < cpu->n; i++) {
		if (power_limited(cpu->events[i]->hw.idx))
			power_event_arm(cpu->events[i]);
	}
	cpu->disabled = false;
	power_control_run(cpu, cpu->mmcr.mmcr0);
}

static bool power_all_fit(struct power_cpu *cpu, int n)
{
	return power_modes_agree(cpu->events, n) && power_wishes_fit(cpu->wishes, n);
}

/* Interrupts are off, and the PMU is disabled. */
static int power_add_frozen(struct power_cpu *cpu, struct perf_event *event, bool start)
{
	int n = cpu->n;

	if (n >= power_driver->n_counter)
		return -EAGAIN;
	cpu->events[n] = event;
	power_wish_fill(&cpu->wishes[n], event);
	event->hw.idx = 0;
	event->hw.state = start ? 0 : PERF_HES_STOPPED | PERF_HES_UPTODATE;
	/* A group is looked at as a whole when it is complete. */
	if (!(cpu->txn & PERF_PMU_TXN_ADD) && !power_all_fit(cpu, n + 1))
		return -EAGAIN;
	if (!n)
		ppc_enable_pmcs();
	cpu->n = n + 1;
	cpu->changed = true;
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
static void power_forget_event(struct power_cpu *cpu, const struct perf_event *event)
{
	int i, after;

	for (i = 0; i < cpu->n && cpu->events[i] != event; i++)
		;
	if (WARN_ON_ONCE(i == cpu->n))
		return;
	after = --cpu->n - i;
	memmove(&cpu->events[i], &cpu->events[i + 1], after * sizeof(cpu->events[0]));
	memmove(&cpu->wishes[i], &cpu->wishes[i + 1], after * sizeof(cpu->wishes[0]));
	cpu->changed = true;
}

static void power_del(struct perf_event *event, int how)
{
	struct pmu *pmu = event->pmu;

	guard(irqsave)();
	perf_pmu_disable(pmu);
	power_event_read(event);
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
		power_event_arm(event);
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
	power_event_read(event);
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

	if ((cpu->txn & PERF_PMU_TXN_ADD) && !power_all_fit(cpu, cpu->n))
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
};
