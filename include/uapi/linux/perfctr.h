/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Performance counters of a thread, through the system calls perfctr_info and vperfctr_*. See
 * Documentation/userspace-api/perfctr.rst.
 */
#ifndef _UAPI_LINUX_PERFCTR_H
#define _UAPI_LINUX_PERFCTR_H

#include <linux/types.h>
#include <asm/perfctr.h>

/* System call numbers, the same on all architectures, for programs with older headers. */
#ifndef __KERNEL__
#ifndef __NR_perfctr_info
#define __NR_perfctr_info	600
#define __NR_vperfctr_open	601
#define __NR_vperfctr_control	602
#define __NR_vperfctr_unlink	603
#define __NR_vperfctr_iresume	604
#define __NR_vperfctr_read	605
#endif
#endif

/* perfctr_info::abi_version. Program and kernel are compatible if it is equal under the mask. */
#define PERFCTR_ABI_VERSION		0x06000500
#define PERFCTR_ABI_VERSION_MASK	0xff00ff00

/* perfctr_info::cpu_features */
#define PERFCTR_FEATURE_RDPMC	0x01	/* a program may read its own counters */
#define PERFCTR_FEATURE_RDTSC	0x02	/* a program may read the time stamp counter */
#define PERFCTR_FEATURE_PCINT	0x04	/* counters can interrupt */

/* statfs::f_type of a vperfctr's file */
#define VPERFCTRFS_MAGIC	0x56504d43

/**
 * struct perfctr_info - features of the kernel and the CPUs
 * @abi_version: PERFCTR_ABI_VERSION of the kernel
 * @driver_version: text
 * @cpu_type: 0
 * @cpu_features: PERFCTR_FEATURE_*
 * @cpu_khz: frequency of the clock that is sampled as TSC
 * @tsc_to_cpu_mult: 1
 * @reserved: 0
 */
struct perfctr_info {
	__u32	abi_version;
	char	driver_version[32];
	__u32	cpu_type;
	__u32	cpu_features;
	__u32	cpu_khz;
	__u32	tsc_to_cpu_mult;
	__u32	reserved[3];
};

/**
 * struct perfctr_cpu_mask - a set of CPUs
 * @nrwords: words in @mask; the kernel sets it to the number that it needs
 * @mask: lowest CPUs first
 */
struct perfctr_cpu_mask {
	__u32	nrwords;
	__u32	mask[];
};

/**
 * struct vperfctr_control - control of a thread's counters
 * @si_signo: signal for overflows; 0: none
 * @cpu_control: the counters
 * @preserve: mask of counters that keep their sums
 * @reserved: 0
 */
struct vperfctr_control {
	__s32				si_signo;
	struct perfctr_cpu_control	cpu_control;
	__u32				preserve;
	__u32				reserved[4];
};

/**
 * struct vperfctr_state - the mapped page of a vperfctr's file
 * @cpu_state: sums and start values
 */
struct vperfctr_state {
	struct perfctr_cpu_state	cpu_state;
};

#endif /* _UAPI_LINUX_PERFCTR_H */
