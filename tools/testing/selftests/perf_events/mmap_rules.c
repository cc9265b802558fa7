// SPDX-License-Identifier: GPL-2.0
/*
 * mmap(2) of an event: which sizes, offsets and kinds of mappings are allowed.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"

FIXTURE(map) {
	struct perf_event_attr a;
	long page;
	int fd;
};

FIXTURE_SETUP(map)
{
	self->page = sysconf(_SC_PAGESIZE);
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.sample_period = 1;
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(map)
{
	close(self->fd);
}

/* Map and unmap. Return: 0 or -errno. */
static int try_map(int fd, size_t len, int prot, int flags, off_t off)
{
	void *p = mmap(NULL, len, prot, flags, fd, off);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, len);
	return 0;
}

#define RW	(PROT_READ | PROT_WRITE)

TEST_F(map, sizes)
{
	unsigned int pages;

	/* A mapping has one control page, and 0 or 2^n data pages. */
	for (pages = 1; pages <= 18; pages++) {
		unsigned int data = pages - 1;
		int want = data & (data - 1) ? -EINVAL : 0;

		EXPECT_EQ(want, try_map(self->fd, pages * self->page, RW,
					MAP_SHARED, 0)) {
			TH_LOG("%u pages", pages);
		}
	}
	EXPECT_EQ(0, try_map(self->fd, 65 * self->page, RW, MAP_SHARED, 0));
}

TEST_F(map, part_of_a_page)
{
	EXPECT_EQ(0, try_map(self->fd, self->page + 1, RW, MAP_SHARED, 0));
	EXPECT_EQ(0, try_map(self->fd, 1, RW, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(self->fd, 0, RW, MAP_SHARED, 0));
}

TEST_F(map, private)
{
	EXPECT_EQ(-EINVAL, try_map(self->fd, 2 * self->page, RW, MAP_PRIVATE, 0));
	EXPECT_EQ(-EINVAL, try_map(self->fd, 2 * self->page, PROT_READ,
				   MAP_PRIVATE, 0));
}

TEST_F(map, offset)
{
	void *p;

	/* Only AUX areas have an offset, and no software event has an AUX area. */
	EXPECT_EQ(-EINVAL, try_map(self->fd, 2 * self->page, RW, MAP_SHARED,
				   self->page));
	p = mmap(NULL, 2 * self->page, RW, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_NE(0, try_map(self->fd, 2 * self->page, RW, MAP_SHARED,
			     2 * self->page));
	munmap(p, 2 * self->page);
}

TEST_F(map, read_only)
{
	struct perf_event_mmap_page *p;

	/*
	 * With a read-only mapping the kernel cannot know the read position, so it overwrites
	 * records.
	 */
	p = mmap(NULL, 2 * self->page, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)p);
	EXPECT_EQ(self->page, p->data_size);
	EXPECT_EQ(-1, mprotect(p, self->page, PROT_READ | PROT_WRITE));
	munmap(p, 2 * self->page);
}

TEST_F(map, no_execution)
{
	void *p = mmap(NULL, 2 * self->page, RW, MAP_SHARED, self->fd, 0);

	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(0, mprotect(p, 2 * self->page, PROT_READ));
	EXPECT_EQ(0, mprotect(p, 2 * self->page, RW));
	munmap(p, 2 * self->page);
}

TEST_F(map, twice)
{
	char *p, *q;

	/* A second mapping of the same size has the same buffer. */
	p = mmap(NULL, 2 * self->page, RW, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	q = mmap(NULL, 2 * self->page, RW, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, q);
	EXPECT_NE(p, q);
	((struct perf_event_mmap_page *)p)->data_tail = 8;
	EXPECT_EQ(8, ((struct perf_event_mmap_page *)q)->data_tail);
	EXPECT_EQ(-EINVAL, try_map(self->fd, 3 * self->page, RW, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(self->fd, self->page, RW, MAP_SHARED, 0));
	munmap(p, 2 * self->page);
	((struct perf_event_mmap_page *)q)->data_tail = 0;
	munmap(q, 2 * self->page);

	/* After the last mapping is unmapped, another size is possible. */
	EXPECT_EQ(0, try_map(self->fd, 5 * self->page, RW, MAP_SHARED, 0));
}

TEST_F(map, cannot_grow)
{
	char *p = mmap(NULL, 2 * self->page, RW, MAP_SHARED, self->fd, 0);

	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(MAP_FAILED, mremap(p, 2 * self->page, 3 * self->page,
				     MREMAP_MAYMOVE));
	EXPECT_EQ(EFAULT, errno);
	munmap(p, 2 * self->page);
}

/* Number of records in a buffer that is not full, or -1 if they are not samples without fields */
static int record_count(const struct perf_event_mmap_page *p)
{
	const char *data = (const char *)p + p->data_offset;
	const struct perf_event_header *head;
	__u64 at, end = __atomic_load_n(&p->data_head, __ATOMIC_ACQUIRE);
	int n = 0;

	for (at = 0; at < end && at < p->data_size; at += head->size, n++) {
		head = (const void *)(data + at);
		if (head->type != PERF_RECORD_SAMPLE || head->size != sizeof(*head))
			return -1;
	}
	return n;
}

TEST_F(map, moved)
{
	const size_t len = 3 * self->page;
	struct perf_event_mmap_page *p, *q, *r, *second;
	unsigned char vec[3];
	int before;

	p = mmap(NULL, len, RW, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)p);
	/* Two addresses to move to */
	q = mmap(NULL, 2 * len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)q);
	r = (void *)((char *)q + len);
	pe_fault(3);
	before = record_count(p);
	EXPECT_LE(3, before);

	/* The whole mapping can be moved: the records are at the new address, and no other. */
	ASSERT_EQ((void *)q, mremap(p, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, q));
	EXPECT_EQ(-1, mincore(p, len, vec));
	EXPECT_EQ(ENOMEM, errno);
	EXPECT_LE(before, record_count(q));
	pe_fault(3);
	EXPECT_LE(before + 3, record_count(q));
	q->data_tail = q->data_head;

	/* Another mapping has the same buffer, which the event keeps until both are unmapped. */
	second = mmap(NULL, len, RW, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)second);
	EXPECT_EQ(q->data_tail, second->data_tail);
	ASSERT_EQ((void *)r, mremap(q, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, r));
	ASSERT_EQ(0, munmap(r, len));
	before = record_count(second);
	pe_fault(3);
	EXPECT_LE(before + 3, record_count(second));
	EXPECT_EQ(-EINVAL, try_map(self->fd, 2 * self->page, RW, MAP_SHARED, 0));
	ASSERT_EQ(0, munmap(second, len));
	EXPECT_EQ(0, try_map(self->fd, 2 * self->page, RW, MAP_SHARED, 0));
}

