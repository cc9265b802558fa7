/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A description of struct perf_event_attr, field by field, and random attributes made from it. Most
 * of these are valid: if the first check refuses an attribute, no later code is tested.
 */
#ifndef _SELFTESTS_PERF_EVENTS_PE_FUZZ_H
#define _SELFTESTS_PERF_EVENTS_PE_FUZZ_H

#include <linux/hw_breakpoint.h>
#include <stddef.h>
#include <string.h>

#include "pe_lib.h"
#include "pe_sim.h"
#include "pe_trace.h"

#define PE_FUZZ_TRACEPOINTS	12

/**
 * struct pe_rng - a random number generator that can be repeated
 * @state: its state; any value is a seed
 */
struct pe_rng {
	__u64 state;
};

static inline __u64 pe_rnd(struct pe_rng *r)
{
	__u64 z = r->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static inline unsigned int pe_below(struct pe_rng *r, unsigned int n)
{
	return pe_rnd(r) % n;
}

static inline bool pe_chance(struct pe_rng *r, unsigned int percent)
{
	return pe_below(r, 100) < percent;
}

/* Return a random subset of the bits of @of, usually a small one. */
static inline __u64 pe_bits(struct pe_rng *r, __u64 of)
{
	__u64 bits = pe_rnd(r) & of;

	if (pe_chance(r, 80))
		bits &= pe_rnd(r) & pe_rnd(r);
	return bits;
}

/**
 * struct pe_fuzz_machine - PMUs and targets of this machine
 * @sim: type of the simulated PMU, negative if there is none; also for the other types
 * @trace: type of the simulated trace unit
 * @kprobe: type of kprobes
 * @uprobe: type of uprobes
 * @function: id of the function tracepoint
 * @tracepoint: ids of tracepoints
 * @nr_tracepoints: number of @tracepoint
 * @data: 64 bytes for breakpoints
 * @func: a function for breakpoints and probes
 */
struct pe_fuzz_machine {
	long sim, trace, kprobe, uprobe;
	__u64 function;
	__u64 tracepoint[PE_FUZZ_TRACEPOINTS];
	unsigned int nr_tracepoints;
	void *data;
	void *func;
};

static inline long pe_fuzz_type(const char *pmu)
{
	char path[256];

	snprintf(path, sizeof(path), PE_DEVICES "%s/type", pmu);
	return pe_get(path);
}

static inline void pe_fuzz_look(struct pe_fuzz_machine *m)
{
	static const char * const names[PE_FUZZ_TRACEPOINTS] = {
		"raw_syscalls/sys_enter", "raw_syscalls/sys_exit", "sched/sched_switch",
		"sched/sched_wakeup", "sched/sched_process_fork", "sched/sched_process_exit",
		"sched/sched_migrate_task", "exceptions/page_fault_user", "irq/softirq_entry",
		"timer/hrtimer_start", "syscalls/sys_enter_getppid", "task/task_newtask",
	};
	struct perf_event_attr attr = { };
	int i;

	m->sim = pe_fuzz_type("sim");
	m->trace = pe_fuzz_type("sim_trace");
	m->kprobe = pe_fuzz_type("kprobe");
	m->uprobe = pe_fuzz_type("uprobe");
	if (!pe_tracepoint(&attr, "ftrace/function"))
		m->function = attr.config;
	for (i = 0; i < PE_FUZZ_TRACEPOINTS; i++) {
		if (!pe_tracepoint(&attr, names[i]))
			m->tracepoint[m->nr_tracepoints++] = attr.config;
	}
}

/* Fields that differ between kinds of events */

static inline void pe_kind_software(struct perf_event_attr *a, struct pe_rng *r,
				    const struct pe_fuzz_machine *m)
{
	/* Prefer faults, switches and clocks, which happen often. */
	static const __u8 configs[] = { 0, 1, 2, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 11 };

	a->type = PERF_TYPE_SOFTWARE;
	a->config = configs[pe_below(r, sizeof(configs))];
}

static inline void pe_kind_hardware(struct perf_event_attr *a, struct pe_rng *r,
				    const struct pe_fuzz_machine *m)
{
	a->type = pe_chance(r, 80) ? PERF_TYPE_HARDWARE : PERF_TYPE_HW_CACHE;
	a->config = pe_below(r, 11);
	if (m->sim > 0 && pe_chance(r, 50))
		a->config |= (__u64)m->sim << 32;
}

static inline void pe_kind_tracepoint(struct perf_event_attr *a, struct pe_rng *r,
				      const struct pe_fuzz_machine *m)
{
	a->type = PERF_TYPE_TRACEPOINT;
	a->config = m->nr_tracepoints ? m->tracepoint[pe_below(r, m->nr_tracepoints)] : 1;
}

static inline void pe_kind_breakpoint(struct perf_event_attr *a, struct pe_rng *r,
				      const struct pe_fuzz_machine *m)
{
	static const __u8 lens[] = { 1, 2, 4, 8, 8, 3 };
	static const __u8 types[] = { HW_BREAKPOINT_R | HW_BREAKPOINT_W, HW_BREAKPOINT_W,
				      HW_BREAKPOINT_X, HW_BREAKPOINT_EMPTY };

	a->type = PERF_TYPE_BREAKPOINT;
	a->bp_type = types[pe_below(r, sizeof(types))];
	a->bp_len = lens[pe_below(r, sizeof(lens))];
	a->bp_addr = (unsigned long)m->data + 8 * pe_below(r, 8);
	if (a->bp_type == HW_BREAKPOINT_X) {
		a->bp_addr = (unsigned long)m->func;
		a->bp_len = pe_kernel_long();
	}
	/* Mostly exclude accesses of the kernel, which some CPUs do not report in time. */
	if (pe_chance(r, 90))
		a->exclude_kernel = 1;
}

static inline void pe_kind_sim(struct perf_event_attr *a, struct pe_rng *r,
			       const struct pe_fuzz_machine *m)
{
	a->type = m->sim > 0 ? m->sim : PERF_TYPE_RAW;
	a->config = pe_chance(r, 60) ? PE_SIM_STEP : pe_below(r, 16);
	if (pe_chance(r, 30))
		a->config |= pe_below(r, 16) << 8;
}

static inline void pe_kind_trace(struct perf_event_attr *a, struct pe_rng *r,
				 const struct pe_fuzz_machine *m)
{
	a->type = m->trace > 0 ? m->trace : PERF_TYPE_RAW;
	a->config = 0;
	if (pe_chance(r, 30))
		a->aux_watermark = 1 << pe_below(r, 16);
}

static inline void pe_kind_kprobe(struct perf_event_attr *a, struct pe_rng *r,
				  const struct pe_fuzz_machine *m)
{
	static const char * const names[] = {
		PE_SYSCALL_FUNC("getppid"), PE_SYSCALL_FUNC("read"), "vfs_read", "no_such_function",
	};

	a->type = m->kprobe > 0 ? m->kprobe : PERF_TYPE_RAW;
	a->config = pe_below(r, 2);
	a->kprobe_func = (unsigned long)names[pe_below(r, PE_ARRAY_SIZE(names))];
	if (pe_chance(r, 10))
		a->kprobe_addr = pe_below(r, 32);
}

static inline void pe_kind_uprobe(struct perf_event_attr *a, struct pe_rng *r,
				  const struct pe_fuzz_machine *m)
{
	a->type = m->uprobe > 0 ? m->uprobe : PERF_TYPE_RAW;
	a->config = pe_below(r, 2);
	a->uprobe_path = (unsigned long)"/proc/self/exe";
	a->probe_offset = pe_file_offset(m->func);
}

static inline void pe_kind_other(struct perf_event_attr *a, struct pe_rng *r,
				 const struct pe_fuzz_machine *m)
{
	a->type = pe_chance(r, 90) ? pe_below(r, 24) : pe_rnd(r);
	a->config = pe_chance(r, 70) ? pe_below(r, 20) : pe_rnd(r);
}

/**
 * struct pe_fuzz_kind - a kind of event
 * @name: name for messages
 * @weight: relative frequency
 * @fill: sets type, config, and other fields that this kind needs
 */
struct pe_fuzz_kind {
	const char *name;
	unsigned int weight;
	void (*fill)(struct perf_event_attr *a, struct pe_rng *r,
		     const struct pe_fuzz_machine *m);
};

static const struct pe_fuzz_kind pe_fuzz_kinds[] = {
	{ "software", 30, pe_kind_software },
	{ "sim", 30, pe_kind_sim },
	{ "tracepoint", 10, pe_kind_tracepoint },
	{ "breakpoint", 10, pe_kind_breakpoint },
	{ "sim_trace", 10, pe_kind_trace },
	{ "hardware", 5, pe_kind_hardware },
	{ "kprobe", 1, pe_kind_kprobe },
	{ "uprobe", 2, pe_kind_uprobe },
	{ "other", 2, pe_kind_other },
};

/* Fields that all kinds of events have */

/**
 * struct pe_fuzz_field - a field that holds a number or bits
 * @offset: offset in the attribute
 * @size: size in bytes
 * @percent: percentage of attributes in which it is not zero
 * @bits: valid bits; 0 for a field of numbers
 * @good: valid numbers
 * @bad: an invalid number
 */
struct pe_fuzz_field {
	unsigned int offset, size, percent;
	__u64 bits;
	__u64 good[8];
	__u64 bad;
};

#define PE_FIELD(f)	.offset = offsetof(struct perf_event_attr, f), \
			.size = sizeof(((struct perf_event_attr *)NULL)->f)

/* Registers of x86; on other architectures some of these numbers exist, too. */
#define PE_FUZZ_REGS	0xff0fffULL

static const struct pe_fuzz_field pe_fuzz_fields[] = {
	{ PE_FIELD(sample_period), 60, .good = { 1, 1, 2, 7, 100, 1000, 100000, 1ULL << 40 },
	  .bad = ~0ULL },
	{ PE_FIELD(sample_type), 60, .bits = (1ULL << 25) - 1, .bad = 1ULL << 25 },
	{ PE_FIELD(read_format), 50, .bits = 0x1f, .bad = 0x20 },
	{ PE_FIELD(wakeup_events), 30, .good = { 1, 2, 10, 64, 4096, 1 << 20, 1, 1 },
	  .bad = ~0U },
	{ PE_FIELD(branch_sample_type), 10, .bits = 0xfffff, .bad = 1ULL << 40 },
	{ PE_FIELD(sample_regs_user), 70, .bits = PE_FUZZ_REGS, .bad = ~0ULL },
	{ PE_FIELD(sample_regs_intr), 70, .bits = PE_FUZZ_REGS, .bad = ~0ULL },
	{ PE_FIELD(sample_stack_user), 70, .good = { 8, 16, 1024, 4096, 8192, 65528, 8, 64 },
	  .bad = 12345 },
	{ PE_FIELD(clockid), 50, .good = { 0, 1, 4, 7, 11, 1, 1, 1 }, .bad = 77 },
	{ PE_FIELD(sample_max_stack), 20, .good = { 1, 2, 16, 127, 3, 8, 64, 100 },
	  .bad = 0xffff },
	{ PE_FIELD(aux_sample_size), 10, .good = { 8, 64, 4096, 65528, 32, 256, 512, 8 },
	  .bad = 7 },
	{ PE_FIELD(sig_data), 30, .good = { 1, 2, 3, 4, 5, 6, 7, ~0ULL }, .bad = 0 },
	{ PE_FIELD(config3), 1, .good = { 1, 1, 1, 1, 1, 1, 1, 1 }, .bad = ~0ULL },
	{ PE_FIELD(aux_action), 4, .bits = 7, .bad = 8 },
};

/* Percentages for the bits of the flags, in the order of the ABI. */
static const __u8 pe_fuzz_flags[] = {
	30 /* disabled */, 30 /* inherit */, 8 /* pinned */, 4 /* exclusive */,
	4 /* exclude_user */, 15 /* exclude_kernel */, 15 /* exclude_hv */, 4 /* exclude_idle */,
	20 /* mmap */, 20 /* comm */, 10 /* freq */, 10 /* inherit_stat */,
	10 /* enable_on_exec */, 20 /* task */, 10 /* watermark */, 1, 1 /* precise_ip */,
	15 /* mmap_data */, 30 /* sample_id_all */, 3 /* exclude_host */, 5 /* exclude_guest */,
	10 /* exclude_callchain_kernel */, 10 /* exclude_callchain_user */, 20 /* mmap2 */,
	10 /* comm_exec */, 10 /* use_clockid */, 20 /* context_switch */,
	10 /* write_backward */, 10 /* namespaces */, 10 /* ksymbol */, 10 /* bpf_event */,
	4 /* aux_output */, 10 /* cgroup */, 10 /* text_poke */, 10 /* build_id */,
	5 /* inherit_thread */, 8 /* remove_on_exec */, 6 /* sigtrap */,
};

#define PE_FUZZ_FLAGS_AT	(offsetof(struct perf_event_attr, read_format) + 8)

static inline void pe_fuzz_put(struct perf_event_attr *a, const struct pe_fuzz_field *f, __u64 v)
{
	memcpy((char *)a + f->offset, &v, f->size);
}

/* Usually remove contradictory combinations. */
static inline void pe_fuzz_mend(struct perf_event_attr *a)
{
	__u64 branch = a->branch_sample_type;

	if (a->type == PERF_TYPE_BREAKPOINT || !a->sample_type)
		branch = 0;
	if (!(branch & ~7ULL))
		a->sample_type &= ~PERF_SAMPLE_BRANCH_STACK;
	if (!a->sample_regs_user)
		a->sample_type &= ~PERF_SAMPLE_REGS_USER;
	if (!a->sample_regs_intr)
		a->sample_type &= ~PERF_SAMPLE_REGS_INTR;
	if (a->sample_type & PERF_SAMPLE_WEIGHT)
		a->sample_type &= ~PERF_SAMPLE_WEIGHT_STRUCT;
	if (!a->aux_sample_size)
		a->sample_type &= ~PERF_SAMPLE_AUX;
	a->inherit_thread &= a->inherit;
	a->remove_on_exec |= a->sigtrap;
	if (a->remove_on_exec)
		a->enable_on_exec = 0;
	if (a->inherit && a->sample_type & PERF_SAMPLE_READ)
		a->sample_type |= PERF_SAMPLE_TID;
	if (a->freq && a->sample_freq > 1000)
		a->sample_freq = 1000;
}

/**
 * pe_fuzz_attr - make a random attribute
 * @a: the result
 * @r: random number generator
 * @m: PMUs and targets
 *
 * Return: index of its kind in pe_fuzz_kinds[]
 */
static inline unsigned int pe_fuzz_attr(struct perf_event_attr *a, struct pe_rng *r,
					const struct pe_fuzz_machine *m)
{
	unsigned int kind = 0, i, at = pe_below(r, 100);
	__u64 flags = 0;

	memset(a, 0, sizeof(*a));
	a->size = sizeof(*a);
	for (i = 0; i < sizeof(pe_fuzz_flags); i++)
		flags |= (__u64)pe_chance(r, pe_fuzz_flags[i]) << i;
	memcpy((char *)a + PE_FUZZ_FLAGS_AT, &flags, sizeof(flags));
	for (i = 0; i < PE_ARRAY_SIZE(pe_fuzz_fields); i++) {
		const struct pe_fuzz_field *f = &pe_fuzz_fields[i];

		if (!pe_chance(r, f->percent))
			continue;
		pe_fuzz_put(a, f, f->bits ? pe_bits(r, f->bits) : f->good[pe_below(r, 8)]);
	}
	while (at >= pe_fuzz_kinds[kind].weight)
		at -= pe_fuzz_kinds[kind++].weight;
	pe_fuzz_kinds[kind].fill(a, r, m);
	/* The simulated PMU cannot exclude user or kernel mode. */
	if (a->type == m->sim || a->type == m->trace || a->type == PERF_TYPE_HARDWARE) {
		a->exclude_user = 0;
		a->exclude_kernel = 0;
		a->exclude_idle = 0;
	}
	if (pe_chance(r, 95))
		pe_fuzz_mend(a);
	if (pe_chance(r, 4)) {
		const struct pe_fuzz_field *f;

		f = &pe_fuzz_fields[pe_below(r, PE_ARRAY_SIZE(pe_fuzz_fields))];
		pe_fuzz_put(a, f, pe_chance(r, 50) ? f->bad : pe_rnd(r));
	}
	if (pe_chance(r, 4))
		((__u8 *)a)[pe_below(r, sizeof(*a))] ^= 1 << pe_below(r, 8);
	/*
	 * Each event of the function tracepoint slows down every function. With some of them, or a
	 * large sample for each call, an emulated CPU has no time left between two ticks.
	 * PERF_EVENT_IOC_PERIOD may request a sample for each call.
	 */
	if (a->type == PERF_TYPE_TRACEPOINT && a->config == m->function) {
		if (m->nr_tracepoints && !pe_chance(r, 5))
			a->config = m->tracepoint[pe_below(r, m->nr_tracepoints)];
		if (a->sample_period) {
			a->freq = 0;
			a->sample_period |= 1 << 16;
			a->sample_type &= ~(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER);
		}
	}
	/*
	 * Upper half of config: a reference counter, which would change data of this program. A
	 * probe at another address would break the program.
	 */
	if (a->type == m->uprobe) {
		a->config = (__u32)a->config;
		a->probe_offset = pe_file_offset(m->func);
	}
	return kind;
}

#endif
