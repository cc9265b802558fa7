// SPDX-License-Identifier: GPL-2.0
/*
 * Enable and disable of whole groups, and limits of overflows: included at the end of enable.c.
 * Selftests cover inherited events on other CPUs.
 */
#include "sim_fixture.h"

static int (*turn_test_sim_add)(struct perf_event *event, int flags);
static int turn_test_adds;

static int turn_test_add(struct perf_event *event, int flags)
{
	turn_test_adds++;
	return turn_test_sim_add(event, flags);
}

/*
 * Enable a group, through any of its events. Return: number of calls of pmu->add, or -1 if a
 * context switch may have called it, too
 */
static int turn_test_group_on(struct kunit *test, struct perf_event *event)
{
	struct sim_fixture *f = test->priv;
	unsigned long switches = current->nvcsw + current->nivcsw;

	CLASS(event_context, ctx)(event);
	turn_test_adds = 0;
	turn_test_sim_add = f->sim->pmu.add;
	f->sim->pmu.add = turn_test_add;
	perf_event_enable_all_children(event, true, true);
	f->sim->pmu.add = turn_test_sim_add;
	return switches == current->nvcsw + current->nivcsw ? turn_test_adds : -1;
}

static void turn_test_expect_adds(struct kunit *test, struct perf_event *event, int adds)
{
	int called = turn_test_group_on(test, event);

	if (called >= 0)
		KUNIT_EXPECT_EQ(test, called, adds);
}

static void turn_test_group_off(struct perf_event *event)
{
	CLASS(event_context, ctx)(event);

	perf_event_enable_all_children(event, false, true);
}

static void turn_test_expect_off(struct kunit *test, struct perf_event *leader)
{
	struct perf_event *member;

	KUNIT_EXPECT_EQ(test, leader->state, PERF_EVENT_STATE_OFF);
	for_each_sibling_event(member, leader)
		KUNIT_EXPECT_EQ(test, member->state, PERF_EVENT_STATE_OFF);
}

/* The group is scheduled out and in once, for any number of events that are enabled. */
static void group_is_scheduled_once(struct kunit *test)
{
	struct perf_event *leader = open_group(test, 4, false);
	struct perf_event *last = list_last_entry(&leader->sibling_list, struct perf_event,
						  sibling_list);

	turn_test_group_off(last);
	turn_test_expect_off(test, leader);
	sim_test_advance(test, 100);
	turn_test_expect_adds(test, last, 4);
	expect_group(test, leader, true);
	sim_test_advance(test, 10);
	KUNIT_EXPECT_EQ(test, sim_test_value(leader), 10ULL);
	KUNIT_EXPECT_EQ(test, sim_test_value(last), 10ULL);

	/* Two siblings of the enabled leader are disabled. */
	on_and_off(last, false);
	on_and_off(list_prev_entry(last, sibling_list), false);
	sim_test_advance(test, 5);
	turn_test_expect_adds(test, leader, 4);
	expect_group(test, leader, true);
	sim_test_advance(test, 1);
	KUNIT_EXPECT_EQ(test, sim_test_value(leader), 16ULL);
	KUNIT_EXPECT_EQ(test, sim_test_value(last), 11ULL);
	/* A group that is enabled already needs no call of pmu->add. */
	turn_test_expect_adds(test, leader, 0);
}

/* The times of a whole group begin and end at the same moments. */
static void times_of_a_group_begin_together(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_EMULATION_FAULTS,
	};
	struct perf_event *leader = open_attr(test, &attr, -1, current, NULL);
	struct perf_event *member = open_attr(test, &attr, -1, current, leader);
	u64 enabled[2], running[2];
	int round;

	for (round = 0; round < 2; round++) {
		turn_test_group_off(member);
		turn_test_expect_off(test, leader);
		turn_test_group_on(test, leader);
		KUNIT_EXPECT_TRUE(test, is_on(leader));
		KUNIT_EXPECT_TRUE(test, is_on(member));
		sim_test_pass(1000);
		perf_event_times(member, &enabled[0], &running[0]);
		perf_event_times(leader, &enabled[1], &running[1]);
		KUNIT_EXPECT_EQ(test, enabled[0], enabled[1]);
		KUNIT_EXPECT_EQ(test, running[0], running[1]);
		KUNIT_EXPECT_EQ(test, enabled[0], 1000ULL * (round + 1));
		/* From now on the PMU schedules the group. */
		if (!round)
			open_event(test, STEP, leader);
	}
}

static struct perf_event *turn_test_limited;
static int turn_test_samples;

