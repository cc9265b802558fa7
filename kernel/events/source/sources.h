/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SOURCES_H
#define _KERNEL_EVENTS_SOURCES_H

#include <linux/perf_event.h>

struct bpf_prog;
struct vm_area_struct;

/* breakpoint.c; modify: ctx->mutex is held, and perf_family_enter() has been called */
#ifdef CONFIG_HAVE_HW_BREAKPOINT
void __init perf_breakpoint_pmu_init(void);
int perf_breakpoint_modify(struct perf_event *event, const struct perf_event_attr *attr);
#else
static inline void perf_breakpoint_pmu_init(void) { }
static inline int perf_breakpoint_modify(struct perf_event *event,
					 const struct perf_event_attr *attr)
{
	return -EOPNOTSUPP;
}
#endif

/* tracepoint.c; free_filter: from the event's RCU callback, sites use the filter */
#ifdef CONFIG_EVENT_TRACING
void __init perf_tracepoint_pmu_init(void);
bool is_tracing_event(const struct perf_event *event);
void perf_tracepoint_start(struct perf_event *event, int flags);
void perf_tracepoint_stop(struct perf_event *event, int flags);
int perf_tracepoint_add(struct perf_event *event, int flags);
void perf_tracepoint_read(struct perf_event *event);
void perf_tracepoint_free_filter(struct perf_event *event);
#else
static inline void perf_tracepoint_pmu_init(void) { }
static inline bool is_tracing_event(const struct perf_event *event) { return false; }
static inline void perf_tracepoint_free_filter(struct perf_event *event) { }
#endif

/* probe.c */
#if defined(CONFIG_KPROBE_EVENTS) || defined(CONFIG_UPROBE_EVENTS)
void __init perf_probe_pmu_init(void);
#else
static inline void perf_probe_pmu_init(void) { }
#endif

/* bpf.c; set: ctx->mutex is held */
int perf_event_set_bpf(struct perf_event *event, struct bpf_prog *prog, u64 cookie);
void perf_event_free_bpf(struct perf_event *event);
void perf_event_clone_bpf(struct perf_event *child, struct perf_event *parent);
#ifdef CONFIG_BPF_SYSCALL
int perf_event_bpf_overflow(struct perf_event *event, struct perf_sample_data *data,
			    struct pt_regs *regs);
#else
static inline int perf_event_bpf_overflow(struct perf_event *event,
					  struct perf_sample_data *data,
					  struct pt_regs *regs)
{
	return 1;
}
#endif

/* addr_filter.c; set: no lock is held; inherit: the family's lock is */
int perf_event_set_filter(struct perf_event *event, void __user *arg);
int perf_addr_filters_init(struct perf_event *event);
void perf_addr_filters_inherit(struct perf_event *event, struct perf_event *from);
void perf_addr_filters_free(struct perf_event *event);
void perf_addr_filters_exec(void);
void perf_addr_filters_mmap(struct vm_area_struct *vma);

#endif /* _KERNEL_EVENTS_SOURCES_H */
