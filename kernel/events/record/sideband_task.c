// SPDX-License-Identifier: GPL-2.0
/*
 * Records about tasks: names, forks and exits, namespaces, context switches, and the counts
 * of exited tasks.
 */
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/path.h>
#include <linux/perf_event.h>
#include <linux/proc_ns.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "../internal.h"
#include "sample.h"
#include "sample_read.h"
#include "sideband.h"
#include "sideband_task.h"

/**
 * struct ids_body - the first words of many records
 * @pid: process
 * @tid: thread
 */
struct ids_body {
	u32	pid;
	u32	tid;
};

/* PERF_RECORD_COMM */

/**
 * struct comm_record - record of a task's new name
 * @record: the record
 * @body: its body
 * @task: the task
 */
struct comm_record {
	struct perf_record	record;
	struct ids_body		body;
	struct task_struct	*task;
};

static void perf_record_fill_comm(struct perf_event *event, struct perf_record *record)
{
	struct comm_record *cr = container_of(record, struct comm_record, record);

	cr->body.pid = perf_event_pid(event, cr->task);
	cr->body.tid = perf_event_tid(event, cr->task);
}

static bool perf_comm_attr_match(const struct perf_event_attr *attr)
{
	return attr->comm;
}

const struct perf_record_kind perf_comm_kind = {
	.hook		= PERF_SIDEBAND_COMM,
	.attr_match	= perf_comm_attr_match,
	.type		= PERF_RECORD_COMM,
	.body_size	= sizeof(struct ids_body),
	.fill		= perf_record_fill_comm,
};

/**
 * __perf_event_comm - a task has a new name
 * @task: the task
 * @exec: the reason is an exec
 */
void __perf_event_comm(struct task_struct *task, bool exec)
{
	char comm[TASK_COMM_LEN];
	struct comm_record cr = {
		.record = {
			PERF_RECORD_OF(perf_comm_kind),
			.misc		= exec ? PERF_RECORD_MISC_COMM_EXEC : 0,
			.body		= &cr.body,
		},
		.task = task,
	};

	strscpy(comm, task->comm);
	cr.record.tail[0] = comm;
	cr.record.tail_size[0] = strlen(comm) + 1;
	perf_record_send_current(&cr.record);
}

/* PERF_RECORD_FORK, PERF_RECORD_EXIT */

/**
 * struct task_body - body of the record
 * @pid: process
 * @ppid: process of the parent
 * @tid: thread
 * @ptid: thread of the parent
 * @time: time of the event's record clock
 */
struct task_body {
	u32	pid;
	u32	ppid;
	u32	tid;
	u32	ptid;
	u64	time;
};

/**
 * struct task_record - record of a task's fork or exit
 * @record: header and kind
 * @body: filled for each event, because the ids depend on the event's PID namespace
 * @task: the task that was created or exits
 */
struct task_record {
	struct perf_record	record;
	struct task_body	body;
	struct task_struct	*task;
};

static void perf_record_fill_task(struct perf_event *event, struct perf_record *record)
{
	struct task_record *tr = container_of(record, struct task_record, record);
	struct task_struct *parent = current;
	struct task_body *body = &tr->body;

	body->pid = perf_event_pid(event, tr->task);
	body->tid = perf_event_tid(event, tr->task);
	if (record->type == PERF_RECORD_FORK) {
		body->ptid = perf_event_tid(event, parent);
	} else {
		/* The parent thread may have exited. So both fields have the parent process. */
		parent = rcu_dereference(tr->task->real_parent);
		body->ptid = perf_event_pid(event, parent);
	}
	body->ppid = perf_event_pid(event, parent);
	body->time = event->clock();
}

/* A reader of COMM and MMAP records needs FORK and EXIT records to identify the tasks. */
static bool perf_task_attr_match(const struct perf_event_attr *attr)
{
	return attr->task || attr->comm || attr->mmap || attr->mmap2 || attr->mmap_data;
}

/* The sender sets PERF_RECORD_FORK or PERF_RECORD_EXIT. */
const struct perf_record_kind perf_task_kind = {
	.hook		= PERF_SIDEBAND_TASK,
	.attr_match	= perf_task_attr_match,
	.body_size	= sizeof(struct task_body),
	.fill		= perf_record_fill_task,
};

