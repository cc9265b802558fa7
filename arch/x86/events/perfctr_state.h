/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctr: operations on a struct perfctr_cpu_state. The operations access registers through a
 * struct perfctr_layer. The struct perfctr_layer is a constant in each caller, so the functions of
 * the struct are called directly.
 *
 * Context of all functions, unless noted: interrupts off, on the CPU of the thread that owns the
 * state.
 */
#ifndef _ARCH_X86_EVENTS_PERFCTR_STATE_H
#define _ARCH_X86_EVENTS_PERFCTR_STATE_H

#include <asm/perfctr.h>

#include "model.h"

/* perfctr_cpu_state::k1 */
#define PERFCTR_RELOAD	1	/* program the interrupting counters, even if unchanged */

/**
 * struct perfctr_layer - register access
 * @tsc: reads the TSC
 * @read: reads a counter by its number, sign-extended
 * @read_low: reads the lower 32 bits of a counter by its index for RDPMC
 * @get: reserves and programs counters; those that interrupt do not run. Returns 0, 1 if the
 *	counters have run on since @put of the same claim and run now, or -EBUSY
 * @save: saves the value that a counter has now
 * @saved_value: returns the value saved by @save
 * @has_saved: returns whether the saved values of a claim's counters are current: the counters were
 *	read for the last state, and were not used since
 * @readable: returns whether user space may read counters on this CPU; if so, counters are cleared
 *	of counts of other tasks
 * @set: writes a counter
 * @start: starts the counters, unless they run
 * @put: stops counters that interrupt, and ends the claim
 */
struct perfctr_layer {
	u32	(*tsc)(void);
	u64	(*read)(int counter);
	u32	(*read_low)(u32 map);
	int	(*get)(const struct x86_claim *claim);
	void	(*set)(int counter, u64 value);
	void	(*start)(const struct x86_claim *claim);
	void	(*put)(const struct x86_claim *claim);
	void	(*save)(int counter, u32 value);
	u32	(*saved_value)(int counter);
	bool	(*has_saved)(const struct x86_claim *claim);
	bool	(*readable)(void);
};

/* Does @cstatus have no counters, or as many as @claim reserves? */
static __always_inline bool perfctr_cstatus_fits(u32 cstatus, const struct x86_claim *claim)
{
	unsigned int n = perfctr_cstatus_nrctrs(cstatus);

	/* claim->n is at most the number of counters of the CPU, so it limits n. */
	return perfctr_cstatus_nractrs(cstatus) <= n && (!n || n == claim->n);
}

/* Refuse to use a state whose cstatus does not match the counters that it reserves. */
static __always_inline bool perfctr_state_sane(const struct perfctr_cpu_state *state)
{
	return !WARN_ON_ONCE(!perfctr_cstatus_fits(state->cstatus, &state->claim));
}

static __always_inline void perfctr_count_tsc(const struct perfctr_layer *layer,
					      struct perfctr_cpu_state *state)
{
	u32 now = layer->tsc();

	state->tsc_sum += (u32)(now - state->tsc_start);
	/* A reader in user space uses tsc_start to detect changes: write it last. */
	barrier();
	state->tsc_start = now;
}

static __always_inline u32 perfctr_count(const struct perfctr_layer *layer,
					 struct perfctr_cpu_state *state, unsigned int i)
{
	u32 now = layer->read_low(state->pmc[i].map);
	int counter = state->claim.counter[i];

	state->pmc[i].sum += (u32)(now - layer->saved_value(counter));
	layer->save(counter, now);
	return now;
}

static __always_inline void perfctr_state_sample(const struct perfctr_layer *layer,
						 struct perfctr_cpu_state *state)
{
	unsigned int i, n = perfctr_cstatus_nractrs(state->cstatus);
	bool readable = layer->readable();

	if (!perfctr_state_sane(state))
		return;
	for (i = 0; i < n; i++) {
		u32 now = perfctr_count(layer, state, i);

		if (readable)
			state->pmc[i].start = now;
	}
	if (perfctr_cstatus_has_tsc(state->cstatus))
		perfctr_count_tsc(layer, state);
}

