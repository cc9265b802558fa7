// SPDX-License-Identifier: GPL-2.0
/*
 * Models of hybrid Intel CPUs: constraints of Lion Cove, and topdown metrics of P-cores.
 */
#include <asm/cpu_device_id.h>
#include <asm/msr-index.h>

#include "models_intel.h"

/* Lion Cove, with its ten counters, and with eight in a guest */
static void models_lion_cove(struct kunit *test)
{
	static const struct {
		u64 config;
		u64 counters;
	} cases[] = {
		{ X86_EVENT(0x20, 0x08), 0x00f }, { X86_EVENT(0x21, 0x08), 0x3ff },
		{ X86_EVENT(0x2a, 0x01), 0x00f }, { X86_EVENT(0x2b, 0x01), 0x00f },
		{ X86_EVENT(0x2a, 0x02), 0x3ff }, { X86_EVENT(0x2b, 0x04), 0x3ff },
		{ X86_EVENT(0x48, 0x01), 0x004 }, { X86_EVENT(0x48, 0x02), 0x3ff },
		{ X86_EVENT(0x75, 0x01), 0x004 }, { X86_EVENT(0xa3, 0x08), 0x004 },
		{ X86_EVENT(0xa3, 0x0c), 0x004 }, { X86_EVENT(0xa3, 0x04), 0x3ff },
		{ X86_EVENT(0xa4, 0x08), 0x001 }, { X86_EVENT(0xa4, 0x10), 0x008 },
		{ X86_EVENT(0xb1, 0x01), 0x008 }, { X86_EVENT(0xb1, 0x02), 0x3ff },
		{ X86_EVENT(0xcd, 0x01), 0x3fc }, { X86_EVENT(0xcd, 0x02), 0x003 },
		{ X86_EVENT(0xd0, 0x81), 0x00f }, { X86_EVENT(0xd0, 0x87), 0x3ff },
		{ X86_EVENT(0xd5, 0x01), 0x00f }, { X86_EVENT(0xdf, 0x01), 0x00f },
		{ X86_EVENT(0xe0, 0x00), 0x00f }, { X86_EVENT(0xe0, 0x01), 0x3ff },
	};
	const u64 fixed = X86_GENERAL(4) << INTEL_PMC_IDX_FIXED;
	const struct x86_model *row;
	const struct x86_extra *extra;
	struct x86_event_sel sel = { };
	int i, n;

	row = models_of_vfm(INTEL_LUNARLAKE_M, 0, &n);
	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_EXPECT_PTR_EQ(test, models_of_vfm(INTEL_ARROWLAKE, 0, &n), row);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ(test, models_sel_on(test, row, &x86_intel_msrs,
						    X86_GENERAL(10) | fixed, cases[i].config,
						    &sel), 0);
		KUNIT_EXPECT_EQ_MSG(test, sel.allowed, cases[i].counters, "config %#llx",
				    cases[i].config);
		KUNIT_EXPECT_EQ(test, models_sel_on(test, row, &x86_intel_msrs,
						    X86_GENERAL(8) | fixed, cases[i].config,
						    &sel), 0);
		KUNIT_EXPECT_EQ_MSG(test, sel.allowed, cases[i].counters & 0xff, "config %#llx",
				    cases[i].config);
	}
	extra = models_extra_of(row, X86_EVENT(0xad, 0x40));
	KUNIT_ASSERT_NOT_NULL(test, extra);
	KUNIT_EXPECT_EQ(test, extra->msr, MSR_PEBS_FRONTEND);
	KUNIT_EXPECT_EQ(test, extra->valid, 0xf);
}

/*
 * Counters at the highest level of precise events. The names of fixed counters that cannot
 * distribute precisely are no events of the general counters, which would count nothing.
 */
