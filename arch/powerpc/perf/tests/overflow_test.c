// SPDX-License-Identifier: GPL-2.0
/*
 * Overflow handling, on the PMU of the machine.
 *
 * Included at the end of overflow.c.
 */
#include <kunit/test.h>
#include <asm/interrupt.h>

/* More overflows than a tick may have */
#define TEST_OVERFLOWS	1000000

/* MMCR0, and register values of the sample, when overflow_seen() was called last */
static unsigned long overflow_mmcr0;
static u64 overflow_siar, overflow_counter;

/* Value of the event's counter in a sample with registers */
static u64 overflow_counter_of(const struct perf_event *sampler, struct pt_regs *regs)
{
	return perf_reg_value(regs, PERF_REG_POWERPC_PMC1 + sampler->hw.idx - 1);
}

static void overflow_seen(struct perf_event *sampler, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	overflow_mmcr0 = mfspr(SPRN_MMCR0);
	overflow_siar = perf_reg_value(regs, PERF_REG_POWERPC_SIAR);
	overflow_counter = overflow_counter_of(sampler, regs);
}

/*
 * Create an event on this CPU that counts instructions in user space. Its period does not end
 * during a test. The test does not migrate until overflow_event_free().
 */
static struct perf_event *overflow_event(struct kunit *test, u64 period)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS, .sample_period = period,
		.sample_type = PERF_SAMPLE_IP, .exclude_kernel = 1, .pinned = 1,
	};
	struct perf_event *sampler;

	migrate_disable();
	sampler = perf_event_create_kernel_counter(&attr, smp_processor_id(), NULL, overflow_seen,
						   NULL);
	if (!IS_ERR(sampler) && sampler->hw.idx)
		return sampler;
	migrate_enable();
	KUNIT_FAIL(test, "the event gets no counter");
	if (!IS_ERR(sampler))
		perf_event_release_kernel(sampler);
	return NULL;
}

static void overflow_event_free(struct perf_event *sampler)
{
	perf_event_release_kernel(sampler);
	migrate_enable();
}

/*
 * An event with exclude_kernel gets no sample from an overflow in the kernel, but the overflow
 * still counts for throttling.
 */
static void overflow_without_sample_is_throttled(struct kunit *test)
{
	struct pt_regs regs = { .nip = PAGE_OFFSET + 0x1000, .trap = INTERRUPT_PERFMON,
				.result = 1 };
	struct perf_event *sampler;
	unsigned long flags, siar;
	bool allowed, stopped;
	int i;

	sampler = overflow_event(test, 1ULL << 40);
	if (!sampler)
		return;
	local_irq_save(flags);
	perf_pmu_disable(sampler->pmu);
	siar = mfspr(SPRN_SIAR);
	mtspr(SPRN_SIAR, PAGE_OFFSET + 0x1000);
	allowed = power_sample_allowed(sampler, &regs);
	for (i = 0; i < TEST_OVERFLOWS && !(sampler->hw.state & PERF_HES_STOPPED); i++)
		power_sample(sampler, &regs);
	stopped = sampler->hw.state & PERF_HES_STOPPED;
	mtspr(SPRN_SIAR, siar);
	perf_pmu_enable(sampler->pmu);
	local_irq_restore(flags);
	overflow_event_free(sampler);
	KUNIT_EXPECT_FALSE(test, allowed);
	KUNIT_EXPECT_TRUE(test, stopped);
}

/* The event is stopped between its overflow and the interrupt. */
static void overflow_of_stopped_event_is_deferred(struct kunit *test)
{
	const u64 period = 1 << 30;
	unsigned long flags, again, next;
	struct perf_event *sampler;
	s64 left;

	sampler = overflow_event(test, period);
	if (!sampler)
		return;
	local_irq_save(flags);
	perf_pmu_disable(sampler->pmu);
	power_pmc_write(sampler->hw.idx, PMC_OVERFLOW + 5);
	sampler->pmu->stop(sampler, PERF_EF_UPDATE);
	left = local64_read(&sampler->hw.period_left);
	sampler->pmu->start(sampler, 0);
	again = power_pmc_read(sampler->hw.idx);
	/* A new period is programmed in full. */
	sampler->pmu->stop(sampler, PERF_EF_UPDATE);
	local64_set(&sampler->hw.period_left, 0);
	sampler->pmu->start(sampler, PERF_EF_RELOAD);
	next = power_pmc_read(sampler->hw.idx);
	perf_pmu_enable(sampler->pmu);
	local_irq_restore(flags);
	overflow_event_free(sampler);
	KUNIT_EXPECT_EQ(test, left, 1);
	KUNIT_EXPECT_EQ(test, again, PMC_OVERFLOW - 1);
	KUNIT_EXPECT_EQ(test, next, PMC_OVERFLOW - period);
}

