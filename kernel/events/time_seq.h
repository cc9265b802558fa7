/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a context's clock, its changes and its events' times are written by one
 * CPU and read by others.
 *
 * Writers hold the context's lock. Readers hold nothing, come from any context,
 * and most of them may not wait: they may have interrupted the writer, or the
 * writer may wait for their CPU. So what memory holds between two stores of a writer
 * has to be right, too:
 *
 * - A time of an event is one word: a total while the time stands, and the
 *   moment at which it would have been 0 while it runs. A reader finds the one
 *   or the other.
 * - A clock runs or stands, and stores a time that it has reached. Before it is made
 *   to run, its offset is stored; before it is made to stand, its time is stored.
 * - A change of a context happens at one moment, ctx->now. At that very moment a
 *   time that is stopped or started has the same value before and after. A reader
 *   in the middle of a change computes the times of that moment.
 *
 * That leaves the choice of the moment itself. A writer announces that it is about to
 * read perf_clock(). A reader reads perf_clock() first, and then looks whether there
 * has been an announcement. If there was none, the time that it has read is not later
 * than the moment of any change that follows.
 *
 * No kernel context is needed here: a program in user space includes this file,
 * too, with threads for CPUs, and with PERF_TIME_STEP() defined to spend time at
 * places where others may come in.
 */
#ifndef _KERNEL_EVENTS_TIME_SEQ_H
#define _KERNEL_EVENTS_TIME_SEQ_H

#ifndef PERF_TIME_STEP
#define PERF_TIME_STEP()	do { } while (0)
#endif

/* The lowest bit of a word: the time runs. The others are a signed number. */
#define PERF_TIME_RUNS		1ULL

/* The lowest bits of ctx->seq; all others count changes. */
#define PERF_CHANGE_COMING	1U	/* its moment is being taken */
#define PERF_CHANGE_GOES_ON	2U	/* its moment is ctx->now */
#define PERF_CHANGE_STATE	3U

/* A reader that may not wait tries at most so many times to get exact times. */
#define PERF_TIMES_TRIES	16

/**
 * struct perf_times - an event's times at one moment
 * @enabled: ns, without copies
 * @running: ns, without copies
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

/* Let an event's time run or stand from @now on; the context's lock is held. */
static __always_inline void perf_time_let_run(atomic64_t *time, u64 now, bool runs)
{
	u64 word = atomic64_read(time);

	/* A total becomes the moment at which it was 0, and the other way round. */
	if ((word & PERF_TIME_RUNS) != runs)
		atomic64_set(time, (now - ((s64)word >> 1)) << 1 | runs);
}

/* Make a clock that stands at 0. */
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

/* The CPU that the clock runs on, -1 while it stands. Any context; it may change at once. */
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

	/* Clocks of two CPUs may differ a little; time never goes back. */
	return cpu >= 0 && ahead > 0 ? time + ahead : time;
}

/*
 * The time of a clock at @now, for a change of times that run by it. It is stored, so
 * that from here on no CPU reads an earlier time. The context's lock is held.
 */
static __always_inline u64 perf_clock_advance(struct perf_event_clock *clock, u64 now)
{
	u64 time = perf_clock_at(clock, now);

	atomic64_set(&clock->time, time);
	return time;
}

/**
 * perf_clock_start - let a clock that stands run on this CPU
 * @clock: the clock, whose context's lock is held
 * @now: perf_clock()
 *
 * The clock goes on with the time at which it stopped, so that no announcement to
 * readers is needed.
 */
static __always_inline void perf_clock_start(struct perf_event_clock *clock, u64 now)
{
	if (WARN_ON_ONCE(perf_clock_runs(clock)))
		return;
	atomic64_set(&clock->offset, atomic64_read(&clock->time) - now);
	/* Pairs with perf_clock_at(): a clock that runs has its offset. */
	smp_store_release(&clock->cpu, smp_processor_id());
}

