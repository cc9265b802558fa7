// SPDX-License-Identifier: GPL-2.0
/*
 * The engine of the powerpc driver (the kernel's source), as built for 32 bits, on a processor that
 * is simulated in memory: one CPU with six counters. A counter that exceeds 31 bits interrupts at
 * that moment only, and a write of MMCR0 before the interrupt is taken cancels it. Some processors
 * have limited counters: PMC5 and PMC6 always count, also in the interrupt handler.
 */
#include "powerpc_kernel.h"

/* The registers */

enum {
	SPRN_MMCR0 = 7, SPRN_MMCR1, SPRN_MMCR2,
	SPRN_PMC1 = 1, SPRN_PMC2, SPRN_PMC3, SPRN_PMC4, SPRN_PMC5, SPRN_PMC6,
	SPRN_END = 10,
};

static u32 machine_registers[SPRN_END];
/* An overflow has requested an interrupt. */
static bool machine_pending;
/* PMC5 and PMC6 cannot be frozen. */
static bool machine_limited;
/* Steps in which PMC1 to PMC4 were not frozen, and all steps in user space */
static u64 machine_counted, machine_steps;

/* Simulate one step: all counters that are not frozen count it. */
static void machine_step(void)
{
	u32 *mmcr0 = &machine_registers[SPRN_MMCR0], enabled;
	bool frozen = *mmcr0 & (MMCR0_FC | MMCR0_FCP);
	int pmc;

	machine_counted += !frozen;
	for (pmc = 1; pmc <= 6; pmc++) {
		bool limited = machine_limited && pmc >= 5;

		if (frozen && !limited)
			continue;
		enabled = limited ? 0 : pmc == 1 ? MMCR0_PMC1CE : MMCR0_PMCjCE;
		if (++machine_registers[pmc] != 1U << 31 || !(*mmcr0 & enabled) ||
		    !(*mmcr0 & MMCR0_PMXE))
			continue;
		machine_pending = true;
		*mmcr0 &= ~MMCR0_PMXE;
		if (*mmcr0 & MMCR0_FCECE)
			*mmcr0 |= MMCR0_FC;
	}
}

/* Number of writes of registers */
static unsigned int machine_writes;
/* After each write another guest runs, and then the processor takes a step. */
static bool machine_is_guest;

static void machine_run_other_guest(void)
{
	int reg;

	/* The hypervisor preserves the registers only if they are in use. */
	for (reg = 1; reg < SPRN_END && !kernel_pmu_inuse; reg++)
		machine_registers[reg] = reg == SPRN_MMCR0 ? 0 : 100 + reg;
	machine_step();
}

static unsigned long mfspr(int reg)
{
	return machine_registers[reg];
}

static void mtspr(int reg, u32 value)
{
	if (reg == SPRN_MMCR0)
		machine_pending = false;
	machine_registers[reg] = value;
	machine_writes++;
	if (machine_is_guest)
		machine_run_other_guest();
}

#include "../../../arch/powerpc/perf/assign.c"
#include "../../../arch/powerpc/perf/registers.c"
#include "../../../arch/powerpc/perf/choose.c"
#include "../../../arch/powerpc/perf/count.c"
#include "../../../arch/powerpc/perf/limited.c"
#include "../../../arch/powerpc/perf/sample.c"
#include "../../../arch/powerpc/perf/pmu.c"
#include "../../../arch/powerpc/perf/overflow.c"

bool power_share = true;
struct power_pmu *power_driver;

int power_event_init(struct perf_event *event)
{
	return 0;
}

/* Steps that the kernel takes for a sample */
#define SAMPLE_STEPS	1000

static int samples;

static int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			       struct pt_regs *regs)
{
	int i;

	samples++;
	for (i = 0; i < SAMPLE_STEPS; i++)
		machine_step();
	return 0;
}

/* Run @steps in user space, with interrupts off if @masked. */
static void machine_run(int steps, bool masked)
{
	struct pt_regs regs = { .user = true };

	while (steps--) {
		machine_steps++;
		machine_step();
		if (!machine_pending || masked)
			continue;
		machine_pending = false;
		power_interrupt(&regs);
	}
}

