/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctr: operations on a struct perfctr_cpu_state. The operations access registers through the
 * functions of a struct perfctr_layer. Each caller passes a constant, so the compiler emits direct
 * calls.
 *
 * A counter overflows when its bit 31 becomes 1. So an i-mode counter starts at its ireset value
 * plus 2^31: the overflow is after -ireset occurrences.
 *
 * perfctr_state_resume() sets all counters, and perfctr_state_suspend() stops all counters. So
 * start values depend only on the counts of the state's owner. The start value of an a-mode counter
 * is 0 while the state does not run.
 *
 * Context of all functions, unless noted: interrupts off, overflow interrupt masked, on the CPU of
 * the thread that owns the state.
 */
#ifndef _POWERPC_PERF_PERFCTR_STATE_H
#define _POWERPC_PERF_PERFCTR_STATE_H

#include <asm/perfctr.h>
#include "claim.h"

/* Added to the ireset value of an i-mode counter */
#define PERFCTR_I_MODE_BASE	0x80000000U

/**
 * struct perfctr_layer - register access
 * @tsc: reads the lower half of the time base
 * @get: reserves and programs counters, which are frozen until @start. Returns 0 or -EBUSY
 * @read: reads a counter by its number
 * @set: writes a frozen counter
 * @start: starts the counters
 * @stop: freezes the counters until @put
 * @put: releases the counters
 */
struct perfctr_layer {
	u32	(*tsc)(void);
	int	(*get)(const struct power_claim *claim);
	u32	(*read)(int counter);
	void	(*set)(int counter, u32 value);
	void	(*start)(const struct power_claim *claim);
	void	(*stop)(void);
	void	(*put)(const struct power_claim *claim);
};

static_assert(sizeof(struct power_claim) == 8 * PERFCTR_CLAIM_WORDS);
static_assert(ARRAY_SIZE(((struct power_claim *)0)->counter) == PERFCTR_MAX_COUNTERS);

/* The counters to reserve for a state. Context: any. */
static __always_inline struct power_claim *perfctr_claim(struct perfctr_cpu_state *state)
{
	return (struct power_claim *)state->claim;
}

/* Does @cstatus have no counters, or as many as the claim? */
static __always_inline bool perfctr_cstatus_fits(u32 cstatus, const struct power_claim *claim)
{
	unsigned int n = perfctr_cstatus_nrctrs(cstatus);

	/* The claim bounds @n: a claim has at most as many counters as the CPU. */
	return perfctr_cstatus_nractrs(cstatus) <= n && (!n || n == claim->n);
}

/* Refuse to use a state that does not match its claim. */
static __always_inline bool perfctr_state_sane(const struct perfctr_cpu_state *state)
{
	const struct power_claim *claim = (const struct power_claim *)state->claim;

	return !WARN_ON_ONCE(!perfctr_cstatus_fits(state->cstatus, claim));
}

static __always_inline void perfctr_count_tsc(const struct perfctr_layer *layer,
					      struct perfctr_cpu_state *state)
{
	u32 now = layer->tsc();

	state->tsc_sum += (u32)(now - state->tsc_start);
	/* A reader in user space uses tsc_start to detect changes: write tsc_start last. */
	barrier();
	state->tsc_start = now;
}

/* If the counter has stepped back, keep the start value: see power_progress(). */
static __always_inline void perfctr_count(const struct perfctr_layer *layer,
					  struct perfctr_cpu_state *state, unsigned int i)
{
	u32 now = layer->read(perfctr_claim(state)->counter[i]);
	u32 delta = power_progress(state->pmc[i].start, now);

	if (!delta)
		return;
	state->pmc[i].sum += delta;
	state->pmc[i].start = now;
}

static __always_inline void perfctr_state_sample(const struct perfctr_layer *layer,
						 struct perfctr_cpu_state *state)
{
	unsigned int i, n = perfctr_cstatus_nractrs(state->cstatus);

	if (!perfctr_state_sane(state))
		return;
	for (i = 0; i < n; i++)
		perfctr_count(layer, state, i);
	if (perfctr_cstatus_has_tsc(state->cstatus))
		perfctr_count_tsc(layer, state);
}

static __always_inline void perfctr_state_suspend(const struct perfctr_layer *layer,
						  struct perfctr_cpu_state *state)
{
	unsigned int i, n = perfctr_cstatus_nrctrs(state->cstatus);

