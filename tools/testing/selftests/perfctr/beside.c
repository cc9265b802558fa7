// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of threads together with perf events: both must be exact, and the later of two that
 * exclude each other is refused.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "../perf_events/pe_rounds.h"
#include "beside.h"

FIXTURE(beside) {
	int fd, watchdog;
	const volatile struct vperfctr_state *page;
};

FIXTURE_SETUP(beside)
{
	if (!has_counters())
		SKIP(return, "no counters");
	/* The NMI watchdog would take one of the counters, and some CPUs have only two. */
	self->watchdog = set_number(WATCHDOG, 0);
	/* Per-CPU events are opened on the CPU to which the thread is pinned here. */
	ASSERT_EQ(0, stay_on(0));
	self->fd = vperfctr_open(0, 1);
	ASSERT_LE(0, self->fd);
	self->page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->page);
}

FIXTURE_TEARDOWN(beside)
{
	vperfctr_unlink(self->fd);
	close(self->fd);
	if (self->watchdog > 0)
		set_number(WATCHDOG, self->watchdog);
}

/* Open an event of the thread as a member of a group */
static int open_in(int leader, int n)
{
	return open_grouped(n, -1, 0, leader);
}

static unsigned long long sum_of(int fd, int i)
{
	struct perfctr_sum_ctrs sums;

	return vperfctr_read(fd, &sums, NULL, NULL) ? 0 : sums.pmc[i];
}

/* Perf events of the same thread count at the same time. Both counts are exact. */
TEST_F(beside, thread)
{
	struct vperfctr_control control = instructions(0);
	unsigned long long mine;
	long long perf;
	int event = open_event(0, -1, 0), i;

	ASSERT_LE(0, event);
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	for (i = 0; i < 3; i++) {
		mine = sum_of(self->fd, 0);
		perf = count_of(event);
		work(1000000);
		perf = count_of(event) - perf;
		mine = sum_of(self->fd, 0) - mine;
		EXPECT_LE(2000000, perf);
		EXPECT_GE(at_most(2000000), perf);
		EXPECT_LE(2000000, mine);
		EXPECT_GE(at_most(2000000), mine);
		/* Sleep: the next round is after a context switch. */
		usleep(10000);
	}
	close(event);
}

/* Per-CPU perf events count at the same time. Both counts are exact. */
TEST_F(beside, machine)
{
	struct vperfctr_control control = instructions(0);
	unsigned long long mine;
	long long perf;
	int event;

	if (geteuid())
		SKIP(return, "needs root");
	event = open_event(0, 0, 0);
	ASSERT_LE(0, event);
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	mine = sum_of(self->fd, 0);
	perf = count_of(event);
	work(5000000);
	perf = count_of(event) - perf;
	mine = sum_of(self->fd, 0) - mine;
	EXPECT_LE(10000000, perf);
	EXPECT_LE(10000000, mine);
	EXPECT_GE(at_most(10000000), mine);
	close(event);
}

/*
 * While a thread with counters runs, perf events cannot use these counters. Perf events move to
 * other counters or wait, as they do when there are more events than counters.
 */
TEST_F(beside, waits)
{
	struct vperfctr_control all;
	struct {
		unsigned long long value, enabled, running;
	} before, after;
	int event;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = 0xc0 | 1 << 24,
		.exclude_kernel = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	if (!is_x86())
		SKIP(return, "only x86 has events that share no counter");
	all = all_counters(self->fd, 0);
	ASSERT_LT(0, all.cpu_control.nractrs);
	event = syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
	ASSERT_LE(0, event);
	ASSERT_EQ(0, vperfctr_control(self->fd, &all));
	usleep(50000);
	ASSERT_EQ(sizeof(before), read(event, &before, sizeof(before)));
	work(5000000);
	ASSERT_EQ(sizeof(after), read(event, &after, sizeof(after)));
	EXPECT_LT(before.enabled, after.enabled);
	EXPECT_EQ(before.running, after.running);
	EXPECT_EQ(before.value, after.value);
	/* After the counters are released the event continues. */
	ASSERT_EQ(0, vperfctr_unlink(self->fd));
	usleep(50000);
	work(5000000);
	ASSERT_EQ(sizeof(before), read(event, &before, sizeof(before)));
	EXPECT_LT(after.running, before.running);
	EXPECT_LT(after.value, before.value);
	close(event);
}

