// SPDX-License-Identifier: GPL-2.0
/*
 * Sysctls for the CPU time of sampling, memory and stacks. perf_event_paranoid is in
 * permission.c.
 *
 * The administrator sets a sampling rate, or a share of CPU time. An interrupt may take that
 * share of the interval between two samples. If interrupts take more on average,
 * perf_sample_event_took() lowers the rate until they fit the share.
 */
#define pr_fmt(fmt) "perf: " fmt

#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/sysctl.h>

#include "record/callchain.h"
#include "sysctl.h"

#define MAX_SAMPLE_RATE		100000	/* Hz */
#define CPU_TIME_PERCENT	25

/* KiB of buffers per user and CPU: half a MiB and the user page */
int sysctl_perf_event_mlock __read_mostly = 512 + PAGE_SIZE / 1024;

int sysctl_perf_event_max_stack __read_mostly = PERF_MAX_STACK_DEPTH;
int sysctl_perf_event_max_contexts_per_stack __read_mostly = PERF_MAX_CONTEXTS_PER_STACK;

int sysctl_perf_event_sample_rate __read_mostly = MAX_SAMPLE_RATE;
int sysctl_perf_cpu_time_max_percent __read_mostly = CPU_TIME_PERCENT;

int perf_max_samples_per_tick __read_mostly = DIV_ROUND_UP(MAX_SAMPLE_RATE, HZ);
int perf_sample_period_ns __read_mostly = NSEC_PER_SEC / MAX_SAMPLE_RATE;

/* Average time in ns that an interrupt may take; 0 for no limit */
static unsigned int perf_sysctl_sample_allowed_ns __read_mostly =
	NSEC_PER_SEC / MAX_SAMPLE_RATE / 100 * CPU_TIME_PERCENT;

/*
 * Moving average of the interrupt time, times 128: each interrupt changes it by 1/128 of the
 * difference.
 */
#define TOOK_SHIFT	7
static DEFINE_PER_CPU(u64, took_sum);

/*
 * Average in ns from which perf_sample_event_took() takes the slow path: one more than the
 * limit, U64_MAX without a limit, 0 while each interrupt is counted.
 */
static u64 perf_sysctl_took_bound __read_mostly =
	NSEC_PER_SEC / MAX_SAMPLE_RATE / 100 * CPU_TIME_PERCENT + 1;

static DEFINE_PER_CPU(struct perf_interrupt_stats, interrupt_stats);
static DEFINE_MUTEX(interrupt_stats_mutex);	/* perf_interrupt_stats_users */
static unsigned int perf_interrupt_stats_users;

/* For the message: average time and limit, in ns, when the rate was last lowered */
static u64 perf_sysctl_took_reported;
static u64 perf_sysctl_took_limit_reported;

/* With a share of 0 or 100 percent, the time of interrupts is not limited. */
static bool perf_sysctl_share_is_unlimited(int percent)
{
	return percent == 0 || percent == 100;
}

static void perf_sysctl_set_bound(void)
{
	unsigned int allowed = READ_ONCE(perf_sysctl_sample_allowed_ns);

	WRITE_ONCE(perf_sysctl_took_bound, allowed ? allowed + 1ULL : U64_MAX);
	/*
	 * Pairs with the same barrier in a call by perf_interrupt_stats_enable(): either this call
	 * sees perf_interrupt_stats_users nonzero, or perf_interrupt_stats_enable() overwrites
	 * the bound stored above with 0.
	 */
	smp_mb();
	if (READ_ONCE(perf_interrupt_stats_users))
		WRITE_ONCE(perf_sysctl_took_bound, 0);
}

static void perf_sysctl_set_share(int percent)
{
	u64 allowed = (u64)perf_sample_period_ns * percent;

	do_div(allowed, 100);
	/* 0 would mean unlimited. */
	if (perf_sysctl_share_is_unlimited(percent))
		allowed = 0;
	else if (!allowed)
		allowed = 1;
	WRITE_ONCE(perf_sysctl_sample_allowed_ns, allowed);
	perf_sysctl_set_bound();
}

