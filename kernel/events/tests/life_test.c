// SPDX-License-Identifier: GPL-2.0
/* Lifetime of events with respect to their tasks, CPUs and PMUs */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/hw_breakpoint.h>
#include <linux/kthread.h>
#include <linux/task_work.h>
#include <linux/workqueue.h>

#include "../inherit_list.h"
#include "../source/breakpoint.h"
#include "../throttle.h"
#include "sim_fixture.h"

/* Number of turns of each task: enough for ticks to interrupt many of their context switches */
#define TURNS		25000

static void unregistered_pmu_leaves_dead_events(struct kunit *test)
{
	static const struct sim_pmu_shape shape = { .nr_general = 2, .width = 32 };
	struct sim_fixture *f = test->priv;
	struct perf_event *leader = open_group(test, 2, false);
	struct perf_event *software;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK,
	};

	software = open_attr(test, &attr, -1, current, leader);
	sim_test_advance(test, 3);
	perf_pmu_unregister(&f->sim->pmu);
	sim_pmu_free(f->sim);
	KUNIT_EXPECT_EQ(test, leader->state, PERF_EVENT_STATE_DEAD);
	KUNIT_EXPECT_EQ(test, sim_test_value(leader), 3ULL);
	on_and_off(leader, true);
	KUNIT_EXPECT_EQ(test, leader->state, PERF_EVENT_STATE_DEAD);
	KUNIT_EXPECT_GE(test, software->state, PERF_EVENT_STATE_INACTIVE);
	KUNIT_EXPECT_PTR_EQ(test, software->group_leader, software);
	close_all(test);
	KUNIT_ASSERT_EQ(test, make_pmu(test, &shape), 0);
}

/**
 * struct player - one of two tasks that run in turn
 * @sim: the PMU
 * @event: its event
 * @turn: the player waits for this
 * @other: player to wake up at the end of its turn
 * @finished: completed after all turns of the player
 * @steps: steps of the PMU in each turn
 * @turns: number of turns
 * @until: time in jiffies after which the player ends the turns of both early, or 0
 */
struct player {
	struct sim_pmu		*sim;
	struct perf_event	*event;
	struct completion	turn;
	struct player		*other;
	struct completion	finished;
	unsigned int		steps;
	unsigned int		turns;
	unsigned long		until;
};

static int life_test_play(void *data)
{
	struct player *me = data;
	int i;

	for (i = 0; i < me->turns; i++) {
		wait_for_completion(&me->turn);
		sim_pmu_advance(me->sim, STEP, me->steps);
		/* The other player has done @i turns, and waits for its next one. */
		if (me->until && time_after(jiffies, me->until)) {
			me->turns = i + 1;
			me->other->turns = i + 1;
		}
		complete(&me->other->turn);
	}
	complete(&me->finished);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void counts_of_tasks_are_separate(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct task_struct *tasks[2];
	struct player players[2];
	int i;

	for (i = 0; i < 2; i++) {
		struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP };

		players[i] = (struct player){
			.sim = f->sim, .other = &players[1 - i],
			.steps = i ? 5 : 3, .turns = TURNS,
			/* On a busy host, all turns may last longer than KUnit waits for a case. */
			.until = i ? 0 : jiffies + 60 * HZ,
		};
		init_completion(&players[i].turn);
		init_completion(&players[i].finished);
		tasks[i] = kthread_create(life_test_play, &players[i], "perf_player/%d", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(tasks[i]));
		get_task_struct(tasks[i]);
		kthread_bind(tasks[i], 0);
		players[i].event = open_attr(test, &attr, -1, tasks[i], NULL);
	}
	for (i = 0; i < 2; i++)
		wake_up_process(tasks[i]);
	complete(&players[0].turn);
	for (i = 0; i < 2; i++) {
		wait_for_completion(&players[i].finished);
		kthread_stop(tasks[i]);
		KUNIT_EXPECT_EQ(test, sim_test_value(players[i].event),
				(u64)players[i].steps * players[i].turns);
		put_task_struct(tasks[i]);
	}
}

