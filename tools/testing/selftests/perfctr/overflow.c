// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that interrupt: each overflow sends one signal to its thread, for any number of switches
 * and on any CPU.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
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

FIXTURE(overflow) {
	const volatile struct vperfctr_state *page;
	int watchdog;
};

/* Each thread has its own copy of these, and so does each forked process. */
static __thread volatile int signals, counts[2], wrong;
static __thread volatile int the_fd;

static void on_overflow(int sig, siginfo_t *info, void *context)
{
	unsigned int mask = info->si_pmc_ovf_mask;

	signals++;
	if (info->si_code != SI_PMC_OVF || info->si_errno || !mask || mask > 3)
		wrong++;
	counts[0] += mask & 1;
	counts[1] += mask >> 1 & 1;
	/*
	 * The control can be resumed once. A counter that also counts the kernel may overflow in
	 * this call, which permits another resume, or in a call that sets another control.
	 */
	if (vperfctr_iresume(the_fd) || vperfctr_iresume(the_fd) != -1 || errno != EPERM)
		wrong += !UNCERTAIN;
}

static void on_signal(void (*handler)(int sig, siginfo_t *info, void *context))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigaction(SIGUSR1, &action, NULL);
}

FIXTURE_SETUP(overflow)
{
	if (!has_counters() || !has(PERFCTR_FEATURE_PCINT))
		SKIP(return, "no counters that interrupt");
	signals = 0;
	wrong = 0;
	counts[0] = 0;
	counts[1] = 0;
	the_fd = vperfctr_open(0, 1);
	ASSERT_LE(0, the_fd);
	self->page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, the_fd, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	on_signal(on_overflow);
}

FIXTURE_TEARDOWN(overflow)
{
	vperfctr_unlink(the_fd);
	close(the_fd);
	if (self->watchdog > 0)
		set_number(WATCHDOG, self->watchdog);
}

/* Were there @n overflows of a counter with the sum @sum and the period @period? */
static bool is_n_for_n(unsigned long long n, unsigned long long sum, unsigned long long period)
{
	return n * period <= sum && sum < n * (period + SLACK) + period;
}

static int begin(int ireset)
{
	struct vperfctr_control control = instructions(ireset);

	control.si_signo = SIGUSR1;
	return vperfctr_control(the_fd, &control);
}

static int stop(struct perfctr_sum_ctrs *sums)
{
	struct vperfctr_control none = { .si_signo = 0 };

	return vperfctr_control(the_fd, &none) || vperfctr_read(the_fd, sums, NULL, NULL);
}

/*
 * An i-mode counter starts at a negative value, overflows when it reaches zero, and restarts at
 * the same value. When an i-mode counter overflows, all counters except the TSC are stopped, and
 * the signal si_signo is sent to the thread. vperfctr_iresume restarts the counters once; a
 * second call is EPERM.
 */
TEST_F(overflow, signals)
{
	struct perfctr_sum_ctrs sums;

	ASSERT_EQ(0, begin(-1000000));
	work(5250000);
	ASSERT_EQ(0, stop(&sums));
	EXPECT_TRUE(is_n_for_n(signals, sums.pmc[0], 1000000));
	EXPECT_EQ(signals, counts[0]);
	if (!UNCERTAIN)
		EXPECT_EQ(10, signals);
	EXPECT_EQ(0, wrong);
	EXPECT_LE(10500000, sums.pmc[0]);
	EXPECT_GE(10500000 + 20 * SLACK, sums.pmc[0]);
	EXPECT_EQ(-1, vperfctr_iresume(the_fd));
	EXPECT_EQ(EPERM, errno);
}

/*
 * si_code is SI_PMC_OVF, and si_pmc_ovf_mask is the mask of the overflowed counters, by the
 * control's indices.
 */
TEST_F(overflow, two_counters)
{
	struct vperfctr_control control = instructions(-100000);
	struct perfctr_sum_ctrs sums;
	int err;

	control.si_signo = SIGUSR1;
	control.cpu_control.nrictrs = 2;
	set_counter(&control.cpu_control, 1, 1, INSTRUCTIONS | SELECT_PMI);
	control.cpu_control.ireset[1] = -250000;
	self->watchdog = set_number(WATCHDOG, 0);
	err = vperfctr_control(the_fd, &control) ? errno : 0;
	/* Only root can switch the watchdog off. */
	if (err == EBUSY && geteuid())
		SKIP(return, "the watchdog may have one of two counters");
	ASSERT_EQ(0, err);
	work(1050000 / 2);
	ASSERT_EQ(0, stop(&sums));
	EXPECT_TRUE(is_n_for_n(counts[0], sums.pmc[0], 100000));
	EXPECT_TRUE(is_n_for_n(counts[1], sums.pmc[1], 250000));
	if (!UNCERTAIN) {
		EXPECT_EQ(10, counts[0]);
		EXPECT_EQ(4, counts[1]);
	}
	EXPECT_EQ(0, wrong);
}

