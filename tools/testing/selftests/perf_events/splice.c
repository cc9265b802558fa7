// SPDX-License-Identifier: GPL-2.0
/*
 * splice(2) from an event moves whole records, and consumes them like data_tail. A kernel without
 * it returns EINVAL: the tests are skipped then.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"

/* A record is a header and an address. */
#define SMALL	16

static char bytes[1 << 20];

FIXTURE(splice) {
	struct perf_event_attr a;
	struct pe_ring ring;
	long page;
	int pipe[2];
	int fd;
};

static ssize_t move(int from, int to, size_t len, unsigned int flags)
{
	ssize_t n = splice(from, NULL, to, NULL, len, flags);

	return n < 0 ? -errno : n;
}

static void faults(int fd, unsigned int nr)
{
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(nr);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* Open an event whose records have 16 bytes, with an empty buffer. */
static int start(struct perf_event_attr *attr, struct pe_ring *ring, int pages)
{
	int fd = pe_self(attr), ret;

	if (fd < 0)
		return fd;
	ret = pe_ring_map(ring, fd, pages);
	if (ret)
		return ret;
	faults(fd, 1);
	ring->page->data_tail = ring->page->data_head;
	return fd;
}

/* Return: the number of samples of @size bytes in @len bytes, or -1 if there is anything else. */
static int samples(const char *at, ssize_t len, unsigned int size)
{
	struct perf_event_header head;
	int nr;

	for (nr = 0; len > 0; nr++) {
		memcpy(&head, at, sizeof(head));
		if (head.type != PERF_RECORD_SAMPLE || head.size != size)
			return -1;
		at += head.size;
		len -= head.size;
	}
	return len ? -1 : nr;
}

FIXTURE_SETUP(splice)
{
	self->page = sysconf(_SC_PAGESIZE);
	self->a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.sample_period = 1;
	self->a.sample_type = PERF_SAMPLE_ADDR;
	self->a.wakeup_events = 1;
	ASSERT_EQ(0, pipe2(self->pipe, O_NONBLOCK));
	self->fd = start(&self->a, &self->ring, 8);
	ASSERT_LE(0, self->fd);
	if (move(self->fd, self->pipe[1], 4096, SPLICE_F_NONBLOCK) == -EINVAL)
		SKIP(return, "no splice of records");
}

FIXTURE_TEARDOWN(splice)
{
	pe_ring_unmap(&self->ring);
	close(self->fd);
	close(self->pipe[0]);
	close(self->pipe[1]);
}

TEST_F(splice, all_there_is)
{
	faults(self->fd, 100);
	EXPECT_EQ(100 * SMALL, move(self->fd, self->pipe[1], 1 << 20, 0));
	EXPECT_EQ(self->ring.page->data_head, self->ring.page->data_tail);
	ASSERT_EQ(100 * SMALL, read(self->pipe[0], bytes, sizeof(bytes)));
	EXPECT_EQ(100, samples(bytes, 100 * SMALL, SMALL));
	EXPECT_EQ(-EAGAIN, move(self->fd, self->pipe[1], 1 << 20, SPLICE_F_NONBLOCK));
}

TEST_F(splice, whole_records)
{
	__u64 tail = self->ring.page->data_tail;

	/* Space for two and a half records takes two. */
	faults(self->fd, 10);
	EXPECT_EQ(2 * SMALL, move(self->fd, self->pipe[1], 5 * SMALL / 2, 0));
	EXPECT_EQ(tail + 2 * SMALL, self->ring.page->data_tail);
	EXPECT_EQ(-ENOSPC, move(self->fd, self->pipe[1], SMALL - 1, 0));
	EXPECT_EQ(tail + 2 * SMALL, self->ring.page->data_tail);
	EXPECT_EQ(8 * SMALL, move(self->fd, self->pipe[1], 4096, 0));
	ASSERT_EQ(10 * SMALL, read(self->pipe[0], bytes, sizeof(bytes)));
	EXPECT_EQ(10, samples(bytes, 10 * SMALL, SMALL));
}

TEST_F(splice, same_bytes_as_in_the_buffer)
{
	__u64 at, len;
	ssize_t n, got;
	int round;

	/*
	 * Copy the records through the mapping first, also around the end of
	 * the ring.
	 */
	for (round = 0; round < 40; round++) {
		static char copy[1 << 16];

		faults(self->fd, 123 + round);
		at = self->ring.page->data_tail;
		len = self->ring.page->data_head - at;
		for (n = 0; n < len; n++)
			copy[n] = self->ring.data[(at + n) % self->ring.size];
		for (got = 0; got < len; got += n) {
			n = move(self->fd, self->pipe[1], len, 0);
			ASSERT_LT(0, n);
			ASSERT_EQ(n, read(self->pipe[0], bytes + got, n));
		}
		ASSERT_EQ(len, got);
		ASSERT_EQ(0, memcmp(bytes, copy, len));
	}
}

/* Virtually contiguous buffers (PERF_USE_VMALLOC) keep their pages; vmallocinfo lists them. */
static bool in_one_piece(void)
{
	FILE *f = fopen("/proc/vmallocinfo", "r");
	char line[256];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, "perf_buffer_alloc");
	if (f)
		fclose(f);
	return found;
}

