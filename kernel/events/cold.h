/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_COLD_H
#define _KERNEL_EVENTS_COLD_H

#include <linux/cache.h>
#include <linux/cleanup.h>
#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/task_work.h>
#include <linux/wait.h>

#include "event.h"

/**
 * struct perf_event_cold - rarely used fields of events that write records or have inherited events
 * @event: the event
 * @ns: PID namespace of the task that allocated this structure: the opener, if the event writes
 *	records with process ids, which are from this namespace. NULL for an inherited event.
 *	Samples of inherited events read the parent event's @ns, so @ns shares no cache line with
 *	the fields that forks, exits and reads of the parent event write
 * @waitq: tasks that poll the event
 * @fasync: files whose owners get a signal; see fasync_helper()
 * @rb_entry: entry in the list of events that write to the buffer
 * @mapped_entry: entry in its context's list of mapped events; ctx->lock
 * @sb_list: entry in a CPU's list of side-band events
 * @mmap_count: number of mappings through this event
 * @event_limit: overflows left until the event is disabled; 0: no limit; PERF_LIMIT_REACHED: no
 *	overflow is handled any more, and the event must be disabled. PERF_LIMIT_REACHED holds while
 *	the event is off: only enable.c changes it, with ctx->lock held, when the event is enabled
 * @notify_work: irq work for wakeup and signal after an overflow
 * @stop_work: irq work that disables the event if perf_event_disable_is_due() is true, and stops
 *	the counter of a throttled event if the driver has not stopped the counter
 * @sigtrap_work: task work that sends a sigtrap
 * @wakeup_due: a wakeup is pending
 * @sigtrap_queued: @sigtrap_work is queued
 * @counted_since: for an event with a frequency: low half of jiffies at the first overflow that
 *	hw.interrupts counts
 * @disable_due: the event must be disabled, independent of its limit
 * @throttles: number of times that the event was throttled, saturates at U16_MAX
 * @core_stopped: perf_overflow_stop_throttled() has stopped the throttled event's counter
 * @rate_known: see perf_next_period(); ctx->lock
 * @lost_samples: number of samples that did not fit into the buffer
 * @freq_time_stamp: running time at the last adjustment of the frequency, ns
 * @freq_count_stamp: the event's count at @freq_time_stamp
 * @sigtrap_addr: address that the sigtrap reports
 * @cached: if perf_parent_caches() is true: sum of the values of cached inherited events (see
 *	child_cache.h); under the inherit lock
 * @children: the inherited events; under the inherit lock
 * @gone_count: sum of the counts of removed inherited events; written with the inherit lock held
 * @gone_enabled: sum of the enabled times of removed inherited events, ns
 * @gone_running: sum of the running times of removed inherited events, ns
 *
 * perf_event_make_cold() allocates the structure at open for events that sample, request side-band
 * records, have an AUX area or an overflow handler, or are breakpoints, for BPF output, and for
 * parent events with attr.inherit. For all other events, which write no records, the first task
 * that maps, redirects or polls the event allocates the structure. The structure is freed with the
 * event.
 */
struct perf_event_cold {
	struct perf_event	*event;
	struct pid_namespace	*ns;
	wait_queue_head_t	waitq;
	struct fasync_struct	*fasync;
	struct list_head	rb_entry;
	struct hlist_node	mapped_entry;
	struct list_head	sb_list;
	atomic_t		mmap_count;
	atomic_t		event_limit;
	struct irq_work		notify_work;
	struct irq_work		stop_work;
	struct callback_head	sigtrap_work;
	unsigned int		wakeup_due;
	unsigned int		sigtrap_queued;
	u16			counted_since;
	bool			disable_due;
	bool			core_stopped;
	u16			throttles;
	bool			rate_known;

	atomic64_t		lost_samples;
	union {
		struct {
			u64			freq_time_stamp;
			u64			freq_count_stamp;
			unsigned long		sigtrap_addr;
		};
		struct perf_cached_values	cached;
	};

