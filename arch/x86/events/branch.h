/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Branch records (LBR), used for branch stacks of samples.
 *
 *   branch.c		events with branch stacks, scheduling of the branch unit
 *   branch_filter.c	branch types of an event: hardware filter, and filter in software
 *   branch_kind.c	decoding of branch instructions
 *   intel/lbr.c		registers of Intel CPUs
 *   amd/lbr.c		registers of AMD CPUs
 *   amd/brs.c		registers of AMD CPUs of family 19h that record only after an overflow
 *
 * All events of a CPU share the hardware filter. It is handled as an extra register, so events with
 * different filters are not scheduled together. Branches that the hardware cannot filter are
 * filtered in software for each sample.
 */
#ifndef _ARCH_X86_EVENTS_BRANCH_H
#define _ARCH_X86_EVENTS_BRANCH_H

#include <linux/bits.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "model.h"

struct x86_extra_reg;
struct x86_extra_set;

/* Maximum number of branch records of a CPU */
#define X86_BRANCHES_MAX	32
/* Size of a struct perf_branch_stack with X86_BRANCHES_MAX entries, in units of u64 */
#define X86_BRANCH_STACK_WORDS	((sizeof(struct perf_branch_stack) + X86_BRANCHES_MAX *	\
				  sizeof(struct perf_branch_entry)) / sizeof(u64))

/*
 * hw_perf_event::branch_reg of an event: config is the value of the filter register, reg is the
 * mask of the branch types.
 */

/* Branch types; an event has a mask of their bits. */
enum x86_branch_kind {
	X86_BRANCH_NONE,	/* no branch, or the instruction cannot be read */
	X86_BRANCH_JCC,
	X86_BRANCH_CALL,
	X86_BRANCH_ZERO_CALL,	/* call of the next instruction, to read RIP */
	X86_BRANCH_IND_CALL,
	X86_BRANCH_RET,
	X86_BRANCH_IND_JMP,
	X86_BRANCH_JMP,
	X86_BRANCH_SYSCALL,
	X86_BRANCH_SYSRET,
	X86_BRANCH_INT,		/* software interrupt */
	X86_BRANCH_IRET,
	X86_BRANCH_IRQ,		/* hardware interrupt or exception */
	X86_BRANCH_ABORT,	/* transaction abort */
	X86_BRANCH_KINDS
};

#define X86_BRANCH_ALL		(GENMASK(X86_BRANCH_KINDS - 1, 0) & ~BIT(X86_BRANCH_NONE))

/* LBR_SELECT: a set bit excludes branches from the records. */
#define X86_LBR_NOT_KERNEL	BIT_ULL(0)	/* by the privilege level of the target */
#define X86_LBR_NOT_USER	BIT_ULL(1)
#define X86_LBR_JCC		BIT_ULL(2)
#define X86_LBR_REL_CALL	BIT_ULL(3)
#define X86_LBR_IND_CALL	BIT_ULL(4)
#define X86_LBR_RET		BIT_ULL(5)
#define X86_LBR_IND_JMP		BIT_ULL(6)
#define X86_LBR_REL_JMP		BIT_ULL(7)
#define X86_LBR_FAR		BIT_ULL(8)
#define X86_LBR_CALL_STACK	BIT_ULL(9)	/* a return removes the record of its call */
#define X86_LBR_CLASSES		GENMASK_ULL(8, 2)

/* No INFO register has all bits set. 0 may be the INFO of a predicted conditional branch. */
#define X86_INFO_NONE		(~0ULL)

/**
 * struct x86_branch_raw - raw branch record
 * @from: address of the branch, with flags
 * @to: target, with flags
 * @info: further data; X86_INFO_NONE: no such register, or not read
 */
struct x86_branch_raw {
	u64	from;
	u64	to;
	u64	info;
};

/**
 * struct x86_branch_unit - branch unit of a model
 * @probe: completes struct x86_branches of this CPU, to which the members below were copied.
 *	Returns false if the CPU has no branch unit
 * @from: first register with the address of a branch; 0: set by @probe
 * @to: first register with a target
 * @info: first register with further data; 0: none, or set by @probe
 * @nr: number of records; 0: set by @probe
 * @flags: X86_UNIT_*
 */
struct x86_branch_unit {
	bool	(*probe)(struct x86_core *core);
	u32	from;
	u32	to;
	u32	info;
	u8	nr;
	u8	flags;
};

