// SPDX-License-Identifier: GPL-2.0
/*
 * Habits of real drivers on a simulated PMU: each habit alone, and combinations that affect the
 * same part of the core. The PMU itself checks the guarantees of the core for drivers; see
 * sim_habits.h.
 */
#include <linux/cpu.h>
#include <linux/delay.h>

#include "../cgroup.h"
#include "../pmu.h"
#include "../rotate.h"
#include "../throttle.h"
#include "../sim/sim_habits.h"
#include "../sysctl.h"
#include "sim_fixture.h"

#define PERIOD	1000

/**
 * struct habits_fixture - PMUs with habits and their events
 * @f: data for sim_fixture.h: the first PMU, and the events of all PMUs
 * @pmus: the PMUs
 * @nr_pmus: number of @pmus
 */
struct habits_fixture {
	struct sim_fixture	f;
	struct sim_habits	*pmus[2];
	int			nr_pmus;
};

static int habits_test_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct habits_fixture), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	perf_test_clock_now = NSEC_PER_SEC;
	WRITE_ONCE(perf_test_clock_task, current);
	return 0;
}

static void expect_no_complaint(struct kunit *test, struct sim_habits *h)
{
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&h->complaints), 0, "habits %#x: %s", h->mask,
			    READ_ONCE(h->complaint));
}

static void drop_pmus(struct kunit *test)
{
	struct habits_fixture *fixture = test->priv;

	while (fixture->f.nr) {
		if (fixture->f.events[--fixture->f.nr])
			perf_event_release_kernel(fixture->f.events[fixture->f.nr]);
	}
	while (fixture->nr_pmus) {
		struct sim_habits *h = fixture->pmus[--fixture->nr_pmus];

		expect_no_complaint(test, h);
		perf_pmu_unregister(&h->sim->pmu);
		sim_habits_free(h);
	}
}

static void habits_test_exit(struct kunit *test)
{
	WRITE_ONCE(perf_test_clock_task, NULL);
	drop_pmus(test);
}

/* Add a PMU with the habits @mask. open_event() and similar functions use the first PMU. */
static struct sim_habits *add_pmu(struct kunit *test, unsigned int mask)
{
	static const struct sim_pmu_shape two_counters = { .nr_general = 2, .width = 48 };
	struct habits_fixture *fixture = test->priv;
	struct sim_habits *h = sim_habits_alloc(&two_counters, mask);

	KUNIT_ASSERT_NOT_NULL(test, h);
	/* The test itself rotates, so the timer must not expire. */
	h->sim->pmu.hrtimer_interval_ms = 3600 * MSEC_PER_SEC;
	if (perf_pmu_register(&h->sim->pmu, NULL, -1)) {
		sim_habits_free(h);
		KUNIT_FAIL_AND_ABORT(test, "no PMU");
	}
	if (!fixture->nr_pmus)
		fixture->f.sim = h->sim;
	fixture->pmus[fixture->nr_pmus++] = h;
	return h;
}

static struct perf_event *open_on(struct kunit *test, struct sim_habits *h, int cpu,
				  struct task_struct *task, bool pinned)
{
	struct perf_event_attr attr = {
		.type = h->sim->pmu.type, .config = STEP, .pinned = pinned,
	};

	return open_attr(test, &attr, cpu, task, NULL);
}

static int other_cpu(struct kunit *test)
{
	int there = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());

	if (there >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	return there;
}

/* Switch from the task to itself. Return: all calls on this CPU since add_pmu() or by_hand() */
static struct sim_habits_cpu switch_once(struct sim_habits *h)
{
	guard(irqsave)();
	__perf_event_task_sched_out(current, current);
	__perf_event_task_sched_in(current, current);
	return *this_cpu_ptr(h->cpus);
}

/*
 * Run both halves of a context switch from this task to itself. Return: the calls that the PMU
 * recorded
 */
static struct sim_habits_cpu by_hand(struct sim_habits *h)
{
	struct sim_habits_cpu *cpu;

	guard(irqsave)();
	cpu = this_cpu_ptr(h->cpus);
	cpu->enables = 0;
	cpu->early = 0;
	cpu->outs = 0;
	cpu->ins = 0;
	cpu->restored = 0;
	return switch_once(h);
}

/*
 * sched_task is called once in each half of the switch, the PMU is enabled once, and no data of
 * other tasks remains.
 */