/*
 * Called when layer->readable() may have changed. Counters that do not interrupt run on when
 * threads are switched, so they may include counts of other threads: reset them to 0 if user space
 * may read.
 */
static __always_inline void perfctr_state_update_readable(const struct perfctr_layer *layer,
							  struct perfctr_cpu_state *state)
{
	unsigned int i, n = perfctr_cstatus_nractrs(state->cstatus);

	if (!perfctr_state_sane(state))
		return;
	for (i = 0; i < n; i++) {
		int counter = state->claim.counter[i];

		perfctr_count(layer, state, i);
		if (!layer->readable())
			continue;
		layer->set(counter, 0);
		layer->save(counter, 0);
		state->pmc[i].start = 0;
	}
	if (perfctr_cstatus_has_tsc(state->cstatus))
		perfctr_count_tsc(layer, state);
}

static __always_inline void perfctr_state_suspend(const struct perfctr_layer *layer,
						  struct perfctr_cpu_state *state)
{
	const u32 cstatus = state->cstatus;
	unsigned int i, n = perfctr_cstatus_nrctrs(cstatus);

	if (!perfctr_state_sane(state))
		return;
	if (n) {
		layer->put(&state->claim);
		for (i = 0; i < n; i++)
			perfctr_count(layer, state, i);
		/* perfctr_state_start() continues interrupting counters from this value. */
		for (i = perfctr_cstatus_nractrs(cstatus); i < n; i++) {
			state->pmc[i].start = layer->saved_value(state->claim.counter[i]) +
					      state->behind[i];
			state->behind[i] = 0;
		}
	}
	if (perfctr_cstatus_has_tsc(cstatus))
		perfctr_count_tsc(layer, state);
}

/*
 * Lower the start value of an interrupting counter whose overflow is so near that the CPU might
 * miss it. The interrupt is late by perfctr_cpu_state::behind, which perfctr_state_suspend() adds,
 * so that the overflow is found even if the counter has few events between two switches.
 */
static __always_inline void perfctr_state_lower_start(struct perfctr_cpu_state *state,
						      unsigned int i)
{
	s32 nearest = -max_t(s32, state->claim.least[i], X86_MIN_PERIOD);
	s32 start = state->pmc[i].start;

	if (likely(start <= nearest || start >= 0))
		return;
	state->behind[i] = start - nearest;
	state->pmc[i].start = nearest;
}

/* Program the interrupting counters, unless they are unchanged, and run all counters. */
static __always_inline void perfctr_state_start(const struct perfctr_layer *layer,
						struct perfctr_cpu_state *state)
{
	unsigned int i, n = perfctr_cstatus_nrctrs(state->cstatus);

	for (i = perfctr_cstatus_nractrs(state->cstatus); i < n; i++) {
		u64 value;

		perfctr_state_lower_start(state, i);
		value = (s64)(s32)state->pmc[i].start;
		if ((state->k1 & PERFCTR_RELOAD) ||
		    layer->read(state->claim.counter[i]) != value)
			layer->set(state->claim.counter[i], value);
		layer->save(state->claim.counter[i], value);
	}
	state->k1 = 0;
	layer->start(&state->claim);
}

/*
 * Show the start values of the counters to user space if layer->readable(): only then are counters
 * cleared of other tasks' counts, which the start values would reveal.
 */
static __always_inline void perfctr_show_starts(const struct perfctr_layer *layer,
						struct perfctr_cpu_state *state)
{
	unsigned int i, n = perfctr_cstatus_nractrs(state->cstatus);

	if (!layer->readable())
		return;
	for (i = 0; i < n; i++)
		state->pmc[i].start = layer->saved_value(state->claim.counter[i]);
}

static __always_inline int perfctr_state_resume(const struct perfctr_layer *layer,
						struct perfctr_cpu_state *state)
{
	unsigned int i, n = perfctr_cstatus_nractrs(state->cstatus);

