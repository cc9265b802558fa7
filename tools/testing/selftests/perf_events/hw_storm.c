// SPDX-License-Identifier: GPL-2.0
/*
 * Overflows at the highest rate: on each CPU some tasks sample as often as allowed, with periods
 * down to one, while events are opened and closed, change their periods, and move between counters.
 * The kernel must report no fault, and samples must be complete. Afterwards a counting event must
 * count as it does on an idle PMU. PE_STORM_SECONDS=n sets the duration; without it the test is
 * skipped. The test raises the limit of samples to 100000 a second, so if an interrupt takes 10 us
 * the CPU does nothing else.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_hw.h"
#include "pe_sample.h"

#define RATE		PE_SYSCTL "perf_event_max_sample_rate"
#define SHARE		PE_SYSCTL "perf_cpu_time_max_percent"
#define TASKS		2
#define EVENTS		6
#define LOOP		100000

static struct pe_record rec;

static unsigned int next(unsigned int *seed, unsigned int n)
{
	return rand_r(seed) % n;
}

static int open_one(unsigned int *seed, struct pe_ring *ring)
{
	static const __u64 configs[] = {
		PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
		PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
	};
	static const unsigned long periods[] = { 1, 2, 10, 100, 1000, 10000, 0 };
	struct perf_event_attr a = pe_hw_attr(configs[next(seed, 4)]);
	int fd;

	a.sample_period = periods[next(seed, 7)];
	a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	a.exclude_kernel = next(seed, 2);
	a.pinned = !next(seed, 4);
	if (a.sample_period && !next(seed, 4))
		a.precise_ip = 1 + next(seed, 2);
	if (!next(seed, 4)) {
		a.freq = 1;
		a.sample_freq = 1 + next(seed, 100000);
	}
	a.disabled = 0;
	fd = pe_self(&a);
	ring->page = NULL;
	if (fd >= 0 && pe_ring_map(ring, fd, 8))
		ring->page = NULL;
	return fd;
}

/* A task of the storm. Returns the number of its broken records. */
static int storm(unsigned int seed, time_t until)
{
	struct pe_ring ring[EVENTS];
	int fd[EVENTS], broken = 0;
	unsigned int i;

	for (i = 0; i < EVENTS; i++)
		fd[i] = open_one(&seed, &ring[i]);
	while (time(NULL) < until) {
		pe_hw_loop(LOOP);
		getppid();
		i = next(&seed, EVENTS);
		while (fd[i] >= 0 && ring[i].page && pe_ring_next(&ring[i], &rec))
			broken += !rec.head.size || rec.head.type >= PERF_RECORD_MAX;
		switch (next(&seed, 4)) {
		case 0:
			if (fd[i] >= 0) {
				if (ring[i].page)
					pe_ring_unmap(&ring[i]);
				close(fd[i]);
			}
			fd[i] = open_one(&seed, &ring[i]);
			break;
		case 1:
			if (fd[i] >= 0) {
				pe_ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0);
				pe_ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0);
			}
			break;
		case 2:
			if (fd[i] >= 0) {
				unsigned long period = 1 + next(&seed, 1000);

				pe_ioctl(fd[i], PERF_EVENT_IOC_PERIOD, (unsigned long)&period);
			}
			break;
		}
	}
	return broken > 255 ? 255 : broken;
}

static __u64 count_loop(void)
{
	struct perf_event_attr a = pe_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	int fd = pe_self(&a);
	__u64 count = pe_hw_lowest_count(fd, LOOP);

	close(fd);
	return count;
}

FIXTURE(storm) { };
FIXTURE_SETUP(storm) { }
FIXTURE_TEARDOWN(storm) { }

TEST_F_TIMEOUT(storm, as_fast_as_they_come, 3600)
{
	const char *text = getenv("PE_STORM_SECONDS");
	long rate = pe_get(RATE), share = pe_get(SHARE);
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu, i, status;
	time_t until = time(NULL) + (text ? atoi(text) : 0);
	__u64 before, after;
	pid_t pid;

	if (!text)
		SKIP(return, "PE_STORM_SECONDS is not set");
	if (pe_hw_missing())
		SKIP(return, "no hardware counters");
	before = count_loop();
	pe_set(SHARE, 99);
	pe_set(RATE, 100000);
	for (cpu = 0; cpu < cpus; cpu++) {
		for (i = 0; i < TASKS; i++) {
			pid = fork();
			ASSERT_LE(0, pid);
			if (!pid) {
				pe_move_to(cpu);
				_exit(storm(1 + cpu * TASKS + i, until));
			}
		}
	}
	while (wait(&status) > 0)
		EXPECT_EQ(0, status);
	pe_set(RATE, rate);
	pe_set(SHARE, share);
	after = count_loop();
	EXPECT_LE(LOOP, after);
	/* Allow for instructions around the loop, and for those that interrupts restart. */
	EXPECT_GE(before + 100, after);
}

TEST_HARNESS_MAIN
