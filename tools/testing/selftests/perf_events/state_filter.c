// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_EVENT_IOC_STATE: the text of an event's filters, and its BPF program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event_ext.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sim.h"
#include "pe_trace.h"

#ifndef CAP_SYS_CHROOT
#define CAP_SYS_CHROOT	18
#endif

/* The name has a character of two bytes, and a byte that is not UTF-8. */
#define FILTER		"prev_pid == 77 && next_comm != \"st\303\251\377\""
#define RANGES		"filter 0x10/0x100@%s,stop 0x20"

FIXTURE(state_filter) {
	char text[8192];
	struct perf_event_state_info info;
};

static int tell(int fd, struct perf_event_state_info *info, void *text, __u32 size)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	info->filter = (uintptr_t)text;
	info->filter_size = size;
	return pe_ioctl(fd, PERF_EVENT_IOC_STATE, (unsigned long)info);
}

#define TELL(fd, size) \
	(memset(self->text, 'x', sizeof(self->text)), tell(fd, &self->info, self->text, size))

FIXTURE_SETUP(state_filter)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd = pe_self(&a);

	ASSERT_LE(0, fd);
	if (TELL(fd, 100) == -ENOTTY)
		SKIP_OTHERS(return, "needs PERF_EVENT_IOC_STATE");
	/* Without a filter there is no text, and nothing is written. */
	EXPECT_EQ(0, self->info.filter_length);
	EXPECT_EQ('x', self->text[0]);
	close(fd);
	if (geteuid())
		SKIP(return, "needs root");
}

FIXTURE_TEARDOWN(state_filter)
{
}

static int set_filter(int fd, const char *text)
{
	return pe_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)text);
}

/* Open a tracepoint with a filter. Returns the event or -errno. */
static int open_tracepoint(void)
{
	struct perf_event_attr attr;
	int fd, err;

	err = pe_tracepoint(&attr, "sched/sched_switch");
	fd = err ?: pe_self(&attr);
	err = fd < 0 ? 0 : set_filter(fd, FILTER);
	return err ?: fd;
}

TEST_F(state_filter, of_a_tracepoint)
{
	int fd = open_tracepoint();

	if (fd == -ENOENT)
		SKIP(return, "needs tracepoints");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, TELL(fd, sizeof(self->text)));
	EXPECT_STREQ(FILTER, self->text);
	EXPECT_EQ(sizeof(FILTER), self->info.filter_length);
	EXPECT_EQ(sizeof(self->text), self->info.filter_size);
	EXPECT_EQ((uintptr_t)self->text, self->info.filter);
	EXPECT_TRUE(self->info.flags & PERF_EVENT_HAS_FILTER);
	EXPECT_EQ(0, self->info.addr_filters);
	/* A second filter is refused, and the first one stays. */
	EXPECT_EQ(-EEXIST, set_filter(fd, "prev_pid == 1"));
	ASSERT_EQ(0, TELL(fd, sizeof(self->text)));
	EXPECT_STREQ(FILTER, self->text);
	close(fd);
}

/* The kernel writes as much as fits, always with the terminating zero. */
TEST_F(state_filter, room)
{
	int fd = open_tracepoint();

	if (fd == -ENOENT)
		SKIP(return, "needs tracepoints");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, TELL(fd, 9));
	EXPECT_STREQ("prev_pid", self->text);
	EXPECT_EQ('x', self->text[9]);
	EXPECT_EQ(sizeof(FILTER), self->info.filter_length);
	ASSERT_EQ(0, TELL(fd, 1));
	EXPECT_EQ(0, self->text[0]);
	EXPECT_EQ('x', self->text[1]);
	ASSERT_EQ(0, TELL(fd, 0));
	EXPECT_EQ('x', self->text[0]);
	EXPECT_EQ(sizeof(FILTER), self->info.filter_length);
	ASSERT_EQ(0, TELL(fd, sizeof(FILTER)));
	EXPECT_STREQ(FILTER, self->text);
	EXPECT_EQ('x', self->text[sizeof(FILTER)]);
	EXPECT_EQ(-EFAULT, tell(fd, &self->info, (void *)8, 100));
	close(fd);
}

