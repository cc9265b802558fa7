// SPDX-License-Identifier: GPL-2.0
/*
 * Assignment of a CPU's events to counters.
 *
 * Equal counting events share a counter. power_cpu::mmcr caches the register values, and
 * power_cpu::memo the events of these values: a switch to a task with the same events computes
 * nothing.
 *
 * Context of the functions below, unless noted: interrupts off, PMU disabled. In process context,
 * power_check_group() uses a struct power_cpu that belongs to no CPU.
 */
#include <linux/bitops.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include "engine.h"
#include "isa207.h"

static bool power_event_sels_equal(const struct power_event_sel *a, const struct power_event_sel *b)
{
	return a->code == b->code && a->config1 == b->config1 && a->flags == b->flags;
}

/**
 * power_count_get - find or allocate the struct power_count of an event, or of perfctr
 * @cpu: this CPU, or the members of a group
 * @sel: the event code and modes
 * @alts: the alternative encodings; their array is not copied
 * @share: the event may share its counter with events of an equal @sel
 *
 * Return: index in @cpu->counts, or -EAGAIN if all are in use.
 */
int power_count_get(struct power_cpu *cpu, const struct power_event_sel *sel,
		    const struct power_alternatives *alts, bool share)
{
	struct power_count *count;
	unsigned long mask = cpu->used;
	int slot;

	for_each_set_bit(slot, &mask, POWER_COUNTS_MAX) {
		count = &cpu->counts[slot];
		if (share && count->shared && power_event_sels_equal(&count->sel, sel)) {
			count->nr_events++;
			return slot;
		}
	}
	slot = ffz(cpu->used);
	if (slot >= power_driver->n_counter)
		return -EAGAIN;
	count = &cpu->counts[slot];
	count->sel = *sel;
	count->alts = *alts;
	count->nr_events = 1;
	count->shared = share;
	count->pmc = 0;
	cpu->used |= BIT(slot);
	if ((cpu->memo.used & BIT(slot)) && power_event_sels_equal(&cpu->memo.sels[slot], sel))
		cpu->in_memo |= BIT(slot);
	return slot;
}

/* The removed event may own the array of alternatives: use the array of another event. */
static void power_count_set_alts(struct power_cpu *cpu, int slot)
{
	int i;

	for (i = 0; i < cpu->n; i++) {
		const struct power_encoded *encoded = cpu->events[i]->pmu_private;

		if (cpu->events[i]->hw.event_base == slot) {
			cpu->counts[slot].alts = encoded->alts;
			return;
		}
	}
	WARN_ON_ONCE(1);
}

/**
 * power_cpu_reset - initialize the state of a CPU
 * @cpu: the CPU, without events
 *
 * The values of the counters are unknown, so all counters have to be cleared.
 *
 * Context: the CPU is not online, or has had no event yet.
 */
void power_cpu_reset(struct power_cpu *cpu)
{
	memset(cpu, 0, sizeof(*cpu));
	cpu->needs_clear = GENMASK(power_driver->n_counter, 1);
}

/**
 * power_pmc_set_needs_clear - note that a counter has a value of a former event
 * @cpu: this CPU
 * @pmc: number of the counter, from 1; 0: none
 */
void power_pmc_set_needs_clear(struct power_cpu *cpu, int pmc)
{
	if (pmc)
		cpu->needs_clear |= BIT(pmc);
	/* QEMU ignores MMCR2: if one of the fixed counters is in use, the other one counts, too. */
	if (power_has(PPMU_ARCH_207S) && (pmc == PMC_5 || pmc == PMC_6))
		cpu->needs_clear |= BIT(PMC_5) | BIT(PMC_6);
}

/**
 * power_count_put - undo power_count_get() for one event, or for perfctr
 * @cpu: this CPU; a removed event is no longer in @cpu->events
 * @slot: index in @cpu->counts
 */
void power_count_put(struct power_cpu *cpu, int slot)
{
	struct power_count *count = &cpu->counts[slot];

	if (WARN_ON_ONCE(!(cpu->used & BIT(slot))))
		return;
	if (--count->nr_events) {
		power_count_set_alts(cpu, slot);
		return;
	}
	power_pmc_set_needs_clear(cpu, count->pmc);
	cpu->used &= ~BIT(slot);
	cpu->compatible &= ~BIT(slot);
	cpu->in_memo &= ~BIT(slot);
}

