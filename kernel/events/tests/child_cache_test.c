// SPDX-License-Identifier: GPL-2.0
/*
 * Cached inherited events, whose values are included in a sum of the parent event (see
 * child_cache.h): a read of the parent event includes all of their values exactly once, also after
 * changes of the inherited events or of their tasks. Included at the end of child_cache.c.
 */
#include <linux/kthread.h>

#include "../reset.h"
#include "sim_fixture.h"

#define CHILDREN	3

/**
 * struct sleeper - a sleeping task and the event that it inherited
 * @task: the task, which never runs: the test stores the counts of its events
 * @child: the inherited event
 */
struct sleeper {
	struct task_struct	*task;
	struct perf_event	*child;
};

static int cache_sleep(void *unused)
{
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static struct perf_event *cache_open(struct kunit *test, u64 config, struct perf_event *leader)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = config, .inherit = 1,
	};

	return open_attr(test, &attr, -1, current, leader);
}

static void cache_fork(struct kunit *test, struct perf_event *parent, struct sleeper *sleeper)
{
	sleeper->task = make_sleeper(test, cache_sleep);
	KUNIT_ASSERT_EQ(test, perf_event_init_task(sleeper->task, 0), 0);
	guard(mutex)(perf_inherit_lock(parent));
	/* A fork inserts inherited events at the front of the list. */
	sleeper->child = list_first_entry(perf_event_children(parent), struct perf_event,
					  child_list);
}

/* Increase the counts of the task's events by @n, in 1000 ns, as if the task had run. */
static void cache_run(const struct sleeper *sleeper, u64 n)
{
	struct perf_event_context *ctx = sleeper->child->ctx;

	guard(irqsave)();
	scoped_guard(raw_spinlock, &ctx->lock)
		perf_context_start(ctx, perf_clock());
	local64_add(n, &sleeper->child->count);
	sim_test_pass(1000);
	scoped_guard(raw_spinlock, &ctx->lock)
		perf_context_stop(ctx);
}

static u64 cache_read(struct perf_event *parent)
{
	u64 enabled, running;

	return perf_event_read_value(parent, &enabled, &running);
}

/* Number of cached events inherited from @parent; check that all are at the end of the list. */
static int cache_count(struct kunit *test, struct perf_event *parent)
{
	struct perf_event *child;
	int n = 0;

	guard(mutex)(perf_inherit_lock(parent));
	for_each_child(child, parent) {
		if (perf_child_is_cached(child))
			n++;
		else
			KUNIT_EXPECT_EQ(test, n, 0);
	}
	return n;
}

static void cache_begin(struct kunit *test, struct perf_event *parent, struct sleeper *sleepers)
{
	int i;

	for (i = 0; i < CHILDREN; i++) {
		cache_fork(test, parent, &sleepers[i]);
		cache_run(&sleepers[i], 1 << i);
	}
}

static void cache_end(struct sleeper *sleepers)
{
	int i;

	for (i = 0; i < CHILDREN; i++) {
		if (sleepers[i].task)
			kthread_stop(sleepers[i].task);
	}
}

static void cache_turn_off(struct perf_event *parent)
{
	CLASS(event_context, ctx)(parent);

	perf_event_enable_all_children(parent, false, false);
}

/*
 * A read caches inherited events with a stopped clock, and the next read reads only those that
 * have run since.
 */
