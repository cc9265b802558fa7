// SPDX-License-Identifier: GPL-2.0
/*
 * Accesses to registers, and register contents written by others: firmware, another kernel,
 * hypervisors and guests. Accesses are counted only for events of user space: counters of the
 * kernel are stopped in the interrupt, and read once more at a switch.
 */
#include "x86_events.h"

static void clear_accesses(void)
{
	machine_run(100);
	machine.reads = 0;
	machine.reads_msr = 0;
	machine.writes = 0;
	machine.writes_control = 0;
}

/*
 * Is the number of accesses since the last check within the limits? @control: limit of writes to
 * the common register
 */
static bool accesses(const char *what, unsigned long reads, unsigned long writes,
		     unsigned long control)
{
	printf("# %s: %lu reads, %lu writes, %lu of them of control\n", what,
	       machine.reads + machine.reads_msr, machine.writes, machine.writes_control);
	return machine.reads + machine.reads_msr <= reads && machine.writes <= writes &&
	       machine.writes_control <= control;
}

static bool switches(void)
{
	bool ok = true;

	switch_events(-1, 0);
	clear_accesses();
	switch_events(0, 4);
	ok &= accesses("switch to the same events", N, 0, 0);
	clear_accesses();
	switch_events(4, -1);
	ok &= accesses("switch to no events", N, 1, 1);
	clear_accesses();
	switch_events(-1, 0);
	ok &= accesses("switch from no events to the previous events", N, 1, 1);
	switch_events(0, -1);
	return ok;
}

static bool other_events(const u8 *codes)
{
	bool ok;

	open_user(4, codes, 0);
	switch_events(-1, 0);
	clear_accesses();
	switch_events(0, 4);
	ok = accesses("switch to other events", N, N, 0);
	switch_events(4, -1);
	return ok;
}

static bool single_event(void)
{
	bool ok;

	switch_events(-1, 0);
	clear_accesses();
	core.pmu.read(&counted[0].event);
	ok = accesses("read", 1, 0, 0);
	clear_accesses();
	schedule_out(&counted[0]);
	ok &= accesses("disable", N, 1, 1);
	clear_accesses();
	schedule_in(&counted[0]);
	ok &= accesses("enable", N, 1, 1);
	switch_events(0, -1);
	return ok;
}

static bool overflow(const u8 *codes)
{
	u64 samples;

	open_user(0, codes, 1000);
	schedule_in(&counted[0]);
	clear_accesses();
	samples = counted[0].samples;
	while (counted[0].samples == samples)
		machine_run(1);
	return accesses("overflow", 3, 2, 0);
}

/*
 * First each precise sample has an interrupt, then a buffer has many samples for each interrupt.
 * The driver never writes the counter, and reads it only once per interrupt.
 */
static bool records(void)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .exclude_kernel = true, .sample_period = 100,
		.precise_ip = 2, .sample_type = PERF_SAMPLE_CALLCHAIN,
	};
	struct counted *c = &counted[0];
	u64 samples;
	bool ok;

	if (!core.precise.levels)
		return true;
	perf_pmu_disable(&core.pmu);
	core.pmu.del(&c->event, 0);
	assert(!open_event(c, &attr));
	core.pmu.add(&c->event, PERF_EF_START);
	perf_pmu_enable(&core.pmu);
	clear_accesses();
	samples = c->samples;
	while (c->samples == samples)
		machine_run(1);
	ok = accesses("precise sample", 1, 1, 0);
	perf_pmu_disable(&core.pmu);
	core.pmu.del(&c->event, 0);
	attr.sample_type = 0;
	assert(!open_event(c, &attr));
	core.pmu.add(&c->event, PERF_EF_START);
	perf_pmu_enable(&core.pmu);
	clear_accesses();
	while (c->samples < 100)
		machine_run(1);
	ok &= accesses("buffer of precise samples", 1, 1, 0);
	printf("# samples of an interrupt: %llu\n", (unsigned long long)c->samples);
	schedule_out(c);
	return ok;
}

