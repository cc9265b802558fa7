// SPDX-License-Identifier: GPL-2.0
/* Resets and new periods while another CPU counts; resets of inherited events in many contexts */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/sched/clock.h>
#include <trace/events/csd.h>

#include "../inherit_list.h"
#include "../reset.h"
#include "../shared_ctx.h"
#include "../source/software.h"
#include "../time.h"
#include "../time_seq.h"
#include "sim_fixture.h"

/**
 * struct slow_site - an event site with a slow local64_add()
 * @counts: counts that the site adds to
 * @cpu: the CPU of its task; task_cpu() is another one until the task runs
 * @begin: start of the addition
 * @loaded: the old counts have been loaded; the new ones will be stored
 * @stored: the new counts will be stored before this CPU can handle a call of another CPU
 * @ended: the new counts have been stored
 * @replaced: a shared context replaced the task's context, whose own clock was stopped
 */
struct slow_site {
	local64_t		*counts[2];
	int			cpu;
	struct completion	begin;
	bool			loaded;
	bool			stored;
	struct completion	ended;
	bool			replaced;
};

/*
 * Interrupts are off, because local64_add() is atomic on its own CPU. A reset must not run between
 * the load and the store.
 */
static void count_slowly(struct slow_site *site)
{
	const struct perf_event_context *ctx = perf_task_context(current);
	s64 old[ARRAY_SIZE(site->counts)];
	u64 end;
	int i;

	guard(irqsave)();
	site->replaced = this_cpu_context()->shared_ctx && perf_clock_cpu(&ctx->clock) < 0;
	for (i = 0; i < ARRAY_SIZE(old); i++)
		old[i] = local64_read(site->counts[i]);
	/* Pairs with begin_site(). */
	smp_store_release(&site->loaded, true);
	/* Long enough for a reset that does not wait for the site */
	for (end = local_clock() + 20 * NSEC_PER_MSEC; local_clock() < end;)
		cpu_relax();
	/* Pairs with reset_in_between(). */
	WRITE_ONCE(site->stored, true);
	for (i = 0; i < ARRAY_SIZE(old); i++)
		local64_set(site->counts[i], old[i] + 1);
}

static int count_when_asked(void *data)
{
	struct slow_site *site = data;

	while (!kthread_should_stop()) {
		if (!wait_for_completion_timeout(&site->begin, 1))
			continue;
		perf_sw_event(PERF_COUNT_SW_EMULATION_FAULTS, 1, task_pt_regs(current), 0);
		count_slowly(site);
		complete(&site->ended);
	}
	return 0;
}

/* Create a task that counts on another CPU. It does not run yet. */
static struct task_struct *make_counter(struct kunit *test, struct slow_site *site)
{
	struct task_struct *task;

	site->cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	if (site->cpu >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	WRITE_ONCE(perf_test_clock_task, NULL);
	init_completion(&site->begin);
	init_completion(&site->ended);
	task = kthread_create(count_when_asked, site, "perf_counter");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, site->cpu);
	return task;
}

