// SPDX-License-Identifier: GPL-2.0
/*
 * From codes of events to values of registers, by the tables of a processor.
 *
 * Constraint fields: bits 0 to 11, two for each counter, count who wants it by name; bits 12
 * to 15 count who takes one of counters 1 to 4. The others are fields that events must agree
 * on, as the routes place them.
 */
#include <linux/bitops.h>
#include <linux/string.h>
#include <asm/cputable.h>
#include "isa207.h"

#define ISA207_RULE_FOUR	12

/* MMCRA: when SDAR changes while no marked event samples: at each translation miss */
#define ISA207_SDAR_SHIFT	42
#define ISA207_SDAR_TLB		1UL

/* Freeze bits of counter @pmc, from 1, in MMCR2 */
#define MMCR2_FREEZE_KERNEL(pmc)	(1UL << (63 - 9 * ((pmc) - 1)))
#define MMCR2_FREEZE_USER(pmc)		(1UL << (62 - 9 * ((pmc) - 1)))
#define MMCR2_FREEZE_HV(pmc)		(1UL << (57 - 9 * ((pmc) - 1)))

const struct isa207_layout *isa207_layout;

static bool isa207_route_holds(const struct isa207_route *route, u64 code, int pmc)
{
	if ((route->when & ISA207_WHEN_MARKED) && !ISA207_MARKED(code))
		return false;
	if ((route->when & ISA207_WHEN_L2L3) &&
	    (ISA207_UNIT(code) < 6 || ISA207_UNIT(code) > 9))
		return false;
	return !(route->when & ISA207_WHEN_COUNTER) || pmc <= 4;
}

static u64 isa207_field(const struct isa207_route *route, u64 code, u64 config1)
{
	return ((route->config1 ? config1 : code) >> route->from) & (BIT_ULL(route->width) - 1);
}

/* A number that needs more bits than there are loses the lowest of them. */
static u64 isa207_scale(u64 value, int mantissa)
{
	u64 exponent = 0;

	while (value >> mantissa) {
		value >>= 2;
		exponent++;
	}
	return exponent << mantissa | value;
}

/**
 * isa207_constrain - power_pmu::get_constraint
 * @code: of the event
 * @maskp: set to the constraint fields that it takes part in
 * @valuep: set to what it asks of them
 * @config1: its attr.config1
 *
 * Any context. Return: 0, or -1: there is no such event.
 */
int isa207_constrain(u64 code, unsigned long *maskp, unsigned long *valuep, u64 config1)
{
	const struct isa207_layout *layout = isa207_layout;
	unsigned long mask = 0, value = 0;
	int i, pmc = ISA207_PMC(code);

	if (code & ~layout->valid || pmc > 6)
		return -1;
	if (pmc > 4 && code != ISA207_RUN_INST && code != ISA207_RUN_CYC)
		return -1;
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

		if (!route->rule || !isa207_route_holds(route, code, pmc))
			continue;
		mask |= (BIT_ULL(route->width) - 1) << route->rule;
		value |= isa207_field(route, code, config1) << route->rule;
	}
	*maskp = mask;
	*valuep = value;
	return 0;
}

static u64 isa207_run_twin(u64 code)
{
	switch (code) {
	case ISA207_RUN_INST:
		return ISA207_ANY_INST;
	case ISA207_RUN_CYC:
		return ISA207_ANY_CYC;
	case ISA207_ANY_INST:
		return ISA207_RUN_INST;
	case ISA207_ANY_CYC:
		return ISA207_RUN_CYC;
	}
	return 0;
}

/**
 * isa207_same_events - power_pmu::get_alternatives
 * @code: of the event
 * @flags: PPMU_ONLY_COUNT_RUN: of a task's event, for which all time is in the run state
 * @codes: set to @code and those that count the same, MAX_EVENT_ALTERNATIVES at most
 *
 * Any context. Return: how many.
 */
int isa207_same_events(u64 code, unsigned int flags, u64 codes[])
{
	const struct isa207_layout *layout = isa207_layout;
	int i, j, n = 0;
	u64 twin;

	codes[n++] = code;
	for (i = 0; i < layout->n_same; i++) {
		for (j = 0; j < ISA207_SAME_MAX; j++) {
			if (layout->same[i][j] == code)
				codes[n++] = layout->same[i][!j];
		}
	}
	if (!(flags & PPMU_ONLY_COUNT_RUN))
		return n;
	for (i = 0, j = n; i < j; i++) {
		twin = isa207_run_twin(codes[i]);
		if (twin)
			codes[n++] = twin;
	}
	return n;
}

/*
 * Give each event a counter: the one that it names; else the one that it has, if that is
 * free; else the lowest of the first four.
 */
static int isa207_place(const u64 codes[], int n, unsigned int places[],
			struct perf_event *events[])
{
	unsigned int used = 0;
	int i, pmc, pass;

