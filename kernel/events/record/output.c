// SPDX-License-Identifier: GPL-2.0
/*
 * Writing records: perf_output_begin(), any number of copies, perf_output_end().
 *
 * All functions run in any context, including NMI. Preemption is off from begin to end. So the
 * buffer is not freed meanwhile.
 */
#include <linux/poll.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/uaccess.h>

#include "../cold.h"
#include "../overflow.h"
#include "../stats.h"
#include "buffer.h"
#include "output.h"
#include "ring_shared.h"

#ifndef arch_perf_out_copy_user
static unsigned long arch_perf_out_copy_user(void *to, const void __user *from, unsigned long n)
{
	unsigned long left;

	if (!access_ok(from, n))
		return n;
	pagefault_disable();
	left = __copy_from_user_inatomic(to, from, n);
	pagefault_enable();
	return left;
}
#endif

static void perf_output_next_chunk(struct perf_output_handle *handle)
{
	struct perf_buffer *rb = handle->rb;

	handle->page = (handle->page + 1) & (rb->nr_chunks - 1);
	handle->addr = READ_ONCE(rb->chunks[handle->page]);
	handle->size = 1UL << rb->chunk_shift;
}

/* Get the number of bytes, up to @len, that fit into the rest of the current chunk. */
static __always_inline unsigned int perf_output_chunk_len(struct perf_output_handle *handle,
							  unsigned int len)
{
	return min_t(unsigned long, handle->size, len);
}

static __always_inline void perf_output_advance(struct perf_output_handle *handle, unsigned int len)
{
	handle->addr += len;
	handle->size -= len;
	if (unlikely(!handle->size))
		perf_output_next_chunk(handle);
}

/**
 * perf_output_copy - write bytes to a record
 * @handle: between perf_output_begin() and perf_output_end()
 * @buf: the bytes
 * @len: number of bytes, at most the rest of the record
 *
 * Return: 0, the number of bytes not written
 */
unsigned int perf_output_copy(struct perf_output_handle *handle, const void *buf,
			      unsigned int len)
{
	while (len) {
		unsigned int n = perf_output_chunk_len(handle, len);

		memcpy(handle->addr, buf, n);
		perf_output_advance(handle, n);
		buf += n;
		len -= n;
	}
	return 0;
}

/**
 * perf_output_skip - skip bytes of a record without writing them
 * @handle: between perf_output_begin() and perf_output_end()
 * @len: number of bytes
 *
 * Return: 0, the number of bytes not skipped
 */
unsigned int perf_output_skip(struct perf_output_handle *handle, unsigned int len)
{
	while (len) {
		unsigned int n = perf_output_chunk_len(handle, len);

		perf_output_advance(handle, n);
		len -= n;
	}
	return 0;
}

/**
 * perf_output_zero - write zeros to a record
 * @handle: between perf_output_begin() and perf_output_end()
 * @len: number of bytes, at most the rest of the record
 *
 * Context: any.
 */
void perf_output_zero(struct perf_output_handle *handle, unsigned int len)
{
	while (len) {
		unsigned int n = perf_output_chunk_len(handle, len);

		memset(handle->addr, 0, n);
		perf_output_advance(handle, n);
		len -= n;
	}
}

/**
 * perf_output_copy_custom - write bytes through a callback
 * @handle: between perf_output_begin() and perf_output_end()
 * @copy: called with a destination, @from, the offset and a number of bytes; returns the number
 *	of bytes not copied
 * @from: second argument of @copy
 * @len: number of bytes
 *
 * Return: the number of bytes not written
 */
unsigned int perf_output_copy_custom(struct perf_output_handle *handle, perf_copy_f copy,
				     const void *from, unsigned int len)
{
	unsigned int done = 0;

	while (done < len) {
		unsigned int n = perf_output_chunk_len(handle, len - done);
		unsigned long left = copy(handle->addr, from, done, n);

		if (WARN_ON_ONCE(left > n))
			left = n;
		perf_output_advance(handle, n - left);
		done += n - left;
		if (left)
			break;
	}
	return len - done;
}

/**
 * perf_output_copy_user - write bytes from the current task's memory
 * @handle: between perf_output_begin() and perf_output_end()
 * @from: address in user space. The copy ends at the first page that is not resident
 * @len: number of bytes
 *
 * Return: the number of bytes not written
 */
unsigned int perf_output_copy_user(struct perf_output_handle *handle,
				   const void __user *from, unsigned int len)
{
	while (len) {
		unsigned int n = perf_output_chunk_len(handle, len);
		unsigned long left = arch_perf_out_copy_user(handle->addr, from, n);

		perf_output_advance(handle, n - left);
		from += n - left;
		len -= n - left;
		if (left)
			break;
	}
	return len;
}

