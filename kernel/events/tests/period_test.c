// SPDX-License-Identifier: GPL-2.0
/*
 * Periods for frequencies: the arithmetic, and an event of a CPU sampled for a second under loads
 * of many kinds
 */
#include <kunit/test.h>

#include "../period.h"

static void period_of_a_rate(struct kunit *test)
{
	static const u64 values[] = { 0, 1, 2, 999, NSEC_PER_SEC, U32_MAX, S64_MAX, U64_MAX };
	unsigned int i, j, k;

	/*
	 * A count of a million in a tick of 4 ms, sampled at 1000 Hz, requires a period of
	 * 250000.
	 */
	KUNIT_EXPECT_EQ(test, perf_period_for(1000, 1000000, 4 * NSEC_PER_MSEC), 250000);
	KUNIT_EXPECT_EQ(test, perf_period_for(1, 1, NSEC_PER_SEC), 1);
	KUNIT_EXPECT_EQ(test, perf_period_for(4000, 10, NSEC_PER_SEC), 1);
	KUNIT_EXPECT_EQ(test, perf_period_for(1, 3000000000ULL, NSEC_PER_SEC), 3000000000ULL);
	for (i = 0; i < ARRAY_SIZE(values); i++)
		for (j = 0; j < ARRAY_SIZE(values); j++)
			for (k = 0; k < ARRAY_SIZE(values); k++) {
				u64 period = perf_period_for(values[i], values[j], values[k]);

				KUNIT_ASSERT_GE(test, period, 1);
				KUNIT_ASSERT_LE(test, period, S64_MAX);
			}
}

/* The period approaches the target, and exceeds it by at most the rounding error. */
static void steps_end_at_the_target(struct kunit *test)
{
	u64 now, target, next, last;
	bool known;
	int steps;

	for (now = 1; now < 1ULL << 62; now = now * 3 + 1) {
		for (target = 1; target < 1ULL << 62; target = target * 5 + 2) {
			next = now;
			known = true;
			for (steps = 0; next != target && steps < 600; steps++) {
				last = next;
				next = perf_next_period(last, target, false, &known);
				if (last < target)
					KUNIT_ASSERT_TRUE(test, next > last && next <= target);
				else
					KUNIT_ASSERT_TRUE(test, next < last && next >= target);
			}
			KUNIT_ASSERT_EQ(test, next, target);
			KUNIT_ASSERT_LE(test, perf_next_period(now, target, true, &known),
					max(now, target));
			KUNIT_ASSERT_GE(test, perf_next_period(now, target, true, &known), now);
		}
	}
}

/**
 * struct load - activity of a CPU
 * @name: for messages
 * @rate: the event's count in a second of work
 * @later: the same from LOAD_HALF_US on
 * @busy_us: time of work in each cycle
 * @cycle_us: length of a cycle
 * @ticks: idle CPUs have ticks, and each adds a little to the count
 * @most: maximum number of samples after LOAD_LATE_US, percent of the frequency during work
 */
struct load {
	const char	*name;
	u64		rate, later;
	u32		busy_us, cycle_us;
	bool		ticks;
	u32		most;
};

#define LOAD_STEP_US	20
#define LOAD_HALF_US	USEC_PER_SEC
/* Overflows are counted from this time on. */
#define LOAD_LATE_US	(LOAD_HALF_US + 100 * USEC_PER_MSEC)
/* Count of a tick while idle */
#define LOAD_IDLE_COUNT	3000

/**
 * struct load_event - an event of the CPU
 * @period: its period
 * @left: remaining count until the overflow
 * @count: count since the last tick
 * @known: see perf_next_period()
 * @samples: number of samples since LOAD_LATE_US
 * @last_us: time of the last sample
 * @close: two samples were closer than a tenth of the frequency's interval
 */
struct load_event {
	u64	period;
	s64	left;
	u64	count;
	bool	known;
	u64	samples;
	u64	last_us;
	bool	close;
};

static void load_count(struct load_event *event, u64 count, u64 now_us, u64 freq)
{
	event->count += count;
	event->left -= count;
	for (; event->left <= 0; event->left += event->period) {
		if (event->last_us && (now_us - event->last_us) * 10 * freq < USEC_PER_SEC)
			event->close = true;
		event->last_us = now_us;
		event->samples += now_us >= LOAD_LATE_US;
	}
}

