// SPDX-License-Identifier: GPL-2.0
/* Counters of events and claims when both are in use, and when the core's other thread runs */
#include "x86_events.h"

/* Enable an event of user space, and prepare a claim of its counter. */
static void claim_counter_of(struct counted *c, bool pinned)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .exclude_kernel = true, .pinned = pinned,
	};
	struct section before = now();

	assert(!open_event(c, &attr));
	perf_pmu_disable(&core.pmu);
	assert(!core.pmu.add(&c->event, PERF_EF_START));
	perf_pmu_enable(&core.pmu);
	c->on = true;
	has_begun(c, before);
	thread = (struct thread){
		.has_control = true, .state.control.nractrs = 1, .state.claim.id = 1,
		.state.claim.n = 1,
	};
	thread.state.claim.counter[0] = x86_event_count(&c->event)->counter;
	thread.state.claim.config[0] = ANY_CODE | ARCH_PERFMON_EVENTSEL_USR;
	thread.state.claim.counters = BIT_ULL(thread.state.claim.counter[0]);
	perfctr_state_begin(&thread.state);
}

/* An event that needs the counter of a claim is on whenever there is no claim. */
static bool evicted_returns(void)
{
	struct counted *c = &counted[0];
	bool ok = true;
	int i;

	start_machine(&with_control, 1, 4000);
	claim_counter_of(c, false);
	x86_pmu_cpu.excl->thread[1].exclusive =
		X86_GENERAL(MACHINE_GENERAL) & ~thread.state.claim.counters;
	x86_pmu_cpu.excl->thread[1].used = x86_pmu_cpu.excl->thread[1].exclusive;
	for (i = 0; i < 100; i++) {
		thread_runs();
		ok &= thread.running && !c->on;
		machine_run(10);
		thread_stops();
		ok &= c->on;
		machine_run(10);
		ok &= all_right() && thread_is_right();
	}
	remove_event(c, now());
	return ok && all_right() && !harness_warned;
}

/*
 * The core's other thread makes all counters but one unusable. A claim of that counter displaces a
 * flexible event, which then waits, but the claim fails beside a pinned event.
 */
static bool pinned_beside_thread(bool pinned)
{
	struct counted *c = &counted[0];
	struct x86_excl_cntrs *excl;
	bool ok;

	start_machine(&with_control, 1, 4000);
	excl = x86_pmu_cpu.excl;
	claim_counter_of(c, pinned);
	excl->thread[1].exclusive = X86_GENERAL(MACHINE_GENERAL) & ~excl->thread[0].used;
	excl->thread[1].used = excl->thread[1].exclusive;
	thread_runs();
	ok = thread.running == !pinned && c->on == pinned && all_right();
	machine_run(100);
	thread_stops();
	ok &= c->on;
	/* If another counter is usable, the event counts beside the claim. */
	excl->thread[1].exclusive &= excl->thread[1].exclusive - 1;
	excl->thread[1].used = excl->thread[1].exclusive;
	thread_runs();
	ok &= thread.running && c->on && all_right();
	machine_run(100);
	thread_stops();
	if (c->on)
		remove_event(c, now());
	return ok && all_right() && !harness_warned;
}

/*
 * A memory event of the core's other thread may corrupt the counter of the same number: a claim
 * needs another counter. Meanwhile the other thread cannot use the claim's counter for such events.
 */
static bool claim_beside_thread(void)
{
	struct counted *c = &counted[0];
	struct x86_excl_cntrs *excl;
	u64 counters;
	bool ok;

	start_machine(&with_control, 1, 4000);
	excl = x86_pmu_cpu.excl;
	claim_counter_of(c, false);
	remove_event(c, now());
	counters = thread.state.claim.counters;
	excl->thread[1].exclusive = counters;
	excl->thread[1].used = counters;
	thread_runs();
	ok = !thread.running && !x86_pmu_cpu.claimed;
	thread_stops();
	excl->thread[1].exclusive = 0;
	excl->thread[1].used = 0;
	thread_runs();
	ok &= thread.running && (excl->thread[0].used & counters);
	machine_run(100);
	thread_stops();
	return ok && !(excl->thread[0].used & counters) && thread_is_right() && !harness_warned;
}

