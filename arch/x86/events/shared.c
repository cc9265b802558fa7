// SPDX-License-Identifier: GPL-2.0
/*
 * Functions for the other drivers below arch/x86/events/.
 */
#include <linux/export.h>

#include "engine.h"

/* Users of the branch records that shut one another out: any number of one kind. */
static atomic_t x86_exclusive[x86_lbr_exclusive_max];
static DEFINE_MUTEX(x86_exclusive_mutex);

/**
 * x86_add_exclusive - one more user of a kind
 * @what: x86_lbr_exclusive_*
 *
 * Process context.
 *
 * Return: 0, or -EBUSY: there are users of another kind.
 */
int x86_add_exclusive(unsigned int what)
{
	int i;

	/* Nothing is shut out while branches are not recorded by anybody else. */
	guard(mutex)(&x86_exclusive_mutex);
	for (i = 0; i < x86_lbr_exclusive_max; i++) {
		if (i != what && atomic_read(&x86_exclusive[i]))
			return -EBUSY;
	}
	atomic_inc(&x86_exclusive[what]);
	return 0;
}

/**
 * x86_del_exclusive - one user less
 * @what: x86_lbr_exclusive_*
 */
void x86_del_exclusive(unsigned int what)
{
	atomic_dec(&x86_exclusive[what]);
}

/**
 * x86_has_exclusive - are there users of a kind?
 * @what: x86_lbr_exclusive_*
 *
 * Any context.
 */
bool x86_has_exclusive(unsigned int what)
{
	return atomic_read(&x86_exclusive[what]);
}

/**
 * perf_assign_events - give events of an uncore PMU counters
 * @constraints: of each event
 * @n: number of events
 * @wmin: least weight of a constraint
 * @wmax: greatest weight
 * @gpmax: number of general counters that events may have
 * @assign: set to the counter of each event; may be NULL
 *
 * Any context.
 *
 * Return: 0, or how many events have no counter, if not all can have one.
 */
int perf_assign_events(struct event_constraint **constraints, int n,
		       int wmin, int wmax, int gpmax, int *assign)
{
	struct x86_wish wishes[X86_COUNTERS_MAX];
	int i;

	if (n > X86_COUNTERS_MAX)
		return n;
	for (i = 0; i < n; i++)
		wishes[i] = (struct x86_wish){ .allowed = constraints[i]->idxmsk64, .now = -1 };
	if (!x86_assign(wishes, n, 0))
		return n;
	for (i = 0; assign && i < n; i++)
		assign[i] = wishes[i].place;
	return 0;
}
EXPORT_SYMBOL_GPL(perf_assign_events);
