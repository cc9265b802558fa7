// SPDX-License-Identifier: GPL-2.0
/*
 * A random tree of tasks, and its records. The tasks fork, create threads, exec, rename themselves,
 * map code, move between CPUs and exit, all by a seed, and log this in shared memory. A reader
 * reads the records of the CPUs, sorts them by time, and must find exactly the forks, exits, names
 * and mappings of the log. PE_MODEL_SEED sets the first seed, PE_MODEL_RUNS the number of trees. A
 * failure prints its seed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"

#define MODEL_NODE	"PE_MODEL_NODE"
#define LOG_FD		200
#define CODE_FD		201
#define LOG_MAX		4096
#define CODE_SLOTS	64
#define SLOT_PAGES	8
#define MAX_DEPTH	4
#define MAX_TASKS	60
#define RING_PAGES	512
#define DEFAULT_RUNS	12
#define MAX_CPUS	64

enum deed { BORN, NAMED, EXECED, MAPPED, GONE };

/**
 * struct entry - an action of a task, or its creation
 * @deed: kind of the action
 * @pid: process
 * @tid: thread
 * @a: BORN: parent's process. MAPPED: address
 * @b: BORN: parent's thread. MAPPED: bytes
 * @c: MAPPED: offset in the file
 * @name: NAMED
 */
struct entry {
	enum deed deed;
	__u32 pid, tid;
	__u64 a, b, c;
	char name[16];
};

/**
 * struct model_log - the log, in memory that all tasks of a tree share
 * @nr: number of entries
 * @tasks: number of tasks that have been made
 * @entry: entries; those of one task are in their order
 */
struct model_log {
	unsigned int nr, tasks;
	struct entry entry[LOG_MAX];
};

static struct model_log *truth;

/* Number of CPUs on which the tree runs, and from which the reader reads. */
static int cpus(void)
{
	int nr = pe_cpu_count();

	return nr < MAX_CPUS ? nr : MAX_CPUS;
}

static __u32 gettid_(void)
{
	return syscall(SYS_gettid);
}

