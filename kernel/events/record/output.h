/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Begin and end of a record: perf_output_begin() and perf_output_end() as inline functions,
 * for the core files that write most of the records.
 */
#ifndef _KERNEL_EVENTS_OUTPUT_H
#define _KERNEL_EVENTS_OUTPUT_H

#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include "../event.h"
#include "../stats.h"
#include "buffer.h"

/**
 * struct perf_lost_record - PERF_RECORD_LOST, without the sample_id words at its end
 * @header: record header
 * @id: id of the event that writes the record
 * @lost: lost records of all events that write to the buffer
 */
struct perf_lost_record {
	struct perf_event_header	header;
	u64				id;
	u64				lost;
};

/*
 * Call these between perf_output_begin() and perf_output_end(), in any context. Each returns
 * the number of bytes not copied, which is 0 unless an access to user memory or the callback
 * failed.
 */
unsigned int perf_output_copy_custom(struct perf_output_handle *handle, perf_copy_f copy,
				     const void *from, unsigned int len);
unsigned int perf_output_copy_user(struct perf_output_handle *handle,
				   const void __user *from, unsigned int len);
void perf_output_zero(struct perf_output_handle *handle, unsigned int len);
void perf_output_wakeup(struct perf_buffer *rb, struct perf_event *event);

/**
 * perf_output_window - get memory of the buffer, to be written directly
 * @handle: between perf_output_begin() and perf_output_end()
 * @len: bytes; the caller writes all of them
 *
 * Return: the memory; NULL if the bytes would cross or reach the end of a chunk. Then the caller
 * must use perf_output_copy()
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

/* perf_output_put() for one word, the most frequent case */
static __always_inline void perf_output_put_u64(struct perf_output_handle *handle, u64 value)
{
	u64 *at = perf_output_window(handle, sizeof(value));

	if (likely(at))
		*at = value;
	else
		perf_output_copy(handle, &value, sizeof(value));
}

/* output.c */
int perf_output_begin_special(struct perf_output_handle *handle, unsigned int size, bool backward);
bool perf_output_sharing_is_complete(struct perf_buffer *rb);
void perf_output_end_shared(struct perf_output_handle *handle);
void perf_output_count_shared(struct perf_output_handle *handle);
void perf_output_count_lost(struct perf_event *event, struct perf_buffer *rb,
			    enum perf_event_loss cause);
void perf_output_count_large(struct perf_event *event);
void perf_output_write_lost(struct perf_output_handle *handle, u64 lost);

/* Set the handle to a position. Records are contiguous modulo the size of the buffer. */
static __always_inline void perf_output_seek(struct perf_output_handle *handle, unsigned long pos)
{
	struct perf_buffer *rb = handle->rb;
	unsigned long offset;

	handle->page = perf_ring_place(pos, rb->chunk_shift, rb->nr_chunks, &offset);
	handle->addr = READ_ONCE(rb->chunks[handle->page]) + offset;
	handle->size = (1UL << rb->chunk_shift) - offset;
}

/* Writers use CPU-local operations unless the buffer is shared: those of two CPUs would race. */
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
 * perf_output_begin_inline - perf_output_begin() with a constant direction
 * @handle: set up; valid until perf_output_end_inline()
 * @event: event of the record
 * @size: bytes of the record, a multiple of 8
 * @backward: to lower positions
 *
 * Context: any. On success preemption is off until perf_output_end_inline().
 * Return: 0 on success, -ENOSPC if the record is lost; that is counted
 */
static __always_inline int perf_output_begin_inline(struct perf_output_handle *handle,
						    struct perf_event *event,
						    unsigned int size, bool backward)
{
	unsigned long start, lost;
	struct perf_buffer *rb;
	unsigned int len = size;

	/* Inherited events have no buffer of their own. */
	event = perf_event_parent(event);

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
	/* A record of 0 bytes fails below. Then do not reserve space for LOST either. */
	if (unlikely(lost) && len)
		len += perf_lost_record_size(event);
	if (unlikely(!perf_ring_begin(&rb->ring, len, lost, backward, &start)))
		goto full;

	perf_stats_record(event);
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
 * Request a wakeup after every attr.wakeup_events samples. perf_ring_reserve() handles
 * attr.watermark, for records of all types.
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
 * @handle: of a successful perf_output_begin_inline()
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