/* A pinned event moves to another counter, if there is one, when a control needs its counter. */
TEST_F(beside, pinned_makes_way)
{
	struct vperfctr_control control;
	unsigned long long mine;
	long long perf;
	int event = open_event(1, -1, 1);
	unsigned int map;

	if (!is_x86())
		SKIP(return, "only x86 has events that share no counter");
	ASSERT_LE(0, event);
	/* On either counter */
	for (map = 0; map < 2; map++) {
		control = one_counter(map);
		ASSERT_EQ(0, vperfctr_control(self->fd, &control));
		mine = sum_of(self->fd, 0);
		perf = count_of(event);
		ASSERT_LE(0, perf);
		work(1000000);
		perf = count_of(event) - perf;
		mine = sum_of(self->fd, 0) - mine;
		EXPECT_LE(2000000, mine);
		EXPECT_GE(2000000 + SLACK, mine);
		/* Cycles in which at least one instruction retires. */
		EXPECT_LT(0, perf);
		EXPECT_GE(2000000 + SLACK, perf);
	}
	close(event);
}

/*
 * Pinned events do not wait: a thread cannot take their counters. The control is stored, nothing
 * runs, and sums are what they were.
 */
TEST_F(beside, pinned_first)
{
	struct vperfctr_control control = instructions(0), stored;
	struct perfctr_sum_ctrs before, after;
	int fds[MAX_EVENTS], n;

	if (!is_x86())
		SKIP(return, "only x86 has events that share no counter");
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	work(1000000);
	control.cpu_control.nractrs = 0;
	control.cpu_control.tsc_on = 0;
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, vperfctr_read(self->fd, &before, NULL, NULL));
	ASSERT_LE(2000000, before.pmc[0]);

	n = pin_all(fds, -1);
	ASSERT_LT(0, n);
	control = instructions(0);
	EXPECT_EQ(-1, vperfctr_control(self->fd, &control));
	EXPECT_EQ(EBUSY, errno);
	EXPECT_EQ(0, self->page->cpu_state.cstatus);
	work(1000000);
	ASSERT_EQ(0, vperfctr_read(self->fd, &after, &stored, NULL));
	EXPECT_EQ(before.pmc[0], after.pmc[0]);
	EXPECT_EQ(0, memcmp(&control.cpu_control, &stored.cpu_control,
			    sizeof(control.cpu_control)));

	close_all(fds, n);
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	EXPECT_EQ(1, perfctr_cstatus_nrctrs(self->page->cpu_state.cstatus));
}

/*
 * A pinned event that is added gets the counters that it needs. The thread's are stopped until
 * the next control. The TSC continues; cstatus in the mapped page shows this.
 */
TEST_F(beside, pinned_second)
{
	struct perfctr_sum_ctrs before, after;
	struct vperfctr_control all;
	int event;
	long long perf;

	if (!is_x86())
		SKIP(return, "only x86 has events that share no counter");
	all = all_counters(self->fd, 0);
	ASSERT_EQ(0, vperfctr_control(self->fd, &all));
	work(1000000);
	event = open_event(1, -1, 1);
	ASSERT_LE(0, event);
	EXPECT_EQ(perfctr_mk_cstatus(1, 0, 0), self->page->cpu_state.cstatus);
	ASSERT_EQ(0, vperfctr_read(self->fd, &before, NULL, NULL));
	EXPECT_LE(2000000, before.pmc[0]);
	perf = count_of(event);
	EXPECT_LE(0, perf);
	work(1000000);
	EXPECT_LT(perf, count_of(event));
	ASSERT_EQ(0, vperfctr_read(self->fd, &after, NULL, NULL));
	EXPECT_EQ(before.pmc[0], after.pmc[0]);
	EXPECT_LT(before.tsc, after.tsc);
	EXPECT_EQ(-1, vperfctr_control(self->fd, &all));
	EXPECT_EQ(EBUSY, errno);
	close(event);
	EXPECT_EQ(0, vperfctr_control(self->fd, &all));
}

