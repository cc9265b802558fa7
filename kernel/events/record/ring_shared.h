/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring of records that several CPUs write to at once, from any context.
 *
 * A writer reserves room by one cmpxchg, copies its record while others copy
 * theirs, and commits it. The reader is shown a record when it and all records
 * before it are complete. No writer waits for another one, and none is turned
 * away while there is room: a CPU that is interrupted, or stopped for ever, in
 * the middle of a record delays what the reader sees and nothing else.
 *
 * Records belong to epochs, numbered 0 and 1 in turn. One bit of the head is the
 * number of the epoch in which records are reserved now, so that one cmpxchg
 * settles both the place of a record and its epoch. Turning that bit closes the
 * epoch: its number of bytes is fixed from then on. Writers add up the bytes
 * that they commit, and closing subtracts all bytes of the epoch; so the sum of a
 * closed epoch becomes 0 exactly once, with its last record. The CPU that
 * makes it 0 shows the epoch to the reader, and closes the next one if
 * anything has been reserved in that.
 *
 * A second bit of the head, PERF_RING_CLOSING, is set from when an epoch is
 * closed until it has been shown with nothing behind it. Meanwhile one CPU at a
 * time closes and shows: the one that set the bit, then the one that made a sum
 * 0. A writer that finds the bit clear when it commits sets it and closes the
 * epoch; one that finds it set can rely on another CPU to close the epoch that
 * the record is in, since the bit is not cleared while the head is further than
 * what has been shown.
 *
 * Positions are those of struct perf_ring, counted from its head, which stands
 * still from when the ring is shared. As ring.h, this file needs no kernel
 * context; tools/testing/perf_events/ring_shared.pml is a model of it.
 */
#ifndef _KERNEL_EVENTS_RING_SHARED_H
#define _KERNEL_EVENTS_RING_SHARED_H

#include "ring.h"

/* Bits of the head; positions are multiples of 8. */
#define PERF_RING_EPOCH		1UL
#define PERF_RING_CLOSING	2UL
#define PERF_RING_POSITION	(~7UL)

/* ... and of what perf_ring_reserve_shared() returns, beside the length and the epoch. */
#define PERF_RING_WAKE		2UL	/* a reader is to be woken */
#define PERF_RING_BACKWARD	4UL	/* towards lower positions */

/* After so many failures of the cmpxchg, a record is lost, or not closed here. */
#define PERF_RING_ATTEMPTS	1000
#define PERF_RING_CLOSE_ATTEMPTS 8
/* Epochs that a CPU shows one after the other, of records that others write. */
#define PERF_RING_ROUNDS	64

/**
 * struct perf_shared_ring - what a ring needs in addition when several CPUs write
 * @head: position up to which room is given out, PERF_RING_EPOCH and _CLOSING
 * @committed: of each epoch: bytes of complete records, less all bytes of the
 *	epoch once it is closed
 * @samples: that wakeup_events counts
 * @records: that have been reserved
 * @closed: position where the last epoch was closed; with PERF_RING_CLOSING it
 *	belongs to the CPU that closes or shows
 * @shown: position up to which the reader has been shown records
 * @wake: of each epoch: the reader is to be woken when it is shown
 */
struct perf_shared_ring {
	atomic_long_t		head;
	atomic_long_t		committed[2];
	atomic_long_t		samples;
	atomic_long_t		records;
	unsigned long		closed;
	unsigned long		shown;
	bool			wake[2];
};

/*
 * A word that one CPU alone changed as long as the ring was not shared. Every
 * architecture's local_t is one long.
 */
static __always_inline atomic_long_t *perf_ring_word(local_t *word)
{
	static_assert(sizeof(local_t) == sizeof(atomic_long_t));
	return (atomic_long_t *)word;
}

