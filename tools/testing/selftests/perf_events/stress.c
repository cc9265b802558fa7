// SPDX-License-Identifier: GPL-2.0
/*
 * Many events, and events that are opened and closed while their tasks run, fork, migrate, exec and
 * exit. The test asserts that no count is lost and no call hangs; a debugging kernel reports more.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_rounds.h"

#define MANY	1000
#define ROUNDS	pe_rounds(300)

static int more_files(void)
{
	struct rlimit limit = { 4096, 4096 };

	return setrlimit(RLIMIT_NOFILE, &limit);
}

TEST(many_on_oneself)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	static int fd[MANY];
	int i;

	if (more_files())
		SKIP(return, "too few files");
	for (i = 0; i < MANY; i++) {
		fd[i] = pe_self(&a);
		ASSERT_LE(0, fd[i]);
	}
	pe_fault(2);
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, pe_ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0));
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, pe_ioctl(fd[i], PERF_EVENT_IOC_RESET, 0));
	pe_fault(10);
	pe_sleep_ms(1);
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, pe_ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0));
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(10, pe_count(fd[i]));
	for (i = 0; i < MANY; i++)
		close(fd[i]);
}

TEST(many_on_a_child)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	static __u64 before[MANY];
	static int fd[MANY];
	struct pe_child child;
	int i;

	if (more_files())
		SKIP(return, "too few files");
	ASSERT_EQ(0, pe_child_start(&child));
	for (i = 0; i < MANY; i++) {
		a.inherit = i & 1;
		fd[i] = pe_open(&a, child.pid, i % 3 ? -1 : 0, -1, 0);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, pe_child_do(&child, PE_MOVE, 0));
	ASSERT_EQ(0, pe_child_do(&child, PE_FAULT, 10));
	for (i = 0; i < MANY; i++)
		before[i] = pe_count(fd[i]);
	ASSERT_EQ(0, pe_child_do(&child, PE_FAULT, 10));
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(before[i] + 10, pe_count(fd[i]));
	ASSERT_EQ(0, pe_child_do(&child, PE_FORK_FAULT, 10));
	for (i = 1; i < MANY; i += 2)
		ASSERT_LE(before[i] + 20, pe_count(fd[i]));
	/* Half of the events are closed before the task exits. */
	for (i = 0; i < MANY; i += 2)
		close(fd[i]);
	ASSERT_EQ(0, pe_child_end(&child));
	for (i = 1; i < MANY; i += 2) {
		ASSERT_LE(before[i] + 20, pe_count(fd[i]));
		close(fd[i]);
	}
}

TEST(open_and_close_on_a_busy_task)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_TASK_CLOCK);
	__u64 whole, part, last = 0;
	struct pe_child child;
	int fd, all, i;

	/* The task runs on another CPU, if there is one. */
	ASSERT_EQ(0, pe_child_start(&child));
	all = pe_open(&a, child.pid, -1, -1, 0);
	ASSERT_LE(0, all);
	ASSERT_EQ(0, pe_child_send(&child, PE_SPIN, 1U << 27));
	for (i = 0; i < ROUNDS; i++) {
		fd = pe_open(&a, child.pid, -1, -1, 0);
		ASSERT_LE(0, fd);
		whole = pe_count(all);
		ASSERT_LE(last, whole);
		last = whole;
		part = pe_count(fd);
		ASSERT_LE(part, pe_count(all));
		close(fd);
	}
	ASSERT_EQ(0, pe_child_answer(&child));
	EXPECT_LT(0, pe_count(all));
	close(all);
	pe_child_end(&child);
}

TEST(starts_on_a_running_task)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_TASK_CLOCK);
	struct pe_child child;
	int fd, tries = 0;

	/* An event that is opened on a task without switches counts nevertheless. */
	ASSERT_EQ(0, pe_child_start(&child));
	ASSERT_EQ(0, pe_child_send(&child, PE_SPIN, 1U << 27));
	pe_sleep_ms(5);
	fd = pe_open(&a, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	while (!pe_count(fd)) {
		/* The task may have finished before the event was opened. */
		if (++tries % 1000 == 0) {
			ASSERT_EQ(0, pe_child_answer(&child));
			ASSERT_EQ(0, pe_child_send(&child, PE_SPIN, 1U << 27));
		}
		pe_sleep_ms(1);
	}
	ASSERT_EQ(0, pe_child_answer(&child));
	close(fd);
	pe_child_end(&child);
}

static void *move_about(void *arg)
{
	int *stop = arg, i;

	for (i = 0; !__atomic_load_n(stop, __ATOMIC_RELAXED); i++) {
		pe_move_to(i & 1);
		pe_fault(1);
	}
	return NULL;
}

TEST(moving_target)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int stop = 0, fd[4], i, j;
	pthread_t thread;

	if (pe_cpu_count() < 2)
		SKIP(return, "needs two CPUs");
	a.inherit = 1;
	for (i = 0; i < 4; i++)
		fd[i] = pe_open(&a, 0, i % 3 - 1, -1, 0);
	ASSERT_EQ(0, pthread_create(&thread, NULL, move_about, &stop));
	for (i = 0; i < ROUNDS; i++) {
		for (j = 0; j < 4; j++) {
			ASSERT_NE(UINT64_MAX, pe_count(fd[j]));
			pe_ioctl(fd[j], i & 1 ? PERF_EVENT_IOC_ENABLE :
				 PERF_EVENT_IOC_DISABLE, 0);
		}
		close(fd[i & 3]);
		fd[i & 3] = pe_open(&a, 0, i % 3 - 1, -1, 0);
		ASSERT_LE(0, fd[i & 3]);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	for (i = 0; i < 4; i++)
		close(fd[i]);
}

