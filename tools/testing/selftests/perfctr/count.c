// SPDX-License-Identifier: GPL-2.0
/*
 * Counts: of known work, by the call and by the page; of threads that are switched, of
 * children; overflows; beside perf.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "perfctr.h"

/* What reading twice counts besides the work between the reads. */
#define SLACK	2000

FIXTURE(count) {
	int fd;
};

FIXTURE_SETUP(count)
{
	if (!has(PERFCTR_FEATURE_RDPMC))
		SKIP(return, "no counters");
	self->fd = vperfctr_open(0, 1);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(count)
{
	vperfctr_unlink(self->fd);
	close(self->fd);
}

static unsigned long long counted(int fd, unsigned int n)
{
	struct perfctr_sum_ctrs a, b;

	vperfctr_read(fd, &a, NULL, NULL);
	work(n);
	vperfctr_read(fd, &b, NULL, NULL);
	return b.pmc[0] - a.pmc[0];
}

/* A counter counts what the thread does, exactly where the CPU does. */
TEST_F(count, exact)
{
	struct vperfctr_control control = instructions(0);
	unsigned long long once, twice;

	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	once = counted(self->fd, 1000000);
	twice = counted(self->fd, 2000000);
	EXPECT_EQ(2000000, twice - once);
}

/* Counters that are not enabled keep their sums; those with their preserve bit do, too. */
TEST_F(count, preserve)
{
	struct vperfctr_control control = instructions(0);
	struct perfctr_sum_ctrs sums;

	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	work(1000000);
	control.preserve = 1;
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, vperfctr_read(self->fd, &sums, NULL, NULL));
	EXPECT_LE(2000000, sums.pmc[0]);
	control.preserve = 0;
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, vperfctr_read(self->fd, &sums, NULL, NULL));
	EXPECT_GT(SLACK, sums.pmc[0]);
	EXPECT_LT(0, sums.tsc);
}

/* Where there is no such instruction, threads have no counters, and the tests are skipped. */
static unsigned int rdpmc(unsigned int map)
{
	unsigned int low = 0;

#if defined(__x86_64__) || defined(__i386__)
	unsigned int high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (map));
#endif
	return low;
}

static unsigned long long by_page(const volatile struct vperfctr_state *page)
{
	unsigned int tsc, now, start;
	unsigned long long sum;

	do {
		tsc = page->cpu_state.tsc_start;
		now = rdpmc(page->cpu_state.pmc[0].map);
		start = page->cpu_state.pmc[0].start;
		sum = page->cpu_state.pmc[0].sum;
	} while (tsc != page->cpu_state.tsc_start);
	return sum + (now - start);
}

/* The value of a counter is computed from the page, also across switches. */
TEST_F(count, page)
{
	struct vperfctr_control control = instructions(0);
	const volatile struct vperfctr_state *page;
	unsigned long long before, now;
	int i;

	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	EXPECT_EQ(0, page->cpu_state.cstatus);
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	EXPECT_TRUE(perfctr_cstatus_has_tsc(page->cpu_state.cstatus));
	EXPECT_EQ(1, perfctr_cstatus_nrctrs(page->cpu_state.cstatus));
	for (i = 0; i < 50; i++) {
		before = by_page(page);
		work(10000);
		if (i & 1)
			usleep(1000);
		now = by_page(page);
		ASSERT_LE(20000, now - before);
		ASSERT_GE(20000 + SLACK, now - before);
	}
	munmap((void *)page, sysconf(_SC_PAGESIZE));
}

/* Threads on one CPU count each their own, on whatever CPUs they are. */
TEST_F(count, switches)
{
	struct vperfctr_control control = instructions(0);
	struct perfctr_sum_ctrs sums;
	int i, status, failed = 0;

	for (i = 0; i < 4; i++) {
		if (fork())
			continue;
		/* The object is a new one. */
		self->fd = vperfctr_open(0, 0);
		if (vperfctr_control(self->fd, &control))
			_exit(1);
		for (i = 0; i < 200; i++) {
			work(10000);
			sched_yield();
		}
		vperfctr_read(self->fd, &sums, NULL, NULL);
		_exit(sums.pmc[0] < 4000000 || sums.pmc[0] > 4000000 + 200 * SLACK ? 2 : 0);
	}
	while (wait(&status) > 0)
		failed |= status;
	EXPECT_EQ(0, failed);
}

/* Children inherit the control, and what they have counted is added when they are reaped. */
TEST_F(count, children)
{
	struct vperfctr_control control = instructions(0);
	struct perfctr_sum_ctrs sums;
	int i;

	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	for (i = 0; i < 100; i++) {
		pid_t child = fork();

		ASSERT_LE(0, child);
		if (!child) {
			work(100000);
			_exit(0);
		}
		ASSERT_EQ(child, waitpid(child, NULL, 0));
	}
	ASSERT_EQ(0, vperfctr_read(self->fd, NULL, NULL, &sums));
	EXPECT_LE(100 * 200000, sums.pmc[0]);
	EXPECT_GE(100 * (200000 + 4 * SLACK), sums.pmc[0]);
	EXPECT_LT(0, sums.tsc);
	/* A new control has a new identity: the old children are nobody's. */
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, vperfctr_read(self->fd, NULL, NULL, &sums));
	EXPECT_EQ(0, sums.pmc[0]);
}

