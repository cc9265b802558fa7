// SPDX-License-Identifier: GPL-2.0
/*
 * Assignment of counters to events. Events that share a counter are one event in this file.
 *
 * Events and counters are the two sides of a bipartite graph; an assignment is a matching that
 * covers all events. The cost of an assignment is the number of events that must leave their
 * current counter. The matching is grown by one event at a time along an augmenting path of least
 * cost (Bellman-Ford). So an assignment is found if one exists, and one of least cost.
 *
 * Usually no path is needed: all events keep their counters, and there are free counters for the
 * new ones.
 *
 * An event with X86_PAIR needs two adjacent counters, which is not an edge of such a graph. All
 * combinations of counters for pairs are tried, with a matching of the other events for each. The
 * combinations are few: three pairs fit on six counters in six ways.
 *
 * This file uses no other code of the driver, and is also built in user space.
 */
#include "assign.h"

#ifdef __KERNEL__
#include <linux/bitops.h>
#include <linux/limits.h>
#else
#include <limits.h>
#define __ffs64(x)	__builtin_ctzll(x)
#define BIT_ULL(n)	(1ULL << (n))
#endif

/* The lowest counter in @mask, if possible one of @prefer. */
static int x86_first_choice(u64 mask, u64 prefer)
{
	return __ffs64(mask & prefer ?: mask);
}

/* Mask of the counters for @c if other events use the counters @used. */
static u64 x86_constraint_avail(const struct x86_constraint *c, u64 used)
{
	return c->allowed & ~(c->pair ? used | used >> 1 : used);
}

/* Keep all counters, and assign free ones to the rest. Returns false if that is not possible. */
static bool x86_assign_simply(struct x86_constraint *constraints, int n, u64 prefer)
{
	u64 used = 0;
	int i;

	for (i = 0; i < n; i++) {
		if (constraints[i].now < 0)
			continue;
		if (!(x86_constraint_avail(&constraints[i], used) & BIT_ULL(constraints[i].now)))
			return false;
		used |= x86_constraint_counters(&constraints[i], constraints[i].now);
	}
	for (i = 0; i < n; i++) {
		u64 free = x86_constraint_avail(&constraints[i], used);

		constraints[i].assigned = constraints[i].now;
		if (constraints[i].now >= 0)
			continue;
		if (!free)
			return false;
		constraints[i].assigned = x86_first_choice(free, prefer);
		used |= x86_constraint_counters(&constraints[i], constraints[i].assigned);
	}
	return true;
}

static int x86_cost(const struct x86_constraint *c, int counter)
{
	return c->now >= 0 && c->now != counter;
}

/**
 * struct x86_paths - paths of least cost from one event to each counter
 * @cost: cost of the path; INT_MAX: none found
 * @from: index of the event before the last step of the path
 * @owner: index of the event that the counter is assigned to; -1: none
 * @taken: mask of the counters assigned to pairs, which are not in the graph
 */
struct x86_paths {
	int	cost[X86_COUNTERS_MAX];
	s8	from[X86_COUNTERS_MAX];
	s8	owner[X86_COUNTERS_MAX];
	u64	taken;
};

/*
 * Extend the path that ends at event @c, with cost @cost, to the counters of @c. Returns true if
 * the path to a counter is cheaper now.
 */
static bool x86_extend(struct x86_paths *p, const struct x86_constraint *constraints, int c,
		       int cost)
{
	u64 mask = constraints[c].allowed & ~p->taken;
	bool better = false;
	int i;

	for (; mask; mask &= mask - 1) {
		int there = cost + x86_cost(&constraints[c], i = __ffs64(mask));

		if (there >= p->cost[i] || p->owner[i] == c)
			continue;
		p->cost[i] = there;
		p->from[i] = c;
		better = true;
	}
	return better;
}

/* Find the unassigned counter with the cheapest path from @first; -1: none. */
static int x86_find_path(struct x86_paths *p, const struct x86_constraint *constraints, int n,
			 int first, u64 prefer)
{
	int i, round, best = -1;

	for (i = 0; i < X86_COUNTERS_MAX; i++)
		p->cost[i] = INT_MAX;
	x86_extend(p, constraints, first, 0);
	/*
	 * No cycle has a negative cost, so a shortest path has each event once: n rounds are
	 * enough.
	 */
	for (round = 0; round < n; round++) {
		bool better = false;

		for (i = 0; i < X86_COUNTERS_MAX; i++) {
			int owner = p->owner[i];

			if (owner < 0 || p->cost[i] == INT_MAX)
				continue;
			better |= x86_extend(p, constraints, owner,
					     p->cost[i] - x86_cost(&constraints[owner], i));
		}
		if (!better)
			break;
	}
	for (i = 0; i < X86_COUNTERS_MAX; i++) {
		if (p->owner[i] >= 0 || p->cost[i] == INT_MAX)
			continue;
		if (best < 0 || p->cost[i] < p->cost[best] ||
		    (p->cost[i] == p->cost[best] && (prefer & BIT_ULL(i)) &&
		     !(prefer & BIT_ULL(best))))
			best = i;
	}
	return best;
}