/* May an event be on a counter that cannot be frozen? Such an event excludes no mode. */
static bool power_can_limit(const struct power_count *count)
{
	return (count->sel.flags >> POWER_NOT_BITS) & PPMU_LIMITED_PMC_OK;
}

/*
 * MMCR0 of old processors freezes all counters in the same @modes, except for those that cannot be
 * frozen. Returns false if the events need different modes.
 */
static bool power_modes_agree(const struct power_cpu *cpu, u32 *modes)
{
	unsigned long mask = cpu->used;
	bool any = false;
	int slot;

	*modes = 0;
	if (power_has(PPMU_ARCH_207S))
		return true;
	for_each_set_bit(slot, &mask, POWER_COUNTS_MAX) {
		const struct power_count *count = &cpu->counts[slot];

		if (power_can_limit(count))
			continue;
		if (any && *modes != (count->sel.flags & POWER_NOT_MODES))
			return false;
		*modes = count->sel.flags & POWER_NOT_MODES;
		any = true;
	}
	return true;
}

/*
 * Reduce @pick to the encoding for a counter that cannot be frozen. Returns the index of the
 * encoding, or -1.
 */
static int power_pick_limited(struct power_pick *pick)
{
	int i;

	for (i = 0; power_driver->limited_pmc_event && i < pick->alts.n; i++) {
		if (!power_driver->limited_pmc_event(pick->alts.codes[i].code))
			continue;
		pick->alts.codes += i;
		pick->alts.n = 1;
		return i;
	}
	return -1;
}

/**
 * power_picks_fit - select encodings and counters by the constraints of this processor
 * @picks: array of events
 * @n: number of @picks
 * @is_subset: the events are a subset of a compatible set
 *
 * Context: any.
 * Return: true if all can be counted at once; see power_assign().
 */
bool power_picks_fit(struct power_pick *picks, int n, bool is_subset)
{
	struct power_rules rules = {
		.add_fields = power_driver->add_fields,
		.test_adder = power_driver->test_adder,
		.is_subset = is_subset,
	};

	return n <= power_driver->n_counter && power_assign(&rules, picks, n);
}

static bool power_counts_try_assign(struct power_cpu *cpu, bool is_subset)
{
	struct power_pick picks[POWER_COUNTS_MAX];
	int first[POWER_COUNTS_MAX] = {};
	unsigned long mask = cpu->used;
	int slot, n = 0;
	u32 modes;

	if (!power_modes_agree(cpu, &modes))
		return false;
	for_each_set_bit(slot, &mask, POWER_COUNTS_MAX) {
		/* Drivers of old processors select the counters later, in compute_mmcr(). */
		picks[n].now = isa207_running() ? cpu->counts[slot].pmc : 0;
		picks[n].alts = cpu->counts[slot].alts;
		if (modes && power_can_limit(&cpu->counts[slot])) {
			first[n] = power_pick_limited(&picks[n]);
			if (first[n] < 0)
				return false;
		}
		n++;
	}
	if (!power_picks_fit(picks, n, is_subset))
		return false;
	n = 0;
	for_each_set_bit(slot, &mask, POWER_COUNTS_MAX) {
		cpu->counts[slot].choice = first[n] + picks[n].choice;
		cpu->counts[slot].assigned = picks[n++].assigned;
	}
	cpu->compatible = cpu->used;
	return true;
}

/**
 * power_counts_fit - check whether each of @cpu->counts can have a counter
 * @cpu: this CPU, or the members of a group
 *
 * Return: true if they can.
 */
bool power_counts_fit(struct power_cpu *cpu)
{
	/* A subset of a compatible set is compatible. */
	return !(cpu->used & ~cpu->in_memo) || !(cpu->used & ~cpu->compatible) ||
	       power_counts_try_assign(cpu, false);
}

#ifdef CONFIG_PPC64
#define POWER_FREEZE_HV		MMCR0_FCHV
#else
#define POWER_FREEZE_HV		0
#endif

/*
 * MMCR0 bits of processors before ISA 2.07, which freeze all counters in @modes. With @hv, the
 * kernel runs in hypervisor mode, in which FCS does not freeze.
 */