/* Has this record passed the watermark? True for one of several records that have. */
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
 * perf_ring_reserve_shared - get room for a record
 * @ring: that is shared
 * @shared: its other half
 * @len: bytes, a multiple of 8, not 0
 * @backward: towards lower positions
 * @start: filled in, the position of the record's first byte
 *
 * In overwrite mode a record does not overwrite what has not been shown, as
 * another CPU may still write there.
 * Return: what perf_ring_commit() is to be called with, or 0 when there is no room.
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
		/* Each attempt fails because another CPU has reserved or closed. */
		if (unlikely(attempts++ == PERF_RING_ATTEMPTS))
			return 0;
		at = base + (head & PERF_RING_POSITION);
		if (ring->overwrite)
			tail = base + READ_ONCE(shared->shown);
		else
			tail = READ_ONCE(ring->user->data_tail);
		if (unlikely(perf_ring_room(at, tail, ring->size, backward) < len)) {
			/*
			 * The tail may have passed the head that was loaded
			 * before it: then an empty ring looks full. Pairs with
			 * the cmpxchg that moved the head before the tail moved.
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
		/* Fully ordered: nothing is stored before the tail has been read. */
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

/* Bytes of the epoch that ends where the head was, for the CPU that closes it. */
static __always_inline unsigned long perf_ring_close(struct perf_shared_ring *shared,
						     unsigned long head, bool backward)
{
	unsigned long from = shared->closed, to = head & PERF_RING_POSITION;

	shared->closed = to;
	return perf_ring_distance(to - from, backward);
}

/*
 * The sum of a closed epoch has become 0: show the epoch to the reader, and go on
 * as long as the next epoch can be closed and is complete, too. Every further
 * round is for records that other CPUs have begun and completed meanwhile. After
 * PERF_RING_ROUNDS rounds this CPU stops all the same, and leaves the other
 * records to perf_ring_flush(), which the wake-up calls soon.
 *
 * Return: true when the reader is to be woken.
 */
static noinline bool perf_ring_show(struct perf_ring *ring, struct perf_shared_ring *shared,
				    unsigned int epoch, bool backward)
{
	unsigned int rounds = PERF_RING_ROUNDS;
	unsigned long position, total;
	bool wake = false;
	long head;

	for (;;) {
		PERF_RING_STEP(ring);
		/* All writers of the epoch set this before they committed. */
		wake |= READ_ONCE(shared->wake[epoch]);
		WRITE_ONCE(shared->wake[epoch], false);
		position = shared->closed;
		WRITE_ONCE(shared->shown, position);
		/*
		 * The records are complete before: each commit is a fully
		 * ordered addition to the sum, as is the one of this CPU. The
		 * reader has a read barrier after its load of data_head, and a
		 * full one before its store of data_tail.
		 */
		WRITE_ONCE(ring->user->data_head, local_read(&ring->head) + position);
		PERF_RING_STEP(ring);

		head = atomic_long_read(&shared->head);
		if ((head & PERF_RING_POSITION) == position &&
		    atomic_long_try_cmpxchg(&shared->head, &head, head & ~PERF_RING_CLOSING))
			return wake;
		PERF_RING_STEP(ring);
		if (unlikely(!--rounds)) {
			/* The next CPU that sets the bit finds all that this one has stored. */
			atomic_long_fetch_andnot_release(PERF_RING_CLOSING, &shared->head);
			return true;
		}
		/* Now the epoch that has been shown is the one to reserve in. */
		head = atomic_long_fetch_xor(PERF_RING_EPOCH, &shared->head);
		epoch ^= 1;
		PERF_RING_STEP(ring);
		total = perf_ring_close(shared, head, backward);
		if (atomic_long_sub_return(total, &shared->committed[epoch]))
			return wake;
	}
}

/**
 * perf_ring_commit - a record is complete
 * @ring: that is shared
 * @shared: its other half
 * @ticket: what perf_ring_reserve_shared() returned, perhaps with PERF_RING_WAKE
 *
 * Return: true when the reader is to be woken.
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
	 * While the bit is clear, the epoch of the head is that of the record.
	 * When the cmpxchg fails, either the bit has been set meanwhile, or
	 * another record has been reserved behind this one, whose writer comes
	 * here later than this one.
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
	return sum ? false : perf_ring_show(ring, shared, epoch, backward);
}

/**
 * perf_ring_flush - show what perf_ring_show() has left
 * @ring: that is shared
 * @shared: its other half
 * @backward: records are written backward
 *
 * Return: true when the reader is to be woken.
 */
static __always_inline bool perf_ring_flush(struct perf_ring *ring,
					    struct perf_shared_ring *shared, bool backward)
{
	long head = atomic_long_read(&shared->head);
	unsigned int epoch = head & PERF_RING_EPOCH;
	unsigned long total;

	if ((head & PERF_RING_CLOSING) ||
	    (head & PERF_RING_POSITION) == READ_ONCE(shared->shown))
		return false;
	/* When it fails, there is a writer that will show the records. */
	if (!atomic_long_try_cmpxchg(&shared->head, &head,
				     (head ^ PERF_RING_EPOCH) | PERF_RING_CLOSING))
		return false;
	total = perf_ring_close(shared, head, backward);
	if (atomic_long_sub_return(total, &shared->committed[epoch]))
		return false;
	return perf_ring_show(ring, shared, epoch, backward);
}

#endif /* _KERNEL_EVENTS_RING_SHARED_H */
