// SPDX-License-Identifier: GPL-2.0
/*
 * debugfs/perf_events: the counts in its columns, and permissions.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event_ext.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_hw.h"
#include "pe_records.h"
#include "pe_sample.h"
#include "pe_sim.h"

#define DIRECTORY	"/sys/kernel/debug/perf_events/"
#define MUX		PE_SIM "perf_event_mux_interval_ms"
#define GROUPS		12

FIXTURE(report) {
	char	text[65536];
};

FIXTURE_SETUP(report)
{
	if (geteuid())
		SKIP(return, "needs root");
	if (access(DIRECTORY, F_OK))
		mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	if (access(DIRECTORY "cpus", R_OK))
		SKIP_OTHERS(return, "this kernel has no debugfs/perf_events");
}

FIXTURE_TEARDOWN(report)
{
}

static int read_file(char *to, size_t size, const char *name)
{
	int fd = open(name, O_RDONLY);
	ssize_t more, n = 0;

	if (fd < 0)
		return -errno;
	while ((more = read(fd, to + n, size - 1 - n)) > 0)
		n += more;
	to[n] = 0;
	close(fd);
	return more < 0 ? -errno : 0;
}

/* Return the value in column @name of the first line that begins with @row, -1 if there is none. */
static long long column(const char *text, const char *row, const char *name)
{
	const char *line = strchr(text, '\n'), *at;
	unsigned int i, nr = 0;

	at = strstr(text, name);
	if (!at || !line || at > line)
		return -1;
	while (--at > text)
		nr += *at == ' ';
	while (line && strncmp(line + 1, row, strlen(row)))
		line = strchr(line + 1, '\n');
	for (i = 0; line && i < nr; i++)
		line = strchr(line + 1, ' ');
	return line ? atoll(line + 1) : -1;
}

static long long value(char *text, size_t size, const char *file, const char *row,
		       const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), DIRECTORY "%s", file);
	return read_file(text, size, path) ? -1 : column(text, row, name);
}

#define VALUE(file, row, name)	value(self->text, sizeof(self->text), file, row, name)

/* Groups that are multiplexed on this CPU */
TEST_F(report, groups)
{
	struct perf_event_attr a = pe_sim_attr();
	long mux = pe_get(MUX);
	int fd[GROUPS], i, cpu = pe_cpu_count() - 1;
	long long rotations;
	char row[32];

	if (pe_sim_type() < 0)
		SKIP(return, "no simulated PMU");
	pe_undisturbed();
	/* On CPU 0 other tests may have left a long rotation interval. */
	ASSERT_EQ(0, pe_move_to(cpu));
	snprintf(row, sizeof(row), "%d sim ", cpu);
	pe_set(MUX, 1);
	for (i = 0; i < GROUPS; i++) {
		fd[i] = pe_self(&a);
		ASSERT_LE(0, fd[i]);
	}
	EXPECT_EQ(GROUPS, VALUE("pmus", row, "events"));
	EXPECT_EQ(PE_SIM_COUNTERS, VALUE("pmus", row, "counters_on"));
	EXPECT_EQ(PE_SIM_COUNTERS, VALUE("pmus", row, "groups_on"));
	EXPECT_EQ(GROUPS - PE_SIM_COUNTERS, VALUE("pmus", row, "groups_waiting"));
	rotations = VALUE("pmus", row, "rotations");
	for (i = 0; i < 1000 && VALUE("pmus", row, "rotations") <= rotations; i++)
		pe_spin(100000);
	EXPECT_LT(rotations, VALUE("pmus", row, "rotations"));
	pe_set(MUX, mux);
	for (i = 0; i < GROUPS; i++)
		close(fd[i]);
}

/* Buffers, their records and their lost records */
TEST_F(report, buffers)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	long page_kib = sysconf(_SC_PAGESIZE) / 1024;
	long long full, paused, buffers, kib;
	struct pe_ring ring;
	int fd;

	ASSERT_EQ(0, pe_move_to(0));
	full = VALUE("cpus", "0 ", "lost_full");
	paused = VALUE("cpus", "0 ", "lost_paused");
	ASSERT_LE(0, full);
	buffers = VALUE("buffers", "0 -1 ", "buffers");
	kib = VALUE("buffers", "0 -1 ", "kib");

	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_IP;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 1));
	pe_fault(10000);
	EXPECT_LT(full, VALUE("cpus", "0 ", "lost_full"));
	EXPECT_EQ(paused, VALUE("cpus", "0 ", "lost_paused"));
	pe_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
	pe_fault(10);
	EXPECT_LE(paused + 10, VALUE("cpus", "0 ", "lost_paused"));
	if (buffers < 0) {
		buffers = 0;
		kib = 0;
	}
	EXPECT_EQ(buffers + 1, VALUE("buffers", "0 -1 ", "buffers"));
	EXPECT_EQ(kib + 2 * page_kib, VALUE("buffers", "0 -1 ", "kib"));
	EXPECT_LT(0, VALUE("buffers", "0 -1 ", "records"));
	EXPECT_LT(0, VALUE("buffers", "0 -1 ", "lost_full"));
	pe_ring_unmap(&ring);
	close(fd);
}

