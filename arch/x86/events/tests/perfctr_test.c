// SPDX-License-Identifier: GPL-2.0
/*
 * perfctr's low-level driver on x86: every rule of every family, kept and broken, and states
 * that run on registers made of memory.
 */
#include <kunit/test.h>

#include "../perfctr_rules.h"
#include "../perfctr_state.h"

/* Event selects: user and enabled; what a fixed counter may have besides. */
#define USER		BIT(16)
#define KERNEL		BIT(17)
#define PMI		BIT(20)
#define ENABLE		BIT(22)
#define GOOD		(0xc0 | USER | ENABLE)
#define FIXED(n)	(BIT(30) | (n))

/* A CCCR and an ESCR that are good everywhere */
#define CCCR		(BIT(12) | BIT(16) | BIT(17))
#define ESCR		BIT(2)

/**
 * struct rule_case - one counter, and what becomes of it
 * @family: of the CPUs
 * @map: which counter
 * @evntsel: what it is to count
 * @escr: the same
 * @imode: it interrupts
 * @global: it is no thread's
 * @err: what is to be said
 */
struct rule_case {
	const struct perfctr_family *family;
	u32	map;
	u32	evntsel;
	u32	escr;
	bool	imode;
	bool	global;
	int	err;
};

static const struct rule_case rule_cases[] = {
	/* P5 and its likes */
	{ &perfctr_p5, 0, 0x00c0 },
	{ &perfctr_p5, 1, 0x0140 },
	{ &perfctr_p5, 2, 0x00c0, .err = -EINVAL },
	{ &perfctr_p5, 0, 0x02c0, .err = -EPERM },
	{ &perfctr_p5, 0, 0x80c0, .err = -EPERM },
	{ &perfctr_p5, 0, 0x100c0, .err = -EPERM },
	{ &perfctr_p5, 0, 0x0000, .err = -EINVAL },
	{ &perfctr_p5, 0, 0x00c0, .imode = true, .err = -EPERM },
	{ &perfctr_mmx, 0, 0x0080 },
	{ &perfctr_mmx, 0, 0x0280, .err = -EPERM },
	{ &perfctr_mmx, 0, 0x003f, .err = -EINVAL },
	{ &perfctr_cyrix, 0, 0x04c0 },
	{ &perfctr_cyrix, 0, 0x02c0, .err = -EPERM },
	{ &perfctr_cyrix, 0, 0xf8c0, .err = -EPERM },
	{ &perfctr_cyrix, 0, 0x0400, .err = -EINVAL },
	{ &perfctr_cyrix, 0, 0x00c0, .imode = true, .err = -EPERM },
	{ &perfctr_winchip, 0, 0x00ff },
	{ &perfctr_winchip, 1, 0x0000 },
	{ &perfctr_winchip, 0, 0x0100, .err = -EPERM },
	{ &perfctr_winchip, 0, 0x0001, .imode = true, .err = -EPERM },
	{ &perfctr_c3, 1, 0x0079 },
	{ &perfctr_c3, 0, 0x0079, .err = -EINVAL },
	{ &perfctr_c3, 1, 0x0279, .err = -EPERM },
	{ &perfctr_c3, 1, 0x0079, .imode = true, .err = -EPERM },
	/* P6 */
	{ &perfctr_p6, 0, GOOD },
	{ &perfctr_p6, 0, 0xc0 | KERNEL | ENABLE },
	{ &perfctr_p6, 1, 0xc0 | USER },
	{ &perfctr_p6, 1, GOOD, .err = -EPERM },
	{ &perfctr_p6, 0, 0xc0 | USER, .err = -EINVAL },
	{ &perfctr_p6, 0, 0xc0 | ENABLE, .err = -EINVAL },
	{ &perfctr_p6, 0, GOOD | BIT(19), .err = -EPERM },
	{ &perfctr_p6, 0, GOOD | BIT(21), .err = -EPERM },
	{ &perfctr_p6, 0, GOOD | PMI, .err = -EINVAL },
	{ &perfctr_p6, 0, GOOD | PMI, .imode = true },
	{ &perfctr_p6, 0, GOOD, .imode = true, .err = -EINVAL },
	{ &perfctr_p6, 2, GOOD, .err = -EINVAL },
	/* K7, K8 and later */
	{ &perfctr_k7, 0, GOOD },
	{ &perfctr_k7, 3, GOOD },
	{ &perfctr_k7, 4, GOOD, .err = -EINVAL },
	{ &perfctr_k7, 1, 0xc0 | USER, .err = -EINVAL },
	{ &perfctr_k7, 1, 0xc0 | ENABLE, .err = -EINVAL },
	{ &perfctr_k7, 1, GOOD | BIT(19), .err = -EPERM },
	{ &perfctr_k7, 1, GOOD | BIT(21), .err = -EPERM },
	{ &perfctr_k7, 1, GOOD | PMI, .err = -EINVAL },
	{ &perfctr_k7, 1, GOOD | PMI, .imode = true },
	{ &perfctr_k7, 1, GOOD, .imode = true, .err = -EINVAL },
	{ &perfctr_k8, 0, 0xe1 | USER | ENABLE },
	{ &perfctr_k8, 0, GOOD | BIT(21), .err = -EPERM },
	{ &perfctr_k8_multicore, 0, GOOD },
	{ &perfctr_k8_multicore, 0, 0xe1 | USER | ENABLE, .err = -EPERM },
	{ &perfctr_k8_multicore, 0, 0xe1 | USER | ENABLE, .global = true },
	{ &perfctr_amd_15h, 0, 0xe1 | USER | ENABLE },
	{ &perfctr_amd_15h, 5, GOOD },
	{ &perfctr_amd_15h, 0, GOOD | BIT(19), .err = -EPERM },
	/* Architectural ones */
	{ &perfctr_intel_arch, 0, GOOD },
	{ &perfctr_intel_arch, 1, GOOD },
	{ &perfctr_intel_arch, 1, 0xc0 | USER, .err = -EINVAL },
	{ &perfctr_intel_arch, 1, GOOD | BIT(19), .err = -EPERM },
	{ &perfctr_intel_arch, 1, GOOD | BIT(21), .err = -EPERM },
	{ &perfctr_intel_arch, 1, 0xc0 | ENABLE, .err = -EINVAL },
	{ &perfctr_intel_arch, 1, GOOD | PMI, .imode = true },
	{ &perfctr_intel_arch, 1, GOOD | PMI, .err = -EINVAL },
	{ &perfctr_intel_arch, 8, GOOD, .err = -EINVAL },
	{ &perfctr_intel_arch, FIXED(0), USER | ENABLE },
	{ &perfctr_intel_arch, FIXED(2), KERNEL | ENABLE | PMI, .imode = true },
	{ &perfctr_intel_arch, FIXED(3), USER | ENABLE, .err = -EINVAL },
	{ &perfctr_intel_arch, FIXED(0), GOOD, .err = -EINVAL },
	{ &perfctr_intel_arch, FIXED(0), USER | ENABLE | BIT(21), .err = -EPERM },
	{ &perfctr_intel_arch, FIXED(0), USER, .err = -EINVAL },
	{ &perfctr_intel_arch, FIXED(31), USER | ENABLE, .err = -EINVAL },
	{ &perfctr_intel_arch, 32, USER | ENABLE, .err = -EINVAL },
	{ &perfctr_intel_arch, 0xffffffff, GOOD, .err = -EINVAL },
	{ &perfctr_zhaoxin, 0, GOOD },
	{ &perfctr_zhaoxin, FIXED(1), USER | ENABLE },
	{ &perfctr_zhaoxin, 0, GOOD | BIT(21), .err = -EPERM },
	/* Pentium 4 */
	{ &perfctr_p4, 0, CCCR, ESCR },
	{ &perfctr_p4, BIT(31) | 17, CCCR, ESCR },
	{ &perfctr_p4, 18, CCCR, ESCR, .err = -EINVAL },
	{ &perfctr_p4, 0, CCCR | BIT(0), ESCR, .err = -EPERM },
	{ &perfctr_p4, 0, CCCR | BIT(27), ESCR, .err = -EPERM },
	{ &perfctr_p4, 0, CCCR | BIT(31), ESCR, .err = -EPERM },
	{ &perfctr_p4, 12, CCCR | BIT(11), ESCR, .err = -EPERM },
	{ &perfctr_p4, 0, BIT(12) | BIT(16), ESCR, .err = -EINVAL },
	{ &perfctr_p4, 0, BIT(16) | BIT(17), ESCR, .err = -EINVAL },
	{ &perfctr_p4, 0, BIT(30) | BIT(16) | BIT(17), ESCR },
	{ &perfctr_p4, 0, CCCR | BIT(26), ESCR, .err = -EINVAL },
	{ &perfctr_p4, 0, CCCR | BIT(26), ESCR, .imode = true },
	{ &perfctr_p4, 0, CCCR, ESCR, .imode = true, .err = -EINVAL },
	{ &perfctr_p4, 0, CCCR, ESCR | BIT(31), .err = -EPERM },
	{ &perfctr_p4, 0, CCCR, ESCR | BIT(0), .err = -EPERM },
	{ &perfctr_p4_model2, 12, CCCR | BIT(11), ESCR },
	{ &perfctr_p4_model2, 15, CCCR | BIT(11), ESCR },
	{ &perfctr_p4_model2, 14, CCCR | BIT(11), ESCR, .err = -EPERM },
	{ &perfctr_p4_model2, 0, BIT(12), ESCR, .err = -EINVAL },
	{ &perfctr_p4_ht, 0, BIT(12), ESCR | BIT(0) },
	{ &perfctr_p4_ht, 0, BIT(12) | BIT(5), ESCR, .err = -EPERM },
	{ &perfctr_p4_ht, 0, 0, ESCR, .err = -EINVAL },
};

