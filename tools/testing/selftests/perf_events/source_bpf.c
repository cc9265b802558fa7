// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs on events: the types that an event accepts, and the meaning of return values.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_sample.h"
#include "pe_sim.h"
#include "pe_trace.h"

static __attribute__((noipa)) void probed(void)
{
	asm volatile("");
}

FIXTURE(bpf)
{
	int map;
	int overflow;	/* an overflow program that keeps the sample */
	int filter;	/* an overflow program that drops the sample */
	int kprobe;
	int tracepoint;
};

FIXTURE_SETUP(bpf)
{
	self->map = pe_bpf_counter();
	if (self->map < 0)
		SKIP(return, "no BPF: %s", strerror(-self->map));
	self->overflow = pe_bpf_load(BPF_PROG_TYPE_PERF_EVENT, self->map, 1);
	self->filter = pe_bpf_load(BPF_PROG_TYPE_PERF_EVENT, self->map, 0);
	self->kprobe = pe_bpf_load(BPF_PROG_TYPE_KPROBE, self->map, 1);
	self->tracepoint = pe_bpf_load(BPF_PROG_TYPE_TRACEPOINT, self->map, 1);
	ASSERT_LE(0, self->overflow);
	ASSERT_LE(0, self->filter);
	ASSERT_LE(0, self->kprobe);
	ASSERT_LE(0, self->tracepoint);
}

FIXTURE_TEARDOWN(bpf)
{
	close(self->map);
	close(self->overflow);
	close(self->filter);
	close(self->kprobe);
	close(self->tracepoint);
}

static struct perf_event_attr fault_attr(unsigned int period)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);

	a.sample_period = period;
	a.sample_type = PERF_SAMPLE_TID;
	a.exclude_kernel = 1;
	return a;
}

TEST_F(bpf, overflow)
{
	struct perf_event_attr a = fault_attr(1);
	struct pe_ring ring;
	int fd = pe_self(&a);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 4));
	pe_fault(1);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->overflow));
	EXPECT_EQ(-EEXIST, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->overflow));
	EXPECT_EQ(-EEXIST, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->filter));
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(20);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(20, pe_bpf_counted(self->map));
	EXPECT_EQ(20, pe_ring_drop(&ring, PERF_RECORD_SAMPLE));
	EXPECT_EQ(20, pe_count(fd));
	pe_ring_unmap(&ring);
	close(fd);
}

/* A program for multi-probes may use helpers that a single probe does not have. */
TEST_F(bpf, of_many_probes)
{
	static const enum bpf_attach_type types[] = { BPF_TRACE_KPROBE_MULTI,
		BPF_TRACE_UPROBE_MULTI, BPF_TRACE_KPROBE_SESSION };
	const struct bpf_insn insns[] = {
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1),
		PE_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	struct perf_event_attr kprobe, uprobe;
	union bpf_attr attr;
	int fd, prog, i;

	/* 6.12 accepts a program for multi-probes on a single probe. */
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	if (pe_probe(&kprobe, "kprobe"))
		SKIP(return, "no kprobes");
	kprobe.kprobe_func = (unsigned long)PE_SYSCALL_FUNC("getppid");
	ASSERT_EQ(0, pe_probe(&uprobe, "uprobe"));
	uprobe.uprobe_path = (unsigned long)"/proc/self/exe";
	uprobe.probe_offset = pe_file_offset(probed);
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_KPROBE;
	attr.insns = (unsigned long)insns;
	attr.insn_cnt = PE_ARRAY_SIZE(insns);
	attr.license = (unsigned long)"GPL";
	for (i = 0; i < (int)PE_ARRAY_SIZE(types); i++) {
		attr.expected_attach_type = types[i];
		prog = pe_sys_bpf(BPF_PROG_LOAD, &attr);
		ASSERT_LE(0, prog);
		fd = pe_self(&kprobe);
		ASSERT_LE(0, fd);
		EXPECT_EQ(-EINVAL, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog));
		close(fd);
		fd = pe_self(&uprobe);
		ASSERT_LE(0, fd);
		EXPECT_EQ(-EINVAL, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog));
		close(fd);
		close(prog);
	}
}

static int signals;

