// SPDX-License-Identifier: GPL-2.0
/*
 * Scheduling of groups on a simulated PMU. Included at the end of sched.c. Rotation runs only
 * when the test calls it.
 */
#include "../sysctl.h"
#include "sim_fixture.h"

/*
 * Duration of a round: longer than AGE_STEP, so that a context switch after the round schedules in
 * the same group as the rotation. Groups whose ages differ by less are in the order of their ids.
 */
#define ROUND_NS	(2 * NSEC_PER_MSEC)

static void one_round(struct kunit *test)
{
	/*
	 * Disable interrupts, because a context switch would choose groups by the time that has
	 * passed.
	 */
	guard(irqsave)();
	sim_test_pass(ROUND_NS);
	sim_test_rotate(test);
}

static void group_is_scheduled_as_a_whole(struct kunit *test)
{
	struct perf_event *first = open_group(test, 3, false);
	struct perf_event *second = open_group(test, 3, false);
	struct perf_event *one = open_group(test, 1, false);

	expect_group(test, first, true);
	expect_group(test, second, false);
	expect_group(test, one, true);
	KUNIT_EXPECT_EQ(test, sim_test_busy(test), 4U);

	sim_test_advance(test, 1000);
	on_and_off(first, false);
	expect_group(test, first, false);
	one_round(test);
	expect_group(test, second, true);
	sim_test_advance(test, 10);
	KUNIT_EXPECT_EQ(test, sim_test_value(first), 1000ULL);
	KUNIT_EXPECT_EQ(test, sim_test_value(second), 10ULL);
	KUNIT_EXPECT_EQ(test, sim_test_value(one), 1010ULL);
}

/* The driver rejects a transaction at its end, when all members have been added. */
static void failed_transaction_schedules_no_member(struct kunit *test)
{
	u64 first_only = STEP | 1 << SIM_CONFIG_COUNTERS_SHIFT;
	struct perf_event *blocker = open_event(test, first_only, NULL);
	struct perf_event *leader = open_event(test, STEP, NULL);
	struct perf_event *member = open_event(test, first_only, leader);

	expect_group(test, leader, false);
	KUNIT_EXPECT_EQ(test, sim_test_busy(test), 1U);
	sim_test_advance(test, 5);
	sim_test_pass(ROUND_NS);
	close_event(test, blocker);
	sim_test_rotate(test);
	expect_group(test, leader, true);
	sim_test_advance(test, 7);
	KUNIT_EXPECT_EQ(test, sim_test_value(leader), 7ULL);
	KUNIT_EXPECT_EQ(test, sim_test_value(member), 7ULL);
	expect_times(test, leader, ROUND_NS, 0);
}

static void (*sim_txn)(struct pmu *pmu, unsigned int flags);
static unsigned int nr_txns;

static void watched_txn(struct pmu *pmu, unsigned int flags)
{
	nr_txns++;
	sim_txn(pmu, flags);
}

/* A single event is added or refused without a transaction. */
static void single_event_needs_no_transaction(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event *single, *group, *refused;

	sim_txn = f->sim->pmu.start_txn;
	f->sim->pmu.start_txn = watched_txn;
	nr_txns = 0;
	single = open_group(test, 1, false);
	KUNIT_EXPECT_EQ(test, nr_txns, 0U);
	group = open_group(test, 3, false);
	KUNIT_EXPECT_GT(test, nr_txns, 0U);
	refused = open_group(test, 1, false);
	f->sim->pmu.start_txn = sim_txn;
	expect_group(test, single, true);
	expect_group(test, group, true);
	expect_group(test, refused, false);
	KUNIT_EXPECT_EQ(test, sim_test_busy(test), 4U);
	sim_test_advance(test, 1000);
	KUNIT_EXPECT_EQ(test, sim_test_value(single), 1000ULL);
	KUNIT_EXPECT_EQ(test, sim_test_value(refused), 0ULL);
}

