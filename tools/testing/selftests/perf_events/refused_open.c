// SPDX-License-Identifier: GPL-2.0
/*
 * Refusals of perf_event_open(2) that depend on the system: the group, the task, the CPU,
 * permissions, and the capabilities of the simulated PMUs.
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "pe_inject.h"
#include "pe_refused.h"
#include "pe_sim.h"
#include "pe_trace.h"

#define ONLINE		"/sys/devices/system/cpu/cpu1/online"

FIXTURE(refused_open) {
	int sim;	/* type of the simulated PMU, or negative */
	int trace;	/* type of the simulated trace unit, or negative */
};

FIXTURE_SETUP(refused_open)
{
	NEED_EXPLANATIONS(return);
	self->sim = pe_sim_type();
	self->trace = pe_sim_trace_type();
}

FIXTURE_TEARDOWN(refused_open)
{
}

TEST_F(refused_open, files)
{
	struct rlimit none = { 0, 0 };

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
	REFUSED(NO_FILES_LEFT, EMFILE, open_self(EVENT()));
}

static int files_of_machine(void *unused)
{
	return was_refused(open_self(EVENT(.exclude_kernel = 1)), "NO_FILES_AT_ALL", ENFILE) ?
		0 : -EPERM;
}

TEST_F(refused_open, files_of_machine)
{
	static const char max[] = "/proc/sys/fs/file-max";
	long was = pe_get(max);

	if (geteuid() || was <= 0)
		SKIP(return, "needs root");
	/*
	 * Root may exceed the limit on files. The kernel counts files so roughly that the count may
	 * be 0.
	 */
	ASSERT_EQ(0, pe_set(max, 0));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, files_of_machine, NULL));
	ASSERT_EQ(0, pe_set(max, was));
}

/* Each allocation of an open fails once. The open succeeds in spite of some failures. */
TEST_F(refused_open, memory)
{
	bool happened = true;
	unsigned int nth, refused = 0;
	int error;
	long fd;

	if (pe_inject_start())
		SKIP(return, "no fault injection");
	for (nth = 1; happened && nth < 100; nth++) {
		ASSERT_EQ(0, pe_inject_self(nth));
		fd = open_self(EVENT(.sample_period = 1000));
		error = errno;
		happened = pe_inject_happened();
		if (fd >= 0) {
			close(fd);
			continue;
		}
		/* Some kernels also inject failures into the copy of the attribute. */
		if (error == EFAULT)
			continue;
		/* Without memory for the reason no reason is recorded. */
		if (!refused && !explain(&(struct perf_refusal){ }))
			continue;
		errno = error;
		REFUSED(NO_MEMORY, ENOMEM, fd);
		refused++;
	}
	pe_inject_end();
	EXPECT_NE(0, refused);
}

/* A missing configuration option is a reason, too; with the option the event can be opened. */
TEST_F(refused_open, kernels)
{
	long fd = open_self(EVENT(.sample_period = 1, .sample_type = PERF_SAMPLE_CGROUP));

	EXPECT_TRUE(fd >= 0 || was_refused(fd, "SAMPLE_CGROUP", EINVAL));
	close(fd);
	fd = open_self(EVENT(.sample_period = 1, .sample_type = PERF_SAMPLE_STACK_USER,
			     .sample_stack_user = 8));
	EXPECT_TRUE(fd >= 0 || was_refused(fd, "STACK_USER_ARCH", ENOSYS));
	close(fd);
}

TEST_F(refused_open, breakpoints_to_execute)
{
	long fd = open_self(EVENT(.type = PERF_TYPE_BREAKPOINT, .config = 0,
				  .bp_type = HW_BREAKPOINT_X, .bp_len = sizeof(long),
				  .bp_addr = (unsigned long)&open_event & -8L,
				  .exclude_kernel = 1));

	if (fd >= 0)
		SKIP(close(fd); return, "this machine has breakpoints of each kind");
	EXPECT_TRUE(was_refused(fd, "BREAKPOINT_NONE", EOPNOTSUPP));
}

