// SPDX-License-Identifier: GPL-2.0
/*
 * POWER10's codes and the values of registers that count them.
 *
 * Included at the end of power10.c. The tables are tested on any processor.
 */
#include <kunit/test.h>

/**
 * struct power10_row - one event alone, and what it makes of the registers
 * @code: of the event
 * @config1: its attr.config1
 * @place: its counter, from 0
 * @mmcr: the registers, but for the bits of MMCRA that are there without any event
 */
struct power10_row {
	u64			code;
	u64			config1;
	unsigned int		place;
	struct mmcr_regs	mmcr;
};

#define ONE	(MMCR0_PMC1CE | MMCR0_FC56)
#define OTHER	(MMCR0_PMCjCE | MMCR0_FC56)
#define IDLE	(MMCRA_BHRB_DISABLE | 1UL << 42)
#define MARKED	(MMCRA_BHRB_DISABLE | MMCRA_SAMPLE_ENABLE)

static const struct power10_row power10_rows[] = {
	{ PM_INST_CMPL, 0, 4, { .mmcr0 = MMCR0_PMCjCE, .mmcra = IDLE } },
	{ PM_CYC, 0, 5, { .mmcr0 = MMCR0_PMCjCE, .mmcra = IDLE } },
	{ PM_DISP_STALL_CYC, 0, 0, { .mmcr0 = ONE, .mmcr1 = 0xf8000000, .mmcra = IDLE } },
	{ PM_EXEC_STALL, 0, 2, { .mmcr0 = OTHER, .mmcr1 = 0x0800, .mmcra = IDLE } },
	/* the unit of counter 4 */
	{ PM_BR_CMPL, 0, 3, { .mmcr0 = OTHER, .mmcr1 = 0x000d00000000005e,
			      .mmcra = IDLE } },
	/* a source of data, on the first counter that is free */
	{ 0x003f00000000c040, 0, 0, { .mmcr0 = ONE, .mmcr1 = 0xc000000040000000,
				      .mmcr3 = 0x003f000000000000, .mmcra = IDLE } },
	/* a marked event that compares with 0x101, which is 0x40 times 4 */
	{ 0x401e0, 0x101, 3, { .mmcr0 = OTHER, .mmcr1 = 0xe0,
			       .mmcra = MARKED | 0x140UL << 45 } },
};

static void power10_compute_one(struct kunit *test)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, event);
	for (i = 0; i < ARRAY_SIZE(power10_rows); i++) {
		const struct power10_row *row = &power10_rows[i];
		struct mmcr_regs mmcr = {};
		unsigned int place;
		u64 code = row->code;

		event->attr.config1 = row->config1;
		KUNIT_ASSERT_EQ(test, 0, isa207_fill_registers(&code, 1, &place, &mmcr, &event,
							       power10_driver.flags));
		KUNIT_EXPECT_EQ_MSG(test, place, row->place, "%llx", code);
		KUNIT_EXPECT_EQ_MSG(test, mmcr.mmcr0, row->mmcr.mmcr0, "%llx", code);
		KUNIT_EXPECT_EQ_MSG(test, mmcr.mmcr1, row->mmcr.mmcr1, "%llx", code);
		KUNIT_EXPECT_EQ_MSG(test, mmcr.mmcr2, row->mmcr.mmcr2, "%llx", code);
		KUNIT_EXPECT_EQ_MSG(test, mmcr.mmcr3, row->mmcr.mmcr3, "%llx", code);
		KUNIT_EXPECT_EQ_MSG(test, mmcr.mmcra, row->mmcr.mmcra, "%llx", code);
	}
}

/* An event that may be anywhere stays where it is. */
static void power10_stays(struct kunit *test)
{
	struct perf_event *event = kunit_kzalloc(test, 2 * sizeof(*event), GFP_KERNEL);
	u64 codes[2] = { ISA207_ANY_INST, ISA207_ANY_CYC };
	struct perf_event *events[2];
	struct mmcr_regs mmcr;
	unsigned int places[2];

	KUNIT_ASSERT_NOT_NULL(test, event);
	events[0] = event;
	events[1] = event + 1;
	event[1].hw.idx = 1;
	KUNIT_ASSERT_EQ(test, 0, isa207_fill_registers(codes, 2, places, &mmcr, events,
						       power10_driver.flags));
	KUNIT_EXPECT_EQ(test, places[0], 1);
	KUNIT_EXPECT_EQ(test, places[1], 0);
}

static void power10_refuses(struct kunit *test)
{
	static const u64 codes[] = { 0x50002, 0x600fa, 0x70002, BIT_ULL(60), BIT_ULL(63) | 2 };
	unsigned long mask, value;
	int i;

	for (i = 0; i < ARRAY_SIZE(codes); i++)
		KUNIT_EXPECT_EQ_MSG(test, -1, isa207_constrain(codes[i], &mask, &value, 0),
				    "%llx", codes[i]);
}

static int power10_test_init(struct kunit *test)
{
	test->priv = (void *)isa207_layout;
	isa207_layout = &power10_layout;
	return 0;
}

static void power10_test_exit(struct kunit *test)
{
	isa207_layout = test->priv;
}

static struct kunit_case power10_cases[] = {
	KUNIT_CASE(power10_compute_one),
	KUNIT_CASE(power10_stays),
	KUNIT_CASE(power10_refuses),
	{}
};

static struct kunit_suite power10_suite = {
	.name		= "powerpc_perf_power10",
	.init		= power10_test_init,
	.exit		= power10_test_exit,
	.test_cases	= power10_cases,
};

kunit_test_suite(power10_suite);
