// SPDX-License-Identifier: GPL-2.0
/*
 * Random calls: some processes, each with several threads that share fds, open, control, map, read,
 * resume, unlink, fork, trace, exec and exit by a random number generator. They move between CPUs,
 * open perf events that need the counters, and lose the right to read the TSC. The test asserts
 * that the kernel reports nothing, and that all calls work afterwards. PC_FUZZ_SECONDS (default: 3)
 * is the duration, PC_FUZZ_SEED the seed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "../kselftest.h"
#include "beside.h"

#define PROCESSES	3
#define THREADS		3
#define FDS		8

static time_t end;
static int fds[FDS];
static volatile pid_t last_child;

/**
 * struct dice - a random number generator
 * @state: its state, not 0
 */
struct dice {
	unsigned long long state;
};

static unsigned int roll(struct dice *dice, unsigned int n)
{
	dice->state ^= dice->state << 13;
	dice->state ^= dice->state >> 7;
	dice->state ^= dice->state << 17;
	return (dice->state >> 32) % n;
}

/* A number that is likely to be a corner case */
static unsigned int any(struct dice *dice)
{
	static const unsigned int some[] = {
		0, 1, 2, 3, 4, 17, 18, 19, 0x7fffffff, 0x80000000, ~0u,
	};

	switch (roll(dice, 3)) {
	case 0:
		return some[roll(dice, ARRAY_SIZE(some))];
	case 1:
		return 1u << roll(dice, 32);
	}
	return dice->state;
}

#ifdef PERFCTR_NOT_KERNEL
#define FIRST_COUNTER	1
#else
#define FIRST_COUNTER	0
#endif

/* A control that is likely to be valid, or a valid control with a few changed words */
static void any_control(struct dice *dice, struct vperfctr_control *control)
{
	struct perfctr_cpu_control *cpu = &control->cpu_control;
	unsigned int i;

	memset(control, 0, sizeof(*control));
	control->si_signo = roll(dice, 4) ? SIGUSR1 : any(dice);
	cpu->tsc_on = roll(dice, 2);
	cpu->nractrs = roll(dice, 4);
	cpu->nrictrs = roll(dice, 3);
	for (i = 0; i < cpu->nractrs + cpu->nrictrs; i++) {
		int interrupts = i >= cpu->nractrs;

		set_counter(cpu, i, roll(dice, 8) ? FIRST_COUNTER + i : roll(dice, 7),
			    INSTRUCTIONS | (interrupts ? SELECT_PMI : 0));
		if (interrupts)
			cpu->ireset[i] = -1 - (int)roll(dice, 5000);
	}
	control->preserve = any(dice);
	while (!roll(dice, 3))
		((unsigned int *)control)[roll(dice, sizeof(*control) / 4)] = any(dice);
}

static void *any_pointer(struct dice *dice, void *good)
{
	switch (roll(dice, 8)) {
	case 0:
		return NULL;
	case 1:
		return (void *)(unsigned long)any(dice);
	}
	return good;
}

static void child(struct dice *dice)
{
	unsigned int n = roll(dice, 4);

	/* Signals of inherited counters kill the child, too. */
	alarm(10);
	while (n--) {
		int fd = vperfctr_open(0, roll(dice, 2));

		if (fd >= 0 && roll(dice, 2))
			vperfctr_unlink(fd);
		work(roll(dice, 3000));
		if (!roll(dice, 4) && !fork())
			break;
	}
	if (!roll(dice, 4))
		execl("/bin/true", "true", NULL);
	_exit(0);
}

static void any_fork(struct dice *dice)
{
	static const unsigned long flags[] = { 0, CLONE_FILES, CLONE_PARENT, CLONE_FS };
	pid_t pid = syscall(SYS_clone, SIGCHLD | flags[roll(dice, 4)], 0, 0, 0, 0);

	if (!pid)
		child(dice);
	last_child = pid;
	if (roll(dice, 2))
		waitpid(-1, NULL, WNOHANG);
}

/* Attach to a child, make calls about it, and detach or kill it. */
static void any_trace(struct dice *dice)
{
	struct perfctr_sum_ctrs sums;
	struct vperfctr_control control;
	pid_t pid = last_child;
	int fd, i;

	if (pid <= 0 || ptrace(PTRACE_SEIZE, pid, 0, 0))
		return;
	ptrace(PTRACE_INTERRUPT, pid, 0, 0);
	/* Another thread may have reaped the child. */
	for (i = 0; i < 100 && !waitpid(pid, NULL, __WALL | WNOHANG); i++)
		sched_yield();
	fd = vperfctr_open(pid, roll(dice, 2));
	any_control(dice, &control);
	if (roll(dice, 2))
		vperfctr_control(fd, &control);
	vperfctr_read(fd, &sums, NULL, NULL);
	if (roll(dice, 2))
		vperfctr_unlink(fd);
	if (roll(dice, 2))
		close(fd);
	ptrace(roll(dice, 2) ? PTRACE_DETACH : PTRACE_KILL, pid, 0, 0);
}

static void any_map(struct dice *dice, int fd)
{
	size_t page = sysconf(_SC_PAGESIZE);
	const volatile struct vperfctr_state *state;

	state = mmap(NULL, page << !roll(dice, 8), roll(dice, 8) ? PROT_READ : any(dice) & 7,
		     roll(dice, 8) ? MAP_SHARED : MAP_PRIVATE, fd, roll(dice, 8) ? 0 : page);
	if (state == MAP_FAILED)
		return;
	(void)state->cpu_state.tsc_start;
	/* A child inherits the mapping, too. */
	if (!roll(dice, 4))
		any_fork(dice);
	munmap((void *)state, page);
}

