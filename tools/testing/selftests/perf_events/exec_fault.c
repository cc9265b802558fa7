// SPDX-License-Identifier: GPL-2.0
/*
 * execve(2) of a task with events under memory fault injection: each allocation fails in turn, up
 * to the first instructions of the new program. If execve(2) fails, the events must be unchanged.
 * If it succeeds, they must be as execve(2) makes them. They must be freed with the task.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_inject.h"
#include "pe_records.h"
#include "pe_sim.h"

#define ENV		"PE_EXEC_FAULT"
#define MOST		2000

/* Result of the child */
enum end {
	HAPPENED = 10,		/* the program ran, with or without a failed allocation */
	DID_NOT_HAPPEN,		/* there is no allocation of that number */
	REFUSED,		/* execve(2) failed because of the allocation */
	WRONG,			/* execve(2) failed for another reason */
};

/* Constructor of the new program. It runs before other constructors, which allocate memory. */
static __attribute__((constructor(101))) void exec_target(void)
{
	if (getenv(ENV))
		_exit(pe_inject_happened() ? HAPPENED : DID_NOT_HAPPEN);
}

static void exec_with(unsigned int nth, int go)
{
	char *const argv[] = { "exec_fault", NULL }, *const envp[] = { ENV "=1", NULL };
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Suppress messages of the C library about missing memory. */
	close(STDERR_FILENO);
	if (read(go, &c, 1) != 1 || pe_inject_self(nth))
		_exit(WRONG);
	execve("/proc/self/exe", argv, envp);
	/* The error of execve(2) depends on the allocation that failed. */
	_exit(pe_inject_happened() ? REFUSED : WRONG);
}

/**
 * struct watched - a child, and its events
 * @pid: the child
 * @go: pipe that starts the exec
 * @counts: event that counts from the start
 * @enabled: event that exec enables
 * @removed: event that exec removes
 * @group: leader of a group of two, of hardware events if there are any
 * @member: member of @group
 * @ring: buffer of @counts
 */
struct watched {
	pid_t pid;
	int go[2];
	int counts, enabled, removed, group, member;
	struct pe_ring ring;
};

static int watch(struct watched *w, unsigned int nth)
{
	struct perf_event_attr attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS), sim;

	if (pipe(w->go))
		return -errno;
	w->pid = fork();
	if (!w->pid)
		exec_with(nth, w->go[0]);
	attr.mmap = 1;
	attr.comm = 1;
	attr.sample_period = 3;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	w->counts = pe_open(&attr, w->pid, -1, -1, 0);
	attr = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	attr.enable_on_exec = 1;
	w->enabled = pe_open(&attr, w->pid, -1, -1, 0);
	attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	attr.remove_on_exec = 1;
	w->removed = pe_open(&attr, w->pid, -1, -1, 0);
	sim = pe_sim_type() < 0 ? pe_attr(PERF_COUNT_SW_TASK_CLOCK) : pe_sim_attr();
	w->group = pe_open(&sim, w->pid, -1, -1, 0);
	sim.remove_on_exec = 1;
	w->member = pe_open(&sim, w->pid, -1, w->group, 0);
	if (w->counts < 0 || w->enabled < 0 || w->removed < 0 || w->group < 0 || w->member < 0)
		return -1;
	return pe_ring_map(&w->ring, w->counts, 16);
}

static void unwatch(struct watched *w)
{
	pe_ring_unmap(&w->ring);
	close(w->counts);
	close(w->enabled);
	close(w->removed);
	close(w->group);
	close(w->member);
	close(w->go[0]);
	close(w->go[1]);
}

static enum end try(struct __test_metadata *_metadata, unsigned int nth)
{
	struct watched w;
	enum end end;
	int status;
	__u64 count;

	ASSERT_EQ(0, watch(&w, nth));
	ASSERT_EQ(1, write(w.go[1], "", 1));
	ASSERT_EQ(w.pid, waitpid(w.pid, &status, 0));
	/*
	 * After the point of no return execve(2) cannot fail: the kernel kills
	 * the task.
	 */
	end = WIFEXITED(status) ? WEXITSTATUS(status) : HAPPENED;
	ASSERT_NE(WRONG, end);

	/* All events can be read, and their counts do not change any more. */
	count = pe_count(w.counts);
	EXPECT_LT(0, count);
	EXPECT_EQ(count, pe_count(w.counts));
	/* The events have counted the new program, if it ran. */
	if (end == REFUSED) {
		EXPECT_EQ(0, pe_count(w.enabled));
	} else if (WIFEXITED(status)) {
		EXPECT_LT(0, pe_count(w.enabled));
		EXPECT_LT(pe_count(w.removed), count);
	}
	pe_count(w.group);
	pe_count(w.member);
	pe_ring_drop(&w.ring, PERF_RECORD_COMM);
	unwatch(&w);
	return end;
}

FIXTURE(exec) {
};

FIXTURE_SETUP(exec)
{
	if (geteuid() || pe_inject_start())
		SKIP(return, "needs root, CONFIG_FAILSLAB and CONFIG_FAIL_PAGE_ALLOC");
}

FIXTURE_TEARDOWN(exec)
{
	pe_inject_end();
}

TEST_F(exec, with_events)
{
	unsigned int nth, refused = 0;
	enum end end;

	for (nth = 1; nth < MOST; nth++) {
		end = try(_metadata, nth);
		if (end == DID_NOT_HAPPEN)
			break;
		refused += end == REFUSED;
		/* No allocation fails in this run: it must succeed. */
		if (nth % 16 == 0)
			ASSERT_EQ(DID_NOT_HAPPEN, try(_metadata, 2 * MOST));
	}
	TH_LOG("%u allocations, %u times refused", nth - 1, refused);
	EXPECT_GT(MOST, nth);
	EXPECT_NE(0, refused);
}

TEST_F(exec, loses_nothing)
{
	int leaks = pe_leaks();

	if (leaks == -ENOENT)
		SKIP(return, "needs CONFIG_DEBUG_KMEMLEAK");
	EXPECT_EQ(0, leaks);
}

TEST_HARNESS_MAIN
