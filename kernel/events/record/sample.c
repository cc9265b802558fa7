// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_RECORD_SAMPLE: layout, collection and writing.
 *
 * Each field has one row in a table, in the order of the record. The rows of the one-word fields of
 * most samples are in this file, the others in sample_fields.c. Each field has at least 8 bytes.
 * perf_sample_layout() counts these 8 bytes when an event is opened. When a sample is prepared, the
 * further bytes of its fields are added to perf_sample_data::dyn_size.
 *
 * One CPU prepares and writes a sample. The event's group does not change during that time,
 * unless the sample is about a task that does not run.
 */
#include <linux/lockdep.h>
#include <linux/pid.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>

#include "../cold.h"
#include "output.h"
#include "sample.h"
#include "sample_fields.h"
#include "sample_read.h"

/* The leading words of a sample, the only fields of most samples */
#define SAMPLE_LEADING							\
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |	\
	 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |		\
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
#define NR_LEADING		9
#define NR_TRAILING		6

/* A walk of the table ends at the row of the last bit, so each bit of the ABI needs a row. */
static_assert((SAMPLE_LEADING | PERF_SAMPLE_READ | PERF_SAMPLE_TABLED) == PERF_SAMPLE_MAX - 1);
static_assert(!((SAMPLE_LEADING | PERF_SAMPLE_READ) & PERF_SAMPLE_TABLED));

/**
 * perf_event_pid - get a process id in the event's pid namespace
 * @event: the event
 * @task: any task, under RCU
 *
 * A released thread has no thread id any more, but its process still has an id.
 *
 * Return: the id, 0 if the task is not in that namespace, -1 if its process has no id any more
 */
u32 perf_event_pid(const struct perf_event *event, struct task_struct *task)
{
	struct pid_namespace *ns = perf_event_ns(event);
	u32 pid;

	if (likely(ns == &init_pid_ns && pid_alive(task)))
		return task->tgid;
	pid = task_tgid_nr_ns(task, ns);
	return pid || pid_alive(task) ? pid : -1;
}

/**
 * perf_event_tid - get a thread id in the event's pid namespace
 * @event: the event
 * @task: any task, under RCU
 *
 * Return: the id, 0 if the task is not in that namespace, -1 if it has no id any more
 */
u32 perf_event_tid(const struct perf_event *event, struct task_struct *task)
{
	struct pid_namespace *ns = perf_event_ns(event);
	u32 tid;

	if (likely(ns == &init_pid_ns && pid_alive(task)))
		return task->pid;
	tid = task_pid_nr_ns(task, ns);
	return tid || pid_alive(task) ? tid : -1;
}

