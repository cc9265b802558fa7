// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains of the kernel and of user space.
 *
 * The word at the stack pointer is the address of the caller's frame, in which the return address
 * is saved. A function that has not saved the return address yet, or never does, has this address
 * only in the link register (LR). Tools therefore expect LR after the sampled address and before
 * the addresses from the stack, and use debug information to drop LR or the duplicate. In kernel
 * chains, a first return address equal to LR is stored as 0, so that the position of the following
 * addresses does not change.
 *
 * Context: any, including the overflow interrupt in code with interrupts off.
 */
#include <linux/compat.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <asm/page.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

#include "callchain.h"

/*
 * A late overflow interrupt may be in another mode than the sampled instruction. Return the sampled
 * address if it belongs to the mode of @regs, else the address of the interrupted instruction.
 */
static unsigned long callchain_start(struct pt_regs *regs, bool kernel)
{
	unsigned long ip = perf_instruction_pointer(regs);

	return ip && is_kernel_addr(ip) == kernel ? ip : regs->nip;
}

/* Returns the registers saved by an interrupt of kernel code in the frame at @sp, or NULL. */
static struct pt_regs *callchain_interrupted(unsigned long sp)
{
	const unsigned long *frame = (const unsigned long *)sp;

	if (!validate_sp_size(sp, current, STACK_USER_INT_FRAME_SIZE) ||
	    READ_ONCE_NOCHECK(frame[STACK_INT_FRAME_MARKER_LONGS]) != STACK_FRAME_REGS_MARKER)
		return NULL;
	return (struct pt_regs *)(sp + STACK_INT_FRAME_REGS);
}

/* LR is stored as 0 unless it is a kernel text address, to keep the positions in the chain. */
static unsigned long callchain_link(unsigned long lr)
{
	return __kernel_text_address(lr) ? lr : 0;
}

/* Filter the first return address @ip from the stack: 0 if @ip is @lr or no kernel text address. */
static unsigned long callchain_first(unsigned long ip, unsigned long lr)
{
	return ip == lr ? 0 : callchain_link(ip);
}

/**
 * perf_callchain_kernel - walk the kernel stack
 * @entry: receives the addresses; its size bounds the walk
 * @regs: registers to start from, in kernel mode
 *
 * Each step moves up the stack, or to another stack of this task or CPU.
 */
void __no_sanitize_address perf_callchain_kernel(struct perf_callchain_entry_ctx *entry,
						 struct pt_regs *regs)
{
	unsigned long sp = regs->gpr[1], lr = regs->link, next, ip;
	struct pt_regs *inner;
	bool first = true;

	if (perf_callchain_store(entry, callchain_start(regs, true)) ||
	    perf_callchain_store(entry, callchain_link(lr)) ||
	    !validate_sp(sp, current))
		return;
	for (;;) {
		inner = callchain_interrupted(sp);
		next = READ_ONCE_NOCHECK(*(unsigned long *)sp);
		if (inner) {
			/* User space was interrupted: perf_callchain_user() walks its stack. */
			if (user_mode(inner))
				return;
			perf_callchain_store_context(entry, PERF_CONTEXT_KERNEL);
			lr = READ_ONCE_NOCHECK(inner->link);
			first = true;
			if (perf_callchain_store(entry, READ_ONCE_NOCHECK(inner->nip)) ||
			    perf_callchain_store(entry, callchain_link(lr)))
				return;
			next = READ_ONCE_NOCHECK(inner->gpr[1]);
		}
		if (!validate_sp(next, current))
			return;
		if (!inner) {
			ip = READ_ONCE_NOCHECK(((unsigned long *)next)[STACK_FRAME_LR_SAVE]);
			if (first)
				ip = callchain_first(ip, lr);
			first = false;
			if (perf_callchain_store(entry, ip))
				return;
		}
		sp = next;
	}
}

/**
 * perf_callchain_user - walk the user stack
 * @entry: receives the addresses; its size bounds the walk
 * @regs: registers to start from, in user mode
 */
void perf_callchain_user(struct perf_callchain_entry_ctx *entry, struct pt_regs *regs)
{
	struct callchain_regs start = {
		.ip = callchain_start(regs, false),
		.lr = regs->link,
		.sp = regs->gpr[1],
	};

	if (is_32bit_task())
		callchain_user_32(entry, start);
	else
		callchain_user_64(entry, start);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/callchain_test.c"
#endif
