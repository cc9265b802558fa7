// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel call chains from a stack constructed by the test.
 *
 * Included at the end of callchain.c.
 */
#include <kunit/test.h>
#include <asm/code-patching.h>

#define TEST_FRAMES	3
#define TEST_WORDS	(STACK_FRAME_MIN_SIZE / sizeof(long))
#define TEST_ADDRESSES	8

/* The kernel text address of instruction @n of a function */
static unsigned long callchain_text(int n)
{
	return ppc_function_entry(perf_callchain_kernel) + 4 * n;
}

/**
 * struct callchain_made - a call chain with room for a few addresses
 * @nr: number of addresses
 * @ip: the addresses
 */
struct callchain_made {
	u64	nr;
	u64	ip[TEST_ADDRESSES];
};

/* Walk a stack with return addresses 1 and 2, in a function with @lr in LR. */
static noinline void callchain_walk(struct callchain_made *made, unsigned long lr)
{
	unsigned long frames[TEST_FRAMES][TEST_WORDS] __aligned(16) = {};
	struct perf_callchain_entry_ctx ctx = {
		.entry = (struct perf_callchain_entry *)made, .max_stack = TEST_ADDRESSES,
	};
	struct pt_regs regs = { .nip = callchain_text(0), .link = lr };
	int i;

	for (i = 1; i < TEST_FRAMES; i++) {
		frames[i - 1][0] = (unsigned long)frames[i];
		frames[i][STACK_FRAME_LR_SAVE] = callchain_text(i);
	}
	regs.gpr[1] = (unsigned long)frames[0];
	made->nr = 0;
	perf_callchain_kernel(&ctx, &regs);
}

static void callchain_caller_once(struct kunit *test)
{
	struct callchain_made made = {};

	callchain_walk(&made, callchain_text(3));
	KUNIT_ASSERT_EQ(test, made.nr, 4);
	KUNIT_EXPECT_EQ(test, made.ip[0], callchain_text(0));
	KUNIT_EXPECT_EQ(test, made.ip[1], callchain_text(3));
	KUNIT_EXPECT_EQ(test, made.ip[2], callchain_text(1));
	KUNIT_EXPECT_EQ(test, made.ip[3], callchain_text(2));
	callchain_walk(&made, callchain_text(1));
	KUNIT_ASSERT_EQ(test, made.nr, 4);
	KUNIT_EXPECT_EQ(test, made.ip[1], callchain_text(1));
	KUNIT_EXPECT_EQ(test, made.ip[2], 0);
	KUNIT_EXPECT_EQ(test, made.ip[3], callchain_text(2));
}

/* Only the first return address is compared with LR; a later equal one is a recursion. */
static void callchain_of_recursion(struct kunit *test)
{
	struct callchain_made made = {};

	callchain_walk(&made, callchain_text(2));
	KUNIT_ASSERT_EQ(test, made.nr, 4);
	KUNIT_EXPECT_EQ(test, made.ip[1], callchain_text(2));
	KUNIT_EXPECT_EQ(test, made.ip[2], callchain_text(1));
	KUNIT_EXPECT_EQ(test, made.ip[3], callchain_text(2));
}

static struct kunit_case callchain_cases[] = {
	KUNIT_CASE(callchain_caller_once),
	KUNIT_CASE(callchain_of_recursion),
	{}
};

static struct kunit_suite callchain_suite = {
	.name		= "powerpc_perf_callchain",
	.test_cases	= callchain_cases,
};

kunit_test_suite(callchain_suite);
