// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of shared_ctx.c, included at its end
 *
 * A shared context replaces the contexts of tasks whose events have the same parent events. It must
 * count everything that these tasks do, exactly once.
 */
#include <linux/completion.h>
#include <linux/kthread.h>

#include "sim_fixture.h"

#define PLAYERS		3
#define TURNS		(IS_ENABLED(CONFIG_KASAN) ? 300 : 3000)

/**
 * struct player - one of several tasks that run in turn on a CPU
 * @sim: the PMU
 * @task: the player
 * @turn: the player waits for this
 * @next: player to wake up at the end of its turn
 * @finished: completed after all turns
 * @steps: steps of the PMU in each turn
 */
struct player {
	struct sim_pmu		*sim;
	struct task_struct	*task;
	struct completion	turn;
	struct player		*next;
	struct completion	finished;
	unsigned int		steps;
};

static int player_thread(void *data)
{
	struct player *me = data;
	int i;

	for (i = 0; i < TURNS; i++) {
		wait_for_completion(&me->turn);
		sim_pmu_advance(me->sim, STEP, me->steps);
		complete(&me->next->turn);
	}
	complete(&me->finished);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static int stay_idle(void *data)
{
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static struct perf_event_context *shared_ctx_test_here(void)
{
	return perf_task_context(current);
}

static struct perf_event *open_parent(struct kunit *test, struct perf_event *leader)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP, .inherit = 1 };

	return open_attr(test, &attr, -1, current, leader);
}

/* Create a task that has inherited the events of current, and does not run yet. */
static struct task_struct *fork_child(struct kunit *test)
{
	struct task_struct *child = make_sleeper(test, stay_idle);

	KUNIT_EXPECT_EQ(test, perf_event_init_task(child, 0), 0);
	return child;
}

static int make_for(struct perf_event_context *ctx, unsigned int cpu)
{
	guard(mutex)(&ctx->mutex);
	return ctx->ctx_set ? perf_shared_ctx_create(ctx, cpu) : -ENOENT;
}

/*
 * Run both halves of a context switch from this task to itself. Return: the shared context on this
 * CPU, or NULL
 */
static struct perf_event_context *switch_by_hand(void)
{
	guard(irqsave)();
	__perf_event_task_sched_out(current, current);
	__perf_event_task_sched_in(current, current);
	return this_cpu_context()->shared_ctx;
}

static void expect_is_in(struct kunit *test, bool in)
{
	struct perf_event_context *shared_ctx = switch_by_hand();

	KUNIT_EXPECT_EQ(test, !!shared_ctx, in);
	if (shared_ctx)
		KUNIT_EXPECT_PTR_EQ(test, shared_ctx->ctx_set, shared_ctx_test_here()->ctx_set);
}

/* Disable and enable an event and its inherited events, like ioctl(2). */
static void enable_with_children(struct perf_event *parent, bool on)
{
	CLASS(event_context, ctx)(parent);

	perf_event_enable_all_children(parent, on, false);
}

/* Find the event inherited from @parent in this CPU's shared context, or NULL. */
static struct perf_event *child_here(struct perf_event *parent)
{
	struct perf_event *child;

	guard(mutex)(perf_inherit_lock(parent));
	for_each_child(child, parent) {
		if (child->ctx->is_shared)
			return child;
	}
	return NULL;
}

static void play_turns(struct kunit *test, struct player *players, bool elsewhere)
{
	struct sim_fixture *f = test->priv;
	int i;

	for (i = 0; i < PLAYERS; i++) {
		struct player *me = &players[i];

		*me = (struct player){
			.sim = f->sim, .next = &players[(i + 1) % PLAYERS], .steps = 2 * i + 3,
		};
		init_completion(&me->turn);
		init_completion(&me->finished);
		me->task = kthread_create(player_thread, me, "perf_player/%d", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(me->task));
		get_task_struct(me->task);
		kthread_bind(me->task, raw_smp_processor_id());
		KUNIT_ASSERT_EQ(test, perf_event_init_task(me->task, 0), 0);
	}
	KUNIT_ASSERT_EQ(test, make_for(shared_ctx_test_here(), raw_smp_processor_id()), 0);
	if (elsewhere) {
		int cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());

		set_cpus_allowed_ptr(current, cpumask_of(cpu));
	}
	for (i = 0; i < PLAYERS; i++)
		wake_up_process(players[i].task);
	complete(&players[0].turn);
}

