// SPDX-License-Identifier: GPL-2.0
/* Overflow interrupts, and checks of sampling events */
#include "x86_events.h"

/* Only PEBS records have vector registers, and only for PERF_SAMPLE_REGS_INTR. */
static bool vectors(void)
{
	struct perf_event_attr attr = { .config = ANY_CODE, .sample_period = 1000 };
	bool ok;

	row = &model;
	start_machine(&with_control, 1, 4000);
	attr.sample_regs_user = BIT_ULL(32);
	ok = open_event(&counted[0], &attr) == -EINVAL;
	attr.precise_ip = 2;
	ok &= open_event(&counted[0], &attr) == -EINVAL;
	attr.sample_regs_user = BIT_ULL(31);
	attr.sample_regs_intr = BIT_ULL(63);
	ok &= !open_event(&counted[0], &attr);
	attr.precise_ip = 0;
	ok &= open_event(&counted[0], &attr) == -EINVAL;
	attr.sample_regs_intr = BIT_ULL(31);
	return ok && !open_event(&counted[0], &attr);
}

/* AnyThread needs permission for the CPU. An inherited event does not: its parent event had it. */
static bool any_thread(void)
{
	const struct perf_event_attr attr = { .config = ANY_CODE | ARCH_PERFMON_EVENTSEL_ANY };
	struct perf_event *event = &counted[0].event;
	bool ok;

	row = &model;
	start_machine(&with_control, 1, 4000);
	core.config_mask |= ARCH_PERFMON_EVENTSEL_ANY;
	ok = !open_event(&counted[0], &attr);
	cpu_forbidden = -EACCES;
	ok &= open_event(&counted[0], &attr) == -EACCES;
	event->parent = event;
	ok &= !x86_event_init(event) && (event->hw.config & ARCH_PERFMON_EVENTSEL_ANY);
	cpu_forbidden = 0;
	return ok && !harness_warned;
}

/*
 * The upper counter of a pair is left just before its overflow. The next event on it counts
 * the kernel, so it overflows before the counter is programmed.
 */
static bool reuses_upper(u64 seed)
{
	static const u8 codes[] = { 0x20, 0x21, 0x22, 0x23 };
	struct perf_event_attr attr = { .config = MACHINE_PAIR_CODE, .exclude_kernel = 1 };

	row = &model;
	start_machine(&selects_alone, seed, GENMASK_ULL(30, 0));
	assert(!open_event(&counted[0], &attr));
	open_modes(1, codes, 0, true);
	schedule_in(&counted[0]);
	machine_run(1000);
	schedule_out(&counted[0]);
	machine_run(1000);
	/* Late interrupts are not expected any more. */
	machine.all += 2 * X86_LATE_NS / MACHINE_STEP_NS;
	machine.held = true;
	switch_events(-1, 1);
	machine.held = false;
	machine_run(1000);
	return !machine.unknown && !harness_warned;
}

static bool upper_is_reused(void)
{
	u64 seed;

	for (seed = 1; seed < 100; seed++) {
		if (reuses_upper(seed))
			continue;
		printf("# seed %llu\n", (unsigned long long)seed);
		return false;
	}
	return true;
}

/* Number of samples that were written before a check of @branches_later */
static unsigned long unchecked_samples;

static void check_check(const struct counted *c, const struct perf_sample_data *data,
			const struct pt_regs *regs)
{
	unchecked_samples += !branches_checked ||
			     branches_found != (machine.status & X86_STATUS_BRANCHES_FROZEN);
}

/*
 * An interrupt that takes samples checks before them whether it has frozen the branch unit. An NMI
 * of another device takes none, and does not check.
 */
static bool checks_branches(u8 precise_ip, bool frozen)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .exclude_kernel = 1, .sample_period = 100,
		.precise_ip = precise_ip, .sample_type = PERF_SAMPLE_CALLCHAIN,
	};
	u64 bit = X86_STATUS_BRANCHES_FROZEN, samples;
	bool ok;

	row = &model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	assert(!open_event(&counted[0], &attr));
	schedule_in(&counted[0]);
	machine.quiet = true;
	branches_later = bit;
	branches_checked = 0;
	unchecked_samples = 0;
	check_sample = check_check;
	run_user(10);
	machine.status |= frozen ? bit : 0;
	machine_nmi();
	ok = !branches_checked && !counted[0].samples;
	run_user(100);
	machine_take_interrupt();
	samples = counted[0].samples;
	branches_later = 0;
	check_sample = NULL;
	schedule_out(&counted[0]);
	return ok && samples == 1 && branches_checked == 1 && !unchecked_samples && !harness_warned;
}

