// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2): the events that each kind of user may open at each level of
 * perf_event_paranoid. Level 3 is an extension of some distributions.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define MAX_RATE	PE_SYSCTL "perf_event_max_sample_rate"

/**
 * struct what - an event
 * @attr: its attribute
 * @pid: its task
 * @cpu: its CPU
 */
struct what {
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
};

static int open_it(void *arg)
{
	struct what *w = arg;

	return pe_try(&w->attr, w->pid, w->cpu, -1, 0);
}

static int try_as(__u64 caps, struct what w)
{
	return pe_run_as(PE_UID, caps, open_it, &w);
}

FIXTURE(permission) {
	long was;
	struct what user;	/* own user mode only */
	struct what kernel;	/* own user and kernel mode */
	struct what cpu;	/* a CPU, user mode only */
};

FIXTURE_SETUP(permission)
{
	self->was = pe_get(PE_PARANOID);
	ASSERT_NE(LONG_MIN, self->was);
	if (geteuid())
		SKIP(return, "needs root");

	self->kernel = (struct what){ pe_attr(PERF_COUNT_SW_PAGE_FAULTS), 0, -1 };
	self->user = self->kernel;
	self->user.attr.exclude_kernel = 1;
	self->cpu = self->user;
	self->cpu.pid = -1;
	self->cpu.cpu = 0;
}

FIXTURE_TEARDOWN(permission)
{
	pe_set(PE_PARANOID, self->was);
}

/* Level 3, or 2 if the kernel treats 3 like 2. */
static int level3(void)
{
	struct what w = { pe_attr(PERF_COUNT_SW_DUMMY), 0, -1 };

	w.attr.exclude_kernel = 1;
	return try_as(0, w);
}

TEST_F(permission, level_minus_1)
{
	ASSERT_EQ(0, pe_set(PE_PARANOID, -1));
	EXPECT_EQ(0, try_as(0, self->user));
	EXPECT_EQ(0, try_as(0, self->kernel));
	EXPECT_EQ(0, try_as(0, self->cpu));
	self->cpu.attr.exclude_kernel = 0;
	EXPECT_EQ(0, try_as(0, self->cpu));
}

TEST_F(permission, level_0)
{
	ASSERT_EQ(0, pe_set(PE_PARANOID, 0));
	EXPECT_EQ(0, try_as(0, self->user));
	EXPECT_EQ(0, try_as(0, self->kernel));
	EXPECT_EQ(0, try_as(0, self->cpu));
	self->cpu.attr.exclude_kernel = 0;
	EXPECT_EQ(0, try_as(0, self->cpu));
}

TEST_F(permission, level_1)
{
	ASSERT_EQ(0, pe_set(PE_PARANOID, 1));
	EXPECT_EQ(0, try_as(0, self->user));
	EXPECT_EQ(0, try_as(0, self->kernel));
	EXPECT_EQ(-EACCES, try_as(0, self->cpu));
	/* With a CPU, an event of a task needs no further permission. */
	self->user.cpu = 0;
	EXPECT_EQ(0, try_as(0, self->user));
}

TEST_F(permission, level_2)
{
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	EXPECT_EQ(0, try_as(0, self->user));
	EXPECT_EQ(-EACCES, try_as(0, self->kernel));
	EXPECT_EQ(-EACCES, try_as(0, self->cpu));
	/* Only the kernel must be excluded, not the hypervisor or idle. */
	self->kernel.attr.exclude_hv = 1;
	self->kernel.attr.exclude_user = 1;
	EXPECT_EQ(-EACCES, try_as(0, self->kernel));
	/* An event that never counts the kernel must exclude the kernel, too. */
	self->kernel = (struct what){ pe_attr(PERF_COUNT_SW_DUMMY), 0, -1 };
	EXPECT_EQ(-EACCES, try_as(0, self->kernel));
}

