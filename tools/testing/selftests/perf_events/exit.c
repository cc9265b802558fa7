// SPDX-License-Identifier: GPL-2.0
/* Exit: reads, polls and records of an event whose task has exited. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define PAGES	50

FIXTURE(exit) {
	struct perf_event_attr a;
	struct pe_child child;
	int fd;
};

FIXTURE_SETUP(exit)
{
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	ASSERT_EQ(0, pe_child_start(&self->child));
	self->fd = pe_open(&self->a, self->child.pid, -1, -1, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
}

FIXTURE_TEARDOWN(exit)
{
	close(self->fd);
}

static int poll_now(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) < 0 ? -errno : p.revents;
}

TEST_F(exit, count_is_kept)
{
	__u64 count;

	ASSERT_EQ(0, pe_child_end(&self->child));
	count = pe_count(self->fd);
	EXPECT_LE(PAGES, count);
	EXPECT_EQ(count, pe_count(self->fd));
	EXPECT_EQ(POLLHUP, poll_now(self->fd));
}

TEST_F(exit, killed)
{
	int status;

	ASSERT_EQ(0, kill(self->child.pid, SIGKILL));
	ASSERT_EQ(self->child.pid, waitpid(self->child.pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_LE(PAGES, pe_count(self->fd));
}

TEST_F(exit, zombie)
{
	siginfo_t info;

	/* The event works the same before and after the zombie is reaped. */
	ASSERT_EQ(0, pe_child_send(&self->child, PE_EXIT, 0));
	ASSERT_EQ(0, waitid(P_PID, self->child.pid, &info, WEXITED | WNOWAIT));
	EXPECT_LE(PAGES, pe_count(self->fd));
	EXPECT_EQ(POLLHUP, poll_now(self->fd));
	EXPECT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0));
	pe_child_end(&self->child);
	EXPECT_LE(PAGES, pe_count(self->fd));
}

/**
 * struct poller - a thread that waits for the exit of an event's tasks
 * @thread: the thread
 * @tid: its id, once it runs
 * @fd: the event
 * @revents: result of poll(2)
 * @over: poll(2) has returned a hangup
 */
struct poller {
	pthread_t thread;
	pid_t tid;
	int fd;
	short revents;
	bool over;
};

static void *wait_for_end(void *arg)
{
	struct poller *w = arg;
	struct pollfd p = { .fd = w->fd, .events = POLLIN };

	__atomic_store_n(&w->tid, syscall(__NR_gettid), __ATOMIC_RELEASE);
	while (poll(&p, 1, -1) == 1 && !(p.revents & POLLHUP))
		;
	w->revents = p.revents;
	__atomic_store_n(&w->over, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Wait until the thread sleeps in poll(2), or until this has returned. Return: whether it sleeps */
static bool polls(struct poller *w)
{
	pid_t tid;

	do {
		pe_sleep_ms(1);
		if (__atomic_load_n(&w->over, __ATOMIC_ACQUIRE))
			return false;
		tid = __atomic_load_n(&w->tid, __ATOMIC_ACQUIRE);
	} while (!tid || pe_task_state(tid) != 'S');
	return true;
}

/* The exit of the event's task wakes a task that polls for records. */
TEST_F(exit, pollhup_after_exit)
{
	long page = sysconf(_SC_PAGESIZE);
	struct poller w = { .fd = self->fd };
	void *buf;

	/* An event with a buffer reports no hangup while its task lives. */
	buf = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, buf);
	EXPECT_EQ(0, poll_now(self->fd));
	ASSERT_EQ(0, pthread_create(&w.thread, NULL, wait_for_end, &w));
	ASSERT_TRUE(polls(&w));
	ASSERT_EQ(0, pe_child_send(&self->child, PE_EXIT, 0));
	pthread_join(w.thread, NULL);
	EXPECT_EQ(POLLHUP, w.revents);
	EXPECT_EQ(POLLHUP, poll_now(self->fd));
	pe_child_end(&self->child);
	munmap(buf, 2 * page);
}

TEST_F(exit, pollhup_after_last_child)
{
	long page = sysconf(_SC_PAGESIZE);
	struct pe_child kid;
	void *buf;
	int fd;

	/* The hangup is reported for the task of the event, not for tasks that inherited it. */
	self->a.inherit = 1;
	/* Only an event with a CPU can be both inherited and mapped. */
	fd = pe_open(&self->a, 0, 0, -1, 0);
	ASSERT_LE(0, fd);
	buf = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, buf);
	ASSERT_EQ(0, pe_child_start(&kid));
	ASSERT_EQ(0, pe_child_end(&kid));
	EXPECT_EQ(0, poll_now(fd));
	munmap(buf, 2 * page);
	close(fd);
	pe_child_end(&self->child);
}

