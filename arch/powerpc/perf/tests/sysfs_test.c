// SPDX-License-Identifier: GPL-2.0
/*
 * Contents of the PMU's sysfs files.
 *
 * Included at the end of sysfs.c.
 */
#include <kunit/test.h>

static void sysfs_pmu_name(struct kunit *test)
{
	char *page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

	if (!power_driver)
		kunit_skip(test, "a processor without such counters");
	KUNIT_ASSERT_NOT_NULL(test, page);
	pmu_name_show(NULL, &dev_attr_pmu_name, page);
	KUNIT_EXPECT_STREQ(test, page, power_driver->name);
}

static struct kunit_case sysfs_cases[] = {
	KUNIT_CASE(sysfs_pmu_name),
	{}
};

static struct kunit_suite sysfs_suite = {
	.name		= "powerpc_perf_sysfs",
	.test_cases	= sysfs_cases,
};

kunit_test_suite(sysfs_suite);
