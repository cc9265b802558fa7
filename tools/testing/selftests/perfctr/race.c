// SPDX-License-Identifier: GPL-2.0
/*
 * Races between the calls, and with exit, exec, fork, switches and signals: each call must return
 * one of its documented results, and the kernel must report nothing.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "../perf_events/pe_rounds.h"
#include "perfctr.h"

#define ROUNDS	pe_rounds(300)

/* Period of overflows: longer than the signal and its handler, where the kernel is counted, too */
#ifdef __powerpc__
#define PERIOD	50000
#else
#define PERIOD	2000
#endif

FIXTURE(race) {
	struct vperfctr_control control;
	/* errno of a child that could not open its object, in memory that it shares, or 0 */
	int *error;
};

FIXTURE_SETUP(race)
{
	if (!has_perfctr())
		SKIP(return, "no perfctr");
	self->control = instructions(0);
	if (!has_counters())
		self->control.cpu_control.nractrs = 0;
	self->error = mmap(NULL, sizeof(*self->error), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->error);
}

FIXTURE_TEARDOWN(race)
{
}

/* Is the result 0, or an error because a thread is not stopped or has exited? */
static bool is_expected(int ret)
{
	return ret >= 0 || errno == ESRCH;
}

/*
 * In a child: open the child's object as the descriptor @fd, which the parent reads. Without an
 * object the parent would read for ever: report the error, and exit.
 */
static void open_as(int fd, int *error)
{
	int got = vperfctr_open(0, 1);

	if (got == fd)
		return;
	__atomic_store_n(error, got < 0 ? errno : EBADF, __ATOMIC_RELEASE);
	_exit(1);
}

/* Clone a process that shares files, and optionally memory, with the caller. */
static pid_t clone_with(unsigned long flags)
{
	return syscall(SYS_clone, CLONE_FILES | SIGCHLD | flags, 0, 0, 0, 0);
}

/* Exit against read, control and unlink by others: two reads of the final sums are equal. */
TEST_F(race, exit)
{
	struct perfctr_sum_ctrs a, b;
	int i, probe = vperfctr_open(0, 0), error;
	pid_t child;

	ASSERT_LE(0, probe);
	close(probe);
	for (i = 0; i < ROUNDS; i++) {
		child = clone_with(0);
		ASSERT_LE(0, child);
		if (!child) {
			open_as(probe, self->error);
			vperfctr_control(probe, &self->control);
			work(1000 * (i % 50));
			_exit(0);
		}
		while (vperfctr_read(probe, &a, NULL, NULL)) {
			ASSERT_EQ(true, errno == ESRCH || errno == EBADF);
			ASSERT_EQ(true, is_expected(vperfctr_unlink(probe)) || errno == EBADF);
			ASSERT_EQ(-1, vperfctr_control(probe, &self->control));
			ASSERT_EQ(true, errno == ESRCH || errno == EBADF);
			error = __atomic_load_n(self->error, __ATOMIC_ACQUIRE);
			ASSERT_EQ(0, error) {
				TH_LOG("the child cannot open its object: %s", strerror(error));
			}
			sched_yield();
		}
		ASSERT_EQ(child, waitpid(child, NULL, 0));
		ASSERT_EQ(0, vperfctr_read(probe, &b, NULL, NULL));
		ASSERT_EQ(a.tsc, b.tsc);
		ASSERT_EQ(a.pmc[0], b.pmc[0]);
		close(probe);
	}
}

/*
 * Unlink against read by another: a reader that finds no owner gets the final sums, although the
 * thread still runs.
 */
TEST_F(race, unlink_read)
{
	struct perfctr_sum_ctrs a, b;
	int i, probe = vperfctr_open(0, 0), error, status;
	pid_t child;

	ASSERT_LE(0, probe);
	close(probe);
	for (i = 0; i < ROUNDS; i++) {
		child = clone_with(0);
		ASSERT_LE(0, child);
		if (!child) {
			open_as(probe, self->error);
			if (vperfctr_control(probe, &self->control))
				_exit(2);
			work(1000 * (i % 50));
			if (vperfctr_unlink(probe))
				_exit(3);
			work(50000);
			_exit(0);
		}
		while (vperfctr_read(probe, &a, NULL, NULL)) {
			ASSERT_EQ(true, errno == ESRCH || errno == EBADF);
			error = __atomic_load_n(self->error, __ATOMIC_ACQUIRE);
			ASSERT_EQ(0, error) {
				TH_LOG("the child cannot open its object: %s", strerror(error));
			}
			sched_yield();
		}
		ASSERT_EQ(0, vperfctr_read(probe, &b, NULL, NULL));
		ASSERT_EQ(a.tsc, b.tsc);
		ASSERT_EQ(a.pmc[0], b.pmc[0]);
		ASSERT_EQ(child, waitpid(child, &status, 0));
		ASSERT_EQ(0, status);
		ASSERT_EQ(0, vperfctr_read(probe, &b, NULL, NULL));
		ASSERT_EQ(a.tsc, b.tsc);
		ASSERT_EQ(a.pmc[0], b.pmc[0]);
		close(probe);
	}
}

