// SPDX-License-Identifier: GPL-2.0
/*
 * perfctr's low-level driver: each rule, kept and violated; operations on a state, on registers in
 * memory; and counters of this machine.
 */
#include <kunit/test.h>

#define TEST_CODE(pmc, select)	((u32)(pmc) << 16 | (select))
#define TEST_USER		(PERFCTR_NOT_KERNEL | PERFCTR_NOT_HV)

/* Instructions and cycles */
#define TEST_INST		0x02
#define TEST_CYC		0x1e

/* A valid code: counter, unit, select, and a sample field above bit 31 */
static const struct perfctr_cpu_kind test_kind = {
	.counters = 6, .valid = GENMASK_ULL(36, 0),
};

/* The rules */

/**
 * struct rule_case - a control of one counter, and the result
 * @map: the counter
 * @evntsel: lower half of its event code
 * @high: upper half
 * @modes: its modes
 * @err: the result
 * @code: the event code in the claim; 0: @evntsel
 */
struct rule_case {
	u32	map;
	u32	evntsel;
	u32	high;
	u32	modes;
	int	err;
	u32	code;
};

static const struct rule_case rule_cases[] = {
	/* Each counter, by its number */
	{ 1, TEST_CODE(1, TEST_INST) },
	{ 4, TEST_CODE(4, TEST_INST) },
	{ 5, 0x500fa },
	{ 6, 0x600f4 },
	{ 0, TEST_INST, .err = -EINVAL },
	{ 7, TEST_CODE(7, TEST_INST), .err = -EINVAL },
	{ 0xffffffff, TEST_INST, .err = -EINVAL },
	/* The code has the counter, or no counter. */
	{ 2, TEST_INST, .code = TEST_CODE(2, TEST_INST) },
	{ 2, TEST_CODE(3, TEST_INST), .err = -EINVAL },
	{ 2, TEST_CODE(15, TEST_INST), .err = -EINVAL },
	{ 1, TEST_CODE(5, 0xfa), .err = -EINVAL },
	/* The fixed counters count nothing else. */
	{ 5, 0x600f4, .err = -EINVAL },
	{ 6, 0x500fa, .err = -EINVAL },
	{ 5, 0xfa, .err = -EINVAL },
	{ 5, TEST_INST, .err = -EINVAL },
	{ 5, TEST_CODE(5, TEST_INST), .err = -EINVAL },
	{ 6, 0x610f4, .err = -EINVAL },
	{ 6, 0x600f4, 1, .err = -EINVAL },
	/* Bits that the processor does not have, and those of event-based branches */
	{ 1, TEST_CODE(1, TEST_INST), 0x1f },
	{ 1, TEST_CODE(1, TEST_INST), BIT(5), .err = -EPERM },
	{ 1, TEST_CODE(1, TEST_INST), BIT(27), .err = -EPERM },
	{ 1, TEST_CODE(1, TEST_INST), BIT(28), .err = -EPERM },
	{ 1, TEST_CODE(1, TEST_INST), BIT(30), .err = -EPERM },
	{ 1, TEST_CODE(1, TEST_INST), BIT(31), .err = -EPERM },
	{ 5, 0x500fa, BIT(31), .err = -EPERM },
	/* Modes */
	{ 1, TEST_INST, 0, PERFCTR_NOT_USER, .code = TEST_CODE(1, TEST_INST) },
	{ 5, 0x500fa, 0, PERFCTR_NOT_KERNEL },
	{ 5, 0x500fa, 0, PERFCTR_NOT_HV },
	{ 5, 0x500fa, 0, TEST_USER },
	{ 5, 0x500fa, 0, PERFCTR_NOT_USER | PERFCTR_NOT_HV },
	{ 5, 0x500fa, 0, PERFCTR_NOT_USER | PERFCTR_NOT_KERNEL, .err = -EINVAL },
	{ 5, 0x500fa, 0, PERFCTR_NOT_USER | TEST_USER, .err = -EINVAL },
	{ 5, 0x500fa, 0, BIT(3), .err = -EPERM },
	{ 5, 0x500fa, 0, BIT(31), .err = -EPERM },
};

