// SPDX-License-Identifier: GPL-2.0
/*
 * Time as events see it.
 *
 * A context has one clock, which runs while the context does. An event's enabled
 * and running times stand, or run with that clock; time_seq.h says how they are
 * kept and read.
 */
#include <linux/sched/clock.h>

#include "delay.h"
#include "time.h"
#include "time_seq.h"

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
/* A unit test makes its own time, which perf_clock() returns in that test's task. */
struct task_struct *perf_test_clock_task;
u64 perf_test_clock_now;
#endif

/**
 * perf_clock - this CPU's time: base of context clocks and of records without a clockid
 *
 * It is not read before earlier accesses of memory; see perf_times_try(). Any context.
 * Return: nanoseconds.
 */
u64 perf_clock(void)
{
#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
	if (unlikely(READ_ONCE(perf_test_clock_task) == current))
		return READ_ONCE(perf_test_clock_now);
#endif
#ifdef CONFIG_X86
	/*
	 * These processors may read their counter before what stands before it in the program:
	 * a reader's time would be older than the change that it looked for. This is the fence
	 * of rdtsc_ordered(). Elsewhere the counter is read in order.
	 */
	rmb();
#endif
	return local_clock();
}

static void perf_time_assert_unchanging(const struct perf_event_context *ctx)
{
	lockdep_assert_held(&ctx->lock);
	lockdep_assert_irqs_disabled();
	lockdep_assert(!(ctx->seq & PERF_CHANGE_STATE));
}

/**
 * perf_context_begin - begin to change events of a context
 * @ctx: the context, whose lock is held; interrupts are off
 *
 * All changes until perf_context_end() happen at one moment, ctx->now: a group that
 * is put on has not waited since, and one that is taken off has run until then.
 */
void perf_context_begin(struct perf_event_context *ctx)
{
	perf_time_assert_unchanging(ctx);
	perf_change_announce(ctx);
	perf_change_go(ctx, perf_clock());
}

/**
 * perf_context_begin_both - perf_context_begin() for a CPU's and a task's context
 * @cpu: the CPU's context; its lock is held, interrupts are off
 * @task: the context of the task there; its lock is held
 */
void perf_context_begin_both(struct perf_event_context *cpu, struct perf_event_context *task)
{
	u64 now;

	perf_time_assert_unchanging(cpu);
	perf_time_assert_unchanging(task);
	/* The full barrier of the second announcement is the first one's, too. */
	WRITE_ONCE(cpu->seq, cpu->seq + PERF_CHANGE_COMING);
	perf_change_announce(task);
	now = perf_clock();
	perf_change_go(cpu, now);
	perf_change_go(task, now);
}

/**
 * perf_context_end - end the changes that perf_context_begin() began
 * @ctx: the context, whose lock is held
 */
void perf_context_end(struct perf_event_context *ctx)
{
	lockdep_assert((ctx->seq & PERF_CHANGE_STATE) == PERF_CHANGE_GOES_ON);
	perf_delay(CHANGE_ENDS);
	perf_change_end(ctx, PERF_CHANGE_GOES_ON);
}

/**
 * perf_context_stop - halt a task context's clock, if it runs
 * @ctx: the context, whose lock is held, with no event on a PMU; interrupts are off
 *
 * A reader that meanwhile gets a time later than that at which the clock stops reads
 * again. An NMI in the middle of this function cannot wait, and may read a time
 * that is later by as long as this function takes.
 */
void perf_context_stop(struct perf_event_context *ctx)
{
	if (!perf_clock_runs(&ctx->clock))
		return;
	perf_time_assert_unchanging(ctx);
	perf_change_announce(ctx);
	perf_clock_stop(&ctx->clock, perf_clock());
	perf_change_end(ctx, PERF_CHANGE_COMING);
}

/* Under the context's lock the times do not change, unless the event moves. */
static noinline void perf_time_times_locked(const struct perf_event *event,
					    struct perf_times *times)
{
	struct perf_event_context *ctx;
	unsigned long flags;
	bool exact;

	do {
		ctx = READ_ONCE(event->ctx);
		raw_spin_lock_irqsave(&ctx->lock, flags);
		exact = perf_times_try(event, true, times);
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
	/* The event moves when a CPU goes offline, and not again for long. */
	} while (!exact);
}

/**
 * perf_event_times - how long an event has been enabled and running
 * @event: the event
 * @enabled: filled in, nanoseconds, without copies
 * @running: filled in, nanoseconds, without copies
 *
 * Any context, NMI included; nothing is changed. With interrupts on, a caller never
 * sees time go back: if changes come faster than they can be read, the context's lock
 * is taken. With interrupts off, the caller may have interrupted a change, or a change
 * may wait for it: no lock is taken and there is no waiting; see perf_times_read().
 * Return: the moment, by perf_clock(), to which the times belong.
 */
u64 perf_event_times(const struct perf_event *event, u64 *enabled, u64 *running)
{
	struct perf_times times;

	if (!perf_times_read(event, &times) && !irqs_disabled())
		perf_time_times_locked(event, &times);
	*enabled = times.enabled;
	*running = times.running;
	return times.when;
}

/**
 * perf_event_ran - how long an event has counted since it was put on
 * @event: the event, active; its context is between perf_context_begin() and
 *	perf_context_end()
 *
 * Return: nanoseconds.
 */
