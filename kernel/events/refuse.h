/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why user space is refused. A check that fails says so at its place, by the row of
 * the reason, and returns what that gives:
 *
 *	if (flags & ~KNOWN)
 *		return perf_refuse_value(PERF_REFUSED_OPEN_FLAGS, flags);
 *
 * The reason is noted for current. The system call ends with perf_refusal_end(), at
 * which the last reason noted becomes the one that prctl(PR_PERF_EXPLAIN) tells.
 * -ENOMEM, -EFAULT, -EMFILE, -ENFILE need not be noted.
 */
#ifndef _KERNEL_EVENTS_REFUSE_H
#define _KERNEL_EVENTS_REFUSE_H

#include <linux/perf_event.h>

/**
 * enum perf_refusal_id - the reasons; refuse_rows.h has a row for each
 * @PERF_REFUSALS: how many there are
 */
enum perf_refusal_id {
#define REFUSAL(id, ...)	PERF_REFUSED_##id,
#include "refuse_rows.h"
#undef REFUSAL
	PERF_REFUSALS
};

/**
 * struct perf_refusal_row - a reason
 * @name: of the reason, for programs
 * @field: or argument that is to blame
 * @reason: a sentence that begins with @field
 * @error: positive errno; where it is another's, as a security module's, the usual one
 */
struct perf_refusal_row {
	const char	*name;
	const char	*field;
	const char	*reason;
	int		error;
};

extern const struct perf_refusal_row perf_refusal_rows[PERF_REFUSALS];

int perf_refuse(enum perf_refusal_id id);
int perf_refuse_value(enum perf_refusal_id id, u64 value);
int perf_refuse_error(enum perf_refusal_id id, int error);
int perf_refuse_event(enum perf_refusal_id id, const struct perf_event *event);
int perf_refuse_by_pmu(const struct perf_event *event, int error);
void perf_refusal_forget(void);
#if IS_ENABLED(CONFIG_PERF_EVENTS_KUNIT_TEST)
const struct perf_refusal *perf_refusal_look(void);
enum perf_refusal_id perf_refusal_take(void);
#endif
struct dentry *perf_debugfs_dir(void);
long perf_refusal_told(enum perf_refused_call call, long error);

/* The end of a call: pass its result on, and tell why it failed if it has. */
static inline long perf_refusal_end(enum perf_refused_call call, long ret)
{
	return unlikely(ret < 0) ? perf_refusal_told(call, ret) : ret;
}

#endif /* _KERNEL_EVENTS_REFUSE_H */
