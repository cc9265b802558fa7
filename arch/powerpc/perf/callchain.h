/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call chains of user space: the walkers of 32- and 64-bit stacks, and shared helpers.
 */
#ifndef _POWERPC_PERF_CALLCHAIN_H
#define _POWERPC_PERF_CALLCHAIN_H

#include <linux/perf_event.h>
#include <linux/uaccess.h>

/**
 * struct callchain_regs - user registers from which a stack is walked
 * @ip: instruction address in the innermost function
 * @lr: link register in that function
 * @sp: stack pointer in that function
 */
struct callchain_regs {
	unsigned long	ip;
	unsigned long	lr;
	unsigned long	sp;
};

/* Read user memory of current, without handling page faults. Returns 0 or -EFAULT. */
static inline int user_stack_read(void *to, unsigned long from, size_t size)
{
	return copy_from_user_nofault(to, (const void __user *)from, size);
}

void callchain_user_64(struct perf_callchain_entry_ctx *entry, struct callchain_regs regs);
void callchain_user_32(struct perf_callchain_entry_ctx *entry, struct callchain_regs regs);

#endif