/* Do all events continue to sample? @any: an AnyThread event that excludes the kernel */
static bool goes_on_sampling(const struct x86_pmu_msrs *msrs, bool any, u64 period)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .exclude_kernel = any, .sample_period = period,
	};
	int i, n = any ? 1 : 2;
	u64 added = 0;

	start_machine(msrs, 1, GENMASK_ULL(30, 0));
	core.config_mask |= ARCH_PERFMON_EVENTSEL_ANY;
	if (any)
		attr.config |= ARCH_PERFMON_EVENTSEL_ANY;
	/*
	 * Two events with equal periods: one overflows while the driver handles the overflow of
	 * the other.
	 */
	for (i = 0; i < n; i++) {
		assert(!open_event(&counted[i], &attr));
		attr.config = LIMITED_CODE;
	}
	perf_pmu_disable(&core.pmu);
	add_group(GENMASK_ULL(n - 1, 0), &added, now());
	perf_pmu_enable(&core.pmu);
	for (u64 steps = 0; steps < 500 * max(period, 50); steps++) {
		machine_run(1);
		for (i = 0; i < n; i++) {
			if (will_overflow(&counted[i], x86_event_count(&counted[i].event)->counter))
				continue;
			printf("# event %d has stopped after %llu samples\n", i,
			       (unsigned long long)counted[i].samples);
			return false;
		}
	}
	return counted[0].samples > 200 && !machine.unknown && !harness_warned;
}

/*
 * Without a local APIC there are no interrupts. So each read of an overflowed counter must program
 * it again: otherwise the counter wraps, and later reads add nothing.
 */
static bool counts_without_interrupts(void)
{
	struct perf_event_attr attr = { .config = ANY_CODE };
	struct counted *c = &counted[0];
	u64 before = 0, value;
	bool ok = true;
	int i;

	start_machine(&modes_halt, 1, GENMASK_ULL(30, 0));
	machine.masked = true;
	core.pmu.capabilities |= PERF_PMU_CAP_NO_INTERRUPT;
	assert(!open_event(c, &attr));
	schedule_in(c);
	for (i = 0; i < 16; i++) {
		u64 *counter = &machine.counter[x86_event_count(&c->event)->counter];

		*counter = (*counter + BIT_ULL(30)) & GENMASK_ULL(MACHINE_WIDTH - 1, 0);
		core.pmu.read(&c->event);
		value = local64_read(&c->event.count);
		ok &= value - before >= BIT_ULL(30) && value - before < BIT_ULL(30) + 1000;
		before = value;
	}
	schedule_out(c);
	core.pmu.capabilities &= ~PERF_PMU_CAP_NO_INTERRUPT;
	return ok && !harness_warned;
}

/*
 * An overflow flag keeps the interrupt asserted. So the handler must also clear the flag of a
 * counter without an event while x86_reprogram() moves events: otherwise NMIs follow one another
 * without end.
 */
static bool clears_flags_without_event(void)
{
	struct perf_event_attr attr = { .config = ANY_CODE, .sample_period = 1000 };
	struct x86_count *count;
	u64 select;
	bool ok;

	start_machine(&marks, 1, GENMASK_ULL(30, 0));
	machine.quiet = true;
	assert(!open_event(&counted[0], &attr));
	schedule_in(&counted[0]);
	count = x86_event_count(&counted[0].event);
	select = x86_pmu_cpu.select[count->counter];
	x86_pmu_cpu.owner[count->counter] = NULL;
	/* As in x86_reset_registers() */
	x86_pmu_cpu.select[count->counter] = ~0ULL;
	machine.marks |= machine_bit(count->counter);
	ok = machine_nmi() && !machine.marks && !machine.pending &&
		machine.select[count->counter] == select;
	x86_pmu_cpu.select[count->counter] = select;
	x86_pmu_cpu.owner[count->counter] = count;
	schedule_out(&counted[0]);
	return ok && !harness_warned;
}

