// SPDX-License-Identifier: GPL-2.0
/*
 * perfctr: checks of a control, by CPU family.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "perfctr_rules.h"

/* Initializers of struct perfctr_rule: counters, bits, and the error */
#define NONE_OF(_on, _mask, _err)						\
	{ .kind = PERFCTR_NONE_OF, .on = (_on), .mask = (_mask), .err = (_err) }
#define ONE_OF(_on, _mask, _err)						\
	{ .kind = PERFCTR_ONE_OF, .on = (_on), .mask = (_mask), .err = (_err) }
#define ALL_OF(_on, _mask, _err)						\
	{ .kind = PERFCTR_ALL_OF, .on = (_on), .mask = (_mask), .err = (_err) }
#define I_MODE(_on, _mask, _err)						\
	{ .kind = PERFCTR_I_MODE, .on = (_on), .mask = (_mask), .err = (_err) }
#define NOT_VALUE(_on, _mask, _value, _err)					\
	{ .kind = PERFCTR_NOT_VALUE, .on = (_on), .mask = (_mask), .value = (_value),	\
	  .err = (_err) }
#define ESCR_NONE_OF(_mask, _err)						\
	{ .kind = PERFCTR_NONE_OF, .on = PERFCTR_ON_P4, .field = PERFCTR_ESCR,	\
	  .mask = (_mask), .err = (_err) }

/* Event select from the P6 on */
#define SELECT_USER		BIT(16)
#define SELECT_KERNEL		BIT(17)
#define SELECT_PIN		BIT(19)
#define SELECT_INT		BIT(20)
#define SELECT_RESERVED		BIT(21)

static const struct perfctr_rule perfctr_p5_rules[] = {
	NONE_OF(PERFCTR_ON_ALL, 0xfe00, -EPERM),
	NONE_OF(PERFCTR_ON_ALL, 0xffff0000, -EPERM),
	ONE_OF(PERFCTR_ON_ALL, 0xc0, -EINVAL),
	{ }
};

static const struct perfctr_rule perfctr_cyrix_rules[] = {
	NONE_OF(PERFCTR_ON_ALL, 0xfa00, -EPERM),
	NONE_OF(PERFCTR_ON_ALL, 0xffff0000, -EPERM),
	ONE_OF(PERFCTR_ON_ALL, 0xc0, -EINVAL),
	{ }
};

/* WinChip: bits 6 and 7 are no mode bits, but part of the event. */
static const struct perfctr_rule perfctr_winchip_rules[] = {
	NONE_OF(PERFCTR_ON_ALL, 0xff00, -EPERM),
	NONE_OF(PERFCTR_ON_ALL, 0xffff0000, -EPERM),
	{ }
};

static const struct perfctr_rule perfctr_p6_rules[] = {
	NONE_OF(PERFCTR_ON_ALL, SELECT_PIN | SELECT_RESERVED, -EPERM),
	ONE_OF(PERFCTR_ON_ALL, SELECT_USER | SELECT_KERNEL, -EINVAL),
	/* The enable bit of the first select is for both counters. */
	ALL_OF(PERFCTR_ON_FIRST, PERFCTR_ENABLE, -EINVAL),
	NONE_OF(PERFCTR_ON_OTHERS, PERFCTR_ENABLE, -EPERM),
	I_MODE(PERFCTR_ON_ALL, SELECT_INT, -EINVAL),
	{ }
};

static const struct perfctr_rule perfctr_select_rules[] = {
	NONE_OF(PERFCTR_ON_ALL, SELECT_PIN | SELECT_RESERVED, -EPERM),
	ONE_OF(PERFCTR_ON_ALL, SELECT_USER | SELECT_KERNEL, -EINVAL),
	ALL_OF(PERFCTR_ON_ALL, PERFCTR_ENABLE, -EINVAL),
	I_MODE(PERFCTR_ON_ALL, SELECT_INT, -EINVAL),
	{ }
};

/* The events of a northbridge shared by several cores include those caused by other threads. */
static const struct perfctr_rule perfctr_k8_multicore_rules[] = {
	NOT_VALUE(PERFCTR_ON_ALL | PERFCTR_OF_THREADS, 0xe0, 0xe0, -EPERM),
	{ }
};

