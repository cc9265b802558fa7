// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads race: one thread makes an event overflow, forks or exits, and the other thread frees
 * the event. The test asserts that both finish; a kernel with debugging options reports more.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_rounds.h"
#include "pe_sample.h"
#include "pe_sim.h"
#include "pe_trace.h"

#define ROUNDS	pe_rounds(200)

/**
 * struct firing - a thread that makes an event overflow
 * @thread: the thread
 * @tid: its id, 0 before it runs
 * @stop: asks the thread to exit
 * @sim: makes steps as well as page faults
 */
struct firing {
	pthread_t thread;
	pid_t tid;
	bool stop;
	bool sim;
};

static void *fire(void *arg)
{
	struct firing *f = arg;

	__atomic_store_n(&f->tid, syscall(__NR_gettid), __ATOMIC_RELEASE);
	while (!__atomic_load_n(&f->stop, __ATOMIC_RELAXED)) {
		pe_fault(4);
		if (f->sim)
			pe_sim_advance(4);
	}
	return NULL;
}

static void start_firing(struct firing *f)
{
	memset(f, 0, sizeof(*f));
	f->sim = !geteuid() && pe_sim_type() >= 0;
	if (pthread_create(&f->thread, NULL, fire, f))
		abort();
	while (!__atomic_load_n(&f->tid, __ATOMIC_ACQUIRE))
		pe_sleep_ms(1);
}

static void stop_firing(struct firing *f)
{
	__atomic_store_n(&f->stop, true, __ATOMIC_RELAXED);
	pthread_join(f->thread, NULL);
}

/* Every second event is a hardware event, if there are any. */
static struct perf_event_attr sampling(const struct firing *f, int i)
{
	struct perf_event_attr attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);

	if (f->sim && i & 1)
		attr = pe_sim_attr();
	else
		attr.exclude_kernel = 1;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	return attr;
}

TEST(overflow_against_close)
{
	struct perf_event_attr attr;
	struct pe_ring ring;
	struct firing f;
	int i, fd;

	start_firing(&f);
	for (i = 0; i < ROUNDS; i++) {
		attr = sampling(&f, i);
		fd = pe_open(&attr, f.tid, -1, -1, 0);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, pe_ring_map(&ring, fd, 1));
		if (i & 2)
			pe_spin(1000 * (i % 50));
		if (i & 4)
			pe_ring_unmap(&ring);
		close(fd);
		if (!(i & 4))
			pe_ring_unmap(&ring);
	}
	stop_firing(&f);
}

TEST(overflow_against_disable)
{
	struct perf_event_attr attr;
	struct pe_ring ring;
	struct firing f;
	__u64 count;
	int i, fd;

	start_firing(&f);
	for (i = 0; i < 2; i++) {
		int round;

		attr = sampling(&f, i);
		fd = pe_open(&attr, f.tid, -1, -1, 0);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, pe_ring_map(&ring, fd, 1));
		for (round = 0; round < ROUNDS; round++) {
			ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
			count = pe_count(fd);
			pe_spin(100 * (round % 50));
			/*
			 * A disabled event does not count. A CPU that found a software event
			 * enabled may still count one occurrence.
			 */
			ASSERT_LE(count, pe_count(fd));
			ASSERT_GE(count + (attr.type == PERF_TYPE_SOFTWARE), pe_count(fd));
			ASSERT_EQ(0, round & 1 ? pe_ioctl(fd, PERF_EVENT_IOC_REFRESH, 2) :
				  pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		}
		pe_ring_unmap(&ring);
		close(fd);
	}
	stop_firing(&f);
}

