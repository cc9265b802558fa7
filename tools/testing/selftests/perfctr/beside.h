/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by tests of perfctr and perf events: take all counters, by a control or by events; switch
 * the NMI watchdog off.
 */
#ifndef _SELFTESTS_PERFCTR_BESIDE_H
#define _SELFTESTS_PERFCTR_BESIDE_H

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "perfctr.h"

#define MAX_EVENTS	64
#define MAX_COUNTERS	18
#define FIXED		0x40000000u
#define NOBODY		65534

static inline int set_number(const char *path, int value)
{
	int fd = open(path, O_RDWR), before = -1;
	char text[16] = "";

	if (fd < 0)
		return -1;
	if (read(fd, text, sizeof(text) - 1) > 0)
		before = atoi(text);
	snprintf(text, sizeof(text), "%d", value);
	if (value >= 0 && pwrite(fd, text, strlen(text), 0) < 0)
		before = -1;
	close(fd);
	return before;
}

#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

static inline int stay_on(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one);
}

#ifdef __powerpc__
/* Instructions, and cycles. */
#define RAW_EVENT(n)	((n) ? 0x1e : 0x2)
#else
#define RAW_EVENT(n)	(0xc0 | (__u64)(n) << 24)
#endif

/* On other machines equal events share a counter, so there is always a counter. */
static inline bool is_x86(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return true;
#else
	return false;
#endif
}

static inline int open_grouped(int n, int cpu, int pinned, int leader)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_RAW,
		.size		= sizeof(attr),
		.config		= RAW_EVENT(n),
		.pinned		= pinned,
		.exclude_kernel	= 1,
	};

	return syscall(__NR_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, leader, 0);
}

/*
 * Open an event of instructions in user mode that retire at least @n in a cycle: such events share
 * no counter.
 */
static inline int open_event(int n, int cpu, int pinned)
{
	return open_grouped(n, cpu, pinned, -1);
}

/* Return the count, or -1 for an event in the error state. */
static inline long long count_of(int event)
{
	long long value;
	ssize_t n = read(event, &value, sizeof(value));

	return n == sizeof(value) ? value : n ? -2 : -1;
}

/* Open pinned events on all general counters. Return the number of these. */
static inline int pin_all(int *fds, int cpu)
{
	int n = 0;

	while (n < MAX_EVENTS) {
		fds[n] = open_event(n + 1, cpu, 1);
		if (fds[n] < 0)
			break;
		if (count_of(fds[n++]) == -1)
			return n;
	}
	while (n)
		close(fds[--n]);
	return 0;
}

static inline void close_all(int *fds, int n)
{
	while (n)
		close(fds[--n]);
}

static inline struct vperfctr_control one_counter(unsigned int map)
{
	struct vperfctr_control control = instructions(0);

	set_counter(&control.cpu_control, 0, map,
		    map & FIXED ? SELECT_USER | SELECT_ENABLE : INSTRUCTIONS);
	return control;
}

/* Add the counter of control @one to control @to, which must not have this counter. */
static inline void add_counter(struct vperfctr_control *to, const struct vperfctr_control *one)
{
	unsigned int n = to->cpu_control.nractrs++;

	to->cpu_control.pmc_map[n] = one->cpu_control.pmc_map[0];
	to->cpu_control.evntsel[n] = one->cpu_control.evntsel[0];
}

/* Can the thread have counter @map? After an error other than that of no such counter, exit. */
static inline bool has_counter(int fd, unsigned int map)
{
	struct vperfctr_control one = one_counter(map);

	if (!vperfctr_control(fd, &one))
		return true;
	if (errno == EINVAL)
		return false;
	fprintf(stderr, "# counter %#x: %s\n", map, strerror(errno));
	exit(1);
}

/* A control of all counters, with the fixed ones if @fixed */
static inline struct vperfctr_control all_counters(int fd, int fixed)
{
	struct vperfctr_control all = { .cpu_control.tsc_on = 1 }, one;
	unsigned int map;

	for (map = 0; map < MAX_COUNTERS; map++) {
		one = one_counter(map);
		if (has_counter(fd, map))
			add_counter(&all, &one);
	}
	for (map = FIXED; fixed && map < FIXED + 3; map++) {
		one = one_counter(map);
		if (has_counter(fd, map))
			add_counter(&all, &one);
	}
	memset(&one, 0, sizeof(one));
	vperfctr_control(fd, &one);
	return all;
}

#endif
