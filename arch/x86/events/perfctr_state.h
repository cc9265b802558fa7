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
 * @low: the lower 32 bits of what one holds, by what RDPMC calls it
 * @take: have counters, with their selects set; those that interrupt stand still. Returns 0;
 *	1: all of them have run on since @leave, and run now; or -EBUSY: others are in the way
 * @keep: note what a counter held when it was read last for a state
 * @kept_value: what that was
 * @kept: has it been read for the last state as this one came, so that it is still the same?
 * @readable: may user space read counters here? Then it sees nothing that others have counted
 * @set: let a counter go on from a value
 * @run: let them run, if they do not yet
 * @leave: stop those that interrupt, and have no counters any more
 */
struct perfctr_layer {
	u32	(*tsc)(void);
	u64	(*read)(int counter);
	u32	(*low)(u32 map);
	int	(*take)(const struct x86_claim *claim);
	void	(*set)(int counter, u64 value);
	void	(*run)(const struct x86_claim *claim);
	void	(*leave)(const struct x86_claim *claim);
	void	(*keep)(int counter, u32 value);
	u32	(*kept_value)(int counter);
	bool	(*kept)(const struct x86_claim *claim);
	bool	(*readable)(void);
};

/* Does a cstatus tell of no counters, or of those that a claim has? */
static __always_inline bool perfctr_cstatus_fits(u32 cstatus, const struct x86_claim *claim)
{
	unsigned int n = perfctr_cstatus_nrctrs(cstatus);

	/* A claim has no more than there are. */
	return perfctr_cstatus_nractrs(cstatus) <= n && (!n || n == claim->n);
}

/* One that tells of others is not followed. */
static __always_inline bool perfctr_state_sane(const struct perfctr_cpu_state *state)
{
	return !WARN_ON_ONCE(!perfctr_cstatus_fits(state->cstatus, &state->claim));
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

static __always_inline u32 perfctr_count(const struct perfctr_layer *layer,
					 struct perfctr_cpu_state *state, unsigned int i)
{
	int counter = state->claim.counter[i];
	u32 now = layer->low(state->pmc[i].map);

	state->pmc[i].sum += (u32)(now - layer->kept_value(counter));
	layer->keep(counter, now);
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
 * User space can read counters from now on, or no more. Those that run on from one thread to the
 * next may hold what others have counted, so they count from 0. What those that interrupt hold
 * was counted for this state.
 */
static __always_inline void perfctr_state_readable(const struct perfctr_layer *layer,
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
		layer->keep(counter, 0);
		state->pmc[i].start = 0;
	}
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
		for (i = 0; i < n; i++)
			perfctr_count(layer, state, i);
		/* A counter that interrupts is set anew as it resumes, to what it stopped at. */
		for (i = perfctr_cstatus_nractrs(state->cstatus); i < n; i++)
			state->pmc[i].start = layer->kept_value(state->claim.counter[i]);
	}
	if (perfctr_cstatus_has_tsc(state->cstatus))
		perfctr_count_tsc(layer, state);
}

/*
 * The counters stop, while the TSC runs on, if it is on. An overflow whose signal has not been sent
 * is lost with them.
 */
static __always_inline void perfctr_state_give_way(const struct perfctr_layer *layer,
						   struct perfctr_cpu_state *state)
{
	perfctr_state_suspend(layer, state);
	state->cstatus = perfctr_mk_cstatus(perfctr_cstatus_has_tsc(state->cstatus), 0, 0);
}

/* Set counters that interrupt, unless they are as they were left, and let all of them run. */
static __always_inline void perfctr_state_run(const struct perfctr_layer *layer,
					      struct perfctr_cpu_state *state)
{
	unsigned int i, n = perfctr_cstatus_nrctrs(state->cstatus);

	for (i = perfctr_cstatus_nractrs(state->cstatus); i < n; i++) {
		u64 value = (s64)(s32)state->pmc[i].start;

		if ((state->k1 & PERFCTR_RELOAD) ||
		    layer->read(state->claim.counter[i]) != value)
			layer->set(state->claim.counter[i], value);
		layer->keep(state->claim.counter[i], value);
	}
	state->k1 = 0;
	layer->run(&state->claim);
}

/*
 * Tell user space from where its counters are being counted. Whoever has the page sees that,
 * so it is not told where a counter may hold what others have counted.
 */
static __always_inline void perfctr_show_starts(const struct perfctr_layer *layer,
						struct perfctr_cpu_state *state)
{
	unsigned int i, n = perfctr_cstatus_nractrs(state->cstatus);

	if (!layer->readable())
		return;
	for (i = 0; i < n; i++)
		state->pmc[i].start = layer->kept_value(state->claim.counter[i]);
}

static __always_inline int perfctr_state_resume(const struct perfctr_layer *layer,
						struct perfctr_cpu_state *state)
{
	unsigned int i, n = perfctr_cstatus_nractrs(state->cstatus);

	if (!perfctr_state_sane(state))
		return -EINVAL;
	if (perfctr_cstatus_nrctrs(state->cstatus)) {
		int same = layer->take(&state->claim);

		if (same < 0)
			return same;
		if (!same)
			perfctr_state_run(layer, state);
		if (!same || !layer->kept(&state->claim)) {
			for (i = 0; i < n; i++)
				layer->keep(state->claim.counter[i], layer->low(state->pmc[i].map));
		}
		perfctr_show_starts(layer, state);
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

/* Counters are those of the control, and interrupt after as long as that says. */
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

/* The part of a new control that comes after it has been found good. */
static __always_inline void perfctr_state_begin(struct perfctr_cpu_state *state)
{
	const struct perfctr_cpu_control *control = &state->control;

	perfctr_state_set_counters(state);
	state->k1 = 0;
	state->cstatus = perfctr_mk_cstatus(control->tsc_on, control->nractrs, control->nrictrs);
}

#endif
