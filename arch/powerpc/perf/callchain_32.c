// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains of 32-bit user space, on 32- and 64-bit kernels.
 *
 * The stack is not trusted. Each step stores an address, so a cyclic chain ends when the entry is
 * full.
 */
#include <linux/compat.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <asm/ptrace.h>
#include <asm/sigcontext.h>
#include <asm/ucontext.h>
#include <asm/vdso.h>

#include "callchain.h"

#ifdef CONFIG_PPC64
#include <asm/syscalls_32.h>
#define mcontext_32	mcontext32
#define ucontext_32	ucontext32
#define sigcontext_32	sigcontext32
#define siginfo_32	compat_siginfo
#define SIGNAL_GAP	__SIGNAL_FRAMESIZE32
#else
#define mcontext_32	mcontext
#define ucontext_32	ucontext
#define sigcontext_32	sigcontext
#define siginfo_32	siginfo
#define SIGNAL_GAP	__SIGNAL_FRAMESIZE
#endif

/* The gap below a signal frame with siginfo is 16 bytes larger. */
#define SIGNAL_RT_GAP	(SIGNAL_GAP + 16)

/* Index of the saved LR in a frame of the 32-bit ABI */
#define LR_SAVE_32	1

/**
 * struct signal_frame_32 - signal frame of a handler without siginfo
 * @sctx: contains the address of @mctx
 * @mctx: the interrupted registers
 */
struct signal_frame_32 {
	struct sigcontext_32	sctx;
	struct mcontext_32	mctx;
};

/**
 * struct rt_signal_frame_32 - signal frame of a handler with siginfo
 * @info: second argument of the handler
 * @uc: the interrupted registers, and their address
 */
struct rt_signal_frame_32 {
	struct siginfo_32	info;
	struct ucontext_32	uc;
};

/*
 * A signal handler returns to a trampoline at a known address. If @ip is a trampoline, returns the
 * address of the interrupted registers in the signal frame at @sp, else 0.
 */
static u32 callchain_signal_regs_32(u32 ip, u32 sp)
{
	unsigned long vdso = (unsigned long)current->mm->context.vdso;
	u32 at, mctx, pointer;

	at = sp + SIGNAL_GAP;
	mctx = at + offsetof(struct signal_frame_32, mctx);
	if (ip == mctx + offsetof(struct mcontext_32, mc_pad) ||
	    (vdso && ip == VDSO32_SYMBOL(vdso, sigtramp32))) {
		at += offsetof(struct signal_frame_32, sctx.regs);
		goto confirm;
	}

	at = sp + SIGNAL_RT_GAP;
	mctx = at + offsetof(struct rt_signal_frame_32, uc.uc_mcontext);
	if (ip == mctx + offsetof(struct mcontext_32, mc_pad) ||
	    (vdso && ip == VDSO32_SYMBOL(vdso, sigtramp_rt32))) {
		at += offsetof(struct rt_signal_frame_32, uc.uc_regs);
		goto confirm;
	}
	return 0;

confirm:
	if (user_stack_read(&pointer, at, sizeof(pointer)) || pointer != mctx)
		return 0;
	return mctx;
}

static bool callchain_signal_32(u32 ip, u32 sp, struct callchain_regs *regs)
{
	u32 gregs = callchain_signal_regs_32(ip, sp);
	u32 nip, link, r1;

	if (!gregs)
		return false;
	gregs += offsetof(struct mcontext_32, mc_gregs);
	if (user_stack_read(&nip, gregs + PT_NIP * sizeof(u32), sizeof(u32)) ||
	    user_stack_read(&link, gregs + PT_LNK * sizeof(u32), sizeof(u32)) ||
	    user_stack_read(&r1, gregs + PT_R1 * sizeof(u32), sizeof(u32)))
		return false;
	*regs = (struct callchain_regs){ .ip = nip, .lr = link, .sp = r1 };
	return true;
}

/* Store the address and LR of the innermost function. */
static int callchain_begin_32(struct perf_callchain_entry_ctx *entry,
			      const struct callchain_regs *regs)
{
	return perf_callchain_store(entry, regs->ip) ?:
	       perf_callchain_store(entry, (u32)regs->lr);
}

/**
 * callchain_user_32 - walk a 32-bit stack
 * @entry: receives the addresses
 * @regs: registers to start from
 *
 * Context: any; walks the stack of current.
 */
void callchain_user_32(struct perf_callchain_entry_ctx *entry, struct callchain_regs regs)
{
	u32 frame[LR_SAVE_32 + 1], ip, sp;

	if (!current->mm || callchain_begin_32(entry, &regs))
		return;
	ip = regs.lr;
	sp = regs.sp;
	for (;;) {
		if (callchain_signal_32(ip, sp, &regs)) {
			perf_callchain_store_context(entry, PERF_CONTEXT_USER);
			if (callchain_begin_32(entry, &regs))
				return;
			ip = regs.lr;
			sp = regs.sp;
			continue;
		}
		if (!IS_ALIGNED(sp, sizeof(u32)) || user_stack_read(&sp, sp, sizeof(u32)))
			return;
		if (!IS_ALIGNED(sp, sizeof(u32)) || user_stack_read(frame, sp, sizeof(frame)))
			return;
		ip = frame[LR_SAVE_32];
		if (perf_callchain_store(entry, ip))
			return;
	}
}
