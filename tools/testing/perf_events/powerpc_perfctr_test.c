// SPDX-License-Identifier: GPL-2.0
/*
 * perfctr's low-level driver for powerpc (the kernel's source) beside events of perf, on a
 * processor that is simulated in memory: one CPU with six counters, whose values user space can
 * read. A counter that exceeds 31 bits interrupts at that moment, or later while the interrupt is
 * masked; a write of MMCR0 cancels an interrupt that was not taken.
 */
#define KERNEL_IS_64	true
#include "powerpc_kernel.h"

#define get_cycles()	((u32)machine_steps)

/* The registers */

enum {
	SPRN_MMCR0 = 7, SPRN_MMCR1, SPRN_MMCR2,
	SPRN_PMC1 = 1, SPRN_PMC2, SPRN_PMC3, SPRN_PMC4, SPRN_PMC5, SPRN_PMC6,
	SPRN_END = 10,
};

static u32 machine_registers[SPRN_END];
/* The number of all steps, which is also the time base */
static u64 machine_steps;

static void machine_alert(void)
{
	u32 *mmcr0 = &machine_registers[SPRN_MMCR0];

	kernel_pmi_pending = true;
	*mmcr0 &= ~MMCR0_PMXE;
	if (*mmcr0 & MMCR0_FCECE)
		*mmcr0 |= MMCR0_FC;
}

/* Simulate one step: counters with an event in MMCR1 count it, unless they are frozen. */
static void machine_step(void)
{
	u32 *mmcr0 = &machine_registers[SPRN_MMCR0], enabled;
	bool frozen = *mmcr0 & MMCR0_FC;
	int pmc;

	machine_steps++;
	for (pmc = 1; pmc <= 6 && !frozen; pmc++) {
		if (!(machine_registers[SPRN_MMCR1] & BIT(pmc)))
			continue;
		enabled = pmc == 1 ? MMCR0_PMC1CE : MMCR0_PMCjCE;
		if (++machine_registers[pmc] == 1U << 31 && (*mmcr0 & enabled) &&
		    (*mmcr0 & MMCR0_PMXE))
			machine_alert();
	}
}

static unsigned long mfspr(int reg)
{
	return machine_registers[reg];
}

/* By the ISA, MMCR0 interrupts at once if a counter is in overflow. POWER8 does not. */
static bool machine_is_power8 = true;

static void mtspr(int reg, u32 value)
{
	int pmc;

	machine_registers[reg] = value;
	if (reg != SPRN_MMCR0)
		return;
	kernel_pmi_pending = false;
	for (pmc = 1; pmc <= 6 && !machine_is_power8; pmc++) {
		if (machine_registers[pmc] >> 31 && (value & MMCR0_PMXE) &&
		    (value & (pmc == 1 ? MMCR0_PMC1CE : MMCR0_PMCjCE)))
			machine_alert();
	}
}

/* Claims exist in the driver for 64 bits. */
#include "../../../arch/powerpc/perf/isa207.h"
#define CONFIG_PPC64
#include "../../../arch/powerpc/perf/claim.h"
#undef CONFIG_PPC64

static void perf_pmu_resched(struct pmu *pmu);
static void perf_pmu_resched_flexible(struct pmu *pmu);

#include "../../../arch/powerpc/perf/assign.c"
#include "../../../arch/powerpc/perf/registers.c"
#include "../../../arch/powerpc/perf/choose.c"
#include "../../../arch/powerpc/perf/count.c"
#include "../../../arch/powerpc/perf/limited.c"
#include "../../../arch/powerpc/perf/sample.c"
#include "../../../arch/powerpc/perf/pmu.c"
#include "../../../arch/powerpc/perf/overflow.c"
#include "../../../arch/powerpc/perf/claim.c"

#include "../../../arch/powerpc/include/asm/perfctr.h"
#include "../../../include/uapi/linux/perfctr.h"
#include "../../../arch/powerpc/perf/perfctr_rules.c"
#include "../../../arch/powerpc/perf/perfctr.c"

bool power_share = true;
struct power_pmu *power_driver;

int power_event_init(struct perf_event *event)
{
	return 0;
}