/*
 * Get event->cold of an event with a buffer. event->cold is set before perf_buffer_switch()
 * publishes event->rb with a fully ordered cmpxchg. The load of event->cold does not depend on the
 * load of event->rb. So without the barrier the CPU could load event->cold first, and get NULL.
 */
static struct perf_event_cold *perf_output_cold(const struct perf_event *event)
{
	smp_rmb(); /* pairs with the cmpxchg in perf_buffer_switch() */
	return READ_ONCE(event->cold);
}

/**
 * perf_output_wakeup - queue a wakeup of the readers of a buffer
 * @rb: the buffer
 * @event: event that writes to @rb, or event inherited from such an event
 *
 * Context: any.
 */
void perf_output_wakeup(struct perf_buffer *rb, struct perf_event *event)
{
	struct perf_event_cold *cold;

	event = perf_event_parent(event);
	cold = perf_output_cold(event);
	atomic_set(&rb->poll, (__force int)(EPOLLIN | EPOLLRDNORM));
	WRITE_ONCE(cold->wakeup_due, 1);
	/* Do not replace the pending_kill of an overflow. */
	if (READ_ONCE(cold->fasync) && !READ_ONCE(event->pending_kill))
		WRITE_ONCE(event->pending_kill, POLL_IN);
	perf_event_queue_wakeup(event);
}

/**
 * perf_output_write_lost - write a LOST record
 * @handle: handle with space for the record
 * @lost: number of lost records
 *
 * Not inlined, because the struct perf_sample_data would enlarge the stack of each caller. The
 * caller's own struct cannot be used: it has the values of the record that the caller writes next,
 * and perf_event_header__init_id() would overwrite them.
 *
 * Context: any.
 */
noinline void perf_output_write_lost(struct perf_output_handle *handle, u64 lost)
{
	struct perf_event *event = handle->event;
	struct perf_sample_data data;
	struct perf_lost_record record = {
		.header = {
			.type	= PERF_RECORD_LOST,
			.size	= sizeof(record),
		},
		.id	= event->id,
		.lost	= lost,
	};

	perf_sample_data_init(&data, 0, 0);
	perf_event_header__init_id(&record.header, &data, event);
	perf_output_put(handle, record);
	perf_event__output_id_sample(event, handle, &data);
}

/**
 * perf_output_count_lost - count a lost record
 * @event: an event that is not inherited
 * @rb: its buffer
 * @cause: cause of the loss
 *
 * Context: any, preemption is off.
 */
noinline void perf_output_count_lost(struct perf_event *event, struct perf_buffer *rb,
				     enum perf_event_loss cause)
{
	atomic64_inc(&perf_output_cold(event)->lost_samples);
	atomic_long_inc(&rb->lost[cause]);
	perf_stats_lost(event, cause);
}

/**
 * perf_output_count_large - count a sample that exceeds the maximum size of a record
 * @event: the event, which may be inherited
 *
 * Context: any, preemption is off, in an RCU section.
 */
noinline void perf_output_count_large(struct perf_event *event)
{
	struct perf_event *parent = perf_event_parent(event);
	struct perf_event_cold *cold = READ_ONCE(parent->cold);
	struct perf_buffer *rb = rcu_dereference(parent->rb);

	/* A BPF program may write to an event without a buffer. Then event->cold may be NULL. */
	if (rb)
		perf_output_count_lost(parent, rb, PERF_LOST_LARGE);
	else if (cold)
		atomic64_inc(&cold->lost_samples);
}

/**
 * perf_output_sharing_is_complete - do all CPUs use the protocol for shared buffers?
 * @rb: the buffer
 *
 * Until a grace period has passed since the buffer became shared, a record of the protocol of one
 * CPU may be incomplete. Until then no CPU writes, and new records are lost.
 *
 * Context: any.
 * Return: true if records are written by the protocol for shared buffers
 */
bool perf_output_sharing_is_complete(struct perf_buffer *rb)
{
	/*
	 * Pairs with perf_buffer_start_sharing(), for the cookie, and with
	 * perf_buffer_complete_sharing(), for the records of the other protocol.
	 */
	u8 sharing = smp_load_acquire(&rb->sharing);

	if (likely(sharing == PERF_SHARED))
		return true;
	return sharing == PERF_SHARED_GRACE_PERIOD &&
	       poll_state_synchronize_rcu_full(&rb->grace_cookie);
}

