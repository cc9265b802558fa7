/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring of records with concurrent writers on several CPUs, in any context.
 *
 * A writer reserves space with one cmpxchg, copies its record while other writers copy
 * theirs, and commits the record. A record is published when this record and all records
 * before it are complete. Writers do not wait for each other. A CPU that is interrupted, or
 * stops for ever, in the middle of a record only delays the publication. A writer fails only
 * if there is no free space, or if other writers have made its cmpxchg fail
 * PERF_RING_ATTEMPTS times.
 *
 * Records belong to epochs, numbered 0 and 1 alternately. One bit of the head is the number of the
 * current epoch, so one cmpxchg determines both the place of a record and its epoch. A CPU closes
 * the epoch by a change of this bit. No record is added to a closed epoch, so its number of bytes
 * is fixed. Writers add the bytes that they commit to the epoch's sum, and the closing CPU
 * subtracts all bytes of the epoch. So the sum of a closed epoch becomes 0 exactly once, when its
 * last record is complete. The CPU that makes the sum 0 publishes the epoch. If the next epoch has
 * any records, this CPU also closes the next epoch.
 *
 * A second bit of the head, PERF_RING_CLOSING, is set from the closing of an epoch until the
 * epoch is published and no further record follows. While it is set, only one CPU at a time
 * closes and publishes: first the CPU that has set the bit, then the CPU that makes a sum 0.
 * If a writer finds the bit clear at its commit, the writer sets the bit and closes the epoch.
 * If a writer finds the bit set, another CPU will close the epoch of its record, because the
 * bit is not cleared while the head is beyond the published position.
 *
 * Positions are relative to the head of struct perf_ring. That head does not change after the
 * ring is shared. Like ring.h, this file needs no kernel context.
 * tools/testing/perf_events/ring_shared.pml is a model of the protocol.
 */
#ifndef _KERNEL_EVENTS_RING_SHARED_H
#define _KERNEL_EVENTS_RING_SHARED_H

#include "ring.h"

/* Bits of the head; positions are multiples of 8. */
#define PERF_RING_EPOCH		1UL
#define PERF_RING_CLOSING	2UL
#define PERF_RING_POSITION	(~7UL)

/* Bits of the ticket from perf_ring_reserve_shared(), besides length and epoch */
#define PERF_RING_WAKE		2UL	/* a reader must be woken */
#define PERF_RING_BACKWARD	4UL	/* records are written to lower positions */

/* Maximum number of attempts: after them a record is lost, or the epoch remains open. */
#define PERF_RING_ATTEMPTS	1000
#define PERF_RING_CLOSE_ATTEMPTS 8
/* Maximum number of epochs that a CPU publishes in a row */
#define PERF_RING_ROUNDS	64

/**
 * struct perf_shared_ring - additional state of a ring with writers on several CPUs
 * @head: position up to which space is reserved, with PERF_RING_EPOCH and PERF_RING_CLOSING
 * @committed: by epoch: bytes of complete records; when the epoch is closed, the bytes of all its
 *	records are subtracted
 * @samples: number of samples, for attr.wakeup_events
 * @records: number of reserved records
 * @closed: position where the last epoch was closed; accessed only while PERF_RING_CLOSING is set,
 *	by the CPU that closes or publishes
 * @published: position up to which records are published
 * @wake: by epoch: wake the reader when the epoch is published
 */
struct perf_shared_ring {
	atomic_long_t		head;
	atomic_long_t		committed[2];
	atomic_long_t		samples;
	atomic_long_t		records;
	unsigned long		closed;
	unsigned long		published;
	bool			wake[2];
};

/*
 * Get a word of struct perf_ring for atomic operations. Until the ring was shared, only one CPU
 * changed the word. local_t is one long on every architecture.
 */
static __always_inline atomic_long_t *perf_ring_word(local_t *word)
{
	static_assert(sizeof(local_t) == sizeof(atomic_long_t));
	return (atomic_long_t *)word;
}

/*
 * Is @distance more than the watermark beyond ring->mark? Several writers may find this at the same
 * time. The cmpxchg of ring->mark succeeds only for one of them, so only one wakes the reader.
 */