int power_reserve(void)
{
	return 0;
}

void power_release(void)
{
}

bool power_code_is_listed(u64 code)
{
	return false;
}

/* Any event on the counter that it names, with the constraint fields of isa207.c for counters */
bool power_encode(u64 code, u64 config1, struct power_code *to)
{
	int pmc = ISA207_PMC(code);

	*to = (struct power_code){ .code = code, .pmc = pmc };
	if (pmc) {
		to->mask |= 2UL << 2 * (pmc - 1);
		to->value |= 1UL << 2 * (pmc - 1);
	}
	if (pmc <= POWER_ANY_LAST) {
		to->mask |= 8UL << 12;
		to->value |= 1UL << 12;
	}
	return true;
}

static int samples;

static int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			       struct pt_regs *regs)
{
	samples++;
	return 0;
}

static struct irq_work *machine_work(void)
{
	return &perfctr_this_cpu.work;
}

/* Take an interrupt, and run the work that it has queued. */
static void machine_interrupt(void)
{
	struct pt_regs regs = { .user = true, .nip = machine_steps };

	if (kernel_pmi_pending) {
		kernel_pmi_pending = false;
		power_interrupt(&regs);
	}
	if (machine_work()->queued) {
		machine_work()->queued = false;
		machine_work()->function(machine_work());
	}
}

/* Run @steps in user space, with interrupts off if @masked. */
static void machine_run(int steps, bool masked)
{
	while (steps--) {
		machine_step();
		if (!masked)
			machine_interrupt();
	}
}

/* MMCR1 has a bit for each counter. If one of PMC5 and PMC6 runs, so does the other. */
static int test_compute(u64 events[], int n, unsigned int hwc[], struct mmcr_regs *mmcr,
			struct perf_event *pevents[], u32 flags)
{
	unsigned int used = 0, pmc = 0;
	int i;

	mmcr->mmcr0 = MMCR0_PMC1CE | MMCR0_PMCjCE;
	for (i = 0; i < n; i++)
		used |= BIT(ISA207_PMC(events[i]));
	for (i = 0; i < n; i++) {
		hwc[i] = ISA207_PMC(events[i]) - 1;
		if (ISA207_PMC(events[i]))
			continue;
		while (used & BIT(++pmc))
			;
		if (pmc > POWER_ANY_LAST)
			return -1;
		hwc[i] = pmc - 1;
	}
	for (i = 0; i < n; i++)
		mmcr->mmcr1 |= hwc[i] < 4 ? BIT(hwc[i] + 1) : BIT(PMC_5) | BIT(PMC_6);
	return 0;
}

/**
 * struct test_event - an event
 * @event: the event
 * @encoded: its encodings
 * @code: their storage
 * @open: it exists
 * @on: it is scheduled
 * @failed: it is pinned, and in the error state
 */
struct test_event {
	struct perf_event	event;
	struct power_encoded	encoded;
	struct power_code	code;
	bool			open;
	bool			on;
	bool			failed;
};

#define EVENTS	4

static struct test_event events[EVENTS];

static void event_schedule(struct test_event *test)
{
	if (!test->open || test->on || test->failed)
		return;
	test->on = !test->event.pmu->add(&test->event, PERF_EF_START);
	test->failed = !test->on && test->event.attr.pinned;
}

static void events_schedule(bool pinned)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		if (events[i].event.attr.pinned == pinned)
			event_schedule(&events[i]);
	}
}

static void event_leave(struct test_event *test)
{
	if (test->on)
		test->event.pmu->del(&test->event, 0);
	test->on = false;
}

static void events_leave(bool pinned)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		if (events[i].event.attr.pinned == pinned)
			event_leave(&events[i]);
	}
}

static void perf_pmu_resched_flexible(struct pmu *pmu)
{
	perf_pmu_disable(pmu);
	events_leave(false);
	events_schedule(true);
	events_schedule(false);
	perf_pmu_enable(pmu);
}

static void perf_pmu_resched(struct pmu *pmu)
{
	perf_pmu_disable(pmu);
	events_leave(true);
	perf_pmu_resched_flexible(pmu);
	perf_pmu_enable(pmu);
}