/* Is an overflow interrupt pending after perf_pmu_enable(), with the counter at @value? */
static bool overflow_pending(struct perf_event *sampler, unsigned long value)
{
	perf_pmu_disable(sampler->pmu);
	power_pmc_write(sampler->hw.idx, value);
	clear_pmi_irq_pending();
	perf_pmu_enable(sampler->pmu);
	return pmi_irq_pending();
}

/* The PMU is disabled between an overflow and its interrupt. */
static void overflow_is_pending_until_enable(struct kunit *test)
{
	unsigned long flags, mmcr0;
	struct perf_event *sampler;
	bool none, one;

	sampler = overflow_event(test, 1ULL << 40);
	if (!sampler)
		return;
	local_irq_save(flags);
	hard_irq_disable();
	none = overflow_pending(sampler, 0);
	one = overflow_pending(sampler, PMC_OVERFLOW);
	mmcr0 = this_cpu_read(power_cpus.shadow.mmcr0);
	local_irq_restore(flags);
	overflow_event_free(sampler);
	KUNIT_EXPECT_FALSE(test, none);
	KUNIT_EXPECT_TRUE(test, one);
	/* POWER8E ignores a PMAO that software sets: the interrupt must not depend on PMAO. */
	KUNIT_EXPECT_EQ(test, mmcr0 & (MMCR0_PMAO | MMCR0_FC), 0);
}

/* After power_overflow_defer(), a counter overflows again at the next occurrence. */
static void overflow_deferred(struct kunit *test)
{
	unsigned long flags, counter, untouched;
	struct perf_event *sampler;
	s64 left;

	sampler = overflow_event(test, 1ULL << 30);
	if (!sampler)
		return;
	local_irq_save(flags);
	perf_pmu_disable(sampler->pmu);
	power_pmc_write(sampler->hw.idx, PMC_OVERFLOW - 7);
	power_overflow_defer(this_cpu_ptr(&power_cpus));
	untouched = power_pmc_read(sampler->hw.idx);
	power_pmc_write(sampler->hw.idx, PMC_OVERFLOW + 5);
	power_overflow_defer(this_cpu_ptr(&power_cpus));
	counter = power_pmc_read(sampler->hw.idx);
	left = local64_read(&sampler->hw.period_left);
	perf_pmu_enable(sampler->pmu);
	local_irq_restore(flags);
	overflow_event_free(sampler);
	KUNIT_EXPECT_EQ(test, untouched, PMC_OVERFLOW - 7);
	KUNIT_EXPECT_EQ(test, counter, PMC_OVERFLOW - 1);
	KUNIT_EXPECT_EQ(test, left, 1);
}

/* A late interrupt finds running counters, and must freeze them before the sample. */
static void overflow_freezes_running_counters(struct kunit *test)
{
	struct pt_regs regs = { .nip = 0x10000000, .trap = INTERRUPT_PERFMON, .msr = MSR_PR };
	struct perf_event *sampler;
	unsigned long flags, siar;
	struct power_cpu *cpu;

	sampler = overflow_event(test, 1ULL << 30);
	if (!sampler)
		return;
	overflow_mmcr0 = 0;
	local_irq_save(flags);
	hard_irq_disable();
	cpu = this_cpu_ptr(&power_cpus);
	perf_pmu_disable(sampler->pmu);
	siar = mfspr(SPRN_SIAR);
	mtspr(SPRN_SIAR, 0);
	power_pmc_write(sampler->hw.idx, PMC_OVERFLOW + 5);
	perf_pmu_enable(sampler->pmu);
	/* The counters run again, as after a write of MMCR0 before the interrupt. */
	power_mmcr_run(cpu, 0);
	power_interrupt(&regs);
	mtspr(SPRN_SIAR, siar);
	clear_pmi_irq_pending();
	local_irq_restore(flags);
	overflow_event_free(sampler);
	KUNIT_EXPECT_EQ(test, overflow_mmcr0 & MMCR0_FC, MMCR0_FC);
}

