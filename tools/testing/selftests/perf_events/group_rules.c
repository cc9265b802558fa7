// SPDX-License-Identifier: GPL-2.0
/* perf_event_open(2): which events may form a group. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

static struct perf_event_attr dummy(void)
{
	return pe_attr(PERF_COUNT_SW_DUMMY);
}

FIXTURE(group) {
	struct perf_event_attr a;
	int leader;
	struct pe_child child;
};

FIXTURE_SETUP(group)
{
	self->a = dummy();
	self->leader = pe_self(&self->a);
	ASSERT_LE(0, self->leader);
	ASSERT_EQ(0, pe_child_start(&self->child));
}

FIXTURE_TEARDOWN(group)
{
	close(self->leader);
	pe_child_end(&self->child);
}

TEST_F(group, same_target)
{
	EXPECT_EQ(0, pe_try(&self->a, 0, -1, self->leader, 0));
	EXPECT_EQ(0, pe_try(&self->a, getpid(), -1, self->leader, 0));
}

TEST_F(group, other_task)
{
	EXPECT_EQ(-EINVAL, pe_try(&self->a, self->child.pid, -1, self->leader, 0));
}

TEST_F(group, other_cpu)
{
	int fd;

	EXPECT_EQ(-EINVAL, pe_try(&self->a, 0, 0, self->leader, 0));
	EXPECT_EQ(-EINVAL, pe_try(&self->a, -1, 0, self->leader, 0));

	fd = pe_open(&self->a, -1, 0, -1, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pe_try(&self->a, -1, 0, fd, 0));
	EXPECT_EQ(-EINVAL, pe_try(&self->a, 0, -1, fd, 0));
	EXPECT_EQ(-EINVAL, pe_try(&self->a, 0, 0, fd, 0));
	if (pe_cpu_count() > 1)
		EXPECT_EQ(-EINVAL, pe_try(&self->a, -1, 1, fd, 0));
	close(fd);

	fd = pe_open(&self->a, 0, 0, -1, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pe_try(&self->a, 0, 0, fd, 0));
	EXPECT_EQ(-EINVAL, pe_try(&self->a, 0, -1, fd, 0));
	if (pe_cpu_count() > 1)
		EXPECT_EQ(-EINVAL, pe_try(&self->a, 0, 1, fd, 0));
	close(fd);
}

TEST_F(group, of_a_member)
{
	int member = pe_open(&self->a, 0, -1, self->leader, 0);

	/* A member cannot lead: groups have one level. */
	ASSERT_LE(0, member);
	EXPECT_EQ(-EINVAL, pe_try(&self->a, 0, -1, member, 0));
	close(member);
}

TEST_F(group, pinned_or_exclusive_member)
{
	struct perf_event_attr a = self->a;
	int leader;

	a.pinned = 1;
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, self->leader, 0));
	a.pinned = 0;
	a.exclusive = 1;
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, self->leader, 0));
	a.pinned = 1;
	leader = pe_self(&a);
	ASSERT_LE(0, leader);
	EXPECT_EQ(0, pe_try(&self->a, 0, -1, leader, 0));
	close(leader);
}

TEST_F(group, clocks)
{
	struct perf_event_attr a = self->a;
	int leader;

	/* The clocks that stamp the records of a group must be the same. */
	a.use_clockid = 1;
	a.clockid = CLOCK_MONOTONIC;
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, self->leader, 0));
	leader = pe_self(&a);
	ASSERT_LE(0, leader);
	EXPECT_EQ(0, pe_try(&a, 0, -1, leader, 0));
	EXPECT_EQ(-EINVAL, pe_try(&self->a, 0, -1, leader, 0));
	a.clockid = CLOCK_BOOTTIME;
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, leader, 0));
	close(leader);
}

TEST_F(group, inherit_or_not)
{
	struct perf_event_attr a = self->a;
	int leader;

	a.inherit = 1;
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, self->leader, 0));
	leader = pe_self(&a);
	ASSERT_LE(0, leader);
	EXPECT_EQ(-EINVAL, pe_try(&self->a, 0, -1, leader, 0));
	EXPECT_EQ(0, pe_try(&a, 0, -1, leader, 0));
	close(leader);
}

TEST_F(group, any_software_events)
{
	__u64 config;

	for (config = 0; config < PERF_COUNT_SW_MAX; config++) {
		self->a.config = config;
		EXPECT_EQ(0, pe_try(&self->a, 0, -1, self->leader, 0));
	}
}

TEST_F(group, leader_of_an_exited_task)
{
	int fd = pe_open(&self->a, self->child.pid, -1, -1, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_end(&self->child));
	EXPECT_EQ(-ENODEV, pe_try(&self->a, self->child.pid, -1, fd, 0));
	EXPECT_EQ(-ENODEV, pe_try(&self->a, 0, -1, fd, 0));
	close(fd);
	ASSERT_EQ(0, pe_child_start(&self->child));
}

