// SPDX-License-Identifier: GPL-2.0
/* Fields of a sample after its leading words: fields of variable size, and rarely used ones. */
#include <linux/cgroup.h>
#include <linux/perf_event.h>
#include <linux/perf_regs.h>

#include "aux.h"
#include "output.h"
#include "sample.h"
#include "sample_fields.h"
#include "sample_user.h"

/* Get the free space of the record, in bytes, after all fields of known size are added. */
static u32 perf_sample_room(struct perf_sample_data *data, struct perf_event *event)
{
	u32 used = perf_sample_data_size(data, event);
	u64 later = event->attr.sample_type & ~data->sample_flags;

	if (later & PERF_SAMPLE_REGS_USER)
		used += hweight64(event->attr.sample_regs_user) * sizeof(u64);
	if (later & PERF_SAMPLE_REGS_INTR)
		used += hweight64(event->attr.sample_regs_intr) * sizeof(u64);
	return used < PERF_RECORD_SIZE_MAX ? PERF_RECORD_SIZE_MAX - used : 0;
}

/* PERF_SAMPLE_CALLCHAIN: { nr; ip[nr] } */

/**
 * perf_sample_save_callchain - record the callchain of a sample
 * @data: sample without a callchain
 * @event: the event; without PERF_SAMPLE_CALLCHAIN nothing is recorded
 * @regs: start of the callchain
 *
 * A driver calls this if @regs will not be valid when the sample is written. The callchain is valid
 * until the CPU takes the next sample in the same context, so preemption must remain off. If the
 * callchain makes the record too long, its outermost frames are dropped.
 */
void perf_sample_save_callchain(struct perf_sample_data *data, struct perf_event *event,
				struct pt_regs *regs)
{
	struct perf_callchain_entry *chain;
	u32 room;

