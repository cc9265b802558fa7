// SPDX-License-Identifier: GPL-2.0
/*
 * The kprobe and uprobe PMUs: probes with the lifetime of their event.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_sample.h"
#include "pe_trace.h"

#define RETPROBE	1ULL

static void call(int n)
{
	while (n--)
		syscall(__NR_getppid);
}

/* Must not be inlined or cloned: it is probed. */
static __attribute__((noipa)) int probed(int x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

/* Reference counter of a statically defined probe; not in .bss */
static unsigned short semaphore[4] = { 0, 0, 0, 1 };

static uint64_t str(const char *s)
{
	return (unsigned long)s;
}

FIXTURE(kprobe)
{
	struct perf_event_attr attr;
};

FIXTURE_SETUP(kprobe)
{
	if (pe_probe(&self->attr, "kprobe"))
		SKIP(return, "no kprobe PMU");
	self->attr.kprobe_func = str(PE_SYSCALL_FUNC("getppid"));
}

FIXTURE_TEARDOWN(kprobe)
{
}

TEST_F(kprobe, entry)
{
	int fd = pe_self(&self->attr);

	ASSERT_LE(0, fd);
	call(50);
	EXPECT_EQ(50, pe_count(fd));
	close(fd);
}

TEST_F(kprobe, exit)
{
	int fd;

	self->attr.config = RETPROBE;
	fd = pe_self(&self->attr);
	ASSERT_LE(0, fd);
	call(50);
	EXPECT_EQ(50, pe_count(fd));
	close(fd);
}

TEST_F(kprobe, two_at_one_place)
{
	int a = pe_self(&self->attr), b;

	ASSERT_LE(0, a);
	call(5);
	b = pe_self(&self->attr);
	ASSERT_LE(0, b);
	call(5);
	EXPECT_EQ(10, pe_count(a));
	EXPECT_EQ(5, pe_count(b));
	close(a);
	call(5);
	EXPECT_EQ(10, pe_count(b));
	close(b);
}

TEST_F(kprobe, sample)
{
	struct pe_record rec;
	struct pe_sample s;
	struct pe_ring ring;
	int fd, i;

	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_RAW;
	fd = pe_self(&self->attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 4));
	call(10);
	for (i = 0; pe_ring_find(&ring, &rec, PERF_RECORD_SAMPLE) > 0; i++) {
		ASSERT_EQ(0, pe_sample_parse(&self->attr, &rec, &s));
		EXPECT_EQ(gettid(), s.tid);
		EXPECT_LT(0, s.raw_size);
	}
	EXPECT_EQ(10, i);
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_F(kprobe, impossible)
{
	char name[300];

	self->attr.kprobe_func = str("no_such_function_as_this");
	EXPECT_EQ(-ENOENT, pe_try(&self->attr, 0, -1, -1, 0));
	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	self->attr.kprobe_func = 8;
	EXPECT_EQ(-EFAULT, pe_try(&self->attr, 0, -1, -1, 0));
	self->attr.kprobe_func = 0;
	self->attr.kprobe_addr = 8;
	EXPECT_GT(0, pe_try(&self->attr, 0, -1, -1, 0));
}

static int open_it(void *arg)
{
	return pe_try(arg, 0, -1, -1, 0);
}

TEST_F(kprobe, unprivileged)
{
	long level = pe_get(PE_PARANOID);

	pe_set(PE_PARANOID, -1);
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_it, &self->attr));
	EXPECT_EQ(0, pe_run_as(PE_UID, PE_CAP(CAP_PERFMON), open_it, &self->attr));
	EXPECT_EQ(0, pe_run_as(PE_UID, PE_CAP(CAP_SYS_ADMIN), open_it, &self->attr));
	pe_set(PE_PARANOID, level);
}

/* Hit each kind of probe @n times. */
static void pass(int n)
{
	call(n);
	while (n--)
		probed(n);
}

