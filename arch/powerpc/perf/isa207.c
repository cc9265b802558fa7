// SPDX-License-Identifier: GPL-2.0
/*
 * From event codes to register values, by the processor's tables.
 *
 * Constraint fields: bits 0 to 11, two for each PMC, limit each PMC to one event; bits 12 to 15
 * limit PMC1 to PMC4 to four events. The other bits are select fields, at the positions given by
 * isa207_route::rule and ISA207_RULE_*.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <asm/cputable.h>
#include "isa207.h"

#define ISA207_RULE_FOUR	12
#define ISA207_RULE_FILTER	61
#define ISA207_RULE_PSEL	52

/* MMCRA: condition of SDAR updates */
#define ISA207_SDAR_SHIFT	42

/* MMCRA: BHRB filter */
#define ISA207_MMCRA_FILTER		30
#define ISA207_BRANCH_CALLS		BIT_ULL(ISA207_MMCRA_FILTER)
#define ISA207_BRANCH_INDIRECT		(2ULL << ISA207_MMCRA_FILTER)
#define ISA207_BRANCH_CONDITIONS	(3ULL << ISA207_MMCRA_FILTER)

/* PERF_SAMPLE_BRANCH_* that select the fields of a record, not the branches */
#define ISA207_BRANCH_FIELDS	(PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES |	\
				 PERF_SAMPLE_BRANCH_TYPE_SAVE | PERF_SAMPLE_BRANCH_HW_INDEX |	\
				 PERF_SAMPLE_BRANCH_PRIV_SAVE)

/* MMCR2: freeze bits of PMC @pmc */
#define MMCR2_FREEZE_KERNEL(pmc)	(1UL << (63 - 9 * ((pmc) - 1)))
/* Two bits freeze problem state: FCnP0 with HV of MSR clear, FCnP1 with HV set, as on a host */
#define MMCR2_FREEZE_USER(pmc)		(3UL << (61 - 9 * ((pmc) - 1)))
#define MMCR2_FREEZE_WAIT(pmc)		(1UL << (58 - 9 * ((pmc) - 1)))
#define MMCR2_FREEZE_HV(pmc)		(1UL << (57 - 9 * ((pmc) - 1)))
/* MMCR2: freeze PMC @pmc with PMM of MSR set, and with PMM clear */
#define MMCR2_FREEZE_ALWAYS(pmc)	(3UL << (59 - 9 * ((pmc) - 1)))

static bool isa207_is_l2l3(u64 code)
{
	return ISA207_UNIT(code) >= 6 && ISA207_UNIT(code) <= 9;
}

/* The events of unit 6 have a field that selects a bus of L2 and L3. */
static bool isa207_is_bus(u64 code)
{
	return ISA207_UNIT(code) == 6;
}

/* Does the event match fabric responses? The mark, combine and edge bits make no difference. */
static bool isa207_is_fabric(const struct isa207_layout *layout, u64 code)
{
	const u64 *fabric = layout->fabric;

	code &= GENMASK_ULL(19, 12) | GENMASK_ULL(7, 1);
	return code && (code == fabric[0] || code == fabric[1]);
}

static bool isa207_route_holds(const struct isa207_layout *layout,
			       const struct isa207_route *route, u64 code, int pmc)
{
	if ((route->when & ISA207_WHEN_MARKED) && !ISA207_MARKED(code))
		return false;
	if ((route->when & ISA207_WHEN_BUS) && !isa207_is_bus(code))
		return false;
	if ((route->when & ISA207_WHEN_L1) && !(ISA207_CACHE(code) & 4))
		return false;
	if ((route->when & ISA207_WHEN_FABRIC) && !isa207_is_fabric(layout, code))
		return false;
	if ((route->when & ISA207_WHEN_NO_FABRIC) && isa207_is_fabric(layout, code))
		return false;
	return !(route->when & ISA207_WHEN_COUNTER) || pmc <= 4;
}

