// SPDX-License-Identifier: GPL-2.0
/*
 * The ids in records of a task that exits, in its pid namespace and in other namespaces. A task
 * that has exited keeps its ids until it is released. A thread is released at once. The first
 * thread of a process is released after all others, when the parent has waited for the process or
 * ignores SIGCHLD. A released task has the thread id -1. Its process has an id until the first
 * thread is released, and -1 from then on. Until it is released, a task outside of the event's
 * namespace has the id 0. The tasks run on CPU 0, and the event has one buffer, so the records are
 * in order.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_records.h"

#define TRIES	30000	/* of 1 ms; a slow machine may need seconds */
#define NAME	"pe_ends"

/* Exit of a thread; of the first thread before others; of all; of all others by an exec */
enum deed {
	END_THREAD,
	END_LEADER,
	END_PROCESS,
	END_BY_EXEC,
};

/* The namespaces of the event and of the tasks that exit. */
enum place {
	TOGETHER,	/* both in the test's */
	INSIDE,		/* both in a child namespace */
	ABOVE,		/* the event in the test's namespace, the tasks in a child */
	STRANGE,	/* the event in a child namespace, the tasks in the test's */
};

/**
 * struct ids - ids of one task
 * @pid: id of its process
 * @tid: id of the thread
 */
struct ids {
	__u32 pid, tid;
};

/**
 * struct names - the ids of one task
 * @own: in its own namespace
 * @above: in the test's namespace
 */
struct names {
	struct ids own, above;
};

/**
 * struct shared - reports of the other processes to the test
 * @parent: parent of the process
 * @first: the first thread of the process
 * @thread: its other thread
 * @fd: the event that the process inside the namespace has opened
 */
struct shared {
	struct names parent, first, thread;
	int fd;
};

/* Pairs of ids that records have. */
enum pair {
	FIRST,		/* of the first thread */
	THREAD,		/* of the other thread */
	NO_THREAD,	/* of the process, and no thread */
	NONE,		/* of no process */
	NR_PAIRS,
};

/* Where a record has ids. */
enum where {
	SAMPLE,		/* in the sample that a switch from the task causes */
	OUT,		/* in the sample_id of the switch's record */
	PREVIOUS,	/* in the record of the switch to the next task */
	FORK,
	EXIT,
	NAMED,
	EXECS,
	COUNTED,	/* in the READ record of a task that has exited */
	NR_WHERE,
};

static struct pe_record rec;
static struct shared *shared;
static int go[2], ready[2];

FIXTURE(ends) {
	struct perf_event_attr a;
	struct pe_ring ring;
	struct ids parent, is[NR_PAIRS];
	unsigned int seen[NR_WHERE][NR_PAIRS];
	int fd;
	pid_t watched, below, here;
};

FIXTURE_VARIANT(ends) {
	enum place place;
	bool ignored;
};

FIXTURE_VARIANT_ADD(ends, together_waited)
{
	.place = TOGETHER,
};

FIXTURE_VARIANT_ADD(ends, together_ignored)
{
	.place = TOGETHER,
	.ignored = true,
};

FIXTURE_VARIANT_ADD(ends, inside_waited)
{
	.place = INSIDE,
};

FIXTURE_VARIANT_ADD(ends, inside_ignored)
{
	.place = INSIDE,
	.ignored = true,
};

FIXTURE_VARIANT_ADD(ends, above_waited)
{
	.place = ABOVE,
};

FIXTURE_VARIANT_ADD(ends, above_ignored)
{
	.place = ABOVE,
	.ignored = true,
};

FIXTURE_VARIANT_ADD(ends, strange_waited)
{
	.place = STRANGE,
};

FIXTURE_VARIANT_ADD(ends, strange_ignored)
{
	.place = STRANGE,
	.ignored = true,
};

/* /proc shows the test's namespace. */
static void find_names(struct names *n)
{
	char text[64] = "";

	n->own.pid = getpid();
	n->own.tid = syscall(__NR_gettid);
	if (readlink("/proc/thread-self", text, sizeof(text) - 1) < 0 ||
	    sscanf(text, "%u/task/%u", &n->above.pid, &n->above.tid) != 2)
		n->above.pid = 0;
}

static void ready_to_go(void)
{
	char c;

	if (write(ready[1], "", 1) != 1 || read(go[0], &c, 1) != 1)
		_exit(1);
}

