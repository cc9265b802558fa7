// SPDX-License-Identifier: GPL-2.0
/*
 * Objects and the life of threads: fork, exec, exit, ptrace; fds that are passed on; permissions.
 * The TSC alone suffices for these tests. Comments before tests quote sentences of
 * Documentation/userspace-api/perfctr.rst.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <linux/capability.h>
#include <linux/perf_event.h>

#include "../kselftest_harness.h"
#include "../perf_events/pe_rounds.h"
#include "perfctr.h"

#define NOBODY	65534

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

#define EXPECT_FAILS(err, call) do {			\
	errno = 0;					\
	EXPECT_EQ(-1, (call));				\
	EXPECT_EQ(err, errno);				\
} while (0)

FIXTURE(life) {
	int fd;
	struct vperfctr_control control;
};

FIXTURE_SETUP(life)
{
	if (!has_perfctr())
		SKIP(return, "no perfctr");
	self->fd = vperfctr_open(0, 1);
	ASSERT_LE(0, self->fd);
	self->control = instructions(0);
	if (!has_counters())
		self->control.cpu_control.nractrs = 0;
	ASSERT_EQ(0, vperfctr_control(self->fd, &self->control));
}

FIXTURE_TEARDOWN(life)
{
	vperfctr_unlink(self->fd);
	close(self->fd);
}

/* Fork with a shared file table: an fd that the child opens is the parent's, too. */
static pid_t fork_with_files(void)
{
	return syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
}

/* Wait for the exit of a child. Return: its wait status, or -1 */
static int reap(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child ? status : -1;
}

static void add(struct perfctr_sum_ctrs *to, const struct perfctr_sum_ctrs *sums)
{
	to->tsc += sums->tsc;
	to->pmc[0] += sums->pmc[0];
}

/*
 * If a thread with an object creates a thread or process, the child gets an object of its own,
 * with the same control, and sums of zero. When it is reaped, its sums are added to the
 * children's of its parent.
 */
TEST_F(life, reaped)
{
	struct perfctr_sum_ctrs sums, all = { .tsc = 0 };
	int i, fd = dup(self->fd);

	/* Each child opens the lowest free fd. */
	close(fd);
	for (i = 0; i < pe_rounds(1000); i++) {
		pid_t child = fork_with_files();

		ASSERT_LE(0, child);
		if (!child) {
			work(100);
			_exit(vperfctr_open(0, 0) != fd);
		}
		ASSERT_EQ(0, reap(child));
		ASSERT_EQ(0, vperfctr_read(fd, &sums, NULL, NULL));
		ASSERT_LT(0, sums.tsc);
		add(&all, &sums);
		close(fd);
	}
	ASSERT_EQ(0, vperfctr_read(self->fd, NULL, NULL, &sums));
	EXPECT_EQ(all.tsc, sums.tsc);
	EXPECT_EQ(all.pmc[0], sums.pmc[0]);
}

/*
 * When a child is reaped, its sums, with its own children's, are added to the children's sums of
 * its parent.
 */
TEST_F(life, grandchildren)
{
	struct perfctr_sum_ctrs sums, all = { .tsc = 0 };
	int fd = dup(self->fd), i;
	pid_t child;

	close(fd);
	child = fork_with_files();
	ASSERT_LE(0, child);
	if (!child) {
		if (vperfctr_open(0, 0) != fd)
			_exit(1);
		for (i = 1; i <= 3; i++) {
			pid_t grandchild = fork_with_files();

			if (!grandchild)
				_exit(vperfctr_open(0, 0) != fd + i);
			if (reap(grandchild))
				_exit(2);
		}
		_exit(0);
	}
	ASSERT_EQ(0, reap(child));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, vperfctr_read(fd + i, &sums, NULL, NULL));
		ASSERT_LT(0, sums.tsc);
		add(&all, &sums);
		close(fd + i);
	}
	ASSERT_EQ(0, vperfctr_read(self->fd, NULL, NULL, &sums));
	EXPECT_EQ(all.tsc, sums.tsc);
	EXPECT_EQ(all.pmc[0], sums.pmc[0]);
}

static void *open_own(void *arg)
{
	*(int *)arg = vperfctr_open(0, 0);
	return NULL;
}