static int check_case(const struct rule_case *c, bool imode, struct power_claim *claim)
{
	struct perfctr_cpu_control control = {
		.nractrs = !imode, .nrictrs = imode, .pmc_map[0] = c->map,
		.evntsel[0] = c->evntsel, .evntsel_high[0] = c->high, .modes[0] = c->modes,
		.ireset[0] = imode ? -1000 : 0,
	};

	return perfctr_check(&test_kind, &control, claim);
}

/*
 * On POWER8 and later, counter 1 of pmc_map is PMC1. evntsel is the lower half of the processor's
 * event code, and evntsel_high the upper half. The counter field of the event code has the number
 * in pmc_map, or is 0 for PMC1 to PMC4. PMC5 counts only instructions (0x500fa), and PMC6 only
 * cycles (0x600f4). modes has the modes in which a counter does not count: PERFCTR_NOT_USER,
 * PERFCTR_NOT_KERNEL and PERFCTR_NOT_HV; user and kernel together are EINVAL. Bits that the event
 * codes of the processor do not have, those for event-based branches, and other bits of modes are
 * EPERM.
 */
static void test_rules(struct kunit *test)
{
	struct power_claim *claim = kunit_kzalloc(test, sizeof(*claim), GFP_KERNEL);
	int i, imode;

	KUNIT_ASSERT_NOT_NULL(test, claim);
	for (i = 0; i < ARRAY_SIZE(rule_cases); i++) {
		const struct rule_case *c = &rule_cases[i];
		u64 code = (u64)c->high << 32 | (c->code ?: c->evntsel);

		for (imode = 0; imode < 2; imode++) {
			KUNIT_EXPECT_EQ_MSG(test, check_case(c, imode, claim), c->err,
					    "row %d: %#x on PMC%u", i, c->evntsel, c->map);
			if (c->err)
				continue;
			KUNIT_EXPECT_EQ(test, claim->n, 1);
			KUNIT_EXPECT_EQ(test, claim->counters, BIT(c->map));
			KUNIT_EXPECT_EQ(test, claim->ints, imode ? BIT(c->map) : 0);
			KUNIT_EXPECT_EQ(test, claim->counter[0], c->map);
			KUNIT_EXPECT_EQ(test, claim->modes[0], c->modes);
			KUNIT_EXPECT_EQ(test, claim->code[0], code);
			KUNIT_EXPECT_EQ_MSG(test, claim->id, 0, "counters stop after the claim");
		}
	}
}

static void fill_control(struct perfctr_cpu_control *control, u32 nractrs, u32 nrictrs)
{
	u32 i;

	memset(control, 0, sizeof(*control));
	control->tsc_on = 1;
	control->nractrs = nractrs;
	control->nrictrs = nrictrs;
	for (i = 0; i < nractrs + nrictrs && i < PERFCTR_MAX_COUNTERS; i++) {
		control->pmc_map[i] = i + 1;
		control->evntsel[i] = i == 4 ? 0x500fa : i == 5 ? 0x600f4 : TEST_INST;
		control->modes[i] = TEST_USER;
		control->ireset[i] = i < nractrs ? 0 : -1000;
	}
}

/* The number of counters of each mode, and their sum, is at most that of the processor. */
static void test_numbers(struct kunit *test)
{
	struct power_claim *claim = kunit_kzalloc(test, sizeof(*claim), GFP_KERNEL);
	static const u32 some[] = { 0, 1, 3, 6, 7, 8, 9, 0x7fffffff, 0x80000000, ~0U };
	struct perfctr_cpu_control control;
	int i, j;

	KUNIT_ASSERT_NOT_NULL(test, claim);
	for (i = 0; i < ARRAY_SIZE(some); i++) {
		for (j = 0; j < ARRAY_SIZE(some); j++) {
			bool fits = (u64)some[i] + some[j] <= 6;

			fill_control(&control, some[i], some[j]);
			KUNIT_EXPECT_EQ(test, perfctr_check(&test_kind, &control, claim),
					fits ? 0 : -EINVAL);
		}
	}
}