/* An event on any of PMC1 to PMC4. All other codes are the number of the counter. */
#define CODE_ANY	0x10

static int test_limited_code(u64 code)
{
	return code == 5 || code == 6;
}

/* Values of MMCR1 and MMCR2 for any events */
#define TEST_MMCR1	0x1e02
#define TEST_MMCR2	0x8000

static int test_compute(u64 events[], int n, unsigned int hwc[], struct mmcr_regs *mmcr,
			struct perf_event *pevents[], u32 flags)
{
	unsigned int used = 0, pmc = 0;
	int i;

	mmcr->mmcr0 = MMCR0_PMC1CE | MMCR0_PMCjCE;
	mmcr->mmcr1 = TEST_MMCR1;
	mmcr->mmcr2 = TEST_MMCR2;
	for (i = 0; i < n; i++)
		used |= BIT(events[i]);
	for (i = 0; i < n; i++) {
		if (events[i] != CODE_ANY) {
			hwc[i] = events[i] - 1;
			continue;
		}
		while (used & BIT(++pmc))
			;
		if (pmc > 4)
			return -1;
		hwc[i] = pmc - 1;
	}
	return 0;
}

/**
 * struct test_event - an event
 * @event: the event
 * @encoded: its encodings
 * @codes: their storage
 */
struct test_event {
	struct perf_event	event;
	struct power_encoded	encoded;
	struct power_code	codes[2];
};

/* Initialize an event on @pmc; @period is 0 if it does not sample. */
static void test_init(struct test_event *test, int pmc, u64 period)
{
	struct perf_event *event = &test->event;

	memset(test, 0, sizeof(*test));
	test->codes[0].code = pmc;
	test->encoded.sel.code = pmc;
	test->encoded.alts.codes = test->codes;
	test->encoded.alts.n = 1;
	event->pmu = &power_pmu_ops;
	event->group_leader = event;
	event->pmu_private = &test->encoded;
	event->hw.sample_period = period;
	local64_set(&event->hw.period_left, period);
}

static int test_try_add(struct test_event *test)
{
	return test->event.pmu->add(&test->event, PERF_EF_START);
}

static void test_add(struct test_event *test, int pmc, u64 period)
{
	test_init(test, pmc, period);
	WARN_ON_ONCE(test_try_add(test));
}

static void test_begin(struct power_pmu *driver, bool limited)
{
	memset(machine_registers, 0, sizeof(machine_registers));
	machine_registers[SPRN_MMCR0] = MMCR0_FC;
	machine_limited = limited;
	*driver = (struct power_pmu){
		.n_counter = 6, .compute_mmcr = test_compute,
		.limited_pmc_event = test_limited_code,
		.flags = limited ? PPMU_LIMITED_PMC5_6 : 0,
	};
	power_driver = driver;
	power_cpu_reset(&power_cpus);
	power_limited_init_timer(0);
	power_unused_init_timer(0);
	samples = 0;
}

static s64 test_count(struct test_event *test)
{
	test->event.pmu->read(&test->event);
	return local64_read(&test->event.count);
}

/* Two events of the same steps: one samples, and the other only counts. */
static bool test_samples(void)
{
	struct test_event sampler, counter;
	struct power_pmu driver;

	test_begin(&driver, false);
	test_add(&sampler, 1, 1000);
	test_add(&counter, 2, 0);
	machine_run(10000, false);
	return samples == 10 && test_count(&sampler) == 10000 && test_count(&counter) == 10000;
}

/* A late interrupt of an event that excludes the kernel has a kernel address: no sample has it. */
static bool test_excluded_kernel(void)
{
	struct pt_regs kernel = { .user = false }, user = { .user = true };
	struct test_event sampler;
	struct perf_event *event = &sampler.event;

	test_init(&sampler, 1, 1000);
	event->attr.exclude_kernel = 1;
	event->attr.sample_type = PERF_SAMPLE_IP;
	if (!power_sample_allowed(event, &user) || power_sample_allowed(event, &kernel))
		return false;
	event->attr.sample_type = PERF_SAMPLE_TIME;
	return power_sample_allowed(event, &kernel);
}