static struct perfctr_cpu_kind kind_of(const struct perfctr_family *family)
{
	struct perfctr_cpu_kind kind = { .family = family, .interrupts = true };

	if (family == &perfctr_p6 || family == &perfctr_p5 || family == &perfctr_mmx ||
	    family == &perfctr_cyrix || family == &perfctr_winchip)
		kind.counters = GENMASK_ULL(1, 0);
	else if (family == &perfctr_c3)
		kind.counters = BIT_ULL(1);
	else if (family->cccr)
		kind.counters = GENMASK_ULL(17, 0);
	else if (family == &perfctr_amd_15h)
		kind.counters = GENMASK_ULL(5, 0);
	else if (family == &perfctr_intel_arch || family == &perfctr_zhaoxin)
		kind.counters = GENMASK_ULL(7, 0) | GENMASK_ULL(34, 32);
	else if (family != &perfctr_generic)
		kind.counters = GENMASK_ULL(3, 0);
	return kind;
}

static void test_rules(struct kunit *test)
{
	struct perfctr_cpu_control control;
	struct x86_claim claim;
	int i;

	for (i = 0; i < ARRAY_SIZE(rule_cases); i++) {
		const struct rule_case *c = &rule_cases[i];
		struct perfctr_cpu_kind kind = kind_of(c->family);

		memset(&control, 0, sizeof(control));
		control.nractrs = !c->imode;
		control.nrictrs = c->imode;
		control.pmc_map[0] = c->map;
		control.evntsel[0] = c->evntsel;
		control.p4.escr[0] = c->escr;
		control.ireset[0] = -1;
		KUNIT_EXPECT_EQ_MSG(test, perfctr_check(&kind, &control, c->global, &claim),
				    c->err, "case %d: %s, map %#x, select %#x, escr %#x", i,
				    c->family->name, c->map, c->evntsel, c->escr);
	}
}