static void expect_switch(struct kunit *test, struct sim_habits *h, bool restored)
{
	struct sim_habits_cpu seen = by_hand(h);

	KUNIT_EXPECT_EQ(test, seen.outs, 1U);
	KUNIT_EXPECT_EQ(test, seen.ins, 1U);
	KUNIT_EXPECT_EQ(test, seen.early, 0U);
	KUNIT_EXPECT_EQ(test, seen.enables, 2U);
	KUNIT_EXPECT_EQ(test, seen.restored, restored);
}

/* Like LBRs: an interrupt must never read the branches of another task. */
static void sched_task_before_enable(struct kunit *test)
{
	struct sim_habits *h = add_pmu(test, SIM_SWITCH | SIM_TASK_DATA);
	struct perf_event *of_cpu;

	open_on(test, h, -1, current, false);
	expect_switch(test, h, true);
	/* The CPU's event remains scheduled beside the task's. */
	of_cpu = open_on(test, h, raw_smp_processor_id(), NULL, false);
	expect_switch(test, h, true);
	KUNIT_EXPECT_TRUE(test, is_on(of_cpu));
	/* The CPU's event is scheduled out for an event of the task, and scheduled in again. */
	open_on(test, h, -1, current, true);
	expect_switch(test, h, true);
	KUNIT_EXPECT_EQ(test, sim_test_busy(test), 2U);
}

/*
 * sched_task is called for each task: without an event of the PMU, without a scheduled event of
 * the PMU, and without any event.
 */
static void sched_task_for_any_task(struct kunit *test)
{
	struct sim_habits *h = add_pmu(test, SIM_SWITCH | SIM_TASK_DATA);
	struct sim_habits *other = add_pmu(test, 0);
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
	};
	struct perf_event *of_cpu = open_on(test, h, raw_smp_processor_id(), NULL, false);

	expect_switch(test, h, false);
	open_attr(test, &attr, -1, current, NULL);
	expect_switch(test, h, false);
	open_on(test, other, -1, current, false);
	expect_switch(test, h, false);
	close_event(test, of_cpu);
	KUNIT_EXPECT_EQ(test, by_hand(h).outs, 0U);
	KUNIT_EXPECT_EQ(test, by_hand(h).ins, 0U);
}

#ifdef CONFIG_CGROUP_PERF
/* Open an event on this CPU for the test's cgroup. */
static struct perf_event *open_of_cgroup(struct kunit *test, struct sim_habits *h)
{
	struct perf_event_attr attr = {
		.type = h->sim->pmu.type, .config = STEP, .size = sizeof(attr),
	};
	struct habits_fixture *fixture = test->priv;
	int here = raw_smp_processor_id();
	struct perf_event *event;