/* Open, control and unlink against switches, on one CPU and on all. */
TEST_F(race, unlink)
{
	int i, n, fd;

	for (n = 0; n < 6; n++) {
		if (fork())
			continue;
		for (i = 0; i < ROUNDS; i++) {
			fd = vperfctr_open(0, 1);
			if (fd < 0 || vperfctr_control(fd, &self->control))
				_exit(1);
			sched_yield();
			work(500);
			if (i & 1)
				usleep(1);
			if (vperfctr_unlink(fd))
				_exit(2);
			close(fd);
		}
		_exit(0);
	}
	EXPECT_EQ(6, nr_succeeded());
}

/*
 * Fork a tree of processes that exit in any order: some exit before their children, which are
 * reparented.
 */
static void grow(int depth, unsigned int seed)
{
	int i;

	for (i = 0; depth && i < 3; i++) {
		if (fork())
			continue;
		grow(depth - 1, seed * 3 + i);
		_exit(0);
	}
	work((seed * 2654435761u) >> 16);
	if (seed % 3)
		while (wait(NULL) > 0)
			;
}

TEST_F(race, reap)
{
	int i, fd = vperfctr_open(0, 1), status;

	ASSERT_EQ(0, vperfctr_control(fd, &self->control));
	for (i = 0; i < pe_rounds(10); i++) {
		pid_t child = fork();

		ASSERT_LE(0, child);
		if (!child) {
			grow(4, i);
			_exit(0);
		}
		ASSERT_EQ(child, waitpid(child, &status, 0));
	}
	EXPECT_EQ(0, vperfctr_unlink(fd));
	close(fd);
}

/* Exec against the calls of a tracer, which attaches, stops, detaches and kills. */
TEST_F(race, exec)
{
	struct perfctr_sum_ctrs sums;
	pid_t child = fork();
	int i, fd, status;

	ASSERT_LE(0, child);
	if (!child) {
		/* If an assertion fails, nothing else kills this child. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fd = vperfctr_open(0, 1);
		vperfctr_control(fd, &self->control);
		execl("/proc/self/exe", "race", "exec-for-ever", NULL);
		_exit(1);
	}
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, ptrace(PTRACE_ATTACH, child, 0, 0));
		ASSERT_EQ(child, waitpid(child, &status, __WALL));
		fd = vperfctr_open(child, 0);
		ASSERT_LE(0, fd);
		if (!vperfctr_read(fd, &sums, NULL, NULL)) {
			ASSERT_EQ(0, vperfctr_control(fd, &self->control));
			if (i % 4 == 3)
				ASSERT_EQ(0, vperfctr_unlink(fd));
		} else {
			ASSERT_EQ(EINVAL, errno);
			close(fd);
			fd = vperfctr_open(child, 1);
			ASSERT_LE(0, fd);
			ASSERT_EQ(0, vperfctr_control(fd, &self->control));
		}
		ASSERT_EQ(0, ptrace(PTRACE_DETACH, child, 0, 0));
		/* After a stop of an exec the attachment's SIGSTOP is still pending. */
		ASSERT_EQ(0, kill(child, SIGCONT));
		ASSERT_EQ(true, is_expected(vperfctr_read(fd, &sums, NULL, NULL)));
		ASSERT_EQ(true, is_expected(vperfctr_unlink(fd)));
		close(fd);
	}
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, &status, 0));
}

/* A broken kernel fails after this time. A correct one needs a fraction of it. */
#define KILL_MS	200000

/**
 * struct page_server - a thread that provides a page of memory only after a child was killed
 * @faults: userfaultfd of the page
 * @page: the page
 * @size: its size
 * @child: pidfd of the child
 * @exited: the child has exited while an access to the page waited
 */
struct page_server {
	int	faults;
	void	*page;
	size_t	size;
	int	child;
	bool	exited;
};

static void *serve_page(void *arg)
{
	struct page_server *server = arg;
	struct uffdio_zeropage zero = {
		.range = { .start = (unsigned long)server->page, .len = server->size },
	};
	struct pollfd fault = { .fd = server->faults, .events = POLLIN };
	struct pollfd exit = { .fd = server->child, .events = POLLIN };

	if (poll(&fault, 1, -1) == 1 && fault.revents == POLLIN &&
	    !syscall(SYS_pidfd_send_signal, server->child, SIGKILL, NULL, 0))
		__atomic_store_n(&server->exited, poll(&exit, 1, KILL_MS) == 1, __ATOMIC_RELEASE);
	ioctl(server->faults, UFFDIO_ZEROPAGE, &zero);
	return NULL;
}

