/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel/events/record/ring_shared.h: several CPUs write to one ring of records, and
 * no CPU ever waits for another CPU.
 *
 *	spin -a ring_shared.pml && cc -O2 -o pan pan.c && ./pan -m100000
 *
 * checks every interleaving of the steps of all writers and of a reader that
 * frees space. An interrupt or NMI in the middle of a writer is one of these
 * interleavings: the one in which the interrupted writer makes no step.
 * "spin -DWRITERS=2 -DRECORDS=3" has fewer writers and more records, -DOVERWRITE
 * a ring without a reader. With -DSTOP the first writer may also stop for ever at any step, as
 * after a crash of its CPU. The model asserts that
 *
 *   - only complete records are published;
 *   - data_head never decreases, and one writer at a time publishes;
 *   - no record is written where the reader reads, or another writer writes;
 *   - a record is lost only if there was a moment without space for it;
 *   - every writer finishes in a bounded number of steps;
 *
 * and, if no writer has stopped, that at the end all records are published, that
 * the sums are 0, and that a wakeup followed the publication of each record that
 * requested a wakeup.
 *
 * Steps are sequentially consistent here. That suffices, because each access by a
 * CPU that does not close or publish is a fully ordered read-modify-write, or a load
 * whose result the next read-modify-write confirms.
 *
 * Names are those of the header. Sizes are in units of 8 bytes. The numbers of
 * attempts at a cmpxchg and of rounds are minimal, so that the model covers the last ones.
 */
#ifndef WRITERS
#define WRITERS		3
#endif
#ifndef RECORDS
#define RECORDS		1	/* records of the first writer; the others write one */
#endif
#ifndef SIZE
#define SIZE		3	/* units that can be reserved; records have 1 or 2 */
#endif
#define ATTEMPTS	2
#define CLOSE_ATTEMPTS	1
#define ROUNDS		2
#define UNITS		12	/* units that are written in a run, at most */

/* The head is one word: bits are read and changed together with the position. */
#define EPOCH(h)	((h) & 1)
#define CLOSING(h)	(((h) >> 1) & 1)
#define POSITION(h)	((h) >> 2)
/*
 * perf_ring_room(): the ring has SIZE + 1 units, a power of two, of which one is never
 * used. If the tail is ahead of the head, the ring has less space, or none.
 */
#define ROOM(h, tail)	(SIZE - ((POSITION(h) - (tail)) & SIZE))

byte head;
short committed[2];
byte closed, published;
bool wake[2];

byte data_head, data_tail;
bool complete[UNITS];	/* by position, never reused */
bool asked[UNITS];	/* the record that ends there requested a wakeup */
byte woken;		/* data_head when the reader was last woken */
byte publishing;	/* writers that close or publish */
byte done;

#ifdef STOP
#define STEP	if :: me == 0 -> goto stopped :: true fi;
#else
#define STEP
#endif

/* atomic, because only the CPU that closes accesses these variables */
#define perf_ring_close(h)						\
	total = POSITION(h) - closed; closed = POSITION(h)

inline perf_ring_publish()
{
	rounds = ROUNDS;
	owes_wake = false;
	do
	:: true ->
		STEP
		d_step {
			publishing++;
			assert(publishing == 1);
			owes_wake = owes_wake | wake[epoch];
			wake[epoch] = false
		};
		STEP
		published = closed;
		STEP
		d_step {
			assert(closed >= data_head);
			i = data_head;
			do
			:: i < closed -> assert(complete[i]); i++
			:: else -> break
			od;
			data_head = closed
		};
		STEP
		h = head;
		if
		:: POSITION(h) == closed ->
			STEP
			d_step {
				if
				:: head == h -> head = h & ~2; publishing--; out = true
				:: else -> h = head; out = false
				fi
			}
		:: else -> out = false
		fi;
		if
		:: out -> break
		:: else
		fi;
		STEP
		rounds--;
		if
		:: rounds == 0 ->
			d_step { head = head & ~2; publishing-- };
			owes_wake = true;
			owes_flush = true;
			break
		:: else
		fi;
		d_step { h = head; head = head ^ 1 };
		epoch = 1 - epoch;
		assert(EPOCH(h) == epoch && CLOSING(h));
		STEP
		d_step { perf_ring_close(h) };
		STEP
		d_step {
			committed[epoch] = committed[epoch] - total;
			assert(committed[epoch] <= 0);
			publishing--;
			out = (committed[epoch] != 0)
		};
		if
		:: out -> break
		:: else
		fi
	od
}

