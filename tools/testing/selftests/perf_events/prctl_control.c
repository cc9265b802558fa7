// SPDX-License-Identifier: GPL-2.0
/*
 * prctl(2): PR_TASK_PERF_EVENTS_DISABLE and _ENABLE act on the events that the calling thread has
 * opened, on any task or CPU.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define PAGES	10

static int all_off(void)
{
	return prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0) ? -errno : 0;
}

static int all_on(void)
{
	return prctl(PR_TASK_PERF_EVENTS_ENABLE, 0, 0, 0, 0) ? -errno : 0;
}

/* Return the count of an event while PAGES pages are touched. */
static __u64 own_faults(int fd)
{
	__u64 before = pe_count(fd);

	pe_fault(PAGES);
	return pe_count(fd) - before;
}

static __u64 child_faults(struct pe_child *c, int fd)
{
	__u64 before = pe_count(fd);

	pe_child_do(c, PE_FAULT, PAGES);
	return pe_count(fd) - before;
}

FIXTURE(prctl) {
	struct perf_event_attr a;
	struct pe_child child;
};

FIXTURE_SETUP(prctl)
{
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	ASSERT_EQ(0, pe_child_start(&self->child));
	pe_fault(PAGES);
}

FIXTURE_TEARDOWN(prctl)
{
	pe_child_end(&self->child);
}

TEST_F(prctl, without_events)
{
	EXPECT_EQ(0, all_off());
	EXPECT_EQ(0, all_on());
}

TEST_F(prctl, other_arguments_are_ignored)
{
	EXPECT_EQ(0, prctl(PR_TASK_PERF_EVENTS_DISABLE, 1, 2, 3, 4));
	EXPECT_EQ(0, prctl(PR_TASK_PERF_EVENTS_ENABLE, 1, 2, 3, 4));
}

TEST_F(prctl, own_event_on_oneself)
{
	int fd = pe_self(&self->a);

	ASSERT_LE(0, fd);
	pe_count(fd);
	ASSERT_EQ(0, all_off());
	EXPECT_EQ(0, own_faults(fd));
	ASSERT_EQ(0, all_on());
	EXPECT_EQ(PAGES, own_faults(fd));
	close(fd);
}

TEST_F(prctl, own_event_on_another)
{
	int fd = pe_open(&self->a, self->child.pid, -1, -1, 0);

	ASSERT_LE(0, fd);
	EXPECT_EQ(PAGES, child_faults(&self->child, fd));
	ASSERT_EQ(0, all_off());
	EXPECT_EQ(0, child_faults(&self->child, fd));
	ASSERT_EQ(0, all_on());
	EXPECT_EQ(PAGES, child_faults(&self->child, fd));
	close(fd);
}

TEST_F(prctl, own_event_on_a_cpu)
{
	int fd = pe_open(&self->a, -1, 0, -1, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_move_to(0));
	ASSERT_EQ(0, all_off());
	EXPECT_EQ(0, own_faults(fd));
	ASSERT_EQ(0, all_on());
	EXPECT_LE(PAGES, own_faults(fd));
	close(fd);
}

TEST_F(prctl, event_that_another_opened_on_us)
{
	int fd = pe_open(&self->a, self->child.pid, -1, -1, 0);

	/* The child's own prctl(2) does not change the event, which this process has opened. */
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_PRCTL_OFF, 0));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, 1));
	EXPECT_EQ(PAGES, child_faults(&self->child, fd));
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_PRCTL_ON, 0));
	EXPECT_EQ(0, child_faults(&self->child, fd));
	close(fd);
}

TEST_F(prctl, members)
{
	int leader, member;

	/* The events are disabled one by one, not with their leader. */
	leader = pe_self(&self->a);
	member = pe_open(&self->a, 0, -1, leader, 0);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	ASSERT_EQ(0, all_off());
	EXPECT_EQ(0, own_faults(member));
	pe_ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	EXPECT_EQ(PAGES, own_faults(leader));
	EXPECT_EQ(0, own_faults(member));
	ASSERT_EQ(0, all_on());
	EXPECT_EQ(PAGES, own_faults(member));
	close(member);
	close(leader);
}