/* Map a page whose first access waits for serve_page(). */
static bool map_missing(struct page_server *server)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register missing = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	server->size = sysconf(_SC_PAGESIZE);
	server->page = mmap(NULL, server->size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (server->page == MAP_FAILED)
		return false;
	missing.range.start = (unsigned long)server->page;
	missing.range.len = server->size;
	return !ioctl(server->faults, UFFDIO_API, &api) &&
	       !ioctl(server->faults, UFFDIO_REGISTER, &missing);
}

/* Call number @i of those that copy from or to user space. */
static int call_with(unsigned int i, int fd, void *page)
{
	switch (i) {
	case 0:
		return vperfctr_read(fd, page, NULL, NULL);
	case 1:
		return vperfctr_read(fd, NULL, page, NULL);
	case 2:
		return vperfctr_read(fd, NULL, NULL, page);
	default:
		return vperfctr_control(fd, page);
	}
}

/*
 * A kill of a traced thread against a call of its tracer that waits for memory: the thread exits
 * although the call still waits.
 */
TEST_F(race, kill)
{
	struct page_server server;
	pthread_t thread;
	unsigned int i;
	bool exited;
	int fd, ret;
	pid_t child;

	for (i = 0; i < 4; i++) {
		server = (struct page_server){ .faults = -1 };
		server.faults = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
		if (server.faults < 0 && (errno == EPERM || errno == ENOSYS))
			SKIP(return, "needs userfaultfd, and root for faults of the kernel");
		ASSERT_LE(0, server.faults);
		ASSERT_TRUE(map_missing(&server));
		child = fork();
		ASSERT_LE(0, child);
		if (!child) {
			/* If an assertion fails before PTRACE_SEIZE, nothing else kills it. */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
		server.child = syscall(SYS_pidfd_open, child, 0);
		ASSERT_LE(0, server.child);
		ASSERT_EQ(0, ptrace(PTRACE_SEIZE, child, 0, PTRACE_O_EXITKILL));
		ASSERT_EQ(0, ptrace(PTRACE_INTERRUPT, child, 0, 0));
		ASSERT_EQ(child, waitpid(child, NULL, __WALL));
		fd = vperfctr_open(child, 1);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, vperfctr_control(fd, &self->control));
		ASSERT_EQ(0, pthread_create(&thread, NULL, serve_page, &server));
		ret = call_with(i, fd, server.page) ? errno : 0;
		exited = __atomic_load_n(&server.exited, __ATOMIC_ACQUIRE);
		/* If the call has not waited, this access does, which ends serve_page(). */
		*(volatile char *)server.page;
		ASSERT_EQ(0, pthread_join(thread, NULL));
		ASSERT_TRUE(exited) {
			TH_LOG("the thread did not exit during call %u", i);
		}
		/* vperfctr_control() then finds no owner. */
		EXPECT_EQ(i < 3 ? 0 : ESRCH, ret);
		kill(child, SIGKILL);
		ASSERT_EQ(child, waitpid(child, NULL, __WALL));
		close(fd);
		close(server.child);
		munmap(server.page, server.size);
		close(server.faults);
	}
}

static int overflow_fd;
static int overflows;

static void resume_counters(int sig)
{
	__atomic_add_fetch(&overflows, 1, __ATOMIC_RELAXED);
	vperfctr_iresume(overflow_fd);
}

/* Overflows against all calls: counters are enabled, lost and resumed as the signals arrive. */
TEST_F(race, overflow)
{
	struct vperfctr_control control = instructions(-PERIOD), none = { .si_signo = 0 };
	int i, n;

	if (!has(PERFCTR_FEATURE_PCINT))
		SKIP(return, "no interrupts");
	control.si_signo = SIGUSR1;
	for (n = 0; n < 4; n++) {
		if (fork())
			continue;
		overflow_fd = vperfctr_open(0, 1);
		signal(SIGUSR1, resume_counters);
		for (i = 0; i < ROUNDS; i++) {
			if (vperfctr_control(overflow_fd, &control))
				_exit(1);
			work(PERIOD / 2 * 5);
			if (i % 3 == 0)
				sched_yield();
			if (i % 7 == 0 && vperfctr_control(overflow_fd, &none))
				_exit(2);
			if (i % 50 == 0 && !fork()) {
				work(PERIOD / 2 * 5);
				_exit(0);
			}
		}
		_exit(__atomic_load_n(&overflows, __ATOMIC_RELAXED) ? 0 : 3);
	}
	EXPECT_EQ(4, nr_succeeded());
}

/* Executed by a test, and by itself. */
static void __attribute__((constructor)) executed(int argc, char **argv)
{
	if (argc != 2 || strcmp(argv[1], "exec-for-ever"))
		return;
	work(100000);
	execl("/proc/self/exe", "race", "exec-for-ever", NULL);
	_exit(1);
}

TEST_HARNESS_MAIN
