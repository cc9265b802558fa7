// SPDX-License-Identifier: GPL-2.0
/*
 * Register writes, read back on the PMU of the machine.
 *
 * Included at the end of registers.c.
 */
#include <kunit/test.h>
#include <linux/perf_event.h>
#include <asm/hw_irq.h>
#include <asm/page.h>
#include "../isa207.h"

/**
 * struct registers_kept - registers that an overflow sets
 * @siar: SIAR
 * @sdar: SDAR
 * @sier: SIER, SIER2 and SIER3
 */
struct registers_kept {
	unsigned long	siar;
	unsigned long	sdar;
	unsigned long	sier[3];
};

/* Disable the PMU for a test. Returns the registers for registers_end(). */
static struct registers_kept registers_begin(void)
{
	struct registers_kept kept = {};

	perf_pmu_disable(&power_pmu_ops);
	kept.siar = mfspr(SPRN_SIAR);
	kept.sdar = mfspr(SPRN_SDAR);
	kept.sier[0] = mfspr(SPRN_SIER);
	if (power_has(PPMU_ARCH_31)) {
		kept.sier[1] = mfspr(SPRN_SIER2);
		kept.sier[2] = mfspr(SPRN_SIER3);
	}
	return kept;
}

/*
 * Enable the PMU after a test. Restore the registers: QEMU does not set them at an overflow, so an
 * address left in SIAR would be the address of all later samples.
 */
static void registers_end(const struct registers_kept *kept)
{
	struct power_cpu *real = this_cpu_ptr(&power_cpus);

	mtspr(SPRN_SIAR, kept->siar);
	mtspr(SPRN_SDAR, kept->sdar);
	mtspr(SPRN_SIER, kept->sier[0]);
	if (power_has(PPMU_ARCH_31)) {
		mtspr(SPRN_SIER2, kept->sier[1]);
		mtspr(SPRN_SIER3, kept->sier[2]);
	}
	power_mmcr_set_unknown(real);
	real->needs_reprogram = true;
	perf_pmu_enable(&power_pmu_ops);
}

/**
 * struct registers_seen - registers before, while and after the counters run
 * @frozen: MMCRA before
 * @run: MMCRA while the counters run
 * @after: MMCRA after
 * @siar: SIAR after
 * @sdar: SDAR after
 */
struct registers_seen {
	unsigned long	frozen;
	unsigned long	run;
	unsigned long	after;
	unsigned long	siar;
	unsigned long	sdar;
};

/* Program @cpu and run its counters, which count nothing and do not interrupt. */
static void registers_go_through(struct power_cpu *cpu, struct registers_seen *seen)
{
	struct registers_kept kept;
	unsigned long flags;

	local_irq_save(flags);
	kept = registers_begin();
	power_mmcr_write(cpu);
	seen->frozen = mfspr(SPRN_MMCRA);
	power_mmcr_run(cpu, 0);
	seen->run = mfspr(SPRN_MMCRA);
	mtspr(SPRN_SIAR, PAGE_OFFSET);
	mtspr(SPRN_SDAR, PAGE_OFFSET);
	power_mmcr_freeze(cpu);
	seen->after = mfspr(SPRN_MMCRA);
	seen->siar = mfspr(SPRN_SIAR);
	seen->sdar = mfspr(SPRN_SDAR);
	registers_end(&kept);
	local_irq_restore(flags);
}

static void registers_sample_enable_while_running(struct kunit *test)
{
	struct power_cpu *cpu = test->priv;
	struct registers_seen seen;

	cpu->mmcr.mmcra = MMCRA_SAMPLE_ENABLE;
	registers_go_through(cpu, &seen);
	KUNIT_EXPECT_EQ(test, seen.frozen & MMCRA_SAMPLE_ENABLE, 0);
	KUNIT_EXPECT_EQ(test, seen.run & MMCRA_SAMPLE_ENABLE, MMCRA_SAMPLE_ENABLE);
	KUNIT_EXPECT_EQ(test, seen.after & MMCRA_SAMPLE_ENABLE, 0);
}

/* MMCR0 while the program of registers_of_program() runs */
static unsigned long registers_program_mmcr0;

