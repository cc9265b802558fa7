/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Positions in a ring of records, and the order in which they change.
 *
 * One CPU at a time writes to a ring, unless the ring is shared (ring_shared.h). A writer may
 * interrupt another writer (in a softirq, interrupt or NMI). The interrupting writer ends
 * before the interrupted one continues. So CPU-local atomic operations are enough, and the
 * outermost writer publishes the records of all of them.
 *
 * This file needs no kernel context: tests and a fuzzer in user space include it. They define
 * PERF_RING_STEP() to run other writers at each point where an interrupt can occur.
 */
#ifndef _KERNEL_EVENTS_RING_H
#define _KERNEL_EVENTS_RING_H

/* Added to perf_ring::visits by each writer; the lowest byte is perf_ring::nest. */
#define PERF_RING_VISIT		256

#ifndef PERF_RING_STEP
#define PERF_RING_STEP(ring)	((void)(ring))
#endif

/**
 * struct perf_ring - positions of writers and reader
 * @head: position up to which space is reserved. It only increases, or only decreases in backward
 *	mode. Its value modulo @size is the offset in memory
 * @mark: reserved distance at the last wakeup for the watermark, a multiple of @watermark
 * @wakeups: number of wakeups
 * @lost: records lost since the last successful reservation
 * @visits: number of records times PERF_RING_VISIT. The number may be too low: a writer that
 *	interrupts an addition to @visits may not be counted
 * @pad: the other bytes of @visits
 * @nest: the lowest byte of @visits: nesting depth of the current writers
 * @overwrite: the reader cannot move the tail, so new records overwrite old ones
 * @size: bytes, a power of two
 * @watermark: bytes between wakeups
 * @user: the user page, shared with the reader
 */
struct perf_ring {
	local_t				head;
	local_t				mark;
	local_t				wakeups;
	local_t				lost;
	union {
		u64			visits;
		struct {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
			unsigned char	pad[7];
#endif
			unsigned char	nest;
		};
	};
	bool				overwrite;
	unsigned long			size;
	unsigned long			watermark;
	struct perf_event_mmap_page	*user;
};

/**
 * perf_ring_room - get the number of free bytes
 * @head: the writers' position
 * @tail: the reader's position; user space writes it, so any value is possible
 * @size: size of the ring, a power of two
 * @backward: positions decrease
 *
 * Return: free bytes. One byte is always unused: equal offsets of head and tail mean an empty ring
 */
static __always_inline unsigned long
perf_ring_room(unsigned long head, unsigned long tail, unsigned long size, bool backward)
{
	unsigned long unread = backward ? tail - head : head - tail;

	return ~unread & (size - 1);
}

/**
 * perf_ring_enter - begin a write
 * @ring: the ring; the caller does not migrate until perf_ring_leave()
 *
 * Return: number of wakeups so far, for perf_ring_leave(). This function reads the number first, so
 * that the outermost writer also reports the wakeups of all writers that interrupt it
 */
static __always_inline unsigned long perf_ring_enter(struct perf_ring *ring)
{
	unsigned long wakeups = local_read(&ring->wakeups);

	barrier();
	PERF_RING_STEP(ring);
	ring->visits += PERF_RING_VISIT + 1;
	barrier();
	PERF_RING_STEP(ring);
	return wakeups;
}

/* Get the distance of @head from the start. It increases in both directions of writing. */
static __always_inline unsigned long perf_ring_distance(unsigned long head, bool backward)
{
	return backward ? -head : head;
}

/**
 * perf_ring_reserve - reserve space for a record
 * @ring: the ring, after perf_ring_enter()
 * @len: bytes
 * @backward: to lower positions
 * @start: set to the position of the record's first byte
 *
 * Return: true on success; false without enough space. A record of 0 bytes also fails, because its
 * position would be that of the next record
 */
static __always_inline bool perf_ring_reserve(struct perf_ring *ring, unsigned long len,
					      bool backward, unsigned long *start)
{
	unsigned long next, tail, mark;
	long head = local_read(&ring->head);

	do {
		PERF_RING_STEP(ring);
		if (ring->overwrite) {
			if (unlikely(len - 1 >= ring->size - 1))
				return false;
		} else {
			/*
			 * The reader has consumed the bytes before the tail. The stores to the
			 * record depend on this comparison, so they are after the load.
			 */
			tail = READ_ONCE(ring->user->data_tail);
			if (unlikely(perf_ring_room(head, tail, ring->size, backward) <= len - 1))
				return false;
		}
		PERF_RING_STEP(ring);
		next = backward ? head - len : head + len;
	} while (!local_try_cmpxchg(&ring->head, &head, next));
	/*
	 * splice(2) may have replaced the page before it moved the tail: load the pointer to the
	 * page after the tail. Pairs with the barrier of splice(2) before its store of data_tail.
	 */
	smp_rmb();
	PERF_RING_STEP(ring);

	*start = backward ? next : (unsigned long)head;

	mark = local_read(&ring->mark);
	if (unlikely(perf_ring_distance(next, backward) - mark > ring->watermark)) {
		PERF_RING_STEP(ring);
		local_add(ring->watermark, &ring->mark);
		local_inc(&ring->wakeups);
		PERF_RING_STEP(ring);
	}
	return true;
}

