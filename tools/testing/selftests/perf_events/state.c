// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_EVENT_IOC_STATE: the state of an event, the reason if it does not count, and permission to
 * read the ids of the groups on the PMU while the event waits for a counter.
 */
#include <errno.h>
#include <linux/perf_event_ext.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_hw.h"
#include "pe_sample.h"
#include "pe_sim.h"

#define GROUPS		12
#define MUX		PE_SIM "perf_event_mux_interval_ms"
#define LONG_MS		1000000
/* Least time of a sleep of 1 ms: the clocks are not the same, and may differ in rate. */
#define SLEPT_NS	900000

static int tell(int fd, struct perf_event_state_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pe_ioctl(fd, PERF_EVENT_IOC_STATE, (unsigned long)info);
}

/* Return the status of the event, or -errno. */
static int status_of(int fd)
{
	struct perf_event_state_info info;
	int err = tell(fd, &info);

	return err ?: (int)info.status;
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
	if (status_of(self->fd) == -ENOTTY)
		SKIP_OTHERS(return, "needs PERF_EVENT_IOC_STATE");
	self->mux = pe_get(MUX);
	/* No rotation happens during a test. */
	if (self->mux > 0)
		pe_set(MUX, LONG_MS);
}

FIXTURE_TEARDOWN(state)
{
	if (self->mux > 0)
		pe_set(MUX, self->mux);
}

static int ask(int fd, void *info)
{
	return pe_ioctl(fd, PERF_EVENT_IOC_STATE, (unsigned long)info);
}

/*
 * Size and thread are inputs. All other fields must be zero, so that they can get a meaning later.
 */
TEST_F(state, size)
{
	struct {
		struct perf_event_state_info	info;
		__u64				later[2];
	} newer = { .info.size = sizeof(newer) };
	struct perf_event_state_info info = { .size = 8 };

	EXPECT_EQ(0, ask(self->fd, &info));
	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_EQ(PERF_STATUS_COUNTING, info.status);
	EXPECT_EQ(0, info.id);
	EXPECT_EQ(0, ask(self->fd, &newer));
	EXPECT_EQ(sizeof(info), newer.info.size);
	EXPECT_EQ(pe_id(self->fd), newer.info.id);
	EXPECT_EQ(0, newer.later[0]);

	info = (struct perf_event_state_info){ .size = 7 };
	EXPECT_EQ(-EINVAL, ask(self->fd, &info));
	info = (struct perf_event_state_info){ .size = 1 << 20 };
	EXPECT_EQ(-EINVAL, ask(self->fd, &info));
	info = (struct perf_event_state_info){ .size = sizeof(info), .running = 1 };
	EXPECT_EQ(-EINVAL, ask(self->fd, &info));
	info = (struct perf_event_state_info){ .size = 8, .status = 1 };
	EXPECT_EQ(-EINVAL, ask(self->fd, &info));
	memset(&newer, 0, sizeof(newer));
	newer.info.size = sizeof(newer);
	newer.later[1] = 1;
	EXPECT_EQ(-E2BIG, ask(self->fd, &newer));
	EXPECT_EQ(-EFAULT, ask(self->fd, (void *)8));
}

TEST_F(state, what_it_is)
{
	struct perf_event_attr a = self->a;
	struct perf_event_state_info info;
	int member, fd;

	a.sample_period = 12345;
	a.exclude_kernel = 1;
	a.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	member = pe_open(&a, 0, -1, self->fd, 0);
	ASSERT_LE(0, member);
	ASSERT_EQ(0, tell(member, &info));
	EXPECT_EQ(pe_id(member), info.id);
	EXPECT_EQ(pe_id(self->fd), info.leader);
	EXPECT_EQ(2, info.members);
	EXPECT_EQ(-1, info.asked_cpu);
	EXPECT_EQ(getpid(), info.tid);
	EXPECT_EQ(PERF_TYPE_SOFTWARE, info.type);
	EXPECT_EQ(a.config, info.config);
	EXPECT_EQ(a.sample_period, info.sample);
	EXPECT_EQ(0, memcmp(&info.attr_flags, &a.read_format + 1, sizeof(info.attr_flags)));
	EXPECT_STREQ("software", info.pmu);
	EXPECT_EQ(0, info.needs);
	EXPECT_EQ(0, info.obstacle);
	EXPECT_EQ(0, info.reserved);
	fd = pe_open(&self->a, -1, 0, -1, 0);
	if (fd >= 0) {
		ASSERT_EQ(0, tell(fd, &info));
		EXPECT_EQ(-1, info.tid);
		EXPECT_EQ(0, info.asked_cpu);
		close(fd);
	}
	close(member);
}