TEST(overflow_against_detaching_bpf)
{
	int map = pe_bpf_counter(), prog, fd, link, i;
	struct perf_event_attr attr;
	struct firing f;

	if (map < 0)
		SKIP(return, "no BPF");
	prog = pe_bpf_load(BPF_PROG_TYPE_PERF_EVENT, map, 1);
	ASSERT_LE(0, prog);
	start_firing(&f);
	attr = sampling(&f, 0);
	fd = pe_open(&attr, f.tid, -1, -1, 0);
	ASSERT_LE(0, fd);
	for (i = 0; i < ROUNDS; i++) {
		link = pe_bpf_link(prog, fd, i);
		ASSERT_LE(0, link);
		pe_spin(100 * (i % 50));
		close(link);
	}
	/* The close of the event detaches the program. */
	for (i = 0; i < ROUNDS / 10; i++) {
		close(fd);
		fd = pe_open(&attr, f.tid, -1, -1, 0);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog));
	}
	stop_firing(&f);
	close(fd);
	close(prog);
	close(map);
}

#define STACK	16384

static void *fire_traced(void *arg)
{
	struct firing *f = arg;
	/* The sample copies this stack between its two accesses to the trace. */
	char deep[STACK];

	memset(deep, 1, sizeof(deep));
	pe_touch(deep);
	pe_move_to(1);
	__atomic_store_n(&f->tid, syscall(__NR_gettid), __ATOMIC_RELEASE);
	while (!__atomic_load_n(&f->stop, __ATOMIC_RELAXED)) {
		pe_fault(100);
		pe_set(PE_SIM_TRACE "trace", 64);
	}
	pe_touch(deep);
	return NULL;
}

/**
 * struct traced - a trace, and an event that samples parts of it
 * @leader: the event that traces
 * @member: the event that samples
 * @ring: buffer of the leader
 * @area: AUX area of the leader
 * @page: mapping of the member, whose records are overwritten
 * @size: size of @area
 * @len: length of the mapping at @page
 * @pid: task that is traced
 */
struct traced {
	int leader, member;
	struct pe_ring ring;
	void *area;
	struct perf_event_mmap_page *page;
	size_t size, len;
	pid_t pid;
};

static void open_leader(struct __test_metadata *_metadata, struct traced *t)
{
	struct perf_event_attr attr = pe_attr(0);
	struct pe_ring *ring = &t->ring;

	attr.type = pe_sim_trace_type();
	/* Only one event can have the unit until it is freed: retry. */
	while ((t->leader = pe_open(&attr, t->pid, -1, -1, 0)) == -EBUSY)
		pe_sleep_ms(1);
	ASSERT_LE(0, t->leader);
	ASSERT_EQ(0, pe_ring_map(ring, t->leader, 1));
	ring->page->aux_offset = ring->len;
	ring->page->aux_size = t->size;
	t->area = mmap(NULL, t->size, PROT_READ, MAP_SHARED, t->leader, ring->len);
	ASSERT_NE(MAP_FAILED, t->area);
	/*
	 * Enable the leader after its area is mapped: without one it cannot
	 * run.
	 */
	ASSERT_EQ(0, pe_ioctl(t->leader, PERF_EVENT_IOC_ENABLE, 0));
}

static void close_leader(struct traced *t)
{
	munmap(t->area, t->size);
	pe_ring_unmap(&t->ring);
	close(t->leader);
	t->leader = -1;
}

static void open_member(struct __test_metadata *_metadata, struct traced *t)
{
	struct perf_event_attr attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.exclude_kernel = 1;
	attr.sample_type = PERF_SAMPLE_STACK_USER | PERF_SAMPLE_AUX;
	attr.sample_stack_user = STACK;
	attr.aux_sample_size = 1024;
	t->member = pe_open(&attr, t->pid, -1, t->leader, 0);
	ASSERT_LE(0, t->member);
	t->page = mmap(NULL, t->len, PROT_READ, MAP_SHARED, t->member, 0);
	ASSERT_NE(MAP_FAILED, (void *)t->page);
}

/* Wait for a sample. During the sleep, another virtual CPU can run on the same host CPU. */
static void await_sample(const struct traced *t)
{
	while (!__atomic_load_n(&t->page->data_head, __ATOMIC_RELAXED))
		pe_sleep_ms(1);
}

