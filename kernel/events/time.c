// SPDX-License-Identifier: GPL-2.0
/*
 * Time as events see it.
 *
 * A context has one clock, which runs while the context does. An event keeps
 * how much enabled and running time it had when its state last changed, and
 * the context's time at that moment; everything else is a difference.
 */
#include <linux/sched/clock.h>

#include "internal.h"

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
/* A unit test makes its own time, for the contexts of its own task. */
struct task_struct *perf_test_clock_task;
u64 perf_test_clock_now;
#endif

/**
 * perf_clock - the time base of all contexts and of records without a clockid
 *
 * Any context. Return: nanoseconds.
 */
u64 perf_clock(void)
{
#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
	if (unlikely(READ_ONCE(perf_test_clock_task) == current))
		return READ_ONCE(perf_test_clock_now);
#endif
	return local_clock();
}

/**
 * perf_clock_start - let a clock that stands run on this CPU
 * @clock: whose context's lock is held
 * @now: perf_clock()
 */
void perf_clock_start(struct perf_event_clock *clock, u64 now)
{
	if (WARN_ON_ONCE(clock->cpu >= 0))
		return;

	WRITE_ONCE(clock->offset, clock->time - now);
	perf_delay(CLOCK_OFFSET);
	/* Pairs with perf_clock_read(): a running clock has its offset. */
	smp_store_release(&clock->cpu, smp_processor_id());
}

/**
 * perf_clock_stop - halt a clock that runs
 * @clock: whose context's lock is held
 * @now: perf_clock()
 */
void perf_clock_stop(struct perf_event_clock *clock, u64 now)
{
	u64 time = now + clock->offset;

	if (WARN_ON_ONCE(clock->cpu < 0))
		return;

	/* Clocks of two CPUs may differ a little; time never goes back. */
	if ((s64)(time - clock->time) < 0)
		time = clock->time;
	WRITE_ONCE(clock->time, time);
	perf_delay(CLOCK_TIME);
	/* Pairs with perf_clock_read(): a clock that stands has its time. */
	smp_store_release(&clock->cpu, -1);
}

/* Time of a clock that is known to be @cpu's, with these values, at @now. */
static u64 clock_at(int cpu, u64 time, u64 offset, u64 now)
{
	s64 ahead = now + offset - time;

	return cpu >= 0 && ahead > 0 ? time + ahead : time;
}

/* At @at, or now when that is 0. */
static __always_inline u64 clock_read(const struct perf_event_clock *clock, u64 at)
{
	u64 time, offset;
	int cpu;

	do {
		/* Pairs with the releases in perf_clock_start() and _stop(). */
		cpu = smp_load_acquire(&clock->cpu);
		perf_delay(CLOCK_SEEN);
		offset = READ_ONCE(clock->offset);
		time = clock_at(cpu, READ_ONCE(clock->time), offset,
				cpu >= 0 ? at ?: perf_clock() : 0);
		smp_rmb(); /* a stop, or a stop and start, in between shows below */
	} while (READ_ONCE(clock->cpu) != cpu || READ_ONCE(clock->offset) != offset);

	return time;
}

/**
 * perf_clock_read - a clock's time now
 * @clock: running or not, here or on another CPU
 *
 * Takes no lock and never waits for the writer, so an NMI may call it.
 * Return: nanoseconds that the clock has run.
 */
u64 perf_clock_read(const struct perf_event_clock *clock)
{
	return clock_read(clock, 0);
}

static void begin_change(struct perf_event_context *ctx)
{
	lockdep_assert_held(&ctx->lock);
	lockdep_assert_irqs_disabled();
	raw_write_seqcount_begin(&ctx->seq);
	perf_delay(CHANGE_BEGUN);
}

/**
 * perf_context_begin - begin to change events of a context
 * @ctx: whose lock is held
 *
 * All that changes until perf_context_end() changes at one moment: a group
 * goes on without having waited, and what is taken off has run up to now.
 */
void perf_context_begin(struct perf_event_context *ctx)
{
	begin_change(ctx);
	/* Not before: who has read a later time must not see an earlier one. */
	ctx->now = perf_clock();
}

/**
 * perf_context_begin_both - perf_context_begin() for a CPU's and a task's context
 * @cpu: the CPU's; its lock is held
 * @task: that of the task there; its lock is held
 */
void perf_context_begin_both(struct perf_event_context *cpu, struct perf_event_context *task)
{
	begin_change(cpu);
	begin_change(task);
	cpu->now = perf_clock();
	task->now = cpu->now;
}

/**
 * perf_context_end - end what perf_context_begin() began
 * @ctx: whose lock is held
 */
void perf_context_end(struct perf_event_context *ctx)
{
	perf_delay(CHANGE_ENDS);
	raw_write_seqcount_end(&ctx->seq);
}

/**
 * perf_context_stop - halt a task context's clock, if it runs
 * @ctx: whose lock is held; nothing of it is on a PMU
 *
 * Who reads a time meanwhile, later than the one that the clock stops at,
 * reads it again: see perf_event_times().
 */
void perf_context_stop(struct perf_event_context *ctx)
{
	if (ctx->clock.cpu < 0)
		return;
	begin_change(ctx);
	perf_clock_stop(&ctx->clock, perf_clock());
	perf_context_end(ctx);
}

