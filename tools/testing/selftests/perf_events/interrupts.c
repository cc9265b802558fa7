// SPDX-License-Identifier: GPL-2.0
/*
 * Page fault events of another CPU, and of a task that runs there, are opened, closed, enabled and
 * disabled without an interrupt of that CPU.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define ROUNDS		100
#define OTHER_CPU	1

/* Function call interrupts of the other CPU, or -1 if the kernel does not report them. */
static long function_calls(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	long calls = -1, first;
	char line[4096];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, " CAL: %ld %ld", &first, &calls) == 2)
			break;
	}
	if (f)
		fclose(f);
	return calls;
}

static pid_t spinner_tid;
static bool spinner_ends;

static void *spin(void *arg)
{
	if (pe_move_to(OTHER_CPU))
		abort();
	__atomic_store_n(&spinner_tid, syscall(__NR_gettid), __ATOMIC_RELEASE);
	while (!__atomic_load_n(&spinner_ends, __ATOMIC_RELAXED))
		pe_spin(1000);
	return NULL;
}

static void open_and_close(struct __test_metadata *_metadata, pid_t pid, int cpu)
{
	struct perf_event_attr attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd = pe_open(&attr, pid, cpu, -1, 0);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	ASSERT_EQ(pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	close(fd);
}

/* Upper limit of function call interrupts by the rest of the kernel */
#define OF_OTHERS	(ROUNDS / 2)
#define TRIES		10

/* Count the interrupts of many rounds. The rest of the kernel may sometimes cause many more. */
static long interrupts_of(struct __test_metadata *_metadata, pid_t pid, int cpu)
{
	long before, calls = OF_OTHERS;
	int i, tries;

	for (tries = 0; tries < TRIES && calls >= OF_OTHERS; tries++) {
		before = function_calls();
		for (i = 0; i < ROUNDS; i++)
			open_and_close(_metadata, pid, cpu);
		calls = function_calls() - before;
	}
	return calls;
}

TEST(software_events_interrupt_nobody)
{
	struct perf_event_attr attr = pe_attr(PERF_COUNT_SW_DUMMY);
	pthread_t spinner;
	int first;

	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	if (function_calls() < 0)
		SKIP(return, "this kernel does not count function calls of a second CPU");
	ASSERT_EQ(pe_move_to(0), 0);
	ASSERT_EQ(pthread_create(&spinner, NULL, spin, NULL), 0);
	while (!__atomic_load_n(&spinner_tid, __ATOMIC_ACQUIRE))
		pe_sleep_ms(1);

	/* The first event of a task starts the context clock on the task's CPU. */
	first = pe_open(&attr, spinner_tid, -1, -1, 0);
	ASSERT_GE(first, 0);

	EXPECT_LT(interrupts_of(_metadata, spinner_tid, -1), OF_OTHERS);
	EXPECT_LT(interrupts_of(_metadata, -1, OTHER_CPU), OF_OTHERS);

	close(first);
	__atomic_store_n(&spinner_ends, true, __ATOMIC_RELAXED);
	pthread_join(spinner, NULL);
}

TEST_HARNESS_MAIN
