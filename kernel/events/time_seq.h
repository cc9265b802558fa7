/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How one CPU writes a context's clock, its changes and its events' times, while other CPUs
 * read them.
 *
 * Writers hold the context's lock. Readers hold no lock and may run in any context. Most readers
 * must not wait: a reader may have interrupted the writer, or the writer may wait for the reader's
 * CPU. So the contents of memory must be valid between any two stores of a writer:
 *
 * - A time of an event is one word: a total while the time is stopped, and the moment at
 *   which it would have been 0 while it runs. A reader sees one or the other.
 * - A clock runs or is stopped, and stores a time that it has reached. The offset is stored before
 *   the clock is started, the time before the clock is stopped.
 * - A change of a context happens at one moment, ctx->now. At that moment a time that is
 *   stopped or started has the same value before and after the change. A reader within a
 *   change computes the times of that moment.
 *
 * The moment itself is ordered as follows: a writer announces that it is about to read
 * perf_clock(). A reader reads perf_clock() first, and then checks for an announcement. If
 * there is none, the time it has read is not later than the moment of any later change.
 *
 * This file needs no kernel context: a user-space model includes it as well, with threads in
 * place of CPUs. The model defines PERF_TIME_STEP() as a delay at the places where another
 * CPU may intervene.
 */
#ifndef _KERNEL_EVENTS_TIME_SEQ_H
#define _KERNEL_EVENTS_TIME_SEQ_H

#ifndef PERF_TIME_STEP
#define PERF_TIME_STEP()	do { } while (0)
#endif

/* Lowest bit of an event's stored time: the time runs. The others are a signed number. */
#define PERF_TIME_RUNS		1ULL

/* Lowest bits of ctx->seq; the other bits count the changes. */
#define PERF_CHANGE_ANNOUNCED	1U	/* the writer is reading perf_clock() */
#define PERF_CHANGE_ACTIVE	2U	/* the change is in progress, at ctx->now */
#define PERF_CHANGE_STATE	3U

/* Maximum number of attempts at exact times by a reader that must not wait */
#define PERF_TIMES_TRIES	16

/**
 * struct perf_times - an event's times at one moment
 * @enabled: ns, without inherited events
 * @running: ns, without inherited events
 * @when: the moment, by perf_clock()
 */
struct perf_times {
	u64	enabled;
	u64	running;
	u64	when;
};

/* The value at @now of an event's time that is stored as @word; any context. */
static __always_inline u64 perf_time_at(u64 word, u64 now)
{
	u64 value = (s64)word >> 1;

	return word & PERF_TIME_RUNS ? now - value : value;
}

/* Start or stop an event's time at @now; the context's lock is held. */
static __always_inline void perf_time_set_running(atomic64_t *time, u64 now, bool runs)
{
	u64 word = atomic64_read(time);

	/* A stopped time stores its total, a running time the moment when the total was 0. */
	if ((word & PERF_TIME_RUNS) != runs)
		atomic64_set(time, (now - ((s64)word >> 1)) << 1 | runs);
}

/* Initialise a clock that is stopped at 0. */
static __always_inline void perf_clock_init(struct perf_event_clock *clock)
{
	atomic64_set(&clock->time, 0);
	clock->cpu = -1;
}

/* Does the clock run? Its context's lock is held. */
static __always_inline bool perf_clock_runs(const struct perf_event_clock *clock)
{
	return clock->cpu >= 0;
}

/* The CPU that the clock runs on, or -1. Any context; the value may change at any time. */
static __always_inline int perf_clock_cpu(const struct perf_event_clock *clock)
{
	return READ_ONCE(clock->cpu);
}

/* The time of a clock at @now by perf_clock(); any context. */
static __always_inline u64 perf_clock_at(const struct perf_event_clock *clock, u64 now)
{
	/* Pairs with perf_clock_start(), which stores the offset, and perf_clock_stop(). */
	int cpu = smp_load_acquire(&clock->cpu);
	u64 time = atomic64_read(&clock->time);
	s64 ahead = now + atomic64_read(&clock->offset) - time;

	/* The clocks of two CPUs may differ a little; the time never decreases. */
	return cpu >= 0 && ahead > 0 ? time + ahead : time;
}

/*
 * perf_clock_at(), for a writer that starts or stops times of events at @now. The result is stored
 * in the clock, so that no CPU reads an earlier time afterwards. The context's lock is held.
 */
static __always_inline u64 perf_clock_advance(struct perf_event_clock *clock, u64 now)
{
	u64 time = perf_clock_at(clock, now);

	atomic64_set(&clock->time, time);
	return time;
}

/**
 * perf_clock_start - start a stopped clock on this CPU
 * @clock: the clock, whose context's lock is held
 * @now: perf_clock()
 *
 * The clock continues at the time at which it stopped, so readers need no announcement.
 */
static __always_inline void perf_clock_start(struct perf_event_clock *clock, u64 now)
{
	if (WARN_ON_ONCE(perf_clock_runs(clock)))
		return;
	atomic64_set(&clock->offset, atomic64_read(&clock->time) - now);
	/* Pairs with perf_clock_at(): a reader of a running clock sees its offset. */
	smp_store_release(&clock->cpu, smp_processor_id());
}