/*
 * The pt_regs of an interrupt in user space stay the user registers until the kernel returns to
 * user space. A later interrupt in the kernel changes SIAR, but must not change the address of
 * these pt_regs.
 */
static void overflow_siar_is_of_its_interrupt(struct kunit *test)
{
	struct pt_regs regs = { .nip = 0x10000000, .trap = INTERRUPT_PERFMON, .msr = MSR_PR };
	unsigned long flags, siar, address, mode;

	local_irq_save(flags);
	siar = mfspr(SPRN_SIAR);
	mtspr(SPRN_SIAR, 0x10000004);
	power_interrupt(&regs);
	mtspr(SPRN_SIAR, PAGE_OFFSET + 0x1000);
	address = perf_instruction_pointer(&regs);
	mode = perf_misc_flags(&regs);
	mtspr(SPRN_SIAR, siar);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, address, 0x10000000UL);
	KUNIT_EXPECT_EQ(test, mode, PERF_RECORD_MISC_USER);
}

/* Make the counter of an event overflow. Interrupts are off, so that power_interrupt() is first. */
static void overflow_now(struct perf_event *event)
{
	lockdep_assert_irqs_disabled();
	perf_pmu_disable(event->pmu);
	power_pmc_write(event->hw.idx, PMC_OVERFLOW + 5);
	perf_pmu_enable(event->pmu);
}

/* SIAR, SDAR and PMC values must be 0 in a sample that is not of an overflow interrupt. */
static void overflow_registers_are_of_its_samples(struct kunit *test)
{
	struct pt_regs regs = { .nip = 0x10000000, .trap = INTERRUPT_PERFMON, .msr = MSR_PR };
	u64 siar_after, sdar_after, counter_after;
	struct perf_event *sampler;
	unsigned long flags, siar, sdar;

	if (!(PERF_REG_EXTENDED_MASK & BIT_ULL(PERF_REG_POWERPC_SIAR)))
		kunit_skip(test, "a processor whose samples do not have these registers");
	sampler = overflow_event(test, 1ULL << 30);
	if (!sampler)
		return;
	local_irq_save(flags);
	hard_irq_disable();
	siar = mfspr(SPRN_SIAR);
	sdar = mfspr(SPRN_SDAR);
	overflow_now(sampler);
	mtspr(SPRN_SIAR, 0x10000004);
	power_interrupt(&regs);
	mtspr(SPRN_SIAR, PAGE_OFFSET + 0x1000);
	mtspr(SPRN_SDAR, PAGE_OFFSET + 0x1000);
	siar_after = perf_reg_value(&regs, PERF_REG_POWERPC_SIAR);
	sdar_after = perf_reg_value(&regs, PERF_REG_POWERPC_SDAR);
	counter_after = overflow_counter_of(sampler, &regs);
	mtspr(SPRN_SIAR, siar);
	mtspr(SPRN_SDAR, sdar);
	clear_pmi_irq_pending();
	local_irq_restore(flags);
	overflow_event_free(sampler);
	KUNIT_EXPECT_EQ(test, overflow_siar, 0x10000004);
	/* QEMU stops a counter at 2^31. */
	KUNIT_EXPECT_GE(test, overflow_counter, PMC_OVERFLOW);
	KUNIT_EXPECT_EQ(test, siar_after, 0);
	KUNIT_EXPECT_EQ(test, sdar_after, 0);
	KUNIT_EXPECT_EQ(test, counter_after, 0);
}

/*
 * Before ISA 3.1 user space can read SIAR and SDAR, which have kernel addresses after an overflow
 * in the kernel.
 */
static void overflow_clears_its_addresses(struct kunit *test)
{
	struct pt_regs regs = { .nip = PAGE_OFFSET + 0x1000, .trap = INTERRUPT_PERFMON };
	struct perf_event *sampler;
	unsigned long flags, siar, sdar, mmcra;

	if (!power_has(PPMU_ARCH_207S) || cpu_has_feature(CPU_FTR_ARCH_31))
		kunit_skip(test, "user space cannot read these registers");
	sampler = overflow_event(test, 1ULL << 30);
	if (!sampler)
		return;
	local_irq_save(flags);
	hard_irq_disable();
	overflow_now(sampler);
	mtspr(SPRN_SIAR, PAGE_OFFSET + 0x1000);
	mtspr(SPRN_SDAR, PAGE_OFFSET + 0x2000);
	power_interrupt(&regs);
	siar = mfspr(SPRN_SIAR);
	sdar = mfspr(SPRN_SDAR);
	clear_pmi_irq_pending();
	local_irq_restore(flags);
	migrate_disable();
	overflow_event_free(sampler);
	mmcra = mfspr(SPRN_MMCRA);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, siar, 0UL);
	/* While the event is active, later loads set SDAR. */
	KUNIT_EXPECT_NE(test, sdar, PAGE_OFFSET + 0x2000);
	/* With other values, frozen counters update SDAR. */
	KUNIT_EXPECT_EQ(test, mmcra, 0UL);
}