TEST_F(splice, full_pages_leave_the_buffer)
{
	__u64 tail = self->ring.page->data_tail, first, at;
	unsigned int nr = 2 * self->page / SMALL, zero = 0;

	if (in_one_piece())
		SKIP(return, "pages of this buffer cannot be moved");
	/*
	 * User space has not touched the records, so splice(2) moves their pages and replaces them.
	 */
	faults(self->fd, nr);
	ASSERT_EQ(nr * SMALL, move(self->fd, self->pipe[1], 1 << 20, 0));
	ASSERT_EQ(nr * SMALL, read(self->pipe[0], bytes, sizeof(bytes)));
	EXPECT_EQ(nr, samples(bytes, nr * SMALL, SMALL));
	first = (tail + self->page - 1) & -self->page;
	for (at = first; at < first + self->page; at++)
		zero += !self->ring.data[at % self->ring.size];
	EXPECT_EQ(self->page, zero);

	/* This page is in the page table now, so it stays in the buffer. */
	faults(self->fd, 8 * self->page / SMALL);
	while (move(self->fd, self->pipe[1], 1 << 20, 0) > 0 &&
	       read(self->pipe[0], bytes, sizeof(bytes)) > 0)
		;
	for (zero = 0, at = first; at < first + self->page; at++)
		zero += !self->ring.data[at % self->ring.size];
	EXPECT_GT(self->page, zero);
}

/* A mapping with MAP_POPULATE has all pages in the page table: splice(2) moves none of them. */
TEST_F(splice, populated_pages_stay)
{
	const size_t len = 9 * self->page;
	unsigned int nr = 2 * self->page / SMALL, zero = 0;
	struct perf_event_mmap_page *p;
	__u64 first, at;
	char *data;
	int fd;

	fd = pe_self(&self->a);
	ASSERT_LE(0, fd);
	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	data = (char *)p + self->page;
	first = (p->data_head + self->page - 1) & -self->page;
	faults(fd, nr);
	ASSERT_EQ(nr * SMALL, move(fd, self->pipe[1], 1 << 20, 0));
	for (at = first; at < first + self->page; at++)
		zero += !data[at % (8 * self->page)];
	EXPECT_GT(self->page, zero);
	munmap(p, len);
	close(fd);
}

