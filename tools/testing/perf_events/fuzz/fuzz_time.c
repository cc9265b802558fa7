// SPDX-License-Identifier: GPL-2.0
/*
 * A context's clock and its events' times (time_seq.h, time.c), compared with simple sums. The
 * input is a list of operations on a group and on an event without siblings: the context is
 * switched in and out, events change their states, leaders change the states of their members, and
 * time passes. Time also passes between the steps of a change, where an interrupt reads the times.
 */
#include "fuzz.h"

#define PERF_TIME_STEP()		interrupt()
#define smp_processor_id()		0
#include <linux/lockdep.h>

enum perf_event_state {
	PERF_EVENT_STATE_DEAD = -4,
	PERF_EVENT_STATE_EXIT,
	PERF_EVENT_STATE_ERROR,
	PERF_EVENT_STATE_OFF,
	PERF_EVENT_STATE_INACTIVE,
	PERF_EVENT_STATE_ACTIVE,
};

/* The parts of the kernel's structures that time.h and time.c use. */
struct perf_event_clock {
	atomic64_t	time;
	atomic64_t	offset;
	int		cpu;
};

struct perf_event_context {
	unsigned int		seq;
	raw_spinlock_t		lock;
	struct perf_event_clock	clock;
	u64			now;
};

struct perf_event {
	struct perf_event_context	*ctx;
	struct perf_event		*group_leader;
	enum perf_event_state		state;
	atomic64_t			time_enabled;
	atomic64_t			time_running;
	union {
		u64			total_time_running;
		u64			state_since;
	};
};

#define NR_EVENTS	4
#define NR_MEMBERS	3	/* the first is the leader; the last event has no siblings */

static struct perf_event events[NR_EVENTS];
static struct perf_event_context ctx;

#define for_each_sibling_event(sibling, event)				\
	for ((sibling) = (event) == &events[0] ? &events[1] : &events[NR_MEMBERS]; \
	     (sibling) < &events[NR_MEMBERS]; (sibling)++)

static void interrupt(void);
static u64 wall;		/* the time of this CPU */
static u64 moment;		/* the time that the code under test read last */
static bool in_interrupt;

static u64 local_clock(void)
{
	if (!in_interrupt)
		moment = wall;
	return wall;
}

u64 perf_clock(void);
#include "time_seq.h"
#include "bare/time.c"

/**
 * struct sums - the expected times of an event
 * @enabled: ns
 * @running: ns
 * @ran: ns since its state last changed
 */
struct sums {
	u64	enabled;
	u64	running;
	u64	ran;
};

static struct fuzz_input plan;
static struct sums sums[NR_EVENTS];
static struct perf_times last[NR_EVENTS];	/* the latest exact times */
static bool runs;		/* the context's clock runs */
static u64 context_time, wall_seen;
static bool changing;

/* Return the effective state: a member of a disabled leader is off, too. */
static enum perf_event_state worth(int i)
{
	enum perf_event_state leader = events[0].state;

	if (i > 0 && i < NR_MEMBERS && leader < PERF_EVENT_STATE_INACTIVE)
		return leader;
	return events[i].state;
}

/* Add the time until @now to the sums, by the states of the events. */
static void add_up(u64 now)
{
	u64 passed = runs && (s64)(now - wall_seen) > 0 ? now - wall_seen : 0;
	int i;

	/* If the clock has gone back, time counts only after the clock reaches its former value. */
	if ((s64)(now - wall_seen) > 0)
		wall_seen = now;
	context_time += passed;
	for (i = 0; i < NR_EVENTS; i++) {
		if (worth(i) >= PERF_EVENT_STATE_INACTIVE)
			sums[i].enabled += passed;
		if (worth(i) >= PERF_EVENT_STATE_ACTIVE) {
			sums[i].running += passed;
			sums[i].ran += passed;
		}
	}
}

/* A read returns no less than an earlier read. */
static void check_read(int i, const struct perf_times *before, const struct perf_times *times)
{
	fuzz_assert(times->running <= times->enabled);
	fuzz_assert(times->enabled >= before->enabled && times->running >= before->running);
	if (times->enabled >= last[i].enabled && times->running >= last[i].running)
		last[i] = *times;
}

static void check_all(void)
{
	struct perf_times times, before;
	int i;

	for (i = 0; i < NR_EVENTS; i++) {
		before = last[i];
		times.when = perf_event_times(&events[i], &times.enabled, &times.running);
		check_read(i, &before, &times);
		add_up(times.when);
		fuzz_assert(times.enabled == sums[i].enabled);
		fuzz_assert(times.running == sums[i].running);
	}
	add_up(wall);
	fuzz_assert(perf_clock_at(&ctx.clock, wall) == context_time);
	fuzz_assert((ctx.clock.cpu >= 0) == runs);
}

