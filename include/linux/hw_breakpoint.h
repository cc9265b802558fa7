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
 * Implemented by the architecture: remove the breakpoints that the task's debugger has set, at
 * exec or exit. The events belong to the thread, and are not shared.
 */
void flush_ptrace_hw_breakpoint(struct task_struct *task);

/*
 * Types of debug registers: for instructions and for data. If each register supports both, there
 * is one type, and both names have the same value. Slots are counted by type;
 * hw_breakpoint_slots() returns their number per CPU.
 */
enum bp_type_idx {
	TYPE_INST,
	TYPE_DATA = IS_ENABLED(CONFIG_HAVE_MIXED_BREAKPOINTS_REGS) ? TYPE_INST : TYPE_INST + 1,
	TYPE_MAX
};

/*
 * The architecture's form of a breakpoint: address, length and type as written to the registers,
 * set by hw_breakpoint_arch_parse()
 */
static inline struct arch_hw_breakpoint *counter_arch_bp(struct perf_event *event)
{
	return &event->hw.info;
}

/*
 * The accesses that trigger the breakpoint, HW_BREAKPOINT_*; HW_BREAKPOINT_EMPTY for a disabled
 * breakpoint of a debugger.
 */
static inline int hw_breakpoint_type(struct perf_event *event)
{
	return event->attr.bp_type;
}

/*
 * Initialize the attributes of a kernel breakpoint, which is always scheduled and triggers at
 * each hit. The caller sets address, length and type.
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
 * Initialize the attributes of a debugger's breakpoint. Kernel addresses are rejected, and hits
 * in the kernel do not count.
 */
static __always_inline void ptrace_breakpoint_init(struct perf_event_attr *attr)
{
	hw_breakpoint_init(attr);
	attr->exclude_kernel = true;
}

/*
 * Set a breakpoint on a task, on all CPUs. @triggered is called on the CPU of the hit, with
 * interrupts off. May sleep. Return: the event, or ERR_PTR: -ENOSPC if all registers that the
 * task may need are in use, -EINVAL or -EACCES for an address that is not allowed.
 */
struct perf_event *register_user_hw_breakpoint(struct perf_event_attr *attr,
					       perf_overflow_handler_t triggered,
					       void *context, struct task_struct *task);
/* Change address, length, type or disabled; after an error nothing has changed. May sleep. */
int modify_user_hw_breakpoint(struct perf_event *event, struct perf_event_attr *attr);
/* Remove a breakpoint of user space or the kernel, and free its slot. May sleep. */
void unregister_hw_breakpoint(struct perf_event *event);

/*
 * Set a breakpoint on all CPUs that are online now. After an error of
 * register_user_hw_breakpoint() on a CPU, none is set. May sleep. Undone by
 * unregister_wide_hw_breakpoint().
 */
struct perf_event *__percpu *register_wide_hw_breakpoint(struct perf_event_attr *attr,
							 perf_overflow_handler_t triggered,
							 void *context);
void unregister_wide_hw_breakpoint(struct perf_event *__percpu *events);

/*
 * Reserve a slot for a kernel debugger, which writes the registers itself. dbg_* are called while
 * all other CPUs are stopped, and fail if the lock of the accounting is held.
 */
int reserve_bp_slot(struct perf_event *event);
int dbg_reserve_bp_slot(struct perf_event *event);
void release_bp_slot(struct perf_event *event);
int dbg_release_bp_slot(struct perf_event *event);

#endif

#endif /* _LINUX_HW_BREAKPOINT_H */
