// SPDX-License-Identifier: GPL-2.0
/*
 * Writing records: perf_output_begin(), any number of copies, perf_output_end().
 *
 * Everything here runs in any context, NMI included. Preemption is off from
 * begin to end, which also keeps the buffer from being freed.
 */
#include <linux/poll.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/uaccess.h>

#include "../cold.h"
#include "../overflow.h"
#include "../tally.h"
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

/* Bytes that can be written in one go. */
static __always_inline unsigned int perf_output_stretch(struct perf_output_handle *handle,
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
 * @len: how many; no more than the record has left
 *
 * Return: 0, the number of bytes not written.
 */
unsigned int perf_output_copy(struct perf_output_handle *handle, const void *buf,
			      unsigned int len)
{
	while (len) {
		unsigned int n = perf_output_stretch(handle, len);

		memcpy(handle->addr, buf, n);
		perf_output_advance(handle, n);
		buf += n;
		len -= n;
	}
	return 0;
}

/**
 * perf_output_skip - leave bytes of a record as they are
 * @handle: between perf_output_begin() and perf_output_end()
 * @len: how many
 *
 * Return: 0, the number of bytes not skipped.
 */
unsigned int perf_output_skip(struct perf_output_handle *handle, unsigned int len)
{
	while (len) {
		unsigned int n = perf_output_stretch(handle, len);

		perf_output_advance(handle, n);
		len -= n;
	}
	return 0;
}

/**
 * perf_output_copy_custom - write bytes that only a callback can get at
 * @handle: between perf_output_begin() and perf_output_end()
 * @copy: called with a destination, @from, the offset and a number of bytes;
 *	returns how many it did not copy
 * @from: its second argument
 * @len: bytes
 *
 * Return: the number of bytes not written.
 */
unsigned int perf_output_copy_custom(struct perf_output_handle *handle, perf_copy_f copy,
				     const void *from, unsigned int len)
{
	unsigned int done = 0;

	while (done < len) {
		unsigned int n = perf_output_stretch(handle, len - done);
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
 * @from: address in user space; pages that are not in memory are not brought in
 * @len: how many
 *
 * Return: the number of bytes not written.
 */
unsigned int perf_output_copy_user(struct perf_output_handle *handle,
				   const void __user *from, unsigned int len)
{
	while (len) {
		unsigned int n = perf_output_stretch(handle, len);
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
 * The cold part of an event that has a buffer. The cold part may be made after the
 * event, but always before perf_buffer_switch() publishes event->rb by a fully
 * ordered cmpxchg. The load of event->cold does not depend on that of
 * event->rb, so without the barrier a CPU that loads out of order could find
 * NULL.
 */
static struct perf_event_cold *perf_output_cold(const struct perf_event *event)
{
	smp_rmb(); /* pairs with the cmpxchg in perf_buffer_switch() */
	return READ_ONCE(event->cold);
}

/**
 * perf_output_wakeup - wake the readers of a buffer
 * @rb: the buffer
 * @event: event that writes to it, or a copy of one
 *
 * Any context.
 */
void perf_output_wakeup(struct perf_buffer *rb, struct perf_event *event)
{
	struct perf_event_cold *cold;

	event = perf_event_root(event);
	cold = perf_output_cold(event);
	atomic_set(&rb->poll, (__force int)(EPOLLIN | EPOLLRDNORM));
	WRITE_ONCE(cold->wakeup_due, 1);
	/* An overflow sets pending_kill itself; do not replace its kind of signal. */
	if (READ_ONCE(cold->fasync) && !READ_ONCE(event->pending_kill))
		WRITE_ONCE(event->pending_kill, POLL_IN);
	perf_event_queue_wakeup(event);
}

/**
 * perf_output_write_lost - write a LOST record
 * @handle: handle with room for the record
 * @lost: number of lost records to report
 *
 * Any context. Not inlined, because of its large local variable: the caller's
 * sample data must not change.
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
 * perf_output_count_lost - count a record that did not get into the buffer
 * @event: root
 * @rb: its buffer
 * @cause: why not
 *
 * Any context, preemption off.
 */
noinline void perf_output_count_lost(struct perf_event *event, struct perf_buffer *rb,
				     enum perf_event_loss cause)
{
	atomic64_inc(&perf_output_cold(event)->lost_samples);
	atomic_long_inc(&rb->lost[cause]);
	perf_tally_lost(event, cause);
}

/**
 * perf_output_count_large - count a sample that is longer than a record can be
 * @event: the event, or a copy
 *
 * Any context, preemption off; RCU is held.
 */
noinline void perf_output_count_large(struct perf_event *event)
{
	struct perf_event *root = perf_event_root(event);
	struct perf_event_cold *cold = READ_ONCE(root->cold);
	struct perf_buffer *rb = rcu_dereference(root->rb);

	/* An event that a BPF program writes to has a cold part only when it has a buffer. */
	if (rb)
		perf_output_count_lost(root, rb, PERF_LOST_LARGE);
	else if (cold)
		atomic64_inc(&cold->lost_samples);
}

/**
 * perf_output_sharing_is_settled - do all CPUs write as they do to a shared buffer?
 * @rb: the buffer
 *
 * Not before a grace period has passed since the buffer began to be shared: until
 * then a record that was begun by the protocol for one CPU may be unfinished, and
 * new records are turned away. Any context.
 * Return: true when records are written by the protocol for shared buffers.
 */
bool perf_output_sharing_is_settled(struct perf_buffer *rb)
{
	/*
	 * Pairs with perf_buffer_start_sharing(), for the cookie, and with
	 * perf_buffer_settle_sharing(), for the old records.
	 */
	u8 sharing = smp_load_acquire(&rb->sharing);

	if (likely(sharing == PERF_SHARED))
		return true;
	return sharing == PERF_SHARED_SINCE && poll_state_synchronize_rcu_full(&rb->shared_since);
}

/* The rest of perf_output_begin_inline() for a buffer that several CPUs write to. */
static int perf_output_take_shared(struct perf_output_handle *handle, unsigned int size,
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
	perf_tally_record(handle->event);
	perf_output_seek(handle, start);
	if (unlikely(lost))
		perf_output_write_lost(handle, lost);
	return 0;
}

/**
 * perf_output_begin_special - begin a record in a buffer that is shared, paused or empty
 * @handle: with its event and buffer
 * @size: bytes that will be written
 * @backward: towards lower positions
 *
 * Any context. Preemption is off, and stays so on success.
 * Return: 0, or -ENOSPC when the record cannot be written; that is counted, unless the
 * buffer has no room for records at all.
 */
noinline int perf_output_begin_special(struct perf_output_handle *handle, unsigned int size,
				       bool backward)
{
	struct perf_buffer *rb = handle->rb;
	bool settled = perf_output_sharing_is_settled(rb);
	enum perf_event_loss cause = PERF_LOST_FULL;

	if (rb->empty)
		goto out;
	if (settled && !READ_ONCE(rb->paused)) {
		if (likely(!perf_output_take_shared(handle, size, backward)))
			return 0;
	} else {
		/* Atomic: the buffer may be shared, or become shared. */
		atomic_long_inc(perf_ring_word(&rb->ring.lost));
		cause = READ_ONCE(rb->paused) ? PERF_LOST_PAUSED : PERF_LOST_UNSETTLED;
	}
	perf_output_count_lost(handle->event, rb, cause);
out:
	preempt_enable_notrace();
	return -ENOSPC;
}

/**
 * perf_output_end_shared - the record in a shared buffer is complete
 * @handle: of it
 *
 * Any context, preemption off.
 */
noinline void perf_output_end_shared(struct perf_output_handle *handle)
{
	struct perf_event *event = handle->event;
	struct perf_buffer *rb = handle->rb;
	bool wake = perf_ring_commit(&rb->ring, &rb->shared, handle->wakeup);

	/*
	 * The writer of another event may be the one that wakes the readers, but
	 * only this event can send its own signal.
	 */
	if (!wake && handle->wakeup & PERF_RING_WAKE)
		wake = READ_ONCE(perf_output_cold(event)->fasync);
	if (wake) {
		atomic_long_inc(perf_ring_word(&rb->ring.wakeups));
		perf_output_wakeup(rb, event);
	}
}

/**
 * perf_output_count_shared - perf_output_count_sample() in a shared buffer
 * @handle: between begin and end, of an event with attr.wakeup_events
 */
noinline void perf_output_count_shared(struct perf_output_handle *handle)
{
	unsigned long nr = atomic_long_inc_return(&handle->rb->shared.samples);

	if (nr % handle->event->attr.wakeup_events == 0)
		handle->wakeup |= PERF_RING_WAKE;
}

/**
 * perf_output_begin - begin a record, in the direction that the event has
 * @handle: filled in; valid until perf_output_end()
 * @data: sample data of the record
 * @event: whose record it is
 * @size: bytes that will be written, a multiple of 8
 *
 * Any context. On success preemption is off until perf_output_end(). Records that
 * find no room are counted, and the next record that finds room is preceded by a
 * LOST record.
 * Return: 0, or -ENOSPC when the record cannot be written.
 */
int perf_output_begin(struct perf_output_handle *handle, struct perf_sample_data *data,
		      struct perf_event *event, unsigned int size)
{
	if (unlikely(is_write_backward(event)))
		return perf_output_begin_inline(handle, event, size, true);
	return perf_output_begin_inline(handle, event, size, false);
}

/**
 * perf_output_end - the record is complete
 * @handle: of a successful perf_output_begin()
 */
void perf_output_end(struct perf_output_handle *handle)
{
	perf_output_end_inline(handle);
}