static void reads_cache_stopped_children(struct kunit *test)
{
	struct perf_event *parent = cache_open(test, PERF_COUNT_SW_DUMMY, NULL);
	struct sleeper sleepers[CHILDREN] = {};

	cache_begin(test, parent, sleepers);
	KUNIT_EXPECT_EQ(test, cache_count(test, parent), 0);
	KUNIT_EXPECT_EQ(test, cache_read(parent), 7);
	KUNIT_EXPECT_EQ(test, cache_count(test, parent), CHILDREN);
	KUNIT_EXPECT_EQ(test, cache_read(parent), 7);
	/* A read does not read cached inherited events: it does not notice this change. */
	local64_add(100, &sleepers[0].child->count);
	KUNIT_EXPECT_EQ(test, cache_read(parent), 7);
	local64_sub(100, &sleepers[0].child->count);

	cache_run(&sleepers[1], 10);
	cache_run(&sleepers[1], 10);
	KUNIT_EXPECT_EQ(test, cache_read(parent), 27);
	KUNIT_EXPECT_EQ(test, cache_count(test, parent), CHILDREN);
	KUNIT_EXPECT_EQ(test, cache_read(parent), 27);
	cache_end(sleepers);
}

/* A read does not cache the inherited events of a running context: each read reads them. */
static void running_children_are_not_cached(struct kunit *test)
{
	struct perf_event *parent = cache_open(test, PERF_COUNT_SW_DUMMY, NULL);
	struct sleeper sleepers[CHILDREN] = {};
	struct perf_event_context *ctx;

	cache_begin(test, parent, sleepers);
	KUNIT_EXPECT_EQ(test, cache_read(parent), 7);
	ctx = sleepers[2].child->ctx;
	scoped_guard(raw_spinlock_irq, &ctx->lock)
		perf_context_start(ctx, perf_clock());
	local64_add(100, &sleepers[2].child->count);
	KUNIT_EXPECT_EQ(test, cache_read(parent), 107);
	local64_add(100, &sleepers[2].child->count);
	KUNIT_EXPECT_EQ(test, cache_read(parent), 207);
	KUNIT_EXPECT_EQ(test, cache_count(test, parent), CHILDREN - 1);
	scoped_guard(raw_spinlock_irq, &ctx->lock)
		perf_context_stop(ctx);
	KUNIT_EXPECT_EQ(test, cache_read(parent), 207);
	KUNIT_EXPECT_EQ(test, cache_count(test, parent), CHILDREN);
	cache_end(sleepers);
}

/*
 * The count of a task-clock event is its running time. The enabled and running times are in
 * the sums, too.
 */
static void times_are_cached(struct kunit *test)
{
	struct perf_event *parent = cache_open(test, PERF_COUNT_SW_TASK_CLOCK, NULL);
	struct sleeper sleepers[CHILDREN] = {};
	u64 enabled[2], running[2], value[2];
	int i;

	cache_begin(test, parent, sleepers);
	for (i = 0; i < 2; i++)
		value[i] = perf_event_read_value(parent, &enabled[i], &running[i]);
	KUNIT_EXPECT_EQ(test, value[0], value[1]);
	KUNIT_EXPECT_EQ(test, enabled[0], enabled[1]);
	KUNIT_EXPECT_EQ(test, running[0], running[1]);
	KUNIT_EXPECT_EQ(test, cache_count(test, parent), CHILDREN);
	/* The time of the test's task is included. */
	KUNIT_EXPECT_EQ(test, value[0], 2 * CHILDREN * 1000);

	cache_run(&sleepers[0], 0);
	value[1] = perf_event_read_value(parent, &enabled[1], &running[1]);
	KUNIT_EXPECT_EQ(test, value[1] - value[0], running[1] - running[0]);
	KUNIT_EXPECT_EQ(test, enabled[1] - enabled[0], running[1] - running[0]);
	KUNIT_EXPECT_EQ(test, value[1] - value[0], 2000);

	cache_turn_off(parent);
	for (i = 0; i < 2; i++) {
		cache_run(&sleepers[0], 0);
		value[i] = perf_event_read_value(parent, &enabled[i], &running[i]);
	}
	KUNIT_EXPECT_EQ(test, value[0], value[1]);
	KUNIT_EXPECT_EQ(test, enabled[0], enabled[1]);
	cache_end(sleepers);
}