	event = perf_event_alloc(&attr, here, NULL, NULL, NULL, NULL, NULL, -1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	scoped_guard(rcu) {
		event->cgrp = perf_cgroup_from_task(current, NULL);
		css_get(&event->cgrp->css);
	}
	KUNIT_ASSERT_EQ(test, perf_cgroup_alloc_info(event), 0);
	event->ctx = perf_context_find(NULL, here);
	scoped_guard(mutex, &event->ctx->mutex)
		KUNIT_EXPECT_EQ(test, perf_event_attach(event), 0);
	fixture->f.events[fixture->f.nr++] = event;
	return event;
}

/* Behave as if a task without a cgroup ran now. */
static void leave_cgroup(void)
{
	struct perf_cpu_context *cpuctx;

	guard(irqsave)();
	cpuctx = this_cpu_context();
	perf_context_lock_cpu(cpuctx, cpuctx->task_ctx);
	perf_cgroup_stop_cpu(cpuctx);
	perf_context_unlock_cpu(cpuctx, cpuctx->task_ctx);
}

/*
 * Events of a cgroup are scheduled in during the first half of a switch, and begin to count in
 * the second half.
 */
static void sched_task_before_cgroup(struct kunit *test)
{
	struct sim_habits *h = add_pmu(test, SIM_SWITCH);
	struct perf_event *event;

	WRITE_ONCE(perf_test_clock_task, NULL);
	event = open_of_cgroup(test, h);
	KUNIT_EXPECT_TRUE(test, is_on(event));
	/*
	 * No other PMU is in the list of PMUs with sched_task. This PMU calls perf_sched_cb_inc()
	 * when its event is added.
	 */
	scoped_guard(irqsave) {
		struct sim_habits_cpu seen;

		leave_cgroup();
		KUNIT_EXPECT_FALSE(test, is_on(event));
		seen = by_hand(h);
		KUNIT_EXPECT_EQ(test, seen.ins, 1U);
		KUNIT_EXPECT_EQ(test, seen.enables, 1U);
	}
	KUNIT_EXPECT_TRUE(test, is_on(event));
	/* With a per-CPU event, the PMU is in the list in both halves of the switch. */
	open_on(test, h, raw_smp_processor_id(), NULL, false);
	scoped_guard(irqsave) {
		leave_cgroup();
		expect_switch(test, h, false);
	}
	KUNIT_EXPECT_TRUE(test, is_on(event));
	sim_test_advance(test, 3);
	KUNIT_EXPECT_EQ(test, sim_test_value(event), 3ULL);
}

/* Number of cgroup groups of the PMU that a switch finds on this CPU */
static unsigned int cgroup_groups(struct sim_habits *h)
{
	struct perf_cpu_pmu_context *cpc;
	struct perf_cpu_context *cpuctx;
	unsigned int nr = 0;

	guard(irqsave)();
	cpuctx = this_cpu_context();
	scoped_guard(raw_spinlock, &cpuctx->ctx.lock) {
		list_for_each_entry(cpc, &cpuctx->cgroup_pmus, cgroup_entry) {
			if (cpc->epc.pmu == &h->sim->pmu)
				nr += cpc->nr_cgroup_groups;
		}
	}
	return nr;
}

/* A cgroup switch walks the PMUs with enabled cgroup events. */
static void cgroup_switch_finds_its_pmus(struct kunit *test)
{
	struct sim_habits *h = add_pmu(test, 0), *other = add_pmu(test, 0);
	struct perf_event *first = open_of_cgroup(test, h), *second;

	WRITE_ONCE(perf_test_clock_task, NULL);
	open_on(test, other, raw_smp_processor_id(), NULL, false);
	KUNIT_EXPECT_EQ(test, cgroup_groups(h), 1U);
	KUNIT_EXPECT_EQ(test, cgroup_groups(other), 0U);
	second = open_of_cgroup(test, h);
	KUNIT_EXPECT_EQ(test, cgroup_groups(h), 2U);
	on_and_off(first, false);
	on_and_off(second, false);
	KUNIT_EXPECT_EQ(test, cgroup_groups(h), 0U);
	on_and_off(second, true);
	KUNIT_EXPECT_EQ(test, cgroup_groups(h), 1U);
	scoped_guard(irqsave) {
		leave_cgroup();
		KUNIT_EXPECT_FALSE(test, is_on(second));
		perf_cgroup_switch(this_cpu_context(), current);
		KUNIT_EXPECT_TRUE(test, is_on(second));
	}
	close_event(test, second);
	close_event(test, first);
	KUNIT_EXPECT_EQ(test, cgroup_groups(h), 0U);
}

/* A switch between tasks of the same cgroup does not change the CPU's context. */
static void switch_within_a_cgroup(struct kunit *test)
{
	struct sim_habits *h = add_pmu(test, 0);
	struct perf_event *event = open_of_cgroup(test, h);
	struct perf_cpu_context *cpuctx;
	unsigned int seq;

	KUNIT_EXPECT_TRUE(test, is_on(event));
	guard(irqsave)();
	cpuctx = this_cpu_context();
	seq = cpuctx->ctx.seq;
	perf_cgroup_switch(cpuctx, current);
	KUNIT_EXPECT_EQ(test, cpuctx->ctx.seq, seq);
	leave_cgroup();
	seq = cpuctx->ctx.seq;
	perf_cgroup_switch(cpuctx, current);
	KUNIT_EXPECT_NE(test, cpuctx->ctx.seq, seq);
	KUNIT_EXPECT_TRUE(test, is_on(event));
}
#endif

/*
 * If a PMU removes itself from the list of PMUs with sched_task, the next PMU in the list is
 * still called.
 */
static void sched_cb_dec_in_callback(struct kunit *test)
{
	struct sim_habits *stays = add_pmu(test, SIM_SWITCH);
	struct sim_habits *leaves = add_pmu(test, SIM_SWITCH | SIM_LEAVES);
	int here = raw_smp_processor_id();
	struct sim_habits_cpu seen;

	open_on(test, stays, here, NULL, false);
	open_on(test, leaves, here, NULL, false);
	/* Include the calls of a context switch since the event was opened. */
	seen = switch_once(leaves);
	KUNIT_EXPECT_EQ(test, seen.outs, 1U);
	KUNIT_EXPECT_EQ(test, seen.ins, 0U);
	expect_switch(test, stays, false);
	/*
	 * The task has groups of the PMU, so the PMU enters the list again when they are
	 * scheduled in.
	 */
	open_on(test, leaves, -1, current, false);
	open_on(test, stays, -1, current, false);
	seen = by_hand(leaves);
	KUNIT_EXPECT_EQ(test, seen.outs, 1U);
	KUNIT_EXPECT_EQ(test, seen.ins, 1U);
	expect_switch(test, stays, false);
}

/* Context switches, a rotation and a move in sequence: the guarantees for drivers hold in each. */
static void rotation_and_switches(struct kunit *test)
{
	static const unsigned int masks[] = {
		0, SIM_SWITCH | SIM_TASK_DATA, SIM_MOVES, SIM_NO_TXN, SIM_SWITCH | SIM_LEAVES,
		SIM_SWITCH | SIM_TASK_DATA | SIM_MOVES | SIM_NO_TXN | SIM_PAIRS,
	};
	int here = raw_smp_processor_id(), m, i, round;

	WRITE_ONCE(perf_test_clock_task, NULL);
	for (m = 0; m < ARRAY_SIZE(masks); m++) {
		struct sim_habits *h = add_pmu(test, masks[m]);
		struct perf_event *events[4];
		bool all = false;

		h->sim->pmu.hrtimer_interval_ms = 1;
		perf_pmu_mux_interval_changed(&h->sim->pmu);
		events[0] = open_on(test, h, -1, current, false);
		events[1] = open_event(test, STEP, events[0]);
		events[2] = open_on(test, h, here, NULL, false);
		events[3] = open_on(test, h, -1, current, false);
		/*
		 * The rotation timer usually expires while the task runs. Repeat until each event
		 * has counted.
		 */
		for (round = 0; round < 1000000 && !all; round++) {
			if (!(round % 256))
				usleep_range(100, 200);
			sim_test_advance(test, 1);
			all = true;
			for (i = 0; i < ARRAY_SIZE(events); i++)
				all &= !!sim_test_value(events[i]);
		}
		KUNIT_EXPECT_TRUE_MSG(test, all, "habits %#x", masks[m]);
		/* The members of a group are scheduled together, and have the same count. */
		KUNIT_EXPECT_EQ(test, sim_test_value(events[0]), sim_test_value(events[1]));
		drop_pmus(test);
	}
}

/* A stopped event continues with its own count, also on another counter. */
static void habits_test_throttled(struct kunit *test, unsigned int mask, bool freq)
{
	struct sim_habits *h = add_pmu(test, mask);
	struct perf_event_attr attr = {
		.type = h->sim->pmu.type, .config = STEP, .freq = freq,
		.sample_period = freq ? 100 : PERIOD,
	};
	struct perf_event *event = open_attr(test, &attr, -1, current, NULL);
	u64 before = 0, steps = 0;
	bool done = false;

	event->hw.sample_period = PERIOD;
	while (!done && steps < 4000 * PERIOD) {
		sim_test_advance(test, 4 * PERIOD);
		steps += 4 * PERIOD;
		guard(irqsave)();
		if (!perf_event_throttled(event))
			continue;
		/*
		 * The driver has stopped the event. If the driver ignores the result of the
		 * overflow, the core has stopped the event.
		 */
		before = local64_read(&event->count);
		/* The PMU is disabled and enabled as for the scheduling of another event. */
		perf_pmu_disable(&h->sim->pmu);
		perf_pmu_enable(&h->sim->pmu);
		if (mask & SIM_SWITCH)
			by_hand(h);
		perf_adjust_freq_unthr(this_cpu_context());
		KUNIT_EXPECT_FALSE(test, perf_event_throttled(event));
		done = true;
	}
	KUNIT_EXPECT_TRUE(test, done);
	sim_test_advance(test, 5);
	KUNIT_EXPECT_EQ_MSG(test, sim_test_value(event), before + 5, "habits %#x, freq %d", mask,
			    freq);
	drop_pmus(test);
}

static void throttled_event_keeps_its_count(struct kunit *test)
{
	static const unsigned int masks[] = {
		0, SIM_MOVES, SIM_UNMARKED, SIM_IGNORES, SIM_IGNORES | SIM_PAIRS,
		SIM_MOVES | SIM_SWITCH | SIM_TASK_DATA, SIM_UNMARKED | SIM_NO_TXN,
		SIM_MOVES | SIM_IGNORES, SIM_SOFTWARE | SIM_MOVES,
	};
	int before = READ_ONCE(perf_max_samples_per_tick), m;

	WRITE_ONCE(perf_max_samples_per_tick, 1);
	for (m = 0; m < ARRAY_SIZE(masks); m++) {
		habits_test_throttled(test, masks[m], false);
		habits_test_throttled(test, masks[m], true);
	}
	WRITE_ONCE(perf_max_samples_per_tick, before);
}

static void turn_off(struct perf_event *event, struct perf_sample_data *data,
		     struct pt_regs *regs)
{
	perf_event_disable_inatomic(event);
}

/*
 * The overflow handler requests that its event is disabled. Afterwards the PMU has no event and no
 * data of the event.
 */
static void overflow_handler_disables_event(struct kunit *test)
{
	static const unsigned int masks[] = {
		0, SIM_MOVES, SIM_IGNORES, SIM_UNMARKED, SIM_SWITCH | SIM_TASK_DATA,
		SIM_SOFTWARE,
	};
	int m;

	for (m = 0; m < ARRAY_SIZE(masks); m++) {
		struct sim_habits *h = add_pmu(test, masks[m]);
		struct habits_fixture *fixture = test->priv;
		struct perf_event_attr attr = {
			.type = h->sim->pmu.type, .config = STEP, .size = sizeof(attr),
			.sample_period = PERIOD,
		};
		struct perf_event *event;

		event = perf_event_create_kernel_counter(&attr, -1, current, turn_off, NULL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(event));
		fixture->f.events[fixture->f.nr++] = event;
		sim_test_advance(test, PERIOD);
		irq_work_sync(&event->cold->stop_work);
		sim_test_advance(test, PERIOD);
		KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_OFF);
		KUNIT_EXPECT_EQ(test, sim_test_value(event), PERIOD);
		KUNIT_EXPECT_EQ(test, sim_test_busy(test), 0U);
		KUNIT_EXPECT_EQ(test, by_hand(h).outs, 0U);
		on_and_off(event, true);
		KUNIT_EXPECT_EQ(test, sim_test_busy(test), 1U);
		drop_pmus(test);
	}
}

