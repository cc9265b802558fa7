// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of hardware counters: their number, their addresses, their contents, and signals.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_hw.h"
#include "pe_sample.h"

#define PERIOD	100000UL
#define LOOP	(200 * PERIOD)
#define DEPTH	10

/* Bits of the program counter and the stack pointer in the mask of registers */
#if defined(__x86_64__) || defined(__i386)
# define REGS	0x180
#elif defined(__aarch64__)
# define REGS	0x180000000
#elif defined(__powerpc64__)
# define REGS	0x100000002
#else
# define REGS	3
#endif

#define ABI	(sizeof(long) == 8 ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_32)

static struct pe_record rec;

#define RATE		PE_SYSCTL "perf_event_max_sample_rate"
#define SHARE		PE_SYSCTL "perf_cpu_time_max_percent"

FIXTURE(hw) {
	struct perf_event_attr a;
	struct pe_ring ring;
	int fd, rate, share;
};

FIXTURE_SETUP(hw)
{
	if (pe_hw_missing())
		SKIP(return, "no hardware counters");
	/* Tests fill the PMU with equal events, which must not share a counter. */
	pe_hw_share(false);
	/* A host that stops the machine in an interrupt must not lower the maximum rate. */
	self->rate = pe_get(RATE);
	self->share = pe_get(SHARE);
	pe_set(SHARE, 99);
	pe_set(RATE, 1000000000);
	pe_set(SHARE, 100);
	pe_move_to(0);
	self->a = pe_hw_attr(pe_hw_exact());
	self->a.sample_period = PERIOD;
	self->a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD;
	self->fd = -1;
}

FIXTURE_TEARDOWN(hw)
{
	if (!self->rate)
		return;
	pe_hw_share(true);
	pe_set(SHARE, 99);
	pe_set(RATE, self->rate);
	pe_set(SHARE, self->share);
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
}

#define OPEN() do {							\
	self->fd = pe_self(&self->a);					\
	ASSERT_LE(0, self->fd);						\
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 64));		\
} while (0)

static void run(int fd, unsigned long instructions)
{
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_hw_loop(instructions);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

static bool in_loop(__u64 ip)
{
	return ip >= (unsigned long)pe_hw_loop_start && ip <= (unsigned long)pe_hw_loop_end;
}

TEST_F(hw, one_record_a_period)
{
	unsigned int n = 0, user = 0, inside = 0, of;
	struct pe_sample s;
	__u64 count;

	/* A period that ends in an excluded mode has no sample. */
	self->a.exclude_kernel = pe_hw_excludes();
	OPEN();
	run(self->fd, LOOP);
	count = pe_count(self->fd);
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &s));
		EXPECT_EQ(PERIOD, s.period);
		EXPECT_EQ(getpid(), s.pid);
		n++;
		user += (rec.head.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
		inside += in_loop(s.ip);
	}
	TH_LOG("%u records, %u of user mode, %u in the loop, count %llu", n, user, inside, count);
	EXPECT_LE(count / PERIOD - 1, n);
	EXPECT_GE(count / PERIOD, n);
	/* If the kernel is counted, its part depends on the speed of the machine. */
	of = pe_hw_excludes() ? n : user;
	EXPECT_LE(of - of / 10, inside);
	EXPECT_LT(LOOP / PERIOD / 2, inside);
}

/*
 * An interrupt may be late, and a PMU that counts in all modes has overflows in the kernel: neither
 * may give a kernel address to an event that excludes the kernel.
 */
TEST_F(hw, no_address_of_an_excluded_kernel)
{
	unsigned int n = 0, i;
	struct pe_sample s;

	/*
	 * Drivers with this parameter: on POWER an overflow in the kernel has no sample, on x86 the
	 * sample has the registers at the entry.
	 */
	if (access("/sys/module/power_pmu/parameters/share", F_OK) &&
	    access("/sys/module/x86_pmu/parameters/share", F_OK))
		SKIP(return, "the driver may report the address of a late interrupt");
	self->a.sample_period = PERIOD / 10;
	OPEN();
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_hw_loop(2 * PERIOD);
	for (i = 0; i < 10000; i++)
		syscall(SYS_getppid);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &s));
		EXPECT_EQ(PERF_RECORD_MISC_USER, rec.head.misc & PERF_RECORD_MISC_CPUMODE_MASK);
		EXPECT_LE(0, (__s64)s.ip);
		n++;
	}
	EXPECT_LT(0, n);
}

