// SPDX-License-Identifier: GPL-2.0
/*
 * Events and their counters on an unused struct power_cpu, with the tables of the processor that
 * runs the tests.
 */
#include <kunit/test.h>

/* Instructions and cycles on any of PMC1 to PMC4, or on a fixed counter; events on PMC1 and PMC4 */
#define TEST_ANY_INST	0x2ULL
#define TEST_ANY_CYC	0x1eULL
#define TEST_FIXED_INST	0x500faULL
#define TEST_ON_1	0x100f8ULL
#define TEST_ON_4	0x400f6ULL

/* An event that names PMC2, and one that names PMC3 */
#define TEST_ON_2	0x200f2ULL
#define TEST_ON_3	0x300f0ULL

static struct power_code choose_codes[POWER_EVENTS_MAX];
static int choose_n;

static int choose_get(struct kunit *test, struct power_cpu *cpu, u64 code, bool share)
{
	struct power_event_sel sel = { .code = code };
	struct power_alternatives alts = { &choose_codes[choose_n], 1 };

	KUNIT_ASSERT_LT(test, choose_n, POWER_EVENTS_MAX);
	KUNIT_ASSERT_TRUE(test, power_encode(code, 0, &choose_codes[choose_n++]));
	return power_count_get(cpu, &sel, &alts, share);
}

static void choose_assign(struct kunit *test, struct power_cpu *cpu)
{
	int i;

	KUNIT_ASSERT_TRUE(test, power_counts_fit(cpu));
	KUNIT_ASSERT_TRUE(test, power_counts_assign(cpu));
	for (i = 0; i < POWER_COUNTS_MAX; i++)
		cpu->counts[i].pmc = cpu->counts[i].assigned;
}

static void choose_shares_equal_counts(struct kunit *test)
{
	struct power_cpu *cpu = test->priv;
	int first = choose_get(test, cpu, TEST_ANY_INST, true);

	KUNIT_EXPECT_EQ(test, choose_get(test, cpu, TEST_ANY_INST, true), first);
	KUNIT_EXPECT_NE(test, choose_get(test, cpu, TEST_ANY_CYC, true), first);
	/* A sampling event does not share its counter. */
	KUNIT_EXPECT_NE(test, choose_get(test, cpu, TEST_ANY_INST, false), first);
	KUNIT_EXPECT_EQ(test, hweight32(cpu->used), 3);
	KUNIT_EXPECT_EQ(test, cpu->counts[first].nr_events, 2);
}

static void choose_too_many(struct kunit *test)
{
	struct power_cpu *cpu = test->priv;
	int i;

	for (i = 0; i < power_driver->n_counter; i++)
		KUNIT_ASSERT_GE(test, choose_get(test, cpu, TEST_ANY_INST, false), 0);
	KUNIT_EXPECT_EQ(test, choose_get(test, cpu, TEST_ANY_CYC, false), -EAGAIN);
	/* Only PMC1 to PMC4 can count these events. */
	KUNIT_EXPECT_FALSE(test, power_counts_fit(cpu));
	power_count_put(cpu, 0);
	power_count_put(cpu, 1);
	KUNIT_EXPECT_TRUE(test, power_counts_fit(cpu));
}

static void choose_moves_no_other_event(struct kunit *test)
{
	struct power_cpu *cpu = test->priv;
	int a = choose_get(test, cpu, TEST_ANY_INST, false);
	int b = choose_get(test, cpu, TEST_ANY_CYC, false), c;

	choose_assign(test, cpu);
	KUNIT_EXPECT_EQ(test, cpu->counts[a].assigned, 1);
	KUNIT_EXPECT_EQ(test, cpu->counts[b].assigned, 2);
	power_count_put(cpu, a);
	choose_assign(test, cpu);
	KUNIT_EXPECT_EQ(test, cpu->counts[b].assigned, 2);
	/* PMC1 is free for the event that names it, so the event on PMC2 does not move. */
	c = choose_get(test, cpu, TEST_ON_1, false);
	choose_assign(test, cpu);
	KUNIT_EXPECT_EQ(test, cpu->counts[b].assigned, 2);
	KUNIT_EXPECT_EQ(test, cpu->counts[c].assigned, 1);
}

static void choose_moves_event_for_named_counter(struct kunit *test)
{
	struct power_cpu *cpu = test->priv;
	int a = choose_get(test, cpu, TEST_ANY_INST, false), b;

	choose_assign(test, cpu);
	KUNIT_ASSERT_EQ(test, cpu->counts[a].assigned, 1);
	b = choose_get(test, cpu, TEST_ON_1, false);
	choose_assign(test, cpu);
	KUNIT_EXPECT_EQ(test, cpu->counts[a].assigned, 2);
	KUNIT_EXPECT_EQ(test, cpu->counts[b].assigned, 1);
}

/* A task with the same events uses the cached register values. */
static void choose_caches_register_values(struct kunit *test)
{
	struct power_cpu *cpu = test->priv;
	u64 codes[] = { TEST_FIXED_INST, TEST_ON_4 };
	int i;

	for (i = 0; i < ARRAY_SIZE(codes); i++)
		choose_get(test, cpu, codes[i], true);
	choose_assign(test, cpu);
	for (i = 0; i < ARRAY_SIZE(codes); i++)
		power_count_put(cpu, i);
	KUNIT_EXPECT_EQ(test, cpu->used, 0);
	cpu->mmcr.mmcr1 ^= 1;
	for (i = 0; i < ARRAY_SIZE(codes); i++)
		choose_get(test, cpu, codes[i], true);
	KUNIT_EXPECT_EQ(test, cpu->in_memo, cpu->used);
	choose_assign(test, cpu);
	KUNIT_EXPECT_EQ(test, cpu->mmcr.mmcr1 & 0xff, 0xf6 ^ 1);
	KUNIT_EXPECT_EQ(test, cpu->counts[0].assigned, 5);
	KUNIT_EXPECT_EQ(test, cpu->counts[1].assigned, 4);
	/* Without one of the events the register values are computed again. */
	power_count_put(cpu, 0);
	choose_assign(test, cpu);
	KUNIT_EXPECT_EQ(test, cpu->mmcr.mmcr1 & 0xff, 0xf6);
}