/* Open an event on @pmc; 0: any of the first four. @period is 0 if it does not sample. */
static void open_event(struct test_event *test, int pmc, u64 period, bool pinned)
{
	static u64 select;

	memset(test, 0, sizeof(*test));
	/* Equal events would share a counter. */
	power_encode((u64)pmc << 16 | (++select & 0xff), 0, &test->code);
	test->encoded.sel.code = test->code.code;
	test->encoded.alts.codes = &test->code;
	test->encoded.alts.n = 1;
	test->event.pmu = &power_pmu_ops;
	test->event.group_leader = &test->event;
	test->event.pmu_private = &test->encoded;
	test->event.attr.pinned = pinned;
	test->event.hw.sample_period = period;
	local64_set(&test->event.hw.period_left, period);
	test->open = true;
	event_schedule(test);
}

static u64 count_of(struct test_event *test)
{
	if (test->on)
		test->event.pmu->read(&test->event);
	return local64_read(&test->event.count);
}

static void close_event(struct test_event *test)
{
	event_leave(test);
	test->open = false;
}

static struct power_pmu driver;
static struct perfctr_cpu_state thread;
static int overflows;
static unsigned int overflowed;
static u64 overflow_pc;

/* Like drivers/perfctr/thread.c: only the time base stays enabled. */
static void handle_overflow(unsigned long pc)
{
	unsigned int mask;

	if (perfctr_this_cpu.state != &thread)
		return;
	perfctr_cpu_suspend(&thread);
	mask = perfctr_cpu_identify_overflow(&thread);
	if (mask) {
		overflows++;
		overflowed = mask;
		overflow_pc = pc;
		thread.cstatus = perfctr_mk_cstatus(perfctr_cstatus_has_tsc(thread.cstatus), 0, 0);
	}
	perfctr_cpu_resume(&thread);
}

static void test_begin(void)
{
	memset(machine_registers, 0, sizeof(machine_registers));
	memset(events, 0, sizeof(events));
	memset(&thread, 0, sizeof(thread));
	memset(&perfctr_this_cpu, 0, sizeof(perfctr_this_cpu));
	machine_registers[SPRN_MMCR0] = MMCR0_FC;
	kernel_pmi_pending = false;
	driver = (struct power_pmu){
		.n_counter = 6, .compute_mmcr = test_compute, .add_fields = ISA207_COUNTED_BY,
		.test_adder = ISA207_FULL_BY, .flags = PPMU_ARCH_207S,
	};
	power_driver = &driver;
	power_cpu_reset(&power_cpus);
	power_unused_init_timer(0);
	perfctr_kind = (struct perfctr_cpu_kind){ .counters = 6, .valid = GENMASK(36, 0) };
	power_claim_user = &perfctr_claim_user;
	init_irq_work(machine_work(), perfctr_call_handler);
	perfctr_cpu_set_ihandler(handle_overflow);
	overflows = 0;
	samples = 0;
}

/* Set a control of the thread: counters from PMC1 on, i-mode after a-mode. */
static int set_control(int nractrs, int nrictrs, s32 ireset)
{
	struct perfctr_cpu_control *control = &thread.control;
	int i;

	*control = (struct perfctr_cpu_control){
		.tsc_on = 1, .nractrs = nractrs, .nrictrs = nrictrs,
	};
	for (i = 0; i < nractrs + nrictrs; i++) {
		control->pmc_map[i] = i + 1;
		control->evntsel[i] = i == 4 ? 0x500fa : i == 5 ? 0x600f4 : 2;
		control->ireset[i] = i < nractrs ? 0 : ireset;
	}
	return perfctr_cpu_update_control(&thread, 0);
}

static bool sums_are(u64 expected)
{
	unsigned int i;
	bool right = true;

	for (i = 0; i < thread.control.nractrs + thread.control.nrictrs; i++) {
		if (thread.pmc[i].sum == expected)
			continue;
		ktap_note("counter %u: %llu instead of %llu", i,
			  (unsigned long long)thread.pmc[i].sum, (unsigned long long)expected);
		right = false;
	}
	return right;
}

