// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_EVENT_IOC_SET_OUTPUT: several events that write to one buffer.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"

static struct pe_record rec;

FIXTURE(output) {
	struct perf_event_attr a;
	struct pe_ring ring;
	struct pe_sample s;
	int target;
	int fd;
};

FIXTURE_SETUP(output)
{
	self->a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.sample_period = 1;
	self->a.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID;
	self->target = pe_self(&self->a);
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->target);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->target, 4));
	pe_fault(2);
}

FIXTURE_TEARDOWN(output)
{
	close(self->fd);
	close(self->target);
	pe_ring_unmap(&self->ring);
}

static int set_output(int fd, int target)
{
	return pe_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target);
}

static void faults(int fd, unsigned int nr)
{
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(nr);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

TEST_F(output, one_buffer_for_two)
{
	__u64 id = pe_id(self->fd);
	int i;

	ASSERT_EQ(0, set_output(self->fd, self->target));
	pe_ring_drop(&self->ring, 0);
	faults(self->fd, 5);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
		EXPECT_EQ(id, self->s.identifier);
	}
	faults(self->target, 5);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
		EXPECT_EQ(pe_id(self->target), self->s.identifier);
	}
}

/* Each page fault is sampled by both events. */
TEST_F(output, both_at_once)
{
	unsigned int of_target = 0, of_fd = 0;

	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	ASSERT_EQ(0, set_output(self->fd, self->target));
	ASSERT_EQ(0, pe_ioctl(self->target, PERF_EVENT_IOC_ENABLE, 0));
	faults(self->fd, 5);
	ASSERT_EQ(0, pe_ioctl(self->target, PERF_EVENT_IOC_DISABLE, 0));
	while (pe_ring_next(&self->ring, &rec) == 1) {
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
		of_target += self->s.identifier == pe_id(self->target);
		of_fd += self->s.identifier == pe_id(self->fd);
	}
	EXPECT_LE(5, of_target);
	EXPECT_LE(5, of_fd);
}

TEST_F(output, taken_back)
{
	__u64 head;

	ASSERT_EQ(0, set_output(self->fd, self->target));
	ASSERT_EQ(0, set_output(self->fd, -1));
	head = self->ring.page->data_head;
	faults(self->fd, 5);
	EXPECT_EQ(head, self->ring.page->data_head);
	ASSERT_EQ(0, set_output(self->fd, self->target));
	faults(self->fd, 5);
	EXPECT_LT(head, self->ring.page->data_head);
}

TEST_F(output, to_one_without_a_buffer)
{
	int other = pe_self(&self->a);

	ASSERT_LE(0, other);
	EXPECT_EQ(-EINVAL, set_output(self->fd, other));
	close(other);
}

TEST_F(output, event_that_is_mapped)
{
	struct pe_ring own;

	/* An event with a mapped buffer of its own cannot be redirected. */
	ASSERT_EQ(0, pe_ring_map(&own, self->fd, 1));
	EXPECT_EQ(-EINVAL, set_output(self->fd, self->target));
	EXPECT_EQ(-EINVAL, set_output(self->fd, -1));
	pe_ring_unmap(&own);
	EXPECT_EQ(0, set_output(self->fd, self->target));
}

