// SPDX-License-Identifier: GPL-2.0
/*
 * From a record of a precise event to a sample.
 *
 * The memory is the kernel's, but whether a hypervisor tells the truth is another question:
 * nothing is read beyond what the record's own size says, and that is not believed beyond
 * the buffer's end.
 */
#include <linux/sched/clock.h>
#include <asm/intel_ds.h>
#include <asm/perf_event.h>
#include <asm/tsc.h>

#include "../engine.h"

/* The words of a record that is not made of groups: each format has added some at its end. */
enum {
	FIXED_FLAGS, FIXED_IP, FIXED_AX, FIXED_BX, FIXED_CX, FIXED_DX, FIXED_SI, FIXED_DI,
	FIXED_BP, FIXED_SP, FIXED_R8, FIXED_WORDS_0 = FIXED_R8 + 8,
	FIXED_COUNTERS = FIXED_WORDS_0, FIXED_ADDRESS, FIXED_SOURCE, FIXED_LATENCY, FIXED_WORDS_1,
	FIXED_EVENT_IP = FIXED_WORDS_1, FIXED_TRANSACTION, FIXED_WORDS_2,
	FIXED_TSC = FIXED_WORDS_2, FIXED_WORDS_3
};

/* Those of the group that is in every record of format 4 */
enum { BASIC_GROUPS, BASIC_IP, BASIC_COUNTERS, BASIC_TSC, BASIC_WORDS };

/* Of the groups that may follow it, in this order: memory, */
enum { MEMORY_ADDRESS, MEMORY_SOURCE, MEMORY_LATENCY, MEMORY_TRANSACTION, MEMORY_WORDS };

/* registers, */
enum {
	GPR_FLAGS, GPR_IP, GPR_AX, GPR_CX, GPR_DX, GPR_BX, GPR_SP, GPR_BP, GPR_SI, GPR_DI,
	GPR_R8, GPR_WORDS = GPR_R8 + 8
};

/* vector registers, and so many branches */
#define XMM_WORDS		32
#define BRANCH_WORDS		3

#define BASIC_GROUPS_MASK	GENMASK_ULL(47, 0)
#define BASIC_SIZE_SHIFT	48

/**
 * struct pebs_parts - where the parts of a record are; NULL: it does not have them
 * @ip: of the instruction after the one that was counted; 0: not known
 * @event_ip: of that one; 0: not known
 * @tsc: when; 0: not known
 * @memory: MEMORY_*, the first three
 * @transaction: what has become of one, in the form of MEMORY_TRANSACTION
 * @gpr: GPR_*
 * @fixed: FIXED_*, in place of @gpr
 * @xmm: registers
 * @branches: as registers have them, the last one first
 * @nr_branches: how many
 */
struct pebs_parts {
	u64				ip;
	u64				event_ip;
	u64				tsc;
	const u64			*memory;
	u64				transaction;
	const u64			*gpr;
	const u64			*fixed;
	const u64			*xmm;
	const struct x86_branch_raw	*branches;
	unsigned int			nr_branches;
};

/**
 * x86_record_next - find a record in a buffer
 * @precise: the kind of core that has written it
 * @at: where it begins
 * @end: of what has been written
 * @record: filled in
 *
 * Return: false: there is none, or one that is not whole.
 */
bool x86_record_next(const struct x86_precise *precise, const void *at, const void *end,
		     struct x86_record *record)
{
	const u64 *words = at;
	size_t left = end > at ? end - at : 0;

	record->start = words;
	if (!precise->adaptive) {
		if (left < precise->size)
			return false;
		record->size = precise->size;
		record->counters = precise->format >= 1 ? words[FIXED_COUNTERS] : 0;
		return true;
	}
	if (left < BASIC_WORDS * sizeof(u64))
		return false;
	record->size = words[BASIC_GROUPS] >> BASIC_SIZE_SHIFT;
	record->counters = words[BASIC_COUNTERS];
	return record->size >= BASIC_WORDS * sizeof(u64) && record->size <= left &&
	       record->size % sizeof(u64) == 0;
}

/* The next group of a record, of so many words, if it has it and it is whole. */
static const u64 *pebs_group(const u64 **next, const u64 *end, bool has, size_t words)
{
	const u64 *group = *next;

	if (!has || !group)
		return NULL;
	if (end - group < words) {
		/* What follows it cannot be found, either. */
		*next = NULL;
		return NULL;
	}
	*next = group + words;
	return group;
}

static void pebs_take_apart(const struct x86_core *core, const struct x86_record *record,
			    struct pebs_parts *parts)
{
	const u64 *words = record->start, *end = words + record->size / sizeof(u64), *next;
	u64 groups;

