// SPDX-License-Identifier: GPL-2.0
/*
 * Wakeups of a buffer's readers by poll(2), select(2) or epoll_wait(2): after half of the buffer,
 * or after the watermark.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"
#include "pe_sim.h"

/* A record is a header and an address. */
#define RECORD		16
#define PAGES		2

static struct pe_record rec;

FIXTURE(wakeup) {
	struct perf_event_attr a;
	struct pe_ring ring;
	__u64 half;
	int fd;
};

FIXTURE_SETUP(wakeup)
{
	self->a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.sample_period = 1;
	self->a.sample_type = PERF_SAMPLE_ADDR;
	self->ring.page = NULL;
	self->half = PAGES * sysconf(_SC_PAGESIZE) / 2;
	self->fd = -1;
}

FIXTURE_TEARDOWN(wakeup)
{
	if (self->ring.page)
		pe_ring_unmap(&self->ring);
	if (self->fd >= 0)
		close(self->fd);
}

static void start(struct __test_metadata *_metadata, struct _test_data_wakeup *self)
{
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	/* fill() must not cause copy-on-write faults: a fork has shared these pages. */
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	pe_fault(1);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, PAGES));
}

/* Write @bytes of records; faults of the program itself are excluded. */
static void fill(struct __test_metadata *_metadata, struct _test_data_wakeup *self, __u64 bytes)
{
	__u64 head = self->ring.page->data_head;

	while (self->ring.page->data_head - head < bytes) {
		pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
		pe_fault(1);
		pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	}
	ASSERT_EQ(bytes, self->ring.page->data_head - head);
}

static short ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) < 0 ? -errno : p.revents;
}

static void consume(struct _test_data_wakeup *self)
{
	__atomic_store_n(&self->ring.page->data_tail, self->ring.page->data_head,
			 __ATOMIC_RELEASE);
}

TEST_F(wakeup, after_half_of_the_buffer)
{
	start(_metadata, self);
	fill(_metadata, self, self->half - RECORD);
	EXPECT_EQ(0, ready(self->fd));
	fill(_metadata, self, 2 * RECORD);
	EXPECT_EQ(POLLIN, ready(self->fd));
	/* A second poll reports nothing. */
	EXPECT_EQ(0, ready(self->fd));
	consume(self);
	fill(_metadata, self, self->half - 2 * RECORD);
	EXPECT_EQ(0, ready(self->fd));
	fill(_metadata, self, 2 * RECORD);
	EXPECT_EQ(POLLIN, ready(self->fd));
}

TEST_F(wakeup, watermark)
{
	self->a.watermark = 1;
	self->a.wakeup_watermark = 10 * RECORD;
	start(_metadata, self);
	fill(_metadata, self, 9 * RECORD);
	EXPECT_EQ(0, ready(self->fd));
	fill(_metadata, self, 2 * RECORD);
	EXPECT_EQ(POLLIN, ready(self->fd));
}

/* A watermark above the buffer's size is like the buffer's size. */
TEST_F(wakeup, watermark_larger_than_the_buffer)
{
	self->a.watermark = 1;
	self->a.wakeup_watermark = 1 << 30;
	start(_metadata, self);
	fill(_metadata, self, self->half);
	consume(self);
	fill(_metadata, self, self->half - RECORD);
	EXPECT_EQ(0, ready(self->fd));
	consume(self);
	fill(_metadata, self, 2 * RECORD);
	EXPECT_EQ(POLLIN, ready(self->fd));
}

TEST_F(wakeup, select)
{
	struct timeval none = { 0, 0 };
	fd_set in;

	self->a.wakeup_events = 2;
	start(_metadata, self);
	fill(_metadata, self, RECORD);
	FD_ZERO(&in);
	FD_SET(self->fd, &in);
	EXPECT_EQ(0, select(self->fd + 1, &in, NULL, NULL, &none));
	fill(_metadata, self, RECORD);
	FD_ZERO(&in);
	FD_SET(self->fd, &in);
	none.tv_usec = 0;
	EXPECT_EQ(1, select(self->fd + 1, &in, NULL, NULL, &none));
	EXPECT_TRUE(FD_ISSET(self->fd, &in));
}

TEST_F(wakeup, epoll)
{
	struct epoll_event want = { .events = EPOLLIN, .data.u64 = 42 }, got = { 0 };
	int ep = epoll_create1(0);

	ASSERT_LE(0, ep);
	self->a.wakeup_events = 2;
	start(_metadata, self);
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->fd, &want));
	fill(_metadata, self, RECORD);
	EXPECT_EQ(0, epoll_wait(ep, &got, 1, 0));
	fill(_metadata, self, RECORD);
	/* The wakeup is an interrupt of its own, so wait for it. */
	EXPECT_EQ(1, epoll_wait(ep, &got, 1, 10000));
	EXPECT_EQ(EPOLLIN, got.events);
	EXPECT_EQ(42, got.data.u64);
	close(ep);
}

/* Without aux_watermark an AUX area wakes up the reader after half of it. */
TEST_F(wakeup, aux_area_after_half)
{
	int type = pe_sim_trace_type();
	const __u64 size = 4 * sysconf(_SC_PAGESIZE);
	unsigned int records;
	void *area;

	if (type < 0 || geteuid())
		SKIP(return, "needs the simulated trace unit, and root");
	self->a = pe_attr_off(0);
	self->a.type = type;
	pe_undisturbed();
	ASSERT_EQ(0, pe_move_to(0));
	start(_metadata, self);
	self->ring.page->aux_offset = self->ring.len;
	self->ring.page->aux_size = size;
	area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, self->ring.len);
	ASSERT_NE(MAP_FAILED, area);
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, pe_set(PE_SIM_TRACE "trace", size / 2 - 64));
	records = pe_ring_drop(&self->ring, PERF_RECORD_AUX);
	EXPECT_EQ(0, records);
	ASSERT_EQ(0, pe_set(PE_SIM_TRACE "trace", 64));
	EXPECT_EQ(1, pe_ring_find(&self->ring, &rec, PERF_RECORD_AUX));
	munmap(area, size);
}

TEST_HARNESS_MAIN
