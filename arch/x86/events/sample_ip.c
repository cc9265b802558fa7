// SPDX-License-Identifier: GPL-2.0
/*
 * Address and mode of a sample.
 */
#include <linux/export.h>
#include <linux/perf_event.h>

#include "engine.h"

/**
 * x86_guest_state - guest state for the sample that is being written
 *
 * The CPU writes PEBS and BTS records only while the host runs. But the host may handle them in an
 * interrupt of a guest: the interrupt may be late, and records may wait until an event is read.
 *
 * Context: any, while a sample is written.
 * Return: PERF_GUEST_* flags, 0 if the sample is from the host.
 */
unsigned int x86_guest_state(void)
{
	unsigned int guest = perf_guest_state();

	if (!guest || this_cpu_ptr(&x86_pmu_cpu)->from_record[!!in_nmi()])
		return 0;
	return guest;
}

/**
 * x86_entry_registers - registers of user space for a sample
 * @regs: registers of the interrupt, or of the caller
 * @empty: memory for registers without an address
 *
 * The interrupt of an event that excludes the kernel may be late, after an entry to the kernel. The
 * sample must not reveal a kernel address, so it has the registers that user space had at the last
 * complete kernel entry. A kernel thread has no such registers, and a task has none while an entry
 * stores them: then the address is 0. While a guest runs, the address is the guest's.
 *
 * Context: any.
 * Return: @regs in user mode or in a guest; else the registers at the entry, or @empty.
 */
struct pt_regs *x86_entry_registers(struct pt_regs *regs, struct pt_regs *empty)
{
	struct pt_regs *user = task_pt_regs(current);

	if (user_mode(regs) || perf_guest_state())
		return regs;
	if (!(current->flags & (PF_KTHREAD | PF_USER_WORKER)) && user_mode(user) &&
	    (regs->sp <= (unsigned long)user || regs->sp > (unsigned long)(user + 1)))
		return user;
	/* Without this flag, perf_callchain_kernel() would start at its own caller. */
	*empty = (struct pt_regs){ .flags = X86_EFLAGS_FIXED };
	return empty;
}

/**
 * perf_instruction_pointer - linear address of a sample
 * @regs: registers of the sample, or of the host that runs a guest
 *
 * Context: any.
 * Return: the address.
 */
unsigned long perf_instruction_pointer(struct pt_regs *regs)
{
	if (x86_guest_state())
		return perf_guest_get_ip();
	return regs->ip + x86_segment_base(regs);
}

/**
 * perf_misc_flags - PERF_RECORD_MISC_* of a sample
 * @regs: as for perf_instruction_pointer()
 *
 * Context: any.
 * Return: the flags.
 */
unsigned long perf_misc_flags(struct pt_regs *regs)
{
	unsigned int guest = x86_guest_state();
	unsigned long misc;

	if (guest)
		misc = guest & PERF_GUEST_USER ? PERF_RECORD_MISC_GUEST_USER :
						 PERF_RECORD_MISC_GUEST_KERNEL;
	else
		misc = user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
	if (regs->flags & PERF_EFLAGS_EXACT)
		misc |= PERF_RECORD_MISC_EXACT_IP;
	return misc;
}