/* Close the tracing event, or the sampling one, while a sample copies the trace. */
TEST(aux_sample_against_close)
{
	long page = sysconf(_SC_PAGESIZE);
	struct traced t = { .leader = -1, .size = 4 * page, .len = 17 * page };
	struct firing f = { };
	unsigned int round;

	if (geteuid() || pe_sim_trace_type() < 0 || pe_cpu_count() < 2)
		SKIP(return, "needs root, the simulated trace unit, and two CPUs");
	ASSERT_EQ(0, pthread_create(&f.thread, NULL, fire_traced, &f));
	while (!__atomic_load_n(&f.tid, __ATOMIC_ACQUIRE))
		pe_sleep_ms(1);
	t.pid = f.tid;
	ASSERT_EQ(0, pe_move_to(0));
	for (round = 0; round < ROUNDS; round++) {
		if (t.leader < 0)
			open_leader(_metadata, &t);
		open_member(_metadata, &t);
		/* Close while samples are taken, or before. */
		if (round & 1)
			await_sample(&t);
		else
			pe_spin(1000 * (round % 50));
		if (round % 4 == 3)
			close_leader(&t);
		/* The mapping holds the file. */
		munmap(t.page, t.len);
		close(t.member);
	}
	stop_firing(&f);
	if (t.leader >= 0)
		close_leader(&t);
}

static void *fire_and_end(void *arg)
{
	struct firing *f = arg;

	__atomic_store_n(&f->tid, syscall(__NR_gettid), __ATOMIC_RELEASE);
	while (!__atomic_load_n(&f->stop, __ATOMIC_ACQUIRE))
		sched_yield();
	pe_fault(20);
	if (f->sim)
		pe_sim_advance(20);
	return NULL;
}

/* The task exits and the event is closed, in either order. */
TEST(overflow_against_exit)
{
	struct perf_event_attr attr;
	struct pe_ring ring;
	struct firing f;
	int i, fd;

	for (i = 0; i < ROUNDS; i++) {
		memset(&f, 0, sizeof(f));
		f.sim = !geteuid() && pe_sim_type() >= 0;
		/* In half of the rounds the task may exit before the event is open. */
		f.stop = i & 4;
		attr = sampling(&f, i);
		attr.inherit = !!(i & 2);
		ASSERT_EQ(0, pthread_create(&f.thread, NULL, fire_and_end, &f));
		while (!__atomic_load_n(&f.tid, __ATOMIC_ACQUIRE))
			sched_yield();
		fd = pe_open(&attr, f.tid, -1, -1, 0);
		ASSERT_TRUE(fd >= 0 || (f.stop && fd == -ESRCH));
		if (fd >= 0 && !attr.inherit)
			ASSERT_EQ(0, pe_ring_map(&ring, fd, 1));
		__atomic_store_n(&f.stop, true, __ATOMIC_RELEASE);
		if (fd >= 0 && !attr.inherit) {
			pe_spin(1000 * (i % 50));
			pe_ring_unmap(&ring);
		}
		close(fd);
		pthread_join(f.thread, NULL);
	}
}

/* Open an event of each kind on a task that executes another program. */
static void open_some(struct __test_metadata *_metadata, pid_t pid)
{
	struct perf_event_attr attr;
	struct pe_ring ring;
	int fds[8], i;

	for (i = 0; i < 8; i++) {
		attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
		if (i == 7 && pe_sim_type() >= 0)
			attr = pe_sim_attr();
		attr.disabled = i & 1;
		attr.enable_on_exec = i & 1;
		attr.remove_on_exec = !(i & 1) && i & 2;
		attr.inherit = !!(i & 4);
		attr.sample_period = i & 3 ? 1 : 0;
		attr.mmap = 1;
		attr.comm = 1;
		fds[i] = pe_open(&attr, pid, -1, i == 5 ? fds[4] : -1, 0);
		/* A leader that exec has removed accepts no members. */
		if (fds[i] < 0)
			EXPECT_EQ(-ENODEV, fds[i]) TH_LOG("event %d", i);
		if (i == 1)
			ASSERT_EQ(0, pe_ring_map(&ring, fds[i], 2));
	}
	for (i = 7; i >= 0; i--) {
		pe_count(fds[i]);
		close(fds[i]);
	}
	pe_ring_unmap(&ring);
}

