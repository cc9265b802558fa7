// SPDX-License-Identifier: GPL-2.0
/* read(2): the values of each read_format, and their length. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define MEMBERS	4
#define PAGES	10

/* Size of a format in u64s, as the ABI's header documents it. */
static unsigned int words(__u64 format, unsigned int nr)
{
	unsigned int n = 0, each = 1;

	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		n++;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		n++;
	if (format & PERF_FORMAT_ID)
		each++;
	if (format & PERF_FORMAT_LOST)
		each++;
	if (!(format & PERF_FORMAT_GROUP))
		return n + each;
	return 1 + n + each * nr;
}

/* Open a group that has counted PAGES minor faults, and no major ones. */
static int make_group(int *fd, __u64 *id, __u64 format)
{
	static const unsigned int configs[MEMBERS] = {
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
		PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_DUMMY,
	};
	struct perf_event_attr a;
	int i, round;

	for (i = 0; i < MEMBERS; i++) {
		a = pe_attr(configs[i]);
		a.disabled = !i;
		a.read_format = format;
		fd[i] = pe_open(&a, 0, -1, i ? fd[0] : -1, 0);
		if (fd[i] < 0)
			return fd[i];
		id[i] = pe_id(fd[i]);
	}
	for (round = 0; round < 2; round++) {
		pe_ioctl(fd[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
		pe_ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
		pe_fault(PAGES);
		pe_ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
	}
	return 0;
}

static void close_group(int *fd)
{
	int i;

	for (i = 0; i < MEMBERS; i++)
		close(fd[i]);
}

static void check_layout(struct __test_metadata *_metadata, __u64 format)
{
	static const __u64 want[MEMBERS] = { PAGES, 0, PAGES, 0 };
	__u64 id[MEMBERS], buf[64], enabled = 0, running = 0;
	unsigned int len, at, i, nr = 1;
	int fd[MEMBERS];

	ASSERT_EQ(0, make_group(fd, id, format));

	memset(buf, 0xee, sizeof(buf));
	len = 8 * words(format, MEMBERS);
	ASSERT_EQ(len, read(fd[0], buf, sizeof(buf)));
	EXPECT_EQ(0xeeeeeeeeeeeeeeeeULL, buf[len / 8]);

	at = 0;
	if (format & PERF_FORMAT_GROUP) {
		nr = buf[at++];
		ASSERT_EQ(MEMBERS, nr);
	} else {
		EXPECT_EQ(want[0], buf[at++]);
	}
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED) {
		enabled = buf[at++];
		EXPECT_LT(0, enabled);
	}
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING) {
		running = buf[at++];
		EXPECT_LT(0, running);
		if (enabled)
			EXPECT_EQ(enabled, running);
	}
	/* Members are in the order in which they joined. */
	for (i = 0; i < nr; i++) {
		if (format & PERF_FORMAT_GROUP)
			EXPECT_EQ(want[i], buf[at++]);
		if (format & PERF_FORMAT_ID)
			EXPECT_EQ(id[i], buf[at++]);
		if (format & PERF_FORMAT_LOST)
			EXPECT_EQ(0, buf[at++]);
	}
	EXPECT_EQ(len, 8 * at);
	close_group(fd);
}

TEST(layout)
{
	__u64 format;

	for (format = 0; format < PERF_FORMAT_MAX; format++)
		check_layout(_metadata, format);
}

static void check_member(struct __test_metadata *_metadata, __u64 format)
{
	unsigned int len = 8 * words(format, MEMBERS);
	__u64 id[MEMBERS], buf[64];
	int fd[MEMBERS];

	ASSERT_EQ(0, make_group(fd, id, format));

	/* A read of a member's file returns the whole group, leader first. */
	ASSERT_EQ(len, read(fd[1], buf, sizeof(buf)));
	if (format & PERF_FORMAT_GROUP) {
		EXPECT_EQ(MEMBERS, buf[0]);
		if (format == (PERF_FORMAT_GROUP | PERF_FORMAT_ID))
			EXPECT_EQ(id[0], buf[2]);
	} else {
		EXPECT_EQ(0, buf[0]);
	}
	close_group(fd);
}

TEST(of_a_member)
{
	__u64 format;

	for (format = 0; format < PERF_FORMAT_MAX; format++)
		check_member(_metadata, format);
}

