// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs on which no thread with counters runs: on hybrid machines the CPUs whose counters are of
 * another kind. Comments before tests quote sentences of
 * Documentation/userspace-api/perfctr.rst.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "perfctr.h"

#define MAX_CPUS	(32 * 64)

FIXTURE(forbidden) {
	int fd, good, bad;
	const volatile struct vperfctr_state *page;
};

/* Return the first online CPU that is, or is not, in a mask. */
static int find_cpu(const unsigned int *words, int n, int forbidden)
{
	cpu_set_t online;
	int cpu;

	sched_getaffinity(0, sizeof(online), &online);
	for (cpu = 0; cpu < 32 * n && cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &online) && (words[cpu / 32] >> cpu % 32 & 1) == forbidden)
			return cpu;
	}
	return -1;
}

FIXTURE_SETUP(forbidden)
{
	struct {
		struct perfctr_cpu_mask mask;
		__u32 words[MAX_CPUS / 32];
	} cpus = { .mask.nrwords = MAX_CPUS / 32 };

	if (!has_counters())
		SKIP(return, "no counters");
	ASSERT_EQ(0, perfctr_info(NULL, NULL, &cpus.mask));
	self->bad = find_cpu(cpus.words, cpus.mask.nrwords, 1);
	self->good = find_cpu(cpus.words, cpus.mask.nrwords, 0);
	if (self->bad < 0)
		SKIP(return, "no forbidden CPUs");
	ASSERT_LE(0, self->good);
	self->fd = vperfctr_open(0, 1);
	ASSERT_LE(0, self->fd);
	self->page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->page);
}

FIXTURE_TEARDOWN(forbidden)
{
	vperfctr_unlink(self->fd);
	close(self->fd);
}

static int stay_on(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one);
}

/*
 * The forbidden CPUs run no thread with counters: their counters are of another type. A control
 * with counters removes the forbidden CPUs from the thread's allowed CPUs.
 */
TEST_F(forbidden, affinity)
{
	struct vperfctr_control control = instructions(0);
	cpu_set_t cpus;

	ASSERT_EQ(0, sched_getaffinity(0, sizeof(cpus), &cpus));
	ASSERT_TRUE(CPU_ISSET(self->bad, &cpus));
	/* The TSC alone works on all CPUs. */
	control.cpu_control.nractrs = 0;
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, sched_getaffinity(0, sizeof(cpus), &cpus));
	EXPECT_TRUE(CPU_ISSET(self->bad, &cpus));
	control.cpu_control.nractrs = 1;
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, sched_getaffinity(0, sizeof(cpus), &cpus));
	EXPECT_FALSE(CPU_ISSET(self->bad, &cpus));
	EXPECT_TRUE(CPU_ISSET(self->good, &cpus));
}

/* EINVAL: no CPU is left. The previous control continues to run. */
TEST_F(forbidden, none_left)
{
	struct vperfctr_control control = instructions(0);

	control.cpu_control.nractrs = 0;
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, stay_on(self->bad));
	control.cpu_control.nractrs = 1;
	EXPECT_EQ(-1, vperfctr_control(self->fd, &control));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(perfctr_mk_cstatus(1, 0, 0), self->page->cpu_state.cstatus);
	EXPECT_EQ(self->bad, sched_getcpu());
}

static volatile int ills;

static void on_ill(int sig)
{
	ills++;
}

/* When a thread starts to run on a forbidden CPU, its counters stop, and it gets SIGILL. */
TEST_F(forbidden, migration)
{
	struct vperfctr_control control = instructions(0);
	struct perfctr_sum_ctrs before, after;

	signal(SIGILL, on_ill);
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	work(10000);
	EXPECT_EQ(0, ills);
	ASSERT_EQ(0, stay_on(self->bad));
	work(10000);
	EXPECT_EQ(1, ills);
	EXPECT_EQ(0, self->page->cpu_state.cstatus);
	ASSERT_EQ(0, vperfctr_read(self->fd, &before, NULL, NULL));
	EXPECT_LE(20000, before.pmc[0]);
	ASSERT_EQ(0, stay_on(self->good));
	work(10000);
	ASSERT_EQ(0, vperfctr_read(self->fd, &after, NULL, NULL));
	EXPECT_EQ(before.pmc[0], after.pmc[0]);
	EXPECT_EQ(before.tsc, after.tsc);
	EXPECT_EQ(1, ills);
	/* A new control begins again. */
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	work(10000);
	ASSERT_EQ(0, vperfctr_read(self->fd, &after, NULL, NULL));
	EXPECT_LE(20000, after.pmc[0]);
}

/* A child that has inherited the control gets SIGILL, too. */
TEST_F(forbidden, child)
{
	struct vperfctr_control control = instructions(0);
	int status;
	pid_t child;

	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		signal(SIGILL, SIG_DFL);
		stay_on(self->bad);
		work(10000);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(SIGILL, WTERMSIG(status));
}

TEST_HARNESS_MAIN
