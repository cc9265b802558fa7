// SPDX-License-Identifier: GPL-2.0
/*
 * A context's clock, its changes and an event's times, with the kernel's source
 * (kernel/events/time_seq.h): one or two writers that hold the context's lock, and readers on other
 * CPUs. Time is the machine's counter, which all CPUs share. For a reader, time must never
 * decrease, running must not exceed enabled, and neither may exceed the time that has passed. Some
 * readers may not wait for a writer. If a writer is preempted in the few instructions that take the
 * time of a change, such a reader may get a time that is too late, by at most the preemption.
 */
#include "harness.h"
#include "rcu.h"

enum perf_event_state {
	PERF_EVENT_STATE_OFF,
	PERF_EVENT_STATE_INACTIVE,
	PERF_EVENT_STATE_ACTIVE,
};

/* The parts of the kernel's structures that the protocol uses. */
struct perf_event_clock {
	atomic64_t	time;
	atomic64_t	offset;
	int		cpu;
};

struct perf_event_context {
	raw_spinlock_t		lock;
	unsigned int		seq;
	struct perf_event_clock	clock;
	u64			now;
};

struct perf_event {
	struct perf_event_context	*ctx;
	atomic64_t			time_enabled;
	atomic64_t			time_running;
};

static inline u64 perf_clock(void)
{
#if defined(__x86_64__)
	u32 low, high;

	__asm__ __volatile__("lfence; rdtsc; lfence" : "=a" (low), "=d" (high) : : "memory");
	return (u64)high << 32 | low;
#elif defined(__aarch64__)
	u64 now;

	__asm__ __volatile__("isb; mrs %0, cntvct_el0" : "=r" (now) : : "memory");
	return now;
#else
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
#endif
}

/* Wait at a few steps, so that another CPU advances, or until the event moves. */
static __thread u64 step_seed;
static __thread bool step_until_move;
static void wait_for_move(void);

static inline void step(void)
{
	if (step_until_move && harness_random(&step_seed) % 16 == 0)
		wait_for_move();
	if (harness_random(&step_seed) % 32 == 0)
		harness_dawdle(&step_seed, 500);
}

#define PERF_TIME_STEP()	step()
#define smp_processor_id()	0
#include "time_seq.h"

/**
 * struct setup - the state of one run
 * @ctx: two contexts, the second one for an event that moves
 * @event: the event that is read
 * @began: perf_clock() before the first change
 * @changes: number of changes by the writers
 * @reads: number of reads by the readers
 * @late: number of reads whose time may be too late
 * @back: number of reads that were earlier than a previous one
 * @most: the largest such difference, in units of perf_clock()
 * @torn: number of reads whose times contradict each other or the clock
 * @changed: not 0 after some changes by one writer
 * @seen: not 0 after some reads by one reader
 */
struct setup {
	struct perf_event_context	ctx[2] ____cacheline_aligned;
	struct perf_event		event ____cacheline_aligned;
	u64				began;
	u64				changes, reads, late, back, most, torn;
	u64				changed, seen;
};

/* The least number of changes and of reads in a run, even on a busy host */
#define MEETINGS	100

/* The counters of two CPUs differ slightly for a moment, if the CPUs are virtual. */
#define COUNTER_SLACK	1000

/*
 * The most times within COUNTER_SLACK that may be earlier than a previous one, in a run. Without
 * the barrier of perf_change_announce() there are more in most runs.
 */
#define BACK_MOST	8

static struct setup s;
static bool readers_wait, event_moves, readers_try_standing;

/* The event is in one context when a reader begins, and in another one or back when it ends. */
static void wait_for_move(void)
{
	const struct perf_event_context *ctx = READ_ONCE(s.event.ctx);

	while (READ_ONCE(s.event.ctx) == ctx && harness_goes_on())
		cpu_relax();
}

static void set_state(enum perf_event_state state, u64 now, u64 *seed)
{
	perf_time_set_running(&s.event.time_enabled, now, state >= PERF_EVENT_STATE_INACTIVE);
	harness_dawdle(seed, 20);
	perf_time_set_running(&s.event.time_running, now, state >= PERF_EVENT_STATE_ACTIVE);
}