/* A perfctr of four counters: suspended and resumed, then replaced by another one */
static bool claims(const struct x86_pmu_msrs *pmu_msrs)
{
	bool ok;
	int i;

	start_machine(pmu_msrs, 1, GENMASK_ULL(30, 0));
	thread.has_control = true;
	thread.state.control.nractrs = N;
	for (i = 0; i < N; i++) {
		thread.state.claim.counters |= BIT_ULL(i);
		thread.state.claim.counter[i] = i;
		thread.state.claim.config[i] = (0x20 + i) | ARCH_PERFMON_EVENTSEL_USR;
	}
	thread.state.claim.n = N;
	perfctr_state_begin(&thread.state);
	thread_runs();
	clear_accesses();
	thread_stops();
	handed_over = true;
	thread_runs();
	handed_over = false;
	ok = accesses("perfctr, suspend and resume", N, 0, 0);
	thread_stops();
	clear_accesses();
	x86_clear_kernel(&x86_pmu_cpu);
	ok &= accesses("perfctr of user mode, suspended in a kernel thread", 0, 0, 0);
	thread_runs();
	thread_stops();
	for (i = 0; i < N; i++)
		thread.state.claim.config[i] += 0x10;
	clear_accesses();
	/* If the program can read counters, the driver writes each counter once more. */
	user_reads = false;
	thread_runs();
	user_reads = true;
	ok &= accesses("perfctr, resume of another control", N, N, 0);
	thread_stops();
	return ok && !harness_warned;
}

/*
 * A thread displaces flexible events of the CPU in each of its switches, by pinned events or by a
 * perfctr. A perfctr accesses registers at most twice as often. Events displaced by pinned events
 * are scheduled in at the next rotation, those displaced by a perfctr when the thread stops.
 */
static bool takes_counters(const struct x86_pmu_msrs *pmu_msrs)
{
	static const u8 some[] = { 0x20, 0x21, 0x22, 0x23 }, others[] = { 0x30, 0x31, 0x32, 0x33 };
	unsigned long reads, writes, control;
	bool ok = true;
	int i;

	start_machine(pmu_msrs, 1, GENMASK_ULL(30, 0));
	open_user(0, some, 0);
	open_user(4, others, 0);
	switch_events(-1, 0);
	clear_accesses();
	switch_events(0, 4);
	machine_run(100);
	switch_events(4, -1);
	switch_events(-1, 0);
	reads = machine.reads + machine.reads_msr;
	writes = machine.writes;
	control = machine.writes_control;
	accesses("pinned events displace others until the rotation", reads, writes, control);

	for (i = 0; i < N; i++)
		counted[i].on = true;
	claim_all(1);
	user_reads = false;
	for (i = 0; i < 3; i++) {
		clear_accesses();
		thread_runs();
		ok &= thread.running && waiting == GENMASK_ULL(N - 1, 0);
		machine_run(100);
		thread_stops();
		ok &= !waiting && hweight64(x86_pmu_cpu.assigned_mask) == N;
		ok &= accesses("perfctr displaces others until it stops", 2 * reads, 2 * writes,
			       2 * control);
	}
	user_reads = true;
	return ok && thread_is_right() && !harness_warned;
}

static bool within_bounds(const struct x86_pmu_msrs *pmu_msrs)
{
	static const u8 some[] = { 0x20, 0x21, 0x22, 0x23 }, others[] = { 0x30, 0x31, 0x32, 0x33 };
	bool ok;

	start_machine(pmu_msrs, 1, GENMASK_ULL(30, 0));
	open_user(0, some, 0);
	open_user(4, some, 0);
	ok = switches();
	ok &= other_events(others);
	ok &= single_event();
	ok &= overflow(some);
	ok &= records();
	return claims(pmu_msrs) && ok;
}

/* The driver stops and uses counters that another kernel has left running. */
static bool left_running(const struct x86_pmu_msrs *pmu_msrs)
{
	u64 all;
	int i;

	row = &model;
	start_machine(pmu_msrs, 1, 4000);
	all = core.counters;
	for (i = 0; i < MACHINE_GENERAL; i++)
		machine.select[i] = ANY_CODE | pmu_msrs->run | pmu_msrs->halt;
	machine.select[0] |= pmu_msrs->always;
	if (x86_check_registers(&core) || core.counters != all)
		return false;
	for (i = 0; i < MACHINE_GENERAL && !machine.select[i]; i++)
		;
	return i == MACHINE_GENERAL;
}

/*
 * If a hypervisor lacks one of two extra registers, the driver uses neither of the two. The selects
 * are not affected.
 */
