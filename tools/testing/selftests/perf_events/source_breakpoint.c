// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware breakpoints and watchpoints by perf_event_open(2).
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_sample.h"

#define MAX_SLOTS	16
#define KERNEL_ADDRESS	pe_kernel_address(4096UL * 1024)

/*
 * Only x86 requires addresses aligned to the length and lengths that are powers of two, allows a
 * task's breakpoint in the kernel, and traps after the access. On other architectures the access is
 * retried when a handler returns.
 */
#if defined(__x86_64__) || defined(__i386)
# define LIKE_X86	1
#else
# define LIKE_X86	0
#endif

static union {
	alignas(16) uint8_t b[32];
	uint16_t h[8];
	uint32_t w[4];
} data;

/* One access of exactly that width */
#define PUT(x, v)	__atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define GET(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)

static struct perf_event_attr bp_attr_at(int type, uint64_t addr, uint64_t len)
{
	struct perf_event_attr a = pe_attr(0);

	a.type = PERF_TYPE_BREAKPOINT;
	a.bp_type = type;
	a.bp_addr = addr;
	a.bp_len = len;
	a.exclude_kernel = pe_watch_user_only();
	a.exclude_hv = 1;
	return a;
}

static struct perf_event_attr bp_attr(int type, const void *addr, uint64_t len)
{
	return bp_attr_at(type, (unsigned long)addr, len);
}

static __attribute__((noipa)) void target(void)
{
	asm volatile("" ::: "memory");
}

/*
 * Open as many breakpoints as there are registers, on one byte each (simulated CPUs report only one
 * hit for an access). Return: their number, with the error of the next open in *err.
 */
static int fill(struct perf_event_attr *attr, pid_t pid, int cpu, int *fds, int *err)
{
	struct perf_event_attr copy = *attr, *a = &copy;
	int n, fd = 0;

	for (n = 0; n < MAX_SLOTS; n++, a->bp_addr++) {
		fd = pe_try(a, pid, cpu, -1, 0);
		if (fd)
			break;
		fds[n] = pe_open(a, pid, cpu, -1, 0);
	}
	*err = fd;
	return n;
}

static void write_all(void)
{
	int i;

	/* Emulated CPUs clear the last hit only at an access to another address. */
	for (i = 0; i < 16; i++) {
		PUT(data.b[i], i);
		PUT(data.b[31], i);
	}
}

static void drop(int *fds, int n)
{
	while (n--)
		close(fds[n]);
}

FIXTURE(breakpoint)
{
	int slots;
};

FIXTURE_SETUP(breakpoint)
{
	struct perf_event_attr a = bp_attr(HW_BREAKPOINT_W, &data, 1);
	int fds[MAX_SLOTS], err;

	self->slots = fill(&a, 0, -1, fds, &err);
	drop(fds, self->slots);
	if (!self->slots && pe_no_breakpoint(err))
		SKIP(return, "no watchpoints (%s)", strerror(-err));
	ASSERT_LT(0, self->slots);
}

FIXTURE_TEARDOWN(breakpoint)
{
}

TEST_F(breakpoint, write_of_each_length)
{
	unsigned int len, at;

	for (len = 1; len <= sizeof(long); len *= 2) {
		for (at = 0; at < 16; at += len) {
			struct perf_event_attr a = bp_attr(HW_BREAKPOINT_W, &data.b[at], len);
			int fd = pe_self(&a);

			ASSERT_LE(0, fd) TH_LOG("len %u at %u", len, at);
			write_all();
			EXPECT_EQ(len, pe_count(fd));
			GET(data.b[at]);
			EXPECT_EQ(len, pe_count(fd));
			close(fd);
		}
	}
}

TEST_F(breakpoint, read_write)
{
	struct perf_event_attr a = bp_attr(HW_BREAKPOINT_RW, &data.w[1], 4);
	int fd = pe_self(&a);

	ASSERT_LE(0, fd);
	PUT(data.w[1], 1);
	EXPECT_EQ(1, pe_count(fd));
	GET(data.w[1]);
	EXPECT_EQ(2, pe_count(fd));
	GET(data.w[2]);
	EXPECT_EQ(2, pe_count(fd));
	close(fd);
}

