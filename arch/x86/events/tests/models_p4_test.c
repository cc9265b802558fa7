// SPDX-License-Identifier: GPL-2.0
/*
 * The model of Netburst, and the threads of its cores.
 */
#include <linux/preempt.h>
#include <linux/topology.h>
#include <asm/msr-index.h>
#include <asm/perf_event_p4.h>

#include "models.h"

/* Every event of Netburst has an ESCR that is connected to its counters. */
static void models_p4(struct kunit *test)
{
	const struct x86_model *row = &x86_intel_p4;
	struct x86_event_sel sel = { };
	int i;

	for (i = 0; i <= P4_EVENT_INSTR_COMPLETED; i++) {
		u64 config = p4_config_pack_escr(P4_ESCR_EVENT((u64)i) | P4_ESCR_EMASK(1ULL));

		KUNIT_ASSERT_EQ_MSG(test, models_sel_on(test, row, row->msrs, row->counters, config,
							&sel), 0, "event %d", i);
		KUNIT_EXPECT_EQ(test, sel.allowed & ~row->counters, 0);
		KUNIT_EXPECT_EQ(test, sel.msr, row->extra[sel.extra_idx].msr);
		KUNIT_EXPECT_EQ(test, sel.config & P4_CCCR_ENABLE, 0);
		KUNIT_EXPECT_EQ(test, sel.extra & P4_ESCR_EVENTMASK_MASK, P4_ESCR_EMASK(1ULL));
	}
	KUNIT_EXPECT_EQ(test, models_sel_on(test, row, row->msrs, row->counters,
					    row->generic[PERF_COUNT_HW_CPU_CYCLES], &sel), 0);
	KUNIT_EXPECT_EQ(test, sel.allowed, BIT(0));
	KUNIT_EXPECT_EQ(test, sel.msr, MSR_P4_FSB_ESCR0);
	/* GLOBAL_POWER_EVENTS (event 13h, ESCR select 6), user and kernel, thread 0 */
	KUNIT_EXPECT_EQ(test, sel.extra, 0x2600020c);
	KUNIT_EXPECT_EQ(test, sel.config, 0x0403c000);
	KUNIT_EXPECT_EQ(test, sel.common, 0);
	/* The threads of a core share the PEBS registers of a metric, as all other registers. */
	KUNIT_EXPECT_EQ(test, models_sel_on(test, row, row->msrs, row->counters,
					    (*row->cache)[PERF_COUNT_HW_CACHE_DTLB]
					    [PERF_COUNT_HW_CACHE_OP_WRITE]
					    [PERF_COUNT_HW_CACHE_RESULT_MISS], &sel), 0);
	KUNIT_EXPECT_EQ(test, sel.common, BIT(P4_PEBS_METRIC__dtlb_store_miss_retired));
	KUNIT_EXPECT_TRUE(test, row->msrs->shared);
}

/*
 * The number of an event has 6 bits, but there are fewer events. Each has its own event mask bits.
 * The event has a parent, so that the error is not noted for the test.
 */
static void models_p4_unknown_event(struct kunit *test)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, event);
	event->parent = event;
	for (i = 0; i < 64; i++) {
		event->hw.config = p4_config_pack_escr(P4_ESCR_EVENT((u64)i));
		/* The CPU may lack the last event. */
		if (i != P4_EVENT_INSTR_COMPLETED)
			KUNIT_EXPECT_EQ_MSG(test, x86_intel_p4.init_event(event),
					    i < P4_EVENT_INSTR_COMPLETED ? 0 : -EINVAL,
					    "event %d", i);
	}
	/* The only bit of BPU_FETCH_REQUEST is bit 0, TCMISS. */
	event->hw.config = p4_config_pack_escr(P4_ESCR_EVENT((u64)P4_EVENT_BPU_FETCH_REQUEST) |
					       P4_ESCR_EMASK(1ULL));
	KUNIT_EXPECT_EQ(test, x86_intel_p4.init_event(event), 0);
	event->hw.config |= p4_config_pack_escr(P4_ESCR_EMASK(2ULL));
	KUNIT_EXPECT_EQ(test, x86_intel_p4.init_event(event), -EINVAL);
}

#ifdef CONFIG_SMP
/*
 * The second thread of a core has an ESCR, modes and interrupts of its own, also while the first
 * thread is offline. This test treats this CPU as a second thread, even without a sibling.
 */
static void models_p4_second_thread(struct kunit *test)
{
	const struct x86_model *row = &x86_intel_p4;
	struct x86_event_sel sel = { };
	unsigned int number;
	bool primary;
	int err;

	migrate_disable();
	number = smp_processor_id();
	primary = cpumask_test_and_clear_cpu(number, &__cpu_primary_thread_mask);
	err = models_sel_on(test, row, row->msrs, row->counters,
			    row->generic[PERF_COUNT_HW_CPU_CYCLES], &sel);
	if (primary)
		cpumask_set_cpu(number, &__cpu_primary_thread_mask);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ(test, sel.allowed, BIT(2) | BIT(3));
	KUNIT_EXPECT_EQ(test, sel.msr, MSR_P4_FSB_ESCR1);
	/* GLOBAL_POWER_EVENTS (event 13h, ESCR select 6), user and kernel, thread 1 */
	KUNIT_EXPECT_EQ(test, sel.extra, 0x26000203);
	KUNIT_EXPECT_EQ(test, sel.config, 0x0803c000);
}
#endif

/* With hyper-threading, RDPMC could read the counters of the other thread, so it is disabled. */
static void models_p4_rdpmc(struct kunit *test)
{
	struct x86_core *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	int before = x86_rdpmc, after, err;

	KUNIT_ASSERT_NOT_NULL(test, core);
	x86_rdpmc = 1;
	err = x86_intel_p4.probe(core);
	after = x86_rdpmc;
	x86_rdpmc = before;
	if (err)
		kunit_skip(test, "no counters of an Intel CPU");
	KUNIT_EXPECT_EQ(test, after, !p4_ht_active());
}

static struct kunit_case models_p4_cases[] = {
	KUNIT_CASE(models_p4),
	KUNIT_CASE(models_p4_unknown_event),
#ifdef CONFIG_SMP
	KUNIT_CASE(models_p4_second_thread),
#endif
	KUNIT_CASE(models_p4_rdpmc),
	{ }
};

static struct kunit_suite models_p4_suite = {
	.name		= "x86_models_p4",
	.test_cases	= models_p4_cases,
};

kunit_test_suite(models_p4_suite);
