// SPDX-License-Identifier: GPL-2.0
/*
 * power_event_init(): selects, codes and counters of events, on the PMU of the machine.
 *
 * Included at the end of config.c.
 */
#include <kunit/test.h>
#include <linux/cred.h>
#include <asm/cputable.h>

/* Select of a new cycles event */
static struct power_event_sel config_sel(struct kunit *test, bool exclude_idle)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .disabled = 1,
		.config = PERF_COUNT_HW_CPU_CYCLES, .exclude_idle = exclude_idle,
	};
	struct power_event_sel sel = {};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, 0, NULL, NULL, NULL);
	if (IS_ERR(event)) {
		KUNIT_FAIL(test, "no event: %ld", PTR_ERR(event));
		return sel;
	}
	sel = ((struct power_encoded *)event->pmu_private)->sel;
	perf_event_release_kernel(event);
	return sel;
}

/* Events with and without exclude_idle have different selects, so they do not share a counter. */
static void config_excludes_idle(struct kunit *test)
{
	struct power_event_sel all = config_sel(test, false), busy = config_sel(test, true);

	KUNIT_EXPECT_EQ(test, all.code, busy.code);
	KUNIT_EXPECT_FALSE(test, all.flags & POWER_NOT_IDLE);
	KUNIT_EXPECT_TRUE(test, busy.flags & POWER_NOT_IDLE);
}

static void config_unknown_events(struct kunit *test)
{
	static struct perf_event event;
	u64 code;

	event.attr.type = PERF_TYPE_HARDWARE;
	event.attr.config = PERF_COUNT_HW_BUS_CYCLES;
	KUNIT_EXPECT_EQ(test, power_event_code(&event, &code), -EOPNOTSUPP);
	/* POWER10 has no such events. */
	event.attr.config = PERF_COUNT_HW_STALLED_CYCLES_FRONTEND;
	if (power_has(PPMU_P10))
		KUNIT_EXPECT_EQ(test, power_event_code(&event, &code), -EOPNOTSUPP);
	event.attr.config = PERF_COUNT_HW_STALLED_CYCLES_BACKEND;
	if (power_has(PPMU_P10))
		KUNIT_EXPECT_EQ(test, power_event_code(&event, &code), -EOPNOTSUPP);
}

/* AT_HWCAP2 has the bit of event-based branches. */
static void config_sets_hwcap2_ebb(struct kunit *test)
{
	if (!power_driver->bhrb_nr)
		kunit_skip(test, "a processor whose event-based branches are not announced");
	KUNIT_EXPECT_TRUE(test, cur_cpu_spec->cpu_user_features2 & PPC_FEATURE2_EBB);
}

/* Check an event for event-based branches as a user without capabilities. */
static int config_check_branches(struct kunit *test, u64 code)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct cred *cred = prepare_creds();
	const struct cred *before;
	int err, level;

	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, cred);
	event->group_leader = event;
	event->pmu = &power_pmu_ops;
	event->attach_state = PERF_ATTACH_TASK;
	event->attr.pinned = 1;
	event->attr.exclusive = 1;
	event->hw.flags = POWER_EBB;
	event->hw.config = code;
	cap_clear(cred->cap_effective);
	before = override_creds(cred);
	level = sysctl_perf_event_paranoid;
	sysctl_perf_event_paranoid = 2;
	err = power_ebb_check(event);
	sysctl_perf_event_paranoid = level;
	revert_creds(before);
	put_cred(cred);
	return err;
}

/* Before ISA 3.1 the program can read the addresses of the kernel's branches in the BHRB. */
static void config_bhrb_needs_permission(struct kunit *test)
{
	u64 code = ISA207_RUN_INST | ISA207_EBB;
	int err = power_has(PPMU_ARCH_31) ? 0 : -EACCES;

	KUNIT_EXPECT_EQ(test, config_check_branches(test, code), 0);
	KUNIT_EXPECT_EQ(test, config_check_branches(test, code | ISA207_BRANCHES), err);
}

/* The mapped page has the counter index. */
static void config_event_index(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = ISA207_RUN_INST,
		.pinned = 1,
	};
	struct perf_event *event = perf_event_create_kernel_counter(&attr, 0, NULL, NULL, NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_EQ(test, event->pmu->event_idx(event), 5);
	perf_event_disable(event);
	KUNIT_EXPECT_EQ(test, event->pmu->event_idx(event), 0);
	perf_event_release_kernel(event);
}