/**
 * perf_clock_stop - halt a clock that runs
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
	/* Pairs with perf_clock_at(): a clock that stands has its time. */
	smp_store_release(&clock->cpu, -1);
}

/*
 * When was a clock that stands stopped, by perf_clock()? Its offset is still that by which
 * it ran. 0 for one that never ran. The context's lock is held, or its task has exited.
 */
static __always_inline u64 perf_clock_stopped(const struct perf_event_clock *clock)
{
	return atomic64_read(&clock->time) - atomic64_read(&clock->offset);
}

/*
 * Announce that times may stop at a moment that the writer is about to read. The full
 * barrier orders the store before the writer's read of perf_clock(). A reader that
 * reads perf_clock() later than this writer may have a time later than the moment,
 * but then finds the announcement when it looks for it; see perf_times_try(). A write
 * barrier would not do: the store could wait in this CPU until after the change, and
 * the reader's time would go back:
 *
 *	a change				perf_times_try()
 *
 *						seq = ctx->seq;  (no change)
 *	ctx->seq |= PERF_CHANGE_COMING;
 *	smp_mb();
 *	ctx->now = perf_clock();
 *						now = perf_clock();
 *						time at now, while it still runs
 *						smp_rmb();
 *	a time stops at ctx->now < now		if (ctx->seq == seq)
 *							return that time;
 *
 * With both barriers the last line of the reader finds the announcement. Without
 * one it returns a time that is later than that which the event stops with.
 */
static __always_inline void perf_change_announce(struct perf_event_context *ctx)
{
	/* Pairs with the read barrier of perf_times_try(). */
	smp_store_mb(ctx->seq, ctx->seq + PERF_CHANGE_COMING);
}

/* All changes from here on happen at @now, perf_clock() read after the announcement. */
static __always_inline void perf_change_go(struct perf_event_context *ctx, u64 now)
{
	WRITE_ONCE(ctx->now, now);
	PERF_TIME_STEP();
	/* Pairs with perf_times_try(): a reader that sees a change going on sees ctx->now. */
	smp_store_release(&ctx->seq, ctx->seq + (PERF_CHANGE_GOES_ON - PERF_CHANGE_COMING));
	/* Pairs with smp_rmb() there: a reader that sees a changed time sees this seq. */
	smp_wmb();
}

/* End a change; @state is PERF_CHANGE_COMING or PERF_CHANGE_GOES_ON, as ctx->seq has it. */
static __always_inline void perf_change_end(struct perf_event_context *ctx, unsigned int state)
{
	/* Pairs with perf_times_try(): a reader that sees the end sees all of the change. */
	smp_store_release(&ctx->seq, ctx->seq + (PERF_CHANGE_STATE + 1 - state));
}

/* The clock by which an event's times run: its cgroup's on its CPU, or its context's. */
static __always_inline struct perf_event_clock *
perf_event_clock(const struct perf_event *event, struct perf_event_context *ctx)
{
#ifdef CONFIG_CGROUP_PERF
	if (event->cgrp)
		return &per_cpu_ptr(event->cgrp->info, READ_ONCE(event->cpu))->clock;
#endif
	return &ctx->clock;
}

/* Both times of an event at @now by its clock. */
static __always_inline void perf_times_at(const struct perf_event *event, u64 now,
					  struct perf_times *times)
{
	times->enabled = perf_time_at(atomic64_read(&event->time_enabled), now);
	PERF_TIME_STEP();
	times->running = perf_time_at(atomic64_read(&event->time_running), now);
}

/* Let both times of an event, which stand at 0, run since its clock was at 0. */
static __always_inline void perf_times_begin(struct perf_event *event)
{
	atomic64_set(&event->time_enabled, PERF_TIME_RUNS);
	atomic64_set(&event->time_running, PERF_TIME_RUNS);
}