static void on_signal(int sig)
{
	__atomic_add_fetch(&signals, 1, __ATOMIC_RELAXED);
}

/* The program suppresses record and signal, but not the count. */
TEST_F(bpf, filter)
{
	struct perf_event_attr a = fault_attr(1);
	struct pe_ring ring;
	int fd = pe_self(&a);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 4));
	signal(SIGIO, on_signal);
	ASSERT_EQ(0, fcntl(fd, F_SETOWN, getpid()));
	ASSERT_EQ(0, fcntl(fd, F_SETFL, O_ASYNC));
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->filter));
	pe_fault(1);
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(20);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(20, pe_bpf_counted(self->map));
	EXPECT_EQ(0, pe_ring_drop(&ring, PERF_RECORD_SAMPLE));
	EXPECT_EQ(20, pe_count(fd));
	EXPECT_EQ(0, __atomic_load_n(&signals, __ATOMIC_RELAXED));
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_F(bpf, filter_sigtrap)
{
	struct perf_event_attr a = fault_attr(1);
	int fd;

	a.sigtrap = 1;
	a.remove_on_exec = 1;
	signal(SIGTRAP, on_signal);
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->filter));
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(20);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(0, __atomic_load_n(&signals, __ATOMIC_RELAXED));
	close(fd);
}

TEST_F(bpf, breakpoint)
{
	struct perf_event_attr a = pe_attr(0);
	int fd, i;

	a.type = PERF_TYPE_BREAKPOINT;
	a.bp_type = HW_BREAKPOINT_X;
	a.bp_addr = (unsigned long)probed;
	a.bp_len = pe_kernel_long();
	a.sample_period = 1;
	a.exclude_kernel = 1;
	fd = pe_self(&a);
	if (pe_no_breakpoint(fd))
		SKIP(return, "no hardware breakpoints");
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->overflow));
	for (i = 0; i < 10; i++)
		probed();
	EXPECT_EQ(10, pe_bpf_counted(self->map));
	close(fd);
}

/* The overflow is an interrupt of the PMU. */
TEST_F(bpf, hardware)
{
	struct perf_event_attr a = pe_sim_attr();
	struct pe_ring ring;
	int fd, i;

	if (pe_sim_type() <= 0)
		SKIP(return, "no simulated PMU");
	a.sample_period = 10;
	a.sample_type = PERF_SAMPLE_TID;
	a.wakeup_events = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 4));
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->filter));
	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, pe_sim_advance(10));
	EXPECT_EQ(10, pe_bpf_counted(self->map));
	EXPECT_EQ(100, pe_count(fd));
	EXPECT_EQ(0, pe_ring_drop(&ring, PERF_RECORD_SAMPLE));
	pe_ring_unmap(&ring);
	close(fd);

	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 4));
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->overflow));
	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, pe_sim_advance(10));
	EXPECT_EQ(20, pe_bpf_counted(self->map));
	EXPECT_EQ(10, pe_ring_drop(&ring, PERF_RECORD_SAMPLE));
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_F(bpf, wrong_program)
{
	struct perf_event_attr a = fault_attr(1);
	int fd = pe_self(&a);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->kprobe));
	EXPECT_EQ(-EINVAL, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->tracepoint));
	EXPECT_EQ(-EINVAL, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->map));
	EXPECT_EQ(-EBADF, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, -1));
	close(fd);
	ASSERT_EQ(0, pe_tracepoint(&a, pe_call_name()));
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->kprobe));
	EXPECT_EQ(-EINVAL, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->overflow));
	close(fd);
	if (pe_probe(&a, "kprobe"))
		SKIP(return, "no kprobes");
	a.kprobe_func = (unsigned long)PE_SYSCALL_FUNC("getppid");
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->tracepoint));
	EXPECT_EQ(-EINVAL, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->overflow));
	close(fd);
}

TEST_F(bpf, tracepoint)
{
	struct perf_event_attr a;
	int fd;

	ASSERT_EQ(0, pe_tracepoint(&a, pe_call_name()));
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->tracepoint));
	EXPECT_EQ(-EEXIST, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->tracepoint));
	pe_call(10);
	EXPECT_EQ(10, pe_bpf_counted(self->map));
	EXPECT_EQ(10, pe_count(fd));
	close(fd);
	pe_call(10);
	EXPECT_EQ(10, pe_bpf_counted(self->map));
}