static void life_test_unexpected(struct perf_event *event, struct perf_cpu_context *cpuctx,
				 void *data)
{
	*(bool *)data = true;
}

/* The context of an exited task does not change: ctx->now is the time of the exit. */
static void exited_context_does_not_change(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .disabled = 1,
	};
	struct task_struct *task = make_sleeper(test, life_test_play);
	struct perf_event *event = open_attr(test, &attr, -1, task, NULL);
	struct perf_event_context *ctx = event->ctx;
	bool called = false;
	u64 exit;

	kthread_stop(task);
	/*
	 * kthread_stop() may return before the events of the task are removed. Pairs with
	 * perf_event_detach_at_exit().
	 */
	while (smp_load_acquire(&event->state) != PERF_EVENT_STATE_EXIT)
		msleep(20);
	exit = ctx->now;
	KUNIT_EXPECT_PTR_EQ(test, ctx->task, PERF_TASK_GONE);
	KUNIT_EXPECT_FALSE(test, perf_group_change_under_lock(event, life_test_unexpected,
							      &called));
	KUNIT_EXPECT_FALSE(test, called);
	scoped_guard(irqsave)
		perf_event_disable_local(event);
	KUNIT_EXPECT_EQ(test, ctx->now, exit);
}

/* After the PMU is unregistered, its inherited events are not in their parent events' lists. */
static void unregistered_pmu_leaves_no_children(struct kunit *test)
{
	static const struct sim_pmu_shape shape = { .nr_general = 2, .width = 32 };
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP, .inherit = 1 };
	struct perf_event *parent = open_attr(test, &attr, -1, current, NULL);
	struct task_struct *child = make_sleeper(test, life_test_play);

	KUNIT_EXPECT_EQ(test, perf_event_init_task(child, 0), 0);
	KUNIT_EXPECT_FALSE(test, list_empty(perf_event_children(parent)));
	sim_test_advance(test, 3);
	perf_pmu_unregister(&f->sim->pmu);
	sim_pmu_free(f->sim);
	KUNIT_EXPECT_TRUE(test, list_empty(perf_event_children(parent)));
	KUNIT_EXPECT_EQ(test, sim_test_value(parent), 3ULL);
	kthread_stop(child);
	close_all(test);
	KUNIT_ASSERT_EQ(test, make_pmu(test, &shape), 0);
}

/*
 * A queued signal, which a task may delay forever by not returning to user space, keeps an
 * inherited event, but not its PMU.
 */
static void queued_signal_does_not_keep_the_pmu(struct kunit *test)
{
	static const struct sim_pmu_shape shape = { .nr_general = 2, .width = 32 };
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .sample_period = 1000, .inherit = 1,
		.sigtrap = 1, .remove_on_exec = 1,
	};
	struct perf_event *parent = open_attr(test, &attr, -1, current, NULL), *child_event;
	struct task_struct *child = make_sleeper(test, life_test_play);

	KUNIT_ASSERT_EQ(test, perf_event_init_task(child, 0), 0);
	child_event = list_first_entry_or_null(perf_event_children(parent), struct perf_event,
					       child_list);
	KUNIT_ASSERT_NOT_NULL(test, child_event);
	/* Queue a sigtrap, as an overflow of the inherited event does. */
	perf_event_get_ref(child_event);
	WRITE_ONCE(child_event->cold->sigtrap_queued, 1);
	KUNIT_ASSERT_EQ(test, task_work_add(child, &child_event->cold->sigtrap_work, TWA_NONE), 0);

	perf_pmu_unregister(&f->sim->pmu);
	sim_pmu_free(f->sim);
	KUNIT_EXPECT_TRUE(test, list_empty(perf_event_children(parent)));
	kthread_stop(child);
	close_all(test);
	KUNIT_ASSERT_EQ(test, make_pmu(test, &shape), 0);
}

#define NR_CHILDREN	50

static atomic_t life_test_destroyed;

/*
 * Takes some time, so that a second call would be noticed: event->destroy is only cleared after the
 * first call has returned.
 */
static void life_test_destroy(struct perf_event *event)
{
	atomic_inc(&life_test_destroyed);
	usleep_range(2000, 4000);
}

