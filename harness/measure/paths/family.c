// SPDX-License-Identifier: GPL-2.0
/*
 * Growth of the cost of inherited events with the number of existing ones: of a further fork,
 * of a read, and, per event, of the exit of all their tasks. Output as in bench.c.
 */
#include "lib.h"

#define EVENTS		16
#define STACK		4096
#define MOST_TASKS	10000

static const int grow[] = { 10, 100, 1000, 10000 };
#define NR_GROW		((int)(sizeof(grow) / sizeof(*grow)))

static pid_t tasks[MOST_TASKS];
static int nr_tasks;

static int stay(void *arg)
{
	for (;;)
		syscall(SYS_pause);
	return 0;
}

/* Create idle tasks that share all resources, each of which inherits every event. */
static void grow_to(int n, char *stacks)
{
	for (; nr_tasks < n; nr_tasks++) {
		tasks[nr_tasks] = clone(stay, stacks + (size_t)(nr_tasks + 1) * STACK,
					CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, NULL);
		if (tasks[nr_tasks] < 0)
			break;
	}
	/* Wait until all tasks sleep. */
	usleep(100000);
}

/* Cost per task of the end of all tasks */
static double end_all(void)
{
	__s64 start = now();
	int n = nr_tasks;

	for (int i = 0; i < n; i++)
		kill(tasks[i], SIGKILL);
	for (int i = 0; i < n; i++)
		waitpid(tasks[i], NULL, 0);
	nr_tasks = 0;
	return (double)(now() - start) / n;
}

static void grow_family(const char *kind, int type, char *stacks, const double *plain_fork,
			double plain_exit)
{
	struct set s = {
		.nr = EVENTS, .cpu = -1, .inherit = 1, .type = type,
		.config = type ? 0 : PERF_COUNT_SW_PAGE_FAULTS,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int ok = !open_set(&s), is_open = ok;
	char name[96];

	opened = &s;
	for (int i = 0; i < NR_GROW; i++) {
		int there;

		if (ok)
			grow_to(grow[i], stacks);
		there = ok && nr_tasks == grow[i];
		snprintf(name, sizeof(name), "fork + wait: per inherited %s event, n = %d", kind,
			 grow[i]);
		report(name, there,
		       there ? (cost(fork_wait, 20, 1) - plain_fork[i]) / EVENTS : 0);
		snprintf(name, sizeof(name), "read of a %s event with copies: n = %d", kind,
			 grow[i]);
		report(name, there, there ? cost(read_event, grow[i] > 1000 ? 3 : 50, 1) : 0);
	}
	snprintf(name, sizeof(name), "exit of many tasks: per copy of a %s event", kind);
	ok = ok && nr_tasks;
	report(name, ok, ok ? (end_all() - plain_exit) / EVENTS : 0);
	opened = NULL;
	if (is_open)
		close_set(&s);
}

int main(void)
{
	char *stacks = mmap(NULL, (size_t)MOST_TASKS * STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double plain_fork[NR_GROW], plain_exit;

	if (stacks == MAP_FAILED)
		return 1;
	madvise(stacks, (size_t)MOST_TASKS * STACK, MADV_DONTFORK);
	wait_for_hooks();
	for (int i = 0; i < NR_GROW; i++) {
		grow_to(grow[i], stacks);
		plain_fork[i] = cost(fork_wait, 20, 1);
	}
	plain_exit = end_all();
	grow_family("software", 0, stacks, plain_fork, plain_exit);
	if (sim_type())
		grow_family("hardware", sim_type(), stacks, plain_fork, plain_exit);
	return 0;
}