static void disabled_member_needs_no_counter(struct kunit *test)
{
	struct perf_event *leader = open_group(test, 4, false);
	struct perf_event *other = open_group(test, 1, false);
	struct sim_fixture *f = test->priv;

	KUNIT_EXPECT_FALSE(test, is_on(other));
	on_and_off(f->events[2], false);
	one_round(test);
	KUNIT_EXPECT_TRUE(test, is_on(leader));
	KUNIT_EXPECT_TRUE(test, is_on(other));
	sim_test_advance(test, 3);
	/* The disabled member gets no counter when the group is scheduled in again, either. */
	scoped_guard(preempt)
		perf_pmu_resched(&f->sim->pmu);
	KUNIT_EXPECT_TRUE(test, is_on(leader));
	KUNIT_EXPECT_FALSE(test, is_on(f->events[2]));
	KUNIT_EXPECT_TRUE(test, is_on(other));
	sim_test_advance(test, 4);
	KUNIT_EXPECT_EQ(test, sim_test_value(leader), 7ULL);
	KUNIT_EXPECT_EQ(test, sim_test_value(f->events[2]), 0ULL);
	KUNIT_EXPECT_EQ(test, sim_test_value(other), 7ULL);
}

/*
 * The removal of a context's last event must clear cpuctx->task_ctx and stop the context's clock.
 * Without events the hooks in context switches are off, so nothing else does this before the task
 * exits.
 */
static void last_event_clears_the_task_context(struct kunit *test)
{
	struct perf_event *event = open_event(test, STEP, NULL);
	struct perf_event_context *ctx = event->ctx;

	scoped_guard(irqsave) {
		KUNIT_EXPECT_PTR_EQ(test, this_cpu_context()->task_ctx, ctx);
		KUNIT_EXPECT_EQ(test, ctx->clock.cpu, smp_processor_id());
	}
	close_event(test, event);
	scoped_guard(irqsave) {
		KUNIT_EXPECT_NULL(test, this_cpu_context()->task_ctx);
		KUNIT_EXPECT_EQ(test, ctx->clock.cpu, -1);
		/* As if the last event was removed between the read of nr_sched and the lock */
		ctx->nr_sched++;
		perf_context_sched_in(this_cpu_context(), ctx, current);
		ctx->nr_sched--;
		KUNIT_EXPECT_NULL(test, this_cpu_context()->task_ctx);
		KUNIT_EXPECT_EQ(test, ctx->clock.cpu, -1);
	}
}

/* Ticks skip a context without active events with a frequency: ctx->nr_freq counts these events. */
static void expect_counted_for_ticks(struct kunit *test, struct perf_event_context *ctx,
				     unsigned int expected)
{
	unsigned int n = 0, counted = 0;
	struct perf_event *event;

	scoped_guard(raw_spinlock_irq, &ctx->lock) {
		for_each_event(event, ctx)
			n += event->state == PERF_EVENT_STATE_ACTIVE &&
			     perf_event_has_frequency(event);
		counted = ctx->nr_freq;
	}
	KUNIT_EXPECT_EQ(test, n, expected);
	KUNIT_EXPECT_EQ(test, counted, n);
}

static void (*sim_begin)(struct perf_event *event, int flags);
static unsigned int nr_starts, nr_wrong_starts;

static void watched_start(struct perf_event *event, int flags)
{
	nr_starts++;
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		sim_begin(event, flags);
	else
		nr_wrong_starts++;
}

/* A tick adjusts frequencies and unthrottles events, but only active ones. */
static void tick_starts_no_inactive_event(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .freq = 1, .sample_freq = 100,
	};
	struct perf_event *leader = open_attr(test, &attr, -1, current, NULL);
	struct perf_event *on = open_attr(test, &attr, -1, current, leader);
	struct perf_event *off = open_attr(test, &attr, -1, current, leader);
	int round;

	expect_counted_for_ticks(test, leader->ctx, 3);
	on_and_off(off, false);
	expect_counted_for_ticks(test, leader->ctx, 2);
	sim_begin = f->sim->pmu.start;
	f->sim->pmu.start = watched_start;
	nr_starts = 0;
	nr_wrong_starts = 0;
	for (round = 0; round < 2; round++) {
		guard(irqsave)();
		/* In the second round, pretend that all events were throttled. */
		if (round) {
			leader->hw.interrupts = MAX_INTERRUPTS;
			perf_event_pmu_stop(leader, 0);
			on->hw.interrupts = MAX_INTERRUPTS;
			perf_event_pmu_stop(on, 0);
			off->hw.interrupts = MAX_INTERRUPTS;
		}
		perf_adjust_freq_unthr(this_cpu_context());
	}
	f->sim->pmu.start = sim_begin;
	KUNIT_EXPECT_GE(test, nr_starts, 2U + 2U);
	KUNIT_EXPECT_EQ(test, nr_wrong_starts, 0U);
	sim_test_advance(test, 1);
	KUNIT_EXPECT_EQ(test, sim_test_value(on), 1ULL);
	KUNIT_EXPECT_EQ(test, sim_test_value(off), 0ULL);
	on_and_off(leader, false);
	expect_counted_for_ticks(test, leader->ctx, 0);
}

