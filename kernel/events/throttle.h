/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_THROTTLE_H
#define _KERNEL_EVENTS_THROTTLE_H

#include <linux/percpu.h>
#include <linux/perf_event.h>

#include "sysctl.h"

struct perf_cpu_context;

/* hw_perf_event::interrupts of an event that is throttled until the next tick */
#define MAX_INTERRUPTS	(~0ULL)

DECLARE_PER_CPU(u32, perf_throttle_ticks);

/* Is the event throttled until the next tick? */
static inline bool perf_event_throttled(const struct perf_event *event)
{
	return event->hw.interrupts == MAX_INTERRUPTS;
}

/* Is the event's period adjusted at ticks? */
static inline bool perf_event_has_frequency(const struct perf_event *event)
{
	return event->attr.freq && event->attr.sample_freq;
}

/*
 * Is a software event throttled? A throttled software event is not stopped, but writes no samples
 * until the next tick of the CPU on which it occurs, until it gets a new period, or until it is
 * disabled and enabled. The tick writes PERF_RECORD_UNTHROTTLE for some of these events, the next
 * overflow for the others. Preemption is off.
 */
static inline bool perf_swevent_throttled(const struct perf_event *event)
{
	return unlikely(perf_event_throttled(event)) &&
	       event->hw.interrupts_seq == __this_cpu_read(perf_throttle_ticks);
}

int perf_overflow_account(struct perf_event *event, unsigned int flags);

/*
 * One occurrence may complete many periods of many events, and each sample may be large. So all
 * samples of an event for one occurrence, except the first, are charged to a budget of the CPU. The
 * budget of a tick is the number of samples that PERF_BUSY_EVENTS events may write in it.
 */
#define PERF_BUSY_EVENTS	8

u64 perf_overflow_samples(struct perf_event *event, u64 passed);
void perf_overflow_throttle(struct perf_event *event);

/* The common case of perf_overflow_account(). Return: false if that function has to be called. */
static __always_inline bool perf_overflow_account_fast(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;

	if (hw->interrupts_seq != __this_cpu_read(perf_throttle_ticks) ||
	    hw->interrupts >= READ_ONCE(perf_max_samples_per_tick) - 1 || event->attr.freq)
		return false;
	hw->interrupts++;
	return true;
}

u64 perf_first_period(const struct perf_event_attr *attr);
bool perf_event_unthrottle_in(struct perf_event *event);
void perf_swevent_end_throttle(struct perf_event *event, bool here);
bool perf_event_counts_up(const struct perf_event *event);
void perf_adjust_freq_unthr(struct perf_cpu_context *cpuctx);
void perf_tick_get(void);
void perf_tick_put(void);
void perf_event_restart_period(struct perf_event *event);
void perf_throttle_record(struct perf_event *event, bool throttled);

#endif /* _KERNEL_EVENTS_THROTTLE_H */