static int reset_test_sleep(void *unused)
{
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static struct perf_event *open_inherited(struct kunit *test, u32 type, u64 config,
					 struct perf_event *leader)
{
	struct perf_event_attr attr = { .type = type, .config = config, .inherit = 1 };

	return open_attr(test, &attr, -1, current, leader);
}

/* Open a group of two events with event sites, in a context that a shared context can replace. */
static void open_faults(struct kunit *test, struct perf_event **faults)
{
	struct sim_fixture *f = test->priv;

	/* A context without events to schedule needs no shared context. */
	open_inherited(test, f->sim->pmu.type, STEP, NULL);
	faults[0] = open_inherited(test, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, NULL);
	faults[1] = open_inherited(test, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS,
				   faults[0]);
}

/* Create a task that inherits this task's events and does not run yet. */
static void inherit_to(struct kunit *test, struct task_struct *child)
{
	KUNIT_ASSERT_EQ(test, perf_event_init_task(child, 0), 0);
}

/* Find the event inherited from @parent in a task's own context. */
static struct perf_event *child_in_task(struct perf_event *parent, struct task_struct *task)
{
	struct perf_event *child;

	guard(mutex)(perf_inherit_lock(parent));
	for_each_child(child, parent) {
		if (child->ctx == perf_task_context(task))
			return child;
	}
	return NULL;
}

/* Is this the first event that a reset of all inherited events reaches? */
static bool is_first_child(const struct perf_event *child)
{
	guard(mutex)(perf_inherit_lock(child->parent));
	return list_is_first(&child->child_list, perf_event_children(child->parent));
}

static void make_shared_ctx(struct kunit *test, int cpu)
{
	struct perf_event_context *ctx = perf_task_context(current);

	KUNIT_ASSERT_NOT_NULL(test, ctx->ctx_set);
	guard(mutex)(&ctx->mutex);
	KUNIT_EXPECT_EQ(test, perf_shared_ctx_create(ctx, cpu), 0);
}

/*
 * Run both halves of a context switch from this task to itself, which schedules in this
 * CPU's shared context in place of the task's context. Return: whether a shared context is
 * scheduled in
 */
static bool switch_to_shared_ctx(void)
{
	guard(irqsave)();
	__perf_event_task_sched_out(current, current);
	__perf_event_task_sched_in(current, current);
	return this_cpu_context()->shared_ctx;
}

static void reset_by_hand(struct perf_event *event, bool group)
{
	CLASS(event_context, ctx)(event);

	perf_event_reset_all_children(event, group);
}

/* Run the first half of the site's addition. */
static void begin_site(struct slow_site *site)
{
	site->loaded = false;
	site->stored = false;
	complete(&site->begin);
	/* Pairs with count_slowly(). */
	while (!smp_load_acquire(&site->loaded)) {
		cpu_relax();
		cond_resched();
	}
}

/*
 * Reset in the middle of the site's addition. Return: false if this CPU was so slow that the
 * addition was complete before the reset, which tests nothing
 */
static bool reset_in_between(struct slow_site *site, struct perf_event *event, bool group)
{
	bool in_time;

	begin_site(site);
	/* Pairs with count_slowly(). */
	in_time = !READ_ONCE(site->stored);
	reset_by_hand(event, group);
	wait_for_completion(&site->ended);
	return in_time;
}

/*
 * A site of a task adds to an always-on event while a shared context replaces the task's context,
 * and another CPU resets the event. The site must not store a sum with the old count afterwards.
 */
static void reset_against_site(struct kunit *test)
{
	struct slow_site site = {};
	struct task_struct *task = make_counter(test, &site);
	struct task_struct *first = make_sleeper(test, reset_test_sleep);
	struct perf_event *faults[2], *child;
	int round = 0, late = 0, i;
	u64 expected[2] = {};

	open_faults(test, faults);
	inherit_to(test, first);
	/*
	 * The task's inherited events must be before those of the shared context in the list: the
	 * call for the shared context would wait for the site, too.
	 */
	make_shared_ctx(test, site.cpu);
	inherit_to(test, task);
	for (i = 0; i < 2; i++) {
		child = child_in_task(faults[i], task);
		KUNIT_EXPECT_TRUE(test, is_first_child(child));
		site.counts[i] = &child->count;
	}
	wake_up_process(task);
	while (round < 4 && late < 100) {
		bool group = round / 2;
		int which = round % 2;

		/* Repeat a round that was late. */
		if (reset_in_between(&site, faults[which], group))
			round++;
		else
			late++;
		for (i = 0; i < 2; i++) {
			expected[i] = group || i == which ? 0 : expected[i] + 2;
			KUNIT_EXPECT_EQ(test, sim_test_value(faults[i]), expected[i]);
		}
		/* Without a replaced context, this case would test nothing. */
		KUNIT_EXPECT_TRUE(test, site.replaced);
	}
	if (round < 4 && test->status == KUNIT_SUCCESS)
		kunit_mark_skipped(test, "this CPU is too slow");
	kthread_stop(task);
	kthread_stop(first);
}

static void stop_clock(void *info)
{
	struct perf_event_context *ctx = info;

	raw_spin_lock(&ctx->lock);
	perf_context_begin(ctx);
	perf_clock_stop(&ctx->clock, ctx->now);
	perf_context_end(ctx);
	raw_spin_unlock(&ctx->lock);
}

static void start_clock(void *info)
{
	struct perf_event_context *ctx = info;

	raw_spin_lock(&ctx->lock);
	perf_context_begin(ctx);
	perf_clock_start(&ctx->clock, ctx->now);
	perf_context_end(ctx);
	raw_spin_unlock(&ctx->lock);
}

/*
 * Sites add to always-on events of a CPU even while CPU hotplug has stopped the CPU's context. A
 * site must not store a sum with the old count after a reset.
 */
static void reset_on_stopped_cpu(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_EMULATION_FAULTS,
	};
	struct slow_site site = {};
	struct task_struct *task = make_counter(test, &site);
	struct perf_event *faults[2];
	struct perf_event_context *ctx;
	int group = 0, late = 0, i;

	for (i = 0; i < 2; i++) {
		faults[i] = open_attr(test, &attr, site.cpu, NULL, i ? faults[0] : NULL);
		site.counts[i] = &faults[i]->count;
	}
	ctx = faults[0]->ctx;
	KUNIT_EXPECT_EQ(test, smp_call_function_single(site.cpu, stop_clock, ctx, 1), 0);
	wake_up_process(task);
	while (group < 2 && late < 100) {
		bool in_time;

		/* An old count of 0 would look like a reset. */
		for (i = 0; i < 2; i++)
			local64_set(&faults[i]->count, 5);
		in_time = reset_in_between(&site, faults[0], group);
		KUNIT_EXPECT_EQ(test, sim_test_value(faults[0]), 0ULL);
		KUNIT_EXPECT_EQ(test, sim_test_value(faults[1]), group ? 0ULL : 7ULL);
		/* Repeat a round that was late. */
		if (in_time)
			group++;
		else
			late++;
	}
	if (group < 2 && test->status == KUNIT_SUCCESS)
		kunit_mark_skipped(test, "this CPU is too slow");
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, smp_call_function_single(site.cpu, start_clock, ctx, 1), 0);
}

