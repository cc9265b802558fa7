/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Precise events (PEBS): at an overflow the CPU writes a record with its registers and other data
 * to a buffer in memory, and interrupts.
 *
 * The overflow leaves the counter at 0. The counter continues from 0, and the interrupt reprograms
 * it, as for events that are not precise.
 *
 * Alternatively, the CPU reloads the counter with the period at each record (auto-reload). Then the
 * counter lacks one period for each record that is still in the buffer. The driver uses the reload
 * only for events with a constant period that exclude the kernel, so that their counters do not
 * count while the driver runs. If the record has all fields of the event's samples, records wait in
 * the buffer (X86_PRECISE_MULTI, large PEBS) until the buffer is nearly full, the event is read or
 * stopped, or the task is switched out.
 *
 *   intel/ds.c			debug store area, and its mapping
 *   intel/pebs.c		buffers, registers, and checks of events
 *   intel/pebs_record.c	conversion of records to samples
 *   intel/pebs_address.c	address of the instruction, from the address of the next one
 *   intel/pebs_memory.c	data source of loads and stores
 */
#ifndef _ARCH_X86_EVENTS_PRECISE_H
#define _ARCH_X86_EVENTS_PRECISE_H

#include <linux/perf_event.h>
#include <linux/types.h>

#include "branch.h"

struct x86_core;
struct x86_count;
struct x86_model;
struct x86_pmu_cpu;

/* Select and fixed counter control: write adaptive records, see MSR_PEBS_DATA_CFG */
#define X86_ADAPTIVE			BIT_ULL(34)
#define X86_FIXED_ADAPTIVE		BIT_ULL(32)
#define X86_FIXED_BITS			(INTEL_FIXED_BITS_MASK | X86_FIXED_ADAPTIVE)

/* Groups of an adaptive record, in MSR_PEBS_DATA_CFG and in the record */
#define X86_GROUP_MEMORY		BIT_ULL(0)
#define X86_GROUP_REGISTERS		BIT_ULL(1)
#define X86_GROUP_XMM			BIT_ULL(2)
#define X86_GROUP_BRANCHES		BIT_ULL(3)
#define X86_GROUP_BRANCHES_SHIFT	24	/* number of entries minus one */

/* hw_perf_event::flags: memory data in the records, and reloading */
#define X86_PRECISE_LATENCY	BIT(17)	/* data source and latency of a load */
#define X86_PRECISE_LOAD	BIT(18)	/* a load */
#define X86_PRECISE_STORE	BIT(19)	/* a store, with an L1 hit bit */
#define X86_PRECISE_RELOADS	BIT(20)	/* the CPU reloads the counter with the period */
#define X86_PRECISE_MULTI	BIT(21)	/* records may wait in the buffer */
#define X86_PRECISE_TRACKED_STORE	BIT(22)	/* a store, with its data source */
#define X86_PRECISE_STORE_LATENCY BIT(24)	/* data source and latency of a store */

/**
 * struct x86_access_format - data source of a load or store in the records of a core type
 * @sources: data source by code; 0: the code is reserved
 * @nr_sources: number of @sources; further codes are reserved
 * @code: mask of the code in the status word, from bit 0
 * @tlb_miss: bit of the status word: miss in the second-level TLB; 0: neither @tlb_miss nor @locked
 * @locked: bit of the status word: locked access
 * @data_block: bit of the status word: the load waited for the data of an earlier store; 0: none
 * @address_block: bit of the status word: the load waited for the address of an earlier store;
 *	0: none
 * @two_latencies: the latency word has the latencies of the instruction and of the cache
 */
struct x86_access_format {
	const u64	*sources;
	unsigned int	nr_sources;
	u64		code;
	u64		tlb_miss;
	u64		locked;
	u64		data_block;
	u64		address_block;
	bool		two_latencies;
};

/**
 * struct x86_precise - PEBS of one type of core
 * @levels: highest attr.precise_ip; 0: not used
 * @exists: the CPU has the registers of PEBS, also if @levels is 0
 * @format: record format; from 4 on, records are adaptive
 * @adaptive: records consist of groups
 * @timed: adaptive records have the retire latency
 * @no_event_ip: records have the address of the next instruction, but not of the event's
 *	instruction
 * @size: size of a record that is not adaptive
 * @counters: mask of the counters that can write records
 * @broken: precise events are refused until a microcode update, because of errata
 */
struct x86_precise {
	u8	levels;
	u8	format;
	bool	exists;
	bool	adaptive;
	bool	timed;
	bool	no_event_ip;
	bool	broken;
	u16	size;
	u64	counters;
};