static u64 all_steps(const struct player *players)
{
	u64 steps = 0;
	int i;

	for (i = 0; i < PLAYERS; i++)
		steps += (u64)players[i].steps * TURNS;
	return steps;
}

static void stop_players(struct player *players)
{
	int i;

	for (i = 0; i < PLAYERS; i++) {
		kthread_stop(players[i].task);
		put_task_struct(players[i].task);
	}
}

static void tasks_take_turns(struct kunit *test)
{
	struct player players[PLAYERS];
	struct perf_event *parents[3];
	int i;

	WRITE_ONCE(perf_test_clock_task, NULL);
	parents[0] = open_parent(test, NULL);
	parents[1] = open_parent(test, NULL);
	parents[2] = open_parent(test, parents[1]);
	play_turns(test, players, false);
	for (i = 0; i < PLAYERS; i++)
		wait_for_completion(&players[i].finished);
	for (i = 0; i < 3; i++) {
		struct perf_event *child = child_here(parents[i]);

		KUNIT_EXPECT_EQ(test, sim_test_value(parents[i]), all_steps(players));
		/* Without an inherited event this case tests nothing. */
		KUNIT_ASSERT_NOT_NULL(test, child);
		KUNIT_EXPECT_EQ(test, perf_event_count(child), all_steps(players));
		KUNIT_EXPECT_EQ(test, local64_read(&parents[i]->count), 0LL);
	}
	stop_players(players);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, sim_test_value(parents[i]), all_steps(players));
}

static void reads_during_switches(struct kunit *test)
{
	struct player players[PLAYERS];
	struct perf_event *parent;
	u64 last = 0, seen;
	int i, round = 0;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	WRITE_ONCE(perf_test_clock_task, NULL);
	parent = open_parent(test, NULL);
	play_turns(test, players, true);
	while (!completion_done(&players[PLAYERS - 1].finished)) {
		seen = sim_test_value(parent);
		KUNIT_EXPECT_GE(test, seen, last);
		last = seen;
		if (++round % 64 == 0)
			cond_resched();
	}
	for (i = 0; i < PLAYERS; i++)
		wait_for_completion(&players[i].finished);
	KUNIT_EXPECT_EQ(test, sim_test_value(parent), all_steps(players));
	stop_players(players);
	KUNIT_EXPECT_EQ(test, sim_test_value(parent), all_steps(players));
}

