// SPDX-License-Identifier: GPL-2.0
/*
 * Groups that tasks on all CPUs have inherited: enable, disable and close.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_hw.h"
#include "pe_rounds.h"
#include "pe_sim.h"

#define CHILDREN	4
#define STEPS		(pe_rounds(1000) * ORDERS)
#define ORDERS		pe_rounds(500)
#define TIMES	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

struct timed {
	__u64 value, enabled, running;
};

static struct timed get(int fd)
{
	struct timed t = { 0 };

	if (read(fd, &t, sizeof(t)) != sizeof(t))
		t.value = UINT64_MAX;
	return t;
}

/* A leader and two members, and one or two tasks on each CPU that inherit them. */
FIXTURE(crowd) {
	struct perf_event_attr a;
	struct pe_child child[CHILDREN];
	int fd[3];
};

FIXTURE_SETUP(crowd)
{
	int i, cpus = pe_cpu_count();

	if (pe_sim_type() < 0)
		SKIP(return, "no simulated PMU");
	if (geteuid())
		SKIP(return, "needs root");
	/* The ABI does not guarantee that all events of a group count the same steps. */
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	ASSERT_EQ(0, pe_move_to(0));
	self->a = pe_sim_attr();
	self->a.inherit = 1;
	self->a.read_format = TIMES;
	for (i = 0; i < 3; i++) {
		self->fd[i] = pe_open(&self->a, 0, -1, i ? self->fd[0] : -1, 0);
		ASSERT_LE(0, self->fd[i]);
	}
	for (i = 0; i < CHILDREN; i++) {
		ASSERT_EQ(0, pe_child_start(&self->child[i]));
		ASSERT_EQ(0, pe_child_do(&self->child[i], PE_MOVE, i % cpus));
	}
}

FIXTURE_TEARDOWN(crowd)
{
	int i;

	for (i = 0; i < CHILDREN; i++)
		pe_child_end(&self->child[i]);
	for (i = 0; i < 3; i++)
		close(self->fd[i]);
}

static void group_ioctl(struct __test_metadata *_metadata, int fd, unsigned long cmd)
{
	ASSERT_EQ(0, pe_ioctl(fd, cmd, PERF_IOC_FLAG_GROUP));
}

/* After the group is disabled, the time of no inherited event runs, even while its task runs. */
TEST_F(crowd, stands_still_when_disabled)
{
	struct timed first, second;
	int r, i;

	for (i = 0; i < CHILDREN; i++)
		ASSERT_EQ(0, pe_child_send(&self->child[i], PE_STEP, STEPS));
	for (r = 0; r < 40; r++) {
		/* The ioctl works on any event of the group. */
		group_ioctl(_metadata, self->fd[r % 3], PERF_EVENT_IOC_DISABLE);
		for (i = 0; i < 3; i++) {
			first = get(self->fd[i]);
			second = get(self->fd[i]);
			EXPECT_EQ(first.value, second.value);
			EXPECT_EQ(first.enabled, second.enabled);
			EXPECT_EQ(first.running, second.running);
		}
		group_ioctl(_metadata, self->fd[(r + 1) % 3], PERF_EVENT_IOC_ENABLE);
		first = get(self->fd[r % 3]);
		EXPECT_LT(second.enabled, first.enabled);
	}
	for (i = 0; i < CHILDREN; i++)
		ASSERT_EQ(0, pe_child_answer(&self->child[i]));

	/* Each inherited event has the state of its parent: all are enabled, and count the same. */
	group_ioctl(_metadata, self->fd[0], PERF_EVENT_IOC_DISABLE);
	group_ioctl(_metadata, self->fd[0], PERF_EVENT_IOC_RESET);
	group_ioctl(_metadata, self->fd[0], PERF_EVENT_IOC_ENABLE);
	for (i = 0; i < CHILDREN; i++)
		ASSERT_EQ(0, pe_child_do(&self->child[i], PE_STEP, 10 + i));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(10 * CHILDREN + CHILDREN * (CHILDREN - 1) / 2, get(self->fd[i]).value);
}

