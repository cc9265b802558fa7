// SPDX-License-Identifier: GPL-2.0
/*
 * Registers beside the event selects: which value each of them has, and for how many counts.
 *
 * A register has one value at a time. Two counts that want different ones cannot be on
 * together, unless there is a second register that does the same (its twin), with an event
 * of its own. Some registers are common to the threads of a core. The threads then have one
 * set of these between them, and each thread writes the value.
 */
#include <linux/string.h>
#include <linux/topology.h>

#include "engine.h"

/* The set that a row's register is in. */
static struct x86_extra_set *x86_extra_set(struct x86_pmu_cpu *cpu, const struct x86_extra *row)
{
	return row->per_core ? cpu->core_extra : &cpu->own_extra;
}

/* A register of a set, or a place for it; NULL: the set is full. */
static struct x86_extra_reg *x86_extra_find(struct x86_extra_set *set, u32 msr)
{
	struct x86_extra_reg *reg;

	for (reg = set->regs; reg < set->regs + X86_EXTRA_MAX; reg++) {
		if (reg->msr == msr)
			return reg;
		if (!reg->msr) {
			*reg = (struct x86_extra_reg){ .msr = msr, .change = 1 };
			return reg;
		}
	}
	return NULL;
}

/* Is it in use with this value? */
static bool x86_extra_has(const struct x86_extra_reg *reg, u64 value)
{
	return reg && reg->users && reg->value == value;
}

/* Can it have this value? */
static bool x86_extra_can(const struct x86_extra_reg *reg, u64 value)
{
	return reg && (!reg->users || reg->value == value);
}

/* The other register that can have this value; NULL: there is none. */
static const struct x86_extra *x86_extra_twin(const struct x86_extra *row, u64 value)
{
	const struct x86_extra *twin = row->twin > 0 ? row + 1 : row - 1;

	return row->twin && !(value & ~twin->valid) ? twin : NULL;
}

/**
 * x86_extra_take - rely on a value in a register beside the select
 * @set: where the register is, with its twin
 * @row: the register that the event is made for
 * @key: has the value; gets the register, and the config of an event that goes with it
 *
 * Registers that have the value for others are preferred. So as many different values as
 * there are registers always find their places, in whatever order they come. The caller
 * holds @set->lock, or is alone with @set.
 *
 * Return: the register, or NULL: others need it with another value, and @key means nothing.
 */
struct x86_extra_reg *x86_extra_take(struct x86_extra_set *set, const struct x86_extra *row,
				     struct x86_key *key)
{
	const struct x86_extra *twin = x86_extra_twin(row, key->extra);
	struct x86_extra_reg *reg = x86_extra_find(set, row->msr), *other = NULL;
	u64 value = key->extra;

	if (twin)
		other = x86_extra_find(set, twin->msr);
	if (!x86_extra_has(reg, value) &&
	    (x86_extra_has(other, value) || !x86_extra_can(reg, value))) {
		reg = other;
		key->config += row->twin;
	}
	if (!x86_extra_can(reg, value))
		return NULL;
	key->msr = reg->msr;
	if (reg->value != value) {
		WRITE_ONCE(reg->change, reg->change + 1 ?: 1);
		WRITE_ONCE(reg->value, value);
	}
	reg->users++;
	return reg;
}

/**
 * x86_count_take_extra - let a count that gets its first client have its register
 * @cpu: this CPU, interrupts off
 * @row: the register that its event is made for
 * @key: as for x86_extra_take()
 *
 * Return: as x86_extra_take().
 */
struct x86_extra_reg *x86_count_take_extra(struct x86_pmu_cpu *cpu, const struct x86_extra *row,
					   struct x86_key *key)
{
	struct x86_extra_set *set = x86_extra_set(cpu, row);
	struct x86_extra_reg *reg;

	raw_spin_lock(&set->lock);
	reg = x86_extra_take(set, row, key);
	raw_spin_unlock(&set->lock);
	return reg;
}

/**
 * x86_count_drop_extra - undo x86_count_take_extra()
 * @cpu: this CPU, interrupts off
 * @row: as it was given there
 * @reg: that it has returned
 */
void x86_count_drop_extra(struct x86_pmu_cpu *cpu, const struct x86_extra *row,
			  struct x86_extra_reg *reg)
{
	struct x86_extra_set *set = x86_extra_set(cpu, row);

	raw_spin_lock(&set->lock);
	WARN_ON_ONCE(!reg->users);
	reg->users--;
	raw_spin_unlock(&set->lock);
}

/* Where this CPU keeps what it has written into a register. */
static u32 *x86_extra_written(struct x86_pmu_cpu *cpu, const struct x86_extra_reg *reg)
{
	const struct x86_extra_set *own = &cpu->own_extra;

	if (reg >= own->regs && reg < own->regs + X86_EXTRA_MAX)
		return &cpu->own_written[reg - own->regs];
	return &cpu->core_written[reg - cpu->core_extra->regs];
}

/**
 * x86_extra_is_written - does this CPU's register hold the value that it has been taken with?
 * @cpu: this CPU
 * @reg: taken
 *
 * Any context.
 */
bool x86_extra_is_written(struct x86_pmu_cpu *cpu, const struct x86_extra_reg *reg)
{
	return READ_ONCE(*x86_extra_written(cpu, reg)) == READ_ONCE(reg->change);
}

/**
 * x86_extra_write - let a register hold the value that it has been taken with
 * @cpu: this CPU
 * @reg: taken, so that its value does not change
 *
 * Any context. The core's other thread does not write this thread's copy of the register.
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
	WRITE_ONCE(*x86_extra_written(cpu, reg), READ_ONCE(reg->change));
}

/**
 * x86_extra_unwrite - a register does not hold its value any more
 * @cpu: this CPU, whose register it is
 * @reg: it has been written
 */
void x86_extra_unwrite(struct x86_pmu_cpu *cpu, const struct x86_extra_reg *reg)
{
	WRITE_ONCE(*x86_extra_written(cpu, reg), 0);
}

/**
 * x86_extra_lost - this CPU's registers may have lost what they held
 * @cpu: this CPU, interrupts off
 */
void x86_extra_lost(struct x86_pmu_cpu *cpu)
{
	memset(cpu->own_written, 0, sizeof(cpu->own_written));
	memset(cpu->core_written, 0, sizeof(cpu->core_written));
}

/**
 * x86_extra_init - find the set of a CPU's core
 * @number: of the CPU, which is coming up; interrupts are off on it
 *
 * The set belongs to the thread that was first. It stays when that thread goes.
 */
void x86_extra_init(unsigned int number)
{
	struct x86_pmu_cpu *cpu = per_cpu_ptr(&x86_pmu_cpu, number);
	unsigned int sibling;

	if (cpu->core_extra)
		return;
	raw_spin_lock_init(&cpu->own_extra.lock);
	raw_spin_lock_init(&cpu->first_extra.lock);
	cpu->core_extra = &cpu->first_extra;
	for_each_cpu(sibling, topology_sibling_cpumask(number)) {
		struct x86_extra_set *set = READ_ONCE(per_cpu(x86_pmu_cpu, sibling).core_extra);

		if (sibling != number && set) {
			cpu->core_extra = set;
			return;
		}
	}
}
