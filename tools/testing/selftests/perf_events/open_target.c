// SPDX-License-Identifier: GPL-2.0
/* perf_event_open(2): pid, cpu, group_fd and flags. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_trace.h"

#define CPU_DIR	"/sys/devices/system/cpu/"

static struct perf_event_attr dummy(void)
{
	return pe_attr(PERF_COUNT_SW_DUMMY);
}

/* Highest CPU of a list such as "0-1,4"; -1 if there is no such file. */
static int last_cpu(const char *name)
{
	char path[64], text[256] = "", *p;
	FILE *f;

	snprintf(path, sizeof(path), CPU_DIR "%s", name);
	f = fopen(path, "r");
	if (!f)
		return -1;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	p = strrchr(text, '-');
	if (!p || (strrchr(text, ',') && strrchr(text, ',') > p))
		p = strrchr(text, ',');
	return text[0] ? atoi(p ? p + 1 : text) : -1;
}

TEST(self)
{
	struct perf_event_attr a = dummy();

	EXPECT_EQ(0, pe_try(&a, 0, -1, -1, 0));
	EXPECT_EQ(0, pe_try(&a, getpid(), -1, -1, 0));
	EXPECT_EQ(0, pe_try(&a, 0, 0, -1, 0));
	EXPECT_EQ(0, pe_try(&a, -1, 0, -1, 0));
	EXPECT_EQ(0, pe_try(&a, 1, -1, -1, 0));
}

TEST(neither_task_nor_cpu)
{
	struct perf_event_attr a = dummy();

	EXPECT_EQ(-EINVAL, pe_try(&a, -1, -1, -1, 0));
}

TEST(no_such_task)
{
	struct perf_event_attr a = dummy();
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_EQ(-ESRCH, pe_try(&a, pid, -1, -1, 0));
	EXPECT_EQ(-ESRCH, pe_try(&a, pid, 0, -1, 0));
	EXPECT_EQ(-ESRCH, pe_try(&a, 0x7fffffff, -1, -1, 0));
}

TEST(negative_pid)
{
	struct perf_event_attr a = dummy();

	EXPECT_EQ(-ESRCH, pe_try(&a, -2, -1, -1, 0));
	EXPECT_EQ(-ESRCH, pe_try(&a, -2, 0, -1, 0));
	EXPECT_EQ(-ESRCH, pe_try(&a, -0x7fffffff - 1, -1, -1, 0));
}

TEST(zombie)
{
	struct perf_event_attr a = dummy();
	siginfo_t info;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	EXPECT_EQ(-ESRCH, pe_try(&a, pid, -1, -1, 0));
	EXPECT_EQ(-ESRCH, pe_try(&a, pid, 0, -1, 0));
	waitpid(pid, NULL, 0);
}

TEST(kernel_thread)
{
	struct perf_event_attr a = dummy();

	/* kthreadd */
	EXPECT_EQ(0, pe_try(&a, 2, -1, -1, 0));
}

TEST(cpu_out_of_range)
{
	static const int bad[] = { 1 << 13, 1 << 20, 0x7fffffff };
	struct perf_event_attr a = dummy();
	int past = last_cpu("possible") + 1;
	unsigned int i;

	ASSERT_LT(0, past);
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, past, -1, 0));
	EXPECT_EQ(-EINVAL, pe_try(&a, -1, past, -1, 0));
	for (i = 0; i < PE_ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, pe_try(&a, 0, bad[i], -1, 0));
		EXPECT_EQ(-EINVAL, pe_try(&a, -1, bad[i], -1, 0));
	}
}

TEST(cpu_below_minus_one)
{
	struct perf_event_attr a = dummy();

	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -2, -1, 0));
	EXPECT_EQ(-EINVAL, pe_try(&a, -1, -2, -1, 0));
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -0x7fffffff - 1, -1, 0));
}

TEST(cpu_not_present)
{
	struct perf_event_attr a = dummy();
	int possible = last_cpu("possible"), present = last_cpu("present");

	if (possible <= present)
		SKIP(return, "every possible CPU is present");
	EXPECT_EQ(0, pe_try(&a, 0, possible, -1, 0));
	EXPECT_EQ(-ENODEV, pe_try(&a, -1, possible, -1, 0));
}