static void count_and_times(struct kunit *test)
{
	struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .inherit = 1,
	};
	struct perf_event *parent = open_parent(test, NULL), *other = open_parent(test, NULL);
	struct perf_event *ticks = open_attr(test, &clock, -1, current, NULL);
	struct task_struct *child = fork_child(test);

	sim_test_pass(100);
	sim_test_advance(test, 3);
	KUNIT_ASSERT_EQ(test, make_for(shared_ctx_test_here(), raw_smp_processor_id()), 0);
	expect_is_in(test, true);
	KUNIT_EXPECT_FALSE(test, is_on(parent));
	KUNIT_EXPECT_EQ(test, sim_test_busy(test), 2U);
	sim_test_pass(50);
	sim_test_advance(test, 4);
	KUNIT_EXPECT_EQ(test, sim_test_value(parent), 7ULL);
	expect_times(test, parent, 150, 150);
	KUNIT_EXPECT_EQ(test, sim_test_value(ticks), 150ULL);

	enable_with_children(parent, false);
	sim_test_pass(25);
	sim_test_advance(test, 5);
	KUNIT_EXPECT_EQ(test, sim_test_value(parent), 7ULL);
	KUNIT_EXPECT_EQ(test, sim_test_value(other), 12ULL);
	expect_times(test, parent, 150, 150);
	expect_times(test, other, 175, 175);
	enable_with_children(parent, true);
	sim_test_advance(test, 6);
	KUNIT_EXPECT_EQ(test, sim_test_value(parent), 13ULL);

	/* The counter of the closed event is free at once. */
	close_event(test, other);
	KUNIT_EXPECT_EQ(test, sim_test_busy(test), 1U);
	sim_test_advance(test, 7);
	expect_is_in(test, true);
	KUNIT_EXPECT_EQ(test, sim_test_value(parent), 20ULL);
	sim_test_pass(5);
	expect_times(test, parent, 155, 155);
	KUNIT_EXPECT_EQ(test, sim_test_value(ticks), 180ULL);
	kthread_stop(child);
	KUNIT_EXPECT_EQ(test, sim_test_value(parent), 20ULL);
}

/* A shared context replaces a context only if it has an event for each of the context's events. */
static void new_event_leaves_ctx_set(struct kunit *test)
{
	struct perf_event *parent = open_parent(test, NULL), *late;
	struct task_struct *child = fork_child(test);
	struct perf_ctx_set *ctx_set = shared_ctx_test_here()->ctx_set;

	KUNIT_ASSERT_EQ(test, make_for(shared_ctx_test_here(), raw_smp_processor_id()), 0);
	expect_is_in(test, true);
	sim_test_advance(test, 3);
	sim_test_pass(10);
	late = open_parent(test, NULL);
	KUNIT_EXPECT_NULL(test, shared_ctx_test_here()->ctx_set);
	KUNIT_EXPECT_TRUE(test, is_on(parent));
	KUNIT_EXPECT_TRUE(test, is_on(late));
	sim_test_advance(test, 4);
	sim_test_pass(10);
	expect_is_in(test, false);
	KUNIT_EXPECT_EQ(test, sim_test_value(parent), 7ULL);
	KUNIT_EXPECT_EQ(test, sim_test_value(late), 4ULL);
	expect_times(test, parent, 20, 20);
	expect_times(test, late, 10, 10);
	/* The task without the new event is in the old set. A later task is in a new set. */
	KUNIT_EXPECT_PTR_EQ(test, perf_task_context(child)->ctx_set, ctx_set);
	kthread_stop(child);
	child = fork_child(test);
	KUNIT_EXPECT_NOT_NULL(test, shared_ctx_test_here()->ctx_set);
	KUNIT_ASSERT_EQ(test, make_for(shared_ctx_test_here(), raw_smp_processor_id()), 0);
	expect_is_in(test, true);
	sim_test_advance(test, 5);
	KUNIT_EXPECT_EQ(test, sim_test_value(parent), 12ULL);
	KUNIT_EXPECT_EQ(test, sim_test_value(late), 9ULL);
	kthread_stop(child);
}

/* More events than counters are rotated, and each count is exact. */
static void shared_ctx_is_rotated(struct kunit *test)
{
	struct perf_event *parents[6];
	struct task_struct *child;
	u64 enabled, running, sum = 0;
	int i;

	for (i = 0; i < 6; i++)
		parents[i] = open_parent(test, NULL);
	child = fork_child(test);
	KUNIT_ASSERT_EQ(test, make_for(shared_ctx_test_here(), raw_smp_processor_id()), 0);
	expect_is_in(test, true);
	KUNIT_EXPECT_EQ(test, sim_test_busy(test), 4U);
	sim_test_advance(test, 8);
	sim_test_pass(1000);
	for (i = 0; i < 6; i++) {
		perf_event_read_value(parents[i], &enabled, &running);
		KUNIT_EXPECT_EQ(test, enabled, 1000ULL);
		KUNIT_EXPECT_EQ(test, sim_test_value(parents[i]), running ? 8ULL : 0ULL);
		sum += running;
	}
	KUNIT_EXPECT_EQ(test, sum, 4000ULL);
	/* Close two scheduled events: the next rotation gives their counters to other events. */
	for (i = 0; i < 6; i += 3)
		close_event(test, parents[i]);
	sim_test_rotate(test);
	KUNIT_EXPECT_EQ(test, sim_test_busy(test), 4U);
	kthread_stop(child);
}