/* Expect that the event is active, and that a tick reads its count. */
static void expect_adjusted(struct kunit *test, struct perf_event *event)
{
	KUNIT_EXPECT_TRUE(test, is_on(event));
	guard(irqsave)();
	sim_test_pass(ROUND_NS);
	local64_inc(&event->count);
	perf_adjust_freq_unthr(this_cpu_context());
	KUNIT_EXPECT_EQ(test, event->cold->freq_count_stamp, (u64)local64_read(&event->count));
}

/*
 * A tick adjusts every active event with a frequency: alone or as a sibling, with a counter or
 * always on, of the task or of the CPU.
 */
static void tick_adjusts_all_active_events(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr hard = {
		.type = f->sim->pmu.type, .config = STEP, .freq = 1, .sample_freq = 100,
	};
	struct perf_event_attr soft = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_EMULATION_FAULTS,
		.freq = 1, .sample_freq = 100,
	};
	struct perf_event *leader = open_attr(test, &soft, -1, current, NULL);
	struct perf_event *member = open_attr(test, &soft, -1, current, leader);
	struct perf_event_context *ctx = leader->ctx;
	struct perf_event *mixed, *late, *of_cpu;

	expect_adjusted(test, leader);
	expect_adjusted(test, member);
	expect_counted_for_ticks(test, ctx, 2);
	on_and_off(member, false);
	expect_counted_for_ticks(test, ctx, 1);
	on_and_off(member, true);
	/* A disabled leader disables its siblings. */
	on_and_off(leader, false);
	KUNIT_EXPECT_FALSE(test, is_on(member));
	expect_counted_for_ticks(test, ctx, 0);
	on_and_off(leader, true);
	expect_adjusted(test, member);
	/* From now on the group must be scheduled. */
	mixed = open_attr(test, &hard, -1, current, leader);
	of_cpu = open_attr(test, &soft, raw_smp_processor_id(), NULL, NULL);
	expect_adjusted(test, leader);
	expect_adjusted(test, member);
	expect_adjusted(test, mixed);
	expect_adjusted(test, of_cpu);
	expect_counted_for_ticks(test, ctx, 3);
	/* Only single events remain of the group, one of them with a counter. */
	close_event(test, leader);
	hard.pinned = 1;
	late = open_attr(test, &hard, raw_smp_processor_id(), NULL, NULL);
	expect_adjusted(test, member);
	expect_adjusted(test, mixed);
	expect_adjusted(test, late);
	expect_counted_for_ticks(test, ctx, 2);
	close_event(test, mixed);
	expect_counted_for_ticks(test, ctx, 1);
	close_event(test, member);
	expect_counted_for_ticks(test, ctx, 0);
}

/* Pinned groups are scheduled in before flexible ones, for each order in which they are opened. */
static void pinned_groups_are_scheduled_first(struct kunit *test)
{
	int order;

	for (order = 0; order < 16; order++) {
		struct perf_event *leaders[4];
		int pinned = 0, i;

		for (i = 0; i < 4; i++) {
			leaders[i] = open_group(test, 2, order & BIT(i));
			pinned += !!(order & BIT(i));
		}
		for (i = 0; i < 4; i++) {
			struct perf_event *leader = leaders[i];
			int before = hweight8(order & (BIT(i) - 1));

			if (order & BIT(i)) {
				expect_group(test, leader, before < 2);
				KUNIT_EXPECT_EQ(test, leader->state == PERF_EVENT_STATE_ERROR,
						before >= 2);
			} else if (pinned >= 2) {
				expect_group(test, leader, false);
			}
		}
		KUNIT_EXPECT_EQ(test, sim_test_busy(test), 4U);
		close_all(test);
		KUNIT_EXPECT_EQ(test, sim_test_busy(test), 0U);
	}
}

