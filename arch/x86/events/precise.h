/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Precise events: at the overflow of a counter the CPU itself writes down where it was, with
 * its registers and more, into a buffer in memory (PEBS). An interrupt follows.
 *
 * A counter that has overflowed starts anew at 0, which is where it has just come to, so that
 * it counts on as any other does, and is set by the interrupt as any other is.
 *
 * Or the CPU sets it back by a period. This is for events of user space with a period that
 * does not change: they do not move while the kernel looks at them. Each record then means
 * one period more in the total than the counter tells. Where all that the samples need is in
 * the records, these wait in the buffer (X86_PRECISE_MANY) until it gets full, the event is
 * read or stopped, or the task leaves.
 *
 *   intel/pebs.c		the buffers, the registers, and which events can be precise
 *   intel/pebs_record.c	from a record to a sample
 *   intel/pebs_address.c	of which instruction it is, if it only has the next one
 *   intel/pebs_memory.c	where the memory was that an instruction has accessed
 */
#ifndef _ARCH_X86_EVENTS_PRECISE_H
#define _ARCH_X86_EVENTS_PRECISE_H

#include <linux/perf_event.h>
#include <linux/types.h>

#include "branch.h"

struct x86_core;
struct x86_pmu_cpu;

/* Of a select, and of a fixed counter's bits: the record is as MSR_PEBS_DATA_CFG has it. */
#define X86_ADAPTIVE			BIT_ULL(34)
#define X86_FIXED_ADAPTIVE		BIT_ULL(32)
#define X86_FIXED_BITS			(INTEL_FIXED_BITS_MASK | X86_FIXED_ADAPTIVE)

/* Groups of which an adaptive record is made, in MSR_PEBS_DATA_CFG and in the record */
#define X86_GROUP_MEMORY		BIT_ULL(0)
#define X86_GROUP_REGISTERS		BIT_ULL(1)
#define X86_GROUP_XMM			BIT_ULL(2)
#define X86_GROUP_BRANCHES		BIT_ULL(3)
#define X86_GROUP_BRANCHES_SHIFT	24	/* their number less one */

/* hw_perf_event::flags: what a precise event's record says of memory */
#define X86_PRECISE_LATENCY	BIT(17)	/* a load's source and latency */
#define X86_PRECISE_LOAD	BIT(18)	/* of a load that it is one */
#define X86_PRECISE_STORE	BIT(19)	/* of a store whether it hit the first cache */
#define X86_PRECISE_RELOADS	BIT(20)	/* the CPU sets the counter back by a period itself */
#define X86_PRECISE_MANY	BIT(21)	/* and its records may wait in the buffer */
#define X86_PRECISE_TRACKS	BIT(22)	/* of a store what is known of it elsewhere */
#define X86_PRECISE_MEMORY	(X86_PRECISE_LATENCY | X86_PRECISE_LOAD | X86_PRECISE_STORE |	\
				 X86_PRECISE_TRACKS)

/**
 * struct x86_precise - how a kind of core writes records
 * @levels: the highest attr.precise_ip that there is; 0: none, there are no records
 * @format: of its records, 0 to 4
 * @adaptive: they are made of groups
 * @size: of a record that is not, in bytes
 * @counters: that can write some
 */
struct x86_precise {
	u8	levels;
	u8	format;
	bool	adaptive;
	u16	size;
	u64	counters;
};

/**
 * struct x86_precise_cpu - the records of one CPU
 * @enabled: what MSR_IA32_PEBS_ENABLE holds, or will hold in a moment
 * @fresh: counters that may write records from now on, while older ones may be in the buffer
 * @groups: what MSR_PEBS_DATA_CFG does
 * @many: interrupts come only as the buffer gets full
 * @draining: records are being taken out of the buffer
 * @has_area: MSR_IA32_DS_AREA has the address of the area
 * @base: the CPU's address of its buffer
 * @buffer: the same memory, NULL: there is none yet
 */
struct x86_precise_cpu {
	u64	enabled;
	u64	fresh;
	u64	groups;
	bool	many;
	bool	draining;
	bool	has_area;
	u64	base;
	void	*buffer;
};

/**
 * struct x86_record - a record in its buffer
 * @start: of it
 * @size: in bytes; nothing behind them is looked at
 * @counters: those that it is for, as it says
 */
struct x86_record {
	const u64	*start;
	unsigned int	size;
	u64		counters;
};

#ifdef CONFIG_CPU_SUP_INTEL
/* intel/pebs.c */
void x86_precise_probe(struct x86_core *core);
int x86_precise_init_event(struct perf_event *event);
const struct x86_limit *x86_precise_limits(const struct x86_core *core,
					   const struct perf_event *event);
u64 x86_precise_counters(const struct x86_core *core, u64 counters);
void x86_precise_keep(struct x86_pmu_cpu *cpu);
void x86_precise_apply(struct x86_pmu_cpu *cpu);
void x86_precise_reset(struct x86_pmu_cpu *cpu);
u64 x86_precise_drain(struct x86_pmu_cpu *cpu, struct pt_regs *regs);
u64 x86_precise_reload(const struct x86_pmu_cpu *cpu, const struct perf_event *event);
u64 x86_precise_pending(const struct x86_pmu_cpu *cpu, int counter);
void x86_precise_flush(struct x86_pmu_cpu *cpu, const struct perf_event *event);

/* intel/pebs_record.c */
bool x86_record_next(const struct x86_precise *precise, const void *at, const void *end,
		     struct x86_record *record);
u64 x86_precise_groups(const struct x86_core *core, const struct perf_event *event);
bool x86_record_sample(struct x86_pmu_cpu *cpu, struct perf_event *event,
		       const struct x86_record *record, struct pt_regs *regs,
		       struct perf_sample_data *data, struct x86_perf_regs *at);

/* intel/pebs_address.c */
u64 x86_precise_address(struct x86_pmu_cpu *cpu, u64 next);

/* intel/pebs_memory.c */
u64 x86_precise_source(const struct perf_event *event, u64 status);
#else
static inline void x86_precise_probe(struct x86_core *core) { }
static inline int x86_precise_init_event(struct perf_event *event) { return -EOPNOTSUPP; }

static inline const struct x86_limit *x86_precise_limits(const struct x86_core *core,
							 const struct perf_event *event)
{
	return NULL;
}

static inline u64 x86_precise_counters(const struct x86_core *core, u64 counters) { return 0; }
static inline void x86_precise_keep(struct x86_pmu_cpu *cpu) { }
static inline void x86_precise_apply(struct x86_pmu_cpu *cpu) { }
static inline void x86_precise_reset(struct x86_pmu_cpu *cpu) { }

static inline u64 x86_precise_drain(struct x86_pmu_cpu *cpu, struct pt_regs *regs)
{
	return 0;
}

static inline u64 x86_precise_reload(const struct x86_pmu_cpu *cpu,
				     const struct perf_event *event)
{
	return 0;
}

static inline u64 x86_precise_pending(const struct x86_pmu_cpu *cpu, int counter)
{
	return 0;
}

static inline void x86_precise_flush(struct x86_pmu_cpu *cpu, const struct perf_event *event) { }

static inline bool x86_record_sample(struct x86_pmu_cpu *cpu, struct perf_event *event,
				     const struct x86_record *record, struct pt_regs *regs,
				     struct perf_sample_data *data, struct x86_perf_regs *at)
{
	return false;
}
#endif

#endif /* _ARCH_X86_EVENTS_PRECISE_H */
