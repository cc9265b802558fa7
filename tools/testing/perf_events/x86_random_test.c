// SPDX-License-Identifier: GPL-2.0
/*
 * Random operations: events are opened, added, removed and moved, share counters, sample, and are
 * stopped by their interrupts. A perfctr claims counters at any time, which displaces events.
 */
#include "x86_events.h"

static struct perf_event_attr random_attr(void)
{
	static const u8 codes[] = {
		0xc0, 0x3c, ANY_CODE, LIMITED_CODE, EXTRA_CODE, TWIN_CODE, MACHINE_PAIR_CODE,
		NB_CODE, HT_CODE,
	};
	struct perf_event_attr attr = { .config = codes[machine_random(ARRAY_SIZE(codes))] };

	if (!row->merge &&
	    (attr.config == NB_CODE || attr.config == MACHINE_PAIR_CODE))
		attr.config = HT_CODE;
	if (attr.config == EXTRA_CODE || attr.config == TWIN_CODE)
		attr.config1 = 1 + machine_random(3);
	attr.exclude_kernel = machine_random(3) > 0;
	attr.exclude_user = !attr.exclude_kernel && machine_random(3) == 0;
	if (machine_random(2))
		attr.sample_period = 100 + machine_random(machine_random(2) ? 400 : 20000);
	if (core.precise.levels && attr.sample_period && machine_random(2) &&
	    (attr.config == ANY_CODE || attr.config == LIMITED_CODE))
		attr.precise_ip = 1 + machine_random(2);
	attr.pinned = machine_random(5) == 0;
	/* PEBS records have no call chain, so records for call chains cannot wait in the buffer. */
	if (attr.precise_ip && machine_random(3) == 0)
		attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	return attr;
}

/* Create a control of the thread with random counters. */
static void thread_begins(void)
{
	struct perfctr_cpu_control *control = &thread.state.control;
	struct x86_claim *claim = &thread.state.claim;
	static u64 last_id;
	u64 left;
	u32 i;

	thread_stops();
	thread = (struct thread){ .has_control = true, .state.claim.id = ++last_id };
	control->tsc_on = 1;
	for (left = core.counters; left && machine_random(4); left &= left - 1) {
		int counter = __ffs64(left);

		if (machine_random(2))
			continue;
		claim->counters |= BIT_ULL(counter);
		claim->counter[claim->n] = counter;
		control->pmc_map[claim->n] = x86_rdpmc_index(counter);
		claim->config[claim->n++] = ANY_CODE | ARCH_PERFMON_EVENTSEL_USR;
	}
	control->nractrs = machine_random(2) ? claim->n : machine_random(claim->n + 1);
	control->nrictrs = claim->n - control->nractrs;
	for (i = control->nractrs; i < claim->n; i++) {
		control->ireset[i] = -100 - (s32)machine_random(3000);
		claim->config[i] |= ARCH_PERFMON_EVENTSEL_INT;
		claim->ints |= BIT_ULL(claim->counter[i]);
	}
	perfctr_state_begin(&thread.state);
}

/* Handle overflows of the thread, as perfctr does after the interrupt and at a switch. */
static void thread_goes_on(void)
{
	bool running = thread.running;

	thread_stops();
	if (perfctr_state_identify(&thread.state))
		thread.state.k1 |= PERFCTR_RELOAD;
	/* A switch to a thread of another process, which may read counters */
	if (!machine_random(3))
		x86_clear_unused(&x86_pmu_cpu);
	handed_over = true;
	if (running)
		thread_runs();
	handed_over = false;
}

static void thread_switches(void)
{
	thread_goes_on();
	if (machine_random(2))
		thread_stops();
	else
		thread_runs();
}

/* Update the pages of all events with a count, as the core may at any time on this CPU. */
static void write_pages(void)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		if (x86_event_count(&counted[i].event))
			perf_event_update_userpage(&counted[i].event);
	}
}

/*
 * Remove some events and add others, as a task switch does. The thread may be switched at any
 * point, while the PMU is disabled and events of a cgroup were added already.
 */
static void change_events(void)
{
	struct section before = now();
	u64 off = 0;
	int i;

	perf_pmu_disable(&core.pmu);
	since = before;
	for (i = 0; i < EVENTS; i++) {
		if (counted[i].on && machine_random(2))
			remove_event(&counted[i], before);
		else if (!counted[i].on && counted[i].event.pmu)
			off |= BIT_ULL(i);
	}
	/* The next task belongs to another process, which may read counters. */
	if (!machine_random(4))
		x86_clear_unused(&x86_pmu_cpu);
	while (off) {
		u64 group = off & (machine_random(BIT_ULL(EVENTS)) | (off & -off));

		if (!machine_random(6))
			thread_switches();
		/* thread_switches() may have added some of these events. */
		add_group(group & ~coming, &coming, before);
		off &= ~group;
		if (machine_random(2))
			write_pages();
		if (!machine_random(3))
			break;
	}
	if (!machine_random(4))
		thread_switches();
	perf_pmu_enable(&core.pmu);
	for (i = 0; i < EVENTS; i++) {
		if ((coming & BIT_ULL(i)) && counted[i].event.attr.exclude_kernel &&
		    !machine_random(4))
			counted[i].stop_at = counted[i].samples + 1 + machine_random(3);
	}
	have_come();
}