/**
 * struct overflow_program - registers of an EBB program after an interrupt
 * @mmcr0: MMCR0
 * @bescr: BESCR
 */
struct overflow_program {
	unsigned long	mmcr0;
	unsigned long	bescr;
};

/* BESCR: a performance monitor exception is pending */
#define TEST_PMEO	0x1UL

/* Interrupt a program with @mmcr0 and no pending exception in BESCR. */
static struct overflow_program overflow_in_program(unsigned long mmcr0)
{
	struct pt_regs regs = { .nip = 0x10000000, .trap = INTERRUPT_PERFMON, .msr = MSR_PR };
	struct overflow_program after;
	unsigned long flags, bescr;
	struct power_cpu *cpu;

	local_irq_save(flags);
	hard_irq_disable();
	cpu = this_cpu_ptr(&power_cpus);
	perf_pmu_disable(&power_pmu_ops);
	bescr = mfspr(SPRN_BESCR);
	mtspr(SPRN_BESCR, bescr & ~TEST_PMEO);
	cpu->ebb = true;
	mtspr(SPRN_MMCR0, mmcr0);
	power_interrupt(&regs);
	after = (struct overflow_program){
		.mmcr0 = mfspr(SPRN_MMCR0),
		.bescr = mfspr(SPRN_BESCR),
	};
	cpu->ebb = false;
	mtspr(SPRN_BESCR, bescr);
	power_mmcr_freeze(cpu);
	clear_pmi_irq_pending();
	perf_pmu_enable(&power_pmu_ops);
	local_irq_restore(flags);
	return after;
}

/*
 * QEMU interrupts the kernel despite EBE while an EBB program's MMCR0 has PMAO. power_interrupt()
 * must clear PMAO, or the interrupt would never end. The other bits of MMCR0 do not change, and the
 * program still has its branch.
 */
static void overflow_of_program_ends(struct kunit *test)
{
	const unsigned long mmcr0 = MMCR0_FC | MMCR0_EBE | MMCR0_PMCC_U6;
	struct overflow_program after;

	if (!power_has(PPMU_ARCH_207S))
		kunit_skip(test, "a processor without event-based branches");
	after = overflow_in_program(mmcr0 | MMCR0_PMAO);
	KUNIT_EXPECT_EQ(test, after.mmcr0, mmcr0);
	KUNIT_EXPECT_EQ(test, after.bescr & TEST_PMEO, TEST_PMEO);
	/* A late interrupt, without PMAO, is not for the program. */
	after = overflow_in_program(mmcr0 | MMCR0_PMXE);
	KUNIT_EXPECT_EQ(test, after.mmcr0, mmcr0 | MMCR0_PMXE);
	KUNIT_EXPECT_EQ(test, after.bescr & TEST_PMEO, 0);
}

static int overflow_test_init(struct kunit *test)
{
	if (!power_driver || power_has(PPMU_NO_SIAR))
		kunit_skip(test, "a processor without such counters");
	return 0;
}

static struct kunit_case overflow_cases[] = {
	KUNIT_CASE(overflow_without_sample_is_throttled),
	KUNIT_CASE(overflow_of_stopped_event_is_deferred),
	KUNIT_CASE(overflow_is_pending_until_enable),
	KUNIT_CASE(overflow_deferred),
	KUNIT_CASE(overflow_freezes_running_counters),
	KUNIT_CASE(overflow_siar_is_of_its_interrupt),
	KUNIT_CASE(overflow_registers_are_of_its_samples),
	KUNIT_CASE(overflow_clears_its_addresses),
	KUNIT_CASE(overflow_of_program_ends),
	{}
};

static struct kunit_suite overflow_suite = {
	.name		= "powerpc_perf_overflow",
	.init		= overflow_test_init,
	.test_cases	= overflow_cases,
};

kunit_test_suite(overflow_suite);