/*
 * A thread with all counters, on which the parent opens a pinned event. The thread sleeps until the
 * event is open, or runs all the time. Return: 0, or a description of the fault.
 */
static int lose_counters_to_parent(int from, int to, bool waits)
{
	const volatile struct vperfctr_state *page;
	struct vperfctr_control all;
	ssize_t n;
	int fd, i;
	char c;

	vperfctr_unlink(vperfctr_open(0, 0));
	fd = vperfctr_open(0, 1);
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (fd < 0 || page == MAP_FAILED)
		return 1;
	all = all_counters(fd, 0);
	if (vperfctr_control(fd, &all))
		return 2;
	if (!waits && fcntl(from, F_SETFL, O_NONBLOCK))
		return 3;
	if (write(to, "r", 1) != 1)
		return 3;
	while ((n = read(from, &c, 1)) < 0 && errno == EAGAIN)
		work(100000);
	if (n != 1)
		return 3;
	for (i = 0; i < 5000 && page->cpu_state.cstatus != perfctr_mk_cstatus(1, 0, 0); i++)
		work(100000);
	work(100000);
	return page->cpu_state.cstatus == perfctr_mk_cstatus(1, 0, 0) ? 0 : 4;
}

/*
 * So a thread cannot prevent a pinned event, which may be the administrator's, from counting.
 * The pinned event is first one of the thread, then one of its CPU.
 */
TEST_F(beside, pinned_watches)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = RAW_EVENT(1), .pinned = 1,
		.exclude_kernel = 1,
	};
	int to[2], from[2], whole, status, event;
	pid_t child;
	char c;

	if (!is_x86())
		SKIP(return, "only x86 has events that share no counter");
	for (whole = 0; whole < 2; whole++) {
		if (whole && (geteuid() || !has_two_cpus()))
			SKIP(return, "the CPU needs root, and another CPU");
		ASSERT_EQ(0, pipe(to));
		ASSERT_EQ(0, pipe(from));
		child = fork();
		ASSERT_LE(0, child);
		if (!child) {
			/* If the parent fails, the child reads an end of file. */
			close(to[1]);
			_exit(lose_counters_to_parent(to[0], from[1], !whole));
		}
		if (whole)
			ASSERT_EQ(0, stay_on(1));
		ASSERT_EQ(1, read(from[0], &c, 1));
		event = syscall(__NR_perf_event_open, &attr, whole ? -1 : child, whole ? 0 : -1,
				-1, 0);
		ASSERT_LE(0, event);
		ASSERT_EQ(1, write(to[1], "g", 1));
		ASSERT_EQ(child, waitpid(child, &status, 0));
		EXPECT_EQ(0, status);
		EXPECT_LT(0, count_of(event));
		close(event);
		close_all(to, 2);
		close_all(from, 2);
	}
}

/*
 * After an overflow, the thread cannot restart counters that pinned events have taken since.
 * EBUSY: perf's pinned events have the counters; the call can be retried.
 */
TEST_F(beside, pinned_after_overflow)
{
	struct vperfctr_control control = instructions(-100000);
	int fds[MAX_EVENTS], n;

	if (!is_x86())
		SKIP(return, "only x86 has events that share no counter");
	if (!has(PERFCTR_FEATURE_PCINT))
		SKIP(return, "no interrupts");
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	work(100000);
	n = pin_all(fds, -1);
	ASSERT_LT(0, n);
	EXPECT_EQ(-1, vperfctr_iresume(self->fd));
	EXPECT_EQ(EBUSY, errno);
	close_all(fds, n);
	EXPECT_EQ(0, vperfctr_iresume(self->fd));
	EXPECT_EQ(-1, vperfctr_iresume(self->fd));
	EXPECT_EQ(EPERM, errno);
}