TEST_F(permission, level_3)
{
	int want;

	ASSERT_EQ(0, pe_set(PE_PARANOID, 3));
	want = level3();
	if (want)
		EXPECT_EQ(-EACCES, want);
	EXPECT_EQ(want, try_as(0, self->user));
	EXPECT_EQ(-EACCES, try_as(0, self->kernel));
	EXPECT_EQ(-EACCES, try_as(0, self->cpu));
	EXPECT_EQ(-EACCES, try_as(PE_CAP(CAP_SYS_PTRACE), self->kernel));
}

TEST_F(permission, level_3_and_other_errors)
{
	ASSERT_EQ(0, pe_set(PE_PARANOID, 3));
	if (!level3())
		SKIP(return, "no such level");
	/* An invalid attribute is reported before missing permission. */
	self->user.attr.sample_type = 1ULL << 63;
	EXPECT_EQ(-EINVAL, try_as(0, self->user));
	self->user.attr.sample_type = 0;
	/* An error that depends on the system is reported after missing permission. */
	self->user.pid = 0x7fffffff;
	EXPECT_EQ(-EACCES, try_as(0, self->user));
	self->user.attr.type = 4000;
	EXPECT_EQ(-EACCES, try_as(0, self->user));
	self->user.attr.freq = 1;
	self->user.attr.sample_freq = pe_get(MAX_RATE) + 1;
	EXPECT_EQ(-EACCES, try_as(0, self->user));
}

TEST_F(permission, level_3_is_for_the_administrator)
{
	ASSERT_EQ(0, pe_set(PE_PARANOID, 3));
	if (!level3())
		SKIP(return, "no such level");
	EXPECT_EQ(-EACCES, try_as(PE_CAP(CAP_PERFMON), self->user));
	EXPECT_EQ(0, try_as(PE_CAP(CAP_SYS_ADMIN), self->user));
	EXPECT_EQ(0, try_as(PE_CAP(CAP_SYS_ADMIN), self->kernel));
	EXPECT_EQ(0, try_as(PE_CAP(CAP_SYS_ADMIN), self->cpu));
	EXPECT_EQ(0, open_it(&self->kernel));
	EXPECT_EQ(0, open_it(&self->cpu));
}

TEST_F(permission, capabilities)
{
	static const __u64 caps[] = { PE_CAP(CAP_PERFMON), PE_CAP(CAP_SYS_ADMIN) };
	unsigned int i;
	int level;

	for (level = -1; level <= 2; level++) {
		ASSERT_EQ(0, pe_set(PE_PARANOID, level));
		for (i = 0; i < PE_ARRAY_SIZE(caps); i++) {
			EXPECT_EQ(0, try_as(caps[i], self->user)) {
				TH_LOG("level %d, set %u", level, i);
			}
			EXPECT_EQ(0, try_as(caps[i], self->kernel));
			EXPECT_EQ(0, try_as(caps[i], self->cpu));
		}
		EXPECT_EQ(0, open_it(&self->kernel));
		EXPECT_EQ(0, open_it(&self->cpu));
	}
}

TEST_F(permission, rights_count_at_open_only)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);
	int fd;

	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	fd = pe_open(&a, -1, 0, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_become(PE_UID, 0));
	EXPECT_EQ(-EACCES, pe_try(&a, -1, 0, -1, 0));
	EXPECT_EQ(0, pe_count(fd));
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	close(fd);
}

TEST_F(permission, physical_address)
{
	/* Physical addresses need the permission for the kernel, even with exclude_kernel. */
	self->user.attr.sample_type = PERF_SAMPLE_PHYS_ADDR;
	self->user.attr.sample_period = 1000;
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	EXPECT_EQ(-EACCES, try_as(0, self->user));
	EXPECT_EQ(0, try_as(PE_CAP(CAP_PERFMON), self->user));
	ASSERT_EQ(0, pe_set(PE_PARANOID, 1));
	EXPECT_EQ(0, try_as(0, self->user));
}