TEST_F(output, other_target)
{
	struct pe_child child;
	int fd;

	ASSERT_EQ(0, pe_child_start(&child));
	fd = pe_open(&self->a, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	/* Refused: events of another task on any CPU. */
	EXPECT_EQ(-EINVAL, set_output(fd, self->target));
	close(fd);
	/* Refused: an event of a CPU to the buffer of a task. */
	fd = pe_open(&self->a, -1, 0, -1, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, set_output(fd, self->target));
	EXPECT_EQ(-EINVAL, set_output(self->fd, fd));
	close(fd);
	pe_child_end(&child);
}

TEST_F(output, one_cpu)
{
	struct pe_child child;
	struct pe_ring ring;
	int cpu, task, other;

	/* All events of the same CPU can share a buffer. */
	ASSERT_EQ(0, pe_child_start(&child));
	cpu = pe_open(&self->a, -1, 0, -1, 0);
	task = pe_open(&self->a, child.pid, 0, -1, 0);
	ASSERT_LE(0, cpu);
	ASSERT_LE(0, task);
	ASSERT_EQ(0, pe_ring_map(&ring, cpu, 1));
	EXPECT_EQ(0, set_output(task, cpu));
	if (pe_cpu_count() > 1) {
		other = pe_open(&self->a, -1, 1, -1, 0);
		ASSERT_LE(0, other);
		EXPECT_EQ(-EINVAL, set_output(other, cpu));
		close(other);
	}
	close(task);
	close(cpu);
	pe_ring_unmap(&ring);
	pe_child_end(&child);
}

TEST_F(output, other_clock)
{
	struct perf_event_attr a = self->a;
	int fd;

	a.use_clockid = 1;
	a.clockid = CLOCK_MONOTONIC;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, set_output(fd, self->target));
	close(fd);
}

TEST_F(output, other_direction)
{
	struct perf_event_attr a = self->a;
	int fd;

	a.write_backward = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, set_output(fd, self->target));
	close(fd);
}

TEST_F(output, at_open)
{
	__u64 id, head;
	int fd;

	fd = pe_open(&self->a, 0, -1, self->target,
		     PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP);
	ASSERT_LE(0, fd);
	id = pe_id(fd);
	head = self->ring.page->data_head;
	faults(fd, 2);
	EXPECT_LT(head, self->ring.page->data_head);
	self->ring.page->data_tail = head;
	ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
	ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
	EXPECT_EQ(id, self->s.identifier);
	close(fd);
}

/* Does an event opened with these flags join the group of @leader, and write to its buffer? */
static const struct {
	unsigned long flags;
	bool joins, writes;
} at_open[] = {
	{ 0, true, false },
	{ PERF_FLAG_FD_OUTPUT, true, true },
	{ PERF_FLAG_FD_NO_GROUP, false, false },
	{ PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP, false, true },
};

/* Number of events in the group of a leader with PERF_FORMAT_GROUP, or -1 */
static int group_size(int leader)
{
	__u64 value[8];

	return read(leader, value, sizeof(value)) < (ssize_t)sizeof(*value) ? -1 : value[0];
}

TEST_F(output, at_open_with_a_leader)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);
	int leader, fd;
	unsigned int i;

	/* The leader writes no records. */
	a.read_format = PERF_FORMAT_GROUP;
	for (i = 0; i < PE_ARRAY_SIZE(at_open); i++) {
		struct pe_ring ring;
		unsigned int nr;

		leader = pe_self(&a);
		ASSERT_LE(0, leader);
		ASSERT_EQ(0, pe_ring_map(&ring, leader, 1));
		fd = pe_open(&self->a, 0, -1, leader, at_open[i].flags);
		ASSERT_LE(0, fd);
		EXPECT_EQ(1 + at_open[i].joins, group_size(leader));
		faults(fd, 3);
		EXPECT_LE(3, pe_count(fd));
		nr = pe_ring_drop(&ring, PERF_RECORD_SAMPLE);
		EXPECT_EQ(at_open[i].writes ? pe_count(fd) : 0, nr);
		close(fd);
		close(leader);
		pe_ring_unmap(&ring);
	}
}