static int fork_without_rights(int in, int out)
{
	int err = pe_become(PE_UID, 0), status;
	pid_t pid;
	char c = 0;

	if (err || write(out, &c, 1) != 1 || read(in, &c, 1) != 1)
		return err ? -err : EIO;
	pass(3);
	pid = fork();
	if (pid < 0)
		return errno;
	if (!pid) {
		pass(5);
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && !status ? 0 : ECHILD;
}

/*
 * A task without permission for events that others have opened on it can still fork: its children
 * do not inherit them.
 */
static void fork_of_watched(struct __test_metadata *_metadata, struct perf_event_attr *attr)
{
	int fd, go[2], ready[2], status;
	pid_t pid;
	char c = 0;

	/* 6.12 refuses the fork. */
	if (geteuid() || !getenv("PE_HARD"))
		SKIP(return, "needs root, and PE_HARD");
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		/* If the parent fails, the child reads an end of file. */
		close(go[1]);
		_exit(fork_without_rights(go[0], ready[1]));
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	attr->inherit = 1;
	fd = pe_open(attr, pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(1, write(go[1], &c, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status)) {
		TH_LOG("%s", strerror(WEXITSTATUS(status)));
	}
	EXPECT_EQ(3, pe_count(fd));
	close(fd);
}

TEST_F(kprobe, inherited_without_rights)
{
	fork_of_watched(_metadata, &self->attr);
}

#ifdef __x86_64__
/* Functions with the usual first instructions */
static __attribute__((naked, noipa)) void pushes_frame(void)
{
	asm("push %rbp\n\tpop %rbp\n\tret");
}

static __attribute__((naked, noipa)) void has_endbr64(void)
{
	/* Old assemblers do not support endbr64. */
	asm(".byte 0xf3, 0x0f, 0x1e, 0xfa\n\tret");
}

/* Call a function, without a write to the red zone, and return its return address. */
static __attribute__((noipa)) uint64_t call_from_here(void (*function)(void))
{
	uint64_t back;

	asm volatile("sub $128, %%rsp\n\t"
		     "lea 1f(%%rip), %0\n\t"
		     "call *%1\n"
		     "1:\tadd $128, %%rsp"
		     : "=&r" (back) : "r" (function) : "memory", "cc");
	return back;
}
#endif

FIXTURE(uprobe)
{
	struct perf_event_attr attr;
};

FIXTURE_SETUP(uprobe)
{
	if (pe_probe(&self->attr, "uprobe"))
		SKIP(return, "no uprobe PMU");
	self->attr.uprobe_path = str("/proc/self/exe");
	self->attr.probe_offset = pe_file_offset(probed);
	ASSERT_NE(-1, (long)self->attr.probe_offset);
}

FIXTURE_TEARDOWN(uprobe)
{
}

TEST_F(uprobe, entry)
{
	int fd = pe_self(&self->attr), i;

	ASSERT_LE(0, fd);
	for (i = 0; i < 50; i++)
		probed(i);
	EXPECT_EQ(50, pe_count(fd));
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	probed(i);
	EXPECT_EQ(50, pe_count(fd));
	close(fd);
}

TEST_F(uprobe, exit)
{
	int fd, i;

	self->attr.config = RETPROBE;
	fd = pe_self(&self->attr);
	ASSERT_LE(0, fd);
	for (i = 0; i < 50; i++)
		EXPECT_EQ(i + 1, probed(i));
	EXPECT_EQ(50, pe_count(fd));
	close(fd);
}

/* A uprobe is in user space, although the kernel handles it. */
TEST_F(uprobe, exclude_kernel)
{
	int fd;

	self->attr.exclude_kernel = 1;
	fd = pe_self(&self->attr);
	ASSERT_LE(0, fd);
	probed(1);
	EXPECT_EQ(1, pe_count(fd));
	close(fd);
}

TEST_F(uprobe, inherit)
{
	int fd, i;

	self->attr.inherit = 1;
	fd = pe_self(&self->attr);
	ASSERT_LE(0, fd);
	for (i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (!pid) {
			probed(1);
			probed(2);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	EXPECT_EQ(10, pe_count(fd));
	close(fd);
}

/* The probed function has no frame yet, but its caller is in the chain. */
TEST_F(uprobe, caller)
{
#ifdef __x86_64__
	void (*const functions[])(void) = { pushes_frame, has_endbr64 };
	struct pe_record rec;
	struct pe_sample s;
	struct pe_ring ring;
	/* x86 drivers without this parameter need CONFIG_X86_KERNEL_IBT for endbr64. */
	unsigned int i, nr = access("/sys/module/x86_pmu/parameters/share", F_OK) ? 1 : 2;
	uint64_t back;
	int fd;

	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	self->attr.exclude_callchain_kernel = 1;
	for (i = 0; i < nr; i++) {
		self->attr.probe_offset = pe_file_offset(functions[i]);
		ASSERT_NE(-1, (long)self->attr.probe_offset);
		fd = pe_self(&self->attr);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, pe_ring_map(&ring, fd, 4));
		back = call_from_here(functions[i]);
		ASSERT_EQ(1, pe_ring_find(&ring, &rec, PERF_RECORD_SAMPLE));
		ASSERT_EQ(0, pe_sample_parse(&self->attr, &rec, &s));
		ASSERT_LE(3, s.nr_ips);
		EXPECT_EQ(PERF_CONTEXT_USER, s.ips[0]);
		EXPECT_EQ((unsigned long)functions[i], s.ips[1]);
		EXPECT_EQ(back, s.ips[2]);
		pe_ring_unmap(&ring);
		close(fd);
	}
#else
	SKIP(return, "functions of this architecture have no such instruction");
#endif
}

TEST_F(uprobe, inherited_without_rights)
{
	fork_of_watched(_metadata, &self->attr);
}

/* The counter is incremented while an event is open, in this mapping of the file's data. */
TEST_F(uprobe, reference_counter)
{
	long offset = pe_file_offset(&semaphore[1]);
	int a, b;

	ASSERT_LT(0, offset);
	self->attr.config = (uint64_t)offset << 32;
	EXPECT_EQ(0, __atomic_load_n(&semaphore[1], __ATOMIC_RELAXED));
	a = pe_self(&self->attr);
	ASSERT_LE(0, a);
	EXPECT_EQ(1, __atomic_load_n(&semaphore[1], __ATOMIC_RELAXED));
	b = pe_self(&self->attr);
	ASSERT_LE(0, b);
	probed(1);
	EXPECT_EQ(1, pe_count(a));
	EXPECT_EQ(1, pe_count(b));
	close(a);
	close(b);
	EXPECT_EQ(0, __atomic_load_n(&semaphore[1], __ATOMIC_RELAXED));
	EXPECT_EQ(0, __atomic_load_n(&semaphore[0], __ATOMIC_RELAXED));
	EXPECT_EQ(0, __atomic_load_n(&semaphore[2], __ATOMIC_RELAXED));
}

TEST_F(uprobe, impossible)
{
	self->attr.uprobe_path = 0;
	EXPECT_EQ(-EINVAL, pe_try(&self->attr, 0, -1, -1, 0));
	self->attr.uprobe_path = str("");
	EXPECT_EQ(-EINVAL, pe_try(&self->attr, 0, -1, -1, 0));
	self->attr.uprobe_path = str("/no/such/file");
	EXPECT_EQ(-ENOENT, pe_try(&self->attr, 0, -1, -1, 0));
	self->attr.uprobe_path = str("/");
	EXPECT_EQ(-EINVAL, pe_try(&self->attr, 0, -1, -1, 0));
	self->attr.uprobe_path = 8;
	EXPECT_EQ(-EFAULT, pe_try(&self->attr, 0, -1, -1, 0));
}

TEST_F(uprobe, unprivileged)
{
	long level = pe_get(PE_PARANOID);

	pe_set(PE_PARANOID, -1);
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, 0, open_it, &self->attr));
	EXPECT_EQ(-EACCES, pe_run_as(PE_UID, PE_CAP(CAP_PERFMON), open_it, &self->attr));
	EXPECT_EQ(0, pe_run_as(PE_UID, PE_CAP(CAP_SYS_ADMIN), open_it, &self->attr));
	pe_set(PE_PARANOID, level);
}

TEST_HARNESS_MAIN