	if (!perfctr_state_sane(state))
		return;
	if (n) {
		layer->stop();
		/* perfctr_state_resume() continues an i-mode counter from the start stored here. */
		for (i = 0; i < n; i++)
			perfctr_count(layer, state, i);
		for (i = 0; i < perfctr_cstatus_nractrs(state->cstatus); i++)
			state->pmc[i].start = 0;
		layer->put(perfctr_claim(state));
	}
	if (perfctr_cstatus_has_tsc(state->cstatus))
		perfctr_count_tsc(layer, state);
}

static __always_inline int perfctr_state_resume(const struct perfctr_layer *layer,
						struct perfctr_cpu_state *state)
{
	unsigned int i, n = perfctr_cstatus_nrctrs(state->cstatus);
	const struct power_claim *claim = perfctr_claim(state);
	int err;

	if (!perfctr_state_sane(state))
		return -EINVAL;
	if (n) {
		err = layer->get(claim);
		if (err)
			return err;
		for (i = 0; i < n; i++) {
			/* The PMU driver has cleared the counters: most need no write. */
			if (layer->read(claim->counter[i]) != state->pmc[i].start)
				layer->set(claim->counter[i], state->pmc[i].start);
		}
		layer->start(claim);
	}
	if (perfctr_cstatus_has_tsc(state->cstatus)) {
		barrier();
		state->tsc_start = layer->tsc();
	}
	return 0;
}

/*
 * Add overflowed a-mode counters to their sums. power_claim_handle_overflow() then sets the
 * counters to 0.
 *
 * Context: overflow interrupt, counters frozen.
 */
static __always_inline void perfctr_state_wrap(const struct perfctr_layer *layer,
					       struct perfctr_cpu_state *state, u32 counters)
{
	unsigned int i, n = perfctr_cstatus_nractrs(state->cstatus);

	if (!perfctr_state_sane(state))
		return;
	for (i = 0; i < n; i++) {
		if (!(counters & BIT(perfctr_claim(state)->counter[i])))
			continue;
		perfctr_count(layer, state, i);
		state->pmc[i].start = 0;
	}
	if (perfctr_cstatus_has_tsc(state->cstatus))
		perfctr_count_tsc(layer, state);
}

/*
 * Mask of the i-mode counters that have overflowed, including those in @state->revoked: perf took
 * these counters after the overflow and before its interrupt. Context: any; the counters of @state
 * do not run.
 */
static __always_inline unsigned int perfctr_state_overflowed(const struct perfctr_cpu_state *state)
{
	u32 cstatus = state->cstatus | state->revoked;
	unsigned int i, n = perfctr_cstatus_nrctrs(cstatus), mask = 0;

	if (!perfctr_cstatus_has_ictrs(cstatus) || !perfctr_state_sane(state))
		return 0;
	for (i = perfctr_cstatus_nractrs(cstatus); i < n; i++) {
		if (state->pmc[i].start & PERFCTR_I_MODE_BASE)
			mask |= BIT(i);
	}
	return mask;
}

/* The start value of i-mode counter @i of a new control, and after an overflow */
static __always_inline u32 perfctr_state_first(const struct perfctr_cpu_state *state,
					       unsigned int i)
{
	return state->control.ireset[i] + PERFCTR_I_MODE_BASE;
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
			state->pmc[i].start = perfctr_state_first(state, i);
	}
	state->cstatus |= state->revoked;
	state->revoked = 0;
	return mask;
}

/*
 * Remove the counters from a state; the time base continues. The overflow interrupt may be pending:
 * @state->revoked remembers the overflow until perfctr_state_identify().
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
 * Set the counters from the control; i-mode ones start at their ireset value. Context: any; @state
 * does not run.
 */
static __always_inline void perfctr_state_set_counters(struct perfctr_cpu_state *state)
{
	const struct perfctr_cpu_control *control = &state->control;
	unsigned int i;

	for (i = 0; i < perfctr_claim(state)->n; i++) {
		state->pmc[i].map = control->pmc_map[i];
		state->pmc[i].start = i < control->nractrs ? 0 : perfctr_state_first(state, i);
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
	state->cstatus = perfctr_mk_cstatus(control->tsc_on, control->nractrs, control->nrictrs);
}

#endif