/* Counters count while the thread runs, and beside events of perf, which are exact, too. */
static bool test_counts(void)
{
	int i;

	test_begin();
	open_event(&events[0], 0, 0, false);
	open_event(&events[1], 0, 70, false);
	if (set_control(2, 0, 0))
		return false;
	for (i = 0; i < 10; i++) {
		if (perfctr_cpu_resume(&thread))
			return false;
		machine_run(100, false);
		perfctr_cpu_sample(&thread);
		if (!sums_are(100 * i * 2 + 100))
			return false;
		machine_run(100, false);
		perfctr_cpu_suspend(&thread);
		machine_run(77, false);
	}
	return sums_are(2000) && thread.tsc_sum == 2000 && count_of(&events[0]) == 2770 &&
	       count_of(&events[1]) == 2770 && samples == 2770 / 70;
}

/* A flexible event that needs the thread's counter is scheduled again when the thread stops. */
static bool test_waits(void)
{
	bool waited;

	test_begin();
	open_event(&events[0], 1, 0, false);
	open_event(&events[1], 5, 0, false);
	machine_run(50, false);
	if (set_control(1, 0, 0) || perfctr_cpu_resume(&thread))
		return false;
	waited = !events[0].on && events[1].on;
	machine_run(100, false);
	perfctr_cpu_suspend(&thread);
	machine_run(30, false);
	return waited && sums_are(100) && events[0].on && count_of(&events[0]) == 80 &&
	       count_of(&events[1]) == 180;
}

/* An event with the code of the claim has counted on another counter before. */
static bool test_same_code(void)
{
	struct power_code code;

	test_begin();
	open_event(&events[0], 0, 0, false);
	event_leave(&events[0]);
	power_encode(0x30002, 0, &code);
	events[0].encoded.sel.code = 0x10002;
	events[0].encoded.alts.codes = &code;
	event_schedule(&events[0]);
	machine_run(50, false);
	if (machine_registers[SPRN_PMC3] != 50)
		return false;
	close_event(&events[0]);
	if (set_control(1, 0, 0) || perfctr_cpu_resume(&thread))
		return false;
	machine_run(100, false);
	perfctr_cpu_suspend(&thread);
	return sums_are(100);
}

/* A displaced event counts whenever the thread does not run, however often that is in a tick. */
static bool test_returns(void)
{
	int i;

	test_begin();
	open_event(&events[0], 1, 0, false);
	if (set_control(1, 0, 0))
		return false;
	for (i = 0; i < 100; i++) {
		if (perfctr_cpu_resume(&thread))
			return false;
		machine_run(1, false);
		perfctr_cpu_suspend(&thread);
		if (!events[0].on)
			return false;
		machine_run(10, false);
	}
	return sums_are(100) && count_of(&events[0]) == 1000;
}

/* A pinned event that has the counter first keeps it: none of the thread's counters runs. */
static bool test_pinned_first(void)
{
	bool moved;

	test_begin();
	open_event(&events[0], 1, 0, true);
	if (set_control(2, 1, -100) || perfctr_cpu_resume(&thread) != -EBUSY)
		return false;
	machine_run(200, false);
	if (!sums_are(0) || count_of(&events[0]) != 200 || overflows)
		return false;
	/* A pinned event that can move makes room. */
	close_event(&events[0]);
	open_event(&events[0], 0, 0, true);
	if (events[0].event.hw.idx != 1 || set_control(1, 0, 0) || perfctr_cpu_resume(&thread))
		return false;
	machine_run(100, false);
	moved = events[0].event.hw.idx != 1;
	perfctr_cpu_suspend(&thread);
	return moved && sums_are(100) && count_of(&events[0]) == 100;
}

/*
 * A pinned event that is opened later gets the counter. The thread's counters are stopped until the
 * next control. Their sums are complete, and the time base continues.
 */
