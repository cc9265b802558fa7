// SPDX-License-Identifier: GPL-2.0
/*
 * Guarantees for drivers: the CPU and the time of their callbacks during CPU hotplug. The PMU
 * only records its calls.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/slab.h>

#include "../context.h"
#include "../event.h"
#include "../group.h"
#include "../internal.h"
#include "../pmu_scope.h"
#include "../read.h"
#include "../throttle.h"
#include "../time.h"

#define MAX_EVENTS	8

/**
 * struct trial - a test PMU, its number of callback calls, and its events
 * @pmu: the PMU
 * @adds: number of calls of add
 * @dels: number of calls of del
 * @added_on: CPU of the last add
 * @read_on: CPU of the last read
 * @early: add was called on a CPU that the driver had not prepared
 * @on_at_teardown: an event was on when the driver's teardown callback ran
 * @offline_cpu: CPU that is taken offline, or -1
 * @open: calls of add on another CPU while @offline_cpu still accepts new events
 * @throttled_stops: calls of stop for a throttled event
 * @attach: PERF_ATTACH_* that event_init sets
 * @events: events opened by the test
 * @nr: number of @events
 */
struct trial {
	struct pmu		pmu;
	int			adds;
	int			dels;
	int			added_on;
	int			read_on;
	int			early;
	int			on_at_teardown;
	int			offline_cpu;
	int			open;
	int			throttled_stops;
	int			attach;
	struct perf_event	*events[MAX_EVENTS];
	int			nr;
};

/* CPUs that the driver has prepared */
static struct cpumask driver_test_prepared;

static struct trial *to_trial(struct pmu *pmu)
{
	return container_of(pmu, struct trial, pmu);
}

static int trial_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	event->attach_state |= to_trial(event->pmu)->attach;
	return 0;
}

static int trial_add(struct perf_event *event, int flags)
{
	struct trial *t = to_trial(event->pmu);

	t->adds++;
	t->added_on = smp_processor_id();
	t->early += !cpumask_test_cpu(t->added_on, &driver_test_prepared);
	if (t->offline_cpu >= 0 && t->offline_cpu != t->added_on)
		t->open += READ_ONCE(per_cpu(perf_cpu_context, t->offline_cpu).online);
	return 0;
}

static void trial_del(struct perf_event *event, int flags)
{
	to_trial(event->pmu)->dels++;
}

static void trial_stop(struct perf_event *event, int flags)
{
	to_trial(event->pmu)->throttled_stops += perf_event_throttled(event);
}

/* The counter counts the calls of add, so a missing read is detected. */
static void trial_read(struct perf_event *event)
{
	struct trial *t = to_trial(event->pmu);

	t->read_on = smp_processor_id();
	local64_set(&event->count, t->adds);
}

static void trial_end(void *data)
{
	struct trial *t = data;

	while (t->nr)
		perf_event_release_kernel(t->events[--t->nr]);
	perf_pmu_unregister(&t->pmu);
}

static struct trial *trial_make(struct kunit *test, int task_ctx_nr, unsigned int scope)
{
	struct trial *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	cpumask_copy(&driver_test_prepared, cpu_possible_mask);
	t->read_on = -1;
	t->added_on = -1;
	t->offline_cpu = -1;
	t->pmu.task_ctx_nr = task_ctx_nr;
	t->pmu.scope = scope;
	t->pmu.event_init = trial_init;
	t->pmu.add = trial_add;
	t->pmu.del = trial_del;
	t->pmu.stop = trial_stop;
	t->pmu.read = trial_read;
	KUNIT_ASSERT_EQ(test, perf_pmu_register(&t->pmu, NULL, -1), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, trial_end, t), 0);
	return t;
}