/* Watch only reads, if the machine can distinguish them from writes. */
TEST_F(breakpoint, read_alone)
{
	struct perf_event_attr a = bp_attr(HW_BREAKPOINT_R, &data.w[1], 4);
	int fd = pe_self(&a);

	if (LIKE_X86) {
		EXPECT_EQ(-EINVAL, fd);
		return;
	}
	ASSERT_LE(0, fd);
	GET(data.w[1]);
	EXPECT_EQ(1, pe_count(fd));
	PUT(data.w[1], 1);
	EXPECT_EQ(1, pe_count(fd));
	GET(data.w[2]);
	EXPECT_EQ(1, pe_count(fd));
	GET(data.w[1]);
	EXPECT_EQ(2, pe_count(fd));
	close(fd);
}

TEST_F(breakpoint, execute)
{
	struct perf_event_attr a = bp_attr(HW_BREAKPOINT_X, target, pe_kernel_long());
	int fd = pe_self(&a), i;

	if (fd == -EOPNOTSUPP && !LIKE_X86)
		SKIP(return, "no breakpoints on code");
	ASSERT_LE(0, fd);
	for (i = 0; i < 10; i++)
		target();
	EXPECT_EQ(10, pe_count(fd));
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	target();
	EXPECT_EQ(10, pe_count(fd));
	close(fd);
}

TEST_F(breakpoint, impossible)
{
	struct perf_event_attr a;
	int of_code, of_more;

	/* Breakpoints of code; a machine may have none. */
	a = bp_attr(HW_BREAKPOINT_X, target, pe_kernel_long());
	of_code = pe_try(&a, 0, -1, -1, 0) == -EOPNOTSUPP ? -EOPNOTSUPP : -EINVAL;
	EXPECT_TRUE(!LIKE_X86 || of_code == -EINVAL);
	a = bp_attr(HW_BREAKPOINT_EMPTY, &data, 1);
	EXPECT_EQ(of_code, pe_try(&a, 0, -1, -1, 0));
	a = bp_attr(HW_BREAKPOINT_INVALID, &data, 1);
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, -1, 0));
	a = bp_attr(8, &data, 1);
	EXPECT_EQ(of_code, pe_try(&a, 0, -1, -1, 0));
	a = bp_attr(HW_BREAKPOINT_W, &data, 0);
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, -1, 0));
	if (LIKE_X86) {
		a = bp_attr(HW_BREAKPOINT_W, &data, 3);
		EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, -1, 0));
		a = bp_attr(HW_BREAKPOINT_W, &data.b[1], 4);
		EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, -1, 0));
		/* Only some processors watch more than a word. */
		a = bp_attr(HW_BREAKPOINT_W, &data, 2 * sizeof(long));
		of_more = pe_try(&a, 0, -1, -1, 0);
		EXPECT_TRUE(!of_more || of_more == -EOPNOTSUPP);
	}
	a = bp_attr(HW_BREAKPOINT_W, &data, 1);
	a.sample_type = PERF_SAMPLE_BRANCH_STACK;
	a.sample_period = 1;
	a.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	EXPECT_EQ(-EOPNOTSUPP, pe_try(&a, 0, -1, -1, 0));
}

/* A refused breakpoint does not keep a register. */
TEST_F(breakpoint, refused_takes_none)
{
	int fds[MAX_SLOTS], err, i;
	struct perf_event_attr a;

	a = bp_attr(HW_BREAKPOINT_W, &data, 0);
	for (i = 0; i < 3 * self->slots; i++)
		EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, -1, 0));
	a = bp_attr(HW_BREAKPOINT_W, &data, 1);
	i = fill(&a, 0, -1, fds, &err);
	EXPECT_EQ(self->slots, i);
	EXPECT_EQ(-ENOSPC, err);
	drop(fds, i);
}

TEST_F(breakpoint, all_of_them_work)
{
	struct perf_event_attr a = bp_attr(HW_BREAKPOINT_W, &data, 1);
	int fds[MAX_SLOTS], err, n, i;

	n = fill(&a, 0, -1, fds, &err);
	write_all();
	for (i = 0; i < n; i++)
		EXPECT_EQ(1, pe_count(fds[i]));
	drop(fds, n);
}