TEST_F(splice, nothing_is_lost_untold)
{
	unsigned int read_nr = 0, told = 0, round;
	struct perf_event_header head;
	__u64 lost;
	ssize_t n, at;

	/* Lose records, make space, and lose records again. */
	for (round = 0; round < 20; round++) {
		faults(self->fd, 3000);
		n = move(self->fd, self->pipe[1], 10000, 0);
		ASSERT_LT(0, n);
		ASSERT_EQ(n, read(self->pipe[0], bytes, sizeof(bytes)));
		for (at = 0; at < n; at += head.size) {
			memcpy(&head, bytes + at, sizeof(head));
			ASSERT_LE(sizeof(head), head.size);
			read_nr += head.type == PERF_RECORD_SAMPLE;
			if (head.type != PERF_RECORD_LOST)
				continue;
			memcpy(&lost, bytes + at + 16, sizeof(lost));
			told += lost;
		}
		ASSERT_EQ(n, at);
	}
	/* Make space: the LOST record reports the rest. */
	for (;;) {
		n = move(self->fd, self->pipe[1], 1 << 20, SPLICE_F_NONBLOCK);
		if (n == -EAGAIN && told + read_nr == 60000 + 1)
			break;
		if (n == -EAGAIN)
			faults(self->fd, 1);
		if (n <= 0)
			continue;
		ASSERT_EQ(n, read(self->pipe[0], bytes, sizeof(bytes)));
		for (at = 0; at < n; at += head.size) {
			memcpy(&head, bytes + at, sizeof(head));
			read_nr += head.type == PERF_RECORD_SAMPLE;
			if (head.type != PERF_RECORD_LOST)
				continue;
			memcpy(&lost, bytes + at + 16, sizeof(lost));
			told += lost;
		}
		ASSERT_GE(60001, told + read_nr);
	}
	EXPECT_LT(0, told);
}

TEST_F(splice, long_records)
{
	struct perf_event_attr a = self->a;
	struct pe_ring ring;
	unsigned int size;
	int fd, i;

	/* Each record is larger than a page, and crosses several page boundaries. */
	a.sample_type |= PERF_SAMPLE_STACK_USER;
	a.sample_stack_user = 5000;
	fd = start(&a, &ring, 8);
	ASSERT_LE(0, fd);
	for (i = 0; i < 30; i++) {
		faults(fd, 2);
		size = (ring.page->data_head - ring.page->data_tail) / 2;
		ASSERT_LT(16, size);
		EXPECT_EQ(-ENOSPC, move(fd, self->pipe[1], size - 1, 0));
		ASSERT_EQ(size, move(fd, self->pipe[1], 2 * size - 1, 0));
		ASSERT_EQ(size, move(fd, self->pipe[1], size, 0));
		ASSERT_EQ(2 * size, read(self->pipe[0], bytes, sizeof(bytes)));
		EXPECT_EQ(2, samples(bytes, 2 * size, size));
	}
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_F(splice, pipe_without_room)
{
	unsigned int nr = 4 * self->page / SMALL;
	ssize_t n;

	/* A pipe of one page takes the records that fit, and must then be read. */
	ASSERT_EQ(self->page, fcntl(self->pipe[1], F_SETPIPE_SZ, self->page));
	faults(self->fd, nr);
	while (nr) {
		n = move(self->fd, self->pipe[1], 1 << 20, 0);
		ASSERT_LT(0, n);
		ASSERT_GE(self->page, n);
		EXPECT_EQ(-EAGAIN, move(self->fd, self->pipe[1], 1 << 20, SPLICE_F_NONBLOCK));
		ASSERT_EQ(n, read(self->pipe[0], bytes, sizeof(bytes)));
		ASSERT_EQ(n / SMALL, samples(bytes, n, SMALL));
		nr -= n / SMALL;
	}
}

TEST_F(splice, record_longer_than_the_pipe)
{
	struct perf_event_attr a = self->a;
	struct pe_ring ring;
	int fd;

	a.sample_type |= PERF_SAMPLE_STACK_USER;
	a.sample_stack_user = 2 * self->page;
	if (2 * self->page > 1 << 15)
		SKIP(return, "a record is shorter than a page");
	fd = start(&a, &ring, 8);
	ASSERT_LE(0, fd);
	ASSERT_EQ(self->page, fcntl(self->pipe[1], F_SETPIPE_SZ, self->page));
	faults(fd, 1);
	/* A sample has at most the existing stack, which may be less than requested. */
	if (ring.page->data_head - ring.page->data_tail <= self->page)
		SKIP(return, "the stack is too short");
	EXPECT_EQ(-ENOSPC, move(fd, self->pipe[1], 1 << 20, 0));
	ASSERT_EQ(4 * self->page, fcntl(self->pipe[1], F_SETPIPE_SZ, 4 * self->page));
	EXPECT_LT(0, move(fd, self->pipe[1], 1 << 20, 0));
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_F(splice, does_not_block)
{
	int flags = fcntl(self->fd, F_GETFL);

	EXPECT_EQ(-EAGAIN, move(self->fd, self->pipe[1], 4096, SPLICE_F_NONBLOCK));
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, flags | O_NONBLOCK));
	EXPECT_EQ(-EAGAIN, move(self->fd, self->pipe[1], 4096, 0));
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, flags));
	/* If the pipe is non-blocking, the call returns EAGAIN, too. */
	ASSERT_LT(0, fcntl(self->pipe[1], F_GETFL) & O_NONBLOCK);
	EXPECT_EQ(-EAGAIN, move(self->fd, self->pipe[1], 4096, 0));
}

