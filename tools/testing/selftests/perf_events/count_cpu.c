// SPDX-License-Identifier: GPL-2.0
/*
 * Events of a CPU, of a task on one CPU, and of a cgroup on a CPU.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define PAGES	200
#define TIMES	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static struct perf_event_attr faults(void)
{
	return pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
}

TEST(counts_all_tasks_of_the_cpu)
{
	struct perf_event_attr a = faults();
	struct pe_child child;
	__u64 before;
	int fd;

	ASSERT_EQ(0, pe_child_start(&child));
	ASSERT_EQ(0, pe_child_do(&child, PE_MOVE, 0));
	fd = pe_open(&a, -1, 0, -1, 0);
	ASSERT_LE(0, fd);

	before = pe_count(fd);
	ASSERT_EQ(0, pe_child_do(&child, PE_FAULT, PAGES));
	EXPECT_LE(before + PAGES, pe_count(fd));

	ASSERT_EQ(0, pe_move_to(0));
	before = pe_count(fd);
	pe_fault(PAGES);
	EXPECT_LE(before + PAGES, pe_count(fd));
	close(fd);
	pe_child_end(&child);
}

TEST(all_cpus_see_everything)
{
	struct perf_event_attr a = faults();
	int fd[64], cpus = pe_cpu_count(), i;
	__u64 sum = 0;

	if (cpus > 64)
		SKIP(return, "more CPUs than this test supports");
	for (i = 0; i < cpus; i++) {
		fd[i] = pe_open(&a, -1, i, -1, 0);
		if (fd[i] < 0)
			SKIP(return, "CPUs are not numbered in a row");
	}
	for (i = 0; i < PAGES; i++) {
		if (cpus > 1)
			pe_move_to(i & 1);
		pe_fault(1);
	}
	for (i = 0; i < cpus; i++) {
		sum += pe_count(fd[i]);
		close(fd[i]);
	}
	EXPECT_LE(PAGES, sum);
}

TEST(task_on_a_cpu)
{
	struct perf_event_attr a = faults();
	int here, there;

	if (pe_cpu_count() < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pe_move_to(0));
	here = pe_open(&a, 0, 0, -1, 0);
	there = pe_open(&a, 0, 1, -1, 0);
	ASSERT_LE(0, here);
	ASSERT_LE(0, there);
	pe_fault(PAGES);
	pe_ioctl(here, PERF_EVENT_IOC_RESET, 0);
	pe_fault(PAGES);
	EXPECT_EQ(PAGES, pe_count(here));
	EXPECT_EQ(0, pe_count(there));

	ASSERT_EQ(0, pe_move_to(1));
	pe_fault(PAGES);
	EXPECT_EQ(PAGES, pe_count(here));
	EXPECT_EQ(PAGES, pe_count(there));
	close(here);
	close(there);
}

TEST(another_task_on_a_cpu)
{
	struct perf_event_attr a = faults();
	struct pe_child child;
	__u64 before;
	int here, there;

	if (pe_cpu_count() < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pe_child_start(&child));
	ASSERT_EQ(0, pe_child_do(&child, PE_MOVE, 0));
	here = pe_open(&a, child.pid, 0, -1, 0);
	there = pe_open(&a, child.pid, 1, -1, 0);
	ASSERT_LE(0, here);
	ASSERT_LE(0, there);
	ASSERT_EQ(0, pe_child_do(&child, PE_FAULT, PAGES));
	before = pe_count(here);
	ASSERT_EQ(0, pe_child_do(&child, PE_FAULT, PAGES));
	EXPECT_EQ(before + PAGES, pe_count(here));
	EXPECT_EQ(0, pe_count(there));

	ASSERT_EQ(0, pe_child_do(&child, PE_MOVE, 1));
	before = pe_count(here);
	ASSERT_EQ(0, pe_child_do(&child, PE_FAULT, PAGES));
	EXPECT_EQ(before, pe_count(here));
	EXPECT_LE(PAGES, pe_count(there));
	close(here);
	close(there);
	pe_child_end(&child);
}

TEST(times_of_a_task_on_a_cpu)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_TASK_CLOCK);
	__u64 here[3], there[3];
	int fd[2];

	if (pe_cpu_count() < 2)
		SKIP(return, "needs two CPUs");
	/* The event is enabled while the task runs on any CPU, but running only on its own CPU. */
	a.read_format = TIMES;
	ASSERT_EQ(0, pe_move_to(0));
	fd[0] = pe_open(&a, 0, 0, -1, 0);
	fd[1] = pe_open(&a, 0, 1, -1, 0);
	ASSERT_LE(0, fd[0]);
	ASSERT_LE(0, fd[1]);
	pe_spin(1000000);
	ASSERT_EQ(24, read(fd[0], here, sizeof(here)));
	ASSERT_EQ(24, read(fd[1], there, sizeof(there)));
	EXPECT_LT(0, here[0]);
	EXPECT_EQ(here[1], here[2]);
	EXPECT_EQ(0, there[0]);
	EXPECT_LT(0, there[1]);
	EXPECT_EQ(0, there[2]);

	ASSERT_EQ(0, pe_move_to(1));
	pe_spin(1000000);
	ASSERT_EQ(24, read(fd[0], here, sizeof(here)));
	ASSERT_EQ(24, read(fd[1], there, sizeof(there)));
	EXPECT_GT(here[1], here[2]);
	EXPECT_LT(0, there[0]);
	EXPECT_LT(0, there[2]);
	EXPECT_GT(there[1], there[2]);
	close(fd[0]);
	close(fd[1]);
}