/* The removal of an inherited event moves its values from one sum to another. */
static void cached_children_are_removed(struct kunit *test)
{
	struct perf_event *parent = cache_open(test, PERF_COUNT_SW_DUMMY, NULL);
	struct sleeper sleepers[CHILDREN] = {};
	int i;

	cache_begin(test, parent, sleepers);
	for (i = 0; i < CHILDREN; i++) {
		KUNIT_EXPECT_EQ(test, cache_read(parent), 7);
		/* The second task has run since the read. */
		if (i == 1)
			cache_run(&sleepers[i], 0);
		kthread_stop(sleepers[i].task);
		sleepers[i].task = NULL;
		KUNIT_EXPECT_EQ(test, cache_read(parent), 7);
		KUNIT_EXPECT_EQ(test, cache_count(test, parent), CHILDREN - 1 - i);
	}
	cache_end(sleepers);
}

/* A context with several events: cached events of one parent event affect those of the others. */
static void cached_parents_are_closed(struct kunit *test)
{
	struct perf_event *first = cache_open(test, PERF_COUNT_SW_DUMMY, NULL);
	struct perf_event *second = cache_open(test, PERF_COUNT_SW_DUMMY, NULL);
	struct perf_event *third = cache_open(test, PERF_COUNT_SW_DUMMY, second);
	struct sleeper sleepers[CHILDREN] = {};

	cache_begin(test, third, sleepers);
	KUNIT_EXPECT_EQ(test, cache_read(first), 0);
	cache_run(&sleepers[0], 10);
	/* This read uncaches the inherited events of all parent events in the stale context. */
	KUNIT_EXPECT_EQ(test, cache_read(second), 0);
	KUNIT_EXPECT_EQ(test, cache_read(third), 17);
	KUNIT_EXPECT_EQ(test, cache_count(test, third), CHILDREN);
	cache_run(&sleepers[1], 10);
	close_event(test, second);
	KUNIT_EXPECT_EQ(test, cache_count(test, third), 0);
	KUNIT_EXPECT_EQ(test, cache_read(third), 27);
	cache_run(&sleepers[2], 10);
	close_event(test, first);
	KUNIT_EXPECT_EQ(test, cache_read(third), 37);
	cache_end(sleepers);
}

static void resets_are_cached(struct kunit *test)
{
	struct perf_event *parent = cache_open(test, PERF_COUNT_SW_DUMMY, NULL);
	struct sleeper sleepers[CHILDREN] = {};

	cache_begin(test, parent, sleepers);
	KUNIT_EXPECT_EQ(test, cache_read(parent), 7);
	cache_run(&sleepers[0], 10);
	scoped_class(event_context, ctx, parent)
		perf_event_reset_all_children(parent, false);
	KUNIT_EXPECT_EQ(test, cache_read(parent), 0);
	cache_run(&sleepers[1], 10);
	KUNIT_EXPECT_EQ(test, cache_read(parent), 10);
	cache_end(sleepers);
}

/*
 * A task that exits may wait for the inherit lock, to add the counts of its events to the sums. A
 * reset of the parent events must reset these counts, too, although perf_context_call() makes no
 * call for a context whose task has exited.
 */
static void exiting_children_are_reset(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP, .inherit = 1 };
	struct perf_event *parent = open_attr(test, &attr, -1, current, NULL);
	struct perf_event *member = open_attr(test, &attr, -1, current, parent), *child;
	struct sleeper sleepers[CHILDREN] = {};
	struct perf_event_context *exiting;
	int group;

	cache_fork(test, parent, &sleepers[0]);
	exiting = sleepers[0].child->ctx;
	for (group = 0; group < 2; group++) {
		local64_set(&sleepers[0].child->count, 5);
		for_each_sibling_event(child, sleepers[0].child)
			local64_set(&child->count, 5);
		scoped_guard(raw_spinlock_irq, &exiting->lock)
			WRITE_ONCE(exiting->task, PERF_TASK_GONE);
		scoped_class(event_context, ctx, parent)
			perf_event_reset_all_children(parent, group);
		scoped_guard(raw_spinlock_irq, &exiting->lock)
			WRITE_ONCE(exiting->task, sleepers[0].task);
		KUNIT_EXPECT_EQ(test, local64_read(&sleepers[0].child->count), 0);
		for_each_sibling_event(child, sleepers[0].child) {
			KUNIT_EXPECT_PTR_EQ(test, child->parent, member);
			KUNIT_EXPECT_EQ(test, local64_read(&child->count), group ? 0 : 5);
		}
	}
	cache_end(sleepers);
}