struct splicer {
	int fd;
	int pipe;
	ssize_t ret;
	pid_t tid;
	int done;
	pthread_t thread;
	struct pe_child child;
	struct pe_ring ring;
};

static void *splice_once(void *arg)
{
	struct splicer *s = arg;

	__atomic_store_n(&s->tid, syscall(__NR_gettid), __ATOMIC_SEQ_CST);
	s->ret = move(s->fd, s->pipe, 1 << 20, 0);
	__atomic_store_n(&s->done, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* Wait until the thread sleeps, for any time. Return: whether it sleeps in splice(2). */
static bool sleeps(struct splicer *s)
{
	char path[64], state = 'R';
	FILE *f;

	while (state != 'S' && !__atomic_load_n(&s->done, __ATOMIC_SEQ_CST)) {
		pe_sleep_ms(1);
		snprintf(path, sizeof(path), "/proc/self/task/%d/stat",
			 __atomic_load_n(&s->tid, __ATOMIC_SEQ_CST));
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fscanf(f, "%*d %*s %c", &state) != 1)
			state = 'R';
		fclose(f);
	}
	return !__atomic_load_n(&s->done, __ATOMIC_SEQ_CST);
}

/* Start a thread that waits for records of a child. There are no records yet. */
static void wait_in_splice(struct __test_metadata *_metadata, struct splicer *s,
			   struct perf_event_attr *a, int pipe)
{
	s->pipe = pipe;
	/* The write end of the pipe is non-blocking: make it blocking for the thread. */
	ASSERT_EQ(0, fcntl(pipe, F_SETFL, O_WRONLY));
	ASSERT_EQ(0, pe_child_start(&s->child));
	s->fd = pe_open(a, s->child.pid, -1, -1, 0);
	ASSERT_LE(0, s->fd);
	ASSERT_EQ(0, pe_ring_map(&s->ring, s->fd, 8));
	ASSERT_EQ(0, pthread_create(&s->thread, NULL, splice_once, s));
	EXPECT_TRUE(sleeps(s));
}

TEST_F(splice, blocks_until_there_is_a_record)
{
	struct perf_event_attr a = self->a;
	struct splicer s = {};

	wait_in_splice(_metadata, &s, &a, self->pipe[1]);
	/* While the thread waits, other tasks can use the pipe. */
	ASSERT_EQ(3, write(self->pipe[1], "abc", 3));
	ASSERT_EQ(3, read(self->pipe[0], bytes, sizeof(bytes)));
	ASSERT_EQ(0, pe_ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, pe_child_do(&s.child, PE_FAULT, 3));
	ASSERT_EQ(0, pthread_join(s.thread, NULL));
	EXPECT_LT(0, s.ret);
	ASSERT_EQ(s.ret, read(self->pipe[0], bytes, sizeof(bytes)));
	EXPECT_EQ(s.ret / SMALL, samples(bytes, s.ret, SMALL));
	pe_ring_unmap(&s.ring);
	close(s.fd);
	pe_child_end(&s.child);
}

/* The thread wakes up when poll(2) would: after the watermark, not after the first record. */
TEST_F(splice, blocks_until_the_watermark)
{
	struct perf_event_attr a = self->a;
	struct splicer s = {};

	a.watermark = 1;
	a.wakeup_watermark = 100 * SMALL;
	wait_in_splice(_metadata, &s, &a, self->pipe[1]);
	ASSERT_EQ(0, pe_ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, pe_child_do(&s.child, PE_FAULT, 10));
	EXPECT_TRUE(sleeps(&s));
	ASSERT_EQ(0, pe_child_do(&s.child, PE_FAULT, 100));
	ASSERT_EQ(0, pthread_join(s.thread, NULL));
	EXPECT_LE(100 * SMALL, s.ret);
	pe_ring_unmap(&s.ring);
	close(s.fd);
	pe_child_end(&s.child);
}

TEST_F(splice, through_another_event_of_the_buffer)
{
	int other = pe_self(&self->a);

	ASSERT_LE(0, other);
	EXPECT_EQ(-EINVAL, move(other, self->pipe[1], 4096, 0));
	ASSERT_EQ(0, pe_ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, self->fd));
	faults(self->fd, 3);
	faults(other, 2);
	EXPECT_EQ(5 * SMALL, move(other, self->pipe[1], 4096, 0));
	EXPECT_EQ(self->ring.page->data_head, self->ring.page->data_tail);
	close(other);
}

