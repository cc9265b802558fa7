// SPDX-License-Identifier: GPL-2.0
/*
 * Conversion of PEBS records to samples.
 *
 * The buffer is kernel memory, but a hypervisor may write it: a record is read only within its own
 * size, which is limited by the end of the buffer.
 */
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task_stack.h>
#include <asm/intel_ds.h>
#include <asm/perf_event.h>
#include <asm/tsc.h>

#include "../engine.h"

/* Words of a record that is not adaptive; each format has added words. */
enum {
	FIXED_FLAGS, FIXED_IP, FIXED_AX, FIXED_BX, FIXED_CX, FIXED_DX, FIXED_SI, FIXED_DI,
	FIXED_BP, FIXED_SP, FIXED_R8, FIXED_WORDS_0 = FIXED_R8 + 8,
	FIXED_COUNTERS = FIXED_WORDS_0, FIXED_ADDRESS, FIXED_SOURCE, FIXED_LATENCY, FIXED_WORDS_1,
	FIXED_EVENT_IP = FIXED_WORDS_1, FIXED_TRANSACTION, FIXED_WORDS_2,
	FIXED_TSC = FIXED_WORDS_2, FIXED_WORDS_3
};

/* Words of the basic group, in each adaptive record */
enum { BASIC_GROUPS, BASIC_IP, BASIC_COUNTERS, BASIC_TSC, BASIC_WORDS };

/* The first word: groups, retire latency if x86_precise::timed, and size of the record */
#define BASIC_GROUPS_MASK	GENMASK_ULL(31, 0)
#define BASIC_RETIRE_SHIFT	32
#define BASIC_SIZE_SHIFT	48

/* Words of the first optional group: memory */
enum { MEMORY_ADDRESS, MEMORY_SOURCE, MEMORY_LATENCY, MEMORY_TRANSACTION, MEMORY_WORDS };

/* Words of the second optional group: general registers */
enum {
	GPR_FLAGS, GPR_IP, GPR_AX, GPR_CX, GPR_DX, GPR_BX, GPR_SP, GPR_BP, GPR_SI, GPR_DI,
	GPR_R8, GPR_WORDS = GPR_R8 + 8
};

/* Words of the third optional group (vector registers), and of one branch in the fourth */
#define XMM_WORDS		32
#define BRANCH_WORDS		3

/**
 * struct pebs_parts - decoded record; NULL or 0: not in the record
 * @ip: address of the instruction after the event
 * @event_ip: address of the instruction of the event
 * @tsc: time stamp
 * @memory: MEMORY_*, the first three
 * @transaction: transaction status, in the format of MEMORY_TRANSACTION
 * @retire_latency: cycles from the retirement of the previous instruction to the retirement of the
 *	event's instruction
 * @gpr: GPR_*
 * @fixed: FIXED_*, in place of @gpr
 * @xmm: vector registers
 * @branches: raw branch records, the newest first
 * @nr_branches: number of @branches
 */
struct pebs_parts {
	u64				ip;
	u64				event_ip;
	u64				tsc;
	const u64			*memory;
	u64				transaction;
	u16				retire_latency;
	const u64			*gpr;
	const u64			*fixed;
	const u64			*xmm;
	const struct x86_branch_raw	*branches;
	unsigned int			nr_branches;
};

/**
 * x86_record_next - find a record in a buffer
 * @precise: PEBS of the core type
 * @at: start of the record
 * @end: end of the records written
 * @record: receives the record
 *
 * Return: true on success, false if there is no complete record.
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

/* Returns the next group of a record, NULL if it is missing or incomplete. */
static const u64 *pebs_group(const u64 **next, const u64 *end, bool has, size_t words)
{
	const u64 *group = *next;

	if (!has || !group)
		return NULL;
	if (end - group < words) {
		/* Without this group, the following ones cannot be found. */
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
		} else if (!core->precise.no_event_ip) {
			parts->event_ip = parts->ip;
		}
		if (core->precise.format >= 3)
			parts->tsc = words[FIXED_TSC];
		return;
	}
	groups = words[BASIC_GROUPS] & BASIC_GROUPS_MASK;
	next = words + BASIC_WORDS;
	parts->event_ip = words[BASIC_IP];
	parts->tsc = words[BASIC_TSC];
	if (core->precise.timed)
		parts->retire_latency = words[BASIC_GROUPS] >> BASIC_RETIRE_SHIFT;
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

