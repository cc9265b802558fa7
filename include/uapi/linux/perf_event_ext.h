/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Extensions of the ABI of <linux/perf_event.h>. A kernel without these extensions returns
 * EINVAL for the prctl, and ENOTTY for an ioctl.
 */
#ifndef _UAPI_LINUX_PERF_EVENT_EXT_H
#define _UAPI_LINUX_PERF_EVENT_EXT_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * prctl(PR_PERF_EXPLAIN, buf, size, 0, 0): report the last refused call of the calling
 * thread.
 *
 * Writes the first @size bytes of struct perf_refusal, and returns the size of the whole
 * structure. Writes nothing and returns 0 if no call of the thread was refused, or if the kernel
 * had no memory to record the reason. A @size of 0 only queries the return value. Fails with
 * EFAULT; or with EINVAL if @size is out of range, or one of the last two arguments is not 0.
 */
#define PR_PERF_EXPLAIN		0x50455246

/* The calls with recorded reasons. */
enum perf_refused_call {
	PERF_REFUSED_CALL_OPEN		= 1,
	PERF_REFUSED_CALL_IOCTL		= 2,
	PERF_REFUSED_CALL_MMAP		= 3,
	PERF_REFUSED_CALL_PRCTL		= 4,
	PERF_REFUSED_CALL_SPLICE	= 5,
};

/*
 * All strings are NUL-terminated. @value is the value of @field, or 0 if the kernel does not
 * report it. For a bit of perf_event_attr, @value is the whole word with the bit.
 */
struct perf_refusal {
	__u32	size;		/* of this structure in the running kernel */
	__u32	call;		/* enum perf_refused_call */
	__s32	error;		/* positive errno */
	__u32	reserved;
	__u64	value;
	char	name[32];	/* of the reason, the same in all kernels */
	char	field[48];	/* "attr.sample_type", "group_fd", ... */
	char	pmu[32];	/* PMU that refused the event, or "" */
	char	reason[128];	/* sentence for users */
};

/*
 * ioctl(fd, PERF_EVENT_IOC_STATE, &info): report the state of an event and, if it does not
 * count, the reason.
 *
 * The caller sets @size, at least 8 bytes; @tid to query the inherited event in that thread;
 * @filter and @filter_size to get the text of the event's filters. All other fields must be zero.
 * The kernel writes at most @size bytes, and sets @size to its own size of the structure. 32-bit
 * programs have the same layout. The state may change before the call returns.
 *
 * Fails with ENOTTY if the kernel lacks the ioctl; EFAULT; EINVAL if the size is out of range or
 * another field is not zero; E2BIG if a field unknown to this kernel is not zero; ESRCH if that
 * thread did not inherit the event.
 */
#define PERF_EVENT_IOC_STATE	_IOWR('$', 0x80, __u32)

enum perf_event_status {
	PERF_STATUS_COUNTING	= 1,	/* scheduled in */
	PERF_STATUS_WAITING	= 2,	/* it could count, but other groups have the counters */
	PERF_STATUS_NOT_RUNNING	= 3,	/* its task or cgroup is not running on its CPU */
	PERF_STATUS_DISABLED	= 4,
	PERF_STATUS_LEADER_OFF	= 5,	/* its group leader is disabled, or in the error state */
	PERF_STATUS_ERROR	= 6,	/* pinned, and not scheduled in: enabling it retries */
	PERF_STATUS_EXITED	= 7,	/* its task has exited, or exec or CPU hotplug removed it */
	PERF_STATUS_DEAD	= 8,	/* its PMU was unregistered */
	PERF_STATUS_SHARED	= 9,	/* one event per CPU counts for all inheriting tasks */
};

/* Why an event waits, or why a pinned event was not scheduled in. */
enum perf_event_obstacle {
	PERF_OBSTACLE_NONE		= 0,
	PERF_OBSTACLE_GROUPS		= 1,	/* other groups, maybe not visible to the caller */
	PERF_OBSTACLE_PINNED		= 2,	/* pinned groups only, which are not rotated out */
	PERF_OBSTACLE_EXCLUSIVE		= 3,	/* a group that needs exclusive use of the PMU */
	PERF_OBSTACLE_OWN_EXCLUSIVE	= 4,	/* it needs exclusive use, but others are on */
	PERF_OBSTACLE_CPU		= 5,	/* its PMU does not count on this CPU */
	PERF_OBSTACLE_PMU		= 6,	/* no group: the PMU itself lacks counters */
};