/*
 * If a thread with counters moves to a CPU where pinned events have these counters, or if new
 * pinned events need them, the thread's counters are stopped until the next control. The TSC
 * continues; cstatus in the mapped page shows this.
 */
TEST_F(beside, pinned_elsewhere)
{
	struct vperfctr_control control = instructions(0);
	struct perfctr_sum_ctrs before, after;
	int fds[MAX_EVENTS], n;

	if (!is_x86())
		SKIP(return, "only x86 has events that share no counter");
	if (geteuid())
		SKIP(return, "needs root");
	if (!has_two_cpus())
		SKIP(return, "needs two CPUs");
	n = pin_all(fds, 1);
	ASSERT_LT(0, n);
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	work(1000000);
	ASSERT_EQ(0, stay_on(1));
	EXPECT_EQ(perfctr_mk_cstatus(1, 0, 0), self->page->cpu_state.cstatus);
	ASSERT_EQ(0, vperfctr_read(self->fd, &before, NULL, NULL));
	EXPECT_LE(2000000, before.pmc[0]);
	work(1000000);
	ASSERT_EQ(0, stay_on(0));
	work(1000000);
	ASSERT_EQ(0, vperfctr_read(self->fd, &after, NULL, NULL));
	EXPECT_EQ(before.pmc[0], after.pmc[0]);
	EXPECT_LT(before.tsc, after.tsc);
	control.preserve = 1;
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	work(1000000);
	ASSERT_EQ(0, vperfctr_read(self->fd, &after, NULL, NULL));
	EXPECT_LE(before.pmc[0] + 2000000, after.pmc[0]);
	EXPECT_GE(before.pmc[0] + 2000000 + SLACK, after.pmc[0]);
	close_all(fds, n);
}

#define ROUNDS	pe_rounds(200)

/*
 * Return the least number of general counters of an x86 CPU: 2 of a P6, 4 of AMD's CPUs, else the
 * number in CPUID leaf 10, less the counter that the administrator reserves for transactions.
 */
static unsigned int nr_general(void)
{
#if defined(__x86_64__) || defined(__i386__)
	FILE *file = fopen("/sys/bus/event_source/devices/cpu/allow_tsx_force_abort", "r");
	unsigned int a, b, c, d, allowed = 1;

	if (file && fscanf(file, "%u", &allowed) != 1)
		allowed = 1;
	if (file)
		fclose(file);
	if (is_p6())
		return 2;
	if (__get_cpuid(10, &a, &b, &c, &d) && (a >> 8 & 0xff))
		return (a >> 8 & 0xff) - !allowed;
#endif
	return 4;
}

/*
 * Does the CPU have counters for a thread, for a group of two, and for an event of a cgroup? Exit
 * if the thread cannot have as many counters as the CPU has.
 */
static bool has_counters_for_all(int fd)
{
	unsigned int n;

	if (!is_x86())
		return true;
	n = all_counters(fd, 0).cpu_control.nractrs;
	if (n >= 4)
		return true;
	if (n >= nr_general())
		return false;
	fprintf(stderr, "# only %u of %u counters\n", n, nr_general());
	exit(1);
}

/*
 * One of several processes that alternate on a CPU, each with a group of perf events, and with
 * counters of its own if @has_counters: both must be exact. Return: 0, or a description of the
 * fault.
 */
