/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Explanation of refused calls. A check that fails notes the reason, a row of refuse_rows.h,
 * and returns the row's errno:
 *
 *	if (flags & ~KNOWN)
 *		return perf_refuse_value(PERF_REFUSED_OPEN_FLAGS, flags);
 *
 * The reason is noted for current. At the end of the system call perf_refusal_end() makes the
 * last noted reason the one that prctl(PR_PERF_EXPLAIN) reports. -ENOMEM, -EFAULT, -EMFILE
 * and -ENFILE need not be noted.
 *
 * The rows, and macros such as RULE() of attr.c, paste PERF_REFUSED_ and the name of a reason: to
 * find all uses of a reason, search for the bare name, such as OPEN_FLAGS.
 *
 * A struct perf_refusal_row is a row of the table, a struct perf_refusal is the report to user
 * space, and a struct perf_refused has the reports of a task. PERF_REFUSED_CALL_* are not reasons
 * but the system calls that can be refused.
 */
#ifndef _KERNEL_EVENTS_REFUSE_H
#define _KERNEL_EVENTS_REFUSE_H

#include <linux/perf_event.h>

/* The reasons, one for each row of refuse_rows.h; PERF_REFUSALS is their number. */
enum perf_refusal_id {
#define REFUSAL(id, ...)	PERF_REFUSED_##id,
#include "refuse_rows.h"
#undef REFUSAL
	PERF_REFUSALS
};

/**
 * struct perf_refusal_row - a reason
 * @name: name of the reason, for programs
 * @field: the field or argument at fault
 * @reason: predicate of a sentence whose subject is @field; see refuse_rows.h
 * @error: positive errno that perf_refuse() returns; perf_refuse_error() notes and returns the
 *	errno of other code, such as a security module, in its place
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
int perf_refuse_with_pmu(enum perf_refusal_id id, const struct perf_event *event);
int perf_refuse_by_pmu(const struct perf_event *event, int error);
void perf_refusal_clear(void);
#if IS_ENABLED(CONFIG_PERF_EVENTS_KUNIT_TEST)
const struct perf_refusal *perf_refusal_look(void);
enum perf_refusal_id perf_refusal_take(void);
#endif
struct dentry *perf_debugfs_dir(void);
long perf_refusal_report(enum perf_refused_call call, long error);

/* End a call: return its result, and report the refusal if the call has failed. */
static inline long perf_refusal_end(enum perf_refused_call call, long ret)
{
	return unlikely(ret < 0) ? perf_refusal_report(call, ret) : ret;
}

#endif /* _KERNEL_EVENTS_REFUSE_H */
