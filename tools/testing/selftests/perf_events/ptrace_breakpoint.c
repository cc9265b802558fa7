// SPDX-License-Identifier: GPL-2.0
/*
 * Debug registers by ptrace(2), as debuggers set them on x86.
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#if defined(__x86_64__) || defined(__i386)

#define NR_REGS		4

/*
 * The control register: register n is an execution breakpoint, or a watchpoint for writes of four
 * bytes
 */
#define EXECUTE(n)	(1UL << (2 * (n)))
#define WRITE(n)	(EXECUTE(n) | 0xdUL << (16 + 4 * (n)))
#define WRITE_ALL	(WRITE(0) | WRITE(1) | WRITE(2) | WRITE(3))
#define CONTROL		7
/* The status register: register n was hit */
#define HIT(n)		(1UL << (n))
#define HITS		0xfUL
#define STATUS		6

static struct {
	long word[NR_REGS];
	long away;
} data;

static __attribute__((noipa)) void target(void)
{
	asm volatile("");
}

static void work(void)
{
	int i;

	for (i = 0; i < NR_REGS; i++) {
		__atomic_store_n(&data.word[i], i, __ATOMIC_RELAXED);
		/* Emulated CPUs clear the last hit only at an access to another address. */
		__atomic_store_n(&data.away, i, __ATOMIC_RELAXED);
	}
	target();
}

FIXTURE(ptrace)
{
	pid_t pid;
};