TEST_F(hw, another_period_from_now_on)
{
	__u64 period = 10 * PERIOD, count;
	unsigned int n;

	/* A period that ends in an excluded mode has no sample. */
	self->a.exclude_kernel = pe_hw_excludes();
	OPEN();
	run(self->fd, LOOP);
	count = pe_count(self->fd);
	n = pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE);
	EXPECT_LE(count / PERIOD - 1, n);
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period));
	run(self->fd, LOOP);
	count = pe_count(self->fd) - count;
	EXPECT_LE(LOOP, count);
	n = pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE);
	EXPECT_LE(count / period - 1, n);
	EXPECT_GE(count / period + 2, n);
}

TEST_F(hw, frequency)
{
	unsigned int n;

	self->a.freq = 1;
	self->a.sample_freq = 1000;
	OPEN();
	run(self->fd, 10 * LOOP);
	n = pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE);
	TH_LOG("%u records", n);
	EXPECT_LE(20, n);
}

/* Before the first tick the rate is unknown: the first samples must not be a burst. */
TEST_F(hw, frequency_at_the_start)
{
	struct pe_sample s;

	self->a.freq = 1;
	self->a.sample_freq = 1000;
	OPEN();
	run(self->fd, LOOP);
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &s));
		EXPECT_LE(100, s.period);
	}
}

TEST_F(hw, a_lower_frequency_gives_less)
{
	__u64 high = 4000, low = 100;
	unsigned int many, few, tries = 0;

	self->a.freq = 1;
	self->a.sample_freq = high;
	OPEN();
	/* After a stop of the machine the period is too short for a while: try again. */
	do {
		ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&high));
		run(self->fd, 10 * LOOP);
		many = pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE);
		ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&low));
		run(self->fd, 5 * LOOP);
		pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE);
		run(self->fd, 10 * LOOP);
		few = pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE);
		TH_LOG("%u and %u records", many, few);
	} while (few * 4 >= many && ++tries < 10);
	EXPECT_GT(10, tries);
}

static int signals, hangups;

static void on_signal(int sig, siginfo_t *info, void *context)
{
	__atomic_fetch_add(info->si_code == POLL_HUP ? &hangups : &signals, 1, __ATOMIC_RELAXED);
}

TEST_F(hw, signals)
{
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	sigaction(SIGIO, &act, NULL);
	self->a.wakeup_events = 1;
	OPEN();
	ASSERT_EQ(0, fcntl(self->fd, F_SETOWN, getpid()));
	ASSERT_EQ(0, fcntl(self->fd, F_SETSIG, SIGIO));
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_ASYNC));
	pe_ioctl(self->fd, PERF_EVENT_IOC_REFRESH, 10);
	pe_hw_loop(LOOP);
	EXPECT_EQ(9, __atomic_load_n(&signals, __ATOMIC_RELAXED));
	EXPECT_EQ(1, __atomic_load_n(&hangups, __ATOMIC_RELAXED));
	EXPECT_EQ(10, pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE));
}

TEST_F(hw, poll_wakes)
{
	pid_t me = getpid(), pid;
	int status, go[2];
	struct pollfd p;
	char c;

	self->a.wakeup_events = 5;
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		pe_die_with(me);
		close(go[1]);
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		/* Wait until the parent sleeps in poll(2). */
		while (pe_task_state(me) != 'S')
			pe_sleep_ms(1);
		pe_hw_loop(20 * PERIOD);
		/* The exit of the child would wake the parent, too. */
		_exit(read(go[0], &c, 1) != 1);
	}
	self->a.disabled = 0;
	self->fd = pe_open(&self->a, pid, -1, -1, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 64));
	p.fd = self->fd;
	p.events = POLLIN;
	ASSERT_EQ(1, write(go[1], "", 1));
	EXPECT_EQ(1, poll(&p, 1, -1));
	EXPECT_EQ(POLLIN, p.revents);
	EXPECT_LE(5, pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE));
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(go[0]);
	close(go[1]);
}

__attribute__((noipa, optimize("no-optimize-sibling-calls", "no-omit-frame-pointer")))
static void deep(unsigned int depth)
{
	if (depth)
		deep(depth - 1);
	else
		pe_hw_loop(LOOP);
	__asm__ __volatile__("" : : : "memory");
}

TEST_F(hw, call_chains)
{
	unsigned int i, frames, good = 0, n = 0;
	struct pe_sample s;
	__u64 ip;

	self->a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	self->a.exclude_callchain_kernel = 1;
	OPEN();
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	deep(DEPTH);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &s));
		if (!in_loop(s.ip))
			continue;
		n++;
		EXPECT_LT(2, s.nr_ips);
		EXPECT_EQ(PERF_CONTEXT_USER, (__s64)s.ips[0]);
		EXPECT_EQ(s.ip, s.ips[1]);
		frames = 0;
		for (i = 0; i < s.nr_ips; i++) {
			ip = s.ips[i] - (unsigned long)deep;
			frames += ip < 256;
		}
		good += frames >= DEPTH;
	}
	TH_LOG("%u of %u chains", good, n);
	EXPECT_LT(LOOP / PERIOD / 2, n);
	EXPECT_EQ(n, good);
}

