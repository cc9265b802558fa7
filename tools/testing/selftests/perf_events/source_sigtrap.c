// SPDX-License-Identifier: GPL-2.0
/*
 * Events that send SIGTRAP to the task in which they happen: the fields of the signal, the task
 * that gets it, and actions on the event in the handler.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_trace.h"

#if defined(__x86_64__) || defined(__i386)
# define AFTER_ACCESS	1
#else
# define AFTER_ACCESS	0
#endif

#ifndef TRAP_PERF
#define TRAP_PERF		6
#endif
#ifndef TRAP_PERF_FLAG_ASYNC
#define TRAP_PERF_FLAG_ASYNC	1
#endif

#define NR_THREADS	4
#define NR_WRITES	50

/* Emulated CPUs clear the last hit only at an access to one of the others. */
static long watched, others[8];
static int event_fd;
static struct perf_event_attr attr;

/* Number of signals in the handler; each thread has a count of its own, too. */
static int traps, wrong;
static __thread int mine;
/**
 * struct trap_info - fields of siginfo_t that some C libraries lack
 * @addr: address of the access
 * @data: attr.sig_data
 * @type: attr.type
 * @flags: TRAP_PERF_FLAG_*
 */
static struct trap_info {
	unsigned long	addr;
	unsigned long	data;
	uint32_t	type;
	uint32_t	flags;
} last;

static void note(siginfo_t *info)
{
	memcpy(&last, &info->si_addr, sizeof(last));
	if (info->si_code != TRAP_PERF)
		__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&traps, 1, __ATOMIC_RELAXED);
	mine++;
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	note(info);
}

static void on_trap_disable(int sig, siginfo_t *info, void *context)
{
	note(info);
	pe_ioctl(event_fd, PERF_EVENT_IOC_DISABLE, 0);
}

static void on_trap_modify(int sig, siginfo_t *info, void *context)
{
	struct perf_event_attr a = attr;

	note(info);
	a.bp_addr = (unsigned long)&others[4];
	if (pe_ioctl(event_fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&a))
		wrong++;
}

static void on_trap_close(int sig, siginfo_t *info, void *context)
{
	note(info);
	close(event_fd);
}

static void handle(void (*fn)(int sig, siginfo_t *info, void *context))
{
	struct sigaction sa = { .sa_flags = SA_SIGINFO, .sa_sigaction = fn };

	sigaction(SIGTRAP, &sa, NULL);
}

static void put(long *p, int n)
{
	while (n--) {
		__atomic_store_n(p, n, __ATOMIC_RELAXED);
		__atomic_store_n(&others[0], n, __ATOMIC_RELAXED);
	}
}

/*
 * Every occurrence sends a signal. The signal would kill a new program, so exec removes the event.
 */
static void ask_for_signals(struct perf_event_attr *a)
{
	a->sample_period = 1;
	a->sigtrap = 1;
	a->remove_on_exec = 1;
}

static struct perf_event_attr watch_attr(const void *addr)
{
	struct perf_event_attr a = pe_attr(0);

	a.type = PERF_TYPE_BREAKPOINT;
	a.bp_type = HW_BREAKPOINT_W;
	a.bp_addr = (unsigned long)addr;
	a.bp_len = sizeof(long);
	a.exclude_kernel = 1;
	a.exclude_hv = 1;
	ask_for_signals(&a);
	a.sig_data = 0x1234567;
	return a;
}

FIXTURE(sigtrap)
{
};

FIXTURE_SETUP(sigtrap)
{
	/*
	 * On other architectures the trap precedes the access, which is retried after each signal.
	 */
	if (!AFTER_ACCESS)
		SKIP(return, "the access would be retried forever");
	/* Each x86 CPU has debug registers. */
	attr = watch_attr(&watched);
	ASSERT_EQ(0, pe_try(&attr, 0, -1, -1, 0));
	handle(on_trap);
}

FIXTURE_TEARDOWN(sigtrap)
{
}

TEST_F(sigtrap, says)
{
	event_fd = pe_self(&attr);
	ASSERT_LE(0, event_fd);
	put(&watched, 3);
	EXPECT_EQ(3, traps);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ((unsigned long)&watched, last.addr);
	EXPECT_EQ(0x1234567, last.data);
	EXPECT_EQ(PERF_TYPE_BREAKPOINT, last.type);
	EXPECT_EQ(0, last.flags);
	EXPECT_EQ(3, pe_count(event_fd));
	close(event_fd);
	put(&watched, 1);
	EXPECT_EQ(3, traps);
}