TEST(exec_against_open)
{
	struct perf_event_attr attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pe_child c;
	__u64 before;
	int i, fd;

	if (geteuid())
		SKIP(return, "needs root");
	attr.exclude_kernel = 1;
	ASSERT_EQ(0, pe_child_start(&c));
	fd = pe_open(&attr, c.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	for (i = 0; i < ROUNDS / 4; i++) {
		ASSERT_EQ(0, pe_child_send(&c, PE_EXEC, 0));
		pe_spin(20000 * (i % 50));
		open_some(_metadata, c.pid);
		ASSERT_EQ(0, pe_child_answer(&c));
		/* The event that stays on exec still counts. */
		pe_child_do(&c, PE_FAULT, 10);
		before = pe_count(fd);
		ASSERT_EQ(0, pe_child_do(&c, PE_FAULT, 10));
		EXPECT_EQ(before + 10, pe_count(fd));
	}
	close(fd);
	pe_child_end(&c);
}

static void nothing(int sig)
{
}

/**
 * struct duel - one of two threads that close each other's events
 * @thread: the thread
 * @tid: its id
 * @fd: the event on it, which the other thread closes
 * @other: the other thread
 * @barrier: synchronises both
 */
struct duel {
	pthread_t thread;
	pid_t tid;
	int fd;
	struct duel *other;
	pthread_barrier_t *barrier;
};

static void *fight(void *arg)
{
	struct perf_event_attr attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct duel *me = arg;
	int i;

	attr.sample_period = 1;
	attr.exclude_kernel = 1;
	attr.sigtrap = 1;
	attr.remove_on_exec = 1;
	me->tid = syscall(__NR_gettid);
	pthread_barrier_wait(me->barrier);
	for (i = 0; i < ROUNDS; i++) {
		me->other->fd = pe_open(&attr, me->other->tid, -1, -1, 0);
		pthread_barrier_wait(me->barrier);
		/* Some signals are pending when the events are closed. */
		pe_fault(i % 7);
		close(me->other->fd);
		pthread_barrier_wait(me->barrier);
	}
	return NULL;
}

TEST(two_tasks_close_each_others_traps)
{
	pthread_barrier_t barrier;
	struct duel duel[2];
	int i;

	signal(SIGTRAP, nothing);
	pthread_barrier_init(&barrier, NULL, 2);
	for (i = 0; i < 2; i++) {
		duel[i].other = &duel[!i];
		duel[i].barrier = &barrier;
		ASSERT_EQ(0, pthread_create(&duel[i].thread, NULL, fight, &duel[i]));
	}
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_join(duel[i].thread, NULL));
}

static int shared_fd[2];

static void *redirect(void *arg)
{
	bool *stop = arg;

	while (!__atomic_load_n(stop, __ATOMIC_RELAXED)) {
		pe_ioctl(shared_fd[1], PERF_EVENT_IOC_SET_OUTPUT, shared_fd[0]);
		pe_fault(1);
		pe_ioctl(shared_fd[1], PERF_EVENT_IOC_SET_OUTPUT, -1);
	}
	return NULL;
}

TEST(redirection_against_unmapping)
{
	struct perf_event_attr attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pe_ring ring;
	pthread_t thread;
	bool stop = false;
	int i;

	attr.sample_period = 1;
	attr.exclude_kernel = 1;
	for (i = 0; i < 2; i++) {
		shared_fd[i] = pe_self(&attr);
		ASSERT_LE(0, shared_fd[i]);
	}
	ASSERT_EQ(0, pthread_create(&thread, NULL, redirect, &stop));
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, pe_ring_map(&ring, shared_fd[0], 1 + (i & 1)));
		pe_spin(10 * (i % 50));
		pe_ring_unmap(&ring);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	for (i = 0; i < 2; i++)
		close(shared_fd[i]);
}

