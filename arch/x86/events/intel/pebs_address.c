// SPDX-License-Identifier: GPL-2.0
/*
 * The address of a precise event whose record has that of the instruction after it, as with the
 * formats 0 and 1.
 *
 * Instructions differ in length, so that they cannot be looked at backwards. But the last branch
 * before has gone to where one began, and from there on none has jumped.
 */
#include <linux/extable.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/insn.h>
#include <asm/ptrace.h>

#include "../engine.h"

/* From the branch to the event, in bytes: an interrupt does not decode more than that. */
#define PEBS_STRETCH_MAX	1024

/* The length in bytes of the instruction at @at; 0 if there is none, or it cannot be read. */
static int pebs_length(u64 at, bool is_64bit)
{
	enum insn_mode mode = is_64bit ? INSN_MODE_64 : INSN_MODE_32;
	int len = MAX_INSN_SIZE;
	u8 bytes[MAX_INSN_SIZE];
	struct insn insn;

	if ((s64)at >= 0)
		len -= copy_from_user_nmi(bytes, (void __user *)(unsigned long)at, len);
	else if (!__kernel_text_address(at) ||
		 copy_from_kernel_nofault(bytes, (void *)(unsigned long)at, len))
		return 0;
	if (len <= 0 || insn_decode(&insn, bytes, len, mode))
		return 0;
	return insn.length;
}

/**
 * x86_precise_address - the address of the instruction before another one
 * @cpu: this CPU, whose last branch was just before it
 * @next: the address of the other one
 *
 * Outside of the interrupt, branches of the driver may have followed: then it is not known.
 *
 * Return: 0: it is not known.
 */
u64 x86_precise_address(struct x86_pmu_cpu *cpu, u64 next)
{
	bool is_64bit = IS_ENABLED(CONFIG_X86_64);
	struct perf_branch_entry last = { };
	u64 at, before = 0;

	if (!in_nmi() || !x86_branch_last(cpu, &last))
		return 0;
	if (last.to == next)
		return last.from;
	if ((s64)(last.to ^ next) < 0 || last.to > next || next - last.to > PEBS_STRETCH_MAX)
		return 0;
	if ((s64)next >= 0)
		is_64bit = any_64bit_mode(task_pt_regs(current));
	for (at = last.to; at < next;) {
		int len = pebs_length(at, is_64bit);

		if (!len)
			return 0;
		before = at;
		at += len;
	}
	return at == next ? before : 0;
}
