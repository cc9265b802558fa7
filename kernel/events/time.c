// SPDX-License-Identifier: GPL-2.0
/*
 * Enabled and running times of events.
 *
 * A context has one clock, which runs while the context is scheduled in. An event's enabled and
 * running times either advance with that clock or are stopped. For their storage and the lockless
 * readers see time_seq.h.
 */
#include <linux/sched/clock.h>

#include "delay.h"
#include "time.h"
#include "time_seq.h"

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
/* A KUnit test sets its own time, which perf_clock() returns in the test's task. */
struct task_struct *perf_test_clock_task;
u64 perf_test_clock_now;
#endif

/**
 * perf_clock - this CPU's time, for context clocks and for records without a clockid
 *
 * The read is ordered after earlier memory accesses; see perf_times_try().
 *
 * Context: any.
 * Return: time in ns
 */
u64 perf_clock(void)
{
#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
	if (unlikely(READ_ONCE(perf_test_clock_task) == current))
		return READ_ONCE(perf_test_clock_now);
#endif
#ifdef CONFIG_X86
	/*
	 * x86 processors may read the TSC before earlier instructions: a reader's time would be
	 * older than the change that the reader checks for. rmb() is the fence of rdtsc_ordered().
	 * Other architectures read their counter in order.
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
 * perf_context_begin - begin a change of events of a context
 * @ctx: the context, whose lock is held; interrupts are off
 *
 * All changes until perf_context_end() happen at one moment, ctx->now: a group that is
 * scheduled in has waited until that moment, and a group that is scheduled out has run until
 * then.
 */
void perf_context_begin(struct perf_event_context *ctx)
{
	perf_time_assert_unchanging(ctx);
	perf_change_announce(ctx);
	perf_change_begin(ctx, perf_clock());
}

/**
 * perf_context_begin_both - perf_context_begin() for a CPU's and a task's context
 * @cpu: the CPU's context; its lock is held, interrupts are off
 * @task: the context of the task on that CPU; its lock is held
 */
void perf_context_begin_both(struct perf_event_context *cpu, struct perf_event_context *task)
{
	u64 now;

	perf_time_assert_unchanging(cpu);
	perf_time_assert_unchanging(task);
	/*
	 * The full barrier of perf_change_announce(task) below orders the store to cpu->seq, too.
	 */
	WRITE_ONCE(cpu->seq, cpu->seq + PERF_CHANGE_ANNOUNCED);
	perf_change_announce(task);
	now = perf_clock();
	perf_change_begin(cpu, now);
	perf_change_begin(task, now);
}

/**
 * perf_context_end - end the change that perf_context_begin() began
 * @ctx: the context, whose lock is held
 */
void perf_context_end(struct perf_event_context *ctx)
{
	lockdep_assert((ctx->seq & PERF_CHANGE_STATE) == PERF_CHANGE_ACTIVE);
	perf_delay(CHANGE_ENDS);
	perf_change_end(ctx, PERF_CHANGE_ACTIVE);
}

/**
 * perf_context_stop - stop the clock of a task's context, if it runs
 * @ctx: the context, whose lock is held, with no event on a PMU; interrupts are off
 *
 * A reader that meanwhile reads a time after the moment of the stop repeats its read. An NMI
 * within this function cannot wait for its end, and may read a time that is too late by the
 * duration of this function.
 */
void perf_context_stop(struct perf_event_context *ctx)
{
	if (!perf_clock_runs(&ctx->clock))
		return;
	perf_time_assert_unchanging(ctx);
	perf_change_announce(ctx);
	perf_clock_stop(&ctx->clock, perf_clock());
	perf_change_end(ctx, PERF_CHANGE_ANNOUNCED);
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
	/* The loop ends: an event moves only when a CPU is taken offline. */
	} while (!exact);
}

/**
 * perf_event_times - read for how long an event has been enabled and running
 * @event: the event
 * @enabled: filled in, in ns, without inherited events
 * @running: filled in, in ns, without inherited events
 *
 * Nothing is changed. With interrupts on, no caller sees a time decrease: if changes are too
 * frequent for a lockless read, the context's lock is taken. With interrupts off, the caller
 * may have interrupted a change, or a change may wait for the caller: then no lock is taken and
 * nothing is waited for; see perf_times_read().
 *
 * Context: any, including NMI.
 * Return: perf_clock() at which the event had these times
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
 * perf_event_time_on_pmu - read for how long an event has run since it was scheduled in
 * @event: the event, active; its context is between perf_context_begin() and perf_context_end()
 *
 * Return: time in ns
 */
