/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call chains of user space: the walkers of 32- and 64-bit stacks, and what they share.
 */
#ifndef _POWERPC_PERF_CALLCHAIN_H
#define _POWERPC_PERF_CALLCHAIN_H

#include <linux/perf_event.h>
#include <linux/uaccess.h>

/**
 * struct user_place - where a walk of a user's stack stands
 * @ip: the instruction, in the function whose chain begins here
 * @lr: the link register there
 * @sp: the stack pointer there
 */
struct user_place {
	unsigned long	ip;
	unsigned long	lr;
	unsigned long	sp;
};

/*
 * Read memory of the current task, from any context. Fails, without a fault being served, where
 * nothing is mapped. 0, or -EFAULT.
 */
static inline int user_stack_read(void *to, unsigned long from, size_t size)
{
	return copy_from_user_nofault(to, (const void __user *)from, size);
}

void callchain_user_64(struct perf_callchain_entry_ctx *entry, struct user_place place);
void callchain_user_32(struct perf_callchain_entry_ctx *entry, struct user_place place);

#endif