static void fork_with_events(unsigned int *forks)
{
	struct perf_event_attr attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd = -1, i;

	attr.inherit = 1;
	attr.exclude_kernel = 1;
	for (i = 0; i < 8; i++) {
		attr.sample_period = i & 1;
		fd = pe_open(&attr, 0, -1, i & 1 ? fd : -1, 0);
		if (fd < 0)
			_exit(1);
	}
	for (;;) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		__atomic_add_fetch(forks, 1, __ATOMIC_RELAXED);
	}
}

/*
 * A task that is killed during a fork undoes the fork, with the inherited events. Another task may
 * reuse that memory next.
 */
TEST(inheritance_against_kill)
{
	pid_t me = getpid(), pid;
	unsigned int *forks;
	int status, i;

	forks = mmap(NULL, sizeof(*forks), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	ASSERT_NE(MAP_FAILED, (void *)forks);
	for (i = 0; i < ROUNDS; i++) {
		*forks = 0;
		pid = fork();
		if (!pid) {
			pe_die_with(me);
			fork_with_events(forks);
		}
		ASSERT_LT(0, pid);
		/* On a slow machine the first fork may take long. */
		do {
			pe_sleep_ms(1);
			ASSERT_EQ(0, waitpid(pid, &status, WNOHANG));
		} while (!__atomic_load_n(forks, __ATOMIC_RELAXED));
		pe_sleep_ms(i % 8);
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_TRUE(WIFSIGNALED(status));
	}
	munmap(forks, sizeof(*forks));
}

#define CHILDREN		32
#define TAINT_WARN	0x200
#define TAINTED		PE_SYSCTL "tainted"
#define DELAY(name)	"/sys/module/perf_delays/parameters/" name

/**
 * struct delays - parameters of the kernel's delay points
 * @rate: one in @rate passes of a point is delayed
 * @max_us: longest delay
 * @points: mask of the points
 */
struct delays {
	long rate, max_us;
	unsigned long long points;
};

static void set_delays(const struct delays *to)
{
	FILE *f = fopen(DELAY("points"), "w");

	if (f) {
		fprintf(f, "%llu", to->points);
		fclose(f);
	}
	pe_set(DELAY("max_us"), to->max_us);
	pe_set(DELAY("rate"), to->rate);
}

/* Delay each task at the point for up to 10 ms, if the kernel has delay points. */
static bool widen(const char *name, struct delays *before)
{
	FILE *f = fopen(DELAY("points"), "r");
	struct delays wide = { 1, 10000, 0 };
	char found[64];
	int number;

	if (!f)
		return false;
	if (fscanf(f, "%llu", &before->points) != 1)
		before->points = -1ULL;
	fclose(f);
	before->rate = pe_get(DELAY("rate"));
	before->max_us = pe_get(DELAY("max_us"));
	f = fopen("/sys/kernel/debug/perf_events/delays", "r");
	if (!f)
		return false;
	while (!wide.points && fscanf(f, "%d %63s %*[^\n]", &number, found) == 2) {
		if (!strcmp(found, name))
			wide.points = 1ULL << number;
	}
	fclose(f);
	if (wide.points)
		set_delays(&wide);
	return wide.points;
}

/*
 * Fork children that inherit the event @fd, but have no file of it. They block in a read of @end.
 */
static int fork_children(pid_t *pids, int fd, const int *end)
{
	int closed[2], i;
	char c;

	if (pipe(closed))
		return -1;
	for (i = 0; i < CHILDREN; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			close(fd);
			close(end[1]);
			_exit(write(closed[1], "", 1) != 1 || read(end[0], &c, 1));
		}
		if (pids[i] < 0)
			return -1;
	}
	while (i && read(closed[0], &c, 1) == 1)
		i--;
	close(closed[0]);
	close(closed[1]);
	return i;
}

/**
 * struct closing - a thread that closes an event
 * @barrier: synchronises the start
 * @fd: the event
 */