static bool test_pinned_second(void)
{
	test_begin();
	if (set_control(3, 0, 0) || perfctr_cpu_resume(&thread))
		return false;
	machine_run(100, false);
	open_event(&events[0], 2, 0, true);
	if (!events[0].on || thread.cstatus != perfctr_mk_cstatus(1, 0, 0))
		return false;
	machine_run(50, false);
	perfctr_cpu_suspend(&thread);
	if (!sums_are(100) || thread.tsc_sum != 150 || count_of(&events[0]) != 50)
		return false;
	/* The TSC alone can run again. */
	if (perfctr_cpu_resume(&thread))
		return false;
	perfctr_cpu_suspend(&thread);
	return set_control(3, 0, 0) == 0 && perfctr_cpu_resume(&thread) == -EBUSY;
}

/* As test_pinned_second(), with a pinned group, checked as a whole; a flexible group waits. */
static bool test_pinned_group(bool pinned)
{
	struct pmu *pmu = &power_pmu_ops;
	int i, err = 0;

	test_begin();
	if (set_control(3, 0, 0) || perfctr_cpu_resume(&thread))
		return false;
	machine_run(100, false);
	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	for (i = 0; i < 2; i++) {
		open_event(&events[i], 0, 0, pinned);
		events[i].event.group_leader = &events[0].event;
		err |= !events[i].on;
	}
	err |= pmu->commit_txn(pmu);
	if (err) {
		close_event(&events[1]);
		close_event(&events[0]);
		pmu->cancel_txn(pmu);
	}
	machine_run(50, false);
	perfctr_cpu_suspend(&thread);
	if (pinned)
		return !err && sums_are(100) && thread.cstatus == perfctr_mk_cstatus(1, 0, 0) &&
		       count_of(&events[0]) == 50 && count_of(&events[1]) == 50;
	return err && sums_are(150) && thread.cstatus == perfctr_mk_cstatus(1, 3, 0);
}

static bool test_pinned_groups(void)
{
	return test_pinned_group(true) && test_pinned_group(false);
}

/* A pinned group that waits is scheduled while a claim makes room: the claim fails. */
static bool test_pinned_waits(void)
{
	test_begin();
	open_event(&events[0], 1, 0, false);
	open_event(&events[1], 2, 0, false);
	events[1].on = false;
	power_del(&events[1].event, 0);
	events[1].event.attr.pinned = true;
	if (set_control(2, 0, 0) || perfctr_cpu_resume(&thread) != -EBUSY)
		return false;
	machine_run(100, false);
	return sums_are(0) && events[1].on && count_of(&events[1]) == 100 && !power_cpus.claim;
}

/*
 * After an overflow of an i-mode counter, the thread's counters have stopped at the same step.
 * Events of perf continue.
 */
static bool test_overflow(void)
{
	test_begin();
	open_event(&events[0], 5, 0, false);
	if (set_control(2, 1, -1000) || perfctr_cpu_resume(&thread))
		return false;
	machine_run(1500, false);
	if (overflows != 1 || overflowed != BIT(2) || !sums_are(1000) ||
	    thread.cstatus != perfctr_mk_cstatus(1, 0, 0) || count_of(&events[0]) != 1500)
		return false;
	/* vperfctr_iresume() */
	perfctr_cpu_suspend(&thread);
	thread.cstatus = perfctr_mk_cstatus(1, 2, 1);
	perfctr_cpu_ireload(&thread);
	if (perfctr_cpu_resume(&thread))
		return false;
	machine_run(999, false);
	if (overflows != 1)
		return false;
	machine_run(1, false);
	return overflows == 2 && sums_are(2000) && thread.tsc_sum == 2500 &&
	       overflow_pc == machine_steps;
}

/* An i-mode counter continues its period over switches. */
static bool test_switches(void)
{
	int i;

	test_begin();
	if (set_control(0, 1, -1000))
		return false;
	for (i = 0; i < 10; i++) {
		if (perfctr_cpu_resume(&thread))
			return false;
		machine_run(100, false);
		if (overflows != i / 9)
			return false;
		perfctr_cpu_suspend(&thread);
		machine_run(5000, false);
	}
	return sums_are(1000);
}

