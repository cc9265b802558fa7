// SPDX-License-Identifier: GPL-2.0
/*
 * Address and mode of a sample.
 */
#include <linux/export.h>
#include <linux/perf_event.h>

#include "perf_event.h"

/**
 * perf_instruction_pointer - linear address of a sample
 * @regs: registers of the sample, or of the host that runs a guest
 *
 * Context: any.
 * Return: the address.
 */
unsigned long perf_instruction_pointer(struct pt_regs *regs)
{
	if (perf_guest_state())
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
	unsigned int guest = perf_guest_state();
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