	*parts = (struct pebs_parts){ };
	if (!core->precise.adaptive) {
		parts->fixed = words;
		parts->ip = words[FIXED_IP];
		if (core->precise.format >= 1)
			parts->memory = words + FIXED_ADDRESS;
		if (core->precise.format >= 2) {
			parts->event_ip = words[FIXED_EVENT_IP];
			parts->transaction = words[FIXED_TRANSACTION];
		}
		if (core->precise.format >= 3)
			parts->tsc = words[FIXED_TSC];
		return;
	}
	groups = words[BASIC_GROUPS] & BASIC_GROUPS_MASK;
	next = words + BASIC_WORDS;
	parts->event_ip = words[BASIC_IP];
	parts->tsc = words[BASIC_TSC];
	parts->memory = pebs_group(&next, end, groups & X86_GROUP_MEMORY, MEMORY_WORDS);
	parts->gpr = pebs_group(&next, end, groups & X86_GROUP_REGISTERS, GPR_WORDS);
	parts->xmm = pebs_group(&next, end, groups & X86_GROUP_XMM, XMM_WORDS);
	parts->nr_branches = ((groups >> X86_GROUP_BRANCHES_SHIFT) & 0xff) + 1;
	parts->branches = (const struct x86_branch_raw *)
		pebs_group(&next, end, groups & X86_GROUP_BRANCHES,
			   parts->nr_branches * BRANCH_WORDS);
	if (parts->memory)
		parts->transaction = parts->memory[MEMORY_TRANSACTION];
	if (parts->gpr)
		parts->ip = parts->gpr[GPR_IP];
}

/* Fields of a sample that are about memory or transactions */
#define PEBS_ADDRESS	(PERF_SAMPLE_ADDR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE)
#define PEBS_MEMORY	(PEBS_ADDRESS | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT_TYPE |	\
			 PERF_SAMPLE_TRANSACTION)

/**
 * x86_precise_groups - the groups that an event's records are to have
 * @core: of its PMU
 * @event: precise
 *
 * Return: for MSR_PEBS_DATA_CFG; 0 where records are always the same.
 */
u64 x86_precise_groups(const struct x86_core *core, const struct perf_event *event)
{
	const u64 type = event->attr.sample_type, regs = event->attr.sample_regs_intr;
	u64 groups = 0;

	if (!core->precise.adaptive)
		return 0;
	if (type & PEBS_MEMORY)
		groups |= X86_GROUP_MEMORY;
	/* The least precise level has the address after the instruction; aborts have a code. */
	if (event->attr.precise_ip < 2 || (type & PERF_SAMPLE_TRANSACTION) ||
	    ((type & PERF_SAMPLE_REGS_INTR) && (regs & ~PERF_REG_EXTENDED_MASK)))
		groups |= X86_GROUP_REGISTERS;
	if ((type & PERF_SAMPLE_REGS_INTR) && (regs & PERF_REG_EXTENDED_MASK))
		groups |= X86_GROUP_XMM;
	if (has_branch_stack(event))
		groups |= X86_GROUP_BRANCHES |
			  (u64)(core->branches.nr - 1) << X86_GROUP_BRANCHES_SHIFT;
	return groups;
}

static void pebs_set_flags(struct pt_regs *regs, u64 flags)
{
	/* A bit that is not the hardware's says that the address is exact. */
	regs->flags = flags & ~PERF_EFLAGS_EXACT;
}

static void pebs_set_fixed(struct pt_regs *regs, const u64 *words)
{
	pebs_set_flags(regs, words[FIXED_FLAGS]);
	regs->ax = words[FIXED_AX];
	regs->bx = words[FIXED_BX];
	regs->cx = words[FIXED_CX];
	regs->dx = words[FIXED_DX];
	regs->si = words[FIXED_SI];
	regs->di = words[FIXED_DI];
	regs->bp = words[FIXED_BP];
	regs->sp = words[FIXED_SP];
#ifdef CONFIG_X86_64
	regs->r8 = words[FIXED_R8];
	regs->r9 = words[FIXED_R8 + 1];
	regs->r10 = words[FIXED_R8 + 2];
	regs->r11 = words[FIXED_R8 + 3];
	regs->r12 = words[FIXED_R8 + 4];
	regs->r13 = words[FIXED_R8 + 5];
	regs->r14 = words[FIXED_R8 + 6];
	regs->r15 = words[FIXED_R8 + 7];
#endif
}

static void pebs_set_gpr(struct pt_regs *regs, const u64 *words)
{
	pebs_set_flags(regs, words[GPR_FLAGS]);
	regs->ax = words[GPR_AX];
	regs->bx = words[GPR_BX];
	regs->cx = words[GPR_CX];
	regs->dx = words[GPR_DX];
	regs->si = words[GPR_SI];
	regs->di = words[GPR_DI];
	regs->bp = words[GPR_BP];
	regs->sp = words[GPR_SP];
#ifdef CONFIG_X86_64
	regs->r8 = words[GPR_R8];
	regs->r9 = words[GPR_R8 + 1];
	regs->r10 = words[GPR_R8 + 2];
	regs->r11 = words[GPR_R8 + 3];
	regs->r12 = words[GPR_R8 + 4];
	regs->r13 = words[GPR_R8 + 5];
	regs->r14 = words[GPR_R8 + 6];
	regs->r15 = words[GPR_R8 + 7];
#endif
}

static u64 pebs_ax(const struct pebs_parts *parts)
{
	if (parts->fixed)
		return parts->fixed[FIXED_AX];
	return parts->gpr ? parts->gpr[GPR_AX] : 0;
}

