// SPDX-License-Identifier: GPL-2.0
/*
 * Counts of single tasks from inherited events: PERF_SAMPLE_READ in samples, and PERF_RECORD_READ
 * at the exit of a task.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_records.h"

#define TASKS	8
#define PAGES	20
#define TURNS	50

static struct pe_record rec;

FIXTURE(each) {
	struct perf_event_attr a;
	struct pe_ring ring;
	struct pe_sample s;
	int fd;
};

FIXTURE_SETUP(each)
{
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.inherit = 1;
	self->a.sample_id_all = 1;
	self->a.sample_type = PE_ID_FIELDS;
	self->fd = -1;
	/* Only an event with a CPU can be both inherited and mapped. */
	ASSERT_EQ(0, pe_move_to(0));
}

FIXTURE_TEARDOWN(each)
{
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
}

static void start(struct __test_metadata *_metadata, struct _test_data_each *self)
{
	/* The event is disabled until it has a buffer, so that records have its whole count. */
	self->a.disabled = 1;
	self->fd = pe_open(&self->a, 0, 0, -1, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 128));
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0));
}

/**
 * struct task - contents of the records of a task
 * @pid: its id
 * @count: count in the last sample
 * @second: count of the other member of the group
 * @faults: its page faults as wait4(2) reports them
 */
struct task {
	pid_t pid;
	__u64 count, second;
	__u64 faults;
};

static struct task tasks[TASKS + 1];
static unsigned int nr_tasks;

static struct task *find(pid_t pid)
{
	unsigned int i;

	for (i = 0; i < nr_tasks; i++)
		if (tasks[i].pid == pid)
			return &tasks[i];
	return NULL;
}

static void add(pid_t pid)
{
	memset(&tasks[nr_tasks], 0, sizeof(tasks[0]));
	tasks[nr_tasks++].pid = pid;
}

static __u64 faults_of(const struct rusage *usage)
{
	return usage->ru_minflt + usage->ru_majflt;
}

/* Alternate with another task, so that each is switched out and in. */
static void turns(int from, int to, unsigned int nr)
{
	char c = 0;

	while (nr--) {
		if (write(to, &c, 1) != 1 || read(from, &c, 1) != 1)
			_exit(1);
		pe_fault(1);
	}
}

static void two_take_turns(struct __test_metadata *_metadata)
{
	int there[2], back[2], i;
	pid_t pid;

	ASSERT_EQ(0, pipe(there));
	ASSERT_EQ(0, pipe(back));
	for (i = 0; i < 2; i++) {
		pid = fork();
		if (!pid) {
			turns(i ? back[0] : there[0], i ? there[1] : back[1], TURNS);
			_exit(0);
		}
		add(pid);
	}
}

static void wait_all(struct __test_metadata *_metadata)
{
	struct rusage usage;
	unsigned int i;
	int status;

	for (i = 1; i < nr_tasks; i++) {
		ASSERT_EQ(tasks[i].pid, wait4(tasks[i].pid, &status, 0, &usage));
		EXPECT_EQ(0, status);
		tasks[i].faults = faults_of(&usage);
	}
}

/* Fork children that touch pages: some one after the other, two that alternate. */
static void fork_tasks(struct __test_metadata *_metadata)
{
	unsigned int i;
	pid_t pid;

	nr_tasks = 0;
	add(getpid());
	for (i = 0; i < TASKS - 2; i++) {
		pid = fork();
		if (!pid) {
			pe_fault(PAGES + i);
			_exit(0);
		}
		add(pid);
	}
	two_take_turns(_metadata);
	wait_all(_metadata);
}

static void lossless(struct __test_metadata *_metadata, struct _test_data_each *self)
{
	EXPECT_EQ(false, rec.head.type == PERF_RECORD_LOST) {
		TH_LOG("the buffer is too small");
	}
}

/*
 * The samples of each task have the count of its own events. The count rises by one each time, even
 * if other tasks run in between.
 */