/* A pipe with data has no space for a record that would fit into an empty pipe. */
TEST_F(splice, pipe_that_is_partly_full)
{
	struct perf_event_attr a = self->a;
	struct pe_ring ring;
	__u64 size;
	int fd;

	a.sample_type |= PERF_SAMPLE_STACK_USER;
	a.sample_stack_user = self->page - 256;
	if (a.sample_stack_user > 1 << 15)
		SKIP(return, "a record is shorter than half a page");
	fd = start(&a, &ring, 8);
	ASSERT_LE(0, fd);
	faults(fd, 1);
	size = ring.page->data_head - ring.page->data_tail;
	if (size <= self->page / 2)
		SKIP(return, "the stack is too short");
	ASSERT_EQ(2 * self->page, fcntl(self->pipe[1], F_SETPIPE_SZ, 2 * self->page));
	memset(bytes, 0, 2 * self->page);
	ASSERT_EQ(2 * self->page, write(self->pipe[1], bytes, 2 * self->page));
	EXPECT_EQ(-EAGAIN, move(fd, self->pipe[1], 1 << 20, SPLICE_F_NONBLOCK));
	ASSERT_EQ(2 * self->page, read(self->pipe[0], bytes, sizeof(bytes)));
	EXPECT_EQ(size, move(fd, self->pipe[1], 1 << 20, SPLICE_F_NONBLOCK));
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_F(splice, ends_with_its_task)
{
	struct perf_event_attr a = self->a;
	struct splicer s = {};

	/* The thread gets all records, and then end of file, even while it sleeps. */
	wait_in_splice(_metadata, &s, &a, self->pipe[1]);
	pe_child_end(&s.child);
	ASSERT_EQ(0, pthread_join(s.thread, NULL));
	EXPECT_EQ(0, s.ret);
	EXPECT_EQ(0, move(s.fd, self->pipe[1], 4096, SPLICE_F_NONBLOCK));
	pe_ring_unmap(&s.ring);

	ASSERT_EQ(0, pe_child_start(&s.child));
	close(s.fd);
	s.fd = pe_open(&a, s.child.pid, -1, -1, 0);
	ASSERT_LE(0, s.fd);
	ASSERT_EQ(0, pe_ring_map(&s.ring, s.fd, 8));
	ASSERT_EQ(0, pe_ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, pe_child_do(&s.child, PE_FAULT, 5));
	pe_child_end(&s.child);
	EXPECT_LE(5 * SMALL, move(s.fd, self->pipe[1], 1 << 20, 0));
	EXPECT_EQ(0, move(s.fd, self->pipe[1], 4096, 0));
	pe_ring_unmap(&s.ring);
	close(s.fd);
}

static void nothing(int nr)
{
}

TEST_F(splice, interrupted_by_a_signal)
{
	struct sigaction act = { .sa_handler = nothing };
	struct perf_event_attr a = self->a;
	struct splicer s = {};

	ASSERT_EQ(0, sigaction(SIGUSR1, &act, NULL));
	wait_in_splice(_metadata, &s, &a, self->pipe[1]);
	while (!__atomic_load_n(&s.done, __ATOMIC_SEQ_CST)) {
		pthread_kill(s.thread, SIGUSR1);
		pe_sleep_ms(1);
	}
	pthread_join(s.thread, NULL);
	EXPECT_EQ(-EINTR, s.ret);
	pe_ring_unmap(&s.ring);
	close(s.fd);
	pe_child_end(&s.child);
}

TEST_F(splice, to_a_file_and_a_socket)
{
	int file = memfd_create("records", 0), pair[2];
	unsigned int nr = 3 * self->page / SMALL, got;
	ssize_t n;

	ASSERT_LE(0, file);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	faults(self->fd, nr);
	ASSERT_EQ(nr * SMALL, move(self->fd, self->pipe[1], 1 << 20, 0));
	for (got = 0; got < nr * SMALL; got += n) {
		n = move(self->pipe[0], file, nr * SMALL - got, 0);
		ASSERT_LT(0, n);
	}
	ASSERT_EQ(nr * SMALL, pread(file, bytes, sizeof(bytes), 0));
	EXPECT_EQ(nr, samples(bytes, nr * SMALL, SMALL));

	/*
	 * Pages that are in the pipe do not change when the buffer is filled
	 * again.
	 */
	faults(self->fd, nr);
	ASSERT_EQ(nr * SMALL, move(self->fd, self->pipe[1], 1 << 20, 0));
	for (got = 0; got < nr * SMALL; got += n) {
		n = move(self->pipe[0], pair[0], nr * SMALL - got, 0);
		ASSERT_LT(0, n);
	}
	faults(self->fd, 10 * nr);
	for (got = 0; got < nr * SMALL; got += n) {
		n = read(pair[1], bytes + got, nr * SMALL - got);
		ASSERT_LT(0, n);
	}
	EXPECT_EQ(nr, samples(bytes, nr * SMALL, SMALL));
	close(pair[0]);
	close(pair[1]);
	close(file);
}

TEST_F(splice, of_an_event_that_has_no_such_buffer)
{
	struct perf_event_attr a = self->a;
	struct pe_ring ring;
	void *p;
	int fd;

	/*
	 * Refused: an event without a buffer, with the page alone, without a
	 * tail, or written backward.
	 */
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, move(fd, self->pipe[1], 4096, 0));
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 0));
	EXPECT_EQ(-EINVAL, move(fd, self->pipe[1], 4096, 0));
	pe_ring_unmap(&ring);
	p = mmap(NULL, 3 * self->page, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	faults(fd, 3);
	EXPECT_EQ(-EINVAL, move(fd, self->pipe[1], 4096, 0));
	munmap(p, 3 * self->page);
	close(fd);
	a.write_backward = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 2));
	faults(fd, 3);
	EXPECT_EQ(-EINVAL, move(fd, self->pipe[1], 4096, 0));
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_F(splice, sendfile)
{
	int file = memfd_create("records", 0);

	/* sendfile(2) from a position is refused: records have none. */
	ASSERT_LE(0, file);
	faults(self->fd, 3);
	EXPECT_EQ(-1, sendfile(file, self->fd, NULL, 4096));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, copy_file_range(self->fd, NULL, file, NULL, 4096, 0));
	EXPECT_EQ(EINVAL, errno);
	/* sendfile(2) to a pipe does the same as splice(2). */
	EXPECT_EQ(3 * SMALL, sendfile(self->pipe[1], self->fd, NULL, 4096));
	close(file);
}