static bool run_alone(void)
{
	struct perf_event_attr attr = { .config = ANY_CODE, .sample_period = 1000 };

	assert(!open_event(&counted[0], &attr));
	schedule_in(&counted[0]);
	while (machine.sent < 10)
		machine_run(1);
	return counted[0].samples == 10 || counted[0].samples == 9;
}

/*
 * The driver acknowledges status bits that report no overflow, but does not claim an NMI for these
 * bits.
 */
static bool foreign_bits(void)
{
	u64 bits;
	bool ok;
	int i;

	row = &model;
	start_machine(&with_control, 1, 4000);
	/* Before the first event, the driver does not claim an NMI even for an overflow bit. */
	machine.status = BIT_ULL(0) | BIT_ULL(63);
	ok = !machine_nmi();
	/* A guest may use PT without an event of the host. */
	machine.status |= GLOBAL_STATUS_TRACE_TOPAPMI;
	features &= ~BIT(X86_FEATURE_INTEL_PT);
	ok &= !machine_nmi();
	features |= BIT(X86_FEATURE_INTEL_PT);
	ok &= machine_nmi() && machine.status == (BIT_ULL(0) | BIT_ULL(63)) && !machine_nmi();
	machine.status = 0;
	ok &= run_alone();
	for (i = 0; i < 64; i++) {
		bits = BIT_ULL(i) & MACHINE_STATUS_FOREIGN;
		if (!bits)
			continue;
		machine.status = bits;
		ok &= !machine_nmi() && !machine.status;
	}
	machine.status = MACHINE_STATUS_BUFFER;
	ok &= machine_nmi() && !machine.status;
	machine.status = GLOBAL_STATUS_TRACE_TOPAPMI;
	return ok && machine_nmi() && !machine.status;
}

/*
 * Microcode may set reserved status bits in error. The driver does not claim an NMI for these bits,
 * and does not acknowledge them.
 */
static bool reserved_bits(void)
{
	const u64 reserved = BIT_ULL(7) | BIT_ULL(40) | BIT_ULL(62);
	bool ok;

	row = &model;
	start_machine(&without_mask, 1, 4000);
	ok = run_alone();
	x86_pmu_cpu.late_nmi_until = 0;
	machine.status = reserved;
	ok &= !machine_nmi() && machine.status == reserved;
	machine.status |= BIT_ULL(0) | BIT_ULL(58);
	ok &= machine_nmi() && machine.status == reserved;
	x86_reset_registers(&x86_pmu_cpu);
	return ok && machine.status == reserved;
}

/*
 * The interrupt of the counters may be masked before the first event is added: the driver unmasks
 * it.
 */
static bool unmasked_at_start(const struct x86_pmu_msrs *msrs)
{
	row = &model;
	start_machine(msrs, 1, 4000);
	machine.masked = true;
	return run_alone();
}

/* A CPU with transactions */
static const struct x86_model transactions_model = {
	.name = "transactions", .limits = thread_limits, .extra = extra,
	.config_mask = X86_RAW_EVENT_MASK | HSW_IN_TX_CHECKPOINTED,
	.transactions = (struct attribute *[]){ NULL },
};

/*
 * The interrupt of a checkpointed counter aborts the transaction, which rolls back the counter and
 * its status bit. The driver claims the NMI nevertheless, and the counter does not overflow again
 * at once.
 */
static bool checkpointed(u64 period)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE | HSW_IN_TX_CHECKPOINTED, .exclude_kernel = true,
		.sample_period = period,
	};
	struct counted *c = &counted[0];
	int counter;
	bool ok;

	row = &transactions_model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	assert(!open_event(c, &attr));
	schedule_in(c);
	counter = x86_event_count(&c->event)->counter;
	machine.counter[counter] = -5U;
	ok = machine_nmi() && (s32)machine.counter[counter] < -(s32)BIT(20);
	/* The next x86_reprogram() does not program an early overflow, either. */
	perf_pmu_disable(&core.pmu);
	x86_pmu_cpu.needs_reprogram = true;
	perf_pmu_enable(&core.pmu);
	ok &= (s32)machine.counter[counter] < -(s32)BIT(20);
	perf_pmu_disable(&core.pmu);
	core.pmu.del(&c->event, 0);
	x86_clear_unused(&x86_pmu_cpu);
	perf_pmu_enable(&core.pmu);
	return ok && !machine_nmi();
}