static void *thread(void *arg)
{
	enum deed *deed = arg;

	find_names(&shared->thread);
	ready_to_go();
	prctl(PR_SET_NAME, NAME, 0, 0, 0);
	if (*deed == END_BY_EXEC)
		execl("/bin/sh", "sh", "-c", ":", NULL);
	syscall(__NR_exit, 0);
	return NULL;
}

/* The process under test: itself or one of its threads exits. */
static void process(enum deed deed)
{
	pthread_t id;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	find_names(&shared->first);
	if (deed == END_PROCESS) {
		ready_to_go();
		prctl(PR_SET_NAME, NAME, 0, 0, 0);
		_exit(0);
	}
	if (pthread_create(&id, NULL, thread, &deed))
		_exit(1);
	if (deed == END_LEADER)
		syscall(__NR_exit, 0);
	for (;;)
		pause();
}

/* The parent of the process under test never waits for it, and may ignore SIGCHLD. */
static void parent(enum deed deed, bool ignored)
{
	find_names(&shared->parent);
	if (ignored)
		signal(SIGCHLD, SIG_IGN);
	if (!fork())
		process(deed);
	for (;;)
		pause();
}

static pid_t clone_with(unsigned long flags)
{
	return syscall(__NR_clone, flags | SIGCHLD, 0, 0, 0, 0);
}

/* Duplicate a file descriptor of another process. */
static int borrow(pid_t pid, int fd)
{
	int pidfd = syscall(__NR_pidfd_open, pid, 0), ret;

	ret = syscall(__NR_pidfd_getfd, pidfd, fd, 0);
	close(pidfd);
	return ret;
}

FIXTURE_SETUP(ends)
{
	self->watched = -1;
	self->below = 0;
	self->here = 0;
	self->fd = -1;
	memset(self->seen, 0, sizeof(self->seen));
	self->a = pe_attr(PERF_COUNT_SW_CONTEXT_SWITCHES);
	self->a.sample_period = 1;
	self->a.sample_type = PERF_SAMPLE_TID;
	self->a.sample_id_all = 1;
	self->a.context_switch = 1;
	self->a.task = 1;
	self->a.comm = 1;
	self->a.comm_exec = 1;
	if (geteuid())
		SKIP(return, "only for root");
	ASSERT_EQ(0, pe_move_to(0));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)shared);
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(ready));
}

FIXTURE_TEARDOWN(ends)
{
	pid_t pids[] = { self->here, self->below };
	unsigned int i;

	for (i = 0; i < PE_ARRAY_SIZE(pids); i++) {
		if (pids[i] <= 0)
			continue;
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
}

/* Open the event, and start the process, which waits for let_go() before it exits. */
static void start(struct __test_metadata *_metadata, struct _test_data_ends *self,
		  const struct _fixture_variant_ends *variant, enum deed deed)
{
	bool in_test = variant->place == TOGETHER || variant->place == ABOVE;
	char c;

	if (in_test) {
		self->fd = pe_open(&self->a, self->watched, 0, -1, 0);
		ASSERT_LE(0, self->fd);
		ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 64));
	}
	if (variant->place != TOGETHER) {
		self->below = clone_with(CLONE_NEWPID);
		if (self->below < 0)
			SKIP(return, "no pid namespaces");
		if (!self->below) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (!in_test) {
				shared->fd = pe_open(&self->a, self->watched, 0, -1, 0);
				ready_to_go();
			}
			if (variant->place != STRANGE)
				parent(deed, variant->ignored);
			for (;;)
				pause();
		}
	}
	if (!in_test) {
		ASSERT_EQ(1, read(ready[0], &c, 1));
		self->fd = borrow(self->below, shared->fd);
		ASSERT_LE(0, self->fd);
		ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 64));
		ASSERT_EQ(1, write(go[1], "", 1));
	}
	if (variant->place == TOGETHER || variant->place == STRANGE) {
		self->here = fork();
		ASSERT_LE(0, self->here);
		if (!self->here) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			parent(deed, variant->ignored);
		}
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	self->is[NONE] = (struct ids){ -1, -1 };
	if (variant->place == STRANGE) {
		/* All ids are 0 until the task is released. After that the ids mean no process. */
		self->is[NO_THREAD] = self->is[NONE];
		return;
	}
	self->parent = variant->place == ABOVE ? shared->parent.above : shared->parent.own;
	self->is[FIRST] = variant->place == ABOVE ? shared->first.above : shared->first.own;
	self->is[THREAD] = variant->place == ABOVE ? shared->thread.above : shared->thread.own;
	self->is[NO_THREAD] = (struct ids){ self->is[FIRST].pid, -1 };
	ASSERT_NE(0, self->is[FIRST].pid);
	/* There is no other thread. */
	if (deed == END_PROCESS)
		self->is[THREAD] = self->is[FIRST];
	ASSERT_EQ(self->is[FIRST].pid, self->is[THREAD].pid);
}