static void stop_or_start(struct counted *c)
{
	struct section before = now();

	if (!c->on)
		return;
	if (c->running) {
		core.pmu.stop(&c->event, PERF_EF_UPDATE);
		has_ended(c, before);
	} else {
		core.pmu.start(&c->event, 0);
		has_begun(c, before);
	}
}

static void read_event(struct counted *c)
{
	if (c->on)
		core.pmu.read(&c->event);
}

static void reopen_event(struct counted *c)
{
	struct perf_event_attr attr = random_attr();

	if (c->on)
		return;
	waiting &= ~BIT_ULL(c - counted);
	if (open_event(c, &attr))
		*c = (struct counted){ };
}

/* The other CPU of the northbridge takes a counter for a northbridge event, or releases it. */
static void change_other_cpu(void)
{
	s64 taken = atomic64_read(&x86_pmu_cpu.first_nb.taken);
	u64 bit = BIT_ULL(machine_random(MACHINE_GENERAL));

	if (taken & ~other_cpu & bit)
		return;
	other_cpu ^= bit;
	atomic64_try_cmpxchg(&x86_pmu_cpu.first_nb.taken, &taken, taken ^ bit);
}

static void thread_step(void)
{
	switch (machine_random(6)) {
	case 0:
		thread_begins();
		break;
	case 1:
		thread_stops();
		break;
	case 2:
		if (!thread.running || thread.overflowed)
			break;
		if (machine_random(2))
			perfctr_state_sample(&layer, &thread.state);
		else
			perfctr_state_update_readable(&layer, &thread.state);
		break;
	default:
		thread_goes_on();
		thread_runs();
	}
}

static bool step(void)
{
	struct counted *c = &counted[machine_random(EVENTS)];

	switch (machine_random(10)) {
	case 0:
	case 1:
		change_events();
		break;
	case 2:
		stop_or_start(c);
		break;
	case 3:
		read_event(c);
		break;
	case 4:
		reopen_event(c);
		break;
	case 5:
		change_other_cpu();
		change_other_thread();
		break;
	case 6:
		thread_step();
		break;
	case 7:
		x86_clear_unused(&x86_pmu_cpu);
		break;
	default:
		machine_run(machine_random(300));
	}
	return machine.lies || (all_right() && thread_is_right());
}

/* Print the registers that show a lost or unexpected interrupt. */
static void print_status(void)
{
	printf("# status %#llx, silent %#llx, marks %#llx, control %#llx, PEBS %#llx\n",
	       (unsigned long long)machine.status, (unsigned long long)machine.silent,
	       (unsigned long long)machine.marks, (unsigned long long)machine.control,
	       (unsigned long long)machine.pebs_enable);
	printf("# interrupt pending: %d, masked: %d\n", machine.pending, machine.masked);
	printf("# interrupts: %llu sent, %lu unknown, %lu swallowed, %lu left\n",
	       (unsigned long long)machine.sent, machine.unknown, machine.swallowed,
	       machine.left);
}

static bool run_random(const struct x86_pmu_msrs *msrs, double seconds)
{
	clock_t end = clock() + seconds * CLOCKS_PER_SEC;
	unsigned long steps = 0;
	u64 seed;
	int i;

	other_thread_runs = true;
	for (seed = 1; clock() < end; seed++) {
		start_machine(msrs, seed, 4000);
		for (i = 0; i < 500; i++, steps++) {
			if (!step()) {
				printf("# seed %llu, step %d\n", (unsigned long long)seed, i);
				print_status();
				return false;
			}
		}
	}
	other_thread_runs = false;
	printf("# %lu steps\n", steps);
	return true;
}

static bool run_beside(const struct x86_pmu_msrs *msrs, unsigned int what, double seconds)
{
	bool ok;

	beside = what;
	ok = run_random(msrs, seconds);
	beside = 0;
	return ok;
}

/* On a faulty PMU the counts are wrong, but no function or NMI of the driver runs forever. */
static bool run_lying(const struct x86_pmu_msrs *msrs, double seconds)
{
	clock_t end = clock() + seconds * CLOCKS_PER_SEC;
	unsigned long steps = 0;
	u64 seed;
	int i;

	for (seed = 1; clock() < end; seed++) {
		start_machine(msrs, seed, 4000);
		machine.lies = 1 + seed % 7;
		for (i = 0; i < 500; i++, steps++)
			step();
	}
	printf("# %lu steps\n", steps);
	return true;
}

