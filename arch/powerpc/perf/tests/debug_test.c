// SPDX-License-Identifier: GPL-2.0
/*
 * Output of perf_event_print_debug(), on the PMU of the machine.
 *
 * Included at the end of debug.c.
 */
#include <kunit/test.h>
#include <linux/kmsg_dump.h>
#include <linux/string.h>

#define TEST_LOG	8192
#define TEST_MARK	"debug_test: output follows"

static void debug_prints_registers(struct kunit *test)
{
	char *log = kunit_kzalloc(test, TEST_LOG, GFP_KERNEL);
	struct kmsg_dump_iter iter;
	size_t length = 0;

	KUNIT_ASSERT_NOT_NULL(test, log);
	pr_info(TEST_MARK "\n");
	perf_event_print_debug();
	kmsg_dump_rewind(&iter);
	KUNIT_ASSERT_TRUE(test, kmsg_dump_get_buffer(&iter, false, log, TEST_LOG - 1, &length));
	log[length] = 0;
	/* Only the output of the call: other messages have the driver's name, too. */
	log = strnstr(log, TEST_MARK, TEST_LOG);
	KUNIT_ASSERT_NOT_NULL(test, log);
	KUNIT_EXPECT_NOT_NULL(test, strstr(log, power_driver->name));
	KUNIT_EXPECT_NOT_NULL(test, strstr(log, "PMC1: "));
	KUNIT_EXPECT_NOT_NULL(test, strstr(log, "MMCR0: "));
	KUNIT_EXPECT_NOT_NULL(test, strstr(log, "MMCRA: "));
}

static int debug_test_init(struct kunit *test)
{
	if (!power_driver)
		kunit_skip(test, "a processor without such counters");
	return 0;
}

static struct kunit_case debug_cases[] = {
	KUNIT_CASE(debug_prints_registers),
	{}
};

static struct kunit_suite debug_suite = {
	.name		= "powerpc_perf_debug",
	.init		= debug_test_init,
	.test_cases	= debug_cases,
};

kunit_test_suite(debug_suite);