/* Add @n events from @first as a group. Return: true if they are on */
static bool add_opened(int first, int n)
{
	struct section before = now();
	u64 added = 0;
	int i;

	perf_pmu_disable(&core.pmu);
	add_group((u64)GENMASK_ULL(n - 1, 0) << first, &added, before);
	perf_pmu_enable(&core.pmu);
	for (i = first; added && i < first + n; i++) {
		counted[i].on = true;
		has_begun(&counted[i], before);
	}
	return added;
}

/* Open @n events of user space, and add them as a group. Return: true if they are on */
static bool add_new(int first, int n, u32 code, bool pinned)
{
	int i;

	for (i = first; i < first + n; i++) {
		/* The events differ, so they do not share a counter. */
		struct perf_event_attr attr = {
			.config = code | i << 8, .exclude_kernel = true, .pinned = pinned,
		};

		assert(!open_event(&counted[i], &attr));
	}
	return add_opened(first, n);
}

static void remove_events(int first, int n)
{
	while (n--)
		remove_event(&counted[first + n], now());
}

/*
 * While one thread's events make counters of the other unusable, each thread has at most half of
 * the general counters.
 */
static bool half_beside_thread(void)
{
	struct perf_event_attr cycles = { .config = 0x3c };
	struct x86_excl_thread *other;
	bool ok;

	/* The core has no other thread. */
	start_machine(&with_control, 2, 4000);
	ok = add_new(0, 4, HT_CODE, false);
	remove_events(0, 4);

	start_machine(&with_control, 1, 4000);
	other = &x86_pmu_cpu.first_excl.thread[1];
	ok &= !add_new(0, 3, HT_CODE, false) && add_new(0, 4, ANY_CODE, false);
	remove_events(0, 4);
	ok &= add_new(0, 2, HT_CODE, false) && !add_new(2, 1, ANY_CODE, false);
	remove_events(0, 2);
	other->used = BIT_ULL(0);
	other->exclusive = BIT_ULL(0);
	ok &= add_new(0, 2, ANY_CODE, false) && !add_new(2, 1, ANY_CODE, false);
	remove_events(0, 2);
	other->used = 0;
	other->exclusive = 0;

	/*
	 * An event of cycles moves from a general counter to the fixed counter, if two events of
	 * the erratum need the general counter.
	 */
	cycles.exclude_user = true;
	assert(!open_event(&counted[0], &cycles));
	cycles = (struct perf_event_attr){ .config = 0x3c, .exclude_kernel = true };
	assert(!open_event(&counted[1], &cycles));
	add_opened(0, 1);
	add_opened(1, 1);
	ok &= x86_counter_is_fixed(x86_event_count(&counted[0].event)->counter) &&
	      !x86_counter_is_fixed(x86_event_count(&counted[1].event)->counter);
	remove_events(0, 1);
	ok &= add_new(2, 2, HT_CODE, false) &&
	      x86_counter_is_fixed(x86_event_count(&counted[1].event)->counter);
	ok &= all_right();
	remove_events(1, 3);
	return ok && all_right() && !harness_warned;
}

/* A claim of all general counters persists if a flexible event needs one. A pinned one ends it. */
static bool gives_way(const struct x86_pmu_msrs *msrs, bool ints)
{
	bool ok;
	int i;

	start_machine(msrs, 1, 4000);
	thread = (struct thread){ .has_control = true, .state.claim.n = MACHINE_GENERAL };
	thread.state.claim.id = 1;
	thread.state.control.tsc_on = 1;
	for (i = 0; i < MACHINE_GENERAL; i++) {
		thread.state.claim.counter[i] = i;
		thread.state.claim.config[i] = ANY_CODE | ARCH_PERFMON_EVENTSEL_USR;
		thread.state.claim.counters |= BIT_ULL(i);
		thread.state.control.ireset[i] = -1000000;
	}
	if (ints) {
		thread.state.claim.ints = thread.state.claim.counters;
		thread.state.control.nrictrs = MACHINE_GENERAL;
	} else {
		thread.state.control.nractrs = MACHINE_GENERAL;
	}
	perfctr_state_begin(&thread.state);
	thread_runs();
	machine_run(100);
	ok = thread.running && !add_new(0, 1, ANY_CODE, false) && thread.running;
	machine_run(100);
	/* A group of three events that can use only two counters does not end the claim. */
	ok &= !add_new(0, 3, LIMITED_CODE, true) && thread.running;
	machine_run(100);
	ok &= add_new(3, 1, LIMITED_CODE, true) && !thread.running;
	ok &= thread.state.cstatus == perfctr_mk_cstatus(1, 0, 0);
	machine_run(100);
	ok &= thread_is_right() && all_right();
	remove_event(&counted[3], now());
	return ok && all_right() && !harness_warned;
}

