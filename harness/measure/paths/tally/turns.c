// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that execute the same path in turns, for the plugin lines.c, which detects the marks. Each
 * CPU has its own task, which is bound to it. Prints, for each path, the number of its section,
 * the number of turns, and its name.
 */
#include "../lib.h"
#include <err.h>

#define ROUNDS		4
#define MAX_CPUS	64

/* The plugin recognizes these no-ops by their displacements. */
static inline void turn_ends(void)
{
	__asm__ volatile("nopl 0x70660000(%%rax)" : : : "memory");
}

static inline void turn_begins(void)
{
	__asm__ volatile("nopl 0x70660001(%%rax)" : : : "memory");
}

static inline void section_begins(void)
{
	__asm__ volatile("nopl 0x70660002(%%rax)" : : : "memory");
}

static inline void section_ends(void)
{
	__asm__ volatile("nopl 0x70660003(%%rax)" : : : "memory");
}

static int cpus;
static struct set own, shared, listeners[MAX_CPUS];

/*
 * A path: events opened before the tasks are forked, events opened by each task, and the
 * operation
 */
struct path {
	const char *name;
	void (*all)(void);
	void (*each)(int cpu);
	void (*turn)(void);
};

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
}

static void open_own(struct set s)
{
	own = s;
	if (open_set(&own))
		err(1, "an event of each task");
	opened = &own;
}

static void count_own(int cpu)
{
	open_own((struct set){ .nr = 1, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS });
}

static void sample_own(int cpu)
{
	struct set sampling = {
		.nr = 1, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
	};

	open_own(sampling);
}

static void inherit_faults(void)
{
	shared = (struct set){ .nr = 1, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS,
			       .inherit = 1 };
	if (open_set(&shared))
		err(1, "an inherited event");
	opened = &shared;
}

static void inherit_hardware(void)
{
	shared = (struct set){ .nr = 4, .cpu = -1, .type = type_of("sim"), .inherit = 1 };
	if (open_set(&shared))
		err(1, "inherited hardware events");
}

static void listen_everywhere(void)
{
	for (int cpu = 0; cpu < cpus; cpu++) {
		listeners[cpu] = (struct set){ .nr = 1, .cpu = cpu,
					       .config = PERF_COUNT_SW_DUMMY, .sideband = 1 };
		if (open_set(&listeners[cpu]))
			err(1, "a listener");
	}
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

static void map_unmap(void)
{
	void *place = mmap(NULL, 4096, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(place, 4096);
}

/* A partner on the same CPU that has inherited the same events as the task */
static void partner(int cpu)
{
	char c;

	if (pipe(ping) || pipe(pong))
		err(1, "pipe");
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(ping[0], &c, 1) == 1 && write(pong[1], &c, 1) == 1)
		;
	_exit(0);
}

static void hardware_partner(int cpu)
{
	partner(cpu);
	open_own((struct set){ .nr = 4, .cpu = -1, .type = type_of("sim") });
}

static const struct path paths[] = {
	{ "system call (getppid)", NULL, NULL, nothing },
	{ "256 page faults: no events", NULL, NULL, faults },
	{ "256 page faults counted: an event each", NULL, count_own, faults },
	{ "256 page faults counted: an inherited event", inherit_faults, NULL, faults },
	{ "256 page faults sampled: an event and a buffer each", NULL, sample_own, faults },
	{ "read: an event each", NULL, count_own, read_event },
	{ "read: one inherited event", inherit_faults, NULL, read_event },
	{ "enable + disable: an event each", NULL, count_own, on_off },
	{ "enable + disable: one inherited event", inherit_faults, NULL, on_off },
	{ "open + close", NULL, NULL, open_close },
	{ "fork + wait: no events", NULL, NULL, fork_wait },
	{ "fork + wait: one inherited event", inherit_faults, NULL, fork_wait },
	{ "fork + wait: four inherited hardware events", inherit_hardware, NULL, fork_wait },
	{ "switch and back: no events", NULL, partner, round_trip },
	{ "switch and back: four hardware events each", NULL, hardware_partner, round_trip },
	{ "switch and back: four inherited hardware events", inherit_hardware, partner,
	  round_trip },
	{ "mmap + munmap: no events", NULL, NULL, map_unmap },
	{ "mmap + munmap: a listener on each CPU", listen_everywhere, NULL, map_unmap },
};

static int to[MAX_CPUS][2], back[2];

static void take_turns(int cpu, const struct path *path)
{
	char c;

	stay_on(cpu);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < cpus; i++)
		close(to[i][1]);
	if (path->each)
		path->each(cpu);
	/* Fault in the pages of the program and of its stack before the measurement. */
	path->turn();
	if (write(back[1], &c, 1) != 1)
		_exit(1);
	while (read(to[cpu][0], &c, 1) == 1) {
		turn_begins();
		path->turn();
		turn_ends();
		if (write(back[1], &c, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static void rounds(int n)
{
	char c = 0;

	while (n--) {
		for (int cpu = 0; cpu < cpus; cpu++) {
			if (write(to[cpu][1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
				err(1, "a task on CPU %d", cpu);
		}
	}
}

static void take(const struct path *path, int section)
{
	pid_t pids[MAX_CPUS];
	char c;

	if (pipe(back))
		err(1, "pipe");
	if (path->all)
		path->all();
	for (int cpu = 0; cpu < cpus; cpu++) {
		if (pipe(to[cpu]))
			err(1, "pipe");
	}
	for (int cpu = 0; cpu < cpus; cpu++) {
		pids[cpu] = fork();
		if (pids[cpu] < 0)
			err(1, "fork");
		if (!pids[cpu])
			take_turns(cpu, path);
		if (read(back[0], &c, 1) != 1)
			err(1, "a task on CPU %d", cpu);
	}
	rounds(2);
	/* Wait until memory of closed events is freed, so that it is not freed in a turn. */
	usleep(500000);
	section_begins();
	rounds(ROUNDS);
	section_ends();
	printf("%d,%d,%s\n", section, ROUNDS * cpus, path->name);
	fflush(stdout);
	for (int cpu = 0; cpu < cpus; cpu++) {
		close(to[cpu][0]);
		close(to[cpu][1]);
		kill(pids[cpu], SIGKILL);
		waitpid(pids[cpu], NULL, 0);
	}
	close(back[0]);
	close(back[1]);
	close_set(&shared);
	for (int cpu = 0; cpu < cpus; cpu++)
		close_set(&listeners[cpu]);
	opened = NULL;
}

int main(int argc, char **argv)
{
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (cpus > MAX_CPUS)
		cpus = MAX_CPUS;
	pages = mmap(NULL, (size_t)FAULT_PAGES * getpagesize(), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		err(1, "mmap");
	madvise(pages, (size_t)FAULT_PAGES * getpagesize(), MADV_NOHUGEPAGE);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		take(&paths[i], i + 1);
	return 0;
}
