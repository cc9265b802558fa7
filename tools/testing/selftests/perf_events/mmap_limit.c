// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of locked memory for buffers: an allowance of each user for each CPU, and then
 * RLIMIT_MEMLOCK of the process.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"
#include "pe_sim.h"

#define MLOCK_KB	PE_SYSCTL "perf_event_mlock_kb"
#define MAX_RINGS	64

FIXTURE(limit) {
	long kb, level, page;
};

FIXTURE_SETUP(limit)
{
	self->kb = pe_get(MLOCK_KB);
	self->level = pe_get(PE_PARANOID);
	self->page = sysconf(_SC_PAGESIZE);
	if (geteuid())
		SKIP(return, "needs root");
	/* The allowance is four pages for each CPU. */
	ASSERT_EQ(0, pe_set(MLOCK_KB, 4 * self->page / 1024));
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
}

FIXTURE_TEARDOWN(limit)
{
	if (geteuid())
		return;
	pe_set(MLOCK_KB, self->kb);
	pe_set(PE_PARANOID, self->level);
}

/**
 * struct plan - mappings of a user
 * @rlimit: pages of RLIMIT_MEMLOCK
 * @pages: pages of each buffer, with its first page
 * @unmap: if the limit is reached, unmap the first buffer and retry
 */
struct plan {
	unsigned long rlimit;
	unsigned int pages;
	bool unmap;
};

static int open_for_user(void)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);

	a.sample_period = 1;
	a.exclude_kernel = 1;
	return pe_self(&a);
}

/* Map buffers until the limit is reached. Return: minus their number, or less on another error. */
static int fill(void *arg)
{
	const long page = sysconf(_SC_PAGESIZE);
	const struct plan *plan = arg;
	struct rlimit r = { plan->rlimit * page, plan->rlimit * page };
	void *first = NULL, *p;
	int nr, fd;

	if (setrlimit(RLIMIT_MEMLOCK, &r))
		return -100;
	for (nr = 0; nr < MAX_RINGS; nr++) {
		fd = open_for_user();
		if (fd < 0)
			return -101;
		p = mmap(NULL, plan->pages * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (p == MAP_FAILED && errno != EPERM)
			return -102;
		if (p == MAP_FAILED && !plan->unmap)
			return -nr;
		if (p == MAP_FAILED) {
			munmap(first, plan->pages * page);
			p = mmap(NULL, plan->pages * page, PROT_READ | PROT_WRITE, MAP_SHARED,
				 fd, 0);
			return p == MAP_FAILED ? -103 : -nr;
		}
		if (!first)
			first = p;
	}
	return -nr;
}

TEST_F(limit, of_a_user)
{
	struct plan plan = { .pages = 2 };
	int cpus = pe_cpu_count();

	EXPECT_EQ(-(4 * cpus / 2), pe_run_as(PE_UID, 0, fill, &plan));
	/* The exit of the user's process has freed all its pages. */
	EXPECT_EQ(-(4 * cpus / 2), pe_run_as(PE_UID, 0, fill, &plan));
	plan.pages = 1;
	EXPECT_EQ(-(4 * cpus), pe_run_as(PE_UID, 0, fill, &plan));
	plan.pages = 9;
	EXPECT_EQ(-(4 * cpus / 9), pe_run_as(PE_UID, 0, fill, &plan));
}

TEST_F(limit, of_a_process)
{
	struct plan plan = { .pages = 2, .rlimit = 6 };
	int cpus = pe_cpu_count();

	/*
	 * The process has its own limit as well: only pages beyond the user's allowance count for
	 * it.
	 */
	EXPECT_EQ(-(4 * cpus / 2 + 3), pe_run_as(PE_UID, 0, fill, &plan));
	plan.rlimit = 5;
	EXPECT_EQ(-(4 * cpus / 2 + 2), pe_run_as(PE_UID, 0, fill, &plan));
}

TEST_F(limit, given_back)
{
	struct plan plan = { .pages = 2, .unmap = true };

	EXPECT_EQ(-(4 * pe_cpu_count() / 2), pe_run_as(PE_UID, 0, fill, &plan));
}

TEST_F(limit, of_two_users)
{
	struct plan plan = { .pages = 2 };
	int cpus = pe_cpu_count();
	int ready[2], done[2], status;
	pid_t child;
	char c;

	/* Pages of one user do not count for another one. */
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(done));
	child = fork();
	if (!child) {
		close(done[1]);
		if (pe_become(PE_UID, 0) || fill(&plan) != -2 * cpus)
			_exit(1);
		if (write(ready[1], "", 1) != 1 || read(done[0], &c, 1) < 0)
			_exit(2);
		_exit(0);
	}
	/* If the child fails, the read returns end of file. */
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &c, 1));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, fill, &plan));
	EXPECT_EQ(-(2 * cpus), pe_run_as(PE_OTHER_UID, 0, fill, &plan));
	close(done[1]);
	EXPECT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(-(2 * cpus), pe_run_as(PE_UID, 0, fill, &plan));
}

