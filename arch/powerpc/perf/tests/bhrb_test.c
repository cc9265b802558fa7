// SPDX-License-Identifier: GPL-2.0
/*
 * bhrb_decode() with valid and with malformed entries.
 */
#include <kunit/test.h>

#define TEST_USER	0x10000000ULL
#define TEST_KERNEL	(PAGE_OFFSET + 0x1000)
#define TEST_BOTH	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL)

/* "b .+0x40", "b .-4", "ba -0x2000000", "bcla 4", "bne .-0x8000", "bclr" */
#define TEST_B_FORWARD	0x48000040
#define TEST_B_BACK	0x4bfffffc
#define TEST_BA_LOW	0x4a000002
#define TEST_BCLA	0x42800007
#define TEST_BC_BACK	0x40828000
#define TEST_BCLR	0x4e800020

static u32 test_instruction;
static int test_fetches;

static int test_fetch(u64 address, u32 *instruction)
{
	test_fetches++;
	if (!test_instruction)
		return -EFAULT;
	*instruction = test_instruction;
	return 0;
}

static struct perf_branch_entry test_out[BHRB_ENTRIES_MAX];

static int test_decode(const u64 *raw, int n, u64 modes, u32 instruction)
{
	memset(test_out, 0xff, sizeof(test_out));
	test_instruction = instruction;
	test_fetches = 0;
	return bhrb_decode(test_out, raw, n, modes, test_fetch);
}

static void bhrb_target_is_computed(struct kunit *test)
{
	u64 u = TEST_USER;

	KUNIT_EXPECT_EQ(test, bhrb_target(u, TEST_B_FORWARD), u + 0x40);
	KUNIT_EXPECT_EQ(test, bhrb_target(u, TEST_B_BACK), u - 4);
	KUNIT_EXPECT_EQ(test, bhrb_target(u, TEST_BA_LOW), (u64)-0x2000000);
	KUNIT_EXPECT_EQ(test, bhrb_target(u, TEST_BCLA), 4ULL);
	KUNIT_EXPECT_EQ(test, bhrb_target(u, TEST_BC_BACK), u - 0x8000);
	KUNIT_EXPECT_EQ(test, bhrb_target(u, TEST_BCLR), 0ULL);
}

static void bhrb_targets_and_predictions(struct kunit *test)
{
	const u64 raw[] = {
		TEST_USER | BHRB_MISPREDICTED,
		(TEST_USER + 0x100) | BHRB_TARGET, TEST_USER + 0x20,
		0, TEST_USER,
	};

	KUNIT_ASSERT_EQ(test, test_decode(raw, ARRAY_SIZE(raw), TEST_BOTH, TEST_B_FORWARD), 2);
	KUNIT_EXPECT_EQ(test, test_out[0].from, TEST_USER);
	KUNIT_EXPECT_EQ(test, test_out[0].to, TEST_USER + 0x40);
	KUNIT_EXPECT_TRUE(test, test_out[0].mispred);
	KUNIT_EXPECT_FALSE(test, test_out[0].predicted);
	KUNIT_EXPECT_FALSE(test, test_out[0].reserved);
	KUNIT_EXPECT_EQ(test, test_out[1].from, TEST_USER + 0x20);
	KUNIT_EXPECT_EQ(test, test_out[1].to, TEST_USER + 0x100);
	KUNIT_EXPECT_FALSE(test, test_out[1].mispred);
	KUNIT_EXPECT_TRUE(test, test_out[1].predicted);
	/* An instruction is fetched only if the buffer has no target entry. */
	KUNIT_EXPECT_EQ(test, test_fetches, 1);
}

