// SPDX-License-Identifier: GPL-2.0
/*
 * Records of namespaces. The ids in all records are those of the pid namespace in which the event
 * was opened, for any reader.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_records.h"

static const struct {
	const char *name;
	int flag;
} spaces[NR_NAMESPACES] = {
	[NET_NS_INDEX] = { "net", CLONE_NEWNET },
	[UTS_NS_INDEX] = { "uts", CLONE_NEWUTS },
	[IPC_NS_INDEX] = { "ipc", CLONE_NEWIPC },
	[PID_NS_INDEX] = { "pid", CLONE_NEWPID },
	[USER_NS_INDEX] = { "user", CLONE_NEWUSER },
	[MNT_NS_INDEX] = { "mnt", CLONE_NEWNS },
	[CGROUP_NS_INDEX] = { "cgroup", CLONE_NEWCGROUP },
};

static struct pe_record rec;

FIXTURE(ns) {
	struct perf_event_attr a;
	struct pe_ring ring;
	struct pe_sample id;
	struct pe_namespaces n;
	int fd;
};

FIXTURE_SETUP(ns)
{
	self->a = pe_attr(PERF_COUNT_SW_DUMMY);
	self->a.sample_type = PE_ID_FIELDS;
	self->a.sample_id_all = 1;
	self->a.namespaces = 1;
	self->fd = -1;
	if (geteuid())
		SKIP(return, "only for root");
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 8));
	ASSERT_EQ(0, pe_ring_poison(&self->ring, self->fd, -1));
}

FIXTURE_TEARDOWN(ns)
{
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
}

static bool next(struct __test_metadata *_metadata, struct _test_data_ns *self)
{
	const char *fault;

	if (pe_ring_next(&self->ring, &rec) != 1)
		return false;
	fault = pe_record_fault(&self->a, &rec, &self->id);
	EXPECT_EQ(NULL, fault) {
		TH_LOG("%s", fault);
	}
	EXPECT_EQ(PERF_RECORD_NAMESPACES, rec.head.type);
	memcpy(&self->n, rec.body, sizeof(self->n));
	EXPECT_EQ(NR_NAMESPACES, self->n.nr);
	EXPECT_EQ(getpid(), self->id.pid);
	return true;
}

/*
 * Check that the record has the same number for each namespace as the link in
 * /proc.
 */
static void expect_links(struct __test_metadata *_metadata, struct _test_data_ns *self,
			 pid_t pid)
{
	char path[64];
	struct stat st;
	int i;

	for (i = 0; i < NR_NAMESPACES; i++) {
		snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, spaces[i].name);
		if (stat(path, &st))
			memset(&st, 0, sizeof(st));
		EXPECT_EQ(st.st_dev, self->n.link[i].dev);
		EXPECT_EQ(st.st_ino, self->n.link[i].ino) {
			TH_LOG("%s", path);
		}
	}
}

TEST_F(ns, unshare)
{
	__u64 before;
	int i;

	/*
	 * Leave one namespace after the other; the user namespace last, as this drops the
	 * capabilities.
	 */
	for (i = 0; i < NR_NAMESPACES; i++) {
		if (spaces[i].flag == CLONE_NEWUSER)
			continue;
		before = self->n.link[i].ino;
		if (unshare(spaces[i].flag))
			continue;
		ASSERT_EQ(true, next(_metadata, self)) {
			TH_LOG("%s", spaces[i].name);
		}
		EXPECT_EQ(getpid(), self->n.pid);
		EXPECT_EQ(getpid(), self->n.tid);
		expect_links(_metadata, self, getpid());
		/* The task itself stays in its pid namespace. */
		if (before && spaces[i].flag != CLONE_NEWPID)
			EXPECT_NE(before, self->n.link[i].ino);
		EXPECT_EQ(false, next(_metadata, self));
	}
	if (!unshare(CLONE_NEWUSER)) {
		ASSERT_EQ(true, next(_metadata, self));
		expect_links(_metadata, self, getpid());
	}
}

TEST_F(ns, several_at_once)
{
	if (unshare(CLONE_NEWUTS | CLONE_NEWNS))
		SKIP(return, "no such namespaces");
	ASSERT_EQ(true, next(_metadata, self));
	expect_links(_metadata, self, getpid());
	EXPECT_EQ(false, next(_metadata, self));
}

TEST_F(ns, there_and_back)
{
	struct pe_namespaces there;
	int old = open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC);

	if (old < 0 || unshare(CLONE_NEWUTS))
		SKIP(return, "no such namespace");
	ASSERT_EQ(true, next(_metadata, self));
	there = self->n;
	ASSERT_EQ(0, setns(old, CLONE_NEWUTS));
	ASSERT_EQ(true, next(_metadata, self));
	EXPECT_NE(there.link[UTS_NS_INDEX].ino, self->n.link[UTS_NS_INDEX].ino);
	expect_links(_metadata, self, getpid());
	close(old);
}