/* Move to a CPU, which may be forbidden or absent, or allow all CPUs again. */
static void any_cpu(struct dice *dice)
{
	cpu_set_t all;

	if (roll(dice, 2)) {
		stay_on(roll(dice, 4));
		return;
	}
	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
}

/* Open events that need counters of the thread or of a CPU. A pinned one stops the thread's. */
static void any_event(struct dice *dice)
{
	int events[4], n, cpu = roll(dice, 4) ? -1 : (int)roll(dice, 2);

	for (n = 0; n < 4; n++) {
		events[n] = open_event(n + 1, cpu, roll(dice, 2));
		work(roll(dice, 1000));
		count_of(events[n]);
	}
	if (!roll(dice, 4))
		any_fork(dice);
	close_all(events, n);
}

static void any_call(struct dice *dice)
{
	struct perfctr_sum_ctrs sums[2];
	struct vperfctr_control control;
	int *fd = &fds[roll(dice, FDS)];
	struct {
		struct perfctr_cpu_mask mask;
		__u32 words[16];
	} cpus = { .mask.nrwords = roll(dice, 17) };
	struct perfctr_info info;

	switch (roll(dice, 17)) {
	case 0:
	case 1:
		close(*fd);
		*fd = vperfctr_open(roll(dice, 8) ? 0 : any(dice), roll(dice, 2));
		break;
	case 2:
	case 3:
	case 4:
		any_control(dice, &control);
		vperfctr_control(*fd, any_pointer(dice, &control));
		break;
	case 5:
		vperfctr_unlink(roll(dice, 8) ? *fd : (int)any(dice));
		break;
	case 6:
		vperfctr_iresume(*fd);
		break;
	case 7:
		vperfctr_read(*fd, any_pointer(dice, &sums[0]), any_pointer(dice, &control),
			      any_pointer(dice, &sums[1]));
		break;
	case 8:
		perfctr_info(any_pointer(dice, &info), any_pointer(dice, &cpus),
			     any_pointer(dice, &cpus));
		break;
	case 9:
		any_map(dice, *fd);
		break;
	case 10:
		if (!roll(dice, 4))
			any_fork(dice);
		break;
	case 11:
		if (!roll(dice, 4))
			any_trace(dice);
		break;
	case 12:
		sched_yield();
		break;
	case 13:
		any_cpu(dice);
		break;
	case 14:
		if (!roll(dice, 2))
			any_event(dice);
		break;
	case 15:
		if (!roll(dice, 8))
			prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
		else
			prctl(PR_SET_TSC, PR_TSC_ENABLE);
		break;
	default:
		work(roll(dice, 20000));
	}
}

static void *fuzz(void *arg)
{
	struct dice dice = { .state = (unsigned long)arg };

	/* A loaded machine may start the thread at the end. */
	do
		any_call(&dice);
	while (time(NULL) < end);
	return NULL;
}

static void process(unsigned long seed)
{
	pthread_t threads[THREADS];
	int i;

	for (i = 1; i < SIGRTMAX; i++) {
		if (i != SIGKILL && i != SIGCHLD && i != SIGSEGV && i != SIGTERM && i != SIGALRM)
			signal(i, SIG_IGN);
	}
	for (i = 0; i < FDS; i++)
		fds[i] = -1;
	for (i = 1; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, fuzz, (void *)(seed * THREADS + i)))
			_exit(1);
	}
	fuzz((void *)(seed * THREADS + THREADS));
	for (i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

static const char *set_up(void)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 };
	struct perfctr_sum_ctrs sums;
	int fd = vperfctr_open(0, 1);

	if (fd < 0 || vperfctr_control(fd, &control))
		return NULL;
	work(1000);
	if (vperfctr_read(fd, &sums, NULL, NULL) || !sums.tsc || vperfctr_unlink(fd))
		return NULL;
	close(fd);
	return "all calls work afterwards";
}

int main(void)
{
	const char *seconds = getenv("PC_FUZZ_SECONDS"), *from = getenv("PC_FUZZ_SEED");
	unsigned long seed = from ? strtoul(from, NULL, 0) : time(NULL), round = 0;
	int i, status;
	pid_t pid;

	ksft_print_header();
	if (!has_perfctr())
		ksft_exit_skip("no perfctr\n");
	ksft_set_plan(1);
	ksft_print_msg("seed %lu\n", seed);
	end = time(NULL) + (seconds ? atol(seconds) : 3);
	/* Adopt processes that lose their parent: a signal may have stopped them. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* A process may be killed or stopped by a signal that it has requested: start others. */
	do {
		for (i = 0; i < PROCESSES; i++) {
			if (!fork())
				process(seed + round * PROCESSES + i);
		}
		round++;
		while ((pid = waitpid(-1, &status, WUNTRACED)) > 0) {
			if (WIFSTOPPED(status))
				kill(pid, SIGKILL);
		}
	} while (time(NULL) < end);
	ksft_print_msg("%lu rounds\n", round);
	ksft_test_result(set_up(), "fuzz\n");
	ksft_finished();
}