/* Convert to a mantissa and a base-4 exponent. Low bits of large values are lost. */
static u64 isa207_scale(u64 value, int mantissa)
{
	u64 exponent = 0;

	while (value >> mantissa) {
		value >>= 2;
		exponent++;
	}
	return exponent << mantissa | value;
}

/* Width of the field in the register; the exponent has 3 bits. */
static int isa207_width(const struct isa207_route *route)
{
	return route->mantissa ? route->mantissa + 3 : route->width;
}

/* Value of the field in the register; instead of a value that is too large, the largest one. */
static u64 isa207_field(const struct isa207_route *route, u64 code, u64 config1)
{
	u64 value = (route->config1 ? config1 : code) >> route->from;

	if (route->mantissa) {
		u64 most = (BIT_ULL(route->mantissa) - 1) << (route->width - route->mantissa);

		return isa207_scale(min(value, most), route->mantissa);
	}
	return value & (BIT_ULL(route->width) - 1);
}

/**
 * isa207_is_limited_l2l3 - check for an L2/L3 event limited by isa207_layout::l2l3_same
 * @layout: the layout of the processor
 * @code: the event code
 *
 * While such events are counted, one of them must be on PMC4.
 *
 * Context: any.
 * Return: true if the event is limited.
 */
bool isa207_is_limited_l2l3(const struct isa207_layout *layout, u64 code)
{
	return layout->l2l3_same && isa207_is_l2l3(code);
}

/*
 * Is the threshold compare value valid? Its mantissa must be normalized: the upper two bits are 0
 * only if the exponent is 0.
 */
static bool isa207_compares(const struct isa207_layout *layout, u64 code)
{
	u64 exponent = ISA207_COMPARE(code) >> 7;

	return isa207_is_fabric(layout, code) || !exponent || (ISA207_COMPARE(code) & 0x60);
}

/* Check the sampling and threshold fields, even if the event does not use them. */
static bool isa207_is_defined(const struct isa207_layout *layout, u64 code)
{
	u64 sample = ISA207_SAMPLE(code), control = (code >> 32) & 0xff;

	if (!(layout->elig[sample & 3] & BIT(sample >> 2)))
		return false;
	if (layout->float_compare)
		return isa207_compares(layout, code) &&
		       (!isa207_is_l2l3(code) || !(ISA207_CACHE(code) & 7));
	if (layout->code_compare && ISA207_THRESHOLD_SELECT(code) &&
	    !isa207_compares(layout, code))
		return false;
	/* Start and stop event of the threshold: 4 bits each, and 15 is reserved. */
	return (control & 0xf) != 0xf && (control >> 4) != 0xf;
}

/**
 * isa207_constrain_by - look up the constraints of an event
 * @layout: the layout of the processor
 * @code: the event code
 * @maskp: receives the constraint fields that are used
 * @valuep: receives the values required in select fields, and the values to add in add fields
 * @config1: attr.config1
 *
 * Context: any.
 * Return: 0 on success, -1 if there is no such event.
 */