TEST_F(sigtrap, disabled_by_handler)
{
	handle(on_trap_disable);
	event_fd = pe_self(&attr);
	ASSERT_LE(0, event_fd);
	put(&watched, 5);
	EXPECT_EQ(1, traps);
	EXPECT_EQ(0, pe_ioctl(event_fd, PERF_EVENT_IOC_ENABLE, 0));
	put(&watched, 5);
	EXPECT_EQ(2, traps);
	EXPECT_EQ(2, pe_count(event_fd));
	close(event_fd);
}

TEST_F(sigtrap, moved_by_handler)
{
	handle(on_trap_modify);
	event_fd = pe_self(&attr);
	ASSERT_LE(0, event_fd);
	put(&watched, 5);
	EXPECT_EQ(1, traps);
	put(&others[4], 2);
	EXPECT_EQ(3, traps);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ((unsigned long)&others[4], last.addr);
	close(event_fd);
}

TEST_F(sigtrap, closed_by_handler)
{
	int i;

	handle(on_trap_close);
	for (i = 1; i <= 20; i++) {
		event_fd = pe_self(&attr);
		ASSERT_LE(0, event_fd);
		put(&watched, 3);
		ASSERT_EQ(i, traps);
	}
}

/* A blocked signal is delivered later, and marked as late. */
TEST_F(sigtrap, blocked)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	event_fd = pe_self(&attr);
	ASSERT_LE(0, event_fd);
	ASSERT_EQ(0, sigprocmask(SIG_BLOCK, &set, NULL));
	put(&watched, 1);
	EXPECT_EQ(0, traps);
	ASSERT_EQ(0, sigprocmask(SIG_UNBLOCK, &set, NULL));
	EXPECT_EQ(1, traps);
	EXPECT_EQ(TRAP_PERF_FLAG_ASYNC, last.flags);
	close(event_fd);
}

/* IOC_REFRESH allows that number of signals, and then disables the event. */
TEST_F(sigtrap, refresh)
{
	attr.disabled = 1;
	event_fd = pe_self(&attr);
	ASSERT_LE(0, event_fd);
	EXPECT_EQ(0, pe_ioctl(event_fd, PERF_EVENT_IOC_REFRESH, 2));
	put(&watched, 5);
	EXPECT_EQ(2, traps);
	close(event_fd);
}

static pthread_barrier_t barrier;
static pthread_t threads[NR_THREADS];
static int counts[NR_THREADS];
/* The writers repeat their writes. */
static bool again;

static void *writer(void *count)
{
	pthread_barrier_wait(&barrier);
	do
		put(&watched, NR_WRITES);
	while (__atomic_load_n(&again, __ATOMIC_RELAXED));
	*(int *)count = mine;
	pthread_barrier_wait(&barrier);
	return NULL;
}

/* Open an event that threads inherit, and start threads that write after the barrier. */
static void start_writers(struct __test_metadata *_metadata)
{
	attr.inherit = 1;
	attr.inherit_thread = 1;
	event_fd = pe_self(&attr);
	ASSERT_LE(0, event_fd);
	pthread_barrier_init(&barrier, NULL, NR_THREADS + 1);
	for (int i = 0; i < NR_THREADS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, writer, &counts[i]));
	pthread_barrier_wait(&barrier);
}

/*
 * Each thread gets the signals for its own accesses. A forked process does not inherit the event.
 */
