// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of counters in a switch to another task and back, on powerpc. Prints a line
 * "TIMES,INSTRUCTIONS,NAME" for each number of counters: the instructions are less those of the
 * switch without events. TIMES is the number of switches between two marks, where the plugin
 * powerpc-writes.c counts the writes of the PMU's registers.
 */
#include "paths/lib.h"

#define TIMES	200

/* The plugin recognizes these instructions by their constants. */
static inline void begin(void)
{
	__asm__ volatile("li 0, 0x7065" : : : "r0", "memory");
}

static inline void end(void)
{
	__asm__ volatile("li 0, 0x7066" : : : "r0", "memory");
}

/* Events of different kinds, since equal events share a counter */
static const __u64 kinds[] = {
	PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	PERF_COUNT_HW_BRANCH_MISSES,
};

/* The other task, without events, which answers each round_trip() */
static pid_t partner(void)
{
	pid_t child;
	char c;

	if (pipe(ping) || pipe(pong))
		exit(1);
	child = fork();
	if (!child) {
		close(ping[1]);
		while (read(ping[0], &c, 1) == 1 && write(pong[1], &c, 1) == 1)
			;
		_exit(0);
	}
	close(ping[0]);
	close(pong[1]);
	return child;
}

static void row(int nr)
{
	struct set s = { .nr = nr, .cpu = -1, .generic = 1, .configs = kinds, .configs_nr = 4 };
	pid_t child = partner();
	static double plain;
	double value;
	int i;

	if (open_set(&s))
		exit(1);
	value = cost(round_trip, TIMES, 1);
	if (!nr)
		plain = value;
	begin();
	for (i = 0; i < TIMES; i++)
		round_trip();
	end();
	printf("%d,%.0f,switch: +%d counters\n", TIMES, value - plain, nr);
	fflush(stdout);
	close_set(&s);
	close(ping[1]);
	close(pong[0]);
	waitpid(child, NULL, 0);
}

int main(void)
{
	row(0);
	row(1);
	row(2);
	row(4);
	return 0;
}