static bool no_extra(void)
{
	struct perf_event_attr attr = { .config = EXTRA_CODE, .config1 = 1 };
	bool ok;

	row = &model;
	start_machine(&with_control, 1, 4000);
	x86_check_extra(&core);
	ok = !core.no_extra && !machine.extra[0] && !open_event(&counted[0], &attr);
	start_machine(&with_control, 1, 4000);
	machine.no_extra = true;
	x86_check_extra(&core);
	ok &= core.no_extra == 3 && open_event(&counted[0], &attr) == -ENXIO;
	attr.config = TWIN_CODE;
	ok &= open_event(&counted[0], &attr) == -ENXIO;
	attr.config = ANY_CODE;
	return ok && !open_event(&counted[0], &attr);
}

/* On bare metal the driver uses all extra registers, and does not write them at boot. */
static bool extra_on_bare_metal(void)
{
	struct perf_event_attr attr = { .config = TWIN_CODE, .config1 = 1 };

	row = &model;
	start_machine(&with_control, 1, 4000);
	features &= ~BIT(X86_FEATURE_HYPERVISOR);
	machine.no_extra = true;
	machine.writes = 0;
	x86_check_extra(&core);
	return !machine.writes && !open_event(&counted[0], &attr);
}

/* The driver clears register contents of another kernel or of firmware. */
static bool left_by_firmware(const struct x86_pmu_msrs *pmu_msrs)
{
	row = &model;
	start_machine(pmu_msrs, 1, 4000);
	machine.debugctl = ~0ULL;
	machine.status = MACHINE_STATUS_FOREIGN | BIT_ULL(1);
	machine.control = 0;
	x86_reset_registers(&x86_pmu_cpu);
	return !machine.status && !machine.control && machine.debugctl == ~BIT_ULL(12);
}

/*
 * Another kernel may have left values in the registers for reloads, of counters that this kernel
 * does not use, too. The driver clears those that CPUID reports: 0x1902 and 0x1903 for general
 * counter 0, four more for each further one, and 0x1982 and 0x1983 for fixed counter 0.
 */
static bool left_reloads(void)
{
	static const u16 cleared[] = {
		0x1902, 0x1903, 0x191e, 0x191f, 0x1982, 0x1983, 0x198a, 0x198b,
	};
	unsigned int n = 0;
	int i;

	row = &model;
	start_machine(&with_control, 1, 4000);
	core.auto_reloads = BIT_ULL(0) | BIT_ULL(7) | X86_FIXED(0) | X86_FIXED(2);
	memset(machine.reloads, 0xff, sizeof(machine.reloads));
	x86_reset_registers(&x86_pmu_cpu);
	core.auto_reloads = 0;
	for (i = 0; i < MACHINE_RELOADS_NR; i++)
		n += !machine.reloads[i];
	for (i = 0; i < ARRAY_SIZE(cleared); i++) {
		if (machine.reloads[cleared[i] - MACHINE_RELOADS])
			return false;
	}
	return n == ARRAY_SIZE(cleared);
}

/* Let all general counters count, as firmware may have left them, and overflow soon. */
static void leave_counters(const struct x86_pmu_msrs *pmu_msrs)
{
	int i;

	for (i = 0; i < MACHINE_GENERAL; i++) {
		machine.select[i] = ANY_CODE | ARCH_PERFMON_EVENTSEL_USR |
				    ARCH_PERFMON_EVENTSEL_OS | ARCH_PERFMON_EVENTSEL_INT |
				    ARCH_PERFMON_EVENTSEL_ENABLE;
		machine.counter[i] = (u32)(-4 - 2 * i);
	}
	if (pmu_msrs->control)
		machine.control = X86_GENERAL(MACHINE_GENERAL);
}

/*
 * Firmware may leave counters running on a CPU that is brought up. The interrupt is masked until
 * the driver has halted the counters: it would be an unknown NMI.
 */
static bool begins_masked(const struct x86_pmu_msrs *pmu_msrs)
{
	bool ok;

	row = &model;
	start_machine(pmu_msrs, 1, 4000);
	x86_pmu_cpu.core = NULL;
	machine.masked = true;
	leave_counters(pmu_msrs);
	perf_events_lapic_init();
	machine_run(100);
	ok = machine.sent && machine.masked;
	leave_counters(pmu_msrs);
	x86_cpu_start(&x86_pmu_cpu, &core, false);
	return ok && !machine.masked && !machine.pending && !machine.unknown && !machine.status;
}