/* After a PERIOD ioctl, a site must not store the remainder of the old period. */
static void period_on_stopped_cpu(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_EMULATION_FAULTS,
		.sample_period = 1000,
	};
	struct slow_site site = {};
	struct task_struct *task = make_counter(test, &site);
	struct perf_event *faults = open_attr(test, &attr, site.cpu, NULL, NULL);
	struct perf_event_context *ctx = faults->ctx;
	bool in_time = false;
	int round;

	site.counts[0] = &faults->hw.period_left;
	site.counts[1] = &faults->count;
	KUNIT_EXPECT_EQ(test, smp_call_function_single(site.cpu, stop_clock, ctx, 1), 0);
	wake_up_process(task);
	/* Repeat a round that was late. */
	for (round = 0; round < 100 && !in_time; round++) {
		begin_site(&site);
		/* Pairs with count_slowly(). */
		in_time = !READ_ONCE(site.stored);
		KUNIT_EXPECT_EQ(test, perf_event_period(faults, 10), 0);
		wait_for_completion(&site.ended);
		KUNIT_EXPECT_EQ(test, local64_read(&faults->hw.period_left), -10LL);
	}
	if (!in_time && test->status == KUNIT_SUCCESS)
		kunit_mark_skipped(test, "this CPU is too slow");
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, smp_call_function_single(site.cpu, start_clock, ctx, 1), 0);
}

