/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the kernel that sample.c, sample_fields.c and sample_read.c use, for fuzz_sample.c.
 * The fuzzer chooses the contents of samples.
 */
#ifndef _FUZZ_SAMPLE_KERNEL_H
#define _FUZZ_SAMPLE_KERNEL_H

#include <linux/perf_event.h>
#include <linux/lockdep.h>

/* Samples have no cgroup: there are no cgroups here. */
#undef CONFIG_CGROUP_PERF

#define __uninitialized
#define __packed			__attribute__((__packed__))
#define EXPORT_SYMBOL_GPL(name)
#define hweight64(x)			((unsigned int)__builtin_popcountll(x))
#define __ffs64(x)			((unsigned int)__builtin_ctzll(x))
#define round_down(x, y)		((x) & ~((__typeof__(x))(y) - 1))
#define round_up(x, y)			round_down((x) + ((__typeof__(x))(y) - 1), y)
#define local_irq_save(flags)		((void)(flags))
#define local_irq_restore(flags)	((void)(flags))
#define lockdep_assert_preemption_disabled() do { } while (0)
#define rcu_read_lock()			do { } while (0)
#define rcu_read_unlock()		do { } while (0)
#define PERF_MAX_STACK_DEPTH		127
#define PERF_MEM_NA							\
	(PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA) | PERF_MEM_S(SNOOP, NA) | \
	 PERF_MEM_S(LOCK, NA) | PERF_MEM_S(TLB, NA) | PERF_MEM_S(LVLNUM, NA))

typedef struct { u64 v; } local64_t;

#define local64_read(l)			((l)->v)

/* Tasks: a single one. */
struct pid_namespace { int unused; };
struct task_struct { int pid, tgid; };

extern struct pid_namespace init_pid_ns;
extern struct task_struct *const current;

#define pid_alive(task)			((task)->pid > 0)
#define task_pid_nr_ns(task, ns)	((void)(ns), (task)->pid)
#define task_tgid_nr_ns(task, ns)	((void)(ns), (task)->tgid)
#define raw_smp_processor_id()		7

struct pt_regs { u64 word[64]; };

struct perf_regs {
	u64		abi;
	struct pt_regs	*regs;
};

typedef unsigned long (*perf_copy_f)(void *dst, const void *src, unsigned long off,
				     unsigned long len);

struct perf_raw_frag {
	union { struct perf_raw_frag *next; unsigned long pad; };
	perf_copy_f copy;
	void *data;
	u32 size;
} __packed;

struct perf_raw_record { struct perf_raw_frag frag; u32 size; };

#define perf_raw_frag_last(frag)	((frag)->pad < sizeof(u64))

struct perf_branch_stack { u64 nr, hw_idx; struct perf_branch_entry entries[]; };

struct perf_callchain_entry { u64 nr, ip[]; };

struct perf_event;

struct pmu {
	void	(*read)(struct perf_event *event);
};

enum perf_event_state {
	PERF_EVENT_STATE_OFF = -1,
	PERF_EVENT_STATE_INACTIVE,
	PERF_EVENT_STATE_ACTIVE,
};

struct perf_event_context { int mutex; };

struct perf_event {
	struct perf_event_attr		attr;
	struct perf_event		*group_leader, *parent, *aux_event;
	struct perf_event_context	*ctx;
	struct pmu			*pmu;
	u64				(*clock)(void);
	local64_t			count;
	u64				id;
	enum perf_event_state		state;
	int				nr_siblings;
	u16				header_size, id_header_size, read_size;
};

#define is_sampling_event(event)	((event)->attr.sample_period != 0)

