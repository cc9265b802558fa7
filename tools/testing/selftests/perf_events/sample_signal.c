// SPDX-License-Identifier: GPL-2.0
/*
 * Signals of events, by fcntl(2) and attr.sigtrap: the target, the signal number, and how many
 * signals are sent.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"

#ifndef TRAP_PERF
#define TRAP_PERF	6
#endif

#ifndef TRAP_PERF_FLAG_ASYNC
#define TRAP_PERF_FLAG_ASYNC	1
#endif

#define MAX_SEEN	64

/* Fields of a signal, from the handler */
struct seen {
	int nr;
	int sig;
	int code;
	int fd;
	long band;
	pid_t tid;
	void *addr;
	__u64 data;
	__u32 type;
	__u32 flags;
};

static struct seen seen[MAX_SEEN];
/*
 * Number of signals that the handler has started to record, and has recorded: another thread may
 * read in between.
 */
static int nr_begun, nr_seen;

/*
 * Layout of the kernel's siginfo_t, as the C library may lack si_perf_*:
 * these are after si_addr.
 */
struct perf_siginfo {
	int signo, err, code;
	void *addr;
	unsigned long data;
	__u32 type;
	__u32 flags;
};

static void on_signal(int sig, siginfo_t *info, void *context)
{
	int i = __atomic_fetch_add(&nr_begun, 1, __ATOMIC_SEQ_CST);
	const struct perf_siginfo *trap = (void *)info;
	struct seen *s = &seen[i % MAX_SEEN];

	s->sig = sig;
	s->code = info->si_code;
	s->tid = syscall(__NR_gettid);
	if (sig == SIGTRAP) {
		s->addr = trap->addr;
		s->data = trap->data;
		s->type = trap->type;
		s->flags = trap->flags;
	} else {
		s->fd = info->si_fd;
		s->band = info->si_band;
	}
	__atomic_fetch_add(&nr_seen, 1, __ATOMIC_SEQ_CST);
}

static void clear_seen(void)
{
	nr_begun = 0;
	nr_seen = 0;
}

static int seen_so_far(void)
{
	return __atomic_load_n(&nr_seen, __ATOMIC_SEQ_CST);
}

static void faults(int fd, unsigned int nr)
{
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(nr);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

FIXTURE(sig) {
	struct perf_event_attr a;
	struct pe_ring ring;
	int fd;
};

FIXTURE_SETUP(sig)
{
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	clear_seen();
	memset(seen, 0, sizeof(seen));
	ASSERT_EQ(0, sigaction(SIGIO, &act, NULL));
	ASSERT_EQ(0, sigaction(SIGTRAP, &act, NULL));
	ASSERT_EQ(0, sigaction(SIGRTMIN, &act, NULL));
	ASSERT_EQ(0, sigaction(SIGURG, &act, NULL));
	self->a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.sample_period = 1;
	self->a.wakeup_events = 1;
	self->fd = -1;
	/* Map the pages that later calls touch. */
	faults(-1, 1);
	raise(SIGRTMIN);
	raise(SIGTRAP);
	clear_seen();
	memset(seen, 0, sizeof(seen));
}

FIXTURE_TEARDOWN(sig)
{
	if (self->fd >= 0)
		close(self->fd);
}

static int asynchronous(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	return fcntl(fd, F_SETFL, on ? flags | O_ASYNC : flags & ~O_ASYNC);
}

/* Request queued signals with the file descriptor of the event. */
static int ask_for_signals(int fd)
{
	return fcntl(fd, F_SETOWN, getpid()) ?: fcntl(fd, F_SETSIG, SIGRTMIN) ?:
	       asynchronous(fd, true);
}

TEST_F(sig, without_a_choice_of_signal)
{
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, fcntl(self->fd, F_SETOWN, getpid()));
	faults(self->fd, 3);
	EXPECT_EQ(0, seen_so_far());
	ASSERT_EQ(0, asynchronous(self->fd, true));
	faults(self->fd, 3);
	EXPECT_LE(1, seen_so_far());
	EXPECT_EQ(SIGIO, seen[0].sig);
}

TEST_F(sig, of_choice)
{
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ask_for_signals(self->fd));
	faults(self->fd, 1);
	ASSERT_EQ(1, seen_so_far());
	EXPECT_EQ(SIGRTMIN, seen[0].sig);
	EXPECT_EQ(POLL_IN, seen[0].code);
	EXPECT_EQ(self->fd, seen[0].fd);
	EXPECT_EQ(POLLIN | POLLRDNORM, seen[0].band & (POLLIN | POLLRDNORM));
	faults(self->fd, 1);
	EXPECT_EQ(2, seen_so_far());
}

