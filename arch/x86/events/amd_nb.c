// SPDX-License-Identifier: GPL-2.0
/*
 * Northbridge events of AMD families up to 14h.
 *
 * Each CPU of a northbridge can count northbridge events. But the northbridge identifies a counter
 * only by its number. So at most one CPU of the northbridge may have such an event on the counter
 * of a given number, even if the counter is stopped.
 *
 * A northbridge has a mask of the counter numbers in use. A CPU takes a number before it writes the
 * counter's select, and releases the number when the select has no northbridge event any more.
 */
#include <linux/topology.h>

#include "engine.h"

/**
 * x86_amd_nb_used_elsewhere - mask of the counters in use by other CPUs
 * @cpu: this CPU
 * @seen: receives the state that x86_amd_nb_get() must find unchanged
 *
 * Context: interrupts off.
 * Return: the mask.
 */
u64 x86_amd_nb_used_elsewhere(struct x86_pmu_cpu *cpu, s64 *seen)
{
	*seen = atomic64_read(&cpu->nb->taken);
	return *seen & ~cpu->nb_taken;
}

/**
 * x86_amd_nb_get - take counters for northbridge events
 * @cpu: this CPU
 * @seen: as set by x86_amd_nb_used_elsewhere()
 * @counters: mask of the counters, none of them in use by another CPU
 *
 * Context: interrupts off.
 * Return: true on success, false if the state has changed: retry.
 */
bool x86_amd_nb_get(struct x86_pmu_cpu *cpu, s64 seen, u64 counters)
{
	WARN_ON_ONCE(seen & ~cpu->nb_taken & counters);
	if (!atomic64_try_cmpxchg(&cpu->nb->taken, &seen, seen | counters))
		return false;
	cpu->nb_taken |= counters;
	return true;
}

/**
 * x86_amd_nb_put_others - release the counters that no longer have a northbridge event
 * @cpu: this CPU; the selects of the released counters have no northbridge event
 * @counters: mask of the counters to keep
 *
 * Context: interrupts off.
 */
void x86_amd_nb_put_others(struct x86_pmu_cpu *cpu, u64 counters)
{
	u64 back = cpu->nb_taken & ~counters;

	cpu->nb_taken &= counters;
	/*
	 * As soon as a counter is released, another CPU may take the counter and write its own
	 * select. By then this CPU's select must have no northbridge event. So the release is fully
	 * ordered after the writes of this CPU's selects.
	 */
	if (back)
		atomic64_fetch_andnot(back, &cpu->nb->taken);
}

/**
 * x86_amd_nb_init - find the northbridge of a CPU
 * @number: the CPU, which is being brought up
 *
 * The CPUs of a northbridge share x86_pmu_cpu::first_nb of one CPU, which may be offline. A CPU
 * that was first brought up while the other CPUs were offline uses its own first_nb. A CPU that is
 * brought up has taken no counters yet, so it changes to the first_nb that an online CPU uses.
 *
 * Context: interrupts off, on that CPU.
 */
void x86_amd_nb_init(unsigned int number)
{
	struct x86_pmu_cpu *cpu = per_cpu_ptr(&x86_pmu_cpu, number);
	unsigned int other;

	if (!cpu->nb)
		cpu->nb = &cpu->first_nb;
	for_each_cpu(other, topology_core_cpumask(number)) {
		struct x86_amd_nb *nb = READ_ONCE(per_cpu(x86_pmu_cpu, other).nb);

		if (other == number || !nb ||
		    topology_amd_node_id(other) != topology_amd_node_id(number))
			continue;
		cpu->nb = nb;
		return;
	}
}
