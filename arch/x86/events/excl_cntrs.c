// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that the two threads of a core must not use at the same time.
 *
 * Each thread has a mask of the counters in use. A CPU adds counters to its mask before it writes
 * registers, and removes counters after that.
 *
 * Hyper-threading erratum of memory events, Sandy Bridge to Haswell (errata BJ122, BV98, HSD29):
 * occurrences of a memory event may be added to the other thread's counter of the same number,
 * instead of the event's own. So while one thread counts such an event, the other thread does not
 * use the counter of that number. x86_excl_thread::exclusive is the mask of the counters with such
 * events. To keep one thread from blocking all counters of the other, both threads use at most half
 * of the general counters while either thread counts such an event.
 *
 * Netburst: the threads share all registers (x86_pmu_msrs::shared). Most events have counters for
 * each thread, but some have the same counters and the same extra register on both threads. So a
 * thread uses no counter and no extra register that the other thread uses. A thread also writes no
 * register that it has released, see x86_put_unused_counters().
 */
#include <linux/topology.h>

#include "engine.h"

static bool x86_uses_at_most_half(const struct x86_core *core,
				  const struct x86_constraint *constraints, int n)
{
	const u64 general = core->counters & ~X86_FIXED_ALL;
	u64 taken = 0;
	int i;

	for (i = 0; i < n; i++)
		taken |= x86_constraint_counters(&constraints[i], constraints[i].assigned);
	return hweight64(taken & general) <= hweight64(general) / 2;
}

/* If too many general counters are taken, assign again: move events to fixed counters. */
static bool x86_assign_half(const struct x86_core *core, struct x86_constraint *constraints, int n)
{
	int i;

	if (x86_uses_at_most_half(core, constraints, n))
		return true;
	for (i = 0; i < n; i++)
		constraints[i].now = -1;
	return x86_assign_counters(constraints, n, X86_FIXED_ALL) &&
	       x86_uses_at_most_half(core, constraints, n);
}

/* Mask of the counters that the other thread blocks. */
static u64 x86_excl_blocked(const struct x86_pmu_cpu *cpu)
{
	const struct x86_excl_thread *other = &cpu->excl->thread[!cpu->thread];

	return cpu->core->msrs->shared ? other->used : other->exclusive;
}

/*
 * Does the other thread use none of the extra registers that @counts need? The common registers can
 * have one value only, which both threads may use.
 */
static bool x86_excl_can_extra(const struct x86_pmu_cpu *cpu, struct x86_count **counts, int n)
{
	const struct x86_excl_thread *other = &cpu->excl->thread[!cpu->thread];
	u64 extra = 0, common = 0;
	int i;

	if (!cpu->core->msrs->shared)
		return true;
	for (i = 0; i < n; i++) {
		if (counts[i]->sel.extra_idx >= 0)
			extra |= BIT_ULL(counts[i]->sel.extra_idx);
		common |= counts[i]->sel.common;
	}
	return !(extra & other->extra) && (!common || hweight64(common | other->common) == 1);
}

/* Take the extra registers that @counts need. */
static void x86_excl_get_extra(struct x86_pmu_cpu *cpu, struct x86_count **counts, int n)
{
	struct x86_excl_thread *mine = &cpu->excl->thread[cpu->thread];
	const u64 before = mine->extra;
	int i;

	if (!cpu->core->msrs->shared)
		return;
	for (i = 0; i < n; i++) {
		const struct x86_event_sel *sel = &counts[i]->sel;

		mine->common |= sel->common;
		if (sel->extra_idx < 0)
			continue;
		mine->extra |= BIT_ULL(sel->extra_idx);
		/* The other thread may have written the register. */
		if (!(before & BIT_ULL(sel->extra_idx)))
			x86_extra_set_unknown(cpu, counts[i]->extra);
	}
}

/**
 * x86_counts_assign_excl - assign counters that the other thread does not block
 * @cpu: this CPU, with x86_pmu_cpu::excl
 * @claimed: mask of the counters not to be assigned: those reserved by perfctr
 * @counts: array of @n event selects, each of which needs a counter
 * @constraints: array of @n constraints, whose allowed counters are set here
 * @n: number of @counts
 *
 * Context: interrupts off.
 * Return: true on success, false if there are not enough counters, or if the other thread uses an
 * extra register.
 */
bool x86_counts_assign_excl(struct x86_pmu_cpu *cpu, u64 claimed, struct x86_count **counts,
			    struct x86_constraint *constraints, int n)
{
	struct x86_excl_cntrs *excl = cpu->excl;
	struct x86_excl_thread *mine = &excl->thread[cpu->thread];
	const struct x86_excl_thread *other = &excl->thread[!cpu->thread];
	bool exclusive, found;
	u64 blocked;
	int i;