static void turn_test_sample(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	turn_test_samples++;
}

/* Open turn_test_limited with a limit of one overflow. */
static struct perf_event *turn_test_open_limited(struct kunit *test, u32 type, u64 config)
{
	struct perf_event_attr attr = {
		.type = type, .config = config, .size = sizeof(attr), .sample_period = 1000000,
		.disabled = 1,
	};
	struct sim_fixture *f = test->priv;
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, -1, current, turn_test_sample, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	f->events[f->nr++] = event;
	KUNIT_EXPECT_EQ(test, perf_event_refresh(event, 1), 0);
	turn_test_limited = event;
	turn_test_samples = 0;
	return event;
}

static int turn_test_overflow(void)
{
	struct perf_sample_data data;

	perf_sample_data_init(&data, 0, 1);
	return perf_event_overflow(turn_test_limited, &data, task_pt_regs(current));
}

static void (*turn_test_sim_del)(struct perf_event *event, int flags);
static int turn_test_nested;

/* A pmu->del that finds an overflow, like the records of a hardware buffer */
static void turn_test_del(struct perf_event *event, int flags)
{
	if (event == turn_test_limited)
		turn_test_nested = turn_test_overflow();
	turn_test_sim_del(event, flags);
}

/* The limit holds until the event is enabled again: pmu->del is called before it is off. */
static void limit_holds_in_del(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event *event;
	int i;

	WRITE_ONCE(perf_test_clock_task, NULL);
	event = turn_test_open_limited(test, f->sim->pmu.type, STEP);
	turn_test_sim_del = f->sim->pmu.del;
	turn_test_nested = -1;
	scoped_guard(irqsave) {
		KUNIT_EXPECT_EQ(test, turn_test_overflow(), 1);
		f->sim->pmu.del = turn_test_del;
	}
	irq_work_sync(&event->cold->stop_work);
	f->sim->pmu.del = turn_test_sim_del;
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_EQ(test, turn_test_nested, 1);
	KUNIT_EXPECT_EQ(test, turn_test_samples, 1);

	/* A new limit is independent of the old one. */
	KUNIT_EXPECT_EQ(test, perf_event_refresh(event, 2), 0);
	KUNIT_EXPECT_TRUE(test, is_on(event));
	scoped_guard(irqsave) {
		for (i = 0; i < 4; i++)
			KUNIT_EXPECT_EQ(test, turn_test_overflow(), i >= 1);
	}
	KUNIT_EXPECT_EQ(test, turn_test_samples, 3);
}

static void turn_test_stop(struct perf_event *event, int flags)
{
	turn_test_nested = turn_test_overflow();
}

/*
 * The limit is one overflow. An overflow that has not reached the limit is interrupted by another
 * overflow before it is counted: the limit holds for both together. Here the other overflow occurs
 * during the pause of an AUX event.
 */
static void limit_holds_for_nested_overflows(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event *aux = open_event(test, STEP, NULL), *event;
	void (*sim_stop)(struct perf_event *event, int flags) = f->sim->pmu.stop;

	WRITE_ONCE(perf_test_clock_task, NULL);
	event = turn_test_open_limited(test, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS);
	turn_test_nested = -1;
	scoped_guard(irqsave) {
		KUNIT_EXPECT_TRUE(test, is_on(aux));
		aux->hw.aux_paused = 0;
		event->aux_event = aux;
		event->attr.aux_pause = 1;
		f->sim->pmu.stop = turn_test_stop;
		KUNIT_EXPECT_EQ(test, turn_test_overflow(), 1);
		f->sim->pmu.stop = sim_stop;
		event->attr.aux_pause = 0;
		event->aux_event = NULL;
		aux->hw.aux_paused = 0;
	}
	KUNIT_EXPECT_EQ(test, turn_test_nested, 1);
	KUNIT_EXPECT_EQ(test, turn_test_samples, 1);
	irq_work_sync(&event->cold->stop_work);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_OFF);
}

static struct kunit_case turn_cases[] = {
	KUNIT_CASE(group_is_scheduled_once),
	KUNIT_CASE(times_of_a_group_begin_together),
	KUNIT_CASE(limit_holds_in_del),
	KUNIT_CASE(limit_holds_for_nested_overflows),
	{}
};

static struct kunit_suite turn_suite = {
	.name		= "perf_turn",
	.init		= sim_fixture_init,
	.exit		= sim_fixture_exit,
	.test_cases	= turn_cases,
};

kunit_test_suite(turn_suite);