/* A disabled member is enabled with its group, and can be enabled alone later. */
TEST_F(crowd, members_come_on_with_the_group)
{
	int i;

	ASSERT_EQ(0, pe_ioctl(self->fd[1], PERF_EVENT_IOC_DISABLE, 0));
	for (i = 0; i < CHILDREN; i++)
		ASSERT_EQ(0, pe_child_do(&self->child[i], PE_STEP, 3));
	EXPECT_EQ(3 * CHILDREN, get(self->fd[0]).value);
	EXPECT_EQ(0, get(self->fd[1]).value);
	group_ioctl(_metadata, self->fd[2], PERF_EVENT_IOC_ENABLE);
	for (i = 0; i < CHILDREN; i++)
		ASSERT_EQ(0, pe_child_do(&self->child[i], PE_STEP, 4));
	EXPECT_EQ(7 * CHILDREN, get(self->fd[0]).value);
	EXPECT_EQ(4 * CHILDREN, get(self->fd[1]).value);
	EXPECT_EQ(7 * CHILDREN, get(self->fd[2]).value);
	ASSERT_EQ(0, pe_ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
	for (i = 0; i < CHILDREN; i++)
		ASSERT_EQ(0, pe_child_do(&self->child[i], PE_STEP, 5));
	EXPECT_EQ(7 * CHILDREN, get(self->fd[0]).value);
	EXPECT_EQ(4 * CHILDREN, get(self->fd[1]).value);
}

/* Start a task on a CPU that inherits the group, but has none of the group's files. */
static int start_without_files(struct pe_child *c, int cpu)
{
	int ret = pe_child_start(c);

	if (!ret)
		ret = pe_child_do(c, PE_EXEC, 0);
	return ret ?: pe_child_do(c, PE_MOVE, cpu);
}

/* The leader and a member are closed while all tasks count: the other member misses no step. */
TEST(the_rest_counts_on_when_some_are_closed)
{
	struct perf_event_attr a;
	struct pe_child c[CHILDREN];
	int r, i, fd[3], cpus = pe_cpu_count();
	struct timed t;

	if (pe_sim_type() < 0)
		SKIP(return, "no simulated PMU");
	if (geteuid())
		SKIP(return, "needs root");
	/* The ABI does not guarantee that steps during a close of other events are counted. */
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	ASSERT_EQ(0, pe_move_to(0));
	a = pe_sim_attr();
	a.inherit = 1;
	a.read_format = TIMES;
	for (r = 0; r < 6; r++) {
		/*
		 * An event is closed with the last duplicate of its file: an exec closes those of a
		 * child.
		 */
		for (i = 0; i < 3; i++) {
			fd[i] = pe_open(&a, 0, -1, i ? fd[0] : -1, PERF_FLAG_FD_CLOEXEC);
			ASSERT_LE(0, fd[i]);
		}
		for (i = 0; i < CHILDREN; i++)
			ASSERT_EQ(0, start_without_files(&c[i], i % cpus));
		/* Do many steps, so that some are before and some after each close. */
		for (i = 0; i < CHILDREN * ORDERS; i++)
			ASSERT_EQ(0, pe_child_send(&c[i % CHILDREN], PE_STEP, STEPS / ORDERS));
		/* Each round closes two other events, in another order. */
		close(fd[r % 3]);
		close(fd[(r + 1 + r / 3) % 3]);
		for (i = 0; i < CHILDREN * ORDERS; i++)
			ASSERT_EQ(0, pe_child_answer(&c[i / ORDERS]));
		i = 3 - r % 3 - (r + 1 + r / 3) % 3;
		t = get(fd[i]);
		EXPECT_EQ(CHILDREN * STEPS, t.value);
		/* No other event needs the counters: otherwise steps might be missed. */
		EXPECT_EQ(t.enabled, t.running);
		close(fd[i]);
		for (i = 0; i < CHILDREN; i++)
			pe_child_end(&c[i]);
	}
}

/* For each byte from the pipe, make steps and write an answer. */
static void step_by_bytes(int in, int out)
{
	char c;

	while (read(in, &c, 1) == 1) {
		if (pe_sim_advance(c) || write(out, &c, 1) != 1)
			break;
	}
	_exit(0);
}

/* A task that waits, forks one that makes steps, and execs. */
static void fork_and_exec(const int *go, const int *in, const int *out)
{
	char c, text[32];

	if (read(go[0], &c, 1) != 1)
		_exit(1);
	if (!fork()) {
		close(in[1]);
		step_by_bytes(in[0], out[1]);
	}
	/* pe_child.c: the new program writes to the pipe, and waits for its end. */
	snprintf(text, sizeof(text), "%d:%d", go[0], out[1]);
	setenv("PE_CHILD", text, 1);
	execl("/proc/self/exe", "child", NULL);
	_exit(1);
}

/*
 * execve(2) removes an event from its group, but not its child in another task. The event then no
 * longer belongs to the group that is enabled, but its child is still a member.
 */
TEST(child_of_a_member_that_has_left)
{
	struct perf_event_attr a;
	int fd[2], go[2], in[2], out[2], ret;
	pid_t child;
	char c = 7;

	if (pe_sim_type() < 0)
		SKIP(return, "no simulated PMU");
	if (geteuid())
		SKIP(return, "needs root");
	/* The ABI does not guarantee these counts. */
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	ASSERT_EQ(0, pe_move_to(0));
	a = pe_sim_attr();
	a.inherit = 1;
	a.read_format = TIMES;
	ASSERT_EQ(0, pipe(go) | pipe(in) | pipe(out));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		close(go[1]);
		fork_and_exec(go, in, out);
	}
	fd[0] = pe_open(&a, child, -1, -1, 0);
	ASSERT_LE(0, fd[0]);
	a.remove_on_exec = 1;
	fd[1] = pe_open(&a, child, -1, fd[0], 0);
	ASSERT_LE(0, fd[1]);
	ASSERT_EQ(1, write(go[1], &c, 1));
	ASSERT_EQ(sizeof(ret), read(out[0], &ret, sizeof(ret)));

	ASSERT_EQ(0, pe_ioctl(fd[1], PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, pe_ioctl(fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	ASSERT_EQ(0, pe_ioctl(fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	ASSERT_EQ(1, write(in[1], &c, 1));
	ASSERT_EQ(1, read(out[0], &c, 1));
	EXPECT_EQ(7, get(fd[0]).value);
	EXPECT_EQ(0, get(fd[1]).value);

	/* The event's own children can be enabled as before. */
	ASSERT_EQ(0, pe_ioctl(fd[1], PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(1, write(in[1], &c, 1));
	ASSERT_EQ(1, read(out[0], &c, 1));
	EXPECT_EQ(14, get(fd[0]).value);
	EXPECT_EQ(7, get(fd[1]).value);

	close(go[1]);
	close(in[1]);
	waitpid(child, NULL, 0);
	close(fd[1]);
	close(fd[0]);
}

TEST_HARNESS_MAIN