/*
 * Only the driver writes the control registers, so x86_check_global_ctrl() does not warn. Cleared
 * counters do not count, so x86_check_clean() does not, either.
 */
static bool checks_registers(const struct x86_pmu_msrs *msrs, double seconds)
{
	bool ok;

	check_registers = true;
	ok = run_random(msrs, seconds);
	check_registers = false;
	return ok;
}

/* Has the driver stopped all counters and records? */
static bool is_halted(const struct x86_pmu_msrs *msrs)
{
	return is_left(msrs) && !machine.pebs_enable && !machine.ds_area &&
	       !(machine.debugctl & BIT(12));
}

/* The kernel crashes at an access to a register, which may be in an interrupt. */
static bool halted_at_crash(const struct x86_pmu_msrs *msrs)
{
	/* Static, as longjmp() does not restore locals. */
	static unsigned int i, crashes;
	static u64 seed;
	static bool ok;

	/* A P6 has no pairs. */
	row = msrs->always ? &thread_model : &model;
	crashes = 0;
	for (seed = 1; seed <= 500; seed++) {
		start_machine(msrs, seed, 4000);
		machine.crash = 100 + machine_random(8000);
		if (setjmp(machine_crashed)) {
			/* The interrupted change of events is never completed. */
			coming = 0;
			handed_over = false;
			machine.in_driver = true;
			machine.kernel = true;
			x86_cpu_crash_shutdown(&x86_pmu_cpu);
			/*
			 * An interrupt that was sent before the crash finds a change that
			 * is not applied yet. A crash in an NMI masks that interrupt.
			 */
			x86_pmu_cpu.needs_reprogram = true;
			machine.pending = true;
			machine_take_interrupt();
			machine.in_nmi = false;
			crashes++;
			ok = is_halted(msrs);
		} else {
			for (i = 0, ok = true; i < 300 && ok; i++)
				ok = step();
			machine.crash = 0;
		}
		if (!ok) {
			printf("# seed %llu\n", (unsigned long long)seed);
			print_status();
			return false;
		}
	}
	return crashes > 400 && !harness_warned;
}

int main(int argc, char **argv)
{
	double seconds = harness_seconds(argc, argv);

	ktap_plan(25);
	ktap_result(run_random(&with_control, seconds / 6), "with_control_and_mask");
	ktap_result(run_random(&ack_runs, seconds / 6), "acknowledged_while_it_runs");
	ktap_result(run_random(&without_mask, seconds / 6), "with_control");
	ktap_result(run_random(&selects_alone, seconds / 6), "selects_alone");
	ktap_result(run_lying(&with_control, seconds / 20), "lies_with_control_and_mask");
	ktap_result(run_lying(&ack_runs, seconds / 20), "lies_acknowledged_while_it_runs");
	ktap_result(run_lying(&selects_alone, seconds / 20), "lies_selects_alone");
	ktap_result(run_beside(&selects_alone, MACHINE_FOREIGN, seconds / 6),
		    "foreign_selects_alone");
	ktap_result(run_beside(&without_mask, MACHINE_FOREIGN, seconds / 6),
		    "foreign_with_control");
	ktap_result(run_beside(&with_control, MACHINE_FOREIGN, seconds / 6),
		    "foreign_with_control_and_mask");
	ktap_result(run_beside(&with_control, MACHINE_TRACES, seconds / 6), "traces");
	ktap_result(run_beside(&selects_alone, MACHINE_MASKS, seconds / 6), "masked_selects_alone");
	ktap_result(run_beside(&without_mask, MACHINE_MASKS, seconds / 6), "masked_with_control");
	ktap_result(checks_registers(&with_control, seconds / 20), "checks_registers_with_mask");
	ktap_result(checks_registers(&without_mask, seconds / 20), "checks_registers");
	ktap_result(checks_registers(&selects_alone, seconds / 20), "checks_selects_alone");
	ktap_result(halted_at_crash(&with_control), "halted_at_crash_with_control");
	ktap_result(halted_at_crash(&selects_alone), "halted_at_crash");
	ktap_result(halted_at_crash(&modes_halt), "halted_at_crash_modes_halt");
	/* The models below have no pairs. */
	row = &thread_model;
	ktap_result(run_random(&modes_halt, seconds / 6), "modes_halt");
	ktap_result(run_random(&version_1, seconds / 6), "version_1");
	ktap_result(run_random(&marks, seconds / 6), "marks");
	ktap_result(run_beside(&modes_halt, MACHINE_FOREIGN, seconds / 6), "foreign_modes_halt");
	ktap_result(run_random(&with_control, seconds / 6), "with_another_thread");
	row = &erratum_model;
	ktap_result(run_random(&with_control, seconds / 6), "erratum_selects_at_random");
	return ktap_end();
}
