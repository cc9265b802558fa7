/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_TRACEPOINT_H
#define _KERNEL_EVENTS_TRACEPOINT_H

#include <linux/init.h>
#include <linux/perf_event.h>

#ifdef CONFIG_EVENT_TRACING
void __init perf_tracepoint_pmu_init(void);
bool is_tracing_event(const struct perf_event *event);
void perf_tracepoint_start(struct perf_event *event, int flags);
void perf_tracepoint_stop(struct perf_event *event, int flags);
int perf_tracepoint_add(struct perf_event *event, int flags);
void perf_tracepoint_read(struct perf_event *event);
int perf_tracepoint_set_filter(struct perf_event *event, char *text);
const char *perf_tracepoint_filter(const struct perf_event *event);
void perf_tracepoint_free_text(struct perf_event *event);
/* Event sites use the filter, so the event's RCU callback frees it. */
void perf_tracepoint_free_filter(struct perf_event *event);
#else
static inline void perf_tracepoint_pmu_init(void) { }
static inline bool is_tracing_event(const struct perf_event *event) { return false; }
static inline int perf_tracepoint_set_filter(struct perf_event *event, char *text)
{
	return -EINVAL;
}

static inline const char *perf_tracepoint_filter(const struct perf_event *event)
{
	return NULL;
}

static inline void perf_tracepoint_free_text(struct perf_event *event) { }
static inline void perf_tracepoint_free_filter(struct perf_event *event) { }
#endif

#endif /* _KERNEL_EVENTS_TRACEPOINT_H */
