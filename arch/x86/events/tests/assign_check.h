/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Check of x86_assign() against all assignments, for few counts on small PMUs. Used by the KUnit
 * suite and by tools/testing/perf_events/assign_test.c.
 */

/* Returns the fewest moves of all assignments; -1: there is no assignment. */
static int assign_least_moves(const struct x86_wish *wishes, int n, u64 used)
{
	int best = -1, i;

	if (!n)
		return 0;
	for (i = 0; i < X86_COUNTERS_MAX; i++) {
		int rest, moves;

		if (!(wishes->allowed & BIT_ULL(i)) || used & x86_wish_takes(wishes, i))
			continue;
		rest = assign_least_moves(wishes + 1, n - 1, used | x86_wish_takes(wishes, i));
		if (rest < 0)
			continue;
		moves = rest + (wishes->now >= 0 && wishes->now != i);
		if (best < 0 || moves < best)
			best = moves;
	}
	return best;
}

/* Compares x86_assign() with all assignments. Returns the fault found, or NULL. */
static const char *assign_fault(struct x86_wish *wishes, int n, u64 prefer)
{
	int least = assign_least_moves(wishes, n, 0), moves = 0, i;
	bool found = x86_assign(wishes, n, prefer);
	u64 used = 0;

	if (least < 0)
		return found ? "there is no assignment" : NULL;
	if (!found)
		return "an assignment is not found";
	for (i = 0; i < n; i++) {
		if (wishes[i].place < 0 || !(wishes[i].allowed & BIT_ULL(wishes[i].place)))
			return "a counter is not allowed";
		if (used & x86_wish_takes(&wishes[i], wishes[i].place))
			return "a counter is given twice";
		used |= x86_wish_takes(&wishes[i], wishes[i].place);
		moves += wishes[i].now >= 0 && wishes[i].now != wishes[i].place;
	}
	return moves == least ? NULL : "more move than must";
}

/* Pairs start at even counters. */
static bool assign_can_be_pair(u64 mask)
{
	return !(mask & 0xaaaaaaaaaaaaaaaaULL);
}

/*
 * Tries all lists of @n counts, in the order of their masks, on a PMU with @counters: each with
 * every set of counters, and currently on each free counter of that set, or on none.
 */
static const char *assign_try_all(struct x86_wish *wishes, int i, int n, int counters,
				  u64 taken, unsigned long *tried)
{
	const char *fault;
	int now, pair;
	u64 mask;

	if (i == n) {
		++*tried;
		return assign_fault(wishes, n, *tried);
	}
	for (mask = i ? wishes[i - 1].allowed : 1; mask < BIT_ULL(counters); mask++) {
		for (pair = 0; pair <= assign_can_be_pair(mask); pair++) {
			for (now = -1; now < counters; now++) {
				struct x86_wish *wish = &wishes[i];
				u64 takes;

				*wish = (struct x86_wish){
					.allowed = mask, .now = now, .pair = pair,
				};
				takes = now < 0 ? 0 : x86_wish_takes(wish, now);
				if (now >= 0 && (!(mask & BIT_ULL(now)) || taken & takes))
					continue;
				fault = assign_try_all(wishes, i + 1, n, counters,
						       taken | takes, tried);
				if (fault)
					return fault;
			}
		}
	}
	return NULL;
}
