// SPDX-License-Identifier: GPL-2.0
/*
 * The architectural PMU, for Intel CPUs without a row: its constraints, and the features that
 * depend on its version.
 */
#include <linux/cred.h>

#include "models.h"

/* Constraints of a CPU without a row, with 8 general and 16 fixed counters */
static void models_arch_limits(struct kunit *test)
{
	const struct x86_model *row = &x86_intel_arch_model;
	const u64 four = X86_GENERAL(8) | X86_GENERAL(4) << INTEL_PMC_IDX_FIXED;
	const u64 all = X86_GENERAL(8) | X86_GENERAL(16) << INTEL_PMC_IDX_FIXED;
	/* Filters that fixed counters lack, including a second unit mask and an exact threshold */
	static const u64 more[] = {
		ARCH_PERFMON_EVENTSEL_EDGE, ARCH_PERFMON_EVENTSEL_INV, BIT_ULL(24), BIT_ULL(31),
		HSW_IN_TX, HSW_IN_TX_CHECKPOINTED, BIT_ULL(40), BIT_ULL(47), BIT_ULL(36),
	};
	struct x86_event_sel sel = { };
	unsigned int i;

	for (i = 2; i < 16; i++) {
		KUNIT_EXPECT_EQ(test, models_sel_on(test, row, &x86_intel_msrs, all,
						    (i + 1) << 8, &sel), 0);
		KUNIT_EXPECT_EQ_MSG(test, sel.allowed, BIT_ULL(32 + i), "fixed counter %u", i);
		if (i >= 4)
			KUNIT_EXPECT_EQ(test, models_sel_on(test, row, &x86_intel_msrs, four,
							    (i + 1) << 8, &sel), -EINVAL);
	}
	for (i = 0; i < ARRAY_SIZE(more); i++) {
		KUNIT_EXPECT_EQ(test, models_sel_on(test, row, &x86_intel_msrs, all,
						    0xc0 | more[i], &sel), 0);
		KUNIT_EXPECT_EQ(test, sel.allowed, 0xff);
		KUNIT_EXPECT_EQ(test, models_sel_on(test, row, &x86_intel_msrs, all,
						    0x0300 | more[i], &sel), 0);
		KUNIT_EXPECT_EQ(test, sel.allowed, 0xff);
	}
	KUNIT_EXPECT_EQ(test, models_sel_on(test, row, &x86_intel_msrs, all,
					    0x0300 | ARCH_PERFMON_EVENTSEL_ANY, &sel), 0);
	KUNIT_EXPECT_EQ(test, sel.allowed, 0x400000000ULL);
}

/*
 * Before version 5 a CPU without a row has at most three fixed counters, and with version 1 none:
 * codes of other fixed counters are refused, since no general counter counts them.
 */
static void models_arch_refused(struct kunit *test)
{
	static const u64 masks[] = { 0x0, 0x3, 0x7 };
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(masks); i++) {
		u64 counters = X86_GENERAL(4) | masks[i] << INTEL_PMC_IDX_FIXED;

		for (n = 2; n < INTEL_PMC_MAX_FIXED; n++) {
			struct x86_event_sel sel = { };
			int err = models_sel_on(test, &x86_intel_arch_model, &x86_intel_msrs,
						counters, X86_EVENT(0x00, n + 1), &sel);

			KUNIT_EXPECT_EQ_MSG(test, err, masks[i] & BIT(n) ? 0 : -EINVAL,
					    "fixed counter %u of %#llx", n, masks[i]);
		}
	}
}

/* CPUID leaf 0xA reports the fixed counters, leaf 0x23 the bits of selects. */
static void models_arch_cpuid(struct kunit *test)
{
	/* 65 nm Core 2 has three, but reports none. In a guest the report is used. */
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(2, 0, 0, true), 0x700000000ULL);
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(4, 0, 0, true), 0x700000000ULL);
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(2, 0, 0, false), 0);
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(3, 4, 0, true), 0xf00000000ULL);
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(2, 2, 0xff, false), 0x300000000ULL);
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(1, 3, 0, true), 0);
	/* Version 5 adds a mask: fixed counters need not be contiguous. */
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(5, 0, 0, true), 0);
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(5, 3, 0x11, true), 0x1700000000ULL);
	KUNIT_EXPECT_EQ(test, x86_intel_fixed_mask(5, 31, 0, false), 0xffff00000000ULL);

	KUNIT_EXPECT_EQ(test, x86_intel_select_bits(0), 0);
	KUNIT_EXPECT_EQ(test, x86_intel_select_bits(1), 0xff0000000000ULL);
	KUNIT_EXPECT_EQ(test, x86_intel_select_bits(2), 0x1000000000ULL);
	KUNIT_EXPECT_EQ(test, x86_intel_select_bits(0xff), 0xff1000000000ULL);
}