/* The thread is suspended, or perf disables the PMU, before a late interrupt. */
static bool test_late(void)
{
	test_begin();
	open_event(&events[0], 5, 300, false);
	if (set_control(1, 1, -1000) || perfctr_cpu_resume(&thread))
		return false;
	machine_run(999, false);
	machine_run(10, true);
	perfctr_cpu_suspend(&thread);
	machine_run(10, false);
	if (overflows || !perfctr_cpu_overflowed(&thread) ||
	    perfctr_cpu_identify_overflow(&thread) != BIT(1) || thread.pmc[1].sum != 1000)
		return false;
	if (perfctr_cpu_resume(&thread))
		return false;
	machine_run(999, false);
	machine_run(10, true);
	perf_pmu_disable(&power_pmu_ops);
	perf_pmu_enable(&power_pmu_ops);
	machine_run(10, false);
	/* Counters were frozen from the overflow until perf enabled the PMU. */
	return overflows == 1 && thread.pmc[0].sum == thread.pmc[1].sum &&
	       thread.pmc[0].sum >= 2000 && thread.pmc[0].sum <= 2001;
}

/* Pinned events take the counters between an overflow and its interrupt: it is still reported. */
static bool test_late_pinned(void)
{
	test_begin();
	if (set_control(1, 1, -1000) || perfctr_cpu_resume(&thread))
		return false;
	machine_run(999, false);
	machine_run(10, true);
	open_event(&events[0], 2, 0, true);
	if (!events[0].on || overflows)
		return false;
	machine_run(5, false);
	return overflows == 1 && overflowed == BIT(1) && sums_are(1000) &&
	       count_of(&events[0]) == 5;
}

/*
 * Two interrupts for one overflow: the write of MMCR0 requests one in hardware, and the driver
 * makes one pending in software. Only one sample is written.
 */
static bool test_late_twice(void)
{
	struct pt_regs regs = { .user = true };

	test_begin();
	machine_is_power8 = false;
	open_event(&events[0], 1, 1000, false);
	machine_run(1000, true);
	perf_pmu_disable(&power_pmu_ops);
	perf_pmu_enable(&power_pmu_ops);
	machine_interrupt();
	power_interrupt(&regs);
	machine_run(999, false);
	machine_is_power8 = true;
	return samples == 1 && count_of(&events[0]) == 1999;
}

/* An a-mode counter that exceeds 31 bits, and one of 32 bits with a late interrupt */
static bool test_wrap(void)
{
	u32 leap = 0x7fffff00;

	test_begin();
	open_event(&events[0], 5, 0, false);
	if (set_control(2, 0, 0) || perfctr_cpu_resume(&thread))
		return false;
	machine_registers[SPRN_PMC1] += leap;
	machine_registers[SPRN_PMC2] += leap;
	machine_run(0x200, false);
	perfctr_cpu_sample(&thread);
	if (!sums_are(0x80000100ULL) || overflows || machine_registers[SPRN_PMC1] != 0x100)
		return false;
	machine_registers[SPRN_PMC1] += leap;
	machine_registers[SPRN_PMC2] += leap;
	machine_run(0x200, false);
	perfctr_cpu_suspend(&thread);
	return sums_are(0x100000200ULL) && count_of(&events[0]) == 0x400;
}

/*
 * Speculative counts are rolled back at 0, before a sample, and before a suspend. The sums do not
 * step back, and counts are not added twice.
 */
static bool test_rollback(void)
{
	test_begin();
	if (set_control(2, 0, 0) || perfctr_cpu_resume(&thread))
		return false;
	machine_registers[SPRN_PMC1] = -2;
	machine_registers[SPRN_PMC2] = -2;
	perfctr_cpu_sample(&thread);
	if (!sums_are(0))
		return false;
	machine_run(102, false);
	perfctr_cpu_sample(&thread);
	machine_registers[SPRN_PMC1] -= 5;
	machine_registers[SPRN_PMC2] -= 5;
	perfctr_cpu_sample(&thread);
	if (!sums_are(100))
		return false;
	machine_run(15, false);
	perfctr_cpu_sample(&thread);
	machine_registers[SPRN_PMC1] -= 1;
	machine_registers[SPRN_PMC2] -= 1;
	perfctr_cpu_suspend(&thread);
	return sums_are(110) && thread.tsc_sum == 117;
}