static int life_test_close(void *data)
{
	perf_event_release_kernel(data);
	return 0;
}

static int life_test_unregister(void *data)
{
	struct sim_pmu *sim = data;

	perf_pmu_unregister(&sim->pmu);
	return 0;
}

/*
 * Run @fn in a thread until it has a reference to @child, in addition to @holders others. The
 * caller releases the thread.
 */
static struct task_struct *life_test_run(struct kunit *test, int (*fn)(void *data), void *data,
					 struct perf_event *child, unsigned int holders)
{
	struct task_struct *thread = kthread_create(fn, data, "perf_life");
	int tries;

	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	get_task_struct(thread);
	wake_up_process(thread);
	for (tries = 0; tries < 100000 && refcount_read(&child->refcount) <= holders; tries++)
		usleep_range(1000, 2000);
	KUNIT_EXPECT_EQ(test, refcount_read(&child->refcount), holders + 1);
	return thread;
}

/*
 * The close of a parent event and unregistration of its PMU find the same inherited events, and
 * wait for the mutex of the first one. Each inherited event is removed from the PMU once.
 */
static void children_are_removed_once(struct kunit *test)
{
	static const struct sim_pmu_shape shape = { .nr_general = 2, .width = 32 };
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .sample_period = 1000, .inherit = 1,
		.sigtrap = 1, .remove_on_exec = 1,
	};
	struct perf_event *parent = open_attr(test, &attr, -1, current, NULL), *child;
	struct task_struct *children[NR_CHILDREN], *ends, *closes;
	unsigned int holders;
	int i;

	atomic_set(&life_test_destroyed, 0);
	for (i = 0; i < NR_CHILDREN; i++) {
		children[i] = make_sleeper(test, life_test_play);
		KUNIT_ASSERT_EQ(test, perf_event_init_task(children[i], 0), 0);
	}
	list_for_each_entry(child, perf_event_children(parent), child_list)
		child->destroy = life_test_destroy;
	child = list_first_entry(perf_event_children(parent), struct perf_event, child_list);
	f->events[0] = NULL;

	scoped_guard(mutex, &child->ctx->mutex) {
		holders = refcount_read(&child->refcount);
		ends = life_test_run(test, life_test_unregister, f->sim, child, holders);
		closes = life_test_run(test, life_test_close, parent, child, holders + 1);
	}
	kthread_stop(closes);
	kthread_stop(ends);
	put_task_struct(closes);
	put_task_struct(ends);
	KUNIT_EXPECT_EQ(test, atomic_read(&life_test_destroyed), NR_CHILDREN);
	for (i = 0; i < NR_CHILDREN; i++)
		kthread_stop(children[i]);
	sim_pmu_free(f->sim);
	KUNIT_ASSERT_EQ(test, make_pmu(test, &shape), 0);
}

static int (*sim_init)(struct perf_event *event);

static int init_member(struct perf_event *event)
{
	return event->group_leader == event ? -EINVAL : sim_init(event);
}

/*
 * A former sibling with PERF_EV_CAP_SIBLING and a closed leader is not inherited, and fork()
 * succeeds.
 */
static void sibling_only_is_not_inherited(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP, .inherit = 1 };
	struct perf_event *leader = open_attr(test, &attr, -1, current, NULL);
	struct perf_event *member = open_attr(test, &attr, -1, current, leader);
	struct task_struct *child = make_sleeper(test, life_test_play);

	member->event_caps |= PERF_EV_CAP_SIBLING;
	close_event(test, leader);
	sim_init = f->sim->pmu.event_init;
	f->sim->pmu.event_init = init_member;
	KUNIT_EXPECT_EQ(test, perf_event_init_task(child, 0), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(perf_event_children(member)));
	f->sim->pmu.event_init = sim_init;
	kthread_stop(child);
}

