// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2): which tasks a user may monitor: with ptrace read access, checked with the
 * real user id, or with CAP_PERFMON.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_sim.h"

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
	if (pe_sim_trace_type() >= 0)
		pe_set(PE_SIM_TRACE "slow", 0);
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

	/* At no level, not even -1, may a user monitor tasks of other users. */
	for (level = -1; level <= 2; level++) {
		ASSERT_EQ(0, pe_set(PE_PARANOID, level));
		EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_user_mode, &pid));
	}
}

TEST_F(task, of_same_user)
{
	pid_t pid = self->child.pid;

	ASSERT_EQ(0, pe_child_do(&self->child, PE_SETUID, PE_UID));
	/* A task that has changed its user is not dumpable. */
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

	/* exec of a program that the user may read makes the task dumpable again. */
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

	/* An open event stays open when the task changes its user. */
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

	/*
	 * At level 2 the permission for the kernel is checked before the permission for the task.
	 */
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

	/* Permission to monitor a task is not enough to send it signals. */
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
 * struct slow - a thread that makes a slow call
 * @thread: the thread
 * @tid: of the thread, 0 before it runs
 * @arg: the event for a filter, or the task for an open
 * @ret: result of the call, LONG_MAX until it returns
 */
struct slow {
	pthread_t thread;
	pid_t tid;
	int arg;
	long ret;
};

static void *set_filter_slowly(void *arg)
{
	struct slow *s = arg;
	long ret;

	__atomic_store_n(&s->tid, syscall(__NR_gettid), __ATOMIC_RELEASE);
	ret = pe_ioctl(s->arg, PERF_EVENT_IOC_SET_FILTER, (unsigned long)"filter 0x1000/0x100");
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

static bool is_over(struct slow *s)
{
	return __atomic_load_n(&s->ret, __ATOMIC_ACQUIRE) != LONG_MAX;
}

/* A task that is seen in a lock so often in a row waits: other waits in the kernel are short. */
#define OFTEN	5

static bool is_in_lock(pid_t tid)
{
	return tid && pe_task_state(tid) == 'D';
}

/* Wait until the call waits for a lock, or has returned. Return: whether it waits */
static bool waits(struct slow *s)
{
	int seen = 0;

	while (seen < OFTEN && !is_over(s)) {
		pe_sleep_ms(10);
		seen = is_in_lock(__atomic_load_n(&s->tid, __ATOMIC_ACQUIRE)) ? seen + 1 : 0;
	}
	return !is_over(s);
}

/* The first number of statm is the number of mapped pages. */
static size_t mapped(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	return pe_get(path) * sysconf(_SC_PAGESIZE);
}

#define MUCH	(256UL << 20)

/* Wait until the exec waits for a lock, or has replaced the memory. Return: mapped bytes */
static size_t mapped_in_exec(pid_t pid)
{
	size_t size = mapped(pid);
	int seen = 0;

	while (seen < OFTEN && size >= MUCH) {
		pe_sleep_ms(10);
		seen = is_in_lock(pid) ? seen + 1 : 0;
		size = mapped(pid);
	}
	return size;
}

/*
 * The driver takes this long to check filters, or until 0 is written, with the mutex of the task's
 * context held.
 */
#define SLOW_MS	60000

/*
 * perf_event_open(2) checks the permission for the task. Until the event is attached, execve(2)
 * must not change the task's credentials: it waits, and the task keeps its memory.
 */
TEST_F(task, stays_who_it_is_meanwhile)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS), trace = pe_attr_off(0);
	struct slow filter, opener;
	int alike, type = pe_sim_trace_type();
	bool waited, late = true;
	struct pe_child c;
	size_t size;
	void *much;

	if (type < 0)
		SKIP(return, "needs the simulated trace unit");
	/* The child inherits the mapping. */
	much = mmap(NULL, MUCH, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ASSERT_NE(MAP_FAILED, much);
	ASSERT_EQ(0, pe_child_start(&c));
	/* While an equal event is open, the next open waits only for the mutex of the context. */
	alike = pe_open(&a, c.pid, -1, -1, 0);
	ASSERT_LE(0, alike);
	trace.type = type;
	filter.arg = pe_open(&trace, c.pid, -1, -1, 0);
	ASSERT_LE(0, filter.arg);

	ASSERT_EQ(0, pe_set(PE_SIM_TRACE "slow", SLOW_MS));
	ASSERT_EQ(0, begin(&filter, set_filter_slowly));
	waited = waits(&filter);
	opener.arg = c.pid;
	ASSERT_EQ(0, begin(&opener, open_slowly));
	waited = waited && waits(&opener);
	if (waited) {
		ASSERT_EQ(0, pe_child_send(&c, PE_EXEC, 0));
		size = mapped_in_exec(c.pid);
		late = is_over(&filter);
		if (!late)
			EXPECT_LE(MUCH, size);
	}
	ASSERT_EQ(0, pe_set(PE_SIM_TRACE "slow", 0));

	pthread_join(filter.thread, NULL);
	pthread_join(opener.thread, NULL);
	EXPECT_EQ(0, filter.ret);
	EXPECT_LE(0, opener.ret);
	if (waited) {
		ASSERT_EQ(0, pe_child_answer(&c));
		EXPECT_GT(MUCH, mapped(c.pid));
	}
	pe_child_end(&c);
	close(alike);
	close(filter.arg);
	close(opener.ret);
	if (late)
		SKIP(return, "the filter was set before the open began");
}

TEST_HARNESS_MAIN
