// SPDX-License-Identifier: GPL-2.0
/*
 * perfctr's low-level driver on the counters of the CPU: results, and number of register accesses.
 * Skipped without the hardware, but not if perfctr does not use counters that it must use.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/mman.h>
#include <linux/perfctr.h>
#include <asm/msr.h>
#include <asm/mmu_context.h>
#include <asm/msr-trace.h>
#include <asm/perf_event.h>
#include <asm/tlbflush.h>

#include "../engine.h"

#define COUNTERS	4
#define ROUNDS		100
/* Maximum count between a resume and the code after it */
#define SLACK		2000

/* Event select: instructions in the kernel */
#define INSTRUCTIONS	(0xc0 | BIT(17) | BIT(22))
#define NOT_HALTED	(0xc4 | BIT(17) | BIT(22))

static const char service[] = "perfctr's tests";

/**
 * struct accesses - accesses to the counters' registers by a task, outside of NMIs
 * @task: the task; accesses by other tasks, on other CPUs, are ignored
 * @reads: reads of counters
 * @writes: writes of any register
 */
static struct accesses {
	struct task_struct *task;
	unsigned int reads;
	unsigned int writes;
} seen;

/* Only the task stores: an addition of 0 on another CPU could undo an increment of the task. */
static void see_read(void *unused, unsigned int msr, u64 value, int failed)
{
	if (current == seen.task && !in_nmi())
		seen.reads++;
}

static void see_write(void *unused, unsigned int msr, u64 value, int failed)
{
	if (current == seen.task && !in_nmi())
		seen.writes++;
}

/* Allocate a state whose first @n counters count @event. */
static struct perfctr_cpu_state *new_state_of(struct kunit *test, u32 event, u32 n)
{
	struct perfctr_cpu_state *state = kunit_kzalloc(test, sizeof(*state), GFP_KERNEL);
	int i, err;

	KUNIT_ASSERT_NOT_NULL(test, state);
	state->control.tsc_on = 1;
	state->control.nractrs = n;
	for (i = 0; i < n; i++) {
		state->control.pmc_map[i] = i;
		state->control.evntsel[i] = event;
	}
	if (hweight64(x86_cores[0]->counters & X86_GENERAL(INTEL_PMC_IDX_FIXED)) < n)
		kunit_skip(test, "fewer than %u counters", n);
	err = perfctr_cpu_update_control(state, 1);
	KUNIT_ASSERT_EQ(test, err, 0);
	return state;
}

static struct perfctr_cpu_state *new_state(struct kunit *test, u32 event)
{
	return new_state_of(test, event, COUNTERS);
}

static void spin(void)
{
	int i;

	for (i = 0; i < 10 * SLACK; i++)
		barrier();
}

/*
 * Must perfctr have counters? There are none without a PMU, and on a Pentium 4, a Knights Corner
 * and a Quark (families 15, 11 and 5) perfctr does not use the PMU.
 */
static bool must_have_counters(void)
{
	if (!x86_nr_cores)
		return false;
	return boot_cpu_data.x86_vendor != X86_VENDOR_INTEL || boot_cpu_data.x86 == 6 ||
	       boot_cpu_data.x86 > 15;
}

static int hardware_init(struct kunit *test)
{
	const char *other;
	struct perfctr_info info = { };

	if (perfctr_cpu_name)
		perfctr_cpu_get_info(&info);
	/* Counters may lack one of these: RDPMC by an erratum or sysfs, PCINT without an APIC. */
	if (!(info.cpu_features & (PERFCTR_FEATURE_RDPMC | PERFCTR_FEATURE_PCINT))) {
		KUNIT_ASSERT_FALSE_MSG(test, must_have_counters(), "%s has no counters",
				       perfctr_cpu_name ?: "perfctr");
		kunit_skip(test, "no counters");
	}
	other = perfctr_cpu_reserve(service);
	if (other)
		kunit_skip(test, "%s has the hardware", other);
	return 0;
}

static void hardware_exit(struct kunit *test)
{
	if (perfctr_cpu_name && !perfctr_cpu_reserve(service))
		perfctr_cpu_release(service);
}

static void turn(struct perfctr_cpu_state *from, struct perfctr_cpu_state *to)
{
	perfctr_cpu_suspend(from);
	perfctr_cpu_hand_over();
	WARN_ON_ONCE(perfctr_cpu_resume(to));
}

