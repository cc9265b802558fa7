// SPDX-License-Identifier: GPL-2.0
/*
 * Claims (counters reserved by perfctr) on a CPU whose event selects are memory. Without global
 * control, the select of a counter enables it. No counter is read or written.
 */
#include <kunit/test.h>

#include "../engine.h"

#define RUN		ARCH_PERFMON_EVENTSEL_ENABLE
#define EVENT		(0xc0 | ARCH_PERFMON_EVENTSEL_USR)
#define COUNTERS	4

static u64 memory_selects[COUNTERS];

static void memory_write_select(int counter, u64 select)
{
	memory_selects[counter] = select;
}

static const struct x86_pmu_msrs memory_msrs = {
	.run = RUN, .halt = RUN, .write_select = memory_write_select,
};

static const struct x86_model memory_model = {
	.name = "memory",
};

/**
 * struct claim_env - a CPU and its events
 * @core: the PMU
 * @cpu: the CPU
 * @excl: threads of the core
 * @event: a stopped event, pinned or not
 * @claim: a claim of counter 0
 */
struct claim_env {
	struct x86_core		core;
	struct x86_pmu_cpu	cpu;
	struct x86_excl_cntrs	excl;
	struct perf_event	event;
	struct x86_claim	claim;
};

static int claim_test_init(struct kunit *test)
{
	struct claim_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	memset(memory_selects, 0, sizeof(memory_selects));
	env->core.msrs = &memory_msrs;
	env->core.model = &memory_model;
	env->core.counters = X86_GENERAL(COUNTERS);
	env->cpu.core = &env->core;
	env->cpu.gen = 1;
	raw_spin_lock_init(&env->excl.lock);
	env->claim = (struct x86_claim){
		.id = 5, .counters = BIT_ULL(0), .n = 1, .config[0] = EVENT,
	};
	test->priv = env;
	return 0;
}

/*
 * x86_claim_get_fast() does not continue counters that perf may be assigning to events, or may
 * have to reprogram.
 */
static void test_continue_while_assigning(struct kunit *test)
{
	struct claim_env *env = test->priv;
	struct x86_pmu_cpu *cpu = &env->cpu;

	local_irq_disable();
	KUNIT_EXPECT_EQ(test, x86_claim_get(cpu, &env->claim), 0);
	x86_claim_start(cpu, &env->claim);
	x86_claim_put_fast(cpu, &env->claim);
	KUNIT_EXPECT_TRUE(test, x86_claim_get_fast(cpu, &env->claim));
	x86_claim_put_fast(cpu, &env->claim);
	cpu->disabled = true;
	KUNIT_EXPECT_FALSE_MSG(test, x86_claim_get_fast(cpu, &env->claim), "disabled PMU");
	cpu->disabled = false;
	KUNIT_EXPECT_TRUE(test, x86_claim_runs_on(cpu, &env->claim));
	cpu->needs_reprogram = true;
	KUNIT_EXPECT_FALSE_MSG(test, x86_claim_get_fast(cpu, &env->claim), "pending change");
	KUNIT_EXPECT_FALSE_MSG(test, x86_claim_runs_on(cpu, &env->claim), "pending change");
	cpu->needs_reprogram = false;
	cpu->assigned_mask = BIT_ULL(0);
	KUNIT_EXPECT_FALSE_MSG(test, x86_claim_get_fast(cpu, &env->claim), "same counter");
	cpu->assigned_mask = BIT_ULL(1);
	KUNIT_EXPECT_TRUE_MSG(test, x86_claim_get_fast(cpu, &env->claim), "another counter");
	x86_claim_put_fast(cpu, &env->claim);
	KUNIT_EXPECT_EQ(test, cpu->claimed, 0);
	local_irq_enable();
}

/* Add an event select that only counter 0 can count, with @env->event as its event. */
static struct x86_count *add_count(struct claim_env *env, bool pinned)
{
	struct x86_count *count = &env->cpu.counts[0];

	*count = (struct x86_count){
		.sel = { .config = EVENT, .extra_idx = -1, .allowed = BIT_ULL(0) },
		.nr_events = 1, .counter = -1, .assigned = -1, .next_overflow = U64_MAX,
	};
	INIT_LIST_HEAD(&count->events);
	list_add_rcu(&env->event.active_entry, &count->events);
	env->event.group_leader = &env->event;
	env->event.attr.pinned = pinned;
	env->event.hw.state = PERF_HES_STOPPED;
	env->cpu.used = BIT_ULL(0);
	return count;
}

/* A flexible event does not get a counter reserved by perfctr. A pinned event does. */
static void test_pinned_ends_claim(struct kunit *test)
{
	struct claim_env *env = test->priv;
	struct x86_pmu_cpu *cpu = &env->cpu;

	local_irq_disable();
	KUNIT_EXPECT_EQ(test, x86_claim_get(cpu, &env->claim), 0);
	x86_claim_start(cpu, &env->claim);
	cpu->disabled = true;
	add_count(env, false);
	KUNIT_EXPECT_EQ(test, x86_counts_assign(cpu), -EAGAIN);
	KUNIT_EXPECT_EQ(test, cpu->claimed, BIT_ULL(0));
	add_count(env, true);
	KUNIT_EXPECT_EQ(test, x86_counts_assign(cpu), 0);
	KUNIT_EXPECT_EQ(test, cpu->claimed, 0);
	KUNIT_EXPECT_EQ(test, cpu->assigned_mask, BIT_ULL(0));
	local_irq_enable();
}

