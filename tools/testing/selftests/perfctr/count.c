// SPDX-License-Identifier: GPL-2.0
/*
 * Counts of known work, by system call and by the page: of threads that are switched, migrated, or
 * run for long, and of children.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "../kselftest_harness.h"
#include "beside.h"

FIXTURE(count) {
	int fd, watchdog;
};

FIXTURE_SETUP(count)
{
	if (!has_counters())
		SKIP(return, "no counters");
	self->fd = vperfctr_open(0, 1);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(count)
{
	vperfctr_unlink(self->fd);
	close(self->fd);
	if (self->watchdog > 0)
		set_number(WATCHDOG, self->watchdog);
}

static unsigned long long counted(int fd, unsigned int n)
{
	struct perfctr_sum_ctrs a, b;

	vperfctr_read(fd, &a, NULL, NULL);
	work(n);
	vperfctr_read(fd, &b, NULL, NULL);
	return b.pmc[0] - a.pmc[0];
}

/*
 * A thread can have performance counters of its own, just as it has registers: they count
 * exactly where the CPU does. Counter i of the control is counter pmc_map[i] of the CPU, by the
 * number that RDPMC uses; it counts evntsel[i], and an i-mode counter starts at ireset[i].
 */
TEST_F(count, exact)
{
	struct vperfctr_control control = instructions(0);
	unsigned long long once = ~0ULL, twice = ~0ULL, n;
	int i;

	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	/* A tick may count as well, but not in each iteration. */
	for (i = 0; i < 10; i++) {
		n = counted(self->fd, 100000);
		once = n < once ? n : once;
		n = counted(self->fd, 200000);
		twice = n < twice ? n : twice;
	}
	EXPECT_EQ(200000, twice - once);
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

/*
 * A refused control is stored, too: the counters and the TSC are stopped, the sums of counters do
 * not change, and vperfctr_read returns the refused control.
 */
TEST_F(count, refused)
{
	struct vperfctr_control control = instructions(0), shown;
	struct perfctr_sum_ctrs before, after;

	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	work(1000000);
	control.cpu_control.nractrs = 2;
	control.cpu_control.pmc_map[1] = control.cpu_control.pmc_map[0];
	control.cpu_control.evntsel[1] = control.cpu_control.evntsel[0];
	EXPECT_EQ(-1, vperfctr_control(self->fd, &control));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_EQ(0, vperfctr_read(self->fd, &before, &shown, NULL));
	EXPECT_EQ(2, shown.cpu_control.nractrs);
	EXPECT_LE(2000000, before.pmc[0]);
	work(1000);
	ASSERT_EQ(0, vperfctr_read(self->fd, &after, NULL, NULL));
	EXPECT_EQ(before.pmc[0], after.pmc[0]);
	EXPECT_EQ(before.tsc, after.tsc);
}

/* Counters that a control does not have keep their sums. The sum of a disabled TSC is zero. */
TEST_F(count, kept_sums)
{
	struct vperfctr_control control = instructions(0);
	struct perfctr_sum_ctrs before, after;
	int err;

	control.cpu_control.nractrs = 2;
	set_counter(&control.cpu_control, 1, 1, INSTRUCTIONS);
	self->watchdog = set_number(WATCHDOG, 0);
	err = vperfctr_control(self->fd, &control) ? errno : 0;
	/* Only root can switch the watchdog off. */
	if (err == EBUSY && geteuid())
		SKIP(return, "the watchdog may have one of two counters");
	ASSERT_EQ(0, err);
	work(1000000);
	control.cpu_control.nractrs = 0;
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, vperfctr_read(self->fd, &before, NULL, NULL));
	EXPECT_LE(2000000, before.pmc[1]);
	control.cpu_control.tsc_on = 0;
	control.cpu_control.nractrs = 1;
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	work(SLACK);
	ASSERT_EQ(0, vperfctr_read(self->fd, &after, NULL, NULL));
	EXPECT_EQ(before.pmc[1], after.pmc[1]);
	EXPECT_GT(before.pmc[0], after.pmc[0]);
	EXPECT_EQ(0, after.tsc);
	/* A control that enables nothing keeps all sums. */
	control.cpu_control.nractrs = 0;
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, vperfctr_read(self->fd, &after, NULL, NULL));
	EXPECT_LE(2 * SLACK, after.pmc[0]);
	EXPECT_EQ(before.pmc[1], after.pmc[1]);
	/* Each counter has a preserve bit of its own. */
	control.cpu_control.nractrs = 2;
	control.preserve = 2;
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, vperfctr_read(self->fd, &after, NULL, NULL));
	EXPECT_GT(SLACK, after.pmc[0]);
	EXPECT_LE(before.pmc[1], after.pmc[1]);
	EXPECT_GE(before.pmc[1] + SLACK, after.pmc[1]);
}