/**
 * perf_ring_lose - count lost records
 * @ring: the ring, on this CPU
 * @nr: number of records
 */
static __always_inline void perf_ring_lose(struct perf_ring *ring, unsigned long nr)
{
	PERF_RING_STEP(ring);
	local_add(nr, &ring->lost);
	PERF_RING_STEP(ring);
}

/**
 * perf_ring_take_lost - get and clear the number of records lost since the last record
 * @ring: the ring, after perf_ring_enter()
 *
 * The next record reports this number. If the record finds no space, perf_ring_begin() adds the
 * number again.
 *
 * Return: number of records, usually 0
 */
static __always_inline unsigned long perf_ring_take_lost(struct perf_ring *ring)
{
	if (likely(!local_read(&ring->lost)))
		return 0;
	PERF_RING_STEP(ring);
	/* An interrupting writer may have taken the number since. Then the exchange returns 0. */
	return local_xchg(&ring->lost, 0);
}

/**
 * perf_ring_begin - reserve space for a record, and for a LOST record
 * @ring: the ring, after perf_ring_enter()
 * @len: bytes of both
 * @lost: from perf_ring_take_lost()
 * @backward: to lower positions
 * @start: set to the position of the first byte
 *
 * Return: true on success, false without enough space; that is counted
 */
static __always_inline bool perf_ring_begin(struct perf_ring *ring, unsigned long len,
					    unsigned long lost, bool backward,
					    unsigned long *start)
{
	if (likely(perf_ring_reserve(ring, len, backward, start)))
		return true;
	perf_ring_lose(ring, lost + 1);
	ring->visits -= PERF_RING_VISIT;
	return false;
}

/**
 * perf_ring_leave - end a write
 * @ring: the ring, after perf_ring_enter(); the record is complete
 * @wakeups: from perf_ring_enter()
 *
 * A writer that has interrupted another writer cannot publish its record, because the record of the
 * interrupted writer is incomplete and precedes it. The outermost writer publishes all records, and
 * then checks whether records were added since. All writers are on one CPU, so program order is
 * enough between them:
 *
 *	outermost writer			interrupting writer
 *
 *	head = ring->head;
 *	data_head = head;
 *						nest is 2: the outermost writer
 *						must publish the record
 *	nest = 0;
 *	barrier();
 *	if (ring->head == head)			(from here on nest is 1: this
 *		return;				writer publishes its own record)
 *
 * Suppose that the outermost writer loaded the head for the comparison before it cleared nest. A
 * writer that interrupts between the two would not publish its record, and the outermost writer
 * would not check again. Then the record would be unpublished until the next record.
 *
 * The reader can be on any CPU:
 *
 *	perf_ring_leave()			reader
 *
 *	the record's bytes			head = data_head;
 *	smp_wmb();				rmb();
 *	data_head = head;			reads the bytes before head
 *
 * Return: true if this writer is the outermost one, and the reader must be woken
 */
static __always_inline bool perf_ring_leave(struct perf_ring *ring, unsigned long wakeups)
{
	unsigned long head;

	PERF_RING_STEP(ring);
	barrier();
	if (unlikely(ring->nest > 1)) {
		WRITE_ONCE(ring->nest, ring->nest - 1);
		return false;
	}

	for (;;) {
		head = local_read(&ring->head);
		PERF_RING_STEP(ring);
		/*
		 * Records are visible before the head. Pairs with the reader's read barrier
		 * after its load of data_head; the reader has a full barrier before its store
		 * of data_tail.
		 */
		smp_wmb();
		WRITE_ONCE(ring->user->data_head, head);
		PERF_RING_STEP(ring);
		barrier();
		WRITE_ONCE(ring->nest, 0);
		barrier();
		PERF_RING_STEP(ring);
		/*
		 * Writers that interrupted while nest was not 0 have not published their records:
		 * publish them.
		 */
		if (likely((unsigned long)local_read(&ring->head) == head))
			break;
		PERF_RING_STEP(ring);
		WRITE_ONCE(ring->nest, 1);
		barrier();
	}
	return (unsigned long)local_read(&ring->wakeups) != wakeups;
}

/**
 * perf_ring_place - convert a position to a place in chunked memory
 * @pos: any position
 * @shift: log2 of a chunk's size
 * @chunks: number of chunks, a power of two
 * @offset: set to the offset in the chunk
 *
 * Return: number of the chunk
 */
static __always_inline unsigned int perf_ring_place(unsigned long pos, unsigned int shift,
						    unsigned int chunks, unsigned long *offset)
{
	*offset = pos & ((1UL << shift) - 1);
	return (pos >> shift) & (chunks - 1);
}

#endif /* _KERNEL_EVENTS_RING_H */
