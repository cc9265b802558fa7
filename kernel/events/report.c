// SPDX-License-Identifier: GPL-2.0
/*
 * The state of the subsystem in debugfs, for administrators:
 *
 *	perf_events/cpus	a line for each CPU
 *	perf_events/pmus	a line for each CPU and PMU with anything to report
 *	perf_events/buffers	a line for each user and CPU with buffers
 *
 * The first line of each file names the columns. Counters of rare cases are always updated.
 * Sampling interrupts are counted only while "cpus" is open; records, losses and throttled events
 * of each PMU only while "pmus" is open. All other values are collected at the read.
 */
#include <linux/debugfs.h>
#include <linux/highuid.h>
#include <linux/init.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "record/aux.h"
#include "record/buffer.h"
#include "context.h"
#include "internal.h"
#include "pmu.h"
#include "refuse.h"
#include "sched.h"
#include "state.h"
#include "stats.h"
#include "sysctl.h"

static const char perf_report_losses[] =
	"lost_full lost_paused lost_buffer_conversion lost_other_cpu lost_large";

static int perf_report_cpus(struct seq_file *m, void *unused)
{
	int cpu, i;

	seq_printf(m, "cpu events interrupts interrupt_ns longest_ns throttled recursions %s\n",
		   perf_report_losses);
	guard(cpus_read_lock)();
	for_each_online_cpu(cpu) {
		const struct perf_cpu_stats *stats = &per_cpu(perf_cpu_stats, cpu);
		struct perf_interrupt_stats took = perf_interrupt_stats_of(cpu);

		/* The CPU may change its statistics meanwhile; each value alone is consistent. */
		seq_printf(m, "%d %u %llu %llu %llu %lu %lu", cpu,
			   READ_ONCE(per_cpu(perf_cpu_context, cpu).ctx.nr_events),
			   took.interrupts, took.total, took.longest,
			   READ_ONCE(stats->throttled), READ_ONCE(stats->recursions));
		for (i = 0; i < PERF_LOSSES; i++)
			seq_printf(m, " %lu", READ_ONCE(stats->lost[i]));
		seq_putc(m, '\n');
	}
	return 0;
}

static int perf_report_cpus_open(struct inode *inode, struct file *file)
{
	int err = single_open(file, perf_report_cpus, NULL);

	if (!err)
		perf_interrupt_stats_enable(true);
	return err;
}

static int perf_report_cpus_release(struct inode *inode, struct file *file)
{
	perf_interrupt_stats_enable(false);
	return single_release(inode, file);
}

static const struct file_operations perf_report_cpus_fops = {
	.owner		= THIS_MODULE,
	.open		= perf_report_cpus_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= perf_report_cpus_release,
};

/* Maximum number of groups of a tree that are examined with interrupts off */
#define GROUPS_COUNTED	1000

/**
 * struct pmu_report - a PMU on one CPU
 * @pmu: the PMU
 * @events: events in groups that may be scheduled in on this CPU now
 * @on: events that have a counter, except software events
 * @groups_on: groups that are scheduled in
 * @groups_waiting: groups that wait for counters
 * @rotations: number of rotations since the PMU was registered
 * @stats: counts from the times when the file was open
 */
struct pmu_report {
	struct pmu	*pmu;
	unsigned int	events;
	unsigned int	on;
	unsigned int	groups_on;
	unsigned int	groups_waiting;
	unsigned int	rotations;
	struct perf_pmu_stats stats;
};

static void perf_report_tree(struct pmu_report *report, const struct rb_root *tree,
			     struct perf_cpu_context *cpuctx)
{
	unsigned int left = GROUPS_COUNTED;
	struct rb_node *node;

	for (node = rb_first(tree); node && left; node = rb_next(node), left--) {
		const struct perf_event *leader = rb_entry(node, struct perf_event, group_node);

		if (!perf_event_applies_here(leader, cpuctx))
			continue;
		report->events += leader->nr_siblings + 1;
		if (leader->state == PERF_EVENT_STATE_ACTIVE)
			report->groups_on++;
		else
			report->groups_waiting++;
	}
}

static void perf_report_part(struct pmu_report *report, const struct perf_event_pmu_context *part,
			     struct perf_cpu_context *cpuctx)
{
	if (!part)
		return;
	perf_report_tree(report, &part->pinned_groups, cpuctx);
	perf_report_tree(report, &part->flexible_groups, cpuctx);
}