/* Fixed counters: mode and interrupt bits only */
static const struct perfctr_rule perfctr_fixed_rules[] = {
	NONE_OF(PERFCTR_ON_FIXED,
		(u32)~(SELECT_USER | SELECT_KERNEL | SELECT_INT | PERFCTR_ENABLE), -EINVAL),
	{ }
};

static const struct perfctr_rule perfctr_c3_rules[] = {
	NONE_OF(PERFCTR_ON_ALL, 0xfffffe00, -EPERM),
	{ }
};

/* Pentium 4: the CCCR */
#define CCCR_RESERVED		0xb80007ff
#define CCCR_EXTENDED_CASCADE	BIT(11)
#define CCCR_ENABLE		BIT(12)
#define CCCR_CASCADE		BIT(30)
#define CCCR_THREADS		(BIT(16) | BIT(17))
#define CCCR_PMI		BIT(26)

static const struct perfctr_rule perfctr_p4_common_rules[] = {
	ONE_OF(PERFCTR_ON_P4, CCCR_ENABLE | CCCR_CASCADE | CCCR_EXTENDED_CASCADE, -EINVAL),
	I_MODE(PERFCTR_ON_P4, CCCR_PMI, -EINVAL),
	ESCR_NONE_OF(BIT(31), -EPERM),
	{ }
};

static const struct perfctr_rule perfctr_p4_rules[] = {
	NONE_OF(PERFCTR_ON_P4, CCCR_RESERVED | CCCR_EXTENDED_CASCADE, -EPERM),
	ALL_OF(PERFCTR_ON_P4, CCCR_THREADS, -EINVAL),
	ESCR_NONE_OF(BIT(0) | BIT(1), -EPERM),
	{ }
};

static const struct perfctr_rule perfctr_p4_model2_rules[] = {
	NONE_OF(PERFCTR_ON_P4, CCCR_RESERVED & ~CCCR_EXTENDED_CASCADE, -EPERM),
	NONE_OF(PERFCTR_ON_PLAIN, CCCR_EXTENDED_CASCADE, -EPERM),
	ALL_OF(PERFCTR_ON_P4, CCCR_THREADS, -EINVAL),
	ESCR_NONE_OF(BIT(0) | BIT(1), -EPERM),
	{ }
};

/* With hyper-threading, CCCR_THREADS and bits 0 and 1 of the ESCR may select either thread. */
static const struct perfctr_rule perfctr_p4_ht_rules[] = {
	NONE_OF(PERFCTR_ON_P4, CCCR_RESERVED & ~CCCR_EXTENDED_CASCADE, -EPERM),
	NONE_OF(PERFCTR_ON_PLAIN, CCCR_EXTENDED_CASCADE, -EPERM),
	{ }
};

const struct perfctr_family perfctr_generic = {
	.name = "Generic x86 with TSC", .has_tsc = true, .no_interrupts = true,
};

/* Modes of a P5: bit 6 is the kernel, bit 7 user space, in each half of the register. */
const struct perfctr_family perfctr_p5 = {
	.name = "Intel P5", .rules = perfctr_p5_rules, .kernel = BIT(6),
	.has_tsc = true, .no_interrupts = true,
};

const struct perfctr_family perfctr_mmx = {
	.name = "Intel P5 MMX", .rules = perfctr_p5_rules, .kernel = BIT(6),
	.has_tsc = true, .no_interrupts = true,
};

const struct perfctr_family perfctr_cyrix = {
	.name = "Cyrix 6x86MX/MII/III", .rules = perfctr_cyrix_rules, .kernel = BIT(6),
	.has_tsc = true, .no_interrupts = true,
};

/* No mode bits: the counters always count the kernel, too. */
const struct perfctr_family perfctr_winchip = {
	.name = "WinChip", .rules = perfctr_winchip_rules, .kernel = ~0U, .no_interrupts = true,
};

const struct perfctr_family perfctr_c3 = {
	.name = "VIA C3", .rules = perfctr_c3_rules, .kernel = ~0U,
	.has_tsc = true, .no_interrupts = true,
};

const struct perfctr_family perfctr_p6 = {
	.name = "Intel P6", .rules = perfctr_p6_rules, .kernel = SELECT_KERNEL, .has_tsc = true,
};