/*
 * Breakpoints of a CPU and of a task share the CPU's registers; those of two
 * tasks do not.
 */
TEST_F(breakpoint, slots_of_cpus_and_tasks)
{
	struct perf_event_attr a = bp_attr(HW_BREAKPOINT_W, &data, 1);
	int of_cpu[MAX_SLOTS], of_task[MAX_SLOTS], err, n, m, one;
	struct pe_child c;

	n = fill(&a, -1, 0, of_cpu, &err);
	ASSERT_EQ(self->slots, n);
	EXPECT_EQ(-ENOSPC, err);
	EXPECT_EQ(-ENOSPC, pe_try(&a, 0, -1, -1, 0));
	EXPECT_EQ(-ENOSPC, pe_try(&a, 0, 0, -1, 0));
	if (pe_cpu_count() > 1) {
		EXPECT_EQ(0, pe_try(&a, 0, 1, -1, 0));
		EXPECT_EQ(0, pe_try(&a, -1, 1, -1, 0));
	}

	/* With one free register, each task can have a breakpoint. */
	close(of_cpu[--n]);
	ASSERT_EQ(0, pe_child_start(&c));
	m = fill(&a, 0, -1, of_task, &err);
	EXPECT_EQ(1, m);
	one = pe_open(&a, c.pid, -1, -1, 0);
	EXPECT_LE(0, one);
	EXPECT_EQ(-ENOSPC, pe_try(&a, c.pid, 0, -1, 0));
	EXPECT_EQ(-ENOSPC, pe_try(&a, -1, 0, -1, 0));
	drop(of_task, m);
	EXPECT_EQ(-ENOSPC, pe_try(&a, -1, 0, -1, 0));
	close(one);
	EXPECT_EQ(0, pe_try(&a, -1, 0, -1, 0));
	drop(of_cpu, n);
	pe_child_end(&c);
}

TEST_F(breakpoint, kernel_address)
{
	struct perf_event_attr a = bp_attr_at(HW_BREAKPOINT_W, KERNEL_ADDRESS, 1);

	if (!LIKE_X86)
		SKIP(return, "the address of the kernel is known only on x86");
	EXPECT_EQ(-EINVAL, pe_try(&a, 0, -1, -1, 0));
	a.exclude_kernel = 0;
	EXPECT_EQ(0, pe_try(&a, 0, -1, -1, 0));
}

static __u64 kernel_symbol(const char *name)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned long long at, found = 0;
	char line[256], symbol[128];

	while (f && !found && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %*c %127s", &at, symbol) == 2 && !strcmp(symbol, name))
			found = at;
	}
	if (f)
		fclose(f);
	return found;
}

/* The kernel's timekeeping writes this word many times a second. */
TEST_F(breakpoint, kernel_data)
{
	struct perf_event_attr a = bp_attr(HW_BREAKPOINT_W, NULL, 4);
	__u64 jiffies = kernel_symbol("jiffies_64");
	int fds[64], n = pe_cpu_count(), i;
	clock_t start;
	__u64 sum = 0;

	if (!jiffies)
		SKIP(return, "no kallsyms");
	if (n > 64)
		n = 64;
	a.bp_addr = jiffies;
	a.exclude_kernel = 0;
	for (i = 0; i < n; i++) {
		fds[i] = pe_open(&a, -1, i, -1, 0);
		ASSERT_LE(0, fds[i]);
	}
	for (start = clock(); sum <= 10 && clock() - start < 20 * CLOCKS_PER_SEC; ) {
		for (i = 0, sum = 0; i < n; i++)
			sum += pe_count(fds[i]);
	}
	EXPECT_LT(10, sum);
	for (i = 0; i < n; i++)
		close(fds[i]);
}

static int open_it(void *arg)
{
	return pe_try(arg, 0, -1, -1, 0);
}

