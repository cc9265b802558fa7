// SPDX-License-Identifier: GPL-2.0
/*
 * power_assign() compared with brute force.
 *
 * Included at the end of assign.c.
 */
#include <kunit/test.h>

#include "tests/assign_check.h"

/* Longer lists are tried in user space, by tools/testing/perf_events/powerpc_assign_test.c. */
static void assign_lists_of_three(struct kunit *test)
{
	unsigned long tried = 0;
	const char *fault;
	int kinds[3], n;

	for (n = 0; n <= ARRAY_SIZE(kinds); n++) {
		fault = check_all(kinds, 0, n, &tried);
		if (fault)
			KUNIT_FAIL(test, "%d events: %s", n, fault);
	}
	kunit_info(test, "%lu lists", tried);
}

static void assign_too_many(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, power_assign(&check_rules, NULL, POWER_COUNTS_MAX + 1));
}

static struct kunit_case power_assign_cases[] = {
	KUNIT_CASE(assign_lists_of_three),
	KUNIT_CASE(assign_too_many),
	{}
};

static struct kunit_suite power_assign_suite = {
	.name = "powerpc_perf_assign",
	.test_cases = power_assign_cases,
};

kunit_test_suite(power_assign_suite);
