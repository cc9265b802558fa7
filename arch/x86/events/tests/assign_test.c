// SPDX-License-Identifier: GPL-2.0
/*
 * x86_assign_counters() compared with brute force.
 *
 * Included at the end of assign.c.
 */
#include <kunit/test.h>

#include "tests/assign_check.h"

/* tools/testing/perf_events/x86_assign_test.c tries more counters. */
static void assign_all_of_three_counters(struct kunit *test)
{
	struct x86_constraint constraints[4];
	unsigned long tried = 0;
	const char *fault;
	int n;

	for (n = 0; n <= ARRAY_SIZE(constraints); n++) {
		fault = assign_try_all(constraints, 0, n, 3, 0, &tried);
		if (fault)
			KUNIT_FAIL(test, "%d constraints: %s", n, fault);
	}
	kunit_info(test, "%lu assignments", tried);
}

/* As on a real CPU: eight general and four fixed counters */
static void assign_many(struct kunit *test)
{
	struct x86_constraint constraints[12];
	int i;

	for (i = 0; i < 12; i++)
		constraints[i] = (struct x86_constraint){ .allowed = 0xf000000ffULL, .now = -1 };
	KUNIT_EXPECT_TRUE(test, x86_assign_counters(constraints, 12, 0));
	/* The last event needs a counter that another event can leave. */
	for (i = 0; i < 12; i++)
		constraints[i].now = i < 8 ? i : i + 24;
	constraints[0].allowed = 0xff;
	KUNIT_EXPECT_TRUE(test, x86_assign_counters(constraints, 12, 0));
	constraints[11].now = -1;
	constraints[11].allowed = BIT_ULL(0);
	KUNIT_EXPECT_TRUE(test, x86_assign_counters(constraints, 12, 0));
	KUNIT_EXPECT_EQ(test, constraints[11].assigned, 0);
	for (i = 0; i < 12; i++)
		constraints[i].allowed = 0xf00000007fULL & ~(i ? 0ULL : 0ULL);
	constraints[0].allowed = 0;
	KUNIT_EXPECT_FALSE(test, x86_assign_counters(constraints, 12, 0));
}

static void assign_prefers(struct kunit *test)
{
	struct x86_constraint c = { .allowed = 0x30000000fULL, .now = -1 };

	KUNIT_EXPECT_TRUE(test, x86_assign_counters(&c, 1, GENMASK_ULL(63, 32)));
	KUNIT_EXPECT_EQ(test, c.assigned, 32);
	KUNIT_EXPECT_TRUE(test, x86_assign_counters(&c, 1, 0));
	KUNIT_EXPECT_EQ(test, c.assigned, 0);
	c.now = 2;
	KUNIT_EXPECT_TRUE(test, x86_assign_counters(&c, 1, GENMASK_ULL(63, 32)));
	KUNIT_EXPECT_EQ(test, c.assigned, 2);
}

static struct kunit_case assign_cases[] = {
	KUNIT_CASE(assign_all_of_three_counters),
	KUNIT_CASE(assign_many),
	KUNIT_CASE(assign_prefers),
	{ }
};

static struct kunit_suite assign_suite = {
	.name		= "x86_assign",
	.test_cases	= assign_cases,
};

kunit_test_suite(assign_suite);