TEST_F(splice, after_the_reader_has_gone)
{
	faults(self->fd, 3);
	signal(SIGPIPE, SIG_IGN);
	close(self->pipe[0]);
	EXPECT_EQ(-EPIPE, move(self->fd, self->pipe[1], 4096, 0));
	EXPECT_EQ(3 * SMALL, self->ring.page->data_head - self->ring.page->data_tail);
}

TEST_F(splice, tail_that_lies)
{
	struct perf_event_mmap_page *p = self->ring.page;
	__u64 tail;
	int i;

	/*
	 * A tail in the middle of a record, beyond the head, or not on a word
	 * is refused.
	 */
	faults(self->fd, 10);
	tail = p->data_tail;
	p->data_tail = tail + 3;
	EXPECT_EQ(-EIO, move(self->fd, self->pipe[1], 4096, 0));
	p->data_tail = p->data_head + SMALL;
	EXPECT_EQ(-EIO, move(self->fd, self->pipe[1], 4096, 0));
	p->data_tail = tail - 8 * self->page;
	EXPECT_EQ(-EIO, move(self->fd, self->pipe[1], 4096, 0));
	for (i = 0; i < 20; i++) {
		p->data_tail = tail + i * 8;
		move(self->fd, self->pipe[1], 4096, SPLICE_F_NONBLOCK);
		while (read(self->pipe[0], bytes, sizeof(bytes)) > 0)
			;
	}
	p->data_tail = p->data_head;
	faults(self->fd, 10);
	EXPECT_EQ(10 * SMALL, move(self->fd, self->pipe[1], 4096, 0));
}