	if (!perfctr_state_sane(state))
		return -EINVAL;
	if (perfctr_cstatus_nrctrs(state->cstatus)) {
		int same = layer->get(&state->claim);

		if (same < 0)
			return same;
		if (!same)
			perfctr_state_start(layer, state);
		if (!same || !layer->has_saved(&state->claim)) {
			for (i = 0; i < n; i++)
				layer->save(state->claim.counter[i],
					    layer->read_low(state->pmc[i].map));
		}
		perfctr_show_starts(layer, state);
	}
	if (perfctr_cstatus_has_tsc(state->cstatus)) {
		barrier();
		state->tsc_start = layer->tsc();
	}
	return 0;
}

/*
 * Mask of the interrupting counters that have overflowed, including those in @state->revoked: perf
 * took these counters after the overflow and before its interrupt. Context: any; the counters of
 * @state do not run.
 */
static __always_inline unsigned int perfctr_state_overflowed(const struct perfctr_cpu_state *state)
{
	u32 cstatus = state->cstatus | state->revoked;
	unsigned int i, n = perfctr_cstatus_nrctrs(cstatus), mask = 0;

	if (!perfctr_cstatus_has_ictrs(cstatus) || !perfctr_state_sane(state))
		return 0;
	for (i = perfctr_cstatus_nractrs(cstatus); i < n; i++) {
		if ((s32)state->pmc[i].start >= 0)
			mask |= BIT(i);
	}
	return mask;
}

/*
 * Return perfctr_state_overflowed(), and reset these counters to their start values. Add the
 * counters in @state->revoked to cstatus again: vperfctr_overflow() saves cstatus for
 * vperfctr_iresume(), and then stops all counters. Context: any; @state is suspended.
 */
static __always_inline unsigned int perfctr_state_identify(struct perfctr_cpu_state *state)
{
	unsigned int i, mask = perfctr_state_overflowed(state);

	for (i = 0; mask >> i; i++) {
		if (mask & BIT(i))
			state->pmc[i].start = state->control.ireset[i];
	}
	state->cstatus |= state->revoked;
	state->revoked = 0;
	return mask;
}

/*
 * Remove the counters from a state; the TSC continues. An overflow may not be reported yet: its NMI
 * may be late, and its irq_work cannot run while interrupts are off. Then @state->revoked keeps the
 * counters of cstatus until perfctr_state_identify().
 */
static __always_inline void perfctr_state_revoke(const struct perfctr_layer *layer,
						 struct perfctr_cpu_state *state)
{
	u32 tsc = perfctr_mk_cstatus(perfctr_cstatus_has_tsc(state->cstatus), 0, 0);

	perfctr_state_suspend(layer, state);
	if (perfctr_state_overflowed(state))
		state->revoked = state->cstatus ^ tsc;
	state->cstatus = tsc;
}

/*
 * Set the counters from the control; interrupting ones start at their ireset value. Context: any;
 * @state does not run.
 */
static __always_inline void perfctr_state_set_counters(struct perfctr_cpu_state *state)
{
	const struct perfctr_cpu_control *control = &state->control;
	unsigned int i;

	for (i = 0; i < state->claim.n; i++) {
		state->pmc[i].map = control->pmc_map[i];
		if (i >= control->nractrs)
			state->pmc[i].start = control->ireset[i];
	}
}

/*
 * Begin a new period of the interrupting counters, unless @state->revoked still needs their values.
 * Context: any; @state is suspended.
 */
static __always_inline void perfctr_state_restart(struct perfctr_cpu_state *state)
{
	if (!state->revoked)
		perfctr_state_set_counters(state);
}

/* Set the state from a control that was checked. Context: any; @state does not run. */
static __always_inline void perfctr_state_begin(struct perfctr_cpu_state *state)
{
	const struct perfctr_cpu_control *control = &state->control;

	perfctr_state_set_counters(state);
	state->k1 = 0;
	state->cstatus = perfctr_mk_cstatus(control->tsc_on, control->nractrs, control->nrictrs);
}

#endif
