// SPDX-License-Identifier: GPL-2.0
/*
 * Extra registers of events, such as MSR_OFFCORE_RSP_0: their values, and the number of users.
 *
 * An extra register has one value at a time. Two events with different values cannot be scheduled
 * together, unless there is a second register with the same effect (the twin), which has its own
 * event code. The threads of a core share some registers, and so do the cores of a module. CPUs
 * that share a register share its value in a struct x86_extra_set, and each CPU writes the
 * register, since it may have its own copy.
 */
#include <linux/string.h>
#include <linux/topology.h>

#include "engine.h"

/* The set with the register of @row. */
static struct x86_extra_set *x86_extra_set(struct x86_pmu_cpu *cpu, const struct x86_extra *row)
{
	return row->per_core || row->per_module ? cpu->shared_extra : &cpu->own_extra;
}

/* Find a register in a set, or add it; NULL: the set is full. */
static struct x86_extra_reg *x86_extra_find(struct x86_extra_set *set, u32 msr)
{
	struct x86_extra_reg *reg;

	for (reg = set->regs; reg < set->regs + X86_EXTRA_MAX; reg++) {
		if (reg->msr == msr)
			return reg;
		if (!reg->msr) {
			*reg = (struct x86_extra_reg){ .msr = msr, .gen = 1 };
			return reg;
		}
	}
	return NULL;
}

/* Is the register in use with this value? */
static bool x86_extra_has(const struct x86_extra_reg *reg, u64 value)
{
	return reg && reg->users && reg->value == value;
}

/* Can the register be used with this value? */
static bool x86_extra_can(const struct x86_extra_reg *reg, u64 value)
{
	return reg && (!reg->users || reg->value == value);
}

/* Return the register's twin, NULL if there is none, or if the twin cannot have the value. */
static const struct x86_extra *x86_extra_twin(const struct x86_extra *row, u64 value)
{
	const struct x86_extra *twin = row->twin > 0 ? row + 1 : row - 1;

	return row->twin && !(value & ~twin->valid) ? twin : NULL;
}

/**
 * x86_extra_get - take an extra register for a value
 * @set: the set with the register and its twin
 * @row: description of the register
 * @sel: has the value; receives the register, and the event code that uses it
 *
 * A register with the same value is preferred. So with a twin, two different values can be in use,
 * and the order in which their users are added does not matter.
 *
 * Context: the caller holds @set->lock, or is the only user of @set.
 * Return: the register; NULL, with @sel undefined, if the register and its twin are in use with
 * other values, or @set is full.
 */
struct x86_extra_reg *x86_extra_get(struct x86_extra_set *set, const struct x86_extra *row,
				    struct x86_event_sel *sel)
{
	const struct x86_extra *twin = x86_extra_twin(row, sel->extra);
	struct x86_extra_reg *reg = x86_extra_find(set, row->msr), *other = NULL;
	u64 value = sel->extra;

	if (twin)
		other = x86_extra_find(set, twin->msr);
	if (!x86_extra_has(reg, value) &&
	    (x86_extra_has(other, value) || !x86_extra_can(reg, value))) {
		reg = other;
		sel->config += row->twin;
	}
	if (!x86_extra_can(reg, value))
		return NULL;
	sel->msr = reg->msr;
	if (reg->value != value) {
		WRITE_ONCE(reg->gen, reg->gen + 1 ?: 1);
		WRITE_ONCE(reg->value, value);
	}
	reg->users++;
	return reg;
}

/**
 * x86_count_get_extra - take an extra register of this CPU, core or module
 * @cpu: this CPU
 * @row: description of the register
 * @sel: see x86_extra_get()
 *
 * Context: interrupts off.
 * Return: as x86_extra_get().
 */
struct x86_extra_reg *x86_count_get_extra(struct x86_pmu_cpu *cpu, const struct x86_extra *row,
					  struct x86_event_sel *sel)
{
	struct x86_extra_set *set = x86_extra_set(cpu, row);
	struct x86_extra_reg *reg;

	raw_spin_lock(&set->lock);
	reg = x86_extra_get(set, row, sel);
	raw_spin_unlock(&set->lock);
	return reg;
}

/**
 * x86_count_put_extra - release a register taken by x86_count_get_extra()
 * @cpu: this CPU
 * @row: description of the register
 * @reg: the register taken
 *
 * Context: interrupts off.
 */