/* Called on the reported CPU, with interrupts off. */
static void perf_report_pmu_here(void *info)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct perf_event_context *task_ctx = cpuctx->task_ctx;
	struct pmu_report *report = info;
	const struct perf_cpu_pmu_context *cpc = perf_this_cpc(report->pmu);

	perf_context_lock_cpu(cpuctx, task_ctx);
	report->on = cpc->active_oncpu;
	report->rotations = cpc->rotations;
	perf_report_part(report, perf_cpu_part(cpuctx, report->pmu), cpuctx);
	perf_report_part(report, perf_pmu_context_of(task_ctx, report->pmu), cpuctx);
	perf_context_unlock_cpu(cpuctx, task_ctx);
}

static void perf_report_pmu(struct seq_file *m, struct pmu *pmu, int cpu)
{
	const struct perf_pmu_stats no_stats = { };
	struct perf_pmu_stats __percpu *stats = perf_pmu_stats(pmu);
	struct pmu_report report = { .pmu = pmu };
	unsigned int cause;

	/* cpu_pmu_context is NULL until the PMU has had an event to schedule. */
	if (READ_ONCE(pmu->cpu_pmu_context))
		smp_call_function_single(cpu, perf_report_pmu_here, &report, 1);
	if (stats) {
		/* The CPU may change its statistics meanwhile; each value alone is consistent. */
		report.stats = data_race(*per_cpu_ptr(stats, cpu));
	}
	if (!report.events && !report.on && !report.rotations &&
	    !memcmp(&report.stats, &no_stats, sizeof(no_stats)))
		return;
	seq_printf(m, "%d %s %u %u %u %u %u %lu %lu", cpu, pmu->name ?: "?", report.events,
		   report.on, report.groups_on, report.groups_waiting, report.rotations,
		   report.stats.throttled, report.stats.records);
	for (cause = 0; cause < PERF_LOSSES; cause++)
		seq_printf(m, " %lu", report.stats.lost[cause]);
	seq_putc(m, '\n');
}

static int perf_report_pmus(struct seq_file *m, void *unused)
{
	struct pmu *pmu;
	int cpu, err;

	/* For PMUs that were registered after the open of the file */
	err = perf_stats_alloc_all();
	if (err)
		return err;
	seq_puts(m, "cpu pmu events counters_on groups_on groups_waiting rotations throttled");
	seq_printf(m, " records %s\n", perf_report_losses);
	guard(cpus_read_lock)();
	guard(mutex)(&perf_pmus_lock);
	list_for_each_entry(pmu, &perf_pmus, entry) {
		for_each_online_cpu(cpu)
			perf_report_pmu(m, pmu, cpu);
	}
	return 0;
}

static int perf_report_pmus_open(struct inode *inode, struct file *file)
{
	int err = perf_stats_alloc_all() ?: single_open(file, perf_report_pmus, NULL);

	if (!err)
		perf_stats_enable(true);
	return err;
}

static int perf_report_pmus_release(struct inode *inode, struct file *file)
{
	perf_stats_enable(false);
	return single_release(inode, file);
}

static const struct file_operations perf_report_pmus_fops = {
	.owner		= THIS_MODULE,
	.open		= perf_report_pmus_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= perf_report_pmus_release,
};

/**
 * struct buffer_report - the buffers of a user for one CPU
 * @uid: user whose limit the memory is charged to; root for memory that is not charged
 * @cpu: the only CPU that writes to them; -1 for buffers of per-task events on any CPU
 * @buffers: number of buffers
 * @pages: pages of the data areas, with the user pages
 * @aux_pages: pages of the AUX areas
 * @records: records written
 * @bytes: bytes written
 * @lost: lost records, by cause
 */
struct buffer_report {
	uid_t		uid;
	int		cpu;
	unsigned long	buffers;
	unsigned long	pages;
	unsigned long	aux_pages;
	u64		records;
	u64		bytes;
	u64		lost[PERF_LOSSES];
};

/* Maximum number of rows; the last row sums up the buffers that have no row of their own. */
#define ROWS	1024

/**
 * struct buffer_reports - the buffers of all users
 * @nr: rows in use
 * @rows: preallocated, because the mutex of a CPU's context is held while they are filled in
 */
struct buffer_reports {
	unsigned int		nr;
	struct buffer_report	rows[ROWS];
};

/* Get the row of a user and CPU, or a new row if there is none. */
static struct buffer_report *perf_report_row(struct buffer_reports *reports, uid_t uid, int cpu)
{
	struct buffer_report *row;
	unsigned int i;

