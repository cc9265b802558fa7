// SPDX-License-Identifier: GPL-2.0
/* ioctl(2): requests that an event must refuse. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

FIXTURE(error) {
	struct perf_event_attr a;
	int counting;
	int sampling;
	int null;
};

FIXTURE_SETUP(error)
{
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->counting = pe_self(&self->a);
	ASSERT_LE(0, self->counting);
	self->a.sample_period = 1000;
	self->sampling = pe_self(&self->a);
	ASSERT_LE(0, self->sampling);
	self->null = open("/dev/null", O_RDWR);
	ASSERT_LE(0, self->null);
}

FIXTURE_TEARDOWN(error)
{
	close(self->counting);
	close(self->sampling);
	close(self->null);
}

TEST_F(error, unknown)
{
	unsigned int nr;

	for (nr = 12; nr < 256; nr++)
		EXPECT_EQ(-ENOTTY, pe_ioctl(self->counting, _IO('$', nr), 0));
	/* The same number with another size is an unknown request. */
	EXPECT_EQ(-ENOTTY, pe_ioctl(self->counting, _IOW('$', 0, int), 0));
	EXPECT_EQ(-ENOTTY, pe_ioctl(self->counting, _IO('#', 0), 0));
	EXPECT_EQ(-ENOTTY, pe_ioctl(self->counting, 0, 0));
	EXPECT_EQ(-EBADF, pe_ioctl(-1, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_EQ(-ENOTTY, pe_ioctl(self->null, PERF_EVENT_IOC_ENABLE, 0));
}

TEST_F(error, refresh)
{
	struct perf_event_attr a = self->a;
	int fd;

	/* REFRESH is for events that sample and are not inherited. */
	EXPECT_EQ(-EINVAL, pe_ioctl(self->counting, PERF_EVENT_IOC_REFRESH, 1));
	EXPECT_EQ(0, pe_ioctl(self->sampling, PERF_EVENT_IOC_REFRESH, 1));
	a.inherit = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, pe_ioctl(fd, PERF_EVENT_IOC_REFRESH, 1));
	close(fd);
}

TEST_F(error, refresh_enables)
{
	struct perf_event_attr a = self->a;
	int fd;

	a.disabled = 1;
	a.sample_period = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	pe_fault(5);
	EXPECT_EQ(0, pe_count(fd));
	/* The event disables itself after two overflows. */
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_REFRESH, 2));
	pe_fault(10);
	EXPECT_LE(2, pe_count(fd));
	EXPECT_GT(10, pe_count(fd));
	close(fd);
}

TEST_F(error, period)
{
	__u64 period = 500;

	EXPECT_EQ(-EINVAL, pe_ioctl(self->counting, PERF_EVENT_IOC_PERIOD,
				    (unsigned long)&period));
	EXPECT_EQ(0, pe_ioctl(self->sampling, PERF_EVENT_IOC_PERIOD,
			      (unsigned long)&period));
	EXPECT_EQ(-EFAULT, pe_ioctl(self->sampling, PERF_EVENT_IOC_PERIOD, 0));
	EXPECT_EQ(-EFAULT, pe_ioctl(self->counting, PERF_EVENT_IOC_PERIOD, 0));
	period = 0;
	EXPECT_EQ(-EINVAL, pe_ioctl(self->sampling, PERF_EVENT_IOC_PERIOD,
				    (unsigned long)&period));
	period = 1ULL << 63;
	EXPECT_EQ(-EINVAL, pe_ioctl(self->sampling, PERF_EVENT_IOC_PERIOD,
				    (unsigned long)&period));
	period = (1ULL << 63) - 1;
	EXPECT_EQ(0, pe_ioctl(self->sampling, PERF_EVENT_IOC_PERIOD,
			      (unsigned long)&period));
}

TEST_F(error, frequency)
{
	struct perf_event_attr a = self->a;
	__u64 value = pe_get(PE_SYSCTL "perf_event_max_sample_rate");
	int fd;

	a.freq = 1;
	a.sample_freq = 100;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&value));
	value++;
	EXPECT_EQ(-EINVAL, pe_ioctl(fd, PERF_EVENT_IOC_PERIOD,
				    (unsigned long)&value));
	close(fd);
}