/* A counter that cannot be frozen must not count the work of the interrupt handler. */
static bool test_limited(void)
{
	struct test_event sampler, limited;
	struct power_pmu driver;

	test_begin(&driver, true);
	test_add(&sampler, 1, 1000);
	test_add(&limited, 6, 0);
	machine_run(10000, false);
	ktap_note("%d samples, %lld of 10000 steps", samples, (long long)test_count(&limited));
	return samples == 10 && test_count(&limited) == 10000;
}

static void machine_timer(struct hrtimer *timer)
{
	if (timer->queued)
		timer->queued = timer->function(timer) == HRTIMER_RESTART;
}

/* A counter that does not interrupt is read before it wraps, until its event is removed. */
static bool test_limited_wrap(void)
{
	struct test_event limited, other;
	struct power_pmu driver;
	s64 count;
	int i;

	test_begin(&driver, true);
	test_add(&other, 2, 0);
	if (power_limited_timers.queued)
		return false;
	test_add(&limited, 6, 0);
	for (i = 0; i < 4; i++) {
		machine_registers[SPRN_PMC6] += 3U << 30;
		machine_timer(&power_limited_timers);
	}
	count = test_count(&limited);
	limited.event.pmu->del(&limited.event, 0);
	machine_timer(&power_limited_timers);
	ktap_note("%lld of %lld", (long long)count, 4 * (3LL << 30));
	return count == 4 * (3LL << 30) && !power_limited_timers.queued;
}

/*
 * If an event excludes user space, MMCR0 freezes PMC1 to PMC4 there. An event that excludes nothing
 * must then be on PMC6, which is never frozen.
 */
static bool test_limited_beside_frozen(void)
{
	struct test_event all, kernel, both;
	struct power_pmu driver;

	test_begin(&driver, true);
	test_init(&all, CODE_ANY, 0);
	all.codes[1].code = 6;
	all.encoded.alts.n = 2;
	all.encoded.sel.flags = PPMU_LIMITED_PMC_OK << POWER_NOT_BITS;
	test_init(&kernel, 2, 0);
	kernel.encoded.sel.flags = POWER_NOT_USER;
	/* PMC5 and PMC6 cannot sample. */
	test_init(&both, 1, 1000);
	if (test_try_add(&all) || all.event.hw.idx != 1)
		return false;
	machine_run(100, false);
	if (test_try_add(&kernel) || all.event.hw.idx != 6 || test_try_add(&both) != -EAGAIN)
		return false;
	machine_run(200, false);
	if (test_count(&all) != 300 || test_count(&kernel) != 0)
		return false;
	kernel.event.pmu->del(&kernel.event, 0);
	return !test_try_add(&both);
}

/* The PMU is disabled between an overflow and its interrupt. */
static bool test_late(void)
{
	struct test_event sampler, counter;
	struct power_pmu driver;

	test_begin(&driver, false);
	test_add(&sampler, 1, 1000);
	test_add(&counter, 2, 0);
	machine_run(1000, true);
	perf_pmu_disable(&power_pmu_ops);
	perf_pmu_enable(&power_pmu_ops);
	machine_run(1, false);
	return samples == 1 && test_count(&sampler) == 1001 && test_count(&counter) == 1001;
}

/* As test_late(), with a period of more than 31 bits. */
static bool test_late_long(void)
{
	struct test_event sampler;
	struct power_pmu driver;

	test_begin(&driver, false);
	test_add(&sampler, 1, (1ULL << 31) + 1000);
	/* The counter has started at 0: advance it to 10 steps before its overflow. */
	machine_registers[SPRN_PMC1] = (1U << 31) - 10;
	machine_run(10, true);
	perf_pmu_disable(&power_pmu_ops);
	perf_pmu_enable(&power_pmu_ops);
	machine_run(999, false);
	if (samples)
		return false;
	machine_run(1, false);
	return samples == 1;
}

/* One of two events on a counter is stopped between the overflow and its interrupt. */
static bool test_late_shared(void)
{
	struct test_event stopped, runs;
	struct power_pmu driver;
	s64 before;

	test_begin(&driver, false);
	test_add(&stopped, 1, 0);
	test_add(&runs, 1, 0);
	machine_registers[SPRN_PMC1] = (1U << 31) - 10;
	before = test_count(&runs);
	machine_run(10, true);
	stopped.event.pmu->stop(&stopped.event, 0);
	machine_run(100, false);
	return test_count(&runs) == before + 110;
}