/*
 * When it is reaped, its sums, with its own children's, are added to the children's sums of its
 * parent (for a thread: the parent of its process), if the parent still has the inherited
 * control.
 */
TEST_F(life, threads)
{
	struct perfctr_sum_ctrs sums, all = { .tsc = 0 };
	int fd = dup(self->fd), thread_fd, i;
	pthread_t thread;
	pid_t child;

	close(fd);
	child = fork_with_files();
	ASSERT_LE(0, child);
	if (!child) {
		vperfctr_open(0, 0);
		if (pthread_create(&thread, NULL, open_own, &thread_fd))
			_exit(1);
		pthread_join(thread, NULL);
		_exit(thread_fd != fd + 1);
	}
	ASSERT_EQ(0, reap(child));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, vperfctr_read(fd + i, &sums, NULL, NULL));
		ASSERT_LT(0, sums.tsc);
		add(&all, &sums);
		close(fd + i);
	}
	ASSERT_EQ(0, vperfctr_read(self->fd, NULL, NULL, &sums));
	EXPECT_EQ(all.tsc, sums.tsc);
	EXPECT_EQ(all.pmc[0], sums.pmc[0]);
}

/* A child's sums are not added if its parent no longer has the inherited control. */
TEST_F(life, other_control)
{
	struct perfctr_sum_ctrs sums;
	pid_t child = fork();

	ASSERT_LE(0, child);
	if (!child)
		_exit(vperfctr_control(vperfctr_open(0, 0), &self->control));
	ASSERT_EQ(0, reap(child));
	ASSERT_EQ(0, vperfctr_read(self->fd, NULL, NULL, &sums));
	EXPECT_EQ(0, sums.tsc);
}

/*
 * A control that enables nothing stops the counters. It keeps all sums, also those of children, and
 * the signal.
 */
TEST_F(life, nothing_enabled)
{
	struct vperfctr_control none = { .si_signo = SIGUSR2 }, shown;
	struct perfctr_sum_ctrs sums, again;
	pid_t child;

	self->control.si_signo = SIGUSR1;
	ASSERT_EQ(0, vperfctr_control(self->fd, &self->control));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(0);
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	ASSERT_EQ(0, vperfctr_read(self->fd, NULL, NULL, &sums));
	EXPECT_LT(0, sums.tsc);
	/* This child will be reaped while its parent counts nothing. */
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(0);
	ASSERT_EQ(0, vperfctr_control(self->fd, &none));
	ASSERT_EQ(0, vperfctr_read(self->fd, NULL, &shown, &again));
	EXPECT_EQ(SIGUSR1, shown.si_signo);
	EXPECT_EQ(sums.tsc, again.tsc);
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	ASSERT_EQ(0, vperfctr_read(self->fd, NULL, NULL, &again));
	EXPECT_EQ(sums.tsc, again.tsc);
	EXPECT_EQ(sums.pmc[0], again.pmc[0]);
}

/* The counts of a child whose parent has exited are added to no object. */
TEST_F(life, orphans)
{
	struct perfctr_sum_ctrs sums;
	pid_t child, orphan;
	int told[2], i;

	ASSERT_EQ(0, pipe(told));
	for (i = 0; i < 20; i++) {
		child = fork();
		ASSERT_LE(0, child);
		if (!child) {
			orphan = fork();
			if (!orphan) {
				work(100000);
				_exit(0);
			}
			vperfctr_unlink(vperfctr_open(0, 0));
			_exit(write(told[1], &orphan, sizeof(orphan)) != sizeof(orphan));
		}
		ASSERT_EQ(0, reap(child));
		ASSERT_EQ(sizeof(orphan), read(told[0], &orphan, sizeof(orphan)));
		ASSERT_LT(0, orphan);
		/* The task that reaps it has no object. */
		while (!kill(orphan, 0))
			usleep(1000);
	}
	ASSERT_EQ(0, vperfctr_read(self->fd, NULL, NULL, &sums));
	EXPECT_EQ(0, sums.tsc);
}

/*
 * Once the thread has exited or was unlinked, any process with the file may call vperfctr_read. A
 * zombie still has its object.
 */