/**
 * perf_times_try - read an event's times
 * @event: the event
 * @wait: give up rather than read a time that may be later than a change's
 * @times: filled in, unless the reader gives up
 *
 * Any context. Return: true when the times are those of one moment, and no reader
 * has seen later ones before or will see earlier ones afterwards. If false, the clock
 * or the event may have been stopped or started during the call, and the time of the
 * call may have been counted though it should not be, or the other way round.
 */
static __always_inline bool perf_times_try(const struct perf_event *event, bool wait,
					   struct perf_times *times)
{
	struct perf_event_context *ctx;
	unsigned int seq;
	bool exact;
	u64 now;

	do {
		/* All below is of this context, though the event may move to another CPU's. */
		ctx = READ_ONCE(event->ctx);
		/* Pairs with perf_change_go() and perf_change_end(). */
		seq = smp_load_acquire(&ctx->seq);
		exact = (seq & PERF_CHANGE_STATE) != PERF_CHANGE_COMING;
		if (!exact && wait)
			return false;
		PERF_TIME_STEP();
		now = seq & PERF_CHANGE_GOES_ON ? READ_ONCE(ctx->now) : perf_clock();
		times->when = now;
		PERF_TIME_STEP();
		perf_times_at(event, perf_clock_at(perf_event_clock(event, ctx), now), times);
		/*
		 * Pairs with perf_change_announce(). If a word of a later change has
		 * been read, or if perf_clock() has been read after the moment of a
		 * later change, ctx->seq below differs. If the event's times run by
		 * another clock now, event->ctx below differs: the new context was
		 * stored before the announcement of the change that lets them run so.
		 * perf_clock() reads a counter of the machine, not memory: this relies
		 * on it not to be read before an earlier access of memory, nor after a
		 * later load.
		 */
		smp_rmb();
		/* The event moves once for each CPU that goes offline. */
	} while (unlikely(READ_ONCE(event->ctx) != ctx));

	return exact && READ_ONCE(ctx->seq) == seq;
}

/**
 * perf_times_read - read an event's times without waiting for anybody
 * @event: the event
 * @times: filled in
 *
 * Any context. The number of tries is limited: this reader may have interrupted the
 * change for which it would wait, or another CPU may make one change after another.
 * Then the times are those of the last try; no span of time is in them twice.
 * Return: whether the times are exact; see perf_times_try().
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
	/* A time that has been started or stopped after that moment may be out of range. */
	times->enabled = max_t(s64, times->enabled, 0);
	times->running = clamp_t(s64, times->running, 0, times->enabled);
	return false;
}

/**
 * perf_times_standing - read an event's times if its clock stands, as those of most copies do
 * @event: an event of a task: it has its context's clock, and never moves to another
 * @times: enabled and running are filled in if this succeeds
 *
 * Like perf_times_try() of a reader that waits, without the price of perf_clock(): a clock
 * that stands has its time. Any context. Return: true when the times are those of one
 * moment, false when the clock runs or may have changed during the call.
 */
static __always_inline bool perf_times_standing(const struct perf_event *event,
						struct perf_times *times)
{
	struct perf_event_context *ctx = event->ctx;
	/* Pairs with perf_change_go() and perf_change_end(). */
	unsigned int seq = smp_load_acquire(&ctx->seq);

	if (seq & PERF_CHANGE_STATE)
		return false;
	PERF_TIME_STEP();
	/* Pairs with perf_clock_stop(): a clock that stands has its time. */
	if (smp_load_acquire(&ctx->clock.cpu) >= 0)
		return false;
	PERF_TIME_STEP();
	perf_times_at(event, atomic64_read(&ctx->clock.time), times);
	/*
	 * Pairs with smp_wmb() in perf_change_go(), and with smp_store_mb() in
	 * perf_change_announce() where a context stops its clock: if a time of a later change
	 * has been read, ctx->seq below differs. The clock's time, too, changes only in a change.
	 */
	smp_rmb();
	return READ_ONCE(ctx->seq) == seq;
}

#endif /* _KERNEL_EVENTS_TIME_SEQ_H */