static void pinned_groups_of_the_cpu_precede_the_tasks(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP, .pinned = 1 };
	struct perf_event *whole = open_group(test, 3, true);
	struct perf_event *single = open_group(test, 1, true);
	struct perf_event *of_cpu = open_attr(test, &attr, raw_smp_processor_id(), NULL, NULL);

	KUNIT_EXPECT_TRUE(test, is_on(of_cpu));
	expect_group(test, whole, true);
	KUNIT_EXPECT_EQ(test, single->state, PERF_EVENT_STATE_ERROR);
}

static void enabling_ends_the_error_state(struct kunit *test)
{
	struct perf_event *first = open_group(test, 3, true);
	struct perf_event *second = open_group(test, 2, true);

	KUNIT_EXPECT_EQ(test, second->state, PERF_EVENT_STATE_ERROR);
	close_event(test, first);
	KUNIT_EXPECT_EQ(test, second->state, PERF_EVENT_STATE_ERROR);
	on_and_off(second, true);
	expect_group(test, second, true);
}

static void exclusive_group_is_alone(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .exclusive = 1,
	};
	struct perf_event *plain = open_group(test, 1, false);
	struct perf_event *alone = open_attr(test, &attr, -1, current, NULL);
	int i, on[2] = { };

	for (i = 0; i < 40; i++) {
		KUNIT_EXPECT_LE(test, sim_test_busy(test), 1U);
		scoped_guard(preempt) {
			on[0] += is_on(plain);
			on[1] += is_on(alone);
		}
		one_round(test);
	}
	/*
	 * The shares differ by a few rounds at most: a context switch may choose either of
	 * two groups with the same runtime.
	 */
	KUNIT_EXPECT_LE(test, abs(on[0] - on[1]), 4);
	KUNIT_EXPECT_EQ(test, on[0] + on[1], 40);
}

/*
 * Kernel events do not block an exclusive group: the NMI watchdog's is always on, and KVM's are
 * while a guest runs.
 */
static void kernel_events_allow_exclusive(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .size = sizeof(attr), .pinned = 1,
	};
	struct perf_event *own, *alone, *plain;

	own = perf_event_create_kernel_counter(&attr, raw_smp_processor_id(), NULL, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(own));
	f->events[f->nr++] = own;
	KUNIT_EXPECT_TRUE(test, is_on(own));

	attr.pinned = 0;
	attr.exclusive = 1;
	alone = open_attr(test, &attr, -1, current, NULL);
	KUNIT_EXPECT_TRUE(test, is_on(own));
	KUNIT_EXPECT_TRUE(test, is_on(alone));
	sim_test_advance(test, 5);
	KUNIT_EXPECT_EQ(test, sim_test_value(alone), 5ULL);
	KUNIT_EXPECT_EQ(test, sim_test_value(own), 5ULL);

	/* An exclusive group still blocks other groups, and they block it. */
	plain = open_group(test, 1, false);
	KUNIT_EXPECT_EQ(test, is_on(alone) + is_on(plain), 1);
	one_round(test);
	KUNIT_EXPECT_EQ(test, is_on(alone) + is_on(plain), 1);
	KUNIT_EXPECT_TRUE(test, is_on(own));
	close_event(test, own);
	one_round(test);
	KUNIT_EXPECT_EQ(test, is_on(alone) + is_on(plain), 1);
}

static void software_leader_is_scheduled_with_hardware(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK,
	};
	struct perf_event *blocker = open_group(test, 3, false);
	struct perf_event *leader = open_attr(test, &attr, -1, current, NULL);
	struct perf_event *member;

	sim_test_pass(100);
	KUNIT_EXPECT_TRUE(test, is_on(leader));
	member = open_event(test, STEP, leader);
	expect_group(test, leader, true);
	open_event(test, STEP, leader);
	/* Two events do not fit beside three. */
	expect_group(test, blocker, !is_on(leader));
	close_event(test, blocker);
	one_round(test);
	expect_group(test, leader, true);
	sim_test_advance(test, 11);
	KUNIT_EXPECT_EQ(test, sim_test_value(member), 11ULL);
	close_event(test, member);
	KUNIT_EXPECT_TRUE(test, is_on(leader));
}