/**
 * struct life_test_fork - a fork while a breakpoint is modified
 * @forking_task: the task that forks, with events inherited from those of the test
 * @new_task: the new task, which never runs
 * @breakpoint: parent event of the inherited breakpoints, a group leader
 * @inherited: completed when the fork has inherited the breakpoint, but not its sibling, and when
 *	the fork has ended
 * @modified: the fork may continue
 * @ended: the fork has ended
 * @err: its result
 * @tries: number of times that the fork has inherited the breakpoint
 */
struct life_test_fork {
	struct task_struct	*forking_task;
	struct task_struct	*new_task;
	struct perf_event	*breakpoint;
	struct completion	inherited;
	struct completion	modified;
	bool			ended;
	int			err;
	unsigned int		tries;
};

static struct life_test_fork life_test_fork;

/* event_init of the sibling, which is inherited after the breakpoint */
static int init_after_modification(struct perf_event *event)
{
	struct life_test_fork *fork = &life_test_fork;

	if (event->hw.target == fork->new_task) {
		complete(&fork->inherited);
		wait_for_completion(&fork->modified);
	}
	return sim_init(event);
}

static int life_test_do_fork(void *unused)
{
	struct life_test_fork *fork = &life_test_fork;

	fork->err = perf_event_init_task(fork->new_task, 0);
	fork->ended = true;
	complete(&fork->inherited);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* PERF_EVENT_IOC_MODIFY_ATTRIBUTES, to another user address */
static int life_test_modify(struct perf_event *breakpoint)
{
	struct perf_event_attr attr = breakpoint->attr;

	attr.bp_addr ^= 2 * sizeof(u64);
	CLASS(event_context, ctx)(breakpoint);
	CLASS(inherit_lock, lock)(breakpoint);

	return perf_breakpoint_modify(breakpoint, &attr);
}

/* Open the group, and create the forking task, which inherits the group, and the new task. */
static void life_test_prepare_fork(struct kunit *test)
{
	struct life_test_fork *fork = &life_test_fork;
	struct sim_fixture *f = test->priv;
	struct perf_event_attr sibling = {
		.type = f->sim->pmu.type, .config = STEP, .inherit = 1,
	};
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr), .bp_type = HW_BREAKPOINT_W,
		.bp_addr = PAGE_SIZE, .bp_len = HW_BREAKPOINT_LEN_4, .exclude_kernel = 1,
		.inherit = 1, .disabled = 1,
	};
	int err;

	WRITE_ONCE(perf_test_clock_task, NULL);
	*fork = (struct life_test_fork){};
	init_completion(&fork->inherited);
	init_completion(&fork->modified);
	fork->breakpoint = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	err = PTR_ERR_OR_ZERO(fork->breakpoint);
	/* Other architectures and CPUs may have no debug registers. */
	if (err == -ENOSPC || (err && !IS_ENABLED(CONFIG_X86)))
		kunit_skip(test, "no free debug register");
	KUNIT_ASSERT_EQ(test, err, 0);
	f->events[f->nr++] = fork->breakpoint;
	open_attr(test, &sibling, -1, current, fork->breakpoint);
	fork->forking_task = make_sleeper(test, life_test_do_fork);
	fork->new_task = make_sleeper(test, life_test_play);
	KUNIT_ASSERT_EQ(test, perf_event_init_task(fork->forking_task, 0), 0);
}

/* Run the fork, and modify the breakpoint after it was inherited, up to @most times. */
static void life_test_run_fork(struct kunit *test, unsigned int most)
{
	struct life_test_fork *fork = &life_test_fork;
	struct sim_fixture *f = test->priv;

	sim_init = f->sim->pmu.event_init;
	f->sim->pmu.event_init = init_after_modification;
	wake_up_process(fork->forking_task);
	for (;;) {
		wait_for_completion(&fork->inherited);
		if (fork->ended)
			break;
		if (fork->tries++ < most)
			KUNIT_EXPECT_EQ(test, life_test_modify(fork->breakpoint), 0);
		complete(&fork->modified);
	}
	f->sim->pmu.event_init = sim_init;
}

/* Count the events inherited from an event, and check that they have its address. */
static int life_test_count_children(struct kunit *test, struct perf_event *parent)
{
	struct perf_event *child;
	int n = 0;

	guard(mutex)(perf_inherit_lock(parent));
	for_each_child(child, parent) {
		KUNIT_EXPECT_EQ(test, child->attr.bp_addr, parent->attr.bp_addr);
		n++;
	}
	return n;
}