/*
 * Is this a CPU of AMD's families 10h to 14h, in which counters of several cores count the events
 * of one northbridge? Family 15h has other counters for these events.
 */
static bool shares_northbridge(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int a, b, c, d, family;

	if (!__get_cpuid(0, &a, &b, &c, &d) || b != signature_AMD_ebx)
		return false;
	__cpuid(1, a, b, c, d);
	family = (a >> 8 & 0xf) + (a >> 20 & 0xff);
	return (a >> 8 & 0xf) == 0xf && family >= 0x10 && family < 0x15;
#else
	return false;
#endif
}

/*
 * Northbridge events (0xe0 to 0xff) of a thread are EPERM on AMD CPUs of families 10h to 14h, and
 * of family 0fh with several cores.
 */
TEST_F(count, northbridge)
{
	struct vperfctr_control control = instructions(0);
	unsigned int event;

	if (!shares_northbridge())
		SKIP(return, "this CPU counts no events of a shared northbridge");
	for (event = 0xe0; event <= 0xff; event++) {
		set_counter(&control.cpu_control, 0, 0, event | SELECT_USER | SELECT_ENABLE);
		EXPECT_EQ(-1, vperfctr_control(self->fd, &control));
		EXPECT_EQ(EPERM, errno);
	}
}

static unsigned long long by_page(const volatile struct vperfctr_state *page)
{
	unsigned int tsc, now, start;
	unsigned long long sum;

	do {
		tsc = page->cpu_state.tsc_start;
		now = read_counter(page->cpu_state.pmc[0].map);
		start = page->cpu_state.pmc[0].start;
		sum = page->cpu_state.pmc[0].sum;
	} while (tsc != page->cpu_state.tsc_start);
	return sum + (now - start);
}

/*
 * The thread chooses the counters and the event selects, and reads the counts from a mapped
 * page, without a system call. Counter i is:: so the TSC has to be enabled. So it is across
 * switches, too. Up to POWER9, a program reads PMC1 to PMC6 by mfspr from the registers 771 to
 * 776, also without a mapped page.
 */