static void set_walked(struct perf_event *event, bool walked)
{
	/* By these fields the core recognizes an event that other tasks may count. */
	event->attr.type = walked ? PERF_TYPE_TRACEPOINT : PERF_TYPE_SOFTWARE;
	WRITE_ONCE(event->ctx->walked, true);
}

/*
 * Open an event with a CPU and a task that does not run, which counts a tracepoint about the
 * task. The test acts as the tracepoint.
 */
static struct perf_event *open_walked(struct kunit *test, struct task_struct *asleep, int cpu,
				      u64 period)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .sample_period = period,
	};
	struct perf_event *event = open_attr(test, &attr, cpu, asleep, NULL);

	set_walked(event, true);
	return event;
}

/* A period that is too long to end in a test */
#define LONG_PERIOD	BIT_ULL(62)

/* A CPU stops when its hitter::met is this number. */
#define MEETINGS	100000
/* If the CPUs do not run at the same time, a CPU stops at this hitter::hits. */
#define MOST_HITS	2000000

/**
 * struct hitter - hits of a tracepoint on one of two CPUs
 * @event: the event that counts them
 * @other: the other CPU
 * @hits: number of hits so far
 * @met: number of them with a hit of the other CPU since the previous hit
 * @begun: the first hit is next
 * @ended: the last hit is counted
 */
struct hitter {
	struct perf_event	*event;
	const struct hitter	*other;
	unsigned int		hits;
	unsigned int		met;
	bool			begun;
	bool			ended;
};

static void hit_tracepoint(struct hitter *me)
{
	struct perf_sample_data data;
	unsigned int seen = 0, now;
	struct pt_regs regs = {};

	/* Without registers, a sampling event counts the hit, but does not sample it. */
	perf_fetch_caller_regs(&regs);
	WRITE_ONCE(me->begun, true);
	while (!READ_ONCE(me->other->begun))
		cond_resched();
	perf_sample_data_init(&data, 0, 0);
	while (me->met < MEETINGS && me->hits < MOST_HITS && !READ_ONCE(me->other->ended)) {
		scoped_guard(preempt)
			perf_swevent_event(me->event, 1, &data, &regs);
		WRITE_ONCE(me->hits, me->hits + 1);
		now = READ_ONCE(me->other->hits);
		me->met += now != seen;
		seen = now;
		cond_resched();
	}
	/* Pairs with hits_on_two_cpus_add_up(). */
	smp_store_release(&me->ended, true);
}

