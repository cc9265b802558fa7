/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that are refused, and what prctl(PR_PERF_EXPLAIN) says of them.
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

/* Has the call that failed just now, with @result, been refused so? Says why it thinks not. */
static inline bool was_refused(long result, const char *name, int error)
{
	struct perf_refusal refusal;
	int found = errno;

	if (result != -1) {
		printf("# %s: not refused\n", name);
		return false;
	}
	if (explain(&refusal) != (int)sizeof(refusal)) {
		printf("# %s: errno %d, not explained\n", name, found);
		return false;
	}
	if (found == error && refusal.error == error && !strcmp(refusal.name, name) &&
	    refusal.reason[0] && refusal.size == sizeof(refusal) && !refusal.reserved)
		return true;
	printf("# %s, %d: errno %d, told %s, %d: \"%s\" %s\n", name, error, found, refusal.name,
	       refusal.error, refusal.field, refusal.reason);
	return false;
}

#define REFUSED(name, error, call)	EXPECT_TRUE(was_refused((call), #name, error))

#endif
