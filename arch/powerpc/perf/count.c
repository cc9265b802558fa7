// SPDX-License-Identifier: GPL-2.0
/*
 * What a counter's value means to its event.
 *
 * A counter has 32 bits, and is in overflow while the highest is set. An event that samples
 * starts it so far below that. An event that only counts takes its counter as it stands, and
 * the difference later; only a counter that has come far is set to 0. The counter of an event-based
 * branch is the program's: the event keeps what it holds while the program does not run.
 */
#include "engine.h"

/* A counter may go back a little, where the processor drops what it had begun. */
#define PMC_SETBACK	256

static u32 power_progress(u32 before, u32 now)
{
	return before > now && before - now < PMC_SETBACK ? 0 : now - before;
}

/**
 * power_event_read - bring an event's count up to date
 * @event: it has a counter on this CPU
 *
 * Any context, also in the overflow interrupt while this function is at work for the same
 * event: whoever exchanges prev_count adds the difference.
 */
void power_event_read(struct perf_event *event)
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
 * power_event_leave - bring an event's count up to date before it gives up its counter
 * @event: it has a counter on this CPU, or none yet
 *
 * Interrupts are off, and the counter is frozen, or it is the overflow interrupt. The interrupt of
 * an overflow that waits would not find the event any more. The event has one again after its next
 * occurrence: its counter never begins in overflow.
 */
void power_event_leave(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;

	if ((hw->state & PERF_HES_STOPPED) || !hw->idx)
		return;
	power_event_read(event);
	if (hw->sample_period && local64_read(&hw->period_left) < 1)
		local64_set(&hw->period_left, 1);
}

/* The last period is over by -@left events, which the next one has already. */
static s64 power_period_begin(struct hw_perf_event *hw, s64 left)
{
	left += hw->sample_period;
	if (left <= 0)
		left = hw->sample_period;
	local64_set(&hw->period_left, left);
	hw->last_period = hw->sample_period;
	return left;
}

/* A counter that has come far begins at 0 again, for all events that count by it. */
static void power_counter_restart(struct power_cpu *cpu, int pmc)
{
	int i;

	for (i = 0; i < cpu->n; i++) {
		if (cpu->events[i]->hw.idx == pmc)
			power_event_read(cpu->events[i]);
	}
	power_pmc_write(pmc, 0);
	for (i = 0; i < cpu->n; i++) {
		if (cpu->events[i]->hw.idx != pmc)
			continue;
		local64_set(&cpu->events[i]->hw.prev_count, 0);
		perf_event_update_userpage(cpu->events[i]);
	}
}

static void power_arm_counting(struct power_cpu *cpu, struct hw_perf_event *hw, int pmc)
{
	unsigned long stands = power_pmc_read(pmc);

	local64_set(&hw->prev_count, stands);
	if (stands >= PMC_FAR && !power_limited(pmc)) {
		power_counter_restart(cpu, pmc);
		local64_set(&hw->prev_count, 0);
	}
}

/**
 * power_event_arm - set an event's counter for what is left of its period
 * @cpu: this CPU
 * @event: counts there, or is about to; no difference is pending
 * @pmc: the counter, which is frozen
 *
 * Interrupts are off.
 */
void power_event_arm(struct power_cpu *cpu, struct perf_event *event, int pmc)
{
	struct hw_perf_event *hw = &event->hw;
	s64 left = local64_read(&hw->period_left);
	unsigned long start = 0;

	if (power_is_ebb(event)) {
		power_pmc_write(pmc, local64_read(&hw->prev_count));
	} else if (!hw->sample_period || power_limited(pmc)) {
		power_arm_counting(cpu, hw, pmc);
	} else {
		if (left <= 0)
			left = power_period_begin(hw, left);
		if (left < (s64)PMC_OVERFLOW)
			start = PMC_OVERFLOW - left;
		local64_set(&hw->prev_count, start);
		power_pmc_write(pmc, start);
	}
	/* One that is about to have its counter has its page written then. */
	if (hw->idx)
		perf_event_update_userpage(event);
}
