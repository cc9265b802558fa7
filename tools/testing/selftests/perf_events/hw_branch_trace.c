// SPDX-License-Identifier: GPL-2.0
/*
 * Branch trace store of Intel CPUs: an event of branches with a period of 1 samples every branch,
 * and the PMU intel_bts writes every branch to the AUX area. A loop takes branches of each kind.
 * The trace must have all of them, each once and in order, and no kernel address.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_hw.h"
#include "pe_sample.h"

#ifdef __x86_64__
#include "pe_turns.h"

#define TURNS	1500UL
#define EACH	6
/* Number of taken branches of the loop */
#define TAKEN	(TURNS * EACH - 1)
#define RATE	PE_SYSCTL "perf_event_max_sample_rate"
#define SHARE	PE_SYSCTL "perf_cpu_time_max_percent"

static const struct {
	const char	*from;
	const char	*to;
} turn[EACH] = {
	{ b_call, t_called },
	{ b_ret, t_back },
	{ b_indirect, t_called2 },
	{ b_jump, t_jumped },
	{ b_ret2, t_back2 },
	{ b_loop, t_turn },
};

/**
 * struct seen - branches seen so far
 * @loop: number of branches of the loop
 * @others: number of other branches
 * @wrong: number of branches of the loop that are not the next one
 * @kernel: number of kernel addresses
 */
struct seen {
	unsigned long	loop;
	unsigned long	others;
	unsigned long	wrong;
	unsigned long	kernel;
};

static void see(struct seen *seen, __u64 from, __u64 to)
{
	unsigned int next = seen->loop % EACH;

	seen->kernel += (long long)from < 0 || (long long)to < 0;
	if (from < (unsigned long)turns_begin || from > (unsigned long)b_ret2 ||
	    to < (unsigned long)turns_begin || to > (unsigned long)b_ret2) {
		seen->others++;
		return;
	}
	seen->wrong += from != (unsigned long)turn[next].from || to != (unsigned long)turn[next].to;
	seen->loop++;
}

static struct pe_record rec;

FIXTURE(trace) {
	struct perf_event_attr a;
	struct pe_ring ring;
	__u64 rate, share;
	int fd;
};

FIXTURE_SETUP(trace)
{
	self->fd = -1;
	if (pe_get(PE_DEVICES "intel_bts/type") < 0)
		SKIP(return, "no branch trace store");
	pe_move_to(0);
	self->a = pe_hw_attr(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	self->a.exclude_kernel = 1;
	self->a.sample_period = 1;
	self->a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
	/* Disable throttling. The rate can only be set while the percentage is a limit. */
	self->rate = pe_get(RATE);
	self->share = pe_get(SHARE);
	pe_set(SHARE, 99);
	pe_set(RATE, 1000000000);
	pe_set(SHARE, 100);
}

FIXTURE_TEARDOWN(trace)
{
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
	if (!self->rate)
		return;
	pe_set(SHARE, 99);
	pe_set(RATE, self->rate);
	pe_set(SHARE, self->share);
}

static void run(int fd)
{
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	turns_begin(TURNS);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

static void expect_all(struct __test_metadata *_metadata, const struct seen *seen)
{
	TH_LOG("%lu branches of the loop, %lu others", seen->loop, seen->others);
	EXPECT_EQ(TAKEN, seen->loop);
	EXPECT_LT(0, seen->others);
	EXPECT_GT(200, seen->others);
	EXPECT_EQ(0, seen->wrong);
	EXPECT_EQ(0, seen->kernel);
}

TEST_F(trace, samples_every_branch)
{
	struct seen seen = {};
	__u64 count;

	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 128));
	run(self->fd);
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE))
		see(&seen, ((__u64 *)rec.body)[0], ((__u64 *)rec.body)[1]);
	expect_all(_metadata, &seen);
	ASSERT_EQ((ssize_t)sizeof(count), read(self->fd, &count, sizeof(count)));
	EXPECT_EQ(seen.loop + seen.others, count);
}

/* Branch stacks are valid beside a period of 1, but are empty. */
TEST_F(trace, empty_branch_stacks)
{
	unsigned long n = 0, full = 0;

	self->a.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	self->a.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	if (!pe_hw_branches())
		SKIP(return, "no branch records");
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 128));
	run(self->fd);
	for (; pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE); n++)
		full += ((__u64 *)rec.body)[2] != 0;
	EXPECT_LE(TAKEN, n);
	EXPECT_EQ(0, full);
}

