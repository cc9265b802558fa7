/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_ENABLE_H
#define _KERNEL_EVENTS_ENABLE_H

#include <linux/perf_event.h>

/*
 * Enable and disable events: ctx->mutex is held, or the inherit lock for a copy.
 * perf_event_disable_due() needs neither, but interrupts are off.
 */
void _perf_event_enable(struct perf_event *event);
void perf_event_enable_for(struct perf_event *event, int overflows);
void _perf_event_disable(struct perf_event *event);
void perf_event_disable_due(struct perf_event *event);

void perf_event_enable_all_copies(struct perf_event *event, bool on, bool group);
void perf_copies_disable(struct perf_event *root);

/*
 * Does enabling or disabling a group include this member? A copy is included if its root is
 * still in the group of the leader's root: an exec may have removed the root from that group,
 * but not its copies from theirs. The mutex of the roots' context is held.
 */
static inline bool perf_member_follows_leader(const struct perf_event *member,
					      const struct perf_event *leader)
{
	return !leader->parent ||
	       READ_ONCE(member->parent->group_leader) == leader->parent;
}

#endif /* _KERNEL_EVENTS_ENABLE_H */
