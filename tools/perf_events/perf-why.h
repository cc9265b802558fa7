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

/* show.c: print a refusal, as a line of text or of JSON; a string of JSON. */
void show_refusal(FILE *out, const struct told *told, bool json);
void put_json_text(FILE *out, const char *text);

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

/**
 * struct pages - how a page is shown
 * @out: where
 * @json: as JSON
 * @times: how many times; 0: until it is ended
 * @seconds: between them
 */
struct pages {
	FILE		*out;
	bool		json;
	unsigned int	times;
	double		seconds;
};

/* pages.c: does a page follow? Waits, and clears the screen if there is one. */
bool next_page(const struct pages *pages, unsigned int shown);

/* process.c: all events of a process. Returns the exit status. */
int show_process(pid_t pid, const struct pages *pages);

/**
 * struct seen - an event that has been found
 * @info: what it is doing
 * @filter: the text of its filters, or ""
 * @tid: the thread that is watched
 * @opener: the process whose file it is
 */
struct seen {
	struct perf_event_state_info	info;
	char				filter[4096];
	pid_t				tid;
	pid_t				opener;
};

/* state.c: print what an event is doing. */
void show_state_header(FILE *out);
void show_state(FILE *out, const struct seen *seen, bool json);

/*
 * show.c: the name of a task. A task chooses its name itself, so what a terminal might obey is
 * shown as question marks. The next call overwrites it.
 */
const char *comm_of(pid_t pid);

/* system.c: the state of the subsystem. Returns the exit status. */
int show_system(const struct pages *pages);

#endif
