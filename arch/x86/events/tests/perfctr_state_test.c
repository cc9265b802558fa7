// SPDX-License-Identifier: GPL-2.0
/*
 * Suspend and resume of perfctr states, on registers in memory.
 */
#include <kunit/test.h>

#include "../engine.h"
#include "../perfctr_rules.h"
#include "../perfctr_state.h"

/* Event select: instructions in user space, and the interrupt bit */
#define GOOD		(0xc0 | BIT(16) | BIT(22))
#define PMI		BIT(20)

static void test_cstatus(struct kunit *test)
{
	u32 cstatus = perfctr_mk_cstatus(5, 3, 2);

	KUNIT_EXPECT_EQ(test, cstatus, 0x80020503);
	KUNIT_EXPECT_TRUE(test, perfctr_cstatus_enabled(cstatus));
	KUNIT_EXPECT_EQ(test, perfctr_cstatus_has_tsc(cstatus), 1);
	KUNIT_EXPECT_EQ(test, perfctr_cstatus_nractrs(cstatus), 3);
	KUNIT_EXPECT_EQ(test, perfctr_cstatus_nrctrs(cstatus), 5);
	KUNIT_EXPECT_TRUE(test, perfctr_cstatus_has_ictrs(cstatus));
	cstatus = perfctr_mk_cstatus(0, 18, 0);
	KUNIT_EXPECT_FALSE(test, perfctr_cstatus_has_tsc(cstatus));
	KUNIT_EXPECT_FALSE(test, perfctr_cstatus_has_ictrs(cstatus));
	KUNIT_EXPECT_FALSE(test, perfctr_cstatus_enabled(perfctr_mk_cstatus(0, 0, 0)));
}

/* Registers in memory */

static struct {
	u32	tsc;
	u64	value[64];
	u64	taken;
	u64	running;
	bool	busy;
	bool	same;
	bool	readable;
	u32	saved[64];
	int	reads;
	int	sets;
} machine;

static u32 memory_tsc(void)
{
	return machine.tsc;
}

static u64 memory_read(int counter)
{
	machine.reads++;
	return machine.value[counter];
}

static u32 memory_read_low(u32 map)
{
	return memory_read(map);
}

static int memory_get(const struct x86_claim *claim)
{
	if (machine.busy)
		return -EBUSY;
	machine.taken = claim->counters;
	if (machine.same)
		machine.running = claim->counters;
	return machine.same;
}

static void memory_set(int counter, u64 value)
{
	machine.sets++;
	machine.value[counter] = value;
}

static void memory_start(const struct x86_claim *claim)
{
	machine.running = claim->counters;
}

static void memory_put(const struct x86_claim *claim)
{
	machine.taken = 0;
	machine.running = 0;
}

static void memory_save(int counter, u32 value)
{
	machine.saved[counter] = value;
}

static u32 memory_saved_value(int counter)
{
	return machine.saved[counter];
}

static bool memory_has_saved(const struct x86_claim *claim)
{
	return true;
}

static bool memory_readable(void)
{
	return machine.readable;
}

static const struct perfctr_layer memory = {
	.tsc	= memory_tsc,
	.read	= memory_read,
	.read_low = memory_read_low,
	.get	= memory_get,
	.set	= memory_set,
	.start	= memory_start,
	.put	= memory_put,
	.save	= memory_save,
	.saved_value = memory_saved_value,
	.has_saved = memory_has_saved,
	.readable = memory_readable,
};

/* Advance time: running counters count @n. */
static void machine_goes_on(u64 n)
{
	int i;

	machine.tsc += n;
	for (i = 0; i < 64; i++) {
		if (machine.running & BIT_ULL(i))
			machine.value[i] += n;
	}
}