/* Software sources use the counter's field for data of their own, which must not be reported. */
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
		EXPECT_EQ(PERF_STATUS_COUNTING, info.status);
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
	EXPECT_EQ(PERF_STATUS_COUNTING, info.status);
	EXPECT_LE(0, info.cpu);
	EXPECT_EQ(-1, info.counter);
	EXPECT_LT(0, info.enabled);
	EXPECT_EQ(info.enabled, info.running);
	EXPECT_EQ(PERF_STATUS_COUNTING, status_of(member));
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(PERF_STATUS_DISABLED, status_of(self->fd));
	EXPECT_EQ(PERF_STATUS_LEADER_OFF, status_of(member));
	pe_ioctl(member, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(PERF_STATUS_DISABLED, status_of(member));
	close(member);
}

/* Duration of each state: read the state twice, with work in between. */
TEST_F(state, since)
{
	struct perf_event_state_info before, now;
	struct perf_event_attr a = self->a;
	struct pe_child child;
	int fd;

	ASSERT_EQ(0, tell(self->fd, &before));
	pe_spin(10000);
	ASSERT_EQ(0, tell(self->fd, &now));
	EXPECT_LT(0, before.since);
	EXPECT_LT(before.since, now.since);
	EXPECT_LE(now.since, now.enabled);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	ASSERT_EQ(0, tell(self->fd, &before));
	pe_sleep_ms(1);
	ASSERT_EQ(0, tell(self->fd, &now));
	EXPECT_LE(before.since + SLEPT_NS, now.since);
	/* The time since the last change of state restarts. */
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	ASSERT_EQ(0, tell(self->fd, &now));
	EXPECT_LT(now.since, now.enabled);

	a.disabled = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, tell(fd, &now));
	EXPECT_EQ(PERF_STATUS_DISABLED, now.status);
	EXPECT_EQ(0, now.since);
	close(fd);

	ASSERT_EQ(0, pe_child_start(&child));
	fd = pe_open(&self->a, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	pe_child_do(&child, PE_FAULT, 1);
	ASSERT_EQ(0, pe_child_rest(&child));
	pe_sleep_ms(1);
	ASSERT_EQ(0, tell(fd, &now));
	EXPECT_EQ(PERF_STATUS_NOT_RUNNING, now.status);
	EXPECT_LE(SLEPT_NS, now.since);
	pe_child_end(&child);
	ASSERT_EQ(0, tell(fd, &before));
	EXPECT_EQ(0, before.tid);
	pe_sleep_ms(1);
	ASSERT_EQ(0, tell(fd, &now));
	EXPECT_EQ(PERF_STATUS_EXITED, now.status);
	EXPECT_LE(before.since + SLEPT_NS, now.since);
	close(fd);
}