TEST_F(count, page)
{
	struct vperfctr_control control = instructions(0);
	const volatile struct vperfctr_state *page;
	unsigned long long before, now;
	int i;

	if (!has(PERFCTR_FEATURE_RDPMC))
		SKIP(return, "programs cannot read counters");
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

/* They count while the thread runs, on any CPU, and are stopped while it does not run. */
TEST_F(count, switches)
{
	struct vperfctr_control control = instructions(0);
	struct perfctr_sum_ctrs sums;
	int i;

	/* The threads take turns on a CPU. */
	ASSERT_EQ(0, stay_on(0));
	for (i = 0; i < 4; i++) {
		if (fork())
			continue;
		/* The fork has created a new object. */
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
	EXPECT_EQ(4, nr_succeeded());
}

/* Where a thread runs makes no difference. */
TEST_F(count, moves)
{
	struct vperfctr_control control = instructions(0);
	unsigned long long once = 0, twice = 0;
	struct perfctr_sum_ctrs sums;
	int i, n;

	if (!has_two_cpus())
		SKIP(return, "needs two CPUs");
	for (n = 1; n <= 2; n++) {
		ASSERT_EQ(0, vperfctr_control(self->fd, &control));
		for (i = 0; i < 100; i++) {
			if (stay_on(i & 1))
				break;
			work(n * 10000);
		}
		ASSERT_EQ(100, i);
		ASSERT_EQ(0, vperfctr_read(self->fd, &sums, NULL, NULL));
		once = n == 1 ? sums.pmc[0] : once;
		twice = sums.pmc[0];
	}
	/* Real CPUs may count one more for an interrupt: allow one in each round. */
	EXPECT_GE(100 * (UNCERTAIN + 1), llabs((long long)(twice - once) - 100 * 20000));
}

static long nr_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw + usage.ru_nvcsw;
}

/* Counters are 32 bits wide here; they are sampled every hundredth of a second. */
TEST_F(count, samples)
{
	struct vperfctr_control control = instructions(0);
	struct sched_param first = { .sched_priority = 1 };
	const volatile struct vperfctr_state *page;
	unsigned long long sum;
	int i, samples = 0;
	time_t from;
	long before;

	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	/* On a loaded machine other tasks could run between two samples. This needs privilege. */
	sched_setscheduler(0, SCHED_FIFO, &first);
	for (i = 0; i < 50 && samples < 2; i++) {
		before = nr_switches();
		from = time(NULL);
		sum = page->cpu_state.pmc[0].sum;
		while (page->cpu_state.pmc[0].sum == sum && time(NULL) - from < 10)
			work(10000);
		/* Otherwise a switch may have updated the sum. */
		samples += page->cpu_state.pmc[0].sum != sum && nr_switches() == before;
	}
	EXPECT_EQ(2, samples);
	munmap((void *)page, sysconf(_SC_PAGESIZE));
}

/* A tracer counts what a thread does between two of its stops. */
TEST_F(count, traced)
{
	struct vperfctr_control control = instructions(0);
	struct perfctr_sum_ctrs sums, last = { .tsc = 0 };
	int fd, status, i;
	pid_t child;

	ASSERT_EQ(0, vperfctr_unlink(self->fd));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		/* If an assertion fails, nothing else kills this child. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		for (i = 0; i < 4; i++) {
			raise(SIGSTOP);
			work(i * 10000);
		}
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	fd = vperfctr_open(child, 1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, vperfctr_control(fd, &control));
	for (i = 0; i < 4; i++) {
		unsigned long long n;

		ASSERT_EQ(0, vperfctr_read(fd, &sums, NULL, NULL));
		n = sums.pmc[0] - last.pmc[0];
		/* Count of the work in the round before the last stop */
		if (i > 1) {
			EXPECT_LE((i - 1) * 20000, n);
			EXPECT_GE((i - 1) * 20000 + SLACK, n);
		}
		last = sums;
		ASSERT_EQ(0, ptrace(PTRACE_CONT, child, 0, 0));
		ASSERT_EQ(child, waitpid(child, &status, 0));
	}
	ASSERT_TRUE(WIFEXITED(status));
	close(fd);
}

/* Children inherit the control, and what they have counted is added when they are reaped. */
TEST_F(count, children)
{
	struct vperfctr_control control = instructions(0);
	struct perfctr_sum_ctrs sums;
	int i, err;

	control.cpu_control.nractrs = 2;
	set_counter(&control.cpu_control, 1, 1, INSTRUCTIONS);
	self->watchdog = set_number(WATCHDOG, 0);
	err = vperfctr_control(self->fd, &control) ? errno : 0;
	/* Only root can switch the watchdog off. */
	if (err == EBUSY && geteuid())
		SKIP(return, "the watchdog may have one of two counters");
	ASSERT_EQ(0, err);
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
	for (i = 0; i < 2; i++) {
		EXPECT_LE(100 * 200000, sums.pmc[i]);
		EXPECT_GE(100 * (200000 + 4 * SLACK), sums.pmc[i]);
	}
	EXPECT_LT(0, sums.tsc);
	/* A new control has a new identity: counts of the old children are added to no parent. */
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, vperfctr_read(self->fd, NULL, NULL, &sums));
	EXPECT_EQ(0, sums.pmc[0] | sums.pmc[1]);
}

