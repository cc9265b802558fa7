// SPDX-License-Identifier: GPL-2.0
/*
 * Delays at the points of delay_points.h
 *
 * perf_delays.rate=N on the command line, or in /sys/module/perf_delays/parameters, delays
 * one in N passes of a point for a random time of up to perf_delays.max_us.
 * perf_delays.points is the mask of enabled points, by default all. After a delay, a CPU skips all
 * delays for perf_delays.rest times the length of that delay, so that frequently passed points do
 * not stop everything else. The number of passes is in debugfs, perf_events/delays.
 *
 * perf_delays.preempt_us=N on the command line preempts the running task of each CPU after a random
 * time of up to N us, again and again until 0 is written to the parameter: a unit test whose result
 * depends on a context switch then fails at each boot, if the kernel is preemptible.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>

#include "delay.h"
#include "refuse.h"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX	"perf_delays."

/* Limit of a delay: interrupts may be off at a point, and one record passes a dozen points. */
#define MAX_US			10000
/* A delay ends after this number of clock reads per us, even if the clock is stopped. */
#define LOOKS_PER_US		1000

static unsigned int perf_delay_rate;
module_param_named(rate, perf_delay_rate, uint, 0644);
MODULE_PARM_DESC(rate, "delay one in this number of passes of a point; 0: none");

static unsigned int perf_delay_max_us = 20;
module_param_named(max_us, perf_delay_max_us, uint, 0644);
MODULE_PARM_DESC(max_us, "maximum length of a delay, in microseconds");

static unsigned int perf_delay_rest;
module_param_named(rest, perf_delay_rest, uint, 0644);
MODULE_PARM_DESC(rest, "pause of the CPU after a delay, as a multiple of the delay");

static unsigned long long perf_delay_points = ~0ULL;
module_param_named(points, perf_delay_points, ullong, 0644);
MODULE_PARM_DESC(points, "bit mask of the points with delays");

static_assert(PERF_NR_DELAYS <= 64);

/**
 * struct delays - per-CPU data
 * @random: last random number
 * @rests_until: no delay before this local_clock()
 * @passed: number of passes of each point
 * @taken: number of delays at each point
 */
struct delays {
	u32		random;
	u64		rests_until;
	unsigned long	passed[PERF_NR_DELAYS];
	unsigned long	taken[PERF_NR_DELAYS];
};

static DEFINE_PER_CPU(struct delays, delays);

static unsigned int perf_delay_preempt_us;
module_param_named(preempt_us, perf_delay_preempt_us, uint, 0644);
MODULE_PARM_DESC(preempt_us, "maximum time between preemptions on each CPU, in us; 0: none");

/* A race with an interrupt or another CPU is harmless: the numbers are still random. */
static u32 perf_delay_next_random(void)
{
	u32 next = raw_cpu_read(delays.random) * 1664525 + 1013904223 + raw_smp_processor_id();

	raw_cpu_write(delays.random, next);
	return next >> 8;
}

/**
 * perf_delay_at - implementation of perf_delay()
 * @point: the point
 *
 * Never sleeps, takes no lock, is not traced, and takes at most MAX_US.
 *
 * Context: any, including NMI.
 */
void perf_delay_at(enum perf_delay_point point)
{
	unsigned int one_in = READ_ONCE(perf_delay_rate), rest = READ_ONCE(perf_delay_rest);
	unsigned int us, looks;
	u64 start, now;

	this_cpu_inc(delays.passed[point]);
	if (!one_in || !(READ_ONCE(perf_delay_points) & (1ULL << point)) ||
	    perf_delay_next_random() % one_in)
		return;
	start = local_clock();
	/* If the task migrates during the delay, rests_until of the new CPU is set. */
	if (rest && start < raw_cpu_read(delays.rests_until))
		return;
	this_cpu_inc(delays.taken[point]);
	us = 1 + perf_delay_next_random() % clamp(READ_ONCE(perf_delay_max_us), 1U, MAX_US);
	now = start;
	for (looks = us * LOOKS_PER_US; looks && now - start < us * 1000ULL; looks--) {
		cpu_relax();
		now = local_clock();
	}
	if (rest)
		raw_cpu_write(delays.rests_until, now + (now - start) * rest);
}

static int perf_delays_show(struct seq_file *m, void *unused)
{
	static const char * const names[] = {
#define PERF_DELAY_POINT(name)	#name
#include "delay_points.h"
#undef PERF_DELAY_POINT
	};
	unsigned long passed, taken;
	int i, cpu;

	for (i = 0; i < PERF_NR_DELAYS; i++) {
		passed = 0;
		taken = 0;
		for_each_possible_cpu(cpu) {
			passed += READ_ONCE(per_cpu(delays, cpu).passed[i]);
			taken += READ_ONCE(per_cpu(delays, cpu).taken[i]);
		}
		seq_printf(m, "%2d %-18s %12lu passed %10lu delayed\n", i, names[i], passed, taken);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(perf_delays);

/* Preempt other tasks of the CPU at random times. */
static int perf_delay_preempt(void *unused)
{
	unsigned int us;

	sched_set_fifo(current);
	while ((us = READ_ONCE(perf_delay_preempt_us))) {
		us = 1 + perf_delay_next_random() % us;
		usleep_range(us, us + 1);
	}
	return 0;
}

static void __init perf_delay_start_preempting(void)
{
	struct task_struct *task;
	int cpu;

	for_each_online_cpu(cpu) {
		task = kthread_run_on_cpu(perf_delay_preempt, NULL, cpu, "perf_preempt/%u");
		WARN_ON(IS_ERR(task));
	}
}

static int __init perf_delay_init(void)
{
	if (perf_delay_preempt_us)
		perf_delay_start_preempting();
	debugfs_create_file("delays", 0444, perf_debugfs_dir(), NULL,
			    &perf_delays_fops);
	return 0;
}
late_initcall(perf_delay_init);
