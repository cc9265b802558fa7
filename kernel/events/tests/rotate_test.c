// SPDX-License-Identifier: GPL-2.0
/*
 * Rotation of groups on a simulated PMU. Included at the end of sched.c, after sched_test.c,
 * which has one_round().
 */
#include <linux/sched/clock.h>

/* Groups that need thirteen counters share four: all groups get the same time. */
static void rotation_is_fair(struct kunit *test)
{
	static const int sizes[] = { 4, 3, 2, 2, 1, 1 };
	const int rounds = 1300;
	struct perf_event *leaders[ARRAY_SIZE(sizes)];
	const u64 fair = (u64)rounds * ROUND_NS * 4 / 13;
	unsigned int used = 0;
	int i, r;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		leaders[i] = open_group(test, sizes[i], false);
	for (r = 0; r < rounds; r++) {
		used += sim_test_busy(test);
		one_round(test);
	}
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		u64 enabled, running;

		perf_event_read_value(leaders[i], &enabled, &running);
		kunit_info(test, "group of %d: ran %llu per mille, fair %llu", sizes[i],
			   div64_u64(running * 1000, enabled), fair * 1000 / (rounds * ROUND_NS));
		KUNIT_EXPECT_GE(test, running, fair * 95 / 100);
		KUNIT_EXPECT_LE(test, running, fair * 105 / 100);
	}
	kunit_info(test, "counters busy %u per mille", used * 1000 / (4 * rounds));
	KUNIT_EXPECT_GE(test, used, 4U * rounds * 90 / 100);
}

/* A failed attempt to schedule in an event does not change the start of its wait. */
static void failed_attempt_does_not_end_the_wait(struct kunit *test)
{
	u64 first_only = STEP | 1 << SIM_CONFIG_COUNTERS_SHIFT;
	struct perf_event *blocker = open_event(test, first_only, NULL);
	struct perf_event *single = open_event(test, first_only, NULL);
	struct perf_event *leader = open_event(test, STEP, NULL);
	struct perf_event *member = open_event(test, first_only, leader);
	const u64 since[] = { single->state_since, leader->state_since, member->state_since };
	struct sim_fixture *f = test->priv;

	/* After less than a step of ages, the groups are still in the order of their ids. */
	sim_test_pass(ROUND_NS / 4);
	scoped_guard(preempt)
		perf_pmu_resched_flexible(&f->sim->pmu);
	expect_group(test, blocker, true);
	expect_group(test, single, false);
	expect_group(test, leader, false);
	KUNIT_EXPECT_EQ(test, single->state_since, since[0]);
	KUNIT_EXPECT_EQ(test, leader->state_since, since[1]);
	KUNIT_EXPECT_EQ(test, member->state_since, since[2]);
}

/* An enabled member of a disabled leader begins to wait when the leader is closed. */
static void wait_begins_at_the_close_of_the_leader(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP, .disabled = 1 };
	struct perf_event *leader, *member;

	open_group(test, 4, true);
	leader = open_attr(test, &attr, -1, current, NULL);
	member = open_event(test, STEP, leader);
	/* The clock of the context has begun at 0. */
	sim_test_pass(100);
	close_event(test, leader);
	sim_test_pass(50);
	KUNIT_EXPECT_FALSE(test, is_on(member));
	KUNIT_EXPECT_EQ(test, member->state_since, 100ULL);
	expect_times(test, member, 50, 0);
}

/* A group that needs all counters, among many that fit beside one another */
static void group_that_fits_alone_never_starves(struct kunit *test)
{
	struct perf_event *big, *small[24];
	int i, r, waited = 0, longest = 0;

	for (i = 0; i < ARRAY_SIZE(small); i++)
		small[i] = open_group(test, 1, false);
	big = open_group(test, 4, false);
	/* Disable preemption: a context switch could put the group on between two rounds. */
	scoped_guard(preempt) {
		for (r = 0; r < 400; r++) {
			one_round(test);
			waited = is_on(big) ? 0 : waited + 1;
			longest = max(longest, waited);
		}
	}
	/*
	 * Each round schedules in a waiting group that has run less than the scheduled
	 * groups.
	 */
	kunit_info(test, "longest wait: %d rounds", longest);
	KUNIT_EXPECT_LE(test, longest, 25);
	for (i = 0; i < ARRAY_SIZE(small); i++) {
		u64 enabled, running;

		perf_event_read_value(small[i], &enabled, &running);
		KUNIT_EXPECT_GE(test, running, 400 * ROUND_NS / 7 * 8 / 10);
	}
}