TEST(cpu_offline)
{
	struct perf_event_attr a = dummy();
	char path[64];
	int cpu = last_cpu("online"), fd, task;

	snprintf(path, sizeof(path), CPU_DIR "cpu%d/online", cpu);
	if (cpu < 1 || access(path, W_OK))
		SKIP(return, "no CPU can go offline");

	fd = pe_open(&a, -1, cpu, -1, 0);
	ASSERT_LE(0, fd);
	task = pe_open(&a, 0, cpu, -1, 0);
	ASSERT_LE(0, task);

	if (pe_set(path, 0)) {
		close(fd);
		close(task);
		SKIP(return, "the CPU does not go offline");
	}
	/* An event of a task on an offline CPU is allowed: it counts when the CPU is online. */
	EXPECT_EQ(0, pe_try(&a, 0, cpu, -1, 0));
	EXPECT_EQ(-ENODEV, pe_try(&a, -1, cpu, -1, 0));
	EXPECT_EQ(0, pe_count(fd));
	EXPECT_EQ(0, pe_count(task));
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, pe_set(path, 1));

	EXPECT_EQ(0, pe_try(&a, -1, cpu, -1, 0));
	EXPECT_EQ(0, pe_count(fd));
	close(fd);
	close(task);
}

TEST(flags)
{
	struct perf_event_attr a = dummy();
	unsigned int bit;

	for (bit = 4; bit < 8 * sizeof(long); bit++)
		EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, -1, 1UL << bit)) {
			TH_LOG("flag %u", bit);
		}
	EXPECT_EQ(0, pe_try(&a, 0, -1, -1, PERF_FLAG_FD_NO_GROUP));
	EXPECT_EQ(0, pe_try(&a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

TEST(flags_before_attr)
{
	/* Wrong flags are found first, even if the attribute cannot be read. */
	EXPECT_EQ(-EINVAL, pe_try(NULL, 0, -1, -1, 1UL << 4));
	EXPECT_EQ(-EFAULT, pe_try(NULL, 0, -1, -1, 0));
}

TEST(cloexec)
{
	struct perf_event_attr a = dummy();
	int fd;

	fd = pe_open(&a, 0, -1, -1, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, fcntl(fd, F_GETFD));
	EXPECT_EQ(O_RDWR, fcntl(fd, F_GETFL) & O_ACCMODE);
	close(fd);

	fd = pe_open(&a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	close(fd);
}

TEST(group_fd)
{
	struct perf_event_attr a = dummy();
	int other = open("/dev/null", O_RDWR), fd, closed;

	closed = dup(other);
	close(closed);
	EXPECT_EQ(-EBADF, pe_try(&a, 0, -1, closed, 0));
	EXPECT_EQ(-EBADF, pe_try(&a, 0, -1, -2, 0));
	EXPECT_EQ(-EBADF, pe_try(&a, 0, -1, 0x7fffffff, 0));
	/* The file is no event. */
	EXPECT_EQ(-EBADF, pe_try(&a, 0, -1, other, 0));

	fd = pe_open(&a, 0, -1, -1, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pe_try(&a, 0, -1, fd, 0));
	close(fd);
	close(other);
}

TEST(no_group)
{
	struct perf_event_attr a = dummy();
	__u64 value[8];
	int leader, fd;

	a.read_format = PERF_FORMAT_GROUP;
	leader = pe_open(&a, 0, -1, -1, 0);
	ASSERT_LE(0, leader);
	fd = pe_open(&a, 0, -1, leader, PERF_FLAG_FD_NO_GROUP);
	ASSERT_LE(0, fd);
	ASSERT_EQ(16, read(leader, value, sizeof(value)));
	EXPECT_EQ(1, value[0]);
	close(fd);

	/* With FD_NO_GROUP the file must still be an event. */
	EXPECT_EQ(-EBADF, pe_try(&a, 0, -1, 12345, PERF_FLAG_FD_NO_GROUP));
	close(leader);
}

TEST(output_to_event_without_buffer)
{
	struct perf_event_attr a = dummy();
	int leader = pe_open(&a, 0, -1, -1, 0);

	ASSERT_LE(0, leader);
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, leader,
				  PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP));
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, leader, PERF_FLAG_FD_OUTPUT));
	/*
	 * Without a group there is no event to send output to, so the flag is
	 * ignored.
	 */
	EXPECT_EQ(0, pe_try(&a, 0, -1, -1, PERF_FLAG_FD_OUTPUT));
	close(leader);
}