TEST_F(output, at_open_with_a_member)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);
	int leader, member, fd;
	struct pe_ring ring;
	unsigned int i;

	a.read_format = PERF_FORMAT_GROUP;
	leader = pe_self(&a);
	ASSERT_LE(0, leader);
	ASSERT_EQ(0, pe_ring_map(&ring, leader, 1));
	a.read_format = 0;
	member = pe_open(&a, 0, -1, leader, PERF_FLAG_FD_OUTPUT);
	ASSERT_LE(0, member);
	for (i = 0; i < PE_ARRAY_SIZE(at_open); i++) {
		unsigned int nr;

		fd = pe_open(&self->a, 0, -1, member, at_open[i].flags);
		/* A member leads no group, but it has the leader's buffer. */
		if (at_open[i].joins) {
			EXPECT_EQ(-EINVAL, fd);
			continue;
		}
		ASSERT_LE(0, fd);
		EXPECT_EQ(2, group_size(leader));
		faults(fd, 3);
		nr = pe_ring_drop(&ring, PERF_RECORD_SAMPLE);
		EXPECT_EQ(at_open[i].writes ? pe_count(fd) : 0, nr);
		close(fd);
	}
	close(member);
	close(leader);
	pe_ring_unmap(&ring);
}

/* An event that may join the group, but not write to the buffer, does neither. */
TEST_F(output, at_open_refused)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);
	struct pe_ring ring;
	int leader;

	a.read_format = PERF_FORMAT_GROUP;
	leader = pe_self(&a);
	ASSERT_LE(0, leader);
	self->a.write_backward = 1;
	EXPECT_EQ(-EINVAL, pe_try(&self->a, 0, -1, leader, PERF_FLAG_FD_OUTPUT));
	ASSERT_EQ(0, pe_ring_map(&ring, leader, 1));
	EXPECT_EQ(-EINVAL, pe_try(&self->a, 0, -1, leader, PERF_FLAG_FD_OUTPUT));
	EXPECT_EQ(1, group_size(leader));
	EXPECT_EQ(0, pe_try(&self->a, 0, -1, leader, 0));
	EXPECT_EQ(1, group_size(leader));
	close(leader);
	pe_ring_unmap(&ring);
}

/**
 * struct ending - a thread that exits on an order
 * @thread: the thread
 * @tid: its id, once it runs
 * @go: pipe that the thread reads
 */
struct ending {
	pthread_t thread;
	pid_t tid;
	int go[2];
};

static void *exit_on_order(void *arg)
{
	struct ending *e = arg;
	char c;

	__atomic_store_n(&e->tid, syscall(__NR_gettid), __ATOMIC_SEQ_CST);
	(void)!read(e->go[0], &c, 1);
	return NULL;
}

static int start_ending(struct ending *e)
{
	e->tid = 0;
	if (pipe(e->go))
		return -errno;
	if (pthread_create(&e->thread, NULL, exit_on_order, e))
		return -EAGAIN;
	while (!__atomic_load_n(&e->tid, __ATOMIC_SEQ_CST))
		pe_sleep_ms(1);
	return 0;
}

static int poll_for(int fd, short events, int ms)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, ms) < 0 ? -errno : p.revents;
}

/* End the thread. @mapped is an event of it, with a buffer: wait until that has ended, too. */
static void end_now(struct ending *e, int mapped)
{
	close(e->go[1]);
	pthread_join(e->thread, NULL);
	close(e->go[0]);
	poll_for(mapped, 0, -1);
}

/* The event of a thread that has exited keeps its buffer, for other events of the CPU. */
TEST_F(output, of_an_exited_thread)
{
	struct pe_ring ring;
	struct ending e;
	int gone, fd, i;

	self->a.wakeup_events = 1;
	ASSERT_EQ(0, start_ending(&e));
	ASSERT_EQ(0, pe_move_to(0));
	gone = pe_open(&self->a, e.tid, 0, -1, 0);
	fd = pe_open(&self->a, 0, 0, -1, 0);
	ASSERT_LE(0, gone);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, gone, 1));
	end_now(&e, gone);

	/* At the open of an event, the other one must not have ended. */
	EXPECT_EQ(-ENODEV, pe_try(&self->a, 0, 0, gone,
				  PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP));
	EXPECT_EQ(-ENODEV, pe_try(&self->a, 0, 0, gone, PERF_FLAG_FD_NO_GROUP));
	ASSERT_EQ(0, set_output(fd, gone));
	EXPECT_EQ(0, poll_for(fd, POLLIN, 0));
	faults(fd, 5);
	EXPECT_EQ(POLLIN, poll_for(fd, POLLIN, 0));
	EXPECT_EQ(POLLHUP, poll_for(gone, POLLIN, 0));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(1, pe_ring_next(&ring, &rec));
		ASSERT_EQ(PERF_RECORD_SAMPLE, rec.head.type);
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
		EXPECT_EQ(pe_id(fd), self->s.identifier);
		EXPECT_EQ(getpid(), self->s.tid);
	}
	pe_ring_drop(&ring, 0);
	EXPECT_EQ(0, pe_count(gone));

	/* The mapping holds the buffer when the thread's event is closed. */
	close(gone);
	faults(fd, 5);
	EXPECT_LE(5, pe_ring_drop(&ring, PERF_RECORD_SAMPLE));
	close(fd);
	pe_ring_unmap(&ring);
}

