// SPDX-License-Identifier: GPL-2.0
/*
 * execve(2): events that survive it, events that it enables, and events that it removes.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define PAGES	50
#define TIMES	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

FIXTURE(exec) {
	struct perf_event_attr a;
	struct pe_child child;
};

FIXTURE_SETUP(exec)
{
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	ASSERT_EQ(0, pe_child_start(&self->child));
}

FIXTURE_TEARDOWN(exec)
{
	pe_child_end(&self->child);
}

static __u64 child_faults(struct pe_child *c, int fd)
{
	__u64 before;

	pe_child_do(c, PE_FAULT, PAGES);
	before = pe_count(fd);
	pe_child_do(c, PE_FAULT, PAGES);
	return pe_count(fd) - before;
}

TEST_F(exec, counts_on)
{
	int fd = pe_open(&self->a, self->child.pid, -1, -1, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_EXEC, 0));
	/* exec of a new program causes many faults. */
	EXPECT_LT(10, pe_count(fd));
	EXPECT_EQ(PAGES, child_faults(&self->child, fd));
	close(fd);
}

TEST_F(exec, enables)
{
	__u64 count;
	int fd;

	self->a.disabled = 1;
	self->a.enable_on_exec = 1;
	fd = pe_open(&self->a, self->child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, child_faults(&self->child, fd));
	EXPECT_EQ(0, pe_count(fd));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_EXEC, 0));
	EXPECT_LT(0, pe_count(fd));
	EXPECT_EQ(PAGES, child_faults(&self->child, fd));

	/*
	 * execve(2) enables the event only once: an event that is disabled
	 * later stays disabled.
	 */
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	count = pe_count(fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_EXEC, 0));
	EXPECT_EQ(0, child_faults(&self->child, fd));
	EXPECT_EQ(count, pe_count(fd));
	close(fd);
}

TEST_F(exec, does_not_enable_unasked)
{
	int fd;

	self->a.disabled = 1;
	fd = pe_open(&self->a, self->child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_EXEC, 0));
	EXPECT_EQ(0, pe_count(fd));
	close(fd);
}

TEST_F(exec, enables_a_group)
{
	int leader, member, other;

	self->a.disabled = 1;
	self->a.enable_on_exec = 1;
	leader = pe_open(&self->a, self->child.pid, -1, -1, 0);
	self->a.disabled = 0;
	self->a.enable_on_exec = 0;
	member = pe_open(&self->a, self->child.pid, -1, leader, 0);
	self->a.disabled = 1;
	other = pe_open(&self->a, self->child.pid, -1, leader, 0);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	ASSERT_LE(0, other);
	EXPECT_EQ(0, child_faults(&self->child, member));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_EXEC, 0));
	EXPECT_EQ(PAGES, child_faults(&self->child, leader));
	EXPECT_EQ(PAGES, child_faults(&self->child, member));
	EXPECT_EQ(0, pe_count(other));
	close(other);
	close(member);
	close(leader);
}

TEST_F(exec, enables_a_member)
{
	int leader, member;

	leader = pe_open(&self->a, self->child.pid, -1, -1, 0);
	self->a.disabled = 1;
	self->a.enable_on_exec = 1;
	member = pe_open(&self->a, self->child.pid, -1, leader, 0);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	EXPECT_EQ(0, child_faults(&self->child, member));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_EXEC, 0));
	EXPECT_EQ(PAGES, child_faults(&self->child, member));
	close(member);
	close(leader);
}

TEST_F(exec, enabled_time_starts_there)
{
	__u64 before[3], after[3];
	int fd;

	self->a.disabled = 1;
	self->a.enable_on_exec = 1;
	self->a.read_format = TIMES;
	fd = pe_open(&self->a, self->child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_SPIN, 1000000));
	ASSERT_EQ(24, read(fd, before, sizeof(before)));
	EXPECT_EQ(0, before[1]);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_EXEC, 0));
	ASSERT_EQ(24, read(fd, after, sizeof(after)));
	EXPECT_LT(0, after[1]);
	EXPECT_EQ(after[1], after[2]);
	close(fd);
}