static void fork_all_the_time(void)
{
	pid_t pid;

	for (;;) {
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

TEST(forking_target)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	pid_t me = getpid(), pid = fork();
	int fd, member, i;

	if (!pid) {
		pe_die_with(me);
		fork_all_the_time();
	}
	a.inherit = 1;
	for (i = 0; i < ROUNDS / 10 + 1; i++) {
		fd = pe_open(&a, pid, -1, -1, 0);
		member = pe_open(&a, pid, -1, fd, 0);
		ASSERT_LE(0, fd);
		/* The leader's child may already have exited. */
		ASSERT_TRUE(member >= 0 || member == -ENODEV || member == -EINVAL);
		pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
		pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
		pe_count(fd);
		if (i & 1)
			close(fd);
		close(member);
		if (!(i & 1))
			close(fd);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(ending_target)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	pid_t me = getpid(), pid;
	int fd, i, done = 0;

	/* An open races with an exit: either it succeeds, or there is no such task. */
	for (i = 0; i < ROUNDS; i++) {
		pid = fork();
		if (!pid) {
			pe_spin(i * i * 10);
			if (i % 10 == 9) {
				pe_die_with(me);
				pause();
			}
			_exit(0);
		}
		fd = pe_open(&a, pid, -1, -1, 0);
		if (fd >= 0) {
			ASSERT_NE(UINT64_MAX, pe_count(fd));
			done++;
		} else {
			ASSERT_EQ(-ESRCH, fd);
		}
		if (i & 1 && fd >= 0)
			close(fd);
		if (i % 10 == 9)
			kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		if (!(i & 1) && fd >= 0)
			close(fd);
	}
	/* One task in ten waits to be killed. */
	EXPECT_LE(ROUNDS / 10, done);
}

static int open_against_exec(bool remove)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pe_child child;
	int fd[4], i, j, ret = 0;

	if (pe_child_start(&child))
		return -ECHILD;
	for (i = 0; i < 20 && !ret; i++) {
		ret = pe_child_send(&child, PE_EXEC, 0);
		for (j = 0; j < 4; j++) {
			a.remove_on_exec = remove && j & 1;
			a.enable_on_exec = !a.remove_on_exec;
			fd[j] = pe_open(&a, child.pid, -1, j < 2 ? -1 : fd[0], 0);
			/* Only a member may be refused; events without a group must open. */
			if (fd[j] < 0 && (j < 2 || fd[j] != -ENODEV))
				ret = fd[j];
		}
		ret = ret ? ret : pe_child_answer(&child);
		for (j = 0; j < 4; j++)
			close(fd[j]);
	}
	pe_child_end(&child);
	return ret;
}

TEST(execing_target)
{
	EXPECT_EQ(0, open_against_exec(false));
}

TEST(exec_against_open)
{
	/* Some kernels crash in this test. */
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	EXPECT_EQ(0, open_against_exec(true));
}

TEST(removal_by_exec)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pe_child child;
	int fd[20], i, j;

	/* exec removes the events while their opener closes them. */
	ASSERT_EQ(0, pe_child_start(&child));
	a.remove_on_exec = 1;
	for (i = 0; i < 20; i++) {
		for (j = 0; j < 20; j++) {
			fd[j] = pe_open(&a, child.pid, -1, j % 4 ? fd[j & ~3] : -1, 0);
			ASSERT_LE(0, fd[j]);
		}
		ASSERT_EQ(0, pe_child_send(&child, PE_EXEC, 0));
		for (j = 0; j < 20; j++)
			close(fd[j]);
		ASSERT_EQ(0, pe_child_answer(&child));
	}
	pe_child_end(&child);
}

static void *toggle(void *arg)
{
	int fd = *(int *)arg, i;

	for (i = 0; i < ROUNDS; i++) {
		pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
		pe_ioctl(fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
		pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
		pe_count(fd);
	}
	return NULL;
}

TEST(many_hands)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pe_child child;
	pthread_t thread[4];
	int fd[4], i;

	ASSERT_EQ(0, pe_child_start(&child));
	for (i = 0; i < 4; i++) {
		fd[i] = pe_open(&a, child.pid, -1, i ? fd[0] : -1, 0);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, pe_child_send(&child, PE_FAULT, 20000));
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, toggle, &fd[i]));
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	ASSERT_EQ(0, pe_child_answer(&child));
	pe_ioctl(fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	pe_child_do(&child, PE_FAULT, 1);
	for (i = 0; i < 4; i++)
		pe_ioctl(fd[i], PERF_EVENT_IOC_RESET, 0);
	ASSERT_EQ(0, pe_child_do(&child, PE_FAULT, 10));
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(10, pe_count(fd[i]));
		close(fd[i]);
	}
	pe_child_end(&child);
}

TEST_HARNESS_MAIN
