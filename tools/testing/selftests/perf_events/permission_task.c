// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2): which other tasks a user may measure. The rule is that
 * of ptrace read access, with the real user id, or CAP_PERFMON.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

static int open_user_mode(void *arg)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);

	a.exclude_kernel = 1;
	return pe_try(&a, *(pid_t *)arg, -1, -1, 0);
}

static int open_on_cpu(void *arg)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);

	a.exclude_kernel = 1;
	return pe_try(&a, *(pid_t *)arg, 0, -1, 0);
}

FIXTURE(task) {
	long was;
	struct pe_child child;
};

FIXTURE_SETUP(task)
{
	if (geteuid())
		SKIP(return, "needs root");
	self->was = pe_get(PE_PARANOID);
	ASSERT_NE(LONG_MIN, self->was);
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	ASSERT_EQ(0, pe_child_start(&self->child));
}

FIXTURE_TEARDOWN(task)
{
	pe_child_end(&self->child);
	pe_set(PE_PARANOID, self->was);
}

TEST_F(task, of_root)
{
	pid_t pid = self->child.pid;

	EXPECT_EQ(0, open_user_mode(&pid));
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_user_mode, &pid));
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_on_cpu, &pid));
	EXPECT_EQ(0, pe_run_as(PE_UID, PE_CAP(CAP_PERFMON), open_user_mode, &pid));
	EXPECT_EQ(0, pe_run_as(PE_UID, PE_CAP(CAP_SYS_ADMIN), open_user_mode, &pid));
	EXPECT_EQ(0, pe_run_as(PE_UID, PE_CAP(CAP_SYS_PTRACE), open_user_mode, &pid));
}

TEST_F(task, level_does_not_matter)
{
	pid_t pid = self->child.pid;
	int level;

	/* However free measuring is: others' tasks stay others'. */
	for (level = -1; level <= 2; level++) {
		ASSERT_EQ(0, pe_set(PE_PARANOID, level));
		EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_user_mode, &pid));
	}
}

TEST_F(task, of_same_user)
{
	pid_t pid = self->child.pid;

	ASSERT_EQ(0, pe_child_do(&self->child, PE_SETUID, PE_UID));
	/* Changing its user made the task undumpable. */
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_user_mode, &pid));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_DUMPABLE, 1));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, open_user_mode, &pid));
	EXPECT_EQ(-EACCES, pe_run_as(PE_OTHER_UID, 0, open_user_mode, &pid));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_DUMPABLE, 0));
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_user_mode, &pid));
	EXPECT_EQ(0, pe_run_as(PE_UID, PE_CAP(CAP_PERFMON), open_user_mode, &pid));
	EXPECT_EQ(0, open_user_mode(&pid));
}

TEST_F(task, after_exec)
{
	pid_t pid = self->child.pid;

	/* A program that the user may read is dumpable again. */
	ASSERT_EQ(0, pe_child_do(&self->child, PE_SETUID, PE_UID));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_EXEC, 0));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, open_user_mode, &pid));
	EXPECT_EQ(-EACCES, pe_run_as(PE_OTHER_UID, 0, open_user_mode, &pid));
}

TEST_F(task, change_of_user_keeps_the_event)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	__u64 count;
	int fd;

	/* An event that is there stays, whoever the task becomes. */
	fd = pe_open(&a, self->child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_SETUID, PE_UID));
	count = pe_count(fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, 10));
	EXPECT_LE(count + 10, pe_count(fd));
	close(fd);
}

static int open_kernel_mode(void *arg)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);

	return pe_try(&a, *(pid_t *)arg, -1, -1, 0);
}

TEST_F(task, kernel_of_other)
{
	pid_t pid = self->child.pid;

	/* At level 2 the kernel is asked for first, then the task. */
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_kernel_mode, &pid));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_SETUID, PE_UID));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_DUMPABLE, 1));
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_kernel_mode, &pid));
	ASSERT_EQ(0, pe_set(PE_PARANOID, 1));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, open_kernel_mode, &pid));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, open_on_cpu, &pid));
}

/**
 * struct trap - a sigtrap event on another task
 * @pid: that task
 */
struct trap {
	pid_t pid;
};

static int open_sigtrap(void *arg)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);

	a.exclude_kernel = 1;
	a.sigtrap = 1;
	a.remove_on_exec = 1;
	a.sample_period = 1000000;
	return pe_try(&a, ((struct trap *)arg)->pid, -1, -1, 0);
}

TEST_F(task, signals_need_more)
{
	struct trap t = { self->child.pid };

	/* To send signals the right to measure is not enough. */
	EXPECT_EQ(0, open_sigtrap(&t));
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, PE_CAP(CAP_PERFMON), open_sigtrap, &t));
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_sigtrap, &t));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_SETUID, PE_UID));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_DUMPABLE, 1));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, open_sigtrap, &t));
}

TEST_F(task, init_of_the_system)
{
	pid_t pid = 1;

	EXPECT_EQ(0, open_user_mode(&pid));
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_user_mode, &pid));
}

