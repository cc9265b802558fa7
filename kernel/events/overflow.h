/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_OVERFLOW_H
#define _KERNEL_EVENTS_OVERFLOW_H

#include <linux/perf_event.h>

struct perf_event_cold;

void perf_overflow_init(struct perf_event *event);
void perf_overflow_init_cold(struct perf_event_cold *cold);
void perf_overflow_cancel(struct perf_event *event);
int __perf_event_overflow(struct perf_event *event, unsigned int flags,
			  struct perf_sample_data *data, struct pt_regs *regs);
void perf_event_queue_wakeup(struct perf_event *event);

/* Flags of an overflow */
#define PERF_OVERFLOW_MAY_THROTTLE	0x1	/* the event may be throttled because of it */
#define PERF_OVERFLOW_AGAIN		0x2	/* not the first overflow of this occurrence */

#endif /* _KERNEL_EVENTS_OVERFLOW_H */