/* The exit of the last task that inherited the event wakes a task that polls the event. */
TEST_F(exit, last_child_wakes_poll)
{
	long page = sysconf(_SC_PAGESIZE);
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct poller w = { };
	int to_child[2], to_kid[2];
	pid_t child;
	void *buf;
	char c;

	ASSERT_EQ(0, pipe(to_child));
	ASSERT_EQ(0, pipe(to_kid));
	child = fork();
	if (!child) {
		close(to_kid[1]);
		if (read(to_child[0], &c, 1) == 1 && !fork())
			(void)!read(to_kid[0], &c, 1);
		_exit(0);
	}
	a.inherit = 1;
	a.sample_period = 1000000;
	w.fd = pe_open(&a, child, 0, -1, 0);
	ASSERT_LE(0, w.fd);
	buf = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, w.fd, 0);
	ASSERT_NE(MAP_FAILED, buf);
	ASSERT_EQ(0, pthread_create(&w.thread, NULL, wait_for_end, &w));
	ASSERT_TRUE(polls(&w));
	ASSERT_EQ(1, write(to_child[1], "", 1));
	/* While the child's own child lives, the exit of the child causes no hangup. */
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	EXPECT_EQ(0, poll_now(w.fd) & POLLHUP);
	EXPECT_TRUE(polls(&w));
	/* The child's child exits when no process has the other end of the pipe open. */
	close(to_kid[1]);
	pthread_join(w.thread, NULL);
	EXPECT_EQ(POLLHUP, w.revents & POLLHUP);
	munmap(buf, 2 * page);
	close(w.fd);
	pe_child_end(&self->child);
}

TEST_F(exit, group)
{
	__u64 buf[8];
	int member;

	/* The group can be read as a whole after its task has exited. */
	self->a.read_format = PERF_FORMAT_GROUP;
	member = pe_open(&self->a, self->child.pid, -1, self->fd, 0);
	ASSERT_LE(0, member);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	ASSERT_EQ(0, pe_child_end(&self->child));
	EXPECT_LE(2 * PAGES, pe_count(self->fd));
	ASSERT_EQ(24, read(member, buf, sizeof(buf)));
	EXPECT_EQ(2, buf[0]);
	EXPECT_EQ(pe_count(self->fd), buf[1]);
	EXPECT_LE(PAGES, buf[2]);
	EXPECT_GT(buf[1], buf[2]);
	/* The remaining members can be read as a whole, too. */
	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(16, read(member, buf, 16));
	EXPECT_EQ(1, buf[0]);
	EXPECT_LE(PAGES, buf[1]);
	close(member);
}

TEST_F(exit, group_without_a_member)
{
	__u64 buf[8];
	int leader, member;

	self->a.read_format = PERF_FORMAT_GROUP;
	leader = pe_open(&self->a, self->child.pid, -1, -1, 0);
	ASSERT_LE(0, leader);
	member = pe_open(&self->a, self->child.pid, -1, leader, 0);
	ASSERT_LE(0, member);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	ASSERT_EQ(0, pe_child_end(&self->child));
	/* The remaining values fit into the remaining space. */
	close(member);
	ASSERT_EQ(16, read(leader, buf, 16));
	EXPECT_EQ(1, buf[0]);
	EXPECT_LE(PAGES, buf[1]);
	close(leader);
}

/**
 * struct worker - a thread that works, then exits
 * @tid: its id, once it runs
 * @go: pipe that starts it
 */
struct worker {
	pid_t tid;
	int go;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	char c;

	__atomic_store_n(&w->tid, syscall(__NR_gettid), __ATOMIC_SEQ_CST);
	if (read(w->go, &c, 1) == 1)
		pe_fault(PAGES);
	return NULL;
}

