/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Extensions of the ABI of <linux/perf_event.h>. A kernel without them refuses each of
 * these with EINVAL.
 */
#ifndef _UAPI_LINUX_PERF_EVENT_EXT_H
#define _UAPI_LINUX_PERF_EVENT_EXT_H

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

#endif /* _UAPI_LINUX_PERF_EVENT_EXT_H */