/**
 * struct x86_precise_cpu - PEBS state of one CPU
 * @enabled: shadow of MSR_IA32_PEBS_ENABLE, set before the register is written
 * @fresh: mask of counters being enabled. Records in the buffer that name such a counter belong to
 *	its previous event, and are ignored if the CPU reloads the counter
 * @data_cfg: shadow of MSR_PEBS_DATA_CFG
 * @multi_record: interrupt only when the buffer is nearly full
 * @draining: the buffer is being drained
 * @has_area: the debug store area is set up for PEBS
 * @base: address of the buffer in the CPU entry area, for struct debug_store
 * @buffer: address of the same memory in the direct mapping; NULL: not allocated
 */
struct x86_precise_cpu {
	u64	enabled;
	u64	fresh;
	u64	data_cfg;
	bool	multi_record;
	bool	draining;
	bool	has_area;
	u64	base;
	void	*buffer;
};

/**
 * struct x86_record - a record in the buffer
 * @start: start of the record
 * @size: size in bytes; the record is not read beyond it
 * @counters: mask of the counters named by the record
 * @several: the record is for several of them, and the CPU may still write a record of their own
 */
struct x86_record {
	const u64	*start;
	unsigned int	size;
	u64		counters;
	bool		several;
};

#ifdef CONFIG_CPU_SUP_INTEL
/* intel/ds.c */
void *x86_ds_map_buffer(unsigned int number, void *area, unsigned int size);
void x86_ds_use(struct x86_pmu_cpu *cpu);
void x86_ds_reset(struct x86_pmu_cpu *cpu);

/* intel/pebs.c */
void x86_precise_probe(struct x86_core *core);
u32 x86_precise_access(const struct x86_model *model, u64 config);
int x86_precise_init_event(struct perf_event *event);
const struct x86_limit *x86_precise_limits(const struct x86_core *core,
					   const struct perf_event *event);
u64 x86_precise_counters(const struct x86_core *core, u64 counters);
void x86_precise_disable_moved(struct x86_pmu_cpu *cpu);
void x86_precise_pause(struct x86_pmu_cpu *cpu, struct x86_count *count);
void x86_precise_reprogram(struct x86_pmu_cpu *cpu);
void x86_precise_reset(struct x86_pmu_cpu *cpu);
u64 x86_precise_drain(struct x86_pmu_cpu *cpu, struct pt_regs *regs);
u64 x86_precise_period(const struct x86_pmu_cpu *cpu, const struct perf_event *event);
u64 x86_precise_pending(const struct x86_pmu_cpu *cpu, int counter);

/* Returns the value of x86_count::reload for an event; 0: the CPU does not reload the counter. */
static inline u64 x86_precise_reload(const struct x86_pmu_cpu *cpu,
				     const struct perf_event *event)
{
	return unlikely(event->hw.flags & X86_PRECISE_RELOADS) ? x86_precise_period(cpu, event) : 0;
}

/*
 * Handle records of an event of this CPU that wait in the buffer. Records of other events may be
 * handled, too. Does nothing in an NMI. Context: interrupts off, or NMI.
 */
static inline void x86_precise_flush(struct x86_pmu_cpu *cpu, const struct perf_event *event)
{
	if (unlikely(event->hw.flags & X86_PRECISE_RELOADS) && !in_nmi())
		x86_precise_drain(cpu, NULL);
}

/* intel/pebs_record.c */
bool x86_record_next(const struct x86_precise *precise, const void *at, const void *end,
		     struct x86_record *record);
u64 x86_precise_data_cfg(const struct x86_core *core, const struct perf_event *event);
bool x86_record_sample(struct x86_pmu_cpu *cpu, struct perf_event *event,
		       const struct x86_record *record, struct pt_regs *regs,
		       struct perf_sample_data *data, struct x86_perf_regs *at);

/* intel/pebs_address.c */
u64 x86_precise_address(struct x86_pmu_cpu *cpu, u64 next);

/* intel/pebs_memory.c */
u64 x86_pebs_data_src(const struct x86_model *model, const struct perf_event *event, u64 status);
#else
static inline void x86_ds_reset(struct x86_pmu_cpu *cpu) { }
static inline void x86_precise_probe(struct x86_core *core) { }
static inline int x86_precise_init_event(struct perf_event *event) { return -EOPNOTSUPP; }

static inline const struct x86_limit *x86_precise_limits(const struct x86_core *core,
							 const struct perf_event *event)
{
	return NULL;
}

static inline u64 x86_precise_counters(const struct x86_core *core, u64 counters) { return 0; }
static inline void x86_precise_disable_moved(struct x86_pmu_cpu *cpu) { }
static inline void x86_precise_pause(struct x86_pmu_cpu *cpu, struct x86_count *count) { }
static inline void x86_precise_reprogram(struct x86_pmu_cpu *cpu) { }

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