/* Set two states at one moment: no reader may see the first one. */
static void change(struct perf_event_context *ctx, enum perf_event_state state, u64 *seed)
{
	u64 now;

	perf_change_announce(ctx);
	perf_change_begin(ctx, perf_clock());
	now = perf_clock_advance(&ctx->clock, ctx->now);
	set_state(harness_random(seed) % 3, now, seed);
	harness_dawdle(seed, 20);
	set_state(state, now, seed);
	perf_change_end(ctx, PERF_CHANGE_ACTIVE);
}

static void sched_out(struct perf_event_context *ctx)
{
	perf_change_announce(ctx);
	perf_clock_stop(&ctx->clock, perf_clock());
	perf_change_end(ctx, PERF_CHANGE_ANNOUNCED);
}

/* Change the clock and the event as enable, disable and switches do. */
static void write_all(void *arg)
{
	struct perf_event_context *ctx = &s.ctx[0];
	u64 seed = (u64)(uintptr_t)arg * 2654435761ULL + 1;
	u64 n = 0;

	step_seed = seed;
	while (harness_goes_on()) {
		raw_spin_lock(&ctx->lock);
		switch (harness_random(&seed) % 4) {
		case 0:
			if (ctx->clock.cpu < 0)
				perf_clock_start(&ctx->clock, perf_clock());
			else
				sched_out(ctx);
			break;
		default:
			change(ctx, harness_random(&seed) % 3, &seed);
		}
		raw_spin_unlock(&ctx->lock);
		harness_dawdle(&seed, 300);
		if (++n == MEETINGS)
			WRITE_ONCE(s.changed, 1);
	}
	__atomic_fetch_add(&s.changes, n, __ATOMIC_RELAXED);
}

static void leave(struct perf_event_context *from, u64 *seed)
{
	raw_spin_lock(&from->lock);
	change(from, PERF_EVENT_STATE_OFF, seed);
	raw_spin_unlock(&from->lock);
}

static void enter(struct perf_event_context *to, u64 *seed)
{
	raw_spin_lock(&to->lock);
	perf_change_announce(to);
	WRITE_ONCE(s.event.ctx, to);
	harness_dawdle(seed, 500);
	perf_change_end(to, PERF_CHANGE_ANNOUNCED);
	change(to, PERF_EVENT_STATE_ACTIVE, seed);
	raw_spin_unlock(&to->lock);
}

/*
 * Move the event as perf_pmu_migrate_context() does, with a grace period, between two clocks that
 * are far apart. A reader that waits may be preempted during several moves.
 */
static void migrate(void *unused)
{
	u64 seed = 1, n = 0;

	step_seed = seed;
	while (harness_goes_on()) {
		leave(&s.ctx[n & 1], &seed);
		harness_dawdle(&seed, 100);
		synchronize_rcu();
		enter(&s.ctx[~n & 1], &seed);
		harness_dawdle(&seed, 1000);
		if (++n == MEETINGS)
			WRITE_ONCE(s.changed, 1);
	}
	s.changes = n;
}

/* Read the times. Return: whether they are exact. */
static bool read_times(struct perf_times *times)
{
	bool exact;

	/* perf_times_clock_stopped() does not set @when: use any earlier time. */
	times->when = s.began;
	if (readers_try_standing && perf_times_clock_stopped(&s.event, times))
		return true;
	if (!readers_wait) {
		/* With interrupts off, the one reader delays the end of a grace period. */
		rcu_read_lock(0);
		exact = perf_times_read(&s.event, times);
		rcu_read_unlock(0);
		return exact;
	}
	while (!perf_times_try(&s.event, true, times))
		cpu_relax();
	return true;
}

/* Count a time that is earlier than a previous one. */
static void look_back(u64 before, u64 after, u64 *back, u64 *most)
{
	if ((s64)(after - before) >= 0)
		return;
	++*back;
	*most = max(*most, before - after);
}

/*
 * An inexact time must be between the exact times before and after it, plus or minus the time
 * between these: then nothing is counted twice. Both the clock and the event may have been stopped
 * and started meanwhile.
 */
