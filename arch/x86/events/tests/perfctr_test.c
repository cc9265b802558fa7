// SPDX-License-Identifier: GPL-2.0
/*
 * perfctr's low-level driver: each rule of each CPU family, kept and violated.
 */
#include <kunit/test.h>

#include "../engine.h"
#include "../perfctr_rules.h"

/* Event selects: user mode and enabled; the valid bits of a fixed counter */
#define USER		BIT(16)
#define KERNEL		BIT(17)
#define PMI		BIT(20)
#define ENABLE		BIT(22)
#define GOOD		(0xc0 | USER | ENABLE)
#define FIXED(n)	(BIT(30) | (n))

/* A CCCR and an ESCR that are valid on all models */
#define CCCR		(BIT(12) | BIT(16) | BIT(17))
#define ESCR		BIT(2)

/**
 * struct rule_case - a control of one counter, and the result
 * @family: the CPU family
 * @map: the counter
 * @evntsel: its event select
 * @escr: its ESCR
 * @imode: the counter interrupts
 * @global: the control is not of a thread
 * @err: the result
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
	/* P5 and compatible CPUs */
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
	/* Architectural PMU */
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

/*
 * Each rule of each family, kept and violated. Northbridge events (0xe0 to 0xff) of a thread are
 * EPERM on AMD CPUs up to family 14h with several cores.
 */
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

/**
 * struct bit_case - a valid counter, and the results of inverting each bit
 * @family: the CPU family
 * @map: the counter
 * @evntsel: its event select
 * @imode: the counter interrupts
 * @eperm: bits of @evntsel whose inversion is -EPERM
 * @einval: bits of @evntsel whose inversion is -EINVAL
 * @escr_eperm: bits of the ESCR that are -EPERM if set
 */
struct bit_case {
	const struct perfctr_family *family;
	u32	map;
	u32	evntsel;
	bool	imode;
	u32	eperm;
	u32	einval;
	u32	escr_eperm;
};

#define NO_BITS		(BIT(19) | BIT(21))
#define MODE_BITS	(USER | PMI | ENABLE)

static const struct bit_case bit_cases[] = {
	{ &perfctr_p5, 0, 0x0040, false, 0xfffffe00, 0x40 },
	{ &perfctr_p5, 1, 0x0080, false, 0xfffffe00, 0x80 },
	{ &perfctr_mmx, 0, 0x0040, false, 0xfffffe00, 0x40 },
	{ &perfctr_cyrix, 0, 0x0040, false, 0xfffffa00, 0x40 },
	{ &perfctr_winchip, 0, 0x0079, false, 0xffffff00, 0 },
	{ &perfctr_c3, 1, 0x0079, false, 0xfffffe00, 0 },
	{ &perfctr_p6, 0, GOOD, false, NO_BITS, MODE_BITS },
	{ &perfctr_p6, 0, GOOD | PMI, true, NO_BITS, MODE_BITS },
	{ &perfctr_p6, 1, GOOD & ~ENABLE, false, NO_BITS | ENABLE, USER | PMI },
	{ &perfctr_k7, 0, GOOD, false, NO_BITS, MODE_BITS },
	{ &perfctr_k7, 3, GOOD | PMI, true, NO_BITS, MODE_BITS },
	{ &perfctr_k8, 1, GOOD, false, NO_BITS, MODE_BITS },
	{ &perfctr_k8_multicore, 1, GOOD, false, NO_BITS | BIT(5), MODE_BITS },
	{ &perfctr_amd_15h, 5, GOOD, false, NO_BITS, MODE_BITS },
	{ &perfctr_intel_arch, 0, GOOD, false, NO_BITS, MODE_BITS },
	{ &perfctr_intel_arch, 7, GOOD | PMI, true, NO_BITS, MODE_BITS },
	{ &perfctr_intel_arch, FIXED(0), USER | ENABLE, false, NO_BITS, (u32)~(NO_BITS | KERNEL) },
	{ &perfctr_zhaoxin, 2, GOOD, false, NO_BITS, MODE_BITS },
	{ &perfctr_zhaoxin, FIXED(2), USER | ENABLE, false, NO_BITS, (u32)~(NO_BITS | KERNEL) },
	{ &perfctr_p4, 12, CCCR, false, 0xb8000fff, CCCR | BIT(26), BIT(31) | 3 },
	{ &perfctr_p4, 0, CCCR | BIT(26), true, 0xb8000fff, CCCR | BIT(26), BIT(31) | 3 },
	{ &perfctr_p4_model2, 12, CCCR, false, 0xb80007ff, CCCR | BIT(26), BIT(31) | 3 },
	{ &perfctr_p4_model2, 11, CCCR, false, 0xb8000fff, CCCR | BIT(26), BIT(31) | 3 },
	{ &perfctr_p4_ht, 17, CCCR, false, 0xb80007ff, BIT(12) | BIT(26), BIT(31) },
	{ &perfctr_p4_ht, 14, CCCR, false, 0xb8000fff, BIT(12) | BIT(26), BIT(31) },
};

