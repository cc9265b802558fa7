// SPDX-License-Identifier: GPL-2.0
/*
 * Run a program, and print the refusals of its calls and of its children's calls. The source is the
 * tracepoint perf:perf_event_refused, with one inherited event for each CPU.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf-why.h"

#define EVENT_DIR	"events/perf/perf_event_refused/"
#define DATA_PAGES	8
#define CPUS_MAX	1024

/* Offsets of the fields in the tracepoint's record */
static struct {
	const char	*name;
	unsigned int	offset;
} fields[] = { { "call", 0 }, { "error", 0 }, { "value", 0 }, { "name", 0 }, { "field", 0 },
	       { "pmu", 0 }, { "reason", 0 } };

enum { CALL, ERROR, VALUE, NAME, FIELD, PMU, REASON, NR_FIELDS };

/**
 * struct source - the event of one CPU
 * @fd: file descriptor of the event
 * @page: mapping of its buffer
 */
struct source {
	int				fd;
	struct perf_event_mmap_page	*page;
};

static struct source sources[CPUS_MAX];
static struct pollfd polled[CPUS_MAX];
static int nr_sources;

static FILE *open_in_tracefs(const char *file)
{
	static const char *const roots[] = { "/sys/kernel/tracing/", "/sys/kernel/debug/tracing/" };
	char path[128];
	FILE *found = NULL;
	unsigned int i;

	for (i = 0; i < 2 && !found; i++) {
		snprintf(path, sizeof(path), "%s" EVENT_DIR "%s", roots[i], file);
		found = fopen(path, "r");
	}
	return found;
}

/* Read the format of the tracepoint. Returns its id, or -1. */
static long find_tracepoint(void)
{
	FILE *id = open_in_tracefs("id"), *format = open_in_tracefs("format");
	unsigned int offset, found = 0, i;
	char line[256], name[64];
	long number = -1;

	if (id && fscanf(id, "%ld", &number) != 1)
		number = -1;
	while (format && fgets(line, sizeof(line), format)) {
		char *end = strchr(line, ';'), *start;

		if (!end || !strstr(line, "field:") || sscanf(end + 1, " offset:%u", &offset) != 1)
			continue;
		*end = 0;
		start = strrchr(line, ' ');
		if (!start || sscanf(start, " %63[a-z_]", name) != 1)
			continue;
		for (i = 0; i < NR_FIELDS; i++) {
			if (!strcmp(name, fields[i].name)) {
				fields[i].offset = offset;
				found++;
			}
		}
	}
	if (id)
		fclose(id);
	if (format)
		fclose(format);
	return found == NR_FIELDS ? number : -1;
}

static bool open_sources(long tracepoint, pid_t child)
{
	long page = sysconf(_SC_PAGESIZE);
	int cpu, cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = tracepoint,
		.sample_period = 1, .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_RAW,
		.inherit = 1, .wakeup_events = 1,
	};

	for (cpu = 0; cpu < cpus && nr_sources < CPUS_MAX; cpu++) {
		struct source *s = &sources[nr_sources];

		s->fd = syscall(__NR_perf_event_open, &attr, child, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		/* An offline CPU needs no event, because no task runs there. */
		if (s->fd < 0 && errno == ENODEV)
			continue;
		if (s->fd < 0)
			return false;
		s->page = mmap(NULL, (1 + DATA_PAGES) * page, PROT_READ | PROT_WRITE, MAP_SHARED,
			       s->fd, 0);
		if (s->page == MAP_FAILED)
			return false;
		polled[nr_sources++] = (struct pollfd){ .fd = s->fd, .events = POLLIN };
	}
	return nr_sources > 0;
}

static const char *string_at(const char *raw, __u32 size, int field)
{
	__u32 where = *(const __u32 *)(raw + fields[field].offset);
	__u32 offset = where & 0xffff, length = where >> 16;

	if (!length || offset + length > size || raw[offset + length - 1])
		return "?";
	return raw + offset;
}

/**
 * struct sample - a record, with the fields of sample_type
 * @header: header of the record
 * @pid: the process
 * @tid: the thread
 * @size: size of @raw in bytes
 * @raw: the tracepoint's data
 */
