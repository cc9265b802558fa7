/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_PROBE_H
#define _KERNEL_EVENTS_PROBE_H

#include <linux/init.h>

#if defined(CONFIG_KPROBE_EVENTS) || defined(CONFIG_UPROBE_EVENTS)
void __init perf_probe_pmu_init(void);
#else
static inline void perf_probe_pmu_init(void) { }
#endif

#endif /* _KERNEL_EVENTS_PROBE_H */