static __u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* An event that was removed from a running task reports the time since the removal. */
TEST_F(state, since_it_was_removed)
{
	struct perf_event_state_info info;
	struct perf_event_attr a = self->a;
	__u64 before, after, now, least;
	struct pe_child child;
	int fd, other;

	ASSERT_EQ(0, pe_child_start(&child));
	/* This event stays open, so that the clock of the task's context runs. */
	other = pe_open(&a, child.pid, -1, -1, 0);
	ASSERT_LE(0, other);
	a.remove_on_exec = 1;
	fd = pe_open(&a, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	pe_sleep_ms(1);
	before = now_ns();
	ASSERT_EQ(0, pe_child_do(&child, PE_EXEC, 0));
	after = now_ns();
	pe_child_do(&child, PE_SPIN, 100000);
	pe_sleep_ms(1);
	pe_child_do(&child, PE_FAULT, 1);
	ASSERT_EQ(0, pe_child_rest(&child));
	now = now_ns();
	ASSERT_EQ(0, tell(fd, &info));
	EXPECT_EQ(PERF_STATUS_EXITED, info.status);
	/* The clocks are not the same, so a difference in rate is allowed. */
	least = (now - after) / 10 * 9;
	EXPECT_LE(least, info.since);
	EXPECT_GE((now_ns() - before) / 10 * 11, info.since);
	pe_child_end(&child);
	/* The exit of its task changes nothing. */
	ASSERT_EQ(0, tell(fd, &info));
	EXPECT_LE(least, info.since);
	close(fd);
	close(other);
}

TEST_F(state, of_another_task)
{
	struct pe_child child;
	int fd;

	ASSERT_EQ(0, pe_child_start(&child));
	fd = pe_open(&self->a, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_rest(&child));
	EXPECT_EQ(PERF_STATUS_NOT_RUNNING, status_of(fd));
	pe_child_end(&child);
	EXPECT_EQ(PERF_STATUS_EXITED, status_of(fd));
	close(fd);
}

/* Tasks that inherited the same events may share counters. */
TEST_F(state, inherited)
{
	struct perf_event_attr a = pe_sim_attr();
	struct perf_event_state_info info;
	struct pe_child child;
	int fd, now;

	if (pe_sim_type() < 0)
		SKIP(return, "no simulated PMU");
	a.inherit = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_start(&child));
	pe_child_do(&child, PE_STEP, 10);
	now = status_of(fd);
	EXPECT_TRUE(now == PERF_STATUS_COUNTING || now == PERF_STATUS_SHARED) TH_LOG("%d", now);
	memset(&info, 0, sizeof(info));
	info.size = sizeof(info);
	info.tid = child.pid;
	EXPECT_EQ(0, ask(fd, &info));
	EXPECT_EQ(child.pid, info.tid);
	EXPECT_TRUE(info.flags & PERF_EVENT_IS_COPY);
	EXPECT_NE(pe_id(fd), info.id);
	info = (struct perf_event_state_info){ .size = sizeof(info), .tid = getpid() };
	EXPECT_EQ(0, ask(fd, &info));
	EXPECT_EQ(pe_id(fd), info.id);
	info = (struct perf_event_state_info){ .size = sizeof(info), .tid = 1 };
	EXPECT_EQ(-ESRCH, ask(fd, &info));
	pe_child_end(&child);
	info = (struct perf_event_state_info){ .size = sizeof(info), .tid = child.pid };
	EXPECT_EQ(-ESRCH, ask(fd, &info));
	EXPECT_EQ(10, pe_count(fd));
	close(fd);
}

TEST_F(state, buffer)
{
	struct perf_event_attr a = self->a;
	struct perf_event_state_info info, paused;
	struct pe_ring ring;
	int fd;

	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_IP;
	a.wakeup_events = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 1));
	/* More records than fit into the largest pages. */
	pe_fault(10000);
	EXPECT_EQ(0, tell(fd, &info));
	EXPECT_LT(0, info.wakeups);
	EXPECT_LT(0, info.lost);
	EXPECT_EQ(info.lost, info.losses[PERF_LOST_FULL]);
	EXPECT_EQ(0, info.losses[PERF_LOST_PAUSED]);
	/* Each record has a header and one word. */
	EXPECT_LT(0, info.records);
	EXPECT_EQ(info.records * 16, info.bytes);
	EXPECT_TRUE(info.flags & PERF_EVENT_HAS_BUFFER);
	EXPECT_FALSE(info.flags & PERF_EVENT_IS_PAUSED);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	pe_fault(10);
	EXPECT_EQ(0, tell(fd, &paused));
	EXPECT_TRUE(paused.flags & PERF_EVENT_IS_PAUSED);
	EXPECT_LE(10, paused.losses[PERF_LOST_PAUSED]);
	EXPECT_EQ(info.records, paused.records);
	EXPECT_EQ(paused.lost, paused.losses[PERF_LOST_FULL] + paused.losses[PERF_LOST_PAUSED]);
	pe_ring_unmap(&ring);
	close(fd);
}