/* A claim refused for a pinned event does not block counters of the other thread. */
static void test_refused_blocks_no_counter(struct kunit *test)
{
	struct claim_env *env = test->priv;
	struct x86_pmu_cpu *cpu = &env->cpu;
	struct x86_count *count = add_count(env, true);

	count->counter = 0;
	count->assigned = 0;
	cpu->owner[0] = count;
	cpu->assigned_mask = BIT_ULL(0);
	cpu->excl = &env->excl;
	env->excl.thread[0].used = BIT_ULL(0);
	env->claim.counters = BIT_ULL(0) | BIT_ULL(1);

	local_irq_disable();
	KUNIT_EXPECT_EQ(test, x86_claim_get(cpu, &env->claim), -EBUSY);
	KUNIT_EXPECT_EQ(test, cpu->claimed, 0);
	KUNIT_EXPECT_EQ(test, env->excl.thread[0].used, BIT_ULL(0));
	local_irq_enable();
}

/* A counter used by the microcode stops when the claim ends. */
static void test_microcode_counter(struct kunit *test)
{
	struct claim_env *env = test->priv;
	struct x86_pmu_cpu *cpu = &env->cpu;

	local_irq_disable();
	KUNIT_EXPECT_EQ(test, x86_claim_get(cpu, &env->claim), 0);
	x86_claim_start(cpu, &env->claim);
	KUNIT_EXPECT_EQ(test, memory_selects[0], EVENT | RUN);
	x86_claim_put_fast(cpu, &env->claim);
	KUNIT_EXPECT_EQ_MSG(test, memory_selects[0], EVENT | RUN, "not used by the microcode");
	KUNIT_EXPECT_EQ(test, x86_claim_get(cpu, &env->claim), 1);
	/* The force abort register is not written: the shadow has the value already. */
	env->core.tfa_counters = BIT_ULL(0);
	x86_claim_put_fast(cpu, &env->claim);
	KUNIT_EXPECT_EQ(test, memory_selects[0], EVENT);
	KUNIT_EXPECT_EQ(test, cpu->claimed, 0);
	local_irq_enable();
}

/* An NMI that stops an event during x86_claim_get() does not stop the claimed counters. */
static void test_nmi_during_claim(struct kunit *test)
{
	struct claim_env *env = test->priv;
	struct x86_pmu_cpu *cpu = &env->cpu;

	local_irq_disable();
	cpu->needs_reprogram = true;
	KUNIT_EXPECT_EQ(test, x86_claim_get(cpu, &env->claim), 0);
	x86_claim_start(cpu, &env->claim);
	KUNIT_EXPECT_EQ(test, memory_selects[0], EVENT | RUN);
	x86_claim_put_fast(cpu, &env->claim);
	local_irq_enable();
}

static const struct x86_pmu_msrs host_only_msrs = {
	.run = RUN, .halt = RUN, .host_only = AMD64_EVENTSEL_HOSTONLY,
	.write_select = memory_write_select,
};

/*
 * On AMD CPUs that may run guests, perfctr's event selects have the host-only bit: perfctr does not
 * count guests.
 */
static void test_guests(struct kunit *test)
{
	struct claim_env *env = test->priv;
	struct x86_pmu_cpu *cpu = &env->cpu;

	env->core.msrs = &host_only_msrs;
	local_irq_disable();
	KUNIT_EXPECT_EQ(test, x86_claim_get(cpu, &env->claim), 0);
	x86_claim_start(cpu, &env->claim);
	x86_claim_put_fast(cpu, &env->claim);
	KUNIT_EXPECT_EQ(test, memory_selects[0], EVENT | RUN | AMD64_EVENTSEL_HOSTONLY);
	cpu->select_clear = AMD64_EVENTSEL_HOSTONLY;
	KUNIT_EXPECT_EQ(test, x86_claim_get(cpu, &env->claim), 0);
	x86_claim_start(cpu, &env->claim);
	x86_claim_put_fast(cpu, &env->claim);
	KUNIT_EXPECT_EQ_MSG(test, memory_selects[0], EVENT | RUN, "the CPU runs no guests");
	local_irq_enable();
}

static struct kunit_case claim_cases[] = {
	KUNIT_CASE(test_continue_while_assigning),
	KUNIT_CASE(test_pinned_ends_claim),
	KUNIT_CASE(test_refused_blocks_no_counter),
	KUNIT_CASE(test_microcode_counter),
	KUNIT_CASE(test_nmi_during_claim),
	KUNIT_CASE(test_guests),
	{ }
};

static struct kunit_suite claim_suite = {
	.name = "perfctr_x86_claims",
	.init = claim_test_init,
	.test_cases = claim_cases,
};

kunit_test_suite(claim_suite);