struct sample {
	struct perf_event_header	header;
	__u32				pid;
	__u32				tid;
	__u32				size;
	char				raw[];
};

static void show_sample(const struct sample *sample, FILE *out, bool json)
{
	const char *raw = sample->raw;
	struct refused_call refused = {
		.pid	= sample->tid,
		.comm	= comm_of(sample->tid),
		.call	= *(const __u32 *)(raw + fields[CALL].offset),
		.error	= *(const __s32 *)(raw + fields[ERROR].offset),
		.value	= *(const __u64 *)(raw + fields[VALUE].offset),
		.name	= string_at(raw, sample->size, NAME),
		.field	= string_at(raw, sample->size, FIELD),
		.pmu	= string_at(raw, sample->size, PMU),
		.reason	= string_at(raw, sample->size, REASON),
	};

	show_refusal(out, &refused, json);
}

static unsigned long drain(struct source *s, FILE *out, bool json)
{
	char *data = (char *)s->page + s->page->data_offset;
	__u64 head = __atomic_load_n(&s->page->data_head, __ATOMIC_ACQUIRE);
	__u64 tail = s->page->data_tail, size = s->page->data_size, i;
	static __u64 record[(1 << 16) / sizeof(__u64)];
	struct sample *sample = (struct sample *)record;
	char *copy = (char *)record;
	unsigned long samples = 0;

	while (tail < head) {
		/* A header never wraps: records start at multiples of 8 bytes. */
		memcpy(copy, data + tail % size, sizeof(sample->header));
		for (i = 0; i < sample->header.size; i++)
			copy[i] = data[(tail + i) % size];
		if (sample->header.type == PERF_RECORD_SAMPLE) {
			show_sample(sample, out, json);
			samples++;
		} else if (sample->header.type == PERF_RECORD_LOST) {
			fprintf(out, "perf-why: some refusals were lost\n");
		}
		tail += sample->header.size;
	}
	__atomic_store_n(&s->page->data_tail, tail, __ATOMIC_RELEASE);
	return samples;
}

static unsigned long drain_all(FILE *out, bool json)
{
	unsigned long samples = 0;
	int i;

	for (i = 0; i < nr_sources; i++)
		samples += drain(&sources[i], out, json);
	return samples;
}

/* Fork the command. The child execs after the parent has opened the events. */
static pid_t start_command(char *const argv[], int *go)
{
	int pipes[2];
	pid_t child;
	char c;

	if (pipe(pipes))
		return -1;
	child = fork();
	if (!child) {
		close(pipes[1]);
		if (read(pipes[0], &c, 1) != 1)
			_exit(127);
		close(pipes[0]);
		execvp(argv[0], argv);
		fprintf(stderr, "perf-why: %s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	close(pipes[0]);
	*go = pipes[1];
	return child;
}

int watch_command(char *const argv[], FILE *out, bool json)
{
	long tracepoint = find_tracepoint();
	unsigned long samples = 0;
	siginfo_t info = { 0 };
	int go = -1, status;
	pid_t child;

	if (tracepoint < 0) {
		fprintf(stderr, "perf-why: cannot read %s: no permission, or an old kernel\n",
			EVENT_DIR);
		return 127;
	}
	child = start_command(argv, &go);
	if (child < 0 || !open_sources(tracepoint, child)) {
		fprintf(stderr, "perf-why: cannot watch %s: %s\n", argv[0], strerror(errno));
		/* The child's read returns 0, and the child exits. */
		close(go);
		return 127;
	}
	if (write(go, "", 1) != 1)
		return 127;
	close(go);
	/* Reap the child after the last refusal is printed: until then /proc has its name. */
	while (!waitid(P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT) && !info.si_pid) {
		poll(polled, nr_sources, 100);
		samples += drain_all(out, json);
	}
	samples += drain_all(out, json);
	if (waitpid(child, &status, 0) != child)
		return 127;
	if (!json)
		fprintf(out, "perf-why: %lu refused\n", samples);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
