/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Positions in a ring of records, and the order in which they are moved.
 *
 * One CPU at a time writes to a ring, unless it is shared (ring_shared.h). A
 * writer may be interrupted by another one (softirq, interrupt, NMI), which
 * then runs to its end before the first goes on. So instructions that are atomic
 * on this CPU only are enough, and the outermost writer publishes the records of
 * all of them.
 *
 * No kernel context is needed here: tests and a fuzzer in user space
 * include this file with PERF_RING_STEP() defined to run other writers, at
 * each place where one may come in.
 */
#ifndef _KERNEL_EVENTS_RING_H
#define _KERNEL_EVENTS_RING_H

/* What a writer adds to perf_ring::visits as it arrives; the lowest byte is perf_ring::nest. */
#define PERF_RING_VISIT		256

#ifndef PERF_RING_STEP
#define PERF_RING_STEP(ring)	((void)(ring))
#endif

/**
 * struct perf_ring - where writers and the reader are
 * @head: position up to which space is given out; for ever increasing, or, when
 *	written backward, decreasing. Its value modulo @size is a place in memory
 * @mark: distance that was given out when the watermark was last passed
 * @wakeups: how many times readers were to be woken
 * @lost: records that found no room since the last one that did
 * @visits: one visit is PERF_RING_VISIT: how many writers have come, but for those that
 *	found no room. One is missed if its interrupt comes within a single addition
 * @pad: the other bytes of @visits
 * @nest: the lowest byte of @visits: number of writers at work, one interrupting the other
 * @overwrite: old records make room, as the reader does not tell what it has read
 * @size: bytes, a power of two
 * @watermark: bytes after which a reader is to be woken
 * @user: the page that is shared with the reader
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
 * perf_ring_room - bytes that may be given out
 * @head: the writers' position
 * @tail: the reader's; may be anything, user space writes it
 * @size: of the ring, a power of two
 * @backward: positions decrease
 *
 * Return: how many. One byte always stays free: equal places of head and tail
 * mean "empty".
 */
static __always_inline unsigned long
perf_ring_room(unsigned long head, unsigned long tail, unsigned long size, bool backward)
{
	unsigned long unread = backward ? tail - head : head - tail;

	return ~unread & (size - 1);
}

/**
 * perf_ring_enter - a writer arrives
 * @ring: the ring, on this CPU until perf_ring_leave()
 *
 * Return: the number of wake-ups so far, for perf_ring_leave(). Taken first: a
 * writer that interrupts this one from here on leaves its wake-up to it.
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

/* Distance from the start, which grows in either direction. */
static __always_inline unsigned long perf_ring_distance(unsigned long head, bool backward)
{
	return backward ? -head : head;
}

/**
 * perf_ring_reserve - get room for a record
 * @ring: entered
 * @len: bytes
 * @backward: towards lower positions
 * @start: filled in, the position of the record's first byte
 *
 * Return: false when there is no room, and for a record of no bytes: its writer
 * would be given memory that is not the record's.
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
			 * The reader has finished with what is behind the
			 * tail. Nothing is stored unless this comparison
			 * allows it, which keeps the stores after the load.
			 */
			tail = READ_ONCE(ring->user->data_tail);
			if (unlikely(perf_ring_room(head, tail, ring->size, backward) <= len - 1))
				return false;
		}
		PERF_RING_STEP(ring);
		next = backward ? head - len : head + len;
	} while (!local_try_cmpxchg(&ring->head, &head, next));
	/*
	 * splice(2) may have put another page there before it moved the tail.
	 * Pairs with its barrier before the store of data_tail.
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
 * perf_ring_lose - count records that are lost
 * @ring: the ring, on this CPU
 * @nr: how many
 */
static __always_inline void perf_ring_lose(struct perf_ring *ring, unsigned long nr)
{
	PERF_RING_STEP(ring);
	local_add(nr, &ring->lost);
	PERF_RING_STEP(ring);
}

/**
 * perf_ring_take_lost - has anything been lost since the last record?
 * @ring: entered
 *
 * Return: how many records, mostly 0. The next record is to tell of them, or
 * perf_ring_begin() takes them back.
 */
static __always_inline unsigned long perf_ring_take_lost(struct perf_ring *ring)
{
	if (likely(!local_read(&ring->lost)))
		return 0;
	PERF_RING_STEP(ring);
	/* A writer that has interrupted this one may have taken them: then 0. */
	return local_xchg(&ring->lost, 0);
}

/**
 * perf_ring_begin - get room for a record, and for one that tells of lost ones
 * @ring: entered
 * @len: bytes of both
 * @lost: what perf_ring_take_lost() returned
 * @backward: towards lower positions
 * @start: filled in, where the first byte goes
 *
 * Return: false when there is no room; that is counted.
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
 * perf_ring_leave - a writer has finished
 * @ring: entered, the record is complete
 * @wakeups: what perf_ring_enter() returned
 *
 * A writer that has interrupted another one cannot show its record to the reader,
 * as the interrupted record before it is not complete. The outermost writer shows
 * all records, and then looks whether others were added meanwhile. All writers are
 * on one CPU, so that between them program order is enough:
 *
 *	the outermost				one that interrupts it
 *
 *	head = ring->head;
 *	data_head = head;
 *						nest is 2: its record is left
 *						to the outermost
 *	nest = 0;
 *	barrier();
 *	if (ring->head == head)			(from here on nest is 1, and it
 *		return;				shows its record itself)
 *
 * If the head were looked at before nest is 0, a writer that interrupts in between
 * would leave its record to the outermost one, which does not look again: the
 * record would stay hidden until the next one. The reader, on any CPU:
 *
 *	perf_ring_leave()			the reader
 *
 *	the record's bytes			head = data_head;
 *	smp_wmb();				rmb();
 *	data_head = head;			reads what is before head
 *
 * Return: true when the reader is to be woken; only the outermost says so.
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
		 * Records are visible before the head. The reader has a read
		 * barrier after its load of data_head, and a full one before its
		 * store of data_tail.
		 */
		smp_wmb();
		WRITE_ONCE(ring->user->data_head, head);
		PERF_RING_STEP(ring);
		barrier();
		WRITE_ONCE(ring->nest, 0);
		barrier();
		PERF_RING_STEP(ring);
		/* Writers that interrupted before nest was 0 have left their records to this. */
		if (likely((unsigned long)local_read(&ring->head) == head))
			break;
		PERF_RING_STEP(ring);
		WRITE_ONCE(ring->nest, 1);
		barrier();
	}
	return (unsigned long)local_read(&ring->wakeups) != wakeups;
}

/**
 * perf_ring_place - where a position is in memory that is made of chunks
 * @pos: any position
 * @shift: log2 of a chunk's size
 * @chunks: number of them, a power of two
 * @offset: filled in, the offset in the chunk
 *
 * Return: number of the chunk.
 */
static __always_inline unsigned int perf_ring_place(unsigned long pos, unsigned int shift,
						    unsigned int chunks, unsigned long *offset)
{
	*offset = pos & ((1UL << shift) - 1);
	return (pos >> shift) & (chunks - 1);
}

#endif /* _KERNEL_EVENTS_RING_H */
