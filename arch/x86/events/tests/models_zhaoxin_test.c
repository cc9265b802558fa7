// SPDX-License-Identifier: GPL-2.0
/*
 * Models of Zhaoxin and Centaur.
 */
#include <asm/cpu_device_id.h>

#include "models.h"

/* Find the row of a model, and adjust it to a version and a number of architectural events. */
static int models_zhaoxin_probe(struct kunit *test, struct x86_core *core, int family, int model,
				int version, int events)
{
	const struct x86_cpu_id *line;

	memset(core, 0, sizeof(*core));
	core->version = version;
	core->width = 48;
	core->max_period = 0x7fffffff;
	core->events_mask_len = events;
	for (line = x86_zhaoxin_models; models_is_line(line); line++) {
		if (line->family == family && line->model == model)
			core->model = models_row(line);
	}
	KUNIT_ASSERT_NOT_NULL(test, core->model);
	return x86_zhaoxin_check_cpuid(core);
}

static void models_zhaoxin(struct kunit *test)
{
	struct x86_core *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, core);
	KUNIT_EXPECT_EQ(test, models_zhaoxin_probe(test, core, 7, 0x1b, 2, 7), 0);
	KUNIT_EXPECT_EQ(test, core->max_period, 0x7fffffffffffULL);
	KUNIT_EXPECT_EQ(test, core->generic[PERF_COUNT_HW_BRANCH_MISSES], 0);
	KUNIT_EXPECT_EQ(test, models_zhaoxin_probe(test, core, 7, 0x1b, 2, 6), 0);
	KUNIT_EXPECT_EQ(test, core->generic[PERF_COUNT_HW_BRANCH_MISSES], 0x0709);
	KUNIT_EXPECT_EQ(test, models_zhaoxin_probe(test, core, 7, 0x3b, 2, 6), 0);
	KUNIT_EXPECT_EQ(test, core->generic[PERF_COUNT_HW_BRANCH_MISSES], 0x0029);
	KUNIT_EXPECT_EQ(test, models_zhaoxin_probe(test, core, 7, 0x1b, 2, 5), -ENODEV);
	KUNIT_EXPECT_EQ(test, models_zhaoxin_probe(test, core, 7, 0x1b, 1, 7), -ENODEV);
	KUNIT_EXPECT_EQ(test, models_zhaoxin_probe(test, core, 7, 0x1b, 3, 7), -ENODEV);

	/* The only generic event of ZX-C is cycles. */
	KUNIT_EXPECT_EQ(test, models_zhaoxin_probe(test, core, 6, 0x19, 2, 7), 0);
	for (i = 0; i < PERF_COUNT_HW_MAX; i++)
		KUNIT_EXPECT_EQ_MSG(test, core->model->generic[i],
				    i == PERF_COUNT_HW_CPU_CYCLES ? 0x82 : 0, "event %d", i);
}

static struct kunit_case models_zhaoxin_cases[] = {
	KUNIT_CASE(models_zhaoxin),
	{ }
};

static struct kunit_suite models_zhaoxin_suite = {
	.name		= "x86_models_zhaoxin",
	.test_cases	= models_zhaoxin_cases,
};

kunit_test_suite(models_zhaoxin_suite);
