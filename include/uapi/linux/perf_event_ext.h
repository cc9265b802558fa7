/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Extensions of the ABI of <linux/perf_event.h>. A kernel without them refuses each of
 * these with EINVAL, an ioctl with ENOTTY.
 */
#ifndef _UAPI_LINUX_PERF_EVENT_EXT_H
#define _UAPI_LINUX_PERF_EVENT_EXT_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * prctl(PR_PERF_EXPLAIN, buf, size, 0, 0): why was the calling thread refused last?
 *
 * Writes as much of a struct perf_refusal as @size has room for. Returns
 * sizeof(struct perf_refusal); 0, and writes nothing, when nothing of the thread was
 * refused, or memory for the reason was lacking. A size of 0 only asks. EFAULT; EINVAL
 * when one of the last two arguments is not 0.
 */
#define PR_PERF_EXPLAIN		0x50455246

/* The calls that can be refused. */
enum perf_refused_call {
	PERF_REFUSED_CALL_OPEN		= 1,
	PERF_REFUSED_CALL_IOCTL		= 2,
	PERF_REFUSED_CALL_MMAP		= 3,
	PERF_REFUSED_CALL_PRCTL		= 4,
	PERF_REFUSED_CALL_SPLICE	= 5,
};

/*
 * All strings end with a zero byte. @value is what @field had when its width is
 * known, else 0; for a bit of perf_event_attr, the word of all its flags.
 */
struct perf_refusal {
	__u32	size;		/* of this structure, as this kernel has it */
	__u32	call;		/* enum perf_refused_call */
	__s32	error;		/* positive errno */
	__u32	reserved;
	__u64	value;
	char	name[32];	/* of the reason: it stays the same from kernel to kernel */
	char	field[48];	/* "attr.sample_type", "group_fd", ... */
	char	pmu[32];	/* that was asked, or "" */
	char	reason[128];	/* a sentence for people */
};

/*
 * ioctl(fd, PERF_EVENT_IOC_STATE, &info): what is the event doing, and if it does not
 * count, why not?
 *
 * The caller sets @size, 8 bytes at least, and @tid if it wants to hear of a copy of an
 * inherited event, @filter and @filter_size if it wants the text of the event's filters;
 * all else is to be zero. As many bytes as both sides know are written, and @size becomes
 * what this kernel has. The structure is the same for 32-bit programs. The state may have
 * changed before the call returns.
 *
 * ENOTTY: the kernel does not tell; EFAULT; EINVAL: too small or too large a size, or a
 * field that is not zero; E2BIG: something is set that this kernel does not know; ESRCH:
 * the event has no copy in that thread.
 */
#define PERF_EVENT_IOC_STATE	_IOWR('$', 0x80, __u32)

enum perf_event_doing {
	PERF_EVENT_COUNTS	= 1,	/* it is on */
	PERF_EVENT_WAITS	= 2,	/* its task runs, but others have the counters */
	PERF_EVENT_ELSEWHERE	= 3,	/* what it watches does not run, or not where it counts */
	PERF_EVENT_DISABLED	= 4,
	PERF_EVENT_GROUP_OFF	= 5,	/* its group's leader is disabled, or in the error state */
	PERF_EVENT_ERROR	= 6,	/* it is pinned, and did not fit: enabling it tries again */
	PERF_EVENT_EXITED	= 7,	/* its task has gone */
	PERF_EVENT_DEAD		= 8,	/* its PMU has gone */
	PERF_EVENT_SHARES	= 9,	/* counters count for it whichever of its tasks runs */
};

/* Of an event that waits, or was pinned and did not fit: what is, or was, in its way? */
enum perf_event_obstacle {
	PERF_EVENT_NO_OBSTACLE	= 0,
	PERF_EVENT_NO_ROOM	= 1,	/* groups that share counters by turns, or not to be told */
	PERF_EVENT_BY_PINNED	= 2,	/* pinned groups alone: they do not make way */
	PERF_EVENT_BY_EXCLUSIVE	= 3,	/* a group that wants the PMU for itself */
	PERF_EVENT_IS_EXCLUSIVE	= 4,	/* it wants the PMU for itself, and others are on */
	PERF_EVENT_NOT_ON_CPU	= 5,	/* its PMU does not count on this CPU */
	PERF_EVENT_BY_PMU	= 6,	/* no group: the PMU itself, which has less than it needs */
};

#define PERF_EVENT_IS_THROTTLED	0x1	/* until the next tick: it overflows too often */
#define PERF_EVENT_IS_PAUSED	0x2	/* PERF_EVENT_IOC_PAUSE_OUTPUT */
#define PERF_EVENT_OTHERS_ON	0x4	/* groups are on that are not told: those of others */
#define PERF_EVENT_HAS_BUFFER	0x8	/* the fields about its buffer are filled in */
#define PERF_EVENT_HAS_FILTER	0x10	/* of the record's fields: PERF_EVENT_IOC_SET_FILTER */
#define PERF_EVENT_HAS_BPF	0x20	/* a BPF program decides: PERF_EVENT_IOC_SET_BPF */
#define PERF_EVENT_IS_COPY	0x40	/* what is told is of a copy in thread @tid */