static int check(const struct perfctr_family *family, const struct perfctr_cpu_control *control)
{
	struct perfctr_cpu_kind kind = kind_of(family);
	struct x86_claim claim;

	return perfctr_check(&kind, control, false, &claim);
}

/* Numbers of counters, duplicates, the TSC alone, start values. */
static void test_controls(struct kunit *test)
{
	struct perfctr_cpu_control control = { .tsc_on = 1 };
	struct perfctr_cpu_kind kind;
	struct x86_claim claim;

	KUNIT_EXPECT_EQ(test, check(&perfctr_generic, &control), 0);
	KUNIT_EXPECT_EQ(test, check(&perfctr_winchip, &control), -EINVAL);
	control.nractrs = 1;
	control.evntsel[0] = GOOD;
	KUNIT_EXPECT_EQ(test, check(&perfctr_generic, &control), -EINVAL);
	control.nractrs = 2;
	control.evntsel[1] = GOOD;
	KUNIT_EXPECT_EQ_MSG(test, check(&perfctr_k7, &control), -EINVAL, "the same twice");
	control.pmc_map[1] = 3;
	KUNIT_EXPECT_EQ(test, check(&perfctr_k7, &control), 0);
	control.nractrs = 19;
	KUNIT_EXPECT_EQ(test, check(&perfctr_p4, &control), -EINVAL);
	control.nractrs = -1;
	control.nrictrs = 2;
	KUNIT_EXPECT_EQ_MSG(test, check(&perfctr_k7, &control), -EINVAL, "a sum that wraps");
	control.nractrs = 1;
	control.nrictrs = 1;
	control.evntsel[1] = GOOD | PMI;
	KUNIT_EXPECT_EQ_MSG(test, check(&perfctr_k7, &control), -EINVAL, "start value 0");
	control.ireset[1] = INT_MAX;
	KUNIT_EXPECT_EQ(test, check(&perfctr_k7, &control), -EINVAL);
	control.ireset[1] = INT_MIN;
	KUNIT_EXPECT_EQ(test, check(&perfctr_k7, &control), 0);
	kind = kind_of(&perfctr_k7);
	KUNIT_EXPECT_EQ(test, perfctr_check(&kind, &control, false, &claim), 0);
	KUNIT_EXPECT_EQ(test, claim.counters, BIT_ULL(0) | BIT_ULL(3));
	KUNIT_EXPECT_EQ(test, claim.ints, BIT_ULL(3));
	KUNIT_EXPECT_EQ(test, claim.n, 2);
	KUNIT_EXPECT_EQ(test, claim.config[1], (GOOD | PMI) & ~(u64)ENABLE);
	kind.interrupts = false;
	KUNIT_EXPECT_EQ(test, perfctr_check(&kind, &control, false, &claim), -EPERM);
}