static struct perf_event *sched_test_overflows;
static int (*sim_add)(struct perf_event *event, int flags);

/* A pmu->add that fails, while an event that is already on has its last overflow */
static int add_behind_overflow(struct perf_event *event, int flags)
{
	if (!sched_test_overflows)
		return sim_add(event, flags);
	WRITE_ONCE(sched_test_overflows->cold->disable_due, 1);
	sched_test_overflows = NULL;
	return -EAGAIN;
}

/* Other groups are scheduled out only for a group that is still enabled. */
static void leader_disabled_before_sched_in(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 3600 * NSEC_PER_SEC,
	};
	struct sim_fixture *f = test->priv;
	struct perf_event *blocker = open_group(test, 4, false);
	struct perf_event *leader = open_attr(test, &attr, -1, current, NULL);
	struct perf_event *member = open_event(test, STEP, leader);

	one_round(test);
	if (is_on(leader))
		one_round(test);
	expect_group(test, leader, false);
	sim_test_pass(100);
	sim_add = f->sim->pmu.add;
	scoped_guard(preempt) {
		f->sim->pmu.add = add_behind_overflow;
		sched_test_overflows = leader;
		one_round(test);
		f->sim->pmu.add = sim_add;
	}
	KUNIT_EXPECT_NULL(test, sched_test_overflows);
	KUNIT_EXPECT_EQ(test, leader->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_FALSE(test, is_on(member));
	KUNIT_EXPECT_TRUE(test, list_empty(&leader->active_list));
	expect_group(test, blocker, true);
}

/* After the removal of a group's hardware event, another PMU schedules the remaining group. */
static void group_moves_to_other_pmu(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = NSEC_PER_SEC,
	};
	struct perf_event *clock = open_attr(test, &attr, -1, current, NULL);
	struct perf_event *hardware = open_event(test, STEP, clock);

	expect_group(test, clock, true);
	close_event(test, hardware);
	KUNIT_EXPECT_TRUE(test, is_on(clock));
	close_event(test, clock);

	hardware = open_event(test, STEP, NULL);
	clock = open_attr(test, &attr, -1, current, hardware);
	expect_group(test, hardware, true);
	close_event(test, hardware);
	KUNIT_EXPECT_TRUE(test, is_on(clock));
}

static void time_runs_while_scheduled(struct kunit *test)
{
	struct perf_event *first = open_group(test, 4, false);
	struct perf_event *second = open_group(test, 1, false);

	one_round(test);
	expect_times(test, first, ROUND_NS, ROUND_NS);
	expect_times(test, second, ROUND_NS, 0);
	/* A context switch does not undo the rotation. */
	scoped_guard(preempt)
		perf_pmu_resched(first->pmu);
	one_round(test);
	expect_times(test, first, 2 * ROUND_NS, ROUND_NS);
	expect_times(test, second, 2 * ROUND_NS, ROUND_NS);
	on_and_off(first, false);
	/* Reschedule now: otherwise a context switch would do so later. */
	scoped_guard(preempt)
		perf_pmu_resched(first->pmu);
	sim_test_pass(500);
	expect_times(test, first, 2 * ROUND_NS, ROUND_NS);
	expect_times(test, second, 2 * ROUND_NS + 500, ROUND_NS + 500);
}

static unsigned int nr_adds;

static int counted_add(struct perf_event *event, int flags)
{
	nr_adds++;
	return sim_add(event, flags);
}

/* A single failed add shows that the PMU is full; add is not called for every waiting group. */
static void full_pmu_is_not_retried(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	int i;

	for (i = 0; i < 12; i++)
		open_group(test, 1, false);
	sim_add = f->sim->pmu.add;
	nr_adds = 0;
	scoped_guard(preempt) {
		f->sim->pmu.add = counted_add;
		perf_pmu_resched(&f->sim->pmu);
		f->sim->pmu.add = sim_add;
	}
	KUNIT_EXPECT_EQ(test, nr_adds, 4U + 1U);
}

