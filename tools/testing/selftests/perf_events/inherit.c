// SPDX-License-Identifier: GPL-2.0
/*
 * Inheritance: events of children, threads and grandchildren.
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define PAGES	100

static __u64 ordered(struct pe_child *c, int fd, enum pe_order what)
{
	__u64 before = pe_count(fd);

	if (pe_child_do(c, what, PAGES))
		return UINT64_MAX;
	return pe_count(fd) - before;
}

FIXTURE(inherit) {
	struct perf_event_attr a;
	struct pe_child child;
};

FIXTURE_SETUP(inherit)
{
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.inherit = 1;
	ASSERT_EQ(0, pe_child_start(&self->child));
	/* Map the program's own pages. */
	pe_child_do(&self->child, PE_THREAD_FAULT, 1);
	pe_child_do(&self->child, PE_FORK_FAULT, 1);
}

FIXTURE_TEARDOWN(inherit)
{
	pe_child_end(&self->child);
}

TEST_F(inherit, not_asked_for)
{
	int fd;

	self->a.inherit = 0;
	fd = pe_open(&self->a, self->child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	EXPECT_GT(PAGES, ordered(&self->child, fd, PE_FORK_FAULT));
	EXPECT_GT(PAGES, ordered(&self->child, fd, PE_THREAD_FAULT));
	EXPECT_GT(PAGES, ordered(&self->child, fd, PE_GRAND_FAULT));
	close(fd);
}

TEST_F(inherit, child)
{
	int fd = pe_open(&self->a, self->child.pid, -1, -1, 0);

	ASSERT_LE(0, fd);
	EXPECT_LE(PAGES, ordered(&self->child, fd, PE_FORK_FAULT));
	close(fd);
}

TEST_F(inherit, thread)
{
	int fd = pe_open(&self->a, self->child.pid, -1, -1, 0);

	ASSERT_LE(0, fd);
	EXPECT_LE(PAGES, ordered(&self->child, fd, PE_THREAD_FAULT));
	close(fd);
}

TEST_F(inherit, grandchild)
{
	int fd = pe_open(&self->a, self->child.pid, -1, -1, 0);

	ASSERT_LE(0, fd);
	EXPECT_LE(PAGES, ordered(&self->child, fd, PE_GRAND_FAULT));
	close(fd);
}

TEST_F(inherit, threads_only)
{
	int fd;

	self->a.inherit_thread = 1;
	fd = pe_open(&self->a, self->child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	EXPECT_LE(PAGES, ordered(&self->child, fd, PE_THREAD_FAULT));
	EXPECT_GT(PAGES, ordered(&self->child, fd, PE_FORK_FAULT));
	close(fd);
}

TEST_F(inherit, one_cpu)
{
	int here, there;

	if (pe_cpu_count() < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pe_child_do(&self->child, PE_MOVE, 0));
	here = pe_open(&self->a, self->child.pid, 0, -1, 0);
	there = pe_open(&self->a, self->child.pid, 1, -1, 0);
	ASSERT_LE(0, here);
	ASSERT_LE(0, there);
	EXPECT_LE(PAGES, ordered(&self->child, here, PE_FORK_FAULT));
	EXPECT_EQ(0, pe_count(there));
	close(here);
	close(there);
}

TEST_F(inherit, live_children_are_read)
{
	struct pe_child kid;
	__u64 before;
	int fd = pe_self(&self->a);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_start(&kid));
	before = pe_count(fd);
	ASSERT_EQ(0, pe_child_do(&kid, PE_FAULT, PAGES));
	EXPECT_LE(before + PAGES, pe_count(fd));
	before = pe_count(fd);
	pe_fault(PAGES);
	EXPECT_LE(before + PAGES, pe_count(fd));
	/* The count of a child stays in the sum after the child exits. */
	before = pe_count(fd);
	ASSERT_EQ(0, pe_child_end(&kid));
	EXPECT_LE(before, pe_count(fd));
	close(fd);
}

TEST_F(inherit, sums_add_up)
{
	int fd = pe_open(&self->a, self->child.pid, -1, -1, 0), i;

	ASSERT_LE(0, fd);
	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, pe_child_do(&self->child, PE_FORK_FAULT, PAGES));
	EXPECT_LE(20 * PAGES, pe_count(fd));
	/*
	 * The start and end of a child cause far fewer faults than the pages
	 * that it touches.
	 */
	EXPECT_GT(20 * (PAGES + 1000), pe_count(fd));
	close(fd);
}

