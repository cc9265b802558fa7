// SPDX-License-Identifier: GPL-2.0
/*
 * ioctl(2): enable, disable, reset and id.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define PAGES	20

FIXTURE(control) {
	struct perf_event_attr a;
	struct pe_child child;
};

FIXTURE_SETUP(control)
{
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	ASSERT_EQ(0, pe_child_start(&self->child));
	pe_fault(1);
}

FIXTURE_TEARDOWN(control)
{
	pe_child_end(&self->child);
}

TEST_F(control, numbers)
{
	/*
	 * The numbers of requests that take a pointer contain the pointer's
	 * size.
	 */
	const unsigned int pointer = sizeof(void *) << 16;

	/* Some architectures have the direction in other bits. */
	if (_IOC_NONE || _IOC_WRITE != 1)
		SKIP(return, "requests have other numbers on this architecture");
	EXPECT_EQ(0x2400, PERF_EVENT_IOC_ENABLE);
	EXPECT_EQ(0x2401, PERF_EVENT_IOC_DISABLE);
	EXPECT_EQ(0x2402, PERF_EVENT_IOC_REFRESH);
	EXPECT_EQ(0x2403, PERF_EVENT_IOC_RESET);
	EXPECT_EQ(0x40082404, PERF_EVENT_IOC_PERIOD);
	EXPECT_EQ(0x2405, PERF_EVENT_IOC_SET_OUTPUT);
	EXPECT_EQ(0x40002406 | pointer, PERF_EVENT_IOC_SET_FILTER);
	EXPECT_EQ(0x80002407 | pointer, PERF_EVENT_IOC_ID);
	EXPECT_EQ(0x40042408, PERF_EVENT_IOC_SET_BPF);
	EXPECT_EQ(0x40042409, PERF_EVENT_IOC_PAUSE_OUTPUT);
	EXPECT_EQ(0xc000240a | pointer, PERF_EVENT_IOC_QUERY_BPF);
	EXPECT_EQ(0x4000240b | pointer, PERF_EVENT_IOC_MODIFY_ATTRIBUTES);
}

TEST_F(control, starts_enabled_or_not)
{
	int on, off;

	on = pe_self(&self->a);
	self->a.disabled = 1;
	off = pe_self(&self->a);
	ASSERT_LE(0, on);
	ASSERT_LE(0, off);
	pe_fault(PAGES);
	EXPECT_LE(PAGES, pe_count(on));
	EXPECT_EQ(0, pe_count(off));
	close(on);
	close(off);
}

TEST_F(control, twice)
{
	int fd = pe_self(&self->a), i;

	/*
	 * Enabling and disabling do not nest: once is enough after any number
	 * of calls.
	 */
	ASSERT_LE(0, fd);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	pe_fault(PAGES);
	EXPECT_EQ(0, pe_count(fd));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	pe_fault(PAGES);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	pe_fault(PAGES);
	EXPECT_EQ(PAGES, pe_count(fd));
	close(fd);
}

TEST_F(control, other_flag_bits_mean_nothing)
{
	int fd = pe_self(&self->a);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 2));
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_RESET, ~1UL));
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 6));
	pe_fault(PAGES);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, ~1UL));
	EXPECT_EQ(PAGES, pe_count(fd));
	close(fd);
}

TEST_F(control, reset)
{
	int fd = pe_self(&self->a), i;

	ASSERT_LE(0, fd);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
		EXPECT_EQ(0, pe_count(fd));
		pe_fault(PAGES);
		EXPECT_EQ(PAGES, pe_count(fd));
	}
	close(fd);
}

TEST_F(control, reset_keeps_the_times)
{
	__u64 before[3], after[3];
	int fd;

	self->a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = pe_self(&self->a);
	ASSERT_LE(0, fd);
	pe_fault(PAGES);
	ASSERT_EQ(24, read(fd, before, sizeof(before)));
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	ASSERT_EQ(24, read(fd, after, sizeof(after)));
	EXPECT_EQ(0, after[0]);
	EXPECT_LT(0, before[1]);
	EXPECT_LE(before[1], after[1]);
	EXPECT_LE(before[2], after[2]);
	close(fd);
}

TEST_F(control, on_another_task)
{
	int fd, i;

	self->a.disabled = 1;
	fd = pe_open(&self->a, self->child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	EXPECT_EQ(0, pe_count(fd));
	for (i = 1; i < 4; i++) {
		ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
		ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
		EXPECT_EQ(PAGES * i, pe_count(fd));
	}
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0, pe_count(fd));
	close(fd);
}

TEST_F(control, on_a_running_task)
{
	pid_t me = getpid(), spinner;
	__u64 last = 0, next;
	int fd, i;

	/* The other task spins, on another CPU if there are two. */
	spinner = fork();
	ASSERT_LE(0, spinner);
	if (!spinner) {
		pe_die_with(me);
		for (;;)
			pe_spin(1000);
	}
	self->a.config = PERF_COUNT_SW_TASK_CLOCK;
	self->a.disabled = 1;
	fd = pe_open(&self->a, spinner, -1, -1, 0);
	ASSERT_LE(0, fd);
	/* On a loaded machine the task may not run each time. */
	for (i = 0; i < 5 || (!last && i < 10000); i++) {
		ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		pe_sleep_ms(10);
		ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		next = pe_count(fd);
		EXPECT_LE(last, next);
		pe_sleep_ms(5);
		EXPECT_EQ(next, pe_count(fd));
		last = next;
	}
	EXPECT_LT(0, last);
	kill(spinner, SIGKILL);
	ASSERT_EQ(spinner, waitpid(spinner, NULL, 0));
	close(fd);
}

