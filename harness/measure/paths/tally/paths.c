// SPDX-License-Identifier: GPL-2.0
/*
 * Paths of perf events between two marks for the plugin tally.c. Prints, for each, the number of
 * its section, the number of turns, and its name.
 */
#include "../lib.h"
#include <err.h>

#define TURNS	64

/* The plugin recognizes these no-ops by their displacements. */
static inline void begin(void)
{
	__asm__ volatile("nopl 0x70650001(%%rax)" : : : "memory");
}

static inline void end(void)
{
	__asm__ volatile("nopl 0x70650000(%%rax)" : : : "memory");
}

static unsigned int sections;

static void tally(const char *name, void (*path)(void), int units)
{
	for (int i = 0; i < 8; i++)
		path();
	begin();
	for (int i = 0; i < TURNS; i++)
		path();
	end();
	printf("%u,%d,%s\n", ++sections, TURNS * units, name);
	fflush(stdout);
}

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
}

/* A round trip between two tasks, both with the events of @s */
static void switches(const char *name, struct set *s)
{
	pid_t child;
	char c;

	if (pipe(ping) || pipe(pong))
		err(1, "pipe");
	if (s && open_set(s))
		return;
	child = fork();
	if (!child) {
		close(ping[1]);
		while (read(ping[0], &c, 1) == 1 && write(pong[1], &c, 1) == 1)
			;
		_exit(0);
	}
	close(ping[0]);
	close(pong[1]);
	tally(name, round_trip, 1);
	close(ping[1]);
	close(pong[0]);
	waitpid(child, NULL, 0);
	if (s)
		close_set(s);
}

static void with(struct set *s, const char *name, void (*path)(void), int units)
{
	if (s && open_set(s))
		return;
	if (!s)
		wait_for_hooks();
	opened = s;
	tally(name, path, units);
	opened = NULL;
	if (s)
		close_set(s);
}

static void nothing(void)
{
	syscall(SYS_getppid);
}

static void open_close(void)
{
	struct set one = { .nr = 1, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS };

	if (open_set(&one))
		exit(1);
	close_set(&one);
}

