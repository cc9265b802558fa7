// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains of user and kernel, and their limits
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"

#define MAX_STACK	PE_SYSCTL "perf_event_max_stack"
#define MAX_CONTEXTS	PE_SYSCTL "perf_event_max_contexts_per_stack"

#if defined(__x86_64__) || defined(__i386)
# define IN_TABLES	1
#elif defined(__powerpc__)
# define IN_TABLES	0
#else
# define IN_TABLES	getenv("PE_HARD")
#endif

static struct pe_record rec;

FIXTURE(chain) {
	struct perf_event_attr a;
	struct pe_ring ring;
	struct pe_sample s;
	long contexts;
	int fd;
};

FIXTURE_SETUP(chain)
{
	self->a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.sample_period = 1;
	self->a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	self->contexts = pe_get(MAX_CONTEXTS);
	self->fd = -1;
}

FIXTURE_TEARDOWN(chain)
{
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
	if (pe_get(MAX_CONTEXTS) != self->contexts)
		pe_set(MAX_CONTEXTS, self->contexts);
}

/* Cause a page fault in the kernel: a copy to an unmapped page. */
static void kernel_fault(void)
{
	int fd = open("/dev/zero", O_RDONLY);
	long page = sysconf(_SC_PAGESIZE);
	char *p = NULL;

	if (posix_memalign((void **)&p, page, 16 * page) || read(fd, p + 8 * page, 1) != 1)
		abort();
	close(fd);
}

/* Take the first sample that has the given mode. */
static int sample_of(struct _test_data_chain *self, unsigned int mode)
{
	int ret;

	self->fd = pe_self(&self->a);
	if (self->fd < 0)
		return self->fd;
	ret = pe_ring_map(&self->ring, self->fd, 8);
	if (ret)
		return ret;
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	if (mode == PERF_RECORD_MISC_KERNEL)
		kernel_fault();
	else
		pe_fault(1);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	do {
		ret = pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE);
		if (ret != 1)
			return -ENODATA;
	} while ((rec.head.misc & PERF_RECORD_MISC_CPUMODE_MASK) != mode);
	return pe_sample_parse(&self->a, &rec, &self->s);
}

/* Return the position of a context marker in the chain, or -1. */
static int place(const struct pe_sample *s, __u64 mark)
{
	unsigned int i;

	for (i = 0; i < s->nr_ips; i++) {
		if (s->ips[i] == mark)
			return i;
	}
	return -1;
}

TEST_F(chain, from_kernel_to_user)
{
	int kernel, user;
	/* On 32 bits no address of user space is above the stack. */
	__u64 top = sizeof(long) == 8 ? 1ULL << 63 : (unsigned long)&user;

	ASSERT_EQ(0, sample_of(self, PERF_RECORD_MISC_KERNEL));
	kernel = place(&self->s, PERF_CONTEXT_KERNEL);
	user = place(&self->s, PERF_CONTEXT_USER);
	ASSERT_EQ(0, kernel);
	ASSERT_LT(kernel + 2, user);
	EXPECT_EQ(self->s.ip, self->s.ips[1]);
	EXPECT_LT(user + 1, self->s.nr_ips);
	/*
	 * On 64 bits addresses of the kernel have the highest bit, those of
	 * user space do not.
	 */
	EXPECT_LE(top, self->s.ips[kernel + 1]);
	EXPECT_LT(0, self->s.ips[user + 1]);
	EXPECT_GT(top, self->s.ips[user + 1]);
}

TEST_F(chain, without_the_user)
{
	self->a.exclude_callchain_user = 1;
	ASSERT_EQ(0, sample_of(self, PERF_RECORD_MISC_KERNEL));
	EXPECT_EQ(0, place(&self->s, PERF_CONTEXT_KERNEL));
	EXPECT_EQ(-1, place(&self->s, PERF_CONTEXT_USER));
	EXPECT_LT(2, self->s.nr_ips);
}

TEST_F(chain, without_the_kernel)
{
	self->a.exclude_callchain_kernel = 1;
	ASSERT_EQ(0, sample_of(self, PERF_RECORD_MISC_KERNEL));
	EXPECT_EQ(-1, place(&self->s, PERF_CONTEXT_KERNEL));
	EXPECT_EQ(0, place(&self->s, PERF_CONTEXT_USER));
	EXPECT_LT(1, self->s.nr_ips);
}

TEST_F(chain, with_neither)
{
	self->a.exclude_callchain_kernel = 1;
	self->a.exclude_callchain_user = 1;
	ASSERT_EQ(0, sample_of(self, PERF_RECORD_MISC_KERNEL));
	EXPECT_EQ(0, self->s.nr_ips);
}