TEST_F(breakpoint, unprivileged)
{
	struct perf_event_attr a = bp_attr(HW_BREAKPOINT_W, &data, 1);
	long level = pe_get(PE_PARANOID);

	pe_set(PE_PARANOID, 1);
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, open_it, &a));
	if (LIKE_X86) {
		a = bp_attr_at(HW_BREAKPOINT_W, KERNEL_ADDRESS, 1);
		a.exclude_kernel = 0;
		EXPECT_EQ(-EPERM, pe_run_as(PE_UID, 0, open_it, &a));
		EXPECT_EQ(-EPERM, pe_run_as(PE_UID, PE_CAP(CAP_PERFMON), open_it, &a));
		EXPECT_EQ(0, pe_run_as(PE_UID, PE_CAP(CAP_SYS_ADMIN), open_it, &a));
	}
	pe_set(PE_PARANOID, level);
}

TEST_F(breakpoint, sample_has_address)
{
	struct perf_event_attr a = bp_attr(HW_BREAKPOINT_W, &data.w[1], 4);
	struct pe_record rec;
	struct pe_sample s;
	struct pe_ring ring;
	int fd, i;

	a.sample_period = 2;
	a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_TID;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 1));
	for (i = 0; i < 10; i++)
		PUT(data.w[1], i);
	for (i = 0; pe_ring_find(&ring, &rec, PERF_RECORD_SAMPLE) > 0; i++) {
		ASSERT_EQ(0, pe_sample_parse(&a, &rec, &s));
		EXPECT_EQ(a.bp_addr, s.addr);
		EXPECT_EQ(gettid(), s.tid);
	}
	EXPECT_EQ(5, i);
	EXPECT_EQ(10, pe_count(fd));
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_F(breakpoint, modify)
{
	struct perf_event_attr a = bp_attr(HW_BREAKPOINT_W, &data.w[0], 4), b;
	int fd = pe_self(&a);

	ASSERT_LE(0, fd);
	PUT(data.w[0], 1);
	PUT(data.w[1], 1);
	EXPECT_EQ(1, pe_count(fd));
	b = a;
	b.bp_addr = (unsigned long)&data.w[1];
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&b));
	PUT(data.w[0], 1);
	PUT(data.w[1], 1);
	EXPECT_EQ(2, pe_count(fd));
	b.disabled = 1;
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&b));
	PUT(data.w[1], 1);
	EXPECT_EQ(2, pe_count(fd));
	b.disabled = 0;
	b.bp_type = HW_BREAKPOINT_RW;
	b.bp_len = 2;
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&b));
	GET(data.h[2]);
	PUT(data.h[3], 1);
	EXPECT_EQ(3, pe_count(fd));
	close(fd);
}

/**
 * struct move - a change of a breakpoint
 * @fd: the event
 * @a: the new attribute
 */
struct move {
	int fd;
	struct perf_event_attr a;
};

static int do_move(void *arg)
{
	struct move *m = arg;

	return pe_ioctl(m->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&m->a);
}

/*
 * A process that has the file may move the breakpoint, even without permission to open the new one.
 */
TEST_F(breakpoint, modify_without_rights)
{
	struct move m = { .a = bp_attr(HW_BREAKPOINT_W, &data.w[0], 4) };
	long paranoid = pe_get(PE_PARANOID);

	m.a.exclude_kernel = 0;
	if (geteuid())
		SKIP(return, "needs root");
	m.fd = pe_self(&m.a);
	ASSERT_LE(0, m.fd);
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	m.a.bp_addr = (unsigned long)&data.w[1];
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, do_move, &m));
	pe_set(PE_PARANOID, paranoid);
	PUT(data.w[1], 1);
	EXPECT_EQ(1, pe_count(m.fd));
	/* The process may not move the breakpoint into the kernel. */
	if (LIKE_X86) {
		m.a.bp_addr = KERNEL_ADDRESS;
		EXPECT_EQ(-EPERM, pe_run_as(PE_UID, 0, do_move, &m));
	}
	close(m.fd);
}