/*
 * A counter either just counts (a-mode), or interrupts when it overflows (i-mode). A control
 * (struct perfctr_cpu_control) selects what is enabled: the TSC (tsc_on), the first nractrs
 * counters as a-mode, the next nrictrs as i-mode.
 */
TEST_F(overflow, both_modes)
{
	struct vperfctr_control control = instructions(0);
	struct perfctr_sum_ctrs sums;
	int err;

	control.si_signo = SIGUSR1;
	control.cpu_control.nrictrs = 1;
	set_counter(&control.cpu_control, 1, 1, INSTRUCTIONS | SELECT_PMI);
	control.cpu_control.ireset[1] = -100000;
	self->watchdog = set_number(WATCHDOG, 0);
	err = vperfctr_control(the_fd, &control) ? errno : 0;
	/* Only root can switch the watchdog off. */
	if (err == EBUSY && geteuid())
		SKIP(return, "the watchdog may have one of two counters");
	ASSERT_EQ(0, err);
	work(225000);
	ASSERT_EQ(0, stop(&sums));
	EXPECT_TRUE(is_n_for_n(counts[1], sums.pmc[1], 100000));
	EXPECT_EQ(counts[1], signals);
	if (!UNCERTAIN)
		EXPECT_EQ(4, signals);
	EXPECT_EQ(0, counts[0]);
	/* Both counters have run for the same time, except for a few instructions of the resume. */
	EXPECT_LE(450000, sums.pmc[0]);
	EXPECT_GE(SLACK, llabs((long long)(sums.pmc[0] - sums.pmc[1])));
}

/* With si_signo 0 there is no signal. */
TEST_F(overflow, no_signal)
{
	struct vperfctr_control control = instructions(-100000);
	struct perfctr_sum_ctrs before, after;

	ASSERT_EQ(0, vperfctr_control(the_fd, &control));
	work(100000);
	EXPECT_EQ(perfctr_mk_cstatus(1, 0, 0), self->page->cpu_state.cstatus);
	ASSERT_EQ(0, vperfctr_read(the_fd, &before, NULL, NULL));
	EXPECT_LE(100000, before.pmc[0]);
	work(100000);
	ASSERT_EQ(0, vperfctr_read(the_fd, &after, NULL, NULL));
	EXPECT_EQ(before.pmc[0], after.pmc[0]);
	EXPECT_LT(before.tsc, after.tsc);
	EXPECT_EQ(0, signals);
	EXPECT_EQ(0, vperfctr_iresume(the_fd));
	EXPECT_EQ(perfctr_mk_cstatus(1, 0, 1), self->page->cpu_state.cstatus);
}

#define MAX_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define MAX_PERCENT	"/proc/sys/kernel/perf_cpu_time_max_percent"

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/*
 * In one tick, an object can have as many overflows as kernel.perf_event_max_sample_rate allows
 * samples of a perf event; kernel.perf_cpu_time_max_percent lowers that rate when interrupts
 * take too long. Beyond this limit vperfctr_iresume, and a control with i-mode counters, return
 * at the next tick. No overflow is lost by this.
 */
TEST_F(overflow, rate)
{
	struct vperfctr_control control = instructions(-1000);
	struct perfctr_sum_ctrs sums;
	struct timespec tick;
	int before, percent, i, n = 40;
	long long start, by_iresume, by_control;

	/* This clock changes only at ticks. */
	ASSERT_EQ(0, clock_getres(CLOCK_MONOTONIC_COARSE, &tick));
	if (geteuid() || access(MAX_RATE, F_OK))
		SKIP(return, "needs root and perf_event_max_sample_rate");
	/* The rate can only be set while perf_cpu_time_max_percent is a limit. */
	percent = replace_number(MAX_PERCENT, 25);
	before = replace_number(MAX_RATE, 1);
	ASSERT_LE(0, percent);
	ASSERT_LE(0, before);
	start = now_ns();
	EXPECT_EQ(0, begin(-10000));
	work((n * 10000 + 5000) / 2);
	by_iresume = now_ns() - start;
	EXPECT_EQ(0, stop(&sums));
	start = now_ns();
	for (i = 0; i < n; i++) {
		EXPECT_EQ(0, vperfctr_control(the_fd, &control));
		work(1000);
	}
	by_control = now_ns() - start;
	EXPECT_EQ(1, replace_number(MAX_RATE, before));
	EXPECT_EQ(25, replace_number(MAX_PERCENT, percent));
	EXPECT_TRUE(is_n_for_n(signals, sums.pmc[0], 10000));
	EXPECT_LE(n, signals);
	EXPECT_EQ(0, wrong);
	/* With one overflow per tick allowed, n overflows take n ticks. Fail below n / 2. */
	EXPECT_LE(n / 2 * tick.tv_nsec, by_iresume);
	EXPECT_LE(n / 2 * tick.tv_nsec, by_control);
}

