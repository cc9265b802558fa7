/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Refused calls, and the reason from prctl(PR_PERF_EXPLAIN).
 */
#ifndef _SELFTESTS_PERF_EVENTS_PE_REFUSED_H
#define _SELFTESTS_PERF_EVENTS_PE_REFUSED_H

#include <errno.h>
#include <linux/perf_event_ext.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pe_lib.h"

/* A software event of this process, with some fields of the attribute changed. */
#define EVENT(...)								\
	(&(struct perf_event_attr){						\
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,	\
		.size = sizeof(struct perf_event_attr), __VA_ARGS__ })

/* For FIXTURE_SETUP() */
#define NEED_EXPLANATIONS(statement)						\
	do {									\
		if (prctl(PR_PERF_EXPLAIN, NULL, 0, 0, 0) < 0)			\
			SKIP_OTHERS(statement, "needs PR_PERF_EXPLAIN");	\
	} while (0)

static inline int explain(struct perf_refusal *refusal)
{
	memset(refusal, 0, sizeof(*refusal));
	return prctl(PR_PERF_EXPLAIN, refusal, sizeof(*refusal), 0, 0);
}

static inline long open_event(const struct perf_event_attr *attr, pid_t pid, int cpu, int group,
			      unsigned long flags)
{
	return syscall(__NR_perf_event_open, attr, pid, cpu, group, flags);
}

static inline long open_self(const struct perf_event_attr *attr)
{
	return open_event(attr, 0, -1, -1, 0);
}

#define CALL(name)	(1 << PERF_REFUSED_CALL_##name)
#define ANY		(OPEN | IOCTL | MMAP | PRCTL | SPLICE)
enum {
	OPEN	= CALL(OPEN),
	IOCTL	= CALL(IOCTL),
	MMAP	= CALL(MMAP),
	PRCTL	= CALL(PRCTL),
	SPLICE	= CALL(SPLICE),
};

/* For each reason: the calls that may report it, its field and its sentence. */
static const struct refused_row {
	int		calls;
	const char	*name;
	const char	*field;
	const char	*reason;
} refused_rows[] = {
#define REFUSAL(calls, name, field, reason)	{ calls, #name, field, reason },
#include "pe_refused_rows.h"
#undef REFUSAL
	{ OPEN, "PMU_SAYS" },
	{ }
};

/* Do all fields of a refusal match the row of its name? */
static inline bool is_told_rightly(const struct perf_refusal *refusal)
{
	const struct refused_row *row = refused_rows;

	while (row->name && strcmp(row->name, refusal->name))
		row++;
	if (!row->name || !(row->calls & 1 << refusal->call) || !refusal->reason[0])
		return false;
	return !row->reason ||
	       (!strcmp(row->field, refusal->field) && !strcmp(row->reason, refusal->reason));
}

/* Was the last call, with @result, refused for this reason? Prints the difference if not. */
static inline bool was_refused(long result, const char *name, int error)
{
	struct perf_refusal refusal;
	int found = errno;

	if (result != -1) {
		printf("# %s: not refused\n", name);
		return false;
	}
	if (explain(&refusal) != (int)sizeof(refusal)) {
		printf("# %s: errno %d without a reason\n", name, found);
		return false;
	}
	if (found == error && refusal.error == error && !strcmp(refusal.name, name) &&
	    is_told_rightly(&refusal) && refusal.size == sizeof(refusal) && !refusal.reserved)
		return true;
	printf("# %s, %d: errno %d, reported %s, %d, call %d: \"%s\" %s\n", name, error, found,
	       refusal.name, refusal.error, refusal.call, refusal.field, refusal.reason);
	return false;
}

#define REFUSED(name, error, call)	EXPECT_TRUE(was_refused((call), #name, error))

#endif