TEST_F(chain, of_user_code_alone)
{
	self->a.exclude_kernel = 1;
	ASSERT_EQ(0, sample_of(self, PERF_RECORD_MISC_USER));
	EXPECT_EQ(0, place(&self->s, PERF_CONTEXT_USER));
	EXPECT_EQ(-1, place(&self->s, PERF_CONTEXT_KERNEL));
	EXPECT_EQ(self->s.ip, self->s.ips[1]);
}

TEST_F(chain, as_long_as_allowed)
{
	unsigned int max;

	/* Context markers do not count as frames. */
	for (max = 1; max <= 6; max++) {
		self->a.sample_max_stack = max;
		ASSERT_EQ(0, sample_of(self, PERF_RECORD_MISC_KERNEL));
		EXPECT_LE(self->s.nr_ips, max + 2);
		EXPECT_LE(max, self->s.nr_ips);
		EXPECT_EQ(self->s.ip, self->s.ips[1]);
		pe_ring_unmap(&self->ring);
		close(self->fd);
		self->fd = -1;
	}
	self->a.sample_max_stack = pe_get(MAX_STACK) + 1;
	EXPECT_EQ(-EOVERFLOW, pe_try(&self->a, 0, -1, -1, 0));
}

TEST_F(chain, contexts)
{
	if (geteuid() || pe_set(MAX_CONTEXTS, 1))
		SKIP(return, "needs root, and no event with call chains");
	ASSERT_EQ(0, sample_of(self, PERF_RECORD_MISC_KERNEL));
	EXPECT_EQ(0, place(&self->s, PERF_CONTEXT_KERNEL));
	EXPECT_EQ(-1, place(&self->s, PERF_CONTEXT_USER));
	/* The sysctl is fixed while events use chains of the other length. */
	EXPECT_EQ(-EBUSY, pe_set(MAX_CONTEXTS, 2));
}

TEST_F(chain, clears_nothing_of_the_sample)
{
	/* The chain, and fields after it */
	self->a.sample_type |= PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_WEIGHT |
			       PERF_SAMPLE_CODE_PAGE_SIZE;
	self->a.sample_regs_user = 1;
	ASSERT_EQ(0, sample_of(self, PERF_RECORD_MISC_KERNEL));
	EXPECT_LT(2, self->s.nr_ips);
	EXPECT_EQ(1, self->s.user_regs);
	EXPECT_EQ(0, self->s.weight);
	/* Some architectures map kernel code without page tables, or not in those of the task. */
	if (IN_TABLES)
		EXPECT_LT(0, self->s.code_page_size);
}

#ifdef __x86_64__
/* Cause a fault in a function with a frame pointer that points to its own frame. */
static void fault_in_a_circle(char *page)
{
	static void *frame[2];
	void *at = frame;

	frame[0] = frame;
	frame[1] = (void *)fault_in_a_circle;
	asm volatile("xchg %%rbp, %0; movb $1, (%1); xchg %%rbp, %0"
		     : "+a" (at) : "d" (page) : "memory");
}

/* A cyclic stack in user space does not make the kernel loop. */
TEST_F(chain, that_has_no_end)
{
	static const unsigned int lengths[] = { 1, 20, 100, 0 };
	long page = sysconf(_SC_PAGESIZE), all = pe_get(MAX_STACK);
	unsigned int i, want, full;
	char *p;

	for (i = 0; i < PE_ARRAY_SIZE(lengths); i++) {
		self->a.sample_max_stack = lengths[i];
		self->a.exclude_kernel = 1;
		want = lengths[i] ? lengths[i] : all;
		if (want >= PE_MAX_IPS)
			continue;
		self->fd = pe_self(&self->a);
		ASSERT_LE(0, self->fd);
		ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 8));
		p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		ASSERT_NE(MAP_FAILED, (void *)p);
		pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
		fault_in_a_circle(p);
		pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
		full = 0;
		while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE) == 1) {
			ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
			/* One additional entry is the context marker. */
			EXPECT_GE(want + 1, self->s.nr_ips);
			full += self->s.nr_ips == want + 1 &&
				(want == 1 ||
				 self->s.ips[want] == (unsigned long)fault_in_a_circle);
		}
		EXPECT_LE(1, full);
		munmap(p, page);
		pe_ring_unmap(&self->ring);
		close(self->fd);
		self->fd = -1;
	}
}
#endif

TEST_HARNESS_MAIN
