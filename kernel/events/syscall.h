/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SYSCALL_H
#define _KERNEL_EVENTS_SYSCALL_H

#include <linux/perf_event.h>

/*
 * May the event, which is being opened, reserve a debug register or an exclusive PMU, which other
 * users need? May sleep.
 */
int perf_event_may_reserve(const struct perf_event *event);

/* The last checks before the event is attached; ctx->mutex is held. */
int perf_event_may_attach(const struct perf_event *event);

#endif /* _KERNEL_EVENTS_SYSCALL_H */