/* Sample fields about memory and transactions */
#define PEBS_ADDRESS	(PERF_SAMPLE_ADDR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE)
#define PEBS_MEMORY	(PEBS_ADDRESS | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT_TYPE |	\
			 PERF_SAMPLE_TRANSACTION)

/**
 * x86_precise_data_cfg - choose the groups of an event's records
 * @core: the PMU
 * @event: a precise event
 *
 * Return: value for MSR_PEBS_DATA_CFG, 0 if records are not adaptive.
 */
u64 x86_precise_data_cfg(const struct x86_core *core, const struct perf_event *event)
{
	const u64 type = event->attr.sample_type;
	u64 data_cfg = 0, regs = 0;

	if (!core->precise.adaptive)
		return 0;
	if (type & PERF_SAMPLE_REGS_INTR)
		regs |= event->attr.sample_regs_intr;
	if (type & PERF_SAMPLE_REGS_USER)
		regs |= event->attr.sample_regs_user;
	if (type & PEBS_MEMORY)
		data_cfg |= X86_GROUP_MEMORY;
	/* GPR_IP is the address of a sample with precise_ip 1. AX has the code of XABORT. */
	if (event->attr.precise_ip < 2 || (type & PERF_SAMPLE_TRANSACTION) ||
	    (regs & ~PERF_REG_EXTENDED_MASK))
		data_cfg |= X86_GROUP_REGISTERS;
	if (regs & PERF_REG_EXTENDED_MASK)
		data_cfg |= X86_GROUP_XMM;
	if (has_branch_stack(event))
		data_cfg |= X86_GROUP_BRANCHES |
			    (u64)(core->branches.nr - 1) << X86_GROUP_BRANCHES_SHIFT;
	return data_cfg;
}