/*
 * Events that wait report exactly the events that count, and each has waited whenever it did not
 * run.
 */
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
		if (info[i].status == PERF_STATUS_COUNTING) {
			counting++;
			EXPECT_LE(0, info[i].counter);
			EXPECT_EQ(0, info[i].on_groups);
			continue;
		}
		waiting++;
		EXPECT_EQ(PERF_STATUS_WAITING, info[i].status);
		EXPECT_EQ(-1, info[i].counter);
		EXPECT_LT(info[i].running, info[i].enabled);
		EXPECT_EQ(PERF_OBSTACLE_GROUPS, info[i].obstacle);
		EXPECT_EQ(1, info[i].needs);
		/* It has waited for some time, at most for its time without a counter. */
		EXPECT_LT(0, info[i].since);
		EXPECT_LE(info[i].since, info[i].enabled - info[i].running);
		ASSERT_EQ(PE_SIM_COUNTERS, info[i].on_groups);
		ASSERT_EQ(PE_SIM_COUNTERS, info[i].nr_groups);
		for (j = 0; j < PE_SIM_COUNTERS; j++) {
			EXPECT_EQ(getpid(), info[i].groups[j].pid);
			EXPECT_EQ(0, info[i].groups[j].flags);
			for (k = 0; k < GROUPS && id[k] != info[i].groups[j].id; k++)
				;
			ASSERT_GT(GROUPS, k);
			EXPECT_EQ(PERF_STATUS_COUNTING, info[k].status);
		}
	}
	EXPECT_EQ(PE_SIM_COUNTERS, counting);
	EXPECT_EQ(GROUPS - PE_SIM_COUNTERS, waiting);
	for (i = 0; i < GROUPS; i++)
		close(fd[i]);
}

/* The time since the fixture's event was opened, by the clock of the task's events */
static __u64 task_clock(int fd)
{
	struct perf_event_state_info info;

	return tell(fd, &info) ? 0 : info.enabled;
}

/* Multiplexed groups: at any moment the number of groups that count is the number of counters. */
TEST_F(state, sums_of_twelve_groups)
{
	/* All groups are enabled between the inner times, none before or after the outer times. */
	__u64 outer_begin, inner_begin, inner_end, outer_end, ran = 0;
	struct perf_event_state_info info[GROUPS];
	struct perf_event_attr a = pe_sim_attr();
	int fd[GROUPS], i;

	if (pe_sim_type() < 0 || self->mux < 0)
		SKIP(return, "no simulated PMU");
	pe_undisturbed();
	pe_move_to(0);
	pe_set(MUX, 1);
	a.disabled = 1;
	for (i = 0; i < GROUPS; i++) {
		fd[i] = pe_self(&a);
		ASSERT_LE(0, fd[i]);
	}
	outer_begin = task_clock(self->fd);
	for (i = 0; i < GROUPS; i++)
		pe_ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0);
	inner_begin = task_clock(self->fd);
	do {
		pe_spin(100000);
		for (i = 0; i < GROUPS && !tell(fd[i], &info[i]) && info[i].running; i++)
			;
	} while (i < GROUPS);
	inner_end = task_clock(self->fd);
	for (i = 0; i < GROUPS; i++)
		pe_ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0);
	outer_end = task_clock(self->fd);
	for (i = 0; i < GROUPS; i++) {
		ASSERT_EQ(0, tell(fd[i], &info[i]));
		EXPECT_EQ(PERF_STATUS_DISABLED, info[i].status);
		ran += info[i].running;
		close(fd[i]);
	}
	EXPECT_LT(inner_begin, inner_end);
	EXPECT_LE(PE_SIM_COUNTERS * (inner_end - inner_begin), ran);
	EXPECT_GE(PE_SIM_COUNTERS * (outer_end - outer_begin), ran);
}

TEST_F(state, pinned)
{
	struct perf_event_attr a = pe_sim_attr();
	struct perf_event_state_info info;
	int fd[PE_SIM_COUNTERS + 1], i;

	if (pe_sim_type() < 0)
		SKIP(return, "no simulated PMU");
	a.pinned = 1;
	for (i = 0; i <= PE_SIM_COUNTERS; i++) {
		fd[i] = pe_self(&a);
		ASSERT_LE(0, fd[i]);
		EXPECT_EQ(i < PE_SIM_COUNTERS ? PERF_STATUS_COUNTING : PERF_STATUS_ERROR,
			  status_of(fd[i]));
	}
	/* The reason is still reported after the obstacle is closed. */
	while (i--) {
		ASSERT_EQ(0, tell(fd[PE_SIM_COUNTERS], &info));
		EXPECT_EQ(PERF_STATUS_ERROR, info.status);
		EXPECT_LT(0, info.since);
		EXPECT_EQ(PERF_OBSTACLE_PINNED, info.obstacle);
		EXPECT_EQ(1, info.needs);
		EXPECT_EQ(1, info.nr_groups);
		EXPECT_LE(1, info.on_groups);
		EXPECT_NE(info.id, info.groups[0].id);
		EXPECT_EQ(PERF_EVENT_GROUP_PINNED, info.groups[0].flags);
		EXPECT_EQ(getpid(), info.groups[0].pid);
		if (i < PE_SIM_COUNTERS)
			close(fd[i]);
	}
	pe_ioctl(fd[PE_SIM_COUNTERS], PERF_EVENT_IOC_ENABLE, 0);
	ASSERT_EQ(0, tell(fd[PE_SIM_COUNTERS], &info));
	EXPECT_EQ(PERF_STATUS_COUNTING, info.status);
	EXPECT_EQ(0, info.obstacle);
	close(fd[PE_SIM_COUNTERS]);
}

