// SPDX-License-Identifier: GPL-2.0
/*
 * Branch types of an event: the hardware filter, and the filter of each sample.
 */
#include "engine.h"

/* With a call stack: bits of branch_sample_type that are invalid, and bits that are ignored */
#define X86_TYPE_KINDS							\
	(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_CALL |		\
	 PERF_SAMPLE_BRANCH_ANY_RETURN | PERF_SAMPLE_BRANCH_IND_CALL |	\
	 PERF_SAMPLE_BRANCH_ABORT_TX | PERF_SAMPLE_BRANCH_COND)
#define X86_TYPE_IGNORED	(PERF_SAMPLE_BRANCH_IND_JUMP | PERF_SAMPLE_BRANCH_CALL)

/**
 * struct x86_branch_name - a bit of branch_sample_type
 * @type: PERF_SAMPLE_BRANCH_*
 * @kinds: mask of X86_BRANCH_*
 * @classes: the classes of LBR_SELECT that include these types
 */
struct x86_branch_name {
	u64	type;
	u32	kinds;
	u64	classes;
};

static const struct x86_branch_name x86_branch_names[] = {
	{ PERF_SAMPLE_BRANCH_ANY, X86_BRANCH_ALL, X86_LBR_CLASSES },
	{ PERF_SAMPLE_BRANCH_ANY_CALL,
	  BIT(X86_BRANCH_CALL) | BIT(X86_BRANCH_ZERO_CALL) | BIT(X86_BRANCH_IND_CALL) |
	  BIT(X86_BRANCH_SYSCALL) | BIT(X86_BRANCH_INT) | BIT(X86_BRANCH_IRQ),
	  X86_LBR_REL_CALL | X86_LBR_IND_CALL | X86_LBR_FAR },
	{ PERF_SAMPLE_BRANCH_ANY_RETURN,
	  BIT(X86_BRANCH_RET) | BIT(X86_BRANCH_SYSRET) | BIT(X86_BRANCH_IRET),
	  X86_LBR_RET | X86_LBR_FAR },
	{ PERF_SAMPLE_BRANCH_IND_CALL, BIT(X86_BRANCH_IND_CALL), X86_LBR_IND_CALL },
	{ PERF_SAMPLE_BRANCH_COND, BIT(X86_BRANCH_JCC), X86_LBR_JCC },
	{ PERF_SAMPLE_BRANCH_IND_JUMP, BIT(X86_BRANCH_IND_JMP), X86_LBR_IND_JMP },
	{ PERF_SAMPLE_BRANCH_CALL, BIT(X86_BRANCH_CALL) | BIT(X86_BRANCH_ZERO_CALL),
	  X86_LBR_REL_CALL },
	/* A transaction may abort at any instruction. */
	{ PERF_SAMPLE_BRANCH_ABORT_TX, BIT(X86_BRANCH_ABORT), X86_LBR_CLASSES },
	/* Zero calls are not part of the call stack. */
	{ PERF_SAMPLE_BRANCH_CALL_STACK,
	  BIT(X86_BRANCH_CALL) | BIT(X86_BRANCH_IND_CALL) | BIT(X86_BRANCH_RET),
	  X86_LBR_REL_CALL | X86_LBR_IND_CALL | X86_LBR_RET },
};

/* Branch types of struct perf_branch_entry */
static const u8 x86_branch_types[X86_BRANCH_KINDS] = {
	[X86_BRANCH_NONE]	= PERF_BR_UNKNOWN,
	[X86_BRANCH_JCC]	= PERF_BR_COND,
	[X86_BRANCH_CALL]	= PERF_BR_CALL,
	[X86_BRANCH_ZERO_CALL]	= PERF_BR_CALL,
	[X86_BRANCH_IND_CALL]	= PERF_BR_IND_CALL,
	[X86_BRANCH_RET]	= PERF_BR_RET,
	[X86_BRANCH_IND_JMP]	= PERF_BR_IND,
	[X86_BRANCH_JMP]	= PERF_BR_UNCOND,
	[X86_BRANCH_SYSCALL]	= PERF_BR_SYSCALL,
	[X86_BRANCH_SYSRET]	= PERF_BR_SYSRET,
	[X86_BRANCH_INT]	= PERF_BR_UNKNOWN,
	[X86_BRANCH_IRET]	= PERF_BR_UNKNOWN,
	[X86_BRANCH_IRQ]	= PERF_BR_UNKNOWN,
	[X86_BRANCH_ABORT]	= PERF_BR_UNKNOWN,
};