/* A counter is used once. */
static void test_duplicates(struct kunit *test)
{
	struct power_claim *claim = kunit_kzalloc(test, sizeof(*claim), GFP_KERNEL);
	struct perfctr_cpu_control control;
	int i, j;

	KUNIT_ASSERT_NOT_NULL(test, claim);
	for (i = 0; i < 4; i++) {
		for (j = 0; j < 4; j++) {
			fill_control(&control, 1, 1);
			control.pmc_map[0] = i + 1;
			control.pmc_map[1] = j + 1;
			KUNIT_EXPECT_EQ(test, perfctr_check(&test_kind, &control, claim),
					i == j ? -EINVAL : 0);
		}
	}
}

/*
 * The first counter at fault decides the error. A start value that is not negative is EINVAL.
 * reserved other than 0 is EPERM.
 */
static void test_other_rules(struct kunit *test)
{
	struct power_claim *claim = kunit_kzalloc(test, sizeof(*claim), GFP_KERNEL);
	static const struct perfctr_cpu_kind clock;
	static const s32 resets[] = { -1, -1000, INT_MIN, 0, 1, INT_MAX };
	struct perfctr_cpu_control control;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, claim);
	for (i = 0; i < ARRAY_SIZE(resets); i++) {
		fill_control(&control, 1, 1);
		control.ireset[0] = 1;
		control.ireset[1] = resets[i];
		KUNIT_EXPECT_EQ(test, perfctr_check(&test_kind, &control, claim),
				resets[i] < 0 ? 0 : -EINVAL);
	}
	for (i = 0; i < ARRAY_SIZE(control.reserved); i++) {
		fill_control(&control, 1, 0);
		control.reserved[i] = 1;
		KUNIT_EXPECT_EQ(test, perfctr_check(&test_kind, &control, claim), -EPERM);
	}
	fill_control(&control, 2, 0);
	control.evntsel_high[0] = BIT(31);
	control.modes[1] = PERFCTR_NOT_USER | PERFCTR_NOT_KERNEL;
	KUNIT_EXPECT_EQ(test, perfctr_check(&test_kind, &control, claim), -EPERM);
	/* Without a PMU there is the time base. */
	fill_control(&control, 0, 0);
	KUNIT_EXPECT_EQ(test, perfctr_check(&clock, &control, claim), 0);
	fill_control(&control, 1, 0);
	KUNIT_EXPECT_EQ(test, perfctr_check(&clock, &control, claim), -EINVAL);
	fill_control(&control, 0, 1);
	KUNIT_EXPECT_EQ(test, perfctr_check(&clock, &control, claim), -EPERM);
}

/* Which controls need the right to count in the kernel? */
static void test_kernel(struct kunit *test)
{
	struct perfctr_cpu_control control;

	fill_control(&control, 1, 1);
	KUNIT_EXPECT_FALSE(test, perfctr_counts_kernel(&control));
	control.modes[2] = 0;
	KUNIT_EXPECT_FALSE(test, perfctr_counts_kernel(&control));
	control.modes[1] = PERFCTR_NOT_HV;
	KUNIT_EXPECT_TRUE(test, perfctr_counts_kernel(&control));
	fill_control(&control, 0, 0);
	KUNIT_EXPECT_FALSE(test, perfctr_counts_kernel(&control));
	/* An impossible number of counters */
	memset(&control, 0xff, sizeof(control));
	KUNIT_EXPECT_FALSE(test, perfctr_counts_kernel(&control));
	memset(control.modes, 0, sizeof(control.modes));
	KUNIT_EXPECT_TRUE(test, perfctr_counts_kernel(&control));
}

/* Registers in memory */

static struct {
	u32	tsc;
	u32	value[7];
	u32	running;
	bool	busy;
	bool	frozen;
	int	claims;
	int	sets;
} machine;

static u32 memory_tsc(void)
{
	return machine.tsc;
}

static int memory_get(const struct power_claim *claim)
{
	int i;

	if (machine.busy)
		return -EBUSY;
	machine.claims++;
	/* The PMU driver clears the counters of former users. */
	for (i = 0; i < claim->n; i++)
		machine.value[claim->counter[i]] = 0;
	return 0;
}

static u32 memory_read(int counter)
{
	return machine.value[counter];
}

static void memory_set(int counter, u32 value)
{
	machine.sets++;
	machine.value[counter] = value;
}