/* After each refused call, the mapping is as before. */
TEST_F(map, not_moved_in_part)
{
	const size_t page = self->page, len = 3 * page;
	struct perf_event_mmap_page *p;
	char *q, *start;
	int before;

	p = mmap(NULL, len, RW, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)p);
	start = (char *)p;
	q = mmap(NULL, 2 * len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)q);

#define REMAP_FAILS(err, ...)	do {				\
		before = record_count(p);			\
		errno = 0;					\
		EXPECT_EQ(MAP_FAILED, mremap(__VA_ARGS__));	\
		EXPECT_EQ(err, errno);				\
		pe_fault(2);					\
		EXPECT_LE(before + 2, record_count(p));		\
	} while (0)

	/* Shrink, in place and to another address. */
	REMAP_FAILS(EINVAL, start, len, page, 0);
	REMAP_FAILS(EINVAL, start, len, 2 * page, MREMAP_MAYMOVE);
	REMAP_FAILS(EINVAL, start, len, 2 * page, MREMAP_MAYMOVE | MREMAP_FIXED, q);
	/* Move a part. */
	REMAP_FAILS(EINVAL, start, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, q);
	REMAP_FAILS(EINVAL, start + page, 2 * page, 2 * page, MREMAP_MAYMOVE | MREMAP_FIXED, q);
	REMAP_FAILS(EINVAL, start + page, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, q);
	/* Grow, the second time to another address. */
	REMAP_FAILS(EFAULT, start, len, 5 * page, MREMAP_MAYMOVE);
	REMAP_FAILS(EFAULT, start, len, 5 * page, MREMAP_MAYMOVE | MREMAP_FIXED, q);
	REMAP_FAILS(EFAULT, start + page, 2 * page, 4 * page, MREMAP_MAYMOVE);
	/* Duplicate: an old size of 0, or an old mapping that stays. */
	REMAP_FAILS(EFAULT, start, 0, len, MREMAP_MAYMOVE);
	REMAP_FAILS(EINVAL, start, len, len, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
	/* A mapping of all pages that has its size, and may stay, stays. */
	EXPECT_EQ((void *)p, mremap(p, len, len, MREMAP_MAYMOVE));
	EXPECT_EQ(0, munmap(p, len));
	EXPECT_EQ(0, try_map(self->fd, 2 * page, RW, MAP_SHARED, 0));
#undef REMAP_FAILS
}

