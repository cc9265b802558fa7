/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Event-based branches.
 */
#ifndef _POWERPC_PERF_EBB_H
#define _POWERPC_PERF_EBB_H

#include "engine.h"

#ifdef CONFIG_PPC64
int power_ebb_check(const struct perf_event *event);
void power_ebb_add(struct power_cpu *cpu, const struct perf_event *event);

/* registers.c */
void power_ebb_save(struct power_cpu *cpu);
void power_ebb_run(struct power_cpu *cpu);
void power_ebb_interrupt(void);
#else
static inline int power_ebb_check(const struct perf_event *event) { return 0; }
static inline void power_ebb_add(struct power_cpu *cpu, const struct perf_event *event) { }
static inline void power_ebb_save(struct power_cpu *cpu) { }
static inline void power_ebb_run(struct power_cpu *cpu) { }
static inline void power_ebb_interrupt(void) { }
#endif

#endif