/* Pinned groups of the CPU precede the shared context of a task. */
static void shared_ctx_after_pinned_cpu(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr pinned = { .type = f->sim->pmu.type, .config = STEP, .pinned = 1 };
	struct perf_event *parents[4], *of_cpu;
	struct task_struct *child;
	int i, on = 0;

	for (i = 0; i < 4; i++)
		parents[i] = open_parent(test, NULL);
	child = fork_child(test);
	KUNIT_ASSERT_EQ(test, make_for(shared_ctx_test_here(), raw_smp_processor_id()), 0);
	expect_is_in(test, true);
	of_cpu = open_attr(test, &pinned, raw_smp_processor_id(), NULL, NULL);
	KUNIT_EXPECT_TRUE(test, is_on(of_cpu));
	for (i = 0; i < 4; i++)
		on += is_on(child_here(parents[i]));
	KUNIT_EXPECT_EQ(test, on, 3);
	expect_is_in(test, true);
	KUNIT_EXPECT_TRUE(test, is_on(of_cpu));
	close_event(test, of_cpu);
	sim_test_rotate(test);
	KUNIT_EXPECT_EQ(test, sim_test_busy(test), 4U);
	kthread_stop(child);
}

/* A context that has an event with one of these attributes is in no set. */
static void attrs_without_shared_ctx(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attrs[] = {
		{ .inherit_stat = 1 }, { .remove_on_exec = 1 }, { .enable_on_exec = 1 },
		{ .pinned = 1 }, { .exclusive = 1 }, { .task = 1 },
		{ .sample_period = 1000 },
	};
	struct task_struct *child;
	int i;

	open_parent(test, NULL);
	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		struct perf_event *event;

		attrs[i].type = f->sim->pmu.type;
		attrs[i].config = STEP;
		attrs[i].inherit = 1;
		event = open_attr(test, &attrs[i], -1, current, NULL);
		child = fork_child(test);
		KUNIT_EXPECT_NULL(test, shared_ctx_test_here()->ctx_set);
		KUNIT_EXPECT_NULL(test, perf_task_context(child)->ctx_set);
		kthread_stop(child);
		close_event(test, event);
	}
	child = fork_child(test);
	KUNIT_EXPECT_NOT_NULL(test, shared_ctx_test_here()->ctx_set);
	KUNIT_EXPECT_PTR_EQ(test, shared_ctx_test_here()->ctx_set,
			    perf_task_context(child)->ctx_set);
	kthread_stop(child);
}

/* Attach a page that is not mapped into any process to an event, or detach it. */
static struct perf_event_mmap_page *shared_ctx_test_map(struct kunit *test,
							struct perf_event *event)
{
	struct perf_buffer *rb = perf_buffer_alloc(0, 0, event->cpu, false);

	KUNIT_ASSERT_NOT_NULL(test, rb);
	KUNIT_ASSERT_EQ(test, perf_event_make_cold(event), 0);
	scoped_guard(mutex, &rb->lock)
		KUNIT_EXPECT_TRUE(test, perf_buffer_attach(rb, event));
	scoped_guard(raw_spinlock_irq, &event->ctx->lock) {
		atomic_set(&event->cold->mmap_count, 1);
		hlist_add_head(&event->cold->mapped_entry, &event->ctx->mapped);
	}
	return rb->ring.user;
}

