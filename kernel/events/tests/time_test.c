// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of time.c, included at its end: clocks that stop, and the times of events and
 * groups. The test sets the time of a stopped clock.
 */
#include <kunit/test.h>
#include <linux/delay.h>

#include "../context.h"

/**
 * struct time_fixture - a context with a group of two
 * @ctx: the context, with a stopped clock at the test's time
 * @leader: the leader
 * @member: the sibling
 */
struct time_fixture {
	struct perf_event_context	ctx;
	struct perf_event		leader;
	struct perf_event		member;
};

static void set_up_event(struct perf_event *event, struct time_fixture *f,
			 struct perf_event *leader)
{
	event->ctx = &f->ctx;
	event->group_leader = leader;
	event->state = PERF_EVENT_STATE_OFF;
	INIT_LIST_HEAD(&event->sibling_list);
}

static int time_test_init(struct kunit *test)
{
	struct time_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	perf_context_init(&f->ctx, NULL);
	set_up_event(&f->leader, f, &f->leader);
	set_up_event(&f->member, f, &f->leader);
	list_add_tail(&f->member.sibling_list, &f->leader.sibling_list);
	test->priv = f;
	return 0;
}

static void time_test_go(struct time_fixture *f, struct perf_event *event,
			 enum perf_event_state state)
{
	raw_spin_lock_irq(&f->ctx.lock);
	perf_context_begin(&f->ctx);
	perf_event_set_state(event, state);
	perf_context_end(&f->ctx);
	raw_spin_unlock_irq(&f->ctx.lock);
}

static void expect_times(struct kunit *test, const struct perf_event *event,
			 u64 want_enabled, u64 want_running)
{
	u64 enabled, running;

	perf_event_times(event, &enabled, &running);
	KUNIT_EXPECT_EQ(test, enabled, want_enabled);
	KUNIT_EXPECT_EQ(test, running, want_running);
}

static u64 clock_now(const struct perf_event_clock *clock)
{
	return perf_clock_at(clock, perf_clock());
}

static void clock_runs_only_between_start_and_stop(struct kunit *test)
{
	struct perf_event_clock clock = { .cpu = -1 };

	preempt_disable();
	KUNIT_EXPECT_EQ(test, clock_now(&clock), 0ULL);
	perf_clock_start(&clock, 1000);
	KUNIT_EXPECT_EQ(test, clock.cpu, smp_processor_id());
	perf_clock_stop(&clock, 1300);
	KUNIT_EXPECT_EQ(test, clock_now(&clock), 300ULL);
	perf_clock_start(&clock, 5000);
	perf_clock_stop(&clock, 5007);
	KUNIT_EXPECT_EQ(test, clock_now(&clock), 307ULL);
	KUNIT_EXPECT_EQ(test, clock.cpu, -1);
	preempt_enable();
}

static void clock_never_decreases(struct kunit *test)
{
	struct perf_event_clock clock = { .cpu = -1, .time = ATOMIC64_INIT(50) };

	preempt_disable();
	perf_clock_start(&clock, 1000);
	/* The time on another CPU may be a little earlier. */
	perf_clock_stop(&clock, 990);
	KUNIT_EXPECT_EQ(test, clock_now(&clock), 50ULL);
	/*
	 * Read a running clock on a CPU with an earlier time. The host may stop the machine for
	 * seconds before the read.
	 */
	perf_clock_start(&clock, perf_clock() + 3600ULL * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, clock_now(&clock), 50ULL);
	preempt_enable();
}

static void running_clock_advances(struct kunit *test)
{
	struct perf_event_clock clock = { .cpu = -1 };
	u64 a, b;

	preempt_disable();
	perf_clock_start(&clock, perf_clock());
	a = clock_now(&clock);
	mdelay(1);
	b = clock_now(&clock);
	perf_clock_stop(&clock, perf_clock());
	KUNIT_EXPECT_GT(test, b, a);
	KUNIT_EXPECT_GE(test, clock_now(&clock), b);
	preempt_enable();
}