static long nr_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw + usage.ru_nvcsw;
}

/* The sums of i-mode counters change when they are suspended: a read does not sample them. */
TEST_F(overflow, sums)
{
	struct perfctr_sum_ctrs before, after;
	int i, undisturbed = 0;
	long switches;

	ASSERT_EQ(0, begin(-2000000000));
	for (i = 0; i < 100 && !undisturbed; i++) {
		switches = nr_switches();
		ASSERT_EQ(0, vperfctr_read(the_fd, &before, NULL, NULL));
		work(1000);
		ASSERT_EQ(0, vperfctr_read(the_fd, &after, NULL, NULL));
		if (nr_switches() == switches) {
			undisturbed++;
			EXPECT_EQ(before.pmc[0], after.pmc[0]);
			EXPECT_LT(before.tsc, after.tsc);
		}
		usleep(1000);
		ASSERT_EQ(0, vperfctr_read(the_fd, &after, NULL, NULL));
		EXPECT_LE(before.pmc[0] + 2000, after.pmc[0]);
	}
	EXPECT_EQ(1, undisturbed);
}

/*
 * Count overflows with period @n. A round is a quarter of the period, and ends with a switch, and
 * on the other CPU if @move.
 */
static int count_overflows(int n, int rounds, int move)
{
	struct perfctr_sum_ctrs sums;
	cpu_set_t one;
	int i;

	signals = 0;
	wrong = 0;
	if (begin(-n))
		return 1;
	for (i = 0; i < rounds; i++) {
		work(n / 8);
		sched_yield();
		if (move) {
			CPU_ZERO(&one);
			CPU_SET(i & 1, &one);
			if (sched_setaffinity(0, sizeof(one), &one))
				return 2;
		}
	}
	if (stop(&sums))
		return 3;
	/* @rounds has half a period more, so that the few instructions of yields do not matter. */
	if (!is_n_for_n(signals, sums.pmc[0], n) || (!UNCERTAIN && signals != rounds / 4)) {
		fprintf(stderr, "# %d signals, of %d; %llu counted\n", signals, rounds / 4,
			(unsigned long long)sums.pmc[0]);
		return 4;
	}
	return wrong ? 5 : 0;
}

/* N signals for N overflows, of threads that take turns on a CPU. */
TEST_F(overflow, switches)
{
	int i;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(one), &one));
	for (i = 0; i < 4; i++) {
		if (fork())
			continue;
		the_fd = vperfctr_open(0, 0);
		/* The overflows of each thread are at different times. */
		_exit(count_overflows(200000 + 40000 * i, 4 * 50 + 2, 0));
	}
	EXPECT_EQ(4, nr_succeeded());
}

/* N signals for N overflows, of threads that migrate between CPUs. */
TEST_F(overflow, moves)
{
	int i;

	if (!has_two_cpus())
		SKIP(return, "needs two CPUs");
	for (i = 0; i < 3; i++) {
		if (fork())
			continue;
		the_fd = vperfctr_open(0, 0);
		_exit(count_overflows(200000 + 40000 * i, 4 * 50 + 2, 1));
	}
	EXPECT_EQ(3, nr_succeeded());
}

static void *thread(void *arg)
{
	the_fd = vperfctr_open(0, 0);
	*(int *)arg = the_fd < 0 ? 6 : count_overflows(100000, 4 * 20 + 2, 0);
	vperfctr_unlink(the_fd);
	close(the_fd);
	return NULL;
}

/* The signal is sent to the owner thread, not to another one of its process. */
TEST_F(overflow, threads)
{
	int i, failed[3] = { -1, -1, -1 };
	pthread_t threads[3];

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, thread, &failed[i]));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, failed[i]);
	EXPECT_EQ(0, signals);
}

/*
 * A child inherits the signal with the control, also from a parent whose counters are suspended.
 * The parent still has the control, so the child's sums are added to its children's sums.
 */