const struct perfctr_family perfctr_k7 = {
	.name = "AMD K7", .rules = perfctr_select_rules, .kernel = SELECT_KERNEL, .has_tsc = true,
};

const struct perfctr_family perfctr_k8 = {
	.name = "AMD K8", .rules = perfctr_select_rules, .kernel = SELECT_KERNEL, .has_tsc = true,
};

const struct perfctr_family perfctr_k8_multicore = {
	.name = "AMD K8 with several cores", .rules = perfctr_select_rules,
	.more_rules = perfctr_k8_multicore_rules,
	.kernel = SELECT_KERNEL, .has_tsc = true,
};

/* No rule for northbridge events: the northbridge has counters of its own. */
const struct perfctr_family perfctr_amd_15h = {
	.name = "AMD family 15h and later", .rules = perfctr_select_rules,
	.kernel = SELECT_KERNEL, .has_tsc = true,
};

const struct perfctr_family perfctr_p4 = {
	.name = "Intel P4", .rules = perfctr_p4_common_rules, .more_rules = perfctr_p4_rules,
	.has_tsc = true, .cccr = true,
};

const struct perfctr_family perfctr_p4_model2 = {
	.name = "Intel P4 model 2", .rules = perfctr_p4_common_rules,
	.more_rules = perfctr_p4_model2_rules, .has_tsc = true, .cccr = true,
};

const struct perfctr_family perfctr_p4_ht = {
	.name = "Intel P4 with hyper-threading", .rules = perfctr_p4_common_rules,
	.more_rules = perfctr_p4_ht_rules, .has_tsc = true, .cccr = true,
};

const struct perfctr_family perfctr_intel_arch = {
	.name = "Intel architectural", .rules = perfctr_select_rules,
	.more_rules = perfctr_fixed_rules,
	.kernel = SELECT_KERNEL, .has_tsc = true,
};

const struct perfctr_family perfctr_zhaoxin = {
	.name = "Zhaoxin", .rules = perfctr_select_rules, .more_rules = perfctr_fixed_rules,
	.kernel = SELECT_KERNEL, .has_tsc = true,
};

/* Number of the counter with RDPMC index @map; -1: there is none. */
static int perfctr_counter(const struct perfctr_cpu_kind *kind, u32 map)
{
	unsigned int counter = map;

	if (kind->family->cccr)
		counter &= ~PERFCTR_MAP_FAST;
	if (counter >= 32) {
		counter -= PERFCTR_MAP_FIXED;
		if (counter >= 32)
			return -1;
		counter += 32;
	}
	return kind->counters & BIT_ULL(counter) ? counter : -1;
}

static u8 perfctr_place(const struct perfctr_family *family, int counter)
{
	if (family->cccr)
		return counter == 12 || counter >= 15 ? PERFCTR_ON_CASCADING : PERFCTR_ON_PLAIN;
	if (counter >= 32)
		return PERFCTR_ON_FIXED;
	return counter ? PERFCTR_ON_OTHERS : PERFCTR_ON_FIRST;
}

static bool perfctr_obeys(const struct perfctr_rule *rule, u32 word, bool imode)
{
	u32 bits = word & rule->mask;

	switch (rule->kind) {
	case PERFCTR_NONE_OF:
		return !bits;
	case PERFCTR_ONE_OF:
		return bits;
	case PERFCTR_ALL_OF:
		return bits == rule->mask;
	case PERFCTR_I_MODE:
		return bits == (imode ? rule->mask : 0);
	case PERFCTR_NOT_VALUE:
		return bits != rule->value;
	}
	return false;
}

/* Returns the error of the first rule that counter @i does not meet. */
static int perfctr_check_rules(const struct perfctr_rule *rule,
			       const struct perfctr_cpu_control *control, unsigned int i, u8 place,
			       bool global)
{
	u32 words[] = {
		[PERFCTR_EVNTSEL] = control->evntsel[i],
		[PERFCTR_ESCR] = control->p4.escr[i],
	};

	for (; rule && rule->mask; rule++) {
		if (!(rule->on & place) || (global && (rule->on & PERFCTR_OF_THREADS)))
			continue;
		if (!perfctr_obeys(rule, words[rule->field], i >= control->nractrs))
			return rule->err;
	}
	return 0;
}

