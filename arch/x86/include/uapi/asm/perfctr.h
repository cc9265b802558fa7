/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Performance counters of a thread: the x86 part of the ABI. The layout is the same for 32-bit and
 * 64-bit programs. <linux/perfctr.h> has the rest.
 */
#ifndef _UAPI_ASM_X86_PERFCTR_H
#define _UAPI_ASM_X86_PERFCTR_H

#include <linux/types.h>
#include <asm-generic/perfctr_cstatus.h>

/* Maximum number of counters of any x86 CPU */
#define PERFCTR_MAX_COUNTERS	18

/**
 * struct perfctr_sum_ctrs - sums of the counters
 * @tsc: sum of the time stamp counter
 * @pmc: sum of each counter, by its index in the control
 */
struct perfctr_sum_ctrs {
	__u64	tsc;
	__u64	pmc[PERFCTR_MAX_COUNTERS];
};

/**
 * struct perfctr_cpu_control - the counters to use, and their events
 * @tsc_on: not 0: sample the time stamp counter
 * @nractrs: number of counters that only count; these are first
 * @nrictrs: number of counters that interrupt at an overflow; these are last
 * @pmc_map: index of each counter for RDPMC
 * @evntsel: event select of each counter; the CCCR on a Pentium 4
 * @p4: Pentium 4 only
 * @p4.escr: ESCR of each counter
 * @p4.pebs_enable: for replay tagging
 * @p4.pebs_matrix_vert: for replay tagging
 * @ireset: start value of counters that interrupt, negative
 * @reserved: 0
 */
struct perfctr_cpu_control {
	__u32	tsc_on;
	__u32	nractrs;
	__u32	nrictrs;
	__u32	pmc_map[PERFCTR_MAX_COUNTERS];
	__u32	evntsel[PERFCTR_MAX_COUNTERS];
	struct {
		__u32	escr[PERFCTR_MAX_COUNTERS];
		__u32	pebs_enable;
		__u32	pebs_matrix_vert;
	} p4;
	__s32	ireset[PERFCTR_MAX_COUNTERS];
	__u32	reserved[4];
};

/**
 * struct perfctr_cpu_state - counters and their sums; mapped read-only in user space
 * @cstatus: TSC and counters in use, see perfctr_mk_cstatus(); 0: none
 * @k1: private to the kernel
 * @k2: private to the kernel
 * @tsc_start: low half of the time stamp counter, as read last
 * @tsc_sum: sum of the time stamp counter
 * @pmc: the counters
 * @pmc.map: index for RDPMC, from the control
 * @pmc.start: low half of the counter, as read or set last
 * @pmc.sum: sum of the counter. The current value is @pmc.sum + (__u32)(counter - @pmc.start)
 * @control: the control; not in user space
 * @claim: the counters claimed for @control; not in user space
 * @revoked: counters, encoded as in @cstatus, that perf has taken after an overflow that is not
 *	reported yet; 0: none; not in user space
 * @behind: for each counter, the number by which @pmc.start was lowered, because the overflow was
 *	too near; 0: not lowered; not in user space
 *
 * A reader must read @tsc_start before and after the rest, and repeat if it has changed.
 */
struct perfctr_cpu_state {
	__u32	cstatus;
	__u32	k1;
	__s32	k2;
	__u32	tsc_start;
	__u64	tsc_sum;
	struct {
		__u32	map;
		__u32	start;
		__u64	sum;
	} pmc[PERFCTR_MAX_COUNTERS];
#ifdef __KERNEL__
	struct perfctr_cpu_control	control;
	struct x86_claim		claim;
	__u32				revoked;
	__u16				behind[PERFCTR_MAX_COUNTERS];
#endif
};

#endif /* _UAPI_ASM_X86_PERFCTR_H */