/* Registers CFG_B and CFG_C, in the order of the SDM: four for each counter */
static void models_arch_reloads(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, x86_reload_msr(0, X86_RELOAD_CAUSES), 0x1902);
	KUNIT_EXPECT_EQ(test, x86_reload_msr(0, X86_RELOAD_VALUE), 0x1903);
	KUNIT_EXPECT_EQ(test, x86_reload_msr(7, X86_RELOAD_CAUSES), 0x191e);
	KUNIT_EXPECT_EQ(test, x86_reload_msr(INTEL_PMC_IDX_FIXED, X86_RELOAD_CAUSES), 0x1982);
	KUNIT_EXPECT_EQ(test, x86_reload_msr(INTEL_PMC_IDX_FIXED, X86_RELOAD_VALUE), 0x1983);
	KUNIT_EXPECT_EQ(test, x86_reload_msr(INTEL_PMC_IDX_FIXED + 6, X86_RELOAD_CAUSES), 0x199a);
}

/* AnyThread is refused before version 3, and accepted since, even if it is deprecated. */
static void models_any_thread(struct kunit *test)
{
	static const struct { int version; u64 mask; int err; } cases[] = {
		{ 1, 0, -EINVAL }, { 2, ARCH_PERFMON_EVENTSEL_ANY, -EINVAL },
		{ 3, ARCH_PERFMON_EVENTSEL_ANY, 0 }, { 4, 0, 0 }, { 5, 0, 0 },
	};
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct x86_core *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, core);
	event->pmu = &core->pmu;
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = X86_EVENT(0x3c, 0x00) | ARCH_PERFMON_EVENTSEL_ANY;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		core->version = cases[i].version;
		core->config_mask = X86_RAW_EVENT_MASK | cases[i].mask;
		event->hw.config = event->attr.config & core->config_mask;
		KUNIT_EXPECT_EQ_MSG(test, x86_intel_init_event(event), cases[i].err,
				    "version %d", cases[i].version);
	}
}

/* AnyThread needs permission for the CPU. An inherited event does not: its parent event had it. */
static void models_any_thread_permission(struct kunit *test)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct x86_core *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	struct cred *none = prepare_creds();
	const struct cred *own;
	int err, copy;

	KUNIT_ASSERT_NOT_NULL(test, none);
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, core);
	core->version = 3;
	event->pmu = &core->pmu;
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = X86_EVENT(0x3c, 0x00) | ARCH_PERFMON_EVENTSEL_ANY;
	cap_clear(none->cap_effective);
	own = override_creds(none);
	err = x86_intel_init_event(event);
	event->parent = event;
	copy = x86_intel_init_event(event);
	revert_creds(own);
	put_cred(none);
	if (IS_ENABLED(CONFIG_MULTIUSER) && sysctl_perf_event_paranoid > 0)
		KUNIT_EXPECT_EQ(test, err, -EACCES);
	KUNIT_EXPECT_EQ(test, copy, 0);
}

static struct kunit_case models_arch_cases[] = {
	KUNIT_CASE(models_arch_limits),
	KUNIT_CASE(models_arch_refused),
	KUNIT_CASE(models_arch_cpuid),
	KUNIT_CASE(models_arch_reloads),
	KUNIT_CASE(models_any_thread),
	KUNIT_CASE(models_any_thread_permission),
	{ }
};

static struct kunit_suite models_arch_suite = {
	.name		= "x86_models_arch",
	.test_cases	= models_arch_cases,
};

kunit_test_suite(models_arch_suite);