/* After a refused change the breakpoint is unchanged and enabled. */
TEST_F(breakpoint, modify_fails)
{
	struct perf_event_attr a = bp_attr(HW_BREAKPOINT_W, &data.w[0], 4), b;
	int fd = pe_self(&a), sw;

	ASSERT_LE(0, fd);
#define REFUSED(err, change) ({							\
		b = a;								\
		change;								\
		EXPECT_EQ(err, pe_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,	\
					(unsigned long)&b)) TH_LOG(#change);	\
	})
	if (LIKE_X86) {
		REFUSED(-EINVAL, b.bp_addr++);
		REFUSED(-EINVAL, b.bp_len = 3);
	}
	REFUSED(-EINVAL, b.bp_type = HW_BREAKPOINT_EMPTY);
	REFUSED(-EINVAL, b.bp_type = HW_BREAKPOINT_INVALID);
	REFUSED(-EINVAL, b.sample_period = 7);
	REFUSED(-EINVAL, b.pinned = 1);
	REFUSED(-EINVAL, b.type = PERF_TYPE_SOFTWARE);
	if ((sizeof(long) == 8 || LIKE_X86) && a.exclude_kernel)
		REFUSED(-EINVAL, b.bp_addr = KERNEL_ADDRESS);
	PUT(data.w[0], 1);
	EXPECT_EQ(1, pe_count(fd));
	close(fd);

	a = pe_attr(PERF_COUNT_SW_DUMMY);
	sw = pe_self(&a);
	ASSERT_LE(0, sw);
	EXPECT_EQ(-EOPNOTSUPP, pe_ioctl(sw, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
					(unsigned long)&a));
	close(sw);
}

static void *write_once(void *unused)
{
	write_all();
	return NULL;
}

TEST_F(breakpoint, inherit)
{
	struct perf_event_attr a = bp_attr(HW_BREAKPOINT_W, &data, 1);
	int fds[MAX_SLOTS], err, n, i, status;
	pthread_t thread;
	pid_t pid;

	a.inherit = 1;
	n = fill(&a, 0, -1, fds, &err);
	ASSERT_EQ(self->slots, n);
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, pthread_create(&thread, NULL, write_once, NULL));
		pthread_join(thread, NULL);
		pid = fork();
		if (!pid) {
			write_once(NULL);
			_exit(0);
		}
		waitpid(pid, &status, 0);
	}
	for (i = 0; i < n; i++)
		EXPECT_EQ(16, pe_count(fds[i]));
	drop(fds, n);
	EXPECT_EQ(0, pe_try(&a, 0, -1, -1, 0));
}

/* An inherited event is changed with its parent. */
TEST_F(breakpoint, modify_inherited)
{
	struct perf_event_attr a = bp_attr(HW_BREAKPOINT_W, &data.w[0], 4);
	int fd, go[2], done[2];
	pid_t pid;
	char c;

	a.inherit = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(done));
	pid = fork();
	if (!pid) {
		PUT(data.w[0], 1);
		PUT(data.w[1], 1);
		if (write(done[1], "", 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(1);
		PUT(data.w[0], 1);
		PUT(data.w[1], 1);
		PUT(data.w[1], 1);
		_exit(0);
	}
	ASSERT_EQ(1, read(done[0], &c, 1));
	EXPECT_EQ(1, pe_count(fd));
	a.bp_addr = (unsigned long)&data.w[1];
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&a));
	ASSERT_EQ(1, write(go[1], "", 1));
	waitpid(pid, NULL, 0);
	EXPECT_EQ(3, pe_count(fd));
	close(fd);
}