/* Returns MMCRA while a program has @mmcr0 in MMCR0. */
static unsigned long registers_of_program(struct power_cpu *cpu, unsigned long mmcr0,
					  unsigned long *after)
{
	struct thread_struct *thread = &current->thread;
	unsigned long flags, before, run;
	struct registers_kept kept;

	local_irq_save(flags);
	before = thread->mmcr0;
	thread->mmcr0 = mmcr0;
	kept = registers_begin();
	power_mmcr_write(cpu);
	power_ebb_run(cpu);
	registers_program_mmcr0 = mfspr(SPRN_MMCR0);
	run = mfspr(SPRN_MMCRA);
	power_ebb_save(cpu);
	power_mmcr_freeze(cpu);
	*after = mfspr(SPRN_MMCRA);
	thread->mmcr0 = before;
	registers_end(&kept);
	local_irq_restore(flags);
	return run;
}

static void registers_sample_enable_for_ebb(struct kunit *test)
{
	struct power_cpu *cpu = test->priv;
	unsigned long run, after;

	cpu->mmcr.mmcra = MMCRA_SAMPLE_ENABLE;
	run = registers_of_program(cpu, 0, &after);
	KUNIT_EXPECT_EQ(test, run & MMCRA_SAMPLE_ENABLE, MMCRA_SAMPLE_ENABLE);
	KUNIT_EXPECT_EQ(test, after & MMCRA_SAMPLE_ENABLE, 0);
	/* The program has frozen the counters and can run them without the kernel. */
	run = registers_of_program(cpu, MMCR0_FC, &after);
	KUNIT_EXPECT_EQ(test, run & MMCRA_SAMPLE_ENABLE, MMCRA_SAMPLE_ENABLE);
	KUNIT_EXPECT_EQ(test, after & MMCRA_SAMPLE_ENABLE, 0);
}

/* The program can read the BHRB only if an event has ISA207_BRANCHES. */
static void registers_bhrb_access_for_ebb(struct kunit *test)
{
	struct thread_struct *thread = &current->thread;
	unsigned int used = thread->used_ebb;
	unsigned long mmcr0 = thread->mmcr0, after;
	struct power_cpu *cpu = test->priv;
	struct perf_event *event;

	event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, event);
	power_ebb_add(cpu, event);
	registers_of_program(cpu, 0, &after);
	KUNIT_EXPECT_EQ(test, registers_program_mmcr0 & MMCR0_BHRBA, 0);
	event->hw.config = ISA207_BRANCHES;
	power_ebb_add(cpu, event);
	registers_of_program(cpu, 0, &after);
	KUNIT_EXPECT_EQ(test, registers_program_mmcr0 & MMCR0_BHRBA, MMCR0_BHRBA);
	thread->used_ebb = used;
	thread->mmcr0 = mmcr0;
}

/* MMCR2: freeze PMC1 and PMC2 in problem state, PMC1 in hypervisor state */
#define TEST_FREEZE_1	BIT(62)
#define TEST_FREEZE_2	BIT(53)
#define TEST_FREEZE_HV	BIT(57)

/* MMCRA: a BHRB filter */
#define TEST_FILTER	BIT(30)

/**
 * struct registers_program - registers before and after a program runs
 * @mmcr2: MMCR2 at its start
 * @siar: SIAR at its start
 * @left: MMCR2 after power_mmcr_write()
 * @filter: TEST_FILTER of MMCRA after power_mmcr_write()
 */
struct registers_program {
	unsigned long	mmcr2;
	unsigned long	siar;
	unsigned long	left;
	unsigned long	filter;
};

/**
 * struct registers_thread - members of struct thread_struct
 * @mmcr0: saved MMCR0
 * @mmcr2: saved MMCR2
 * @siar: saved SIAR
 */
struct registers_thread {
	unsigned long	mmcr0;
	unsigned long	mmcr2;
	unsigned long	siar;
};

/* Run a program that has frozen PMC1, freezes PMC2, too, and filters the BHRB. */
static void registers_program_runs(struct power_cpu *cpu, struct registers_program *seen)
{
	cpu->mmcr.mmcr2 = TEST_FREEZE_HV;
	power_mmcr_write(cpu);
	power_ebb_run(cpu);
	seen->mmcr2 = mfspr(SPRN_MMCR2);
	seen->siar = mfspr(SPRN_SIAR);
	mtspr(SPRN_MMCR2, seen->mmcr2 | TEST_FREEZE_2);
	mtspr(SPRN_MMCRA, mfspr(SPRN_MMCRA) | TEST_FILTER);
	mtspr(SPRN_SIAR, 0x4000);
	power_ebb_save(cpu);
	power_mmcr_freeze(cpu);
	cpu->mmcr.mmcr2 = 0;
	power_mmcr_write(cpu);
	seen->left = mfspr(SPRN_MMCR2);
	seen->filter = mfspr(SPRN_MMCRA) & TEST_FILTER;
}