/* The new task has the new settings of a breakpoint that is modified during the fork. */
static void fork_inherits_modified_breakpoint(struct kunit *test)
{
	struct life_test_fork *fork = &life_test_fork;

	life_test_prepare_fork(test);
	life_test_run_fork(test, 1);
	KUNIT_EXPECT_EQ(test, fork->err, 0);
	KUNIT_EXPECT_EQ(test, fork->tries, 2U);
	KUNIT_EXPECT_EQ(test, life_test_count_children(test, fork->breakpoint), 2);
	close_all(test);
	kthread_stop(fork->forking_task);
	kthread_stop(fork->new_task);
}

/*
 * A fork ends with an error, and leaves nothing, if the breakpoint is modified each time that
 * it was inherited. Without a limit the fork would only succeed after the last modification.
 */
static void fork_ends_despite_modifications(struct kunit *test)
{
	enum { MODIFICATIONS = 1000 };
	struct life_test_fork *fork = &life_test_fork;
	struct sim_fixture *f = test->priv;
	unsigned int references[2];
	int i;

	life_test_prepare_fork(test);
	for (i = 0; i < 2; i++)
		references[i] = refcount_read(&f->events[i]->refcount);
	life_test_run_fork(test, MODIFICATIONS);
	KUNIT_EXPECT_EQ(test, fork->err, -EAGAIN);
	KUNIT_EXPECT_GT(test, fork->tries, 1U);
	KUNIT_EXPECT_LT(test, fork->tries, (unsigned int)MODIFICATIONS);

	/*
	 * Only the inherited events of the task that forks are left, and another fork can inherit
	 * the events.
	 */
	KUNIT_EXPECT_NULL(test, perf_task_context(fork->new_task));
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, refcount_read(&f->events[i]->refcount), references[i]);
		KUNIT_EXPECT_EQ(test, life_test_count_children(test, f->events[i]), 1);
	}
	if (!perf_task_context(fork->new_task))
		KUNIT_EXPECT_EQ(test, perf_event_init_task(fork->new_task, 0), 0);
	KUNIT_EXPECT_EQ(test, life_test_count_children(test, fork->breakpoint), 2);
	close_all(test);
	kthread_stop(fork->forking_task);
	kthread_stop(fork->new_task);
}

static int life_test_cpu;

/* event_init like that of drivers of a PMU that several CPUs share */
static int init_on_test_cpu(struct perf_event *event)
{
	event->cpu = life_test_cpu;
	return sim_init(event);
}

/* The events of a PMU are on the CPU that its driver selects, not on the requested one. */
static void driver_chooses_the_cpu(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .size = sizeof(attr), .config = STEP,
	};
	struct perf_event *event;
	int cpu, nr = 0;

	WRITE_ONCE(perf_test_clock_task, NULL);
	life_test_cpu = raw_smp_processor_id();
	sim_init = f->sim->pmu.event_init;
	f->sim->pmu.event_init = init_on_test_cpu;
	for_each_online_cpu(cpu) {
		event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(event));
		f->events[f->nr++] = event;
		KUNIT_EXPECT_EQ(test, event->cpu, life_test_cpu);
		KUNIT_EXPECT_PTR_EQ(test, event->ctx,
				    &per_cpu(perf_cpu_context, life_test_cpu).ctx);
		if (++nr == 4)
			break;
	}
	sim_test_advance(test, 7);
	while (nr--)
		KUNIT_EXPECT_EQ(test, sim_test_value(f->events[nr]), 7ULL);

	/* The driver may have no CPU for the event. */
	life_test_cpu = -1;
	event = perf_event_create_kernel_counter(&attr, 0, NULL, NULL, NULL);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event), -ENODEV);
	f->sim->pmu.event_init = sim_init;
}

#ifdef CONFIG_HOTPLUG_CPU
static struct perf_event *life_test_waits;
static int nr_prepared;