TEST_F(life, zombie)
{
	struct perfctr_sum_ctrs sums, again;
	int fd = dup(self->fd);
	siginfo_t info;
	pid_t child;

	close(fd);
	child = fork_with_files();
	ASSERT_LE(0, child);
	if (!child)
		_exit(vperfctr_open(0, 0) != fd);
	ASSERT_EQ(0, waitid(P_PID, child, &info, WEXITED | WNOWAIT));
	ASSERT_EQ(0, info.si_status);
	ASSERT_EQ(0, vperfctr_read(fd, &sums, NULL, NULL));
	EXPECT_LT(0, sums.tsc);
	EXPECT_FAILS(ESRCH, vperfctr_control(fd, &self->control));
	EXPECT_EQ(0, vperfctr_unlink(fd));
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	ASSERT_EQ(0, vperfctr_read(fd, &again, NULL, NULL));
	EXPECT_EQ(sums.tsc, again.tsc);
	EXPECT_EQ(0, vperfctr_unlink(fd));
	EXPECT_FAILS(ESRCH, vperfctr_control(fd, &self->control));
	close(fd);
}

/*
 * The fd is not closed by exec, and can be passed to other processes. It can be read after its
 * thread has exited.
 */
TEST_F(life, passed)
{
	char space[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 0;
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = space, .msg_controllen = sizeof(space),
	};
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);
	const volatile struct vperfctr_state *page;
	struct perfctr_sum_ctrs sums;
	int pair[2], fd;
	pid_t child;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		part->cmsg_level = SOL_SOCKET;
		part->cmsg_type = SCM_RIGHTS;
		part->cmsg_len = CMSG_LEN(sizeof(int));
		fd = vperfctr_open(0, 0);
		memcpy(CMSG_DATA(part), &fd, sizeof(fd));
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || sendmsg(pair[1], &message, 0) != 1)
			_exit(1);
		for (;;)
			work(1000);
	}
	ASSERT_EQ(1, recvmsg(pair[0], &message, 0));
	memcpy(&fd, CMSG_DATA(part), sizeof(fd));
	EXPECT_FAILS(ESRCH, vperfctr_read(fd, &sums, NULL, NULL));
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	ASSERT_EQ(0, vperfctr_read(fd, &sums, NULL, NULL));
	EXPECT_LT(0, sums.tsc);
	/* A mapping holds its file. */
	close(fd);
	EXPECT_EQ(sums.tsc, page->cpu_state.tsc_sum);
	munmap((void *)page, sysconf(_SC_PAGESIZE));
	close(pair[0]);
	close(pair[1]);
}

/* If no fd is left, the call fails, and the thread has no object. */
TEST_F(life, no_fd)
{
	struct rlimit limit = { .rlim_cur = self->fd + 1, .rlim_max = 1024 };
	pid_t child = fork();

	ASSERT_LE(0, child);
	if (!child) {
		close(self->fd + 1);
		vperfctr_unlink(vperfctr_open(0, 0));
		close(self->fd + 1);
		setrlimit(RLIMIT_NOFILE, &limit);
		if (vperfctr_open(0, 1) != -1 || errno != EMFILE)
			_exit(1);
		limit.rlim_cur++;
		setrlimit(RLIMIT_NOFILE, &limit);
		_exit(vperfctr_open(0, 1) != self->fd + 1 ? 2 : 0);
	}
	EXPECT_EQ(0, reap(child));
}

/* Execute this program, from @path, and read fd @fd after the exec. */
static int exec_again(const char *path, int fd)
{
	char arg[16];

	snprintf(arg, sizeof(arg), "%d", fd);
	execl(path, path, "after-exec", arg, NULL);
	return 99;
}

/* Body of the executed program */
static int after_exec(int fd)
{
	struct perfctr_sum_ctrs a, b;

	if (vperfctr_read(fd, &a, NULL, NULL))
		return 1;
	work(100000);
	if (vperfctr_read(fd, &b, NULL, NULL))
		return 1;
	/* A thread with counters has an object, and cannot create a new one. */
	if (vperfctr_open(0, 1) < 0)
		return errno == EEXIST && b.tsc > a.tsc ? 2 : 3;
	return b.tsc == a.tsc ? 4 : 5;
}

