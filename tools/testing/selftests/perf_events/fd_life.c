// SPDX-License-Identifier: GPL-2.0
/*
 * File descriptors of events: duplicated, inherited over fork, sent to other processes, and closed
 * while another process still has a duplicate.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define PAGES	30

FIXTURE(fd) {
	struct perf_event_attr a;
	struct pe_child child;
	int fd;
};

FIXTURE_SETUP(fd)
{
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	ASSERT_EQ(0, pe_child_start(&self->child));
	self->fd = pe_open(&self->a, self->child.pid, -1, -1, 0);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(fd)
{
	close(self->fd);
	pe_child_end(&self->child);
}

TEST_F(fd, name)
{
	char path[64], text[64] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", self->fd);
	ASSERT_LT(0, readlink(path, text, sizeof(text) - 1));
	EXPECT_STREQ("anon_inode:[perf_event]", text);
	EXPECT_EQ(-1, open(path, O_RDONLY));
}

TEST_F(fd, copy)
{
	int copy = dup(self->fd);

	ASSERT_LE(0, copy);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	EXPECT_EQ(pe_count(self->fd), pe_count(copy));
	close(copy);
	EXPECT_LE(PAGES, pe_count(self->fd));
	EXPECT_EQ(-EBADF, pe_ioctl(copy, PERF_EVENT_IOC_ENABLE, 0));
}

TEST_F(fd, read_by_a_fork)
{
	__u64 count;
	int status;
	pid_t pid;

	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	count = pe_count(self->fd);
	pid = fork();
	if (!pid)
		_exit(pe_count(self->fd) == count ? 0 : 1);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	/* The exit of the forked process closed only its duplicate of the file. */
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	EXPECT_EQ(count + PAGES, pe_count(self->fd));
}

TEST_F(fd, controlled_by_a_fork)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid)
		_exit(pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0) ||
		      pe_ioctl(self->fd, PERF_EVENT_IOC_RESET, 0));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	EXPECT_EQ(0, pe_count(self->fd));
}

TEST_F(fd, self_in_a_fork)
{
	__u64 count;
	int fd = pe_self(&self->a), status;
	pid_t pid;

	/* "Self" is the task that opened the event, not the task that reads it. */
	ASSERT_LE(0, fd);
	count = pe_count(fd);
	pid = fork();
	if (!pid) {
		pe_fault(100 * PAGES);
		_exit(pe_count(fd) < count + 100 * PAGES ? 0 : 1);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(fd);
}

static int send_fd(int sock, int fd)
{
	char c = 'x', space[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &c, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = space, .msg_controllen = sizeof(space),
	};
	struct cmsghdr *head = CMSG_FIRSTHDR(&msg);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	return sendmsg(sock, &msg, 0) == 1 ? 0 : -errno;
}

static int receive_fd(int sock)
{
	char c, space[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &c, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = space, .msg_controllen = sizeof(space),
	};
	int fd;

	if (recvmsg(sock, &msg, 0) != 1 || !CMSG_FIRSTHDR(&msg))
		return -1;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

TEST_F(fd, passed_on)
{
	int sock[2], status, got;
	__u64 count;
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	pid = fork();
	if (!pid) {
		close(self->fd);
		/* Permissions are those of the task that opened the event. */
		if (!geteuid() && pe_become(PE_UID, 0))
			_exit(2);
		got = receive_fd(sock[1]);
		count = pe_count(got);
		if (write(sock[1], &count, sizeof(count)) != sizeof(count))
			_exit(3);
		_exit(pe_ioctl(got, PERF_EVENT_IOC_RESET, 0) ? 4 : 0);
	}
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	ASSERT_EQ(0, send_fd(sock[0], self->fd));
	ASSERT_EQ(sizeof(count), read(sock[0], &count, sizeof(count)));
	EXPECT_LE(PAGES, count);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, pe_count(self->fd));
	close(sock[0]);
	close(sock[1]);
}

TEST_F(fd, in_flight)
{
	int sock[2], fd, got;

	/* The only reference to the event is in a message. */
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	fd = pe_open(&self->a, self->child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, send_fd(sock[0], fd));
	close(fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	got = receive_fd(sock[1]);
	ASSERT_LE(0, got);
	EXPECT_LE(PAGES, pe_count(got));
	close(got);

	/* The message with the event is never received. */
	fd = pe_open(&self->a, self->child.pid, -1, -1, 0);
	ASSERT_EQ(0, send_fd(sock[0], fd));
	close(fd);
	close(sock[0]);
	close(sock[1]);
	EXPECT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
}

TEST_F(fd, closed_while_the_target_works)
{
	int fd[8], i;

	for (i = 0; i < 8; i++) {
		fd[i] = pe_open(&self->a, self->child.pid, -1, -1, 0);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, pe_child_send(&self->child, PE_FAULT, 20000));
	for (i = 0; i < 8; i++) {
		close(fd[i]);
		pe_sleep_ms(1);
	}
	EXPECT_EQ(0, pe_child_answer(&self->child));
	EXPECT_LE(20000, pe_count(self->fd));
}

TEST_F(fd, closed_by_exec)
{
	int fd, status;
	pid_t pid;

	/* A program exits with open events on itself. */
	pid = fork();
	if (!pid) {
		fd = pe_open(&self->a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		_exit(fd < 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F(fd, epoll)
{
	struct epoll_event e = { .events = EPOLLIN };
	int ep = epoll_create1(0);

	ASSERT_LE(0, ep);
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->fd, &e));
	EXPECT_EQ(1, epoll_wait(ep, &e, 1, 0));
	EXPECT_EQ(EPOLLHUP, e.events);
	close(ep);
}

TEST_F(fd, fcntl)
{
	int flags = fcntl(self->fd, F_GETFL);

	ASSERT_LE(0, flags);
	EXPECT_EQ(0, fcntl(self->fd, F_SETFL, flags | O_NONBLOCK | O_ASYNC));
	EXPECT_EQ(O_NONBLOCK | O_ASYNC,
		  fcntl(self->fd, F_GETFL) & (O_NONBLOCK | O_ASYNC));
	/* A read never blocks, so O_NONBLOCK makes no difference. */
	EXPECT_NE(UINT64_MAX, pe_count(self->fd));
	EXPECT_EQ(0, fcntl(self->fd, F_SETFL, flags));
}

TEST_HARNESS_MAIN