TEST_F(control, after_the_task_is_gone)
{
	int fd = pe_open(&self->a, self->child.pid, -1, -1, 0);
	__u64 count;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	ASSERT_EQ(0, pe_child_end(&self->child));
	count = pe_count(fd);
	EXPECT_LE(PAGES, count);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_EQ(count, pe_count(fd));
	EXPECT_NE(0, pe_id(fd));
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0, pe_count(fd));
	close(fd);
	ASSERT_EQ(0, pe_child_start(&self->child));
}

TEST_F(control, inherited)
{
	__u64 count;
	int fd;

	/* An ioctl on the event acts on the events that children inherited, too. */
	self->a.inherit = 1;
	fd = pe_open(&self->a, self->child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FORK_FAULT, PAGES));
	EXPECT_LE(PAGES, pe_count(fd));

	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	count = pe_count(fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FORK_FAULT, PAGES));
	EXPECT_EQ(count, pe_count(fd));

	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	EXPECT_GE(count, pe_count(fd));
	count = pe_count(fd);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FORK_FAULT, PAGES));
	EXPECT_LE(count + PAGES, pe_count(fd));
	close(fd);
}

static __u64 timed_count(int fd, __u64 *enabled)
{
	__u64 read_now[3];

	if (read(fd, read_now, sizeof(read_now)) != sizeof(read_now))
		return -1;
	*enabled = read_now[1];
	return read_now[0];
}

/*
 * A reset sets the count to zero. Older kernels kept or dropped the counts of exited children,
 * depending on which contexts had been swapped.
 */
TEST_F(control, reset_of_exited_children)
{
	__u64 before, kept, enabled, enabled_before;
	int fd[2], alone;

	self->a.inherit = 1;
	self->a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (alone = 0; alone < 2; alone++) {
		fd[0] = pe_open(&self->a, self->child.pid, -1, -1, 0);
		ASSERT_LE(0, fd[0]);
		fd[1] = pe_open(&self->a, self->child.pid, -1, fd[0], 0);
		ASSERT_LE(0, fd[1]);
		ASSERT_EQ(0, pe_child_do(&self->child, PE_FORK_FAULT, PAGES));
		ASSERT_EQ(0, pe_ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0));
		before = timed_count(fd[0], &enabled);
		EXPECT_LE(PAGES, before);
		EXPECT_EQ(before, timed_count(fd[1], &enabled_before));

		/*
		 * Reset the member alone, or the group. In the first case the leader keeps its
		 * count.
		 */
		kept = alone ? before : 0;
		ASSERT_EQ(0, pe_ioctl(fd[alone], PERF_EVENT_IOC_RESET,
				      alone ? 0 : PERF_IOC_FLAG_GROUP));
		if (timed_count(fd[1], &enabled) && !getenv("PE_HARD"))
			SKIP(return, "the count of a child that has exited is kept");
		EXPECT_EQ(0, timed_count(fd[1], &enabled));
		EXPECT_EQ(enabled_before, enabled);
		EXPECT_EQ(kept, timed_count(fd[0], &enabled));

		/* Only the next child's count is added. */
		ASSERT_EQ(0, pe_ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_EQ(0, pe_child_do(&self->child, PE_FORK_FAULT, PAGES));
		ASSERT_EQ(0, pe_ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0));
		before = timed_count(fd[1], &enabled);
		EXPECT_LE(PAGES, before);
		EXPECT_EQ(kept + before, timed_count(fd[0], &enabled));
		close(fd[1]);
		close(fd[0]);
	}
}

TEST_F(control, limit_of_overflows_does_not_wrap)
{
	int fd, i;

	self->a.sample_period = 1;
	self->a.disabled = 1;
	fd = pe_self(&self->a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_REFRESH, INT_MAX));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_REFRESH, 1));
	pe_fault(10);
	EXPECT_LE(10, pe_count(fd));
	close(fd);
}

TEST_F(control, on_live_inherited_events)
{
	struct pe_child kid;
	__u64 count;
	int fd;

	self->a.inherit = 1;
	fd = pe_self(&self->a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_start(&kid));
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	count = pe_count(fd);
	EXPECT_LE(4, count);
	ASSERT_EQ(0, pe_child_do(&kid, PE_FAULT, PAGES));
	EXPECT_EQ(count, pe_count(fd));
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, pe_child_do(&kid, PE_FAULT, PAGES));
	EXPECT_LE(count + PAGES, pe_count(fd));
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	pe_child_end(&kid);
	close(fd);
}

TEST_F(control, id)
{
	int fd = pe_self(&self->a);
	__u64 id = 0, again = 0;

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ID, &id));
	EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ID, &again));
	EXPECT_NE(0, id);
	EXPECT_EQ(id, again);
	EXPECT_EQ(-EFAULT, pe_ioctl(fd, PERF_EVENT_IOC_ID, 0));
	EXPECT_EQ(-EFAULT, pe_ioctl(fd, PERF_EVENT_IOC_ID, -8UL));
	close(fd);
}

TEST_F(control, through_a_copied_fd)
{
	int fd = pe_self(&self->a), copy;

	ASSERT_LE(0, fd);
	copy = dup(fd);
	ASSERT_LE(0, copy);
	EXPECT_EQ(pe_id(fd), pe_id(copy));
	pe_ioctl(copy, PERF_EVENT_IOC_DISABLE, 0);
	pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	pe_fault(PAGES);
	EXPECT_EQ(0, pe_count(fd));
	close(fd);
	pe_ioctl(copy, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(PAGES);
	EXPECT_EQ(PAGES, pe_count(copy));
	close(copy);
}

TEST_HARNESS_MAIN