TEST_F(map, inherited_on_any_cpu)
{
	struct perf_event_attr a = self->a;
	int fd;

	/* Tasks on several CPUs cannot share one buffer. */
	a.inherit = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, try_map(fd, 2 * self->page, RW, MAP_SHARED, 0));
	close(fd);
	fd = pe_open(&a, 0, 0, -1, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, try_map(fd, 2 * self->page, RW, MAP_SHARED, 0));
	close(fd);
}

TEST_F(map, not_in_a_fork)
{
	char *p = mmap(NULL, 2 * self->page, RW, MAP_SHARED, self->fd, 0);
	unsigned char vec[2];
	int status;
	pid_t pid;

	/*
	 * A child does not inherit the mapping, but it inherits the file, and
	 * can map that.
	 */
	ASSERT_NE(MAP_FAILED, p);
	pid = fork();
	if (!pid) {
		if (mincore(p, self->page, vec) != -1 || errno != ENOMEM)
			_exit(1);
		_exit(try_map(self->fd, 2 * self->page, RW, MAP_SHARED, 0) ? 2 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	munmap(p, 2 * self->page);
}

TEST_F(map, outlives_the_fd)
{
	struct perf_event_mmap_page *p;
	__u64 head;

	p = mmap(NULL, 5 * self->page, RW, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)p);
	pe_fault(3);
	EXPECT_LT(0, p->data_head);
	/* The mapping holds the file, so the event stays open. */
	close(self->fd);
	head = p->data_head;
	pe_fault(3);
	EXPECT_LT(head, p->data_head);
	munmap(p, 5 * self->page);
	self->fd = -1;
}

TEST_F(map, counting_event)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd = pe_self(&a);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, try_map(fd, self->page, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(0, try_map(fd, 2 * self->page, RW, MAP_SHARED, 0));
	close(fd);
}

/**
 * struct large - a mapping by another user
 * @pages: its size in pages
 */
struct large {
	unsigned int pages;
};

static int map_as_user(void *arg)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct rlimit limit = { 0, 0 };
	int fd, ret;

	a.exclude_kernel = 1;
	fd = pe_self(&a);
	if (fd < 0)
		return fd;
	if (setrlimit(RLIMIT_MEMLOCK, &limit))
		return -errno;
	ret = try_map(fd, ((struct large *)arg)->pages * sysconf(_SC_PAGESIZE), RW,
		      MAP_SHARED, 0);
	close(fd);
	return ret;
}

TEST_F(map, memory_limit)
{
	long level = pe_get(PE_PARANOID), kb = pe_get(PE_SYSCTL "perf_event_mlock_kb");
	struct large fits = { 2 }, large = { 1025 };

	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, pe_set(PE_SYSCTL "perf_event_mlock_kb", 64));
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, map_as_user, &fits));
	EXPECT_EQ(-EPERM, pe_run_as(PE_UID, 0, map_as_user, &large));
	/* At level -1 users have no limit. */
	ASSERT_EQ(0, pe_set(PE_PARANOID, -1));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, map_as_user, &large));
	pe_set(PE_SYSCTL "perf_event_mlock_kb", kb);
	pe_set(PE_PARANOID, level);
}

TEST_F(map, split)
{
	char *p = mmap(NULL, 3 * self->page, RW, MAP_SHARED, self->fd, 0);

	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(-1, munmap(p, self->page));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, munmap(p + self->page, self->page));
	EXPECT_EQ(EINVAL, errno);
	pe_fault(3);
	EXPECT_LT(0, ((struct perf_event_mmap_page *)p)->data_head);
	EXPECT_EQ(0, munmap(p, 3 * self->page));
}

TEST_HARNESS_MAIN