TEST_F(exit, thread)
{
	struct worker w = { 0 };
	__u64 count;
	pthread_t thread;
	int go[2], fd;

	/* The event of a thread ends when the thread exits, not when its process does. */
	ASSERT_EQ(0, pipe(go));
	w.go = go[0];
	ASSERT_EQ(0, pthread_create(&thread, NULL, work, &w));
	while (!__atomic_load_n(&w.tid, __ATOMIC_SEQ_CST))
		pe_sleep_ms(1);
	fd = pe_open(&self->a, w.tid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(1, write(go[1], "x", 1));
	pthread_join(thread, NULL);
	/* pthread_join() may return before the thread has been released. */
	while (syscall(__NR_tgkill, getpid(), w.tid, 0) == 0)
		pe_sleep_ms(1);
	count = pe_count(fd);
	EXPECT_LE(PAGES, count);
	pe_fault(PAGES);
	EXPECT_EQ(count, pe_count(fd));
	EXPECT_EQ(-ESRCH, pe_try(&self->a, w.tid, -1, -1, 0));
	close(fd);
	pe_child_end(&self->child);
}

TEST_F(exit, leader_thread_alone)
{
	/* The main thread exits while other threads run: its pid is a zombie. */
	pthread_t thread;
	struct worker w = { 0 };
	int go[2], fd, status;
	char path[64], state = 0, text[256];
	FILE *f;
	pid_t pid;

	ASSERT_EQ(0, pipe(go));
	w.go = go[0];
	pid = fork();
	if (!pid) {
		if (pthread_create(&thread, NULL, work, &w))
			_exit(1);
		syscall(__NR_exit, 0);
	}
	fd = pe_open(&self->a, pid, -1, -1, 0);
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (state != 'Z') {
		f = fopen(path, "r");
		ASSERT_NE(NULL, f);
		ASSERT_NE(NULL, fgets(text, sizeof(text), f));
		fclose(f);
		state = *(strrchr(text, ')') + 2);
	}
	EXPECT_EQ(-ESRCH, pe_try(&self->a, pid, -1, -1, 0));
	if (fd >= 0)
		EXPECT_NE(UINT64_MAX, pe_count(fd));
	ASSERT_EQ(1, write(go[1], "x", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	close(fd);
	pe_child_end(&self->child);
}

/* Map the event of a task that has exited: its page has the count and the times of the exit. */
TEST_F(exit, mapped_after_the_end)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *p;
	struct perf_event_attr a = self->a;
	int fd[3], i, pages;
	siginfo_t info;
	__u64 value[3];

	/* An event that only counts, one that samples, and one of a CPU */
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd[0] = pe_open(&a, self->child.pid, -1, -1, 0);
	fd[2] = pe_open(&a, self->child.pid, 0, -1, 0);
	a.sample_period = 1;
	fd[1] = pe_open(&a, self->child.pid, -1, -1, 0);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_MOVE, 0));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	ASSERT_EQ(0, pe_child_send(&self->child, PE_EXIT, 0));
	/* Map a page of each event of the zombie, and a buffer when the zombie is reaped. */
	ASSERT_EQ(0, waitid(P_PID, self->child.pid, &info, WEXITED | WNOWAIT));
	for (pages = 1; pages <= 3; pages += 2) {
		for (i = 0; i < 3; i++) {
			ASSERT_LE(0, fd[i]);
			ASSERT_EQ(sizeof(value), read(fd[i], value, sizeof(value)));
			EXPECT_LE(PAGES, value[0]);
			p = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd[i], 0);
			ASSERT_NE(MAP_FAILED, (void *)p);
			EXPECT_EQ(0, p->lock & 1);
			EXPECT_EQ(0, p->index);
			EXPECT_EQ(value[0], p->offset);
			EXPECT_EQ(value[1], p->time_enabled);
			EXPECT_EQ(value[2], p->time_running);
			EXPECT_EQ(0, p->data_head);
			EXPECT_EQ((pages - 1) * page, p->data_size);
			EXPECT_EQ(POLLHUP, poll_now(fd[i]));
			munmap(p, pages * page);
			EXPECT_EQ(sizeof(value), read(fd[i], value, sizeof(value)));
			EXPECT_LE(PAGES, value[0]);
		}
		if (pages == 1)
			pe_child_end(&self->child);
	}
	for (i = 0; i < 3; i++)
		close(fd[i]);
}

TEST_F(exit, owner_goes_first)
{
	struct perf_event_attr a = self->a;
	int status, fd = -1;
	pid_t pid;

	/* The process that opened the event, and has the only file of it, exits. */
	pid = fork();
	if (!pid) {
		fd = pe_open(&a, self->child.pid, -1, -1, 0);
		_exit(fd < 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	EXPECT_LE(2 * PAGES, pe_count(self->fd));
	pe_child_end(&self->child);
}

TEST_F(exit, both_watch_each_other)
{
	struct pe_child other;
	int fd[2];

	ASSERT_EQ(0, pe_child_start(&other));
	fd[0] = pe_open(&self->a, other.pid, -1, -1, 0);
	fd[1] = pe_open(&self->a, self->child.pid, -1, -1, 0);
	ASSERT_LE(0, fd[0]);
	ASSERT_LE(0, fd[1]);
	pe_child_send(&other, PE_EXIT, 0);
	pe_child_send(&self->child, PE_EXIT, 0);
	pe_child_end(&other);
	pe_child_end(&self->child);
	EXPECT_NE(UINT64_MAX, pe_count(fd[0]));
	EXPECT_NE(UINT64_MAX, pe_count(fd[1]));
	close(fd[0]);
	close(fd[1]);
}

TEST_HARNESS_MAIN