/* A 32-bit kernel looks only at the lower half of the tail. */
TEST_F(splice, tail_of_more_bits)
{
	struct itimerval often = { { 0, 100000 }, { 0, 100000 } }, never = { };
	struct sigaction act = { .sa_handler = nothing };
	struct perf_event_mmap_page *p = self->ring.page;
	ssize_t ret;

	/* The write end of the pipe is non-blocking: make it blocking for this call. */
	ASSERT_EQ(0, fcntl(self->pipe[1], F_SETFL, O_WRONLY));
	ASSERT_EQ(0, sigaction(SIGALRM, &act, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &often, NULL));
	p->data_tail = p->data_head | 1ULL << 32;
	ret = move(self->fd, self->pipe[1], 4096, 0);
	/* Without records the call sleeps until a signal interrupts it. */
	if (sizeof(long) == 4 && ret == -EINTR)
		ret = -EIO;
	EXPECT_EQ(-EIO, ret);
	p->data_tail = p->data_head;
	EXPECT_EQ(-EINTR, move(self->fd, self->pipe[1], 4096, 0));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &never, NULL));
	faults(self->fd, 10);
	EXPECT_EQ(10 * SMALL, move(self->fd, self->pipe[1], 4096, 0));
}

static int stop;

static void *lie(void *arg)
{
	struct pe_ring *ring = arg;
	unsigned int i;

	for (i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
		ring->page->data_tail = i * 1000 & -8;
		ring->page->data_head = i * 3000 & -8;
	}
	return NULL;
}

static void *fault_on(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		pe_fault(500);
	return NULL;
}

TEST_F(splice, against_a_liar_and_a_writer)
{
	struct perf_event_attr a = self->a;
	pthread_t liar, writer;
	struct pe_ring ring;
	int fd, i;

	/* The data is garbage, as user space writes the tail; a debugging kernel must not warn. */
	a.disabled = 0;
	fd = pe_open(&a, -1, pe_cpu_count() - 1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 4));
	ASSERT_EQ(0, pthread_create(&liar, NULL, lie, &ring));
	ASSERT_EQ(0, pthread_create(&writer, NULL, fault_on, NULL));
	for (i = 0; i < 3000; i++) {
		move(fd, self->pipe[1], 1 << 20, SPLICE_F_NONBLOCK);
		while (read(self->pipe[0], bytes, sizeof(bytes)) > 0)
			;
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(liar, NULL);
	pthread_join(writer, NULL);
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_HARNESS_MAIN