/* Open an event of the PMU on a task or a CPU, or as a sibling; @keeper closes it. */
static struct perf_event *trial_open(struct kunit *test, struct trial *keeper, struct trial *t,
				     int cpu, struct task_struct *task, struct perf_event *leader)
{
	struct perf_event_attr attr = {
		.type = t->pmu.type, .size = sizeof(attr), .read_format = PERF_FORMAT_GROUP,
	};
	struct perf_event *event;
	int err;

	event = perf_event_alloc(&attr, cpu, task, leader, NULL, NULL, NULL, -1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	event->owner = PERF_TASK_GONE;
	event->ctx = perf_context_find(task, cpu);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event->ctx));
	scoped_guard(mutex, &event->ctx->mutex) {
		KUNIT_EXPECT_EQ(test, leader ? perf_group_may_join(leader, event) : 0, 0);
		err = perf_event_attach(event);
	}
	KUNIT_ASSERT_EQ(test, err, 0);
	keeper->events[keeper->nr++] = event;
	return event;
}

/* Pin the test to the first CPU, which often cannot be taken offline; return another CPU. */
static int other_cpu(struct kunit *test)
{
	int here = cpumask_first(cpu_online_mask), there;

	set_cpus_allowed_ptr(current, cpumask_of(here));
	there = cpumask_any_but(cpu_online_mask, here);
	if (there >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	return there;
}

static u64 driver_test_value(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

/* A group is read on a CPU that can read all members, not only the leader. */
static void group_is_read_where_all_can_be(struct kunit *test)
{
	int there = other_cpu(test);
	struct trial *machine = trial_make(test, perf_invalid_context, PERF_PMU_SCOPE_SYS_WIDE);
	struct trial *own = trial_make(test, perf_sw_context, PERF_PMU_SCOPE_NONE);
	struct perf_event *leader;
	u64 __user *buf;

	buf = (u64 __user *)kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
					  MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NOT_NULL(test, (void __force *)buf);

	leader = trial_open(test, own, machine, there, NULL, NULL);
	KUNIT_EXPECT_EQ(test, driver_test_value(leader), 1ULL);
	KUNIT_EXPECT_EQ(test, machine->read_on, raw_smp_processor_id());
	KUNIT_EXPECT_EQ(test, perf_event_read_file(leader, (char __user *)buf, PAGE_SIZE), 16);
	KUNIT_EXPECT_EQ(test, machine->read_on, raw_smp_processor_id());

	trial_open(test, own, own, there, NULL, leader);
	KUNIT_EXPECT_EQ(test, perf_event_read_file(leader, (char __user *)buf, PAGE_SIZE), 24);
	KUNIT_EXPECT_EQ(test, own->read_on, there);
	KUNIT_EXPECT_EQ(test, machine->read_on, there);
	/* Without the sibling, the leader can be read on any CPU again. */
	driver_test_value(leader);
	KUNIT_EXPECT_EQ(test, machine->read_on, raw_smp_processor_id());
}

static unsigned int driver_test_reads;

static void driver_test_start_txn(struct pmu *pmu, unsigned int flags)
{
	driver_test_reads += flags == PERF_PMU_TXN_READ;
}

/* The hardware members of a software leader are read in one transaction of their PMU. */
static void group_is_read_in_a_transaction_of_its_pmu(struct kunit *test)
{
	int here = cpumask_first(cpu_online_mask);
	struct trial *hardware = trial_make(test, perf_hw_context, PERF_PMU_SCOPE_NONE);
	struct trial *software = trial_make(test, perf_sw_context, PERF_PMU_SCOPE_NONE);
	struct perf_event *leader;
	u64 __user *buf;

	buf = (u64 __user *)kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
					  MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NOT_NULL(test, (void __force *)buf);
	set_cpus_allowed_ptr(current, cpumask_of(here));
	leader = trial_open(test, hardware, software, here, NULL, NULL);
	trial_open(test, hardware, hardware, here, NULL, leader);
	hardware->pmu.start_txn = driver_test_start_txn;
	driver_test_reads = 0;
	KUNIT_EXPECT_EQ(test, perf_event_read_file(leader, (char __user *)buf, PAGE_SIZE), 24);
	KUNIT_EXPECT_EQ(test, driver_test_reads, 1U);
}

/* The close of a sibling does not schedule out the other members. */
static void removed_member_leaves_others_scheduled(struct kunit *test)
{
	int here = cpumask_first(cpu_online_mask), i;
	struct trial *t = trial_make(test, perf_hw_context, PERF_PMU_SCOPE_NONE);
	struct perf_event *leader, *last;

	set_cpus_allowed_ptr(current, cpumask_of(here));
	leader = trial_open(test, t, t, here, NULL, NULL);
	for (i = 0; i < 3; i++)
		last = trial_open(test, t, t, here, NULL, leader);
	KUNIT_EXPECT_EQ(test, last->state, PERF_EVENT_STATE_ACTIVE);
	t->adds = 0;
	t->dels = 0;
	t->nr--;
	perf_event_release_kernel(last);
	KUNIT_EXPECT_EQ(test, t->adds, 0);
	KUNIT_EXPECT_EQ(test, t->dels, 1);
	KUNIT_EXPECT_EQ(test, leader->nr_siblings, 2U);
	KUNIT_EXPECT_EQ(test, leader->read_size, (u16)(sizeof(u64) * (1 + 3)));
	for (i = 0; i < t->nr; i++)
		KUNIT_EXPECT_EQ(test, t->events[i]->state, PERF_EVENT_STATE_ACTIVE);
}

/**
 * struct holder - a thread that delays the end of a grace period
 * @held: the thread is in an RCU read-side section
 * @done: ends the section
 * @in_time: @done was set before the thread gave up
 * @ended: the thread has ended
 */
struct holder {
	struct completion	held;
	bool			done;
	bool			in_time;
	struct completion	ended;
};

static int hold_grace_period(void *data)
{
	struct holder *h = data;
	int i;

	rcu_read_lock();
	complete(&h->held);
	/* The limit is a number of delays: a stop of the whole machine adds only one delay. */
	for (i = 0; !READ_ONCE(h->done) && i < 10000; i++)
		mdelay(1);
	h->in_time = READ_ONCE(h->done);
	rcu_read_unlock();
	complete(&h->ended);
	return 0;
}

/* A migration without events does not wait. */
static void empty_migration_does_not_wait(struct kunit *test)
{
	int there = other_cpu(test), here = raw_smp_processor_id();
	struct trial *t = trial_make(test, perf_invalid_context, PERF_PMU_SCOPE_NONE);
	struct task_struct *thread;
	struct holder h = { };

	init_completion(&h.held);
	init_completion(&h.ended);
	thread = kthread_create(hold_grace_period, &h, "perf_holder");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	kthread_bind(thread, there);
	wake_up_process(thread);
	wait_for_completion(&h.held);
	perf_pmu_migrate_context(&t->pmu, here, there);
	perf_pmu_migrate_context(&t->pmu, there, here);
	WRITE_ONCE(h.done, true);
	wait_for_completion(&h.ended);
	KUNIT_EXPECT_TRUE(test, h.in_time);
}

/**
 * struct witness - a thread that checks that the machine's instance always has a CPU
 * @began: the thread has begun to check
 * @done: ends the thread
 * @gaps: number of checks that found no CPU
 * @ended: the thread has ended
 */
struct witness {
	struct completion	began;
	bool			done;
	int			gaps;
	struct completion	ended;
};

static int look_for_scope_cpu(void *data)
{
	struct witness *w = data;

	complete(&w->began);
	while (!READ_ONCE(w->done)) {
		w->gaps += !perf_scope_exists(PERF_PMU_SCOPE_SYS_WIDE, raw_smp_processor_id());
		cond_resched();
	}
	complete(&w->ended);
	return 0;
}

/* Like CPU offline and online: another CPU of the scope replaces this one. */
static void replace_scope_cpu(int cpu)
{
	cpus_read_lock();
	perf_scope_offline(cpu);
	perf_scope_online(cpu);
	cpus_read_unlock();
}

/* The new CPU is set before the old one is cleared, so events can be opened at any time. */
static void cpumask_is_never_empty(struct kunit *test)
{
	int there = other_cpu(test), here = raw_smp_processor_id(), i;
	struct task_struct *thread;
	struct witness w = { };

	init_completion(&w.began);
	init_completion(&w.ended);
	thread = kthread_create(look_for_scope_cpu, &w, "perf_witness");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	kthread_bind(thread, there);
	wake_up_process(thread);
	wait_for_completion(&w.began);
	for (i = 0; i < 500; i++) {
		replace_scope_cpu(here);
		replace_scope_cpu(there);
	}
	WRITE_ONCE(w.done, true);
	wait_for_completion(&w.ended);
	KUNIT_EXPECT_EQ(test, w.gaps, 0);
}

/*
 * A task gets its PMU data with the first event that needs the data, even if the task already has
 * other events of the PMU.
 */
static void task_data_only_if_needed(struct kunit *test)
{
	struct trial *t = trial_make(test, perf_hw_context, PERF_PMU_SCOPE_NONE);
	struct kmem_cache *cache = kmem_cache_create("perf_driver_test", 1000, 0, 0, NULL);
	struct perf_event *plain, *needs, *cpu;
	void *made;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	t->pmu.task_ctx_cache = cache;
	plain = trial_open(test, t, t, -1, current, NULL);
	KUNIT_EXPECT_NULL(test, plain->pmu_ctx->task_ctx_data);
	t->attach = PERF_ATTACH_TASK_DATA;
	needs = trial_open(test, t, t, -1, current, NULL);
	made = needs->pmu_ctx->task_ctx_data;
	KUNIT_EXPECT_PTR_EQ(test, needs->pmu_ctx, plain->pmu_ctx);
	KUNIT_EXPECT_NOT_NULL(test, made);
	trial_open(test, t, t, -1, current, NULL);
	KUNIT_EXPECT_PTR_EQ(test, needs->pmu_ctx->task_ctx_data, made);
	/* A CPU's context has no task data. */
	cpu = trial_open(test, t, t, raw_smp_processor_id(), NULL, NULL);
	KUNIT_EXPECT_NULL(test, cpu->pmu_ctx->task_ctx_data);

	/* The task data is freed before the PMU is freed. */
	kunit_release_action(test, trial_end, t);
	kmem_cache_destroy(cache);
}

static void no_handler(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
}

/*
 * Make the event overflow until it is throttled, in an interrupt or outside of one (like in a
 * context switch). Return: true if the core is about to stop the event
 */
static bool overflow_until_throttled(struct kunit *test, struct perf_event *event, bool interrupt)
{
	struct perf_sample_data data;
	int i, stop = 0;

	guard(irqsave)();
	if (interrupt)
		__irq_enter_raw();
	for (i = 0; i < 1000000 && !stop; i++) {
		perf_sample_data_init(&data, 0, 1);
		stop = perf_event_overflow(event, &data, task_pt_regs(current));
	}
	if (interrupt)
		__irq_exit_raw();
	KUNIT_EXPECT_EQ(test, stop, 1);
	return irq_work_is_pending(&event->cold->stop_work);
}

/*
 * If a driver ignores the result of an overflow, and its event loads the CPU with interrupts, the
 * core stops the event.
 */
static void throttled_event_is_stopped(struct kunit *test)
{
	int cpu = cpumask_first(cpu_online_mask), tries;
	struct trial *t = trial_make(test, perf_hw_context, PERF_PMU_SCOPE_NONE);
	struct perf_event_attr attr = {
		.type = t->pmu.type, .size = sizeof(attr), .sample_period = 1,
	};
	struct perf_event *event;

	set_cpus_allowed_ptr(current, cpumask_of(cpu));
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, no_handler, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	t->events[t->nr++] = event;
	KUNIT_EXPECT_FALSE(test, overflow_until_throttled(test, event, false));
	/* Repeat, because a tick may unthrottle the event before the core stops it. */
	for (tries = 0; tries < 100 && !READ_ONCE(t->throttled_stops); tries++) {
		KUNIT_EXPECT_TRUE(test, overflow_until_throttled(test, event, true));
		irq_work_sync(&event->cold->stop_work);
	}
	KUNIT_EXPECT_EQ(test, t->throttled_stops, 1);
}

#ifdef CONFIG_HOTPLUG_CPU
static int cpu_that_can_go(struct kunit *test)
{
	int there = other_cpu(test);

	if (!cpu_is_hotpluggable(there))
		kunit_skip(test, "needs a CPU that can go offline");
	return there;
}

static struct trial *driver_test_watched;

/*
 * driver_prepares() opens an event. It runs in the CPU hotplug thread, which must not use
 * assertions, so the test checks trial::nr.
 */
static bool driver_test_opens;

static void open_as_it_comes(struct trial *t, unsigned int cpu)
{
	struct perf_event_attr attr = { .type = t->pmu.type, .size = sizeof(attr) };
	struct perf_event *event;

	event = perf_event_alloc(&attr, cpu, NULL, NULL, NULL, NULL, NULL, -1);
	if (IS_ERR(event))
		return;
	event->owner = PERF_TASK_GONE;
	event->ctx = perf_context_find(NULL, cpu);
	t->events[t->nr++] = event;
	guard(mutex)(&event->ctx->mutex);
	perf_event_attach(event);
}

static int driver_prepares(unsigned int cpu)
{
	msleep(20);
	if (driver_test_opens)
		open_as_it_comes(driver_test_watched, cpu);
	cpumask_set_cpu(cpu, &driver_test_prepared);
	return 0;
}

static int driver_leaves(unsigned int cpu)
{
	driver_test_watched->on_at_teardown += driver_test_watched->adds -
					       driver_test_watched->dels;
	cpumask_clear_cpu(cpu, &driver_test_prepared);
	return 0;
}

static void remove_state(void *state)
{
	driver_test_opens = false;
	cpuhp_remove_state_nocalls((long)state);
}

static void go_and_come(struct kunit *test, int cpu)
{
	KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
	KUNIT_ASSERT_EQ(test, add_cpu(cpu), 0);
}

/* A driver that is loaded late prepares a CPU before its events run there. */
static void events_wait_for_late_drivers(struct kunit *test)
{
	int there = cpu_that_can_go(test), state, err, adds;
	struct trial *t = trial_make(test, perf_hw_context, PERF_PMU_SCOPE_NONE);

	driver_test_watched = t;
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "perf:test", driver_prepares,
					  driver_leaves);
	KUNIT_ASSERT_GT(test, state, 0);
	err = kunit_add_action_or_reset(test, remove_state, (void *)(long)state);
	KUNIT_ASSERT_EQ(test, err, 0);
	trial_open(test, t, t, there, NULL, NULL);
	KUNIT_EXPECT_EQ(test, t->adds, 1);
	go_and_come(test, there);
	KUNIT_EXPECT_EQ(test, t->adds, 2);
	KUNIT_EXPECT_EQ(test, t->added_on, there);
	KUNIT_EXPECT_EQ(test, t->early, 0);
	KUNIT_EXPECT_EQ(test, t->on_at_teardown, 0);

	/* An event opened while the CPU is brought online waits for the driver, too. */
	driver_test_opens = true;
	go_and_come(test, there);
	driver_test_opens = false;
	KUNIT_ASSERT_EQ(test, t->nr, 2);
	KUNIT_EXPECT_EQ(test, t->events[1]->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, t->adds, 4);
	KUNIT_EXPECT_EQ(test, t->early, 0);
	perf_event_release_kernel(t->events[--t->nr]);
	/* The close of the event scheduled the other event out and in again. */
	KUNIT_EXPECT_EQ(test, t->dels, t->adds - 1);

	/* An event that was closed while its CPU was offline is not scheduled again. */
	KUNIT_ASSERT_EQ(test, remove_cpu(there), 0);
	KUNIT_EXPECT_EQ(test, t->dels, t->adds);
	adds = t->adds;
	perf_event_release_kernel(t->events[--t->nr]);
	KUNIT_ASSERT_EQ(test, add_cpu(there), 0);
	KUNIT_EXPECT_EQ(test, t->adds, adds);
	KUNIT_EXPECT_EQ(test, t->on_at_teardown, 0);
}

/*
 * For a PMU without a scope, only the driver knows the CPU of an instance. If that CPU is taken
 * offline and the driver does not move the instance's events, the events keep their counts and
 * remain off.
 */
static void events_without_scope_end_with_their_cpu(struct kunit *test)
{
	int there = cpu_that_can_go(test);
	struct trial *t = trial_make(test, perf_invalid_context, PERF_PMU_SCOPE_NONE);
	struct trial *member = trial_make(test, perf_sw_context, PERF_PMU_SCOPE_NONE);
	struct perf_event *event = trial_open(test, t, t, there, NULL, NULL);
	int adds;

	trial_open(test, t, member, there, NULL, event);
	adds = t->adds;
	KUNIT_EXPECT_EQ(test, driver_test_value(event), (u64)adds);
	go_and_come(test, there);
	KUNIT_EXPECT_EQ(test, t->adds, adds);
	KUNIT_EXPECT_EQ(test, t->dels, adds);
	KUNIT_EXPECT_EQ(test, member->adds, 1);
	KUNIT_EXPECT_EQ(test, driver_test_value(event), (u64)adds);
	perf_event_enable(event);
	perf_pmu_migrate_context(&t->pmu, there, raw_smp_processor_id());
	KUNIT_EXPECT_EQ(test, t->adds, adds);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_EXIT);

	/* A new event counts on that CPU. */
	trial_open(test, t, t, there, NULL, NULL);
	KUNIT_EXPECT_EQ(test, t->adds, adds + 1);
}