/*
 * During a suspend, firmware may leave counters running, and the local APIC restores LVTPC as it
 * was at the suspend. The interrupt is masked until the counters are reset; then the events
 * continue, except one that an interrupt stops at the time of the suspend.
 */
static bool suspends(const struct x86_pmu_msrs *pmu_msrs)
{
	static const u8 codes[] = { 0x20, 0x21, 0x22, 0x23 };
	u64 samples, seed;
	bool ok = true;
	int i;

	row = &model;
	for (seed = 1; ok && seed <= 2000; seed++) {
		start_machine(pmu_msrs, seed, GENMASK_ULL(30, 0));
		open_user(0, codes, 100);
		switch_events(-1, 0);
		/* The third sample of the second event stops it, perhaps during the suspend. */
		counted[1].stop_at = 3;
		machine_run(100);
		while (counted[1].samples < 2)
			machine_run(1);
		run_user(machine_random(120));

		x86_cpu_stop(&x86_pmu_cpu);
		ok &= machine.masked && !machine.pending && !machine.control;
		for (i = 0; i < MACHINE_GENERAL; i++)
			ok &= !(machine.select[i] & ~pmu_msrs->always);
		leave_counters(pmu_msrs);
		machine_run(100);
		ok &= machine.masked && !machine.unknown;
		leave_counters(pmu_msrs);

		x86_cpu_start(&x86_pmu_cpu, &core, false);
		x86_extra_set_all_unknown(&x86_pmu_cpu);
		x86_pmu_cpu.needs_reprogram = true;
		x86_resume_reprogram(&x86_pmu_cpu);
		samples = counted[0].samples;
		machine_run(2000);
		ok &= counted[0].samples >= samples + 5 && counted[1].samples == 3 &&
		      counted[2].samples >= samples + 5 && !machine.unknown;
	}
	if (!ok)
		printf("# seed %llu\n", (unsigned long long)seed - 1);
	return ok && !harness_warned;
}

/* Each thread of a core writes its own copy of a register with a shared value. */
static bool threads_write_extra(void)
{
	static struct x86_pmu_cpu sibling;
	struct x86_extra_reg *reg;
	struct x86_event_sel sel = { .extra = 3, .config = EXTRA_CODE };
	bool ok;

	row = &model;
	start_machine(&with_control, 1, 4000);
	sibling = (struct x86_pmu_cpu){ .core = &core, .shared_extra = x86_pmu_cpu.shared_extra };
	reg = x86_count_get_extra(&x86_pmu_cpu, &extra[0], &sel);
	ok = reg && x86_count_get_extra(&sibling, &extra[0], &sel) == reg;
	x86_extra_write(&x86_pmu_cpu, reg);
	ok &= machine.extra[0] == 3;
	/* The machine acts as the other thread below. */
	machine.extra[0] = 0;
	x86_extra_write(&sibling, reg);
	ok &= machine.extra[0] == 3;
	/*
	 * The driver does not write a register again with the value that it wrote last, unless the
	 * value was marked as unknown.
	 */
	machine.extra[0] = 0;
	x86_extra_write(&sibling, reg);
	ok &= machine.extra[0] == 0;
	x86_extra_set_all_unknown(&sibling);
	x86_extra_write(&sibling, reg);
	return ok && machine.extra[0] == 3;
}

static const struct x86_extra module_extra[] = {
	{ .first = EXTRA_CODE, .last = EXTRA_CODE, .mask = X86_MATCH_EVENT,
	  .msr = MACHINE_EXTRA, .valid = 0xff, .twin = TWIN_CODE - EXTRA_CODE,
	  .per_module = true },
	{ .first = TWIN_CODE, .last = TWIN_CODE, .mask = X86_MATCH_EVENT,
	  .msr = MACHINE_EXTRA + 1, .valid = 0xff, .twin = EXTRA_CODE - TWIN_CODE,
	  .per_module = true },
	{ }
};

static const struct x86_model module_model = {
	.name = "module", .extra = module_extra, .config_mask = X86_RAW_EVENT_MASK,
};

