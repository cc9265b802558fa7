// SPDX-License-Identifier: GPL-2.0
/*
 * Growth of the cost of perf events: with hardware groups on the simulated PMU, with cgroups,
 * with the number of events, and per field. Output as in bench.c.
 */
#include "lib.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define CGROUPS	"/sys/fs/cgroup/perf_event/"

/* Groups of one cycle counter each; the PMU has five counters for them. */
static void hardware_switches(void)
{
	static const int numbers[] = { 1, 4, 16 };
	double plain;
	char name[64];
	int ok;

	plain = switch_cost(NULL, &ok);
	for (int i = 0; i < 3; i++) {
		struct set s = { .nr = numbers[i], .cpu = -1, .type = sim_type() };
		double value = 0;

		ok = 0;
		if (s.type)
			value = switch_cost(&s, &ok);
		snprintf(name, sizeof(name), "switch: +%d hardware%s", numbers[i],
			 numbers[i] > 5 ? " (multiplexed)" : "");
		report(name, ok, value - plain);
	}
}

/* A PMU with sched_task, with events of this task or of a CPU */
static void branch_switches(void)
{
	static const struct {
		const char *name;
		int nr, cpu;
	} rows[] = {
		{ "switch: +1 hardware with branches", 1, -1 },
		{ "switch: +4 hardware with branches", 4, -1 },
		{ "switch: 1 per-CPU hardware with branches", 1, 0 },
	};
	double plain;
	int ok;

	wait_for_hooks();
	plain = switch_cost(NULL, &ok);
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct set s = {
			.nr = rows[i].nr, .cpu = rows[i].cpu, .type = type_of("sim_habits"),
		};
		double value = 0;

		ok = 0;
		if (s.type)
			value = switch_cost(&s, &ok);
		report(rows[i].name, ok, value - plain);
	}
}

/* Cost of multiplexing for a program, per 4 ms */
static void rotations(void)
{
	static const int numbers[] = { 4, 8, 16, 32, 64 };
	double plain = 0;
	char name[64];

	for (int i = 0; i < 5; i++) {
		struct set s = { .nr = numbers[i], .cpu = -1, .type = sim_type() };
		int ok = s.type && !open_set(&s);
		__s64 start = now();
		double took;

		spin();
		took = now() - start;
		if (!i)
			plain = took;
		snprintf(name, sizeof(name), "rotation: of %d groups", numbers[i]);
		report(name, ok && i, (took - plain) / (plain / 4e6));
		if (ok)
			close_set(&s);
	}
}

static void map_unmap(void)
{
	char *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(p, 4096);
}

static int mapped_file;

static void map_unmap_file(void)
{
	char *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, mapped_file, 0);

	munmap(p, 4096);
}

/*
 * A task with a number of counting events maps files; the event that requests the records is on
 * another task
 */
static void listener_elsewhere(void)
{
	static const int numbers[] = { 0, 16, 1000 };
	static struct set counters;
	char name[64];
	double plain;
	pid_t other;

	mapped_file = open("/proc/self/exe", O_RDONLY);
	wait_for_hooks();
	plain = cost_without_ring(map_unmap_file, 200, 1);
	other = fork();
	if (!other) {
		pause();
		_exit(0);
	}
	for (int i = 0; i < 3; i++) {
		struct set listener = {
			.nr = 1, .cpu = -1, .config = PERF_COUNT_SW_DUMMY, .sideband = 1,
			.pid = other,
		};
		double value;
		int ok;

		counters = (struct set){
			.nr = numbers[i], .cpu = -1, .config = PERF_COUNT_SW_CPU_MIGRATIONS,
		};
		ok = !open_set(&counters) && !open_set(&listener);
		value = cost(map_unmap_file, 200, 1);
		snprintf(name, sizeof(name), "mmap + munmap: %d counters; listener elsewhere",
			 numbers[i]);
		report(name, ok, value - plain);
		close_set(&counters);
		close_set(&listener);
	}
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	close(mapped_file);
}