#define WORD(name, member)						\
	{ .bit = PERF_SAMPLE_##name, .word = offsetof(struct perf_sample_data, member) }

/* Leading words of a sample, in order; perf_sample_get_word() computes their values. */
static const struct sample_field perf_sample_leading_fields[NR_LEADING] = {
	WORD(IDENTIFIER,	id),
	WORD(IP,		ip),
	WORD(TID,		tid_entry),
	WORD(TIME,		time),
	WORD(ADDR,		addr),
	WORD(ID,		id),
	WORD(STREAM_ID,		stream_id),
	WORD(CPU,		cpu_entry),
	WORD(PERIOD,		period),
};

/* Words at the end of all other records (sample_id), in order */
static const struct sample_field perf_sample_trailing_fields[NR_TRAILING] = {
	WORD(TID,		tid_entry),
	WORD(TIME,		time),
	WORD(ID,		id),
	WORD(STREAM_ID,		stream_id),
	WORD(CPU,		cpu_entry),
	WORD(IDENTIFIER,	id),
};

/* Combine two halves of a word, in memory order. */
static __always_inline u64 perf_sample_word_of(u32 first, u32 second)
{
	union {
		u32	half[2];
		u64	word;
	} pair = { .half = { first, second } };

	return pair.word;
}

static __always_inline u64 perf_sample_ids_of_current(const struct perf_event *event)
{
	if (likely(pid_alive(current) && perf_event_ns(event) == &init_pid_ns))
		return perf_sample_word_of(current->tgid, current->pid);
	return perf_sample_word_of(perf_event_pid(event, current), perf_event_tid(event, current));
}

/* Get a leading word that no driver has set. */
static __always_inline u64 perf_sample_get_word(u32 bit, const struct perf_event *event,
						struct pt_regs *regs)
{
	switch (bit) {
	case PERF_SAMPLE_IDENTIFIER:
	case PERF_SAMPLE_ID:
		return perf_event_parent(event)->id;
	case PERF_SAMPLE_IP:
		return perf_instruction_pointer(regs);
	case PERF_SAMPLE_TID:
		return perf_sample_ids_of_current(event);
	case PERF_SAMPLE_TIME:
		return event->clock();
	case PERF_SAMPLE_STREAM_ID:
		return event->id;
	case PERF_SAMPLE_CPU:
		return perf_sample_word_of(raw_smp_processor_id(), 0);
	}
	/* The address and the period are 0, unless the event's source has set them in @data. */
	return 0;
}

static __always_inline u64 *perf_sample_field_word(const struct sample_field *field,
						   const struct perf_sample_data *data)
{
	return (u64 *)((char *)data + field->word);
}

/*
 * The next three functions walk all rows of a table. The tables are constant, so the compiler can
 * unroll the walk to a test and a move for each row.
 */

static __always_inline void perf_sample_collect_words(struct perf_sample_data *data,
						      const struct perf_event *event,
						      struct pt_regs *regs,
						      const struct sample_field *fields, int nr,
						      u64 want)
{
	int i;

#pragma GCC unroll 9
	for (i = 0; i < nr; i++) {
		if (want & fields[i].bit)
			*perf_sample_field_word(&fields[i], data) =
				perf_sample_get_word(fields[i].bit, event, regs);
	}
}

static __always_inline u64 *perf_sample_put_words(u64 *to, const struct perf_sample_data *data,
						  const struct sample_field *fields, int nr,
						  u64 type)
{
	int i;

#pragma GCC unroll 9
	for (i = 0; i < nr; i++) {
		if (type & fields[i].bit)
			*to++ = *perf_sample_field_word(&fields[i], data);
	}
	return to;
}

/* perf_sample_collect_words() and perf_sample_put_words() in one pass, without stores to @data */
static __always_inline void perf_sample_put_leading(u64 *to, const struct perf_sample_data *data,
						    const struct perf_event *event,
						    struct pt_regs *regs, u64 type)
{
	u64 known = data->sample_flags;
	int i;

#pragma GCC unroll 9
	for (i = 0; i < NR_LEADING; i++) {
		const struct sample_field *field = &perf_sample_leading_fields[i];

		if (type & field->bit)
			*to++ = known & field->bit ? *perf_sample_field_word(field, data) :
						     perf_sample_get_word(field->bit, event, regs);
	}
}

/**
 * perf_sample_layout - compute the constant sizes of an event's records
 * @event: event with its group; its context's lock is held, or the event is not published yet
 *
 * event->header_size is the size of a sample with empty variable fields, without the counter
 * values; event->read_size is the size of the counter values, event->id_header_size that of the
 * words at the end of other records.
 */
void perf_sample_layout(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	u64 type = attr->sample_type;
	u16 size;

	size = sizeof(struct perf_event_header) +
	       hweight64(type & ~PERF_SAMPLE_READ) * sizeof(u64);
	if ((type & PERF_SAMPLE_BRANCH_STACK) && branch_sample_hw_index(event))
		size += sizeof(u64);
	event->header_size = size;
	event->id_header_size = hweight64(type & PERF_SAMPLE_ID_ALL) * sizeof(u64);
	WRITE_ONCE(event->read_size,
		   perf_event_read_size(attr->read_format, event->group_leader->nr_siblings));
}

static void perf_sample_layout_values(struct perf_event *event, unsigned int nr_siblings)
{
	/* Without PERF_FORMAT_GROUP the size does not depend on the group. */
	if (event->attr.read_format & PERF_FORMAT_GROUP)
		WRITE_ONCE(event->read_size,
			   perf_event_read_size(event->attr.read_format, nr_siblings));
}

/**
 * perf_sample_layout_group - compute the sizes that depend on the number of group members
 * @leader: group leader; its context's lock is held, or the group is not published yet
 *
 * perf_sample_layout() has been called for each member.
 */
void perf_sample_layout_group(struct perf_event *leader)
{
	struct perf_event *member;

	perf_sample_layout_values(leader, leader->nr_siblings);
	for_each_sibling_event(member, leader)
		perf_sample_layout_values(member, leader->nr_siblings);
}

/**
 * perf_sample_data_size - get the size of a sample's record
 * @data: the sample, as far as it is prepared
 * @event: event of the sample
 *
 * Return: bytes, including the header
 */
u32 perf_sample_data_size(struct perf_sample_data *data, struct perf_event *event)
{
	u32 size = event->header_size + data->dyn_size;

	if (event->attr.sample_type & PERF_SAMPLE_READ)
		size += READ_ONCE(event->read_size);
	return size;
}
EXPORT_SYMBOL_GPL(perf_sample_data_size);

/*
 * Only raw data and branch stacks can make a record too long. Drop the raw data and, if the record
 * is still too long, the branch stack.
 */
static void perf_sample_shed_excess(struct perf_sample_data *data, struct perf_event *event)
{
	u32 size;

	if ((data->sample_flags & PERF_SAMPLE_RAW) && data->raw) {
		data->dyn_size -= data->raw->size + sizeof(u32) - sizeof(u64);
		data->raw = NULL;
	}
	if (perf_sample_data_size(data, event) > PERF_RECORD_SIZE_MAX &&
	    (data->sample_flags & PERF_SAMPLE_BRANCH_STACK) && data->br_stack) {
		size = sizeof(struct perf_branch_entry);
		if (data->br_stack_cntr)
			size += sizeof(u64);
		data->dyn_size -= data->br_stack->nr * size;
		data->br_stack = NULL;
		data->br_stack_cntr = NULL;
	}
}

static void perf_sample_collect_others(struct perf_sample_data *data, struct perf_event *event,
				       struct pt_regs *regs, u64 want)
{
	const struct sample_field *field;
	u64 elastic = want & PERF_SAMPLE_ELASTIC;
	u64 left = want & ~elastic;

	for (field = perf_sample_fields; left; field++) {
		if (!(left & field->bit))
			continue;
		if (field->prepare && !(data->sample_flags & field->bit))
			field->prepare(data, event, regs);
		data->sample_flags |= field->bit & want;
		left &= ~(u64)field->bit;
	}
	for (field = perf_sample_fields; elastic; field++) {
		if (!(elastic & field->bit))
			continue;
		field->prepare(data, event, regs);
		data->sample_flags |= field->bit;
		elastic &= ~(u64)field->bit;
	}
}

/*
 * Collect the missing fields, and return the size of the record in bytes. If the record would be
 * too long, drop data and return 0. The group of a sleeping task may change on another CPU, so
 * perf_sample_data_size() may return a different value later: the caller must use the size that is
 * returned here.
 */
static u32 perf_sample_prepare(struct perf_sample_data *data, struct perf_event *event,
			       struct pt_regs *regs)
{
	u64 type = event->attr.sample_type;
	u64 want = type;
	u32 size;

	/* Some fields are computed from others. */
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		want |= PERF_SAMPLE_IP;
	if (type & (PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_PHYS_ADDR))
		want |= PERF_SAMPLE_ADDR;
	/* WEIGHT and WEIGHT_STRUCT share data->weight: if a driver has set one, both are set. */
	if (type & PERF_SAMPLE_WEIGHT_TYPE & data->sample_flags)
		want &= ~PERF_SAMPLE_WEIGHT_TYPE;
	want &= ~data->sample_flags;

	data->type = type;
	perf_sample_collect_words(data, event, regs, perf_sample_leading_fields, NR_LEADING, want);
	data->sample_flags |= want & SAMPLE_LEADING;
	want &= PERF_SAMPLE_TABLED;
	if (want)
		perf_sample_collect_others(data, event, regs, want);
	size = perf_sample_data_size(data, event);
	if (likely(size <= PERF_RECORD_SIZE_MAX))
		return size;
	perf_sample_shed_excess(data, event);
	return 0;
}

/**
 * perf_prepare_sample - collect the missing fields of a sample
 * @data: initialised; fields that are already set do not change
 * @event: event of the sample
 * @regs: registers at the sample
 *
 * After the first call all fields are set, so further calls do nothing.
 *
 * Context: any, preemption is off, in an RCU section that lasts until the sample is written.
 */
void perf_prepare_sample(struct perf_sample_data *data, struct perf_event *event,
			 struct pt_regs *regs)
{
	perf_sample_prepare(data, event, regs);
}
EXPORT_SYMBOL_GPL(perf_prepare_sample);

/**
 * perf_prepare_header - set the header of a prepared sample
 * @header: record header
 * @data: the sample
 * @event: event of the sample
 * @regs: registers at the sample
 */
void perf_prepare_header(struct perf_event_header *header, struct perf_sample_data *data,
			 struct perf_event *event, struct pt_regs *regs)
{
	header->type = PERF_RECORD_SAMPLE;
	header->misc = perf_misc_flags(regs);
	header->size = perf_sample_data_size(data, event);
}
EXPORT_SYMBOL_GPL(perf_prepare_header);

static_assert(sizeof(struct perf_event_header) == sizeof(u64));

/* Write the header and the leading words if they cross or reach the end of a chunk. */
static noinline void perf_sample_copy_head(struct perf_output_handle *handle,
					   const struct perf_event_header *header,
					   const struct perf_sample_data *data, u64 type)
{
	u64 words[1 + NR_LEADING];
	u64 *end;

	memcpy(words, header, sizeof(*header));
	end = perf_sample_put_words(words + 1, data, perf_sample_leading_fields, NR_LEADING, type);
	perf_output_copy(handle, words, (char *)end - (char *)words);
}

/* Write the header and the leading words, @size bytes in total. */
static void perf_sample_write_head(struct perf_output_handle *handle,
				   const struct perf_event_header *header,
				   const struct perf_sample_data *data, u64 type, unsigned int size)
{
	u64 *to = perf_output_window(handle, size);

	if (unlikely(!to)) {
		perf_sample_copy_head(handle, header, data, type);
		return;
	}
	memcpy(to, header, sizeof(*header));
	perf_sample_put_words(to + 1, data, perf_sample_leading_fields, NR_LEADING, type);
}

static void perf_sample_write_others(struct perf_output_handle *handle,
				     struct perf_sample_data *data, struct perf_event *event)
{
	const struct sample_field *field = perf_sample_fields;
	u64 left = event->attr.sample_type & PERF_SAMPLE_TABLED;

	for (; left; field++) {
		if (!(left & field->bit))
			continue;
		if (field->write)
			field->write(handle, data, event);
		else
			perf_output_put_u64(handle, *perf_sample_field_word(field, data));
		left &= ~(u64)field->bit;
	}
}

/**
 * perf_output_sample - write a prepared sample
 * @handle: from perf_output_begin() with header->size bytes
 * @header: record header
 * @data: the sample
 * @event: event of the sample
 */
void perf_output_sample(struct perf_output_handle *handle, struct perf_event_header *header,
			struct perf_sample_data *data, struct perf_event *event)
{
	u64 type = event->attr.sample_type;

	perf_sample_write_head(handle, header, data, type,
			       (1 + hweight64(type & SAMPLE_LEADING)) * sizeof(u64));
	/* The group may have changed since: write only as much as was reserved. */
	if (type & PERF_SAMPLE_READ)
		perf_output_read(handle, event,
				 header->size - event->header_size - data->dyn_size);
	perf_sample_write_others(handle, data, event);
	perf_output_count_sample(handle);
}
EXPORT_SYMBOL_GPL(perf_output_sample);

/* A sample with more fields than leading words */
static noinline int perf_sample_output_large(struct perf_event *event,
					     struct perf_sample_data *data,
					     struct pt_regs *regs, bool backward)
{
	struct perf_output_handle handle __uninitialized;
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE };
	unsigned long flags;
	int err;

	/* An interrupt could change the group while the counters of the group are read. */
	local_irq_save(flags);
	rcu_read_lock();
	header.size = perf_sample_prepare(data, event, regs);
	if (unlikely(!header.size)) {
		perf_output_count_large(event);
		err = -E2BIG;
		goto out;
	}
	header.misc = perf_misc_flags(regs);
	err = perf_output_begin_inline(&handle, event, header.size, backward);
	if (err)
		goto out;
	perf_output_sample(&handle, &header, data, event);
	perf_output_end_inline(&handle);
out:
	rcu_read_unlock();
	local_irq_restore(flags);
	return err;
}