TEST_F(exec, removes)
{
	struct pollfd p = { .events = POLLIN };
	__u64 count;
	int fd, stays;

	stays = pe_open(&self->a, self->child.pid, -1, -1, 0);
	self->a.remove_on_exec = 1;
	fd = pe_open(&self->a, self->child.pid, -1, -1, 0);
	ASSERT_LE(0, stays);
	ASSERT_LE(0, fd);
	EXPECT_EQ(PAGES, child_faults(&self->child, fd));
	count = pe_count(fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_EXEC, 0));
	EXPECT_EQ(PAGES, child_faults(&self->child, stays));

	/* A removed event keeps its count, and no ioctl makes it count again. */
	EXPECT_LE(count, pe_count(fd));
	count = pe_count(fd);
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	EXPECT_EQ(0, child_faults(&self->child, fd));
	EXPECT_EQ(count, pe_count(fd));
	p.fd = fd;
	EXPECT_EQ(1, poll(&p, 1, 0));
	EXPECT_EQ(POLLHUP, p.revents);
	close(fd);
	close(stays);
}

TEST_F(exec, removes_a_leader)
{
	int leader, member;

	/* A member without remove_on_exec continues without its leader. */
	self->a.remove_on_exec = 1;
	leader = pe_open(&self->a, self->child.pid, -1, -1, 0);
	self->a.remove_on_exec = 0;
	member = pe_open(&self->a, self->child.pid, -1, leader, 0);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_EXEC, 0));
	EXPECT_EQ(0, child_faults(&self->child, leader));
	EXPECT_EQ(PAGES, child_faults(&self->child, member));
	close(leader);
	EXPECT_EQ(PAGES, child_faults(&self->child, member));
	close(member);
}

TEST_F(exec, removes_a_member)
{
	int leader, member;
	__u64 buf[8];

	self->a.read_format = PERF_FORMAT_GROUP;
	leader = pe_open(&self->a, self->child.pid, -1, -1, 0);
	self->a.remove_on_exec = 1;
	member = pe_open(&self->a, self->child.pid, -1, leader, 0);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	ASSERT_EQ(24, read(leader, buf, sizeof(buf)));
	EXPECT_EQ(2, buf[0]);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_EXEC, 0));
	ASSERT_LE(16, read(leader, buf, sizeof(buf)));
	EXPECT_EQ(1, buf[0]);
	close(leader);
	close(member);
}

TEST_F(exec, inherited_events)
{
	struct pe_child kid;
	__u64 before;
	int fd;

	/* An exec in the child removes only the event of the child. */
	self->a.inherit = 1;
	self->a.remove_on_exec = 1;
	fd = pe_self(&self->a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_start(&kid));
	ASSERT_EQ(0, pe_child_do(&kid, PE_FAULT, PAGES));
	EXPECT_LE(PAGES, pe_count(fd));
	ASSERT_EQ(0, pe_child_do(&kid, PE_EXEC, 0));
	ASSERT_EQ(0, pe_child_do(&kid, PE_SPIN, 1));
	before = pe_count(fd);
	EXPECT_LE(PAGES, before);
	ASSERT_EQ(0, pe_child_do(&kid, PE_FAULT, 10 * PAGES));
	EXPECT_GT(before + PAGES, pe_count(fd));
	before = pe_count(fd);
	pe_fault(PAGES);
	EXPECT_LE(before + PAGES, pe_count(fd));
	pe_child_end(&kid);
	close(fd);
}

TEST_F(exec, enables_inherited_events)
{
	struct pe_child kid;
	__u64 before;
	int fd;

	/* An inherited event is enabled by an exec of its own task. */
	self->a.inherit = 1;
	self->a.disabled = 1;
	self->a.enable_on_exec = 1;
	fd = pe_self(&self->a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_start(&kid));
	ASSERT_EQ(0, pe_child_do(&kid, PE_FAULT, PAGES));
	EXPECT_EQ(0, pe_count(fd));
	ASSERT_EQ(0, pe_child_do(&kid, PE_EXEC, 0));
	before = pe_count(fd);
	ASSERT_EQ(0, pe_child_do(&kid, PE_FAULT, PAGES));
	EXPECT_LE(before + PAGES, pe_count(fd));
	before = pe_count(fd);
	pe_fault(PAGES);
	EXPECT_EQ(before, pe_count(fd));
	pe_child_end(&kid);
	close(fd);
}

TEST_F(exec, of_a_failing_program)
{
	int fd;

	/* An exec that fails changes nothing. */
	self->a.disabled = 1;
	self->a.enable_on_exec = 1;
	fd = pe_self(&self->a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, execl("/no/such/program", "x", NULL));
	EXPECT_EQ(-1, execl("/proc/self/comm", "x", NULL));
	pe_fault(PAGES);
	EXPECT_EQ(0, pe_count(fd));
	close(fd);
}

TEST_HARNESS_MAIN