static void time_follows_the_state(struct kunit *test)
{
	struct time_fixture *f = test->priv;
	struct perf_event *e = &f->leader;

	atomic64_set(&f->ctx.clock.time, 100);
	expect_times(test, e, 0, 0);
	time_test_go(f, e, PERF_EVENT_STATE_INACTIVE);
	atomic64_set(&f->ctx.clock.time, 130);
	expect_times(test, e, 30, 0);
	time_test_go(f, e, PERF_EVENT_STATE_ACTIVE);
	atomic64_set(&f->ctx.clock.time, 200);
	expect_times(test, e, 100, 70);
	time_test_go(f, e, PERF_EVENT_STATE_INACTIVE);
	atomic64_set(&f->ctx.clock.time, 250);
	expect_times(test, e, 150, 70);
	time_test_go(f, e, PERF_EVENT_STATE_ERROR);
	atomic64_set(&f->ctx.clock.time, 300);
	expect_times(test, e, 150, 70);
	time_test_go(f, e, PERF_EVENT_STATE_EXIT);
	atomic64_set(&f->ctx.clock.time, 400);
	expect_times(test, e, 150, 70);
}

static void reading_changes_nothing(struct kunit *test)
{
	struct time_fixture *f = test->priv;
	int i;

	time_test_go(f, &f->leader, PERF_EVENT_STATE_ACTIVE);
	atomic64_set(&f->ctx.clock.time, 77);
	for (i = 0; i < 3; i++)
		expect_times(test, &f->leader, 77, 77);
	KUNIT_EXPECT_EQ(test, f->leader.total_time_running, 0ULL);
}

static void member_has_no_time_while_its_leader_is_off(struct kunit *test)
{
	struct time_fixture *f = test->priv;

	time_test_go(f, &f->member, PERF_EVENT_STATE_INACTIVE);
	atomic64_set(&f->ctx.clock.time, 100);
	expect_times(test, &f->member, 0, 0);

	time_test_go(f, &f->leader, PERF_EVENT_STATE_INACTIVE);
	atomic64_set(&f->ctx.clock.time, 110);
	expect_times(test, &f->member, 10, 0);
	time_test_go(f, &f->leader, PERF_EVENT_STATE_ACTIVE);
	time_test_go(f, &f->member, PERF_EVENT_STATE_ACTIVE);
	atomic64_set(&f->ctx.clock.time, 150);
	expect_times(test, &f->member, 50, 40);

	time_test_go(f, &f->leader, PERF_EVENT_STATE_OFF);
	atomic64_set(&f->ctx.clock.time, 500);
	expect_times(test, &f->member, 50, 40);
	expect_times(test, &f->leader, 50, 40);
}

static void disabled_member_has_no_time(struct kunit *test)
{
	struct time_fixture *f = test->priv;

	time_test_go(f, &f->leader, PERF_EVENT_STATE_ACTIVE);
	atomic64_set(&f->ctx.clock.time, 100);
	expect_times(test, &f->member, 0, 0);
	expect_times(test, &f->leader, 100, 100);
}

/* Start the context's clock, with time set by the test. */
static void start_test_clock(struct time_fixture *f, u64 now)
{
	perf_test_clock_now = now;
	WRITE_ONCE(perf_test_clock_task, current);
	raw_spin_lock_irq(&f->ctx.lock);
	perf_clock_start(&f->ctx.clock, now);
	raw_spin_unlock_irq(&f->ctx.lock);
}

static void time_test_exit(struct kunit *test)
{
	WRITE_ONCE(perf_test_clock_task, NULL);
}

/*
 * A reader may interrupt a change of events, with a later time and interrupts off. It must not
 * wait, and it must not read a time that decreases later or is counted twice.
 */
static void reader_within_a_change_gets_its_moment(struct kunit *test)
{
	struct time_fixture *f = test->priv;

	start_test_clock(f, 1000);
	time_test_go(f, &f->leader, PERF_EVENT_STATE_ACTIVE);
	perf_test_clock_now = 1100;
	raw_spin_lock_irq(&f->ctx.lock);
	perf_context_begin(&f->ctx);
	perf_test_clock_now = 1150;
	expect_times(test, &f->leader, 100, 100);
	perf_event_set_state(&f->leader, PERF_EVENT_STATE_INACTIVE);
	expect_times(test, &f->leader, 100, 100);
	perf_event_set_state(&f->leader, PERF_EVENT_STATE_OFF);
	perf_event_set_state(&f->member, PERF_EVENT_STATE_ACTIVE);
	expect_times(test, &f->leader, 100, 100);
	expect_times(test, &f->member, 0, 0);
	perf_event_set_state(&f->leader, PERF_EVENT_STATE_ACTIVE);
	expect_times(test, &f->leader, 100, 100);
	expect_times(test, &f->member, 0, 0);
	perf_context_end(&f->ctx);
	raw_spin_unlock_irq(&f->ctx.lock);
	/* Both events have run since the moment of the change. */
	expect_times(test, &f->leader, 150, 150);
	expect_times(test, &f->member, 50, 50);
}