static int hit_on_other_cpu(void *data)
{
	hit_tracepoint(data);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/*
 * An event with a CPU and a sleeping task may count a tracepoint about the task while another CPU
 * resets the event or begins a new period. Here the other CPU counts, too: if an addition were not
 * atomic, hits would be missing.
 */
static void hits_on_two_cpus_add_up(struct kunit *test)
{
	struct hitter here = {}, there = {};
	struct task_struct *asleep, *task;
	unsigned int cpu;
	u64 hits;

	cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	if (cpu >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	asleep = make_sleeper(test, reset_test_sleep);
	here.event = open_walked(test, asleep, cpu, LONG_PERIOD);
	here.other = &there;
	there.event = here.event;
	there.other = &here;
	task = kthread_create(hit_on_other_cpu, &there, "perf_hits");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, cpu);
	wake_up_process(task);
	hit_tracepoint(&here);
	/* Pairs with hit_tracepoint(). */
	while (!smp_load_acquire(&there.ended))
		cond_resched();
	hits = here.hits + there.hits;
	KUNIT_EXPECT_EQ(test, sim_test_value(here.event), hits);
	KUNIT_EXPECT_EQ(test, (u64)local64_read(&here.event->hw.period_left), hits - LONG_PERIOD);
	if (max(here.met, there.met) < MEETINGS && test->status == KUNIT_SUCCESS)
		kunit_mark_skipped(test, "the CPUs did not run at the same time");
	set_walked(here.event, false);
	kthread_stop(task);
	kthread_stop(asleep);
}

/**
 * struct call_count - calls of functions on another CPU
 * @caller: the task that makes the calls
 * @cpu: the other CPU
 * @nr: their number so far
 */
struct call_count {
	struct task_struct	*caller;
	unsigned int		cpu;
	unsigned int		nr;
};

static void count_call(void *data, unsigned int cpu, unsigned long callsite, smp_call_func_t func,
		       call_single_data_t *csd)
{
	struct call_count *calls = data;

	/* Ignore wakeups by interrupts. */
	if (current == calls->caller && in_task() && cpu == calls->cpu)
		calls->nr++;
}

static void call_nothing(void *unused)
{
}

static void begin_calls(struct kunit *test, struct call_count *calls, int cpu)
{
	*calls = (struct call_count) { .caller = current, .cpu = cpu };
	/* The tracepoint exists only with CONFIG_SMP. */
	if (!IS_ENABLED(CONFIG_SMP))
		return;
	KUNIT_ASSERT_EQ(test, register_trace_csd_queue_cpu(count_call, calls), 0);
	/* The registration itself makes calls. */
	calls->nr = 0;
	/* If calls were not counted, the tests would always pass. */
	KUNIT_EXPECT_EQ(test, smp_call_function_single(cpu, call_nothing, NULL, 1), 0);
	KUNIT_EXPECT_EQ(test, calls->nr, 1U);
	calls->nr = 0;
}

static unsigned int end_calls(struct call_count *calls)
{
	unsigned int nr = calls->nr;

	if (!IS_ENABLED(CONFIG_SMP))
		return 0;
	unregister_trace_csd_queue_cpu(count_call, calls);
	tracepoint_synchronize_unregister();
	return nr;
}

static void need_calls(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_TRACEPOINTS))
		kunit_skip(test, "needs tracepoints");
	/* The registration of a probe patches a static call: see PERF_EVENTS_KUNIT_TEST. */
	if (IS_ENABLED(CONFIG_PERF_EVENTS_DELAYS))
		kunit_skip(test, "no static calls are patched while CPUs are delayed");
}

static unsigned int calls_of_reset_and_period(struct kunit *test, struct perf_event *event)
{
	struct call_count calls;

	begin_calls(test, &calls, event->cpu);
	reset_by_hand(event, false);
	reset_by_hand(event, true);
	KUNIT_EXPECT_EQ(test, perf_event_period(event, 10), 0);
	return end_calls(&calls);
}

/*
 * An event on a tracepoint about a sleeping task is reset, and begins a new period, without a call
 * to the event's CPU: otherwise an unprivileged user could interrupt any CPU, at any rate.
 */
