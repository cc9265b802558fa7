// SPDX-License-Identifier: GPL-2.0
/*
 * Page faults of a tree of a thousand processes, fewer with PE_PERCENT. An inherited event and the
 * events of a cgroup must both count exactly as many faults as wait4(2) reports, which does not use
 * perf events.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_rounds.h"

#define MAX_CPUS	64
#define PAGES		3
#define KINDS		3

/**
 * struct usage - faults of a process and of all descendants that have been waited for
 * @min: faults without I/O
 * @maj: faults with I/O
 */
struct usage {
	__u64 min, maj;
};

FIXTURE(tree) {
	struct perf_event_attr a;
	int to[2], from[2], cpus;
	int wide[MAX_CPUS], dir;
	struct usage before;
	pid_t root;
};

static int tree(unsigned int height, bool together)
{
	/* Number of children of each process, by its height in the tree */
	const unsigned int width[] = { pe_rounds(9), pe_rounds(10), 10 };
	pid_t pids[16];
	unsigned int i, nr;
	int status, wrong = 0;

	pe_fault(PAGES);
	if (!height--)
		return 0;
	nr = width[height];
	for (i = 0; i < nr; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(tree(height, together));
		wrong |= pids[i] < 0;
		if (!together)
			wrong |= waitpid(pids[i], &status, 0) != pids[i] || status;
	}
	for (i = 0; together && i < nr; i++)
		wrong |= waitpid(pids[i], &status, 0) != pids[i] || status;
	return wrong;
}

/* Read from /proc the faults of a process, and its state. */
static int look(pid_t pid, struct usage *usage, char *state)
{
	unsigned long long f[4];
	char path[64], text[512];
	const char *at;
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (!file)
		return -errno;
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = 0;
	/* The name is in brackets, and may contain any character. */
	at = strrchr(text, ')');
	if (!at || sscanf(at, ") %c %*d %*d %*d %*d %*d %*u %llu %llu %llu %llu", state, &f[0],
			  &f[1], &f[2], &f[3]) != 5)
		return -EINVAL;
	usage->min = f[0] + f[1];
	usage->maj = f[2] + f[3];
	return 0;
}

FIXTURE_SETUP(tree)
{
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->root = 0;
	self->dir = -1;
	self->cpus = pe_cpu_count();
	if (self->cpus > MAX_CPUS)
		SKIP(return, "too many CPUs");
	ASSERT_EQ(0, pipe(self->to));
	ASSERT_EQ(0, pipe(self->from));
}

FIXTURE_TEARDOWN(tree)
{
	if (self->root > 0) {
		kill(self->root, SIGKILL);
		waitpid(self->root, NULL, 0);
	}
	if (self->dir >= 0) {
		close(self->dir);
		EXPECT_EQ(0, pe_cgroup_remove("pe_tree"));
	}
}

/* Start a process that sleeps, and forks a tree on command. */
static void plant(struct __test_metadata *_metadata, struct _test_data_tree *self, bool together)
{
	char c = 0, state = 0;

	self->root = fork();
	ASSERT_LE(0, self->root);
	if (!self->root)
		_exit(write(self->from[1], &c, 1) != 1 || read(self->to[0], &c, 1) != 1 ||
		      tree(3, together));
	ASSERT_EQ(1, read(self->from[0], &c, 1));
	/* The process has faults of its own until it sleeps. */
	while (state != 'S') {
		pe_sleep_ms(1);
		ASSERT_EQ(0, look(self->root, &self->before, &state));
	}
}

/* Fork the tree. Return: the faults of the process and of the tree since counting began. */
static struct usage grow(struct __test_metadata *_metadata, struct _test_data_tree *self)
{
	struct rusage usage;
	struct usage all = { 0, 0 };
	int status = -1;
	char c = 0;

	EXPECT_EQ(1, write(self->to[1], &c, 1));
	EXPECT_EQ(self->root, wait4(self->root, &status, 0, &usage));
	EXPECT_EQ(0, status);
	self->root = 0;
	all.min = usage.ru_minflt - self->before.min;
	all.maj = usage.ru_majflt - self->before.maj;
	/* The leaves, and the processes above them. */
	EXPECT_LE(PAGES * 10 * pe_rounds(10) * pe_rounds(9), all.min);
	return all;
}