/* A reader that has interrupted a change before the change has read its time must not wait. */
static void reader_does_not_wait_for_a_moment(struct kunit *test)
{
	struct time_fixture *f = test->priv;

	start_test_clock(f, 1000);
	time_test_go(f, &f->leader, PERF_EVENT_STATE_ACTIVE);
	perf_test_clock_now = 1100;
	raw_spin_lock_irq(&f->ctx.lock);
	perf_change_announce(&f->ctx);
	expect_times(test, &f->leader, 100, 100);
	perf_change_end(&f->ctx, PERF_CHANGE_ANNOUNCED);
	raw_spin_unlock_irq(&f->ctx.lock);
}

static void reader_whose_clock_is_behind_sees_no_earlier_time(struct kunit *test)
{
	struct time_fixture *f = test->priv;

	start_test_clock(f, 1000);
	time_test_go(f, &f->leader, PERF_EVENT_STATE_ACTIVE);
	perf_test_clock_now = 1100;
	time_test_go(f, &f->leader, PERF_EVENT_STATE_INACTIVE);
	time_test_go(f, &f->leader, PERF_EVENT_STATE_ACTIVE);
	/* The clock of another CPU, which is behind */
	perf_test_clock_now = 1060;
	expect_times(test, &f->leader, 100, 100);
	time_test_go(f, &f->leader, PERF_EVENT_STATE_OFF);
	expect_times(test, &f->leader, 100, 100);
}

static void moved_event_uses_its_new_clock(struct kunit *test)
{
	struct perf_event_context *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	struct time_fixture *f = test->priv;
	struct perf_event *e = &f->leader;

	KUNIT_ASSERT_NOT_NULL(test, other);
	perf_context_init(other, NULL);
	atomic64_set(&other->clock.time, NSEC_PER_SEC);
	time_test_go(f, e, PERF_EVENT_STATE_ACTIVE);
	atomic64_set(&f->ctx.clock.time, 70);
	time_test_go(f, e, PERF_EVENT_STATE_OFF);
	e->ctx = other;
	expect_times(test, e, 70, 70);
	raw_spin_lock_irq(&other->lock);
	perf_context_begin(other);
	perf_event_sync_times(e);
	perf_event_set_state(e, PERF_EVENT_STATE_ACTIVE);
	expect_times(test, e, 70, 70);
	perf_context_end(other);
	raw_spin_unlock_irq(&other->lock);
	atomic64_set(&other->clock.time, NSEC_PER_SEC + 5);
	expect_times(test, e, 75, 75);
}

static void removed_member_follows_its_own_state(struct kunit *test)
{
	struct time_fixture *f = test->priv;

	time_test_go(f, &f->member, PERF_EVENT_STATE_ACTIVE);
	atomic64_set(&f->ctx.clock.time, 100);
	expect_times(test, &f->member, 0, 0);
	raw_spin_lock_irq(&f->ctx.lock);
	perf_context_begin(&f->ctx);
	list_del_init(&f->member.sibling_list);
	f->member.group_leader = &f->member;
	perf_event_sync_times(&f->member);
	perf_context_end(&f->ctx);
	raw_spin_unlock_irq(&f->ctx.lock);
	atomic64_set(&f->ctx.clock.time, 130);
	expect_times(test, &f->member, 30, 30);
}

static struct kunit_case time_cases[] = {
	KUNIT_CASE(clock_runs_only_between_start_and_stop),
	KUNIT_CASE(clock_never_decreases),
	KUNIT_CASE(running_clock_advances),
	KUNIT_CASE(time_follows_the_state),
	KUNIT_CASE(reading_changes_nothing),
	KUNIT_CASE(member_has_no_time_while_its_leader_is_off),
	KUNIT_CASE(disabled_member_has_no_time),
	KUNIT_CASE(reader_within_a_change_gets_its_moment),
	KUNIT_CASE(reader_does_not_wait_for_a_moment),
	KUNIT_CASE(reader_whose_clock_is_behind_sees_no_earlier_time),
	KUNIT_CASE(moved_event_uses_its_new_clock),
	KUNIT_CASE(removed_member_follows_its_own_state),
	{}
};

static struct kunit_suite time_suite = {
	.name		= "perf_time",
	.init		= time_test_init,
	.exit		= time_test_exit,
	.test_cases	= time_cases,
};

kunit_test_suite(time_suite);