static void memory_start(const struct power_claim *claim)
{
	machine.running = claim->counters;
}

static void memory_stop(void)
{
	machine.frozen = true;
}

static void memory_put(const struct power_claim *claim)
{
	machine.claims--;
	machine.frozen = false;
	machine.running = 0;
}

static const struct perfctr_layer memory = {
	.tsc	= memory_tsc,
	.get	= memory_get,
	.read	= memory_read,
	.set	= memory_set,
	.start	= memory_start,
	.stop	= memory_stop,
	.put	= memory_put,
};

/* Advance time: running counters count @n. */
static void machine_goes_on(u32 n)
{
	int i;

	machine.tsc += n;
	for (i = 1; i <= 6; i++) {
		if (machine.running & BIT(i))
			machine.value[i] += n;
	}
}

static struct perfctr_cpu_state *new_state(struct kunit *test, u32 nractrs, u32 nrictrs,
					   s32 ireset)
{
	struct perfctr_cpu_state *state = kunit_kzalloc(test, sizeof(*state), GFP_KERNEL);
	u32 i;

	memset(&machine, 0, sizeof(machine));
	KUNIT_ASSERT_NOT_NULL(test, state);
	fill_control(&state->control, nractrs, nrictrs);
	for (i = nractrs; i < nractrs + nrictrs; i++)
		state->control.ireset[i] = ireset;
	KUNIT_ASSERT_EQ(test, perfctr_check(&test_kind, &state->control, perfctr_claim(state)), 0);
	perfctr_state_begin(state);
	return state;
}

static void test_cstatus(struct kunit *test)
{
	u32 cstatus = perfctr_mk_cstatus(5, 3, 2);
	u32 n, na;
	const struct power_claim claim = { .n = 3 };

	KUNIT_EXPECT_EQ(test, cstatus, 0x80020503);
	KUNIT_EXPECT_TRUE(test, perfctr_cstatus_enabled(cstatus));
	KUNIT_EXPECT_EQ(test, perfctr_cstatus_has_tsc(cstatus), 1);
	KUNIT_EXPECT_EQ(test, perfctr_cstatus_nractrs(cstatus), 3);
	KUNIT_EXPECT_EQ(test, perfctr_cstatus_nrctrs(cstatus), 5);
	KUNIT_EXPECT_TRUE(test, perfctr_cstatus_has_ictrs(cstatus));
	KUNIT_EXPECT_FALSE(test, perfctr_cstatus_has_ictrs(perfctr_mk_cstatus(1, 6, 0)));
	KUNIT_EXPECT_FALSE(test, perfctr_cstatus_enabled(perfctr_mk_cstatus(0, 0, 0)));
	/* A cstatus that does not match the claim is detected. */
	KUNIT_EXPECT_FALSE(test, perfctr_cstatus_fits(U32_MAX, &claim));
	for (n = 0; n < 128; n++) {
		for (na = 0; na < 128; na++)
			KUNIT_EXPECT_EQ(test, perfctr_cstatus_fits(n << 8 | na, &claim),
					na <= n && (n == 0 || n == 3));
	}
}

/* Running counters count once, stopped ones do not. 32 bits may wrap. */
static void test_counts(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 2, 0, 0);

	machine.tsc = 0xffffff00;
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	KUNIT_EXPECT_EQ(test, state->pmc[0].map, 1);
	KUNIT_EXPECT_EQ(test, machine.claims, 1);
	/* More than 0xffffff00 would be a step back. */
	machine_goes_on(0xfffff000);
	perfctr_state_sample(&memory, state);
	KUNIT_EXPECT_EQ(test, state->pmc[0].start, 0xfffff000);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 0xfffff000);
	machine_goes_on(0x1ff0);
	perfctr_state_sample(&memory, state);
	KUNIT_EXPECT_EQ(test, state->pmc[0].start, 0xff0);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 0x100000ff0ULL);
	KUNIT_EXPECT_EQ(test, state->pmc[1].sum, 0x100000ff0ULL);
	KUNIT_EXPECT_EQ(test, state->tsc_sum, 0x100000ff0ULL);
	machine_goes_on(0x10);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, machine.claims, 0);
	KUNIT_EXPECT_FALSE(test, machine.frozen);
	machine_goes_on(0x10000);
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	machine_goes_on(1);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 0x100001001ULL);
	KUNIT_EXPECT_EQ(test, state->tsc_sum, 0x100001001ULL);
	KUNIT_EXPECT_EQ_MSG(test, machine.sets, 0, "counters that only count are not set");
}