TEST_F(permission, branch_levels)
{
	/* Missing permission for the kernel's branches is reported before errors in the mask. */
	self->user.attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	self->user.attr.sample_period = 1000;
	self->user.attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
					     PERF_SAMPLE_BRANCH_KERNEL;
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	EXPECT_EQ(-EACCES, try_as(0, self->user));
	self->user.attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
					     PERF_SAMPLE_BRANCH_HV;
	EXPECT_EQ(-EACCES, try_as(0, self->user));
	EXPECT_EQ(-EOPNOTSUPP, try_as(PE_CAP(CAP_PERFMON), self->user));
	self->user.attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
					     PERF_SAMPLE_BRANCH_USER;
	EXPECT_EQ(-EOPNOTSUPP, try_as(0, self->user));

	/* If the mask has no level, the levels of the event are used. */
	self->user.attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	EXPECT_EQ(-EACCES, try_as(0, self->user));
	self->user.attr.exclude_hv = 1;
	EXPECT_EQ(-EOPNOTSUPP, try_as(0, self->user));
	self->user.attr.exclude_kernel = 0;
	EXPECT_EQ(-EACCES, try_as(0, self->user));
}

TEST_F(permission, namespaces_records)
{
	/* These records reveal the namespaces of other users. */
	self->user.attr.namespaces = 1;
	ASSERT_EQ(0, pe_set(PE_PARANOID, -1));
	EXPECT_EQ(-EACCES, try_as(0, self->user));
	EXPECT_EQ(0, try_as(PE_CAP(CAP_PERFMON), self->user));
	EXPECT_EQ(0, try_as(PE_CAP(CAP_SYS_ADMIN), self->user));
}

TEST_F(permission, text_records)
{
	/* Records of kernel symbols, BPF programs and code changes need permission. */
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	self->user.attr.ksymbol = 1;
	EXPECT_EQ(0, try_as(0, self->user));
	self->user.attr.ksymbol = 0;
	self->user.attr.bpf_event = 1;
	EXPECT_EQ(0, try_as(0, self->user));
	self->user.attr.bpf_event = 0;
	self->user.attr.text_poke = 1;
	EXPECT_EQ(-EACCES, try_as(0, self->user));
	EXPECT_EQ(0, try_as(PE_CAP(CAP_PERFMON), self->user));
	ASSERT_EQ(0, pe_set(PE_PARANOID, 1));
	EXPECT_EQ(0, try_as(0, self->user));
}

TEST_F(permission, order_of_errors)
{
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	/* An invalid attribute is reported before missing permission for the kernel. */
	self->kernel.attr.sample_type = 1ULL << 63;
	EXPECT_EQ(-EINVAL, try_as(0, self->kernel));
	self->kernel.attr.sample_type = 0;
	/* Missing permission for the kernel is reported before frequency, task and type. */
	self->kernel.attr.freq = 1;
	self->kernel.attr.sample_freq = pe_get(MAX_RATE) + 1;
	EXPECT_EQ(-EACCES, try_as(0, self->kernel));
	self->kernel.pid = 0x7fffffff;
	EXPECT_EQ(-EACCES, try_as(0, self->kernel));
	self->user.attr.type = 4000;
	EXPECT_EQ(-ENOENT, try_as(0, self->user));
	self->user.pid = 0x7fffffff;
	EXPECT_EQ(-ESRCH, try_as(0, self->user));
}

TEST_F(permission, callchain_of_kernel)
{
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	self->user.attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	self->user.attr.sample_period = 1000;
	EXPECT_EQ(-EACCES, try_as(0, self->user));
	self->user.attr.exclude_callchain_kernel = 1;
	EXPECT_EQ(0, try_as(0, self->user));
	self->user.attr.exclude_callchain_kernel = 0;
	ASSERT_EQ(0, pe_set(PE_PARANOID, 1));
	EXPECT_EQ(0, try_as(0, self->user));
}

TEST_F(permission, set_level)
{
	int level;

	for (level = -1; level <= 3; level++) {
		EXPECT_EQ(0, pe_set(PE_PARANOID, level));
		EXPECT_EQ(level, pe_get(PE_PARANOID));
	}
}

TEST_HARNESS_MAIN
