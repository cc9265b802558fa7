/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the rest of the core calls when an event samples or a record other than
 * a sample is due. overflow.c, throttle.c, record/sideband*.c.
 */
#ifndef _KERNEL_EVENTS_RECORD_H
#define _KERNEL_EVENTS_RECORD_H

#include <linux/percpu.h>
#include <linux/perf_event.h>

#include "record/sample.h"
#include "record/sideband.h"
#include "sysctl.h"

struct perf_cpu_context;
struct perf_event_cold;

/* hw_perf_event::interrupts of an event that is throttled until the next tick */
#define MAX_INTERRUPTS	(~0ULL)

DECLARE_PER_CPU(u32, perf_throttle_ticks);

/* Has the event been halted until a tick? */
static inline bool perf_event_throttled(const struct perf_event *event)
{
	return event->hw.interrupts == MAX_INTERRUPTS;
}

/*
 * The same for software events, which nobody halts: they are quiet until the
 * next tick of the CPU that they happen on, and need it not to go on.
 * Preemption is off.
 */
static inline bool perf_event_quiet(const struct perf_event *event)
{
	return unlikely(perf_event_throttled(event)) &&
	       event->hw.interrupts_seq == __this_cpu_read(perf_throttle_ticks);
}

/* overflow.c */
void perf_overflow_init(struct perf_event *event);
void perf_overflow_init_cold(struct perf_event_cold *cold);
void perf_overflow_cancel(struct perf_event *event);
int __perf_event_overflow(struct perf_event *event, unsigned int flags,
			  struct perf_sample_data *data, struct pt_regs *regs);
int perf_event_set_limit(struct perf_event *event, int refresh);
void perf_event_queue_wakeup(struct perf_event *event);
void perf_event_hangup(struct perf_event *event);
int perf_event_fasync(int fd, struct file *filp, int on);

/* What an overflow is to be counted as. */
#define PERF_OVERFLOW_HALT	0x1	/* the event may be halted for it */
#define PERF_OVERFLOW_AGAIN	0x2	/* another one of the same occurrence */

/* throttle.c */
int perf_overflow_account(struct perf_event *event, unsigned int flags);

/*
 * One occurrence may be many periods of many events, each of whose samples may
 * be large. All samples of a CPU but an event's first come from what a tick
 * gives; it is this many events' worth.
 */
#define PERF_BUSY_EVENTS	8

u64 perf_overflow_samples(struct perf_event *event, u64 passed);
void perf_overflow_halt(struct perf_event *event);

/* What perf_overflow_account() mostly comes to. Return: false if it has to be asked. */
static __always_inline bool perf_overflow_account_fast(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;

	if (hw->interrupts_seq != __this_cpu_read(perf_throttle_ticks) ||
	    hw->interrupts >= READ_ONCE(perf_max_samples_per_tick) || event->attr.freq)
		return false;
	hw->interrupts++;
	return true;
}

bool perf_event_unthrottle_in(struct perf_event *event);
bool perf_event_counts_up(const struct perf_event *event);
void perf_adjust_freq_unthr(struct perf_cpu_context *cpuctx);
void perf_tick_get(void);
void perf_tick_put(void);
int perf_event_set_period(struct perf_event *event, u64 value);
void perf_throttle_record(struct perf_event *event, bool throttled);

/* record/sideband.c */
void perf_sideband_attach(struct perf_event *event);
void perf_sideband_detach(struct perf_event *event);
bool perf_sideband_wanted(const struct perf_event_attr *attr);
void perf_sideband_open(struct perf_event *event);
void perf_sideband_close(struct perf_event *event);
void perf_sideband_init(void);

/* record/sideband_task.c */
void perf_task_exit_record(struct task_struct *task, struct perf_event_context *ctx);
void perf_read_record(struct perf_event *event, struct task_struct *task);
void __perf_switch_record(struct task_struct *task, struct task_struct *next_prev,
			  bool sched_in);

/* See __perf_switch_record(); most of the time, nobody wants to know. */
static inline void perf_switch_record(struct task_struct *task,
				      struct task_struct *next_prev, bool sched_in)
{
	if (perf_sideband_heard(PERF_SIDEBAND_SWITCH))
		__perf_switch_record(task, next_prev, sched_in);
}

#endif /* _KERNEL_EVENTS_RECORD_H */