/* Why a record is lost. */
enum perf_event_loss {
	PERF_LOST_FULL		= 0,	/* the buffer has no room: it is read too slowly */
	PERF_LOST_PAUSED	= 1,	/* PERF_EVENT_IOC_PAUSE_OUTPUT */
	PERF_LOST_UNSETTLED	= 2,	/* the buffer was becoming one for several CPUs */
	PERF_LOST_ELSEWHERE	= 3,	/* it happened on another CPU than the buffer's */
	PERF_LOST_LARGE		= 4,	/* it is longer than 65528 bytes */
	PERF_LOSSES
};

/* struct perf_event_state_group.flags */
#define PERF_EVENT_GROUP_PINNED		0x1
#define PERF_EVENT_GROUP_EXCLUSIVE	0x2
#define PERF_EVENT_GROUP_OF_CPU		0x4	/* of all of a CPU, not of the task */
#define PERF_EVENT_GROUP_OF_KERNEL	0x8	/* the kernel's own, as the NMI watchdog's */

struct perf_event_state_group {
	__u64	id;		/* of its leader; of a copy, that of the event it is a copy of */
	__s32	pid;		/* of the process that opened it; 0: gone, or the kernel */
	__u32	flags;		/* PERF_EVENT_GROUP_* */
};

#define PERF_EVENT_TELLS_GROUPS	8
#define PERF_EVENT_TELLS_LOSSES	8

/*
 * Times are ns. @since of an event that counts or waits is by the clock of its times,
 * which runs while its task does: so long has it counted, or waited, without a break.
 */
struct perf_event_state_info {
	__u32	size;		/* of this structure */
	__u32	doing;		/* enum perf_event_doing */
	__s32	tid;		/* thread that is watched; -1: all of a CPU; 0: gone */
	__u32	flags;		/* PERF_EVENT_IS_*, PERF_EVENT_HAS_*, PERF_EVENT_OTHERS_ON */
	__s32	cpu;		/* on which it counts or waits, else -1 */
	__s32	counter;	/* that the PMU has given it, by the PMU's numbers, else -1 */
	__u64	since;		/* for how long it has done so; 0: not known */
	__u64	enabled;	/* that it has been enabled */
	__u64	running;	/* that it has counted; it waited for the rest */

	/* that it is, as opened */
	__u64	id;
	__u64	leader;		/* id of its group's leader */
	__u32	members;	/* of its group, with the leader */
	__s32	asked_cpu;	/* -1: any */
	__u32	type;
	__u32	reserved;	/* 0 */
	__u64	config;
	__u64	attr_flags;	/* the word of attr's bits, from disabled on */
	__u64	sample;		/* sample_period, or sample_freq */
	char	pmu[32];	/* name, ends with a zero byte */

	/* while it waits, and in the error state */
	__u32	obstacle;	/* enum perf_event_obstacle */
	__u32	needs;		/* counters, for all of its group at once */
	__u32	on_groups;	/* groups that are, or were, on in its place, as far as told */
	__u32	on_told;	/* entries of @groups */

	/* its samples */
	__u32	throttles;	/* times that it was throttled; 65535: or more */
	__u32	allowed;	/* overflows a second that are allowed now */
	__u64	lost;		/* its records that were lost, by whatever cause */

	/* its buffer, by all events that write to it */
	__u64	records;	/* written; of several CPUs at once, few may be missing */
	__u64	bytes;		/* of these */
	__u64	aux_bytes;	/* written to AUX areas */
	__u64	wakeups;	/* of its readers */
	__u64	losses[PERF_EVENT_TELLS_LOSSES];	/* by enum perf_event_loss */

	/* filters in force */
	__u32	addr_filters;	/* how many */
	__u32	bpf_id;		/* of the program; 0: none, or one that is not told */

	struct perf_event_state_group	groups[PERF_EVENT_TELLS_GROUPS];

	/*
	 * The text of the filters in force, as PERF_EVENT_IOC_SET_FILTER takes it. A file that
	 * cannot be reached from the caller's root directory is "?". A text that is longer than
	 * the room for it is cut off, and always ends with a zero byte.
	 */
	__u64	filter;		/* address of room for it; 0: none */
	__u32	filter_size;	/* bytes of room */
	__u32	filter_length;	/* bytes of the whole text, with the zero byte; 0: no text */
};

#endif /* _UAPI_LINUX_PERF_EVENT_EXT_H */