u64 perf_event_time_on_pmu(const struct perf_event *event)
{
	struct perf_event_context *ctx = event->ctx;
	u64 now = perf_clock_at(perf_event_clock(event, ctx), ctx->now);

	return perf_time_at(atomic64_read(&event->time_running), now) -
	       event->total_time_running;
}

/*
 * The state that determines a member's times: while the leader is off, the member is neither
 * enabled nor running, even if its own state is active.
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

/* Start or stop both times according to the state, at @now by the event's clock. */
static void perf_time_set_both_running(struct perf_event *event, enum perf_event_state state,
				       u64 now)
{
	perf_time_set_running(&event->time_enabled, now, perf_time_event_is_enabled(state));
	perf_time_set_running(&event->time_running, now, state >= PERF_EVENT_STATE_ACTIVE);
}

/* ctx->now of the current change, converted to the event's clock */
static __always_inline u64 perf_time_of_change(struct perf_event *event)
{
	struct perf_event_context *ctx = event->ctx;

	lockdep_assert_held(&ctx->lock);
	WARN_ON_ONCE((ctx->seq & PERF_CHANGE_STATE) != PERF_CHANGE_ACTIVE);
	return perf_clock_advance(perf_event_clock(event, ctx), ctx->now);
}

/**
 * perf_group_change_time - convert ctx->now of the current change to the clock of a group
 * @leader: the group leader; its context is between perf_context_begin() and perf_context_end()
 *
 * Return: the time by the clock of all members, for perf_sched_set_active()
 */
u64 perf_group_change_time(struct perf_event *leader)
{
	return perf_time_of_change(leader);
}

/* perf_event_sync_times(), at @now by the event's clock */
static __always_inline void perf_time_sync(struct perf_event *event, u64 now)
{
	perf_time_set_both_running(event,
				   perf_time_state_under(event->group_leader->state, event->state),
				   now);
}

/**
 * perf_event_sync_times - start or stop an event's times according to its and its leader's state
 * @event: the event, whose clock or leader has changed; its context is between
 *	perf_context_begin() and perf_context_end()
 */
void perf_event_sync_times(struct perf_event *event)
{
	perf_time_sync(event, perf_time_of_change(event));
}

/**
 * perf_event_sync_times_attach - perf_event_sync_times() for an event that is added to a context
 * @event: the event; its context is between perf_context_begin() and perf_context_end()
 *
 * An enabled event waits from then on, by the context's clock.
 */
void perf_event_sync_times_attach(struct perf_event *event)
{
	u64 now = perf_time_of_change(event);

	perf_time_sync(event, now);
	if (event->state == PERF_EVENT_STATE_INACTIVE)
		event->state_since = now;
}

/**
 * perf_event_set_state - change the state of an attached event
 * @event: the event; its context is between perf_context_begin() and perf_context_end()
 * @state: the new state
 *
 * The time up to now is accounted to the old state. If a leader is enabled or disabled, the
 * times of its members are started or stopped, too.
 *
 * perf_sched_set_active() does the same where a group is scheduled in or out. All other places
 * store the state only if no time has to be accounted. perf_event_init_alloc() sets an event's
 * first state; at a fork, perf_event_init_child(), perf_inherit_event() and
 * perf_inherit_begin_child() do so before the event is visible. perf_event_revoke() sets an event
 * without a context to dead if its PMU is unregistered. perf_exit_child() and
 * perf_event_detach_at_exit() set the last state of an event whose context's clock is never started
 * again.
 */
void perf_event_set_state(struct perf_event *event, enum perf_event_state state)
{
	const struct perf_event *leader = event->group_leader;
	enum perf_event_state counts;
	struct perf_event *sibling;
	u64 now;

	if (event->state == state)
		return;
	/* An event in the state EXIT or DEAD is never enabled again. */
	if (WARN_ON_ONCE(event->state <= PERF_EVENT_STATE_EXIT && state > event->state))
		return;

	now = perf_time_of_change(event);
	counts = event == leader ? state : perf_time_state_under(leader->state, state);
	perf_time_set_running(&event->time_running, now, counts >= PERF_EVENT_STATE_ACTIVE);
	/* Most changes, between active and inactive, do not affect the enabled time. */
	if (perf_time_event_is_enabled(event->state) != perf_time_event_is_enabled(state)) {
		perf_time_set_running(&event->time_enabled, now,
				      perf_time_event_is_enabled(counts));
		for_each_sibling_event(sibling, event)
			perf_time_set_both_running(sibling,
						   perf_time_state_under(state, sibling->state),
						   now);
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
