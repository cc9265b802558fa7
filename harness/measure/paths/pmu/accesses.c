// SPDX-License-Identifier: GPL-2.0
/*
 * accesses: common operations with four hardware counters, with a mark before and after each in
 * QEMU's log of the PMU's registers (harness/qemu/mark.c). harness/measure/accesses counts the
 * drivers' reads and writes in between.
 *
 * Prints a line "MARK,TIMES,NAME" for each operation: it was executed TIMES times after that mark;
 * MARK is in hexadecimal, as in the log.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/perf_event.h>

#define LEAF_MARK	0x4d41524b
#define TIMES		100
#define N		4

static int is_amd;

/* Four events for general counters, and four others */
static const unsigned long intel[2][N] = {
	{ 0x00c4, 0x00c5, 0x4f2e, 0x412e }, { 0x01c2, 0x02c2, 0x010e, 0x0185 },
};

static const unsigned long amd[2][N] = {
	{ 0x0076, 0x00c0, 0x00c2, 0x00c3 }, { 0x0040, 0x0041, 0x0080, 0x0081 },
};

static void mark(int number)
{
	unsigned int eax, ebx, ecx, edx;

	__cpuid_count(LEAF_MARK, number, eax, ebx, ecx, edx);
}

static int marks;

/* Begin an operation that is executed @times times. */
static void begin(const char *name, int times)
{
	marks += 2;
	printf("%x,%d,%s\n", marks, times, name);
	fflush(stdout);
	mark(marks);
}

static void end(void)
{
	mark(marks + 1);
}

/* Four events that are open */
struct set {
	int	fd[N];
	int	n;
};

static int open_one(unsigned long config, int leader, int user, unsigned long period, int disabled)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_RAW, .config = config,
		.exclude_kernel = user, .sample_period = period, .disabled = disabled,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);

	if (fd < 0) {
		fprintf(stderr, "event %#lx: %s\n", config, strerror(errno));
		exit(1);
	}
	return fd;
}

static void open_set(struct set *s, int which, int user, int group)
{
	int i;

	s->n = N;
	for (i = 0; i < N; i++)
		s->fd[i] = open_one((is_amd ? amd : intel)[which][i], group && i ? s->fd[0] : -1,
				    user, 0, 0);
}

static void close_set(struct set *s)
{
	while (s->n)
		close(s->fd[--s->n]);
}

/*
 * Two tasks wake each other up in turn; @mine and @its select the set of their events, -1 for
 * none.
 */
static void switches(const char *name, int mine, int its, int user)
{
	int there[2], back[2], i;
	struct set s = { };
	char byte = 0;
	pid_t pid;

	if (pipe(there) || pipe(back))
		exit(1);
	pid = fork();
	if (!pid) {
		if (its >= 0)
			open_set(&s, its, user, 0);
		while (read(there[0], &byte, 1) == 1 && byte != 'q')
			if (write(back[1], &byte, 1) != 1)
				break;
		_exit(0);
	}
	if (mine >= 0)
		open_set(&s, mine, user, 0);
	for (i = -10; i < TIMES; i++) {
		if (!i)
			begin(name, 2 * TIMES);
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			exit(1);
	}
	end();
	byte = 'q';
	if (write(there[1], &byte, 1) != 1)
		exit(1);
	waitpid(pid, NULL, 0);
	close_set(&s);
	for (i = 0; i < 2; i++) {
		close(there[i]);
		close(back[i]);
	}
}

static void calls(int user)
{
	unsigned long event = (is_amd ? amd : intel)[0][0];
	struct set s = { };
	__u64 value[3];
	int i, fd;

	fd = open_one(event, -1, user, 0, 0);
	for (i = -1; i < TIMES; i++) {
		if (!i)
			begin("read(2) of a running event", TIMES);
		if (read(fd, value, sizeof(value)) < 0)
			exit(1);
	}
	end();
	for (i = -1; i < TIMES; i++) {
		if (!i)
			begin("disable and enable", TIMES);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	}
	end();
	open_set(&s, 1, user, 1);
	begin("disable and enable of a group of 4 beside it", TIMES);
	for (i = 0; i < TIMES; i++) {
		ioctl(s.fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
		ioctl(s.fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	}
	end();
	close_set(&s);
	close(fd);
	for (i = -1; i < TIMES; i++) {
		if (!i)
			begin("open and close", TIMES);
		close(open_one(event, -1, user, 0, 0));
	}
	end();
}

/* A loop of @n turns, which executes 2 n instructions. */
static void loop(unsigned long n)
{
	__asm__ volatile("1: dec %0; jnz 1b" : "+r" (n));
}

static void overflows(void)
{
	unsigned long instructions = 0xc0;
	int fd = open_one(instructions, -1, 1, 20000, 1);

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(10000);
	begin("overflow of a sampling event", TIMES);
	loop(TIMES * 10000);
	end();
	close(fd);
}

/* Rotation of groups that do not fit together */
static void rotations(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms", "w");
	struct set a = { }, b = { };
	struct timespec t, now;

	if (f) {
		fprintf(f, "4\n");
		fclose(f);
	}
	open_set(&a, 0, 1, 1);
	open_set(&b, 1, 1, 1);
	clock_gettime(CLOCK_MONOTONIC, &t);
	begin("rotation of two groups of 4", TIMES);
	do {
		loop(1000);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - t.tv_sec) * 1000000000L + now.tv_nsec - t.tv_nsec <
		 4000000L * TIMES);
	end();
	close_set(&a);
	close_set(&b);
}

int main(void)
{
	unsigned int a, b, c, d;
	cpu_set_t cpus;

	__cpuid(0, a, b, c, d);
	is_amd = b == 0x68747541;
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	switches("switch between tasks with the same 4 events", 0, 0, 0);
	switches("switch between tasks with the same 4 events in user mode", 0, 0, 1);
	switches("switch between tasks with 4 different events", 0, 1, 0);
	switches("switch between tasks with 4 different events in user mode", 0, 1, 1);
	switches("switch to or from a task without events", 0, -1, 0);
	calls(0);
	overflows();
	rotations();
	return 0;
}
