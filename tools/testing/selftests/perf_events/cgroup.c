// SPDX-License-Identifier: GPL-2.0
/*
 * Events of cgroups, in a hierarchy of the perf_event controller (v1) and in the unified one (v2).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_rounds.h"
#include "pe_sim.h"

#define PAGES	40

/**
 * struct groups - the cgroups of a test
 * @v1: mount point of the perf_event controller's hierarchy, or ""
 * @up: the parent of the others
 * @left: a child of @up
 * @right: another child of @up
 */
struct groups {
	char v1[128];
	int up, left, right;
};

FIXTURE(cgroup) {
	struct perf_event_attr a;
	struct pe_child child;
	struct groups g;
};

FIXTURE_VARIANT(cgroup) {
	bool unified;
};

FIXTURE_VARIANT_ADD(cgroup, v1) {
	.unified = false,
};

FIXTURE_VARIANT_ADD(cgroup, v2) {
	.unified = true,
};

static bool is_v1(const char *root)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/cgroup.controllers", root);
	return access(path, F_OK);
}

static int of(struct perf_event_attr *attr, int dir, int cpu)
{
	return pe_open(attr, dir, cpu, -1, PERF_FLAG_PID_CGROUP);
}

static bool make_groups(struct groups *g)
{
	struct perf_event_attr attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int dirs[3], event;
	unsigned int i;

	g->up = pe_cgroup_make("pe_up");
	g->left = pe_cgroup_make("pe_up/left");
	g->right = pe_cgroup_make("pe_up/right");
	dirs[0] = g->up;
	dirs[1] = g->left;
	dirs[2] = g->right;
	for (i = 0; i < PE_ARRAY_SIZE(dirs); i++) {
		event = of(&attr, dirs[i], 0);
		if (event < 0)
			return false;
		close(event);
	}
	return true;
}

static int remove_groups(struct groups *g)
{
	close(g->up);
	close(g->left);
	close(g->right);
	pe_cgroup_remove("pe_up/left");
	pe_cgroup_remove("pe_up/right");
	return pe_cgroup_remove("pe_up");
}

/*
 * Move the controller to the v1 or the unified hierarchy. An unmounted hierarchy keeps the
 * controller until it has no cgroup, and removed cgroups are freed late: so retry.
 */
static bool use_hierarchy(struct groups *g, bool unified)
{
	int tries;

	if (!*pe_cgroup_root())
		return false;
	if (!is_v1(pe_cgroup_root()))
		return unified && make_groups(g);
	if (!unified)
		return make_groups(g);
	snprintf(g->v1, sizeof(g->v1), "%s", pe_cgroup_root());
	umount(g->v1);
	for (tries = 0; tries < 3600; tries++) {
		if (tries % 20 == 0) {
			mount("cgroup", g->v1, "cgroup", 0, "perf_event");
			pe_sleep_ms(100);
			umount(g->v1);
		}
		pe_sleep_ms(50);
		if (*pe_cgroup_root() && !is_v1(pe_cgroup_root())) {
			if (make_groups(g))
				return true;
			remove_groups(g);
		}
	}
	return false;
}

FIXTURE_SETUP(cgroup)
{
	self->g.v1[0] = 0;
	self->child.pid = 0;
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	if (!use_hierarchy(&self->g, variant->unified)) {
		if (self->g.v1[0])
			mount("cgroup", self->g.v1, "cgroup", 0, "perf_event");
		SKIP(return, "no such hierarchy");
	}
	ASSERT_EQ(0, pe_child_start(&self->child));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_MOVE, 0));
}

FIXTURE_TEARDOWN(cgroup)
{
	if (self->child.pid) {
		pe_child_end(&self->child);
		EXPECT_EQ(0, remove_groups(&self->g));
	}
	if (self->g.v1[0])
		mount("cgroup", self->g.v1, "cgroup", 0, "perf_event");
}