/**
 * perf_interrupt_stats_enable - start or stop counting sampling interrupts and their time
 * @on: true to start, false to stop; counting stops when there were as many stops as starts
 *
 * Context: may sleep.
 */
void perf_interrupt_stats_enable(bool on)
{
	guard(mutex)(&interrupt_stats_mutex);
	WRITE_ONCE(perf_interrupt_stats_users, perf_interrupt_stats_users + (on ? 1 : -1));
	perf_sysctl_set_bound();
}

/**
 * perf_interrupt_stats_of - get the number and the time of a CPU's sampling interrupts
 * @cpu: the CPU
 *
 * Return: counts from the times between perf_interrupt_stats_enable(true) and
 * perf_interrupt_stats_enable(false)
 */
struct perf_interrupt_stats perf_interrupt_stats_of(int cpu)
{
	/* The CPU may update its statistics concurrently; each value alone is consistent. */
	return data_race(per_cpu(interrupt_stats, cpu));
}

/**
 * perf_event_max_sample_rate_handler - sysctl kernel.perf_event_max_sample_rate
 * @table: the sysctl
 * @write: true for a write, false for a read
 * @buffer: text from or for user space
 * @lenp: length of the text
 * @ppos: file position
 *
 * Return: 0 on success, -EINVAL if the rate is less than 1 Hz, or for any write while
 * perf_cpu_time_max_percent is 0 or 100
 */
int perf_event_max_sample_rate_handler(const struct ctl_table *table, int write,
				       void *buffer, size_t *lenp, loff_t *ppos)
{
	int err, rate;

	if (write && perf_sysctl_share_is_unlimited(sysctl_perf_cpu_time_max_percent))
		return -EINVAL;
	err = proc_dointvec_minmax(table, write, buffer, lenp, ppos);
	if (err || !write)
		return err;

	rate = READ_ONCE(sysctl_perf_event_sample_rate);
	WRITE_ONCE(perf_max_samples_per_tick, DIV_ROUND_UP((unsigned int)rate, HZ));
	WRITE_ONCE(perf_sample_period_ns, NSEC_PER_SEC / rate);
	perf_sysctl_set_share(sysctl_perf_cpu_time_max_percent);
	return 0;
}

/**
 * perf_cpu_time_max_percent_handler - sysctl kernel.perf_cpu_time_max_percent
 * @table: the sysctl
 * @write: true for a write, false for a read
 * @buffer: text from or for user space
 * @lenp: length of the text
 * @ppos: file position
 *
 * Return: 0 on success, -EINVAL if the value is not in the range 0 to 100
 */
int perf_cpu_time_max_percent_handler(const struct ctl_table *table, int write,
				      void *buffer, size_t *lenp, loff_t *ppos)
{
	int err = proc_dointvec_minmax(table, write, buffer, lenp, ppos);

	if (err || !write)
		return err;
	if (perf_sysctl_share_is_unlimited(sysctl_perf_cpu_time_max_percent))
		pr_warn("the time of sampling interrupts is not limited: a high rate can stall the system\n");
	perf_sysctl_set_share(sysctl_perf_cpu_time_max_percent);
	return 0;
}

/**
 * perf_event_max_stack_handler - the two sysctls that limit callchains
 * @table: the sysctl
 * @write: true for a write, false for a read
 * @buffer: text from or for user space
 * @lenp: length of the text
 * @ppos: file position
 *
 * Return: 0 on success, -EINVAL if the value is out of range, -EBUSY while events sample
 * callchains
 */