static void let_go(struct __test_metadata *_metadata)
{
	ASSERT_EQ(1, write(go[1], "", 1));
}

static void note(struct __test_metadata *_metadata, struct _test_data_ends *self,
		 enum where where, __u32 pid, __u32 tid)
{
	enum pair w;

	/* Ids without a process have no thread, and the other thread's ids have its process. */
	if (pid == -1U || !pid)
		EXPECT_EQ(pid, tid);
	if (tid && tid == self->is[THREAD].tid)
		EXPECT_EQ(self->is[THREAD].pid, pid);
	for (w = 0; w < NR_PAIRS; w++)
		self->seen[where][w] += pid == self->is[w].pid && tid == self->is[w].tid;
}

static bool equal(struct ids a, struct ids b)
{
	return a.pid == b.pid && a.tid == b.tid;
}

static void note_task(struct __test_metadata *_metadata, struct _test_data_ends *self)
{
	struct pe_task task;
	struct ids ids;
	enum pair w;

	memcpy(&task, rec.body, sizeof(task));
	ids = (struct ids){ task.pid, task.tid };
	note(_metadata, self, rec.head.type == PERF_RECORD_EXIT ? EXIT : FORK, ids.pid, ids.tid);
	for (w = FIRST; w <= THREAD; w++) {
		if (!equal(ids, self->is[w]))
			continue;
		/* The first thread forks the other one; all other records name the parent. */
		if (rec.head.type == PERF_RECORD_FORK && w == THREAD &&
		    !equal(ids, self->is[FIRST])) {
			EXPECT_EQ(self->is[FIRST].pid, task.ppid);
			EXPECT_EQ(self->is[FIRST].tid, task.ptid);
		} else {
			EXPECT_EQ(self->parent.pid, task.ppid);
			EXPECT_EQ(self->parent.tid, task.ptid);
		}
		/* From here on only switches of the exit count. */
		if (rec.head.type == PERF_RECORD_EXIT) {
			self->seen[SAMPLE][w] = 0;
			self->seen[OUT][w] = 0;
			self->seen[PREVIOUS][w] = 0;
		}
	}
}

/* Count the records in the buffer, by their ids. */
static void collect(struct __test_metadata *_metadata, struct _test_data_ends *self)
{
	struct pe_sample s;
	const char *fault;
	struct ids ids;

	while (pe_ring_next(&self->ring, &rec) == 1) {
		ASSERT_NE(PERF_RECORD_LOST, rec.head.type);
		if (rec.head.type == PERF_RECORD_SAMPLE) {
			ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &s));
			note(_metadata, self, SAMPLE, s.pid, s.tid);
			continue;
		}
		fault = pe_record_fault(&self->a, &rec, &s);
		ASSERT_EQ(NULL, fault) {
			TH_LOG("type %u: %s", rec.head.type, fault);
		}
		memcpy(&ids, rec.body, sizeof(ids));
		switch (rec.head.type) {
		case PERF_RECORD_FORK:
		case PERF_RECORD_EXIT:
			note_task(_metadata, self);
			/* The task that exits has written the record. */
			memcpy(&ids, rec.body + 8, sizeof(ids.pid));
			if (rec.head.type == PERF_RECORD_EXIT)
				EXPECT_EQ(ids.pid, s.tid);
			break;
		case PERF_RECORD_COMM:
			EXPECT_EQ(ids.pid, s.pid);
			EXPECT_EQ(ids.tid, s.tid);
			if (!strcmp(NAME, pe_record_name(&rec)))
				note(_metadata, self, NAMED, ids.pid, ids.tid);
			if (rec.head.misc & PERF_RECORD_MISC_COMM_EXEC)
				note(_metadata, self, EXECS, ids.pid, ids.tid);
			break;
		case PERF_RECORD_READ:
			/* The task that exits has written this record, too. */
			EXPECT_TRUE(equal(ids, (struct ids){ s.pid, s.tid }));
			note(_metadata, self, COUNTED, ids.pid, ids.tid);
			break;
		case PERF_RECORD_SWITCH_CPU_WIDE:
			if (rec.head.misc & PERF_RECORD_MISC_SWITCH_OUT)
				note(_metadata, self, OUT, s.pid, s.tid);
			else
				note(_metadata, self, PREVIOUS, ids.pid, ids.tid);
			break;
		}
	}
}