TEST_F(cgroup, counts_for_ancestors_too)
{
	int up = of(&self->a, self->g.up, 0), left = of(&self->a, self->g.left, 0);
	int right = of(&self->a, self->g.right, 0), elsewhere = of(&self->a, self->g.left, 1);

	ASSERT_LE(0, up);
	ASSERT_LE(0, left);
	ASSERT_LE(0, right);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	EXPECT_EQ(0, pe_count(up));
	ASSERT_EQ(0, pe_cgroup_enter("pe_up/left", self->child.pid));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	EXPECT_LE(PAGES, pe_count(left));
	EXPECT_EQ(pe_count(left), pe_count(up));
	EXPECT_EQ(0, pe_count(right));
	if (elsewhere >= 0) {
		EXPECT_EQ(0, pe_count(elsewhere));
		close(elsewhere);
	}
	close(up);
	close(left);
	close(right);
}

TEST_F(cgroup, follows_moved_task)
{
	int up = of(&self->a, self->g.up, 0), left = of(&self->a, self->g.left, 0);
	int right = of(&self->a, self->g.right, 0);
	unsigned int i;

	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, pe_cgroup_enter(i & 1 ? "pe_up/left" : "pe_up/right",
					     self->child.pid));
		ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	}
	EXPECT_LE(5 * PAGES, pe_count(left));
	EXPECT_LE(5 * PAGES, pe_count(right));
	EXPECT_GT(6 * PAGES, pe_count(left));
	EXPECT_EQ(pe_count(left) + pe_count(right), pe_count(up));
	ASSERT_EQ(0, pe_cgroup_enter("", self->child.pid));
	i = pe_count(up);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	EXPECT_EQ(i, pe_count(up));
	close(up);
	close(left);
	close(right);
}

#define DEPTH	12

/* A cgroup of any depth: the events of all its ancestors count, and no others. */
TEST_F(cgroup, deep)
{
	int dir[DEPTH], event[DEPTH], enter[] = { DEPTH - 1, 4, 5, DEPTH - 1, 0 };
	char path[DEPTH][64] = { "pe_up/left" };
	unsigned int i, n;

	for (n = 1; n < DEPTH; n++)
		snprintf(path[n], sizeof(path[n]), "%s/d", path[n - 1]);
	for (n = 0; n < DEPTH; n++) {
		dir[n] = n ? pe_cgroup_make(path[n]) : self->g.left;
		ASSERT_LE(0, dir[n]);
		/* Only the first cgroup, and then each fourth one, has an event. */
		event[n] = n % 4 == 3 || !n ? of(&self->a, dir[n], 0) : -1;
	}
	for (i = 0; i < PE_ARRAY_SIZE(enter); i++) {
		__s64 was[DEPTH], more;

		for (n = 0; n < DEPTH; n++)
			was[n] = event[n] < 0 ? 0 : pe_count(event[n]);
		ASSERT_EQ(0, pe_cgroup_enter(path[enter[i]], self->child.pid));
		ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
		for (n = 0; n < DEPTH; n++) {
			if (event[n] < 0)
				continue;
			more = pe_count(event[n]) - was[n];
			if ((int)n > enter[i]) {
				EXPECT_EQ(0, more);
				continue;
			}
			EXPECT_LE(PAGES, more);
		}
	}
	ASSERT_EQ(0, pe_cgroup_enter("", self->child.pid));
	for (n = DEPTH; n--; ) {
		if (event[n] >= 0)
			close(event[n]);
		if (!n)
			break;
		close(dir[n]);
		EXPECT_EQ(0, pe_cgroup_remove(path[n]));
	}
}

