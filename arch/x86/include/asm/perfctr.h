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
 * @counters: mask of them: general ones by number, fixed ones from 32
 * @ints: those of them that interrupt
 * @n: how many there are
 * @counter: number of each, by the control's index
 * @config: its event select, without the bits that let it run
 */
struct x86_claim {
	u64	counters;
	u64	ints;
	u32	n;
	u8	counter[18];
	u64	config[18];
};

#include <uapi/asm/perfctr.h>

/* See perfctr_cpu_set_ihandler(). */
typedef void (*perfctr_ihandler_t)(unsigned long pc);

struct cpumask;
struct perfctr_info;

extern const char *perfctr_cpu_name;

int perfctr_cpu_init(void);
void perfctr_cpu_exit(void);
const char *perfctr_cpu_reserve(const char *service);
void perfctr_cpu_release(const char *service);
int perfctr_cpu_update_control(struct perfctr_cpu_state *state, int is_global);
int perfctr_cpu_resume(struct perfctr_cpu_state *state);
void perfctr_cpu_suspend(struct perfctr_cpu_state *state);
void perfctr_cpu_hand_over(void);
void perfctr_cpu_sample(struct perfctr_cpu_state *state);
void perfctr_cpu_set_ihandler(perfctr_ihandler_t handler);
unsigned int perfctr_cpu_identify_overflow(struct perfctr_cpu_state *state);
void perfctr_cpu_ireload(struct perfctr_cpu_state *state);
bool perfctr_cpu_overflowed(const struct perfctr_cpu_state *state);
bool perfctr_cpu_counts_kernel(const struct perfctr_cpu_control *control);
void perfctr_cpu_get_info(struct perfctr_info *info);
const struct cpumask *perfctr_cpu_forbidden(void);

struct mm_struct;
void perfctr_cpu_mapped(struct mm_struct *mm);
void perfctr_cpu_unmapped(struct mm_struct *mm);

#endif /* _ASM_X86_PERFCTR_H */