/*
 * In an event select, bits 19 and 21 are EPERM. Bit 16 (user) or bit 17 (kernel) must be set, bit
 * 22 (enable) must be set, and bit 20 (interrupt) must be set exactly for i-mode, else EINVAL. On
 * P6 bit 22 must be set for counter 0, and is EPERM for counter 1. A fixed counter's select has no
 * other bits. Here is each bit of each family.
 */
static void test_bits(struct kunit *test)
{
	int i, bit;

	for (i = 0; i < ARRAY_SIZE(bit_cases); i++) {
		const struct bit_case *c = &bit_cases[i];
		struct perfctr_cpu_kind kind = kind_of(c->family);
		struct perfctr_cpu_control control = {
			.nractrs = !c->imode, .nrictrs = c->imode,
			.pmc_map = { c->map }, .ireset = { -1 },
		};
		struct x86_claim claim;

		for (bit = -1; bit < 64; bit++) {
			u64 change = bit < 0 ? 0 : BIT_ULL(bit);
			u64 eperm = c->eperm | (u64)c->escr_eperm << 32;
			int err = change & eperm ? -EPERM : change & c->einval ? -EINVAL : 0;

			control.evntsel[0] = c->evntsel ^ (u32)change;
			control.p4.escr[0] = ESCR ^ (u32)(change >> 32);
			KUNIT_EXPECT_EQ_MSG(test, perfctr_check(&kind, &control, false, &claim),
					    err, "case %d: %s, bit %d", i, c->family->name, bit);
		}
	}
}

static int check(const struct perfctr_family *family, const struct perfctr_cpu_control *control)
{
	struct perfctr_cpu_kind kind = kind_of(family);
	struct x86_claim claim;

	return perfctr_check(&kind, control, false, &claim);
}

/* Counter numbers, duplicates, TSC only, start values */
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

/* On CPUs whose counters cannot select modes, every counter counts in the kernel. */
static void test_kernel(struct kunit *test)
{
	struct perfctr_cpu_control control = { .nractrs = 2 };

	control.evntsel[0] = GOOD;
	control.evntsel[1] = GOOD;
	KUNIT_EXPECT_FALSE(test, perfctr_counts_kernel(&perfctr_k7, &control));
	control.evntsel[1] |= KERNEL;
	KUNIT_EXPECT_TRUE(test, perfctr_counts_kernel(&perfctr_k7, &control));
	control.nractrs = 1;
	KUNIT_EXPECT_FALSE(test, perfctr_counts_kernel(&perfctr_k7, &control));
	/* The selects of a C3 have no modes. */
	KUNIT_EXPECT_TRUE(test, perfctr_counts_kernel(&perfctr_c3, &control));
	control.nractrs = U32_MAX;
	control.nrictrs = U32_MAX;
	perfctr_counts_kernel(&perfctr_p4, &control);
}

/**
 * struct family_case - features of a family
 * @family: the CPU family
 * @map: one of its counters
 * @user: event select for user mode only; 0: impossible
 * @kernel: event select that counts the kernel, too
 * @no_tsc: there is no TSC
 * @ints: counters can interrupt; then @user has the interrupt bit
 */
struct family_case {
	const struct perfctr_family *family;
	u32	map;
	u32	user;
	u32	kernel;
	bool	no_tsc;
	u32	ints;
};

static const struct family_case family_cases[] = {
	{ &perfctr_p5, 0, 0x80, 0xc0 },
	{ &perfctr_mmx, 1, 0x80, 0xc0 },
	{ &perfctr_cyrix, 0, 0x80, 0xc0 },
	{ &perfctr_winchip, 0, 0, 0x79, .no_tsc = true },
	{ &perfctr_c3, 1, 0, 0x79 },
	{ &perfctr_p6, 0, GOOD, GOOD | KERNEL, .ints = PMI },
	{ &perfctr_k7, 0, GOOD, GOOD | KERNEL, .ints = PMI },
	{ &perfctr_k8, 0, GOOD, GOOD | KERNEL, .ints = PMI },
	{ &perfctr_k8_multicore, 0, GOOD, GOOD | KERNEL, .ints = PMI },
	{ &perfctr_amd_15h, 0, GOOD, GOOD | KERNEL, .ints = PMI },
	{ &perfctr_intel_arch, 0, GOOD, GOOD | KERNEL, .ints = PMI },
	{ &perfctr_zhaoxin, 0, GOOD, GOOD | KERNEL, .ints = PMI },
	{ &perfctr_p4, 0, CCCR, 0, .ints = BIT(26) },
	{ &perfctr_p4_model2, 0, CCCR, 0, .ints = BIT(26) },
	{ &perfctr_p4_ht, 0, CCCR, 0, .ints = BIT(26) },
};

