/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface of perfctr's low-level driver for high-level drivers. An architecture with
 * counters defines the structures of a state before it includes this header. Others have only
 * the clock: drivers/perfctr/clock.c.
 */
#ifndef _ASM_GENERIC_PERFCTR_H
#define _ASM_GENERIC_PERFCTR_H

#include <linux/types.h>

/* An architecture with counters has included its own structures. */
#ifndef PERFCTR_MAX_COUNTERS
#include <uapi/asm-generic/perfctr.h>
#endif

/* See perfctr_cpu_set_ihandler(). */
typedef void (*perfctr_ihandler_t)(unsigned long pc);

struct cpumask;
struct mm_struct;
struct perfctr_info;
struct task_struct;

extern const char *perfctr_cpu_name;

int perfctr_cpu_init(void);
void perfctr_cpu_exit(void);
const char *perfctr_cpu_reserve(const char *service);
void perfctr_cpu_release(const char *service);
int perfctr_cpu_update_control(struct perfctr_cpu_state *state, int is_global);
void perfctr_cpu_copy_control(struct perfctr_cpu_state *to, const struct perfctr_cpu_state *from);
int perfctr_cpu_resume(struct perfctr_cpu_state *state);
void perfctr_cpu_suspend(struct perfctr_cpu_state *state);
void perfctr_cpu_hide(const struct task_struct *prev, const struct task_struct *next);
void perfctr_cpu_hand_over(void);
void perfctr_cpu_sample(struct perfctr_cpu_state *state);
void perfctr_cpu_set_ihandler(perfctr_ihandler_t handler);
unsigned int perfctr_cpu_identify_overflow(struct perfctr_cpu_state *state);
void perfctr_cpu_ireload(struct perfctr_cpu_state *state);
void perfctr_cpu_restart(struct perfctr_cpu_state *state);
bool perfctr_cpu_overflowed(const struct perfctr_cpu_state *state);
bool perfctr_cpu_counts_kernel(const struct perfctr_cpu_control *control);
void perfctr_cpu_get_info(struct perfctr_info *info);
const struct cpumask *perfctr_cpu_forbidden(void);

void perfctr_cpu_mapped(struct mm_struct *mm);
void perfctr_cpu_unmapped(struct mm_struct *mm);

#endif /* _ASM_GENERIC_PERFCTR_H */