/* The clock that counts for an event: its cgroup's on this CPU, or its context's. */
static const struct perf_event_clock *event_clock(const struct perf_event *event)
{
#ifdef CONFIG_CGROUP_PERF
	if (event->cgrp)
		return &per_cpu_ptr(event->cgrp->info, event->cpu)->clock;
#endif
	return &READ_ONCE(event->ctx)->clock;
}

/*
 * A member is worth what its leader is: while the leader is off, the member
 * neither is enabled nor runs, whatever its own state.
 */
static enum perf_event_state effective_state(const struct perf_event *event)
{
	enum perf_event_state leader = READ_ONCE(READ_ONCE(event->group_leader)->state);

	if (leader <= PERF_EVENT_STATE_OFF)
		return leader;
	return READ_ONCE(event->state);
}

/**
 * perf_event_times_at - how long an event has been enabled and running
 * @event: that does not change meanwhile
 * @now: the time of its clock
 * @enabled: filled in, nanoseconds, without children
 * @running: the same
 */
void perf_event_times_at(const struct perf_event *event, u64 now, u64 *enabled, u64 *running)
{
	enum perf_event_state state = effective_state(event);
	u64 delta = now - event->tstamp;

	*enabled = event->total_time_enabled;
	*running = event->total_time_running;
	/* Read without the lock, a stamp may be newer than the time. */
	if ((s64)delta < 0)
		return;
	if (state >= PERF_EVENT_STATE_INACTIVE)
		*enabled += delta;
	if (state >= PERF_EVENT_STATE_ACTIVE)
		*running += delta;
}

/* At @at by perf_clock(), or now when that is 0. */
static __always_inline void read_times(const struct perf_event *event, u64 at, u64 *enabled,
				       u64 *running)
{
	const seqcount_t *seqcount = &READ_ONCE(event->ctx)->seq;
	bool wait = !irqs_disabled();
	unsigned int seq;

	/* The leader may be closed meanwhile. */
	guard(rcu)();
	do {
		while ((seq = raw_read_seqcount(seqcount)) & 1) {
			if (!wait)
				break;
			cpu_relax();
		}
		perf_delay(SEQ_SEEN);
		perf_event_times_at(event, clock_read(event_clock(event), at), enabled, running);
		perf_delay(TIMES_SEEN);
	} while (read_seqcount_retry(seqcount, seq) && wait);
}

/**
 * perf_event_times - how long an event has been enabled and running
 * @event: the event
 * @enabled: filled in, nanoseconds, without children
 * @running: the same
 *
 * Changes nothing and takes no lock. Who has interrupts on waits until a
 * change that is going on has come to its end, and never sees time go back;
 * who has not may be the one who changes it, and takes what there is.
 */
void perf_event_times(const struct perf_event *event, u64 *enabled, u64 *running)
{
	read_times(event, 0, enabled, running);
}

/**
 * perf_event_times_when - how long an event had been enabled and running
 * @event: the event
 * @when: a moment ago, by perf_clock()
 * @enabled: filled in, nanoseconds, without children
 * @running: the same
 *
 * perf_event_times() for who needs to know to which moment they belong.
 */
void perf_event_times_when(const struct perf_event *event, u64 when, u64 *enabled,
			   u64 *running)
{
	read_times(event, when, enabled, running);
}

/**
 * perf_event_change_time - the time of an event's clock at this change
 * @event: between perf_context_begin() and _end() of its context
 *
 * Return: nanoseconds.
 */
u64 perf_event_change_time(const struct perf_event *event)
{
	const struct perf_event_clock *clock = event_clock(event);

	return clock_at(clock->cpu, clock->time, clock->offset, event->ctx->now);
}

/**
 * perf_event_fold_time - add the time since the last stamp
 * @event: between perf_context_begin() and _end() of its context
 */
void perf_event_fold_time(struct perf_event *event)
{
	u64 now = perf_event_change_time(event);

	lockdep_assert_held(&event->ctx->lock);
	WARN_ON_ONCE(!(raw_read_seqcount(&event->ctx->seq) & 1));
	if (event->tstamp == now)
		return;
	perf_event_times_at(event, now, &event->total_time_enabled, &event->total_time_running);
	perf_delay(FOLDED);
	event->tstamp = now;
}

static bool is_enabled(enum perf_event_state state)
{
	return state >= PERF_EVENT_STATE_INACTIVE;
}

/**
 * perf_event_set_state - the one place where an event's state changes
 * @event: between perf_context_begin() and _end() of its context
 * @state: the new one
 *
 * Time up to now is accounted by the old state. When a leader goes on or off
 * its members' time changes course with it.
 */
void perf_event_set_state(struct perf_event *event, enum perf_event_state state)
{
	struct perf_event *sibling;

	if (event->state == state)
		return;
	/* Nothing comes back from the dead. */
	if (WARN_ON_ONCE(event->state <= PERF_EVENT_STATE_EXIT && state > event->state))
		return;

	perf_event_fold_time(event);
	if (is_enabled(event->state) != is_enabled(state)) {
		for_each_sibling_event(sibling, event)
			perf_event_fold_time(sibling);
	}
	perf_delay(STATE_SET);
	/* Who finds it off finds what it counted. */
	smp_store_release(&event->state, state);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/time_test.c"
#endif