/* A task was moved while no event of a cgroup was open: an event that is opened later counts it. */
TEST_F(cgroup, moved_before_the_event)
{
	int left, right;
	unsigned int i;

	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, pe_cgroup_enter(i & 1 ? "pe_up/left" : "pe_up/right",
					     self->child.pid));
		left = of(&self->a, self->g.left, 0);
		right = of(&self->a, self->g.right, 0);
		ASSERT_LE(0, left);
		ASSERT_LE(0, right);
		ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
		EXPECT_LE(PAGES, pe_count(i & 1 ? left : right));
		EXPECT_EQ(0, pe_count(i & 1 ? right : left));
		close(left);
		close(right);
	}
	ASSERT_EQ(0, pe_cgroup_enter("", self->child.pid));
}

/* An event that is opened while a task of the cgroup runs counts at once. */
TEST_F(cgroup, opened_late)
{
	int left;

	ASSERT_EQ(0, pe_cgroup_enter("pe_up/left", self->child.pid));
	ASSERT_EQ(0, pe_cgroup_enter("pe_up/left", getpid()));
	ASSERT_EQ(0, pe_move_to(0));
	left = of(&self->a, self->g.left, 0);
	ASSERT_LE(0, left);
	pe_fault(PAGES);
	EXPECT_LE(PAGES, pe_count(left));
	close(left);
	ASSERT_EQ(0, pe_cgroup_enter("", getpid()));
}

/* The enabled time runs only while the cgroup has a running task. */
TEST_F(cgroup, time_is_the_cgroups)
{
	__u64 idle[3], busy[3], after[3];
	int left;

	self->a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	left = of(&self->a, self->g.left, 0);
	ASSERT_LE(0, left);
	ASSERT_EQ(sizeof(idle), read(left, idle, sizeof(idle)));
	pe_spin(10000);
	ASSERT_EQ(sizeof(busy), read(left, busy, sizeof(busy)));
	EXPECT_EQ(idle[1], busy[1]);
	ASSERT_EQ(0, pe_cgroup_enter("pe_up/left", self->child.pid));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	ASSERT_EQ(0, pe_cgroup_enter("", self->child.pid));
	ASSERT_EQ(sizeof(busy), read(left, busy, sizeof(busy)));
	EXPECT_LT(idle[1], busy[1]);
	EXPECT_EQ(busy[1], busy[2]);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	ASSERT_EQ(sizeof(after), read(left, after, sizeof(after)));
	EXPECT_EQ(busy[0], after[0]);
	EXPECT_EQ(busy[1], after[1]);
	close(left);
}

TEST_F(cgroup, removed_with_live_events)
{
	int gone = pe_cgroup_make("pe_up/gone"), up = of(&self->a, self->g.up, 0), event;
	__u64 before;

	ASSERT_LE(0, gone);
	event = of(&self->a, gone, 0);
	ASSERT_LE(0, event);
	ASSERT_EQ(0, pe_cgroup_enter("pe_up/gone", self->child.pid));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	ASSERT_EQ(0, pe_cgroup_enter("pe_up/left", self->child.pid));
	close(gone);
	ASSERT_EQ(0, pe_cgroup_remove("pe_up/gone"));
	before = pe_count(event);
	EXPECT_LE(PAGES, before);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	EXPECT_EQ(before, pe_count(event));
	EXPECT_LE(before + PAGES, pe_count(up));
	EXPECT_EQ(0, pe_ioctl(event, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(0, pe_ioctl(event, PERF_EVENT_IOC_ENABLE, 0));
	close(event);
	close(up);
}

/* Two cgroups compete for counters: a pinned event is scheduled before flexible ones. */
TEST_F(cgroup, pinned)
{
	struct perf_event_attr a = pe_sim_attr();
	int flexible[2 * PE_SIM_COUNTERS], inner[2 * PE_SIM_COUNTERS], left, up;
	unsigned int i;
	__u64 value;

	if (geteuid() || pe_sim_type() < 0)
		SKIP(return, "needs the simulated PMU, and root");
	for (i = 0; i < PE_ARRAY_SIZE(flexible); i++) {
		flexible[i] = pe_open(&a, -1, 0, -1, 0);
		ASSERT_LE(0, flexible[i]);
		inner[i] = of(&a, self->g.left, 0);
		ASSERT_LE(0, inner[i]);
	}
	a.pinned = 1;
	left = of(&a, self->g.left, 0);
	ASSERT_LE(0, left);
	up = of(&a, self->g.up, 0);
	ASSERT_LE(0, up);
	ASSERT_EQ(0, pe_cgroup_enter("pe_up/left", self->child.pid));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_STEP, 1000));
	/* A pinned event that did not fit is in the error state: a read returns 0 bytes. */
	ASSERT_EQ(sizeof(value), read(left, &value, sizeof(value)));
	EXPECT_EQ(1000, value);
	ASSERT_EQ(sizeof(value), read(up, &value, sizeof(value)));
	EXPECT_EQ(1000, value);
	ASSERT_EQ(0, pe_cgroup_enter("", self->child.pid));
	close(left);
	close(up);
	for (i = 0; i < PE_ARRAY_SIZE(flexible); i++) {
		close(flexible[i]);
		close(inner[i]);
	}
}