#define X86_UNIT_FILTER		BIT(0)	/* has LBR_SELECT */
#define X86_UNIT_FILTER_CORE	BIT(1)	/* LBR_SELECT is shared by the threads of a core */
#define X86_UNIT_CALLS_JUMP	BIT(2)	/* erratum: calls and returns are also filtered as jumps */
#define X86_UNIT_CALL_STACK	BIT(3)	/* has a call stack mode */
#define X86_UNIT_FUSES		BIT(4)	/* a fused branch is recorded at the start of the pair */
#define X86_UNIT_FILTER_RUNS	BIT(5)	/* the filter register also enables the unit */
#define X86_UNIT_DELAYS		BIT(6)	/* records after an overflow, and delays its interrupt */
#define X86_UNIT_ABORTS_TWICE	BIT(7)	/* erratum: records an abort again, without its flag */

/**
 * struct x86_branch_ops - vendor-specific functions
 * @check: checks a new event with a branch stack. Returns 0 or an error for event_init. May sleep.
 *	NULL: all events can have one
 * @on: enables the unit, whose filter register is written; @call_stack: in the call stack mode
 * @off: disables the unit
 * @is_on: returns whether the unit is enabled, by one register read. NULL: the unit is never
 *	disabled except by @off
 * @clear: invalidates all records. With @call_stack, clears each record, since a return without a
 *	recorded call would make older records valid again
 * @read: reads the records from the newest to the first unused one. Returns their number, and sets
 *	@newest to the register index of the newest record. With X86_UNIT_DELAYS, also invalidates
 *	the records
 * @read_info: reads x86_branch_raw::info of the records that @read has returned; NULL: no such
 *	registers
 * @decode: converts a raw record to a branch entry. Returns false if it is not a valid branch
 * @unchanged: checks whether the registers still have the records that @read has returned; at least
 *	one was returned. Deep idle states clear the registers. NULL: no call stack mode
 * @restore: writes records read by @read and @read_info, and clears all others; NULL: no call stack
 *	mode
 * @filter: converts an LBR_SELECT value to the filter register's format; NULL: same format
 *
 * Context: interrupts off, except @check. @read, @read_info, @decode, @on, @off and @is_on are also
 * called in an NMI, and so is @clear if there is @is_on.
 */
struct x86_branch_ops {
	int		(*check)(const struct x86_core *core, struct perf_event *event);
	void		(*on)(const struct x86_core *core, bool call_stack);
	void		(*off)(const struct x86_core *core);
	bool		(*is_on)(const struct x86_core *core);
	void		(*clear)(const struct x86_core *core, bool call_stack);
	unsigned int	(*read)(const struct x86_core *core, struct x86_branch_raw *raw,
				u64 *newest);
	void		(*read_info)(const struct x86_core *core, struct x86_branch_raw *raw,
				     unsigned int nr, u64 newest);
	bool		(*decode)(const struct x86_core *core, const struct x86_branch_raw *raw,
				  struct perf_branch_entry *entry);
	bool		(*unchanged)(const struct x86_core *core, const struct x86_branch_raw *raw,
				     u64 newest);
	void		(*restore)(const struct x86_core *core, const struct x86_branch_raw *raw,
				   unsigned int nr, u64 newest);
	u64		(*filter)(const struct x86_core *core, u64 select);
};

/**
 * struct x86_branches - branch unit of one type of core
 * @ops: vendor-specific functions; NULL: no branch unit
 * @nr: number of records
 * @flags: X86_UNIT_*
 * @from: first register with the address of a branch
 * @to: first register with a target
 * @info: first register with further data; 0: none
 * @from_flags: number of upper bits of a @from register that are flags
 * @in_tx: the second and third of the @from_flags are transaction flags
 * @to_cycles: the upper 16 bits of a @to register are cycles
 * @info_mispred: @info has a flag for mispredicted branches
 * @info_cycles: @info has cycles
 * @info_tx: @info has transaction flags
 * @info_kind: @info has the branch type
 * @info_valid: @info has a valid bit for its cycles
 * @packed: a @from register has address and target of 32 bits each
 * @freezes: the unit freezes at an overflow interrupt, until the status is acknowledged
 * @halts: the unit disables itself when it freezes, until enabled by software
 * @freezes_stack: @freezes applies to the call stack mode, too
 * @select: the filter register as an extra register; msr 0: none
 */
struct x86_branches {
	const struct x86_branch_ops	*ops;
	u8				nr;
	u8				flags;
	u32				from;
	u32				to;
	u32				info;
	u8				from_flags;
	bool				in_tx;
	bool				to_cycles;
	bool				info_mispred;
	bool				info_cycles;
	bool				info_tx;
	bool				info_kind;
	bool				info_valid;
	bool				packed;
	bool				freezes;
	bool				halts;
	bool				freezes_stack;
	struct x86_extra		select;
};

/* Global status: branch unit frozen until acknowledged */
#define X86_STATUS_BRANCHES_FROZEN	BIT_ULL(58)

