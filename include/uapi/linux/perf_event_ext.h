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
 * ioctl(fd, PERF_EVENT_IOC_STATE, &state): what is the event doing, and if it does not
 * count, why not?
 *
 * @size says how many bytes there is room for, 8 at least; as many as both sides know
 * are written, and @size becomes what this kernel has. The state may have changed before
 * the call returns. It is that of the event alone, without its copies in other tasks.
 * ENOTTY: the kernel does not tell; EFAULT; EINVAL: too small a size.
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

#define PERF_EVENT_IS_THROTTLED	0x1	/* until the next tick: it overflows too often */
#define PERF_EVENT_IS_PAUSED	0x2	/* PERF_EVENT_IOC_PAUSE_OUTPUT */
#define PERF_EVENT_OTHERS_ON	0x4	/* groups of others are on, and not told */

#define PERF_EVENT_TELLS_GROUPS	8

struct perf_event_state_info {
	__u32	size;		/* of this structure */
	__u32	doing;		/* enum perf_event_doing */
	__u32	flags;		/* PERF_EVENT_IS_*, PERF_EVENT_OTHERS_ON */
	__s32	cpu;		/* on which it counts or waits, else -1 */
	__s32	counter;	/* that the PMU has given it, by the PMU's numbers, else -1 */
	__u32	nr_groups;	/* while it waits: groups that are on in its place */
	__u64	enabled;	/* ns that it has been enabled */
	__u64	running;	/* ns that it has counted; it waited for the rest */
	__u64	lost;		/* its samples that found no room */
	__u64	wakeups;	/* of readers of its buffer, by all who write to it */
	__u64	groups[PERF_EVENT_TELLS_GROUPS];	/* ids of leaders of the first groups */
};

#endif /* _UAPI_LINUX_PERF_EVENT_EXT_H */