static int take_turns(bool has_counters, bool has_group)
{
	struct vperfctr_control control = instructions(0);
	unsigned long long mine = 0;
	long long perf = 0;
	int fd, leader = -1, member = -1, i;

	fd = vperfctr_open(0, 1);
	if (fd < 0)
		return 1;
	if (has_group) {
		leader = open_event(0, -1, 0);
		member = open_in(leader, 1);
		if (leader < 0 || member < 0)
			return 2;
	}
	if (has_counters && vperfctr_control(fd, &control))
		return 3;
	if (has_group)
		perf = count_of(leader);
	mine = sum_of(fd, 0);
	for (i = 0; i < ROUNDS; i++) {
		work(10000);
		sched_yield();
	}
	mine = sum_of(fd, 0) - mine;
	if (has_counters && (mine < ROUNDS * 20000 || mine > ROUNDS * (20000 + SLACK)))
		return 4;
	if (!has_group)
		return 0;
	perf = count_of(leader) - perf;
	if (perf < ROUNDS * 20000 || perf > ROUNDS * (20000 + SLACK))
		return 5;
	perf = count_of(member);
	return perf > 0 ? 0 : 6;
}

/* Perf events cannot use the counters of a thread while the thread runs. All counts are exact. */
TEST_F(beside, groups_over_switches)
{
	int i;

	if (!has_counters_for_all(self->fd))
		SKIP(return, "too few counters");
	for (i = 0; i < 4; i++) {
		if (fork())
			continue;
		/* Unlink the inherited object. */
		vperfctr_unlink(vperfctr_open(0, 0));
		_exit(take_turns(i != 2, i != 3));
	}
	EXPECT_EQ(4, nr_succeeded());
}

/* Open an event of a cgroup that needs sched_task of its PMU. Return: an fd, or -1. */
static int open_in_cgroup(const char *path)
{
	struct perf_event_attr attr = {
		.type			= PERF_TYPE_RAW,
		.size			= sizeof(attr),
		.config			= 0xc0,
		.sample_period		= 1000000,
		.sample_type		= PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type	= PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY,
		.exclude_kernel		= 1,
	};
	int event, dir = open(path, O_RDONLY | O_DIRECTORY);

	event = syscall(__NR_perf_event_open, &attr, dir, 0, -1, PERF_FLAG_PID_CGROUP);
	close(dir);
	return event;
}

static bool enter_cgroup(const char *path)
{
	char file[64];
	bool entered;
	int fd;

	snprintf(file, sizeof(file), "%s/cgroup.procs", path);
	fd = open(file, O_WRONLY);
	entered = write(fd, "0", 1) == 1;
	close(fd);
	return entered;
}

/* Is this an AMD CPU? Family 19h records only the branches of one event: EINVAL for others. */
static bool is_amd(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int a, b, c, d;

	return __get_cpuid(0, &a, &b, &c, &d) && b == signature_AMD_ebx;
#else
	return false;
#endif
}

/* The first half of a context switch schedules cgroup events in. All counts are exact. */
TEST_F(beside, cgroups_over_switches)
{
	static const char * const paths[] = { "/tmp/perfctr-cgroup/a", "/tmp/perfctr-cgroup/b" };
	const char *root = "/tmp/perfctr-cgroup";
	int i, events[2], err = 0;

	if (!is_x86())
		SKIP(return, "only x86 has events that share no counter");
	if (geteuid())
		SKIP(return, "needs root");
	if (!has_counters_for_all(self->fd))
		SKIP(return, "too few counters");
	mkdir(root, 0755);
	/* The controller is either in the v1 hierarchy or in the unified one. */
	if (mount("none", root, "cgroup", 0, "perf_event") &&
	    mount("none", root, "cgroup2", 0, NULL)) {
		ASSERT_EQ(ENODEV, errno);
		SKIP(return, "no cgroups");
	}
	for (i = 0; i < 2; i++) {
		mkdir(paths[i], 0755);
		events[i] = open_in_cgroup(paths[i]);
		err = events[i] < 0 ? errno : err;
	}
	for (i = 0; i < 4 && events[1] >= 0; i++) {
		if (fork())
			continue;
		vperfctr_unlink(vperfctr_open(0, 0));
		if (!enter_cgroup(paths[i & 1]))
			_exit(7);
		_exit(take_turns(i < 3, i == 2));
	}
	EXPECT_EQ(events[1] < 0 ? 0 : 4, nr_succeeded());
	for (i = 0; i < 2; i++) {
		if (events[1] >= 0)
			EXPECT_LT(0, count_of(events[i]));
		close(events[i]);
		rmdir(paths[i]);
	}
	umount(root);
	rmdir(root);
	if (!err)
		return;
	ASSERT_TRUE(err == EOPNOTSUPP || (err == EINVAL && is_amd()))
		TH_LOG("error %d", err);
	SKIP(return, "no branch records");
}