static void shared_ctx_test_unmap(struct perf_event *event)
{
	struct perf_buffer *rb = perf_buffer_lock(event);

	scoped_guard(raw_spinlock_irq, &event->ctx->lock) {
		atomic_set(&event->cold->mmap_count, 0);
		hlist_del_init(&event->cold->mapped_entry);
	}
	perf_buffer_detach(rb, event);
	perf_buffer_unlock(rb);
	perf_buffer_put(rb);
}

/*
 * An event of one CPU can be mapped at any time, also after a fork. Its page shows its task's
 * count, which would be wrong if a shared context counted in its place.
 */
static void one_cpu_of_a_task(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = f->sim->pmu.type, .config = STEP, .inherit = 1 };
	struct perf_event *bound = open_attr(test, &attr, raw_smp_processor_id(), current, NULL);
	struct task_struct *child = fork_child(test);
	struct perf_event_mmap_page *page = shared_ctx_test_map(test, bound);

	KUNIT_EXPECT_NULL(test, shared_ctx_test_here()->ctx_set);
	make_for(shared_ctx_test_here(), raw_smp_processor_id());
	expect_is_in(test, false);
	sim_test_pass(10);
	sim_test_advance(test, 3);
	KUNIT_EXPECT_EQ(test, sim_test_value(bound), 3ULL);
	on_and_off(bound, false);
	KUNIT_EXPECT_EQ(test, page->offset, 3LL);
	KUNIT_EXPECT_EQ(test, page->time_enabled, 10ULL);
	KUNIT_EXPECT_EQ(test, page->time_running, 10ULL);
	shared_ctx_test_unmap(bound);
	kthread_stop(child);
}

/* The context of a task that has not inherited all events is in no set. */
static void partial_inherit_is_not_shared(struct kunit *test)
{
	struct task_struct *child;

	open_parent(test, NULL);
	open_event(test, STEP, NULL);
	child = fork_child(test);
	KUNIT_EXPECT_NULL(test, shared_ctx_test_here()->ctx_set);
	KUNIT_EXPECT_NULL(test, perf_task_context(child)->ctx_set);
	kthread_stop(child);
}

/*
 * The context of a thread is in the set. That of a process is not, because it has not inherited the
 * events that are only for threads.
 */
static void shared_ctx_of_thread_only(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .inherit = 1, .inherit_thread = 1,
	};
	struct task_struct *thread = make_sleeper(test, stay_idle), *child;

	open_parent(test, NULL);
	open_attr(test, &attr, -1, current, NULL);
	KUNIT_EXPECT_EQ(test, perf_event_init_task(thread, CLONE_THREAD), 0);
	KUNIT_EXPECT_NOT_NULL(test, shared_ctx_test_here()->ctx_set);
	KUNIT_EXPECT_PTR_EQ(test, shared_ctx_test_here()->ctx_set,
			    perf_task_context(thread)->ctx_set);
	child = fork_child(test);
	KUNIT_EXPECT_NULL(test, perf_task_context(child)->ctx_set);
	kthread_stop(child);
	kthread_stop(thread);
}

static void pmu_unregister_ends_shared_ctx(struct kunit *test)
{
	static const struct sim_pmu_shape shape = { .nr_general = 2, .width = 32 };
	struct sim_fixture *f = test->priv;
	struct perf_event *parent = open_parent(test, NULL);
	struct task_struct *child = fork_child(test);

	KUNIT_ASSERT_EQ(test, make_for(shared_ctx_test_here(), raw_smp_processor_id()), 0);
	expect_is_in(test, true);
	sim_test_advance(test, 3);
	perf_pmu_unregister(&f->sim->pmu);
	sim_pmu_free(f->sim);
	KUNIT_EXPECT_TRUE(test, list_empty(perf_event_children(parent)));
	KUNIT_EXPECT_EQ(test, sim_test_value(parent), 3ULL);
	expect_is_in(test, false);
	kthread_stop(child);
	close_all(test);
	KUNIT_ASSERT_EQ(test, make_pmu(test, &shape), 0);
}

