// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of a 32-bit program on a 64-bit kernel: registers, stack, call chain.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"

/* Registers of x86: the stack pointer and the instruction pointer. */
#define REG_SP	7
#define REG_IP	8
#define MARK	0x600dcafeU
#define STACK	1024

static struct pe_record rec;

/**
 * struct view - fields of a sample of the program
 * @nr: number of entries in the call chain
 * @ips: the call chain
 * @abi: ABI of the registers
 * @sp: stack pointer
 * @ip: instruction pointer
 * @marks: known words on the program's stack
 */
struct view {
	__u64 nr;
	__u64 ips[32];
	__u64 abi;
	__u64 sp;
	__u64 ip;
	unsigned int marks;
};

static bool parse(struct view *v)
{
	const char *at = rec.body, *end = (char *)&rec + rec.head.size;
	__u64 size, valid, i;
	__u32 word;

	memset(v, 0, sizeof(*v));
	memcpy(&v->nr, at, 8);
	at += 8;
	if (v->nr > 32)
		return false;
	memcpy(v->ips, at, v->nr * 8);
	at += v->nr * 8;
	memcpy(&v->abi, at, 8);
	at += 8;
	if (v->abi) {
		memcpy(&v->sp, at, 8);
		memcpy(&v->ip, at + 8, 8);
		at += 16;
	}
	memcpy(&size, at, 8);
	at += 8;
	if (!size)
		return at == end;
	if (size > STACK)
		return false;
	memcpy(&valid, at + size, 8);
	for (i = 0; i + 4 <= valid && valid <= size; i += 4) {
		memcpy(&word, at + i, 4);
		v->marks += word == MARK;
	}
	return at + size + 8 == end;
}

TEST(of_a_32_bit_program)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	char path[PATH_MAX] = "", child[PATH_MAX + 16], *name;
	int gate[2], fd, status, i, wide, nr = 0;
	struct pe_ring ring;
	pid_t me = getpid(), pid;
	struct view v;

	/* The 32-bit program is in the same directory, if the compiler could build it. */
	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		SKIP(return, "no /proc");
	name = strrchr(path, '/');
	if (name)
		*name = 0;
	snprintf(child, sizeof(child), "%s/compat_child", path);
	if (access(child, X_OK))
		SKIP(return, "no 32-bit program");

	ASSERT_EQ(0, pipe(gate));
	pid = fork();
	if (!pid) {
		char c;

		pe_die_with(me);
		dup2(gate[0], 0);
		if (read(0, &c, 1) == 1)
			execl(child, child, NULL);
		_exit(99);
	}
	a.sample_period = 1;
	a.exclude_kernel = 1;
	a.enable_on_exec = 1;
	a.sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	a.sample_regs_user = 1ULL << REG_SP | 1ULL << REG_IP;
	a.sample_stack_user = STACK;
	fd = pe_open(&a, pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 64));
	ASSERT_EQ(2, write(gate[1], "ab", 2));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 99)
		SKIP(return, "the kernel runs no 32-bit programs");
	EXPECT_EQ(0, status);

	while (pe_ring_find(&ring, &rec, PERF_RECORD_SAMPLE) == 1) {
		ASSERT_EQ(true, parse(&v));
		EXPECT_EQ(PERF_SAMPLE_REGS_ABI_32, v.abi);
		EXPECT_EQ(0, v.sp >> 32);
		EXPECT_EQ(0, v.ip >> 32);
		ASSERT_LE(2, v.nr);
		EXPECT_EQ((__u64)PERF_CONTEXT_USER, v.ips[0]);
		EXPECT_EQ(v.ip, v.ips[1]);
		for (i = 1, wide = 0; i < v.nr; i++)
			wide += v.ips[i] >> 32 != 0;
		EXPECT_EQ(0, wide);
		if (v.marks < 16)
			continue;
		/*
		 * The frames are innermost(), between(), outermost() and
		 * _start().
		 */
		EXPECT_LE(1 + 4, v.nr);
		nr++;
	}
	EXPECT_LE(8, nr);
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_HARNESS_MAIN
