// SPDX-License-Identifier: GPL-2.0
/*
 * Branch types of instructions, of bytes that resemble branches, and of truncated instructions.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <asm/insn.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "../branch.h"

/* valid in 32-bit code, in 64-bit code, or in both */
#define IN_32	1
#define IN_64	2
#define IN_BOTH	(IN_32 | IN_64)

struct branch_case {
	const char		*name;
	u8			bytes[15];
	u8			len;
	u8			in;
	enum x86_branch_kind	kind;
};

#define CASE(_name, _in, _kind, ...)						\
	{ .name = _name, .bytes = { __VA_ARGS__ },				\
	  .len = sizeof((u8[]){ __VA_ARGS__ }), .in = _in, .kind = X86_BRANCH_##_kind }

static const struct branch_case branch_cases[] = {
	CASE("jz", IN_BOTH, JCC, 0x74, 0x10),
	CASE("long jz", IN_BOTH, JCC, 0x0f, 0x84, 1, 2, 3, 4),
	CASE("long jz, hinted", IN_BOTH, JCC, 0x2e, 0x0f, 0x84, 1, 2, 3, 4),
	CASE("jrcxz", IN_BOTH, JCC, 0xe3, 0x10),
	CASE("loop", IN_BOTH, JCC, 0xe2, 0xfe),
	CASE("call", IN_BOTH, CALL, 0xe8, 1, 0, 0, 0),
	CASE("call of the next", IN_BOTH, ZERO_CALL, 0xe8, 0, 0, 0, 0),
	CASE("call with rex", IN_64, CALL, 0x48, 0xe8, 1, 0, 0, 0),
	CASE("call *%rax", IN_BOTH, IND_CALL, 0xff, 0xd0),
	CASE("call *%r11", IN_64, IND_CALL, 0x41, 0xff, 0xd3),
	CASE("notrack call *%rax", IN_BOTH, IND_CALL, 0x3e, 0xff, 0xd0),
	CASE("call *mem", IN_64, IND_CALL, 0xff, 0x15, 1, 2, 3, 4),
	CASE("lcall *mem", IN_BOTH, IND_CALL, 0xff, 0x18),
	CASE("lcall", IN_32, CALL, 0x9a, 1, 2, 3, 4, 5, 6),
	CASE("no lcall", IN_64, NONE, 0x9a, 1, 2, 3, 4, 5, 6),
	CASE("jmp *%rax", IN_BOTH, IND_JMP, 0xff, 0xe0),
	CASE("ljmp *mem", IN_BOTH, IND_JMP, 0xff, 0x28),
	CASE("inc", IN_BOTH, NONE, 0xff, 0xc0),
	CASE("push", IN_BOTH, NONE, 0xff, 0xf0),
	CASE("jmp", IN_BOTH, JMP, 0xe9, 1, 2, 3, 4),
	CASE("short jmp", IN_BOTH, JMP, 0xeb, 0xfe),
	CASE("ljmp", IN_32, JMP, 0xea, 1, 2, 3, 4, 5, 6),
	CASE("ret", IN_BOTH, RET, 0xc3),
	CASE("rep ret", IN_BOTH, RET, 0xf3, 0xc3),
	CASE("ret n", IN_BOTH, RET, 0xc2, 8, 0),
	CASE("lret", IN_BOTH, RET, 0xcb),
	CASE("syscall", IN_BOTH, SYSCALL, 0x0f, 0x05),
	CASE("sysenter", IN_BOTH, SYSCALL, 0x0f, 0x34),
	CASE("sysretq", IN_64, SYSRET, 0x48, 0x0f, 0x07),
	CASE("sysexit", IN_BOTH, SYSRET, 0x0f, 0x35),
	CASE("int3", IN_BOTH, INT, 0xcc),
	CASE("int", IN_BOTH, INT, 0xcd, 0x80),
	CASE("int1", IN_BOTH, INT, 0xf1),
	CASE("iretq", IN_64, IRET, 0x48, 0xcf),
	CASE("eretu", IN_64, IRET, 0xf3, 0x0f, 0x01, 0xca),
	CASE("clac", IN_BOTH, NONE, 0x0f, 0x01, 0xca),
	CASE("nop", IN_BOTH, NONE, 0x90),
	CASE("mov", IN_BOTH, NONE, 0xb8, 0xe8, 0xe9, 0xeb, 0xc3),
	CASE("vaddps", IN_64, NONE, 0xc5, 0xf4, 0x58, 0xc2),
	CASE("vex and an opcode of jz", IN_64, NONE, 0xc5, 0xf8, 0x84, 0xc0),
	CASE("half a jz", IN_BOTH, NONE, 0x0f),
	CASE("half a call", IN_BOTH, NONE, 0xe8, 1, 0),
	CASE("half an indirect call", IN_BOTH, NONE, 0xff),
	CASE("prefixes alone", IN_BOTH, NONE, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
	     0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66),
};

static void branch_name(const struct branch_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(branch, branch_cases, branch_name);

static void branch_kinds(struct kunit *test)
{
	const struct branch_case *c = test->param_value;
	u8 after[MAX_INSN_SIZE];

	if (c->in & IN_32)
		KUNIT_EXPECT_EQ(test, x86_branch_kind_of(c->bytes, c->len, false, false), c->kind);
	if (c->in & IN_64)
		KUNIT_EXPECT_EQ(test, x86_branch_kind_of(c->bytes, c->len, true, false), c->kind);
	if (c->kind == X86_BRANCH_NONE)
		return;
	/* The bytes after the instruction do not matter. */
	memset(after, 0xff, sizeof(after));
	memcpy(after, c->bytes, c->len);
	KUNIT_EXPECT_EQ(test, x86_branch_kind_of(after, sizeof(after), c->in & IN_64, true),
			c->kind);
}

/* Some CPUs fuse a compare and the branch after it. */
static void branch_fused(struct kunit *test)
{
	static const u8 compare_jz[] = { 0x48, 0x39, 0xd8, 0x74, 0x10 };
	static const u8 compare_ret[] = { 0x48, 0x39, 0xd8, 0xc3 };

	KUNIT_EXPECT_EQ(test, x86_branch_kind_of(compare_jz, sizeof(compare_jz), true, true),
			X86_BRANCH_JCC);
	KUNIT_EXPECT_EQ(test, x86_branch_kind_of(compare_jz, sizeof(compare_jz), true, false),
			X86_BRANCH_NONE);
	KUNIT_EXPECT_EQ(test, x86_branch_kind_of(compare_jz, 3, true, true), X86_BRANCH_NONE);
	KUNIT_EXPECT_EQ(test, x86_branch_kind_of(compare_ret, sizeof(compare_ret), true, true),
			X86_BRANCH_NONE);
}

/* The random bytes are the last ones of their allocation: KASAN detects a read beyond them. */
static void branch_random(struct kunit *test)
{
	struct rnd_state random;
	u8 *page, *end;
	int i, len;

	page = kunit_kmalloc(test, MAX_INSN_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	end = page + MAX_INSN_SIZE;
	prandom_seed_state(&random, 1);
	for (i = 0; i < 20000; i++) {
		enum x86_branch_kind kind;

		len = prandom_u32_state(&random) % (MAX_INSN_SIZE + 1);
		prandom_bytes_state(&random, page, MAX_INSN_SIZE);
		kind = x86_branch_kind_of(end - len, len, i & 1, i & 2);
		KUNIT_EXPECT_LT(test, kind, X86_BRANCH_KINDS);
	}
}

/* Addresses without memory, or that must not be read */
static void branch_at(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, x86_branch_kind_at(0, 0x1000, false, false), X86_BRANCH_NONE);
	KUNIT_EXPECT_EQ(test, x86_branch_kind_at(0x1000, 0, false, false), X86_BRANCH_NONE);
	/* A kernel thread has no user memory. */
	KUNIT_EXPECT_EQ(test, x86_branch_kind_at(0x1000, 0x2000, false, true), X86_BRANCH_NONE);
	KUNIT_EXPECT_EQ(test, x86_branch_kind_at(0x1000, -4096ULL, false, false), X86_BRANCH_IRQ);
	KUNIT_EXPECT_EQ(test, x86_branch_kind_at(-4096ULL, 0x1000, false, false), X86_BRANCH_NONE);
	KUNIT_EXPECT_EQ(test, x86_branch_kind_at(0x8000000000000000ULL, 0x1000, false, false),
			X86_BRANCH_NONE);
	/* Kernel data is not read. */
	KUNIT_EXPECT_EQ(test, x86_branch_kind_at((unsigned long)&branch_cases[0].bytes, 0x1000,
						 false, false), X86_BRANCH_NONE);
	KUNIT_EXPECT_EQ(test, x86_branch_kind_at(-4096ULL, 0x1000, true, false),
			X86_BRANCH_ABORT);
}

static struct kunit_case branch_test_cases[] = {
	KUNIT_CASE_PARAM(branch_kinds, branch_gen_params),
	KUNIT_CASE(branch_fused),
	KUNIT_CASE(branch_random),
	KUNIT_CASE(branch_at),
	{ }
};

static struct kunit_suite branch_test_suite = {
	.name		= "x86_branches",
	.test_cases	= branch_test_cases,
};

kunit_test_suite(branch_test_suite);

MODULE_DESCRIPTION("Unit tests of kinds of branches");
MODULE_LICENSE("GPL");