/* A record other than a sample sends a signal when it wakes up the reader. */
TEST_F(sig, of_other_records)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);

	a.comm = 1;
	a.watermark = 1;
	a.wakeup_watermark = 1;
	self->fd = pe_self(&a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 1));
	ASSERT_EQ(0, ask_for_signals(self->fd));
	ASSERT_EQ(0, prctl(PR_SET_NAME, "pe_signal"));
	EXPECT_EQ(1, seen_so_far());
	EXPECT_EQ(POLL_IN, seen[0].code);
	EXPECT_EQ(self->fd, seen[0].fd);
	pe_ring_unmap(&self->ring);
}

/* An overflow sends one signal, even if its record also wakes up the reader. */
TEST_F(sig, once_with_a_watermark)
{
	self->a.watermark = 1;
	self->a.wakeup_watermark = 1;
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 1));
	ASSERT_EQ(0, ask_for_signals(self->fd));
	faults(self->fd, 1);
	EXPECT_EQ(1, seen_so_far());
	EXPECT_EQ(POLL_IN, seen[0].code);
	pe_ring_unmap(&self->ring);
}

TEST_F(sig, no_more)
{
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ask_for_signals(self->fd));
	faults(self->fd, 1);
	ASSERT_EQ(0, asynchronous(self->fd, false));
	faults(self->fd, 5);
	EXPECT_EQ(1, seen_so_far());
	/* A closed event sends no signals. */
	ASSERT_EQ(0, asynchronous(self->fd, true));
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	close(self->fd);
	self->fd = -1;
	clear_seen();
	pe_fault(5);
	EXPECT_EQ(0, seen_so_far());
}

struct other {
	pid_t tid;
	int stop;
};

static void *wait_here(void *arg)
{
	struct other *o = arg;

	__atomic_store_n(&o->tid, syscall(__NR_gettid), __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&o->stop, __ATOMIC_SEQ_CST))
		pe_sleep_ms(1);
	return NULL;
}

TEST_F(sig, to_one_thread)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID };
	struct other o = { };
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_here, &o));
	while (!__atomic_load_n(&o.tid, __ATOMIC_SEQ_CST))
		pe_sleep_ms(1);
	owner.pid = o.tid;
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, fcntl(self->fd, F_SETOWN_EX, &owner));
	ASSERT_EQ(0, fcntl(self->fd, F_SETSIG, SIGRTMIN));
	ASSERT_EQ(0, asynchronous(self->fd, true));
	faults(self->fd, 1);
	while (!seen_so_far())
		pe_sleep_ms(1);
	EXPECT_EQ(o.tid, seen[0].tid);
	EXPECT_EQ(self->fd, seen[0].fd);

	/* The owner is the thread in which the overflows happen. */
	owner.pid = syscall(__NR_gettid);
	ASSERT_EQ(0, fcntl(self->fd, F_SETOWN_EX, &owner));
	faults(self->fd, 1);
	ASSERT_EQ(2, seen_so_far());
	EXPECT_EQ(owner.pid, seen[1].tid);
	__atomic_store_n(&o.stop, 1, __ATOMIC_SEQ_CST);
	pthread_join(thread, NULL);
}

TEST_F(sig, to_another_process)
{
	pid_t me = getpid(), child = fork();
	int status;

	/* The child exits on the signal. */
	if (!child) {
		pe_die_with(me);
		signal(SIGURG, SIG_DFL);
		signal(SIGRTMIN, SIG_DFL);
		for (;;)
			pause();
	}
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, fcntl(self->fd, F_SETOWN, child));
	ASSERT_EQ(0, fcntl(self->fd, F_SETSIG, SIGRTMIN));
	ASSERT_EQ(0, asynchronous(self->fd, true));
	do {
		pe_sleep_ms(10);
		faults(self->fd, 1);
	} while (!waitpid(child, &status, WNOHANG));
	EXPECT_EQ(1, WIFSIGNALED(status));
	EXPECT_EQ(SIGRTMIN, WTERMSIG(status));
	EXPECT_EQ(0, seen_so_far());
}

TEST_F(sig, of_an_event_with_a_buffer)
{
	/* Each overflow sends a signal, even if fewer wake up a poller. */
	self->a.wakeup_events = 4;
	self->a.sample_type = PERF_SAMPLE_IP;
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 1));
	ASSERT_EQ(0, ask_for_signals(self->fd));
	faults(self->fd, 1);
	EXPECT_EQ(1, seen_so_far());
	faults(self->fd, 1);
	EXPECT_EQ(2, seen_so_far());
	pe_ring_unmap(&self->ring);
}