static void narrow_counters_lose_nothing(struct kunit *test)
{
	static const struct sim_pmu_shape narrow = { .nr_general = 2, .width = 16 };
	struct sim_fixture *f = test->priv;
	struct perf_event *a, *b;

	perf_pmu_unregister(&f->sim->pmu);
	sim_pmu_free(f->sim);
	KUNIT_ASSERT_EQ(test, make_pmu(test, &narrow), 0);
	a = open_group(test, 1, false);
	sim_test_advance(test, 12345);
	b = open_group(test, 1, false);
	sim_test_advance(test, 300000007);
	KUNIT_EXPECT_EQ(test, sim_test_value(a), 12345ULL + 300000007);
	KUNIT_EXPECT_EQ(test, sim_test_value(b), 300000007ULL);
}

static void count_overflow(struct perf_event *event, struct perf_sample_data *data,
			   struct pt_regs *regs)
{
	(*(int *)event->overflow_handler_context)++;
}

static void every_period_overflows_once(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .size = sizeof(attr), .config = STEP,
		.sample_period = 1000,
	};
	struct perf_event *event;
	int overflows = 0;

	event = perf_event_create_kernel_counter(&attr, -1, current, count_overflow, &overflows);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	sim_test_advance(test, 9999);
	KUNIT_EXPECT_EQ(test, overflows, 9);
	KUNIT_EXPECT_EQ(test, sim_test_value(event), 9999ULL);
	sim_test_advance(test, 1);
	KUNIT_EXPECT_EQ(test, overflows, 10);

	KUNIT_EXPECT_EQ(test, perf_event_period(event, 10), 0);
	sim_test_advance(test, 100);
	KUNIT_EXPECT_EQ(test, overflows, 20);
	perf_event_disable(event);
	sim_test_advance(test, 100);
	KUNIT_EXPECT_EQ(test, overflows, 20);
	perf_event_enable(event);
	sim_test_advance(test, 10);
	KUNIT_EXPECT_EQ(test, overflows, 21);
	KUNIT_EXPECT_EQ(test, perf_event_pause(event, true), 10000ULL + 100 + 10);
	KUNIT_EXPECT_EQ(test, sim_test_value(event), 0ULL);
	perf_event_release_kernel(event);
}

static int (*sim_init)(struct perf_event *event);
static u64 seen_branches;

/* Like drivers with the period in attr.config */
static int init_with_period(struct perf_event *event)
{
	seen_branches |= event->attr.branch_sample_type;
	if (!event->attr.sample_period) {
		event->attr.sample_period = 1000;
		event->hw.sample_period = 1000;
		event->hw.last_period = 1000;
		local64_set(&event->hw.period_left, 1000);
	}
	return sim_init(event);
}

static void driver_may_make_an_event_sample(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .disabled = 1,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL,
	};
	struct perf_event *event;

	sim_init = f->sim->pmu.event_init;
	f->sim->pmu.event_init = init_with_period;
	seen_branches = 0;
	event = open_attr(test, &attr, -1, current, NULL);
	f->sim->pmu.event_init = sim_init;
	KUNIT_EXPECT_EQ(test, seen_branches, 0ULL);
	KUNIT_ASSERT_EQ(test, perf_event_refresh(event, 2), 0);
	sim_test_advance(test, 3000);
	/* irq_work disables the event when it has reached its limit. */
	irq_work_sync(&event->cold->stop_work);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_EQ(test, sim_test_value(event), 2000ULL);
}

static void read_local_reads_the_counter(struct kunit *test)
{
	struct perf_event *event = open_group(test, 1, false);
	u64 now, enabled, running;

	sim_test_advance(test, 21);
	sim_test_pass(5);
	KUNIT_EXPECT_EQ(test, perf_event_read_local(event, &now, &enabled, &running), 0);
	KUNIT_EXPECT_EQ(test, now, 21ULL);
	KUNIT_EXPECT_EQ(test, enabled, 5ULL);
	KUNIT_EXPECT_EQ(test, running, 5ULL);
}

static void read_nothing(struct perf_event *event)
{
}

/* A counter shared by CPUs can be read on each of them. */
static void read_local_of_another_cpu(struct kunit *test)
{
	int here = raw_smp_processor_id(), there = cpumask_any_but(cpu_online_mask, here);
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP };
	struct perf_event *event;
	u64 now;

	if (there >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	WRITE_ONCE(perf_test_clock_task, NULL);
	event = open_attr(test, &attr, there, NULL, NULL);
	KUNIT_EXPECT_EQ(test, perf_event_read_local(event, &now, NULL, NULL), -EINVAL);
	f->sim->pmu.scope = PERF_PMU_SCOPE_SYS_WIDE;
	f->sim->pmu.read = read_nothing;
	event->event_caps |= PERF_EV_CAP_READ_SCOPE;
	KUNIT_EXPECT_EQ(test, perf_event_read_local(event, &now, NULL, NULL), 0);
	f->sim->pmu.scope = PERF_PMU_SCOPE_NONE;
}