/**
 * struct x86_branch_saved - call stack of a task that was switched out
 * @stamp: x86_branch_cpu::stamp at the save; 0: nothing saved
 * @cpu: the CPU of the save
 * @switches: number of context switches of the task at the save
 * @nr: number of @raw
 * @newest: register index of the newest record
 * @raw: the records, the newest first
 *
 * This is pmu_ctx->task_ctx_data of tasks with call stack events.
 */
struct x86_branch_saved {
	u64			stamp;
	int			cpu;
	unsigned long		switches;
	unsigned int		nr;
	u64			newest;
	struct x86_branch_raw	raw[X86_BRANCHES_MAX];
};

/**
 * struct x86_branch_cpu - branch unit state of one CPU
 * @users: number of added events with branch stacks
 * @select: the filter register, which all @users share; NULL: none
 * @type: branch_sample_type of the event added last; the bits that determine @select are the same
 *	for all users
 * @changed: the unit must be enabled, disabled, or switched to another task
 * @running: the unit is enabled, unless a debug exception has disabled it since
 * @asleep: the unit is disabled while the CPU is in a low power state
 * @unchecked: in an interrupt: x86_branch_check_frozen() must check whether the unit is frozen
 * @stopped: in an interrupt: the unit is disabled until the end of the interrupt
 * @fresh: the context switch in progress has cleared the branches of other tasks
 * @stamp: sequence number of the last call stack save
 * @regs_stamp: @stamp of the save whose records are still in the registers; 0: none
 * @interrupts: number of overflow interrupts
 * @gen: value of @interrupts when @raw was read
 * @nr: number of @raw
 * @has_info: x86_branch_raw::info of @raw was read
 * @newest: register index of the newest record
 * @raw: the records as read, the newest first
 * @snapshot: records for bpf_get_branch_snapshot(); index 1: in an NMI
 * @stack: branch stack of the sample being written; index 1: in an NMI, 0: outside of NMIs, from a
 *	drained PEBS record
 */
struct x86_branch_cpu {
	unsigned int		users;
	struct x86_extra_reg	*select;
	u64			type;
	bool			changed;
	bool			running;
	bool			asleep;
	bool			unchecked;
	bool			stopped;
	bool			fresh;
	u64			stamp;
	u64			regs_stamp;
	u64			interrupts;
	u64			gen;
	unsigned int		nr;
	bool			has_info;
	u64			newest;
	struct x86_branch_raw	raw[X86_BRANCHES_MAX];
	struct x86_branch_raw	snapshot[2][X86_BRANCHES_MAX];
	u64			stack[2][X86_BRANCH_STACK_WORDS];
};

struct x86_pmu_cpu;

/* branch.c */
int x86_branch_probe(struct x86_core *core);
int x86_branch_check(struct perf_event *event);
int x86_branch_init_event(struct perf_event *event);
void x86_branch_destroy(struct perf_event *event);
bool x86_branch_fits(const struct x86_core *core, struct perf_event *event,
		     struct x86_extra_set *set);
int x86_branch_add(struct x86_pmu_cpu *cpu, struct perf_event *event);
void x86_branch_del(struct x86_pmu_cpu *cpu, struct perf_event *event);
void x86_branch_reprogram(struct x86_pmu_cpu *cpu);
void x86_branch_reset(struct x86_pmu_cpu *cpu);
u64 x86_branch_begin_interrupt(struct x86_pmu_cpu *cpu);
void x86_branch_check_frozen(struct x86_pmu_cpu *cpu, u64 frozen);
void x86_branch_end_interrupt(struct x86_pmu_cpu *cpu, u64 frozen);
void x86_branch_sample_of(struct x86_pmu_cpu *cpu, struct perf_event *event,
			  struct perf_sample_data *data, const struct x86_branch_raw *raw,
			  unsigned int nr, u64 newest);
void x86_branch_sample(struct x86_pmu_cpu *cpu, struct perf_event *event,
		       struct perf_sample_data *data);
bool x86_branch_last(struct x86_pmu_cpu *cpu, struct perf_branch_entry *entry);
void x86_branch_sched_task(struct perf_event_pmu_context *pmu_ctx, struct task_struct *task,
			   bool sched_in);

/* branch_filter.c */
int x86_branch_filter_init(const struct x86_core *core, struct perf_event *event);
bool x86_branch_filter(const struct perf_event *event, const struct x86_branch_raw *raw,
		       const struct x86_core *core, struct perf_branch_entry *entry);
bool x86_branch_needs_info(const struct x86_core *core, const struct perf_event *event);

/* branch_kind.c */
enum x86_branch_kind x86_branch_kind_of(const void *bytes, int len, bool is_64bit, bool fused);
enum x86_branch_kind x86_branch_kind_at(u64 from, u64 to, bool aborted, bool fused);

#endif /* _ARCH_X86_EVENTS_BRANCH_H */