TEST_F(sig, limit)
{
	struct pollfd p = { .events = POLLIN };
	int round;

	/* Each REFRESH allows that number of overflows; the signal of the last one is POLL_HUP. */
	self->a.sample_type = PERF_SAMPLE_IP;
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 4));
	ASSERT_EQ(0, ask_for_signals(self->fd));
	for (round = 0; round < 3; round++) {
		clear_seen();
		ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_REFRESH, 2));
		pe_fault(1);
		ASSERT_EQ(1, seen_so_far());
		EXPECT_EQ(POLL_IN, seen[0].code);
		pe_fault(5);
		ASSERT_EQ(2, seen_so_far());
		EXPECT_EQ(POLL_HUP, seen[1].code);
		EXPECT_EQ(POLLHUP, seen[1].band & POLLHUP);
		EXPECT_EQ(2, pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE));
		EXPECT_EQ(2 * round + 2, pe_count(self->fd));
		p.fd = self->fd;
		EXPECT_EQ(1, poll(&p, 1, 0));
		EXPECT_EQ(POLLIN, p.revents & (POLLIN | POLLHUP));
	}

	/* Several calls of REFRESH add up. */
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_REFRESH, 2));
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_REFRESH, 3));
	pe_fault(20);
	EXPECT_EQ(5, pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE));

	/* REFRESH does not limit an event that has no limit. */
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0));
	pe_fault(20);
	EXPECT_EQ(20, pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE));
	pe_ring_unmap(&self->ring);
}

/* The event whose handler allows one more overflow, @left times, and then causes @faults. */
static struct {
	int fd;
	int left;
	int errors;
	unsigned int faults;
} again;

static void on_last_overflow(int sig, siginfo_t *info, void *context)
{
	on_signal(sig, info, context);
	if (!again.left)
		return;
	again.left--;
	again.errors += pe_ioctl(again.fd, PERF_EVENT_IOC_REFRESH, 1) != 0;
	if (again.faults)
		pe_fault(again.faults);
}

#define REFRESHES	10

static int refresh_in_handler(int fd, unsigned int faults)
{
	struct sigaction act = { .sa_sigaction = on_last_overflow, .sa_flags = SA_SIGINFO };

	again.fd = fd;
	again.left = 0;
	again.errors = 0;
	again.faults = faults;
	if (sigaction(SIGRTMIN, &act, NULL))
		return -errno;
	/* Map the pages that the handler touches. */
	raise(SIGRTMIN);
	clear_seen();
	again.left = REFRESHES;
	return pe_ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
}

/*
 * The handler of the last overflow allows one more: each page fault overflows, once. Count faults
 * that are served, because a fault that a signal interrupts is repeated.
 */
TEST_F(sig, refresh_in_the_handler)
{
	int after[REFRESHES + 3] = { }, i;

	self->a.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	self->a.sample_type = PERF_SAMPLE_IP;
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 4));
	ASSERT_EQ(0, ask_for_signals(self->fd));
	ASSERT_EQ(0, refresh_in_handler(self->fd, 0));
	/* Check later: the checks may cause page faults of their own. */
	for (i = 0; i < REFRESHES + 3; i++) {
		pe_fault(1);
		after[i] = seen_so_far();
	}
	/* The last call of the handler allows no more. */
	for (i = 0; i < REFRESHES + 3; i++)
		EXPECT_EQ(i <= REFRESHES ? i + 1 : REFRESHES + 1, after[i]);
	for (i = 0; i <= REFRESHES; i++)
		EXPECT_EQ(POLL_HUP, seen[i].code);
	EXPECT_EQ(0, again.errors);
	EXPECT_EQ(REFRESHES + 1, seen_so_far());
	EXPECT_EQ(REFRESHES + 1, pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE));
	EXPECT_EQ(REFRESHES + 1, pe_count(self->fd));
	pe_ring_unmap(&self->ring);
}

/* As above, but the page faults are in the handler: three, and one overflow. */
TEST_F(sig, refresh_and_overflow_in_the_handler)
{
	int i;

	self->a.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	self->a.sample_type = PERF_SAMPLE_IP;
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 4));
	ASSERT_EQ(0, ask_for_signals(self->fd));
	ASSERT_EQ(0, refresh_in_handler(self->fd, 3));
	pe_fault(1);
	ASSERT_EQ(REFRESHES + 1, seen_so_far());
	for (i = 0; i <= REFRESHES; i++)
		EXPECT_EQ(POLL_HUP, seen[i].code);
	EXPECT_EQ(0, again.errors);
	EXPECT_EQ(REFRESHES + 1, pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE));
	EXPECT_EQ(REFRESHES + 1, pe_count(self->fd));
	pe_fault(5);
	EXPECT_EQ(REFRESHES + 1, seen_so_far());
	EXPECT_EQ(REFRESHES + 1, pe_count(self->fd));
	pe_ring_unmap(&self->ring);
}

