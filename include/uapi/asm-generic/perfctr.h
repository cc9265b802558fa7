/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Performance counters of a thread: layout that user space and the kernel share, for
 * architectures where a thread has only the clock. 32-bit and 64-bit programs have the same
 * layout. For the rest see <linux/perfctr.h>.
 */
#ifndef _UAPI_ASM_GENERIC_PERFCTR_H
#define _UAPI_ASM_GENERIC_PERFCTR_H

#include <linux/types.h>
#include <asm-generic/perfctr_cstatus.h>

/* Size of the arrays. Architectures with this header use no counters. */
#define PERFCTR_MAX_COUNTERS	8

/**
 * struct perfctr_sum_ctrs - counts
 * @tsc: ticks of the clock
 * @pmc: count of each counter, by the control's index
 */
struct perfctr_sum_ctrs {
	__u64	tsc;
	__u64	pmc[PERFCTR_MAX_COUNTERS];
};

/**
 * struct perfctr_cpu_control - control of a state
 * @tsc_on: not 0: sample the clock
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
 * struct perfctr_cpu_state - counts so far; user space maps it read only
 * @cstatus: the enabled parts, see perfctr_mk_cstatus(); 0: none
 * @k1: private to the kernel
 * @k2: private to the kernel
 * @tsc_start: low half of the last sample of the clock
 * @tsc_sum: ticks of the clock so far
 * @pmc: not used
 * @control: its control; the kernel only
 *
 * A reader reads @tsc_start before and after @tsc_sum, and retries if it has changed.
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