/*
 * After the exit of the last task of the set, the parent event includes its count. The shared
 * contexts are freed afterwards, without any mutex held.
 */
static void shared_ctx_freed_at_last_exit(struct kunit *test)
{
	struct perf_event *parent = open_parent(test, NULL), *late;
	struct task_struct *child = fork_child(test);
	int tries = 1000;

	KUNIT_ASSERT_EQ(test, make_for(shared_ctx_test_here(), raw_smp_processor_id()), 0);
	expect_is_in(test, true);
	sim_test_advance(test, 3);
	kthread_stop(child);
	KUNIT_EXPECT_NOT_NULL(test, child_here(parent));
	late = open_parent(test, NULL);
	KUNIT_EXPECT_NULL(test, shared_ctx_test_here()->ctx_set);
	KUNIT_EXPECT_EQ(test, sim_test_value(parent), 3ULL);
	while (child_here(parent) && tries--)
		schedule_timeout_uninterruptible(HZ / 50);
	KUNIT_EXPECT_TRUE(test, list_empty(perf_event_children(parent)));
	KUNIT_EXPECT_EQ(test, sim_test_value(parent), 3ULL);
	KUNIT_EXPECT_EQ(test, sim_test_value(late), 0ULL);
}

static int close_parent(void *data)
{
	perf_event_release_kernel(data);
	return 0;
}

/*
 * Create a thread on another CPU that closes @parent, and wait until it blocks on the mutex of
 * @ctx. This task does not sleep, because a switch might schedule out the shared context.
 */
static struct task_struct *close_until(struct kunit *test, struct perf_event *parent,
				       struct perf_event_context *ctx)
{
	struct task_struct *thread = kthread_create(close_parent, parent, "perf_close");
	unsigned long end = jiffies + 60 * HZ;
	struct perf_event *child = NULL, *at;
	struct sim_fixture *f = test->priv;
	int i;

	lockdep_assert_held(&ctx->mutex);
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	for (i = 0; i < f->nr; i++) {
		if (f->events[i] == parent)
			f->events[i] = NULL;
	}
	scoped_guard(mutex, perf_inherit_lock(parent)) {
		for_each_child(at, parent) {
			if (at->ctx == ctx)
				child = at;
		}
	}
	KUNIT_ASSERT_NOT_NULL(test, child);
	get_task_struct(thread);
	kthread_bind(thread, cpumask_any_but(cpu_online_mask, raw_smp_processor_id()));
	i = refcount_read(&child->refcount);
	wake_up_process(thread);
	while (refcount_read(&child->refcount) == i && time_before(jiffies, end))
		cpu_relax();
	KUNIT_EXPECT_EQ(test, refcount_read(&child->refcount), i + 1);
	return thread;
}

/*
 * The leader of a group is closed, and its software sibling becomes always on, in one
 * context after another. Each occurrence is counted once, even if only some contexts have
 * changed.
 */
