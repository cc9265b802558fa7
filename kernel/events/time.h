/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_TIME_H
#define _KERNEL_EVENTS_TIME_H

#include <linux/perf_event.h>

/*
 * perf_clock() and perf_event_times() may be called in any context, including NMI. All other
 * functions are called with the context's lock held.
 */
u64 perf_clock(void);
#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
extern struct task_struct *perf_test_clock_task;
extern u64 perf_test_clock_now;
#endif
u64 perf_event_times(const struct perf_event *event, u64 *enabled, u64 *running);
void perf_context_begin(struct perf_event_context *ctx);
void perf_context_begin_both(struct perf_event_context *cpu, struct perf_event_context *task);
void perf_context_end(struct perf_event_context *ctx);
void perf_context_stop(struct perf_event_context *ctx);
u64 perf_event_time_on_pmu(const struct perf_event *event);
void perf_event_set_state(struct perf_event *event, enum perf_event_state state);
void perf_event_sync_times(struct perf_event *event);
void perf_event_sync_times_attach(struct perf_event *event);
u64 perf_group_change_time(struct perf_event *leader);

#endif /* _KERNEL_EVENTS_TIME_H */