/* Some time after the last event, a hypervisor may put any values into the registers. */
static bool test_unused(void)
{
	struct test_event counter;
	struct power_pmu driver;
	int pmc;

	test_begin(&driver, false);
	test_add(&counter, 1, 0);
	machine_run(10, false);
	counter.event.pmu->del(&counter.event, 0);
	if (!kernel_pmu_inuse || machine_registers[SPRN_PMC1])
		return false;
	machine_timer(&power_unused_timers);
	if (kernel_pmu_inuse)
		return false;
	for (pmc = 1; pmc <= 6; pmc++)
		machine_registers[pmc] = 100;
	machine_registers[SPRN_MMCR1] = 0;
	test_add(&counter, 2, 0);
	for (pmc = 1; pmc <= 6; pmc++) {
		if (machine_registers[pmc])
			return false;
	}
	/* The timer is for a time without events. */
	counter.event.pmu->del(&counter.event, 0);
	test_add(&counter, 2, 0);
	machine_timer(&power_unused_timers);
	return kernel_pmu_inuse && machine_registers[SPRN_MMCR1] == TEST_MMCR1;
}

/*
 * At its first write, the driver requests that the hypervisor preserves the registers. So the
 * counters stay frozen, and events count none of the driver's work except the step after the last
 * write.
 */
static bool test_guest(void)
{
	struct test_event first, second;
	struct power_pmu driver;

	test_begin(&driver, false);
	kernel_pmu_inuse = false;
	machine_is_guest = true;
	perf_pmu_disable(&power_pmu_ops);
	test_add(&first, 1, 1000);
	test_add(&second, 2, 1000);
	perf_pmu_enable(&power_pmu_ops);
	machine_is_guest = false;
	machine_run(10, false);
	return test_count(&first) == 11 && test_count(&second) == 11;
}

/* A deep idle state of a host, which loses all registers but MMCR0 */
static void machine_deep_idle(void)
{
	u32 mmcr0;

	power_pmu_idle_enter();
	mmcr0 = machine_registers[SPRN_MMCR0];
	memset(machine_registers, 0, sizeof(machine_registers));
	machine_registers[SPRN_MMCR0] = mmcr0;
	power_pmu_idle_exit();
}

/* A system suspend, which loses all registers: they have any value. */
static void machine_suspend(void)
{
	int reg;

	power_syscore.ops->suspend(NULL);
	for (reg = 1; reg < SPRN_END; reg++)
		machine_registers[reg] = reg == SPRN_MMCR0 ? 0 : 100 + reg;
	power_syscore.ops->resume(NULL);
}

/*
 * The registers are lost while two events stay on the CPU, so that no task switch programs them
 * again. Another event is added afterwards. Events do not count while the registers are lost.
 */
static bool test_lost(void (*machine_lose)(void))
{
	struct test_event sampler, counter, sharer;
	struct power_pmu driver;

	test_begin(&driver, false);
	test_add(&sampler, 1, 1000);
	test_add(&counter, 2, 0);
	machine_run(700, false);
	machine_lose();
	if (machine_registers[SPRN_MMCR1] != TEST_MMCR1 ||
	    machine_registers[SPRN_MMCR2] != TEST_MMCR2)
		return false;
	machine_run(200, false);
	machine_lose();
	test_add(&sharer, 2, 0);
	machine_run(99, false);
	if (samples)
		return false;
	machine_run(1, false);
	return samples == 1 && test_count(&sampler) == 1000 && test_count(&counter) == 1000 &&
	       test_count(&sharer) == 100;
}

/* Without events, the registers are not in use. */
static bool test_idle_unused(void)
{
	struct test_event counter;
	struct power_pmu driver;

	test_begin(&driver, false);
	machine_deep_idle();
	test_add(&counter, 1, 0);
	machine_run(10, false);
	counter.event.pmu->del(&counter.event, 0);
	machine_writes = 0;
	machine_deep_idle();
	if (machine_writes)
		return false;
	test_add(&counter, 1, 0);
	machine_run(10, false);
	return test_count(&counter) == 10;
}

