// SPDX-License-Identifier: GPL-2.0
/*
 * Counters reserved by perfctr (claims), on the PMU of the machine.
 */
#include <kunit/test.h>
#include <linux/perf_event.h>

/* Instructions and cycles on the fixed counters */
#define TEST_INST	0x500faULL
#define TEST_CYC	0x600f4ULL
#define TEST_LOOP	1000

static int test_handler_calls;

static void test_handler(struct pt_regs *regs, u32 counters, const u32 *values)
{
	test_handler_calls++;
}

static void claim_fill(struct power_claim *claim, u64 id)
{
	*claim = (struct power_claim){
		.n = 2, .counter = { 5, 6 }, .code = { TEST_INST, TEST_CYC }, .id = id,
	};
}

static void test_work(void)
{
	int i;

	for (i = 0; i < TEST_LOOP; i++)
		asm volatile("nop");
}

static void claim_refuses(struct kunit *test)
{
	struct power_claim *claim = kunit_kzalloc(test, sizeof(*claim), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, claim);
	claim_fill(claim, 1);
	KUNIT_EXPECT_EQ(test, power_claim_check(claim), 0);
	KUNIT_EXPECT_EQ(test, claim->counters, BIT(5) | BIT(6));
	claim->counter[1] = 5;
	KUNIT_EXPECT_EQ(test, power_claim_check(claim), -EINVAL);
	claim->code[1] = TEST_INST;
	KUNIT_EXPECT_EQ(test, power_claim_check(claim), -EINVAL);
	claim_fill(claim, 1);
	claim->code[0] = 0x2;
	claim->counter[0] = 0;
	KUNIT_EXPECT_EQ(test, power_claim_check(claim), -EINVAL);
	claim_fill(claim, 1);
	claim->modes[0] = POWER_NOT_MODES + 1;
	KUNIT_EXPECT_EQ(test, power_claim_check(claim), -EINVAL);
	claim->n = POWER_COUNTS_MAX + 1;
	KUNIT_EXPECT_EQ(test, power_claim_check(claim), -EINVAL);
}

static void claim_counts(struct kunit *test)
{
	struct power_claim *claim = kunit_kzalloc(test, 2 * sizeof(*claim), GFP_KERNEL);
	unsigned long flags, before, after, later;
	int first, again, other;

	KUNIT_ASSERT_NOT_NULL(test, claim);
	claim_fill(claim, 1);
	claim_fill(claim + 1, 2);
	claim[1].n = 1;
	KUNIT_ASSERT_EQ(test, power_claim_check(claim), 0);
	KUNIT_ASSERT_EQ(test, power_claim_check(claim + 1), 0);
	local_irq_save(flags);
	first = power_claim_get(claim);
	if (first) {
		local_irq_restore(flags);
		kunit_skip(test, "pinned events have the counters");
	}
	before = power_pmc_read(5);
	power_claim_start(claim);
	test_work();
	power_claim_put(claim);
	after = power_pmc_read(5);
	test_work();
	again = power_claim_get(claim);
	later = power_pmc_read(5);
	power_claim_put(claim);
	other = power_claim_get(claim + 1);
	power_claim_start(claim + 1);
	power_claim_put(claim + 1);
	power_claim_stop();
	local_irq_restore(flags);
	KUNIT_EXPECT_GE(test, after - before, TEST_LOOP);
	/* power_claim_get() of an equal claim continues without reprogramming. */
	KUNIT_EXPECT_EQ(test, again, 1);
	KUNIT_EXPECT_GE(test, later - after, TEST_LOOP);
	KUNIT_EXPECT_EQ(test, other, 0);
	KUNIT_EXPECT_EQ(test, test_handler_calls, 0);
}

/* Does the hypervisor save the registers? */
static bool claim_is_saved(void)
{
#ifdef CONFIG_PPC_PSERIES
	return get_lppaca()->pmcregs_in_use;
#else
	return false;
#endif
}

/* A hypervisor must save the counters that perfctr has reserved, also without perf events. */
static void claim_saves_registers(struct kunit *test)
{
	struct power_claim *claim = kunit_kzalloc(test, sizeof(*claim), GFP_KERNEL);
	unsigned long flags;
	bool saved;
	int err;

	if (!IS_ENABLED(CONFIG_PPC_PSERIES) || !firmware_has_feature(FW_FEATURE_LPAR))
		kunit_skip(test, "a machine without a hypervisor");
	KUNIT_ASSERT_NOT_NULL(test, claim);
	claim_fill(claim, 1);
	KUNIT_ASSERT_EQ(test, power_claim_check(claim), 0);
	local_irq_save(flags);
	ppc_set_pmu_inuse(0);
	err = power_claim_get(claim);
	if (err) {
		/* Pinned events have the counters. */
		ppc_set_pmu_inuse(1);
		local_irq_restore(flags);
		kunit_skip(test, "no claim: %d", err);
	}
	power_claim_start(claim);
	saved = claim_is_saved();
	power_claim_put(claim);
	power_claim_stop();
	local_irq_restore(flags);
	KUNIT_EXPECT_TRUE(test, saved);
}

static const struct power_claim_user test_user = { .overflow = test_handler };

static int claim_test_init(struct kunit *test)
{
	int err = power_claim_open(&test_user);

	test->priv = (void *)(long)err;
	if (err)
		kunit_skip(test, "no counters to claim: %d", err);
	return 0;
}

static void claim_test_exit(struct kunit *test)
{
	if (!test->priv)
		power_claim_close();
}

static struct kunit_case claim_cases[] = {
	KUNIT_CASE(claim_refuses),
	KUNIT_CASE(claim_counts),
	KUNIT_CASE(claim_saves_registers),
	{}
};

static struct kunit_suite claim_suite = {
	.name		= "powerpc_perf_claim",
	.init		= claim_test_init,
	.exit		= claim_test_exit,
	.test_cases	= claim_cases,
};

kunit_test_suite(claim_suite);
