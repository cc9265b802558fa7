// SPDX-License-Identifier: GPL-2.0
/*
 * The assignment of counters on x86 (the kernel's source), compared with brute force: all lists on
 * small PMUs, and random lists of up to eight constraints, with pairs of counters.
 */
#include "harness.h"

#include "../../../arch/x86/events/assign.c"
#include "../../../arch/x86/events/tests/assign_check.h"

#define MAX_WISHES	8

static void random_constraints(struct x86_constraint *constraints, int n, int counters, u64 *state)
{
	u64 taken = 0;
	int i;

	for (i = 0; i < n; i++) {
		u64 mask = harness_random(state) & (BIT_ULL(counters) - 1);
		u64 free;

		/* Real constraints mostly allow all counters, or few. */
		if (harness_random(state) % 2)
			mask = harness_random(state) % 2 ? BIT_ULL(counters) - 1 :
			       BIT_ULL(harness_random(state) % counters);
		constraints[i] = (struct x86_constraint){ .allowed = mask, .now = -1 };
		if (harness_random(state) % 4 == 0) {
			constraints[i].pair = true;
			constraints[i].allowed &= 0x5555555555555555ULL;
		}
		free = x86_constraint_avail(&constraints[i], taken);
		if (free && harness_random(state) % 3) {
			constraints[i].now = __builtin_ctzll(free);
			taken |= x86_constraint_counters(&constraints[i], constraints[i].now);
		}
	}
}

static bool try_small(void)
{
	static const struct { int constraints, counters; } sizes[] = {
		{ 0, 3 }, { 1, 3 }, { 2, 3 }, { 3, 3 }, { 4, 3 }, { 2, 4 }, { 3, 4 }, { 4, 4 },
		{ 3, 5 }, { 5, 2 }, { 8, 2 },
	};
	struct x86_constraint constraints[MAX_WISHES];
	unsigned long tried = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		const char *fault = assign_try_all(constraints, 0, sizes[i].constraints,
						   sizes[i].counters, 0, &tried);

		if (fault) {
			printf("# %d constraints, %d counters: %s\n", sizes[i].constraints,
			       sizes[i].counters, fault);
			return false;
		}
	}
	printf("# %lu lists\n", tried);
	return true;
}

static bool try_random(double seconds)
{
	clock_t end = clock() + seconds * CLOCKS_PER_SEC;
	struct x86_constraint constraints[MAX_WISHES];
	u64 state = 0x9e3779b97f4a7c15ULL;
	unsigned long tried = 0;

	while (clock() < end) {
		int n = 1 + harness_random(&state) % MAX_WISHES;
		const char *fault;

		random_constraints(constraints, n, 4 + harness_random(&state) % 5, &state);
		fault = assign_fault(constraints, n, harness_random(&state));
		if (fault) {
			printf("# %d random constraints: %s\n", n, fault);
			return false;
		}
		tried++;
	}
	printf("# %lu random lists\n", tried);
	return true;
}

int main(int argc, char **argv)
{
	double seconds = harness_seconds(argc, argv);

	ktap_plan(2);
	ktap_result(try_small(), "all_lists_on_small_pmus");
	ktap_result(try_random(seconds), "random_lists");
	return ktap_end();
}