static void pebs_set_flags(struct pt_regs *regs, u64 flags)
{
	/* PERF_EFLAGS_EXACT is not a hardware flag. */
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

/* Transaction word of a record: cycles of the last transaction, and its status */
#define PEBS_TX_CYCLES		GENMASK_ULL(31, 0)
#define PEBS_TX_FLAGS		GENMASK_ULL(39, 32)

/* The code of an XABORT instruction is in AX. */
static u64 pebs_transaction(const struct pebs_parts *parts)
{
	u64 ax = pebs_ax(parts);
	u64 txn = (parts->transaction & PEBS_TX_FLAGS) >> 32;

	if ((txn & PERF_TXN_TRANSACTION) && (ax & 1))
		txn |= ((ax >> 24) & 0xff) << PERF_TXN_ABORT_SHIFT;
	return txn;
}

/*
 * An instruction in user mode may access memory of the kernel: a load of a segment register reads a
 * descriptor table. An event that excludes the kernel does not get such an address. The next
 * instruction may be in the kernel, too, as after INT: the registers of the record then have the
 * kernel's stack pointer, and the event does not get them.
 */
static bool pebs_may_show(const struct perf_event *event, u64 address)
{
	return !event->attr.exclude_kernel || !x86_is_kernel(address);
}

/*
 * Linear address masking (LAM): bits 62 to 57 of a pointer to user space may be a tag, which is no
 * part of the linear address. A page is found only without the tag. Addresses of code have none.
 */
#define PEBS_TAG		GENMASK_ULL(62, 57)

static u64 pebs_untagged(u64 address)
{
	return x86_is_kernel(address) ? address : address & ~PEBS_TAG;
}

/* Latency word of a core type with x86_access_format::two_latencies */
#define LATENCY_MASK		GENMASK_ULL(15, 0)
#define LATENCY_CACHE_SHIFT	32

/*
 * An event without latency has the length of the transaction as weight. The latency of such an
 * event is 0 in adaptive records; in other records the latency word is not valid, and is ignored.
 */
static void pebs_sample_weight(const struct perf_event *event, const struct x86_core *core,
			       const struct pebs_parts *parts, struct perf_sample_data *data)
{
	const struct x86_access_format *format = core->model->accesses;
	u64 latency = parts->memory[MEMORY_LATENCY], instruction = 0;

	if (!core->precise.adaptive && !(event->hw.flags & X86_PRECISE_LATENCY))
		latency = 0;
	if (format && format->two_latencies) {
		instruction = latency & LATENCY_MASK;
		latency = latency >> LATENCY_CACHE_SHIFT & LATENCY_MASK;
	}
	latency = latency ?: parts->transaction & PEBS_TX_CYCLES;
	data->weight.full = latency;
	if (event->attr.sample_type & PERF_SAMPLE_WEIGHT_STRUCT) {
		data->weight.var1_dw = latency;
		data->weight.var2_w = instruction;
		data->weight.var3_w = parts->retire_latency;
	}
	data->sample_flags |= event->attr.sample_type & PERF_SAMPLE_WEIGHT_TYPE;
}

static void pebs_sample_memory(struct perf_event *event, const struct x86_core *core,
			       const struct pebs_parts *parts, struct perf_sample_data *data)
{
	const u64 type = event->attr.sample_type;
	const u64 *memory = parts->memory;

	if (!memory)
		return;
	if ((type & PEBS_ADDRESS) && pebs_may_show(event, memory[MEMORY_ADDRESS])) {
		data->addr = pebs_untagged(memory[MEMORY_ADDRESS]);
		data->sample_flags |= PERF_SAMPLE_ADDR;
	}
	if (type & PERF_SAMPLE_WEIGHT_TYPE)
		pebs_sample_weight(event, core, parts, data);
	if (type & PERF_SAMPLE_DATA_SRC) {
		data->data_src.val = x86_pebs_data_src(core->model, event,
						       memory[MEMORY_SOURCE]);
		data->sample_flags |= PERF_SAMPLE_DATA_SRC;
	}
	if (type & PERF_SAMPLE_TRANSACTION) {
		data->txn = pebs_transaction(parts);
		data->sample_flags |= PERF_SAMPLE_TRANSACTION;
	}
}

/* Use the time stamp if the perf clock is derived from the TSC. */
static void pebs_sample_time(struct perf_event *event, const struct pebs_parts *parts,
			     struct perf_sample_data *data)
{
	if (!parts->tsc || event->attr.use_clockid || !x86_perf_clock_is_tsc())
		return;
	data->time = native_sched_clock_from_tsc(parts->tsc) + __sched_clock_offset;
	data->sample_flags |= PERF_SAMPLE_TIME;
}

/*
 * Start with the registers of the interrupt, @regs. But if the record is from user space and the
 * interrupt is in the kernel, the kernel's registers with the IP of the record would look like
 * registers of user space. Then start with the registers that user space had at kernel entry.
 */
static void pebs_start_registers(struct pt_regs *at, struct pt_regs *regs, u64 ip)
{
	if (x86_is_kernel(ip) || user_mode(regs))
		*at = *regs;
	else if (current->flags & (PF_KTHREAD | PF_USER_WORKER))
		*at = (struct pt_regs){ };
	else
		*at = *task_pt_regs(current);
}

/*
 * Does the sample have the registers of the record? If an instruction of user space enters the
 * kernel, its address is the address @ip of the sample, but the record has registers of the kernel.
 * A sample with an address of user space has a single set of registers: for
 * PERF_SAMPLE_REGS_INTR, for PERF_SAMPLE_REGS_USER, and for the start of the user stack. So if the
 * event samples registers or the stack of user space, such a sample does not have the registers of
 * the record.
 */
static bool pebs_has_registers(const struct perf_event *event, const struct pebs_parts *parts,
			       u64 ip)
{
	const u64 type = event->attr.sample_type;
	bool kernel = x86_is_kernel(parts->ip);

	if ((type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)) && kernel &&
	    !x86_is_kernel(ip))
		return false;
	return ((type & PERF_SAMPLE_REGS_INTR) && pebs_may_show(event, parts->ip)) ||
	       ((type & PERF_SAMPLE_REGS_USER) && !kernel);
}

