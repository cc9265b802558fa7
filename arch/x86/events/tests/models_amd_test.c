// SPDX-License-Identifier: GPL-2.0
/*
 * Event constraints of AMD and Hygon models.
 */
#include <asm/cpu_device_id.h>

#include "models.h"

/* Model of a family, for CPUs without a feature that selects another model */
static const struct x86_model *models_of_family(struct kunit *test, int family)
{
	const struct x86_model *row = NULL;
	const struct x86_cpu_id *line;
	int n = 0;

	for (line = x86_amd_models; models_is_line(line); line++) {
		if (line->family == family && line->feature == X86_FEATURE_ANY) {
			row = models_row(line);
			n++;
		}
	}
	KUNIT_EXPECT_EQ_MSG(test, n, 1, "family %#x", family);
	return row;
}

static int models_sel(struct kunit *test, const struct x86_model *row, u64 config,
		      struct x86_event_sel *sel)
{
	return models_sel_on(test, row, &x86_amd_core_msrs,
			     X86_GENERAL(AMD64_NUM_COUNTERS_CORE), config, sel);
}

/* Mask of the counters that @row allows for @config, or a negative errno */
static s64 models_counters(struct kunit *test, const struct x86_model *row, u64 config)
{
	struct x86_event_sel sel;
	int err = models_sel(test, row, config, &sel);

	return err ?: (s64)sel.allowed;
}

/* Each family of AMD and of Hygon has one row. */
static void models_amd_families(struct kunit *test)
{
	static const u8 families[] = {
		0x06, 0x0f, 0x10, 0x11, 0x12, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(families); i++)
		KUNIT_EXPECT_NOT_NULL(test, models_of_family(test, families[i]));
}

/* Families without a row are treated as the latest one, if they have its counters. */
static void models_amd_later(struct kunit *test)
{
	const struct x86_model *last = models_of_family(test, 0x1a);
	const struct x86_cpu_id *line;
	int amd = 0, hygon = 0;

	for (line = x86_amd_models; models_is_line(line); line++) {
		if (line->family != X86_FAMILY_ANY)
			continue;
		KUNIT_EXPECT_EQ(test, line->feature, X86_FEATURE_PERFCTR_CORE);
		KUNIT_EXPECT_PTR_EQ(test, models_row(line), last);
		amd += line->vendor == X86_VENDOR_AMD;
		hygon += line->vendor == X86_VENDOR_HYGON;
	}
	KUNIT_EXPECT_EQ(test, amd, 1);
	KUNIT_EXPECT_EQ(test, hygon, 1);
}

/* Guests without the six counters have the constraints of the legacy counters. */
static void models_amd_few(struct kunit *test)
{
	static const u8 families[] = { 0x15, 0x17, 0x18, 0x19 };
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct x86_core *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	struct x86_event_sel sel;
	int i;

	if (boot_cpu_has(X86_FEATURE_PERFCTR_CORE))
		kunit_skip(test, "this CPU has the six counters");
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, core);
	for (i = 0; i < ARRAY_SIZE(families); i++) {
		memset(core, 0, sizeof(*core));
		core->model = models_of_family(test, families[i]);
		KUNIT_ASSERT_NOT_NULL(test, core->model);
		KUNIT_ASSERT_EQ(test, core->model->probe(core), 0);
		KUNIT_EXPECT_EQ(test, core->counters, 0xf);
		event->pmu = &core->pmu;
		event->hw.config = X86_EVENT(0xe9, 0xb8) | ARCH_PERFMON_EVENTSEL_USR;
		KUNIT_EXPECT_EQ(test, x86_event_get_sel(event, &sel), 0);
		KUNIT_EXPECT_EQ(test, sel.allowed, 0xf);
		KUNIT_EXPECT_EQ(test, sel.flags & X86_AMD_NB, X86_AMD_NB);
		/* Floating point: no pairs, and only the legacy counters */
		event->hw.config = X86_EVENT(0x03, 0x01) | ARCH_PERFMON_EVENTSEL_USR;
		KUNIT_EXPECT_EQ(test, x86_event_get_sel(event, &sel), 0);
		KUNIT_EXPECT_EQ(test, sel.allowed, 0xf);
		KUNIT_EXPECT_EQ(test, sel.flags & (X86_AMD_NB | X86_PAIR), 0);
	}
}

