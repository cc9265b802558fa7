/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The processors whose counters the server engine can drive.
 *
 * Each function looks at the processor that runs, and registers its counters. It returns 0,
 * -ENODEV on another processor, or what register_power_pmu() returns. Called once, at boot.
 */
#ifndef _POWERPC_PERF_INTERNAL_H
#define _POWERPC_PERF_INTERNAL_H

int __init init_ppc970_pmu(void);
int __init init_power5_pmu(void);
int __init init_power5p_pmu(void);
int __init init_power6_pmu(void);
int __init init_power7_pmu(void);
int __init init_power8_pmu(void);
int __init init_power9_pmu(void);
int __init init_power10_pmu(void);
int __init init_compat_pmu(void);

#endif
