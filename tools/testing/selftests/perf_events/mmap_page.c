// SPDX-License-Identifier: GPL-2.0
/*
 * The control page of a mapped event.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"

FIXTURE(page) {
	struct perf_event_attr a;
	struct pe_ring ring;
	long size;
	int fd;
};

FIXTURE_SETUP(page)
{
	self->size = sysconf(_SC_PAGESIZE);
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 4));
}

FIXTURE_TEARDOWN(page)
{
	pe_ring_unmap(&self->ring);
	close(self->fd);
}

TEST_F(page, layout)
{
	EXPECT_EQ(1024, offsetof(struct perf_event_mmap_page, data_head));
	EXPECT_EQ(16, offsetof(struct perf_event_mmap_page, offset));
	EXPECT_EQ(40, offsetof(struct perf_event_mmap_page, capabilities));
	EXPECT_EQ(72, offsetof(struct perf_event_mmap_page, size));
}

TEST_F(page, at_first)
{
	struct perf_event_mmap_page *p = self->ring.page;

	EXPECT_EQ(0, p->version);
	EXPECT_EQ(0, p->compat_version);
	EXPECT_EQ(0, p->data_head);
	EXPECT_EQ(0, p->data_tail);
	EXPECT_EQ(self->size, p->data_offset);
	EXPECT_EQ(4 * self->size, p->data_size);
	EXPECT_EQ(0, p->aux_head);
	EXPECT_EQ(0, p->aux_tail);
	EXPECT_EQ(0, p->aux_offset);
	EXPECT_EQ(0, p->aux_size);
	EXPECT_EQ(offsetof(struct perf_event_mmap_page, __reserved), p->size);
}

TEST_F(page, capabilities)
{
	struct perf_event_mmap_page *p = self->ring.page;

	EXPECT_EQ(0, (__u64)p->cap_bit0);
	EXPECT_EQ(1, (__u64)p->cap_bit0_is_deprecated);
	/* No instruction in user space reads a software event. */
	EXPECT_EQ(0, (__u64)p->cap_user_rdpmc);
	EXPECT_EQ(0, p->index);
	EXPECT_EQ(0, (__u64)p->cap_____res);
}

TEST_F(page, lock_is_even)
{
	int i;

	for (i = 0; i < 100; i++) {
		pe_ioctl(self->fd, i & 1 ? PERF_EVENT_IOC_ENABLE :
			 PERF_EVENT_IOC_DISABLE, 0);
		EXPECT_EQ(0, self->ring.page->lock & 1);
	}
}

TEST_F(page, times)
{
	struct perf_event_mmap_page *p = self->ring.page;
	__u64 first, value[3];
	struct perf_event_attr a = self->a;
	struct pe_ring ring;
	int fd;

	/* A task switch or an ioctl updates the page. */
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 0));
	p = ring.page;
	pe_spin(100000);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	first = p->time_enabled;
	ASSERT_EQ(24, read(fd, value, sizeof(value)));
	EXPECT_LT(0, first);
	EXPECT_LE(first, value[1]);
	EXPECT_LE(p->time_running, p->time_enabled);
	pe_spin(100000);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	EXPECT_LT(first, p->time_enabled);
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_F(page, count_of_a_disabled_event)
{
	__u64 count;

	/* Without a counter, offset alone is the count of an event. */
	pe_fault(10);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	count = pe_count(self->fd);
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(0, self->ring.page->index);
	EXPECT_EQ(count, (__u64)self->ring.page->offset);
	EXPECT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0, self->ring.page->offset);
}

TEST_F(page, control_page_alone)
{
	struct pe_ring ring;
	int fd = pe_self(&self->a);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 0));
	EXPECT_EQ(0, ring.page->data_size);
	pe_fault(3);
	EXPECT_EQ(0, ring.page->data_head);
	pe_ring_unmap(&ring);
	close(fd);
}

#define RESETS	200

/* Read the page as a program does, by its lock, with retries. */
static void read_page(const struct perf_event_mmap_page *page, __u64 value[3])
{
	__u32 lock;

	do {
		lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		value[0] = __atomic_load_n(&page->offset, __ATOMIC_RELAXED);
		value[1] = __atomic_load_n(&page->time_enabled, __ATOMIC_RELAXED);
		value[2] = __atomic_load_n(&page->time_running, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (lock & 1 || lock != __atomic_load_n(&page->lock, __ATOMIC_RELAXED));
}

/*
 * The page of an inherited event of one CPU. A child alternates with this task on that CPU, and
 * another child resets the event from another CPU. The page must have the same count as read(2).
 */
TEST(inherited_and_reset_from_elsewhere)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pe_child child;
	struct pe_ring ring;
	__u64 value[3], shown[3];
	int fd, i, status;
	pid_t resets;

	/* Other kernels may update the page only at the next switch. */
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	ASSERT_EQ(0, pe_move_to(0));
	a.inherit = 1;
	a.exclude_kernel = 1;
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = pe_open(&a, 0, 0, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_start(&child));
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 0));
	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, pe_child_do(&child, PE_FAULT, 1));
	resets = fork();
	if (!resets) {
		if (pe_cpu_count() > 1)
			pe_move_to(1);
		for (i = 0; i < RESETS && !pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0); i++)
			;
		_exit(i < RESETS);
	}
	ASSERT_LT(0, resets);
	while (!waitpid(resets, &status, WNOHANG)) {
		read_page(ring.page, shown);
		ASSERT_LE(shown[2], shown[1]);
		pe_fault(1);
		ASSERT_EQ(0, pe_child_do(&child, PE_FAULT, 1));
	}
	EXPECT_EQ(0, status);
	/* After the children have exited, only this task counts. */
	EXPECT_EQ(0, pe_child_end(&child));
	pe_fault(10);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(24, read(fd, value, sizeof(value)));
	read_page(ring.page, shown);
	EXPECT_LE(10, value[0]);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(value[i], shown[i]) TH_LOG("value %d", i);
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_HARNESS_MAIN
