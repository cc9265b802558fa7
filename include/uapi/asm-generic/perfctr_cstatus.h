/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * perfctr_cpu_state::cstatus, which encodes the enabled parts of a control, and the signal of
 * an overflow. Both are the same on all architectures. Included by <asm/perfctr.h>.
 */
#ifndef _UAPI_ASM_GENERIC_PERFCTR_CSTATUS_H
#define _UAPI_ASM_GENERIC_PERFCTR_CSTATUS_H

#include <linux/types.h>

/* Bits of cstatus: tsc_on 31, nrictrs 22-16, nractrs + nrictrs 14-8, nractrs 6-0 */

static inline __u32 perfctr_mk_cstatus(__u32 tsc_on, __u32 nractrs, __u32 nrictrs)
{
	return (tsc_on ? 1U << 31 : 0) | nrictrs << 16 | (nractrs + nrictrs) << 8 | nractrs;
}

static inline __u32 perfctr_cstatus_enabled(__u32 cstatus)
{
	return cstatus;
}

static inline int perfctr_cstatus_has_tsc(__u32 cstatus)
{
	return cstatus >> 31;
}

static inline __u32 perfctr_cstatus_nractrs(__u32 cstatus)
{
	return cstatus & 0x7f;
}

static inline __u32 perfctr_cstatus_nrctrs(__u32 cstatus)
{
	return (cstatus >> 8) & 0x7f;
}

static inline __u32 perfctr_cstatus_has_ictrs(__u32 cstatus)
{
	return cstatus & (0x7f << 16);
}

/* Signal of an overflow: its si_code, and the mask of overflowed counters. */
#define SI_PMC_OVF		('P')
#define si_pmc_ovf_mask		si_pid

#endif /* _UAPI_ASM_GENERIC_PERFCTR_CSTATUS_H */