/*
 * A group that fits the PMU is not refused while others have the counters: its state reports them.
 */
TEST_F(state, not_at_the_moment)
{
	struct perf_event_attr a = pe_sim_attr();
	struct perf_event_state_info info;
	int pinned, fd[PE_SIM_COUNTERS], i;

	if (pe_sim_type() < 0)
		SKIP(return, "no simulated PMU");
	pe_move_to(0);
	a.pinned = 1;
	pinned = pe_self(&a);
	ASSERT_LE(0, pinned);
	a.pinned = 0;
	for (i = 0; i < PE_SIM_COUNTERS; i++) {
		fd[i] = pe_open(&a, 0, -1, i ? fd[0] : -1, 0);
		ASSERT_LE(0, fd[i]);
	}
	for (i = 0; i < PE_SIM_COUNTERS; i++) {
		ASSERT_EQ(0, tell(fd[i], &info));
		EXPECT_EQ(PERF_STATUS_WAITING, info.status);
		EXPECT_EQ(PERF_OBSTACLE_PINNED, info.obstacle);
		EXPECT_EQ(PE_SIM_COUNTERS, info.needs);
		EXPECT_EQ(1, info.on_groups);
		EXPECT_EQ(pe_id(pinned), info.groups[0].id);
	}
	close(pinned);
	/* No rotation happens in this test: disable and enable the event to schedule it in. */
	pe_ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
	pe_ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	EXPECT_EQ(PERF_STATUS_COUNTING, status_of(fd[0]));
	while (i--)
		close(fd[i]);
}

/* The NMI watchdog has a counter of its own: it is reported as an event of the kernel. */
TEST_F(state, watchdog)
{
	struct perf_event_attr a = pe_hw_attr(pe_hw_exact());
	struct perf_event_state_info info = { };
	int fd[PE_HW_MAX], nr, i, looks;

#if !defined(__x86_64__) && !defined(__i386)
	SKIP(return, "the watchdog has no counter on this machine");
#endif
	if (pe_hw_missing() || pe_get(PE_SYSCTL "nmi_watchdog") != 1 || geteuid())
		SKIP(return, "needs root, hardware counters and the watchdog that has one");
	pe_hw_share(false);
	pe_move_to(0);
	a.disabled = 0;
	for (nr = 0; nr < PE_HW_MAX && info.status != PERF_STATUS_WAITING; nr++) {
		fd[nr] = pe_self(&a);
		ASSERT_LE(0, fd[nr]);
		ASSERT_EQ(0, tell(fd[nr], &info));
	}
	/* The groups are multiplexed. */
	for (looks = 0; looks < 1000 && info.status != PERF_STATUS_WAITING; looks++)
		ASSERT_EQ(0, tell(fd[looks % nr], &info));
	pe_hw_share(true);
	ASSERT_EQ(PERF_STATUS_WAITING, info.status);
	EXPECT_EQ(PERF_EVENT_GROUP_OF_CPU | PERF_EVENT_GROUP_PINNED | PERF_EVENT_GROUP_OF_KERNEL,
		  info.groups[0].flags);
	EXPECT_EQ(0, info.groups[0].pid);
	EXPECT_NE(0, info.groups[0].id);
	for (i = 0; i < nr; i++)
		close(fd[i]);
}