/* An event that is added and removed at once, as when its group does not fit, changes nothing. */
static void choose_restores_encodings(struct kunit *test)
{
	struct power_event_sel sel = { .code = TEST_ON_2 };
	struct power_cpu *cpu = test->priv;
	struct power_alternatives alts = { choose_codes, 2 };
	int both, named;

	KUNIT_ASSERT_TRUE(test, power_encode(TEST_ON_2, 0, &choose_codes[0]));
	KUNIT_ASSERT_TRUE(test, power_encode(TEST_ON_3, 0, &choose_codes[1]));
	choose_n = 2;
	both = power_count_get(cpu, &sel, &alts, false);
	choose_get(test, cpu, TEST_ON_4, false);
	choose_assign(test, cpu);
	KUNIT_ASSERT_EQ(test, cpu->counts[both].assigned, 2);
	named = choose_get(test, cpu, TEST_ON_2, false);
	KUNIT_ASSERT_TRUE(test, power_counts_fit(cpu));
	KUNIT_ASSERT_EQ(test, cpu->counts[both].assigned, 3);
	power_count_put(cpu, named);
	choose_assign(test, cpu);
	KUNIT_EXPECT_EQ(test, cpu->counts[both].assigned, 2);
	/* The register values are computed again. */
	power_count_put(cpu, !both);
	choose_assign(test, cpu);
	KUNIT_EXPECT_EQ(test, (cpu->mmcr.mmcr1 >> 16) & 0xff, TEST_ON_2 & 0xff);
}

/* A CPU that was offline has no events, and its counters can have any value. */
static void choose_resets(struct kunit *test)
{
	struct power_cpu *cpu = test->priv;

	choose_get(test, cpu, TEST_ON_1, false);
	choose_assign(test, cpu);
	cpu->shadow_valid = true;
	power_cpu_reset(cpu);
	KUNIT_EXPECT_EQ(test, cpu->used, 0);
	KUNIT_EXPECT_FALSE(test, cpu->shadow_valid);
	/* PMC1 to PMC6 */
	KUNIT_EXPECT_EQ(test, cpu->needs_clear, 0x7e);
}

/* A counter has to be cleared as soon as its last event is removed. */
static void choose_clears(struct kunit *test)
{
	struct power_cpu *cpu = test->priv;
	int slot = choose_get(test, cpu, TEST_ON_4, true);

	/* Without a counter yet, there is nothing to clear. */
	power_count_put(cpu, slot);
	KUNIT_EXPECT_EQ(test, cpu->needs_clear, 0);
	slot = choose_get(test, cpu, TEST_ON_4, true);
	choose_assign(test, cpu);
	power_count_put(cpu, slot);
	KUNIT_EXPECT_EQ(test, cpu->needs_clear, BIT(4));
}

/*
 * Old processors, with the kernel in supervisor or in hypervisor state: FCP freezes in problem
 * state, FCS in supervisor state, and FCHV in hypervisor state.
 */
static void choose_freezes_modes_of_old_processors(struct kunit *test)
{
	const u32 kernel = POWER_NOT_KERNEL, user = POWER_NOT_USER, hv = POWER_NOT_HV;

	KUNIT_EXPECT_EQ(test, power_freeze_bits(0, false), 0);
	KUNIT_EXPECT_EQ(test, power_freeze_bits(0, true), 0);
	KUNIT_EXPECT_EQ(test, power_freeze_bits(user, false), MMCR0_FCP);
	KUNIT_EXPECT_EQ(test, power_freeze_bits(user, true), MMCR0_FCP);
	KUNIT_EXPECT_EQ(test, power_freeze_bits(kernel, false), MMCR0_FCS);
	KUNIT_EXPECT_EQ(test, power_freeze_bits(kernel, true), POWER_FREEZE_HV);
	KUNIT_EXPECT_EQ(test, power_freeze_bits(hv, false), POWER_FREEZE_HV);
	KUNIT_EXPECT_EQ(test, power_freeze_bits(hv, true), POWER_FREEZE_HV);
	KUNIT_EXPECT_EQ(test, power_freeze_bits(user | kernel | hv, false),
			MMCR0_FCP | MMCR0_FCS | POWER_FREEZE_HV);
}

static int choose_test_init(struct kunit *test)
{
	if (!power_driver || !isa207_running())
		kunit_skip(test, "a processor without such counters");
	choose_n = 0;
	test->priv = kunit_kzalloc(test, sizeof(struct power_cpu), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static struct kunit_case choose_cases[] = {
	KUNIT_CASE(choose_shares_equal_counts),
	KUNIT_CASE(choose_too_many),
	KUNIT_CASE(choose_moves_no_other_event),
	KUNIT_CASE(choose_moves_event_for_named_counter),
	KUNIT_CASE(choose_caches_register_values),
	KUNIT_CASE(choose_restores_encodings),
	KUNIT_CASE(choose_resets),
	KUNIT_CASE(choose_clears),
	KUNIT_CASE(choose_freezes_modes_of_old_processors),
	{}
};

static struct kunit_suite choose_suite = {
	.name		= "powerpc_perf_choose",
	.init		= choose_test_init,
	.test_cases	= choose_cases,
};

kunit_test_suite(choose_suite);
