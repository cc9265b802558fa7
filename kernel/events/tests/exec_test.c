// SPDX-License-Identifier: GPL-2.0
/* Events that an exec enables or removes, on a simulated PMU */
#include "sim_fixture.h"
#include "../exit.h"

static int (*exec_test_sim_add)(struct perf_event *event, int flags);
static void (*exec_test_sim_del)(struct perf_event *event, int flags);
static const struct perf_event *exec_test_watched, *exec_test_slow;
static int exec_test_adds, exec_test_dels;

static int exec_test_add(struct perf_event *event, int flags)
{
	exec_test_adds++;
	/* Only the first add takes time: a context switch may add the event again. */
	if (event == exec_test_slow) {
		exec_test_slow = NULL;
		sim_test_pass(100);
	}
	return exec_test_sim_add(event, flags);
}

static void exec_test_del(struct perf_event *event, int flags)
{
	exec_test_dels += event == exec_test_watched;
	exec_test_sim_del(event, flags);
}

/*
 * An exec adds at most @adds events to the PMU, and removes @watched, which is on, at most once. A
 * context switch may do the same.
 */
static void exec_expect_few_calls(struct kunit *test, struct perf_event *watched, int adds)
{
	unsigned long switches = current->nvcsw + current->nivcsw;
	struct sim_fixture *f = test->priv;
	struct pmu *pmu = &f->sim->pmu;

	exec_test_watched = watched;
	exec_test_adds = 0;
	exec_test_dels = 0;
	exec_test_sim_add = pmu->add;
	exec_test_sim_del = pmu->del;
	pmu->add = exec_test_add;
	pmu->del = exec_test_del;
	perf_event_exec();
	pmu->add = exec_test_sim_add;
	pmu->del = exec_test_sim_del;
	exec_test_slow = NULL;
	if (switches != current->nvcsw + current->nivcsw)
		return;
	KUNIT_EXPECT_LE(test, exec_test_adds, adds);
	KUNIT_EXPECT_LE(test, exec_test_dels, 1);
}

/* Replace the PMU of the fixture by one with eight counters. */
static void exec_test_widen(struct kunit *test)
{
	static const struct sim_pmu_shape shape = { .nr_general = 8, .width = 48 };
	struct sim_fixture *f = test->priv;

	perf_pmu_unregister(&f->sim->pmu);
	sim_pmu_free(f->sim);
	KUNIT_ASSERT_EQ(test, make_pmu(test, &shape), 0);
}

/* For any number of events that it enables, an exec adds each of them to the PMU at most twice. */
static void exec_enables_all_at_once(struct kunit *test)
{
	int there = cpumask_any_but(cpu_online_mask, raw_smp_processor_id()), i;
	struct perf_event *leader, *elsewhere = NULL;
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .config = STEP };

	exec_test_widen(test);
	attr.type = f->sim->pmu.type;
	open_attr(test, &attr, -1, current, NULL);
	attr.disabled = 1;
	attr.enable_on_exec = 1;
	for (i = 0; i < 4; i++)
		open_attr(test, &attr, -1, current, NULL);
	leader = open_attr(test, &attr, -1, current, NULL);
	open_attr(test, &attr, -1, current, leader);
	attr.pinned = 1;
	open_attr(test, &attr, -1, current, NULL);
	attr.pinned = 0;
	if (there < nr_cpu_ids)
		elsewhere = open_attr(test, &attr, there, current, NULL);
	sim_test_advance(test, 5);
	sim_test_pass(100);

	exec_expect_few_calls(test, f->events[0], 16);
	sim_test_advance(test, 10);
	sim_test_pass(1000);
	for (i = 0; i < 8; i++) {
		KUNIT_EXPECT_TRUE(test, is_on(f->events[i]));
		KUNIT_EXPECT_FALSE(test, f->events[i]->attr.enable_on_exec);
		KUNIT_EXPECT_EQ(test, sim_test_value(f->events[i]), i ? 10ULL : 15ULL);
		expect_times(test, f->events[i], i ? 1000 : 1100, i ? 1000 : 1100);
	}
	if (!elsewhere)
		return;
	KUNIT_EXPECT_EQ(test, elsewhere->state, PERF_EVENT_STATE_INACTIVE);
	KUNIT_EXPECT_EQ(test, sim_test_value(elsewhere), 0ULL);
}