/*
 * An object survives exec, and continues to count, unless the new program is not dumpable
 * (set-uid and the like, or unreadable).
 */
TEST_F(life, exec)
{
	pid_t child = fork();

	ASSERT_LE(0, child);
	if (!child)
		_exit(exec_again("/proc/self/exe", vperfctr_open(0, 0)));
	EXPECT_EQ(2 << 8, reap(child));
}

/* Copy this program, so that a process that runs the copy cannot be traced without root. */
static bool copy_self(const char *path, mode_t mode)
{
	int to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	int from = open("/proc/self/exe", O_RDONLY);
	char buffer[65536];
	ssize_t n;

	while (to >= 0 && (n = read(from, buffer, sizeof(buffer))) > 0) {
		if (write(to, buffer, n) != n)
			return false;
	}
	close(from);
	return to >= 0 && !close(to) && !chmod(path, mode);
}

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define KPROBE_TYPE	"/sys/bus/event_source/devices/kprobe/type"

static int set_paranoid(int level)
{
	return replace_number(PARANOID, level);
}

/*
 * An object survives exec, and continues to count, unless the new program is not dumpable or has
 * more privileges (set-uid and the like, also if fs.suid_dumpable is 1; or unreadable). In that
 * case it is unlinked before the program starts.
 */
TEST_F(life, exec_secret)
{
	static const mode_t modes[] = { 04755, 04755, 0711 };
	static const int dumpable[] = { 0, 1, 0 };
	char path[] = "/tmp/perfctr-life-XXXXXX";
	int i, status, before;
	struct statvfs fs;
	bool nosuid;
	pid_t child;

	if (geteuid())
		SKIP(return, "needs root");
	close(mkstemp(path));
	ASSERT_EQ(0, statvfs(path, &fs));
	nosuid = fs.f_flag & ST_NOSUID;
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(copy_self(path, modes[i]));
		before = replace_number("/proc/sys/fs/suid_dumpable", dumpable[i]);
		child = fork();
		ASSERT_LE(0, child);
		if (!child) {
			int fd = vperfctr_open(0, 0);

			if (setgid(NOBODY) || setuid(NOBODY))
				_exit(98);
			_exit(exec_again(path, fd));
		}
		EXPECT_EQ(child, waitpid(child, &status, 0));
		replace_number("/proc/sys/fs/suid_dumpable", before);
		/* On a nosuid file system the set-uid program is like any other. */
		EXPECT_EQ(modes[i] & 04000 && nosuid ? 2 : 4, WEXITSTATUS(status));
	}
	unlink(path);
}

/*
 * The caller must have access to another thread by the rules of perf events: tracing it is not
 * enough once it runs an unreadable program. Without that access every call is EPERM.
 */
TEST_F(life, not_dumpable)
{
	struct perfctr_sum_ctrs sums;
	int status, failed, fd;
	pid_t tracer, child;

	if (geteuid())
		SKIP(return, "needs root");
	tracer = fork();
	ASSERT_LE(0, tracer);
	if (!tracer) {
		if (setgid(NOBODY) || setuid(NOBODY) || prctl(PR_SET_DUMPABLE, 1))
			_exit(98);
		child = fork();
		if (!child) {
			ptrace(PTRACE_TRACEME, 0, 0, 0);
			raise(SIGSTOP);
			prctl(PR_SET_DUMPABLE, 0);
			raise(SIGSTOP);
			for (;;)
				pause();
		}
		failed = waitpid(child, &status, 0) != child;
		fd = vperfctr_open(child, 0);
		failed |= fd < 0;
		ptrace(PTRACE_CONT, child, 0, 0);
		failed |= (waitpid(child, &status, 0) != child) << 1;
		failed |= (vperfctr_open(child, 0) != -1 || errno != EPERM) << 2;
		failed |= (vperfctr_control(fd, &self->control) != -1 || errno != EPERM) << 3;
		failed |= (vperfctr_read(fd, &sums, NULL, NULL) != -1 || errno != EPERM) << 4;
		failed |= (vperfctr_unlink(fd) != -1 || errno != EPERM) << 5;
		kill(child, SIGKILL);
		_exit(failed);
	}
	EXPECT_EQ(0, reap(tracer));
}

