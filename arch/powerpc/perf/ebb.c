// SPDX-License-Identifier: GPL-2.0
/*
 * Event-based branches (EBB): an overflow branches to a handler of the program, as documented in
 * Documentation/arch/powerpc/pmu-ebb.rst.
 *
 * While EBB events are scheduled on a CPU, the running program owns all counters, and the kernel
 * saves and restores them at context switches.
 */
#include <linux/sched.h>
#include <asm/cputable.h>
#include "bhrb.h"
#include "ebb.h"
#include "isa207.h"

/**
 * power_ebb_check - check an event's attributes and group for event-based branches
 * @event: the new event, with hw.flags set
 *
 * Before ISA 3.1 the BHRB has branches of the kernel, too, and the program reads all entries.
 *
 * Context: process.
 * Return: 0 if the event and its group are all for EBB with the required attributes, or none is;
 * -EINVAL otherwise; -EACCES if the event is for the BHRB, and perf_allow_kernel() refuses.
 */
int power_ebb_check(const struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader;
	const struct perf_event_attr *attr = &event->attr;

	bool leader_is_ebb = leader->pmu == event->pmu && power_is_ebb(leader);

	if (!power_is_ebb(event))
		return leader_is_ebb ? -EINVAL : 0;
	/* Only the leader has these attributes; they apply to the whole group. */
	if (!leader_is_ebb || !leader->attr.pinned || !leader->attr.exclusive)
		return -EINVAL;
	if (!(event->attach_state & PERF_ATTACH_TASK) || attr->inherit || attr->sample_period ||
	    attr->freq || attr->enable_on_exec)
		return -EINVAL;
	if (!ISA207_PMC(event->hw.config))
		return -EINVAL;
	if ((event->hw.config & ISA207_BRANCHES) && !power_has(PPMU_ARCH_31))
		return perf_allow_kernel();
	return 0;
}

/**
 * power_ebb_add - use this CPU's counters for event-based branches
 * @cpu: this CPU
 * @event: an EBB event of current
 *
 * Enables exceptions in the program's MMCR0 at the first use; later the program controls them. At
 * the first use, also clears SIER2 and SIER3: a fork clears the other registers, but copies these
 * two. If the program can read the BHRB, clears the branches of other tasks.
 *
 * Context: interrupts off, PMU disabled.
 */
void power_ebb_add(struct power_cpu *cpu, const struct perf_event *event)
{
	cpu->ebb = true;
	if (event->hw.config & ISA207_BRANCHES) {
		cpu->ebb_branches = true;
		bhrb_clear();
	}
	if (current->thread.used_ebb)
		return;
	current->thread.used_ebb = 1;
	current->thread.mmcr0 |= MMCR0_PMXE;
	current->thread.sier2 = 0;
	current->thread.sier3 = 0;
}
