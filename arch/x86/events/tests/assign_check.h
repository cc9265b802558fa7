/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Check of x86_assign_counters() against all assignments, for few events on small PMUs. Used by the
 * KUnit suite and by tools/testing/perf_events/x86_assign_test.c.
 */

/* Returns the fewest moves of all assignments; -1: there is no assignment. */
static int assign_least_moves(const struct x86_constraint *constraints, int n, u64 used)
{
	int best = -1, i;

	if (!n)
		return 0;
	for (i = 0; i < X86_COUNTERS_MAX; i++) {
		int rest, moves;

		if (!(constraints->allowed & BIT_ULL(i)) ||
		    used & x86_constraint_counters(constraints, i))
			continue;
		rest = assign_least_moves(constraints + 1, n - 1,
					  used | x86_constraint_counters(constraints, i));
		if (rest < 0)
			continue;
		moves = rest + (constraints->now >= 0 && constraints->now != i);
		if (best < 0 || moves < best)
			best = moves;
	}
	return best;
}

/* Compares x86_assign_counters() with all assignments. Returns the fault found, or NULL. */
static const char *assign_fault(struct x86_constraint *constraints, int n, u64 prefer)
{
	int least = assign_least_moves(constraints, n, 0), moves = 0, i;
	bool found = x86_assign_counters(constraints, n, prefer);
	u64 used = 0;

	if (least < 0)
		return found ? "x86_assign_counters() found an impossible assignment" : NULL;
	if (!found)
		return "x86_assign_counters() missed an assignment";
	for (i = 0; i < n; i++) {
		if (constraints[i].assigned < 0 ||
		    !(constraints[i].allowed & BIT_ULL(constraints[i].assigned)))
			return "a counter is not allowed";
		if (used & x86_constraint_counters(&constraints[i], constraints[i].assigned))
			return "a counter is assigned twice";
		used |= x86_constraint_counters(&constraints[i], constraints[i].assigned);
		moves += constraints[i].now >= 0 && constraints[i].now != constraints[i].assigned;
	}
	return moves == least ? NULL : "too many counts move";
}

/* Pairs start at even counters. */
static bool assign_can_be_pair(u64 mask)
{
	return !(mask & 0xaaaaaaaaaaaaaaaaULL);
}

/*
 * Tries all lists of @n events, in the order of their masks, on a PMU with @counters. Each set of
 * counters is tried as the mask of each event, with the event currently on each free counter of the
 * set, or on none.
 */
static const char *assign_try_all(struct x86_constraint *constraints, int i, int n, int counters,
				  u64 taken, unsigned long *tried)
{
	const char *fault;
	int now, pair;
	u64 mask;

	if (i == n) {
		++*tried;
		return assign_fault(constraints, n, *tried);
	}
	for (mask = i ? constraints[i - 1].allowed : 1; mask < BIT_ULL(counters); mask++) {
		for (pair = 0; pair <= assign_can_be_pair(mask); pair++) {
			for (now = -1; now < counters; now++) {
				struct x86_constraint *c = &constraints[i];
				u64 takes;

				*c = (struct x86_constraint){
				     .allowed = mask, .now = now, .pair = pair,
				};
				takes = now < 0 ? 0 : x86_constraint_counters(c, now);
				if (now >= 0 && (!(mask & BIT_ULL(now)) || taken & takes))
					continue;
				fault = assign_try_all(constraints, i + 1, n, counters,
						       taken | takes, tried);
				if (fault)
					return fault;
			}
		}
	}
	return NULL;
}
