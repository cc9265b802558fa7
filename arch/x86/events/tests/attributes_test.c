// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of all PMUs in sysfs: freeze_on_smi and rdpmc.
 */
#include <kunit/test.h>
#include <linux/jump_label.h>
#include <asm/mmu_context.h>
#include <asm/processor.h>

#include "../engine.h"

/* Tools read freeze_on_smi: it exists from version 2 on, even without FREEZE_WHILE_SMM. */
static void models_freeze_on_smi(struct kunit *test)
{
	bool intel = boot_cpu_data.x86_vendor == X86_VENDOR_INTEL;
	struct x86_core *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, core);
	core->version = 1;
	KUNIT_EXPECT_FALSE(test, x86_can_freeze_on_smi(core));
	core->version = 2;
	KUNIT_EXPECT_EQ(test, x86_can_freeze_on_smi(core), intel);
}

/*
 * The default of "rdpmc" also applies to processes with mappings of perfctr. Only the static key
 * controls RDPMC for these.
 */
static void models_rdpmc_key(struct kunit *test)
{
	bool boot = static_key_enabled(&rdpmc_never_available_key), never;
	int before = x86_rdpmc;

	if (!x86_nr_cores)
		kunit_skip(test, "no PMU");
	x86_rdpmc = 0;
	x86_rdpmc_init();
	never = static_key_enabled(&rdpmc_never_available_key);
	x86_rdpmc = before;
	x86_rdpmc_init();
	KUNIT_EXPECT_EQ(test, boot, !before);
	KUNIT_EXPECT_TRUE(test, never);
	KUNIT_EXPECT_EQ(test, static_key_enabled(&rdpmc_never_available_key), boot);
}

static struct kunit_case attributes_cases[] = {
	KUNIT_CASE(models_freeze_on_smi),
	KUNIT_CASE(models_rdpmc_key),
	{ }
};

static struct kunit_suite attributes_suite = {
	.name		= "x86_attributes",
	.test_cases	= attributes_cases,
};

kunit_test_suite(attributes_suite);
