// SPDX-License-Identifier: GPL-2.0
/*
 * perf-why: why was an event refused?
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf-why.h"

static const char usage[] =
	"usage: perf-why [--json] [-o FILE] -- COMMAND [ARGUMENT...]\n"
	"       perf-why [--json] [-o FILE] -e FIELD=VALUE,...\n"
	"\n"
	"Run a program as it is, and tell each refusal of a call about perf events that it and\n"
	"its children meet; or open one event, given by fields of struct perf_event_attr and\n"
	"pid, cpu, flags, and tell why it is refused if it is.\n"
	"\n"
	"  --json   a line of JSON for each refusal\n"
	"  -o FILE  write refusals there, not to stderr\n";

/* Open one event. Returns the exit status: 0: it can be opened; 1: it is refused. */
static int explain_open(char *text, FILE *out, bool json)
{
	struct perf_refusal refusal = { };
	const char *unknown, *comm = "perf-why";
	struct event_args event;
	struct told told;
	int fd, error;

	unknown = parse_event(&event, text);
	if (unknown) {
		fprintf(stderr, "perf-why: \"%s\" is not a field, or has no number\n", unknown);
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
		fprintf(stderr, "perf-why: %s; this kernel does not say why\n", strerror(error));
		return 1;
	}
	told = (struct told){
		.pid = getpid(), .comm = comm, .call = refusal.call, .error = refusal.error,
		.value = refusal.value, .name = refusal.name, .field = refusal.field,
		.pmu = refusal.pmu, .reason = refusal.reason,
	};
	show_refusal(out, &told, json);
	return 1;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "json", no_argument, NULL, 'j' }, { } };
	char *event = NULL;
	FILE *out = stderr;
	bool json = false;
	int option;

	/* The command begins at the first argument that is no option: "+" ends the search. */
	while ((option = getopt_long(argc, argv, "+e:o:", options, NULL)) != -1) {
		switch (option) {
		case 'j':
			json = true;
			break;
		case 'e':
			event = optarg;
			break;
		case 'o':
			out = fopen(optarg, "we");
			if (!out) {
				fprintf(stderr, "perf-why: %s: %s\n", optarg, strerror(errno));
				return 2;
			}
			break;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	/* Lines stay whole beside those of the command. */
	setvbuf(out, NULL, _IOLBF, 4096);
	if (event && optind == argc)
		return explain_open(event, out, json);
	if (!event && optind < argc)
		return watch_command(argv + optind, out, json);
	fputs(usage, stderr);
	return 2;
}