/* Parent and child alternate on a CPU: each sample is that of the task that took the branch. */
TEST_F(trace, each_task_its_own)
{
	struct seen seen[2] = {};
	unsigned long strangers = 0;
	int i, status;
	pid_t child;

	self->a.inherit = 1;
	self->a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR;
	self->fd = pe_open(&self->a, 0, 0, -1, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 512));
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	child = fork();
	for (i = 0; i < 50; i++) {
		turns_begin(TURNS / 50);
		syscall(__NR_sched_yield);
	}
	if (!child)
		_exit(0);
	waitpid(child, &status, 0);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		__u32 tid = ((__u32 *)rec.body)[3];
		struct seen *s = &seen[tid == child], before = *s;

		see(s, ((__u64 *)rec.body)[0], ((__u64 *)rec.body)[2]);
		strangers += tid != child && tid != getpid();
		/* The last branch of each call's last iteration is not taken. */
		if (s->loop > before.loop && s->loop % (TURNS / 50 * EACH) == TURNS / 50 * EACH - 1)
			s->loop++;
	}
	for (i = 0; i < 2; i++) {
		TH_LOG("%lu branches of the loop, %lu wrong, %lu others", seen[i].loop,
		       seen[i].wrong, seen[i].others);
		EXPECT_EQ(TURNS / 50 * 50 * EACH, seen[i].loop);
		EXPECT_EQ(0, seen[i].wrong);
		EXPECT_EQ(0, seen[i].kernel);
	}
	EXPECT_EQ(0, strangers);
}

/* A traced event must exclude the kernel, be alone in its group, and have the period 1. */
TEST_F(trace, refusals)
{
	struct perf_event_attr a = self->a;
	int fd;

	a.exclude_kernel = 0;
	EXPECT_EQ(-EOPNOTSUPP, pe_self(&a));
	a = self->a;
	a.precise_ip = 1;
	EXPECT_EQ(-EOPNOTSUPP, pe_self(&a));
	fd = pe_self(&self->a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, pe_try(&self->a, 0, -1, fd, 0));
	close(fd);
	a = self->a;
	a.sample_period = 2;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	a.sample_period = 1;
	EXPECT_EQ(-EINVAL, pe_ioctl(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&a.sample_period));
	close(fd);
}

/*
 * A new period is refused, and the event still samples every branch; or it is used, as of an event
 * that was opened with it.
 */
TEST_F(trace, longer_period)
{
	__u64 period = 1000, count;
	unsigned long n = 0;
	int err;

	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 128));
	err = pe_ioctl(self->fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period);
	run(self->fd);
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE))
		n++;
	ASSERT_EQ((ssize_t)sizeof(count), read(self->fd, &count, sizeof(count)));
	TH_LOG("error %d, %lu samples, count %llu", err, n, count);
	EXPECT_LE(TAKEN, count);
	if (err) {
		EXPECT_EQ(-EINVAL, err);
		EXPECT_EQ(count, n);
	} else {
		EXPECT_EQ(count / period, n);
	}
}

#define AUX_PAGES	64

/* Open an event of the PMU intel_bts with an AUX area. */
static void *open_aux(struct perf_event_attr *a, struct pe_ring *ring, int *fd, bool overwrite)
{
	size_t size = AUX_PAGES * getpagesize();

	*a = pe_attr_off(0);
	a->type = pe_get(PE_DEVICES "intel_bts/type");
	a->exclude_kernel = 1;
	a->sample_period = 1;
	*fd = pe_self(a);
	if (*fd < 0 || pe_ring_map(ring, *fd, 8))
		return MAP_FAILED;
	ring->page->aux_offset = ring->len;
	ring->page->aux_size = size;
	return mmap(NULL, size, PROT_READ | (overwrite ? 0 : PROT_WRITE), MAP_SHARED, *fd,
		    ring->len);
}

struct bts {
	__u64	from;
	__u64	to;
	__u64	flags;
};

