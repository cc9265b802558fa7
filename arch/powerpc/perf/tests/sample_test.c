// SPDX-License-Identifier: GPL-2.0
/*
 * Address, mode and data of samples, on a processor with SIAR and SIER.
 *
 * Included at the end of sample.c.
 */
#include <kunit/test.h>
#include <linux/perf_event.h>

#define TEST_USER	0x10000000UL
#define TEST_KERNEL	(PAGE_OFFSET + 0x1000)

/**
 * struct sample_irq - registers of an overflow interrupt
 * @nip: the interrupted instruction
 * @siar: SIAR
 * @mmcra: MMCRA
 * @sier: SIER
 */
struct sample_irq {
	unsigned long	nip;
	unsigned long	siar;
	unsigned long	mmcra;
	unsigned long	sier;
};

/* Set SIAR and @regs as at the interrupt @irq. Returns the old SIAR, for the caller to restore. */
static unsigned long sample_begin(const struct sample_irq *irq, struct pt_regs *regs)
{
	unsigned long siar = mfspr(SPRN_SIAR);

	*regs = (struct pt_regs){
		.nip = irq->nip, .trap = INTERRUPT_PERFMON,
		.msr = is_kernel_addr(irq->nip) ? 0 : MSR_PR,
	};
	mtspr(SPRN_SIAR, irq->siar);
	power_sample_save(regs, irq->mmcra, irq->sier);
	return siar;
}

/* Address of a sample at @irq */
static unsigned long sample_address(const struct sample_irq *irq)
{
	unsigned long flags, siar, address;
	struct pt_regs regs;

	local_irq_save(flags);
	siar = sample_begin(irq, &regs);
	address = perf_instruction_pointer(&regs);
	mtspr(SPRN_SIAR, siar);
	local_irq_restore(flags);
	return address;
}

/* Is a sample at @irq allowed? */
static bool sample_allowed(const struct sample_irq *irq, u64 type, bool exclude_kernel)
{
	static struct perf_event event;
	unsigned long flags, siar;
	struct pt_regs regs;
	bool allowed;

	event.attr.sample_type = type;
	event.attr.sample_regs_user = BIT_ULL(PERF_REG_POWERPC_SIAR);
	event.attr.sample_regs_intr = BIT_ULL(PERF_REG_POWERPC_SIAR);
	event.attr.exclude_kernel = exclude_kernel;
	local_irq_save(flags);
	siar = sample_begin(irq, &regs);
	allowed = power_sample_allowed(&event, &regs);
	mtspr(SPRN_SIAR, siar);
	local_irq_restore(flags);
	return allowed;
}

/* PERF_RECORD_MISC_* of a sample at @irq */
static unsigned long sample_mode(const struct sample_irq *irq)
{
	unsigned long flags, siar, mode;
	struct pt_regs regs;

	local_irq_save(flags);
	siar = sample_begin(irq, &regs);
	mode = perf_misc_flags(&regs);
	mtspr(SPRN_SIAR, siar);
	local_irq_restore(flags);
	return mode;
}

static void sample_without_marked_event(struct kunit *test)
{
	struct sample_irq irq = { .nip = TEST_KERNEL, .siar = TEST_KERNEL + 8 };

	KUNIT_EXPECT_EQ(test, sample_address(&irq), TEST_KERNEL + 8);
	irq.siar = TEST_USER;
	KUNIT_EXPECT_EQ(test, sample_address(&irq), TEST_USER);
	/* SIAR was cleared, as by power_mmcr_freeze(). */
	irq.siar = 0;
	KUNIT_EXPECT_EQ(test, sample_address(&irq), TEST_KERNEL);
}

static void sample_excludes_kernel(struct kunit *test)
{
	struct sample_irq irq = { .nip = TEST_KERNEL, .siar = TEST_KERNEL };

	KUNIT_EXPECT_FALSE(test, sample_allowed(&irq, PERF_SAMPLE_IP, true));
	KUNIT_EXPECT_TRUE(test, sample_allowed(&irq, PERF_SAMPLE_IP, false));
	/* SIAR is also one of the registers that a sample can have. */
	KUNIT_EXPECT_FALSE(test, sample_allowed(&irq, PERF_SAMPLE_REGS_USER, true));
	KUNIT_EXPECT_FALSE(test, sample_allowed(&irq, PERF_SAMPLE_REGS_INTR, true));
	KUNIT_EXPECT_TRUE(test, sample_allowed(&irq, PERF_SAMPLE_REGS_USER, false));
	KUNIT_EXPECT_TRUE(test, sample_allowed(&irq, PERF_SAMPLE_TIME, true));
	/* The interrupt is late: the overflow was in user space. */
	irq.siar = TEST_USER;
	KUNIT_EXPECT_TRUE(test, sample_allowed(&irq, PERF_SAMPLE_IP, true));
	irq.siar = 0;
	KUNIT_EXPECT_FALSE(test, sample_allowed(&irq, PERF_SAMPLE_IP, true));
	irq.nip = TEST_USER;
	KUNIT_EXPECT_TRUE(test, sample_allowed(&irq, PERF_SAMPLE_IP, true));
}