static __always_inline bool perf_ring_passes_mark(struct perf_ring *ring, unsigned long distance)
{
	atomic_long_t *word = perf_ring_word(&ring->mark);
	long mark = atomic_long_read(word);
	long beyond = distance - mark;

	if (likely(beyond < 0 || (unsigned long)beyond <= ring->watermark))
		return false;
	PERF_RING_STEP(ring);
	return atomic_long_try_cmpxchg(word, &mark, mark + ring->watermark);
}

/**
 * perf_ring_reserve_shared - reserve space for a record
 * @ring: the shared ring
 * @shared: its additional state
 * @len: bytes, a multiple of 8, not 0
 * @backward: to lower positions
 * @start: set to the position of the record's first byte
 *
 * In overwrite mode a record does not overwrite unpublished records, because their writers may
 * still be copying.
 *
 * Return: ticket for perf_ring_commit(), or 0 without enough space
 */
static __always_inline unsigned long
perf_ring_reserve_shared(struct perf_ring *ring, struct perf_shared_ring *shared,
			 unsigned long len, bool backward, unsigned long *start)
{
	unsigned long base = local_read(&ring->head), at, tail, next, ticket;
	long head = atomic_long_read(&shared->head), again;
	unsigned int attempts = 0;

	for (;;) {
		PERF_RING_STEP(ring);
		/* An attempt fails if another writer has reserved space or closed an epoch. */
		if (unlikely(attempts++ == PERF_RING_ATTEMPTS))
			return 0;
		at = base + (head & PERF_RING_POSITION);
		if (ring->overwrite)
			tail = base + READ_ONCE(shared->published);
		else
			tail = READ_ONCE(ring->user->data_tail);
		if (unlikely(perf_ring_room(at, tail, ring->size, backward) < len)) {
			/*
			 * The head was loaded before the tail, and may be older than the tail: then
			 * an empty ring looks full. Pairs with the cmpxchg of a writer: the
			 * head moves before the reader can move the tail.
			 */
			smp_rmb();
			again = atomic_long_read(&shared->head);
			if (again == head)
				return 0;
			head = again;
			continue;
		}
		PERF_RING_STEP(ring);
		next = backward ? head - len : head + len;
		/* Fully ordered: all stores to the record are after the load of the tail. */
		if (likely(atomic_long_try_cmpxchg(&shared->head, &head, next)))
			break;
	}
	PERF_RING_STEP(ring);

	next = base + (next & PERF_RING_POSITION);
	*start = backward ? next : at;
	ticket = len | (head & PERF_RING_EPOCH) | (backward ? PERF_RING_BACKWARD : 0);
	if (unlikely(perf_ring_passes_mark(ring, perf_ring_distance(next, backward))))
		ticket |= PERF_RING_WAKE;
	return ticket;
}

/* Return the number of bytes in the epoch that is closed at @head. */
static __always_inline unsigned long perf_ring_close(struct perf_shared_ring *shared,
						     unsigned long head, bool backward)
{
	unsigned long from = shared->closed, to = head & PERF_RING_POSITION;

	shared->closed = to;
	return perf_ring_distance(to - from, backward);
}

/*
 * The sum of a closed epoch is 0: publish the epoch. If records were added since, close the next
 * epoch, and publish it if it is complete. After PERF_RING_ROUNDS rounds this CPU stops, and
 * perf_ring_flush(), which the wakeup calls soon, publishes the other records.
 *
 * Return true if the reader must be woken.
 */
