// SPDX-License-Identifier: GPL-2.0
/*
 * Cost of many PMUs, of many threads in a cgroup, and of the events of a CPU that is taken
 * offline. Output as in bench.c. "many hotplug" requires a guest with two CPUs.
 */
#include "lib.h"
#include <err.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define CGROUPS		"/sys/fs/cgroup/perf_event/"
#define MORE		"/sys/module/sim_more/parameters/number"
#define MOST_PMUS	150
#define THREADS		1000
#define STACK		8192
#define TIMES		5

static int write_number(const char *file, int number)
{
	FILE *f = fopen(file, "w");
	int ok;

	if (!f)
		return -1;
	ok = fprintf(f, "%d\n", number) > 0;
	return fclose(f) || !ok ? -1 : 0;
}

/* Per-CPU events, one per PMU; the PMUs remain registered */
static struct set of_pmus[MOST_PMUS];
static int nr_pmus;

static int open_pmus(int n, int cpu)
{
	char name[32];

	if (n > nr_pmus && write_number(MORE, n - nr_pmus))
		return -1;
	nr_pmus = n > nr_pmus ? n : nr_pmus;
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "sim_more_%d", i);
		of_pmus[i] = (struct set){ .nr = 1, .cpu = cpu, .type = type_of(name) };
		if (!of_pmus[i].type || open_set(&of_pmus[i]))
			return -1;
	}
	return 0;
}

static void close_pmus(int n)
{
	for (int i = 0; i < n; i++)
		close_set(&of_pmus[i]);
}

static struct set of_cgroups[2];

static void leave_cgroup(void)
{
	write_number(CGROUPS "cgroup.procs", getpid());
}

static void enter_b(void)
{
	write_number(CGROUPS "b/cgroup.procs", getpid());
}

/* Open four events on this CPU for each of two cgroups. */
static int open_cgroups(void)
{
	static const char *const dirs[] = { CGROUPS "a", CGROUPS "b" };
	int ok = 1;

	for (int i = 0; i < 2; i++) {
		of_cgroups[i] = (struct set){
			.nr = 4, .cpu = 0, .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
			.cgroup = open(dirs[i], O_RDONLY),
		};
		ok &= of_cgroups[i].cgroup >= 0 && !open_set(&of_cgroups[i]);
	}
	return ok;
}

static void close_cgroups(void)
{
	for (int i = 0; i < 2; i++) {
		close_set(&of_cgroups[i]);
		close(of_cgroups[i].cgroup);
	}
}

/* Switches between two cgroups, on a CPU with events of many PMUs */
static void cgroups_and_pmus(void)
{
	static const int numbers[] = { 1, 10, MOST_PMUS };
	double plain, value;
	char name[64];
	int ok;

	other_task = leave_cgroup;
	wait_for_hooks();
	plain = switch_cost(NULL, &ok);
	for (int i = 0; i < 3; i++) {
		int opened_all = !open_pmus(numbers[i], 0);

		opened_all &= open_cgroups();
		write_number(CGROUPS "a/cgroup.procs", getpid());
		other_task = enter_b;
		value = switch_cost(NULL, &ok);
		snprintf(name, sizeof(name), "switch: two cgroups, %d PMUs", numbers[i]);
		report(name, ok && opened_all, value - plain);
		leave_cgroup();
		close_cgroups();
		close_pmus(numbers[i]);
	}
}

static int stay(void *arg)
{
	for (;;)
		syscall(SYS_pause);
	return 0;
}

static int to_b;

static void move_process(void)
{
	to_b = !to_b;
	write_number(to_b ? CGROUPS "b/cgroup.procs" : CGROUPS "a/cgroup.procs", getpid());
}

/* Moves of a process with many threads between cgroups */
static void move_threads(void)
{
	char *stacks = mmap(NULL, (size_t)THREADS * STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child = fork();
	int ok;

	if (child) {
		waitpid(child, NULL, 0);
		return;
	}
	for (int i = 0; i < THREADS; i++) {
		if (clone(stay, stacks + (size_t)(i + 1) * STACK,
			  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD,
			  NULL) < 0)
			err(1, "clone");
	}
	usleep(100000);
	wait_for_hooks();
	report("moving a process to another cgroup: per thread of 1000, no events", 1,
	       cost(move_process, 2, THREADS));
	ok = open_cgroups();
	report("moving a process to another cgroup: per thread of 1000, with events", ok,
	       cost(move_process, 2, THREADS));
	close_cgroups();
	fflush(stdout);
	syscall(SYS_exit_group, 0);
}

/* Cost of the open of the first event after two seconds without events, waits included */
static void after_idle(void)
{
	double took[TIMES];
	int ok = 1;

	for (int i = 0; i < TIMES; i++) {
		struct set one = { .nr = 1, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS };
		__s64 start;

		wait_for_hooks();
		start = now();
		ok &= !open_set(&one);
		took[i] = now() - start;
		close_set(&one);
	}
	qsort(took, TIMES, sizeof(*took), compare);
	report("open: after two seconds without events", ok, took[TIMES / 2]);
}

#define CPU1	"/sys/devices/system/cpu/cpu1/online"

/* Minimum cost of taking a CPU offline and online, in several tries */
static double hotplug_cost(int *ok)
{
	double least = 1e18;

	for (int i = 0; i < TIMES; i++) {
		__s64 start = now();
		double took;

		*ok &= !write_number(CPU1, 0) && !write_number(CPU1, 1);
		took = now() - start;
		least = took < least ? took : least;
	}
	return least;
}

static void events_and_pmus(void)
{
	static const int numbers[] = { 10, 100, 1000 }, pmus[] = { 10, MOST_PMUS };
	static struct set s;
	double plain, value;
	char name[64];
	int ok = 1;

	plain = hotplug_cost(&ok);
	report("hotplug: a CPU goes and comes (whole)", ok, plain);
	for (int i = 0; i < 3; i++) {
		s = (struct set){ .nr = numbers[i], .cpu = 1, .type = type_of("sim") };
		ok = !open_set(&s);
		value = hotplug_cost(&ok);
		snprintf(name, sizeof(name), "hotplug: events of the CPU, n = %d", numbers[i]);
		report(name, ok, value - plain);
		close_set(&s);
	}
	for (int i = 0; i < 2; i++) {
		ok = !open_pmus(pmus[i], 1);
		value = hotplug_cost(&ok);
		snprintf(name, sizeof(name), "hotplug: PMUs with an event, n = %d", pmus[i]);
		report(name, ok, value - plain);
		close_pmus(pmus[i]);
	}
}

int main(int argc, char **argv)
{
	struct rlimit limit = { 4096, 4096 };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		return 1;
	if (argc > 1 && !strcmp(argv[1], "hotplug")) {
		events_and_pmus();
		return 0;
	}
	mkdir(CGROUPS "a", 0755);
	mkdir(CGROUPS "b", 0755);
	after_idle();
	move_threads();
	cgroups_and_pmus();
	return 0;
}