/* Events of family 15h, and the counters that can count them */
static void models_amd_15h(struct kunit *test)
{
	static const struct {
		u64 config;
		s64 counters;
	} cases[] = {
		{ X86_EVENT(0x00, 0x01), 0x38 }, { X86_EVENT(0x00, 0x10), 0x38 },
		{ X86_EVENT(0x00, 0x11), 0x08 }, { X86_EVENT(0x03, 0x01), 0x08 },
		{ X86_EVENT(0x04, 0x02), 0x38 }, { X86_EVENT(0x04, 0x03), 0x08 },
		{ X86_EVENT(0x05, 0x0f), 0x38 },
		{ X86_EVENT(0x23, 0x01), 0x07 }, { X86_EVENT(0x24, 0x01), 0x3f },
		{ X86_EVENT(0x41, 0x01), 0x3f }, { X86_EVENT(0x43, 0x00), 0x07 },
		{ X86_EVENT(0x76, 0x00), 0x07 }, { X86_EVENT(0x7d, 0x07), 0x07 },
		{ X86_EVENT(0x80, 0x00), 0x07 }, { X86_EVENT(0xc0, 0x00), 0x3f },
		{ X86_EVENT(0xd0, 0x00), 0x07 }, { X86_EVENT(0xdb, 0x01), 0x3f },
		{ X86_EVENT(0xd8, 0x00), 0x07 }, { X86_EVENT(0xd8, 0x00) | BIT_ULL(32), 0x3f },
		{ X86_EVENT(0x87, 0x00), 0x07 }, { X86_EVENT(0x87, 0x01) | BIT_ULL(32), 0x01 },
		{ X86_EVENT(0x88, 0x00), 0x07 }, { X86_EVENT(0x88, 0x01) | BIT_ULL(32), 0x01 },
		{ X86_EVENT(0xc0, 0x01) | BIT_ULL(32), 0x38 },
		{ X86_EVENT(0xd6, 0x00), 0x07 }, { X86_EVENT(0xd6, 0x01) | BIT_ULL(32), 0x3f },
		{ X86_EVENT(0x2e, 0x00), 0x09 }, { X86_EVENT(0x31, 0x04), 0x07 },
		{ X86_EVENT(0x31, 0x05), -EINVAL }, { X86_EVENT(0xe9, 0xb8), -EINVAL },
	};
	const struct x86_model *row = models_of_family(test, 0x15);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, row);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, models_counters(test, row, cases[i].config),
				    cases[i].counters, "config %#llx", cases[i].config);
}

static u16 models_flags(struct kunit *test, const struct x86_model *row, u64 config)
{
	struct x86_event_sel sel;

	KUNIT_EXPECT_EQ(test, models_sel(test, row, config, &sel), 0);
	return sel.flags & (X86_PAIR | X86_AMD_NB);
}

/*
 * Floating point operations are counted by a pair of counters, which starts at an even one. The
 * edge, inv and cmask bits do not change that.
 */
static void models_amd_pairs(struct kunit *test)
{
	static const u8 families[] = { 0x17, 0x18, 0x19, 0x1a };
	const u64 flops = X86_EVENT(0x03, 0xff);
	struct x86_event_sel sel;
	int i;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		const struct x86_model *row = models_of_family(test, families[i]);

		KUNIT_EXPECT_EQ(test, models_counters(test, row, flops), 0x15);
		KUNIT_EXPECT_EQ(test, models_counters(test, row, flops | 0x01840000), 0x15);
		KUNIT_EXPECT_EQ(test, models_flags(test, row, flops), X86_PAIR);
		KUNIT_EXPECT_EQ(test, models_counters(test, row, flops | BIT_ULL(32)), 0x3f);
		KUNIT_EXPECT_EQ(test, models_flags(test, row, flops | BIT_ULL(32)), 0);
		KUNIT_EXPECT_EQ(test, models_sel(test, row, 0xf000000ff, &sel), -EINVAL);
		KUNIT_EXPECT_EQ(test, models_sel(test, row, 0xf000001ff, &sel), -EINVAL);
	}
}

/* All northbridge events, including 12-bit codes, and no others */
static void models_amd_northbridge(struct kunit *test)
{
	static const u8 families[] = { 0x0f, 0x10, 0x11, 0x12, 0x14 };
	int i;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		const struct x86_model *row = models_of_family(test, families[i]);

		KUNIT_EXPECT_EQ(test, models_counters(test, row, X86_EVENT(0xe9, 0xb8)), 0xf);
		KUNIT_EXPECT_EQ(test, models_flags(test, row, X86_EVENT(0xe0, 1)), X86_AMD_NB);
		KUNIT_EXPECT_EQ(test, models_flags(test, row, X86_EVENT(0xe0, 1) | BIT_ULL(34)),
				X86_AMD_NB);
		KUNIT_EXPECT_EQ(test, models_flags(test, row, X86_EVENT(0xc0, 0) | BIT_ULL(34)), 0);
		KUNIT_EXPECT_EQ(test, models_flags(test, row, X86_EVENT(0xdf, 0)), 0);
	}
	KUNIT_EXPECT_EQ(test, models_flags(test, models_of_family(test, 0x16), 0xe9), 0);
}