/*
 * A program without the right to count in the kernel cannot open an object that counts in the
 * kernel, or has done so: a child with fewer rights than its parent gets EPERM, even after the
 * object's counters were stopped.
 */
TEST_F(beside, stopped_with_less_rights)
{
	struct vperfctr_control control = instructions(0);
	int fds[MAX_EVENTS], n, before, status;
	pid_t child;

	if (!is_x86())
		SKIP(return, "only x86 has events that share no counter");
	if (geteuid())
		SKIP(return, "needs root");
	if (!has_two_cpus())
		SKIP(return, "needs two CPUs");
	before = set_number(PARANOID, 2);
	n = pin_all(fds, 1);
	ASSERT_LT(0, n);
	/* Without the TSC nothing is enabled. */
	control.cpu_control.tsc_on = 0;
	control.cpu_control.evntsel[0] |= SELECT_KERNEL;
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		if (stay_on(1) || setgid(NOBODY) || setuid(NOBODY))
			_exit(98);
		_exit(vperfctr_open(0, 0) != -1 || errno != EPERM);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	close_all(fds, n);
	set_number(PARANOID, before);
}

/*
 * The NMI watchdog is a pinned event; it moves to a free counter, and a control that leaves no
 * counter free is EBUSY.
 */
TEST_F(beside, watchdog)
{
	struct vperfctr_control all, most;
	unsigned long long mine;

	if (!is_x86())
		SKIP(return, "only x86 has events that share no counter");
	if (self->watchdog < 0)
		SKIP(return, "no watchdog, or no right to it");
	all = all_counters(self->fd, 1);
	EXPECT_EQ(0, vperfctr_control(self->fd, &all));
	EXPECT_EQ(0, vperfctr_unlink(self->fd));
	close(self->fd);
	self->fd = vperfctr_open(0, 1);
	ASSERT_LE(0, self->fd);
	/* The watchdog does not report that it has no counter. */
	ASSERT_LE(0, set_number(WATCHDOG, 1));
	ASSERT_EQ(1, set_number(WATCHDOG, -1));
	EXPECT_EQ(-1, vperfctr_control(self->fd, &all));
	EXPECT_EQ(EBUSY, errno);
	/* Leave the first counter to the watchdog. */
	most = all;
	most.cpu_control.nractrs--;
	memmove(most.cpu_control.pmc_map, most.cpu_control.pmc_map + 1,
		sizeof(most.cpu_control.pmc_map) - sizeof(most.cpu_control.pmc_map[0]));
	memmove(most.cpu_control.evntsel, most.cpu_control.evntsel + 1,
		sizeof(most.cpu_control.evntsel) - sizeof(most.cpu_control.evntsel[0]));
	EXPECT_EQ(0, vperfctr_control(self->fd, &most));
	mine = sum_of(self->fd, 0);
	work(1000000);
	mine = sum_of(self->fd, 0) - mine;
	EXPECT_LE(2000000, mine);
	EXPECT_GE(2000000 + SLACK, mine);
	set_number(WATCHDOG, 0);
}

/* Six counters of POWER: instructions, on PMC6 cycles */
static struct vperfctr_control six_counters(void)
{
	struct vperfctr_control all = { .cpu_control = { .tsc_on = 1, .nractrs = 6 } };
	unsigned int i;