static int prepare_cpu(unsigned int cpu)
{
	/* Other tasks run on this CPU in the meantime. */
	msleep(20);
	nr_prepared += !is_on(life_test_waits);
	return 0;
}

static void remove_state(void *unused)
{
	cpuhp_remove_state_nocalls(CPUHP_AP_PERF_S390_CF_ONLINE);
}

/* An event that waits for its CPU to be online also waits for the drivers of that CPU. */
static void drivers_prepare_a_cpu_first(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP };
	int there = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());

	if (there >= nr_cpu_ids || !cpu_is_hotpluggable(there))
		kunit_skip(test, "needs a CPU that can go offline");
	/*
	 * CPUHP_AP_PERF_S390_CF_ONLINE is in the range of drivers, and no driver of this machine
	 * uses it.
	 */
	if (cpuhp_setup_state_nocalls(CPUHP_AP_PERF_S390_CF_ONLINE, "perf:test", prepare_cpu, NULL))
		kunit_skip(test, "not on s390");
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, remove_state, NULL), 0);
	WRITE_ONCE(perf_test_clock_task, NULL);
	life_test_waits = open_attr(test, &attr, there, NULL, NULL);
	KUNIT_EXPECT_TRUE(test, is_on(life_test_waits));
	nr_prepared = 0;
	KUNIT_ASSERT_EQ(test, remove_cpu(there), 0);
	KUNIT_EXPECT_FALSE(test, is_on(life_test_waits));
	KUNIT_ASSERT_EQ(test, add_cpu(there), 0);
	KUNIT_EXPECT_EQ(test, nr_prepared, 1);
	KUNIT_EXPECT_TRUE(test, is_on(life_test_waits));
}
#else
static void drivers_prepare_a_cpu_first(struct kunit *test)
{
	kunit_skip(test, "needs a CPU that can go offline");
}
#endif

static long advance_there(void *sim)
{
	sim_pmu_advance(sim, STEP, 100);
	return 0;
}

static void migrated_events_continue(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP };
	struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
	};
	struct perf_event *events[4];
	int here = raw_smp_processor_id(), there, i, round;

	there = cpumask_any_but(cpu_online_mask, here);
	if (there >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	WRITE_ONCE(perf_test_clock_task, NULL);
	/* One group has a software sibling and a disabled sibling. */
	events[0] = open_attr(test, &attr, here, NULL, NULL);
	events[1] = open_attr(test, &clock, here, NULL, events[0]);
	events[2] = open_attr(test, &attr, here, NULL, events[0]);
	attr.disabled = 1;
	events[3] = open_attr(test, &attr, here, NULL, NULL);
	sim_test_advance(test, 10);

	for (round = 0; round < 3; round++) {
		u64 before = sim_test_value(events[1]);

		perf_pmu_migrate_context(&f->sim->pmu, here, there);
		for (i = 0; i < 4; i++) {
			KUNIT_EXPECT_EQ(test, events[i]->cpu, there);
			KUNIT_EXPECT_PTR_EQ(test, events[i]->group_leader, events[i == 3 ? 3 : 0]);
			KUNIT_EXPECT_EQ(test, is_on(events[i]), i != 3);
		}
		sim_test_advance(test, 1000);
		work_on_cpu(there, advance_there, f->sim);
		KUNIT_EXPECT_EQ(test, sim_test_value(events[0]), 10ULL + 100 * (round + 1));
		KUNIT_EXPECT_EQ(test, sim_test_value(events[2]), 10ULL + 100 * (round + 1));
		KUNIT_EXPECT_EQ(test, sim_test_value(events[3]), 0ULL);
		KUNIT_EXPECT_GT(test, sim_test_value(events[1]), before);
		perf_pmu_migrate_context(&f->sim->pmu, there, here);
	}
	KUNIT_EXPECT_EQ(test, sim_test_busy(test), 2U);
}

/*
 * An overflow has requested that the event is disabled, and the interrupt that disables the event
 * is pending.
 */
