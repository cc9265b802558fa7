/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hardware breakpoints and watchpoints, as events: kernel/events/source/breakpoint.c.
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

/*
 * The architecture's: a task execs or exits, and what its debugger set in its
 * debug registers goes. The events are the thread's, and may be shared no more.
 */
void flush_ptrace_hw_breakpoint(struct task_struct *task);

/*
 * Kinds of debug registers: for instructions and for data. Where each register
 * can do everything there is one kind, and the names are the same number; slots
 * are counted by kind, and hw_breakpoint_slots() says how many a CPU has.
 */
enum bp_type_idx {
	TYPE_INST,
	TYPE_DATA = IS_ENABLED(CONFIG_HAVE_MIXED_BREAKPOINTS_REGS) ? TYPE_INST : TYPE_INST + 1,
	TYPE_MAX
};

/*
 * A breakpoint as its architecture sees it: address, length and type in the form
 * that goes into the registers, made by hw_breakpoint_arch_parse().
 */
static inline struct arch_hw_breakpoint *counter_arch_bp(struct perf_event *event)
{
	return &event->hw.info;
}

/*
 * HW_BREAKPOINT_* that it waits for, and HW_BREAKPOINT_EMPTY for one of a debugger
 * that is turned off.
 */
static inline int hw_breakpoint_type(struct perf_event *event)
{
	return event->attr.bp_type;
}

/*
 * A breakpoint for the kernel's own use: always on, told of every hit. Address,
 * length and type are for the caller to fill in.
 */
static __always_inline void hw_breakpoint_init(struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr) {
		.type		= PERF_TYPE_BREAKPOINT,
		.size		= sizeof(*attr),
		.pinned		= 1,
		.sample_period	= 1,
	};
}

/*
 * A breakpoint on behalf of a debugger, which may not watch kernel addresses: they are
 * refused, and hits in the kernel do not count.
 */
static __always_inline void ptrace_breakpoint_init(struct perf_event_attr *attr)
{
	hw_breakpoint_init(attr);
	attr->exclude_kernel = true;
}

/*
 * Set a breakpoint on a task, which it follows to every CPU. @triggered is called on
 * the CPU where it hits, with interrupts off. May sleep. ERR_PTR: -ENOSPC when all
 * registers that the task may need are taken, -EINVAL or -EACCES for an address that
 * cannot be watched.
 */
struct perf_event *register_user_hw_breakpoint(struct perf_event_attr *attr,
					       perf_overflow_handler_t triggered,
					       void *context, struct task_struct *task);
/* Address, length, type and disabled may change; on an error nothing has. May sleep. */
int modify_user_hw_breakpoint(struct perf_event *event, struct perf_event_attr *attr);
/* Remove a single breakpoint of user space or the kernel, and free its slot. May sleep. */
void unregister_hw_breakpoint(struct perf_event *event);

/*
 * Set a breakpoint on every CPU that is online now, or on none, with an error as of
 * register_user_hw_breakpoint(). May sleep. Undone by unregister_wide_hw_breakpoint().
 */
struct perf_event *__percpu *register_wide_hw_breakpoint(struct perf_event_attr *attr,
							 perf_overflow_handler_t triggered,
							 void *context);
void unregister_wide_hw_breakpoint(struct perf_event *__percpu *events);

/*
 * For kernel debuggers, which write the registers themselves: a place among the
 * slots, so that nobody else is promised it. dbg_* are for the time when all other
 * CPUs are stopped, and fail where somebody holds the lock of the accounting.
 */
int reserve_bp_slot(struct perf_event *event);
int dbg_reserve_bp_slot(struct perf_event *event);
void release_bp_slot(struct perf_event *event);
int dbg_release_bp_slot(struct perf_event *event);

#endif

#endif /* _LINUX_HW_BREAKPOINT_H */