static struct task_record perf_record_task(struct task_struct *task, u16 type)
{
	struct task_record tr = {
		.record = { PERF_RECORD_OF(perf_task_kind) },
		.task = task,
	};

	tr.record.type = type;
	return tr;
}

/**
 * __perf_event_fork - current has created a task
 * @task: the task, which does not run yet
 */
void __perf_event_fork(struct task_struct *task)
{
	struct task_record tr = perf_record_task(task, PERF_RECORD_FORK);

	tr.record.body = &tr.body;
	perf_record_send_current(&tr.record);
}

/**
 * perf_task_exit_record - write an EXIT record
 * @task: current, which exits
 * @ctx: context that the task had, or NULL; the caller holds a reference. The events of @ctx are
 *	not detached yet
 */
void perf_task_exit_record(struct task_struct *task, struct perf_event_context *ctx)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_TASK)) {
		struct task_record tr = perf_record_task(task, PERF_RECORD_EXIT);

		tr.record.body = &tr.body;
		perf_record_send(&tr.record, ctx);
	}
}

/* PERF_RECORD_NAMESPACES */

/**
 * struct namespaces_body - body of the record
 * @ids: process and thread
 * @nr: number of @links
 * @links: device and inode of each namespace, by *_NS_INDEX; 0 for none
 */
struct namespaces_body {
	struct ids_body			ids;
	u64				nr;
	struct perf_ns_link_info	links[NR_NAMESPACES];
};

/**
 * struct namespaces_record - record of a task's new namespaces
 * @record: the record
 * @body: its body
 * @task: the task
 */
struct namespaces_record {
	struct perf_record	record;
	struct namespaces_body	body;
	struct task_struct	*task;
};

static const struct proc_ns_operations *const perf_record_namespace_ops[NR_NAMESPACES] = {
#ifdef CONFIG_NET_NS
	[NET_NS_INDEX]		= &netns_operations,
#endif
#ifdef CONFIG_UTS_NS
	[UTS_NS_INDEX]		= &utsns_operations,
#endif
#ifdef CONFIG_IPC_NS
	[IPC_NS_INDEX]		= &ipcns_operations,
#endif
#ifdef CONFIG_PID_NS
	[PID_NS_INDEX]		= &pidns_operations,
#endif
#ifdef CONFIG_USER_NS
	[USER_NS_INDEX]		= &userns_operations,
#endif
	[MNT_NS_INDEX]		= &mntns_operations,
#ifdef CONFIG_CGROUPS
	[CGROUP_NS_INDEX]	= &cgroupns_operations,
#endif
};

static void perf_record_fill_namespaces(struct perf_event *event, struct perf_record *record)
{
	struct namespaces_record *nr = container_of(record, struct namespaces_record, record);

	nr->body.ids.pid = perf_event_pid(event, nr->task);
	nr->body.ids.tid = perf_event_tid(event, nr->task);
}

static void perf_record_link_namespace(struct perf_ns_link_info *link, struct task_struct *task,
				       const struct proc_ns_operations *ops)
{
	struct inode *inode;
	struct path path;

	if (!ops || ns_get_path(&path, task, ops))
		return;
	inode = d_inode(path.dentry);
	link->dev = new_encode_dev(inode->i_sb->s_dev);
	link->ino = inode->i_ino;
	path_put(&path);
}

static bool perf_namespaces_attr_match(const struct perf_event_attr *attr)
{
	return attr->namespaces;
}

const struct perf_record_kind perf_namespaces_kind = {
	.hook		= PERF_SIDEBAND_NAMESPACES,
	.attr_match	= perf_namespaces_attr_match,
	.type		= PERF_RECORD_NAMESPACES,
	.body_size	= sizeof(struct namespaces_body),
	.fill		= perf_record_fill_namespaces,
};

/**
 * __perf_event_namespaces - a task has new namespaces
 * @task: current, or a task that it has created
 *
 * Context: may sleep.
 */
void __perf_event_namespaces(struct task_struct *task)
{
	struct namespaces_record nr = {
		.record = {
			PERF_RECORD_OF(perf_namespaces_kind),
			.body		= &nr.body,
		},
		.body.nr	= NR_NAMESPACES,
		.task		= task,
	};
	int i;

	for (i = 0; i < NR_NAMESPACES; i++)
		perf_record_link_namespace(&nr.body.links[i], task, perf_record_namespace_ops[i]);
	perf_record_send_current(&nr.record);
}