static void open_inherited(struct __test_metadata *_metadata, struct _test_data_tree *self,
			   int *fd, bool as_a_group)
{
	static const unsigned int configs[KINDS] = {
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS_MIN,
		PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	};
	struct perf_event_attr a;
	int i;

	for (i = 0; i < KINDS; i++) {
		a = pe_attr(configs[i]);
		a.inherit = 1;
		fd[i] = pe_open(&a, self->root, -1, as_a_group && i ? fd[0] : -1, 0);
		ASSERT_LE(0, fd[i]);
	}
}

/* Open an event of the tree's cgroup on each CPU; none if the kernel has no perf_event cgroups. */
static void open_wide(struct __test_metadata *_metadata, struct _test_data_tree *self)
{
	int cpu;

	self->wide[0] = -1;
	self->dir = pe_cgroup_make("pe_tree");
	for (cpu = 0; self->dir >= 0 && cpu < self->cpus; cpu++) {
		self->wide[cpu] = pe_open(&self->a, self->dir, cpu, -1, PERF_FLAG_PID_CGROUP);
		if (self->wide[0] < 0)
			return;
		ASSERT_LE(0, self->wide[cpu]);
	}
	if (self->dir >= 0)
		ASSERT_EQ(0, pe_cgroup_enter("pe_tree", self->root));
}

static void count(struct __test_metadata *_metadata, struct _test_data_tree *self, bool together)
{
	int one[KINDS], grouped[KINDS], i;
	struct usage truth;
	__u64 want[KINDS], sum = 0;

	plant(_metadata, self, together);
	open_inherited(_metadata, self, one, false);
	open_inherited(_metadata, self, grouped, true);
	open_wide(_metadata, self);
	truth = grow(_metadata, self);
	want[0] = truth.min + truth.maj;
	want[1] = truth.min;
	want[2] = truth.maj;
	for (i = 0; i < KINDS; i++) {
		EXPECT_EQ(want[i], pe_count(one[i]));
		EXPECT_EQ(want[i], pe_count(grouped[i]));
		close(one[i]);
		close(grouped[i]);
	}
	if (self->wide[0] < 0)
		return;
	for (i = 0; i < self->cpus; i++) {
		sum += pe_count(self->wide[i]);
		close(self->wide[i]);
	}
	EXPECT_EQ(want[0], sum) {
		TH_LOG("of the cgroup");
	}
}

TEST_F(tree, one_after_the_other)
{
	count(_metadata, self, false);
}

TEST_F(tree, at_the_same_time)
{
	count(_metadata, self, true);
}

/* A leaf that touches N pages has exactly N faults. */
TEST_F(tree, leaves_by_construction)
{
	struct perf_event_attr own = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	unsigned int i, nr = pe_rounds(100);
	int inherited, status;
	__u64 sum = 0, before;
	pid_t pid;

	/*
	 * Each child's own event and the inherited one are enabled for exactly the same section.
	 * The ioctl also enables the event in this task, so this task sleeps meanwhile.
	 */
	self->a = own;
	self->a.inherit = 1;
	inherited = pe_self(&self->a);
	ASSERT_LE(0, inherited);
	for (i = 0; i < nr; i++) {
		before = pe_count(inherited);
		EXPECT_EQ(sum, before);
		pid = fork();
		if (!pid) {
			int mine = pe_self(&own);
			struct usage unused;
			char state = 0;

			pe_fault(2);
			while (state != 'S' && !look(getppid(), &unused, &state))
				pe_sleep_ms(1);
			if (mine < 0 || pe_ioctl(mine, PERF_EVENT_IOC_ENABLE, 0))
				_exit(1);
			pe_ioctl(inherited, PERF_EVENT_IOC_ENABLE, 0);
			pe_fault(i);
			pe_ioctl(inherited, PERF_EVENT_IOC_DISABLE, 0);
			pe_ioctl(mine, PERF_EVENT_IOC_DISABLE, 0);
			_exit(pe_count(mine) == i ? 0 : 2);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		sum += i;
	}
	EXPECT_EQ(sum, pe_count(inherited));
	close(inherited);
}

TEST_HARNESS_MAIN