static void group_becomes_always_on(struct kunit *test)
{
	struct perf_event_attr faults = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_EMULATION_FAULTS, .inherit = 1,
	};
	struct task_struct *first, *last, *closes;
	struct perf_event *leader, *member;
	struct perf_event_context *ctx;
	int i;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	leader = open_parent(test, NULL);
	member = open_attr(test, &faults, -1, current, leader);
	/* The parent event's list has one event before and one after that of the shared context. */
	first = fork_child(test);
	KUNIT_ASSERT_EQ(test, make_for(shared_ctx_test_here(), raw_smp_processor_id()), 0);
	last = fork_child(test);
	expect_is_in(test, true);
	perf_sw_event(PERF_COUNT_SW_EMULATION_FAULTS, 1, task_pt_regs(current), 0);
	KUNIT_EXPECT_EQ(test, sim_test_value(member), 1ULL);

	ctx = perf_task_context(first);
	scoped_guard(mutex, &ctx->mutex) {
		closes = close_until(test, leader, ctx);
		for (i = 0; i < 10; i++)
			perf_sw_event(PERF_COUNT_SW_EMULATION_FAULTS, 1, task_pt_regs(current), 0);
		KUNIT_EXPECT_EQ(test, sim_test_value(member), 11ULL);
		/*
		 * The shared context may replace the first task's context until that context has
		 * left the set.
		 */
		KUNIT_EXPECT_NOT_NULL(test, child_here(leader));
		KUNIT_EXPECT_NULL(test, shared_ctx_test_here()->ctx_set);
		KUNIT_EXPECT_NOT_NULL(test, ctx->ctx_set);
	}
	kthread_stop(closes);
	put_task_struct(closes);
	KUNIT_EXPECT_NULL(test, ctx->ctx_set);
	perf_sw_event(PERF_COUNT_SW_EMULATION_FAULTS, 1, task_pt_regs(current), 0);
	KUNIT_EXPECT_EQ(test, sim_test_value(member), 12ULL);
	kthread_stop(first);
	kthread_stop(last);
	KUNIT_EXPECT_EQ(test, sim_test_value(member), 12ULL);
}

static int (*shared_ctx_test_init)(struct perf_event *event);
static const struct perf_event *never_leads;

static int init_but_one(struct perf_event *event)
{
	return event->parent && event->parent == never_leads && event->group_leader == event ?
	       -EINVAL : shared_ctx_test_init(event);
}

/* Run the work of perf_shared_ctx_queue_work(). */
static void run_queued_work(struct perf_ctx_set *ctx_set)
{
	refcount_inc(&ctx_set->refcount);
	WRITE_ONCE(ctx_set->work_queued, 1);
	perf_shared_ctx_task_work(&ctx_set->work);
}

/*
 * An event that must not be a leader cannot be inherited without its leader: the task's context
 * leaves the set.
 */
static void no_shared_ctx_without_leader(struct kunit *test)
{
	struct perf_event *leader = open_parent(test, NULL), *member = open_parent(test, leader);
	struct perf_event *other = open_parent(test, NULL);
	struct perf_event_context *ctx = shared_ctx_test_here();
	struct sim_fixture *f = test->priv;
	struct task_struct *child;
	struct perf_ctx_set *ctx_set;

	member->event_caps |= PERF_EV_CAP_SIBLING;
	never_leads = member;
	shared_ctx_test_init = f->sim->pmu.event_init;
	f->sim->pmu.event_init = init_but_one;
	child = fork_child(test);
	ctx_set = ctx->ctx_set;
	KUNIT_ASSERT_NOT_NULL(test, ctx_set);
	close_event(test, leader);
	KUNIT_EXPECT_PTR_EQ(test, ctx->ctx_set, ctx_set);
	run_queued_work(ctx_set);
	KUNIT_EXPECT_NULL(test, ctx->ctx_set);
	sim_test_advance(test, 2);
	KUNIT_EXPECT_EQ(test, sim_test_value(other), 2ULL);
	kthread_stop(child);
	f->sim->pmu.event_init = shared_ctx_test_init;
}

static int child_error;

static int init_no_child(struct perf_event *event)
{
	return event->parent ? child_error : shared_ctx_test_init(event);
}

/*
 * If a task is killed while it makes a shared context, another task makes the shared context. The
 * set remains without shared contexts only if a PMU refuses the events.
 */