static pid_t clone_with(unsigned long flags)
{
	return syscall(__NR_clone, flags | SIGCHLD, 0, 0, 0, 0);
}

TEST_F(ns, of_a_child)
{
	unsigned long flags[] = { 0, CLONE_NEWUTS | CLONE_NEWPID };
	unsigned int i;
	pid_t child;
	int go[2];

	ASSERT_EQ(0, pipe(go));
	for (i = 0; i < PE_ARRAY_SIZE(flags); i++) {
		child = clone_with(flags[i]);
		if (child < 0)
			break;
		if (!child) {
			close(go[1]);
			_exit(read(go[0], &child, 1));
		}
		ASSERT_EQ(true, next(_metadata, self));
		EXPECT_EQ(child, self->n.pid);
		EXPECT_EQ(child, self->n.tid);
		expect_links(_metadata, self, child);
		EXPECT_EQ(false, next(_metadata, self));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	close(go[0]);
	close(go[1]);
}

/*
 * Ids of a process in a pid namespace of its own. The process renames itself, touches a page, and
 * forks a child that exits.
 */
struct told {
	pid_t self, child;		/* ids in the inner namespace */
	pid_t outer_self, outer_child;	/* ids in the outer namespace */
	int own, cpu;			/* events that the process has opened */
};

FIXTURE(pidns) {
	struct perf_event_attr a;
	struct pe_ring inner, outer, cpu;
	struct pe_sample s;
	struct told *told;
	int go[2], ready[2], fd;
	pid_t pid;
};

/* /proc shows the outer namespace. */
static pid_t outer_pid(void)
{
	char text[32] = "";

	return readlink("/proc/self", text, sizeof(text) - 1) > 0 ? atoi(text) : -1;
}

static int step(int from, int to)
{
	char c = 0;

	return write(to, &c, 1) == 1 && read(from, &c, 1) == 1 ? 0 : 1;
}

static int inside(struct perf_event_attr *attr, struct told *told, int from, int to)
{
	struct perf_event_attr cpu = *attr;
	pid_t child;
	int err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pe_move_to(0);
	pe_fault(1);
	told->self = getpid();
	told->outer_self = outer_pid();
	told->own = pe_self(attr);
	cpu.sample_period = 0;
	told->cpu = pe_open(&cpu, -1, 0, -1, 0);
	err = step(from, to);
	prctl(PR_SET_NAME, "inside", 0, 0, 0);
	pe_fault(1);
	child = fork();
	if (!child) {
		told->outer_child = outer_pid();
		_exit(0);
	}
	told->child = child;
	waitpid(child, NULL, 0);
	return err | step(from, to);
}

/* Duplicate a file descriptor of another process. */
static int borrow(pid_t pid, int fd)
{
	int pidfd = syscall(__NR_pidfd_open, pid, 0), ret;

	ret = syscall(__NR_pidfd_getfd, pidfd, fd, 0);
	close(pidfd);
	return ret;
}

FIXTURE_SETUP(pidns)
{
	struct perf_event_attr outer;
	char c;

	self->pid = 0;
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.sample_period = 1;
	self->a.sample_type = PE_ID_FIELDS;
	self->a.sample_id_all = 1;
	self->a.exclude_kernel = 1;
	self->a.comm = 1;
	self->a.task = 1;
	if (geteuid())
		SKIP(return, "only for root");
	self->told = mmap(NULL, sizeof(*self->told), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->told);
	ASSERT_EQ(0, pipe(self->go));
	ASSERT_EQ(0, pipe(self->ready));
	self->pid = clone_with(CLONE_NEWPID);
	if (self->pid < 0)
		SKIP(return, "no pid namespaces");
	if (!self->pid)
		_exit(inside(&self->a, self->told, self->go[0], self->ready[1]));
	ASSERT_EQ(1, read(self->ready[0], &c, 1));
	ASSERT_LE(0, self->told->own);
	ASSERT_LE(0, self->told->cpu);
	ASSERT_EQ(0, pe_ring_map(&self->inner, borrow(self->pid, self->told->own), 8));
	ASSERT_EQ(0, pe_ring_map(&self->cpu, borrow(self->pid, self->told->cpu), 64));
	outer = self->a;
	/* In 6.12, samples of one fault by two events have the ids of the first event. */
	if (!getenv("PE_HARD"))
		outer.sample_period = 0;
	self->fd = pe_open(&outer, self->pid, -1, -1, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->outer, self->fd, 8));
}

FIXTURE_TEARDOWN(pidns)
{
	if (self->pid > 0) {
		kill(self->pid, SIGKILL);
		waitpid(self->pid, NULL, 0);
	}
}

