/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registration of PMUs
 *
 * perf_pmus_lock, a mutex, protects the list of PMUs and their types. The search for a PMU and
 * pmu::event_init run under SRCU, because pmu::event_init may sleep, take locks of the driver and
 * open events. perf_pmu_unregister() removes the PMU from the list, waits for these readers, and
 * then finds all events of the PMU: the opened ones in the PMU's list of events, the inherited ones
 * through event->parent. Inherited events are only counted, in a per-CPU counter, until
 * perf_pmu_unregister() waits for the last of them.
 *
 * An event belongs to its PMU from perf_pmu_init_event() to perf_pmu_del_event(). Afterwards
 * event->pmu is a PMU that does nothing, so it can always be dereferenced. Drivers' callbacks
 * are called only while the event's state is not PERF_EVENT_STATE_DEAD: under
 * event->ctx->mutex, with the context's lock, or, for a scheduled event, from its interrupts.
 */
#ifndef _KERNEL_EVENTS_PMU_H
#define _KERNEL_EVENTS_PMU_H

#include <linux/perf_event.h>

struct perf_pmu_stats;

extern struct mutex perf_pmus_lock;
extern struct list_head perf_pmus;

int perf_pmus_read_lock(void);
void perf_pmus_read_unlock(int idx);

/*
 * Find the PMU of @event (attr, cpu, parent, group_leader, hw.target and one reference are set; so
 * is cgrp, if any) and call pmu::event_init. Sets event->pmu, event->orig_type and
 * PERF_EV_CAP_SOFTWARE. The leader's ctx->mutex protects the group of a sibling: taken here for a
 * new event, held by the caller if event->parent is set. perf_pmus_read_lock() is held. Fails with
 * -ENOENT if no PMU supports the event; -ENODEV if the PMU is being unregistered or not on this CPU
 * (fork ignores this for a parent event that becomes dead); -EINVAL, -EOPNOTSUPP if the PMU does
 * not support the attr. May sleep.
 *
 * perf_event_revoke() may find the event before it has a context. Then
 * perf_event_set_context() fails with -ENODEV.
 */
struct pmu *perf_pmu_init_event(struct perf_event *event);

/*
 * Undo perf_pmu_init_event(): call event->destroy (only this function does), drop the module
 * reference, and remove the event from the PMU's list, or its count of inherited events. The event
 * is in no context, and its counter is stopped. Further calls do nothing. May sleep.
 */
void perf_pmu_del_event(struct perf_event *event);

/* Statistics of a PMU for debugfs; see stats.h */
struct perf_pmu_stats __percpu *perf_pmu_stats(const struct pmu *pmu);
bool perf_pmu_install_stats(struct perf_pmu_stats __percpu *stats);

/* Was the event's PMU unregistered? */
bool perf_pmu_is_unregistered(const struct perf_event *event);

int perf_pmu_check_clock(const struct perf_event *event);

/* Can events of this PMU sample, because it has an interrupt? */
static inline bool perf_pmu_can_sample(const struct pmu *pmu)
{
	return !(pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT);
}

#endif /* _KERNEL_EVENTS_PMU_H */
