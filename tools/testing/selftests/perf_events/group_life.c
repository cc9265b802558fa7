// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: members and leader are closed, disabled, enabled or reset, in every order. Each event
 * must have the right count after that.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define N	4
#define PAGES	5

/* Open a group of page fault events: all count the same faults, so their counts can be compared. */
static int open_group(int *fd, bool off, __u64 format)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int i;

	a.read_format = format;
	a.disabled = off;
	for (i = 0; i < N; i++) {
		fd[i] = pe_open(&a, 0, -1, i ? fd[0] : -1, 0);
		if (fd[i] < 0)
			return fd[i];
		a.disabled = 0;
	}
	/* Map the pages that this loop touches for the first time. */
	pe_fault(2);
	for (i = 0; i < N; i++) {
		pe_count(fd[i]);
		pe_ioctl(fd[i], PERF_EVENT_IOC_RESET, 0);
	}
	return 0;
}

static void close_all(int *fd)
{
	int i;

	for (i = 0; i < N; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

TEST(leader_enables_all)
{
	int fd[N], i;

	ASSERT_EQ(0, open_group(fd, true, 0));
	pe_fault(PAGES);
	for (i = 0; i < N; i++)
		EXPECT_EQ(0, pe_count(fd[i]));
	pe_ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(PAGES);
	pe_ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
	pe_fault(PAGES);
	for (i = 0; i < N; i++)
		EXPECT_EQ(PAGES, pe_count(fd[i]));
	close_all(fd);
}

TEST(member_alone)
{
	int fd[N], i;

	ASSERT_EQ(0, open_group(fd, false, 0));
	pe_ioctl(fd[1], PERF_EVENT_IOC_DISABLE, 0);
	pe_fault(PAGES);
	pe_ioctl(fd[1], PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(PAGES);
	for (i = 0; i < N; i++)
		EXPECT_EQ(i == 1 ? PAGES : 2 * PAGES, pe_count(fd[i]));
	close_all(fd);
}

TEST(member_remembers)
{
	int fd[N];

	/* A disabled member stays disabled when its leader is enabled. */
	ASSERT_EQ(0, open_group(fd, true, 0));
	pe_ioctl(fd[1], PERF_EVENT_IOC_DISABLE, 0);
	pe_ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(PAGES);
	EXPECT_EQ(PAGES, pe_count(fd[0]));
	EXPECT_EQ(0, pe_count(fd[1]));
	EXPECT_EQ(PAGES, pe_count(fd[2]));
	close_all(fd);
}

TEST(member_enabled_under_a_disabled_leader)
{
	int fd[N];

	ASSERT_EQ(0, open_group(fd, true, 0));
	pe_ioctl(fd[1], PERF_EVENT_IOC_DISABLE, 0);
	pe_ioctl(fd[1], PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(PAGES);
	EXPECT_EQ(0, pe_count(fd[1]));
	pe_ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(PAGES);
	EXPECT_EQ(PAGES, pe_count(fd[1]));
	close_all(fd);
}

TEST(group_flag)
{
	int fd[N], i, by;

	/* The ioctl acts on the whole group, through any member. */
	for (by = 0; by < N; by++) {
		ASSERT_EQ(0, open_group(fd, true, 0));
		pe_ioctl(fd[1], PERF_EVENT_IOC_DISABLE, 0);
		ASSERT_EQ(0, pe_ioctl(fd[by], PERF_EVENT_IOC_ENABLE,
				      PERF_IOC_FLAG_GROUP));
		pe_fault(PAGES);
		ASSERT_EQ(0, pe_ioctl(fd[by], PERF_EVENT_IOC_DISABLE,
				      PERF_IOC_FLAG_GROUP));
		pe_fault(PAGES);
		for (i = 0; i < N; i++)
			EXPECT_EQ(PAGES, pe_count(fd[i]));
		/*
		 * All events are disabled now: enabling the leader alone
		 * enables no member.
		 */
		pe_ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
		pe_fault(PAGES);
		for (i = 0; i < N; i++)
			EXPECT_EQ(i ? PAGES : 2 * PAGES, pe_count(fd[i]));
		ASSERT_EQ(0, pe_ioctl(fd[by], PERF_EVENT_IOC_RESET,
				      PERF_IOC_FLAG_GROUP));
		for (i = 1; i < N; i++)
			EXPECT_EQ(0, pe_count(fd[i]));
		close_all(fd);
	}
}

TEST(reset_one)
{
	int fd[N], i;

	ASSERT_EQ(0, open_group(fd, false, 0));
	pe_fault(PAGES);
	ASSERT_EQ(0, pe_ioctl(fd[0], PERF_EVENT_IOC_RESET, 0));
	for (i = 0; i < N; i++)
		EXPECT_EQ(i ? PAGES : 0, pe_count(fd[i]));
	close_all(fd);
}

TEST(close_members)
{
	__u64 buf[16];
	int fd[N], gone;

	for (gone = 1; gone < N; gone++) {
		ASSERT_EQ(0, open_group(fd, false, PERF_FORMAT_GROUP));
		close(fd[gone]);
		fd[gone] = -1;
		pe_ioctl(fd[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
		pe_fault(PAGES);
		ASSERT_EQ(8 * N, read(fd[0], buf, sizeof(buf)));
		EXPECT_EQ(N - 1, buf[0]);
		EXPECT_EQ(PAGES, buf[1]);
		EXPECT_EQ(PAGES, buf[2]);
		EXPECT_EQ(PAGES, buf[3]);
		close_all(fd);
	}
}

TEST(close_the_leader)
{
	int fd[N], i;

	/* The members continue, each without a group. */
	ASSERT_EQ(0, open_group(fd, false, 0));
	close(fd[0]);
	for (i = 1; i < N; i++)
		pe_ioctl(fd[i], PERF_EVENT_IOC_RESET, 0);
	pe_fault(PAGES);
	pe_ioctl(fd[1], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	pe_fault(PAGES);
	EXPECT_EQ(PAGES, pe_count(fd[1]));
	EXPECT_EQ(2 * PAGES, pe_count(fd[2]));
	EXPECT_EQ(2 * PAGES, pe_count(fd[3]));
	fd[0] = -1;
	close_all(fd);
}

TEST(singletons_read_themselves)
{
	__u64 buf[16];
	int fd[N], i;

	ASSERT_EQ(0, open_group(fd, false, PERF_FORMAT_GROUP | PERF_FORMAT_ID));
	close(fd[0]);
	for (i = 1; i < N; i++) {
		ASSERT_EQ(24, read(fd[i], buf, sizeof(buf)));
		EXPECT_EQ(1, buf[0]);
		EXPECT_EQ(pe_id(fd[i]), buf[2]);
	}
	fd[0] = -1;
	close_all(fd);
}

TEST(singletons_can_lead)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd[N], member;
	__u64 buf[16];

	ASSERT_EQ(0, open_group(fd, false, PERF_FORMAT_GROUP));
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, fd[1], 0));
	close(fd[0]);
	fd[0] = -1;
	member = pe_open(&a, 0, -1, fd[1], 0);
	ASSERT_LE(0, member);
	ASSERT_EQ(24, read(fd[1], buf, sizeof(buf)));
	EXPECT_EQ(2, buf[0]);
	ASSERT_EQ(16, read(fd[2], buf, sizeof(buf)));
	EXPECT_EQ(1, buf[0]);
	close(member);
	close_all(fd);
}

TEST(close_a_disabled_leader)
{
	int fd[N], i;

	/*
	 * Members that were enabled under a disabled leader count from the next time the task is
	 * switched in.
	 */
	ASSERT_EQ(0, open_group(fd, true, 0));
	pe_ioctl(fd[1], PERF_EVENT_IOC_DISABLE, 0);
	pe_fault(PAGES);
	for (i = 0; i < N; i++)
		EXPECT_EQ(0, pe_count(fd[i]));
	close(fd[0]);
	pe_switch();
	for (i = 2; i < N; i++)
		pe_ioctl(fd[i], PERF_EVENT_IOC_RESET, 0);
	pe_fault(PAGES);
	EXPECT_EQ(0, pe_count(fd[1]));
	EXPECT_EQ(PAGES, pe_count(fd[2]));
	EXPECT_EQ(PAGES, pe_count(fd[3]));
	pe_ioctl(fd[1], PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(PAGES);
	EXPECT_EQ(PAGES, pe_count(fd[1]));
	fd[0] = -1;
	close_all(fd);
}

/* Compute a permutation of four steps. */
static int order_of(int perm, int *order)
{
	int left[N] = { 0, 1, 2, 3 }, i, j, pick;

	for (i = 0; i < N; i++) {
		pick = perm % (N - i);
		perm /= N - i;
		order[i] = left[pick];
		for (j = pick; j < N - 1; j++)
			left[j] = left[j + 1];
	}
	return perm;
}

TEST(close_in_every_order)
{
	int fd[N], order[N], perm, i, j;

	for (perm = 0; order_of(perm, order) == 0; perm++) {
		ASSERT_EQ(0, open_group(fd, false, 0));
		for (i = 0; i < N; i++) {
			pe_fault(1);
			close(fd[order[i]]);
			fd[order[i]] = -1;
			pe_fault(1);
			for (j = 0; j < N; j++)
				if (fd[j] >= 0)
					ASSERT_LE(2 * (i + 1), pe_count(fd[j]));
		}
	}
	EXPECT_EQ(24, perm);
}

TEST(close_in_every_order_of_another_task)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd[N], order[N], perm, i, end;
	struct pe_child child;
	__u64 count;

	/* The task exits after any number of the closes. */
	for (end = 0; end <= N; end++) {
		for (perm = 0; order_of(perm, order) == 0; perm += 5) {
			ASSERT_EQ(0, pe_child_start(&child));
			for (i = 0; i < N; i++) {
				fd[i] = pe_open(&a, child.pid, -1,
						i ? fd[0] : -1, 0);
				ASSERT_LE(0, fd[i]);
			}
			for (i = 0; i < N; i++) {
				if (i < end)
					pe_child_do(&child, PE_FAULT, 3);
				if (i == end)
					ASSERT_EQ(0, pe_child_end(&child));
				count = pe_count(fd[order[i]]);
				if (end)
					EXPECT_LE(3 * (i < end ? i : end), count);
				EXPECT_NE(UINT64_MAX, count);
				close(fd[order[i]]);
			}
			if (end == N)
				ASSERT_EQ(0, pe_child_end(&child));
		}
	}
}

TEST_HARNESS_MAIN
