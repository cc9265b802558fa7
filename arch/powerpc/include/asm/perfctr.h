/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctr: the low-level driver on powerpc. While a control is active, the low-level driver
 * reserves counters of perf's PMU driver, which writes all registers.
 */
#ifndef _ASM_POWERPC_PERFCTR_H
#define _ASM_POWERPC_PERFCTR_H

/* Size of the PMU driver's struct power_claim */
#define PERFCTR_CLAIM_WORDS	44

#include <uapi/asm/perfctr.h>
#include <asm-generic/perfctr.h>

#endif /* _ASM_POWERPC_PERFCTR_H */