TEST_F(refused_open, groups)
{
	struct rlimit files = { 4096, 4096 };
	long leader = open_self(EVENT()), fd = 0;
	struct perf_refusal refusal;
	int n;

	ASSERT_LE(0, leader);
	REFUSED(GROUP_AUX, EINVAL, open_event(EVENT(.aux_pause = 1), 0, -1, leader, 0));
	close(leader);
	if (geteuid() || setrlimit(RLIMIT_NOFILE, &files))
		SKIP(return, "needs root");
	for (n = 0, leader = -1; n < 2000 && fd >= 0; n++) {
		fd = open_event(EVENT(.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID), 0, -1,
				leader, 0);
		leader = leader < 0 ? fd : leader;
	}
	REFUSED(GROUP_READ_SIZE, E2BIG, fd);
	explain(&refusal);
	EXPECT_STREQ("group_fd", refusal.field);
	close(leader);
	for (n = 0, leader = -1, fd = 0; n < 200 && fd >= 0; n++) {
		fd = open_event(EVENT(.sample_period = 1, .sample_type = PERF_SAMPLE_READ,
				      .read_format = PERF_FORMAT_GROUP), 0, -1, leader, 0);
		leader = leader < 0 ? fd : leader;
	}
	REFUSED(GROUP_SAMPLES, E2BIG, fd);
}

/* A task that has exited: as the target, and as the task of the group's leader. */
TEST_F(refused_open, task_that_has_exited)
{
	long leader;
	int go[2];
	pid_t pid;
	siginfo_t info;

	ASSERT_EQ(0, pipe(go));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		char c;

		close(go[1]);
		_exit(read(go[0], &c, 1));
	}
	leader = open_event(EVENT(), pid, -1, -1, 0);
	ASSERT_LE(0, leader);
	close(go[0]);
	close(go[1]);
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	REFUSED(TASK_EXITED, ESRCH, open_event(EVENT(), pid, -1, -1, 0));
	REFUSED(GROUP_DEAD, ENODEV, open_event(EVENT(), 0, -1, leader, 0));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	REFUSED(NO_TASK, ESRCH, open_event(EVENT(), pid, -1, -1, 0));
	close(leader);
}

TEST_F(refused_open, cpu_that_is_offline)
{
	if (geteuid() || access(ONLINE, W_OK) || pe_set(ONLINE, 0))
		SKIP(return, "needs root, and a CPU 1 that can go offline");
	REFUSED(CPU_OFFLINE, ENODEV, open_event(EVENT(), -1, 1, -1, 0));
	EXPECT_EQ(0, pe_set(ONLINE, 1));
}

static int chain_of_the_kernel(void *unused)
{
	return was_refused(open_self(EVENT(.exclude_kernel = 1,
					   .sample_type = PERF_SAMPLE_CALLCHAIN)),
			   "KERNEL_CALLCHAIN", EACCES) ? 0 : -EPERM;
}

static int breakpoint_in_the_kernel(void *address)
{
	return was_refused(open_self(EVENT(.type = PERF_TYPE_BREAKPOINT, .config = 0,
					   .bp_type = HW_BREAKPOINT_W,
					   .bp_len = HW_BREAKPOINT_LEN_1,
					   .bp_addr = *(__u64 *)address)),
			   "BREAKPOINT_ADMIN", EPERM) ? 0 : -EPERM;
}

static int probe(void *attr)
{
	return was_refused(open_self(attr), "PMU_RIGHTS", EACCES) ? 0 : -EPERM;
}

TEST_F(refused_open, rights)
{
	__u64 kernel = pe_kernel_address(65536);
	long was = pe_get(PE_PARANOID);
	struct perf_event_attr attr;

	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, chain_of_the_kernel, NULL));
	ASSERT_EQ(0, pe_set(PE_PARANOID, -1));
#ifndef __aarch64__
	EXPECT_EQ(0, pe_run_as(PE_UID, PE_CAP(CAP_PERFMON), breakpoint_in_the_kernel, &kernel));
#endif
	if (!pe_probe(&attr, "uprobe"))
		EXPECT_EQ(0, pe_run_as(PE_UID, 0, probe, &attr));
	ASSERT_EQ(0, pe_set(PE_PARANOID, was));
}

/* The driver copies the path of the file from user space. */
TEST_F(refused_open, probe_of_a_bad_pointer)
{
	struct perf_event_attr attr;

	if (geteuid() || pe_probe(&attr, "uprobe"))
		SKIP(return, "needs root and uprobes");
	attr.uprobe_path = 8;
	REFUSED(BAD_ADDRESS, EFAULT, open_self(&attr));
}