/* Assign counters to all events but pairs, which have the counters @taken. */
static bool x86_assign_by_paths(struct x86_constraint *constraints, int n, u64 prefer, u64 taken)
{
	struct x86_paths p = { .taken = taken };
	int i, c, counter;

	for (i = 0; i < X86_COUNTERS_MAX; i++)
		p.owner[i] = -1;
	for (c = 0; c < n; c++) {
		if (constraints[c].pair)
			continue;
		counter = x86_find_path(&p, constraints, n, c, prefer);
		if (counter < 0)
			return false;
		/* Each event on the path moves to the next counter of the path. */
		while (true) {
			int taker = p.from[counter], left;

			p.owner[counter] = taker;
			if (taker == c) {
				constraints[taker].assigned = counter;
				break;
			}
			left = constraints[taker].assigned;
			constraints[taker].assigned = counter;
			counter = left;
		}
	}
	return true;
}

/**
 * struct x86_search - search for the cheapest counters of the pairs
 * @constraints: the events
 * @n: number of @constraints
 * @prefer: see x86_assign_counters()
 * @least: number of moves of the best assignment so far; INT_MAX: none found
 * @best: counter of each event in the best assignment so far
 */
struct x86_search {
	struct x86_constraint	*constraints;
	int			n;
	u64			prefer;
	int			least;
	s8			best[X86_COUNTERS_MAX];
};

/* Assign the pairs from index @i on. Earlier pairs use the counters @taken, after @moves moves. */
static void x86_try_pairs(struct x86_search *search, int i, u64 taken, int moves)
{
	struct x86_constraint *constraints = search->constraints;
	u64 free;

	while (i < search->n && !constraints[i].pair)
		i++;
	if (moves >= search->least)
		return;
	if (i < search->n) {
		for (free = x86_constraint_avail(&constraints[i], taken); free; free &= free - 1) {
			int counter = __ffs64(free);

			constraints[i].assigned = counter;
			x86_try_pairs(search, i + 1,
				      taken | x86_constraint_counters(&constraints[i], counter),
				      moves + x86_cost(&constraints[i], counter));
		}
		return;
	}
	if (!x86_assign_by_paths(constraints, search->n, search->prefer, taken))
		return;
	for (i = 0; i < search->n; i++) {
		if (!constraints[i].pair)
			moves += x86_cost(&constraints[i], constraints[i].assigned);
	}
	if (moves >= search->least)
		return;
	search->least = moves;
	for (i = 0; i < search->n; i++)
		search->best[i] = constraints[i].assigned;
}

static bool x86_assign_with_pairs(struct x86_constraint *constraints, int n, u64 prefer)
{
	struct x86_search search = {
		.constraints = constraints, .n = n, .prefer = prefer, .least = INT_MAX,
	};
	int i;

	x86_try_pairs(&search, 0, 0, 0);
	if (search.least == INT_MAX)
		return false;
	for (i = 0; i < n; i++)
		constraints[i].assigned = search.best[i];
	return true;
}

static bool x86_assign_hard(struct x86_constraint *constraints, int n, u64 prefer)
{
	int i;

	for (i = 0; i < n; i++) {
		if (constraints[i].pair)
			return x86_assign_with_pairs(constraints, n, prefer);
	}
	return x86_assign_by_paths(constraints, n, prefer, 0);
}

/**
 * x86_assign_counters - assign a counter, or a pair of counters, to each event
 * @constraints: array of @n events; x86_constraint::allowed, now and pair are set
 * @n: number of events, at most X86_COUNTERS_MAX
 * @prefer: mask of the counters to use first
 *
 * Takes about n^2 steps if all new events find a free counter, and at most n^2 times the number of
 * allowed counters otherwise. With pairs, the steps are repeated for each combination of their
 * counters.
 *
 * Context: any.
 * Return: true if all events have a counter: x86_constraint::assigned is set, and as few events as
 * possible move; false otherwise.
 */
bool x86_assign_counters(struct x86_constraint *constraints, int n, u64 prefer)
{
	return n <= X86_COUNTERS_MAX &&
	       (x86_assign_simply(constraints, n, prefer) ||
		x86_assign_hard(constraints, n, prefer));
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/assign_test.c"
#endif
