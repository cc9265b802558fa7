/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctr's counts as they go on: what the low-level driver does with a state, on any layer
 * of registers. The layer is a constant where these functions are called, so that calls to
 * it are none.
 *
 * Interrupts are off in all of this. A state belongs to the thread that runs on this CPU.
 */
#ifndef _ARCH_X86_EVENTS_PERFCTR_STATE_H
#define _ARCH_X86_EVENTS_PERFCTR_STATE_H

#include <asm/perfctr.h>

/* perfctr_cpu_state::k1 */
#define PERFCTR_RELOAD	1	/* counters that interrupt are to be set, whatever they hold */

/**
 * struct perfctr_layer - registers
 * @tsc: read the time stamp counter
 * @read: what a counter holds, by its number, extended by its sign
 * @low: the lower 32 bits of it
 * @take: have counters, with their selects set; those that interrupt stand still. Returns 0;
 *	1: all of them have run on since @leave; or -EBUSY: others are in the way
 * @keep: what a counter holds has been read, at the end of @leave
 * @kept: that value, if nothing has run on this CPU since then; or else @low
 * @set: let a counter that stands still go on from a value
 * @run: let them run
 * @leave: stop those that interrupt, and have no counters any more
 */
struct perfctr_layer {
	u32	(*tsc)(void);
	u64	(*read)(int counter);
	u32	(*low)(int counter);
	int	(*take)(const struct x86_claim *claim);
	void	(*set)(int counter, u64 value);
	void	(*run)(const struct x86_claim *claim);
	void	(*leave)(const struct x86_claim *claim);
	void	(*keep)(int counter, u32 value);
	u32	(*kept)(int counter);
};

/* A cstatus that tells of other counters than the claim has is not followed. */
static __always_inline bool perfctr_state_sane(const struct perfctr_cpu_state *state)
{
	unsigned int n = perfctr_cstatus_nrctrs(state->cstatus);

	if (WARN_ON_ONCE(n > PERFCTR_MAX_COUNTERS ||
			 perfctr_cstatus_nractrs(state->cstatus) > n ||
			 (n && n != state->claim.n)))
		return false;
	return true;
}

static __always_inline void perfctr_count_tsc(const struct perfctr_layer *layer,
					      struct perfctr_cpu_state *state)
{
	u32 now = layer->tsc();

	state->tsc_sum += (u32)(now - state->tsc_start);
	/* Readers in user space take it that all has changed when this has. */
	barrier();
	state->tsc_start = now;
}

static __always_inline void perfctr_count(const struct perfctr_layer *layer,
					  struct perfctr_cpu_state *state, unsigned int i)
{
	u32 now = layer->low(state->claim.counter[i]);

	state->pmc[i].sum += (u32)(now - state->pmc[i].start);
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
		layer->leave(&state->claim);
		for (i = 0; i < n; i++) {
			perfctr_count(layer, state, i);
			layer->keep(state->claim.counter[i], state->pmc[i].start);
		}
	}
	if (perfctr_cstatus_has_tsc(state->cstatus))
		perfctr_count_tsc(layer, state);
}

static __always_inline int perfctr_state_resume(const struct perfctr_layer *layer,
						struct perfctr_cpu_state *state)
{
	unsigned int i, n = perfctr_cstatus_nrctrs(state->cstatus);
	unsigned int na = perfctr_cstatus_nractrs(state->cstatus);

	if (!perfctr_state_sane(state))
		return -EINVAL;
	if (n) {
		int same = layer->take(&state->claim);

		if (same < 0)
			return same;
		for (i = na; i < n; i++) {
			u64 value = (s64)(s32)state->pmc[i].start;

			if ((state->k1 & PERFCTR_RELOAD) ||
			    layer->read(state->claim.counter[i]) != value)
				layer->set(state->claim.counter[i], value);
		}
		state->k1 = 0;
		layer->run(&state->claim);
		for (i = 0; i < na; i++) {
			int counter = state->claim.counter[i];

			state->pmc[i].start = same ? layer->kept(counter) : layer->low(counter);
		}
	}
	if (perfctr_cstatus_has_tsc(state->cstatus)) {
		barrier();
		state->tsc_start = layer->tsc();
	}
	return 0;
}

/* Have counters that interrupt passed zero? */
static __always_inline unsigned int perfctr_state_overflowed(const struct perfctr_cpu_state *state)
{
	unsigned int i, n = perfctr_cstatus_nrctrs(state->cstatus), mask = 0;

	if (!perfctr_cstatus_has_ictrs(state->cstatus) || !perfctr_state_sane(state))
		return 0;
	for (i = perfctr_cstatus_nractrs(state->cstatus); i < n; i++) {
		if ((s32)state->pmc[i].start >= 0)
			mask |= BIT(i);
	}
	return mask;
}

static __always_inline unsigned int perfctr_state_identify(struct perfctr_cpu_state *state)
{
	unsigned int i, mask = perfctr_state_overflowed(state);

	for (i = 0; mask >> i; i++) {
		if (mask & BIT(i))
			state->pmc[i].start = state->control.ireset[i];
	}
	return mask;
}

/* The part of a new control that comes after it has been found good. */
static __always_inline void perfctr_state_begin(struct perfctr_cpu_state *state)
{
	const struct perfctr_cpu_control *control = &state->control;
	unsigned int i;

	for (i = 0; i < state->claim.n; i++) {
		state->pmc[i].map = control->pmc_map[i];
		if (i >= control->nractrs)
			state->pmc[i].start = control->ireset[i];
	}
	state->k1 = 0;
	state->cstatus = perfctr_mk_cstatus(control->tsc_on, control->nractrs, control->nrictrs);
}

#endif