/* Wait until at least @least records have the ids @pair at the place @where. */
static void expect(struct __test_metadata *_metadata, struct _test_data_ends *self,
		   enum where where, enum pair pair, unsigned int least)
{
	unsigned int tries;

	for (tries = 0; tries < TRIES && self->seen[where][pair] < least; tries++) {
		collect(_metadata, self);
		if (self->seen[where][pair] < least)
			pe_sleep_ms(1);
	}
	EXPECT_LE(least, self->seen[where][pair]) {
		TH_LOG("place %u of ids %d %d", where, (int)self->is[pair].pid,
		       (int)self->is[pair].tid);
	}
}

/* The task is switched out for the last time. */
static void expect_last_switch(struct __test_metadata *_metadata, struct _test_data_ends *self,
			       enum pair pair)
{
	expect(_metadata, self, SAMPLE, pair, 1);
	expect(_metadata, self, OUT, pair, 1);
	expect(_metadata, self, PREVIOUS, pair, 1);
}

TEST_F(ends, thread)
{
	start(_metadata, self, variant, END_THREAD);
	expect(_metadata, self, FORK, FIRST, 1);
	expect(_metadata, self, FORK, THREAD, 1);
	let_go(_metadata);
	expect(_metadata, self, NAMED, THREAD, 1);
	expect(_metadata, self, EXIT, THREAD, 1);
	expect_last_switch(_metadata, self, NO_THREAD);
}

TEST_F(ends, first_thread_before_another)
{
	start(_metadata, self, variant, END_LEADER);
	expect(_metadata, self, EXIT, FIRST, 1);
	expect_last_switch(_metadata, self, FIRST);
	/* The first thread is not released before the other one, also if SIGCHLD is ignored. */
	let_go(_metadata);
	expect(_metadata, self, NAMED, THREAD, 1);
	expect(_metadata, self, EXIT, THREAD, 1);
	expect_last_switch(_metadata, self, variant->ignored ? NONE : NO_THREAD);
}

TEST_F(ends, process)
{
	start(_metadata, self, variant, END_PROCESS);
	expect(_metadata, self, FORK, FIRST, 1);
	let_go(_metadata);
	expect(_metadata, self, NAMED, FIRST, 1);
	expect(_metadata, self, EXIT, FIRST, 1);
	expect_last_switch(_metadata, self, variant->ignored ? NONE : FIRST);
}

/* The event is inherited by the tasks that exit: the task that opens it forks them. */
static void follow_tasks(struct _test_data_ends *self)
{
	self->watched = 0;
	self->a.inherit = 1;
	self->a.inherit_stat = 1;
}

TEST_F(ends, counts_of_a_thread)
{
	/* 6.12 detaches the task's events before it adds up counts, and writes no record. */
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	if (variant->place == STRANGE)
		SKIP(return, "no event of that namespace follows these tasks");
	follow_tasks(self);
	start(_metadata, self, variant, END_THREAD);
	let_go(_metadata);
	expect(_metadata, self, EXIT, THREAD, 1);
	expect(_metadata, self, COUNTED, THREAD, 1);
	EXPECT_EQ(0, self->seen[COUNTED][FIRST]);
}

TEST_F(ends, counts_of_a_process)
{
	/* 6.12 detaches the task's events before it adds up counts, and writes no record. */
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	if (variant->place == STRANGE)
		SKIP(return, "no event of that namespace follows these tasks");
	follow_tasks(self);
	start(_metadata, self, variant, END_PROCESS);
	let_go(_metadata);
	expect(_metadata, self, EXIT, FIRST, 1);
	expect(_metadata, self, COUNTED, FIRST, 1);
}

/* The thread that executes a program takes the ids of the first one. */
TEST_F(ends, others_by_exec)
{
	start(_metadata, self, variant, END_BY_EXEC);
	let_go(_metadata);
	expect(_metadata, self, NAMED, THREAD, 1);
	expect(_metadata, self, EXECS, FIRST, 1);
	/* The old first thread, and the program. */
	expect(_metadata, self, EXIT, FIRST, 2);
	expect_last_switch(_metadata, self, variant->ignored ? NONE : FIRST);
}

TEST_HARNESS_MAIN