/* An event that was opened can always be scheduled, while others open and close breakpoints. */
static void *take_and_give(void *arg)
{
	struct perf_event_attr a = bp_attr(HW_BREAKPOINT_W, &data, 1);
	unsigned int seed = (unsigned long)arg, i, k;
	int fds[4] = { -1, -1, -1, -1 };
	pid_t pid;

	for (i = 0; i < 400; i++) {
		int cpu = (int)(rand_r(&seed) % (pe_cpu_count() + 1)) - 1;

		k = rand_r(&seed) % 4;
		if (fds[k] >= 0) {
			close(fds[k]);
			fds[k] = -1;
			continue;
		}
		a.bp_addr = (unsigned long)&data.b[k];
		a.inherit = rand_r(&seed) & 1;
		fds[k] = pe_open(&a, cpu >= 0 && (rand_r(&seed) & 1) ? -1 : 0, cpu, -1, 0);
		if (fds[k] < 0 && fds[k] != -ENOSPC)
			return "an open failed for another reason";
		if (i % 16)
			continue;
		pid = fork();
		if (!pid) {
			write_all();
			_exit(0);
		}
		/* A forked child has registers for all inherited events, or has inherited none. */
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	for (k = 0; k < 4; k++) {
		if (fds[k] >= 0)
			close(fds[k]);
	}
	return NULL;
}

TEST_F(breakpoint, none_is_lost)
{
	struct perf_event_attr a = bp_attr(HW_BREAKPOINT_W, &data, 1);
	int fds[MAX_SLOTS], err, n, i;
	pthread_t threads[3];
	void *trouble;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, take_and_give,
					    (void *)(i + 1UL)));
	for (i = 0; i < 3; i++) {
		pthread_join(threads[i], &trouble);
		EXPECT_EQ(NULL, trouble) TH_LOG("%s", (char *)trouble);
	}
	for (i = 0; i < pe_cpu_count(); i++) {
		n = fill(&a, -1, i, fds, &err);
		EXPECT_EQ(self->slots, n);
		drop(fds, n);
	}
	n = fill(&a, 0, -1, fds, &err);
	EXPECT_EQ(self->slots, n);
	write_all();
	for (i = 0; i < n; i++)
		EXPECT_EQ(1, pe_count(fds[i]));
	drop(fds, n);
}

static int traps;
static unsigned long trap_addr;
static uint64_t trap_data;

static void on_trap(int sig, siginfo_t *info, void *context)
{
	/* si_perf_data is after si_addr; not every C library has it. */
	unsigned long *field = (unsigned long *)&info->si_addr;

	PUT(traps, traps + 1);
	trap_addr = field[0];
	trap_data = field[1];
}

TEST_F(breakpoint, sigtrap)
{
	struct perf_event_attr a = bp_attr(HW_BREAKPOINT_RW, &data.w[3], 4);
	struct sigaction sa = { .sa_flags = SA_SIGINFO, .sa_sigaction = on_trap };
	int fd, i;

	if (!LIKE_X86)
		SKIP(return, "the access would be retried forever");
	a.sample_period = 1;
	a.sigtrap = 1;
	a.remove_on_exec = 1;
	a.sig_data = 0x1234;
	ASSERT_EQ(0, sigaction(SIGTRAP, &sa, NULL));
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	for (i = 0; i < 5; i++)
		PUT(data.w[3], i);
	EXPECT_EQ(5, GET(traps));
	EXPECT_EQ((unsigned long)&data.w[3], trap_addr);
	EXPECT_EQ(0x1234, trap_data);
	/* A change to another address changes sig_data, too. */
	a.bp_addr = (unsigned long)&data.w[2];
	a.sig_data = 0x4321;
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&a));
	PUT(data.w[2], 1);
	EXPECT_EQ(6, GET(traps));
	EXPECT_EQ((unsigned long)&data.w[2], trap_addr);
	EXPECT_EQ(0x4321, trap_data);
	close(fd);
}

/* Either all breakpoints of a group fit, or the group is refused. */
TEST_F(breakpoint, group)
{
	struct perf_event_attr a = bp_attr(HW_BREAKPOINT_W, &data, 1);
	int fds[MAX_SLOTS], n, i;

	for (n = 0; n < self->slots; n++, a.bp_addr++) {
		a.disabled = !n;
		fds[n] = pe_open(&a, 0, -1, n ? fds[0] : -1, 0);
		ASSERT_LE(0, fds[n]);
	}
	EXPECT_EQ(-ENOSPC, pe_try(&a, 0, -1, fds[0], 0));
	write_all();
	EXPECT_EQ(0, pe_ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0));
	write_all();
	EXPECT_EQ(0, pe_ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0));
	write_all();
	for (i = 0; i < n; i++)
		EXPECT_EQ(1, pe_count(fds[i]));
	drop(fds, n);
}

TEST_HARNESS_MAIN