	if (!(event->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		return;
	chain = perf_callchain(event, regs);
	/*
	 * A callchain with frames is in a buffer of this CPU, and can be shortened. All CPUs use
	 * the same empty callchain, which must not be changed.
	 */
	if (unlikely(chain->nr > PERF_MAX_STACK_DEPTH)) {
		room = perf_sample_room(data, event) / sizeof(u64);
		if (chain->nr > room)
			chain->nr = room;
	}
	data->callchain = chain;
	data->callchain_nr = chain->nr;
	data->dyn_size += chain->nr * sizeof(u64);
	data->sample_flags |= PERF_SAMPLE_CALLCHAIN;
}
EXPORT_SYMBOL_GPL(perf_sample_save_callchain);

static void perf_sample_write_callchain(struct perf_output_handle *handle,
					struct perf_sample_data *data, struct perf_event *event)
{
	struct perf_callchain_entry *chain = data->callchain;

	/* If the sample has no callchain, write a callchain without frames. */
	if (unlikely(!chain)) {
		perf_output_put_u64(handle, 0);
		return;
	}
	/* A BPF program may have recorded another callchain in the same buffer since. */
	if (unlikely(chain->nr != data->callchain_nr))
		chain->nr = data->callchain_nr;
	/* nr and ip[] are contiguous, as in the record. */
	perf_output_copy(handle, chain, (1 + chain->nr) * sizeof(u64));
}

/* PERF_SAMPLE_RAW: { u32 size; data[size] } */

/**
 * perf_sample_save_raw_data - set the raw data of a sample
 * @data: sample without raw data
 * @event: any event; without PERF_SAMPLE_RAW nothing happens
 * @raw: fragments, valid until the sample is written. The size, and the padding of the last
 *	fragment, are set here
 */
void perf_sample_save_raw_data(struct perf_sample_data *data, struct perf_event *event,
			       struct perf_raw_record *raw)
{
	struct perf_raw_frag *frag = &raw->frag;
	u32 bytes = frag->size;
	u32 size;

	if (!(event->attr.sample_type & PERF_SAMPLE_RAW))
		return;
	if (WARN_ON_ONCE(data->sample_flags & PERF_SAMPLE_RAW))
		return;

	while (!perf_raw_frag_last(frag)) {
		frag = frag->next;
		bytes += frag->size;
	}
	/* The size field has 4 bytes; pad so that size and data are a multiple of 8. */
	size = round_up(bytes + sizeof(u32), sizeof(u64));
	raw->size = size - sizeof(u32);
	frag->pad = raw->size - bytes;

	data->raw = raw;
	data->dyn_size += size - sizeof(u64);
	data->sample_flags |= PERF_SAMPLE_RAW;
}
EXPORT_SYMBOL_GPL(perf_sample_save_raw_data);

static void perf_sample_prepare_raw(struct perf_sample_data *data, struct perf_event *event,
				    struct pt_regs *regs)
{
	data->raw = NULL;
}

static void perf_sample_write_raw(struct perf_output_handle *handle, struct perf_sample_data *data,
				  struct perf_event *event)
{
	static const u32 nothing[2] = { sizeof(u32), 0 };
	const struct perf_raw_record *raw = data->raw;
	const struct perf_raw_frag *frag;
	unsigned int missing;

	if (!raw) {
		perf_output_put(handle, nothing);
		return;
	}
	perf_output_put(handle, raw->size);
	for (frag = &raw->frag; ; frag = frag->next) {
		if (frag->copy) {
			/* The buffer still has older records where the callback copied nothing. */
			missing = perf_output_copy_custom(handle, frag->copy, frag->data,
							  frag->size);
			perf_output_zero(handle, missing);
		} else {
			perf_output_copy(handle, frag->data, frag->size);
		}
		if (perf_raw_frag_last(frag))
			break;
	}
	if (frag->pad)
		perf_output_zero(handle, frag->pad);
}

/* PERF_SAMPLE_BRANCH_STACK: { nr; hw_idx?; entries[nr]; counters[nr]? } */

/**
 * perf_sample_save_brstack - set the branch stack of a sample
 * @data: sample without a branch stack
 * @event: any event; without PERF_SAMPLE_BRANCH_STACK nothing happens
 * @brs: the branches, valid until the sample is written
 * @brs_cntr: a word of counters for each branch, or NULL
 */
void perf_sample_save_brstack(struct perf_sample_data *data, struct perf_event *event,
			      struct perf_branch_stack *brs, u64 *brs_cntr)
{
	size_t one = sizeof(struct perf_branch_entry);

	if (!has_branch_stack(event))
		return;
	if (WARN_ON_ONCE(data->sample_flags & PERF_SAMPLE_BRANCH_STACK))
		return;

	data->br_stack = brs;
	data->br_stack_cntr = branch_sample_counters(event) ? brs_cntr : NULL;
	if (data->br_stack_cntr)
		one += sizeof(u64);
	data->dyn_size += brs->nr * one;
	data->sample_flags |= PERF_SAMPLE_BRANCH_STACK;
}
EXPORT_SYMBOL_GPL(perf_sample_save_brstack);

static void perf_sample_prepare_branches(struct perf_sample_data *data, struct perf_event *event,
					 struct pt_regs *regs)
{
	data->br_stack = NULL;
	data->br_stack_cntr = NULL;
}

static void perf_sample_write_branches(struct perf_output_handle *handle,
				       struct perf_sample_data *data, struct perf_event *event)
{
	const struct perf_branch_stack *brs = data->br_stack;
	u64 head[2] = { brs ? brs->nr : 0, brs ? brs->hw_idx : -1ULL };

	perf_output_copy(handle, head, branch_sample_hw_index(event) ? 16 : 8);
	if (!head[0])
		return;
	perf_output_copy(handle, brs->entries, brs->nr * sizeof(brs->entries[0]));
	if (data->br_stack_cntr)
		perf_output_copy(handle, data->br_stack_cntr, brs->nr * sizeof(u64));
}

/* PERF_SAMPLE_REGS_USER, PERF_SAMPLE_REGS_INTR: { abi; regs[]? } */

static u64 perf_sample_regs_size(const struct perf_regs *regs, u64 mask)
{
	return regs->abi ? hweight64(mask) * sizeof(u64) : 0;
}

static void perf_sample_write_regs(struct perf_output_handle *handle, const struct perf_regs *regs,
				   u64 mask)
{
	u64 words[65];
	int n = 0;

	words[n++] = regs->abi;
	if (regs->abi) {
		for (; mask; mask &= mask - 1)
			words[n++] = perf_reg_value(regs->regs, __ffs64(mask));
	}
	perf_output_copy(handle, words, n * sizeof(u64));
}

static void perf_sample_prepare_regs_user(struct perf_sample_data *data, struct perf_event *event,
					  struct pt_regs *regs)
{
	perf_sample_user_regs(&data->regs_user, event, regs);
	data->dyn_size += perf_sample_regs_size(&data->regs_user, event->attr.sample_regs_user);
}

static void perf_sample_write_regs_user(struct perf_output_handle *handle,
					struct perf_sample_data *data, struct perf_event *event)
{
	perf_sample_write_regs(handle, &data->regs_user, event->attr.sample_regs_user);
}

static void perf_sample_prepare_regs_intr(struct perf_sample_data *data, struct perf_event *event,
					  struct pt_regs *regs)
{
	/* The interrupt may be late, in the kernel: do not reveal the kernel's registers. */
	bool hidden = event->attr.exclude_kernel && !user_mode(regs);

	data->regs_intr.regs = hidden ? NULL : regs;
	data->regs_intr.abi = hidden ? PERF_SAMPLE_REGS_ABI_NONE : perf_reg_abi(current);
	data->dyn_size += perf_sample_regs_size(&data->regs_intr, event->attr.sample_regs_intr);
}

static void perf_sample_write_regs_intr(struct perf_output_handle *handle,
					struct perf_sample_data *data, struct perf_event *event)
{
	perf_sample_write_regs(handle, &data->regs_intr, event->attr.sample_regs_intr);
}

/* PERF_SAMPLE_STACK_USER: { size; data[size]?; dyn_size? }, the latter two unless size is 0 */

static void perf_sample_prepare_stack_user(struct perf_sample_data *data, struct perf_event *event,
					   struct pt_regs *regs)
{
	/* The stack pointer is one of the user registers: get them, unless they are already set. */
	if (!(data->sample_flags & PERF_SAMPLE_REGS_USER)) {
		perf_sample_user_regs(&data->regs_user, event, regs);
		if (event->attr.sample_type & PERF_SAMPLE_REGS_USER) {
			data->dyn_size += perf_sample_regs_size(&data->regs_user,
								event->attr.sample_regs_user);
			data->sample_flags |= PERF_SAMPLE_REGS_USER;
		}
	}
	data->stack_user_size = perf_sample_user_stack(data->regs_user.regs,
						       event->attr.sample_stack_user,
						       perf_sample_room(data, event));
	if (data->stack_user_size)
		data->dyn_size += data->stack_user_size + sizeof(u64);
}

static void perf_sample_write_stack_user(struct perf_output_handle *handle,
					 struct perf_sample_data *data, struct perf_event *event)
{
	perf_output_user_stack(handle, data->regs_user.regs, data->stack_user_size);
}

/* Words after the variable fields */

static void perf_sample_prepare_weight(struct perf_sample_data *data, struct perf_event *event,
				       struct pt_regs *regs)
{
	data->weight.full = 0;
}

static void perf_sample_prepare_data_src(struct perf_sample_data *data, struct perf_event *event,
					 struct pt_regs *regs)
{
	data->data_src.val = PERF_MEM_NA;
}

static void perf_sample_prepare_txn(struct perf_sample_data *data, struct perf_event *event,
				    struct pt_regs *regs)
{
	data->txn = 0;
}

static void perf_sample_prepare_phys_addr(struct perf_sample_data *data, struct perf_event *event,
					  struct pt_regs *regs)
{
	data->phys_addr = perf_virt_to_phys(data->addr);
}

static void perf_sample_prepare_cgroup(struct perf_sample_data *data, struct perf_event *event,
				       struct pt_regs *regs)
{
#ifdef CONFIG_CGROUP_PERF
	/* The caller's RCU section protects the cgroup. */
	data->cgroup = cgroup_id(task_css_check(current, perf_event_cgrp_id, 1)->cgroup);
#else
	data->cgroup = 0;
#endif
}

static void perf_sample_prepare_data_page(struct perf_sample_data *data, struct perf_event *event,
					  struct pt_regs *regs)
{
	data->data_page_size = perf_sample_page_size(event, data->addr);
}

static void perf_sample_prepare_code_page(struct perf_sample_data *data, struct perf_event *event,
					  struct pt_regs *regs)
{
	data->code_page_size = perf_sample_page_size(event, data->ip);
}

/* PERF_SAMPLE_AUX: { size; data[size] } */

static void perf_sample_prepare_aux(struct perf_sample_data *data, struct perf_event *event,
				    struct pt_regs *regs)
{
	u32 want = min(perf_sample_room(data, event), event->attr.aux_sample_size);

	data->aux_size = perf_aux_sample_size(READ_ONCE(event->aux_event),
					      round_down(want, sizeof(u64)));
	data->dyn_size += data->aux_size;
}

static void perf_sample_write_aux(struct perf_output_handle *handle, struct perf_sample_data *data,
				  struct perf_event *event)
{
	perf_output_put_u64(handle, data->aux_size);
	if (data->aux_size)
		perf_aux_sample_write(READ_ONCE(event->aux_event), handle, data->aux_size);
}

#define WORD(name, member, fn)				\
	{ .bit = PERF_SAMPLE_##name, .prepare = (fn),	\
	  .word = offsetof(struct perf_sample_data, member) }
#define FIELD(name, fn, out) \
	{ .bit = PERF_SAMPLE_##name, .prepare = (fn), .write = (out) }

const struct sample_field perf_sample_fields[] = {
	FIELD(CALLCHAIN,	perf_sample_save_callchain, perf_sample_write_callchain),
	FIELD(RAW,		perf_sample_prepare_raw,		perf_sample_write_raw),
	FIELD(BRANCH_STACK,	perf_sample_prepare_branches,	perf_sample_write_branches),
	FIELD(REGS_USER,	perf_sample_prepare_regs_user,	perf_sample_write_regs_user),
	FIELD(STACK_USER,	perf_sample_prepare_stack_user,	perf_sample_write_stack_user),
	WORD(WEIGHT_TYPE,	weight,			perf_sample_prepare_weight),
	WORD(DATA_SRC,		data_src,		perf_sample_prepare_data_src),
	WORD(TRANSACTION,	txn,			perf_sample_prepare_txn),
	FIELD(REGS_INTR,	perf_sample_prepare_regs_intr,	perf_sample_write_regs_intr),
	WORD(PHYS_ADDR,		phys_addr,		perf_sample_prepare_phys_addr),
	WORD(CGROUP,		cgroup,			perf_sample_prepare_cgroup),
	WORD(DATA_PAGE_SIZE,	data_page_size,		perf_sample_prepare_data_page),
	WORD(CODE_PAGE_SIZE,	code_page_size,		perf_sample_prepare_code_page),
	FIELD(AUX,		perf_sample_prepare_aux,		perf_sample_write_aux),
};

static_assert(ARRAY_SIZE(perf_sample_fields) == PERF_SAMPLE_ROWS);