/* Set in hw.branch_reg.reg: decode the instruction of each branch */
#define X86_DECODE_BRANCH	BIT(X86_BRANCH_NONE)

/* LBR_SELECT of an event: a set bit excludes a class. */
static u64 x86_branch_select(const struct x86_core *core, u64 type, u64 classes)
{
	u64 select;

	if ((core->branches.flags & X86_UNIT_CALLS_JUMP) &&
	    (classes & (X86_LBR_IND_CALL | X86_LBR_REL_CALL | X86_LBR_RET))) {
		classes |= X86_LBR_IND_JMP;
		if (classes & (X86_LBR_REL_CALL | X86_LBR_RET))
			classes |= X86_LBR_REL_JMP;
	}
	select = X86_LBR_CLASSES & ~classes;
	if (!(type & PERF_SAMPLE_BRANCH_KERNEL))
		select |= X86_LBR_NOT_KERNEL;
	if (!(type & PERF_SAMPLE_BRANCH_USER))
		select |= X86_LBR_NOT_USER;
	if (type & PERF_SAMPLE_BRANCH_CALL_STACK)
		select |= X86_LBR_CALL_STACK;
	return select;
}

/* Does the hardware filter pass only branches of the event's types? */
static bool x86_branch_exact(const struct x86_core *core, u32 kinds, u64 classes)
{
	if (kinds == X86_BRANCH_ALL)
		return true;
	if (!core->branches.select.msr || (core->branches.flags & X86_UNIT_CALLS_JUMP))
		return false;
	/* LBR_SELECT has a single class for all types of far branches. */
	return !(classes & X86_LBR_FAR);
}

/**
 * x86_branch_filter_init - compute the branch filter of a new event
 * @core: the PMU, with a branch unit
 * @event: the new event. Its hw.branch_reg receives the filter register in config, and the mask of
 *	branch types, with X86_DECODE_BRANCH, in reg
 *
 * Context: process.
 * Return: 0 on success, -EOPNOTSUPP if the CPU does not support the types, -EINVAL if the
 * combination is invalid or includes branch counters.
 */
int x86_branch_filter_init(const struct x86_core *core, struct perf_event *event)
{
	u64 type = event->attr.branch_sample_type;
	struct hw_perf_event_extra *reg = &event->hw.branch_reg;
	u64 classes = 0;
	u32 kinds = 0;
	int i;

	if (type & PERF_SAMPLE_BRANCH_CALL_STACK) {
		if (!(core->branches.flags & X86_UNIT_CALL_STACK))
			return perf_event_refuse(event, "attr.branch_sample_type",
						 "has PERF_SAMPLE_BRANCH_CALL_STACK, which this processor lacks",
						 -EOPNOTSUPP);
		if (type & (X86_TYPE_KINDS | PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_NO_TX))
			return perf_event_refuse(event, "attr.branch_sample_type",
						 "has PERF_SAMPLE_BRANCH_CALL_STACK and other types: set only one",
						 -EINVAL);
		type &= ~X86_TYPE_IGNORED;
	}
	/* Some processors have branch counters, see Documentation/arch/x86/perf-counters.rst. */
	if (branch_sample_counters(event))
		return perf_event_refuse(event, "attr.branch_sample_type",
					 "has branch counters, which this driver does not support",
					 -EINVAL);
	for (i = 0; i < ARRAY_SIZE(x86_branch_names); i++) {
		if (!(type & x86_branch_names[i].type))
			continue;
		kinds |= x86_branch_names[i].kinds;
		classes |= x86_branch_names[i].classes;
	}
	reg->config = core->branches.select.msr ? x86_branch_select(core, type, classes) : 0;
	if (core->branches.ops->filter)
		reg->config = core->branches.ops->filter(core, reg->config);
	reg->reg = kinds;
	if (branch_sample_type(event) || !x86_branch_exact(core, kinds, classes))
		reg->reg |= X86_DECODE_BRANCH;
	return 0;
}