static __always_inline int perf_sample_output(struct perf_event *event,
					      struct perf_sample_data *data,
					      struct pt_regs *regs, bool backward)
{
	struct perf_output_handle handle __uninitialized;
	u64 type = event->attr.sample_type;
	struct perf_event_header header, *to;
	u16 size = event->header_size;
	u16 misc;
	int err;

	if (type & ~SAMPLE_LEADING)
		return perf_sample_output_large(event, data, regs, backward);

	/* Read the time first: an interrupt may write a later record before this one. */
	if (type & PERF_SAMPLE_TIME & ~data->sample_flags) {
		data->time = event->clock();
		data->sample_flags |= PERF_SAMPLE_TIME;
	}
	misc = perf_misc_flags(regs);
	err = perf_output_begin_inline(&handle, event, size, backward);
	if (unlikely(err))
		return err;

	to = perf_output_window(&handle, size);
	if (likely(to)) {
		*to = (struct perf_event_header) { PERF_RECORD_SAMPLE, misc, size };
		perf_sample_put_leading((u64 *)(to + 1), data, event, regs, type);
	} else {
		header = (struct perf_event_header) { PERF_RECORD_SAMPLE, misc, size };
		perf_sample_collect_words(data, event, regs, perf_sample_leading_fields, NR_LEADING,
					  type & ~data->sample_flags);
		perf_sample_copy_head(&handle, &header, data, type);
	}
	perf_output_count_sample(&handle);
	perf_output_end_inline(&handle);
	return 0;
}

