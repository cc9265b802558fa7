// SPDX-License-Identifier: GPL-2.0
/* Tracepoints about a task that does not run. Included at the end of tracepoint.c. */
#include "sim_fixture.h"

/* No event of kernel/trace has such a small number. */
#define TP_TEST_TYPE	PERF_COUNT_SW_DUMMY

static int tp_test_sleep(void *unused)
{
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

/**
 * struct tp_test_event - an event of the task
 * @type: type that the core finds in its attr
 * @any_cpu: opened with cpu -1
 * @exclude_kernel: attr.exclude_kernel
 * @sigtrap: attr.sigtrap
 */
struct tp_test_event {
	u32	type;
	bool	any_cpu;
	bool	exclude_kernel;
	bool	sigtrap;
};

/*
 * Open a dummy event that the core takes for a tracepoint: it has that type from before it is
 * attached until tp_test_restore().
 */
static struct perf_event *tp_test_open(struct kunit *test, struct task_struct *task,
				       const struct tp_test_event *what)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = TP_TEST_TYPE, .size = sizeof(attr),
	};
	int cpu = what->any_cpu ? -1 : raw_smp_processor_id();
	struct sim_fixture *f = test->priv;
	struct perf_event *event;

	event = perf_event_alloc(&attr, cpu, task, NULL, NULL, NULL, NULL, -1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	event->attr.type = what->type;
	event->attr.exclude_kernel = what->exclude_kernel;
	event->attr.sigtrap = what->sigtrap;
	event->ctx = perf_context_find(task, cpu);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event->ctx));
	scoped_guard(mutex, &event->ctx->mutex)
		KUNIT_ASSERT_EQ(test, perf_event_attach(event), 0);
	f->events[f->nr++] = event;
	return event;
}

static void tp_test_restore(struct perf_event *event)
{
	event->attr.type = PERF_TYPE_SOFTWARE;
	event->attr.sigtrap = 0;
}

/* Hit a tracepoint about @task on this CPU. */
static void tp_test_hit(struct task_struct *task)
{
	struct {
		struct trace_entry	entry;
		u64			data;
	} record = {};
	struct hlist_head none = HLIST_HEAD_INIT;
	struct pt_regs regs = {};

	guard(preempt)();
	perf_tp_event(TP_TEST_TYPE, 1, &record, sizeof(record), &regs, &none,
		      perf_swevent_get_recursion_context(), task);
}

/*
 * A user may open any number of events on a task, and each wakeup of the task hits a tracepoint
 * about the task. Only events that may count the tracepoint are walked.
 */
static void only_task_events_are_walked(struct kunit *test)
{
	static const struct tp_test_event such = { .type = PERF_TYPE_TRACEPOINT };
	static const struct tp_test_event others[] = {
		{ .type = PERF_TYPE_SOFTWARE },
		{ .type = PERF_TYPE_TRACEPOINT, .any_cpu = true },
		{ .type = PERF_TYPE_TRACEPOINT, .exclude_kernel = true },
		{ .type = PERF_TYPE_TRACEPOINT, .sigtrap = true },
	};
	struct task_struct *task = make_sleeper(test, tp_test_sleep);
	struct perf_event *counted[2], *event[ARRAY_SIZE(others)];
	struct perf_event_context *ctx;
	struct hlist_head *walked;
	int i;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		event[i] = tp_test_open(test, task, &others[i]);
	ctx = event[0]->ctx;
	walked = perf_tp_task_events(ctx);
	KUNIT_EXPECT_TRUE(test, hlist_empty(walked));
	KUNIT_EXPECT_FALSE(test, ctx->walked);
	tp_test_hit(task);

	counted[0] = tp_test_open(test, task, &such);
	KUNIT_EXPECT_TRUE(test, hlist_is_singular_node(&counted[0]->hw.tp_task_entry, walked));
	KUNIT_EXPECT_TRUE(test, ctx->walked);
	tp_test_hit(task);
	counted[1] = tp_test_open(test, task, &such);
	KUNIT_EXPECT_EQ(test, hlist_count_nodes(walked), 2U);
	tp_test_hit(task);
	KUNIT_EXPECT_EQ(test, sim_test_value(counted[0]), 2ULL);
	KUNIT_EXPECT_EQ(test, sim_test_value(counted[1]), 1ULL);

	/* A closed event is removed. */
	tp_test_restore(counted[0]);
	close_event(test, counted[0]);
	KUNIT_EXPECT_TRUE(test, hlist_is_singular_node(&counted[1]->hw.tp_task_entry, walked));
	tp_test_hit(task);
	KUNIT_EXPECT_EQ(test, sim_test_value(counted[1]), 2ULL);
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		KUNIT_EXPECT_EQ(test, sim_test_value(event[i]), 0ULL);
		tp_test_restore(event[i]);
	}

	/* All events are removed at the exit of the task, which also ends this loop. */
	tp_test_restore(counted[1]);
	kthread_stop(task);
	while (READ_ONCE(ctx->task) != PERF_TASK_GONE)
		schedule_timeout_uninterruptible(1);
	guard(mutex)(&ctx->mutex);
	KUNIT_EXPECT_TRUE(test, hlist_empty(walked));
}

static struct kunit_case tp_cases[] = {
	KUNIT_CASE(only_task_events_are_walked),
	{}
};

static struct kunit_suite tp_suite = {
	.name		= "perf_tracepoint",
	.init		= sim_fixture_init,
	.exit		= sim_fixture_exit,
	.test_cases	= tp_cases,
};

kunit_test_suite(tp_suite);