void x86_count_put_extra(struct x86_pmu_cpu *cpu, const struct x86_extra *row,
			 struct x86_extra_reg *reg)
{
	struct x86_extra_set *set = x86_extra_set(cpu, row);

	raw_spin_lock(&set->lock);
	WARN_ON_ONCE(!reg->users);
	reg->users--;
	raw_spin_unlock(&set->lock);
}

/* The generation of a register's value that this CPU has written. */
static u32 *x86_extra_written(struct x86_pmu_cpu *cpu, const struct x86_extra_reg *reg)
{
	const struct x86_extra_set *own = &cpu->own_extra;

	if (reg >= own->regs && reg < own->regs + X86_EXTRA_MAX)
		return &cpu->own_written[reg - own->regs];
	return &cpu->shared_written[reg - cpu->shared_extra->regs];
}

/**
 * x86_extra_is_written - check whether the register of this CPU has the value taken
 * @cpu: this CPU
 * @reg: the register, taken
 *
 * Context: any.
 * Return: true if the register has this value.
 */
bool x86_extra_is_written(struct x86_pmu_cpu *cpu, const struct x86_extra_reg *reg)
{
	return READ_ONCE(*x86_extra_written(cpu, reg)) == READ_ONCE(reg->gen);
}

/**
 * x86_extra_write - write the value of a taken register to this CPU's MSR
 * @cpu: this CPU
 * @reg: the register, taken, so that the value does not change
 *
 * A CPU that shares @reg but has its own copy of the MSR writes that copy itself.
 *
 * Context: any.
 */
void x86_extra_write(struct x86_pmu_cpu *cpu, const struct x86_extra_reg *reg)
{
	const struct x86_model *model = cpu->core->model;

	if (x86_extra_is_written(cpu, reg))
		return;
	if (model->write_extra)
		model->write_extra(reg->msr, READ_ONCE(reg->value));
	else
		wrmsrl(reg->msr, READ_ONCE(reg->value));
	WRITE_ONCE(*x86_extra_written(cpu, reg), READ_ONCE(reg->gen));
}

/**
 * x86_extra_set_unknown - note that the register of this CPU may have another value
 * @cpu: this CPU
 * @reg: the register
 */
void x86_extra_set_unknown(struct x86_pmu_cpu *cpu, const struct x86_extra_reg *reg)
{
	WRITE_ONCE(*x86_extra_written(cpu, reg), 0);
}

/**
 * x86_extra_set_all_unknown - note that this CPU may have lost the values of its registers
 * @cpu: this CPU
 *
 * Context: interrupts off.
 */
void x86_extra_set_all_unknown(struct x86_pmu_cpu *cpu)
{
	memset(cpu->own_written, 0, sizeof(cpu->own_written));
	memset(cpu->shared_written, 0, sizeof(cpu->shared_written));
}

/* The CPUs that share extra registers with a CPU */
static const struct cpumask *x86_extra_cpus(unsigned int number, const struct x86_core *core)
{
	const struct x86_extra *row = core->model->extra;

	for (; row && row->msr; row++) {
		if (row->per_module)
			return topology_cluster_cpumask(number);
	}
	return topology_sibling_cpumask(number);
}

/**
 * x86_extra_init - find the set of a CPU's core or module
 * @number: the CPU, which is being brought up
 * @core: its PMU
 *
 * The CPUs share x86_pmu_cpu::first_extra of one CPU, which may be offline. A CPU that is brought
 * up uses no registers yet, so it changes to the set that an online CPU uses.
 *
 * Context: interrupts off, on that CPU.
 */
void x86_extra_init(unsigned int number, const struct x86_core *core)
{
	struct x86_pmu_cpu *cpu = per_cpu_ptr(&x86_pmu_cpu, number);
	unsigned int sibling;

	if (!cpu->shared_extra) {
		raw_spin_lock_init(&cpu->own_extra.lock);
		raw_spin_lock_init(&cpu->first_extra.lock);
		cpu->shared_extra = &cpu->first_extra;
	}
	for_each_cpu(sibling, x86_extra_cpus(number, core)) {
		struct x86_extra_set *set = READ_ONCE(per_cpu(x86_pmu_cpu, sibling).shared_extra);

		if (sibling != number && set) {
			cpu->shared_extra = set;
			return;
		}
	}
}
