// SPDX-License-Identifier: GPL-2.0
/*
 * Branch trace store: each branch of user space while an event runs becomes one sample, in order.
 * Branches of the kernel, or at other times, have no sample. x86_bts_aux_test.c tests traces.
 */
#include "x86_bts.h"

static const struct perf_event_attr every_branch = {
	.config = BRANCHES, .exclude_kernel = true, .sample_period = 1,
};

/* Start the machine, and an event of all branches from now on. */
static void start_event(u64 seed)
{
	start(seed, 0);
	assert(!open_event(&counted[0], &every_branch));
	expected = machine.jumps + 1;
	schedule_in(&counted[0]);
}

/* Does the event have all branches so far, and is nothing else wrong? */
static bool has_all(const struct counted *c)
{
	bool ok = expected == machine.jumps + 1 && !is_wrong && !machine.lost &&
		  !machine.unknown && !machine.swallowed && !harness_warned &&
		  local64_read(&c->event.count) == (s64)c->samples;

	if (!ok)
		printf("# %llu of %llu branches, %llu lost, %lu unknown, %lu swallowed\n",
		       (unsigned long long)expected - 1, (unsigned long long)machine.jumps,
		       (unsigned long long)machine.lost, machine.unknown, machine.swallowed);
	return ok;
}

/*
 * Sample every branch, with reads, switches and stops at random times, and other events. @lacking:
 * features that the CPU lacks
 */
static bool samples_all(u64 seed, u32 lacking, bool others, bool foreign)
{
	struct counted *c = &counted[0];
	u64 first, added = 0;
	bool ok = true;
	int i;

	beside = foreign ? MACHINE_FOREIGN : 0;
	start(seed, lacking);
	beside = 0;
	guest_state = seed % 3 ? 0 : PERF_GUEST_ACTIVE;
	assert(!open_event(c, &every_branch));
	if (others) {
		struct perf_event_attr attr = {
			.config = ANY_CODE, .precise_ip = 2, .exclude_kernel = true,
			.sample_period = 500,
		};

		assert(!open_event(&counted[1], &attr));
		attr.precise_ip = 0;
		attr.sample_period = 700;
		assert(!open_event(&counted[2], &attr));
		perf_pmu_disable(&core.pmu);
		add_group(6, &added, now());
		perf_pmu_enable(&core.pmu);
	}
	for (i = 0; i < 8 && ok; i++) {
		machine_run(machine_random(300));
		ok &= is_off();
		expected = machine.jumps + 1;
		first = expected;
		schedule_in(c);
		while (machine_random(8)) {
			machine_run(machine_random(4) ? machine_random(100) : 6000);
			if (!machine_random(3))
				core.pmu.read(&c->event);
			if (!machine_random(3))
				core.pmu.sched_task(NULL, NULL, false);
			if (!machine_random(3)) {
				core.pmu.stop(&c->event, 0);
				ok &= is_off();
				core.pmu.start(&c->event, 0);
			}
		}
		schedule_out(c);
		ok &= is_off() && has_all(c) && first <= expected;
	}
	if (others)
		ok &= counted[1].samples && counted[2].samples;
	return ok;
}

static bool samples_all_seeds(u32 lacking, bool others, bool foreign)
{
	u64 seed;

	for (seed = 1; seed <= 40; seed++) {
		if (!samples_all(seed, lacking, others, foreign))
			return false;
	}
	return true;
}

/*
 * The BTS samples only branches of user space, on a CPU with BTS, while no user of another kind has
 * the branch records.
 */
static bool refusals(void)
{
	struct perf_event_attr attr = every_branch;
	struct counted *c = &counted[0];
	bool ok;

	start(1, BIT(X86_FEATURE_BTS));
	ok = open_event(c, &attr) == -EOPNOTSUPP;
	attr.sample_period = 2;
	ok &= !open_event(c, &attr);
	start(1, 0);
	ok &= !open_event(c, &every_branch) && core.pmu.check_period(&c->event, 1) == -EINVAL &&
	      core.pmu.check_period(&c->event, 1000) == -EINVAL;
	/* A frequency of 1 is no period of 1. */
	attr = every_branch;
	attr.freq = true;
	ok &= !open_event(c, &attr) && !(c->event.hw.flags & X86_BRANCH_TRACE);
	attr = every_branch;
	attr.exclude_kernel = false;
	ok &= open_event(c, &attr) == -EOPNOTSUPP;
	attr = every_branch;
	attr.precise_ip = 1;
	ok &= open_event(c, &attr) == -EOPNOTSUPP;
	attr = every_branch;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	ok &= open_event(c, &attr) == -EOPNOTSUPP;
	branch_stack_error = 0;
	ok &= !open_event(c, &attr) && (c->event.hw.flags & X86_BRANCH_TRACE);
	branch_stack_error = -EOPNOTSUPP;
	branches_taken = -EBUSY;
	ok &= open_event(c, &every_branch) == -EBUSY;
	branches_taken = 0;
	attr = every_branch;
	attr.exclude_guest = true;
	return ok && !open_event(c, &attr) && (c->event.hw.flags & X86_BRANCH_TRACE);
}

