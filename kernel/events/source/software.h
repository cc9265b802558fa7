/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SOFTWARE_H
#define _KERNEL_EVENTS_SOFTWARE_H

#include <linux/perf_event.h>

void perf_swevent_event(struct perf_event *event, u64 nr,
			struct perf_sample_data *data, struct pt_regs *regs);
void perf_swevent_resident_add(struct perf_event *event);
void perf_swevent_copy_add(struct perf_event *copy);
void perf_swevent_resident_del(struct perf_event *event);
bool perf_event_excludes(const struct perf_event *event, struct pt_regs *regs);
bool perf_site_interrupted(void);
void perf_swevent_pmu_init(void);

#endif /* _KERNEL_EVENTS_SOFTWARE_H */
