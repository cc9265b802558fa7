// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_EVENT_IOC_STATE: what an event is doing, why it does not count if it does not, and
 * who may know which groups have the counters that it waits for.
 */
#include <errno.h>
#include <linux/perf_event_ext.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"
#include "pe_sim.h"

#define GROUPS		12
#define MUX		PE_SIM "perf_event_mux_interval_ms"
#define LONG_MS		1000000

static int tell(int fd, struct perf_event_state_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pe_ioctl(fd, PERF_EVENT_IOC_STATE, (unsigned long)info);
}

/* What the event is doing, or -errno. */
static int doing(int fd)
{
	struct perf_event_state_info info;
	int err = tell(fd, &info);

	return err ?: (int)info.doing;
}

FIXTURE(state) {
	struct perf_event_attr a;
	long mux;
	int fd;
};

FIXTURE_SETUP(state)
{
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	if (doing(self->fd) == -ENOTTY)
		SKIP(return, "this kernel does not tell the state of an event");
	self->mux = pe_get(MUX);
	/* No group makes way for another one while a test looks. */
	if (self->mux > 0)
		pe_set(MUX, LONG_MS);
}

FIXTURE_TEARDOWN(state)
{
	if (self->mux > 0)
		pe_set(MUX, self->mux);
}

TEST_F(state, size)
{
	struct perf_event_state_info info;

	memset(&info, 0x55, sizeof(info));
	info.size = 8;
	EXPECT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_STATE, (unsigned long)&info));
	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_EQ(PERF_EVENT_COUNTS, info.doing);
	EXPECT_EQ(0x55555555, info.flags);
	info.size = 7;
	EXPECT_EQ(-EINVAL, pe_ioctl(self->fd, PERF_EVENT_IOC_STATE, (unsigned long)&info));
	EXPECT_EQ(-EFAULT, pe_ioctl(self->fd, PERF_EVENT_IOC_STATE, 8));
}

/* What a source of software events keeps where others have a counter is told to nobody. */
TEST_F(state, software_has_no_counter)
{
	static const __u64 configs[] = {
		PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_PAGE_FAULTS,
	};
	struct perf_event_state_info info;
	unsigned int i;
	int fd;

	pe_move_to(0);
	for (i = 0; i < ARRAY_SIZE(configs); i++) {
		self->a = pe_attr(configs[i]);
		self->a.sample_period = 1000000000;
		fd = pe_open(&self->a, 0, 0, -1, 0);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, tell(fd, &info));
		EXPECT_EQ(PERF_EVENT_COUNTS, info.doing);
		EXPECT_EQ(-1, info.counter);
		close(fd);
	}
}

TEST_F(state, enabled_or_not)
{
	struct perf_event_state_info info;
	int member = pe_open(&self->a, 0, -1, self->fd, 0);

	ASSERT_LE(0, member);
	EXPECT_EQ(0, tell(self->fd, &info));
	EXPECT_EQ(PERF_EVENT_COUNTS, info.doing);
	EXPECT_LE(0, info.cpu);
	EXPECT_EQ(-1, info.counter);
	EXPECT_LT(0, info.enabled);
	EXPECT_EQ(info.enabled, info.running);
	EXPECT_EQ(PERF_EVENT_COUNTS, doing(member));
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(PERF_EVENT_DISABLED, doing(self->fd));
	EXPECT_EQ(PERF_EVENT_GROUP_OFF, doing(member));
	pe_ioctl(member, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(PERF_EVENT_DISABLED, doing(member));
	close(member);
}

TEST_F(state, of_another_task)
{
	struct pe_child child;
	int fd;

	ASSERT_EQ(0, pe_child_start(&child));
	fd = pe_open(&self->a, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	pe_child_rest(&child);
	EXPECT_EQ(PERF_EVENT_ELSEWHERE, doing(fd));
	pe_child_end(&child);
	EXPECT_EQ(PERF_EVENT_EXITED, doing(fd));
	close(fd);
}

/* Tasks with copies of the same events may share counters. */
TEST_F(state, inherited)
{
	struct perf_event_attr a = pe_sim_attr();
	struct pe_child child;
	int fd, now;

	if (pe_sim_type() < 0)
		SKIP(return, "no simulated PMU");
	a.inherit = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_start(&child));
	pe_child_do(&child, PE_STEP, 10);
	now = doing(fd);
	EXPECT_TRUE(now == PERF_EVENT_COUNTS || now == PERF_EVENT_SHARES) TH_LOG("%d", now);
	pe_child_end(&child);
	EXPECT_EQ(10, pe_count(fd));
	close(fd);
}

TEST_F(state, buffer)
{
	struct perf_event_attr a = self->a;
	struct perf_event_state_info info;
	struct pe_ring ring;
	int fd;

	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_IP;
	a.wakeup_events = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 1));
	/* More records than there is room for in the largest of pages. */
	pe_fault(10000);
	EXPECT_EQ(0, tell(fd, &info));
	EXPECT_LT(0, info.wakeups);
	EXPECT_LT(0, info.lost);
	EXPECT_FALSE(info.flags & PERF_EVENT_IS_PAUSED);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	EXPECT_EQ(0, tell(fd, &info));
	EXPECT_TRUE(info.flags & PERF_EVENT_IS_PAUSED);
	pe_ring_unmap(&ring);
	close(fd);
}

