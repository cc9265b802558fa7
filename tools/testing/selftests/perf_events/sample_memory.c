// SPDX-License-Identifier: GPL-2.0
/*
 * Fields of samples about memory, and the cgroup. A breakpoint samples a mapped address.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"
#include "pe_trace.h"

#define HUGE	(2UL << 20)
#define GROUP	"pe_memory"

static struct pe_record rec;

FIXTURE(memory) {
	struct perf_event_attr a;
	struct pe_ring ring;
	struct pe_sample s;
	long page;
	int fd;
};

FIXTURE_SETUP(memory)
{
	memset(&self->a, 0, sizeof(self->a));
	self->a.type = PERF_TYPE_BREAKPOINT;
	self->a.size = sizeof(self->a);
	self->a.bp_type = HW_BREAKPOINT_W;
	self->a.bp_len = HW_BREAKPOINT_LEN_1;
	self->a.sample_period = 1;
	self->a.exclude_kernel = pe_watch_user_only();
	self->a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
	self->page = sysconf(_SC_PAGESIZE);
	self->fd = -1;
}

FIXTURE_TEARDOWN(memory)
{
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
}

/* Take the sample of a store to an address. */
static int sample_of(struct _test_data_memory *self, char *at)
{
	self->a.bp_addr = (unsigned long)at;
	self->fd = pe_self(&self->a);
	if (self->fd < 0)
		return self->fd;
	if (pe_ring_map(&self->ring, self->fd, 2))
		return -ENOMEM;
	pe_touch(at);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	if (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE) != 1)
		return -ENODATA;
	return pe_sample_parse(&self->a, &rec, &self->s);
}

/* Return the physical address from /proc, or 0. */
static __u64 physical(void *at)
{
	__u64 entry = 0, page = sysconf(_SC_PAGESIZE);
	int fd = open("/proc/self/pagemap", O_RDONLY);

	if (fd < 0)
		return 0;
	if (pread(fd, &entry, sizeof(entry), (unsigned long)at / page * 8) != 8)
		entry = 0;
	close(fd);
	if (!(entry >> 63) || !(entry & ((1ULL << 55) - 1)))
		return 0;
	return (entry & ((1ULL << 55) - 1)) * page + (unsigned long)at % page;
}

TEST_F(memory, physical_address)
{
	char *p = mmap(NULL, self->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	__u64 where;

	ASSERT_NE(MAP_FAILED, (void *)p);
	p[0] = 1;
	where = physical(p + 77);
	if (!where)
		SKIP(return, "needs root, to read physical addresses");
	self->a.sample_type |= PERF_SAMPLE_PHYS_ADDR;
	ASSERT_EQ(0, sample_of(self, p + 77));
	EXPECT_EQ((unsigned long)p + 77, self->s.addr);
	EXPECT_EQ(where, self->s.phys_addr);
}

TEST_F(memory, size_of_a_page)
{
	char *p = mmap(NULL, self->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)p);
	p[0] = 1;
	self->a.sample_type |= PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE;
	ASSERT_EQ(0, sample_of(self, p + 8));
	EXPECT_EQ(self->page, self->s.data_page_size);
	EXPECT_EQ(self->page, self->s.code_page_size);
}

/* Is a huge page mapped in the mapping of this address? */
static bool is_huge(char *at)
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	unsigned long from, to, kb = 0;
	bool here = false;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx", &from, &to) == 2)
			here = (unsigned long)at >= from && (unsigned long)at < to;
		else if (here && sscanf(line, "AnonHugePages: %lu", &kb) == 1)
			break;
	}
	if (maps)
		fclose(maps);
	return kb << 10 >= HUGE;
}

