// SPDX-License-Identifier: GPL-2.0
/*
 * Type of a branch, decoded from its instruction.
 *
 * The code may have changed since the branch, so the type may be wrong. User space can change the
 * bytes of the instruction at any time: copy the bytes once, and decode the copy.
 */
#include <linux/extable.h>
#include <linux/kernel.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/insn.h>
#include <asm/ptrace.h>

#include "branch.h"
#include "perf_event.h"

/* Opcode FF: the reg field of ModRM selects the instruction. */
static enum x86_branch_kind x86_group_5(const struct insn *insn)
{
	switch (X86_MODRM_REG(insn->modrm.value)) {
	case 2:
	case 3:
		return X86_BRANCH_IND_CALL;
	case 4:
	case 5:
		return X86_BRANCH_IND_JMP;
	}
	return X86_BRANCH_NONE;
}

static enum x86_branch_kind x86_two_bytes(const struct insn *insn)
{
	switch (insn->opcode.bytes[1]) {
	case 0x05:			/* SYSCALL */
	case 0x34:			/* SYSENTER */
		return X86_BRANCH_SYSCALL;
	case 0x07:			/* SYSRET */
	case 0x35:			/* SYSEXIT */
		return X86_BRANCH_SYSRET;
	case 0x01:			/* with F2, F3: ERETS, ERETU */
		if (insn->modrm.value == 0xca && insn->prefixes.nbytes)
			return X86_BRANCH_IRET;
		return X86_BRANCH_NONE;
	case 0x80 ... 0x8f:
		return X86_BRANCH_JCC;
	}
	return X86_BRANCH_NONE;
}

static enum x86_branch_kind x86_one_byte(const struct insn *insn, bool is_64bit)
{
	switch (insn->opcode.bytes[0]) {
	case 0x70 ... 0x7f:
	case 0xe0 ... 0xe3:		/* LOOP and JCXZ */
		return X86_BRANCH_JCC;
	case 0xe8:
		return insn->immediate.value ? X86_BRANCH_CALL : X86_BRANCH_ZERO_CALL;
	case 0x9a:			/* far CALL */
		return is_64bit ? X86_BRANCH_NONE : X86_BRANCH_CALL;
	case 0xc2:
	case 0xc3:
	case 0xca:			/* far RET */
	case 0xcb:
		return X86_BRANCH_RET;
	case 0xe9:
	case 0xeb:
		return X86_BRANCH_JMP;
	case 0xea:			/* far JMP */
		return is_64bit ? X86_BRANCH_NONE : X86_BRANCH_JMP;
	case 0xcc ... 0xce:		/* INT3, INT, INTO */
	case 0xf1:			/* INT1 */
		return X86_BRANCH_INT;
	case 0xcf:
		return X86_BRANCH_IRET;
	case 0xff:
		return x86_group_5(insn);
	}
	return X86_BRANCH_NONE;
}

static enum x86_branch_kind x86_kind_of_one(struct insn *insn, bool is_64bit)
{
	if (insn->vex_prefix.nbytes)
		return X86_BRANCH_NONE;
	switch (insn->opcode.nbytes) {
	case 1:
		return x86_one_byte(insn, is_64bit);
	case 2:
		return x86_two_bytes(insn);
	}
	return X86_BRANCH_NONE;
}

/**
 * x86_branch_kind_of - decode the branch type of an instruction
 * @bytes: kernel copy of the instruction
 * @len: number of bytes, possibly too few
 * @is_64bit: the instruction is 64-bit code
 * @fused: @bytes may start with an instruction that is fused with the branch after it
 *
 * Context: any.
 * Return: the type, X86_BRANCH_NONE if it is not a branch or cannot be decoded.
 */
enum x86_branch_kind x86_branch_kind_of(const void *bytes, int len, bool is_64bit, bool fused)
{
	enum insn_mode mode = is_64bit ? INSN_MODE_64 : INSN_MODE_32;
	enum x86_branch_kind kind;
	struct insn insn;

	len = min(len, MAX_INSN_SIZE);
	if (len <= 0 || insn_decode(&insn, bytes, len, mode))
		return X86_BRANCH_NONE;
	kind = x86_kind_of_one(&insn, is_64bit);
	if (kind != X86_BRANCH_NONE || !fused)
		return kind;
	/* Only conditional branches are fused with the instruction before. */
	bytes += insn.length;
	len -= insn.length;
	if (len <= 0 || insn_decode(&insn, bytes, len, mode))
		return X86_BRANCH_NONE;
	kind = x86_kind_of_one(&insn, is_64bit);
	return kind == X86_BRANCH_JCC ? kind : X86_BRANCH_NONE;
}

/* Number of bytes that could be copied from a kernel text address. */
static int x86_copy_kernel(void *bytes, u64 from)
{
	if (!__kernel_text_address(from) ||
	    copy_from_kernel_nofault(bytes, (void *)(unsigned long)from, MAX_INSN_SIZE))
		return 0;
	return MAX_INSN_SIZE;
}

static int x86_copy_user(void *bytes, u64 from)
{
	return MAX_INSN_SIZE - copy_from_user_nmi(bytes, (void __user *)(unsigned long)from,
						  MAX_INSN_SIZE);
}

/**
 * x86_branch_kind_at - type of a recorded branch
 * @from: address of the branch, in the kernel or in current
 * @to: target
 * @aborted: the branch is a transaction abort
 * @fused: see x86_branch_kind_of()
 *
 * Context: any, including NMI; interrupts off.
 * Return: the type. If the instruction cannot be read now: X86_BRANCH_IRQ for a branch from user
 * space to the kernel, else X86_BRANCH_NONE.
 */
enum x86_branch_kind x86_branch_kind_at(u64 from, u64 to, bool aborted, bool fused)
{
	bool kernel = x86_is_kernel(from), is_64bit = IS_ENABLED(CONFIG_X86_64);
	enum x86_branch_kind kind;
	u8 bytes[MAX_INSN_SIZE];
	int len;

	if (!from || !to)
		return X86_BRANCH_NONE;
	if (aborted)
		return X86_BRANCH_ABORT;
	if (!kernel)
		is_64bit = any_64bit_mode(task_pt_regs(current));
	len = kernel ? x86_copy_kernel(bytes, from) : x86_copy_user(bytes, from);
	kind = x86_branch_kind_of(bytes, len, is_64bit, fused);
	/*
	 * A branch from user space to the kernel that is neither SYSCALL nor INT is an interrupt or
	 * exception, whatever the instruction is.
	 */
	if (!kernel && x86_is_kernel(to) && kind != X86_BRANCH_SYSCALL && kind != X86_BRANCH_INT)
		kind = X86_BRANCH_IRQ;
	return kind;
}
