/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_ENABLE_H
#define _KERNEL_EVENTS_ENABLE_H

#include <linux/perf_event.h>

/*
 * Enable and disable events: ctx->mutex is held, or the inherit lock for an inherited event.
 * perf_group_enable_on_exec() needs both for an inherited group. perf_event_disable_due() needs
 * neither, but interrupts are off.
 */
void _perf_event_enable(struct perf_event *event);
void perf_event_enable_for(struct perf_event *event, int overflows);
void _perf_event_disable(struct perf_event *event);
void perf_group_enable_on_exec(struct perf_event *leader);
void perf_event_disable_due(struct perf_event *event);

void perf_event_enable_all_children(struct perf_event *event, bool on, bool group);
void perf_children_disable(struct perf_event *parent);

/*
 * Does enabling or disabling the group of @leader include @member? In an inherited group, only if
 * member->parent is still in the group of leader->parent: an exec may have removed member->parent
 * from its group, while @member is still in the inherited one. The mutex of the parent events'
 * context is held.
 */
static inline bool perf_member_follows_leader(const struct perf_event *member,
					      const struct perf_event *leader)
{
	return !leader->parent ||
	       READ_ONCE(member->parent->group_leader) == leader->parent;
}

#endif /* _KERNEL_EVENTS_ENABLE_H */