TEST_F(overflow, inherited)
{
	struct perfctr_sum_ctrs sums, children;
	sigset_t usr1;
	int status;
	pid_t child;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	ASSERT_EQ(0, begin(-100000));
	ASSERT_EQ(0, sigprocmask(SIG_BLOCK, &usr1, NULL));
	work(100000);
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		the_fd = vperfctr_open(0, 0);
		signals = 0;
		sigprocmask(SIG_UNBLOCK, &usr1, NULL);
		work(525000);
		if (stop(&sums) || !is_n_for_n(signals, sums.pmc[0], 100000))
			_exit(99);
		_exit(wrong ? 98 : signals);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_LE(10, WEXITSTATUS(status));
	EXPECT_GE(10 + UNCERTAIN / 10000, WEXITSTATUS(status));
	EXPECT_EQ(0, signals);
	ASSERT_EQ(0, vperfctr_read(the_fd, NULL, NULL, &children));
	EXPECT_LE(2 * 525000, children.pmc[0]);
	ASSERT_EQ(0, sigprocmask(SIG_UNBLOCK, &usr1, NULL));
	EXPECT_EQ(1, signals);
	ASSERT_EQ(0, stop(&sums));
}

/*
 * Use the object of this thread without the right to count, after an overflow. Return: 0, or the
 * number of the call that has failed.
 */
static int use_without_rights(void)
{
	struct perfctr_sum_ctrs sums;
	struct vperfctr_control control;
	void *page;

	the_fd = vperfctr_open(0, 0);
	if (the_fd < 0 || setgid(NOBODY) || setuid(NOBODY))
		return 1;
	work(10000);
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, the_fd, 0);
	if (page == MAP_FAILED)
		return 2;
	if (vperfctr_read(the_fd, &sums, &control, &sums))
		return 3;
	if (vperfctr_iresume(the_fd))
		return 4;
	if (vperfctr_control(the_fd, &control) != -1 || errno != EACCES)
		return 5;
	if (vperfctr_unlink(the_fd))
		return 6;
	return vperfctr_open(0, 1) != -1 || errno != EACCES ? 7 : 0;
}

/*
 * Only vperfctr_open and vperfctr_control check these rights. A thread that loses them can still
 * read, map, restart and unlink its object.
 */
TEST_F(overflow, rights_lost)
{
	struct vperfctr_control control = instructions(-10000);
	int before, status;
	pid_t child;

	if (geteuid() || access(PARANOID, F_OK))
		SKIP(return, "needs root and perf_event_paranoid");
	ASSERT_EQ(0, vperfctr_control(the_fd, &control));
	before = replace_number(PARANOID, 3);
	ASSERT_NE(-2, before);
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(use_without_rights());
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	replace_number(PARANOID, before);
}

/* In other user and PID namespaces, the signal has the same mask of counters. */
TEST_F(overflow, namespaces)
{
	int status;
	pid_t child;

	if (access("/proc/self/ns/user", F_OK) || access("/proc/self/ns/pid", F_OK))
		SKIP(return, "no namespaces");
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWPID))
			_exit(98);
		child = fork();
		if (child) {
			waitpid(child, &status, 0);
			_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 96);
		}
		the_fd = vperfctr_open(0, 0);
		_exit(the_fd < 0 ? 97 : count_overflows(100000, 4 * 10 + 2, 0));
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

/* A tracer sets the control of a stopped thread, and resumes its counters after each overflow. */
TEST_F(overflow, traced)
{
	struct vperfctr_control control = instructions(-100000);
	struct perfctr_sum_ctrs sums;
	int fd, status, n = 0;
	pid_t child;

	ASSERT_EQ(0, vperfctr_unlink(the_fd));
	control.si_signo = SIGUSR1;
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		/* If an assertion fails, nothing else kills this child. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGUSR1, SIG_IGN);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		work(525000);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	fd = vperfctr_open(child, 1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, vperfctr_control(fd, &control));
	EXPECT_EQ(-1, vperfctr_iresume(fd));
	EXPECT_EQ(EPERM, errno);
	for (;;) {
		ASSERT_EQ(0, ptrace(PTRACE_CONT, child, 0, 0));
		ASSERT_EQ(child, waitpid(child, &status, 0));
		if (!WIFSTOPPED(status))
			break;
		ASSERT_EQ(SIGUSR1, WSTOPSIG(status));
		ASSERT_EQ(0, vperfctr_iresume(fd));
		n++;
	}
	EXPECT_LE(10, n);
	EXPECT_GE(10 + UNCERTAIN / 10000, n);
	EXPECT_EQ(-1, vperfctr_iresume(fd));
	EXPECT_EQ(ESRCH, errno);
	ASSERT_EQ(0, vperfctr_read(fd, &sums, NULL, NULL));
	EXPECT_LE(1050000, sums.pmc[0]);
	EXPECT_GE(1050000 + 20 * SLACK, sums.pmc[0]);
	close(fd);
}

TEST_HARNESS_MAIN
