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

static void limits_put(const struct limits *was)
{
	sysctl_perf_event_sample_rate = was->rate;
	sysctl_perf_cpu_time_max_percent = was->percent;
	perf_max_samples_per_tick = was->per_tick;
	perf_sample_period_ns = was->period;
	perf_sysctl_sample_allowed_ns = was->allowed;
	perf_sysctl_set_bound();
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

static void sysctl_share(struct kunit *test)
{
	struct limits was = limits_get();

	limits_set(100000, 25);
	KUNIT_EXPECT_EQ(test, perf_sysctl_sample_allowed_ns, 2500);
	limits_set(1, 99);
	KUNIT_EXPECT_EQ(test, perf_sysctl_sample_allowed_ns, 990000000);
	limits_set(1000, 0);
	KUNIT_EXPECT_EQ(test, perf_sysctl_sample_allowed_ns, 0);
	limits_set(1000, 100);
	KUNIT_EXPECT_EQ(test, perf_sysctl_sample_allowed_ns, 0);
	/* A limit close to zero differs from no limit. */
	limits_set(500000000, 1);
	KUNIT_EXPECT_EQ(test, perf_sysctl_sample_allowed_ns, 1);
	limits_put(&was);
}

static void sysctl_fit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, perf_sysctl_samples_that_fit(TICK_NSEC / 10, 50), 5);
	KUNIT_EXPECT_EQ(test, perf_sysctl_samples_that_fit(TICK_NSEC, 50), 1);
	KUNIT_EXPECT_EQ(test, perf_sysctl_samples_that_fit(10ULL * NSEC_PER_SEC, 1), 1);
	KUNIT_EXPECT_EQ(test, perf_sysctl_samples_that_fit(0, 100), TICK_NSEC);
}

/* Simulate interrupts that take @ns each, at a rate and limit, until nothing changes. */
static void sysctl_test_load(struct kunit *test, int rate, int percent, u64 ns)
{
	u64 sum = this_cpu_read(took_sum);
	unsigned int i;

	limits_set(rate, percent);
	this_cpu_write(took_sum, 0);
	for (i = 0; i < 5000; i++) {
		int before = sysctl_perf_event_sample_rate;

		perf_sample_event_took(ns);
		if (sysctl_perf_event_sample_rate > before)
			KUNIT_FAIL(test, "the rate rises");
	}
	this_cpu_write(took_sum, sum);
}

static void sysctl_rate_follows_cost(struct kunit *test)
{
	struct limits was = limits_get();
	static const int rates[] = { 1, 50, 999, 4000, 100000, 1000000 };
	static const int percents[] = { 1, 25, 99 };
	static const u64 costs[] = { 1, 500, 2500, 10000, 1000000, NSEC_PER_SEC };
	unsigned int r, p, c;

	migrate_disable();
	for (r = 0; r < ARRAY_SIZE(rates); r++) {
		for (p = 0; p < ARRAY_SIZE(percents); p++) {
			for (c = 0; c < ARRAY_SIZE(costs); c++) {
				u64 budget = (u64)NSEC_PER_SEC / 100 * percents[p];

				sysctl_test_load(test, rates[r], percents[p], costs[c]);
				KUNIT_EXPECT_GE(test, sysctl_perf_event_sample_rate, 1);
				KUNIT_EXPECT_LE(test, sysctl_perf_event_sample_rate, rates[r]);
				KUNIT_EXPECT_GE(test, perf_max_samples_per_tick, 1);
				/* The minimum rate is one sample per tick. */
				if (sysctl_perf_event_sample_rate > HZ)
					KUNIT_EXPECT_LE(test, costs[c] *
							sysctl_perf_event_sample_rate,
							budget + budget / 8);
				/* A load within the budget does not change the rate. */
				if (costs[c] * rates[r] <= budget - budget / 8)
					KUNIT_EXPECT_EQ(test, sysctl_perf_event_sample_rate,
							rates[r]);
			}
		}
	}

	/* Without a limit the cost of samples is not measured. */
	sysctl_test_load(test, 100000, 0, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, sysctl_perf_event_sample_rate, 100000);
	sysctl_test_load(test, 100000, 100, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, sysctl_perf_event_sample_rate, 100000);
	migrate_enable();
	limits_put(&was);
}

static void sysctl_highest_rate(struct kunit *test)
{
	const struct ctl_table table = {
		.data	= &sysctl_perf_event_sample_rate,
		.maxlen	= sizeof(sysctl_perf_event_sample_rate),
		.extra1	= SYSCTL_ONE,
	};
	struct limits was = limits_get();
	char text[] = "2147483647";
	size_t len = strlen(text);
	loff_t pos = 0;

	limits_set(100000, 25);
	KUNIT_EXPECT_EQ(test, perf_event_max_sample_rate_handler(&table, 1, text, &len, &pos), 0);
	KUNIT_EXPECT_GE(test, perf_max_samples_per_tick, INT_MAX / HZ);
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