/* After a suspend without events, the counters are frozen, and all start at 0 with an event. */
static bool test_suspend_unused(void)
{
	struct test_event counter;
	struct power_pmu driver;

	test_begin(&driver, false);
	test_add(&counter, 1, 0);
	machine_run(10, false);
	counter.event.pmu->del(&counter.event, 0);
	machine_suspend();
	if (!(machine_registers[SPRN_MMCR0] & MMCR0_FC))
		return false;
	test_add(&counter, 2, 0);
	machine_run(10, false);
	return test_count(&counter) == 10 && machine_registers[SPRN_MMCR1] == TEST_MMCR1 &&
	       machine_registers[SPRN_PMC3] == 10;
}

/* Did the driver warn since the last call? */
static bool test_warned(void)
{
	bool warned = harness_warned;

	harness_warned = false;
	return warned;
}

/* The driver warns if idle code has not disabled interrupts, or has run the counters in between. */
static bool test_idle_asserts(void)
{
	struct test_event counter;
	struct power_pmu driver;
	bool unmasked, ran;

	test_begin(&driver, false);
	test_add(&counter, 1, 0);
	if (test_warned())
		return false;
	kernel_msr = MSR_EE;
	power_pmu_idle_enter();
	unmasked = test_warned();
	kernel_msr = 0;
	power_pmu_idle_exit();
	if (test_warned())
		return false;
	machine_deep_idle();
	if (test_warned())
		return false;
	power_pmu_ops.disabled++;
	power_pmu_idle_exit();
	ran = test_warned();
	return unmasked && ran;
}

/* Writes of registers at a switch between tasks with the @n events @prev and @next; NULL: none */
static unsigned int test_switch(struct test_event *prev, struct test_event *next, int n)
{
	int i;

	machine_writes = 0;
	perf_pmu_disable(&power_pmu_ops);
	for (i = 0; prev && i < n; i++)
		prev[i].event.pmu->del(&prev[i].event, 0);
	for (i = 0; next && i < n; i++)
		WARN_ON_ONCE(test_try_add(&next[i]));
	perf_pmu_enable(&power_pmu_ops);
	return machine_writes;
}

/*
 * A switch between tasks with the same counting events writes MMCR0 twice, to freeze the counters
 * and to run them, and clears each counter, because it has counts of another task.
 */
static bool test_switch_writes(void)
{
	struct test_event first[4], second[4];
	struct power_pmu driver;
	int i;

	test_begin(&driver, false);
	for (i = 0; i < 4; i++) {
		test_init(&second[i], i + 1, 0);
		test_add(&first[i], i + 1, 0);
	}
	machine_run(10, false);
	if (test_switch(first, second, 1) != 2 + 1 || test_switch(second, first, 1) != 2 + 1 ||
	    test_switch(first, second, 4) != 2 + 4)
		return false;
	/* A switch to a task without events, and a switch back */
	if (test_switch(second, NULL, 4) != 1 + 4 || test_switch(NULL, second, 4) != 1)
		return false;
	machine_run(20, false);
	return test_switch(second, first, 4) == 2 + 4 && test_count(&first[3]) == 10 &&
	       test_count(&second[3]) == 20;
}

/* A counter wraps if its interrupt is late. */
static bool test_wrap(void)
{
	struct test_event counter;
	struct power_pmu driver;

	test_begin(&driver, false);
	test_add(&counter, 1, 0);
	machine_run(700, false);
	if (test_count(&counter) != 700)
		return false;
	machine_registers[SPRN_PMC1] = 5;
	return test_count(&counter) == (1LL << 32) + 5;
}

/* The CPU rolls back speculative counts of a counter whose overflow has requested an interrupt. */
static bool test_rollback(void)
{
	struct test_event sampler;
	struct power_pmu driver;
	s64 before, after;

	test_begin(&driver, false);
	test_add(&sampler, 1, 1000);
	machine_run(1000, true);
	before = test_count(&sampler);
	machine_registers[SPRN_PMC1] -= 5;
	after = test_count(&sampler);
	/* The interrupt finds no overflow. */
	machine_run(1, false);
	machine_run(4, false);
	if (before != 1000 || after != 1000 || samples)
		return false;
	machine_run(1, false);
	return samples == 1 && test_count(&sampler) == 1000;
}