TEST_F(memory, size_of_a_huge_page)
{
	char *p = mmap(NULL, 2 * HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	char *at = (char *)(((unsigned long)p + HUGE - 1) & ~(HUGE - 1));

	ASSERT_NE(MAP_FAILED, (void *)p);
	if (madvise(at, HUGE, MADV_HUGEPAGE))
		SKIP(return, "no huge pages");
	at[0] = 1;
	if (!is_huge(at))
		SKIP(return, "no free huge page, or none of this size");
	self->a.sample_type |= PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_PHYS_ADDR;
	ASSERT_EQ(0, sample_of(self, at + HUGE / 2));
	/* The kernel may split the page at any time. */
	if (!is_huge(at))
		SKIP(return, "the huge page was split");
	EXPECT_EQ(HUGE, self->s.data_page_size);
	if (!physical(at))
		SKIP(return, "needs root, to read physical addresses");
	EXPECT_EQ(physical(at) + HUGE / 2, self->s.phys_addr);
}

TEST_F(memory, address_alone_is_not_told)
{
	static char byte;

	/* Derived fields do not require the fields from which they are computed. */
	byte = 1;
	self->a.sample_type = PERF_SAMPLE_DATA_PAGE_SIZE;
	ASSERT_EQ(0, sample_of(self, &byte));
	EXPECT_EQ(self->page, self->s.data_page_size);
	EXPECT_EQ(0, self->s.addr);
}

TEST_F(memory, what_nobody_knows)
{
	static char byte;

	self->a.sample_type |= PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |
			       PERF_SAMPLE_TRANSACTION;
	ASSERT_EQ(0, sample_of(self, &byte));
	EXPECT_EQ(0, self->s.weight);
	EXPECT_EQ(0, self->s.transaction);
	EXPECT_EQ(PERF_MEM_OP_NA, self->s.data_src & 0x1f);
}

TEST_F(memory, one_weight)
{
	static char byte;

	self->a.sample_type |= PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT;
	EXPECT_EQ(-EINVAL, pe_try(&self->a, 0, -1, -1, 0));
	self->a.sample_type &= ~(__u64)PERF_SAMPLE_WEIGHT;
	ASSERT_EQ(0, sample_of(self, &byte));
	EXPECT_EQ(0, self->s.weight);
}

/* An event of a CPU may sample a task that has already released its mm. */
TEST_F(memory, that_is_gone)
{
	unsigned int i, seen = 0;
	pid_t pid;

	if (geteuid() || pe_tracepoint(&self->a, "sched/sched_process_exit"))
		SKIP(return, "needs root, and tracepoints");
	self->a.sample_period = 1;
	self->a.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
			      PERF_SAMPLE_STACK_USER;
	self->a.sample_regs_user = 1;
	self->a.sample_stack_user = 256;
	ASSERT_EQ(0, pe_move_to(0));
	self->fd = pe_open(&self->a, -1, 0, -1, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 8));
	pid = fork();
	if (!pid)
		_exit(0);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE) == 1) {
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
		if (self->s.tid != pid)
			continue;
		seen++;
		EXPECT_EQ(0, self->s.stack_size);
		for (i = 0; i < self->s.nr_ips; i++)
			EXPECT_NE((__u64)PERF_CONTEXT_USER, self->s.ips[i]);
		/* 6.12 writes the user's registers, which do not belong to that mm. */
		if (getenv("PE_HARD"))
			EXPECT_EQ(PERF_SAMPLE_REGS_ABI_NONE, self->s.user_abi);
	}
	EXPECT_EQ(1, seen);
}

TEST_F(memory, cgroup)
{
	static char byte;
	__u64 id;
	int dir;

	dir = pe_cgroup_make(GROUP);
	if (dir < 0)
		SKIP(return, "no cgroups");
	id = pe_cgroup_id(dir);
	EXPECT_NE(0, id);
	self->a.sample_type |= PERF_SAMPLE_CGROUP;
	ASSERT_EQ(0, pe_cgroup_enter(GROUP, getpid()));
	EXPECT_EQ(0, sample_of(self, &byte));
	EXPECT_EQ(0, pe_cgroup_enter("", getpid()));
	close(dir);
	pe_cgroup_remove(GROUP);
	EXPECT_EQ(id, self->s.cgroup);
}

TEST_HARNESS_MAIN