static struct perfctr_cpu_state *new_state(struct kunit *test, u32 nractrs, u32 nrictrs,
					   s32 ireset)
{
	struct perfctr_cpu_kind kind = {
		.family = &perfctr_intel_arch, .interrupts = true, .counters = GENMASK_ULL(7, 0),
	};
	struct perfctr_cpu_state *state;
	u32 i;

	memset(&machine, 0, sizeof(machine));
	state = kunit_kzalloc(test, sizeof(*state), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, state);
	state->control.tsc_on = 1;
	state->control.nractrs = nractrs;
	state->control.nrictrs = nrictrs;
	for (i = 0; i < nractrs + nrictrs; i++) {
		state->control.pmc_map[i] = i + 1;
		state->control.evntsel[i] = GOOD | (i < nractrs ? 0 : PMI);
		state->control.ireset[i] = ireset;
	}
	KUNIT_ASSERT_EQ(test, perfctr_check(&kind, &state->control, false, &state->claim), 0);
	perfctr_state_begin(state);
	return state;
}

/* Running counters count once, stopped ones do not. 32 bits may wrap. */
static void test_counts(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 2, 0, 0);

	machine.value[1] = 0xfffffff0;
	machine.value[2] = 0x123456789aULL;
	machine.tsc = 0xffffff00;
	machine.readable = true;
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	KUNIT_EXPECT_EQ(test, state->pmc[0].map, 1);
	KUNIT_EXPECT_EQ(test, state->pmc[0].start, 0xfffffff0);
	machine_goes_on(0x1000);
	perfctr_state_sample(&memory, state);
	KUNIT_EXPECT_EQ(test, state->pmc[0].start, 0xff0);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 0x1000);
	KUNIT_EXPECT_EQ(test, state->pmc[1].sum, 0x1000);
	KUNIT_EXPECT_EQ(test, state->tsc_sum, 0x1000);
	machine_goes_on(0x10);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, machine.taken, 0);
	machine_goes_on(0x10000);
	machine.value[1] += 77;
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	machine_goes_on(1);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 0x1011);
	KUNIT_EXPECT_EQ(test, state->tsc_sum, 0x1011);
	KUNIT_EXPECT_EQ_MSG(test, machine.sets, 0, "counters that only count are not set");
}

/* Without RDPMC, the page does not show the values of counters. */
static void test_without_rdpmc(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 1, 1, -1000);
	int i;

	machine.value[1] = 12345;
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
		KUNIT_EXPECT_EQ(test, state->pmc[0].start, 0);
		machine_goes_on(10);
		perfctr_state_sample(&memory, state);
		machine_goes_on(10);
		perfctr_state_suspend(&memory, state);
		KUNIT_EXPECT_EQ(test, state->pmc[0].start, 0);
		KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 20 * (i + 1));
		KUNIT_EXPECT_EQ_MSG(test, (s32)state->pmc[1].start, 20 * (i + 1) - 1000,
				    "a counter that interrupts continues from its value");
		/* Other tasks count. */
		machine.value[1] += 100000;
	}
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	machine.readable = true;
	perfctr_state_sample(&memory, state);
	KUNIT_EXPECT_EQ(test, state->pmc[0].start, (u32)machine.value[1]);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 60);
}

/* Switch between threads with one control: one thread's end value is the other's start value. */
static void test_handed_over(struct kunit *test)
{
	struct perfctr_cpu_state *a = new_state(test, 4, 0, 0), *b = new_state(test, 4, 0, 0);

	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, a), 0);
	machine_goes_on(5);
	machine.reads = 0;
	perfctr_state_suspend(&memory, a);
	machine.same = true;
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, b), 0);
	KUNIT_EXPECT_EQ(test, machine.reads, 4);
	machine_goes_on(7);
	perfctr_state_suspend(&memory, b);
	KUNIT_EXPECT_EQ(test, a->pmc[3].sum, 5);
	KUNIT_EXPECT_EQ(test, b->pmc[3].sum, 7);
}

/* If pinned events take the counters, the sums are complete, and the TSC continues. */
static void test_revoke(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 1, 1, -1000);

	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	machine_goes_on(5);
	perfctr_state_revoke(&memory, state);
	KUNIT_EXPECT_EQ(test, machine.taken, 0);
	KUNIT_EXPECT_EQ(test, state->cstatus, perfctr_mk_cstatus(1, 0, 0));
	machine_goes_on(7);
	machine.value[1] += 77;
	perfctr_state_sample(&memory, state);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 5);
	KUNIT_EXPECT_EQ(test, state->pmc[1].sum, 5);
	KUNIT_EXPECT_EQ(test, state->tsc_sum, 12);
}

