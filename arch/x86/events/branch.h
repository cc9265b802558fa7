/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of the last branches that a CPU has taken, which are samples' branch stacks.
 *
 *   branch.c		events that want branches, and when they are recorded for whom
 *   branch_filter.c	which branches an event wants, and what it gets of those recorded
 *   branch_kind.c	what kind of branch an instruction is
 *   intel/lbr.c	the registers of Intel's CPUs
 *   amd/lbr.c		those of AMD's
 *
 * All users of a CPU's records share its filter in hardware, which is a register beside the
 * event selects to the engine, and so events with different filters take turns. What the
 * hardware cannot keep out is kept out of each event's sample.
 */
#ifndef _ARCH_X86_EVENTS_BRANCH_H
#define _ARCH_X86_EVENTS_BRANCH_H

#include <linux/bits.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "model.h"

struct x86_extra_reg;
struct x86_extra_set;

/* Branches that a CPU records at most. */
#define X86_BRANCHES_MAX	32
/* Size of a struct perf_branch_stack with all of them, in units of u64 */
#define X86_BRANCH_STACK_WORDS	((sizeof(struct perf_branch_stack) + X86_BRANCHES_MAX *	\
				  sizeof(struct perf_branch_entry)) / sizeof(u64))

/*
 * The config of an event's hw_perf_event::branch_reg is the value for the filter's register
 * for it; its reg is the mask of the kinds of branches that the event wants.
 */

/* Kinds of branches. An event that wants some of them has a mask of their bits. */
enum x86_branch_kind {
	X86_BRANCH_NONE,	/* it is none, or cannot be looked at */
	X86_BRANCH_JCC,
	X86_BRANCH_CALL,
	X86_BRANCH_ZERO_CALL,	/* to the next instruction, to learn its address; none returns */
	X86_BRANCH_IND_CALL,
	X86_BRANCH_RET,
	X86_BRANCH_IND_JMP,
	X86_BRANCH_JMP,
	X86_BRANCH_SYSCALL,
	X86_BRANCH_SYSRET,
	X86_BRANCH_INT,		/* an interrupt by an instruction */
	X86_BRANCH_IRET,
	X86_BRANCH_IRQ,		/* an interrupt or exception */
	X86_BRANCH_ABORT,	/* of a transaction */
	X86_BRANCH_KINDS
};

#define X86_BRANCH_ALL		(GENMASK(X86_BRANCH_KINDS - 1, 0) & ~BIT(X86_BRANCH_NONE))

/* Classes of branches in LBR_SELECT. A bit that is set excludes its class from the records. */
#define X86_LBR_NOT_KERNEL	BIT_ULL(0)	/* by the privilege level where they end */
#define X86_LBR_NOT_USER	BIT_ULL(1)
#define X86_LBR_JCC		BIT_ULL(2)
#define X86_LBR_REL_CALL	BIT_ULL(3)
#define X86_LBR_IND_CALL	BIT_ULL(4)
#define X86_LBR_RET		BIT_ULL(5)
#define X86_LBR_IND_JMP		BIT_ULL(6)
#define X86_LBR_REL_JMP		BIT_ULL(7)
#define X86_LBR_FAR		BIT_ULL(8)
#define X86_LBR_CALL_STACK	BIT_ULL(9)	/* a return takes its call away */
#define X86_LBR_CLASSES		GENMASK_ULL(8, 2)

/**
 * struct x86_branch_raw - a branch as the registers have it
 * @from: where it was
 * @to: where it went
 * @info: more about it; 0 where there is no such register, or it has not been read
 */
struct x86_branch_raw {
	u64	from;
	u64	to;
	u64	info;
};

/**
 * struct x86_branch_unit - where a model's CPUs record branches
 * @probe: fill in what this CPU has, from what the model has; true: it has it
 * @from: address of the first register with the address of a branch; 0: @probe knows
 * @to: of the first one with a target
 * @info: of the first one with more about it; 0: there is none, unless @probe finds some
 * @nr: how many branches are kept; 0: @probe finds out
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

#define X86_UNIT_FILTER		BIT(0)	/* there is LBR_SELECT, */
#define X86_UNIT_FILTER_CORE	BIT(1)	/* and the threads of a core share it */
#define X86_UNIT_CALLS_JUMP	BIT(2)	/* to the filter calls are jumps as well, an erratum */
#define X86_UNIT_CALL_STACK	BIT(3)	/* returns can take calls away */
#define X86_UNIT_FUSES		BIT(4)	/* a branch may be where the instruction before it is */
#define X86_UNIT_FILTER_RUNS	BIT(5)	/* the filter's register runs and halts the unit, too */

/**
 * struct x86_branch_ops - what differs by vendor
 * @on: begin to record, by the filter that has been written
 * @off: end it
 * @clear: let no branch be found that has been recorded so far; with @call_stack not even
 *	by returns that have no calls
 * @read: read the newest branches, up to the first register that holds none. Returns how
 *	many, and sets @newest to the number of the registers with the last of them
 * @read_info: read x86_branch_raw::info of those; NULL: there is nothing to read
 * @decode: from the registers' form to that of samples, flags and cycles included. False:
 *	it is no branch
 * @restore: let the registers hold what @read and @read_info have read, and nothing else;
 *	NULL: there is no mode in which returns take calls away
 * @filter: the filter's register for a value of LBR_SELECT; NULL: it is the same
 *
 * All with interrupts off on the CPU; read, read_info, decode, on and off in an NMI, too.
 */