static noinline bool perf_ring_publish(struct perf_ring *ring, struct perf_shared_ring *shared,
				       unsigned int epoch, bool backward)
{
	unsigned int rounds = PERF_RING_ROUNDS;
	unsigned long position, total;
	bool wake = false;
	long head;

	for (;;) {
		PERF_RING_STEP(ring);
		/* Writers of the epoch set shared->wake before they commit. */
		wake |= READ_ONCE(shared->wake[epoch]);
		WRITE_ONCE(shared->wake[epoch], false);
		position = shared->closed;
		WRITE_ONCE(shared->published, position);
		/*
		 * The records are complete: each commit, including that of this CPU, is a
		 * fully ordered addition to the sum. Pairs with the reader's read barrier
		 * after its load of data_head; the reader has a full barrier before its store
		 * of data_tail.
		 */
		WRITE_ONCE(ring->user->data_head, local_read(&ring->head) + position);
		PERF_RING_STEP(ring);

		head = atomic_long_read(&shared->head);
		if ((head & PERF_RING_POSITION) == position &&
		    atomic_long_try_cmpxchg(&shared->head, &head, head & ~PERF_RING_CLOSING))
			return wake;
		PERF_RING_STEP(ring);
		if (unlikely(!--rounds)) {
			/* Pairs with the cmpxchg of the next CPU that sets PERF_RING_CLOSING. */
			atomic_long_fetch_andnot_release(PERF_RING_CLOSING, &shared->head);
			return true;
		}
		/* The published epoch becomes the current one. */
		head = atomic_long_fetch_xor(PERF_RING_EPOCH, &shared->head);
		epoch ^= 1;
		PERF_RING_STEP(ring);
		total = perf_ring_close(shared, head, backward);
		if (atomic_long_sub_return(total, &shared->committed[epoch]))
			return wake;
	}
}

/**
 * perf_ring_commit - commit a complete record
 * @ring: the shared ring
 * @shared: its additional state
 * @ticket: from perf_ring_reserve_shared(), possibly with PERF_RING_WAKE added
 *
 * Return: true if the reader must be woken
 */
static __always_inline bool perf_ring_commit(struct perf_ring *ring,
					     struct perf_shared_ring *shared,
					     unsigned long ticket)
{
	bool backward = ticket & PERF_RING_BACKWARD;
	unsigned long len = ticket & PERF_RING_POSITION;
	unsigned int epoch = ticket & PERF_RING_EPOCH;
	unsigned int attempts = 0;
	long head, sum;

	PERF_RING_STEP(ring);
	if (ticket & PERF_RING_WAKE)
		WRITE_ONCE(shared->wake[epoch], true);

	/*
	 * While PERF_RING_CLOSING is clear, the current epoch is that of the record. If the cmpxchg
	 * fails, another CPU has set PERF_RING_CLOSING, or another writer has reserved space, and
	 * will commit later.
	 */
	head = atomic_long_read(&shared->head);
	while (!(head & PERF_RING_CLOSING) && attempts++ < PERF_RING_CLOSE_ATTEMPTS) {
		PERF_RING_STEP(ring);
		if (!atomic_long_try_cmpxchg(&shared->head, &head,
					     (head ^ PERF_RING_EPOCH) | PERF_RING_CLOSING))
			continue;
		PERF_RING_STEP(ring);
		len -= perf_ring_close(shared, head, backward);
		break;
	}
	PERF_RING_STEP(ring);
	sum = atomic_long_add_return(len, &shared->committed[epoch]);
	return sum ? false : perf_ring_publish(ring, shared, epoch, backward);
}

/**
 * perf_ring_flush - publish the records that perf_ring_publish() has left unpublished
 * @ring: the shared ring
 * @shared: its additional state
 * @backward: records are written backward
 *
 * Return: true if the reader must be woken
 */
static __always_inline bool perf_ring_flush(struct perf_ring *ring,
					    struct perf_shared_ring *shared, bool backward)
{
	long head = atomic_long_read(&shared->head);
	unsigned int epoch = head & PERF_RING_EPOCH;
	unsigned long total;

	if ((head & PERF_RING_CLOSING) ||
	    (head & PERF_RING_POSITION) == READ_ONCE(shared->published))
		return false;
	/* If the cmpxchg fails, a writer is active, and will publish the records. */
	if (!atomic_long_try_cmpxchg(&shared->head, &head,
				     (head ^ PERF_RING_EPOCH) | PERF_RING_CLOSING))
		return false;
	total = perf_ring_close(shared, head, backward);
	if (atomic_long_sub_return(total, &shared->committed[epoch]))
		return false;
	return perf_ring_publish(ring, shared, epoch, backward);
}

#endif /* _KERNEL_EVENTS_RING_SHARED_H */