int isa207_constrain_by(const struct isa207_layout *layout, u64 code, unsigned long *maskp,
			unsigned long *valuep, u64 config1)
{
	unsigned long mask = 0, value = 0;
	int i, pmc = ISA207_PMC(code);

	if ((ISA207_EVENT(code) & ~layout->valid) || pmc > 6)
		return -1;
	if ((code & ISA207_BRANCHES) && !(code & ISA207_EBB))
		return -1;
	if (pmc > 4 && ISA207_EVENT(code) != ISA207_RUN_INST &&
	    ISA207_EVENT(code) != ISA207_RUN_CYC)
		return -1;
	if (pmc <= 4 && !isa207_is_defined(layout, code))
		return -1;
	if (isa207_is_limited_l2l3(layout, code)) {
		mask |= 0xffUL << ISA207_RULE_PSEL;
		value |= ISA207_PSEL(code) << ISA207_RULE_PSEL;
	}
	if (code & ISA207_BRANCHES) {
		mask |= 3UL << ISA207_RULE_FILTER;
		value |= (code & ISA207_FILTER) >> ISA207_FILTER_SHIFT << ISA207_RULE_FILTER;
	}
	if (pmc) {
		mask |= 2UL << 2 * (pmc - 1);
		value |= 1UL << 2 * (pmc - 1);
	}
	if (pmc <= 4) {
		mask |= 8UL << ISA207_RULE_FOUR;
		value |= 1UL << ISA207_RULE_FOUR;
	}
	for (i = 0; i < layout->n_routes; i++) {
		const struct isa207_route *route = &layout->routes[i];

		if (!route->rule || !isa207_route_holds(layout, route, code, pmc) ||
		    (route->threshold && !ISA207_THRESHOLD_SELECT(code)) ||
		    (route->l1 && isa207_is_l2l3(code)))
			continue;
		mask |= (BIT_ULL(isa207_width(route)) - 1) << route->rule;
		value |= isa207_field(route, code, config1) << route->rule;
	}
	*maskp = mask;
	*valuep = value;
	return 0;
}

/* power_pmu::get_constraint: isa207_constrain_by() for the running processor */
static int isa207_constrain(u64 code, unsigned long *maskp, unsigned long *valuep, u64 config1)
{
	return isa207_constrain_by(isa207_running(), code, maskp, valuep, config1);
}

/*
 * The fixed counter's code for a code of PMC1 to PMC4, and vice versa; 0: none. With @run, the code
 * of PMC1 to PMC4 counts only while the run latch is set.
 */
static u64 isa207_fixed_alt(u64 code, bool run)
{
	switch (code) {
	case ISA207_RUN_INST:
		return run ? ISA207_RUN_INST_4 : ISA207_ANY_INST;
	case ISA207_RUN_CYC:
		return run ? ISA207_RUN_CYC_2 : ISA207_ANY_CYC;
	case ISA207_RUN_INST_4:
		return run ? ISA207_RUN_INST : 0;
	case ISA207_RUN_CYC_2:
		return run ? ISA207_RUN_CYC : 0;
	case ISA207_ANY_INST:
		return run ? 0 : ISA207_RUN_INST;
	case ISA207_ANY_CYC:
		return run ? 0 : ISA207_RUN_CYC;
	}
	return 0;
}

/* Add isa207_fixed_alt() of each code, except the event's own code. */
static int isa207_add_fixed_alts(u64 codes[], int n, bool run)
{
	int i, before = n;
	u64 alt;

	for (i = 0; i < before; i++) {
		alt = isa207_fixed_alt(codes[i], run);
		if (alt && alt != codes[0])
			codes[n++] = alt;
	}
	return n;
}

/**
 * isa207_get_alternatives_by - look up the alternatives of an event
 * @layout: the layout of the processor
 * @code: the event code
 * @flags: PPMU_ONLY_COUNT_RUN: while the run latch is clear, the event is not scheduled, or frozen
 * @codes: receives @code and its alternatives, at most MAX_EVENT_ALTERNATIVES
 *
 * The code of a fixed counter and a code of PMC1 to PMC4 are alternatives if both count regardless
 * of the run latch, or both count only while the run latch is set. With PPMU_ONLY_COUNT_RUN, the
 * run latch makes no difference.
 *
 * Context: any.
 * Return: number of @codes.
 */