/* Bits of a record's word about transactions: cycles of the last one, and what became of it */
#define PEBS_TX_CYCLES		GENMASK_ULL(31, 0)
#define PEBS_TX_FLAGS		GENMASK_ULL(39, 32)

/* An abort that the program has asked for has its code in AX. */
static u64 pebs_transaction(const struct pebs_parts *parts)
{
	u64 ax = pebs_ax(parts);
	u64 txn = (parts->transaction & PEBS_TX_FLAGS) >> 32;

	if ((txn & PERF_TXN_TRANSACTION) && (ax & 1))
		txn |= ((ax >> 24) & 0xff) << PERF_TXN_ABORT_SHIFT;
	return txn;
}

static void pebs_sample_memory(struct perf_event *event, const struct x86_precise *precise,
			       const struct pebs_parts *parts, struct perf_sample_data *data)
{
	const u64 type = event->attr.sample_type;
	const u64 *memory = parts->memory;

	if (!memory)
		return;
	if (type & PEBS_ADDRESS) {
		data->addr = memory[MEMORY_ADDRESS];
		data->sample_flags |= PERF_SAMPLE_ADDR;
	}
	if (type & PERF_SAMPLE_WEIGHT_TYPE) {
		data->weight.full = event->hw.flags & X86_PRECISE_LATENCY ?
			memory[MEMORY_LATENCY] : parts->transaction & PEBS_TX_CYCLES;
		data->sample_flags |= type & PERF_SAMPLE_WEIGHT_TYPE;
	}
	if (type & PERF_SAMPLE_DATA_SRC) {
		data->data_src.val = x86_precise_source(event, memory[MEMORY_SOURCE]);
		data->sample_flags |= PERF_SAMPLE_DATA_SRC;
	}
	if (type & PERF_SAMPLE_TRANSACTION) {
		data->txn = pebs_transaction(parts);
		data->sample_flags |= PERF_SAMPLE_TRANSACTION;
	}
}

/* When it was written, if samples of the event go by the clock that the TSC makes. */
static void pebs_sample_time(struct perf_event *event, const struct pebs_parts *parts,
			     struct perf_sample_data *data)
{
	if (!parts->tsc || event->attr.use_clockid || !sched_clock_stable())
		return;
	data->time = native_sched_clock_from_tsc(parts->tsc) + __sched_clock_offset;
	data->sample_flags |= PERF_SAMPLE_TIME;
}

/**
 * x86_record_sample - fill in a sample by a record
 * @cpu: this CPU
 * @event: precise, whose period is over
 * @record: that x86_record_next() has found
 * @regs: of the interrupt
 * @data: of the sample, initialized
 * @at: set to the registers that the sample is to have
 *
 * In the interrupt.
 *
 * Return: false: the record is of a mode in which the event does not count.
 */
bool x86_record_sample(struct x86_pmu_cpu *cpu, struct perf_event *event,
		       const struct x86_record *record, struct pt_regs *regs,
		       struct perf_sample_data *data, struct x86_perf_regs *at)
{
	const u64 type = event->attr.sample_type;
	struct pebs_parts parts;
	bool exact;
	u64 ip;

	pebs_take_apart(cpu->core, record, &parts);
	if (!parts.event_ip && event->attr.precise_ip > 1)
		parts.event_ip = x86_precise_address(cpu, parts.ip);
	exact = parts.event_ip && (event->attr.precise_ip > 1 || !parts.ip);
	ip = exact ? parts.event_ip : parts.ip;
	if (x86_is_kernel(ip) ? event->attr.exclude_kernel : event->attr.exclude_user)
		return false;
	at->regs = *regs;
	at->xmm_regs = (u64 *)parts.xmm;
	/* The stack is that of the interrupt: that of the record may have gone. */
	if (type & PERF_SAMPLE_CALLCHAIN)
		perf_sample_save_callchain(data, event, regs);
	if (parts.fixed && (type & PERF_SAMPLE_REGS_INTR))
		pebs_set_fixed(&at->regs, parts.fixed);
	else if (parts.gpr && (type & PERF_SAMPLE_REGS_INTR))
		pebs_set_gpr(&at->regs, parts.gpr);
	else if (parts.fixed || parts.gpr)
		pebs_set_flags(&at->regs, parts.fixed ? parts.fixed[FIXED_FLAGS] :
				parts.gpr[GPR_FLAGS]);
	else
		at->regs.flags = 0;
	set_linear_ip(&at->regs, ip);
	/* Those that have been given may be the driver's. */
	at->regs.ss = user_mode(&at->regs) ? __USER_DS : __KERNEL_DS;
	if (exact)
		at->regs.flags |= PERF_EFLAGS_EXACT;
	pebs_sample_memory(event, &cpu->core->precise, &parts, data);
	pebs_sample_time(event, &parts, data);
	if (!has_branch_stack(event))
		return true;
	if (parts.branches)
		x86_branch_sample_of(cpu, event, data, parts.branches, parts.nr_branches);
	else
		x86_branch_sample(cpu, event, data);
	return true;
}