TEST_F(error, set_output)
{
	EXPECT_EQ(-EBADF, pe_ioctl(self->sampling, PERF_EVENT_IOC_SET_OUTPUT, 12345));
	EXPECT_EQ(-EBADF, pe_ioctl(self->sampling, PERF_EVENT_IOC_SET_OUTPUT,
				   self->null));
	/* Output to the event itself is refused. Removing the output always succeeds. */
	EXPECT_EQ(-EINVAL, pe_ioctl(self->sampling, PERF_EVENT_IOC_SET_OUTPUT,
				    self->sampling));
	EXPECT_EQ(0, pe_ioctl(self->sampling, PERF_EVENT_IOC_SET_OUTPUT, -1));
	/* C and 32-bit programs may pass -1 as an int of 32 bits: EBADF in 6.12. */
	if (getenv("PE_HARD"))
		EXPECT_EQ(0, pe_ioctl(self->sampling, PERF_EVENT_IOC_SET_OUTPUT, -1U));
}

TEST_F(error, filter)
{
	/* Filters are for tracepoints and for PMUs that trace. */
	EXPECT_EQ(-EINVAL, pe_ioctl(self->counting, PERF_EVENT_IOC_SET_FILTER,
				    (unsigned long)"x == 1"));
	EXPECT_EQ(-EFAULT, pe_ioctl(self->counting, PERF_EVENT_IOC_SET_FILTER, 0));
}

static bool has_bpf(void)
{
	return !access("/proc/sys/kernel/unprivileged_bpf_disabled", F_OK);
}

TEST_F(error, bpf)
{
	if (!has_bpf())
		SKIP(return, "no BPF");
	EXPECT_EQ(-EBADF, pe_ioctl(self->sampling, PERF_EVENT_IOC_SET_BPF, -1));
	EXPECT_EQ(-EBADF, pe_ioctl(self->sampling, PERF_EVENT_IOC_SET_BPF, 12345));
	EXPECT_EQ(-EINVAL, pe_ioctl(self->sampling, PERF_EVENT_IOC_SET_BPF,
				    self->null));
}

TEST_F(error, query_bpf)
{
	struct {
		struct perf_event_query_bpf head;
		__u32 ids[4];
	} query = { .head = { .ids_len = 4 } };

	if (!has_bpf())
		SKIP(return, "no BPF");
	EXPECT_EQ(-EINVAL, pe_ioctl(self->counting, PERF_EVENT_IOC_QUERY_BPF,
				    (unsigned long)&query));
	EXPECT_EQ(-EINVAL, pe_ioctl(self->counting, PERF_EVENT_IOC_QUERY_BPF, 0));
}

TEST_F(error, pause_output)
{
	EXPECT_EQ(-EINVAL, pe_ioctl(self->sampling, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	EXPECT_EQ(-EINVAL, pe_ioctl(self->sampling, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
}

TEST_F(error, modify_attributes)
{
	struct perf_event_attr a = self->a;

	/* Only breakpoints can be modified. */
	EXPECT_EQ(-EOPNOTSUPP, pe_ioctl(self->sampling,
					PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
					(unsigned long)&a));
	a.type = PERF_TYPE_BREAKPOINT;
	EXPECT_EQ(-EINVAL, pe_ioctl(self->sampling,
				    PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
				    (unsigned long)&a));
	EXPECT_EQ(-EFAULT, pe_ioctl(self->sampling,
				    PERF_EVENT_IOC_MODIFY_ATTRIBUTES, 0));
	a = self->a;
	a.size = 1;
	EXPECT_EQ(-E2BIG, pe_ioctl(self->sampling,
				   PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
				   (unsigned long)&a));
	EXPECT_EQ(sizeof(a), a.size);
	a.size = sizeof(a);
	a.read_format = ~0ULL;
	EXPECT_EQ(-EINVAL, pe_ioctl(self->sampling,
				    PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
				    (unsigned long)&a));
}

/* A clock event has the type of its own PMU, even if it was opened with the generic type. */
TEST_F(error, modify_attributes_of_a_clock)
{
	struct perf_event_attr a = pe_attr(0);
	__u32 type;
	__u64 config;
	int fd;

	for (config = 0; config < 2; config++) {
		a.config = config;
		a.type = PERF_TYPE_SOFTWARE;
		fd = pe_self(&a);
		ASSERT_LE(0, fd);
		for (type = 0; type < PERF_TYPE_MAX + 3; type++) {
			a.type = type;
			EXPECT_EQ(type == PERF_TYPE_MAX + config ? -EOPNOTSUPP : -EINVAL,
				  pe_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&a))
				TH_LOG("type %u, config %llu", type, (unsigned long long)config);
		}
		close(fd);
	}
}

TEST_HARNESS_MAIN