TEST(times_of_a_cpu)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);
	__u64 r[3], s[3];
	int fd;

	a.read_format = TIMES;
	fd = pe_open(&a, -1, 0, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(24, read(fd, r, sizeof(r)));
	pe_sleep_ms(20);
	ASSERT_EQ(24, read(fd, s, sizeof(s)));
	EXPECT_EQ(0, s[0]);
	EXPECT_LT(r[1], s[1]);
	EXPECT_EQ(s[1], s[2]);
	close(fd);
}

TEST(switches_of_a_cpu)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct pe_child child;
	int fd, i;

	/* Each round moves the task to the other CPU and back. */
	ASSERT_EQ(0, pe_move_to(0));
	ASSERT_EQ(0, pe_child_start(&child));
	fd = pe_open(&a, -1, 0, -1, 0);
	ASSERT_LE(0, fd);
	for (i = 0; i < 50; i++)
		ASSERT_EQ(0, pe_child_do(&child, PE_SPIN, 1));
	EXPECT_LE(100, pe_count(fd));
	close(fd);
	pe_child_end(&child);
}

TEST(control_group)
{
	struct perf_event_attr a = faults();
	struct pe_child in, out;
	__u64 before;
	char name[32];
	int dir, fd, task;

	snprintf(name, sizeof(name), "pe_cpu_%d", getpid());
	dir = pe_cgroup_make(name);
	if (dir < 0)
		SKIP(return, "cannot make a cgroup");
	ASSERT_EQ(0, pe_child_start(&in));
	ASSERT_EQ(0, pe_child_start(&out));
	ASSERT_EQ(0, pe_child_do(&in, PE_MOVE, 0));
	ASSERT_EQ(0, pe_child_do(&out, PE_MOVE, 0));
	ASSERT_EQ(0, pe_cgroup_enter(name, in.pid));
	fd = pe_open(&a, dir, 0, -1, PERF_FLAG_PID_CGROUP);
	ASSERT_LE(0, fd);
	task = pe_open(&a, in.pid, 0, -1, 0);
	ASSERT_LE(0, task);

	ASSERT_EQ(0, pe_child_do(&in, PE_FAULT, PAGES));
	EXPECT_LE(PAGES, pe_count(fd));
	EXPECT_EQ(pe_count(task), pe_count(fd));

	/* Other tasks on the same CPU are not counted. */
	before = pe_count(fd);
	ASSERT_EQ(0, pe_child_do(&out, PE_FAULT, PAGES));
	EXPECT_EQ(before, pe_count(fd));

	/* A task that enters the cgroup is counted, a task that left it is not. */
	ASSERT_EQ(0, pe_cgroup_enter(name, out.pid));
	ASSERT_EQ(0, pe_cgroup_enter("", in.pid));
	ASSERT_EQ(0, pe_child_do(&in, PE_FAULT, PAGES));
	before = pe_count(fd);
	ASSERT_EQ(0, pe_child_do(&in, PE_FAULT, PAGES));
	EXPECT_EQ(before, pe_count(fd));
	ASSERT_EQ(0, pe_child_do(&out, PE_FAULT, PAGES));
	before = pe_count(fd);
	ASSERT_EQ(0, pe_child_do(&out, PE_FAULT, PAGES));
	EXPECT_EQ(before + PAGES, pe_count(fd));

	/* A cgroup may be removed while it has an event. */
	pe_child_end(&in);
	pe_child_end(&out);
	close(dir);
	EXPECT_EQ(0, pe_cgroup_remove(name));
	EXPECT_LE(before + PAGES, pe_count(fd));
	close(fd);
	close(task);
}

TEST_HARNESS_MAIN