static void migrated_event_is_disabled(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .sample_period = 1000000,
	};
	int here = raw_smp_processor_id(), there = cpumask_any_but(cpu_online_mask, here);
	struct perf_event *event;

	if (there >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	WRITE_ONCE(perf_test_clock_task, NULL);
	event = open_attr(test, &attr, here, NULL, NULL);
	KUNIT_EXPECT_TRUE(test, is_on(event));
	WRITE_ONCE(event->cold->disable_due, 1);
	perf_pmu_migrate_context(&f->sim->pmu, here, there);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_OFF);
}

static void count_samples(struct perf_event *event, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	(*(int *)event->overflow_handler_context)++;
}

static struct perf_event *open_limited(struct kunit *test, int limit, int *samples)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_EMULATION_FAULTS,
		.size = sizeof(attr), .sample_period = 1, .disabled = 1,
	};
	struct perf_event *event;

	*samples = 0;
	event = perf_event_create_kernel_counter(&attr, -1, current, count_samples, samples);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	f->events[f->nr++] = event;
	KUNIT_EXPECT_EQ(test, perf_event_refresh(event, limit), 0);
	return event;
}

/*
 * The limit is two overflows, and more overflows occur before the interrupt that disables the
 * event.
 */
static void limit_holds_with_interrupts_off(struct kunit *test)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct perf_sample_data data;
	struct perf_event *event;
	int samples, i;

	WRITE_ONCE(perf_test_clock_task, NULL);
	event = open_limited(test, 2, &samples);
	scoped_guard(irqsave) {
		for (i = 0; i < 5; i++) {
			perf_sample_data_init(&data, 0, 1);
			KUNIT_EXPECT_EQ(test, perf_event_overflow(event, &data, regs), i >= 1);
		}
	}
	KUNIT_EXPECT_EQ(test, samples, 2);
	irq_work_sync(&event->cold->stop_work);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_OFF);

	/* An event site saw that the event is enabled before the interrupt disabled it. */
	perf_sample_data_init(&data, 0, 1);
	scoped_guard(irqsave)
		KUNIT_EXPECT_EQ(test, perf_event_overflow(event, &data, regs), 1);
	KUNIT_EXPECT_EQ(test, samples, 2);

	/* An event that is enabled without a limit has no limit. */
	perf_event_enable(event);
	for (i = 0; i < 3; i++) {
		perf_sample_data_init(&data, 0, 1);
		scoped_guard(irqsave)
			KUNIT_EXPECT_EQ(test, perf_event_overflow(event, &data, regs), 0);
	}
	KUNIT_EXPECT_EQ(test, samples, 5);
}

/*
 * An event that is enabled after its last overflow remains enabled, even if the interrupt that
 * disables events runs later.
 */
static void enable_after_event_limit(struct kunit *test)
{
	struct perf_sample_data data;
	struct perf_event *event;
	int samples;

	WRITE_ONCE(perf_test_clock_task, NULL);
	event = open_limited(test, 1, &samples);
	scoped_guard(mutex, &event->ctx->mutex) {
		local_irq_disable();
		perf_sample_data_init(&data, 0, 1);
		KUNIT_EXPECT_EQ(test, perf_event_overflow(event, &data, task_pt_regs(current)), 1);
		/*
		 * The pending interrupt runs after this function has changed the limit and
		 * enabled interrupts.
		 */
		_perf_event_enable(event);
		local_irq_enable();
	}
	irq_work_sync(&event->cold->stop_work);
	KUNIT_EXPECT_TRUE(test, is_on(event));
}

/*
 * If the overflows of an event with a frequency are several ticks apart, the period does not
 * increase. Overflows within one tick increase it.
 */