/* Start a traced child that accesses the data each time it is continued from its own SIGSTOP */
static pid_t start(void)
{
	pid_t me = getpid(), pid = fork();
	int status;

	if (!pid) {
		pe_die_with(me);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		for (;;) {
			raise(SIGSTOP);
			work();
		}
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return -1;
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

FIXTURE_SETUP(ptrace)
{
	self->pid = start();
	ASSERT_LT(0, self->pid);
}

FIXTURE_TEARDOWN(ptrace)
{
	end(self->pid);
}

static int set(pid_t pid, int reg, unsigned long value)
{
	size_t at = offsetof(struct user, u_debugreg) + reg * sizeof(long);

	return ptrace(PTRACE_POKEUSER, pid, at, value) ? -errno : 0;
}

static unsigned long get(pid_t pid, int reg)
{
	size_t at = offsetof(struct user, u_debugreg) + reg * sizeof(long);

	return ptrace(PTRACE_PEEKUSER, pid, at, 0);
}

/* Return a mask of the registers that have trapped before the child stops itself again. */
static unsigned long hits(pid_t pid)
{
	unsigned long seen = 0;
	int status;

	for (;;) {
		if (ptrace(PTRACE_CONT, pid, 0, 0) || waitpid(pid, &status, 0) != pid ||
		    !WIFSTOPPED(status))
			return ~0UL;
		if (WSTOPSIG(status) == SIGSTOP)
			return seen;
		if (WSTOPSIG(status) != SIGTRAP || !(get(pid, STATUS) & HITS))
			return ~0UL;
		if (seen & get(pid, STATUS) & HITS)
			return ~0UL;
		seen |= get(pid, STATUS) & HITS;
		/* Clear the register, as the kernel only adds bits to it. */
		set(pid, STATUS, 0);
	}
}

TEST_F(ptrace, each_register)
{
	int i;

	EXPECT_EQ(0, hits(self->pid));
	for (i = 0; i < NR_REGS; i++)
		EXPECT_EQ(0, set(self->pid, i, (unsigned long)&data.word[i]));
	EXPECT_EQ(0, hits(self->pid));
	for (i = 0; i < NR_REGS; i++) {
		EXPECT_EQ(0, set(self->pid, CONTROL, WRITE(i)));
		EXPECT_EQ(HIT(i), hits(self->pid));
	}
	EXPECT_EQ(0, set(self->pid, CONTROL, 0));
	EXPECT_EQ(0, hits(self->pid));
}

TEST_F(ptrace, all_at_once)
{
	int i;

	for (i = 0; i < NR_REGS; i++)
		EXPECT_EQ(0, set(self->pid, i, (unsigned long)&data.word[i]));
	EXPECT_EQ(0, set(self->pid, CONTROL, WRITE_ALL));
	EXPECT_EQ(0xf, hits(self->pid));
	EXPECT_EQ(WRITE_ALL, get(self->pid, CONTROL) & WRITE_ALL);
	EXPECT_EQ((unsigned long)&data.word[2], get(self->pid, 2));

	/* The address of a register can be changed while the register is on. */
	EXPECT_EQ(0, set(self->pid, 2, (unsigned long)&data.word[3]));
	EXPECT_EQ(0, set(self->pid, CONTROL, WRITE(2)));
	EXPECT_EQ(HIT(2), hits(self->pid));

	/* A data breakpoint can be changed to an execution breakpoint. */
	EXPECT_EQ(0, set(self->pid, CONTROL, 0));
	EXPECT_EQ(0, set(self->pid, 0, (unsigned long)target));
	EXPECT_EQ(0, set(self->pid, CONTROL, EXECUTE(0) | WRITE(2)));
	EXPECT_EQ(HIT(0) | HIT(2), hits(self->pid));
}

/* A refused request does not change the registers. */
TEST_F(ptrace, refused)
{
	int i;

	for (i = 0; i < NR_REGS; i++)
		EXPECT_EQ(0, set(self->pid, i, (unsigned long)&data.word[i]));
	EXPECT_EQ(0, set(self->pid, CONTROL, WRITE(0) | WRITE(1)));

	/* An address that is not aligned, addresses of the kernel */
	EXPECT_GT(0, set(self->pid, 0, (unsigned long)&data.word[0] + 1));
	/* A 32-bit tracer cannot pass addresses of a 64-bit kernel. */
	if (!pe_compat())
		EXPECT_GT(0, set(self->pid, 0, -4096UL));
	EXPECT_EQ((unsigned long)&data.word[0], get(self->pid, 0));
	EXPECT_EQ(HIT(0) | HIT(1), hits(self->pid));

	/* The last of four registers is invalid, so none is set. */
	EXPECT_EQ(0, set(self->pid, 3, (unsigned long)&data.word[3] + 1));
	EXPECT_GT(0, set(self->pid, CONTROL, WRITE_ALL));
	EXPECT_EQ(WRITE(0) | WRITE(1), get(self->pid, CONTROL) & WRITE_ALL);
	EXPECT_EQ(HIT(0) | HIT(1), hits(self->pid));
	EXPECT_EQ(-EIO, set(self->pid, 4, 1));
	EXPECT_EQ(-EIO, set(self->pid, 5, 1));
}

static struct perf_event_attr watch(const void *addr)
{
	struct perf_event_attr a = pe_attr(0);

	a.type = PERF_TYPE_BREAKPOINT;
	a.bp_type = HW_BREAKPOINT_W;
	a.bp_addr = (unsigned long)addr;
	a.bp_len = sizeof(long);
	a.exclude_kernel = 1;
	return a;
}

/* Debuggers and perf events share the registers. */
TEST_F(ptrace, shared_with_events)
{
	struct perf_event_attr a = watch(&data.word[0]);
	int fd, i;

	for (i = 0; i < NR_REGS; i++)
		EXPECT_EQ(0, set(self->pid, i, (unsigned long)&data.word[i]));
	EXPECT_EQ(0, set(self->pid, CONTROL, WRITE_ALL));
	EXPECT_EQ(-ENOSPC, pe_try(&a, self->pid, -1, -1, 0));
	EXPECT_EQ(-ENOSPC, pe_try(&a, -1, 0, -1, 0));
	EXPECT_EQ(0, pe_try(&a, 0, -1, -1, 0));

	/*
	 * The exit of a child frees its registers. An event of another child takes one of that
	 * child's.
	 */
	end(self->pid);
	EXPECT_EQ(0, pe_try(&a, -1, 0, -1, 0));
	self->pid = start();
	ASSERT_LT(0, self->pid);
	fd = pe_open(&a, self->pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	for (i = 0; i < NR_REGS - 1; i++)
		EXPECT_EQ(0, set(self->pid, i, (unsigned long)&data.word[i]));
	EXPECT_GT(0, set(self->pid, 3, (unsigned long)&data.word[3]));
	EXPECT_EQ(0, set(self->pid, CONTROL, WRITE(1)));
	EXPECT_EQ(HIT(1), hits(self->pid));
	EXPECT_EQ(1, pe_count(fd));
	close(fd);
	EXPECT_EQ(0, set(self->pid, 3, (unsigned long)&data.word[3]));
}

/* A child of the child has no breakpoints. It has no tracer, so a SIGTRAP would kill it. */
TEST_F(ptrace, not_inherited)
{
	struct perf_event_attr a = watch(&data.word[1]);
	pid_t me = getpid(), pid;
	int status = -1;

	pid = fork();
	if (!pid) {
		pe_die_with(me);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		pid = fork();
		if (!pid) {
			work();
			_exit(7);
		}
		waitpid(pid, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, set(pid, 0, (unsigned long)&data.word[0]));
	EXPECT_EQ(0, set(pid, CONTROL, WRITE(0)));
	EXPECT_EQ(0, pe_try(&a, pid, -1, -1, 0));
	ASSERT_EQ(0, ptrace(PTRACE_CONT, pid, 0, 0));
	/* The only other stop is for SIGCHLD, after its own child is dead. */
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		EXPECT_EQ(SIGCHLD, WSTOPSIG(status));
		ptrace(PTRACE_CONT, pid, 0, 0);
	}
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(7, WEXITSTATUS(status));
}

#else

TEST(debug_registers)
{
	SKIP(return, "debug registers of other machines are not tested here");
}

#endif

TEST_HARNESS_MAIN
