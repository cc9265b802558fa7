// SPDX-License-Identifier: GPL-2.0
/*
 * Event-based branches: a program asks that its counters' overflows branch to a handler of its own,
 * as Documentation/arch/powerpc/pmu-ebb.rst describes.
 *
 * While such events are on a CPU, all of its counters belong to the running program, and the kernel
 * keeps of them what the program's next turn needs.
 */
#include <linux/sched.h>
#include <asm/cputable.h>
#include "ebb.h"
#include "isa207.h"

/**
 * power_ebb_check - may an event be one of event-based branches, or beside those of its group?
 * @event: the new event, with hw.flags set
 *
 * Process context. Return: 0 or -EINVAL.
 */
int power_ebb_check(const struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader;
	const struct perf_event_attr *attr = &event->attr;

	bool leader_is = leader->pmu == event->pmu && power_is_ebb(leader);

	if (!power_is_ebb(event))
		return leader_is ? -EINVAL : 0;
	/* Members of a group are pinned and exclusive as their leader is. */
	if (!leader_is || !leader->attr.pinned || !leader->attr.exclusive)
		return -EINVAL;
	if (!(event->attach_state & PERF_ATTACH_TASK) || attr->inherit || attr->sample_period ||
	    attr->freq || attr->enable_on_exec)
		return -EINVAL;
	return ISA207_PMC(event->hw.config) ? 0 : -EINVAL;
}

/**
 * power_ebb_add - an event of event-based branches comes on
 * @cpu: this CPU, with the PMU disabled
 *
 * Interrupts are off. Overflows branch from the first time on, until the program says otherwise.
 */
void power_ebb_add(struct power_cpu *cpu)
{
	cpu->ebb = true;
	if (current->thread.used_ebb)
		return;
	current->thread.used_ebb = 1;
	current->thread.mmcr0 |= MMCR0_PMXE;
}