/**
 * x86_branch_needs_info - check whether an event needs x86_branch_raw::info
 * @core: the PMU
 * @event: an event with a branch stack
 *
 * Return: true if it does.
 */
bool x86_branch_needs_info(const struct x86_core *core, const struct perf_event *event)
{
	const u64 type = event->attr.branch_sample_type;

	/* If an instruction cannot be read, info is the only source of its branch type. */
	if (core->branches.info_kind && (event->hw.branch_reg.reg & X86_DECODE_BRANCH))
		return true;
	return !branch_sample_no_flags(event) || !branch_sample_no_cycles(event) ||
	       (type & (PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_NO_TX |
			PERF_SAMPLE_BRANCH_ABORT_TX));
}

static bool x86_branch_mode_matches(const struct perf_event *event,
				    const struct perf_branch_entry *entry)
{
	const u64 type = event->attr.branch_sample_type;

	if (x86_is_kernel(entry->to))
		return type & PERF_SAMPLE_BRANCH_KERNEL;
	if (!(type & PERF_SAMPLE_BRANCH_USER))
		return false;
	/* An event without kernel mode must not see kernel addresses. */
	return !x86_is_kernel(entry->from) || (type & PERF_SAMPLE_BRANCH_KERNEL);
}

static bool x86_branch_tx_matches(u64 type, const struct perf_branch_entry *entry)
{
	if ((type & PERF_SAMPLE_BRANCH_IN_TX) && !entry->in_tx)
		return type & PERF_SAMPLE_BRANCH_NO_TX;
	return !(type & PERF_SAMPLE_BRANCH_NO_TX) || !entry->in_tx ||
	       (type & PERF_SAMPLE_BRANCH_IN_TX);
}

/* The branch type that the CPU has recorded; X86_BRANCH_NONE: none */
static enum x86_branch_kind x86_branch_recorded_kind(const struct perf_branch_entry *entry)
{
	enum x86_branch_kind kind;

	if (entry->type == PERF_BR_UNKNOWN)
		return X86_BRANCH_NONE;
	for (kind = X86_BRANCH_JCC; kind < X86_BRANCH_KINDS; kind++) {
		if (x86_branch_types[kind] == entry->type)
			return kind;
	}
	return X86_BRANCH_NONE;
}

/**
 * x86_branch_filter - convert and filter a branch for an event
 * @event: an event with a branch stack
 * @raw: the record, with x86_branch_raw::info if the event needs it
 * @core: the PMU of this CPU
 * @entry: receives the branch
 *
 * Context: any.
 * Return: true on success, false if the record is not valid, or branch_sample_type excludes the
 * branch.
 */
bool x86_branch_filter(const struct perf_event *event, const struct x86_branch_raw *raw,
		       const struct x86_core *core, struct perf_branch_entry *entry)
{
	const u64 type = event->attr.branch_sample_type;
	enum x86_branch_kind kind;
	u32 kinds = event->hw.branch_reg.reg;
	bool aborted;

	perf_clear_branch_entry_bitfields(entry);
	if (!core->branches.ops->decode(core, raw, entry) ||
	    !x86_branch_mode_matches(event, entry) || !x86_branch_tx_matches(type, entry))
		return false;
	aborted = entry->abort;
	if (branch_sample_no_cycles(event))
		entry->cycles = 0;
	if (!(kinds & X86_DECODE_BRANCH))
		return true;
	/*
	 * Decode the instruction first, because the CPU does not record all types, for example INT.
	 * If the instruction cannot be read, for example because its page is not present, use the
	 * recorded type.
	 */
	kind = x86_branch_kind_at(entry->from, entry->to, aborted,
				  core->branches.flags & X86_UNIT_FUSES);
	if (kind == X86_BRANCH_NONE)
		kind = x86_branch_recorded_kind(entry);
	/* Drop a branch of unknown type, unless the event has all types. */
	if (kind != X86_BRANCH_NONE ? !(kinds & BIT(kind)) : (~kinds & X86_BRANCH_ALL))
		return false;
	if (branch_sample_type(event))
		entry->type = x86_branch_types[kind];
	return true;
}
