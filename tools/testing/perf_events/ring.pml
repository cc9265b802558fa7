/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel/events/record/ring.h: writers of one CPU that interrupt one another, and a
 * reader on another CPU.
 *
 *	spin -a ring.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan
 *
 * checks every place at which a writer can be interrupted, by every writer of a
 * higher level; with "spin -DLEVELS=2 -DRECORDS=2 -a" by several of one level, one
 * after the other. The model asserts that
 *
 *   - only complete records are published, and data_head never decreases;
 *   - no record is written where the reader still reads;
 *   - at the end all records are published, no writer is counted as active, and
 *     all records have been read or are counted as lost;
 *   - the writer that passed the watermark, or the outermost writer after it,
 *     wakes the reader after the record is published.
 *
 * Names are those of the header. Sizes are in units of 8 bytes.
 */
#ifndef LEVELS
#define LEVELS		3	/* task, interrupt, NMI */
#endif
#ifndef RECORDS
#define RECORDS		1	/* records at each level */
#endif
#define SIZE		4	/* units in the ring; records have 1 or 2 */
#define WATERMARK	2
#define UNITS		16	/* units that are written in a run, at most */

byte top;		/* the level that runs; 0: none */
byte head, mark, wakeups, lost, nest;
byte data_head, data_tail;
bool complete[UNITS];
byte woken;		/* data_head when the reader was last woken */
byte passed;		/* end of the last record that passed the watermark */
byte done;

/* One instruction of the level that runs. */
#define RUN(statement)	atomic { top == me -> statement }

proctype writer(byte me)
{
	byte records = RECORDS, below, size, tail, at, next, old, wakeups_before, i;
	bool wake;

	do
	:: records > 0 ->
		records--;
		/* An interrupt, which may interrupt any writer of a lower level. */
		d_step { top < me -> below = top; top = me };
		if
		:: RUN(size = 1)
		:: RUN(size = 2)
		fi;

		/* perf_ring_enter() */
		RUN(wakeups_before = wakeups);
		RUN(nest = nest + 1);

		/* perf_ring_reserve() */
		RUN(old = head);
		do
		:: top == me ->
			RUN(tail = data_tail);
			if
			:: top == me && old - tail + size > SIZE ->
				RUN(lost = lost + size);
				size = 0;
				break
			:: top == me && old - tail + size <= SIZE
			fi;
			RUN(next = old + size);
			if
			:: d_step {
				top == me && head == old -> head = next; at = old;
				assert(next - data_tail <= SIZE)
			   };
			   break
			:: d_step { top == me && head != old -> old = head }
			fi
		od;
		if
		:: size > 0 ->
			/* Passing the watermark takes two local operations. */
			RUN(tail = mark);
			if
			:: top == me && next > tail + WATERMARK ->
				RUN(mark = mark + WATERMARK);
				RUN(wakeups = wakeups + 1; passed = next)
			:: top == me && next <= tail + WATERMARK
			fi;
			/* The writer copies the record. */
			RUN(complete[at] = true);
			RUN(complete[at + size - 1] = true)
		:: size == 0
		fi;

		/* perf_ring_leave() */
		wake = false;
		if
		:: d_step { top == me && nest > 1 -> old = nest };
			RUN(nest = old - 1)
		:: top == me && nest <= 1 ->
			do
			:: top == me ->
				RUN(old = head);
				d_step {
					top == me ->
					assert(old >= data_head);
					i = data_head;
					do
					:: i < old -> assert(complete[i]); i++
					:: else -> break
					od;
					data_head = old
				};
				RUN(nest = 0);
				if
				:: top == me && head == old -> break
				:: top == me && head != old
				fi;
				RUN(nest = 1)
			od;
			RUN(wake = (wakeups != wakeups_before))
		fi;
		if
		:: wake -> RUN(woken = data_head)
		:: !wake
		fi;
		atomic {
			top == me -> top = below;
			below = 0; size = 0; tail = 0; at = 0; next = 0; old = 0; i = 0;
			wakeups_before = 0; wake = false
		}
	:: records == 0 -> break
	od;
	done++
}

proctype reader()
{
	do
	:: data_tail != data_head -> data_tail = data_head
	:: done == LEVELS -> break
	od
}

init
{
	byte i;

	atomic {
		run reader();
		i = 1;
		do
		:: i <= LEVELS -> run writer(i); i++
		:: i > LEVELS -> break
		od
	};
	done == LEVELS;
	assert(nest == 0 && data_head == head && head + lost <= UNITS);
	assert(woken >= passed)
}