int isa207_get_alternatives_by(const struct isa207_layout *layout, u64 code, unsigned int flags,
			       u64 codes[])
{
	int i, j, n = 0;

	codes[n++] = code;
	/* An EBB program accesses the counter that @code names: there are no alternatives. */
	if (code & ISA207_EBB)
		return n;
	for (i = 0; i < layout->n_same; i++) {
		for (j = 0; j < ISA207_SAME_MAX; j++) {
			if (layout->same[i][j] == code)
				codes[n++] = layout->same[i][!j];
		}
	}
	if (!layout->fixed_alts)
		return n;
	n = isa207_add_fixed_alts(codes, n, !layout->fixed_idle);
	if (flags & PPMU_ONLY_COUNT_RUN)
		n = isa207_add_fixed_alts(codes, n, layout->fixed_idle);
	return n;
}

/* power_pmu::get_alternatives: isa207_get_alternatives_by() for the running processor */
static int isa207_get_alternatives(u64 code, unsigned int flags, u64 codes[])
{
	return isa207_get_alternatives_by(isa207_running(), code, flags, codes);
}

static u64 isa207_freeze(int modes, int pmc)
{
	bool host = cpu_has_feature(CPU_FTR_HVMODE);
	u64 bits = 0;

	if (modes & POWER_NOT_USER)
		bits |= MMCR2_FREEZE_USER(pmc);
	if (modes & POWER_NOT_KERNEL)
		bits |= host ? MMCR2_FREEZE_HV(pmc) : MMCR2_FREEZE_KERNEL(pmc);
	if (modes & POWER_NOT_IDLE)
		bits |= MMCR2_FREEZE_WAIT(pmc);
	/* The kernel of a host runs in hypervisor state, and has no hypervisor to exclude. */
	if ((modes & POWER_NOT_HV) && !host)
		bits |= MMCR2_FREEZE_HV(pmc);
	return bits;
}

/*
 * Without an event, PMC1 to PMC4 count nothing, but PMC5 and PMC6 count. MMCR0 freezes PMC5 and
 * PMC6 together: if only one is in use, freeze the other one in MMCR2. An EBB program cannot change
 * these bits of MMCR2, so the kernel does not save the bits with the program's MMCR2.
 */
static u64 isa207_freeze_unused(unsigned int used)
{
	switch (used & (BIT(PMC_5) | BIT(PMC_6))) {
	case BIT(PMC_5):
		return MMCR2_FREEZE_ALWAYS(PMC_6);
	case BIT(PMC_6):
		return MMCR2_FREEZE_ALWAYS(PMC_5);
	}
	return 0;
}

static void isa207_route_all(const struct isa207_layout *layout, const struct isa207_count *count,
			     u64 registers[])
{
	int i;

	for (i = 0; i < layout->n_routes; i++) {
		const struct isa207_route *route = &layout->routes[i];
		u64 field;

		if (!isa207_route_holds(layout, route, count->code, count->pmc))
			continue;
		field = isa207_field(route, count->code, count->config1);
		registers[route->to] |= field << (route->shift - route->stride * (count->pmc - 1));
	}
	if (ISA207_MARKED(count->code))
		registers[ISA207_MMCRA] |= MMCRA_SAMPLE_ENABLE;
	if (count->code & ISA207_BRANCHES) {
		registers[ISA207_MMCRA] |= (count->code & ISA207_FILTER) >> ISA207_FILTER_SHIFT <<
					   ISA207_MMCRA_FILTER;
	}
}

/**
 * isa207_compute_mmcr - compute the register values for a set of event codes
 * @layout: the layout of the processor
 * @counts: the event codes, which are compatible, and their counters
 * @n: number of @counts
 * @mmcr: receives the register values
 *
 * The result depends only on the arguments and on whether the kernel is a host.
 *
 * Context: any.
 */