/*
 * Before the events of a CPU are moved, opens on that CPU begin to fail: an event opened later
 * would not be moved.
 */
static void events_leave_a_closed_cpu(struct kunit *test)
{
	int there = cpu_that_can_go(test), here = raw_smp_processor_id();
	const struct cpumask *mask = perf_scope_cpumask(PERF_PMU_SCOPE_SYS_WIDE);
	struct trial *t = trial_make(test, perf_invalid_context, PERF_PMU_SCOPE_SYS_WIDE);
	struct trial *second = trial_make(test, perf_invalid_context, PERF_PMU_SCOPE_SYS_WIDE);
	struct trial *stays = trial_make(test, perf_invalid_context, PERF_PMU_SCOPE_DIE);
	struct perf_event *event, *with_it, *left;

	replace_scope_cpu(here);
	if (!cpumask_test_cpu(there, mask))
		kunit_skip(test, "the machine's events are on a third CPU");
	event = trial_open(test, t, t, there, NULL, NULL);
	/* The events of all PMUs with the scope move together, and no others. */
	with_it = trial_open(test, second, second, there, NULL, NULL);
	left = trial_open(test, stays, stays, here, NULL, NULL);
	t->offline_cpu = there;
	KUNIT_ASSERT_EQ(test, remove_cpu(there), 0);
	KUNIT_EXPECT_EQ(test, t->adds, 2);
	KUNIT_EXPECT_EQ(test, t->added_on, event->cpu);
	KUNIT_EXPECT_NE(test, event->cpu, there);
	KUNIT_EXPECT_EQ(test, t->open, 0);
	KUNIT_EXPECT_EQ(test, with_it->cpu, event->cpu);
	KUNIT_EXPECT_EQ(test, second->adds, 2);
	KUNIT_EXPECT_EQ(test, left->cpu, here);
	KUNIT_EXPECT_EQ(test, stays->adds, 1);
	KUNIT_EXPECT_TRUE(test, cpumask_test_cpu(event->cpu, mask));
	KUNIT_EXPECT_FALSE(test, cpumask_test_cpu(there, mask));
	KUNIT_ASSERT_EQ(test, add_cpu(there), 0);
}

