// SPDX-License-Identifier: GPL-2.0
/*
 * Events that are common to the CPUs of a node: those of AMD's northbridge, to family 14h.
 *
 * Each CPU may count them with its own counters. But the northbridge knows a counter by its
 * number alone, so of all CPUs of a node only one may have such an event on the counter of
 * a number, even halted.
 *
 * A node has a mask of the numbers that are taken. A CPU takes one before it writes the
 * counter's select, and gives it back when another event, or none, is in there.
 */
#include <linux/topology.h>

#include "engine.h"

/**
 * x86_node_others - counters on which other CPUs have an event of the node
 * @cpu: this CPU, interrupts off
 * @seen: set to what x86_node_take() has to find unchanged
 */
u64 x86_node_others(struct x86_pmu_cpu *cpu, s64 *seen)
{
	*seen = atomic64_read(&cpu->node->taken);
	return *seen & ~cpu->node_taken;
}

/**
 * x86_node_take - take counters for events of the node
 * @cpu: this CPU, interrupts off
 * @seen: as x86_node_others() has set it
 * @counters: mask, of which no other CPU had one
 *
 * Return: false if others have been faster.
 */
bool x86_node_take(struct x86_pmu_cpu *cpu, s64 seen, u64 counters)
{
	WARN_ON_ONCE(seen & ~cpu->node_taken & counters);
	if (!atomic64_try_cmpxchg(&cpu->node->taken, &seen, seen | counters))
		return false;
	cpu->node_taken |= counters;
	return true;
}

/**
 * x86_node_keep - give back all counters but these
 * @cpu: this CPU, interrupts off; nothing of the node is selected on the others any more
 * @counters: mask
 */
void x86_node_keep(struct x86_pmu_cpu *cpu, u64 counters)
{
	u64 back = cpu->node_taken & ~counters;

	cpu->node_taken &= counters;
	/*
	 * It is ordered after the writes of selects: a CPU that takes one of these writes its
	 * own select after x86_node_take(), and the two must not be there together.
	 */
	if (back)
		atomic64_fetch_andnot(back, &cpu->node->taken);
}

/**
 * x86_node_init - find the node of a CPU
 * @number: of the CPU, which is coming up; interrupts are off on it
 *
 * The node is kept by the CPU that was its first one, also when that has gone.
 */
void x86_node_init(unsigned int number)
{
	struct x86_pmu_cpu *cpu = per_cpu_ptr(&x86_pmu_cpu, number);
	unsigned int other;

	if (cpu->node)
		return;
	cpu->node = &cpu->first_node;
	for_each_cpu(other, topology_core_cpumask(number)) {
		struct x86_node *node = READ_ONCE(per_cpu(x86_pmu_cpu, other).node);

		if (other == number || !node ||
		    topology_amd_node_id(other) != topology_amd_node_id(number))
			continue;
		cpu->node = node;
		return;
	}
}
