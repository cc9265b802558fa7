// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2): the attribute's size, and where it is in memory.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

/* Room for an attribute that is larger than any kernel accepts. */
union big {
	struct perf_event_attr attr;
	unsigned char bytes[3 * 65536];
};

FIXTURE(size) {
	union big *big;
	long page;
};

FIXTURE_SETUP(size)
{
	self->page = sysconf(_SC_PAGESIZE);
	self->big = mmap(NULL, sizeof(*self->big), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->big);
	self->big->attr = pe_attr(PERF_COUNT_SW_DUMMY);
}

FIXTURE_TEARDOWN(size)
{
	munmap(self->big, sizeof(*self->big));
}

TEST_F(size, published)
{
	static const unsigned int sizes[] = {
		PERF_ATTR_SIZE_VER0, PERF_ATTR_SIZE_VER1, PERF_ATTR_SIZE_VER2,
		PERF_ATTR_SIZE_VER3, PERF_ATTR_SIZE_VER4, PERF_ATTR_SIZE_VER5,
		PERF_ATTR_SIZE_VER6, PERF_ATTR_SIZE_VER7, PERF_ATTR_SIZE_VER8,
	};
	unsigned int i;

	for (i = 0; i < PE_ARRAY_SIZE(sizes); i++) {
		self->big->attr.size = sizes[i];
		EXPECT_EQ(0, pe_try(&self->big->attr, 0, -1, -1, 0)) {
			TH_LOG("size %u", sizes[i]);
		}
		EXPECT_EQ(sizes[i], self->big->attr.size);
	}
}

TEST_F(size, numbers)
{
	EXPECT_EQ(64, PERF_ATTR_SIZE_VER0);
	EXPECT_EQ(136, PERF_ATTR_SIZE_VER8);
	EXPECT_EQ(PERF_ATTR_SIZE_VER8, sizeof(struct perf_event_attr));
	EXPECT_EQ(PERF_ATTR_SIZE_VER0, offsetof(struct perf_event_attr, config2));
	EXPECT_EQ(PERF_ATTR_SIZE_VER7, offsetof(struct perf_event_attr, config3));
}

TEST_F(size, zero_is_the_first)
{
	/* With size 0, bytes beyond the first 64 are not checked. */
	self->big->attr.size = 0;
	memset(self->big->bytes + PERF_ATTR_SIZE_VER0, 0xff,
	       sizeof(struct perf_event_attr) - PERF_ATTR_SIZE_VER0);
	EXPECT_EQ(0, pe_try(&self->big->attr, 0, -1, -1, 0));
	EXPECT_EQ(0, self->big->attr.size);
}

TEST_F(size, rest_is_not_read)
{
	/* With the size of an older structure, newer fields are not checked. */
	self->big->attr.size = PERF_ATTR_SIZE_VER5;
	self->big->attr.__reserved_2 = 0;
	self->big->attr.aux_sample_size = ~0U;
	self->big->attr.aux_action = ~0U;
	EXPECT_EQ(0, pe_try(&self->big->attr, 0, -1, -1, 0));
	self->big->attr.size = PERF_ATTR_SIZE_VER6;
	EXPECT_EQ(-EINVAL, pe_try(&self->big->attr, 0, -1, -1, 0));
}

TEST_F(size, too_small)
{
	unsigned int size;

	for (size = 1; size < PERF_ATTR_SIZE_VER0; size++) {
		self->big->attr.size = size;
		EXPECT_EQ(-E2BIG, pe_try(&self->big->attr, 0, -1, -1, 0));
		EXPECT_EQ(sizeof(struct perf_event_attr), self->big->attr.size);
	}
}

TEST_F(size, between_published)
{
	unsigned int size;

	/* Any size from the first version's on is accepted, even if no version has it. */
	for (size = PERF_ATTR_SIZE_VER0; size <= 256; size++) {
		self->big->attr.size = size;
		EXPECT_EQ(0, pe_try(&self->big->attr, 0, -1, -1, 0)) {
			TH_LOG("size %u", size);
		}
	}
}

