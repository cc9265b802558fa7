// SPDX-License-Identifier: GPL-2.0
/*
 * perfctr: checks of a struct perfctr_cpu_control, without register accesses.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/perfctr.h>
#include "isa207.h"
#include "perfctr_rules.h"

/* Initializers of struct perfctr_rule: counters, field, bits, and the error */
#define NONE_OF(_on, _field, _mask, _err)					\
	{ .kind = PERFCTR_NONE_OF, .on = (_on), .field = (_field), .mask = (_mask),	\
	  .err = (_err) }
#define VALUE(_on, _field, _mask, _value, _err)					\
	{ .kind = PERFCTR_VALUE, .on = (_on), .field = (_field), .mask = (_mask),	\
	  .value = (_value), .err = (_err) }
#define NOT_VALUE(_on, _field, _mask, _value, _err)				\
	{ .kind = PERFCTR_NOT_VALUE, .on = (_on), .field = (_field), .mask = (_mask),	\
	  .value = (_value), .err = (_err) }

#define PERFCTR_NOT_MODES	(PERFCTR_NOT_USER | PERFCTR_NOT_KERNEL | PERFCTR_NOT_HV)

/* Field of an event code that names the counter */
#define PERFCTR_COUNTER_SHIFT	16
#define PERFCTR_COUNTER_MASK	0xfULL

static const struct perfctr_rule perfctr_rules[] = {
	NONE_OF(PERFCTR_ON_ALL, PERFCTR_MODES, ~(u64)PERFCTR_NOT_MODES, -EPERM),
	NOT_VALUE(PERFCTR_ON_ALL, PERFCTR_MODES, PERFCTR_NOT_USER | PERFCTR_NOT_KERNEL,
		  PERFCTR_NOT_USER | PERFCTR_NOT_KERNEL, -EINVAL),
	/* PMC5 and PMC6 count only these events, whose codes have no fields. */
	VALUE(PERFCTR_ON_PMC5, PERFCTR_CODE, ~0ULL, ISA207_RUN_INST, -EINVAL),
	VALUE(PERFCTR_ON_PMC6, PERFCTR_CODE, ~0ULL, ISA207_RUN_CYC, -EINVAL),
	{ }
};

static u8 perfctr_place(unsigned int counter)
{
	switch (counter) {
	case PMC_5:
		return PERFCTR_ON_PMC5;
	case PMC_6:
		return PERFCTR_ON_PMC6;
	}
	return PERFCTR_ON_GENERAL;
}

static bool perfctr_obeys(const struct perfctr_rule *rule, u64 field)
{
	u64 bits = field & rule->mask;

	switch (rule->kind) {
	case PERFCTR_NONE_OF:
		return !bits;
	case PERFCTR_VALUE:
		return bits == rule->value;
	case PERFCTR_NOT_VALUE:
		return bits != rule->value;
	}
	return false;
}

/* Returns the error of the first rule that a counter does not meet. */
static int perfctr_check_rules(unsigned int counter, u64 code, u32 modes)
{
	const u64 fields[] = { [PERFCTR_CODE] = code, [PERFCTR_MODES] = modes };
	const struct perfctr_rule *rule;

	for (rule = perfctr_rules; rule->mask; rule++) {
		if ((rule->on & perfctr_place(counter)) &&
		    !perfctr_obeys(rule, fields[rule->field]))
			return rule->err;
	}
	return 0;
}

/* Check counter @i of @control, and add it to the counters that @claim reserves. */
static int perfctr_check_counter(const struct perfctr_cpu_kind *kind,
				 const struct perfctr_cpu_control *control, unsigned int i,
				 struct power_claim *claim)
{
	u64 code = (u64)control->evntsel_high[i] << 32 | control->evntsel[i];
	unsigned int counter = control->pmc_map[i];
	int err;

	if (!counter || counter > kind->counters || (claim->counters & BIT(counter)))
		return -EINVAL;
	if (code & ~kind->valid)
		return -EPERM;
	/* For PMC1 to PMC4 the counter field of the code may be 0: fill it in. */
	if (!(code >> PERFCTR_COUNTER_SHIFT & PERFCTR_COUNTER_MASK) && counter <= POWER_ANY_LAST)
		code |= (u64)counter << PERFCTR_COUNTER_SHIFT;
	err = perfctr_check_rules(counter, code, control->modes[i]);
	if (err)
		return err;
	if ((code >> PERFCTR_COUNTER_SHIFT & PERFCTR_COUNTER_MASK) != counter)
		return -EINVAL;
	claim->counters |= BIT(counter);
	if (i >= control->nractrs)
		claim->ints |= BIT(counter);
	claim->counter[i] = counter;
	claim->modes[i] = control->modes[i];
	claim->code[i] = code;
	return 0;
}

/**
 * perfctr_check - check a control, and fill in the counters to reserve
 * @kind: the counters of the processors
 * @control: the control from user space
 * @claim: receives the counters, for power_claim_check()
 *
 * @claim->id is 0, so that power_claim_put() stops the counters: user space of the next task can
 * read the counters of POWER8 and POWER9.
 *
 * Context: any.
 * Return: 0 on success; -EPERM if the control has reserved bits, or i-mode counters without a PMU;
 * -EINVAL if it is invalid.
 */
int perfctr_check(const struct perfctr_cpu_kind *kind, const struct perfctr_cpu_control *control,
		  struct power_claim *claim)
{
	unsigned int i, n;
	int err;

	static_assert(PERFCTR_NOT_USER == POWER_NOT_USER);
	static_assert(PERFCTR_NOT_KERNEL == POWER_NOT_KERNEL);
	static_assert(PERFCTR_NOT_HV == POWER_NOT_HV);

	memset(claim, 0, sizeof(*claim));
	if (control->nrictrs && !kind->counters)
		return -EPERM;
	if (control->nractrs > kind->counters ||
	    control->nrictrs > kind->counters - control->nractrs)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(control->reserved); i++) {
		if (control->reserved[i])
			return -EPERM;
	}
	n = control->nractrs + control->nrictrs;
	for (i = 0; i < n; i++) {
		err = perfctr_check_counter(kind, control, i, claim);
		if (err)
			return err;
	}
	claim->n = n;
	for (i = control->nractrs; i < n; i++) {
		if (control->ireset[i] >= 0)
			return -EINVAL;
	}
	return 0;
}

/**
 * perfctr_counts_kernel - check whether a control counts the kernel
 * @control: the control, which may be invalid
 *
 * Return: true if it does.
 */
bool perfctr_counts_kernel(const struct perfctr_cpu_control *control)
{
	unsigned int i, n;

	n = min(control->nractrs, PERFCTR_MAX_COUNTERS);
	n += min(control->nrictrs, PERFCTR_MAX_COUNTERS);
	for (i = 0; i < n && i < PERFCTR_MAX_COUNTERS; i++) {
		if (!(control->modes[i] & PERFCTR_NOT_KERNEL))
			return true;
	}
	return false;
}
