// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual performance counters beside another driver that wants the hardware.
 */
#include <kunit/test.h>
#include <linux/delay.h>

#include "virtual.h"

static const char one[] = "one driver", two[] = "another driver";

/* A driver that comes second is told the name of the first. */
static void test_reserve(struct kunit *test)
{
	const char *other;

	if (!perfctr_cpu_name)
		kunit_skip(test, "no counters, not even a clock");
	other = perfctr_cpu_reserve(one);
	if (other)
		kunit_skip(test, "%s has the hardware", other);
	KUNIT_EXPECT_STREQ(test, perfctr_cpu_reserve(two), one);
	KUNIT_EXPECT_EQ_MSG(test, vperfctr_use_hardware(), -EBUSY, "an object is to be made");
	perfctr_cpu_release(one);
	KUNIT_EXPECT_NULL(test, perfctr_cpu_reserve(two));
	KUNIT_EXPECT_STREQ(test, perfctr_cpu_reserve(one), two);
	perfctr_cpu_release(two);
}

/* The hardware is reserved while there are objects, and is given back some time after that. */
static void test_objects(struct kunit *test)
{
	const char *other;
	int i, err;

	if (!perfctr_cpu_name)
		kunit_skip(test, "no counters, not even a clock");
	err = vperfctr_use_hardware();
	if (err == -EBUSY)
		kunit_skip(test, "another driver has the hardware");
	KUNIT_ASSERT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ(test, vperfctr_use_hardware(), 0);
	KUNIT_EXPECT_NOT_NULL(test, perfctr_cpu_reserve(one));
	vperfctr_unuse_hardware();
	KUNIT_EXPECT_NOT_NULL(test, perfctr_cpu_reserve(one));
	vperfctr_unuse_hardware();
	for (i = 0; i < 100; i++) {
		other = perfctr_cpu_reserve(one);
		if (!other)
			break;
		msleep(100);
	}
	KUNIT_EXPECT_NULL(test, other);
	if (!other)
		perfctr_cpu_release(one);
}

static struct kunit_case perfctr_virtual_cases[] = {
	KUNIT_CASE(test_reserve),
	KUNIT_CASE(test_objects),
	{ }
};

static struct kunit_suite perfctr_virtual_suite = {
	.name = "perfctr_virtual",
	.test_cases = perfctr_virtual_cases,
};

kunit_test_suite(perfctr_virtual_suite);