/**
 * perf_clock_stop - stop a running clock
 * @clock: the clock, whose context's lock is held
 * @now: perf_clock(), read after perf_change_announce()
 */
static __always_inline void perf_clock_stop(struct perf_event_clock *clock, u64 now)
{
	u64 time = atomic64_read(&clock->time);
	s64 ahead = now + atomic64_read(&clock->offset) - time;

	if (WARN_ON_ONCE(!perf_clock_runs(clock)))
		return;
	if (ahead > 0)
		atomic64_set(&clock->time, time + ahead);
	PERF_TIME_STEP();
	/* Pairs with perf_clock_at(): a reader of a stopped clock sees its time. */
	smp_store_release(&clock->cpu, -1);
}

/*
 * perf_clock() at the stop of a stopped clock, which keeps the offset with which it ran; 0 if the
 * clock has never run. The context's lock is held, or the context's task has exited.
 */
static __always_inline u64 perf_clock_stopped(const struct perf_event_clock *clock)
{
	return atomic64_read(&clock->time) - atomic64_read(&clock->offset);
}

/*
 * Announce that times may stop at a moment that the writer is about to read. The full barrier
 * orders the store before the writer's read of perf_clock(). A reader that reads perf_clock() after
 * the writer may read a time later than the moment, but then sees the announcement in its check;
 * see perf_times_try(). A write barrier is not sufficient: the store could stay in this CPU's store
 * buffer until after the change, and the reader's times would decrease later:
 *
 *	a change				perf_times_try()
 *
 *						seq = ctx->seq;  (no change)
 *	ctx->seq |= PERF_CHANGE_ANNOUNCED;
 *	smp_mb();
 *	ctx->now = perf_clock();
 *						now = perf_clock();
 *						time at now, while it still runs
 *						smp_rmb();
 *	a time stops at ctx->now < now		if (ctx->seq == seq)
 *							return that time;
 *
 * With both barriers the reader's last check sees the announcement. Without one of them the
 * reader returns a time later than the one at which the event's time stops.
 */
static __always_inline void perf_change_announce(struct perf_event_context *ctx)
{
	/* Pairs with the read barrier of perf_times_try(). */
	smp_store_mb(ctx->seq, ctx->seq + PERF_CHANGE_ANNOUNCED);
}

/* All changes from here on happen at @now: perf_clock(), read after perf_change_announce(). */
static __always_inline void perf_change_begin(struct perf_event_context *ctx, u64 now)
{
	WRITE_ONCE(ctx->now, now);
	PERF_TIME_STEP();
	/* Pairs with perf_times_try(): a reader that sees a change in progress sees ctx->now. */
	smp_store_release(&ctx->seq, ctx->seq + (PERF_CHANGE_ACTIVE - PERF_CHANGE_ANNOUNCED));
	/* Pairs with smp_rmb() in perf_times_try(): a reader of a changed time sees this seq. */
	smp_wmb();
}

/* End a change; @state is its state in ctx->seq, PERF_CHANGE_ANNOUNCED or PERF_CHANGE_ACTIVE. */
static __always_inline void perf_change_end(struct perf_event_context *ctx, unsigned int state)
{
	/* Pairs with perf_times_try(): a reader that sees the end sees all of the change. */
	smp_store_release(&ctx->seq, ctx->seq + (PERF_CHANGE_STATE + 1 - state));
}

/* Get the clock of an event's times: that of its cgroup on its CPU, or of its context. */
static __always_inline struct perf_event_clock *
perf_event_clock(const struct perf_event *event, struct perf_event_context *ctx)
{
#ifdef CONFIG_CGROUP_PERF
	if (event->cgrp)
		return &per_cpu_ptr(event->cgrp->info, READ_ONCE(event->cpu))->clock;
#endif
	return &ctx->clock;
}

/**
 * struct perf_change_time - ctx->now of the current change, converted to one clock
 * @clock: the clock, NULL at first
 * @now: time of @clock
 *
 * Saves the conversion for most of many groups, as nearly all have the same clock. Valid until the
 * change ends, because no clock advances during a change.
 */
struct perf_change_time {
	const struct perf_event_clock	*clock;
	u64				now;
};

/*
 * ctx->now of the current change, converted to the event's clock, for one of many events of a
 * context. The context's lock is held.
 */
static __always_inline u64 perf_change_time_of(struct perf_change_time *time,
					       const struct perf_event *event)
{
	struct perf_event_context *ctx = event->ctx;
	struct perf_event_clock *clock = perf_event_clock(event, ctx);

	if (clock != time->clock) {
		WARN_ON_ONCE((ctx->seq & PERF_CHANGE_STATE) != PERF_CHANGE_ACTIVE);
		time->clock = clock;
		time->now = perf_clock_advance(clock, ctx->now);
	}
	return time->now;
}