static u64 at_least_32(u64 config)
{
	return 32;
}

/*
 * Branches of guests are not recorded: a counter counts them. Its period may be 1, or become 1,
 * also if an erratum requires longer periods of other events.
 */
static bool counts_guest(u64 (*min_period)(u64 config))
{
	struct perf_event_attr attr = { .config = BRANCHES, .exclude_host = 1, .sample_period = 1 };
	struct x86_model limited = model;
	struct counted *c = &counted[0];
	bool ok;

	start(1, 0);
	limited.min_period = min_period;
	core.model = &limited;
	ok = !open_event(c, &attr) && !(c->event.hw.flags & X86_BRANCH_TRACE);
	schedule_in(c);
	run_guest(1000);
	schedule_out(c);
	return ok && local64_read(&c->event.count) == 1000 && !machine.unknown &&
	       !core.pmu.check_period(&c->event, 1000) && !core.pmu.check_period(&c->event, 1);
}

/*
 * A counter with a short period is set to the minimum. If another event is stopped and started
 * before the overflow, the overflow is not postponed.
 */
static bool overflows_beside_others(void)
{
	struct perf_event_attr attr = { .config = BRANCHES, .exclude_host = 1, .sample_period = 1 };
	struct counted *c = &counted[0], *other = &counted[1];
	struct x86_model limited = model;
	int i;

	start(1, 0);
	limited.min_period = at_least_32;
	core.model = &limited;
	assert(!open_event(c, &attr));
	attr.config = ANY_CODE;
	attr.sample_period = 0;
	assert(!open_event(other, &attr));
	schedule_in(c);
	schedule_in(other);
	for (i = 0; i < 20; i++) {
		run_guest(5);
		core.pmu.stop(&other->event, 0);
		core.pmu.start(&other->event, 0);
	}
	schedule_out(c);
	return c->samples && !machine.unknown && !harness_warned;
}

/* Without a local APIC the buffer has no interrupt: there is no BTS, also not for the AUX area. */
static bool without_interrupt(void)
{
	start(1, BIT(X86_FEATURE_APIC));
	return open_event(&counted[0], &every_branch) == -EOPNOTSUPP &&
	       bts_pmu_init() == -ENODEV;
}

/* The shortest period of the counters is no limit of the BTS, which uses no counter. */
static bool without_shortest_period(void)
{
	struct x86_model limited = model;
	struct counted *c = &counted[0];
	struct perf_event_attr attr = every_branch;
	bool ok;

	start(1, 0);
	limited.min_period = at_least_32;
	core.model = &limited;
	ok = !open_event(c, &every_branch) && (c->event.hw.flags & X86_BRANCH_TRACE);
	expected = machine.jumps + 1;
	schedule_in(c);
	machine_run(10000);
	schedule_out(c);
	ok &= has_all(c) && c->samples;
	/* Other periods must not be less than the shortest period. */
	attr.sample_period = 2;
	ok &= open_event(c, &attr) == -EINVAL;
	attr.sample_period = 32;
	ok &= !open_event(c, &attr) && core.pmu.check_period(&c->event, 31) == -EINVAL &&
	      core.pmu.check_period(&c->event, 1) == -EINVAL &&
	      !core.pmu.check_period(&c->event, 33);
	return ok;
}

/* A trace needs permission for the kernel, also without the kernel; a child does not need it. */
static bool permissions(void)
{
	struct perf_event event = { .pmu = &bts_pmu, .cpu = -1, .attr.exclude_kernel = true };
	struct counted *c = &counted[0];
	bool ok;

	start(1, 0);
	exclusive_users = 0;
	kernel_forbidden = -EACCES;
	ok = bts_pmu.event_init(&event) == -EACCES && !exclusive_users && !event.destroy;
	event.attr.type = PERF_TYPE_RAW;
	ok &= bts_pmu.event_init(&event) == -ENOENT;
	event.attr.type = 0;
	event.parent = &event;
	event.attr.exclude_host = true;
	ok &= bts_pmu.event_init(&event) == -EOPNOTSUPP;
	event.attr.exclude_host = false;
	ok &= !bts_pmu.event_init(&event) && !exclusive_users;
	/* Samples need no permission: the core checks exclude_kernel. */
	ok &= !open_event(c, &every_branch) && exclusive_users == 1;
	c->event.parent = &c->event;
	ok &= !x86_event_init(&c->event) && exclusive_users == 1;
	kernel_forbidden = 0;
	event.parent = NULL;
	ok &= !bts_pmu.event_init(&event) && exclusive_users == 2;
	event.destroy(&event);
	return ok && exclusive_users == 1;
}

