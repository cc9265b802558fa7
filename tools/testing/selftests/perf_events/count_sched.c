// SPDX-License-Identifier: GPL-2.0
/*
 * Context switches, migrations and cgroup switches.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define ROUNDS	50

TEST(ping_pong)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct pe_child child;
	__u64 before[2], after[2];
	int fd[2], i;

	/*
	 * Both tasks are on one CPU, so that each order to the child and each answer needs
	 * a switch.
	 */
	ASSERT_EQ(0, pe_move_to(0));
	ASSERT_EQ(0, pe_child_start(&child));
	fd[0] = pe_self(&a);
	fd[1] = pe_open(&a, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd[0]);
	ASSERT_LE(0, fd[1]);
	for (i = 0; i < 2; i++)
		before[i] = pe_count(fd[i]);
	for (i = 0; i < ROUNDS; i++)
		ASSERT_EQ(0, pe_child_do(&child, PE_SPIN, 1));
	for (i = 0; i < 2; i++) {
		after[i] = pe_count(fd[i]);
		EXPECT_LE(before[i] + ROUNDS, after[i]);
		/*
		 * A switch counts once, not once for every event of the task.
		 */
		EXPECT_GT(before[i] + 20 * ROUNDS, after[i]);
		close(fd[i]);
	}
	pe_child_end(&child);
}

TEST(sleeper)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct pe_child child;
	__u64 before;
	int fd;

	ASSERT_EQ(0, pe_child_start(&child));
	fd = pe_open(&a, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&child, PE_SPIN, 1));
	ASSERT_EQ(0, pe_child_rest(&child));
	before = pe_count(fd);
	pe_sleep_ms(50);
	EXPECT_EQ(before, pe_count(fd));
	close(fd);
	pe_child_end(&child);
}

TEST(switches_happen_in_the_kernel)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct pe_child child;
	int user, kernel, i;

	ASSERT_EQ(0, pe_move_to(0));
	ASSERT_EQ(0, pe_child_start(&child));
	a.exclude_kernel = 1;
	user = pe_self(&a);
	a.exclude_kernel = 0;
	a.exclude_user = 1;
	kernel = pe_self(&a);
	ASSERT_LE(0, user);
	ASSERT_LE(0, kernel);
	for (i = 0; i < ROUNDS; i++)
		ASSERT_EQ(0, pe_child_do(&child, PE_SPIN, 1));
	EXPECT_EQ(0, pe_count(user));
	EXPECT_LE(ROUNDS, pe_count(kernel));
	pe_child_end(&child);
	close(user);
	close(kernel);
}

TEST(migrations)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_CPU_MIGRATIONS);
	int fd, i;

	if (pe_cpu_count() < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pe_move_to(0));
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pe_count(fd));
	for (i = 1; i <= ROUNDS; i++) {
		ASSERT_EQ(0, pe_move_to(i & 1));
		EXPECT_EQ(i, pe_count(fd));
	}
	/* Moving a task to its own CPU is no migration. */
	ASSERT_EQ(0, pe_move_to((i - 1) & 1));
	EXPECT_EQ(ROUNDS, pe_count(fd));
	close(fd);
}

TEST(migrations_of_another)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_CPU_MIGRATIONS);
	struct pe_child child;
	int fd, i;

	if (pe_cpu_count() < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pe_child_start(&child));
	ASSERT_EQ(0, pe_child_do(&child, PE_MOVE, 0));
	fd = pe_open(&a, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	for (i = 1; i <= ROUNDS; i++)
		ASSERT_EQ(0, pe_child_do(&child, PE_MOVE, i & 1));
	EXPECT_EQ(ROUNDS, pe_count(fd));
	/* Migrations of this task do not count for the child. */
	for (i = 1; i <= ROUNDS; i++)
		ASSERT_EQ(0, pe_move_to(i & 1));
	EXPECT_EQ(ROUNDS, pe_count(fd));
	close(fd);
	pe_child_end(&child);
}

TEST(migrations_are_the_kernels)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_CPU_MIGRATIONS);
	int fd, i;

	if (pe_cpu_count() < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pe_move_to(0));
	a.exclude_kernel = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	for (i = 1; i <= ROUNDS; i++)
		ASSERT_EQ(0, pe_move_to(i & 1));
	EXPECT_EQ(0, pe_count(fd));
	close(fd);
}

TEST(cgroup_switches)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_CGROUP_SWITCHES);
	struct pe_child child;
	__u64 before;
	char name[32];
	int fd, cpu, dir, i;

	snprintf(name, sizeof(name), "pe_switch_%d", getpid());
	dir = pe_cgroup_make(name);
	if (dir < 0)
		SKIP(return, "cannot make a cgroup");
	ASSERT_EQ(0, pe_move_to(0));
	ASSERT_EQ(0, pe_child_start(&child));
	fd = pe_open(&a, child.pid, -1, -1, 0);
	cpu = pe_open(&a, -1, 0, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_LE(0, cpu);
	ASSERT_EQ(0, pe_cgroup_enter(name, child.pid));

	/* The tasks that run before and after the child are now in other cgroups. */
	before = pe_count(fd);
	for (i = 0; i < ROUNDS; i++)
		ASSERT_EQ(0, pe_child_do(&child, PE_SPIN, 1));
	EXPECT_LE(before + ROUNDS, pe_count(fd));
	EXPECT_LE(pe_count(fd), pe_count(cpu));
	close(fd);
	close(cpu);
	close(dir);
	pe_child_end(&child);
	EXPECT_EQ(0, pe_cgroup_remove(name));
}

TEST(no_cgroup_switches_at_home)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_CGROUP_SWITCHES);
	int fd, i;

	if (pe_cgroup_enter("", getpid()))
		SKIP(return, "no cgroups");
	fd = pe_self(&a);
	/*
	 * Switch to idle and back: idle and this task are in the root cgroup, so the cgroup does
	 * not change.
	 */
	ASSERT_LE(0, fd);
	for (i = 0; i < ROUNDS; i++)
		pe_sleep_ms(1);
	EXPECT_EQ(0, pe_count(fd));
	close(fd);
}

TEST_HARNESS_MAIN
