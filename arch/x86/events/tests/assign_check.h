/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is an assignment right? Tried by all others, for few events on small PMUs. Used by the
 * KUnit suite and by tools/testing/perf_events/assign_test.c.
 */

/* The least number that must move, over all assignments; -1: there is none. */
static int assign_least_moves(const struct x86_wish *wishes, int n, u64 used)
{
	int best = -1, i;

	if (!n)
		return 0;
	for (i = 0; i < X86_COUNTERS_MAX; i++) {
		int rest, moves;

		if (!(wishes->allowed & ~used & BIT_ULL(i)))
			continue;
		rest = assign_least_moves(wishes + 1, n - 1, used | BIT_ULL(i));
		if (rest < 0)
			continue;
		moves = rest + (wishes->now >= 0 && wishes->now != i);
		if (best < 0 || moves < best)
			best = moves;
	}
	return best;
}

/* Return: the fault in the assignment that x86_assign() makes of these wishes, or NULL. */
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
		if (used & BIT_ULL(wishes[i].place))
			return "a counter is given twice";
		used |= BIT_ULL(wishes[i].place);
		moves += wishes[i].now >= 0 && wishes[i].now != wishes[i].place;
	}
	return moves == least ? NULL : "more move than must";
}

/*
 * All lists of @n wishes, in the order of their masks, on a PMU of @counters: each with
 * every set of counters, and on each counter of it that is not taken, or on none.
 */
static const char *assign_try_all(struct x86_wish *wishes, int i, int n, int counters,
				  u64 taken, unsigned long *tried)
{
	const char *fault;
	u64 mask;
	int now;

	if (i == n) {
		++*tried;
		return assign_fault(wishes, n, *tried);
	}
	for (mask = i ? wishes[i - 1].allowed : 1; mask < BIT_ULL(counters); mask++) {
		for (now = -1; now < counters; now++) {
			if (now >= 0 && !(mask & ~taken & BIT_ULL(now)))
				continue;
			wishes[i] = (struct x86_wish){ .allowed = mask, .now = now };
			fault = assign_try_all(wishes, i + 1, n, counters,
					       now < 0 ? taken : taken | BIT_ULL(now), tried);
			if (fault)
				return fault;
		}
	}
	return NULL;
}