static void sampled(struct __test_metadata *_metadata, struct _test_data_each *self)
{
	__u64 value[2], sum = 0, id = pe_id(self->fd);
	struct task *task;
	unsigned int i;

	fork_tasks(_metadata);
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0));
	while (pe_ring_next(&self->ring, &rec) == 1) {
		lossless(_metadata, self);
		if (rec.head.type != PERF_RECORD_SAMPLE)
			continue;
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
		task = find(self->s.tid);
		ASSERT_NE(NULL, task);
		ASSERT_EQ(2, self->s.nr_values);
		EXPECT_EQ(task->count + 1, self->s.values[0]);
		EXPECT_EQ(id, self->s.values[1]);
		EXPECT_EQ(id, self->s.id);
		/*
		 * The stream_id is that of the inherited event, and differs from the
		 * parent's id.
		 */
		EXPECT_EQ(task == tasks, self->s.stream_id == id);
		task->count = self->s.values[0];
	}
	for (i = 0; i < nr_tasks; i++) {
		if (i)
			EXPECT_EQ(tasks[i].faults, tasks[i].count);
		sum += tasks[i].count;
	}
	/* read(2) returns the sum of all tasks. */
	ASSERT_EQ(sizeof(value), read(self->fd, value, sizeof(value)));
	EXPECT_EQ(sum, value[0]);
}

TEST_F(each, samples_have_its_count)
{
	self->a.sample_period = 1;
	self->a.sample_type |= PERF_SAMPLE_READ;
	self->a.read_format = PERF_FORMAT_ID;
	start(_metadata, self);
	sampled(_metadata, self);
}

TEST_F(each, samples_have_its_group)
{
	struct perf_event_attr m = pe_attr(PERF_COUNT_SW_PAGE_FAULTS_MIN);
	struct task *task;
	int member, nr = 0;
	__u64 ids[2];

	self->a.sample_period = 1;
	self->a.sample_type |= PERF_SAMPLE_READ;
	self->a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	start(_metadata, self);
	m.inherit = 1;
	member = pe_open(&m, 0, 0, self->fd, 0);
	ASSERT_LE(0, member);
	ids[0] = pe_id(self->fd);
	ids[1] = pe_id(member);
	fork_tasks(_metadata);
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	while (pe_ring_next(&self->ring, &rec) == 1) {
		lossless(_metadata, self);
		if (rec.head.type != PERF_RECORD_SAMPLE)
			continue;
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
		task = find(self->s.tid);
		ASSERT_NE(NULL, task);
		/* This task had some faults before there was a member. */
		if (task == tasks)
			continue;
		ASSERT_EQ(5, self->s.nr_values);
		EXPECT_EQ(2, self->s.values[0]);
		EXPECT_EQ(task->count + 1, self->s.values[1]);
		EXPECT_EQ(ids[0], self->s.values[2]);
		EXPECT_LE(task->second, self->s.values[3]);
		/* A fault is counted by the leader before the member counts it as minor. */
		EXPECT_GE(self->s.values[1], self->s.values[3]);
		EXPECT_EQ(ids[1], self->s.values[4]);
		task->count = self->s.values[1];
		task->second = self->s.values[3];
		nr++;
	}
	EXPECT_LE(PAGES, nr);
	close(member);
}

TEST_F(each, needs_a_thread_id)
{
	self->a.sample_period = 1;
	self->a.read_format = PERF_FORMAT_GROUP;
	self->a.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_ID;
	EXPECT_EQ(-EINVAL, pe_try(&self->a, 0, 0, -1, 0));
	self->a.sample_type |= PERF_SAMPLE_TID;
	EXPECT_EQ(0, pe_try(&self->a, 0, 0, -1, 0));
}

/* PERF_RECORD_READ: the values of one task. */
static unsigned int values(const struct perf_event_attr *attr, __u64 *value, pid_t *pid)
{
	__u32 ids[2];
	unsigned int nr;

	memcpy(ids, rec.body, sizeof(ids));
	*pid = ids[0] == ids[1] ? ids[0] : 0;
	nr = (rec.head.size - sizeof(rec.head) - sizeof(ids)) / 8 -
	     __builtin_popcountll(attr->sample_type & PE_ID_FIELDS);
	memcpy(value, rec.body + sizeof(ids), 8 * (nr < 16 ? nr : 16));
	return nr;
}