/* The interrupt that wakes the reader: it first calls perf_ring_flush(). */
inline wake_reader()
{
	do
	:: owes_wake || owes_flush ->
		owes_wake = false;
		if
		:: owes_flush ->
			owes_flush = false;
			h = head;
			if
			:: !CLOSING(h) && POSITION(h) != published ->
				STEP
				d_step {
					if
					:: head == h -> head = (h ^ 1) | 2; out = true
					:: else -> out = false
					fi
				};
				if
				:: out ->
					epoch = EPOCH(h);
					d_step { perf_ring_close(h) };
					STEP
					d_step {
						committed[epoch] = committed[epoch] - total;
						out = (committed[epoch] == 0)
					};
					if
					:: out -> perf_ring_publish()
					:: else
					fi
				:: else
				fi
			:: else
			fi
		:: else
		fi;
		STEP
		woken = data_head
	:: else -> break
	od
}

proctype writer(byte me)
{
	byte records, size, h, epoch, start, attempts, rounds, i;
	short total, sum;
	bool asks, out, was_full, owes_wake, owes_flush;

	records = (me == 0 -> RECORDS : 1);
	do
	:: records > 0 ->
		records--;
		if
		:: size = 1
		:: me == 0 -> size = 2
		fi;
		if
		:: me == 1 -> asks = true
		:: else -> asks = false
		fi;

		/* perf_ring_reserve_shared() */
		attempts = 0;
		h = head;
		do
		:: attempts == ATTEMPTS -> size = 0; break
		:: else ->
			attempts++;
			STEP
			/* This is the only moment that can be without space. */
			d_step {
#ifdef OVERWRITE
				start = published;
#else
				start = data_tail;
#endif
				was_full = (ROOM(head, start) < size)
			};
			if
			:: ROOM(h, start) < size ->
				STEP
				if
				:: head == h -> assert(was_full); size = 0; break
				:: else -> h = head; goto again
				fi
			:: else
			fi;
			STEP
			d_step {
				if
				:: head == h ->
					head = h + (size << 2); out = true;
#ifdef OVERWRITE
					/* No other writer still writes there. */
					i = 0;
					do
					:: i + SIZE < POSITION(head) -> assert(complete[i]); i++
					:: else -> break
					od
#else
					assert(POSITION(head) - data_tail <= SIZE)
#endif
				:: else -> h = head; out = false
				fi
			};
			if
			:: out -> break
			:: else
			fi;
again:			skip
		od;
		if
		:: size == 0 -> goto next	/* lost, and counted */
		:: else
		fi;
		start = POSITION(h);
		epoch = EPOCH(h);

		/* The writer copies the record. */
		STEP
		d_step {
			complete[start] = true;
			complete[start + size - 1] = true;
			asked[start + size - 1] = asks
		};
		STEP

		/* perf_ring_commit() */
		if
		:: asks -> wake[epoch] = true
		:: else
		fi;
		STEP
		attempts = 0;
		sum = size;
		h = head;
		do
		:: CLOSING(h) || attempts == CLOSE_ATTEMPTS -> break
		:: else ->
			attempts++;
			STEP
			d_step {
				if
				:: head == h -> head = (h ^ 1) | 2; out = true
				:: else -> h = head; out = false
				fi
			};
			if
			:: out ->
				assert(EPOCH(h) == epoch);
				STEP
				d_step { perf_ring_close(h); sum = size - total };
				break
			:: else
			fi
		od;
		skip;	/* no jump into a d_step */
		STEP
		d_step {
			committed[epoch] = committed[epoch] + sum;
			out = (committed[epoch] == 0)
		};
		if
		:: out -> perf_ring_publish(); wake_reader()
		:: else
		fi;
next:		skip;
		d_step {
			size = 0; h = 0; start = 0; epoch = 0; attempts = 0; rounds = 0;
			i = 0; total = 0; sum = 0; asks = false; out = false;
			was_full = false
		}
	:: else -> break
	od;
stopped:
	done++
}

#ifndef OVERWRITE
/* The reader may read at any moment, and frees what it has read. */
proctype reader()
{
	do
	:: data_tail != data_head -> data_tail = data_head
	:: done == WRITERS -> break
	od
}
#endif

init
{
	byte i;

	atomic {
#ifndef OVERWRITE
		run reader();
#endif
		i = 0;
		do
		:: i < WRITERS -> run writer(i); i++
		:: else -> break
		od
	};
	done == WRITERS;
#ifndef STOP
	assert(data_head == POSITION(head) && published == data_head && closed == published);
	assert(!CLOSING(head) && publishing == 0);
	assert(committed[0] == 0 && committed[1] == 0);
	i = 0;
	do
	:: i < UNITS ->
		assert(!asked[i] || woken > i);
		i++
	:: else -> break
	od
#endif
}