TEST_F(state, exclusive)
{
	struct perf_event_attr a = pe_sim_attr();
	struct perf_event_state_info info;
	int fd, alone;

	if (pe_sim_type() < 0)
		SKIP(return, "no simulated PMU");
	/* A switch may sort the groups again: the one that has run less is scheduled in first. */
	pe_undisturbed();
	pe_move_to(0);
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	a.exclusive = 1;
	alone = pe_self(&a);
	ASSERT_LE(0, alone);
	ASSERT_EQ(0, tell(alone, &info));
	EXPECT_EQ(PERF_STATUS_WAITING, info.status);
	EXPECT_EQ(PERF_OBSTACLE_OWN_EXCLUSIVE, info.obstacle);
	close(fd);
	close(alone);
	alone = pe_self(&a);
	ASSERT_LE(0, alone);
	a.exclusive = 0;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, tell(fd, &info));
	EXPECT_EQ(PERF_STATUS_WAITING, info.status);
	EXPECT_EQ(PERF_OBSTACLE_EXCLUSIVE, info.obstacle);
	EXPECT_EQ(PERF_EVENT_GROUP_EXCLUSIVE, info.groups[0].flags);
	close(fd);
	close(alone);
}

/* More overflows in a tick than the limit allows. */
TEST_F(state, throttled)
{
	long percent = pe_get(PE_SYSCTL "perf_cpu_time_max_percent");
	long rate = pe_get(PE_SYSCTL "perf_event_max_sample_rate");
	struct perf_event_attr a = pe_sim_attr();
	struct perf_event_state_info info;
	int fd, i;

	if (pe_sim_type() < 0 || geteuid())
		SKIP(return, "needs root and the simulated PMU");
	/* The rate can only be set while perf_cpu_time_max_percent is a limit. */
	ASSERT_EQ(0, pe_set(PE_SYSCTL "perf_cpu_time_max_percent", 90));
	ASSERT_EQ(0, pe_set(PE_SYSCTL "perf_event_max_sample_rate", 1000));
	a.sample_period = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, tell(fd, &info));
	EXPECT_FALSE(info.flags & PERF_EVENT_IS_THROTTLED);
	/* The event is throttled until the next tick, which may be before the read. */
	for (i = 0; i < 1000 && (tell(fd, &info) || !(info.flags & PERF_EVENT_IS_THROTTLED)); i++)
		pe_sim_advance(10);
	EXPECT_TRUE(info.flags & PERF_EVENT_IS_THROTTLED);
	EXPECT_LT(0, info.throttles);
	EXPECT_LT(0, info.allowed);
	EXPECT_GT(10000, info.allowed);
	close(fd);
	pe_set(PE_SYSCTL "perf_event_max_sample_rate", rate);
	pe_set(PE_SYSCTL "perf_cpu_time_max_percent", percent);
}

static int look_at_others(void *all)
{
	struct perf_event_attr a = pe_sim_attr();
	struct perf_event_state_info info;
	int fd = pe_self(&a), err;

	err = fd < 0 ? fd : tell(fd, &info);
	if (err)
		return err;
	if (info.status != PERF_STATUS_WAITING)
		return -EAGAIN;
	if (all)
		return info.on_groups == PE_SIM_COUNTERS && info.groups[0].id &&
		       info.groups[0].flags == (PERF_EVENT_GROUP_PINNED | PERF_EVENT_GROUP_OF_CPU) ?
		       0 : -EPERM;
	return !info.on_groups && !info.groups[0].id && (info.flags & PERF_EVENT_OTHERS_ON) ?
	       0 : -EPERM;
}

/* Only users that may monitor a whole CPU can read the ids of other users' groups. */
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

/*
 * --busy COMMAND...: run COMMAND... -p PID. PID is a child that is busy on CPU 0 and has twelve
 * multiplexed events there. Exits with the status of the command.
 */
static int busy(char **command)
{
	struct perf_event_attr a = pe_sim_attr();
	char *argv[16], number[16];
	int status, i, argc = 0;
	pid_t child, pid, me = getpid();

	child = fork();
	if (!child) {
		pe_die_with(me);
		pe_move_to(0);
		for (;;)
			pe_spin(1000);
	}
	for (i = 0; i < GROUPS; i++) {
		if (pe_open(&a, child, -1, -1, 0) < 0)
			return 126;
	}
	snprintf(number, sizeof(number), "%d", child);
	while (*command && argc < 13)
		argv[argc++] = *command++;
	argv[argc++] = "-p";
	argv[argc++] = number;
	argv[argc] = NULL;
	pe_move_to(1);
	pid = fork();
	if (!pid) {
		execv(argv[0], argv);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid)
		return 126;
	kill(child, SIGKILL);
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--busy"))
		return busy(argv + 2);
	return test_harness_run(argc, argv);
}