/* Start values depend only on what the thread itself has counted. */
static void test_start_reveals_nothing(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 1, 1, -1000);
	int i;

	for (i = 0; i < 3; i++) {
		machine.value[1] = 0x1234;
		machine.value[2] = 0x5678;
		KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
		KUNIT_EXPECT_EQ(test, state->pmc[0].start, 0);
		KUNIT_EXPECT_EQ(test, machine.value[1], 0);
		KUNIT_EXPECT_EQ(test, state->pmc[1].start, 0x80000000 - 1000 + 20 * i);
		KUNIT_EXPECT_EQ(test, machine.value[2], 0x80000000 - 1000 + 20 * i);
		machine_goes_on(20);
		perfctr_state_suspend(&memory, state);
		KUNIT_EXPECT_EQ(test, state->pmc[0].start, 0);
		KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 20 * (i + 1));
		KUNIT_EXPECT_EQ(test, state->pmc[1].sum, 20 * (i + 1));
	}
}

static int get_dirty(const struct power_claim *claim)
{
	return machine.busy ? -EBUSY : 0;
}

/* A counter with the value of another thread is set to its start value before it runs. */
static void test_dirty_counter(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 2, 0, 0);
	struct perfctr_layer dirty = memory;

	dirty.get = get_dirty;
	machine.value[1] = 0x1234;
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&dirty, state), 0);
	KUNIT_EXPECT_EQ(test, machine.value[1], 0);
	KUNIT_EXPECT_EQ(test, state->pmc[0].start, 0);
	KUNIT_EXPECT_EQ(test, machine.sets, 1);
	machine_goes_on(3);
	perfctr_state_suspend(&dirty, state);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 3);
}

/*
 * An i-mode counter has 2^31 more than its value in the control, in the register and in start. An
 * overflow is reported once, and the counter restarts.
 */
static void test_overflow(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 1, 2, -100);

	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	KUNIT_EXPECT_EQ(test, machine.sets, 2);
	KUNIT_EXPECT_EQ(test, machine.value[2], 0x80000000 - 100);
	machine_goes_on(60);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, perfctr_state_overflowed(state), 0);
	KUNIT_EXPECT_EQ(test, state->pmc[1].sum, 60);
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	machine_goes_on(39);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ_MSG(test, perfctr_state_overflowed(state), 0, "1 before the overflow");
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	machine_goes_on(4);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 103);
	KUNIT_EXPECT_EQ(test, state->pmc[1].sum, 103);
	KUNIT_EXPECT_EQ(test, state->pmc[2].sum, 103);
	KUNIT_EXPECT_EQ(test, perfctr_state_overflowed(state), 6);
	KUNIT_EXPECT_EQ(test, perfctr_state_identify(state), 6);
	KUNIT_EXPECT_EQ(test, perfctr_state_identify(state), 0);
	KUNIT_EXPECT_EQ(test, state->pmc[1].start, 0x80000000 - 100);
	/* perfctr_cpu_ireload() has nothing to do. */
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	KUNIT_EXPECT_EQ(test, machine.value[2], 0x80000000 - 100);
	machine_goes_on(7);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, state->pmc[2].sum, 110);
	KUNIT_EXPECT_EQ(test, perfctr_state_overflowed(state), 0);
}

/* The shortest and the longest period */
static void test_periods(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 0, 1, -1);

	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	KUNIT_EXPECT_EQ(test, machine.value[1], 0x7fffffff);
	machine_goes_on(1);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, perfctr_state_identify(state), 1);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 1);
	state = new_state(test, 0, 1, INT_MIN);
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	KUNIT_EXPECT_EQ(test, machine.value[1], 0);
	machine_goes_on(0x7fffffff);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, perfctr_state_identify(state), 0);
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	machine_goes_on(1);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, perfctr_state_identify(state), 1);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 0x80000000ULL);
}