static void check_short(struct __test_metadata *_metadata, __u64 format)
{
	unsigned int len = 8 * words(format, MEMBERS), n;
	__u64 id[MEMBERS], buf[64];
	int fd[MEMBERS];

	ASSERT_EQ(0, make_group(fd, id, format));

	for (n = 0; n < len; n++) {
		errno = 0;
		ASSERT_EQ(-1, read(fd[0], buf, n));
		ASSERT_EQ(ENOSPC, errno);
	}
	EXPECT_EQ(len, read(fd[0], buf, len));
	EXPECT_EQ(len, read(fd[0], buf, len + 1));
	close_group(fd);
}

TEST(short_buffer)
{
	__u64 format;

	for (format = 0; format < PERF_FORMAT_MAX; format++)
		check_short(_metadata, format);
}

TEST(mixed_formats)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);
	int leader, member;
	__u64 buf[16];

	/* Only the format of the event that is read matters. */
	a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	leader = pe_self(&a);
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	member = pe_open(&a, 0, -1, leader, 0);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	EXPECT_EQ(40, read(leader, buf, sizeof(buf)));
	EXPECT_EQ(2, buf[0]);
	EXPECT_EQ(pe_id(leader), buf[2]);
	EXPECT_EQ(pe_id(member), buf[4]);
	EXPECT_EQ(16, read(member, buf, sizeof(buf)));
	EXPECT_EQ(0, buf[0]);
	close(member);
	EXPECT_EQ(24, read(leader, buf, sizeof(buf)));
	close(leader);
}

TEST(member_reads_a_group_of_its_own_format)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);
	int leader, member;
	__u64 buf[16];

	leader = pe_self(&a);
	a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	member = pe_open(&a, 0, -1, leader, 0);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	EXPECT_EQ(8, read(leader, buf, sizeof(buf)));
	EXPECT_EQ(40, read(member, buf, sizeof(buf)));
	EXPECT_EQ(2, buf[0]);
	EXPECT_EQ(pe_id(leader), buf[2]);
	EXPECT_EQ(pe_id(member), buf[4]);
	close(member);
	close(leader);
}

TEST(ids)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);
	__u64 id[50], value[2];
	int fd[50], i, j;

	a.read_format = PERF_FORMAT_ID;
	for (i = 0; i < 50; i++) {
		fd[i] = pe_self(&a);
		ASSERT_LE(0, fd[i]);
		ASSERT_EQ(16, read(fd[i], value, sizeof(value)));
		id[i] = pe_id(fd[i]);
		EXPECT_NE(0, id[i]);
		EXPECT_EQ(id[i], value[1]);
		for (j = 0; j < i; j++)
			EXPECT_NE(id[j], id[i]);
	}
	for (i = 0; i < 50; i++)
		close(fd[i]);
}

TEST(many_members)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);
	static __u64 buf[512];
	int fd[100], i;

	a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	for (i = 0; i < 100; i++) {
		fd[i] = pe_open(&a, 0, -1, i ? fd[0] : -1, 0);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(8 * 201, read(fd[0], buf, sizeof(buf)));
	ASSERT_EQ(100, buf[0]);
	for (i = 0; i < 100; i++)
		EXPECT_EQ(pe_id(fd[i]), buf[2 + 2 * i]);
	close(fd[50]);
	ASSERT_EQ(8 * 199, read(fd[0], buf, sizeof(buf)));
	EXPECT_EQ(pe_id(fd[49]), buf[2 + 2 * 49]);
	EXPECT_EQ(pe_id(fd[51]), buf[2 + 2 * 50]);
	for (i = 0; i < 100; i++)
		if (i != 50)
			close(fd[i]);
}

TEST(bad_buffer)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);
	long page = sysconf(_SC_PAGESIZE);
	int fd = pe_self(&a);
	char *p;

	ASSERT_LE(0, fd);
	p = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(-1, read(fd, p, 8));
	EXPECT_EQ(EFAULT, errno);
	munmap(p, page);
	EXPECT_EQ(-1, read(fd, p, 8));
	EXPECT_EQ(EFAULT, errno);
	close(fd);
}

TEST(other_calls)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);
	int fd = pe_self(&a);
	__u64 value = 0;

	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, write(fd, &value, 8));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, lseek(fd, 0, SEEK_SET));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, pread(fd, &value, 8, 0));
	EXPECT_EQ(ESPIPE, errno);
	close(fd);
}

TEST(poll_without_a_buffer)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);
	struct pollfd p = { .fd = pe_self(&a), .events = POLLIN };

	ASSERT_LE(0, p.fd);
	EXPECT_EQ(1, poll(&p, 1, 0));
	EXPECT_EQ(POLLHUP, p.revents);
	close(p.fd);
}

TEST_HARNESS_MAIN