static void test_pebs(struct kunit *test)
{
	struct perfctr_cpu_control control = { .nractrs = 1 };

	control.evntsel[0] = CCCR;
	control.p4.escr[0] = ESCR;
	control.p4.pebs_enable = BIT(24) | BIT(10) | 1;
	KUNIT_EXPECT_EQ(test, check(&perfctr_p4, &control), 0);
	control.p4.pebs_enable = BIT(10);
	KUNIT_EXPECT_EQ(test, check(&perfctr_p4, &control), -EINVAL);
	control.p4.pebs_enable = BIT(24) | BIT(25);
	KUNIT_EXPECT_EQ(test, check(&perfctr_p4, &control), -EPERM);
	control.p4.pebs_enable = 0;
	control.p4.pebs_matrix_vert = 1;
	KUNIT_EXPECT_EQ(test, check(&perfctr_p4, &control), -EPERM);
	control.p4.pebs_matrix_vert = 0;
	control.nractrs = 0;
	control.nrictrs = 1;
	control.evntsel[0] = CCCR | BIT(26) | BIT(25);
	control.ireset[0] = -2;
	KUNIT_EXPECT_EQ_MSG(test, check(&perfctr_p4, &control), -EINVAL, "overflow at each event");
	control.ireset[0] = -1;
	KUNIT_EXPECT_EQ(test, check(&perfctr_p4, &control), 0);
}