/* Equal counters have equal sums, and stopped counters do not count. */
static void test_counts(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, INSTRUCTIONS);
	u64 before;
	int i, err;

	local_irq_disable();
	err = perfctr_cpu_resume(state);
	if (!err) {
		for (i = 0; i < 1000; i++)
			barrier();
		perfctr_cpu_sample(state);
		before = state->pmc[0].sum;
		for (i = 0; i < 1000; i++)
			barrier();
		perfctr_cpu_suspend(state);
	}
	local_irq_enable();
	if (err)
		kunit_skip(test, "perf's pinned events have the counters");
	KUNIT_EXPECT_GE(test, before, 2000);
	for (i = 0; i < COUNTERS; i++) {
		KUNIT_EXPECT_GE(test, state->pmc[i].sum, before + 2000);
		KUNIT_EXPECT_LE(test, abs_diff(state->pmc[i].sum, state->pmc[0].sum), SLACK);
	}
	before = state->pmc[0].sum;
	perfctr_cpu_release(service);
	KUNIT_EXPECT_NULL(test, perfctr_cpu_reserve(service));
	KUNIT_EXPECT_EQ(test, state->pmc[0].sum, before);
}

/*
 * Must the driver stop the counters when perfctr is scheduled out? The core's other thread, or the
 * microcode (see force_abort.c), may need them.
 */
static bool counters_must_stop(void)
{
	const struct x86_pmu_cpu *cpu = raw_cpu_ptr(&x86_pmu_cpu);

	return cpu->excl || (cpu->core->tfa_counters & GENMASK_ULL(COUNTERS - 1, 0));
}

/* Attempts to see the counters run on: an NMI may stop them, but not in each attempt. */
#define TRIES	10

/*
 * Do the counters run on after perfctr is scheduled out? Returns 1 if so, 0 if not, or an error if
 * pinned events have the counters.
 */
static int counters_run_on(struct perfctr_cpu_state *state)
{
	u64 ran[2] = { 0 };
	int i, err = 0;

	for (i = 0; !err && ran[0] == ran[1] && i < TRIES; i++) {
		local_irq_disable();
		err = perfctr_cpu_resume(state);
		if (!err) {
			perfctr_cpu_suspend(state);
			rdpmcl(0, ran[0]);
			spin();
			rdpmcl(0, ran[1]);
		}
		local_irq_enable();
	}
	return err ?: ran[0] != ran[1];
}

/* A switch between states with the same control reads each counter once and writes nothing. */
static void test_accesses(struct kunit *test)
{
	struct perfctr_cpu_state *a = new_state(test, INSTRUCTIONS), *b, *c;
	struct accesses same, other;
	u64 clocks;
	int i, err;

	b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, b);
	*b = *a;
	c = new_state(test, INSTRUCTIONS);
	c->control.evntsel[3] = NOT_HALTED;
	KUNIT_ASSERT_EQ(test, perfctr_cpu_update_control(c, 1), 0);
	if (counters_must_stop())
		kunit_skip(test, "the driver must stop counters at the end of a claim");
	err = counters_run_on(a);
	if (err < 0)
		kunit_skip(test, "perf's pinned events have the counters");
	KUNIT_ASSERT_EQ_MSG(test, err, 1, "counters stop at the end of a claim");

	KUNIT_ASSERT_EQ(test, register_trace_rdpmc(see_read, NULL), 0);
	KUNIT_ASSERT_EQ(test, register_trace_write_msr(see_write, NULL), 0);
	local_irq_disable();
	err = perfctr_cpu_resume(a);
	if (!err) {
		seen = (struct accesses){ .task = current };
		turn(a, b);
		same = seen;
		seen = (struct accesses){ .task = current };
		turn(b, c);
		other = seen;
		perfctr_cpu_suspend(c);
	}
	local_irq_enable();
	unregister_trace_write_msr(see_write, NULL);
	unregister_trace_rdpmc(see_read, NULL);
	tracepoint_synchronize_unregister();
	if (err)
		kunit_skip(test, "perf's pinned events have the counters");
	KUNIT_EXPECT_EQ(test, same.reads, COUNTERS);
	KUNIT_EXPECT_EQ(test, same.writes, 0);
	KUNIT_EXPECT_EQ_MSG(test, other.writes, 1, "only the select that differs");

	/* With an instruction per clock tick (icount), this is the number of instructions. */
	local_irq_disable();
	err = perfctr_cpu_resume(a);
	clocks = rdtsc();
	for (i = 0; !err && i < ROUNDS; i++) {
		turn(a, b);
		swap(a, b);
	}
	clocks = rdtsc() - clocks;
	if (!err)
		perfctr_cpu_suspend(a);
	local_irq_enable();
	kunit_info(test, "suspend and resume: %llu ticks of the clock", clocks / ROUNDS);
}