/* Get a register for @value, and write it. Return: NULL if all registers have other values */
static struct x86_extra_reg *take_extra(struct x86_pmu_cpu *cpu, u64 value)
{
	struct x86_event_sel sel = { .extra = value, .config = EXTRA_CODE };
	struct x86_extra_reg *reg = x86_count_get_extra(cpu, &module_extra[0], &sel);

	if (reg)
		x86_extra_write(cpu, reg);
	return reg;
}

static void give_extra(struct x86_pmu_cpu *cpu, struct x86_extra_reg *reg)
{
	if (reg)
		x86_count_put_extra(cpu, &module_extra[0], reg);
}

/*
 * Two cores of a module have one copy of the registers. A core cannot change the value of a
 * register that the other core uses, and writes its own value again after the other core's.
 */
static bool cores_share_extra(void)
{
	static struct x86_pmu_cpu second;
	struct x86_extra_reg *three, *five, *seven;
	bool ok;

	row = &module_model;
	cores_apart = true;
	second_cpu = &second;
	start_machine(&with_control, 1, 4000);
	online_cpus.bits = 3;
	second = (struct x86_pmu_cpu){ .core = &core };
	x86_extra_init(1, &core);
	three = take_extra(&x86_pmu_cpu, 3);
	five = take_extra(&second, 5);
	ok = three && five && three != five && take_extra(&second, 3) == three &&
	     !take_extra(&second, 7) && machine.extra[0] == 3 && machine.extra[1] == 5;
	give_extra(&second, three);
	ok &= !take_extra(&second, 7);
	give_extra(&x86_pmu_cpu, three);
	seven = take_extra(&second, 7);
	ok &= seven && seven == three && machine.extra[0] == 7 && !take_extra(&x86_pmu_cpu, 3);
	give_extra(&second, seven);
	ok &= take_extra(&x86_pmu_cpu, 3) == three && machine.extra[0] == 3;
	cores_apart = false;
	second_cpu = NULL;
	online_cpus.bits = 1;
	return ok && !harness_warned;
}

/*
 * The microcode changes the registers of counter 3 unless transactions are made to abort. Counts of
 * four events are right nevertheless, and the counter is enabled only while transactions abort.
 */
static bool force_abort(void)
{
	static const u8 codes[] = { 0x20, 0x21, 0x22, 0x23 };
	const struct device_attribute *allow = &dev_attr_allow_tsx_force_abort;
	unsigned long aborts = 0, together = 0;
	struct section before;
	bool ok = true;
	u64 seed;
	int i, j;

	row = &model;
	for (seed = 1; seed <= 200 && ok; seed++) {
		start_machine(&with_control, seed, GENMASK_ULL(30, 0));
		core.tfa_counters = BIT_ULL(3);
		machine.microcode = BIT_ULL(3);
		open_user(0, codes, 0);
		for (j = 0; j < 20 && ok; j++) {
			allow->store(NULL, NULL, machine_random(4) ? "1" : "0", 1);
			since = now();
			perf_pmu_disable(&core.pmu);
			add_group(machine_random(2) ? 0xf : machine_random(0x10), &coming, since);
			perf_pmu_enable(&core.pmu);
			have_come();
			machine_run(machine_random(200));
			aborts += !!machine.force_abort;
			ok &= all_right() && !machine.misused;
			before = now();
			perf_pmu_disable(&core.pmu);
			for (i = 0; i < N; i++) {
				if (!counted[i].on)
					continue;
				together += i == N - 1;
				remove_event(&counted[i], before);
			}
			perf_pmu_enable(&core.pmu);
			machine_run(machine_random(200));
			ok &= all_right() && !machine.misused && !machine.force_abort;
		}
	}
	allow->store(NULL, NULL, "1", 1);
	printf("# %lu of %lu aborts\n", aborts, together);
	return ok && aborts > 100;
}

/*
 * Another kernel, or this one before a crash, has made transactions abort: they do not abort after
 * the CPU has been brought up, or after the crash.
 */
