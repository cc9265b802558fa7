/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hardware breakpoints and watchpoints, as events: kernel/events/breakpoint.c.
 *
 * An architecture that selects HAVE_HW_BREAKPOINT describes one breakpoint by
 * its struct arch_hw_breakpoint and provides hw_breakpoint_slots(),
 * hw_breakpoint_arch_parse(), arch_check_bp_in_kernelspace(),
 * arch_install_hw_breakpoint(), arch_uninstall_hw_breakpoint(),
 * hw_breakpoint_pmu_read(), hw_breakpoint_exceptions_notify() and
 * flush_ptrace_hw_breakpoint(). It calls perf_bp_event() for a hit.
 */
#ifndef _LINUX_HW_BREAKPOINT_H
#define _LINUX_HW_BREAKPOINT_H

#include <linux/perf_event.h>
#include <uapi/linux/hw_breakpoint.h>

struct task_struct;

#ifndef CONFIG_HAVE_HW_BREAKPOINT

static inline void flush_ptrace_hw_breakpoint(struct task_struct *task) { }

#else

/* The architecture's: a task exits or execs, and its debugger's breakpoints go. */
void flush_ptrace_hw_breakpoint(struct task_struct *task);

/* Kinds of debug registers; where each can do everything, there is one kind. */
enum bp_type_idx {
	TYPE_INST,
	TYPE_DATA = IS_ENABLED(CONFIG_HAVE_MIXED_BREAKPOINTS_REGS) ? TYPE_INST : TYPE_INST + 1,
	TYPE_MAX
};

/* A breakpoint as its architecture sees it. */
static inline struct arch_hw_breakpoint *counter_arch_bp(struct perf_event *event)
{
	return &event->hw.info;
}

/* HW_BREAKPOINT_* that it waits for. */
static inline int hw_breakpoint_type(struct perf_event *event)
{
	return event->attr.bp_type;
}

/* A breakpoint for the kernel's own use: always on, told of every hit. */
static inline void hw_breakpoint_init(struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr) {
		.type		= PERF_TYPE_BREAKPOINT,
		.size		= sizeof(*attr),
		.pinned		= 1,
		.sample_period	= 1,
	};
}

/* The same on behalf of a debugger, which has no say over kernel addresses. */
static inline void ptrace_breakpoint_init(struct perf_event_attr *attr)
{
	hw_breakpoint_init(attr);
	attr->exclude_kernel = true;
}

/* On a task. */
struct perf_event *register_user_hw_breakpoint(struct perf_event_attr *attr,
					       perf_overflow_handler_t triggered,
					       void *context, struct task_struct *task);
int modify_user_hw_breakpoint(struct perf_event *event, struct perf_event_attr *attr);
void unregister_hw_breakpoint(struct perf_event *event);

/* On every CPU. */
struct perf_event *__percpu *register_wide_hw_breakpoint(struct perf_event_attr *attr,
							 perf_overflow_handler_t triggered,
							 void *context);
void unregister_wide_hw_breakpoint(struct perf_event *__percpu *events);

/* For kernel debuggers; dbg_* while all other CPUs are stopped. */
int reserve_bp_slot(struct perf_event *event);
int dbg_reserve_bp_slot(struct perf_event *event);
void release_bp_slot(struct perf_event *event);
int dbg_release_bp_slot(struct perf_event *event);

#endif

#endif /* _LINUX_HW_BREAKPOINT_H */