/* A software sibling needs no counter: it is on with its group, and remains on without it. */
static void software_context_in_a_group(struct kunit *test)
{
	struct sim_habits *hard = add_pmu(test, SIM_MOVES);
	struct sim_habits *soft = add_pmu(test, SIM_SOFTWARE | SIM_NO_INTERRUPT);
	struct perf_event_attr attr = { .type = soft->sim->pmu.type, .config = STEP };
	struct perf_event *leader = open_on(test, hard, -1, current, false);
	struct perf_event *member = open_attr(test, &attr, -1, current, leader);

	expect_group(test, leader, true);
	sim_pmu_advance(soft->sim, STEP, 7);
	by_hand(hard);
	expect_group(test, leader, true);
	on_and_off(leader, false);
	expect_group(test, leader, false);
	sim_pmu_advance(soft->sim, STEP, 100);
	on_and_off(leader, true);
	sim_pmu_advance(soft->sim, STEP, 7);
	KUNIT_EXPECT_EQ(test, sim_test_value(member), 14ULL);
	close_event(test, leader);
	KUNIT_EXPECT_TRUE(test, is_on(member));
	by_hand(soft);
	sim_pmu_advance(soft->sim, STEP, 1);
	KUNIT_EXPECT_EQ(test, sim_test_value(member), 15ULL);
}

