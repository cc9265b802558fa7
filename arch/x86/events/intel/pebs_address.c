// SPDX-License-Identifier: GPL-2.0
/*
 * Address of the instruction of a precise event, from the address of the next instruction (formats
 * 0 and 1).
 *
 * Instructions cannot be decoded backwards. But the target of the last branch is the start of an
 * instruction, and there is no branch between the target and the event: decode from the target on.
 */
#include <linux/extable.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/insn.h>
#include <asm/ptrace.h>

#include "../engine.h"

/* Maximum distance from the branch to the event, which bounds the decoding in the interrupt */
#define PEBS_DECODE_MAX	1024

/* Length of the instruction at @at; 0: not valid, or cannot be read. */
static int pebs_length(u64 at, bool is_64bit)
{
	enum insn_mode mode = is_64bit ? INSN_MODE_64 : INSN_MODE_32;
	int len = MAX_INSN_SIZE;
	u8 bytes[MAX_INSN_SIZE];
	struct insn insn;

	if (!x86_is_kernel(at))
		len -= copy_from_user_nmi(bytes, (void __user *)(unsigned long)at, len);
	else if (!__kernel_text_address(at) ||
		 copy_from_kernel_nofault(bytes, (void *)(unsigned long)at, len))
		return 0;
	if (len <= 0 || insn_decode(&insn, bytes, len, mode))
		return 0;
	return insn.length;
}

/**
 * x86_precise_address - address of the instruction before another
 * @cpu: this CPU
 * @next: address of the next instruction
 *
 * Outside of the overflow interrupt, the last branch may be a branch of the driver itself, so the
 * address is not known.
 *
 * Return: the address, 0 if it is not known.
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
	if (x86_is_kernel(last.to) != x86_is_kernel(next) || last.to > next ||
	    next - last.to > PEBS_DECODE_MAX)
		return 0;
	if (!x86_is_kernel(next))
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