static void test_kernel(struct kunit *test)
{
	struct perfctr_cpu_control control = { .nractrs = 2 };

	control.evntsel[0] = GOOD;
	control.evntsel[1] = GOOD;
	KUNIT_EXPECT_FALSE(test, perfctr_kernel(&perfctr_k7, &control));
	control.evntsel[1] |= KERNEL;
	KUNIT_EXPECT_TRUE(test, perfctr_kernel(&perfctr_k7, &control));
	control.nractrs = 1;
	KUNIT_EXPECT_FALSE(test, perfctr_kernel(&perfctr_k7, &control));
	KUNIT_EXPECT_TRUE_MSG(test, perfctr_kernel(&perfctr_c3, &control), "it has no modes");
	control.nractrs = U32_MAX;
	control.nrictrs = U32_MAX;
	perfctr_kernel(&perfctr_p4, &control);
}

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

/* Registers made of memory */

static struct {
	u32	tsc;
	u64	value[64];
	u64	taken;
	u64	running;
	bool	busy;
	bool	same;
	u32	kept[64];
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

static u32 memory_low(int counter)
{
	return memory_read(counter);
}

static int memory_take(const struct x86_claim *claim)
{
	if (machine.busy)
		return -EBUSY;
	machine.taken = claim->counters;
	return machine.same;
}

static void memory_set(int counter, u64 value)
{
	machine.sets++;
	machine.value[counter] = value;
}

static void memory_run(const struct x86_claim *claim)
{
	machine.running = claim->counters;
}

static void memory_leave(const struct x86_claim *claim)
{
	machine.taken = 0;
	machine.running = 0;
}

static void memory_keep(int counter, u32 value)
{
	machine.kept[counter] = value;
}

static u32 memory_kept(int counter)
{
	return machine.kept[counter];
}

static const struct perfctr_layer memory = {
	.tsc	= memory_tsc,
	.read	= memory_read,
	.low	= memory_low,
	.take	= memory_take,
	.set	= memory_set,
	.run	= memory_run,
	.leave	= memory_leave,
	.keep	= memory_keep,
	.kept	= memory_kept,
};

/* So much time goes by: counters that run count as much. */
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
	struct perfctr_cpu_kind kind = kind_of(&perfctr_intel_arch);
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

/* What runs is counted, once; what stands still is not. 32 bits may wrap. */
static void test_counts(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 2, 0, 0);

	machine.value[1] = 0xfffffff0;
	machine.value[2] = 0x123456789aULL;
	machine.tsc = 0xffffff00;
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), 0);
	KUNIT_EXPECT_EQ(test, state->pmc[0].map, 1);
	KUNIT_EXPECT_EQ(test, state->pmc[0].start, 0xfffffff0);
	machine_goes_on(0x1000);
	perfctr_state_sample(&memory, state);
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

/* A switch between two threads of one control: what one ends with, the other begins with. */
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

/* Both kinds of counters together; an overflow is seen once, and starts anew. */
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
	KUNIT_EXPECT_EQ_MSG(test, machine.sets, 3, "one counter is as it was left");
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
	KUNIT_EXPECT_EQ_MSG(test, machine.sets, 2, "a reload sets them in any case");
	KUNIT_EXPECT_EQ(test, state->k1, 0);
}

static void test_busy(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, 2, 0, 0);

	machine.busy = true;
	KUNIT_EXPECT_EQ(test, perfctr_state_resume(&memory, state), -EBUSY);
	KUNIT_EXPECT_EQ(test, machine.running, 0);
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, 0);
}

static struct kunit_case perfctr_cases[] = {
	KUNIT_CASE(test_rules),
	KUNIT_CASE(test_controls),
	KUNIT_CASE(test_pebs),
	KUNIT_CASE(test_kernel),
	KUNIT_CASE(test_cstatus),
	KUNIT_CASE(test_counts),
	KUNIT_CASE(test_handed_over),
	KUNIT_CASE(test_overflow),
	KUNIT_CASE(test_busy),
	{ }
};

static struct kunit_suite perfctr_suite = {
	.name = "perfctr_x86",
	.test_cases = perfctr_cases,
};

kunit_test_suite(perfctr_suite);