/* Those that wait tell exactly those that count, and each has waited when it has not run. */
TEST_F(state, twelve_groups)
{
	struct perf_event_state_info info[GROUPS];
	struct perf_event_attr a = pe_sim_attr();
	int fd[GROUPS], counting = 0, waiting = 0, i, j, k;
	__u64 id[GROUPS];

	if (pe_sim_type() < 0 || self->mux < 0)
		SKIP(return, "no simulated PMU");
	pe_undisturbed();
	pe_move_to(0);
	for (i = 0; i < GROUPS; i++) {
		fd[i] = pe_self(&a);
		ASSERT_LE(0, fd[i]);
		id[i] = pe_id(fd[i]);
	}
	for (i = 0; i < GROUPS; i++)
		ASSERT_EQ(0, tell(fd[i], &info[i]));
	for (i = 0; i < GROUPS; i++) {
		if (info[i].doing == PERF_EVENT_COUNTS) {
			counting++;
			EXPECT_LE(0, info[i].counter);
			EXPECT_EQ(0, info[i].nr_groups);
			continue;
		}
		waiting++;
		EXPECT_EQ(PERF_EVENT_WAITS, info[i].doing);
		EXPECT_EQ(-1, info[i].counter);
		EXPECT_LT(info[i].running, info[i].enabled);
		ASSERT_EQ(PE_SIM_COUNTERS, info[i].nr_groups);
		for (j = 0; j < PE_SIM_COUNTERS; j++) {
			for (k = 0; k < GROUPS && id[k] != info[i].groups[j]; k++)
				;
			ASSERT_GT(GROUPS, k);
			EXPECT_EQ(PERF_EVENT_COUNTS, info[k].doing);
		}
	}
	EXPECT_EQ(PE_SIM_COUNTERS, counting);
	EXPECT_EQ(GROUPS - PE_SIM_COUNTERS, waiting);
	for (i = 0; i < GROUPS; i++)
		close(fd[i]);
}

TEST_F(state, pinned)
{
	struct perf_event_attr a = pe_sim_attr();
	int fd[PE_SIM_COUNTERS + 1], i;

	if (pe_sim_type() < 0)
		SKIP(return, "no simulated PMU");
	a.pinned = 1;
	for (i = 0; i <= PE_SIM_COUNTERS; i++) {
		fd[i] = pe_self(&a);
		ASSERT_LE(0, fd[i]);
		EXPECT_EQ(i < PE_SIM_COUNTERS ? PERF_EVENT_COUNTS : PERF_EVENT_ERROR,
			  doing(fd[i]));
	}
	while (i--)
		close(fd[i]);
}

static int look_at_others(void *all)
{
	struct perf_event_attr a = pe_sim_attr();
	struct perf_event_state_info info;
	int fd = pe_self(&a), err;

	err = fd < 0 ? fd : tell(fd, &info);
	if (err)
		return err;
	if (info.doing != PERF_EVENT_WAITS)
		return -EAGAIN;
	if (all)
		return info.nr_groups == PE_SIM_COUNTERS && info.groups[0] ? 0 : -EPERM;
	return !info.nr_groups && !info.groups[0] && (info.flags & PERF_EVENT_OTHERS_ON) ?
	       0 : -EPERM;
}

/* Ids of groups of others are for those who may watch all of a CPU. */
TEST_F(state, of_others)
{
	struct perf_event_attr a = pe_sim_attr();
	long was = pe_get(PE_PARANOID);
	int fd[PE_SIM_COUNTERS], i;

	if (pe_sim_type() < 0 || geteuid())
		SKIP(return, "needs root and the simulated PMU");
	pe_move_to(0);
	a.pinned = 1;
	for (i = 0; i < PE_SIM_COUNTERS; i++) {
		fd[i] = pe_open(&a, -1, 0, -1, 0);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, pe_set(PE_PARANOID, 1));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, look_at_others, NULL));
	EXPECT_EQ(0, pe_run_as(PE_UID, PE_CAP(CAP_PERFMON), look_at_others, self));
	ASSERT_EQ(0, pe_set(PE_PARANOID, was));
	while (i--)
		close(fd[i]);
}

TEST_HARNESS_MAIN