static void count_kernel(struct perfctr_cpu_control *control)
{
#ifdef PERFCTR_NOT_KERNEL
	control->modes[0] = 0;
#else
	control->evntsel[0] |= SELECT_KERNEL;
#endif
}

/*
 * Return the call that is refused to a user without permission. 1: open; 2: a control that counts
 * the kernel.
 */
static int refusals(struct vperfctr_control *control, bool counters)
{
	int fd, refused = 0, status;
	pid_t child = fork();

	if (child) {
		status = reap(child);
		return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
	}
	vperfctr_unlink(vperfctr_open(0, 0));
	if (setgid(NOBODY) || setuid(NOBODY))
		_exit(98);
	fd = vperfctr_open(0, 1);
	if (fd < 0)
		_exit(errno == EACCES ? 1 : 97);
	if (vperfctr_control(fd, control))
		_exit(96);
	count_kernel(&control->cpu_control);
	if (counters && vperfctr_control(fd, control))
		refused |= errno == EPERM ? 2 : 95;
	_exit(refused);
}

/* Become a user with only these capabilities. */
static int become(unsigned long long caps)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = caps, .permitted = caps },
		{ .effective = caps >> 32, .permitted = caps >> 32 },
	};

	return prctl(PR_SET_KEEPCAPS, 1) || setgid(NOBODY) || setuid(NOBODY) ||
	       syscall(SYS_capset, &header, data);
}

static int may_have_event(bool kernel)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .size = sizeof(attr),
		.exclude_kernel = !kernel,
	};
	int fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		return errno != EACCES ? -1 : 0;
	close(fd);
	return 1;
}

/* May the caller have an object with @control? Return: 0 or 1; unexpected error: -2, not -1 */
static int may_have_counters(struct vperfctr_control *control)
{
	int fd = vperfctr_open(0, 1), err;

	if (fd < 0)
		return errno != EACCES ? -2 : 0;
	err = vperfctr_control(fd, control) ? errno : 0;
	vperfctr_unlink(fd);
	close(fd);
	return err && err != EACCES && err != EPERM ? -2 : !err;
}

/* Do perf_event_open(2) and perfctr return the same to a caller with these capabilities? */
static int same_as_perf(struct vperfctr_control *control, unsigned long long caps, bool counters)
{
	vperfctr_unlink(vperfctr_open(0, 0));
	if (become(caps))
		return 1;
	if (may_have_event(false) != may_have_counters(control))
		return 2;
	count_kernel(&control->cpu_control);
	if (counters && may_have_event(true) != may_have_counters(control))
		return 3;
	return 0;
}

/*
 * At each level and with each capability, a caller may count here what it may count on itself
 * with a perf event, and no more.
 */
TEST_F(life, rights_as_perf)
{
	static const unsigned long long caps[] = {
		0, 1ULL << CAP_PERFMON, 1ULL << CAP_SYS_ADMIN, 1ULL << CAP_SYS_PTRACE,
	};
	bool counters = has_counters();
	int before, level;
	unsigned int i;
	pid_t child;

	if (geteuid() || access(PARANOID, F_OK))
		SKIP(return, "needs root and perf_event_paranoid");
	before = set_paranoid(2);
	ASSERT_NE(-2, before);
	for (level = -1; level <= 4; level++) {
		set_paranoid(level);
		for (i = 0; i < ARRAY_SIZE(caps); i++) {
			child = fork();
			ASSERT_LE(0, child);
			if (!child)
				_exit(same_as_perf(&self->control, caps[i], counters));
			EXPECT_EQ(0, reap(child)) {
				TH_LOG("level %d, capabilities %#llx", level, caps[i]);
			}
		}
	}
	set_paranoid(before);
}

/*
 * With kernel.perf_event_paranoid above 2, only a caller with CAP_SYS_ADMIN may count at all:
 * EACCES.
 */
TEST_F(life, rights_of_others_file)
{
	int before;
	pid_t child;

	if (geteuid() || access(PARANOID, F_OK))
		SKIP(return, "needs root and perf_event_paranoid");
	before = set_paranoid(3);
	ASSERT_NE(-2, before);
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		int fd = vperfctr_open(0, 0);

		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(98);
		_exit(vperfctr_control(fd, &self->control) != -1 || errno != EACCES);
	}
	EXPECT_EQ(0, reap(child));
	set_paranoid(before);
}

