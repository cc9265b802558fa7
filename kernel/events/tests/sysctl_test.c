// SPDX-License-Identifier: GPL-2.0
/* Unit tests of sysctl.c, included at its end: limit on the CPU time of sampling */
#include <kunit/test.h>

/**
 * struct limits - values derived from the sysctls
 * @rate: perf_event_max_sample_rate
 * @percent: perf_cpu_time_max_percent
 * @per_tick: perf_max_samples_per_tick
 * @period: perf_sample_period_ns
 * @allowed: perf_sysctl_sample_allowed_ns
 */
struct limits {
	int		rate;
	int		percent;
	int		per_tick;
	int		period;
	unsigned int	allowed;
};

static struct limits limits_get(void)
{
	return (struct limits){
		sysctl_perf_event_sample_rate, sysctl_perf_cpu_time_max_percent,
		perf_max_samples_per_tick, perf_sample_period_ns, perf_sysctl_sample_allowed_ns,
	};
}

static void sysctl_test_clear_averages(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu(took_sum, cpu), 0);
}

static void limits_put(const struct limits *was)
{
	/* The next interrupt would compare an average of the test with the restored limit. */
	sysctl_test_clear_averages();
	/* Restore the limit first: with a test's limit, an interrupt could lower the rate again. */
	perf_sysctl_sample_allowed_ns = was->allowed;
	perf_sysctl_set_bound();
	sysctl_perf_event_sample_rate = was->rate;
	sysctl_perf_cpu_time_max_percent = was->percent;
	perf_max_samples_per_tick = was->per_tick;
	perf_sample_period_ns = was->period;
}

/* Set both values like writes to the sysctls. */
static void limits_set(int rate, int percent)
{
	sysctl_perf_event_sample_rate = rate;
	sysctl_perf_cpu_time_max_percent = percent;
	perf_max_samples_per_tick = DIV_ROUND_UP(rate, HZ);
	perf_sample_period_ns = NSEC_PER_SEC / rate;
	perf_sysctl_set_share(percent);
}

/*
 * Sampling interrupts of other events, for example of the NMI watchdog, lower the rate, too. Each
 * changes the average of its CPU. A test whose values such an interrupt may have changed is
 * repeated.
 */
#define SYSCTL_TEST_TRIES	100

/* Is @sum that of this CPU, and zero that of each other CPU? */
static bool sysctl_test_has_averages(u64 sum)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (READ_ONCE(per_cpu(took_sum, cpu)) != (cpu == smp_processor_id() ? sum : 0))
			return false;
	}
	return true;
}

/* Set both values. Return: the derived values */
static struct limits sysctl_test_set(struct kunit *test, int rate, int percent)
{
	struct limits set;
	unsigned int i;

	guard(migrate)();
	for (i = 0; i < SYSCTL_TEST_TRIES; i++) {
		sysctl_test_clear_averages();
		limits_set(rate, percent);
		set = limits_get();
		if (sysctl_test_has_averages(0))
			return set;
	}
	KUNIT_FAIL(test, "each try had an interrupt");
	return set;
}

static void sysctl_share(struct kunit *test)
{
	struct limits was = limits_get();

	KUNIT_EXPECT_EQ(test, sysctl_test_set(test, 100000, 25).allowed, 2500);
	KUNIT_EXPECT_EQ(test, sysctl_test_set(test, 1, 99).allowed, 990000000);
	KUNIT_EXPECT_EQ(test, sysctl_test_set(test, 1000, 0).allowed, 0);
	KUNIT_EXPECT_EQ(test, sysctl_test_set(test, 1000, 100).allowed, 0);
	/* A limit close to zero differs from no limit. */
	KUNIT_EXPECT_EQ(test, sysctl_test_set(test, 500000000, 1).allowed, 1);
	limits_put(&was);
}

static void sysctl_fit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, perf_sysctl_samples_that_fit(TICK_NSEC / 10, 50), 5);
	KUNIT_EXPECT_EQ(test, perf_sysctl_samples_that_fit(TICK_NSEC, 50), 1);
	KUNIT_EXPECT_EQ(test, perf_sysctl_samples_that_fit(10ULL * NSEC_PER_SEC, 1), 1);
	KUNIT_EXPECT_EQ(test, perf_sysctl_samples_that_fit(0, 100), TICK_NSEC);
}

/**
 * struct sysctl_test_run - simulated interrupts
 * @sum: the sum of this CPU that they cause
 * @rises: the rate has risen
 * @alone: no other interrupt was seen
 */
struct sysctl_test_run {
	u64	sum;
	bool	rises;
	bool	alone;
};

static struct sysctl_test_run sysctl_test_interrupts(u64 ns)
{
	struct sysctl_test_run run = { .alone = true };
	unsigned int i;