/* Both kinds of counters; an overflow is reported once, and the counter restarts. */
static void test_overflow(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 1, 2, -100);

	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	KUNIT_EXPECT_EQ(test, machine.sets, 2);
	KUNIT_EXPECT_EQ(test, machine.value[2], -100ULL);
	machine_goes_on(60);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, perfctr_state_overflowed(state), 0);
	KUNIT_EXPECT_EQ(test, state->pmc[1].sum, 60);
	machine.value[3] = 12345;
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	KUNIT_EXPECT_EQ_MSG(test, machine.sets, 3, "one counter has kept its value");
	machine_goes_on(43);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 103);
	KUNIT_EXPECT_EQ(test, state->pmc[1].sum, 103);
	KUNIT_EXPECT_EQ(test, state->pmc[2].sum, 103);
	KUNIT_EXPECT_EQ(test, perfctr_state_overflowed(state), 6);
	KUNIT_EXPECT_EQ(test, perfctr_state_identify(state), 6);
	KUNIT_EXPECT_EQ(test, perfctr_state_identify(state), 0);
	KUNIT_EXPECT_EQ(test, (s32)state->pmc[1].start, -100);
	state->k1 |= PERFCTR_RELOAD;
	machine.value[2] = -100;
	machine.value[3] = -100;
	machine.sets = 0;
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	KUNIT_EXPECT_EQ_MSG(test, machine.sets, 2, "a reload sets all counters");
	KUNIT_EXPECT_EQ(test, state->k1, 0);
}

/* Check a run of @n events from @value: after the suspend, the start value is @start. */
static void check_run(struct kunit *test, struct perfctr_cpu_state *state, s32 value, u64 n,
		      s32 start)
{
	u64 sum = state->pmc[0].sum;

	/* Other tasks count. */
	machine.value[1] += 100000;
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	KUNIT_EXPECT_EQ(test, (s64)machine.value[1], value);
	KUNIT_EXPECT_EQ_MSG(test, (s32)state->pmc[0].start, value, "a reader takes differences");
	machine_goes_on(n);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, (s32)state->pmc[0].start, start);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, sum + n);
	KUNIT_EXPECT_EQ(test, perfctr_state_overflowed(state), start < 0 ? 0 : BIT(0));
}

/*
 * Some x86 CPUs miss an overflow if only a few events are left when the counter starts, for example
 * after a context switch. Then the counter interrupts after 2 events, or after the event's minimum
 * period. A context switch before the interrupt finds the overflow, too. The counter's sum is
 * exact.
 */
static void test_near_overflow(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 0, 1, -1);

	check_run(test, state, -2, 0, -1);
	check_run(test, state, -2, 0, -1);
	/* The overflow is found at the switch, before its interrupt. */
	check_run(test, state, -2, 1, 0);
	KUNIT_EXPECT_EQ(test, perfctr_state_identify(state), BIT(0));
	check_run(test, state, -2, 3, 2);
	state->control.ireset[0] = -3;
	KUNIT_EXPECT_EQ(test, perfctr_state_identify(state), BIT(0));
	check_run(test, state, -3, 1, -2);
	check_run(test, state, -2, 1, -1);
	check_run(test, state, -2, 2, 1);
	state->control.ireset[0] = -34;
	state->claim.least[0] = 32;
	KUNIT_EXPECT_EQ(test, perfctr_state_identify(state), BIT(0));
	check_run(test, state, -34, 1, -33);
	check_run(test, state, -33, 2, -31);
	check_run(test, state, -32, 30, -1);
	check_run(test, state, -32, 1, 0);
}