/*
 * x86_cpu_shutdown() also stops the counters of a perfctr. Their counts are kept, and a perfctr
 * cannot claim them again.
 */
static bool claims_end_for_good(const struct x86_pmu_msrs *msrs, bool ints)
{
	bool ok;

	row = &model;
	start_machine(msrs, 1, 4000);
	claim_all(1);
	if (ints) {
		thread.state.claim.ints = thread.state.claim.counters;
		thread.state.control.nractrs = 0;
		thread.state.control.nrictrs = N;
		perfctr_state_begin(&thread.state);
	}
	thread_runs();
	machine_run(1000);
	x86_cpu_shutdown(&x86_pmu_cpu);
	machine_run(1000);
	ok = !thread.running && thread.counts && thread_is_right();
	claim_all(2);
	thread_runs();
	machine_run(1000);
	return ok && !thread.running && !x86_pmu_cpu.claimed && is_left(msrs) && !harness_warned;
}

/*
 * While a pinned event waits, a claim displaces a flexible event. The pinned event is scheduled
 * before the flexible one, and needs a counter of the claim: the claim is refused.
 */
static bool waiting_pinned_refuses(const struct x86_pmu_msrs *msrs)
{
	bool ok;

	start_machine(msrs, 1, 4000);
	ok = add_new(0, 1, LIMITED_CODE, true) && add_new(1, 1, LIMITED_CODE, false);
	remove_event(&counted[0], now());
	waiting = BIT_ULL(0);
	claim_counters(1, 0, 2, ARCH_PERFMON_EVENTSEL_USR, 0);
	thread_runs();
	ok &= !thread.running && !x86_pmu_cpu.claimed && counted[0].on && counted[1].on;
	machine_run(100);
	ok &= all_right();
	remove_events(0, 2);
	return ok && all_right() && !harness_warned;
}

/*
 * Between two claims of a thread, an event is added on another counter. This stops the thread's
 * counters, and they run again in the second claim.
 */
static bool claim_runs_again(const struct x86_pmu_msrs *msrs)
{
	bool ok;

	start_machine(msrs, 1, 4000);
	claim_counters(1, 1, 2, ARCH_PERFMON_EVENTSEL_USR, 0);
	thread_runs();
	ok = thread.running;
	run_user(100);
	thread_stops();
	ok &= add_new(0, 1, LIMITED_CODE, false);
	ok &= x86_event_count(&counted[0].event)->counter == 0;
	run_user(100);
	thread_runs();
	ok &= thread.running;
	run_user(100);
	thread_stops();
	remove_event(&counted[0], now());
	return ok && thread_is_right() && all_right() && !harness_warned;
}

/*
 * One interrupt writes a sample for each event of its counter, so only a few sampling events share
 * a counter.
 */
static bool few_samplers_share(void)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .exclude_kernel = true, .sample_period = 1000,
	};
	u64 counters = 0;
	int i;

	start_machine(&with_control, 1, 4000);
	for (i = 0; i < EVENTS; i++) {
		/* Every third event counts only. */
		attr.sample_period = i % 3 ? 1000 : 0;
		assert(!open_event(&counted[i], &attr));
		schedule_in(&counted[i]);
		counters |= BIT_ULL(x86_event_count(&counted[i].event)->counter);
	}
	return hweight64(counters) == 2 && !harness_warned;
}

#define REFERENCE_CYCLES	0x0300

/* Only the third fixed counter counts reference cycles. */
static const struct x86_limit reference_limits[] = {
	X86_LIMIT_NAME(0x03, 2),
	X86_LIMIT_END
};

static const struct x86_model reference_model = {
	.name = "reference", .limits = reference_limits, .config_mask = X86_RAW_EVENT_MASK,
};