	struct list_head	children;
	atomic64_t		gone_count;
	atomic64_t		gone_enabled;
	atomic64_t		gone_running;
};

/* For any alignment, @ns is in another cache line than the fields from @lost_samples on. */
static_assert(!IS_ENABLED(CONFIG_64BIT) || L1_CACHE_BYTES > 128 ||
	      offsetof(struct perf_event_cold, lost_samples) -
	      offsetof(struct perf_event_cold, ns) >= L1_CACHE_BYTES);

/* perf_event_cold::event_limit */
#define PERF_LIMIT_REACHED	INT_MIN

/*
 * Must the event be disabled, because of an overflow or a request of its driver? If its limit is
 * reached, that is true even after the event has been disabled.
 */
static inline bool perf_event_disable_is_due(const struct perf_event_cold *cold)
{
	return READ_ONCE(cold->disable_due) ||
	       atomic_read(&cold->event_limit) == PERF_LIMIT_REACHED;
}

/* Has the event had its last overflow? */
static inline bool perf_event_limit_is_reached(const struct perf_event *event)
{
	const struct perf_event_cold *cold = event->cold;

	return cold && atomic_read(&cold->event_limit) == PERF_LIMIT_REACHED;
}

/*
 * Clear the driver's request to disable the event, if there is one. Return true if there was one,
 * or if the event's limit is reached: the caller must disable the event. ctx->lock is held.
 *
 * A limit that is reached is not cleared. Otherwise an overflow could be handled without a limit:
 * before the state changes, by pmu->del or on another CPU, or afterwards, at an event site that
 * was interrupted after its check of the state.
 */
static inline bool perf_event_test_and_clear_disable(struct perf_event *event)
{
	struct perf_event_cold *cold = event->cold;

	if (likely(!cold || !perf_event_disable_is_due(cold)))
		return false;
	WRITE_ONCE(cold->disable_due, false);
	return true;
}

/* List of a parent event's inherited events, linked by child_list */
static inline struct list_head *perf_event_children(const struct perf_event *parent)
{
	return parent->cold ? &parent->cold->children : &perf_event_no_siblings;
}

/* Samples that the powerpc driver counts as lost */
static inline u64 perf_event_lost_by_driver(const struct perf_event *event)
{
	const struct pmu *pmu;

	if (!IS_ENABLED(CONFIG_PPC_PERF_CTRS))
		return 0;
	/*
	 * RCU keeps the memory of a PMU that is being unregistered. Unit tests have events
	 * without PMU.
	 */
	guard(rcu)();
	pmu = READ_ONCE(event->pmu);
	return pmu && pmu->type == PERF_TYPE_RAW ? atomic64_read(&event->lost_samples) : 0;
}

/* Number of samples that did not fit, or that a driver has lost. Any context. */
static inline u64 perf_event_lost(const struct perf_event *event)
{
	const struct perf_event_cold *cold = READ_ONCE(event->cold);
	u64 lost = cold ? atomic64_read(&cold->lost_samples) : 0;

	return lost + perf_event_lost_by_driver(event);
}

/* Add the times of removed inherited events. */
static inline void perf_event_add_child_times(const struct perf_event *event, u64 *enabled,
					      u64 *running)
{
	const struct perf_event_cold *cold = READ_ONCE(event->cold);

	if (!cold)
		return;
	*enabled += atomic64_read(&cold->gone_enabled);
	*running += atomic64_read(&cold->gone_running);
}

/* PID namespace of the process ids in an event's records: that of the parent event */
static inline struct pid_namespace *perf_event_ns(const struct perf_event *event)
{
	const struct perf_event_cold *cold = READ_ONCE(perf_event_parent(event)->cold);

	return cold ? cold->ns : &init_pid_ns;
}

#endif /* _KERNEL_EVENTS_COLD_H */
