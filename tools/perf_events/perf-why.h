/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf-why: functions shared by its files.
 */
#ifndef _TOOLS_PERF_WHY_H
#define _TOOLS_PERF_WHY_H

#include <linux/perf_event.h>
#include <linux/perf_event_ext.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/**
 * struct refused_call - a refusal, and the task whose call was refused
 * @pid: the thread
 * @comm: the thread's name
 * @call: enum perf_refused_call
 * @error: positive errno
 * @value: value of @field, or 0
 * @name: name of the reason
 * @field: field or argument that is refused
 * @pmu: PMU that refused the event, or ""
 * @reason: a sentence whose subject is @field
 */
struct refused_call {
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

/*
 * show.c: print a refusal as text or JSON; print a JSON string. A process chooses the text of
 * filters, so bytes that are not a printable UTF-8 character are escaped.
 */
void show_refusal(FILE *out, const struct refused_call *refused, bool json);
void put_json_text(FILE *out, const char *text);

/**
 * struct event_args - arguments of perf_event_open(2)
 * @attr: the attribute
 * @pid: the task, 0 for this one
 * @cpu: the CPU, -1 for any
 * @flags: PERF_FLAG_*
 */
struct event_args {
	struct perf_event_attr	attr;
	pid_t			pid;
	int			cpu;
	unsigned long		flags;
};

/* attr.c: parse "FIELD=VALUE,...". Returns NULL, or the first unknown field. */
const char *parse_event(struct event_args *event, char *text);

/* attr.c: is this field of a refusal a flag, such as "attr.inherit"? */
bool is_flag_field(const char *field);

/* watch.c: run a program. Returns the exit status of perf-why. */
int watch_command(char *const argv[], FILE *out, bool json);

/**
 * struct pages - options of the output
 * @out: output file
 * @json: print JSON
 * @times: number of pages, 0 for no limit
 * @seconds: interval of pages
 */
struct pages {
	FILE		*out;
	bool		json;
	unsigned int	times;
	double		seconds;
};

/* pages.c: wait for the next page, if there is one, and clear the screen. */
bool next_page(const struct pages *pages, unsigned int shown);

/* process.c: print all events of a process. Returns the exit status. */
int show_process(pid_t pid, const struct pages *pages);

/**
 * struct seen - an event of the process
 * @info: its state
 * @filter: text of its filters, or ""
 * @tid: the thread that it watches
 * @opener: the process that has its file
 */
struct seen {
	struct perf_event_state_info	info;
	char				filter[4096];
	pid_t				tid;
	pid_t				opener;
};

/* state.c: print the state of an event. */
void show_state_header(FILE *out);
void show_state(FILE *out, const struct seen *seen, bool json);

/*
 * show.c: read the name of a task. A task chooses its own name, so characters that a terminal might
 * interpret are replaced. The next call overwrites the result.
 */
const char *comm_of(pid_t pid);

/* system.c: print the state of perf events on all CPUs. Returns the exit status. */
int show_system(const struct pages *pages);

#endif
