// SPDX-License-Identifier: GPL-2.0
/*
 * Conversion of counter values to event counts.
 *
 * A counter has 32 bits and has overflowed while bit 31 is set. A sampling event sets its counter
 * to 2^31 minus the remaining period. A counting event does not set its counter: the event saves
 * the value, and adds the difference to its count later. Only a counter of PMC_RESET_FROM or
 * more is reset to 0. The counter of an event for event-based branches belongs to the program: the
 * event saves the value while the program does not run.
 */
#include "engine.h"

/**
 * power_event_update - update an event's count from its counter
 * @event: an event of this CPU
 *
 * Context: any. The overflow interrupt may call this function for the same event in the middle of
 * another call: each call adds the difference to the prev_count that it replaces.
 */
void power_event_update(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	s64 before;
	u32 now, delta;

	if ((hw->state & PERF_HES_STOPPED) || !hw->idx)
		return;
	if (power_is_ebb(event)) {
		local64_set(&hw->prev_count, power_pmc_read(hw->idx));
		return;
	}
	before = local64_read(&hw->prev_count);
	do {
		now = power_pmc_read(hw->idx);
		delta = power_progress(before, now);
		if (!delta)
			return;
	} while (!local64_try_cmpxchg(&hw->prev_count, &before, now));
	local64_add(delta, &event->count);
	if (hw->sample_period)
		local64_sub(delta, &hw->period_left);
}

/**
 * power_event_update_last - update an event before its counter is released
 * @event: an event of this CPU, with or without a counter
 *
 * A pending overflow interrupt will not find the event any more. The period then ends with the next
 * occurrence, since a counter is never programmed to start in overflow.
 *
 * Context: interrupts off and the counter frozen, or overflow interrupt.
 */
void power_event_update_last(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;

	if ((hw->state & PERF_HES_STOPPED) || !hw->idx)
		return;
	power_event_update(event);
	if (hw->sample_period && local64_read(&hw->period_left) < 1)
		local64_set(&hw->period_left, 1);
}

/* If @left is negative, the last period was exceeded: shorten the next period by the excess. */
static s64 power_period_begin(struct hw_perf_event *hw, s64 left)
{
	left += hw->sample_period;
	if (left <= 0)
		left = hw->sample_period;
	local64_set(&hw->period_left, left);
	hw->last_period = hw->sample_period;
	return left;
}

/* Reset a counter to 0 for all events that use it. */
static void power_counter_restart(struct power_cpu *cpu, int pmc)
{
	int i;

	for (i = 0; i < cpu->n; i++) {
		if (cpu->events[i]->hw.idx == pmc)
			power_event_update(cpu->events[i]);
	}
	power_pmc_write(pmc, 0);
	for (i = 0; i < cpu->n; i++) {
		if (cpu->events[i]->hw.idx != pmc)
			continue;
		local64_set(&cpu->events[i]->hw.prev_count, 0);
		perf_event_update_userpage(cpu->events[i]);
	}
}

static void power_start_counting(struct power_cpu *cpu, struct hw_perf_event *hw, int pmc)
{
	unsigned long now = power_pmc_read(pmc);

	local64_set(&hw->prev_count, now);
	if (now >= PMC_RESET_FROM && !power_limited(pmc)) {
		power_counter_restart(cpu, pmc);
		local64_set(&hw->prev_count, 0);
	}
}

/**
 * power_event_set_period - program an event's counter for the remaining period
 * @cpu: this CPU
 * @event: the event; power_event_update() was called
 * @pmc: the counter, frozen
 *
 * Context: interrupts off.
 */
void power_event_set_period(struct power_cpu *cpu, struct perf_event *event, int pmc)
{
	struct hw_perf_event *hw = &event->hw;
	s64 left = local64_read(&hw->period_left);
	unsigned long start = 0;

	if (power_is_ebb(event)) {
		power_pmc_write(pmc, local64_read(&hw->prev_count));
	} else if (!hw->sample_period || power_limited(pmc)) {
		power_start_counting(cpu, hw, pmc);
	} else {
		if (left <= 0)
			left = power_period_begin(hw, left);
		if (left < (s64)PMC_OVERFLOW)
			start = PMC_OVERFLOW - left;
		local64_set(&hw->prev_count, start);
		power_pmc_write(pmc, start);
	}
	/* If hw->idx is not set yet, power_event_program() updates the page later. */
	if (hw->idx)
		perf_event_update_userpage(event);
}

/**
 * power_overflow_defer - make overdue periods end with the next occurrence
 * @cpu: this CPU
 *
 * Called if the interrupt of an overflow is lost.
 *
 * Context: interrupts off, counters frozen.
 */
void power_overflow_defer(struct power_cpu *cpu)
{
	int i, pmc;

	for (i = 0; i < cpu->n; i++) {
		pmc = cpu->events[i]->hw.idx;
		if (!pmc || power_limited(pmc) || !(power_pmc_read(pmc) & PMC_OVERFLOW))
			continue;
		power_event_update_last(cpu->events[i]);
		/* A running event may share the counter of a stopped one. */
		if (cpu->events[i]->hw.state & PERF_HES_STOPPED)
			power_counter_restart(cpu, pmc);
		else
			power_event_set_period(cpu, cpu->events[i], pmc);
	}
}