TEST_F(sigtrap, threads)
{
	int i, status;
	pid_t pid;

	start_writers(_metadata);
	pthread_barrier_wait(&barrier);
	EXPECT_EQ(NR_THREADS * NR_WRITES, pe_count(event_fd));
	for (i = 0; i < NR_THREADS; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(NR_WRITES, counts[i]);
	}
	EXPECT_EQ(NR_THREADS * NR_WRITES, traps);
	EXPECT_EQ(0, mine);

	pid = fork();
	if (!pid) {
		put(&watched, 5);
		_exit(mine);
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	EXPECT_EQ(NR_THREADS * NR_WRITES, pe_count(event_fd));
	close(event_fd);
}

/* While the threads write, the event is disabled and enabled for all of them. */
TEST_F(sigtrap, threads_switched)
{
	int i, sum = 0;

	again = true;
	start_writers(_metadata);
	for (i = 0; i < 50; i++) {
		EXPECT_EQ(0, pe_ioctl(event_fd, PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_EQ(0, pe_ioctl(event_fd, PERF_EVENT_IOC_ENABLE, 0));
	}
	__atomic_store_n(&again, false, __ATOMIC_RELAXED);
	pthread_barrier_wait(&barrier);
	for (i = 0; i < NR_THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += counts[i];
	}
	EXPECT_EQ(sum, traps);
	EXPECT_EQ(0, wrong);
	/* There is exactly one signal for every count. */
	EXPECT_EQ(sum, pe_count(event_fd));
	close(event_fd);
}

/* The executed program has no handler, so a signal would kill it. */
TEST_F(sigtrap, gone_at_exec)
{
	struct pe_child c;
	int fd;

	ASSERT_EQ(0, pe_child_start(&c));
	attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	ask_for_signals(&attr);
	attr.exclude_kernel = 1;
	attr.disabled = 1;
	attr.enable_on_exec = 0;
	fd = pe_open(&attr, c.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	/* The child has this program's handler until exec. */
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_EQ(0, pe_child_do(&c, PE_FAULT, 3));
	EXPECT_EQ(0, pe_child_do(&c, PE_EXEC, 0));
	EXPECT_EQ(0, pe_child_do(&c, PE_FAULT, 3));
	EXPECT_EQ(0, pe_child_end(&c));
	close(fd);
}

/* Two threads close each other's events while these are hit. */
static int fds[2];
static bool done;

static void *closer(void *arg)
{
	long me = (long)arg;
	struct perf_event_attr a = watch_attr(&others[4 + me]);
	int i, fd;

	for (i = 0; i < 300; i++) {
		fd = pe_self(&a);
		if (fd < 0)
			break;
		fd = __atomic_exchange_n(&fds[me], fd, __ATOMIC_RELAXED);
		put(&others[4 + me], 3);
		if (fd > 0)
			close(fd);
		fd = __atomic_exchange_n(&fds[!me], 0, __ATOMIC_RELAXED);
		if (fd > 0)
			close(fd);
		put(&others[4 + me], 3);
	}
	return (void *)(long)i;
}

TEST_F(sigtrap, close_each_other)
{
	pthread_t threads[2];
	void *rounds;
	long i;

	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, closer, (void *)i));
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], &rounds);
		EXPECT_EQ(300, (long)rounds);
	}
	EXPECT_LT(0, traps);
	EXPECT_EQ(0, wrong);
	for (i = 0; i < 2; i++) {
		if (fds[i] > 0)
			close(fds[i]);
	}
}

/* Threads start and exit while events that they inherited send signals. */
static int born;

