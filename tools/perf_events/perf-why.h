/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf-why: the parts of the program.
 */
#ifndef _TOOLS_PERF_WHY_H
#define _TOOLS_PERF_WHY_H

#include <linux/perf_event.h>
#include <linux/perf_event_ext.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/**
 * struct told - a refusal, and who met it
 * @pid: the thread
 * @comm: its name
 * @call: enum perf_refused_call
 * @error: positive errno
 * @value: of @field, or 0
 * @name: of the reason
 * @field: or argument that is to blame
 * @pmu: that was asked, or ""
 * @reason: a sentence whose subject is @field
 */
struct told {
	pid_t		pid;
	const char	*comm;
	__u32		call;
	__s32		error;
	__u64		value;
	const char	*name;
	const char	*field;
	const char	*pmu;
	const char	*reason;
};

/* show.c: print a refusal, as a line of text or of JSON. */
void show_refusal(FILE *out, const struct told *told, bool json);

/**
 * struct event_args - arguments of perf_event_open(2)
 * @attr: the attribute
 * @pid: the task, 0: this one
 * @cpu: the CPU, -1: any
 * @flags: PERF_FLAG_*
 */
struct event_args {
	struct perf_event_attr	attr;
	pid_t			pid;
	int			cpu;
	unsigned long		flags;
};

/* attr.c: read "FIELD=VALUE,...". Returns NULL, or the first that is not known. */
const char *parse_event(struct event_args *event, char *text);

/* watch.c: run a program. Returns the exit status for this one. */
int watch_command(char *const argv[], FILE *out, bool json);

#endif