static struct perf_event_attr trap_attr(void)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);

	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_ADDR;
	a.sigtrap = 1;
	a.remove_on_exec = 1;
	a.exclude_kernel = 1;
	a.sig_data = 0x1122334455667788ULL;
	return a;
}

TEST_F(sig, trap)
{
	static char page[3 * 65536];
	char *at = (char *)(((unsigned long)page + 65535) & ~65535UL);
	struct perf_event_attr a = trap_attr();

	/* The signal is sent at the instruction that caused it, with the opener's sig_data. */
	self->fd = pe_self(&a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0));
	pe_touch(at + 17);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	ASSERT_LE(1, seen_so_far());
	EXPECT_EQ(SIGTRAP, seen[0].sig);
	EXPECT_EQ(TRAP_PERF, seen[0].code);
	EXPECT_EQ(at + 17, (char *)seen[0].addr);
	EXPECT_EQ((unsigned long)a.sig_data, (unsigned long)seen[0].data);
	EXPECT_EQ(PERF_TYPE_SOFTWARE, seen[0].type);
	EXPECT_EQ(syscall(__NR_gettid), seen[0].tid);
}

TEST_F(sig, trap_each_time)
{
	struct perf_event_attr a = trap_attr();

	/* Each signal is delivered before the next overflow can happen. */
	self->fd = pe_self(&a);
	ASSERT_LE(0, self->fd);
	faults(self->fd, 10);
	clear_seen();
	faults(self->fd, 10);
	EXPECT_EQ(10, seen_so_far());
	a.sample_period = 5;
	close(self->fd);
	self->fd = pe_self(&a);
	ASSERT_LE(0, self->fd);
	clear_seen();
	faults(self->fd, 50);
	EXPECT_EQ(10, seen_so_far());
	pe_fault(20);
	EXPECT_EQ(10, seen_so_far());
}

struct faulter {
	pid_t tid;
	int go;
};

static void *fault_later(void *arg)
{
	struct faulter *f = arg;

	__atomic_store_n(&f->tid, syscall(__NR_gettid), __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&f->go, __ATOMIC_SEQ_CST))
		pe_sleep_ms(1);
	pe_fault(3);
	return NULL;
}

TEST_F(sig, trap_in_each_thread)
{
	struct perf_event_attr a = trap_attr();
	struct faulter f[3] = { };
	int i, j, mine, alien = 0;
	pthread_t thread[3];

	/*
	 * If threads inherit the event, the thread in which the overflow happened gets the signal.
	 */
	a.inherit = 1;
	a.inherit_thread = 1;
	self->fd = pe_self(&a);
	ASSERT_LE(0, self->fd);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, fault_later, &f[i]));
	for (i = 0; i < 3; i++) {
		while (!__atomic_load_n(&f[i].tid, __ATOMIC_SEQ_CST))
			pe_sleep_ms(1);
	}
	clear_seen();
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0));
	for (i = 0; i < 3; i++) {
		__atomic_store_n(&f[i].go, 1, __ATOMIC_SEQ_CST);
		pthread_join(thread[i], NULL);
	}
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	ASSERT_LE(9, seen_so_far());
	ASSERT_GE(MAX_SEEN, seen_so_far());
	for (i = 0; i < 3; i++) {
		for (mine = j = 0; j < seen_so_far(); j++)
			mine += seen[j].tid == f[i].tid;
		EXPECT_LE(3, mine);
	}
	for (j = 0; j < seen_so_far(); j++) {
		for (i = 0; i < 3 && seen[j].tid != f[i].tid; i++)
			;
		alien += i == 3 && seen[j].tid != getpid();
	}
	EXPECT_EQ(0, alien);
}

TEST_F(sig, trap_that_is_blocked)
{
	struct perf_event_attr a = trap_attr();
	sigset_t set;

	/* The signal is delivered late, and marked as late. */
	self->fd = pe_self(&a);
	ASSERT_LE(0, self->fd);
	faults(self->fd, 1);
	ASSERT_LE(1, seen_so_far());
	EXPECT_EQ(0, seen[0].flags);
	clear_seen();
	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	faults(self->fd, 3);
	EXPECT_EQ(0, seen_so_far());
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	ASSERT_EQ(1, seen_so_far());
	EXPECT_EQ(TRAP_PERF_FLAG_ASYNC, seen[0].flags);
}

TEST_HARNESS_MAIN
