// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains, of the kernel and of user space.
 *
 * The word at the stack pointer leads to the frame of the caller, in which a function keeps the
 * address that it returns to. Until it has put it there, or if it never does, the address is in
 * the link register (LR). Tools expect LR behind the sampled address and before the addresses
 * from the stack, and find out by the debugging information which of them counts. In the kernel, an
 * address from the stack that is LR's again keeps its place in the chain as 0.
 *
 * Any context, the overflow interrupt in code with interrupts off included.
 */
#include <linux/compat.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

#include "callchain.h"

/* The registers that an interrupt in the kernel has left in the frame at @sp, or NULL. */
static struct pt_regs *callchain_interrupted(unsigned long sp)
{
	const unsigned long *frame = (const unsigned long *)sp;

	if (!validate_sp_size(sp, current, STACK_USER_INT_FRAME_SIZE) ||
	    READ_ONCE_NOCHECK(frame[STACK_INT_FRAME_MARKER_LONGS]) != STACK_FRAME_REGS_MARKER)
		return NULL;
	return (struct pt_regs *)(sp + STACK_INT_FRAME_REGS);
}

/* A link register that leads nowhere keeps its place in the chain, as 0. */
static unsigned long callchain_link(unsigned long lr)
{
	return __kernel_text_address(lr) ? lr : 0;
}

/* The first address from the stack is the caller's caller, the caller again, or nothing yet. */
static unsigned long callchain_first(unsigned long ip, unsigned long lr)
{
	return ip == lr ? 0 : callchain_link(ip);
}

/**
 * perf_callchain_kernel - walk the kernel's stack
 * @entry: where addresses go; how many it takes bounds the walk
 * @regs: where to start, in the kernel
 *
 * A walk goes up a stack, or changes to another one of this task and CPU.
 */
void __no_sanitize_address perf_callchain_kernel(struct perf_callchain_entry_ctx *entry,
						 struct pt_regs *regs)
{
	unsigned long sp = regs->gpr[1], lr = regs->link, next, ip;
	struct pt_regs *inner;
	bool first = true;

	if (perf_callchain_store(entry, perf_instruction_pointer(regs)) ||
	    perf_callchain_store(entry, callchain_link(lr)) ||
	    !validate_sp(sp, current))
		return;
	for (;;) {
		inner = callchain_interrupted(sp);
		next = READ_ONCE_NOCHECK(*(unsigned long *)sp);
		if (inner) {
			/* What the interrupt came from may be user space, with another walk. */
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
 * perf_callchain_user - walk the stack of user space
 * @entry: where addresses go; how many it takes bounds the walk
 * @regs: where to start, in user mode
 */
void perf_callchain_user(struct perf_callchain_entry_ctx *entry, struct pt_regs *regs)
{
	struct user_place place = {
		.ip = perf_instruction_pointer(regs),
		.lr = regs->link,
		.sp = regs->gpr[1],
	};

	if (is_32bit_task())
		callchain_user_32(entry, place);
	else
		callchain_user_64(entry, place);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/callchain_test.c"
#endif