TEST_F(limit, not_of_the_trusted)
{
	struct plan plan = { .pages = 2 };

	EXPECT_EQ(-MAX_RINGS, pe_run_as(PE_UID, PE_CAP(14), fill, &plan));
	ASSERT_EQ(0, pe_set(PE_PARANOID, -1));
	EXPECT_EQ(-MAX_RINGS, pe_run_as(PE_UID, 0, fill, &plan));
}

/**
 * struct aux_plan - an AUX area and other buffers
 * @rlimit: pages of RLIMIT_MEMLOCK
 * @others: pages of the buffers of other events
 * @pages: pages of the area; the buffer of its event has two more
 */
struct aux_plan {
	unsigned long rlimit;
	unsigned int others, pages;
};

/* Return: -1 if the area fits, 0 if it exceeds the limit, and less on another error. */
static int aux_fits(void *arg)
{
	struct perf_event_attr a = pe_attr_off(0);
	const long page = sysconf(_SC_PAGESIZE);
	const struct aux_plan *plan = arg;
	struct rlimit r = { plan->rlimit * page, plan->rlimit * page };
	struct pe_ring ring;
	unsigned int i;
	int fd;

	if (setrlimit(RLIMIT_MEMLOCK, &r))
		return -100;
	for (i = 0; i < plan->others; i++) {
		fd = open_for_user();
		if (fd < 0)
			return -101;
		if (mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED)
			return -102;
	}
	a.type = pe_sim_trace_type();
	a.exclude_kernel = 1;
	fd = pe_self(&a);
	if (fd < 0 || pe_ring_map(&ring, fd, 1))
		return -103;
	ring.page->aux_offset = ring.len;
	ring.page->aux_size = plan->pages * page;
	if (mmap(NULL, plan->pages * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		 ring.len) != MAP_FAILED)
		return -1;
	return errno == EPERM ? 0 : -104;
}

TEST_F(limit, of_aux_areas)
{
	const unsigned int all = 4 * pe_cpu_count();
	struct aux_plan plan = { .pages = 2, .others = all - 4 };

	if (pe_sim_trace_type() < 0)
		SKIP(return, "needs the simulated trace unit");
	EXPECT_EQ(-1, pe_run_as(PE_UID, 0, aux_fits, &plan));
	/* The exit of the last process has freed all its pages. */
	EXPECT_EQ(-1, pe_run_as(PE_UID, 0, aux_fits, &plan));
	plan.others++;
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, aux_fits, &plan));
	/* Pages beyond the user's allowance count for the limit of the process. */
	plan.rlimit = 1;
	EXPECT_EQ(-1, pe_run_as(PE_UID, 0, aux_fits, &plan));
	plan.pages = 4;
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, aux_fits, &plan));
	plan.rlimit = 3;
	EXPECT_EQ(-1, pe_run_as(PE_UID, 0, aux_fits, &plan));
	plan.rlimit = 0;
	EXPECT_EQ(-1, pe_run_as(PE_UID, PE_CAP(14), aux_fits, &plan));
}

TEST_HARNESS_MAIN