int perf_event_max_stack_handler(const struct ctl_table *table, int write,
				 void *buffer, size_t *lenp, loff_t *ppos)
{
	int *limit = table->data;
	int value = READ_ONCE(*limit);
	struct ctl_table copy = *table;
	int err;

	copy.data = &value;
	err = proc_dointvec_minmax(&copy, write, buffer, lenp, ppos);
	if (err || !write)
		return err;
	return perf_callchain_set_limit(limit, value);
}

static void perf_sysctl_report_lower_rate(struct irq_work *work)
{
	pr_info_ratelimited("sampling interrupts take %llu ns on average, more than the %llu allowed: kernel.perf_event_max_sample_rate is now %d\n",
			    READ_ONCE(perf_sysctl_took_reported),
			    READ_ONCE(perf_sysctl_took_limit_reported),
			    READ_ONCE(sysctl_perf_event_sample_rate));
}

static DEFINE_IRQ_WORK(lower_rate_work, perf_sysctl_report_lower_rate);

/*
 * Number of samples per tick, at least one, if each takes @took ns and all together may use
 * @percent of the time
 */
static u32 perf_sysctl_samples_that_fit(u64 took, int percent)
{
	u64 budget = (u64)TICK_NSEC * percent;

	do_div(budget, 100);
	return max_t(u64, div64_u64(budget, max_t(u64, took, 1)), 1);
}

/* Interrupts take @average ns, more than the limit: lower the rate until they fit. */
static void perf_sysctl_lower_rate(u64 average)
{
	u64 limit = READ_ONCE(perf_sysctl_sample_allowed_ns), aim;
	u32 fit;
	int rate;

	/*
	 * Aim a quarter above the average: the average is still rising, and one large step is
	 * better than many small ones. Two CPUs may run this concurrently: a mixture of their
	 * values does no harm.
	 */
	aim = average + (average >> 2);
	fit = perf_sysctl_samples_that_fit(aim, READ_ONCE(sysctl_perf_cpu_time_max_percent));
	rate = min_t(u64, (u64)fit * HZ, READ_ONCE(sysctl_perf_event_sample_rate));

	WRITE_ONCE(perf_sysctl_sample_allowed_ns, min_t(u64, aim, UINT_MAX));
	perf_sysctl_set_bound();
	WRITE_ONCE(perf_max_samples_per_tick, fit);
	WRITE_ONCE(sysctl_perf_event_sample_rate, rate);
	WRITE_ONCE(perf_sample_period_ns, NSEC_PER_SEC / rate);

	WRITE_ONCE(perf_sysctl_took_reported, average);
	WRITE_ONCE(perf_sysctl_took_limit_reported, limit);
	irq_work_queue(&lower_rate_work);
}

static noinline void perf_sysctl_took_more(u64 ns, u64 average)
{
	u64 limit = READ_ONCE(perf_sysctl_sample_allowed_ns);
	struct perf_interrupt_stats *here = this_cpu_ptr(&interrupt_stats);

	if (READ_ONCE(perf_interrupt_stats_users)) {
		here->interrupts++;
		here->total += ns;
		here->longest = max(here->longest, ns);
	}
	if (limit && average > limit)
		perf_sysctl_lower_rate(average);
}

/**
 * perf_sample_event_took - account the time of a sampling interrupt
 * @sample_len_ns: ns that the interrupt took
 *
 * Lowers the sampling rate if sampling interrupts take more than their share of CPU time.
 *
 * Context: the interrupt, which may be an NMI, on its CPU.
 */
void perf_sample_event_took(u64 sample_len_ns)
{
	u64 sum = __this_cpu_read(took_sum), average;

	sum += sample_len_ns - (sum >> TOOK_SHIFT);
	__this_cpu_write(took_sum, sum);
	average = sum >> TOOK_SHIFT;
	if (unlikely(average >= READ_ONCE(perf_sysctl_took_bound)))
		perf_sysctl_took_more(sample_len_ns, average);
}

#if IS_ENABLED(CONFIG_PERF_EVENTS_KUNIT_TEST)
#include "tests/sysctl_test.c"
#endif