/* Begin a record in a shared buffer, for perf_output_begin_special(). */
static int perf_output_begin_shared(struct perf_output_handle *handle, unsigned int size,
				    bool backward)
{
	struct perf_buffer *rb = handle->rb;
	atomic_long_t *lost_here = perf_ring_word(&rb->ring.lost);
	unsigned long len = ALIGN(size, sizeof(u64)), lost = 0, start;

	if (unlikely(atomic_long_read(lost_here)))
		lost = atomic_long_xchg(lost_here, 0);
	if (unlikely(lost))
		len += perf_lost_record_size(handle->event);
	handle->wakeup = size ? perf_ring_reserve_shared(&rb->ring, &rb->shared, len, backward,
							 &start) : 0;
	if (unlikely(!handle->wakeup)) {
		atomic_long_add(lost + 1, lost_here);
		return -ENOSPC;
	}
	handle->shared = 1;
	atomic_long_inc(&rb->shared.records);
	perf_stats_record(handle->event);
	perf_output_seek(handle, start);
	if (unlikely(lost))
		perf_output_write_lost(handle, lost);
	return 0;
}

/**
 * perf_output_begin_special - begin a record in a buffer that is shared, paused or empty
 * @handle: its event and buffer are set
 * @size: bytes of the record
 * @backward: to lower positions
 *
 * Context: any. Preemption is off, and remains off on success.
 * Return: 0 on success, -ENOSPC if the record is lost; that is counted, except in an empty buffer
 */
noinline int perf_output_begin_special(struct perf_output_handle *handle, unsigned int size,
				       bool backward)
{
	struct perf_buffer *rb = handle->rb;
	bool complete = perf_output_sharing_is_complete(rb);
	enum perf_event_loss cause = PERF_LOST_FULL;

	if (rb->empty)
		goto out;
	if (complete && !READ_ONCE(rb->paused)) {
		if (likely(!perf_output_begin_shared(handle, size, backward)))
			return 0;
	} else {
		/* An atomic addition, because the buffer is shared, or may become shared. */
		atomic_long_inc(perf_ring_word(&rb->ring.lost));
		/* Without a conversion in progress the cause is a pause, which may have ended. */
		cause = complete || READ_ONCE(rb->sharing) == PERF_SHARED_NOT ||
			READ_ONCE(rb->paused) ? PERF_LOST_PAUSED : PERF_LOST_CONVERTING;
	}
	perf_output_count_lost(handle->event, rb, cause);
out:
	preempt_enable_notrace();
	return -ENOSPC;
}

/**
 * perf_output_end_shared - end a record in a shared buffer
 * @handle: handle of the record
 *
 * Context: any, preemption is off.
 */
noinline void perf_output_end_shared(struct perf_output_handle *handle)
{
	struct perf_event *event = handle->event;
	struct perf_buffer *rb = handle->rb;
	bool wake = perf_ring_commit(&rb->ring, &rb->shared, handle->wakeup);

	/*
	 * The writer of another event may wake the readers in place of this writer. But only this
	 * event can send its own signal.
	 */
	if (!wake && handle->wakeup & PERF_RING_WAKE)
		wake = READ_ONCE(perf_output_cold(event)->fasync);
	if (wake) {
		atomic_long_inc(perf_ring_word(&rb->ring.wakeups));
		perf_output_wakeup(rb, event);
	}
}

/**
 * perf_output_count_shared - perf_output_count_sample() for a shared buffer
 * @handle: between begin and end, of an event with attr.wakeup_events
 */
noinline void perf_output_count_shared(struct perf_output_handle *handle)
{
	unsigned long nr = atomic_long_inc_return(&handle->rb->shared.samples);

	if (nr % handle->event->attr.wakeup_events == 0)
		handle->wakeup |= PERF_RING_WAKE;
}

/**
 * perf_output_begin - begin a record in the event's direction
 * @handle: set up; valid until perf_output_end()
 * @data: sample data of the record
 * @event: event of the record
 * @size: bytes of the record, a multiple of 8
 *
 * Lost records are counted. A LOST record before the next record that finds space has their number.
 *
 * Context: any. On success preemption is off until perf_output_end().
 * Return: 0 on success, -ENOSPC if the record is lost
 */
int perf_output_begin(struct perf_output_handle *handle, struct perf_sample_data *data,
		      struct perf_event *event, unsigned int size)
{
	if (unlikely(is_write_backward(event)))
		return perf_output_begin_inline(handle, event, size, true);
	return perf_output_begin_inline(handle, event, size, false);
}

/**
 * perf_output_end - end a record
 * @handle: of a successful perf_output_begin()
 */
void perf_output_end(struct perf_output_handle *handle)
{
	perf_output_end_inline(handle);
}
