// SPDX-License-Identifier: GPL-2.0
/*
 * Topdown metrics (perf stat --topdown), on x86 CPUs that have them: the metrics of the first level
 * add up to all issue slots.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_hw.h"

#define EVENTS	"/sys/bus/event_source/devices/cpu/events/"
#define LOOP	2000000UL
#define SHARES	4

static __u64 configs[] = { 0x0400, 0x8000, 0x8100, 0x8200, 0x8300 };

struct opened {
	struct perf_event_attr a;
	int fd[1 + SHARES];
	unsigned int nr;
};

FIXTURE(topdown) {
	struct opened o;
};

FIXTURE_SETUP(topdown)
{
	if (access(EVENTS "slots", R_OK))
		SKIP(return, "no topdown metrics");
	self->o.a = (struct perf_event_attr){
		.type = PERF_TYPE_RAW, .size = sizeof(self->o.a), .exclude_kernel = 1,
		.read_format = PERF_FORMAT_GROUP,
	};
	self->o.nr = 0;
}

FIXTURE_TEARDOWN(topdown)
{
	while (self->o.nr)
		close(self->o.fd[--self->o.nr]);
}

/* Open the slots event first, then one metric after the other. */
static int open_next(struct opened *o)
{
	int leader = o->nr ? o->fd[0] : -1, fd;

	o->a.config = configs[o->nr];
	o->a.disabled = leader < 0;
	fd = pe_open(&o->a, 0, -1, leader, 0);
	if (fd >= 0)
		o->fd[o->nr++] = fd;
	return fd;
}

static struct values {
	__u64 nr;
	__u64 count[1 + SHARES];
} values;

/* Difference between all slots and the sum of the metrics */
static __u64 missing(int fd)
{
	__u64 sum = 0;
	int i;

	if (read(fd, &values, sizeof(values)) != sizeof(values))
		return UINT64_MAX;
	for (i = 1; i <= SHARES; i++)
		sum += values.count[i];
	return sum < values.count[0] ? values.count[0] - sum : sum - values.count[0];
}

TEST_F(topdown, shares_make_up_the_slots)
{
	int i;

	for (i = 0; i <= SHARES; i++)
		ASSERT_LE(0, open_next(&self->o));
	ASSERT_EQ(0, pe_ioctl(self->o.fd[0], PERF_EVENT_IOC_ENABLE, 0));
	pe_hw_loop(LOOP);
	EXPECT_GE(LOOP / 50, missing(self->o.fd[0]));
	ASSERT_EQ(0, pe_ioctl(self->o.fd[0], PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_GE(values.count[0] / 50, missing(self->o.fd[0]));
	TH_LOG("%llu slots, shares %llu %llu %llu %llu", values.count[0], values.count[1],
	       values.count[2], values.count[3], values.count[4]);
	/* The loop retires at least one slot for each instruction. */
	EXPECT_LE(LOOP, values.count[0]);
	EXPECT_LT(0, values.count[1]);
}

/* Other tasks use the counter in between, so the slots do not depend on wall-clock time. */
TEST_F(topdown, many_pieces)
{
	__u64 before, after;
	int i;

	for (i = 0; i <= SHARES; i++)
		ASSERT_LE(0, open_next(&self->o));
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, pe_ioctl(self->o.fd[0], PERF_EVENT_IOC_ENABLE, 0));
		pe_hw_loop(LOOP / 50);
		pe_switch();
		ASSERT_EQ(0, pe_ioctl(self->o.fd[0], PERF_EVENT_IOC_DISABLE, 0));
	}
	EXPECT_GE(values.count[0] / 50 + 1000, missing(self->o.fd[0]));
	before = values.count[1];
	pe_hw_loop(LOOP);
	missing(self->o.fd[0]);
	after = values.count[1];
	EXPECT_EQ(before, after);
}

/* The count by RDPMC is between those of two reads. */
TEST_F(topdown, slots_by_page)
{
	struct perf_event_mmap_page *page;
	__u64 before, seen, after;
	int fd = open_next(&self->o);

	ASSERT_LE(0, fd);
	page = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	pe_hw_loop(LOOP);
	ASSERT_EQ(2 * sizeof(__u64), read(fd, &values, sizeof(values)));
	before = values.count[0];
	if (!page->cap_user_rdpmc)
		SKIP(return, "no RDPMC in user space");
	seen = pe_hw_read_page(page);
	ASSERT_EQ(2 * sizeof(__u64), read(fd, &values, sizeof(values)));
	after = values.count[0];
	EXPECT_LE(before, seen);
	EXPECT_GE(after, seen);
	munmap(page, getpagesize());
}

TEST_F(topdown, a_share_needs_its_slots)
{
	struct perf_event_attr a = self->o.a;
	int other;

	a.config = configs[1];
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, -1, 0));
	a.config = 0xc0;
	other = pe_open(&a, 0, -1, -1, 0);
	ASSERT_LE(0, other);
	a.config = configs[1];
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, other, 0));
	close(other);
	ASSERT_LE(0, open_next(&self->o));
	a.sample_period = 1000000;
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, self->o.fd[0], 0));
	a.sample_period = 0;
	a.config1 = 1;
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, self->o.fd[0], 0));
	a.config1 = 0;
	EXPECT_EQ(0, pe_try(&a, 0, -1, self->o.fd[0], 0));
}

TEST_HARNESS_MAIN