/* The overflow interrupt sets an a-mode counter with bit 31 to 0. Nothing is counted twice. */
static void test_wrap(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 2, 1, -1000);

	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	machine.value[1] = 0x80000005;
	machine.value[2] = 7;
	machine.tsc += 9;
	perfctr_state_wrap(&memory, state, BIT(1));
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 0x80000005ULL);
	KUNIT_EXPECT_EQ(test, state->pmc[0].start, 0);
	KUNIT_EXPECT_EQ(test, state->pmc[1].start, 0);
	KUNIT_EXPECT_EQ_MSG(test, state->tsc_start, machine.tsc, "a reader notices the change");
	machine.value[1] = 0;
	machine_goes_on(3);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 0x80000008ULL);
	KUNIT_EXPECT_EQ(test, state->pmc[1].sum, 10);
}

/* If pinned events take the counters, the sums are complete, and the time base continues. */
static void test_revoke(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 1, 1, -1000);

	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	machine_goes_on(5);
	perfctr_state_revoke(&memory, state);
	KUNIT_EXPECT_EQ(test, machine.claims, 0);
	KUNIT_EXPECT_EQ(test, state->cstatus, perfctr_mk_cstatus(1, 0, 0));
	machine_goes_on(7);
	machine.value[1] += 77;
	perfctr_state_sample(&memory, state);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 5);
	KUNIT_EXPECT_EQ(test, state->pmc[1].sum, 5);
	KUNIT_EXPECT_EQ(test, state->tsc_sum, 12);
	KUNIT_EXPECT_EQ(test, perfctr_state_overflowed(state), 0);
	KUNIT_EXPECT_EQ(test, perfctr_state_identify(state), 0);
}

/*
 * An overflow is still reported if pinned events take the counters before
 * perfctr_state_identify().
 */
static void test_revoke_after_overflow(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 1, 2, -100);

	state->pmc[2].start += 50;
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	machine_goes_on(60);
	perfctr_state_revoke(&memory, state);
	KUNIT_EXPECT_EQ(test, machine.claims, 0);
	KUNIT_EXPECT_EQ(test, state->cstatus, perfctr_mk_cstatus(1, 0, 0));
	/* The thread may be switched before the interrupt. */
	machine_goes_on(7);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	KUNIT_EXPECT_EQ(test, machine.claims, 0);
	perfctr_state_suspend(&memory, state);
	KUNIT_EXPECT_EQ(test, perfctr_state_overflowed(state), BIT(2));
	KUNIT_EXPECT_EQ(test, perfctr_state_identify(state), BIT(2));
	KUNIT_EXPECT_EQ_MSG(test, state->cstatus, perfctr_mk_cstatus(1, 1, 2), "can be resumed");
	KUNIT_EXPECT_EQ(test, state->pmc[1].start, 0x80000000 - 40);
	KUNIT_EXPECT_EQ(test, state->pmc[2].start, 0x80000000 - 100);
	KUNIT_EXPECT_EQ(test, state->pmc[2].sum, 60);
	KUNIT_EXPECT_EQ(test, perfctr_state_identify(state), 0);
}

/* If the counters cannot be reserved, the state does not run. */
static void test_busy(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 1, 1, -100);

	machine.busy = true;
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), -EBUSY);
	KUNIT_EXPECT_EQ(test, machine.running, 0);
	KUNIT_EXPECT_EQ(test, machine.sets, 0);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 0);
	KUNIT_EXPECT_EQ(test, state->pmc[1].start, 0x80000000 - 100);
}

/* Counters of this machine */

#define TEST_LOOP	1000

static const char test_service[] = "perfctr_powerpc test";
static int test_overflows;

static void test_handler(unsigned long pc)
{
	test_overflows++;
}

static void test_work(int n)
{
	while (n--)
		asm volatile("nop");
}