static void bhrb_prediction_of_target(struct kunit *test)
{
	const u64 missed[] = { (TEST_USER + 0x100) | BHRB_TARGET | BHRB_MISPREDICTED, TEST_USER };
	const u64 hit[] = {
		(TEST_USER + 0x100) | BHRB_TARGET, TEST_USER | BHRB_MISPREDICTED, TEST_USER,
	};

	KUNIT_ASSERT_EQ(test, test_decode(missed, 2, TEST_BOTH, TEST_B_BACK), 1);
	KUNIT_EXPECT_EQ(test, test_out[0].to, TEST_USER + 0x100);
	KUNIT_EXPECT_TRUE(test, test_out[0].mispred);
	KUNIT_EXPECT_FALSE(test, test_out[0].predicted);
	/* The misprediction bit of a target entry does not apply to the next branch. */
	KUNIT_ASSERT_EQ(test, test_decode(hit, 3, TEST_BOTH, TEST_B_BACK), 2);
	KUNIT_EXPECT_FALSE(test, test_out[0].mispred);
	KUNIT_EXPECT_FALSE(test, test_out[1].mispred);
}

static void bhrb_invalid_entries(struct kunit *test)
{
	const u64 targets[] = { 0x1000 | BHRB_TARGET, 0x2000 | BHRB_TARGET, 0x3000 };
	const u64 only_targets[] = { 0x1000 | BHRB_TARGET, 0x2000 | BHRB_TARGET };
	const u64 null_target[] = { BHRB_TARGET, 0x3000 };
	const u64 null_branch[] = { BHRB_MISPREDICTED, 0x3000 };

	/* Of two target entries, the one next to the branch is used. */
	KUNIT_ASSERT_EQ(test, test_decode(targets, 3, TEST_BOTH, TEST_B_BACK), 1);
	KUNIT_EXPECT_EQ(test, test_out[0].from, 0x3000ULL);
	KUNIT_EXPECT_EQ(test, test_out[0].to, 0x2000ULL);
	KUNIT_EXPECT_EQ(test, test_decode(only_targets, 2, TEST_BOTH, TEST_B_BACK), 0);
	KUNIT_ASSERT_EQ(test, test_decode(null_target, 2, TEST_BOTH, TEST_B_BACK), 1);
	KUNIT_EXPECT_EQ(test, test_out[0].to, 0ULL);
	KUNIT_EXPECT_EQ(test, test_decode(null_branch, 2, TEST_BOTH, TEST_B_BACK), 1);
	KUNIT_EXPECT_EQ(test, test_out[0].from, 0x3000ULL);
	/* The page may have been unmapped, or contain another instruction. */
	KUNIT_ASSERT_EQ(test, test_decode(&targets[2], 1, TEST_BOTH, 0), 1);
	KUNIT_EXPECT_EQ(test, test_out[0].to, 0ULL);
	KUNIT_ASSERT_EQ(test, test_decode(&targets[2], 1, TEST_BOTH, TEST_BCLR), 1);
	KUNIT_EXPECT_EQ(test, test_out[0].to, 0ULL);
}

static void bhrb_filters_privilege(struct kunit *test)
{
	const u64 kernel[] = { TEST_KERNEL };
	const u64 user[] = { TEST_USER };
	const u64 into_kernel[] = { TEST_KERNEL | BHRB_TARGET, TEST_USER, TEST_USER + 8 };
	const u64 out_of_kernel[] = { TEST_USER | BHRB_TARGET, TEST_KERNEL, TEST_USER + 8 };
	const u64 modes = PERF_SAMPLE_BRANCH_USER;

	KUNIT_EXPECT_EQ(test, test_decode(kernel, 1, modes, TEST_B_BACK), 0);
	KUNIT_EXPECT_EQ(test, test_fetches, 0);
	KUNIT_EXPECT_EQ(test, test_decode(kernel, 1, PERF_SAMPLE_BRANCH_KERNEL, TEST_B_BACK), 1);
	KUNIT_EXPECT_EQ(test, test_decode(user, 1, PERF_SAMPLE_BRANCH_KERNEL, TEST_B_BACK), 0);
	KUNIT_EXPECT_EQ(test, test_decode(user, 1, PERF_SAMPLE_BRANCH_HV, TEST_B_BACK), 0);
	/* A user instruction can have a kernel address as target. */
	KUNIT_EXPECT_EQ(test, test_decode(user, 1, modes, TEST_BA_LOW), 0);
	/* A dropped target is not used for the next branch. */
	KUNIT_ASSERT_EQ(test, test_decode(into_kernel, 3, modes, TEST_B_BACK), 1);
	KUNIT_EXPECT_EQ(test, test_out[0].to, TEST_USER + 4);
	KUNIT_ASSERT_EQ(test, test_decode(out_of_kernel, 3, modes, TEST_B_BACK), 1);
	KUNIT_EXPECT_EQ(test, test_out[0].to, TEST_USER + 4);
}

