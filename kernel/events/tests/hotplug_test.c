// SPDX-License-Identifier: GPL-2.0
/* Moves of many events to another CPU: included at the end of hotplug.c */
#include "sim_fixture.h"

#define MOVE_GROUPS	12

static unsigned int move_test_visits;

/* Replaces perf_hotplug_group_moves(). */
static bool move_test_visit(const struct perf_event *leader, const struct migration *which)
{
	move_test_visits++;
	return leader->pmu_ctx && leader->pmu_ctx->pmu == which->pmu;
}

static unsigned int move_test_leaders(int cpu)
{
	struct perf_event_context *ctx = &per_cpu(perf_cpu_context, cpu).ctx;
	struct perf_event *event;
	unsigned int n = 0;

	guard(mutex)(&ctx->mutex);
	for_each_event(event, ctx)
		n += event->group_leader == event && event->state > PERF_EVENT_STATE_EXIT;
	return n;
}

/*
 * A move visits each group once. Groups that do not move are between those that do, and members
 * are opened after other groups.
 */
static void move_visits_each_group_once(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr moves = {
		.type = f->sim->pmu.type, .config = STEP, .disabled = 1,
	};
	struct perf_event_attr stays = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
	};
	int here = raw_smp_processor_id(), there = cpumask_any_but(cpu_online_mask, here), i;
	unsigned int leaders;

	if (there >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	WRITE_ONCE(perf_test_clock_task, NULL);
	for (i = 0; i < MOVE_GROUPS; i++) {
		open_attr(test, &stays, here, NULL, NULL);
		open_attr(test, &moves, here, NULL, NULL);
		open_attr(test, &moves, here, NULL, f->events[3 * i + 1]);
	}
	/* Members beside their leader, apart from it, and at the end of the list */
	open_attr(test, &stays, here, NULL, f->events[1]);
	open_attr(test, &stays, here, NULL, f->events[0]);
	open_attr(test, &moves, here, NULL, f->events[4]);

	leaders = move_test_leaders(here);
	move_test_visits = 0;
	kunit_activate_static_stub(test, perf_hotplug_group_moves, move_test_visit);
	perf_pmu_migrate_context(&f->sim->pmu, here, there);
	kunit_deactivate_static_stub(test, perf_hotplug_group_moves);
	KUNIT_EXPECT_EQ(test, move_test_visits, leaders);
	for (i = 0; i < f->nr; i++) {
		struct perf_event *leader = f->events[i]->group_leader;

		KUNIT_EXPECT_EQ(test, f->events[i]->cpu,
				leader->attr.type == stays.type ? here : there);
	}
	KUNIT_EXPECT_EQ(test, f->events[1]->nr_siblings, 2U);
	KUNIT_EXPECT_EQ(test, f->events[4]->nr_siblings, 2U);
	KUNIT_EXPECT_EQ(test, f->events[7]->nr_siblings, 1U);
}

static struct perf_event *move_test_limited;
static int move_test_samples;

static void move_test_sample(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	move_test_samples++;
}

/*
 * Replaces perf_hotplug_group_moves(), which is called for a group after the groups before it have
 * been detached. An event site that has found the event before its detach makes it overflow.
 */
static bool move_test_overflow(const struct perf_event *leader, const struct migration *which)
{
	struct perf_event *event = move_test_limited;
	struct perf_sample_data data;

	if (event->state == PERF_EVENT_STATE_OFF && !move_test_samples) {
		perf_sample_data_init(&data, 0, 1);
		scoped_guard(irqsave)
			perf_event_overflow(event, &data, task_pt_regs(current));
		irq_work_sync(&event->cold->stop_work);
	}
	return leader == event && leader->pmu_ctx;
}

/* An event that has its last overflow during a move is off after the move. */
static void last_overflow_in_a_move(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr moves = {
		.type = f->sim->pmu.type, .config = STEP, .size = sizeof(moves),
		.sample_period = 1000000, .disabled = 1,
	};
	struct perf_event_attr stays = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
	};
	int here = raw_smp_processor_id(), there = cpumask_any_but(cpu_online_mask, here);
	struct perf_event *event;

	if (there >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	WRITE_ONCE(perf_test_clock_task, NULL);
	event = perf_event_create_kernel_counter(&moves, here, NULL, move_test_sample, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	f->events[f->nr++] = event;
	open_attr(test, &stays, here, NULL, NULL);
	move_test_limited = event;
	move_test_samples = 0;
	KUNIT_EXPECT_EQ(test, perf_event_refresh(event, 1), 0);
	KUNIT_EXPECT_TRUE(test, is_on(event));

	kunit_activate_static_stub(test, perf_hotplug_group_moves, move_test_overflow);
	perf_pmu_migrate_context(&f->sim->pmu, here, there);
	kunit_deactivate_static_stub(test, perf_hotplug_group_moves);
	KUNIT_EXPECT_EQ(test, move_test_samples, 1);
	KUNIT_EXPECT_EQ(test, event->cpu, there);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_OFF);

	KUNIT_EXPECT_EQ(test, perf_event_refresh(event, 1), 0);
	KUNIT_EXPECT_TRUE(test, is_on(event));
}

static struct kunit_case move_cases[] = {
	KUNIT_CASE(move_visits_each_group_once),
	KUNIT_CASE(last_overflow_in_a_move),
	{}
};

static struct kunit_suite move_suite = {
	.name		= "perf_move",
	.init		= sim_fixture_init,
	.exit		= sim_fixture_exit,
	.test_cases	= move_cases,
};

kunit_test_suite(move_suite);
