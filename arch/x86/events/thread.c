// SPDX-License-Identifier: GPL-2.0
/*
 * Events that spoil counts of the core's other thread: those of memory in Sandy Bridge to
 * Haswell (errata BJ122, BV98, HSD29). What such an event counts may be added to the other
 * thread's counter of the same number, and be missing from its own.
 *
 * So while one thread counts such an event, the other uses no counter of its number. The
 * two threads have a mask each of the counters that they use, and of those with such
 * events. A CPU enters what it is going to use before it writes registers, and takes back
 * what it no longer uses after it.
 *
 * Either thread could keep all counters from the other one. So while one of them counts such an
 * event, each places its counts on no more than half of the general counters.
 */
#include <linux/topology.h>

#include "engine.h"

static bool x86_takes_half(const struct x86_core *core, const struct x86_wish *wishes, int n)
{
	const u64 general = core->counters & ~X86_FIXED_ALL;
	u64 taken = 0;
	int i;

	for (i = 0; i < n; i++)
		taken |= x86_wish_takes(&wishes[i], wishes[i].place);
	return hweight64(taken & general) <= hweight64(general) / 2;
}

/* A count that keeps its counter may be on a general one, though a fixed one is free now. */
static bool x86_assign_half(const struct x86_core *core, struct x86_wish *wishes, int n)
{
	int i;

	if (x86_takes_half(core, wishes, n))
		return true;
	for (i = 0; i < n; i++)
		wishes[i].now = -1;
	return x86_assign(wishes, n, X86_FIXED_ALL) && x86_takes_half(core, wishes, n);
}

/**
 * x86_place_beside - decide which counters counts get, besides those of the other thread
 * @cpu: this CPU, with @threads; interrupts are off
 * @claimed: counters that none of them gets
 * @counts: array of @n
 * @wishes: one for each, whose allowed counters are set here
 * @n: how many
 *
 * Return: false if there are not enough.
 */
bool x86_place_beside(struct x86_pmu_cpu *cpu, u64 claimed, struct x86_count **counts,
		      struct x86_wish *wishes, int n)
{
	struct x86_threads *threads = cpu->threads;
	struct x86_thread *mine = &threads->thread[cpu->thread];
	const struct x86_thread *other = &threads->thread[!cpu->thread];
	bool leaks, found;
	int i;

	raw_spin_lock(&threads->lock);
	leaks = other->leaks;
	for (i = 0; i < n; i++) {
		wishes[i].allowed = x86_count_allowed(counts[i], claimed | other->leaks);
		if (!(counts[i]->key.flags & X86_LEAKS))
			continue;
		wishes[i].allowed &= ~other->used;
		leaks = true;
	}
	found = x86_assign(wishes, n, X86_FIXED_ALL);
	if (found && leaks && other->online)
		found = x86_assign_half(cpu->core, wishes, n);
	for (i = 0; found && i < n; i++) {
		mine->used |= BIT_ULL(wishes[i].place);
		if (counts[i]->key.flags & X86_LEAKS)
			mine->leaks |= BIT_ULL(wishes[i].place);
	}
	raw_spin_unlock(&threads->lock);
	cpu->threads_changed |= found;
	return found;
}

/**
 * x86_threads_take - use counters for a claim, if events of the other thread do not spoil them
 * @cpu: this CPU, with @threads; interrupts are off
 * @counters: that are to count nothing that spoils those of the other thread
 *
 * Return: whether they may be used.
 */
bool x86_threads_take(struct x86_pmu_cpu *cpu, u64 counters)
{
	struct x86_threads *threads = cpu->threads;
	bool good;

	raw_spin_lock(&threads->lock);
	good = !(counters & threads->thread[!cpu->thread].leaks);
	if (good)
		threads->thread[cpu->thread].used |= counters;
	raw_spin_unlock(&threads->lock);
	cpu->threads_changed |= good;
	return good;
}

/**
 * x86_threads_keep - let the other thread have what this one no longer uses
 * @cpu: this CPU, with @threads; interrupts are off
 * @used: the counters that it uses
 * @leaks: of these, those with events that spoil others' counts
 */
void x86_threads_keep(struct x86_pmu_cpu *cpu, u64 used, u64 leaks)
{
	struct x86_threads *threads = cpu->threads;

	raw_spin_lock(&threads->lock);
	threads->thread[cpu->thread].used = used;
	threads->thread[cpu->thread].leaks = leaks;
	raw_spin_unlock(&threads->lock);
	cpu->threads_changed = false;
}

/**
 * x86_threads_leave - let the other thread have all counters
 * @cpu: this CPU, which goes down, with @threads; interrupts are off
 */
void x86_threads_leave(struct x86_pmu_cpu *cpu)
{
	struct x86_threads *threads = cpu->threads;

	raw_spin_lock(&threads->lock);
	threads->thread[cpu->thread] = (struct x86_thread){ };
	raw_spin_unlock(&threads->lock);
	cpu->threads_changed = false;
}

static bool x86_has_leaks(const struct x86_core *core)
{
	const struct x86_limit *limit = x86_core_limits(core);

	for (; limit && limit->mask; limit++) {
		if (limit->flags & X86_LIMIT_HT_LEAKS)
			return true;
	}
	return false;
}

/* What the threads share is kept by the first of them, also when that has gone. */
static void x86_threads_find(unsigned int number)
{
	struct x86_pmu_cpu *cpu = per_cpu_ptr(&x86_pmu_cpu, number);
	unsigned int sibling;

	raw_spin_lock_init(&cpu->first_threads.lock);
	cpu->threads = &cpu->first_threads;
	for_each_cpu(sibling, topology_sibling_cpumask(number)) {
		struct x86_threads *threads = READ_ONCE(per_cpu(x86_pmu_cpu, sibling).threads);

		if (sibling == number || !threads)
			continue;
		cpu->threads = threads;
		cpu->thread = 1;
		return;
	}
}

/**
 * x86_threads_init - find the other thread, if there are events that need it
 * @number: of the CPU, which is coming up; interrupts are off on it
 * @core: its PMU
 */
void x86_threads_init(unsigned int number, const struct x86_core *core)
{
	struct x86_pmu_cpu *cpu = per_cpu_ptr(&x86_pmu_cpu, number);
	struct x86_threads *threads;

	if (!cpu->threads && x86_has_leaks(core))
		x86_threads_find(number);
	threads = cpu->threads;
	if (!threads)
		return;
	raw_spin_lock(&threads->lock);
	threads->thread[cpu->thread].online = true;
	raw_spin_unlock(&threads->lock);
}