/*
 * The driver's add may fail, like that of a trace unit without a buffer or on an unsupported CPU.
 * Such an event does not block the counter for others.
 */
static void failed_add_blocks_no_other(struct kunit *test)
{
	struct sim_habits *h = add_pmu(test, SIM_SOFTWARE | SIM_SWITCH);
	struct perf_event *on = open_on(test, h, -1, current, false), *off, *pinned;

	h->mask |= SIM_REFUSES;
	off = open_on(test, h, -1, current, false);
	pinned = open_on(test, h, raw_smp_processor_id(), NULL, true);
	KUNIT_EXPECT_EQ(test, off->state, PERF_EVENT_STATE_INACTIVE);
	KUNIT_EXPECT_EQ(test, pinned->state, PERF_EVENT_STATE_ERROR);
	h->mask &= ~SIM_REFUSES;
	by_hand(h);
	KUNIT_EXPECT_TRUE(test, is_on(on));
	KUNIT_EXPECT_TRUE(test, is_on(off));
	KUNIT_EXPECT_EQ(test, pinned->state, PERF_EVENT_STATE_ERROR);
	on_and_off(pinned, true);
	/* There are two counters. */
	KUNIT_EXPECT_TRUE(test, is_on(pinned) && sim_test_busy(test) == 2);
	expect_switch(test, h, false);
}