/*
 * The exit of a child must not detach the program. In 6.12 it does, so this test needs PE_HARD=1.
 */
TEST_F(bpf, tracepoint_inherited)
{
	struct perf_event_attr a;
	int fd;

	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");

	ASSERT_EQ(0, pe_tracepoint(&a, pe_call_name()));
	a.inherit = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->tracepoint));
	if (!fork()) {
		pe_call(10);
		_exit(0);
	}
	wait(NULL);
	pe_call(10);
	EXPECT_EQ(20, pe_bpf_counted(self->map));
	EXPECT_EQ(20, pe_count(fd));
	close(fd);
}

TEST_F(bpf, overflow_inherited)
{
	struct perf_event_attr a = fault_attr(1);
	int fd;

	a.inherit = 1;
	a.disabled = 0;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->overflow));
	if (!fork()) {
		pe_fault(10);
		_exit(0);
	}
	wait(NULL);
	EXPECT_LE(10, pe_bpf_counted(self->map));
	EXPECT_EQ(pe_count(fd), pe_bpf_counted(self->map));
	close(fd);
}

TEST_F(bpf, probes)
{
	struct perf_event_attr a;
	int fd, i;

	if (pe_probe(&a, "kprobe"))
		SKIP(return, "no kprobes");
	a.kprobe_func = (unsigned long)PE_SYSCALL_FUNC("getppid");
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->kprobe));
	pe_call(10);
	EXPECT_EQ(10, pe_bpf_counted(self->map));
	close(fd);

	ASSERT_EQ(0, pe_probe(&a, "uprobe"));
	a.uprobe_path = (unsigned long)"/proc/self/exe";
	a.probe_offset = pe_file_offset(probed);
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->kprobe));
	for (i = 0; i < 10; i++)
		probed();
	EXPECT_EQ(20, pe_bpf_counted(self->map));
	close(fd);
}

/* Make each of the events below happen @n times. */
static void call_and_run_probed(int n)
{
	while (n--) {
		syscall(__NR_getppid);
		probed();
		prctl(PR_SET_NAME, "renamed", 0, 0, 0);
	}
}

/*
 * Count samples of 10 occurrences, with a program that returns @ret; less than
 * 0 on error.
 */
static int samples_with(struct perf_event_attr *a, int map, unsigned int type, int ret)
{
	int prog = pe_bpf_load(type, map, ret), fd = pe_self(a), nr = -1;
	struct pe_ring ring;

	if (prog >= 0 && fd >= 0 && !pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) &&
	    !pe_ring_map(&ring, fd, 4)) {
		call_and_run_probed(10);
		nr = pe_ring_drop(&ring, PERF_RECORD_SAMPLE);
		pe_ring_unmap(&ring);
	}
	close(fd);
	close(prog);
	return nr;
}

/* With 0 the occurrence is ignored, with 1 it is stored. */
TEST_F(bpf, stored_or_ignored)
{
	struct perf_event_attr a[4];
	unsigned int first = pe_compat(), i, type;

	/*
	 * Tracepoints of system calls use code of their own. They ignore 32-bit programs on a
	 * 64-bit kernel, which start with the next tracepoint.
	 */
	ASSERT_EQ(0, pe_tracepoint(&a[0], "syscalls/sys_enter_getppid"));
	ASSERT_EQ(0, pe_tracepoint(&a[3], "task/task_rename"));
	if (pe_probe(&a[1], "kprobe"))
		SKIP(return, "no kprobes");
	a[1].kprobe_func = (unsigned long)PE_SYSCALL_FUNC("getppid");
	ASSERT_EQ(0, pe_probe(&a[2], "uprobe"));
	a[2].uprobe_path = (unsigned long)"/proc/self/exe";
	a[2].probe_offset = pe_file_offset(probed);
	for (i = first; i < PE_ARRAY_SIZE(a); i++) {
		type = i % 3 ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_TRACEPOINT;
		a[i].sample_period = 1;
		a[i].sample_type = PERF_SAMPLE_TID;
		EXPECT_EQ(10, samples_with(&a[i], self->map, type, 1));
		EXPECT_EQ(0, samples_with(&a[i], self->map, type, 0));
	}
	EXPECT_EQ(20 * (PE_ARRAY_SIZE(a) - first), pe_bpf_counted(self->map));
}

