// SPDX-License-Identifier: GPL-2.0
/*
 * A PMU is unregistered while its events are opened, read, switched, closed and overflow. User
 * space cannot test this, because it cannot unregister a PMU with events.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>

#include "../sim/sim_pmu.h"

#define STEP		SIM_EVENT_STEP
#define ROUNDS		10
#define WORKERS		3

/**
 * struct race - a PMU and the threads that use it
 * @lock: protects @sim, which is not freed while the lock is held
 * @sim: the PMU, or NULL
 * @type: type of the PMU, always the same
 * @gone: the PMU has been unregistered
 * @stop: ends all threads
 * @event_lock: protects @event, which is not closed while the lock is held
 * @event: event of the first worker, or NULL
 * @opened: number of successful opens
 * @refused: number of opens that found no PMU
 * @failed: number of opens that failed for another reason
 * @overflows: number of overflows of all events
 * @late: number of overflows after the PMU was unregistered
 * @running: number of threads that have not ended
 * @ended: completed when all threads have ended
 */
struct race {
	struct mutex		lock;		/* sim */
	struct sim_pmu		*sim;
	int			type;
	bool			gone;
	bool			stop;
	struct mutex		event_lock;	/* event */
	struct perf_event	*event;
	atomic_t		opened;
	atomic_t		refused;
	atomic_t		failed;
	atomic_t		overflows;
	atomic_t		late;
	atomic_t		running;
	struct completion	ended;
};

/**
 * struct worker - a thread that opens and closes events
 * @race: the test that it belongs to
 * @cpu: the CPU of its events, or -1 for events of the worker itself
 * @shared: its event is race::event, which the reader uses
 */
struct worker {
	struct race	*race;
	int		cpu;
	bool		shared;
};

static void on_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	struct race *race = event->overflow_handler_context;

	atomic_inc(&race->overflows);
	if (READ_ONCE(race->gone))
		atomic_inc(&race->late);
}

static void race_test_ends(struct race *race)
{
	if (atomic_dec_and_test(&race->running))
		complete(&race->ended);
}

static struct perf_event *open_one(struct worker *w)
{
	struct perf_event_attr attr = {
		.type = w->race->type, .size = sizeof(attr), .config = STEP, .sample_period = 3,
	};

	return perf_event_create_kernel_counter(&attr, w->cpu, w->cpu < 0 ? current : NULL,
						on_overflow, w->race);
}

static void race_test_use(struct race *race)
{
	mutex_lock(&race->lock);
	if (race->sim)
		sim_pmu_advance(race->sim, STEP, 20);
	mutex_unlock(&race->lock);
	cond_resched();
}

static int race_test_work(void *data)
{
	struct worker *w = data;
	struct race *race = w->race;

	while (!READ_ONCE(race->stop)) {
		struct perf_event *event = open_one(w);
		int i;

		if (IS_ERR(event)) {
			/* The PMU may have been unregistered before or during the open. */
			bool none = PTR_ERR(event) == -ENOENT || PTR_ERR(event) == -ENODEV;

			atomic_inc(none ? &race->refused : &race->failed);
			usleep_range(100, 200);
			continue;
		}
		atomic_inc(&race->opened);
		if (w->shared) {
			mutex_lock(&race->event_lock);
			race->event = event;
			mutex_unlock(&race->event_lock);
		}
		for (i = 0; i < 5; i++)
			race_test_use(race);
		if (w->shared) {
			mutex_lock(&race->event_lock);
			race->event = NULL;
			mutex_unlock(&race->event_lock);
		}
		perf_event_release_kernel(event);
	}
	race_test_ends(race);
	return 0;
}

/* Use an event of another thread: read, disable, enable, and set its period. */
static int race_test_look(void *data)
{
	struct race *race = data;
	u64 enabled, running;
	unsigned int n = 0;

	while (!READ_ONCE(race->stop)) {
		mutex_lock(&race->event_lock);
		if (race->event) {
			perf_event_read_value(race->event, &enabled, &running);
			switch (n++ % 4) {
			case 0:
				perf_event_disable(race->event);
				break;
			case 1:
				perf_event_period(race->event, 2 + n % 7);
				break;
			case 2:
				perf_event_enable(race->event);
				break;
			}
		}
		mutex_unlock(&race->event_lock);
		usleep_range(50, 150);
	}
	race_test_ends(race);
	return 0;
}