static int open_kernel(struct kunit *test, struct perf_event_attr *attr, int cpu,
		       struct task_struct *task)
{
	struct habits_fixture *fixture = test->priv;
	struct perf_event *event;

	attr->size = sizeof(*attr);
	event = perf_event_create_kernel_counter(attr, cpu, task, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	fixture->f.events[fixture->f.nr++] = event;
	return 0;
}

/* Like trace units: a PMU has either per-task or per-CPU events, but not both. */
static void exclusive_pmu_has_one_kind_of_event(struct kunit *test)
{
	struct sim_habits *h = add_pmu(test, SIM_EXCLUSIVE | SIM_SLEEPS);
	struct perf_event_attr attr = { .type = h->sim->pmu.type, .config = STEP };
	int here = raw_smp_processor_id();
	struct perf_event *event = open_on(test, h, -1, current, false);

	KUNIT_EXPECT_EQ(test, open_kernel(test, &attr, here, NULL), -EBUSY);
	close_event(test, event);
	KUNIT_EXPECT_EQ(test, open_kernel(test, &attr, here, NULL), 0);
	KUNIT_EXPECT_EQ(test, open_kernel(test, &attr, -1, current), -EBUSY);
}

/* Permissions are checked first: a rejected open never reserves the PMU, not even for a moment. */
static void refused_events_reserve_no_exclusive_pmu(struct kunit *test)
{
	struct sim_habits *h = add_pmu(test, SIM_EXCLUSIVE | SIM_SLEEPS);
	struct perf_event_attr attr = {
		.type = h->sim->pmu.type, .size = sizeof(attr), .config = STEP,
	};
	int here = raw_smp_processor_id(), was = sysctl_perf_event_paranoid;
	struct task_struct *others[] = { NULL, &init_task };
	struct cred *cred = prepare_creds();
	const struct cred *old;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_clear(cred->cap_effective);
	cap_clear(cred->cap_permitted);
	cred->uid = KUIDT_INIT(4711);
	cred->fsuid = cred->uid;
	old = override_creds(cred);
	sysctl_perf_event_paranoid = 2;
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		struct perf_event *event = perf_event_alloc(&attr, others[i] ? -1 : here, others[i],
							    NULL, NULL, NULL, NULL, -1);

		KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event), -EACCES);
		KUNIT_EXPECT_EQ(test, atomic_read(&h->sim->pmu.exclusive_cnt), 0);
		if (!IS_ERR(event))
			perf_event_put(event);
	}
	sysctl_perf_event_paranoid = was;
	revert_creds(old);
	put_cred(cred);

	/* A caller with permission gets -EBUSY if the PMU is in use. */
	KUNIT_ASSERT_EQ(test, open_kernel(test, &attr, here, NULL), 0);
	KUNIT_EXPECT_EQ(test, open_kernel(test, &attr, -1, current), -EBUSY);
}