/* Set registers of current->thread. Returns those before. */
static struct registers_thread registers_of_thread(struct registers_thread to)
{
	struct thread_struct *thread = &current->thread;
	struct registers_thread before = {
		.mmcr0 = thread->mmcr0, .mmcr2 = thread->mmcr2, .siar = thread->siar,
	};

	thread->mmcr0 = to.mmcr0;
	thread->mmcr2 = to.mmcr2;
	thread->siar = to.siar;
	return before;
}

static void registers_save_and_restore_program(struct kunit *test)
{
	const struct registers_thread program = {
		.mmcr0 = MMCR0_FC, .mmcr2 = TEST_FREEZE_1, .siar = 0x2000,
	};
	struct registers_thread before, after;
	struct registers_program seen;
	struct registers_kept kept;
	unsigned long flags;

	local_irq_save(flags);
	kept = registers_begin();
	before = registers_of_thread(program);
	registers_program_runs(test->priv, &seen);
	after = registers_of_thread(before);
	registers_end(&kept);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, seen.mmcr2, TEST_FREEZE_HV | TEST_FREEZE_1);
	KUNIT_EXPECT_EQ(test, seen.siar, 0x2000);
	KUNIT_EXPECT_EQ(test, after.mmcr0, MMCR0_FC);
	KUNIT_EXPECT_EQ(test, after.mmcr2, TEST_FREEZE_1 | TEST_FREEZE_2);
	KUNIT_EXPECT_EQ(test, after.siar, 0x4000);
	KUNIT_EXPECT_EQ(test, seen.left, 0);
	KUNIT_EXPECT_EQ(test, seen.filter, 0);
}

/*
 * SIAR and SDAR may have addresses of the kernel, and MMCR2 has the freeze bits of the events'
 * modes: none of them belongs to the program.
 */
static void registers_save_program_alone(struct kunit *test)
{
	struct power_cpu *cpu = test->priv;
	struct thread_struct *thread = &current->thread;
	unsigned long flags, sdar = thread->sdar, saved_sdar;
	struct registers_thread before, after;
	struct registers_kept kept;

	local_irq_save(flags);
	kept = registers_begin();
	before = registers_of_thread((struct registers_thread){ .mmcr0 = MMCR0_FC });
	cpu->mmcr.mmcr2 = TEST_FREEZE_1;
	power_mmcr_write(cpu);
	power_ebb_run(cpu);
	mtspr(SPRN_SIAR, PAGE_OFFSET + 8);
	mtspr(SPRN_SDAR, PAGE_OFFSET + 8);
	power_ebb_save(cpu);
	power_mmcr_freeze(cpu);
	cpu->mmcr.mmcr2 = 0;
	power_mmcr_write(cpu);
	saved_sdar = thread->sdar;
	thread->sdar = sdar;
	after = registers_of_thread(before);
	registers_end(&kept);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, after.mmcr2, 0);
	KUNIT_EXPECT_EQ(test, after.siar, 0);
	KUNIT_EXPECT_EQ(test, saved_sdar, 0);
}

/* Returns MMCR0 and MMCR2 while a program with the saved registers @program runs. */
static struct registers_thread registers_run_program(struct power_cpu *cpu,
						     struct registers_thread program)
{
	struct registers_thread before, running = {};
	struct registers_kept kept;
	unsigned long flags;

	local_irq_save(flags);
	kept = registers_begin();
	before = registers_of_thread(program);
	power_mmcr_write(cpu);
	power_ebb_run(cpu);
	running.mmcr0 = mfspr(SPRN_MMCR0);
	running.mmcr2 = mfspr(SPRN_MMCR2);
	power_ebb_save(cpu);
	power_mmcr_freeze(cpu);
	registers_of_thread(before);
	registers_end(&kept);
	local_irq_restore(flags);
	return running;
}

/*
 * The program cannot set these bits in problem state, but ptrace() sets all bits of the saved
 * registers. With BHRBA, the program could read branches of the kernel.
 */
static void registers_ignore_privileged_bits(struct kunit *test)
{
	const struct registers_thread program = {
		.mmcr0 = MMCR0_FC | MMCR0_BHRBA | MMCR0_FCS,
		.mmcr2 = TEST_FREEZE_1 | TEST_FREEZE_HV,
	};
	struct registers_thread running;

	running = registers_run_program(test->priv, program);
	KUNIT_EXPECT_EQ(test, running.mmcr0 & program.mmcr0, MMCR0_FC);
	KUNIT_EXPECT_EQ(test, running.mmcr2, TEST_FREEZE_1);
}