static sigjmp_buf refused;

static void on_segv(int sig)
{
	siglongjmp(refused, 1);
}

/* May this process read counters? */
static bool may_rdpmc(void)
{
	volatile bool may = false;

	signal(SIGSEGV, on_segv);
	if (!sigsetjmp(refused, 1)) {
		read_counter(0);
		may = true;
	}
	signal(SIGSEGV, SIG_DFL);
	return may;
}

/* Can programs read counters without a mapping, too? */
static bool always_rdpmc(void)
{
#ifdef __powerpc__
	return may_rdpmc();
#else
	return false;
#endif
}

static void *map(int fd)
{
	return mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
}

/* Check the reads of a child that has its parent's mapping and file, and an object of its own. */
static int child_reads(int fd, const volatile struct vperfctr_state *page, unsigned int cstatus)
{
	size_t size = sysconf(_SC_PAGESIZE);
	void *own;

	if (may_rdpmc() || page->cpu_state.cstatus != cstatus)
		return 1;
	munmap((void *)page, size);
	page = map(fd);
	if (page == MAP_FAILED || may_rdpmc() || page->cpu_state.cstatus != cstatus)
		return 2;
	own = map(vperfctr_open(0, 0));
	if (own == MAP_FAILED || !may_rdpmc())
		return 3;
	/* munmap() of a page that did not allow RDPMC does not take the right away. */
	munmap((void *)page, size);
	if (!may_rdpmc())
		return 4;
	own = mremap(own, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, page);
	if (own == MAP_FAILED || !may_rdpmc())
		return 5;
	munmap(own, size);
	return may_rdpmc() ? 6 : 0;
}

/*
 * A mapping allows a process to read counters if the object's thread belongs to that process at
 * the time of mmap. A mapping that a fork has copied, and a mapping of a file from another
 * process, give access only to the page.
 */
TEST_F(count, not_the_owners)
{
	struct vperfctr_control control = instructions(0);
	const volatile struct vperfctr_state *page;
	int status;
	pid_t child;

	if (!has(PERFCTR_FEATURE_RDPMC))
		SKIP(return, "programs cannot read counters");
	if (always_rdpmc())
		SKIP(return, "all programs can read counters on this CPU");
	EXPECT_FALSE(may_rdpmc());
	page = map(self->fd);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	EXPECT_TRUE(may_rdpmc());
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(child_reads(self->fd, page, page->cpu_state.cstatus));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(may_rdpmc());
	/* An unlinked object has no owner. */
	munmap((void *)page, sysconf(_SC_PAGESIZE));
	EXPECT_FALSE(may_rdpmc());
	ASSERT_EQ(0, vperfctr_unlink(self->fd));
	page = map(self->fd);
	ASSERT_NE(MAP_FAILED, page);
	EXPECT_FALSE(may_rdpmc());
	munmap((void *)page, sysconf(_SC_PAGESIZE));
}