/* The period of an open checkpointed event cannot be changed to one that an open refuses. */
static bool checkpointed_period(void)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE | HSW_IN_TX_CHECKPOINTED, .sample_period = X86_NARROW_PERIOD - 1,
	};
	const struct pmu *pmu = &core.pmu;
	struct counted *c = &counted[0];
	bool ok;

	row = &transactions_model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	ok = open_event(c, &attr) == -EINVAL;
	attr.sample_period = X86_NARROW_PERIOD;
	ok &= !open_event(c, &attr) && !pmu->check_period(&c->event, X86_NARROW_PERIOD) &&
	      pmu->check_period(&c->event, X86_NARROW_PERIOD - 1) == -EINVAL;
	attr.config = ANY_CODE;
	return ok && !open_event(c, &attr) && !pmu->check_period(&c->event, 2);
}

/*
 * Some CPUs miss the overflow of a counter that is set to -1, so the driver sets no counter to -1:
 * an event with a period of 1 samples every second occurrence.
 */
static bool shortest_period(const struct x86_pmu_msrs *msrs)
{
	struct perf_event_attr attr = { .config = ANY_CODE, .exclude_kernel = true };
	struct counted *c = &counted[0];
	bool ok = true;
	u64 least;

	row = &model;
	for (attr.sample_period = 1; attr.sample_period <= 3; attr.sample_period++) {
		start_machine(msrs, 1, GENMASK_ULL(30, 0));
		core.generic[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = X86_EVENT(0xc4, 0x00);
		ok &= !open_event(c, &attr) && !core.pmu.check_period(&c->event, 1);
		perf_pmu_disable(&core.pmu);
		ok &= !core.pmu.add(&c->event, PERF_EF_START);
		perf_pmu_enable(&core.pmu);
		least = max(attr.sample_period, 2);
		ok &= (s32)machine.counter[x86_event_count(&c->event)->counter] == -(s64)least;
		run_user(0);
		while (machine.user < 600) {
			machine.kernel = false;
			machine.in_driver = false;
			machine_step();
			machine.kernel = true;
			machine.in_driver = true;
			machine_take_interrupt();
		}
		core.pmu.read(&c->event);
		ok &= c->samples == 600 / least && local64_read(&c->event.count) == 600;
	}
	return ok && !harness_warned;
}

/*
 * The period of an open branch event cannot be changed to 1, which requests the branch trace store.
 */
static bool no_branch_trace(void)
{
	struct perf_event_attr attr = { .config = X86_EVENT(0xc4, 0x00), .sample_period = 2 };
	struct counted *c = &counted[0];
	bool ok;

	row = &model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	core.generic[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = X86_EVENT(0xc4, 0x00);
	assert(!open_event(c, &attr));
	ok = core.pmu.check_period(&c->event, 1) == -EINVAL;
	ok &= !core.pmu.check_period(&c->event, 2) && !core.pmu.check_period(&c->event, 0);
	c->event.attr.freq = true;
	return ok && !core.pmu.check_period(&c->event, 1);
}

/*
 * The most precise events have a minimum period. The driver sets their counters at least that many
 * occurrences before an overflow.
 */
static bool distributed_period(void)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .exclude_kernel = true, .precise_ip = 2, .sample_period = 127,
	};
	struct x86_model distributed_model = model;
	struct counted *c = &counted[0];
	bool ok;

	distributed_model.distributed_period = 128;
	row = &distributed_model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	core.capabilities = 3 << PEBS_FORMAT_SHIFT;
	x86_precise_probe(&core);
	ok = open_event(c, &attr) == -EINVAL;
	attr.precise_ip = 1;
	ok &= !open_event(c, &attr) && !core.pmu.check_period(&c->event, 1);
	attr.precise_ip = 2;
	attr.sample_period = 128;
	ok &= !open_event(c, &attr) && core.pmu.check_period(&c->event, 127) == -EINVAL &&
	      !core.pmu.check_period(&c->event, 128) && !core.pmu.check_period(&c->event, 0);
	/* Less than the minimum period is left. */
	local64_set(&c->event.hw.period_left, 3);
	perf_pmu_disable(&core.pmu);
	ok &= !core.pmu.add(&c->event, PERF_EF_START);
	perf_pmu_enable(&core.pmu);
	ok &= (s32)machine.counter[x86_event_count(&c->event)->counter] <= -128;
	core.pmu.del(&c->event, 0);
	row = &model;
	return ok && !harness_warned;
}