/* Rotate, and count calls of add. Return: whether @leader is on, before any context switch */
static bool rotate_in(struct kunit *test, struct perf_event *leader)
{
	struct sim_fixture *f = test->priv;

	guard(preempt)();
	nr_adds = 0;
	sim_add = f->sim->pmu.add;
	f->sim->pmu.add = counted_add;
	one_round(test);
	f->sim->pmu.add = sim_add;
	return is_on(leader);
}

/*
 * A group with a software leader and disabled members is active without a counter. Rotation must
 * not schedule out many of these groups one by one, and try to schedule in the waiting group after
 * each.
 */
static void groups_without_counters_cost_few_attempts(struct kunit *test)
{
	struct perf_event_attr software = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
	};
	struct perf_event *empty[26], *big;
	int i;

	for (i = 0; i < ARRAY_SIZE(empty); i++) {
		empty[i] = open_attr(test, &software, -1, current, NULL);
		on_and_off(open_event(test, STEP, empty[i]), false);
	}
	for (i = 0; i < 4; i++)
		open_group(test, 1, false);
	big = open_group(test, 4, false);
	KUNIT_EXPECT_FALSE(test, is_on(big));
	KUNIT_EXPECT_TRUE(test, rotate_in(test, big));
	/*
	 * At most 17 attempts that fail and one that succeeds, with four members each, and two
	 * groups that wait now
	 */
	KUNIT_EXPECT_LE(test, nr_adds, 18U * 4U + 2U);
	for (i = 0; i < ARRAY_SIZE(empty); i++)
		KUNIT_EXPECT_TRUE(test, is_on(empty[i]));
}

/* A switch makes eight attempts; an attempt with a large group counts as several. */
static void large_groups_are_tried_less_often(struct kunit *test)
{
	struct perf_event_attr software = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
	};
	struct sim_fixture *f = test->priv;
	int i, n;

	open_group(test, 4, true);
	for (i = 0; i < 8; i++) {
		struct perf_event *leader = open_group(test, 1, false);

		for (n = 0; n < 32; n++)
			open_attr(test, &software, -1, current, leader);
	}
	sim_add = f->sim->pmu.add;
	nr_adds = 0;
	scoped_guard(preempt) {
		f->sim->pmu.add = counted_add;
		perf_pmu_resched_flexible(&f->sim->pmu);
		f->sim->pmu.add = sim_add;
	}
	/* Only the leaders need counters. */
	KUNIT_EXPECT_EQ(test, nr_adds, 8U / 2U);
}

/*
 * Use the test's rounds as the PMU's interval, which limits ages. The first open would give the
 * timer this interval, too, and the timer would rotate between the rounds. So make the timer first:
 * it keeps the long interval, and does not expire.
 */
static void limit_ages_by_rounds(struct kunit *test)
{
	struct sim_fixture *f = test->priv;

	KUNIT_ASSERT_EQ(test, perf_cpu_pmu_contexts_make(&f->sim->pmu), 0);
	WRITE_ONCE(f->sim->pmu.hrtimer_interval_ms, ROUND_NS / NSEC_PER_MSEC);
}

/* Close all events of a group: the close of its leader alone would leave its members as groups. */
static void close_group(struct kunit *test, struct perf_event *leader)
{
	struct perf_event *member, *next;

	list_for_each_entry_safe(member, next, &leader->sibling_list, sibling_list)
		close_event(test, member);
	close_event(test, leader);
}

/*
 * A group that always ran on counters that other groups could not use does not wait until new
 * groups have run as long.
 */