static bool out_of_bounds(const struct perf_times *before, const struct perf_times *low,
			  const struct perf_times *high, const struct perf_times *after)
{
	s64 give = 2 * (perf_clock() - before->when) + COUNTER_SLACK;

	return (s64)(before->enabled - low->enabled) > give ||
		(s64)(before->running - low->running) > give ||
		(s64)(high->enabled - after->enabled) > give ||
		(s64)(high->running - after->running) > give;
}

static void read_all(void *arg)
{
	u64 reads = 0, late = 0, back = 0, torn = 0, most = 0;
	struct perf_times times = {}, last = {}, low = {}, high = {};
	bool bounded = false;

	step_seed = (u64)(uintptr_t)arg + 1;
	/* With interrupts off a reader would wait for a move that waits for the reader. */
	step_until_move = readers_wait && event_moves;
	while (!read_times(&last) && harness_goes_on())
		;
	while (harness_goes_on()) {
		if (++reads == MEETINGS)
			WRITE_ONCE(s.seen, 1);
		if (!read_times(&times)) {
			late++;
			torn += times.running > times.enabled;
			if (!bounded) {
				low = times;
				high = times;
			}
			low.enabled = min(low.enabled, times.enabled);
			low.running = min(low.running, times.running);
			high.enabled = max(high.enabled, times.enabled);
			high.running = max(high.running, times.running);
			bounded = true;
			continue;
		}
		torn += times.running > times.enabled ||
			times.enabled > perf_clock() - s.began + COUNTER_SLACK ||
			(bounded && out_of_bounds(&last, &low, &high, &times));
		bounded = false;
		look_back(last.enabled, times.enabled, &back, &most);
		look_back(last.running, times.running, &back, &most);
		last = times;
	}
	__atomic_fetch_add(&s.reads, reads, __ATOMIC_RELAXED);
	__atomic_fetch_add(&s.late, late, __ATOMIC_RELAXED);
	__atomic_fetch_add(&s.back, back, __ATOMIC_RELAXED);
	__atomic_fetch_add(&s.torn, torn, __ATOMIC_RELAXED);
	if (most > s.most)
		s.most = most;
}

static void run(const char *name, void (*writer)(void *), unsigned int writers, bool wait,
		double seconds)
{
	struct harness_thread threads[3] = {
		{ writer, (void *)1 },
		{ writers > 1 ? writer : read_all, (void *)2 },
		{ read_all, (void *)3 },
	};

	memset(&s, 0, sizeof(s));
	s.began = perf_clock();
	s.event.ctx = &s.ctx[0];
	s.ctx[0].clock.cpu = -1;
	s.ctx[1].clock.cpu = -1;
	/* Simulate a CPU with a longer uptime. */
	atomic64_set(&s.ctx[1].clock.time, 1LL << 50);
	perf_clock_start(&s.ctx[0].clock, s.began);
	perf_clock_start(&s.ctx[1].clock, s.began);
	readers_wait = wait;
	event_moves = writer == migrate;

	harness_run(threads, writers > 1 ? 3 : 2, seconds);
	ktap_note("%llu changes, %llu reads: %llu late, %llu back by up to %llu, %llu torn",
		  (unsigned long long)s.changes, (unsigned long long)s.reads,
		  (unsigned long long)s.late, (unsigned long long)s.back,
		  (unsigned long long)s.most, (unsigned long long)s.torn);
	ktap_result(s.changes && s.reads && s.back <= BACK_MOST && s.most <= COUNTER_SLACK &&
		    !s.torn, name);
}

int main(int argc, char **argv)
{
	double seconds = harness_seconds(argc, argv) / 8;

	harness_need(&s.changed);
	harness_need(&s.seen);
	ktap_plan(8);
	run("a reader that waits", write_all, 1, true, seconds);
	run("a reader that may not wait", write_all, 1, false, seconds);
	run("two writers, a reader that waits", write_all, 2, true, seconds);
	run("two writers, a reader that may not wait", write_all, 2, false, seconds);
	run("an event that moves to another clock", migrate, 1, true, seconds);
	run("the same, and a reader that may not wait", migrate, 1, false, seconds);
	readers_try_standing = true;
	run("a reader that first looks for a stopped clock", write_all, 1, true, seconds);
	run("two writers, a reader that first looks for a stopped clock", write_all, 2, true,
	    seconds);
	return ktap_end();
}