/*
 * Overflows of a precise event cause no interrupt: only a full buffer of records does. If a counter
 * changes between a precise event and another event or is freed, no overflow may remain in the
 * status: the driver would claim the next NMI of another device for that overflow.
 */
static bool precise_leaves_nothing(void)
{
	static const u8 codes[] = { 0x20, 0x21, 0x22, 0x23 };
	struct perf_event_attr attr = { .config = ANY_CODE, .precise_ip = 1 };
	unsigned long left = 0, swallowed = 0;
	u64 seed;
	int i;

	row = &model;
	for (seed = 1; seed <= 3000; seed++) {
		start_machine(&with_control, seed, GENMASK_ULL(30, 0));
		/* Records of some events wait in the buffer. */
		attr.exclude_kernel = seed % 8 < 4;
		attr.sample_type = attr.exclude_kernel ? 0 : PERF_SAMPLE_CALLCHAIN;
		for (i = 0; i < N; i++) {
			attr.sample_period = 10 + machine_random(60);
			assert(!open_event(&counted[i], &attr));
		}
		open_user(N, codes, 0);
		if (seed % 4 < 2)
			switch_events(-1, N);
		switch_events(seed % 4 < 2 ? N : -1, 0);
		machine_run(machine_random(400));
		switch_events(0, seed % 2 ? N : -1);
		left += machine.silent || machine.unrecorded;
		machine_take_interrupt();
		x86_pmu_cpu.late_nmi_until = 0;
		swallowed += !machine.pending && machine.status == machine.silent && machine_nmi();
	}
	printf("# silent overflows after %lu switches, %lu NMIs swallowed\n", left, swallowed);
	return !left && !swallowed && !harness_warned;
}

/* Would the driver claim an NMI of another device? No interrupt of a counter is pending or late. */
static bool swallows(void)
{
	machine_take_interrupt();
	x86_pmu_cpu.late_nmi_until = 0;
	return !machine.pending && machine.status == machine.silent && machine_nmi();
}

/* Does the driver handle overflows of the first N counters, which count user space? */
static bool finds_overflows(bool of_events)
{
	int i;

	for (i = 0; i < N; i++)
		machine.counter[i] = GENMASK_ULL(MACHINE_WIDTH - 1, 0) - i;
	run_user(2 * N);
	machine_take_interrupt();
	for (i = 0; of_events && i < N; i++) {
		if (!counted[N + i].samples)
			return false;
	}
	return of_events || thread.overflowed;
}

/*
 * Counters of a perfctr that do not interrupt may overflow, also after the perfctr is suspended.
 * The driver does not claim NMIs of another device for these overflows, not even when the counters
 * have new owners. It handles the overflows of the new owners.
 */