/* A counter cleared for a program with RDPMC does not count later tasks. */
static void test_cleared(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, INSTRUCTIONS);
	u64 ran[2] = { 0 }, cleared[2] = { 0 };
	int err;

	local_irq_disable();
	err = perfctr_cpu_resume(state);
	if (!err) {
		perfctr_cpu_suspend(state);
		rdpmcl(0, ran[0]);
		spin();
		rdpmcl(0, ran[1]);
		perf_clear_dirty_counters();
		rdpmcl(0, cleared[0]);
		spin();
		/* The counter is known to be clear and is not written. */
		perf_clear_dirty_counters();
		rdpmcl(0, cleared[1]);
		err = perfctr_cpu_resume(state);
		if (!err)
			perfctr_cpu_suspend(state);
	}
	local_irq_enable();
	if (err)
		kunit_skip(test, "perf's pinned events have the counters");
	if (ran[0] == ran[1])
		kunit_info(test, "counters do not run on after a claim here");
	KUNIT_EXPECT_EQ(test, cleared[0], cleared[1]);
}

/*
 * A state that is resumed just after another state may use more counters. The additional counters
 * may have run on for long, so the state counts from the resume.
 */
static void test_handed_over(struct kunit *test)
{
	struct perfctr_cpu_state *both = new_state_of(test, INSTRUCTIONS, 2);
	struct perfctr_cpu_state *one = new_state_of(test, INSTRUCTIONS, 1);
	int err;

	local_irq_disable();
	err = perfctr_cpu_resume(both);
	if (!err) {
		perfctr_cpu_suspend(both);
		spin();
		err = perfctr_cpu_resume(one);
	}
	if (!err) {
		spin();
		turn(one, both);
		perfctr_cpu_suspend(both);
	}
	local_irq_enable();
	if (err)
		kunit_skip(test, "perf's pinned events have the counters");
	KUNIT_EXPECT_GE(test, one->pmc[0].sum, 10 * SLACK);
	KUNIT_EXPECT_LE(test, both->pmc[0].sum, 2 * SLACK);
	KUNIT_EXPECT_LE(test, both->pmc[1].sum, 2 * SLACK);
}

/* Count for other tasks while the state is suspended, then enable RDPMC as a mapping does. */
static int map_after(struct perfctr_cpu_state *state, int spins, u64 *held)
{
	bool readable = this_cpu_read(cpu_tlbstate.cr4) & X86_CR4_PCE;
	int i, err;

	err = perfctr_cpu_resume(state);
	if (err)
		return err;
	perfctr_cpu_suspend(state);
	for (i = 0; i < spins; i++)
		spin();
	err = perfctr_cpu_resume(state);
	if (err)
		return err;
	cr4_set_bits_irqsoff(X86_CR4_PCE);
	perfctr_cpu_update_readable();
	rdpmcl(0, *held);
	perfctr_cpu_suspend(state);
	if (!readable)
		cr4_clear_bits_irqsoff(X86_CR4_PCE);
	return 0;
}

/* A program that gets RDPMC does not see counts of other tasks in its counters. */
static void test_mapped(struct kunit *test)
{
	struct perfctr_cpu_state *a = new_state(test, INSTRUCTIONS);
	struct perfctr_cpu_state *b = new_state(test, INSTRUCTIONS);
	u64 held[2] = { 0 };
	int err;

	local_irq_disable();
	err = map_after(a, 1, &held[0]);
	if (!err)
		err = map_after(b, 8, &held[1]);
	local_irq_enable();
	if (err)
		kunit_skip(test, "perf's pinned events have the counters");
	KUNIT_EXPECT_LE(test, abs_diff(held[0], held[1]), SLACK);
	KUNIT_EXPECT_LE(test, abs_diff(a->pmc[0].start, b->pmc[0].start), SLACK);
	KUNIT_EXPECT_LE(test, b->pmc[0].sum, 2 * SLACK);
}