TEST_F(cgroup, group_of_events)
{
	int leader, member, unnamed;
	__u64 faults;

	leader = of(&self->a, self->g.left, 0);
	ASSERT_LE(0, leader);
	self->a.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	member = pe_open(&self->a, self->g.left, 0, leader, PERF_FLAG_PID_CGROUP);
	ASSERT_LE(0, member);
	/* A member without a cgroup of its own counts for its leader's cgroup. */
	unnamed = pe_open(&self->a, -1, 0, leader, 0);
	ASSERT_LE(0, unnamed);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	EXPECT_EQ(0, pe_count(unnamed));
	ASSERT_EQ(0, pe_cgroup_enter("pe_up/left", self->child.pid));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	faults = pe_count(leader);
	EXPECT_LE(PAGES, faults);
	EXPECT_LE(PAGES, pe_count(member));
	EXPECT_EQ(pe_count(member), pe_count(unnamed));
	EXPECT_EQ(0, pe_ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	EXPECT_EQ(faults, pe_count(leader));
	close(leader);
	close(member);
	close(unnamed);
}

/*
 * With attr.inherit, too, the event of a cgroup counts each task of the cgroup once: the children
 * of a task are in the cgroup by themselves.
 */
TEST_F(cgroup, inherit)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	int inherited, plain;
	void *p;

	plain = of(&self->a, self->g.left, 0);
	ASSERT_LE(0, plain);
	self->a.inherit = 1;
	inherited = of(&self->a, self->g.left, 0);
	ASSERT_LE(0, inherited);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FORK_FAULT, PAGES));
	EXPECT_EQ(0, pe_count(inherited));
	ASSERT_EQ(0, pe_cgroup_enter("pe_up/left", self->child.pid));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FAULT, PAGES));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FORK_FAULT, PAGES));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_GRAND_FAULT, PAGES));
	EXPECT_LE(3 * PAGES, pe_count(inherited));
	EXPECT_EQ(pe_count(plain), pe_count(inherited));
	/* The event has a CPU, so that it can be mapped. */
	p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, inherited, 0);
	EXPECT_NE(MAP_FAILED, p);
	if (p != MAP_FAILED)
		munmap(p, 2 * page);
	close(inherited);
	close(plain);
}