/**
 * perf_event_output_forward - overflow handler of events that write records
 * @event: event that overflowed
 * @data: the sample, possibly incomplete
 * @regs: registers at the sample
 *
 * For events without attr.write_backward.
 */
void perf_event_output_forward(struct perf_event *event, struct perf_sample_data *data,
			       struct pt_regs *regs)
{
	perf_sample_output(event, data, regs, false);
}

/**
 * perf_event_output_backward - perf_event_output_forward() for attr.write_backward
 * @event: event that overflowed
 * @data: the sample, possibly incomplete
 * @regs: registers at the sample
 */
void perf_event_output_backward(struct perf_event *event, struct perf_sample_data *data,
				struct pt_regs *regs)
{
	perf_sample_output(event, data, regs, true);
}

/**
 * perf_event_output - write a sample without an overflow
 * @event: event in a map of a BPF program, or event of a driver that reads several records at once
 * @data: the sample, possibly incomplete
 * @regs: registers at the sample
 *
 * A sample that is too long, or does not fit into the buffer, is counted as lost.
 *
 * Context: any, preemption is off.
 * Return: 0 on success; -ENOSPC if the event has no buffer, or the buffer is full; -E2BIG if the
 * sample exceeds the maximum size of a record
 */
int perf_event_output(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	if (unlikely(is_write_backward(event)))
		return perf_sample_output(event, data, regs, true);
	return perf_sample_output(event, data, regs, false);
}

