/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_PERMISSION_H
#define _KERNEL_EVENTS_PERMISSION_H

#include <linux/types.h>

/*
 * May the caller see all events of a CPU, addresses of the kernel, or the ids of BPF programs? A
 * missing capability is not logged. May sleep.
 */
bool perf_may_see_cpu(void);
bool perf_may_see_kernel(void);
bool perf_may_see_bpf(void);

#endif /* _KERNEL_EVENTS_PERMISSION_H */