static void group_does_not_pay_for_gaps(struct kunit *test)
{
	struct perf_event *gap, *large[2];
	int i, r, waited = 0, longest = 0;

	limit_ages_by_rounds(test);
	for (i = 0; i < 2; i++)
		large[i] = open_group(test, 3, false);
	gap = open_group(test, 1, false);
	for (r = 0; r < 400; r++) {
		one_round(test);
		KUNIT_EXPECT_TRUE(test, is_on(gap));
	}
	for (i = 0; i < 2; i++) {
		close_group(test, large[i]);
		large[i] = open_group(test, 4, false);
	}
	/* As above */
	scoped_guard(preempt) {
		for (r = 0; r < 400; r++) {
			one_round(test);
			waited = is_on(gap) ? 0 : waited + 1;
			longest = max(longest, waited);
		}
	}
	kunit_info(test, "longest wait: %d rounds", longest);
	/* Twelve rounds for each of the two other groups, as described in scheduling.rst. */
	KUNIT_EXPECT_LE(test, longest, 2 * 12);
}

static void switch_out_and_in(struct perf_event_context *ctx)
{
	guard(irqsave)();
	perf_context_sched_out(this_cpu_context(), ctx);
	perf_context_sched_in(this_cpu_context(), ctx, current);
}

/*
 * Many groups that do not fit beside a pinned one precede a group that does. The group also runs
 * if its task never runs when the timer expires.
 */
static void unfit_groups_are_tried_last(struct kunit *test)
{
	struct perf_event *fits;
	int i, r, on = 0;

	for (i = 0; i < 10; i++)
		open_group(test, 4, false);
	fits = open_group(test, 3, false);
	open_group(test, 1, true);
	/* Disable preemption, because any other switch would be part of the order, too. */
	scoped_guard(preempt) {
		for (r = 0; r < 40; r++) {
			switch_out_and_in(fits->ctx);
			on += is_on(fits);
		}
	}
	/* A switch tries eight groups, so this group runs after two switches. */
	KUNIT_EXPECT_GE(test, on, 40 / 2 - 1);
}

static struct perf_event *open_alone(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP, .exclusive = 1 };

	return open_attr(test, &attr, -1, current, NULL);
}

/* An exclusive group beside a pinned one is never scheduled in; it does not block other groups. */
static void unfit_group_blocks_no_other(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event *pinned = open_group(test, 1, true), *plain[2];
	int r, on[2] = { };

	open_alone(test);
	open_alone(test);
	plain[0] = open_group(test, 1, false);
	plain[1] = open_group(test, 1, false);
	for (r = 0; r < 100; r++) {
		/* Schedule the groups out and in, like a context switch. */
		if (r & 1) {
			guard(preempt)();
			perf_pmu_resched(&f->sim->pmu);
		}
		one_round(test);
		KUNIT_EXPECT_TRUE(test, is_on(pinned));
		on[0] += is_on(plain[0]);
		on[1] += is_on(plain[1]);
	}
	KUNIT_EXPECT_GE(test, on[0], 90);
	KUNIT_EXPECT_GE(test, on[1], 90);
}

static void count_rounds_on(struct kunit *test, struct perf_event **events, int *on, int rounds)
{
	int r, i;

	for (r = 0; r < rounds; r++) {
		for (i = 0; i < 3; i++)
			on[i] += is_on(events[i]);
		one_round(test);
	}
}

/*
 * A group that was off for long, or is opened late, gets the same share as the others from then
 * on, without compensation for the time before.
 */
static void no_credit_for_disabled_time(struct kunit *test)
{
	static const struct sim_pmu_shape one_counter = { .nr_general = 1, .width = 48 };
	struct sim_fixture *f = test->priv;
	struct perf_event *events[3];
	int i, on[3] = { };

	perf_pmu_unregister(&f->sim->pmu);
	sim_pmu_free(f->sim);
	KUNIT_ASSERT_EQ(test, make_pmu(test, &one_counter), 0);
	for (i = 0; i < 3; i++)
		events[i] = open_group(test, 1, false);
	on_and_off(events[0], false);
	count_rounds_on(test, events, on, 200);
	KUNIT_EXPECT_EQ(test, on[0], 0);

	on_and_off(events[0], true);
	memset(on, 0, sizeof(on));
	count_rounds_on(test, events, on, 30);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_GE(test, on[i], 9);

	/* The age of a new group does not depend on a group that is off. */
	on_and_off(events[0], false);
	count_rounds_on(test, events, on, 200);
	close_event(test, events[1]);
	events[1] = open_group(test, 1, false);
	on_and_off(events[0], true);
	memset(on, 0, sizeof(on));
	count_rounds_on(test, events, on, 30);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_GE(test, on[i], 9);
}