/* In a group of a cgroup, each event may have attr.inherit or not. */
TEST_F(cgroup, inherited_groups)
{
	int leader, member[2], i;
	__u64 value[4];

	for (i = 0; i < 2; i++) {
		self->a.read_format = PERF_FORMAT_GROUP;
		self->a.inherit = i;
		leader = of(&self->a, self->g.left, 0);
		ASSERT_LE(0, leader);
		self->a.read_format = 0;
		member[0] = pe_open(&self->a, self->g.left, 0, leader, PERF_FLAG_PID_CGROUP);
		ASSERT_LE(0, member[0]);
		self->a.inherit = !i;
		/* A member counts for the leader's cgroup, with or without a cgroup of its own. */
		EXPECT_EQ(0, pe_try(&self->a, self->g.left, 0, leader, PERF_FLAG_PID_CGROUP));
		member[1] = pe_open(&self->a, -1, 0, leader, 0);
		ASSERT_LE(0, member[1]);
		EXPECT_EQ(-EINVAL, pe_try(&self->a, self->g.right, 0, leader,
					  PERF_FLAG_PID_CGROUP));
		ASSERT_EQ(0, pe_cgroup_enter("pe_up/left", self->child.pid));
		ASSERT_EQ(0, pe_child_do(&self->child, PE_FORK_FAULT, PAGES));
		ASSERT_EQ(0, pe_cgroup_enter("", self->child.pid));
		ASSERT_EQ(0, pe_child_do(&self->child, PE_FORK_FAULT, PAGES));
		ASSERT_EQ(sizeof(value), read(leader, value, sizeof(value)));
		EXPECT_EQ(3, value[0]);
		EXPECT_LE(PAGES, value[1]);
		EXPECT_EQ(value[1], value[2]);
		EXPECT_EQ(value[1], value[3]);
		close(member[1]);
		close(member[0]);
		close(leader);
	}
}

static int tree(unsigned int depth)
{
	const unsigned int width[] = { pe_rounds(9), pe_rounds(10), 10 };
	int status, wrong = 0;
	unsigned int i;
	pid_t pid;

	pe_fault(3);
	if (!depth--)
		return 0;
	for (i = 0; i < width[depth]; i++) {
		pid = fork();
		if (!pid)
			_exit(tree(depth));
		wrong |= pid < 0 || waitpid(pid, &status, 0) != pid || status;
	}
	return wrong;
}

/* The cgroup's event and an inherited event count the same for a tree of 1011 processes. */
TEST_F(cgroup, many_processes)
{
	int cpu, cpus = pe_cpu_count(), wide[64], inherited, go[2], ready[2], status;
	pid_t me = getpid(), root;
	__u64 sum = 0;
	char c = 0;

	if (cpus > 64)
		cpus = 64;
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(ready));
	root = fork();
	if (!root) {
		pe_die_with(me);
		/* The child touches all its memory before its event is opened. */
		_exit(write(ready[1], &c, 1) != 1 || read(go[0], &c, 1) != 1 ||
		      write(ready[1], &c, 1) != 1 || read(go[0], &c, 1) != 1 || tree(3));
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	ASSERT_EQ(1, write(go[1], &c, 1));
	ASSERT_EQ(1, read(ready[0], &c, 1));
	while (pe_task_state(root) != 'S')
		pe_sleep_ms(1);
	self->a.inherit = 1;
	inherited = pe_open(&self->a, root, -1, -1, 0);
	ASSERT_LE(0, inherited);
	self->a.inherit = 0;
	for (cpu = 0; cpu < cpus; cpu++) {
		wide[cpu] = of(&self->a, self->g.left, cpu);
		ASSERT_LE(0, wide[cpu]);
	}
	ASSERT_EQ(0, pe_cgroup_enter("pe_up/left", root));
	ASSERT_EQ(1, write(go[1], &c, 1));
	ASSERT_EQ(root, waitpid(root, &status, 0));
	EXPECT_EQ(0, status);
	for (cpu = 0; cpu < cpus; cpu++) {
		sum += pe_count(wide[cpu]);
		close(wide[cpu]);
	}
	/* The root, and its 10 children with their trees */
	EXPECT_LE(3 * (1 + 10 * (1 + pe_rounds(10) * (1 + pe_rounds(9)))), sum);
	EXPECT_EQ(pe_count(inherited), sum);
	close(inherited);
}

TEST_HARNESS_MAIN
