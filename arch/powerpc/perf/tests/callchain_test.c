// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel call chains from a stack constructed by the test.
 *
 * Included at the end of callchain.c.
 */
#include <kunit/test.h>
#include <asm/code-patching.h>
#include <asm/interrupt.h>

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

/*
 * Walk a stack with return addresses 1 and 2, in a function with @lr in LR. If @trap is
 * INTERRUPT_PERFMON, SIAR is the sampled address.
 */
static noinline void callchain_walk_from(struct callchain_made *made, unsigned long lr, int trap)
{
	unsigned long frames[TEST_FRAMES][TEST_WORDS] __aligned(16) = {};
	struct perf_callchain_entry_ctx ctx = {
		.entry = (struct perf_callchain_entry *)made, .max_stack = TEST_ADDRESSES,
	};
	struct pt_regs regs = {
		.nip = callchain_text(0), .link = lr, .trap = trap, .result = !!trap,
	};
	int i;

	for (i = 1; i < TEST_FRAMES; i++) {
		frames[i - 1][0] = (unsigned long)frames[i];
		frames[i][STACK_FRAME_LR_SAVE] = callchain_text(i);
	}
	regs.gpr[1] = (unsigned long)frames[0];
	made->nr = 0;
	perf_callchain_kernel(&ctx, &regs);
}

static void callchain_walk(struct callchain_made *made, unsigned long lr)
{
	callchain_walk_from(made, lr, 0);
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

#if defined(CONFIG_PPC64) && defined(CONFIG_PPC_PERF_CTRS)
#include "../engine.h"

#define TEST_USER	0x10000000UL
#define TEST_USER_NIP	0x10000040UL

/* First address of a kernel chain whose sampled address is @siar */
static unsigned long callchain_first_of(unsigned long siar)
{
	struct callchain_made made = {};
	unsigned long flags, before;

	power_interrupt_off(flags);
	before = mfspr(SPRN_SIAR);
	mtspr(SPRN_SIAR, siar);
	callchain_walk_from(&made, callchain_text(3), INTERRUPT_PERFMON);
	mtspr(SPRN_SIAR, before);
	power_interrupt_on(flags);
	return made.nr == 4 ? made.ip[0] : 0;
}

/* Start of a user chain at TEST_USER_NIP whose sampled address is @siar */
static unsigned long callchain_start_of_user(unsigned long siar)
{
	struct pt_regs regs = {
		.nip = TEST_USER_NIP, .msr = MSR_PR, .trap = INTERRUPT_PERFMON, .result = 1,
	};
	unsigned long flags, before, start;

	power_interrupt_off(flags);
	before = mfspr(SPRN_SIAR);
	mtspr(SPRN_SIAR, siar);
	start = callchain_start(&regs, false);
	mtspr(SPRN_SIAR, before);
	power_interrupt_on(flags);
	return start;
}

/* The overflow is in another mode than its late interrupt. */
static void callchain_of_late_interrupt(struct kunit *test)
{
	if (!power_driver || !power_has(PPMU_ARCH_207S))
		kunit_skip(test, "a processor whose SIAR cannot be set");
	KUNIT_EXPECT_EQ(test, callchain_first_of(callchain_text(5)), callchain_text(5));
	KUNIT_EXPECT_EQ(test, callchain_first_of(TEST_USER), callchain_text(0));
	KUNIT_EXPECT_EQ(test, callchain_start_of_user(TEST_USER), TEST_USER);
	KUNIT_EXPECT_EQ(test, callchain_start_of_user(callchain_text(5)), TEST_USER_NIP);
	KUNIT_EXPECT_EQ(test, callchain_start_of_user(0), TEST_USER_NIP);
}
#else
static void callchain_of_late_interrupt(struct kunit *test)
{
	kunit_skip(test, "a processor without SIAR");
}
#endif

static struct kunit_case callchain_cases[] = {
	KUNIT_CASE(callchain_caller_once),
	KUNIT_CASE(callchain_of_recursion),
	KUNIT_CASE(callchain_of_late_interrupt),
	{}
};

static struct kunit_suite callchain_suite = {
	.name		= "powerpc_perf_callchain",
	.test_cases	= callchain_cases,
};

kunit_test_suite(callchain_suite);
