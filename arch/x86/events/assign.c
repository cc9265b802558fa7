// SPDX-License-Identifier: GPL-2.0
/*
 * The assignment of counters.
 *
 * Things to count and counters are the two sides of a bipartite graph, and an
 * assignment is a matching that leaves nothing to count without a counter. It costs
 * one for each that must leave the counter that it has. The matching grows by one
 * wish at a time, along a path of least cost (the Bellman-Ford algorithm), which finds
 * a matching whenever there is one, and among them one of least cost.
 *
 * Almost always no path is needed: those that have a counter keep it, and there is a
 * free one for each of the rest.
 *
 * A wish for two counters is no edge of such a graph. All places for these are tried, with
 * a matching of the rest for each. They are few: three pairs have six on six counters.
 *
 * This file is free of everything else of the kernel, and is built in user space, too.
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

/* The counter of @mask to take first: one of @prefer, and then the lowest. */
static int x86_first_choice(u64 mask, u64 prefer)
{
	return __ffs64(mask & prefer ?: mask);
}

/* Where a wish can go if others have the counters @used. */
static u64 x86_wish_free(const struct x86_wish *wish, u64 used)
{
	return wish->allowed & ~(wish->pair ? used | used >> 1 : used);
}

/* Everybody stays, and newcomers get what is free; false if that does not go. */
static bool x86_assign_simply(struct x86_wish *wishes, int n, u64 prefer)
{
	u64 used = 0;
	int i;

	for (i = 0; i < n; i++) {
		if (wishes[i].now < 0)
			continue;
		if (!(x86_wish_free(&wishes[i], used) & BIT_ULL(wishes[i].now)))
			return false;
		used |= x86_wish_takes(&wishes[i], wishes[i].now);
	}
	for (i = 0; i < n; i++) {
		u64 free = x86_wish_free(&wishes[i], used);

		wishes[i].place = wishes[i].now;
		if (wishes[i].now >= 0)
			continue;
		if (!free)
			return false;
		wishes[i].place = x86_first_choice(free, prefer);
		used |= x86_wish_takes(&wishes[i], wishes[i].place);
	}
	return true;
}

static int x86_cost(const struct x86_wish *wish, int counter)
{
	return wish->now >= 0 && wish->now != counter;
}

/**
 * struct x86_paths - paths of least cost from one wish to each counter
 * @cost: of the path, INT_MAX where there is none yet
 * @from: the wish that the path's last step leaves
 * @owner: the wish that has the counter now, -1 for none
 * @taken: counters that pairs have, where no path goes
 */
struct x86_paths {
	int	cost[X86_COUNTERS_MAX];
	s8	from[X86_COUNTERS_MAX];
	s8	owner[X86_COUNTERS_MAX];
	u64	taken;
};

/* Let @wish, which is reached at @cost, go on to its counters. Has any become cheaper? */
static bool x86_extend(struct x86_paths *p, const struct x86_wish *wishes, int wish, int cost)
{
	u64 mask = wishes[wish].allowed & ~p->taken;
	bool better = false;
	int i;

	for (; mask; mask &= mask - 1) {
		int there = cost + x86_cost(&wishes[wish], i = __ffs64(mask));

		if (there >= p->cost[i] || p->owner[i] == wish)
			continue;
		p->cost[i] = there;
		p->from[i] = wish;
		better = true;
	}
	return better;
}