void isa207_compute_mmcr(const struct isa207_layout *layout, const struct isa207_count *counts,
			 int n, struct mmcr_regs *mmcr)
{
	u64 registers[ISA207_MMCRA + 1] = {}, sdar = 0;
	unsigned int used = 0;
	bool branches = false;
	int i;

	for (i = 0; i < n; i++) {
		u64 code = counts[i].code;
		int pmc = counts[i].pmc;

		isa207_route_all(layout, &counts[i], registers);
		if (pmc <= 4)
			registers[ISA207_MMCR1] |= ISA207_PSEL(code) << (24 - 8 * (pmc - 1));
		if (layout->sdar_mode)
			sdar |= (code >> layout->sdar_mode) & 3 ?: layout->sdar_idle;
		registers[ISA207_MMCR2] |= isa207_freeze(counts[i].modes, pmc);
		used |= BIT(pmc);
		branches |= !!(code & ISA207_BRANCHES);
	}
	/*
	 * With a marked event, SDAR is the data address of the marked instruction: set no other
	 * condition of SDAR updates.
	 */
	if (!(registers[ISA207_MMCRA] & MMCRA_SAMPLE_ENABLE))
		registers[ISA207_MMCRA] |= sdar << ISA207_SDAR_SHIFT;
	registers[ISA207_MMCRA] |= layout->mmcra;
	if (branches)
		registers[ISA207_MMCRA] &= ~MMCRA_BHRB_DISABLE;
	mmcr->mmcr0 = layout->fixed_idle ? MMCR0_C56RUN : 0;
	if (used & BIT(1))
		mmcr->mmcr0 |= MMCR0_PMC1CE;
	if (used & 0x7c)
		mmcr->mmcr0 |= MMCR0_PMCjCE;
	if (!(used & 0x60))
		mmcr->mmcr0 |= MMCR0_FC56;
	mmcr->mmcr1 = registers[ISA207_MMCR1];
	mmcr->mmcr2 = registers[ISA207_MMCR2] | isa207_freeze_unused(used);
	mmcr->mmcr3 = registers[ISA207_MMCR3];
	mmcr->mmcra = registers[ISA207_MMCRA];
}

/**
 * isa207_branch_filter - power_pmu::bhrb_filter_map
 * @branches: PERF_SAMPLE_BRANCH_*
 *
 * The filter is a field of MMCRA: calls, and from ISA 3.1 on indirect or conditional branches. The
 * filter has no modes: bhrb_decode() filters by mode. Flags that add fields to a record are
 * accepted: a field that the hardware does not record is 0, or all ones for the index.
 *
 * Context: any.
 * Return: value of the field, or all ones if the hardware has no such filter.
 */
u64 isa207_branch_filter(u64 branches)
{
	switch (branches & ~(u64)(PERF_SAMPLE_BRANCH_PLM_ALL | ISA207_BRANCH_FIELDS)) {
	case PERF_SAMPLE_BRANCH_ANY:
		return 0;
	case PERF_SAMPLE_BRANCH_ANY_CALL:
		return ISA207_BRANCH_CALLS;
	case PERF_SAMPLE_BRANCH_IND_CALL:
		return power_has(PPMU_ARCH_31) ? ISA207_BRANCH_INDIRECT : -1;
	case PERF_SAMPLE_BRANCH_COND:
		return power_has(PPMU_ARCH_31) ? ISA207_BRANCH_CONDITIONS : -1;
	}
	return -1;
}

/**
 * isa207_register - register the driver of a processor from ISA 2.07 on
 * @driver: the driver; never unregistered
 *
 * Sets the members of @driver that are equal for all of these processors: the counters, and the
 * functions and constraint fields of this file.
 *
 * Context: boot.
 * Return: 0 on success, or the error of register_power_pmu().
 */
int __init isa207_register(struct isa207_driver *driver)
{
	struct power_pmu *pmu = &driver->pmu;

	pmu->n_counter = 6;
	pmu->add_fields = ISA207_COUNTED_BY;
	pmu->test_adder = ISA207_FULL_BY;
	pmu->get_constraint = isa207_constrain;
	pmu->get_alternatives = isa207_get_alternatives;
	pmu->flags |= PPMU_HAS_SIER | PPMU_ARCH_207S;
	return register_power_pmu(pmu);
}