/* Are all counters without an event 0? Another thread can read them in user space. */
static bool nothing_left(const char *when)
{
	int pmc;

	for (pmc = 1; pmc <= 6; pmc++) {
		int i, used = 0;

		for (i = 0; i < EVENTS; i++)
			used |= events[i].on && (events[i].event.hw.idx == pmc ||
				(events[i].event.hw.idx ^ pmc) == (PMC_5 ^ PMC_6));
		if (used || !machine_registers[pmc])
			continue;
		ktap_note("PMC%d is %u %s", pmc, machine_registers[pmc], when);
		return false;
	}
	return true;
}

/*
 * Random controls, events and switches: all counts are exact. After each suspend, counters without
 * an event are 0, and start values depend only on what the thread has counted.
 */
static bool random_round(u64 *seed)
{
	int i, n = 1 + harness_random(seed) % 6, ictrs = harness_random(seed) % (n + 1);
	u64 sum = 0, expected[EVENTS] = { 0 };
	bool running = false;
	int steps, period = 1 + harness_random(seed) % 2000;

	test_begin();
	if (set_control(n - ictrs, ictrs, -period))
		return false;
	for (i = 0; i < 60; i++) {
		struct test_event *event = &events[harness_random(seed) % EVENTS];
		int e;

		switch (harness_random(seed) % 4) {
		case 0:
			if (event->open) {
				close_event(event);
			} else {
				open_event(event, harness_random(seed) % 7, 0,
					   !(harness_random(seed) % 4));
				expected[event - events] = 0;
			}
			break;
		case 1:
			if (running)
				perfctr_cpu_suspend(&thread);
			running = false;
			if (!nothing_left("after a suspend"))
				return false;
			break;
		case 2:
			if (running)
				break;
			running = !perfctr_cpu_resume(&thread);
			for (e = 0; running && e < n - ictrs; e++) {
				if (perfctr_cstatus_nrctrs(thread.cstatus) && thread.pmc[e].start)
					return false;
			}
			break;
		}
		steps = harness_random(seed) % 300;
		while (steps--) {
			if (running && perfctr_cstatus_nrctrs(thread.cstatus))
				sum++;
			for (e = 0; e < EVENTS; e++)
				expected[e] += events[e].on;
			machine_run(1, false);
		}
		for (e = 0; e < EVENTS; e++) {
			if (events[e].open && count_of(&events[e]) != expected[e]) {
				ktap_note("event %d: %llu instead of %llu", e,
					  (unsigned long long)count_of(&events[e]),
					  (unsigned long long)expected[e]);
				return false;
			}
		}
	}
	if (running)
		perfctr_cpu_suspend(&thread);
	return sums_are(sum) && nothing_left("at the end");
}

static bool test_random(void)
{
	u64 seed;

	for (seed = 1; seed <= 500; seed++) {
		u64 state = seed;

		if (random_round(&state))
			continue;
		ktap_note("seed %llu", (unsigned long long)seed);
		return false;
	}
	return true;
}

int main(void)
{
	ktap_plan(17);
	ktap_result(test_counts(), "counts");
	ktap_result(test_waits(), "flexible_event_waits");
	ktap_result(test_same_code(), "event_with_code_of_claim");
	ktap_result(test_returns(), "flexible_event_returns");
	ktap_result(test_pinned_first(), "pinned_first");
	ktap_result(test_pinned_second(), "pinned_second");
	ktap_result(test_pinned_groups(), "pinned_group_second");
	ktap_result(test_pinned_waits(), "pinned_has_waited");
	ktap_result(test_overflow(), "overflow");
	ktap_result(test_switches(), "period_over_switches");
	ktap_result(test_late(), "late_overflow");
	ktap_result(test_late_twice(), "late_overflow_with_two_interrupts");
	ktap_result(test_late_pinned(), "pinned_after_overflow");
	ktap_result(test_wrap(), "wrap");
	ktap_result(test_rollback(), "rollback");
	ktap_result(test_random(), "random");
	ktap_result(!harness_warned, "warnings");
	return ktap_end();
}