static void *short_lived(void *unused)
{
	put(&watched, 2);
	__atomic_add_fetch(&born, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void *births(void *unused)
{
	pthread_t thread;

	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		if (pthread_create(&thread, NULL, short_lived, NULL))
			break;
		pthread_join(thread, NULL);
	}
	return NULL;
}

TEST_F(sigtrap, closed_while_threads_come_and_go)
{
	pthread_t threads[2];
	int i, fd;

	attr.inherit = 1;
	attr.inherit_thread = 1;
	/* Threads that are created while this thread has the events open inherit them. */
	for (i = 0; i < 20; i++) {
		int k;

		__atomic_store_n(&done, false, __ATOMIC_RELAXED);
		born = 0;
		fd = pe_self(&attr);
		ASSERT_LE(0, fd);
		for (k = 0; k < 2; k++)
			ASSERT_EQ(0, pthread_create(&threads[k], NULL, births, NULL));
		do
			pe_sleep_ms(1);
		while (__atomic_load_n(&born, __ATOMIC_RELAXED) < 2);
		close(fd);
		__atomic_store_n(&done, true, __ATOMIC_RELAXED);
		for (k = 0; k < 2; k++)
			pthread_join(threads[k], NULL);
	}
	EXPECT_EQ(0, wrong);
	/* All registers must be free again. */
	for (i = 0; i < 10; i++)
		EXPECT_EQ(0, pe_try(&attr, 0, -1, -1, 0));
}

/**
 * struct full_writer - a thread with a pending signal that blocks in the kernel
 * @thread: the thread
 * @tid: its id, 0 before it runs
 * @pipe: pipe to which it writes more than fits
 * @page: two pages that it has not touched yet
 */
struct full_writer {
	pthread_t thread;
	pid_t tid;
	int pipe[2];
	char *page;
};

static void *write_much(void *arg)
{
	struct full_writer *w = arg;
	long size = 2 * sysconf(_SC_PAGESIZE);
	char go;

	__atomic_store_n(&w->tid, syscall(__NR_gettid), __ATOMIC_RELEASE);
	if (read(w->pipe[0], &go, 1) != 1)
		return NULL;
	/* The kernel faults as it copies the first page. Then write(2) waits: the pipe is full. */
	return write(w->pipe[1], w->page, size) == size ? w : NULL;
}

/**
 * struct closer - a thread that closes an event
 * @thread: the thread
 * @tid: its id, 0 before it runs
 * @fd: the event
 * @closed: close(2) has returned
 */
struct closer {
	pthread_t thread;
	pid_t tid;
	int fd;
	bool closed;
};

static void *close_event(void *arg)
{
	struct closer *c = arg;

	__atomic_store_n(&c->tid, syscall(__NR_gettid), __ATOMIC_RELEASE);
	close(c->fd);
	__atomic_store_n(&c->closed, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Is the event closed, or does close(2) wait? In some kernels it waits for the signal. */
static bool close_is_done(struct closer *c)
{
	pid_t tid = __atomic_load_n(&c->tid, __ATOMIC_ACQUIRE);
	char state = tid ? pe_task_state(tid) : 'R';

	return __atomic_load_n(&c->closed, __ATOMIC_ACQUIRE) || state == 'S' || state == 'D';
}

/*
 * An event is closed while its signal is pending for a task in the kernel. When the task returns to
 * user space, the memory of the event is reused.
 */
TEST(closed_before_its_signal)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	long page = sysconf(_SC_PAGESIZE);
	struct full_writer w = {};
	struct closer other = {};
	struct pollfd full;
	char *room;
	int fds[64], i;
	void *ret;

	if (geteuid())
		SKIP(return, "needs root, to have the kernel's faults");
	room = malloc(2 * page);
	handle(on_trap);
	w.page = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)w.page);
	ASSERT_EQ(0, pipe(w.pipe));
	if (fcntl(w.pipe[1], F_SETPIPE_SZ, page) != page)
		SKIP(return, "no pipe of one page");
	ASSERT_EQ(0, pthread_create(&w.thread, NULL, write_much, &w));
	while (!__atomic_load_n(&w.tid, __ATOMIC_ACQUIRE))
		pe_sleep_ms(1);
	ask_for_signals(&a);
	a.exclude_user = 1;
	a.sig_data = 0x1234567;
	event_fd = pe_open(&a, w.tid, -1, -1, 0);
	ASSERT_LE(0, event_fd);
	ASSERT_EQ(1, write(w.pipe[1], "", 1));
	full.fd = w.pipe[0];
	full.events = POLLIN;
	do
		pe_sleep_ms(1);
	while (poll(&full, 1, -1) != 1 || pe_count(event_fd) < 1);

	other.fd = event_fd;
	ASSERT_EQ(0, pthread_create(&other.thread, NULL, close_event, &other));
	while (!close_is_done(&other))
		pe_sleep_ms(1);
	for (i = 0; i < 10; i++) {
		/* This waits for a grace period, after which RCU has freed the memory. */
		syscall(__NR_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
		pe_sleep_ms(10);
	}
	a.sig_data = 0x7654321;
	a.disabled = 1;
	for (i = 0; i < 64; i++) {
		fds[i] = pe_self(&a);
		ASSERT_LE(0, fds[i]);
	}
	for (i = 0; i < 2; i++)
		ASSERT_EQ(page, read(w.pipe[0], room, page));
	pthread_join(w.thread, &ret);
	EXPECT_EQ(&w, ret);
	pthread_join(other.thread, NULL);
	for (i = 0; i < 64; i++)
		close(fds[i]);
	EXPECT_EQ(0, wrong);
	if (traps)
		EXPECT_EQ(0x1234567, last.data);
	/* 6.12 sends the signal nevertheless. */
	if (getenv("PE_HARD"))
		EXPECT_EQ(0, traps);
	close(w.pipe[0]);
	close(w.pipe[1]);
	munmap(w.page, 2 * page);
	free(room);
}

/* Trace each kernel function that this task calls, including those that send the signal. */
static void trace_oneself(void (*handler)(int sig))
{
	struct perf_event_attr a;

	if (pe_tracepoint(&a, "ftrace/function"))
		_exit(KSFT_SKIP);
	signal(SIGTRAP, handler);
	ask_for_signals(&a);
	a.exclude_callchain_user = 1;
	a.disabled = 1;
	event_fd = pe_self(&a);
	if (event_fd < 0)
		_exit(KSFT_SKIP);
	pe_ioctl(event_fd, PERF_EVENT_IOC_ENABLE, 0);
	getppid();
	_exit(0);
}

static void disable(int sig)
{
	pe_ioctl(event_fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* In 6.12 a task whose signals cause further signals never leaves the kernel, even if killed. */
static void expect_end(struct __test_metadata *_metadata, void (*handler)(int sig))
{
	int status;
	pid_t pid;

	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	pid = fork();
	if (!pid)
		trace_oneself(handler);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	if (WIFEXITED(status) && WEXITSTATUS(status) == KSFT_SKIP)
		SKIP(return, "no events of functions");
	EXPECT_EQ(handler == SIG_DFL ? SIGTRAP : 0, status & ~WCOREFLAG);
}

TEST(signal_of_the_signals_own_functions)
{
	expect_end(_metadata, disable);
}

TEST(ignored_signal_of_its_own_functions)
{
	expect_end(_metadata, SIG_IGN);
}

TEST(deadly_signal_of_its_own_functions)
{
	expect_end(_metadata, SIG_DFL);
}

/* Number of signals in the child, shared with its parent */
static int *signals;

static void on_each_function(int sig, siginfo_t *info, void *context)
{
	__atomic_add_fetch(signals, 1, __ATOMIC_RELEASE);
}

FIXTURE(own_work) {
	int unused;
};

FIXTURE_SETUP(own_work)
{
}

FIXTURE_TEARDOWN(own_work)
{
}

/*
 * An event on the kernel functions that send its signal must not prevent a kill of the task. Each
 * child patches all functions, which takes longer with more CPUs.
 */
TEST_F(own_work, killed)
{
	struct perf_event_attr a = pe_attr(0);
	pid_t me = getpid(), child, ended;
	int round, status;

	if (!getenv("PE_HARD") || geteuid() || pe_tracepoint(&a, "ftrace/function"))
		SKIP(return, "needs root, PE_HARD, and the function tracer");
	a.sample_period = 1;
	a.sigtrap = 1;
	a.remove_on_exec = 1;
	/* Samples of the function tracepoint must exclude the user's call chain. */
	a.exclude_callchain_user = 1;
	/* With debugging options, tracing all functions takes too long. */
	if (!access("/sys/kernel/debug/kmemleak", F_OK) ||
	    !access("/sys/kernel/debug/failslab", F_OK))
		SKIP(return, "tracing all functions takes too long on a debugging kernel");
	signals = mmap(NULL, sizeof(*signals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)signals);
	/* The kill has to be between two signals: try several times. */
	for (round = 0; round < 5; round++) {
		*signals = 0;
		child = fork();
		if (!child) {
			struct sigaction sa = {
				.sa_flags = SA_SIGINFO, .sa_sigaction = on_each_function,
			};

			pe_die_with(me);
			sigaction(SIGTRAP, &sa, NULL);
			if (pe_self(&a) < 0)
				_exit(1);
			for (;;)
				getppid();
		}
		do {
			pe_sleep_ms(1);
			ended = waitpid(child, &status, WNOHANG);
		} while (!ended && !__atomic_load_n(signals, __ATOMIC_ACQUIRE));
		ASSERT_EQ(0, ended);
		pe_spin(20000 * round);
		ASSERT_EQ(0, kill(child, SIGKILL));
		ASSERT_EQ(child, waitpid(child, &status, 0));
		ASSERT_EQ(SIGKILL, WTERMSIG(status));
	}
	munmap(signals, sizeof(*signals));
}

TEST_HARNESS_MAIN