static struct perfctr_cpu_state *hw_state(struct kunit *test, u32 nractrs, u32 nrictrs)
{
	struct perfctr_cpu_state *state = kunit_kzalloc(test, sizeof(*state), GFP_KERNEL);
	const char *other;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, state);
	if (!perfctr_kind.counters)
		kunit_skip(test, "no counters");
	other = perfctr_cpu_reserve(test_service);
	if (other)
		kunit_skip(test, "%s has the hardware", other);
	perfctr_cpu_set_ihandler(test_handler);
	test_overflows = 0;
	fill_control(&state->control, nractrs, nrictrs);
	for (i = 0; i < nractrs + nrictrs; i++)
		state->control.modes[i] = 0;
	return state;
}

static void test_exit(struct kunit *test)
{
	if (perfctr_service && !strcmp(perfctr_service, test_service))
		perfctr_cpu_release(test_service);
}

/*
 * No program can be kept from reading counters there, so the kernel sets the counters of a thread
 * to 0 when the thread stops.
 */
static void test_hw_counts(struct kunit *test)
{
	struct perfctr_cpu_state *state = hw_state(test, 6, 0);
	u64 sums[3];
	unsigned long left[7];
	int i, err;

	KUNIT_ASSERT_EQ(test, perfctr_cpu_update_control(state, 1), 0);
	local_irq_disable();
	err = perfctr_cpu_resume(state);
	if (err) {
		local_irq_enable();
		kunit_skip(test, "pinned events have the counters");
	}
	test_work(TEST_LOOP);
	perfctr_cpu_sample(state);
	sums[0] = state->pmc[4].sum;
	test_work(TEST_LOOP);
	perfctr_cpu_suspend(state);
	sums[1] = state->pmc[4].sum;
	for (i = 1; i <= 6; i++)
		left[i] = power_pmc_read(i);
	test_work(TEST_LOOP);
	err = perfctr_cpu_resume(state);
	if (!err)
		perfctr_cpu_suspend(state);
	sums[2] = state->pmc[4].sum;
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_GE(test, sums[0], TEST_LOOP);
	KUNIT_EXPECT_GE(test, sums[1], sums[0] + TEST_LOOP);
	KUNIT_EXPECT_LT_MSG(test, sums[2], sums[1] + TEST_LOOP, "stopped counters do not count");
	KUNIT_EXPECT_LT(test, 0, state->tsc_sum);
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_GE(test, state->pmc[i].sum, TEST_LOOP);
	for (i = 1; i <= 6; i++)
		KUNIT_EXPECT_EQ_MSG(test, left[i], 0, "PMC%d reveals the thread's count", i);
}

/* An overflow stops the counters, and calls the handler. */
static void test_hw_overflow(struct kunit *test)
{
	struct perfctr_cpu_state *state = hw_state(test, 4, 1);
	unsigned int mask;
	u64 sum;
	int i, err;

	state->control.ireset[4] = -TEST_LOOP;
	KUNIT_ASSERT_EQ(test, perfctr_cpu_update_control(state, 1), 0);
	/* The irq_work runs on this CPU. */
	preempt_disable();
	err = perfctr_cpu_resume(state);
	if (err) {
		preempt_enable();
		kunit_skip(test, "pinned events have the counters");
	}
	for (i = 0; i < 1000 && !READ_ONCE(test_overflows); i++)
		test_work(TEST_LOOP);
	perfctr_cpu_sample(state);
	sum = state->pmc[0].sum;
	test_work(100 * TEST_LOOP);
	perfctr_cpu_suspend(state);
	mask = perfctr_cpu_identify_overflow(state);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, test_overflows, 1);
	KUNIT_EXPECT_EQ(test, mask, BIT(4));
	KUNIT_EXPECT_GE(test, state->pmc[4].sum, TEST_LOOP);
	KUNIT_EXPECT_EQ_MSG(test, state->pmc[0].sum, sum, "the others have stopped, too");
	KUNIT_EXPECT_EQ(test, state->pmc[4].start, 0x80000000 - TEST_LOOP);
	KUNIT_EXPECT_FALSE(test, perfctr_cpu_overflowed(state));
}