static unsigned long power_freeze_bits(u32 modes, bool hv)
{
	unsigned long bits = 0;

	if (modes & POWER_NOT_USER)
		bits |= MMCR0_FCP;
	if (modes & POWER_NOT_KERNEL)
		bits |= hv ? POWER_FREEZE_HV : MMCR0_FCS;
	if (modes & POWER_NOT_HV)
		bits |= POWER_FREEZE_HV;
	return bits;
}

/* The driver of an old processor computes the register values and selects the counters. */
static bool power_compute_old(struct power_cpu *cpu)
{
	unsigned int assigned[POWER_COUNTS_MAX];
	u64 codes[POWER_COUNTS_MAX];
	unsigned long mask = cpu->used;
	u32 modes = 0;
	int slot, n = 0;

	for_each_set_bit(slot, &mask, POWER_COUNTS_MAX) {
		const struct power_count *count = &cpu->counts[slot];

		codes[n++] = count->alts.codes[count->choice].code;
		/* An event on a limited counter has no POWER_NOT_MODES: see power_can_limit(). */
		modes |= count->sel.flags & POWER_NOT_MODES;
	}
	memset(&cpu->mmcr, 0, sizeof(cpu->mmcr));
	if (power_driver->compute_mmcr(codes, n, assigned, &cpu->mmcr, cpu->events,
				       power_driver->flags))
		return false;
	cpu->mmcr.mmcr0 |= power_freeze_bits(modes, power_is_hv());
	n = 0;
	for_each_set_bit(slot, &mask, POWER_COUNTS_MAX)
		cpu->counts[slot].assigned = assigned[n++] + 1;
	return true;
}

static void power_compute(struct power_cpu *cpu)
{
	struct isa207_count counts[POWER_COUNTS_MAX];
	unsigned long mask = cpu->used;
	int slot, n = 0;

	for_each_set_bit(slot, &mask, POWER_COUNTS_MAX) {
		const struct power_count *count = &cpu->counts[slot];

		counts[n++] = (struct isa207_count){
			.code = count->alts.codes[count->choice].code,
			.config1 = count->sel.config1,
			.modes = count->sel.flags & (POWER_NOT_MODES | POWER_NOT_IDLE),
			.pmc = count->assigned,
		};
	}
	isa207_compute_mmcr(isa207_running(), counts, n, &cpu->mmcr);
}

static void power_remember(struct power_cpu *cpu)
{
	unsigned long mask = cpu->used;
	int slot;

	for_each_set_bit(slot, &mask, POWER_COUNTS_MAX) {
		cpu->memo.sels[slot] = cpu->counts[slot].sel;
		cpu->memo.assigned[slot] = cpu->counts[slot].assigned;
		cpu->memo.choices[slot] = cpu->counts[slot].choice;
	}
	cpu->memo.used = cpu->used;
	cpu->in_memo = cpu->used;
}

/**
 * power_counts_assign - assign a counter to each of @cpu->counts, and compute the MMCRs
 * @cpu: this CPU
 *
 * Return: true with @cpu->mmcr and power_count::assigned set, false if the processor cannot count
 * all of @cpu->counts at once.
 */
bool power_counts_assign(struct power_cpu *cpu)
{
	unsigned long mask = cpu->used;
	int slot;

	if (cpu->used == cpu->memo.used && cpu->in_memo == cpu->used) {
		/* An event added and removed since power_remember() may have moved others. */
		for_each_set_bit(slot, &mask, POWER_COUNTS_MAX) {
			cpu->counts[slot].assigned = cpu->memo.assigned[slot];
			cpu->counts[slot].choice = cpu->memo.choices[slot];
		}
		return true;
	}
	cpu->memo.used = 0;
	cpu->in_memo = 0;
	if ((cpu->used & ~cpu->compatible) && !power_counts_try_assign(cpu, true))
		return false;
	if (isa207_running())
		power_compute(cpu);
	else if (!power_compute_old(cpu))
		return false;
	cpu->mmcr.mmcr0 |= MMCR0_PMXE | MMCR0_FCECE;
	power_remember(cpu);
	return true;
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/choose_test.c"
#endif