/* Save a program's @mmcr0 after PMC1 was set to @value. Returns the saved MMCR0. */
static unsigned long registers_save_with(struct power_cpu *cpu, unsigned long mmcr0, u32 value)
{
	const struct registers_thread program = { .mmcr0 = mmcr0 };
	struct registers_thread before, after;
	struct registers_kept kept;
	unsigned long flags, pmc1;

	cpu->used = BIT(0);
	cpu->counts[0].pmc = 1;
	local_irq_save(flags);
	/* QEMU interrupts the kernel if MMCR0 has PMAO, despite EBE. */
	hard_irq_disable();
	kept = registers_begin();
	pmc1 = power_pmc_read(1);
	before = registers_of_thread(program);
	power_mmcr_set_unknown(cpu);
	power_mmcr_write(cpu);
	power_ebb_run(cpu);
	/* Without PMC1CE the hardware does not set PMAO. */
	power_pmc_write(1, value);
	power_ebb_save(cpu);
	power_pmc_write(1, pmc1);
	after = registers_of_thread(before);
	registers_end(&kept);
	local_irq_restore(flags);
	return after.mmcr0;
}

/* The counter overflows after MMCR0 was read, and before the counters are frozen. */
static void registers_save_overflow_of_program(struct kunit *test)
{
	const u32 over = PMC_OVERFLOW;

	KUNIT_EXPECT_EQ(test, registers_save_with(test->priv, MMCR0_PMXE, over),
			MMCR0_FC | MMCR0_PMAO);
	KUNIT_EXPECT_EQ(test, registers_save_with(test->priv, MMCR0_PMXE, over - 1), MMCR0_PMXE);
	/* The program has frozen the counters, disabled the branch, or not taken the branch yet. */
	KUNIT_EXPECT_EQ(test, registers_save_with(test->priv, MMCR0_FC | MMCR0_PMXE, over),
			MMCR0_FC | MMCR0_PMXE);
	KUNIT_EXPECT_EQ(test, registers_save_with(test->priv, 0, over), 0);
	KUNIT_EXPECT_EQ(test, registers_save_with(test->priv, MMCR0_FC | MMCR0_PMAO, over),
			MMCR0_FC | MMCR0_PMAO);
}

/**
 * struct registers_made - registers after power_overflow_make()
 * @mmcr0: MMCR0
 * @pmcs: the counters
 */
struct registers_made {
	unsigned long	mmcr0;
	unsigned long	pmcs[PMC_6];
};

/* Make an overflow pending while the counters have the values 1, 2, ... */
static void registers_make_overflow(struct registers_made *made)
{
	struct registers_kept kept;
	unsigned long flags, pmcs[PMC_6];
	int i;

	local_irq_save(flags);
	hard_irq_disable();
	kept = registers_begin();
	for (i = 0; i < PMC_6; i++) {
		pmcs[i] = power_pmc_read(i + 1);
		power_pmc_write(i + 1, i + 1);
	}
	power_overflow_make();
	made->mmcr0 = mfspr(SPRN_MMCR0);
	power_mmcr_freeze(this_cpu_ptr(&power_cpus));
	for (i = 0; i < PMC_6; i++) {
		made->pmcs[i] = power_pmc_read(i + 1);
		power_pmc_write(i + 1, pmcs[i]);
	}
	registers_end(&kept);
	clear_pmi_irq_pending();
	local_irq_restore(flags);
}

/* On POWER8E, software cannot set PMAO for a pending event-based branch. */
static void registers_overflow_without_pmao(struct kunit *test)
{
	struct registers_made made;
	int i;

	registers_make_overflow(&made);
	KUNIT_EXPECT_EQ(test, made.mmcr0 & (MMCR0_PMAO | MMCR0_FC | MMCR0_PMXE),
			MMCR0_PMAO | MMCR0_FC);
	for (i = 0; i < PMC_6; i++)
		KUNIT_EXPECT_EQ(test, made.pmcs[i], i + 1);
}

static void registers_hide_addresses(struct kunit *test)
{
	struct registers_seen seen;

	if (cpu_has_feature(CPU_FTR_ARCH_31))
		kunit_skip(test, "a processor whose addresses user space cannot read");
	registers_go_through(test->priv, &seen);
	KUNIT_EXPECT_EQ(test, seen.siar, 0);
	KUNIT_EXPECT_EQ(test, seen.sdar, 0);
}