/* Speculative counts of a counter that was at 0 a moment before are rolled back. */
static bool test_rollback_at_0(void)
{
	struct test_event counter;
	struct power_pmu driver;
	s64 before, after;

	test_begin(&driver, false);
	test_add(&counter, 1, 0);
	machine_registers[SPRN_PMC1] = -2;
	if (test_count(&counter))
		return false;
	machine_registers[SPRN_PMC1] = 0;
	machine_run(3, false);
	before = test_count(&counter);
	machine_registers[SPRN_PMC1] -= 5;
	after = test_count(&counter);
	machine_run(9, false);
	ktap_note("%lld, then %lld, then %lld", (long long)before, (long long)after,
		  (long long)test_count(&counter));
	return before == 3 && after == 3 && test_count(&counter) == 7;
}

/**
 * struct test_slot - an event of the random test
 * @test: the event
 * @code: its code; 0: not added
 * @period: its period; 0: it does not sample
 * @stopped: it was stopped
 * @begin: slot_clock() at the last check of its count
 * @count: its count at that check
 */
struct test_slot {
	struct test_event	test;
	int			code;
	u64			period;
	bool			stopped;
	u64			begin;
	u64			count;
};

#define SLOTS	6

static struct test_slot slots[SLOTS];

/* The number of steps that the event's counter could count */
static u64 slot_clock(const struct test_slot *slot)
{
	return machine_limited && slot->code >= 5 && slot->code <= 6 ? machine_steps :
		machine_counted;
}

/* Can an event be counted beside the others? Equal events that do not sample share a counter. */
static bool slot_fits(int code, u64 period)
{
	unsigned int named = 0;
	int i, anys = 0, shared = 0;

	for (i = 0; i < SLOTS; i++) {
		if (!slots[i].code)
			continue;
		if (slots[i].code == code && !period && !slots[i].period)
			return true;
		if (slots[i].code == code && code != CODE_ANY)
			return false;
		if (slots[i].code == CODE_ANY) {
			anys += slots[i].period || !shared;
			shared |= !slots[i].period;
		} else {
			named |= BIT(slots[i].code);
		}
	}
	if (code == CODE_ANY)
		anys++;
	else
		named |= BIT(code);
	return anys + __builtin_popcount(named & 0x1e) <= 4;
}

/* Is the counter of a sampling event in overflow without a pending interrupt? */
static bool slot_lost(const struct test_slot *slot)
{
	return slot->period && !slot->stopped && !machine_pending &&
	       machine_registers[slot->test.event.hw.idx] & PMC_OVERFLOW;
}

static bool slot_check(struct test_slot *slot)
{
	u64 now = slot_clock(slot), count = test_count(&slot->test);
	u64 expected = slot->count + (slot->stopped ? 0 : now - slot->begin);

	if (slot_lost(slot)) {
		ktap_note("code %x: an overflow is lost", slot->code);
		return false;
	}

	slot->begin = now;
	slot->count = count;
	if (count == expected)
		return true;
	ktap_note("code %x, period %llu: %llu instead of %llu", slot->code,
		  (unsigned long long)slot->period, (unsigned long long)count,
		  (unsigned long long)expected);
	return false;
}

static void slot_add(struct test_slot *slot, u64 *seed)
{
	int code = harness_random(seed) % 7 ?: CODE_ANY;
	u64 period = harness_random(seed) % 2 && !(machine_limited && code >= 5 && code <= 6) ?
		     harness_random(seed) % 300 + 1 : 0;

	if (!slot_fits(code, period))
		return;
	slot->code = code;
	slot->period = period;
	slot->stopped = false;
	slot->count = 0;
	slot->begin = slot_clock(slot);
	test_add(&slot->test, code, period);
}

/* Simulate many steps at once, unless a counter that can interrupt would overflow. */
static void machine_leap(u32 steps)
{
	int pmc;

	for (pmc = 1; pmc <= 6; pmc++) {
		if (!(machine_limited && pmc >= 5) &&
		    machine_registers[pmc] + (u64)steps >= PMC_OVERFLOW)
			return;
	}
	if (machine_registers[SPRN_MMCR0] & MMCR0_FC)
		return;
	for (pmc = 1; pmc <= 6; pmc++)
		machine_registers[pmc] += steps;
	machine_counted += steps;
	machine_steps += steps;
}