/* TSC, i-mode and kernel mode of each family */
static void test_families(struct kunit *test)
{
	struct perfctr_cpu_control control = { .nrictrs = 1, .ireset = { -1 } };
	int i;

	KUNIT_EXPECT_EQ(test, check(&perfctr_generic, &control), -EPERM);
	for (i = 0; i < ARRAY_SIZE(family_cases); i++) {
		const struct family_case *c = &family_cases[i];

		control = (struct perfctr_cpu_control){ .tsc_on = 1 };
		KUNIT_EXPECT_EQ_MSG(test, check(c->family, &control), c->no_tsc ? -EINVAL : 0,
				    "%s", c->family->name);
		control.tsc_on = 0;
		control.nractrs = 1;
		control.pmc_map[0] = c->map;
		control.evntsel[0] = c->user ?: c->kernel;
		control.p4.escr[0] = ESCR;
		KUNIT_EXPECT_EQ_MSG(test, check(c->family, &control), 0, "%s", c->family->name);
		KUNIT_EXPECT_EQ_MSG(test, perfctr_counts_kernel(c->family, &control), !c->user,
				    "%s", c->family->name);
		control.evntsel[0] = c->kernel;
		/* The mode bits of a Pentium 4 are in the ESCR. */
		control.p4.escr[0] = BIT(3);
		KUNIT_EXPECT_EQ_MSG(test, perfctr_counts_kernel(c->family, &control), true, "%s",
				    c->family->name);
		control.nractrs = 0;
		control.nrictrs = 1;
		control.evntsel[0] = (c->user ?: c->kernel) | c->ints;
		control.p4.escr[0] = ESCR;
		control.ireset[0] = -1;
		KUNIT_EXPECT_EQ_MSG(test, check(c->family, &control), c->ints ? 0 : -EPERM, "%s",
				    c->family->name);
	}
}

/* A model with all kinds of constraints */
static const struct x86_limit event_limits[] = {
	X86_LIMIT_EVENT(0x10, BIT(0)),
	X86_LIMIT_UMASK(0x11, 0x02, BIT(1) | BIT(2)),
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	{ .first = 0x12, .last = 0x12, .mask = 0xff, .counters = BIT(0), .flags = X86_LIMIT_PAIR },
	{ .first = 0x13, .last = 0x13, .mask = 0xff, .counters = 0xf, .flags =
		X86_LIMIT_HT_ERRATUM },
	X86_LIMIT_END
};

static const struct x86_extra event_extra[] = {
	X86_EXTRA(0xb7, 0x01, 0x1a6, 0xff, 0),
	X86_EXTRA_END
};

static u64 event_min_period(u64 config)
{
	return (config & 0xff) == 0x14 ? 128 : 32;
}

static u64 event_period_step(u64 config)
{
	return (config & 0xff) == 0x15 ? 64 : 1;
}

static const struct x86_model event_model = {
	.name = "test", .limits = event_limits, .extra = event_extra,
	.min_period = event_min_period, .period_step = event_period_step,
};

/**
 * struct event_case - an event on a counter, and the result
 * @event: event select and unit mask
 * @map: the counter
 * @ireset: start value of an i-mode counter; 0: not i-mode
 * @err: the result
 */
struct event_case {
	u32	event;
	u32	map;
	s32	ireset;
	int	err;
};

static const struct event_case event_cases[] = {
	{ 0x00c0, 3 },
	{ 0x0010, 0 },
	{ 0x0010, 1, .err = -EINVAL },
	{ 0x0211, 1 },
	{ 0x0211, 2 },
	{ 0x0211, 3, .err = -EINVAL },
	{ 0x0111, 3 },
	{ 0x0012, 0, .err = -EPERM },
	{ 0x0013, 0, .err = -EPERM },
	{ 0x01b7, 0, .err = -EPERM },
	{ 0x02b7, 0 },
	{ 0x00c0, 0, -32 },
	{ 0x00c0, 0, -31, -EINVAL },
	{ 0x00c0, 0, INT_MIN },
	{ 0x0014, 0, -128 },
	{ 0x0014, 0, -127, -EINVAL },
	{ 0x0014, 0 },
	{ 0x0015, 0, -1024, -EPERM },
	{ 0x0015, 0 },
};