/* Start a child of a user with one buffer, whose records have a header and one word. */
static pid_t start_user(int *ready)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	pid_t pid, me = getpid();
	struct pe_ring ring;
	int pipes[2], fd;

	if (pipe(pipes))
		return -errno;
	pid = fork();
	*ready = pipes[0];
	if (pid) {
		close(pipes[1]);
		return pid;
	}
	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_IP;
	a.exclude_kernel = 1;
	if (pe_become(PE_UID, 0))
		_exit(1);
	fd = pe_self(&a);
	if (fd < 0 || pe_ring_map(&ring, fd, 1))
		_exit(1);
	pe_fault(10);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	pe_die_with(me);
	if (write(pipes[1], "", 1) == 1)
		pause();
	_exit(1);
}

/* The file shows the user that is charged for the memory, to any reader. */
TEST_F(report, buffers_of_a_user)
{
	static const char row[] = "4321 -1 "; /* PE_UID */
	long page_kib = sysconf(_SC_PAGESIZE) / 1024;
	long long records;
	pid_t user;
	int ready;
	char c;

	ASSERT_EQ(-1, VALUE("buffers", row, "buffers"));
	user = start_user(&ready);
	ASSERT_LT(0, user);
	ASSERT_EQ(1, read(ready, &c, 1));
	EXPECT_EQ(1, VALUE("buffers", row, "buffers"));
	EXPECT_EQ(2 * page_kib, VALUE("buffers", row, "kib"));
	EXPECT_EQ(0, VALUE("buffers", row, "aux_kib"));
	records = VALUE("buffers", row, "records");
	EXPECT_LE(10, records);
	EXPECT_EQ(16 * records, VALUE("buffers", row, "bytes"));
	kill(user, SIGKILL);
	waitpid(user, NULL, 0);
	close(ready);
	EXPECT_EQ(-1, VALUE("buffers", row, "buffers"));
}

TEST_F(report, events_of_a_cpu)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	long long before = VALUE("cpus", "0 ", "events");
	int fd = pe_open(&a, -1, 0, -1, 0);

	ASSERT_LE(0, before);
	ASSERT_LE(0, fd);
	EXPECT_EQ(before + 1, VALUE("cpus", "0 ", "events"));
	close(fd);
	EXPECT_EQ(before, VALUE("cpus", "0 ", "events"));
}

/* Records, lost records and throttles of a PMU are counted while a process has the file open. */
TEST_F(report, records_of_a_pmu)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	long long records, full, others;
	struct pe_ring ring;
	int fd, watch;

	ASSERT_EQ(0, pe_move_to(0));
	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_IP;
	a.disabled = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 1));
#define SOFTWARE(column)	VALUE("pmus", "0 software ", column)
	records = SOFTWARE("records");
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(20);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(records, SOFTWARE("records"));

	watch = open(DIRECTORY "pmus", O_RDONLY);
	ASSERT_LE(0, watch);
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(20);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (records < 0)
		records = 0;
	EXPECT_LE(records + 20, SOFTWARE("records"));
	records = SOFTWARE("records");
	full = SOFTWARE("lost_full");
	others = VALUE("pmus", "0 sim ", "records");
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(10000);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_LT(records, SOFTWARE("records"));
	EXPECT_LT(full, SOFTWARE("lost_full"));
	/* All of these faults are records, or were lost. */
	EXPECT_LE(10000, SOFTWARE("records") - records + SOFTWARE("lost_full") - full);
	EXPECT_EQ(others, VALUE("pmus", "0 sim ", "records"));
#undef SOFTWARE
	close(watch);
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_F(report, throttles_of_a_pmu)
{
	long percent = pe_get(PE_SYSCTL "perf_cpu_time_max_percent");
	long rate = pe_get(PE_SYSCTL "perf_event_max_sample_rate");
	struct perf_event_attr a = pe_sim_attr();
	int fd, i, watch = open(DIRECTORY "pmus", O_RDONLY);
	long long before;

	ASSERT_LE(0, watch);
	if (pe_sim_type() < 0)
		SKIP(return, "no simulated PMU");
	ASSERT_EQ(0, pe_move_to(0));
	before = VALUE("pmus", "0 sim ", "throttled");
	/* A PMU without events has no line. */
	if (before < 0)
		before = 0;
	ASSERT_EQ(0, pe_set(PE_SYSCTL "perf_cpu_time_max_percent", 90));
	ASSERT_EQ(0, pe_set(PE_SYSCTL "perf_event_max_sample_rate", 1000));
	a.sample_period = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	for (i = 0; i < 1000 && VALUE("pmus", "0 sim ", "throttled") <= before; i++)
		pe_sim_advance(10);
	EXPECT_LT(before, VALUE("pmus", "0 sim ", "throttled"));
	close(fd);
	close(watch);
	pe_set(PE_SYSCTL "perf_event_max_sample_rate", rate);
	pe_set(PE_SYSCTL "perf_cpu_time_max_percent", percent);
}