/* Create two equal pinned events. Returns true if they have the same counter. */
static bool config_equals_share(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS, .pinned = 1,
	};
	struct perf_event *a, *b;
	int pmc_a, pmc_b = 0;

	a = perf_event_create_kernel_counter(&attr, 0, NULL, NULL, NULL);
	if (IS_ERR(a)) {
		KUNIT_FAIL(test, "no first event: %ld", PTR_ERR(a));
		return false;
	}
	pmc_a = READ_ONCE(a->hw.idx);
	b = perf_event_create_kernel_counter(&attr, 0, NULL, NULL, NULL);
	if (!IS_ERR(b)) {
		pmc_b = READ_ONCE(b->hw.idx);
		perf_event_release_kernel(b);
	}
	perf_event_release_kernel(a);
	KUNIT_EXPECT_NE(test, pmc_a, 0);
	KUNIT_EXPECT_NE(test, pmc_b, 0);
	return pmc_a == pmc_b;
}

/* power_pmu.share= decides whether equal events share a counter. */
static void config_share(struct kunit *test)
{
	bool share = READ_ONCE(power_share), without, with;

	WRITE_ONCE(power_share, false);
	without = config_equals_share(test);
	WRITE_ONCE(power_share, true);
	with = config_equals_share(test);
	WRITE_ONCE(power_share, share);
	KUNIT_EXPECT_FALSE(test, without);
	KUNIT_EXPECT_TRUE(test, with);
}

/* Programs and samples can read the counters: an event must not leave its value in a counter. */
static void config_clears_counters(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = ISA207_RUN_INST,
		.pinned = 1,
	};
	unsigned long during = 0, after;
	struct perf_event *event;

	migrate_disable();
	event = perf_event_create_kernel_counter(&attr, smp_processor_id(), NULL, NULL, NULL);
	if (!IS_ERR(event)) {
		during = power_pmc_read(5);
		perf_event_release_kernel(event);
	}
	after = power_pmc_read(5);
	migrate_enable();
	KUNIT_EXPECT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_NE(test, during, 0);
	KUNIT_EXPECT_EQ(test, after, 0);
}

/* An event reserves the hardware, and an inherited event uses the reservation of its parent. */
static void config_children_share_the_hardware(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = ISA207_RUN_INST,
		.disabled = 1,
	};
	struct perf_event *child = kunit_kzalloc(test, sizeof(*child), GFP_KERNEL), *parent;
	int users;

	KUNIT_ASSERT_NOT_NULL(test, child);
	parent = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(parent));
	users = atomic_read(&power_users);
	KUNIT_EXPECT_GT(test, users, 0);
	child->attr = parent->attr;
	child->attach_state = PERF_ATTACH_TASK;
	child->group_leader = child;
	child->parent = parent;
	child->pmu = parent->pmu;
	KUNIT_EXPECT_EQ(test, power_event_init(child), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&power_users), users);
	if (child->destroy)
		child->destroy(child);
	KUNIT_EXPECT_EQ(test, atomic_read(&power_users), users);
	perf_event_release_kernel(parent);
	KUNIT_EXPECT_EQ(test, atomic_read(&power_users), users - 1);
}

static int config_test_init(struct kunit *test)
{
	if (!power_driver || !isa207_running())
		kunit_skip(test, "a processor without such counters");
	return 0;
}

static struct kunit_case config_cases[] = {
	KUNIT_CASE(config_excludes_idle),
	KUNIT_CASE(config_unknown_events),
	KUNIT_CASE(config_sets_hwcap2_ebb),
	KUNIT_CASE(config_bhrb_needs_permission),
	KUNIT_CASE(config_event_index),
	KUNIT_CASE(config_share),
	KUNIT_CASE(config_clears_counters),
	KUNIT_CASE(config_children_share_the_hardware),
	{}
};

static struct kunit_suite config_suite = {
	.name		= "powerpc_perf_config",
	.init		= config_test_init,
	.test_cases	= config_cases,
};

kunit_test_suite(config_suite);