/* A group that an exec enables is scheduled in at once if it fits, and counts exactly. */
static void exec_lets_no_event_wait(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .disabled = 1,
	};
	struct perf_event *fits = open_attr(test, &attr, -1, current, NULL), *single;
	struct perf_event *waits = open_group(test, 4, false);
	struct perf_event_context *ctx = fits->ctx;

	open_attr(test, &attr, -1, current, fits);
	single = open_attr(test, &attr, -1, current, NULL);
	on_and_off(waits, false);
	sim_test_pass(100);
	scoped_guard(mutex, &ctx->mutex) {
		perf_groups_exec_begin(ctx);
		_perf_event_enable(f->events[5]);
		_perf_event_enable(fits);
		_perf_event_enable(single);
		_perf_event_enable(waits);
		sim_test_advance(test, 10);
		sim_test_pass(500);
		KUNIT_EXPECT_EQ(test, sim_test_value(fits), 10ULL);
		expect_times(test, fits, 500, 500);
		expect_times(test, waits, 500, 0);
		perf_groups_exec_end(ctx);
	}
	sim_test_advance(test, 10);
	sim_test_pass(1000);
	KUNIT_EXPECT_EQ(test, sim_test_value(fits), 20ULL);
	expect_times(test, fits, 1500, 1500);
	expect_times(test, f->events[5], 1500, 1500);
	expect_times(test, single, 1500, 1500);
	expect_times(test, waits, 1500, 0);
}

/*
 * An exec that enables a group's members, and its leader unless @leader_on, schedules in the group
 * only once, before the next event is enabled: no event of the group waits.
 */
static void exec_test_group(struct kunit *test, bool leader_on)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP,
		.disabled = !leader_on, .enable_on_exec = !leader_on,
	};
	struct perf_event *leader = open_attr(test, &attr, -1, current, NULL), *member;

	attr.disabled = 1;
	attr.enable_on_exec = 1;
	open_attr(test, &attr, -1, current, leader);
	open_attr(test, &attr, -1, current, leader);
	exec_test_slow = open_attr(test, &attr, -1, current, NULL);
	sim_test_advance(test, 5);
	sim_test_pass(1000);

	exec_expect_few_calls(test, leader, 4);
	sim_test_advance(test, 10);
	sim_test_pass(1000);
	KUNIT_EXPECT_EQ(test, sim_test_value(leader), leader_on ? 15ULL : 10ULL);
	expect_times(test, leader, leader_on ? 2100 : 1100, leader_on ? 2100 : 1100);
	for_each_sibling_event(member, leader) {
		KUNIT_EXPECT_FALSE(test, member->attr.enable_on_exec);
		KUNIT_EXPECT_EQ(test, sim_test_value(member), 10ULL);
		expect_times(test, member, 1100, 1100);
	}
}

static void exec_enables_whole_group(struct kunit *test)
{
	exec_test_group(test, false);
}

static void exec_enables_members_alone(struct kunit *test)
{
	exec_test_group(test, true);
}

