/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_BPF_H
#define _KERNEL_EVENTS_BPF_H

#include <linux/perf_event.h>

struct bpf_prog;

/* Is it an event to which BPF programs write records? It need not sample. */
static inline bool is_bpf_output_event(const struct perf_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       event->attr.config == PERF_COUNT_SW_BPF_OUTPUT;
}

/* ctx->mutex is held; for a tracepoint or probe it is dropped and taken again. */
int perf_event_set_bpf(struct perf_event *event, struct bpf_prog *prog, u64 cookie);
void perf_event_free_bpf(struct perf_event *event);
void perf_event_copy_bpf(struct perf_event *child, struct perf_event *parent);
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

#endif /* _KERNEL_EVENTS_BPF_H */
