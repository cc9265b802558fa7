/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registry of PMUs.
 *
 * perf_pmus_lock, a mutex, protects the list of PMUs and their types. Finding
 * a PMU and its event_init run under SRCU instead: event_init may sleep, take
 * driver locks and open events. perf_pmu_unregister() hides the PMU, waits
 * for those readers, and then finds every event that was asked for on the PMU's list.
 * These lead to their copies, which the PMU only counts, one counter a CPU, until it
 * goes; then it waits for the last of them.
 *
 * An event belongs to its PMU from perf_pmu_init_event() to
 * perf_pmu_drop_event(). After that, event->pmu is a PMU that does nothing, so
 * that it can always be dereferenced; drivers' callbacks are called only while
 * the event's state is not PERF_EVENT_STATE_DEAD: under event->ctx->mutex, with
 * the context's lock, or, of an event that is on, from its interrupts.
 */
#ifndef _KERNEL_EVENTS_PMU_H
#define _KERNEL_EVENTS_PMU_H

#include <linux/perf_event.h>

struct perf_pmu_tally;

extern struct mutex perf_pmus_lock;
extern struct list_head perf_pmus;

int perf_pmus_read_lock(void);
void perf_pmus_read_unlock(int idx);

/*
 * Find the PMU of @event (attr, cpu, parent, group_leader, hw.target and one
 * reference are set; so is cgrp, if any) and let it take the event. Sets
 * event->pmu, orig_type and PERF_EV_CAP_SOFTWARE. A member's group is kept
 * still by its leader's ctx->mutex: taken here when the event is new, held by
 * the caller when event->parent is set. perf_pmus_read_lock() is held.
 * -ENOENT: no PMU wants it; -ENODEV: the PMU is going or not on this CPU
 * (a root that dies meanwhile is no error of fork); -EINVAL, -EOPNOTSUPP:
 * the PMU cannot do what the attr asks. May sleep.
 *
 * perf_event_revoke() may find the event there before it has a context:
 * perf_event_set_context() fails then, with -ENODEV.
 */
struct pmu *perf_pmu_init_event(struct perf_event *event);

/*
 * Undo perf_pmu_init_event(): call event->destroy (nothing else does), drop the module
 * and leave the PMU's list, or its count of copies. The event is in no context, and its
 * counter is off. Further calls do nothing. May sleep.
 */
void perf_pmu_drop_event(struct perf_event *event);

/* Counts of a PMU for debugfs; see tally.h. */
struct perf_pmu_tally __percpu *perf_pmu_tally(const struct pmu *pmu);
bool perf_pmu_give_tally(struct perf_pmu_tally __percpu *tally);

/* Has the event lost its PMU? */
bool perf_pmu_is_gone(const struct perf_event *event);

int perf_pmu_check_clock(const struct perf_event *event);

/* May this event sample: does the PMU have an interrupt? For the syscall. */
static inline bool perf_pmu_can_sample(const struct pmu *pmu)
{
	return !(pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT);
}

#endif /* _KERNEL_EVENTS_PMU_H */