/* An interrupt at any step: time passes, and all times are read. */
static void interrupt(void)
{
	struct perf_times times;
	u8 what;
	int i;

	if (in_interrupt || !plan.left)
		return;
	what = fuzz_take(&plan, 1);
	in_interrupt = true;
	wall += what & 15;
	for (i = 0; i < NR_EVENTS && what & 128; i++) {
		if (!perf_times_read(&events[i], &times)) {
			/*
			 * While a change reads its time, a reader may get a time that is too late,
			 * by at most the duration of that step.
			 */
			fuzz_assert((ctx.seq & PERF_CHANGE_STATE) == PERF_CHANGE_ANNOUNCED);
			fuzz_assert(times.running <= times.enabled);
			continue;
		}
		check_read(i, &last[i], &times);
		/*
		 * The times during a change are those at the moment of the
		 * change.
		 */
		if (changing) {
			fuzz_assert(times.enabled == sums[i].enabled);
			fuzz_assert(times.running == sums[i].running);
		}
	}
	in_interrupt = false;
}

static void set_states(u8 what)
{
	static const enum perf_event_state states[] = {
		PERF_EVENT_STATE_ERROR, PERF_EVENT_STATE_OFF,
		PERF_EVENT_STATE_INACTIVE, PERF_EVENT_STATE_ACTIVE,
	};
	int i = what & 3, n = 1 + (what >> 6), before;

	perf_context_begin(&ctx);
	add_up(ctx.now);
	changing = true;
	while (n--) {
		struct perf_event *event = &events[i];

		before = event->state;
		if (before == PERF_EVENT_STATE_ACTIVE)
			fuzz_assert(perf_event_time_on_pmu(event) == sums[i].ran);
		perf_event_set_state(event, states[what >> 2 & 3]);
		if (before != (int)event->state)
			sums[i].ran = 0;
		fuzz_assert(event->state == states[what >> 2 & 3]);
		what = fuzz_take(&plan, 1);
		i = what & 3;
	}
	changing = false;
	perf_context_end(&ctx);
}

/* Switch a task in if it is out, and out if it is in. */
static void switch_clock(void)
{
	if (runs) {
		perf_context_stop(&ctx);
		add_up(moment);
		runs = false;
	} else {
		/* The time until the clock starts is counted for no event. */
		wall_seen = wall;
		perf_clock_start(&ctx.clock, perf_clock());
		runs = true;
	}
}

/* Make a change, and continue on a CPU whose clock is slightly behind. */
static void go_back(u64 behind)
{
	in_interrupt = true;
	perf_context_begin(&ctx);
	add_up(ctx.now);
	perf_event_sync_times(&events[0]);
	perf_context_end(&ctx);
	wall -= min(wall, behind);
	in_interrupt = false;
}

static void step(void)
{
	u8 what = fuzz_take(&plan, 1);

	switch (what & 7) {
	case 0:
		switch_clock();
		break;
	case 1:
		wall += fuzz_take(&plan, 1 + (what >> 3 & 3));
		break;
	case 2:
		go_back(what >> 3);
		break;
	case 3:
		check_all();
		break;
	default:
		set_states(fuzz_take(&plan, 1));
	}
}

int fuzz_one_input(const u8 *data, size_t size)
{
	int i;

	plan = (struct fuzz_input){ data, min_t(size_t, size, 512) };
	memset(events, 0, sizeof(events));
	memset(sums, 0, sizeof(sums));
	memset(last, 0, sizeof(last));
	memset(&ctx, 0, sizeof(ctx));
	in_interrupt = true;
	wall = fuzz_take_u64(&plan) >> 3;
	context_time = fuzz_take_u64(&plan) >> 3;
	ctx.clock.cpu = -1;
	atomic64_set(&ctx.clock.time, context_time);
	wall_seen = wall;
	runs = false;
	changing = false;
	for (i = 0; i < NR_EVENTS; i++) {
		events[i].ctx = &ctx;
		events[i].group_leader = i < NR_MEMBERS ? &events[0] : &events[i];
		events[i].state = PERF_EVENT_STATE_OFF;
		/* The event may have moved from a context whose clock has run for longer. */
		sums[i].enabled = fuzz_take_u64(&plan) >> 3;
		sums[i].running = sums[i].enabled >> fuzz_take(&plan, 1) % 8;
		atomic64_set(&events[i].time_enabled, sums[i].enabled << 1);
		atomic64_set(&events[i].time_running, sums[i].running << 1);
	}
	in_interrupt = false;
	while (plan.left)
		step();
	check_all();
	fuzz_assert(!harness_warned);
	return 0;
}