	for (i = 0; i < 5000; i++) {
		unsigned int allowed = perf_sysctl_sample_allowed_ns;
		int before = sysctl_perf_event_sample_rate;

		perf_sample_event_took(ns);
		run.rises |= sysctl_perf_event_sample_rate > before;
		run.sum += ns - (run.sum >> TOOK_SHIFT);
		run.alone &= this_cpu_read(took_sum) == run.sum;
		/* The call may overwrite the average of an interrupt that occurs during it. */
		run.alone &= run.sum >> TOOK_SHIFT > allowed ||
			     perf_sysctl_sample_allowed_ns == allowed;
	}
	return run;
}

/*
 * With sample rate @rate and CPU limit @percent, simulate interrupts that take @ns each, often
 * enough for the average to settle. Repeat this if another interrupt has disturbed the average.
 * Return: the limits at the end
 */
static struct limits sysctl_test_load(struct kunit *test, int rate, int percent, u64 ns)
{
	struct sysctl_test_run run;
	struct limits after;
	unsigned int i;

	guard(migrate)();
	for (i = 0; i < SYSCTL_TEST_TRIES; i++) {
		sysctl_test_clear_averages();
		limits_set(rate, percent);
		run = sysctl_test_interrupts(ns);
		after = limits_get();
		if (run.alone && sysctl_test_has_averages(run.sum)) {
			KUNIT_EXPECT_FALSE(test, run.rises);
			return after;
		}
	}
	KUNIT_FAIL(test, "each try had another interrupt, or the average is wrong");
	return after;
}

static void sysctl_rate_follows_cost(struct kunit *test)
{
	struct limits was = limits_get();
	static const int rates[] = { 1, 50, 999, 4000, 100000, 1000000 };
	static const int percents[] = { 1, 25, 99 };
	static const u64 costs[] = { 1, 500, 2500, 10000, 1000000, NSEC_PER_SEC };
	unsigned int r, p, c;
	struct limits end;

	for (r = 0; r < ARRAY_SIZE(rates); r++) {
		for (p = 0; p < ARRAY_SIZE(percents); p++) {
			for (c = 0; c < ARRAY_SIZE(costs); c++) {
				u64 budget = (u64)NSEC_PER_SEC / 100 * percents[p];

				end = sysctl_test_load(test, rates[r], percents[p], costs[c]);
				KUNIT_EXPECT_GE(test, end.rate, 1);
				KUNIT_EXPECT_LE(test, end.rate, rates[r]);
				KUNIT_EXPECT_GE(test, end.per_tick, 1);
				/* The minimum rate is one sample per tick. */
				if (end.rate > HZ)
					KUNIT_EXPECT_LE(test, costs[c] * end.rate,
							budget + budget / 8);
				/* A load within the budget does not change the rate. */
				if (costs[c] * rates[r] <= budget - budget / 8)
					KUNIT_EXPECT_EQ(test, end.rate, rates[r]);
			}
		}
	}

	/* Without a limit the cost of samples is not measured. */
	KUNIT_EXPECT_EQ(test, sysctl_test_load(test, 100000, 0, NSEC_PER_SEC).rate, 100000);
	KUNIT_EXPECT_EQ(test, sysctl_test_load(test, 100000, 100, NSEC_PER_SEC).rate, 100000);
	limits_put(&was);
}

/* Write the highest rate to the sysctl. Return: the derived values */
static struct limits sysctl_test_write_highest(struct kunit *test)
{
	const struct ctl_table table = {
		.data	= &sysctl_perf_event_sample_rate,
		.maxlen	= sizeof(sysctl_perf_event_sample_rate),
		.extra1	= SYSCTL_ONE,
	};
	struct limits written;
	unsigned int i;

	guard(migrate)();
	for (i = 0; i < SYSCTL_TEST_TRIES; i++) {
		char text[] = "2147483647";
		size_t len = strlen(text);
		loff_t pos = 0;
		int err;

		sysctl_test_clear_averages();
		limits_set(100000, 25);
		err = perf_event_max_sample_rate_handler(&table, 1, text, &len, &pos);
		written = limits_get();
		KUNIT_EXPECT_EQ(test, err, 0);
		if (sysctl_test_has_averages(0))
			return written;
	}
	KUNIT_FAIL(test, "each try had an interrupt");
	return written;
}

static void sysctl_highest_rate(struct kunit *test)
{
	struct limits was = limits_get();

	KUNIT_EXPECT_GE(test, sysctl_test_write_highest(test).per_tick, INT_MAX / HZ);
	limits_put(&was);
}

static struct kunit_case sysctl_test_cases[] = {
	KUNIT_CASE(sysctl_highest_rate),
	KUNIT_CASE(sysctl_share),
	KUNIT_CASE(sysctl_fit),
	KUNIT_CASE(sysctl_rate_follows_cost),
	{ }
};

static struct kunit_suite sysctl_test_suite = {
	.name		= "perf_sysctl",
	.test_cases	= sysctl_test_cases,
};

kunit_test_suite(sysctl_test_suite);
