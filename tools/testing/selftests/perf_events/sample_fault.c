// SPDX-License-Identifier: GPL-2.0
/* Samples of page faults: the value of every field that is known. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"

#define PAGES	8
#define SIMPLE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |		\
		 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_CPU |		\
		 PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID |			\
		 PERF_SAMPLE_IDENTIFIER)

static struct pe_record rec;

FIXTURE(sample) {
	struct perf_event_attr a;
	struct pe_ring ring;
	struct pe_sample s;
	long page;
	char *mem;
	int fd;
};

/* Open and map the event, and touch all pages once, so that later fault counts are exact. */
static int start(struct perf_event_attr *attr, struct pe_ring *ring)
{
	int fd = pe_self(attr), ret;

	if (fd < 0)
		return fd;
	ret = pe_ring_map(ring, fd, 8);
	if (ret)
		return ret;
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(1);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	pe_ring_drop(ring, 0);
	return fd;
}

static void touch(char *mem, long page)
{
	int i;

	for (i = 0; i < PAGES; i++)
		pe_touch(mem + i * page + 5);
}

FIXTURE_SETUP(sample)
{
	self->page = sysconf(_SC_PAGESIZE);
	self->a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.sample_period = 1;
	self->fd = -1;
	self->mem = mmap(NULL, PAGES * self->page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->mem);
	madvise(self->mem, PAGES * self->page, MADV_NOHUGEPAGE);
}

FIXTURE_TEARDOWN(sample)
{
	munmap(self->mem, PAGES * self->page);
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
}

TEST_F(sample, simple_fields)
{
	__u64 last = 0, id;
	int i;

	self->a.sample_type = SIMPLE;
	ASSERT_EQ(0, pe_move_to(0));
	self->fd = start(&self->a, &self->ring);
	ASSERT_LE(0, self->fd);
	id = pe_id(self->fd);
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(self->mem, self->page);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);

	for (i = 0; i < PAGES; i++) {
		ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
		ASSERT_EQ(PERF_RECORD_SAMPLE, rec.head.type);
		EXPECT_EQ(PERF_RECORD_MISC_USER, rec.head.misc);
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
		EXPECT_EQ(getpid(), self->s.pid);
		EXPECT_EQ(syscall(__NR_gettid), self->s.tid);
		EXPECT_EQ((unsigned long)self->mem + i * self->page + 5, self->s.addr);
		/* The page was touched in user mode, so the address is positive. */
		EXPECT_LT(0, self->s.ip);
		EXPECT_GT(1ULL << 56, self->s.ip);
		EXPECT_EQ(id, self->s.id);
		EXPECT_EQ(id, self->s.stream_id);
		EXPECT_EQ(id, self->s.identifier);
		EXPECT_EQ(0, self->s.cpu);
		EXPECT_EQ(0, self->s.res);
		EXPECT_EQ(1, self->s.period);
		EXPECT_LE(last, self->s.time);
		last = self->s.time;
	}
	EXPECT_EQ(0, pe_ring_next(&self->ring, &rec));
}

TEST_F(sample, each_field_alone)
{
	unsigned int bit;
	int n;

	/*
	 * Check each field that has a fixed size, or has its size in the
	 * record.
	 */
	for (bit = 0; bit < 25; bit++) {
		self->a.sample_type = 1ULL << bit;
		self->a.sample_regs_user = 1;
		self->a.sample_regs_intr = 1;
		self->a.sample_stack_user = 64;
		if (self->a.sample_type & (PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_AUX))
			continue;
		if (self->a.sample_type == PERF_SAMPLE_CGROUP && !pe_has_cgroups())
			continue;
		self->fd = start(&self->a, &self->ring);
		ASSERT_LE(0, self->fd);
		pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
		pe_fault(PAGES);
		pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
		for (n = 0; pe_ring_next(&self->ring, &rec) == 1; n++) {
			EXPECT_EQ(PERF_RECORD_SAMPLE, rec.head.type);
			EXPECT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s)) {
				TH_LOG("bit %u", bit);
			}
		}
		EXPECT_EQ(PAGES, n);
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
	self->fd = -1;
}

TEST_F(sample, nothing)
{
	/* A sample without fields is a header alone. */
	self->fd = start(&self->a, &self->ring);
	ASSERT_LE(0, self->fd);
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(1);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
	EXPECT_EQ(sizeof(rec.head), rec.head.size);
	EXPECT_EQ(PERF_RECORD_SAMPLE, rec.head.type);
}

TEST_F(sample, period)
{
	static const unsigned int periods[] = { 1, 2, 3, 7 };
	unsigned int i, n;

	for (i = 0; i < PE_ARRAY_SIZE(periods); i++) {
		self->a.sample_type = PERF_SAMPLE_TID;
		self->a.sample_period = periods[i];
		self->fd = start(&self->a, &self->ring);
		ASSERT_LE(0, self->fd);
		pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
		pe_fault(7 * 6 * 2);
		pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
		n = pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE);
		/*
		 * The warm-up may have used a part of a period, so one additional sample is
		 * possible.
		 */
		EXPECT_LE(84 / periods[i], n);
		EXPECT_GE(84 / periods[i] + 1, n);
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
	self->fd = -1;
}

TEST_F(sample, sampled_period)
{
	int n;

	/* With PERF_SAMPLE_PERIOD each software event is a sample of its own. */
	self->a.sample_type = PERF_SAMPLE_PERIOD;
	self->a.sample_period = 4;
	self->fd = start(&self->a, &self->ring);
	ASSERT_LE(0, self->fd);
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(12);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	for (n = 0; pe_ring_next(&self->ring, &rec) == 1; n++) {
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
		EXPECT_EQ(1, self->s.period);
	}
	EXPECT_EQ(12, n);
}