struct perf_sample_data {
	u64				sample_flags, period, dyn_size, type;
	struct { u32 pid, tid; }	tid_entry;
	u64				time, id;
	struct { u32 cpu, reserved; }	cpu_entry;
	u64				ip;
	struct perf_callchain_entry	*callchain;
	struct perf_raw_record		*raw;
	struct perf_branch_stack	*br_stack;
	u64				*br_stack_cntr;
	union perf_sample_weight	weight;
	union perf_mem_data_src		data_src;
	u64				txn;
	struct perf_regs		regs_user, regs_intr;
	u64				stack_user_size, stream_id, cgroup, addr, phys_addr;
	u64				data_page_size, code_page_size, aux_size, callchain_nr;
};

struct perf_output_handle {
	u8	*at;		/* next byte of the record */
	size_t	left;		/* bytes that are left of the record */
	bool	skip_read;
};

#define has_branch_stack(event)		((event)->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
#define branch_sample_hw_index(event) \
	((event)->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
#define branch_sample_counters(event) \
	((event)->attr.branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS)
#define is_write_backward(event)	false
#define is_counting_clock(event)	false
#define perf_clock_event_count(event)	0
#define is_always_on(event)		false
#define perf_event_parent(event)		((event)->parent ?: (struct perf_event *)(event))
#define perf_event_lost(event)		((event)->id * 7)
#define perf_output_count_large(event)	do { } while (0)
#define perf_event_ns(event)		(&init_pid_ns)
#define perf_misc_flags(regs)		PERF_RECORD_MISC_USER
#define user_mode(regs)			((void)(regs), true)
#define perf_reg_abi(task)		((void)(task), PERF_SAMPLE_REGS_ABI_64)
#define perf_reg_value(regs, i)		((regs)->word[i])
#define perf_instruction_pointer(regs)	((regs)->word[0])
#define perf_output_count_sample(handle)	do { } while (0)
#define perf_output_put(handle, x)	perf_output_copy(handle, &(x), sizeof(x))

#define for_each_sibling_event(sibling, event) \
	for ((sibling) = fuzz_sibling(0); (sibling); (sibling) = fuzz_sibling((sibling)->id))

/* The fuzzer defines these functions. */
struct perf_event *fuzz_sibling(u64 nr);
struct perf_callchain_entry *perf_callchain(struct perf_event *event, struct pt_regs *regs);
void perf_event_times(struct perf_event *event, u64 *enabled, u64 *running);
void perf_event_add_child_times(struct perf_event *event, u64 *enabled, u64 *running);
unsigned long perf_aux_sample_size(struct perf_event *sampler, unsigned long size);
void perf_aux_sample_write(struct perf_event *sampler, struct perf_output_handle *handle,
			   unsigned long size);
int perf_output_begin_inline(struct perf_output_handle *handle, struct perf_event *event,
			     unsigned int size, bool backward);
void perf_output_end_inline(struct perf_output_handle *handle);
void perf_output_copy(struct perf_output_handle *handle, const void *from, size_t size);
unsigned int perf_output_copy_custom(struct perf_output_handle *handle, perf_copy_f copy,
				     const void *from, unsigned int size);
void perf_output_zero(struct perf_output_handle *handle, unsigned int size);
void *perf_output_window(struct perf_output_handle *handle, unsigned int size);

static inline void perf_output_put_u64(struct perf_output_handle *handle, u64 value)
{
	perf_output_copy(handle, &value, sizeof(value));
}

static inline void perf_sample_data_init(struct perf_sample_data *data, u64 addr, u64 period)
{
	data->sample_flags = PERF_SAMPLE_PERIOD | (addr ? PERF_SAMPLE_ADDR : 0);
	data->period = period;
	data->dyn_size = 0;
	data->addr = addr ? addr : data->addr;
}

void perf_event_header__init_id(struct perf_event_header *header,
				struct perf_sample_data *data, struct perf_event *event);
u32 perf_sample_data_size(struct perf_sample_data *data, struct perf_event *event);
void perf_sample_save_callchain(struct perf_sample_data *data, struct perf_event *event,
				struct pt_regs *regs);

#endif /* _FUZZ_SAMPLE_KERNEL_H */