#define PERF_EVENT_IS_THROTTLED	0x1	/* until the next tick: it overflowed too often */
#define PERF_EVENT_IS_PAUSED	0x2	/* PERF_EVENT_IOC_PAUSE_OUTPUT */
#define PERF_EVENT_OTHERS_ON	0x4	/* on_groups lacks some groups: not visible, or too many */
#define PERF_EVENT_HAS_BUFFER	0x8	/* the fields of its buffer are valid */
#define PERF_EVENT_HAS_FILTER	0x10	/* filter of record fields: PERF_EVENT_IOC_SET_FILTER */
#define PERF_EVENT_HAS_BPF	0x20	/* BPF program: PERF_EVENT_IOC_SET_BPF */
#define PERF_EVENT_IS_COPY	0x40	/* the report is about the inherited event in thread @tid */

/* Why a record was lost. */
enum perf_event_loss {
	PERF_LOST_FULL		= 0,	/* the buffer was full: its reader is too slow */
	PERF_LOST_PAUSED	= 1,	/* PERF_EVENT_IOC_PAUSE_OUTPUT */
	PERF_LOST_CONVERTING	= 2,	/* the buffer was being converted for several CPUs */
	PERF_LOST_ELSEWHERE	= 3,	/* the event occurred on another CPU than the buffer's */
	PERF_LOST_LARGE		= 4,	/* the record exceeds 65528 bytes */
	PERF_LOSSES
};

/* struct perf_event_state_group.flags */
#define PERF_EVENT_GROUP_PINNED		0x1
#define PERF_EVENT_GROUP_EXCLUSIVE	0x2
#define PERF_EVENT_GROUP_OF_CPU		0x4	/* a per-CPU group, not one of the task */
#define PERF_EVENT_GROUP_OF_KERNEL	0x8	/* the kernel's own, such as the NMI watchdog */

struct perf_event_state_group {
	__u64	id;		/* of its leader; for an inherited event, of the parent event */
	__s32	pid;		/* of the process that opened it; 0: exited, or the kernel */
	__u32	flags;		/* PERF_EVENT_GROUP_* */
};

#define PERF_EVENT_MAX_GROUPS	8
#define PERF_EVENT_MAX_LOSSES	8

/*
 * Times are in ns. For an event that counts or waits, @since does not include the time for which
 * its task did not run.
 */
struct perf_event_state_info {
	__u32	size;		/* of this structure in the running kernel */
	__u32	status;		/* enum perf_event_status */
	__s32	tid;		/* counted thread; -1: a CPU; 0: exited */
	__u32	flags;		/* PERF_EVENT_IS_*, PERF_EVENT_HAS_*, PERF_EVENT_OTHERS_ON */
	__s32	cpu;		/* on which it counts or waits, else -1 */
	__s32	counter;	/* PMU's number for its counter, else -1 */
	__u64	since;		/* time in this state; 0: unknown */
	__u64	enabled;	/* total time enabled */
	__u64	running;	/* total time counted; it waited for the rest of @enabled */

	/* as opened */
	__u64	id;
	__u64	leader;		/* id of its group leader */
	__u32	members;	/* events in its group, including the leader */
	__s32	asked_cpu;	/* -1: any */
	__u32	type;
	__u32	reserved;	/* 0 */
	__u64	config;
	__u64	attr_flags;	/* word of attr's bits, starting with disabled */
	__u64	sample;		/* sample_period, or sample_freq */
	char	pmu[32];	/* NUL-terminated name */

	/* while it waits, and in the error state */
	__u32	obstacle;	/* enum perf_event_obstacle */
	__u32	needs;		/* counters that its whole group needs */
	__u32	on_groups;	/* visible groups that keep it out; ERROR: as of the error */
	__u32	nr_groups;	/* entries in @groups */

	/* its samples */
	__u32	throttles;	/* how often it was throttled; 65535: or more */
	__u32	allowed;	/* overflows per second that are allowed now */
	__u64	lost;		/* its lost records, for all causes */

	/* its buffer, for all events that write to it */
	__u64	records;	/* records written; approximate with several writers */
	__u64	bytes;		/* bytes of these records */
	__u64	aux_bytes;	/* bytes written to AUX areas */
	__u64	wakeups;	/* wakeups of its readers */
	__u64	losses[PERF_EVENT_MAX_LOSSES];	/* by enum perf_event_loss */

	/* filters in force */
	__u32	addr_filters;	/* number of address filters */
	__u32	bpf_id;		/* of the program; 0: none, or not visible to the caller */

	struct perf_event_state_group	groups[PERF_EVENT_MAX_GROUPS];

	/*
	 * Text of the filters in force, as PERF_EVENT_IOC_SET_FILTER takes it. A file that
	 * the caller cannot reach from its root directory is "?". The text is cut off at
	 * @filter_size, and is always NUL-terminated.
	 */
	__u64	filter;		/* address of the buffer for the text; 0: none */
	__u32	filter_size;	/* size of the buffer */
	__u32	filter_length;	/* size of the whole text with its NUL; 0: no text */
};

#endif /* _UAPI_LINUX_PERF_EVENT_EXT_H */