static void work(struct __test_metadata *_metadata, struct _test_data_pidns *self)
{
	char c = 0;

	ASSERT_EQ(1, write(self->go[1], &c, 1));
	ASSERT_EQ(1, read(self->ready[0], &c, 1));
	EXPECT_EQ(1, self->told->self);
	EXPECT_EQ(2, self->told->child);
	EXPECT_EQ(self->pid, self->told->outer_self);
	EXPECT_LT(0, self->told->outer_child);
	EXPECT_NE(self->pid, self->told->outer_child);
}

/* Expect the records of the name, the fault and the child, with these ids. */
static void expect_ids(struct __test_metadata *_metadata, struct _test_data_pidns *self,
		       struct pe_ring *ring, __u32 pid, __u32 child)
{
	unsigned int names = 0, samples = 0, forks = 0;
	struct pe_task task;
	__u32 ids[2];

	while (pe_ring_next(ring, &rec) == 1) {
		if (rec.head.type == PERF_RECORD_SAMPLE) {
			ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
			samples++;
		} else {
			EXPECT_EQ(NULL, pe_record_fault(&self->a, &rec, &self->s));
		}
		EXPECT_EQ(pid, self->s.pid) {
			TH_LOG("in a record of type %u", rec.head.type);
		}
		EXPECT_EQ(pid, self->s.tid);
		if (rec.head.type == PERF_RECORD_COMM) {
			memcpy(ids, rec.body, sizeof(ids));
			EXPECT_EQ(pid, ids[0]);
			EXPECT_EQ(pid, ids[1]);
			EXPECT_STREQ("inside", pe_record_name(&rec));
			names++;
		}
		if (rec.head.type == PERF_RECORD_FORK) {
			memcpy(&task, rec.body, sizeof(task));
			EXPECT_EQ(child, task.pid);
			EXPECT_EQ(child, task.tid);
			EXPECT_EQ(pid, task.ppid);
			EXPECT_EQ(pid, task.ptid);
			forks++;
		}
	}
	EXPECT_EQ(1, names);
	EXPECT_EQ(1, forks);
	if (pid == 1 || getenv("PE_HARD"))
		EXPECT_LE(1, samples);
}

TEST_F(pidns, ids_of_whoever_opened)
{
	work(_metadata, self);
	expect_ids(_metadata, self, &self->inner, 1, 2);
	expect_ids(_metadata, self, &self->outer, self->pid, self->told->outer_child);
}

TEST_F(pidns, end_of_its_first_process)
{
	struct pe_task task;
	char c = 0;

	work(_metadata, self);
	pe_ring_drop(&self->inner, 0);
	pe_ring_drop(&self->outer, 0);
	ASSERT_EQ(1, write(self->go[1], &c, 1));
	ASSERT_EQ(self->pid, waitpid(self->pid, NULL, 0));
	self->pid = 0;
	/* The parent of the process is not in the namespace. */
	ASSERT_EQ(1, pe_ring_find(&self->inner, &rec, PERF_RECORD_EXIT));
	memcpy(&task, rec.body, sizeof(task));
	EXPECT_EQ(1, task.pid);
	EXPECT_EQ(1, task.tid);
	EXPECT_EQ(0, task.ppid);
	ASSERT_EQ(1, pe_ring_find(&self->outer, &rec, PERF_RECORD_EXIT));
	memcpy(&task, rec.body, sizeof(task));
	EXPECT_EQ(self->told->outer_self, task.pid);
	EXPECT_EQ(getpid(), task.ppid);
}

/* An event on a CPU gets records of tasks that have no id in the event's namespace. */
TEST_F(pidns, strangers_have_no_id)
{
	struct perf_event_attr a = self->a;
	unsigned int inside = 0, outside = 0;
	__u32 ids[2], want;
	const char *name;

	a.sample_period = 0;
	work(_metadata, self);
	ASSERT_EQ(0, pe_move_to(0));
	ASSERT_EQ(0, prctl(PR_SET_NAME, "outside", 0, 0, 0));
	while (pe_ring_next(&self->cpu, &rec) == 1) {
		if (rec.head.type != PERF_RECORD_COMM)
			continue;
		EXPECT_EQ(NULL, pe_record_fault(&a, &rec, &self->s));
		name = pe_record_name(&rec);
		memcpy(ids, rec.body, sizeof(ids));
		if (!strcmp(name, "inside"))
			inside++;
		else if (!strcmp(name, "outside"))
			outside++;
		else
			continue;
		want = !strcmp(name, "inside");
		EXPECT_EQ(want, ids[0]);
		EXPECT_EQ(want, ids[1]);
		EXPECT_EQ(want, self->s.pid);
		EXPECT_EQ(want, self->s.tid);
	}
	EXPECT_EQ(1, inside);
	EXPECT_EQ(1, outside);
}

TEST_HARNESS_MAIN