/* A child that has unmapped its page cannot read counters, but its parent still can. */
TEST_F(count, unmapped_by_child)
{
	struct vperfctr_control control = instructions(0);
	const volatile struct vperfctr_state *page;
	int status;
	pid_t child;
	void *own;

	if (!has(PERFCTR_FEATURE_RDPMC))
		SKIP(return, "programs cannot read counters");
	if (always_rdpmc())
		SKIP(return, "all programs can read counters on this CPU");
	page = map(self->fd);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		own = map(vperfctr_open(0, 0));
		if (own == MAP_FAILED || !may_rdpmc())
			_exit(1);
		munmap(own, sysconf(_SC_PAGESIZE));
		_exit(may_rdpmc() ? 2 : 0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_LT(0, by_page(page));
	munmap((void *)page, sysconf(_SC_PAGESIZE));
}

/*
 * Processes that can read counters do not see the counts of others: the counters are
 * cleared in between, and the end value of one process is not the start value of the next
 * one.
 */
TEST_F(count, mapped_by_both)
{
	struct vperfctr_control control = instructions(0);
	struct perfctr_sum_ctrs sums, children;
	int there[2], back[2], i, status;
	char byte = 0;
	pid_t child;

	ASSERT_EQ(0, stay_on(0));
	ASSERT_EQ(0, pipe(there));
	ASSERT_EQ(0, pipe(back));
	ASSERT_NE(MAP_FAILED, map(self->fd));
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	child = fork();
	ASSERT_LE(0, child);
	if (!child && map(vperfctr_open(0, 0)) == MAP_FAILED)
		_exit(3);
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
	TH_LOG("%llu, and the child %llu", (unsigned long long)sums.pmc[0],
	       (unsigned long long)children.pmc[0]);
	EXPECT_LE(200 * 1000, sums.pmc[0]);
	EXPECT_GT(500 * SLACK, sums.pmc[0]);
	EXPECT_GT(500 * SLACK, children.pmc[0]);
}

/**
 * struct other - another process, which answers requests
 * @ask: pipe of requests, one byte each
 * @answer: pipe of answers
 */
struct other {
	int	ask;
	int	answer;
};

/*
 * Start a process on a CPU, with an object that has nothing enabled. It calls @answer for each
 * byte.
 */
static struct other start_other(int cpu, unsigned int (*answer)(void *), void *arg)
{
	struct other other = { -1, -1 };
	int there[2], back[2];
	unsigned int value;
	char byte;
	pid_t pid;

	if (pipe(there) || pipe(back))
		return other;
	pid = fork();
	if (!pid) {
		close(there[1]);
		if (stay_on(cpu))
			_exit(1);
		while (read(there[0], &byte, 1) == 1) {
			value = answer(arg);
			if (write(back[1], &value, sizeof(value)) != sizeof(value))
				break;
		}
		_exit(0);
	}
	close(there[0]);
	close(back[1]);
	other.ask = there[1];
	other.answer = back[0];
	return other;
}

static unsigned int ask(const struct other *other)
{
	unsigned int value = 0;
	char byte = 0;

	if (write(other->ask, &byte, 1) != 1 ||
	    read(other->answer, &value, sizeof(value)) != sizeof(value))
		return -1;
	return value;
}

/* Work of another process, on the CPU of the thread that asks for it */
static unsigned int stranger(void *unused)
{
	work(5000000);
	return 0;
}

/* As stranger(), with counters that stay enabled while the process waits */
static unsigned int counting_stranger(void *unused)
{
	struct vperfctr_control control = instructions(0);
	int fd = vperfctr_open(0, 0);

	if (fd < 0 || vperfctr_control(fd, &control))
		return 1;
	work(5000000);
	close(fd);
	return 0;
}

/*
 * A counter may still hold a count of another thread: the kernel clears it before it runs a
 * process that can read counters, and reports its value to no other process. A counter
 * that the process used itself, and released, does not count.
 */
TEST_F(count, given_back)
{
	struct vperfctr_control control = instructions(0);
	struct other others[2];
	unsigned int before;
	int i;

	if (!has(PERFCTR_FEATURE_RDPMC))
		SKIP(return, "programs cannot read counters");
	ASSERT_EQ(0, stay_on(0));
	others[0] = start_other(0, stranger, NULL);
	others[1] = start_other(0, counting_stranger, NULL);
	ASSERT_NE(MAP_FAILED,
		  mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd, 0));
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	control.cpu_control.nractrs = 0;
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, ask(&others[0]));
	for (i = 0; i < 6; i++) {
		before = read_counter(0);
		ASSERT_EQ(0, ask(&others[i % 2]));
		/* The kernel may have cleared the counter. */
		EXPECT_GE(SLACK, (int)(read_counter(0) - before));
	}
	close(others[0].ask);
	close(others[1].ask);
}