static const struct cpumask *die_of_its_own(unsigned int cpu)
{
	return cpumask_of(cpu);
}

static const struct cpumask *one_die(unsigned int cpu)
{
	return cpu_possible_mask;
}

static void replace_all_scope_cpus(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		replace_scope_cpu(cpu);
}

static void real_die(void *unused)
{
	WRITE_ONCE(perf_test_die, NULL);
	replace_all_scope_cpus();
}

/*
 * Two CPUs of a die are taken offline, and brought online in the other order: the first one online
 * is the CPU of the die's instance.
 */
static void events_follow_scope_cpu(struct kunit *test)
{
	int there = cpu_that_can_go(test), here = raw_smp_processor_id();
	const struct cpumask *mask = perf_scope_cpumask(PERF_PMU_SCOPE_DIE);
	struct trial *t = trial_make(test, perf_invalid_context, PERF_PMU_SCOPE_DIE);
	struct perf_event *event;

	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, real_die, NULL), 0);
	WRITE_ONCE(perf_test_die, die_of_its_own);
	replace_all_scope_cpus();
	KUNIT_ASSERT_TRUE(test, cpumask_test_cpu(there, mask));
	KUNIT_ASSERT_TRUE(test, cpumask_test_cpu(here, mask));
	event = trial_open(test, t, t, there, NULL, NULL);
	KUNIT_ASSERT_EQ(test, remove_cpu(there), 0);
	KUNIT_EXPECT_EQ(test, t->dels, 1);
	KUNIT_EXPECT_EQ(test, event->cpu, there);
	/* "here" is online again, and is the CPU of both instances. */
	WRITE_ONCE(perf_test_die, one_die);
	KUNIT_ASSERT_EQ(test, add_cpu(there), 0);
	KUNIT_EXPECT_FALSE(test, cpumask_test_cpu(there, mask));
	KUNIT_EXPECT_EQ(test, event->cpu, here);
	KUNIT_EXPECT_EQ(test, t->adds, 2);
	KUNIT_EXPECT_EQ(test, t->added_on, here);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_ACTIVE);

	/*
	 * Each CPU is a die of its own again. An event that is opened on the CPU counts there after
	 * the CPU was offline, too.
	 */
	WRITE_ONCE(perf_test_die, die_of_its_own);
	go_and_come(test, there);
	KUNIT_EXPECT_TRUE(test, cpumask_test_cpu(there, mask));
	perf_event_release_kernel(t->events[--t->nr]);
	event = trial_open(test, t, t, there, NULL, NULL);
	go_and_come(test, there);
	KUNIT_EXPECT_EQ(test, t->added_on, there);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_ACTIVE);
}
#endif /* CONFIG_HOTPLUG_CPU */

static struct kunit_case driver_cases[] = {
	KUNIT_CASE(group_is_read_where_all_can_be),
	KUNIT_CASE(group_is_read_in_a_transaction_of_its_pmu),
	KUNIT_CASE(removed_member_leaves_others_scheduled),
	KUNIT_CASE(empty_migration_does_not_wait),
	KUNIT_CASE(cpumask_is_never_empty),
	KUNIT_CASE(task_data_only_if_needed),
	KUNIT_CASE(throttled_event_is_stopped),
#ifdef CONFIG_HOTPLUG_CPU
	KUNIT_CASE(events_wait_for_late_drivers),
	KUNIT_CASE(events_without_scope_end_with_their_cpu),
	KUNIT_CASE(events_leave_a_closed_cpu),
	KUNIT_CASE(events_follow_scope_cpu),
#endif
	{}
};

static struct kunit_suite driver_suite = {
	.name		= "perf_driver",
	.test_cases	= driver_cases,
};

kunit_test_suite(driver_suite);
