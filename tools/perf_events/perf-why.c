// SPDX-License-Identifier: GPL-2.0
/*
 * perf-why: print why the kernel refused an event, or what the state of an event is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf-why.h"

static const char usage[] =
	"usage: perf-why [--json] [-o FILE] -- COMMAND [ARGUMENT...]\n"
	"       perf-why [--json] [-o FILE] -e FIELD=VALUE,...\n"
	"       perf-why [--json] [-o FILE] [-n TIMES] [-d SECONDS] -p PID\n"
	"       perf-why [--json] [-o FILE] [-n TIMES] [-d SECONDS] --system\n"
	"\n"
	"COMMAND     run a command, and print each refused perf call of it and its children\n"
	"-e          open one event, given by fields of struct perf_event_attr and pid, cpu,\n"
	"            flags, and print the reason if the kernel refuses it\n"
	"-p PID      print the state of all events of a process: events that watch one of its\n"
	"            threads, and events that it has opened\n"
	"--system    print the state of perf events on all CPUs\n"
	"\n"
	"--json      print a line of JSON for each refusal or event, or for each page of --system\n"
	"-o FILE     write to FILE (default: stderr for COMMAND and -e, else stdout)\n"
	"-n TIMES    number of pages, 0 for no limit (default: 1 for -p, 0 for --system)\n"
	"-d SECONDS  interval of pages (default: 2)\n";

/* Open one event. Returns the exit status: 0 if it can be opened, 1 if it is refused. */
static int explain_open(char *text, FILE *out, bool json)
{
	struct perf_refusal refusal = { };
	const char *unknown, *comm = "perf-why";
	struct event_args event;
	struct refused_call refused;
	int fd, error;

	unknown = parse_event(&event, text);
	if (unknown) {
		fprintf(stderr, "perf-why: \"%s\" is not a field with a number\n", unknown);
		return 2;
	}
	fd = syscall(__NR_perf_event_open, &event.attr, event.pid, event.cpu, -1, event.flags);
	if (fd >= 0) {
		if (!json)
			fprintf(out, "perf-why: the event can be opened\n");
		close(fd);
		return 0;
	}
	error = errno;
	if (prctl(PR_PERF_EXPLAIN, &refusal, sizeof(refusal), 0, 0) != (int)sizeof(refusal)) {
		fprintf(stderr, "perf-why: %s; this kernel does not explain refusals\n",
			strerror(error));
		return 1;
	}
	refused = (struct refused_call){
		.pid = getpid(), .comm = comm, .call = refusal.call, .error = refusal.error,
		.value = refusal.value, .name = refusal.name, .field = refusal.field,
		.pmu = refusal.pmu, .reason = refusal.reason,
	};
	show_refusal(out, &refused, json);
	return 1;
}

/**
 * struct request - parsed options
 * @event: argument of -e, or NULL
 * @pid: argument of -p, or 0
 * @system: --system was given
 * @times: argument of -n, or -1
 * @pages: options of the output
 */
struct request {
	char		*event;
	pid_t		pid;
	bool		system;
	int		times;
	struct pages	pages;
};

static bool take_option(struct request *r, int option)
{
	char *end = "";

	switch (option) {
	case 'j':
		r->pages.json = true;
		return true;
	case 's':
		r->system = true;
		return true;
	case 'e':
		r->event = optarg;
		return true;
	case 'p':
		r->pid = strtol(optarg, &end, 10);
		return !*end && r->pid > 0;
	case 'n':
		r->times = strtol(optarg, &end, 10);
		return !*end && r->times >= 0;
	case 'd':
		r->pages.seconds = strtod(optarg, &end);
		return !*end && r->pages.seconds > 0;
	case 'o':
		r->pages.out = fopen(optarg, "we");
		if (r->pages.out)
			return true;
		fprintf(stderr, "perf-why: %s: %s\n", optarg, strerror(errno));
		exit(2);
	}
	return false;
}

static FILE *or_else(FILE *out, FILE *usual)
{
	if (!out)
		out = usual;
	/* Line buffering: output must not mix with lines of the command. */
	setvbuf(out, NULL, _IOLBF, 4096);
	return out;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' }, { "system", no_argument, NULL, 's' }, { }
	};
	struct request r = { .times = -1, .pages.seconds = 2 };
	bool command;
	int option;

	/* "+" stops getopt at the command, whose own options follow. */
	while ((option = getopt_long(argc, argv, "+e:o:p:n:d:", options, NULL)) != -1) {
		if (!take_option(&r, option))
			goto usage;
	}
	command = optind < argc;
	if (command + !!r.event + !!r.pid + r.system != 1)
		goto usage;
	if (command)
		return watch_command(argv + optind, or_else(r.pages.out, stderr), r.pages.json);
	if (r.event)
		return explain_open(r.event, or_else(r.pages.out, stderr), r.pages.json);

	r.pages.times = r.times >= 0 ? r.times : r.pid ? 1 : 0;
	r.pages.out = or_else(r.pages.out, stdout);
	return r.pid ? show_process(r.pid, &r.pages) : show_system(&r.pages);
usage:
	fputs(usage, stderr);
	return 2;
}