static bool force_abort_ends(void)
{
	bool ok;

	row = &model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	core.tfa_counters = BIT_ULL(3);
	machine.force_abort = 1;
	x86_cpu_start(&x86_pmu_cpu, &core, false);
	ok = !machine.force_abort;
	machine.force_abort = 1;
	x86_cpu_crash_shutdown(&x86_pmu_cpu);
	ok &= !machine.force_abort;
	/* Other CPUs lack the register. */
	core.tfa_counters = 0;
	machine.force_abort = 1;
	x86_cpu_start(&x86_pmu_cpu, &core, false);
	return ok && machine.force_abort && !harness_warned;
}

/* Do the events of this thread, on counters 0 to 2, continue? */
static bool all_sample(void)
{
	u64 before[N - 1];
	bool ok = true;
	int i;

	for (i = 0; i < N - 1; i++)
		before[i] = counted[i].samples;
	machine_run(2000);
	for (i = 0; i < N - 1; i++)
		ok &= counted[i].samples >= before[i] + 5;
	return ok && !machine.unknown;
}

/*
 * While this thread has events, the other thread is brought up, uses a counter, and is taken
 * offline. The events continue, and only the counter of the other thread is reset.
 */
static bool threads_share_counters(void)
{
	const u64 select = 0x23 | ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_ENABLE;
	struct perf_event_attr attr = { .exclude_kernel = true, .sample_period = 100 };
	static struct x86_pmu_cpu sibling;
	bool ok = true;
	int i;

	row = &thread_model;
	start_machine(&shared, 1, GENMASK_ULL(30, 0));
	machine.masked = true;
	leave_counters(&shared);
	x86_cpu_start(&x86_pmu_cpu, &core, false);
	for (i = 0; i < MACHINE_GENERAL; i++)
		ok &= !machine.select[i] && machine.counter[i] == BIT(31) + 1;
	for (i = 0; i < N - 1; i++) {
		attr.config = 0x20 + i;
		assert(!open_event(&counted[i], &attr));
		schedule_in(&counted[i]);
	}
	ok &= all_sample();

	sibling = (struct x86_pmu_cpu){ .gen = 1 };
	x86_cpu_start(&sibling, &core, true);
	ok &= all_sample();
	x86_write_select(&sibling, N - 1, select);
	machine_run(100);
	ok &= machine.select[N - 1] == select && machine.counter[N - 1] != BIT(31) + 1;
	/* Take the other thread's CPU offline. */
	x86_counts_detach_counters(&sibling);
	x86_reset_registers(&sibling);
	ok &= !machine.select[N - 1] && machine.counter[N - 1] == BIT(31) + 1;
	ok &= all_sample();
	x86_cpu_start(&sibling, &core, true);
	ok &= all_sample();
	/* This thread's own counters are reset as well. */
	x86_cpu_shutdown(&x86_pmu_cpu);
	for (i = 0; i < MACHINE_GENERAL; i++)
		ok &= !machine.select[i];
	return ok && !harness_warned;
}

/* A value that a VM exit has left in the common register is corrected at the next switch. */
static bool healed(const struct x86_pmu_msrs *pmu_msrs)
{
	static const u8 codes[] = { 0x20, 0x21, 0x22, 0x23 };
	u64 runs;
	int nr;

	row = &model;
	start_machine(pmu_msrs, 1, GENMASK_ULL(30, 0));
	open_user(0, codes, 0);
	switch_events(-1, 0);
	runs = machine.control;
	assert(perf_guest_get_msrs(&nr, NULL) && nr);
	machine.control = 0;
	switch_events(-1, -1);
	if (machine.control != runs)
		return false;
	/* Without another VM exit, a switch does not write the register. */
	clear_accesses();
	switch_events(-1, -1);
	return !machine.writes_control && runs;
}

/* While guests may run on an AMD CPU, each switch corrects the common register. */
static bool healed_beside_guests(void)
{
	static const u8 codes[] = { 0x20, 0x21, 0x22, 0x23 };
	bool ok = true;
	u64 runs;
	int i;

	row = &model;
	start_machine(&without_mask, 1, GENMASK_ULL(30, 0));
	open_user(0, codes, 0);
	switch_events(-1, 0);
	runs = machine.control;
	amd_pmu_enable_virt();
	for (i = 0; i < 3; i++) {
		machine.control = 0;
		switch_events(-1, -1);
		ok &= machine.control == runs;
	}
	machine.control = 0;
	amd_pmu_disable_virt();
	ok &= machine.control == runs;
	clear_accesses();
	switch_events(-1, -1);
	return ok && runs && !machine.writes_control;
}