TEST_F(each, read_record_at_exit)
{
	__u64 value[16], sum = 0, total[4];
	unsigned int nr_records = 0, i;
	pid_t pid;

	self->a.inherit_stat = 1;
	self->a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			      PERF_FORMAT_ID;
	start(_metadata, self);
	ASSERT_EQ(0, pe_ring_poison(&self->ring, self->fd, 0));
	fork_tasks(_metadata);
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0));
	while (pe_ring_next(&self->ring, &rec) == 1) {
		ASSERT_EQ(PERF_RECORD_READ, rec.head.type);
		ASSERT_EQ(NULL, pe_record_fault(&self->a, &rec, &self->s));
		EXPECT_EQ(4, values(&self->a, value, &pid));
		ASSERT_NE(NULL, find(pid));
		EXPECT_EQ(pid, self->s.tid);
		EXPECT_EQ(0, find(pid)->count);
		find(pid)->count = value[0];
		EXPECT_EQ(find(pid)->faults, value[0]);
		EXPECT_LT(0, value[1]);
		EXPECT_LE(value[2], value[1]);
		EXPECT_EQ(pe_id(self->fd), value[3]);
		sum += value[0];
		nr_records++;
	}
	/* 6.12 detaches the task's events before it adds up counts, and writes no record. */
	if (!nr_records && !getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	EXPECT_EQ(TASKS, nr_records);
	for (i = 1; i < nr_tasks; i++)
		EXPECT_LT(0, tasks[i].count);
	ASSERT_EQ(sizeof(total), read(self->fd, total, sizeof(total)));
	EXPECT_LT(sum, total[0]);
}

TEST_F(each, group_read_record_at_exit)
{
	struct perf_event_attr m = pe_attr(PERF_COUNT_SW_PAGE_FAULTS_MIN);
	struct perf_event_attr maj = pe_attr(PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	unsigned int nr_records = 0;
	int member, third;
	__u64 value[16];
	pid_t pid;

	self->a.inherit_stat = 1;
	self->a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	start(_metadata, self);
	m.inherit = 1;
	maj.inherit = 1;
	member = pe_open(&m, 0, 0, self->fd, 0);
	third = pe_open(&maj, 0, 0, self->fd, 0);
	ASSERT_LE(0, member);
	ASSERT_LE(0, third);
	fork_tasks(_metadata);
	while (pe_ring_next(&self->ring, &rec) == 1) {
		ASSERT_EQ(PERF_RECORD_READ, rec.head.type);
		ASSERT_EQ(NULL, pe_record_fault(&self->a, &rec, &self->s));
		ASSERT_EQ(7, values(&self->a, value, &pid));
		EXPECT_EQ(3, value[0]);
		EXPECT_EQ(find(pid)->faults, value[1]);
		EXPECT_EQ(pe_id(self->fd), value[2]);
		EXPECT_EQ(value[1], value[3] + value[5]);
		EXPECT_EQ(pe_id(member), value[4]);
		EXPECT_EQ(pe_id(third), value[6]);
		nr_records++;
	}
	close(member);
	close(third);
	if (!nr_records && !getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	EXPECT_EQ(TASKS, nr_records);
}

/* Attributes of an inherited page fault event with PERF_FORMAT_GROUP */
static struct perf_event_attr member_attr(void)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);

	a.inherit = 1;
	a.read_format = PERF_FORMAT_GROUP;
	return a;
}

/*
 * Open a member after fork(2). 6.12 may have swapped the contexts of parent and child at a task
 * switch, and then refuses members: -EAGAIN.
 */
static int open_late(int leader)
{
	struct perf_event_attr a = member_attr();
	int fd = pe_open(&a, 0, -1, leader, 0);

	return fd == -EINVAL && !getenv("PE_HARD") ? -EAGAIN : fd;
}