static void bhrb_full(struct kunit *test)
{
	u64 raw[BHRB_ENTRIES_MAX];
	int i;

	for (i = 0; i < BHRB_ENTRIES_MAX; i++)
		raw[i] = TEST_USER + 8 * i;
	KUNIT_EXPECT_EQ(test, test_decode(raw, BHRB_ENTRIES_MAX, TEST_BOTH, TEST_B_BACK),
			BHRB_ENTRIES_MAX);
	KUNIT_EXPECT_EQ(test, test_out[31].from, TEST_USER + 8 * 31);
	KUNIT_EXPECT_EQ(test, test_decode(raw, 0, TEST_BOTH, TEST_B_BACK), 0);
}

/* Per-CPU events, too, must not sample the branches of the previous task. */
static void bhrb_is_cleared_at_switches(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS, .sample_period = 1 << 30,
		.sample_type = PERF_SAMPLE_BRANCH_STACK, .disabled = 1,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
	};
	struct perf_event *event;

	if (!power_driver || !power_driver->bhrb_nr)
		kunit_skip(test, "a processor without a buffer");
	event = perf_event_create_kernel_counter(&attr, 0, NULL, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_TRUE(test, event->attach_state & PERF_ATTACH_SCHED_CB);
	perf_event_release_kernel(event);
}

/* The buffer records only while an event needs branches. */
static void bhrb_is_off_without_events(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS, .sample_period = 1 << 30,
		.sample_type = PERF_SAMPLE_BRANCH_STACK, .exclude_kernel = 1, .pinned = 1,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
	};
	unsigned long during, after;
	struct perf_event *event;

	if (!power_driver || !power_has(PPMU_ARCH_31))
		kunit_skip(test, "a processor that cannot disable the buffer");
	migrate_disable();
	event = perf_event_create_kernel_counter(&attr, smp_processor_id(), NULL, NULL, NULL);
	if (IS_ERR(event)) {
		migrate_enable();
		KUNIT_FAIL(test, "the event gets no counter");
		return;
	}
	during = mfspr(SPRN_MMCRA);
	perf_event_release_kernel(event);
	after = mfspr(SPRN_MMCRA);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, during & MMCRA_BHRB_DISABLE, 0);
	KUNIT_EXPECT_EQ(test, after & MMCRA_BHRB_DISABLE, MMCRA_BHRB_DISABLE);
}

static struct kunit_case bhrb_cases[] = {
	KUNIT_CASE(bhrb_target_is_computed),
	KUNIT_CASE(bhrb_targets_and_predictions),
	KUNIT_CASE(bhrb_prediction_of_target),
	KUNIT_CASE(bhrb_invalid_entries),
	KUNIT_CASE(bhrb_filters_privilege),
	KUNIT_CASE(bhrb_full),
	KUNIT_CASE(bhrb_is_cleared_at_switches),
	KUNIT_CASE(bhrb_is_off_without_events),
	{ }
};

static struct kunit_suite bhrb_suite = {
	.name		= "powerpc_perf_bhrb",
	.test_cases	= bhrb_cases,
};

kunit_test_suite(bhrb_suite);
