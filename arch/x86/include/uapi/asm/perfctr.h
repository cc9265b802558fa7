/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Performance counters of a thread: what user space and the kernel share on x86. The layout
 * is the same for 32-bit and 64-bit programs. <linux/perfctr.h> has the rest.
 */
#ifndef _UAPI_ASM_X86_PERFCTR_H
#define _UAPI_ASM_X86_PERFCTR_H

#include <linux/types.h>
#include <asm-generic/perfctr_cstatus.h>

/* As many counters as any x86 CPU has had. */
#define PERFCTR_MAX_COUNTERS	18

/**
 * struct perfctr_sum_ctrs - counts
 * @tsc: of the time stamp counter
 * @pmc: of each counter, by the index that the control gives it
 */
struct perfctr_sum_ctrs {
	__u64	tsc;
	__u64	pmc[PERFCTR_MAX_COUNTERS];
};

/**
 * struct perfctr_cpu_control - what is to be counted
 * @tsc_on: not 0: the time stamp counter is to be sampled
 * @nractrs: how many counters just count, the first ones
 * @nrictrs: how many interrupt when they overflow, those after them
 * @pmc_map: which counter of the CPU each of them is, as RDPMC takes it
 * @evntsel: what it counts: the event select, or the CCCR of a Pentium 4
 * @p4: what a Pentium 4 has beside that
 * @p4.escr: value of the counter's ESCR
 * @p4.pebs_enable: for replay tagging
 * @p4.pebs_matrix_vert: the same
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
 * struct perfctr_cpu_state - counters, and where they are; user space maps it read only
 * @cstatus: what is enabled, see perfctr_mk_cstatus(); 0: nothing
 * @k1: the kernel's own
 * @k2: the kernel's own
 * @tsc_start: low half of the time stamp counter as it was read last
 * @tsc_sum: time stamps so far
 * @pmc: the counters
 * @pmc.map: of the control
 * @pmc.start: low half of the counter as it was read or set last
 * @pmc.sum: the count so far. It is @pmc.sum + (__u32)(counter - @pmc.start) now
 *
 * A reader reads @tsc_start before and after the rest, and once more if it has changed.
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
#endif
};

#endif /* _UAPI_ASM_X86_PERFCTR_H */