static void no_call_for_tracepoints(struct kunit *test)
{
	struct task_struct *asleep;
	struct perf_event *event;
	unsigned int cpu;

	need_calls(test);
	cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	if (cpu >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	asleep = make_sleeper(test, reset_test_sleep);
	event = open_walked(test, asleep, cpu, 1000);
	local64_set(&event->count, 5);
	KUNIT_EXPECT_EQ(test, calls_of_reset_and_period(test, event), 0U);
	KUNIT_EXPECT_EQ(test, sim_test_value(event), 0ULL);
	KUNIT_EXPECT_EQ(test, local64_read(&event->hw.period_left), -10LL);
	/* The tracepoint may have read the state of the event before the event was disabled. */
	on_and_off(event, false);
	local64_set(&event->count, 5);
	KUNIT_EXPECT_EQ(test, calls_of_reset_and_period(test, event), 0U);
	KUNIT_EXPECT_EQ(test, sim_test_value(event), 0ULL);
	set_walked(event, false);
	kthread_stop(asleep);
}

static void no_call_for_children_of_tracepoints(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .inherit = 1,
	};
	struct perf_event *event, *child_event;
	struct call_count calls;
	struct task_struct *child;
	unsigned int cpu;
	int group;

	need_calls(test);
	cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	if (cpu >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	event = open_attr(test, &attr, cpu, current, NULL);
	child = make_sleeper(test, reset_test_sleep);
	inherit_to(test, child);
	child_event = child_in_task(event, child);
	set_walked(event, true);
	set_walked(child_event, true);
	for (group = 0; group < 2; group++) {
		local64_set(&child_event->count, 5);
		begin_calls(test, &calls, cpu);
		reset_by_hand(event, group);
		KUNIT_EXPECT_EQ(test, end_calls(&calls), 0U);
		KUNIT_EXPECT_EQ(test, sim_test_value(event), 0ULL);
	}
	set_walked(event, false);
	set_walked(child_event, false);
	kthread_stop(child);
}

/*
 * This task resets its events while a shared context replaces its context. The inherited events of
 * another task, which does not run, are reset, too.
 */
static void reset_with_shared_ctx(struct kunit *test)
{
	struct perf_event *faults[2], *asleep[2];
	struct task_struct *child;
	int round, i;

	open_faults(test, faults);
	child = make_sleeper(test, reset_test_sleep);
	inherit_to(test, child);
	make_shared_ctx(test, raw_smp_processor_id());
	for (i = 0; i < 2; i++)
		asleep[i] = child_in_task(faults[i], child);
	for (round = 0; round < 4; round++) {
		bool group = round / 2;

		KUNIT_EXPECT_TRUE(test, switch_to_shared_ctx());
		for (i = 0; i < 2; i++) {
			local64_set(&asleep[i]->count, 2);
			local64_set(&faults[i]->count, 1);
			KUNIT_EXPECT_EQ(test, sim_test_value(faults[i]), 3ULL);
		}
		reset_by_hand(faults[round % 2], group);
		for (i = 0; i < 2; i++)
			KUNIT_EXPECT_EQ(test, sim_test_value(faults[i]),
					group || i == round % 2 ? 0ULL : 3ULL);
	}
	kthread_stop(child);
}

/*
 * A reset of a group of current makes one call per context with inherited events, not one per
 * event.
 */
static void groups_are_reset_at_once(struct kunit *test)
{
	struct task_struct *child = make_sleeper(test, reset_test_sleep);
	struct perf_event *events[4], *children[ARRAY_SIZE(events)];
	struct perf_event_context *ctx;
	unsigned int before;
	int i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		events[i] = open_inherited(test, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY,
					   i ? events[0] : NULL);
	inherit_to(test, child);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		children[i] = child_in_task(events[i], child);
		local64_set(&children[i]->count, 5);
		local64_set(&events[i]->count, 5);
	}
	/* Each perf_event_call() increments ctx->seq: expect one call for the whole group. */
	ctx = perf_task_context(child);
	before = ctx->seq;
	reset_by_hand(events[1], true);
	KUNIT_EXPECT_EQ(test, ctx->seq - before, PERF_CHANGE_STATE + 1);
	for (i = 0; i < ARRAY_SIZE(events); i++)
		KUNIT_EXPECT_EQ(test, sim_test_value(events[i]), 0ULL);
	kthread_stop(child);
}

static struct kunit_case reset_cases[] = {
	KUNIT_CASE(reset_against_site),
	KUNIT_CASE(reset_on_stopped_cpu),
	KUNIT_CASE(period_on_stopped_cpu),
	KUNIT_CASE(hits_on_two_cpus_add_up),
	KUNIT_CASE(no_call_for_tracepoints),
	KUNIT_CASE(no_call_for_children_of_tracepoints),
	KUNIT_CASE(reset_with_shared_ctx),
	KUNIT_CASE(groups_are_reset_at_once),
	{}
};

static struct kunit_suite reset_suite = {
	.name		= "perf_reset",
	.init		= sim_fixture_init,
	.exit		= sim_fixture_exit,
	.test_cases	= reset_cases,
};

kunit_test_suite(reset_suite);