/* Events without a CPU share a buffer only with events of the same task, after its exit, too. */
TEST_F(output, of_an_exited_thread_on_any_cpu)
{
	int gone, other, unmapped;
	struct pe_ring ring;
	struct ending e;

	ASSERT_EQ(0, start_ending(&e));
	gone = pe_open(&self->a, e.tid, -1, -1, 0);
	other = pe_open(&self->a, e.tid, -1, -1, 0);
	unmapped = pe_open(&self->a, e.tid, 0, -1, 0);
	ASSERT_LE(0, gone);
	ASSERT_LE(0, other);
	ASSERT_LE(0, unmapped);
	ASSERT_EQ(0, pe_ring_map(&ring, gone, 1));
	EXPECT_EQ(-EINVAL, set_output(self->fd, gone));
	end_now(&e, gone);
	EXPECT_EQ(-EINVAL, set_output(self->fd, gone));
	EXPECT_EQ(-EINVAL, set_output(gone, self->target));
	EXPECT_EQ(-EINVAL, set_output(self->fd, unmapped));
	EXPECT_EQ(0, set_output(other, gone));
	EXPECT_EQ(0, set_output(other, -1));
	close(unmapped);
	close(other);
	close(gone);
	pe_ring_unmap(&ring);
}

TEST_F(output, target_closed_first)
{
	__u64 head;

	/* The mapping holds the buffer, so the events still write to it. */
	ASSERT_EQ(0, set_output(self->fd, self->target));
	close(self->target);
	self->target = -1;
	head = self->ring.page->data_head;
	faults(self->fd, 5);
	EXPECT_LT(head, self->ring.page->data_head);
}

TEST_F(output, unmapped_first)
{
	struct pe_ring ring;
	int target;

	/*
	 * When its last mapping is unmapped, a buffer is detached from all events that write to it.
	 */
	target = pe_self(&self->a);
	ASSERT_LE(0, target);
	ASSERT_EQ(0, pe_ring_map(&ring, target, 1));
	ASSERT_EQ(0, set_output(self->fd, target));
	pe_ring_unmap(&ring);
	faults(self->fd, 5);
	EXPECT_EQ(-EINVAL, set_output(self->fd, target));
	EXPECT_EQ(0, set_output(self->fd, self->target));
	close(target);
}

/*
 * Try every order of set, map, unmap and close of two events that share a
 * buffer.
 */
TEST_F(output, in_every_order)
{
	struct pe_ring ring;
	int i, fd, target;

	for (i = 0; i < 8; i++) {
		target = pe_self(&self->a);
		fd = pe_self(&self->a);
		ASSERT_LE(0, target);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, pe_ring_map(&ring, target, 1));
		ASSERT_EQ(0, set_output(fd, target));
		faults(fd, 1);
		if (i & 1)
			close(target);
		if (i & 2)
			pe_ring_unmap(&ring);
		faults(fd, 1);
		if (i & 4)
			set_output(fd, -1);
		faults(fd, 1);
		close(fd);
		if (!(i & 1)) {
			faults(target, 1);
			close(target);
		}
		if (!(i & 2))
			pe_ring_unmap(&ring);
	}
}

TEST_HARNESS_MAIN
