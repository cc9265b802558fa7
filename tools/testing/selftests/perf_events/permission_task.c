// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2): which other tasks a user may measure. The rule is that
 * of ptrace read access, with the real user id, or CAP_PERFMON.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

static int open_user_mode(void *arg)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);

	a.exclude_kernel = 1;
	return pe_try(&a, *(pid_t *)arg, -1, -1, 0);
}

static int open_on_cpu(void *arg)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);

	a.exclude_kernel = 1;
	return pe_try(&a, *(pid_t *)arg, 0, -1, 0);
}

FIXTURE(task) {
	long was;
	struct pe_child child;
};

FIXTURE_SETUP(task)
{
	if (geteuid())
		SKIP(return, "needs root");
	self->was = pe_get(PE_PARANOID);
	ASSERT_NE(LONG_MIN, self->was);
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	ASSERT_EQ(0, pe_child_start(&self->child));
}

FIXTURE_TEARDOWN(task)
{
	pe_child_end(&self->child);
	pe_set(PE_PARANOID, self->was);
}

TEST_F(task, of_root)
{
	pid_t pid = self->child.pid;

	EXPECT_EQ(0, open_user_mode(&pid));
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_user_mode, &pid));
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_on_cpu, &pid));
	EXPECT_EQ(0, pe_run_as(PE_UID, PE_CAP(CAP_PERFMON), open_user_mode, &pid));
	EXPECT_EQ(0, pe_run_as(PE_UID, PE_CAP(CAP_SYS_ADMIN), open_user_mode, &pid));
	EXPECT_EQ(0, pe_run_as(PE_UID, PE_CAP(CAP_SYS_PTRACE), open_user_mode, &pid));
}

TEST_F(task, level_does_not_matter)
{
	pid_t pid = self->child.pid;
	int level;

	/* However free measuring is: others' tasks stay others'. */
	for (level = -1; level <= 2; level++) {
		ASSERT_EQ(0, pe_set(PE_PARANOID, level));
		EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_user_mode, &pid));
	}
}

TEST_F(task, of_same_user)
{
	pid_t pid = self->child.pid;

	ASSERT_EQ(0, pe_child_do(&self->child, PE_SETUID, PE_UID));
	/* Changing its user made the task undumpable. */
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_user_mode, &pid));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_DUMPABLE, 1));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, open_user_mode, &pid));
	EXPECT_EQ(-EACCES, pe_run_as(PE_OTHER_UID, 0, open_user_mode, &pid));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_DUMPABLE, 0));
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_user_mode, &pid));
	EXPECT_EQ(0, pe_run_as(PE_UID, PE_CAP(CAP_PERFMON), open_user_mode, &pid));
	EXPECT_EQ(0, open_user_mode(&pid));
}

TEST_F(task, after_exec)
{
	pid_t pid = self->child.pid;

	/* A program that the user may read is dumpable again. */
	ASSERT_EQ(0, pe_child_do(&self->child, PE_SETUID, PE_UID));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_EXEC, 0));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, open_user_mode, &pid));
	EXPECT_EQ(-EACCES, pe_run_as(PE_OTHER_UID, 0, open_user_mode, &pid));
}

TEST_F(task, change_of_user_keeps_the_event)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	__u64 count;
	int fd;

	/* An event that is there stays, whoever the task becomes. */
	fd = pe_open(&a, self->child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_SETUID, PE_UID));
	count = pe_count(fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, 10));
	EXPECT_LE(count + 10, pe_count(fd));
	close(fd);
}

static int open_kernel_mode(void *arg)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);

	return pe_try(&a, *(pid_t *)arg, -1, -1, 0);
}

TEST_F(task, kernel_of_other)
{
	pid_t pid = self->child.pid;

	/* At level 2 the kernel is asked for first, then the task. */
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_kernel_mode, &pid));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_SETUID, PE_UID));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_DUMPABLE, 1));
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_kernel_mode, &pid));
	ASSERT_EQ(0, pe_set(PE_PARANOID, 1));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, open_kernel_mode, &pid));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, open_on_cpu, &pid));
}

/**
 * struct trap - a sigtrap event on another task
 * @pid: that task
 */
struct trap {
	pid_t pid;
};

static int open_sigtrap(void *arg)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);

	a.exclude_kernel = 1;
	a.sigtrap = 1;
	a.remove_on_exec = 1;
	a.sample_period = 1000000;
	return pe_try(&a, ((struct trap *)arg)->pid, -1, -1, 0);
}

TEST_F(task, signals_need_more)
{
	struct trap t = { self->child.pid };

	/* To send signals the right to measure is not enough. */
	EXPECT_EQ(0, open_sigtrap(&t));
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, PE_CAP(CAP_PERFMON), open_sigtrap, &t));
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_sigtrap, &t));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_SETUID, PE_UID));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_DUMPABLE, 1));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, open_sigtrap, &t));
}

TEST_F(task, init_of_the_system)
{
	pid_t pid = 1;

	EXPECT_EQ(0, open_user_mode(&pid));
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_user_mode, &pid));
}

TEST_HARNESS_MAIN