/* One event at a time has the BTS, also in a group. */
static bool one_at_a_time(void)
{
	struct perf_event *leader = &counted[0].event, *member = &counted[1].event;
	bool ok;

	start(1, 0);
	assert(!open_event(&counted[0], &every_branch));
	assert(!open_event(&counted[1], &every_branch));
	/* The core calls sched_task only while an event of the BTS is scheduled. */
	ok = leader->attach_state & PERF_ATTACH_SCHED_CB;
	schedule_in(&counted[0]);
	ok &= sched_cb_users == 1;
	ok &= core.pmu.add(member, PERF_EF_START) == -EAGAIN && sched_cb_users == 1;
	schedule_out(&counted[0]);
	ok &= !sched_cb_users;
	schedule_in(&counted[1]);
	ok &= x86_pmu_cpu.bts.event == member;
	schedule_out(&counted[1]);
	leader->members[0] = member;
	leader->nr_members = 1;
	member->group_leader = leader;
	return ok && x86_event_init(member) == -EINVAL;
}

/* The core stops the event at an overflow, as to throttle it, and later starts it again. */
static bool throttled(void)
{
	struct counted *c = &counted[0];
	u64 samples;
	bool ok;

	start_event(1);
	c->stop_at = 1;
	while (!c->samples)
		machine_run(100);
	/* Nevertheless all records in the buffer become samples, but these are not many. */
	samples = c->samples;
	ok = samples > 200 && samples <= BTS_SAMPLES && c->overflows == 1 && is_off() && !is_wrong;
	machine_run(10000);
	ok &= c->samples == samples && !x86_event_runs(&c->event);
	expected = machine.jumps + 1;
	core.pmu.start(&c->event, 0);
	machine_run(10000);
	schedule_out(c);
	return ok && has_all(c) && is_off();
}

/* The last sample of an interrupt is an overflow, also if records without a sample follow. */
static bool overflows_once(void)
{
	const struct x86_bts_record records[] = {
		{ MACHINE_CODE, MACHINE_CODE + 8 }, { MACHINE_CODE + 16, MACHINE_CODE + 24 },
		{ MACHINE_CODE + 32, MACHINE_KERNEL },
	};
	struct counted *c = &counted[0];

	start(1, 0);
	machine.quiet = true;
	assert(!open_event(c, &every_branch));
	schedule_in(c);
	expected = 0;
	/* Only an overflow can stop the event. */
	c->stop_at = 2;
	bts_sample(&x86_pmu_cpu, &c->event, records, ARRAY_SIZE(records), true);
	return c->samples == 2 && c->overflows == 1 && !x86_event_runs(&c->event) &&
	       expected == 2 && !harness_warned;
}

/* The limit of PERF_EVENT_IOC_REFRESH ends the samples and the count, though more records wait. */
static bool limited(void)
{
	struct counted *c = &counted[0];
	bool ok;

	start_event(1);
	c->limit = 100;
	machine_run(10000);
	ok = !x86_event_runs(&c->event) && is_off();
	schedule_out(c);
	return ok && c->samples == 100 && local64_read(&c->event.count) == 100 && !is_wrong &&
	       !harness_warned;
}

/* In an NMI, as for a sample of another event, a read leaves the records in the buffer. */
static bool read_in_nmi(void)
{
	struct counted *c = &counted[0];
	bool ok;

	start_event(1);
	run_user(100);
	machine.in_nmi = true;
	core.pmu.read(&c->event);
	machine.in_nmi = false;
	ok = !c->samples && !is_off();
	schedule_out(c);
	return ok && has_all(c);
}

/* The interrupt of the buffer is late: the driver takes the records before it. */
static bool late_interrupt(void)
{
	struct counted *c = &counted[0];
	bool ok = true;
	u64 seed;

	for (seed = 1; seed <= 200 && ok; seed++) {
		start_event(seed);
		run_user(BTS_SAMPLES + 10);
		if (seed % 4 < 2)
			core.pmu.sched_task(NULL, NULL, false);
		else
			core.pmu.stop(&c->event, 0);
		/* All samples are written before another task runs. */
		ok &= expected == machine.jumps + 1;
		machine_take_interrupt();
		schedule_out(c);
		ok &= has_all(c);
	}
	return ok;
}