/* An event of taken branches needs counter 0 if it has a branch stack. */
static void models_amd_branch_sampling(struct kunit *test)
{
	const struct x86_model *row = models_of_family(test, 0x19);
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct x86_core *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	const u64 modes = ARCH_PERFMON_EVENTSEL_INT | ARCH_PERFMON_EVENTSEL_USR |
			  AMD64_EVENTSEL_HOSTONLY;
	struct x86_event_sel sel;

	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, core);
	core->model = row;
	core->msrs = &x86_amd_core_msrs;
	core->counters = X86_GENERAL(AMD64_NUM_COUNTERS_CORE);
	core->branches.nr = 16;
	core->branches.flags = X86_UNIT_DELAYS;
	event->pmu = &core->pmu;
	event->hw.config = 0xc4 | modes;
	KUNIT_EXPECT_EQ(test, x86_event_get_sel(event, &sel), 0);
	KUNIT_EXPECT_EQ(test, sel.allowed, core->counters);
	KUNIT_EXPECT_EQ(test, x86_event_least_period(event), 1);
	event->attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	event->attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	KUNIT_EXPECT_EQ(test, x86_event_get_sel(event, &sel), 0);
	KUNIT_EXPECT_EQ(test, sel.allowed, 1);
	KUNIT_EXPECT_EQ(test, x86_event_least_period(event), 17);
	/* With version 2 of the last branch records, events with branch stacks have no limits. */
	core->branches.flags = X86_UNIT_FILTER;
	KUNIT_EXPECT_EQ(test, x86_event_get_sel(event, &sel), 0);
	KUNIT_EXPECT_EQ(test, sel.allowed, core->counters);
	KUNIT_EXPECT_EQ(test, x86_event_least_period(event), 1);

	KUNIT_EXPECT_NOT_NULL(test, x86_find_limit(row->branch_limits, 0xc4 | modes));
	KUNIT_EXPECT_NULL(test, x86_find_limit(row->branch_limits, 0xc2 | modes));
	KUNIT_EXPECT_NULL(test, x86_find_limit(row->branch_limits, X86_EVENT(0xc4, 0x01)));
	KUNIT_EXPECT_NULL(test, x86_find_limit(row->branch_limits, 0xc4 | BIT_ULL(32)));
	KUNIT_EXPECT_NULL(test, x86_find_limit(row->branch_limits,
					       0xc4 | ARCH_PERFMON_EVENTSEL_EDGE));
	KUNIT_EXPECT_NULL(test, x86_find_limit(row->branch_limits,
					       0xc4 | ARCH_PERFMON_EVENTSEL_INV));
	KUNIT_EXPECT_NULL(test, x86_find_limit(row->branch_limits, 0x010000c4));
}

/* Before family 10h the upper half of a select is reserved. */
static void models_amd_guest_bits(struct kunit *test)
{
	static const struct x86_pmu_msrs *const msrs[] = { &x86_amd_k8_msrs, &x86_amd_k7_msrs };
	const u64 modes = ARCH_PERFMON_EVENTSEL_INT | ARCH_PERFMON_EVENTSEL_USR;
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct x86_core *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	struct x86_event_sel sel;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, core);
	event->pmu = &core->pmu;
	for (i = 0; i < ARRAY_SIZE(msrs); i++) {
		bool bits = i && boot_cpu_has(X86_FEATURE_SVM);

		core->model = models_of_family(test, i ? 0x10 : 0x0f);
		KUNIT_ASSERT_NOT_NULL(test, core->model);
		KUNIT_ASSERT_EQ(test, core->model->probe(core), 0);
		/* A CPU with the six counters has other registers. */
		if (!boot_cpu_has(X86_FEATURE_PERFCTR_CORE))
			KUNIT_EXPECT_PTR_EQ(test, core->msrs, msrs[i]);
		core->msrs = msrs[i];
		core->counters = X86_GENERAL(AMD64_NUM_COUNTERS);
		event->attr.exclude_host = 0;
		event->attr.exclude_guest = 1;
		event->hw.config = 0xc0 | modes;
		KUNIT_EXPECT_EQ(test, x86_amd_init_event(event), 0);
		KUNIT_EXPECT_EQ(test, event->hw.config,
				0xc0 | modes | (bits ? AMD64_EVENTSEL_HOSTONLY : 0));
		event->attr.exclude_host = 1;
		event->attr.exclude_guest = 0;
		event->hw.config = 0xc0 | modes;
		KUNIT_EXPECT_EQ(test, x86_amd_init_event(event), 0);
		/* Without the bits the event counts no mode. */
		KUNIT_EXPECT_EQ(test, event->hw.config, 0xc0 | ARCH_PERFMON_EVENTSEL_INT |
				(bits ? AMD64_EVENTSEL_GUESTONLY | ARCH_PERFMON_EVENTSEL_USR : 0));
		KUNIT_EXPECT_EQ(test, x86_event_get_sel(event, &sel), 0);
		KUNIT_EXPECT_EQ(test, !!(sel.flags & X86_GUEST_ONLY), !i);
	}
}

static struct kunit_case models_amd_cases[] = {
	KUNIT_CASE(models_amd_families),
	KUNIT_CASE(models_amd_later),
	KUNIT_CASE(models_amd_few),
	KUNIT_CASE(models_amd_15h),
	KUNIT_CASE(models_amd_pairs),
	KUNIT_CASE(models_amd_northbridge),
	KUNIT_CASE(models_amd_branch_sampling),
	KUNIT_CASE(models_amd_guest_bits),
	{ }
};

static struct kunit_suite models_amd_suite = {
	.name		= "x86_models_amd",
	.test_cases	= models_amd_cases,
};

kunit_test_suite(models_amd_suite);