/* Change an event, or run. Return: whether all counts are right. */
static bool random_step(u64 *seed)
{
	struct test_slot *slot = &slots[harness_random(seed) % SLOTS];
	struct perf_event *event = &slot->test.event;
	int i;

	switch (harness_random(seed) % 9) {
	case 0:
		if (!slot->code) {
			slot_add(slot, seed);
			break;
		}
		if (!slot_check(slot))
			return false;
		event->pmu->del(event, 0);
		slot->code = 0;
		break;
	case 1:
		if (!slot->code)
			break;
		if (!slot_check(slot))
			return false;
		if (slot->stopped)
			event->pmu->start(event, 0);
		else
			event->pmu->stop(event, 0);
		slot->stopped = !slot->stopped;
		break;
	case 2:
		perf_pmu_disable(&power_pmu_ops);
		/* The kernel works while the PMU is disabled. */
		for (i = harness_random(seed) % 100; i; i--)
			machine_step();
		perf_pmu_enable(&power_pmu_ops);
		break;
	case 3:
		/* A previous user has left any value in an unused counter. */
		i = harness_random(seed) % 4 + 1;
		if (!kernel_pmu_inuse)
			machine_registers[i] = harness_random(seed);
		if (harness_random(seed) % 2)
			machine_timer(&power_unused_timers);
		break;
	case 4:
		machine_leap(harness_random(seed) / 8);
		break;
	case 5:
		if (harness_random(seed) % 2)
			machine_deep_idle();
		else
			machine_suspend();
		break;
	default:
		machine_run(harness_random(seed) % 200, harness_random(seed) % 4 == 0);
	}
	if (harness_random(seed) % 4)
		return true;
	for (i = 0; i < SLOTS; i++) {
		if (slots[i].code && !slot_check(&slots[i]))
			return false;
	}
	return true;
}

#define ROUNDS	200
#define STEPS	500

/* Events are added, removed, stopped, started and moved at random: all count exactly. */
static bool test_random(bool limited)
{
	struct power_pmu driver;
	u64 seed;
	int i;

	for (seed = 1; seed <= ROUNDS; seed++) {
		u64 state = seed;

		test_begin(&driver, limited);
		memset(slots, 0, sizeof(slots));
		for (i = 0; i < STEPS; i++) {
			if (!random_step(&state)) {
				ktap_note("seed %llu, step %d", (unsigned long long)seed, i);
				return false;
			}
		}
	}
	return true;
}

int main(void)
{
	ktap_plan(22);
	ktap_result(test_samples(), "samples");
	ktap_result(test_excluded_kernel(), "excluded_kernel");
	ktap_result(test_limited(), "limited_counters_in_interrupt");
	ktap_result(test_limited_wrap(), "limited_counter_wraps");
	ktap_result(test_limited_beside_frozen(), "limited_counter_beside_frozen");
	ktap_result(test_late(), "late_overflow");
	ktap_result(test_late_long(), "late_overflow_of_long_period");
	ktap_result(test_late_shared(), "late_overflow_of_shared_counter");
	ktap_result(test_rollback(), "rollback");
	ktap_result(test_rollback_at_0(), "rollback_at_0");
	ktap_result(test_unused(), "registers_after_no_events");
	ktap_result(test_guest(), "registers_of_guest");
	ktap_result(test_lost(machine_deep_idle), "deep_idle");
	ktap_result(test_lost(machine_suspend), "suspend");
	ktap_result(test_suspend_unused(), "suspend_without_events");
	ktap_result(test_idle_unused(), "deep_idle_without_events");
	ktap_result(test_idle_asserts(), "deep_idle_asserts");
	ktap_result(test_switch_writes(), "writes_of_a_switch");
	ktap_result(test_wrap(), "wrap");
	ktap_result(test_random(false), "random");
	ktap_result(test_random(true), "random_limited");
	ktap_result(!harness_warned, "warnings");
	return ktap_end();
}