static bool silent_claims(const struct x86_pmu_msrs *msrs)
{
	static const u8 codes[] = { 0x20, 0x21, 0x22, 0x23 };
	unsigned long silent = 0, swallowed = 0, missed = 0;
	u64 seed, modes;

	row = &thread_model;
	user_reads = false;
	for (seed = 1; seed <= 3000; seed++) {
		start_machine(msrs, seed, GENMASK_ULL(30, 0));
		open_user(0, codes, 100 + machine_random(100));
		open_user(N, codes, 10000);
		switch_events(-1, 0);
		machine_run(machine_random(400));
		/* The interrupt of an event's overflow may be delivered only during the claim. */
		machine.held = seed % 2;
		if (machine.held)
			machine_run(machine_random(100));
		/* The claim's counters continue from the events' values, or are cleared. */
		switch_events(0, -1);
		if (seed % 4 == 1)
			x86_clear_unused(&x86_pmu_cpu);
		modes = ARCH_PERFMON_EVENTSEL_USR;
		if (seed % 5 == 0)
			modes |= ARCH_PERFMON_EVENTSEL_OS;
		claim_counters(1, 0, N, modes, 0);
		thread_runs();
		machine.held = false;
		machine_run(machine_random(400));
		silent += !!machine.silent;
		swallowed += swallows();
		machine_run(machine_random(100));
		thread_stops();
		if (seed % 2) {
			swallowed += swallows();
			machine_run(machine_random(100));
		}
		/* Counters that count the kernel may overflow while new owners take them. */
		if (seed % 5 == 0)
			machine.counter[machine_random(N)] = -machine_random(60) - 1;
		if (seed % 3) {
			switch_events(-1, N);
		} else {
			claim_counters(2, 0, N, ARCH_PERFMON_EVENTSEL_USR, -10000);
			thread_runs();
		}
		swallowed += swallows();
		if (machine.unknown || thread.overflowed)
			break;
		missed += !finds_overflows(seed % 3);
	}
	user_reads = true;
	printf("# %lu silent overflows, %lu NMIs swallowed, %lu unknown, %lu overflows missed\n",
	       silent, swallowed, machine.unknown, missed);
	return seed > 3000 && !silent == !msrs->status && !swallowed && !missed &&
	       !harness_warned;
}

/*
 * An NMI just after the end of a claim applies the changes of the claim. It cannot release the
 * counters for the core's other thread, which takes a lock: the interrupted code releases them.
 */
static bool released_after_nmi(void)
{
	const struct x86_excl_thread *mine = &x86_pmu_cpu.first_excl.thread[0];
	bool ok;

	row = &thread_model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	claim_all(1);
	thread_runs();
	ok = mine->used == X86_GENERAL(N);
	/* The NMI interrupts the end of the claim before the changes are applied. */
	x86_pmu_cpu.disabled = true;
	thread_stops();
	x86_pmu_cpu.disabled = false;
	machine_nmi();
	ok &= mine->used && !x86_pmu_cpu.needs_reprogram;
	x86_reprogram(&x86_pmu_cpu);
	return ok && !mine->used && !harness_warned;
}

/* A CPU with PEBS errata has no precise events until its microcode is updated. */
static bool old_microcode(void)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .exclude_kernel = true, .precise_ip = 2, .sample_period = 1000,
	};
	bool ok;

	row = &model;
	start_machine(&with_control, 1, 4000);
	core.precise.broken = true;
	ok = open_event(&counted[0], &attr) == -EOPNOTSUPP;
	attr.precise_ip = 0;
	ok &= !open_event(&counted[0], &attr);
	core.precise.broken = false;
	attr.precise_ip = 2;
	return ok && !open_event(&counted[0], &attr) && !harness_warned;
}

/*
 * A fork opens inherited events, so the open of a precise event takes no lock, except for the first
 * one, which allocates buffers.
 */
static bool precise_takes_no_lock(void)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .exclude_kernel = true, .precise_ip = 2, .sample_period = 1000,
	};
	unsigned long before, first;
	bool ok;

	row = &model;
	start_machine(&with_control, 1, 4000);
	before = locks_taken;
	ok = !open_event(&counted[0], &attr);
	first = locks_taken;
	ok &= !open_event(&counted[1], &attr);
	return ok && first > before && locks_taken == first && !harness_warned;
}

/* Like Golden Cove: samples of loads have a data source only beside an auxiliary event. */
static const struct x86_model loads_model = {
	.precise = precise, .precise_levels = 2,
	.name = "loads", .config_mask = X86_RAW_EVENT_MASK,
	.loads = X86_EVENT(0xcd, 0x01), .loads_aux = X86_EVENT(0x03, 0x82),
};

/* Open an event in a group with @leader, which has @sibling; both may be NULL. */
static int open_in(struct perf_event *leader, struct perf_event *sibling, u64 config, u64 type)
{
	struct perf_event event = {
		.attr = {
			.type = PERF_TYPE_RAW, .config = config, .sample_type = type,
			.sample_period = 1000,
		},
		.pmu = &core.pmu, .cpu = -1,
	};

	event.group_leader = leader ?: &event;
	if (leader) {
		leader->members[0] = sibling;
		leader->nr_members = !!sibling;
	}
	return x86_event_init(&event);
}