TEST_F(bpf, query)
{
	struct perf_event_query_bpf *q = calloc(1, sizeof(*q) + 4 * sizeof(uint32_t));
	struct perf_event_attr a;
	int one, two;

	ASSERT_NE(NULL, q);
	ASSERT_EQ(0, pe_tracepoint(&a, pe_call_name()));
	one = pe_self(&a);
	two = pe_self(&a);
	ASSERT_LE(0, one);
	ASSERT_LE(0, two);
	q->ids_len = 4;
	EXPECT_EQ(0, pe_ioctl(one, PERF_EVENT_IOC_QUERY_BPF, (unsigned long)q));
	EXPECT_EQ(0, q->prog_cnt);
	EXPECT_EQ(0, pe_ioctl(one, PERF_EVENT_IOC_SET_BPF, self->tracepoint));
	EXPECT_EQ(0, pe_ioctl(two, PERF_EVENT_IOC_QUERY_BPF, (unsigned long)q));
	EXPECT_EQ(1, q->prog_cnt);
	EXPECT_EQ(pe_bpf_prog_id(self->tracepoint), q->ids[0]);
	q->ids_len = 65;
	EXPECT_EQ(-E2BIG, pe_ioctl(one, PERF_EVENT_IOC_QUERY_BPF, (unsigned long)q));
	EXPECT_EQ(-EFAULT, pe_ioctl(one, PERF_EVENT_IOC_QUERY_BPF, 8));
	close(one);
	close(two);
	free(q);
}

/* Closing the link detaches the program, and another one may be attached. */
TEST_F(bpf, link)
{
	struct perf_event_attr a = fault_attr(1);
	int fd = pe_self(&a), link;
	__u64 seen;

	ASSERT_LE(0, fd);
	pe_fault(1);
	link = pe_bpf_link(self->filter, fd, 42);
	ASSERT_LE(0, link);
	EXPECT_EQ(-EEXIST, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->filter));
	EXPECT_EQ(-EEXIST, pe_bpf_link(self->filter, fd, 42));
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(5);
	/* The test itself may touch a page for the first time. */
	seen = pe_bpf_counted(self->map);
	EXPECT_LE(5, seen);
	close(link);
	seen = pe_bpf_counted(self->map);
	pe_fault(5);
	EXPECT_EQ(seen, pe_bpf_counted(self->map));
	link = pe_bpf_link(self->overflow, fd, 43);
	ASSERT_LE(0, link);
	close(fd);
	/* The link holds the event after its file is closed. */
	pe_fault(5);
	EXPECT_LE(seen + 5, pe_bpf_counted(self->map));
	close(link);
	seen = pe_bpf_counted(self->map);
	pe_fault(5);
	EXPECT_EQ(seen, pe_bpf_counted(self->map));
}

static bool done;

static void *fault_all_the_time(void *unused)
{
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
		pe_fault(50);
	return NULL;
}

/* Programs are attached and detached while overflows run them. */
TEST_F(bpf, detach_against_overflow)
{
	struct perf_event_attr a = fault_attr(1);
	pthread_t threads[2];
	int fds[2], i, n;

	a.disabled = 0;
	for (i = 0; i < 2; i++) {
		fds[i] = pe_open(&a, -1, i % pe_cpu_count(), -1, 0);
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, fault_all_the_time, NULL));
	}
	for (n = 0; n < 200 || (n < 100000 && !pe_bpf_counted(self->map)); n++) {
		int link = pe_bpf_link(n & 1 ? self->filter : self->overflow, fds[n / 2 % 2], 0);

		EXPECT_LE(0, link);
		/* Without the sleep the other threads may not run. */
		if (!(n & 31))
			pe_sleep_ms(1);
		close(link);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		close(fds[i]);
	}
	EXPECT_LT(0, pe_bpf_counted(self->map));
}

TEST_HARNESS_MAIN
