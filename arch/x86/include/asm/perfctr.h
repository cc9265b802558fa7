/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctr's low-level driver on x86: counters of the CPU that a high-level driver has for
 * itself, for as long as it runs them.
 *
 * The counters' registers belong to the driver of perf's PMU. This one asks it for counters
 * by their numbers, which perf's events then do without.
 */
#ifndef _ASM_X86_PERFCTR_H
#define _ASM_X86_PERFCTR_H

#include <linux/types.h>

/**
 * struct x86_claim - counters that a control uses, as the registers' driver knows them
 * @id: of this control and its copies alone; 0: of none. A hash, as user space can see it
 * @counters: mask of them: general ones by number, fixed ones from 32
 * @ints: those of them that interrupt
 * @n: how many there are
 * @counter: number of each, by the control's index
 * @config: its event select, without the bits that let it run
 */
struct x86_claim {
	u64	id;
	u64	counters;
	u64	ints;
	u32	n;
	u8	counter[18];
	u64	config[18];
};

/*
 * A flag of threads beside those of <asm/thread_info.h>: it has a state of its own. __switch_to()
 * looks at it together with others.
 */
#define TIF_PERFCTR	18

#include <uapi/asm/perfctr.h>
#include <asm-generic/perfctr.h>

#endif /* _ASM_X86_PERFCTR_H */