/* The events of one count, and one more */
static struct counted crowd[X86_COUNT_EVENTS_MAX + 1];

static int open_in_crowd(int i, u64 config)
{
	struct perf_event *event = &crowd[i].event;

	crowd[i] = (struct counted){ };
	event->attr = (struct perf_event_attr){
		.type = PERF_TYPE_RAW, .config = config, .exclude_kernel = true,
	};
	event->pmu = &core.pmu;
	event->cpu = -1;
	event->group_leader = &crowd[0].event;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	return x86_event_init(event);
}

/* Open @n events of reference cycles as a group. Return: whether no event is refused */
static bool open_crowd(int n)
{
	struct perf_event *leader = &crowd[0].event;
	int i;

	for (i = 0; i < n; i++) {
		if (open_in_crowd(i, REFERENCE_CYCLES))
			return false;
		if (i)
			leader->members[leader->nr_members++] = &crowd[i].event;
	}
	return true;
}

/* Return: whether the first @n events count as a group */
static bool crowd_counts(int n)
{
	bool fits = true;
	u64 before;
	int i;

	perf_pmu_disable(&core.pmu);
	core.pmu.start_txn(&core.pmu, PERF_PMU_TXN_ADD);
	for (i = 0; i < n; i++) {
		local64_set(&crowd[i].event.count, 0);
		fits &= !core.pmu.add(&crowd[i].event, PERF_EF_START);
	}
	fits &= !core.pmu.commit_txn(&core.pmu);
	perf_pmu_enable(&core.pmu);
	if (!fits)
		return false;
	before = machine.user;
	run_user(1000);
	for (i = 0; i < n; i++) {
		core.pmu.del(&crowd[i].event, 0);
		fits &= local64_read(&crowd[i].event.count) == machine.user - before;
	}
	return fits;
}

/* A counter has at most X86_COUNT_EVENTS_MAX events: a larger group of one counter is refused. */
static bool crowd_fits(void)
{
	bool ok;

	row = &reference_model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	ok = open_crowd(X86_COUNT_EVENTS_MAX) && crowd_counts(X86_COUNT_EVENTS_MAX);
	ok &= open_in_crowd(X86_COUNT_EVENTS_MAX, REFERENCE_CYCLES) ==
	      -EINVAL;
	/* A member of another select has a counter of its own. */
	ok &= !open_in_crowd(X86_COUNT_EVENTS_MAX, ANY_CODE);
	crowd[0].event.members[crowd[0].event.nr_members++] = &crowd[X86_COUNT_EVENTS_MAX].event;
	ok &= crowd_counts(X86_COUNT_EVENTS_MAX + 1);
	return ok && !harness_warned;
}

int main(void)
{
	ktap_plan(18);
	row = &thread_model;
	ktap_result(pinned_beside_thread(true), "pinned_keeps_its_counter");
	ktap_result(pinned_beside_thread(false), "flexible_waits");
	ktap_result(claim_beside_thread(), "claim_beside_thread");
	ktap_result(half_beside_thread(), "half_beside_thread");
	ktap_result(evicted_returns(), "evicted_returns");
	ktap_result(gives_way(&with_control, false), "gives_way");
	ktap_result(gives_way(&with_control, true), "gives_way_with_interrupts");
	ktap_result(gives_way(&version_1, false), "gives_way_version_1");
	ktap_result(gives_way(&version_1, true), "gives_way_version_1_with_interrupts");
	ktap_result(claims_end_for_good(&with_control, false), "claims_end_for_good_with_control");
	ktap_result(claims_end_for_good(&with_control, true), "claims_end_for_good_interrupts");
	ktap_result(claims_end_for_good(&selects_alone, false), "claims_end_for_good");
	ktap_result(waiting_pinned_refuses(&with_control), "waiting_pinned_refuses");
	ktap_result(waiting_pinned_refuses(&version_1), "waiting_pinned_refuses_version_1");
	ktap_result(few_samplers_share(), "few_samplers_share");
	ktap_result(crowd_fits(), "crowd_fits");
	/* Without another thread, the counters run on after a claim. */
	row = &model;
	ktap_result(claim_runs_again(&with_control), "claim_runs_again");
	ktap_result(claim_runs_again(&version_1), "claim_runs_again_version_1");
	return ktap_end();
}