TEST_F(inherit, disabled)
{
	int fd;

	/* At fork an inherited event is enabled or disabled as its parent is. */
	self->a.disabled = 1;
	fd = pe_open(&self->a, self->child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, ordered(&self->child, fd, PE_FORK_FAULT));
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	EXPECT_LE(PAGES, ordered(&self->child, fd, PE_FORK_FAULT));
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(0, ordered(&self->child, fd, PE_FORK_FAULT));
	close(fd);
}

TEST_F(inherit, group)
{
	__u64 buf[8], again[8];
	int leader, member;

	/* A read of the group adds up the events inherited from each member. */
	self->a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	leader = pe_open(&self->a, self->child.pid, -1, -1, 0);
	self->a.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	member = pe_open(&self->a, self->child.pid, -1, leader, 0);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	ASSERT_EQ(40, read(leader, buf, sizeof(buf)));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FORK_FAULT, PAGES));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_THREAD_FAULT, PAGES));
	ASSERT_EQ(40, read(leader, again, sizeof(again)));
	EXPECT_EQ(2, again[0]);
	EXPECT_EQ(pe_id(leader), again[2]);
	EXPECT_EQ(pe_id(member), again[4]);
	EXPECT_LE(buf[1] + 2 * PAGES, again[1]);
	EXPECT_LE(buf[3] + 2 * PAGES, again[3]);
	close(member);
	close(leader);
}

TEST_F(inherit, closed_while_children_live)
{
	struct pe_child kid[3];
	int fd, i;

	fd = pe_self(&self->a);
	ASSERT_LE(0, fd);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pe_child_start(&kid[i]));
	close(fd);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, pe_child_do(&kid[i], PE_FORK_FAULT, PAGES));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, pe_child_end(&kid[i]));
}

TEST_F(inherit, existing_children_are_not)
{
	__u64 before;
	int fd = pe_self(&self->a);

	/* Only children that are forked after the open inherit the event. */
	ASSERT_LE(0, fd);
	before = pe_count(fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, 10 * PAGES));
	EXPECT_GT(before + PAGES, pe_count(fd));
	/* Children of tasks without the event do not inherit it, either. */
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FORK_FAULT, 10 * PAGES));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_THREAD_FAULT, 10 * PAGES));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_GRAND_FAULT, 10 * PAGES));
	EXPECT_GT(before + PAGES, pe_count(fd));
	close(fd);
}

/* If new tasks inherited the event of a CPU, their faults there would be counted twice. */
TEST_F(inherit, cpu_event_is_not_inherited)
{
	struct perf_event_attr plain = self->a;
	int all, fd;
	__u64 count;

	ASSERT_EQ(0, pe_move_to(0));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_MOVE, 0));
	plain.inherit = 0;
	/*
	 * Opened first and read last, this event counts at least each fault that the other counts
	 * once.
	 */
	all = pe_open(&plain, -1, 0, -1, 0);
	ASSERT_LE(0, all);
	fd = pe_open(&self->a, -1, 0, -1, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pe_child_do(&self->child, PE_FORK_FAULT, 100 * PAGES));
	EXPECT_EQ(0, pe_child_do(&self->child, PE_THREAD_FAULT, 100 * PAGES));
	count = pe_count(fd);
	EXPECT_LE(200 * PAGES, count);
	EXPECT_GE(pe_count(all), count);
	close(fd);
	close(all);
}

TEST_F(inherit, original_exits_first)
{
	__u64 before;
	pid_t pid;
	int fd, go[2];
	char c;

	/* The task of the event exits before its child. */
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		if (fork())
			_exit(0);
		/* Wait for the parent's exit. */
		while (read(go[0], &c, 1) != 1)
			;
		pe_fault(PAGES);
		_exit(0);
	}
	fd = pe_open(&self->a, pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(1, write(go[1], "x", 1));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	before = pe_count(fd);
	ASSERT_EQ(1, write(go[1], "x", 1));
	while (pe_count(fd) < before + PAGES)
		pe_sleep_ms(1);
	close(fd);
}

TEST_HARNESS_MAIN