/* An inherited event that needs scheduling is cached while all of its values are 0. */
static void scheduled_children_are_cached_at_zero(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP, .inherit = 1 };
	struct perf_event *parent = open_attr(test, &attr, -1, current, NULL);
	struct sleeper sleepers[CHILDREN] = {};
	u64 before;
	int i;

	for (i = 0; i < CHILDREN; i++)
		cache_fork(test, parent, &sleepers[i]);
	before = cache_read(parent);
	KUNIT_EXPECT_EQ(test, cache_count(test, parent), CHILDREN);
	cache_run(&sleepers[0], 5);
	KUNIT_EXPECT_EQ(test, cache_read(parent), before + 5);
	KUNIT_EXPECT_EQ(test, cache_read(parent), before + 5);
	KUNIT_EXPECT_EQ(test, cache_count(test, parent), CHILDREN - 1);
	cache_end(sleepers);
}

/* While a task sleeps, other tasks may count tracepoints about the task. */
static void walked_contexts_are_not_cached(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP, .inherit = 1 };
	struct perf_event *parent = open_attr(test, &attr, -1, current, NULL);
	struct sleeper sleepers[CHILDREN] = {};
	u64 before;
	int i;

	for (i = 0; i < CHILDREN; i++)
		cache_fork(test, parent, &sleepers[i]);
	WRITE_ONCE(sleepers[1].child->ctx->walked, true);
	before = cache_read(parent);
	local64_add(5, &sleepers[1].child->count);
	KUNIT_EXPECT_EQ(test, cache_read(parent), before + 5);
	KUNIT_EXPECT_EQ(test, cache_count(test, parent), CHILDREN - 1);
	cache_end(sleepers);
}

/* Event sites count even while a context's clock is stopped, if a shared context may replace it. */
static void shared_ctx_is_not_cached(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP, .inherit = 1 };
	struct perf_event *parent = cache_open(test, PERF_COUNT_SW_DUMMY, NULL);
	struct sleeper sleepers[CHILDREN] = {};
	int i;

	open_attr(test, &attr, -1, current, NULL);
	for (i = 0; i < CHILDREN; i++)
		cache_fork(test, parent, &sleepers[i]);
	for (i = 0; i < CHILDREN; i++) {
		local64_add(1, &sleepers[i].child->count);
		KUNIT_EXPECT_EQ(test, cache_read(parent), i + 1);
	}
	KUNIT_EXPECT_EQ(test, cache_count(test, parent), 0);
	cache_end(sleepers);
}

static struct kunit_case cache_cases[] = {
	KUNIT_CASE(reads_cache_stopped_children),
	KUNIT_CASE(running_children_are_not_cached),
	KUNIT_CASE(times_are_cached),
	KUNIT_CASE(cached_children_are_removed),
	KUNIT_CASE(cached_parents_are_closed),
	KUNIT_CASE(resets_are_cached),
	KUNIT_CASE(exiting_children_are_reset),
	KUNIT_CASE(scheduled_children_are_cached_at_zero),
	KUNIT_CASE(walked_contexts_are_not_cached),
	KUNIT_CASE(shared_ctx_is_not_cached),
	{}
};

static struct kunit_suite cache_suite = {
	.name		= "perf_child_cache",
	.init		= sim_fixture_init,
	.exit		= sim_fixture_exit,
	.test_cases	= cache_cases,
};

kunit_test_suite(cache_suite);