/* PERF_RECORD_SWITCH, PERF_RECORD_SWITCH_CPU_WIDE */

/**
 * struct switch_record - record of a context switch
 * @record: header and kind
 * @body: ids of @next_prev in the event's PID namespace, for PERF_RECORD_SWITCH_CPU_WIDE
 * @next_prev: the next task in a switch out, the previous task in a switch in
 */
struct switch_record {
	struct perf_record	record;
	struct ids_body		body;
	struct task_struct	*next_prev;
};

static void perf_record_fill_switch(struct perf_event *event, struct perf_record *record)
{
	struct switch_record *sr = container_of(record, struct switch_record, record);

	/* A per-task event must not get information about other tasks. */
	if (event->ctx->task) {
		record->type = PERF_RECORD_SWITCH;
		record->body_size = 0;
		return;
	}
	record->type = PERF_RECORD_SWITCH_CPU_WIDE;
	record->body_size = sizeof(sr->body);
	sr->body.pid = perf_event_pid(event, sr->next_prev);
	sr->body.tid = perf_event_tid(event, sr->next_prev);
}

static bool perf_switch_attr_match(const struct perf_event_attr *attr)
{
	return attr->context_switch;
}

const struct perf_record_kind perf_switch_kind = {
	.hook		= PERF_SIDEBAND_SWITCH,
	.attr_match	= perf_switch_attr_match,
	.fill		= perf_record_fill_switch,
};

/**
 * __perf_switch_record - a task is switched in or out
 * @task: the task, which is current
 * @next_prev: the next task, or the previous one
 * @sched_in: true if the task is switched in
 *
 * While an event with attr.context_switch exists, the static key perf_sched_events is enabled.
 *
 * Context: interrupts are off; at a switch out the run queue is locked.
 */
void __perf_switch_record(struct task_struct *task, struct task_struct *next_prev,
			  bool sched_in)
{
	struct switch_record sr = {
		.record = {
			PERF_RECORD_OF(perf_switch_kind),
			.misc	= sched_in ? 0 : PERF_RECORD_MISC_SWITCH_OUT,
			.body	= &sr.body,
		},
		.next_prev = next_prev,
	};

	if (!sched_in && task_is_runnable(task))
		sr.record.misc |= PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	/* With PREEMPT_RT, a task that runs a softirq may be switched, and gets the record. */
	guard(rcu)();
	perf_record_send(&sr.record, perf_task_context(current));
}

/* PERF_RECORD_READ */

/**
 * perf_read_record - write a READ record of an inherited event, for attr.inherit_stat
 * @event: the inherited event; the mutex of its context is held, and its group is complete
 * @task: task that the event has counted
 */
void perf_read_record(struct perf_event *event, struct task_struct *task)
{
	struct perf_sample_data sample __uninitialized;
	struct perf_output_handle handle;
	struct {
		struct perf_event_header	header;
		struct ids_body			ids;
	} head = {
		.header = {
			.type = PERF_RECORD_READ,
			.size = sizeof(head) + event->read_size,
		},
	};
	unsigned long flags;

	local_irq_save(flags);
	rcu_read_lock();
	head.ids.pid = perf_event_pid(event, task);
	head.ids.tid = perf_event_tid(event, task);
	perf_event_header__init_id(&head.header, &sample, event);
	if (!perf_output_begin(&handle, &sample, event, head.header.size)) {
		perf_output_put(&handle, head);
		perf_output_read(&handle, event, event->read_size);
		perf_event__output_id_sample(event, &handle, &sample);
		perf_output_end(&handle);
	}
	rcu_read_unlock();
	local_irq_restore(flags);
}

/* PERF_RECORD_LOST_SAMPLES */

/**
 * perf_log_lost_samples - the hardware has lost samples
 * @event: event of the samples
 * @lost: number of samples
 *
 * Context: any, preemption is off.
 */
void perf_log_lost_samples(struct perf_event *event, u64 lost)
{
	struct perf_record record = {
		.type		= PERF_RECORD_LOST_SAMPLES,
		.body		= &lost,
		.body_size	= sizeof(lost),
	};

	perf_record_send_to(event, &record);
}
EXPORT_SYMBOL_GPL(perf_log_lost_samples);