TEST_F(size, zero_tail)
{
	self->big->attr.size = self->page;
	EXPECT_EQ(0, pe_try(&self->big->attr, 0, -1, -1, 0));
	EXPECT_EQ(self->page, self->big->attr.size);
}

TEST_F(size, nonzero_tail)
{
	unsigned int at;

	for (at = sizeof(struct perf_event_attr); at < self->page; at += 61) {
		self->big->attr.size = self->page;
		self->big->bytes[at] = 1;
		EXPECT_EQ(-E2BIG, pe_try(&self->big->attr, 0, -1, -1, 0)) {
			TH_LOG("byte %u", at);
		}
		EXPECT_EQ(sizeof(struct perf_event_attr), self->big->attr.size);
		self->big->bytes[at] = 0;
	}

	/* Bytes beyond the given size are not checked. */
	self->big->attr.size = sizeof(struct perf_event_attr);
	self->big->bytes[sizeof(struct perf_event_attr)] = 1;
	EXPECT_EQ(0, pe_try(&self->big->attr, 0, -1, -1, 0));
}

TEST_F(size, beyond_a_page)
{
	self->big->attr.size = self->page + 1;
	EXPECT_EQ(-E2BIG, pe_try(&self->big->attr, 0, -1, -1, 0));
	EXPECT_EQ(sizeof(struct perf_event_attr), self->big->attr.size);

	self->big->attr.size = UINT32_MAX;
	EXPECT_EQ(-E2BIG, pe_try(&self->big->attr, 0, -1, -1, 0));
	EXPECT_EQ(sizeof(struct perf_event_attr), self->big->attr.size);
}

TEST_F(size, bad_address)
{
	long page = self->page;
	char *two = (char *)self->big;
	struct perf_event_attr *edge;

	EXPECT_EQ(-EFAULT, pe_try(NULL, 0, -1, -1, 0));
	EXPECT_EQ(-EFAULT, pe_try((void *)-4096L, 0, -1, -1, 0));

	ASSERT_EQ(0, mprotect(two + page, page, PROT_NONE));

	/* The whole structure just fits in front of the unmapped page. */
	edge = (void *)(two + page - sizeof(*edge));
	*edge = pe_attr(PERF_COUNT_SW_DUMMY);
	EXPECT_EQ(0, pe_try(edge, 0, -1, -1, 0));

	/* The given size exceeds the mapped memory. */
	edge->size += 8;
	EXPECT_EQ(-EFAULT, pe_try(edge, 0, -1, -1, 0));

	/* Only the first bytes, of the first version, are mapped. */
	edge = (void *)(two + page - PERF_ATTR_SIZE_VER0);
	memset(edge, 0, PERF_ATTR_SIZE_VER0);
	edge->type = PERF_TYPE_SOFTWARE;
	edge->config = PERF_COUNT_SW_DUMMY;
	edge->size = PERF_ATTR_SIZE_VER0;
	EXPECT_EQ(0, pe_try(edge, 0, -1, -1, 0));
	edge->size = PERF_ATTR_SIZE_VER1;
	EXPECT_EQ(-EFAULT, pe_try(edge, 0, -1, -1, 0));
}

TEST_F(size, read_only)
{
	/*
	 * The attribute is read only: open succeeds, because it writes nothing. E2BIG is returned
	 * although the kernel cannot write the size that it supports.
	 */
	self->big->attr.size = sizeof(struct perf_event_attr);
	ASSERT_EQ(0, mprotect(self->big, self->page, PROT_READ));
	EXPECT_EQ(0, pe_try(&self->big->attr, 0, -1, -1, 0));
	ASSERT_EQ(0, mprotect(self->big, self->page, PROT_READ | PROT_WRITE));

	self->big->attr.size = 8;
	ASSERT_EQ(0, mprotect(self->big, self->page, PROT_READ));
	EXPECT_EQ(-E2BIG, pe_try(&self->big->attr, 0, -1, -1, 0));
	EXPECT_EQ(8, self->big->attr.size);
}

TEST_HARNESS_MAIN