static void sample_of_marked_event(struct kunit *test)
{
	struct sample_irq irq = { .nip = TEST_USER, .siar = TEST_USER,
				      .mmcra = MMCRA_SAMPLE_ENABLE };

	KUNIT_EXPECT_FALSE(test, sample_allowed(&irq, PERF_SAMPLE_IP, false));
	KUNIT_EXPECT_FALSE(test, sample_allowed(&irq, PERF_SAMPLE_CALLCHAIN, false));
	KUNIT_EXPECT_TRUE(test, sample_allowed(&irq, PERF_SAMPLE_TIME, false));
	KUNIT_EXPECT_EQ(test, sample_address(&irq), 0UL);
	irq.sier = SIER_SIAR_VALID;
	KUNIT_EXPECT_TRUE(test, sample_allowed(&irq, PERF_SAMPLE_IP, false));
	KUNIT_EXPECT_EQ(test, sample_address(&irq), TEST_USER);
	/* The interrupt is late: SIAR was cleared when the PMU was disabled. */
	irq.siar = 0;
	KUNIT_EXPECT_FALSE(test, sample_allowed(&irq, PERF_SAMPLE_IP, false));
}

/* SIER may have the mode of another instruction. */
static void sample_mode_by_address(struct kunit *test)
{
	struct sample_irq irq = { .nip = TEST_KERNEL, .siar = TEST_KERNEL, .sier = SIER_SIPR };

	KUNIT_EXPECT_EQ(test, sample_mode(&irq), PERF_RECORD_MISC_KERNEL);
	irq.siar = TEST_USER;
	irq.sier = SIER_SIHV;
	if (power_has(PPMU_P10))
		KUNIT_EXPECT_EQ(test, sample_mode(&irq), PERF_RECORD_MISC_USER);
}

/* A sample in hypervisor mode is one of the kernel, if the kernel runs in that mode. */
static void sample_mode_of_hypervisor(struct kunit *test)
{
	struct sample_irq irq = { .nip = TEST_KERNEL, .siar = TEST_KERNEL, .sier = SIER_SIHV };

	if (power_has(PPMU_P10))
		kunit_skip(test, "a processor whose SIER is not trusted");
	KUNIT_EXPECT_EQ(test, sample_mode(&irq), mfmsr() & MSR_HV ?
			PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_HYPERVISOR);
}

/* If SIAR of a marked event is not valid, the mode is that of the interrupted code. */
static void sample_mode_without_siar(struct kunit *test)
{
	struct sample_irq irq = { .nip = TEST_KERNEL, .siar = 0, .sier = SIER_SIPR,
				      .mmcra = MMCRA_SAMPLE_ENABLE };

	KUNIT_EXPECT_EQ(test, sample_mode(&irq), PERF_RECORD_MISC_KERNEL);
	irq.nip = TEST_USER;
	irq.siar = TEST_KERNEL;
	irq.sier = 0;
	KUNIT_EXPECT_EQ(test, sample_mode(&irq), PERF_RECORD_MISC_USER);
	irq.sier = SIER_SIAR_VALID;
	KUNIT_EXPECT_EQ(test, sample_mode(&irq), PERF_RECORD_MISC_KERNEL);
}

/* SIER has a valid bit for SDAR of marked instructions only. */
static void sample_has_data_address(struct kunit *test)
{
	struct pt_regs regs = {};

	KUNIT_EXPECT_TRUE(test, power_sdar_valid(&regs));
	regs.dsisr = MMCRA_SAMPLE_ENABLE;
	KUNIT_EXPECT_FALSE(test, power_sdar_valid(&regs));
	regs.dar = SIER_SDAR_VALID;
	KUNIT_EXPECT_TRUE(test, power_sdar_valid(&regs));
}

/* A marked load, a hit in L1 after 0x12 cycles */
static void sample_has_memory(struct kunit *test)
{
	struct pt_regs regs = { .dsisr = MMCRA_SAMPLE_ENABLE | 0x12UL << 19,
				.dar = 1UL << 15 | 1UL << 1 };
	static struct perf_sample_data data;
	static struct perf_event event;

	if (!isa207_running() || !isa207_running()->memory)
		kunit_skip(test, "a processor whose SIER has no such fields");
	perf_sample_data_init(&data, 0, 1);
	event.attr.sample_type = PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT;
	power_sample_fill(&event, &data, &regs);
	KUNIT_EXPECT_EQ(test, data.sample_flags & event.attr.sample_type, event.attr.sample_type);
	/* PERF_MEM_OP_LOAD, an L1 hit, and PERF_MEM_SNOOP_HIT */
	KUNIT_EXPECT_EQ(test, data.data_src.val, 0x200200142ULL);
	KUNIT_EXPECT_EQ(test, data.weight.full, 0x12);
}

static int sample_test_init(struct kunit *test)
{
	if (!power_driver || !power_has(PPMU_HAS_SIER) || power_has(PPMU_NO_SIAR))
		kunit_skip(test, "a processor without SIAR and SIER");
	return 0;
}

static struct kunit_case sample_cases[] = {
	KUNIT_CASE(sample_without_marked_event),
	KUNIT_CASE(sample_excludes_kernel),
	KUNIT_CASE(sample_of_marked_event),
	KUNIT_CASE(sample_mode_by_address),
	KUNIT_CASE(sample_mode_of_hypervisor),
	KUNIT_CASE(sample_mode_without_siar),
	KUNIT_CASE(sample_has_data_address),
	KUNIT_CASE(sample_has_memory),
	{}
};

static struct kunit_suite sample_suite = {
	.name		= "powerpc_perf_sample",
	.init		= sample_test_init,
	.test_cases	= sample_cases,
};

kunit_test_suite(sample_suite);
