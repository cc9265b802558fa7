/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Performance counters of a thread: what user space and the kernel share where a thread
 * can have the clock alone. The layout is the same for 32-bit and 64-bit programs.
 * <linux/perfctr.h> has the rest.
 */
#ifndef _UAPI_ASM_GENERIC_PERFCTR_H
#define _UAPI_ASM_GENERIC_PERFCTR_H

#include <linux/types.h>
#include <asm-generic/perfctr_cstatus.h>

/* Room for counters, of which there are none yet. */
#define PERFCTR_MAX_COUNTERS	8

/**
 * struct perfctr_sum_ctrs - counts
 * @tsc: of the clock
 * @pmc: of each counter, by the index that the control gives it
 */
struct perfctr_sum_ctrs {
	__u64	tsc;
	__u64	pmc[PERFCTR_MAX_COUNTERS];
};

/**
 * struct perfctr_cpu_control - what is to be counted
 * @tsc_on: not 0: the clock is to be sampled
 * @nractrs: 0
 * @nrictrs: 0
 * @pmc_map: not used
 * @evntsel: not used
 * @ireset: not used
 * @reserved: 0
 */
struct perfctr_cpu_control {
	__u32	tsc_on;
	__u32	nractrs;
	__u32	nrictrs;
	__u32	pmc_map[PERFCTR_MAX_COUNTERS];
	__u32	evntsel[PERFCTR_MAX_COUNTERS];
	__s32	ireset[PERFCTR_MAX_COUNTERS];
	__u32	reserved[4];
};

/**
 * struct perfctr_cpu_state - counters, and where they are; user space maps it read only
 * @cstatus: what is enabled, see perfctr_mk_cstatus(); 0: nothing
 * @k1: the kernel's own
 * @k2: the kernel's own
 * @tsc_start: low half of the clock as it was read last
 * @tsc_sum: ticks of the clock so far
 * @pmc: not used
 *
 * A reader reads @tsc_start before and after @tsc_sum, and once more if it has changed.
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
#endif
};

#endif /* _UAPI_ASM_GENERIC_PERFCTR_H */