static void rare_overflows_keep_the_period(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_EMULATION_FAULTS,
		.size = sizeof(attr), .freq = 1, .sample_freq = 100,
	};
	struct pt_regs *regs = task_pt_regs(current);
	struct sim_fixture *f = test->priv;
	struct perf_sample_data data;
	struct perf_event *event;
	int samples = 0, i;

	WRITE_ONCE(perf_test_clock_task, NULL);
	event = perf_event_create_kernel_counter(&attr, -1, current, count_samples, &samples);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	f->events[f->nr++] = event;
	scoped_guard(irqsave) {
		for (i = 0; i < 50; i++) {
			event->cold->counted_since -= 2;
			perf_sample_data_init(&data, 0, 1);
			perf_event_overflow(event, &data, regs);
		}
		KUNIT_EXPECT_EQ(test, event->hw.sample_period, 1ULL);
		for (i = 0; i < 50; i++) {
			perf_sample_data_init(&data, 0, 1);
			perf_event_overflow(event, &data, regs);
		}
		KUNIT_EXPECT_LT(test, 1ULL, event->hw.sample_period);
	}
	KUNIT_EXPECT_EQ(test, samples, 100);
}

/* Overflow five times, like the records of a buffer. Return: number of calls that returned 1. */
static int overflow_more(struct perf_event *event)
{
	struct perf_sample_data data;
	int stops = 0, i;

	for (i = 0; i < 5; i++) {
		perf_sample_data_init(&data, 0, 1);
		stops += perf_event_overflow_more(event, &data, task_pt_regs(current));
	}
	return stops;
}

/* The records of a buffer do not throttle the event, but each of them counts for the limit. */
static void records_of_a_buffer_do_not_throttle(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_EMULATION_FAULTS,
		.size = sizeof(attr), .sample_period = 1,
	};
	struct sim_fixture *f = test->priv;
	struct perf_sample_data data;
	struct perf_event *event;
	int samples = 0, stop;

	WRITE_ONCE(perf_test_clock_task, NULL);
	event = perf_event_create_kernel_counter(&attr, -1, current, count_samples, &samples);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	f->events[f->nr++] = event;
	perf_sample_data_init(&data, 0, 1);
	scoped_guard(irqsave) {
		/* The next overflow in this tick that counts throttles the event. */
		event->hw.interrupts_seq = __this_cpu_read(perf_throttle_ticks);
		event->hw.interrupts = READ_ONCE(perf_max_samples_per_tick) - 1;
		KUNIT_EXPECT_EQ(test, overflow_more(event), 0);
		KUNIT_EXPECT_FALSE(test, perf_event_throttled(event));
		stop = perf_event_overflow(event, &data, task_pt_regs(current));
		KUNIT_EXPECT_EQ(test, stop, 1);
		KUNIT_EXPECT_TRUE(test, perf_event_throttled(event));
	}
	KUNIT_EXPECT_EQ(test, samples, 6);

	event = open_limited(test, 2, &samples);
	scoped_guard(irqsave)
		KUNIT_EXPECT_EQ(test, overflow_more(event), 4);
	KUNIT_EXPECT_EQ(test, samples, 2);
	irq_work_sync(&event->cold->stop_work);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_OFF);
}

static struct kunit_case life_cases[] = {
	KUNIT_CASE(rare_overflows_keep_the_period),
	KUNIT_CASE(limit_holds_with_interrupts_off),
	KUNIT_CASE(enable_after_event_limit),
	KUNIT_CASE(records_of_a_buffer_do_not_throttle),
	KUNIT_CASE(unregistered_pmu_leaves_dead_events),
	KUNIT_CASE(exited_context_does_not_change),
	KUNIT_CASE(unregistered_pmu_leaves_no_children),
	KUNIT_CASE(queued_signal_does_not_keep_the_pmu),
	KUNIT_CASE(children_are_removed_once),
	KUNIT_CASE(sibling_only_is_not_inherited),
	KUNIT_CASE(fork_inherits_modified_breakpoint),
	KUNIT_CASE(fork_ends_despite_modifications),
	KUNIT_CASE(driver_chooses_the_cpu),
	KUNIT_CASE(drivers_prepare_a_cpu_first),
	KUNIT_CASE(migrated_events_continue),
	KUNIT_CASE(migrated_event_is_disabled),
	KUNIT_CASE(counts_of_tasks_are_separate),
	{}
};

static struct kunit_suite life_suite = {
	.name		= "perf_life",
	.init		= sim_fixture_init,
	.exit		= sim_fixture_exit,
	.test_cases	= life_cases,
};

kunit_test_suite(life_suite);