	for (i = 0; i < reports->nr; i++) {
		row = &reports->rows[i];
		if (row->uid == uid && row->cpu == cpu)
			return row;
	}
	if (i == ROWS)
		return &reports->rows[ROWS - 1];
	reports->nr++;
	row = &reports->rows[i];
	row->uid = i < ROWS - 1 ? uid : overflowuid;
	row->cpu = i < ROWS - 1 ? cpu : -1;
	return row;
}

/*
 * Is @event the first event of the buffer? The buffer is reported with this event. rb->lock is
 * held.
 */
static bool perf_report_is_first(const struct perf_buffer *rb, const struct perf_event *event)
{
	return list_first_entry(&rb->events, struct perf_event_cold, rb_entry)->event == event;
}

/* Add the event's buffer to its row if the event is the buffer's first. ctx->mutex is held. */
static void perf_report_event(struct buffer_reports *reports, struct perf_event *event)
{
	struct buffer_report *row;
	struct perf_buffer *rb;
	struct perf_aux *aux;
	int i;

	if (event->parent || !rcu_access_pointer(event->rb))
		return;
	rb = perf_buffer_lock(event);
	if (!rb)
		return;
	if (perf_report_is_first(rb, event)) {
		const struct user_struct *user = rb->charge.user;

		row = perf_report_row(reports, user ? from_kuid(&init_user_ns, user->uid) : 0,
				      rb->cpu);
		row->buffers++;
		row->pages += rb->nr_pages + 1;
		aux = rcu_dereference_protected(rb->aux, lockdep_is_held(&rb->lock));
		row->aux_pages += aux ? aux->nr_pages : 0;
		row->records += perf_buffer_records(rb);
		row->bytes += perf_buffer_bytes(rb, is_write_backward(event));
		for (i = 0; i < PERF_LOSSES; i++)
			row->lost[i] += atomic_long_read(&rb->lost[i]);
	}
	perf_buffer_unlock(rb);
}

static void perf_report_context(struct buffer_reports *reports, struct perf_event_context *ctx)
{
	struct perf_event *event;

	guard(mutex)(&ctx->mutex);
	for_each_event(event, ctx)
		perf_report_event(reports, event);
}

/*
 * Find the first thread whose id is *@nr or more.
 *
 * Return: false if there is none. Otherwise *@ctx is set to its context with a reference, or to
 * NULL, and *@nr to the id to continue with.
 */
static bool perf_report_next_task(int *nr, struct perf_event_context **ctx)
{
	struct task_struct *task;
	struct pid *pid;

	guard(rcu)();
	pid = find_ge_pid(*nr, &init_pid_ns);
	if (!pid)
		return false;
	*nr = pid_nr(pid) + 1;
	task = pid_task(pid, PIDTYPE_PID);
	*ctx = task ? perf_task_context(task) : NULL;
	if (*ctx && !refcount_inc_not_zero(&(*ctx)->refcount))
		*ctx = NULL;
	return true;
}

static int buffers_show(struct seq_file *m, void *unused)
{
	struct buffer_reports *reports __free(kvfree) = kvzalloc(sizeof(*reports), GFP_KERNEL);
	struct perf_event_context *ctx;
	unsigned int i, cause;
	int cpu, nr = 1;

	if (!reports)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		perf_report_context(reports, &per_cpu(perf_cpu_context, cpu).ctx);
	while (perf_report_next_task(&nr, &ctx)) {
		if (ctx) {
			perf_report_context(reports, ctx);
			perf_context_put(ctx);
		}
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	}

	seq_printf(m, "uid cpu buffers kib aux_kib records bytes %s\n", perf_report_losses);
	for (i = 0; i < reports->nr; i++) {
		const struct buffer_report *row = &reports->rows[i];

		seq_printf(m, "%u %d %lu %lu %lu %llu %llu", row->uid, row->cpu, row->buffers,
			   row->pages << (PAGE_SHIFT - 10), row->aux_pages << (PAGE_SHIFT - 10),
			   row->records, row->bytes);
		for (cause = 0; cause < PERF_LOSSES; cause++)
			seq_printf(m, " %llu", row->lost[cause]);
		seq_putc(m, '\n');
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(buffers);

static int __init perf_report_init(void)
{
	struct dentry *dir = perf_debugfs_dir();

	debugfs_create_file("cpus", 0400, dir, NULL, &perf_report_cpus_fops);
	debugfs_create_file("pmus", 0400, dir, NULL, &perf_report_pmus_fops);
	debugfs_create_file("buffers", 0400, dir, NULL, &buffers_fops);
	return 0;
}
late_initcall(perf_report_init);