/* Another user of DEBUGCTL enables the BTS again: the driver disables it, and drops the records. */
static bool enabled_by_mistake(void)
{
	struct counted *c = &counted[0];
	u64 debugctl;
	bool ok;

	start_event(1);
	debugctl = machine.debugctl;
	machine_run(1000);
	schedule_out(c);
	ok = has_all(c) && is_off();
	machine.debugctl = debugctl;
	while (!is_off() && machine.jumps < 10000)
		machine_run(100);
	ok &= is_off() && !is_wrong && !machine.unknown;
	/* An event gets no records from before its start. */
	machine.debugctl = debugctl;
	machine_run(500);
	expected = machine.jumps + 1;
	schedule_in(c);
	machine_run(10000);
	schedule_out(c);
	return ok && has_all(c) && is_off();
}

/* The driver does not change the other bits of DEBUGCTL. */
static bool keeps_others(void)
{
	const u64 others = DEBUGCTLMSR_LBR | DEBUGCTLMSR_FREEZE_LBRS_ON_PMI | BIT(1);
	struct counted *c = &counted[0];
	bool ok;

	start(1, 0);
	assert(!open_event(c, &every_branch));
	machine.debugctl = others;
	expected = machine.jumps + 1;
	schedule_in(c);
	ok = (machine.debugctl & ~BTS_CONTROL) == others && !is_off();
	machine_run(6000);
	schedule_out(c);
	return ok && machine.debugctl == others && has_all(c);
}

/*
 * A suspend clears the registers, and the event continues. After a shutdown or a crash, the CPU
 * writes no more records.
 */
static bool suspended(void)
{
	struct x86_pmu_cpu *cpu = &x86_pmu_cpu;
	struct counted *c = &counted[0];
	bool ok;

	start_event(1);
	machine_run(1000);
	x86_cpu_stop(cpu);
	ok = is_off();
	machine.ds_area = 0;
	machine.debugctl = 0;
	x86_cpu_start(cpu, &core, false);
	x86_bts_resume(cpu);
	cpu->needs_reprogram = true;
	x86_resume_reprogram(cpu);
	machine_run(6000);
	core.pmu.read(&c->event);
	ok &= has_all(c) && !is_off();
	x86_cpu_crash_shutdown(cpu);
	ok &= is_off() && !machine.ds_area;
	schedule_out(c);
	schedule_in(c);
	machine_run(1000);
	return ok && is_off();
}

/*
 * NMIs while the CPU is suspended and resumes: the CPU writes no records without the address of the
 * debug store area.
 */
static bool suspended_with_nmis(void)
{
	struct x86_pmu_cpu *cpu = &x86_pmu_cpu;
	struct counted *c = &counted[0];
	bool ok = true;
	u64 seed;

	for (seed = 1; seed <= 100 && ok; seed++) {
		beside = MACHINE_FOREIGN;
		start_event(seed);
		beside = 0;
		machine_run(machine_random(1000));
		x86_cpu_stop(cpu);
		machine_nmi();
		ok &= is_off();
		machine.ds_area = 0;
		x86_cpu_start(cpu, &core, false);
		machine_nmi();
		ok &= is_off();
		x86_bts_resume(cpu);
		machine_nmi();
		ok &= !is_off();
		cpu->needs_reprogram = true;
		x86_resume_reprogram(cpu);
		machine_run(1000);
		schedule_out(c);
		ok &= !is_wrong && !machine.lost;
	}
	return ok;
}

int main(void)
{
	ktap_plan(21);
	ktap_result(samples_all_seeds(0, false, false), "samples_all");
	ktap_result(samples_all_seeds(BIT(X86_FEATURE_DSCPL), false, false),
		    "samples_all_without_filter");
	ktap_result(samples_all_seeds(0, true, false), "samples_all_beside_others");
	ktap_result(samples_all_seeds(0, false, true), "samples_all_with_foreign_nmis");
	ktap_result(refusals(), "refusals");
	ktap_result(counts_guest(NULL), "counts_guest");
	ktap_result(counts_guest(at_least_32), "counts_guest_despite_erratum");
	ktap_result(overflows_beside_others(), "overflows_beside_others");
	ktap_result(without_interrupt(), "without_interrupt");
	ktap_result(without_shortest_period(), "without_shortest_period");
	ktap_result(permissions(), "permissions");
	ktap_result(one_at_a_time(), "one_at_a_time");
	ktap_result(throttled(), "throttled");
	ktap_result(overflows_once(), "overflows_once");
	ktap_result(limited(), "limited");
	ktap_result(read_in_nmi(), "read_in_nmi");
	ktap_result(late_interrupt(), "late_interrupt");
	ktap_result(enabled_by_mistake(), "enabled_by_mistake");
	ktap_result(keeps_others(), "keeps_others");
	ktap_result(suspended(), "suspended");
	ktap_result(suspended_with_nmis(), "suspended_with_nmis");
	return ktap_end();
}
