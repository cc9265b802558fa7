/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_HOTPLUG_H
#define _KERNEL_EVENTS_HOTPLUG_H

void perf_event_stop_cpu(void *unused);
void perf_scope_migrate(unsigned int scope, int src_cpu, int dst_cpu);

#endif /* _KERNEL_EVENTS_HOTPLUG_H */