static bool loads_with_source(void)
{
	const u64 loads = X86_EVENT(0xcd, 0x01), source = PERF_SAMPLE_IP | PERF_SAMPLE_DATA_SRC;
	struct perf_event_attr attr = { .config = ANY_CODE };
	struct perf_event *any = &counted[0].event, *aux = &counted[1].event;
	bool ok;

	row = &loads_model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	assert(!open_event(&counted[0], &attr));
	attr.config = X86_EVENT(0x03, 0x82);
	assert(!open_event(&counted[1], &attr));

	ok = open_in(NULL, NULL, loads, source) == -ENODATA;
	ok &= open_in(any, NULL, loads, source) == -ENODATA;
	ok &= !open_in(aux, NULL, loads, source);
	ok &= !open_in(aux, any, loads, source);
	ok &= !open_in(any, aux, loads, source);
	/* Samples without a data source, and samples of another event, need no auxiliary event. */
	ok &= !open_in(NULL, NULL, loads, PERF_SAMPLE_IP);
	ok &= !open_in(NULL, NULL, X86_EVENT(0xcd, 0x02), source);
	row = &model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	return ok && !open_in(NULL, NULL, loads, source) && !harness_warned;
}

int main(void)
{
	ktap_plan(37);
	row = &thread_model;
	/* Counters that may run in the interrupt need long periods, or exclude the kernel. */
	ktap_result(goes_on_sampling(&modes_halt, false, 20000), "goes_on_modes_halt");
	ktap_result(goes_on_sampling(&version_1, false, 20000), "goes_on_version_1");
	ktap_result(goes_on_sampling(&selects_alone, false, 20000), "goes_on_selects_alone");
	ktap_result(goes_on_sampling(&marks, false, 20000), "goes_on_marks");
	ktap_result(clears_flags_without_event(), "clears_flags_without_event");
	ktap_result(counts_without_interrupts(), "counts_without_interrupts");
	ktap_result(goes_on_sampling(&with_control, false, 1000), "goes_on_with_control");
	ktap_result(goes_on_sampling(&version_1, true, 8), "threads_version_1");
	ktap_result(goes_on_sampling(&with_control, true, 8), "threads_with_control");
	ktap_result(foreign_bits(), "foreign_bits");
	ktap_result(reserved_bits(), "reserved_bits");
	ktap_result(unmasked_at_start(&with_control), "unmasked_at_start");
	ktap_result(unmasked_at_start(&selects_alone), "unmasked_at_start_selects_alone");
	ktap_result(vectors(), "vectors");
	ktap_result(any_thread(), "any_thread");
	ktap_result(upper_is_reused(), "upper_is_reused");
	ktap_result(checks_branches(0, false), "checks_branches");
	ktap_result(checks_branches(0, true), "checks_branches_frozen");
	ktap_result(checks_branches(1, false), "checks_branches_precise");
	ktap_result(checks_branches(1, true), "checks_branches_precise_frozen");
	ktap_result(checkpointed(0), "checkpointed");
	ktap_result(checkpointed(X86_NARROW_PERIOD), "checkpointed_samples");
	ktap_result(checkpointed_period(), "checkpointed_period");
	ktap_result(shortest_period(&with_control), "shortest_period_with_control_and_mask");
	ktap_result(shortest_period(&without_mask), "shortest_period_with_control");
	ktap_result(shortest_period(&selects_alone), "shortest_period");
	ktap_result(no_branch_trace(), "no_branch_trace");
	ktap_result(distributed_period(), "distributed_period");
	ktap_result(precise_leaves_nothing(), "precise_leaves_nothing");
	ktap_result(silent_claims(&with_control), "silent_claims_with_control_and_mask");
	ktap_result(silent_claims(&ack_runs), "silent_claims_where_ack_runs");
	ktap_result(silent_claims(&without_mask), "silent_claims_with_control");
	ktap_result(silent_claims(&selects_alone), "silent_claims");
	ktap_result(released_after_nmi(), "released_after_nmi");
	ktap_result(old_microcode(), "old_microcode");
	ktap_result(precise_takes_no_lock(), "precise_takes_no_lock");
	ktap_result(loads_with_source(), "loads_with_source");
	return ktap_end();
}
