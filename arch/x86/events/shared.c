// SPDX-License-Identifier: GPL-2.0
/*
 * Functions for the other PMU drivers below arch/x86/events/.
 */
#include <linux/export.h>

#include "engine.h"

/*
 * Number of users of LBR, BTS or PT, by x86_lbr_exclusive_*: at most one element is nonzero, except
 * the element of PT with x86_model::pt_with_lbr.
 */
static atomic_t x86_exclusive[x86_lbr_exclusive_max];
static DEFINE_MUTEX(x86_exclusive_mutex);

/* Does a user of @what exclude users of @other? */
static bool x86_excludes(unsigned int what, unsigned int other)
{
	if (what == other)
		return false;
	if (what != x86_lbr_exclusive_pt && other != x86_lbr_exclusive_pt)
		return true;
	return !x86_nr_cores || !x86_cores[0]->model->pt_with_lbr;
}

/**
 * x86_add_exclusive - add a user of LBR, BTS or PT, which may exclude each other
 * @what: x86_lbr_exclusive_*
 *
 * Context: process.
 * Return: 0 on success, -EBUSY if LBR, BTS or PT has users that @what excludes.
 */
int x86_add_exclusive(unsigned int what)
{
	int i;

	/* While @what has users, those that @what excludes have no users. */
	if (atomic_inc_not_zero(&x86_exclusive[what]))
		return 0;
	guard(mutex)(&x86_exclusive_mutex);
	for (i = 0; i < x86_lbr_exclusive_max; i++) {
		if (x86_excludes(what, i) && atomic_read(&x86_exclusive[i]))
			return -EBUSY;
	}
	atomic_inc(&x86_exclusive[what]);
	return 0;
}

/**
 * x86_del_exclusive - remove a user of LBR, BTS or PT
 * @what: x86_lbr_exclusive_*
 */
void x86_del_exclusive(unsigned int what)
{
	atomic_dec(&x86_exclusive[what]);
}

/**
 * x86_has_exclusive - check for users of LBR, BTS or PT
 * @what: x86_lbr_exclusive_*
 *
 * Context: any.
 * Return: true if there are users.
 */
bool x86_has_exclusive(unsigned int what)
{
	return atomic_read(&x86_exclusive[what]);
}

/**
 * perf_assign_events - assign counters to events of an uncore PMU
 * @constraints: constraint of each event
 * @n: number of events
 * @wmin: smallest weight of the constraints; not used
 * @wmax: largest weight of the constraints; not used
 * @gpmax: number of general counters available; not used
 * @assign: receives the counter of each event; may be NULL
 *
 * Context: any.
 * Return: 0 if all events have a counter, otherwise @n.
 */
int perf_assign_events(struct event_constraint **constraints, int n,
		       int wmin, int wmax, int gpmax, int *assign)
{
	struct x86_constraint list[X86_COUNTERS_MAX];
	int i;

	if (n > X86_COUNTERS_MAX)
		return n;
	for (i = 0; i < n; i++)
		list[i] = (struct x86_constraint){ .allowed = constraints[i]->idxmsk64, .now = -1 };
	if (!x86_assign_counters(list, n, 0))
		return n;
	for (i = 0; assign && i < n; i++)
		assign[i] = list[i].assigned;
	return 0;
}
EXPORT_SYMBOL_GPL(perf_assign_events);