/* An event that must not be a leader enters the error state when its leader is closed. */
static void sibling_only_event_gets_error(struct kunit *test)
{
	struct perf_event *leader = open_group(test, 1, false);
	struct perf_event *member = open_event(test, STEP, leader);
	struct perf_event *other = open_event(test, STEP, leader);

	member->event_caps |= PERF_EV_CAP_SIBLING;
	close_event(test, leader);
	KUNIT_EXPECT_EQ(test, member->state, PERF_EVENT_STATE_ERROR);
	KUNIT_EXPECT_TRUE(test, is_on(other));
	on_and_off(member, true);
	KUNIT_EXPECT_EQ(test, member->state, PERF_EVENT_STATE_ERROR);
}

static int at_least_32(struct perf_event *event, u64 period)
{
	return period < 32 ? -EINVAL : 0;
}

static void frequency_is_no_period(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .freq = 1, .sample_freq = 1000,
	};
	struct perf_event *freq = open_attr(test, &attr, -1, current, NULL), *period;

	attr.freq = 0;
	period = open_attr(test, &attr, -1, current, NULL);
	f->sim->pmu.check_period = at_least_32;
	KUNIT_EXPECT_EQ(test, perf_event_period(freq, 10), 0);
	KUNIT_EXPECT_EQ(test, perf_event_period(period, 10), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_event_period(period, 32), 0);
}

static void (*sim_end)(struct perf_event *event, int flags);
static unsigned int nr_read_stops;

static void watched_stop(struct perf_event *event, int flags)
{
	nr_read_stops += !!(flags & PERF_EF_UPDATE);
	sim_end(event, flags);
}

/* Drivers start an event with a new period only after the event was read. */
static void new_period_of_a_halted_event(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .sample_period = 1000,
	};
	struct perf_event *event = open_attr(test, &attr, -1, current, NULL);

	sim_end = f->sim->pmu.stop;
	f->sim->pmu.stop = watched_stop;
	nr_read_stops = 0;
	event->hw.interrupts = MAX_INTERRUPTS;
	KUNIT_EXPECT_EQ(test, perf_event_period(event, 100), 0);
	KUNIT_EXPECT_EQ(test, nr_read_stops, 1U);
	f->sim->pmu.stop = sim_end;

	/* Drivers of software PMUs count period_left down, so it must not be negative. */
	on_and_off(event, false);
	event->event_caps |= PERF_EV_CAP_SOFTWARE;
	KUNIT_EXPECT_EQ(test, perf_event_period(event, 200), 0);
	KUNIT_EXPECT_GE(test, local64_read(&event->hw.period_left), 0LL);
	event->event_caps &= ~PERF_EV_CAP_SOFTWARE;
}

static bool keep_off(struct pmu *pmu, int cpu)
{
	return true;
}

static void filter_and_constraints_can_change(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event *a = open_group(test, 2, false);
	struct perf_event *b = open_group(test, 2, false);

	f->sim->shape.constraints[STEP] = 0x3;
	scoped_guard(preempt)
		perf_pmu_resched(&f->sim->pmu);
	KUNIT_EXPECT_EQ(test, sim_test_busy(test), 2U);
	KUNIT_EXPECT_NE(test, is_on(a), is_on(b));

	f->sim->pmu.filter = keep_off;
	scoped_guard(preempt)
		perf_pmu_resched(&f->sim->pmu);
	KUNIT_EXPECT_EQ(test, sim_test_busy(test), 0U);

	f->sim->pmu.filter = NULL;
	f->sim->shape.constraints[STEP] = 0;
	scoped_guard(preempt)
		perf_pmu_resched(&f->sim->pmu);
	expect_group(test, a, true);
	expect_group(test, b, true);
}

static int no_pinned_add(struct perf_event *event, int flags)
{
	nr_adds += event->group_leader->attr.pinned;
	return sim_add(event, flags);
}

