/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_PMU_SYSFS_H
#define _KERNEL_EVENTS_PMU_SYSFS_H

#include <linux/perf_event.h>

int perf_pmu_dev_add(struct pmu *pmu);
void perf_pmu_dev_remove(struct pmu *pmu);

#endif /* _KERNEL_EVENTS_PMU_SYSFS_H */
