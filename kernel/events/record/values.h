/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counter values of an event in the layout of attr.read_format, for read(2) (read.c) and for
 * records (sample_read.c).
 */
#ifndef _KERNEL_EVENTS_VALUES_H
#define _KERNEL_EVENTS_VALUES_H

#include <linux/perf_event.h>

#include "../cold.h"
#include "../source/clock.h"

#define PERF_FORMAT_TIMES \
	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* Get the last known count of the event, without its inherited events. Any context. */
static __always_inline u64 perf_event_own_count(const struct perf_event *event)
{
	if (unlikely(is_counting_clock(event)))
		return perf_clock_event_count(event);
	return local64_read(&event->count);
}

/* Words of one event: value, id, lost records */
static __always_inline unsigned int perf_format_entry_words(u64 format)
{
	return 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

/* Words of the times, once per group */
static __always_inline unsigned int perf_format_time_words(u64 format)
{
	return !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
	       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
}

/* Append the id and the number of lost records to a value. Return the next position. */
static __always_inline u64 *perf_format_put_id(u64 *to, const struct perf_event *event, u64 id,
					       u64 format)
{
	if (format & PERF_FORMAT_ID)
		*to++ = id;
	if (format & PERF_FORMAT_LOST)
		*to++ = perf_event_lost(event);
	return to;
}

/* Append the times. Return the next position. */
static __always_inline u64 *perf_format_put_times(u64 *to, u64 enabled, u64 running, u64 format)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*to++ = enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*to++ = running;
	return to;
}

#endif /* _KERNEL_EVENTS_VALUES_H */