/* A group that was alone on the PMU gets no smaller share afterwards. */
static void running_time_counts_at_once(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event *events[3];
	int i, on[3] = { };

	f->sim->shape.constraints[STEP] = 0x1;
	events[0] = open_group(test, 1, false);
	sim_test_pass(200 * ROUND_NS);
	events[1] = open_group(test, 1, false);
	events[2] = open_group(test, 1, false);
	count_rounds_on(test, events, on, 30);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_GE(test, on[i], 9);
}

static void rotation_stops_without_waiters(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event *first = open_group(test, 3, false);
	struct perf_event *second = open_group(test, 3, false);
	struct perf_cpu_pmu_context *cpc;

	scoped_guard(preempt) {
		cpc = perf_this_cpc(&f->sim->pmu);
		KUNIT_EXPECT_TRUE(test, cpc->hrtimer_active);
	}
	one_round(test);
	on_and_off(first, false);
	one_round(test);
	one_round(test);
	expect_group(test, second, true);
	KUNIT_EXPECT_FALSE(test, cpc->hrtimer_active);
}

/* A group of the CPU and a group of the task need all counters: each runs half of the time. */
static void cpu_and_task_share_equally(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP };
	struct perf_event *leaders[2];
	int i, r, on[2] = { };

	/* Use the real clock, because the test cannot set the clock of a CPU. */
	WRITE_ONCE(perf_test_clock_task, NULL);
	for (i = 0; i < 2; i++) {
		struct task_struct *task = i ? current : NULL;
		int cpu = i ? -1 : raw_smp_processor_id(), n;

		leaders[i] = open_attr(test, &attr, cpu, task, NULL);
		for (n = 1; n < 4; n++)
			open_attr(test, &attr, cpu, task, leaders[i]);
	}
	/* Disable preemption, because a context switch would choose groups, too. */
	scoped_guard(preempt) {
		for (r = 0; r < 40; r++) {
			on[0] += is_on(leaders[0]);
			on[1] += is_on(leaders[1]);
			one_round(test);
		}
	}
	KUNIT_EXPECT_EQ(test, on[0] + on[1], 40);
	KUNIT_EXPECT_GE(test, on[0], 18);
	KUNIT_EXPECT_GE(test, on[1], 18);
}

/* Sum of the running times of some groups, in ns */
static u64 ran_together(struct perf_event **leaders, int nr)
{
	u64 enabled, running, sum = 0;

	while (nr--) {
		perf_event_read_value(leaders[nr], &enabled, &running);
		sum += running;
	}
	return sum;
}

/* Called on the CPU of the context, with interrupts off. */
static void restart_clock(void *info)
{
	struct perf_event_context *ctx = info;

	raw_spin_lock(&ctx->lock);
	perf_context_begin(ctx);
	perf_clock_stop(&ctx->clock, ctx->now);
	perf_clock_start(&ctx->clock, perf_clock());
	perf_context_end(ctx);
	raw_spin_unlock(&ctx->lock);
}

/* Set the CPU's clock, which used the test's time, back to its own time, without a jump. */
static void give_clock_back(void *cpu)
{
	WRITE_ONCE(perf_test_clock_task, NULL);
	smp_call_function_single((long)cpu, restart_clock,
				 &per_cpu(perf_cpu_context, (long)cpu).ctx, 1);
}

/* Use the test's time for this CPU's clock, until the case has ended or failed. */
static void take_clock(struct kunit *test)
{
	long cpu = raw_smp_processor_id();
	u64 now;

	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, give_clock_back, (void *)cpu), 0);
	/*
	 * The clock runs already, so the test's time must begin later. It must also stay ahead of
	 * the time of other tasks of the CPU, even if the machine is slow or stopped for minutes.
	 */
	scoped_guard(preempt)
		now = local_clock();
	WRITE_ONCE(perf_test_clock_now, max(perf_test_clock_now, now) + 3600ULL * NSEC_PER_SEC);
}