	raw_spin_lock(&excl->lock);
	exclusive = other->exclusive;
	blocked = x86_excl_blocked(cpu);
	for (i = 0; i < n; i++) {
		constraints[i].allowed = x86_count_allowed(counts[i], claimed | blocked);
		if (!(counts[i]->sel.flags & X86_HT_ERRATUM))
			continue;
		constraints[i].allowed &= ~other->used;
		exclusive = true;
	}
	found = x86_excl_can_extra(cpu, counts, n) &&
		x86_assign_counters(constraints, n, X86_FIXED_ALL);
	if (found && exclusive && other->online)
		found = x86_assign_half(cpu->core, constraints, n);
	for (i = 0; found && i < n; i++) {
		mine->used |= BIT_ULL(constraints[i].assigned);
		if (counts[i]->sel.flags & X86_HT_ERRATUM)
			mine->exclusive |= BIT_ULL(constraints[i].assigned);
	}
	if (found)
		x86_excl_get_extra(cpu, counts, n);
	raw_spin_unlock(&excl->lock);
	cpu->excl_changed |= found;
	return found;
}

/**
 * x86_excl_get - note that perfctr uses counters, unless the other thread blocks one
 * @cpu: this CPU, with x86_pmu_cpu::excl
 * @counters: mask of the counters, without memory events of the erratum
 *
 * Context: interrupts off.
 * Return: true on success, false if the other thread uses or may corrupt a counter.
 */
bool x86_excl_get(struct x86_pmu_cpu *cpu, u64 counters)
{
	struct x86_excl_cntrs *excl = cpu->excl;
	bool good;

	raw_spin_lock(&excl->lock);
	good = !(counters & x86_excl_blocked(cpu));
	if (good)
		excl->thread[cpu->thread].used |= counters;
	raw_spin_unlock(&excl->lock);
	cpu->excl_changed |= good;
	return good;
}

/**
 * x86_excl_put_others - note which registers are still in use
 * @cpu: this CPU, with x86_pmu_cpu::excl
 * @used: the registers in use
 *
 * Context: interrupts off.
 */
void x86_excl_put_others(struct x86_pmu_cpu *cpu, const struct x86_excl_thread *used)
{
	struct x86_excl_cntrs *excl = cpu->excl;
	struct x86_excl_thread *mine = &excl->thread[cpu->thread];

	raw_spin_lock(&excl->lock);
	mine->used = used->used;
	mine->exclusive = used->exclusive;
	mine->extra = used->extra;
	mine->common = used->common;
	raw_spin_unlock(&excl->lock);
	cpu->excl_changed = false;
}

/**
 * x86_excl_put_all - note that a CPU which is taken offline uses no registers
 * @cpu: this CPU, with x86_pmu_cpu::excl
 *
 * Context: interrupts off.
 */
void x86_excl_put_all(struct x86_pmu_cpu *cpu)
{
	struct x86_excl_cntrs *excl = cpu->excl;

	raw_spin_lock(&excl->lock);
	excl->thread[cpu->thread] = (struct x86_excl_thread){ };
	raw_spin_unlock(&excl->lock);
	cpu->excl_changed = false;
}

static bool x86_has_ht_erratum(const struct x86_core *core)
{
	const struct x86_limit *limit = x86_core_limits(core);

	for (; limit && limit->mask; limit++) {
		if (limit->flags & X86_LIMIT_HT_ERRATUM)
			return true;
	}
	return false;
}

/*
 * Both threads share x86_pmu_cpu::first_excl of one thread, which may be offline. A thread that was
 * first brought up while the other thread was offline uses its own first_excl. A thread that is
 * brought up uses no registers yet, so it changes to the first_excl that the online thread uses.
 */
static void x86_excl_find(unsigned int number)
{
	struct x86_pmu_cpu *cpu = per_cpu_ptr(&x86_pmu_cpu, number);
	unsigned int sibling;

	if (!cpu->excl) {
		raw_spin_lock_init(&cpu->first_excl.lock);
		cpu->excl = &cpu->first_excl;
	}
	for_each_cpu(sibling, topology_sibling_cpumask(number)) {
		const struct x86_pmu_cpu *other = per_cpu_ptr(&x86_pmu_cpu, sibling);

		if (sibling == number || !other->excl)
			continue;
		cpu->excl = other->excl;
		cpu->thread = !other->thread;
		return;
	}
}

/**
 * x86_excl_init - find the other thread, if the threads must exclude each other
 * @number: the CPU, which is being brought up
 * @core: its PMU
 *
 * Context: interrupts off, on that CPU.
 */
void x86_excl_init(unsigned int number, const struct x86_core *core)
{
	struct x86_pmu_cpu *cpu = per_cpu_ptr(&x86_pmu_cpu, number);
	struct x86_excl_cntrs *excl;

	if (core->msrs->shared || x86_has_ht_erratum(core))
		x86_excl_find(number);
	excl = cpu->excl;
	if (!excl)
		return;
	raw_spin_lock(&excl->lock);
	excl->thread[cpu->thread].online = true;
	raw_spin_unlock(&excl->lock);
}