/* Open a group of three that is read as a group. execve(2) removes the member if @gone is 1. */
static int open_three(int fd[3], unsigned int gone)
{
	struct perf_event_attr a = member_attr();
	int i;

	for (i = 0; i < 3; i++) {
		a.remove_on_exec = gone >> i & 1;
		fd[i] = pe_open(&a, 0, -1, i ? fd[0] : -1, PERF_FLAG_FD_CLOEXEC);
		if (fd[i] < 0)
			return fd[i];
	}
	return 0;
}

/* A read adds up inherited groups only if they have the same members. */
TEST(sum_of_unequal_groups)
{
	struct pe_child c;
	int fd[4], i;
	__u64 v[8];

	ASSERT_EQ(0, open_three(fd, 0));
	ASSERT_EQ(0, pe_child_start(&c));
	ASSERT_EQ(0, pe_child_do(&c, PE_FAULT, 10));
	ASSERT_EQ(8 * 4, read(fd[0], v, sizeof(v)));
	EXPECT_EQ(3, v[0]);

	/* The child has not inherited a member that is opened later. */
	fd[3] = open_late(fd[0]);
	if (fd[3] == -EAGAIN)
		SKIP(return, "the child has the group");
	ASSERT_LE(0, fd[3]);
	EXPECT_EQ(-1, read(fd[0], v, sizeof(v)));
	EXPECT_EQ(ECHILD, errno);
	/*
	 * After that member is closed, the groups are equal again. 6.12 compares the number of
	 * changes.
	 */
	close(fd[3]);
	if (getenv("PE_HARD")) {
		ASSERT_EQ(8 * 4, read(fd[0], v, sizeof(v)));
		EXPECT_LE(10, v[1]);
	}
	/* The counts of inherited events of exited tasks are already in the sums. */
	fd[3] = open_late(fd[0]);
	if (fd[3] == -EAGAIN)
		SKIP(return, "the child has the group");
	ASSERT_LE(0, fd[3]);
	EXPECT_EQ(0, pe_child_end(&c));
	ASSERT_EQ(8 * 5, read(fd[0], v, sizeof(v)));
	EXPECT_EQ(4, v[0]);
	EXPECT_LE(10, v[1]);
	for (i = 0; i < 4; i++)
		close(fd[i]);
}

/* execve(2) removes a member of the inherited group, but not of the parents. */
TEST(sum_of_groups_after_exec)
{
	struct pe_child c;
	int fd[3], i;
	__u64 v[8];

	ASSERT_EQ(0, open_three(fd, 1 << 1));
	ASSERT_EQ(0, pe_child_start(&c));
	ASSERT_EQ(8 * 4, read(fd[0], v, sizeof(v)));
	ASSERT_EQ(0, pe_child_do(&c, PE_EXEC, 0));
	EXPECT_EQ(-1, read(fd[0], v, sizeof(v)));
	EXPECT_EQ(ECHILD, errno);
	/*
	 * Without the removed member the groups are equal again. With a new
	 * member they differ.
	 */
	close(fd[1]);
	EXPECT_EQ(8 * 3, read(fd[0], v, sizeof(v)));
	fd[1] = open_late(fd[0]);
	if (fd[1] == -EAGAIN)
		SKIP(return, "the child has the group");
	ASSERT_LE(0, fd[1]);
	EXPECT_EQ(-1, read(fd[0], v, sizeof(v)));
	EXPECT_EQ(ECHILD, errno);
	EXPECT_EQ(0, pe_child_end(&c));
	EXPECT_EQ(8 * 4, read(fd[0], v, sizeof(v)));
	for (i = 0; i < 3; i++)
		close(fd[i]);
}

TEST_F(each, no_read_record_by_default)
{
	start(_metadata, self);
	fork_tasks(_metadata);
	EXPECT_EQ(0, pe_ring_next(&self->ring, &rec));
}

TEST_HARNESS_MAIN