static void pinned_groups_stay_scheduled(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event *flexible = open_group(test, 2, false);
	struct perf_event *pinned = open_group(test, 2, true);
	unsigned int busy;
	bool pinned_on;

	sim_add = f->sim->pmu.add;
	nr_adds = 0;
	/* At a context switch with this constraint the pinned group would enter the error state. */
	scoped_guard(preempt) {
		f->sim->pmu.add = no_pinned_add;
		f->sim->shape.constraints[STEP] = 0x1;
		perf_pmu_resched_flexible(&f->sim->pmu);
		f->sim->pmu.add = sim_add;
		f->sim->shape.constraints[STEP] = 0;
		pinned_on = is_on(pinned);
		busy = sim_pmu_busy(f->sim);
	}
	KUNIT_EXPECT_TRUE(test, pinned_on);
	KUNIT_EXPECT_EQ(test, busy, 2U);
	KUNIT_EXPECT_EQ(test, nr_adds, 0U);
	scoped_guard(preempt)
		perf_pmu_resched_flexible(&f->sim->pmu);
	expect_group(test, pinned, true);
	expect_group(test, flexible, true);
}

/* A clock event shows its running time, in groups that any PMU schedules. */
static void clock_counts_in_any_group(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK,
	};
	struct perf_event *clock = open_attr(test, &attr, -1, current, NULL), *other;

	sim_test_pass(5);
	other = open_event(test, STEP, clock);
	KUNIT_EXPECT_EQ(test, sim_test_value(clock), 5ULL);
	sim_test_pass(7);
	close_event(test, other);
	sim_test_pass(1);
	KUNIT_EXPECT_EQ(test, sim_test_value(clock), 13ULL);
	other = open_event(test, STEP, NULL);
	clock = open_attr(test, &attr, -1, current, other);
	sim_test_pass(3);
	close_event(test, other);
	sim_test_pass(4);
	KUNIT_EXPECT_EQ(test, sim_test_value(clock), 7ULL);
	/* As after a reset between the reads of the time and of prev_count */
	local64_add(100, &clock->hw.prev_count);
	KUNIT_EXPECT_EQ(test, sim_test_value(clock), 0ULL);
}

static struct kunit_case sched_cases[] = {
	KUNIT_CASE(group_is_scheduled_as_a_whole),
	KUNIT_CASE(failed_transaction_schedules_no_member),
	KUNIT_CASE(single_event_needs_no_transaction),
	KUNIT_CASE(disabled_member_needs_no_counter),
	KUNIT_CASE(last_event_clears_the_task_context),
	KUNIT_CASE(tick_starts_no_inactive_event),
	KUNIT_CASE(tick_adjusts_all_active_events),
	KUNIT_CASE(pinned_groups_are_scheduled_first),
	KUNIT_CASE(pinned_groups_of_the_cpu_precede_the_tasks),
	KUNIT_CASE(pinned_groups_stay_scheduled),
	KUNIT_CASE(enabling_ends_the_error_state),
	KUNIT_CASE(exclusive_group_is_alone),
	KUNIT_CASE(kernel_events_allow_exclusive),
	KUNIT_CASE(software_leader_is_scheduled_with_hardware),
	KUNIT_CASE(leader_disabled_before_sched_in),
	KUNIT_CASE(group_moves_to_other_pmu),
	KUNIT_CASE(time_runs_while_scheduled),
	KUNIT_CASE(full_pmu_is_not_retried),
	KUNIT_CASE(narrow_counters_lose_nothing),
	KUNIT_CASE(every_period_overflows_once),
	KUNIT_CASE(driver_may_make_an_event_sample),
	KUNIT_CASE(read_local_reads_the_counter),
	KUNIT_CASE(read_local_of_another_cpu),
	KUNIT_CASE(sibling_only_event_gets_error),
	KUNIT_CASE(frequency_is_no_period),
	KUNIT_CASE(new_period_of_a_halted_event),
	KUNIT_CASE(filter_and_constraints_can_change),
	KUNIT_CASE(clock_counts_in_any_group),
	{}
};

static struct kunit_suite sched_suite = {
	.name		= "perf_sched",
	.init		= sim_fixture_init,
	.exit		= sim_fixture_exit,
	.test_cases	= sched_cases,
};

kunit_test_suite(sched_suite);
