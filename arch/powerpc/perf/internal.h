/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registration of the processors supported by the server engine.
 *
 * Context: boot, once. Return: 0 if the running processor is supported and its PMU is registered,
 * -ENODEV on another processor, or the error of register_power_pmu().
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