static int make_pmu(struct race *race)
{
	static const struct sim_pmu_shape shape = { .nr_general = 4, .width = 32 };
	struct sim_pmu *sim = sim_pmu_alloc(&shape);
	int err;

	if (!sim)
		return -ENOMEM;
	WRITE_ONCE(race->gone, false);
	err = perf_pmu_register(&sim->pmu, NULL, race->type);
	if (err) {
		sim_pmu_free(sim);
		return err;
	}
	mutex_lock(&race->lock);
	race->type = sim->pmu.type;
	race->sim = sim;
	mutex_unlock(&race->lock);
	return 0;
}

static void take_pmu(struct race *race)
{
	struct sim_pmu *sim = race->sim;

	perf_pmu_unregister(&sim->pmu);
	WRITE_ONCE(race->gone, true);
	/* The events are dead, so steps of the simulated PMU cause no overflows. */
	usleep_range(500, 1500);
	mutex_lock(&race->lock);
	race->sim = NULL;
	mutex_unlock(&race->lock);
	sim_pmu_free(sim);
}

static int race_test_start(struct race *race, int (*fn)(void *), void *data)
{
	struct task_struct *task;

	atomic_inc(&race->running);
	task = kthread_run(fn, data, "perf_race");
	if (IS_ERR(task))
		race_test_ends(race);
	return PTR_ERR_OR_ZERO(task);
}

static void pmu_is_unregistered_while_used(struct kunit *test)
{
	struct race *race = kunit_kzalloc(test, sizeof(*race), GFP_KERNEL);
	struct worker *workers = kunit_kcalloc(test, WORKERS, sizeof(*workers), GFP_KERNEL);
	unsigned int round;
	int err, i;

	KUNIT_ASSERT_NOT_NULL(test, race);
	KUNIT_ASSERT_NOT_NULL(test, workers);
	mutex_init(&race->lock);
	mutex_init(&race->event_lock);
	init_completion(&race->ended);
	race->type = -1;
	KUNIT_ASSERT_EQ(test, make_pmu(race), 0);

	/* Include this thread, so that the count is not zero before all threads have begun. */
	atomic_set(&race->running, 1);
	for (i = 0; i < WORKERS; i++) {
		workers[i] = (struct worker){ race, i == 1 ? cpumask_first(cpu_online_mask) : -1,
					      !i };
		KUNIT_EXPECT_EQ(test, race_test_start(race, race_test_work, &workers[i]), 0);
	}
	KUNIT_EXPECT_EQ(test, race_test_start(race, race_test_look, race), 0);

	for (round = 0; round < ROUNDS; round++) {
		int before = atomic_read(&race->opened), tries;

		/* Wait until the PMU is in use, which may take long on a busy host. */
		for (tries = 0; tries < 100000 && atomic_read(&race->opened) == before; tries++)
			usleep_range(500, 1500);
		take_pmu(race);
		usleep_range(500, 1500);
		err = make_pmu(race);
		KUNIT_EXPECT_EQ(test, err, 0);
		if (err)
			break;
	}
	WRITE_ONCE(race->stop, true);
	race_test_ends(race);
	wait_for_completion(&race->ended);
	if (!err)
		take_pmu(race);

	KUNIT_EXPECT_GE(test, atomic_read(&race->opened), ROUNDS);
	KUNIT_EXPECT_GT(test, atomic_read(&race->overflows), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&race->failed), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&race->late), 0);
}

static struct kunit_case race_cases[] = {
	KUNIT_CASE_SLOW(pmu_is_unregistered_while_used),
	{}
};

static struct kunit_suite race_suite = {
	.name		= "perf_race",
	.test_cases	= race_cases,
};

kunit_test_suite(race_suite);