/*
 * Suspend a program that may use RDPMC, run a kernel thread, and switch back to the program. Set
 * @held to the value of counter 0 that the program can then read. @lazy: the kernel thread is in
 * lazy TLB mode; after an EFI call it is not.
 */
static int resume_after(struct perfctr_cpu_state *state, bool lazy, int spins, u64 *held)
{
	struct mm_struct *mm = this_cpu_read(cpu_tlbstate.loaded_mm);
	bool readable = this_cpu_read(cpu_tlbstate.cr4) & X86_CR4_PCE;
	int i, err;

	err = perfctr_cpu_resume(state);
	if (err)
		return err;
	cr4_set_bits_irqsoff(X86_CR4_PCE);
	perfctr_cpu_update_readable();
	perfctr_cpu_suspend(state);
	if (lazy)
		enter_lazy_tlb(mm, current);
	for (i = 0; i < spins; i++)
		spin();
	switch_mm_irqs_off(mm, mm, current);
	rdpmcl(0, *held);
	if (!readable)
		cr4_clear_bits_irqsoff(X86_CR4_PCE);
	return 0;
}

/* A program with RDPMC does not see counts of a kernel thread that has run in between. */
static void test_kernel_thread(struct kunit *test)
{
	struct perfctr_cpu_state *a = new_state(test, INSTRUCTIONS);
	struct perfctr_cpu_state *b = new_state(test, INSTRUCTIONS);
	unsigned long addr;
	u64 held[4] = { 0 };
	bool lazy;
	int i, err = 0;

	/* The test gets an address space. */
	addr = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ, MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_FALSE(test, !addr || IS_ERR_VALUE(addr));
	local_irq_disable();
	lazy = this_cpu_read(cpu_tlbstate.loaded_mm) != &init_mm;
	for (i = 0; i < ARRAY_SIZE(held) && !err; i++)
		err = resume_after(i & 1 ? b : a, i < 2, i & 1 ? 8 : 1, &held[i]);
	local_irq_enable();
	if (err)
		kunit_skip(test, "perf's pinned events have the counters");
	KUNIT_EXPECT_TRUE(test, lazy);
	for (i = 1; i < ARRAY_SIZE(held); i++)
		KUNIT_EXPECT_LE(test, abs_diff(held[0], held[i]), SLACK);
}

/* Is the first register to switch the global control register, not a select? */
static bool has_control(const struct perf_guest_switch_msr *msrs)
{
	return msrs && (msrs[0].msr == MSR_CORE_PERF_GLOBAL_CTRL ||
			msrs[0].msr == MSR_AMD64_PERF_CNTR_GLOBAL_CTL);
}

/* Counters that run on after perfctr is scheduled out do not count guests. */
static void test_guest(struct kunit *test)
{
	struct perfctr_cpu_state *state = new_state(test, INSTRUCTIONS);
	struct perf_guest_switch_msr *msrs = NULL;
	u64 claimed = 0, left = 0;
	int n, err;

	local_irq_disable();
	err = perfctr_cpu_resume(state);
	if (!err) {
		msrs = perf_guest_get_msrs(&n, NULL);
		claimed = msrs ? msrs[0].guest : 0;
		perfctr_cpu_suspend(state);
		if (has_control(msrs))
			left = perf_guest_get_msrs(&n, NULL)[0].guest;
	}
	local_irq_enable();
	if (err || !has_control(msrs))
		kunit_skip(test, "no counters, or no register excludes guests");
	KUNIT_EXPECT_EQ(test, claimed & GENMASK(COUNTERS - 1, 0), GENMASK(COUNTERS - 1, 0));
	KUNIT_EXPECT_EQ(test, left & GENMASK(COUNTERS - 1, 0), 0);
}

static struct kunit_case perfctr_hw_cases[] = {
	KUNIT_CASE(test_counts),
	KUNIT_CASE(test_cleared),
	KUNIT_CASE(test_handed_over),
	KUNIT_CASE(test_mapped),
	KUNIT_CASE(test_kernel_thread),
	KUNIT_CASE(test_guest),
	KUNIT_CASE(test_accesses),
	{ }
};

static struct kunit_suite perfctr_hw_suite = {
	.name = "perfctr_x86_hardware",
	.init = hardware_init,
	.exit = hardware_exit,
	.test_cases = perfctr_hw_cases,
};

kunit_test_suite(perfctr_hw_suite);