/*
 * Here, the rules are those of perf events. With kernel.perf_event_paranoid above 2, only a
 * caller with CAP_SYS_ADMIN may count at all: EACCES. A control that counts in the kernel needs
 * the same privilege as a perf event that does so, from level 2 on: EPERM.
 */
TEST_F(life, rights)
{
	bool counters = has_counters();
	int before;

	if (geteuid() || access(PARANOID, F_OK))
		SKIP(return, "needs root and perf_event_paranoid");
	before = set_paranoid(1);
	ASSERT_NE(-2, before);
	EXPECT_EQ(0, refusals(&self->control, counters));
	set_paranoid(2);
	EXPECT_EQ(counters ? 2 : 0, refusals(&self->control, counters));
	set_paranoid(3);
	EXPECT_EQ(1, refusals(&self->control, counters));
	set_paranoid(before);
}

/*
 * A program without the right to count in the kernel cannot open an object that counts in the
 * kernel: such a child of a privileged program gets EPERM from vperfctr_open.
 */
TEST_F(life, inherited_rights)
{
	int before;
	pid_t child;

	if (geteuid())
		SKIP(return, "needs root");
	if (!has_counters())
		SKIP(return, "no counters");
	before = set_paranoid(2);
	count_kernel(&self->control.cpu_control);
	ASSERT_EQ(0, vperfctr_control(self->fd, &self->control));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(98);
		_exit(vperfctr_open(0, 0) != -1 || errno != EPERM);
	}
	EXPECT_EQ(0, reap(child));
	/* An object whose control was refused, and which counts nothing, is inherited. */
	ASSERT_EQ(0, vperfctr_unlink(self->fd));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(98);
		if (vperfctr_control(vperfctr_open(0, 1), &self->control) != -1 || errno != EPERM)
			_exit(97);
		_exit(vperfctr_open(0, 0) < 0);
	}
	EXPECT_EQ(0, reap(child));
	set_paranoid(before);
}

/* The hooks with a label, in the order of struct hooks */
static const char * const hook_names[] = {
	"security_perf_event_alloc", "security_perf_event_read", "security_perf_event_write",
};

#define HOOKS	ARRAY_SIZE(hook_names)

/**
 * struct hooks - numbers of calls of the hooks by this thread
 * @alloc: an object gets a label
 * @read: the right to read is checked against the label
 * @write: the right to write is checked against the label
 */
struct hooks {
	long long alloc;
	long long read;
	long long write;
};

/* Does the kernel have a function? */
static bool has_function(const char *name)
{
	FILE *symbols = fopen("/proc/kallsyms", "r");
	char line[512], symbol[256];
	bool found = false;

	while (symbols && !found && fgets(line, sizeof(line), symbols))
		found = sscanf(line, "%*s %*s %255s", symbol) == 1 && !strcmp(symbol, name);
	if (symbols)
		fclose(symbols);
	return found;
}

/* Count the calls of a function of the kernel by this thread. Return: an fd, or -1. */
static int open_probe(const char *function)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .kprobe_func = (unsigned long)function,
	};
	FILE *file = fopen(KPROBE_TYPE, "r");
	int ok;

	if (!file)
		return -1;
	ok = fscanf(file, "%u", &attr.type);
	fclose(file);
	return ok == 1 ? syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0) : -1;
}

static struct hooks count_hooks(const int *probes)
{
	long long n[HOOKS] = { 0 };
	unsigned int i;

	for (i = 0; i < HOOKS; i++) {
		if (read(probes[i], &n[i], sizeof(n[i])) != sizeof(n[i]))
			n[i] = -1000;
	}
	return (struct hooks){ n[0], n[1], n[2] };
}

/* Were the hooks called @often times since @since? @idle: calls by count_hooks() itself */
static bool called(const int *probes, struct hooks *since, const struct hooks *idle,
		   struct hooks often)
{
	struct hooks before = *since;

	*since = count_hooks(probes);
	return since->alloc - before.alloc - idle->alloc == often.alloc &&
	       since->read - before.read - idle->read == often.read &&
	       since->write - before.write - idle->write == often.write;
}