	for (i = 0; i < n; i++) {
		pmc = ISA207_PMC(codes[i]);
		places[i] = pmc;
		if (pmc && (used & BIT(pmc)))
			return -1;
		if (pmc)
			used |= BIT(pmc);
	}
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < n; i++) {
			if (places[i])
				continue;
			pmc = pass ? ffs(~used & 0x1e) - 1 : events[i]->hw.idx;
			if (pass && pmc < 0)
				return -1;
			if (pmc < 1 || pmc > 4 || (used & BIT(pmc)))
				continue;
			places[i] = pmc;
			used |= BIT(pmc);
		}
	}
	return used;
}

static u64 isa207_freeze(const struct perf_event_attr *attr, int pmc)
{
	bool host = cpu_has_feature(CPU_FTR_HVMODE);
	u64 bits = 0;

	if (attr->exclude_user)
		bits |= MMCR2_FREEZE_USER(pmc);
	if (attr->exclude_kernel)
		bits |= host ? MMCR2_FREEZE_HV(pmc) : MMCR2_FREEZE_KERNEL(pmc);
	/* A host's kernel is what runs in hypervisor state, and no hypervisor to exclude. */
	if (attr->exclude_hv && !host)
		bits |= MMCR2_FREEZE_HV(pmc);
	return bits;
}

static void isa207_route_all(u64 code, struct perf_event *event, int pmc, u64 registers[])
{
	const struct isa207_layout *layout = isa207_layout;
	int i;

	for (i = 0; i < layout->n_routes; i++) {
		const struct isa207_route *route = &layout->routes[i];

		u64 field;

		if (!isa207_route_holds(route, code, pmc))
			continue;
		field = isa207_field(route, code, event->attr.config1);
		if (route->mantissa)
			field = isa207_scale(field, route->mantissa);
		registers[route->to] |= field << (route->shift - route->stride * (pmc - 1));
	}
	if (ISA207_MARKED(code))
		registers[ISA207_MMCRA] |= MMCRA_SAMPLE_ENABLE;
}

/**
 * isa207_fill_registers - power_pmu::compute_mmcr
 * @codes: of events that fit together
 * @n: so many
 * @places: set to the counter of each, from 0
 * @mmcr: set to the values of the registers
 * @events: the events themselves; hw.idx is the counter that one has, from 1
 * @flags: of the processor, PPMU_*
 *
 * Any context. Return: 0, or -1: they do not fit together.
 */
int isa207_fill_registers(u64 codes[], int n, unsigned int places[], struct mmcr_regs *mmcr,
			  struct perf_event *events[], u32 flags)
{
	u64 registers[ISA207_MMCRA + 1] = {}, sdar = 0;
	int i, used = isa207_place(codes, n, places, events);

	if (used < 0)
		return -1;
	for (i = 0; i < n; i++) {
		int pmc = places[i];

		isa207_route_all(codes[i], events[i], pmc, registers);
		if (pmc <= 4)
			registers[ISA207_MMCR1] |= ISA207_PSEL(codes[i]) << (24 - 8 * (pmc - 1));
		if (isa207_layout->sdar_mode)
			sdar |= (codes[i] >> isa207_layout->sdar_mode) & 3;
		registers[ISA207_MMCR2] |= isa207_freeze(&events[i]->attr, pmc);
		places[i] = pmc - 1;
	}
	if (!(registers[ISA207_MMCRA] & MMCRA_SAMPLE_ENABLE) && !sdar)
		sdar = ISA207_SDAR_TLB;
	registers[ISA207_MMCRA] |= sdar << ISA207_SDAR_SHIFT;
	/* Branch records cost, and nobody has asked for them. */
	if (flags & PPMU_ARCH_31)
		registers[ISA207_MMCRA] |= MMCRA_BHRB_DISABLE;
	mmcr->mmcr0 = 0;
	if (used & BIT(1))
		mmcr->mmcr0 |= MMCR0_PMC1CE;
	if (used & 0x7c)
		mmcr->mmcr0 |= MMCR0_PMCjCE;
	if (!(used & 0x60))
		mmcr->mmcr0 |= MMCR0_FC56;
	mmcr->mmcr1 = registers[ISA207_MMCR1];
	mmcr->mmcr2 = registers[ISA207_MMCR2];
	mmcr->mmcr3 = registers[ISA207_MMCR3];
	mmcr->mmcra = registers[ISA207_MMCRA];
	return 0;
}

/**
 * isa207_unselect - power_pmu::disable_pmc: let a counter count nothing
 * @pmc: which one, from 0
 * @mmcr: the values to change
 *
 * Any context.
 */
void isa207_unselect(unsigned int pmc, struct mmcr_regs *mmcr)
{
	if (pmc < 4)
		mmcr->mmcr1 &= ~(0xffUL << (24 - 8 * pmc));
}