/**
 * x86_record_sample - fill a sample from a record
 * @cpu: this CPU
 * @event: a precise event whose period has ended
 * @record: the record
 * @regs: registers of the interrupt, or of the caller
 * @data: initialized sample data
 * @at: receives the registers of the sample
 *
 * Context: as x86_precise_drain().
 * Return: true on success, false if the event excludes the mode of the record.
 */
bool x86_record_sample(struct x86_pmu_cpu *cpu, struct perf_event *event,
		       const struct x86_record *record, struct pt_regs *regs,
		       struct perf_sample_data *data, struct x86_perf_regs *at)
{
	const u64 type = event->attr.sample_type;
	struct pebs_parts parts;
	bool exact, has_regs;
	u64 ip;

	pebs_take_apart(cpu->core, record, &parts);
	if (!parts.event_ip && event->attr.precise_ip > 1)
		parts.event_ip = x86_precise_address(cpu, parts.ip);
	exact = parts.event_ip && (event->attr.precise_ip > 1 || !parts.ip);
	ip = exact ? parts.event_ip : parts.ip;
	if (x86_is_kernel(ip) ? event->attr.exclude_kernel : event->attr.exclude_user)
		return false;
	pebs_start_registers(&at->regs, regs, ip);
	at->xmm_regs = (u64 *)parts.xmm;
	/* The stack may have changed since the record: use the registers of the interrupt. */
	if (type & PERF_SAMPLE_CALLCHAIN)
		perf_sample_save_callchain(data, event, regs);
	has_regs = pebs_has_registers(event, &parts, ip);
	if (parts.fixed && has_regs)
		pebs_set_fixed(&at->regs, parts.fixed);
	else if (parts.gpr && has_regs)
		pebs_set_gpr(&at->regs, parts.gpr);
	else if (!parts.fixed && !parts.gpr)
		at->regs.flags = 0;
	else if (x86_is_kernel(parts.ip) && !x86_is_kernel(ip))
		/* The flags of the record are the kernel's, too. */
		pebs_set_flags(&at->regs, at->regs.flags);
	else
		pebs_set_flags(&at->regs, parts.fixed ? parts.fixed[FIXED_FLAGS] :
				parts.gpr[GPR_FLAGS]);
	set_linear_ip(&at->regs, ip);
	/* A PEBS record has no SS: set the SS of the mode in CS, which set_linear_ip() has set. */
	at->regs.ss = user_mode(&at->regs) ? __USER_DS : __KERNEL_DS;
	if (exact)
		at->regs.flags |= PERF_EFLAGS_EXACT;
	pebs_sample_memory(event, cpu->core, &parts, data);
	pebs_sample_time(event, &parts, data);
	if (!has_branch_stack(event))
		return true;
	if (parts.branches)
		x86_branch_sample_of(cpu, event, data, parts.branches, parts.nr_branches, -1ULL);
	else if (in_nmi())
		x86_branch_sample(cpu, event, data);
	else
		/* Drained before the interrupt: the unit still records, and has other branches. */
		x86_branch_sample_of(cpu, event, data, NULL, 0, -1ULL);
	return true;
}