static unsigned int read_start(void *arg)
{
	const volatile struct vperfctr_state *page = arg;

	return page->cpu_state.pmc[0].start;
}

/*
 * So another process that maps the page can read sums, but cannot derive a counter's value from
 * start.
 */
TEST_F(count, mapped_by_other)
{
	struct vperfctr_control control = instructions(0);
	struct other other, observer;
	struct perfctr_sum_ctrs sums;
	size_t size = sysconf(_SC_PAGESIZE);
	unsigned int before;
	void *page;
	int i;

	ASSERT_EQ(0, stay_on(0));
	other = start_other(0, stranger, NULL);
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	observer = start_other(has_two_cpus(), read_start, page);
	munmap(page, size);
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	before = ask(&observer);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, ask(&other));
		EXPECT_GE(SLACK, ask(&observer) - before);
	}
	ASSERT_EQ(0, vperfctr_read(self->fd, &sums, NULL, NULL));
	EXPECT_GE(10 * SLACK, sums.pmc[0]);
	close(other.ask);
	close(observer.ask);
}

/*
 * start of an a-mode counter is up to date only while the thread's own process can read
 * counters, that is, while it has the page mapped. An mmap() while the counters run must update
 * start at once.
 */
TEST_F(count, mapped_late)
{
	struct vperfctr_control control = instructions(0);
	const volatile struct vperfctr_state *page;
	unsigned long long value;
	int i;

	if (!has(PERFCTR_FEATURE_RDPMC))
		SKIP(return, "programs cannot read counters");
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	for (i = 1; i <= 2; i++) {
		work(1000000);
		page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd, 0);
		ASSERT_NE(MAP_FAILED, page);
		value = by_page(page);
		EXPECT_LE(i * 2000000, value);
		EXPECT_GE(i * (2000000 + SLACK), value);
	}
}

/* start is also updated if processes get the right to read counters while the counters run. */
TEST_F(count, let_read)
{
	struct vperfctr_control control = instructions(0);
	const volatile struct vperfctr_state *page;
	unsigned long long value;

	if (!has(PERFCTR_FEATURE_RDPMC))
		SKIP(return, "programs cannot read counters");
	if (always_rdpmc())
		SKIP(return, "all programs can read counters on this CPU");
	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_TRUE(set_rdpmc('0'));
	EXPECT_FALSE(has(PERFCTR_FEATURE_RDPMC));
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd, 0);
	EXPECT_NE(MAP_FAILED, page);
	EXPECT_FALSE(may_rdpmc());
	EXPECT_EQ(0, vperfctr_control(self->fd, &control));
	work(1000000);
	ASSERT_TRUE(set_rdpmc('1'));
	EXPECT_TRUE(has(PERFCTR_FEATURE_RDPMC));
	value = by_page(page);
	EXPECT_LE(2000000, value);
	EXPECT_GE(2000000 + SLACK, value);
}

/* If the mapping has MADV_DONTFORK, a child has no mapping, and cannot read counters. */
TEST_F(count, not_forked)
{
	size_t size = sysconf(_SC_PAGESIZE);
	int status;
	void *page;
	pid_t child;

	if (!has(PERFCTR_FEATURE_RDPMC))
		SKIP(return, "programs cannot read counters");
	if (always_rdpmc())
		SKIP(return, "all programs can read counters on this CPU");
	page = map(self->fd);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, madvise(page, size, MADV_DONTFORK));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(may_rdpmc());
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(may_rdpmc());
	munmap(page, size);
}

TEST_HARNESS_MAIN
