/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctr: the low-level driver on x86. A high-level driver reserves counters of a CPU while its
 * control is active.
 *
 * The registers belong to perf's PMU driver. The low-level driver reserves counters in it by number
 * (a claim), and perf's events do not use them meanwhile.
 */
#ifndef _ASM_X86_PERFCTR_H
#define _ASM_X86_PERFCTR_H

#include <linux/types.h>

/**
 * struct x86_claim - the counters that a control reserves in the PMU driver
 * @id: equal only for copies of the same control; 0: equal to no other. A hash, since user space
 *	can see it
 * @counters: mask of the counters: general counters from bit 0, fixed counters from bit 32
 * @ints: mask of the counters that interrupt
 * @n: number of counters
 * @counter: number of each counter, by its index in the control
 * @config: event select of each counter, without the enable bit
 * @least: for each counter that interrupts, the minimum distance to its overflow when it is set; 0:
 *	X86_MIN_PERIOD
 */
struct x86_claim {
	u64	id;
	u64	counters;
	u64	ints;
	u32	n;
	u8	counter[18];
	u64	config[18];
	u16	least[18];
};

/*
 * Thread flag: the thread has a perfctr state. __switch_to() tests it together with other flags.
 * <asm/thread_info.h> has no flag with this number.
 */
#define TIF_PERFCTR	18

#include <uapi/asm/perfctr.h>
#include <asm-generic/perfctr.h>

#endif /* _ASM_X86_PERFCTR_H */