TEST_F(group, of_another_task)
{
	int fd = pe_open(&self->a, self->child.pid, -1, -1, 0), member;
	__u64 before;

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, pe_try(&self->a, 0, -1, fd, 0));
	self->a.config = PERF_COUNT_SW_PAGE_FAULTS;
	member = pe_open(&self->a, self->child.pid, -1, fd, 0);
	ASSERT_LE(0, member);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, 10));
	before = pe_count(member);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, 10));
	EXPECT_EQ(before + 10, pe_count(member));
	close(member);
	close(fd);
}

TEST_F(group, control_groups)
{
	char name[32];
	int dir, cgroup, cpu;

	snprintf(name, sizeof(name), "pe_group_%d", getpid());
	dir = pe_cgroup_make(name);
	if (dir < 0)
		SKIP(return, "cannot make a cgroup");
	cpu = pe_open(&self->a, -1, 0, -1, 0);
	cgroup = pe_open(&self->a, dir, 0, -1, PERF_FLAG_PID_CGROUP);
	ASSERT_LE(0, cpu);
	ASSERT_LE(0, cgroup);
	EXPECT_EQ(0, pe_try(&self->a, dir, 0, cgroup, PERF_FLAG_PID_CGROUP));
	EXPECT_EQ(-EINVAL, pe_try(&self->a, dir, 0, cpu, PERF_FLAG_PID_CGROUP));
	/* A member without a cgroup of its own has its leader's cgroup, on the leader's CPU. */
	EXPECT_EQ(0, pe_try(&self->a, -1, 0, cgroup, 0));
	EXPECT_EQ(-EINVAL, pe_try(&self->a, 0, 0, cgroup, 0));
	if (pe_cpu_count() > 1)
		EXPECT_EQ(-EINVAL, pe_try(&self->a, -1, 1, cgroup, 0));
	if (pe_cpu_count() > 1)
		EXPECT_EQ(-EINVAL, pe_try(&self->a, dir, 1, cgroup,
					  PERF_FLAG_PID_CGROUP));
	close(cgroup);
	close(cpu);
	close(dir);
	EXPECT_EQ(0, pe_cgroup_remove(name));
}

TEST_F(group, too_large_to_be_read)
{
	struct rlimit limit = { 4096, 4096 };
	int fd[2000], n, err = 0;

	if (setrlimit(RLIMIT_NOFILE, &limit))
		SKIP(return, "too few files");
	/* A read of a group never returns more than 16 KiB. */
	for (n = 0; n < 2000; n++) {
		self->a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
		fd[n] = pe_open(&self->a, 0, -1, n ? fd[0] : -1, 0);
		if (fd[n] < 0) {
			err = fd[n];
			break;
		}
	}
	EXPECT_EQ(-E2BIG, err);
	/* A read returns 8 bytes for the number of events, and 16 for each event. */
	EXPECT_GE(16384, 8 + 16 * n);
	EXPECT_LT(16384, 8 + 16 * (n + 1));
	while (n--)
		close(fd[n]);
}

/* The base kernel has no such limit; see Documentation/core-api/perf_events/limits.rst. */
TEST_F(group, too_large_to_be_changed_at_once)
{
	struct rlimit limit = { 4096, 4096 };
	int fd[2100], n;

	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	if (setrlimit(RLIMIT_NOFILE, &limit))
		SKIP(return, "too few files");
	for (n = 0; n < 2100; n++) {
		fd[n] = pe_open(&self->a, 0, -1, n ? fd[0] : -1, 0);
		if (fd[n] < 0)
			break;
	}
	/*
	 * The limit is the number of events in one read of values alone: 8 bytes for their number,
	 * 8 for each.
	 */
	EXPECT_EQ(16384 / 8 - 1, n);
	EXPECT_EQ(-E2BIG, n < 2100 ? fd[n] : 0);
	/* The leader is closed first. */
	for (int i = 0; i < n; i++)
		close(fd[i]);
}

/*
 * A smaller limit, for members that sample the values of all: n members would write n * n values
 * for one occurrence.
 */
TEST_F(group, too_many_samples_of_all_values)
{
	struct rlimit limit = { 4096, 4096 };
	int fd[200], n;

	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	if (setrlimit(RLIMIT_NOFILE, &limit))
		SKIP(return, "too few files");
	self->a.sample_period = 1;
	self->a.sample_type = PERF_SAMPLE_READ;
	self->a.read_format = PERF_FORMAT_GROUP;
	for (n = 0; n < 200; n++) {
		fd[n] = pe_open(&self->a, 0, -1, n ? fd[0] : -1, 0);
		if (fd[n] < 0)
			break;
	}
	/* 128 members, which all sample the values of 128 */
	EXPECT_EQ(128, n);
	EXPECT_EQ(-E2BIG, n < 200 ? fd[n] : 0);
	/* A member that samples only its own value is no problem. */
	self->a.read_format = 0;
	EXPECT_EQ(-E2BIG, pe_try(&self->a, 0, -1, fd[0], 0));
	for (int i = 1; i < n; i++)
		close(fd[i]);
	EXPECT_EQ(0, pe_try(&self->a, 0, -1, fd[0], 0));
	close(fd[0]);
}

TEST_HARNESS_MAIN