static void load_tick(struct load_event *event, u64 freq, u64 tick_ns, u64 ns, u64 idle_ns,
		      bool idle)
{
	u64 target;

	if (event->count) {
		ns = perf_tick_interval(ns, idle_ns, tick_ns);
		target = perf_period_for(freq, event->count, ns);
		event->period = perf_next_period(event->period, target, idle, &event->known);
		if (event->left / 8 > (s64)event->period)
			event->left = event->period;
	}
	event->count = 0;
}

static void load_run(struct kunit *test, const struct load *load, u32 hz, u64 freq)
{
	struct load_event event = { .period = 500000000 / freq };
	u64 now, tick_us = USEC_PER_SEC / hz, next = tick_us, last = 0, worked = 0, idle_us = 0;
	u64 samples;

	event.left = event.period;
	for (now = 0; now < 2 * LOAD_HALF_US; now += LOAD_STEP_US) {
		u64 rate = now < LOAD_HALF_US ? load->rate : load->later;
		bool busy = now % load->cycle_us < load->busy_us;

		if (busy) {
			load_count(&event, rate * LOAD_STEP_US / USEC_PER_SEC, now, freq);
			worked += now >= LOAD_LATE_US ? LOAD_STEP_US : 0;
		}
		idle_us += busy ? 0 : LOAD_STEP_US;
		if (now < next)
			continue;
		next += tick_us;
		if (!busy && !load->ticks)
			continue;
		if (!busy)
			load_count(&event, LOAD_IDLE_COUNT, now, freq);
		load_tick(&event, freq, tick_us * NSEC_PER_USEC, (now - last) * NSEC_PER_USEC,
			  idle_us * NSEC_PER_USEC, !busy);
		last = now;
		idle_us = 0;
	}
	samples = event.samples * 100;
	worked = worked * freq / USEC_PER_SEC;
	KUNIT_EXPECT_GE_MSG(test, samples, worked * 80, "%s, HZ %u, %llu Hz", load->name, hz, freq);
	KUNIT_EXPECT_LE_MSG(test, samples, worked * load->most, "%s, HZ %u, %llu Hz", load->name,
			    hz, freq);
	if (load->rate >= load->later)
		KUNIT_EXPECT_FALSE_MSG(test, event.close, "%s, HZ %u, %llu Hz", load->name, hz,
				       freq);
}

/*
 * While the CPU works, the frequency is accurate to a fifth, and no two samples are closer than a
 * tenth of its interval. Only a load that suddenly increases by a factor of 1000 results in a
 * burst, for at most 100 ms.
 */
static void loads_are_sampled_evenly(struct kunit *test)
{
	static const struct load loads[] = {
		{ "fast", 3000000000, 3000000000, 1, 1, false, 120 },
		{ "slow", 1000000, 1000000, 1, 1, false, 120 },
		{ "grows", 1000000, 1000000000, 1, 1, false, 120 },
		{ "shrinks", 1000000000, 1000000, 1, 1, false, 120 },
		{ "bursts", 1000000000, 1000000000, 2300, 31700, false, 120 },
		{ "long bursts", 1000000000, 1000000000, 30000, 71300, false, 120 },
		/* With ticks while idle, a tick may measure a rate over both work and idle time. */
		{ "bursts, ticks", 1000000000, 1000000000, 12300, 51700, true, 200 },
		{ "long bursts, ticks", 1000000000, 1000000000, 30000, 71300, true, 150 },
	};
	static const u32 hz[] = { 100, 250, 1000 };
	static const u64 freq[] = { 99, 1000, 4000 };
	unsigned int i, j, k;

	for (i = 0; i < ARRAY_SIZE(loads); i++)
		for (j = 0; j < ARRAY_SIZE(hz); j++)
			for (k = 0; k < ARRAY_SIZE(freq); k++)
				load_run(test, &loads[i], hz[j], freq[k]);
}

static struct kunit_case period_cases[] = {
	KUNIT_CASE(period_of_a_rate),
	KUNIT_CASE(steps_end_at_the_target),
	KUNIT_CASE_SLOW(loads_are_sampled_evenly),
	{}
};

static struct kunit_suite period_suite = {
	.name		= "perf_period",
	.test_cases	= period_cases,
};

kunit_test_suite(period_suite);
