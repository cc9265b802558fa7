/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The values of an event, and how attr.read_format lays them out: in what
 * read(2) returns (read.c) and in records (sample_read.c).
 */
#ifndef _KERNEL_EVENTS_VALUES_H
#define _KERNEL_EVENTS_VALUES_H

#include <linux/perf_event.h>

#include "../cold.h"
#include "../source/clock.h"

#define PERF_FORMAT_TIMES \
	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* The event's own count, without that of its copies, as it was last read. Any context. */
static __always_inline u64 perf_event_own_count(const struct perf_event *event)
{
	if (unlikely(is_counting_clock(event)))
		return perf_clock_event_count(event);
	return local64_read(&event->count);
}

/* The words of one event's entry: its value, id, lost records. */
static __always_inline unsigned int perf_format_entry_words(u64 format)
{
	return 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

/* The words of the times, which a group has once. */
static __always_inline unsigned int perf_format_time_words(u64 format)
{
	return !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
	       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
}

/* Put the id and the lost records, which follow an entry's value. Return: the place behind. */
static __always_inline u64 *perf_format_put_id(u64 *to, const struct perf_event *event, u64 id,
					       u64 format)
{
	if (format & PERF_FORMAT_ID)
		*to++ = id;
	if (format & PERF_FORMAT_LOST)
		*to++ = perf_event_lost(event);
	return to;
}

/* Return: the place behind the times. */
static __always_inline u64 *perf_format_put_times(u64 *to, u64 enabled, u64 running, u64 format)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*to++ = enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*to++ = running;
	return to;
}

#endif /* _KERNEL_EVENTS_VALUES_H */