/**
 * struct slow - a call that takes as long as the test wants
 * @thread: makes it
 * @tid: of the thread, 0 before it begins
 * @arg: the event to read, or the task to open one on
 * @page: where the values go
 * @ret: its result, LONG_MAX until it is there
 */
struct slow {
	pthread_t thread;
	pid_t tid;
	int arg;
	char *page;
	long ret;
};

static void *read_slowly(void *arg)
{
	struct slow *s = arg;
	long ret;

	__atomic_store_n(&s->tid, syscall(__NR_gettid), __ATOMIC_RELEASE);
	ret = read(s->arg, s->page, 64);
	__atomic_store_n(&s->ret, ret, __ATOMIC_RELEASE);
	return NULL;
}

static void *open_slowly(void *arg)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct slow *s = arg;
	int fd;

	__atomic_store_n(&s->tid, syscall(__NR_gettid), __ATOMIC_RELEASE);
	fd = pe_open(&a, s->arg, -1, -1, 0);
	__atomic_store_n(&s->ret, fd, __ATOMIC_RELEASE);
	return NULL;
}

static int begin(struct slow *s, void *(*fn)(void *arg))
{
	s->tid = 0;
	s->ret = LONG_MAX;
	return pthread_create(&s->thread, NULL, fn, s);
}

/* Does it wait for a lock? Until it does, for more than a moment, or has come to its end. */
static bool waits(struct slow *s)
{
	char path[64], line[256], *name;
	int i, seen = 0;
	FILE *f;

	for (i = 0; i < 1000 && seen < 5; i++, pe_sleep_ms(10)) {
		if (__atomic_load_n(&s->ret, __ATOMIC_ACQUIRE) != LONG_MAX)
			return false;
		snprintf(path, sizeof(path), "/proc/self/task/%d/stat",
			 __atomic_load_n(&s->tid, __ATOMIC_ACQUIRE));
		f = fopen(path, "r");
		if (!f)
			continue;
		name = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
		fclose(f);
		seen = name && name[2] == 'D' ? seen + 1 : 0;
	}
	return seen == 5;
}

/* A page that nobody can write to before the test says so. */
static int blocked_page(char **page, size_t size)
{
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(__NR_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	*page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range.start = (unsigned long)*page;
	reg.range.len = size;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &reg))
		return -1;
	return fd;
}

/* The first number of statm: how much is mapped. */
static size_t mapped(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	return pe_get(path) * sysconf(_SC_PAGESIZE);
}

#define MUCH	(256UL << 20)

/*
 * Whoever opens an event has asked who the task is. Until the event is there,
 * the task does not become another by execve(2): it keeps its memory.
 */
TEST_F(task, stays_who_it_is_meanwhile)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	size_t size = sysconf(_SC_PAGESIZE);
	struct slow reader, opener;
	struct uffdio_zeropage zero = {};
	struct pollfd fault;
	struct pe_child c;
	void *much;
	int alike, i;

	/* The child has it, too. */
	much = mmap(NULL, MUCH, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ASSERT_NE(MAP_FAILED, much);
	ASSERT_EQ(0, pe_child_start(&c));
	/* With one like it there, opening another has nothing else to wait for. */
	alike = pe_open(&a, c.pid, -1, -1, 0);
	ASSERT_LE(0, alike);
	a.read_format = PERF_FORMAT_GROUP;
	reader.arg = pe_open(&a, c.pid, -1, -1, 0);
	ASSERT_LE(0, reader.arg);
	fault.fd = blocked_page(&reader.page, size);
	if (fault.fd < 0)
		SKIP(return, "no userfaultfd");

	/* Who reads a group keeps the task's events as they are, and who opens one waits. */
	ASSERT_EQ(0, begin(&reader, read_slowly));
	fault.events = POLLIN;
	ASSERT_EQ(1, poll(&fault, 1, -1));
	ASSERT_EQ(POLLIN, fault.revents);
	opener.arg = c.pid;
	ASSERT_EQ(0, begin(&opener, open_slowly));
	if (waits(&opener)) {
		ASSERT_EQ(0, pe_child_send(&c, PE_EXEC, 0));
		for (i = 0; i < 50 && mapped(c.pid) >= MUCH; i++)
			pe_sleep_ms(10);
		EXPECT_LE(MUCH, mapped(c.pid));
	} else {
		i = -1;
	}

	zero.range.start = (unsigned long)reader.page;
	zero.range.len = size;
	ASSERT_EQ(0, ioctl(fault.fd, UFFDIO_ZEROPAGE, &zero));
	pthread_join(reader.thread, NULL);
	pthread_join(opener.thread, NULL);
	EXPECT_EQ(16, reader.ret);
	EXPECT_LE(0, opener.ret);
	if (i >= 0) {
		ASSERT_EQ(0, pe_child_answer(&c));
		EXPECT_GT(MUCH, mapped(c.pid));
	}
	pe_child_end(&c);
	close(fault.fd);
	close(alike);
	close(reader.arg);
	close(opener.ret);
	if (i < 0)
		SKIP(return, "nobody waits");
}

TEST_HARNESS_MAIN