/* A child that has unmapped the page reads no counters any more, its parent does. */
TEST_F(count, unmapped_by_child)
{
	struct vperfctr_control control = instructions(0);
	const volatile struct vperfctr_state *page;
	size_t size = sysconf(_SC_PAGESIZE);
	int status;
	pid_t child;

	page = mmap(NULL, size, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		signal(SIGSEGV, SIG_DFL);
		rdpmc(0);
		munmap((void *)page, size);
		rdpmc(0);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(SIGSEGV, WTERMSIG(status));
	EXPECT_LT(0, by_page(page));
	munmap((void *)page, size);
}

/*
 * Processes that can read counters do not see what others have counted: these are cleared
 * between them, and what one ends with is not what the next one begins with.
 */
TEST_F(count, mapped_by_both)
{
	struct vperfctr_control control = instructions(0);
	struct perfctr_sum_ctrs sums, children;
	int there[2], back[2], i, status;
	char byte = 0;
	pid_t child;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(one), &one));
	ASSERT_EQ(0, pipe(there));
	ASSERT_EQ(0, pipe(back));
	ASSERT_NE(MAP_FAILED,
		  mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd, 0));
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	child = fork();
	ASSERT_LE(0, child);
	for (i = 0; i < 100; i++) {
		if (child)
			work(1000);
		else if (read(there[0], &byte, 1) != 1)
			_exit(1);
		if (write(child ? there[1] : back[1], &byte, 1) != 1)
			_exit(2);
		if (child)
			ASSERT_EQ(1, read(back[0], &byte, 1));
	}
	if (!child)
		_exit(0);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, vperfctr_read(self->fd, &sums, NULL, &children));
	TH_LOG("%llu, and the child %llu", sums.pmc[0], children.pmc[0]);
	EXPECT_LE(200 * 1000, sums.pmc[0]);
	EXPECT_GT(1000 * 1000, sums.pmc[0]);
	EXPECT_GT(1000 * 1000, children.pmc[0]);
}

static volatile int signals;
static volatile unsigned int mask;
static volatile int code;
static int the_fd;

static void on_overflow(int sig, siginfo_t *info, void *context)
{
	signals++;
	code = info->si_code;
	mask = info->si_pmc_ovf_mask;
	vperfctr_iresume(the_fd);
}

/* Each overflow sends one signal, with the mask of counters; iresume lets them go on. */
TEST_F(count, overflow)
{
	struct sigaction action = { .sa_sigaction = on_overflow, .sa_flags = SA_SIGINFO };
	struct vperfctr_control control = instructions(-1000000);
	struct perfctr_sum_ctrs sums;

	if (!has(PERFCTR_FEATURE_PCINT))
		SKIP(return, "no interrupts");
	the_fd = self->fd;
	control.si_signo = SIGUSR1;
	sigaction(SIGUSR1, &action, NULL);
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	work(5250000);
	memset(&control, 0, sizeof(control));
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	EXPECT_EQ(10, signals);
	EXPECT_EQ(1, mask);
	EXPECT_EQ(SI_PMC_OVF, code);
	ASSERT_EQ(0, vperfctr_read(self->fd, &sums, NULL, NULL));
	EXPECT_LE(10500000, sums.pmc[0]);
	EXPECT_GE(10500000 + 20 * SLACK, sums.pmc[0]);
	EXPECT_EQ(-1, vperfctr_iresume(self->fd));
	EXPECT_EQ(EPERM, errno);
}

static int open_perf(unsigned int type, unsigned long long config)
{
	struct perf_event_attr attr = {
		.type = type, .size = sizeof(attr), .config = config, .exclude_kernel = 1,
	};

	return syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
}

/* Perf's events of the same thread count beside, both right. */
TEST_F(count, beside_perf)
{
	struct vperfctr_control control = instructions(0);
	unsigned long long before, after;
	int perf = open_perf(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

	if (perf < 0)
		SKIP(return, "no hardware events");
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(8, read(perf, &before, 8));
	EXPECT_LE(2000000, counted(self->fd, 1000000));
	ASSERT_EQ(8, read(perf, &after, 8));
	EXPECT_LE(2000000, after - before);
	EXPECT_GE(2000000 + SLACK, after - before);
	usleep(10000);
	EXPECT_GE(2000000 + SLACK, counted(self->fd, 1000000));
	close(perf);
}

TEST_HARNESS_MAIN