struct closing {
	pthread_barrier_t barrier;
	int fd;
};

static void *close_it(void *arg)
{
	struct closing *c = arg;

	pthread_barrier_wait(&c->barrier);
	close(c->fd);
	return NULL;
}

/*
 * A close has found an inherited event, and waits for its context. Meanwhile its task exits, which
 * removes the inherited event: the close must not remove it again.
 */
TEST(close_against_exit_of_children)
{
	struct perf_event_attr attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	long warned = pe_get(TAINTED) & TAINT_WARN;
	struct delays before;
	pid_t pids[CHILDREN], pid;
	struct closing c;
	pthread_t thread;
	int end[2], i, round;
	bool wide;

	wide = widen("CONTEXT_SEEN", &before);
	pthread_barrier_init(&c.barrier, NULL, 2);
	attr.inherit = 1;
	attr.exclude_kernel = 1;
	for (round = 0; round < 8; round++) {
		/* Children of an event that sends signals are not plain. */
		attr.sigtrap = round & 1;
		attr.remove_on_exec = round & 1;
		attr.sample_period = round & 1 ? 1000000 : 0;
		c.fd = pe_self(&attr);
		ASSERT_LE(0, c.fd);
		ASSERT_EQ(0, pipe(end));
		ASSERT_EQ(0, fork_children(pids, c.fd, end));
		ASSERT_EQ(0, pthread_create(&thread, NULL, close_it, &c));
		pthread_barrier_wait(&c.barrier);
		/* The children exit in the order of the close, or in the reverse order. */
		for (i = 0; i < CHILDREN; i++) {
			pe_sleep_ms(1);
			pid = pids[round & 2 ? CHILDREN - 1 - i : i];
			EXPECT_EQ(0, kill(pid, SIGKILL));
			ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		}
		pthread_join(thread, NULL);
		close(end[0]);
		close(end[1]);
	}
	if (wide)
		set_delays(&before);
	/* If an earlier warning has tainted the kernel, a further warning is not noticed. */
	EXPECT_EQ(warned, pe_get(TAINTED) & TAINT_WARN);
}

/**
 * struct faulting - a thread that touches new pages, one by one
 * @tid: its id, 0 before it runs
 * @begun: number of pages, the last of which may not be touched yet
 * @stop: asks the thread to exit
 */
struct faulting {
	pid_t tid;
	unsigned long begun;
	bool stop;
};

static void *fault_on(void *arg)
{
	struct faulting *f = arg;

	__atomic_store_n(&f->tid, syscall(__NR_gettid), __ATOMIC_RELEASE);
	while (!__atomic_load_n(&f->stop, __ATOMIC_RELAXED)) {
		__atomic_add_fetch(&f->begun, 1, __ATOMIC_SEQ_CST);
		pe_fault(1);
	}
	return NULL;
}

/* A RESET during an occurrence on another CPU: the old count must not reappear. */
TEST(reset_against_counting)
{
	struct perf_event_attr attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct faulting f = { };
	unsigned long before;
	pthread_t thread;
	__u64 count;
	int i, fd;

	attr.exclude_kernel = 1;
	ASSERT_EQ(0, pthread_create(&thread, NULL, fault_on, &f));
	while (!__atomic_load_n(&f.tid, __ATOMIC_ACQUIRE))
		pe_sleep_ms(1);
	fd = pe_open(&attr, f.tid, -1, -1, 0);
	ASSERT_LE(0, fd);
	for (i = 0; i < ROUNDS; i++) {
		before = __atomic_load_n(&f.begun, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(&f.begun, __ATOMIC_SEQ_CST) < before + 50)
			pe_sleep_ms(1);
		before = __atomic_load_n(&f.begun, __ATOMIC_SEQ_CST);
		ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
		count = pe_count(fd);
		EXPECT_GE(__atomic_load_n(&f.begun, __ATOMIC_SEQ_CST) - before + 1, count);
	}
	__atomic_store_n(&f.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	close(fd);
}

TEST_HARNESS_MAIN