struct x86_branch_ops {
	void		(*on)(const struct x86_core *core);
	void		(*off)(const struct x86_core *core);
	void		(*clear)(const struct x86_core *core, bool call_stack);
	unsigned int	(*read)(const struct x86_core *core, struct x86_branch_raw *raw,
				u64 *newest);
	void		(*read_info)(const struct x86_core *core, struct x86_branch_raw *raw,
				     unsigned int nr, u64 newest);
	bool		(*decode)(const struct x86_core *core, const struct x86_branch_raw *raw,
				  struct perf_branch_entry *entry);
	void		(*restore)(const struct x86_core *core, const struct x86_branch_raw *raw,
				   unsigned int nr, u64 newest);
	u64		(*filter)(const struct x86_core *core, u64 select);
};

/**
 * struct x86_branches - how a kind of core records branches
 * @ops: by its vendor; NULL: not at all
 * @nr: how many it keeps
 * @flags: X86_UNIT_* of its unit
 * @from: address of the first register with the address of a branch
 * @to: of the first one with a target
 * @info: of the first one with more about it; 0: there is none
 * @from_flags: how many of the upper bits of @from's are flags
 * @in_tx: the second and third of these flags are about transactions
 * @to_cycles: the upper 16 bits of @to's are cycles
 * @info_tx: @info's tell of transactions
 * @info_kind: @info's tell the kind of branch
 * @info_valid: a bit of @info's tells whether their cycles mean anything
 * @packed: a register of @from holds both addresses, of 32 bits each
 * @freezes: the unit halts by itself as an interrupt comes, until the status is acknowledged
 * @halts: it is off after that until it is switched on again
 * @select: the register of the filter in hardware; its msr is 0: there is none
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
	bool				info_tx;
	bool				info_kind;
	bool				info_valid;
	bool				packed;
	bool				freezes;
	bool				halts;
	struct x86_extra		select;
};

/* Global status: the branch unit is frozen until this bit is acknowledged. */
#define X86_STATUS_BRANCHES_FROZEN	BIT_ULL(58)

/**
 * struct x86_branch_saved - the calls that a task was in when it left a CPU
 * @stamp: x86_branch_cpu::stamp of when they were saved; 0: never
 * @cpu: where
 * @switches: how often the task had been switched from by then
 * @nr: how many
 * @newest: the number of the registers with the last of them
 * @raw: these, the last one first
 *
 * It is pmu_ctx->task_ctx_data of tasks with events that want their calls.
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
 * struct x86_branch_cpu - the branches of one CPU
 * @users: events that are on and want some
 * @select: the filter register, which all of them have taken; NULL: there is none
 * @type: branch_sample_type of one of them, the same in all that @select depends on
 * @changed: @users has become 0, or ceased to be
 * @running: they are being recorded
 * @fresh: no branch of another task is in the registers, since the switch that is under way
 * @stamp: of the last save of calls
 * @holds: the registers hold what has been saved with this @stamp; 0: something else
 * @interrupts: number of interrupts that may have read branches, for
 * @turn: the one in which @raw was read
 * @nr: how many are in @raw
 * @has_info: their x86_branch_raw::info, too
 * @newest: the number of the registers with the last of them
 * @raw: as read, the last one first
 * @snapshot: of BPF programs, outside of NMIs and in them
 * @stack: one event's sample of them, in use while that is written: outside of NMIs, as records
 *	are drained there, and in them
 */
struct x86_branch_cpu {
	unsigned int		users;
	struct x86_extra_reg	*select;
	u64			type;
	bool			changed;
	bool			running;
	bool			fresh;
	u64			stamp;
	u64			holds;
	u64			interrupts;
	u64			turn;
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
int x86_branch_init_event(struct perf_event *event);
void x86_branch_destroy(struct perf_event *event);
bool x86_branch_fits(const struct x86_core *core, struct perf_event *event,
		     struct x86_extra_set *set);
int x86_branch_add(struct x86_pmu_cpu *cpu, struct perf_event *event);
void x86_branch_del(struct x86_pmu_cpu *cpu, struct perf_event *event);
void x86_branch_apply(struct x86_pmu_cpu *cpu);
void x86_branch_reset(struct x86_pmu_cpu *cpu);
u64 x86_branch_begin_interrupt(struct x86_pmu_cpu *cpu);
void x86_branch_end_interrupt(struct x86_pmu_cpu *cpu, u64 frozen);
void x86_branch_sample_of(struct x86_pmu_cpu *cpu, struct perf_event *event,
			  struct perf_sample_data *data, const struct x86_branch_raw *raw,
			  unsigned int nr);
void x86_branch_sample(struct x86_pmu_cpu *cpu, struct perf_event *event,
		       struct perf_sample_data *data);
bool x86_branch_last(struct x86_pmu_cpu *cpu, struct perf_branch_entry *entry);
void x86_branch_sched_task(struct perf_event_pmu_context *pmu_ctx, struct task_struct *task,
			   bool sched_in);

/* branch_filter.c */
int x86_branch_filter_init(const struct x86_core *core, struct perf_event *event);
bool x86_branch_filter(const struct perf_event *event, const struct x86_branch_raw *raw,
		       const struct x86_core *core, struct perf_branch_entry *entry);
bool x86_branch_needs_info(const struct perf_event *event);

/* branch_kind.c */
enum x86_branch_kind x86_branch_kind_of(const void *bytes, int len, bool is_64bit, bool fused);
enum x86_branch_kind x86_branch_kind_at(u64 from, u64 to, bool aborted, bool fused);

#endif /* _ARCH_X86_EVENTS_BRANCH_H */
