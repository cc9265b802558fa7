// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains of 64-bit user space.
 *
 * The stack is not trusted. Each step stores an address, so a cyclic chain ends when the entry is
 * full.
 */
#include <linux/sched.h>
#include <linux/signal.h>
#include <asm/ptrace.h>
#include <asm/sigcontext.h>
#include <asm/ucontext.h>
#include <asm/vdso.h>

#include "callchain.h"

/**
 * struct signal_frame_64 - signal frame of a handler
 * @uc: the interrupted registers
 * @uc_transact: the registers of an interrupted transaction
 * @unused: not used
 * @tramp: the trampoline, used if there is no vDSO
 * @pinfo: address of @info
 * @puc: address of @uc
 * @info: second argument of the handler
 */
struct signal_frame_64 {
	struct ucontext	uc;
#ifdef CONFIG_PPC_TRANSACTIONAL_MEM
	struct ucontext	uc_transact;
#endif
	unsigned long	unused[2];
	unsigned int	tramp[7];
	unsigned long	pinfo;
	unsigned long	puc;
	struct siginfo	info;
} __aligned(16);

#define signal_field(_frame, _field)	((_frame) + offsetof(struct signal_frame_64, _field))

/*
 * A signal handler returns to a trampoline at a known address. If @ip is a trampoline, set @regs
 * from the interrupted registers in the signal frame at @sp.
 */
static bool callchain_signal_64(unsigned long ip, unsigned long sp, struct callchain_regs *regs)
{
	unsigned long frame = sp + __SIGNAL_FRAMESIZE;
	unsigned long vdso = (unsigned long)current->mm->context.vdso;
	unsigned long pointers[2], gregs;

	/* At sigtramp_rt64 is the call of the handler, which returns to the next instruction. */
	if (ip != signal_field(frame, tramp) &&
	    (!vdso || ip != VDSO64_SYMBOL(vdso, sigtramp_rt64) + sizeof(u32)))
		return false;
	if (user_stack_read(pointers, signal_field(frame, pinfo), sizeof(pointers)) ||
	    pointers[0] != signal_field(frame, info) || pointers[1] != signal_field(frame, uc))
		return false;
	gregs = signal_field(frame, uc.uc_mcontext.gp_regs);
	return !user_stack_read(&regs->ip, gregs + PT_NIP * sizeof(long), sizeof(long)) &&
	       !user_stack_read(&regs->lr, gregs + PT_LNK * sizeof(long), sizeof(long)) &&
	       !user_stack_read(&regs->sp, gregs + PT_R1 * sizeof(long), sizeof(long));
}

/* Store the address and LR of the innermost function. */
static int callchain_begin_64(struct perf_callchain_entry_ctx *entry,
			      const struct callchain_regs *regs)
{
	return perf_callchain_store(entry, regs->ip) ?: perf_callchain_store(entry, regs->lr);
}

/**
 * callchain_user_64 - walk a 64-bit stack
 * @entry: receives the addresses
 * @regs: registers to start from
 *
 * Context: any; walks the stack of current.
 */
void callchain_user_64(struct perf_callchain_entry_ctx *entry, struct callchain_regs regs)
{
	unsigned long frame[STACK_FRAME_LR_SAVE + 1], ip;

	if (!current->mm || callchain_begin_64(entry, &regs))
		return;
	ip = regs.lr;
	for (;;) {
		if (callchain_signal_64(ip, regs.sp, &regs)) {
			perf_callchain_store_context(entry, PERF_CONTEXT_USER);
			if (callchain_begin_64(entry, &regs))
				return;
			ip = regs.lr;
			continue;
		}
		if (!IS_ALIGNED(regs.sp, sizeof(long)) ||
		    user_stack_read(frame, regs.sp, sizeof(long)))
			return;
		regs.sp = frame[0];
		if (!IS_ALIGNED(regs.sp, sizeof(long)) ||
		    user_stack_read(frame, regs.sp, sizeof(frame)))
			return;
		ip = frame[STACK_FRAME_LR_SAVE];
		if (perf_callchain_store(entry, ip))
			return;
	}
}