/* The driver warns if a register was written, and the writer cannot be a guest. */
static bool finds_foreign_write(const struct x86_pmu_msrs *pmu_msrs, bool fixed)
{
	static const u8 codes[] = { 0x3c, 0x21, 0x22, 0x23 };
	bool ok;
	int nr;

	row = &model;
	start_machine(pmu_msrs, 1, GENMASK_ULL(30, 0));
	open_user(0, codes, 0);
	switch_events(-1, 0);
	check_registers = true;
	switch_events(-1, -1);
	perf_guest_get_msrs(&nr, NULL);
	machine.control ^= !fixed;
	switch_events(-1, -1);
	ok = !harness_warned;
	*(fixed ? &machine.fixed_control : &machine.control) ^= 1;
	switch_events(-1, -1);
	ok &= harness_warned;
	harness_warned = false;
	check_registers = false;
	return ok;
}

/* The erratum selects are written when general counters get new events, and only then. */
static bool writes_erratum_selects(void)
{
	static const u8 some[] = { 0x20, 0x21, 0x22, 0x23 }, others[] = { 0x30, 0x31, 0x32, 0x33 };
	bool ok;

	row = &erratum_model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	open_user(0, some, 0);
	open_user(4, others, 0);
	switch_events(-1, 0);
	ok = machine.erratum_runs == 1 && machine.select[0] == x86_pmu_cpu.select[0] &&
	     machine.control;
	switch_events(0, -1);
	switch_events(-1, 0);
	ok &= machine.erratum_runs == 1;
	switch_events(0, 4);
	return ok && machine.erratum_runs == 2 && !harness_warned;
}

/* The erratum selects are also written for counters of a perfctr, while events continue. */
static bool writes_erratum_selects_for_claims(void)
{
	static const u8 some[] = { 0x3c, 0x21, 0x22, 0x23 };
	bool ok;
	int i;

	row = &erratum_model;
	start_machine(&with_control, 2, GENMASK_ULL(30, 0));
	/* The events use counters 0 to 2, and a fixed counter. */
	open_user(0, some, 0);
	switch_events(-1, 0);
	machine.erratum_runs = 0;
	claim_all(1);
	thread.state.control.nractrs = 1;
	thread.state.claim.counters = BIT_ULL(3);
	thread.state.claim.counter[0] = 3;
	thread.state.control.pmc_map[0] = 3;
	thread.state.claim.n = 1;
	perfctr_state_begin(&thread.state);
	for (i = 0; i < 3; i++) {
		thread_runs();
		ok = thread.running && machine.erratum_runs == 1 &&
		     machine.select[3] == x86_pmu_cpu.select[3] &&
		     machine.control == (x86_pmu_cpu.assigned_mask | BIT_ULL(3));
		machine_run(100);
		thread_stops();
		if (!ok)
			return false;
	}
	return thread_is_right() && !harness_warned;
}

/* In a guest, a CPU with the erratum may have version 1, which has no global control. */
static bool no_erratum_selects(void)
{
	static const u8 codes[] = { 0x20, 0x21, 0x22, 0x23 };

	row = &erratum_model;
	start_machine(&version_1, 1, GENMASK_ULL(30, 0));
	open_user(0, codes, 1000);
	switch_events(-1, 0);
	machine_run(5000);
	switch_events(0, -1);
	return counted[0].samples > 1 && !machine.unknown && !harness_warned &&
	       local64_read(&counted[0].event.count) == (s64)machine.user;
}

/* Only four counters have erratum selects. A guest may have more counters than the CPU. */
static bool erratum_selects_of_four(void)
{
	row = &erratum_model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	core.counters |= X86_GENERAL(8);
	x86_write_erratum_selects(&x86_pmu_cpu);
	return machine.erratum_runs == 1 && !machine.select[0] && !harness_warned;
}

/* SysRq p reads registers, but does not write any. */
static bool prints(const struct x86_pmu_msrs *pmu_msrs)
{
	static const u8 codes[] = { 0x20, 0x21, 0x22, 0x23 };

	row = &model;
	start_machine(pmu_msrs, 1, GENMASK_ULL(30, 0));
	open_user(0, codes, 0);
	switch_events(-1, 0);
	clear_accesses();
	x86_print_registers(&x86_pmu_cpu);
	return !machine.writes && machine.reads == hweight64(core.counters) && machine.reads_msr;
}