	for (i = 0; i < 6; i++)
		set_counter(&all.cpu_control, i, i + 1,
			    i == 4 ? 0x500fa : i == 5 ? 0x600f4 : INSTRUCTIONS);
	return all;
}

/*
 * On POWER, too, an event waits, or takes the counters if it is pinned. A pinned event that was
 * first keeps its counter.
 */
TEST_F(beside, six_counters)
{
	struct vperfctr_control all = six_counters();
	struct perfctr_sum_ctrs before, after;
	long long perf;
	unsigned int i;
	int event;

	if (is_x86())
		SKIP(return, "this CPU has other counters");
	ASSERT_EQ(0, vperfctr_control(self->fd, &all));
	ASSERT_EQ(0, vperfctr_read(self->fd, &before, NULL, NULL));
	work(1000000);
	ASSERT_EQ(0, vperfctr_read(self->fd, &after, NULL, NULL));
	for (i = 0; i < 5; i++) {
		EXPECT_LE(2000000, after.pmc[i] - before.pmc[i]);
		EXPECT_GE(at_most(2000000), after.pmc[i] - before.pmc[i]);
	}
	EXPECT_LT(before.pmc[5], after.pmc[5]);
	event = open_event(0, -1, 0);
	ASSERT_LE(0, event);
	work(100000);
	EXPECT_EQ(0, count_of(event));
	EXPECT_EQ(perfctr_mk_cstatus(1, 6, 0), self->page->cpu_state.cstatus);
	close(event);

	event = open_event(0, -1, 1);
	ASSERT_LE(0, event);
	EXPECT_EQ(perfctr_mk_cstatus(1, 0, 0), self->page->cpu_state.cstatus);
	ASSERT_EQ(0, vperfctr_read(self->fd, &before, NULL, NULL));
	EXPECT_LE(2200000, before.pmc[0]);
	perf = count_of(event);
	EXPECT_LE(0, perf);
	work(1000000);
	perf = count_of(event) - perf;
	EXPECT_LE(2000000, perf);
	EXPECT_GE(at_most(2000000), perf);
	ASSERT_EQ(0, vperfctr_read(self->fd, &after, NULL, NULL));
	for (i = 0; i < 6; i++)
		EXPECT_EQ(before.pmc[i], after.pmc[i]);
	EXPECT_LT(before.tsc, after.tsc);

	EXPECT_EQ(-1, vperfctr_control(self->fd, &all));
	EXPECT_EQ(EBUSY, errno);
	EXPECT_EQ(0, self->page->cpu_state.cstatus);
	/* PMC5 counts instructions, too: the event moves to it. */
	all.cpu_control.nractrs = 4;
	EXPECT_EQ(0, vperfctr_control(self->fd, &all));
	close(event);
	all.cpu_control.nractrs = 6;
	EXPECT_EQ(0, vperfctr_control(self->fd, &all));
}

/* All counters of a CPU count at the same time. Each count is exact. */
TEST_F(beside, all)
{
	struct perfctr_sum_ctrs before, after;
	struct vperfctr_control all;
	unsigned int i;

	if (!is_x86())
		SKIP(return, "only x86 has events that share no counter");
	all = all_counters(self->fd, 0);
	ASSERT_LT(0, all.cpu_control.nractrs);
	ASSERT_EQ(0, vperfctr_control(self->fd, &all));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, vperfctr_read(self->fd, &before, NULL, NULL));
		work(1000000 << i);
		ASSERT_EQ(0, vperfctr_read(self->fd, &after, NULL, NULL));
	}
	TH_LOG("%u counters", all.cpu_control.nractrs);
	for (i = 0; i < all.cpu_control.nractrs; i++) {
		EXPECT_LE(4000000, after.pmc[i] - before.pmc[i]);
		EXPECT_GE(4000000 + SLACK, after.pmc[i] - before.pmc[i]);
	}
}

TEST_HARNESS_MAIN