static __u32 roll(__u64 *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

static void note(enum deed deed, __u64 a, __u64 b, __u64 c, const char *name)
{
	struct entry *e = &truth->entry[__atomic_fetch_add(&truth->nr, 1, __ATOMIC_SEQ_CST)];

	if (e >= truth->entry + LOG_MAX)
		abort();
	e->pid = getpid();
	e->tid = gettid_();
	e->a = a;
	e->b = b;
	e->c = c;
	snprintf(e->name, sizeof(e->name), "%s", name);
	e->deed = deed;
}

/* May the tree have another task? */
static bool take_place(void)
{
	return __atomic_fetch_add(&truth->tasks, 1, __ATOMIC_SEQ_CST) < MAX_TASKS;
}

static void rename_me(__u64 *seed)
{
	char name[16];

	snprintf(name, sizeof(name), "m%u", roll(seed) % 100000000);
	prctl(PR_SET_NAME, name, 0, 0, 0);
	note(NAMED, 0, 0, 0, name);
}

static void map_code(__u64 *seed)
{
	long page = sysconf(_SC_PAGESIZE);
	__u64 from = roll(seed) % CODE_SLOTS * SLOT_PAGES * page;
	__u64 len = (1 + roll(seed) % (SLOT_PAGES / 2)) * page;
	bool later = roll(seed) & 1;
	char *at;

	/*
	 * Map code, or data that becomes code later. Between mappings there
	 * are holes in the file, so that neighbours are not merged.
	 */
	at = mmap(NULL, len, later ? PROT_READ : PROT_READ | PROT_EXEC, MAP_PRIVATE, CODE_FD,
		  from);
	if (at == MAP_FAILED || (later && mprotect(at, len, PROT_READ | PROT_EXEC)))
		abort();
	note(MAPPED, (unsigned long)at, len, from, "");
	if (roll(seed) & 1)
		munmap(at, len);
}

static void simple_step(__u64 *seed)
{
	switch (roll(seed) % 4) {
	case 0:
		rename_me(seed);
		break;
	case 1:
		pe_move_to(roll(seed) % cpus());
		break;
	default:
		map_code(seed);
	}
}

/**
 * struct start - arguments of a new thread
 * @seed: seed of the thread
 * @pid: process that creates it
 * @tid: thread that creates it
 */
struct start {
	__u64 seed;
	__u32 pid, tid;
};

static void *thread_main(void *arg)
{
	struct start s = *(struct start *)arg;
	unsigned int steps = roll(&s.seed) % 4;

	note(BORN, s.pid, s.tid, 0, "");
	while (steps--)
		simple_step(&s.seed);
	note(GONE, 0, 0, 0, "");
	return NULL;
}

static void process(__u64 seed, unsigned int depth, unsigned int steps);

static void make_process(__u64 *seed, unsigned int depth)
{
	__u64 its = roll(seed);
	__u32 pid = getpid(), tid = gettid_();
	pid_t child;

	if (depth == MAX_DEPTH || !take_place())
		return;
	child = fork();
	if (child < 0)
		abort();
	if (!child) {
		note(BORN, pid, tid, 0, "");
		process(its, depth + 1, roll(&its) % 8);
		note(GONE, 0, 0, 0, "");
		_exit(0);
	}
}

static void make_thread(__u64 *seed, pthread_t *thread, bool *running)
{
	static struct start s;

	if (*running)
		pthread_join(*thread, NULL);
	*running = false;
	if (!take_place())
		return;
	s = (struct start){ .seed = roll(seed), .pid = getpid(), .tid = gettid_() };
	if (pthread_create(thread, NULL, thread_main, &s))
		abort();
	*running = true;
}

static void exec_me(__u64 seed, unsigned int depth, unsigned int steps)
{
	char node[64];

	snprintf(node, sizeof(node), "%llu %u %u", (unsigned long long)seed, depth, steps);
	setenv(MODEL_NODE, node, 1);
	note(EXECED, 0, 0, 0, "");
	execl("/proc/self/exe", "model_tasks", NULL);
	abort();
}

/* Steps of a process until it exits */
static void process(__u64 seed, unsigned int depth, unsigned int steps)
{
	bool running = false;
	pthread_t thread;

	while (steps--) {
		switch (roll(&seed) % 8) {
		case 0:
		case 1:
			make_process(&seed, depth);
			break;
		case 2:
			make_thread(&seed, &thread, &running);
			break;
		case 3:
			if (running)
				pthread_join(thread, NULL);
			exec_me(seed, depth, steps);
			break;
		default:
			simple_step(&seed);
		}
	}
	if (running)
		pthread_join(thread, NULL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

/* A process continues here after an exec. */
static __attribute__((constructor)) void node(void)
{
	const char *what = getenv(MODEL_NODE);
	unsigned long long seed;
	unsigned int depth, steps;

	if (!what || sscanf(what, "%llu %u %u", &seed, &depth, &steps) != 3)
		return;
	truth = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED, LOG_FD, 0);
	if (truth == MAP_FAILED)
		abort();
	process(seed, depth, steps);
	note(GONE, 0, 0, 0, "");
	_exit(0);
}

/* The reader. */

static struct pe_record rec;

/**
 * struct seen - a record that must have an entry in the log
 * @time: time of the record
 * @e: the entry that the task should have logged
 */
struct seen {
	__u64 time;
	struct entry e;
};

static struct seen seen[2 * LOG_MAX];
static unsigned int nr_seen;

static int by_time(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* Convert a record to an entry. Return: false for a record of another task. */
static bool understand(const struct pe_sample *s, struct entry *e)
{
	const __u32 *ids = (const void *)rec.body;
	const __u64 *place = (const void *)(rec.body + 8);

	*e = (struct entry){ .pid = s->pid, .tid = s->tid };
	switch (rec.head.type) {
	case PERF_RECORD_FORK:
		e->deed = BORN;
		/*
		 * A fork record is written by the parent: pid, ppid, tid,
		 * ptid.
		 */
		if (ids[1] != s->pid || ids[3] != s->tid)
			return false;
		e->pid = ids[0];
		e->tid = ids[2];
		e->a = ids[1];
		e->b = ids[3];
		return true;
	case PERF_RECORD_EXIT:
		e->deed = GONE;
		e->pid = ids[0];
		e->tid = ids[2];
		return true;
	case PERF_RECORD_COMM:
		if (ids[0] != s->pid || ids[1] != s->tid)
			return false;
		e->deed = rec.head.misc & PERF_RECORD_MISC_COMM_EXEC ? EXECED : NAMED;
		if (e->deed == NAMED)
			memcpy(e->name, rec.body + 8, sizeof(e->name));
		return true;
	case PERF_RECORD_MMAP2:
		e->deed = MAPPED;
		e->a = place[0];
		e->b = place[1];
		e->c = place[2];
		return strstr(rec.body + 64, "pe_model_code");
	}
	return false;
}

static bool same(const struct entry *a, const struct entry *b)
{
	return a->deed == b->deed && a->pid == b->pid && a->tid == b->tid && a->a == b->a &&
	       a->b == b->b && a->c == b->c && !strcmp(a->name, b->name);
}

static const char *const deeds[] = { "born", "named", "execed", "mapped", "gone" };

static void show(const char *who, const struct entry *e)
{
	printf("# %s: %u/%u %s %llx %llx %llx %s\n", who, e->pid, e->tid, deeds[e->deed],
	       (unsigned long long)e->a, (unsigned long long)e->b, (unsigned long long)e->c,
	       e->name);
}

/* Compare each task's entries in the log with its records, in order. */
static int compare(void)
{
	unsigned int i, j, next[LOG_MAX], wrong = 0;
	bool used[2 * LOG_MAX] = {};

	memset(next, 0, sizeof(next));
	qsort(seen, nr_seen, sizeof(seen[0]), by_time);
	for (i = 0; i < truth->nr; i++) {
		const struct entry *e = &truth->entry[i];

		/* Find the first record of this thread that has no entry yet. */
		for (j = 0; j < nr_seen; j++) {
			if (!used[j] && seen[j].e.tid == e->tid && seen[j].e.pid == e->pid)
				break;
		}
		if (j < nr_seen && same(&seen[j].e, e)) {
			used[j] = true;
			continue;
		}
		show("done", e);
		if (j < nr_seen)
			show("told", &seen[j].e);
		wrong++;
		break;
	}
	for (j = 0; j < nr_seen && !wrong; j++) {
		if (!used[j]) {
			show("told alone", &seen[j].e);
			wrong++;
		}
	}
	return wrong;
}

static void collect(struct perf_event_attr *attr, struct pe_ring *ring, int *lost)
{
	struct pe_sample s;

	while (pe_ring_next(ring, &rec) == 1) {
		*lost += rec.head.type == PERF_RECORD_LOST;
		if (rec.head.type == PERF_RECORD_LOST || pe_id_parse(attr, &rec, &s) < 0)
			continue;
		if (nr_seen < 2 * LOG_MAX && understand(&s, &seen[nr_seen].e))
			seen[nr_seen++].time = s.time;
	}
}

static void root_process(__u64 seed, int go)
{
	cpu_set_t all;
	int cpu;
	char c;

	CPU_ZERO(&all);
	for (cpu = 0; cpu < cpus(); cpu++)
		CPU_SET(cpu, &all);
	sched_setaffinity(0, sizeof(all), &all);
	if (read(go, &c, 1) != 1)
		_exit(1);
	process(seed, 0, 12);
	note(GONE, 0, 0, 0, "");
	_exit(0);
}

/* Run one tree. Return: 0 if the records match the log. */
static int run(__u64 seed)
{
	struct perf_event_attr attr = pe_attr(PERF_COUNT_SW_DUMMY);
	struct pe_ring ring[MAX_CPUS];
	int fd[MAX_CPUS], go[2], nr_cpus = cpus(), cpu, wrong, lost = 0, status;
	pid_t root;

	memset(truth, 0, sizeof(*truth));
	nr_seen = 0;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU;
	attr.sample_id_all = 1;
	attr.inherit = 1;
	attr.task = 1;
	attr.comm = 1;
	attr.comm_exec = 1;
	attr.mmap = 1;
	attr.mmap2 = 1;

	if (pipe(go))
		return -1;
	root = fork();
	if (!root)
		root_process(seed, go[0]);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		fd[cpu] = pe_open(&attr, root, cpu, -1, 0);
		if (fd[cpu] < 0 || pe_ring_map(&ring[cpu], fd[cpu], RING_PAGES))
			return -1;
	}
	if (write(go[1], "g", 1) != 1 || waitpid(root, &status, 0) != root)
		return -1;
	if (status) {
		printf("# the first process ended with status %#x\n", status);
		return -1;
	}
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		collect(&attr, &ring[cpu], &lost);
		pe_ring_unmap(&ring[cpu]);
		close(fd[cpu]);
	}
	close(go[0]);
	close(go[1]);
	wrong = lost ? -1 : compare();
	if (wrong)
		printf("# PE_MODEL_SEED=%llu PE_MODEL_RUNS=1: %u deeds, %u records, %d lost\n",
		       (unsigned long long)seed, truth->nr, nr_seen, lost);
	return wrong;
}

static __u64 from_env(const char *name, __u64 otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

static int shared_file(const char *name, size_t size, int fd)
{
	int made = memfd_create(name, 0);

	if (made < 0 || ftruncate(made, size) || dup2(made, fd) != fd)
		return -1;
	return close(made);
}

FIXTURE(model) {
	int unused;
};

FIXTURE_SETUP(model)
{
}

FIXTURE_TEARDOWN(model)
{
}

/* The time limit is long, for a large PE_MODEL_RUNS. */
TEST_F(model, records_tell_the_truth)
{
	__u64 seed = from_env("PE_MODEL_SEED", 1), runs = from_env("PE_MODEL_RUNS", DEFAULT_RUNS);

	if (pe_cpu_count() < 2)
		SKIP(return, "one CPU");
	ASSERT_EQ(0, shared_file("pe_model_log", sizeof(*truth), LOG_FD));
	ASSERT_EQ(0, shared_file("pe_model_code", CODE_SLOTS * SLOT_PAGES * sysconf(_SC_PAGESIZE),
				 CODE_FD));
	truth = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED, LOG_FD, 0);
	ASSERT_NE(MAP_FAILED, truth);
	for (; runs; runs--, seed++)
		ASSERT_EQ(0, run(seed)) TH_LOG("seed %llu", (unsigned long long)seed);
}

TEST_HARNESS_MAIN