TEST_F(trace, aux_area)
{
	struct seen seen = {}, records = {};
	unsigned long size = 0;
	struct bts *bts;
	__u64 head;
	int i;

	bts = open_aux(&self->a, &self->ring, &self->fd, false);
	ASSERT_NE(MAP_FAILED, bts);
	run(self->fd);
	head = self->ring.page->aux_head;
	EXPECT_EQ(0, head % sizeof(*bts));
	for (i = 0; i < (int)(head / sizeof(*bts)); i++)
		see(&seen, bts[i].from, bts[i].to);
	expect_all(_metadata, &seen);
	while (pe_ring_next(&self->ring, &rec)) {
		const __u64 *word = (const __u64 *)rec.body;

		records.others += rec.head.type == PERF_RECORD_ITRACE_START;
		if (rec.head.type != PERF_RECORD_AUX)
			continue;
		EXPECT_EQ(size, word[0]);
		EXPECT_EQ(0, word[2]);
		size += word[1];
	}
	EXPECT_EQ(head, size);
	EXPECT_LT(0, records.others);
	/* The trace of a second run continues after the first, and wraps around the area's end. */
	self->ring.page->aux_tail = head;
	run(self->fd);
	memset(&seen, 0, sizeof(seen));
	size = AUX_PAGES * getpagesize();
	for (; head < self->ring.page->aux_head; head += sizeof(*bts)) {
		if (size - head % size < sizeof(*bts))
			head += size - head % size;
		see(&seen, bts[head % size / sizeof(*bts)].from,
		    bts[head % size / sizeof(*bts)].to);
	}
	expect_all(_metadata, &seen);
	munmap(bts, size);
}

static int try_self(void *attr)
{
	return pe_try(attr, 0, -1, -1, 0);
}

/* A trace without the kernel needs permission for the kernel nevertheless; samples do not. */
TEST_F(trace, permissions)
{
	long level = pe_get(PE_PARANOID);
	struct perf_event_attr a;

	a = pe_attr_off(0);
	a.type = pe_get(PE_DEVICES "intel_bts/type");
	a.exclude_kernel = 1;
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, try_self, &a));
	EXPECT_EQ(0, pe_run_as(PE_UID, PE_CAP(CAP_PERFMON), try_self, &a));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, try_self, &self->a));
	EXPECT_EQ(0, pe_set(PE_PARANOID, 1));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, try_self, &a));
	pe_set(PE_PARANOID, level);
}

/* In an area that is mapped read-only, the last branches overwrite the first ones. */
TEST_F(trace, aux_area_overwritten)
{
	unsigned long n = AUX_PAGES * getpagesize() / sizeof(struct bts), at, i;
	struct seen seen = {};
	struct bts *bts;

	bts = open_aux(&self->a, &self->ring, &self->fd, true);
	ASSERT_NE(MAP_FAILED, bts);
	run(self->fd);
	run(self->fd);
	at = self->ring.page->aux_head / sizeof(*bts);
	ASSERT_LE(at, n);
	/* The area has the end of the first run, and then the whole second run. */
	for (i = 0; i < n; i++) {
		const struct bts *b = &bts[(at + i) % n];

		if (b->to == (unsigned long)turns_begin)
			memset(&seen, 0, sizeof(seen));
		see(&seen, b->from, b->to);
	}
	TH_LOG("%lu branches of the loop, %lu others", seen.loop, seen.others);
	EXPECT_EQ(TAKEN, seen.loop);
	EXPECT_EQ(0, seen.wrong);
	EXPECT_EQ(0, seen.kernel);
	munmap(bts, AUX_PAGES * getpagesize());
}

/* Samples of each branch and the PMU intel_bts exclude each other. */
TEST_F(trace, one_kind_of_user)
{
	struct perf_event_attr a;
	void *bts;
	int fd;

	bts = open_aux(&a, &self->ring, &self->fd, false);
	ASSERT_NE(MAP_FAILED, bts);
	EXPECT_EQ(-EBUSY, pe_try(&self->a, 0, -1, -1, 0));
	munmap(bts, AUX_PAGES * getpagesize());
	pe_ring_unmap(&self->ring);
	close(self->fd);
	self->fd = -1;
	fd = pe_self(&self->a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EBUSY, pe_try(&a, 0, -1, -1, 0));
	close(fd);
}
#else
TEST(trace)
{
	SKIP(return, "no branch trace store");
}
#endif

TEST_HARNESS_MAIN