TEST_F(prctl, opened_disabled)
{
	int leader, fd, member;

	leader = pe_self(&self->a);
	self->a.disabled = 1;
	fd = pe_self(&self->a);
	member = pe_open(&self->a, 0, -1, leader, 0);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, fd);
	ASSERT_LE(0, member);
	EXPECT_EQ(0, own_faults(fd));
	EXPECT_EQ(0, own_faults(member));
	ASSERT_EQ(0, all_on());
	EXPECT_EQ(PAGES, own_faults(fd));
	EXPECT_EQ(PAGES, own_faults(member));
	close(member);
	close(fd);
	close(leader);
}

TEST_F(prctl, inherited_events)
{
	struct pe_child kid;
	int fd;

	/* An inherited event follows its parent, because its task is not its owner. */
	self->a.inherit = 1;
	fd = pe_self(&self->a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_start(&kid));
	ASSERT_EQ(0, pe_child_do(&kid, PE_PRCTL_OFF, 0));
	EXPECT_LE(PAGES, child_faults(&kid, fd));
	ASSERT_EQ(0, all_off());
	EXPECT_EQ(0, child_faults(&kid, fd));
	ASSERT_EQ(0, pe_child_do(&kid, PE_PRCTL_ON, 0));
	EXPECT_EQ(0, child_faults(&kid, fd));
	ASSERT_EQ(0, all_on());
	EXPECT_LE(PAGES, child_faults(&kid, fd));
	pe_child_end(&kid);
	close(fd);
}

/**
 * struct helper - a thread that opens an event on the main thread
 * @attr: the event
 * @tid: the main thread
 * @fd: the event, once it is open
 * @off: disable all events that the thread has opened
 */
struct helper {
	struct perf_event_attr attr;
	pid_t tid;
	int fd;
	bool off;
};

static void *open_thread(void *arg)
{
	struct helper *h = arg;

	h->fd = pe_open(&h->attr, h->tid, -1, -1, 0);
	if (h->off)
		all_off();
	return NULL;
}

TEST_F(prctl, event_that_another_thread_opened)
{
	struct helper h = { self->a, getpid() };
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, open_thread, &h));
	pthread_join(thread, NULL);
	ASSERT_LE(0, h.fd);
	ASSERT_EQ(0, all_off());
	pe_fault(1);
	EXPECT_EQ(PAGES, own_faults(h.fd));
	close(h.fd);

	/* The thread that has opened the event can disable it, until the thread exits. */
	h.off = true;
	ASSERT_EQ(0, pthread_create(&thread, NULL, open_thread, &h));
	pthread_join(thread, NULL);
	ASSERT_LE(0, h.fd);
	EXPECT_EQ(0, own_faults(h.fd));
	ASSERT_EQ(0, all_on());
	EXPECT_EQ(0, own_faults(h.fd));
	close(h.fd);
}

TEST_F(prctl, after_fork)
{
	int fd = pe_self(&self->a), status;
	pid_t pid;

	/*
	 * A duplicate of the file does not make the child an owner of the
	 * event.
	 */
	ASSERT_LE(0, fd);
	pid = fork();
	if (!pid)
		_exit(all_off() ? 1 : 0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	pe_fault(PAGES);
	EXPECT_EQ(PAGES, own_faults(fd));
	close(fd);
}

TEST_F(prctl, after_the_task_is_gone)
{
	int fd = pe_open(&self->a, self->child.pid, -1, -1, 0);
	__u64 count;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	ASSERT_EQ(0, pe_child_end(&self->child));
	count = pe_count(fd);
	EXPECT_LE(PAGES, count);
	EXPECT_EQ(0, all_off());
	EXPECT_EQ(0, all_on());
	EXPECT_EQ(count, pe_count(fd));
	close(fd);
	ASSERT_EQ(0, pe_child_start(&self->child));
}

TEST_HARNESS_MAIN