/*
 * Four groups of the CPU and eight of its task share four counters, so a third of the time is
 * fair for each. The first four groups have the PMU for themselves for a while.
 */
static void rotate_test_share(struct kunit *test, bool cpu_first, u64 before, bool switched,
			      int percent[2])
{
	static const int numbers[] = { 4, 8 };
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP };
	const int rounds = 900;
	struct perf_event *leaders[2][8];
	u64 ran[2];
	int i, n, r;

	for (r = 0; r < 2; r++) {
		i = cpu_first ? r : !r;
		for (n = 0; n < numbers[i]; n++) {
			leaders[i][n] = i ? open_attr(test, &attr, -1, current, NULL) :
				open_attr(test, &attr, raw_smp_processor_id(), NULL, NULL);
			if (!r && n == 3)
				sim_test_pass(before);
		}
	}
	for (i = 0; i < 2; i++)
		ran[i] = ran_together(leaders[i], numbers[i]);
	for (r = 0; r < rounds; r++) {
		one_round(test);
		if (switched)
			switch_out_and_in(leaders[1][0]->ctx);
	}
	for (i = 0; i < 2; i++) {
		ran[i] = ran_together(leaders[i], numbers[i]) - ran[i];
		percent[i] = div64_u64(ran[i] * 100, numbers[i] * rounds * ROUND_NS);
	}
	kunit_info(test, "%s first, for %llu ms%s: of the CPU %d%%, of the task %d%%",
		   cpu_first ? "CPU" : "task", div64_u64(before, NSEC_PER_MSEC),
		   switched ? ", switched" : "", percent[0], percent[1]);
	close_all(test);
}

/*
 * The shares are fair, even if the CPU's or the task's groups have run for long before the
 * others were opened.
 */
static void share_ignores_past_runtime(struct kunit *test)
{
	static const u64 before[] = { 0, 100 * NSEC_PER_MSEC, 3600 * NSEC_PER_SEC };
	int i, percent[2];

	take_clock(test);
	limit_ages_by_rounds(test);
	for (i = 0; i < 2 * ARRAY_SIZE(before); i++) {
		rotate_test_share(test, i & 1, before[i / 2], false, percent);
		KUNIT_EXPECT_GE(test, percent[0], 30);
		KUNIT_EXPECT_GE(test, percent[1], 30);
		/* Context switches do not increase the task's share. */
		rotate_test_share(test, i & 1, before[i / 2], true, percent);
		KUNIT_EXPECT_GE(test, percent[0], 30);
		KUNIT_EXPECT_GE(test, percent[1], 30);
	}
}

/*
 * The groups of a task that runs for less than the timer's interval, and never when the timer
 * expires, are still scheduled in, and so are the CPU's groups.
 */
static void bursts_have_their_turn(struct kunit *test, bool pinned)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP };
	const u64 interval = ms_to_ktime(f->sim->pmu.hrtimer_interval_ms);
	int i, r, n, waited = 0, longest = 0, on[2] = { };
	struct perf_event *leaders[2];

	for (i = 0; i < 2; i++) {
		struct task_struct *task = i ? current : NULL;
		int cpu = i ? -1 : raw_smp_processor_id();

		leaders[i] = open_attr(test, &attr, cpu, task, NULL);
		for (n = 1; n < 3; n++)
			open_attr(test, &attr, cpu, task, leaders[i]);
	}
	if (pinned)
		open_group(test, 1, true);
	for (r = 0; r < 60; r++) {
		guard(irqsave)();
		for (i = 0; i < 2; i++)
			on[i] += is_on(leaders[i]);
		waited = is_on(leaders[1]) ? 0 : waited + 1;
		longest = max(longest, waited);
		sim_test_pass(interval / 3);
		perf_context_sched_out(this_cpu_context(), leaders[1]->ctx);
		sim_test_pass(interval);
		sim_test_rotate(test);
		KUNIT_EXPECT_TRUE(test, is_on(leaders[0]));
		perf_context_sched_in(this_cpu_context(), leaders[1]->ctx, current);
	}
	KUNIT_EXPECT_EQ(test, on[0] + on[1], 60);
	/* Three bursts are as long as one interval. */
	KUNIT_EXPECT_LE(test, longest, 3);
	KUNIT_EXPECT_GE(test, on[0], 60 / 2);
	close_all(test);
}

