/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_PERMISSION_H
#define _KERNEL_EVENTS_PERMISSION_H

/* What security_perf_event_open() is asked about. */
#ifndef PERF_SECURITY_OPEN
#define PERF_SECURITY_OPEN		0
#define PERF_SECURITY_CPU		1
#define PERF_SECURITY_KERNEL		2
#define PERF_SECURITY_TRACEPOINT	3
#endif

#endif /* _KERNEL_EVENTS_PERMISSION_H */