/* After perfctr_cpu_suspend() the interrupt finds no state, and the state has the overflow. */
static void test_hw_late(struct kunit *test)
{
	struct perfctr_cpu_state *state = hw_state(test, 0, 5);
	unsigned long flags;
	bool overflowed;
	int i, err;

	/* An overflow freezes all counters: only PMC5 may overflow. */
	for (i = 0; i < 4; i++)
		state->control.ireset[i] = INT_MIN;
	state->control.ireset[4] = -TEST_LOOP;
	KUNIT_ASSERT_EQ(test, perfctr_cpu_update_control(state, 1), 0);
	power_interrupt_off(flags);
	err = perfctr_cpu_resume(state);
	if (!err) {
		test_work(2 * TEST_LOOP);
		perfctr_cpu_suspend(state);
	}
	overflowed = perfctr_cpu_overflowed(state);
	power_interrupt_on(flags);
	if (err)
		kunit_skip(test, "pinned events have the counters");
	KUNIT_EXPECT_TRUE(test, overflowed);
	KUNIT_EXPECT_TRUE(test, perfctr_cpu_identify_overflow(state) & BIT(4));
	KUNIT_EXPECT_EQ(test, test_overflows, 0);
}

/* Events that the processor does not have, or cannot count at once, are EINVAL. */
static void test_hw_refuses(struct kunit *test)
{
	struct perfctr_cpu_state *state = hw_state(test, 4, 0);

	KUNIT_EXPECT_EQ(test, perfctr_cpu_update_control(state, 0), 0);
	KUNIT_EXPECT_EQ(test, state->cstatus, perfctr_mk_cstatus(1, 4, 0));
	/* Two values of the L1 qualifier, if event codes have the qualifier */
	if (perfctr_kind.valid & BIT(20)) {
		state->control.evntsel[2] = TEST_INST | 5U << 20;
		state->control.evntsel[3] = TEST_INST | 6U << 20;
		KUNIT_EXPECT_EQ(test, perfctr_cpu_update_control(state, 0), -EINVAL);
		KUNIT_EXPECT_EQ(test, state->cstatus, 0);
		state->control.evntsel[2] = TEST_INST;
		state->control.evntsel[3] = TEST_INST;
	}
	state->control.evntsel_high[3] = BIT(31);
	KUNIT_EXPECT_EQ(test, perfctr_cpu_update_control(state, 0), -EPERM);
	state->control.evntsel_high[3] = 0;
	KUNIT_EXPECT_EQ(test, perfctr_cpu_update_control(state, 0), 0);
}

/* A second driver gets the name of the first. */
static void test_reserve(struct kunit *test)
{
	const char *other = perfctr_cpu_reserve(test_service);

	if (other)
		kunit_skip(test, "%s has the hardware", other);
	KUNIT_EXPECT_STREQ(test, perfctr_cpu_reserve("another"), test_service);
	KUNIT_EXPECT_NULL(test, perfctr_cpu_reserve(test_service));
	if (perfctr_kind.counters)
		KUNIT_EXPECT_EQ(test, power_claim_open(&perfctr_claim_user), -EBUSY);
	perfctr_cpu_release(test_service);
	other = perfctr_cpu_reserve("another");
	KUNIT_EXPECT_NULL(test, other);
	if (!other)
		perfctr_cpu_release("another");
}

static struct kunit_case perfctr_cases[] = {
	KUNIT_CASE(test_rules),
	KUNIT_CASE(test_numbers),
	KUNIT_CASE(test_duplicates),
	KUNIT_CASE(test_other_rules),
	KUNIT_CASE(test_kernel),
	KUNIT_CASE(test_cstatus),
	KUNIT_CASE(test_counts),
	KUNIT_CASE(test_start_reveals_nothing),
	KUNIT_CASE(test_dirty_counter),
	KUNIT_CASE(test_overflow),
	KUNIT_CASE(test_periods),
	KUNIT_CASE(test_wrap),
	KUNIT_CASE(test_revoke),
	KUNIT_CASE(test_revoke_after_overflow),
	KUNIT_CASE(test_busy),
	KUNIT_CASE(test_hw_counts),
	KUNIT_CASE(test_hw_overflow),
	KUNIT_CASE(test_hw_late),
	KUNIT_CASE(test_hw_refuses),
	KUNIT_CASE(test_reserve),
	{ }
};

static struct kunit_suite perfctr_suite = {
	.name		= "perfctr_powerpc",
	.exit		= test_exit,
	.test_cases	= perfctr_cases,
};

kunit_test_suite(perfctr_suite);
