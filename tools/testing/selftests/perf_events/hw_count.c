// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware counters: counts of loops of known length, groups, and reading a counter from user
 * space.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_hw.h"

#define LOOP	2000000UL

struct group_read {
	__u64 nr, enabled, running, value[PE_HW_MAX];
};

FIXTURE(hw) {
	struct perf_event_attr a;
};

FIXTURE_SETUP(hw)
{
	if (pe_hw_missing())
		SKIP(return, "no hardware counters");
	/* Tests fill the PMU with equal events, which must not share a counter. */
	pe_hw_share(false);
	self->a = pe_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	pe_move_to(0);
}

FIXTURE_TEARDOWN(hw)
{
	pe_hw_share(true);
}

TEST_F(hw, loop)
{
	int fd = pe_self(&self->a);
	__u64 net;

	ASSERT_LE(0, fd);
	net = pe_hw_lowest_count(fd, LOOP + 2) - pe_hw_lowest_count(fd, 2);
	TH_LOG("%lu instructions read %llu", LOOP, net);
	EXPECT_LE(LOOP, net);
	EXPECT_GE(LOOP + 10, net);
	close(fd);
}

TEST_F(hw, pinned_loop)
{
	__u64 net;
	int fd;

	self->a.pinned = 1;
	fd = pe_self(&self->a);
	ASSERT_LE(0, fd);
	net = pe_hw_lowest_count(fd, LOOP + 2) - pe_hw_lowest_count(fd, 2);
	TH_LOG("%lu instructions read %llu", LOOP, net);
	EXPECT_LE(LOOP, net);
	EXPECT_GE(LOOP + 10, net);
	close(fd);
}

TEST_F(hw, loop_of_a_cpu)
{
	__u64 net;
	int fd = pe_open(&self->a, -1, 0, -1, 0);

	ASSERT_LE(0, fd);
	net = pe_hw_lowest_count(fd, LOOP + 2) - pe_hw_lowest_count(fd, 2);
	TH_LOG("%lu instructions read %llu", LOOP, net);
	EXPECT_LE(LOOP, net);
	EXPECT_GE(LOOP + 10, net);
	close(fd);
}

TEST_F(hw, group_members_count_the_same)
{
	struct group_read r;
	int leader, member;

	self->a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			      PERF_FORMAT_TOTAL_TIME_RUNNING;
	leader = pe_self(&self->a);
	ASSERT_LE(0, leader);
	self->a.disabled = 0;
	member = pe_open(&self->a, 0, -1, leader, 0);
	ASSERT_LE(0, member);

	pe_ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	pe_hw_loop(LOOP);
	pe_ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	ASSERT_EQ(40, read(leader, &r, sizeof(r)));
	EXPECT_EQ(2, r.nr);
	EXPECT_LE(LOOP, r.value[0]);
	EXPECT_EQ(r.value[0], r.value[1]);
	EXPECT_EQ(r.enabled, r.running);
	close(member);
	close(leader);
}

TEST_F(hw, group_has_software_members)
{
	struct perf_event_attr soft = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct group_read r;
	int leader, member;

	self->a.read_format = PERF_FORMAT_GROUP;
	leader = pe_self(&self->a);
	ASSERT_LE(0, leader);
	member = pe_open(&soft, 0, -1, leader, 0);
	ASSERT_LE(0, member);

	pe_fault(1);
	pe_ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(100);
	pe_ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	pe_fault(100);
	ASSERT_EQ(24, read(leader, &r, sizeof(r)));
	EXPECT_EQ(100, r.running);	/* the second value */
	close(member);
	close(leader);
}

TEST_F(hw, software_leader_moves_to_the_hardware)
{
	struct perf_event_attr soft = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	int leader, member;
	__u64 n;

	leader = pe_self(&soft);
	ASSERT_LE(0, leader);
	self->a.disabled = 0;
	member = pe_open(&self->a, 0, -1, leader, 0);
	ASSERT_LE(0, member);

	pe_ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	pe_hw_loop(LOOP);
	pe_fault(10);
	pe_ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	n = pe_count(leader);
	EXPECT_LE(10, n);
	EXPECT_GE(20, n);
	EXPECT_LE(LOOP, pe_count(member));
	/* The leader is closed, and the member continues to count. */
	close(leader);
	n = pe_count(member);
	pe_ioctl(member, PERF_EVENT_IOC_ENABLE, 0);
	/* In some kernels the member counts again only after the next switch. */
	if (!getenv("PE_HARD"))
		pe_switch();
	pe_hw_loop(LOOP);
	EXPECT_LE(n + LOOP, pe_count(member));
	close(member);
}

