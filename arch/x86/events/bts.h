/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Branch trace store (BTS): the CPU writes a record of each branch to a buffer in memory, and
 * interrupts when the buffer is nearly full.
 *
 *   intel/bts.c	buffer and registers, and events of branches with a period of 1
 *   intel/bts_pmu.c	the PMU intel_bts, with a trace in an AUX area
 *
 * One event at a time uses the BTS of a CPU. The CPU writes to a buffer that has the same address
 * in all address spaces. The driver copies the records from this buffer, except records in modes
 * that the event excludes.
 */
#ifndef _ARCH_X86_EVENTS_BTS_H
#define _ARCH_X86_EVENTS_BTS_H

#include <linux/perf_event.h>
#include <linux/types.h>

struct x86_core;
struct x86_pmu_cpu;

/* hw_perf_event::flags: a sample for each branch, from the records of the BTS */
#define X86_BRANCH_TRACE	BIT(23)

/*
 * Minimum number of records between interrupts. The return of an interrupt to user space writes a
 * record, too. Without a minimum, this record would raise the next interrupt before the program
 * continues.
 */
#define X86_BTS_LEAST		16UL

/*
 * Number of records that fit into the buffer of a CPU. The CPU drops further records, but may write
 * one more, since debug_store::bts_absolute_maximum must exceed the end of the last record by 1.
 */
#define X86_BTS_RECORDS		(BTS_BUFFER_SIZE / sizeof(struct x86_bts_record) - 1)

/**
 * struct x86_bts_record - a record in the buffer
 * @from: address of the branch
 * @to: target
 * @flags: bit 4: the branch was predicted
 */
struct x86_bts_record {
	u64	from;
	u64	to;
	u64	flags;
};

/**
 * typedef x86_bts_take_t - takes records from the buffer
 * @cpu: this CPU
 * @event: the event that uses the BTS
 * @records: the records, the oldest first
 * @n: number of @records; if it is X86_BTS_RECORDS or more, the buffer was full, and later records
 *	may be lost
 * @interrupt: called in the overflow interrupt
 *
 * Context: interrupts off, or NMI; the CPU writes no records.
 */
typedef void (*x86_bts_take_t)(struct x86_pmu_cpu *cpu, struct perf_event *event,
			       const struct x86_bts_record *records, unsigned int n,
			       bool interrupt);

/**
 * struct x86_bts_cpu - BTS state of one CPU
 * @event: the event that uses the BTS; NULL: none. Changes only while @running is false
 * @take: takes the records for @event
 * @control: DEBUGCTL bits for @event
 * @running: @event is started
 * @draining: records are being taken, or @event is being stopped: an NMI leaves the BTS alone
 * @used: an event was started since boot
 * @base: address of the buffer in the CPU entry area, for struct debug_store
 * @buffer: address of the same memory in the direct mapping; NULL: not allocated
 */
struct x86_bts_cpu {
	struct perf_event	*event;
	x86_bts_take_t		take;
	u64			control;
	bool			running;
	bool			draining;
	bool			used;
	u64			base;
	void			*buffer;
};

#ifdef CONFIG_CPU_SUP_INTEL
/* intel/bts.c */
void x86_bts_probe(const struct x86_core *core);
bool x86_bts_exists(void);
int x86_bts_get_buffers(void);
bool x86_bts_may_show(const struct perf_event *event, const struct x86_bts_record *record);
void x86_bts_interrupt_after(struct x86_pmu_cpu *cpu, u64 n);
void x86_bts_start(struct x86_pmu_cpu *cpu);
void x86_bts_stop(struct x86_pmu_cpu *cpu);
void x86_bts_flush(struct x86_pmu_cpu *cpu);
void x86_bts_reset(struct x86_pmu_cpu *cpu);
void x86_bts_resume(struct x86_pmu_cpu *cpu);
bool x86_bts_begin_interrupt(struct x86_pmu_cpu *cpu);
bool x86_bts_handle_interrupt(struct x86_pmu_cpu *cpu);
void x86_bts_end_interrupt(struct x86_pmu_cpu *cpu);
int x86_bts_init_event(struct perf_event *event);
int x86_bts_add(struct x86_pmu_cpu *cpu, struct perf_event *event, x86_bts_take_t take);
void x86_bts_del(struct x86_pmu_cpu *cpu, struct perf_event *event);
int x86_bts_event_add(struct x86_pmu_cpu *cpu, struct perf_event *event);
void x86_bts_event_start(struct x86_pmu_cpu *cpu, struct perf_event *event);
void x86_bts_event_stop(struct x86_pmu_cpu *cpu, struct perf_event *event);
void x86_bts_event_del(struct x86_pmu_cpu *cpu, struct perf_event *event);
#else
static inline void x86_bts_probe(const struct x86_core *core) { }
static inline void x86_bts_flush(struct x86_pmu_cpu *cpu) { }
static inline void x86_bts_reset(struct x86_pmu_cpu *cpu) { }
static inline void x86_bts_resume(struct x86_pmu_cpu *cpu) { }
static inline bool x86_bts_begin_interrupt(struct x86_pmu_cpu *cpu) { return false; }
static inline bool x86_bts_handle_interrupt(struct x86_pmu_cpu *cpu) { return false; }
static inline void x86_bts_end_interrupt(struct x86_pmu_cpu *cpu) { }
static inline int x86_bts_init_event(struct perf_event *event) { return -EOPNOTSUPP; }

static inline int x86_bts_event_add(struct x86_pmu_cpu *cpu, struct perf_event *event)
{
	return -EAGAIN;
}

static inline void x86_bts_event_start(struct x86_pmu_cpu *cpu, struct perf_event *event) { }
static inline void x86_bts_event_stop(struct x86_pmu_cpu *cpu, struct perf_event *event) { }
static inline void x86_bts_event_del(struct x86_pmu_cpu *cpu, struct perf_event *event) { }
#endif

#endif /* _ARCH_X86_EVENTS_BTS_H */