static void exec_true(void)
{
	pid_t child = fork();

	if (!child) {
		execl("/proc/self/exe", "scale", "true", NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

static void sideband(void)
{
	static const struct {
		const char *name;
		void (*path)(void);
		int turns;
	} rows[] = {
		{ "mmap + munmap", map_unmap, 1000 },
		{ "fork + wait", fork_wait, 200 },
		{ "fork + exec + wait", exec_true, 100 },
	};
	char name[64];

	more_mappings();
	for (int i = 0; i < 3; i++) {
		struct set s = {
			.nr = 1, .cpu = -1, .config = PERF_COUNT_SW_DUMMY, .sideband = 1,
			.inherit = 0,
		};
		double plain, value;
		int ok;

		wait_for_hooks();
		plain = cost_without_ring(rows[i].path, rows[i].turns, 1);
		snprintf(name, sizeof(name), "%s: nobody listens (whole)", rows[i].name);
		report(name, 1, plain);
		ok = !open_set(&s);
		value = cost(rows[i].path, rows[i].turns, 1);
		snprintf(name, sizeof(name), "%s: with a listener", rows[i].name);
		report(name, ok, value - plain);
		if (ok)
			close_set(&s);
	}
}

static const struct {
	const char *name;
	__u64 bit;
} fields[] = {
	{ "TID", PERF_SAMPLE_TID }, { "TIME", PERF_SAMPLE_TIME }, { "ADDR", PERF_SAMPLE_ADDR },
	{ "READ", PERF_SAMPLE_READ }, { "CALLCHAIN", PERF_SAMPLE_CALLCHAIN },
	{ "ID", PERF_SAMPLE_ID }, { "CPU", PERF_SAMPLE_CPU }, { "PERIOD", PERF_SAMPLE_PERIOD },
	{ "STREAM_ID", PERF_SAMPLE_STREAM_ID }, { "IDENTIFIER", PERF_SAMPLE_IDENTIFIER },
	{ "DATA_SRC", PERF_SAMPLE_DATA_SRC }, { "WEIGHT", PERF_SAMPLE_WEIGHT },
	{ "PHYS_ADDR", PERF_SAMPLE_PHYS_ADDR }, { "CGROUP", PERF_SAMPLE_CGROUP },
	{ "DATA_PAGE_SIZE", PERF_SAMPLE_DATA_PAGE_SIZE },
};

static double fault_cost(__u64 sample_type, int wakeup, int *ok)
{
	struct set s = {
		.nr = 1, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_type = sample_type, .wakeup = wakeup,
	};
	double value;

	*ok = !open_set(&s);
	opened = *ok ? &s : NULL;
	value = cost(faults, 4, FAULT_PAGES);
	opened = NULL;
	if (*ok)
		close_set(&s);
	return value;
}

/* A whole sample with the instruction pointer and one more field. */
static void sample_fields(void)
{
	double plain, value;
	char name[64];
	int ok;

	wait_for_hooks();
	plain = cost(faults, 4, FAULT_PAGES);
	for (unsigned int i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		value = fault_cost(PERF_SAMPLE_IP | fields[i].bit, 0, &ok);
		snprintf(name, sizeof(name), "sample: IP and %s", fields[i].name);
		report(name, ok, value - plain);
	}
	value = fault_cost(PERF_SAMPLE_IP, 1, &ok);
	report("sample: IP and a wake-up for each", ok, value - plain);
}

static void poll_once(void)
{
	struct pollfd p = { .fd = opened->fd[0], .events = POLLIN };

	poll(&p, 1, 0);
}

static void redirect(void)
{
	ioctl(opened->fd[1], PERF_EVENT_IOC_SET_OUTPUT, opened->fd[0]);
	ioctl(opened->fd[1], PERF_EVENT_IOC_SET_OUTPUT, -1);
}

static void buffer_calls(void)
{
	struct set s = {
		.nr = 2, .cpu = -1, .config = PERF_COUNT_SW_DUMMY, .sample_type = PERF_SAMPLE_IP,
	};
	int ok = !open_set(&s);

	opened = &s;
	report("poll: nothing to read", ok, ok ? cost(poll_once, 200, 1) : 0);
	report("SET_OUTPUT and back", ok, ok ? cost(redirect, 50, 1) : 0);
	if (ok)
		close_set(&s);
	opened = NULL;
}

/* Read the times of an event from its page, by the loop in the ABI's documentation. */
static void read_page(void)
{
	struct perf_event_mmap_page *page = opened->ring;
	__u64 enabled, running, quot, rem, cycles, delta;
	__u32 seq, lo, hi;

	do {
		seq = page->lock;
		__asm__ volatile("" : : : "memory");
		enabled = page->time_enabled;
		running = page->time_running;
		__asm__ volatile("rdtsc" : "=a" (lo), "=d" (hi));
		cycles = (__u64)hi << 32 | lo;
		quot = cycles >> page->time_shift;
		rem = cycles & ((1ULL << page->time_shift) - 1);
		delta = page->time_offset + quot * page->time_mult +
			((rem * page->time_mult) >> page->time_shift);
		enabled += delta;
		running += delta;
		__asm__ volatile("" : : : "memory");
	} while (page->lock != seq);
	__asm__ volatile("" : : "r" (enabled), "r" (running));
}

static void read_both(void)
{
	__u64 buf[3];

	if (read(opened->fd[0], buf, sizeof(buf)) != sizeof(buf))
		exit(1);
}

static void pages_against_calls(void)
{
	struct set s = {
		.nr = 1, .cpu = -1, .config = PERF_COUNT_SW_DUMMY, .sample_type = PERF_SAMPLE_IP,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int ok = !open_set(&s), paged;

	opened = &s;
	paged = ok && s.ring->cap_user_time;
	report("read: times by the page", paged, paged ? cost(read_page, 500, 1) : 0);
	report("read: times by read(2)", ok, ok ? cost(read_both, 200, 1) : 0);
	if (ok)
		close_set(&s);
	opened = NULL;
}

static void enter(const char *cgroup)
{
	FILE *f = fopen(cgroup, "w");

	if (f) {
		fprintf(f, "%d\n", getpid());
		fclose(f);
	}
}

static void leave_cgroup(void)
{
	enter(CGROUPS "cgroup.procs");
}

static const char *other_dir;

static void enter_other(void)
{
	enter(other_dir);
}

/* Two tasks in two cgroups; a number of cgroups have four events each on this CPU. */
static void cgroup_switches(void)
{
	static const int numbers[] = { 1, 10, 100, 500 };
	static struct set sets[500];
	char name[64];
	double plain = 0;
	int made = 0, ok;

	other_task = leave_cgroup;
	wait_for_hooks();
	for (int i = -1; i < 4; i++) {
		int want = i < 0 ? 0 : numbers[i], opened_all = 1;
		double value;

		for (; made < want; made++) {
			struct set *s = &sets[made];

			snprintf(name, sizeof(name), CGROUPS "%d", made);
			mkdir(name, 0755);
			*s = (struct set){
				.nr = 4, .cpu = 0, .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
				.cgroup = open(name, O_RDONLY),
			};
			if (s->cgroup < 0 || open_set(s))
				opened_all = 0;
		}
		/* This task runs in the first cgroup, the other one in none of them. */
		if (want)
			enter(CGROUPS "0/cgroup.procs");
		value = switch_cost(NULL, &ok);
		if (i < 0) {
			plain = value;
			continue;
		}
		snprintf(name, sizeof(name), "switch: %d cgroups of 4 events", want);
		report(name, opened_all, value - plain);
	}
	while (made--) {
		close_set(&sets[made]);
		close(sets[made].cgroup);
	}
}

/*
 * Two tasks in one cgroup, or in two at a depth below their common parent. Both cgroups have four
 * events each on this CPU, and their parents none.
 */
static void cgroup_depths(void)
{
	static const int depths[] = { 0, 1, 4, 16 };
	static struct set sets[2];
	char dir[2][256], name[64];
	double plain, value;
	int ok;

	other_task = leave_cgroup;
	wait_for_hooks();
	plain = switch_cost(NULL, &ok);
	for (int i = 0; i < 4; i++) {
		for (int side = 0; side < 2; side++) {
			char *end = dir[side] + sprintf(dir[side], CGROUPS "%c", 'a' + side);

			mkdir(dir[side], 0755);
			for (int d = 1; d < depths[i]; d++) {
				end += sprintf(end, "/d");
				mkdir(dir[side], 0755);
			}
			sets[side] = (struct set){
				.nr = 4, .cpu = 0, .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
				.cgroup = open(dir[side], O_RDONLY),
			};
			if (sets[side].cgroup < 0 || open_set(&sets[side]))
				ok = 0;
			sprintf(end, "/cgroup.procs");
		}
		enter(dir[0]);
		other_dir = dir[depths[i] > 0];
		other_task = enter_other;
		value = switch_cost(NULL, &(int){ 0 });
		if (depths[i])
			snprintf(name, sizeof(name), "switch: cgroups %d deep", depths[i]);
		else
			snprintf(name, sizeof(name), "switch: within a cgroup");
		report(name, ok, value - plain);
		leave_cgroup();
		for (int side = 0; side < 2; side++) {
			close_set(&sets[side]);
			close(sets[side].cgroup);
		}
	}
}

/*
 * Cost of a timer tick, every 4 ms, with a number of inactive events that sample at a frequency:
 * they belong to a cgroup without tasks.
 */
static void ticks(void)
{
	static const int numbers[] = { 0, 10, 100, 1000, 2000 };
	static struct set sets[2];
	double plain = 0, took;
	char name[64];

	mkdir(CGROUPS "empty", 0755);
	/* Wait until closed events are freed, and touch the memory of this program. */
	wait_for_hooks();
	spin();
	for (int i = 0; i < 5; i++) {
		int cgroup = open(CGROUPS "empty", O_RDONLY), ok = cgroup >= 0;

		for (int n = numbers[i], k = 0; n > 0; n -= sets[k++].nr) {
			sets[k] = (struct set){
				.nr = n < 1000 ? n : 1000, .cpu = 0, .cgroup = cgroup,
				.config = PERF_COUNT_SW_CONTEXT_SWITCHES, .freq = 100,
			};
			if (open_set(&sets[k])) {
				ok = 0;
				break;
			}
		}
		/* Some ticks also do deferred work of other code, so take the minimum. */
		took = 1e18;
		for (int n = 0; n < 5; n++) {
			__s64 start = now();

			spin();
			took = now() - start < took ? now() - start : took;
		}
		if (!i)
			plain = took;
		snprintf(name, sizeof(name), "tick: %d events that are not on", numbers[i]);
		if (i)
			report(name, ok, (took - plain) / (plain / 4e6));
		close_set(&sets[0]);
		close_set(&sets[1]);
		close(cgroup);
	}
	rmdir(CGROUPS "empty");
}

/* One thousand events, one after the other: is the last as cheap as the first? */
static void thousand(void)
{
	struct rlimit limit = { 4096, 4096 };
	static struct set s;
	__s64 start, first = 0, last = 0;
	pid_t child;

	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < 10; i++) {
		struct set hundred = {
			.nr = 100, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS,
		};

		start = now();
		if (open_set(&hundred))
			return;
		if (!i)
			first = now() - start;
		last = now() - start;
		memcpy(&s.fd[s.nr], hundred.fd, 100 * sizeof(int));
		s.nr += 100;
	}
	report("open: of the first 100", 1, first / 100.0);
	report("open: of the last 100 of 1000", 1, last / 100.0);
	start = now();
	close_set(&s);
	report("close: of 1000", 1, (now() - start) / 1000.0);

	child = fork();
	if (!child) {
		s.nr = 1000;
		s.cpu = -1;
		s.config = PERF_COUNT_SW_PAGE_FAULTS;
		_exit(open_set(&s) ? 1 : 0);
	}
	start = now();
	waitpid(child, NULL, 0);
	report("exit with 1000 events: open and exit per event", 1, (now() - start) / 1000.0);
}

int main(int argc, char **argv)
{
	struct rlimit limit = { 4096, 4096 };

	/* The program that sideband() executes */
	if (argc > 1)
		return 0;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return 1;
	pages = mmap(NULL, (size_t)FAULT_PAGES * getpagesize(), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return 1;
	madvise(pages, (size_t)FAULT_PAGES * getpagesize(), MADV_NOHUGEPAGE);
	hardware_switches();
	branch_switches();
	rotations();
	sideband();
	listener_elsewhere();
	sample_fields();
	buffer_calls();
	pages_against_calls();
	thousand();
	ticks();
	cgroup_switches();
	cgroup_depths();
	return 0;
}
