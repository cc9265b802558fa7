/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_GROUP_H
#define _KERNEL_EVENTS_GROUP_H

#include <linux/perf_event.h>

/* Membership in contexts and groups: ctx->mutex is held. */
bool perf_group_may_join(const struct perf_event *leader, const struct perf_event *event);
int perf_event_attach(struct perf_event *event);
int perf_event_attach_copy(struct perf_event *copy);
void perf_group_complete(struct perf_event *leader);
bool perf_event_detach(struct perf_event *event, enum perf_event_state end);
void perf_event_detach_at_exit(struct perf_event *event, enum perf_event_state end);

/*
 * Enable and disable: ctx->mutex is held, or the family's lock for a copy.
 * perf_event_disable_due() needs neither, but interrupts off.
 */
void perf_event_turn_on(struct perf_event *event);
void perf_event_turn_on_for(struct perf_event *event, int overflows);
void perf_event_turn_off(struct perf_event *event);
void perf_event_disable_due(struct perf_event *event);

#endif /* _KERNEL_EVENTS_GROUP_H */