/* Only a kernel booted with lockdown=confidentiality has this reason. */
TEST_F(refused_open, lockdown)
{
	long fd = open_self(EVENT(.sample_period = 1, .sample_type = PERF_SAMPLE_REGS_INTR,
				  .sample_regs_intr = 1));

	if (fd >= 0)
		SKIP(close(fd); return, "the kernel is not locked down");
	if (errno != EPERM)
		SKIP(return, "no registers to sample here");
	EXPECT_TRUE(was_refused(fd, "KERNEL_REGS", EPERM));
}

#define SIM(number, ...)	EVENT(.type = self->sim, .config = (number), __VA_ARGS__)
#define SIM_MEMBER		0x10000

TEST_F(refused_open, simulated_pmu)
{
	struct perf_refusal refusal;
	int leader = -1, i, fd;

	if (self->sim < 0)
		SKIP(return, "no simulated PMU");
	REFUSED(PMU_SAYS, EINVAL, open_self(SIM(0xff)));
	ASSERT_EQ(sizeof(refusal), explain(&refusal));
	EXPECT_STREQ("sim", refusal.pmu);
	REFUSED(PMU_SAYS, EINVAL, open_self(SIM(PE_SIM_STEP, .exclude_idle = 1)));
	ASSERT_EQ(sizeof(refusal), explain(&refusal));
	EXPECT_STREQ("attr.exclude_*", refusal.field);
	REFUSED(PMU_PRECISE, EOPNOTSUPP, open_self(SIM(PE_SIM_STEP, .precise_ip = 1)));
	REFUSED(PMU_BRANCHES, EOPNOTSUPP,
		open_self(SIM(PE_SIM_STEP, .sample_type = PERF_SAMPLE_BRANCH_STACK,
			      .branch_sample_type = PERF_SAMPLE_BRANCH_ANY)));
	REFUSED(PMU_AUX_PAUSE, EOPNOTSUPP, open_self(SIM(PE_SIM_STEP, .aux_start_paused = 1)));
	REFUSED(GROUP_NEEDED, EINVAL, open_self(SIM(PE_SIM_STEP | SIM_MEMBER)));
	for (i = 0; i < PE_SIM_COUNTERS; i++) {
		fd = open_event(SIM(PE_SIM_STEP | (i ? SIM_MEMBER : 0)), 0, -1, leader, 0);
		ASSERT_LE(0, fd);
		leader = leader < 0 ? fd : leader;
	}
	REFUSED(PMU_GROUP, EINVAL, open_event(SIM(PE_SIM_STEP), 0, -1, leader, 0));
}

/* The driver of the trace unit reports its own reasons. */
TEST_F(refused_open, simulated_trace)
{
	int packet = pe_get(PE_DEVICES "sim_packet/type");
	struct perf_refusal refusal;

	if (self->trace < 0)
		SKIP(return, "no simulated trace unit");
#define TRACE(...)	EVENT(.type = self->trace, .config = 0, __VA_ARGS__)
#define BLAMED(what) do {						\
	ASSERT_EQ(sizeof(refusal), explain(&refusal));			\
	EXPECT_STREQ(what, refusal.field);				\
	EXPECT_EQ(0, strncmp(refusal.pmu, "sim_", 4));			\
} while (0)
	REFUSED(PMU_SAYS, EINVAL, open_self(TRACE(.config = 0x10)));
	BLAMED("attr.config");
	REFUSED(PMU_SAYS, EINVAL, open_self(TRACE(.config1 = 1)));
	BLAMED("attr.config1");
	REFUSED(PMU_SAYS, EINVAL, open_self(TRACE(.sample_period = 100)));
	BLAMED("attr.sample_period");
	REFUSED(PMU_SAYS, EINVAL, open_self(EVENT(.type = packet, .config = 0, .config1 = 1)));
	BLAMED("attr.config1");
#undef TRACE
#undef BLAMED
}

TEST_F(refused_open, pmu_for_one)
{
	int task;

	if (self->trace < 0 || geteuid())
		SKIP(return, "needs root and the simulated trace unit");
	task = open_self(EVENT(.type = self->trace, .config = 0));
	ASSERT_LE(0, task);
	REFUSED(PMU_TAKEN, EBUSY,
		open_event(EVENT(.type = self->trace, .config = 0), -1, 0, -1, 0));
	close(task);
}

TEST_HARNESS_MAIN