/* An overflow is not lost if the counters are revoked before it is identified. */
static void test_revoke_after_overflow(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 1, 2, -100);

	state->pmc[2].start = -50;
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	machine_goes_on(60);
	perfctr_state_revoke(&memory, state);
	KUNIT_EXPECT_EQ(test, machine.taken, 0);
	KUNIT_EXPECT_EQ_MSG(test, state->cstatus, perfctr_mk_cstatus(1, 0, 0),
			    "the page shows that the counters stopped");
	/* The thread may be switched before the interrupt. */
	machine_goes_on(7);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	KUNIT_EXPECT_EQ(test, machine.taken, 0);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, perfctr_state_overflowed(state), BIT(2));
	KUNIT_EXPECT_EQ(test, perfctr_state_identify(state), BIT(2));
	KUNIT_EXPECT_EQ_MSG(test, state->cstatus, perfctr_mk_cstatus(1, 1, 2),
			    "these counters can be resumed");
	KUNIT_EXPECT_EQ(test, (s32)state->pmc[1].start, -40);
	KUNIT_EXPECT_EQ(test, (s32)state->pmc[2].start, -100);
	KUNIT_EXPECT_EQ(test, state->pmc[2].sum, 60);
	KUNIT_EXPECT_EQ(test, state->tsc_sum, 67);
	KUNIT_EXPECT_EQ(test, perfctr_state_overflowed(state), 0);
	KUNIT_EXPECT_EQ(test, perfctr_state_identify(state), 0);
}

/* Counters revoked without an overflow stay stopped, and no overflow is reported. */
static void test_revoke_without_overflow(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 0, 1, -100);

	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	machine_goes_on(60);
	perfctr_state_revoke(&memory, state);
	KUNIT_EXPECT_EQ(test, perfctr_state_overflowed(state), 0);
	KUNIT_EXPECT_EQ(test, perfctr_state_identify(state), 0);
	KUNIT_EXPECT_EQ(test, state->cstatus, perfctr_mk_cstatus(1, 0, 0));
}

/* A cstatus that does not match the number of reserved counters is detected. */
static void test_invalid_cstatus(struct kunit *test)
{
	const struct x86_claim claim = { .n = 3 };
	u32 n, na;

	KUNIT_EXPECT_TRUE(test, perfctr_cstatus_fits(0, &claim));
	KUNIT_EXPECT_TRUE(test, perfctr_cstatus_fits(BIT(31), &claim));
	KUNIT_EXPECT_TRUE(test, perfctr_cstatus_fits(perfctr_mk_cstatus(1, 3, 0), &claim));
	KUNIT_EXPECT_TRUE(test, perfctr_cstatus_fits(perfctr_mk_cstatus(0, 1, 2), &claim));
	KUNIT_EXPECT_FALSE(test, perfctr_cstatus_fits(perfctr_mk_cstatus(1, 2, 0), &claim));
	KUNIT_EXPECT_FALSE(test, perfctr_cstatus_fits(perfctr_mk_cstatus(1, 18, 0), &claim));
	KUNIT_EXPECT_FALSE(test, perfctr_cstatus_fits(U32_MAX, &claim));
	/* Each number of 7 bits, with each number of a-mode counters */
	for (n = 0; n < 128; n++) {
		for (na = 0; na < 128; na++)
			KUNIT_EXPECT_EQ(test, perfctr_cstatus_fits(n << 8 | na, &claim),
					na <= n && (n == 0 || n == 3));
	}
}

static void test_busy(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 2, 0, 0);

	machine.busy = true;
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), -EBUSY);
	KUNIT_EXPECT_EQ(test, machine.running, 0);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 0);
}

static struct kunit_case perfctr_state_cases[] = {
	KUNIT_CASE(test_cstatus),
	KUNIT_CASE(test_counts),
	KUNIT_CASE(test_without_rdpmc),
	KUNIT_CASE(test_handed_over),
	KUNIT_CASE(test_revoke),
	KUNIT_CASE(test_overflow),
	KUNIT_CASE(test_near_overflow),
	KUNIT_CASE(test_revoke_after_overflow),
	KUNIT_CASE(test_revoke_without_overflow),
	KUNIT_CASE(test_invalid_cstatus),
	KUNIT_CASE(test_busy),
	{ }
};

static struct kunit_suite perfctr_state_suite = {
	.name = "perfctr_x86_states",
	.test_cases = perfctr_state_cases,
};

kunit_test_suite(perfctr_state_suite);