static void models_distributed(struct kunit *test)
{
	static const struct {
		u32 vfm;
		bool e_core;
		u64 config;
		u64 counters;
	} cases[] = {
		{ INTEL_ATOM_GOLDMONT_PLUS, false, X86_EVENT(0x00, 0x03), 0 },
		{ INTEL_ATOM_GOLDMONT_PLUS, false, X86_EVENT(0x3c, 0x00), 0x01 },
		{ INTEL_ATOM_TREMONT, false, X86_EVENT(0x00, 0x03), 0 },
		{ INTEL_ATOM_TREMONT, false, X86_EVENT(0xc4, 0x00), 0x01 },
		{ INTEL_ATOM_GRACEMONT, false, X86_EVENT(0x00, 0x03), 0 },
		{ INTEL_ATOM_GRACEMONT, false, X86_EVENT(0x3c, 0x01), 0x01 },
		{ INTEL_ALDERLAKE, true, X86_EVENT(0x00, 0x03), 0 },
		{ INTEL_METEORLAKE, true, X86_EVENT(0x00, 0x03), 0 },
		{ INTEL_LUNARLAKE_M, true, X86_EVENT(0x00, 0x03), 0 },
		{ INTEL_LUNARLAKE_M, true, X86_EVENT(0x00, 0x05), 0 },
		{ INTEL_LUNARLAKE_M, true, X86_EVENT(0x00, 0x06), 0 },
		{ INTEL_LUNARLAKE_M, true, X86_EVENT(0x00, 0x07), 0 },
		{ INTEL_LUNARLAKE_M, true, X86_EVENT(0x73, 0x00), 0x03 },
		{ INTEL_LUNARLAKE_M, true, X86_EVENT(0xc2, 0x02), 0x03 },
		{ INTEL_LUNARLAKE_M, true, X86_EVENT(0xc0, 0x00), 0x100000003ULL },
	};
	struct x86_event_sel sel = { };
	int i, n;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct x86_model *row = models_of_vfm(cases[i].vfm, 0, &n);
		const struct x86_limit *limit;

		KUNIT_ASSERT_NOT_NULL(test, row);
		if (cases[i].e_core)
			row = row->e_core_model;
		KUNIT_ASSERT_NOT_NULL(test, row);
		limit = x86_find_limit(row->distributed, cases[i].config);
		KUNIT_ASSERT_NOT_NULL(test, limit);
		KUNIT_EXPECT_EQ_MSG(test, limit->counters, cases[i].counters,
				    "%s: config %#llx", row->name, cases[i].config);
	}
	/* At other levels, slots have their fixed counters. */
	KUNIT_EXPECT_EQ(test, models_sel_on(test, &x86_intel_lunarlake_e_core, &x86_intel_msrs,
					    X86_GENERAL(8) | X86_GENERAL(7) << INTEL_PMC_IDX_FIXED,
					    X86_EVENT(0x00, 0x07), &sel), 0);
	KUNIT_EXPECT_EQ(test, sel.allowed, X86_FIXED(6));
}

/* A hybrid CPU does not report the metrics of its P-cores. */
static void models_hybrid_metrics(struct kunit *test)
{
	static const struct {
		u64 capabilities;
		u64 fixed;
		u8 kind;
		bool hybrid;
		u8 metrics;
	} cases[] = {
		{ BIT_ULL(15), 0xf, 0, false, 8 },
		{ 0, 0xf, 0, false, 0 },
		{ BIT_ULL(15), 0x7, 0, false, 0 },
		{ 0, 0xf, X86_KIND_CORE, true, 8 },
		{ 0, 0x7, X86_KIND_CORE, true, 0 },
		/* With a hypervisor, only the capabilities matter. */
		{ 0, 0xf, X86_KIND_CORE, false, 0 },
		{ BIT_ULL(15), 0xf, X86_KIND_CORE, false, 8 },
		{ 0, 0xf, X86_KIND_ATOM, true, 0 },
	};
	struct x86_core *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	int i, n;

	KUNIT_ASSERT_NOT_NULL(test, core);
	core->model = models_of_vfm(INTEL_ALDERLAKE, 0, &n);
	KUNIT_ASSERT_NOT_NULL(test, core->model);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		core->capabilities = cases[i].capabilities;
		core->counters = X86_GENERAL(8) | cases[i].fixed << INTEL_PMC_IDX_FIXED;
		core->kind = cases[i].kind;
		KUNIT_EXPECT_EQ_MSG(test, x86_intel_metrics(core, cases[i].hybrid),
				    cases[i].metrics, "case %d", i);
	}
	core->model = core->model->e_core_model;
	KUNIT_EXPECT_EQ(test, core->model->metrics, 0);
}

static struct kunit_case models_hybrid_cases[] = {
	KUNIT_CASE(models_lion_cove),
	KUNIT_CASE(models_distributed),
	KUNIT_CASE(models_hybrid_metrics),
	{ }
};

static struct kunit_suite models_hybrid_suite = {
	.name		= "x86_models_hybrid",
	.test_cases	= models_hybrid_cases,
};

kunit_test_suite(models_hybrid_suite);
