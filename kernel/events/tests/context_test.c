// SPDX-License-Identifier: GPL-2.0
/*
 * The first event of a task that another task opens: the event counts from then on, whether the
 * task sleeps or runs on another CPU, and the clock of the task's context runs while the task runs.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task.h>

#include "../event.h"
#include "../internal.h"
#include "../time.h"
#include "../time_seq.h"

#define NR_HITS		7
#define NR_ROUNDS	3
#define NR_TRIES	5

/**
 * struct counter - a task that counts on request
 * @task: the task
 * @go: count once, or end
 * @counted: the task has counted
 * @busy: spin before the count until @open is true
 * @ends: end, do not count
 * @spins: the task runs, and spins
 * @open: the event is open
 * @late: the task did not wait for @open any more
 * @cpu: the CPU on which the task has counted
 * @clock_cpu: the CPU of its context's clock at that moment
 */
struct counter {
	struct task_struct	*task;
	struct completion	go;
	struct completion	counted;
	bool			busy;
	bool			ends;
	bool			spins;
	bool			open;
	bool			late;
	int			cpu;
	int			clock_cpu;
};

static void counter_spin(struct counter *c)
{
	u64 end = local_clock() + NSEC_PER_SEC;

	WRITE_ONCE(c->spins, true);
	/* Pairs with count_while_running(). */
	while (!smp_load_acquire(&c->open)) {
		if (local_clock() > end) {
			c->late = true;
			break;
		}
		cpu_relax();
	}
	WRITE_ONCE(c->spins, false);
}

static int counter_run(void *data)
{
	const struct perf_event_context *ctx;
	struct counter *c = data;

	for (;;) {
		wait_for_completion(&c->go);
		if (c->ends)
			return 0;
		if (c->busy)
			counter_spin(c);
		scoped_guard(preempt) {
			ctx = perf_task_context(current);
			c->cpu = smp_processor_id();
			c->clock_cpu = ctx ? perf_clock_cpu(&ctx->clock) : -1;
			perf_sw_event(PERF_COUNT_SW_EMULATION_FAULTS, NR_HITS,
				      task_pt_regs(current), 0);
		}
		complete(&c->counted);
	}
}

static void counter_end(void *data)
{
	struct counter *c = data;

	c->ends = true;
	complete(&c->go);
	kthread_stop(c->task);
	put_task_struct(c->task);
}

/* Create a task that waits for counter::go on a CPU. */
static struct counter *counter_make(struct kunit *test, int cpu)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	init_completion(&c->go);
	init_completion(&c->counted);
	c->task = kthread_create(counter_run, c, "perf_counter");
	KUNIT_ASSERT_FALSE(test, IS_ERR(c->task));
	get_task_struct(c->task);
	kthread_bind(c->task, cpu);
	wake_up_process(c->task);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, counter_end, c), 0);
	return c;
}

/* Wait until the task sleeps, and its CPU has switched to another task. */
static void counter_wait_asleep(struct kunit *test, const struct counter *c)
{
	/* The host may stop the guest meanwhile. */
	u64 end = local_clock() + 60ULL * NSEC_PER_SEC;

	while (!wait_task_inactive(c->task, TASK_UNINTERRUPTIBLE)) {
		KUNIT_ASSERT_LT(test, local_clock(), end);
		schedule_timeout_idle(1);
	}
}

/* Without @cpu the event site counts for the event, else only while the event is scheduled in. */
static struct perf_event *open_for(struct kunit *test, struct task_struct *task, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_EMULATION_FAULTS,
		.size = sizeof(attr),
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, task, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	return event;
}

static u64 count_of(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

/* After the task has counted: its context's clock ran, and no hit is missing. */
static void expect_hits(struct kunit *test, struct counter *c, struct perf_event *event)
{
	KUNIT_EXPECT_EQ(test, c->clock_cpu, c->cpu);
	KUNIT_EXPECT_EQ(test, count_of(event), NR_HITS);
	/* The clock stops while the task sleeps. */
	counter_wait_asleep(test, c);
	KUNIT_EXPECT_FALSE(test, perf_clock_runs(&event->ctx->clock));
}

static void count_after_sleep(struct kunit *test, struct counter *c, int cpu)
{
	struct perf_event *event;

	counter_wait_asleep(test, c);
	event = open_for(test, c->task, cpu);
	/* An open starts no clock of a task that sleeps. */
	KUNIT_EXPECT_FALSE(test, perf_clock_runs(&event->ctx->clock));
	KUNIT_EXPECT_EQ(test, count_of(event), 0);
	complete(&c->go);
	KUNIT_ASSERT_NE(test, wait_for_completion_timeout(&c->counted, 60 * HZ), 0);
	expect_hits(test, c, event);
	perf_event_release_kernel(event);
}

/* The task wakes up after the open: the switch to the task starts the clock. */
static void first_event_of_a_sleeping_task(struct kunit *test)
{
	struct counter *c;
	int cpu, i;

	for_each_online_cpu(cpu) {
		c = counter_make(test, cpu);
		/* After the first round, the task has a context without events. */
		for (i = 0; i < NR_ROUNDS; i++) {
			count_after_sleep(test, c, -1);
			count_after_sleep(test, c, cpu);
		}
	}
}

/* Return true if the task was spinning when the open was complete. */
static bool count_while_running(struct kunit *test, struct counter *c, int cpu)
{
	u64 end = local_clock() + NSEC_PER_SEC;
	struct perf_event *event;
	bool spun;

	counter_wait_asleep(test, c);
	c->busy = true;
	c->open = false;
	c->late = false;
	complete(&c->go);
	while (!READ_ONCE(c->spins) && local_clock() < end)
		schedule_timeout_idle(1);
	event = open_for(test, c->task, cpu);
	spun = READ_ONCE(c->spins);
	/* Pairs with counter_spin(). */
	smp_store_release(&c->open, true);
	KUNIT_ASSERT_NE(test, wait_for_completion_timeout(&c->counted, 60 * HZ), 0);
	if (!c->late)
		expect_hits(test, c, event);
	perf_event_release_kernel(event);
	return spun && !c->late;
}

/* The task is not switched after the open: the open starts the clock on the task's CPU. */
static void first_event_of_a_running_task(struct kunit *test)
{
	int cpu, i, tries = 0;
	struct perf_event *own;
	struct counter *c;

	set_cpus_allowed_ptr(current, cpumask_of(cpumask_first(cpu_online_mask)));
	cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	if (cpu >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	/*
	 * Keep the hooks of context switches enabled: the open of the first event enables them, and
	 * waits for a grace period, which the spinning task would delay.
	 */
	own = open_for(test, current, -1);
	c = counter_make(test, cpu);
	for (i = 0; i < 2 * NR_ROUNDS;) {
		if (count_while_running(test, c, i & 1 ? cpu : -1))
			i++;
		else if (++tries == NR_TRIES)
			break;
	}
	perf_event_release_kernel(own);
	if (tries == NR_TRIES)
		kunit_skip(test, "the CPUs did not run at the same time");
}

static struct kunit_case context_cases[] = {
	KUNIT_CASE(first_event_of_a_sleeping_task),
	KUNIT_CASE(first_event_of_a_running_task),
	{}
};

static struct kunit_suite context_suite = {
	.name		= "perf_context",
	.test_cases	= context_cases,
};

kunit_test_suite(context_suite);