/* The free counter at the end of the cheapest path from @first, -1 for none. */
static int x86_find_path(struct x86_paths *p, const struct x86_wish *wishes, int n, int first,
			 u64 prefer)
{
	int i, round, best = -1;

	for (i = 0; i < X86_COUNTERS_MAX; i++)
		p->cost[i] = INT_MAX;
	x86_extend(p, wishes, first, 0);
	/* No path passes a wish twice, since no cycle gains anything: n rounds are enough. */
	for (round = 0; round < n; round++) {
		bool better = false;

		for (i = 0; i < X86_COUNTERS_MAX; i++) {
			int owner = p->owner[i];

			if (owner < 0 || p->cost[i] == INT_MAX)
				continue;
			better |= x86_extend(p, wishes, owner,
					     p->cost[i] - x86_cost(&wishes[owner], i));
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

/* All but pairs, which have the counters @taken. */
static bool x86_assign_by_paths(struct x86_wish *wishes, int n, u64 prefer, u64 taken)
{
	struct x86_paths p = { .taken = taken };
	int i, wish, counter;

	for (i = 0; i < X86_COUNTERS_MAX; i++)
		p.owner[i] = -1;
	for (wish = 0; wish < n; wish++) {
		if (wishes[wish].pair)
			continue;
		counter = x86_find_path(&p, wishes, n, wish, prefer);
		if (counter < 0)
			return false;
		/* Each on the path takes the counter ahead, and leaves its own to the next. */
		while (true) {
			int taker = p.from[counter], left;

			p.owner[counter] = taker;
			if (taker == wish) {
				wishes[taker].place = counter;
				break;
			}
			left = wishes[taker].place;
			wishes[taker].place = counter;
			counter = left;
		}
	}
	return true;
}

/**
 * struct x86_search - the search for the best places of pairs
 * @wishes: array of
 * @n: so many
 * @prefer: see x86_assign()
 * @least: how many move in the best assignment so far, INT_MAX: there is none
 * @best: the counter of each wish in it
 */
struct x86_search {
	struct x86_wish	*wishes;
	int		n;
	u64		prefer;
	int		least;
	s8		best[X86_COUNTERS_MAX];
};

/* The pairs before wish @i have the counters @taken, by so many moves. */
static void x86_try_pairs(struct x86_search *search, int i, u64 taken, int moves)
{
	struct x86_wish *wishes = search->wishes;
	u64 free;

	while (i < search->n && !wishes[i].pair)
		i++;
	if (moves >= search->least)
		return;
	if (i < search->n) {
		for (free = x86_wish_free(&wishes[i], taken); free; free &= free - 1) {
			int place = __ffs64(free);

			wishes[i].place = place;
			x86_try_pairs(search, i + 1, taken | x86_wish_takes(&wishes[i], place),
				      moves + x86_cost(&wishes[i], place));
		}
		return;
	}
	if (!x86_assign_by_paths(wishes, search->n, search->prefer, taken))
		return;
	for (i = 0; i < search->n; i++) {
		if (!wishes[i].pair)
			moves += x86_cost(&wishes[i], wishes[i].place);
	}
	if (moves >= search->least)
		return;
	search->least = moves;
	for (i = 0; i < search->n; i++)
		search->best[i] = wishes[i].place;
}

static bool x86_assign_with_pairs(struct x86_wish *wishes, int n, u64 prefer)
{
	struct x86_search search = {
		.wishes = wishes, .n = n, .prefer = prefer, .least = INT_MAX,
	};
	int i;

	x86_try_pairs(&search, 0, 0, 0);
	if (search.least == INT_MAX)
		return false;
	for (i = 0; i < n; i++)
		wishes[i].place = search.best[i];
	return true;
}

static bool x86_assign_hard(struct x86_wish *wishes, int n, u64 prefer)
{
	int i;

	for (i = 0; i < n; i++) {
		if (wishes[i].pair)
			return x86_assign_with_pairs(wishes, n, prefer);
	}
	return x86_assign_by_paths(wishes, n, prefer, 0);
}

/**
 * x86_assign - give each wish a counter of its own, or a pair of them
 * @wishes: array of @n
 * @n: at most X86_COUNTERS_MAX
 * @prefer: counters to take before others where both will do
 *
 * Any context. It takes some n^2 steps where all find a free counter, and at most
 * n^2 times the number of allowed counters where they have to make room; with pairs, as
 * often as these have places.
 *
 * Return: true exactly if there is such an assignment; then @place of each is set, and
 * as many as can stay have @place == @now. Otherwise @place means nothing.
 */
bool x86_assign(struct x86_wish *wishes, int n, u64 prefer)
{
	return n <= X86_COUNTERS_MAX &&
	       (x86_assign_simply(wishes, n, prefer) || x86_assign_hard(wishes, n, prefer));
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/assign_test.c"
#endif