/*
 * An object has a label of security modules, as an event has: that of the thread that created it,
 * or of the thread that forked. mmap and vperfctr_read call the hook for reading an event;
 * vperfctr_control and vperfctr_iresume call the hook for writing one.
 */
TEST_F(life, security_hooks)
{
	struct hooks now, idle;
	int probes[HOOKS];
	unsigned int i;
	pid_t child;
	void *page;

	if (geteuid() || access(KPROBE_TYPE, F_OK))
		SKIP(return, "needs root and probes");
	if (!has_function(hook_names[0]))
		SKIP(return, "no security modules");
	for (i = 0; i < HOOKS; i++) {
		probes[i] = open_probe(hook_names[i]);
		ASSERT_LE(0, probes[i])
			TH_LOG("%s: error %d", hook_names[i], errno);
	}
	ASSERT_EQ(0, vperfctr_unlink(self->fd));
	close(self->fd);
	/* The reads in count_hooks() call a hook, too. */
	idle = count_hooks(probes);
	now = count_hooks(probes);
	idle = (struct hooks){ now.alloc - idle.alloc, now.read - idle.read,
			       now.write - idle.write };

	self->fd = vperfctr_open(0, 1);
	ASSERT_LE(0, self->fd);
	EXPECT_TRUE(called(probes, &now, &idle, (struct hooks){ .alloc = 1 }));
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd, 0);
	EXPECT_NE(MAP_FAILED, page);
	EXPECT_TRUE(called(probes, &now, &idle, (struct hooks){ .read = 1 }));
	EXPECT_EQ(0, vperfctr_control(self->fd, &self->control));
	EXPECT_TRUE(called(probes, &now, &idle, (struct hooks){ .write = 1 }));
	EXPECT_EQ(0, vperfctr_read(self->fd, NULL, NULL, NULL));
	EXPECT_TRUE(called(probes, &now, &idle, (struct hooks){ .read = 1 }));
	EXPECT_EQ(-1, vperfctr_iresume(self->fd));
	EXPECT_TRUE(called(probes, &now, &idle,
			   (struct hooks){ .write = has(PERFCTR_FEATURE_PCINT) }));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(0);
	EXPECT_EQ(child, waitpid(child, NULL, 0));
	EXPECT_TRUE(called(probes, &now, &idle, (struct hooks){ .alloc = 1 }));
	for (i = 0; i < HOOKS; i++)
		close(probes[i]);
}

/* If memory is lacking, the child has no object. All other calls are ENOMEM then. */
TEST_F(life, no_memory)
{
	int file = open("/proc/thread-self/fail-nth", O_WRONLY), fd = -1, n;
	char text[16];
	pid_t child;

	if (file < 0)
		SKIP(return, "no fault injection");
	ASSERT_EQ(0, vperfctr_unlink(self->fd));
	for (n = 1; n < 100 && fd < 0; n++) {
		snprintf(text, sizeof(text), "%d", n);
		ASSERT_LT(0, pwrite(file, text, strlen(text), 0));
		fd = vperfctr_open(0, 1);
		if (fd < 0)
			EXPECT_EQ(true, errno == ENOMEM || errno == ENFILE);
		pwrite(file, "0", 1, 0);
	}
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, vperfctr_control(fd, &self->control));
	for (n = 1; n < 200; n++) {
		snprintf(text, sizeof(text), "%d", n);
		ASSERT_LT(0, pwrite(file, text, strlen(text), 0));
		child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (!child) {
			n = vperfctr_open(0, 0);
			/* EINVAL: there is no object. */
			syscall(SYS_exit, n < 0 || (vperfctr_unlink(n) && errno != EINVAL));
		}
		pwrite(file, "0", 1, 0);
		if (child > 0) {
			/* A child that got a spare page has an object nevertheless. */
			EXPECT_EQ(0, reap(child));
		}
	}
	EXPECT_EQ(0, vperfctr_unlink(fd));
	close(fd);
	close(file);
}

/* Executed by the tests: report the state of the counters. */
static void __attribute__((constructor)) executed(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "after-exec"))
		_exit(after_exec(atoi(argv[2])));
}

TEST_HARNESS_MAIN
