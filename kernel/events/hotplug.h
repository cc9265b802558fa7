/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_HOTPLUG_H
#define _KERNEL_EVENTS_HOTPLUG_H

void perf_event_stop_cpu(void *unused);

#endif /* _KERNEL_EVENTS_HOTPLUG_H */