/* After x86_cpu_shutdown(), context switches and reads start no counter. */
static bool halted_for_good(const struct x86_pmu_msrs *pmu_msrs)
{
	static const u8 some[] = { 0x20, 0x21, 0x22, 0x23 }, others[] = { 0x30, 0x31, 0x32, 0x33 };
	u64 count;

	row = &model;
	start_machine(pmu_msrs, 1, GENMASK_ULL(30, 0));
	open_user(0, some, 1000);
	open_user(4, others, 0);
	switch_events(-1, 0);
	machine_run(5000);
	x86_cpu_shutdown(&x86_pmu_cpu);
	core.pmu.read(&counted[0].event);
	count = local64_read(&counted[0].event.count);
	machine_run(1000);
	core.pmu.read(&counted[0].event);
	if (!count || (u64)local64_read(&counted[0].event.count) != count)
		return false;
	switch_events(0, 4);
	machine_run(1000);
	x86_clear_unused(&x86_pmu_cpu);
	switch_events(4, 0);
	machine_run(1000);
	return is_left(pmu_msrs) && !machine.unknown && !harness_warned;
}

int main(void)
{
	ktap_plan(39);
	ktap_result(within_bounds(&with_control), "accesses_with_mask");
	ktap_result(within_bounds(&without_mask), "accesses");
	ktap_result(takes_counters(&with_control), "takes_counters_with_control_and_mask");
	ktap_result(takes_counters(&without_mask), "takes_counters_with_control");
	ktap_result(takes_counters(&selects_alone), "takes_counters");
	ktap_result(left_by_firmware(&with_control), "left_by_firmware");
	ktap_result(left_by_firmware(&ack_runs), "left_by_firmware_ack_runs");
	ktap_result(left_reloads(), "left_reloads");
	ktap_result(begins_masked(&with_control), "begins_masked_with_control_and_mask");
	ktap_result(begins_masked(&without_mask), "begins_masked_with_control");
	ktap_result(begins_masked(&selects_alone), "begins_masked");
	ktap_result(suspends(&with_control), "suspends_with_control_and_mask");
	ktap_result(suspends(&without_mask), "suspends_with_control");
	ktap_result(suspends(&selects_alone), "suspends");
	ktap_result(suspends(&marks), "suspends_marks");
	ktap_result(no_extra(), "no_extra");
	ktap_result(extra_on_bare_metal(), "extra_on_bare_metal");
	ktap_result(left_running(&with_control), "left_running");
	ktap_result(left_running(&modes_halt), "left_running_modes_halt");
	ktap_result(force_abort(), "force_abort");
	ktap_result(force_abort_ends(), "force_abort_ends");
	ktap_result(cores_share_extra(), "cores_share_extra");
	ktap_result(threads_write_extra(), "threads_write_extra");
	ktap_result(threads_share_counters(), "threads_share_counters");
	ktap_result(healed(&with_control), "healed");
	ktap_result(healed(&ack_runs), "healed_ack_runs");
	ktap_result(healed_beside_guests(), "healed_beside_guests");
	ktap_result(finds_foreign_write(&with_control, false), "finds_write_of_control");
	ktap_result(finds_foreign_write(&with_control, true), "finds_write_of_fixed_control");
	ktap_result(finds_foreign_write(&without_mask, false), "finds_write_of_control_of_amd");
	ktap_result(halted_for_good(&with_control), "halted_for_good_with_control");
	ktap_result(halted_for_good(&selects_alone), "halted_for_good");
	ktap_result(halted_for_good(&modes_halt), "halted_for_good_modes_halt");
	ktap_result(prints(&with_control), "prints");
	ktap_result(prints(&selects_alone), "prints_selects_alone");
	ktap_result(writes_erratum_selects(), "writes_erratum_selects");
	ktap_result(writes_erratum_selects_for_claims(), "writes_erratum_selects_for_claims");
	ktap_result(no_erratum_selects(), "no_erratum_selects");
	ktap_result(erratum_selects_of_four(), "erratum_selects_of_four");
	return ktap_end();
}