/* Events of a task that runs on the other CPU continuously */
static void far(void)
{
	struct set s = { .nr = 1, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS };
	pid_t child = fork();

	if (!child) {
		stay_on(1);
		for (;;)
			;
	}
	usleep(50000);
	s.pid = child;
	with(&s, "read: of a task on another CPU", read_event, 1);
	s.nr = 1;
	with(&s, "enable + disable: of a task on another CPU", on_off, 1);
	s.nr = 1;
	with(&s, "RESET: of a task on another CPU", reset, 1);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

#define MOST_CPUS	64
#define FEW_TURNS	8

static pid_t crowd[MOST_CPUS];
static int cpus;

/*
 * Create a task on each other CPU that runs continuously, and has inherited a set of
 * events. The tasks have no files of the events, because an event is closed with its last file.
 */
static void crowd_comes(struct set *set)
{
	for (int cpu = 1; cpu < cpus; cpu++) {
		crowd[cpu] = fork();
		if (crowd[cpu] < 0)
			err(1, "fork");
		if (crowd[cpu])
			continue;
		close_set(set);
		stay_on(cpu);
		for (;;)
			;
	}
	usleep(200000);
}

static void crowd_goes(void)
{
	for (int cpu = 1; cpu < cpus; cpu++) {
		kill(crowd[cpu], SIGKILL);
		waitpid(crowd[cpu], NULL, 0);
	}
}

static void off_on(void)
{
	ioctl(opened->fd[0], PERF_EVENT_IOC_DISABLE, 0);
	ioctl(opened->fd[0], PERF_EVENT_IOC_ENABLE, 0);
}

static void group_off_on(void)
{
	ioctl(opened->fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	ioctl(opened->fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

static void group_reset(void)
{
	ioctl(opened->fd[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
}

static void tally_few(const char *name, void (*path)(void), int turns)
{
	begin();
	for (int i = 0; i < turns; i++)
		path();
	end();
	printf("%u,%d,%s\n", ++sections, turns, name);
	fflush(stdout);
}

static void close_opened(void)
{
	close_set(opened);
}

/* Events inherited by a task on each CPU */
static void everywhere(void)
{
	struct set group = { .nr = 4, .cpu = -1, .type = type_of("sim"), .inherit = 1, .group = 1 };
	struct set single = { .nr = 4, .cpu = -1, .type = type_of("sim"), .inherit = 1 };
	struct set software = { .nr = 4, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS,
				.inherit = 1 };

	if (open_set(&group))
		return;
	crowd_comes(&group);
	opened = &group;
	tally_few("disable + enable: one of 4 hardware events on all CPUs", off_on, FEW_TURNS);
	tally_few("disable + enable: a group of 4 hardware events on all CPUs", group_off_on,
		  FEW_TURNS);
	tally_few("RESET: a group of 4 hardware events on all CPUs", group_reset, FEW_TURNS);
	tally_few("read: a hardware event on all CPUs", read_event, FEW_TURNS);
	tally_few("close: a group of 4 hardware events on all CPUs", close_opened, 1);
	crowd_goes();

	if (open_set(&single))
		return;
	crowd_comes(&single);
	opened = &single;
	tally_few("close: 4 hardware events on all CPUs", close_opened, 1);
	crowd_goes();

	if (open_set(&software))
		return;
	crowd_comes(&software);
	opened = &software;
	tally_few("disable + enable: a software event on all CPUs", off_on, FEW_TURNS);
	tally_few("close: 4 software events on all CPUs", close_opened, 1);
	crowd_goes();
	opened = NULL;
}

int main(void)
{
	static const __u64 few = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	struct set software = { .nr = 16, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS };
	struct set clocks = { .nr = 16, .cpu = -1, .config = PERF_COUNT_SW_TASK_CLOCK };
	struct set hardware = { .nr = 4, .cpu = -1, .type = type_of("sim") };
	struct set one = { .nr = 1, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS };
	struct set eight = {
		.nr = 8, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS, .group = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       PERF_FORMAT_ID | PERF_FORMAT_GROUP,
	};
	struct set copied = { .nr = 16, .cpu = -1, .config = PERF_COUNT_SW_DUMMY, .inherit = 1 };

	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (cpus > MOST_CPUS)
		cpus = MOST_CPUS;
	stay_on(0);
	pages = mmap(NULL, (size_t)FAULT_PAGES * getpagesize(), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		err(1, "mmap");
	madvise(pages, (size_t)FAULT_PAGES * getpagesize(), MADV_NOHUGEPAGE);

	with(NULL, "system call (getppid)", nothing, 1);
	switches("switch: no events", NULL);
	switches("switch: 16 software", &software);
	switches("switch: 16 task-clock", &clocks);
	if (hardware.type)
		switches("switch: 4 hardware", &hardware);
	with(&one, "read: one counter", read_event, 1);
	with(&eight, "read: group of 8 with ids and times", read_event, 1);
	one.nr = 1;
	with(&one, "enable + disable", on_off, 1);
	one.nr = 1;
	with(&one, "RESET", reset, 1);
	one.nr = 1;
	with(&one, "prctl disable + enable", prctl_on_off, 1);
	with(NULL, "open + close", open_close, 1);
	with(NULL, "fork + wait: no events", fork_wait, 1);
	with(&copied, "fork + wait: 16 inherited", fork_wait, 1);
	with(NULL, "page fault: no events", faults, FAULT_PAGES);
	one.nr = 1;
	with(&one, "page fault counted", faults, FAULT_PAGES);
	one.nr = 1;
	one.sample_type = few;
	with(&one, "page fault sampled: IP TID", faults, FAULT_PAGES);
	far();
	everywhere();
	return 0;
}