/* Both times of an event at @now by its clock */
static __always_inline void perf_times_at(const struct perf_event *event, u64 now,
					  struct perf_times *times)
{
	times->enabled = perf_time_at(atomic64_read(&event->time_enabled), now);
	PERF_TIME_STEP();
	times->running = perf_time_at(atomic64_read(&event->time_running), now);
}

/* Start both times of an event, which are stopped at 0, at time 0 of its clock. */
static __always_inline void perf_times_begin(struct perf_event *event)
{
	atomic64_set(&event->time_enabled, PERF_TIME_RUNS);
	atomic64_set(&event->time_running, PERF_TIME_RUNS);
}

/**
 * perf_times_try - read an event's times
 * @event: the event
 * @wait: give up if a change is announced, because its moment may be earlier than these times
 * @times: filled in, unless the reader gives up
 *
 * Context: any.
 * Return: true if the times are exact: they are those of one moment, and no reader has seen
 * later ones before or sees earlier ones afterwards. If false, the clock or the event may have
 * been started or stopped during the call, and the duration of the call may be counted wrongly.
 */
static __always_inline bool perf_times_try(const struct perf_event *event, bool wait,
					   struct perf_times *times)
{
	struct perf_event_context *ctx;
	unsigned int seq;
	bool exact;
	u64 now;

	do {
		/* Use only this context below, even if the event moves to another CPU's context. */
		ctx = READ_ONCE(event->ctx);
		/* Pairs with perf_change_begin() and perf_change_end(). */
		seq = smp_load_acquire(&ctx->seq);
		exact = (seq & PERF_CHANGE_STATE) != PERF_CHANGE_ANNOUNCED;
		if (!exact && wait)
			return false;
		PERF_TIME_STEP();
		now = seq & PERF_CHANGE_ACTIVE ? READ_ONCE(ctx->now) : perf_clock();
		times->when = now;
		PERF_TIME_STEP();
		perf_times_at(event, perf_clock_at(perf_event_clock(event, ctx), now), times);
		/*
		 * Pairs with perf_change_announce(). ctx->seq differs below if a word of a later
		 * change has been read, or if perf_clock() has been read after the moment of a
		 * later change. event->ctx differs below if the event's times run by another clock
		 * now: the new context was stored before the change that starts them. perf_clock()
		 * reads a hardware counter, not memory: the counter must not be read before an
		 * earlier memory access, nor after a later load.
		 */
		smp_rmb();
		/*
		 * An event moves once for each CPU that is taken offline. If it has moved away
		 * and back, ctx->seq differs below: event->ctx was stored within a change of the
		 * new context. The acquire orders the loads of event->ctx and ctx->seq.
		 */
	} while (unlikely(smp_load_acquire(&event->ctx) != ctx));

	return exact && READ_ONCE(ctx->seq) == seq;
}

/**
 * perf_times_read - read an event's times without waiting
 * @event: the event
 * @times: filled in
 *
 * A reader that has interrupted a change cannot wait for the end of that change, and another CPU
 * may make one change after another. So the number of attempts is limited. If all of them fail, the
 * times are those of the last attempt, which may not be exact; no span of time is counted twice.
 *
 * Context: any.
 * Return: true if the times are exact; see perf_times_try()
 */
static __always_inline bool perf_times_read(const struct perf_event *event,
					    struct perf_times *times)
{
	int tries;

	for (tries = PERF_TIMES_TRIES; tries; tries--) {
		if (likely(perf_times_try(event, tries > 1, times)))
			return true;
		cpu_relax();
	}
	/* A time that was started or stopped during the read may be out of range. */
	times->enabled = max_t(s64, times->enabled, 0);
	times->running = clamp_t(s64, times->running, 0, times->enabled);
	return false;
}

/**
 * perf_times_clock_stopped - read an event's times if its clock is stopped, as for most inherited
 * events
 * @event: an event of a task: it uses its context's clock, and never moves
 * @times: enabled and running are filled in on success
 *
 * As perf_times_try() with @wait, but without the cost of perf_clock().
 *
 * Context: any.
 * Return: true if the times are those of one moment, false if the clock runs or may have
 * changed during the call
 */
static __always_inline bool perf_times_clock_stopped(const struct perf_event *event,
						     struct perf_times *times)
{
	struct perf_event_context *ctx = event->ctx;
	/* Pairs with perf_change_begin() and perf_change_end(). */
	unsigned int seq = smp_load_acquire(&ctx->seq);

	if (seq & PERF_CHANGE_STATE)
		return false;
	PERF_TIME_STEP();
	/* Pairs with perf_clock_stop(): a reader of a stopped clock sees its time. */
	if (smp_load_acquire(&ctx->clock.cpu) >= 0)
		return false;
	PERF_TIME_STEP();
	perf_times_at(event, atomic64_read(&ctx->clock.time), times);
	/*
	 * Pairs with smp_wmb() in perf_change_begin(), and with smp_store_mb() in
	 * perf_change_announce() where a context stops its clock: if a time of a later change
	 * has been read, ctx->seq differs below. The clock's time also changes only within a
	 * change.
	 */
	smp_rmb();
	return READ_ONCE(ctx->seq) == seq;
}

#endif /* _KERNEL_EVENTS_TIME_SEQ_H */