/* From ISA 3.1 on, MMCR0 denies user space access while no program owns the registers. */
static void registers_deny_user_access(struct kunit *test)
{
	struct power_cpu *cpu = test->priv;
	struct registers_kept kept;
	unsigned long flags, run, frozen;

	if (!cpu_has_feature(CPU_FTR_ARCH_31))
		kunit_skip(test, "a processor whose registers user space can read");
	local_irq_save(flags);
	kept = registers_begin();
	power_mmcr_run(cpu, 0);
	run = mfspr(SPRN_MMCR0);
	power_mmcr_freeze(cpu);
	frozen = mfspr(SPRN_MMCR0);
	registers_end(&kept);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, run & MMCR0_PMCCEXT, MMCR0_PMCCEXT);
	KUNIT_EXPECT_EQ(test, frozen & MMCR0_PMCCEXT, MMCR0_PMCCEXT);
}

/**
 * struct registers_generic - registers that the driver in compat.c has programmed
 * @mmcr0: MMCR0 while the counters are frozen
 * @mmcr3: MMCR3
 */
struct registers_generic {
	unsigned long	mmcr0;
	unsigned long	mmcr3;
};

/* Program @cpu as the driver in compat.c does, which lacks PPMU_ARCH_31, after another guest. */
static void registers_program_generic(struct power_cpu *cpu, struct registers_generic *seen)
{
	u32 flags_of_driver = power_driver->flags;
	struct registers_kept kept;
	unsigned long flags;

	local_irq_save(flags);
	kept = registers_begin();
	mtspr(SPRN_MMCR3, BIT(63));
	power_driver->flags &= ~PPMU_ARCH_31;
	power_mmcr_write(cpu);
	power_mmcr_freeze(cpu);
	power_driver->flags = flags_of_driver;
	seen->mmcr0 = mfspr(SPRN_MMCR0);
	seen->mmcr3 = mfspr(SPRN_MMCR3);
	registers_end(&kept);
	local_irq_restore(flags);
}

static void registers_of_generic_driver(struct kunit *test)
{
	struct registers_generic seen;

	if (!cpu_has_feature(CPU_FTR_ARCH_31))
		kunit_skip(test, "a processor without MMCR3");
	registers_program_generic(test->priv, &seen);
	KUNIT_EXPECT_EQ(test, seen.mmcr0 & MMCR0_PMCCEXT, MMCR0_PMCCEXT);
	KUNIT_EXPECT_EQ(test, seen.mmcr3, 0);
}

/* The counters run with the given MMCR1. */
static void registers_run_without_driver(struct kunit *test)
{
	unsigned long flags, mmcr0, mmcr1;
	struct registers_kept kept;

	local_irq_save(flags);
	kept = registers_begin();
	power_mmcr_override(0xfa00f400);
	mmcr0 = mfspr(SPRN_MMCR0);
	mmcr1 = mfspr(SPRN_MMCR1);
	power_mmcr_freeze(this_cpu_ptr(&power_cpus));
	registers_end(&kept);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, mmcr0 & MMCR0_FC, 0);
	KUNIT_EXPECT_EQ(test, mmcr1, 0xfa00f400);
}

static int registers_test_init(struct kunit *test)
{
	if (!power_driver || !power_has(PPMU_ARCH_207S))
		kunit_skip(test, "a processor without such registers");
	test->priv = kunit_kzalloc(test, sizeof(struct power_cpu), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static struct kunit_case registers_cases[] = {
	KUNIT_CASE(registers_sample_enable_while_running),
	KUNIT_CASE(registers_sample_enable_for_ebb),
	KUNIT_CASE(registers_bhrb_access_for_ebb),
	KUNIT_CASE(registers_save_and_restore_program),
	KUNIT_CASE(registers_save_program_alone),
	KUNIT_CASE(registers_ignore_privileged_bits),
	KUNIT_CASE(registers_save_overflow_of_program),
	KUNIT_CASE(registers_overflow_without_pmao),
	KUNIT_CASE(registers_hide_addresses),
	KUNIT_CASE(registers_deny_user_access),
	KUNIT_CASE(registers_of_generic_driver),
	KUNIT_CASE(registers_run_without_driver),
	{}
};

static struct kunit_suite registers_suite = {
	.name		= "powerpc_perf_registers",
	.init		= registers_test_init,
	.test_cases	= registers_cases,
};

kunit_test_suite(registers_suite);