/* An exec enables pinned events that are off or in the error state; those that do not fit fail. */
static void exec_enables_pinned_events(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .pinned = 1, .enable_on_exec = 1,
	};
	struct perf_event *failed, *off, *again;
	int i;

	open_group(test, 4, true);
	failed = open_attr(test, &attr, -1, current, NULL);
	attr.disabled = 1;
	off = open_attr(test, &attr, -1, current, NULL);
	KUNIT_EXPECT_EQ(test, failed->state, PERF_EVENT_STATE_ERROR);
	perf_event_exec();
	KUNIT_EXPECT_EQ(test, failed->state, PERF_EVENT_STATE_ERROR);
	KUNIT_EXPECT_EQ(test, off->state, PERF_EVENT_STATE_ERROR);

	attr.disabled = 0;
	again = open_attr(test, &attr, -1, current, NULL);
	KUNIT_EXPECT_EQ(test, again->state, PERF_EVENT_STATE_ERROR);
	for (i = 4; i--; )
		close_event(test, f->events[i]);
	perf_event_exec();
	KUNIT_EXPECT_EQ(test, failed->state, PERF_EVENT_STATE_ERROR);
	KUNIT_EXPECT_TRUE(test, is_on(again));
	sim_test_advance(test, 10);
	KUNIT_EXPECT_EQ(test, sim_test_value(again), 10ULL);
}

/* An exec schedules the groups once, for any number of leaders that it removes. */
static void exec_removes_all_at_once(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .config = STEP };
	int i;

	exec_test_widen(test);
	attr.type = f->sim->pmu.type;
	open_attr(test, &attr, -1, current, NULL);
	for (i = 1; i <= 5; i += 2) {
		attr.remove_on_exec = 1;
		open_attr(test, &attr, -1, current, NULL);
		attr.remove_on_exec = 0;
		open_attr(test, &attr, -1, current, f->events[i]);
	}
	sim_test_advance(test, 10);
	exec_expect_few_calls(test, f->events[0], 4);
	sim_test_advance(test, 5);
	KUNIT_EXPECT_EQ(test, sim_test_value(f->events[0]), 15ULL);
	for (i = 1; i <= 5; i += 2) {
		struct perf_event *leader = f->events[i], *member = f->events[i + 1];

		KUNIT_EXPECT_EQ(test, leader->state, PERF_EVENT_STATE_EXIT);
		KUNIT_EXPECT_EQ(test, sim_test_value(leader), 10ULL);
		KUNIT_EXPECT_PTR_EQ(test, member->group_leader, member);
		KUNIT_EXPECT_TRUE(test, is_on(member));
		KUNIT_EXPECT_EQ(test, sim_test_value(member), 15ULL);
	}
}

/* The members of a leader that an exec removes do not wait for the end of the exec. */
static void exec_removes_leader_alone(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .remove_on_exec = 1,
	};
	struct perf_event *leader = open_attr(test, &attr, -1, current, NULL), *members[2];
	int i;

	attr.remove_on_exec = 0;
	for (i = 0; i < 2; i++)
		members[i] = open_attr(test, &attr, -1, current, leader);
	attr.disabled = 1;
	attr.enable_on_exec = 1;
	exec_test_slow = open_attr(test, &attr, -1, current, NULL);
	sim_test_advance(test, 5);
	sim_test_pass(1000);

	exec_expect_few_calls(test, members[0], 3);
	sim_test_advance(test, 10);
	sim_test_pass(1000);
	KUNIT_EXPECT_EQ(test, leader->state, PERF_EVENT_STATE_EXIT);
	KUNIT_EXPECT_EQ(test, sim_test_value(leader), 5ULL);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_PTR_EQ(test, members[i]->group_leader, members[i]);
		KUNIT_EXPECT_EQ(test, sim_test_value(members[i]), 15ULL);
		expect_times(test, members[i], 2100, 2100);
	}
}

static struct kunit_case exec_cases[] = {
	KUNIT_CASE(exec_enables_all_at_once),
	KUNIT_CASE(exec_lets_no_event_wait),
	KUNIT_CASE(exec_enables_whole_group),
	KUNIT_CASE(exec_enables_members_alone),
	KUNIT_CASE(exec_enables_pinned_events),
	KUNIT_CASE(exec_removes_all_at_once),
	KUNIT_CASE(exec_removes_leader_alone),
	{}
};

static struct kunit_suite exec_suite = {
	.name		= "perf_exec",
	.init		= sim_fixture_init,
	.exit		= sim_fixture_exit,
	.test_cases	= exec_cases,
};

kunit_test_suite(exec_suite);
