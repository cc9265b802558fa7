// SPDX-License-Identifier: GPL-2.0
/*
 * Overwritten buffers, written forward and backward: they must have the last records.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"

#define SIZE	16	/* header, address */

FIXTURE(over) {
	struct perf_event_attr a;
	struct perf_event_mmap_page *page;
	char *data, *mem;
	size_t size, len;
	int fd;
};

FIXTURE_SETUP(over)
{
	self->a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.sample_period = 1;
	self->a.sample_type = PERF_SAMPLE_ADDR;
	self->size = sysconf(_SC_PAGESIZE);
	self->fd = -1;
	self->mem = NULL;
	self->len = 1 << 22;
	/* Each record needs a page of its own, and the buffer has one page of records. */
	if (500 * self->size > self->len)
		SKIP(return, "large pages");
	self->mem = mmap(NULL, self->len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->mem);
	madvise(self->mem, self->len, MADV_NOHUGEPAGE);
	pe_fault(1);
}

FIXTURE_TEARDOWN(over)
{
	if (self->mem)
		munmap(self->mem, self->len);
	if (self->fd >= 0)
		close(self->fd);
}

static int start(struct _test_data_over *self, int prot)
{
	self->fd = pe_self(&self->a);
	if (self->fd < 0)
		return self->fd;
	self->page = mmap(NULL, 2 * self->size, prot, MAP_SHARED, self->fd, 0);
	if (self->page == MAP_FAILED)
		return -1;
	self->data = (char *)self->page + self->size;
	return 0;
}

/* Cause faults at the start of @nr pages, from page @from on. */
static void touch(struct _test_data_over *self, unsigned int from, unsigned int nr)
{
	unsigned int i;

	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	for (i = from; i < from + nr; i++)
		pe_touch(self->mem + i * self->size);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* Return the address in the record at a position, 0 if it is no sample. */
static char *address(struct _test_data_over *self, __u64 pos)
{
	struct perf_event_header head;
	char *at;

	memcpy(&head, self->data + pos % self->size, sizeof(head));
	memcpy(&at, self->data + (pos + 8) % self->size, sizeof(at));
	return head.type == PERF_RECORD_SAMPLE && head.size == SIZE ? at : NULL;
}

TEST_F(over, backward)
{
	unsigned int nr = self->size / SIZE - 2, i;
	__u64 head;

	/* The newest record is at the head. */
	self->a.write_backward = 1;
	ASSERT_EQ(0, start(self, PROT_READ));
	touch(self, 0, 500);
	head = self->page->data_head;
	EXPECT_EQ(-500 * SIZE, (long)head);
	for (i = 0; i < nr; i++)
		ASSERT_EQ(self->mem + (499 - i) * self->size, address(self, head + i * SIZE));
}

TEST_F(over, forward)
{
	unsigned int nr = self->size / SIZE - 2, i;
	__u64 head;

	/* The oldest record is right after the head, as all records have the same length. */
	ASSERT_EQ(0, start(self, PROT_READ));
	touch(self, 0, 500);
	head = self->page->data_head;
	EXPECT_EQ(500 * SIZE, head);
	for (i = 1; i <= nr; i++)
		ASSERT_EQ(self->mem + (500 - i) * self->size, address(self, head - i * SIZE));
}

TEST_F(over, nothing_is_lost)
{
	__u64 value[2];

	self->a.write_backward = 1;
	self->a.read_format = PERF_FORMAT_LOST;
	ASSERT_EQ(0, start(self, PROT_READ));
	touch(self, 0, 1000);
	ASSERT_EQ(16, read(self->fd, value, sizeof(value)));
	EXPECT_EQ(1000, value[0]);
	EXPECT_EQ(0, value[1]);
}

TEST_F(over, paused_to_be_read)
{
	__u64 head;

	/* A paused buffer does not change while it is read. */
	self->a.write_backward = 1;
	ASSERT_EQ(0, start(self, PROT_READ));
	touch(self, 0, 300);
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	head = self->page->data_head;
	touch(self, 300, 300);
	EXPECT_EQ(head, self->page->data_head);
	EXPECT_EQ(self->mem + 299 * self->size, address(self, head));
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
	touch(self, 600, 1);
	/* The LOST record is before the sample in memory, as in a forward buffer. */
	EXPECT_GT((long)head, (long)self->page->data_head);
}

TEST_F(over, backward_with_a_tail)
{
	/* A position has as many bits as the kernel's long. */
	unsigned long head;

	/* A writable buffer is not overwritten when it is full, also backward. */
	self->a.write_backward = 1;
	self->a.read_format = PERF_FORMAT_LOST;
	ASSERT_EQ(0, start(self, PROT_READ | PROT_WRITE));
	touch(self, 0, 500);
	head = self->page->data_head;
	EXPECT_GE(self->size, -head);
	EXPECT_LT(self->size - 2 * SIZE, -head);
	EXPECT_EQ(self->mem + (-head / SIZE - 1) * self->size, address(self, head));
	self->page->data_tail = head;
	touch(self, 500, 1);
	EXPECT_LT((long)self->page->data_head, (long)head);
}

TEST_HARNESS_MAIN