static void short_bursts_are_scheduled(struct kunit *test)
{
	take_clock(test);
	bursts_have_their_turn(test, false);
	bursts_have_their_turn(test, true);
}

/* A group that cannot be scheduled is in no tree, so that searches do not find it. */
static void group_that_is_off_is_in_no_tree(struct kunit *test)
{
	struct perf_event *on = open_group(test, 2, false);
	struct perf_event *off = open_group(test, 2, false);
	struct perf_event *pinned = open_group(test, 4, true);
	struct perf_event *error = open_group(test, 1, true);
	struct perf_event_context *ctx = on->ctx;

	KUNIT_EXPECT_EQ(test, error->state, PERF_EVENT_STATE_ERROR);
	KUNIT_EXPECT_TRUE(test, RB_EMPTY_NODE(&error->group_node));
	KUNIT_EXPECT_EQ(test, ctx->nr_sched, 3U);
	on_and_off(off, false);
	KUNIT_EXPECT_TRUE(test, RB_EMPTY_NODE(&off->group_node));
	KUNIT_EXPECT_EQ(test, ctx->nr_sched, 2U);
	/* A new sibling does not insert the group into a tree, either. */
	open_event(test, STEP, off);
	KUNIT_EXPECT_TRUE(test, RB_EMPTY_NODE(&off->group_node));
	on_and_off(pinned, false);
	KUNIT_EXPECT_TRUE(test, RB_EMPTY_NODE(&pinned->group_node));
	on_and_off(off, true);
	KUNIT_EXPECT_FALSE(test, RB_EMPTY_NODE(&off->group_node));
	KUNIT_EXPECT_EQ(test, ctx->nr_sched, 2U);
	on_and_off(error, true);
	expect_group(test, error, true);
	close_all(test);
	KUNIT_EXPECT_EQ(test, sim_test_busy(test), 0U);
}

/*
 * When the leader is closed, each sibling gets the age of the group: the computation of its own
 * age would require a walk of all groups.
 */
static void members_are_as_old_as_their_group(struct kunit *test)
{
	struct perf_event *leader = open_group(test, 3, false);
	struct perf_event *young = open_group(test, 2, false);
	struct sim_fixture *f = test->priv;
	struct perf_event *members[] = { f->events[1], f->events[2] };
	int i;

	expect_group(test, leader, true);
	sim_test_pass(NSEC_PER_SEC);
	close_event(test, leader);
	for (i = 0; i < ARRAY_SIZE(members); i++)
		KUNIT_EXPECT_GE(test, members[i]->group_runtime, (u64)NSEC_PER_SEC);
	expect_group(test, young, true);
}

static struct kunit_case rotate_cases[] = {
	KUNIT_CASE(rotation_is_fair),
	KUNIT_CASE(failed_attempt_does_not_end_the_wait),
	KUNIT_CASE(wait_begins_at_the_close_of_the_leader),
	KUNIT_CASE(group_that_fits_alone_never_starves),
	KUNIT_CASE(groups_without_counters_cost_few_attempts),
	KUNIT_CASE(large_groups_are_tried_less_often),
	KUNIT_CASE(group_does_not_pay_for_gaps),
	KUNIT_CASE(unfit_groups_are_tried_last),
	KUNIT_CASE(unfit_group_blocks_no_other),
	KUNIT_CASE(no_credit_for_disabled_time),
	KUNIT_CASE(running_time_counts_at_once),
	KUNIT_CASE(rotation_stops_without_waiters),
	KUNIT_CASE(cpu_and_task_share_equally),
	KUNIT_CASE(share_ignores_past_runtime),
	KUNIT_CASE(short_bursts_are_scheduled),
	KUNIT_CASE(group_that_is_off_is_in_no_tree),
	KUNIT_CASE(members_are_as_old_as_their_group),
	{}
};

static struct kunit_suite rotate_suite = {
	.name		= "perf_rotate",
	.init		= sim_fixture_init,
	.exit		= sim_fixture_exit,
	.test_cases	= rotate_cases,
};

kunit_test_suite(rotate_suite);