TEST_F(hw, group_larger_than_the_pmu)
{
	unsigned int n, i, now = pe_hw_counters();
	int fd[PE_HW_MAX + 1];

	/* Some drivers check only enabled members. */
	self->a.disabled = 0;
	fd[0] = pe_self(&self->a);
	ASSERT_LE(0, fd[0]);
	for (n = 1; n < PE_HW_MAX; n++) {
		fd[n] = pe_open(&self->a, 0, -1, fd[0], 0);
		if (fd[n] < 0)
			break;
	}
	ASSERT_GT(PE_HW_MAX, n);
	EXPECT_EQ(-EINVAL, fd[n]);
	/*
	 * Members that were opened before count, unless the NMI watchdog has a counter that they
	 * need: then the group waits.
	 */
	if (n <= now)
		EXPECT_LE(LOOP, pe_hw_count(fd[0], LOOP));
	for (i = 1; i < n && n <= now; i++)
		EXPECT_LE(LOOP, pe_count(fd[i]));
	for (i = 0; i < n; i++)
		close(fd[i]);
}

TEST_F(hw, reset_while_it_counts)
{
	int fd = pe_self(&self->a);

	ASSERT_LE(0, fd);
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_hw_loop(10 * LOOP);
	pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	pe_hw_loop(LOOP);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_LE(LOOP, pe_count(fd));
	EXPECT_GT(5 * LOOP, pe_count(fd));
	close(fd);
}

TEST_F(hw, unsupported_event)
{
	struct perf_event_attr a = pe_hw_attr(PERF_COUNT_HW_MAX);

	EXPECT_GT(0, pe_try(&a, 0, -1, -1, 0));
	a = pe_hw_attr(0);
	a.type = PERF_TYPE_HW_CACHE;
	a.config = 0xffffff;
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, -1, 0));
}

TEST_F(hw, page_when_it_is_off)
{
	struct perf_event_mmap_page *page;
	int fd = pe_self(&self->a);

	ASSERT_LE(0, fd);
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	pe_hw_count(fd, LOOP);
	EXPECT_EQ(0, page->index);
	EXPECT_EQ(pe_count(fd), pe_hw_read_page(page));
	EXPECT_EQ(0, page->lock & 1);
	munmap(page, sysconf(_SC_PAGESIZE));
	close(fd);
}

TEST_F(hw, page_when_it_counts)
{
	struct perf_event_mmap_page *page;
	__u64 before, mine, after;
	int fd, i;

#ifdef __aarch64__
	/* On arm64 an event has to request reads by user space, and a sysctl has to allow them. */
	pe_set(PE_SYSCTL "perf_user_access", 1);
	self->a.config1 = 2;
#endif
	fd = pe_self(&self->a);
	ASSERT_LE(0, fd);
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	if (!page->cap_user_rdpmc && !pe_hw_must_be_readable())
		SKIP(return, "user space cannot read counters");
	EXPECT_TRUE(!!page->cap_user_rdpmc);
	EXPECT_LT(0, page->index);
	for (i = 0; i < 100; i++) {
		before = pe_count(fd);
		pe_hw_loop(1000);
		mine = pe_hw_read_page(page);
		pe_hw_loop(1000);
		after = pe_count(fd);
		EXPECT_LE(before + 1000, mine);
		EXPECT_LE(mine + 1000, after);
		if (i == 50)
			pe_sleep_ms(1);
	}
	munmap(page, sysconf(_SC_PAGESIZE));
	close(fd);
#ifdef __aarch64__
	pe_set(PE_SYSCTL "perf_user_access", 0);
#endif
}

#ifdef __x86_64__
static int fork_once(void *unused)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	if (child < 0)
		return -errno;
	return waitpid(child, NULL, 0) == child ? 0 : -errno;
}

/* The open of an AnyThread event needs permission, but a fork that inherits it does not. */
TEST_F(hw, fork_with_any_thread)
{
	long level = pe_get(PE_PARANOID);
	int fd;

	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	self->a.type = PERF_TYPE_RAW;
	self->a.config = 0xc0 | 1 << 21;
	self->a.inherit = 1;
	fd = pe_self(&self->a);
	if (fd == -EINVAL)
		SKIP(return, "no AnyThread");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, fork_once, NULL));
	pe_set(PE_PARANOID, level);
	close(fd);
}
#endif

TEST_HARNESS_MAIN