u64 perf_event_ran(const struct perf_event *event)
{
	struct perf_event_context *ctx = event->ctx;
	u64 now = perf_clock_at(perf_event_clock(event, ctx), ctx->now);

	return perf_time_at(atomic64_read(&event->time_running), now) -
	       event->total_time_running;
}

/*
 * The state that counts for a member's times: while the leader is off, the member
 * neither is enabled nor runs, whatever its own state.
 */
static enum perf_event_state perf_time_state_under(enum perf_event_state leader,
						   enum perf_event_state own)
{
	return leader <= PERF_EVENT_STATE_OFF ? leader : own;
}

static bool perf_time_event_is_enabled(enum perf_event_state state)
{
	return state >= PERF_EVENT_STATE_INACTIVE;
}

/* Let both times run or stand as the state wants, from @now by the event's clock. */
static void perf_time_let_both_run(struct perf_event *event, enum perf_event_state state, u64 now)
{
	perf_time_let_run(&event->time_enabled, now, perf_time_event_is_enabled(state));
	perf_time_let_run(&event->time_running, now, state >= PERF_EVENT_STATE_ACTIVE);
}

/* The moment of the change that goes on, by the event's clock. */
static __always_inline u64 perf_time_take_change_time(struct perf_event *event)
{
	struct perf_event_context *ctx = event->ctx;

	lockdep_assert_held(&ctx->lock);
	WARN_ON_ONCE((ctx->seq & PERF_CHANGE_STATE) != PERF_CHANGE_GOES_ON);
	return perf_clock_advance(perf_event_clock(event, ctx), ctx->now);
}

/**
 * perf_group_change_time - the moment of the change that goes on, for a whole group
 * @leader: of the group; its context is between perf_context_begin() and
 *	perf_context_end()
 *
 * Return: the time by the clock that all of the group has, for perf_sched_set_on().
 */
u64 perf_group_change_time(struct perf_event *leader)
{
	return perf_time_take_change_time(leader);
}

/* perf_event_follow(), at @now by the event's clock. */
static __always_inline void perf_time_follow(struct perf_event *event, u64 now)
{
	perf_time_let_both_run(event,
			       perf_time_state_under(event->group_leader->state, event->state),
			       now);
}

/**
 * perf_event_follow - let an event's times run or stand as it and its leader say
 * @event: the event, which has got another clock or leader; its context is between
 *	perf_context_begin() and perf_context_end()
 */
void perf_event_follow(struct perf_event *event)
{
	perf_time_follow(event, perf_time_take_change_time(event));
}

/**
 * perf_event_come - perf_event_follow() for an event that comes into a context
 * @event: the event; its context is between perf_context_begin() and
 *	perf_context_end()
 *
 * If it is enabled, it waits from then on by the context's clock.
 */
void perf_event_come(struct perf_event *event)
{
	u64 now = perf_time_take_change_time(event);

	perf_time_follow(event, now);
	if (event->state == PERF_EVENT_STATE_INACTIVE)
		event->state_since = now;
}

/**
 * perf_event_set_state - the one place where the state of an attached event changes
 * @event: the event; its context is between perf_context_begin() and
 *	perf_context_end()
 * @state: the new state
 *
 * Time up to now is accounted by the old state. When a leader is enabled or disabled,
 * its members' times are started or stopped, too.
 *
 * perf_sched_set_on() does the same where a group goes on or off. Elsewhere the state is
 * stored only where no time runs that would have to be accounted. An event gets its first
 * state from perf_event_init_alloc() or, at a fork, from perf_inherit_event() and
 * perf_inherit_begin_copy(), before anybody else finds it. An event whose PMU goes before
 * it has a context is made dead by perf_event_revoke(), and an event whose task's context
 * clock stands for ever gets its last state from perf_exit_copy() or
 * perf_event_detach_at_exit().
 */
void perf_event_set_state(struct perf_event *event, enum perf_event_state state)
{
	const struct perf_event *leader = event->group_leader;
	enum perf_event_state counts;
	struct perf_event *sibling;
	u64 now;

	if (event->state == state)
		return;
	/* An event that has exited or is dead is never enabled again. */
	if (WARN_ON_ONCE(event->state <= PERF_EVENT_STATE_EXIT && state > event->state))
		return;

	now = perf_time_take_change_time(event);
	counts = event == leader ? state : perf_time_state_under(leader->state, state);
	perf_time_let_run(&event->time_running, now, counts >= PERF_EVENT_STATE_ACTIVE);
	/* Most changes are between on and waiting. */
	if (perf_time_event_is_enabled(event->state) != perf_time_event_is_enabled(state)) {
		perf_time_let_run(&event->time_enabled, now, perf_time_event_is_enabled(counts));
		for_each_sibling_event(sibling, event)
			perf_time_let_both_run(sibling,
					       perf_time_state_under(state, sibling->state), now);
	}
	if (state == PERF_EVENT_STATE_ACTIVE)
		event->total_time_running = perf_time_at(atomic64_read(&event->time_running), now);
	else
		event->state_since = perf_time_event_is_enabled(state) ? now : event->ctx->now;
	perf_delay(STATE_SET);
	/* Pairs with perf_read_sync_count(): a reader that does not see ACTIVE sees the count. */
	smp_store_release(&event->state, state);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/time_test.c"
#endif
