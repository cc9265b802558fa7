// SPDX-License-Identifier: GPL-2.0
/*
 * Count the page faults, the time and the instructions of one function of a program:
 *
 *	count [PAGES]
 *
 * The function writes to PAGES new pages (default 100). Instructions are counted only if the CPU
 * has counters. The events are one group, so they count during the same time, and one read(2)
 * returns all counts.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Exit status of a skipped selftest: this machine, kernel or user cannot run the program. */
#define SKIP	4

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *name;
	__u32 type;
	__u64 config;
} events[] = {
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
};

#define NR_EVENTS	ARRAY_SIZE(events)

/* Layout of the data that read(2) of the leader returns; attr.read_format selects the fields */
struct group {
	__u64 nr;
	__u64 enabled;
	__u64 running;
	__u64 value[NR_EVENTS];
};

static int open_event(unsigned int i, int leader)
{
	struct perf_event_attr attr = {
		.type = events[i].type,
		.size = sizeof(attr),
		.config = events[i].config,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		/* Siblings count only while their leader is enabled. */
		.disabled = leader < 0,
		/* Counting in the kernel may need CAP_PERFMON. */
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	/* The calling thread, on any CPU */
	return syscall(__NR_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static void touch(char *area, unsigned long pages, long page_size)
{
	unsigned long i;

	for (i = 0; i < pages; i++)
		__atomic_store_n(&area[i * page_size], 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv)
{
	unsigned long pages = argc > 1 ? strtoul(argv[1], NULL, 0) : 100;
	long page_size = sysconf(_SC_PAGESIZE);
	const char *counted[NR_EVENTS];
	unsigned int i, nr = 0;
	struct group group;
	int leader = -1;
	char *area;

	/* One page more for a first call: page faults on the code must not be counted. */
	area = mmap(NULL, (pages + 1) * page_size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	/* One fault for each page. A kernel without huge pages refuses the call: ignore that. */
	madvise(area, (pages + 1) * page_size, MADV_NOHUGEPAGE);
	touch(area, 1, page_size);

	for (i = 0; i < NR_EVENTS; i++) {
		int fd = open_event(i, leader);

		if (fd < 0) {
			perror(events[i].name);
			if (leader < 0)
				return SKIP;
			continue;
		}
		if (leader < 0)
			leader = fd;
		/* read(2) returns the values in the order in which the events were opened. */
		counted[nr++] = events[i].name;
	}

	ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	touch(area + page_size, pages, page_size);
	ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);

	if (read(leader, &group, sizeof(group)) < 0) {
		perror("read");
		return 1;
	}
	for (i = 0; i < nr; i++)
		printf("%s %llu\n", counted[i], group.value[i]);
	/* The first number is less if the event shared its counter with other events. */
	printf("counted %llu of %llu ns\n", group.running, group.enabled);
	return 0;
}
