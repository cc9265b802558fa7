/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM perf

#if !defined(_TRACE_PERF_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_PERF_EVENTS_H

#include <linux/perf_event.h>
#include <linux/tracepoint.h>

/* A call of current failed. The tracepoint reveals no more than prctl(PR_PERF_EXPLAIN) does. */
TRACE_EVENT(perf_event_refused,

	TP_PROTO(const struct perf_refusal *refusal),

	TP_ARGS(refusal),

	TP_STRUCT__entry(
		__field(u32, call)
		__field(s32, error)
		__field(u64, value)
		__string(name, refusal->name)
		__string(field, refusal->field)
		__string(pmu, refusal->pmu)
		__string(reason, refusal->reason)
	),

	TP_fast_assign(
		__entry->call = refusal->call;
		__entry->error = refusal->error;
		__entry->value = refusal->value;
		__assign_str(name);
		__assign_str(field);
		__assign_str(pmu);
		__assign_str(reason);
	),

	TP_printk("call=%s error=%d name=%s field=%s value=%#llx pmu=%s reason=\"%s\"",
		  __print_symbolic(__entry->call,
				   { PERF_REFUSED_CALL_OPEN, "open" },
				   { PERF_REFUSED_CALL_IOCTL, "ioctl" },
				   { PERF_REFUSED_CALL_MMAP, "mmap" },
				   { PERF_REFUSED_CALL_PRCTL, "prctl" },
				   { PERF_REFUSED_CALL_SPLICE, "splice" }),
		  __entry->error, __get_str(name), __get_str(field), __entry->value,
		  __get_str(pmu), __get_str(reason))
);

TRACE_EVENT_FLAGS(perf_event_refused, TRACE_EVENT_FL_CAP_ANY)

#endif /* _TRACE_PERF_EVENTS_H */

#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE perf_events
#include <trace/define_trace.h>