static void unsupported_periods_are_refused(struct kunit *test)
{
	struct sim_habits *h = add_pmu(test, SIM_LIMITED);
	struct habits_fixture *fixture = test->priv;
	struct perf_event_attr attr = {
		.type = h->sim->pmu.type, .config = STEP, .sample_period = SIM_LEAST_PERIOD - 1,
	};
	struct perf_event *event;

	KUNIT_EXPECT_EQ(test, open_kernel(test, &attr, -1, current), -EINVAL);
	attr.sample_period = SIM_LEAST_PERIOD;
	KUNIT_ASSERT_EQ(test, open_kernel(test, &attr, -1, current), 0);
	event = fixture->f.events[0];
	KUNIT_EXPECT_EQ(test, perf_event_period(event, SIM_LEAST_PERIOD - 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, event->hw.sample_period, SIM_LEAST_PERIOD);
	KUNIT_EXPECT_EQ(test, perf_event_period(event, 2 * SIM_LEAST_PERIOD), 0);
	KUNIT_EXPECT_EQ(test, event->hw.sample_period, 2 * SIM_LEAST_PERIOD);
}

/* A group whose last member does not fit, on a PMU without transactions */
static void group_without_a_transaction(struct kunit *test)
{
	struct sim_habits *h = add_pmu(test, SIM_NO_TXN | SIM_MOVES);
	struct perf_event *blocker = open_on(test, h, -1, current, true);
	struct perf_event *leader = open_on(test, h, -1, current, false);
	struct perf_event *member = open_event(test, STEP, leader);

	expect_group(test, leader, false);
	sim_test_advance(test, 3);
	KUNIT_EXPECT_EQ(test, sim_test_busy(test), 1U);
	KUNIT_EXPECT_EQ(test, sim_test_value(blocker), 3ULL);
	close_event(test, blocker);
	sim_test_rotate(test);
	expect_group(test, leader, true);
	sim_test_advance(test, 4);
	KUNIT_EXPECT_EQ(test, sim_test_value(leader), 4ULL);
	KUNIT_EXPECT_EQ(test, sim_test_value(member), 4ULL);
}

static bool habits_test_asked(struct sim_habits *h, int cpu)
{
	return READ_ONCE(per_cpu_ptr(h->cpus, cpu)->asked);
}

/*
 * An event counts on the CPU that its driver selects, and keeps its count when the driver moves
 * it.
 */
static void driver_names_the_cpu(struct kunit *test)
{
	int here = raw_smp_processor_id(), there = other_cpu(test);
	struct sim_habits *h = add_pmu(test, SIM_OTHER_CPU | SIM_SWITCH | SIM_MOVES);
	struct perf_event_attr attr = { .type = h->sim->pmu.type, .config = STEP };
	struct habits_fixture *fixture = test->priv;
	struct perf_event *event;

	WRITE_ONCE(perf_test_clock_task, NULL);
	h->cpu = there;
	KUNIT_ASSERT_EQ(test, open_kernel(test, &attr, here, NULL), 0);
	event = fixture->f.events[0];
	KUNIT_EXPECT_EQ(test, event->oncpu, there);
	KUNIT_EXPECT_EQ(test, sim_test_value(event), 0ULL);
	KUNIT_EXPECT_TRUE(test, habits_test_asked(h, there));
	/* The PMU has no event of a task here, so sched_task is not called. */
	KUNIT_EXPECT_EQ(test, by_hand(h).outs, 0U);

	/* The driver moves its events like in its hotplug callback. */
	h->cpu = -1;
	perf_pmu_migrate_context(&h->sim->pmu, there, here);
	h->cpu = here;
	KUNIT_EXPECT_EQ(test, event->oncpu, here);
	KUNIT_EXPECT_FALSE(test, habits_test_asked(h, there));
	KUNIT_EXPECT_TRUE(test, habits_test_asked(h, here));
	sim_test_advance(test, 9);
	KUNIT_EXPECT_EQ(test, sim_test_value(event), 9ULL);
	expect_switch(test, h, false);
}

static unsigned int reads_on(struct sim_habits *h, int cpu)
{
	return READ_ONCE(per_cpu_ptr(h->cpus, cpu)->reads);
}

/* A CPU's counter is read on that CPU, and a package's counter on any CPU of the package. */
static void read_where_it_can_be(struct kunit *test)
{
	static const unsigned int masks[] = { 0, SIM_SCOPE };
	int here = raw_smp_processor_id(), there = other_cpu(test), m;

	WRITE_ONCE(perf_test_clock_task, NULL);
	for (m = 0; m < ARRAY_SIZE(masks); m++) {
		struct sim_habits *h = add_pmu(test, masks[m]);
		struct perf_event *event = open_on(test, h, there, NULL, false);
		bool shared = (masks[m] & SIM_SCOPE) &&
			      topology_physical_package_id(here) ==
			      topology_physical_package_id(there);

		sim_test_value(event);
		KUNIT_EXPECT_EQ(test, reads_on(h, here), shared ? 1U : 0U);
		KUNIT_EXPECT_EQ(test, reads_on(h, there), shared ? 0U : 1U);
		drop_pmus(test);
	}
}

/* Like riscv: the flag is set when the event is mapped, and cleared when it is unmapped. */
static void user_read_follows_mmap(struct kunit *test)
{
	struct sim_habits *h = add_pmu(test, 0);
	struct perf_event_attr attr = {
		.type = h->sim->pmu.type, .config = STEP, .size = sizeof(attr),
	};
	struct perf_event *stays = open_on(test, h, -1, current, false);
	struct perf_event *event = open_on(test, h, -1, current, false);
	struct perf_event_context *ctx = stays->ctx;
	struct habits_fixture *fixture = test->priv;

	event->hw.flags |= PERF_EVENT_FLAG_USER_READ_CNT;
	close_event(test, event);
	KUNIT_EXPECT_EQ(test, ctx->nr_user, 0U);

	event = perf_event_alloc(&attr, -1, current, NULL, NULL, NULL, NULL, -1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	event->hw.flags |= PERF_EVENT_FLAG_USER_READ_CNT;
	event->ctx = perf_context_find(current, -1);
	scoped_guard(mutex, &event->ctx->mutex)
		KUNIT_EXPECT_EQ(test, perf_event_attach(event), 0);
	fixture->f.events[fixture->f.nr++] = event;
	KUNIT_EXPECT_EQ(test, ctx->nr_user, 1U);
	event->hw.flags &= ~PERF_EVENT_FLAG_USER_READ_CNT;
	close_event(test, event);
	KUNIT_EXPECT_EQ(test, ctx->nr_user, 0U);
}

static void pmu_without_an_interrupt(struct kunit *test)
{
	struct sim_habits *h = add_pmu(test, SIM_NO_INTERRUPT);
	struct perf_event_attr attr = { .type = h->sim->pmu.type, .config = STEP };
	struct habits_fixture *fixture = test->priv;

	KUNIT_EXPECT_FALSE(test, perf_pmu_can_sample(&h->sim->pmu));
	/* perf_event_open(2) rejects a sampling event, but not a counting event. */
	KUNIT_EXPECT_EQ(test, open_kernel(test, &attr, -1, current), 0);
	sim_test_advance(test, 3);
	KUNIT_EXPECT_EQ(test, sim_test_busy(test), 1U);
	KUNIT_EXPECT_EQ(test, sim_test_value(fixture->f.events[0]), 3ULL);
}

static struct kunit_case habits_cases[] = {
	KUNIT_CASE(sched_task_before_enable),
	KUNIT_CASE(sched_task_for_any_task),
#ifdef CONFIG_CGROUP_PERF
	KUNIT_CASE(sched_task_before_cgroup),
	KUNIT_CASE(cgroup_switch_finds_its_pmus),
	KUNIT_CASE(switch_within_a_cgroup),
#endif
	KUNIT_CASE(sched_cb_dec_in_callback),
	KUNIT_CASE(rotation_and_switches),
	KUNIT_CASE(throttled_event_keeps_its_count),
	KUNIT_CASE(overflow_handler_disables_event),
	KUNIT_CASE(software_context_in_a_group),
	KUNIT_CASE(failed_add_blocks_no_other),
	KUNIT_CASE(exclusive_pmu_has_one_kind_of_event),
	KUNIT_CASE(refused_events_reserve_no_exclusive_pmu),
	KUNIT_CASE(unsupported_periods_are_refused),
	KUNIT_CASE(group_without_a_transaction),
	KUNIT_CASE(driver_names_the_cpu),
	KUNIT_CASE(read_where_it_can_be),
	KUNIT_CASE(user_read_follows_mmap),
	KUNIT_CASE(pmu_without_an_interrupt),
	{}
};

static struct kunit_suite habits_suite = {
	.name		= "perf_habits",
	.init		= habits_test_init,
	.exit		= habits_test_exit,
	.test_cases	= habits_cases,
};

kunit_test_suite(habits_suite);
