// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains of the kernel and of user space.
 *
 * Context: any, including NMI.
 */
#include <linux/compat.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <asm/desc.h>
#include <asm/ldt.h>
#include <asm/mmu_context.h>
#include <asm/stacktrace.h>
#include <asm/tlbflush.h>
#include <asm/unwind.h>

#include "perf_event.h"

/**
 * perf_callchain_kernel - store the call chain of the kernel
 * @entry: the call chain
 * @regs: the registers to start from
 */
void perf_callchain_kernel(struct perf_callchain_entry_ctx *entry, struct pt_regs *regs)
{
	/* perf_fetch_caller_regs() does not set flags. */
	bool complete = regs->flags & X86_EFLAGS_FIXED;
	struct unwind_state state;
	unsigned long ip;

	/* @regs and the stack are the host's: do not walk the stack for a sample of a guest. */
	if (x86_guest_state() || perf_callchain_store(entry, regs->ip))
		return;
	if (complete)
		unwind_start(&state, current, regs, NULL);
	else
		unwind_start(&state, current, NULL, (void *)regs->sp);
	while (!unwind_done(&state)) {
		ip = unwind_get_return_address(&state);
		if (!ip || perf_callchain_store(entry, ip))
			return;
		unwind_next_frame(&state);
	}
}

static unsigned long x86_base_of_selector(unsigned int selector)
{
	const struct desc_struct *desc = NULL;
	unsigned int i = selector >> 3;

	/* modify_ldt(2) of another thread frees the LDT only after an IPI: keep interrupts off. */
	guard(irqsave)();
	if ((selector & SEGMENT_TI_MASK) == SEGMENT_LDT) {
#ifdef CONFIG_MODIFY_LDT_SYSCALL
		struct ldt_struct *ldt = READ_ONCE(current->active_mm->context.ldt);

		if (ldt && i < ldt->nr_entries)
			desc = &ldt->entries[i];
#endif
	} else if (i < GDT_ENTRIES) {
		desc = raw_cpu_ptr(gdt_page.gdt) + i;
	}
	return desc ? get_desc_base(desc) : 0;
}

/**
 * x86_segment_base - base address of a code segment
 * @regs: registers of user space or of the kernel
 *
 * Only 16-bit and old 32-bit programs use code segments with another base than 0.
 *
 * Context: any, including NMI.
 * Return: the base address.
 */
unsigned long x86_segment_base(struct pt_regs *regs)
{
	if (IS_ENABLED(CONFIG_VM86) && (regs->flags & X86_VM_MASK))
		return 0x10 * regs->cs;
#ifdef CONFIG_X86_64
	if (user_mode(regs) && regs->cs != __USER_CS && regs->cs != __USER32_CS)
		return x86_base_of_selector(regs->cs);
#else
	if (user_mode(regs) && regs->cs != __USER_CS)
		return x86_base_of_selector(regs->cs);
#endif
	return 0;
}

/*
 * A frame of user space starts with the address of the caller's frame and the return address. User
 * space can make a loop of frames, so perf_callchain_store() limits the length of the chain.
 */

/* At the entry of a function, the return address is at the top of the stack. */
#define x86_store_caller(_entry, _sp, _type, _base, _code)				\
do {											\
	const _type __user *__top = (void __user *)((_sp) + (_base));			\
	_type __ip;									\
											\
	pagefault_disable();								\
	if (__access_ok(__top, sizeof(_type)) && !__get_user(__ip, __top))		\
		perf_callchain_store(_entry, __ip + (_code));				\
	pagefault_enable();								\
} while (0)

#define x86_walk_user(_entry, _fp, _type, _base, _code)					\
do {											\
	unsigned long __fp = (_fp);							\
											\
	pagefault_disable();								\
	while ((_entry)->nr < (_entry)->max_stack) {					\
		const _type __user *__frame;						\
		_type __next, __ip;							\
											\
		__frame = (void __user *)(__fp + (_base));				\
		if (!__access_ok(__frame, 2 * sizeof(_type)) ||				\
		    __get_user(__next, &__frame[0]) || __get_user(__ip, &__frame[1]))	\
			break;								\
		if (perf_callchain_store(_entry, __ip + (_code)))			\
			break;								\
		__fp = __next;								\
	}										\
	pagefault_enable();								\
} while (0)

/*
 * Is a uprobe on the first instruction of a function the cause of the sample? Most functions begin
 * with a push of the frame pointer, or with endbr64.
 */
static bool x86_is_probed_entry(struct pt_regs *regs)
{
#ifdef CONFIG_UPROBES
	static const u8 push_frame[] = { 0x55 }, endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const struct uprobe_task *utask = current->utask;
	const struct arch_uprobe *probe = utask ? READ_ONCE(utask->auprobe) : NULL;

	if (!probe)
		return false;
	return !memcmp(probe->insn, push_frame, sizeof(push_frame)) ||
	       (user_64bit_mode(regs) && !memcmp(probe->insn, endbr64, sizeof(endbr64)));
#else
	return false;
#endif
}

/**
 * perf_callchain_user - store the call chain of user space, by frame pointers
 * @entry: the call chain
 * @regs: the registers of user mode to start from
 */
void perf_callchain_user(struct perf_callchain_entry_ctx *entry, struct pt_regs *regs)
{
	bool entered;

	if (x86_guest_state())
		return;
	/* In virtual 8086 mode, the segment registers are not selectors. */
	if (regs->flags & (X86_VM_MASK | PERF_EFLAGS_VM))
		return;
	/* An NMI may interrupt a switch between address spaces. */
	if (perf_callchain_store(entry, regs->ip) || !nmi_uaccess_okay())
		return;
	entered = x86_is_probed_entry(regs);
#ifdef CONFIG_IA32_EMULATION
	if (!user_64bit_mode(regs)) {
		if (entered)
			x86_store_caller(entry, (u32)regs->sp, u32,
					 x86_base_of_selector(regs->ss),
					 x86_base_of_selector(regs->cs));
		x86_walk_user(entry, (u32)regs->bp, u32, x86_base_of_selector(regs->ss),
			      x86_base_of_selector(regs->cs));
		return;
	}
#endif
	if (entered)
		x86_store_caller(entry, regs->sp, unsigned long, 0, 0);
	x86_walk_user(entry, regs->bp, unsigned long, 0, 0);
}
