/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fixture for suites with a simulated PMU. Counts and times are exact, because time advances only
 * when the test advances it.
 */
#ifndef _KERNEL_EVENTS_TESTS_SIM_FIXTURE_H
#define _KERNEL_EVENTS_TESTS_SIM_FIXTURE_H

#include <kunit/test.h>
#include <linux/kthread.h>

#include "../attr.h"
#include "../context.h"
#include "../event.h"
#include "../group.h"
#include "../internal.h"
#include "../rotate.h"
#include "../sched.h"
#include "../time.h"
#include "../enable.h"
#include "../sim/sim_pmu.h"

#define STEP		SIM_EVENT_STEP

/**
 * struct sim_fixture - a PMU and its events
 * @sim: the PMU
 * @events: events in the order of their opening; NULL if closed
 * @nr: number of @events
 */
struct sim_fixture {
	struct sim_pmu		*sim;
	struct perf_event	*events[320];
	int			nr;
};

static inline int make_pmu(struct kunit *test, const struct sim_pmu_shape *shape)
{
	struct sim_fixture *f = test->priv;

	f->sim = sim_pmu_alloc(shape);
	KUNIT_ASSERT_NOT_NULL(test, f->sim);
	/* The timer must not expire during the test. */
	f->sim->pmu.hrtimer_interval_ms = 3600 * MSEC_PER_SEC;
	return perf_pmu_register(&f->sim->pmu, "sim_test", -1);
}

static inline int sim_fixture_init(struct kunit *test)
{
	static const struct sim_pmu_shape four_counters = { .nr_general = 4, .width = 48 };

	test->priv = kunit_kzalloc(test, sizeof(struct sim_fixture), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	/*
	 * Pin the thread of the test case to the first CPU, so that the other one of two CPUs can
	 * be taken offline. The pinning ends with the case, because the next case runs in another
	 * thread.
	 */
	set_cpus_allowed_ptr(current, cpumask_of(cpumask_first(cpu_online_mask)));
	perf_test_clock_now = NSEC_PER_SEC;
	WRITE_ONCE(perf_test_clock_task, current);
	return make_pmu(test, &four_counters);
}

static inline void sim_fixture_exit(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	int i;

	WRITE_ONCE(perf_test_clock_task, NULL);
	for (i = 0; i < f->nr; i++) {
		if (f->events[i])
			perf_event_release_kernel(f->events[i]);
	}
	perf_pmu_unregister(&f->sim->pmu);
	sim_pmu_free(f->sim);
}

/* The stages of perf_event_open(2), without its permission checks */
static inline struct perf_event *open_attr(struct kunit *test, struct perf_event_attr *attr,
					   int cpu, struct task_struct *task,
					   struct perf_event *leader)
{
	struct sim_fixture *f = test->priv;
	struct perf_event *event;
	int err;

	KUNIT_ASSERT_LT(test, f->nr, (int)ARRAY_SIZE(f->events));
	attr->size = sizeof(*attr);
	event = perf_event_alloc(attr, cpu, task, leader, NULL, NULL, NULL, -1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	event->ctx = perf_context_find(task, cpu);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event->ctx));
	scoped_guard(mutex, &event->ctx->mutex) {
		KUNIT_EXPECT_EQ(test, leader ? perf_group_may_join(leader, event) : 0, 0);
		err = perf_event_attach(event);
	}
	KUNIT_ASSERT_EQ(test, err, 0);
	f->events[f->nr++] = event;
	return event;
}

static inline struct perf_event *open_event(struct kunit *test, u64 config,
					    struct perf_event *leader)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = config };

	return open_attr(test, &attr, -1, current, leader);
}

/* Open a group of @size events on the current task. */
static inline struct perf_event *open_group(struct kunit *test, int size, bool pinned)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .pinned = pinned,
	};
	struct perf_event *leader = open_attr(test, &attr, -1, current, NULL);

	while (--size)
		open_event(test, STEP, leader);
	return leader;
}

/*
 * Create a thread that can inherit events like the new task of a fork, which has never run. A new
 * kthread runs for a moment, which would start its context's clock. kthread_bind() waits until the
 * thread sleeps.
 */
static inline struct task_struct *make_sleeper(struct kunit *test, int (*fn)(void *data))
{
	struct task_struct *sleeper = kthread_create(fn, NULL, "perf_sleeper");

	KUNIT_ASSERT_FALSE(test, IS_ERR(sleeper));
	kthread_bind(sleeper, raw_smp_processor_id());
	return sleeper;
}

static inline void close_event(struct kunit *test, struct perf_event *event)
{
	struct sim_fixture *f = test->priv;
	int i;

	for (i = 0; i < f->nr; i++) {
		if (f->events[i] == event)
			f->events[i] = NULL;
	}
	perf_event_release_kernel(event);
}

/* Rotate on this CPU once, like the timer: waiting groups get free counters. */
static inline void sim_test_rotate(struct kunit *test)
{
	struct sim_fixture *f = test->priv;

	guard(irqsave)();
	perf_rotate_here(perf_this_cpc(&f->sim->pmu));
}

static inline void close_all(struct kunit *test)
{
	struct sim_fixture *f = test->priv;

	while (f->nr)
		perf_event_release_kernel(f->events[--f->nr]);
}

static inline bool is_on(const struct perf_event *event)
{
	return event->state == PERF_EVENT_STATE_ACTIVE;
}

/* Either all members are scheduled in, or none. */
static inline void expect_group(struct kunit *test, struct perf_event *leader, bool on)
{
	struct perf_event *member;

	KUNIT_EXPECT_EQ(test, is_on(leader), on);
	for_each_sibling_event(member, leader)
		KUNIT_EXPECT_EQ(test, is_on(member), on);
}

static inline unsigned int sim_test_busy(struct kunit *test)
{
	struct sim_fixture *f = test->priv;

	guard(preempt)();
	return sim_pmu_busy(f->sim);
}

static inline void sim_test_advance(struct kunit *test, u64 n)
{
	struct sim_fixture *f = test->priv;

	sim_pmu_advance(f->sim, STEP, n);
}

static inline u64 sim_test_value(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

static inline void expect_times(struct kunit *test, struct perf_event *event, u64 on, u64 ran)
{
	u64 enabled, running;

	perf_event_read_value(event, &enabled, &running);
	KUNIT_EXPECT_EQ(test, enabled, on);
	KUNIT_EXPECT_EQ(test, running, ran);
}

static inline void sim_test_pass(u64 ns)
{
	WRITE_ONCE(perf_test_clock_now, perf_test_clock_now + ns);
}

static inline void on_and_off(struct perf_event *event, bool on)
{
	CLASS(event_context, ctx)(event);

	if (on)
		_perf_event_enable(event);
	else
		_perf_event_disable(event);
}

#endif /* _KERNEL_EVENTS_TESTS_SIM_FIXTURE_H */