/*
 * Some events need more than a counter: an additional register, a second counter, or the other
 * thread of the core. These are EPERM, because a control cannot describe them. An event that only
 * some counters can count is EINVAL on the others. An i-mode counter with a period below the
 * event's minimum on this CPU is EINVAL, too. If an event's period must be a multiple of some
 * number, the event is EPERM in i-mode, because a context switch suspends and resumes a counter at
 * any value. The limits are those of perf events.
 */
static void test_events(struct kunit *test)
{
	struct perfctr_cpu_kind kind = kind_of(&perfctr_intel_arch);
	struct perfctr_cpu_control control;
	struct x86_claim claim;
	struct x86_core *core;
	int i;

	core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, core);
	core->model = &event_model;
	core->counters = kind.counters;
	for (i = 0; i < ARRAY_SIZE(event_cases); i++) {
		const struct event_case *c = &event_cases[i];

		memset(&control, 0, sizeof(control));
		control.nractrs = !c->ireset;
		control.nrictrs = !!c->ireset;
		control.pmc_map[0] = c->map;
		control.evntsel[0] = c->event | USER | ENABLE | (c->ireset ? PMI : 0);
		control.ireset[0] = c->ireset;
		KUNIT_ASSERT_EQ(test, perfctr_check(&kind, &control, false, &claim), 0);
		KUNIT_EXPECT_EQ_MSG(test, perfctr_check_events(core, &control, &claim), c->err,
				    "case %d", i);
		if (c->ireset && !c->err)
			KUNIT_EXPECT_EQ(test, claim.least[0], event_min_period(c->event));
	}
	/* The event of a fixed counter is ignored. */
	control.nrictrs = 0;
	control.nractrs = 1;
	control.pmc_map[0] = FIXED(0);
	control.evntsel[0] = USER | ENABLE;
	KUNIT_ASSERT_EQ(test, perfctr_check(&kind, &control, false, &claim), 0);
	KUNIT_EXPECT_EQ_MSG(test, claim.least[0], 0, "the minimum of another control");
	KUNIT_EXPECT_EQ(test, perfctr_check_events(core, &control, &claim), 0);
	KUNIT_EXPECT_EQ(test, claim.least[0], 32);
}

/*
 * The counter that the CPU's microcode uses for transactions is EINVAL while the administrator
 * reserves it for them: allow_tsx_force_abort of the PMU in sysfs is 0. Otherwise
 * a control can use it.
 */
static void test_force_abort(struct kunit *test)
{
	const struct device_attribute *allow = &dev_attr_allow_tsx_force_abort;
	struct perfctr_cpu_kind kind = kind_of(&perfctr_intel_arch);
	struct perfctr_cpu_control control = { .nractrs = 1 };
	struct x86_claim claim;
	struct x86_core *core;

	core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, core);
	core->model = &event_model;
	core->counters = kind.counters;
	core->tfa_counters = BIT_ULL(3);
	control.evntsel[0] = GOOD;
	control.pmc_map[0] = 3;
	KUNIT_ASSERT_EQ(test, perfctr_check(&kind, &control, false, &claim), 0);
	KUNIT_EXPECT_EQ(test, perfctr_check_events(core, &control, &claim), 0);
	KUNIT_ASSERT_EQ(test, allow->store(NULL, NULL, "0", 1), 1);
	KUNIT_EXPECT_EQ(test, perfctr_check_events(core, &control, &claim), -EINVAL);
	control.pmc_map[0] = 2;
	KUNIT_ASSERT_EQ(test, perfctr_check(&kind, &control, false, &claim), 0);
	KUNIT_EXPECT_EQ(test, perfctr_check_events(core, &control, &claim), 0);
	KUNIT_ASSERT_EQ(test, allow->store(NULL, NULL, "1", 1), 1);
}

static struct kunit_case perfctr_cases[] = {
	KUNIT_CASE(test_rules),
	KUNIT_CASE(test_bits),
	KUNIT_CASE(test_families),
	KUNIT_CASE(test_controls),
	KUNIT_CASE(test_pebs),
	KUNIT_CASE(test_kernel),
	KUNIT_CASE(test_events),
	KUNIT_CASE(test_force_abort),
	{ }
};

static struct kunit_suite perfctr_suite = {
	.name = "perfctr_x86",
	.test_cases = perfctr_cases,
};

kunit_test_suite(perfctr_suite);