TEST_F(hw, registers_and_stack)
{
	struct pe_sample s;
	unsigned int n = 0, nr_intr = 0;

	self->a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
			      PERF_SAMPLE_REGS_INTR;
	self->a.sample_regs_user = REGS;
	self->a.sample_regs_intr = REGS;
	self->a.sample_stack_user = 512;
	OPEN();
	run(self->fd, LOOP / 10);
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &s));
		EXPECT_EQ(ABI, s.user_abi);
		EXPECT_EQ(2, s.user_regs);
		EXPECT_EQ(512, s.stack_size);
		EXPECT_EQ(512, s.stack_dyn);
		n++;
		/* A late interrupt may arrive in the kernel, which the event excludes. */
		if (s.intr_abi == PERF_SAMPLE_REGS_ABI_NONE)
			continue;
		EXPECT_EQ(ABI, s.intr_abi);
		EXPECT_EQ(2, s.intr_regs);
		nr_intr++;
	}
	EXPECT_LT(LOOP / PERIOD / 20, n);
	EXPECT_LT(LOOP / PERIOD / 20, nr_intr);
}

TEST_F(hw, values_of_the_group)
{
	struct perf_event_attr soft = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pe_sample s;
	__u64 last = 0;
	unsigned int n = 0;
	int fd;

	self->a.sample_type = PERF_SAMPLE_READ;
	self->a.read_format = PERF_FORMAT_GROUP;
	soft.read_format = PERF_FORMAT_GROUP;
	OPEN();
	fd = pe_open(&soft, 0, -1, self->fd, 0);
	ASSERT_LE(0, fd);
	run(self->fd, LOOP);
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &s));
		ASSERT_EQ(3, s.nr_values);
		EXPECT_EQ(2, s.values[0]);
		EXPECT_LE(last + PERIOD / 10 * 9, s.values[1]);
		last = s.values[1];
		n++;
	}
	EXPECT_LT(LOOP / PERIOD / 2, n);
	EXPECT_GE(pe_count(self->fd), last);
	close(fd);
}

TEST_F(hw, more_samplers_than_counters)
{
	unsigned int counters = pe_hw_counters(), n = 2 * counters, i, records;
	struct pe_ring rings[2 * PE_HW_MAX];
	int fds[2 * PE_HW_MAX];
	__u64 count;

	for (i = 0; i < n; i++) {
		fds[i] = pe_self(&self->a);
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(0, pe_ring_map(&rings[i], fds[i], 16));
	}
	for (i = 0; i < n; i++)
		pe_ioctl(fds[i], PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < 10; i++)
		pe_hw_loop(LOOP);
	for (i = 0; i < n; i++)
		pe_ioctl(fds[i], PERF_EVENT_IOC_DISABLE, 0);
	for (i = 0; i < n; i++) {
		count = pe_count(fds[i]);
		records = pe_ring_drop(&rings[i], PERF_RECORD_SAMPLE);
		TH_LOG("%u: %u records of %llu", i, records, count / PERIOD);
		EXPECT_LT(0, count);
		EXPECT_LE(records, count / PERIOD + 1);
		EXPECT_GE(records + records / 10 + 2, count / PERIOD);
		pe_ring_unmap(&rings[i]);
		close(fds[i]);
	}
}

TEST_F(hw, children)
{
	unsigned int n, i;
	int status;

	self->a.inherit = 1;
	self->fd = pe_open(&self->a, 0, 0, -1, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 64));
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (!pid) {
			pe_hw_loop(10 * PERIOD);
			_exit(0);
		}
		waitpid(pid, &status, 0);
	}
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	n = pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE);
	TH_LOG("%u records of %llu", n, pe_count(self->fd) / PERIOD);
	EXPECT_LE(45, n);
	EXPECT_GE(pe_count(self->fd) / PERIOD, n);
}

TEST_F(hw, of_a_cpu)
{
	struct pe_sample s;
	unsigned int n = 0;
	__u64 count;

	/* A period that ends in an excluded mode has no sample. */
	self->a.exclude_kernel = pe_hw_excludes();
	self->a.sample_type |= PERF_SAMPLE_CPU;
	self->fd = pe_open(&self->a, -1, 0, -1, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 64));
	run(self->fd, LOOP);
	count = pe_count(self->fd);
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &s));
		EXPECT_EQ(0, s.cpu);
		n++;
	}
	EXPECT_LE(count / PERIOD - 1, n);
	EXPECT_GE(count / PERIOD, n);
}

TEST_HARNESS_MAIN