TEST_F(sample, values)
{
	__u64 id, member_id;
	int member, i;

	self->a.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_IP;
	self->a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
			      PERF_FORMAT_TOTAL_TIME_ENABLED |
			      PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_LOST;
	self->fd = start(&self->a, &self->ring);
	ASSERT_LE(0, self->fd);
	self->a.sample_period = 0;
	self->a.disabled = 0;
	member = pe_open(&self->a, 0, -1, self->fd, 0);
	ASSERT_LE(0, member);
	id = pe_id(self->fd);
	member_id = pe_id(member);
	pe_ioctl(self->fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(self->mem, self->page);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	for (i = 1; i <= PAGES; i++) {
		ASSERT_EQ(1, pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
		ASSERT_EQ(9, self->s.nr_values);
		EXPECT_EQ(2, self->s.values[0]);
		EXPECT_LT(0, self->s.values[1]);
		EXPECT_EQ(self->s.values[1], self->s.values[2]);
		EXPECT_EQ(i, self->s.values[3]);
		EXPECT_EQ(id, self->s.values[4]);
		EXPECT_EQ(0, self->s.values[5]);
		/*
		 * The sample may be taken before or after the member has
		 * counted this fault.
		 */
		EXPECT_LE(i - 1, self->s.values[6]);
		EXPECT_GE(i, self->s.values[6]);
		EXPECT_EQ(member_id, self->s.values[7]);
		EXPECT_EQ(0, self->s.values[8]);
	}
	close(member);
}

TEST_F(sample, callchain)
{
	int i, j;

	self->a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	self->a.sample_max_stack = 10;
	self->fd = start(&self->a, &self->ring);
	ASSERT_LE(0, self->fd);
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(self->mem, self->page);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	for (i = 0; i < PAGES; i++) {
		ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
		ASSERT_LE(2, self->s.nr_ips);
		/* The chain of a fault in user mode starts at the instruction. */
		EXPECT_EQ((__u64)PERF_CONTEXT_USER, self->s.ips[0]);
		EXPECT_EQ(self->s.ip, self->s.ips[1]);
		EXPECT_GE(11, self->s.nr_ips);
		for (j = 1; j < self->s.nr_ips; j++)
			EXPECT_GT((__u64)PERF_CONTEXT_MAX, self->s.ips[j]);
	}
}

TEST_F(sample, callchain_without_user)
{
	self->a.sample_type = PERF_SAMPLE_CALLCHAIN;
	self->a.exclude_callchain_user = 1;
	self->fd = start(&self->a, &self->ring);
	ASSERT_LE(0, self->fd);
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(self->mem, self->page);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
	ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
	EXPECT_EQ(0, self->s.nr_ips);
}

TEST_F(sample, registers_and_stack)
{
	self->a.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
			      PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_TID;
	self->a.sample_regs_user = 7;
	self->a.sample_regs_intr = 3;
	self->a.sample_stack_user = 256;
	self->fd = start(&self->a, &self->ring);
	ASSERT_LE(0, self->fd);
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(self->mem, self->page);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
	ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
	EXPECT_EQ(getpid(), self->s.pid);
	EXPECT_EQ(sizeof(long) == 8 ? PERF_SAMPLE_REGS_ABI_64 :
		  PERF_SAMPLE_REGS_ABI_32, self->s.user_abi);
	EXPECT_EQ(self->s.user_abi, self->s.intr_abi);
	EXPECT_EQ(3, self->s.user_regs);
	EXPECT_EQ(2, self->s.intr_regs);
	EXPECT_EQ(256, self->s.stack_size);
	EXPECT_LT(0, self->s.stack_dyn);
	EXPECT_GE(256, self->s.stack_dyn);
}

TEST_F(sample, clock)
{
	struct timespec before, after;
	__u64 from, to;
	int nr = 0;

	self->a.sample_type = PERF_SAMPLE_TIME;
	self->a.use_clockid = 1;
	self->a.clockid = CLOCK_MONOTONIC;
	self->fd = start(&self->a, &self->ring);
	ASSERT_LE(0, self->fd);
	clock_gettime(CLOCK_MONOTONIC, &before);
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(self->mem, self->page);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	from = before.tv_sec * 1000000000ULL + before.tv_nsec;
	to = after.tv_sec * 1000000000ULL + after.tv_nsec;
	for (; pe_ring_next(&self->ring, &rec) == 1; nr++) {
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
		EXPECT_LE(from, self->s.time);
		EXPECT_GE(to, self->s.time);
		from = self->s.time;
	}
	EXPECT_LT(0, nr);
}

TEST_F(sample, of_another_task)
{
	struct pe_child child;
	int n = 0;

	self->a.sample_type = PERF_SAMPLE_TID;
	self->a.disabled = 0;
	ASSERT_EQ(0, pe_child_start(&child));
	self->fd = pe_open(&self->a, child.pid, -1, -1, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 8));
	ASSERT_EQ(0, pe_child_do(&child, PE_FAULT, PAGES));
	pe_fault(PAGES);
	while (pe_ring_next(&self->ring, &rec) == 1) {
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
		EXPECT_EQ(child.pid, self->s.pid);
		EXPECT_EQ(child.pid, self->s.tid);
		n++;
	}
	EXPECT_LE(PAGES, n);
	pe_child_end(&child);
}

TEST_HARNESS_MAIN