static void shared_ctx_after_killed_task(struct kunit *test)
{
	static const struct {
		int	err;
		bool	final;
	} cases[] = { { -EINTR }, { -EAGAIN }, { -ENOSPC, true }, { 0 } };
	struct perf_event *parent = open_parent(test, NULL);
	struct sim_fixture *f = test->priv;
	struct task_struct *child = fork_child(test);
	struct perf_ctx_set *ctx_set = shared_ctx_test_here()->ctx_set;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, ctx_set);
	shared_ctx_test_init = f->sim->pmu.event_init;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		child_error = cases[i].err;
		f->sim->pmu.event_init = child_error ? init_no_child : shared_ctx_test_init;
		run_queued_work(ctx_set);
		f->sim->pmu.event_init = shared_ctx_test_init;
		KUNIT_EXPECT_EQ_MSG(test, ctx_set->work_queued, cases[i].final, "%d", cases[i].err);
		KUNIT_EXPECT_PTR_EQ(test, shared_ctx_test_here()->ctx_set, ctx_set);
		KUNIT_EXPECT_EQ(test, !!child_here(parent), !cases[i].err);
	}
	expect_is_in(test, true);
	kthread_stop(child);
}

static int init_no_member_child(struct perf_event *event)
{
	return event->parent && event->group_leader != event ? -ENOSPC :
	       shared_ctx_test_init(event);
}

/*
 * If the inheritance of a group fails halfway, the inherited events are removed completely, both
 * from a shared context that could not be made and from the new task of a failed fork, which
 * would wait for their removal.
 */
static void incomplete_group_of_children_is_removed(struct kunit *test)
{
	struct perf_event *other = open_parent(test, NULL);
	struct perf_event *leader = open_parent(test, NULL), *member = open_parent(test, leader);
	unsigned int references = refcount_read(&leader->refcount);
	struct sim_fixture *f = test->priv;
	struct perf_event_context *made;
	struct task_struct *child;

	shared_ctx_test_init = f->sim->pmu.event_init;
	f->sim->pmu.event_init = init_no_member_child;
	scoped_guard(mutex, &leader->ctx->mutex)
		made = perf_shared_ctx_alloc(leader->ctx);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(made), -ENOSPC);
	f->sim->pmu.event_init = shared_ctx_test_init;
	KUNIT_ASSERT_EQ(test, refcount_read(&leader->refcount), references);

	child = make_sleeper(test, stay_idle);
	f->sim->pmu.event_init = init_no_member_child;
	KUNIT_EXPECT_EQ(test, perf_event_init_task(child, 0), -ENOSPC);
	f->sim->pmu.event_init = shared_ctx_test_init;
	KUNIT_EXPECT_NULL(test, perf_task_context(child));
	KUNIT_EXPECT_TRUE(test, list_empty(perf_event_children(other)));
	KUNIT_EXPECT_TRUE(test, list_empty(perf_event_children(leader)));
	KUNIT_EXPECT_TRUE(test, list_empty(perf_event_children(member)));
	KUNIT_EXPECT_EQ(test, refcount_read(&leader->refcount), references);
	kthread_stop(child);
}

static struct kunit_case shared_ctx_cases[] = {
	KUNIT_CASE_SLOW(tasks_take_turns),
	KUNIT_CASE_SLOW(reads_during_switches),
	KUNIT_CASE(count_and_times),
	KUNIT_CASE(new_event_leaves_ctx_set),
	KUNIT_CASE(shared_ctx_is_rotated),
	KUNIT_CASE(shared_ctx_after_pinned_cpu),
	KUNIT_CASE(attrs_without_shared_ctx),
	KUNIT_CASE(one_cpu_of_a_task),
	KUNIT_CASE(partial_inherit_is_not_shared),
	KUNIT_CASE(shared_ctx_of_thread_only),
	KUNIT_CASE(pmu_unregister_ends_shared_ctx),
	KUNIT_CASE(shared_ctx_freed_at_last_exit),
	KUNIT_CASE(group_becomes_always_on),
	KUNIT_CASE(no_shared_ctx_without_leader),
	KUNIT_CASE(shared_ctx_after_killed_task),
	KUNIT_CASE(incomplete_group_of_children_is_removed),
	{}
};

static struct kunit_suite shared_ctx_suite = {
	.name		= "perf_shared_ctx",
	.init		= sim_fixture_init,
	.exit		= sim_fixture_exit,
	.test_cases	= shared_ctx_cases,
};

kunit_test_suite(shared_ctx_suite);
