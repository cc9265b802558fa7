/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Begin and end of a record, for the files of the core that most records come
 * from: perf_output_begin() and perf_output_end() without the calls.
 */
#ifndef _KERNEL_EVENTS_OUTPUT_H
#define _KERNEL_EVENTS_OUTPUT_H

#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include "../event.h"
#include "../tally.h"
#include "buffer.h"

/**
 * struct perf_lost_record - PERF_RECORD_LOST, without the words at its end
 * @header: of the record
 * @id: of the event that finds room again
 * @lost: records of all events that write to the buffer
 */
struct perf_lost_record {
	struct perf_event_header	header;
	u64				id;
	u64				lost;
};

/*
 * Between perf_output_begin() and perf_output_end(): each returns
 * how many bytes were not copied, which is 0 except where user memory faulted
 * or the caller's function failed. Any context.
 */
unsigned int perf_output_copy_custom(struct perf_output_handle *handle, perf_copy_f copy,
				     const void *from, unsigned int len);
unsigned int perf_output_copy_user(struct perf_output_handle *handle,
				   const void __user *from, unsigned int len);
void perf_output_wakeup(struct perf_buffer *rb, struct perf_event *event);

/**
 * perf_output_window - memory of the buffer, to be written in place
 * @handle: between perf_output_begin() and perf_output_end()
 * @len: bytes that are left to be written; the caller writes all of them
 *
 * Return: where they go; NULL when they would cross the end of a page, and
 * perf_output_copy() has to be used.
 */
static __always_inline void *perf_output_window(struct perf_output_handle *handle,
						unsigned int len)
{
	void *at = handle->addr;

	if (unlikely(handle->size <= len))
		return NULL;
	handle->addr += len;
	handle->size -= len;
	return at;
}

/* perf_output_put() for one word, which most records are made of. */
static __always_inline void perf_output_put_u64(struct perf_output_handle *handle, u64 value)
{
	u64 *at = perf_output_window(handle, sizeof(value));

	if (likely(at))
		*at = value;
	else
		perf_output_copy(handle, &value, sizeof(value));
}

/* See output.c. */
int perf_output_begin_special(struct perf_output_handle *handle, unsigned int size, bool backward);
bool perf_output_sharing_is_settled(struct perf_buffer *rb);
void perf_output_end_shared(struct perf_output_handle *handle);
void perf_output_count_shared(struct perf_output_handle *handle);
void perf_output_count_lost(struct perf_event *event, struct perf_buffer *rb,
			    enum perf_event_loss cause);
void perf_output_count_large(struct perf_event *event);
void perf_output_write_lost(struct perf_output_handle *handle, u64 lost);

/* Point the handle at a position; the record is contiguous modulo the size. */
static __always_inline void perf_output_seek(struct perf_output_handle *handle, unsigned long pos)
{
	struct perf_buffer *rb = handle->rb;
	unsigned long offset;

	handle->page = perf_ring_place(pos, rb->chunk_shift, rb->nr_chunks, &offset);
	handle->addr = READ_ONCE(rb->chunks[handle->page]) + offset;
	handle->size = (1UL << rb->chunk_shift) - offset;
}

/* A writer on another CPU than the buffer's would race with those on that CPU. */
static __always_inline bool perf_output_wrong_cpu(const struct perf_buffer *rb)
{
	return rb->cpu >= 0 && rb->cpu != smp_processor_id();
}

static __always_inline unsigned int perf_lost_record_size(const struct perf_event *event)
{
	return sizeof(struct perf_lost_record) +
	       (event->attr.sample_id_all ? event->id_header_size : 0);
}

/**
 * perf_output_begin_inline - perf_output_begin() of a known direction
 * @handle: filled in; valid until perf_output_end_inline()
 * @event: whose record it is
 * @size: bytes that will be written, a multiple of 8
 * @backward: towards lower positions
 *
 * Any context. On success preemption is off until the end.
 * Return: 0, or -ENOSPC when the record cannot be written; that is counted.
 */
static __always_inline int perf_output_begin_inline(struct perf_output_handle *handle,
						    struct perf_event *event,
						    unsigned int size, bool backward)
{
	unsigned long start, lost;
	struct perf_buffer *rb;
	unsigned int len = size;

	/* Inherited events have no buffer of their own. */
	event = perf_event_root(event);

	preempt_disable_notrace();
	rb = rcu_dereference_sched(event->rb);
	perf_delay(BUFFER_SEEN);
	if (unlikely(!rb))
		goto out;
	handle->rb = rb;
	handle->event = event;
	handle->flags = 0;

	if (unlikely(READ_ONCE(rb->special)))
		return perf_output_begin_special(handle, size, backward);
	if (unlikely(perf_output_wrong_cpu(rb)))
		goto lost;

	handle->wakeup = perf_ring_enter(&rb->ring);
	lost = perf_ring_take_lost(&rb->ring);
	/* A record of no bytes is refused below, which must not get room for LOST either. */
	if (unlikely(lost) && len)
		len += perf_lost_record_size(event);
	if (unlikely(!perf_ring_begin(&rb->ring, len, lost, backward, &start)))
		goto full;

	perf_tally_record(event);
	perf_output_seek(handle, start);
	if (unlikely(lost))
		perf_output_write_lost(handle, lost);
	return 0;

full:
	perf_output_count_lost(event, rb, PERF_LOST_FULL);
	perf_output_end(handle);
	return -ENOSPC;
lost:
	perf_output_count_lost(event, rb, PERF_LOST_ELSEWHERE);
out:
	preempt_enable_notrace();
	return -ENOSPC;
}

/**
 * perf_output_count_sample - count a sample for attr.wakeup_events
 * @handle: between begin and end
 *
 * Every attr.wakeup_events samples the readers are to be woken. attr.watermark is
 * looked at for all records, when room is reserved.
 */
static __always_inline void perf_output_count_sample(struct perf_output_handle *handle)
{
	const struct perf_event_attr *attr = &handle->event->attr;
	struct perf_buffer *rb = handle->rb;

	if (attr->watermark || !attr->wakeup_events)
		return;
	if (unlikely(handle->shared)) {
		perf_output_count_shared(handle);
		return;
	}
	if (local_inc_return(&rb->samples) < (s64)attr->wakeup_events)
		return;
	local_sub(attr->wakeup_events, &rb->samples);
	local_inc(&rb->ring.wakeups);
}

/**
 * perf_output_end_inline - perf_output_end()
 * @handle: of a successful begin
 */
static __always_inline void perf_output_end_inline(struct perf_output_handle *handle)
{
	struct perf_buffer *rb = handle->rb;

	if (unlikely(handle->shared))
		perf_output_end_shared(handle);
	else if (unlikely(perf_ring_leave(&rb->ring, handle->wakeup)))
		perf_output_wakeup(rb, handle->event);
	preempt_enable_notrace();
}

#endif /* _KERNEL_EVENTS_OUTPUT_H */