/**
 * perf_event_header__init - set the header of a record that a driver writes itself
 * @header: set
 * @data: for a sample, the driver has set ip and period; this function sets all other fields
 * @type: PERF_RECORD_*
 * @misc: PERF_RECORD_MISC_*
 * @size: bytes without the words at the end; not used for a sample, whose size is computed
 * @event: event of the record
 *
 * The driver writes such a sample after it was taken. So the sample has no registers, stack,
 * callchain or branches.
 *
 * Context: any, preemption is off.
 */
void perf_event_header__init(struct perf_event_header *header, struct perf_sample_data *data,
			     u32 type, u16 misc, u16 size, struct perf_event *event)
{
	lockdep_assert_preemption_disabled();
	header->type = type;
	header->misc = misc;
	header->size = size;
	if (type != PERF_RECORD_SAMPLE) {
		perf_event_header__init_id(header, data, event);
		return;
	}
	*data = (struct perf_sample_data) {
		.ip		= data->ip,
		.period		= data->period,
		.data_src	= { .val = PERF_MEM_NA },
		.type		= event->attr.sample_type,
	};
	header->size = perf_sample_data_size(data, event);
	perf_sample_collect_words(data, event, NULL, perf_sample_trailing_fields, NR_TRAILING,
				  data->type);
}

/**
 * perf_event_header__init_id - prepare the sample_id words at the end of a record
 * @header: header of a record that is not a sample; its size grows
 * @data: gets the words; its other fields are not used
 * @event: event of the record; nothing happens without attr.sample_id_all
 */
void perf_event_header__init_id(struct perf_event_header *header,
				struct perf_sample_data *data, struct perf_event *event)
{
	if (!event->attr.sample_id_all)
		return;
	header->size += event->id_header_size;
	data->type = event->attr.sample_type;
	perf_sample_collect_words(data, event, NULL, perf_sample_trailing_fields, NR_TRAILING,
				  data->type);
}

/**
 * perf_event__output_id_sample - write the sample_id words at the end of a record
 * @event: event of the record
 * @handle: handle of the record
 * @sample: from perf_event_header__init_id()
 */
void perf_event__output_id_sample(struct perf_event *event, struct perf_output_handle *handle,
				  struct perf_sample_data *sample)
{
	u64 words[NR_TRAILING];
	u64 *end;

	if (!event->attr.sample_id_all)
		return;
	end = perf_sample_put_words(words, sample, perf_sample_trailing_fields, NR_TRAILING,
				    event->attr.sample_type);
	perf_output_copy(handle, words, (char *)end - (char *)words);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "../tests/sample_test.c"
#endif
