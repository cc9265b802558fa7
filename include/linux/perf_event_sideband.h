/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooks for side-band records: the rest of the kernel reports tasks, mappings and symbols, which
 * tools need to interpret samples. Part of <linux/perf_event.h>, which includes this file if
 * CONFIG_PERF_EVENTS is set; PMU drivers do not use it.
 */
#ifndef _LINUX_PERF_EVENT_SIDEBAND_H
#define _LINUX_PERF_EVENT_SIDEBAND_H

#include <uapi/linux/perf_event.h>
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

struct bpf_prog;
struct task_struct;
struct vm_area_struct;

/* Kinds of hooks. Each has a number of users: the events that request its records. */
enum perf_sideband_kind {
	PERF_SIDEBAND_MMAP,
	PERF_SIDEBAND_COMM,
	PERF_SIDEBAND_TASK,
	PERF_SIDEBAND_NAMESPACES,
	PERF_SIDEBAND_SWITCH,
	PERF_SIDEBAND_KSYMBOL,
	PERF_SIDEBAND_BPF,
	PERF_SIDEBAND_CGROUP,
	PERF_SIDEBAND_TEXT_POKE,
	PERF_SIDEBAND_BUILD_ID,		/* not a record, but a field of MMAP2 */
	PERF_SIDEBAND_FILTERS,		/* not a record: address filters on files */
	NR_PERF_SIDEBAND,
};

/*
 * Counters, not static keys: patching the code of a key takes several IPIs to all CPUs, and a tool
 * such as perf record requests most kinds of records.
 */
extern atomic_t perf_sideband_users[NR_PERF_SIDEBAND];

static __always_inline bool perf_sideband_enabled(enum perf_sideband_kind kind)
{
	return unlikely(atomic_read(&perf_sideband_users[kind]));
}

void __perf_event_mmap(struct vm_area_struct *vma);
void __perf_event_comm(struct task_struct *task, bool exec);
void __perf_event_fork(struct task_struct *task);
void __perf_event_namespaces(struct task_struct *task);
void __perf_event_ksymbol(u16 ksym_type, u64 addr, u32 len, bool unregister,
			  const char *sym);
void __perf_event_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type,
			    u16 flags);
void __perf_event_text_poke(const void *addr, const void *old_bytes, size_t old_len,
			    const void *new_bytes, size_t new_len);

/* current has created or changed a mapping; its mm is locked for writing. */
static inline void perf_event_mmap(struct vm_area_struct *vma)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_MMAP) ||
	    perf_sideband_enabled(PERF_SIDEBAND_FILTERS))
		__perf_event_mmap(vma);
}

/* A task has been renamed. */
static inline void perf_event_comm(struct task_struct *task, bool exec)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_COMM))
		__perf_event_comm(task, exec);
}

/* current, or a task that it has created, has new namespaces. */
static inline void perf_event_namespaces(struct task_struct *task)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_NAMESPACES))
		__perf_event_namespaces(task);
}

/* current has created a task; its namespaces are reported as well. */
static inline void perf_event_fork(struct task_struct *task)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_TASK))
		__perf_event_fork(task);
	perf_event_namespaces(task);
}

/* A kernel symbol has been added or is removed. */
static inline void perf_event_ksymbol(u16 ksym_type, u64 addr, u32 len, bool unregister,
				      const char *sym)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_KSYMBOL))
		__perf_event_ksymbol(ksym_type, addr, len, unregister, sym);
}

/* A BPF program is loaded or unloaded; its symbols are reported as well. */
static inline void perf_event_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type,
					u16 flags)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_BPF) ||
	    perf_sideband_enabled(PERF_SIDEBAND_KSYMBOL))
		__perf_event_bpf_event(prog, type, flags);
}

/* Kernel text is about to be changed. */
static inline void perf_event_text_poke(const void *addr, const void *old_bytes, size_t old_len,
					const void *new_bytes, size_t new_len)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_TEXT_POKE))
		__perf_event_text_poke(addr, old_bytes, old_len, new_bytes, new_len);
}

#endif /* _LINUX_PERF_EVENT_SIDEBAND_H */