static int perfctr_check_counter(const struct perfctr_cpu_kind *kind,
				 const struct perfctr_cpu_control *control, unsigned int i,
				 int counter, bool global)
{
	u8 place = perfctr_place(kind->family, counter);

	return perfctr_check_rules(kind->family->rules, control, i, place, global) ?:
	       perfctr_check_rules(kind->family->more_rules, control, i, place, global);
}

/* Check replay tagging of a P4: its enable bit, and the bits that select the tagged operations. */
static int perfctr_check_pebs(const struct perfctr_cpu_control *control)
{
	if (!control->p4.pebs_enable)
		return control->p4.pebs_matrix_vert ? -EPERM : 0;
	if (control->p4.pebs_enable & ~(BIT(24) | BIT(10) | BIT(9) | GENMASK(2, 0)))
		return -EPERM;
	if (!(control->p4.pebs_enable & BIT(24)))
		return -EINVAL;
	return control->p4.pebs_matrix_vert & ~GENMASK(1, 0) ? -EPERM : 0;
}

/**
 * perfctr_check - check a control, and fill in the counters to reserve
 * @kind: the counters of the CPUs
 * @control: the control from user space
 * @global: the control is not of a thread
 * @claim: receives the counters and their event selects
 *
 * Context: any.
 * Return: 0 on success; -EPERM if the control has reserved bits (for example the enable bit of a
 * P6's second counter), needs interrupts that are not supported, selects a northbridge event for a
 * thread, or has PEBS matrix bits of a P4 without its PEBS enable bits; -EINVAL if it is invalid.
 */
int perfctr_check(const struct perfctr_cpu_kind *kind, const struct perfctr_cpu_control *control,
		  bool global, struct x86_claim *claim)
{
	const struct perfctr_family *family = kind->family;
	unsigned int i, n;
	int err;

	claim->id = 0;
	claim->counters = 0;
	claim->ints = 0;
	claim->n = 0;
	if (control->nrictrs && (family->no_interrupts || !kind->interrupts))
		return -EPERM;
	if (control->nractrs > PERFCTR_MAX_COUNTERS ||
	    control->nrictrs > PERFCTR_MAX_COUNTERS - control->nractrs)
		return -EINVAL;
	if (control->tsc_on && !family->has_tsc)
		return -EINVAL;
	n = control->nractrs + control->nrictrs;
	if (n > hweight64(kind->counters))
		return -EINVAL;
	for (i = 0; i < n; i++) {
		int counter = perfctr_counter(kind, control->pmc_map[i]);

		if (counter < 0 || (claim->counters & BIT_ULL(counter)))
			return -EINVAL;
		err = perfctr_check_counter(kind, control, i, counter, global);
		if (err)
			return err;
		claim->counters |= BIT_ULL(counter);
		if (i >= control->nractrs)
			claim->ints |= BIT_ULL(counter);
		claim->counter[i] = counter;
		claim->config[i] = control->evntsel[i] & ~PERFCTR_ENABLE;
		claim->least[i] = 0;
	}
	claim->n = n;
	if (n && family->cccr) {
		err = perfctr_check_pebs(control);
		if (err)
			return err;
	}
	for (i = control->nractrs; i < n; i++) {
		if (control->ireset[i] >= 0)
			return -EINVAL;
		if (family->cccr && (control->evntsel[i] & BIT(25)) && control->ireset[i] != -1)
			return -EINVAL;
	}
	return 0;
}

/**
 * perfctr_counts_kernel - check whether a control counts the kernel
 * @family: the CPU family
 * @control: the control, which may be invalid
 *
 * Return: true if it does.
 */
bool perfctr_counts_kernel(const struct perfctr_family *family,
			   const struct perfctr_cpu_control *control)
{
	unsigned int i, n;

	n = min(control->nractrs, PERFCTR_MAX_COUNTERS);
	n += min(control->nrictrs, PERFCTR_MAX_COUNTERS);
	for (i = 0; i < n && i < PERFCTR_MAX_COUNTERS; i++) {
		/* Pentium 4: bits 1 and 3 of the ESCR, for each thread */
		if (family->cccr ? control->p4.escr[i] & (BIT(1) | BIT(3)) :
				   control->evntsel[i] & family->kernel)
			return true;
		if (family->kernel == ~0U)
			return true;
	}
	return false;
}
