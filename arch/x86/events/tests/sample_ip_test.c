// SPDX-License-Identifier: GPL-2.0
/*
 * Registers of samples that exclude the kernel.
 */
#include <kunit/test.h>
#include <asm/segment.h>

#include "../engine.h"
#include "entry.h"

#define USER_IP		0x401000UL
#define USER_SP		0x7ffc1000UL

/* Programs of 64 and of 32 bits */
static const u16 sample_segments[] = { __USER_CS, __USER32_CS };

/* Registers of a program with the code segment @cs */
static struct pt_regs sample_user(u16 cs)
{
	return (struct pt_regs){
		.ip = USER_IP, .sp = USER_SP, .cs = cs, .ss = __USER_DS, .flags = X86_EFLAGS_IF,
	};
}

/* Registers of an interrupt in the kernel, with the stack pointer @sp */
static struct pt_regs sample_kernel(unsigned long sp)
{
	return (struct pt_regs){
		.ip = (unsigned long)sample_kernel, .sp = sp, .cs = __KERNEL_CS, .ss = __KERNEL_DS,
	};
}

/* An interrupt in user mode: the sample has its registers. */
static void sample_in_user_mode(struct kunit *test)
{
	struct pt_regs empty;
	int i;

	for (i = 0; i < ARRAY_SIZE(sample_segments); i++) {
		struct pt_regs regs = sample_user(sample_segments[i]);

		KUNIT_EXPECT_PTR_EQ(test, x86_entry_registers(&regs, &empty), &regs);
		KUNIT_EXPECT_EQ(test, perf_instruction_pointer(&regs), USER_IP);
		KUNIT_EXPECT_EQ(test, perf_misc_flags(&regs), PERF_RECORD_MISC_USER);
	}
}

/* A late interrupt: the sample has the registers at the kernel entry, with their code segment. */
static void sample_after_entry(struct kunit *test)
{
	struct pt_regs *user = task_pt_regs(current), *found, at, empty;
	struct entry_task task;
	unsigned long ip, misc;
	int i;

	for (i = 0; i < ARRAY_SIZE(sample_segments); i++) {
		struct pt_regs regs = sample_kernel((unsigned long)user - 64);
		struct pt_regs entry = sample_user(sample_segments[i]);

		entry_begin(&task, &entry);
		found = x86_entry_registers(&regs, &empty);
		at = *found;
		ip = perf_instruction_pointer(found);
		misc = perf_misc_flags(found);
		entry_end(&task);
		KUNIT_EXPECT_PTR_EQ(test, found, user);
		KUNIT_EXPECT_EQ(test, (u16)at.cs, sample_segments[i]);
		KUNIT_EXPECT_EQ(test, at.sp, USER_SP);
		KUNIT_EXPECT_EQ(test, ip, USER_IP);
		KUNIT_EXPECT_EQ(test, misc, PERF_RECORD_MISC_USER);
	}
}

/* While the entry stores the registers, some of them are old: the sample has no address. */
static void sample_during_entry(struct kunit *test)
{
	struct pt_regs *user = task_pt_regs(current), *found, empty;
	struct pt_regs entry = sample_user(__USER_CS);
	struct entry_task task;
	unsigned long sp;

	for (sp = (unsigned long)user + 8; sp <= (unsigned long)(user + 1); sp += 8) {
		struct pt_regs regs = sample_kernel(sp);

		entry_begin(&task, &entry);
		found = x86_entry_registers(&regs, &empty);
		entry_end(&task);
		KUNIT_EXPECT_PTR_EQ(test, found, &empty);
		KUNIT_EXPECT_EQ(test, empty.ip, 0UL);
		KUNIT_EXPECT_EQ(test, empty.flags, (unsigned long)X86_EFLAGS_FIXED);
	}
}

/* A kernel thread has no registers of user space. */
static void sample_in_kernel_thread(struct kunit *test)
{
	struct pt_regs regs = sample_kernel((unsigned long)task_pt_regs(current) - 64), empty;

	KUNIT_ASSERT_TRUE(test, current->flags & PF_KTHREAD);
	KUNIT_EXPECT_PTR_EQ(test, x86_entry_registers(&regs, &empty), &empty);
	KUNIT_EXPECT_EQ(test, empty.ip, 0UL);
	KUNIT_EXPECT_EQ(test, empty.sp, 0UL);
}

static struct kunit_case sample_ip_cases[] = {
	KUNIT_CASE(sample_in_user_mode),
	KUNIT_CASE(sample_after_entry),
	KUNIT_CASE(sample_during_entry),
	KUNIT_CASE(sample_in_kernel_thread),
	{ }
};

static struct kunit_suite sample_ip_suite = {
	.name		= "x86_sample_ip",
	.test_cases	= sample_ip_cases,
};

kunit_test_suite(sample_ip_suite);