/* Sampling interrupts are counted while a process has the file open. */
TEST_F(report, interrupts)
{
	struct perf_event_attr a = pe_hw_attr(pe_hw_exact());
	long long interrupts, ns, longest;
	int fd, watch;

	if (pe_hw_missing())
		SKIP(return, "no hardware counters");
	ASSERT_EQ(0, pe_move_to(0));
	interrupts = VALUE("cpus", "0 ", "interrupts");
	ns = VALUE("cpus", "0 ", "interrupt_ns");
	a.sample_period = 100000;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	watch = open(DIRECTORY "cpus", O_RDONLY);
	ASSERT_LE(0, watch);
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_hw_loop(2000000);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	longest = VALUE("cpus", "0 ", "longest_ns");
	EXPECT_LE(interrupts + 10, VALUE("cpus", "0 ", "interrupts"));
	EXPECT_LT(ns, VALUE("cpus", "0 ", "interrupt_ns"));
	EXPECT_LT(0, longest);
	EXPECT_GE(VALUE("cpus", "0 ", "interrupt_ns"), longest);
	close(watch);
	interrupts = VALUE("cpus", "0 ", "interrupts");
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_hw_loop(2000000);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(interrupts, VALUE("cpus", "0 ", "interrupts"));
	close(fd);
}

/* Return the number of refusals for this reason, -1 for an unknown reason. */
static long refusals_for(char *text, size_t size, const char *name)
{
	char found[64], *line = text;
	long count;

	if (read_file(text, size, DIRECTORY "refusals"))
		return -1;
	for (; line && *line; line = strchr(line, '\n'), line += !!line) {
		if (sscanf(line, "%ld %63s", &count, found) == 2 && !strcmp(found, name))
			return count;
	}
	return -1;
}

TEST_F(report, refusals)
{
	long flags = refusals_for(self->text, sizeof(self->text), "OPEN_FLAGS");
	long unnamed = refusals_for(self->text, sizeof(self->text), "UNNAMED");
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);

	EXPECT_LE(0, flags);
	EXPECT_LE(0, unnamed);
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, -1, 1UL << 20));
	EXPECT_EQ(flags + 1, refusals_for(self->text, sizeof(self->text), "OPEN_FLAGS"));
	EXPECT_EQ(unnamed, refusals_for(self->text, sizeof(self->text), "UNNAMED"));
}

/* "The thread has not inherited the event" is an answer, and not counted as a refusal. */
TEST_F(report, answers_are_no_refusals)
{
	struct perf_event_state_info info = { .size = sizeof(info), .tid = 0x3ffffff };
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd = pe_self(&a);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-ESRCH, pe_ioctl(fd, PERF_EVENT_IOC_STATE, (unsigned long)&info));
	ASSERT_EQ(0, read_file(self->text, sizeof(self->text), DIRECTORY "refusals"));
	EXPECT_NE(NULL, strstr(self->text, "\n0 STATE_NO_COPY\n"));
	info.size = 4;
	EXPECT_EQ(-EINVAL, pe_ioctl(fd, PERF_EVENT_IOC_STATE, (unsigned long)&info));
	ASSERT_EQ(0, read_file(self->text, sizeof(self->text), DIRECTORY "refusals"));
	EXPECT_EQ(NULL, strstr(self->text, "\n0 STATE_SIZE\n"));
	close(fd);
}

static int try_to_read(void *name)
{
	char text[16];

	return read_file(text, sizeof(text), name);
}

TEST_F(report, not_for_users)
{
	static const char * const files[] = { "cpus", "pmus", "buffers", "refusals" };
	struct stat stat;
	char path[128];
	unsigned int i;

	for (i = 0; i < PE_ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), DIRECTORY "%s", files[i]);
		EXPECT_EQ(0, read_file(self->text, sizeof(self->text), path));
		/* debugfs is not readable for users by default, but may be made readable. */
		ASSERT_EQ(0, fstatat(AT_FDCWD, path, &stat, 0));
		EXPECT_EQ(0400, stat.st_mode & 0777);
		EXPECT_EQ(-EACCES, pe_run_as(PE_UID, PE_CAP(CAP_PERFMON), try_to_read, path));
	}
}

TEST_HARNESS_MAIN