static int told_elsewhere(void *file)
{
	struct perf_event_state_info info;
	char text[256], expected[256];

	if (chroot("/sys") || chdir("/"))
		return -errno;
	if (tell(*(int *)file, &info, text, sizeof(text)))
		return -EIO;
	snprintf(expected, sizeof(expected), RANGES, "?");
	return strcmp(text, expected) ? -EINVAL : 0;
}

/* Addresses have the syntax of SET_FILTER, with the path as the caller sees it. */
TEST_F(state_filter, of_addresses)
{
	char path[4096] = "", expected[4200], text[4200];
	struct perf_event_attr a = pe_attr(0);
	int fd;

	a.type = pe_sim_trace_type();
	if ((int)a.type < 0)
		SKIP(return, "no simulated trace unit");
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, TELL(fd, sizeof(self->text)));
	EXPECT_EQ(0, self->info.addr_filters);
	EXPECT_EQ(0, self->info.filter_length);
	ASSERT_LT(0, readlink("/proc/self/exe", path, sizeof(path) - 1));
	snprintf(text, sizeof(text), " " RANGES "\n", "/proc/self/exe");
	snprintf(expected, sizeof(expected), RANGES, path);
	ASSERT_EQ(0, set_filter(fd, text));
	ASSERT_EQ(0, TELL(fd, sizeof(self->text)));
	EXPECT_STREQ(expected, self->text);
	EXPECT_EQ(2, self->info.addr_filters);
	EXPECT_FALSE(self->info.flags & PERF_EVENT_HAS_FILTER);
	/* The text can be set again. */
	ASSERT_EQ(0, set_filter(fd, self->text));
	ASSERT_EQ(0, TELL(fd, sizeof(self->text)));
	EXPECT_STREQ(expected, self->text);
	/* If the file is unreachable for the caller, its name is not reported. */
	EXPECT_EQ(0, pe_run_as(0, PE_CAP(CAP_SYS_CHROOT), told_elsewhere, &fd));
	ASSERT_EQ(0, set_filter(fd, "start 0x30"));
	ASSERT_EQ(0, TELL(fd, sizeof(self->text)));
	EXPECT_STREQ("start 0x30", self->text);
	close(fd);
}

/* Returns 0 if the id of the program is reported, -ENODATA if not. */
static int bpf_is_told(void *file)
{
	struct perf_event_state_info info;
	int err = tell(*(int *)file, &info, NULL, 0);

	if (!err && !(info.flags & PERF_EVENT_HAS_BPF))
		return -ENOENT;
	return err ?: info.bpf_id ? 0 : -ENODATA;
}

/*
 * Each user of the event can read that there is a program. Only users that may inspect programs can
 * read its id.
 */
TEST_F(state_filter, bpf)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_CPU_CLOCK);
	int map = pe_bpf_counter(), prog, fd;

	if (map < 0)
		SKIP(return, "needs BPF");
	prog = pe_bpf_load(BPF_PROG_TYPE_PERF_EVENT, map, 1);
	ASSERT_LE(0, prog);
	a.sample_period = 1000000;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-ENOENT, bpf_is_told(&fd));
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog));
	EXPECT_EQ(0, bpf_is_told(&fd));
	EXPECT_EQ(0, pe_run_as(PE_UID, PE_CAP(CAP_PERFMON), bpf_is_told, &fd));
	EXPECT_EQ(-ENODATA, pe_run_as(PE_UID, 0, bpf_is_told, &fd));
	close(fd);
	close(prog);
	close(map);
}

/* --hold: open a tracepoint with a filter, and wait for a signal. */
int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--hold")) {
		if (open_tracepoint() < 0)
			return 4;
		pe_die_with(getppid());
		puts("ready");
		fflush(stdout);
		for (;;)
			pause();
	}
	return test_harness_run(argc, argv);
}