TEST(cgroup)
{
	struct perf_event_attr a = dummy();
	int dir = open(pe_cgroup_root(), O_RDONLY | O_DIRECTORY), other, gone;

	/* Events of a cgroup need a CPU. */
	EXPECT_EQ(-EINVAL, pe_try(&a, dir, -1, -1, PERF_FLAG_PID_CGROUP));
	EXPECT_EQ(-EINVAL, pe_try(&a, -1, 0, -1, PERF_FLAG_PID_CGROUP));
	EXPECT_EQ(-EINVAL, pe_try(&a, -1, -1, -1, PERF_FLAG_PID_CGROUP));
	if (!pe_has_cgroups())
		SKIP(return, "no cgroups");

	other = open("/", O_RDONLY | O_DIRECTORY);
	ASSERT_LE(0, other);
	gone = dup(other);
	close(gone);
	EXPECT_EQ(-EBADF, pe_try(&a, gone, 0, -1, PERF_FLAG_PID_CGROUP));
	EXPECT_EQ(-EBADF, pe_try(&a, other, 0, -1, PERF_FLAG_PID_CGROUP));
	if (dir >= 0)
		EXPECT_EQ(0, pe_try(&a, dir, 0, -1, PERF_FLAG_PID_CGROUP));
	close(other);
	close(dir);
}

/* Errors in the attribute are reported before errors in the cgroup. */
TEST(cgroup_that_is_none)
{
	struct perf_event_attr a = dummy();
	int gone;

	if (!pe_has_cgroups())
		SKIP(return, "no cgroups");
	gone = dup(0);
	ASSERT_LE(0, gone);
	close(gone);
#define WITH(err, change) ({							\
		a = dummy();							\
		change;								\
		EXPECT_EQ(err, pe_try(&a, gone, 0, -1, PERF_FLAG_PID_CGROUP))	\
			TH_LOG(#change);					\
	})
	WITH(-EBADF, (void)0);
	WITH(-ENOENT, a.config = PERF_COUNT_SW_MAX);
	WITH(-ENOENT, a.type = 4000);
	WITH(-EOPNOTSUPP, a.sample_type = PERF_SAMPLE_BRANCH_STACK;
	     a.branch_sample_type = PERF_SAMPLE_BRANCH_ANY);
	/* The error for an empty breakpoint depends on the architecture. */
	WITH(pe_try(&a, -1, 0, -1, 0), a.type = PERF_TYPE_BREAKPOINT);
	if (!pe_probe(&a, "kprobe"))
		WITH(-EFAULT, pe_probe(&a, "kprobe"); a.kprobe_func = 1);
	/* These fields affect only samples, and are checked after the cgroup. */
	WITH(-EBADF, a.sample_type = PERF_SAMPLE_CALLCHAIN; a.sample_max_stack = 60000);
	WITH(-EBADF, a.use_clockid = 1; a.clockid = 99);
	WITH(-EBADF, a.sample_period = 1; a.use_clockid = 1; a.clockid = CLOCK_REALTIME);
#undef WITH
}

/* The security module is called only for valid attributes. */
TEST(security_module_comes_after_the_attribute)
{
	struct perf_event_attr a, probe;
	int fd;

	if (pe_probe(&probe, "kprobe"))
		SKIP(return, "no kprobe PMU");
	probe.kprobe_func = (unsigned long)"security_perf_event_open";
	fd = pe_open(&probe, 0, -1, -1, 0);
	if (fd < 0)
		SKIP(return, "no security modules");

	a = dummy();
	a.size = 1;
	EXPECT_EQ(-E2BIG, pe_try(&a, 0, -1, -1, 0));
	EXPECT_EQ(-EFAULT, pe_try((void *)8, 0, -1, -1, 0));
	a = dummy();
	a.read_format = ~0ULL;
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, -1, 0));
	EXPECT_EQ(0, pe_count(fd));
	/* Privileges are checked next. */
	a = dummy();
	a.freq = 1;
	a.sample_freq = 1ULL << 40;
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, -1, 0));
	EXPECT_LT(0, pe_count(fd));
	close(fd);
}

TEST(out_of_files)
{
	struct perf_event_attr a = dummy();
	struct rlimit limit = { 3, 3 };
	int fd;

	for (fd = 3; fd < 20; fd++)
		close(fd);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	EXPECT_EQ(-EMFILE, pe_try(&a, 0, -1, -1, 0));
}

TEST_HARNESS_MAIN
